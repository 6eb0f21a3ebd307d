//! From what the strategy says to sizes, shares, a mesh and cut tables for its constraints.

use crate::cuts::Cuts;
use crate::shares::{makespan, optimal_shares};
use crate::{Infeasible, Request};
use pullback_base::Id;
use pullback_ir::Value;
use pullback_ir::region::IntervalSet;
use pullback_plan::strategy::matches;
use pullback_plan::{Axis, AxisId, AxisKind, Constraint, Cut, CutId, Device, Mesh, Reason, split};

/// The strategy with nothing left open.
#[derive(Clone)]
pub(crate) struct Resolved {
    pub mesh: Mesh,
    pub cuts: Cuts,
    /// In order of priority: a value's dimension and its cut (`None`: keep it whole).
    pub pins: Vec<(Value, usize, Option<CutId>)>,
    pub reasons: Vec<Reason>,
}

/// The largest dimension that a constraint cuts by a time axis: more turns than that are of no use.
pub(crate) fn largest_cut(request: &Request<'_>) -> Result<usize, Infeasible> {
    let s = request.strategy;
    let timed = |c: &&Constraint| {
        c.axes.iter().any(|a| s.axes.iter().any(|x| x.name == *a && AxisKind::from(x.kind) == AxisKind::Time))
    };
    let sizes = s
        .constraints
        .iter()
        .filter(timed)
        .flat_map(|c| matching(request, c).into_iter().map(|v| request.step.ty(v).shape()[c.dim]));
    Ok(sizes.max().unwrap_or(1))
}

fn matching(request: &Request<'_>, c: &Constraint) -> Vec<Value> {
    let p = request.step;
    let named =
        |v: &Value| p.value_name(*v).is_some_and(|n| matches(&c.values, n)) && p.ty(*v).rank() > c.dim;
    p.value_ids().filter(named).collect()
}

/// What a constraint names in vain.
fn idle(request: &Request<'_>, c: &Constraint) -> Option<String> {
    let p = request.step;
    let of = |pattern: &str, rank: usize| {
        p.value_ids().any(|v| p.value_name(v).is_some_and(|n| matches(pattern, n)) && p.ty(v).rank() > rank)
    };
    if !p.value_ids().any(|v| p.value_name(v).is_some_and(|n| matches(&c.values, n))) {
        return Some("matches no value of this program".to_owned());
    }
    if !of(&c.values, c.dim) {
        return Some(format!("matches values, but none has a dimension {}", c.dim));
    }
    let alone: Vec<&str> = c.values.split('|').filter(|alone| !of(alone, 0)).collect();
    let [first, rest @ ..] = &alone[..] else { return None };
    let more = if rest.is_empty() { String::new() } else { format!(" (and {} more)", rest.len()) };
    Some(format!("no value with a dimension matches {first:?}{more}"))
}

pub(crate) fn resolve(request: &Request<'_>, turns: usize) -> Result<Resolved, Infeasible> {
    let names: Vec<String> = match &request.strategy.devices {
        Some(list) => list.clone(),
        None => request.deployment.devices.iter().map(|d| d.name.clone()).collect(),
    };
    let find = |n: &String| {
        request.deployment.device(n).ok_or_else(|| {
            Infeasible::new(format!("the strategy names device {n:?}, which the deployment does not have"))
        })
    };
    let devices: Vec<&Device> = names.iter().map(find).collect::<Result<_, _>>()?;
    let mut reasons = Vec::new();
    let axes = axes(request, devices.len(), turns, &mut reasons)?;
    machines(request, &devices)?;
    let space = |a: &&Axis| a.kind == AxisKind::Space;
    let sizes: Vec<String> =
        axes.iter().filter(space).map(|a| format!("{} of size {}", a.name, a.size)).collect();
    let coordinates = axes.iter().try_fold(1usize, |n, a| n.checked_mul(a.size));
    if coordinates.is_none_or(|n| n > MAX_COORDINATES) {
        return Err(Infeasible::new(format!(
            "unsupported: a mesh of more than {MAX_COORDINATES} coordinates"
        ))
        .with_help("take smaller axes; more turns than samples are of no use"));
    }
    let mesh = Mesh::new(axes, &names).ok_or_else(|| {
        Infeasible::new(format!("the space axes ({}) do not make up {} devices", sizes.join(", "), names.len()))
            .with_help("let the sizes of the space axes multiply to the number of devices, or list devices in the strategy")
    })?;
    let shares = shares(request, &mesh, &devices, &mut reasons)?;
    let mut cuts = Cuts::default();
    let mut pins = Vec::new();
    for c in &request.strategy.constraints {
        let values = matching(request, c);
        reasons
            .extend(idle(request, c).map(|text| Reason { about: format!("constraint {}", c.values), text }));
        for v in values {
            let n = request.step.ty(v).shape()[c.dim];
            let table = cut(c, n, &mesh, &shares)?;
            if let Some(&axis) = table.axes.iter().find(|&&a| mesh.is_time(a))
                && request.signature.state.iter().any(|s| request.step.args()[s.arg] == v)
            {
                return Err(Infeasible::new(format!(
                    "constraint {:?} cuts {} by time axis {:?}, but all turns of a step share one state",
                    c.values,
                    request.step.display_name(v),
                    mesh.axis(axis).name
                ))
                .with_help("cut state by space axes alone; time axes cut batch inputs"));
            }
            // A time axis of one turn alone cuts nothing, and forbids no cut either.
            if c.axes.is_empty() || !table.axes.is_empty() {
                let cut = (!c.axes.is_empty()).then(|| cuts.intern(table));
                pins.push((v, c.dim, cut));
            }
        }
    }
    Ok(Resolved { mesh, cuts, pins, reasons })
}

/// Most coordinates of a mesh, time included.
const MAX_COORDINATES: usize = 1 << 16;

/// Devices take part once, can run the program's element types, and are of one kind: replicated state must have
/// equal bits everywhere.
fn machines(request: &Request<'_>, devices: &[&Device]) -> Result<(), Infeasible> {
    for (i, d) in devices.iter().enumerate() {
        if devices[..i].iter().any(|e| e.name == d.name) {
            return Err(Infeasible::new(format!("the strategy lists device {:?} twice", d.name)));
        }
        if d.kind != devices[0].kind {
            return Err(Infeasible::new(format!(
                "unsupported: devices of different kinds in one plan ({} is {:?}, {} is {:?}): they would round replicated state differently",
                devices[0].name, devices[0].kind, d.name, d.kind
            ))
            .with_help("list devices of one kind in the strategy's `devices`"));
        }
        let p = request.step;
        if let Some(v) = p.value_ids().find(|&v| !d.supports(p.ty(v).dtype())) {
            return Err(Infeasible::new(format!(
                "device {:?} does not compute {}, which the step program needs",
                d.name,
                p.ty(v).dtype()
            ))
            .with_help("add the type to the device's dtypes, or leave dtypes out"));
        }
    }
    Ok(())
}

fn axes(
    request: &Request<'_>,
    n_devices: usize,
    turns: usize,
    reasons: &mut Vec<Reason>,
) -> Result<Vec<Axis>, Infeasible> {
    let specs = &request.strategy.axes;
    let space = |a: &&pullback_plan::AxisSpec| AxisKind::from(a.kind) == AxisKind::Space;
    let size_of = |a: &pullback_plan::AxisSpec| a.size.or(a.shares.as_ref().map(Vec::len));
    let open: Vec<_> = specs.iter().filter(space).filter(|a| size_of(a).is_none()).collect();
    if open.len() > 1 {
        return Err(Infeasible::new(format!(
            "axes {:?} and {:?} both lack a size",
            open[0].name, open[1].name
        )));
    }
    if specs.iter().filter(|a| !space(a)).count() > 1 {
        return Err(Infeasible::new("unsupported: more than one time axis")
            .with_help("use one time axis with the product of the sizes"));
    }
    let fixed: usize = specs.iter().filter(space).filter_map(size_of).product();
    let mut out: Vec<Axis> = Vec::new();
    for a in specs {
        let kind = AxisKind::from(a.kind);
        let size = match (size_of(a), kind) {
            (Some(n), _) => n,
            (None, AxisKind::Space) => {
                reasons.push(Reason {
                    about: a.name.clone(),
                    text: format!("spans the {} devices there are", n_devices),
                });
                n_devices / fixed.max(1)
            }
            (None, AxisKind::Time) => {
                let text = match turns {
                    1 => "one turn: the whole batch fits in memory".to_owned(),
                    n => format!("{n} turns are the fewest powers of two that fit in memory"),
                };
                reasons.push(Reason { about: a.name.clone(), text });
                turns
            }
        };
        out.push(Axis { name: a.name.clone(), kind, size });
    }
    // A program that is not distributed still needs a place to run.
    if !specs.iter().any(|a| space(&a)) && n_devices > 1 {
        return Err(Infeasible::new(format!("{n_devices} devices, but the strategy has no space axis"))
            .with_help("add [[axis]] with kind = \"space\", or list one device in `devices`"));
    }
    Ok(out)
}

/// Shares per axis: as the strategy says, else from costs for an axis that cuts the batch, else equal.
fn shares(
    request: &Request<'_>,
    mesh: &Mesh,
    devices: &[&Device],
    reasons: &mut Vec<Reason>,
) -> Result<Vec<Vec<u64>>, Infeasible> {
    let mut out = Vec::new();
    for (axis, spec) in mesh.axes.iter().zip(&request.strategy.axes) {
        if let Some(shares) = &spec.shares {
            out.push(shares.clone());
            continue;
        }
        let batch = batch_size(request, &axis.name);
        let costs = (axis.kind == AxisKind::Space).then(|| axis_costs(mesh, devices, out.len())).flatten();
        out.push(match (batch, costs) {
            (Some(total), Some((cost, overhead))) => {
                let shares = optimal_shares(total as u64, &cost, &overhead);
                let even = even(total, axis.size);
                let text = format!(
                    "{total} samples as {shares:?}: slowest coordinate {:.4} s a step by the measured costs, {:.4} s if even",
                    makespan(&shares, &cost, &overhead),
                    makespan(&even, &cost, &overhead)
                );
                reasons.push(Reason { about: axis.name.clone(), text });
                shares
            }
            (_, None) | (None, _) => vec![1; axis.size],
        });
    }
    Ok(out)
}

fn even(total: usize, n: usize) -> Vec<u64> {
    split(total, &vec![1; n], 1).iter().map(|(lo, hi)| (hi - lo) as u64).collect()
}

/// Size of the first batch dimension that is cut by the axis, outermost.
fn batch_size(request: &Request<'_>, axis: &str) -> Option<usize> {
    let c = request.strategy.constraints.iter().find(|c| c.axes.first().is_some_and(|a| a == axis))?;
    let args: Vec<Value> = request.signature.batch.iter().map(|b| request.step.args()[b.arg]).collect();
    let v = matching(request, c).into_iter().find(|v| args.contains(v))?;
    Some(request.step.ty(v).shape()[c.dim])
}

/// Cost per sample and overhead per coordinate of an axis: those of the slowest device there. None unless all
/// devices have been measured.
fn axis_costs(mesh: &Mesh, devices: &[&Device], axis: usize) -> Option<(Vec<f64>, Vec<f64>)> {
    let mut cost = vec![0f64; mesh.axes[axis].size];
    let mut overhead = cost.clone();
    for (place, device) in mesh.places.iter().zip(devices) {
        let i = place.coord[axis];
        let seconds = device.seconds_per_sample.filter(|&s| s > 0.0)?;
        cost[i] = cost[i].max(seconds * device.throttle);
        overhead[i] = overhead[i].max(device.seconds_overhead.unwrap_or(0.0) * device.throttle);
    }
    Some((cost, overhead))
}

/// The cut table of a constraint on a dimension of size `n`.
fn cut(c: &Constraint, n: usize, mesh: &Mesh, shares: &[Vec<u64>]) -> Result<Cut, Infeasible> {
    if !n.is_multiple_of(c.segments) {
        return Err(Infeasible::new(format!(
            "constraint {:?}: {} segments do not divide a dimension of size {n}",
            c.values, c.segments
        )));
    }
    let block = n / c.segments;
    let ids: Option<Vec<AxisId>> = c.axes.iter().map(|a| mesh.axis_named(a)).collect();
    let mut axes =
        ids.ok_or_else(|| Infeasible::new(format!("constraint {:?} names an unknown axis", c.values)))?;
    // One turn is no loop: what is cut by it would wait for all turns in vain.
    axes.retain(|&a| !mesh.is_time(a) || mesh.axis(a).size > 1);
    let mut parts = vec![(0, block)];
    for a in &axes {
        parts = parts
            .into_iter()
            .flat_map(|(lo, hi)| {
                split(hi - lo, &shares[a.index()], c.granule).into_iter().map(move |(x, y)| (lo + x, lo + y))
            })
            .collect();
    }
    let set = |(lo, hi): (usize, usize)| {
        IntervalSet::from_intervals((0..c.segments).map(|s| (s * block + lo, s * block + hi)))
    };
    Ok(Cut { size: n, axes, sets: parts.into_iter().map(set).collect() })
}
