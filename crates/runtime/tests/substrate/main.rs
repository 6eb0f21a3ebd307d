//! What the runtime stands on, tested through its public doors: frames, links, ledger, checkpoints, child processes.

mod checkpoint;
mod frame;
mod ledger;
mod process;
mod transport;
