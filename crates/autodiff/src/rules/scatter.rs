//! The tangent of a scatter that multiplies.
//!
//! Updates to one element are put side by side (sorted by where they go) and multiplied by a segmented scan of doubling
//! steps, which is differentiated step by step. Nothing is divided, so zeros are as good as any number, at any order.

use super::{Made, Tangent, fixed};
use crate::error::AdError;
use crate::linearize::Context;
use crate::transpose::index::read_back;
use crate::transpose::window::pick;
use pullback_ir::{Builder, Comparison, DType, Instr, Monoid, Op, ScatterDims, TensorType, Value};

/// y = x times all updates u to the same element; those out of range are dropped.
pub(super) fn product(cx: &mut Context, instr: &Instr, dims: &ScatterDims) -> Tangent {
    let [x, indices, updates] = [0, 1, 2].map(|i| instr.operands()[i]);
    let (ty, updates_ty) = (cx.ty(x), cx.ty(updates));
    if ty.count() == 0 || updates_ty.count() == 0 {
        return Ok(cx.tangent(x));
    }
    let [px, pi, pu] = [x, indices, updates].map(|v| cx.value(v));
    let multiply = Op::Scatter { dims: Box::new(dims.clone()), combiner: Some(Monoid::Multiply) };
    let from_x = match cx.tangent(x) {
        Some(dx) => {
            let ones = cx.primal.splat(ty, 1.0);
            let factor = cx.primal.push1(multiply, &[ones, pi, pu])?;
            let factor = cx.fixed(factor);
            Some(cx.linear.mul(dx, factor)?)
        }
        None => None,
    };
    let Some(du) = cx.tangent(updates) else { return Ok(from_x) };
    let base = from_x.unwrap_or_else(|| cx.linear.splat(ty, 0.0));
    if dims.unique_indices {
        let others = read_back(&mut cx.primal, px, pi, dims, updates_ty)?;
        let others = cx.fixed(others);
        let part = cx.linear.mul(du, others)?;
        let add = Op::Scatter { dims: Box::new(dims.clone()), combiner: Some(Monoid::Add) };
        let i = fixed(cx, indices);
        return Ok(Some(cx.linear.push1(add, &[base, i, part])?));
    }
    let products = products(cx, pi, pu, du, dims, ty)?;
    let factor = cx.fixed(px);
    let part = cx.linear.mul(products, factor)?;
    Ok(Some(cx.linear.add(base, part)?))
}

/// The tangent of the product of the updates to each element of an operand of type `ty`; 0 where there are none.
fn products(
    cx: &mut Context,
    indices: Value,
    u: Value,
    du: Value,
    dims: &ScatterDims,
    ty: &TensorType,
) -> Result<Value, AdError> {
    let b = &mut cx.primal;
    let n = b.ty(u).count();
    let (places, order) = by_place(b, indices, dims, ty, &b.ty(u).clone())?;
    let flat = b.reshape(u, &[n])?;
    let mut q = pick(b, flat, order)?;
    let fixed_order = cx.fixed(order);
    let flat = cx.linear.reshape(du, &[n])?;
    let mut dq = pick(&mut cx.linear, flat, fixed_order)?;
    let mut step = 1;
    while step < n {
        let b = &mut cx.primal;
        let before = shifted(b, places, step, -1.0)?;
        let same = b.compare(Comparison::Eq, places, before)?;
        let (zeros, ones) = (b.splat(&b.ty(q).clone(), 0.0), b.splat(&b.ty(q).clone(), 1.0));
        let earlier = shifted(b, q, step, 1.0)?;
        let earlier = b.select(same, earlier, ones)?;
        let own = b.select(same, q, zeros)?;
        q = b.mul(q, earlier)?;
        let (earlier, own) = (cx.fixed(earlier), cx.fixed(own));
        let b = &mut cx.linear;
        let moved = shifted(b, dq, step, 0.0)?;
        let (left, right) = (b.mul(dq, earlier)?, b.mul(moved, own)?);
        dq = b.add(left, right)?;
        step *= 2;
    }
    // Each last one of its element has the whole product.
    let b = &mut cx.primal;
    let after = after(b, places)?;
    let last = b.compare(Comparison::Ne, places, after)?;
    let (last, places) = (cx.fixed(last), cx.fixed(places));
    let b = &mut cx.linear;
    let zeros = b.splat(&b.ty(dq).clone(), 0.0);
    let whole = b.select(last, dq, zeros)?;
    add_at(b, whole, places, ty)
}

/// For each update in the order of where it goes: 1 + that place's number, 0 where it is dropped; and the order.
fn by_place(
    b: &mut Builder,
    indices: Value,
    dims: &ScatterDims,
    ty: &TensorType,
    updates: &TensorType,
) -> Result<(Value, Value), pullback_ir::TypeError> {
    let number = if ty.count() < i32::MAX as usize { DType::I32 } else { DType::I64 };
    let numbers = b.push1(Op::Iota { ty: TensorType::new(number, [ty.count()]), dim: 0 }, &[])?;
    let one = b.splat(&b.ty(numbers).clone(), 1.0);
    let numbers = b.add(numbers, one)?;
    let numbers = b.reshape(numbers, ty.shape())?;
    let places = read_back(b, numbers, indices, dims, updates)?;
    let places = b.reshape(places, &[updates.count()])?;
    let order = b.push1(Op::Argsort { dim: 0, descending: false, total_order: false }, &[places])?;
    Ok((pick(b, places, order)?, order))
}

/// Element i is what element i - `step` was.
fn shifted(b: &mut Builder, x: Value, step: usize, fill: f64) -> Made {
    let fill = b.splat(&TensorType::scalar(b.ty(x).dtype()), fill);
    let step = step as i64;
    b.push1(Op::Pad { low: vec![step], high: vec![-step], interior: vec![0] }, &[x, fill])
}

/// Element i is what element i + 1 was.
fn after(b: &mut Builder, x: Value) -> Made {
    let fill = b.splat(&TensorType::scalar(b.ty(x).dtype()), -1.0);
    b.push1(Op::Pad { low: vec![-1], high: vec![1], interior: vec![0] }, &[x, fill])
}

/// Adds elements at places counted from 1 to zeros of type `ty`; place 0 is none.
fn add_at(b: &mut Builder, x: Value, places: Value, ty: &TensorType) -> Result<Value, AdError> {
    let zeros = b.splat(&TensorType::new(ty.dtype(), [ty.count() + 1]), 0.0);
    let dims = ScatterDims {
        update_window_dims: vec![],
        inserted_window_dims: vec![0],
        input_batching_dims: vec![],
        scatter_indices_batching_dims: vec![],
        scatter_dims_to_operand_dims: vec![0],
        index_vector_dim: 1,
        indices_are_sorted: true,
        unique_indices: false,
    };
    let op = Op::Scatter { dims: Box::new(dims), combiner: Some(Monoid::Add) };
    let all = b.push1(op, &[zeros, places, x])?;
    let limits = vec![ty.count() + 1];
    let own = b.push1(Op::Slice { starts: vec![1], limits, strides: vec![1] }, &[all])?;
    Ok(b.reshape(own, ty.shape())?)
}
