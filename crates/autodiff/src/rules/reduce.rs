//! Tangents of reductions that are not sums: maximum and minimum (also of scatter), and product.
//!
//! Ties share equally; the number of winners is counted over the whole reduction, so it does not depend on how
//! the reduction is cut. Products never divide, so zeros are as good as any number, at any order.

use super::{Tangent, fixed, sum, zero};
use crate::linearize::Context;
use crate::transpose::index::read_back;
use pullback_ir::{Builder, Comparison, DType, Instr, Monoid, Op, ScatterDims, TypeError, Value};

/// y = max or min of x along `dims`: the mean of the winners' tangents.
pub(super) fn extreme(cx: &mut Context, instr: &Instr, dims: &[usize]) -> Tangent {
    let x = instr.operands()[0];
    let Some(dx) = cx.tangent(x) else { return zero() };
    let ty = cx.ty(x);
    if ty.count() == 0 {
        return zero();
    }
    let (px, py) = (cx.value(x), cx.value(instr.result()));
    let b = &mut cx.primal;
    let kept: Vec<usize> = (0..ty.rank()).filter(|d| !dims.contains(d)).collect();
    let spread = b.broadcast(py, ty.shape(), &kept)?;
    let wins = b.compare(Comparison::Eq, px, spread)?;
    let ones = as_counts(b, wins, ty.dtype())?;
    let count = b.reduce(ones, dims, Monoid::Add)?;
    let count = b.convert(count, ty.dtype())?;
    let (wins, count) = (cx.fixed(wins), cx.fixed(count));
    let none = cx.linear.splat(ty, 0.0);
    let winners = cx.linear.select(wins, dx, none)?;
    let total = cx.linear.reduce(winners, dims, Monoid::Add)?;
    Ok(Some(cx.linear.div(total, count)?))
}

/// 1 where true, in a type that counts exactly at least to 2^24.
fn as_counts(b: &mut Builder, mask: Value, dtype: DType) -> Result<Value, TypeError> {
    let counts = if dtype.size() < 4 { DType::F32 } else { dtype };
    b.convert(mask, counts)
}

/// Scatter by max or min: as [`extreme`], the operand's element and all updates to it taking part.
pub(super) fn scatter_extreme(cx: &mut Context, instr: &Instr, dims: &ScatterDims) -> Tangent {
    let [x, indices, updates] = [0, 1, 2].map(|i| instr.operands()[i]);
    let (ty, updates_ty) = (cx.ty(x), cx.ty(updates));
    let [px, pi, pu] = [x, indices, updates].map(|v| cx.value(v));
    let py = cx.value(instr.result());
    let add = Op::Scatter { dims: Box::new(dims.clone()), combiner: Some(Monoid::Add) };
    let b = &mut cx.primal;
    let x_wins = b.compare(Comparison::Eq, px, py)?;
    let read = read_back(b, py, pi, dims, updates_ty)?;
    let u_wins = b.compare(Comparison::Eq, pu, read)?;
    let (x_ones, u_ones) = (as_counts(b, x_wins, ty.dtype())?, as_counts(b, u_wins, ty.dtype())?);
    // An update out of range may seem to win, but the scatter drops it here and below.
    let count = b.push1(add.clone(), &[x_ones, pi, u_ones])?;
    let count = b.convert(count, ty.dtype())?;

    let (x_wins, u_wins, count) = (cx.fixed(x_wins), cx.fixed(u_wins), cx.fixed(count));
    let from_x = match cx.tangent(x) {
        Some(dx) => {
            let none = cx.linear.splat(ty, 0.0);
            Some(cx.linear.select(x_wins, dx, none)?)
        }
        None => None,
    };
    let total = match cx.tangent(updates) {
        Some(du) => {
            let none = cx.linear.splat(updates_ty, 0.0);
            let from_u = cx.linear.select(u_wins, du, none)?;
            let base = from_x.unwrap_or_else(|| cx.linear.splat(ty, 0.0));
            let i = fixed(cx, indices);
            Some(cx.linear.push1(add, &[base, i, from_u])?)
        }
        None => from_x,
    };
    match total {
        Some(total) => Ok(Some(cx.linear.div(total, count)?)),
        None => zero(),
    }
}

/// y = product of x along `dims`, differentiated as a balanced tree of products of two halves.
pub(super) fn product(cx: &mut Context, instr: &Instr, dims: &[usize]) -> Tangent {
    let x = instr.operands()[0];
    let Some(mut dx) = cx.tangent(x) else { return zero() };
    let ty = cx.ty(x);
    let kept: Vec<usize> = (0..ty.rank()).filter(|d| !dims.contains(d)).collect();
    let permutation = [&kept[..], dims].concat();
    let mut shape: Vec<usize> = kept.iter().map(|&d| ty.shape()[d]).collect();
    let result_shape = shape.clone();
    let mut n: usize = dims.iter().map(|&d| ty.shape()[d]).product();
    if n == 0 {
        return zero();
    }
    shape.push(n);
    let arrange = |b: &mut Builder, v: Value| {
        let v = b.transpose(v, &permutation)?;
        b.reshape(v, &shape)
    };
    let mut px = cx.value(x);
    px = arrange(&mut cx.primal, px)?;
    dx = arrange(&mut cx.linear, dx)?;
    while n > 1 {
        if n % 2 == 1 {
            px = append(&mut cx.primal, px, 1.0)?;
            dx = append(&mut cx.linear, dx, 0.0)?;
        }
        n = n.div_ceil(2);
        let (x0, x1) = (half(&mut cx.primal, px, n, 0)?, half(&mut cx.primal, px, n, 1)?);
        let (d0, d1) = (half(&mut cx.linear, dx, n, 0)?, half(&mut cx.linear, dx, n, 1)?);
        px = cx.primal.mul(x0, x1)?;
        let (x0, x1) = (cx.fixed(x0), cx.fixed(x1));
        let (left, right) = (cx.linear.mul(d0, x1)?, cx.linear.mul(d1, x0)?);
        let Some(total) = sum(cx, Some(left), Some(right))? else { return zero() };
        dx = total;
    }
    Ok(Some(cx.linear.reshape(dx, &result_shape)?))
}

/// One more element at the end of the last dimension.
fn append(b: &mut Builder, x: Value, v: f64) -> Result<Value, TypeError> {
    let ty = b.ty(x).clone();
    let mut high = vec![0; ty.rank()];
    if let Some(last) = high.last_mut() {
        *last = 1;
    }
    let v = b.splat(&pullback_ir::TensorType::scalar(ty.dtype()), v);
    b.push1(Op::Pad { low: vec![0; ty.rank()], high, interior: vec![0; ty.rank()] }, &[x, v])
}

/// Half number `which` (of length n) of the last dimension.
fn half(b: &mut Builder, x: Value, n: usize, which: usize) -> Result<Value, TypeError> {
    let mut starts = vec![0; b.ty(x).rank()];
    let mut limits = b.ty(x).shape().to_vec();
    let last = limits.len() - 1;
    (starts[last], limits[last]) = (which * n, (which + 1) * n);
    let strides = vec![1; limits.len()];
    b.push1(Op::Slice { starts, limits, strides }, &[x])
}
