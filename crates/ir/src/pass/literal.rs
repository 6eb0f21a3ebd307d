//! Computing on constants, where the result is the same on every device.
//!
//! Integers, booleans, sign changes, comparisons and moves of elements; conversions that round at most once. Not
//! float arithmetic (devices differ on subnormals and NaN bits), not integer overflow. `None` says: leave it.

use crate::dtype::{DType, DTypeClass, TensorType};
use crate::literal::{Literal, decode_f64, decode_i64, encode_f64, encode_i64};
use crate::op::{BinaryOp, Comparison, UnaryOp};

/// Most elements of a constant that is not a splat and is computed at compile time.
const MAX_ELEMENTS: usize = 4096;

/// `f` on each element.
fn map(x: &Literal, ty: &TensorType, f: impl Fn(&[u8]) -> Option<Vec<u8>>) -> Option<Literal> {
    if let Some(e) = x.splat_bytes() {
        return Literal::splat(ty.clone(), &f(e)?);
    }
    build(ty, |i| f(x.element(i)))
}

/// `f` on each pair of elements.
fn zip(
    x: &Literal,
    y: &Literal,
    ty: &TensorType,
    f: impl Fn(&[u8], &[u8]) -> Option<Vec<u8>>,
) -> Option<Literal> {
    if let (Some(a), Some(b)) = (x.splat_bytes(), y.splat_bytes()) {
        return Literal::splat(ty.clone(), &f(a, b)?);
    }
    build(ty, |i| f(x.element(i), y.element(i)))
}

/// Element by element.
pub(super) fn build(ty: &TensorType, element: impl Fn(usize) -> Option<Vec<u8>>) -> Option<Literal> {
    if ty.count() > MAX_ELEMENTS {
        return None;
    }
    let elements: Vec<Vec<u8>> = (0..ty.count()).map(element).collect::<Option<_>>()?;
    Literal::dense(ty.clone(), elements.concat())
}

/// An integer or a bool, exactly.
fn whole(dtype: DType, e: &[u8]) -> i128 {
    let v = decode_i64(dtype, e);
    if dtype == DType::U64 { i128::from(v as u64) } else { i128::from(v) }
}

/// The element holding `v`; `None` when it does not fit.
fn encode_whole(dtype: DType, v: i128) -> Option<Vec<u8>> {
    let e = match dtype {
        DType::Bool => return (0..=1).contains(&v).then(|| vec![v as u8]),
        DType::U64 => u64::try_from(v).ok()?.to_le_bytes().to_vec(),
        DType::I2
        | DType::I4
        | DType::I8
        | DType::I16
        | DType::I32
        | DType::I64
        | DType::U2
        | DType::U4
        | DType::U8
        | DType::U16
        | DType::U32 => encode_i64(dtype, i64::try_from(v).ok()?),
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
        | DType::BF16
        | DType::F32
        | DType::F64
        | DType::C64
        | DType::C128 => return None,
    };
    // Encoding saturates.
    (whole(dtype, &e) == v).then_some(e)
}

/// A bool of any byte counts as 0 or 1 elsewhere; only those two are computed with.
fn is_whole(dtype: DType, e: &[u8]) -> bool {
    match dtype.class() {
        DTypeClass::Bool => e[0] <= 1,
        DTypeClass::Signed | DTypeClass::Unsigned => true,
        DTypeClass::Float | DTypeClass::Complex => false,
    }
}

pub(super) fn unary(op: UnaryOp, x: &Literal) -> Option<Literal> {
    let d = x.ty().dtype();
    if d.is_float() {
        let (keep, flip) = if op == UnaryOp::Negate { (0xff, 0x80) } else { (0x7f, 0) };
        if !(op == UnaryOp::Negate || op == UnaryOp::Abs) {
            return None;
        }
        return map(x, x.ty(), |e| {
            let (sign, rest) = e.split_last()?;
            Some([rest, &[sign & keep ^ flip]].concat())
        });
    }
    map(x, x.ty(), |e| {
        let v = is_whole(d, e).then(|| whole(d, e))?;
        encode_whole(d, whole_unary(op, d, v)?)
    })
}

fn whole_unary(op: UnaryOp, dtype: DType, v: i128) -> Option<i128> {
    match op {
        UnaryOp::Abs => Some(v.abs()),
        UnaryOp::Negate => Some(-v),
        UnaryOp::Sign => Some(v.signum()),
        UnaryOp::Square => v.checked_mul(v),
        UnaryOp::Not => (dtype == DType::Bool).then_some(1 - v),
        UnaryOp::Cbrt
        | UnaryOp::Ceil
        | UnaryOp::Cosine
        | UnaryOp::CountLeadingZeros
        | UnaryOp::Exponential
        | UnaryOp::ExponentialMinusOne
        | UnaryOp::Floor
        | UnaryOp::IsFinite
        | UnaryOp::Log
        | UnaryOp::LogPlusOne
        | UnaryOp::Logistic
        | UnaryOp::Popcnt
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
        | UnaryOp::Sinh => None,
    }
}

pub(super) fn binary(op: BinaryOp, x: &Literal, y: &Literal) -> Option<Literal> {
    let d = x.ty().dtype();
    zip(x, y, x.ty(), |a, b| {
        if !is_whole(d, a) || !is_whole(d, b) {
            return None;
        }
        let (v, w) = (whole(d, a), whole(d, b));
        let result = match op {
            // StableHLO: on bool, add is or, multiply is and.
            BinaryOp::Add if d == DType::Bool => v | w,
            BinaryOp::Add => v + w,
            BinaryOp::Subtract => v - w,
            BinaryOp::Multiply => v.checked_mul(w)?,
            BinaryOp::Maximum => v.max(w),
            BinaryOp::Minimum => v.min(w),
            BinaryOp::And => v & w,
            BinaryOp::Or => v | w,
            BinaryOp::Xor => v ^ w,
            // Both round towards zero.
            BinaryOp::Divide if w != 0 => v / w,
            BinaryOp::Remainder if w != 0 => v % w,
            BinaryOp::Divide
            | BinaryOp::Remainder
            | BinaryOp::Atan2
            | BinaryOp::Power
            | BinaryOp::ShiftLeft
            | BinaryOp::ShiftRightArithmetic
            | BinaryOp::ShiftRightLogical
            | BinaryOp::Complex
            | BinaryOp::Mulhi
            | BinaryOp::NextAfter
            | BinaryOp::Polygamma
            | BinaryOp::Zeta => return None,
        };
        encode_whole(d, result)
    })
}

pub(super) fn compare(direction: Comparison, total_order: bool, x: &Literal, y: &Literal) -> Option<Literal> {
    let d = x.ty().dtype();
    if d.class() == DTypeClass::Complex || (total_order && d.is_float()) {
        return None;
    }
    zip(x, y, &x.ty().with_dtype(DType::Bool), |a, b| {
        let order = if d.is_float() {
            decode_f64(d, a).partial_cmp(&decode_f64(d, b))
        } else if is_whole(d, a) && is_whole(d, b) {
            Some(whole(d, a).cmp(&whole(d, b)))
        } else {
            return None;
        };
        // Nothing compares with NaN; only NE holds.
        let holds = match direction {
            Comparison::Eq => order.is_some_and(|o| o.is_eq()),
            Comparison::Ne => order.is_none_or(|o| o.is_ne()),
            Comparison::Ge => order.is_some_and(|o| o.is_ge()),
            Comparison::Gt => order.is_some_and(|o| o.is_gt()),
            Comparison::Le => order.is_some_and(|o| o.is_le()),
            Comparison::Lt => order.is_some_and(|o| o.is_lt()),
        };
        Some(vec![u8::from(holds)])
    })
}

pub(super) fn convert(x: &Literal, to: DType) -> Option<Literal> {
    let from = x.ty().dtype();
    let ty = TensorType::try_new(to, x.ty().shape().to_vec())?;
    map(x, &ty, |e| convert_element(from, to, e))
}

fn convert_element(from: DType, to: DType, e: &[u8]) -> Option<Vec<u8>> {
    // Exact in f64, so that there is one rounding.
    const EXACT: i128 = 1 << 53;
    match (from.class(), to.class()) {
        (DTypeClass::Complex, _) | (_, DTypeClass::Complex) => None,
        (DTypeClass::Float, DTypeClass::Float) => {
            let v = decode_f64(from, e);
            let bytes = encode_f64(to, v);
            // Beyond the largest finite value, and NaN, types differ in what they have.
            let finite = v.is_finite() && decode_f64(to, &bytes).is_finite();
            (finite || (v.is_infinite() && decode_f64(to, &bytes) == v)).then_some(bytes)
        }
        (DTypeClass::Float, DTypeClass::Bool) => {
            let v = decode_f64(from, e);
            (!v.is_nan()).then(|| vec![u8::from(v != 0.0)])
        }
        (DTypeClass::Float, DTypeClass::Signed | DTypeClass::Unsigned) => {
            let v = decode_f64(from, e);
            if v.abs() < EXACT as f64 { encode_whole(to, v.trunc() as i128) } else { None }
        }
        (DTypeClass::Bool | DTypeClass::Signed | DTypeClass::Unsigned, _) if !is_whole(from, e) => None,
        (DTypeClass::Bool | DTypeClass::Signed | DTypeClass::Unsigned, class) => {
            let v = whole(from, e);
            match class {
                DTypeClass::Bool => Some(vec![u8::from(v != 0)]),
                DTypeClass::Float if v.abs() <= EXACT => {
                    let bytes = encode_f64(to, v as f64);
                    decode_f64(to, &bytes).is_finite().then_some(bytes)
                }
                DTypeClass::Signed | DTypeClass::Unsigned => encode_whole(to, v),
                DTypeClass::Float | DTypeClass::Complex => None,
            }
        }
    }
}

/// Elements of `x` from `offset` on with a step per dimension of `ty` (a step of 0 repeats).
fn strided(x: &Literal, ty: &TensorType, offset: isize, steps: &[isize]) -> Option<Literal> {
    if let Some(e) = x.splat_bytes() {
        return Literal::splat(ty.clone(), e);
    }
    build(ty, |i| {
        let mut rest = i;
        let mut at = offset;
        for (&n, &step) in ty.shape().iter().zip(steps).rev() {
            at += (rest % n) as isize * step;
            rest /= n;
        }
        Some(x.element(usize::try_from(at).ok()?).to_vec())
    })
}

/// Row-major distance between neighbours along each dimension.
fn row_major(shape: &[usize]) -> Vec<isize> {
    let mut steps = vec![1; shape.len()];
    for d in (1..shape.len()).rev() {
        steps[d - 1] = steps[d] * shape[d] as isize;
    }
    steps
}

pub(super) fn broadcast(x: &Literal, shape: &[usize], dims: &[usize]) -> Option<Literal> {
    let ty = TensorType::try_new(x.ty().dtype(), shape.to_vec())?;
    let mut steps = vec![0; shape.len()];
    for ((&d, step), &n) in dims.iter().zip(row_major(x.ty().shape())).zip(x.ty().shape()) {
        steps[d] = if n == 1 { 0 } else { step };
    }
    strided(x, &ty, 0, &steps)
}

pub(super) fn transpose(x: &Literal, permutation: &[usize]) -> Option<Literal> {
    let steps = row_major(x.ty().shape());
    let shape = permutation.iter().map(|&p| x.ty().shape()[p]).collect();
    let ty = TensorType::try_new(x.ty().dtype(), shape)?;
    strided(x, &ty, 0, &permutation.iter().map(|&p| steps[p]).collect::<Vec<_>>())
}

pub(super) fn slice(x: &Literal, ty: &TensorType, starts: &[usize], strides: &[usize]) -> Option<Literal> {
    let steps = row_major(x.ty().shape());
    let offset = steps.iter().zip(starts).map(|(&step, &s)| step * s as isize).sum();
    // A stride beyond the size is never taken twice.
    let stride = |d: usize| strides[d].min(x.ty().shape()[d]) as isize;
    let steps: Vec<isize> = steps.iter().enumerate().map(|(d, &step)| step * stride(d)).collect();
    strided(x, ty, offset, &steps)
}

pub(super) fn reverse(x: &Literal, dims: &[usize]) -> Option<Literal> {
    let mut steps = row_major(x.ty().shape());
    let mut offset = 0;
    for &d in dims {
        offset += steps[d] * (x.ty().shape()[d] as isize - 1);
        steps[d] = -steps[d];
    }
    strided(x, x.ty(), offset, &steps)
}
