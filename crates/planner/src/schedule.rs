//! Order: which templates the ops make up, and what is loaded, moved and combined between them.
//!
//! Ops are grouped by slot: their phase (see `sweeps`), and the collectives they wait for within it. So a template
//! holds everything that can run between two rounds of collectives.

use crate::Request;
use crate::forms::Form;
use crate::lower::{Lowered, producer};
use crate::sweeps::{Slot, Sweeps};
use pullback_base::IdMap;
use pullback_ir::{InstrId, Program, Value, ValueDef};
use pullback_plan::CollectiveKind;
use std::collections::BTreeMap;

/// A value at one of its stages.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Stage {
    /// As it is produced or enters.
    Natural,
    /// The turn's part of a batch argument, as this loop loads it.
    Loaded(u32),
    /// After its turns are combined.
    Combined,
    /// After its collective.
    Held,
    /// The copy with fewer cuts over devices.
    Gathered,
    /// The parts of all turns.
    Collected,
    /// The parts of all turns, with fewer cuts over devices.
    Whole,
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
    /// Values combined over turns, by the slot in which they are produced.
    pub combines: BTreeMap<Slot, Vec<Value>>,
    /// Values of which all turns are kept, by the slot after which a turn's part is there, and its stage.
    pub collects: BTreeMap<Slot, Vec<Key>>,
    /// Batch slots loaded in each phase, and into what.
    pub loads: BTreeMap<u32, Vec<(usize, Stage)>>,
    /// The buffer of each result.
    pub results: Vec<Key>,
    /// The last phase.
    pub last: u32,
}

/// The stage at which readers see a value.
pub(crate) fn held_stage(l: &Lowered, v: Value) -> Stage {
    match &l.reshard[v] {
        r if r.collective.is_some() => Stage::Held,
        r if r.combine.is_some() => Stage::Combined,
        _ => Stage::Natural,
    }
}

/// The stage at which a segment of a phase reads a form of a value.
fn stage(l: &Lowered, p: &Sweeps, v: Value, form: Form, phase: u32) -> Stage {
    match form {
        Form::Held if p.loaded[v] => Stage::Loaded(phase),
        Form::Held => held_stage(l, v),
        Form::Gathered => Stage::Gathered,
        Form::Collected => Stage::Collected,
        Form::Whole => Stage::Whole,
    }
}

pub(crate) fn schedule(request: &Request<'_>, l: &Lowered, p: &Sweeps) -> Schedule {
    let program = request.step;
    let mut s = Schedule {
        segments: BTreeMap::new(),
        transfers: BTreeMap::new(),
        combines: BTreeMap::new(),
        collects: BTreeMap::new(),
        loads: BTreeMap::new(),
        results: Vec::new(),
        last: 0,
    };
    for &a in program.args() {
        s.transfer(l, p, a);
    }
    for (id, instr) in program.instrs().iter().filter(|(id, _)| !l.free[*id]) {
        s.segments.entry(p.at[instr.results()[0]]).or_default().ops.push(id);
        instr.results().iter().for_each(|&v| s.transfer(l, p, v));
    }
    s.results =
        program.results().iter().zip(&l.results).map(|(&v, &form)| (v, stage(l, p, v, form, 0))).collect();
    s.borders(program, l, p);
    s.loads(request, l, p);
    let phases =
        s.segments.keys().chain(s.transfers.keys()).chain(s.combines.keys()).chain(s.collects.keys());
    s.last = phases.map(|slot| slot.0).chain(s.loads.keys().copied()).max().unwrap_or(0);
    s
}

impl Schedule {
    /// Notes how a value comes to its further stages.
    fn transfer(&mut self, l: &Lowered, p: &Sweeps, v: Value) {
        let (r, forms) = (&l.reshard[v], &l.forms[v]);
        if r.combine.is_some() {
            self.combines.entry(p.at[v]).or_default().push(v);
        }
        let held = stage(l, p, v, Form::Held, p.at[v].0);
        let mut moves = Vec::new();
        if let Some((kind, _)) = &r.collective {
            let from = if r.combine.is_some() { Stage::Combined } else { Stage::Natural };
            moves.push((Form::Held, *kind, from, Stage::Held));
        }
        if forms.gathered.is_some() {
            moves.push((Form::Gathered, CollectiveKind::AllGather, held, Stage::Gathered));
        }
        if forms.is_collected() && !p.loaded[v] {
            self.collects.entry(p.seen(l, v, Form::Held)).or_default().push((v, held));
        }
        if forms.whole.is_some() {
            moves.push((Form::Whole, CollectiveKind::AllGather, Stage::Collected, Stage::Whole));
        }
        for (form, kind, from, to) in moves {
            let at = self.transfers.entry(p.seen(l, v, form)).or_default();
            at.push(Transfer { value: v, kind, from, to });
        }
    }

    /// What is loaded where: what no turn cuts before all loops, parts of turns in the loops that read them.
    fn loads(&mut self, request: &Request<'_>, l: &Lowered, p: &Sweeps) {
        let program = request.step;
        for (slot, b) in request.signature.batch.iter().enumerate() {
            let v = program.args()[b.arg];
            if !p.loaded[v] {
                self.loads.entry(0).or_default().push((slot, Stage::Natural));
                continue;
            }
            if l.forms[v].is_collected() {
                self.loads.entry(0).or_default().push((slot, Stage::Collected));
            }
            let read = self.segments.iter().map(|(at, segment)| (at.0, &segment.inputs));
            let mut phases: Vec<u32> = read
                .filter(|(phase, inputs)| inputs.contains(&(v, Stage::Loaded(*phase))))
                .map(|(phase, _)| phase)
                .chain(l.forms[v].gathered.is_some().then_some(p.at[v].0))
                .collect();
            phases.sort_unstable();
            phases.dedup();
            for phase in phases {
                self.loads.entry(phase).or_default().push((slot, Stage::Loaded(phase)));
            }
        }
    }

    /// Adds to the segments the free ops and those that are run again, and finds what each reads and writes.
    fn borders(&mut self, program: &Program, l: &Lowered, p: &Sweeps) {
        let mut wanted = IdMap::<Value, bool>::filled(program.n_values(), false);
        for (v, _) in &self.results {
            wanted[*v] = true;
        }
        for v in program.value_ids() {
            let r = &l.reshard[v];
            wanted[v] |= r.combine.is_some() || r.collective.is_some() || l.forms[v].any();
        }
        for (&slot, segment) in &mut self.segments {
            let mut ops = segment.ops.clone();
            let mut inputs: BTreeMap<Value, Stage> = BTreeMap::new();
            let mut queue = ops.clone();
            let mut have = IdMap::<InstrId, bool>::filled(program.instrs().len(), false);
            while let Some(id) = queue.pop() {
                for (i, &v) in program.instr(id).operands().iter().enumerate() {
                    let past = l.reads[id][i] == Form::Held && p.is_past(program, l, v, slot.0);
                    let pulled = match producer(program, v) {
                        Some(by) if l.free[by] => Some(by),
                        Some(_) if past => p.repeated(program, l, v),
                        Some(_) | None => None,
                    };
                    if let Some(by) = pulled {
                        if !have[by] {
                            have[by] = true;
                            ops.push(by);
                            queue.push(by);
                        }
                        continue;
                    }
                    let form = if past { Form::Collected } else { l.reads[id][i] };
                    let stage = stage(l, p, v, form, slot.0);
                    let is_here = matches!(program.def(v), ValueDef::Result(..)) && p.at[v] == slot;
                    if !is_here || stage != Stage::Natural {
                        // Of several stages a segment reads the last: here it has what the others have.
                        let s = inputs.entry(v).or_insert(stage);
                        *s = (*s).max(stage);
                        wanted[v] |= stage == Stage::Natural;
                    }
                }
            }
            ops.sort_unstable();
            segment.ops = ops;
            segment.inputs = inputs.into_iter().collect();
        }
        for (slot, segment) in &mut self.segments {
            let made =
                segment.ops.iter().filter(|&&id| !l.free[id]).flat_map(|&id| program.instr(id).results());
            segment.outputs = made.copied().filter(|&v| wanted[v] && p.at[v] == *slot).collect();
        }
    }
}
