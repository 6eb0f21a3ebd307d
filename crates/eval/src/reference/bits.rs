//! Ops on the bits of elements: bitcast_convert and reduce_precision.

use super::scalar::Scalar;
use crate::buffer::Tensor;
use crate::error::Result;
use pullback_ir::TensorType;

/// Elements are little-endian and row-major, so the bytes are the same.
pub(super) fn bitcast(ty: &TensorType, x: &Tensor) -> Result<Tensor> {
    Tensor::from_bytes(ty.clone(), x.bytes())
}

/// `v` rounded to nearest even with `mantissa` bits after the point and an exponent of `exponent` bits; beyond its
/// range infinity, below its normal range a zero of that sign. NaN stays.
pub(super) fn reduce_precision(v: Scalar, exponent: u32, mantissa: u32) -> Scalar {
    let Scalar::Float(v) = v else { return v };
    if !v.is_finite() || v == 0.0 {
        return Scalar::Float(v);
    }
    let dropped = 52 - mantissa.min(52);
    let bits = v.to_bits();
    let rounded = if dropped == 0 {
        v
    } else {
        let last = (bits >> dropped) & 1;
        let half = (1u64 << (dropped - 1)) - 1;
        f64::from_bits((bits + half + last) & !((1 << dropped) - 1))
    };
    let bias = (1i32 << (exponent - 1)) - 1;
    let of_rounded = ((rounded.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    Scalar::Float(if of_rounded > bias {
        f64::INFINITY.copysign(v)
    } else if of_rounded < 1 - bias {
        0f64.copysign(v)
    } else {
        rounded
    })
}
