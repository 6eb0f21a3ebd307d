//! A run: the folder a person keeps, and what becomes of it.
//!
//! A folder holds `run.toml` ([`config`]), the module and its manifest, a strategy and a deployment. [`project`]
//! reads them and makes the step program and the identities; the planner, the checker and the runtime do the
//! rest. There is no data-parallel code here: what is distributed how follows from the strategy alone.

pub mod config;
pub mod data;
pub mod probe;
pub mod project;
pub mod sample;
pub mod setup;
pub mod train;

pub use config::{DataConfig, RunConfig};
pub use project::{Planned, Project};
