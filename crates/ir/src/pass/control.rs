//! Loops and choices: what is inside is simplified, and what is known outside is known inside.
//!
//! * Constants that a region captures become its own; values that no region reads are no longer passed.
//! * A carried value that no turn changes is captured instead.
//! * A loop without turns is its operands; a choice whose index is constant is its branch.

use super::dce::reads;
use super::rewrite::Rewriter;
use crate::build::Builder;
use crate::dtype::TensorType;
use crate::infer::TypeError;
use crate::literal::{Literal, decode_i64};
use crate::loops::{counted, literal};
use crate::op::Op;
use crate::program::{Instr, InstrId, Program, Value, ValueDef};

/// Larger constants stay outside: each region would hold a copy.
const MAX_CONSTANT: usize = 1 << 10;

/// `all`: also regions that nothing changes for, which are simplified already otherwise.
pub(super) fn control(program: &Program, all: bool) -> Result<Program, TypeError> {
    let mut new = Rewriter::new(program);
    for (id, instr) in program.instrs().iter() {
        let operands = new.operands(instr)?;
        if instr.op().communicates() {
            new.push(instr, instr.op().clone(), &operands)?;
        } else if let Op::While { cond, body } = instr.op() {
            while_loop(&mut new, program, (id, instr), [cond, body], &operands, all)?;
        } else if let Op::Case { branches } = instr.op() {
            case(&mut new, instr, branches, &operands, all)?;
        } else {
            new.push(instr, instr.op().clone(), &operands)?;
        }
    }
    new.finish()
}

/// What a region's argument is replaced with.
enum Given {
    /// The value at this place among the operands that are left.
    Operand(usize),
    Constant(Literal),
}

/// Whether each argument stays the one it is.
fn stays(given: &[Given]) -> bool {
    given.iter().enumerate().all(|(i, g)| matches!(g, Given::Operand(k) if *k == i))
}

/// The region with other arguments and results: `given` for each old argument, `left` the types of the new ones.
fn regiven(
    region: &Program,
    given: &[Given],
    left: &[TensorType],
    results: &[Value],
) -> Result<Program, TypeError> {
    let mut b = Builder::new(region.name());
    let mut names: Vec<Option<&str>> = vec![None; left.len()];
    for (g, &arg) in given.iter().zip(region.args()) {
        if let Given::Operand(k) = g {
            names[*k] = region.value_name(arg);
        }
    }
    let args: Vec<Value> = names.iter().zip(left).map(|(name, ty)| b.arg(*name, ty.clone())).collect();
    let actual: Vec<Value> = given
        .iter()
        .map(|g| match g {
            Given::Operand(k) => args[*k],
            Given::Constant(l) => b.constant(l.clone()),
        })
        .collect();
    let mut inner = region.clone();
    inner.results = results.to_vec();
    inner.result_names = vec![None; results.len()];
    let results = b.inline(&inner, &actual, Some(""))?;
    super::simplify(&b.finish(&results))
}

fn small_constant(program: &Program, v: Value) -> Option<Literal> {
    literal(program, v).filter(|l| l.ty().bytes() <= MAX_CONSTANT || l.splat_bytes().is_some()).cloned()
}

fn zeros(ty: &TensorType) -> Literal {
    Literal::splat_f64(ty.clone(), 0.0)
}

fn while_loop(
    new: &mut Rewriter<'_>,
    program: &Program,
    (id, instr): (InstrId, &Instr),
    [cond, body]: [&Program; 2],
    operands: &[Value],
    all: bool,
) -> Result<(), TypeError> {
    let carried = body.results().len();
    if counted(program, id).is_some_and(|c| c.turns == 0) {
        for (&r, &x) in instr.results().iter().zip(operands) {
            new.replace(r, x)?;
        }
        return Ok(());
    }
    let unchanged = |i: usize| matches!(body.def(body.results()[i]), ValueDef::Arg(k) if k == i);
    let keeps: Vec<usize> = (0..carried).filter(|&i| !unchanged(i)).collect();
    if keeps.is_empty() {
        // It never ends, or does nothing: not for us to tell.
        return new.push(instr, instr.op().clone(), operands);
    }
    let results: Vec<Value> = keeps.iter().map(|&i| body.results()[i]).collect();
    let (in_cond, in_body) = (reads(cond, cond.results()), reads(body, &results));
    let mut left: Vec<Value> = keeps.iter().map(|&i| operands[i]).collect();
    let given: Vec<Given> = (0..operands.len())
        .map(|i| {
            if let Ok(k) = keeps.binary_search(&i) {
                return Given::Operand(k);
            }
            let constant = small_constant(new.new_program(), operands[i]);
            let unread = !in_cond[i] && !in_body[i] && constant.is_none();
            match constant {
                Some(l) => Given::Constant(l),
                // Nobody reads it: any constant does.
                None if unread => Given::Constant(zeros(new.new_program().ty(operands[i]))),
                None => {
                    left.push(operands[i]);
                    Given::Operand(left.len() - 1)
                }
            }
        })
        .collect();
    if !all && stays(&given) && keeps.len() == carried {
        return new.push(instr, instr.op().clone(), operands);
    }
    let types: Vec<TensorType> = left.iter().map(|&v| new.new_program().ty(v).clone()).collect();
    let op = Op::While {
        cond: Box::new(regiven(cond, &given, &types, cond.results())?),
        body: Box::new(regiven(body, &given, &types, &results)?),
    };
    let values = new.push_new(op, &left)?;
    for (i, &r) in instr.results().iter().enumerate() {
        match keeps.binary_search(&i) {
            Ok(k) => new.replace(r, values[k])?,
            Err(_) => new.replace(r, operands[i])?,
        }
    }
    Ok(())
}

fn case(
    new: &mut Rewriter<'_>,
    instr: &Instr,
    branches: &[Program],
    operands: &[Value],
    all: bool,
) -> Result<(), TypeError> {
    if let Some(index) = literal(new.new_program(), operands[0]) {
        let index = decode_i64(index.ty().dtype(), index.element(0));
        let last = branches.len() - 1;
        let branch = &branches[usize::try_from(index).map_or(last, |i| i.min(last))];
        let values = new.inline(branch, &operands[1..])?;
        for (&r, v) in instr.results().iter().zip(values) {
            new.replace(r, v)?;
        }
        return Ok(());
    }
    let reads: Vec<Vec<bool>> = branches.iter().map(|b| reads(b, b.results())).collect();
    let mut left = vec![operands[0]];
    let given: Vec<Given> = (1..operands.len())
        .map(|i| {
            let outside = new.new_program();
            match small_constant(outside, operands[i]) {
                Some(l) => Given::Constant(l),
                None if !reads.iter().any(|r| r[i - 1]) => Given::Constant(zeros(outside.ty(operands[i]))),
                None => {
                    left.push(operands[i]);
                    Given::Operand(left.len() - 2)
                }
            }
        })
        .collect();
    if !all && stays(&given) {
        return new.push(instr, instr.op().clone(), operands);
    }
    let types: Vec<TensorType> = left[1..].iter().map(|&v| new.new_program().ty(v).clone()).collect();
    let branches = branches.iter().map(|b| regiven(b, &given, &types, b.results()));
    let op = Op::Case { branches: branches.collect::<Result<_, _>>()? };
    new.push(instr, op, &left)
}
