//! Every op over leading dimensions, for every choice of operands that have them.

use crate::{Numbers, part, program};
use pullback_eval::Tensor;
use pullback_eval::reference::eval;
use pullback_ir::batch::{Alone, BatchError, Batched, batch, widen};
use pullback_ir::{Builder, Program, TensorType};

/// The program over leading dimensions, its results widened.
fn over(p: &Program, varies: &[bool], lead: &[usize]) -> Result<Program, BatchError> {
    let mut b = Builder::new("batched");
    let mut args = Vec::new();
    for (&arg, &varies) in p.args().iter().zip(varies) {
        let own = p.ty(arg);
        let shape = if varies { [lead, own.shape()].concat() } else { own.shape().to_vec() };
        args.push(Batched { value: b.arg(None, TensorType::new(own.dtype(), shape)), varies });
    }
    let results = batch(&mut b, p, &args, lead, &mut Alone)?;
    let mut wide = Vec::new();
    for x in results {
        wide.push(widen(&mut b, x, lead)?);
    }
    let out = b.finish(&wide);
    out.verify().unwrap();
    Ok(out)
}

fn check(text: &str, lead: &[usize], numbers: &mut Numbers) {
    let p = program(text);
    let count: usize = lead.iter().product();
    for choice in 0..1u32 << p.args().len() {
        let varies: Vec<bool> = (0..p.args().len()).map(|i| choice >> i & 1 == 1).collect();
        let batched = over(&p, &varies, lead).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let args: Vec<Tensor> = batched.args().iter().map(|&a| numbers.tensor(batched.ty(a))).collect();
        let all = eval(&batched, &args).unwrap_or_else(|e| panic!("{e}\n{text}\n{batched}"));
        for i in 0..count {
            let own: Vec<Tensor> = p
                .args()
                .iter()
                .zip(&args)
                .zip(&varies)
                .map(|((&a, t), &varies)| if varies { part(t, p.ty(a), i) } else { t.clone() })
                .collect();
            for ((want, got), &r) in eval(&p, &own).unwrap().iter().zip(&all).zip(p.results()) {
                let got = part(got, p.ty(r), i);
                assert_eq!(
                    got.bytes(),
                    want.bytes(),
                    "{varies:?} index {i}\n{text}\n{batched}\n{got:?}\n{want:?}"
                );
            }
        }
    }
}

/// One instruction `%9` on arguments.
fn one(args: &str, op: &str) -> String {
    let n = args.matches('%').count();
    let op = op.replacen("%9", &format!("%{n}"), 1);
    format!("program @f({args}) {{\n  {op}\n  return %{n}\n}}\n")
}

#[test]
fn ops_of_elements_and_moves() {
    let mut numbers = Numbers::new(1);
    for text in [
        one("%0: f32[2,3]", "%9: f32[2,3] = negate %0"),
        one("%0: f32[3], %1: f32[3]", "%9: f32[3] = subtract %0, %1"),
        one("%0: f32[3], %1: f32[3]", "%9: bool[3] = compare %0, %1 {comparison_direction = LT}"),
        one("%0: bool[], %1: f32[3], %2: f32[3]", "%9: f32[3] = select %0, %1, %2"),
        one("%0: bool[3], %1: f32[3], %2: f32[3]", "%9: f32[3] = select %0, %1, %2"),
        one("%0: bool[], %1: f32[], %2: f32[]", "%9: f32[] = select %0, %1, %2"),
        one("%0: f32[], %1: f32[2,2], %2: f32[]", "%9: f32[2,2] = clamp %0, %1, %2"),
        one("%0: f32[2,2], %1: f32[2,2], %2: f32[]", "%9: f32[2,2] = clamp %0, %1, %2"),
        one("%0: f32[2]", "%9: i32[2] = convert %0"),
        one("%0: f32[2]", "%9: u8[2,4] = bitcast_convert %0"),
        one("%0: i32[2]", "%9: f32[2] = bitcast_convert %0"),
        one("%0: f32[2]", "%9: f32[2] = reduce_precision %0 {exponent_bits = 5, mantissa_bits = 2}"),
        one("%0: f32[1,3]", "%9: f32[3,2,4] = broadcast_in_dim %0 {broadcast_dimensions = [2, 0]}")
            .replace("[2, 0]", "[1, 0]")
            .replace("f32[3,2,4]", "f32[3,2]"),
        one("%0: f32[2,3]", "%9: f32[3,2] = reshape %0"),
        one("%0: f32[]", "%9: f32[1,1] = reshape %0"),
        one("%0: f32[2,3,4]", "%9: f32[4,2,3] = transpose %0 {permutation = [2, 0, 1]}"),
        one("%0: f32[5]", "%9: f32[2] = slice %0 {start_indices = [1], limit_indices = [5], strides = [2]}"),
        one("%0: f32[2,1], %1: f32[2,3]", "%9: f32[2,4] = concatenate %0, %1 {dimension = 1}"),
        one(
            "%0: f32[3], %1: f32[]",
            "%9: f32[6] = pad %0, %1 {edge_padding_low = [-1], edge_padding_high = [2], interior_padding = [1]}",
        ),
        one("%0: f32[2,3]", "%9: f32[2,3] = reverse %0 {dimensions = [1]}"),
        one("%0: f32[2,3]", "%9: f32[3] = reduce %0 {dimensions = [0], monoid = add}"),
        one(
            "%0: f32[5]",
            "%9: f32[3] = reduce_window %0 {window_dimensions = [3], window_strides = [2], base_dilations = [1], window_dilations = [1], padding = [[1, 1]], monoid = maximum}",
        ),
        one(
            "%0: f32[4], %1: f32[2]",
            "%9: f32[4] = select_and_scatter %0, %1 {window_dimensions = [2], window_strides = [2], base_dilations = [1], window_dilations = [1], padding = [[0, 0]], select = GE, monoid = add}",
        ),
        one(
            "%0: f32[2,4], %1: f32[2,4]",
            "%9: i32[2,4] = argsort %0, %1 {dimension = 1, comparison_direction = LT}",
        ),
        one("%0: c64[4]", "%9: c64[4] = fft %0 {fft_type = FFT, fft_length = [4]}"),
    ] {
        check(&text, &[3], &mut numbers);
        check(&text, &[2, 2], &mut numbers);
        check(&text, &[], &mut numbers);
    }
}

#[test]
fn contractions() {
    let mut numbers = Numbers::new(2);
    let conv = |args: &str, result: &str, groups: (usize, usize)| {
        one(
            args,
            &format!(
                "%9: {result} = convolution %0, %1 {{input_batch_dimension = 0, input_feature_dimension = 2, input_spatial_dimensions = [1], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 2, kernel_spatial_dimensions = [0], output_batch_dimension = 1, output_feature_dimension = 0, output_spatial_dimensions = [2], window_strides = [1], padding = [[1, 0]], lhs_dilation = [1], rhs_dilation = [1], window_reversal = [false], feature_group_count = {}, batch_group_count = {}}}",
                groups.0, groups.1
            ),
        )
    };
    for text in [
        one("%0: f32[2,3], %1: f32[3,4]", "%9: f32[2,4] = dot_general %0, %1 {contracting_dims = [1] x [0]}"),
        one(
            "%0: f32[3,2,5], %1: f32[2,4,3]",
            "%9: f32[2,5,4] = dot_general %0, %1 {batching_dims = [1] x [0], contracting_dims = [0] x [2]}",
        ),
        one("%0: f32[3], %1: f32[3]", "%9: f32[] = dot_general %0, %1 {contracting_dims = [0] x [0]}"),
        one(
            "%0: f32[2,2], %1: f32[2]",
            "%9: f32[2,2] = dot_general %0, %1 {batching_dims = [1] x [0], contracting_dims = [] x []}",
        ),
        conv("%0: f32[2,4,4], %1: f32[2,4,6]", "f32[6,2,4]", (1, 1)),
        conv("%0: f32[2,4,4], %1: f32[2,2,6]", "f32[6,2,4]", (2, 1)),
        conv("%0: f32[4,4,3], %1: f32[2,3,6]", "f32[6,2,4]", (1, 2)),
        one("%0: f32[3,3]", "%9: f32[3,3] = cholesky %0 {lower = true}"),
        one(
            "%0: f32[2,2], %1: f32[2,3]",
            "%9: f32[2,3] = triangular_solve %0, %1 {left_side = true, lower = true, unit_diagonal = true, transpose_a = NO_TRANSPOSE}",
        ),
    ] {
        check(&text, &[3], &mut numbers);
        check(&text, &[2, 1, 2], &mut numbers);
    }
}

#[test]
fn indexed_ops() {
    let mut numbers = Numbers::new(3);
    let gather = "offset_dims = [1], collapsed_slice_dims = [0], operand_batching_dims = [], start_indices_batching_dims = [], start_index_map = [0], index_vector_dim = 1, slice_sizes = [1, 2], indices_are_sorted = false";
    let batched = "offset_dims = [1], collapsed_slice_dims = [], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1, slice_sizes = [1, 2], indices_are_sorted = false";
    let scatter = "update_window_dims = [1], inserted_window_dims = [0], input_batching_dims = [], scatter_indices_batching_dims = [], scatter_dims_to_operand_dims = [0], index_vector_dim = 1, indices_are_sorted = false, unique_indices = false";
    for text in [
        one("%0: f32[4,3], %1: i32[5,1]", &format!("%9: f32[5,2] = gather %0, %1 {{{gather}}}")),
        one("%0: f32[2,4], %1: i32[2,1]", &format!("%9: f32[2,2] = gather %0, %1 {{{batched}}}")),
        one(
            "%0: f32[4,2], %1: i32[3,1], %2: f32[3,2]",
            &format!("%9: f32[4,2] = scatter %0, %1, %2 {{{scatter}, combiner = add}}"),
        ),
        one(
            "%0: f32[4,2], %1: i32[3,1], %2: f32[3,2]",
            &format!("%9: f32[4,2] = scatter %0, %1, %2 {{{scatter}}}"),
        ),
        one(
            "%0: f32[4,5], %1: i32[], %2: i32[]",
            "%9: f32[2,3] = dynamic_slice %0, %1, %2 {slice_sizes = [2, 3]}",
        ),
        one(
            "%0: f32[4,5], %1: f32[2,3], %2: i32[], %3: i32[]",
            "%9: f32[4,5] = dynamic_update_slice %0, %1, %2, %3",
        ),
        one("%0: f32[], %1: f32[]", "%9: f32[] = dynamic_update_slice %0, %1"),
        one("%0: u64[2]", "%9: u64[2] = reshape %0")
            .replace(
                "%1: u64[2] = reshape %0",
                "%1: u64[2], %2: u32[3] = rng_bit_generator %0 {rng_algorithm = THREE_FRY}",
            )
            .replace("return %1", "return %1, %2"),
    ] {
        check(&text, &[3], &mut numbers);
        check(&text, &[2, 2], &mut numbers);
    }
}

/// Adds the second argument until the first is 3 or more; gives both.
const COUNT: &str = "program @f(%0: i32[], %1: f32[2], %2: i32[]) {
  %3: i32[], %4: f32[2] = while %0, %1, %2 (program @cond(%0: i32[], %1: f32[2], %2: i32[]) {
    %3: i32[] = constant 3
    %4: bool[] = compare %0, %3 {comparison_direction = LT}
    return %4
  }, program @body(%0: i32[], %1: f32[2], %2: i32[]) {
    %3: i32[] = constant 1
    %4: i32[] = add %0, %3
    %5: f32[] = convert %2
    %6: f32[2] = broadcast_in_dim %5 {broadcast_dimensions = []}
    %7: f32[2] = add %1, %6
    return %4, %7
  })
  return %3, %4
}
";

/// A branch by number, out of range too; one gives what it reads, one a constant.
const CHOOSE: &str = "program @f(%0: i32[], %1: f32[2], %2: f32[2]) {
  %3: f32[2], %4: f32[] = case %0, %1, %2 (program @a(%0: f32[2], %1: f32[2]) {
    %2: f32[] = constant 1.0
    return %0, %2
  }, program @b(%0: f32[2], %1: f32[2]) {
    %2: f32[2] = add %0, %1
    %3: f32[] = reduce %1 {dimensions = [0], monoid = add}
    return %2, %3
  }, program @c(%0: f32[2], %1: f32[2]) {
    %2: f32[2] = negate %1
    %3: f32[] = constant 2.0
    return %2, %3
  })
  return %3, %4
}
";

#[test]
fn loops_and_choices() {
    let mut numbers = Numbers::new(4);
    for text in [COUNT, CHOOSE] {
        for lead in [&[3][..], &[2, 2]] {
            check(text, lead, &mut numbers);
        }
    }
}

#[test]
fn a_carried_value_varies_from_the_turn_on_that_it_does() {
    let p = program(
        "program @f(%0: f32[], %1: f32[]) {
  %2: i32[] = constant 0
  %3: i32[], %4: f32[], %5: f32[] = while %2, %0, %0, %1 (program @cond(%0: i32[], %1: f32[], %2: f32[], %3: f32[]) {
    %4: i32[] = constant 4
    %5: bool[] = compare %0, %4 {comparison_direction = LT}
    return %5
  }, program @body(%0: i32[], %1: f32[], %2: f32[], %3: f32[]) {
    %4: i32[] = constant 1
    %5: i32[] = add %0, %4
    %6: f32[] = add %2, %3
    return %5, %2, %6
  })
  return %3, %4, %5
}
",
    );
    let batched = over(&p, &[false, true], &[2]).unwrap();
    // The counter does not vary, what is added to does, and so does what it is handed to.
    let op = batched.instrs().values().find(|i| i.op().name() == "while").unwrap();
    let types: Vec<String> = op.results().iter().map(|&r| batched.ty(r).to_string()).collect();
    assert_eq!(types, ["i32[]", "f32[2]", "f32[2]"]);
    let mut numbers = Numbers::new(5);
    check(&p.to_string(), &[2], &mut numbers);
}

/// Loops within loops are gone through more than once each; that ends.
#[test]
fn deep_nesting_ends() {
    let mut text = "%1: i32[] = negate %0\n return %1".to_owned();
    for _ in 0..60 {
        text = format!(
            "%1: i32[] = while %0 (program @c(%0: i32[]) {{ %1: bool[] = constant false\n return %1 }}, program @b(%0: i32[]) {{ {text} }})\n return %1"
        );
    }
    let p = program(&format!("program @f(%0: i32[]) {{ {text} }}"));
    match over(&p, &[true], &[2]) {
        Ok(_) => {}
        Err(e) => assert!(e.to_string().contains("nested too deep"), "{e}"),
    }
    let reads = program(
        "program @f(%0: f32[2]) {\n  %1: f32[2] = all_reduce %0 {replica_groups = [], across = cross_replica, monoid = add}\n  return %1\n}\n",
    );
    assert_eq!(
        over(&reads, &[true], &[2]).unwrap_err().to_string(),
        "unsupported: all_reduce: it reaches other programs"
    );
}
