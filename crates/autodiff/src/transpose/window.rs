//! The transpose of a windowed sum: another windowed sum, with strides and dilations exchanged.

use pullback_ir::{Builder, Monoid, Op, TensorType, TypeError, Value, WindowDims};

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
