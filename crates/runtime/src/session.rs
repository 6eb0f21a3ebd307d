//! A worker's part in a run: a state machine between control messages, data frames and [`exec::Worker`](crate::exec).
//!
//! Must hold: everything a step changes is undone by an abort; every message of the controller is answered at most
//! once, in order. Files, sockets and compilation are the [`Host`]'s; TCP workers and simulated ones share this code.

use crate::checkpoint::ShardInfo;
use crate::control::{Deploy, FromWorker, Origin, PeerAddress, Report, ToWorker};
use crate::exec::owners::Owned;
use crate::exec::{Effect, Input, Worker, WorkerError};
use crate::frame::Frame;
use pullback_base::Id;
use pullback_ir::region::Region;
use pullback_plan::{DeviceId, Plan};
use std::collections::BTreeMap;

/// What a session needs done outside of itself.
pub trait Host {
    /// Checks and compiles the plan for the device.
    fn deploy(&mut self, deploy: &Deploy) -> Result<Worker, String>;
    /// Bytes of the given region of each state slot, from where the state comes.
    fn load(
        &mut self,
        worker: &Worker,
        epoch: u64,
        from: &Origin,
        regions: &[Region],
    ) -> Result<Vec<Vec<u8>>, String>;
    /// Writes parts of the current state to a checkpoint that is being made.
    fn write_shard(&mut self, worker: &Worker, dir: &str, parts: &[Owned]) -> Result<ShardInfo, String>;
}

/// What reaches a session.
#[derive(Clone, PartialEq, Debug)]
pub enum SessionInput {
    /// A message of the controller.
    Control(ToWorker),
    /// A data frame of another device.
    Data {
        /// The sender.
        from: DeviceId,
        /// The frame.
        frame: Frame,
    },
}

/// What a session wants done, in order.
#[derive(Clone, PartialEq, Debug)]
pub enum SessionEffect {
    /// Tell the controller.
    Tell(FromWorker),
    /// Send a data frame to a device.
    Send {
        /// The receiver.
        to: DeviceId,
        /// The frame.
        frame: Frame,
    },
    /// Open a link to a device that this one sends to, in place of an older one.
    Connect {
        /// The device.
        device: DeviceId,
        /// Its name.
        name: String,
        /// Where it is.
        at: PeerAddress,
    },
    /// The run is over.
    Finish,
}

/// See the module.
#[derive(Default)]
pub struct Session {
    worker: Option<Worker>,
    attempt: u32,
}

fn protocol(message: impl Into<String>) -> WorkerError {
    WorkerError::Protocol(message.into())
}

impl Session {
    /// A session before its deployment.
    pub fn new() -> Self {
        Self::default()
    }

    /// The worker, once deployed.
    pub fn worker(&self) -> Option<&Worker> {
        self.worker.as_ref()
    }

    /// Takes an input; gives what to do. After an error the worker cannot go on.
    pub fn step(
        &mut self,
        input: SessionInput,
        host: &mut dyn Host,
    ) -> Result<Vec<SessionEffect>, WorkerError> {
        match input {
            SessionInput::Control(message) => self.control(message, host),
            SessionInput::Data { from, frame } => self.follow(Input::Frame { from, frame }),
        }
    }

    fn deployed(&mut self) -> Result<&mut Worker, WorkerError> {
        self.worker.as_mut().ok_or_else(|| protocol("a message came before the deployment"))
    }

    fn follow(&mut self, input: Input) -> Result<Vec<SessionEffect>, WorkerError> {
        let effects = self.deployed()?.step(input)?;
        let attempt = self.attempt;
        let tell = |effect| match effect {
            Effect::Send { to, frame } => SessionEffect::Send { to, frame },
            Effect::Prepared(report) => {
                SessionEffect::Tell(FromWorker::Prepared(Report::new(&report, attempt)))
            }
        };
        Ok(effects.into_iter().map(tell).collect())
    }

    fn control(&mut self, message: ToWorker, host: &mut dyn Host) -> Result<Vec<SessionEffect>, WorkerError> {
        match message {
            ToWorker::Deploy(deploy) => self.deploy(&deploy, host),
            ToWorker::Peer { name, at } => {
                let worker = self.deployed()?;
                let plan = worker.deployed().plan();
                let device = named(plan, &name)
                    .ok_or_else(|| protocol(format!("{name:?} is not in the plan's mesh")))?;
                let targets = targets(plan, worker.deployed().device());
                let connect = SessionEffect::Connect { device, name, at };
                Ok(if targets.contains(&device) { vec![connect] } else { Vec::new() })
            }
            ToWorker::Restore { epoch, from } => self.restore(epoch, &from, host),
            ToWorker::Begin { step, attempt } => {
                self.attempt = attempt;
                let batch =
                    step.checked_sub(1).ok_or_else(|| protocol("step 0 begun; steps count from 1"))?;
                self.follow(Input::Begin { step: batch, attempt })
            }
            ToWorker::Commit { epoch } => self.follow(Input::Commit { epoch }),
            ToWorker::Checkpoint { dir, epoch, attempt, alive } => {
                self.checkpoint(&dir, epoch, attempt, &alive, host)
            }
            ToWorker::Abort { attempt } => {
                self.attempt = attempt;
                self.follow(Input::Abort { attempt })
            }
            ToWorker::Finish => Ok(vec![SessionEffect::Finish]),
        }
    }

    fn deploy(&mut self, deploy: &Deploy, host: &mut dyn Host) -> Result<Vec<SessionEffect>, WorkerError> {
        if self.worker.is_some() {
            return Err(protocol("deployed twice"));
        }
        let worker = host.deploy(deploy).map_err(WorkerError::Failed)?;
        let deployed = worker.deployed();
        let plan = deployed.plan();
        let mut effects = Vec::new();
        for device in targets(plan, deployed.device()) {
            let name = plan.mesh.place(device).device.clone();
            let at = deploy.peers.get(&name).cloned();
            let at = at.ok_or_else(|| protocol(format!("no address of peer {name:?} was given")))?;
            effects.push(SessionEffect::Connect { device, name, at });
        }
        let (arena, scratch) = (deployed.mine().arena, deployed.scratch_bytes() as u64);
        effects.push(SessionEffect::Tell(FromWorker::Ready { arena, scratch }));
        self.attempt = deploy.attempt;
        self.worker = Some(worker);
        Ok(effects)
    }

    fn restore(
        &mut self,
        epoch: u64,
        from: &Origin,
        host: &mut dyn Host,
    ) -> Result<Vec<SessionEffect>, WorkerError> {
        let worker = self.deployed()?;
        let regions = worker.regions();
        let regions =
            regions.ok_or_else(|| WorkerError::Failed("a cut table of the plan is too short".into()))?;
        let slots = host.load(worker, epoch, from, &regions).map_err(WorkerError::Failed)?;
        worker.step(Input::State { epoch, slots })?;
        let digest = worker.state_digest()?;
        Ok(vec![SessionEffect::Tell(FromWorker::Restored { epoch, digest })])
    }

    fn checkpoint(
        &mut self,
        dir: &str,
        epoch: u64,
        attempt: u32,
        alive: &[usize],
        host: &mut dyn Host,
    ) -> Result<Vec<SessionEffect>, WorkerError> {
        let worker = self.deployed()?;
        if worker.epoch() != Some(epoch) {
            return Err(protocol(format!(
                "a shard of epoch {epoch} is due, but {:?} is here",
                worker.epoch()
            )));
        }
        let parts = worker.answers_for(&|d| alive.contains(&d.index()));
        let parts = parts.ok_or_else(|| protocol("the devices named do not hold all state"))?;
        let info = host.write_shard(worker, dir, &parts).map_err(WorkerError::Failed)?;
        Ok(vec![SessionEffect::Tell(FromWorker::Shard { epoch, attempt, info: Box::new(info) })])
    }
}

/// The device of the mesh named so.
pub fn named(plan: &Plan, name: &str) -> Option<DeviceId> {
    plan.mesh.devices().find(|&d| plan.mesh.place(d).device == name)
}

/// The devices that a device sends frames to: its successors in the rings of the collectives.
pub fn targets(plan: &Plan, device: DeviceId) -> Vec<DeviceId> {
    let mut out = BTreeMap::new();
    for (_, k) in plan.collectives.iter() {
        for group in &k.groups {
            if let Some(at) = group.iter().position(|&d| d == device)
                && group.len() > 1
            {
                out.insert(group[(at + 1) % group.len()], ());
            }
        }
    }
    out.into_keys().collect()
}
