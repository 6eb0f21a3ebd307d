//! Counting: against brute force and hand-made numbers.

use crate::generate::Gen;
use proptest::prelude::*;
use pullback_ir::count::*;
use pullback_ir::text::parse;
use pullback_ir::*;

#[test]
fn a_small_program_by_hand() {
    let p = parse(
        r#"program @f(%0: f32[4,32] "x", %1: f32[32,8] "w", %2: f32[1000] "unused") {
  %3: f32[4,8] = dot_general %0, %1 {contracting_dims = [1] x [0]}
  %4: f32[4,8] = tanh %3
  %5: f32[8,4] = transpose %4 {permutation = [1, 0]}
  %6: f32[8] = reduce %5 {dimensions = [1], monoid = add}
  %7: f32[8] = tanh %6
  return %7
}
"#,
    )
    .unwrap();
    let cost = program_cost(&p);
    assert_eq!(cost.flops, 2 * 4 * 32 * 8 + 32 + 32 + 8);
    assert_eq!(cost.bytes, 4 * ((128 + 256 + 32) + 64 + 64 + (32 + 8) + 16));
    let census: Vec<(&str, usize)> = census(&p).into_iter().collect();
    assert_eq!(census, [("dot_general", 1), ("reduce", 1), ("tanh", 2), ("transpose", 1)]);
    // Held: all arguments with two 32-element values. Freed: the arguments are all there at the beginning.
    let args = 4 * (128 + 256 + 1000);
    assert_eq!(peak_live(&p), PeakLive { args_held: args + 4 * 64, args_freed: args });
}

#[test]
fn freed_arguments_lower_the_peak() {
    let p = parse(
        "program @f(%0: f32[10] \"x\") {
  %1: f32[10] = negate %0
  %2: f32[10] = negate %1
  %3: f32[20] = concatenate %2, %2 {dimension = 0}
  return %3
}
",
    )
    .unwrap();
    assert_eq!(peak_live(&p), PeakLive { args_held: 4 * 40, args_freed: 4 * 30 });
}

#[test]
fn windows_and_loops_count_once_each() {
    let p = parse(
        "program @f(%0: f32[8], %1: i32[]) {
  %2: f32[4] = reduce_window %0 {window_dimensions = [3], window_strides = [2], base_dilations = [1], window_dilations = [1], padding = [[1, 0]], monoid = add}
  %3: i32[8] = argsort %0 {dimension = 0, comparison_direction = LT}
  %4: f32[8] = case %1, %0 (program @a(%0: f32[8]) {
    return %0
  }, program @b(%0: f32[8]) {
    %1: f32[8] = tanh %0
    return %1
  })
  return %2, %3, %4
}
",
    )
    .unwrap();
    assert_eq!(program_cost(&p).flops, 4 * 3 + 8);
}

/// Terms of a convolution counted one by one.
fn brute(c: &ConvDims, x: &TensorType, k: &TensorType, y: &TensorType) -> u64 {
    let mut n = 2 * (y.shape()[c.output_batch] * y.shape()[c.output_feature]) as u64;
    n *= k.shape()[c.kernel_input_feature] as u64;
    for d in 0..c.strides.len() {
        let (size, hole) = (x.shape()[c.input_spatial[d]] as i64, c.lhs_dilation[d] as i64);
        let mut taps = 0;
        for o in 0..y.shape()[c.output_spatial[d]] {
            for t in 0..k.shape()[c.kernel_spatial[d]] {
                let at = (o * c.strides[d] + t * c.rhs_dilation[d]) as i64 - c.padding[d].0;
                taps += u64::from(at >= 0 && at % hole == 0 && at / hole < size);
            }
        }
        n *= taps;
    }
    n
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn convolutions_count_their_terms(
        input in 0usize..9, window in 1usize..6, stride in 1usize..4, hole in 1usize..5,
        dilation in 1usize..4, low in -2i64..6, high in -2i64..6, features in 1usize..3,
    ) {
        let x = TensorType::new(DType::F32, [2, input, features]);
        let k = TensorType::new(DType::F32, [window, features, 3]);
        let c = ConvDims {
            input_batch: 0, input_feature: 2, input_spatial: vec![1],
            kernel_input_feature: 1, kernel_output_feature: 2, kernel_spatial: vec![0],
            output_batch: 0, output_feature: 2, output_spatial: vec![1],
            strides: vec![stride], padding: vec![(low, high)], lhs_dilation: vec![hole],
            rhs_dilation: vec![dilation], reversal: vec![false], feature_group_count: 1, batch_group_count: 1,
        };
        let op = Op::Convolution(Box::new(c.clone()));
        if let Ok(y) = infer::infer(&op, &[&x, &k]) {
            prop_assert_eq!(flops(&op, &[&x, &k], &[&y[0]]), brute(&c, &x, &k, &y[0]));
        }
    }

    #[test]
    fn peaks_are_ordered(seed: u64) {
        let p = Gen::any(seed).program(40);
        let peak = peak_live(&p);
        let args: usize = p.args().iter().map(|&v| p.ty(v).bytes()).sum();
        prop_assert!(args as u64 <= peak.args_freed && peak.args_freed <= peak.args_held);
        prop_assert_eq!(census(&p).values().sum::<usize>(), p.instrs().len());
    }

    /// The number of turns is that of a loop that counts them, or unknown.
    #[test]
    fn counted_loops_take_that_many_turns(
        start in -20i64..20, step in -4i64..5, bound in -20i64..20, d in 0usize..6, swap: bool, unsigned: bool,
    ) {
        let direction = Comparison::ALL[d];
        let ty = if unsigned { "u8" } else { "i8" };
        let (start, bound) = if unsigned { (start.abs(), bound.abs()) } else { (start, bound) };
        let step = if unsigned { step.abs() } else { step };
        let sides = if swap { "%1, %0" } else { "%0, %1" };
        let p = parse(&format!("program @f() {{
  %0: {ty}[] = constant {start}
  %1: {ty}[] = while %0 (program @cond(%0: {ty}[]) {{
    %1: {ty}[] = constant {bound}
    %2: bool[] = compare {sides} {{comparison_direction = {direction}}}
    return %2
  }}, program @body(%0: {ty}[]) {{
    %1: {ty}[] = constant {step}
    %2: {ty}[] = add %0, %1
    return %2
  }})
  return %1
}}")).unwrap();
        let holds = |v: i64| {
            let (a, b) = if swap { (bound, v) } else { (v, bound) };
            match direction {
                Comparison::Eq => a == b, Comparison::Ne => a != b, Comparison::Ge => a >= b,
                Comparison::Gt => a > b, Comparison::Le => a <= b, Comparison::Lt => a < b,
            }
        };
        let (low, high) = if unsigned { (0, 255) } else { (-128, 127) };
        let mut turns = Some(0u64);
        let mut v = start;
        while let Some(n) = turns.filter(|_| holds(v)) {
            v += step;
            // One that wraps around is not counted, nor one that never ends.
            turns = (low <= v && v <= high && n < 1000).then_some(n + 1);
        }
        let found = loops::counted(&p, p.instrs().ids().nth(1).unwrap()).map(|c| c.turns);
        prop_assert_eq!(found, turns, "{}", p);
    }
}
