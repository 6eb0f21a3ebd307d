//! What the runtime stands on, tested through its public doors: frames, links, ledger, checkpoints, child processes.

// A helper of a test may fail like the test.
#![allow(clippy::unwrap_used)]

mod checkpoint;
mod frame;
mod ledger;
mod process;
mod transport;
