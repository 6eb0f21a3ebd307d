//! gather and scatter by the StableHLO specification.
//!
//! gather clamps each start so that its slice fits; scatter drops each update element whose target lies outside,
//! and visits updates row-major.

use super::elementwise::binary;
use super::index::{clamp_starts, for_each_index, offset};
use super::scalar::{Scalar, read_ints};
use crate::buffer::Tensor;
use crate::error::Result;
use pullback_ir::{GatherDims, Monoid, ScatterDims, TensorType};

/// The operand position that the index vector at `batch` points to.
fn start(
    indices: (&[usize], &[i128]),
    batch: &[usize],
    index_vector_dim: usize,
    index_map: &[usize],
    rank: usize,
) -> Vec<i128> {
    let (shape, values) = indices;
    let mut start = vec![0; rank];
    for (k, &d) in index_map.iter().enumerate() {
        let mut at = batch.to_vec();
        if index_vector_dim < shape.len() {
            at.insert(index_vector_dim, k);
        }
        start[d] = values[offset(shape, &at)];
    }
    start
}

/// Where operand batching dimensions stand for this batch index.
fn add_batching(full: &mut [i128], batch: &[usize], operand: &[usize], indices: &[usize], vector_dim: usize) {
    for (&d, &i) in operand.iter().zip(indices) {
        full[d] = batch[if i > vector_dim { i - 1 } else { i }] as i128;
    }
}

/// The index with `window` in the dimensions not listed as gone, 0 elsewhere.
fn spread_window(window: &[usize], rank: usize, gone: &[&[usize]]) -> Vec<usize> {
    let mut window = window.iter();
    (0..rank)
        .map(|d| match gone.iter().any(|g| g.contains(&d)) {
            true => 0,
            false => *window.next().expect("one window size per dimension that stays"),
        })
        .collect()
}

/// Splits an index into the coordinates at `dims` and the others.
fn split_index(index: &[usize], dims: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let pick =
        |inside: bool| (0..index.len()).filter(|d| dims.contains(d) == inside).map(|d| index[d]).collect();
    (pick(true), pick(false))
}

pub(super) fn gather(ty: &TensorType, x: &Tensor, indices: &Tensor, g: &GatherDims) -> Tensor {
    let starts = read_ints(indices);
    let rank = x.ty().rank();
    let mut out = Tensor::zeros(ty.clone());
    let mut at = 0;
    for_each_index(ty.shape(), |o| {
        let (window, batch) = split_index(o, &g.offset_dims);
        let mut from =
            start((indices.shape(), &starts), &batch, g.index_vector_dim, &g.start_index_map, rank);
        add_batching(
            &mut from,
            &batch,
            &g.operand_batching_dims,
            &g.start_indices_batching_dims,
            g.index_vector_dim,
        );
        let from = clamp_starts(&from, x.shape(), &g.slice_sizes);
        let window = spread_window(&window, rank, &[&g.collapsed_slice_dims, &g.operand_batching_dims]);
        let source: Vec<usize> = from.iter().zip(&window).map(|(a, b)| a + b).collect();
        out.set_element(at, x.element(offset(x.shape(), &source)));
        at += 1;
    });
    out
}

pub(super) fn scatter(
    x: &Tensor,
    indices: &Tensor,
    updates: &Tensor,
    s: &ScatterDims,
    combiner: Option<Monoid>,
) -> Result<Tensor> {
    let starts = read_ints(indices);
    let (rank, d) = (x.ty().rank(), x.dtype());
    let mut out = x.clone();
    let mut failed = None;
    let mut at = 0;
    for_each_index(updates.shape(), |u| {
        let (window, batch) = split_index(u, &s.update_window_dims);
        let map = &s.scatter_dims_to_operand_dims;
        let mut to = start((indices.shape(), &starts), &batch, s.index_vector_dim, map, rank);
        add_batching(
            &mut to,
            &batch,
            &s.input_batching_dims,
            &s.scatter_indices_batching_dims,
            s.index_vector_dim,
        );
        let window = spread_window(&window, rank, &[&s.inserted_window_dims, &s.input_batching_dims]);
        let update = updates.element(at);
        at += 1;
        let target: Option<Vec<usize>> = (0..rank)
            .map(|d| usize::try_from(to[d] + window[d] as i128).ok().filter(|&t| t < x.shape()[d]))
            .collect();
        let Some(target) = target.map(|t| offset(x.shape(), &t)) else { return };
        match combiner {
            None => out.set_element(target, update),
            Some(m) => {
                let old = Scalar::decode(d, out.element(target));
                match binary(m.op(), d, old, Scalar::decode(d, update)) {
                    Ok(v) => v.encode(d, &mut out.bytes_mut()[target * d.size()..(target + 1) * d.size()]),
                    Err(e) => failed = Some(e),
                }
            }
        }
    });
    failed.map_or(Ok(out), Err)
}
