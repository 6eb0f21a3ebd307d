//! Ops that slide a window over their operand, and sorting.
//!
//! Windows are visited row-major, positions of a window row-major too; combination starts from the identity.

use super::elementwise::{binary, compare};
use super::index::{for_each_index, offset};
use super::scalar::{Scalar, read, write};
use crate::buffer::Tensor;
use crate::error::{EvalError, Result};
use pullback_ir::{Comparison, DType, Monoid, TensorType, WindowDims};
use std::cmp::Ordering;

fn identity(op: &'static str, monoid: Monoid, d: DType) -> Result<Scalar> {
    let literal = monoid.identity(&TensorType::scalar(d));
    let literal = literal
        .ok_or_else(|| EvalError::Unsupported { op, why: format!("{monoid} has no identity on {d}") })?;
    Ok(Scalar::decode(d, literal.element(0)))
}

/// The element at position `at` of the window at `window`; `None` in padding.
fn element(w: &WindowDims, shape: &[usize], window: &[usize], at: &[usize]) -> Option<Vec<usize>> {
    (0..shape.len())
        .map(|d| {
            let place = window[d] as i128 * w.strides[d] as i128
                + at[d] as i128 * w.window_dilations[d] as i128
                - i128::from(w.padding[d].0);
            let step = w.base_dilations[d] as i128;
            if place < 0 || place % step != 0 {
                return None;
            }
            usize::try_from(place / step).ok().filter(|&i| i < shape[d])
        })
        .collect()
}

pub(super) fn reduce_window(ty: &TensorType, x: &Tensor, w: &WindowDims, monoid: Monoid) -> Result<Tensor> {
    let d = x.dtype();
    let (xs, start) = (read(x), identity("reduce_window", monoid, d)?);
    let mut out = Vec::with_capacity(ty.count());
    for_each_index(ty.shape(), |window| {
        let mut acc = Ok(start);
        for_each_index(&w.sizes, |at| {
            if let (Some(i), Ok(a)) = (element(w, x.shape(), window, at), &acc) {
                acc = binary(monoid.op(), d, *a, xs[offset(x.shape(), &i)]);
            }
        });
        out.push(acc);
    });
    Ok(write(ty, out.into_iter().collect::<Result<Vec<_>>>()?))
}

pub(super) fn select_and_scatter(
    x: &Tensor,
    source: &Tensor,
    w: &WindowDims,
    least: bool,
    monoid: Monoid,
) -> Result<Tensor> {
    let d = x.dtype();
    let (xs, sources) = (read(x), read(source));
    let mut out = vec![identity("select_and_scatter", monoid, d)?; x.count()];
    let better = if least { Comparison::Le } else { Comparison::Ge };
    let mut failed = None;
    let mut nth = 0;
    for_each_index(source.shape(), |window| {
        let mut chosen: Option<usize> = None;
        for_each_index(&w.sizes, |at| {
            if let Some(i) = element(w, x.shape(), window, at) {
                let i = offset(x.shape(), &i);
                // What is chosen stays while it is at least as good.
                if !chosen.is_some_and(|c| compare(better, false, xs[c], xs[i])) {
                    chosen = Some(i);
                }
            }
        });
        if let Some(c) = chosen {
            match binary(monoid.op(), d, out[c], sources[nth]) {
                Ok(v) => out[c] = v,
                Err(e) => failed = Some(e),
            }
        }
        nth += 1;
    });
    failed.map_or_else(|| Ok(write(x.ty(), out)), Err)
}

/// The order of two keys, NaN greatest and -0 equal to 0 unless `total`.
fn order(a: Scalar, b: Scalar, total: bool) -> Ordering {
    match (a, b) {
        (Scalar::Float(a), Scalar::Float(b)) if total => a.total_cmp(&b),
        (Scalar::Float(a), Scalar::Float(b)) => {
            a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
        }
        (Scalar::Bool(a), Scalar::Bool(b)) => a.cmp(&b),
        (Scalar::Int(a), Scalar::Int(b)) => a.cmp(&b),
        // Inference refuses complex keys, and an element type is one of these.
        (Scalar::Bool(_) | Scalar::Int(_) | Scalar::Float(_) | Scalar::Complex(..), _) => Ordering::Equal,
    }
}

pub(super) fn argsort(
    ty: &TensorType,
    keys: &[&Tensor],
    dim: usize,
    descending: bool,
    total: bool,
) -> Tensor {
    let keys: Vec<Vec<Scalar>> = keys.iter().map(|k| read(k)).collect();
    let (shape, n) = (ty.shape(), ty.shape()[dim]);
    let mut out = Tensor::zeros(ty.clone());
    let mut lines = shape.to_vec();
    lines[dim] = n.min(1);
    let step: usize = shape[dim + 1..].iter().product();
    for_each_index(&lines, |first| {
        let first = offset(shape, first);
        let mut line: Vec<usize> = (0..n).collect();
        line.sort_by(|&i, &j| {
            let of = |k: &Vec<Scalar>| order(k[first + i * step], k[first + j * step], total);
            let order = keys.iter().map(of).find(|o| o.is_ne()).unwrap_or(Ordering::Equal);
            if descending { order.reverse() } else { order }
        });
        for (place, i) in line.into_iter().enumerate() {
            out.set_i64(first + place * step, i as i64);
        }
    });
    out
}
