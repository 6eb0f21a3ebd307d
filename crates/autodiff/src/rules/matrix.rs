//! Matrices in the last two dimensions, as the rules of linear algebra write them: products, adjoints, triangles.
//!
//! Works on either program. Masks are built of iotas, so that none is a residual.

use super::Made;
use super::elementwise::conjugate;
use pullback_ir::{
    Builder, Comparison, DType, DTypeClass, DotDims, Linalg, MatrixTranspose, Monoid, Op, TensorType,
    UnaryOp, Value,
};

/// Rows and columns.
pub(super) fn size(b: &Builder, x: Value) -> [usize; 2] {
    let s = b.ty(x).shape();
    [s[s.len() - 2], s[s.len() - 1]]
}

/// x y
pub(super) fn mm(b: &mut Builder, x: Value, y: Value) -> Made {
    let n = b.ty(x).rank() - 2;
    let batch: Vec<usize> = (0..n).collect();
    let dims = DotDims {
        lhs_batch: batch.clone(),
        rhs_batch: batch,
        lhs_contract: vec![n + 1],
        rhs_contract: vec![n],
    };
    b.dot(x, y, dims)
}

/// The transpose, not conjugated.
pub(super) fn flip(b: &mut Builder, x: Value) -> Made {
    let n = b.ty(x).rank();
    let mut permutation: Vec<usize> = (0..n).collect();
    permutation.swap(n - 2, n - 1);
    b.transpose(x, &permutation)
}

/// The conjugate transpose.
pub(super) fn adjoint(b: &mut Builder, x: Value) -> Made {
    let x = flip(b, x)?;
    conj(b, x)
}

/// The conjugate; of real numbers they themselves.
pub(super) fn conj(b: &mut Builder, x: Value) -> Made {
    if b.ty(x).dtype().class() == DTypeClass::Complex { conjugate(b, x) } else { Ok(x) }
}

/// The real part, as real numbers.
pub(super) fn real(b: &mut Builder, x: Value) -> Made {
    if b.ty(x).dtype().class() == DTypeClass::Complex { b.unary(UnaryOp::Real, x) } else { Ok(x) }
}

/// Where column - row - `k` stands in the relation to 0.
fn mask(b: &mut Builder, shape: &[usize], relation: Comparison, k: i64) -> Made {
    let n = shape.len();
    let ty = TensorType::new(DType::I64, shape);
    let rows = b.push1(Op::Iota { ty: ty.clone(), dim: n - 2 }, &[])?;
    let columns = b.push1(Op::Iota { ty: ty.clone(), dim: n - 1 }, &[])?;
    let offset = b.splat(&ty, k as f64);
    let from = b.add(rows, offset)?;
    b.compare(relation, columns, from)
}

fn keep(b: &mut Builder, x: Value, relation: Comparison, k: i64) -> Made {
    let ty = b.ty(x).clone();
    let mask = mask(b, ty.shape(), relation, k)?;
    let zeros = b.splat(&ty, 0.0);
    b.select(mask, x, zeros)
}

/// Elements on and below the `k`-th diagonal (0 the main one, those above it positive); the others are 0.
pub(super) fn lower(b: &mut Builder, x: Value, k: i64) -> Made {
    keep(b, x, Comparison::Le, k)
}

/// Elements on and above the `k`-th diagonal.
pub(super) fn upper(b: &mut Builder, x: Value, k: i64) -> Made {
    keep(b, x, Comparison::Ge, k)
}

/// Elements of the triangle with its diagonal, or without.
pub(super) fn triangle(b: &mut Builder, x: Value, is_lower: bool, diagonal: bool) -> Made {
    let k = i64::from(!diagonal);
    if is_lower { lower(b, x, -k) } else { upper(b, x, k) }
}

/// Elements of the main diagonal, the others 0.
pub(super) fn on_diagonal(b: &mut Builder, x: Value) -> Made {
    keep(b, x, Comparison::Eq, 0)
}

/// The main diagonal of matrices with no fewer columns than rows, as vectors.
pub(super) fn diagonal(b: &mut Builder, x: Value) -> Made {
    let n = b.ty(x).rank();
    let d = on_diagonal(b, x)?;
    b.reduce(d, &[n - 1], Monoid::Add)
}

/// Vectors as rows of matrices like `x`, all alike, or as columns.
pub(super) fn spread(b: &mut Builder, v: Value, shape: &[usize], as_columns: bool) -> Made {
    let n = shape.len();
    let mut dims: Vec<usize> = (0..n - 2).collect();
    dims.push(if as_columns { n - 2 } else { n - 1 });
    b.broadcast(v, shape, &dims)
}

/// Every column of `x` times its entry of `v`.
pub(super) fn scale_columns(b: &mut Builder, x: Value, v: Value) -> Made {
    let (shape, dtype) = (b.ty(x).shape().to_vec(), b.ty(x).dtype());
    let v = b.convert(v, dtype)?;
    let v = spread(b, v, &shape, false)?;
    b.mul(x, v)
}

/// Every row of `x` times its entry of `v`.
pub(super) fn scale_rows(b: &mut Builder, x: Value, v: Value) -> Made {
    let (shape, dtype) = (b.ty(x).shape().to_vec(), b.ty(x).dtype());
    let v = b.convert(v, dtype)?;
    let v = spread(b, v, &shape, true)?;
    b.mul(x, v)
}

/// Ones on the diagonal.
pub(super) fn identity(b: &mut Builder, ty: &TensorType) -> Made {
    let ones = b.splat(ty, 1.0);
    on_diagonal(b, ones)
}

/// The Hermitian matrix that one triangle of `x` gives.
pub(super) fn hermitian(b: &mut Builder, x: Value, is_lower: bool) -> Made {
    let part = triangle(b, x, is_lower, false)?;
    let other = adjoint(b, part)?;
    let sum = b.add(part, other)?;
    let d = real(b, x)?;
    let dtype = b.ty(x).dtype();
    let d = b.convert(d, dtype)?;
    let d = on_diagonal(b, d)?;
    b.add(sum, d)
}

/// A triangular system, of which the other triangle of `a` is not read.
pub(super) struct Solve {
    pub(super) left_side: bool,
    pub(super) lower: bool,
    pub(super) unit_diagonal: bool,
    pub(super) transpose: MatrixTranspose,
}

impl Solve {
    /// The solution for `a` and right-hand sides `y`.
    pub(super) fn of(self, b: &mut Builder, a: Value, y: Value) -> Made {
        let Solve { left_side, lower, unit_diagonal, transpose } = self;
        b.push1(Op::Linalg(Linalg::TriangularSolve { left_side, lower, unit_diagonal, transpose }), &[a, y])
    }
}

/// a^-1 y, or y a^-1.
pub(super) fn solve(b: &mut Builder, a: Value, y: Value, left_side: bool, lower: bool, unit: bool) -> Made {
    Solve { left_side, lower, unit_diagonal: unit, transpose: MatrixTranspose::No }.of(b, a, y)
}

/// Rows `0..m` and columns `0..n`.
pub(super) fn corner(b: &mut Builder, x: Value, m: usize, n: usize) -> Made {
    let mut limits = b.ty(x).shape().to_vec();
    let r = limits.len();
    if limits[r - 2..] == [m, n] {
        return Ok(x);
    }
    (limits[r - 2], limits[r - 1]) = (m, n);
    b.push1(Op::Slice { starts: vec![0; r], limits, strides: vec![1; r] }, &[x])
}

/// As large as m by n, with zeros after.
pub(super) fn grow(b: &mut Builder, x: Value, m: usize, n: usize) -> Made {
    let ty = b.ty(x).clone();
    let r = ty.rank();
    let [rows, columns] = size(b, x);
    if [rows, columns] == [m, n] {
        return Ok(x);
    }
    let mut high = vec![0; r];
    (high[r - 2], high[r - 1]) = ((m - rows) as i64, (n - columns) as i64);
    let zero = b.splat(&TensorType::scalar(ty.dtype()), 0.0);
    b.push1(Op::Pad { low: vec![0; r], high, interior: vec![0; r] }, &[x, zero])
}
