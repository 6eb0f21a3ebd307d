//! Smooth functions that exports spell with corners: log(exp a + exp b) as `max(a, b) + log1p(exp(-|a - b|))`, which is
//! what softplus, log_sigmoid and logaddexp come to.
//!
//! Where a and b are equal both corners meet and cancel if each is taken in the middle: half to each side of the
//! maximum, as always, and 0 as the derivative of this absolute value. JAX has rules for these functions, which its exports
//! lose.

use crate::linearize::constant;
use pullback_ir::{BinaryOp, Instr, Op, Program, UnaryOp, Value, ValueDef};
use std::collections::BTreeSet;

/// The absolute values that stand in such a function.
pub(crate) fn middles(program: &Program) -> BTreeSet<Value> {
    let mut found = BTreeSet::new();
    for instr in program.instrs().values() {
        if let (Op::Binary(BinaryOp::Add), &[x, y]) = (instr.op(), instr.operands()) {
            found.extend(middle(program, x, y).or_else(|| middle(program, y, x)));
        }
    }
    found
}

/// The absolute value in `log`, where it is of the difference that `max` decides by.
fn middle(program: &Program, max: Value, log: Value) -> Option<Value> {
    let larger = producer(program, max).filter(|i| *i.op() == Op::Binary(BinaryOp::Maximum))?;
    let log = unary(program, scaled(program, log), UnaryOp::LogPlusOne)?;
    let inside = unary(program, scaled(program, log), UnaryOp::Exponential)?;
    let size = scaled(program, unary(program, scaled(program, inside), UnaryOp::Negate)?);
    let difference = unary(program, size, UnaryOp::Abs)?;
    let &[a, b] = larger.operands() else { return None };
    let minus = producer(program, difference).filter(|i| *i.op() == Op::Binary(BinaryOp::Subtract));
    let zero = |v: Value| constant(program, v).is_some_and(|l| l.splat_value() == Some(0.0));
    // A constant may be there twice.
    let same = |x: Value, y: Value| {
        x == y || constant(program, x).is_some_and(|l| constant(program, y).as_ref() == Some(&l))
    };
    let fits = match minus.map(Instr::operands) {
        Some(&[x, y]) if same(x, a) && same(y, b) || same(x, b) && same(y, a) => true,
        _ => difference == a && zero(b) || difference == b && zero(a),
    };
    fits.then_some(size)
}

fn producer(program: &Program, v: Value) -> Option<&Instr> {
    match program.def(v) {
        ValueDef::Result(id, _) => Some(program.instr(id)),
        ValueDef::Arg(_) => None,
    }
}

/// The operand, where the value is made by this op.
fn unary(program: &Program, v: Value, op: UnaryOp) -> Option<Value> {
    let instr = producer(program, v).filter(|i| *i.op() == Op::Unary(op))?;
    instr.operands().first().copied()
}

/// The value without a constant factor or divisor.
fn scaled(program: &Program, v: Value) -> Value {
    let Some(instr) = producer(program, v) else { return v };
    match (instr.op(), instr.operands()) {
        (Op::Binary(BinaryOp::Multiply | BinaryOp::Divide), &[x, y]) if constant(program, y).is_some() => x,
        (Op::Binary(BinaryOp::Multiply), &[x, y]) if constant(program, x).is_some() => y,
        _ => v,
    }
}
