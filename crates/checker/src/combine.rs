//! Where contributions and pieces come together: combine events over turns, collectives over devices.
//!
//! P8 and P9's tiling. Members' contents are taken together; each result is written on its own device, where the
//! claim is compared as for any other write.

use crate::facts::tiles;
use crate::state::{Cell, Content, Family, NumberTerm};
use crate::violation::{At, Fault};
use crate::walk::{Device, Lasts, Walk};
use pullback_base::Id;
use pullback_ir::Monoid;
use pullback_ir::region::Region;
use pullback_plan::{AxisId, BufferId, CollectiveId, CollectiveKind, Coord, DeviceId};

impl<'a> Walk<'a, '_> {
    pub fn combine(&mut self, d: &mut Device, from: BufferId, into: BufferId, axis: AxisId) {
        self.apart(d, &[from], &[into]);
        let Some(turn) = d.frames.last().filter(|f| f.axis == Some(axis)).map(|f| f.turn) else {
            self.fault(d, Fault::P8NotInLoop { axis: self.facts.axis(axis) });
            return self.write(d, into, None, Lasts::Turn);
        };
        let Some(part) = self.read(d, from) else { return self.lose_sum(d, into) };
        let over = self.facts.real(&[axis]);
        if let Some(fault) = self.not_over(&part, &over, None) {
            self.fault(d, fault);
            return self.lose_sum(d, into);
        }
        self.rounds(&part, &over);
        if turn == 0 && !matches!(d.cells[into], Cell::Partial { .. }) {
            self.first_turn(d, part, into, axis, &over);
        } else {
            self.next_turn(d, part, into, turn);
        }
    }

    fn first_turn(&mut self, d: &mut Device, part: Content, into: BufferId, axis: AxisId, over: &[AxisId]) {
        let rest = part.family.as_ref().and_then(|f| self.rest(f, over));
        let total = Content { family: rest, ..part.clone() };
        let holds = self.claim_holds(d, into, &total, Some(axis));
        // `None` only skips comparing the claim a second time.
        self.write(d, into, None, Lasts::Loop);
        if holds && d.cells[into] == Cell::Unknown {
            d.cells[into] = Cell::Partial { total, family: part.family, turns: 1 };
        }
    }

    fn next_turn(&mut self, d: &mut Device, part: Content, into: BufferId, turn: usize) {
        let fault = match &d.cells[into] {
            Cell::Partial { family, .. }
                if family.as_ref().map(|f| f.id) != part.family.as_ref().map(|f| f.id) =>
            {
                Fault::P8Family { value: part.value }
            }
            Cell::Partial { total, .. } if total.region != part.region => {
                Fault::P8Regions { value: part.value, a: total.region.clone(), b: part.region }
            }
            Cell::Partial { total, family, turns } if *turns == turn => {
                let term = NumberTerm::Combine(total.number, part.number);
                let total = Content { number: self.numbers.number(term), ..total.clone() };
                let family = family.clone();
                self.take_bytes(d, into);
                d.cells[into] = Cell::Partial { total, family, turns: turn + 1 };
                return;
            }
            Cell::Unknown => return,
            Cell::Overwritten(by) => Fault::P6Overwritten { buffer: into, by: *by },
            Cell::Freed => Fault::P6Freed { buffer: into },
            Cell::Partial { .. } | Cell::Empty | Cell::Holds(_) | Cell::Past => {
                Fault::P8Turn { buffer: into, turn }
            }
        };
        self.fault(d, fault);
        self.lose_sum(d, into);
    }

    /// The sum takes a turn that could not be derived.
    fn lose_sum(&mut self, d: &mut Device, into: BufferId) {
        self.take_bytes(d, into);
        if !d.is_state(into) {
            d.cells[into] = Cell::Unknown;
            self.keep(d, into, Lasts::Loop);
        }
    }

    /// Why a content cannot be combined over axes (by a monoid, where one is stated).
    fn not_over(&self, c: &Content, over: &[AxisId], monoid: Option<Monoid>) -> Option<Fault> {
        let axes = c.family.as_ref().map_or(&[][..], |f| &f.axes);
        if let Some(&axis) = over.iter().find(|a| !axes.contains(a)) {
            return Some(Fault::P8NotPending { value: c.value, axis: self.facts.axis(axis) });
        }
        let pending = c.family.as_ref()?.monoid;
        let combined = monoid.filter(|&m| m != pending && !over.is_empty())?;
        Some(Fault::P8Monoid { value: c.value, pending, combined })
    }

    /// P14: combining floating-point sums or products is not exact.
    fn rounds(&mut self, c: &Content, over: &[AxisId]) {
        let by = c.family.as_ref().map(|f| f.monoid);
        let rounds = matches!(by, Some(Monoid::Add | Monoid::Multiply))
            && self.facts.step.ty(c.value).dtype().is_differentiable();
        if rounds && !over.is_empty() && self.facts.plan.certificate.relation == crate::identity::EXACT {
            self.report.push(At::part("certificate"), Fault::P14NotExact { value: c.value });
        }
    }

    /// One group's run of a collective in which all its members wait.
    pub fn collective(&mut self, devices: &mut [Device<'a>], id: CollectiveId, group: &[DeviceId]) {
        let mut held: Vec<Vec<Option<Content>>> = Vec::with_capacity(group.len());
        for m in group {
            let d = &devices[m.index()];
            let Some(call) = &d.call else { return };
            self.apart(d, call.inputs, call.outputs);
            held.push(call.inputs.iter().map(|&b| self.read(d, b)).collect());
        }
        let facts = self.facts;
        let coords: Vec<Coord> = group.iter().map(|m| devices[m.index()].coord.clone()).collect();
        let counts: Vec<usize> = held[0].iter().map(|c| c.as_ref().map_or(0, |c| c.region.count())).collect();
        for (i, item) in facts.plan.collectives[id].items.iter().enumerate() {
            self.spend(group.len() * group.len());
            if self.is_stopped() {
                return;
            }
            let targets: Vec<Region> = coords.iter().map(|c| facts.region(item.value, &item.to, c)).collect();
            let parts: Option<Vec<Content>> = held.iter().map(|items| items[i].clone()).collect();
            let results = parts.and_then(|parts| match self.item(id, i, &counts, &parts, &targets) {
                Ok(results) => Some(results),
                Err(fault) => {
                    self.fault(&devices[group[0].index()], fault);
                    None
                }
            });
            for (k, m) in group.iter().enumerate() {
                let d = &mut devices[m.index()];
                let Some(output) = d.call.as_ref().map(|c| c.outputs[i]) else { return };
                self.write(d, output, results.as_ref().map(|r| r[k].clone()), Lasts::Turn);
            }
        }
    }

    /// What each member holds of an item afterwards. `targets` are the regions that the layout after gives.
    fn item(
        &mut self,
        id: CollectiveId,
        item: usize,
        counts: &[usize],
        parts: &[Content],
        targets: &[Region],
    ) -> Result<Vec<Content>, Fault> {
        let k = &self.facts.plan.collectives[id];
        let over = self.facts.real(&k.axes);
        let (value, first) = (parts[0].value, &parts[0]);
        let family_id = |c: &Content| c.family.as_ref().map(|f| f.id);
        if parts.iter().any(|c| family_id(c) != family_id(first)) {
            return Err(Fault::P8Family { value });
        }
        let members: Vec<u32> = parts.iter().map(|c| c.number).collect();
        let result = |region: &Region, family: &Option<Family>, number| Content {
            value,
            region: region.clone(),
            family: family.clone(),
            number,
        };
        if k.kind == CollectiveKind::AllGather {
            let gathered = |f: &Family| f.axes.iter().copied().find(|a| over.contains(a));
            if let Some(axis) = first.family.as_ref().and_then(gathered) {
                return Err(Fault::P8Gathered { value, axis: self.facts.axis(axis) });
            }
            let pieces: Vec<Region> = parts.iter().map(|c| c.region.clone()).collect();
            if targets.iter().any(|t| *t != targets[0]) || !tiles(&targets[0], &pieces) {
                return Err(Fault::P9Tiling { value, whole: targets[0].clone() });
            }
            let term = NumberTerm::AllGather(pieces.into_iter().zip(members).collect());
            let number = self.numbers.number(term);
            return Ok(targets.iter().map(|t| result(t, &first.family, number)).collect());
        }
        if let Some(fault) = parts.iter().find_map(|c| self.not_over(c, &over, Some(k.monoid))) {
            return Err(fault);
        }
        // Sound layouts imply it; it is what correctness rests on, so it is asked.
        if let Some(other) = parts.iter().find(|c| c.region != first.region) {
            return Err(Fault::P8Regions { value, a: first.region.clone(), b: other.region.clone() });
        }
        self.rounds(first, &over);
        let family = first.family.as_ref().and_then(|f| self.rest(f, &over));
        if k.kind == CollectiveKind::AllReduce {
            let term = NumberTerm::AllReduce(id, item, counts.to_vec(), members);
            let number = self.numbers.number(term);
            return Ok(parts.iter().map(|c| result(&c.region, &family, number)).collect());
        }
        if !tiles(&first.region, targets) {
            return Err(Fault::P9Tiling { value, whole: first.region.clone() });
        }
        let scattered = targets.iter().enumerate().map(|(member, t)| {
            let term = NumberTerm::ReduceScatter(member, t.clone(), members.clone());
            result(t, &family, self.numbers.number(term))
        });
        Ok(scattered.collect())
    }
}
