//! Transposes of windows. That of a windowed sum is another windowed sum, with strides and dilations exchanged; that of
//! select_and_scatter reads back from the chosen places.

use crate::rules::window::{Cut, better, identity, pad, pad_with, sweep};
use pullback_ir::{Builder, DType, GatherDims, Monoid, Op, TensorType, TypeError, Value, WindowDims};

/// Cotangent of the operand, of type `ty`. Its element i is under position w of window o where
/// o * stride + w * window_dilation - low = i * base_dilation; seen from i, windows read backwards.
pub(super) fn reduce_sum(
    b: &mut Builder,
    ct: Value,
    w: &WindowDims,
    ty: &TensorType,
) -> Result<Value, TypeError> {
    let shape = b.ty(ct).shape().to_vec();
    if shape.contains(&0) || ty.count() == 0 {
        return Ok(b.splat(ty, 0.0));
    }
    let span = |n: usize, step: usize| (n as i64 - 1) * step as i64;
    let padding = (0..shape.len())
        .map(|d| {
            let low = span(w.sizes[d], w.window_dilations[d]) - w.padding[d].0;
            // As many windows as the operand has elements.
            let all = span(ty.shape()[d], w.base_dilations[d]) + span(w.sizes[d], w.window_dilations[d]);
            (low, all - low - span(shape[d], w.strides[d]))
        })
        .collect();
    let window = WindowDims {
        sizes: w.sizes.clone(),
        strides: w.base_dilations.clone(),
        base_dilations: w.strides.clone(),
        window_dilations: w.window_dilations.clone(),
        padding,
    };
    b.push1(Op::ReduceWindow { window: Box::new(window), monoid: Monoid::Add }, &[ct])
}

/// For each window, the number (row-major, from 0) of the operand's element that is the greatest or least under it, the
/// first of equals; the operand's count where there is none. There is at least one window and one element.
pub(crate) fn chosen(b: &mut Builder, x: Value, w: &WindowDims, least: bool) -> Result<Value, TypeError> {
    let ty = b.ty(x).clone();
    let n = ty.count();
    let number = if n < i32::MAX as usize { DType::I32 } else { DType::I64 };
    let numbers = b.push1(Op::Iota { ty: TensorType::new(number, [n]), dim: 0 }, &[])?;
    let numbers = b.reshape(numbers, ty.shape())?;
    let fill = identity(b, x, least)?;
    let x = pad_with(b, x, w, fill)?;
    let numbers = pad(b, numbers, w, n as f64)?;
    let combine = |b: &mut Builder, x: [Value; 2], y: [Value; 2]| better(b, least, x, y);
    let cut = |b: &mut Builder, [x, i]: [Value; 2], s: Cut| Ok([s.of(b, x)?, s.of(b, i)?]);
    let shape = |b: &Builder, [x, _]: [Value; 2]| b.ty(x).shape().to_vec();
    let [_, numbers] = sweep(b, w, [x, numbers], &shape, &cut, &combine)?;
    Ok(numbers)
}

/// The elements of `x` of these numbers; 0 for the number just past the last.
pub(crate) fn pick(b: &mut Builder, x: Value, numbers: Value) -> Result<Value, TypeError> {
    let ty = b.ty(x).clone();
    let flat = b.reshape(x, &[ty.count()])?;
    let zero = b.splat(&TensorType::scalar(ty.dtype()), 0.0);
    let flat = b.push1(Op::Pad { low: vec![0], high: vec![1], interior: vec![0] }, &[flat, zero])?;
    let dims = GatherDims {
        offset_dims: vec![],
        collapsed_slice_dims: vec![0],
        operand_batching_dims: vec![],
        start_indices_batching_dims: vec![],
        start_index_map: vec![0],
        index_vector_dim: b.ty(numbers).rank(),
        slice_sizes: vec![1],
        indices_are_sorted: false,
    };
    b.push1(Op::Gather(Box::new(dims)), &[flat, numbers])
}

/// The cotangent of what select_and_scatter adds to an operand, `x`: each source element reads where it went.
pub(super) fn select_and_scatter(
    b: &mut Builder,
    ct: Value,
    x: Value,
    w: &WindowDims,
    least: bool,
    source: &TensorType,
) -> Result<Value, TypeError> {
    if source.count() == 0 || b.ty(x).count() == 0 {
        return Ok(b.splat(source, 0.0));
    }
    let at = chosen(b, x, w, least)?;
    pick(b, ct, at)
}
