//! Batch normalization, older contractions, tuples between functions.

use crate::{floats, indices, ints, numbers, run};
use pullback_eval::Tensor;

fn close(got: &Tensor, want: &[f64]) {
    let got = got.to_f64s();
    assert_eq!(got.len(), want.len());
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        assert!((g - w).abs() <= 1e-4 * (1.0 + w.abs()), "element {i}: {g}, not {w}");
    }
}

fn real(n: usize, seed: u64) -> Vec<f64> {
    numbers(n, seed).iter().enumerate().map(|(i, &v)| v as f64 + 0.125 * (i % 5) as f64).collect()
}

const EPSILON: f64 = 0.001;

/// Features are the middle dimension of `[2, 3, 4]`.
fn feature(i: usize) -> usize {
    i / 4 % 3
}

/// Means and variances of the features.
fn moments(x: &[f64]) -> ([f64; 3], [f64; 3]) {
    let mean =
        |x: &dyn Fn(usize) -> f64, f: usize| (0..24).filter(|&i| feature(i) == f).map(x).sum::<f64>() / 8.0;
    let means = [0, 1, 2].map(|f| mean(&|i| x[i], f));
    (means, [0, 1, 2].map(|f| mean(&|i| (x[i] - means[f]).powi(2), f)))
}

#[test]
fn normalization() {
    let text = r#"func.func public @main(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %o: tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>) {
  %0:3 = "stablehlo.batch_norm_training"(%x, %s, %o) <{epsilon = 0.001 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  %1 = "stablehlo.batch_norm_inference"(%x, %s, %o, %0#1, %0#2) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return %0#0, %0#1, %0#2, %1 : tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>
}"#;
    let (x, scale, offset) = (real(24, 5), [0.5, -2.0, 1.5], [1.0, 0.0, -3.0]);
    let got = run(text, &[floats(&[2, 3, 4], &x), floats(&[3], &scale), floats(&[3], &offset)]);
    let (means, variances) = moments(&x);
    let normal = |i: usize| {
        let f = feature(i);
        (x[i] - means[f]) / (variances[f] + EPSILON).sqrt() * scale[f] + offset[f]
    };
    let want: Vec<f64> = (0..24).map(normal).collect();
    close(&got[0], &want);
    close(&got[1], &means);
    close(&got[2], &variances);
    close(&got[3], &want);
}

/// The gradients are those of the normalization, by differences.
#[test]
fn gradients_of_normalization() {
    let text = r#"func.func public @main(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>, %g: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0:3 = "stablehlo.batch_norm_grad"(%x, %s, %m, %v, %g) {epsilon = 0.001 : f32, feature_index = 1 : i64} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2 : tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>
}"#;
    let (x, scale, grad) = (real(24, 11), [0.5, -2.0, 1.5], real(24, 12));
    let (means, variances) = moments(&x);
    let args = [
        floats(&[2, 3, 4], &x),
        floats(&[3], &scale),
        floats(&[3], &means),
        floats(&[3], &variances),
        floats(&[2, 3, 4], &grad),
    ];
    let got = run(text, &args);
    let loss = |x: &[f64], scale: &[f64; 3], offset: &[f64; 3]| -> f64 {
        let (means, variances) = moments(x);
        let normal = |i: usize| {
            let f = feature(i);
            (x[i] - means[f]) / (variances[f] + EPSILON).sqrt() * scale[f] + offset[f]
        };
        (0..24).map(|i| normal(i) * grad[i]).sum()
    };
    let h = 1e-5;
    let slope = |f: &dyn Fn(f64) -> f64| (f(h) - f(-h)) / (2.0 * h);
    let of_x: Vec<f64> = (0..24)
        .map(|i| {
            slope(&|h| {
                let mut x = x.clone();
                x[i] += h;
                loss(&x, &scale, &[0.0; 3])
            })
        })
        .collect();
    let moved = |v: [f64; 3], f: usize, h: f64| {
        let mut v = v;
        v[f] += h;
        v
    };
    close(&got[0], &of_x);
    close(&got[1], &[0, 1, 2].map(|f| slope(&|h| loss(&x, &moved(scale, f, h), &[0.0; 3]))));
    close(&got[2], &[0, 1, 2].map(|f| slope(&|h| loss(&x, &scale, &moved([0.0; 3], f, h)))));
}

#[test]
fn older_contractions() {
    let text = r#"func.func public @main(%a: tensor<2x3xi32>, %b: tensor<3x4xi32>, %c: tensor<5x2x3xi32>, %v: tensor<3xi32>) -> (tensor<2x4xi32>, tensor<2xi32>, tensor<4x2xi32>, tensor<3x5xi32>, tensor<5x4x2xi32>) {
  %0 = stablehlo.dot %a, %b : (tensor<2x3xi32>, tensor<3x4xi32>) -> tensor<2x4xi32>
  %1 = stablehlo.dot %a, %v, precision = [HIGHEST, DEFAULT] : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2xi32>
  %2 = stablehlo.einsum %a, %b, config = "ij,jk->ki" : (tensor<2x3xi32>, tensor<3x4xi32>) -> tensor<4x2xi32>
  %3 = "stablehlo.unary_einsum"(%c) <{einsum_config = "bij->jb"}> : (tensor<5x2x3xi32>) -> tensor<3x5xi32>
  %4 = stablehlo.einsum %c, %b, config = "...ij,jk->...ki" : (tensor<5x2x3xi32>, tensor<3x4xi32>) -> tensor<5x4x2xi32>
  return %0, %1, %2, %3, %4 : tensor<2x4xi32>, tensor<2xi32>, tensor<4x2xi32>, tensor<3x5xi32>, tensor<5x4x2xi32>
}"#;
    let (a, b, c, v) = (numbers(6, 1), numbers(12, 2), numbers(30, 3), numbers(3, 4));
    let got = run(text, &[ints(&[2, 3], &a), ints(&[3, 4], &b), ints(&[5, 2, 3], &c), ints(&[3], &v)]);
    let product = |i: usize, k: usize| (0..3).map(|j| a[3 * i + j] * b[4 * j + k]).sum::<i64>();
    let each = |shape: &[usize], f: &dyn Fn(&[usize]) -> i64| {
        indices(shape).iter().map(|i| f(i)).collect::<Vec<_>>()
    };
    assert_eq!(got[0].to_i64s(), each(&[2, 4], &|i| product(i[0], i[1])));
    assert_eq!(got[1].to_i64s(), each(&[2], &|i| (0..3).map(|j| a[3 * i[0] + j] * v[j]).sum()));
    assert_eq!(got[2].to_i64s(), each(&[4, 2], &|i| product(i[1], i[0])));
    assert_eq!(got[3].to_i64s(), each(&[3, 5], &|i| (0..2).map(|r| c[6 * i[1] + 3 * r + i[0]]).sum()));
    let batched = |i: &[usize]| (0..3).map(|j| c[6 * i[0] + 3 * i[2] + j] * b[4 * j + i[1]]).sum();
    assert_eq!(got[4].to_i64s(), each(&[5, 4, 2], &batched));
}

#[test]
fn older_indexing() {
    let text = r#"func.func public @main(%x: tensor<2x4x3xi32>, %i: tensor<2x2xi32>, %s: tensor<3xi32>) -> (tensor<2x2x3xi32>, tensor<2x4x2x2xi32>, tensor<2x2x3xi32>) {
  %0 = "stablehlo.torch_index_select"(%x, %i) <{dim = 1 : i64, batch_dims = 1 : i64}> : (tensor<2x4x3xi32>, tensor<2x2xi32>) -> tensor<2x2x3xi32>
  %1 = "stablehlo.torch_index_select"(%x, %i) <{dim = 2 : i64, batch_dims = 0 : i64}> : (tensor<2x4x3xi32>, tensor<2x2xi32>) -> tensor<2x4x2x2xi32>
  %2 = stablehlo.broadcast %s, sizes = [2, 2] : (tensor<3xi32>) -> tensor<2x2x3xi32>
  return %0, %1, %2 : tensor<2x2x3xi32>, tensor<2x4x2x2xi32>, tensor<2x2x3xi32>
}"#;
    let (x, i, s) = (numbers(24, 1), [0, 2, 1, 1], numbers(3, 2));
    let got = run(text, &[ints(&[2, 4, 3], &x), ints(&[2, 2], &i), ints(&[3], &s)]);
    let each = |shape: &[usize], f: &dyn Fn(&[usize]) -> i64| {
        indices(shape).iter().map(|i| f(i)).collect::<Vec<_>>()
    };
    let at = |b: usize, r: usize, c: usize| x[12 * b + 3 * r + c];
    let number = |a: usize, b: usize| i[2 * a + b] as usize;
    assert_eq!(got[0].to_i64s(), each(&[2, 2, 3], &|k| at(k[0], number(k[0], k[1]), k[2])));
    assert_eq!(got[1].to_i64s(), each(&[2, 4, 2, 2], &|k| at(k[0], k[1], number(k[2], k[3]))));
    assert_eq!(got[2].to_i64s(), each(&[2, 2, 3], &|k| s[k[2]]));
}

#[test]
fn tuples_between_functions_and_regions() {
    let text = r#"func.func private @swap(%t: tuple<tensor<i32>, tuple<tensor<2xi32>>>) -> tuple<tuple<tensor<2xi32>>, tensor<i32>> {
  %0 = stablehlo.get_tuple_element %t[0] : (tuple<tensor<i32>, tuple<tensor<2xi32>>>) -> tensor<i32>
  %1 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<i32>, tuple<tensor<2xi32>>>) -> tuple<tensor<2xi32>>
  %2 = stablehlo.tuple %1, %0 : tuple<tuple<tensor<2xi32>>, tensor<i32>>
  return %2 : tuple<tuple<tensor<2xi32>>, tensor<i32>>
}
func.func public @main(%p: tensor<i1>, %t: tuple<tensor<i32>, tuple<tensor<2xi32>>>) -> tuple<tensor<i32>, tensor<2xi32>> {
  %0 = call @swap(%t) : (tuple<tensor<i32>, tuple<tensor<2xi32>>>) -> tuple<tuple<tensor<2xi32>>, tensor<i32>>
  %1 = stablehlo.get_tuple_element %0[0] : (tuple<tuple<tensor<2xi32>>, tensor<i32>>) -> tuple<tensor<2xi32>>
  %2 = stablehlo.get_tuple_element %1[0] : (tuple<tensor<2xi32>>) -> tensor<2xi32>
  %3 = stablehlo.get_tuple_element %0[1] : (tuple<tuple<tensor<2xi32>>, tensor<i32>>) -> tensor<i32>
  %4 = stablehlo.negate %3 : tensor<i32>
  %5 = "stablehlo.if"(%p) ({
    %6 = stablehlo.tuple %3, %2 : tuple<tensor<i32>, tensor<2xi32>>
    stablehlo.return %6 : tuple<tensor<i32>, tensor<2xi32>>
  }, {
    %6 = stablehlo.tuple %4, %2 : tuple<tensor<i32>, tensor<2xi32>>
    stablehlo.return %6 : tuple<tensor<i32>, tensor<2xi32>>
  }) : (tensor<i1>) -> tuple<tensor<i32>, tensor<2xi32>>
  return %5 : tuple<tensor<i32>, tensor<2xi32>>
}"#;
    let pred = Tensor::from_i64s(pullback_ir::TensorType::scalar(pullback_ir::DType::Bool), &[0]).unwrap();
    let got = run(text, &[pred, ints(&[], &[4]), ints(&[2], &[5, 6])]);
    let values: Vec<Vec<i64>> = got.iter().map(|t| t.to_i64s()).collect();
    assert_eq!(values, [vec![-4], vec![5, 6]]);
}
