//! Reductions by any region, and map.

use crate::{AFFINE, Affine, affine_args, affine_results, affines, flat, floats, indices, ints, mlir, run};
use proptest::prelude::*;

/// The program and its arguments: two operands, two initial values.
fn reduce(shape: &[usize], dims: &[usize]) -> String {
    let rest: Vec<usize> = (0..shape.len()).filter(|d| !dims.contains(d)).map(|d| shape[d]).collect();
    let (x, s, r) = (mlir(shape, "i32"), mlir(&[], "i32"), mlir(&rest, "i32"));
    format!(
        "func.func public @main(%x: {x}, %y: {x}, %i: {s}, %j: {s}) -> ({r}, {r}) {{
  %0:2 = \"stablehlo.reduce\"(%x, %y, %i, %j) <{{dimensions = array<i64: {}>}}> {AFFINE} : ({x}, {x}, {s}, {s}) -> ({r}, {r})
  return %0#0, %0#1 : {r}, {r}
}}",
        dims.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    )
    .replace("array<i64: >", "array<i64>")
}

/// Elements in row-major order, after the initial value.
fn by_loops(shape: &[usize], dims: &[usize], values: &[Affine], init: Affine) -> Vec<Affine> {
    let kept: Vec<usize> = (0..shape.len()).filter(|d| !dims.contains(d)).collect();
    let rest: Vec<usize> = kept.iter().map(|&d| shape[d]).collect();
    let mut out = vec![init; rest.iter().product()];
    for index in indices(shape) {
        let at: Vec<usize> = kept.iter().map(|&d| index[d]).collect();
        let place = flat(&rest, &at);
        out[place] = out[place].then(values[flat(shape, &index)]);
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_region_in_order(
        shape in prop::collection::vec(0usize..6, 0..4),
        chosen in prop::collection::vec(any::<bool>(), 4),
        seed in 0u64..1000,
        init in (-2i32..3, -2i32..3),
    ) {
        let dims: Vec<usize> = (0..shape.len()).filter(|&d| chosen[d]).collect();
        let values = affines(shape.iter().product(), seed);
        let init = Affine(init.0, init.1);
        let [x, y] = affine_args(&shape, &values);
        let [i, j] = affine_args(&[], &[init]);
        let got = affine_results(&run(&reduce(&shape, &dims), &[x, y, i, j]));
        prop_assert_eq!(got, by_loops(&shape, &dims, &values, init));
    }
}

/// The greatest element and where it is first, NaN above all, as JAX writes it.
#[test]
fn argmax() {
    let text = r#"func.func public @main(%x: tensor<2x5xf32>) -> tensor<2xi32> {
  %c = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %d = stablehlo.constant dense<0> : tensor<i32>
  %i = stablehlo.iota dim = 1 : tensor<2x5xi32>
  %0:2 = stablehlo.reduce(%x init: %c), (%i init: %d) across dimensions = [1] : (tensor<2x5xf32>, tensor<2x5xi32>, tensor<f32>, tensor<i32>) -> (tensor<2xf32>, tensor<2xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%n: tensor<i32>, %m: tensor<i32>)  {
    %1 = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.compare NE, %a, %a, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %3 = stablehlo.or %1, %2 : tensor<i1>
    %4 = stablehlo.compare EQ, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %5 = stablehlo.compare LT, %n, %m, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6 = stablehlo.and %4, %5 : tensor<i1>
    %7 = stablehlo.or %3, %6 : tensor<i1>
    %8 = stablehlo.select %3, %a, %b : tensor<i1>, tensor<f32>
    %9 = stablehlo.select %7, %n, %m : tensor<i1>, tensor<i32>
    stablehlo.return %8, %9 : tensor<f32>, tensor<i32>
  }
  return %0#1 : tensor<i32>
}"#
    .replace("return %0#1 : tensor<i32>\n}", "return %0#1 : tensor<2xi32>\n}");
    let nan = f64::NAN;
    let x = floats(&[2, 5], &[1.0, 7.0, -2.0, 7.0, 0.0, 3.0, nan, 9.0, nan, 1.0]);
    assert_eq!(run(&text, &[x])[0].to_i64s(), [1, 1]);
}

/// A monoid that the IR has no reduction for.
#[test]
fn exclusive_or() {
    let text = r#"func.func public @main(%x: tensor<5xi32>, %i: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.reduce(%x init: %i) applies stablehlo.xor across dimensions = [0] : (tensor<5xi32>, tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}"#;
    let got = run(text, &[ints(&[5], &[1, 2, 4, 1, 9]), ints(&[], &[16])]);
    assert_eq!(got[0].to_i64s(), [2 ^ 4 ^ 9 ^ 16]);
}

/// A region with a choice, a call and a captured scalar; what varies decides.
#[test]
fn a_map_with_a_choice() {
    let text = r#"func.func private @twice(%v: tensor<i32>) -> tensor<i32> {
  %0 = stablehlo.add %v, %v : tensor<i32>
  return %0 : tensor<i32>
}
func.func public @main(%x: tensor<2x3xi32>, %s: tensor<i32>) -> tensor<2x3xi32> {
  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<i32>):
    %p = stablehlo.compare LT, %a, %s, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %1 = "stablehlo.if"(%p) ({
      %2 = func.call @twice(%a) : (tensor<i32>) -> tensor<i32>
      stablehlo.return %2 : tensor<i32>
    }, {
      %3 = "stablehlo.case"(%a) ({
        stablehlo.return %s : tensor<i32>
      }, {
        %4 = stablehlo.negate %a : tensor<i32>
        stablehlo.return %4 : tensor<i32>
      }, {
        stablehlo.return %a : tensor<i32>
      }) : (tensor<i32>) -> tensor<i32>
      stablehlo.return %3 : tensor<i32>
    }) : (tensor<i1>) -> tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }) : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}"#;
    let got = run(text, &[ints(&[2, 3], &[-5, 0, 1, 2, 3, -1]), ints(&[], &[0])]);
    assert_eq!(got[0].to_i64s(), [-10, 0, -1, 2, 3, -2]);
}
