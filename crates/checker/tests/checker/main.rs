//! The checker on hand-made plans: legal ones pass, each rule rejects, mutants are rejected or still right.
#![allow(clippy::unwrap_used, reason = "a test may")]

mod accepts;
mod binary;
mod collect;
mod execute;
mod illegal;
mod mutants;
mod plans;
mod rules;
