//! Triangular factors and systems: Cholesky, LU, substitution, tridiagonal elimination.

use super::matrix::{Field, Matrix, axpy, dot};
use std::ops::Range;

/// Columns that are worked on one by one between products of blocks.
const PANEL: usize = 48;

/// potrf: overwrites one triangle of a Hermitian matrix with l (a = l l^H) or u (a = u^H u); the other is left.
/// The number, from 1 on, of the first leading minor that is not positive, else 0.
pub(super) fn cholesky<T: Field>(a: &mut Matrix<T>, lower: bool) -> i32 {
    if lower {
        return cholesky_lower(a);
    }
    let mut l = a.adjoint();
    let info = cholesky_lower(&mut l);
    for j in 0..a.cols() {
        (0..=j).for_each(|i| a[(i, j)] = l[(j, i)].conj());
    }
    info
}

fn cholesky_lower<T: Field>(a: &mut Matrix<T>) -> i32 {
    let n = a.rows();
    for first in (0..n).step_by(PANEL) {
        let end = n.min(first + PANEL);
        // What the columns before take from this panel, its upper triangle aside.
        let (left, mine) = (a.block(first..n, 0..first), a.block(first..end, 0..first));
        let kept: Vec<Vec<T>> = (first..end).map(|j| a.col(j)[first..j].to_vec()).collect();
        a.subtract_product((first, first), &left, &mine.adjoint());
        for (j, above) in (first..end).zip(kept) {
            a.col_mut(j)[first..j].copy_from_slice(&above);
        }
        for j in first..end {
            for k in first..j {
                let (left, col) = a.two_cols(k, j);
                axpy(-left[j].conj(), &left[j..], &mut col[j..]);
            }
            let d = a[(j, j)].re();
            // NaN is not positive either.
            if d.is_nan() || d <= 0.0 {
                a[(j, j)] = T::of(d);
                return j as i32 + 1;
            }
            let root = d.sqrt();
            a[(j, j)] = T::of(root);
            a.col_mut(j)[j + 1..].iter_mut().for_each(|x| *x = x.times(1.0 / root));
        }
    }
    0
}

/// What a triangular matrix stands for.
#[derive(Clone, Copy)]
pub(super) struct Triangle {
    pub(super) lower: bool,
    pub(super) unit_diagonal: bool,
    pub(super) transpose: bool,
    pub(super) conjugate: bool,
}

/// Overwrites b with x, where op(a) x = b.
pub(super) fn solve_left<T: Field>(a: &Matrix<T>, t: Triangle, b: &mut Matrix<T>) {
    let n = a.rows();
    // Whether op(a) is lower: its first row is solved first.
    let forward = t.lower != t.transpose;
    let blocks = n.div_ceil(PANEL);
    for step in 0..blocks {
        let k = if forward { step } else { blocks - 1 - step };
        let (first, end) = (k * PANEL, n.min((k + 1) * PANEL));
        substitute(a, t, first..end, b);
        let rest = if forward { end..n } else { 0..first };
        if rest.is_empty() {
            continue;
        }
        let beside = match t.transpose {
            true => a.block(first..end, rest.clone()).transpose(),
            false => a.block(rest.clone(), first..end),
        };
        let beside = if t.conjugate { beside.map(T::conj) } else { beside };
        let known = b.block(first..end, 0..b.cols());
        b.subtract_product((rest.start, 0), &beside, &known);
    }
}

/// The same for these rows and columns of a, and these rows of b.
fn substitute<T: Field>(a: &Matrix<T>, t: Triangle, rows: Range<usize>, b: &mut Matrix<T>) {
    let op = |x: T| if t.conjugate { x.conj() } else { x };
    let forward = t.lower != t.transpose;
    for c in 0..b.cols() {
        let x = b.col_mut(c);
        for step in 0..rows.len() {
            let j = if forward { rows.start + step } else { rows.end - 1 - step };
            let col = a.col(j);
            // Rows of `a` that hold its triangle beside the diagonal.
            let beside = if t.lower { j + 1..rows.end } else { rows.start..j };
            if t.transpose {
                let (known, col) = (&x[beside.clone()], &col[beside.clone()]);
                let sum = if t.conjugate {
                    dot(col, known)
                } else {
                    col.iter().zip(known).fold(T::zero(), |s, (&a, &x)| s + a * x)
                };
                x[j] -= sum;
            }
            if !t.unit_diagonal {
                x[j] *= op(a[(j, j)]).recip();
            }
            if !t.transpose {
                let s = -x[j];
                for (x, &a) in x[beside.clone()].iter_mut().zip(&col[beside]) {
                    *x += s * op(a);
                }
            }
        }
    }
}

/// x with op(a) x = b, or x op(a) = b.
pub(super) fn solve<T: Field>(a: &Matrix<T>, t: Triangle, left: bool, b: &Matrix<T>) -> Matrix<T> {
    if left {
        let mut x = b.clone();
        solve_left(a, t, &mut x);
        return x;
    }
    // op(a)^T x^T = b^T
    let mut x = b.transpose();
    solve_left(a, Triangle { transpose: !t.transpose, ..t }, &mut x);
    x.transpose()
}

/// getrf: l below the diagonal, u on and above it, of the rows exchanged; the row, from 1 on, that each was exchanged
/// with; the number, from 1 on, of the first pivot that is 0, else 0.
pub(super) fn lu<T: Field>(a: &mut Matrix<T>) -> (Vec<i32>, i32) {
    let (m, n) = (a.rows(), a.cols());
    let k = m.min(n);
    let (mut pivots, mut info) = (Vec::new(), 0);
    for first in (0..k).step_by(PANEL) {
        let end = k.min(first + PANEL);
        for j in first..end {
            let zero = eliminate(a, j, first..end, &mut pivots);
            if zero && info == 0 {
                info = j as i32 + 1;
            }
        }
        // The exchanges on both sides of the panel, then its rows of u, then what is left.
        for (j, &pivot) in (first..end).zip(&pivots[first..end]) {
            let with = pivot as usize - 1;
            a.swap_rows(j, with, 0..first);
            a.swap_rows(j, with, end..n);
        }
        let l = a.block(first..end, first..end);
        let t = Triangle { lower: true, unit_diagonal: true, transpose: false, conjugate: false };
        let mut u = a.block(first..end, end..n);
        solve_left(&l, t, &mut u);
        for j in 0..u.cols() {
            a.col_mut(end + j)[first..end].copy_from_slice(u.col(j));
        }
        let below = a.block(end..m, first..end);
        a.subtract_product((end, end), &below, &u);
    }
    (pivots, info)
}

/// One step of elimination within the columns of a panel; whether its pivot is 0.
fn eliminate<T: Field>(a: &mut Matrix<T>, j: usize, panel: Range<usize>, pivots: &mut Vec<i32>) -> bool {
    let m = a.rows();
    let mut best = j;
    for i in j + 1..m {
        if a[(i, j)].abs1() > a[(best, j)].abs1() {
            best = i;
        }
    }
    pivots.push(best as i32 + 1);
    let pivot = a[(best, j)];
    if pivot == T::zero() {
        return true;
    }
    a.swap_rows(j, best, panel.clone());
    let r = pivot.recip();
    a.col_mut(j)[j + 1..].iter_mut().for_each(|x| *x *= r);
    for c in j + 1..panel.end {
        let (left, col) = a.two_cols(j, c);
        axpy(-col[j], &left[j + 1..], &mut col[j + 1..]);
    }
    false
}

/// The three diagonals of a matrix, as long as it is: `below[i]` and `above[i]` are in row i, so the first of `below`
/// and the last of `above` are not read.
pub(super) struct Diagonals<T> {
    pub(super) below: Vec<T>,
    pub(super) diagonal: Vec<T>,
    pub(super) above: Vec<T>,
}

/// gtsv: overwrites b with x, where the tridiagonal matrix times x is b, by elimination with row exchanges, and the
/// diagonals with those of u. The number, from 1 on, of the first pivot that is 0, else 0; then x is not finished.
pub(super) fn solve_tridiagonal<T: Field>(m: &mut Diagonals<T>, b: &mut Matrix<T>) -> i32 {
    let n = m.diagonal.len();
    let Diagonals { below, diagonal: d, above } = m;
    // Of u, two places right of the diagonal.
    let mut far = vec![T::zero(); n];
    for k in 0..n.saturating_sub(1) {
        if d[k].abs1() >= below[k + 1].abs1() {
            if d[k] == T::zero() {
                return k as i32 + 1;
            }
            let f = below[k + 1] * d[k].recip();
            d[k + 1] -= f * above[k];
            (0..b.cols()).for_each(|c| {
                let x = b.col_mut(c);
                x[k + 1] -= f * x[k];
            });
        } else {
            let f = d[k] * below[k + 1].recip();
            let next = d[k + 1];
            d[k] = below[k + 1];
            d[k + 1] = above[k] - f * next;
            above[k] = next;
            if k + 2 < n {
                far[k] = above[k + 1];
                above[k + 1] = -(f * far[k]);
            }
            (0..b.cols()).for_each(|c| {
                let x = b.col_mut(c);
                (x[k], x[k + 1]) = (x[k + 1], x[k] - f * x[k + 1]);
            });
        }
    }
    if n > 0 && d[n - 1] == T::zero() {
        return n as i32;
    }
    for c in 0..b.cols() {
        let x = b.col_mut(c);
        for k in (0..n).rev() {
            let mut s = x[k];
            if k + 1 < n {
                s -= above[k] * x[k + 1];
            }
            if k + 2 < n {
                s -= far[k] * x[k + 2];
            }
            x[k] = s * d[k].recip();
        }
    }
    // Where LAPACK leaves the second diagonal of u.
    let rest = n.saturating_sub(2);
    if rest > 0 {
        below[1..=rest].copy_from_slice(&far[..rest]);
    }
    0
}

/// The precision of an element type: its unit roundoff times 2, its smallest normal number.
#[derive(Clone, Copy)]
pub(super) struct Precision {
    pub(super) epsilon: f64,
    pub(super) smallest: f64,
}

/// The same for a matrix that may be singular, as lagtf and lagts of LAPACK do it for inverse iteration: rows are
/// chosen relative to their size, and pivots too small for the right-hand side are moved away from 0.
pub(super) fn solve_perturbed<T: Field>(m: &Diagonals<T>, precision: Precision, b: &mut Matrix<T>) {
    let n = m.diagonal.len();
    if n == 0 {
        return;
    }
    // Rows of u: the diagonal and two places right of it.
    let mut u = vec![[T::zero(); 3]; n];
    let above = |i: usize| if i + 1 < n { m.above[i] } else { T::zero() };
    u[0] = [m.diagonal[0], above(0), T::zero()];
    let mut size = u[0][0].abs() + u[0][1].abs();
    for k in 0..n - 1 {
        let (low, here) = (m.below[k + 1], u[k]);
        let next = [m.diagonal[k + 1], above(k + 1), T::zero()];
        let next_size = low.abs() + next[0].abs() + next[1].abs();
        let relative = |v: T, size: f64| if v == T::zero() { 0.0 } else { v.abs() / size };
        if low == T::zero() {
            u[k + 1] = next;
            size = next_size;
        } else if relative(low, next_size) <= relative(here[0], size) {
            let f = low * here[0].recip();
            u[k + 1] = [next[0] - f * here[1], next[1], T::zero()];
            size = next_size;
            for c in 0..b.cols() {
                let x = b.col_mut(c);
                x[k + 1] -= f * x[k];
            }
        } else {
            let f = here[0] * low.recip();
            u[k] = [low, next[0], next[1]];
            u[k + 1] = [here[1] - f * next[0], -(f * next[1]), T::zero()];
            size = u[k + 1][0].abs() + u[k + 1][1].abs();
            for c in 0..b.cols() {
                let x = b.col_mut(c);
                (x[k], x[k + 1]) = (x[k + 1], x[k] - f * x[k + 1]);
            }
        }
    }
    let largest = u.iter().flatten().fold(0.0, |l: f64, v| l.max(v.abs()));
    for k in (0..n).rev() {
        let mut row: Vec<T> = (0..b.cols()).map(|c| b[(k, c)]).collect();
        for (c, x) in row.iter_mut().enumerate() {
            for ahead in 1..3.min(n - k) {
                *x -= u[k][ahead] * b[(k + ahead, c)];
            }
        }
        let pivot = moved_pivot(u[k][0], precision.epsilon * largest, precision, &mut row);
        for (c, x) in row.into_iter().enumerate() {
            b[(k, c)] = x * pivot.recip();
        }
    }
}

/// A pivot that neither the row nor 1 can be divided by without overflow is moved by twice as much each time, or both
/// are scaled.
fn moved_pivot<T: Field>(mut pivot: T, step: f64, precision: Precision, row: &mut [T]) -> T {
    let small = precision.smallest;
    let mut step = step.abs().max(small).copysign(pivot.re());
    let largest = row.iter().fold(0.0, |l: f64, x| l.max(x.abs()));
    while pivot.abs() < 1.0 {
        let size = pivot.abs();
        if largest * small > size || size == 0.0 {
            pivot += T::of(step);
            step *= 2.0;
        } else if size < small {
            pivot = pivot.times(1.0 / small);
            row.iter_mut().for_each(|x| *x = x.times(1.0 / small));
            break;
        } else {
            break;
        }
    }
    pivot
}
