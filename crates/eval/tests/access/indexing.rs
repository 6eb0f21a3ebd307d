//! Ops that read indices: gather and scatter in the forms that array libraries emit and in random ones, and
//! dynamic slices. Indices are often out of range and often repeat.

use crate::cases::{Case, DTypes};
use crate::util::Rng;
use pullback_ir::{DType, GatherDims, Monoid, Op, ScatterDims, TensorType};

fn ints(shape: &[usize]) -> TensorType {
    TensorType::new(DType::I32, shape)
}

pub fn no_gather_dims() -> GatherDims {
    GatherDims {
        offset_dims: vec![],
        collapsed_slice_dims: vec![],
        operand_batching_dims: vec![],
        start_indices_batching_dims: vec![],
        start_index_map: vec![],
        index_vector_dim: 0,
        slice_sizes: vec![],
        indices_are_sorted: false,
    }
}

/// Rows of a table: x[V, D], indices [B, S, 1] or [B, S].
pub fn lookup(width: usize, vector: bool) -> GatherDims {
    GatherDims {
        offset_dims: vec![2],
        collapsed_slice_dims: vec![0],
        start_index_map: vec![0],
        index_vector_dim: 2,
        slice_sizes: vec![1, width],
        indices_are_sorted: vector,
        ..no_gather_dims()
    }
}

/// take_along_axis of x[B, V] along axis 1 (or of x[V, B] along axis 0) with indices [B, S, 1] (or [S, B, 1]).
fn take_along(axis: usize, batch: usize) -> GatherDims {
    let mut slice_sizes = vec![1, 1];
    slice_sizes[1 - axis] = batch.min(1);
    GatherDims {
        collapsed_slice_dims: vec![axis],
        operand_batching_dims: vec![1 - axis],
        start_indices_batching_dims: vec![1 - axis],
        start_index_map: vec![axis],
        index_vector_dim: 2,
        slice_sizes,
        ..no_gather_dims()
    }
}

/// Table lookups and take_along_axis with sampled sizes, and random dimension numbers (full and partial windows,
/// batching, any place of the index vector).
pub fn gathers(rng: &mut Rng, dtypes: &mut DTypes) -> Vec<Case> {
    let mut out = Vec::new();
    for i in 0..40 {
        let (v, d, b, s) = (1 + rng.below(3), rng.size(), rng.size(), rng.size());
        let vector = i % 2 == 0;
        let index = if vector { ints(&[b, s, 1]) } else { ints(&[b, s]) };
        let x = rng.tensor(&dtypes.next(&[v, d]));
        out.push(Case::new(Op::Gather(Box::new(lookup(d, vector))), vec![x, rng.ints(&index, -1, 4)]));
        let axis = i % 2;
        let (x, index) = if axis == 1 { ([b, v], [b, s, 1]) } else { ([v, b], [s, b, 1]) };
        let x = rng.tensor(&dtypes.next(&x));
        out.push(Case::new(
            Op::Gather(Box::new(take_along(axis, b))),
            vec![x, rng.ints(&ints(&index), -1, 4)],
        ));
    }
    out.extend((0..300).map(|_| gather(rng, dtypes)));
    out
}

/// What the dimensions of an operand, its indices and the batch dimensions have to do with each other.
struct Indexing {
    x: Vec<usize>,
    /// Vanishing, window and batching dimensions of the operand; sizes of windows.
    gone: Vec<usize>,
    window: Vec<(usize, usize)>,
    batching: Vec<usize>,
    map: Vec<usize>,
    indices: Vec<usize>,
    index_vector_dim: usize,
    indices_batching: Vec<usize>,
    /// Sizes of the indices' batch dimensions.
    batch: Vec<usize>,
}

fn indexing(rng: &mut Rng) -> Indexing {
    let rank = rng.below(4);
    let x: Vec<usize> = (0..rank).map(|_| 1 + rng.below(3)).collect();
    let n_batch = rng.below(3);
    let mut batch = rng.sizes(n_batch);
    let role: Vec<usize> = (0..rank).map(|_| rng.below(4)).collect();
    // Batching dimensions of operand and indices go together in any order.
    let mut batching: Vec<usize> = (0..rank).filter(|&d| role[d] == 0).collect();
    batching.truncate(n_batch);
    let paired = rng.choose(n_batch, batching.len());
    for (&d, &p) in batching.iter().zip(&paired) {
        batch[p] = x[d];
    }
    let rest: Vec<usize> = (0..rank).filter(|d| !batching.contains(d)).collect();
    let gone: Vec<usize> = rest.iter().copied().filter(|&d| role[d] == 1).collect();
    let window = rest.iter().filter(|d| !gone.contains(d));
    let window: Vec<(usize, usize)> =
        window.map(|&d| (d, if rng.flip() { x[d] } else { rng.below(x[d] + 1) })).collect();
    // The implicit index vector has one entry.
    let implicit = !rest.is_empty() && rng.below(4) == 0;
    let n_map = if implicit { 1 } else { rng.below(rest.len() + 1) };
    let map: Vec<usize> = rng.choose(rest.len(), n_map).into_iter().map(|i| rest[i]).collect();
    let index_vector_dim = if implicit { n_batch } else { rng.below(n_batch + 1) };
    let mut indices = batch.clone();
    if !implicit {
        indices.insert(index_vector_dim, n_map);
    }
    let at = |p: usize| if p >= index_vector_dim { p + 1 } else { p };
    let indices_batching = paired.into_iter().map(at).collect();
    Indexing { x, gone, window, batching, map, indices, index_vector_dim, indices_batching, batch }
}

fn gather(rng: &mut Rng, dtypes: &mut DTypes) -> Case {
    let i = indexing(rng);
    let mut slice_sizes = vec![1; i.x.len()];
    for &(d, size) in &i.window {
        slice_sizes[d] = size;
    }
    let g = GatherDims {
        offset_dims: rng.choose_sorted(i.window.len() + i.batch.len(), i.window.len()),
        collapsed_slice_dims: i.gone,
        operand_batching_dims: i.batching,
        start_indices_batching_dims: i.indices_batching,
        start_index_map: i.map,
        index_vector_dim: i.index_vector_dim,
        slice_sizes,
        indices_are_sorted: false,
    };
    let x = rng.tensor(&dtypes.next(&i.x));
    Case::new(Op::Gather(Box::new(g)), vec![x, rng.ints(&ints(&i.indices), -1, 3)])
}

/// The gradient of [`lookup`].
pub fn embedding_gradient() -> ScatterDims {
    ScatterDims {
        update_window_dims: vec![2],
        inserted_window_dims: vec![0],
        input_batching_dims: vec![],
        scatter_indices_batching_dims: vec![],
        scatter_dims_to_operand_dims: vec![0],
        index_vector_dim: 2,
        indices_are_sorted: false,
        unique_indices: false,
    }
}

/// Gradients of table lookups with sampled sizes, and random dimension numbers; each with a combiner in turn or
/// with none.
pub fn scatters(rng: &mut Rng, only_f64: bool) -> Vec<Case> {
    let mut out = Vec::new();
    let dtype_of = |combiner: Option<Monoid>, rng: &mut Rng| match combiner {
        Some(Monoid::And | Monoid::Or) => DType::U8,
        Some(Monoid::Maximum | Monoid::Minimum) if !only_f64 => rng.pick(&[DType::F32, DType::I16]),
        None if !only_f64 => rng.pick(&DType::ALL),
        Some(_) | None => DType::F64,
    };
    for i in 0..60 {
        let combiner = if i % 2 == 0 { Some(Monoid::Add) } else { Monoid::ALL.get(i % 7).copied() };
        let ty = |s: &[usize]| TensorType::new(DType::I64, s);
        let ty = |s: &[usize], float: bool| if float { ty(s).with_dtype(DType::F64) } else { ty(s) };
        let float = only_f64 || !matches!(combiner, Some(Monoid::And | Monoid::Or));
        let (v, d, b, s) = (1 + rng.below(3), rng.size(), rng.size(), rng.size());
        let x = rng.tensor(&ty(&[v, d], float));
        let updates = rng.tensor(&ty(&[b, s, d], float));
        if only_f64 && matches!(combiner, Some(Monoid::And | Monoid::Or)) {
            continue;
        }
        let op = Op::Scatter { dims: Box::new(embedding_gradient()), combiner };
        out.push(Case::new(op, vec![x, rng.ints(&ints(&[b, s, 1]), -1, 3), updates]));
    }
    for i in 0..420 {
        let combiner = Monoid::ALL.get(i % 7).copied();
        let dtype = dtype_of(combiner, rng);
        let case = scatter(rng, combiner, dtype);
        if !only_f64 || dtype == DType::F64 {
            out.push(case);
        }
    }
    out
}

fn scatter(rng: &mut Rng, combiner: Option<Monoid>, dtype: DType) -> Case {
    let i = indexing(rng);
    let rank = i.window.len() + i.batch.len();
    let update_window_dims = rng.choose_sorted(rank, i.window.len());
    let (mut w, mut b) = (i.window.iter(), i.batch.iter());
    let updates = (0..rank).map(|d| match update_window_dims.contains(&d) {
        true => w.next().unwrap().1,
        false => *b.next().unwrap(),
    });
    let updates: Vec<usize> = updates.collect();
    let dims = ScatterDims {
        update_window_dims,
        inserted_window_dims: i.gone,
        input_batching_dims: i.batching,
        scatter_indices_batching_dims: i.indices_batching,
        scatter_dims_to_operand_dims: i.map,
        index_vector_dim: i.index_vector_dim,
        indices_are_sorted: false,
        unique_indices: false,
    };
    let ty = |s: &[usize]| TensorType::new(dtype, s);
    let inputs = vec![rng.tensor(&ty(&i.x)), rng.ints(&ints(&i.indices), -1, 3), rng.tensor(&ty(&updates))];
    Case::new(Op::Scatter { dims: Box::new(dims), combiner }, inputs)
}

/// Shapes, sizes and starts sampled.
pub fn dynamic_slices(rng: &mut Rng, dtypes: &mut DTypes) -> Vec<Case> {
    let mut out = Vec::new();
    for i in 0..240 {
        let rank = rng.below(4);
        let ty = dtypes.next(&rng.sizes(rank));
        let sizes = ty.shape().iter().map(|&n| if rng.flip() { n } else { rng.below(n + 1) });
        let sizes: Vec<usize> = sizes.collect();
        let mut inputs = vec![rng.tensor(&ty)];
        if i % 2 == 0 {
            inputs.push(rng.tensor(&ty.with_shape(&sizes[..])));
        }
        for _ in 0..ty.rank() {
            inputs.push(rng.ints(&ints(&[]), -1, 3));
        }
        let op = if i % 2 == 0 { Op::DynamicUpdateSlice } else { Op::DynamicSlice { sizes } };
        out.push(Case::new(op, inputs));
    }
    out
}

/// There is no element to take; no index can be clamped into range.
#[test]
fn a_lookup_in_an_empty_table_is_refused() {
    let table = TensorType::new(DType::F32, [0, 2]);
    let dims = GatherDims { slice_sizes: vec![0, 2], ..lookup(2, true) };
    let op = Op::Gather(Box::new(dims));
    let result = |index: &[usize]| pullback_ir::infer::infer(&op, &[&table, &ints(index)]);
    assert!(result(&[1, 3, 1]).unwrap_err().to_string().contains("size 0"));
    assert_eq!(result(&[0, 3, 1]).unwrap()[0].shape(), [0, 3, 2]);
}
