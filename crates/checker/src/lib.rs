//! The checker: does this plan compute this step program within these resources?
//!
//! It believes nothing the plan says about contents. It walks the event lists of all devices symbolically, every
//! turn of every loop, and derives for each buffer which region of which value its bytes are, whole or as a
//! contribution to which sum; then it compares. Rules are numbered ([`Rule`]); each finding says the place, the
//! rule, the reason and what to do ([`Violation`]). [`Checked`] is a plan that broke none, and only [`check`]
//! makes one.
//!
//! What `Checked` means. If kernels compute `restrict(op, box)`, if the access maps and linear sets of
//! `pullback_ir` are true, and if channels deliver each frame once, unaltered and in order, then every run
//! without failures ends within the stated memory, in exact arithmetic each buffer that is read holds what was
//! derived, and outputs and committed state are the step program's on the previous state. Not claimed: that the
//! program is a gradient, that kernels are right, that rounding is small, speed, behaviour under crashes.
//!
//! It knows no costs, no planner and no kernels, and does no I/O. Passes, in order: `identity` (P13, P14),
//! `names` (P1), `tables` (what is static), `walk` with `compute` and `combine`. The first two never index
//! unasked; the third rests on the second, the walk on both.
#![deny(clippy::wildcard_enum_match_arm)]

mod combine;
mod compute;
mod facts;
mod identity;
mod names;
mod rule;
mod state;
mod summary;
mod tables;
mod violation;
mod walk;

pub use identity::{EXACT, REASSOCIATED};
pub use names::{MAX_AXES, MAX_COORDINATES};
pub use rule::Rule;
pub use summary::{DeviceSummary, Summary};
pub use violation::{At, Fault, MAX_VIOLATIONS, Violation};
pub use walk::MAX_STEPS;

use pullback_ir::Program;
use pullback_plan::{Deployment, Plan, Strategy};

/// A plan that passed every rule.
///
/// ```compile_fail,E0451
/// fn forge(plan: pullback_plan::Plan, summary: pullback_checker::Summary) -> pullback_checker::Checked {
///     pullback_checker::Checked { plan, summary }
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Checked {
    plan: Plan,
    summary: Summary,
}

impl Checked {
    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// What a step of it takes.
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// The plan, no longer known to be checked.
    pub fn into_plan(self) -> Plan {
        self.plan
    }
}

/// Judges a plan. At most [`MAX_VIOLATIONS`] findings; later passes are left out where earlier ones found names
/// or tables wrong.
pub fn check(
    step: &Program,
    strategy: &Strategy,
    deployment: &Deployment,
    plan: Plan,
) -> Result<Checked, Vec<Violation>> {
    let mut report = violation::Report::default();
    identity::check(step, strategy, deployment, &plan, &mut report);
    let Some(access) = names::check(step, &plan, &mut report) else {
        return Err(report.finish());
    };
    let facts = facts::Facts::new(step, &plan, deployment, access);
    if !tables::check(&facts, &mut report) {
        return Err(report.finish());
    }
    walk::run(&facts, &mut report);
    let summary = Summary::new(&facts);
    match report.finish() {
        found if found.is_empty() => Ok(Checked { plan, summary }),
        found => Err(found),
    }
}
