//! The façade: the arrows of the design as a pipeline, optimizers, and what the CLI calls.
//!
//! A model is a StableHLO module with a manifest ([`manifest`]); [`step`] makes one global step program of
//! it: loss, gradients, optimizer update. Nothing here distributes anything: that is the planner's.
#![deny(clippy::wildcard_enum_match_arm)]

pub mod check_grad;
pub mod cli;
pub mod error;
pub mod files;
pub mod grid;
pub mod init;
pub mod lint;
pub mod manifest;
pub mod optim;
pub mod place;
pub mod run;
pub mod source;
pub mod step;
pub mod tensors;

pub use error::Error;
