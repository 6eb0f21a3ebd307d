//! Which values are tokens: those that transfers take and give, and what becomes of them in loops and choices.
//!
//! In the IR a token is a tensor without elements; only its use tells it from another such tensor.

use super::collective::may_be_token;
use pullback_base::IdMap;
use pullback_ir::{Communication, Instr, Op, Program, Value};
use std::collections::BTreeSet;

/// The tokens of a program some of whose arguments and results are known to be.
pub(super) fn tokens(program: &Program, args: &[bool], results: &[bool]) -> BTreeSet<Value> {
    let none = args.iter().chain(results).all(|t| !t);
    if none && !transfers(program) {
        return BTreeSet::new();
    }
    let mut is = IdMap::<Value, bool>::filled(program.n_values(), false);
    let known = program.args().iter().zip(args).chain(program.results().iter().zip(results));
    for (&v, &token) in known {
        is[v] |= token && may_be_token(program.ty(v));
    }
    // A mark goes both ways through a loop; each round that marks nothing new is the last.
    let count = |is: &IdMap<Value, bool>| is.values().filter(|t| **t).count();
    loop {
        let before = count(&is);
        for instr in program.instrs().values() {
            mark(program, instr, &mut is);
        }
        if count(&is) == before {
            break;
        }
    }
    program.value_ids().filter(|&v| is[v]).collect()
}

/// Whether a program sends or receives.
fn transfers(program: &Program) -> bool {
    program.instrs().values().any(|instr| match instr.op() {
        Op::Communicate(c) => matches!(**c, Communication::Send { .. } | Communication::Recv { .. }),
        op => op.regions().into_iter().any(transfers),
    })
}

/// Marks what an instruction says of its operands and results.
fn mark(program: &Program, instr: &Instr, is: &mut IdMap<Value, bool>) {
    let (operands, results) = (instr.operands(), instr.results());
    if let Op::Communicate(c) = instr.op()
        && matches!(**c, Communication::Send { .. } | Communication::Recv { .. })
    {
        for v in [operands.last(), results.last()].into_iter().flatten() {
            is[*v] = true;
        }
    }
    let regions = match instr.op() {
        // Its rule's programs have other arguments.
        Op::Composite(c) => vec![&c.body],
        op => op.regions(),
    };
    let is_while = matches!(instr.op(), Op::While { .. });
    // Operands that are arguments of the regions, from which on.
    let first = usize::from(matches!(instr.op(), Op::Case { .. }));
    for (k, region) in regions.iter().enumerate() {
        // The condition of a loop gives no values.
        let gives = !(is_while && k == 0);
        let args: Vec<bool> = operands[first..].iter().map(|&v| is[v]).collect();
        let outs: Vec<bool> = if gives {
            results.iter().map(|&v| is[v]).collect()
        } else {
            vec![false; region.results().len()]
        };
        let inner = tokens(region, &args, &outs);
        for (&arg, &v) in region.args().iter().zip(&operands[first..]) {
            is[v] |= inner.contains(&arg) && may_be_token(program.ty(v));
        }
        if gives {
            for (&out, &v) in region.results().iter().zip(results) {
                is[v] |= inner.contains(&out);
            }
        }
    }
    if is_while {
        for (&v, &r) in operands.iter().zip(results) {
            let either = is[v] || is[r];
            (is[v], is[r]) = (either, either);
        }
    }
}
