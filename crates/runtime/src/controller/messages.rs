//! What goes in and out of the controller: inputs, effects, events for watchers, reasons to stop.

use crate::checkpoint::ShardInfo;
use crate::control::{FromWorker, Report, ToWorker};
use crate::digest::Digest;
use pullback_plan::DeviceId;
use std::time::Duration;

/// What a controller is told.
#[derive(Clone, PartialEq, Debug)]
pub enum Input {
    /// Begin the run.
    Start,
    /// A worker is up and its link open.
    Up {
        /// Which.
        device: DeviceId,
        /// As in the [`Effect::Start`] that this answers.
        generation: u64,
        /// Where its peers find it.
        address: String,
    },
    /// A worker is gone, or could not be started.
    Lost {
        /// Which.
        device: DeviceId,
        /// Which incarnation.
        generation: u64,
        /// Why.
        reason: String,
    },
    /// A worker says something.
    Message {
        /// Which.
        device: DeviceId,
        /// Which incarnation.
        generation: u64,
        /// What.
        message: FromWorker,
    },
    /// Answers [`Effect::RecordCommit`].
    CommitRecorded {
        /// The epoch.
        epoch: u64,
    },
    /// Answers [`Effect::MakeCheckpoint`].
    CheckpointDir {
        /// Where shards go.
        dir: String,
    },
    /// Answers [`Effect::PublishCheckpoint`].
    CheckpointPublished {
        /// Epoch of the state.
        epoch: u64,
        /// Its folder.
        path: String,
    },
    /// Answers [`Effect::FindCheckpoint`]: the newest valid one, if any.
    CheckpointFound(Option<Found>),
    /// End after the step in progress, with a checkpoint.
    StopRequested,
    /// Time passes.
    Tick {
        /// Time since the start.
        now: Duration,
    },
}

/// A checkpoint to go on from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    /// Epoch of its state.
    pub epoch: u64,
    /// Its folder.
    pub path: String,
    /// The ledger's digest of the epoch; none for the state that the run began with.
    pub digest: Option<Digest>,
}

/// A step all workers have prepared.
#[derive(Clone, PartialEq, Debug)]
pub struct Commit {
    /// The epoch, and number of the step that led to it.
    pub epoch: u64,
    /// The step's loss; finite.
    pub loss: f64,
    /// Hash of the workers' digests in the order of devices.
    pub digest: Digest,
    /// One report per device.
    pub reports: Vec<Report>,
}

/// What a controller asks for.
#[derive(Clone, PartialEq, Debug)]
pub enum Effect {
    /// Start or restart a worker, ending what is left of it; answered by `Up` or `Lost`.
    Start {
        /// Which.
        device: DeviceId,
        /// Its new incarnation.
        generation: u64,
    },
    /// Send to a worker.
    Send {
        /// Which.
        device: DeviceId,
        /// What.
        message: ToWorker,
    },
    /// Put a commit in the ledger (or compare it with what is there); answered by `CommitRecorded`.
    RecordCommit(Box<Commit>),
    /// Make the folder of a new checkpoint; answered by `CheckpointDir`.
    MakeCheckpoint {
        /// Epoch of the state.
        epoch: u64,
        /// Whether it only serves a newcomer.
        recovery: bool,
    },
    /// Publish a checkpoint; answered by `CheckpointPublished`.
    PublishCheckpoint {
        /// Epoch of the state.
        epoch: u64,
        /// Whether it only serves a newcomer.
        recovery: bool,
        /// Its shards, in the order of devices.
        shards: Vec<ShardInfo>,
    },
    /// Find the newest valid checkpoint; answered by `CheckpointFound`.
    FindCheckpoint,
    /// Tell whoever watches.
    Tell(Event),
    /// The run is over.
    Stop(Result<(), StopReason>),
}

/// What watchers see.
#[derive(Clone, PartialEq, Debug)]
pub enum Event {
    /// A worker is being started.
    Starting {
        /// Which.
        device: DeviceId,
        /// 0 the first time.
        generation: u64,
    },
    /// A worker is up (told by the driver).
    Started {
        /// Which.
        device: DeviceId,
        /// Its process, if the run started it.
        pid: Option<u32>,
        /// Where it listens.
        address: String,
    },
    /// A worker has checked and compiled its part.
    Deployed {
        /// Which.
        device: DeviceId,
        /// Bytes of its arena.
        arena: u64,
        /// Bytes of its compiled templates besides.
        scratch: u64,
    },
    /// All workers hold the state of an epoch, and steps begin.
    Running {
        /// The epoch.
        epoch: u64,
        /// The last epoch in the ledger; larger when steps are to be replayed.
        committed: u64,
    },
    /// A step is committed.
    Step {
        /// Its number, from 1.
        step: u64,
        /// Its loss.
        loss: f64,
        /// Whether it was in the ledger already, with the same bits.
        replayed: bool,
    },
    /// A worker is lost and will be restarted.
    Lost {
        /// Which.
        device: DeviceId,
        /// Why.
        reason: String,
    },
    /// A checkpoint is published.
    Checkpoint {
        /// Epoch of its state.
        epoch: u64,
        /// Its folder.
        path: String,
    },
    /// Newcomers, or all, take their state from here.
    Restoring {
        /// Epoch of the state.
        epoch: u64,
        /// A checkpoint's folder; none for the initial state.
        from: Option<String>,
    },
    /// Anything else a person should know.
    Note(String),
}

/// Why a run ended before its last step.
#[derive(Clone, PartialEq, Debug)]
pub enum StopReason {
    /// A worker cannot go on.
    Worker {
        /// Which.
        device: DeviceId,
        /// What it said.
        message: String,
    },
    /// Restarted too often without a new commit.
    Restarts {
        /// The last worker lost.
        device: DeviceId,
        /// How often.
        count: u32,
        /// Why the last time.
        reason: String,
    },
    /// The loss is not finite; nothing of the step was committed.
    NonFinite {
        /// The step.
        step: u64,
        /// Its loss.
        loss: f64,
    },
    /// The next state has a NaN though the loss is finite; nothing of the step was committed.
    NanState {
        /// The step.
        step: u64,
        /// The state slot.
        slot: usize,
    },
    /// The state that workers took is not the one that the ledger names.
    OtherState {
        /// Epoch of the state.
        epoch: u64,
        /// The checkpoint it came from.
        path: String,
        /// The ledger's digest.
        committed: Digest,
        /// The digest of what was loaded.
        loaded: Digest,
    },
    /// Nothing was heard for long.
    Stalled {
        /// How long.
        after: Duration,
        /// Of whom something was due, and what.
        waiting: Vec<(DeviceId, String)>,
    },
    /// Workers or driver broke the protocol.
    Protocol(String),
}
