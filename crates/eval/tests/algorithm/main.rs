//! Ops that are algorithms, held against values of XLA and LAPACK (`tests/golden`, written by the scripts beside
//! them) and against their definitions.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod elementwise;
mod fft;
mod lapack;
mod rng;
