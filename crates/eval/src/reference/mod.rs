//! The reference evaluator: what each op means, as plain loops over single elements.
//!
//! It is what other implementations are judged by, so it shares nothing with them: no kernels, no access maps,
//! no fusion, one thread. Every op rounds its result to the element type; orders and types of accumulation are
//! stated in `contract.rs`. It is slow, and meant to be.

pub(crate) mod bits;
pub(crate) mod complex;
mod complex_inverse;
mod contract;
pub(crate) mod elementwise;
mod gather;
mod grid;
mod index;
mod scalar;
mod special;
#[cfg(test)]
mod tests;
mod window;
mod zeta;

use crate::algorithm;
use crate::buffer::{Tensor, probe};
use crate::custom;
use crate::device::describe;
use crate::error::{EvalError, Result, check_alone};
pub use grid::{MAX_PROCESSES, eval_grid};
use pullback_base::IdMap;
use pullback_ir::{Communication, Instr, Op, Program, TensorType, Value, infer};
use scalar::{Scalar, read, read_ints, write};

/// What runs the ops of a program that reach other programs.
trait Others {
    fn communicate(&self, op: &Communication, operands: &[&Tensor]) -> Result<Vec<Tensor>>;
}

/// There are no others.
struct Alone;

impl Others for Alone {
    fn communicate(&self, op: &Communication, _: &[&Tensor]) -> Result<Vec<Tensor>> {
        Err(EvalError::Alone { op: op.name() })
    }
}

/// The results of a program on these arguments. One that communicates is refused: [`eval_grid`] runs it.
pub fn eval(program: &Program, args: &[Tensor]) -> Result<Vec<Tensor>> {
    check_alone(program)?;
    eval_among(program, args, &Alone)
}

fn eval_among(program: &Program, args: &[Tensor], others: &dyn Others) -> Result<Vec<Tensor>> {
    check_args(program, args)?;
    let mut values = IdMap::<Value, Option<Tensor>>::filled(program.n_values(), None);
    let mut uses_left = IdMap::<Value, usize>::filled(program.n_values(), 0);
    let instrs = program.instrs().values();
    for &v in instrs.clone().flat_map(|i| i.operands()).chain(program.results()) {
        uses_left[v] += 1;
    }
    // Found out at once rather than after all that comes before.
    for instr in instrs.clone() {
        check_instr(program, instr)?;
    }
    for (&v, t) in program.args().iter().zip(args) {
        values[v] = Some(t.try_clone()?);
    }
    let defined = "operands are defined before their use";
    for instr in instrs {
        check_instr(program, instr)?;
        let operands: Vec<&Tensor> =
            instr.operands().iter().map(|&v| values[v].as_ref().expect(defined)).collect();
        let results = eval_op_among(instr.op(), &operands, others)?;
        for &v in instr.operands() {
            uses_left[v] -= 1;
            if uses_left[v] == 0 {
                values[v] = None;
            }
        }
        for (&v, t) in instr.results().iter().zip(results) {
            values[v] = (uses_left[v] > 0).then_some(t);
        }
    }
    let mut results = Vec::with_capacity(program.results().len());
    for &v in program.results() {
        uses_left[v] -= 1;
        results.push(match uses_left[v] {
            0 => values[v].take().expect(defined),
            _ => values[v].as_ref().expect(defined).try_clone()?,
        });
    }
    Ok(results)
}

/// There is memory now to compute this instruction.
fn check_instr(program: &Program, instr: &Instr) -> Result<()> {
    let types: Vec<&TensorType> = instr.operands().iter().map(|&v| program.ty(v)).collect();
    let Some(&result) = instr.results().first() else { return Ok(()) };
    check_room(instr.op(), &types, program.ty(result), || {
        // The operands, unpacked, may be most of it.
        let value = describe(program, result);
        if !matches!(instr.op(), Op::Constant(_)) {
            format!("{} to compute {value}", instr.op().name())
        } else {
            value
        }
    })
}

/// There is memory now to compute an op, its operands given: for the result and the elements unpacked on the way.
/// `what` says what it is for.
pub(crate) fn check_room(
    op: &Op,
    operands: &[&TensorType],
    result: &TensorType,
    what: impl FnOnce() -> String,
) -> Result<()> {
    let read = |types: &[&TensorType]| types.iter().map(|t| t.count()).sum::<usize>();
    let n = result.count();
    let unpacked = match op {
        Op::Constant(_)
        | Op::BroadcastInDim { .. }
        | Op::Reshape { .. }
        | Op::Transpose { .. }
        | Op::Slice { .. }
        | Op::Concatenate { .. }
        | Op::Pad { .. }
        | Op::Reverse { .. }
        | Op::DynamicSlice { .. }
        | Op::DynamicUpdateSlice => 0,
        // Regions check their own instructions.
        Op::While { .. } | Op::Case { .. } | Op::Composite(_) => 0,
        Op::Custom(_) => n,
        Op::BitcastConvert { .. } | Op::ReducePrecision { .. } => read(operands),
        Op::ReduceWindow { .. } | Op::SelectAndScatter { .. } => read(operands) + n,
        Op::Argsort { .. } => read(operands) + n,
        Op::Fft { .. } | Op::Linalg(_) | Op::RngBitGenerator { .. } => read(operands) + n,
        Op::Communicate(_) => 0,
        Op::Iota { .. } | Op::Select => n,
        Op::Unary(_) | Op::Binary(_) | Op::Compare { .. } | Op::Convert { .. } => read(operands),
        // Rank-0 bounds are repeated.
        Op::Clamp => 3 * n,
        Op::Reduce { .. } => read(operands) + n,
        // Each result element is kept with its possible error first.
        Op::DotGeneral(_) | Op::Convolution(_) => {
            read(operands) + n + n * size_of::<Result<Scalar>>().div_ceil(size_of::<Scalar>())
        }
        // Indices, unpacked twice.
        Op::Gather(_) | Op::Scatter { .. } => 2 * operands[1].count(),
    };
    probe(result.bytes().saturating_add(unpacked.saturating_mul(size_of::<Scalar>())), what)
}

/// Arguments are as many and of the types that the program says.
pub(crate) fn check_args(program: &Program, args: &[Tensor]) -> Result<()> {
    if program.args().len() != args.len() {
        return Err(EvalError::Count { what: "arguments", want: program.args().len(), got: args.len() });
    }
    for (index, (&v, t)) in program.args().iter().zip(args).enumerate() {
        if program.ty(v) != t.ty() {
            return Err(EvalError::ArgumentType {
                index,
                name: program.display_name(v),
                want: program.ty(v).clone(),
                got: t.ty().clone(),
            });
        }
    }
    Ok(())
}

/// The results of one op on these operands.
pub fn eval_op(op: &Op, operands: &[&Tensor]) -> Result<Vec<Tensor>> {
    eval_op_among(op, operands, &Alone)
}

fn eval_op_among(op: &Op, operands: &[&Tensor], others: &dyn Others) -> Result<Vec<Tensor>> {
    let types: Vec<&TensorType> = operands.iter().map(|t| t.ty()).collect();
    let result_types = infer::infer(op, &types)?;
    if let Op::While { cond, body } = op {
        return while_loop(cond, body, operands, others);
    }
    if let Op::Case { branches } = op {
        let branch = chosen(read_ints(operands[0])[0], branches.len());
        return eval_among(&branches[branch], &owned(&operands[1..]), others);
    }
    if let Op::Composite(c) = op {
        return eval_among(&c.body, &owned(operands), others);
    }
    if let Op::Custom(c) = op {
        return custom::evaluate(c, operands);
    }
    if let Op::Communicate(c) = op {
        return others.communicate(c, operands);
    }
    if let Op::RngBitGenerator { algorithm, ty } = op {
        return algorithm::rng_bit_generator(*algorithm, operands[0], ty);
    }
    if let Op::Linalg(l) = op {
        return algorithm::linalg(l, operands, &result_types);
    }
    check_room(op, &types, &result_types[0], || format!("{} {}", op.name(), result_types[0]))?;
    one(op, operands, &result_types[0]).map(|t| vec![t])
}

fn owned(xs: &[&Tensor]) -> Vec<Tensor> {
    xs.iter().map(|&x| x.clone()).collect()
}

/// The branch that an index chooses: the last one where it is out of range.
pub(crate) fn chosen(index: i128, branches: usize) -> usize {
    usize::try_from(index).ok().filter(|&i| i < branches).unwrap_or(branches - 1)
}

fn while_loop(
    cond: &Program,
    body: &Program,
    operands: &[&Tensor],
    others: &dyn Others,
) -> Result<Vec<Tensor>> {
    let mut values = owned(operands);
    let carried = body.results().len();
    while eval_among(cond, &values, others)?[0].get_i64(0) != 0 {
        let new = eval_among(body, &values, others)?;
        values.splice(..carried, new);
    }
    values.truncate(carried);
    Ok(values)
}

/// The result of an op whose operands and result type have been checked.
fn one(op: &Op, xs: &[&Tensor], ty: &TensorType) -> Result<Tensor> {
    Ok(match op {
        Op::Constant(literal) => Tensor::from_literal(literal),
        Op::Iota { ty, dim } => iota(ty, *dim),
        Op::Unary(u) => {
            let d = xs[0].dtype();
            map(ty, read(xs[0]).into_iter().map(|x| elementwise::unary(*u, d, x)))?
        }
        Op::Binary(b) => {
            let pairs = read(xs[0]).into_iter().zip(read(xs[1]));
            map(ty, pairs.map(|(x, y)| elementwise::binary(*b, ty.dtype(), x, y)))?
        }
        Op::Compare { direction, total_order } => {
            let pairs = read(xs[0]).into_iter().zip(read(xs[1]));
            write(ty, pairs.map(|(x, y)| Scalar::Bool(elementwise::compare(*direction, *total_order, x, y))))
        }
        Op::Select => select(ty, xs[0], xs[1], xs[2]),
        Op::Clamp => {
            let (lo, x, hi) = (read_as(xs[0], ty), read(xs[1]), read_as(xs[2], ty));
            map(ty, (0..x.len()).map(|i| elementwise::clamp(ty.dtype(), lo[i], x[i], hi[i])))?
        }
        Op::Convert { dtype } => write(ty, read(xs[0]).into_iter().map(|x| x.convert(*dtype))),
        Op::BroadcastInDim { dims, .. } => index::broadcast(ty, xs[0], dims),
        Op::Reshape { .. } => Tensor::from_bytes(ty.clone(), xs[0].bytes())?,
        Op::Transpose { permutation } => index::transpose(ty, xs[0], permutation),
        Op::Slice { starts, strides, .. } => index::slice(ty, xs[0], starts, strides),
        Op::Concatenate { dim } => index::concatenate(ty, xs, *dim),
        Op::Pad { low, interior, .. } => index::pad(ty, xs[0], xs[1], low, interior),
        Op::Reverse { dims } => index::reverse(ty, xs[0], dims),
        Op::DotGeneral(dims) => contract::dot_general(ty, xs[0], xs[1], dims)?,
        Op::Convolution(dims) => contract::convolution(ty, xs[0], xs[1], dims)?,
        Op::Reduce { dims, monoid } => contract::reduce(ty, xs[0], dims, *monoid)?,
        Op::Gather(dims) => gather::gather(ty, xs[0], xs[1], dims),
        Op::Scatter { dims, combiner } => gather::scatter(xs[0], xs[1], xs[2], dims, *combiner)?,
        Op::DynamicSlice { .. } => index::dynamic_slice(ty, xs[0], &starts(&xs[1..])),
        Op::DynamicUpdateSlice => index::dynamic_update_slice(xs[0], xs[1], &starts(&xs[2..])),
        Op::BitcastConvert { .. } => bits::bitcast(ty, xs[0])?,
        Op::ReducePrecision { exponent_bits, mantissa_bits } => {
            let round = |v| bits::reduce_precision(v, *exponent_bits, *mantissa_bits);
            write(ty, read(xs[0]).into_iter().map(round))
        }
        Op::ReduceWindow { window, monoid } => window::reduce_window(ty, xs[0], window, *monoid)?,
        Op::SelectAndScatter { window, least, monoid } => {
            window::select_and_scatter(xs[0], xs[1], window, *least, *monoid)?
        }
        Op::Argsort { dim, descending, total_order } => {
            window::argsort(ty, xs, *dim, *descending, *total_order)
        }
        Op::Fft { kind, lengths } => algorithm::fft(*kind, lengths, xs[0], ty)?,
        Op::While { .. }
        | Op::Case { .. }
        | Op::Composite(_)
        | Op::Custom(_)
        | Op::Linalg(_)
        | Op::RngBitGenerator { .. }
        | Op::Communicate(_) => {
            return Err(EvalError::Unsupported { op: op.name(), why: "it has a list of results".to_owned() });
        }
    })
}

/// A tensor of values that may have failed.
fn map(ty: &TensorType, values: impl Iterator<Item = Result<Scalar>>) -> Result<Tensor> {
    let mut failed = None;
    let t = write(ty, values.map_while(|v| v.map_err(|e| failed = Some(e)).ok()));
    failed.map_or(Ok(t), Err)
}

/// The elements of `x`, a rank-0 one repeated for each element of `ty`.
fn read_as(x: &Tensor, ty: &TensorType) -> Vec<Scalar> {
    let xs = read(x);
    if x.ty().rank() == 0 { vec![xs[0]; ty.count()] } else { xs }
}

fn iota(ty: &TensorType, dim: usize) -> Tensor {
    let mut values = Vec::with_capacity(ty.count());
    index::for_each_index(ty.shape(), |i| values.push(Scalar::Int(i[dim] as i128).convert(ty.dtype())));
    write(ty, values)
}

fn select(ty: &TensorType, pred: &Tensor, on_true: &Tensor, on_false: &Tensor) -> Tensor {
    let pred = read_as(pred, ty);
    let mut out = Tensor::zeros(ty.clone());
    for (i, p) in pred.into_iter().enumerate() {
        let from = if p == Scalar::Bool(true) { on_true } else { on_false };
        out.set_element(i, from.element(i));
    }
    out
}

/// Start indices held by rank-0 tensors.
fn starts(xs: &[&Tensor]) -> Vec<i128> {
    xs.iter().map(|x| read_ints(x)[0]).collect()
}
