//! Dense derivatives: Jacobians by columns (`jacfwd`) or rows (`jacrev`), and Hessians.
//!
//! The linear or transposed program is applied to all unit vectors at once, batched over a leading dimension
//! (`ir::batch`), so the program does not grow with the number of coordinates. Where an op cannot be batched it is
//! repeated for each of them, up to [`MAX_UNROLLED`].

use super::{finish, inline_primal, same_args, value_and_grad_with};
use crate::error::AdError;
use crate::linearize::{differentiable_results, linearize_with};
use crate::options::Options;
use crate::together::together;
use crate::transpose::transpose;
use pullback_ir::batch::{Alone, BatchError, Batched, batch, widen};
use pullback_ir::{Builder, Comparison, DType, Op, Program, TensorType, TypeError, Value};

/// Most coordinates for which a program that cannot be batched is repeated.
const MAX_UNROLLED: usize = 256;

/// Jacobians by forward mode: a column for each coordinate of the arguments. Results: the source's, then for each
/// floating-point result and each `wrt` entry a tensor `jac.<result>.<argument>`, the result's dimensions before the
/// argument's. Differentiated arguments must be real.
pub fn jacfwd(program: &Program, wrt: &[usize]) -> Result<Program, AdError> {
    all_real("jacfwd", program, wrt.iter().map(|&i| program.args()[i]))?;
    let results = differentiable_results(program);
    let joint = together(program, wrt, &results)?;
    let names = Names { kind: "jac", results: &results, wrt, program };
    by_columns("jacfwd", program, &joint, &results, &names)
}

/// Jacobians by reverse mode: a row for each coordinate of the results, which must be real. Results as those of
/// [`jacfwd`].
pub fn jacrev(program: &Program, wrt: &[usize]) -> Result<Program, AdError> {
    jacrev_with(program, wrt, &Options::default())
}

/// As [`jacrev`], with what is to be done about loops.
pub fn jacrev_with(program: &Program, wrt: &[usize], options: &Options) -> Result<Program, AdError> {
    let lin = linearize_with(program, wrt, options)?;
    all_real("jacrev", program, lin.results.iter().map(|&i| program.results()[i]))?;
    let names = Names { kind: "jac", results: &lin.results, wrt, program };
    let turned = transpose(&lin.linear)?;
    let rows = on_basis("jacrev", &turned, lin.residuals.len(), 0)?;
    let mut b = Builder::new(format!("{}.jacrev", program.name()));
    let args = same_args(&mut b, program);
    let (mut results, residuals) = inline_primal(&mut b, &lin.primal, &args, program)?;
    let primal = b.so_far().instrs().len();
    let rows = b.inline(&rows, &residuals, None)?;
    let mut start = 0;
    for (k, &i) in lin.results.iter().enumerate() {
        let own = program.ty(program.results()[i]);
        for (j, &row) in rows.iter().enumerate() {
            let block = part(&mut b, row, start, own.count())?;
            let shape = [own.shape(), program.ty(program.args()[wrt[j]]).shape()].concat();
            results.push((b.reshape(block, &shape)?, names.of(k, j)));
        }
        start += own.count();
    }
    finish(b, program, &results, primal)
}

/// The dense Hessian of the loss, forward over reverse. Results: the source's, the gradients, then for each pair of
/// `wrt` entries, in order, a tensor `hessian.<a>.<b>` with the dimensions of `a` before those of `b`. Differentiated
/// arguments must be real.
pub fn hessian(program: &Program, wrt: &[usize]) -> Result<Program, AdError> {
    hessian_with(program, wrt, &Options::default())
}

/// As [`hessian`], with what is to be done about loops.
pub fn hessian_with(program: &Program, wrt: &[usize], options: &Options) -> Result<Program, AdError> {
    let gradient = value_and_grad_with(program, wrt, options)?;
    all_real("hessian", program, wrt.iter().map(|&i| program.args()[i]))?;
    let n = program.results().len();
    let outputs: Vec<usize> = (n..n + wrt.len()).collect();
    let joint = together(&gradient, wrt, &outputs)?;
    let names = Names { kind: "hessian", results: wrt, wrt, program };
    by_columns("hessian", &gradient, &joint, &outputs, &names)
}

/// The source's results and the blocks of the derivative of some of them, from `joint`, the source with tangents, on
/// all unit tangents.
fn by_columns(
    mode: &'static str,
    source: &Program,
    joint: &Program,
    of: &[usize],
    names: &Names,
) -> Result<Program, AdError> {
    let own = source.results().len();
    let columns = on_basis(mode, joint, source.args().len(), own)?;
    let mut b = Builder::new(format!("{}.{mode}", names.program.name()));
    let args = same_args(&mut b, source);
    let mut values = b.inline(&columns, &args, Some(""))?;
    let columns = values.split_off(own);
    let own = values.into_iter().enumerate().map(|(i, v)| (v, source.result_name(i).map(str::to_owned)));
    let mut results: Vec<(Value, Option<String>)> = own.collect();
    for (k, (&column, &result)) in columns.iter().zip(of).enumerate() {
        let shape = source.ty(source.results()[result]).shape().to_vec();
        // The coordinate of the argument goes last.
        let last: Vec<usize> = (1..=shape.len()).chain([0]).collect();
        let turned = b.transpose(column, &last)?;
        let mut start = 0;
        for (j, &i) in names.wrt.iter().enumerate() {
            let arg = source.ty(source.args()[i]);
            let block = last_part(&mut b, turned, start, arg.count())?;
            let block = b.reshape(block, &[&shape, arg.shape()].concat())?;
            results.push((block, names.of(k, j)));
            start += arg.count();
        }
    }
    finish(b, source, &results, 0)
}

/// What the blocks of a derivative are called.
struct Names<'a> {
    kind: &'a str,
    /// Results of the program, or arguments again for second derivatives.
    results: &'a [usize],
    wrt: &'a [usize],
    program: &'a Program,
}

impl Names<'_> {
    /// The name of the block of entry `k` of the results and entry `j` of `wrt`.
    fn of(&self, k: usize, j: usize) -> Option<String> {
        let arg = |i: usize| {
            self.program.value_name(self.program.args()[i]).map_or(format!("arg{i}"), str::to_owned)
        };
        let first = match (self.kind, self.results[k]) {
            ("hessian", i) => arg(i),
            (_, i) => self.program.result_name(i).map_or(format!("out{i}"), str::to_owned),
        };
        Some(format!("{}.{first}.{}", self.kind, arg(self.wrt[j])))
    }
}

fn all_real(
    mode: &'static str,
    program: &Program,
    values: impl Iterator<Item = Value>,
) -> Result<(), AdError> {
    for v in values {
        let ty = program.ty(v);
        if ty.dtype().is_differentiable() && !ty.dtype().is_float() {
            return Err(AdError::NotReal { mode, what: program.display_name(v), ty: ty.clone() });
        }
    }
    Ok(())
}

/// A program of the first `fixed` arguments that applies `program` to every unit vector of the space of the others. Its
/// first `own` results do not depend on those; each other gets their number as a first dimension.
fn on_basis(mode: &'static str, program: &Program, fixed: usize, own: usize) -> Result<Program, AdError> {
    let count = program.args()[fixed..].iter().fold(0usize, |n, &v| n.saturating_add(program.ty(v).count()));
    match batched(program, fixed, own, count) {
        Ok(all) => Ok(all),
        Err(BatchError::Type(e)) => Err(e.into()),
        Err(BatchError::Refused { .. }) if count <= MAX_UNROLLED => Ok(unrolled(program, fixed, own, count)?),
        Err(e @ BatchError::Refused { .. }) => {
            let why = e.to_string();
            let why = why.strip_prefix("unsupported: ").unwrap_or(&why).to_owned();
            Err(AdError::NotBatched { mode, count, why })
        }
    }
}

/// The first `own` results, from zeros for what they do not depend on.
fn plain(b: &mut Builder, program: &Program, held: &[Value], own: usize) -> Result<Vec<Value>, TypeError> {
    if own == 0 {
        return Ok(Vec::new());
    }
    let mut args = held.to_vec();
    for &a in &program.args()[held.len()..] {
        args.push(b.splat(program.ty(a), 0.0));
    }
    let mut results = b.inline(program, &args, Some(""))?;
    results.truncate(own);
    Ok(results)
}

/// The fixed arguments, and all unit vectors as one tensor [count, ...] for each other argument.
fn basis(
    b: &mut Builder,
    program: &Program,
    fixed: usize,
    count: usize,
) -> Result<(Vec<Value>, Vec<Value>), TypeError> {
    let held = program.args()[..fixed].iter().map(|&a| b.arg(None, program.ty(a).clone())).collect();
    let mut units = Vec::new();
    let mut start = 0;
    for &a in &program.args()[fixed..] {
        let ty = program.ty(a);
        let own = ty.count();
        let ints = TensorType::try_new(DType::I64, vec![count, own])
            .ok_or_else(|| TypeError::new(format!("{count} unit vectors for {ty} are too large")))?;
        let row = b.push1(Op::Iota { ty: ints.clone(), dim: 0 }, &[])?;
        let column = b.push1(Op::Iota { ty: ints.clone(), dim: 1 }, &[])?;
        let offset = b.splat(&ints, start as f64);
        let column = b.add(column, offset)?;
        let here = b.compare(Comparison::Eq, row, column)?;
        let unit = b.convert(here, ty.dtype())?;
        units.push(b.reshape(unit, &[&[count], ty.shape()].concat())?);
        start += own;
    }
    Ok((held, units))
}

fn batched(program: &Program, fixed: usize, own: usize, count: usize) -> Result<Program, BatchError> {
    let mut b = Builder::new(program.name());
    let (held, units) = basis(&mut b, program, fixed, count)?;
    let same = held.iter().map(|&value| Batched { value, varies: false });
    let args: Vec<Batched> =
        same.chain(units.into_iter().map(|value| Batched { value, varies: true })).collect();
    let results = batch(&mut b, program, &args, &[count], &mut Alone)?;
    let (plainly, tangents) = results.split_at(own);
    let mut all: Vec<Value> = match plainly.iter().any(|r| r.varies) {
        true => plain(&mut b, program, &held, own)?,
        false => plainly.iter().map(|r| r.value).collect(),
    };
    for &t in tangents {
        all.push(widen(&mut b, t, &[count])?);
    }
    Ok(b.finish(&all))
}

fn unrolled(program: &Program, fixed: usize, own: usize, count: usize) -> Result<Program, TypeError> {
    let mut b = Builder::new(program.name());
    let (held, units) = basis(&mut b, program, fixed, count)?;
    let mut results = plain(&mut b, program, &held, own)?;
    let mut rows: Vec<Vec<Value>> = vec![Vec::new(); program.results().len() - own];
    for i in 0..count {
        let mut args = held.clone();
        for (&unit, &a) in units.iter().zip(&program.args()[fixed..]) {
            let one = part(&mut b, unit, i, 1)?;
            args.push(b.reshape(one, program.ty(a).shape())?);
        }
        for (rows, &v) in rows.iter_mut().zip(&b.inline(program, &args, None)?[own..]) {
            let shape = [&[1], b.ty(v).shape()].concat();
            rows.push(b.reshape(v, &shape)?);
        }
    }
    for (rows, &r) in rows.iter().zip(&program.results()[own..]) {
        let ty = program.ty(r);
        results.push(match rows.as_slice() {
            [] => b.splat(&ty.with_shape([&[0], ty.shape()].concat()), 0.0),
            rows => b.push1(Op::Concatenate { dim: 0 }, rows)?,
        });
    }
    Ok(b.finish(&results))
}

/// Indices `start` to `start + count` of the first dimension.
fn part(b: &mut Builder, x: Value, start: usize, count: usize) -> Result<Value, TypeError> {
    along(b, x, 0, start, count)
}

/// Indices `start` to `start + count` of the last dimension.
fn last_part(b: &mut Builder, x: Value, start: usize, count: usize) -> Result<Value, TypeError> {
    along(b, x, b.ty(x).rank() - 1, start, count)
}

fn along(b: &mut Builder, x: Value, dim: usize, start: usize, count: usize) -> Result<Value, TypeError> {
    let mut limits = b.ty(x).shape().to_vec();
    if count == limits[dim] {
        return Ok(x);
    }
    let (mut starts, strides) = (vec![0; limits.len()], vec![1; limits.len()]);
    (starts[dim], limits[dim]) = (start, start + count);
    b.push1(Op::Slice { starts, limits, strides }, &[x])
}
