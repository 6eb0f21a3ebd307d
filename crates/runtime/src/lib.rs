//! Running a checked plan: workers, controller, transports, commits, ledger, checkpoints.
//!
//! Must hold: state moves from epoch to epoch whole or not at all; nothing is combined before its frame was checked.
//! The crate knows sockets, threads and disks; it decides nothing about layouts or schedules.

pub mod checkpoint;
pub mod control;
pub mod controller;
pub mod digest;
pub mod drive;
pub mod exec;
mod files;
pub mod frame;
pub mod ledger;
pub mod process;
pub mod session;
pub mod transport;
