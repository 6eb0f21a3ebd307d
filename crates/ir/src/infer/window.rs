//! Types of ops that slide a window or sort.

use super::linear::dilated;
use super::{Result, TypeError, constraint, ensure, make};
use crate::dtype::{DType, DTypeClass, TensorType};
use crate::op::WindowDims;

/// The constraints' numbers for the length of a list and for its entries.
type Numbers = [Option<u8>; 2];

/// Sizes, strides, base and window dilations, padding.
const REDUCE: [Numbers; 5] =
    [[Some(4), Some(5)], [Some(6), Some(7)], [Some(8), Some(9)], [Some(10), Some(11)], [Some(12), None]];
const SELECT: [Numbers; 5] =
    [[Some(4), Some(5)], [Some(6), Some(7)], [None, None], [None, None], [Some(8), None]];

/// The number of windows along each dimension.
fn windows(x: &TensorType, w: &WindowDims, numbers: [Numbers; 5]) -> Result<Vec<usize>> {
    let n = x.rank();
    let [sizes, strides, base, window, padding] = numbers;
    for ([length, entries], what, list) in [
        (sizes, "window_dimensions", &w.sizes),
        (strides, "window_strides", &w.strides),
        (base, "base_dilations", &w.base_dilations),
        (window, "window_dilations", &w.window_dilations),
    ] {
        constraint!(length, list.len() == n, "{what}: {} entries for the {n} dimensions of {x}", list.len());
        constraint!(entries, !list.contains(&0), "{what} {list:?} are not all positive");
        ensure!(list.iter().all(|&v| v < 1 << 31), "{what} {list:?} are not all below 2^31");
    }
    let len = w.padding.len();
    constraint!(padding[0], len == n, "padding: {len} entries for the {n} dimensions of {x}");
    let mut shape = Vec::with_capacity(n);
    for d in 0..n {
        let (lo, hi) = w.padding[d];
        ensure!(
            lo.unsigned_abs() < 1 << 46 && hi.unsigned_abs() < 1 << 46,
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
    make(x.dtype(), windows(x, w, REDUCE)?)
}

pub(super) fn select_and_scatter(x: &TensorType, source: &TensorType, w: &WindowDims) -> Result<TensorType> {
    ensure!(x.dtype().class() != DTypeClass::Complex, "complex numbers have no order");
    let shape = windows(x, w, SELECT)?;
    let plain = w.base_dilations.iter().chain(&w.window_dilations).all(|&d| d == 1);
    ensure!(plain, "dilations {:?} and {:?} are not 1", w.base_dilations, w.window_dilations);
    let want = make(x.dtype(), shape)?;
    constraint!(1, source.dtype() == x.dtype(), "element types of the source {source} and of {x} differ");
    constraint!(2, *source == want, "the source is {source}, there are windows for {want}");
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
