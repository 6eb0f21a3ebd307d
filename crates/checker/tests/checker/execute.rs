//! An oracle: executes a plan byte by byte in real arenas and compares with the reference.
//!
//! It follows the meaning of events as the plan crate states them and trusts every claim; whatever an accepted
//! plan gets wrong shows as wrong numbers. All values must be f32.

use crate::plans::Case;
use pullback_base::Id;
use pullback_eval::{Tensor, reference};
use pullback_ir::Op;
use pullback_ir::region::{IntervalSet, Region};
use pullback_ir::restrict::{Instance, Part, localize};
use pullback_plan::*;
use std::collections::BTreeMap;

/// Runs one step on small whole numbers; an error says what differs from the reference.
pub fn run(case: &Case) -> Result<(), String> {
    let args: Vec<Tensor> = case
        .step
        .args()
        .iter()
        .enumerate()
        .map(|(k, &v)| {
            let ty = case.step.ty(v).clone();
            let numbers: Vec<f64> = (0..ty.count()).map(|i| ((i * 7 + k * 3) % 5) as f64 - 1.0).collect();
            Tensor::from_f64s(ty, &numbers).unwrap()
        })
        .collect();
    let want = reference::eval(&case.step, &args).map_err(|e| e.to_string())?;
    let mut run = Run { case, args: &args, arenas: vec![], next: vec![], outputs: BTreeMap::new() };
    run.start();
    run.all()?;
    run.compare(&want)
}

struct Run<'a> {
    case: &'a Case,
    args: &'a [Tensor],
    arenas: Vec<Vec<u8>>,
    /// Committed tensors per device and slot.
    next: Vec<Vec<Tensor>>,
    outputs: BTreeMap<usize, Tensor>,
}

impl Run<'_> {
    fn start(&mut self) {
        let plan = &self.case.plan;
        for (id, d) in plan.devices.iter() {
            self.arenas.push(vec![0xff; d.arena as usize]);
            self.next.push(vec![]);
            let coord = plan.mesh.place(id).coord.clone();
            for (slot, &b) in d.entry.iter().enumerate() {
                let arg = &self.args[plan.signature.state[slot].arg];
                let part = pick(arg, &self.region(id, b, &coord));
                self.write(id, b, &part);
            }
        }
    }

    fn region(&self, d: DeviceId, b: BufferId, coord: &Coord) -> Region {
        let plan = &self.case.plan;
        let buffer = &plan.devices[d].buffers[b];
        let shape = self.case.step.ty(buffer.value).shape();
        buffer.layout.region(&plan.cuts, &plan.mesh, shape, coord).unwrap()
    }

    fn read(&self, d: DeviceId, b: BufferId, coord: &Coord) -> Tensor {
        let buffer = &self.case.plan.devices[d].buffers[b];
        let ty = self.case.step.ty(buffer.value).with_shape(self.region(d, b, coord).shape());
        let at = buffer.offset as usize;
        Tensor::from_bytes(ty.clone(), &self.arenas[d.index()][at..at + ty.bytes()]).unwrap()
    }

    fn write(&mut self, d: DeviceId, b: BufferId, t: &Tensor) {
        let at = self.case.plan.devices[d].buffers[b].offset as usize;
        self.arenas[d.index()][at..at + t.bytes().len()].copy_from_slice(t.bytes());
    }

    fn all(&mut self) -> Result<(), String> {
        let plan = &self.case.plan;
        let mut lists: Vec<Vec<(Event, Coord)>> = Vec::new();
        for (id, d) in plan.devices.iter() {
            let mut list = Vec::new();
            unroll(&plan.mesh, &d.events, &mut plan.mesh.place(id).coord.clone(), &mut list);
            lists.push(list);
        }
        let mut at = vec![0; lists.len()];
        while (0..lists.len()).any(|d| at[d] < lists[d].len()) {
            let before = at.clone();
            for d in plan.devices.ids() {
                while let Some((event, coord)) = lists[d.index()].get(at[d.index()]) {
                    if matches!(event, Event::Collective { .. }) {
                        break;
                    }
                    self.event(d, event, coord)?;
                    at[d.index()] += 1;
                }
            }
            for (id, k) in plan.collectives.iter() {
                for group in &k.groups {
                    let here = |d: &DeviceId| {
                        let next = lists[d.index()].get(at[d.index()]);
                        matches!(next, Some((Event::Collective { id: i, .. }, _)) if *i == id)
                    };
                    if group.iter().all(here) {
                        let calls: Vec<_> =
                            group.iter().map(|d| (*d, lists[d.index()][at[d.index()]].clone())).collect();
                        self.collective(k, &calls);
                        group.iter().for_each(|d| at[d.index()] += 1);
                    }
                }
            }
            if before == at {
                return Err("deadlock".into());
            }
        }
        Ok(())
    }

    fn event(&mut self, d: DeviceId, event: &Event, coord: &Coord) -> Result<(), String> {
        let (step, plan) = (&self.case.step, &self.case.plan);
        match event {
            Event::Load { slot, into } => {
                let arg = &self.args[plan.signature.batch[*slot].arg];
                let part = pick(arg, &self.region(d, *into, coord));
                self.write(d, *into, &part);
            }
            Event::Compute { template, inputs, outputs } => {
                let t = &plan.templates[*template];
                let instances: Vec<Instance> = t.ops.iter().map(|op| self.instance(op, coord)).collect();
                let parts = |values: &[pullback_ir::Value], buffers: &[BufferId]| -> Vec<Part> {
                    values
                        .iter()
                        .zip(buffers)
                        .map(|(&value, &b)| Part { value, region: self.region(d, b, coord) })
                        .collect()
                };
                let local =
                    localize(step, &instances, &parts(&t.inputs, inputs), &parts(&t.outputs, outputs))
                        .map_err(|e| e.to_string())?;
                let args: Vec<Tensor> = inputs.iter().map(|&b| self.read(d, b, coord)).collect();
                let results = reference::eval(&local, &args).map_err(|e| e.to_string())?;
                for (&b, r) in outputs.iter().zip(&results) {
                    self.write(d, b, r);
                }
            }
            Event::Combine { from, into, axis } => {
                let part = self.read(d, *from, coord);
                let sum = if coord[axis.index()] == 0 {
                    part
                } else {
                    let monoid = plan.devices[d].buffers[*from]
                        .layout
                        .pending
                        .as_ref()
                        .map_or(pullback_ir::Monoid::Add, |p| p.monoid);
                    let total = self.read(d, *into, coord);
                    reference::eval_op(&Op::Binary(monoid.op()), &[&total, &part]).unwrap().remove(0)
                };
                self.write(d, *into, &sum);
            }
            Event::Collect { from, into, .. } => {
                let place = self.region(d, *from, coord).relative_to(&self.region(d, *into, coord));
                let mut all = self.read(d, *into, coord);
                paste(&mut all, &self.read(d, *from, coord), &place);
                self.write(d, *into, &all);
            }
            Event::Commit { next } => {
                self.next[d.index()] = next.iter().map(|&b| self.read(d, b, coord)).collect();
            }
            Event::Output { slot, from } => {
                let t = self.read(d, *from, coord);
                self.outputs.insert(*slot, t);
            }
            Event::Free { .. } | Event::Loop { .. } | Event::Collective { .. } => {}
        }
        Ok(())
    }

    fn instance(&self, op: &TemplateOp, coord: &Coord) -> Instance {
        let (step, plan) = (&self.case.step, &self.case.plan);
        let instr = step.instr(op.instr);
        let map = pullback_ir::access::AccessMap::of(instr.op(), &step.operand_types(op.instr)).unwrap();
        let set = |c: &Option<CutId>, n: usize| match c {
            None => IntervalSet::full(n),
            Some(c) => plan.cuts[*c].at(&plan.mesh, coord).unwrap().clone(),
        };
        Instance {
            instr: op.instr,
            boxed: op.cuts.iter().zip(&map.factors).map(|(c, f)| set(c, f.size)).collect(),
        }
    }

    fn collective(&mut self, k: &Collective, calls: &[(DeviceId, (Event, Coord))]) {
        let call = |m: usize| match &calls[m].1.0 {
            Event::Collective { inputs, outputs, .. } => {
                (calls[m].0, inputs.clone(), outputs.clone(), &calls[m].1.1)
            }
            other => panic!("{other:?} is no collective"),
        };
        let mut writes = Vec::new();
        for i in 0..k.items.len() {
            let parts: Vec<(Tensor, Region)> = (0..calls.len())
                .map(|m| {
                    let (d, inputs, _, coord) = call(m);
                    (self.read(d, inputs[i], coord), self.region(d, inputs[i], coord))
                })
                .collect();
            for m in 0..calls.len() {
                let (d, _, outputs, coord) = call(m);
                let target = self.region(d, outputs[i], coord);
                let op = Op::Binary(k.monoid.op());
                let result = if k.kind == CollectiveKind::AllGather {
                    let shape = self.case.step.ty(k.items[i].value).shape();
                    let mut all = Tensor::zeros(self.case.step.ty(k.items[i].value).with_shape(shape));
                    parts.iter().for_each(|(t, r)| paste(&mut all, t, r));
                    pick(&all, &target)
                } else {
                    let mut sum = parts[0].0.clone();
                    for (t, _) in &parts[1..] {
                        sum = reference::eval_op(&op, &[&sum, t]).unwrap().remove(0);
                    }
                    pick(&sum, &target.relative_to(&parts[0].1))
                };
                writes.push((d, outputs[i], result));
            }
        }
        writes.into_iter().for_each(|(d, b, t)| self.write(d, b, &t));
    }

    fn compare(&self, want: &[Tensor]) -> Result<(), String> {
        let plan = &self.case.plan;
        for (slot, o) in plan.signature.outputs.iter().enumerate() {
            if self.outputs.get(&slot).map(Tensor::to_f64s) != Some(want[o.result].to_f64s()) {
                return Err(format!("output {slot} differs"));
            }
        }
        for (id, d) in plan.devices.iter() {
            let coord = &plan.mesh.place(id).coord;
            for (slot, s) in plan.signature.state.iter().enumerate() {
                let region = self.region(id, d.entry[slot], coord);
                if self.next[id.index()].get(slot).map(Tensor::to_f64s)
                    != Some(pick(&want[s.result], &region).to_f64s())
                {
                    return Err(format!("state {slot} differs on {id}"));
                }
                if self.read(id, d.entry[slot], coord).to_f64s() != pick(&self.args[s.arg], &region).to_f64s()
                {
                    return Err(format!("state {slot} at entry is lost on {id}"));
                }
            }
        }
        Ok(())
    }
}

fn unroll(mesh: &Mesh, events: &[Event], coord: &mut Coord, out: &mut Vec<(Event, Coord)>) {
    for e in events {
        if let Event::Loop { axis, body } = e {
            for turn in 0..mesh.axis(*axis).size {
                coord[axis.index()] = turn;
                unroll(mesh, body, coord, out);
            }
            coord[axis.index()] = 0;
        } else {
            out.push((e.clone(), coord.clone()));
        }
    }
}

/// Row-major positions of a region's elements in a tensor of a shape.
fn positions(shape: &[usize], region: &Region) -> Vec<usize> {
    region.dims().iter().zip(shape).fold(vec![0], |bases, (set, n)| {
        bases.iter().flat_map(|base| set.iter().map(move |i| base * n + i)).collect()
    })
}

fn pick(t: &Tensor, region: &Region) -> Tensor {
    let numbers: Vec<f64> = positions(t.shape(), region).iter().map(|&i| t.get_f64(i)).collect();
    Tensor::from_f64s(t.ty().with_shape(region.shape()), &numbers).unwrap()
}

fn paste(all: &mut Tensor, part: &Tensor, region: &Region) {
    let shape = all.shape().to_vec();
    for (k, i) in positions(&shape, region).into_iter().enumerate() {
        all.set_f64(i, part.get_f64(k));
    }
}
