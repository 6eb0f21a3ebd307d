//! What can be judged without running: cut tables, layouts, ops of templates, collectives, sizes of memory.
//!
//! Covers P2 (sizes, layouts), P3 (cuts of ops), P4 (groups, items), P7 (arena), P8 (partitions), P10, P12 and
//! P15 (entry). If tables and layouts are sound, regions at any coordinate lie within their values.

use crate::facts::{Facts, flat, list, templates_of};
use crate::violation::{At, Fault, Report};
use pullback_base::Id;
use pullback_ir::access::FactorKind;
use pullback_ir::{Value, dtype::MAX_TENSOR_BYTES};
use pullback_plan::{
    AxisId, Collective, CollectiveId, Cut, CutId, Device, DeviceId, Event, Layout, TemplateOp,
};
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// Whether the plan can be walked: cuts are partitions of what they cut.
pub(crate) fn check(facts: &Facts, report: &mut Report) -> bool {
    let before = report.len();
    let mut t = Tables { facts, report, at: At::plan() };
    t.cuts();
    if t.report.len() > before {
        return false;
    }
    t.templates();
    t.layouts();
    t.values();
    t.collectives();
    let sound = t.report.len() == before;
    t.memory();
    t.entry();
    sound
}

/// Which index is in no set or in two.
fn misfit(cut: &Cut) -> Option<String> {
    let mut intervals: Vec<(usize, usize)> =
        cut.sets.iter().flat_map(|s| s.intervals().iter().copied()).collect();
    intervals.sort_unstable();
    let mut next = 0;
    for (lo, hi) in intervals {
        match lo.cmp(&next) {
            Ordering::Less => return Some(format!("{lo} is in two")),
            Ordering::Equal => next = hi,
            Ordering::Greater => break,
        }
    }
    (next != cut.size).then(|| format!("{next} is in none"))
}

struct Tables<'a, 'f> {
    facts: &'a Facts<'f>,
    report: &'a mut Report,
    at: At,
}

impl Tables<'_, '_> {
    fn fault(&mut self, fault: Fault) {
        self.report.push(self.at.clone(), fault);
    }

    /// Every table is a partition. (Only those whose pieces are gathered or combined need to be; all are asked.)
    fn cuts(&mut self) {
        for (id, cut) in self.facts.plan.cuts.iter() {
            let within = cut.size <= MAX_TENSOR_BYTES && cut.sets.iter().all(|s| s.end() <= cut.size);
            let why = if within { misfit(cut) } else { Some("a set or the size is too large".into()) };
            if let Some(why) = why {
                self.report.push(At::part(id), Fault::P8NotPartition { cut: id, size: cut.size, why });
            }
        }
    }

    fn cut_size(&mut self, cut: CutId, what: impl FnOnce() -> String, size: usize) {
        let cuts = self.facts.plan.cuts[cut].size;
        if cuts != size {
            self.fault(Fault::P2CutSize { cut, cuts, what: what(), size });
        }
    }

    fn templates(&mut self) {
        for (id, t) in self.facts.plan.templates.iter() {
            for op in &t.ops {
                self.at = At::part(id).op(op.instr);
                self.op(op);
            }
        }
    }

    fn op(&mut self, op: &TemplateOp) {
        let mut seen: BTreeSet<AxisId> = BTreeSet::new();
        for (i, f) in self.facts.access[op.instr].factors.iter().enumerate() {
            let Some(cut) = op.cuts[i] else { continue };
            self.cut_size(cut, || format!("factor {i}"), f.size);
            for axis in self.facts.cut_axes(Some(cut)) {
                if !seen.insert(axis) {
                    self.fault(Fault::P3AxisTwice { axis: self.facts.axis(axis) });
                }
            }
            match f.kind {
                FactorKind::Blocked => self.fault(Fault::P3Blocked { factor: i }),
                FactorKind::Reduced(_) if f.size == 0 => self.fault(Fault::P8NothingToCut { factor: i }),
                FactorKind::Reduced(_) | FactorKind::Pass => {}
            }
        }
    }

    fn layouts(&mut self) {
        for (id, d) in self.facts.plan.devices.iter() {
            for (b, buffer) in d.buffers.iter() {
                self.at = At { part: Some(b.to_string()), ..At::device(id) };
                self.layout(buffer.value, &buffer.layout);
            }
        }
        for (id, k) in self.facts.plan.collectives.iter() {
            self.at = At::part(id);
            for item in &k.items {
                self.layout(item.value, &item.from);
                self.layout(item.value, &item.to);
            }
        }
    }

    fn layout(&mut self, value: Value, layout: &Layout) {
        let mut seen: BTreeSet<AxisId> = self.facts.real(layout.pending_axes()).into_iter().collect();
        for (d, &cut) in layout.dims.iter().enumerate() {
            let Some(cut) = cut else { continue };
            self.cut_size(cut, || format!("dimension {d} of {value}"), self.facts.step.ty(value).shape()[d]);
            for axis in self.facts.cut_axes(Some(cut)) {
                if !seen.insert(axis) {
                    self.fault(Fault::P2Layout {
                        value,
                        why: format!("uses {} twice", self.facts.axis(axis)),
                    });
                }
            }
        }
    }

    /// Buffers passed to templates, loads and outputs are of the values that belong there.
    fn values(&mut self) {
        let plan = self.facts.plan;
        for (id, d) in plan.devices.iter() {
            for (path, event) in flat(d) {
                self.at = At { event: path, ..At::device(id) };
                if let Event::Compute { template, inputs, outputs } = event {
                    let t = &plan.templates[*template];
                    let pairs = t.inputs.iter().zip(inputs).chain(t.outputs.iter().zip(outputs));
                    for (&wanted, &buffer) in pairs {
                        let holds = d.buffers[buffer].value;
                        if holds != wanted {
                            self.fault(Fault::P2Value { buffer, holds, wanted });
                        }
                    }
                }
                if let Event::Collective { id: k, inputs, outputs } = event {
                    for (i, item) in plan.collectives[*k].items.iter().enumerate() {
                        for (b, layout) in [(inputs[i], &item.from), (outputs[i], &item.to)] {
                            let buffer = &d.buffers[b];
                            let same = self.facts.same_layout(&buffer.layout, layout);
                            if buffer.value != item.value || !same {
                                let why = format!("{b} is not item {i}'s value in its layout");
                                self.fault(Fault::P4Items { collective: *k, why });
                            }
                        }
                    }
                }
            }
        }
    }

    fn collectives(&mut self) {
        for (id, k) in self.facts.plan.collectives.iter() {
            self.at = At::part(id);
            self.collective(id, k);
        }
    }

    fn collective(&mut self, id: CollectiveId, k: &Collective) {
        let (facts, mesh) = (self.facts, &self.facts.plan.mesh);
        if k.axes.is_empty() || k.axes.iter().any(|&a| mesh.is_time(a)) {
            let why = format!("its axes ({}) are not space axes", facts.axes(&k.axes));
            return self.fault(Fault::P4Groups { why });
        }
        let want: BTreeSet<Vec<DeviceId>> = mesh.groups(&k.axes).into_iter().collect();
        let have: BTreeSet<Vec<DeviceId>> = k.groups.iter().cloned().collect();
        if want != have || want.len() != k.groups.len() {
            let show = |groups: &[Vec<DeviceId>]| {
                groups.iter().map(|g| format!("[{}]", list(g))).collect::<Vec<_>>().join(" ")
            };
            let why = format!("{} where the axes give {}", show(&k.groups), show(&mesh.groups(&k.axes)));
            return self.fault(Fault::P4Groups { why });
        }
        if !(64..=0x400_0000).contains(&k.chunk) {
            let why = format!("chunks of {} bytes; a frame has between 64 and 67108864", k.chunk);
            self.fault(Fault::P4Items { collective: id, why });
        }
        for item in &k.items {
            let dtype = facts.step.ty(item.value).dtype();
            if dtype != k.dtype {
                let why = format!("it moves {}, but {} is {dtype}", k.dtype, item.value);
                self.fault(Fault::P4Items { collective: id, why });
            }
        }
        for group in k.groups.iter().filter(|g| g.len() > 1) {
            for (i, &d) in group.iter().enumerate() {
                let name = |d: DeviceId| mesh.place(d).device.clone();
                let (from, to) = (name(d), name(group[(i + 1) % group.len()]));
                if !facts.deployment.has_route(&from, &to) {
                    self.fault(Fault::P12NoRoute { from, to });
                }
            }
        }
    }

    /// The arena holds the buffers, the device holds arena and scratch, and computes the element types.
    fn memory(&mut self) {
        for (id, d) in self.facts.plan.devices.iter() {
            for (b, buffer) in d.buffers.iter() {
                self.at = At { part: Some(b.to_string()), ..At::device(id) };
                let (offset, bytes) = (buffer.offset, buffer.bytes);
                if offset.checked_add(bytes).is_none_or(|end| end > d.arena) {
                    self.fault(Fault::P7Arena { buffer: b, offset, bytes, arena: d.arena });
                }
                if offset % 64 != 0 {
                    self.fault(Fault::P7Alignment { buffer: b, offset });
                }
            }
            self.at = At::device(id);
            let Some(device) = self.facts.device(id) else { continue };
            if !matches!(device.kind.as_str(), "cpu" | "reference") {
                self.fault(Fault::P10Kind { kind: device.kind.clone() });
            }
            let (scratch, memory) = (self.facts.scratch(id), device.memory_mib.saturating_mul(1 << 20));
            if d.arena.checked_add(scratch).is_none_or(|n| n > memory) {
                self.fault(Fault::P7Memory { arena: d.arena, scratch, memory });
            }
            self.dtypes(id, device);
        }
    }

    fn dtypes(&mut self, id: DeviceId, device: &Device) {
        let (step, plan) = (self.facts.step, self.facts.plan);
        let used = templates_of(self.facts, id);
        let ops = used.iter().flat_map(|&t| plan.templates[t].ops.iter().map(|op| op.instr));
        for op in ops {
            for &v in step.instr(op).results().iter().chain(step.instr(op).operands()) {
                let dtype = step.ty(v).dtype();
                if !device.supports(dtype) {
                    self.report.push(At::device(id).op(op), Fault::P10DType { dtype });
                }
            }
        }
        for (path, event) in flat(&plan.devices[id]) {
            let dtype = if let Event::Collective { id: k, .. } = event {
                plan.collectives[*k].dtype
            } else if let Event::Combine { into, .. } | Event::Collect { into, .. } = event {
                step.ty(plan.devices[id].buffers[*into].value).dtype()
            } else {
                continue;
            };
            if !device.supports(dtype) {
                self.report.push(At { event: path, ..At::device(id) }, Fault::P10DType { dtype });
            }
        }
    }

    /// State enters whole, in one layout on all devices.
    fn entry(&mut self) {
        let plan = self.facts.plan;
        for (id, d) in plan.devices.iter() {
            self.at = At::device(id);
            for (slot, &b) in d.entry.iter().enumerate() {
                let buffer = &d.buffers[b];
                let wanted = self.facts.step.args()[plan.signature.state[slot].arg];
                if buffer.value != wanted {
                    self.fault(Fault::P2Value { buffer: b, holds: buffer.value, wanted });
                    continue;
                }
                let first = &plan.devices[DeviceId::from_index(0)];
                let fault = |why: &str| Fault::P15Slot { slot: self.facts.state(slot), why: why.into() };
                if self.facts.pending(&buffer.layout).is_some() {
                    self.fault(fault("enters as a contribution"));
                } else if !self.facts.same_layout(&buffer.layout, &first.buffers[first.entry[slot]].layout) {
                    self.fault(fault("enters in another layout than on the first device"));
                }
            }
        }
    }
}
