//! Scatters by any region: one index vector after the other.

use crate::{flat, indices, ints, mlir, numbers, run};
use proptest::prelude::*;

/// Dimension numbers with shapes that they fit.
struct Case {
    operand: &'static [usize],
    indices: &'static [usize],
    updates: &'static [usize],
    window: &'static [usize],
    inserted: &'static [usize],
    batching: &'static [usize],
    indices_batching: &'static [usize],
    to: &'static [usize],
    vector: usize,
}

const CASES: &[Case] = &[
    // Single elements of a vector; the index vector is implicit.
    Case {
        operand: &[5],
        indices: &[7],
        updates: &[7],
        window: &[],
        inserted: &[0],
        batching: &[],
        indices_batching: &[],
        to: &[0],
        vector: 1,
    },
    // Rows of a matrix.
    Case {
        operand: &[4, 3],
        indices: &[6, 1],
        updates: &[6, 3],
        window: &[1],
        inserted: &[0],
        batching: &[],
        indices_batching: &[],
        to: &[0],
        vector: 1,
    },
    // Windows that may hang over the edge, indices in the other order, the vector first, window dimensions around.
    Case {
        operand: &[4, 5],
        indices: &[2, 3, 2],
        updates: &[2, 3, 2, 3],
        window: &[0, 3],
        inserted: &[],
        batching: &[],
        indices_batching: &[],
        to: &[1, 0],
        vector: 0,
    },
    // Batches on both sides.
    Case {
        operand: &[2, 4, 3],
        indices: &[3, 2, 1],
        updates: &[3, 2, 2],
        window: &[2],
        inserted: &[1],
        batching: &[0],
        indices_batching: &[1],
        to: &[1],
        vector: 2,
    },
    // One window, placed by nothing.
    Case {
        operand: &[3],
        indices: &[0],
        updates: &[3],
        window: &[0],
        inserted: &[],
        batching: &[],
        indices_batching: &[],
        to: &[],
        vector: 0,
    },
];

fn list(values: &[usize]) -> String {
    format!("[{}]", values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
}

impl Case {
    fn numbers(&self) -> String {
        format!(
            "#stablehlo.scatter<update_window_dims = {}, inserted_window_dims = {}, input_batching_dims = {}, scatter_indices_batching_dims = {}, scatter_dims_to_operand_dims = {}, index_vector_dim = {}>",
            list(self.window),
            list(self.inserted),
            list(self.batching),
            list(self.indices_batching),
            list(self.to),
            self.vector
        )
    }

    /// Updates by their index vector, then by their place in the window. StableHLO leaves the order open.
    fn order(&self) -> Vec<Vec<usize>> {
        let mut all = indices(self.updates);
        let scattered: Vec<usize> = (0..self.updates.len()).filter(|d| !self.window.contains(d)).collect();
        all.sort_by_key(|at| scattered.iter().map(|&d| at[d]).collect::<Vec<_>>());
        all
    }

    /// Where an update goes; `None` is outside.
    fn place(&self, at: &[usize], starts: &[i64]) -> Option<usize> {
        let scattered: Vec<usize> =
            (0..at.len()).filter(|d| !self.window.contains(d)).map(|d| at[d]).collect();
        let component = |k: usize| {
            let mut index = scattered.clone();
            if self.vector < self.indices.len() {
                index.insert(self.vector, k);
            }
            starts[flat(self.indices, &index)]
        };
        let mut window = self.window.iter().map(|&d| at[d] as i64);
        let mut place = Vec::new();
        for d in 0..self.operand.len() {
            let mut i = 0;
            if let Some(k) = self.to.iter().position(|&o| o == d) {
                i += component(k);
            }
            if let Some(k) = self.batching.iter().position(|&o| o == d) {
                let s = self.indices_batching[k];
                i += scattered[s - usize::from(s > self.vector)] as i64;
            } else if !self.inserted.contains(&d) {
                i += window.next().unwrap();
            }
            place.push(usize::try_from(i).ok().filter(|&i| i < self.operand[d])?);
        }
        Some(flat(self.operand, &place))
    }
}

/// x ↦ 3 x - u, which minds the order; and a second operand that counts.
const REGION: &str = r#"({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %p: tensor<i32>, %q: tensor<i32>):
    %1 = stablehlo.constant dense<3> : tensor<i32>
    %2 = stablehlo.multiply %a, %1 : tensor<i32>
    %3 = stablehlo.subtract %2, %p : tensor<i32>
    %4 = stablehlo.add %b, %q : tensor<i32>
    stablehlo.return %3, %4 : tensor<i32>, tensor<i32>
  })"#;

fn text(case: &Case, unique: bool, region: &str) -> String {
    let (x, i, u) = (mlir(case.operand, "i32"), mlir(case.indices, "i32"), mlir(case.updates, "i32"));
    format!(
        "func.func public @main(%x: {x}, %y: {x}, %i: {i}, %u: {u}, %v: {u}) -> ({x}, {x}) {{
  %0:2 = \"stablehlo.scatter\"(%x, %y, %i, %u, %v) <{{scatter_dimension_numbers = {}, unique_indices = {unique}}}> {region} : ({x}, {x}, {i}, {u}, {u}) -> ({x}, {x})
  return %0#0, %0#1 : {x}, {x}
}}",
        case.numbers()
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn any_region_in_order(case in 0..CASES.len(), seed in 0u64..1000) {
        let case = &CASES[case];
        let size = |shape: &[usize]| shape.iter().product::<usize>();
        let (x, y) = (numbers(size(case.operand), seed), numbers(size(case.operand), seed + 1));
        let (u, v) = (numbers(size(case.updates), seed + 2), numbers(size(case.updates), seed + 3));
        let starts: Vec<i64> = numbers(size(case.indices), seed + 4).iter().map(|n| n + 2).collect();
        let mut want = [x.clone(), y.clone()];
        for at in case.order() {
            let Some(place) = case.place(&at, &starts) else { continue };
            let k = flat(case.updates, &at);
            want[0][place] = i64::from((want[0][place] as i32).wrapping_mul(3).wrapping_sub(u[k] as i32));
            want[1][place] += v[k];
        }
        let args = [
            ints(case.operand, &x),
            ints(case.operand, &y),
            ints(case.indices, &starts),
            ints(case.updates, &u),
            ints(case.updates, &v),
        ];
        let got: Vec<Vec<i64>> = run(&text(case, false, REGION), &args).iter().map(|t| t.to_i64s()).collect();
        prop_assert_eq!(got, want.to_vec());
    }
}

/// Where no updates meet there is no loop.
#[test]
fn unique_indices_need_no_loop() {
    let case = &CASES[1];
    let text = text(case, true, REGION);
    let module = pullback_stablehlo::import(&text).unwrap();
    let names: Vec<_> = module.functions()[0].instrs().values().map(|i| i.op().name()).collect();
    assert!(!names.contains(&"while"));
    let (x, u) = (numbers(12, 1), numbers(18, 2));
    let starts = [3, 0, 9, -1, 2, 1];
    let mut want = x.clone();
    for (row, &start) in starts.iter().enumerate().filter(|(_, s)| (0..4).contains(*s)) {
        for k in 0..3 {
            let place = 3 * start as usize + k;
            want[place] = 3 * want[place] - u[3 * row + k];
        }
    }
    let args =
        [ints(&[4, 3], &x), ints(&[4, 3], &x), ints(&[6, 1], &starts), ints(&[6, 3], &u), ints(&[6, 3], &u)];
    assert_eq!(run(&text, &args)[0].to_i64s(), want);
}

/// Operands that join by themselves are scatters of their own.
#[test]
fn monoids_and_replacement_need_no_loop() {
    let region = r#"({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %p: tensor<i32>, %q: tensor<i32>):
    %1 = stablehlo.maximum %p, %a : tensor<i32>
    stablehlo.return %1, %q : tensor<i32>, tensor<i32>
  })"#;
    let case = &CASES[0];
    let text = text(case, false, region);
    let module = pullback_stablehlo::import(&text).unwrap();
    let names: Vec<_> = module.functions()[0].instrs().values().map(|i| i.op().name()).collect();
    assert_eq!(names, ["scatter", "scatter"]);
    let args = [
        ints(&[5], &[0, 0, 0, 0, 0]),
        ints(&[5], &[9, 9, 9, 9, 9]),
        ints(&[7], &[1, 1, 2, 7, 0, 2, 1]),
        ints(&[7], &[4, 3, -1, 5, 2, 1, 0]),
        ints(&[7], &[1, 2, 3, 4, 5, 6, 7]),
    ];
    let got = run(&text, &args);
    assert_eq!(got[0].to_i64s(), [2, 4, 1, 0, 0]);
    assert_eq!(got[1].to_i64s(), [5, 7, 6, 9, 9]);
}
