//! The value of each elementwise op on scalars, before rounding to the element type.
//!
//! Conventions are StableHLO's where it states them, else XLA's: integers wrap; x / 0 has all bits set;
//! x rem 0 = x; shifts by the width or more give 0 (or the sign); maximum and minimum propagate NaN and put
//! -0 below +0; add, multiply, maximum, minimum of bool are or, and, or, and.
//!
//! The functions of floats and complex numbers are also those of the CPU backend's blocked loops.

use super::complex;
use super::complex_inverse;
use super::scalar::{Scalar, int_bits, wrap_int};
use super::special;
use super::zeta;
use crate::error::{EvalError, Result};
use pullback_ir::literal::{decode_f64, encode_f64};
use pullback_ir::{BinaryOp, Comparison, DType, DTypeClass, UnaryOp};
use std::cmp::Ordering;

fn undefined(op: &'static str, dtype: DType) -> EvalError {
    EvalError::Unsupported { op, why: format!("not defined on {dtype}") }
}

/// op(x) for an element type.
pub(super) fn unary(op: UnaryOp, dtype: DType, x: Scalar) -> Result<Scalar> {
    let value = match x {
        Scalar::Bool(v) => (op == UnaryOp::Not).then_some(Scalar::Bool(!v)),
        Scalar::Int(v) => unary_int(op, dtype, v).map(Scalar::Int),
        Scalar::Complex(re, _) if op == UnaryOp::Real => Some(Scalar::Float(re)),
        Scalar::Complex(_, im) if op == UnaryOp::Imag => Some(Scalar::Float(im)),
        Scalar::Float(v) if op == UnaryOp::IsFinite => Some(Scalar::Bool(v.is_finite())),
        Scalar::Float(v) => unary_float(op, v).map(Scalar::Float),
        Scalar::Complex(re, im) if op == UnaryOp::Abs => Some(Scalar::Float(complex::abs((re, im)))),
        Scalar::Complex(re, im) => unary_complex(op, (re, im)).map(|(re, im)| Scalar::Complex(re, im)),
    };
    value.map(|v| v.round(dtype)).ok_or_else(|| undefined(op.name(), dtype))
}

fn unary_int(op: UnaryOp, dtype: DType, v: i128) -> Option<i128> {
    let bits = (v as u128) & ((1 << int_bits(dtype)) - 1);
    Some(match op {
        UnaryOp::Abs => v.abs(),
        UnaryOp::Negate => -v,
        UnaryOp::Sign => v.signum(),
        UnaryOp::Not => !v,
        UnaryOp::Square => v.wrapping_mul(v),
        UnaryOp::Popcnt => bits.count_ones().into(),
        UnaryOp::CountLeadingZeros => (bits.leading_zeros() - (128 - int_bits(dtype))).into(),
        UnaryOp::Cbrt
        | UnaryOp::Ceil
        | UnaryOp::Cosine
        | UnaryOp::Exponential
        | UnaryOp::ExponentialMinusOne
        | UnaryOp::Floor
        | UnaryOp::IsFinite
        | UnaryOp::Log
        | UnaryOp::LogPlusOne
        | UnaryOp::Logistic
        | UnaryOp::RoundNearestAfz
        | UnaryOp::RoundNearestEven
        | UnaryOp::Rsqrt
        | UnaryOp::Sine
        | UnaryOp::Sqrt
        | UnaryOp::Tan
        | UnaryOp::Tanh
        | UnaryOp::Erf
        | UnaryOp::Erfc
        | UnaryOp::Acos
        | UnaryOp::Acosh
        | UnaryOp::Asin
        | UnaryOp::Asinh
        | UnaryOp::Atan
        | UnaryOp::Atanh
        | UnaryOp::Cosh
        | UnaryOp::Digamma
        | UnaryOp::ErfInv
        | UnaryOp::Lgamma
        | UnaryOp::BesselI1e
        | UnaryOp::Real
        | UnaryOp::Imag
        | UnaryOp::Sinh => return None,
    })
}

/// op(x) of a float, unrounded; `None` where the op is not of floats.
pub(crate) fn unary_float(op: UnaryOp, v: f64) -> Option<f64> {
    Some(match op {
        UnaryOp::Abs => v.abs(),
        UnaryOp::Cbrt => libm::cbrt(v),
        UnaryOp::Ceil => v.ceil(),
        UnaryOp::Cosine => libm::cos(v),
        UnaryOp::Exponential => libm::exp(v),
        UnaryOp::ExponentialMinusOne => libm::expm1(v),
        UnaryOp::Floor => v.floor(),
        UnaryOp::Log => libm::log(v),
        UnaryOp::LogPlusOne => libm::log1p(v),
        UnaryOp::Logistic => logistic(v),
        UnaryOp::Negate => -v,
        UnaryOp::RoundNearestAfz => v.round(),
        UnaryOp::RoundNearestEven => v.round_ties_even(),
        UnaryOp::Rsqrt => 1.0 / v.sqrt(),
        UnaryOp::Sign if v == 0.0 || v.is_nan() => v,
        UnaryOp::Sign => 1f64.copysign(v),
        UnaryOp::Sine => libm::sin(v),
        UnaryOp::Sqrt => v.sqrt(),
        UnaryOp::Tan => libm::tan(v),
        UnaryOp::Tanh => libm::tanh(v),
        UnaryOp::Erf => libm::erf(v),
        UnaryOp::Erfc => libm::erfc(v),
        UnaryOp::Square => v * v,
        UnaryOp::Real => v,
        UnaryOp::Imag => 0.0,
        UnaryOp::Acos => libm::acos(v),
        // Below 1 there is none, whatever the library says.
        UnaryOp::Acosh if v < 1.0 => f64::NAN,
        UnaryOp::Acosh => libm::acosh(v),
        UnaryOp::Asin => libm::asin(v),
        UnaryOp::Asinh => libm::asinh(v),
        UnaryOp::Atan => libm::atan(v),
        UnaryOp::Atanh => libm::atanh(v),
        UnaryOp::Cosh => libm::cosh(v),
        UnaryOp::Digamma => special::digamma(v),
        UnaryOp::ErfInv => special::erf_inv(v),
        UnaryOp::Lgamma => libm::lgamma(v),
        UnaryOp::Sinh => libm::sinh(v),
        UnaryOp::BesselI1e => zeta::bessel_i1e(v),
        UnaryOp::CountLeadingZeros | UnaryOp::IsFinite | UnaryOp::Not | UnaryOp::Popcnt => return None,
    })
}

/// 1 / (1 + e^-x), without overflow to NaN on either side.
fn logistic(v: f64) -> f64 {
    if v >= 0.0 {
        1.0 / (1.0 + libm::exp(-v))
    } else {
        let e = libm::exp(v);
        e / (1.0 + e)
    }
}

/// op(x) of a complex number that gives one, unrounded.
pub(crate) fn unary_complex(op: UnaryOp, v: complex::C) -> Option<complex::C> {
    Some(match op {
        UnaryOp::Negate => (-v.0, -v.1),
        UnaryOp::Square => complex::square(v),
        UnaryOp::Sign => complex::sign(v),
        UnaryOp::Cbrt => complex::cbrt(v),
        UnaryOp::Cosine => complex::cos(v),
        UnaryOp::Exponential => complex::exp(v),
        UnaryOp::ExponentialMinusOne => complex::expm1(v),
        UnaryOp::Log => complex::log(v),
        UnaryOp::LogPlusOne => complex::log1p(v),
        UnaryOp::Logistic => complex::logistic(v),
        UnaryOp::Rsqrt => complex::rsqrt(v),
        UnaryOp::Sine => complex::sin(v),
        UnaryOp::Sqrt => complex::sqrt(v),
        UnaryOp::Tan => complex::tan(v),
        UnaryOp::Tanh => complex::tanh(v),
        UnaryOp::Cosh => complex::cosh(v),
        UnaryOp::Sinh => complex::sinh(v),
        UnaryOp::Acos => complex_inverse::acos(v),
        UnaryOp::Acosh => complex_inverse::acosh(v),
        UnaryOp::Asin => complex_inverse::asin(v),
        UnaryOp::Asinh => complex_inverse::asinh(v),
        UnaryOp::Atan => complex_inverse::atan(v),
        UnaryOp::Atanh => complex_inverse::atanh(v),
        UnaryOp::Abs
        | UnaryOp::Ceil
        | UnaryOp::CountLeadingZeros
        | UnaryOp::Floor
        | UnaryOp::IsFinite
        | UnaryOp::Not
        | UnaryOp::Popcnt
        | UnaryOp::RoundNearestAfz
        | UnaryOp::RoundNearestEven
        | UnaryOp::Erf
        | UnaryOp::Erfc
        | UnaryOp::Digamma
        | UnaryOp::ErfInv
        | UnaryOp::Lgamma
        | UnaryOp::BesselI1e
        | UnaryOp::Real
        | UnaryOp::Imag => return None,
    })
}

/// op(x, y) for an element type.
pub(super) fn binary(op: BinaryOp, dtype: DType, x: Scalar, y: Scalar) -> Result<Scalar> {
    let value = match (x, y) {
        (Scalar::Bool(a), Scalar::Bool(b)) => binary_bool(op, a, b).map(Scalar::Bool),
        (Scalar::Int(a), Scalar::Int(b)) => binary_int(op, dtype, a, b).map(Scalar::Int),
        (Scalar::Float(re), Scalar::Float(im)) if op == BinaryOp::Complex => Some(Scalar::Complex(re, im)),
        (Scalar::Float(a), Scalar::Float(b)) => binary_float(op, dtype, a, b).map(Scalar::Float),
        (Scalar::Complex(a, b), Scalar::Complex(c, d)) => {
            binary_complex(op, (a, b), (c, d)).map(|(re, im)| Scalar::Complex(re, im))
        }
        _ => None,
    };
    value.map(|v| v.round(dtype)).ok_or_else(|| undefined(op.name(), dtype))
}

fn binary_bool(op: BinaryOp, a: bool, b: bool) -> Option<bool> {
    Some(match op {
        BinaryOp::Add | BinaryOp::Maximum | BinaryOp::Or => a | b,
        BinaryOp::Multiply | BinaryOp::Minimum | BinaryOp::And => a & b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Atan2
        | BinaryOp::Divide
        | BinaryOp::Power
        | BinaryOp::Remainder
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRightArithmetic
        | BinaryOp::ShiftRightLogical
        | BinaryOp::Subtract
        | BinaryOp::Complex
        | BinaryOp::Mulhi
        | BinaryOp::NextAfter
        | BinaryOp::Polygamma
        | BinaryOp::Zeta => return None,
    })
}

fn binary_int(op: BinaryOp, dtype: DType, a: i128, b: i128) -> Option<i128> {
    let width = i128::from(int_bits(dtype));
    let bits = |v: i128| (v as u128) & ((1 << width) - 1);
    // A shift amount is read as unsigned, so a negative one is too large.
    let shift = (bits(b) < width as u128).then_some(bits(b) as u32);
    Some(match op {
        BinaryOp::Add => a + b,
        BinaryOp::Subtract => a - b,
        BinaryOp::Multiply => a.wrapping_mul(b),
        BinaryOp::Divide => {
            if b == 0 {
                -1
            } else {
                a / b
            }
        }
        BinaryOp::Remainder => {
            if b == 0 {
                a
            } else {
                a % b
            }
        }
        BinaryOp::Maximum => a.max(b),
        BinaryOp::Minimum => a.min(b),
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Power => power_int(dtype, a, b),
        BinaryOp::ShiftLeft => shift.map_or(0, |s| a << s),
        BinaryOp::ShiftRightLogical => shift.map_or(0, |s| (bits(a) >> s) as i128),
        // The sign that fills is the top bit of the element, for unsigned types too.
        BinaryOp::ShiftRightArithmetic => {
            let unused = 128 - width as u32;
            (a << unused >> unused) >> shift.unwrap_or(127)
        }
        BinaryOp::Mulhi if dtype.class() == DTypeClass::Unsigned => {
            ((a as u128 * b as u128) >> width) as i128
        }
        BinaryOp::Mulhi => (a * b) >> width,
        BinaryOp::Atan2 | BinaryOp::Complex | BinaryOp::NextAfter | BinaryOp::Polygamma | BinaryOp::Zeta => {
            return None;
        }
    })
}

/// a^b modulo 2^bits; a negative exponent gives the inverse of ±1 and 0 for all others.
fn power_int(dtype: DType, a: i128, b: i128) -> i128 {
    if b < 0 {
        return match (a, b % 2 == 0) {
            (1, _) | (-1, true) => 1,
            (-1, false) => -1,
            _ => 0,
        };
    }
    let (mut result, mut base, mut e) = (1i128, a, b);
    while e > 0 {
        if e & 1 == 1 {
            result = wrap_int(dtype, result.wrapping_mul(base));
        }
        base = wrap_int(dtype, base.wrapping_mul(base));
        e >>= 1;
    }
    result
}

/// op(a, b) of floats of a type, unrounded.
pub(crate) fn binary_float(op: BinaryOp, dtype: DType, a: f64, b: f64) -> Option<f64> {
    Some(match op {
        BinaryOp::Add => a + b,
        BinaryOp::Subtract => a - b,
        BinaryOp::Multiply => a * b,
        BinaryOp::Divide => a / b,
        BinaryOp::Remainder => a % b,
        BinaryOp::Maximum if a.is_nan() || b.is_nan() => f64::NAN,
        BinaryOp::Maximum => {
            if a.total_cmp(&b) == Ordering::Less {
                b
            } else {
                a
            }
        }
        BinaryOp::Minimum if a.is_nan() || b.is_nan() => f64::NAN,
        BinaryOp::Minimum => {
            if a.total_cmp(&b) == Ordering::Less {
                a
            } else {
                b
            }
        }
        BinaryOp::Power => libm::pow(a, b),
        BinaryOp::Atan2 => libm::atan2(a, b),
        BinaryOp::NextAfter => next_after(dtype, a, b),
        BinaryOp::Polygamma => zeta::polygamma(a, b),
        BinaryOp::Zeta => zeta::zeta(a, b),
        BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRightArithmetic
        | BinaryOp::ShiftRightLogical
        | BinaryOp::Complex
        | BinaryOp::Mulhi => return None,
    })
}

/// The neighbour of `a` among the values of a float type, on the way to `b`.
fn next_after(dtype: DType, a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    if a == b {
        return b;
    }
    let size = dtype.size();
    let value = |code: u64| decode_f64(dtype, &code.to_le_bytes()[..size]);
    if a == 0.0 {
        return value(1).copysign(b);
    }
    let mut code = [0; 8];
    code[..size].copy_from_slice(&encode_f64(dtype, a));
    let code = u64::from_le_bytes(code);
    // Codes of one sign grow with the size of the value.
    let away = (b > a) == (a > 0.0);
    value(if away { code + 1 } else { code - 1 })
}

/// op(a, b) of complex numbers, unrounded.
pub(crate) fn binary_complex(op: BinaryOp, a: complex::C, b: complex::C) -> Option<complex::C> {
    Some(match op {
        BinaryOp::Add => complex::add(a, b),
        BinaryOp::Maximum => complex::extreme(a, b, |a, b| b < a),
        BinaryOp::Minimum => complex::extreme(a, b, |a, b| a < b),
        BinaryOp::Subtract => complex::sub(a, b),
        BinaryOp::Multiply => complex::mul(a, b),
        BinaryOp::Divide => complex::div(a, b),
        BinaryOp::Power => complex::pow(a, b),
        BinaryOp::Atan2 => complex::atan2(a, b),
        BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Remainder
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRightArithmetic
        | BinaryOp::ShiftRightLogical
        | BinaryOp::Xor
        | BinaryOp::Complex
        | BinaryOp::Mulhi
        | BinaryOp::NextAfter
        | BinaryOp::Polygamma
        | BinaryOp::Zeta => return None,
    })
}

/// Whether x stands in the relation to y. Unordered floats are only `NE`; complex numbers compare by
/// (real, imaginary).
pub(super) fn compare(direction: Comparison, total_order: bool, x: Scalar, y: Scalar) -> bool {
    let order = match (x, y) {
        (Scalar::Bool(a), Scalar::Bool(b)) => Some(a.cmp(&b)),
        (Scalar::Int(a), Scalar::Int(b)) => Some(a.cmp(&b)),
        (Scalar::Float(a), Scalar::Float(b)) if total_order => Some(a.total_cmp(&b)),
        (Scalar::Float(a), Scalar::Float(b)) => a.partial_cmp(&b),
        (Scalar::Complex(a, b), Scalar::Complex(c, d)) => match a.partial_cmp(&c) {
            Some(Ordering::Equal) => b.partial_cmp(&d),
            other => other,
        },
        _ => None,
    };
    match direction {
        Comparison::Eq => order == Some(Ordering::Equal),
        Comparison::Ne => order != Some(Ordering::Equal),
        Comparison::Ge => order.is_some_and(Ordering::is_ge),
        Comparison::Gt => order.is_some_and(Ordering::is_gt),
        Comparison::Le => order.is_some_and(Ordering::is_le),
        Comparison::Lt => order.is_some_and(Ordering::is_lt),
    }
}

/// min(max(x, lo), hi) for an element type that has an order.
pub(super) fn clamp(dtype: DType, lo: Scalar, x: Scalar, hi: Scalar) -> Result<Scalar> {
    if dtype.class() == DTypeClass::Complex {
        return Err(undefined("clamp", dtype));
    }
    let raised = binary(BinaryOp::Maximum, dtype, x, lo)?;
    binary(BinaryOp::Minimum, dtype, raised, hi)
}
