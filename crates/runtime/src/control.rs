//! What controller and workers say to each other: JSON in frames of kind control.
//!
//! Must hold: every answer names the attempt or epoch it answers, so that a late one is recognised; a message that
//! cannot be read is an error, never a guess. It opens no links and takes no decisions.

use crate::checkpoint::ShardInfo;
use crate::digest::Digest;
use crate::exec::StepReport;
use crate::frame::{Frame, FrameHeader, Kind};
use pullback_base::Id;
use pullback_plan::DeviceId;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// Where a worker listens, and which incarnation of it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PeerAddress {
    /// Its address.
    pub address: String,
    /// Grows with each restart.
    pub generation: u64,
}

/// Everything a worker needs to take part.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Deploy {
    /// The plan, as text.
    pub plan: String,
    /// The step program, as text.
    pub step: String,
    /// The strategy, as TOML.
    pub strategy: String,
    /// The deployment, as TOML.
    pub deployment: String,
    /// Which device of the deployment the worker is.
    pub device: String,
    /// All workers of the run by name.
    pub peers: BTreeMap<String, PeerAddress>,
    /// Frames of earlier attempts are dropped.
    pub attempt: u32,
    /// Description of data and initial state; opaque here.
    pub setup: serde_json::Value,
}

/// Where state comes from.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Origin {
    /// The setup's initial state.
    Init,
    /// A checkpoint's folder.
    Checkpoint(String),
}

/// Controller to worker.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum ToWorker {
    /// Take this part; answered by `Ready`.
    Deploy(Box<Deploy>),
    /// A worker has a new address.
    Peer {
        /// Which.
        name: String,
        /// Where it is now.
        at: PeerAddress,
    },
    /// Take this state; answered by `Restored`.
    Restore {
        /// Epoch of the state.
        epoch: u64,
        /// Where it comes from.
        from: Origin,
    },
    /// Run a step; answered by `Prepared`.
    Begin {
        /// The step, counted from 1: it leads to the epoch of the same number and uses batch `step - 1`.
        step: u64,
        /// Which try.
        attempt: u32,
    },
    /// The prepared epoch is in the ledger.
    Commit {
        /// The epoch.
        epoch: u64,
    },
    /// Write a shard of the current state; answered by `Shard`.
    Checkpoint {
        /// The folder to write it in.
        dir: String,
        /// Epoch of the state.
        epoch: u64,
        /// Which try.
        attempt: u32,
        /// Devices, by number, that take part.
        alive: Vec<usize>,
    },
    /// Forget the step in progress.
    Abort {
        /// The next attempt: frames of earlier ones are dropped.
        attempt: u32,
    },
    /// The run is over.
    Finish,
}

/// Worker to controller.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum FromWorker {
    /// The plan was checked and compiled, the peers are connected.
    Ready {
        /// Bytes of the arena.
        arena: u64,
        /// Bytes that compiled templates hold besides.
        scratch: u64,
    },
    /// The state is in place.
    Restored {
        /// Its epoch.
        epoch: u64,
        /// Hash of the part of it that this device answers for, as in a [`Report`].
        digest: Digest,
    },
    /// A step is done, its epoch ready to be committed.
    Prepared(Report),
    /// A shard is written.
    Shard {
        /// Epoch of the state.
        epoch: u64,
        /// Which try.
        attempt: u32,
        /// What was written.
        info: Box<ShardInfo>,
    },
    /// There is no link to a peer any more.
    PeerLost {
        /// Which.
        name: String,
        /// Which incarnation of it.
        generation: u64,
        /// Why.
        why: String,
    },
    /// The worker cannot go on.
    Failed {
        /// In full.
        message: String,
    },
}

/// [`StepReport`] as it travels.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Report {
    /// The epoch it would commit.
    pub epoch: u64,
    /// Which try.
    pub attempt: u32,
    /// Output slot and bytes.
    pub outputs: Vec<(usize, Vec<u8>)>,
    /// Hash of the device's part of the next state.
    pub digest: Digest,
    /// The first state slot whose next value has a NaN there.
    pub nan: Option<usize>,
    /// Nanoseconds spent computing, throttle included.
    pub compute_ns: u64,
    /// Payload bytes sent, per receiving device.
    pub sent: Vec<(usize, u64)>,
}

impl Report {
    /// A report of a try.
    pub fn new(report: &StepReport, attempt: u32) -> Self {
        Self {
            epoch: report.epoch,
            attempt,
            outputs: report.outputs.clone(),
            digest: report.digest,
            nan: report.nan,
            compute_ns: u64::try_from(report.compute.as_nanos()).unwrap_or(u64::MAX),
            sent: report.sent.iter().map(|(d, &n)| (d.index(), n)).collect(),
        }
    }

    /// Time spent computing.
    pub fn compute(&self) -> Duration {
        Duration::from_nanos(self.compute_ns)
    }

    /// Bytes of an output slot, if this device reports it.
    pub fn output(&self, slot: usize) -> Option<&[u8]> {
        self.outputs.iter().find(|o| o.0 == slot).map(|o| &o.1[..])
    }

    /// Payload bytes sent, per device.
    pub fn sent(&self) -> impl Iterator<Item = (DeviceId, u64)> + '_ {
        self.sent.iter().map(|&(d, n)| (DeviceId::from_index(d), n))
    }
}

/// A message as a frame; `number` counts the messages of a link.
pub fn encode<T: Serialize>(message: &T, plan: Digest, number: u32) -> Result<Frame, String> {
    let payload =
        serde_json::to_vec(message).map_err(|e| format!("a control message has no JSON form: {e}"))?;
    let mut header = FrameHeader::new(Kind::Control, plan);
    header.sequence = number;
    Ok(Frame { header, payload })
}

/// The message in a frame.
pub fn decode<T: DeserializeOwned>(frame: &Frame) -> Result<T, String> {
    match frame.header.kind {
        Kind::Control => serde_json::from_slice(&frame.payload)
            .map_err(|e| format!("a control message cannot be read ({e}); run the same build on both sides")),
        Kind::Data | Kind::Link => {
            Err(format!("a {} frame came where a control message was due", frame.header.kind))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_back_and_garbage_is_refused() {
        let begin = ToWorker::Begin { step: 7, attempt: 3 };
        let frame = encode(&begin, Digest::of(b"plan"), 1).unwrap();
        assert_eq!(decode::<ToWorker>(&frame).unwrap(), begin);
        assert!(decode::<FromWorker>(&frame).unwrap_err().contains("cannot be read"));
        let mut data = frame;
        data.header.kind = Kind::Data;
        assert!(decode::<ToWorker>(&data).unwrap_err().contains("data frame"));
    }
}
