//! Types of contractions: dot_general and convolution.

use super::index::{distinct, existing};
use super::{Result, TypeError, constraint, make};
use crate::dtype::TensorType;
use crate::op::{ConvDims, DotDims};

pub(super) fn dot([lhs, rhs]: [&TensorType; 2], d: &DotDims) -> Result<TensorType> {
    constraint!(13, lhs.dtype() == rhs.dtype(), "element types of {lhs} and {rhs} differ");
    for (number, what, l, r) in
        [(1, "batching", &d.lhs_batch, &d.rhs_batch), (2, "contracting", &d.lhs_contract, &d.rhs_contract)]
    {
        constraint!(number, l.len() == r.len(), "{} lhs and {} rhs {what} dimensions", l.len(), r.len());
    }
    existing(&d.lhs_batch, lhs, "lhs batching dimensions", 5)?;
    existing(&d.lhs_contract, lhs, "lhs contracting dimensions", 6)?;
    existing(&d.rhs_batch, rhs, "rhs batching dimensions", 7)?;
    existing(&d.rhs_contract, rhs, "rhs contracting dimensions", 8)?;
    distinct(&[&d.lhs_batch[..], &d.lhs_contract].concat(), "lhs batching and contracting dimensions", 3)?;
    distinct(&[&d.rhs_batch[..], &d.rhs_contract].concat(), "rhs batching and contracting dimensions", 4)?;
    for (number, what, l, r) in
        [(9, "batching", &d.lhs_batch, &d.rhs_batch), (10, "contracting", &d.lhs_contract, &d.rhs_contract)]
    {
        for (&a, &b) in l.iter().zip(r) {
            let (n, m) = (lhs.shape()[a], rhs.shape()[b]);
            constraint!(
                number,
                n == m,
                "{what} dimensions {a} of {lhs} and {b} of {rhs} differ in size: {n} and {m}"
            );
        }
    }
    let batch = d.lhs_batch.iter().map(|&i| lhs.shape()[i]);
    let left = d.lhs_free(lhs.rank()).into_iter().map(|i| lhs.shape()[i]);
    let right = d.rhs_free(rhs.rank()).into_iter().map(|i| rhs.shape()[i]);
    make(lhs.dtype(), batch.chain(left).chain(right).collect())
}

/// Size of a dimension after dilation: (n - 1) * dilation + 1, or 0.
pub(crate) fn dilated(n: usize, dilation: usize) -> i128 {
    if n == 0 { 0 } else { (n as i128 - 1) * dilation as i128 + 1 }
}

/// Attributes of a convolution of operands of rank `n` + 2.
fn conv_attributes([x, k]: [&TensorType; 2], c: &ConvDims) -> Result<usize> {
    constraint!(1, x.rank() == k.rank(), "ranks of {x} and {k} differ");
    for (number, what, len) in [
        (12, "input spatial dimensions", c.input_spatial.len()),
        (17, "kernel spatial dimensions", c.kernel_spatial.len()),
        (19, "output spatial dimensions", c.output_spatial.len()),
        (2, "window_strides", c.strides.len()),
        (4, "padding", c.padding.len()),
        (5, "lhs_dilation", c.lhs_dilation.len()),
        (7, "rhs_dilation", c.rhs_dilation.len()),
        (9, "window_reversal", c.reversal.len()),
    ] {
        constraint!(
            number,
            len + 2 == x.rank(),
            "{what}: {len} entries for {x}, two less than its rank are due"
        );
    }
    let (spatial, batch, feature) = (&c.input_spatial[..], c.input_batch, c.input_feature);
    for (number, what, ty, spatial, others) in [
        (13, "input dimensions", x, spatial, [batch, feature]),
        (18, "kernel dimensions", k, &c.kernel_spatial, [c.kernel_input_feature, c.kernel_output_feature]),
        (20, "output dimensions", x, &c.output_spatial, [c.output_batch, c.output_feature]),
    ] {
        let all = [spatial, &others].concat();
        existing(&all, ty, what, number)?;
        distinct(&all, what, number)?;
    }
    for (number, what, values) in [
        (3, "window_strides", &c.strides),
        (6, "lhs_dilation", &c.lhs_dilation),
        (8, "rhs_dilation", &c.rhs_dilation),
    ] {
        constraint!(number, !values.contains(&0), "{what} {values:?} are not all positive");
    }
    Ok(c.input_spatial.len())
}

/// Groups of a convolution; gives the sizes of the result's batch and feature dimensions.
fn conv_groups([x, k]: [&TensorType; 2], c: &ConvDims) -> Result<[usize; 2]> {
    let (fg, bg) = (c.feature_group_count, c.batch_group_count);
    constraint!(21, fg > 0, "feature_group_count is 0");
    constraint!(22, bg > 0, "batch_group_count is 0");
    constraint!(
        23,
        fg == 1 || bg == 1,
        "feature_group_count is {fg} and batch_group_count {bg}; one must be 1"
    );
    let (batch, feature) = (x.shape()[c.input_batch], x.shape()[c.input_feature]);
    let (kin, kout) = (k.shape()[c.kernel_input_feature], k.shape()[c.kernel_output_feature]);
    constraint!(10, batch % bg == 0, "a batch of {batch} does not divide into {bg} groups");
    constraint!(11, feature % fg == 0, "{feature} input features do not divide into {fg} groups");
    constraint!(
        14,
        kin == feature / fg,
        "the kernel has {kin} input features, not {} = {feature} / {fg}",
        feature / fg
    );
    constraint!(15, kout % bg == 0, "{kout} output features do not divide into {bg} batch groups");
    constraint!(16, kout % fg == 0, "{kout} output features do not divide into {fg} feature groups");
    Ok([batch / bg, kout])
}

pub(super) fn convolution([x, k]: [&TensorType; 2], c: &ConvDims) -> Result<TensorType> {
    constraint!(27, x.dtype() == k.dtype(), "element types of {x} and {k} differ");
    let n = conv_attributes([x, k], c)?;
    let [batch, feature] = conv_groups([x, k], c)?;
    let mut shape = vec![0; n + 2];
    (shape[c.output_batch], shape[c.output_feature]) = (batch, feature);
    for i in 0..n {
        let (lo, hi) = c.padding[i];
        let span =
            dilated(x.shape()[c.input_spatial[i]], c.lhs_dilation[i]) + i128::from(lo) + i128::from(hi);
        let window = dilated(k.shape()[c.kernel_spatial[i]], c.rhs_dilation[i]);
        let size = if span <= 0 || window > span { 0 } else { (span - window) / c.strides[i] as i128 + 1 };
        shape[c.output_spatial[i]] =
            usize::try_from(size).map_err(|_| TypeError::new("the result is too large"))?;
    }
    make(x.dtype(), shape)
}
