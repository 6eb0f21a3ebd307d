//! Sorting, windows, bits, loops and choices, as JAX writes them.

use crate::{import_ok, main_of, op_names, show, text_of};
use expect_test::{Expect, expect};
use pullback_ir::pass::{find, run_pass};
use pullback_ir::text::canonical_math;
use pullback_ir::{Op, Program};
use pullback_stablehlo::{import, print};

/// Without what nothing reads: a sort brings its sorted keys along.
fn essence(program: &Program) -> String {
    program.verify().expect("what is imported is valid");
    let simplify = find("simplify").expect("a pass");
    canonical_math(&run_pass(simplify, program).expect("a valid result"))
}

#[test]
fn printing_and_reading_gives_the_same() {
    let module = import_ok(text_of("language"));
    let printed = print(&module.functions().iter().collect::<Vec<_>>());
    let again = import_ok(&printed);
    for f in module.functions() {
        assert_eq!(essence(f), essence(again.function(f.name()).unwrap()));
        assert_eq!(pullback_ir::text::parse(&f.to_string()).as_ref(), Ok(f));
    }
}

/// Constants come where they are read first, and what a loop reads twice is captured once: another order.
#[test]
fn what_was_lowered_prints_as_the_same_operations() {
    let module = import_ok(text_of("lowered"));
    let again = import_ok(&print(&module.functions().iter().collect::<Vec<_>>()));
    for f in module.functions() {
        let sorted = |f: &Program| {
            let mut names = op_names(f);
            names.retain(|n| *n != "constant");
            names.sort_unstable();
            names
        };
        assert_eq!(sorted(f), sorted(again.function(f.name()).unwrap()));
        assert_eq!(pullback_ir::text::parse(&f.to_string()).as_ref(), Ok(f));
    }
}

fn names(function: &str) -> Vec<&'static str> {
    op_names(import_ok(text_of("language")).function(function).expect("a listed function"))
}

#[test]
fn sorts_are_orders_and_gathers() {
    assert_eq!(names("best"), ["argsort", "slice", "gather"]);
    let count = |name| names("sorts").iter().filter(|n| **n == name).count();
    assert_eq!((count("argsort"), count("gather")), (3, 4));
    let module = import_ok(text_of("language"));
    let f = module.function("sorts").unwrap();
    let orders: Vec<(usize, usize, bool)> = (f.instrs().values())
        .filter_map(|i| match i.op() {
            Op::Argsort { dim, total_order, .. } => Some((*dim, i.operands().len(), *total_order)),
            _ => None,
        })
        .collect();
    assert_eq!(orders, [(0, 1, false), (1, 2, false), (1, 1, false)]);
}

#[test]
fn pooling_starts_from_its_identity_or_is_combined() {
    let found = names("windows");
    assert_eq!(found.iter().filter(|n| **n == "reduce_window").count(), 4);
    // Only the last one starts from another value.
    assert_eq!(found.iter().filter(|n| **n == "add").count(), 1);
}

fn check(args: &str, result: &str, body: &str, want: Expect) {
    match import(&main_of(args, result, body)) {
        Ok(_) => panic!("this should be refused:\n{body}"),
        Err(diags) => want.assert_eq(&show(&diags)),
    }
}

/// What a region reads from outside is captured, constants are made inside.
#[test]
fn regions_are_closed() {
    let module = import_ok(&main_of(
        "%p: tensor<i1>, %x: tensor<2xf32>, %y: tensor<2xf32>",
        "tensor<2xf32>",
        r#"  %c = stablehlo.constant dense<2.0> : tensor<2xf32>
  %0 = "stablehlo.if"(%p) ({
    %1 = stablehlo.multiply %x, %c : tensor<2xf32>
    stablehlo.return %1 : tensor<2xf32>
  }, {
    %1 = "stablehlo.case"(%i) ({
      %2 = stablehlo.add %y, %x : tensor<2xf32>
      stablehlo.return %2 : tensor<2xf32>
    }) : (tensor<i32>) -> tensor<2xf32>
    stablehlo.return %1 : tensor<2xf32>
  }) : (tensor<i1>) -> tensor<2xf32>
  return %0 : tensor<2xf32>"#
            .replace("%i)", "%n)")
            .replace("  %0 =", "  %n = stablehlo.constant dense<0> : tensor<i32>\n  %0 =")
            .as_str(),
    ));
    expect![[r#"
        program @main(%0: bool[] "p", %1: f32[2] "x", %2: f32[2] "y") {
          %3: i32[] = constant 0
          %4: i32[] = constant 1
          %5: i32[] = select %0, %3, %4
          %6: f32[2] = case %5, %1, %2 (program @branch0(%0: f32[2], %1: f32[2]) {
            %2: f32[2] = constant 2.0
            %3: f32[2] = multiply %0, %2
            return %3
          }, program @branch1(%0: f32[2], %1: f32[2]) {
            %2: i32[] = constant 0
            %3: f32[2] = case %2, %0, %1 (program @branch0(%0: f32[2], %1: f32[2]) {
              %2: f32[2] = add %1, %0
              return %2
            })
            return %3
          })
          return %6
        }
    "#]]
    .assert_eq(&canonical_math(module.function("main").unwrap()));
}

/// JAX writes a choice whose branches only pass operands on as one without results.
#[test]
fn a_choice_that_gives_nothing_is_nothing() {
    let module = import_ok(&main_of(
        "%i: tensor<i32>, %x: tensor<2xf32>",
        "tensor<2xf32>",
        r#"  "stablehlo.case"(%i) ({
    %1 = stablehlo.negate %x : tensor<2xf32>
    stablehlo.return
  }, {
    stablehlo.return
  }) : (tensor<i32>) -> ()
  return %x : tensor<2xf32>"#,
    ));
    expect![[r#"
        program @main(%0: i32[] "i", %1: f32[2] "x") {
          return %1
        }
    "#]]
    .assert_eq(&canonical_math(module.function("main").unwrap()));
}

#[test]
fn what_older_exports_hold() {
    let module = import_ok(&main_of(
        "%x: tensor<2xf32>",
        "tensor<2xf32>",
        r#"  %0 = "stablehlo.cross-replica-sum"(%x) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>"#,
    ));
    expect![[r#"
        program @main(%0: f32[2] "x") {
          %1: f32[2] = all_reduce %0 {replica_groups = [[0, 1]], across = cross_replica, monoid = add}
          return %1
        }
    "#]]
    .assert_eq(&canonical_math(module.function("main").unwrap()));
    check(
        "%x: tensor<2xf32>",
        "tensor<2xf32>",
        r#"  %0 = stablehlo.custom_call @SPMDFullToShardShape(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>"#,
        expect![[r#"
            2:8: unsupported: stablehlo.custom_call @SPMDFullToShardShape
              help: export jax.shard_map with Shardy (jax_use_shardy_partitioner, which is JAX's default), whose sdy.manual_computation is read
        "#]],
    );
    check(
        "%x: tensor<-3xf32>",
        "tensor<2xf32>",
        "  return %x : tensor<2xf32>",
        expect![[r#"
        1:35: a dimension is not negative: a size from 0 on, or '?'
    "#]],
    );
    check(
        "%n: tensor<i32>, %x: tensor<2xi32>",
        "tensor<2xi32>",
        r#"  %0 = "stablehlo.compute_reshape_shape"(%n, %x) : (tensor<i32>, tensor<2xi32>) -> tensor<2xi32>
  return %0 : tensor<2xi32>"#,
        expect![[r#"
            2:8: unsupported: stablehlo.compute_reshape_shape
              help: give reshape sizes that are known, or those of jax.export's symbols
        "#]],
    );
}

/// One type written is that of the result.
#[test]
fn complex_takes_the_parts_of_what_it_is_written_with() {
    let module = import_ok(&main_of(
        "%re: tensor<2xf64>, %im: tensor<2xf64>",
        "tensor<2xcomplex<f64>>",
        "  %0 = stablehlo.complex %re, %im : tensor<2xcomplex<f64>>\n  return %0 : tensor<2xcomplex<f64>>",
    ));
    expect![[r#"
        program @main(%0: f64[2] "re", %1: f64[2] "im") {
          %2: c128[2] = complex %0, %1
          return %2
        }
    "#]]
    .assert_eq(&canonical_math(module.function("main").unwrap()));
    check(
        "%re: tensor<2xf32>, %im: tensor<2xf32>",
        "tensor<2xcomplex<f64>>",
        "  %0 = stablehlo.complex %re, %im : tensor<2xcomplex<f64>>\n  return %0 : tensor<2xcomplex<f64>>",
        expect![[r#"
            2:8: complex (C3): gives tensor<2xcomplex<f32>>, but is declared as tensor<2xcomplex<f64>>
        "#]],
    );
}

#[test]
fn loops_that_do_not_fit() {
    let looped = |cond: &str, body: &str| {
        format!(
            "  %0 = stablehlo.while(%v = %x) : tensor<f32>
  cond {{
    {cond}
  }} do {{
    {body}
  }}
  return %0 : tensor<f32>"
        )
    };
    let refused = |cond: &str, body: &str, want: Expect| {
        check("%x: tensor<f32>, %p: tensor<i1>", "tensor<f32>", &looped(cond, body), want);
    };
    let (cond, body) = ("stablehlo.return %p : tensor<i1>", "stablehlo.return %v : tensor<f32>");
    import_ok(&main_of("%x: tensor<f32>, %p: tensor<i1>", "tensor<f32>", &looped(cond, body)));
    refused(
        body,
        body,
        expect![[r#"
            2:8: while (C1): cond is (tensor<f32>) -> (tensor<f32>) where (tensor<f32>) is carried
        "#]],
    );
    refused(
        cond,
        cond,
        expect![[r#"
            2:8: while (C2): carried value 0 is f32[], body gives bool[]
        "#]],
    );
    refused(
        cond,
        "%1 = stablehlo.tanh %v : tensor<f32>",
        expect![[r#"
        2:8: stablehlo.while: body does not end with a return
    "#]],
    );
    refused(
        cond,
        "stablehlo.return %v, %v : tensor<f32>, tensor<f32>",
        expect![[r#"
            2:8: while (C2): body is (tensor<f32>) -> (tensor<f32>, tensor<f32>) where (tensor<f32>) is carried
        "#]],
    );
    refused(
        "%1 = stablehlo.fft %v : tensor<f32>\n    stablehlo.return %p : tensor<i1>",
        body,
        expect![[r#"
            4:10: stablehlo.fft lacks its attribute fft_length
        "#]],
    );
    check(
        "%x: tensor<f32>",
        "tensor<f32>",
        "  %0 = stablehlo.while(%v = %x) : tensor<f32>, tensor<f32> cond { } do { }",
        expect![[r#"
            2:8: stablehlo.while has 1 value(s) but 2 type(s)
        "#]],
    );
}

#[test]
fn windows_that_do_not_fit() {
    let window = |attrs: &str, body: &str| {
        format!(
            "  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = \"stablehlo.reduce_window\"(%x, %c) <{{{attrs}}}> ({{
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = {body} : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }}) : (tensor<4xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>"
        )
    };
    let refused = |attrs: &str, body: &str, want: Expect| {
        check("%x: tensor<4xf32>", "tensor<2xf32>", &window(attrs, body), want);
    };
    let add = "stablehlo.add %a, %b";
    refused(
        "window_dimensions = array<i64: 3, 1>",
        add,
        expect![[r#"
            3:8: reduce_window (C4): window_dimensions: 2 entries for the 1 dimensions of f32[4]
        "#]],
    );
    refused(
        "window_dimensions = array<i64: 4>",
        add,
        expect![[r#"
            3:8: reduce_window (C15): gives tensor<1xf32>, but is declared as tensor<2xf32>
        "#]],
    );
    refused(
        "window_dimensions = array<i64: -3>",
        add,
        expect![[r#"
            3:8: reduce_window (C5): window_dimensions holds -3, which may not be negative
        "#]],
    );
}

/// As deep as the parser allows.
#[test]
fn deep_regions_are_lowered() {
    let nested = |depth: usize| {
        let open = "  %0 = \"stablehlo.case\"(%i) ({\n".repeat(depth);
        let close =
            "  stablehlo.return %0 : tensor<f32>\n  }) : (tensor<i32>) -> tensor<f32>\n".repeat(depth);
        let body = format!("{open}  %0 = stablehlo.tanh %x : tensor<f32>\n{close}  return %0 : tensor<f32>");
        main_of("%x: tensor<f32>, %i: tensor<i32>", "tensor<f32>", &body)
    };
    let module = import_ok(&nested(150));
    assert_eq!(op_names(module.function("main").unwrap()), ["case"]);
    assert!(show(&import(&nested(300)).unwrap_err()).contains("nested deeper than 200 levels"));
}
