//! Functions of JAX that are known by name and body: what becomes a composite, what does not, and how it is printed.

use crate::{import_ok, main_program, op_names, show};
use pullback_ir::{Op, Program, Rule};
use pullback_stablehlo::{ImportOptions, import_with, print};

/// A module whose function of the name is called on 2x3 of the type.
fn module(name: &str, ty: &str, body: &str) -> String {
    format!(
        "module {{
  func.func public @main(%x: tensor<2x3x{ty}>) -> tensor<2x3x{ty}> {{
    %0 = call @{name}(%x) : (tensor<2x3x{ty}>) -> tensor<2x3x{ty}>
    return %0 : tensor<2x3x{ty}>
  }}
  func.func private @{name}(%a: tensor<2x3x{ty}>) -> tensor<2x3x{ty}> {{
{body}
  }}
}}"
    )
}

/// As jax.nn.relu is exported.
fn relu(name: &str, ty: &str, zero: &str) -> String {
    let body = format!(
        "    %c = stablehlo.constant dense<{zero}> : tensor<{ty}>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<{ty}>) -> tensor<2x3x{ty}>
    %1 = stablehlo.maximum %a, %0 : tensor<2x3x{ty}>
    return %1 : tensor<2x3x{ty}>"
    );
    module(name, ty, &body)
}

fn rules(p: &Program) -> Vec<(&str, &str)> {
    let composite = |i: &pullback_ir::Instr| match i.op() {
        Op::Composite(c) => Some((c.name.clone(), c.rule.name())),
        _ => None,
    };
    p.instrs()
        .values()
        .filter_map(composite)
        .map(|(name, rule)| {
            (["relu", "relu6", "frexp"].into_iter().find(|n| *n == name).unwrap_or("?"), rule)
        })
        .collect()
}

#[test]
fn a_relu_of_jax_gets_its_rule() {
    for (name, ty) in [("relu", "f32"), ("relu_0", "f64"), ("relu_12", "bf16"), ("relu_0_1", "f16")] {
        let p = main_program(&relu(name, ty, "0.0"));
        assert_eq!(rules(&p), [("relu", "custom_jvp")], "{name} {ty}");
        let Op::Composite(c) =
            p.instrs().values().next().map(|i| i.op().clone()).unwrap_or_else(|| panic!("{p}"))
        else {
            panic!("{p}")
        };
        assert_eq!(op_names(&c.body), ["constant", "broadcast_in_dim", "maximum"]);
        let Rule::CustomJvp { jvp } = &c.rule else { panic!("{p}") };
        assert_eq!(op_names(jvp), ["composite", "constant", "compare", "select"]);
    }
}

#[test]
fn another_name_or_body_is_inlined() {
    let plain = ["constant", "broadcast_in_dim", "maximum"];
    for text in [
        relu("my_relu", "f32", "0.0"),
        relu("relux", "f32", "0.0"),
        relu("relu_", "f32", "0.0"),
        relu("relu", "f32", "0.5"),
        relu("relu", "f32", "-0.0"),
        relu("relu6", "f32", "0.0"),
        // No tangents, no rule.
        relu("relu", "i32", "0"),
        // A public function is a program of its own.
        relu("relu", "f32", "0.0").replace("private", "public"),
    ] {
        assert_eq!(op_names(&main_program(&text)), plain, "{text}");
    }
    let minimum = relu("relu", "f32", "0.0").replace("maximum", "minimum");
    assert_eq!(op_names(&main_program(&minimum)), ["constant", "broadcast_in_dim", "minimum"]);
    let turned = relu("relu", "f32", "0.0").replace("maximum %a, %0", "maximum %0, %a");
    assert_eq!(op_names(&main_program(&turned)), plain);
}

#[test]
fn printed_it_is_a_call_again() {
    let two = format!(
        "module {{
  func.func public @main(%x: tensor<2xf32>, %y: tensor<3xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<3xf32>) {{
    %0 = call @relu(%x) : (tensor<2xf32>) -> tensor<2xf32>
    %1 = call @relu(%0) : (tensor<2xf32>) -> tensor<2xf32>
    %2 = call @relu_0(%y) : (tensor<3xf32>) -> tensor<3xf32>
    return %0, %1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<3xf32>
  }}
{}{}}}",
        private("relu", 2),
        private("relu_0", 3)
    );
    let p = main_program(&two);
    assert_eq!(rules(&p), [("relu", "custom_jvp"); 3]);
    let printed = print(&[&p]);
    assert_eq!(printed.matches("call @relu(").count(), 2, "{printed}");
    assert_eq!(printed.matches("func.func private @relu").count(), 2, "{printed}");
    assert!(!printed.contains("composite"), "{printed}");
    assert_eq!(main_program(&printed), p, "{printed}");
}

fn private(name: &str, n: usize) -> String {
    format!(
        "  func.func private @{name}(%a: tensor<{n}xf32>) -> tensor<{n}xf32> {{
    %c = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f32>) -> tensor<{n}xf32>
    %1 = stablehlo.maximum %a, %0 : tensor<{n}xf32>
    return %1 : tensor<{n}xf32>
  }}
"
    )
}

#[test]
fn where_a_public_function_has_the_name_another_is_printed() {
    let text = relu("relu", "f32", "0.0").replace("@main", "@relu_0");
    let module = import_ok(&text);
    let p = module.function("relu_0").unwrap_or_else(|| panic!("no function"));
    let printed = print(&[p]);
    let again = import_ok(&printed);
    assert_eq!(again.function("relu_0"), Some(p), "{printed}");
}

#[test]
fn a_relu_of_open_shape_is_known_too() {
    let text = r#"
module {
  func.func public @main(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
    %0 = call @relu(%x) : (tensor<?x3xf32>) -> tensor<?x3xf32>
    return %0 : tensor<?x3xf32>
  }
  func.func private @relu(%a: tensor<?x3xf32>) -> tensor<?x3xf32> {
    %n = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?x3xf32>) -> tensor<i32>
    %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
    %three = stablehlo.constant dense<3> : tensor<1xi32>
    %s = stablehlo.concatenate %n1, %three, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
    %c = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.dynamic_broadcast_in_dim %c, %s, dims = [] : (tensor<f32>, tensor<2xi32>) -> tensor<?x3xf32>
    %1 = stablehlo.maximum %a, %0 : tensor<?x3xf32>
    return %1 : tensor<?x3xf32>
  }
}
"#;
    let at = |text: &str| {
        let options = ImportOptions {
            shapes: [("x".to_owned(), vec![5, 3])].into_iter().collect(),
            ..Default::default()
        };
        let module = import_with(text, &options).unwrap_or_else(|e| panic!("{}", show(&e)));
        module.function("main").cloned().unwrap_or_else(|| panic!("no main"))
    };
    let p = at(text);
    assert_eq!(rules(&p), [("relu", "custom_jvp")], "{p}");
    assert_eq!(p.ty(p.results()[0]).shape(), [5, 3]);
    let other = at(&text.replace("maximum", "minimum"));
    assert!(rules(&other).is_empty() && op_names(&other).contains(&"minimum"), "{other}");
}
