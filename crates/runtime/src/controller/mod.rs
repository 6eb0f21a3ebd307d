//! The controller of a run: a state machine that deploys, commits, checkpoints and recovers. No I/O here.
//!
//! Must hold:
//! * a commit is in the ledger before any worker hears of it, and epochs are recorded in order;
//! * a step begins only when every worker holds the state of the same epoch, under the same attempt, and that state
//!   is the one the ledger has a digest of, wherever it was loaded from;
//! * after a loss the survivors keep the state of the last commit; a newcomer gets that state from them, or all go
//!   back to the newest valid checkpoint and replay, and the ledger then compares the bits;
//! * it never waits without a bound: restarts without progress are counted, silence ends the run with a name.
//!
//! Steps count from 1: step n leads from epoch n-1 to epoch n. Drivers answer each effect that asks for it.

mod messages;
mod recover;

use crate::checkpoint::ShardInfo;
use crate::control::{Deploy, FromWorker, PeerAddress, Report, ToWorker};
use crate::digest::Digest;
use pullback_base::Id;
use pullback_ir::Program;
use pullback_ir::literal::decode_f64;
use pullback_plan::{DeviceId, Plan};
use std::sync::Arc;
use std::time::Duration;

pub use messages::{Commit, Effect, Event, Found, Input, StopReason};

/// What a controller is made with.
#[derive(Clone, Debug)]
pub struct Config {
    /// The plan.
    pub plan: Arc<Plan>,
    /// The step program.
    pub program: Arc<Program>,
    /// What every worker is told, device and peers apart.
    pub deploy: Deploy,
    /// The step to end with.
    pub steps: u64,
    /// The last epoch in the ledger.
    pub committed: u64,
    /// Checkpoint every so many steps; 0: only at the end.
    pub checkpoint_every: u64,
    /// Restarts in a row without a new commit before giving up.
    pub max_restarts: u32,
    /// Silence after which the run ends; longer steps allow longer silence.
    pub stall_after: Duration,
    /// The same before the first step is done, when nothing is known of its length.
    pub first_stall_after: Duration,
    /// How long a worker may stay after another reported that it cannot be reached.
    pub suspect_after: Duration,
}

/// What a worker is busy with.
#[derive(Clone, PartialEq, Debug)]
enum Doing {
    Nothing,
    Starting,
    /// Up, but not deployed: others are not up yet.
    Waiting,
    Deploying,
    Restoring(u64),
    Running,
    Prepared(Report),
    Writing,
    Wrote(Box<ShardInfo>),
}

impl Doing {
    fn words(&self) -> &'static str {
        match self {
            Doing::Nothing | Doing::Waiting => "idle",
            Doing::Starting => "starting",
            Doing::Deploying => "checking and compiling its part of the plan",
            Doing::Restoring(_) => "restoring its state",
            Doing::Running => "computing the step",
            Doing::Prepared(_) => "done with the step",
            Doing::Writing => "writing its shard of a checkpoint",
            Doing::Wrote(_) => "done with its shard",
        }
    }
}

/// A worker as the controller sees it.
#[derive(Clone, Debug)]
struct Member {
    generation: u64,
    address: Option<String>,
    doing: Doing,
    /// Whether its plan is compiled.
    ready: bool,
    /// Epoch of its state.
    state: Option<u64>,
    /// Hash of its part of that state, as it reported it.
    digest: Digest,
    /// Incarnation of each device as this one knows it.
    knows: Vec<u64>,
}

/// What the run as a whole is at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// Getting all workers up, deployed and to one state.
    Settling,
    /// Waits for `CheckpointFound`.
    Finding,
    /// Waits for `Prepared` of all.
    Running,
    /// Waits for `CommitRecorded`.
    Recording,
    /// Waits for `CheckpointDir`.
    Making { recovery: bool },
    /// Waits for shards.
    Writing { recovery: bool },
    /// Waits for `CheckpointPublished`.
    Publishing { recovery: bool },
    /// Over.
    Stopped,
}

/// Hash of the devices' digests, in their order.
fn combined<'a>(digests: impl Iterator<Item = &'a Digest>) -> Digest {
    let mut hasher = blake3::Hasher::new();
    for digest in digests {
        hasher.update(&digest.0);
    }
    Digest::from(hasher.finalize())
}

/// See the module.
pub struct Controller {
    config: Config,
    members: Vec<Member>,
    phase: Phase,
    attempt: u32,
    /// Epoch that the workers hold, or are getting.
    epoch: u64,
    /// Last epoch in the ledger.
    committed: u64,
    /// Newest checkpoint known to be whole.
    newest: Option<(u64, String)>,
    /// The ledger's digest of the state of `epoch`; none for the state that the run began with.
    expected: Option<Digest>,
    /// Digest of the commit being recorded.
    recording: Option<Digest>,
    /// The folder that state was last loaded from.
    loaded_from: Option<String>,
    checkpoint_due: bool,
    stopping: bool,
    restarts: u32,
    /// Devices someone could not reach: incarnation, since when, and why.
    suspects: Vec<(DeviceId, u64, Option<Duration>, String)>,
    heard: bool,
    heard_at: Duration,
    longest_compute: Option<Duration>,
}

impl Controller {
    /// A controller that has not begun; `Input::Start` begins.
    pub fn new(config: Config) -> Self {
        let n = config.plan.mesh.places.len();
        let member = Member {
            generation: 0,
            address: None,
            doing: Doing::Starting,
            ready: false,
            state: None,
            digest: Digest::default(),
            knows: vec![0; n],
        };
        Self {
            members: vec![member; n],
            phase: Phase::Settling,
            attempt: 1,
            epoch: config.committed,
            committed: config.committed,
            newest: None,
            expected: None,
            recording: None,
            loaded_from: None,
            checkpoint_due: false,
            stopping: false,
            restarts: 0,
            suspects: Vec::new(),
            heard: true,
            heard_at: Duration::ZERO,
            longest_compute: None,
            config,
        }
    }

    /// Last epoch in the ledger.
    pub fn committed(&self) -> u64 {
        self.committed
    }

    /// The name of a state slot.
    pub fn state_name(&self, slot: usize) -> String {
        self.config.plan.signature.state.get(slot).map_or_else(|| format!("state {slot}"), |s| s.name.clone())
    }

    /// Takes an input; gives what to do, in order.
    pub fn step(&mut self, input: Input) -> Vec<Effect> {
        let mut out = Vec::new();
        if self.phase == Phase::Stopped {
            return out;
        }
        self.heard |= !matches!(input, Input::Tick { .. } | Input::StopRequested);
        match input {
            Input::Start => {
                for device in self.devices() {
                    self.start(device, &mut out);
                }
            }
            Input::Up { device, generation, address } => self.up(device, generation, address, &mut out),
            Input::Lost { device, generation, reason } => self.lost(device, generation, &reason, &mut out),
            Input::Message { device, generation, message } => {
                if self.members.get(device.index()).is_some_and(|m| m.generation == generation) {
                    self.message(device, message, &mut out);
                }
            }
            Input::CommitRecorded { epoch } => self.recorded(epoch, &mut out),
            Input::CheckpointDir { dir } => self.write(&dir, &mut out),
            Input::CheckpointPublished { epoch, path } => self.published(epoch, path, &mut out),
            Input::CheckpointFound(found) => self.found(found, &mut out),
            Input::StopRequested => self.stopping = true,
            Input::Tick { now } => self.tick(now, &mut out),
        }
        out
    }

    fn devices(&self) -> impl Iterator<Item = DeviceId> + use<> {
        (0..self.members.len()).map(DeviceId::from_index)
    }

    fn member(&mut self, device: DeviceId) -> &mut Member {
        &mut self.members[device.index()]
    }

    fn stop(&mut self, result: Result<(), StopReason>, out: &mut Vec<Effect>) {
        self.phase = Phase::Stopped;
        out.push(Effect::Stop(result));
    }

    fn send(&self, device: DeviceId, message: ToWorker, out: &mut Vec<Effect>) {
        out.push(Effect::Send { device, message });
    }

    fn start(&mut self, device: DeviceId, out: &mut Vec<Effect>) {
        let generation = self.member(device).generation;
        out.push(Effect::Tell(Event::Starting { device, generation }));
        out.push(Effect::Start { device, generation });
    }

    fn up(&mut self, device: DeviceId, generation: u64, address: String, out: &mut Vec<Effect>) {
        let Some(m) = self.members.get_mut(device.index()).filter(|m| m.generation == generation) else {
            return;
        };
        m.address = Some(address);
        m.doing = Doing::Waiting;
        if self.phase == Phase::Settling {
            self.settle(out);
        }
    }

    fn message(&mut self, device: DeviceId, message: FromWorker, out: &mut Vec<Effect>) {
        match message {
            FromWorker::Ready { arena, scratch } => {
                let m = self.member(device);
                m.ready = true;
                m.doing = Doing::Nothing;
                out.push(Effect::Tell(Event::Deployed { device, arena, scratch }));
            }
            FromWorker::Restored { epoch, digest } => {
                let m = self.member(device);
                if m.doing == Doing::Restoring(epoch) {
                    m.doing = Doing::Nothing;
                    m.state = Some(epoch);
                    m.digest = digest;
                }
            }
            FromWorker::Prepared(report) => {
                let due = self.phase == Phase::Running && report.attempt == self.attempt;
                if due && self.members[device.index()].doing == Doing::Running {
                    self.member(device).doing = Doing::Prepared(report);
                    self.prepared(out);
                }
                return;
            }
            FromWorker::Shard { epoch, attempt, info } => {
                // Late shards of an abandoned checkpoint only free their writer.
                let due = matches!(self.phase, Phase::Writing { .. })
                    && attempt == self.attempt
                    && epoch == self.epoch;
                let m = self.member(device);
                if m.doing == Doing::Writing {
                    m.doing = if due { Doing::Wrote(info) } else { Doing::Nothing };
                }
                if due {
                    return self.wrote(out);
                }
            }
            FromWorker::PeerLost { name, generation, why } => {
                let plan = &self.config.plan;
                let peer = plan.mesh.devices().find(|&d| plan.mesh.place(d).device == name);
                if let Some(peer) = peer.filter(|p| self.members[p.index()].generation == generation) {
                    let from = &plan.mesh.place(device).device;
                    let why = format!("{from} cannot reach it: {why}");
                    self.suspects.push((peer, generation, None, why));
                }
                return;
            }
            FromWorker::Failed { message } => {
                return self.stop(Err(StopReason::Worker { device, message }), out);
            }
        }
        if self.phase == Phase::Settling {
            self.settle(out);
        }
    }

    /// Goes on from a moment at which no step runs and nothing is being written.
    fn proceed(&mut self, out: &mut Vec<Effect>) {
        if self.members.iter().any(|m| !m.ready || m.state != Some(self.epoch)) {
            self.phase = Phase::Settling;
            return self.settle(out);
        }
        let over = self.epoch >= self.config.steps || self.stopping;
        if over && self.newest.as_ref().is_none_or(|n| n.0 != self.epoch) {
            self.checkpoint_due = true;
        }
        if self.checkpoint_due {
            self.phase = Phase::Making { recovery: false };
            out.push(Effect::MakeCheckpoint { epoch: self.epoch, recovery: false });
        } else if over {
            for device in self.devices() {
                self.send(device, ToWorker::Finish, out);
            }
            self.stop(Ok(()), out);
        } else {
            self.begin(out);
        }
    }

    fn begin(&mut self, out: &mut Vec<Effect>) {
        self.phase = Phase::Running;
        let (step, attempt) = (self.epoch + 1, self.attempt);
        for device in self.devices() {
            self.member(device).doing = Doing::Running;
            self.send(device, ToWorker::Begin { step, attempt }, out);
        }
    }

    fn prepared(&mut self, out: &mut Vec<Effect>) {
        let report = |m: &Member| match &m.doing {
            Doing::Prepared(r) => Some(r.clone()),
            Doing::Nothing
            | Doing::Starting
            | Doing::Waiting
            | Doing::Deploying
            | Doing::Restoring(_)
            | Doing::Running
            | Doing::Writing
            | Doing::Wrote(_) => None,
        };
        let Some(reports) = self.members.iter().map(report).collect::<Option<Vec<Report>>>() else { return };
        let epoch = self.epoch + 1;
        if let Some(wrong) = reports.iter().find(|r| r.epoch != epoch) {
            let why = format!("epoch {} prepared where {epoch} was due", wrong.epoch);
            return self.stop(Err(StopReason::Protocol(why)), out);
        }
        let Some(loss) = self.loss(&reports) else {
            let why = "no worker reported the loss; the plan has no output event for it".to_owned();
            return self.stop(Err(StopReason::Protocol(why)), out);
        };
        if !loss.is_finite() {
            return self.stop(Err(StopReason::NonFinite { step: epoch, loss }), out);
        }
        if let Some(slot) = reports.iter().find_map(|r| r.nan) {
            return self.stop(Err(StopReason::NanState { step: epoch, slot }), out);
        }
        let longest = reports.iter().map(Report::compute).max();
        self.longest_compute = self.longest_compute.max(longest);
        let digest = combined(reports.iter().map(|r| &r.digest));
        self.recording = Some(digest);
        self.phase = Phase::Recording;
        out.push(Effect::RecordCommit(Box::new(Commit { epoch, loss, digest, reports })));
        out.push(Effect::Tell(Event::Step { step: epoch, loss, replayed: epoch <= self.committed }));
    }

    /// Output slot 0 of whichever device reports it.
    fn loss(&self, reports: &[Report]) -> Option<f64> {
        let program = &self.config.program;
        let slot = self.config.plan.signature.outputs.first()?;
        let ty = program.ty(*program.results().get(slot.result)?);
        let bytes = reports.iter().find_map(|r| r.output(0))?;
        (bytes.len() == ty.dtype().size()).then(|| decode_f64(ty.dtype(), bytes))
    }

    fn recorded(&mut self, epoch: u64, out: &mut Vec<Effect>) {
        if self.phase != Phase::Recording || epoch != self.epoch + 1 {
            return;
        }
        self.epoch = epoch;
        self.expected = self.recording.take();
        if epoch > self.committed {
            self.committed = epoch;
            self.restarts = 0;
        }
        for device in self.devices() {
            let m = self.member(device);
            if let Doing::Prepared(report) = &m.doing {
                m.digest = report.digest;
                m.doing = Doing::Nothing;
                m.state = Some(epoch);
                self.send(device, ToWorker::Commit { epoch }, out);
            }
        }
        let every = self.config.checkpoint_every;
        self.checkpoint_due = every > 0 && epoch.is_multiple_of(every);
        self.proceed(out);
    }

    /// Where everyone is now.
    fn peers(&self) -> std::collections::BTreeMap<String, PeerAddress> {
        let place = |d: DeviceId| {
            let m = &self.members[d.index()];
            let at = PeerAddress { address: m.address.clone()?, generation: m.generation };
            Some((self.config.plan.mesh.place(d).device.clone(), at))
        };
        self.devices().filter_map(place).collect()
    }
}
