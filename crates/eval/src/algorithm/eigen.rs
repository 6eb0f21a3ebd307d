//! Eigenvalues and eigenvectors of general matrices, by Schur forms.
//!
//! As geev of LAPACK leaves them: vectors have length 1 and a real largest element; those of conjugate eigenvalues of a
//! real matrix are conjugates, the eigenvalue with the positive imaginary part first.

use super::matrix::{C, Field, Matrix, norm};
use super::schur::{Eigen, Schur, schur};

/// Eigenvalues, right vectors (a v = λ v) and left vectors (u^H a = λ u^H) as columns, those that were asked for.
pub(super) struct Eigensystem {
    pub(super) values: Vec<C>,
    pub(super) left: Option<Matrix<C>>,
    pub(super) right: Option<Matrix<C>>,
}

/// The eigensystem of a finite matrix, or how many eigenvalues were not found.
pub(super) fn eigen<T: Eigen>(a: &Matrix<T>, left: bool, right: bool) -> Result<Eigensystem, i32> {
    let n = a.rows();
    let scale = a.safe_scale();
    let mut balanced = a.clone();
    balanced.scale(scale);
    let factors = balance(&mut balanced);
    let Schur { form, vectors } = schur(&balanced)?;
    let values = T::eigenvalues(&form);
    let t = form.map(Field::to_complex);
    let z = vectors.map(Field::to_complex);
    let real = T::PARTS == 1;
    let finish = |mut v: Matrix<C>, factor: &dyn Fn(usize) -> f64| {
        for j in 0..n {
            let col = v.col_mut(j);
            col.iter_mut().enumerate().for_each(|(i, x)| *x = x.times(factor(i)));
            normalize(col, real && values[j].im == 0.0);
        }
        if real {
            conjugate_pairs(&mut v, &values);
        }
        v
    };
    let right = right.then(|| finish(product(&z, &triangular_vectors(&t, &values)), &|i| factors[i]));
    let left = left.then(|| {
        // Right vectors of the transpose turned around, which is upper triangular as well.
        let turned = Matrix::from_fn(n, n, |i, j| t[(n - 1 - j, n - 1 - i)]);
        let reversed: Vec<C> = values.iter().rev().copied().collect();
        let x = triangular_vectors(&turned, &reversed);
        let u = Matrix::from_fn(n, n, |i, j| x[(n - 1 - i, n - 1 - j)].conj());
        finish(product(&z, &u), &|i| 1.0 / factors[i])
    });
    let values = values.into_iter().map(|v| v.times(1.0 / scale)).collect();
    Ok(Eigensystem { values, left, right })
}

/// Scales rows and columns by powers of two until each pair has about the same size (Parlett and Reinsch, "Balancing a
/// matrix for calculation of eigenvalues and eigenvectors", 1969): D^-1 a D; gives D.
fn balance<T: Field>(a: &mut Matrix<T>) -> Vec<f64> {
    let n = a.rows();
    let mut factors = vec![1.0; n];
    // Few rounds do nearly all; the bound is for matrices that never settle.
    for _ in 0..20 {
        let mut settled = true;
        for i in 0..n {
            let others = || (0..n).filter(move |&j| j != i);
            let col: f64 = others().map(|j| a[(j, i)].abs1()).sum();
            let row: f64 = others().map(|j| a[(i, j)].abs1()).sum();
            if col == 0.0 || row == 0.0 {
                continue;
            }
            let exponent = (libm::ilogb(row) - libm::ilogb(col)) / 2;
            let f = libm::scalbn(1.0, exponent.clamp(-300, 300));
            let within = (1e-100..1e100).contains(&(factors[i] * f));
            if within && col * f + row / f < 0.95 * (col + row) {
                settled = false;
                factors[i] *= f;
                others().for_each(|j| a[(i, j)] = a[(i, j)].times(1.0 / f));
                a.col_mut(i).iter_mut().enumerate().for_each(|(j, x)| {
                    if j != i {
                        *x = x.times(f);
                    }
                });
            }
        }
        if settled {
            break;
        }
    }
    factors
}

fn product(a: &Matrix<C>, b: &Matrix<C>) -> Matrix<C> {
    let mut out = Matrix::zeros(a.rows(), b.cols());
    for j in 0..b.cols() {
        let col = out.col_mut(j);
        for (k, &f) in b.col(j).iter().enumerate() {
            if f != C::zero() {
                super::matrix::axpy(f, a.col(k), col);
            }
        }
    }
    out
}

/// Length 1; the largest element real, unless the vector is.
fn normalize(v: &mut [C], real: bool) {
    let length = norm(v);
    v.iter_mut().for_each(|x| *x = x.times(1.0 / length));
    if real {
        v.iter_mut().for_each(|x| x.im = 0.0);
        return;
    }
    let largest = v.iter().copied().fold(C::zero(), |l, x| if x.norm_sqr() > l.norm_sqr() { x } else { l });
    let turn = largest.conj().times(1.0 / Field::abs(largest));
    v.iter_mut().for_each(|x| {
        // Exactly real where it is the largest.
        *x = if *x == largest { C::new(Field::abs(largest), 0.0) } else { *x * turn };
    });
}

fn conjugate_pairs(v: &mut Matrix<C>, values: &[C]) {
    for j in 1..values.len() {
        if values[j].im < 0.0 {
            let (first, second) = v.two_cols(j - 1, j);
            second.iter_mut().zip(first).for_each(|(s, f)| *s = f.conj());
        }
    }
}

/// Right eigenvectors of an upper triangular matrix, with blocks of two where an element below the diagonal is not 0:
/// column j for eigenvalue j, by substitution from the bottom up.
fn triangular_vectors(t: &Matrix<C>, values: &[C]) -> Matrix<C> {
    let n = t.rows();
    let smallest = (f64::EPSILON * t.max_abs()).max(f64::MIN_POSITIVE / f64::EPSILON);
    let second = |k: usize| k > 0 && t[(k, k - 1)] != C::zero();
    let mut vectors = Matrix::zeros(n, n);
    for j in 0..n {
        let value = values[j];
        let mut x = vec![C::zero(); n];
        // The first row of the block of this eigenvalue.
        let top = if second(j) { j - 1 } else { j };
        let pair = top + 1 < n && second(top + 1);
        if pair {
            let (up, down) = (t[(top, top + 1)], t[(top + 1, top)]);
            let gap = value - t[(top, top)];
            if Field::abs(up) >= Field::abs(down) {
                (x[top], x[top + 1]) = (C::one(), gap * Field::recip(up));
            } else {
                (x[top], x[top + 1]) = (gap * Field::recip(down), C::one());
            }
        } else {
            x[top] = C::one();
        }
        // What the known part gives to the rows above it.
        let mut given = vec![C::zero(); n];
        let spread = |given: &mut Vec<C>, k: usize, v: C| {
            super::matrix::axpy(v, &t.col(k)[..k], &mut given[..k]);
        };
        spread(&mut given, top, x[top]);
        if pair {
            spread(&mut given, top + 1, x[top + 1]);
        }
        let mut k = top;
        while k > 0 {
            k -= 1;
            if second(k) {
                let rhs = [-given[k - 1], -given[k]];
                let block = [t[(k - 1, k - 1)] - value, t[(k - 1, k)], t[(k, k - 1)], t[(k, k)] - value];
                let [p, q] = solve_two(block, rhs, smallest);
                (x[k - 1], x[k]) = (p, q);
                spread(&mut given, k, q);
                spread(&mut given, k - 1, p);
                k -= 1;
            } else {
                x[k] = -given[k] * Field::recip(away(t[(k, k)] - value, smallest));
                let v = x[k];
                spread(&mut given, k, v);
            }
            // Only the direction counts.
            let size = Field::abs(x[k]);
            if size > 1e100 {
                x.iter_mut().chain(&mut given).for_each(|v| *v = v.times(1.0 / size));
            }
        }
        vectors.col_mut(j).copy_from_slice(&x);
    }
    vectors
}

/// A divisor that is at least this large.
fn away(v: C, smallest: f64) -> C {
    if Field::abs(v) < smallest { C::of(smallest) } else { v }
}

/// (a b; c d) (p, q) = rhs
fn solve_two([a, b, c, d]: [C; 4], rhs: [C; 2], smallest: f64) -> [C; 2] {
    let size = [a, b, c, d].iter().fold(smallest, |m: f64, v| m.max(Field::abs(*v)));
    let [a, b, c, d] = [a, b, c, d].map(|v| v.times(1.0 / size));
    let determinant = Field::recip(away(a * d - b * c, smallest / size));
    let [r, s] = rhs.map(|v| v.times(1.0 / size));
    [(d * r - b * s) * determinant, (a * s - c * r) * determinant]
}
