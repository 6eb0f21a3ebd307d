//! Compute events: each op of the template at the device's coordinate, and the memory its results take.
//!
//! P3 and the scratch of P7. A result that cannot be derived is reported once; ops that read it stay silent.

use crate::facts::Facts;
use crate::state::{Content, Family, FamilyTerm, NumberTerm};
use crate::violation::Fault;
use crate::walk::{Device, Lasts, Walk};
use pullback_base::IdMap;
use pullback_ir::linearity::carries_pending;
use pullback_ir::region::{IntervalSet, Region};
use pullback_ir::{Monoid, Op, Value};
use pullback_plan::{AxisId, BufferId, Template, TemplateId, TemplateOp};
use std::collections::BTreeMap;

/// Per template and op: the temporaries last read there.
pub(crate) fn deaths(facts: &Facts) -> IdMap<TemplateId, Vec<Vec<Value>>> {
    let mut all = IdMap::new();
    for t in facts.plan.templates.values() {
        let mut last: BTreeMap<Value, usize> = BTreeMap::new();
        let mut deaths = vec![Vec::new(); t.ops.len()];
        for (i, op) in t.ops.iter().enumerate() {
            let instr = facts.step.instr(op.instr);
            last.extend(instr.operands().iter().chain(instr.results()).map(|&v| (v, i)));
        }
        for op in &t.ops {
            let results = facts.step.instr(op.instr).results().iter();
            results.filter(|&&v| is_temporary(facts, t, op, v)).for_each(|&v| deaths[last[&v]].push(v));
        }
        all.push(deaths);
    }
    all
}

fn is_temporary(facts: &Facts, t: &Template, op: &TemplateOp, v: Value) -> bool {
    !matches!(facts.step.instr(op.instr).op(), Op::Constant(_)) && !t.outputs.contains(&v)
}

impl<'a> Walk<'a, '_> {
    pub fn compute(&mut self, d: &mut Device, id: TemplateId, inputs: &[BufferId], outputs: &[BufferId]) {
        let (facts, t) = (self.facts, &self.facts.plan.templates[id]);
        self.apart(d, inputs, outputs);
        let read = t.inputs.iter().zip(inputs).map(|(&v, &b)| (v, self.read(d, b)));
        let mut at_hand: BTreeMap<Value, Option<Content>> = read.collect();
        let mut sizes: BTreeMap<Value, u64> = BTreeMap::new();
        let (mut live, mut peak) = (0u64, 0u64);
        for (i, op) in t.ops.iter().enumerate() {
            let instr = facts.step.instr(op.instr);
            let boxed = facts.boxed(op, &d.coord);
            let regions: Vec<Region> =
                (0..instr.results().len()).map(|k| facts.access[op.instr].writes(k, &boxed)).collect();
            let made = instr.results().iter().zip(&regions);
            for (&v, region) in made.filter(|(v, _)| is_temporary(facts, t, op, **v)) {
                let size = facts.bytes(v, region).div_ceil(64).saturating_mul(64);
                sizes.insert(v, size);
                live = live.saturating_add(size);
            }
            peak = peak.max(live);
            live = self.deaths[id][i].iter().fold(live, |n, dead| n.saturating_sub(sizes[dead]));
            let operands: Option<Vec<&Content>> =
                instr.operands().iter().map(|v| at_hand.get(v).and_then(Option::as_ref)).collect();
            let is_empty = regions.iter().all(Region::is_empty);
            let found = operands.and_then(|xs| self.op(d, op, &boxed, is_empty, &xs));
            for (k, (&value, region)) in instr.results().iter().zip(regions).enumerate() {
                let made = found.as_ref().map(|results| results[k].clone());
                at_hand.insert(value, made.map(|(family, number)| Content { value, region, family, number }));
            }
        }
        self.spend(t.ops.len());
        if peak > t.scratch {
            self.fault(d, Fault::P7Scratch { template: id, scratch: t.scratch, needed: peak });
        }
        for (v, &b) in t.outputs.iter().zip(outputs) {
            self.write(d, b, at_hand.get(v).cloned().flatten(), Lasts::Turn);
        }
    }

    /// Families and numbers of an op's results. What reads a number knows of which value it is.
    fn op(
        &mut self,
        d: &Device,
        op: &TemplateOp,
        boxed: &[IntervalSet],
        is_empty: bool,
        operands: &[&Content],
    ) -> Option<Vec<(Option<Family>, u32)>> {
        let facts = self.facts;
        let mut faults = Vec::new();
        let mut cut_axes: Vec<AxisId> = op.cuts.iter().flat_map(|&c| facts.cut_axes(c)).collect();
        cut_axes.sort_unstable();
        if let Some(&axis) = cut_axes.iter().find(|&&a| facts.plan.mesh.is_time(a) && !d.is_open(a)) {
            faults.push(Fault::P3TimeAxis { axis: facts.axis(axis) });
        }
        // A box that writes nothing computes nothing.
        for (i, c) in operands.iter().enumerate().filter(|_| !is_empty) {
            let needs = facts.access[op.instr].needs(i, boxed);
            if !needs.is_subset(&c.region) {
                faults.push(Fault::P3Needs { value: c.value, needs, holds: c.region.clone() });
            }
        }
        let carried = self.carried(op, &cut_axes, operands).unwrap_or_else(|fault| {
            faults.push(fault);
            Vec::new()
        });
        if !faults.is_empty() {
            let at = self.at(d).op(op.instr);
            faults.into_iter().for_each(|f| self.report.push(at.clone(), f));
            return None;
        }
        let access = &facts.access[op.instr];
        let result = |k: usize| {
            let read =
                operands.iter().enumerate().filter(|(i, _)| access.depends(k, *i)).map(|(_, c)| c.number);
            let term = NumberTerm::Op(d.kind, op.instr, access.source(k, boxed), read.collect());
            (self.family(op, k, carried.clone(), operands), self.numbers.number(term))
        };
        Some((0..access.results.len()).map(result).collect())
    }

    /// Axes over which the op's pending operands make its result a pending sum; an error where they may not flow on.
    fn carried(
        &self,
        op: &TemplateOp,
        cut_axes: &[AxisId],
        operands: &[&Content],
    ) -> Result<Vec<AxisId>, Fault> {
        let instr = self.facts.step.instr(op.instr);
        let pending: Vec<usize> = (0..operands.len()).filter(|&i| operands[i].family.is_some()).collect();
        let Some((first, family)) =
            pending.first().and_then(|&i| Some((operands[i], operands[i].family.as_ref()?)))
        else {
            return Ok(Vec::new());
        };
        let alike = |c: &Content| {
            c.family.as_ref().is_some_and(|f| (f.monoid, &f.axes) == (Monoid::Add, &family.axes))
        };
        if let Some(&other) = pending.iter().find(|&&i| !alike(operands[i])) {
            return Err(Fault::P3Mixed { a: first.value, b: operands[other].value });
        }
        // Conversions to and arithmetic on integers are not linear; no op is in several results.
        let values = pending.iter().map(|&i| operands[i].value).chain(instr.results().iter().copied());
        let over_reals = values.into_iter().all(|v| self.facts.step.ty(v).dtype().is_differentiable());
        if !over_reals || instr.results().len() > 1 || !carries_pending(instr.op(), operands.len(), &pending)
        {
            let values: Vec<String> = pending.iter().map(|&i| operands[i].value.to_string()).collect();
            return Err(Fault::P3NotLinear { op: instr.op().name(), pending: values.join(", ") });
        }
        match cut_axes.iter().find(|a| family.axes.contains(a)) {
            Some(&axis) => Err(Fault::P3CutOfPending { axis: self.facts.axis(axis) }),
            None => Ok(family.axes.clone()),
        }
    }

    /// The family of result `k`: axes carried and axes that cut factors it is reduced over. An op reduces by one
    /// monoid, and one that carries sums reduces by sums.
    fn family(
        &mut self,
        op: &TemplateOp,
        k: usize,
        mut axes: Vec<AxisId>,
        operands: &[&Content],
    ) -> Option<Family> {
        let (mut monoid, mut cuts) = (Monoid::Add, Vec::new());
        for (f, m) in self.facts.access[op.instr].contributions(k) {
            cuts.push(self.facts.cut_key(op.cuts[f]));
            for axis in self.facts.cut_axes(op.cuts[f]) {
                monoid = m;
                axes.push(axis);
            }
        }
        if axes.is_empty() {
            return None;
        }
        axes.sort_unstable();
        let operands = operands.iter().map(|c| c.family.as_ref().map(|f| f.id)).collect();
        let id = self.families.number(FamilyTerm::Op { instr: op.instr, cuts, operands });
        Some(Family { id, monoid, axes })
    }
}
