//! Ops on the bits of elements: bitcast_convert and reduce_precision.

use super::scalar::Scalar;
use crate::buffer::Tensor;
use crate::error::Result;
use pullback_ir::{DTypeClass, TensorType};

/// The bits of all elements, the lowest of the first element first, read as another type.
pub(crate) fn bitcast(ty: &TensorType, x: &Tensor) -> Result<Tensor> {
    let (from, to) = (x.dtype().bits() as usize, ty.dtype().bits() as usize);
    if from >= 8 && to >= 8 {
        // Elements are little-endian and row-major, so the bytes are the same.
        return Tensor::from_bytes(ty.clone(), x.bytes());
    }
    let mut out = Tensor::zeros(ty.clone());
    let bit = |i: usize| x.bytes()[i / from * x.dtype().size() + i % from / 8] >> (i % from % 8) & 1;
    for (i, element) in out.bytes_mut().chunks_exact_mut(ty.dtype().size()).enumerate() {
        for k in 0..to {
            element[k / 8] |= bit(i * to + k) << (k % 8);
        }
        // A byte holds a four-bit integer with its sign.
        if to < 8 && ty.dtype().class() == DTypeClass::Signed && element[0] >> (to - 1) & 1 == 1 {
            element[0] |= u8::MAX << to;
        }
    }
    Ok(out)
}

/// `v` rounded to nearest even with `mantissa` bits after the point and an exponent of `exponent` bits; beyond its
/// range infinity, below its normal range a zero of that sign. NaN stays, but is infinity where no bit could tell them
/// apart.
pub(super) fn reduce_precision(v: Scalar, exponent: u32, mantissa: u32) -> Scalar {
    let Scalar::Float(v) = v else { return v };
    Scalar::Float(reduce_float(v, exponent, mantissa))
}

/// [`reduce_precision`] of a float.
pub(crate) fn reduce_float(v: f64, exponent: u32, mantissa: u32) -> f64 {
    if v.is_nan() && mantissa == 0 {
        return f64::INFINITY.copysign(v);
    }
    if !v.is_finite() || v == 0.0 {
        return v;
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
    if of_rounded > bias {
        f64::INFINITY.copysign(v)
    } else if of_rounded < 1 - bias {
        0f64.copysign(v)
    } else {
        rounded
    }
}
