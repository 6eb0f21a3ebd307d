//! Order: which ops run before, in and after the loop over turns, and which templates they make up.
//!
//! Ops are grouped by (phase, depth): depth counts the collectives a value waits for within its phase, so a
//! template holds everything that can run between two rounds of collectives.

use crate::lower::{Lowered, producer};
use crate::{Infeasible, Request};
use pullback_base::IdMap;
use pullback_ir::{InstrId, Program, Value};
use pullback_plan::CollectiveKind;
use std::collections::BTreeMap;

/// When something is there: before (0), in (1) or after (2) the loop, and after how many rounds of collectives.
pub(crate) type Slot = (u8, u32);

/// A value at one of its stages.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Stage {
    /// As it is produced or enters.
    Natural,
    /// After its turns are combined.
    Combined,
    /// After its collective.
    Held,
    /// The copy with fewer cuts.
    Gathered,
}

/// Which buffer: a value at a stage.
pub(crate) type Key = (Value, Stage);

/// One collective to be, before bucketing.
#[derive(Clone, Debug)]
pub(crate) struct Transfer {
    pub value: Value,
    pub kind: CollectiveKind,
    pub from: Stage,
    pub to: Stage,
}

/// A template to be.
#[derive(Clone, Debug, Default)]
pub(crate) struct Segment {
    /// Ops in program order, free ones included.
    pub ops: Vec<InstrId>,
    pub inputs: Vec<Key>,
    pub outputs: Vec<Value>,
}

/// The order of everything.
#[derive(Debug)]
pub(crate) struct Schedule {
    pub segments: BTreeMap<Slot, Segment>,
    /// Collectives that must end before the segment of the slot.
    pub transfers: BTreeMap<Slot, Vec<Transfer>>,
    /// Values combined over turns, by the depth in the loop at which they are produced.
    pub combines: BTreeMap<u32, Vec<Value>>,
    /// Batch slots loaded before the loop and in it.
    pub loads: [Vec<usize>; 2],
    /// The buffer of each result.
    pub results: Vec<Key>,
}

/// The stage at which readers see a value.
pub(crate) fn held_stage(l: &Lowered, v: Value) -> Stage {
    match &l.reshard[v] {
        r if r.collective.is_some() => Stage::Held,
        r if r.combine.is_some() => Stage::Combined,
        _ => Stage::Natural,
    }
}

pub(crate) fn schedule(request: &Request<'_>, l: &Lowered) -> Result<Schedule, Infeasible> {
    let program = request.step;
    let mut s = Schedule {
        segments: BTreeMap::new(),
        transfers: BTreeMap::new(),
        combines: BTreeMap::new(),
        loads: [Vec::new(), Vec::new()],
        results: Vec::new(),
    };
    let mut at = IdMap::<Value, Slot>::filled(program.n_values(), (0, 0));
    for (k, b) in request.signature.batch.iter().enumerate() {
        let v = program.args()[b.arg];
        let timed = l.natural[v].cut_axes(&l.cuts.table).iter().any(|&a| l.mesh.is_time(a));
        at[v] = (u8::from(timed), 0);
        s.loads[usize::from(timed)].push(k);
    }
    for &a in program.args() {
        s.transfer(l, a, &at);
    }
    for (id, instr) in program.instrs().iter().filter(|(id, _)| !l.free[*id]) {
        let slot = slot_of(program, l, id, &at)?;
        instr.results().iter().for_each(|&v| at[v] = slot);
    }
    sink(program, l, &mut at);
    for (id, instr) in program.instrs().iter().filter(|(id, _)| !l.free[*id]) {
        s.segments.entry(at[instr.results()[0]]).or_default().ops.push(id);
        instr.results().iter().for_each(|&v| s.transfer(l, v, &at));
    }
    for (k, &v) in program.results().iter().enumerate() {
        let stage = if l.result_gathered[k] { Stage::Gathered } else { held_stage(l, v) };
        s.results.push((v, stage));
    }
    s.borders(program, l);
    Ok(s)
}

/// Moves what could run before the loop but is read only after it (the optimizer's scaling of its state) to where
/// it is read, so that it takes no buffer meanwhile.
fn sink(program: &Program, l: &Lowered, at: &mut IdMap<Value, Slot>) {
    let uses = program.uses();
    for id in program.instrs().ids().rev().filter(|&id| !l.free[id]) {
        let results = program.instr(id).results();
        let stays = results.iter().any(|v| {
            let moved = l.reshard[*v].combine.is_some() || l.reshard[*v].collective.is_some();
            moved || l.gathered[*v].is_some() || program.results().contains(v)
        });
        let readers = results.iter().flat_map(|&v| &uses[v]).map(|&r| at[program.instr(r).results()[0]]);
        match readers.min() {
            Some(slot) if at[results[0]].0 == 0 && slot.0 == 2 && !stays => {
                results.iter().for_each(|&v| at[v] = slot);
            }
            Some(_) | None => {}
        }
    }
}

/// The slot at which an op can run, from the slots at which readers see its operands.
fn slot_of(program: &Program, l: &Lowered, id: InstrId, at: &IdMap<Value, Slot>) -> Result<Slot, Infeasible> {
    let instr = program.instr(id);
    let timed =
        l.factors[id].iter().flatten().any(|c| l.cuts.table[*c].axes.iter().any(|&a| l.mesh.is_time(a)));
    let mut slot = (u8::from(timed), 0);
    let (mut looped, mut statistic) = (timed, None);
    for (i, &v) in instr.operands().iter().enumerate() {
        if l.is_free(program, v) {
            continue;
        }
        let seen = seen_at(l, v, l.reads_gathered[id][i], at[v]);
        looped |= seen.0 == 1;
        if seen.0 == 2 {
            statistic = statistic.or(Some(v));
        }
        slot = slot.max(seen);
    }
    if let Some(v) = statistic.filter(|_| looped) {
        let axis = l.time.map_or("", |a| &l.mesh.axis(a).name);
        let made = producer(program, v).map_or("", |id| program.instr(id).op().name());
        let v = format!("{made} {}", program.display_name(v));
        return Err(Infeasible::new(format!(
            "unsupported: {} {} is computed turn by turn of time axis {axis:?} but reads {v}, which is there after all turns alone (a batch statistic): that takes a second pass",
            instr.op().name(),
            program.display_name(instr.results()[0])
        ))
        .with_help(format!(
            "take one turn (size = 1 for axis {axis:?}), or leave {axis:?} out of the constraints that cut what {v} is made of"
        )));
    }
    Ok(slot)
}

/// When a reader sees a value that is produced at `made`.
fn seen_at(l: &Lowered, v: Value, gathered: bool, made: Slot) -> Slot {
    let r = &l.reshard[v];
    let mut slot = if r.combine.is_some() { (2, 0) } else { made };
    slot.1 += u32::from(r.collective.is_some()) + u32::from(gathered);
    slot
}

impl Schedule {
    /// Notes the reshards of a value produced at `at[v]`.
    fn transfer(&mut self, l: &Lowered, v: Value, at: &IdMap<Value, Slot>) {
        let r = &l.reshard[v];
        let made = at[v];
        if r.combine.is_some() {
            self.combines.entry(made.1).or_default().push(v);
        }
        if let Some((kind, _)) = &r.collective {
            let from = if r.combine.is_some() { Stage::Combined } else { Stage::Natural };
            let t = Transfer { value: v, kind: *kind, from, to: Stage::Held };
            self.transfers.entry(seen_at(l, v, false, made)).or_default().push(t);
        }
        if l.gathered[v].is_some() {
            let t = Transfer {
                value: v,
                kind: CollectiveKind::AllGather,
                from: held_stage(l, v),
                to: Stage::Gathered,
            };
            self.transfers.entry(seen_at(l, v, true, made)).or_default().push(t);
        }
    }

    /// Adds free ops to the segments, and finds what each reads and writes.
    fn borders(&mut self, program: &Program, l: &Lowered) {
        let mut made_in = IdMap::<Value, Option<Slot>>::filled(program.n_values(), None);
        for (&slot, segment) in &self.segments {
            for &id in &segment.ops {
                program.instr(id).results().iter().for_each(|&v| made_in[v] = Some(slot));
            }
        }
        let mut wanted = IdMap::<Value, bool>::filled(program.n_values(), false);
        for (v, _) in &self.results {
            wanted[*v] = true;
        }
        for v in program.value_ids() {
            let r = &l.reshard[v];
            wanted[v] |= r.combine.is_some() || r.collective.is_some() || l.gathered[v].is_some();
        }
        for (&slot, segment) in &mut self.segments {
            let mut ops = segment.ops.clone();
            let mut inputs: BTreeMap<Value, Stage> = BTreeMap::new();
            let mut queue = ops.clone();
            let mut have = IdMap::<InstrId, bool>::filled(program.instrs().len(), false);
            while let Some(id) = queue.pop() {
                for (i, &v) in program.instr(id).operands().iter().enumerate() {
                    match producer(program, v) {
                        Some(p) if l.free[p] => {
                            if !have[p] {
                                have[p] = true;
                                ops.push(p);
                                queue.push(p);
                            }
                        }
                        _ => {
                            let stage =
                                if l.reads_gathered[id][i] { Stage::Gathered } else { held_stage(l, v) };
                            if made_in[v] != Some(slot) || stage != Stage::Natural {
                                let s = inputs.entry(v).or_insert(stage);
                                *s = (*s).max(stage);
                                wanted[v] |= stage == Stage::Natural;
                            }
                        }
                    }
                }
            }
            ops.sort_unstable();
            segment.ops = ops;
            segment.inputs = inputs.into_iter().collect();
        }
        for segment in self.segments.values_mut() {
            let ops = segment.ops.iter().filter(|&&id| !l.free[id]);
            let made = ops.flat_map(|&id| program.instr(id).results());
            segment.outputs = made.copied().filter(|&v| wanted[v]).collect();
        }
    }
}
