//! From layouts and order to the plan's templates, collectives, buffers and event lists.
//!
//! All devices run the same list over the same buffer ids; sizes and offsets differ with their shares.

use crate::cuts::coords_over;
use crate::lower::Lowered;
use crate::memory::{aligned, place, with_frees};
use crate::schedule::{Key, Schedule, Stage, Transfer};
use crate::sweeps::{Slot, Sweeps, is_loop};
use crate::why;
use crate::{Infeasible, Request};
use pullback_base::{Id, IdMap};
use pullback_ir::Monoid;
use pullback_plan::{
    AxisId, Buffer, BufferId, Certificate, Collective, CollectiveId, CollectiveItem, CollectiveKind, Coord,
    DevicePlan, Event, Identity, Layout, Plan, Reason, Template, TemplateId, TemplateOp,
};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) struct Emitter<'a> {
    pub request: &'a Request<'a>,
    pub l: &'a Lowered,
    /// Buffer of each key, and its layout.
    pub buffers: IdMap<BufferId, Key>,
    by_key: BTreeMap<Key, BufferId>,
    pub templates: IdMap<TemplateId, Template>,
    collectives: IdMap<CollectiveId, Collective>,
    accumulators: BTreeSet<BufferId>,
}

pub(crate) fn emit(
    request: &Request<'_>,
    l: Lowered,
    sweeps: &Sweeps,
    s: Schedule,
    identity: Identity,
    reasons: &mut Vec<Reason>,
) -> Result<Plan, Infeasible> {
    let mut e = Emitter {
        request,
        l: &l,
        buffers: IdMap::new(),
        by_key: BTreeMap::new(),
        templates: IdMap::new(),
        collectives: IdMap::new(),
        accumulators: BTreeSet::new(),
    };
    let program = request.step;
    let entry: Vec<BufferId> = request
        .signature
        .state
        .iter()
        .map(|slot| e.buffer((program.args()[slot.arg], Stage::Natural)))
        .collect();
    let (events, next) = e.events(&s)?;
    let keep = [&entry[..], &next].concat();
    let mut devices = IdMap::new();
    for d in l.mesh.devices() {
        let coords = e.coords_of(&l.mesh.place(d).coord);
        let bytes: BTreeMap<BufferId, u64> = e.buffers.ids().map(|b| (b, e.bytes(b, &coords))).collect();
        let (offsets, arena) = place(&events, &entry, &e.accumulators, &bytes);
        let mut buffers = IdMap::new();
        for (b, &(value, stage)) in e.buffers.iter() {
            let offset = offsets.get(&b).copied().unwrap_or(0);
            buffers.push(Buffer { value, layout: e.layout((value, stage)), offset, bytes: bytes[&b] });
        }
        devices.push(DevicePlan {
            buffers,
            entry: entry.clone(),
            events: with_frees(events.clone(), &keep),
            arena,
        });
    }
    // One device reports what all of them have.
    for d in l.mesh.devices().skip(1) {
        let device: &mut DevicePlan = &mut devices[d];
        device.events.retain(|e| !matches!(e, Event::Output { .. }));
    }
    reasons.extend(e.idle_axes());
    reasons.extend(e.turns(sweeps, &devices));
    let Emitter { templates, collectives, .. } = e;
    routes(request, &l, &collectives)?;
    let relation =
        if collectives.is_empty() && l.time.is_none() { "exact" } else { "floating-point reassociation" };
    why::collectives(&collectives, program, reasons);
    Ok(Plan {
        identity,
        signature: request.signature.clone(),
        certificate: Certificate { relation: relation.into(), reasons: std::mem::take(reasons) },
        templates,
        collectives,
        devices,
        mesh: l.mesh,
        cuts: l.cuts.table,
    })
}

/// Ring neighbours have a link.
fn routes(
    request: &Request<'_>,
    l: &Lowered,
    collectives: &IdMap<CollectiveId, Collective>,
) -> Result<(), Infeasible> {
    let name = |d: &pullback_plan::DeviceId| l.mesh.place(*d).device.as_str();
    for group in collectives.values().flat_map(|k| &k.groups).filter(|g| g.len() > 1) {
        for (a, b) in group.iter().zip(group.iter().cycle().skip(1)) {
            if !request.deployment.has_route(name(a), name(b)) {
                return Err(Infeasible::new(format!("devices {} and {} must exchange data, but no link joins them", name(a), name(b)))
                    .with_help("add the link to the deployment, list none at all (then every pair has one), or order the devices otherwise"));
            }
        }
    }
    Ok(())
}

impl Emitter<'_> {
    fn layout(&self, (v, stage): Key) -> Layout {
        let form = |layout: &Option<Layout>| layout.clone().unwrap_or_else(|| self.l.held[v].clone());
        match stage {
            Stage::Natural | Stage::Loaded(_) => self.l.natural[v].clone(),
            Stage::Combined => self.l.reshard[v].combined.clone(),
            Stage::Held => self.l.held[v].clone(),
            Stage::Gathered => form(&self.l.forms[v].gathered),
            Stage::Collected => form(&self.l.forms[v].collected),
            Stage::Whole => form(&self.l.forms[v].whole),
        }
    }

    fn buffer(&mut self, key: Key) -> BufferId {
        if let Some(&b) = self.by_key.get(&key) {
            return b;
        }
        let b = self.buffers.push(key);
        self.by_key.insert(key, b);
        b
    }

    /// The coordinates a device is at: its place on space axes, every turn on time axes.
    fn coords_of(&self, place: &Coord) -> Vec<Coord> {
        let turns: Vec<AxisId> = self.l.time.into_iter().collect();
        let merge = |mut c: Coord| {
            for a in self.l.mesh.axis_ids().filter(|a| !turns.contains(a)) {
                c[a.index()] = place[a.index()];
            }
            c
        };
        coords_over(&self.l.mesh, &turns).into_iter().map(merge).collect()
    }

    fn bytes(&self, b: BufferId, coords: &[Coord]) -> u64 {
        let key = self.buffers[b];
        let ty = self.request.step.ty(key.0);
        let layout = self.layout(key);
        let count =
            |c| layout.region(&self.l.cuts.table, &self.l.mesh, ty.shape(), c).map_or(0, |r| r.count());
        coords.iter().map(count).max().unwrap_or(0) as u64 * ty.dtype().size() as u64
    }

    /// The list of events, without frees, and the buffers of the next state.
    fn events(&mut self, s: &Schedule) -> Result<(Vec<Event>, Vec<BufferId>), Infeasible> {
        let mut events = Vec::new();
        for phase in 0..=s.last {
            let mut list = Vec::new();
            for &(slot, stage) in s.loads.get(&phase).into_iter().flatten() {
                let v = self.request.step.args()[self.request.signature.batch[slot].arg];
                list.push(Event::Load { slot, into: self.buffer((v, stage)) });
            }
            let range = (phase, 0)..(phase + 1, 0);
            let depths = s
                .segments
                .range(range.clone())
                .map(|(k, _)| k.1)
                .chain(s.transfers.range(range).map(|(k, _)| k.1));
            for depth in 0..depths.max().map_or(0, |d| d + 1) {
                self.round(s, (phase, depth), &mut list);
            }
            match self.l.time {
                Some(axis) if is_loop(phase) && !list.is_empty() => {
                    events.push(Event::Loop { axis, body: list });
                }
                Some(_) | None => events.extend(list),
            }
        }
        for (slot, o) in self.request.signature.outputs.iter().enumerate() {
            events.push(Event::Output { slot, from: self.buffer(s.results[o.result]) });
        }
        let next: Vec<BufferId> =
            self.request.signature.state.iter().map(|slot| self.buffer(s.results[slot.result])).collect();
        events.push(Event::Commit { next: next.clone() });
        Ok((events, next))
    }

    /// Collectives, template, combinations and collections of one slot.
    fn round(&mut self, s: &Schedule, slot: Slot, list: &mut Vec<Event>) {
        if let Some(transfers) = s.transfers.get(&slot) {
            self.collectives(transfers, list);
        }
        if let Some(segment) = s.segments.get(&slot) {
            let ops =
                segment.ops.iter().map(|&instr| TemplateOp { instr, cuts: self.l.factors[instr].clone() });
            let mut template = Template {
                ops: ops.collect(),
                inputs: segment.inputs.iter().map(|k| k.0).collect(),
                outputs: segment.outputs.clone(),
                scratch: 0,
            };
            template.scratch = self.scratch(&template);
            let template = self.templates.push(template);
            let inputs = segment.inputs.iter().map(|&k| self.buffer(k)).collect();
            let outputs = segment.outputs.iter().map(|&v| self.buffer((v, Stage::Natural))).collect();
            list.push(Event::Compute { template, inputs, outputs });
        }
        for &v in s.combines.get(&slot).into_iter().flatten() {
            let Some(axis) = self.l.reshard[v].combine else { continue };
            let (from, into) = (self.buffer((v, Stage::Natural)), self.buffer((v, Stage::Combined)));
            self.accumulators.insert(into);
            list.push(Event::Combine { from, into, axis });
        }
        for &(v, stage) in s.collects.get(&slot).into_iter().flatten() {
            let Some(axis) = self.l.time else { continue };
            let (from, into) = (self.buffer((v, stage)), self.buffer((v, Stage::Collected)));
            self.accumulators.insert(into);
            list.push(Event::Collect { from, into, axis });
        }
    }

    /// One collective per bucket of transfers of one kind.
    fn collectives(&mut self, transfers: &[Transfer], list: &mut Vec<Event>) {
        let program = self.request.step;
        let policy = &self.request.strategy.collective;
        let mut open: Vec<(Collective, Vec<BufferId>, Vec<BufferId>, u64, Vec<AxisId>)> = Vec::new();
        for t in transfers {
            let (from, to) = (self.layout((t.value, t.from)), self.layout((t.value, t.to)));
            let monoid = from.pending.as_ref().map_or(Monoid::Add, |p| p.monoid);
            let axes = self.axes(t, &from, &to);
            let dtype = program.ty(t.value).dtype();
            let bytes = program.ty(t.value).bytes() as u64;
            let (input, output) = (self.buffer((t.value, t.from)), self.buffer((t.value, t.to)));
            let parted = self.parted(t, &from);
            let item = CollectiveItem { value: t.value, from, to };
            let fits = open.iter_mut().find(|(k, _, _, size, by)| {
                *by == parted
                    && k.kind == t.kind
                    && k.monoid == monoid
                    && k.dtype == dtype
                    && k.axes == axes
                    && *size + bytes <= policy.bucket_bytes
            });
            match fits {
                Some((k, inputs, outputs, size, _)) => {
                    k.items.push(item);
                    inputs.push(input);
                    outputs.push(output);
                    *size += bytes;
                }
                None => {
                    let groups = self.l.mesh.groups(&axes);
                    let chunk = policy.chunk_bytes;
                    let k =
                        Collective { kind: t.kind, monoid, dtype, axes, groups, chunk, items: vec![item] };
                    open.push((k, vec![input], vec![output], bytes, parted));
                }
            }
        }
        for (k, inputs, outputs, ..) in open {
            let id = self.collectives.push(k);
            list.push(Event::Collective { id, inputs, outputs });
        }
    }

    /// Axes along which groups, or turns, of an all_reduce have parts of unequal size. Its segments, and so the order of
    /// every sum, follow from the sizes of all its items: what groups or turns must have alike cannot travel with what
    /// they do not. What is uneven along the same axes may travel together: replicas of it are at equal places on these.
    fn parted(&self, t: &Transfer, from: &Layout) -> Vec<AxisId> {
        let mesh = &self.l.mesh;
        let (time, space): (Vec<AxisId>, Vec<AxisId>) =
            from.cut_axes(&self.l.cuts.table).into_iter().partition(|&a| mesh.is_time(a));
        if t.kind != CollectiveKind::AllReduce {
            return Vec::new();
        }
        let shape = self.request.step.ty(t.value).shape();
        let count = |c: Coord| from.region(&self.l.cuts.table, mesh, shape, &c).map(|r| r.count());
        let uneven = |along: &[AxisId], beside: &[AxisId]| {
            coords_over(mesh, beside).iter().any(|at| {
                let mut counts = coords_over(mesh, along).into_iter().map(|mut c| {
                    beside.iter().for_each(|a| c[a.index()] = at[a.index()]);
                    count(c)
                });
                let first = counts.next();
                counts.any(|n| Some(n) != first)
            })
        };
        let mut axes = if uneven(&space, &time) { space.clone() } else { Vec::new() };
        axes.extend(time.iter().filter(|_| uneven(&time, &space)));
        axes
    }

    /// The axes a transfer's groups span.
    fn axes(&self, t: &Transfer, from: &Layout, to: &Layout) -> Vec<AxisId> {
        if let (Stage::Held, Some((_, axes))) = (t.to, &self.l.reshard[t.value].collective) {
            return axes.clone();
        }
        let gone = from.dims.iter().zip(&to.dims).filter_map(|(a, b)| a.filter(|_| b.is_none()));
        let mut axes: Vec<AxisId> = Vec::new();
        for a in gone.flat_map(|c| self.l.cuts.table[c].axes.clone()) {
            if !axes.contains(&a) {
                axes.push(a);
            }
        }
        axes
    }

    /// Peak bytes of live temporaries of a template over all coordinates: results that are not outputs live from
    /// their op to their last use; constants are not counted.
    fn scratch(&self, t: &Template) -> u64 {
        let program = self.request.step;
        let all: Vec<AxisId> = self.l.mesh.axis_ids().collect();
        let mut last: BTreeMap<pullback_ir::Value, usize> = BTreeMap::new();
        for (i, op) in t.ops.iter().enumerate() {
            let instr = program.instr(op.instr);
            instr.results().iter().chain(instr.operands()).for_each(|&v| {
                last.insert(v, i);
            });
        }
        let peak_at = |coord: &Coord| {
            let mut live: BTreeMap<pullback_ir::Value, u64> = BTreeMap::new();
            let (mut now, mut peak) = (0u64, 0u64);
            for (i, op) in t.ops.iter().enumerate() {
                let instr = program.instr(op.instr);
                let access = &self.l.access[op.instr];
                let boxed = self.l.cuts.boxed(access, &op.cuts, &self.l.mesh, coord);
                let constant = matches!(instr.op(), pullback_ir::Op::Constant(_));
                for (k, &v) in instr.results().iter().enumerate() {
                    if !constant && !t.outputs.contains(&v) {
                        let size = access.writes(k, &boxed).count() * program.ty(v).dtype().size();
                        live.insert(v, aligned(size as u64));
                        now += aligned(size as u64);
                    }
                }
                peak = peak.max(now);
                for v in instr.operands().iter().chain(instr.results()) {
                    if last.get(v) == Some(&i)
                        && let Some(size) = live.remove(v)
                    {
                        now -= size;
                    }
                }
            }
            peak
        };
        coords_over(&self.l.mesh, &all).iter().map(peak_at).max().unwrap_or(0)
    }
}
