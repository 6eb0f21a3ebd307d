//! Loops and choices in forward mode: values and tangents together, without residuals, whatever the number of turns.

use super::form::{Loop, Moving};
use crate::error::AdError;
use crate::extract::extract;
use crate::linearize::Context;
use crate::together::together;
use pullback_ir::{Builder, Instr, Op, Program, TensorType, Value};

/// Tangents of the results `results`, by the captured values `wrt`.
pub(super) fn case(
    cx: &mut Context,
    instr: &Instr,
    branches: &[Program],
    wrt: &[usize],
    results: &[usize],
) -> Result<Vec<Value>, AdError> {
    let place = super::place(cx.source(), instr);
    let joint = branches.iter().enumerate().map(|(i, branch)| {
        together(branch, wrt, results).map_err(|e| e.within(&format!("branch {i} of {place}")))
    });
    let branches = joint.collect::<Result<Vec<_>, _>>()?;
    let mut operands: Vec<Value> = instr.operands().iter().map(|&v| cx.value(v)).collect();
    for &i in wrt {
        let t = cx.tangent_or_zeros(instr.operands()[1 + i]);
        operands.push(cx.lift(t));
    }
    let mut made = cx.primal.push(Op::Case { branches }, &operands)?;
    let tangents = made.split_off(instr.results().len());
    for (&r, p) in instr.results().iter().zip(made) {
        cx.replace(r, p);
    }
    Ok(tangents.into_iter().map(|p| cx.fixed(p)).collect())
}

/// Tangents of the carried values that move.
pub(super) fn while_loop(
    cx: &mut Context,
    instr: &Instr,
    l: &Loop,
    moving: &Moving,
) -> Result<Vec<Value>, AdError> {
    let (n, all, m) = (l.carried(), l.operands.len(), moving.carried.len());
    let within = |e: AdError, what: &str, source: &Program| {
        e.within(&format!("the {what} of {}", super::place(source, instr)))
    };
    let body = together(&l.body, &moving.args(), &moving.carried);
    let body = body.map_err(|e| within(e, "body", cx.source()))?;
    // Its arguments are values, then tangents: to be carried values and tangents, then captured ones.
    let order = (0..n).chain(all..all + m).chain(n..all).chain(all + m..body.args().len());
    let args: Vec<Value> = order.clone().map(|i| body.args()[i]).collect();
    let results: Vec<_> = body.results().iter().map(|&r| (r, None)).collect();
    let body = extract(&body, &args, &results)?;
    let mut b = Builder::new(l.cond.name());
    let types: Vec<TensorType> = body.args().iter().map(|&a| body.ty(a).clone()).collect();
    let args: Vec<Value> = types.into_iter().map(|ty| b.arg(None, ty)).collect();
    let own: Vec<Value> = [&args[..n], &args[n + m..m + all]].concat();
    let test = b.inline(&l.cond, &own, Some(""))?;
    let cond = b.finish(&test);

    let mut values: Vec<Value> = l.operands.iter().map(|&v| cx.value(v)).collect();
    for i in moving.args() {
        let t = cx.tangent_or_zeros(l.operands[i]);
        values.push(cx.lift(t));
    }
    let operands: Vec<Value> = order.map(|i| values[i]).collect();
    let made = cx.primal.push(Op::While { cond: Box::new(cond), body: Box::new(body) }, &operands)?;
    let tangents: Vec<Value> = made[n..].iter().map(|&p| cx.fixed(p)).collect();
    for (&k, &p) in l.results.iter().zip(&made) {
        cx.replace(instr.results()[k], p);
    }
    Ok(tangents)
}
