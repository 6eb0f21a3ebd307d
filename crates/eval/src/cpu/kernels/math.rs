//! Elementwise functions: scalar forms to be inlined into fused loops, and the loops over whole slices.
//!
//! What must hold: a function gives the same bits for the same argument wherever it is inlined, at every vector
//! width and in the scalar tail (straight-line code, no `mul_add`). NaN in gives NaN out; ±inf, ±0, overflow and
//! underflow are as in IEEE 754; subnormals are kept. The hot functions (exp, expm1, log, log1p, tanh, logistic,
//! sqrt, rsqrt, and in f32 erf and erfc) have no branches and no calls; the others call `libm` per element.
//!
//! What it does not do: no errors, no flags, no other rounding modes, no other types than f32 and f64.

mod common;
mod double;
mod single;
mod slices;

pub use common::*;
pub use double::*;
pub use single::*;
pub use slices::*;

#[cfg(test)]
mod tests;
