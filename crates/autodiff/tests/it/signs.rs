//! Signs and phases of eigenvectors, singular vectors and q: what does not depend on them has the derivative that
//! differences find; what does has the derivative of vectors that keep the choice made at the point.
//!
//! Each factorisation is looked at as two matrices x and y of which only the products of columns x_k y_k^H are unique:
//! v and v of eigenvectors, u and v of singular vectors, q and r^H.

use crate::common::*;
use crate::linalg::{DTYPES, adjoint, definite, lapack, mm, qr};
use pullback_autodiff::jvp;
use pullback_eval::Tensor;
use pullback_ir::{Builder, Lapack, Op, TensorType, TypeError, UnaryOp, Value};

#[derive(Clone, Copy, PartialEq, Debug)]
enum Factors {
    Eigh,
    Svd,
    Qr,
}

use Factors::{Eigh, Qr, Svd};

impl Factors {
    /// x, y and the values, of QR none.
    fn of(self, b: &mut Builder, a: Value) -> Result<Vec<Value>, TypeError> {
        match self {
            Eigh => {
                let made = b.push(lapack(Lapack::Syevd { lower: true, vectors: true }), &[a])?;
                Ok(vec![made[0], made[0], made[1]])
            }
            Svd => {
                let made = b.push(lapack(Lapack::Gesdd { vectors: true, full: false }), &[a])?;
                Ok(vec![made[2], adjoint(b, made[3])?, made[1]])
            }
            Qr => {
                let [q, r] = qr(b, a, false)?;
                Ok(vec![q, adjoint(b, r)?])
            }
        }
    }

    fn cases(self) -> Vec<Tensor> {
        let shapes: &[&[usize]] = match self {
            Eigh => &[&[3, 3], &[1, 1]],
            Svd => &[&[3, 3], &[4, 2], &[2, 3], &[1, 1]],
            Qr => &[&[3, 3], &[4, 2], &[2, 3], &[1, 1]],
        };
        let types = DTYPES.iter().flat_map(|&d| shapes.iter().map(move |&s| TensorType::new(d, s)));
        types.map(|ty| if self == Eigh { definite(&ty, "a") } else { random(&ty, "a", -1.0, 1.0) }).collect()
    }
}

/// The columns of x times these numbers, times those of y: sums of x_k y_k^H, each with a weight of its own.
fn products(b: &mut Builder, x: Value, by: Value, y: Value) -> Result<Value, TypeError> {
    let (shape, dtype) = (b.ty(x).shape().to_vec(), b.ty(x).dtype());
    let by = b.convert(by, dtype)?;
    let by = b.broadcast(by, &shape, &[1])?;
    let (x, yh) = (b.mul(x, by)?, adjoint(b, y)?);
    mm(b, x, yh)
}

/// |x|^2 of each element.
fn squares(b: &mut Builder, x: Value) -> Result<Value, TypeError> {
    if !is_complex(b.ty(x)) {
        return b.mul(x, x);
    }
    let (re, im) = (b.unary(UnaryOp::Real, x)?, b.unary(UnaryOp::Imag, x)?);
    let (re, im) = (b.mul(re, re)?, b.mul(im, im)?);
    b.add(re, im)
}

#[test]
fn what_does_not_depend_on_the_choice() {
    for factors in [Eigh, Svd, Qr] {
        for a in factors.cases() {
            let k = *a.ty().shape().iter().min().unwrap();
            let p = program(&[a.ty().clone(), f64s(&[k])], |b, args| {
                let made = factors.of(b, args[0])?;
                let (x, y) = (made[0], made[1]);
                let mut out = made[2..].to_vec();
                for (x, y) in [(x, x), (x, y), (y, y)] {
                    out.push(products(b, x, args[1], y)?);
                }
                out.extend([squares(b, x)?, squares(b, y)?]);
                Ok(out)
            });
            let weights = random(&f64s(&[k]), "weights", -2.0, 2.0);
            check2_within(&format!("{factors:?} {}", a.ty()), &p, &[a, weights], &[0], 1e-6);
        }
    }
}

/// A matrix of complex numbers, rows one after the other.
struct Matrix {
    columns: usize,
    elements: Vec<[f64; 2]>,
}

impl Matrix {
    fn of(t: &Tensor) -> Self {
        let parts = parts(t);
        let elements = if is_complex(t.ty()) {
            parts.chunks(2).map(|z| [z[0], z[1]]).collect()
        } else {
            parts.into_iter().map(|re| [re, 0.0]).collect()
        };
        Self { columns: t.ty().shape()[1], elements }
    }

    fn column(&self, k: usize) -> impl Iterator<Item = &[f64; 2]> {
        self.elements.iter().skip(k).step_by(self.columns)
    }

    /// The k-th entry of the diagonal of self^H other.
    fn inner(&self, other: &Matrix, k: usize) -> [f64; 2] {
        let products = self.column(k).zip(other.column(k)).map(|(&z, &w)| times(conjugate(z), w));
        products.fold([0.0; 2], |s, z| [s[0] + z[0], s[1] + z[1]])
    }

    /// Each column times a number.
    fn scaled(&self, by: &[[f64; 2]]) -> Vec<[f64; 2]> {
        self.elements.iter().enumerate().map(|(i, &z)| times(z, by[i % self.columns])).collect()
    }
}

fn conjugate([re, im]: [f64; 2]) -> [f64; 2] {
    [re, -im]
}

fn times([a, b]: [f64; 2], [c, d]: [f64; 2]) -> [f64; 2] {
    [a * c - b * d, a * d + b * c]
}

/// What turns each column of `y` to the phase that the convention keeps: of r's diagonal that of `at`, of vectors the
/// one at which they are at right angles to their change.
fn turns(factors: Factors, at: &Matrix, y: &Matrix) -> Vec<[f64; 2]> {
    let columns = 0..y.columns;
    let along = columns.map(|k| match factors {
        Eigh | Svd => at.inner(y, k),
        Qr => {
            let diagonal = k * y.columns + k;
            times(conjugate(at.elements[diagonal]), y.elements[diagonal])
        }
    });
    along.map(|z| conjugate(z).map(|part| part / z[0].hypot(z[1]))).collect()
}

#[test]
fn the_choice_at_the_point_is_kept() {
    let h = 1e-5;
    for factors in [Eigh, Svd, Qr] {
        for a in factors.cases() {
            let ty = a.ty().clone();
            let what = format!("{factors:?} {ty}");
            let p = program(std::slice::from_ref(&ty), |b, args| Ok(factors.of(b, args[0])?[..2].to_vec()));
            let direction = random(&ty, "direction", -1.0, 1.0);
            let made = eval(&jvp(&p, &[0]).unwrap(), &[a.clone(), direction.clone()]);
            let made: Vec<Matrix> = made.iter().map(Matrix::of).collect();
            let [x, y, dx, dy] = &made[..] else { panic!("{what}: two results and their tangents") };

            let near = |h: f64| {
                let moved =
                    parts(&a).iter().zip(parts(&direction)).map(|(x, d)| x + h * d).collect::<Vec<_>>();
                let near: Vec<Matrix> = eval(&p, &[from_parts(&ty, &moved)]).iter().map(Matrix::of).collect();
                let turns = turns(factors, y, &near[1]);
                [near[0].scaled(&turns), near[1].scaled(&turns)]
            };
            let (up, down) = (near(h), near(-h));
            for (side, tangent) in [dx, dy].into_iter().enumerate() {
                for ((u, d), t) in up[side].iter().zip(&down[side]).zip(&tangent.elements) {
                    for part in 0..2 {
                        let slope = (u[part] - d[part]) / (2.0 * h);
                        assert!(close(slope, t[part], 1e-6), "{what}: {slope} {}", t[part]);
                    }
                }
            }
            for k in 0..y.columns {
                let zero = |z: f64| z.abs() < 1e-12;
                match factors {
                    Eigh | Svd => assert!(y.inner(dy, k).into_iter().all(zero), "{what}: v^H dv"),
                    Qr => assert!(zero(dy.elements[k * y.columns + k][1]), "{what}: r's diagonal is real"),
                }
                // Only complex vectors have a phase, and u takes all of it.
                let [stretch, phase] = x.inner(dx, k);
                assert!(zero(stretch), "{what}: vectors keep their length");
                let has_phase = is_complex(&ty) && factors != Eigh;
                assert_eq!(!zero(phase), has_phase, "{what}: x^H dx has the phase {phase}");
            }
        }
    }
}

/// Around half a turn of the plane the matrix r(t) d r(t)^T comes back, and its vectors, followed, with the other sign: no
/// choice is continuous. Past the jump both sides have derivatives, of one another's negative; differences find none.
/// A product of columns has one, which differences across the jump find too.
#[test]
fn across_a_change_of_sign() {
    for factors in [Eigh, Svd, Qr] {
        let square = f64s(&[2, 2]);
        let p = program(&[f64s(&[]), square.clone(), square.clone(), square], |b, args| {
            let (cos, sin) = (b.unary(UnaryOp::Cosine, args[0])?, b.unary(UnaryOp::Sine, args[0])?);
            let (cos, sin) = (b.broadcast_scalar(cos, &[2, 2])?, b.broadcast_scalar(sin, &[2, 2])?);
            let (cos, sin) = (b.mul(cos, args[1])?, b.mul(sin, args[2])?);
            let turn = b.add(cos, sin)?;
            let mut a = mm(b, turn, args[3])?;
            if factors != Qr {
                let back = adjoint(b, turn)?;
                a = mm(b, a, back)?;
            }
            let made = factors.of(b, a)?;
            let first = Op::Slice { starts: vec![0, 0], limits: vec![2, 1], strides: vec![1, 1] };
            let column = b.push1(first, &made[..1])?;
            let row = adjoint(b, column)?;
            Ok(vec![column, mm(b, column, row)?])
        });
        let tangent = jvp(&p, &[0]).unwrap();
        let fixed = [[1.0, 0.0, 0.0, 1.0], [0.0, -1.0, 1.0, 0.0], [2.0, 0.0, 0.0, 1.0]];
        let fixed = fixed.map(|values| tensor(&[2, 2], &values));
        let at = |t: f64| {
            let args = [&[tensor(&[], &[t])], &fixed[..], &[tensor(&[], &[1.0])]].concat();
            eval(&tangent, &args).iter().map(Tensor::to_f64s).collect::<Vec<_>>()
        };
        let jumps = |s: f64, t: f64| {
            let (v, w) = (&at(s)[0], &at(t)[0]);
            v[0] * w[0] + v[1] * w[1] < 0.0
        };
        let angle = |i: u32| 0.1 + std::f64::consts::PI * f64::from(i) / 16.0;
        let first = (0..16).find(|&i| jumps(angle(i), angle(i + 1)));
        let first = first.unwrap_or_else(|| panic!("{factors:?}: a sign changes"));
        let (mut low, mut high) = (angle(first), angle(first + 1));
        while high - low > 1e-6 {
            let middle = 0.5 * (low + high);
            if jumps(low, middle) { high = middle } else { low = middle }
        }
        let (before, past) = (at(low), at(high));
        let slope = |result: usize, i: usize| (past[result][i] - before[result][i]) / (high - low);
        assert!((0..2).any(|i| slope(0, i).abs() > 1e5), "{factors:?}: differences have no limit");
        assert!(before[2].iter().any(|d| d.abs() > 0.5), "{factors:?}: {:?}", before[2]);
        for (b, p) in before[2].iter().zip(&past[2]) {
            assert!(close(*b, -p, 1e-5), "{factors:?}: tangents {b} and {p}");
        }
        for i in 0..4 {
            let (b, p) = (before[3][i], past[3][i]);
            assert!(close(b, p, 1e-5) && close(b, slope(1, i), 1e-5), "{factors:?}: {b} {p} {}", slope(1, i));
        }
    }
}
