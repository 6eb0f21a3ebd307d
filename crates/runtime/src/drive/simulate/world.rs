//! The simulated machines: a queue of events in virtual time, workers, links, and crashes.

use super::disk::Disk;
use super::{Faults, Outcome, Scenario};
use crate::checkpoint::ShardInfo;
use crate::control::{Deploy, FromWorker, Origin, ToWorker};
use crate::controller::{Config, Controller, Effect, Event as Seen, Input};
use crate::exec::owners::Owned;
use crate::exec::{Deployed, NoPace, Worker};
use crate::frame::Frame;
use crate::session::{Host, Session, SessionEffect, SessionInput, named};
use pullback_base::Id;
use pullback_base::rng::CounterRng;
use pullback_ir::region::Region;
use pullback_plan::DeviceId;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// More events than this are a run that does not end.
const MAX_EVENTS: u64 = 2_000_000;
/// Virtual time between two ticks.
const TICK: u64 = 50_000;

/// What is due at a moment. `generation` tells a worker's incarnations apart.
enum Due {
    /// Anything for the controller.
    Controller(Input),
    /// A control message for a worker.
    Tell {
        device: DeviceId,
        generation: u64,
        message: ToWorker,
    },
    /// A data frame.
    Data {
        from: DeviceId,
        to: DeviceId,
        generation: u64,
        frame: Frame,
    },
    /// A worker process has started.
    Up {
        device: DeviceId,
        generation: u64,
    },
    Tick,
    /// The next worker crash, or controller crash.
    CrashWorker,
    CrashController,
}

/// A worker process.
struct Node {
    generation: u64,
    session: Session,
    /// Incarnations that its links lead to.
    outgoing: BTreeMap<DeviceId, u64>,
    /// Effects until it crashes, when it is to crash between two of them.
    fuse: Option<u64>,
}

pub(super) struct World<'a> {
    scenario: &'a Scenario,
    faults: Faults,
    rng: CounterRng,
    drawn: u64,
    now: u64,
    queue: BTreeMap<(u64, u64), Due>,
    queued: u64,
    /// When the last message of an ordered channel arrives; devices by number, the controller by none.
    channels: BTreeMap<(Option<usize>, Option<usize>, bool), u64>,
    nodes: Vec<Option<Node>>,
    controller: Controller,
    /// Effects until the controller crashes.
    fuse: Option<u64>,
    disk: Disk,
    log: Vec<String>,
    crashes: u32,
    worker_crashes: u32,
    controller_crashes: u32,
}

fn config(scenario: &Scenario, committed: u64) -> Config {
    let deploy = Deploy {
        plan: String::new(),
        step: String::new(),
        strategy: String::new(),
        deployment: String::new(),
        device: String::new(),
        peers: BTreeMap::new(),
        attempt: 0,
        setup: serde_json::Value::Null,
    };
    Config {
        plan: Arc::new(scenario.checked.plan().clone()),
        program: scenario.program.clone(),
        deploy,
        steps: scenario.steps,
        committed,
        checkpoint_every: scenario.checkpoint_every,
        max_restarts: 1000,
        stall_after: Duration::from_secs(60),
        first_stall_after: Duration::from_secs(60),
        suspect_after: Duration::from_millis(200),
    }
}

impl<'a> World<'a> {
    pub fn new(seed: u64, scenario: &'a Scenario, faults: Faults) -> Self {
        Self {
            scenario,
            faults,
            rng: CounterRng::new(seed, "simulate"),
            drawn: 0,
            now: 0,
            queue: BTreeMap::new(),
            queued: 0,
            channels: BTreeMap::new(),
            nodes: scenario.checked.plan().mesh.devices().map(|_| None).collect(),
            controller: Controller::new(config(scenario, 0)),
            fuse: None,
            disk: Disk::default(),
            log: Vec::new(),
            crashes: 0,
            worker_crashes: faults.worker_crashes,
            controller_crashes: faults.controller_crashes,
        }
    }

    fn draw(&mut self, bound: u64) -> u64 {
        self.drawn += 1;
        self.rng.below(self.drawn, bound.max(1))
    }

    /// How long a message takes; now and then much longer, as when a worker computes before it looks.
    fn delay(&mut self) -> u64 {
        let tail = if self.draw(8) == 0 { 30 } else { 1 };
        1 + tail * self.draw(self.faults.delay)
    }

    fn note(&mut self, what: impl std::fmt::Display) {
        self.log.push(format!("{:>9} {what}", self.now));
    }

    fn after(&mut self, delay: u64, due: Due) {
        self.queued += 1;
        self.queue.insert((self.now + delay, self.queued), due);
    }

    fn soon(&mut self, due: Due) {
        let delay = self.delay();
        self.after(delay, due);
    }

    /// Delivers over a channel that keeps its order.
    fn in_order(&mut self, from: Option<DeviceId>, to: Option<DeviceId>, data: bool, due: Due) {
        let delay = self.delay();
        let key = (from.map(|d| d.index()), to.map(|d| d.index()), data);
        let last = self.channels.entry(key).or_default();
        *last = (*last).max(self.now + delay);
        let delay = *last - self.now;
        self.after(delay, due);
    }

    pub fn run(mut self) -> Result<Outcome, String> {
        self.schedule_crashes();
        self.after(0, Due::Controller(Input::Start));
        self.after(TICK, Due::Tick);
        for _ in 0..MAX_EVENTS {
            let Some(((at, _), due)) = self.queue.pop_first() else { break };
            self.now = at;
            match self.happen(due) {
                Ok(false) => {}
                Ok(true) => return self.finish(),
                Err(why) => return Err(self.fail(&why)),
            }
        }
        Err(self.fail("it does not end"))
    }

    fn fail(&self, why: &str) -> String {
        let tail = self.log.len().saturating_sub(40);
        format!("{why}; the end of the log:\n{}", self.log[tail..].join("\n"))
    }

    fn finish(self) -> Result<Outcome, String> {
        let newest = self.disk.newest().and_then(|(_, name)| self.disk.state(&name).cloned());
        match newest {
            Some((epoch, state)) if epoch == self.scenario.steps => Ok(Outcome {
                log: self.log,
                state,
                commits: self.disk.commits,
                crashes: self.crashes,
                time: self.now,
            }),
            Some(_) | None => Err(self.fail("it ended without its last checkpoint")),
        }
    }

    fn schedule_crashes(&mut self) {
        if self.worker_crashes > 0 {
            self.worker_crashes -= 1;
            let delay = self.draw(self.faults.gap);
            self.after(delay, Due::CrashWorker);
        }
        if self.controller_crashes > 0 {
            self.controller_crashes -= 1;
            let delay = self.draw(4 * self.faults.gap);
            self.after(delay, Due::CrashController);
        }
    }

    /// One event; whether the run is over.
    fn happen(&mut self, due: Due) -> Result<bool, String> {
        match due {
            Due::Controller(input) => return self.decide(input),
            Due::Tick => {
                self.after(TICK, Due::Tick);
                let now = Duration::from_micros(self.now);
                return self.decide(Input::Tick { now });
            }
            Due::Up { device, generation } => {
                if let Some(node) = self.alive(device, generation) {
                    node.outgoing.clear();
                    let input = Input::Up { device, generation, address: format!("{device}/{generation}") };
                    self.in_order(Some(device), None, false, Due::Controller(input));
                }
            }
            Due::Tell { device, generation, message } => {
                if self.alive(device, generation).is_some() {
                    self.follow(device, SessionInput::Control(message));
                }
            }
            Due::Data { from, to, generation, frame } => {
                if self.alive(to, generation).is_some() {
                    self.follow(to, SessionInput::Data { from, frame });
                }
            }
            Due::CrashWorker => {
                let n = self.nodes.len() as u64;
                let device = DeviceId::from_index(self.draw(n) as usize);
                match self.draw(2) {
                    0 => self.crash(device),
                    _ => {
                        let fuse = self.draw(4);
                        if let Some(node) = &mut self.nodes[device.index()] {
                            node.fuse = Some(fuse);
                        }
                    }
                }
                self.worker_crashes_again();
            }
            Due::CrashController => self.fuse = Some(self.draw(5)),
        }
        Ok(false)
    }

    fn worker_crashes_again(&mut self) {
        let controller = std::mem::take(&mut self.controller_crashes);
        self.schedule_crashes();
        self.controller_crashes = controller;
    }

    fn alive(&mut self, device: DeviceId, generation: u64) -> Option<&mut Node> {
        self.nodes[device.index()].as_mut().filter(|n| n.generation == generation)
    }

    /// Gives the controller an input and does what it asks for; whether the run is over.
    fn decide(&mut self, input: Input) -> Result<bool, String> {
        for effect in self.controller.step(input) {
            match &mut self.fuse {
                Some(0) => {
                    self.crash_controller();
                    return Ok(false);
                }
                Some(n) => *n -= 1,
                None => {}
            }
            if self.perform(effect)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn perform(&mut self, effect: Effect) -> Result<bool, String> {
        match effect {
            Effect::Start { device, generation } => {
                self.crash(device);
                let node =
                    Node { generation, session: Session::new(), outgoing: BTreeMap::new(), fuse: None };
                self.nodes[device.index()] = Some(node);
                self.soon(Due::Up { device, generation });
            }
            Effect::Send { device, message } => {
                if matches!(message, ToWorker::Commit { epoch } if epoch > self.disk.last_epoch()) {
                    return Err(format!("{device} hears of a commit before the ledger"));
                }
                let generation = self.nodes[device.index()].as_ref().map(|n| n.generation);
                if let Some(generation) = generation {
                    self.in_order(None, Some(device), false, Due::Tell { device, generation, message });
                }
            }
            Effect::RecordCommit(commit) => {
                self.disk.commit(&commit)?;
                self.note(format!("commit {} loss {} {}", commit.epoch, commit.loss, commit.digest.short()));
                self.soon(Due::Controller(Input::CommitRecorded { epoch: commit.epoch }));
            }
            Effect::MakeCheckpoint { epoch, recovery } => {
                let dir = self.disk.make(epoch, recovery);
                self.soon(Due::Controller(Input::CheckpointDir { dir }));
            }
            Effect::PublishCheckpoint { epoch, recovery, shards } => {
                let (plan, step) = (self.scenario.checked.plan(), &self.scenario.program);
                let path = self.disk.publish(plan, step, epoch, recovery, &shards)?;
                self.note(format!("published {path}"));
                self.soon(Due::Controller(Input::CheckpointPublished { epoch, path }));
            }
            Effect::FindCheckpoint => {
                let found = self.disk.find();
                self.soon(Due::Controller(Input::CheckpointFound(found)));
            }
            Effect::Tell(Seen::Step { step, replayed: true, .. }) => self.note(format!("replays {step}")),
            Effect::Tell(Seen::Restoring { epoch, from }) => {
                self.note(format!(
                    "restores {epoch} from {}",
                    from.as_deref().unwrap_or("the initial state")
                ));
            }
            Effect::Tell(_) => {}
            Effect::Stop(Ok(())) => return Ok(true),
            Effect::Stop(Err(why)) => return Err(format!("the controller stopped: {why:?}")),
        }
        Ok(false)
    }

    /// Gives a worker an input and does what it asks for, as far as it lives.
    fn follow(&mut self, device: DeviceId, input: SessionInput) {
        let Some(mut node) = self.nodes[device.index()].take() else { return };
        let mut host = SimHost { scenario: self.scenario, disk: &mut self.disk };
        let effects = match node.session.step(input, &mut host) {
            Ok(effects) => effects,
            Err(e) => vec![SessionEffect::Tell(FromWorker::Failed { message: e.to_string() })],
        };
        let generation = node.generation;
        self.nodes[device.index()] = Some(node);
        for effect in effects {
            let Some(node) = self.alive(device, generation) else { return };
            match &mut node.fuse {
                Some(0) => return self.crash(device),
                Some(n) => *n -= 1,
                None => {}
            }
            match effect {
                SessionEffect::Tell(message) => self.tell(device, generation, message),
                SessionEffect::Send { to, frame } => self.send(device, to, frame),
                SessionEffect::Connect { device: to, name, at } => {
                    node.outgoing.insert(to, at.generation);
                    if self.alive(to, at.generation).is_none() {
                        let why = "nobody answers".to_owned();
                        let generation_lost = at.generation;
                        let lost = FromWorker::PeerLost { name, generation: generation_lost, why };
                        self.tell(device, generation, lost);
                    }
                }
                // The run is over when the controller says so.
                SessionEffect::Finish => {}
            }
        }
    }

    fn tell(&mut self, device: DeviceId, generation: u64, message: FromWorker) {
        let input = Input::Message { device, generation, message };
        self.in_order(Some(device), None, false, Due::Controller(input));
    }

    fn send(&mut self, from: DeviceId, to: DeviceId, frame: Frame) {
        let to_generation = self.nodes[from.index()].as_ref().and_then(|n| n.outgoing.get(&to).copied());
        let Some(generation) = to_generation else { return };
        let copies = 1 + u64::from(self.draw(1000) < self.faults.duplicates);
        for _ in 0..copies {
            let due = Due::Data { from, to, generation, frame: frame.clone() };
            match self.faults.reorder {
                true => self.soon(due),
                false => self.in_order(Some(from), Some(to), true, due),
            }
        }
    }

    /// A worker process is gone; controller and peers notice later.
    fn crash(&mut self, device: DeviceId) {
        let Some(node) = self.nodes[device.index()].take() else { return };
        let generation = node.generation;
        self.crashes += 1;
        self.note(format!("{device} of incarnation {generation} crashes"));
        let reason = "killed".to_owned();
        let lost = Input::Lost { device, generation, reason };
        self.in_order(Some(device), None, false, Due::Controller(lost));
        let plan = self.scenario.checked.plan();
        for peer in plan.mesh.devices() {
            let Some(node) = &mut self.nodes[peer.index()] else { continue };
            let own = node.generation;
            if node.outgoing.get(&device) == Some(&generation) {
                node.outgoing.remove(&device);
                let name = plan.mesh.place(device).device.clone();
                self.tell(peer, own, FromWorker::PeerLost { name, generation, why: "killed".to_owned() });
            }
        }
    }

    /// Controller and all workers are gone; what is on disk is resumed from.
    fn crash_controller(&mut self) {
        self.crashes += 1;
        self.fuse = None;
        let damage = self.faults.damage && self.draw(3) == 0;
        self.note(if damage {
            "the controller crashes, and a checkpoint is damaged"
        } else {
            "the controller crashes"
        });
        self.nodes.iter_mut().for_each(|n| *n = None);
        self.channels.clear();
        self.queue.retain(|_, due| matches!(due, Due::CrashWorker | Due::CrashController | Due::Tick));
        self.disk.crash(damage);
        self.controller = Controller::new(config(self.scenario, self.disk.last_epoch()));
        if self.controller_crashes > 0 {
            self.controller_crashes -= 1;
            let delay = self.draw(4 * self.faults.gap);
            self.after(delay, Due::CrashController);
        }
        self.soon(Due::Controller(Input::Start));
    }
}

/// A simulated worker's surroundings.
struct SimHost<'a> {
    scenario: &'a Scenario,
    disk: &'a mut Disk,
}

impl Host for SimHost<'_> {
    fn deploy(&mut self, d: &Deploy) -> Result<Worker, String> {
        let s = self.scenario;
        let device = named(s.checked.plan(), &d.device).ok_or("no such device")?;
        let deployed = Deployed::new(s.checked.clone(), s.program.clone(), &s.deployment, device);
        let deployed = deployed.map_err(|e| e.to_string())?;
        Worker::new(deployed, (s.batches)(), Box::new(NoPace)).map_err(|e| e.to_string())
    }

    fn load(
        &mut self,
        worker: &Worker,
        epoch: u64,
        from: &Origin,
        regions: &[Region],
    ) -> Result<Vec<Vec<u8>>, String> {
        match from {
            Origin::Init => Ok(regions.iter().enumerate().map(|(k, r)| (self.scenario.init)(k, r)).collect()),
            Origin::Checkpoint(name) => self.disk.read(worker, name, epoch, regions),
        }
    }

    fn write_shard(&mut self, worker: &Worker, dir: &str, parts: &[Owned]) -> Result<ShardInfo, String> {
        self.disk.write_shard(worker, dir, parts)
    }
}
