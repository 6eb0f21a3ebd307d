//! The local program of op instances: what one device computes for a box of each op's iteration space.
//!
//! Local values are compact buffers of regions of global values. A held region may be larger than what an op
//! needs; the needed part is cut out first. Boxes that reduce part of a factor give contributions; operands
//! that join a reduction once are replaced by the identity wherever the box does not hold the origin.

mod narrow;
mod regions;
mod rules;

use crate::access::{AccessMap, FactorId, FactorKind};
use crate::build::Builder;
use crate::infer::TypeError;
use crate::program::{InstrId, Program, Value};
use crate::region::{IntervalSet, Region};
use std::collections::{BTreeMap, BTreeSet};

pub use narrow::narrow;

/// A local value and the region of the global value it holds compactly.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Held {
    /// Value of the local program.
    pub value: Value,
    /// Region of the global value.
    pub region: Region,
}

/// One op of a template with its box: an interval set per factor.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    /// The op in the global program.
    pub instr: InstrId,
    /// Interval set per factor of its access map.
    pub boxed: Vec<IntervalSet>,
}

/// A region of a global value.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Part {
    /// The global value.
    pub value: Value,
    /// Which of its elements.
    pub region: Region,
}

/// Adds the local ops of one instance to `b`; `operands` hold at least the needed regions.
pub fn restrict(
    b: &mut Builder,
    program: &Program,
    instance: &Instance,
    operands: &[Held],
) -> Result<Vec<Held>, TypeError> {
    restrict_summed(b, program, instance, operands, &[])
}

/// The same where operands that join a reduction, `summed`, are contributions to it already.
fn restrict_summed(
    b: &mut Builder,
    program: &Program,
    instance: &Instance,
    operands: &[Held],
    summed: &[(usize, FactorId)],
) -> Result<Vec<Held>, TypeError> {
    let instr = program.instr(instance.instr);
    let access = AccessMap::of(instr.op(), &program.operand_types(instance.instr))?;
    if access.factors.len() != instance.boxed.len() {
        return Err(TypeError::new(format!(
            "{} needs a box of {} sets",
            instance.instr,
            access.factors.len()
        )));
    }
    for (f, (factor, set)) in access.factors.iter().zip(&instance.boxed).enumerate() {
        let n = factor.size;
        if set.end() > n || (factor.kind == FactorKind::Blocked && !set.is_full(n)) {
            let why = if set.end() > n { "goes beyond it" } else { "cuts it, though it is never cut" };
            return Err(TypeError::new(format!(
                "{}: {set} of factor {f}, of size {n}, {why}",
                instr.op().name()
            )));
        }
    }
    let written: Vec<Region> = (0..access.results.len()).map(|k| access.writes(k, &instance.boxed)).collect();
    if written.iter().all(Region::is_empty) {
        // Nothing to compute; later ops still find a value of the right (empty) shape.
        let empty = |(region, &v): (Region, &Value)| {
            let ty = program.ty(v).with_shape(region.shape());
            Held { value: b.splat(&ty, 0.0), region }
        };
        return Ok(written.into_iter().zip(instr.results()).map(empty).collect());
    }
    let mut locals = Vec::with_capacity(operands.len());
    for (i, held) in operands.iter().enumerate() {
        let takes = access.takes(i, &instance.boxed);
        locals.push(match access.is_read(i, &instance.boxed, summed) {
            true => narrow(b, held, &takes)?,
            false => rules::identity_operand(b, instr, program.ty(instr.operands()[i]), &takes)?,
        });
    }
    let values = match (regions::emit(b, program, instance, &locals)?, instr.results().len()) {
        (Some(values), _) => values,
        (None, 1) => vec![rules::emit(b, program, instance, &locals, &written[0])?],
        // Whole boxes only.
        (None, _) => b.push(instr.op().clone(), &locals)?,
    };
    let mut held = Vec::with_capacity(values.len());
    for (value, region) in values.into_iter().zip(written) {
        let got = b.ty(value).shape().to_vec();
        if got != region.shape() {
            let name = instr.op().name();
            return Err(TypeError::new(format!("{name}: restricted result is {got:?}, not {region}")));
        }
        held.push(Held { value, region });
    }
    Ok(held)
}

/// The local program of a list of instances: arguments are compact buffers of `inputs`, results those of
/// `outputs`. Of a value of which there are several inputs, each op reads the smallest that has what it needs. A value
/// computed here hides inputs of the same value for later instances.
pub fn localize(
    program: &Program,
    instances: &[Instance],
    inputs: &[Part],
    outputs: &[Part],
) -> Result<Program, TypeError> {
    localize_summed(program, instances, inputs, outputs, |_| &[])
}

/// Most parts of one input that are told apart.
const MAX_PARTS: usize = 4;

/// Of each input, the parts that the instances read or the outputs pass on, each once and the smallest first; one that
/// has them all where they are many.
pub fn read_parts(
    program: &Program,
    instances: &[Instance],
    inputs: &[Part],
    outputs: &[Part],
) -> Result<Vec<Vec<Region>>, TypeError> {
    let mut read: BTreeMap<Value, Vec<Region>> = BTreeMap::new();
    let mut made: BTreeSet<Value> = BTreeSet::new();
    let mut add = |v: Value, region: Region| {
        let parts = read.entry(v).or_default();
        if !region.is_empty() && !parts.contains(&region) {
            parts.push(region);
        }
        if parts.len() > MAX_PARTS {
            let dim = |d: usize| parts.iter().flat_map(move |r| r.dims()[d].intervals().iter().copied());
            let rank = parts[0].dims().len();
            *parts = vec![Region::new((0..rank).map(|d| IntervalSet::from_intervals(dim(d))).collect())];
        }
    };
    for instance in instances {
        let instr = program.instr(instance.instr);
        let access = AccessMap::of(instr.op(), &program.operand_types(instance.instr))?;
        let computes = (0..access.results.len()).any(|k| !access.writes(k, &instance.boxed).is_empty());
        let outer = instr.operands().iter().enumerate().filter(|(_, v)| computes && !made.contains(v));
        outer.for_each(|(i, &v)| add(v, access.needs(i, &instance.boxed)));
        made.extend(instr.results());
    }
    for part in outputs.iter().filter(|p| !made.contains(&p.value)) {
        add(part.value, part.region.clone());
    }
    let parts = |part: &Part| {
        let mut parts = read.get(&part.value).cloned().unwrap_or_default();
        parts.sort_by_key(Region::count);
        parts
    };
    Ok(inputs.iter().map(parts).collect())
}

/// What an op, or a result, reads of several parts of a value: the smallest that has the region it needs.
fn smallest(parts: &[Held], needs: impl FnOnce() -> Result<Region, TypeError>) -> Result<Held, TypeError> {
    let [.., last] = parts else { return Err(TypeError::new("no part of a value is at hand")) };
    if parts.len() == 1 {
        return Ok(last.clone());
    }
    let needs = needs()?;
    let fits = parts.iter().filter(|h| needs.is_subset(&h.region));
    Ok(fits.min_by_key(|h| h.region.count()).unwrap_or(last).clone())
}

/// The same where operands of some ops are contributions already, as of [`restrict_summed`].
fn localize_summed<'a>(
    program: &Program,
    instances: &[Instance],
    inputs: &[Part],
    outputs: &[Part],
    summed: impl Fn(InstrId) -> &'a [(usize, FactorId)],
) -> Result<Program, TypeError> {
    let mut b = Builder::new(program.name());
    let mut held: BTreeMap<Value, Vec<Held>> = BTreeMap::new();
    for part in inputs {
        let ty = program.ty(part.value).with_shape(part.region.shape());
        let parts = held.entry(part.value).or_default();
        let name = program.value_name(part.value).filter(|_| parts.is_empty());
        let value = b.arg(name, ty);
        parts.push(Held { value, region: part.region.clone() });
    }
    let missing = |v: Value| TypeError::new(format!("{v} ({}) is not at hand", program.display_name(v)));
    for instance in instances {
        let instr = program.instr(instance.instr);
        let mut operands = Vec::with_capacity(instr.operands().len());
        for (i, &v) in instr.operands().iter().enumerate() {
            let needs = || {
                let access = AccessMap::of(instr.op(), &program.operand_types(instance.instr))?;
                Ok(access.needs(i, &instance.boxed))
            };
            operands.push(smallest(held.get(&v).ok_or_else(|| missing(v))?, needs)?);
        }
        let results = restrict_summed(&mut b, program, instance, &operands, summed(instance.instr))?;
        for (&v, r) in instr.results().iter().zip(results) {
            held.insert(v, vec![r]);
        }
    }
    let mut results = Vec::with_capacity(outputs.len());
    for part in outputs {
        let parts = held.get(&part.value).ok_or_else(|| missing(part.value))?;
        let h = smallest(parts, || Ok(part.region.clone()))?;
        results.push((narrow(&mut b, &h, &part.region)?, program.value_name(part.value).map(str::to_owned)));
    }
    Ok(b.finish_named(results))
}
