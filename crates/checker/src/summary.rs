//! What a checked plan takes, counted on the way: memory, events, bytes per link.

use crate::facts::{Facts, templates_of};
use pullback_base::Id;
use pullback_plan::{CollectiveId, CollectiveKind, Coord, DeviceId};
use std::collections::BTreeMap;

/// What one step of a plan takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Summary {
    /// Per device of the mesh.
    pub devices: Vec<DeviceSummary>,
    /// Bytes per step from one device to another, by name, through the rings of collectives.
    pub links: BTreeMap<(String, String), u64>,
    /// Runs of collectives, each group's on its own.
    pub collectives: u64,
}

/// What one step takes on a device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceSummary {
    /// Its name in the deployment.
    pub name: String,
    /// Bytes of its arena.
    pub arena: u64,
    /// Largest scratch of its templates, bytes.
    pub scratch: u64,
    /// Its memory in the deployment, bytes.
    pub memory: u64,
    /// Events it runs in a step, loops unrolled.
    pub events: u64,
    /// Ops it runs in a step.
    pub ops: u64,
}

impl DeviceSummary {
    /// Most bytes held at once.
    pub fn high_water(&self) -> u64 {
        self.arena.saturating_add(self.scratch)
    }
}

impl Summary {
    pub(crate) fn new(facts: &Facts) -> Self {
        let plan = facts.plan;
        let device = |id: DeviceId| {
            let used = templates_of(facts, id);
            DeviceSummary {
                name: plan.mesh.place(id).device.clone(),
                arena: plan.devices[id].arena,
                scratch: used.iter().map(|&t| plan.templates[t].scratch).max().unwrap_or(0),
                memory: facts.device(id).map_or(0, |d| d.memory_mib.saturating_mul(1 << 20)),
                events: 0,
                ops: 0,
            }
        };
        Self { devices: plan.devices.ids().map(device).collect(), links: BTreeMap::new(), collectives: 0 }
    }

    pub(crate) fn count_event(&mut self, d: DeviceId) {
        self.devices[d.index()].events += 1;
    }

    pub(crate) fn count_ops(&mut self, d: DeviceId, ops: usize) {
        self.devices[d.index()].ops += ops as u64;
    }

    /// Bytes that one group's ring sends. Reduced, segment s passes every link but the one that leaves member s;
    /// gathered, every link but the one that enters it.
    pub(crate) fn count_collective(
        &mut self,
        facts: &Facts,
        id: CollectiveId,
        group: &[DeviceId],
        coords: &[Coord],
    ) {
        let k = &facts.plan.collectives[id];
        let n = group.len();
        self.collectives += 1;
        let elements = |member: usize, before: bool| -> u64 {
            let layout = |i: usize| if before { &k.items[i].from } else { &k.items[i].to };
            (0..k.items.len())
                .map(|i| facts.region(k.items[i].value, layout(i), &coords[member]).count() as u64)
                .fold(0, u64::saturating_add)
        };
        let all = u128::from(elements(0, true));
        let even = |m: usize| (all * (m as u128 + 1) / n as u128 - all * m as u128 / n as u128) as u64;
        let (segments, reduces, gathers): (Vec<u64>, bool, bool) = match k.kind {
            CollectiveKind::AllReduce => ((0..n).map(even).collect(), true, true),
            CollectiveKind::ReduceScatter => ((0..n).map(|m| elements(m, false)).collect(), true, false),
            CollectiveKind::AllGather => ((0..n).map(|m| elements(m, true)).collect(), false, true),
        };
        let total = segments.iter().copied().fold(0, u64::saturating_add);
        for m in (0..n).filter(|_| n > 1) {
            let next = (m + 1) % n;
            let reduced = if reduces { total - segments[m] } else { 0 };
            let gathered = if gathers { total - segments[next] } else { 0 };
            let name = |m: usize| facts.plan.mesh.place(group[m]).device.clone();
            let bytes = reduced.saturating_add(gathered).saturating_mul(k.dtype.size() as u64);
            let sum = self.links.entry((name(m), name(next))).or_default();
            *sum = sum.saturating_add(bytes);
        }
    }
}
