//! Sweeps over the turns: in which loop each op runs.
//!
//! Phases alternate: 0 is before the first loop over the turns, 1 in it, 2 after it, 3 in the second, and so on. An op
//! that reads turn by turn what is there after all turns alone (a batch statistic, a value that was needed whole) runs
//! in the next loop. A loop that reads what turns of an earlier one made finds the parts of all turns kept, or computes
//! them again where that costs no more than a few ops of elementwise work (what a contraction made is never computed
//! twice).

use crate::Request;
use crate::forms::Form;
use crate::lower::{Lowered, producer};
use pullback_base::IdMap;
use pullback_ir::{InstrId, Op, Program, Value};
use std::collections::BTreeSet;

/// When something is there: the phase, and after how many rounds of collectives within it.
pub(crate) type Slot = (u32, u32);

/// Most ops, one after the other, that a later loop runs again. A residual stream would be run again from its start by each
/// of many loops.
const MAX_CHAIN: usize = 32;

/// Whether a phase is a loop.
pub(crate) fn is_loop(phase: u32) -> bool {
    phase % 2 == 1
}

/// When everything is there.
#[derive(Debug)]
pub(crate) struct Sweeps {
    /// Where each value is produced; batch arguments that turns load are in every loop.
    pub at: IdMap<Value, Slot>,
    /// Ops that later loops compute again.
    pub again: IdMap<InstrId, bool>,
    /// What depends on the batch, not on state alone.
    of_batch: IdMap<Value, bool>,
    /// Batch arguments of which each turn loads its part.
    pub loaded: IdMap<Value, bool>,
    /// What is there after all turns alone, and read turn by turn: it takes another loop.
    pub waited: BTreeSet<Value>,
}

/// Assigns ops to phases; or gives values that must not stay pending, since their readers are in another loop.
pub(crate) fn assign(request: &Request<'_>, l: &mut Lowered) -> Result<Sweeps, BTreeSet<Value>> {
    let program = request.step;
    let n = program.n_values();
    let mut p = Sweeps {
        at: IdMap::filled(n, (0, 0)),
        again: IdMap::filled(program.instrs().len(), false),
        of_batch: IdMap::filled(n, false),
        loaded: IdMap::filled(n, false),
        waited: BTreeSet::new(),
    };
    for b in &request.signature.batch {
        let v = program.args()[b.arg];
        p.of_batch[v] = true;
        p.loaded[v] = l.is_cut_by_time(v);
        p.at[v] = (u32::from(p.loaded[v]), 0);
    }
    p.load_one_form(program, l);
    let mut early = BTreeSet::new();
    let placed: Vec<InstrId> = program.instrs().ids().filter(|&id| !l.free[id]).collect();
    for &id in &placed {
        let slot = p.earliest(program, l, id, &mut early);
        let of_batch = program.instr(id).operands().iter().any(|&v| p.of_batch[v]);
        program.instr(id).results().iter().for_each(|&v| {
            (p.at[v], p.of_batch[v]) = (slot, of_batch);
        });
    }
    if !early.is_empty() {
        return Err(early);
    }
    for (k, &v) in program.results().iter().enumerate() {
        if is_loop(p.seen(l, v, l.results[k]).0) {
            l.results[k] = l.of_all_turns(v, l.results[k]);
        }
    }
    p.sink(program, l, &placed);
    p.keep(program, l, &placed);
    Ok(p)
}

impl Sweeps {
    /// When a reader sees a value.
    pub fn seen(&self, l: &Lowered, v: Value, form: Form) -> Slot {
        let r = &l.reshard[v];
        let mut held = if r.combine.is_some() { (self.at[v].0 + 1, 0) } else { self.at[v] };
        held.1 += u32::from(r.collective.is_some());
        let collected = if self.loaded[v] { (0, 0) } else { (held.0 + 1, 0) };
        match form {
            Form::Held => held,
            Form::Gathered => (held.0, held.1 + 1),
            Form::Collected => collected,
            Form::Whole => (collected.0, collected.1 + 1),
        }
    }

    /// Of a batch argument that is loaded at once too, all is there in every loop: nobody gathers parts of turns, of which
    /// one op might want this turn's and another all turns' of a part.
    fn load_one_form(&self, program: &Program, l: &mut Lowered) {
        for &v in program.args().iter().filter(|&&v| self.loaded[v]) {
            if l.forms[v].gathered.is_none() || !l.forms[v].is_collected() {
                continue;
            }
            for (id, instr) in program.instrs().iter() {
                for (i, _) in instr.operands().iter().enumerate().filter(|(_, o)| **o == v) {
                    if l.reads[id][i] == Form::Gathered {
                        l.reads[id][i] = l.of_all_turns(v, Form::Gathered);
                    }
                }
            }
            l.forms[v].gathered = None;
        }
    }

    /// The first slot at which an op can run.
    fn earliest(
        &mut self,
        program: &Program,
        l: &mut Lowered,
        id: InstrId,
        early: &mut BTreeSet<Value>,
    ) -> Slot {
        let mut by_turns = l.factors[id].iter().flatten().any(|&c| l.is_timed(c));
        let (mut outside, mut inside, mut waited) = ((0, 0), Vec::new(), Vec::new());
        for (i, &v) in program.instr(id).operands().iter().enumerate() {
            let form = l.reads[id][i];
            let seen = self.seen(l, v, form);
            if l.is_free(program, v) {
                continue;
            } else if self.loaded[v] && form == Form::Held {
                by_turns = true;
            } else if is_loop(seen.0) {
                // What all turns make alike is there after any of them.
                by_turns |= l.is_cut_by_time(v) || l.is_pending_in_time(v);
                inside.push((i, v, seen));
            } else {
                outside = outside.max(seen);
                waited.extend((seen.0 > 0).then_some(v));
            }
        }
        let last = inside.iter().map(|(_, _, seen)| seen.0).max().unwrap_or(0);
        let phase = if by_turns || last > outside.0 { last.max(outside.0 + 1) } else { outside.0 };
        let mut depth = if is_loop(phase) { 0 } else { outside.1 };
        for (i, v, seen) in inside {
            if seen.0 == phase {
                depth = depth.max(seen.1);
            } else if l.is_pending_in_time(v) {
                early.insert(v);
            } else if l.reads[id][i] == Form::Gathered || !l.is_cut_by_time(v) {
                l.reads[id][i] = l.of_all_turns(v, l.reads[id][i]);
                let seen = self.seen(l, v, l.reads[id][i]);
                depth = if seen.0 == phase { depth.max(seen.1) } else { depth };
            }
        }
        if is_loop(phase) {
            self.waited.extend(waited);
        }
        (phase, depth)
    }

    /// Moves ops that nothing reads before a later phase to it, so that their results take no buffer meanwhile, where their
    /// operands take no more than these would.
    fn sink(&mut self, program: &Program, l: &Lowered, placed: &[InstrId]) {
        let uses = program.uses();
        for &id in placed.iter().rev() {
            let results = program.instr(id).results();
            let stays = results.iter().any(|&v| {
                let moved = l.reshard[v].combine.is_some() || l.reshard[v].collective.is_some();
                moved || l.forms[v].any() || program.results().contains(&v)
            });
            let readers =
                results.iter().flat_map(|&v| &uses[v]).map(|&r| self.at[program.instr(r).results()[0]]);
            let (now, Some(reader)) = (self.at[results[0]], readers.min()) else { continue };
            if stays || reader.0 <= now.0 || is_loop(reader.0) != is_loop(now.0) {
                continue;
            }
            let to = match self.may_sink(program, l, id) {
                true if is_loop(now.0) => (reader.0, 0),
                true => reader,
                false => continue,
            };
            results.iter().for_each(|&v| self.at[v] = to);
        }
    }

    /// Whether an op takes no more than it gives, apart from what follows from state, and what each loop loads or
    /// has anyway.
    fn may_sink(&self, program: &Program, l: &Lowered, id: InstrId) -> bool {
        let mut takes = 0;
        let in_loop = is_loop(self.at[program.instr(id).results()[0]].0);
        for (i, &v) in program.instr(id).operands().iter().enumerate() {
            let looped = is_loop(self.seen(l, v, l.reads[id][i]).0);
            if l.is_free(program, v) || !self.of_batch[v] || in_loop && !looped {
                continue;
            }
            if looped && (l.reads[id][i] != Form::Held || l.reshard[v].collective.is_some()) {
                return false;
            }
            let there = in_loop && (self.loaded[v] || l.forms[v].is_collected());
            takes += if there { 0 } else { program.ty(v).bytes() };
        }
        takes <= program.instr(id).results().iter().map(|&v| program.ty(v).bytes()).sum()
    }

    /// Decides what later loops compute again, and asks for all turns of the rest that they read.
    fn keep(&mut self, program: &Program, l: &mut Lowered, placed: &[InstrId]) {
        let mut chain = IdMap::<InstrId, usize>::filled(program.instrs().len(), 0);
        for &id in placed {
            let makers = program.instr(id).operands().iter().filter_map(|&v| producer(program, v));
            let longest = makers.filter(|&by| self.again[by]).map(|by| chain[by]).max().unwrap_or(0);
            chain[id] = longest + 1;
            self.again[id] = longest < MAX_CHAIN && self.is_again(program, l, id);
        }
        let mut seen = BTreeSet::new();
        for &root in placed {
            let phase = self.at[program.instr(root).results()[0]].0;
            let mut queue = vec![root];
            while let Some(id) = queue.pop() {
                for (i, &v) in program.instr(id).operands().iter().enumerate() {
                    if l.reads[id][i] != Form::Held || !self.is_past(program, l, v, phase) {
                        continue;
                    }
                    match self.repeated(program, l, v) {
                        Some(by) if seen.insert((phase, by)) => queue.push(by),
                        Some(_) => {}
                        None => {
                            l.collect(v);
                        }
                    }
                }
            }
        }
    }

    /// Whether a loop reads what an earlier one made turn by turn.
    pub fn is_past(&self, program: &Program, l: &Lowered, v: Value, phase: u32) -> bool {
        let made = self.seen(l, v, Form::Held).0;
        is_loop(phase) && is_loop(made) && made < phase && !self.loaded[v] && !l.is_free(program, v)
    }

    /// The op that later loops run again for this value.
    pub fn repeated(&self, program: &Program, l: &Lowered, v: Value) -> Option<InstrId> {
        producer(program, v).filter(|&id| self.again[id] && !l.forms[v].is_collected())
    }

    /// Whether an op of a loop is cheap and reads nothing that is gathered or combined in the loop.
    fn is_again(&self, program: &Program, l: &Lowered, id: InstrId) -> bool {
        let instr = program.instr(id);
        let plain = |v: Value| {
            let r = &l.reshard[v];
            r.combine.is_none() && r.collective.is_none() && l.held[v].pending.is_none()
        };
        let mut operands = instr.operands().iter().enumerate();
        let reads = operands.all(|(i, &v)| {
            let form = l.reads[id][i];
            l.is_free(program, v) || !is_loop(self.seen(l, v, form).0) || form == Form::Held
        });
        let made = self.at[instr.results()[0]];
        is_loop(made.0) && is_light(instr.op()) && instr.results().iter().all(|&v| plain(v)) && reads
    }
}

/// Whether an op costs no more than a pass over its elements.
fn is_light(op: &Op) -> bool {
    match op {
        Op::Constant(_)
        | Op::Iota { .. }
        | Op::Unary(_)
        | Op::Binary(_)
        | Op::Compare { .. }
        | Op::Select
        | Op::Clamp
        | Op::Convert { .. }
        | Op::BroadcastInDim { .. }
        | Op::Reshape { .. }
        | Op::Transpose { .. }
        | Op::Slice { .. }
        | Op::Concatenate { .. }
        | Op::Pad { .. }
        | Op::Reverse { .. }
        | Op::BitcastConvert { .. }
        | Op::ReducePrecision { .. } => true,
        Op::DotGeneral(_)
        | Op::Convolution(_)
        | Op::Reduce { .. }
        | Op::Gather(_)
        | Op::Scatter { .. }
        | Op::DynamicSlice { .. }
        | Op::DynamicUpdateSlice
        | Op::ReduceWindow { .. }
        | Op::SelectAndScatter { .. }
        | Op::Argsort { .. }
        | Op::Fft { .. }
        | Op::Linalg(_)
        | Op::RngBitGenerator { .. }
        | Op::Communicate(_)
        | Op::While { .. }
        | Op::Case { .. }
        | Op::Composite(_)
        | Op::Custom(_) => false,
    }
}
