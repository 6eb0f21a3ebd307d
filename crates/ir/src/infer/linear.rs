//! Types of contractions: dot_general and convolution.

use super::index::distinct_dims;
use super::{Result, TypeError, ensure, make};
use crate::dtype::TensorType;
use crate::op::{ConvDims, DotDims};

pub(super) fn dot([lhs, rhs]: [&TensorType; 2], d: &DotDims) -> Result<TensorType> {
    ensure!(lhs.dtype() == rhs.dtype(), "operands differ: {lhs} and {rhs}");
    distinct_dims(&[&d.lhs_batch[..], &d.lhs_contract].concat(), lhs, "lhs dims")?;
    distinct_dims(&[&d.rhs_batch[..], &d.rhs_contract].concat(), rhs, "rhs dims")?;
    for (what, l, r) in
        [("batching", &d.lhs_batch, &d.rhs_batch), ("contracting", &d.lhs_contract, &d.rhs_contract)]
    {
        ensure!(l.len() == r.len(), "{} lhs and {} rhs {what} dims", l.len(), r.len());
        for (&a, &b) in l.iter().zip(r) {
            ensure!(lhs.shape()[a] == rhs.shape()[b], "{what} dims differ: {a} of {lhs}, {b} of {rhs}");
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

pub(super) fn convolution([x, k]: [&TensorType; 2], c: &ConvDims) -> Result<TensorType> {
    let n = c.input_spatial.len();
    ensure!(x.dtype() == k.dtype(), "operands differ: {x} and {k}");
    ensure!(
        x.rank() == n + 2 && k.rank() == n + 2,
        "{x} and {k} do not have {n} spatial dimensions and two more"
    );
    let all = [&c.input_spatial[..], &[c.input_batch, c.input_feature]].concat();
    distinct_dims(&all, x, "input dimensions")?;
    let all = [&c.kernel_spatial[..], &[c.kernel_input_feature, c.kernel_output_feature]].concat();
    distinct_dims(&all, k, "kernel dimensions")?;
    let out = [&c.output_spatial[..], &[c.output_batch, c.output_feature]].concat();
    let lens = [
        c.kernel_spatial.len(),
        c.output_spatial.len(),
        c.strides.len(),
        c.padding.len(),
        c.lhs_dilation.len(),
        c.rhs_dilation.len(),
        c.reversal.len(),
    ];
    ensure!(lens.iter().all(|&l| l == n), "window attributes have {lens:?} entries, not {n}");
    distinct_dims(&out, x, "output dimensions")?;
    let (fg, bg) = (c.feature_group_count, c.batch_group_count);
    ensure!(fg > 0 && bg > 0 && (fg == 1 || bg == 1), "feature_group_count {fg}, batch_group_count {bg}");
    let (batch, feature) = (x.shape()[c.input_batch], x.shape()[c.input_feature]);
    let (kin, kout) = (k.shape()[c.kernel_input_feature], k.shape()[c.kernel_output_feature]);
    ensure!(
        batch % bg == 0 && kout % bg == 0 && kout % fg == 0,
        "groups do not divide batch {batch} or kernel {kout}"
    );
    ensure!(kin.checked_mul(fg) == Some(feature), "{feature} input features, kernel has {kin} x {fg} groups");
    let mut shape = vec![0; n + 2];
    shape[c.output_batch] = batch / bg;
    shape[c.output_feature] = kout;
    for i in 0..n {
        ensure!(
            c.strides[i] > 0 && c.lhs_dilation[i] > 0 && c.rhs_dilation[i] > 0,
            "zero stride or dilation"
        );
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
