//! Composites are kept, with the rules that names say; what is printed is read back.

use crate::{import_ok, main_program, op_names, show};
use pullback_ir::{Op, Program, Rule};
use pullback_stablehlo::{import, print};

/// A rule as the Python helper writes it: results, forward's results, residuals, cotangents. The functions close over
/// the constant %k, the residual is the argument itself.
const VJP: &str = r#"
module {
  func.func public @main(%x: tensor<3xf32>, %n: tensor<i32>) -> tensor<3xf32> {
    %k = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
    %z = stablehlo.constant dense<0.0> : tensor<3xf32>
    %0:5 = stablehlo.composite "pullback.custom_vjp" %k, %x, %n, %z {composite_attributes = {arguments = 2 : i64, constants = 1 : i64, name = "ste", residuals = 1 : i64, results = 1 : i64, note = "kept"}, decomposition = @d} : (tensor<3xf32>, tensor<3xf32>, tensor<i32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
    %1 = stablehlo.add %0#0, %0#0 : tensor<3xf32>
    return %1 : tensor<3xf32>
  }
  func.func private @d(%k: tensor<3xf32>, %x: tensor<3xf32>, %n: tensor<i32>, %ct: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
    %0 = stablehlo.round_nearest_even %x : tensor<3xf32>
    %1 = stablehlo.multiply %0, %k : tensor<3xf32>
    %2 = stablehlo.floor %x : tensor<3xf32>
    %3 = stablehlo.multiply %ct, %x : tensor<3xf32>
    %4 = stablehlo.multiply %3, %k : tensor<3xf32>
    return %1, %2, %x, %4 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  }
}
"#;

fn composites(p: &Program) -> Vec<&pullback_ir::Composite> {
    p.instrs()
        .values()
        .filter_map(|i| if let Op::Composite(c) = i.op() { Some(&**c) } else { None })
        .collect()
}

#[test]
fn a_reverse_rule_is_found_by_what_depends_on_what() {
    let text = VJP.replace("%0:5", "%0:4");
    let p = main_program(&text);
    assert_eq!(op_names(&p), ["constant", "composite", "add"]);
    let c = composites(&p)[0];
    assert_eq!(
        (c.name.as_str(), c.attributes.as_str(), c.rule.name()),
        ("ste", "note = \"kept\"", "custom_vjp")
    );
    assert_eq!(op_names(&c.body), ["round_nearest_even", "multiply"]);
    let Rule::CustomVjp { forward, backward } = &c.rule else { panic!("{p}") };
    assert_eq!(op_names(forward), ["floor"]);
    // The constant is kept for the backward rule, whose cotangent of it is zero.
    assert_eq!((forward.results().len(), backward.args().len(), backward.results().len()), (3, 3, 2));
    assert_eq!(op_names(backward), ["constant", "multiply", "multiply"]);
}

#[test]
fn what_is_printed_is_read_back() {
    let forward = r#"
module {
  func.func public @main(%x: tensor<2x3xf32>, %n: tensor<i32>) -> (tensor<2x3xf32>, tensor<i32>) {
    %0 = stablehlo.composite "my.norm" %x {composite_attributes = {axis = 1 : i64, eps = 1.0e-6 : f64, flag = true, names = ["a", "b"], sizes = array<i64: 1, 2>}, decomposition = @f, version = 3 : i32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %1 = stablehlo.composite "pullback.stop_gradient" %0 {decomposition = @id} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %2:2 = stablehlo.composite "pullback.remat" %1, %n {composite_attributes = {name = "block"}, decomposition = @g} : (tensor<2x3xf32>, tensor<i32>) -> (tensor<2x3xf32>, tensor<i32>)
    %z = stablehlo.constant dense<0.0> : tensor<2x3xf32>
    %3:3 = stablehlo.composite "pullback.custom_jvp" %2#0, %z {composite_attributes = {arguments = 1 : i64, results = 1 : i64}, decomposition = @h} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
    return %3#0, %2#1 : tensor<2x3xf32>, tensor<i32>
  }
  func.func private @f(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = stablehlo.composite "my.inner" %x {decomposition = @id} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %1 = stablehlo.tanh %0 : tensor<2x3xf32>
    return %1 : tensor<2x3xf32>
  }
  func.func private @id(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    return %x : tensor<2x3xf32>
  }
  func.func private @g(%x: tensor<2x3xf32>, %n: tensor<i32>) -> (tensor<2x3xf32>, tensor<i32>) {
    %0 = stablehlo.sine %x : tensor<2x3xf32>
    return %0, %n : tensor<2x3xf32>, tensor<i32>
  }
  func.func private @h(%x: tensor<2x3xf32>, %t: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
    %0 = stablehlo.abs %x : tensor<2x3xf32>
    %1 = stablehlo.sign %x : tensor<2x3xf32>
    %2 = stablehlo.multiply %1, %t : tensor<2x3xf32>
    return %0, %0, %2 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
  }
}
"#;
    for text in [forward, &VJP.replace("%0:5", "%0:4")] {
        let p = main_program(text);
        let printed = print(&[&p]);
        let again = main_program(&printed);
        // Constants are made where they are first read, so an order may settle once.
        let settled = main_program(&print(&[&again]));
        assert_eq!(again.to_string(), settled.to_string(), "{printed}");
        assert_eq!(again, settled);
    }
    let p = main_program(forward);
    assert_eq!(p, main_program(&print(&[&p])));
    assert_eq!(
        composites(&p)[0].attributes,
        "axis = 1 : i64, eps = 1.0E-6 : f64, flag = true, names = [\"a\", \"b\"], sizes = array<i64: 1, 2>"
    );
    assert_eq!(composites(&composites(&p)[0].body)[0].name, "my.inner");
}

#[test]
fn broken_marks_are_refused_with_their_place() {
    let refused = |from: &str, to: &str, what: &str| {
        let text = VJP.replace("%0:5", "%0:4").replacen(from, to, 1);
        let diags = import(&text).unwrap_err();
        assert!(show(&diags).contains(what), "{}", show(&diags));
        assert!(diags.iter().all(|d| d.to_string().starts_with("6:")), "{}", show(&diags));
    };
    refused("residuals = 1", "residuals = 9", "takes 4 and gives 4 value(s), which are not");
    refused("arguments = 2 : i64, ", "", "needs the attribute arguments");
    refused("arguments = 2", "arguments = -2", "arguments = -2 is not a count");
    refused("residuals = 1", "residuals = 0", "backward rule reads operand 1, which it does not get");
    refused("arguments = 2", "arguments = 1", "backward rule");
}

#[test]
fn a_mark_of_a_polymorphic_function_is_kept() {
    let text = r#"
module {
  func.func public @main(%x: tensor<?xf32>) -> tensor<?xf32> {
    %0 = stablehlo.composite "pullback.stop_gradient" %x {decomposition = @id} : (tensor<?xf32>) -> tensor<?xf32>
    return %0 : tensor<?xf32>
  }
  func.func private @id(%x: tensor<?xf32>) -> tensor<?xf32> {
    return %x : tensor<?xf32>
  }
}
"#;
    let options = pullback_stablehlo::ImportOptions {
        shapes: [("x".to_owned(), vec![5])].into_iter().collect(),
        ..Default::default()
    };
    let module = pullback_stablehlo::import_with(text, &options).unwrap_or_else(|e| panic!("{}", show(&e)));
    let p = module.function("main").unwrap();
    assert_eq!(composites(p)[0].rule, Rule::StopGradient);
    assert_eq!(p.ty(p.results()[0]).shape(), [5]);
}

#[test]
fn unknown_composites_are_noted() {
    let module = import_ok(
        r#"
module {
  func.func public @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.composite "my.gelu" %x {decomposition = @g} : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func private @g(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.tanh %x : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
"#,
    );
    let notes: Vec<String> = module.notes.iter().map(ToString::to_string).collect();
    assert_eq!(
        notes,
        ["4:10: note: composite \"my.gelu\" is kept; where it is differentiated, its decomposition @g is"]
    );
}
