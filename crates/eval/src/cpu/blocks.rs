//! Elements of any type as blocks of f64 or of 64-bit integers, and back: what loops over scalar functions work on.
//!
//! What must hold: a float is read as the f64 it equals, and an f64 is rounded once when it is written, to nearest
//! even, as [`pullback_ir::literal`] says. Integers are read with their sign and written modulo their width. Floats of
//! eight bits and less go through tables of that conversion.

use pullback_ir::literal::{decode_f64, encode_f64};
use pullback_ir::{DType, DTypeClass};
use std::sync::OnceLock;

/// Elements of a block.
pub(super) const BLOCK: usize = 128;

/// A float type of eight bits or less as tables.
pub(super) struct Narrow {
    numbers: [f64; 256],
    /// By sign, exponent and five fraction bits of an f32, and whether anything follows them: no narrow type has more
    /// than four fraction bits, so that is enough to round by.
    codes: Vec<u8>,
}

/// Bits of an f32 that a code does not depend on, but for their being 0.
const REST: u32 = 17;

impl Narrow {
    /// The tables of a type, made on first use; `None` for other types.
    pub(super) fn of(dtype: DType) -> Option<&'static Self> {
        static TABLES: [OnceLock<Narrow>; DType::ALL.len()] = [const { OnceLock::new() }; DType::ALL.len()];
        if !dtype.is_float() || dtype.size() != 1 {
            return None;
        }
        let at = DType::ALL.iter().position(|&d| d == dtype)?;
        Some(TABLES[at].get_or_init(|| Self::new(dtype)))
    }

    fn new(dtype: DType) -> Self {
        let numbers = std::array::from_fn(|code| decode_f64(dtype, &[code as u8]));
        let number = |key: u32| f64::from(f32::from_bits(key << REST));
        let codes = (0..1 << (32 - REST)).map(|key| encode_f64(dtype, number(key))[0]).collect();
        Self { numbers, codes }
    }

    /// The number of a code.
    #[inline(always)]
    pub(super) fn decode(&self, code: u8) -> f64 {
        self.numbers[usize::from(code)]
    }

    /// The code of a number, rounded to nearest even.
    #[inline(always)]
    pub(super) fn encode(&self, v: f64) -> u8 {
        let bits = f32_odd(v).to_bits();
        let key = bits >> REST | u32::from(bits & ((1 << REST) - 1) != 0);
        self.codes[key as usize]
    }
}

/// `v` as an f32 of which rounding to a narrower type gives what rounding of `v` gives: inexact values become the
/// neighbour whose last bit is odd.
#[inline(always)]
pub(super) fn f32_odd(v: f64) -> f32 {
    let nearest = v as f32;
    if f64::from(nearest) == v || v.is_nan() {
        return nearest;
    }
    let up = f64::from(nearest).abs() > v.abs();
    f32::from_bits((nearest.to_bits() - u32::from(up)) | 1)
}

/// # Safety
/// `x` points to as many readable elements as `out` has.
unsafe fn each<A: Copy, B>(x: *const u8, out: &mut [B], f: impl Fn(A) -> B) {
    // SAFETY: promised by the caller.
    let xs = unsafe { std::slice::from_raw_parts(x.cast::<A>(), out.len()) };
    for (o, &x) in out.iter_mut().zip(xs) {
        *o = f(x);
    }
}

/// # Safety
/// `out` points to as many writable elements as `v` has, which nothing else touches.
unsafe fn put<A: Copy, B>(v: &[A], out: *mut u8, f: impl Fn(A) -> B) {
    // SAFETY: promised by the caller.
    let out = unsafe { std::slice::from_raw_parts_mut(out.cast::<B>(), v.len()) };
    for (o, &v) in out.iter_mut().zip(v) {
        *o = f(v);
    }
}

/// Reads floats, or integers and bools as the nearest f64 (exact below 2^53).
///
/// # Safety
/// `x` points to as many readable elements of the type, not a complex one, as `out` has.
pub(super) unsafe fn numbers(dtype: DType, x: *const u8, out: &mut [f64]) {
    // SAFETY: promised by the caller.
    unsafe {
        match dtype {
            DType::F64 => each(x, out, |v: f64| v),
            DType::F32 => each(x, out, |v: f32| f64::from(v)),
            DType::F16 => each(x, out, |v: half::f16| f64::from(v.to_f32())),
            DType::BF16 => each(x, out, |v: half::bf16| f64::from(v.to_f32())),
            DType::U64 => each(x, out, |v: u64| v as f64),
            DType::I64 => each(x, out, |v: i64| v as f64),
            DType::U32 => each(x, out, |v: u32| f64::from(v)),
            DType::I32 => each(x, out, |v: i32| f64::from(v)),
            DType::U16 => each(x, out, |v: u16| f64::from(v)),
            DType::I16 => each(x, out, |v: i16| f64::from(v)),
            DType::I8 | DType::I4 | DType::I2 => each(x, out, |v: i8| f64::from(v)),
            DType::U8 | DType::U4 | DType::U2 => each(x, out, |v: u8| f64::from(v)),
            DType::Bool => each(x, out, |v: u8| f64::from(u8::from(v != 0))),
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
            | DType::F8E8M0FNU => {
                let table = Narrow::of(dtype).expect("a narrow float type");
                each(x, out, |code: u8| table.decode(code));
            }
            DType::C64 | DType::C128 => unreachable!("complex elements are read as pairs"),
        }
    }
}

/// Writes numbers as floats, each rounded once.
///
/// # Safety
/// `out` points to as many writable elements of the type, a float one, as `v` has.
pub(super) unsafe fn put_numbers(dtype: DType, v: &[f64], out: *mut u8) {
    // SAFETY: promised by the caller.
    unsafe {
        match (Narrow::of(dtype), dtype.size()) {
            (Some(table), _) => put(v, out, |v| table.encode(v)),
            (None, 2) if dtype == DType::F16 => put(v, out, |v| half::f16::from_f32(f32_odd(v))),
            (None, 2) => put(v, out, |v| half::bf16::from_f32(f32_odd(v))),
            (None, 4) => put(v, out, |v| v as f32),
            (None, _) => put(v, out, |v| v),
        }
    }
}

/// Reads complex elements, or reals with imaginary parts 0.
///
/// # Safety
/// `x` points to as many readable elements of the type as `re` and `im` have, which are as long.
pub(super) unsafe fn pairs(dtype: DType, x: *const u8, re: &mut [f64], im: &mut [f64]) {
    // SAFETY: promised by the caller.
    unsafe {
        if dtype == DType::C64 {
            each(x, re, |v: [f32; 2]| f64::from(v[0]));
            each(x, im, |v: [f32; 2]| f64::from(v[1]));
        } else if dtype == DType::C128 {
            each(x, re, |v: [f64; 2]| v[0]);
            each(x, im, |v: [f64; 2]| v[1]);
        } else {
            numbers(dtype, x, re);
            im.fill(0.0);
        }
    }
}

/// Writes complex elements, each part rounded once.
///
/// # Safety
/// `out` points to as many writable elements of the type, a complex one, as `re` and `im` have, which are as long.
pub(super) unsafe fn put_pairs(dtype: DType, re: &[f64], im: &[f64], out: *mut u8) {
    let n = re.len();
    // SAFETY: promised by the caller.
    unsafe {
        if dtype == DType::C64 {
            let out = std::slice::from_raw_parts_mut(out.cast::<[f32; 2]>(), n);
            out.iter_mut().zip(re).zip(im).for_each(|((o, &a), &b)| *o = [a as f32, b as f32]);
        } else {
            let out = std::slice::from_raw_parts_mut(out.cast::<[f64; 2]>(), n);
            out.iter_mut().zip(re).zip(im).for_each(|((o, &a), &b)| *o = [a, b]);
        }
    }
}

/// Reads integers and bools; u64 by its bits.
///
/// # Safety
/// `x` points to as many readable elements of the type, an integer one or bool, as `out` has.
pub(super) unsafe fn integers(dtype: DType, x: *const u8, out: &mut [i64]) {
    let signed = dtype.class() == DTypeClass::Signed;
    // SAFETY: promised by the caller.
    unsafe {
        match (dtype.size(), signed) {
            (1, true) => each(x, out, |v: i8| i64::from(v)),
            (1, false) if dtype == DType::Bool => each(x, out, |v: u8| i64::from(v != 0)),
            (1, false) => each(x, out, |v: u8| i64::from(v)),
            (2, true) => each(x, out, |v: i16| i64::from(v)),
            (2, false) => each(x, out, |v: u16| i64::from(v)),
            (4, true) => each(x, out, |v: i32| i64::from(v)),
            (4, false) => each(x, out, |v: u32| i64::from(v)),
            _ => each(x, out, |v: i64| v),
        }
    }
}

/// `v` modulo 2^bits of an integer type of less than a byte, with its sign where it has one.
#[inline(always)]
pub(super) fn wrapped(v: i64, bits: u32, signed: bool) -> i64 {
    let unused = 64 - bits;
    if signed { v << unused >> unused } else { ((v as u64) << unused >> unused) as i64 }
}

/// Cuts bytes that hold integers of less than a byte to their width; bytes of other types stay.
pub(super) fn cut(dtype: DType, bytes: &mut [u8]) {
    let (bits, signed) = (dtype.bits(), dtype.class() == DTypeClass::Signed);
    if dtype.is_integer() && bits < 8 {
        bytes.iter_mut().for_each(|b| *b = wrapped(i64::from(*b), bits, signed) as u8);
    }
}

/// Writes integers modulo their width.
///
/// # Safety
/// `out` points to as many writable elements of the type, an integer one, as `v` has.
pub(super) unsafe fn put_integers(dtype: DType, v: &[i64], out: *mut u8) {
    let signed = dtype.class() == DTypeClass::Signed;
    // SAFETY: promised by the caller.
    unsafe {
        match dtype.size() {
            1 if dtype.bits() < 8 => {
                let bits = dtype.bits();
                put(v, out, |v| wrapped(v, bits, signed) as u8);
            }
            1 => put(v, out, |v| v as u8),
            2 => put(v, out, |v| v as u16),
            4 => put(v, out, |v| v as u32),
            _ => put(v, out, |v| v),
        }
    }
}

/// Writes numbers as integers: truncated and saturated, NaN as 0.
///
/// # Safety
/// As for [`put_integers`].
pub(super) unsafe fn put_saturated(dtype: DType, v: &[f64], out: *mut u8) {
    // SAFETY: promised by the caller.
    unsafe {
        match (dtype.bits(), dtype.class() == DTypeClass::Signed) {
            (64, true) => put(v, out, |v| v as i64),
            (64, false) => put(v, out, |v| v as u64),
            (32, true) => put(v, out, |v| v as i32),
            (32, false) => put(v, out, |v| v as u32),
            (16, true) => put(v, out, |v| v as i16),
            (16, false) => put(v, out, |v| v as u16),
            (8, true) => put(v, out, |v| v as i8),
            (8, false) => put(v, out, |v| v as u8),
            (bits, signed) => {
                let (low, high) = match signed {
                    true => (-(1 << (bits - 1)), (1 << (bits - 1)) - 1),
                    false => (0, (1 << bits) - 1),
                };
                put(v, out, |v| (v as i64).clamp(low, high) as u8);
            }
        }
    }
}

/// Writes whether each condition holds as bools.
///
/// # Safety
/// `out` points to as many writable bytes as `v` has elements.
pub(super) unsafe fn put_bools<A: Copy>(v: &[A], out: *mut u8, f: impl Fn(A) -> bool) {
    // SAFETY: promised by the caller.
    unsafe { put(v, out, |v| u8::from(f(v))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers at, beside and between the codes' numbers round as in the literals.
    #[test]
    fn tables_round_like_literals() {
        for dtype in DType::ALL.into_iter().filter(|d| d.is_float() && d.size() == 1) {
            let table = Narrow::of(dtype).expect("narrow");
            let mut numbers: Vec<f64> = (0..=u8::MAX).map(|c| table.decode(c)).collect();
            numbers.sort_by(f64::total_cmp);
            let middles: Vec<f64> = numbers.windows(2).map(|w| w[0] / 2.0 + w[1] / 2.0).collect();
            numbers.extend(middles);
            numbers.extend([f64::MAX, f64::INFINITY, f64::NAN, 1e-300, 1e39, 3.4e38, 65520.0]);
            for v in numbers {
                for v in [v, v.next_up(), v.next_down(), v * (1.0 + 1e-7), v * (1.0 - 1e-7), v * 2.0] {
                    for v in [v, -v] {
                        assert_eq!(table.encode(v), encode_f64(dtype, v)[0], "{dtype} {v:e}");
                    }
                }
            }
        }
    }
}
