//! Types of ops that move elements: broadcast, transpose, slices, concatenate, pad, gather, scatter.

use super::{Result, TypeError, ensure, make};
use crate::dtype::{DType, DTypeClass, TensorType};
use crate::op::{GatherDims, ScatterDims};

/// `dims` are distinct dimensions of `ty`.
pub(super) fn distinct_dims(dims: &[usize], ty: &TensorType, what: &str) -> Result<()> {
    for (i, d) in dims.iter().enumerate() {
        ensure!(*d < ty.rank(), "{what}: dimension {d} of {ty} does not exist");
        ensure!(!dims[..i].contains(d), "{what}: dimension {d} is listed twice");
    }
    Ok(())
}

fn lengths(what: &str, want: usize, got: &[usize]) -> Result<()> {
    ensure!(got.iter().all(|&n| n == want), "{what}: needs {want} entries each, got {got:?}");
    Ok(())
}

pub(super) fn broadcast(x: &TensorType, shape: &[usize], dims: &[usize]) -> Result<TensorType> {
    let ty = make(x.dtype(), shape.to_vec())?;
    lengths("dims", x.rank(), &[dims.len()])?;
    distinct_dims(dims, &ty, "dims")?;
    for (i, &d) in dims.iter().enumerate() {
        let n = x.shape()[i];
        ensure!(n == 1 || n == shape[d], "dimension {i} of {x} cannot become dimension {d} of {ty}");
    }
    Ok(ty)
}

/// StableHLO's C1 and C2: the wider side has one dimension less, and complex numbers are read as complex numbers.
pub(super) fn bitcast(x: &TensorType, to: DType) -> Result<TensorType> {
    let from = x.dtype();
    let is_complex = |d: DType| d.class() == DTypeClass::Complex;
    ensure!(
        is_complex(from) == is_complex(to),
        "{x} cannot be read as {to}: one is complex, the other is not"
    );
    let (a, b) = (from.bits() as usize, to.bits() as usize);
    ensure!(
        a.max(b) % a.min(b) == 0,
        "{x} cannot be read as {to}: {} is no multiple of {}",
        a.max(b),
        a.min(b)
    );
    let mut shape = x.shape().to_vec();
    if a > b {
        shape.push(a / b);
    } else if a < b {
        let last = shape.pop();
        ensure!(last == Some(b / a), "the last dimension of {x} is not {}, as {to} needs", b / a);
    }
    make(to, shape)
}

pub(super) fn transpose(x: &TensorType, permutation: &[usize]) -> Result<TensorType> {
    lengths("permutation", x.rank(), &[permutation.len()])?;
    distinct_dims(permutation, x, "permutation")?;
    make(x.dtype(), permutation.iter().map(|&p| x.shape()[p]).collect())
}

pub(super) fn slice(
    x: &TensorType,
    starts: &[usize],
    limits: &[usize],
    strides: &[usize],
) -> Result<TensorType> {
    lengths("bounds", x.rank(), &[starts.len(), limits.len(), strides.len()])?;
    let mut shape = Vec::with_capacity(x.rank());
    for d in 0..x.rank() {
        let (s, l, step) = (starts[d], limits[d], strides[d]);
        ensure!(
            s <= l && l <= x.shape()[d] && step > 0,
            "[{s}:{l}:{step}] does not fit dimension {d} of {x}"
        );
        shape.push((l - s).div_ceil(step));
    }
    make(x.dtype(), shape)
}

pub(super) fn concatenate(xs: &[&TensorType], dim: usize) -> Result<TensorType> {
    let Some((first, rest)) = xs.split_first() else { return Err(TypeError::new("needs an operand")) };
    ensure!(dim < first.rank(), "dimension {dim} of {first} does not exist");
    let mut shape = first.shape().to_vec();
    for x in rest {
        let fits = x.dtype() == first.dtype()
            && x.rank() == first.rank()
            && (0..x.rank()).all(|d| d == dim || x.shape()[d] == shape[d]);
        ensure!(fits, "{x} does not continue {first} along dimension {dim}");
        shape[dim] = shape[dim].saturating_add(x.shape()[dim]);
    }
    make(first.dtype(), shape)
}

pub(super) fn pad(
    [x, v]: [&TensorType; 2],
    low: &[i64],
    high: &[i64],
    interior: &[usize],
) -> Result<TensorType> {
    lengths("padding", x.rank(), &[low.len(), high.len(), interior.len()])?;
    ensure!(v.rank() == 0 && v.dtype() == x.dtype(), "padding value {v} does not fit {x}");
    let mut shape = Vec::with_capacity(x.rank());
    for d in 0..x.rank() {
        let n = x.shape()[d] as i128;
        let size = n + i128::from(low[d]) + i128::from(high[d]) + (n - 1).max(0) * interior[d] as i128;
        let size = usize::try_from(size).ok().filter(|_| size < 1 << 46);
        let (lo, hi, int) = (low[d], high[d], interior[d]);
        shape.push(size.ok_or_else(|| {
            TypeError::new(format!(
                "padding {lo}, {hi}, interior {int} leaves dimension {d} of {x} with a size out of range"
            ))
        })?);
    }
    make(x.dtype(), shape)
}

/// Shape of the indices without the index vector, and the length of that vector.
fn index_space(indices: &TensorType, index_vector_dim: usize) -> Result<(Vec<usize>, usize)> {
    ensure!(indices.dtype().is_integer(), "indices are {indices}, not integers");
    ensure!(index_vector_dim <= indices.rank(), "index_vector_dim {index_vector_dim} is beyond {indices}");
    let mut shape = indices.shape().to_vec();
    let len = if index_vector_dim < shape.len() { shape.remove(index_vector_dim) } else { 1 };
    Ok((shape, len))
}

/// Batching dimensions of operand and indices pair up with equal sizes.
fn batching(
    x: &TensorType,
    xs: &[usize],
    i: &TensorType,
    is: &[usize],
    index_vector_dim: usize,
) -> Result<()> {
    distinct_dims(xs, x, "operand batching dims")?;
    distinct_dims(is, i, "indices batching dims")?;
    ensure!(xs.len() == is.len(), "{} operand and {} indices batching dims", xs.len(), is.len());
    for (&a, &b) in xs.iter().zip(is) {
        ensure!(b != index_vector_dim, "indices batching dim {b} is the index vector");
        ensure!(x.shape()[a] == i.shape()[b], "batching dims differ: {a} of {x}, {b} of {i}");
    }
    Ok(())
}

pub(super) fn gather([x, indices]: [&TensorType; 2], g: &GatherDims) -> Result<TensorType> {
    let (batch_shape, len) = index_space(indices, g.index_vector_dim)?;
    lengths("slice_sizes", x.rank(), &[g.slice_sizes.len()])?;
    lengths("start_index_map", len, &[g.start_index_map.len()])?;
    distinct_dims(&g.start_index_map, x, "start_index_map")?;
    distinct_dims(&g.collapsed_slice_dims, x, "collapsed_slice_dims")?;
    batching(x, &g.operand_batching_dims, indices, &g.start_indices_batching_dims, g.index_vector_dim)?;
    for (d, (&size, &n)) in g.slice_sizes.iter().zip(x.shape()).enumerate() {
        ensure!(size <= n, "slice size {size} exceeds dimension {d} of {x}");
    }
    let gone = |d: &usize| g.collapsed_slice_dims.contains(d) || g.operand_batching_dims.contains(d);
    for d in g.collapsed_slice_dims.iter().chain(&g.operand_batching_dims) {
        ensure!(g.slice_sizes[*d] <= 1, "dimension {d} vanishes but its slice size is {}", g.slice_sizes[*d]);
    }
    for d in &g.operand_batching_dims {
        let twice = g.collapsed_slice_dims.contains(d) || g.start_index_map.contains(d);
        ensure!(!twice, "operand batching dim {d} is also collapsed or indexed");
    }
    let window: Vec<usize> = (0..x.rank()).filter(|d| !gone(d)).map(|d| g.slice_sizes[d]).collect();
    let ty = merge_window(x, &g.offset_dims, window, batch_shape)?;
    let nothing = (0..x.rank()).find(|d| gone(d) && g.slice_sizes[*d] == 0).filter(|_| ty.count() > 0);
    ensure!(nothing.is_none(), "{ty} would be read from slices of size 0");
    Ok(ty)
}

/// The result shape: window sizes at `offset_dims`, batch sizes elsewhere, both in order.
fn merge_window(
    x: &TensorType,
    offset_dims: &[usize],
    window: Vec<usize>,
    batch: Vec<usize>,
) -> Result<TensorType> {
    let rank = window.len() + batch.len();
    lengths("offset_dims", window.len(), &[offset_dims.len()])?;
    let ok = offset_dims.windows(2).all(|w| w[0] < w[1]) && offset_dims.iter().all(|&d| d < rank);
    ensure!(ok, "offset_dims {offset_dims:?} are not increasing dimensions of a rank-{rank} result");
    let (mut w, mut b) = (window.into_iter(), batch.into_iter());
    let shape = (0..rank).map_while(|d| if offset_dims.contains(&d) { w.next() } else { b.next() }).collect();
    make(x.dtype(), shape)
}

pub(super) fn scatter([x, indices, updates]: [&TensorType; 3], s: &ScatterDims) -> Result<TensorType> {
    let (batch_shape, len) = index_space(indices, s.index_vector_dim)?;
    lengths("scatter_dims_to_operand_dims", len, &[s.scatter_dims_to_operand_dims.len()])?;
    distinct_dims(&s.scatter_dims_to_operand_dims, x, "scatter_dims_to_operand_dims")?;
    distinct_dims(&s.inserted_window_dims, x, "inserted_window_dims")?;
    distinct_dims(&s.update_window_dims, updates, "update_window_dims")?;
    ensure!(
        s.update_window_dims.is_sorted(),
        "update_window_dims {:?} are not increasing",
        s.update_window_dims
    );
    batching(x, &s.input_batching_dims, indices, &s.scatter_indices_batching_dims, s.index_vector_dim)?;
    for d in &s.input_batching_dims {
        let twice = s.inserted_window_dims.contains(d) || s.scatter_dims_to_operand_dims.contains(d);
        ensure!(!twice, "input batching dim {d} is also inserted or indexed");
    }
    ensure!(updates.dtype() == x.dtype(), "updates are {updates}, the operand is {x}");
    let window: Vec<usize> = (0..x.rank())
        .filter(|d| !s.inserted_window_dims.contains(d) && !s.input_batching_dims.contains(d))
        .collect();
    lengths("update_window_dims", window.len(), &[s.update_window_dims.len()])?;
    for (&u, &d) in s.update_window_dims.iter().zip(&window) {
        ensure!(
            updates.shape()[u] <= x.shape()[d],
            "dimension {u} of {updates} exceeds dimension {d} of {x}"
        );
    }
    let got: Vec<usize> = (0..updates.rank())
        .filter(|d| !s.update_window_dims.contains(d))
        .map(|d| updates.shape()[d])
        .collect();
    ensure!(got == batch_shape, "updates {updates} do not fit indices {indices}");
    Ok(x.clone())
}

/// Start operands: one rank-0 integer per dimension, all of one type.
fn starts(x: &TensorType, starts: &[&TensorType]) -> Result<()> {
    lengths("start indices", x.rank(), &[starts.len()])?;
    for s in starts {
        ensure!(s.rank() == 0 && s.dtype().is_integer(), "start index {s} is not a rank-0 integer");
        ensure!(*s == starts[0], "start indices differ: {s} and {}", starts[0]);
    }
    Ok(())
}

pub(super) fn dynamic_slice(operands: &[&TensorType], sizes: &[usize]) -> Result<TensorType> {
    let Some((x, rest)) = operands.split_first() else { return Err(TypeError::new("needs an operand")) };
    starts(x, rest)?;
    lengths("slice_sizes", x.rank(), &[sizes.len()])?;
    for (d, (&size, &n)) in sizes.iter().zip(x.shape()).enumerate() {
        ensure!(size <= n, "slice size {size} exceeds dimension {d} of {x}");
    }
    make(x.dtype(), sizes.to_vec())
}

pub(super) fn dynamic_update_slice(operands: &[&TensorType]) -> Result<TensorType> {
    let [x, update, rest @ ..] = operands else {
        return Err(TypeError::new("needs an operand and an update"));
    };
    starts(x, rest)?;
    let fits = update.dtype() == x.dtype()
        && update.rank() == x.rank()
        && update.shape().iter().zip(x.shape()).all(|(u, n)| u <= n);
    ensure!(fits, "update {update} does not fit {x}");
    Ok((*x).clone())
}
