//! What the ledger takes and gives: one type a table.
//!
//! Must hold: digests are whole, losses and times finite (the ledger refuses others). Plain data; it checks nothing.

use crate::digest::Digest;

/// What the run is a run of. A ledger belongs to one such identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunIdentity {
    /// Digest of the model.
    pub model: Digest,
    /// Digest of the strategy.
    pub strategy: Digest,
    /// Digest of the deployment.
    pub deployment: Digest,
    /// Digest of the plan.
    pub plan: Digest,
}

impl RunIdentity {
    /// The causes first: a changed model also changes the plan.
    pub(super) fn fields(&self) -> [(&'static str, Digest); 4] {
        [
            ("model", self.model),
            ("strategy", self.strategy),
            ("deployment", self.deployment),
            ("plan", self.plan),
        ]
    }
}

/// A step about to be committed.
#[derive(Clone, Debug, PartialEq)]
pub struct CommitRecord {
    /// Commit domain.
    pub domain: u32,
    /// The epoch that this commit completes: the last one + 1.
    pub epoch: u64,
    /// The step that leads to it; larger than every earlier one of the domain.
    pub step: u64,
    /// Loss of the step; finite.
    pub loss: f64,
    /// Digest of the new state.
    pub digest: Digest,
    /// Wall time of the step in milliseconds.
    pub wall_ms: f64,
}

/// One worker's part in a commit.
#[derive(Clone, Debug, PartialEq)]
pub struct Contribution {
    /// The worker.
    pub worker: String,
    /// Samples it processed.
    pub samples: u64,
    /// Digest of its part of the new state.
    pub digest: Digest,
    /// Its compute time in milliseconds.
    pub compute_ms: f64,
}

/// What became of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Committed {
    /// It is new, and on disk.
    New,
    /// The epoch was committed before, with the same digest; nothing changed.
    AlreadyCommitted,
}

/// A commit as the ledger has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Commit {
    /// What was committed.
    pub record: CommitRecord,
    /// When, in UTC (`2025-01-31T12:00:00.000Z`).
    pub committed_at: String,
}

/// A published checkpoint as the ledger has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointRow {
    /// Epoch of its state.
    pub epoch: u64,
    /// Last step in it.
    pub step: u64,
    /// Its folder, as given.
    pub path: String,
    /// Digest of its manifest.
    pub digest: Digest,
    /// When it was recorded, in UTC.
    pub created_at: String,
}

/// Something that went wrong and was dealt with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incident {
    /// When, in UTC.
    pub at: String,
    /// The worker concerned (`controller` for the controller).
    pub worker: String,
    /// What, in a word or two.
    pub what: String,
    /// The details.
    pub detail: String,
}

/// One measured number.
#[derive(Clone, Debug, PartialEq)]
pub struct Telemetry {
    /// The step.
    pub step: u64,
    /// The worker.
    pub worker: String,
    /// What was measured, with its unit (`send_ms`).
    pub key: String,
    /// The number.
    pub value: f64,
}
