//! The drivers: controller and worker over TCP processes, and both over a seeded simulator.
//!
//! Must hold: all decisions are the state machines' ([`crate::controller`], [`crate::session`], [`crate::exec`]);
//! drivers move bytes, keep time and touch disks. Every wait has a bound.

mod children;
mod effects;
mod error;
mod run_dir;
pub mod simulate;
mod store;
mod summary;
pub mod train;
pub mod worker;

pub use error::RunError;
pub use run_dir::Artifacts;

pub use simulate::{Faults, Outcome, Scenario, simulate};
pub use summary::{LinkBytes, Summary, WorkerSummary};
pub use train::{Event, Job, Limits, WorkerCommand, run};
pub use worker::{ServeError, WorkerOptions, WorkerSetup, serve};
