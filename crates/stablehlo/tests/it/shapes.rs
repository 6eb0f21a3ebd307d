//! Open shapes: types, dynamic forms, what is worked out, what is asked for.

use crate::{main_of, show};
use expect_test::{Expect, expect};
use proptest::prelude::*;
use pullback_ir::Program;
use pullback_stablehlo::{ImportOptions, Module, import_bytes_with, import_with, signatures};
use std::collections::BTreeMap;

const SYMBOLIC: (&[u8], &str) =
    (include_bytes!("../portable/export_symbolic.jax"), include_str!("../portable/export_symbolic.mlir"));
const BOUNDED: (&[u8], &str) =
    (include_bytes!("../portable/bounded.mlirbc"), include_str!("../portable/bounded.mlir"));

/// Shapes by argument: `arg0=2x3 arg1=`.
fn shapes(text: &str) -> ImportOptions {
    let shapes = text.split_whitespace().map(|s| {
        let (name, shape) = s.split_once('=').expect("NAME=SHAPE");
        let sizes = shape.split('x').filter(|s| !s.is_empty()).map(|n| n.parse().expect("a size"));
        (name.to_owned(), sizes.collect())
    });
    ImportOptions { shapes: shapes.collect(), ..ImportOptions::default() }
}

fn ok(text: &str, options: &ImportOptions) -> Module {
    let module = import_with(text, options).unwrap_or_else(|e| panic!("{}", show(&e)));
    module.functions().iter().for_each(|f| f.verify().expect("an imported program is valid"));
    module
}

fn main_for(text: &str, options: &ImportOptions) -> Program {
    ok(text, options).function("main").expect("a function @main").clone()
}

fn refused(text: &str, options: &ImportOptions, want: Expect) {
    match import_with(text, options) {
        Ok(_) => panic!("this should be refused:\n{text}"),
        Err(diags) => want.assert_eq(&show(&diags)),
    }
}

#[test]
fn shapes_follow_from_those_of_the_arguments() {
    let text = main_of(
        "%x: tensor<?x3xf32>",
        "tensor<?x?xf32>",
        r#"  %two = stablehlo.constant dense<2> : tensor<1xi32>
  %three = stablehlo.constant dense<3> : tensor<1xi32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %twice = stablehlo.multiply %n1, %two : tensor<1xi32>
  %nx3 = stablehlo.concatenate %n1, %three, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %flat1 = stablehlo.constant dense<1> : tensor<i32>
  %all = stablehlo.reduce(%nx3 init: %flat1) applies stablehlo.multiply across dimensions = [0] : (tensor<2xi32>, tensor<i32>) -> tensor<i32>
  %all1 = stablehlo.reshape %all : (tensor<i32>) -> tensor<1xi32>
  %flat = stablehlo.dynamic_reshape %x, %all1 : (tensor<?x3xf32>, tensor<1xi32>) -> tensor<?xf32>
  %shape = stablehlo.concatenate %twice, %all1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %row = stablehlo.dynamic_broadcast_in_dim %flat, %shape, dims = [1] : (tensor<?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return %row : tensor<?x?xf32>"#,
    );
    expect![[r#"
        program @main(%0: f32[2,3] "x") {
          %1: f32[6] = reshape %0 "flat"
          %2: f32[4,6] = broadcast_in_dim %1 {broadcast_dimensions = [1]} "row"
          return %2
        }
    "#]]
    .assert_eq(&main_for(&text, &shapes("x=2x3")).to_string());
    let wide = main_for(&text, &shapes("arg0=5x3"));
    assert_eq!(wide.ty(wide.results()[0]).shape(), [10, 15]);
}

#[test]
fn every_form_with_constant_shapes() {
    let text = main_of(
        "%x: tensor<?x4xf32>, %i: tensor<2x1xi32>, %k: tensor<4x1x1xf32>",
        "(tensor<3x4xi32>, tensor<?x?xf32>, tensor<2x1x4xf32>, tensor<1x4x?xf32>, tensor<?x2xf32>, tensor<?x4xf32>)",
        r#"  %shape = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<[1, -1]> : tensor<2xi64>
  %high = stablehlo.constant dense<[0, 2]> : tensor<2xi64>
  %inner = stablehlo.constant dense<[1, 0]> : tensor<2xi64>
  %sizes = stablehlo.constant dense<[1, 4]> : tensor<2xi32>
  %padding = stablehlo.constant dense<[[1, 0]]> : tensor<1x2xi32>
  %start = stablehlo.constant dense<[0, 1]> : tensor<2xi64>
  %limit = stablehlo.constant dense<[2, 4]> : tensor<2xi64>
  %stride = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %two = stablehlo.constant dense<2> : tensor<i32>
  %0 = stablehlo.dynamic_iota %shape, dim = 1 : (tensor<2xi64>) -> tensor<3x4xi32>
  %1 = stablehlo.dynamic_pad %x, %zero, %low, %high, %inner : (tensor<?x4xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  %2 = "stablehlo.dynamic_gather"(%x, %i, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [1, 2], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false}> : (tensor<?x4xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x1x4xf32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %four = stablehlo.constant dense<4> : tensor<1xi32>
  %image_shape = stablehlo.concatenate %one, %four, %n1, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %image = stablehlo.dynamic_reshape %x, %image_shape : (tensor<?x4xf32>, tensor<3xi32>) -> tensor<1x4x?xf32>
  %3 = "stablehlo.dynamic_conv"(%image, %k, %padding) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f, 0]x[o, i, 0]->[b, f, 0]>, feature_group_count = 4 : i64}> : (tensor<1x4x?xf32>, tensor<4x1x1xf32>, tensor<1x2xi32>) -> tensor<1x4x?xf32>
  %4 = stablehlo.real_dynamic_slice %x, %start, %limit, %stride : (tensor<?x4xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x2xf32>
  %5 = stablehlo.set_dimension_size %x, %two, dim = 0 : (tensor<?x4xf32>, tensor<i32>) -> tensor<?x4xf32, #stablehlo.bounds<8, ?>>
  return %0, %1, %2, %3, %4, %5 : tensor<3x4xi32>, tensor<?x?xf32>, tensor<2x1x4xf32>, tensor<1x4x?xf32>, tensor<?x2xf32>, tensor<?x4xf32>"#,
    );
    expect![[r#"
        program @main(%0: f32[2,4] "x", %1: i32[2,1] "i", %2: f32[4,1,1] "k") {
          %3: i32[3,4] = iota {iota_dimension = 1} "0"
          %4: f32[] = constant 0.0 "zero"
          %5: f32[4,5] = pad %0, %4 {edge_padding_low = [1, -1], edge_padding_high = [0, 2], interior_padding = [1, 0]} "1"
          %6: f32[2,1,4] = gather %0, %1 {offset_dims = [1, 2], collapsed_slice_dims = [], start_index_map = [0], index_vector_dim = 1, slice_sizes = [1, 4]} "2"
          %7: f32[1,4,2] = reshape %0 "image"
          %8: f32[1,4,3] = convolution %7, %2 {input_batch_dimension = 0, input_feature_dimension = 1, input_spatial_dimensions = [2], kernel_input_feature_dimension = 1, kernel_output_feature_dimension = 0, kernel_spatial_dimensions = [2], output_batch_dimension = 0, output_feature_dimension = 1, output_spatial_dimensions = [2], window_strides = [1], padding = [[1, 0]], lhs_dilation = [1], rhs_dilation = [1], window_reversal = [false], feature_group_count = 4, batch_group_count = 1} "3"
          %9: f32[2,2] = slice %0 {start_indices = [0, 1], limit_indices = [2, 4], strides = [1, 2]} "4"
          return %3, %5, %6, %8, %9, %0
        }
    "#]].assert_eq(&main_for(&text, &shapes("arg0=2x4")).to_string());
}

#[test]
fn a_function_is_specialized_for_each_call() {
    let text = r#"func.func public @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = call @f(%x) : (tensor<?xf32>) -> tensor<?xf32>
  %1 = call @f(%y) : (tensor<?xf32>) -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}
func.func private @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %shape = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %ones = stablehlo.dynamic_broadcast_in_dim %one, %shape, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
  %y = stablehlo.add %x, %ones : tensor<?xf32>
  return %y : tensor<?xf32>
}
"#;
    expect![[r#"
        program @main(%0: f32[2] "x", %1: f32[3] "y") {
          %2: f32[] = constant 1.0 "f/one"
          %3: f32[2] = broadcast_in_dim %2 {broadcast_dimensions = []} "f/ones"
          %4: f32[2] = add %0, %3 "f/y"
          %5: f32[] = constant 1.0 "f/one"
          %6: f32[3] = broadcast_in_dim %5 {broadcast_dimensions = []} "f/ones"
          %7: f32[3] = add %1, %6 "f/y"
          return %4, %7
        }
    "#]]
    .assert_eq(&main_for(text, &shapes("x=2 y=3")).to_string());
}

#[test]
fn types_as_written_hold_what_is_given() {
    for (ty, shape, fits) in [
        ("tensor<?xf32>", "5", true),
        ("tensor<?x3xf32>", "5x3", true),
        ("tensor<?x3xf32>", "5x4", false),
        ("tensor<?x3xf32>", "5", false),
        ("tensor<?xf32, #stablehlo.bounds<8>>", "8", true),
        ("tensor<?xf32, #stablehlo.bounds<8>>", "9", false),
        ("tensor<?x?xf32, #stablehlo.bounds<?, 2>>", "9x2", true),
        ("tensor<4xf32>", "4", true),
        ("tensor<4xf32>", "5", false),
    ] {
        let text = main_of(&format!("%x: {ty}"), ty, &format!("  return %x : {ty}"));
        let result = import_with(&text, &shapes(&format!("x={shape}")));
        assert_eq!(
            result.is_ok(),
            fits,
            "{ty} {shape} {}",
            result.map_or_else(|e| show(&e), |_| String::new())
        );
    }
    // An operation's type is inferred, and what is written may not contradict it.
    let body = "  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<?x3xf32>) -> tensor<?x3xf32>\n  return %0 : tensor<?x3xf32>";
    refused(
        &main_of("%x: tensor<?x3xf32>", "tensor<?x3xf32>", body),
        &shapes("x=2x3"),
        expect![[r#"
            2:8: transpose (C3): gives tensor<3x2xf32>, but is declared as tensor<?x3xf32>
        "#]],
    );
}

#[test]
fn bytecode_is_specialized_as_its_text() {
    let unnamed = |p: &Program| p.to_string().split('"').step_by(2).collect::<String>();
    for ((bytes, text), given) in [(SYMBOLIC, "arg0=5x3"), (BOUNDED, "arg0=3x4")] {
        let binary = import_bytes_with(bytes, &shapes(given)).unwrap_or_else(|e| panic!("{}", show(&e)));
        let text = ok(text, &shapes(given));
        assert_eq!(unnamed(&binary.functions()[0]), unnamed(&text.functions()[0]));
    }
    let symbols =
        ImportOptions { symbols: BTreeMap::from([("n".to_owned(), 5)]), ..ImportOptions::default() };
    assert_eq!(
        import_bytes_with(SYMBOLIC.0, &symbols).unwrap().functions(),
        import_bytes_with(SYMBOLIC.0, &shapes("x=5x3")).unwrap().functions()
    );
    assert!(import_bytes_with(BOUNDED.0, &shapes("arg0=9x4")).is_err());
}

#[test]
fn signatures_show_what_is_open() {
    let all = |bytes: &[u8]| -> String {
        let list = signatures(bytes).expect("signatures");
        list.iter()
            .map(|s| {
                let args: Vec<String> = s.arguments.iter().map(|a| format!("{} {a}", a.name)).collect();
                let results: Vec<String> = s.results.iter().map(ToString::to_string).collect();
                format!("{}({}) -> {} {:?}\n", s.function, args.join(", "), results.join(", "), s.symbols)
            })
            .collect()
    };
    expect![[r#"
        main(x f32[n,3]) -> f32[n,3] ["n"]
        main(x f32[?,3]) -> f32[?,3] []
        main(arg0 f32[<=8,4]) -> f32[?,?] []
    "#]]
    .assert_eq(&(all(SYMBOLIC.0) + &all(SYMBOLIC.1.as_bytes()) + &all(BOUNDED.0)));
}

const CHOICE: &str = r#"func.func public @main(%p: tensor<i32> {jax.global_constant = "_platform_index"}, %x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.case"(%p) ({
    %1 = stablehlo.custom_call @not_for_us(%x) : (tensor<2xf32>) -> tensor<2xf32>
    stablehlo.return %1 : tensor<2xf32>
  }, {
    %1 = stablehlo.negate %x : tensor<2xf32>
    stablehlo.return %1 : tensor<2xf32>
  }) : (tensor<i32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
"#;

#[test]
fn only_the_branch_of_the_platform_is_lowered() {
    let platform = |name: &str| ImportOptions { platform: Some(name.to_owned()), ..ImportOptions::default() };
    expect![[r#"
        program @main(%0: f32[2] "x") {
          %1: f32[2] = negate %0 "1"
          return %1
        }
    "#]]
    .assert_eq(&main_for(CHOICE, &platform("1")).to_string());
    refused(
        CHOICE,
        &platform("0"),
        expect![[r#"
        3:10: unsupported: stablehlo.custom_call @not_for_us
          help: export the operator's definition instead of a foreign call
    "#]],
    );
    refused(
        CHOICE,
        &ImportOptions::default(),
        expect![[r#"
        1:1: the first argument says which of its platforms the module runs on, and does not name them
          help: give the platform's number, as in --platform 0
    "#]],
    );
    let plain = main_of("%x: tensor<2xf32>", "tensor<2xf32>", "  return %x : tensor<2xf32>");
    refused(
        &plain,
        &platform("cpu"),
        expect![[r#"
        1:1: there is no choice of a platform, such as cpu: the module is for any
    "#]],
    );
}

#[test]
fn shapes_are_asked_for_by_argument() {
    let text = main_of(
        "%x: tensor<?x?xf32>, %n: tensor<3xi32>, %y: tensor<?xi64>",
        "tensor<3xi32>",
        "  return %n : tensor<3xi32>",
    );
    refused(
        &text,
        &ImportOptions::default(),
        expect![[r#"
        1:1: shapes of @main are open: arg0 (x) f32[?,?], arg2 (y) i64[?]
          help: give shapes of arguments, as in --shape arg0=8x128
    "#]],
    );
    refused(
        &text,
        &shapes("x=2x3"),
        expect![[r#"
        1:1: shapes of @main are open: arg2 (y) i64[?]
          help: give shapes of arguments, as in --shape arg0=8x128
    "#]],
    );
    refused(
        &text,
        &shapes("x=2x3 arg2=1 z=2"),
        expect![[r#"
        1:1: @main has no argument z
          help: its arguments are arg0 (x), arg1 (n), arg2 (y)
    "#]],
    );
    refused(
        &text,
        &shapes("x=2x3 y=1 n=4"),
        expect![[r#"
        1:1: argument n is tensor<3xi32>, and the shape given is 4
    "#]],
    );
    refused(
        &text,
        &shapes("x=2x99999999999999 y=1"),
        expect![[r#"
        1:1: argument x: 2x99999999999999 is no shape for tensor<?x?xf32>
    "#]],
    );
    let symbols = ImportOptions { symbols: BTreeMap::from([("b".to_owned(), 5)]), ..shapes("x=2x3 y=1") };
    refused(
        &text,
        &symbols,
        expect![[r#"
        1:1: no size is written with the symbol b
          help: symbols are in files of jax.export; of this one give shapes of arguments, as in --shape arg0=8x128
    "#]],
    );
    let two = text.replace("@main", "@f") + &text.replace("@main", "@g");
    refused(
        &two,
        &shapes("x=2x3 y=1"),
        expect![[r#"
        1:1: the shapes of several functions are open: @f, @g
          help: say which one is meant, as in --function NAME
    "#]],
    );
    let named = ImportOptions { function: Some("g".to_owned()), ..shapes("x=2x3 y=1") };
    let module = ok(&two, &named);
    assert_eq!((module.functions().len(), module.functions()[0].name()), (1, "g"));
    expect![[r#"
        1:1: note: @f is left out: its shapes are open, and none were given for it
    "#]]
    .assert_eq(&show(&module.notes));
}

/// A body in a function of `%x: tensor<?x3xf32>, %i: tensor<1xi32>`, for x = 2x3.
fn body(text: &str, want: Expect) {
    refused(
        &main_of("%x: tensor<?x3xf32>, %i: tensor<1xi32>", "tensor<?xf32>", text),
        &shapes("x=2x3"),
        want,
    );
}

#[test]
fn shapes_computed_from_data() {
    body(
        "  %0 = stablehlo.dynamic_reshape %x, %i : (tensor<?x3xf32>, tensor<1xi32>) -> tensor<?xf32>\n  return %0 : tensor<?xf32>",
        expect![[r#"
            2:8: unsupported: stablehlo.dynamic_reshape with the shape computed from data (%i)
              help: shapes may follow from the shapes of arguments and from constants, not from data: pad to a known size
        "#]],
    );
    body(
        "  %s = stablehlo.reshape %i : (tensor<1xi32>) -> tensor<i32>\n  %0 = stablehlo.set_dimension_size %x, %s, dim = 0 : (tensor<?x3xf32>, tensor<i32>) -> tensor<?x3xf32>\n  %c = stablehlo.constant dense<1> : tensor<i32>\n  %1 = stablehlo.set_dimension_size %x, %c, dim = 0 : (tensor<?x3xf32>, tensor<i32>) -> tensor<?x3xf32>\n  return %0 : tensor<?x3xf32>",
        expect![[r#"
            3:8: unsupported: stablehlo.set_dimension_size with the size computed from data (%s)
              help: shapes may follow from the shapes of arguments and from constants, not from data: pad to a known size
            5:8: unsupported: stablehlo.set_dimension_size of tensor<2x3xf32> to 1 in dimension 0
              help: a size is that of the shape: use a slice, or a mask
        "#]],
    );
    body(
        "  %c = stablehlo.constant dense<[7]> : tensor<1xi32>\n  %0 = stablehlo.dynamic_reshape %x, %c : (tensor<?x3xf32>, tensor<1xi32>) -> tensor<?xf32>\n  %d = stablehlo.constant dense<[-6]> : tensor<1xi32>\n  %1 = stablehlo.dynamic_reshape %x, %d : (tensor<?x3xf32>, tensor<1xi32>) -> tensor<?xf32>\n  return %0 : tensor<?xf32>",
        expect![[r#"
            3:8: dynamic_reshape (C2): f32[2,3] has 6 elements, f32[7] has 7
            5:8: dynamic_reshape: the shape holds -6, which may not be negative
        "#]],
    );
}

#[test]
fn assertions_are_decided() {
    let assert = |value: &str, message: &str| {
        main_of(
            "%x: tensor<?xf32>, %b: tensor<i1>",
            "tensor<?xf32>",
            &format!(
                "  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>\n  %c = stablehlo.constant dense<3> : tensor<i32>\n  %ok = stablehlo.compare GE, %n, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>\n  stablehlo.custom_call @shape_assertion({value}, %n, %c) {{error_message = \"{message}\"}} : (tensor<i1>, tensor<i32>, tensor<i32>) -> ()\n  return %x : tensor<?xf32>"
            ),
        )
    };
    let text = assert("%ok", "at least {1}, not {0} {2} {x} }{");
    assert!(main_for(&text, &shapes("x=3")).instrs().is_empty());
    refused(
        &text,
        &shapes("x=2"),
        expect![[r#"
        5:3: at least 3, not 2 {2} {x} }{
    "#]],
    );
    refused(
        &assert("%b", "never"),
        &shapes("x=3"),
        expect![[r#"
        5:3: unsupported: shape_assertion of what is computed from data
          help: assert only what follows from the shapes of arguments
    "#]],
    );
}

/// As MLIR's own tool for refining the types of arguments leaves them.
#[test]
fn wrappers_of_operands_are_looked_through() {
    let text = main_of(
        "%x: tensor<16xf32>",
        "tensor<?xf32>",
        r#"  %c = stablehlo.constant dense<16> : tensor<1xi64>
  %0 = stablehlo.custom_call @stablehlo.shape_refinement_operand_wrapper(%x, %c) {indices_of_shape_operands = dense<1> : tensor<1xi64>} : (tensor<16xf32>, tensor<1xi64>) -> tensor<?xf32>
  %n = stablehlo.get_dimension_size %0, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %ones = stablehlo.dynamic_broadcast_in_dim %one, %s, dims = [] : (tensor<f32>, tensor<1xi32>) -> tensor<?xf32>
  %1 = stablehlo.add %0, %ones : tensor<?xf32>
  return %1 : tensor<?xf32>"#,
    );
    expect![[r#"
        program @main(%0: f32[16] "x") {
          %1: f32[] = constant 1.0 "one"
          %2: f32[16] = broadcast_in_dim %1 {broadcast_dimensions = []} "ones"
          %3: f32[16] = add %0, %2 "1"
          return %3
        }
    "#]]
    .assert_eq(&main_for(&text, &ImportOptions::default()).to_string());
}

#[test]
fn calls_without_end_or_too_deep() {
    let recursive = "func.func public @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n  %0 = call @main(%x) : (tensor<?xf32>) -> tensor<?xf32>\n  return %0 : tensor<?xf32>\n}\n";
    refused(
        recursive,
        &shapes("x=3"),
        expect![[r#"
        2:8: recursive call of @main
    "#]],
    );
    // Each function calls the next one; the last one ends it.
    let chain = |n: usize| -> String {
        let f = |i: usize| {
            let (kind, name) =
                if i == 0 { ("public", "main".to_owned()) } else { ("private", format!("f{i}")) };
            let body = if i == n {
                String::new()
            } else {
                format!("  %x = call @f{}(%a) : (tensor<?xf32>) -> tensor<?xf32>\n", i + 1)
            };
            let result = if i == n { "%a" } else { "%x" };
            format!(
                "func.func {kind} @{name}(%a: tensor<?xf32>) -> tensor<?xf32> {{\n{body}  return {result} : tensor<?xf32>\n}}\n"
            )
        };
        (0..=n).map(f).collect()
    };
    assert!(main_for(&chain(200), &shapes("a=3")).instrs().is_empty());
    refused(
        &chain(400),
        &shapes("a=3"),
        expect![[r#"
        1030:8: calls and regions are nested deeper than 256 levels
    "#]],
    );
}

/// Functions that call the next one twice: what is worked out is counted too.
#[test]
fn specializing_is_bounded() {
    let f = |i: usize| {
        let (kind, name) = if i == 0 { ("public", "main".to_owned()) } else { ("private", format!("f{i}")) };
        let call = |k: usize| format!("  %{k} = call @f{}(%a) : (tensor<?xf32>) -> tensor<?xf32>\n", i + 1);
        let body = if i == 40 { String::new() } else { call(0) + &call(1) };
        format!(
            "func.func {kind} @{name}(%a: tensor<?xf32>) -> tensor<?xf32> {{\n{body}  return %a : tensor<?xf32>\n}}\n"
        )
    };
    let text: String = (0..=40).map(f).collect();
    let diags = import_with(&text, &shapes("a=3")).expect_err("too many operations");
    assert!(show(&diags).contains("more than 100000 operations"), "{}", show(&diags));
}

const FILES: [&[u8]; 4] = [
    include_bytes!("../polymorphic/expressions.jax"),
    include_bytes!("../polymorphic/loops.jax"),
    include_bytes!("../polymorphic/best.jax"),
    include_bytes!("../polymorphic/platforms.jax"),
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutated_files_and_any_sizes_do_not_panic(
        which in 0..FILES.len(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
        sizes in prop::collection::vec(prop_oneof![0..9usize, Just(usize::MAX), Just(1 << 40)], 3),
    ) {
        let mut bytes = FILES[which].to_vec();
        for (at, byte) in edits {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let symbols = ["b", "t", "n"].iter().zip(&sizes).map(|(s, n)| ((*s).to_owned(), *n));
        let known = signatures(&bytes).unwrap_or_default();
        let symbols = symbols.filter(|(s, _)| known.iter().any(|k| k.symbols.contains(s)));
        let options = ImportOptions { symbols: symbols.collect(), ..ImportOptions::default() };
        match import_bytes_with(&bytes, &options) {
            Ok(module) => module.functions().iter().for_each(|f| f.verify().expect("an imported program is valid")),
            Err(diags) => prop_assert!(!diags.is_empty()),
        }
    }
}
