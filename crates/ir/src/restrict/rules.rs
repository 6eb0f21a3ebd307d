//! How each op is written on the compact parts of its operands.

use super::Instance;
use super::narrow::slice;
use crate::access::convolution;
use crate::build::Builder;
use crate::dtype::TensorType;
use crate::infer::TypeError;
use crate::literal::{Literal, encode_i64};
use crate::op::{Custom, Monoid, Op};
use crate::program::{Instr, Program, Value};
use crate::region::{IntervalSet, Region};

/// What a box that does not hold the origin reads instead of a part of an operand, of type `ty`, that joins a
/// reduction once.
pub(super) fn identity_operand(
    b: &mut Builder,
    instr: &Instr,
    ty: &TensorType,
    part: &Region,
) -> Result<Value, TypeError> {
    let monoid = match instr.op() {
        Op::Scatter { combiner, .. } => *combiner,
        Op::Reduce { monoid, .. } => Some(*monoid),
        Op::While { .. } => Some(Monoid::Add),
        Op::Constant(_)
        | Op::Iota { .. }
        | Op::Unary(_)
        | Op::Binary(_)
        | Op::Compare { .. }
        | Op::Select
        | Op::Clamp
        | Op::Convert { .. }
        | Op::BroadcastInDim { .. }
        | Op::Reshape { .. }
        | Op::Transpose { .. }
        | Op::Slice { .. }
        | Op::Concatenate { .. }
        | Op::Pad { .. }
        | Op::Reverse { .. }
        | Op::DotGeneral(_)
        | Op::Convolution(_)
        | Op::Gather(_)
        | Op::DynamicSlice { .. }
        | Op::DynamicUpdateSlice
        | Op::BitcastConvert { .. }
        | Op::ReducePrecision { .. }
        | Op::ReduceWindow { .. }
        | Op::SelectAndScatter { .. }
        | Op::Argsort { .. }
        | Op::Fft { .. }
        | Op::Linalg(_)
        | Op::RngBitGenerator { .. }
        | Op::Communicate(_)
        | Op::Case { .. }
        | Op::Composite(_)
        | Op::Custom(_) => None,
    };
    let identity = monoid.and_then(|m| m.identity(&ty.with_shape(part.shape())));
    let literal = identity
        .ok_or_else(|| TypeError::new(format!("{} has no identity to join with", instr.op().name())))?;
    Ok(b.constant(literal))
}

/// The op on narrowed operands; `written` is the region of its result.
pub(super) fn emit(
    b: &mut Builder,
    program: &Program,
    at: &Instance,
    xs: &[Value],
    written: &Region,
) -> Result<Value, TypeError> {
    let op = program.instr(at.instr).op();
    let local = written.shape();
    let op = match op {
        Op::Constant(l) => return Ok(b.constant(restrict_literal(l, written)?)),
        Op::Iota { ty, dim } => return iota(b, ty, *dim, written),
        Op::Unary(_)
        | Op::Binary(_)
        | Op::Compare { .. }
        | Op::Select
        | Op::Clamp
        | Op::Convert { .. }
        | Op::Transpose { .. }
        | Op::Concatenate { .. }
        | Op::Reverse { .. }
        | Op::DotGeneral(_)
        | Op::Reduce { .. }
        | Op::Scatter { .. }
        | Op::DynamicUpdateSlice
        | Op::BitcastConvert { .. }
        | Op::ReducePrecision { .. }
        | Op::ReduceWindow { .. }
        | Op::SelectAndScatter { .. }
        | Op::Argsort { .. }
        | Op::Fft { .. }
        | Op::Linalg(_)
        | Op::RngBitGenerator { .. }
        | Op::Communicate(_)
        | Op::While { .. }
        | Op::Case { .. }
        | Op::Composite(_) => op.clone(),
        Op::Convolution(c) => Op::Convolution(Box::new(convolution::local(c, &at.boxed))),
        Op::Custom(c) => Op::Custom(Box::new(custom(c, &at.boxed, written))),
        Op::BroadcastInDim { dims, .. } => Op::BroadcastInDim { shape: local, dims: dims.clone() },
        Op::Reshape { .. } => Op::Reshape { shape: local },
        // The operand was narrowed to exactly the elements of the slice, in order.
        Op::Slice { .. } => return Ok(xs[0]),
        Op::Pad { low, interior, .. } => {
            let n = program.ty(program.instr(at.instr).operands()[0]).shape().to_vec();
            return pad(b, xs, low, interior, &n, written);
        }
        Op::Gather(g) => {
            let mut g = g.clone();
            let have = b.ty(xs[0]).shape();
            for (d, size) in g.slice_sizes.iter_mut().enumerate() {
                *size = (*size).min(have[d]);
            }
            Op::Gather(g)
        }
        Op::DynamicSlice { .. } => Op::DynamicSlice { sizes: local },
    };
    b.push1(op, xs)
}

/// The operator on a box: the description of the smaller one, its work by the share of the iteration space.
fn custom(c: &Custom, boxed: &[IntervalSet], written: &Region) -> Custom {
    let mut local = c.clone();
    let (mut all, mut own) = (1u128, 1u128);
    for (f, set) in local.access.factors.iter_mut().zip(boxed) {
        all = all.saturating_mul(f.size as u128);
        f.size = set.len();
        own = own.saturating_mul(f.size as u128);
    }
    let share = u128::from(c.flops).saturating_mul(own) / all.max(1);
    local.flops = u64::try_from(share).unwrap_or(u64::MAX);
    if let [ty] = &mut local.results[..] {
        *ty = ty.with_shape(written.shape());
    }
    local
}

fn restrict_literal(l: &Literal, region: &Region) -> Result<Literal, TypeError> {
    let ty = l.ty().with_shape(region.shape());
    let literal = match l.splat_bytes() {
        Some(e) => Literal::splat(ty, e),
        None if region.is_full(l.ty().shape()) => Some(l.clone()),
        None => {
            let mut bytes = Vec::with_capacity(ty.bytes());
            copy_elements(l, region, 0, 0, &mut bytes);
            Literal::dense(ty, bytes)
        }
    };
    literal.ok_or_else(|| TypeError::new("a constant could not be cut"))
}

fn copy_elements(l: &Literal, region: &Region, dim: usize, base: usize, out: &mut Vec<u8>) {
    if dim == region.dims().len() {
        out.extend_from_slice(l.element(base));
        return;
    }
    for i in region.dims()[dim].iter() {
        copy_elements(l, region, dim + 1, base * l.ty().shape()[dim] + i, out);
    }
}

/// Global indices along `dim` of the region: a counted one where it starts at 0 in one run, else a literal.
fn iota(b: &mut Builder, ty: &TensorType, dim: usize, region: &Region) -> Result<Value, TypeError> {
    let local = ty.with_shape(region.shape());
    let set = &region.dims()[dim];
    if set.is_full(set.len()) {
        return b.push1(Op::Iota { ty: local, dim }, &[]);
    }
    let row = ty.with_shape([set.len()]);
    let bytes: Vec<u8> = set.iter().flat_map(|i| encode_i64(ty.dtype(), i as i64)).collect();
    let literal = Literal::dense(row, bytes).ok_or_else(|| TypeError::new("iota could not be cut"))?;
    let row = b.constant(literal);
    b.broadcast(row, local.shape(), &[dim])
}

/// One dimension of a padded result: runs of padding and runs of operand elements, in order.
enum Run {
    Pad(usize),
    /// Positions in the narrowed operand.
    Copy(usize, usize),
}

fn runs(written: &IntervalSet, low: i64, interior: usize, n: usize) -> Vec<Run> {
    let step = interior as i64 + 1;
    let mut out: Vec<Run> = Vec::new();
    let mut at = 0;
    for r in written.iter() {
        let v = r as i64 - low;
        if v >= 0 && v % step == 0 && v / step < n as i64 {
            match out.last_mut() {
                Some(Run::Copy(_, hi)) => *hi += 1,
                Some(Run::Pad(_)) | None => out.push(Run::Copy(at, at + 1)),
            }
            at += 1;
        } else {
            match out.last_mut() {
                Some(Run::Pad(k)) => *k += 1,
                Some(Run::Copy(..)) | None => out.push(Run::Pad(1)),
            }
        }
    }
    out
}

/// low, high, interior of a pad op that makes these runs, where one does.
fn as_pad(runs: &[Run]) -> Option<(i64, i64, usize)> {
    let (low, runs) = match runs {
        [Run::Pad(k), rest @ ..] => (*k as i64, rest),
        all => (0, all),
    };
    let (high, runs) = match runs {
        [rest @ .., Run::Pad(k)] => (*k as i64, rest),
        all => (0, all),
    };
    match runs {
        [] => Some((low, high, 0)),
        [Run::Copy(..)] => Some((low, high, 0)),
        [Run::Copy(a, b), Run::Pad(k), ..] if b - a == 1 => {
            let even = runs.iter().enumerate().all(|(i, r)| match r {
                Run::Copy(a, b) => i % 2 == 0 && b - a == 1,
                Run::Pad(j) => i % 2 == 1 && j == k,
            });
            even.then_some((low, high, *k))
        }
        [..] => None,
    }
}

fn pad(
    b: &mut Builder,
    xs: &[Value],
    low: &[i64],
    interior: &[usize],
    n: &[usize],
    written: &Region,
) -> Result<Value, TypeError> {
    let rank = low.len();
    let per_dim: Vec<Vec<Run>> =
        (0..rank).map(|d| runs(&written.dims()[d], low[d], interior[d], n[d])).collect();
    let mut op = (vec![0i64; rank], vec![0i64; rank], vec![0usize; rank]);
    for (d, runs) in per_dim.iter().enumerate() {
        if let Some((lo, hi, inner)) = as_pad(runs) {
            (op.0[d], op.1[d], op.2[d]) = (lo, hi, inner);
        }
    }
    let (low, high, interior) = op;
    let mut x = b.push1(Op::Pad { low, high, interior }, xs)?;
    for (d, runs) in per_dim.iter().enumerate() {
        if as_pad(runs).is_some() {
            continue;
        }
        let mut pieces = Vec::new();
        for run in runs {
            let mut shape = b.ty(x).shape().to_vec();
            pieces.push(match run {
                Run::Pad(k) => {
                    shape[d] = *k;
                    b.broadcast_scalar(xs[1], &shape)?
                }
                Run::Copy(lo, hi) => {
                    let bounds: Vec<_> =
                        (0..rank).map(|e| if e == d { (*lo, *hi, 1) } else { (0, shape[e], 1) }).collect();
                    slice(b, x, &bounds)?
                }
            });
        }
        x = b.push1(Op::Concatenate { dim: d }, &pieces)?;
    }
    Ok(x)
}
