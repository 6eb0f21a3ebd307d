//! What one step of a plan computes and sends, counted from the plan alone.
//!
//! Floating-point work is that of [`pullback_ir::count`], scaled to each device's boxes: exact where an op's work is
//! proportional to the volume of its iteration space, which holds for all but padded convolutions. Bytes are the
//! payload of the ring ([`crate::Collective`]), frame headers apart. Nothing here needs a plan to be legal: what
//! does not exist counts as nothing.

use crate::layout::{CutId, Layout};
use crate::mesh::{Coord, DeviceId};
use crate::plan::{Collective, CollectiveId, CollectiveKind, Event, Plan, Template};
use pullback_base::{Id, IdMap};
use pullback_ir::Program;
use pullback_ir::count::instr_cost;
use std::collections::BTreeMap;

/// Most ops and values that are visited, turns of loops included.
const MAX_VISITS: u64 = 1 << 24;

/// Counts of one step.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Floating-point operations of each device.
    pub flops: Vec<u64>,
    /// Bytes each device sends to another.
    pub links: BTreeMap<(DeviceId, DeviceId), u64>,
    /// Bytes all members of all groups send in each collective.
    pub collectives: Vec<u64>,
    /// Floating-point operations of each template, on all devices.
    pub templates: Vec<u64>,
    /// How often each device runs each template, most over devices.
    pub runs: Vec<u64>,
}

impl Counts {
    /// Bytes a device sends.
    pub fn sent(&self, device: DeviceId) -> u64 {
        self.links.iter().filter(|(link, _)| link.0 == device).fold(0, |n, (_, b)| n.saturating_add(*b))
    }
}

/// Counts one step; `None` when the loops have too many turns to walk through.
pub fn count(plan: &Plan, program: &Program) -> Option<Counts> {
    let visits = plan.devices.values().map(|d| visits(plan, &d.events)).fold(0, u64::saturating_add);
    if visits > MAX_VISITS {
        return None;
    }
    let mut counter = Counter {
        plan,
        program,
        instr_flops: program.instrs().ids().map(|id| instr_cost(program, id).flops).collect(),
        counts: Counts {
            flops: vec![0; plan.devices.len()],
            links: BTreeMap::new(),
            collectives: vec![0; plan.collectives.len()],
            templates: vec![0; plan.templates.len()],
            runs: vec![0; plan.templates.len()],
        },
    };
    for (id, device) in plan.devices.iter() {
        let Some(place) = plan.mesh.places.get(id.index()) else { continue };
        let mut runs = vec![0; plan.templates.len()];
        counter.walk(id, &device.events, &mut place.coord.clone(), &mut runs);
        for (most, n) in counter.counts.runs.iter_mut().zip(runs) {
            *most = n.max(*most);
        }
    }
    Some(counter.counts)
}

/// How much there is to walk through.
fn visits(plan: &Plan, events: &[Event]) -> u64 {
    let one = |e: &Event| match e {
        Event::Compute { template, .. } => {
            plan.templates.get(*template).map_or(1, |t| 1 + t.ops.len() as u64)
        }
        Event::Collective { id, .. } => {
            let members = |k: &Collective| k.groups.iter().map(Vec::len).sum::<usize>().max(1);
            plan.collectives
                .get(*id)
                .map_or(1, |k| 1 + (k.items.len() as u64).saturating_mul(members(k) as u64))
        }
        Event::Loop { axis, body } => {
            let turns = plan.mesh.axes.get(axis.index()).map_or(0, |a| a.size as u64);
            visits(plan, body).saturating_add(1).saturating_mul(turns)
        }
        Event::Load { .. }
        | Event::Combine { .. }
        | Event::Collect { .. }
        | Event::Free { .. }
        | Event::Commit { .. }
        | Event::Output { .. } => 1,
    };
    events.iter().map(one).fold(0, u64::saturating_add)
}

struct Counter<'a> {
    plan: &'a Plan,
    program: &'a Program,
    instr_flops: Vec<u64>,
    counts: Counts,
}

impl<'a> Counter<'a> {
    fn walk(&mut self, device: DeviceId, events: &'a [Event], coord: &mut Coord, runs: &mut [u64]) {
        for event in events {
            match event {
                Event::Compute { template, .. } => {
                    let Some(t) = self.plan.templates.get(*template) else { continue };
                    let flops = self.template_flops(t, coord);
                    add(&mut self.counts.flops[device.index()], flops);
                    add(&mut self.counts.templates[template.index()], flops);
                    add(&mut runs[template.index()], 1);
                }
                Event::Collective { id, .. } => self.collective(device, *id, coord),
                Event::Loop { axis, body } => {
                    let Some(a) = self.plan.mesh.axes.get(axis.index()) else { continue };
                    for turn in 0..a.size {
                        coord[axis.index()] = turn;
                        self.walk(device, body, coord, runs);
                    }
                    coord[axis.index()] = 0;
                }
                Event::Load { .. }
                | Event::Combine { .. }
                | Event::Collect { .. }
                | Event::Free { .. }
                | Event::Commit { .. }
                | Event::Output { .. } => {}
            }
        }
    }

    fn template_flops(&self, t: &Template, coord: &Coord) -> u64 {
        let op_flops = |op: &crate::plan::TemplateOp| {
            let whole = u128::from(self.instr_flops.get(op.instr.index()).copied().unwrap_or(0));
            let part = op.cuts.iter().flatten().fold(whole, |n, &c| self.part(n, c, coord));
            u64::try_from(part).unwrap_or(u64::MAX)
        };
        t.ops.iter().map(op_flops).fold(0, u64::saturating_add)
    }

    /// The part of `n` that falls on a coordinate of a cut.
    fn part(&self, n: u128, cut: CutId, coord: &Coord) -> u128 {
        let Some(table) = self.plan.cuts.get(cut) else { return n };
        let len = table.at(&self.plan.mesh, coord).map_or(0, |set| set.len());
        n.saturating_mul(len as u128) / table.size.max(1) as u128
    }

    fn collective(&mut self, device: DeviceId, id: CollectiveId, coord: &Coord) {
        let Some(k) = self.plan.collectives.get(id) else { return };
        let Some(group) = k.groups.iter().find(|g| g.contains(&device)) else { return };
        let (n, me) = (group.len(), group.iter().position(|&d| d == device).unwrap_or(0));
        let segments = self.segments(k, group, coord);
        let total = segments.iter().copied().fold(0, u64::saturating_add);
        // A reduced segment ends at its own member, a gathered one at the member before it: that one sends nothing.
        let reduced = total - segments[me];
        let gathered = total - segments[(me + 1) % n];
        let elements = match k.kind {
            CollectiveKind::AllReduce => reduced.saturating_add(gathered),
            CollectiveKind::ReduceScatter => reduced,
            CollectiveKind::AllGather => gathered,
        };
        let bytes = elements.saturating_mul(k.dtype.size() as u64);
        add(&mut self.counts.collectives[id.index()], bytes);
        if n > 1 {
            add(self.counts.links.entry((device, group[(me + 1) % n])).or_default(), bytes);
        }
    }

    /// Elements of each member's segment.
    fn segments(&self, k: &Collective, group: &[DeviceId], coord: &Coord) -> Vec<u64> {
        let elements = |layout: fn(&crate::plan::CollectiveItem) -> &Layout, coord: &Coord| {
            let each = k.items.iter().map(|i| self.elements(i.value, layout(i), coord));
            each.fold(0, u64::saturating_add)
        };
        let n = group.len() as u64;
        match k.kind {
            CollectiveKind::AllReduce => {
                let total = u128::from(elements(|i| &i.from, coord));
                let border = |m: u64| (u128::from(m) * total / u128::from(n)) as u64;
                (0..n).map(|m| border(m + 1) - border(m)).collect()
            }
            CollectiveKind::ReduceScatter | CollectiveKind::AllGather => {
                let at = |d: &DeviceId| {
                    let member = self.coord_of(*d, coord);
                    match k.kind {
                        CollectiveKind::AllGather => elements(|i| &i.from, &member),
                        CollectiveKind::AllReduce | CollectiveKind::ReduceScatter => {
                            elements(|i| &i.to, &member)
                        }
                    }
                };
                group.iter().map(at).collect()
            }
        }
    }

    /// The place of a device at the turns of `coord`.
    fn coord_of(&self, device: DeviceId, coord: &Coord) -> Coord {
        let mesh = &self.plan.mesh;
        let Some(place) = mesh.places.get(device.index()) else { return coord.clone() };
        mesh.axis_ids()
            .map(|a| if mesh.is_time(a) { coord[a.index()] } else { place.coord[a.index()] })
            .collect()
    }

    fn elements(&self, value: pullback_ir::Value, layout: &Layout, coord: &Coord) -> u64 {
        if value.index() >= self.program.n_values() {
            return 0;
        }
        let shape = self.program.ty(value).shape();
        layout
            .region(&self.plan.cuts, &self.plan.mesh, shape, coord)
            .map_or(0, |region| region.dims().iter().map(|s| s.len() as u64).fold(1, u64::saturating_mul))
    }
}

fn add(to: &mut u64, n: u64) {
    *to = to.saturating_add(n);
}

/// Number of templates' ops by op name, most frequent first.
pub(super) fn op_names(program: &Program, t: &Template) -> Vec<(&'static str, usize)> {
    let mut by_name: BTreeMap<&'static str, usize> = BTreeMap::new();
    let known = t.ops.iter().filter(|op| op.instr.index() < program.instrs().len());
    for op in known {
        *by_name.entry(program.instr(op.instr).op().name()).or_default() += 1;
    }
    let mut names: Vec<_> = by_name.into_iter().collect();
    names.sort_by_key(|&(name, n)| (std::cmp::Reverse(n), name));
    names
}

/// Bytes of scratch a device needs: the largest of the templates it runs.
pub(super) fn scratch(plan: &Plan, events: &[Event]) -> u64 {
    let one = |e: &Event| match e {
        Event::Compute { template, .. } => plan.templates.get(*template).map_or(0, |t| t.scratch),
        Event::Loop { body, .. } => scratch(plan, body),
        Event::Collective { .. }
        | Event::Load { .. }
        | Event::Combine { .. }
        | Event::Collect { .. }
        | Event::Free { .. }
        | Event::Commit { .. }
        | Event::Output { .. } => 0,
    };
    events.iter().map(one).max().unwrap_or(0)
}

/// A side table over devices' batch loads: the buffer's layout of each batch slot on the device.
pub(super) fn load_layouts<'p>(
    buffers: &'p IdMap<crate::plan::BufferId, crate::plan::Buffer>,
    events: &'p [Event],
    slots: &mut Vec<Option<&'p Layout>>,
) {
    for event in events {
        match event {
            Event::Load { slot, into } => {
                if let (Some(layout), Some(b)) = (slots.get_mut(*slot), buffers.get(*into)) {
                    layout.get_or_insert(&b.layout);
                }
            }
            Event::Loop { body, .. } => load_layouts(buffers, body, slots),
            Event::Compute { .. }
            | Event::Collective { .. }
            | Event::Combine { .. }
            | Event::Collect { .. }
            | Event::Free { .. }
            | Event::Commit { .. }
            | Event::Output { .. } => {}
        }
    }
}
