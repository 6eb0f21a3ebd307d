//! Loops and choices on boxes: their regions become the local programs of the same boxes.

use super::{Instance, Part, localize_summed};
use crate::access::{AccessMap, FactorId, RegionFactors, regions};
use crate::build::Builder;
use crate::infer::{TypeError, infer};
use crate::op::Op;
use crate::program::{InstrId, Program, Value};
use crate::region::{IntervalSet, Region};

/// The results of a loop or choice on a box, in order; `None` for other ops. `xs` are its narrowed operands.
pub(super) fn emit(
    b: &mut Builder,
    program: &Program,
    at: &Instance,
    xs: &[Value],
) -> Result<Option<Vec<Value>>, TypeError> {
    let op = program.instr(at.instr).op();
    let types = program.operand_types(at.instr);
    let Some(found) = regions(op, &types, &infer(op, &types)?)? else { return Ok(None) };
    let sizes: Vec<usize> = found.factors.iter().map(|f| f.size).collect();
    let region = |(p, r): (&Program, &RegionFactors)| local(p, r, &sizes, &at.boxed);
    let locals = op.regions().into_iter().zip(&found.inside).map(region).collect::<Result<Vec<_>, _>>()?;
    let op = match <[Program; 2]>::try_from(locals) {
        Ok([cond, body]) if matches!(op, Op::While { .. }) => {
            Op::While { cond: Box::new(cond), body: Box::new(body) }
        }
        Ok(branches) => Op::Case { branches: branches.into() },
        Err(branches) => Op::Case { branches },
    };
    b.push(op, xs).map(Some)
}

/// A region on a box of the op that runs it, whose factors have these sizes.
fn local(
    region: &Program,
    factors: &RegionFactors,
    sizes: &[usize],
    boxed: &[IntervalSet],
) -> Result<Program, TypeError> {
    // A run for each index of the box, where the factor is smaller.
    let set = |f: Option<FactorId>, size: usize| {
        let Some(f) = f else { return IntervalSet::full(size) };
        let run = size / sizes[f].max(1);
        boxed[f].product(&IntervalSet::full(run), run)
    };
    let part = |(&value, dims): (&Value, &Vec<Option<FactorId>>)| {
        let sets = dims.iter().zip(region.ty(value).shape()).map(|(&f, &n)| set(f, n));
        Part { value, region: Region::new(sets.collect()) }
    };
    let instance = |instr: InstrId| {
        let access = AccessMap::of(region.instr(instr).op(), &region.operand_types(instr))?;
        let sets = factors.instrs[instr].iter().zip(&access.factors).map(|(&f, own)| set(f, own.size));
        Ok(Instance { instr, boxed: sets.collect() })
    };
    let instances = region.instrs().ids().map(instance).collect::<Result<Vec<_>, TypeError>>()?;
    let inputs: Vec<Part> = region.args().iter().zip(&factors.args).map(part).collect();
    let outputs: Vec<Part> = region.results().iter().zip(&factors.results).map(part).collect();
    localize_summed(region, &instances, &inputs, &outputs, |id| &factors.summed[id])
}
