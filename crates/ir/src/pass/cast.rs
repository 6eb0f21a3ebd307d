//! The same program in another floating-point type: an f32 export run in f64.
//!
//! Not a pass: the bits that come out differ, by design. Value numbers and names stay.

use crate::build::Builder;
use crate::dtype::{DType, TensorType};
use crate::infer::TypeError;
use crate::literal::{Literal, decode_f64, encode_f64, largest_finite};
use crate::op::Op;
use crate::program::{Program, Value, ValueDef};

/// `program` with every argument, value, constant and convert target of type `from` made `to`.
///
/// Constants keep their value, rounded to nearest if `to` is narrower; infinities and NaN stay such, and a
/// finite value stays finite (the most negative f64 becomes the most negative f32, not -inf). Complex types are
/// left alone. Errors when either is not a real floating-point type, or a tensor becomes too large.
///
/// ```
/// use pullback_ir::{DType, pass::cast_floats, text::parse};
/// let p = parse("program @f(%0: f32[]) { %1: f32[] = constant 0.5  %2: f32[] = add %0, %1\n return %2 }").unwrap();
/// let wide = cast_floats(&p, DType::F32, DType::F64).unwrap();
/// assert!(wide.to_string().contains("%2: f64[] = add %0, %1"));
/// ```
pub fn cast_floats(program: &Program, from: DType, to: DType) -> Result<Program, TypeError> {
    for d in [from, to] {
        if !d.is_float() {
            return Err(TypeError::new(format!(
                "unsupported: a cast of a program between {from} and {to}; {d} is not a real floating-point type"
            )));
        }
    }
    let cast = |ty: &TensorType| -> Result<TensorType, TypeError> {
        let dtype = recast(ty.dtype(), (from, to));
        TensorType::try_new(dtype, ty.shape().to_vec())
            .ok_or_else(|| TypeError::new(format!("{ty} is too large to be cast to {to}")))
    };
    let mut builder = Builder::new(program.name());
    // In order of value number, so that numbers stay the same.
    for v in program.value_ids() {
        let results = match program.def(v) {
            ValueDef::Arg(_) => {
                builder.arg(program.value_name(v), cast(program.ty(v))?);
                continue;
            }
            ValueDef::Result(_, k) if k > 0 => continue,
            ValueDef::Result(id, _) => {
                let instr = program.instr(id);
                let operand = instr.operands().first().map(|&x| program.ty(x).dtype());
                builder.push(cast_op(instr.op(), operand, (from, to), &cast)?, instr.operands())?
            }
        };
        for r in results {
            if let Some(name) = program.value_name(r) {
                builder.name(r, name);
            }
        }
    }
    let result_names = (0..program.results().len()).map(|i| program.result_name(i).map(str::to_owned));
    let results: Vec<(Value, Option<String>)> = program.results().iter().copied().zip(result_names).collect();
    Ok(builder.finish_named(results))
}

/// Numbers of type `from`, and complex ones of such parts, change.
fn recast(dtype: DType, (from, to): (DType, DType)) -> DType {
    match to.complex() {
        _ if dtype == from => to,
        Some(wide) if from.complex() == Some(dtype) => wide,
        Some(_) | None => dtype,
    }
}

fn cast_op(
    op: &Op,
    operand: Option<DType>,
    (from, to): (DType, DType),
    cast: &impl Fn(&TensorType) -> Result<TensorType, TypeError>,
) -> Result<Op, TypeError> {
    let changes = |d: DType| recast(d, (from, to)) != d;
    Ok(match op {
        Op::Constant(l) if changes(l.ty().dtype()) => Op::Constant(cast_literal(l, to, cast(l.ty())?)?),
        Op::Iota { ty, dim } => Op::Iota { ty: cast(ty)?, dim: *dim },
        Op::Convert { dtype } => Op::Convert { dtype: recast(*dtype, (from, to)) },
        // Their results have the type of their operands.
        Op::Constant(_)
        | Op::Unary(_)
        | Op::Binary(_)
        | Op::Compare { .. }
        | Op::Select
        | Op::Clamp
        | Op::BroadcastInDim { .. }
        | Op::Reshape { .. }
        | Op::Transpose { .. }
        | Op::Slice { .. }
        | Op::Concatenate { .. }
        | Op::Pad { .. }
        | Op::Reverse { .. }
        | Op::DotGeneral(_)
        | Op::Convolution(_)
        | Op::Reduce { .. }
        | Op::Gather(_)
        | Op::Scatter { .. }
        | Op::DynamicSlice { .. }
        | Op::DynamicUpdateSlice
        | Op::ReduceWindow { .. }
        | Op::SelectAndScatter { .. }
        | Op::Argsort { .. }
        | Op::Fft { .. }
        | Op::Linalg(_)
        | Op::RngBitGenerator { .. }
        | Op::Communicate(_) => op.clone(),
        Op::BitcastConvert { dtype } if !changes(*dtype) && !operand.is_some_and(changes) => op.clone(),
        // Bits are not values: what reads or makes them would mean something else.
        Op::BitcastConvert { .. } => {
            return Err(TypeError::new(format!(
                "unsupported: a cast of a program with bitcast_convert, which reads or makes bits of {from}, to {to}; export it in {to}"
            )));
        }
        // Rounding to a format stays rounding to that format.
        Op::ReducePrecision { .. } => op.clone(),
        Op::While { cond, body } => Op::While {
            cond: Box::new(cast_floats(cond, from, to)?),
            body: Box::new(cast_floats(body, from, to)?),
        },
        Op::Composite(c) => Op::Composite(Box::new(c.try_map(|p| cast_floats(p, from, to))?)),
        Op::Custom(c) => {
            return Err(TypeError::new(format!(
                "unsupported: a cast of a program with the operator \"{}\" from {from} to {to}; export it in {to}",
                c.name
            )));
        }
        Op::Case { branches } => Op::Case {
            branches: branches.iter().map(|b| cast_floats(b, from, to)).collect::<Result<_, _>>()?,
        },
    })
}

fn cast_literal(literal: &Literal, to: DType, ty: TensorType) -> Result<Literal, TypeError> {
    let from = literal.ty().dtype().part();
    let part = |e: &[u8]| {
        let v = decode_f64(from, e);
        let bytes = encode_f64(to, v);
        if v.is_finite() && !decode_f64(to, &bytes).is_finite() {
            encode_f64(to, largest_finite(to).copysign(v))
        } else {
            bytes
        }
    };
    // A complex number is two parts.
    let convert = |e: &[u8]| e.chunks(from.size()).flat_map(part).collect::<Vec<u8>>();
    match literal.splat_bytes() {
        Some(e) => Literal::splat(ty, &convert(e)),
        None => {
            let bytes: Vec<u8> = (0..ty.count()).flat_map(|i| convert(literal.element(i))).collect();
            Literal::dense(ty, bytes)
        }
    }
    .ok_or_else(|| TypeError::new("a cast constant does not fit its type"))
}
