//! Eigenvalues of Hermitian matrices and singular values, by rotations on condensed forms.

use super::householder::{apply_left, apply_right, expand, reflector, tridiagonal};
use super::matrix::{Field, Matrix};

/// How many sweeps an eigenvalue may take. About two are usual.
const MAX_SWEEPS: usize = 100;
/// After how many it counts as found when it is accurate for the whole matrix, not for its own size.
const PATIENCE: usize = 40;

/// Eigenvalues in ascending order and their vectors as columns, or how many were not found. `a` holds one triangle and
/// is finite.
pub(super) fn eigen<T: Field>(a: &Matrix<T>, lower: bool) -> Result<(Vec<f64>, Matrix<T>), i32> {
    let mut h = a.hermitian(lower);
    let scale = h.safe_scale();
    h.scale(scale);
    let reduced = tridiagonal(&h, true);
    let mut q = expand(&reduced.packed, &reduced.taus, 1, h.rows());
    let (mut d, mut e) = (reduced.diagonal, reduced.beside);
    // QL finds eigenvalues from the top down, best where they grow.
    if d.first().map(|x| x.abs()) > d.last().map(|x| x.abs()) {
        d.reverse();
        e.reverse();
        q = Matrix::from_fn(q.rows(), q.cols(), |i, j| q[(i, q.cols() - 1 - j)]);
    }
    e.push(0.0);
    ql(&mut d, &mut e, &mut q)?;
    let order = sorted(&d, |x, y| x.total_cmp(&y));
    let vectors = Matrix::from_fn(q.rows(), q.cols(), |i, j| q[(i, order[j])]);
    Ok((order.iter().map(|&k| d[k] / scale).collect(), vectors))
}

fn sorted(d: &[f64], order: impl Fn(f64, f64) -> std::cmp::Ordering) -> Vec<usize> {
    let mut indices: Vec<usize> = (0..d.len()).collect();
    indices.sort_by(|&i, &j| order(d[i], d[j]));
    indices
}

/// Implicit QL with shifts on a tridiagonal matrix (Bowdler, Martin, Reinsch and Wilkinson, "The QR and QL algorithms
/// for symmetric matrices", 1968); columns of q turn along.
fn ql<T: Field>(d: &mut [f64], e: &mut [f64], q: &mut Matrix<T>) -> Result<(), i32> {
    let n = d.len();
    let size = d.iter().chain(&*e).fold(0.0, |s: f64, x| s.max(x.abs()));
    for l in 0..n {
        for sweep in 0.. {
            let beside = |m: usize| if sweep > PATIENCE { size } else { d[m].abs() + d[m + 1].abs() };
            let small = |m: usize| e[m].abs() <= f64::EPSILON * beside(m);
            let m = (l..n - 1).find(|&m| small(m) || e[m].abs() < f64::MIN_POSITIVE).unwrap_or(n - 1);
            if m == l {
                break;
            }
            if sweep == MAX_SWEEPS {
                return Err(e.iter().filter(|x| **x != 0.0).count() as i32);
            }
            e[m] = 0.0;
            let mut g = (d[l + 1] - d[l]) / (2.0 * e[l]);
            let r = libm::hypot(g, 1.0);
            g = d[m] - d[l] + e[l] / (g + r.copysign(g));
            let (mut s, mut c, mut p) = (1.0, 1.0, 0.0);
            let mut early = false;
            for i in (l..m).rev() {
                let (f, b) = (s * e[i], c * e[i]);
                let r = libm::hypot(f, g);
                e[i + 1] = r;
                if r == 0.0 {
                    d[i + 1] -= p;
                    e[m] = 0.0;
                    early = true;
                    break;
                }
                (s, c) = (f / r, g / r);
                g = d[i + 1] - p;
                let r = (d[i] - g) * s + 2.0 * c * b;
                p = s * r;
                d[i + 1] = g + p;
                g = c * r - b;
                q.rotate_cols(i, i + 1, (c, -s));
            }
            if early {
                continue;
            }
            d[l] -= p;
            e[l] = g;
            e[m] = 0.0;
        }
    }
    Ok(())
}

/// Singular values in descending order, left vectors (m columns, or as many as values) and right ones likewise.
pub(super) struct Svd<T> {
    pub(super) values: Vec<f64>,
    pub(super) left: Matrix<T>,
    pub(super) right: Matrix<T>,
}

/// The singular value decomposition of a finite matrix, or how many values were not found. `full` asks for square
/// matrices of vectors.
pub(super) fn svd<T: Field>(a: &Matrix<T>, full: bool) -> Result<Svd<T>, i32> {
    if a.rows() < a.cols() {
        let Svd { values, left, right } = svd(&a.adjoint(), full)?;
        return Ok(Svd { values, left: right, right: left });
    }
    let (m, n) = (a.rows(), a.cols());
    let mut a = a.clone();
    let scale = a.safe_scale();
    a.scale(scale);
    let (mut d, mut e) = (vec![0.0; n], vec![0.0; n]);
    let (mut lefts, mut rights) = (Vec::with_capacity(n), Vec::with_capacity(n));
    // Right reflectors, column by column.
    let mut rows = Matrix::zeros(n, n);
    for k in 0..n {
        let tau = reflector(&mut a.col_mut(k)[k..]);
        let v = a.col(k)[k + 1..].to_vec();
        apply_left(&mut a, k, k + 1, &v, tau.conj());
        lefts.push(tau);
        d[k] = a[(k, k)].re();
        if k + 1 < n {
            let mut row: Vec<T> = (k + 1..n).map(|j| a[(k, j)].conj()).collect();
            let tau = reflector(&mut row);
            e[k] = row[0].re();
            apply_right_below(&mut a, k + 1, k + 1, &row[1..], tau);
            rows.col_mut(k)[k + 1..].copy_from_slice(&row);
            rights.push(tau);
        }
    }
    let mut u = expand(&a, &lefts, 0, if full { m } else { n });
    let mut v = expand(&rows, &rights, 1, n);
    diagonalize(&mut d, &mut e, &mut u, &mut v)?;
    let order = sorted(&d, |x, y| y.total_cmp(&x));
    let left = Matrix::from_fn(m, u.cols(), |i, j| u[(i, order.get(j).copied().unwrap_or(j))]);
    let right = Matrix::from_fn(n, n, |i, j| v[(i, order[j])]);
    Ok(Svd { values: order.iter().map(|&k| d[k] / scale).collect(), left, right })
}

/// a H for rows from `row` on, columns from `col` on.
fn apply_right_below<T: Field>(a: &mut Matrix<T>, row: usize, col: usize, v: &[T], tau: T) {
    // Rows above are saved and put back, which is little beside the product.
    let cols = col..a.cols();
    let saved: Vec<Vec<T>> = cols.clone().map(|j| a.col(j)[..row].to_vec()).collect();
    apply_right(a, a.rows(), col, v, tau);
    for (j, above) in cols.zip(saved) {
        a.col_mut(j)[..row].copy_from_slice(&above);
    }
}

/// A rotation that takes (f, g) to (r, 0), and r.
fn rotation(f: f64, g: f64) -> ((f64, f64), f64) {
    let r = libm::hypot(f, g);
    if r == 0.0 { ((1.0, 0.0), 0.0) } else { ((f / r, g / r), r) }
}

/// Implicit QR with shifts on an upper bidiagonal matrix (Golub and Reinsch, "Singular value decomposition and least
/// squares solutions", 1970); columns of u and v turn along. Values become positive.
fn diagonalize<T: Field>(
    d: &mut [f64],
    e: &mut [f64],
    u: &mut Matrix<T>,
    v: &mut Matrix<T>,
) -> Result<(), i32> {
    let size = d.iter().chain(&*e).fold(0.0, |s: f64, x| s.max(x.abs()));
    let mut end = d.len();
    let mut sweeps = 0;
    while end > 0 {
        let last = end - 1;
        let beside = |k: usize| if sweeps > PATIENCE { size } else { d[k].abs() + d[k + 1].abs() };
        let negligible = |k: usize| e[k].abs() <= f64::EPSILON * beside(k) || e[k].abs() < f64::MIN_POSITIVE;
        // The block start..end is not split by its superdiagonal.
        let start = (0..last).rev().find(|&k| negligible(k)).map_or(0, |k| k + 1);
        if start > 0 {
            e[start - 1] = 0.0;
        }
        if start == last {
            if d[last].is_sign_negative() {
                d[last] = -d[last];
                v.col_mut(last).iter_mut().for_each(|x| *x = -*x);
            }
            end -= 1;
            sweeps = 0;
            continue;
        }
        if sweeps == MAX_SWEEPS {
            return Err(end as i32);
        }
        sweeps += 1;
        // A value that is nothing beside its neighbours splits the block too.
        let around = |k: usize| {
            let left = if k > start { e[k - 1].abs() } else { 0.0 };
            left + if k < last { e[k].abs() } else { 0.0 }
        };
        if let Some(zero) = (start..end).find(|&k| d[k].abs() <= f64::EPSILON * around(k)) {
            d[zero] = 0.0;
            split_at_zero(d, e, (start, zero, end), u, v);
            continue;
        }
        step(d, e, start, end, u, v);
    }
    Ok(())
}

/// A value of 0 inside a block: its row is cleared by rotations from the left, or, for the last one, its column from
/// the right.
fn split_at_zero<T: Field>(
    d: &mut [f64],
    e: &mut [f64],
    (start, zero, end): (usize, usize, usize),
    u: &mut Matrix<T>,
    v: &mut Matrix<T>,
) {
    if zero + 1 < end {
        let mut f = e[zero];
        e[zero] = 0.0;
        for j in zero + 1..end {
            let ((c, s), r) = rotation(d[j], f);
            d[j] = r;
            f = -s * e[j];
            e[j] *= c;
            u.rotate_cols(j, zero, (c, s));
        }
        return;
    }
    let mut f = e[zero - 1];
    e[zero - 1] = 0.0;
    for j in (start..zero).rev() {
        let ((c, s), r) = rotation(d[j], f);
        d[j] = r;
        if j > start {
            f = -s * e[j - 1];
            e[j - 1] *= c;
        }
        v.rotate_cols(j, zero, (c, s));
    }
}

/// One sweep on the block start..end, with the shift of its last two rows.
fn step<T: Field>(
    d: &mut [f64],
    e: &mut [f64],
    start: usize,
    end: usize,
    u: &mut Matrix<T>,
    v: &mut Matrix<T>,
) {
    let last = end - 1;
    let scale =
        [d[last], d[last - 1], e[last - 1], d[start], e[start]].iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let (x, y, z) = (d[last] / scale, d[last - 1] / scale, e[last - 1] / scale);
    let (p, q) = (d[start] / scale, e[start] / scale);
    let b = ((y + x) * (y - x) + z * z) / 2.0;
    let c = (x * z) * (x * z);
    let shift = if b == 0.0 && c == 0.0 { 0.0 } else { c / (b + (b * b + c).sqrt().copysign(b)) };
    let (mut f, mut g) = ((p + x) * (p - x) + shift, p * q);
    for j in start..last {
        let ((c, s), r) = rotation(f, g);
        if j > start {
            e[j - 1] = r;
        }
        f = c * d[j] + s * e[j];
        e[j] = c * e[j] - s * d[j];
        g = s * d[j + 1];
        d[j + 1] *= c;
        v.rotate_cols(j, j + 1, (c, s));
        let ((c, s), r) = rotation(f, g);
        d[j] = r;
        f = c * e[j] + s * d[j + 1];
        d[j + 1] = c * d[j + 1] - s * e[j];
        g = s * e[j + 1];
        e[j + 1] *= c;
        u.rotate_cols(j, j + 1, (c, s));
    }
    e[last - 1] = f;
}
