//! Ops that combine many elements into one: reduce, dot_general, convolution, by their definitions.
//!
//! Order of combination, each step rounded to the accumulation type: `reduce` starts from the monoid's identity and
//! takes elements row-major over the reduced dimensions; `dot_general` starts from 0 and takes products row-major
//! over the contracting dimensions as listed; `convolution` starts from 0 and takes kernel positions row-major,
//! input features innermost. The accumulation type is the element type (f32 sums are made in f32), but products of
//! floats narrower than f32 are accumulated in f32 and rounded once.

use super::elementwise::binary;
use super::index::{for_each_index, offset};
use super::scalar::{Scalar, read, round_float, write};
use crate::buffer::Tensor;
use crate::error::{EvalError, Result};
use pullback_ir::{BinaryOp, ConvDims, DType, DotDims, Monoid, TensorType};

pub(super) fn reduce(ty: &TensorType, x: &Tensor, dims: &[usize], monoid: Monoid) -> Result<Tensor> {
    let d = x.dtype();
    let identity = monoid.identity(&TensorType::scalar(d)).ok_or_else(|| EvalError::Unsupported {
        op: "reduce",
        why: format!("{monoid} has no identity on {d}"),
    })?;
    let xs = read(x);
    let mut out = vec![Scalar::decode(d, identity.element(0)); ty.count()];
    let mut at = 0;
    let mut failed = None;
    for_each_index(x.shape(), |i| {
        let kept: Vec<usize> = (0..i.len()).filter(|d| !dims.contains(d)).map(|d| i[d]).collect();
        let o = offset(ty.shape(), &kept);
        match binary(monoid.op(), d, out[o], xs[at]) {
            Ok(v) => out[o] = v,
            Err(e) => failed = Some(e),
        }
        at += 1;
    });
    failed.map_or_else(|| Ok(write(ty, out)), Err)
}

/// acc + a * b, both steps rounded.
fn multiply_add(d: DType, acc: Scalar, a: Scalar, b: Scalar) -> Result<Scalar> {
    if let (Scalar::Float(acc), Scalar::Float(a), Scalar::Float(b)) = (acc, a, b) {
        return Ok(Scalar::Float(round_float(d, acc + round_float(d, a * b))));
    }
    let product = binary(BinaryOp::Multiply, d, a, b)?;
    binary(BinaryOp::Add, d, acc, product)
}

/// The type that products of this type are accumulated in.
fn accumulation(d: DType) -> DType {
    if d.is_float() && d.size() < 4 { DType::F32 } else { d }
}

/// 0 of an element type.
fn zero(d: DType) -> Scalar {
    Scalar::decode(d, &vec![0; d.size()])
}

pub(super) fn dot_general(ty: &TensorType, lhs: &Tensor, rhs: &Tensor, dims: &DotDims) -> Result<Tensor> {
    let d = accumulation(ty.dtype());
    let (xs, ys) = (read(lhs), read(rhs));
    let (lhs_free, rhs_free) = (dims.lhs_free(lhs.ty().rank()), dims.rhs_free(rhs.ty().rank()));
    let contracted: Vec<usize> = dims.lhs_contract.iter().map(|&i| lhs.shape()[i]).collect();
    // Offsets of the contracted positions relative to an operand's corner, in order.
    let steps = |t: &Tensor, contract: &[usize]| {
        let mut steps = Vec::new();
        for_each_index(&contracted, |k| steps.push(offset_along(t.shape(), contract, k)));
        steps
    };
    let (lhs_steps, rhs_steps) = (steps(lhs, &dims.lhs_contract), steps(rhs, &dims.rhs_contract));
    let mut out = Vec::with_capacity(ty.count());
    for_each_index(ty.shape(), |i| {
        let (batch, free) = i.split_at(dims.lhs_batch.len());
        let (left, right) = free.split_at(lhs_free.len());
        let x0 =
            offset_along(lhs.shape(), &dims.lhs_batch, batch) + offset_along(lhs.shape(), &lhs_free, left);
        let y0 =
            offset_along(rhs.shape(), &dims.rhs_batch, batch) + offset_along(rhs.shape(), &rhs_free, right);
        let terms = lhs_steps.iter().zip(&rhs_steps);
        out.push(
            terms.into_iter().try_fold(zero(d), |acc, (a, b)| multiply_add(d, acc, xs[x0 + a], ys[y0 + b])),
        );
    });
    Ok(write(ty, out.into_iter().collect::<Result<Vec<_>>>()?))
}

/// Row-major position of the index that is `index` in the dimensions `dims` and 0 elsewhere.
fn offset_along(shape: &[usize], dims: &[usize], index: &[usize]) -> usize {
    dims.iter().zip(index).map(|(&d, &i)| i * shape[d + 1..].iter().product::<usize>()).sum()
}

pub(super) fn convolution(ty: &TensorType, x: &Tensor, kernel: &Tensor, c: &ConvDims) -> Result<Tensor> {
    let d = accumulation(ty.dtype());
    let (xs, ks) = (read(x), read(kernel));
    let features = kernel.shape()[c.kernel_input_feature];
    let out_features = kernel.shape()[c.kernel_output_feature];
    let window: Vec<usize> = c.kernel_spatial.iter().map(|&d| kernel.shape()[d]).collect();
    let mut out = Vec::with_capacity(ty.count());
    for_each_index(ty.shape(), |o| {
        let feature = o[c.output_feature];
        // Groups split input features, or the batch, into contiguous parts; output features follow.
        let first_feature = feature / (out_features / c.feature_group_count) * features;
        let batch_group = feature / (out_features / c.batch_group_count);
        let mut xi = vec![0; x.ty().rank()];
        let mut ki = vec![0; kernel.ty().rank()];
        xi[c.input_batch] = batch_group * ty.shape()[c.output_batch] + o[c.output_batch];
        ki[c.kernel_output_feature] = feature;
        let mut acc = Ok(zero(d));
        for_each_index(&window, |w| {
            for s in 0..w.len() {
                let Some(at) =
                    input_position(c, s, o[c.output_spatial[s]], w[s], x.shape()[c.input_spatial[s]])
                else {
                    return;
                };
                xi[c.input_spatial[s]] = at;
                ki[c.kernel_spatial[s]] = if c.reversal[s] { window[s] - 1 - w[s] } else { w[s] };
            }
            for f in 0..features {
                xi[c.input_feature] = first_feature + f;
                ki[c.kernel_input_feature] = f;
                let (a, b) = (xs[offset(x.shape(), &xi)], ks[offset(kernel.shape(), &ki)]);
                acc = acc.clone().and_then(|acc| multiply_add(d, acc, a, b));
            }
        });
        out.push(acc);
    });
    Ok(write(ty, out.into_iter().collect::<Result<Vec<_>>>()?))
}

/// The input position that window position `w` of result position `o` reads along spatial dimension `s` of
/// `size`; `None` in the padding and between dilated elements.
fn input_position(c: &ConvDims, s: usize, o: usize, w: usize, size: usize) -> Option<usize> {
    let at =
        o as i128 * c.strides[s] as i128 + w as i128 * c.rhs_dilation[s] as i128 - i128::from(c.padding[s].0);
    let dilation = c.lhs_dilation[s] as i128;
    (at >= 0 && at % dilation == 0 && at / dilation < size as i128).then(|| (at / dilation) as usize)
}
