//! Computing on local buffers: the trusted reference and the fast CPU backend.
//!
//! Knows programs and bytes; knows no plans, layouts, transports or automatic differentiation. The reference
//! ([`reference`]) says what each op means; devices ([`Device`]) are judged by it.
#![deny(clippy::wildcard_enum_match_arm)]

pub mod algorithm;
pub mod buffer;
pub mod cpu;
mod custom;
pub mod device;
pub mod error;
pub mod reference;

pub use buffer::{AlignedBytes, Element, Tensor};
pub use cpu::CpuDevice;
pub use device::{Device, Executable, ReferenceDevice, Workspace, evaluate};
pub use error::EvalError;
