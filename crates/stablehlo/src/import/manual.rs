//! Computations of single devices inside a global program (`sdy.manual_computation`).
//!
//! The body is a program of one device, with local shapes and collectives. It becomes a global program with a leading
//! dimension for each manual axis: [`pullback_ir::globalize`]. A named computation is its body, written in place.

use super::{FuncLowering, Slot};
use crate::declared::Declared;
use crate::ops::{Issue, Kind};
use crate::sharding::{Mesh, MeshRef, Sdy, Sharding, meshes};
use crate::tree::{Attr, Node, Tree};
use pullback_base::Severity;
use pullback_ir::TensorType;
use pullback_ir::batch::BatchError;
use pullback_ir::globalize::{Devices, Doubt, Spread, doubts, globalize};
use std::collections::{BTreeMap, BTreeSet};

type R<T> = Result<T, Issue>;

const HELP: &str = "export the global program without shard_map, or with this outside of it";

impl<'a> FuncLowering<'_, 'a, '_> {
    pub(super) fn manual(&mut self, node: &Node<'a>, written: &[Declared]) -> R<()> {
        let [region] = &node.regions[..] else {
            return Err(Issue::Error(format!("{} has one region", node.name)));
        };
        let (ins, outs) = (shardings(node, "in_shardings")?, shardings(node, "out_shardings")?);
        let manual = manual_axes(node)?;
        let operands = self.values(node)?;
        if ins.len() != operands.len() || outs.len() != written.len() {
            return Err(Issue::Error(format!("{} has a sharding for each operand and result", node.name)));
        }
        if self.tree.processes.replicas.is_some_and(|n| n > 1) {
            return Err(Issue::Unsupported(format!("{} of several replicas", node.name), HELP));
        }
        let mesh = self.mesh_of(node, ins.iter().chain(&outs))?;
        let axes = axes_in(node, &mesh, &manual)?;
        let spread = |s: &Sharding| spread(node, &mesh, &axes, s);
        let ins = ins.iter().map(spread).collect::<R<Vec<Spread>>>()?;
        let outs = outs.iter().map(spread).collect::<R<Vec<Spread>>>()?;
        let mut own: Vec<TensorType> = Vec::with_capacity(region.args.len());
        for arg in &region.args {
            own.push(self.tensor(&arg.ty).ok_or(Issue::Reported)?);
        }
        let outside = self.outside(&node.regions);
        if !outside.values().is_empty() {
            return Err(Issue::Error(format!("{} reads a value from outside of it", node.name)));
        }
        self.manual_depth += 1;
        let body = self.region(node, region, "manual", &own, &outside);
        self.manual_depth -= 1;
        let body = body?;
        for ((&x, local), spread) in operands.iter().zip(&own).zip(&ins) {
            self.fits(node, self.b.ty(x), local, spread, &mesh, &axes)?;
        }
        let devices = Devices { nested: self.manual_depth > 0, ..devices(&mesh, &axes) };
        let before = self.b.so_far().instrs().len();
        let results = globalize(&mut self.b, &body, &operands, &devices, &ins, &outs);
        self.spend(self.b.so_far().instrs().len() - before)?;
        let results = results.map_err(|e| match e {
            BatchError::Type(e) => Issue::Error(format!("{}: {e}", node.name)),
            BatchError::Refused { op, why } => {
                Issue::Unsupported(format!("{op} in {}: {why}", node.name), HELP)
            }
        })?;
        self.doubt(node, &doubts(&body, &devices, &ins, &outs), &mesh, &axes);
        let message =
            format!("{} is imported as a global program: manual axes are leading dimensions", node.name);
        self.sink.note(Severity::Note, node.at, node.name, message);
        self.results(node, &results, written)
    }

    /// What the computation likely does not mean.
    fn doubt(&mut self, node: &Node<'a>, doubts: &[Doubt], mesh: &Mesh, axes: &[usize]) {
        for (i, doubt) in doubts.iter().enumerate() {
            let axis = |a: usize| &mesh.axes[axes[a]];
            let message = match doubt {
                Doubt::Varies { result, axis: a } => format!(
                    "result {result} of {} is declared the same along axis {:?} but may differ between its devices: the \
                     first device's is taken; sum or gather it over the axis, or split a dimension by it",
                    node.name,
                    axis(*a).0
                ),
                Doubt::Counted { value, axis: a } => {
                    let (name, size) = axis(*a);
                    format!(
                        "{value} is the same on all devices along axis {name:?} and is summed or multiplied over it: it \
                         counts {size} times"
                    )
                }
            };
            let subject = format!("{} at {}, doubt {i}", node.name, node.at);
            self.sink.note(Severity::Warning, node.at, &subject, message);
        }
    }

    /// The mesh that shardings name, which is one.
    fn mesh_of<'s>(&self, node: &Node<'a>, shardings: impl Iterator<Item = &'s Sharding>) -> R<Mesh> {
        let known = meshes(self.tree);
        let mut found: Option<Mesh> = None;
        for sharding in shardings {
            let mesh = match &sharding.mesh {
                MeshRef::Inline(mesh) => mesh.clone(),
                MeshRef::Named(name) => match known.iter().find(|m| m.name == *name) {
                    Some(mesh) => mesh.clone(),
                    None => return Err(Issue::Error(format!("{}: there is no mesh @{name}", node.name))),
                },
            };
            match &found {
                Some(other) if (&other.axes, &other.device_ids) != (&mesh.axes, &mesh.device_ids) => {
                    return Err(Issue::Error(format!("{} names two meshes", node.name)));
                }
                Some(_) => {}
                None => found = Some(mesh),
            }
        }
        // Without operands and results nothing is said of it.
        Ok(found.or_else(|| known.into_iter().next()).unwrap_or_default())
    }

    /// The type of a part is that of the whole, divided.
    fn fits(
        &self,
        node: &Node<'a>,
        whole: &TensorType,
        local: &TensorType,
        spread: &Spread,
        mesh: &Mesh,
        axes: &[usize],
    ) -> R<()> {
        let parts = |d: usize| {
            spread.dims[d].iter().map(|&a| mesh.axes[axes[a]].1).try_fold(1usize, usize::checked_mul)
        };
        let fits = whole.dtype() == local.dtype()
            && whole.rank() == local.rank()
            && spread.dims.len() == local.rank()
            && (0..local.rank())
                .all(|d| parts(d).and_then(|n| n.checked_mul(local.shape()[d])) == Some(whole.shape()[d]));
        if fits {
            return Ok(());
        }
        Err(Issue::Error(format!("{}: {local} is not the part of {whole} that its sharding says", node.name)))
    }

    /// A computation with a name is written in place.
    pub(super) fn named(&mut self, node: &Node<'a>, written: &[Declared]) -> R<()> {
        let [region] = &node.regions[..] else {
            return Err(Issue::Error(format!("{} has one region", node.name)));
        };
        let operands = self.values(node)?;
        let types: Vec<TensorType> = operands.iter().map(|&x| self.b.ty(x).clone()).collect();
        if region.args.len() != operands.len() {
            return Err(Issue::Error(format!("{} takes what its region takes", node.name)));
        }
        for (arg, &x) in region.args.iter().zip(&operands) {
            self.set(arg.slot, Slot::Value(x));
        }
        let values = self.region_results(node, region, "its region", &types)?;
        self.results(node, &values, written)
    }
}

/// Functions that are called inside computations of single devices, or by what is.
pub(super) fn called_within<'a>(tree: &Tree<'a>) -> BTreeSet<&'a str> {
    fn calls<'a>(nodes: &[Node<'a>], inside: bool, out: &mut Vec<&'a str>) {
        for node in nodes {
            out.extend(node.callee().filter(|_| inside));
            let inside = inside || node.kind == Some(Kind::Manual);
            node.regions.iter().for_each(|r| calls(&r.nodes, inside, out));
        }
    }
    let mut found = Vec::new();
    for func in &tree.funcs {
        calls(func.body.as_deref().unwrap_or(&[]), false, &mut found);
    }
    let mut out = BTreeSet::new();
    if found.is_empty() {
        return out;
    }
    let bodies: BTreeMap<&str, &[Node<'a>]> =
        tree.funcs.iter().map(|f| (f.name, f.body.as_deref().unwrap_or(&[]))).collect();
    while let Some(name) = found.pop() {
        if out.insert(name) {
            calls(bodies.get(name).copied().unwrap_or(&[]), true, &mut found);
        }
    }
    out
}

fn shardings(node: &Node<'_>, key: &str) -> R<Vec<Sharding>> {
    match node.attr(&[key]) {
        Some(Attr::Sdy(sdy)) => match &**sdy {
            Sdy::Shardings(list) => return Ok(list.clone()),
            Sdy::Sharding(one) => return Ok(vec![one.clone()]),
            Sdy::Mesh(_) | Sdy::Axes(_) => {}
        },
        Some(Attr::Ints(none)) if none.is_empty() => return Ok(Vec::new()),
        _ => {}
    }
    Err(Issue::Error(format!("{} lacks its attribute {key}", node.name)))
}

fn manual_axes(node: &Node<'_>) -> R<Vec<String>> {
    match node.attr(&["manual_axes"]) {
        Some(Attr::Sdy(sdy)) => match &**sdy {
            Sdy::Axes(axes) => Ok(axes.clone()),
            Sdy::Mesh(_) | Sdy::Sharding(_) | Sdy::Shardings(_) => {
                Err(Issue::Error(format!("{}: manual_axes is not a list of axes", node.name)))
            }
        },
        _ => Err(Issue::Error(format!("{} lacks its attribute manual_axes", node.name))),
    }
}

/// Which axes of a mesh are manual, in the mesh's order.
fn axes_in(node: &Node<'_>, mesh: &Mesh, manual: &[String]) -> R<Vec<usize>> {
    let mut axes = Vec::with_capacity(manual.len());
    for name in manual {
        match mesh.axes.iter().position(|(n, _)| n == name) {
            Some(a) if !axes.contains(&a) => axes.push(a),
            _ => {
                return Err(Issue::Error(format!(
                    "{}: {name:?} is no axis of its mesh, or twice",
                    node.name
                )));
            }
        }
    }
    axes.sort_unstable();
    Ok(axes)
}

/// The manual axes of a sharding, as numbers among these.
fn spread(node: &Node<'_>, mesh: &Mesh, axes: &[usize], sharding: &Sharding) -> R<Spread> {
    let number = |name: &str| {
        let a = mesh.axes.iter().position(|(n, _)| n == name)?;
        axes.iter().position(|&m| m == a)
    };
    if sharding.unreduced.iter().any(|a| number(&a.name).is_some()) {
        let what = format!("{} of a value that is not summed yet (unreduced)", node.name);
        return Err(Issue::Unsupported(what, "sum it before: lax.psum over the axis"));
    }
    let mut dims = Vec::with_capacity(sharding.dims.len());
    for dim in &sharding.dims {
        let mut own = Vec::new();
        let mut free = false;
        for axis in &dim.axes {
            let Some(a) = number(&axis.name) else {
                free = true;
                continue;
            };
            if axis.part.is_some() {
                let what = format!("{} over a part of the axis {axis}", node.name);
                return Err(Issue::Unsupported(what, "make the mesh with the parts as axes"));
            }
            if free {
                let message = "a dimension is split by a manual axis after one that is not manual";
                return Err(Issue::Error(format!("{}: {message}", node.name)));
            }
            own.push(a);
        }
        dims.push(own);
    }
    Ok(Spread { dims })
}

/// The devices of a mesh by their places along some axes.
fn devices(mesh: &Mesh, axes: &[usize]) -> Devices {
    let sizes: Vec<usize> = mesh.axes.iter().map(|(_, n)| *n).collect();
    let lead: Vec<usize> = axes.iter().map(|&a| sizes[a]).collect();
    let mut numbers = vec![Vec::new(); lead.iter().product()];
    for (at, id) in mesh.devices_in_order().into_iter().enumerate() {
        let mut rest = at;
        let mut index = vec![0; sizes.len()];
        for d in (0..sizes.len()).rev() {
            (index[d], rest) = (rest % sizes[d], rest / sizes[d]);
        }
        let place = axes.iter().fold(0, |p, &a| p * sizes[a] + index[a]);
        numbers[place].push(id);
    }
    Devices { axes: lead, numbers, nested: false }
}
