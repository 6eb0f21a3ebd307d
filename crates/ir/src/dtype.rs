//! Element types and tensor types.
//!
//! Shapes are static. Sizes are checked for overflow when a type is made, so that later arithmetic on
//! `count` and `bytes` cannot wrap.

use std::fmt;
use std::sync::Arc;

/// Element type of a tensor.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum DType {
    Bool,
    I2,
    I4,
    I8,
    I16,
    I32,
    I64,
    U2,
    U4,
    U8,
    U16,
    U32,
    U64,
    F4E2M1FN,
    F6E2M3FN,
    F6E3M2FN,
    F8E3M4,
    F8E4M3,
    F8E4M3B11FNUZ,
    F8E4M3FN,
    F8E4M3FNUZ,
    F8E5M2,
    F8E5M2FNUZ,
    F8E8M0FNU,
    F16,
    BF16,
    F32,
    F64,
    C64,
    C128,
}

/// What arithmetic an element type has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum DTypeClass {
    Bool,
    Signed,
    Unsigned,
    Float,
    Complex,
}

impl DType {
    /// Every element type.
    pub const ALL: [DType; 30] = [
        DType::Bool,
        DType::I2,
        DType::I4,
        DType::I8,
        DType::I16,
        DType::I32,
        DType::I64,
        DType::U2,
        DType::U4,
        DType::U8,
        DType::U16,
        DType::U32,
        DType::U64,
        DType::F4E2M1FN,
        DType::F6E2M3FN,
        DType::F6E3M2FN,
        DType::F8E3M4,
        DType::F8E4M3,
        DType::F8E4M3B11FNUZ,
        DType::F8E4M3FN,
        DType::F8E4M3FNUZ,
        DType::F8E5M2,
        DType::F8E5M2FNUZ,
        DType::F8E8M0FNU,
        DType::F16,
        DType::BF16,
        DType::F32,
        DType::F64,
        DType::C64,
        DType::C128,
    ];

    /// Bytes of one element in a buffer. Types narrower than a byte take a whole one.
    pub fn size(self) -> usize {
        self.bits().div_ceil(8) as usize
    }

    /// Bits of one element, whatever memory it takes.
    pub fn bits(self) -> u32 {
        match self {
            DType::Bool => 1,
            DType::I2 | DType::U2 => 2,
            DType::I4 | DType::U4 | DType::F4E2M1FN => 4,
            DType::F6E2M3FN | DType::F6E3M2FN => 6,
            DType::I8
            | DType::U8
            | DType::F8E3M4
            | DType::F8E4M3
            | DType::F8E4M3B11FNUZ
            | DType::F8E4M3FN
            | DType::F8E4M3FNUZ
            | DType::F8E5M2
            | DType::F8E5M2FNUZ
            | DType::F8E8M0FNU => 8,
            DType::I16 | DType::U16 | DType::F16 | DType::BF16 => 16,
            DType::I32 | DType::U32 | DType::F32 => 32,
            DType::I64 | DType::U64 | DType::F64 | DType::C64 => 64,
            DType::C128 => 128,
        }
    }

    /// The name in IR text: `f32`, `i32`, `u8`, `bool`.
    pub fn name(self) -> &'static str {
        match self {
            DType::Bool => "bool",
            DType::I2 => "i2",
            DType::I4 => "i4",
            DType::I8 => "i8",
            DType::I16 => "i16",
            DType::I32 => "i32",
            DType::I64 => "i64",
            DType::U2 => "u2",
            DType::U4 => "u4",
            DType::U8 => "u8",
            DType::U16 => "u16",
            DType::U32 => "u32",
            DType::U64 => "u64",
            DType::F8E4M3FN => "f8e4m3fn",
            DType::F8E5M2 => "f8e5m2",
            DType::F4E2M1FN => "f4e2m1fn",
            DType::F6E2M3FN => "f6e2m3fn",
            DType::F6E3M2FN => "f6e3m2fn",
            DType::F8E3M4 => "f8e3m4",
            DType::F8E4M3 => "f8e4m3",
            DType::F8E4M3B11FNUZ => "f8e4m3b11fnuz",
            DType::F8E4M3FNUZ => "f8e4m3fnuz",
            DType::F8E5M2FNUZ => "f8e5m2fnuz",
            DType::F8E8M0FNU => "f8e8m0fnu",
            DType::F16 => "f16",
            DType::BF16 => "bf16",
            DType::F32 => "f32",
            DType::F64 => "f64",
            DType::C64 => "c64",
            DType::C128 => "c128",
        }
    }

    /// The type named so in IR text.
    pub fn from_name(name: &str) -> Option<DType> {
        DType::ALL.into_iter().find(|d| d.name() == name)
    }

    /// What arithmetic the type has.
    pub fn class(self) -> DTypeClass {
        match self {
            DType::Bool => DTypeClass::Bool,
            DType::I2 | DType::I4 | DType::I8 | DType::I16 | DType::I32 | DType::I64 => DTypeClass::Signed,
            DType::U2 | DType::U4 | DType::U8 | DType::U16 | DType::U32 | DType::U64 => DTypeClass::Unsigned,
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
            | DType::F64 => DTypeClass::Float,
            DType::C64 | DType::C128 => DTypeClass::Complex,
        }
    }

    /// The type of the real and imaginary parts of a complex type; any other type itself.
    pub fn part(self) -> DType {
        match self.class() {
            DTypeClass::Complex if self == DType::C64 => DType::F32,
            DTypeClass::Complex => DType::F64,
            DTypeClass::Bool | DTypeClass::Signed | DTypeClass::Unsigned | DTypeClass::Float => self,
        }
    }

    /// The complex type whose parts have this type: of f32 and f64 only.
    pub fn complex(self) -> Option<DType> {
        [DType::C64, DType::C128].into_iter().find(|c| c.part() == self)
    }

    /// Whether it is a real floating-point type.
    pub fn is_float(self) -> bool {
        self.class() == DTypeClass::Float
    }

    /// Whether it is a signed or unsigned integer type.
    pub fn is_integer(self) -> bool {
        matches!(self.class(), DTypeClass::Signed | DTypeClass::Unsigned)
    }

    /// Whether values of this type have cotangents (real or complex floating point).
    pub fn is_differentiable(self) -> bool {
        matches!(self.class(), DTypeClass::Float | DTypeClass::Complex)
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Element type and static shape. Prints as `f32[4,32]`. Cloning is cheap: clones are one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TensorType(Arc<Parts>);

#[derive(PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Parts {
    dtype: DType,
    shape: Box<[usize]>,
}

/// Largest number of bytes one tensor may have: 2^46.
pub const MAX_TENSOR_BYTES: usize = 1 << 46;

impl TensorType {
    /// Whether a tensor has at most [`MAX_TENSOR_BYTES`]. Zero-size dimensions do not hide an overflow in the others.
    pub fn fits(dtype: DType, shape: &[usize]) -> bool {
        let bytes = shape.iter().try_fold(dtype.size(), |n, &d| n.checked_mul(d.max(1)));
        bytes.is_some_and(|n| n <= MAX_TENSOR_BYTES)
    }

    /// A type whose size in bytes is at most [`MAX_TENSOR_BYTES`]; `None` otherwise.
    pub fn try_new(dtype: DType, shape: Vec<usize>) -> Option<Self> {
        Self::fits(dtype, &shape).then(|| Self(Arc::new(Parts { dtype, shape: shape.into() })))
    }

    /// A type made from parts of types that exist. Panics when it is too large.
    pub fn new(dtype: DType, shape: impl Into<Vec<usize>>) -> Self {
        Self::try_new(dtype, shape.into()).expect("a tensor type within the size bound")
    }

    /// A rank-0 type.
    pub fn scalar(dtype: DType) -> Self {
        Self(Arc::new(Parts { dtype, shape: Box::default() }))
    }

    /// Element type.
    pub fn dtype(&self) -> DType {
        self.0.dtype
    }

    /// Size of each dimension.
    pub fn shape(&self) -> &[usize] {
        &self.0.shape
    }

    /// Number of dimensions.
    pub fn rank(&self) -> usize {
        self.0.shape.len()
    }

    /// Number of elements.
    pub fn count(&self) -> usize {
        self.shape().iter().product()
    }

    /// Bytes of a dense buffer.
    pub fn bytes(&self) -> usize {
        self.count() * self.dtype().size()
    }

    /// The same shape with another element type. Panics when that is too large.
    pub fn with_dtype(&self, dtype: DType) -> Self {
        assert!(Self::fits(dtype, self.shape()), "a tensor type within the size bound");
        Self(Arc::new(Parts { dtype, shape: self.0.shape.clone() }))
    }

    /// The same element type with another shape.
    pub fn with_shape(&self, shape: impl Into<Vec<usize>>) -> Self {
        Self::new(self.dtype(), shape)
    }
}

impl fmt::Display for TensorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[", self.dtype())?;
        for (i, d) in self.shape().iter().enumerate() {
            write!(f, "{}{d}", if i == 0 { "" } else { "," })?;
        }
        f.write_str("]")
    }
}

impl fmt::Debug for TensorType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
