//! Types of LAPACK's routines.

use super::linalg::square;
use super::{Result, args, ensure, make};
use crate::dtype::{DType, DTypeClass, TensorType};
use crate::op::Lapack;

/// A batch of matrices or vectors of one element type.
struct Batch<'a> {
    dims: &'a [usize],
    dtype: DType,
}

impl Batch<'_> {
    fn of(&self, dtype: DType, inner: &[usize]) -> Result<TensorType> {
        make(dtype, [self.dims, inner].concat())
    }

    fn like(&self, inner: &[usize]) -> Result<TensorType> {
        self.of(self.dtype, inner)
    }

    fn real(&self, inner: &[usize]) -> Result<TensorType> {
        self.of(self.dtype.part(), inner)
    }

    fn complex(&self, inner: &[usize]) -> Result<TensorType> {
        self.of(self.dtype.part().complex().unwrap_or(self.dtype), inner)
    }

    fn i32(&self, inner: &[usize]) -> Result<TensorType> {
        self.of(DType::I32, inner)
    }

    /// Eigenvalues of a general matrix: of a real one in two parts.
    fn values(&self, n: usize) -> Result<Vec<TensorType>> {
        let parts = if self.dtype.class() == DTypeClass::Complex { 1 } else { 2 };
        (0..parts).map(|_| self.like(&[n])).collect()
    }

    /// `x` holds vectors or matrices like these.
    fn check(&self, x: &TensorType, dtype: DType, inner: &[Option<usize>], what: &str) -> Result<()> {
        let b = self.dims.len();
        let fits = x.dtype() == dtype
            && x.rank() == b + inner.len()
            && x.shape()[..b] == *self.dims
            && x.shape()[b..].iter().zip(inner).all(|(n, want)| want.is_none_or(|w| w == *n));
        let shown: Vec<String> = inner.iter().map(|n| n.map_or("?".to_owned(), |n| n.to_string())).collect();
        ensure!(fits, "{what} is {x}, not {dtype}[{:?}…, {}]", self.dims, shown.join(", "));
        Ok(())
    }
}

/// The batch, rows and columns of `a`.
fn matrices(a: &TensorType) -> Result<(Batch<'_>, usize, usize)> {
    let d = a.dtype();
    let known = d == DType::F32 || d == DType::F64 || d.class() == DTypeClass::Complex;
    ensure!(known, "is not defined on {a}");
    ensure!(a.rank() >= 2, "{a} holds no matrices: its rank is less than 2");
    let (dims, inner) = a.shape().split_at(a.rank() - 2);
    Ok((Batch { dims, dtype: d }, inner[0], inner[1]))
}

/// Result types of a routine.
pub(super) fn lapack(op: Lapack, operands: &[&TensorType]) -> Result<Vec<TensorType>> {
    match op {
        Lapack::Geqrf | Lapack::Getrf | Lapack::Gesdd { .. } => {
            let [a] = args(operands)?;
            rectangular(op, a)
        }
        Lapack::Geqp3 => {
            let [a, jpvt] = args(operands)?;
            let (b, m, n) = matrices(a)?;
            b.check(jpvt, DType::I32, &[Some(n)], "the permutation")?;
            Ok(vec![a.clone(), jpvt.clone(), b.like(&[m.min(n)])?])
        }
        Lapack::Orgqr => {
            let [a, tau] = args(operands)?;
            let (b, m, n) = matrices(a)?;
            b.check(tau, b.dtype, &[None], "tau")?;
            let k = tau.shape()[tau.rank() - 1];
            ensure!(k <= n && n <= m, "{k} reflectors do not make {n} columns of {m} rows");
            Ok(vec![a.clone()])
        }
        Lapack::Ormqr { left, .. } => {
            let [a, tau, c] = args(operands)?;
            let (b, m, n) = matrices(a)?;
            b.check(tau, b.dtype, &[None], "tau")?;
            let k = tau.shape()[tau.rank() - 1];
            ensure!(k <= n && k <= m, "{a} does not hold {k} reflectors");
            let inner = if left { [Some(m), None] } else { [None, Some(m)] };
            b.check(c, b.dtype, &inner, "c")?;
            Ok(vec![c.clone()])
        }
        Lapack::Potrf { .. }
        | Lapack::Syevd { .. }
        | Lapack::Sytrd { .. }
        | Lapack::Geev { .. }
        | Lapack::Gees { .. }
        | Lapack::Gehrd { .. } => {
            let [a] = args(operands)?;
            squares(op, a)
        }
        Lapack::Gtsv | Lapack::TridiagonalSolvePerturbed => {
            let [dl, d, du, x] = args(operands)?;
            let (b, n, _) = matrices(x)?;
            for diagonal in [dl, d, du] {
                b.check(diagonal, b.dtype, &[Some(n)], "a diagonal")?;
            }
            if op == Lapack::TridiagonalSolvePerturbed {
                return Ok(vec![x.clone()]);
            }
            Ok(vec![dl.clone(), d.clone(), du.clone(), x.clone(), b.i32(&[])?])
        }
    }
}

fn rectangular(op: Lapack, a: &TensorType) -> Result<Vec<TensorType>> {
    let (b, m, n) = matrices(a)?;
    let k = m.min(n);
    if let Lapack::Gesdd { full, .. } = op {
        let (u, v) = if full { (m, n) } else { (k, k) };
        return Ok(vec![a.clone(), b.real(&[k])?, b.like(&[m, u])?, b.like(&[v, n])?, b.i32(&[])?]);
    }
    if op == Lapack::Getrf {
        return Ok(vec![a.clone(), b.i32(&[k])?, b.i32(&[])?]);
    }
    Ok(vec![a.clone(), b.like(&[k])?])
}

fn squares(op: Lapack, a: &TensorType) -> Result<Vec<TensorType>> {
    let (b, n, _) = matrices(a)?;
    square(a)?;
    let (info, less) = (b.i32(&[])?, n.saturating_sub(1));
    let mut types = match op {
        Lapack::Syevd { .. } => vec![a.clone(), b.real(&[n])?],
        Lapack::Sytrd { .. } => vec![a.clone(), b.real(&[n])?, b.real(&[less])?, b.like(&[less])?],
        Lapack::Geev { .. } => [b.values(n)?, vec![b.complex(&[n, n])?; 2]].concat(),
        Lapack::Gees { .. } => [vec![a.clone(); 2], b.values(n)?, vec![info.clone()]].concat(),
        Lapack::Gehrd { low, high } => {
            let fits = n == 0 || (1..=n).contains(&low) && (low..=n).contains(&high);
            ensure!(fits, "rows {low} to {high} are not among {n}");
            vec![a.clone(), b.like(&[less])?]
        }
        Lapack::Potrf { .. }
        | Lapack::Geqrf
        | Lapack::Geqp3
        | Lapack::Orgqr
        | Lapack::Ormqr { .. }
        | Lapack::Getrf
        | Lapack::Gesdd { .. }
        | Lapack::Gtsv
        | Lapack::TridiagonalSolvePerturbed => vec![a.clone()],
    };
    types.push(info);
    Ok(types)
}
