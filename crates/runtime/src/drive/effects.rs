//! The controller's files: ledger and checkpoints, and the numbers that a summary is made of.
//!
//! Must hold: texts that do not belong together are refused by field before anything is written or started.

use super::error::RunError;
use super::run_dir::{Artifacts, RunDir, io};
use super::summary::{LinkBytes, Summary, WorkerSummary};
use super::train::{Job, Ready};
use crate::checkpoint::{self, Manifest, ShardInfo};
use crate::controller::{Commit, Event, Found};
use crate::digest::Digest;
use crate::ledger::{CommitRecord, Committed, Contribution, Ledger, LedgerError, RunIdentity};
use pullback_base::Id;
use pullback_ir::Program;
use pullback_ir::region::IntervalSet;
use pullback_plan::{Coord, Deployment, DeviceId, Event as PlanEvent, Plan, Strategy};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The one commit domain there is.
const DOMAIN: u32 = 0;

/// How a call ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The last step is committed.
    Complete,
    /// It was before the call.
    Already,
    /// Someone asked to stop.
    Stopped,
}

/// See the module.
pub(super) struct Files {
    ledger: Ledger,
    committed: u64,
    first_committed: u64,
    replayed: u64,
    restarts: u64,
    workers: Vec<WorkerSummary>,
    links: BTreeMap<(DeviceId, DeviceId), u64>,
    /// When the steps of this call began, and when the last was committed.
    begun: Option<Instant>,
    last: Option<Instant>,
    checkpoint: Option<PathBuf>,
}

fn artifact(what: &'static str) -> impl Fn(String) -> RunError {
    move |why| RunError::Artifact { what, why }
}

impl Files {
    /// Reads the job's texts, compares identities, checks the plan, and makes or opens the ledger.
    pub fn open(job: &Job) -> Result<(Ready, Files), RunError> {
        let a = &job.artifacts;
        let strategy = Strategy::parse(&a.strategy).map_err(artifact("strategy"))?;
        let deployment = Deployment::parse(&a.deployment).map_err(artifact("deployment"))?;
        let program =
            pullback_ir::text::parse(&a.step).map_err(|e| artifact("step program")(e.to_string()))?;
        let plan = pullback_plan::text::parse(&a.plan).map_err(|e| artifact("plan")(e.to_string()))?;
        let dir = RunDir { root: std::path::absolute(&job.run_dir).map_err(io(&job.run_dir, "find"))? };
        let identity = RunIdentity {
            model: a.model,
            strategy: strategy.digest(),
            deployment: deployment.digest(),
            plan: plan.digest(),
        };
        // The ledger's opinion first: it names the field that was edited.
        let opened = match dir.ledger().exists() {
            true => Some(Ledger::open(&dir.ledger(), &identity)?),
            // A new ledger would not know the steps that led to these checkpoints.
            false if !checkpoint::list(&dir.checkpoints())?.is_empty() => {
                return Err(LedgerError::Gone(dir.ledger()).into());
            }
            false => None,
        };
        belongs(&plan, &program, &identity)?;
        let checked = pullback_checker::check(&program, &strategy, &deployment, plan).map_err(rejected)?;
        let plan = checked.plan();
        let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-');
        for place in &plan.mesh.places {
            if place.device.is_empty() || !place.device.bytes().all(plain) {
                return Err(RunError::DeviceName(place.device.clone()));
            }
        }
        let ledger = match opened {
            Some(ledger) => ledger,
            None => {
                dir.create(a)?;
                Ledger::create(&dir.ledger(), &identity, 0)?
            }
        };
        checkpoint::remove_temporaries(&dir.checkpoints())?;
        remove(&dir.recovery())?;
        let committed = ledger.last_commit(DOMAIN)?.map_or(0, |c| c.record.epoch);
        let plan_digest = identity.plan;
        let workers = plan.mesh.devices().map(|d| WorkerSummary {
            name: plan.mesh.place(d).device.clone(),
            arena_bytes: plan.devices[d].arena,
            samples: samples(plan, &program, d),
            ..WorkerSummary::default()
        });
        let files = Files {
            workers: workers.collect(),
            ledger,
            committed,
            first_committed: committed,
            replayed: 0,
            restarts: 0,
            links: BTreeMap::new(),
            begun: None,
            last: None,
            checkpoint: None,
        };
        let artifacts: Artifacts = a.clone();
        let (checked, program) = (Arc::new(checked), Arc::new(program));
        Ok((Ready { checked, program, strategy, deployment, plan_digest, artifacts, dir }, files))
    }

    /// Last epoch in the ledger.
    pub fn committed(&self) -> u64 {
        self.committed
    }

    /// Whether the last step is committed and its state is in a checkpoint.
    pub fn is_complete(&self, ready: &Ready) -> Result<bool, RunError> {
        if self.committed < ready.artifacts.steps {
            return Ok(false);
        }
        let newest = checkpoint::latest_valid(&ready.dir.checkpoints())?.checkpoint;
        let Some(newest) = newest.filter(|c| c.manifest().epoch == self.committed) else { return Ok(false) };
        // One that is not the one on record is loaded, and held against the commit.
        let mut rows = self.ledger.checkpoints()?;
        rows.retain(|row| row.epoch == self.committed);
        Ok(rows.is_empty() || rows.iter().any(|row| row.digest == newest.manifest().digest()))
    }

    /// Puts a commit in the ledger, or compares it with what is there.
    pub fn commit(&mut self, ready: &Ready, commit: Commit) -> Result<(), RunError> {
        let now = Instant::now();
        let since = self.last.or(self.begun).unwrap_or(now);
        let record = CommitRecord {
            domain: DOMAIN,
            epoch: commit.epoch,
            step: commit.epoch,
            loss: commit.loss,
            digest: commit.digest,
            wall_ms: (now - since).as_secs_f64() * 1e3,
        };
        let contribution = |(w, r): (&WorkerSummary, &crate::control::Report)| Contribution {
            worker: w.name.clone(),
            samples: w.samples,
            digest: r.digest,
            compute_ms: r.compute().as_secs_f64() * 1e3,
        };
        let contributions: Vec<Contribution> =
            self.workers.iter().zip(&commit.reports).map(contribution).collect();
        match self.ledger.commit(&record, &contributions)? {
            Committed::New => self.committed = commit.epoch,
            Committed::AlreadyCommitted => self.replayed += 1,
        }
        self.last = Some(Instant::now());
        for (d, r) in ready.plan().mesh.devices().zip(&commit.reports) {
            self.workers[d.index()].compute += r.compute();
            for (to, bytes) in r.sent() {
                *self.links.entry((d, to)).or_default() += bytes;
            }
        }
        Ok(())
    }

    fn root(ready: &Ready, recovery: bool) -> PathBuf {
        if recovery { ready.dir.recovery() } else { ready.dir.checkpoints() }
    }

    /// The folder for the shards of a new checkpoint.
    pub fn make_checkpoint(&mut self, ready: &Ready, epoch: u64, recovery: bool) -> Result<String, RunError> {
        let root = Self::root(ready, recovery);
        if recovery {
            remove(&root)?;
        }
        Ok(checkpoint::begin(&root, epoch)?.display().to_string())
    }

    /// Publishes a checkpoint; removes those that the strategy does not keep.
    pub fn publish(
        &mut self,
        ready: &Ready,
        epoch: u64,
        recovery: bool,
        shards: &[ShardInfo],
    ) -> Result<String, RunError> {
        let root = Self::root(ready, recovery);
        let manifest = Manifest::assemble(ready.plan_digest, DOMAIN, epoch, epoch, shards)?;
        let path = checkpoint::publish(&root, epoch, &manifest)?;
        let text = path.display().to_string();
        if recovery {
            return Ok(text);
        }
        remove(&ready.dir.recovery())?;
        self.ledger.record_checkpoint(epoch, epoch, &text, manifest.digest())?;
        let keep = ready.strategy.commit.keep;
        let older: Vec<(u64, PathBuf)> =
            checkpoint::list(&root)?.into_iter().filter(|c| c.0 < epoch).collect();
        if keep > 0 {
            // `keep` counts the one just published.
            for (epoch, old) in older.iter().rev().skip(keep - 1) {
                self.ledger.forget_checkpoint(*epoch)?;
                remove(old)?;
            }
        }
        self.checkpoint = Some(path);
        Ok(text)
    }

    /// The newest valid checkpoint of this plan, and notes on what was passed over.
    pub fn find_checkpoint(&mut self, ready: &Ready) -> Result<(Option<Found>, Vec<String>), RunError> {
        let latest = checkpoint::latest_valid(&ready.dir.checkpoints())?;
        let mut notes: Vec<String> = Vec::new();
        for why in &latest.skipped {
            self.ledger.record_incident("controller", "checkpoint passed over", &why.to_string())?;
            notes.push(format!("a checkpoint was passed over: {why}"));
        }
        let found = latest.checkpoint.map(|c| (c.manifest().epoch, c.path().to_owned()));
        self.checkpoint = found.as_ref().map(|f| f.1.clone());
        if !notes.is_empty() {
            notes.push(match &found {
                Some((epoch, _)) => format!("going on from the checkpoint of step {epoch}"),
                None => "going on from the initial state".to_owned(),
            });
        }
        let Some((epoch, path)) = found else { return Ok((None, notes)) };
        if epoch > self.committed {
            let (ledger, last) = (ready.dir.ledger(), self.committed);
            return Err(LedgerError::Behind { path: ledger, checkpoint: epoch, last }.into());
        }
        let digest = self.ledger.commit_at(DOMAIN, epoch)?.map(|c| c.record.digest);
        Ok((Some(Found { epoch, path: path.display().to_string(), digest }), notes))
    }

    /// Keeps what an event says: incidents in the ledger, numbers for the summary.
    pub fn note(&mut self, ready: &Ready, event: &Event) -> Result<(), RunError> {
        match event {
            Event::Lost { device, reason } => {
                self.restarts += 1;
                self.ledger.record_incident(ready.name(*device), "worker lost", reason)?;
            }
            Event::Deployed { device, arena, scratch } => {
                let w = &mut self.workers[device.index()];
                (w.arena_bytes, w.scratch_bytes) = (*arena, *scratch);
            }
            Event::Running { .. } => drop(self.begun.get_or_insert_with(Instant::now)),
            Event::Starting { .. }
            | Event::Started { .. }
            | Event::Step { .. }
            | Event::Checkpoint { .. }
            | Event::Restoring { .. }
            | Event::Note(_) => {}
        }
        Ok(())
    }

    /// What the run came to.
    pub fn summary(&self, ready: &Ready, end: End) -> Result<Summary, RunError> {
        let losses = self.ledger.losses(DOMAIN)?;
        let elapsed = match (self.begun, self.last) {
            (Some(begun), Some(last)) => last.saturating_duration_since(begun),
            (Some(_), None) | (None, _) => Duration::ZERO,
        };
        let committed = self.committed - self.first_committed;
        let ran = (committed + self.replayed) as f64;
        let name = |d: DeviceId| ready.name(d).to_owned();
        let checkpoint = match &self.checkpoint {
            Some(path) => Some(path.clone()),
            None => checkpoint::list(&ready.dir.checkpoints())?.pop().map(|c| c.1),
        };
        let link = |(&(from, to), &bytes): (&(DeviceId, DeviceId), &u64)| LinkBytes {
            from: name(from),
            to: name(to),
            bytes,
        };
        Ok(Summary {
            steps: self.committed,
            committed,
            replayed: self.replayed,
            first_loss: losses.first().map(|l| l.1),
            last_loss: losses.last().map(|l| l.1),
            elapsed,
            steps_per_second: if elapsed.is_zero() { 0.0 } else { ran / elapsed.as_secs_f64() },
            links: self.links.iter().map(link).collect(),
            workers: self.workers.clone(),
            restarts: self.restarts,
            stopped: end == End::Stopped,
            already_complete: end == End::Already,
            checkpoint,
            ledger: ready.dir.ledger(),
        })
    }
}

/// Whether the plan names what the run has.
fn belongs(plan: &Plan, program: &Program, run: &RunIdentity) -> Result<(), RunError> {
    let step = pullback_plan::digest::step_digest(program);
    let fields: [(&'static str, Digest, Digest); 4] = [
        ("model", plan.identity.model, run.model),
        ("strategy", plan.identity.strategy, run.strategy),
        ("deployment", plan.identity.deployment, run.deployment),
        ("step", plan.identity.step, step),
    ];
    match fields.into_iter().find(|(_, plan, run)| plan != run) {
        Some((field, plan, run)) => Err(RunError::Identity { field, plan: plan.short(), run: run.short() }),
        None => Ok(()),
    }
}

fn rejected(found: Vec<pullback_checker::Violation>) -> RunError {
    let findings = found.iter().take(5).map(|v| v.to_string()).collect();
    RunError::Rejected { count: found.len(), findings }
}

fn remove(dir: &std::path::Path) -> Result<(), RunError> {
    match fs::remove_dir_all(dir) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(io(dir, "remove")(e)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// How many entries of the first dimension of the first batch slot a device loads in one step; what it loads again,
/// in a second loop, counts once.
fn samples(plan: &Plan, program: &Program, device: DeviceId) -> u64 {
    fn visit(
        plan: &Plan,
        program: &Program,
        device: DeviceId,
        events: &[PlanEvent],
        at: &mut Coord,
        loaded: &mut IntervalSet,
    ) {
        for event in events {
            match event {
                PlanEvent::Load { slot: 0, into } => {
                    let b = &plan.devices[device].buffers[*into];
                    let region = b.layout.region(&plan.cuts, &plan.mesh, program.ty(b.value).shape(), at);
                    if let Some(rows) = region.as_ref().and_then(|r| r.dims().first()) {
                        *loaded = loaded.union(rows);
                    }
                }
                PlanEvent::Loop { axis, body } => {
                    for turn in 0..plan.mesh.axis(*axis).size {
                        at[axis.index()] = turn;
                        visit(plan, program, device, body, at, loaded);
                    }
                    at[axis.index()] = 0;
                }
                PlanEvent::Load { .. }
                | PlanEvent::Compute { .. }
                | PlanEvent::Combine { .. }
                | PlanEvent::Collect { .. }
                | PlanEvent::Collective { .. }
                | PlanEvent::Free { .. }
                | PlanEvent::Commit { .. }
                | PlanEvent::Output { .. } => {}
            }
        }
    }
    let (mut at, mut loaded) = (plan.mesh.place(device).coord.clone(), IntervalSet::empty());
    visit(plan, program, device, &plan.devices[device].events, &mut at, &mut loaded);
    loaded.len() as u64
}
