//! The monoids on every element type: which Rust type holds an element, and the function that combines two.
//!
//! What must hold: each combination is rounded once to the element type, as the reference has it.

use super::blocks::{Narrow, wrapped};
use super::kernels::math::{max_f32, max_f64, min_f32, min_f64};
use super::memory::{Buffer, Memory};
use pullback_ir::literal::decode_i64;
use pullback_ir::{DType, DTypeClass, Monoid, TensorType};

/// What is to be done with a monoid once its types are known.
pub(super) trait WithMonoid {
    /// Elements are of type `T`, of the element type's size; `identity` and `combine` are the monoid's.
    fn call<T: Cell>(self, identity: T, combine: impl Fn(T, T) -> T + Copy + Send + Sync);
}

/// A type that holds an element; any bytes of an element are valid for it.
pub(super) trait Cell: Copy + Send + Sync + 'static {}
macro_rules! cells {
    ($($t:ty),+) => { $(impl Cell for $t {})+ };
}
cells!(u8, u16, u32, u64, i8, i16, i32, i64, half::f16, half::bf16, f32, f64, [f32; 2], [f64; 2], [u64; 2]);

/// A buffer's elements.
///
/// # Safety
/// The buffer holds elements of the size of `T`, and nothing writes it while the slice lives.
pub(super) unsafe fn cells<T: Cell>(memory: &Memory, b: Buffer) -> &[T] {
    if b.bytes == 0 {
        return &[];
    }
    // SAFETY: buffers are within their allocations and aligned for their elements; promised by the caller.
    unsafe { std::slice::from_raw_parts(memory.read_ptr(b).cast(), b.bytes / size_of::<T>()) }
}

/// A buffer's elements, to be written.
///
/// # Safety
/// As for [`cells`], and nothing else touches the buffer while the slice lives.
#[allow(clippy::mut_from_ref)]
pub(super) unsafe fn cells_mut<T: Cell>(memory: &Memory, b: Buffer) -> &mut [T] {
    if b.bytes == 0 {
        return &mut [];
    }
    // SAFETY: as above.
    unsafe { std::slice::from_raw_parts_mut(memory.write_ptr(b).cast(), b.bytes / size_of::<T>()) }
}

/// Whether the monoid has an identity and a meaning on the type.
pub(super) fn is_defined(dtype: DType, monoid: Monoid) -> bool {
    let numbers = matches!(monoid, Monoid::Add | Monoid::Multiply);
    let order = matches!(monoid, Monoid::Maximum | Monoid::Minimum);
    let class = match dtype.class() {
        DTypeClass::Bool => !numbers,
        DTypeClass::Signed | DTypeClass::Unsigned => true,
        DTypeClass::Float => numbers || order,
        DTypeClass::Complex => numbers,
    };
    class && monoid.identity(&TensorType::scalar(dtype)).is_some()
}

/// The identity of a monoid that is defined on the type.
fn identity<T: Cell>(dtype: DType, monoid: Monoid) -> T {
    let literal = monoid.identity(&TensorType::scalar(dtype)).expect("asked where it is defined");
    let element = literal.element(0);
    assert_eq!(element.len(), size_of::<T>(), "cells have the size of elements");
    // SAFETY: as many bytes as `T` has, all of which are valid.
    unsafe { std::ptr::read_unaligned(element.as_ptr().cast()) }
}

/// Calls `v` with the types and functions of a monoid that [`is_defined`] on the type.
pub(super) fn with_monoid(dtype: DType, monoid: Monoid, v: impl WithMonoid) {
    match dtype.class() {
        DTypeClass::Signed | DTypeClass::Unsigned if dtype.bits() >= 8 => integer(dtype, monoid, v),
        DTypeClass::Float if dtype.size() >= 4 => float(dtype, monoid, v),
        DTypeClass::Bool
        | DTypeClass::Signed
        | DTypeClass::Unsigned
        | DTypeClass::Float
        | DTypeClass::Complex => with_other(dtype, monoid, v),
    }
}

/// [`with_monoid`] for the types that [`super::ops::prim`] knows not: fewer copies of what `v` does.
pub(super) fn with_other(dtype: DType, monoid: Monoid, v: impl WithMonoid) {
    match dtype.class() {
        DTypeClass::Bool => {
            let or = matches!(monoid, Monoid::Or | Monoid::Maximum | Monoid::Add);
            v.call(u8::from(!or), move |a: u8, b| if or { a | b } else { a & b });
        }
        DTypeClass::Signed | DTypeClass::Unsigned => small(dtype, monoid, v),
        DTypeClass::Float => narrow(dtype, monoid, v),
        DTypeClass::Complex if dtype == DType::C64 => {
            let product = |[a, b]: [f32; 2], [c, d]: [f32; 2]| {
                let [a, b, c, d] = [a, b, c, d].map(f64::from);
                [(a * c - b * d) as f32, (a * d + b * c) as f32]
            };
            if monoid == Monoid::Multiply {
                v.call([1.0, 0.0], product);
            } else {
                v.call([0.0; 2], |a: [f32; 2], b| [a[0] + b[0], a[1] + b[1]]);
            }
        }
        DTypeClass::Complex => {
            if monoid == Monoid::Multiply {
                v.call([1.0, 0.0], |[a, b]: [f64; 2], [c, d]| [a * c - b * d, a * d + b * c]);
            } else {
                v.call([0.0; 2], |a: [f64; 2], b| [a[0] + b[0], a[1] + b[1]]);
            }
        }
    }
}

/// Integers of less than a byte.
fn small(dtype: DType, monoid: Monoid, v: impl WithMonoid) {
    let (bits, signed) = (dtype.bits(), dtype.class() == DTypeClass::Signed);
    let start = decode_i64(dtype, monoid.identity(&TensorType::scalar(dtype)).expect("defined").element(0));
    v.call(start as u8, move |a: u8, b: u8| {
        let wide = |v: u8| if signed { i64::from(v as i8) } else { i64::from(v) };
        wrapped(super::scalars::integer(monoid.op(), bits, signed, wide(a), wide(b)), bits, signed) as u8
    });
}

/// Integers of whole bytes.
fn integer(dtype: DType, monoid: Monoid, v: impl WithMonoid) {
    let signed = dtype.class() == DTypeClass::Signed;
    macro_rules! of {
        ($u:ty, $i:ty) => {
            match monoid {
                Monoid::Add => v.call(0, |a: $u, b| a.wrapping_add(b)),
                Monoid::Multiply => v.call(1, |a: $u, b| a.wrapping_mul(b)),
                Monoid::And => v.call(<$u>::MAX, |a: $u, b| a & b),
                Monoid::Or => v.call(0, |a: $u, b| a | b),
                Monoid::Maximum if signed => v.call(<$i>::MIN, |a: $i, b| a.max(b)),
                Monoid::Maximum => v.call(0, |a: $u, b| a.max(b)),
                Monoid::Minimum if signed => v.call(<$i>::MAX, |a: $i, b| a.min(b)),
                Monoid::Minimum => v.call(<$u>::MAX, |a: $u, b| a.min(b)),
            }
        };
    }
    match dtype.size() {
        1 => of!(u8, i8),
        2 => of!(u16, i16),
        4 => of!(u32, i32),
        _ => of!(u64, i64),
    }
}

const NO_BITS: &str = "and, or are not defined on floats";

fn float(dtype: DType, monoid: Monoid, v: impl WithMonoid) {
    macro_rules! of {
        ($t:ty, $max:path, $min:path) => {{
            let start: $t = identity(dtype, monoid);
            match monoid {
                Monoid::Add => v.call(start, |a: $t, b| a + b),
                Monoid::Multiply => v.call(start, |a: $t, b| a * b),
                Monoid::Maximum => v.call(start, $max),
                Monoid::Minimum => v.call(start, $min),
                Monoid::And | Monoid::Or => unreachable!("{NO_BITS}"),
            }
        }};
    }
    if dtype == DType::F32 { of!(f32, max_f32, min_f32) } else { of!(f64, max_f64, min_f64) }
}

/// Floats narrower than f32. It has more than twice the digits of f16 and bf16, so rounding its sums and products once
/// more is exact.
fn narrow(dtype: DType, monoid: Monoid, v: impl WithMonoid) {
    macro_rules! of {
        ($t:ty) => {{
            type T = $t;
            let start: T = identity(dtype, monoid);
            match monoid {
                Monoid::Add => v.call(start, |a: T, b: T| T::from_f32(a.to_f32() + b.to_f32())),
                Monoid::Multiply => v.call(start, |a: T, b: T| T::from_f32(a.to_f32() * b.to_f32())),
                Monoid::Maximum => v.call(start, |a: T, b: T| T::from_f32(max_f32(a.to_f32(), b.to_f32()))),
                Monoid::Minimum => v.call(start, |a: T, b: T| T::from_f32(min_f32(a.to_f32(), b.to_f32()))),
                Monoid::And | Monoid::Or => unreachable!("{NO_BITS}"),
            }
        }};
    }
    match Narrow::of(dtype) {
        Some(table) => v.call(identity(dtype, monoid), move |a: u8, b: u8| {
            let (a, b) = (table.decode(a), table.decode(b));
            table.encode(match monoid {
                Monoid::Add => a + b,
                Monoid::Multiply => a * b,
                Monoid::Maximum => max_f64(a, b),
                Monoid::Minimum => min_f64(a, b),
                Monoid::And | Monoid::Or => unreachable!("{NO_BITS}"),
            })
        }),
        None if dtype == DType::F16 => of!(half::f16),
        None => of!(half::bf16),
    }
}
