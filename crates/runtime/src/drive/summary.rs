//! What a run came to, for people and tools.

use std::path::PathBuf;
use std::time::Duration;

/// What one worker did.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct WorkerSummary {
    /// Its name.
    pub name: String,
    /// Bytes of its arena.
    pub arena_bytes: u64,
    /// Bytes its compiled templates hold besides.
    pub scratch_bytes: u64,
    /// Time spent computing in committed steps, throttle included.
    pub compute: Duration,
    /// Samples of each batch it processes.
    pub samples: u64,
}

/// Payload bytes from one worker to another, over all committed steps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinkBytes {
    /// The sender.
    pub from: String,
    /// The receiver.
    pub to: String,
    /// Bytes.
    pub bytes: u64,
}

/// A run, or the part of it that this call ran.
#[derive(Clone, PartialEq, Debug)]
pub struct Summary {
    /// Last step committed in the run.
    pub steps: u64,
    /// Steps that this call committed.
    pub committed: u64,
    /// Steps that this call ran again because they were in the ledger but in no checkpoint.
    pub replayed: u64,
    /// Loss of the run's first step.
    pub first_loss: Option<f64>,
    /// Loss of its last step.
    pub last_loss: Option<f64>,
    /// Wall time of this call from the first step's beginning to the last commit.
    pub elapsed: Duration,
    /// Committed steps per second of that time.
    pub steps_per_second: f64,
    /// Per pair of workers that talk to each other.
    pub links: Vec<LinkBytes>,
    /// Per worker, in the order of the mesh.
    pub workers: Vec<WorkerSummary>,
    /// Workers restarted during this call.
    pub restarts: u64,
    /// Whether the run was told to stop before its last step.
    pub stopped: bool,
    /// Whether the last step was committed, and its state in a checkpoint, before this call.
    pub already_complete: bool,
    /// The newest checkpoint.
    pub checkpoint: Option<PathBuf>,
    /// The ledger.
    pub ledger: PathBuf,
}
