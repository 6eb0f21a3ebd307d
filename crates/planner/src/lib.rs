//! Cost, layouts, placement, schedule, memory: from a step program, a strategy and a deployment to a plan.
//!
//! A pure function: no I/O, no clocks, the same input gives the same plan. It pushes layouts forward through
//! access maps; the checker, which shares none of this code, pulls needs back.
#![deny(clippy::wildcard_enum_match_arm)]

mod cuts;
mod emit;
mod forms;
mod lower;
mod memory;
mod propagate;
mod resolve;
mod schedule;
pub mod shares;
mod sweeps;
mod why;

use pullback_ir::Program;
use pullback_plan::{
    AxisKind, BufferId, Deployment, DevicePlan, Digest, Event, Identity, Plan, Reason, Signature, Strategy,
};
use std::collections::BTreeSet;
use std::fmt;

/// Why no plan was made, and what to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Infeasible {
    /// What stands in the way.
    pub message: String,
    /// What the person can do.
    pub help: Option<String>,
}

impl Infeasible {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None }
    }

    pub(crate) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Infeasible {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.help {
            Some(help) => write!(f, "\n  help: {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Infeasible {}

impl From<pullback_ir::TypeError> for Infeasible {
    fn from(e: pullback_ir::TypeError) -> Self {
        Infeasible::new(format!("the step program does not type: {e}"))
    }
}

/// What a plan is made from.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The step program.
    pub step: &'a Program,
    /// Roles of its arguments and results.
    pub signature: &'a Signature,
    /// How to distribute it.
    pub strategy: &'a Strategy,
    /// The machines.
    pub deployment: &'a Deployment,
    /// Identity of the model the step program was made from.
    pub model: Digest,
}

/// Completes the strategy and makes a plan. The number of turns of a time axis without a size is the smallest
/// power of two that fits in memory.
pub fn plan(request: &Request<'_>) -> Result<Plan, Infeasible> {
    request.signature.fits(request.step).map_err(Infeasible::new)?;
    let open =
        request.strategy.axes.iter().any(|a| AxisKind::from(a.kind) == AxisKind::Time && a.size.is_none());
    let most = if open { resolve::largest_cut(request)?.max(1) } else { 1 };
    let mut turns = 1;
    loop {
        let (plan, over) = plan_with_turns(request, turns)?;
        match over {
            None => return Ok(plan),
            Some(over) if turns * 2 > most => return Err(over.refusal(open)),
            Some(_) => turns *= 2,
        }
    }
}

/// Layouts and phases. A sum that waits for readers in another loop over the turns is combined before them.
fn layouts(
    request: &Request<'_>,
    resolved: &resolve::Resolved,
) -> Result<(lower::Lowered, sweeps::Sweeps), Infeasible> {
    let mut early = BTreeSet::new();
    loop {
        let mut lowered = lower::lower(request, resolved.clone(), &early)?;
        match sweeps::assign(request, &mut lowered) {
            Ok(sweeps) => return Ok((lowered, sweeps)),
            // These were pending and will not be, so there is an end.
            Err(more) => early.extend(more),
        }
    }
}

/// A plan with `turns` for open time axes, and what does not fit in memory, if anything.
fn plan_with_turns(request: &Request<'_>, turns: usize) -> Result<(Plan, Option<Over>), Infeasible> {
    let resolved = resolve::resolve(request, turns)?;
    let mut reasons: Vec<Reason> = resolved.reasons.clone();
    let (lowered, sweeps) = layouts(request, &resolved)?;
    let schedule = schedule::schedule(request, &lowered, &sweeps);
    let identity = Identity {
        model: request.model,
        strategy: request.strategy.digest(),
        deployment: request.deployment.digest(),
        step: pullback_plan::digest::step_digest(request.step),
    };
    let plan = emit::emit(request, lowered, &sweeps, schedule, identity, &mut reasons)?;
    let over = plan.mesh.places.iter().zip(plan.devices.values()).find_map(|(place, device)| {
        let scratch = plan.templates.values().map(|t| t.scratch).max().unwrap_or(0);
        let has = request.deployment.device(&place.device)?.memory_bytes();
        let needs = device.arena + scratch;
        (needs > has).then(|| Over::of(&place.device, device, has, needs))
    });
    Ok((plan, over))
}

/// A device that a plan does not fit on, in bytes.
struct Over {
    device: String,
    has: u64,
    needs: u64,
    /// State at entry and the next epoch.
    state: u64,
    /// What is kept of all turns.
    kept: u64,
}

impl Over {
    fn of(name: &str, device: &DevicePlan, has: u64, needs: u64) -> Self {
        let mut kept = BTreeSet::new();
        collected(&device.events, &mut kept);
        let bytes = |b: &BufferId| device.buffers[*b].bytes;
        let state: u64 = device.entry.iter().map(bytes).sum();
        Self { device: name.to_owned(), has, needs, state: 2 * state, kept: kept.iter().map(bytes).sum() }
    }

    fn refusal(&self, open: bool) -> Infeasible {
        let mib = |bytes: u64| bytes.div_ceil(1 << 20);
        let Self { device, has, needs, state, kept } = self;
        let (needs, has, state_mib, kept_mib) = (mib(*needs), has >> 20, mib(*state), mib(*kept));
        let message = format!(
            "device {device} has {has} MiB of memory, the plan needs {needs} MiB: {state_mib} of state (this epoch and the next), {kept_mib} of what is kept of all turns"
        );
        let help = match (kept + state > self.has && kept > state, open) {
            (true, _) => {
                "more turns do not help: give this device a smaller share, take more devices, or machines with more memory"
            }
            (false, true) => {
                "cut state over more devices (constraints on opt.* or param.*), or take machines with more memory"
            }
            (false, false) => {
                "raise the size of the time axis, leave it open, or cut state over more devices"
            }
        };
        Infeasible::new(message).with_help(help)
    }
}

/// Buffers in which the turns of a loop are collected.
fn collected(events: &[Event], into: &mut BTreeSet<BufferId>) {
    for event in events {
        if let Event::Collect { into: b, .. } = event {
            into.insert(*b);
        } else if let Event::Loop { body, .. } = event {
            collected(body, into);
        }
    }
}
