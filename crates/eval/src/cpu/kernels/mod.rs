//! Numeric kernels of the CPU backend: elementwise functions, matrix products, reductions, copies.
//!
//! What must hold: a kernel works on plain slices and scalars; its result depends only on its inputs and,
//! for matrix products, on the instruction set of the machine, never on the number of threads or on timing.
//! Each kernel says in which order it rounds.
//!
//! What it does not do: it knows no programs, shapes of the IR, or buffers, and it decides nothing about fusion.
//! Sizes that contradict each other are bugs of the caller and panic; nothing here reads files or the network.

pub mod copy;
pub mod dispatch;
pub mod gemm;
pub mod integers;
pub mod math;
pub mod pool;
pub mod reduce;
pub mod rows;
