//! Types as values are declared with: some dimensions may be open.
//!
//! Types come from inference; what is written has to admit what was inferred. So an open dimension is never
//! guessed, and a program has none.

use crate::types::{mlir_dtype, mlir_type};
use pullback_ir::{DType, TensorType};
use std::fmt;

/// A dimension as written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Dim {
    Known(usize),
    /// `?`
    Open,
    /// `?` with a bound, as `#stablehlo.bounds` gives it.
    AtMost(usize),
}

/// A tensor type with a dimension that is not known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct OpenType {
    pub(crate) dtype: DType,
    pub(crate) dims: Vec<Dim>,
}

/// The type a value is declared with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Declared {
    Exact(TensorType),
    Open(OpenType),
}

impl OpenType {
    /// The dimensions, each with its bound if it has one.
    pub(crate) fn new(dtype: DType, sizes: &[Option<usize>], bounds: &[Option<usize>]) -> Self {
        let bound = |i: usize| bounds.get(i).copied().flatten();
        let dims = sizes.iter().enumerate().map(|(i, size)| match (size, bound(i)) {
            (Some(n), _) => Dim::Known(*n),
            (None, Some(n)) => Dim::AtMost(n),
            (None, None) => Dim::Open,
        });
        Self { dtype, dims: dims.collect() }
    }

    /// Whether a value of this shape may be declared so.
    pub(crate) fn admits_shape(&self, shape: &[usize]) -> bool {
        self.dims.len() == shape.len()
            && self.dims.iter().zip(shape).all(|(dim, &n)| match *dim {
                Dim::Known(size) => n == size,
                Dim::Open => true,
                Dim::AtMost(bound) => n <= bound,
            })
    }

    pub(crate) fn admits(&self, ty: &TensorType) -> bool {
        self.dtype == ty.dtype() && self.admits_shape(ty.shape())
    }
}

impl Declared {
    pub(crate) fn dtype(&self) -> DType {
        match self {
            Declared::Exact(t) => t.dtype(),
            Declared::Open(t) => t.dtype,
        }
    }

    pub(crate) fn rank(&self) -> usize {
        match self {
            Declared::Exact(t) => t.rank(),
            Declared::Open(t) => t.dims.len(),
        }
    }

    /// Whether a value of this type may be declared so.
    pub(crate) fn admits(&self, ty: &TensorType) -> bool {
        match self {
            Declared::Exact(t) => t == ty,
            Declared::Open(t) => t.admits(ty),
        }
    }

    /// The type itself, where it has no open dimension.
    pub(crate) fn exact(&self) -> Option<&TensorType> {
        match self {
            Declared::Exact(t) => Some(t),
            Declared::Open(_) => None,
        }
    }
}

/// As MLIR writes it: `tensor<?x4xf32>`.
impl fmt::Display for OpenType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tensor<")?;
        for dim in &self.dims {
            match dim {
                Dim::Known(n) => write!(f, "{n}x")?,
                Dim::Open | Dim::AtMost(_) => write!(f, "?x")?,
            }
        }
        write!(f, "{}", mlir_dtype(self.dtype))?;
        if self.dims.iter().any(|d| matches!(d, Dim::AtMost(_))) {
            let bounds = self.dims.iter().map(|d| match d {
                Dim::AtMost(n) => n.to_string(),
                Dim::Known(_) | Dim::Open => "?".to_owned(),
            });
            write!(f, ", #stablehlo.bounds<{}>", bounds.collect::<Vec<_>>().join(", "))?;
        }
        write!(f, ">")
    }
}

impl fmt::Display for Declared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Declared::Exact(t) => f.write_str(&mlir_type(t)),
            Declared::Open(t) => t.fmt(f),
        }
    }
}
