//! Matrix ops on tensors: each matrix of a batch is read, worked on in f64 or complex numbers of f64, and rounded.

use super::eigen::{Eigensystem, eigen};
use super::hermitian::{self, Svd};
use super::householder as hh;
use super::in_parts;
use super::matrix::{C, Field, Matrix};
use super::schur::{Eigen, Schur, schur};
use super::solve::{self, Diagonals, Precision, Triangle};
use crate::buffer::Tensor;
use crate::error::Result;
use pullback_ir::literal::{decode_f64, encode_f64};
use pullback_ir::{DType, DTypeClass, Lapack, Linalg, MatrixTranspose, TensorType};

/// The results of a matrix op whose operands were found to fit.
pub(crate) fn linalg(op: &Linalg, xs: &[&Tensor], types: &[TensorType]) -> Result<Vec<Tensor>> {
    if xs[0].dtype().class() == DTypeClass::Complex {
        batch::<C>(op, xs, types)
    } else {
        batch::<f64>(op, xs, types)
    }
}

/// An operand or result for one matrix of the batch.
#[derive(Clone)]
enum Item<T> {
    /// A matrix, or a vector as a column.
    Numbers(Matrix<T>),
    Reals(Vec<f64>),
    Complex(Matrix<C>),
    Ints(Vec<i32>),
    /// Zeros, where a result has no meaning.
    Nothing,
    /// NaNs, where the routine failed.
    Failed,
}

use Item::{Complex, Failed, Ints, Nothing, Numbers, Reals};

fn batch<T: Eigen>(op: &Linalg, xs: &[&Tensor], types: &[TensorType]) -> Result<Vec<Tensor>> {
    let mut results = types.iter().map(|ty| Tensor::try_zeros(ty.clone())).collect::<Result<Vec<_>>>()?;
    // The rank of the batch; vectors among the operands have one dimension more.
    let outer = xs.iter().map(|x| x.ty().rank()).max().unwrap_or(2) - 2;
    let count: usize = xs[0].shape()[..outer].iter().product();
    let per_item = xs.iter().map(|x| x.count()).max().unwrap_or(0) / count.max(1);
    let size = xs[0].shape().last().copied().unwrap_or(1);
    let precision = precision(xs[0].dtype());
    let mut items: Vec<Vec<Item<T>>> = vec![Vec::new(); count];
    in_parts(&mut items, 1, per_item.saturating_mul(size), |first, part| {
        for (k, item) in part.iter_mut().enumerate() {
            let read = |i: usize| read_item::<T>(xs[i], outer, first + k);
            *item = match op {
                Linalg::Cholesky { lower } => vec![cholesky(read(0), *lower)],
                Linalg::TriangularSolve { left_side, lower, unit_diagonal, transpose } => {
                    let t = Triangle {
                        lower: *lower,
                        unit_diagonal: *unit_diagonal,
                        transpose: *transpose != MatrixTranspose::No,
                        conjugate: *transpose == MatrixTranspose::Adjoint,
                    };
                    vec![Numbers(solve::solve(&read(0), t, *left_side, &read(1)))]
                }
                Linalg::Lapack(l) => lapack(*l, read, |i| read_ints(xs[i], first + k), precision),
            };
        }
    });
    for (k, item) in items.into_iter().enumerate() {
        for (result, item) in results.iter_mut().zip(item) {
            write_item(result, outer, k, item);
        }
    }
    Ok(results)
}

fn precision(dtype: DType) -> Precision {
    if dtype.part() == DType::F64 {
        Precision { epsilon: f64::EPSILON, smallest: f64::MIN_POSITIVE }
    } else {
        Precision { epsilon: f32::EPSILON.into(), smallest: f32::MIN_POSITIVE.into() }
    }
}

/// The factor with zeros in the other triangle; NaNs where there is none.
fn cholesky<T: Field>(mut a: Matrix<T>, lower: bool) -> Item<T> {
    if solve::cholesky(&mut a, lower) != 0 {
        return Failed;
    }
    let kept = |i: usize, j: usize| if lower { i >= j } else { i <= j };
    let n = a.rows();
    Numbers(Matrix::from_fn(n, n, |i, j| if kept(i, j) { a[(i, j)] } else { T::zero() }))
}

/// A routine on one matrix: `read(i)` is operand i.
fn lapack<T: Eigen>(
    op: Lapack,
    read: impl Fn(usize) -> Matrix<T>,
    ints: impl Fn(usize) -> Vec<i32>,
    precision: Precision,
) -> Vec<Item<T>> {
    let info = |info: i32| Ints(vec![info]);
    let mut a = read(0);
    match op {
        Lapack::Geqrf => {
            let taus = hh::qr(&mut a);
            vec![Numbers(a), column(taus)]
        }
        Lapack::Geqp3 => {
            let mut order = ints(1);
            let taus = hh::qr_pivoted(&mut a, &mut order);
            vec![Numbers(a), Ints(order), column(taus)]
        }
        Lapack::Orgqr => vec![Numbers(hh::product(&a, read(1).col(0)))],
        Lapack::Ormqr { left, transpose } => {
            let mut c = read(2);
            hh::multiply(&a, read(1).col(0), &mut c, left, transpose);
            vec![Numbers(c)]
        }
        Lapack::Getrf => {
            let (pivots, failed) = solve::lu(&mut a);
            vec![Numbers(a), Ints(pivots), info(failed)]
        }
        Lapack::Potrf { lower } => {
            let failed = solve::cholesky(&mut a, lower);
            vec![Numbers(a), info(failed)]
        }
        Lapack::Syevd { lower, vectors } => match finite(&a).and_then(|()| hermitian::eigen(&a, lower)) {
            Ok((values, v)) => vec![if vectors { Numbers(v) } else { Nothing }, Reals(values), info(0)],
            Err(failed) => vec![Failed, Failed, info(failed)],
        },
        Lapack::Sytrd { lower } => {
            let t = hh::tridiagonal(&a, lower);
            vec![Numbers(t.packed), Reals(t.diagonal), Reals(t.beside), column(t.taus), info(0)]
        }
        Lapack::Gesdd { vectors, full } => {
            match finite(&a).and_then(|()| hermitian::svd(&a, full && vectors)) {
                Ok(Svd { values, left, right }) if vectors => {
                    vec![Nothing, Reals(values), Numbers(left), Numbers(right.adjoint()), info(0)]
                }
                Ok(svd) => vec![Nothing, Reals(svd.values), Nothing, Nothing, info(0)],
                Err(failed) => vec![Nothing, Failed, Failed, Failed, info(failed)],
            }
        }
        Lapack::Geev { left, right } => geev(&a, left, right),
        Lapack::Gees { vectors } => gees(&a, vectors),
        Lapack::Gehrd { low, high } => {
            let taus = if a.rows() == 0 { Vec::new() } else { hh::hessenberg(&mut a, low - 1, high) };
            vec![Numbers(a), column(taus), info(0)]
        }
        Lapack::Gtsv => {
            let mut m = diagonals(&read);
            let mut x = read(3);
            let failed = solve::solve_tridiagonal(&mut m, &mut x);
            let scratch = [m.below, m.diagonal, m.above].map(column);
            scratch.into_iter().chain([Numbers(x), info(failed)]).collect()
        }
        Lapack::TridiagonalSolvePerturbed => {
            let mut x = read(3);
            solve::solve_perturbed(&diagonals(&read), precision, &mut x);
            vec![Numbers(x)]
        }
    }
}

fn column<T: Field>(v: Vec<T>) -> Item<T> {
    Numbers(Matrix::from_fn(v.len(), 1, |i, _| v[i]))
}

fn diagonals<T: Field>(read: &impl Fn(usize) -> Matrix<T>) -> Diagonals<T> {
    let [below, diagonal, above] = [0, 1, 2].map(|i| read(i).col(0).to_vec());
    Diagonals { below, diagonal, above }
}

/// What iterates would not end on other numbers. The error is `info`: the first operand is wrong.
fn finite<T: Field>(a: &Matrix<T>) -> std::result::Result<(), i32> {
    if a.is_finite() { Ok(()) } else { Err(-1) }
}

/// Eigenvalues as geev and gees give them: of a real matrix in two parts.
fn eigenvalues<T: Field>(values: Vec<C>) -> Vec<Item<T>> {
    if T::PARTS == 1 {
        let parts = [values.iter().map(|v| v.re).collect(), values.iter().map(|v| v.im).collect()];
        return parts.map(Reals).into();
    }
    vec![Complex(Matrix::from_fn(values.len(), 1, |i, _| values[i]))]
}

fn geev<T: Eigen>(a: &Matrix<T>, left: bool, right: bool) -> Vec<Item<T>> {
    let parts = 3 - T::PARTS;
    match finite(a).and_then(|()| eigen(a, left, right)) {
        Ok(Eigensystem { values, left, right }) => {
            let vectors = [left, right].map(|v| v.map_or(Nothing, Complex));
            eigenvalues(values).into_iter().chain(vectors).chain([Ints(vec![0])]).collect()
        }
        Err(failed) => {
            let mut items = vec![Failed; parts + 2];
            items.push(Ints(vec![failed]));
            items
        }
    }
}

fn gees<T: Eigen>(a: &Matrix<T>, vectors: bool) -> Vec<Item<T>> {
    let (mut items, info) = match finite(a).and_then(|()| schur(a)) {
        Ok(Schur { form, vectors: z }) => {
            let values = T::eigenvalues(&form);
            let z = if vectors { Numbers(z) } else { Nothing };
            ([vec![Numbers(form), z], eigenvalues(values)].concat(), 0)
        }
        Err(failed) => (vec![Failed; 5 - T::PARTS], failed),
    };
    items.extend([Ints(vec![0]), Ints(vec![info])]);
    items
}

/// Matrix `k` of a batch whose dimensions are the first `outer`; a vector as a column.
fn read_item<T: Field>(x: &Tensor, outer: usize, k: usize) -> Matrix<T> {
    let inner = &x.shape()[outer..];
    let (rows, cols) = (inner[0], inner.get(1).copied().unwrap_or(1));
    let part = x.dtype().part();
    let size = part.size() * T::PARTS;
    let bytes = &x.bytes()[k * rows * cols * size..(k + 1) * rows * cols * size];
    let number = |e: &[u8]| {
        let mut parts = [0.0; 2];
        for (p, e) in parts.iter_mut().zip(e.chunks_exact(part.size())) {
            *p = if part == DType::F64 {
                e.try_into().map_or(0.0, f64::from_le_bytes)
            } else if part == DType::F32 {
                e.try_into().map_or(0.0, |e| f32::from_le_bytes(e).into())
            } else {
                decode_f64(part, e)
            };
        }
        T::of_parts(&parts)
    };
    Matrix::from_fn(rows, cols, |i, j| number(&bytes[(i * cols + j) * size..][..size]))
}

/// The integers of vector `k`.
fn read_ints(x: &Tensor, k: usize) -> Vec<i32> {
    let n = x.shape().last().copied().unwrap_or(1);
    (k * n..(k + 1) * n).map(|i| x.get_i64(i) as i32).collect()
}

fn write_item<T: Field>(out: &mut Tensor, outer: usize, k: usize, item: Item<T>) {
    let n: usize = out.shape()[outer..].iter().product();
    let dtype = out.dtype();
    let size = dtype.size();
    let bytes = &mut out.bytes_mut()[k * n * size..(k + 1) * n * size];
    match item {
        Numbers(m) => write_numbers(bytes, dtype, &m),
        Complex(m) => write_numbers(bytes, dtype, &m),
        Reals(v) => {
            for (e, v) in bytes.chunks_exact_mut(size).zip(v) {
                e.copy_from_slice(&encode_f64(dtype, v));
            }
        }
        Ints(v) => {
            for (e, v) in bytes.chunks_exact_mut(size).zip(v) {
                e.copy_from_slice(&v.to_le_bytes());
            }
        }
        Nothing => {}
        Failed => {
            let part = dtype.part();
            let nan = encode_f64(part, f64::NAN);
            bytes.chunks_exact_mut(part.size()).for_each(|e| e.copy_from_slice(&nan));
        }
    }
}

fn write_numbers<T: Field>(bytes: &mut [u8], dtype: DType, m: &Matrix<T>) {
    let part = dtype.part();
    let parts = dtype.size() / part.size();
    let mut elements = bytes.chunks_exact_mut(part.size());
    for i in 0..m.rows() {
        for j in 0..m.cols() {
            let v = m[(i, j)];
            for value in [v.re(), v.im()].into_iter().take(parts) {
                let Some(e) = elements.next() else { return };
                if part == DType::F64 {
                    e.copy_from_slice(&value.to_le_bytes());
                } else if part == DType::F32 {
                    e.copy_from_slice(&(value as f32).to_le_bytes());
                } else {
                    e.copy_from_slice(&encode_f64(part, value));
                }
            }
        }
    }
}
