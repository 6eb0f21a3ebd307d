//! Transposes of the linear loops and choices that `linearize` makes.
//!
//! A linear loop counts 0, 1, … in one carried whole number and carries tangents besides; turned around it counts the
//! same way, goes through the turns from the last to the first, and carries cotangents. The cotangent of a captured
//! tangent is summed in one carried value for the whole loop; where the body reads a part of it, the sum is updated in
//! place.

use super::{Transposer, is_zero, transpose_onto};
use crate::control::goes_on;
use crate::error::AdError;
use crate::extract::extract;
use crate::linearize::LinearProgram;
use pullback_ir::loops::{bounded, conjuncts};
use pullback_ir::{
    Builder, Comparison, Instr, InstrId, Literal, Op, Program, TensorType, TypeError, Value, ValueDef,
};

/// A linear loop as it can be turned around.
struct Turned {
    /// The carried value that counts.
    counter: usize,
    /// Turns at most.
    most: u64,
    /// The operand that is the number of turns, where it is not `most`.
    limit: Option<usize>,
}

impl Transposer<'_> {
    /// Gives a loop's operands their cotangents.
    pub(super) fn while_loop(
        &mut self,
        id: InstrId,
        instr: &Instr,
        body: &Program,
        cts: &[Option<Value>],
    ) -> Result<(), AdError> {
        let turned = self.turned(id, instr)?;
        let n = body.results().len();
        let operands = instr.operands();
        let carried: Vec<usize> = (0..n).filter(|&i| i != turned.counter).collect();
        carried.iter().try_for_each(|&i| self.carries_tangent(instr, i))?;
        let (moving, fixed): (Vec<usize>, Vec<usize>) =
            (n..operands.len()).partition(|&i| self.linear[operands[i]]);

        let (c, m) = (carried.len(), moving.len());
        let order =
            std::iter::once(turned.counter).chain(fixed.iter().chain(&carried).chain(&moving).copied());
        let args: Vec<Value> = order.map(|i| body.args()[i]).collect();
        let results: Vec<_> = carried.iter().map(|&i| (body.results()[i], None)).collect();
        let linear = LinearProgram::new(extract(body, &args, &results)?, 1 + fixed.len())?;
        let back = transpose_onto(&linear, m).map_err(|e| self.inside(e, instr))?;

        // Carried: the count, cotangents, sums. Captured: the last turn, the number of turns if not known, fixed values.
        let ty = self.ty(operands[turned.counter]).clone();
        let mut all = vec![self.out.splat(&ty, 0.0)];
        for &i in &carried {
            all.push(cts[i].unwrap_or_else(|| self.out.splat(self.source.ty(operands[i]), 0.0)));
        }
        let sums = self.first_sums(&moving.iter().map(|&i| operands[i]).collect::<Vec<_>>());
        all.extend(&sums);
        let limit = turned.limit.map(|i| self.fixed(operands[i]));
        let last = self.last_turn(&ty, turned.most, limit)?;
        all.push(last);
        all.extend(limit);
        all.extend(fixed.iter().map(|&i| self.fixed(operands[i])));

        let types: Vec<TensorType> = all.iter().map(|&v| self.out.ty(v).clone()).collect();
        let inside = |b: &mut Builder| types.iter().map(|ty| b.arg(None, ty.clone())).collect::<Vec<Value>>();
        let captured = 1 + c + m;
        let mut b = Builder::new("cond");
        let args = inside(&mut b);
        let test = goes_on(&mut b, args[0], turned.most, limit.map(|_| args[captured + 1]))?;
        let cond = b.finish(&[test]);
        let mut b = Builder::new(back.name());
        let args = inside(&mut b);
        let turn = b.sub(args[captured], args[0])?;
        let mut actual = vec![turn];
        actual.extend(&args[captured + 1 + usize::from(limit.is_some())..]);
        actual.extend(&args[1..captured]);
        let made = b.inline(&back, &actual, None)?;
        let one = whole(&mut b, &ty, 1)?;
        let next = b.add(args[0], one)?;
        let results: Vec<Value> = std::iter::once(next).chain(made).collect();
        let op = Op::While { cond: Box::new(cond), body: Box::new(b.finish(&results)) };
        let made = self.out.push(op, &all)?;
        self.take_sums(&moving.iter().map(|&i| operands[i]).collect::<Vec<_>>(), &made[1 + c..])?;
        for (&i, &ct) in carried.iter().zip(&made[1..]) {
            self.give(operands[i], ct)?;
        }
        Ok(())
    }

    /// The carried value `i` is linear in the tangents.
    fn carries_tangent(&self, instr: &Instr, i: usize) -> Result<(), AdError> {
        let x = instr.operands()[i];
        if !self.ty(x).dtype().is_differentiable() {
            return Err(self.unlike(instr, format!("it carries whole numbers besides its counter ({i})")));
        }
        if !self.linear[x] && !is_zero(self.source, x) {
            return Err(
                self.unlike(instr, format!("carried value {i} starts at a fixed value that is not 0"))
            );
        }
        Ok(())
    }

    /// How the loop counts.
    fn turned(&self, id: InstrId, instr: &Instr) -> Result<Turned, AdError> {
        let Op::While { cond, body } = instr.op() else { return Err(self.no_transpose(instr)) };
        let n = body.results().len();
        let bound =
            bounded(self.source, id).filter(|b| (b.start, b.step) == (0, 1) && i32::try_from(b.most).is_ok());
        let Some(bound) = bound else {
            return Err(self.unlike(instr, "it does not count its turns from 0 to a bound".to_owned()));
        };
        if bound.exact {
            return Ok(Turned { counter: bound.counter, most: bound.most, limit: None });
        }
        let argument = |v: Value| match cond.def(v) {
            ValueDef::Arg(i) => Some(i),
            ValueDef::Result(..) => None,
        };
        let limit_of = |test: Value| {
            let ValueDef::Result(id, _) = cond.def(test) else { return None };
            let instr = cond.instr(id);
            let Op::Compare { direction: Comparison::Lt, .. } = instr.op() else { return None };
            let (x, y) = (argument(instr.operands()[0])?, argument(instr.operands()[1])?);
            (x == bound.counter && y >= n).then_some(y)
        };
        let tests = conjuncts(cond);
        match tests.iter().find_map(|&t| limit_of(t)) {
            Some(i) if tests.len() == 2 && !self.linear[instr.operands()[i]] => {
                Ok(Turned { counter: bound.counter, most: bound.most, limit: Some(i) })
            }
            _ => Err(self.unlike(instr, "its condition is more than a count of its turns".to_owned())),
        }
    }

    /// The number of the last turn.
    fn last_turn(&mut self, ty: &TensorType, most: u64, limit: Option<Value>) -> Result<Value, TypeError> {
        let Some(limit) = limit else { return whole(&mut self.out, ty, most.saturating_sub(1) as i64) };
        let one = whole(&mut self.out, ty, 1)?;
        self.out.sub(limit, one)
    }

    /// Where the sums of these values' cotangents begin: at what they have already.
    fn first_sums(&mut self, values: &[Value]) -> Vec<Value> {
        let mut sums = Vec::with_capacity(values.len());
        for (k, &v) in values.iter().enumerate() {
            let so_far = self.cotangents[v].filter(|_| !values[..k].contains(&v));
            sums.push(so_far.unwrap_or_else(|| self.out.splat(self.source.ty(v), 0.0)));
        }
        sums
    }

    /// The sums that began as [`Transposer::first_sums`] are the values' cotangents.
    fn take_sums(&mut self, values: &[Value], sums: &[Value]) -> Result<(), AdError> {
        for (k, (&v, &sum)) in values.iter().zip(sums).enumerate() {
            if values[..k].contains(&v) {
                self.give(v, sum)?;
            } else {
                self.cotangents[v] = Some(sum);
            }
        }
        Ok(())
    }

    /// Gives a choice's operands their cotangents.
    pub(super) fn case(
        &mut self,
        instr: &Instr,
        branches: &[Program],
        cts: &[Option<Value>],
    ) -> Result<(), AdError> {
        let operands = instr.operands();
        if self.linear[operands[0]] {
            return Err(self.unlike(instr, "its index depends on them".to_owned()));
        }
        let (moving, fixed): (Vec<usize>, Vec<usize>) =
            (1..operands.len()).partition(|&i| self.linear[operands[i]]);
        // Sums that are updated in place go through; other cotangents come out of the branch taken.
        let (sums, plain): (Vec<usize>, Vec<usize>) =
            moving.into_iter().partition(|&i| self.sums.contains(&operands[i]));
        let results: Vec<usize> = (0..cts.len()).filter(|&k| cts[k].is_some()).collect();
        let mut backs = Vec::with_capacity(branches.len());
        for branch in branches {
            let order = fixed.iter().chain(&plain).chain(&sums);
            let args: Vec<Value> = order.map(|&i| branch.args()[i - 1]).collect();
            let results: Vec<_> = results.iter().map(|&k| (branch.results()[k], None)).collect();
            let linear = LinearProgram::new(extract(branch, &args, &results)?, fixed.len())?;
            backs.push(transpose_onto(&linear, sums.len()).map_err(|e| self.inside(e, instr))?);
        }
        let mut all = vec![self.fixed(operands[0])];
        all.extend(fixed.iter().map(|&i| self.fixed(operands[i])));
        all.extend(cts.iter().flatten());
        let of = |list: &[usize]| list.iter().map(|&i| operands[i]).collect::<Vec<Value>>();
        all.extend(self.first_sums(&of(&sums)));
        let made = self.out.push(Op::Case { branches: backs }, &all)?;
        self.take_sums(&of(&sums), &made[plain.len()..])?;
        for (&i, &ct) in plain.iter().zip(&made) {
            self.give(operands[i], ct)?;
        }
        Ok(())
    }

    fn unlike(&self, instr: &Instr, why: String) -> AdError {
        AdError::NotLinear { op: instr.op().name(), at: self.source.display_name(instr.result()), why }
    }

    fn inside(&self, e: AdError, instr: &Instr) -> AdError {
        let (op, at) = (instr.op().name(), self.source.display_name(instr.result()));
        e.within(&format!("a region of the {op} that defines {at}"))
    }
}

fn whole(b: &mut Builder, ty: &TensorType, n: i64) -> Result<Value, TypeError> {
    let literal = Literal::from_i64s(ty.clone(), &[n]);
    Ok(b.constant(literal.ok_or_else(|| TypeError::new("one number for a scalar"))?))
}
