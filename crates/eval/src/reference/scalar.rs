//! One element as a value, whatever its type: read, rounded, written.
//!
//! A float of any width is held as the f64 it equals. Computing an op in f64 and rounding once to the
//! element type gives the correctly rounded result for + - * / and sqrt of f32 and narrower types
//! (Figueroa, "When is double rounding innocuous?", 1995: 53 >= 2 * 24 + 2), so one arithmetic serves all.
//! Integers are held exactly and wrapped; complex parts are rounded like floats.

use crate::buffer::Tensor;
use pullback_ir::literal::{decode_f64, decode_i64, encode_f64};
use pullback_ir::{DType, DTypeClass, TensorType};

/// The value of one element.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Scalar {
    Bool(bool),
    Int(i128),
    Float(f64),
    Complex(f64, f64),
}

/// Bits of an integer type.
pub(super) fn int_bits(dtype: DType) -> u32 {
    dtype.bits()
}

/// `v` modulo 2^bits, in the range of the integer type.
pub(super) fn wrap_int(dtype: DType, v: i128) -> i128 {
    let unused = 128 - int_bits(dtype);
    if dtype.class() == DTypeClass::Signed {
        v << unused >> unused
    } else {
        ((v as u128) << unused >> unused) as i128
    }
}

/// Smallest and largest value of an integer type.
pub(super) fn int_range(dtype: DType) -> (i128, i128) {
    let bits = int_bits(dtype);
    match dtype.class() == DTypeClass::Signed {
        true => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
        false => (0, (1 << bits) - 1),
    }
}

/// `v` rounded to nearest even in a float type (f32 and f64 for the parts of complex types).
pub(super) fn round_float(dtype: DType, v: f64) -> f64 {
    match dtype {
        DType::F64 | DType::C128 => v,
        DType::F32 | DType::C64 => f64::from(v as f32),
        DType::F8E4M3FN
        | DType::F8E5M2
        | DType::F4E2M1FN
        | DType::F6E2M3FN
        | DType::F6E3M2FN
        | DType::F8E3M4
        | DType::F8E4M3
        | DType::F8E4M3B11FNUZ
        | DType::F8E4M3FNUZ
        | DType::F8E5M2FNUZ
        | DType::F8E8M0FNU
        | DType::F16
        | DType::BF16 => decode_f64(dtype, &encode_f64(dtype, v)),
        DType::Bool
        | DType::I2
        | DType::I4
        | DType::I8
        | DType::I16
        | DType::I32
        | DType::I64
        | DType::U2
        | DType::U4
        | DType::U8
        | DType::U16
        | DType::U32
        | DType::U64 => v,
    }
}

impl Scalar {
    /// Reads one element.
    pub(super) fn decode(dtype: DType, e: &[u8]) -> Self {
        match dtype.class() {
            DTypeClass::Bool => Scalar::Bool(e[0] != 0),
            DTypeClass::Signed => Scalar::Int(decode_i64(dtype, e).into()),
            // decode_i64 wraps u64; undo that.
            DTypeClass::Unsigned => Scalar::Int(wrap_int(dtype, decode_i64(dtype, e).into())),
            DTypeClass::Float => Scalar::Float(decode_f64(dtype, e)),
            DTypeClass::Complex => {
                let (re, im) = e.split_at(dtype.size() / 2);
                let part = if dtype == DType::C64 { DType::F32 } else { DType::F64 };
                Scalar::Complex(decode_f64(part, re), decode_f64(part, im))
            }
        }
    }

    /// The bytes of the element; a value that is not of the type is rounded or wrapped.
    pub(super) fn encode(self, dtype: DType, out: &mut [u8]) {
        match self {
            Scalar::Bool(b) => out[0] = u8::from(b),
            Scalar::Int(v) => {
                out.copy_from_slice(&wrap_int(dtype, v).to_le_bytes()[..dtype.size()]);
            }
            Scalar::Float(v) => out.copy_from_slice(&encode_f64(dtype, v)),
            Scalar::Complex(re, im) => {
                let half = dtype.size() / 2;
                let part = if dtype == DType::C64 { DType::F32 } else { DType::F64 };
                out[..half].copy_from_slice(&encode_f64(part, re));
                out[half..].copy_from_slice(&encode_f64(part, im));
            }
        }
    }

    /// The value rounded or wrapped to an element type of its own class.
    pub(super) fn round(self, dtype: DType) -> Self {
        match self {
            Scalar::Bool(b) => Scalar::Bool(b),
            Scalar::Int(v) => Scalar::Int(wrap_int(dtype, v)),
            Scalar::Float(v) => Scalar::Float(round_float(dtype, v)),
            Scalar::Complex(re, im) => Scalar::Complex(round_float(dtype, re), round_float(dtype, im)),
        }
    }

    /// Conversion by value. Floats to integers truncate and saturate (NaN gives 0); integers wrap; to bool is
    /// `!= 0`; complex to real takes the real part.
    pub(super) fn convert(self, to: DType) -> Self {
        match to.class() {
            DTypeClass::Bool => Scalar::Bool(match self {
                Scalar::Bool(b) => b,
                Scalar::Int(v) => v != 0,
                Scalar::Float(v) | Scalar::Complex(v, _) => v != 0.0,
            }),
            DTypeClass::Signed | DTypeClass::Unsigned => Scalar::Int(match self {
                Scalar::Bool(b) => b.into(),
                Scalar::Int(v) => wrap_int(to, v),
                Scalar::Float(v) | Scalar::Complex(v, _) => {
                    let (lo, hi) = int_range(to);
                    (v as i128).clamp(lo, hi)
                }
            }),
            DTypeClass::Float => Scalar::Float(round_float(to, self.to_float(to))),
            DTypeClass::Complex => {
                let im = if let Scalar::Complex(_, im) = self { im } else { 0.0 };
                Scalar::Complex(self.to_float(to), im).round(to)
            }
        }
    }

    /// The real part as an f64 from which rounding to `to` is correct.
    fn to_float(self, to: DType) -> f64 {
        match self {
            Scalar::Bool(b) => f64::from(u8::from(b)),
            Scalar::Int(v) if matches!(to, DType::F64 | DType::C128) => v as f64,
            Scalar::Int(v) => round_to_odd(v),
            Scalar::Float(v) | Scalar::Complex(v, _) => v,
        }
    }
}

/// An f64 that rounds to any narrower type as `v` does: inexact results get an odd last bit.
fn round_to_odd(v: i128) -> f64 {
    let near = v as f64;
    if near as i128 == v {
        return near;
    }
    let away = (near.abs() as i128) > v.abs();
    let toward_zero = if away { near.to_bits() - 1 } else { near.to_bits() };
    f64::from_bits(toward_zero | 1)
}

/// All elements of a tensor.
pub(super) fn read(t: &Tensor) -> Vec<Scalar> {
    let d = t.dtype();
    t.bytes().chunks_exact(d.size()).map(|e| Scalar::decode(d, e)).collect()
}

/// A tensor of these elements, each rounded to the type.
pub(super) fn write(ty: &TensorType, values: impl IntoIterator<Item = Scalar>) -> Tensor {
    let mut t = Tensor::zeros(ty.clone());
    let d = ty.dtype();
    for (out, v) in t.bytes_mut().chunks_exact_mut(d.size()).zip(values) {
        v.encode(d, out);
    }
    t
}

/// The elements of an integer tensor, exactly.
pub(super) fn read_ints(t: &Tensor) -> Vec<i128> {
    let value = |s: Scalar| if let Scalar::Int(v) = s { v } else { 0 };
    read(t).into_iter().map(value).collect()
}
