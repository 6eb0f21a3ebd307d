//! Running a plan to its last step: the controller over TCP, worker processes, a ledger and checkpoints on disk.
//!
//! Must hold: one thread runs the state machine; a commit is on disk before its message is queued; a run that ends,
//! however, leaves no worker process behind. The same call starts a run and goes on with one.

use super::children::{NotStarted, Start, Started, is_spawned, start};
use super::effects::{End, Files};
use super::error::RunError;
use super::run_dir::{Artifacts, RunDir};
use super::summary::Summary;
use crate::control::{self, Deploy, FromWorker};
use crate::controller::{Config, Controller, Effect, Input, StopReason};
use crate::digest::Digest;
use crate::process::{ChildGuard, describe_exit};
use crate::transport::handshake::{Identity, Role, new_token};
use crate::transport::tcp::{TcpConfig, TcpLink};
use crate::transport::{Inbound, InboundEvent, Inbox, Link};
use pullback_base::Id;
use pullback_checker::Checked;
use pullback_ir::Program;
use pullback_plan::{Deployment, DeviceId, Plan, Strategy};
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

pub use crate::controller::Event;

/// How worker processes are started. `{name}` and `{listen}` in arguments and values stand for the device's name and
/// the address to listen at.
#[derive(Clone, Debug)]
pub struct WorkerCommand {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables besides the parent's.
    pub env: Vec<(String, String)>,
}

impl WorkerCommand {
    /// `PROGRAM worker --listen ADDR --name NAME --parent`.
    pub fn pullback(program: PathBuf) -> Self {
        let args = ["worker", "--listen", "{listen}", "--name", "{name}", "--parent"];
        Self { program, args: args.map(str::to_owned).to_vec(), env: Vec::new() }
    }
}

/// Bounds on waiting.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// For a spawned worker to listen and shake hands.
    pub start: Duration,
    /// For a worker that a person starts to answer, at first.
    pub reach: Duration,
    /// The same after it was lost.
    pub reach_again: Duration,
    /// Silence after which the run ends; longer for longer steps.
    pub stall_after: Duration,
    /// The same before the first step is done.
    pub first_stall_after: Duration,
    /// How long a worker may stay that another cannot reach.
    pub suspect_after: Duration,
    /// Restarts in a row without a new commit.
    pub max_restarts: u32,
    /// Limits of links.
    pub tcp: TcpConfig,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            start: Duration::from_secs(20),
            reach: Duration::from_secs(5),
            reach_again: Duration::from_secs(60),
            stall_after: Duration::from_secs(60),
            first_stall_after: Duration::from_secs(900),
            suspect_after: Duration::from_secs(2),
            max_restarts: 20,
            tcp: TcpConfig::default(),
        }
    }
}

/// A run to be started or gone on with.
#[derive(Clone, Debug)]
pub struct Job {
    /// Its texts.
    pub artifacts: Artifacts,
    /// Its folder; with a ledger in it, the run goes on.
    pub run_dir: PathBuf,
    /// How workers are started.
    pub worker: WorkerCommand,
    /// Bounds on waiting.
    pub limits: Limits,
    /// Set by anyone: the run ends after the step in progress, with a checkpoint.
    pub stop: Option<Arc<AtomicBool>>,
    /// The session token; made when absent, unless a person starts workers, whose token is in the environment.
    pub token: Option<String>,
}

impl Job {
    /// A run with default bounds.
    pub fn new(artifacts: Artifacts, run_dir: PathBuf, worker: WorkerCommand) -> Self {
        Self { artifacts, run_dir, worker, limits: Limits::default(), stop: None, token: None }
    }
}

/// A job whose texts were read and found to belong together.
pub(super) struct Ready {
    pub checked: Arc<Checked>,
    pub program: Arc<Program>,
    pub strategy: Strategy,
    pub deployment: Deployment,
    pub plan_digest: Digest,
    pub artifacts: Artifacts,
    pub dir: RunDir,
}

impl Ready {
    pub fn plan(&self) -> &Plan {
        self.checked.plan()
    }

    pub fn name(&self, device: DeviceId) -> &str {
        &self.plan().mesh.place(device).device
    }
}

/// Runs a job to its last step, telling `observer` what happens. Goes on with the run if its folder has a ledger.
pub fn run(job: &Job, observer: &mut dyn FnMut(&Event)) -> Result<Summary, RunError> {
    let (ready, files) = Files::open(job)?;
    if files.is_complete(&ready)? {
        return files.summary(&ready, End::Already);
    }
    let mut driver = Driver::new(job, ready, files)?;
    let result = driver.drive(observer);
    driver.end(result.is_ok());
    result?;
    let end = match driver.files.committed() < driver.ready.artifacts.steps {
        true => End::Stopped,
        false => End::Complete,
    };
    driver.files.summary(&driver.ready, end)
}

enum In {
    Link(DeviceId, u64, Inbound),
    Started(DeviceId, u64, Result<Started, NotStarted>),
}

/// A worker's process and link.
#[derive(Default)]
struct Seat {
    generation: u64,
    link: Option<TcpLink>,
    child: Option<ChildGuard>,
    sent: u32,
}

struct Driver<'a> {
    job: &'a Job,
    ready: Ready,
    files: Files,
    controller: Controller,
    seats: Vec<Seat>,
    to: Sender<In>,
    events: Receiver<In>,
    begun: Instant,
    token: String,
}

/// How often time is looked at.
const TICK: Duration = Duration::from_millis(100);

impl<'a> Driver<'a> {
    fn new(job: &'a Job, ready: Ready, files: Files) -> Result<Self, RunError> {
        let a = &ready.artifacts;
        let deploy = Deploy {
            plan: a.plan.clone(),
            step: a.step.clone(),
            strategy: a.strategy.clone(),
            deployment: a.deployment.clone(),
            device: String::new(),
            peers: Default::default(),
            attempt: 0,
            setup: a.setup.clone(),
        };
        let config = Config {
            plan: Arc::new(ready.plan().clone()),
            program: ready.program.clone(),
            deploy,
            steps: a.steps,
            committed: files.committed(),
            checkpoint_every: ready.strategy.commit.checkpoint_every,
            max_restarts: job.limits.max_restarts,
            stall_after: job.limits.stall_after,
            first_stall_after: job.limits.first_stall_after,
            suspect_after: job.limits.suspect_after,
        };
        let strangers = ready.deployment.devices.iter().any(|d| !is_spawned(&d.address));
        let made = || match std::env::var(super::worker::TOKEN_ENV) {
            Ok(token) => token,
            Err(_) if strangers => String::new(),
            Err(_) => new_token(),
        };
        let token = job.token.clone().unwrap_or_else(made);
        let n = ready.plan().mesh.places.len();
        let (to, events) = mpsc::channel();
        Ok(Self {
            job,
            controller: Controller::new(config),
            seats: (0..n).map(|_| Seat::default()).collect(),
            to,
            events,
            begun: Instant::now(),
            token,
            ready,
            files,
        })
    }

    fn drive(&mut self, observer: &mut dyn FnMut(&Event)) -> Result<(), RunError> {
        let mut inputs = VecDeque::from([Input::Start]);
        let mut asked = false;
        let mut ticked = Instant::now();
        loop {
            while let Some(input) = inputs.pop_front() {
                for effect in self.controller.step(input) {
                    if let Effect::Stop(result) = effect {
                        return result.map_err(|why| self.explain(why));
                    }
                    self.perform(effect, &mut inputs, observer)?;
                }
            }
            let stop = self.job.stop.as_ref().is_some_and(|s| s.load(Ordering::Relaxed));
            if stop && !std::mem::replace(&mut asked, true) {
                inputs.push_back(Input::StopRequested);
            }
            if ticked.elapsed() >= TICK {
                ticked = Instant::now();
                inputs.push_back(Input::Tick { now: self.begun.elapsed() });
            }
            match self.events.recv_timeout(TICK) {
                Ok(event) => inputs.extend(self.take(event, observer)?),
                // This side holds a sender, so the channel is never disconnected.
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
            }
        }
    }

    /// What an event of the outside means to the controller.
    fn take(&mut self, event: In, observer: &mut dyn FnMut(&Event)) -> Result<Option<Input>, RunError> {
        match event {
            In::Started(device, generation, result) => {
                let seat = &mut self.seats[device.index()];
                if seat.generation != generation {
                    return Ok(None);
                }
                match result {
                    Ok(started) => {
                        seat.link = Some(started.link);
                        seat.child = started.child;
                        let pid = seat.child.as_ref().map(ChildGuard::pid);
                        observer(&Event::Started { device, pid, address: started.address.clone() });
                        Ok(Some(Input::Up { device, generation, address: started.address }))
                    }
                    // A worker that could not run will not run the next time either, unless it was killed.
                    Err(e) if e.lasting || (generation == 0 && !e.killed) => {
                        let worker = self.ready.name(device).to_owned();
                        let message = match e.lasting {
                            true => e.reason,
                            false => format!("worker {worker} did not start: {}", e.reason),
                        };
                        Err(RunError::Unreachable { worker, message })
                    }
                    Err(e) => Ok(Some(Input::Lost { device, generation, reason: e.reason })),
                }
            }
            In::Link(device, generation, inbound) => {
                if self.seats[device.index()].generation != generation {
                    return Ok(None);
                }
                match inbound.what {
                    InboundEvent::Frame(frame) => {
                        let message: Result<FromWorker, String> = control::decode(&frame);
                        let message = message.map_err(|why| {
                            RunError::Internal(format!("worker {}: {why}", self.ready.name(device)))
                        })?;
                        Ok(Some(Input::Message { device, generation, message }))
                    }
                    InboundEvent::Closed(why) => {
                        let reason = self.how_it_ended(device, &why.to_string());
                        Ok(Some(Input::Lost { device, generation, reason }))
                    }
                }
            }
        }
    }

    fn how_it_ended(&mut self, device: DeviceId, link: &str) -> String {
        let seat = &mut self.seats[device.index()];
        let ended = seat.child.as_mut().map(|c| c.wait_timeout(Duration::from_millis(500)));
        match ended {
            Some(Ok(Some(status))) => describe_exit(status),
            Some(Ok(None) | Err(_)) | None => link.to_owned(),
        }
    }

    fn perform(
        &mut self,
        effect: Effect,
        inputs: &mut VecDeque<Input>,
        observer: &mut dyn FnMut(&Event),
    ) -> Result<(), RunError> {
        match effect {
            Effect::Start { device, generation } => self.start(device, generation)?,
            Effect::Send { device, message } => {
                let seat = &mut self.seats[device.index()];
                seat.sent = seat.sent.wrapping_add(1);
                let frame = control::encode(&message, self.ready.plan_digest, seat.sent);
                let frame = frame.map_err(RunError::Internal)?;
                if let Some(link) = &mut seat.link
                    && let Err(e) = link.send(frame)
                {
                    match e {
                        // The link's end comes as an event of its own.
                        crate::transport::LinkError::Closed { .. } => {}
                        other => return Err(RunError::Internal(other.to_string())),
                    }
                }
            }
            Effect::RecordCommit(commit) => {
                inputs.push_back(Input::CommitRecorded { epoch: commit.epoch });
                self.files.commit(&self.ready, *commit)?;
            }
            Effect::MakeCheckpoint { epoch, recovery } => {
                let dir = self.files.make_checkpoint(&self.ready, epoch, recovery)?;
                inputs.push_back(Input::CheckpointDir { dir });
            }
            Effect::PublishCheckpoint { epoch, recovery, shards } => {
                let path = self.files.publish(&self.ready, epoch, recovery, &shards)?;
                inputs.push_back(Input::CheckpointPublished { epoch, path });
            }
            Effect::FindCheckpoint => {
                let (found, notes) = self.files.find_checkpoint(&self.ready)?;
                notes.into_iter().for_each(|note| observer(&Event::Note(note)));
                inputs.push_back(Input::CheckpointFound(found));
            }
            Effect::Tell(event) => {
                self.files.note(&self.ready, &event)?;
                observer(&event);
            }
            // Seen to by the caller.
            Effect::Stop(_) => {}
        }
        Ok(())
    }

    fn start(&mut self, device: DeviceId, generation: u64) -> Result<(), RunError> {
        let name = self.ready.name(device).to_owned();
        let spec = self.ready.deployment.device(&name);
        let address = spec.map(|d| d.address.clone()).unwrap_or_default();
        let limits = self.job.limits;
        let what = Start {
            address,
            log: self.ready.dir.log(&name),
            command: self.job.worker.clone(),
            token: self.token.clone(),
            me: Identity {
                role: Role::Controller,
                name: "controller".to_owned(),
                plan: Some(self.ready.plan_digest),
                token: self.token.clone(),
            },
            limits,
            patience: if generation == 0 { limits.reach } else { limits.reach_again },
            name,
        };
        // Dropping the seat ends the link and kills the process of the incarnation before.
        self.seats[device.index()] = Seat { generation, ..Seat::default() };
        let (to, inner) = (self.to.clone(), self.to.clone());
        let inbox = Inbox::new(move |inbound| inner.send(In::Link(device, generation, inbound)).is_ok());
        let body = move || {
            // If nobody listens any more, what was started ends with the value that comes back.
            drop(to.send(In::Started(device, generation, start(&what, limits.tcp, inbox))));
        };
        let thread = std::thread::Builder::new().name(format!("start {device}")).spawn(body);
        thread.map(drop).map_err(|e| RunError::Internal(format!("no thread can be started: {e}")))
    }

    /// Lets workers go: in order when the run is over, at once when it failed.
    fn end(&mut self, orderly: bool) {
        if !orderly {
            self.seats.clear();
            return;
        }
        for seat in &mut self.seats {
            if let Some(mut link) = seat.link.take() {
                link.close();
            }
        }
        for seat in &mut self.seats {
            if let Some(child) = &mut seat.child {
                child.release();
                // A child that does not end by itself is killed with its guard.
                let _ = child.wait_timeout(Duration::from_secs(2));
            }
        }
        self.seats.clear();
    }

    fn explain(&self, why: StopReason) -> RunError {
        let name = |d: DeviceId| self.ready.name(d).to_owned();
        match why {
            StopReason::Worker { device, message } => {
                RunError::Worker { worker: name(device), message, log: self.ready.dir.log(&name(device)) }
            }
            StopReason::Restarts { device, count, reason } => {
                let tail = self.seats[device.index()].child.as_ref().map(|c| c.log_tail(2000));
                let tail = tail.unwrap_or_else(|| "(it was not started by this run)".to_owned());
                RunError::Restarts { worker: name(device), count, reason, tail }
            }
            StopReason::NonFinite { step, loss } => {
                RunError::NonFinite { step, loss, committed: self.controller.committed() }
            }
            StopReason::NanState { step, slot } => {
                let name = self.controller.state_name(slot);
                RunError::NanState { step, name, committed: self.controller.committed() }
            }
            StopReason::OtherState { epoch, path, committed, loaded } => {
                let path = PathBuf::from(path);
                let recovery = path.starts_with(self.ready.dir.recovery());
                RunError::OtherState { step: epoch, path, recovery, committed, loaded }
            }
            StopReason::Stalled { after, waiting } => RunError::Stalled {
                seconds: after.as_secs(),
                waiting: waiting.into_iter().map(|(d, doing)| (name(d), doing)).collect(),
            },
            StopReason::Protocol(why) => RunError::Internal(why),
        }
    }
}
