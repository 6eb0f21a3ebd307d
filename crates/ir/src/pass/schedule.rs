//! Orders instructions so that less memory is live at once under program order ([`crate::count::peak_live`]).
//!
//! An instruction goes down to right before its first reader where its results are larger than what it would keep
//! alive for that, and in another try first up to where its operands are made where these are larger and end with it.
//! What costs no arithmetic and comes of less (constants, iotas, broadcasts) is made again for each
//! reader instead of kept. Values stay the same bits; where nothing is gained, so does the program.

use super::rewrite::Rewriter;
use crate::count::live_bytes;
use crate::infer::TypeError;
use crate::op::Op;
use crate::program::{Instr, InstrId, Program, Value, ValueDef};
use pullback_base::{Id, IdMap};

/// Results below this many bytes are left where they are: moving them gains nothing anyone would see.
const SMALL: usize = 64;

/// Rounds in which what is live at the peak becomes made again; each but the last lowered the peak or its crowd.
const ROUNDS: usize = 64;

pub(super) fn schedule(program: &Program) -> Result<Program, TypeError> {
    let as_written: Vec<InstrId> = program.instrs().iter().map(|(id, _)| id).collect();
    let least = peak(program, &as_written).0;
    let (sunk, most) = lowered(program, least)?;
    let order = raised(program);
    if order == as_written {
        return Ok(sunk);
    }
    let raised = emit(program, &order)?;
    let (raised, bytes) = lowered(&raised, peak(&raised, &as_written).0)?;
    Ok(if bytes < most { raised } else { sunk })
}

/// The program in a better order, and its peak; as it is, with the peak `least`, where there is none.
fn lowered(program: &Program, mut least: u64) -> Result<(Program, u64), TypeError> {
    let mut best = None;
    let order = sunk(program);
    // Values that are made again for each reader.
    let mut remade = IdMap::filled(program.n_values(), false);
    for _ in 0..ROUNDS {
        let sequence = sequence(program, &order, &remade);
        let (bytes, at) = peak(program, &sequence);
        let crowd = live_during(program, &sequence, at);
        if bytes < least {
            (least, best) = (bytes, Some(sequence));
        }
        let more: Vec<Value> =
            crowd.into_iter().filter(|&v| !remade[v] && again(program, v).is_some()).collect();
        if more.is_empty() {
            break;
        }
        more.into_iter().for_each(|v| remade[v] = true);
    }
    let better = best.map_or_else(|| Ok(program.clone()), |sequence| emit(program, &sequence))?;
    Ok((better, least))
}

/// The instructions in an order where each that writes no more than what ends with it comes right after what it reads
/// and after who else reads what ends.
fn raised(program: &Program) -> Vec<InstrId> {
    let n = program.instrs().len();
    // Per value, the place it is made or read last so far: the index of an instruction that stays, and how many went
    // after it.
    let start = (0, 0);
    let mut made = IdMap::<Value, (usize, usize)>::filled(program.n_values(), start);
    let mut read = IdMap::<Value, (usize, usize)>::filled(program.n_values(), start);
    let mut readers_left = IdMap::<Value, usize>::filled(program.n_values(), 0);
    for instr in program.instrs().values() {
        instr.operands().iter().for_each(|&v| readers_left[v] += 1);
    }
    program.results().iter().for_each(|&r| readers_left[r] += 1);
    let mut after: Vec<Vec<InstrId>> = vec![Vec::new(); n];
    // Constants are in nobody's way: they go down to their readers afterwards.
    let mut first = Vec::new();
    for (id, instr) in program.instrs().iter() {
        let made_of_nothing = instr.operands().is_empty() && !instr.results().is_empty();
        if made_of_nothing && instr.results().iter().all(|&r| again(program, r).is_some()) {
            first.push(id);
            continue;
        }
        instr.operands().iter().for_each(|&v| readers_left[v] -= 1);
        let (mut ends, mut earliest) = (0, start);
        for (i, &v) in instr.operands().iter().enumerate() {
            let held = matches!(program.def(v), ValueDef::Arg(_)) || again(program, v).is_some();
            if readers_left[v] == 0 && !held && !instr.operands()[..i].contains(&v) {
                ends += program.ty(v).bytes();
                earliest = earliest.max(read[v]);
            }
            earliest = earliest.max(made[v]);
        }
        let written: usize = instr.results().iter().map(|&r| program.ty(r).bytes()).sum();
        let rises = written >= SMALL && ends >= written && !instr.op().communicates();
        let place = if rises {
            after[earliest.0].push(id);
            (earliest.0, after[earliest.0].len())
        } else {
            (id.index(), 0)
        };
        instr.operands().iter().for_each(|&v| read[v] = read[v].max(place));
        instr.results().iter().for_each(|&r| made[r] = place);
    }
    let mut moved = vec![false; n];
    after.iter().flatten().chain(&first).for_each(|id| moved[id.index()] = true);
    let mut order = first;
    for (i, put) in after.iter().enumerate() {
        if !moved[i] {
            order.push(InstrId::from_index(i));
        }
        order.extend(put);
    }
    order
}

/// The most bytes live at once, and the first step of which that is so.
fn peak(program: &Program, sequence: &[InstrId]) -> (u64, usize) {
    let during = live_bytes(program, sequence, true);
    let first_largest = |best: (u64, usize), (at, &bytes): (usize, &u64)| {
        if bytes > best.0 { (bytes, at) } else { best }
    };
    during.iter().enumerate().fold((0, 0), first_largest)
}

/// A place in the new order: the old instruction that stays, and how many are put before it later than this one.
type Place = (usize, std::cmp::Reverse<usize>);

/// The instructions in their new order.
fn sunk(program: &Program) -> Vec<InstrId> {
    let n = program.instrs().len();
    let end = (n, std::cmp::Reverse(0));
    // Per value: its first and last reader so far; readers come later in the old order, so all of an instruction's are
    // placed before it is.
    let mut first = IdMap::<Value, Option<Place>>::filled(program.n_values(), None);
    let mut last = IdMap::<Value, Option<Place>>::filled(program.n_values(), None);
    for &r in program.results() {
        (first[r], last[r]) = (Some(end), Some(end));
    }
    // What is put right before each instruction that stays, in reverse.
    let mut before: Vec<Vec<InstrId>> = vec![Vec::new(); n + 1];
    let instrs: Vec<(InstrId, &Instr)> = program.instrs().iter().collect();
    for &(id, instr) in instrs.iter().rev() {
        let reader = instr.results().iter().filter_map(|&r| first[r]).min();
        let place = match reader {
            Some((anchor, _)) if anchor > id.index() && sinks(program, instr, anchor, &last) => {
                before[anchor].push(id);
                (anchor, std::cmp::Reverse(before[anchor].len()))
            }
            _ => (id.index(), std::cmp::Reverse(0)),
        };
        // What is made again is made wherever it is read.
        let remade = instr.results().first().filter(|&&r| again(program, r).is_some());
        let (from, to) = match remade {
            Some(&r) => (first[r].unwrap_or(place), last[r].unwrap_or(place)),
            None => (place, place),
        };
        for &v in instr.operands() {
            first[v] = Some(first[v].map_or(from, |p| p.min(from)));
            last[v] = Some(last[v].map_or(to, |p| p.max(to)));
        }
    }
    let moved: Vec<bool> = {
        let mut moved = vec![false; n];
        before.iter().flatten().for_each(|id| moved[id.index()] = true);
        moved
    };
    let mut order = Vec::with_capacity(n);
    for (i, put) in before.iter().enumerate() {
        order.extend(put.iter().rev());
        if i < n && !moved[i] {
            order.push(InstrId::from_index(i));
        }
    }
    order
}

/// Whether an instruction is better off right before `anchor`: what it reads and nothing else would then is
/// smaller than what it writes.
fn sinks(program: &Program, instr: &Instr, anchor: usize, last: &IdMap<Value, Option<Place>>) -> bool {
    let written: usize = instr.results().iter().map(|&r| program.ty(r).bytes()).sum();
    if written < SMALL || instr.op().communicates() {
        return false;
    }
    let mut kept = 0;
    for (i, &v) in instr.operands().iter().enumerate() {
        let lives = last[v].is_some_and(|(at, _)| at >= anchor);
        let held = matches!(program.def(v), ValueDef::Arg(_)) || again(program, v).is_some();
        if !lives && !held && !instr.operands()[..i].contains(&v) {
            kept += program.ty(v).bytes();
        }
    }
    kept < written
}

/// The instruction that makes a value of less, without arithmetic.
fn again(program: &Program, v: Value) -> Option<&Instr> {
    let ValueDef::Result(id, _) = program.def(v) else { return None };
    let instr = program.instr(id);
    let bytes = program.ty(v).bytes();
    let less = if let Op::Constant(literal) = instr.op() {
        literal.splat_bytes().is_some()
    } else if let Op::BroadcastInDim { .. } = instr.op() {
        program.ty(instr.operands()[0]).bytes() < bytes
    } else {
        matches!(instr.op(), Op::Iota { .. })
    };
    (less && bytes >= SMALL && !program.results().contains(&v)).then_some(instr)
}

/// The instructions to run, those whose results are made again as often as they are read.
fn sequence(program: &Program, order: &[InstrId], remade: &IdMap<Value, bool>) -> Vec<InstrId> {
    let mut out = Vec::with_capacity(order.len());
    for &id in order {
        let instr = program.instr(id);
        if !instr.results().iter().all(|&r| remade[r]) {
            instr.operands().iter().for_each(|&v| make(program, v, remade, &mut out));
            out.push(id);
        }
    }
    out
}

fn make(program: &Program, v: Value, remade: &IdMap<Value, bool>, out: &mut Vec<InstrId>) {
    if let (true, ValueDef::Result(id, _)) = (remade[v], program.def(v)) {
        program.instr(id).operands().iter().for_each(|&x| make(program, x, remade, out));
        out.push(id);
    }
}

/// What is live, arguments apart, during step `at` of a sequence.
fn live_during(program: &Program, sequence: &[InstrId], at: usize) -> Vec<Value> {
    let mut live = IdMap::filled(program.n_values(), false);
    program.results().iter().for_each(|&r| live[r] = true);
    for (step, &id) in sequence.iter().enumerate().skip(at).rev() {
        let instr = program.instr(id);
        instr.results().iter().for_each(|&r| live[r] = step == at);
        instr.operands().iter().for_each(|&v| live[v] = true);
    }
    let made = |v: Value| matches!(program.def(v), ValueDef::Result(..));
    live.iter().filter(|&(v, &l)| l && made(v)).map(|(v, _)| v).collect()
}

fn emit(program: &Program, sequence: &[InstrId]) -> Result<Program, TypeError> {
    let mut new = Rewriter::new(program);
    for &id in sequence {
        let instr = program.instr(id);
        let operands = new.operands(instr)?;
        new.push(instr, instr.op().clone(), &operands)?;
    }
    new.finish()
}
