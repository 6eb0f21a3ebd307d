//! What the `check` operations ask of two tensors. The meaning is that of `stablehlo/tests/CheckOps.td` and of the
//! interpreter's fallback for custom calls.

use pullback_eval::Tensor;
use pullback_ir::literal::decode_f64;
use pullback_ir::{DType, DTypeClass};

/// How close two tensors must be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Closeness {
    /// Equal as numbers: -0 equals 0, and a NaN a NaN. (To the checkout's interpreter a NaN equals nothing, so it
    /// cannot run tests whose results have one.)
    Equal,
    /// Equal as integers, else within 1e-4.
    EqualOrAlmost,
    /// Equal as bits, for values that went through a file.
    SameBits,
    /// Within an absolute tolerance; a NaN is close to a NaN.
    Almost(f64),
    /// Within a bound relative to the magnitude of the whole number.
    Relative(f64),
    /// At least and at most so many representable values apart; a NaN is 0 apart from a NaN.
    Ulps { min: u64, max: u64 },
}

/// How many differences are listed.
const LISTED: usize = 4;

/// What differs, if anything.
pub fn compare(actual: &Tensor, expected: &Tensor, closeness: Closeness) -> Result<(), String> {
    if actual.ty() != expected.ty() {
        return Err(format!("the result is {}, expected {}", actual.ty(), expected.ty()));
    }
    let dtype = actual.dtype();
    let mut differences = Vec::new();
    let mut count = 0;
    for i in 0..actual.count() {
        let (a, e) = (actual.element(i), expected.element(i));
        let parts =
            |b: &'_ [u8]| -> Vec<Vec<u8>> { b.chunks(part(dtype).size()).map(<[u8]>::to_vec).collect() };
        let is_close = match closeness {
            Closeness::Relative(bound) => near(&parts(a), &parts(e), part(dtype), bound),
            _ => parts(a).iter().zip(&parts(e)).all(|(a, e)| close(part(dtype), a, e, closeness)),
        };
        if !is_close {
            count += 1;
            if differences.len() < LISTED {
                let at = index(actual.shape(), i);
                let apart = match closeness {
                    Closeness::Ulps { .. } => format!(", {} ulp apart", ulps_of(dtype, a, e)),
                    _ => String::new(),
                };
                differences.push(format!(
                    "at {at:?}: {}, expected {}{apart}",
                    show(dtype, a),
                    show(dtype, e)
                ));
            }
        }
    }
    if count == 0 {
        return Ok(());
    }
    let kind = format!("{count} of {} elements of {} differ ({closeness:?})", actual.count(), actual.ty());
    Err(format!("{kind}: {}", differences.join("; ")))
}

/// The element type of a part of a complex number; else the type itself.
fn part(dtype: DType) -> DType {
    match dtype {
        DType::C64 => DType::F32,
        DType::C128 => DType::F64,
        other => other,
    }
}

fn close(dtype: DType, a: &[u8], e: &[u8], closeness: Closeness) -> bool {
    let is_float = dtype.class() == DTypeClass::Float;
    let (x, y) = (decode_f64(dtype, a), decode_f64(dtype, e));
    match closeness {
        Closeness::SameBits => a == e || (is_float && x.is_nan() && y.is_nan()),
        Closeness::Equal | Closeness::EqualOrAlmost if !is_float => a == e,
        Closeness::Equal => x == y || (x.is_nan() && y.is_nan()),
        Closeness::EqualOrAlmost => almost(x, y, 1e-4),
        Closeness::Almost(_) | Closeness::Ulps { .. } | Closeness::Relative(_) if !is_float => a == e,
        Closeness::Almost(tolerance) => almost(x, y, tolerance),
        // Of whole numbers: see `near`.
        Closeness::Relative(_) => false,
        Closeness::Ulps { min, max } => (min..=max).contains(&ulps(dtype, a, e)),
    }
}

/// Whether the distance is within a bound relative to the magnitude, or both are infinite or NaN in the same parts.
fn near(a: &[Vec<u8>], e: &[Vec<u8>], part: DType, bound: f64) -> bool {
    let numbers = |parts: &[Vec<u8>]| -> Vec<f64> { parts.iter().map(|p| decode_f64(part, p)).collect() };
    let (a, e) = (numbers(a), numbers(e));
    let magnitude = e.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    a.iter().zip(&e).all(|(x, y)| x == y || (x.is_nan() && y.is_nan()) || (x - y).abs() <= bound * magnitude)
}

fn almost(x: f64, y: f64, tolerance: f64) -> bool {
    if x.is_nan() || y.is_nan() {
        return x.is_nan() == y.is_nan();
    }
    x == y || (x.is_finite() && y.is_finite() && (x - y).abs() <= tolerance)
}

/// Largest distance of the parts.
fn ulps_of(dtype: DType, a: &[u8], e: &[u8]) -> u64 {
    let size = part(dtype).size();
    a.chunks(size).zip(e.chunks(size)).map(|(a, e)| ulps(part(dtype), a, e)).max().unwrap_or(0)
}

/// Representable values between two; none between NaNs, as many as can be between a finite one and another.
fn ulps(dtype: DType, a: &[u8], e: &[u8]) -> u64 {
    let (x, y) = (decode_f64(dtype, a), decode_f64(dtype, e));
    if a == e || (x.is_nan() && y.is_nan()) {
        return 0;
    }
    if !x.is_finite() || !y.is_finite() {
        return u64::MAX;
    }
    // The bits of the magnitude count representable values from zero.
    let sign = 1u64 << (8 * a.len() - 1);
    let bits = |b: &[u8]| b.iter().rev().fold(0u64, |n, &x| n << 8 | u64::from(x));
    let (m, n) = (bits(a) & !sign, bits(e) & !sign);
    if (bits(a) ^ bits(e)) & sign != 0 { m.saturating_add(n) } else { m.abs_diff(n) }
}

fn show(dtype: DType, b: &[u8]) -> String {
    let of = |b: &[u8]| match dtype.class() {
        DTypeClass::Float | DTypeClass::Complex => format!("{:?}", decode_f64(part(dtype), b)),
        DTypeClass::Bool | DTypeClass::Signed | DTypeClass::Unsigned => {
            format!("{}", pullback_ir::literal::decode_i64(dtype, b))
        }
    };
    let parts: Vec<String> = b.chunks(part(dtype).size()).map(of).collect();
    if parts.len() == 1 { parts[0].clone() } else { format!("({})", parts.join(", ")) }
}

/// The coordinates of a row-major position.
fn index(shape: &[usize], mut at: usize) -> Vec<usize> {
    let mut index = vec![0; shape.len()];
    for (i, &d) in shape.iter().enumerate().rev() {
        index[i] = at % d.max(1);
        at /= d.max(1);
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;
    use pullback_ir::TensorType;

    fn f32s(values: &[f32]) -> Tensor {
        Tensor::from_slice(&[values.len()], values).unwrap()
    }

    #[test]
    fn equal_is_of_numbers() {
        let eq = |a: f32, b: f32| compare(&f32s(&[a]), &f32s(&[b]), Closeness::Equal).is_ok();
        assert!(eq(0.0, -0.0));
        assert!(eq(f32::NAN, f32::NAN) && !eq(f32::NAN, 1.0));
        assert!(!eq(1.0, 1.0 + f32::EPSILON));
    }

    #[test]
    fn almost_is_absolute_and_knows_nan() {
        let close = |a: f32, b: f32| compare(&f32s(&[a]), &f32s(&[b]), Closeness::Almost(0.1)).is_ok();
        assert!(close(1.0, 1.05) && close(f32::NAN, f32::NAN) && close(f32::INFINITY, f32::INFINITY));
        assert!(!close(1.0, 1.2) && !close(f32::NAN, 0.0) && !close(f32::INFINITY, f32::MAX));
    }

    #[test]
    fn ulps_count_representable_values() {
        let next = f32::from_bits(1.0f32.to_bits() + 2);
        let within = |a, b, max| compare(&f32s(&[a]), &f32s(&[b]), Closeness::Ulps { min: 0, max }).is_ok();
        assert!(within(1.0, next, 2) && !within(1.0, next, 1));
        let tiny = f32::from_bits(1);
        assert!(within(tiny, -tiny, 2) && !within(tiny, -tiny, 1));
        assert!(within(f32::NAN, -f32::NAN, 0) && !within(f32::INFINITY, f32::MAX, 1000));
    }

    #[test]
    fn parts_of_complex_numbers_count_each() {
        let ty = TensorType::new(DType::C64, [1]);
        let c = |re: f32, im: f32| {
            Tensor::from_bytes(ty.clone(), &[re.to_le_bytes(), im.to_le_bytes()].concat()).unwrap()
        };
        assert!(compare(&c(1.0, 2.0), &c(1.0, 2.0), Closeness::Equal).is_ok());
        let message = compare(&c(1.0, 2.0), &c(1.0, 3.0), Closeness::Equal).unwrap_err();
        assert!(message.contains("(1.0, 2.0), expected (1.0, 3.0)"), "{message}");
    }
}
