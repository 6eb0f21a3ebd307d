//! Ops that move elements and contractions, over all small shapes and attributes.

use crate::common::*;
use pullback_ir::{ConvDims, DotDims, Op, TensorType};

fn small_shapes(rank: usize) -> Vec<Vec<usize>> {
    let mut shapes = vec![vec![]];
    for _ in 0..rank {
        shapes = shapes.into_iter().flat_map(|s| (0..=3).map(move |n| [&s[..], &[n]].concat())).collect();
    }
    shapes
}

fn one(op: Op, types: &[TensorType]) {
    let what = format!("{op:?} of {types:?}");
    let p = program(types, |b, x| Ok(vec![b.push1(op, x)?]));
    let args: Vec<_> =
        types.iter().enumerate().map(|(i, ty)| random(ty, &format!("x{i}"), -1.0, 1.0)).collect();
    check(&what, &p, &args, &(0..types.len()).collect::<Vec<_>>());
}

#[test]
fn broadcast_and_transpose() {
    for s in small_shapes(2) {
        let x = f64s(&s);
        for dims in [[0, 1], [1, 0], [0, 2], [2, 0], [1, 2], [2, 1]] {
            let mut shape = vec![2; 3];
            for (i, &d) in dims.iter().enumerate() {
                shape[d] = s[i];
                if s[i] == 1 {
                    shape[d] = 3 - i;
                }
            }
            one(Op::BroadcastInDim { shape, dims: dims.to_vec() }, std::slice::from_ref(&x));
        }
        one(Op::Transpose { permutation: vec![1, 0] }, std::slice::from_ref(&x));
        one(Op::Reshape { shape: vec![1, s[1], s[0], 1] }, std::slice::from_ref(&x));
        one(Op::Reverse { dims: vec![1] }, &[x]);
    }
    one(Op::BroadcastInDim { shape: vec![2, 3], dims: vec![] }, &[f64s(&[])]);
    one(Op::Transpose { permutation: vec![2, 0, 1] }, &[f64s(&[2, 3, 1])]);
}

#[test]
fn slice_pad_and_concatenate() {
    for n in 0..=3 {
        for start in 0..=n {
            for limit in start..=n {
                for stride in 1..=3 {
                    let op = Op::Slice {
                        starts: vec![0, start],
                        limits: vec![2, limit],
                        strides: vec![1, stride],
                    };
                    one(op, &[f64s(&[2, n])]);
                }
            }
        }
        for low in -2..=2i64 {
            for high in -2..=2i64 {
                for interior in 0..=2 {
                    let size = n as i64 + low + high + (n as i64 - 1).max(0) * interior as i64;
                    if size >= 0 {
                        let op =
                            Op::Pad { low: vec![low, 0], high: vec![high, 1], interior: vec![interior, 0] };
                        one(op, &[f64s(&[n, 2]), f64s(&[])]);
                    }
                }
            }
        }
        one(Op::Concatenate { dim: 1 }, &[f64s(&[2, n]), f64s(&[2, 1]), f64s(&[2, 3 - n])]);
    }
}

#[test]
fn dot_general() {
    let dims = |lb: &[usize], rb: &[usize], lc: &[usize], rc: &[usize]| DotDims {
        lhs_batch: lb.to_vec(),
        rhs_batch: rb.to_vec(),
        lhs_contract: lc.to_vec(),
        rhs_contract: rc.to_vec(),
    };
    for s in small_shapes(3) {
        let (i, j, k) = (s[0], s[1], s[2]);
        one(Op::DotGeneral(dims(&[], &[], &[1], &[0])), &[f64s(&[i, k]), f64s(&[k, j])]);
        one(Op::DotGeneral(dims(&[], &[], &[1], &[1])), &[f64s(&[i, k]), f64s(&[j, k])]);
        one(Op::DotGeneral(dims(&[], &[], &[0], &[1])), &[f64s(&[k, i]), f64s(&[j, k])]);
    }
    let case = |d: DotDims, l: &[usize], r: &[usize]| one(Op::DotGeneral(d), &[f64s(l), f64s(r)]);
    case(dims(&[], &[], &[], &[]), &[2, 3], &[4]);
    case(dims(&[], &[], &[0, 1], &[1, 0]), &[2, 3], &[3, 2]);
    case(dims(&[0], &[0], &[2], &[1]), &[2, 3, 4], &[2, 4, 5]);
    case(dims(&[1, 3], &[2, 0], &[0, 2], &[3, 1]), &[2, 3, 4, 5, 6], &[5, 4, 3, 2, 7]);
    case(dims(&[2], &[1], &[0, 1], &[2, 0]), &[2, 3, 4, 1], &[3, 4, 2, 2]);
    case(dims(&[0, 1], &[0, 1], &[3], &[3]), &[2, 3, 4, 2], &[2, 3, 5, 2]);
}

fn conv1(x: (usize, usize), k: (usize, usize, usize), fg: usize, bg: usize) -> (ConvDims, [TensorType; 2]) {
    let (batch, features) = (2 * bg, x.1);
    let dims = ConvDims {
        input_batch: 0,
        input_feature: 2,
        input_spatial: vec![1],
        kernel_input_feature: 1,
        kernel_output_feature: 2,
        kernel_spatial: vec![0],
        output_batch: 2,
        output_feature: 0,
        output_spatial: vec![1],
        strides: vec![1],
        padding: vec![(0, 0)],
        lhs_dilation: vec![1],
        rhs_dilation: vec![1],
        reversal: vec![false],
        feature_group_count: fg,
        batch_group_count: bg,
    };
    (dims, [f64s(&[batch, x.0, features]), f64s(&[k.0, k.1, k.2])])
}

#[test]
fn convolution_windows() {
    for (n, k) in [(1, 1), (3, 1), (3, 2), (4, 3), (5, 2), (2, 3), (0, 2)] {
        for bits in 0..16usize {
            let pick = |b: usize| 1 + (bits >> b & 1);
            for padding in [(0, 0), (1, 2), (2, 0), (-1, 1), (-1, -1)] {
                let (mut c, types) = conv1((n, 2), (k, 2, 3), 1, 1);
                (c.strides[0], c.lhs_dilation[0], c.rhs_dilation[0]) = (pick(0), pick(1), pick(2));
                c.reversal[0] = pick(3) == 2;
                c.padding[0] = padding;
                one(Op::Convolution(Box::new(c)), &types);
            }
        }
    }
}

#[test]
fn convolution_groups() {
    for (fg, bg) in [(2, 1), (3, 1), (1, 2), (1, 3)] {
        for stride in [1, 2] {
            let (mut c, types) = conv1((4, 2 * fg), (2, 2, 2 * fg * bg), fg, bg);
            c.strides[0] = stride;
            c.padding[0] = (1, 0);
            one(Op::Convolution(Box::new(c)), &types);
        }
    }
}

#[test]
fn convolution_in_two_dimensions_and_second_order() {
    let c = ConvDims {
        input_batch: 1,
        input_feature: 3,
        input_spatial: vec![2, 0],
        kernel_input_feature: 0,
        kernel_output_feature: 3,
        kernel_spatial: vec![1, 2],
        output_batch: 0,
        output_feature: 1,
        output_spatial: vec![3, 2],
        strides: vec![2, 1],
        padding: vec![(1, 0), (0, 2)],
        lhs_dilation: vec![1, 2],
        rhs_dilation: vec![2, 1],
        reversal: vec![true, false],
        feature_group_count: 2,
        batch_group_count: 1,
    };
    let types = [f64s(&[3, 2, 5, 4]), f64s(&[2, 2, 3, 4])];
    let p = program(&types, |b, x| Ok(vec![b.push1(Op::Convolution(Box::new(c)), x)?]));
    check2(
        "convolution",
        &p,
        &[random(&types[0], "x", -1.0, 1.0), random(&types[1], "k", -1.0, 1.0)],
        &[0, 1],
    );
}
