//! Operations that the IR has no single operation for: what they become, and what is refused.

use crate::{import_ok, main_of, op_names, show};
use expect_test::{Expect, expect};
use pullback_ir::Program;
use pullback_ir::text::canonical_math;
use pullback_stablehlo::import;

fn lowered(args: &str, result: &str, body: &str) -> Program {
    let module = import_ok(&main_of(args, result, body));
    let program = module.function("main").expect("a function @main").clone();
    program.verify().expect("what is imported is valid");
    program
}

fn refused(args: &str, result: &str, body: &str, want: Expect) {
    match import(&main_of(args, result, body)) {
        Ok(_) => panic!("this should be refused:\n{body}"),
        Err(diags) => want.assert_eq(&show(&diags)),
    }
}

fn becomes(args: &str, result: &str, body: &str, want: Expect) {
    want.assert_eq(&canonical_math(&lowered(args, result, body)));
}

#[test]
fn a_map_is_its_region_over_a_shape() {
    becomes(
        "%x: tensor<2x3xf32>, %s: tensor<f32>",
        "tensor<2x3xi1>",
        r#"  %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0, 1>}> ({
  ^bb0(%a: tensor<f32>):
    %c = stablehlo.constant dense<1.0> : tensor<f32>
    %1 = stablehlo.add %s, %c : tensor<f32>
    %2 = stablehlo.multiply %a, %1 : tensor<f32>
    %3 = stablehlo.compare LT, %2, %1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %3 : tensor<i1>
  }) : (tensor<2x3xf32>) -> tensor<2x3xi1>
  return %0 : tensor<2x3xi1>"#,
        expect![[r#"
            program @main(%0: f32[2,3] "x", %1: f32[] "s") {
              %2: f32[] = constant 1.0
              %3: f32[] = add %1, %2
              %4: f32[2,3] = broadcast_in_dim %3 {broadcast_dimensions = []}
              %5: f32[2,3] = multiply %0, %4
              %6: bool[2,3] = compare %5, %4 {comparison_direction = LT}
              return %6
            }
        "#]],
    );
}

const ARGMAX: &str = r#"  %c = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %d = stablehlo.constant dense<0> : tensor<i32>
  %i = stablehlo.iota dim = 0 : tensor<3xi32>
  %0:2 = stablehlo.reduce(%x init: %c), (%i init: %d) across dimensions = [0] : (tensor<3xf32>, tensor<3xi32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%n: tensor<i32>, %m: tensor<i32>)  {
    %1 = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = stablehlo.select %1, %a, %b : tensor<i1>, tensor<f32>
    %3 = stablehlo.select %1, %n, %m : tensor<i1>, tensor<i32>
    stablehlo.return %2, %3 : tensor<f32>, tensor<i32>
  }
  return %0#1 : tensor<i32>"#;

#[test]
fn a_reduction_by_any_region_combines_neighbours() {
    becomes(
        "%x: tensor<3xf32>",
        "tensor<i32>",
        ARGMAX,
        expect![[r#"
        program @main(%0: f32[3] "x") {
          %1: i32[3] = iota {iota_dimension = 0}
          %2: f32[] = constant -inf
          %3: i32[] = constant 0
          %4: f32[1] = slice %0 {start_indices = [0], limit_indices = [2], strides = [2]}
          %5: i32[1] = slice %1 {start_indices = [0], limit_indices = [2], strides = [2]}
          %6: f32[1] = slice %0 {start_indices = [1], limit_indices = [2], strides = [2]}
          %7: i32[1] = slice %1 {start_indices = [1], limit_indices = [2], strides = [2]}
          %8: bool[1] = compare %4, %6 {comparison_direction = GE}
          %9: f32[1] = select %8, %4, %6
          %10: i32[1] = select %8, %5, %7
          %11: f32[1] = slice %0 {start_indices = [2], limit_indices = [3], strides = [1]}
          %12: f32[2] = concatenate %9, %11 {dimension = 0}
          %13: i32[1] = slice %1 {start_indices = [2], limit_indices = [3], strides = [1]}
          %14: i32[2] = concatenate %10, %13 {dimension = 0}
          %15: f32[1] = slice %12 {start_indices = [0], limit_indices = [2], strides = [2]}
          %16: i32[1] = slice %14 {start_indices = [0], limit_indices = [2], strides = [2]}
          %17: f32[1] = slice %12 {start_indices = [1], limit_indices = [2], strides = [2]}
          %18: i32[1] = slice %14 {start_indices = [1], limit_indices = [2], strides = [2]}
          %19: bool[1] = compare %15, %17 {comparison_direction = GE}
          %20: f32[1] = select %19, %15, %17
          %21: i32[1] = select %19, %16, %18
          %22: f32[] = reshape %20
          %23: i32[] = reshape %21
          %24: bool[] = compare %2, %22 {comparison_direction = GE}
          %25: f32[] = select %24, %2, %22
          %26: i32[] = select %24, %3, %23
          return %26
        }
    "#]],
    );
}

#[test]
fn results_that_are_monoids_of_one_operand_each_are_reductions() {
    let body = r#"  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %d = stablehlo.constant dense<true> : tensor<i1>
  %0:2 = stablehlo.reduce(%x init: %c), (%y init: %d) across dimensions = [0] : (tensor<3xf32>, tensor<3xi1>, tensor<f32>, tensor<i1>) -> (tensor<f32>, tensor<i1>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%p: tensor<i1>, %q: tensor<i1>)  {
    %1 = stablehlo.add %a, %b : tensor<f32>
    %2 = stablehlo.multiply %q, %p : tensor<i1>
    stablehlo.return %1, %2 : tensor<f32>, tensor<i1>
  }
  return %0#1 : tensor<i1>"#;
    let program = lowered("%x: tensor<3xf32>, %y: tensor<3xi1>", "tensor<i1>", body);
    assert_eq!(op_names(&program), ["constant", "constant", "reduce", "reduce"]);
}

#[test]
fn a_wider_region_converts_what_it_reduces() {
    let body = r#"  %c = stablehlo.constant dense<0.0> : tensor<bf16>
  %0 = "stablehlo.reduce"(%x, %c) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<3xbf16>, tensor<bf16>) -> tensor<f32>
  return %0 : tensor<f32>"#;
    becomes(
        "%x: tensor<3xbf16>",
        "tensor<f32>",
        body,
        expect![[r#"
        program @main(%0: bf16[3] "x") {
          %1: bf16[] = constant 0.0
          %2: f32[3] = convert %0
          %3: f32[] = constant 0.0
          %4: f32[] = reduce %2 {dimensions = [0], monoid = add}
          return %4
        }
    "#]],
    );
}

#[test]
fn regions_that_cannot_be_lifted() {
    refused(
        "%x: tensor<3xf32>",
        "tensor<f32>",
        r#"  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce"(%x, %c) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.while(%v = %a) : tensor<f32>
    cond {
      %2 = stablehlo.compare LT, %v, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    } do {
      %2 = stablehlo.add %v, %v : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>"#,
        expect![[r#"
            5:10: unsupported: while in the region of stablehlo.reduce, which is applied to single elements
              help: use operations on scalars in this region: arithmetic, comparisons, select, convert, calls, if
        "#]],
    );
}

#[test]
fn regions_that_do_not_fit() {
    let reduce = |args: &str, ret: &str| {
        format!(
            r#"  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce"(%x, %c) <{{dimensions = array<i64: 0>}}> ({{
  ^bb0({args}):
    stablehlo.return {ret}
  }}) : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>"#
        )
    };
    let bad = |args: &str, ret: &str, want: Expect| {
        refused("%x: tensor<3xf32>", "tensor<f32>", &reduce(args, ret), want);
    };
    bad(
        "%a: tensor<f32>",
        "%a : tensor<f32>",
        expect![[r#"
            3:8: reduce (C6): body is (tensor<f32>) -> (tensor<f32>): it does not combine two scalars of f32
        "#]],
    );
    bad(
        "%a: tensor<f32>, %b: tensor<i32>",
        "%a : tensor<f32>",
        expect![[r#"
            3:8: reduce (C6): body is (tensor<f32>, tensor<i32>) -> (tensor<f32>): it does not combine two scalars of f32
        "#]],
    );
    bad(
        "%a: tensor<3xf32>, %b: tensor<3xf32>",
        "%a : tensor<3xf32>",
        expect![[r#"
            3:8: reduce (C6): body is (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>): it does not combine two scalars of f32
        "#]],
    );
    bad(
        "%a: tensor<f32>, %b: tensor<f32>",
        "%a, %b : tensor<f32>, tensor<f32>",
        expect![[r#"
            3:8: reduce (C6): body is (tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>): it does not combine two scalars of f32
        "#]],
    );
}

/// The comparator's own order; what it does not read follows by the order of the others.
#[test]
fn any_comparator_sorts_by_a_network() {
    let sort = |body: &str| {
        format!(
            "  %0:2 = \"stablehlo.sort\"(%x, %y) <{{dimension = 1 : i64}}> ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
{body}
    stablehlo.return %9 : tensor<i1>
  }}) : (tensor<2x3xf32>, tensor<2x3xi32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
  return %0#1 : tensor<2x3xi32>"
        )
    };
    let names = |body: &str| {
        op_names(&lowered("%x: tensor<2x3xf32>, %y: tensor<2x3xi32>", "tensor<2x3xi32>", &sort(body)))
    };
    let by_size = names(
        "    %8 = stablehlo.abs %a : tensor<f32>
    %7 = stablehlo.abs %b : tensor<f32>
    %9 = stablehlo.compare LT, %8, %7 : (tensor<f32>, tensor<f32>) -> tensor<i1>",
    );
    assert!(!by_size.contains(&"argsort"));
    assert_eq!(by_size.iter().filter(|n| **n == "gather").count(), 1);
    // Three stages, each comparing both ways.
    assert_eq!(by_size.iter().filter(|n| **n == "abs").count(), 12);
    let total =
        names("    %9 = stablehlo.compare GT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>");
    assert_eq!(total, ["argsort", "gather", "gather"]);
}

#[test]
fn tuples_are_taken_apart() {
    becomes(
        "%t: tuple<tensor<f32>, tuple<tensor<2xi32>>>",
        "tuple<tensor<2xi32>, tensor<f32>>",
        r#"  %0 = stablehlo.get_tuple_element %t[0] : (tuple<tensor<f32>, tuple<tensor<2xi32>>>) -> tensor<f32>
  %1 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<f32>, tuple<tensor<2xi32>>>) -> tuple<tensor<2xi32>>
  %2 = stablehlo.get_tuple_element %1[0] : (tuple<tensor<2xi32>>) -> tensor<2xi32>
  %3 = stablehlo.abs %2 : tensor<2xi32>
  %4 = stablehlo.tuple %3, %0 : tuple<tensor<2xi32>, tensor<f32>>
  %5 = "stablehlo.while"(%4) ({
  ^bb0(%p: tuple<tensor<2xi32>, tensor<f32>>):
    %6 = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %6 : tensor<i1>
  }, {
  ^bb0(%p: tuple<tensor<2xi32>, tensor<f32>>):
    stablehlo.return %p : tuple<tensor<2xi32>, tensor<f32>>
  }) : (tuple<tensor<2xi32>, tensor<f32>>) -> tuple<tensor<2xi32>, tensor<f32>>
  return %5 : tuple<tensor<2xi32>, tensor<f32>>"#,
        expect![[r#"
            program @main(%0: f32[] "t.0", %1: i32[2] "t.1.0") {
              %2: i32[2] = abs %1
              %3: i32[2], %4: f32[] = while %2, %0 (program @cond(%0: i32[2], %1: f32[]) {
                %2: bool[] = constant false
                return %2
              }, program @body(%0: i32[2], %1: f32[]) {
                return %0, %1
              })
              return %3, %4
            }
        "#]],
    );
}

#[test]
fn tuples_that_do_not_fit() {
    let bad = |body: &str, want: Expect| {
        refused("%t: tuple<tensor<f32>, tensor<i32>>, %x: tensor<f32>", "tensor<f32>", body, want);
    };
    bad(
        "  %0 = stablehlo.get_tuple_element %t[2] : (tuple<tensor<f32>, tensor<i32>>) -> tensor<f32>
  return %0 : tensor<f32>",
        expect![[r#"
            2:8: get_tuple_element (C1): the index is not one of the 2 element(s) of %t
        "#]],
    );
    bad(
        "  %0 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<f32>, tensor<i32>>) -> tensor<f32>
  return %0 : tensor<f32>",
        expect![[r#"
            2:8: get_tuple_element (C2): gives tensor<i32>, but is declared as tensor<f32>
        "#]],
    );
    bad(
        "  %0 = stablehlo.get_tuple_element %x[0] : (tuple<tensor<f32>>) -> tensor<f32>
  return %0 : tensor<f32>",
        expect![[r#"
            2:8: stablehlo.get_tuple_element: %x is no tuple
        "#]],
    );
    bad(
        "  %0 = stablehlo.tuple %x, %x : tuple<tensor<f32>, tensor<i32>>
  return %x : tensor<f32>",
        expect![[r#"
            2:8: tuple (C1): gives tensor<f32>, but is declared as tensor<i32>
        "#]],
    );
    bad(
        "  %0 = stablehlo.abs %t : tensor<f32>\n  return %0 : tensor<f32>",
        expect![[r#"
        2:22: %t is tensor<i32>, but stablehlo.abs takes it as tensor<f32>
    "#]],
    );
}

#[test]
fn tokens_are_empty_tensors() {
    becomes(
        "%t: !stablehlo.token",
        "!stablehlo.token",
        r#"  %0 = stablehlo.create_token : !stablehlo.token
  %1 = stablehlo.after_all %t, %0 : !stablehlo.token
  %2 = "stablehlo.after_all"() : () -> !stablehlo.token
  return %1 : !stablehlo.token"#,
        expect![[r#"
            program @main(%0: bool[0] "t") {
              %1: bool[0] = constant []
              return %1
            }
        "#]],
    );
}

/// A warning says that the numbers are the same every time.
#[test]
fn random_numbers_come_of_a_fixed_state() {
    let body = r#"  %s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %0 = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
  %1 = stablehlo.rng %a, %b, %s, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
  %2 = stablehlo.add %0, %1 : tensor<2x3xf32>
  return %2 : tensor<2x3xf32>"#;
    let module = import_ok(&main_of("%a: tensor<f32>, %b: tensor<f32>", "tensor<2x3xf32>", body));
    expect![[r#"
        3:8: warning: stablehlo.rng gives the same numbers every time, those of a fixed state; for other ones, pass random numbers or the state of stablehlo.rng_bit_generator as an argument (as jax.random does)
    "#]].assert_eq(&show(&module.notes));
    let program = module.function("main").unwrap();
    let states = crate::literals(program);
    let states: Vec<_> = states.iter().filter(|l| l.ty().to_string() == "u64[2]").collect();
    assert_eq!(states.len(), 2);
    assert_ne!(states[0], states[1]);
}

/// A large tuple named often.
#[test]
fn tuples_are_bounded() {
    let ty = format!("tuple<{}>", ["tensor<f32>"; 3000].join(", "));
    let uses = ["%t"; 3000].join(", ");
    let text = main_of(
        &format!("%t: {ty}"),
        "tensor<f32>",
        &format!("  %0 = \"stablehlo.add\"({uses}) : () -> tensor<f32>\n  return %0 : tensor<f32>"),
    );
    let diags = import(&text).unwrap_err();
    assert!(show(&diags).contains("tuples that come to more than"));
}
