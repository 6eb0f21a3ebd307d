//! The drivers at work: real processes over TCP that are killed, runs that are resumed, simulated faults.

#![allow(clippy::unwrap_used)]

mod control;
mod faults;
mod ledger;
mod refusals;
mod sim;
mod tiny;
mod train;
