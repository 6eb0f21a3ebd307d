//! Loops and choices over leading dimensions.

use super::{Batched, Batcher, Result, batch_in, refused, widen};
use crate::build::Builder;
use crate::dtype::{DType, TensorType};
use crate::op::{BinaryOp, Comparison, Composite, Monoid, Op};
use crate::program::{Instr, Program, Value};

/// A region batched: its program, and which of its results vary.
struct Region {
    program: Program,
    varies: Vec<bool>,
}

impl Batcher<'_, '_, '_, '_> {
    /// The type of a region's argument that varies or does not.
    fn arg_type(&self, ty: &TensorType, varies: bool) -> TensorType {
        if varies { TensorType::new(ty.dtype(), self.before(ty.shape())) } else { ty.clone() }
    }

    /// A region whose arguments vary so; results that `wide` names are made to.
    fn region(&mut self, region: &Program, args: &[bool], wide: &[bool]) -> Result<Region> {
        let mut b = Builder::new(region.name());
        let mut inner = Vec::with_capacity(args.len());
        for (&arg, &varies) in region.args().iter().zip(args) {
            let ty = self.arg_type(region.ty(arg), varies);
            let value = b.arg(region.value_name(arg), ty);
            inner.push(Batched { value, varies });
        }
        let mut results = batch_in(&mut b, region, &inner, self.lead, self.context)?;
        for (x, &wide) in results.iter_mut().zip(wide) {
            if wide {
                *x = Batched { value: widen(&mut b, *x, self.lead)?, varies: true };
            }
        }
        let varies = results.iter().map(|x| x.varies).collect();
        let values: Vec<Value> = results.iter().map(|x| x.value).collect();
        Ok(Region { program: b.finish(&values), varies })
    }

    pub(super) fn while_loop(
        &mut self,
        instr: &Instr,
        cond: &Program,
        body: &Program,
    ) -> Result<Vec<Batched>> {
        let carried = body.results().len();
        let mut varies = Vec::with_capacity(instr.operands().len());
        for &v in instr.operands() {
            varies.push(self.get(v)?.varies);
        }
        // What varies after a turn does so from the next one on; each round finds more or is the last.
        let body_region = loop {
            let region = self.region(body, &varies, &varies[..carried])?;
            if region.varies == varies[..carried] {
                break region;
            }
            varies[..carried].copy_from_slice(&region.varies);
        };
        let test = self.region(cond, &varies, &[])?;
        if test.varies[0] {
            return self.masked_loop(instr, cond, body);
        }
        let mut operands = Vec::with_capacity(varies.len());
        for (&v, &wide) in instr.operands().iter().zip(&varies) {
            operands.push(if wide { self.wide(v)? } else { self.get(v)?.value });
        }
        let op = Op::While { cond: Box::new(test.program), body: Box::new(body_region.program) };
        let results = self.b.push(op, &operands)?;
        Ok(results.into_iter().zip(varies).map(|(value, varies)| Batched { value, varies }).collect())
    }

    /// A loop that ends at different turns: whether an index goes on is carried along, first.
    fn masked_loop(&mut self, instr: &Instr, cond: &Program, body: &Program) -> Result<Vec<Batched>> {
        if communicates(cond) || communicates(body) {
            let why = "devices communicate in a loop whose number of turns may differ between them";
            return Err(refused("while", why.to_owned()));
        }
        let carried = body.results().len();
        let mut operands = Vec::with_capacity(instr.operands().len());
        let mut varies = Vec::with_capacity(instr.operands().len());
        for (i, &v) in instr.operands().iter().enumerate() {
            let x = self.get(v)?;
            let wide = i < carried || x.varies;
            operands.push(Batched { value: if wide { self.wide(v)? } else { x.value }, varies: wide });
            varies.push(wide);
        }
        let first = batch_in(self.b, cond, &operands, self.lead, self.context)?[0];
        let first = widen(self.b, first, self.lead)?;
        let going = TensorType::new(DType::Bool, self.lead);
        let args = |b: &mut Builder, this: &Self| {
            let going = b.arg(None, going.clone());
            let types = instr.operands().iter().zip(&varies).map(|(&v, &w)| this.arg_type(this.own(v), w));
            let own: Vec<Batched> =
                types.zip(&varies).map(|(ty, &varies)| Batched { value: b.arg(None, ty), varies }).collect();
            (going, own)
        };
        let mut b = Builder::new(cond.name());
        let (flags, _) = args(&mut b, self);
        let all: Vec<usize> = (0..self.n()).collect();
        let any = b.reduce(flags, &all, Monoid::Or)?;
        let test = b.finish(&[any]);
        let mut b = Builder::new(body.name());
        let (flags, own) = args(&mut b, self);
        let new = batch_in(&mut b, body, &own, self.lead, self.context)?;
        let mut next = own.clone();
        for (k, x) in new.into_iter().enumerate() {
            let x = widen(&mut b, x, self.lead)?;
            let shape = b.ty(x).shape().to_vec();
            let flags = if shape.len() == all.len() { flags } else { b.broadcast(flags, &shape, &all)? };
            next[k] = Batched { value: b.select(flags, x, own[k].value)?, varies: true };
        }
        let again = batch_in(&mut b, cond, &next, self.lead, self.context)?[0];
        let again = widen(&mut b, again, self.lead)?;
        let again = b.binary(BinaryOp::And, flags, again)?;
        let results: Vec<Value> =
            std::iter::once(again).chain(next[..carried].iter().map(|x| x.value)).collect();
        let body = b.finish(&results);
        let operands: Vec<Value> = std::iter::once(first).chain(operands.iter().map(|x| x.value)).collect();
        let op = Op::While { cond: Box::new(test), body: Box::new(body) };
        let results = self.b.push(op, &operands)?;
        Ok(results[1..].iter().map(|&value| Batched { value, varies: true }).collect())
    }

    /// Every program of it with all arguments and results widened, so that the signatures of its rule fit again.
    pub(super) fn composite(&mut self, instr: &Instr, c: &Composite) -> Result<Vec<Batched>> {
        let operands = instr.operands().iter().map(|&v| self.get(v)).collect::<Result<Vec<_>>>()?;
        if !operands.iter().any(|x| x.varies) && !instr.op().communicates() {
            let values: Vec<Value> = operands.iter().map(|x| x.value).collect();
            let results = self.b.push(instr.op().clone(), &values)?;
            return Ok(results.into_iter().map(|value| Batched { value, varies: false }).collect());
        }
        let operands = instr.operands().iter().map(|&v| self.wide(v)).collect::<Result<Vec<_>>>()?;
        let batched = c.try_map(|p| -> Result<Program> {
            let all = |n: usize| vec![true; n];
            Ok(self.region(p, &all(p.args().len()), &all(p.results().len()))?.program)
        })?;
        let results = self.b.push(Op::Composite(Box::new(batched)), &operands)?;
        Ok(results.into_iter().map(|value| Batched { value, varies: true }).collect())
    }

    pub(super) fn case(&mut self, instr: &Instr, branches: &[Program]) -> Result<Vec<Batched>> {
        let Some((&index, captured)) = instr.operands().split_first() else { return Ok(Vec::new()) };
        let index = self.get(index)?;
        let captured = captured.iter().map(|&v| self.get(v)).collect::<Result<Vec<_>>>()?;
        if index.varies {
            return self.select_branch(instr, index.value, &captured, branches);
        }
        let args: Vec<bool> = captured.iter().map(|x| x.varies).collect();
        let mut regions = Vec::with_capacity(branches.len());
        for branch in branches {
            regions.push(self.region(branch, &args, &[])?);
        }
        let varies: Vec<bool> =
            (0..instr.results().len()).map(|k| regions.iter().any(|r| r.varies[k])).collect();
        let mut batched = Vec::with_capacity(branches.len());
        for (branch, region) in branches.iter().zip(regions) {
            let fits = region.varies == varies;
            let region = if fits { region } else { self.region(branch, &args, &varies)? };
            batched.push(region.program);
        }
        let operands: Vec<Value> =
            std::iter::once(index.value).chain(captured.iter().map(|x| x.value)).collect();
        let results = self.b.push(Op::Case { branches: batched }, &operands)?;
        Ok(results.into_iter().zip(varies).map(|(value, varies)| Batched { value, varies }).collect())
    }

    /// All branches, then a selection for each result; an index out of range takes the last.
    fn select_branch(
        &mut self,
        instr: &Instr,
        index: Value,
        captured: &[Batched],
        branches: &[Program],
    ) -> Result<Vec<Batched>> {
        if branches.iter().any(communicates) {
            let why = "devices communicate in a branch that not all of them may take";
            return Err(refused("case", why.to_owned()));
        }
        let mut all = Vec::with_capacity(branches.len());
        for branch in branches {
            let results = batch_in(self.b, branch, captured, self.lead, self.context)?;
            let wide = results.into_iter().map(|x| widen(self.b, x, self.lead));
            all.push(wide.collect::<Result<Vec<Value>>>()?);
        }
        let Some(mut chosen) = all.pop() else { return Ok(Vec::new()) };
        for (k, branch) in all.iter().enumerate() {
            let ty = self.b.ty(index).clone();
            let k = self.b.splat(&ty, k as f64);
            let here = self.b.compare(Comparison::Eq, index, k)?;
            for ((c, &value), &r) in chosen.iter_mut().zip(branch).zip(instr.results()) {
                let own = self.own(r).shape().to_vec();
                let here = self.spread(here, &own)?;
                *c = self.b.select(here, value, *c)?;
            }
        }
        Ok(chosen.into_iter().map(|value| Batched { value, varies: true }).collect())
    }
}

/// Whether other indices can tell that a program ran.
fn communicates(program: &Program) -> bool {
    program.instrs().values().any(|i| i.op().communicates())
}
