//! P13 and the names of P14: was the plan made for these inputs, and does it say what it is?
//!
//! Looks at names and digests only. The digest of the model is compared by whoever has the model.

use crate::violation::{At, Fault, Report};
use pullback_ir::Program;
use pullback_plan::digest::step_digest;
use pullback_plan::{AxisKind, Deployment, Plan, Strategy};

/// The plan's results are the step program's, bit by bit, up to kernels.
pub const EXACT: &str = "exact";
/// The plan takes sums in the order of rings and turns.
pub const REASSOCIATED: &str = "floating-point reassociation";

pub(crate) fn check(
    step: &Program,
    strategy: &Strategy,
    deployment: &Deployment,
    plan: &Plan,
    report: &mut Report,
) {
    let at = || At::part("identity");
    let fields = [
        ("step", plan.identity.step, step_digest(step)),
        ("strategy", plan.identity.strategy, strategy.digest()),
        ("deployment", plan.identity.deployment, deployment.digest()),
    ];
    for (field, named, given) in fields {
        if named != given {
            report.push(at(), Fault::P13Digest { field, named, given });
        }
    }
    if ![EXACT, REASSOCIATED].contains(&plan.certificate.relation.as_str()) {
        report.push(
            At::part("certificate"),
            Fault::P14Relation { relation: plan.certificate.relation.clone() },
        );
    }
    let names: Vec<&str> = plan.mesh.places.iter().map(|p| p.device.as_str()).collect();
    for name in names.iter().filter(|n| deployment.device(n).is_none()) {
        let why = format!("device {name:?} of the mesh is not in the deployment");
        report.push(At::part("mesh"), Fault::P13Device { why });
    }
    if let Some(listed) = strategy.devices.as_ref().filter(|l| **l != names) {
        let why = format!("the strategy lists devices {listed:?}, the mesh has {names:?}");
        report.push(At::part("mesh"), Fault::P13Device { why });
    }
    axes(strategy, plan, report);
}

/// Axes of the strategy are in the mesh, in their order, as far as it fixes them.
fn axes(strategy: &Strategy, plan: &Plan, report: &mut Report) {
    let mut last = None;
    for spec in &strategy.axes {
        let mut fault = |why: String| {
            report.push(At::part("mesh"), Fault::P13Axis { axis: spec.name.clone(), why });
        };
        let Some(at) = plan.mesh.axes.iter().position(|a| a.name == spec.name) else {
            fault("of the strategy is missing".into());
            continue;
        };
        let axis = &plan.mesh.axes[at];
        if axis.kind != AxisKind::from(spec.kind) {
            fault(format!("is {:?}, the strategy says {:?}", axis.kind, spec.kind));
        }
        if let Some(size) = spec.size.filter(|&n| n != axis.size) {
            fault(format!("has {} coordinates, the strategy says {size}", axis.size));
        }
        if last.is_some_and(|l| at < l) {
            fault("is not in the strategy's order".into());
        }
        last = Some(at);
    }
}
