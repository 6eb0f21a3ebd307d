//! Adjoints of tensor programs: `linearize` gives a primal program that also returns residuals and a linear
//! program over tangents; `transpose` turns a linear program around. jvp, vjp and gradients are their
//! compositions, and nest, because every result is an ordinary program.
//!
//! Knows no devices, layouts or plans: a program is differentiated first, then distributed. Conventions at
//! points without a derivative (all tested in `tests/it/conventions.rs`):
//!
//! | where | derivative |
//! | --- | --- |
//! | maximum, minimum of equal operands | half to each |
//! | reduce or scatter by maximum, minimum | shared equally among all that attain it |
//! | abs at 0 | 1 |
//! | clamp at a bound | 0 |
//! | sign, floor, ceil, rounding, is_finite, comparisons, integer and bool results | 0 |
//! | x^y by x where y = 0 | 0, at x = 0 too |
//! | x^y by y where x = 0 and y > 0 | 0 |
//! | reduce_precision | 1, as if it did not round |
//! | remainder by its divisor | -trunc(x / y) |
//! | gather, dynamic_slice out of range | goes to the clamped place that was read |
//! | scatter out of range | 0, the update was dropped |
//! | select | the branch not taken gets 0, but a NaN or inf factor behind it still makes NaN (0 * inf) |
//! | complex | plain (unconjugated) transposes, so the gradient of a real loss is JAX's |
#![deny(clippy::wildcard_enum_match_arm)]

mod compose;
mod control;
mod depth;
mod error;
mod extract;
mod linearize;
mod options;
pub mod recompute;
mod rules;
mod shift;
mod together;
mod transpose;

pub use compose::{
    Residual, hessian, hessian_with, hvp, hvp_with, jacfwd, jacrev, jacrev_with, jvp, jvp_with, residuals,
    value_and_grad, value_and_grad_with, vjp, vjp_with,
};
pub use depth::{Depth, depth};
pub use error::AdError;
pub use linearize::{LinearProgram, Linearized, linearize, linearize_with};
pub use options::Options;
pub use transpose::transpose;
