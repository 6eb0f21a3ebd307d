//! CHLO's operations: broadcasts, ragged contractions, scans.

use crate::{floats, indices, ints, numbers, run};
use pullback_eval::Tensor;

#[test]
fn operands_broadcast() {
    let text = r#"func.func public @main(%a: tensor<2x1xi32>, %b: tensor<3xi32>, %c: tensor<2xi32>, %p: tensor<3xi1>) -> (tensor<2x3xi32>, tensor<2x3xi1>, tensor<2x3xi32>, tensor<2x3xi32>) {
  %0 = chlo.broadcast_subtract %a, %b : (tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  %1 = chlo.broadcast_compare %a, %b {comparison_direction = #chlo<comparison_direction LT>} : (tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi1>
  %2 = chlo.broadcast_multiply %c, %0 {broadcast_dimensions = array<i64: 0>} : (tensor<2xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %3 = chlo.broadcast_select %p, %a, %b : (tensor<3xi1>, tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  return %0, %1, %2, %3 : tensor<2x3xi32>, tensor<2x3xi1>, tensor<2x3xi32>, tensor<2x3xi32>
}"#;
    let pred =
        Tensor::from_i64s(pullback_ir::TensorType::new(pullback_ir::DType::Bool, [3]), &[1, 0, 1]).unwrap();
    let args = [ints(&[2, 1], &[5, 1]), ints(&[3], &[4, 1, 7]), ints(&[2], &[2, -1]), pred];
    let got: Vec<Vec<i64>> = run(text, &args).iter().map(|t| t.to_i64s()).collect();
    assert_eq!(got[0], [1, 4, -2, -3, 0, -6]);
    assert_eq!(got[1], [0, 0, 1, 1, 0, 1]);
    assert_eq!(got[2], [2, 8, -4, 3, 0, 6]);
    assert_eq!(got[3], [5, 1, 5, 1, 1, 1]);
}

#[test]
fn infinities_and_constants() {
    let text = r#"func.func public @main(%x: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xf32>, tensor<4xi32>, tensor<4xf32>) {
  %0 = chlo.is_inf %x : tensor<4xf32> -> tensor<4xi1>
  %1 = chlo.is_pos_inf %x : tensor<4xf32> -> tensor<4xi1>
  %2 = chlo.is_neg_inf %x : tensor<4xf32> -> tensor<4xi1>
  %3 = "chlo.constant_like"(%x) <{value = -2.5 : f32}> : (tensor<4xf32>) -> tensor<4xf32>
  %4 = "chlo.constant_like"(%x) <{value = 7 : i32}> : (tensor<4xf32>) -> tensor<4xi32>
  %5 = chlo.conj %x : tensor<4xf32> -> tensor<4xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xf32>, tensor<4xi32>, tensor<4xf32>
}"#;
    let x = floats(&[4], &[f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1.0]);
    let got: Vec<Vec<f64>> = run(text, &[x]).iter().map(|t| t.to_f64s()).collect();
    assert_eq!(got[0], [1.0, 1.0, 0.0, 0.0]);
    assert_eq!(got[1], [1.0, 0.0, 0.0, 0.0]);
    assert_eq!(got[2], [0.0, 1.0, 0.0, 0.0]);
    assert_eq!(got[3], [-2.5; 4]);
    assert_eq!(got[4], [7.0; 4]);
    assert_eq!(got[5][3], 1.0);
}

#[test]
fn complex_parts() {
    let text = r#"func.func public @main(%a: tensor<2x1xf32>, %b: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xf32>) {
  %0 = chlo.broadcast_complex %a, %b : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xcomplex<f32>>
  %1 = chlo.conj %0 : tensor<2x3xcomplex<f32>> -> tensor<2x3xcomplex<f32>>
  %2 = stablehlo.real %1 : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
  %3 = stablehlo.imag %1 : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
  %4 = chlo.constant dense<[1.5, -2.0]> : tensor<2xf32>
  return %2, %3, %4 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xf32>
}"#;
    let got: Vec<Vec<f64>> = run(text, &[floats(&[2, 1], &[5.0, 1.0]), floats(&[3], &[4.0, 0.5, 7.0])])
        .iter()
        .map(Tensor::to_f64s)
        .collect();
    assert_eq!(got[0], [5.0, 5.0, 5.0, 1.0, 1.0, 1.0]);
    assert_eq!(got[1], [-4.0, -0.5, -7.0, -4.0, -0.5, -7.0]);
    assert_eq!(got[2], [1.5, -2.0]);
}

/// The group of each row, where it has one.
fn groups(sizes: &[i64], rows: usize) -> Vec<Option<usize>> {
    let mut out: Vec<Option<usize>> =
        sizes.iter().enumerate().flat_map(|(g, &n)| (0..n).map(move |_| Some(g))).collect();
    out.resize(rows, None);
    out
}

/// Rows of a batch, each with the rhs of its group; sizes differ along the batch.
#[test]
fn ragged_rows() {
    let text = r#"func.func public @main(%x: tensor<2x5x3xi32>, %y: tensor<3x2x3x4xi32>, %g: tensor<2x3xi32>) -> tensor<2x5x4xi32> {
  %0 = "chlo.ragged_dot"(%x, %y, %g) {
    ragged_dot_dimension_numbers = #chlo.ragged_dot<
      lhs_batching_dimensions = [0], rhs_batching_dimensions = [1],
      lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2],
      lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>,
    precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>]
  } : (tensor<2x5x3xi32>, tensor<3x2x3x4xi32>, tensor<2x3xi32>) -> tensor<2x5x4xi32>
  return %0 : tensor<2x5x4xi32>
}"#;
    let (x, y) = (numbers(30, 1), numbers(72, 2));
    let sizes = [[2, 0, 1], [1, 1, 3]];
    let args = [ints(&[2, 5, 3], &x), ints(&[3, 2, 3, 4], &y), ints(&[2, 3], sizes.as_flattened())];
    let want: Vec<i64> = indices(&[2, 5, 4])
        .iter()
        .map(|i| {
            let Some(g) = groups(&sizes[i[0]], 5)[i[1]] else { return 0 };
            (0..3).map(|k| x[15 * i[0] + 3 * i[1] + k] * y[24 * g + 12 * i[0] + 4 * k + i[2]]).sum()
        })
        .collect();
    assert_eq!(run(text, &args)[0].to_i64s(), want);
}

/// Contracted dimensions in groups: a result for each, and an infinity stays in its own.
#[test]
fn ragged_contractions() {
    let text = r#"func.func public @main(%x: tensor<2x5xf32>, %y: tensor<5x3xf32>, %g: tensor<2xi64>) -> tensor<2x2x3xf32> {
  %0 = "chlo.ragged_dot"(%x, %y, %g) {
    ragged_dot_dimension_numbers = #chlo.ragged_dot<
      lhs_batching_dimensions = [], rhs_batching_dimensions = [],
      lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0],
      lhs_ragged_dimensions = [1], rhs_group_dimensions = []>
  } : (tensor<2x5xf32>, tensor<5x3xf32>, tensor<2xi64>) -> tensor<2x2x3xf32>
  return %0 : tensor<2x2x3xf32>
}"#;
    let sizes = pullback_ir::TensorType::new(pullback_ir::DType::I64, [2]);
    let sizes = Tensor::from_i64s(sizes, &[2, 3]).unwrap();
    let x: Vec<f64> = numbers(10, 3).iter().map(|&v| v as f64).collect();
    let mut y: Vec<f64> = numbers(15, 4).iter().map(|&v| v as f64).collect();
    y[0] = f64::INFINITY;
    let got = run(text, &[floats(&[2, 5], &x), floats(&[5, 3], &y), sizes])[0].to_f64s();
    for i in indices(&[2, 2, 3]) {
        let rows = if i[0] == 0 { 0..2 } else { 2..5 };
        let want: f64 = rows.map(|k| x[5 * i[1] + k] * y[3 * k + i[2]]).sum();
        let value = got[6 * i[0] + 3 * i[1] + i[2]];
        assert!(value == want || (value.is_nan() && want.is_nan()), "{i:?}: {value}, not {want}");
    }
}

/// Batches in groups: what belongs to no group is computed too, as the sizes change nothing.
#[test]
fn ragged_batches() {
    let text = r#"func.func public @main(%x: tensor<3x2xi32>, %y: tensor<3x2xi32>, %g: tensor<2xi32>) -> tensor<3xi32> {
  %0 = "chlo.ragged_dot"(%x, %y, %g) {
    ragged_dot_dimension_numbers = #chlo.ragged_dot<
      lhs_batching_dimensions = [0], rhs_batching_dimensions = [0],
      lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1],
      lhs_ragged_dimensions = [0], rhs_group_dimensions = []>
  } : (tensor<3x2xi32>, tensor<3x2xi32>, tensor<2xi32>) -> tensor<3xi32>
  return %0 : tensor<3xi32>
}"#;
    let args = [ints(&[3, 2], &[1, 2, 3, 4, 5, 6]), ints(&[3, 2], &[1, 1, 2, 2, 3, 3]), ints(&[2], &[1, 1])];
    assert_eq!(run(text, &args)[0].to_i64s(), [3, 14, 33]);
}

/// Two inputs, two carried values, along the last dimension from its end; both forms of the text.
#[test]
fn scans() {
    let region = r#"{
  ^bb0(%u: tensor<2xi32>, %v: tensor<2xi32>, %c: tensor<2xi32>, %d: tensor<i32>):
    %1 = stablehlo.multiply %c, %u : tensor<2xi32>
    %2 = stablehlo.add %1, %v : tensor<2xi32>
    %3 = stablehlo.constant dense<1> : tensor<i32>
    %4 = stablehlo.add %d, %3 : tensor<i32>
    stablehlo.return %2, %2, %4 : tensor<2xi32>, tensor<2xi32>, tensor<i32>
  }"#;
    let sig = "(tensor<2x4xi32>, tensor<2x4xi32>, tensor<2xi32>, tensor<i32>) -> (tensor<2x4xi32>, tensor<2xi32>, tensor<i32>)";
    let program = |op: String| {
        format!(
            "func.func public @main(%x: tensor<2x4xi32>, %y: tensor<2x4xi32>, %a: tensor<2xi32>, %b: tensor<i32>) -> (tensor<2x4xi32>, tensor<2xi32>, tensor<i32>) {{
  {op}
  return %0#0, %0#1, %0#2 : tensor<2x4xi32>, tensor<2xi32>, tensor<i32>
}}"
        )
    };
    let pretty = program(format!(
        "%0:3 = chlo.scan(%x, %y) inits(%a, %b) dimension=1 attributes {{is_reverse = true}} {region} : {sig}"
    ));
    let generic = program(format!(
        "%0:3 = \"chlo.scan\"(%x, %y, %a, %b) <{{dimension = 1 : i64, is_reverse = true, operandSegmentSizes = array<i32: 2, 2>, resultSegmentSizes = array<i32: 1, 2>}}> ({region}) : {sig}"
    ));
    let (x, y) = (numbers(8, 1), numbers(8, 2));
    let mut carried = [2, -1];
    let mut out = vec![0; 8];
    for k in (0..4).rev() {
        for r in 0..2 {
            carried[r] = carried[r] * x[4 * r + k] + y[4 * r + k];
            out[4 * r + k] = carried[r];
        }
    }
    for text in [pretty, generic] {
        let args = [ints(&[2, 4], &x), ints(&[2, 4], &y), ints(&[2], &[2, -1]), ints(&[], &[10])];
        let got: Vec<Vec<i64>> = run(&text, &args).iter().map(|t| t.to_i64s()).collect();
        assert_eq!(got, [out.clone(), carried.to_vec(), vec![14]]);
    }
}
