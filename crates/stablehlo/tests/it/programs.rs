//! Whole programs: import, print, and what the forms mean.

use crate::{PROGRAMS, import_ok, literals, main_of, main_program, op_names, text_of};
use expect_test::expect;
use pullback_base::Severity;
use pullback_ir::{DType, Literal, Op, Program, TensorType};
use pullback_stablehlo::{census, import, print};

fn refs(functions: &[Program]) -> Vec<&Program> {
    functions.iter().collect()
}

#[test]
fn printing_and_importing_gives_the_same_programs() {
    // A sort prints as more than it was; its own test looks at what it means.
    for (name, text) in PROGRAMS.into_iter().filter(|(name, _)| !["language", "lowered"].contains(name)) {
        let module = import_ok(text);
        for f in module.functions() {
            f.verify().unwrap_or_else(|e| panic!("{name} @{}: {e}", f.name()));
        }
        let printed = print(&refs(module.functions()));
        let again = import_ok(&printed);
        let text = |m: &pullback_stablehlo::Module| -> String {
            m.functions().iter().map(ToString::to_string).collect()
        };
        assert_eq!(text(&module), text(&again), "{name}");
        assert_eq!(module.functions(), again.functions(), "{name}");
        assert_eq!(printed, print(&refs(again.functions())), "{name}");
    }
}

#[test]
fn the_census_counts_what_the_text_holds() {
    for (name, total) in [("mlp", 70), ("residual_gate", 87), ("charlm", 360), ("vit", 324), ("mixer", 174)] {
        let census = census(text_of(name)).unwrap();
        assert_eq!(census.total(), total, "{name}");
        assert_eq!(census.unsupported().count(), 0, "{name}");
        assert_eq!(census.public_functions, ["main"]);
    }
}

#[test]
fn generic_and_pretty_forms_are_one_program() {
    let (pretty, generic) = (import_ok(text_of("ops")), import_ok(text_of("ops_generic")));
    assert_eq!(generic.name, "ops");
    assert_eq!(pretty.functions().len(), generic.functions().len());
    for (p, g) in pretty.functions().iter().zip(generic.functions()) {
        assert_eq!(p.name(), g.name());
        let ops = |f: &Program| -> Vec<Op> { f.instrs().values().map(|i| i.op().clone()).collect() };
        assert_eq!(ops(p), ops(g), "@{}", p.name());
        let operands =
            |f: &Program| -> Vec<_> { f.instrs().values().flat_map(|i| i.operands().to_vec()).collect() };
        assert_eq!(operands(p), operands(g), "@{}", p.name());
        assert_eq!(p.results(), g.results());
    }
}

#[test]
fn locations_do_not_change_the_program() {
    let (plain, located) = (import_ok(text_of("mlp")), import_ok(text_of("mlp_located")));
    let (p, l) = (plain.function("main").unwrap(), located.function("main").unwrap());
    let sorted = |f: &Program| {
        let mut names = op_names(f);
        names.sort_unstable();
        names
    };
    assert_eq!(sorted(p), sorted(l));
    assert_eq!(l.value_name(l.args()[0]), Some("l1.b"));
    assert_eq!(l.value_name(l.args()[6]), Some("x"));
    assert_eq!(p.value_name(p.args()[0]), Some("arg0"));
}

#[test]
fn the_printed_form() {
    let text = main_of(
        "%arg0: tensor<2x3xf32> loc(\"params['w']\"), %arg1: tensor<3xi32>",
        "(tensor<2xf32> {jax.result_info = \"loss\"}, tensor<3xi32>)",
        "  %ninf = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%arg0 init: %ninf) applies stablehlo.maximum across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32> loc(\"rows\"(\"a.py\":1:2))
  %third = stablehlo.constant dense<0.333333343> : tensor<2xf32>
  %1 = chlo.square %0 : tensor<2xf32> -> tensor<2xf32>
  %2 = stablehlo.multiply %1, %third : tensor<2xf32>
  return %2, %arg1 : tensor<2xf32>, tensor<3xi32>",
    );
    let module = import_ok(&text);
    expect![[r#"
        module @pullback {
          func.func public @main(%arg0: tensor<2x3xf32> loc("w"), %arg1: tensor<3xi32> loc("arg1")) -> (tensor<2xf32> {jax.result_info = "loss"}, tensor<3xi32>) {
            %init0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
            %0 = stablehlo.reduce(%arg0 init: %init0) applies stablehlo.maximum across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32> loc("rows")
            %1 = chlo.square %0 : tensor<2xf32> -> tensor<2xf32> loc("1")
            %2 = stablehlo.constant dense<3.3333334e-1> : tensor<2xf32> loc("third")
            %3 = stablehlo.multiply %1, %2 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> loc("2")
            return %3, %arg1 : tensor<2xf32>, tensor<3xi32>
          }
        }
    "#]]
    .assert_eq(&print(&refs(module.functions())));
}

/// Operations of a reduction of f32[2,3] over both dimensions with this initial value and reducer.
fn reduction(init: &str, op: &str) -> Vec<&'static str> {
    let body = format!(
        "  %c = stablehlo.constant dense<{init}> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.{op} across dimensions = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>"
    );
    op_names(&main_program(&main_of("%x: tensor<2x3xf32>", "tensor<f32>", &body)))
}

#[test]
fn an_identity_as_initial_value_leaves_nothing_behind() {
    for (init, op) in [
        ("0.0", "add"),
        ("-0.0", "add"),
        ("1.0", "multiply"),
        ("0xFF800000", "maximum"),
        ("0x7F800000", "minimum"),
    ] {
        assert_eq!(reduction(init, op), ["reduce"], "{op} from {init}");
    }
    for (init, op) in [("1.0", "add"), ("0.0", "multiply"), ("-3.0e38", "maximum"), ("0x7FC00000", "add")] {
        assert_eq!(reduction(init, op), ["reduce", "constant", op], "{op} from {init}");
    }
}

#[test]
fn another_initial_value_is_broadcast_and_combined() {
    let module = import_ok(&main_of(
        "%x: tensor<2x3xf32>, %s: tensor<f32>",
        "tensor<2xf32>",
        "  %0 = stablehlo.reduce(%x init: %s) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>",
    ));
    assert_eq!(op_names(module.function("main").unwrap()), ["reduce", "broadcast_in_dim", "add"]);
}

#[test]
fn booleans_are_added_with_or() {
    let module = import_ok(&main_of(
        "%x: tensor<3xi1>",
        "tensor<i1>",
        "  %f = stablehlo.constant dense<false> : tensor<i1>
  %0 = stablehlo.reduce(%x init: %f) applies stablehlo.add across dimensions = [0] : (tensor<3xi1>, tensor<i1>) -> tensor<i1>
  return %0 : tensor<i1>",
    ));
    let main = module.function("main").unwrap();
    let ops: Vec<&Op> = main.instrs().values().map(|i| i.op()).collect();
    assert_eq!(ops, [&Op::Reduce { dims: vec![0], monoid: pullback_ir::Monoid::Or }]);
}

#[test]
fn constants_keep_their_bits() {
    let f32s =
        |values: &[f64]| Literal::from_f64s(TensorType::new(DType::F32, [values.len()]), values).unwrap();
    let bytes = |d, n: usize, b: &[u8]| Literal::dense(TensorType::new(d, [n]), b).unwrap();
    let splat = |d, n: usize, b: &[u8]| Literal::splat(TensorType::new(d, [n]), b).unwrap();
    for (elements, ty, want) in [
        ("[1.0, -2.5]", "tensor<2xf32>", f32s(&[1.0, -2.5])),
        ("\"0x0000803F000020C0\"", "tensor<2xf32>", f32s(&[1.0, -2.5])),
        ("\"0x0000803F\"", "tensor<3xf32>", f32s(&[1.0; 3])),
        ("0x7FC00001", "tensor<2xf32>", splat(DType::F32, 2, &[1, 0, 0xc0, 0x7f])),
        ("0x8000", "tensor<2xbf16>", splat(DType::BF16, 2, &[0, 0x80])),
        ("[0xFC00, 1.0]", "tensor<2xf16>", bytes(DType::F16, 2, &[0, 0xfc, 0, 0x3c])),
        ("0x38", "tensor<1xf8E4M3FN>", splat(DType::F8E4M3FN, 1, &[0x38])),
        ("[1.0, -2.0]", "tensor<2xf8E5M2>", bytes(DType::F8E5M2, 2, &[0x3c, 0xc0])),
        ("0xFF", "tensor<2xi8>", splat(DType::I8, 2, &[0xff])),
        ("[-128, 127]", "tensor<2xi8>", bytes(DType::I8, 2, &[0x80, 0x7f])),
        ("[255, 0]", "tensor<2xui8>", bytes(DType::U8, 2, &[255, 0])),
        ("18446744073709551615", "tensor<1xui64>", splat(DType::U64, 1, &[0xff; 8])),
        ("\"0x0F01\"", "tensor<2xi4>", bytes(DType::I4, 2, &[0xff, 1])),
        ("[true, false]", "tensor<2xi1>", bytes(DType::Bool, 2, &[1, 0])),
        ("\"0x0100\"", "tensor<2xi1>", bytes(DType::Bool, 2, &[1, 0])),
        ("", "tensor<0xf32>", bytes(DType::F32, 0, &[])),
        ("[]", "tensor<0xf32>", bytes(DType::F32, 0, &[])),
    ] {
        let body = format!("  %0 = stablehlo.constant dense<{elements}> : {ty}\n  return %0 : {ty}");
        let module = import_ok(&main_of("", ty, &body));
        assert_eq!(literals(module.function("main").unwrap()), [want], "dense<{elements}> : {ty}");
    }
}

#[test]
fn unread_constants_vanish_and_read_ones_are_shared() {
    let module = import_ok(&main_of(
        "%x: tensor<f32>",
        "tensor<f32>",
        "  %unread = stablehlo.constant dense<7.0> : tensor<f32>
  %c = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = stablehlo.add %x, %c : tensor<f32>
  %1 = stablehlo.multiply %0, %c : tensor<f32>
  return %1 : tensor<f32>",
    ));
    assert_eq!(op_names(module.function("main").unwrap()), ["constant", "add", "multiply"]);
}

#[test]
fn a_contraction_into_a_wider_type_converts_first() {
    let module = import_ok(&main_of(
        "%a: tensor<3x4xbf16>",
        "tensor<3x3xf32>",
        "  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [1] : (tensor<3x4xbf16>, tensor<3x4xbf16>) -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>",
    ));
    assert_eq!(op_names(module.function("main").unwrap()), ["convert", "convert", "dot_general"]);
}

#[test]
fn several_public_functions_are_several_programs() {
    let module = import_ok(text_of("ops"));
    let names: Vec<&str> = module.functions().iter().map(|f| f.name()).collect();
    expect![[r#"["elementwise", "shapes", "contractions", "reductions", "indexed", "constants", "calls"]"#]]
        .assert_eq(&format!("{names:?}"));
    // @double is inlined twice: once through @pair, once as a decomposition.
    assert_eq!(op_names(module.function("calls").unwrap()), ["add", "composite"]);
    assert!(module.function("double").is_none());
    let notes: Vec<Severity> = module.notes.iter().map(|n| n.severity).collect();
    assert_eq!(notes, [Severity::Note, Severity::Warning]);
}

#[test]
fn sharding_annotations_are_noted_and_left_out() {
    let text = r#"module @m {
  sdy.mesh @mesh = <["data"=8]> {stablehlo.mesh = {axes = [{name = "data", size = 8 : i64}]}}
  func.func public @main(%arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}]>}) -> tensor<8xf32> {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{"data"}]> : tensor<8xf32>
    %1 = stablehlo.add %0, %arg0 : tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}"#;
    let module = import_ok(text);
    assert_eq!(op_names(module.function("main").unwrap()), ["add"]);
    expect![[r#"
        2:3: warning: sdy.mesh is kept, not used: the strategy says how a program is distributed
        3:48: warning: sdy.sharding is kept, not used: the strategy says how a program is distributed
        4:10: warning: sdy.sharding_constraint is imported as its operands: it changes no value
    "#]]
    .assert_eq(&crate::show(&module.notes));
}

#[test]
fn calls_may_double_until_the_bound() {
    let chain = |depth: usize| {
        let mut text = main_of(
            "%x: tensor<f32>",
            "tensor<f32>",
            "  %0 = call @f0(%x) : (tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>",
        );
        for i in 0..depth {
            let next = format!("call @f{}", i + 1);
            text += &format!(
                "func.func private @f{i}(%x: tensor<f32>) -> tensor<f32> {{
  %0 = {next}(%x) : (tensor<f32>) -> tensor<f32>
  %1 = {next}(%0) : (tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>\n}}\n"
            );
        }
        text + &format!(
            "func.func private @f{depth}(%x: tensor<f32>) -> tensor<f32> {{
  %0 = stablehlo.tanh %x : tensor<f32>
  return %0 : tensor<f32>\n}}\n"
        )
    };
    assert_eq!(import_ok(&chain(6)).function("main").unwrap().instrs().len(), 64);
    let refused = import(&chain(60)).unwrap_err();
    assert!(
        crate::show(&refused).contains("operations once everything is written out"),
        "{}",
        crate::show(&refused)
    );
    // A deep chain of single calls is no recursion of ours.
    let mut deep = String::new();
    for i in 0..20_000 {
        let next =
            format!("  %0 = call @g{}(%x) : (tensor<f32>) -> tensor<f32>\n  return %0 : tensor<f32>", i + 1);
        let body = if i == 19_999 { "  return %x : tensor<f32>".to_owned() } else { next };
        let visibility = if i == 0 { "public" } else { "private" };
        deep += &format!("func.func {visibility} @g{i}(%x: tensor<f32>) -> tensor<f32> {{\n{body}\n}}\n");
    }
    assert_eq!(import_ok(&deep).function("g0").unwrap().instrs().len(), 0);
}
