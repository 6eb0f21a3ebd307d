//! Derivatives held against the reference evaluator: central differences, the pairing identity between forward
//! and reverse mode, exact values at kinks, nesting, and fixtures made by JAX.

#![allow(clippy::unwrap_used)]

mod common;
mod compose;
mod control;
mod conventions;
mod fixtures;
mod jax;
mod known;
mod linalg;
mod loop_memory;
mod marks;
mod ops;
mod pairing;
mod recompute;
mod second;
mod semantics;
mod shapes;
mod shift;
mod signs;
mod smooth_loops;
mod text;
