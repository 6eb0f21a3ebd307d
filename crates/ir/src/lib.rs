//! The tensor program: types, ops, builder, verifier, text form, access maps, linearity, simplification.
//!
//! Knows no devices, no plans and no kernels. A [`Program`] is valid by construction: the builder types each
//! op as it is added, and a pass takes a valid program and gives a valid program.
#![deny(clippy::wildcard_enum_match_arm)]

pub mod access;
pub mod batch;
pub mod build;
pub mod count;
pub mod custom;
pub mod dtype;
pub mod globalize;
pub mod infer;
pub mod linearity;
pub mod literal;
pub mod loops;
pub mod op;
pub mod pass;
mod plain;
pub mod program;
pub mod region;
pub mod restrict;
mod share;
pub mod text;
mod values;

pub use build::Builder;
pub use dtype::{DType, DTypeClass, TensorType};
pub use infer::TypeError;
pub use literal::Literal;
pub use op::{
    Across, Assurance, BinaryOp, Communication, Comparison, Composite, ConvDims, Custom, CustomAccess,
    CustomFactor, CustomFactorKind, DotDims, FftKind, GatherDims, Groups, Lapack, Linalg, MatrixTranspose,
    Monoid, Op, RngAlgorithm, Rule, ScatterDims, UnaryOp, WindowDims,
};
pub use plain::plain;
pub use program::{Instr, InstrId, Program, Value, ValueDef};
