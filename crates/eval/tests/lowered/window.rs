//! Reductions over windows and selections in windows, by any region.

use crate::{AFFINE, Affine, affine_args, affine_results, affines, flat, indices, ints, mlir, numbers, run};
use proptest::prelude::*;

/// One dimension: size, window, stride, base dilation, window dilation, padding.
type Dim = (usize, usize, usize, usize, usize, (i64, i64));

fn dim() -> impl Strategy<Value = Dim> {
    (0usize..6, 1usize..5, 1usize..4, 1usize..3, 1usize..3, (-1i64..3, -1i64..3))
}

/// Size after dilation and padding.
fn padded(d: &Dim) -> i64 {
    let dilated = if d.0 == 0 { 0 } else { (d.0 as i64 - 1) * d.3 as i64 + 1 };
    (dilated + d.5.0 + d.5.1).max(0)
}

fn windows(d: &Dim) -> usize {
    let span = (d.1 as i64 - 1) * d.4 as i64 + 1;
    let size = padded(d);
    if size == 0 || span > size { 0 } else { ((size - span) as usize) / d.2 + 1 }
}

/// The element that a window's place `at` sees along a dimension; `None` is padding.
fn seen(d: &Dim, at: usize) -> Option<usize> {
    let from = at as i64 - d.5.0;
    let step = d.3 as i64;
    (from >= 0 && from % step == 0 && from / step < d.0 as i64).then_some((from / step) as usize)
}

fn list(values: impl Iterator<Item = usize>) -> String {
    let text = values.map(|v| v.to_string()).collect::<Vec<_>>().join(", ");
    if text.is_empty() { "array<i64>".to_owned() } else { format!("array<i64: {text}>") }
}

fn attributes(dims: &[Dim], dilated: bool) -> String {
    let n = dims.len();
    let pads: Vec<String> = dims.iter().map(|d| format!("[{}, {}]", d.5.0, d.5.1)).collect();
    let mut out = format!(
        "window_dimensions = {}, window_strides = {}",
        list(dims.iter().map(|d| d.1)),
        list(dims.iter().map(|d| d.2)),
    );
    if n > 0 {
        out += &format!(", padding = dense<[{}]> : tensor<{n}x2xi64>", pads.join(", "));
    }
    if dilated {
        let (base, window) = (list(dims.iter().map(|d| d.3)), list(dims.iter().map(|d| d.4)));
        out += &format!(", base_dilations = {base}, window_dilations = {window}");
    }
    out
}

fn by_loops(dims: &[Dim], values: &[Affine], init: Affine) -> Vec<Affine> {
    let shape: Vec<usize> = dims.iter().map(|d| d.0).collect();
    let out: Vec<usize> = dims.iter().map(windows).collect();
    let window: Vec<usize> = dims.iter().map(|d| d.1).collect();
    let fold = |start: &Vec<usize>| {
        indices(&window).iter().fold(init, |sum, k| {
            let at = dims.iter().zip(start).zip(k).map(|((d, s), k)| seen(d, s * d.2 + k * d.4));
            let element = at.collect::<Option<Vec<usize>>>();
            sum.then(element.map_or(init, |i| values[flat(&shape, &i)]))
        })
    };
    indices(&out).iter().map(fold).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_region_in_order(
        dims in prop::collection::vec(dim(), 0..4),
        seed in 0u64..1000,
        init in (-2i32..3, -2i32..3),
    ) {
        let shape: Vec<usize> = dims.iter().map(|d| d.0).collect();
        let out: Vec<usize> = dims.iter().map(windows).collect();
        let (x, s, r) = (mlir(&shape, "i32"), mlir(&[], "i32"), mlir(&out, "i32"));
        let text = format!(
            "func.func public @main(%x: {x}, %y: {x}, %i: {s}, %j: {s}) -> ({r}, {r}) {{
  %0:2 = \"stablehlo.reduce_window\"(%x, %y, %i, %j) <{{{}}}> {AFFINE} : ({x}, {x}, {s}, {s}) -> ({r}, {r})
  return %0#0, %0#1 : {r}, {r}
}}",
            attributes(&dims, true)
        );
        let values = affines(shape.iter().product(), seed);
        let init = Affine(init.0, init.1);
        let [x, y] = affine_args(&shape, &values);
        let [i, j] = affine_args(&[], &[init]);
        let got = affine_results(&run(&text, &[x, y, i, j]));
        prop_assert_eq!(got, by_loops(&dims, &values, init));
    }

    /// An initial value that is no identity is in the padding too.
    #[test]
    fn sums_from_another_value(
        dims in prop::collection::vec(dim(), 1..3),
        seed in 0u64..1000,
        init in -2i64..3,
    ) {
        let shape: Vec<usize> = dims.iter().map(|d| d.0).collect();
        let out: Vec<usize> = dims.iter().map(windows).collect();
        let (x, r) = (mlir(&shape, "i32"), mlir(&out, "i32"));
        let text = format!(
            "func.func public @main(%x: {x}) -> {r} {{
  %i = stablehlo.constant dense<{init}> : tensor<i32>
  %0 = \"stablehlo.reduce_window\"(%x, %i) <{{{}}}> ({{
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %1 : tensor<i32>
  }}) : ({x}, tensor<i32>) -> {r}
  return %0 : {r}
}}",
            attributes(&dims, true)
        );
        let values = numbers(shape.iter().product(), seed);
        let shifts: Vec<Affine> = values.iter().map(|&v| Affine(1, v as i32)).collect();
        let want: Vec<i64> =
            by_loops(&dims, &shifts, Affine(1, init as i32)).iter().map(|a| i64::from(a.1)).collect();
        prop_assert_eq!(run(&text, &[ints(&shape, &values)])[0].to_i64s(), want);
    }

    /// The last of the greatest elements is selected; sources join one after the other.
    #[test]
    fn any_selection(
        dims in prop::collection::vec(dim().prop_map(|d| (d.0, d.1, d.2, 1, 1, d.5)), 1..4),
        seed in 0u64..1000,
    ) {
        let shape: Vec<usize> = dims.iter().map(|d| d.0).collect();
        let out: Vec<usize> = dims.iter().map(windows).collect();
        let (x, r) = (mlir(&shape, "i32"), mlir(&out, "i32"));
        let text = format!(
            "func.func public @main(%x: {x}, %y: {r}, %i: tensor<i32>) -> {x} {{
  %0 = \"stablehlo.select_and_scatter\"(%x, %y, %i) <{{{}}}> ({{
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.compare GT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }}, {{
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %1 = stablehlo.constant dense<3> : tensor<i32>
    %2 = stablehlo.multiply %a, %1 : tensor<i32>
    %3 = stablehlo.subtract %2, %b : tensor<i32>
    stablehlo.return %3 : tensor<i32>
  }}) : ({x}, {r}, tensor<i32>) -> {x}
  return %0 : {x}
}}",
            attributes(&dims, false)
        );
        let values = numbers(shape.iter().product(), seed);
        let source = numbers(out.iter().product(), seed + 7);
        let window: Vec<usize> = dims.iter().map(|d| d.1).collect();
        let mut want = vec![5i32; values.len()];
        for (start, &s) in indices(&out).iter().zip(&source) {
            let mut best: Option<usize> = None;
            for k in indices(&window) {
                let at = dims.iter().zip(start).zip(&k).map(|((d, s), k)| seen(d, s * d.2 + k));
                let Some(index) = at.collect::<Option<Vec<usize>>>() else { continue };
                let place = flat(&shape, &index);
                best = Some(best.filter(|&b| values[b] > values[place]).unwrap_or(place));
            }
            if let Some(place) = best {
                want[place] = want[place].wrapping_mul(3).wrapping_sub(s as i32);
            }
        }
        let got = run(&text, &[ints(&shape, &values), ints(&out, &source), ints(&[], &[5])])[0].to_i64s();
        prop_assert_eq!(got, want.into_iter().map(i64::from).collect::<Vec<_>>());
    }
}
