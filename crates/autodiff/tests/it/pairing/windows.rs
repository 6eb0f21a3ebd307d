//! Instances of reductions, windows and sorting.

use super::cases::{Case, product, shapes, whole};
use pullback_eval::Tensor;
use pullback_ir::{DType, DTypeClass, GatherDims, Monoid, Op, TensorType, WindowDims};

const MONOIDS: [Monoid; 4] = [Monoid::Add, Monoid::Multiply, Monoid::Maximum, Monoid::Minimum];

pub fn all(dtype: DType) -> Vec<Case> {
    let mut out = Vec::new();
    let ordered = dtype.class() != DTypeClass::Complex;
    let of = |shape: &[usize], stream: &str| whole(&TensorType::new(dtype, shape), stream);
    for shape in (0..=3).flat_map(shapes) {
        for dims in [&[][..], &[0], &[1], &[0, 1], &[1, 2], &[0, 1, 2]] {
            for monoid in MONOIDS {
                out.extend(Case::of(Op::Reduce { dims: dims.to_vec(), monoid }, vec![of(&shape, "x")]));
            }
        }
    }
    for t in product(&[4, 4, 2, 2, 2, 3]) {
        let window = WindowDims {
            sizes: vec![t[1] + 1],
            strides: vec![t[2] + 1],
            base_dilations: vec![t[3] + 1],
            window_dilations: vec![t[4] + 1],
            padding: vec![[(0, 0), (3, 0), (-1, 2)][t[5]]],
        };
        for monoid in MONOIDS {
            let op = Op::ReduceWindow { window: Box::new(window.clone()), monoid };
            out.extend(Case::of(op, vec![of(&[t[0]], "x")]));
        }
        out.extend(if ordered { scattered(&window, of(&[t[0]], "x"), false) } else { None });
    }
    for (n, m) in product(&[4, 4]).into_iter().map(|s| (s[0], s[1])) {
        let window = WindowDims {
            sizes: vec![2, 3],
            strides: vec![1, 2],
            base_dilations: vec![1, 1],
            window_dilations: vec![1, 1],
            padding: vec![(1, 0), (0, 1)],
        };
        for monoid in MONOIDS {
            let op = Op::ReduceWindow { window: Box::new(window.clone()), monoid };
            out.extend(Case::of(op, vec![of(&[n, m], "x")]));
        }
        for least in [false, true] {
            out.extend(if ordered { scattered(&window, of(&[n, m], "x"), least) } else { None });
        }
    }
    for n in 0..=3 {
        for descending in [false, true] {
            out.extend(if ordered { sorted(of(&[n], "x"), of(&[n], "y"), descending) } else { None });
        }
    }
    out
}

/// The source has as many elements as a windowed sum gives.
fn scattered(window: &WindowDims, x: Tensor, least: bool) -> Option<Case> {
    let sum = Op::ReduceWindow { window: Box::new(window.clone()), monoid: Monoid::Add };
    let shape = pullback_ir::infer::infer(&sum, &[x.ty()]).ok()?.remove(0);
    let source = whole(&shape, "source");
    let op = Op::SelectAndScatter { window: Box::new(window.clone()), least, monoid: Monoid::Add };
    Case::of(op, vec![x, source])
}

/// Values sorted by keys.
fn sorted(keys: Tensor, values: Tensor, descending: bool) -> Option<Case> {
    let dims = GatherDims {
        offset_dims: vec![],
        collapsed_slice_dims: vec![0],
        operand_batching_dims: vec![],
        start_indices_batching_dims: vec![],
        start_index_map: vec![0],
        index_vector_dim: 1,
        slice_sizes: vec![1],
        indices_are_sorted: false,
    };
    Case::made(format!("sort of {}", keys.ty()), vec![keys, values], |b, v| {
        let order = b.push1(Op::Argsort { dim: 0, descending, total_order: false }, &[v[0]])?;
        let keys = b.push1(Op::Gather(Box::new(dims.clone())), &[v[0], order])?;
        Ok(vec![keys, b.push1(Op::Gather(Box::new(dims)), &[v[1], order])?])
    })
}
