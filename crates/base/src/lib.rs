//! What the standard library lacks: typed ids with dense maps, source positions and diagnostics,
//! and a counter-based random generator.
//!
//! Knows nothing of tensors, devices or plans.

pub mod diag;
pub mod id;
pub mod rng;

pub use diag::{Diagnostic, Pos, Severity};
pub use id::{Id, IdMap};
