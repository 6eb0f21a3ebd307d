//! Transposes of ops that move elements by position: gather, scatter, pad, slice, broadcast.
//!
//! `gather` clamps its starts, `scatter` drops what falls outside element by element; each transpose follows
//! the op it transposes, not the op it uses.

use pullback_ir::{
    Builder, DType, GatherDims, Literal, Monoid, Op, ScatterDims, TensorType, TypeError, Value,
};

type Made = Result<Value, TypeError>;

fn scalar_zero(b: &mut Builder, dtype: DType) -> Value {
    b.splat(&TensorType::scalar(dtype), 0.0)
}

/// One number per component of the index vectors, as a tensor like `indices`; saturates in its type.
fn per_component(b: &mut Builder, indices: Value, index_vector_dim: usize, values: &[i64]) -> Made {
    let ty = b.ty(indices).clone();
    let row = TensorType::new(ty.dtype(), [values.len()]);
    let row = Literal::from_i64s(row, values)
        .ok_or_else(|| TypeError::new("one number per component of an index vector"))?;
    if let Some(all) = row.splat_bytes().and_then(|element| Literal::splat(ty.clone(), element)) {
        return Ok(b.constant(all));
    }
    if index_vector_dim >= ty.rank() || values.is_empty() {
        return Ok(b.splat(&ty, 0.0));
    }
    let row = b.constant(row);
    b.broadcast(row, ty.shape(), &[index_vector_dim])
}

/// The cotangent of a gather's operand: slices are added where they were read, starts clamped alike.
pub(crate) fn gather(b: &mut Builder, ct: Value, indices: Value, g: &GatherDims, x: &TensorType) -> Made {
    let zeros = b.splat(x, 0.0);
    gather_onto(b, zeros, ct, indices, g)
}

/// As [`gather`], added to `sum`.
pub(crate) fn gather_onto(b: &mut Builder, sum: Value, ct: Value, indices: Value, g: &GatherDims) -> Made {
    if b.ty(ct).count() == 0 || g.slice_sizes.contains(&0) {
        return Ok(sum);
    }
    let x = b.ty(sum).clone();
    let last: Vec<i64> =
        g.start_index_map.iter().map(|&d| (x.shape()[d] - g.slice_sizes[d]) as i64).collect();
    let index_ty = b.ty(indices).clone();
    let low = b.splat(&TensorType::scalar(index_ty.dtype()), 0.0);
    let high = per_component(b, indices, g.index_vector_dim, &last)?;
    let starts = b.push1(Op::Clamp, &[low, indices, high])?;
    let dims = Box::new(ScatterDims {
        update_window_dims: g.offset_dims.clone(),
        inserted_window_dims: g.collapsed_slice_dims.clone(),
        input_batching_dims: g.operand_batching_dims.clone(),
        scatter_indices_batching_dims: g.start_indices_batching_dims.clone(),
        scatter_dims_to_operand_dims: g.start_index_map.clone(),
        index_vector_dim: g.index_vector_dim,
        // Clamping keeps the order of single numbers, not of vectors.
        indices_are_sorted: g.indices_are_sorted && g.start_index_map.len() <= 1,
        unique_indices: false,
    });
    b.push1(Op::Scatter { dims, combiner: Some(Monoid::Add) }, &[sum, starts, ct])
}

/// Size of the scattered window in each dimension of the operand.
fn window(s: &ScatterDims, rank: usize, updates: &TensorType) -> Vec<usize> {
    let own = (0..rank).filter(|d| !s.inserted_window_dims.contains(d) && !s.input_batching_dims.contains(d));
    let mut window = vec![1; rank];
    for (d, &u) in own.zip(&s.update_window_dims) {
        window[d] = updates.shape()[u];
    }
    window
}

/// For each element of `updates`, the element of `x` where a scatter with these dimension numbers writes it;
/// zero where it is dropped. `x` is read through a margin of zeros as wide as the window, so clamped starts
/// beyond it read only zeros.
pub(crate) fn read_back(
    b: &mut Builder,
    x: Value,
    indices: Value,
    s: &ScatterDims,
    updates: &TensorType,
) -> Made {
    let ty = b.ty(x).clone();
    let read = updates.with_dtype(ty.dtype());
    if ty.count() == 0 || read.count() == 0 {
        return Ok(b.splat(&read, 0.0));
    }
    let window = window(s, ty.rank(), updates);
    let indexed = &s.scatter_dims_to_operand_dims;
    let margin: Vec<i64> =
        (0..ty.rank()).map(|d| if indexed.contains(&d) { window[d] as i64 } else { 0 }).collect();
    let zero = scalar_zero(b, ty.dtype());
    let interior = vec![0; ty.rank()];
    let padded = b.push1(Op::Pad { low: margin.clone(), high: margin.clone(), interior }, &[x, zero])?;

    let low: Vec<i64> = indexed.iter().map(|&d| -margin[d]).collect();
    let high: Vec<i64> = indexed.iter().map(|&d| ty.shape()[d] as i64).collect();
    let shift: Vec<i64> = indexed.iter().map(|&d| margin[d]).collect();
    let low = per_component(b, indices, s.index_vector_dim, &low)?;
    let high = per_component(b, indices, s.index_vector_dim, &high)?;
    let clamped = b.push1(Op::Clamp, &[low, indices, high])?;
    // Room for the shift: an i8 index may count up to 127 already.
    let small = indexed.iter().all(|&d| b.ty(padded).shape()[d] < i32::MAX as usize);
    let wide = if small && b.ty(indices).dtype() == DType::I32 { DType::I32 } else { DType::I64 };
    let clamped = b.convert(clamped, wide)?;
    let shift = per_component(b, clamped, s.index_vector_dim, &shift)?;
    let starts = b.add(clamped, shift)?;
    let dims = GatherDims {
        offset_dims: s.update_window_dims.clone(),
        collapsed_slice_dims: s.inserted_window_dims.clone(),
        operand_batching_dims: s.input_batching_dims.clone(),
        start_indices_batching_dims: s.scatter_indices_batching_dims.clone(),
        start_index_map: s.scatter_dims_to_operand_dims.clone(),
        index_vector_dim: s.index_vector_dim,
        slice_sizes: window,
        indices_are_sorted: s.indices_are_sorted && indexed.len() <= 1,
    };
    b.push1(Op::Gather(Box::new(dims)), &[padded, starts])
}

/// Cotangent of the operand of a scatter without a combiner: zero wherever an update landed.
pub(crate) fn scatter_set_operand(
    b: &mut Builder,
    ct: Value,
    indices: Value,
    s: &ScatterDims,
    updates: &TensorType,
) -> Made {
    let zeros = b.splat(updates, 0.0);
    b.push1(Op::Scatter { dims: Box::new(s.clone()), combiner: None }, &[ct, indices, zeros])
}

/// Cotangent of the updates of a scatter without a combiner: of the updates to one element, the one that
/// stayed. Found by scattering the updates' numbers, from 1, and reading them back.
pub(crate) fn scatter_set_updates(
    b: &mut Builder,
    ct: Value,
    indices: Value,
    s: &ScatterDims,
    updates: &TensorType,
) -> Made {
    let read = read_back(b, ct, indices, s, updates)?;
    if s.unique_indices {
        return Ok(read);
    }
    let number = if updates.count() < i32::MAX as usize { DType::I32 } else { DType::I64 };
    let from_zero = b.push1(Op::Iota { ty: TensorType::new(number, [updates.count()]), dim: 0 }, &[])?;
    let one = b.splat(&TensorType::new(number, [updates.count()]), 1.0);
    let numbers = b.add(from_zero, one)?;
    let numbers = b.reshape(numbers, updates.shape())?;
    let nobody = b.ty(ct).with_dtype(number);
    let nobody = b.splat(&nobody, 0.0);
    let landed =
        b.push1(Op::Scatter { dims: Box::new(s.clone()), combiner: None }, &[nobody, indices, numbers])?;
    let landed = read_back(b, landed, indices, s, updates)?;
    let stayed = b.compare(pullback_ir::Comparison::Eq, landed, numbers)?;
    let zeros = b.splat(updates, 0.0);
    b.select(stayed, read, zeros)
}

/// Cotangent of a broadcast's operand of type `x`: sums over what was repeated.
pub(crate) fn broadcast(b: &mut Builder, ct: Value, dims: &[usize], x: &TensorType) -> Made {
    let ty = b.ty(ct).clone();
    // Dimensions of the operand that were carried over, by place in the result.
    let mut carried: Vec<usize> = (0..dims.len()).filter(|&i| x.shape()[i] == ty.shape()[dims[i]]).collect();
    carried.sort_by_key(|&i| dims[i]);
    let is_carried = |d: usize| carried.iter().any(|&i| dims[i] == d);
    let summed: Vec<usize> = (0..ty.rank()).filter(|&d| !is_carried(d) && ty.shape()[d] != 1).collect();
    let mut ct = b.reduce(ct, &summed, Monoid::Add)?;
    if !carried.is_sorted() {
        let shape: Vec<usize> = carried.iter().map(|&i| x.shape()[i]).collect();
        ct = b.reshape(ct, &shape)?;
        let mut order: Vec<usize> = (0..carried.len()).collect();
        order.sort_by_key(|&k| carried[k]);
        ct = b.transpose(ct, &order)?;
    }
    b.reshape(ct, x.shape())
}

/// Cotangent of a strided slice's operand of type `x`.
pub(crate) fn slice(b: &mut Builder, ct: Value, starts: &[usize], strides: &[usize], x: &TensorType) -> Made {
    let ty = b.ty(ct).clone();
    if ty.count() == 0 {
        return Ok(b.splat(x, 0.0));
    }
    let low = starts.iter().map(|&s| s as i64).collect();
    let high = (0..x.rank())
        .map(|d| (x.shape()[d] - starts[d] - ((ty.shape()[d] - 1) * strides[d] + 1)) as i64)
        .collect();
    let interior = strides.iter().map(|s| s - 1).collect();
    let zero = scalar_zero(b, ty.dtype());
    b.push1(Op::Pad { low, high, interior }, &[ct, zero])
}

/// Cotangent of a pad's operand of type `x`: what was cropped gets zero.
pub(crate) fn pad(
    b: &mut Builder,
    ct: Value,
    (low, high): (&[i64], &[i64]),
    interior: &[usize],
    x: &TensorType,
) -> Made {
    let rank = x.rank();
    if x.count() == 0 || b.ty(ct).count() == 0 {
        return Ok(b.splat(x, 0.0));
    }
    let mut ct = ct;
    let missing = |amounts: &[i64]| amounts.iter().map(|&n| (-n).max(0)).collect::<Vec<i64>>();
    if low.iter().chain(high).any(|&n| n < 0) {
        let zero = scalar_zero(b, x.dtype());
        let op = Op::Pad { low: missing(low), high: missing(high), interior: vec![0; rank] };
        ct = b.push1(op, &[ct, zero])?;
    }
    let starts: Vec<usize> = low.iter().map(|&n| n.max(0) as usize).collect();
    let limits: Vec<usize> =
        (0..rank).map(|d| starts[d] + (x.shape()[d] - 1) * (interior[d] + 1) + 1).collect();
    let strides: Vec<usize> = interior.iter().map(|n| n + 1).collect();
    if limits == b.ty(ct).shape() && starts.iter().all(|&s| s == 0) && strides.iter().all(|&s| s == 1) {
        return Ok(ct);
    }
    b.push1(Op::Slice { starts, limits, strides }, &[ct])
}

/// Cotangent of a pad's padding value: the sum over the elements that show it, selected rather than subtracted.
pub(crate) fn padding_value(b: &mut Builder, ct: Value, op: &Op, x: &TensorType) -> Made {
    let inside = b.splat(&x.with_dtype(DType::Bool), 0.0);
    let outside = b.splat(&TensorType::scalar(DType::Bool), 1.0);
    let shows = b.push1(op.clone(), &[inside, outside])?;
    let ty = b.ty(ct).clone();
    let zeros = b.splat(&ty, 0.0);
    let shown = b.select(shows, ct, zeros)?;
    b.reduce(shown, &(0..ty.rank()).collect::<Vec<_>>(), Monoid::Add)
}

/// The cotangent of a sum along `dims`: repeated there.
pub(super) fn spread(
    b: &mut Builder,
    ct: Value,
    dims: &[usize],
    ty: &TensorType,
) -> Result<Value, TypeError> {
    let kept: Vec<usize> = (0..ty.rank()).filter(|d| !dims.contains(d)).collect();
    b.broadcast(ct, ty.shape(), &kept)
}
