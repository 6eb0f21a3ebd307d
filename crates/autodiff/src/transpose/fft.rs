//! Transposes of Fourier transforms, not conjugated.
//!
//! A transform and its inverse are symmetric matrices. RFFT keeps the first bins of the transform of real numbers, so
//! its transpose puts zeros for the others, transforms, and takes the real part. IRFFT takes each middle bin for two.

use pullback_ir::{BinaryOp, Builder, Comparison, DType, FftKind, Op, TensorType, TypeError, UnaryOp, Value};

/// Cotangent of the operand, of type `ty`, of a transform of these lengths.
pub(super) fn transposed(
    b: &mut Builder,
    ct: Value,
    kind: FftKind,
    lengths: &[usize],
    ty: &TensorType,
) -> Result<Value, TypeError> {
    if ty.count() == 0 || b.ty(ct).count() == 0 {
        return Ok(b.splat(ty, 0.0));
    }
    let lengths = lengths.to_vec();
    match kind {
        FftKind::Fft | FftKind::Ifft => b.push1(Op::Fft { kind, lengths }, &[ct]),
        FftKind::Rfft => {
            let rank = ty.rank();
            let mut high = vec![0; rank];
            high[rank - 1] = (ty.shape()[rank - 1] - b.ty(ct).shape()[rank - 1]) as i64;
            let zero = b.splat(&TensorType::scalar(b.ty(ct).dtype()), 0.0);
            let all = b.push1(Op::Pad { low: vec![0; rank], high, interior: vec![0; rank] }, &[ct, zero])?;
            let all = b.push1(Op::Fft { kind: FftKind::Fft, lengths }, &[all])?;
            b.unary(UnaryOp::Real, all)
        }
        FftKind::Irfft => {
            let weights = weights(b, ty, &lengths)?;
            let bins = b.push1(Op::Fft { kind: FftKind::Rfft, lengths }, &[ct])?;
            let (re, im) = (b.unary(UnaryOp::Real, bins)?, b.unary(UnaryOp::Imag, bins)?);
            let im = b.unary(UnaryOp::Negate, im)?;
            let (re, im) = (b.mul(re, weights)?, b.mul(im, weights)?);
            b.binary(BinaryOp::Complex, re, im)
        }
    }
}

/// How often IRFFT takes each bin of `bins`, over the number of elements: once the first one and, of an even length,
/// the last one, twice the others.
fn weights(b: &mut Builder, bins: &TensorType, lengths: &[usize]) -> Result<Value, TypeError> {
    let count: usize = lengths.iter().product();
    let length = lengths.last().copied().unwrap_or(1);
    let ty = bins.with_dtype(bins.dtype().part());
    let places = b.push1(Op::Iota { ty: ty.with_dtype(DType::I64), dim: ty.rank() - 1 }, &[])?;
    let (low, high) = (1.0, ((length - 1) / 2) as f64);
    let places_ty = ty.with_dtype(DType::I64);
    let (low, high) = (b.splat(&places_ty, low), b.splat(&places_ty, high));
    let (after, before) = (b.compare(Comparison::Ge, places, low)?, b.compare(Comparison::Le, places, high)?);
    let middle = b.binary(BinaryOp::And, after, before)?;
    let (one, two) = (b.splat(&ty, 1.0 / count as f64), b.splat(&ty, 2.0 / count as f64));
    b.select(middle, two, one)
}
