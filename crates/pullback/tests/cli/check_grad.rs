//! `check-grad`: right derivatives pass, wrong ones are caught and placed, kinks are told from mistakes.

use crate::{run, run_ok};
use pullback::check_grad::{Derivative, Kind, Settings, check};
use pullback::tensors as files;
use pullback_autodiff::{LinearProgram, transpose};
use pullback_eval::{ReferenceDevice, Tensor};
use pullback_ir::{BinaryOp, Builder, DType, Program, TensorType, TypeError, UnaryOp, Value};
use serde_json::Value as Json;
use std::path::Path;

const SETTINGS: Settings = Settings { seed: 7, points: 2, pairing_only: false };

fn ty() -> TensorType {
    TensorType::new(DType::F64, [3])
}

fn program(args: usize, body: impl Fn(&mut Builder, &[Value]) -> Result<Vec<Value>, TypeError>) -> Program {
    let mut b = Builder::new("f");
    let args: Vec<Value> = (0..args).map(|_| b.arg(None, ty())).collect();
    let results = body(&mut b, &args).unwrap();
    b.finish(&results)
}

/// sin(x), with `linear(cos x, tangent)` for its derivative.
fn sine(linear: impl Fn(&mut Builder, Value, Value) -> Result<Value, TypeError>) -> Derivative {
    let f = |b: &mut Builder, x: Value| b.unary(UnaryOp::Sine, x);
    let linear = program(2, |b, v| Ok(vec![linear(b, v[0], v[1])?]));
    let turned = transpose(&LinearProgram::new(linear.clone(), 1).unwrap()).unwrap();
    let with = |linear: &Program| {
        program(2, |b, v| {
            let y = f(b, v[0])?;
            let cos = b.unary(UnaryOp::Cosine, v[0])?;
            Ok([&[y], &b.inline(linear, &[cos, v[1]], None)?[..]].concat())
        })
    };
    Derivative {
        program: program(1, |b, v| Ok(vec![f(b, v[0])?])),
        wrt: vec![0],
        jvp: Some(with(&linear)),
        vjp: with(&turned),
        precision: DType::F64,
        loop_bound: None,
        feed: None,
    }
}

#[test]
fn a_wrong_rule_is_caught() {
    let right = sine(|b, cos, t| b.mul(cos, t));
    let report = check(&right, None, "", SETTINGS, &ReferenceDevice).unwrap();
    assert!(report.passed() && report.comparisons == 4, "{report:?}");
    assert!(report.worst_error() < 1e-7, "{report:?}");
    assert!(report.level().starts_with("tested: 2 points, worst relative error"), "{}", report.level());

    // A sign: both directions agree, differences do not.
    let sign = sine(|b, cos, t| {
        let y = b.mul(cos, t)?;
        b.unary(UnaryOp::Negate, y)
    });
    let report = check(&sign, None, "", SETTINGS, &ReferenceDevice).unwrap();
    assert!(!report.passed() && report.failures.iter().all(|f| f.kind == Kind::Differences), "{report:?}");
    let only = Settings { pairing_only: true, ..SETTINGS };
    assert!(check(&sign, None, "", only, &ReferenceDevice).unwrap().passed());

    // One element: it is named.
    let scaled = |b: &mut Builder, cos: Value, t: Value| {
        let y = b.mul(cos, t)?;
        let literal = Tensor::from_f64s(ty(), &[1.0, 1.0, 1.01]).unwrap().to_literal();
        let scale = b.constant(literal);
        b.mul(y, scale)
    };
    let report = check(&sine(scaled), None, "", SETTINGS, &ReferenceDevice).unwrap();
    assert!(!report.passed() && report.failures.iter().all(|f| f.element == Some(2)), "{report:?}");

    // A transpose that is none: the pairing says so.
    let mut turned = sine(|b, cos, t| b.mul(cos, t));
    turned.vjp = sine(scaled).vjp;
    let report = check(&turned, None, "", SETTINGS, &ReferenceDevice).unwrap();
    assert!(!report.passed() && report.failures.iter().all(|f| f.kind == Kind::Pairing), "{report:?}");
}

fn write_program(dir: &Path, body: impl Fn(&mut Builder, &[Value]) -> Result<Vec<Value>, TypeError>) {
    std::fs::write(dir.join("f.ir"), program(2, body).to_string()).unwrap();
}

fn write_point(dir: &Path, x: [f64; 3], y: [f64; 3]) {
    let [x, y] = [x, y].map(|x| Tensor::from_slice(&[3], &x).unwrap());
    files::write(&dir.join("in.safetensors"), [("arg0", &x), ("arg1", &y)]).unwrap();
}

#[test]
fn kinks_are_told_from_mistakes() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    write_program(dir, |b, v| Ok(vec![b.binary(BinaryOp::Maximum, v[0], v[1])?]));
    write_point(dir, [1.0, 2.0, 3.0], [1.0, 5.0, 3.0]);
    let args = ["check-grad", "f.ir", "--inputs", "in.safetensors"];
    let text = run_ok(dir, &args);
    assert!(
        text.starts_with("f.ir: tested: 3 points") && text.contains("kink along arg0 (seed 0)"),
        "{text}"
    );
    let about: Json = serde_json::from_str(&run_ok(dir, &[&args[..], &["--json"]].concat())).unwrap();
    assert_eq!((&about["level"], &about["points"]), (&"tested".into(), &3.into()));
    assert_eq!(about["kinks"].as_array().unwrap().len(), 6);
    // Elsewhere there are none.
    let about: Json = serde_json::from_str(&run_ok(dir, &["check-grad", "f.ir", "--json"])).unwrap();
    assert!(about["kinks"].as_array().unwrap().is_empty());
    assert!(about["worst_relative_error"].as_f64().unwrap() < 1e-6);
    assert_eq!(about["precision"], serde_json::json!(["f64"]));
}

#[test]
fn a_point_without_values_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    // Defined for positive arguments only: found.
    write_program(dir, |b, v| {
        let y = b.unary(UnaryOp::Log, v[0])?;
        Ok(vec![b.binary(BinaryOp::Power, v[1], y)?])
    });
    assert!(run_ok(dir, &["check-grad", "f.ir"]).contains("12 comparisons in f64"));
    write_point(dir, [-1.0, 2.0, 3.0], [4.0, 5.0, 3.0]);
    let o = run(dir, &["check-grad", "f.ir", "--inputs", "in.safetensors"]);
    assert_eq!(o.code, Some(1));
    assert!(
        o.out.starts_with("f.ir: untested") && o.err.contains("no finite value there"),
        "{}{}",
        o.out,
        o.err
    );
    // An infinite slope is no derivative.
    write_program(dir, |b, v| Ok(vec![b.unary(UnaryOp::Sqrt, v[0])?]));
    write_point(dir, [0.0, 2.0, 3.0], [1.0, 5.0, 3.0]);
    let o = run(dir, &["check-grad", "f.ir", "--wrt", "0", "--inputs", "in.safetensors"]);
    assert_eq!(o.code, Some(1), "{}", o.out);
    assert!(o.err.contains("error: f.ir: the derivative is wrong: "), "{}", o.err);
}

#[test]
fn files_of_jax_in_f64_and_for_several_shapes() {
    let dir = crate::folder();
    let args = ["check-grad", "loss.mlir", "--manifest", "manifest.json", "--points", "1"];
    let text = run_ok(dir.path(), &args);
    // Its relu has a rule of its own, which is tested alone too.
    assert!(
        text.starts_with("loss.mlir: tested: 1 points") && text.contains(" comparisons in f64"),
        "{text}"
    );
    assert!(text.contains("\"relu\" (custom_jvp, at relu/1): agrees with the derivative"), "{text}");
    let portable =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../stablehlo/tests/portable/export_symbolic.jax");
    std::fs::copy(portable, dir.path().join("symbolic.jax")).unwrap();
    let about: Json =
        serde_json::from_str(&run_ok(dir.path(), &["check-grad", "symbolic.jax", "--json"])).unwrap();
    assert_eq!(about["shapes"], serde_json::json!(["n=1", "n=2", "n=3", "n=5"]));
    assert_eq!(about["points"], 12);
}

/// `sin(x y)` with `rule` (an op on the cotangent and the cosine) for its derivative by u = x y, in a loss; the rule's
/// op is `op`.
fn ruled(rule: &str) -> String {
    format!(
        "program @main(%0: f64[3] \"x\", %1: f64[3] \"y\") {{
           %2: f64[3] = multiply %0, %1
           %3: f64[3] = composite %2 {{name = \"wave\", rule = custom_vjp}} (program @f(%0: f64[3]) {{
             %1: f64[3] = sine %0
             return %1
           }}, program @fwd(%0: f64[3]) {{
             %1: f64[3] = sine %0
             %2: f64[3] = cosine %0
             return %1, %2
           }}, program @bwd(%0: f64[3], %1: f64[3]) {{
             {rule}
             return %2
           }}) \"wave\"
           %4: f64[3] = exponential %3
           return %4
         }}"
    )
}

#[test]
fn a_reverse_rule_is_tested_alone_and_around() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let report = |rule: &str, more: &[&str]| {
        std::fs::write(dir.join("f.ir"), ruled(rule)).unwrap();
        run(dir, &[&["check-grad", "f.ir"], more].concat())
    };
    // The derivative itself: differences agree, and that there is no forward mode is said.
    let right = "%2: f64[3] = multiply %0, %1";
    let o = report(right, &["--strict"]);
    assert_eq!(o.code, Some(0), "{}{}", o.out, o.err);
    assert!(o.out.starts_with("f.ir: tested in reverse: 3 points, worst relative error"), "{}", o.out);
    assert!(o.out.contains("\"wave\" (custom_vjp, at wave): agrees with the derivative"), "{}", o.out);
    assert!(o.out.contains("pairing is not defined through \"wave\""), "{}", o.out);
    // Another: by name, no failure unless asked for.
    let straight = "%2: f64[3] = add %1, %1";
    let o = report(straight, &[]);
    assert_eq!(o.code, Some(0), "{}{}", o.out, o.err);
    assert!(o.out.starts_with("f.ir: tested around declared surrogates: 3 points"), "{}", o.out);
    assert!(o.out.contains("\"wave\" (custom_vjp, at wave): declared surrogate, differs from"), "{}", o.out);
    let o = report(straight, &["--strict"]);
    assert_eq!(o.code, Some(1));
    assert!(o.err.contains("error: f.ir: \"wave\" (custom_vjp, at wave): declared surrogate"), "{}", o.err);
    let about: Json = serde_json::from_str(&report(straight, &["--json"]).out).unwrap();
    assert_eq!((&about["level"], &about["marks"][0]["pairing"]), (&"surrogate".into(), &false.into()));
    assert!(
        about["surrogate"].as_array().is_some_and(|s| !s.is_empty())
            && about["failures"] == Json::Array(vec![])
    );
    // Differences left out, the pairing around it is what remains.
    let o = report(straight, &["--pairing-only"]);
    assert!(o.code == Some(0) && o.out.contains("not held against the derivative"), "{}{}", o.out, o.err);
}

#[test]
fn stopped_values_are_held_and_named() {
    let stop = "(program @stop(%0: f64[3]) {\n return %0\n})";
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let text = format!(
        "program @main(%0: f64[3] \"x\", %1: f64[3] \"y\") {{
           %2: f64[3] = sine %0
           %3: f64[3] = composite %2 {{name = \"held\", rule = stop_gradient}} {stop} \"held\"
           %4: f64[3] = multiply %3, %1
           %5: f64[3] = multiply %4, %0
           return %5
         }}"
    );
    std::fs::write(dir.join("f.ir"), text).unwrap();
    let text = run_ok(dir, &["check-grad", "f.ir"]);
    assert!(text.starts_with("f.ir: tested around declared surrogates: 3 points"), "{text}");
    assert!(text.contains("\"held\" (stop_gradient, at held): declared surrogate, differs from"), "{text}");
    assert!(!text.contains("pairing is not defined"), "{text}");
    // Not on the way from the argument asked for: nothing to say.
    let text = run_ok(dir, &["check-grad", "f.ir", "--wrt", "1"]);
    assert!(text.starts_with("f.ir: tested: 3 points") && !text.contains("held"), "{text}");
}

#[test]
fn a_rule_inside_a_loop_is_tested_alone() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let text = "program @main(%0: f64[3] \"x\") {
           %1: i32[] = constant 0
           %2: i32[], %3: f64[3] = while %1, %0 (program @cond(%0: i32[], %1: f64[3]) {
             %2: i32[] = constant 3
             %3: bool[] = compare %0, %2 {comparison_direction = LT}
             return %3
           }, program @body(%0: i32[], %1: f64[3]) {
             %2: i32[] = constant 1
             %3: i32[] = add %0, %2
             %4: f64[3] = composite %1 {name = \"halved\", rule = custom_vjp} (program @f(%0: f64[3]) {
               %1: f64[3] = sine %0
               return %1
             }, program @fwd(%0: f64[3]) {
               %1: f64[3] = sine %0
               return %1
             }, program @bwd(%0: f64[3]) {
               %1: f64[3] = constant 0.5
               %2: f64[3] = multiply %0, %1
               return %2
             })
             return %3, %4
           })
           return %3
         }";
    std::fs::write(dir.join("f.ir"), text).unwrap();
    let text = run_ok(dir, &["check-grad", "f.ir"]);
    assert!(text.contains("\"halved\" (custom_vjp, at %4 in body): declared surrogate, differs"), "{text}");
    // Around it the loop is tested without it, in both modes.
    assert!(text.contains("it is inside a loop, a choice or another mark, and left out"), "{text}");
    assert!(
        text.contains("\n  worst pairing along arg0") && text.contains("\n  worst differences"),
        "{text}"
    );
}

#[test]
fn a_manifest_s_operator_is_a_declared_surrogate() {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/marks/quantize");
    let args = ["check-grad", "loss.mlir", "--manifest", "manifest.json", "--points", "1"];
    let text = run_ok(&dir, &args);
    assert!(text.starts_with("loss.mlir: tested around declared surrogates: 1 points"), "{text}");
    assert!(
        text.contains("\"pullback.quantize_ste\" (custom_vjp") && text.contains("declared surrogate"),
        "{text}"
    );
}

/// Three turns of `x = 1.5 sin x + rule(x)`, the rule of a clip to [-1, 1] being `backward` of x and the cotangent.
fn clipped(backward: &str) -> String {
    let clip = |result: &str| {
        format!(
            "%1: f64[3] = constant 1.0
             %2: f64[3] = constant -1.0
             %3: f64[3] = maximum %0, %2
             %4: f64[3] = minimum %3, %1
             return {result}"
        )
    };
    format!(
        "program @main(%0: f64[3] \"x\") {{
           %1: i32[] = constant 0
           %2: i32[], %3: f64[3] = while %1, %0 (program @cond(%0: i32[], %1: f64[3]) {{
             %2: i32[] = constant 3
             %3: bool[] = compare %0, %2 {{comparison_direction = LT}}
             return %3
           }}, program @body(%0: i32[], %1: f64[3]) {{
             %2: i32[] = constant 1
             %3: i32[] = add %0, %2
             %4: f64[3] = composite %1 {{name = \"clip\", rule = custom_vjp}} (program @f(%0: f64[3]) {{
               {}
             }}, program @fwd(%0: f64[3]) {{
               {}
             }}, program @bwd(%0: f64[3], %1: f64[3]) {{
               {backward}
             }})
             %5: f64[3] = sine %1
             %6: f64[3] = constant 1.5
             %7: f64[3] = multiply %5, %6
             %8: f64[3] = add %7, %4
             return %3, %8
           }})
           return %3
         }}",
        clip("%4"),
        clip("%4, %0")
    )
}

#[test]
fn a_rule_inside_a_loop_that_differs_further_out_is_declared() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    // Its cotangent where |x| < 2.
    let surrogate = "%2: f64[3] = constant 2.0
                     %3: f64[3] = abs %0
                     %4: bool[3] = compare %3, %2 {comparison_direction = LT}
                     %5: f64[3] = convert %4
                     %6: f64[3] = multiply %1, %5
                     return %6";
    std::fs::write(dir.join("f.ir"), clipped(surrogate)).unwrap();
    let text = run_ok(dir, &["check-grad", "f.ir"]);
    assert!(text.starts_with("f.ir: tested around declared surrogates: 3 points"), "{text}");
    assert!(text.contains("\"clip\" (custom_vjp, at %4 in body): declared surrogate, differs"), "{text}");
}

#[test]
fn a_derivative_that_is_zero_but_for_rounding() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let tested = |text: String| {
        std::fs::write(dir.join("f.ir"), text).unwrap();
        let text = run_ok(dir, &["check-grad", "f.ir", "--points", "20"]);
        assert!(text.starts_with("f.ir: tested: 20 points") && !text.contains("kink"), "{text}");
    };
    // Exponentials over their sum, summed, are 1; differences from the mean, summed, 0, with no right digit.
    for (first, times, then) in [("exponential %0", "1.0", "divide"), ("add %0, %0", "0.2", "subtract")] {
        tested(format!(
            "program @main(%0: f64[5] \"x\") {{
               %1: f64[5] = {first}
               %2: f64[] = reduce %1 {{dimensions = [0], monoid = add}}
               %3: f64[] = constant {times}
               %4: f64[] = multiply %2, %3
               %5: f64[5] = broadcast_in_dim %4 {{broadcast_dimensions = []}}
               %6: f64[5] = {then} %1, %5
               %7: f64[] = reduce %6 {{dimensions = [0], monoid = add}}
               return %7
             }}"
        ));
    }
    // Small is not zero: a derivative of 1e-20 that should be another is wrong.
    let tiny = |scale: f64| {
        let with = |b: &mut Builder, v: Value| {
            let by = b.splat(&ty(), scale);
            b.mul(v, by)
        };
        let right = sine(|b, cos, t| b.mul(cos, t));
        let f = |b: &mut Builder, v: &[Value], made: &Program| {
            b.inline(made, v, None)?.into_iter().map(|r| with(b, r)).collect::<Result<Vec<_>, _>>()
        };
        let of = |p: &Program, n: usize| program(n, |b, v| f(b, v, p));
        (of(&right.program, 1), of(&right.jvp.clone().unwrap(), 2), of(&right.vjp, 2), right)
    };
    let (small, other) = (tiny(1e-20), tiny(2e-20));
    let derivative = Derivative { program: small.0, jvp: Some(other.1), vjp: other.2, ..small.3 };
    let report = check(&derivative, None, "", SETTINGS, &ReferenceDevice).unwrap();
    assert!(!report.passed(), "{report:?}");
}

/// Doubled until it is 100 or more.
const DOUBLED: &str = "while %0 (program @cond(%0: f64[]) {
        %1: f64[] = constant 100.0
        %2: bool[] = compare %0, %1 {comparison_direction = LT}
        return %2
      }, program @body(%0: f64[]) {
        %1: f64[] = add %0, %0
        return %1
      }) \"doubled\"";

#[test]
fn a_loop_past_its_bound_is_named() {
    past_its_bound(&format!("program @main(%0: f64[] \"x\") {{ %1: f64[] = {DOUBLED} return %1 }}"));
}

/// In a branch of a loop of which the number of turns is not known either: one turn of it, six of the inner one.
#[test]
fn a_loop_in_a_loop_past_its_bound_is_named() {
    past_its_bound(&format!(
        "program @main(%0: f64[] \"x\") {{
      %1: f64[] = while %0 (program @cond(%0: f64[]) {{
        %1: f64[] = constant 50.0
        %2: bool[] = compare %0, %1 {{comparison_direction = LT}}
        return %2
      }}, program @body(%0: f64[]) {{
        %1: i32[] = constant 1
        %2: f64[] = case %1, %0 (program @same(%0: f64[]) {{ return %0 }}, program @other(%0: f64[]) {{
          %1: f64[] = {DOUBLED}
          return %1
        }})
        return %2
      }}) \"outer\"
      return %1
    }}"
    ));
}

fn past_its_bound(text: &str) {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    std::fs::write(dir.join("f.ir"), text).unwrap();
    let x = Tensor::from_slice(&[], &[3.0f64]).unwrap();
    files::write(&dir.join("in.safetensors"), [("arg0", &x)]).unwrap();
    let args = ["check-grad", "f.ir", "--inputs", "in.safetensors", "--loop-bound"];
    run_ok(dir, &[&args[..], &["6"]].concat());
    let o = run(dir, &[&args[..], &["5"]].concat());
    assert!(o.code == Some(1) && o.out.starts_with("f.ir: untested"), "{}{}", o.out, o.err);
    assert!(
        o.err.contains("the loop that defines doubled takes 6 turns there, more than the 5 of --loop-bound"),
        "{}",
        o.err
    );
}
