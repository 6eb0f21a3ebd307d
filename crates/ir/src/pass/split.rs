//! Loops in loops: a loop of n turns as an outer loop of blocks, an inner loop for the turns of a block, and one for what
//! is left over. The turns and their order stay, so no bit changes.
//!
//! The counter of the loop, where it has one, follows from the two new counters, so that what reads it knows where it
//! is. By itself this makes a program no better; it is how the adjoint of a long loop fits into memory.

use super::rewrite::Rewriter;
use crate::build::Builder;
use crate::dtype::{DType, TensorType};
use crate::infer::TypeError;
use crate::literal::Literal;
use crate::loops::{Bounded, bounded};
use crate::op::{BinaryOp, Comparison, Op};
use crate::program::{Program, Value};

/// Loops of fewer turns are left as they are.
const FEWEST_TURNS: u64 = 4;

/// Splits each loop of a known number of turns into blocks of about its square root.
pub(super) fn split_loops(program: &Program) -> Result<Program, TypeError> {
    let mut new = Rewriter::new(program);
    for (id, instr) in program.instrs().iter() {
        let operands = new.operands(instr)?;
        let bound = bounded(program, id).filter(|b| b.exact && b.most >= FEWEST_TURNS);
        match (instr.op(), bound) {
            (Op::While { cond, body }, Some(bound)) if i32::try_from(bound.most).is_ok() => {
                let block = bound.most.isqrt();
                let results =
                    new.with_builder(|b| split_while(b, [cond, body], &operands, Some(bound), block))?;
                for (&r, v) in instr.results().iter().zip(results) {
                    new.replace(r, v)?;
                }
            }
            _ => new.push(instr, instr.op().clone(), &operands)?,
        }
    }
    new.finish()
}

/// Appends the loop of these regions in blocks of `block` turns (at least 1); gives the carried values. `bound` is what
/// is known of its turns, by number of the carried value.
pub fn split_while(
    b: &mut Builder,
    regions: [&Program; 2],
    operands: &[Value],
    bound: Option<Bounded>,
    block: u64,
) -> Result<Vec<Value>, TypeError> {
    let whole = bound.filter(|b| b.exact).map(|b| b.most);
    let s = Split { cond: regions[0], body: regions[1], tests: whole.is_none(), bound, block };
    let zero = number(b, DType::I32, 0)?;
    let blocks = match (whole, bound) {
        (Some(turns), _) => Some(turns / block),
        (None, Some(bound)) => Some(bound.most.div_ceil(block)),
        (None, None) => None,
    };
    let outer: Vec<Value> = std::iter::once(zero).chain(operands.iter().copied()).collect();
    let types = types(b, &outer);
    let mut inside = Builder::new(s.body.name());
    let args = arguments(&mut inside, &types);
    let values = s.block(&mut inside, &args[1..], args[0], block)?;
    let one = number(&mut inside, DType::I32, 1)?;
    let next = inside.add(args[0], one)?;
    let body = inside.finish(&[&[next], &values[..]].concat());
    let mut inside = Builder::new(s.cond.name());
    let args = arguments(&mut inside, &types);
    let test = s.test(&mut inside, args[0], blocks, &args[1..])?;
    let cond = inside.finish(&[test]);
    let mut values = b.push(Op::While { cond: Box::new(cond), body: Box::new(body) }, &outer)?.split_off(1);
    let left = whole.map_or(0, |turns| turns % block);
    if left > 0 {
        values.extend(&operands[values.len()..]);
        let done = number(b, DType::I32, whole.map_or(0, |turns| turns / block))?;
        values = s.block(b, &values, done, left)?;
    }
    Ok(values)
}

struct Split<'a> {
    cond: &'a Program,
    body: &'a Program,
    /// The condition is asked at each turn, because the number of turns is not known.
    tests: bool,
    bound: Option<Bounded>,
    block: u64,
}

impl Split<'_> {
    /// `turns` turns after `done` blocks; gives the carried values.
    fn block(
        &self,
        b: &mut Builder,
        own: &[Value],
        done: Value,
        turns: u64,
    ) -> Result<Vec<Value>, TypeError> {
        let zero = number(b, DType::I32, 0)?;
        let last = 1 + own.len();
        let mut operands = [&[zero], own].concat();
        operands.extend(self.bound.map(|_| done));
        let types = types(b, &operands);
        let mut inside = Builder::new(self.cond.name());
        let args = arguments(&mut inside, &types);
        let test = self.test(&mut inside, args[0], Some(turns), &args[1..last])?;
        let cond = inside.finish(&[test]);
        let mut inside = Builder::new(self.body.name());
        let args = arguments(&mut inside, &types);
        let mut own = args[1..last].to_vec();
        if let Some(bound) = self.bound {
            own[bound.counter] = self.counter(&mut inside, bound, args[0], args[last])?;
        }
        let values = inside.inline(self.body, &own, Some(""))?;
        let one = number(&mut inside, DType::I32, 1)?;
        let next = inside.add(args[0], one)?;
        let body = inside.finish(&[&[next], &values[..]].concat());
        let op = Op::While { cond: Box::new(cond), body: Box::new(body) };
        Ok(b.push(op, &operands)?.split_off(1))
    }

    /// The loop's own counter at turn `turn` after `done` blocks.
    fn counter(&self, b: &mut Builder, bound: Bounded, turn: Value, done: Value) -> Result<Value, TypeError> {
        let dtype = self.body.ty(self.body.args()[bound.counter]).dtype();
        let shape = self.body.ty(self.body.args()[bound.counter]).shape();
        let block = number(b, DType::I32, self.block)?;
        let before = b.mul(done, block)?;
        let turns = b.add(before, turn)?;
        let turns = b.convert(turns, dtype)?;
        let signed = |b: &mut Builder, n: i64| -> Result<Value, TypeError> {
            let literal = Literal::from_i64s(TensorType::scalar(dtype), &[n]);
            Ok(b.constant(literal.ok_or_else(|| TypeError::new("one number for a scalar"))?))
        };
        let (step, start) = (signed(b, bound.step)?, signed(b, bound.start)?);
        let grown = b.mul(turns, step)?;
        let value = b.add(grown, start)?;
        b.reshape(value, shape)
    }

    /// turn < turns, as far as that is known, and the loop's own condition, as far as it is asked.
    fn test(
        &self,
        b: &mut Builder,
        turn: Value,
        turns: Option<u64>,
        own: &[Value],
    ) -> Result<Value, TypeError> {
        let mut test = None;
        if let Some(turns) = turns {
            let turns = number(b, DType::I32, turns)?;
            test = Some(b.compare(Comparison::Lt, turn, turns)?);
        }
        if self.tests {
            let asked = b.inline(self.cond, own, Some(""))?[0];
            test = Some(match test {
                Some(test) => b.binary(BinaryOp::And, asked, test)?,
                None => asked,
            });
        }
        test.ok_or_else(|| TypeError::new("a loop that never ends"))
    }
}

fn types(b: &Builder, values: &[Value]) -> Vec<TensorType> {
    values.iter().map(|&v| b.ty(v).clone()).collect()
}

fn arguments(b: &mut Builder, types: &[TensorType]) -> Vec<Value> {
    types.iter().map(|ty| b.arg(None, ty.clone())).collect()
}

fn number(b: &mut Builder, dtype: DType, n: u64) -> Result<Value, TypeError> {
    let n = i64::try_from(n).map_err(|_| TypeError::new("too many turns"))?;
    let literal = Literal::from_i64s(TensorType::scalar(dtype), &[n]);
    Ok(b.constant(literal.ok_or_else(|| TypeError::new("one number for a scalar"))?))
}
