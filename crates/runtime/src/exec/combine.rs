//! Combining two buffers of contributions element by element.

use pullback_eval::buffer::{Element, cast, cast_mut};
use pullback_ir::{DType, Monoid};

/// Whether [`combine`] does this.
pub fn supported(dtype: DType, monoid: Monoid) -> bool {
    let number = matches!(dtype, DType::F32 | DType::F64 | DType::I32 | DType::I64);
    number && matches!(monoid, Monoid::Add | Monoid::Maximum | Monoid::Minimum)
}

/// `left[i] = left[i] ∘ right[i]`, the left operand being the partial result. Maxima and minima give NaN where
/// either is NaN; integer sums wrap. Panics when [`supported`] is false or lengths differ (the deployed plan was
/// checked for both).
pub fn combine(dtype: DType, monoid: Monoid, left: &mut [u8], right: &[u8]) {
    assert_eq!(left.len(), right.len(), "contributions have one length");
    match dtype {
        DType::F32 => float::<f32>(monoid, left, right),
        DType::F64 => float::<f64>(monoid, left, right),
        DType::I32 => integer(monoid, left, right, i32::wrapping_add),
        DType::I64 => integer(monoid, left, right, i64::wrapping_add),
        DType::Bool
        | DType::I2
        | DType::I4
        | DType::I8
        | DType::I16
        | DType::U2
        | DType::U4
        | DType::U8
        | DType::U16
        | DType::U32
        | DType::U64
        | DType::F8E4M3FN
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
        | DType::C64
        | DType::C128 => unreachable!("refused when the plan was deployed"),
    }
}

// Each operation is a closure of its own, so that its loop is compiled, and vectorized, for it.

fn float<T: Element + FromLe + FloatOps + std::ops::Add<Output = T>>(
    monoid: Monoid,
    left: &mut [u8],
    right: &[u8],
) {
    match monoid {
        Monoid::Add => zip::<T>(left, right, |a, b| a + b),
        Monoid::Maximum => zip::<T>(left, right, |a, b| a.max_nan(b)),
        Monoid::Minimum => zip::<T>(left, right, |a, b| a.min_nan(b)),
        Monoid::Multiply | Monoid::And | Monoid::Or => unreachable!("refused when the plan was deployed"),
    }
}

fn integer<T: Element + FromLe + Ord>(
    monoid: Monoid,
    left: &mut [u8],
    right: &[u8],
    add: impl Fn(T, T) -> T,
) {
    match monoid {
        Monoid::Add => zip::<T>(left, right, add),
        Monoid::Maximum => zip::<T>(left, right, |a, b| a.max(b)),
        Monoid::Minimum => zip::<T>(left, right, |a, b| a.min(b)),
        Monoid::Multiply | Monoid::And | Monoid::Or => unreachable!("refused when the plan was deployed"),
    }
}

trait FloatOps {
    fn max_nan(self, other: Self) -> Self;
    fn min_nan(self, other: Self) -> Self;
}

macro_rules! float_ops {
    ($t:ty) => {
        impl FloatOps for $t {
            fn max_nan(self, other: Self) -> Self {
                if self.is_nan() || other.is_nan() { Self::NAN } else { self.max(other) }
            }
            fn min_nan(self, other: Self) -> Self {
                if self.is_nan() || other.is_nan() { Self::NAN } else { self.min(other) }
            }
        }
    };
}
float_ops!(f32);
float_ops!(f64);

/// Elementwise over byte buffers, aligned or not.
fn zip<T: Element + FromLe>(left: &mut [u8], right: &[u8], f: impl Fn(T, T) -> T) {
    if let (Some(l), Some(r)) = (cast_mut::<T>(left), cast::<T>(right)) {
        l.iter_mut().zip(r).for_each(|(a, b)| *a = f(*a, *b));
        return;
    }
    let size = size_of::<T>();
    for (a, b) in left.chunks_exact_mut(size).zip(right.chunks_exact(size)) {
        f(T::read(a), T::read(b)).write(a);
    }
}

trait FromLe: Sized {
    fn read(bytes: &[u8]) -> Self;
    fn write(self, bytes: &mut [u8]);
}

macro_rules! from_le {
    ($($t:ty),*) => { $(impl FromLe for $t {
        fn read(bytes: &[u8]) -> Self {
            Self::from_le_bytes(bytes.try_into().expect("one element"))
        }
        fn write(self, bytes: &mut [u8]) {
            bytes.copy_from_slice(&self.to_le_bytes());
        }
    })* };
}
from_le!(f32, f64, i32, i64);
