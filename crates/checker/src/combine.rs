//! Where contributions and pieces come together: combine and collect events over turns, collectives over devices.
//!
//! P8 and P9's tiling. Members' contents are taken together; each result is written on its own device, where the
//! claim is compared as for any other write.

use crate::facts::tiles;
use crate::state::{Cell, Content, Family, NumberTerm};
use crate::violation::{At, Fault};
use crate::walk::{Device, Lasts, Walk};
use pullback_base::Id;
use pullback_ir::region::Region;
use pullback_ir::{Monoid, Value};
use pullback_plan::{AxisId, BufferId, CollectiveId, CollectiveKind, Coord, DeviceId};

impl<'a> Walk<'a, '_> {
    /// A combine or, if it `collects`, a collect.
    pub fn take_turn(
        &mut self,
        d: &mut Device,
        from: BufferId,
        into: BufferId,
        axis: AxisId,
        collects: bool,
    ) {
        self.apart(d, &[from], &[into]);
        let Some(turn) = d.frames.last().filter(|f| f.axis == Some(axis)).map(|f| f.turn) else {
            self.fault(d, Fault::P8NotInLoop { axis: self.facts.axis(axis) });
            return self.write(d, into, None, Lasts::Turn);
        };
        let Some(part) = self.read(d, from) else { return self.lose_sum(d, into) };
        let over = self.facts.real(&[axis]);
        let wrong = if collects { self.is_over(&part, &over) } else { self.not_over(&part, &over, None) };
        if let Some(fault) = wrong {
            self.fault(d, fault);
            return self.lose_sum(d, into);
        }
        if !collects {
            self.rounds(&part, &over);
        }
        if turn > 0 || matches!(d.cells[into], Cell::Partial { .. }) {
            return self.next_turn(d, part, into, turn, collects);
        }
        let (mut total, mut pieces) = (part.clone(), Vec::new());
        if collects {
            // The region that the claim gives, which the pieces must tile when all are in.
            let buffer = &d.plan.buffers[into];
            total.region = self.facts.region(buffer.value, &buffer.layout, &d.coord);
            pieces.push((part.region, part.number));
        } else {
            total.family = part.family.as_ref().and_then(|f| self.rest(f, &over));
        }
        let holds = self.claim_holds(d, into, &total, Some(axis));
        // `None` only skips comparing the claim a second time.
        self.write(d, into, None, Lasts::Loop);
        if holds && d.cells[into] == Cell::Unknown {
            d.cells[into] = Cell::Partial { total, family: part.family, turns: 1, pieces };
        }
    }

    fn next_turn(&mut self, d: &mut Device, part: Content, into: BufferId, turn: usize, collects: bool) {
        let fault = match &mut d.cells[into] {
            Cell::Partial { family, .. }
                if family.as_ref().map(|f| f.id) != part.family.as_ref().map(|f| f.id) =>
            {
                Fault::P8Family { value: part.value }
            }
            Cell::Partial { total, pieces, .. } if pieces.is_empty() && total.region != part.region => {
                Fault::P8Regions { value: part.value, a: total.region.clone(), b: part.region }
            }
            Cell::Partial { total, turns, pieces, .. } if *turns == turn && pieces.is_empty() != collects => {
                *turns += 1;
                if collects {
                    pieces.push((part.region, part.number));
                } else {
                    let term = NumberTerm::Combine(total.number, part.number);
                    total.number = self.numbers.number(term);
                }
                return self.take_bytes(d, into);
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

    /// What the turns of a loop come to: their sum, the region that their pieces tile, or what all of them made alike.
    pub fn whole(&mut self, total: &Content, pieces: &[(Region, u32)]) -> Result<Content, Fault> {
        let alike = pieces.iter().all(|p| p.0 == total.region && p.1 == pieces[0].1);
        self.spend(if alike { pieces.len() } else { pieces.len() * pieces.len() / 8 });
        // Where the walk stops, the reason has been reported.
        if pieces.is_empty() || self.is_stopped() {
            return Ok(total.clone());
        }
        let number =
            if alike { pieces[0].1 } else { self.joined(total.value, &total.region, pieces.to_vec())? };
        Ok(Content { number, ..total.clone() })
    }

    /// The number of pieces that tile a region.
    fn joined(&mut self, value: Value, whole: &Region, pieces: Vec<(Region, u32)>) -> Result<u32, Fault> {
        match tiles(whole, pieces.iter().map(|(region, _)| region)) {
            true => Ok(self.numbers.number(NumberTerm::Joined(pieces))),
            false => Err(Fault::P9Tiling { value, whole: whole.clone() }),
        }
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

    /// Why a content's pieces cannot be joined over axes.
    fn is_over(&self, c: &Content, over: &[AxisId]) -> Option<Fault> {
        let axis = c.family.as_ref()?.axes.iter().find(|a| over.contains(a))?;
        Some(Fault::P8Gathered { value: c.value, axis: self.facts.axis(*axis) })
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
            if let Some(fault) = self.is_over(first, &over) {
                return Err(fault);
            }
            if targets.iter().any(|t| *t != targets[0]) {
                return Err(Fault::P9Tiling { value, whole: targets[0].clone() });
            }
            let pieces = parts.iter().map(|c| (c.region.clone(), c.number)).collect();
            let number = self.joined(value, &targets[0], pieces)?;
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
