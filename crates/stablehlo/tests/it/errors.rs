//! What a person reads when a text is wrong or not supported.

use crate::{main_of, show};
use expect_test::{Expect, expect};
use pullback_stablehlo::{census, import};

fn check(text: &str, want: Expect) {
    match import(text) {
        Ok(_) => panic!("this should be refused:\n{text}"),
        Err(diags) => want.assert_eq(&show(&diags)),
    }
}

/// A body in a function of `%x: tensor<2x3xf32>, %i: tensor<2xi32>`.
fn body(text: &str, want: Expect) {
    check(&main_of("%x: tensor<2x3xf32>, %i: tensor<2xi32>", "tensor<2x3xf32>", text), want);
}

#[test]
fn undefined_name() {
    body(
        r##"  %0 = stablehlo.add %x, %y : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>"##,
        expect![[r#"
            2:26: %y is not defined before this use
        "#]],
    );
}

#[test]
fn duplicate_name() {
    body(
        r##"  %0 = stablehlo.abs %x : tensor<2x3xf32>
  %0 = stablehlo.abs %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>"##,
        expect![[r#"
            3:3: %0 is defined twice in this function
        "#]],
    );
}

#[test]
fn missing_result_number() {
    body(
        r##"  %0:2 = call @f(%x) : (tensor<2x3xf32>) -> (tensor<f32>, tensor<f32>)
  return %0#2 : tensor<2x3xf32>"##,
        expect![[r#"
            3:10: %0 has 2 result(s), there is no #2
        "#]],
    );
}

#[test]
fn operand_count() {
    body(
        r##"  %0 = stablehlo.add %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>"##,
        expect![[r#"
            2:8: add: takes 2 operand(s), got 1
        "#]],
    );
}

#[test]
fn operand_type() {
    body(
        r##"  %0 = stablehlo.add %x, %i : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>"##,
        expect![[r#"
            2:26: %i is tensor<2xi32>, but stablehlo.add takes it as tensor<2x3xf32>
        "#]],
    );
}

#[test]
fn result_type() {
    body(
        r##"  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>"##,
        expect![[r#"
            2:8: transpose (C3): gives tensor<3x2xf32>, but is declared as tensor<2x3xf32>
        "#]],
    );
}

#[test]
fn inference() {
    body(
        r##"  %0 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<7xf32>
  return %x : tensor<2x3xf32>"##,
        expect![[r#"
            2:8: reshape (C2): f32[2,3] has 6 elements, f32[7] has 7
        "#]],
    );
}

#[test]
fn return_type() {
    body(
        r##"  return %i : tensor<2xi32>"##,
        expect![[r#"
            2:3: @main returns tensor<2xi32>, but declares tensor<2x3xf32>
        "#]],
    );
}

#[test]
fn no_return() {
    body(
        r##"  %0 = stablehlo.abs %x : tensor<2x3xf32>"##,
        expect![[r#"
            1:1: @main does not end with a return
        "#]],
    );
}

#[test]
fn early_return() {
    body(
        r##"  return %x : tensor<2x3xf32>
  return %x : tensor<2x3xf32>"##,
        expect![[r#"
            2:3: a return before the end of its function
        "#]],
    );
}

#[test]
fn attribute_missing() {
    body(
        r##"  %0 = "stablehlo.transpose"(%x) : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %x : tensor<2x3xf32>"##,
        expect![[r#"
            2:8: stablehlo.transpose lacks its attribute dims
        "#]],
    );
}

#[test]
fn attribute_negative() {
    body(
        r##"  %0 = stablehlo.transpose %x, dims = [-1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %x : tensor<2x3xf32>"##,
        expect![[r#"
            2:8: transpose (C2): dims holds -1, which may not be negative
        "#]],
    );
}

#[test]
fn constant_count() {
    body(
        r##"  %0 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>"##,
        expect![[r#"
            2:43: constant: a list of 2 where dimension 1 is 3
        "#]],
    );
}

#[test]
fn constant_range() {
    body(
        r##"  %0 = stablehlo.constant dense<300> : tensor<i8>
  return %x : tensor<2x3xf32>"##,
        expect![[r#"
            2:33: constant: '300' does not fit i8
        "#]],
    );
}

#[test]
fn constant_point() {
    body(
        r##"  %0 = stablehlo.constant dense<1> : tensor<f32>
  return %x : tensor<2x3xf32>"##,
        expect![[r#"
            2:33: constant: '1' has no decimal point; write 1.0 for an element of type f32
        "#]],
    );
}

#[test]
fn constant_hex() {
    body(
        r##"  %0 = stablehlo.constant dense<"0x0011"> : tensor<2xf32>
  return %x : tensor<2x3xf32>"##,
        expect![[r#"
            2:33: constant: 2 bytes of data for 2 elements of 4 bytes
        "#]],
    );
}

#[test]
fn constant_word() {
    body(
        r##"  %0 = stablehlo.constant dense<[1.0, nan]> : tensor<2xf32>
  return %x : tensor<2x3xf32>"##,
        expect![[r#"
            2:39: constant: 'nan' is not an element of type f32
        "#]],
    );
}

#[test]
fn dense_resource() {
    body(
        r##"  %0 = stablehlo.constant dense_resource<blob> : tensor<2xf32>
  return %x : tensor<2x3xf32>"##,
        expect![[r#"
            2:8: unsupported: dense_resource<blob>: the file does not hold this resource
              help: print the module with its resources, which stand at the end between {-# and #-}
        "#]],
    );
}

#[test]
fn unknown_function() {
    body(
        r##"  %0 = call @nowhere(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>"##,
        expect![[r#"
            2:8: @nowhere is not defined in this module
        "#]],
    );
}

#[test]
fn bad_syntax() {
    body(
        r##"  %0 = stablehlo.add %x %x ; tensor<2x3xf32>"##,
        expect![[r#"
            2:28: expected operands, attributes or ':' of stablehlo.add, found ';'
        "#]],
    );
}

#[test]
fn bad_bracket() {
    body(
        r##"  %0 = stablehlo.transpose %x, dims = [1, 0 : (tensor<2x3xf32>) -> tensor<3x2xf32>"##,
        expect![[r#"
            2:45: expected ',' between the entries of a list, found ':'
        "#]],
    );
}

#[test]
fn open_string() {
    body(
        r##"  %0 = "stablehlo.abs(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>"##,
        expect![[r#"
            2:8: expected an operation, found a string without a closing quote
        "#]],
    );
}

#[test]
fn compare_direction() {
    body(
        r##"  %0 = stablehlo.compare LESS, %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  return %x : tensor<2x3xf32>"##,
        expect![[r#"
            2:8: stablehlo.compare needs a direction: EQ, NE, GE, GT, LE or LT
        "#]],
    );
}

#[test]
fn dynamic() {
    check(
        r##"func.func @main(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = stablehlo.abs %x : tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}"##,
        expect![[r#"
            1:1: shapes of @main are open: arg0 (x) f32[?,3]
              help: give shapes of arguments, as in --shape arg0=8x128
        "#]],
    );
}

#[test]
fn element_type() {
    check(
        r##"func.func @main(%x: tensor<3xi256>, %y: tensor<3x!quant.uniform<i8:f32, 1.0>>, %t: memref<3xf32>) {
  return
}"##,
        expect![[r#"
            1:21: unsupported: type tensor<3xi256>: an element type or encoding that is not one of ours
              help: convert to a plain type such as f32 first
            1:41: unsupported: type tensor<3x!quant.uniform<i8:f32, 1.0>>: a quantized element type
              help: dequantize before export: compute with the plain type that it stands for
            1:84: unsupported: type memref<3xf32>: not a tensor
              help: pass tensors only
        "#]],
    );
}

#[test]
fn too_large() {
    check(
        r##"func.func @main(%x: tensor<99999999999x99999999999xf32>) {
  return
}"##,
        expect![[r#"
            1:21: unsupported: type tensor<99999999999x99999999999xf32>: more than 64 dimensions or 2^46 bytes
              help: check the shape
        "#]],
    );
}

#[test]
fn recursion() {
    check(
        r##"func.func @main() {
  call @f() : () -> ()
  return
}
func.func private @f() {
  call @g() : () -> ()
  return
}
func.func private @g() {
  call @f() : () -> ()
  return
}"##,
        expect![[r#"
            10:3: recursive call of @f
        "#]],
    );
}

#[test]
fn twice() {
    check(
        r##"func.func @main() {
  return
}
func.func @main() {
  return
}"##,
        expect![[r#"
            4:1: @main is defined twice
        "#]],
    );
}

#[test]
fn no_public() {
    check(
        r##"module {
  func.func private @f() {
    return
  }
}"##,
        expect![[r#"
            1:1: the module has no public function
        "#]],
    );
}

#[test]
fn empty() {
    check(
        r##""##,
        expect![[r#"
            1:1: the module has no public function
        "#]],
    );
}

#[test]
fn not_mlir() {
    check(
        r##"import jax
print('hello')
"##,
        expect![[r#"
            1:1: expected a function (func.func) or the end of the module, found 'import'
        "#]],
    );
}

#[test]
fn declaration() {
    check(
        r##"func.func private @ext(tensor<f32>) -> tensor<f32>
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = call @ext(%x) : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}"##,
        expect![[r#"
            1:1: @ext has no body
        "#]],
    );
}

#[test]
fn blocks() {
    body(
        r##"  cf.br ^bb1
^bb1:
  return %x : tensor<2x3xf32>"##,
        expect![[r#"
            2:9: unsupported: control flow between blocks: a region may have one block
              help: export with structured control flow only, as JAX does
        "#]],
    );
}

#[test]
fn all_unsupported() {
    body(
        r##"  %c = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%it = %c, %acc = %x) : tensor<i32>, tensor<2x3xf32>
   cond {
    %9 = stablehlo.compare LT, %it, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %9 : tensor<i1>
  } do {
    %9 = stablehlo.custom_call @foo(%acc) {backend_config = "{}"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    stablehlo.return %it, %9 : tensor<i32>, tensor<2x3xf32>
  }
  %1 = stablehlo.add %0#1, %x : tensor<2x3xf32>
  %2 = "stablehlo.async_start"(%1) ({
  ^bb0(%a: tensor<2x3xf32>):
    %9 = stablehlo.custom_call @bar(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    stablehlo.return %9 : tensor<2x3xf32>
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = stablehlo.uniform_quantize %2 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = stablehlo.add %3, %i : tensor<2x3xf32>
  return %4 : tensor<2x3xf32>"##,
        expect![[r#"
            8:10: unsupported: stablehlo.custom_call @foo
              help: export the operator's definition instead of a foreign call
            12:8: unsupported: stablehlo.async_start
              help: rewrite the model without this operation
            14:10: unsupported: stablehlo.custom_call @bar
              help: export the operator's definition instead of a foreign call
            17:8: unsupported: stablehlo.uniform_quantize
              help: rewrite the model without this operation
        "#]],
    );
}

#[test]
fn a_census_lists_what_is_unsupported() {
    let text = main_of(
        "%x: tensor<2xf32>",
        "tensor<2xf32>",
        "  %0 = stablehlo.uniform_quantize %x : (tensor<2xf32>) -> tensor<2xf32>\n  %1 = stablehlo.add %0, %x : tensor<2xf32>\n  %2 = stablehlo.uniform_quantize %1 : (tensor<2xf32>) -> tensor<2xf32>\n  return %2 : tensor<2xf32>",
    );
    let census = census(&text).unwrap();
    let listed: Vec<String> =
        census.unsupported().map(|(name, c)| format!("{name} {} {}", c.count, c.first)).collect();
    assert_eq!(listed, ["stablehlo.uniform_quantize 2 2:8"]);
    assert_eq!(census.total(), 3);
}
