//! Breaks legal plans in every way: each mutant is rejected or still computes the step, and none makes the
//! checker panic.
//!
//! Accepted mutants are executed by the oracle. Harmless are, for example: a larger arena, scratch or chunk; a
//! buffer elsewhere in free memory; a free less; another model digest or reason; an idle claim.

use crate::execute;
use crate::plans::{self, Case};
use proptest::prelude::*;
use pullback_base::Id;
use pullback_ir::region::IntervalSet;
use pullback_ir::{DType, Monoid};
use pullback_plan::*;

/// Something in a plan that can be changed.
enum Field<'a> {
    Usize(&'a mut usize),
    U64(&'a mut u64),
    Buffer(&'a mut BufferId),
    Cut(&'a mut Option<CutId>),
    Axis(&'a mut AxisId),
    Value(&'a mut pullback_ir::Value),
    Instr(&'a mut pullback_ir::InstrId),
    Template(&'a mut TemplateId),
    Collective(&'a mut CollectiveId),
    Device(&'a mut DeviceId),
    Set(&'a mut IntervalSet),
    Monoid(&'a mut Monoid),
    DType(&'a mut DType),
    Kind(&'a mut CollectiveKind),
    AxisKind(&'a mut AxisKind),
    Pending(&'a mut Option<Pending>),
    Text(&'a mut String),
    Digest(&'a mut Digest),
    Events(&'a mut Vec<Event>),
    Length(&'a mut dyn Resize),
}

/// A list that can lose, repeat or swap entries.
trait Resize {
    fn resize(&mut self, way: u64);
}

impl<T: Clone> Resize for Vec<T> {
    fn resize(&mut self, way: u64) {
        let n = self.len();
        match way % 4 {
            0 => drop(self.pop()),
            1 if n > 0 => self.push(self[0].clone()),
            2 if n > 1 => self.swap(0, n - 1),
            _ if n > 1 => drop(self.remove(0)),
            _ => {}
        }
    }
}

const WAYS: u64 = 6;

fn id<I: Id>(id: &mut I, way: u64) {
    let i = id.index();
    *id = I::from_index([i + 1, i.saturating_sub(1), 0, i + 2, 1 << 20, i ^ 1][(way % WAYS) as usize]);
}

fn number(n: u64, way: u64) -> u64 {
    [n.wrapping_add(1), n.saturating_sub(1), 0, n.wrapping_add(64), u64::MAX, n.saturating_sub(64)]
        [(way % WAYS) as usize]
}

impl Field<'_> {
    fn change(self, way: u64) {
        match self {
            Field::Usize(n) => *n = number(*n as u64, way) as usize,
            Field::U64(n) => *n = number(*n, way),
            Field::Buffer(i) => id(i, way),
            Field::Axis(i) => id(i, way),
            Field::Value(i) => id(i, way),
            Field::Instr(i) => id(i, way),
            Field::Template(i) => id(i, way),
            Field::Collective(i) => id(i, way),
            Field::Device(i) => id(i, way),
            Field::Cut(c) => {
                *c = [None, Some(0), Some(1), Some(9), None, Some(2)][(way % WAYS) as usize]
                    .map(CutId::from_index);
            }
            Field::Set(s) => {
                let shifted = s.iter().map(|i| (i + 1, i + 2)).collect::<Vec<_>>();
                *s = match way % WAYS {
                    0 => IntervalSet::empty(),
                    1 => IntervalSet::from_intervals(shifted),
                    2 => IntervalSet::full(s.end() + 1),
                    3 => IntervalSet::interval(1, s.end()),
                    4 => IntervalSet::interval(0, usize::MAX),
                    _ => IntervalSet::interval(0, 1),
                }
            }
            Field::Monoid(m) => *m = Monoid::ALL[way as usize % Monoid::ALL.len()],
            Field::DType(t) => *t = DType::ALL[(way % 19 * 3) as usize % DType::ALL.len()],
            Field::Kind(k) => {
                let all =
                    [CollectiveKind::AllReduce, CollectiveKind::ReduceScatter, CollectiveKind::AllGather];
                *k = all[way as usize % 3];
            }
            Field::AxisKind(k) => *k = if *k == AxisKind::Space { AxisKind::Time } else { AxisKind::Space },
            Field::Pending(p) => {
                let axes = |a: &[usize]| a.iter().map(|&i| AxisId::from_index(i)).collect();
                let add = |a: &[usize]| Some(Pending { monoid: Monoid::Add, axes: axes(a) });
                *p = [None, add(&[0]), add(&[1]), add(&[0, 1]), add(&[]), add(&[1, 0])]
                    [(way % WAYS) as usize]
                    .clone();
            }
            Field::Text(t) => t.push('?'),
            Field::Digest(d) => *d = Digest::of(&way.to_le_bytes()),
            Field::Events(e) => events(e, way),
            Field::Length(list) => list.resize(way),
        }
    }
}

/// Drops, repeats, moves one event of a list, or wraps it into a loop.
fn events(list: &mut Vec<Event>, way: u64) {
    let n = list.len() as u64;
    if n == 0 {
        return;
    }
    let (at, to) = ((way / 5 % n) as usize, (way / 5 / n % n) as usize);
    match way % 5 {
        0 => drop(list.remove(at)),
        1 => list.insert(to, list[at].clone()),
        2 => list.swap(at, to),
        3 => {
            let moved = list.remove(at);
            list.insert(to.min(list.len()), moved);
        }
        _ => list[at] = Event::Loop { axis: AxisId::from_index(to % 3), body: vec![list[at].clone()] },
    }
}

fn layout(l: &mut Layout, f: &mut dyn FnMut(Field)) {
    l.dims.iter_mut().for_each(|c| f(Field::Cut(c)));
    f(Field::Length(&mut l.dims));
    f(Field::Pending(&mut l.pending));
    if let Some(p) = &mut l.pending {
        f(Field::Monoid(&mut p.monoid));
    }
}

fn in_events(list: &mut Vec<Event>, f: &mut dyn FnMut(Field)) {
    // The whole list is a field of its own, with a way per event and place.
    f(Field::Events(list));
    for event in list {
        match event {
            Event::Load { slot, into } => {
                f(Field::Usize(slot));
                f(Field::Buffer(into));
            }
            Event::Compute { template, inputs, outputs } => {
                f(Field::Template(template));
                [inputs, outputs].into_iter().for_each(|l| buffers(l, f));
            }
            Event::Combine { from, into, axis } | Event::Collect { from, into, axis } => {
                f(Field::Buffer(from));
                f(Field::Buffer(into));
                f(Field::Axis(axis));
            }
            Event::Collective { id, inputs, outputs } => {
                f(Field::Collective(id));
                [inputs, outputs].into_iter().for_each(|l| buffers(l, f));
            }
            Event::Loop { axis, body } => {
                f(Field::Axis(axis));
                in_events(body, f);
            }
            Event::Free { buffer } => f(Field::Buffer(buffer)),
            Event::Commit { next } => buffers(next, f),
            Event::Output { slot, from } => {
                f(Field::Usize(slot));
                f(Field::Buffer(from));
            }
        }
    }
}

fn buffers(list: &mut Vec<BufferId>, f: &mut dyn FnMut(Field)) {
    list.iter_mut().for_each(|b| f(Field::Buffer(b)));
    f(Field::Length(list));
}

/// Visits every field of a plan, in a fixed order.
fn fields(plan: &mut Plan, f: &mut dyn FnMut(Field)) {
    let id = &mut plan.identity;
    [&mut id.model, &mut id.strategy, &mut id.deployment, &mut id.step]
        .into_iter()
        .for_each(|d| f(Field::Digest(d)));
    for s in &mut plan.signature.state {
        f(Field::Usize(&mut s.arg));
        f(Field::Usize(&mut s.result));
    }
    plan.signature.batch.iter_mut().for_each(|s| f(Field::Usize(&mut s.arg)));
    plan.signature.outputs.iter_mut().for_each(|s| f(Field::Usize(&mut s.result)));
    f(Field::Length(&mut plan.signature.state));
    f(Field::Length(&mut plan.signature.outputs));
    for a in &mut plan.mesh.axes {
        f(Field::Text(&mut a.name));
        f(Field::AxisKind(&mut a.kind));
        f(Field::Usize(&mut a.size));
    }
    for p in &mut plan.mesh.places {
        f(Field::Text(&mut p.device));
        p.coord.iter_mut().for_each(|c| f(Field::Usize(c)));
        f(Field::Length(&mut p.coord));
    }
    f(Field::Length(&mut plan.mesh.axes));
    f(Field::Length(&mut plan.mesh.places));
    for c in plan.cuts.ids() {
        let cut = &mut plan.cuts[c];
        f(Field::Usize(&mut cut.size));
        cut.axes.iter_mut().for_each(|a| f(Field::Axis(a)));
        cut.sets.iter_mut().for_each(|s| f(Field::Set(s)));
        f(Field::Length(&mut cut.axes));
        f(Field::Length(&mut cut.sets));
    }
    for t in plan.templates.ids() {
        let t = &mut plan.templates[t];
        for op in &mut t.ops {
            f(Field::Instr(&mut op.instr));
            op.cuts.iter_mut().for_each(|c| f(Field::Cut(c)));
            f(Field::Length(&mut op.cuts));
        }
        f(Field::Length(&mut t.ops));
        for list in [&mut t.inputs, &mut t.outputs] {
            list.iter_mut().for_each(|v| f(Field::Value(v)));
            f(Field::Length(list));
        }
        f(Field::U64(&mut t.scratch));
    }
    for k in plan.collectives.ids() {
        let k = &mut plan.collectives[k];
        f(Field::Kind(&mut k.kind));
        f(Field::Monoid(&mut k.monoid));
        f(Field::DType(&mut k.dtype));
        k.axes.iter_mut().for_each(|a| f(Field::Axis(a)));
        f(Field::Length(&mut k.axes));
        for g in &mut k.groups {
            g.iter_mut().for_each(|d| f(Field::Device(d)));
            f(Field::Length(g));
        }
        f(Field::Length(&mut k.groups));
        f(Field::U64(&mut k.chunk));
        for item in &mut k.items {
            f(Field::Value(&mut item.value));
            layout(&mut item.from, f);
            layout(&mut item.to, f);
        }
        f(Field::Length(&mut k.items));
    }
    for d in plan.devices.ids() {
        let d = &mut plan.devices[d];
        for b in d.buffers.ids() {
            let b = &mut d.buffers[b];
            f(Field::Value(&mut b.value));
            layout(&mut b.layout, f);
            f(Field::U64(&mut b.offset));
            f(Field::U64(&mut b.bytes));
        }
        buffers(&mut d.entry, f);
        in_events(&mut d.events, f);
        f(Field::U64(&mut d.arena));
    }
    f(Field::Text(&mut plan.certificate.relation));
}

fn count(plan: &mut Plan) -> u64 {
    let mut n = 0;
    fields(plan, &mut |_| n += 1);
    n
}

fn mutate(plan: &mut Plan, field: u64, way: u64) {
    let mut i = 0;
    fields(plan, &mut |f| {
        if i == field {
            f.change(way);
        }
        i += 1;
    });
}

/// Rejected, or accepted and right.
fn judge(case: &Case) -> Result<bool, String> {
    match case.check() {
        Err(found) if found.is_empty() => Err("rejected without a reason".into()),
        Err(_) => Ok(false),
        Ok(_) => execute::run(case).map(|()| true),
    }
}

#[test]
fn every_field_in_every_way() {
    for case in plans::all() {
        let mut is_list = Vec::new();
        fields(&mut case.plan.clone(), &mut |f| is_list.push(matches!(f, Field::Events(_))));
        let (mut accepted, mut rejected) = (0, 0);
        for (field, is_list) in is_list.into_iter().enumerate() {
            // A list: five ways for eleven pairs of places.
            for way in 0..if is_list { 5 * 11 * 3 } else { WAYS } {
                let mut mutant = case.clone();
                mutate(&mut mutant.plan, field as u64, way);
                if mutant.plan == case.plan {
                    continue;
                }
                match judge(&mutant) {
                    Ok(true) => accepted += 1,
                    Ok(false) => rejected += 1,
                    Err(e) => panic!("{}: field {field}, way {way} is accepted, but {e}", case.name),
                }
            }
        }
        // Most changes matter; some do not, and both kinds occur.
        assert!(rejected > 4 * accepted && accepted > 20, "{}: {accepted}, {rejected}", case.name);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn several_changes_at_once(which in 0..plans::all().len(), changes in prop::collection::vec((any::<u64>(), any::<u64>()), 1..5)) {
        let mut case = plans::all().swap_remove(which);
        for (field, way) in changes {
            let n = count(&mut case.plan);
            mutate(&mut case.plan, field % n, way);
        }
        if let Err(e) = judge(&case) {
            prop_assert!(false, "{}: accepted, but {e}", case.name);
        }
    }
}
