//! Adjoints of tensor programs: `linearize` gives a primal program that also returns residuals and a linear
//! program over tangents; `transpose` turns a linear program around. jvp, vjp and gradients are their
//! compositions, and nest, because every result is an ordinary program.
//!
//! Knows no devices, layouts or plans: a program is differentiated first, then distributed. The convention at each
//! point without a derivative is in `docs/derivatives.md`, each row with its test.
#![deny(clippy::wildcard_enum_match_arm)]

mod compose;
mod control;
mod depth;
mod error;
mod expand;
mod extract;
mod linearize;
mod options;
pub mod recompute;
mod rules;
mod shift;
mod smooth;
mod together;
mod transpose;

pub use compose::{
    Residual, hessian, hessian_with, hvp, hvp_with, jacfwd, jacrev, jacrev_with, jvp, residuals,
    value_and_grad, value_and_grad_with, vjp, vjp_with,
};
pub use depth::{Depth, depth};
pub use error::AdError;
pub use linearize::{LinearProgram, Linearized, linearize, linearize_with};
pub use options::Options;
pub use transpose::transpose;
