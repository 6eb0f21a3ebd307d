//! Types of ops that move elements: broadcast, transpose, slices, concatenate, pad, gather, scatter.

use super::{Result, TypeError, constraint, ensure, make};
use crate::dtype::{DType, DTypeClass, TensorType};
use crate::op::{GatherDims, ScatterDims};

// Checks that several ops share take the number of the op's constraint last.

/// `dims` are dimensions of `ty`.
pub(super) fn existing(dims: &[usize], ty: &TensorType, what: &str, number: u8) -> Result<()> {
    let missing = dims.iter().find(|d| **d >= ty.rank());
    constraint!(
        number,
        missing.is_none(),
        "{what}: dimension {} of {ty} does not exist",
        missing.unwrap_or(&0)
    );
    Ok(())
}

/// No dimension is there twice. Takes quadratic time, so that dimensions exist is checked first.
pub(super) fn distinct(dims: &[usize], what: &str, number: u8) -> Result<()> {
    let twice = dims.iter().enumerate().find(|(i, d)| dims[..*i].contains(d));
    constraint!(
        number,
        twice.is_none(),
        "{what}: dimension {} is listed twice",
        twice.map_or(0, |(_, d)| *d)
    );
    Ok(())
}

fn increasing(dims: &[usize], what: &str, number: u8) -> Result<()> {
    constraint!(number, dims.is_sorted(), "{what} {dims:?} are not increasing");
    Ok(())
}

fn length(what: &str, want: usize, got: usize, number: u8) -> Result<()> {
    constraint!(number, got == want, "{what}: needs {want} entries, got {got}");
    Ok(())
}

pub(super) fn broadcast(x: &TensorType, shape: &[usize], dims: &[usize]) -> Result<TensorType> {
    let ty = make(x.dtype(), shape.to_vec())?;
    length("broadcast_dimensions", x.rank(), dims.len(), 2)?;
    existing(dims, &ty, "broadcast_dimensions", 3)?;
    distinct(dims, "broadcast_dimensions", 4)?;
    for (i, &d) in dims.iter().enumerate() {
        let n = x.shape()[i];
        constraint!(5, n == 1 || n == shape[d], "dimension {i} of {x} cannot become dimension {d} of {ty}");
    }
    Ok(ty)
}

/// StableHLO's C1 and C2: the wider side has one dimension less, and complex numbers are read as complex numbers.
pub(super) fn bitcast(x: &TensorType, to: DType) -> Result<TensorType> {
    let from = x.dtype();
    let is_complex = |d: DType| d.class() == DTypeClass::Complex;
    constraint!(
        2,
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
        constraint!(1, last == Some(b / a), "the last dimension of {x} is not {}, as {to} needs", b / a);
    }
    make(to, shape)
}

pub(super) fn transpose(x: &TensorType, permutation: &[usize]) -> Result<TensorType> {
    length("permutation", x.rank(), permutation.len(), 2)?;
    existing(permutation, x, "permutation", 2)?;
    distinct(permutation, "permutation", 2)?;
    make(x.dtype(), permutation.iter().map(|&p| x.shape()[p]).collect())
}

pub(super) fn slice(
    x: &TensorType,
    starts: &[usize],
    limits: &[usize],
    strides: &[usize],
) -> Result<TensorType> {
    for (what, list) in [("start_indices", starts), ("limit_indices", limits), ("strides", strides)] {
        length(what, x.rank(), list.len(), 2)?;
    }
    let mut shape = Vec::with_capacity(x.rank());
    for d in 0..x.rank() {
        let (s, l, step) = (starts[d], limits[d], strides[d]);
        constraint!(3, s <= l && l <= x.shape()[d], "[{s}:{l}:{step}] does not fit dimension {d} of {x}");
        constraint!(4, step > 0, "the stride of dimension {d} is 0");
        shape.push((l - s).div_ceil(step));
    }
    make(x.dtype(), shape)
}

pub(super) fn concatenate(xs: &[&TensorType], dim: usize) -> Result<TensorType> {
    let Some((first, rest)) = xs.split_first() else {
        return Err(TypeError::constraint(3, "needs an operand"));
    };
    constraint!(4, dim < first.rank(), "dimension {dim} of {first} does not exist");
    let mut shape = first.shape().to_vec();
    for x in rest {
        constraint!(1, x.dtype() == first.dtype(), "element types of {first} and {x} differ");
        let fits = x.rank() == first.rank() && (0..x.rank()).all(|d| d == dim || x.shape()[d] == shape[d]);
        constraint!(2, fits, "{x} does not continue {first} along dimension {dim}");
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
    for (what, len) in [
        ("edge_padding_low", low.len()),
        ("edge_padding_high", high.len()),
        ("interior_padding", interior.len()),
    ] {
        length(what, x.rank(), len, 2)?;
    }
    ensure!(v.rank() == 0, "the padding value {v} is not a scalar");
    constraint!(1, v.dtype() == x.dtype(), "element types of the padding value {v} and of {x} differ");
    let mut shape = Vec::with_capacity(x.rank());
    for d in 0..x.rank() {
        let n = x.shape()[d] as i128;
        let size = n + i128::from(low[d]) + i128::from(high[d]) + (n - 1).max(0) * interior[d] as i128;
        let size = usize::try_from(size).ok().filter(|_| size < 1 << 46);
        let (lo, hi, int) = (low[d], high[d], interior[d]);
        shape.push(size.ok_or_else(|| {
            TypeError::constraint(
                4,
                format!(
                    "padding {lo}, {hi}, interior {int} leaves dimension {d} of {x} with a size out of range"
                ),
            )
        })?);
    }
    make(x.dtype(), shape)
}

/// Shape of the indices without the index vector, and the length of that vector.
fn index_space(indices: &TensorType, dim: usize, number: u8) -> Result<(Vec<usize>, usize)> {
    ensure!(indices.dtype().is_integer(), "indices are {indices}, not integers");
    constraint!(number, dim <= indices.rank(), "index_vector_dim {dim} is beyond {indices}");
    let mut shape = indices.shape().to_vec();
    let len = if dim < shape.len() { shape.remove(dim) } else { 1 };
    Ok((shape, len))
}

/// Batching dimensions of a gather or scatter: of the operand (under this name) and of the indices.
struct Batching<'a> {
    names: [&'a str; 2],
    operand: (&'a TensorType, &'a [usize]),
    indices: (&'a TensorType, &'a [usize]),
    index_vector_dim: usize,
}

/// Batching dimensions of operand (which exist) and indices pair up with equal sizes. `first` is the number of the
/// first constraint about those of the indices: from there gather and scatter have the same five in a row.
fn batching(b: &Batching<'_>, first: u8) -> Result<()> {
    let ((x, xs), (i, is)) = (b.operand, b.indices);
    let [operand, indices] = b.names;
    existing(is, i, indices, first + 1)?;
    distinct(is, indices, first)?;
    let vector = b.index_vector_dim;
    constraint!(first + 2, !is.contains(&vector), "{indices} {is:?} hold the index_vector_dim {vector}");
    constraint!(first + 3, xs.len() == is.len(), "{} {operand} and {} {indices}", xs.len(), is.len());
    for (&a, &b) in xs.iter().zip(is) {
        let (n, m) = (x.shape()[a], i.shape()[b]);
        constraint!(
            first + 4,
            n == m,
            "batching dimensions {a} of {x} and {b} of {i} differ in size: {n} and {m}"
        );
    }
    Ok(())
}

pub(super) fn gather([x, indices]: [&TensorType; 2], g: &GatherDims) -> Result<TensorType> {
    let (batch_shape, len) = index_space(indices, g.index_vector_dim, 2)?;
    length("start_index_map", len, g.start_index_map.len(), 3)?;
    existing(&g.collapsed_slice_dims, x, "collapsed_slice_dims", 8)?;
    existing(&g.operand_batching_dims, x, "operand_batching_dims", 11)?;
    distinct(
        &[&g.collapsed_slice_dims[..], &g.operand_batching_dims].concat(),
        "collapsed_slice_dims and operand_batching_dims",
        6,
    )?;
    increasing(&g.collapsed_slice_dims, "collapsed_slice_dims", 7)?;
    increasing(&g.operand_batching_dims, "operand_batching_dims", 10)?;
    let pairs = Batching {
        names: ["operand_batching_dims", "start_indices_batching_dims"],
        operand: (x, &g.operand_batching_dims),
        indices: (indices, &g.start_indices_batching_dims),
        index_vector_dim: g.index_vector_dim,
    };
    batching(&pairs, 13)?;
    existing(&g.start_index_map, x, "start_index_map", 19)?;
    distinct(
        &[&g.start_index_map[..], &g.operand_batching_dims].concat(),
        "start_index_map and operand_batching_dims",
        18,
    )?;
    length("slice_sizes", x.rank(), g.slice_sizes.len(), 20)?;
    for (d, (&size, &n)) in g.slice_sizes.iter().zip(x.shape()).enumerate() {
        constraint!(21, size <= n, "slice size {size} exceeds dimension {d} of {x}");
    }
    for (number, dims) in [(9, &g.collapsed_slice_dims), (12, &g.operand_batching_dims)] {
        for &d in dims {
            let size = g.slice_sizes[d];
            constraint!(number, size <= 1, "dimension {d} vanishes but its slice size is {size}");
        }
    }
    let gone = |d: &usize| g.collapsed_slice_dims.contains(d) || g.operand_batching_dims.contains(d);
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
    length("offset_dims", window.len(), offset_dims.len(), 1)?;
    distinct(offset_dims, "offset_dims", 4)?;
    increasing(offset_dims, "offset_dims", 4)?;
    let fit = offset_dims.iter().all(|&d| d < rank);
    constraint!(5, fit, "offset_dims {offset_dims:?} are not all dimensions of a result of rank {rank}");
    let (mut w, mut b) = (window.into_iter(), batch.into_iter());
    let shape = (0..rank).map_while(|d| if offset_dims.contains(&d) { w.next() } else { b.next() }).collect();
    make(x.dtype(), shape)
}

pub(super) fn scatter([x, indices, updates]: [&TensorType; 3], s: &ScatterDims) -> Result<TensorType> {
    let (batch_shape, len) = index_space(indices, s.index_vector_dim, 22)?;
    length("scatter_dims_to_operand_dims", len, s.scatter_dims_to_operand_dims.len(), 19)?;
    scatter_attributes([x, indices, updates], s)?;
    constraint!(6, updates.dtype() == x.dtype(), "element types of the updates {updates} and of {x} differ");
    let window: Vec<usize> = (0..x.rank())
        .filter(|d| !s.inserted_window_dims.contains(d) && !s.input_batching_dims.contains(d))
        .collect();
    length("update_window_dims", window.len(), s.update_window_dims.len(), 2)?;
    for (&u, &d) in s.update_window_dims.iter().zip(&window) {
        let fits = updates.shape()[u] <= x.shape()[d];
        constraint!(4, fits, "dimension {u} of {updates} exceeds dimension {d} of {x}");
    }
    let got: Vec<usize> = (0..updates.rank())
        .filter(|d| !s.update_window_dims.contains(d))
        .map(|d| updates.shape()[d])
        .collect();
    constraint!(4, got == batch_shape, "updates {updates} do not fit indices {indices}");
    Ok(x.clone())
}

fn scatter_attributes([x, indices, updates]: [&TensorType; 3], s: &ScatterDims) -> Result<()> {
    existing(&s.update_window_dims, updates, "update_window_dims", 8)?;
    distinct(&s.update_window_dims, "update_window_dims", 7)?;
    increasing(&s.update_window_dims, "update_window_dims", 7)?;
    existing(&s.inserted_window_dims, x, "inserted_window_dims", 11)?;
    existing(&s.input_batching_dims, x, "input_batching_dims", 13)?;
    distinct(
        &[&s.inserted_window_dims[..], &s.input_batching_dims].concat(),
        "inserted_window_dims and input_batching_dims",
        9,
    )?;
    increasing(&s.inserted_window_dims, "inserted_window_dims", 10)?;
    increasing(&s.input_batching_dims, "input_batching_dims", 12)?;
    let pairs = Batching {
        names: ["input_batching_dims", "scatter_indices_batching_dims"],
        operand: (x, &s.input_batching_dims),
        indices: (indices, &s.scatter_indices_batching_dims),
        index_vector_dim: s.index_vector_dim,
    };
    batching(&pairs, 14)?;
    existing(&s.scatter_dims_to_operand_dims, x, "scatter_dims_to_operand_dims", 21)?;
    distinct(
        &[&s.scatter_dims_to_operand_dims[..], &s.input_batching_dims].concat(),
        "scatter_dims_to_operand_dims and input_batching_dims",
        20,
    )
}

/// Start operands: one rank-0 integer per dimension (constraint `count`), all of one type (the next constraint).
fn starts(x: &TensorType, starts: &[&TensorType], count: u8) -> Result<()> {
    length("start indices", x.rank(), starts.len(), count)?;
    for s in starts {
        ensure!(s.rank() == 0 && s.dtype().is_integer(), "start index {s} is not a rank-0 integer");
        constraint!(count + 1, *s == starts[0], "start indices differ: {} and {s}", starts[0]);
    }
    Ok(())
}

pub(super) fn dynamic_slice(operands: &[&TensorType], sizes: &[usize]) -> Result<TensorType> {
    let Some((x, rest)) = operands.split_first() else { return Err(TypeError::new("needs an operand")) };
    starts(x, rest, 2)?;
    length("slice_sizes", x.rank(), sizes.len(), 2)?;
    for (d, (&size, &n)) in sizes.iter().zip(x.shape()).enumerate() {
        constraint!(4, size <= n, "slice size {size} exceeds dimension {d} of {x}");
    }
    make(x.dtype(), sizes.to_vec())
}

pub(super) fn dynamic_update_slice(operands: &[&TensorType]) -> Result<TensorType> {
    let [x, update, rest @ ..] = operands else {
        return Err(TypeError::new("needs an operand and an update"));
    };
    starts(x, rest, 4)?;
    constraint!(2, update.dtype() == x.dtype(), "element types of the update {update} and of {x} differ");
    constraint!(3, update.rank() == x.rank(), "ranks of the update {update} and of {x} differ");
    let fits = update.shape().iter().zip(x.shape()).all(|(u, n)| u <= n);
    constraint!(6, fits, "update {update} does not fit {x}");
    Ok((*x).clone())
}
