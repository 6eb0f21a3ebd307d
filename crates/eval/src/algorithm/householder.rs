//! Reflectors as LAPACK has them, and what is made of them: QR factors, their products, condensed forms.
//!
//! A reflector is H = I - tau v v^H with v = (1, …), chosen so that H^H x = (beta, 0, …) with a real beta of the sign
//! opposite to that of x's first element; tau is 0, and H the identity, where x has this form already. These are the
//! conventions of geqrf and its relatives (LAPACK Users' Guide, third edition, 5.4), which fix all signs.

use super::matrix::{Field, Matrix, axpy, dot, norm};

/// Makes the reflector of `x`: leaves beta in x[0], the rest of v behind it, and gives tau.
pub(super) fn reflector<T: Field>(x: &mut [T]) -> T {
    let Some((first, rest)) = x.split_first_mut() else { return T::zero() };
    let length = norm(rest);
    if length == 0.0 && first.im() == 0.0 {
        return T::zero();
    }
    let beta = -libm::hypot(first.abs(), length).copysign(first.re());
    // (beta - alpha) / beta in two steps, since beta may be tiny.
    let tau = T::one() - first.times(1.0 / beta);
    let tau = if (1.0 / beta).is_finite() { tau } else { quotient(*first, beta) };
    let pivot = *first - T::of(beta);
    if pivot.recip().is_finite() {
        let r = pivot.recip();
        rest.iter_mut().for_each(|v| *v *= r);
    } else {
        // Scaled up first: 1 / pivot overflows.
        let r = pivot.times(1e200).recip();
        rest.iter_mut().for_each(|v| *v = v.times(1e200) * r);
    }
    *first = T::of(beta);
    tau
}

/// 1 - alpha / beta for a beta whose inverse overflows.
fn quotient<T: Field>(alpha: T, beta: f64) -> T {
    T::one() - alpha.times(1e200).times(1.0 / (beta * 1e200))
}

/// H a for rows from `row`, columns from `col` on; v without its leading 1.
pub(super) fn apply_left<T: Field>(a: &mut Matrix<T>, row: usize, col: usize, v: &[T], tau: T) {
    if tau == T::zero() {
        return;
    }
    for j in col..a.cols() {
        let (first, rest) = a.col_mut(j)[row..].split_at_mut(1);
        let rest = &mut rest[..v.len()];
        let s = -(tau * (first[0] + dot(v, rest)));
        first[0] += s;
        axpy(s, v, rest);
    }
}

/// a H for the first `rows` rows, columns from `col` on.
pub(super) fn apply_right<T: Field>(a: &mut Matrix<T>, rows: usize, col: usize, v: &[T], tau: T) {
    if tau == T::zero() {
        return;
    }
    let mut w = a.col(col)[..rows].to_vec();
    for (k, &v) in v.iter().enumerate() {
        axpy(v, &a.col(col + 1 + k)[..rows], &mut w);
    }
    axpy(-tau, &w, &mut a.col_mut(col)[..rows]);
    for (k, &v) in v.iter().enumerate() {
        axpy(-(tau * v.conj()), &w, &mut a.col_mut(col + 1 + k)[..rows]);
    }
}

/// geqrf: R in the upper triangle, reflectors below it; their taus.
pub(super) fn qr<T: Field>(a: &mut Matrix<T>) -> Vec<T> {
    let k = a.rows().min(a.cols());
    let step = |i: usize| {
        let tau = reflector(&mut a.col_mut(i)[i..]);
        let v = a.col(i)[i + 1..].to_vec();
        apply_left(a, i, i + 1, &v, tau.conj());
        tau
    };
    (0..k).map(step).collect()
}

/// geqp3: QR of the columns in an order in which each is the one left with the largest part. `order` names columns
/// from 1 on; those named by other than 0 beforehand come first. Gives the taus.
pub(super) fn qr_pivoted<T: Field>(a: &mut Matrix<T>, order: &mut [i32]) -> Vec<T> {
    let (m, n) = (a.rows(), a.cols());
    let mut fixed = 0;
    for j in 0..n {
        let first = order[j] != 0;
        order[j] = j as i32 + 1;
        if first {
            swap_cols(a, order, fixed, j);
            fixed += 1;
        }
    }
    let mut taus = Vec::new();
    // What is left of each column's length, and what it was when it was last computed.
    let mut left: Vec<f64> = (0..n).map(|j| norm(a.col(j))).collect();
    let mut from = left.clone();
    for i in 0..m.min(n) {
        if i == fixed {
            left = (0..n).map(|j| norm(&a.col(j)[i..])).collect();
            from = left.clone();
        }
        if i >= fixed {
            let best = (i..n).rev().max_by(|&p, &q| left[p].total_cmp(&left[q])).unwrap_or(i);
            swap_cols(a, order, i, best);
            left.swap(i, best);
            from.swap(i, best);
        }
        let tau = reflector(&mut a.col_mut(i)[i..]);
        let v = a.col(i)[i + 1..].to_vec();
        apply_left(a, i, i + 1, &v, tau.conj());
        taus.push(tau);
        for j in i + 1..n {
            if left[j] == 0.0 {
                continue;
            }
            let gone = a[(i, j)].abs() / left[j];
            let share = (1.0 - gone * gone).max(0.0);
            // Too little is left to be known by subtraction.
            if share * (left[j] / from[j]).powi(2) <= f64::EPSILON.sqrt() {
                left[j] = norm(&a.col(j)[i + 1..]);
                from[j] = left[j];
            } else {
                left[j] *= share.sqrt();
            }
        }
    }
    taus
}

fn swap_cols<T: Field>(a: &mut Matrix<T>, order: &mut [i32], i: usize, j: usize) {
    if i != j {
        let (x, y) = a.two_cols(i, j);
        x.swap_with_slice(y);
        order.swap(i, j);
    }
}

/// orgqr: the first columns of H1 H2 …, as many as `a` has, of which reflectors are in the columns of `a` below the
/// diagonal.
pub(super) fn product<T: Field>(a: &Matrix<T>, taus: &[T]) -> Matrix<T> {
    expand(a, taus, 0, a.cols())
}

/// The first `cols` columns of H1 H2 …, where reflector i begins in row i + `below` of column i of `a`.
pub(super) fn expand<T: Field>(a: &Matrix<T>, taus: &[T], below: usize, cols: usize) -> Matrix<T> {
    let mut q = Matrix::identity(a.rows(), cols);
    for (i, &tau) in taus.iter().enumerate().rev() {
        let row = i + below;
        // Columns before it are still those of the identity, zero in these rows.
        apply_left(&mut q, row, row, &a.col(i)[row + 1..], tau);
    }
    q
}

/// ormqr: c multiplied by H1 H2 … or its adjoint, from either side.
pub(super) fn multiply<T: Field>(a: &Matrix<T>, taus: &[T], c: &mut Matrix<T>, left: bool, adjoint: bool) {
    let mut step = |i: usize| {
        let tau = if adjoint { taus[i].conj() } else { taus[i] };
        let v = &a.col(i)[i + 1..];
        if left {
            apply_left(c, i, 0, v, tau);
        } else {
            apply_right(c, c.rows(), i, v, tau);
        }
    };
    // The reflector next to c comes first.
    if left == adjoint { (0..taus.len()).for_each(&mut step) } else { (0..taus.len()).rev().for_each(step) }
}

/// gehrd: a Hessenberg matrix Q^H a Q with reflectors below its subdiagonal, for rows and columns `low..high`; taus.
pub(super) fn hessenberg<T: Field>(a: &mut Matrix<T>, low: usize, high: usize) -> Vec<T> {
    let n = a.rows();
    let mut taus = vec![T::zero(); n.saturating_sub(1)];
    for i in low..high.saturating_sub(1) {
        taus[i] = reflector(&mut a.col_mut(i)[i + 1..high]);
        let v = a.col(i)[i + 2..high].to_vec();
        apply_right(a, high, i + 1, &v, taus[i]);
        apply_left(a, i + 1, i + 1, &v, taus[i].conj());
    }
    taus
}

/// A Hermitian matrix made tridiagonal.
pub(super) struct Tridiagonal<T> {
    /// Reflectors in one triangle, the other as it was.
    pub(super) packed: Matrix<T>,
    pub(super) diagonal: Vec<f64>,
    pub(super) beside: Vec<f64>,
    pub(super) taus: Vec<T>,
}

/// sytrd and hetrd: `a` holds a Hermitian matrix in one triangle. The lower one is reduced from its first column on,
/// the upper one from its last.
pub(super) fn tridiagonal<T: Field>(a: &Matrix<T>, lower: bool) -> Tridiagonal<T> {
    let n = a.rows();
    // The upper triangle turned around is a lower one: index n - 1 - i for i.
    let at = |i: usize| if lower { i } else { n - 1 - i };
    let whole = a.hermitian(lower);
    let mut h = Matrix::from_fn(n, n, |i, j| whole[(at(i), at(j))]);
    let steps = n.saturating_sub(1);
    let (mut beside, mut taus) = (vec![0.0; steps], vec![T::zero(); steps]);
    for i in 0..steps {
        let tau = reflector(&mut h.col_mut(i)[i + 1..]);
        taus[i] = tau;
        beside[i] = h[(i + 1, i)].re();
        if tau == T::zero() {
            continue;
        }
        let mut v = h.col(i)[i + 1..].to_vec();
        v[0] = T::one();
        // w = tau h v - tau / 2 (w^H v) v; h - v w^H - w v^H
        let mut w = vec![T::zero(); v.len()];
        for (k, &x) in v.iter().enumerate() {
            axpy(tau * x, &h.col(i + 1 + k)[i + 1..], &mut w);
        }
        let half = -(tau.times(0.5) * dot(&w, &v));
        axpy(half, &v, &mut w);
        for k in 0..v.len() {
            let (x, y) = (w[k].conj(), v[k].conj());
            let col = &mut h.col_mut(i + 1 + k)[i + 1..];
            axpy(-x, &v, col);
            axpy(-y, &w, col);
        }
    }
    let mut packed = a.clone();
    for j in 0..n {
        packed[(at(j), at(j))] = T::of(h[(j, j)].re());
        for i in j + 1..n {
            packed[(at(i), at(j))] = h[(i, j)];
        }
    }
    let mut diagonal: Vec<f64> = (0..n).map(|j| h[(j, j)].re()).collect();
    if !lower {
        diagonal.reverse();
        beside.reverse();
        taus.reverse();
    }
    Tridiagonal { packed, diagonal, beside, taus }
}
