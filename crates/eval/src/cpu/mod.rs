//! The fast CPU backend.

pub mod kernels;
