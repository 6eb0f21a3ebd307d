//! What cannot be differentiated is said with the op, its place in the text, where the text says it comes from, and a
//! way out: in functions, loops and private functions, whatever the derivative asked for.

use crate::run_fails;
use std::path::Path;

const SUM: &str = "\
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.reduce(%v init: %z) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}
";

/// `v` by some lines, its sum the loss.
fn write(dir: &Path, lines: &str) {
    let text = format!("func.func @main(%x: tensor<3xf32>, %n: tensor<i32>) -> tensor<f32> {{\n{lines}{SUM}");
    std::fs::write(dir.join("m.mlir"), text).unwrap();
}

/// The error of each mode.
fn errors(dir: &Path, modes: &[&str]) -> Vec<String> {
    modes.iter().map(|m| run_fails(dir, &["grad", "m.mlir", "--wrt", "0", "--mode", m])).collect()
}

const REVERSE: [&str; 4] = ["value-and-grad", "hvp", "hessian", "jacrev"];
const FORWARD: [&str; 2] = ["jvp", "jacfwd"];

#[test]
fn an_op_without_a_derivative() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write(
        dir,
        "  %0 = stablehlo.sine %x : tensor<3xf32>
  %v = \"chlo.polygamma\"(%0, %x) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32> loc(\"poly\"(\"model.py\":17:4))
",
    );
    for e in errors(dir, &[&REVERSE[..], &FORWARD].concat()) {
        assert!(
            e.starts_with("error: m.mlir:3:8: unsupported: no derivative of polygamma (it defines poly)"),
            "{e}"
        );
        assert!(e.contains("stop its gradient there") && e.contains("it comes from model.py:17:4"), "{e}");
    }
    let e = run_fails(dir, &["check-grad", "m.mlir", "--wrt", "0"]);
    assert!(e.starts_with("error: m.mlir:3:8: unsupported: no derivative of polygamma"), "{e}");
    let e = run_fails(dir, &["grad", "m.mlir", "--wrt", "0", "--explain"]);
    assert!(e.starts_with("error: m.mlir:3:8: unsupported: no derivative of polygamma"), "{e}");
}

/// A loop whose number of turns depends on data.
fn halving(body: &str) -> String {
    format!(
        "  %v, %w = stablehlo.while(%a = %x, %k = %n) : tensor<3xf32>, tensor<i32>
    cond {{
      %c = stablehlo.constant dense<0> : tensor<i32>
      %t = stablehlo.compare GT, %k, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %t : tensor<i1>
    }} do {{
      {body}
      %two = stablehlo.constant dense<2> : tensor<i32>
      %m = stablehlo.divide %k, %two : tensor<i32>
      stablehlo.return %b, %m : tensor<3xf32>, tensor<i32>
    }}
"
    )
    .replace("%v, %w = ", "%l:2 = ")
        + "  %v = stablehlo.sine %l#0 : tensor<3xf32>\n"
}

#[test]
fn a_loop_without_a_bound_and_what_is_inside_one() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write(dir, &halving("%b = stablehlo.sine %a : tensor<3xf32>"));
    for e in errors(dir, &REVERSE) {
        assert!(e.starts_with("error: m.mlir:2:10: unsupported: reverse mode through a while"), "{e}");
        assert!(e.contains("--loop-bound N"), "{e}");
    }
    write(dir, &halving("%b = \"chlo.polygamma\"(%a, %a) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>"));
    for e in errors(dir, &FORWARD) {
        assert!(e.starts_with("error: m.mlir:8:12: unsupported: no derivative of polygamma"), "{e}");
        assert!(e.contains("(it defines b in the body of the while that defines l)"), "{e}");
    }
}

#[test]
fn a_private_function() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write(dir, "  %v = call @g(%x) : (tensor<3xf32>) -> tensor<3xf32>\n");
    let mut text = std::fs::read_to_string(dir.join("m.mlir")).unwrap();
    text.push_str(
        "func.func private @g(%y: tensor<3xf32>) -> tensor<3xf32> {
  %1 = \"chlo.polygamma\"(%y, %y) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}
",
    );
    std::fs::write(dir.join("m.mlir"), text).unwrap();
    for e in errors(dir, &["value-and-grad", "jvp"]) {
        assert!(
            e.starts_with("error: m.mlir:8:8: unsupported: no derivative of polygamma (it defines g/1)"),
            "{e}"
        );
    }
}

#[test]
fn a_loss_that_is_none_and_a_rule_for_one_mode() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let text = "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.sine %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}
";
    std::fs::write(dir.join("m.mlir"), text).unwrap();
    for e in errors(dir, &["value-and-grad", "hvp", "hessian"]) {
        assert!(
            e.starts_with("error: m.mlir:2:8: cannot take a gradient: the first result is f32[3]"),
            "{e}"
        );
    }
    let marked = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/marks/cases/reverse_rule_squared.mlir");
    std::fs::copy(marked, dir.join("m.mlir")).unwrap();
    for e in errors(dir, &FORWARD) {
        assert!(
            e.starts_with("error: m.mlir:4:12: unsupported: no derivative of \"thrice\" in forward mode"),
            "{e}"
        );
        assert!(e.contains("value_and_grad, vjp, jacrev") && e.contains("custom_jvp"), "{e}");
    }
}

/// The second derivative of eigenvalues needs what has no rule: the op is the one that the file has.
#[test]
fn past_its_depth() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let text = "\
func.func @main(%x: tensor<3x3xf64>) -> tensor<f64> {
  %z = stablehlo.constant dense<0.0> : tensor<f64>
  %0:5 = stablehlo.custom_call @lapack_dgeev_ffi(%x) {mhlo.backend_config = {compute_left = 78 : ui8, compute_right = 78 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<0> : tensor<1xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>]} : (tensor<3x3xf64>) -> (tensor<3xf64>, tensor<3xf64>, tensor<3x3xcomplex<f64>>, tensor<3x3xcomplex<f64>>, tensor<i32>)
  %1 = stablehlo.multiply %0#0, %0#0 : tensor<3xf64>
  %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
  return %2 : tensor<f64>
}
";
    std::fs::write(dir.join("m.mlir"), text).unwrap();
    for e in errors(dir, &["hvp", "hessian"]) {
        let start =
            "error: m.mlir:3:10: unsupported: no derivative of eigenvectors by lapack_geev (it defines ";
        assert!(e.starts_with(start) && e.contains("second derivatives of eigenvalues"), "{e}");
    }
}

#[test]
fn a_forward_rule_that_is_not_linear() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let text = "\
func.func @main(%x: tensor<f64>) -> tensor<f64> {
  %z = stablehlo.constant dense<0.0> : tensor<f64>
  %y:3 = stablehlo.composite \"pullback.custom_jvp\" %x, %z {composite_attributes = {arguments = 1 : i64, name = \"bad\", results = 1 : i64}, decomposition = @rule} : (tensor<f64>, tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>)
  return %y#0 : tensor<f64>
}
func.func private @rule(%x: tensor<f64>, %t: tensor<f64>) -> (tensor<f64>, tensor<f64>, tensor<f64>) {
  %0 = stablehlo.sine %x : tensor<f64>
  %1 = stablehlo.multiply %t, %t : tensor<f64>
  return %0, %0, %1 : tensor<f64>, tensor<f64>, tensor<f64>
}
";
    std::fs::write(dir.join("m.mlir"), text).unwrap();
    for e in errors(dir, &REVERSE) {
        assert!(e.starts_with("error: m.mlir:3:10: cannot transpose: multiply (it defines a tangent"), "{e}");
        assert!(
            e.contains("by the rule of \"bad\" at y") && e.contains("must be linear in its tangents"),
            "{e}"
        );
    }
}

/// Loops in loops, each of two turns.
fn nest(depth: usize) -> String {
    let inner = match depth {
        0 => return "%b0 = stablehlo.sine %a1 : tensor<3xf32>\n".to_owned(),
        _ => nest(depth - 1),
    };
    let (k, outer) = (depth, depth + 1);
    format!(
        "%z{k} = stablehlo.constant dense<0> : tensor<i32>
%b{k}:2 = stablehlo.while(%a{k} = %a{outer}, %i{k} = %z{k}) : tensor<3xf32>, tensor<i32>
cond {{
  %n{k} = stablehlo.constant dense<2> : tensor<i32>
  %c{k} = stablehlo.compare LT, %i{k}, %n{k} : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.return %c{k} : tensor<i1>
}} do {{
{inner}%o{k} = stablehlo.constant dense<1> : tensor<i32>
%j{k} = stablehlo.add %i{k}, %o{k} : tensor<i32>
stablehlo.return %b{m}, %j{k} : tensor<3xf32>, tensor<i32>
}}
",
        m = if depth == 1 { "0".to_owned() } else { format!("{}#0", depth - 1) },
    )
}

#[test]
fn more_dimensions_than_there_can_be() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let depth = 62;
    let loops = nest(depth).replace(&format!("%a{}", depth + 1), "%x");
    write(dir, &format!("{loops}%v = stablehlo.sine %b{depth}#0 : tensor<3xf32>\n"));
    for e in errors(dir, &["value-and-grad", "hvp"]) {
        assert!(
            e.starts_with("error: m.mlir:") && e.contains(": the derivative of while (it defines b"),
            "{e}"
        );
        assert!(e.contains(" in …)") && e.contains("nest fewer loops"), "{e}");
    }
}
