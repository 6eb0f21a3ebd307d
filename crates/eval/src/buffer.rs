//! Host tensors: a type and its elements as bytes aligned to 64.
//!
//! Elements are stored as in [`pullback_ir::literal`]: little-endian, row-major, bool and four-bit types one
//! byte each. Typed views read them in the host's byte order, so hosts must be little-endian (checked at
//! compile time). Element types are handled here and nowhere else by callers.

use crate::error::{EvalError, Result};
use pullback_ir::literal::{decode_f64, decode_i64, encode_f64, encode_i64};
use pullback_ir::{DType, Literal, TensorType};
use std::alloc::{Layout, alloc_zeroed};
use std::fmt;

#[cfg(target_endian = "big")]
compile_error!("buffers are little-endian; big-endian hosts are unsupported");

/// Alignment of every buffer, in bytes.
pub const ALIGN: usize = 64;

/// Bytes whose first is aligned to [`ALIGN`].
pub struct AlignedBytes {
    /// Somewhat more than is used, so that the allocator hands out untouched zero pages for large sizes (it
    /// clears over-aligned blocks by hand).
    store: Vec<u8>,
    start: usize,
    len: usize,
}

impl AlignedBytes {
    /// `len` zero bytes. Aborts when the allocator refuses: for small buffers only.
    pub fn zeroed(len: usize) -> Self {
        if len == 0 {
            return Self::default();
        }
        Self::within(vec![0; len + ALIGN], len)
    }

    /// `len` zero bytes, or an error when the allocator refuses.
    pub fn try_zeroed(len: usize) -> Result<Self> {
        Self::try_zeroed_for(len, || "a buffer".to_owned())
    }

    /// `len` zero bytes, or an error that says what they are for when the allocator refuses.
    pub(crate) fn try_zeroed_for(len: usize, what: impl FnOnce() -> String) -> Result<Self> {
        if len == 0 {
            return Ok(Self::default());
        }
        match try_zero_vec(len.saturating_add(ALIGN)) {
            Some(store) => Ok(Self::within(store, len)),
            None => Err(EvalError::Memory { bytes: len, what: what() }),
        }
    }

    /// A copy of `bytes`, or an error when the allocator refuses.
    pub(crate) fn try_copy(bytes: &[u8]) -> Result<Self> {
        let mut copy = Self::try_zeroed_for(bytes.len(), || "a copy of a buffer".to_owned())?;
        copy.as_mut_slice().copy_from_slice(bytes);
        Ok(copy)
    }

    /// The aligned `len` of at least `len + ALIGN` bytes.
    fn within(store: Vec<u8>, len: usize) -> Self {
        let start = store.as_ptr().align_offset(ALIGN);
        Self { store, start, len }
    }

    /// The bytes.
    pub fn as_slice(&self) -> &[u8] {
        &self.store[self.start..self.start + self.len]
    }

    /// The bytes.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        &mut self.store[self.start..self.start + self.len]
    }
}

/// `len > 0` zero bytes; `None` when the allocator refuses. (The standard library has no fallible way to zero
/// pages that leaves them untouched.)
fn try_zero_vec(len: usize) -> Option<Vec<u8>> {
    let layout = Layout::array::<u8>(len).ok()?;
    // SAFETY: the layout is not empty.
    let start = unsafe { alloc_zeroed(layout) };
    // Seen by nobody, an allocation may be optimized away together with its failure.
    let start = std::hint::black_box(start);
    // SAFETY: allocated by the global allocator with the layout of `len` bytes, all of them written.
    (!start.is_null()).then(|| unsafe { Vec::from_raw_parts(start, len, len) })
}

/// Asks the allocator for `bytes` and gives them back: an error that says what they are for when it refuses.
pub(crate) fn probe(bytes: usize, what: impl FnOnce() -> String) -> Result<()> {
    let mut store = Vec::<u8>::new();
    let granted = store.try_reserve_exact(bytes).is_ok();
    // Seen by nobody, an allocation may be optimized away together with its failure.
    std::hint::black_box(store.as_ptr());
    if granted { Ok(()) } else { Err(EvalError::Memory { bytes, what: what() }) }
}

impl Clone for AlignedBytes {
    fn clone(&self) -> Self {
        let mut copy = Self::zeroed(self.len);
        copy.as_mut_slice().copy_from_slice(self.as_slice());
        copy
    }
}

/// No bytes.
impl Default for AlignedBytes {
    fn default() -> Self {
        Self { store: Vec::new(), start: 0, len: 0 }
    }
}

mod sealed {
    pub trait Sealed {}
}

/// Rust types that elements can be viewed as. Sealed: each is valid for any bytes.
pub trait Element: Copy + Send + Sync + 'static + sealed::Sealed {
    /// Element types stored like this type.
    const DTYPES: &'static [DType];
}

macro_rules! elements {
    ($($t:ty: $($d:ident),+;)+) => {
        $(impl sealed::Sealed for $t {}
        impl Element for $t { const DTYPES: &'static [DType] = &[$(DType::$d),+]; })+
    };
}

elements! {
    u8: U8, Bool, U2, U4, F8E4M3FN, F8E5M2, F4E2M1FN, F6E2M3FN, F6E3M2FN, F8E3M4, F8E4M3, F8E4M3B11FNUZ, F8E4M3FNUZ, F8E5M2FNUZ, F8E8M0FNU;
    i8: I8, I2, I4;
    u16: U16;
    i16: I16;
    u32: U32;
    i32: I32;
    u64: U64;
    i64: I64;
    half::f16: F16;
    half::bf16: BF16;
    f32: F32;
    f64: F64;
}

/// `bytes` as elements; `None` when length or alignment do not fit.
pub fn cast<T: Element>(bytes: &[u8]) -> Option<&[T]> {
    // SAFETY: an `Element` is valid for any bytes and has no padding.
    let (before, mid, after) = unsafe { bytes.align_to::<T>() };
    (before.is_empty() && after.is_empty()).then_some(mid)
}

/// `bytes` as mutable elements; `None` when length or alignment do not fit.
pub fn cast_mut<T: Element>(bytes: &mut [u8]) -> Option<&mut [T]> {
    // SAFETY: as in `cast`, and any element is valid as bytes.
    let (before, mid, after) = unsafe { bytes.align_to_mut::<T>() };
    (before.is_empty() && after.is_empty()).then_some(mid)
}

/// A tensor in host memory.
#[derive(Clone)]
pub struct Tensor {
    ty: TensorType,
    data: AlignedBytes,
}

impl Tensor {
    /// All elements zero (false). Aborts where there is no memory: see [`Tensor::try_zeros`].
    pub fn zeros(ty: TensorType) -> Self {
        let data = AlignedBytes::zeroed(ty.bytes());
        Self { ty, data }
    }

    /// All elements zero (false), or an error where there is no memory for them.
    pub fn try_zeros(ty: TensorType) -> Result<Self> {
        let what = format!("a tensor {ty}");
        Self::try_zeros_for(ty, || what)
    }

    /// All elements zero (false), or an error that says what they are for where there is no memory for them.
    pub(crate) fn try_zeros_for(ty: TensorType, what: impl FnOnce() -> String) -> Result<Self> {
        let data = AlignedBytes::try_zeroed_for(ty.bytes(), what)?;
        Ok(Self { ty, data })
    }

    /// A copy, or an error where there is no memory for it.
    pub fn try_clone(&self) -> Result<Self> {
        Self::from_bytes(self.ty.clone(), self.bytes())
    }

    /// A literal's elements.
    pub fn from_literal(literal: &Literal) -> Self {
        let mut t = Self::zeros(literal.ty().clone());
        write_literal(literal, t.bytes_mut());
        t
    }

    /// A copy of `bytes`, which must be as many as the type has.
    pub fn from_bytes(ty: TensorType, bytes: &[u8]) -> Result<Self> {
        if bytes.len() != ty.bytes() {
            return Err(EvalError::Bytes {
                what: format!("a tensor {ty}"),
                want: ty.bytes(),
                got: bytes.len(),
            });
        }
        let mut t = Self::try_zeros(ty)?;
        t.bytes_mut().copy_from_slice(bytes);
        Ok(t)
    }

    /// Numbers rounded to the element type; their count must be the type's.
    pub fn from_f64s(ty: TensorType, values: &[f64]) -> Result<Self> {
        let bytes: Vec<u8> = values.iter().flat_map(|&v| encode_f64(ty.dtype(), v)).collect();
        Self::from_bytes(ty, &bytes)
    }

    /// Whole numbers saturated to the element type; their count must be the type's.
    pub fn from_i64s(ty: TensorType, values: &[i64]) -> Result<Self> {
        let bytes: Vec<u8> = values.iter().flat_map(|&v| encode_i64(ty.dtype(), v)).collect();
        Self::from_bytes(ty, &bytes)
    }

    /// A tensor of the first element type stored like `T`.
    pub fn from_slice<T: Element>(shape: &[usize], values: &[T]) -> Result<Self> {
        let mut t = Self::zeros(TensorType::new(T::DTYPES[0], shape));
        if t.ty.count() != values.len() {
            let (want, got) = (t.ty.bytes(), std::mem::size_of_val(values));
            return Err(EvalError::Bytes { what: format!("a tensor {}", t.ty), want, got });
        }
        t.as_mut_slice::<T>()?.copy_from_slice(values);
        Ok(t)
    }

    /// A rank-0 f32.
    pub fn scalar_f32(value: f32) -> Self {
        let mut t = Self::zeros(TensorType::scalar(DType::F32));
        t.bytes_mut().copy_from_slice(&value.to_le_bytes());
        t
    }

    /// The type.
    pub fn ty(&self) -> &TensorType {
        &self.ty
    }

    /// Element type.
    pub fn dtype(&self) -> DType {
        self.ty.dtype()
    }

    /// Size of each dimension.
    pub fn shape(&self) -> &[usize] {
        self.ty.shape()
    }

    /// Number of elements.
    pub fn count(&self) -> usize {
        self.ty.count()
    }

    /// All elements as bytes, aligned to [`ALIGN`].
    pub fn bytes(&self) -> &[u8] {
        self.data.as_slice()
    }

    /// All elements as bytes, aligned to [`ALIGN`].
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.data.as_mut_slice()
    }

    /// The elements as a slice of `T`, when the element type is stored like `T`.
    pub fn as_slice<T: Element>(&self) -> Result<&[T]> {
        self.check_view::<T>()?;
        Ok(cast(self.bytes()).expect("aligned buffers hold whole elements"))
    }

    /// The elements as a slice of `T`, when the element type is stored like `T`.
    pub fn as_mut_slice<T: Element>(&mut self) -> Result<&mut [T]> {
        self.check_view::<T>()?;
        Ok(cast_mut(self.bytes_mut()).expect("aligned buffers hold whole elements"))
    }

    fn check_view<T: Element>(&self) -> Result<()> {
        match T::DTYPES.contains(&self.dtype()) {
            true => Ok(()),
            false => Err(EvalError::View { have: self.dtype(), want: std::any::type_name::<T>() }),
        }
    }

    /// The bytes of element `index` (row-major). Panics when out of range.
    pub fn element(&self, index: usize) -> &[u8] {
        let size = self.dtype().size();
        &self.bytes()[index * size..(index + 1) * size]
    }

    /// Replaces element `index` (row-major) by these bytes. Panics when out of range or of another size.
    pub fn set_element(&mut self, index: usize, element: &[u8]) {
        let size = self.dtype().size();
        self.bytes_mut()[index * size..(index + 1) * size].copy_from_slice(element);
    }

    /// Element `index` as a number (real part of a complex one). Panics when out of range.
    pub fn get_f64(&self, index: usize) -> f64 {
        decode_f64(self.dtype(), self.element(index))
    }

    /// Element `index` as a whole number (floats truncated). Panics when out of range.
    pub fn get_i64(&self, index: usize) -> i64 {
        decode_i64(self.dtype(), self.element(index))
    }

    /// Sets element `index` to a number rounded to the element type. Panics when out of range.
    pub fn set_f64(&mut self, index: usize, value: f64) {
        let e = encode_f64(self.dtype(), value);
        self.set_element(index, &e);
    }

    /// Sets element `index` to a whole number saturated to the element type. Panics when out of range.
    pub fn set_i64(&mut self, index: usize, value: i64) {
        let e = encode_i64(self.dtype(), value);
        self.set_element(index, &e);
    }

    /// All elements as numbers.
    pub fn to_f64s(&self) -> Vec<f64> {
        (0..self.count()).map(|i| self.get_f64(i)).collect()
    }

    /// All elements as whole numbers.
    pub fn to_i64s(&self) -> Vec<i64> {
        (0..self.count()).map(|i| self.get_i64(i)).collect()
    }

    /// A literal of the same elements.
    pub fn to_literal(&self) -> Literal {
        Literal::dense(self.ty.clone(), self.bytes().to_vec()).expect("as many bytes as the type has")
    }

    /// The same elements under another shape with as many; `None` otherwise.
    pub fn reshaped(self, shape: &[usize]) -> Option<Self> {
        let ty = TensorType::try_new(self.dtype(), shape.to_vec())?;
        (ty.count() == self.count()).then_some(Self { ty, data: self.data })
    }
}

/// Writes a literal's elements to `out`, which has as many bytes as its type.
pub(crate) fn write_literal(literal: &Literal, out: &mut [u8]) {
    match literal.splat_bytes() {
        Some(e) => out.chunks_exact_mut(e.len()).for_each(|c| c.copy_from_slice(e)),
        None => out.copy_from_slice(&literal.to_bytes()),
    }
}

/// Same type and same bytes (so NaN equals itself and -0 differs from 0).
impl PartialEq for Tensor {
    fn eq(&self, other: &Self) -> bool {
        self.ty == other.ty && self.bytes() == other.bytes()
    }
}

impl Eq for Tensor {}

/// The type and the first elements.
impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 16;
        let n = self.count();
        let head: Vec<f64> = (0..n.min(SHOWN)).map(|i| self.get_f64(i)).collect();
        write!(f, "{} {head:?}{}", self.ty, if n > SHOWN { "…" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_are_checked() {
        let t = Tensor::from_f64s(TensorType::new(DType::F32, [2]), &[1.0, 2.5]).unwrap();
        assert_eq!(t.as_slice::<f32>().unwrap(), [1.0, 2.5]);
        assert!(t.as_slice::<i32>().is_err());
        assert!(Tensor::from_bytes(t.ty().clone(), &[0; 7]).is_err());
        assert_eq!(t.bytes().as_ptr() as usize % ALIGN, 0);
    }

    #[test]
    fn zero_size_tensors_have_no_bytes() {
        let t = Tensor::zeros(TensorType::new(DType::F64, [3, 0, 2]));
        assert!(t.as_slice::<f64>().unwrap().is_empty());
        assert_eq!(Tensor::from_literal(&t.to_literal()), t);
    }

    #[test]
    fn elements_of_every_type_round_trip() {
        for d in DType::ALL {
            let mut t = Tensor::zeros(TensorType::new(d, [3]));
            t.set_f64(1, 1.0);
            // One type has no zero; its first code is the least power of two.
            let zero = if d == DType::F8E8M0FNU { 2f64.powi(-127) } else { 0.0 };
            assert_eq!(t.to_f64s(), [zero, 1.0, zero], "{d}");
            assert_eq!(t.to_i64s(), [0, 1, 0], "{d}");
        }
    }
}
