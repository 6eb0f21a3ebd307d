//! Exact derivatives where a choice had to be made: ties, bounds, zeros, indices out of range.

use crate::common::*;
use pullback_autodiff::value_and_grad;
use pullback_eval::Tensor;
use pullback_ir::{
    BinaryOp, Comparison, DType, GatherDims, Monoid, Op, Program, ScatterDims, TensorType, UnaryOp,
    WindowDims,
};

fn unary(op: UnaryOp, x: f64) -> f64 {
    let p = program(&[f64s(&[])], |b, v| Ok(vec![b.unary(op, v[0])?]));
    cotangents(&p, &[tensor(&[], &[x])], &[0], &[tensor(&[], &[1.0])])[0][0]
}

fn binary(op: BinaryOp, x: f64, y: f64) -> (f64, f64) {
    let p = program(&[f64s(&[]), f64s(&[])], |b, v| Ok(vec![b.binary(op, v[0], v[1])?]));
    let d = cotangents(&p, &[tensor(&[], &[x]), tensor(&[], &[y])], &[0, 1], &[tensor(&[], &[1.0])]);
    (d[0][0], d[1][0])
}

#[test]
fn maximum_and_minimum_share_ties() {
    assert_eq!(binary(BinaryOp::Maximum, 2.0, 2.0), (0.5, 0.5));
    assert_eq!(binary(BinaryOp::Minimum, 2.0, 2.0), (0.5, 0.5));
    assert_eq!(binary(BinaryOp::Maximum, 1.0, 2.0), (0.0, 1.0));
    assert_eq!(binary(BinaryOp::Minimum, 1.0, 2.0), (1.0, 0.0));
    assert_eq!(binary(BinaryOp::Maximum, 0.0, -0.0), (0.5, 0.5));
}

#[test]
fn reduce_max_and_min_share_among_all_winners() {
    for (monoid, sign) in [(Monoid::Maximum, 1.0), (Monoid::Minimum, -1.0)] {
        let p = program(&[f64s(&[4])], |b, x| Ok(vec![b.reduce(x[0], &[0], monoid)?]));
        let grad = |x: &[f64]| {
            let x: Vec<f64> = x.iter().map(|v| sign * v).collect();
            cotangents(&p, &[tensor(&[4], &x)], &[0], &[tensor(&[], &[1.0])]).remove(0)
        };
        assert_eq!(grad(&[1.0, 3.0, 3.0, 2.0]), [0.0, 0.5, 0.5, 0.0]);
        assert_eq!(grad(&[5.0, 5.0, 5.0, 1.0]), [1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, 0.0]);
    }
}

#[test]
fn winners_are_counted_exactly_in_narrow_types() {
    let ty = TensorType::new(DType::BF16, [512]);
    let p = program(std::slice::from_ref(&ty), |b, x| Ok(vec![b.reduce(x[0], &[0], Monoid::Maximum)?]));
    let ct = Tensor::from_f64s(TensorType::scalar(DType::BF16), &[1.0]).unwrap();
    let d = cotangents(&p, &[Tensor::from_f64s(ty, &[1.0; 512]).unwrap()], &[0], &[ct]);
    assert!(d[0].iter().all(|&v| v == 1.0 / 512.0), "{}", d[0][0]);
}

#[test]
fn kinks_of_unary_ops() {
    assert_eq!(unary(UnaryOp::Abs, 0.0), 1.0);
    assert_eq!(unary(UnaryOp::Abs, -0.0), 1.0);
    assert_eq!(unary(UnaryOp::Abs, -3.0), -1.0);
    for op in
        [UnaryOp::Sign, UnaryOp::Floor, UnaryOp::Ceil, UnaryOp::RoundNearestEven, UnaryOp::RoundNearestAfz]
    {
        assert_eq!(unary(op, 2.0), 0.0);
    }
    assert_eq!(unary(UnaryOp::Sqrt, 0.0), f64::INFINITY);
    assert_eq!(unary(UnaryOp::Logistic, -800.0), 0.0);
    assert_eq!(unary(UnaryOp::Tanh, 800.0), 0.0);
    assert_eq!(unary(UnaryOp::LogPlusOne, 1.0), 0.5);
}

#[test]
fn clamp_at_its_bounds_and_clip_as_max_and_min() {
    let p = program(&[f64s(&[]), f64s(&[2]), f64s(&[])], |b, v| Ok(vec![b.push1(Op::Clamp, v)?]));
    let args = [tensor(&[], &[0.0]), tensor(&[2], &[0.0, 1.0]), tensor(&[], &[1.0])];
    let d = cotangents(&p, &args, &[0, 1, 2], &[tensor(&[2], &[1.0, 1.0])]);
    assert_eq!(d, [vec![0.0], vec![0.0, 0.0], vec![0.0]]);
    let p = program(&[f64s(&[2])], |b, v| {
        let (zero, one) = (b.splat(&f64s(&[2]), 0.0), b.splat(&f64s(&[2]), 1.0));
        let low = b.binary(BinaryOp::Maximum, v[0], zero)?;
        Ok(vec![b.binary(BinaryOp::Minimum, low, one)?])
    });
    let d = cotangents(&p, &args[1..2], &[0], &[tensor(&[2], &[1.0, 1.0])]);
    assert_eq!(d[0], [0.5, 0.5]);
}

#[test]
fn powers() {
    assert_eq!(binary(BinaryOp::Power, 0.0, 0.0).0, 0.0);
    assert_eq!(binary(BinaryOp::Power, 3.0, 0.0).0, 0.0);
    assert_eq!(binary(BinaryOp::Power, 0.0, 2.0), (0.0, 0.0));
    assert_eq!(binary(BinaryOp::Power, -2.0, 3.0).0, 12.0);
    assert!(binary(BinaryOp::Power, -2.0, 3.0).1.is_nan());
}

#[test]
fn remainders() {
    assert_eq!(binary(BinaryOp::Remainder, 7.0, 3.0), (1.0, -2.0));
    assert_eq!(binary(BinaryOp::Remainder, -7.0, 3.0), (1.0, 2.0));
    // x / y = 3 - 1.85e-16 rounds to 3, yet its whole part is 2.
    let x = f64::from_bits(0.9f64.to_bits() - 1);
    assert_eq!((x / 0.3, binary(BinaryOp::Remainder, x, 0.3).1), (3.0, -2.0));
}

#[test]
fn select_lets_nan_through_unless_guarded_twice() {
    let root = |guarded: bool| {
        program(&[f64s(&[])], |b, v| {
            let zero = b.splat(&f64s(&[]), 0.0);
            let one = b.splat(&f64s(&[]), 1.0);
            let positive = b.compare(Comparison::Gt, v[0], zero)?;
            let inner = if guarded { b.select(positive, v[0], one)? } else { v[0] };
            let root = b.unary(UnaryOp::Sqrt, inner)?;
            Ok(vec![b.select(positive, root, zero)?])
        })
    };
    let grad = |p: &Program| cotangents(p, &[tensor(&[], &[0.0])], &[0], &[tensor(&[], &[1.0])])[0][0];
    assert!(grad(&root(false)).is_nan());
    assert_eq!(grad(&root(true)), 0.0);
}

fn rows() -> GatherDims {
    GatherDims {
        offset_dims: vec![],
        collapsed_slice_dims: vec![0],
        operand_batching_dims: vec![],
        start_indices_batching_dims: vec![],
        start_index_map: vec![0],
        index_vector_dim: 1,
        slice_sizes: vec![1],
        indices_are_sorted: false,
    }
}

#[test]
fn repeated_indices_add_and_clamped_ones_keep_their_gradient() {
    let ct = tensor(&[5], &[1.0, 10.0, 100.0, 1000.0, 10000.0]);
    let p = program(&[f64s(&[3]), TensorType::new(DType::I32, [5])], |b, v| {
        Ok(vec![b.push1(Op::Gather(Box::new(rows())), v)?])
    });
    let grad = |i: &[i64]| {
        let args = [tensor(&[3], &[1.0, 2.0, 3.0]), ints(&[5], i)];
        cotangents(&p, &args, &[0], std::slice::from_ref(&ct)).remove(0)
    };
    assert_eq!(grad(&[0, 2, 2, 0, 2]), [1001.0, 0.0, 10110.0]);
    assert_eq!(grad(&[-4, 7, 1, 1, 3]), [1.0, 1100.0, 10010.0]);
}

#[test]
fn dynamic_slices_clamp_their_window() {
    let scalar = TensorType::scalar(DType::I32);
    let x = tensor(&[5], &[0.0, 1.0, 2.0, 3.0, 4.0]);
    let p = program(&[f64s(&[5]), scalar.clone()], |b, v| {
        Ok(vec![b.push1(Op::DynamicSlice { sizes: vec![3] }, v)?])
    });
    let ct = [tensor(&[3], &[1.0, 10.0, 100.0])];
    assert_eq!(cotangents(&p, &[x.clone(), ints(&[], &[4])], &[0], &ct)[0], [0.0, 0.0, 1.0, 10.0, 100.0]);
    assert_eq!(cotangents(&p, &[x.clone(), ints(&[], &[-9])], &[0], &ct)[0], [1.0, 10.0, 100.0, 0.0, 0.0]);
    let p = program(&[f64s(&[5]), f64s(&[3]), scalar], |b, v| Ok(vec![b.push1(Op::DynamicUpdateSlice, v)?]));
    let ct = [tensor(&[5], &[1.0, 10.0, 100.0, 1000.0, 10000.0])];
    let d = cotangents(&p, &[x, tensor(&[3], &[7.0, 8.0, 9.0]), ints(&[], &[4])], &[0, 1], &ct);
    assert_eq!(d, [vec![1.0, 10.0, 0.0, 0.0, 0.0], vec![100.0, 1000.0, 10000.0]]);
}

fn scatter(combiner: Option<Monoid>, indices: &[i64]) -> Vec<Vec<f64>> {
    let dims = ScatterDims {
        update_window_dims: vec![],
        inserted_window_dims: vec![0],
        input_batching_dims: vec![],
        scatter_indices_batching_dims: vec![],
        scatter_dims_to_operand_dims: vec![0],
        index_vector_dim: 1,
        indices_are_sorted: false,
        unique_indices: false,
    };
    let n = indices.len();
    let types = [f64s(&[3]), TensorType::new(DType::I32, [n]), f64s(&[n])];
    let p = program(&types, |b, v| Ok(vec![b.push1(Op::Scatter { dims: Box::new(dims), combiner }, v)?]));
    let args = [tensor(&[3], &[5.0, 5.0, 5.0]), ints(&[n], indices), tensor(&[n], &vec![5.0; n])];
    cotangents(&p, &args, &[0, 2], &[tensor(&[3], &[1.0, 2.0, 3.0])])
}

#[test]
fn scatters_drop_what_is_out_of_range_and_share_ties() {
    assert_eq!(scatter(Some(Monoid::Add), &[1, 1]), [vec![1.0, 2.0, 3.0], vec![2.0, 2.0]]);
    assert_eq!(scatter(Some(Monoid::Add), &[1, 7]), [vec![1.0, 2.0, 3.0], vec![2.0, 0.0]]);
    assert_eq!(scatter(None, &[1, 1]), [vec![1.0, 0.0, 3.0], vec![0.0, 2.0]]);
    assert_eq!(scatter(None, &[-1, 2]), [vec![1.0, 2.0, 0.0], vec![0.0, 3.0]]);
    assert_eq!(scatter(Some(Monoid::Maximum), &[2, 2]), [vec![1.0, 2.0, 1.0], vec![1.0, 1.0]]);
}

#[test]
fn integers_have_no_tangents() {
    // x * floor(x) + x * int(x) at 2.7: only the factors x count.
    let p = program(&[f64s(&[])], |b, v| {
        let floor = b.unary(UnaryOp::Floor, v[0])?;
        let int = b.convert(v[0], DType::I32)?;
        let back = b.convert(int, DType::F64)?;
        let (left, right) = (b.mul(v[0], floor)?, b.mul(v[0], back)?);
        Ok(vec![b.add(left, right)?, int])
    });
    let out = eval(&value_and_grad(&p, &[0]).unwrap(), &[tensor(&[], &[2.7])]);
    assert_eq!(out[2].to_f64s(), [4.0]);
    assert_eq!(out[1].dtype(), DType::I32);
}

#[test]
fn broadcast_of_a_unit_dimension_sums_over_it() {
    let p = program(&[f64s(&[1, 2])], |b, v| Ok(vec![b.broadcast(v[0], &[3, 2], &[0, 1])?]));
    let ct = tensor(&[3, 2], &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    assert_eq!(cotangents(&p, &[tensor(&[1, 2], &[0.0, 0.0])], &[0], &[ct])[0], [6.0, 9.0]);
}

#[test]
fn complex_gradients_are_not_conjugated() {
    // z -> (2+3i) z with cotangent 1 gives 2+3i.
    let ty = TensorType::scalar(DType::C128);
    let complex = |re: f64, im: f64| {
        Tensor::from_bytes(ty.clone(), &[re.to_le_bytes(), im.to_le_bytes()].concat()).unwrap()
    };
    let p = program(&[ty.clone(), ty.clone()], |b, v| Ok(vec![b.mul(v[0], v[1])?]));
    let all = eval(
        &pullback_autodiff::vjp(&p, &[1]).unwrap(),
        &[complex(2.0, 3.0), complex(1.0, 2.0), complex(1.0, 0.0)],
    );
    assert_eq!(all[1].bytes(), complex(2.0, 3.0).bytes());
    // Re z^2 at 1+2i gives 2+4i.
    let p = program(std::slice::from_ref(&ty), |b, v| {
        let square = b.mul(v[0], v[0])?;
        Ok(vec![b.convert(square, DType::F64)?])
    });
    let out = eval(&value_and_grad(&p, &[0]).unwrap(), &[complex(1.0, 2.0)]);
    assert_eq!(out[1].bytes(), complex(2.0, 4.0).bytes());
}

#[test]
fn cotangents_have_the_primal_type() {
    let ty = TensorType::new(DType::BF16, [2]);
    let p = program(std::slice::from_ref(&ty), |b, v| {
        let wide = b.convert(v[0], DType::F32)?;
        let square = b.mul(wide, wide)?;
        Ok(vec![b.reduce(square, &[0], Monoid::Add)?])
    });
    let out =
        eval(&value_and_grad(&p, &[0]).unwrap(), &[Tensor::from_f64s(ty.clone(), &[1.0, 3.0]).unwrap()]);
    assert_eq!((out[1].ty(), out[1].to_f64s()), (&ty, vec![2.0, 6.0]));
}

/// Bits of x's sign, joined: what is multiplied by the result is constant to x.
#[test]
fn and_and_or_are_flat() {
    let window = WindowDims {
        sizes: vec![2],
        strides: vec![1],
        base_dilations: vec![1],
        window_dilations: vec![1],
        padding: vec![(0, 0)],
    };
    let dims = ScatterDims {
        update_window_dims: vec![],
        inserted_window_dims: vec![0],
        input_batching_dims: vec![],
        scatter_indices_batching_dims: vec![],
        scatter_dims_to_operand_dims: vec![0],
        index_vector_dim: 1,
        indices_are_sorted: false,
        unique_indices: false,
    };
    for (monoid, expect) in [(Monoid::And, [0.0, 1.0, 0.0, 1.0, 0.0]), (Monoid::Or, [1.0; 5])] {
        let p = program(&[f64s(&[3])], |b, v| {
            let zero = b.splat(&f64s(&[3]), 0.0);
            let signs = b.compare(Comparison::Gt, v[0], zero)?;
            let at = b.splat(&TensorType::new(DType::I32, [3, 1]), 1.0);
            let all = b.push1(Op::Reduce { dims: vec![0], monoid }, &[signs])?;
            let pairs = Op::ReduceWindow { window: Box::new(window.clone()), monoid };
            let pairs = b.push1(pairs, &[signs])?;
            let scatter = Op::Scatter { dims: Box::new(dims.clone()), combiner: Some(monoid) };
            let put = b.push1(scatter, &[signs, at, signs])?;
            let mut results = Vec::new();
            for joined in [all, pairs, put] {
                let joined = b.convert(joined, DType::F64)?;
                results.push(joined);
            }
            let all = b.broadcast(results[0], &[3], &[])?;
            let cut = |starts: usize| Op::Slice {
                starts: vec![starts],
                limits: vec![starts + 2],
                strides: vec![1],
            };
            let some = b.push1(cut(0), &[v[0]])?;
            Ok(vec![b.mul(v[0], all)?, b.mul(some, results[1])?, b.mul(v[0], results[2])?])
        });
        let x = tensor(&[3], &[2.0, 3.0, -1.0]);
        let values = eval(&p, std::slice::from_ref(&x));
        let factors = |t: &Tensor| -> Vec<f64> {
            t.to_f64s().iter().zip([2.0, 3.0, -1.0]).map(|(y, x)| y / x).collect()
        };
        let [all, pairs, put] = [0, 1, 2].map(|k| factors(&values[k]));
        assert_eq!([&all[..1], &pairs, &put[..2]].concat(), expect, "{monoid:?}");
        for (k, factors) in [all, pairs, put].into_iter().enumerate() {
            let mut ct: Vec<Tensor> = values.iter().map(|t| Tensor::zeros(t.ty().clone())).collect();
            ct[k] = tensor(&[factors.len()], &vec![1.0; factors.len()]);
            let d = cotangents(&p, std::slice::from_ref(&x), &[0], &ct);
            assert_eq!(d[0][..factors.len()], factors, "{monoid:?} {k}");
        }
    }
}
