//! Types of ops that slide a window or sort.

use super::linear::dilated;
use super::{Result, TypeError, ensure, make};
use crate::dtype::{DType, DTypeClass, TensorType};
use crate::op::WindowDims;

/// The number of windows along each dimension.
fn windows(x: &TensorType, w: &WindowDims) -> Result<Vec<usize>> {
    let n = x.rank();
    let lens =
        [w.sizes.len(), w.strides.len(), w.base_dilations.len(), w.window_dilations.len(), w.padding.len()];
    ensure!(lens.iter().all(|&l| l == n), "window attributes have {lens:?} entries, {x} has {n} dimensions");
    let mut shape = Vec::with_capacity(n);
    for d in 0..n {
        let all = [w.sizes[d], w.strides[d], w.base_dilations[d], w.window_dilations[d]];
        let small = all.iter().all(|&v| v > 0 && v < 1 << 31);
        ensure!(small, "size, stride and dilations {all:?} of dimension {d} are not all 1 to 2^31");
        let (lo, hi) = w.padding[d];
        ensure!(
            lo.abs() < 1 << 46 && hi.abs() < 1 << 46,
            "padding {lo}, {hi} of dimension {d} is out of range"
        );
        let span = dilated(x.shape()[d], w.base_dilations[d]) + i128::from(lo) + i128::from(hi);
        let window = dilated(w.sizes[d], w.window_dilations[d]);
        let count = if span <= 0 || window > span { 0 } else { (span - window) / w.strides[d] as i128 + 1 };
        shape.push(usize::try_from(count).map_err(|_| TypeError::new("the result is too large"))?);
    }
    Ok(shape)
}

pub(super) fn reduce_window(x: &TensorType, w: &WindowDims) -> Result<TensorType> {
    make(x.dtype(), windows(x, w)?)
}

pub(super) fn select_and_scatter(x: &TensorType, source: &TensorType, w: &WindowDims) -> Result<TensorType> {
    ensure!(x.dtype().class() != DTypeClass::Complex, "complex numbers have no order");
    let shape = windows(x, w)?;
    let plain = w.base_dilations.iter().chain(&w.window_dilations).all(|&d| d == 1);
    ensure!(plain, "dilations {:?} and {:?} are not 1", w.base_dilations, w.window_dilations);
    let want = make(x.dtype(), shape)?;
    ensure!(*source == want, "the source is {source}, there are windows for {want}");
    Ok(x.clone())
}

pub(super) fn argsort(keys: &[&TensorType], dim: usize) -> Result<TensorType> {
    let Some((first, rest)) = keys.split_first() else { return Err(TypeError::new("needs a key")) };
    ensure!(dim < first.rank(), "dimension {dim} of {first} does not exist");
    for key in keys {
        ensure!(key.dtype().class() != DTypeClass::Complex, "complex numbers have no order");
    }
    for key in rest {
        ensure!(key.shape() == first.shape(), "keys differ in shape: {first} and {key}");
    }
    let n = first.shape()[dim];
    ensure!(i32::try_from(n).is_ok(), "dimension {dim} of {first} is too long for i32 indices");
    make(DType::I32, first.shape().to_vec())
}
