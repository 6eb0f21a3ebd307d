//! What all passes look up: access maps, equal cut tables, a device's description, layouts at a coordinate.

use crate::names::MAX_AXES;
use pullback_base::{Id, IdMap};
use pullback_ir::access::AccessMap;
use pullback_ir::region::{IntervalSet, Region};
use pullback_ir::{InstrId, Monoid, Program, Value};
use pullback_plan::{
    AxisId, BufferId, Coord, Cut, CutId, Deployment, Device, DeviceId, DevicePlan, Event, Layout, Plan,
    TemplateId, TemplateOp,
};
use std::collections::{BTreeMap, BTreeSet};

/// Inputs of the check whose names are right.
pub(crate) struct Facts<'a> {
    pub step: &'a Program,
    pub plan: &'a Plan,
    pub deployment: &'a Deployment,
    pub access: IdMap<InstrId, AccessMap>,
    /// The first cut table equal to each.
    same_cut: IdMap<CutId, CutId>,
}

impl<'a> Facts<'a> {
    pub fn new(
        step: &'a Program,
        plan: &'a Plan,
        deployment: &'a Deployment,
        access: IdMap<InstrId, AccessMap>,
    ) -> Self {
        let mut first: BTreeMap<&Cut, CutId> = BTreeMap::new();
        let mut same_cut = IdMap::new();
        for (id, cut) in plan.cuts.iter() {
            same_cut.push(*first.entry(cut).or_insert(id));
        }
        Self { step, plan, deployment, access, same_cut }
    }

    /// The device of the deployment at a place, if it exists.
    pub fn device(&self, d: DeviceId) -> Option<&'a Device> {
        self.deployment.device(&self.plan.mesh.place(d).device)
    }

    /// The table's representative among equal ones.
    pub fn cut_key(&self, cut: Option<CutId>) -> Option<CutId> {
        cut.map(|c| self.same_cut[c])
    }

    /// An axis's name, for people.
    pub fn axis(&self, axis: AxisId) -> String {
        self.plan.mesh.axis(axis).name.clone()
    }

    /// Axes by name, as a layout's text lists them.
    pub fn axes(&self, axes: &[AxisId]) -> String {
        axes.iter().map(|&a| self.axis(a)).collect::<Vec<_>>().join(", ")
    }

    /// A state slot by number and name, for people.
    pub fn state(&self, slot: usize) -> String {
        format!("{slot} ({})", self.plan.signature.state[slot].name)
    }

    /// An axis of one coordinate neither cuts nor leaves anything pending.
    pub fn is_real(&self, axis: AxisId) -> bool {
        self.plan.mesh.axis(axis).size > 1
    }

    /// The axes that matter, increasing.
    pub fn real(&self, axes: &[AxisId]) -> Vec<AxisId> {
        let mut axes: Vec<AxisId> = axes.iter().copied().filter(|&a| self.is_real(a)).collect();
        axes.sort_unstable();
        axes
    }

    /// What a layout says is pending.
    pub fn pending(&self, layout: &Layout) -> Option<(Monoid, Vec<AxisId>)> {
        let p = layout.pending.as_ref()?;
        Some((p.monoid, self.real(&p.axes))).filter(|(_, axes)| !axes.is_empty())
    }

    /// Whether two layouts of one value say the same everywhere.
    pub fn same_layout(&self, a: &Layout, b: &Layout) -> bool {
        a.dims.len() == b.dims.len()
            && a.dims.iter().zip(&b.dims).all(|(&a, &b)| self.cut_key(a) == self.cut_key(b))
            && self.pending(a) == self.pending(b)
    }

    /// The region a layout gives at a coordinate. Tables have all their sets, so it exists.
    pub fn region(&self, value: Value, layout: &Layout, coord: &Coord) -> Region {
        let dims = layout.dims.iter().zip(self.step.ty(value).shape()).map(|(&c, &n)| self.set(c, n, coord));
        Region::new(dims.collect())
    }

    fn set(&self, cut: Option<CutId>, size: usize, coord: &Coord) -> IntervalSet {
        match cut {
            None => IntervalSet::full(size),
            Some(c) => self.plan.cuts[c].at(&self.plan.mesh, coord).cloned().unwrap_or_default(),
        }
    }

    /// The box of an op at a coordinate.
    pub fn boxed(&self, op: &TemplateOp, coord: &Coord) -> Vec<IntervalSet> {
        let factors = self.access[op.instr].factors.iter();
        factors.zip(&op.cuts).map(|(f, &c)| self.set(c, f.size, coord)).collect()
    }

    /// The real axes of a cut.
    pub fn cut_axes(&self, cut: Option<CutId>) -> impl Iterator<Item = AxisId> + '_ {
        let axes = cut.map_or(&[][..], |c| &self.plan.cuts[c].axes);
        axes.iter().copied().filter(|&a| self.is_real(a))
    }

    /// Largest scratch of a device's templates.
    pub fn scratch(&self, device: DeviceId) -> u64 {
        templates_of(self, device).iter().map(|&t| self.plan.templates[t].scratch).max().unwrap_or(0)
    }

    /// Bytes of a compact buffer of a region.
    pub fn bytes(&self, value: Value, region: &Region) -> u64 {
        (region.count() as u64).saturating_mul(self.step.ty(value).dtype().size() as u64)
    }
}

/// All events of a device with their paths, bodies of loops after their loops, unless nested deeper than any plan.
pub(crate) fn flat(device: &DevicePlan) -> Vec<(Vec<usize>, &Event)> {
    let mut out = Vec::new();
    let mut stack: Vec<(Vec<usize>, &Event)> =
        device.events.iter().enumerate().rev().map(|(i, e)| (vec![i], e)).collect();
    while let Some((path, event)) = stack.pop() {
        if let (Event::Loop { body, .. }, true) = (event, path.len() <= MAX_AXES) {
            let inner = |(i, e)| (path.iter().copied().chain([i]).collect(), e);
            stack.extend(body.iter().enumerate().map(inner).rev());
        }
        out.push((path, event));
    }
    out
}

/// Buffers that an event itself mentions, each list in order.
pub(crate) fn buffers_of(event: &Event) -> Vec<BufferId> {
    match event {
        Event::Load { into: b, .. } | Event::Free { buffer: b } | Event::Output { from: b, .. } => vec![*b],
        Event::Combine { from, into, .. } | Event::Collect { from, into, .. } => vec![*from, *into],
        Event::Compute { inputs, outputs, .. } | Event::Collective { inputs, outputs, .. } => {
            inputs.iter().chain(outputs).copied().collect()
        }
        Event::Commit { next } => next.clone(),
        Event::Loop { .. } => Vec::new(),
    }
}

/// Templates that a device runs.
pub(crate) fn templates_of(facts: &Facts, device: DeviceId) -> BTreeSet<TemplateId> {
    let events = flat(&facts.plan.devices[device]);
    let templates = events.iter().filter_map(|(_, e)| {
        let Event::Compute { template, .. } = e else { return None };
        Some(*template)
    });
    templates.collect()
}

/// A region of an index space is partitioned by pieces: each within it, disjoint, of as many elements.
pub(crate) fn tiles<'p>(whole: &Region, pieces: impl IntoIterator<Item = &'p Region>) -> bool {
    let pieces: Vec<&Region> = pieces.into_iter().filter(|p| !p.is_empty()).collect();
    let disjoint = |i: usize| pieces[..i].iter().all(|p| p.intersect(pieces[i]).is_empty());
    pieces.iter().all(|p| p.is_subset(whole))
        && (0..pieces.len()).all(disjoint)
        && pieces.iter().map(|p| p.count() as u128).sum::<u128>() == whole.count() as u128
}

/// Ids as a list for people.
pub(crate) fn list<I: Id + ToString>(ids: &[I]) -> String {
    ids.iter().map(I::to_string).collect::<Vec<_>>().join(", ")
}
