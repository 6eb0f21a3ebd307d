//! Following a plan on one device: arena, compiled templates, collectives, and the worker as a state machine.
//!
//! Must hold: entry state is not written before a commit, so a step can be abandoned and run again; the same
//! plan, state and batch give the same bits. No sockets, clocks or files here; drivers bring those.

pub mod arena;
mod args;
pub mod combine;
pub mod deploy;
pub mod inproc;
mod nan;
pub mod owners;
pub mod ring;
pub mod worker;

pub use deploy::{DeployError, Deployed};
pub use inproc::Local;
pub use worker::{BatchSource, Effect, Input, NoPace, Pace, StepReport, Worker, WorkerError};
