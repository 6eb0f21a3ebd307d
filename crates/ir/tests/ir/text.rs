//! The text form: round trips, exact texts, and errors with their places.

use crate::algorithms::ALGORITHMS;
use crate::composites::COMPOSITES;
use crate::generate::Gen;
use expect_test::{Expect, expect};
use proptest::prelude::*;
use pullback_ir::text::{canonical_math, parse};
use pullback_ir::*;

fn canonical(text: &str) {
    let program = parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    assert_eq!(program.to_string(), text);
}

/// Each family once, so that a new op is missed here at compile time.
fn family(op: &Op) -> usize {
    match op {
        Op::Constant(_) => 0,
        Op::Iota { .. } => 1,
        Op::Unary(_) => 2,
        Op::Binary(_) => 3,
        Op::Compare { .. } => 4,
        Op::Select => 5,
        Op::Clamp => 6,
        Op::Convert { .. } => 7,
        Op::BroadcastInDim { .. } => 8,
        Op::Reshape { .. } => 9,
        Op::Transpose { .. } => 10,
        Op::Slice { .. } => 11,
        Op::Concatenate { .. } => 12,
        Op::Pad { .. } => 13,
        Op::Reverse { .. } => 14,
        Op::DotGeneral(_) => 15,
        Op::Convolution(_) => 16,
        Op::Reduce { .. } => 17,
        Op::Gather(_) => 18,
        Op::Scatter { .. } => 19,
        Op::DynamicSlice { .. } => 20,
        Op::DynamicUpdateSlice => 21,
        Op::BitcastConvert { .. } => 22,
        Op::ReducePrecision { .. } => 23,
        Op::ReduceWindow { .. } => 24,
        Op::SelectAndScatter { .. } => 25,
        Op::Argsort { .. } => 26,
        Op::While { .. } => 27,
        Op::Case { .. } => 28,
        Op::Fft { .. } => 29,
        Op::Linalg(_) => 30,
        Op::RngBitGenerator { .. } => 31,
        Op::Communicate(_) => 32,
        Op::Composite(_) => 33,
        Op::Custom(_) => 34,
    }
}
const FAMILIES: usize = 35;

const ALL_OPS: &str = r#"program @main(%0: f32[2,3] "x", %1: f32[3,4] "layers.0/w", %2: i32[] "i", %3: bool[2,3], %4: f32[]) {
  %5: f32[2,4] = dot_general %0, %1 {contracting_dims = [1] x [0]} "h"
  %6: f32[3,2,2] = dot_general %0, %0 {batching_dims = [1] x [1], contracting_dims = [] x []}
  %7: f32[2,3] = add %0, %0
  %8: bool[2,3] = is_finite %7 "quoted \" \\ \n \u{1} σ"
  %9: bool[2,3] = compare %0, %7 {comparison_direction = LE}
  %10: bool[2,3] = compare %0, %7 {comparison_direction = NE, compare_type = TOTALORDER}
  %11: f32[2,3] = select %3, %0, %7
  %12: f32[2,3] = clamp %4, %0, %4
  %13: bf16[2,3] = convert %0
  %14: f32[2,5,3] = broadcast_in_dim %0 {broadcast_dimensions = [0, 2]}
  %15: f32[6] = reshape %0
  %16: f32[3,2] = transpose %0 {permutation = [1, 0]}
  %17: f32[1,2] = slice %0 {start_indices = [0, 0], limit_indices = [1, 3], strides = [1, 2]}
  %18: f32[4,3] = concatenate %0, %7 {dimension = 0}
  %19: f32[1,7] = pad %0, %4 {edge_padding_low = [-1, 0], edge_padding_high = [0, 2], interior_padding = [0, 1]}
  %20: f32[2,3] = reverse %0 {dimensions = [1]}
  %21: f32[2] = reduce %0 {dimensions = [1], monoid = maximum}
  %22: f32[1,1] = dynamic_slice %0, %2, %2 {slice_sizes = [1, 1]}
  %23: f32[2,3] = dynamic_update_slice %0, %22, %2, %2
  %24: i32[2,1] = iota {iota_dimension = 0}
  %25: f32[2,3] = gather %0, %24 {offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1, slice_sizes = [1, 3], indices_are_sorted = true}
  %26: f32[2,3] = scatter %0, %24, %25 {update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1, unique_indices = true, combiner = add}
  %27: f32[1,8,8,2] = constant 0.0
  %28: f32[3,3,2,5] = constant -0.0
  %29: f32[1,4,9,5] = convolution %27, %28 {input_batch_dimension = 0, input_feature_dimension = 3, input_spatial_dimensions = [1, 2], kernel_input_feature_dimension = 2, kernel_output_feature_dimension = 3, kernel_spatial_dimensions = [0, 1], output_batch_dimension = 0, output_feature_dimension = 3, output_spatial_dimensions = [1, 2], window_strides = [2, 1], padding = [[1, 1], [2, 1]], lhs_dilation = [1, 1], rhs_dilation = [1, 1], window_reversal = [false, true], feature_group_count = 1, batch_group_count = 1}
  %30: f32[2,1,1] = gather %6, %24 {offset_dims = [1, 2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1, slice_sizes = [1, 1, 1]}
  %31: u8[2,3,4] = bitcast_convert %0
  %32: f32[2,3] = reduce_precision %0 {exponent_bits = 5, mantissa_bits = 10}
  %33: f32[2,3] = reduce_window %0 {window_dimensions = [1, 3], window_strides = [1, 1], base_dilations = [1, 1], window_dilations = [1, 1], padding = [[0, 0], [2, 0]], monoid = add} "running"
  %34: f32[2,1] = reduce_window %0 {window_dimensions = [1, 2], window_strides = [1, 2], base_dilations = [1, 1], window_dilations = [1, 1], padding = [[0, 0], [0, 0]], monoid = maximum}
  %35: f32[2,3] = select_and_scatter %0, %34 {window_dimensions = [1, 2], window_strides = [1, 2], base_dilations = [1, 1], window_dilations = [1, 1], padding = [[0, 0], [0, 0]], select = GE, monoid = add}
  %36: i32[2,3] = argsort %0, %7 {dimension = 1, comparison_direction = LT}
  %37: i32[2,3] = argsort %0 {dimension = 0, comparison_direction = GT, compare_type = TOTALORDER}
  %38: i32[], %39: f32[2,3] = while %2, %0, %4 (program @cond(%0: i32[], %1: f32[2,3], %2: f32[]) {
    %3: i32[] = constant 5
    %4: bool[] = compare %0, %3 {comparison_direction = LT}
    return %4
  }, program @body(%0: i32[], %1: f32[2,3], %2: f32[]) {
    %3: i32[] = constant 1
    %4: i32[] = add %0, %3
    %5: f32[2,3] = broadcast_in_dim %2 {broadcast_dimensions = []}
    %6: f32[2,3] = multiply %1, %5 "inner"
    return %4, %6
  }) "i", "x"
  %40: f32[] = case %38, %4 (program @branch0(%0: f32[]) {
    return %0
  }, program @branch1(%0: f32[]) {
    %1: i32[] = constant 0
    %2: f32[] = case %1, %0 (program @inner(%0: f32[]) {
      %1: f32[] = negate %0
      return %1
    })
    return %2
  })
  return %5 "loss", %5, %3 "mask"
}
"#;

#[test]
fn every_op_is_printed_and_read() {
    canonical(ALL_OPS);
    let mut families: Vec<usize> =
        parse(ALL_OPS).unwrap().instrs().values().map(|i| family(i.op())).collect();
    families.extend(parse(ALGORITHMS).unwrap().instrs().values().map(|i| family(i.op())));
    families.extend(parse(COMPOSITES).unwrap().instrs().values().map(|i| family(i.op())));
    families.sort();
    families.dedup();
    assert_eq!(families, (0..FAMILIES).collect::<Vec<_>>());
}

#[test]
fn every_elementwise_op_is_read() {
    for (i, u) in UnaryOp::ALL.iter().enumerate() {
        let dtypes = [DType::F32, DType::I32];
        let ok = dtypes.iter().filter(|&&d| {
            let mut b = Builder::new("f");
            let x = b.arg(Some("x"), TensorType::new(d, [2]));
            let Ok(y) = b.unary(*u, x) else { return false };
            let p = b.finish(&[y]);
            assert_eq!(parse(&p.to_string()), Ok(p));
            true
        });
        assert!(ok.count() > 0, "{i} {u}");
    }
    for op in BinaryOp::ALL {
        let mut b = Builder::new("f");
        let x = b.arg(Some("x"), TensorType::new(DType::F32, [2]));
        let i = b.arg(Some("i"), TensorType::new(DType::I32, [2]));
        let y = b.binary(*op, x, x).or_else(|_| b.binary(*op, i, i)).unwrap();
        let p = b.finish(&[y]);
        assert_eq!(parse(&p.to_string()), Ok(p));
    }
}

#[test]
fn constants_are_exact_and_readable() {
    canonical(
        r#"program @"two words"() {
  %0: f32[] = constant 0.1
  %1: f32[4] = constant [1.0, -2.5, inf, -inf]
  %2: f32[2] = constant [0x7fc00000, 0xffc00001]
  %3: f32[3] = constant [3.4028235e38, 1e-45, 0.00001]
  %4: f64[3] = constant [0.1, 1e-6, 1234567890123456.0]
  %5: f64[2] = constant [1e16, 2.2250738585072014e-308]
  %6: bf16[2] = constant [0.100097656, 3.3895314e38]
  %7: f16[] = constant 65504.0
  %8: f8e4m3fn[2] = constant [448.0, 0x7f]
  %9: f8e5m2[2] = constant [inf, 57344.0]
  %10: bool[3] = constant [true, false, 0x02]
  %11: i4[3] = constant [-8, 7, 0x0f]
  %12: u64[2] = constant [18446744073709551615, 0]
  %13: i64[2] = constant [-9223372036854775808, 9223372036854775807]
  %14: c64[2] = constant [(1.0, -0.0), (0x7fc00000, inf)]
  %15: c128[1000000,1000000] = constant (0.5, 0.25)
  %16: f32[0,3] = constant []
  %17: u8[20] = constant bytes 000102030405060708090a0b0c0d0e0f10111213
  return
}
"#,
    );
}

#[test]
fn other_ways_to_write_the_same_program() {
    let loose = r#"
# a comment
program@f ( %0:f32[ 2 ] "x" ,%1 : f32[] ) { # another
%2:f32[] = constant 5e-1 "half"
  %3 : f32[2] = constant [ 0x3f800000 , 1 ] %4: f32[2]=constant bytes 0000803f0000803f
  %5: u8[] = constant 007
  %6: f32[2] = broadcast_in_dim %1 { broadcast_dimensions=[] }
  %7: f32[2] = dot_general %0, %1
  %8: f32[] = constant nan
  return %4,
    %3 "y" } # end"#;
    let text = parse(loose).unwrap().to_string();
    canonical(&text);
    expect![[r#"
        program @f(%0: f32[2] "x", %1: f32[]) {
          %2: f32[] = constant 0.5 "half"
          %3: f32[2] = constant 1.0
          %4: f32[2] = constant 1.0
          %5: u8[] = constant 7
          %6: f32[2] = broadcast_in_dim %1 {broadcast_dimensions = []}
          %7: f32[2] = dot_general %0, %1 {contracting_dims = [] x []}
          %8: f32[] = constant 0x7fc00000
          return %4, %3 "y"
        }
    "#]]
    .assert_eq(&text);
}

#[test]
fn names_of_inner_values_are_not_mathematics() {
    let p = |inner: &str, arg: &str| {
        parse(&format!(
            "program @f(%0: f32[] \"{arg}\") {{ %1: f32[] = negate %0 \"{inner}\"\n return %1 \"y\" }}"
        ))
        .unwrap()
    };
    assert_eq!(canonical_math(&p("a", "x")), canonical_math(&p("b", "x")));
    assert_ne!(canonical_math(&p("a", "x")), canonical_math(&p("a", "z")));
    assert_eq!(
        canonical_math(&p("a", "x")),
        "program @f(%0: f32[] \"x\") {\n  %1: f32[] = negate %0\n  return %1 \"y\"\n}\n"
    );
}

/// An argument added after an instruction keeps its number.
#[test]
fn late_arguments_keep_their_numbers() {
    let mut b = Builder::new("f");
    let x = b.arg(Some("x"), TensorType::scalar(DType::F32));
    let y = b.unary(UnaryOp::Negate, x).unwrap();
    let z = b.arg(Some("z"), TensorType::scalar(DType::F32));
    let w = b.add(y, z).unwrap();
    let p = b.finish(&[w]);
    let text = p.to_string();
    assert!(text.starts_with("program @f(%0: f32[] \"x\", %2: f32[] \"z\") {\n  %1: f32[] = negate %0\n"));
    assert_eq!(parse(&text), Ok(p));
}

fn error(text: &str, expected: Expect) {
    expected.assert_eq(&parse(text).unwrap_err().to_string());
}

#[test]
fn errors_say_where_and_why() {
    let f = |body: &str| format!("program @f(%0: f32[2,3] \"x\", %1: i32[]) {{\n  {body}\n}}\n");
    error("", expect!["1:1: expected `program @name(...) {`"]);
    error("program f()", expect!["1:9: expected `@`, found `f()`"]);
    error(&f("return %2"), expect!["2:10: %2 is read before it is defined"]);
    error(
        &f("%3: f32[2,3] = negate %0"),
        expect![[r#"
        2:3: the next value is %2, not %3
          help: values are numbered densely, in order of definition"#]],
    );
    error(&f("%2: f32[2,3] = negate %2"), expect!["2:25: %2 is read before it is defined"]);
    error(&f("%2: f32[2] = negate %0"), expect!["2:3: the result of negate is f32[2,3], not f32[2]"]);
    error(&f("%2: f32[2,3] = add %0"), expect!["2:18: add: takes 2 operand(s), got 1"]);
    error(&f("%2: f32[2,3] = frobnicate %0"), expect!["2:18: unsupported: there is no op frobnicate"]);
    error(&f("%2: f33[2,3] = negate %0"), expect!["2:7: unsupported: there is no element type f33"]);
    error(
        &f("%2: f32[99999999,99999999] = negate %0"),
        expect!["2:7: unsupported: f32[99999999, 99999999] is too large to address"],
    );
    error(&f("%2: f32[2,-3] = negate %0"), expect!["2:13: -3 is not a size"]);
    error(&f("%2: f32[2,3] = negate %0 {axis = 1}"), expect!["2:29: negate has no attribute axis"]);
    error(
        &f("%2: f32[2] = reduce %0 {dimensions = [1]}"),
        expect!["2:16: reduce needs the attribute monoid"],
    );
    error(
        &f("%2: f32[2] = reduce %0 {dimensions = 1, monoid = add}"),
        expect!["2:27: dimensions should be a list of whole numbers"],
    );
    error(
        &f("%2: f32[2] = reduce %0 {dimensions = [1], monoid = sub}"),
        expect!["2:45: monoid should be a monoid such as add"],
    );
    error(
        &f("%2: f32[2] = reduce %0 {dimensions = [1], dimensions = [1], monoid = add}"),
        expect!["2:45: the attribute dimensions is given twice"],
    );
    error(
        &f("%2: f32[3] = reduce %0 {dimensions = [5], monoid = add}"),
        expect!["2:16: reduce (C4): dimensions: dimension 5 of f32[2,3] does not exist"],
    );
    error(&f("%2: i8[] = constant 128"), expect!["2:23: `128` is not an element of i8"]);
    error(&f("%2: i8[2] = constant [1, 2, 3]"), expect!["2:24: 3 elements are listed, i8[2] has 2"]);
    error(&f("%2: f32[] = constant 0x3f80"), expect!["2:24: the bits of one f32 are 8 hex digits"]);
    error(&f("%2: bool[] = constant 1"), expect!["2:25: `1` is not an element of bool"]);
    error(&f("%2: u8[0] = constant 1"), expect!["2:24: u8[0] has no element; write `[]`"]);
    error(&f("%2: u8[2] = constant bytes 000"), expect!["2:24: the bytes are not pairs of hex digits"]);
    error(&f("%2: f32[2,3] = negate %0 \"open\n"), expect!["2:28: the string is not closed on this line"]);
    error(
        &f("%2: f32[2,3] = negate %0 \"\\q\""),
        expect![[r#"
        2:29: unknown escape in a string
          help: the escapes are \" \\ \n \t \r and \u{hex}"#]],
    );
    error(&f("%2: f32[2,3], %3: f32[] = negate %0"), expect!["2:3: negate has 1 results, not 2"]);
    error(
        "program @f(%0: f32[] \"x\", %1: f32[] \"x\") { return }",
        expect!["1:27: two arguments have this name"],
    );
    error(
        "program @f(%1: f32[], %0: f32[]) { return }",
        expect!["1:23: arguments are numbered in increasing order"],
    );
    error(
        "program @f(%0: f32[], %7: f32[]) { return }",
        expect![[r#"
        1:23: %7 leaves %1 undefined
          help: values are numbered densely, in order of definition"#]],
    );
    error(
        &f("%2: f64[2,3] = bitcast_convert %0"),
        expect!["2:18: bitcast_convert (C1): the last dimension of f32[2,3] is not 2, as f64 needs"],
    );
    error(
        &f("%2: f64[2] = reduce_precision %1 {exponent_bits = 5, mantissa_bits = 2}"),
        expect!["2:16: reduce_precision: is not defined on i32[]"],
    );
    error(
        &f("%2: f32[2,3] = reduce_precision %0 {exponent_bits = 0, mantissa_bits = 60}"),
        expect!["2:18: reduce_precision (C2): exponent_bits is 0, not 1 to 11"],
    );
    let window = |rest: &str| {
        f(&format!(
            "%2: f32[2,3] = reduce_window %0 {{base_dilations = [1, 1], window_dilations = [1, 1], {rest}}}"
        ))
    };
    error(
        &window("window_dimensions = [1], window_strides = [1, 1], padding = [[0, 0], [0, 0]], monoid = add"),
        expect!["2:18: reduce_window (C4): window_dimensions: 1 entries for the 2 dimensions of f32[2,3]"],
    );
    error(
        &window(
            "window_dimensions = [1, 0], window_strides = [1, 1], padding = [[0, 0], [0, 0]], monoid = add",
        ),
        expect!["2:18: reduce_window (C5): window_dimensions [1, 0] are not all positive"],
    );
    error(
        &window(
            "window_dimensions = [1, 1], window_strides = [1, 1], padding = [[0, 0], [0, 0]], monoid = or",
        ),
        expect!["2:18: reduce_window: or has no identity on f32"],
    );
    error(
        &f("%2: i32[2,3] = argsort %0 {dimension = 2, comparison_direction = LT}"),
        expect!["2:18: argsort: dimension 2 of f32[2,3] does not exist"],
    );
    error(
        &f("%2: i32[2,3] = argsort %0 {dimension = 1, comparison_direction = LE}"),
        expect!["2:18: comparison_direction should be LT or GT"],
    );
    error(
        &f("%2: i32[2,3] = argsort %0, %1 {dimension = 1, comparison_direction = LT}"),
        expect!["2:18: argsort: keys differ in shape: f32[2,3] and i32[]"],
    );
    error(&f("%2: f32[2,3] = add %0, %1"), expect!["2:18: add (C1): operands differ: f32[2,3] and i32[]"]);
    error(
        &f("%2: f32[2,2] = dot_general %0, %0 {contracting_dims = [1] x [0]}"),
        expect![
            "2:18: dot_general (C10): contracting dimensions 1 of f32[2,3] and 0 of f32[2,3] differ in size: 3 and 2"
        ],
    );
    error(&f("%2: f32[2,3] = mulhi %0, %1"), expect!["2:18: mulhi: operands differ: f32[2,3] and i32[]"]);
    error(
        &f("%2: f32[3,2] = transpose %0 {permutation = [1, 1]}"),
        expect!["2:18: transpose (C2): permutation: dimension 1 is listed twice"],
    );
    let negate = "(program @b(%0: f32[2,3]) { %1: f32[2,3] = negate %0  return %1 })";
    error(
        &f(&format!("%2: f32[2,3] = negate %0 {negate}")),
        expect!["2:18: negate does not run 1 program(s)"],
    );
    error(
        &f(&format!("%2: f32[2,3] = while %0 {negate}")),
        expect!["2:18: while runs two programs, cond and body"],
    );
    error(
        &f(&format!("%2: f32[2,3] = case %0, %0 {negate}")),
        expect!["2:18: case: the index is f32[2,3], not i32[]"],
    );
    error(
        &f(&format!("%2: f32[2,3] = case %1, %0, %0 {negate}")),
        expect!["2:18: case: branch 0 takes 1 values, there are 2"],
    );
    error(&f("%2: f32[2,3] = case %1, %0"), expect!["2:18: case (C1): needs a branch"]);
    let cond = "program @c(%0: f32[2,3]) { %1: bool[] = constant true  return %1 }";
    let body = "program @b(%0: f32[2,3]) { return %0 }";
    error(
        &f(&format!("%2: f32[2,3] = while %0 ({body}, {body})")),
        expect!["2:18: while (C1): cond gives (f32[2,3]), not one bool[]"],
    );
    error(
        &f(&format!("%2: f32[2,3] = while %0, %1 ({cond}, {body})")),
        expect!["2:18: while (C1): cond takes 1 values, there are 2"],
    );
    error(
        &f(&format!("%2: f32[2,3] = while %0 ({cond}, {cond})")),
        expect!["2:18: while (C2): carried value 0 is f32[2,3], body gives bool[]"],
    );
    let inner = "program @b(%0: f32[2,3]) { %1: f32[2,3] = negate %9  return %1 }";
    error(
        &f(&format!("%2: f32[2,3] = while %0 ({cond}, {inner})")),
        expect!["2:145: %9 is read before it is defined"],
    );
    error("program @f() { return } x", expect!["1:25: expected the end of the text, found `x`"]);
}

/// Programs within programs are bounded, and broken ones do not overflow the stack.
#[test]
fn nesting_is_bounded() {
    let nested = |depth: usize| {
        let open = "%1: i32[] = case %0, %0 (program @f(%0: i32[]) { ".repeat(depth);
        let close = "return %1 }) ".repeat(depth);
        format!("program @f(%0: i32[]) {{ {open} %1: i32[] = negate %0 {close} return %1 }}")
    };
    let p = parse(&nested(text::MAX_DEPTH)).unwrap();
    assert_eq!(parse(&p.to_string()), Ok(p.clone()));
    pass::simplify(&p).unwrap();
    assert_eq!(pass::cast_floats(&p, DType::F32, DType::F64), Ok(p));
    let e = parse(&nested(text::MAX_DEPTH + 1)).unwrap_err().to_string();
    assert!(e.contains("unsupported: programs nested deeper than 64"), "{e}");
    assert!(parse(&nested(100_000)).is_err());
}

/// Sizes near the limits of the machine are refused, not computed with.
#[test]
fn huge_numbers_are_refused() {
    let big = usize::MAX;
    for body in [
        "%2: f64[] = convert %0".to_owned(),
        format!("%2: u8[] = reduce %0 {{dimensions = [{big}], monoid = add}}"),
        format!(
            "%2: u8[1] = slice %0 {{start_indices = [{big}], limit_indices = [{big}], strides = [{big}]}}"
        ),
        format!(
            "%2: u8[1] = pad %0, %1 {{edge_padding_low = [9223372036854775807], edge_padding_high = [9223372036854775807], interior_padding = [{big}]}}"
        ),
        format!("%2: u8[{big}] = reshape %0"),
    ] {
        let text = format!("program @f(%0: u8[70368744177664], %1: u8[]) {{\n{body}\nreturn %2 }}");
        assert!(parse(&text).is_err(), "{text}");
    }
    let long = "1, ".repeat(text::MAX_LIST + 1);
    let e = parse(&format!("program @f(%0: f32[{long}]) {{ return }}")).unwrap_err();
    assert!(e.to_string().contains("unsupported"), "{e}");
}

#[test]
fn a_hundred_thousand_ops_round_trip() {
    let mut b = Builder::new("long");
    let mut x = b.arg(Some("x"), TensorType::new(DType::F32, [4]));
    for i in 0..50_000 {
        let half = b.scale(x, 0.5).unwrap();
        b.name(half, format!("half {i}"));
        x = half;
    }
    let p = b.finish(&[x]);
    assert!(parse(&p.to_string()).unwrap() == p);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn programs_round_trip(seed: u64, n in 0usize..60) {
        let p = Gen::any(seed).program(n);
        let text = p.to_string();
        let back = parse(&text);
        prop_assert!(back.as_ref() == Ok(&p), "{:?}\n{text}", back.err());
        prop_assert_eq!(back.unwrap().to_string(), text);
    }

    /// A broken text gives an error with a place, or a valid program whose own text is canonical.
    #[test]
    fn broken_texts_do_no_harm(seed: u64, edits in prop::collection::vec((any::<u32>(), any::<u32>(), 0u8..5), 1..6)) {
        let mut text: Vec<char> = if seed % 3 == 0 { ALL_OPS.to_owned() } else { Gen::any(seed).program(20).to_string() }.chars().collect();
        const PIECES: [&str; 20] = ["%", "\"", "[", "]", "{", "}", "=", ",", "-", "x", "0", "18446744073709551615",
            "-9223372036854775808", "# c", "\n", "\\u{110000}", "nan", "return", "constant", "é"];
        for (a, b, kind) in edits {
            if text.is_empty() { break; }
            let (i, j) = (a as usize % text.len(), b as usize % text.len());
            match kind {
                0 => { text.remove(i); }
                1 => { let c = text[j]; text[i] = c; }
                2 => { text.splice(i..i, PIECES[b as usize % PIECES.len()].chars()); }
                3 => { text.truncate(i); }
                // Numbers are where the attributes are.
                _ => {
                    let at = (0..text.len()).map(|k| (i + k) % text.len()).find(|&k| text[k].is_ascii_digit());
                    if let Some(at) = at { text.splice(at..=at, PIECES[b as usize % PIECES.len()].chars()); }
                }
            }
        }
        let text: String = text.into_iter().collect();
        match parse(&text) {
            Ok(p) => {
                prop_assert!(p.verify().is_ok());
                prop_assert_eq!(parse(&p.to_string()), Ok(p));
            }
            Err(e) => prop_assert!(e.pos.is_some()),
        }
    }

    #[test]
    fn arbitrary_texts_do_no_harm(text in "(program|@|f|\\(|\\)|\\{|\\}|%[0-9]|:|f32|\\[|\\]|,|=|add|constant|\"|\\\\|é| |\n|return){0,40}") {
        if let Ok(p) = parse(&text) {
            prop_assert!(p.verify().is_ok());
        }
    }
}
