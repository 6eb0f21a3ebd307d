//! Multi-indices, and the ops that only move elements: one obvious loop over the result each.

use crate::buffer::Tensor;
use pullback_ir::TensorType;

/// Calls `f` with every multi-index of `shape`, row-major.
pub(super) fn for_each_index(shape: &[usize], mut f: impl FnMut(&[usize])) {
    if shape.contains(&0) {
        return;
    }
    let mut index = vec![0; shape.len()];
    loop {
        f(&index);
        let mut d = shape.len();
        loop {
            if d == 0 {
                return;
            }
            d -= 1;
            index[d] += 1;
            if index[d] < shape[d] {
                break;
            }
            index[d] = 0;
        }
    }
}

/// Row-major position of a multi-index.
pub(super) fn offset(shape: &[usize], index: &[usize]) -> usize {
    index.iter().zip(shape).fold(0, |o, (&i, &n)| o * n + i)
}

/// The result whose element at `index` is the operand's at `source(index)`.
fn moved(ty: &TensorType, x: &Tensor, mut source: impl FnMut(&[usize]) -> Vec<usize>) -> Tensor {
    let mut out = Tensor::zeros(ty.clone());
    let mut at = 0;
    for_each_index(ty.shape(), |index| {
        out.set_element(at, x.element(offset(x.shape(), &source(index))));
        at += 1;
    });
    out
}

pub(super) fn broadcast(ty: &TensorType, x: &Tensor, dims: &[usize]) -> Tensor {
    let n = x.shape().to_vec();
    moved(ty, x, |i| dims.iter().zip(&n).map(|(&d, &n)| if n == 1 { 0 } else { i[d] }).collect())
}

pub(super) fn transpose(ty: &TensorType, x: &Tensor, permutation: &[usize]) -> Tensor {
    moved(ty, x, |i| {
        let mut source = vec![0; i.len()];
        for (d, &p) in permutation.iter().enumerate() {
            source[p] = i[d];
        }
        source
    })
}

pub(super) fn slice(ty: &TensorType, x: &Tensor, starts: &[usize], strides: &[usize]) -> Tensor {
    moved(ty, x, |i| (0..i.len()).map(|d| starts[d] + i[d] * strides[d]).collect())
}

pub(super) fn reverse(ty: &TensorType, x: &Tensor, dims: &[usize]) -> Tensor {
    let n = x.shape().to_vec();
    moved(ty, x, |i| (0..i.len()).map(|d| if dims.contains(&d) { n[d] - 1 - i[d] } else { i[d] }).collect())
}

pub(super) fn concatenate(ty: &TensorType, xs: &[&Tensor], dim: usize) -> Tensor {
    let mut out = Tensor::zeros(ty.clone());
    let mut start = 0;
    for x in xs {
        let mut at = 0;
        for_each_index(x.shape(), |i| {
            let mut target = i.to_vec();
            target[dim] += start;
            out.set_element(offset(ty.shape(), &target), x.element(at));
            at += 1;
        });
        start += x.shape()[dim];
    }
    out
}

pub(super) fn pad(ty: &TensorType, x: &Tensor, value: &Tensor, low: &[i64], interior: &[usize]) -> Tensor {
    let mut out = Tensor::zeros(ty.clone());
    for at in 0..ty.count() {
        out.set_element(at, value.element(0));
    }
    let mut at = 0;
    for_each_index(x.shape(), |i| {
        let target: Option<Vec<usize>> = (0..i.len())
            .map(|d| {
                let t = i[d] as i128 * (interior[d] as i128 + 1) + i128::from(low[d]);
                usize::try_from(t).ok().filter(|&t| t < ty.shape()[d])
            })
            .collect();
        if let Some(target) = target {
            out.set_element(offset(ty.shape(), &target), x.element(at));
        }
        at += 1;
    });
    out
}

/// The nearest start from which a window of `sizes` lies within `shape`.
pub(super) fn clamp_starts(starts: &[i128], shape: &[usize], sizes: &[usize]) -> Vec<usize> {
    (0..shape.len()).map(|d| starts[d].clamp(0, (shape[d] - sizes[d]) as i128) as usize).collect()
}

pub(super) fn dynamic_slice(ty: &TensorType, x: &Tensor, starts: &[i128]) -> Tensor {
    let starts = clamp_starts(starts, x.shape(), ty.shape());
    moved(ty, x, |i| (0..i.len()).map(|d| starts[d] + i[d]).collect())
}

pub(super) fn dynamic_update_slice(x: &Tensor, update: &Tensor, starts: &[i128]) -> Tensor {
    let starts = clamp_starts(starts, x.shape(), update.shape());
    let mut out = x.clone();
    let mut at = 0;
    for_each_index(update.shape(), |i| {
        let target: Vec<usize> = (0..i.len()).map(|d| starts[d] + i[d]).collect();
        out.set_element(offset(x.shape(), &target), update.element(at));
        at += 1;
    });
    out
}
