//! Types of transforms, matrix ops and random bits.

use super::{Result, TypeError, args, constraint, ensure, make};
use crate::dtype::{DType, DTypeClass, TensorType};
use crate::op::{FftKind, Linalg, RngAlgorithm};

pub(super) fn fft(x: &TensorType, kind: FftKind, lengths: &[usize]) -> Result<TensorType> {
    let (rank, n) = (x.rank(), lengths.len());
    constraint!(3, (1..=3).contains(&n), "has {n} lengths; it takes 1 to 3");
    constraint!(1, n <= rank, "{n} lengths are more than the dimensions of {x}");
    let undefined = || TypeError::constraint(2, format!("{kind} is not defined on {x}"));
    let complex = x.dtype().class() == DTypeClass::Complex;
    let mut shape = x.shape().to_vec();
    let halved = lengths[n - 1] / 2 + 1;
    let dtype = match kind {
        FftKind::Fft | FftKind::Ifft if complex => x.dtype(),
        FftKind::Rfft => x.dtype().complex().ok_or_else(undefined)?,
        FftKind::Irfft if complex => x.dtype().part(),
        FftKind::Fft | FftKind::Ifft | FftKind::Irfft => return Err(undefined()),
    };
    for (k, &length) in lengths.iter().enumerate() {
        let d = rank - n + k;
        let last_halved = k + 1 == n && kind == FftKind::Irfft && length > 0;
        let want = if last_halved { halved } else { length };
        // Of complex operands and results StableHLO leaves it open.
        let number = match kind {
            FftKind::Rfft => Some(4),
            FftKind::Irfft => Some(5),
            FftKind::Fft | FftKind::Ifft => None,
        };
        constraint!(
            number,
            shape[d] == want,
            "dimension {d} of {x} is not {want}, as lengths {lengths:?} say"
        );
        shape[d] = if k + 1 == n && kind == FftKind::Rfft && length > 0 { halved } else { length };
    }
    make(dtype, shape)
}

pub(super) fn linalg(op: &Linalg, operands: &[&TensorType]) -> Result<Vec<TensorType>> {
    match op {
        Linalg::Cholesky { .. } => cholesky(args::<1>(operands)?[0]).map(|ty| vec![ty]),
        Linalg::TriangularSolve { left_side, .. } => {
            triangular_solve(args(operands)?, *left_side).map(|ty| vec![ty])
        }
        Linalg::Lapack(l) => super::lapack::lapack(*l, operands),
    }
}

/// The size of the square matrices of `x`, whose elements have divisions and roots.
pub(super) fn square(x: &TensorType) -> Result<usize> {
    let d = x.dtype();
    ensure!(d.is_float() || d.class() == DTypeClass::Complex, "is not defined on {x}");
    constraint!(2, x.rank() >= 2, "{x} holds no matrices: its rank is less than 2");
    let [n, m] = [x.shape()[x.rank() - 2], x.shape()[x.rank() - 1]];
    constraint!(3, n == m, "the matrices of {x} are not square");
    Ok(n)
}

fn cholesky(x: &TensorType) -> Result<TensorType> {
    square(x).map(|_| x.clone())
}

fn triangular_solve([a, b]: [&TensorType; 2], left_side: bool) -> Result<TensorType> {
    let n = square(a)?;
    constraint!(1, a.dtype() == b.dtype(), "element types differ: {a} and {b}");
    constraint!(2, a.rank() == b.rank(), "ranks differ: {a} and {b}");
    let batch = a.rank() - 2;
    constraint!(3, a.shape()[..batch] == b.shape()[..batch], "batch dimensions differ: {a} and {b}");
    let d = if left_side { batch } else { batch + 1 };
    constraint!(3, b.shape()[d] == n, "dimension {d} of {b} is not {n}, the size of the matrices of {a}");
    Ok(b.clone())
}

pub(super) fn rng_bit_generator(
    state: &TensorType,
    algorithm: RngAlgorithm,
    ty: &TensorType,
) -> Result<Vec<TensorType>> {
    ensure!(state.dtype() == DType::U64 && state.rank() == 1, "the state {state} is not u64[n]");
    let n = state.shape()[0];
    let fits = match algorithm {
        RngAlgorithm::Default => n >= 1,
        RngAlgorithm::ThreeFry => n == 2,
        RngAlgorithm::Philox => n == 2 || n == 3,
    };
    constraint!(2, fits, "a state of {n} u64s does not fit {algorithm}");
    let class = ty.dtype().class();
    ensure!(
        matches!(class, DTypeClass::Signed | DTypeClass::Unsigned | DTypeClass::Float),
        "cannot give {ty}"
    );
    Ok(vec![state.clone(), ty.clone()])
}
