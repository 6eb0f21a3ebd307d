//! How many turns loops take whose number of turns depends on data: beyond the bound that is stated for them gradients
//! are NaN on purpose, and that is no mistake of a rule.

use super::marked::{copy_into, lookup};
use pullback_ir::loops::counted;
use pullback_ir::{BinaryOp, Builder, DType, Instr, Op, Program, TensorType, TypeError, Value, ValueDef};

/// Deeper loops and branches are not looked into.
const DEEPEST: usize = 8;

/// The most turns of each such loop of a program, in the order of `loops`, which names what they define: its own loops, and
/// those in loops and branches. `None` where there are none.
pub(super) fn turns(program: &Program) -> Result<Option<(Program, Vec<String>)>, TypeError> {
    let mut loops = Vec::new();
    let counting = counting(program, &mut loops, 0)?;
    if loops.is_empty() {
        return Ok(None);
    }
    let mut b = Builder::new(program.name());
    let args: Vec<Value> = counting.args().iter().map(|&a| b.arg(None, counting.ty(a).clone())).collect();
    let results = b.inline(&counting, &args, None)?;
    Ok(Some((b.finish(&results[program.results().len()..]), loops)))
}

fn count() -> TensorType {
    TensorType::new(DType::I64, [])
}

/// Whether a loop carries floating-point values for a number of turns that is not known.
fn is_open(program: &Program, instr: &Instr) -> bool {
    let float = |&r: &Value| program.ty(r).dtype().is_differentiable();
    let known = match program.def(instr.result()) {
        ValueDef::Result(id, _) => counted(program, id).is_some(),
        ValueDef::Arg(_) => true,
    };
    !known && instr.results().iter().any(float)
}

/// The program with the most turns of each loop in it as further results, in the order in which `loops` gets their names.
fn counting(program: &Program, loops: &mut Vec<String>, depth: usize) -> Result<Program, TypeError> {
    let mut b = Builder::new(program.name());
    let mut counts = Vec::new();
    let map = copy_into(&mut b, program, &mut |b: &mut Builder, instr: &Instr, operands: &[Value]| {
        let (first, n) = (loops.len(), instr.results().len());
        let (mut op, mut carried) = (instr.op().clone(), operands.len());
        if depth == DEEPEST {
            return b.push(op, operands);
        } else if let Op::While { cond, body } = instr.op() {
            let open = is_open(program, instr);
            loops.extend(open.then(|| program.display_name(instr.result())));
            let body = counting(body, loops, depth + 1)?;
            let extra = loops.len() - first;
            let (cond, body) = (ignoring(cond, n, extra)?, turning(&body, n, open, extra)?);
            (op, carried) = (Op::While { cond: Box::new(cond), body: Box::new(body) }, n);
        } else if let Op::Case { branches } = instr.op() {
            let mut made = Vec::with_capacity(branches.len());
            for branch in branches {
                let before = loops.len() - first;
                made.push((before, counting(branch, loops, depth + 1)?));
            }
            let extra = loops.len() - first;
            let branches = made.iter().map(|(before, p)| among(p, n, *before, extra));
            op = Op::Case { branches: branches.collect::<Result<_, _>>()? };
        }
        let extra = if matches!(op, Op::While { .. }) { loops.len() - first } else { 0 };
        let zeros = vec![b.splat(&count(), 0.0); extra];
        let (carried, captured) = operands.split_at(carried);
        let mut made = b.push(op, &[carried, &zeros, captured].concat())?;
        counts.extend(made.split_off(n));
        Ok(made)
    })?;
    let mut results = lookup(program, &map, program.results())?;
    results.extend(counts);
    Ok(b.finish(&results))
}

/// Arguments of a loop's program, with `extra` counts after what is carried; gives them without the counts, and the counts.
fn with_counts(b: &mut Builder, program: &Program, carried: usize, extra: usize) -> (Vec<Value>, Vec<Value>) {
    let (first, rest) = program.args().split_at(carried);
    let mut args: Vec<Value> = first.iter().map(|&a| b.arg(None, program.ty(a).clone())).collect();
    let counts = (0..extra).map(|_| b.arg(None, count())).collect();
    args.extend(rest.iter().map(|&a| b.arg(None, program.ty(a).clone())).collect::<Vec<_>>());
    (args, counts)
}

/// A loop's condition, which the counts do not change.
fn ignoring(cond: &Program, carried: usize, extra: usize) -> Result<Program, TypeError> {
    let mut b = Builder::new(cond.name());
    let (args, _) = with_counts(&mut b, cond, carried, extra);
    let results = b.inline(cond, &args, None)?;
    Ok(b.finish(&results))
}

/// A loop's body: counts its own turn if the loop is `open`, and keeps the most turns of the loops in it, whose counts are
/// the last results of `body`.
fn turning(body: &Program, carried: usize, open: bool, extra: usize) -> Result<Program, TypeError> {
    let mut b = Builder::new(body.name());
    let (args, counts) = with_counts(&mut b, body, carried, extra);
    let mut results = b.inline(body, &args, None)?;
    let inner = results.split_off(carried);
    let (own, most) = counts.split_at(usize::from(open));
    for &turn in own {
        let one = b.splat(&count(), 1.0);
        results.push(b.add(turn, one)?);
    }
    for (&most, now) in most.iter().zip(inner) {
        results.push(b.binary(BinaryOp::Maximum, most, now)?);
    }
    Ok(b.finish(&results))
}

/// A branch among others: its counts are those from `before` on of `extra`, the rest 0.
fn among(branch: &Program, results: usize, before: usize, extra: usize) -> Result<Program, TypeError> {
    let mut b = Builder::new(branch.name());
    let args: Vec<Value> = branch.args().iter().map(|&a| b.arg(None, branch.ty(a).clone())).collect();
    let mut made = b.inline(branch, &args, None)?;
    let own = made.split_off(results);
    let zero = b.splat(&count(), 0.0);
    let mut counts = vec![zero; extra];
    counts[before..before + own.len()].copy_from_slice(&own);
    made.extend(counts);
    Ok(b.finish(&made))
}
