//! Combining two buffers of contributions element by element.
//!
//! Each call takes the partial result on the left and one more contribution on the right, and gives the partial
//! result in the same element type, rounded once. So the order of calls decides all bits, and it is the plan's. f16
//! and bf16 are widened to f32, where their sum has at most one rounding that matters: f32 has more than twice their
//! digits, so rounding its sum once more gives the sum rounded once.

use half::{bf16, f16};
use pullback_eval::buffer::{Element, cast, cast_mut};
use pullback_ir::{DType, Monoid};

/// Whether [`combine`] does this.
pub fn supported(dtype: DType, monoid: Monoid) -> bool {
    let complex = matches!(dtype, DType::C64 | DType::C128);
    let ordered = matches!(
        dtype,
        DType::F16
            | DType::BF16
            | DType::F32
            | DType::F64
            | DType::I8
            | DType::I16
            | DType::I32
            | DType::I64
            | DType::U8
            | DType::U16
            | DType::U32
            | DType::U64
    );
    match monoid {
        Monoid::Add => ordered || complex,
        Monoid::Maximum | Monoid::Minimum => ordered,
        Monoid::Multiply | Monoid::And | Monoid::Or => false,
    }
}

/// `left[i] = left[i] ∘ right[i]`, the left operand being the partial result. Maxima and minima give NaN where
/// either is NaN; integer sums wrap. Panics when [`supported`] is false or lengths differ (the deployed plan was
/// checked for both).
pub fn combine(dtype: DType, monoid: Monoid, left: &mut [u8], right: &[u8]) {
    assert_eq!(left.len(), right.len(), "contributions have one length");
    match dtype {
        DType::F16 => narrow(monoid, left, right, f16::to_f32, f16::from_f32),
        DType::BF16 => narrow(monoid, left, right, bf16::to_f32, bf16::from_f32),
        // The parts of complex numbers are added each on its own.
        DType::F32 | DType::C64 => float::<f32>(monoid, left, right),
        DType::F64 | DType::C128 => float::<f64>(monoid, left, right),
        DType::I8 => integer(monoid, left, right, i8::wrapping_add),
        DType::I16 => integer(monoid, left, right, i16::wrapping_add),
        DType::I32 => integer(monoid, left, right, i32::wrapping_add),
        DType::I64 => integer(monoid, left, right, i64::wrapping_add),
        DType::U8 => integer(monoid, left, right, u8::wrapping_add),
        DType::U16 => integer(monoid, left, right, u16::wrapping_add),
        DType::U32 => integer(monoid, left, right, u32::wrapping_add),
        DType::U64 => integer(monoid, left, right, u64::wrapping_add),
        DType::Bool
        | DType::I2
        | DType::I4
        | DType::U2
        | DType::U4
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
        | DType::F8E8M0FNU => unreachable!("refused when the plan was deployed"),
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

/// Floats of 16 bits, through f32.
fn narrow<T: Element + FromLe>(
    monoid: Monoid,
    left: &mut [u8],
    right: &[u8],
    wide: impl Fn(T) -> f32,
    round: impl Fn(f32) -> T,
) {
    match monoid {
        Monoid::Add => zip::<T>(left, right, |a, b| round(wide(a) + wide(b))),
        Monoid::Maximum => zip::<T>(left, right, |a, b| round(wide(a).max_nan(wide(b)))),
        Monoid::Minimum => zip::<T>(left, right, |a, b| round(wide(a).min_nan(wide(b)))),
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
from_le!(f16, bf16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64);

#[cfg(test)]
mod tests {
    use super::*;
    use pullback_eval::{Tensor, reference};
    use pullback_ir::literal::decode_f64;
    use pullback_ir::{BinaryOp, Builder, Op, TensorType};

    /// Any bits, so numbers of every kind that the type has.
    fn samples(dtype: DType, n: usize, seed: usize) -> Tensor {
        let ty = TensorType::new(dtype, vec![n]);
        let bytes: Vec<u8> =
            (0..ty.bytes()).map(|i| (((i + 1) * (seed + 7) * 2_654_435_761) >> 13) as u8).collect();
        Tensor::from_bytes(ty, &bytes).unwrap()
    }

    /// Whatever is supported gives the bits of the reference's op, on aligned bytes and on others.
    #[test]
    fn as_the_op() {
        let ops = [
            (Monoid::Add, BinaryOp::Add),
            (Monoid::Maximum, BinaryOp::Maximum),
            (Monoid::Minimum, BinaryOp::Minimum),
        ];
        let mut pairs = 0;
        for dtype in DType::ALL {
            for (monoid, op) in ops {
                if !supported(dtype, monoid) {
                    continue;
                }
                pairs += 1;
                let (x, y) = (samples(dtype, 501, 1), samples(dtype, 501, 2));
                let mut b = Builder::new("combine");
                let args = [b.arg(None, x.ty().clone()), b.arg(None, y.ty().clone())];
                let sum = b.push1(Op::Binary(op), &args).unwrap();
                let want = reference::eval(&b.finish(&[sum]), &[x.clone(), y.clone()]).unwrap();
                let mut got = x.clone();
                combine(dtype, monoid, got.bytes_mut(), y.bytes());
                same(&got, &want[0], dtype, monoid);
                let (mut left, right) = ([&[0], x.bytes()].concat(), [&[0], y.bytes()].concat());
                combine(dtype, monoid, &mut left[1..], &right[1..]);
                assert_eq!(&left[1..], got.bytes(), "{dtype} {monoid}");
            }
        }
        assert_eq!(pairs, 12 * 3 + 2);
    }

    /// Equal bits, or both NaN; part by part where numbers are complex.
    fn same(got: &Tensor, want: &Tensor, dtype: DType, monoid: Monoid) {
        let part = dtype.part();
        let parts = got.bytes().chunks(part.size()).zip(want.bytes().chunks(part.size()));
        for (i, (a, b)) in parts.enumerate() {
            let nan = |e: &[u8]| part.is_float() && decode_f64(part, e).is_nan();
            assert!(a == b || (nan(a) && nan(b)), "{dtype} {monoid}, part {i}: {a:?}, not {b:?}");
        }
    }
}
