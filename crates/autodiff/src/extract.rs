//! Rebuilds a program from some of its values: arguments in a chosen order, dead code gone, coefficients late.
//!
//! Names of values are kept. Does not simplify anything else.

use pullback_base::{Id, IdMap};
use pullback_ir::{Builder, Instr, InstrId, Program, TypeError, Value, ValueDef};

/// Which values the computation of `results` reads, `results` included.
pub(crate) fn live(program: &Program, results: &[Value]) -> IdMap<Value, bool> {
    let mut live = IdMap::filled(program.n_values(), false);
    for &r in results {
        live[r] = true;
    }
    let instrs: Vec<_> = program.instrs().values().collect();
    for instr in instrs.into_iter().rev() {
        if instr.results().iter().any(|&r| live[r]) {
            for &v in instr.operands() {
                live[v] = true;
            }
        }
    }
    live
}

/// The program computing `results` from `args`, which must be arguments of `program` and include all that
/// the results read. Instructions keep their order; those that no result needs are dropped.
pub(crate) fn extract(
    program: &Program,
    args: &[Value],
    results: &[(Value, Option<String>)],
) -> Result<Program, TypeError> {
    rebuild(program, args, results, program.instrs().ids())
}

/// As [`extract`] with all arguments, for a program that is a primal part (its first `primal` instructions, of
/// which the first `own` results are the purpose) followed by a linear part. Coefficients that only the linear
/// part reads are computed right before it reads them, from values that mostly live that long anyway; those
/// smaller than what they are computed from (masks, counts) stay early, so that the larger values may go.
pub(crate) fn extract_late(
    program: &Program,
    results: &[(Value, Option<String>)],
    own: usize,
    primal: usize,
) -> Result<Program, TypeError> {
    let wanted: Vec<Value> = results[..own].iter().map(|(v, _)| *v).collect();
    let purpose = live(program, &wanted);
    let mut order = Vec::with_capacity(program.instrs().len());
    let mut placed = IdMap::<InstrId, bool>::filled(program.instrs().len(), false);
    for (id, instr) in program.instrs().iter() {
        if id.index() >= primal || stays_early(program, &purpose, instr) {
            place(program, id, &mut placed, &mut order);
        }
    }
    rebuild(program, program.args(), results, order.into_iter())
}

/// Whether an instruction of the primal part is computed where it stands, with what it reads: it serves the purpose, or
/// makes less than it reads.
pub(crate) fn stays_early(program: &Program, purpose: &IdMap<Value, bool>, instr: &Instr) -> bool {
    let bytes = |v: Value| program.ty(v).bytes();
    let made: usize = instr.results().iter().map(|&r| bytes(r)).sum();
    instr.results().iter().any(|&r| purpose[r]) || instr.operands().iter().any(|&v| bytes(v) > made)
}

/// Appends an instruction after those it reads from.
fn place(program: &Program, id: InstrId, placed: &mut IdMap<InstrId, bool>, order: &mut Vec<InstrId>) {
    let mut stack = vec![id];
    while let Some(&id) = stack.last() {
        let before = stack.len();
        for &v in program.instr(id).operands() {
            if let ValueDef::Result(def, _) = program.def(v)
                && !placed[def]
            {
                stack.push(def);
            }
        }
        if stack.len() == before {
            stack.pop();
            if !placed[id] {
                placed[id] = true;
                order.push(id);
            }
        }
    }
}

fn rebuild(
    program: &Program,
    args: &[Value],
    results: &[(Value, Option<String>)],
    order: impl Iterator<Item = InstrId>,
) -> Result<Program, TypeError> {
    let wanted: Vec<Value> = results.iter().map(|(v, _)| *v).collect();
    let live = live(program, &wanted);
    let mut out = Builder::new(program.name());
    let mut map = IdMap::<Value, Option<Value>>::filled(program.n_values(), None);
    for &a in args {
        map[a] = Some(out.arg(program.value_name(a), program.ty(a).clone()));
    }
    let lookup = |map: &IdMap<Value, Option<Value>>, v: Value| {
        map[v]
            .ok_or_else(|| TypeError::new(format!("{} is not among the arguments", program.display_name(v))))
    };
    for instr in order.map(|id| program.instr(id)).filter(|i| i.results().iter().any(|&r| live[r])) {
        let operands = instr.operands().iter().map(|&v| lookup(&map, v)).collect::<Result<Vec<_>, _>>()?;
        let made = out.push(instr.op().clone(), &operands)?;
        for (&old, &new) in instr.results().iter().zip(&made) {
            map[old] = Some(new);
            if let Some(name) = program.value_name(old) {
                out.name(new, name);
            }
        }
    }
    let results = results.iter().map(|(v, name)| Ok((lookup(&map, *v)?, name.clone())));
    Ok(out.finish_named(results.collect::<Result<_, TypeError>>()?))
}
