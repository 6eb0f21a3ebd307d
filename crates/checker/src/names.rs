//! P1, before anything else: every id exists, lists have their lengths, the mesh is a grid.
//!
//! After this pass the others index without asking. It believes nothing about meaning: sizes of cuts, claims,
//! order and contents are judged later.

use crate::facts::{buffers_of, flat};
use crate::violation::{At, Fault, Report};
use pullback_base::{Id, IdMap};
use pullback_ir::access::AccessMap;
use pullback_ir::{InstrId, Program, Value};
use pullback_plan::{AxisId, CutId, Event, Layout, Mesh, Plan, Template};
use std::collections::BTreeSet;

/// Most axes of a mesh, and so the deepest loops.
pub const MAX_AXES: usize = 16;
/// Most coordinates of a mesh, time included.
pub const MAX_COORDINATES: usize = 1 << 16;

/// Checks all names; gives the access map of each instruction if there is nothing to find.
pub(crate) fn check(step: &Program, plan: &Plan, report: &mut Report) -> Option<IdMap<InstrId, AccessMap>> {
    let before = report.len();
    if let Err(why) = mesh(plan) {
        report.push(At::part("mesh"), Fault::P1Mesh { why });
    }
    if let Err(why) = plan.signature.fits(step) {
        report.push(At::part("signature"), Fault::P1Signature { why });
    }
    if report.len() > before {
        return None;
    }
    let mut access = IdMap::new();
    for (id, instr) in step.instrs().iter() {
        match AccessMap::of(instr.op(), &step.operand_types(id)) {
            Ok(map) => {
                access.push(map);
            }
            Err(e) => {
                report.push(At::part("step").op(id), Fault::P1Signature { why: e.to_string() });
                return None;
            }
        }
    }
    let mut names = Names { step, plan, access: &access, report, at: At::plan() };
    names.cuts();
    names.templates();
    names.collectives();
    names.devices();
    (report.len() == before).then_some(access)
}

fn mesh(plan: &Plan) -> Result<(), String> {
    let Mesh { axes, places } = &plan.mesh;
    if axes.len() > MAX_AXES {
        return Err(format!("{} axes; at most {MAX_AXES} are supported", axes.len()));
    }
    let total = axes.iter().try_fold(1usize, |n, a| n.checked_mul(a.size)).filter(|&n| n <= MAX_COORDINATES);
    if total.is_none_or(|n| n == 0) {
        return Err(format!("axes need between 1 and {MAX_COORDINATES} coordinates together"));
    }
    let axis_names: BTreeSet<&str> = axes.iter().map(|a| a.name.as_str()).collect();
    let names: Vec<String> = places.iter().map(|p| p.device.clone()).collect();
    if axis_names.len() < axes.len() || axis_names.contains("") {
        return Err("axes need names of their own".into());
    }
    if names.iter().collect::<BTreeSet<_>>().len() < names.len() {
        return Err("a device has two places".into());
    }
    match Mesh::new(axes.clone(), &names) {
        None => Err(format!("{} devices do not fill its space axes", names.len())),
        Some(m) if m != plan.mesh => Err("devices are not at their row-major coordinates".into()),
        Some(_) if plan.devices.len() != names.len() => {
            Err(format!("{} event lists for {} devices", plan.devices.len(), names.len()))
        }
        Some(_) => Ok(()),
    }
}

struct Names<'a> {
    step: &'a Program,
    plan: &'a Plan,
    access: &'a IdMap<InstrId, AccessMap>,
    report: &'a mut Report,
    at: At,
}

impl Names<'_> {
    fn fault(&mut self, fault: Fault) {
        self.report.push(self.at.clone(), fault);
    }

    fn known(&mut self, what: &'static str, id: impl Id + ToString, len: usize) -> bool {
        let ok = id.index() < len;
        if !ok {
            self.fault(Fault::P1Unknown { what, name: id.to_string() });
        }
        ok
    }

    fn count(&mut self, what: &'static str, got: usize, want: usize) {
        if want != got {
            self.fault(Fault::P1Count { what, want, got });
        }
    }

    /// Known ids, each once.
    fn once<I: Id + ToString>(&mut self, what: &'static str, ids: &[I], len: usize) -> bool {
        let mut seen = BTreeSet::new();
        let mut ok = true;
        for &id in ids {
            ok &= self.known(what, id, len);
            if !seen.insert(id) {
                self.fault(Fault::P1Redefined { name: id.to_string() });
                ok = false;
            }
        }
        ok
    }

    fn axes(&mut self, axes: &[AxisId]) -> bool {
        self.once("axis", axes, self.plan.mesh.axes.len())
    }

    fn layout(&mut self, value: Value, layout: &Layout) {
        if !self.known("value", value, self.step.n_values()) {
            return;
        }
        self.count("dimensions of a layout", layout.dims.len(), self.step.ty(value).rank());
        self.cut_ids(&layout.dims);
        if let Some(p) = &layout.pending {
            self.axes(&p.axes);
            if p.axes.is_empty() || !p.axes.is_sorted() {
                self.fault(Fault::P2Layout {
                    value,
                    why: "has pending axes that are none or not increasing".into(),
                });
            }
        }
    }

    fn cut_ids(&mut self, cuts: &[Option<CutId>]) {
        for &c in cuts.iter().flatten() {
            self.known("cut", c, self.plan.cuts.len());
        }
    }

    fn cuts(&mut self) {
        for (id, cut) in self.plan.cuts.iter() {
            self.at = At::part(id);
            if self.axes(&cut.axes) {
                // Bounded by the mesh's coordinates.
                let sets = cut.axes.iter().map(|&a| self.plan.mesh.axis(a).size).product();
                self.count("sets of a cut", cut.sets.len(), sets);
            }
        }
    }

    fn templates(&mut self) {
        for (id, t) in self.plan.templates.iter() {
            self.at = At::part(id);
            self.template(t);
        }
    }

    fn template(&mut self, t: &Template) {
        self.once("value", &t.inputs, self.step.n_values());
        self.once("value", &t.outputs, self.step.n_values());
        let mut defined: BTreeSet<Value> = t.inputs.iter().copied().collect();
        for op in &t.ops {
            if !self.known("op", op.instr, self.step.instrs().len()) {
                continue;
            }
            self.at.op = Some(op.instr);
            self.count("cuts of an op", op.cuts.len(), self.access[op.instr].factors.len());
            self.cut_ids(&op.cuts);
            let instr = self.step.instr(op.instr);
            for v in instr.operands().iter().filter(|v| !defined.contains(v)) {
                self.fault(Fault::P1Undefined { name: v.to_string() });
            }
            for &v in instr.results() {
                if !defined.insert(v) {
                    self.fault(Fault::P1Redefined { name: v.to_string() });
                }
            }
            self.at.op = None;
        }
        for v in t.outputs.iter().filter(|v| !defined.contains(v)) {
            self.fault(Fault::P1Undefined { name: v.to_string() });
        }
    }

    fn collectives(&mut self) {
        for (id, k) in self.plan.collectives.iter() {
            self.at = At::part(id);
            self.axes(&k.axes);
            for &d in k.groups.iter().flatten() {
                self.known("device", d, self.plan.devices.len());
            }
            for item in &k.items {
                self.layout(item.value, &item.from);
                self.layout(item.value, &item.to);
            }
        }
    }

    fn devices(&mut self) {
        for (id, d) in self.plan.devices.iter() {
            for (b, buffer) in d.buffers.iter() {
                self.at = At { part: Some(b.to_string()), ..At::device(id) };
                self.layout(buffer.value, &buffer.layout);
            }
            self.at = At::device(id);
            self.count("entry buffers", d.entry.len(), self.plan.signature.state.len());
            self.once("buffer", &d.entry, d.buffers.len());
            for (path, event) in flat(d) {
                self.at = At { event: path, ..At::device(id) };
                for b in buffers_of(event) {
                    self.known("buffer", b, d.buffers.len());
                }
                self.event(event);
                if self.report.is_full() {
                    return;
                }
            }
        }
    }

    fn slot(&mut self, what: &'static str, slot: usize, len: usize) {
        if slot >= len {
            self.fault(Fault::P1Unknown { what, name: slot.to_string() });
        }
    }

    fn event(&mut self, event: &Event) {
        let plan = self.plan;
        match event {
            Event::Load { slot, .. } => self.slot("batch slot", *slot, plan.signature.batch.len()),
            Event::Compute { template, inputs, outputs } => {
                if self.known("template", *template, plan.templates.len()) {
                    let t = &plan.templates[*template];
                    self.count("inputs of a template", inputs.len(), t.inputs.len());
                    self.count("outputs of a template", outputs.len(), t.outputs.len());
                }
            }
            Event::Combine { axis, .. } | Event::Collect { axis, .. } => {
                self.axes(&[*axis]);
            }
            Event::Collective { id, inputs, outputs } => {
                if self.known("collective", *id, plan.collectives.len()) {
                    let n = plan.collectives[*id].items.len();
                    if (inputs.len(), outputs.len()) != (n, n) {
                        let why =
                            format!("{} inputs and {} outputs for {n} items", inputs.len(), outputs.len());
                        self.fault(Fault::P4Items { collective: *id, why });
                    }
                }
            }
            Event::Loop { axis, .. } => {
                if self.axes(&[*axis]) {
                    let deep = self.at.event.len() > MAX_AXES;
                    let why = (!plan.mesh.is_time(*axis)).then_some("it is no time axis");
                    if let Some(why) = why.or(deep.then_some("loops are nested too deep")) {
                        self.fault(Fault::P1Loop { axis: plan.mesh.axis(*axis).name.clone(), why });
                    }
                }
            }
            Event::Free { .. } => {}
            Event::Commit { next } => {
                self.count("committed buffers", next.len(), plan.signature.state.len());
            }
            Event::Output { slot, .. } => self.slot("output", *slot, plan.signature.outputs.len()),
        }
    }
}
