//! Constant tensors as bytes: dense, or one element repeated.
//!
//! Elements are little-endian, row-major; bool and types narrower than a byte take a byte each (bool 0 or
//! 1, signed integers sign-extended). Bytes are compared, so two NaNs with equal payloads are equal.

mod narrow;

use crate::dtype::{DType, DTypeClass, TensorType};
use std::sync::Arc;

/// A constant tensor. Cloning is cheap.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Literal {
    ty: TensorType,
    data: Data,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Data {
    Splat(Arc<[u8]>),
    Dense(Arc<[u8]>),
}

impl Literal {
    /// A dense literal; `None` when the number of bytes is not that of the type.
    pub fn dense(ty: TensorType, bytes: impl Into<Arc<[u8]>>) -> Option<Self> {
        let bytes = bytes.into();
        if bytes.len() != ty.bytes() {
            return None;
        }
        // One canonical form: what repeats one element is a splat.
        let size = ty.dtype().size();
        let data = match bytes.get(..size) {
            Some(first) if bytes.chunks_exact(size).all(|c| c == first) => Data::Splat(first.into()),
            _ => Data::Dense(bytes),
        };
        Some(Self { ty, data })
    }

    /// One element repeated; `None` when `element` has not the size of the element type.
    pub fn splat(ty: TensorType, element: &[u8]) -> Option<Self> {
        let data = match ty.count() {
            0 => Data::Dense(Arc::from(&[][..])),
            _ => Data::Splat(element.into()),
        };
        (element.len() == ty.dtype().size()).then_some(Self { ty, data })
    }

    /// A splat of a number, rounded to the element type (bool: non-zero). Complex gets a zero imaginary part.
    pub fn splat_f64(ty: TensorType, value: f64) -> Self {
        let bytes = encode_f64(ty.dtype(), value);
        Self::splat(ty, &bytes).expect("encode_f64 gives one element")
    }

    /// A dense literal from numbers, each rounded to the element type; `None` when the count differs.
    pub fn from_f64s(ty: TensorType, values: &[f64]) -> Option<Self> {
        let bytes: Vec<u8> = values.iter().flat_map(|&v| encode_f64(ty.dtype(), v)).collect();
        Self::dense(ty, bytes)
    }

    /// A rank-1 i64 literal or the like: whole numbers stored exactly in an integer type.
    pub fn from_i64s(ty: TensorType, values: &[i64]) -> Option<Self> {
        let bytes: Vec<u8> = values.iter().flat_map(|&v| encode_i64(ty.dtype(), v)).collect();
        Self::dense(ty, bytes)
    }

    /// The tensor's type.
    pub fn ty(&self) -> &TensorType {
        &self.ty
    }

    /// The repeated element, when all elements are equal (and there is one).
    pub fn splat_bytes(&self) -> Option<&[u8]> {
        match &self.data {
            Data::Splat(e) => Some(e),
            Data::Dense(_) => None,
        }
    }

    /// All bytes, where they are not one element repeated.
    pub fn dense_bytes(&self) -> Option<&[u8]> {
        match &self.data {
            Data::Splat(_) => None,
            Data::Dense(b) => Some(b),
        }
    }

    /// The bytes of element `index` (row-major).
    pub fn element(&self, index: usize) -> &[u8] {
        let size = self.ty.dtype().size();
        match &self.data {
            Data::Splat(e) => e,
            Data::Dense(b) => &b[index * size..(index + 1) * size],
        }
    }

    /// All bytes, a splat written out.
    pub fn to_bytes(&self) -> Vec<u8> {
        match &self.data {
            Data::Splat(e) => e.repeat(self.ty.count()),
            Data::Dense(b) => b.to_vec(),
        }
    }

    /// The same data under another shape with as many elements; `None` otherwise.
    pub fn reshaped(&self, shape: &[usize]) -> Option<Self> {
        let ty = TensorType::try_new(self.ty.dtype(), shape.to_vec())?;
        (ty.count() == self.ty.count()).then(|| Self { ty, data: self.data.clone() })
    }

    /// The repeated element as a number, for real types (integers beyond 2^53 are rounded).
    pub fn splat_value(&self) -> Option<f64> {
        self.splat_bytes().map(|e| decode_f64(self.ty.dtype(), e))
    }
}

/// Bytes of one element holding `v` rounded to nearest even; integers saturate, bool is `v != 0`.
pub fn encode_f64(dtype: DType, v: f64) -> Vec<u8> {
    match dtype {
        DType::Bool => vec![u8::from(v != 0.0)],
        DType::F16 => half::f16::from_f32(to_f32_odd(v)).to_le_bytes().to_vec(),
        DType::BF16 => half::bf16::from_f32(to_f32_odd(v)).to_le_bytes().to_vec(),
        DType::F32 => (v as f32).to_le_bytes().to_vec(),
        DType::F64 => v.to_le_bytes().to_vec(),
        DType::C64 => [(v as f32).to_le_bytes(), 0f32.to_le_bytes()].concat(),
        DType::C128 => [v.to_le_bytes(), 0f64.to_le_bytes()].concat(),
        DType::U64 => (v as u64).to_le_bytes().to_vec(),
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
        | DType::F8E8M0FNU => vec![narrow::encode(dtype, v)],
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
        | DType::U32 => encode_i64(dtype, v as i64),
    }
}

/// `v` as an f32 rounded to odd: inexact values get the odd neighbour, so that rounding once more to f16 or bf16
/// gives the nearest of `v` itself. (`half`'s conversions from f64 drop the low bits instead.)
fn to_f32_odd(v: f64) -> f32 {
    let nearest = v as f32;
    if f64::from(nearest) == v || v.is_nan() {
        return nearest;
    }
    let up = f64::from(nearest).abs() > v.abs();
    f32::from_bits((nearest.to_bits() - u32::from(up)) | 1)
}

/// Bytes of one element holding the integer `v`, saturating; other types round it.
pub fn encode_i64(dtype: DType, v: i64) -> Vec<u8> {
    match dtype {
        DType::I2 => vec![v.clamp(-2, 1) as i8 as u8],
        DType::I4 => vec![v.clamp(-8, 7) as i8 as u8],
        DType::U2 => vec![v.clamp(0, 3) as u8],
        DType::U4 => vec![v.clamp(0, 15) as u8],
        DType::I8 => vec![v.clamp(i8::MIN.into(), i8::MAX.into()) as i8 as u8],
        DType::U8 => vec![v.clamp(0, u8::MAX.into()) as u8],
        DType::I16 => (v.clamp(i16::MIN.into(), i16::MAX.into()) as i16).to_le_bytes().to_vec(),
        DType::U16 => (v.clamp(0, u16::MAX.into()) as u16).to_le_bytes().to_vec(),
        DType::I32 => (v.clamp(i32::MIN.into(), i32::MAX.into()) as i32).to_le_bytes().to_vec(),
        DType::U32 => (v.clamp(0, u32::MAX.into()) as u32).to_le_bytes().to_vec(),
        DType::I64 => v.to_le_bytes().to_vec(),
        DType::U64 => (v.max(0) as u64).to_le_bytes().to_vec(),
        DType::Bool
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
        | DType::F32
        | DType::F64
        | DType::C64
        | DType::C128 => encode_f64(dtype, v as f64),
    }
}

/// The number an element holds; the real part of a complex one. Panics when `e` is too short.
pub fn decode_f64(dtype: DType, e: &[u8]) -> f64 {
    fn take<const N: usize>(e: &[u8]) -> [u8; N] {
        e[..N].try_into().expect("an element of this size")
    }
    match dtype {
        DType::Bool => f64::from(u8::from(e[0] != 0)),
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
        | DType::F8E8M0FNU => narrow::decode(dtype, e[0]),
        DType::F16 => half::f16::from_le_bytes(take(e)).to_f64(),
        DType::BF16 => half::bf16::from_le_bytes(take(e)).to_f64(),
        DType::F32 | DType::C64 => f64::from(f32::from_le_bytes(take(e))),
        DType::F64 | DType::C128 => f64::from_le_bytes(take(e)),
        DType::U64 => u64::from_le_bytes(take(e)) as f64,
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
        | DType::U32 => decode_i64(dtype, e) as f64,
    }
}

/// The integer an element of an integer or bool type holds (u64 wraps); floats are truncated.
pub fn decode_i64(dtype: DType, e: &[u8]) -> i64 {
    if !(dtype.is_integer() || dtype == DType::Bool) {
        return decode_f64(dtype, e) as i64;
    }
    let mut b = [0u8; 8];
    b[..dtype.size()].copy_from_slice(&e[..dtype.size()]);
    let raw = i64::from_le_bytes(b);
    let unused = 64 - 8 * dtype.size() as u32;
    match dtype.class() {
        DTypeClass::Signed => raw << unused >> unused,
        DTypeClass::Unsigned | DTypeClass::Bool | DTypeClass::Float | DTypeClass::Complex => raw,
    }
}

/// Largest finite value of a floating-point type.
pub fn largest_finite(dtype: DType) -> f64 {
    let widths =
        [(DType::F16, 65504.0), (DType::BF16, half::bf16::MAX.to_f64()), (DType::F32, f64::from(f32::MAX))];
    match widths.iter().find(|(d, _)| *d == dtype.part()) {
        Some(&(_, largest)) => largest,
        None => narrow::Format::of(dtype).map_or(f64::MAX, |f| f.decode(f.last)),
    }
}

/// The least or greatest value of a floating-point type: an infinity where it has them.
pub fn extreme(dtype: DType, least: bool) -> f64 {
    let inf = decode_f64(dtype, &encode_f64(dtype, f64::INFINITY));
    let greatest = if inf.is_nan() { largest_finite(dtype) } else { inf };
    match (least, dtype) {
        (false, _) => greatest,
        // It has no sign.
        (true, DType::F8E8M0FNU) => narrow::decode(dtype, 0),
        (true, _) => -greatest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Just above and just below the middle of two neighbours, and on it.
    #[test]
    fn halves_round_to_nearest_even() {
        for d in [DType::F16, DType::BF16] {
            for code in (0..0x7b00u16).step_by(7) {
                let at = |c: u16| decode_f64(d, &c.to_le_bytes());
                let (lo, hi) = (at(code), at(code + 1));
                let middle = (lo + hi) / 2.0;
                let even = if code % 2 == 0 { lo } else { hi };
                for (v, want) in
                    [(middle.next_up(), hi), (middle.next_down(), lo), (middle, even), (-middle, -even)]
                {
                    assert_eq!(decode_f64(d, &encode_f64(d, v)), want, "{d} {v:e}");
                }
            }
        }
        assert_eq!(decode_f64(DType::F16, &encode_f64(DType::F16, 1e300)), f64::INFINITY);
        assert_eq!(encode_f64(DType::BF16, -1e-300), [0, 0x80]);
    }

    #[test]
    fn equal_elements_become_a_splat() {
        let ty = TensorType::new(DType::I32, [2, 2]);
        let l = Literal::from_i64s(ty.clone(), &[-3; 4]).unwrap();
        assert_eq!(l, Literal::splat_f64(ty, -3.0));
        assert_eq!(l.splat_value(), Some(-3.0));
        assert_eq!(l.to_bytes().len(), 16);
    }

    #[test]
    fn wrong_byte_count_is_refused() {
        assert!(Literal::dense(TensorType::new(DType::F32, [2]), vec![0; 7]).is_none());
    }
}
