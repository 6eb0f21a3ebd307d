//! Elementwise ops without a vector kernel: the reference's functions of scalars in loops over typed blocks.
//!
//! What must hold: bits are the reference's. Floats are computed in f64 and rounded once, integers in 64 bits and cut
//! to their width, complex numbers as pairs of f64.

use super::blocks::{
    BLOCK, integers, numbers, pairs, put_bools, put_integers, put_numbers, put_pairs, put_saturated, wrapped,
};
use crate::reference::bits::reduce_float;
use crate::reference::complex;
use crate::reference::elementwise::{binary_complex, binary_float, unary_complex, unary_float};
use pullback_ir::{BinaryOp, Comparison, DType, DTypeClass, Op, UnaryOp};
use std::cmp::Ordering;

const TRIED: &str = "the op was tried on these types when the kernel was chosen";

/// A block of elements of each operand, and room for the result.
struct Block {
    a: [f64; BLOCK],
    b: [f64; BLOCK],
    c: [f64; BLOCK],
    d: [f64; BLOCK],
    i: [i64; BLOCK],
    j: [i64; BLOCK],
}

/// Computes `len` elements of an elementwise op other than select and clamp.
///
/// # Safety
/// Operand pointers are aligned and readable, `out` aligned and writable for `len` elements of their types; `out`
/// overlaps no operand.
pub(super) unsafe fn run(
    op: &Op,
    types: &[DType],
    result: DType,
    ins: [*const u8; 3],
    out: *mut u8,
    len: usize,
) {
    let mut block = Block {
        a: [0.0; BLOCK],
        b: [0.0; BLOCK],
        c: [0.0; BLOCK],
        d: [0.0; BLOCK],
        i: [0; BLOCK],
        j: [0; BLOCK],
    };
    for at in (0..len).step_by(BLOCK) {
        let n = BLOCK.min(len - at);
        let place = |k: usize| match types.get(k) {
            Some(d) => ins[k].wrapping_add(at * d.size()),
            None => ins[0],
        };
        let to = out.wrapping_add(at * result.size());
        // SAFETY: promised by the caller.
        unsafe { block.run(op, types, result, (place(0), place(1)), to, n) };
    }
}

impl Block {
    /// # Safety
    /// As for [`run`], with at most a block of elements.
    unsafe fn run(
        &mut self,
        op: &Op,
        types: &[DType],
        result: DType,
        (x, y): (*const u8, *const u8),
        out: *mut u8,
        n: usize,
    ) {
        let d = types[0];
        // SAFETY: promised by the caller.
        unsafe {
            match (op, d.class()) {
                (Op::Convert { .. }, _) => self.convert(d, result, x, out, n),
                (Op::ReducePrecision { exponent_bits, mantissa_bits }, _) => {
                    let v = &mut self.a[..n];
                    numbers(d, x, v);
                    v.iter_mut().for_each(|v| *v = reduce_float(*v, *exponent_bits, *mantissa_bits));
                    put_numbers(d, v, out);
                }
                (Op::Unary(u), DTypeClass::Float) => self.unary_float(*u, d, x, out, n),
                (Op::Unary(u), DTypeClass::Complex) => self.unary_complex(*u, d, x, out, n),
                (Op::Unary(u), DTypeClass::Signed | DTypeClass::Unsigned | DTypeClass::Bool) => {
                    self.unary_int(*u, d, x, out, n);
                }
                (Op::Binary(b), DTypeClass::Float) => self.binary_float(*b, d, x, y, out, n),
                (Op::Binary(b), DTypeClass::Complex) => self.binary_complex(*b, d, x, y, out, n),
                (Op::Binary(b), DTypeClass::Signed | DTypeClass::Unsigned | DTypeClass::Bool) => {
                    self.binary_int(*b, d, x, y, out, n);
                }
                (Op::Compare { direction, total_order }, _) => {
                    self.compare(*direction, *total_order, d, x, y, out, n);
                }
                _ => unreachable!("not an elementwise op of scalars"),
            }
        }
    }

    /// # Safety
    /// As for [`run`].
    unsafe fn convert(&mut self, from: DType, to: DType, x: *const u8, out: *mut u8, n: usize) {
        let (v, im, i) = (&mut self.a[..n], &mut self.b[..n], &mut self.i[..n]);
        let whole = from.is_integer() || from == DType::Bool;
        // SAFETY: promised by the caller.
        unsafe {
            if whole && to.is_integer() {
                integers(from, x, i);
                return put_integers(to, i, out);
            }
            if whole && from.bits() == 64 && !matches!(to, DType::F64 | DType::C128 | DType::Bool) {
                // The nearest f64 could round once more on the way to fewer bits.
                integers(from, x, i);
                let unsigned = from == DType::U64;
                v.iter_mut().zip(&*i).for_each(|(v, &i)| *v = odd(i, unsigned));
                im.fill(0.0);
            } else {
                pairs(from, x, v, im);
            }
            match to.class() {
                DTypeClass::Bool => put_bools(v, out, |v| v != 0.0),
                DTypeClass::Signed | DTypeClass::Unsigned => put_saturated(to, v, out),
                DTypeClass::Float => put_numbers(to, v, out),
                DTypeClass::Complex => put_pairs(to, v, im, out),
            }
        }
    }

    /// # Safety
    /// As for [`run`].
    unsafe fn unary_float(&mut self, op: UnaryOp, d: DType, x: *const u8, out: *mut u8, n: usize) {
        let v = &mut self.a[..n];
        // SAFETY: promised by the caller.
        unsafe {
            numbers(d, x, v);
            if op == UnaryOp::IsFinite {
                return put_bools(v, out, f64::is_finite);
            }
            v.iter_mut().for_each(|v| *v = unary_float(op, *v).expect(TRIED));
            put_numbers(d, v, out);
        }
    }

    /// # Safety
    /// As for [`run`].
    unsafe fn unary_complex(&mut self, op: UnaryOp, d: DType, x: *const u8, out: *mut u8, n: usize) {
        let (re, im) = (&mut self.a[..n], &mut self.b[..n]);
        // SAFETY: promised by the caller.
        unsafe {
            pairs(d, x, re, im);
            if op == UnaryOp::Real {
                return put_numbers(d.part(), re, out);
            }
            if op == UnaryOp::Imag {
                return put_numbers(d.part(), im, out);
            }
            if op == UnaryOp::Abs {
                re.iter_mut().zip(&*im).for_each(|(r, &i)| *r = complex::abs((*r, i)));
                return put_numbers(d.part(), re, out);
            }
            for (r, i) in re.iter_mut().zip(im.iter_mut()) {
                (*r, *i) = unary_complex(op, (*r, *i)).expect(TRIED);
            }
            put_pairs(d, re, im, out);
        }
    }

    /// # Safety
    /// As for [`run`].
    unsafe fn unary_int(&mut self, op: UnaryOp, d: DType, x: *const u8, out: *mut u8, n: usize) {
        let v = &mut self.i[..n];
        let mask = u64::MAX >> (64 - d.bits());
        let zeros = 64 - d.bits();
        // SAFETY: promised by the caller.
        unsafe { integers(d, x, v) };
        let apply = |v: &mut [i64], f: &dyn Fn(i64) -> i64| v.iter_mut().for_each(|v| *v = f(*v));
        if op == UnaryOp::Abs {
            apply(v, &i64::wrapping_abs);
        } else if op == UnaryOp::Negate {
            apply(v, &i64::wrapping_neg);
        } else if op == UnaryOp::Sign {
            apply(v, &i64::signum);
        } else if op == UnaryOp::Not {
            apply(v, &|v| !v);
        } else if op == UnaryOp::Square {
            apply(v, &|v| v.wrapping_mul(v));
        } else if op == UnaryOp::Popcnt {
            apply(v, &|v| i64::from((v as u64 & mask).count_ones()));
        } else {
            assert_eq!(op, UnaryOp::CountLeadingZeros, "{TRIED}");
            apply(v, &|v| i64::from((v as u64 & mask).leading_zeros() - zeros));
        }
        // SAFETY: promised by the caller.
        unsafe { put_integers(d, v, out) };
    }

    /// # Safety
    /// As for [`run`].
    unsafe fn binary_float(
        &mut self,
        op: BinaryOp,
        d: DType,
        x: *const u8,
        y: *const u8,
        out: *mut u8,
        n: usize,
    ) {
        let (a, b) = (&mut self.a[..n], &mut self.b[..n]);
        let apply = |a: &mut [f64], b: &[f64], f: fn(f64, f64) -> f64| {
            a.iter_mut().zip(b).for_each(|(a, &b)| *a = f(*a, b));
        };
        // SAFETY: promised by the caller.
        unsafe {
            numbers(d, x, a);
            numbers(d, y, b);
            if op == BinaryOp::Complex {
                return put_pairs(d.complex().expect("the parts of complex numbers"), a, b, out);
            }
            // The function is chosen once for those that are quick.
            if op == BinaryOp::Add {
                apply(a, b, |a, b| a + b);
            } else if op == BinaryOp::Subtract {
                apply(a, b, |a, b| a - b);
            } else if op == BinaryOp::Multiply {
                apply(a, b, |a, b| a * b);
            } else if op == BinaryOp::Divide {
                apply(a, b, |a, b| a / b);
            } else {
                for (a, &b) in a.iter_mut().zip(&*b) {
                    *a = binary_float(op, d, *a, b).expect(TRIED);
                }
            }
            put_numbers(d, a, out);
        }
    }

    /// # Safety
    /// As for [`run`].
    unsafe fn binary_complex(
        &mut self,
        op: BinaryOp,
        t: DType,
        x: *const u8,
        y: *const u8,
        out: *mut u8,
        n: usize,
    ) {
        let (a, b, c, d) = (&mut self.a[..n], &mut self.b[..n], &mut self.c[..n], &mut self.d[..n]);
        // SAFETY: promised by the caller.
        unsafe {
            pairs(t, x, a, b);
            pairs(t, y, c, d);
        }
        let each = a.iter_mut().zip(b.iter_mut()).zip(c.iter().zip(&*d));
        if op == BinaryOp::Add {
            each.for_each(|((a, b), (c, d))| (*a, *b) = (*a + c, *b + d));
        } else if op == BinaryOp::Subtract {
            each.for_each(|((a, b), (c, d))| (*a, *b) = (*a - c, *b - d));
        } else if op == BinaryOp::Multiply {
            each.for_each(|((a, b), (&c, &d))| (*a, *b) = (*a * c - *b * d, *a * d + *b * c));
        } else {
            each.for_each(|((a, b), (&c, &d))| {
                (*a, *b) = binary_complex(op, (*a, *b), (c, d)).expect(TRIED);
            });
        }
        // SAFETY: promised by the caller.
        unsafe { put_pairs(t, a, b, out) };
    }

    /// # Safety
    /// As for [`run`].
    unsafe fn binary_int(
        &mut self,
        op: BinaryOp,
        d: DType,
        x: *const u8,
        y: *const u8,
        out: *mut u8,
        n: usize,
    ) {
        let (a, b) = (&mut self.i[..n], &mut self.j[..n]);
        // SAFETY: promised by the caller.
        unsafe {
            integers(d, x, a);
            integers(d, y, b);
        }
        // A match within the loop: the ops that are worth a vector loop have one on types of whole bytes.
        let (bits, signed) = (d.bits(), d.class() == DTypeClass::Signed);
        a.iter_mut().zip(&*b).for_each(|(a, &b)| *a = integer(op, bits, signed, *a, b));
        // SAFETY: promised by the caller.
        unsafe { put_integers(d, a, out) };
    }

    /// # Safety
    /// As for [`run`].
    unsafe fn compare(
        &mut self,
        direction: Comparison,
        total: bool,
        t: DType,
        x: *const u8,
        y: *const u8,
        out: *mut u8,
        n: usize,
    ) {
        let (a, b, c, d) = (&mut self.a[..n], &mut self.b[..n], &mut self.c[..n], &mut self.d[..n]);
        let mut orders = [None; BLOCK];
        let orders = &mut orders[..n];
        // SAFETY: promised by the caller.
        unsafe {
            if t.class() == DTypeClass::Complex || t.is_float() {
                pairs(t, x, a, b);
                pairs(t, y, c, d);
                for (k, o) in orders.iter_mut().enumerate() {
                    *o = match a[k].partial_cmp(&c[k]) {
                        _ if total && t.is_float() => Some(a[k].total_cmp(&c[k])),
                        Some(Ordering::Equal) => b[k].partial_cmp(&d[k]),
                        other => other,
                    };
                }
            } else {
                let (i, j) = (&mut self.i[..n], &mut self.j[..n]);
                integers(t, x, i);
                integers(t, y, j);
                for (o, (i, j)) in orders.iter_mut().zip(i.iter().zip(&*j)) {
                    *o = Some(if t == DType::U64 { (*i as u64).cmp(&(*j as u64)) } else { i.cmp(j) });
                }
            }
            put_bools(orders, out, |order: Option<Ordering>| match direction {
                Comparison::Eq => order == Some(Ordering::Equal),
                Comparison::Ne => order != Some(Ordering::Equal),
                Comparison::Ge => order.is_some_and(Ordering::is_ge),
                Comparison::Gt => order.is_some_and(Ordering::is_gt),
                Comparison::Le => order.is_some_and(Ordering::is_le),
                Comparison::Lt => order.is_some_and(Ordering::is_lt),
            });
        }
    }
}

/// An integer as an f64 that rounds to fewer bits as the integer does: inexact ones get an odd last bit.
fn odd(bits: i64, unsigned: bool) -> f64 {
    let v = if unsigned { i128::from(bits as u64) } else { i128::from(bits) };
    let near = v as f64;
    if near as i128 == v {
        return near;
    }
    let away = (near.abs() as i128) > v.abs();
    f64::from_bits((near.to_bits() - u64::from(away)) | 1)
}

/// op(a, b) of integers of a width, to be cut to it.
#[inline(always)]
pub(super) fn integer(op: BinaryOp, bits: u32, signed: bool, a: i64, b: i64) -> i64 {
    let (ua, ub) = (a as u64, b as u64);
    let mask = u64::MAX >> (64 - bits);
    // A shift amount is read as unsigned, so a negative one is too large.
    let shift = Some((ub & mask) as u32).filter(|_| ub & mask < u64::from(bits));
    match op {
        BinaryOp::Add => a.wrapping_add(b),
        BinaryOp::Subtract => a.wrapping_sub(b),
        BinaryOp::Multiply => a.wrapping_mul(b),
        BinaryOp::Divide if b == 0 => -1,
        BinaryOp::Divide if signed => a.wrapping_div(b),
        BinaryOp::Divide => (ua / ub) as i64,
        BinaryOp::Remainder if b == 0 => a,
        BinaryOp::Remainder if signed => a.wrapping_rem(b),
        BinaryOp::Remainder => (ua % ub) as i64,
        BinaryOp::Maximum if signed => a.max(b),
        BinaryOp::Maximum => ua.max(ub) as i64,
        BinaryOp::Minimum if signed => a.min(b),
        BinaryOp::Minimum => ua.min(ub) as i64,
        BinaryOp::And => a & b,
        BinaryOp::Or => a | b,
        BinaryOp::Xor => a ^ b,
        BinaryOp::Power => power(signed, a, b),
        BinaryOp::ShiftLeft => shift.map_or(0, |s| a << s),
        BinaryOp::ShiftRightLogical => shift.map_or(0, |s| ((ua & mask) >> s) as i64),
        // The sign that fills is the top bit of the element, for unsigned types too.
        BinaryOp::ShiftRightArithmetic => wrapped(a, bits, true) >> shift.unwrap_or(63),
        BinaryOp::Mulhi if signed => ((i128::from(a) * i128::from(b)) >> bits) as i64,
        BinaryOp::Mulhi => ((u128::from(ua) * u128::from(ub)) >> bits) as i64,
        BinaryOp::Atan2 | BinaryOp::Complex | BinaryOp::NextAfter | BinaryOp::Polygamma | BinaryOp::Zeta => {
            unreachable!("{TRIED}")
        }
    }
}

/// a^b modulo 2^64; a negative exponent gives the inverse of ±1 and 0 for all others.
fn power(signed: bool, a: i64, b: i64) -> i64 {
    if signed && b < 0 {
        return match (a, b % 2 == 0) {
            (1, _) | (-1, true) => 1,
            (-1, false) => -1,
            _ => 0,
        };
    }
    let (mut result, mut base, mut e) = (1i64, a, b as u64);
    while e > 0 {
        if e & 1 == 1 {
            result = result.wrapping_mul(base);
        }
        base = base.wrapping_mul(base);
        e >>= 1;
    }
    result
}
