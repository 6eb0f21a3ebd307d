//! How many turns loops take whose number of turns depends on data: beyond the bound that is stated for them gradients
//! are NaN on purpose, and that is no mistake of a rule.

use super::marked::copy_into;
use pullback_ir::loops::counted;
use pullback_ir::{Builder, DType, Instr, Op, Program, TensorType, TypeError, Value, ValueDef};

/// The turns of the loops of a program's own instructions, in the order of `loops`, which names what they define. Loops
/// inside others are not looked into. `None` where there are none.
pub(super) fn turns(program: &Program) -> Result<Option<(Program, Vec<String>)>, TypeError> {
    let (mut loops, mut counts) = (Vec::new(), Vec::new());
    let mut b = Builder::new(program.name());
    copy_into(&mut b, program, &mut |b: &mut Builder, instr: &Instr, operands: &[Value]| {
        let (Op::While { cond, body }, true) = (instr.op(), is_open(program, instr)) else {
            return b.push(instr.op().clone(), operands);
        };
        let zero = b.splat(&count(), 0.0);
        let (carried, captured) = operands.split_at(instr.results().len());
        let counting = |p, next| counting(p, carried.len(), next).map(Box::new);
        let op = Op::While { cond: counting(cond, false)?, body: counting(body, true)? };
        let mut made = b.push(op, &[carried, &[zero], captured].concat())?;
        counts.extend(made.pop());
        loops.push(program.display_name(instr.result()));
        Ok(made)
    })?;
    Ok((!loops.is_empty()).then(|| (b.finish(&counts), loops)))
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

/// A loop's program with a count after what is carried, and as its last result one more.
fn counting(program: &Program, carried: usize, next: bool) -> Result<Program, TypeError> {
    let mut b = Builder::new(program.name());
    let types = program.args().iter().map(|&a| program.ty(a).clone());
    let mut types: Vec<TensorType> = types.collect();
    types.insert(carried, count());
    let mut args: Vec<Value> = types.into_iter().map(|ty| b.arg(None, ty)).collect();
    let turn = args.remove(carried);
    let mut results = b.inline(program, &args, None)?;
    if next {
        let one = b.splat(&count(), 1.0);
        results.push(b.add(turn, one)?);
    }
    Ok(b.finish(&results))
}
