//! The seeded simulator: controller and workers over a virtual clock, with faults, in one thread.
//!
//! Must hold: the state machines are those of real runs; everything random comes from the seed, so a seed replays to
//! the same log. Links delay, and may reorder and duplicate data frames; workers and the controller crash, also between
//! two effects; what was not published or committed then is gone. It keeps no real time and no files.

mod disk;
mod world;

use crate::digest::Digest;
use crate::exec::BatchSource;
use pullback_checker::Checked;
use pullback_ir::Program;
use pullback_ir::region::Region;
use pullback_plan::Deployment;
use std::sync::Arc;

/// What is run.
#[derive(Clone)]
pub struct Scenario {
    /// The plan.
    pub checked: Arc<Checked>,
    /// The step program.
    pub program: Arc<Program>,
    /// The machines.
    pub deployment: Deployment,
    /// Makes a worker's data.
    pub batches: Arc<dyn Fn() -> Box<dyn BatchSource>>,
    /// Initial bytes of a region of a state slot.
    pub init: Arc<dyn Fn(usize, &Region) -> Vec<u8>>,
    /// The step to end with.
    pub steps: u64,
    /// Checkpoint every so many steps; 0: only at the end.
    pub checkpoint_every: u64,
}

/// What goes wrong. Times are virtual microseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Faults {
    /// Longest usual delay of a message; now and then one takes up to 30 times as long.
    pub delay: u64,
    /// Data frames in a thousand that come twice.
    pub duplicates: u64,
    /// Whether data frames of a link may overtake each other.
    pub reorder: bool,
    /// Crashes of workers.
    pub worker_crashes: u32,
    /// Crashes of the controller; it is resumed each time.
    pub controller_crashes: u32,
    /// Longest time between two crashes.
    pub gap: u64,
    /// Whether a crash of the controller may leave the newest checkpoint unreadable.
    pub damage: bool,
}

impl Faults {
    /// Delays alone.
    pub fn none() -> Self {
        Self {
            delay: 200,
            duplicates: 0,
            reorder: false,
            worker_crashes: 0,
            controller_crashes: 0,
            gap: 1,
            damage: false,
        }
    }

    /// A bit of everything.
    pub fn some() -> Self {
        Self {
            delay: 1000,
            duplicates: 100,
            reorder: true,
            worker_crashes: 6,
            controller_crashes: 2,
            gap: 60_000,
            damage: true,
        }
    }
}

/// What came of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// What happened, one line each, virtual time first.
    pub log: Vec<String>,
    /// Bytes of every state slot, whole, after the last step.
    pub state: Vec<Vec<u8>>,
    /// Epoch, loss and digest of every commit, in the order recorded.
    pub commits: Vec<(u64, f64, Digest)>,
    /// Crashes that met someone alive.
    pub crashes: u32,
    /// Virtual microseconds it took.
    pub time: u64,
}

/// Runs a scenario. Fails with the reason the run would have stopped with, and the log's end.
pub fn simulate(seed: u64, scenario: &Scenario, faults: &Faults) -> Result<Outcome, String> {
    world::World::new(seed, scenario, *faults).run()
}
