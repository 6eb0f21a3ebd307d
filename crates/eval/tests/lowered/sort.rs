//! Sorting by any comparator.

use crate::{flat, indices, ints, mlir, numbers, run};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// By the size of the keys, then by the second operand downwards; the third follows. Ties keep their order.
    #[test]
    fn by_a_network(
        shape in prop::collection::vec(1usize..12, 1..4),
        dim in 0usize..3,
        seed in 0u64..1000,
        strict in any::<bool>(),
    ) {
        let dim = dim % shape.len();
        let x = mlir(&shape, "i32");
        let direction = if strict { "LT" } else { "LE" };
        let text = format!(
            "func.func public @main(%x: {x}, %y: {x}, %z: {x}) -> ({x}, {x}, {x}) {{
  %0:3 = \"stablehlo.sort\"(%x, %y, %z) <{{dimension = {dim} : i64, is_stable = true}}> ({{
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>, %e: tensor<i32>, %f: tensor<i32>):
    %1 = stablehlo.abs %a : tensor<i32>
    %2 = stablehlo.abs %b : tensor<i32>
    %3 = stablehlo.compare EQ, %1, %2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %4 = stablehlo.compare LT, %1, %2 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %5 = stablehlo.compare {direction}, %d, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %6 = stablehlo.select %3, %5, %4 : tensor<i1>, tensor<i1>
    stablehlo.return %6 : tensor<i1>
  }}) : ({x}, {x}, {x}) -> ({x}, {x}, {x})
  return %0#0, %0#1, %0#2 : {x}, {x}, {x}
}}"
        );
        let n: usize = shape.iter().product();
        let (keys, seconds) = (numbers(n, seed), numbers(n, seed + 3));
        let thirds: Vec<i64> = (0..n as i64).collect();
        let mut want = [vec![0; n], vec![0; n], vec![0; n]];
        let mut lines = shape.clone();
        lines[dim] = 1;
        for start in indices(&lines) {
            let places: Vec<usize> = (0..shape[dim])
                .map(|k| {
                    let mut index = start.clone();
                    index[dim] = k;
                    flat(&shape, &index)
                })
                .collect();
            let mut order = places.clone();
            order.sort_by_key(|&p| (keys[p].abs(), -seconds[p]));
            for (&to, &from) in places.iter().zip(&order) {
                (want[0][to], want[1][to], want[2][to]) = (keys[from], seconds[from], thirds[from]);
            }
        }
        let args = [ints(&shape, &keys), ints(&shape, &seconds), ints(&shape, &thirds)];
        let got: Vec<Vec<i64>> = run(&text, &args).iter().map(|t| t.to_i64s()).collect();
        prop_assert_eq!(got, want.to_vec());
    }
}
