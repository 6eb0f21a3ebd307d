//! What goes in and out of a worker: inputs, effects, reports, errors, and the two things it is given to work
//! with (batches and a pace). No behaviour here.

use crate::frame::Frame;
use pullback_ir::region::Region;
use pullback_plan::{DeviceId, Digest};
use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// Where batches come from. A batch is a function of the step alone.
pub trait BatchSource: Send {
    /// Writes the region (compact, row-major) of batch slot `slot` for `step` into `out`.
    fn load(&mut self, step: u64, slot: usize, region: &Region, out: &mut [u8]) -> Result<(), String>;
}

/// Time for throttling and telemetry; a simulated one keeps runs reproducible.
pub trait Pace: Send {
    /// Runs a computation; gives how long it took, throttle included.
    fn run(&mut self, compute: &mut dyn FnMut()) -> Duration;
}

/// A pace that measures nothing and never waits.
pub struct NoPace;

impl Pace for NoPace {
    fn run(&mut self, compute: &mut dyn FnMut()) -> Duration {
        compute();
        Duration::ZERO
    }
}

/// What a worker is told.
#[derive(Clone, PartialEq, Debug)]
pub enum Input {
    /// The whole state at an epoch: compact bytes of the held region of each slot.
    State {
        /// The epoch.
        epoch: u64,
        /// Bytes per state slot.
        slots: Vec<Vec<u8>>,
    },
    /// Run a step from the current epoch.
    Begin {
        /// Which step's batch.
        step: u64,
        /// Which try at it.
        attempt: u32,
    },
    /// A data frame of another device.
    Frame {
        /// The sender.
        from: DeviceId,
        /// The frame.
        frame: Frame,
    },
    /// The prepared epoch is committed.
    Commit {
        /// The new epoch.
        epoch: u64,
    },
    /// Forget the step in progress; frames of earlier attempts than the given one are dropped.
    Abort {
        /// The next attempt.
        attempt: u32,
    },
}

/// What a worker asks its driver for.
#[derive(Clone, PartialEq, Debug)]
pub enum Effect {
    /// Send a data frame.
    Send {
        /// The receiver.
        to: DeviceId,
        /// The frame.
        frame: Frame,
    },
    /// The step is complete and the next epoch prepared.
    Prepared(StepReport),
}

/// What a step gave on one device.
#[derive(Clone, PartialEq, Debug)]
pub struct StepReport {
    /// The step.
    pub step: u64,
    /// The epoch it would commit.
    pub epoch: u64,
    /// Outputs this device reports: slot and bytes.
    pub outputs: Vec<(usize, Vec<u8>)>,
    /// Hash of the parts of the next state that this device answers for, in slot order.
    pub digest: Digest,
    /// The first state slot whose next value has a NaN in those parts.
    pub nan: Option<usize>,
    /// Time spent computing, throttle included.
    pub compute: Duration,
    /// Payload bytes sent, per receiver.
    pub sent: BTreeMap<DeviceId, u64>,
}

/// Why a worker cannot go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum WorkerError {
    /// A frame does not fit its place; nothing of it was used.
    Refused(String),
    /// The driver broke the protocol.
    Protocol(String),
    /// Computing, loading or memory failed.
    Failed(String),
}

impl fmt::Display for WorkerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WorkerError::Refused(m) => write!(f, "refused a frame: {m}"),
            WorkerError::Protocol(m) => write!(f, "protocol error: {m}"),
            WorkerError::Failed(m) => f.write_str(m),
        }
    }
}

impl std::error::Error for WorkerError {}
