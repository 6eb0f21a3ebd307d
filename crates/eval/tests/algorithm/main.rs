//! Ops that are algorithms, held against values of XLA and LAPACK (`tests/golden`, written by the scripts beside
//! them) and against their definitions.

mod elementwise;
mod fft;
mod lapack;
mod rng;
