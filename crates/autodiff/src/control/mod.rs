//! Tangents of loops and choices.
//!
//! Two ways. Forward mode carries tangents along with the values in one loop or choice (`forward`). Otherwise the primal
//! one also gives residuals, and the linear program has a loop or choice over tangents alone (`case`, `turns`), which can
//! be turned around. Loops are first brought to a form in which what no turn changes is captured (`form`); what a turn
//! keeps for the linear loop is decided in `kept`.

mod case;
mod form;
mod forward;
mod kept;
mod split;
mod turns;

use crate::error::AdError;
use crate::linearize::{Context, needed};
use form::Loop;
use pullback_ir::{Builder, Instr, Op, Program, Value};
pub(crate) use turns::goes_on;

/// A tangent per result; `None` is zero.
pub(crate) type Tangents = Result<Vec<Option<Value>>, AdError>;

/// Tangents of a choice's results.
pub(crate) fn case(cx: &mut Context, instr: &Instr, branches: &[Program]) -> Tangents {
    let captured = &instr.operands()[1..];
    let results: Vec<usize> = (0..instr.results().len()).filter(|&k| cx.needed(instr.results()[k])).collect();
    let mut matters = vec![false; captured.len()];
    for branch in branches {
        let outputs: Vec<Value> = results.iter().map(|&k| branch.results()[k]).collect();
        let needed = needed(branch, &outputs);
        for (m, &a) in matters.iter_mut().zip(branch.args()) {
            *m |= needed[a];
        }
    }
    let wrt: Vec<usize> =
        (0..captured.len()).filter(|&i| matters[i] && cx.tangent(captured[i]).is_some()).collect();
    let mut tangents = vec![None; instr.results().len()];
    if wrt.is_empty() {
        return Ok(tangents);
    }
    let made = if cx.together.is_some() {
        forward::case(cx, instr, branches, &wrt, &results)?
    } else {
        case::case(cx, instr, branches, &wrt, &results)?
    };
    for (&k, t) in results.iter().zip(made) {
        tangents[k] = Some(t);
    }
    Ok(tangents)
}

/// Tangents of a loop's results.
pub(crate) fn while_loop(cx: &mut Context, instr: &Instr) -> Tangents {
    let l = Loop::of(cx.source(), cx.current())?;
    let mut tangents = vec![None; instr.results().len()];
    for &k in &l.unchanged {
        tangents[k] = cx.tangent(instr.operands()[k]);
    }
    let moving = l.moving(cx);
    if l.most == Some(0) {
        for (&k, &x) in l.results.iter().zip(&l.operands) {
            tangents[k] = cx.tangent(x);
        }
        return Ok(tangents);
    }
    if moving.carried.is_empty() {
        return Ok(tangents);
    }
    let made = if cx.together.is_some() {
        forward::while_loop(cx, instr, &l, &moving)?
    } else {
        turns::while_loop(cx, instr, &l, &moving)?
    };
    for (&i, t) in moving.carried.iter().zip(made) {
        tangents[l.results[i]] = Some(t);
    }
    Ok(tangents)
}

/// A value of the source as it stands in the linear program.
fn fixed(cx: &mut Context, v: Value) -> Value {
    let p = cx.value(v);
    cx.fixed(p)
}

/// How messages call the place of an op.
pub(crate) fn place(source: &Program, instr: &Instr) -> String {
    format!("the {} that defines {}", instr.op().name(), source.display_name(instr.result()))
}

/// Appends the instructions for which `which` holds; `map` tells what values of `program` are, and is told.
fn emit(
    b: &mut Builder,
    program: &Program,
    map: &mut pullback_base::IdMap<Value, Option<Value>>,
    which: impl Fn(&Instr) -> bool,
) -> Result<(), AdError> {
    for instr in program.instrs().values().filter(|i| which(i)) {
        let operands = instr.operands().iter().map(|&v| map[v]).collect::<Option<Vec<Value>>>();
        let operands =
            operands.ok_or_else(|| pullback_ir::TypeError::new("a residual reads what is not kept"))?;
        let made = b.push(instr.op().clone(), &operands)?;
        for (&old, &new) in instr.results().iter().zip(&made) {
            map[old] = Some(new);
        }
    }
    Ok(())
}

/// Whether a program runs loops or choices.
fn has_regions(program: &Program) -> bool {
    program.instrs().values().any(|i| matches!(i.op(), Op::While { .. } | Op::Case { .. }))
}
