//! Schur forms: a = z t z^H with unitary z and t upper triangular or, for real matrices, with blocks of two on its
//! diagonal where eigenvalues are complex. By implicit QR with shifts on a Hessenberg form (Francis, "The QR
//! transformation", 1961; Golub and Van Loan, "Matrix Computations", 7.5).
//!
//! Blocks of two are as LAPACK leaves them: equal elements on the diagonal, the others of opposite signs.

use super::householder::{expand, hessenberg, reflector};
use super::matrix::{C, Field, Matrix};

/// How many sweeps an eigenvalue may take. About two are usual.
const MAX_SWEEPS: usize = 300;
/// After how many it counts as found when it is accurate for the whole matrix, not for its own size.
const PATIENCE: usize = 40;

/// A Schur form and its vectors.
pub(super) struct Schur<T> {
    pub(super) form: Matrix<T>,
    pub(super) vectors: Matrix<T>,
}

/// Numbers that have Schur forms.
pub(super) trait Eigen: Field {
    /// Makes a Hessenberg matrix `h` a Schur form; columns of z turn along. How many eigenvalues were not found, if
    /// some were not.
    fn schur_of_hessenberg(h: &mut Matrix<Self>, z: &mut Matrix<Self>) -> Result<(), i32>;

    /// The eigenvalues of a Schur form.
    fn eigenvalues(form: &Matrix<Self>) -> Vec<C>;
}

/// The Schur form of a finite matrix.
pub(super) fn schur<T: Eigen>(a: &Matrix<T>) -> Result<Schur<T>, i32> {
    let n = a.rows();
    let mut h = a.clone();
    let scale = h.safe_scale();
    h.scale(scale);
    let taus = hessenberg(&mut h, 0, n);
    let mut vectors = expand(&h, &taus, 1, n);
    let mut form = Matrix::from_fn(n, n, |i, j| if i > j + 1 { T::zero() } else { h[(i, j)] });
    T::schur_of_hessenberg(&mut form, &mut vectors)?;
    form.scale(1.0 / scale);
    Ok(Schur { form, vectors })
}

/// The first row of the block that ends with row `hi`: what is beside it is negligible, and set to 0. `size` is that of
/// the matrix.
fn block_start<T: Field>(h: &mut Matrix<T>, hi: usize, size: f64, sweeps: usize) -> usize {
    for l in (1..=hi).rev() {
        let beside = h[(l - 1, l - 1)].abs1() + h[(l, l)].abs1();
        let beside = if beside == 0.0 || sweeps > PATIENCE { size } else { beside };
        if h[(l, l - 1)].abs1() <= (f64::EPSILON * beside).max(f64::MIN_POSITIVE) {
            h[(l, l - 1)] = T::zero();
            return l;
        }
    }
    0
}

impl Eigen for C {
    fn schur_of_hessenberg(h: &mut Matrix<C>, z: &mut Matrix<C>) -> Result<(), i32> {
        let size = h.max_abs();
        let mut hi = h.rows().saturating_sub(1);
        let mut sweeps = 0;
        while hi > 0 {
            let lo = block_start(h, hi, size, sweeps);
            if lo == hi {
                hi -= 1;
                sweeps = 0;
                continue;
            }
            if sweeps == MAX_SWEEPS {
                return Err(hi as i32 + 1);
            }
            sweeps += 1;
            let shift = match sweeps % 10 {
                0 => h[(hi, hi)] + h[(hi, hi - 1)].times(0.75),
                _ => wilkinson(h, hi),
            };
            let mut first = (h[(lo, lo)] - shift, h[(lo + 1, lo)]);
            for k in lo..hi {
                let g = Givens::of(first.0, first.1);
                g.rows(h, k, k.saturating_sub(1).max(lo));
                g.cols(h, k, hi.min(k + 2) + 1);
                g.cols(z, k, z.rows());
                if k > lo {
                    h[(k + 1, k - 1)] = C::zero();
                }
                if k + 2 <= hi {
                    first = (h[(k + 1, k)], h[(k + 2, k)]);
                }
            }
        }
        Ok(())
    }

    fn eigenvalues(form: &Matrix<C>) -> Vec<C> {
        (0..form.rows()).map(|i| form[(i, i)]).collect()
    }
}

/// The eigenvalue of the last two rows and columns of a block that is nearer to its last element.
fn wilkinson(h: &Matrix<C>, hi: usize) -> C {
    let (a, b) = (h[(hi - 1, hi - 1)], h[(hi - 1, hi)]);
    let (c, d) = (h[(hi, hi - 1)], h[(hi, hi)]);
    let half = (a - d).times(0.5);
    let root = (half * half + b * c).sqrt();
    let sum = if (half + root).norm() >= (half - root).norm() { half + root } else { half - root };
    if sum == C::zero() { d } else { d - b * c * Field::recip(sum) }
}

/// The rotation (c s; -conj(s) c) that takes (f, g) to (r, 0).
struct Givens {
    c: f64,
    s: C,
}

impl Givens {
    fn of(f: C, g: C) -> Self {
        if g == C::zero() {
            return Self { c: 1.0, s: C::zero() };
        }
        let (a, b) = (Field::abs(f), Field::abs(g));
        if a == 0.0 {
            return Self { c: 0.0, s: g.conj().times(1.0 / b) };
        }
        let r = libm::hypot(a, b);
        Self { c: a / r, s: f.times(1.0 / a) * g.conj().times(1.0 / r) }
    }

    /// Turns rows k and k + 1, columns from `from` on.
    fn rows(&self, h: &mut Matrix<C>, k: usize, from: usize) {
        for j in from..h.cols() {
            let col = h.col_mut(j);
            let (x, y) = (col[k], col[k + 1]);
            col[k] = x.times(self.c) + self.s * y;
            col[k + 1] = y.times(self.c) - self.s.conj() * x;
        }
    }

    /// Turns columns k and k + 1 back, the first `to` rows.
    fn cols(&self, h: &mut Matrix<C>, k: usize, to: usize) {
        let (x, y) = h.two_cols(k, k + 1);
        for (x, y) in x[..to].iter_mut().zip(&mut y[..to]) {
            (*x, *y) = (x.times(self.c) + self.s.conj() * *y, y.times(self.c) - self.s * *x);
        }
    }
}

impl Eigen for f64 {
    fn schur_of_hessenberg(h: &mut Matrix<f64>, z: &mut Matrix<f64>) -> Result<(), i32> {
        let size = h.max_abs();
        // One past the last row of what is left.
        let mut end = h.rows();
        let mut sweeps = 0;
        while end > 0 {
            let hi = end - 1;
            let lo = block_start(h, hi, size, sweeps);
            if lo + 1 >= hi {
                if lo + 1 == hi {
                    standardize(h, z, lo);
                }
                end = lo;
                sweeps = 0;
                continue;
            }
            if sweeps == MAX_SWEEPS {
                return Err(end as i32);
            }
            sweeps += 1;
            francis(h, z, lo, hi, sweeps % 10 == 0);
        }
        Ok(())
    }

    fn eigenvalues(form: &Matrix<f64>) -> Vec<C> {
        let n = form.rows();
        let mut values = Vec::with_capacity(n);
        while values.len() < n {
            let i = values.len();
            if i + 1 < n && form[(i + 1, i)] != 0.0 {
                let im = form[(i, i + 1)].abs().sqrt() * form[(i + 1, i)].abs().sqrt();
                values.extend([C::new(form[(i, i)], im), C::new(form[(i + 1, i + 1)], -im)]);
            } else {
                values.push(C::new(form[(i, i)], 0.0));
            }
        }
        values
    }
}

/// A sweep with both eigenvalues of the last two rows and columns as shifts, or with others where these do not lead on.
fn francis(h: &mut Matrix<f64>, z: &mut Matrix<f64>, lo: usize, hi: usize, other: bool) {
    let (a, b, c, d) = (h[(hi - 1, hi - 1)], h[(hi - 1, hi)], h[(hi, hi - 1)], h[(hi, hi)]);
    let (re, im) = if other {
        let w = c.abs() + h[(hi - 1, hi - 2)].abs();
        (d + 0.75 * w, 0.66 * w)
    } else {
        shift([a, b, c, d])
    };
    // The first column of (h - s) (h - conj(s)) over its second element, from differences that are small themselves.
    let (p, q) = (h[(lo, lo)], h[(lo + 1, lo)]);
    let mut first = vec![
        (p - re) * ((p - re) / q) + im * (im / q) + h[(lo, lo + 1)],
        (p - re) + (h[(lo + 1, lo + 1)] - re),
        h[(lo + 2, lo + 1)],
    ];
    for k in lo..hi {
        first.truncate(hi + 1 - k);
        let tau = reflector(&mut first);
        reflect_rows(h, k, k.saturating_sub(1).max(lo), &first[1..], tau);
        reflect_cols(h, k, hi.min(k + 3) + 1, &first[1..], tau);
        reflect_cols(z, k, z.rows(), &first[1..], tau);
        if k > lo {
            (k + 1..=hi.min(k + 2)).for_each(|i| h[(i, k - 1)] = 0.0);
        }
        first = (k + 1..=hi.min(k + 3)).map(|i| h[(i, k)]).collect();
    }
}

/// An eigenvalue of (a b; c d): of two real ones that nearer to d.
fn shift([a, b, c, d]: [f64; 4]) -> (f64, f64) {
    let half = (a - d) / 2.0;
    let discriminant = half * half + b * c;
    if discriminant < 0.0 {
        return (d + half, (-discriminant).sqrt());
    }
    let sum = half + discriminant.sqrt().copysign(half);
    (if sum == 0.0 { d } else { d - b * c / sum }, 0.0)
}

/// A reflector of two or three rows from k on, columns from `from` on.
fn reflect_rows(h: &mut Matrix<f64>, k: usize, from: usize, v: &[f64], tau: f64) {
    for j in from..h.cols() {
        let (first, rest) = h.col_mut(j)[k..].split_at_mut(1);
        let s = tau * (first[0] + v.iter().zip(&*rest).map(|(v, x)| v * x).sum::<f64>());
        first[0] -= s;
        rest.iter_mut().zip(v).for_each(|(x, v)| *x -= s * v);
    }
}

/// A reflector of two or three columns from k on, the first `to` rows.
fn reflect_cols(h: &mut Matrix<f64>, k: usize, to: usize, v: &[f64], tau: f64) {
    for i in 0..to {
        let row = v.iter().enumerate().map(|(l, v)| v * h[(i, k + 1 + l)]);
        let s = tau * (h[(i, k)] + row.sum::<f64>());
        h[(i, k)] -= s;
        for (l, v) in v.iter().enumerate() {
            h[(i, k + 1 + l)] -= s * v;
        }
    }
}

/// Brings the block of rows k and k + 1 to its standard form.
fn standardize(h: &mut Matrix<f64>, z: &mut Matrix<f64>, k: usize) {
    let n = h.rows();
    let (block, (c, s)) = standard([h[(k, k)], h[(k, k + 1)], h[(k + 1, k)], h[(k + 1, k + 1)]]);
    for j in k + 2..n {
        let col = h.col_mut(j);
        (col[k], col[k + 1]) = (c * col[k] + s * col[k + 1], c * col[k + 1] - s * col[k]);
    }
    let (x, y) = h.two_cols(k, k + 1);
    for (x, y) in x[..k].iter_mut().zip(&mut y[..k]) {
        (*x, *y) = (c * *x + s * *y, c * *y - s * *x);
    }
    z.rotate_cols(k, k + 1, (c, s));
    [h[(k, k)], h[(k, k + 1)], h[(k + 1, k)], h[(k + 1, k + 1)]] = block;
}

/// The standard form of (a b; c d) and the rotation to it (lanv2 of LAPACK; Bai and Demmel, "On swapping diagonal
/// blocks in real Schur form", 1993): upper triangular, or equal diagonal elements and b c < 0.
fn standard([a, b, c, d]: [f64; 4]) -> ([f64; 4], (f64, f64)) {
    if c == 0.0 {
        return ([a, b, c, d], (1.0, 0.0));
    }
    if b == 0.0 {
        return ([d, -c, 0.0, a], (0.0, 1.0));
    }
    let opposite = b.is_sign_negative() != c.is_sign_negative();
    if a == d && opposite {
        return ([a, b, c, d], (1.0, 0.0));
    }
    let (difference, half) = (a - d, (a - d) / 2.0);
    let (most, least) = (b.abs().max(c.abs()), b.abs().min(c.abs()));
    let least = if opposite { -least } else { least };
    let scale = half.abs().max(most);
    let discriminant = half / scale * half + most / scale * least;
    if discriminant >= 4.0 * f64::EPSILON {
        // Real eigenvalues.
        let root = half + (scale.sqrt() * discriminant.sqrt()).copysign(half);
        let length = libm::hypot(c, root);
        let block = [d + root, b - c, 0.0, d - most / root * least];
        return (block, (root / length, c / length));
    }
    // Complex or nearly equal eigenvalues: the diagonal is made equal.
    let sigma = b + c;
    let length = libm::hypot(sigma, difference);
    let cos = (0.5 * (1.0 + sigma.abs() / length)).sqrt();
    let sin = -(half / (length * cos)).copysign(half * 1f64.copysign(sigma));
    turned([a, b, c, d], cos, sin)
}

/// The rest of `standard` once the rotation that makes the diagonal equal is known.
fn turned([a, b, c, d]: [f64; 4], cos: f64, sin: f64) -> ([f64; 4], (f64, f64)) {
    let (aa, bb, cc, dd) = (a * cos + b * sin, b * cos - a * sin, c * cos + d * sin, d * cos - c * sin);
    let (b, c) = (bb * cos + dd * sin, cc * cos - aa * sin);
    let mean = 0.5 * ((aa * cos + cc * sin) + (dd * cos - bb * sin));
    if c == 0.0 || (b != 0.0 && b.is_sign_negative() != c.is_sign_negative()) {
        return ([mean, b, c, mean], (cos, sin));
    }
    if b == 0.0 {
        return ([mean, -c, 0.0, mean], (-sin, cos));
    }
    // Real after all.
    let (p, q) = (b.abs().sqrt(), c.abs().sqrt());
    let offset = (p * q).copysign(c);
    let length = 1.0 / (b + c).abs().sqrt();
    let (c1, s1) = (p * length, q * length);
    ([mean + offset, b - c, 0.0, mean - offset], (cos * c1 - sin * s1, cos * s1 + sin * c1))
}
