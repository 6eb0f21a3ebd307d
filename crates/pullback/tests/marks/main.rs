//! Functions with marks as the Python helper exports them (tools/marks/export.py), against JAX's own gradients of first
//! and second order; and a foreign operator that a manifest gives a derivative.
#![expect(clippy::unwrap_used, reason = "a test fails where it unwraps")]

use pullback::manifest::Manifest;
use pullback::source;
use pullback::step::{build_step, loss_and_gradients};
use pullback::tensors::TensorFile;
use pullback_autodiff::{AdError, jvp, value_and_grad};
use pullback_eval::reference::eval;
use pullback_eval::{CpuDevice, Tensor, evaluate};
use pullback_ir::pass::{holds_composites, inline};
use pullback_ir::{Builder, DType, Monoid, Program, TensorType};
use pullback_stablehlo::{ImportOptions, print};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/marks").join(name)
}

fn numbers(v: &Value) -> Vec<f64> {
    v.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn close(what: &str, got: &[f64], want: &[f64]) {
    let scale = want.iter().fold(1e-3f64, |m, x| m.max(x.abs()));
    assert_eq!(got.len(), want.len(), "{what}");
    for (g, w) in got.iter().zip(want) {
        assert!((g - w).abs() <= 1e-12 * scale, "{what}: {got:?}, not {want:?}");
    }
}

/// The sum of the gradient by the first argument: a loss again.
fn sum_of_gradient(p: &Program) -> Program {
    let g = value_and_grad(p, &[0]).unwrap();
    let mut b = Builder::new("sum");
    let args: Vec<_> = g.args().iter().map(|&a| b.arg(g.value_name(a), g.ty(a).clone())).collect();
    let results = b.inline(&g, &args, Some("")).unwrap();
    let first = results[p.results().len()];
    let dims: Vec<usize> = (0..b.ty(first).rank()).collect();
    let sum = b.reduce(first, &dims, Monoid::Add).unwrap();
    b.finish(&[sum])
}

#[test]
fn marks_mean_what_they_mean_in_jax() {
    let cases: Value =
        serde_json::from_str(&std::fs::read_to_string(folder("cases/cases.json")).unwrap()).unwrap();
    for (name, case) in cases.as_object().unwrap() {
        let path = folder("cases").join(case["file"].as_str().unwrap());
        let loaded = source::load(&path, &ImportOptions::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
        let p = loaded.chosen(None).unwrap();
        let args: Vec<Tensor> = case["args"]
            .as_array()
            .unwrap()
            .iter()
            .map(|a| {
                let shape = numbers(&a["shape"]).iter().map(|&n| n as usize).collect::<Vec<_>>();
                Tensor::from_f64s(TensorType::new(DType::F64, shape), &numbers(&a["values"])).unwrap()
            })
            .collect();
        let wrt: Vec<usize> = (0..args.len()).collect();
        let check = |p: &Program| {
            let got = eval(&value_and_grad(p, &wrt).unwrap(), &args).unwrap();
            close(name, &got[0].to_f64s(), &[case["loss"].as_f64().unwrap()]);
            for (g, want) in got[1..].iter().zip(case["grads"].as_array().unwrap()) {
                close(name, &g.to_f64s(), &numbers(want));
            }
            // Forward mode along ones gives what the gradients sum to, unless a rule has none.
            match jvp(p, &wrt) {
                Ok(forward) => {
                    let ones = args.iter().map(|a| {
                        let n = a.ty().count();
                        Tensor::from_f64s(a.ty().clone(), &vec![1.0; n]).unwrap()
                    });
                    let out = eval(&forward, &args.iter().cloned().chain(ones).collect::<Vec<_>>()).unwrap();
                    let sum: f64 = case["grads"].as_array().unwrap().iter().flat_map(numbers).sum();
                    close(&format!("{name}, forward"), &out[1].to_f64s(), &[sum]);
                }
                Err(e) => assert!(matches!(e, AdError::ReverseOnly { .. }), "{name}: {e}"),
            }
            let second = eval(&value_and_grad(&sum_of_gradient(p), &[0]).unwrap(), &args).unwrap();
            close(&format!("{name}, second"), &second[1].to_f64s(), &numbers(&case["second"]));
        };
        assert!(holds_composites(p), "{name}");
        check(p);
        // What is printed says the same.
        let text = print(&[p]);
        let again = pullback_stablehlo::import(&text).unwrap_or_else(|e| panic!("{name}: {e:?}\n{text}"));
        check(again.function(p.name()).unwrap());
        // The kernels see no composites, and give what the bodies give.
        let cpu = evaluate(&CpuDevice { threads: 1 }, p, &args).unwrap();
        let plain = eval(&inline(p).unwrap(), &args).unwrap();
        close(name, &cpu[0].to_f64s(), &plain[0].to_f64s());
    }
}

fn quantize() -> (Manifest, PathBuf, TensorFile) {
    let dir = folder("quantize");
    let manifest = Manifest::read(&dir.join("manifest.json")).unwrap();
    let io = TensorFile::read(&dir.join("io.safetensors")).unwrap();
    (manifest, dir, io)
}

#[test]
fn a_manifest_gives_a_foreign_operator_its_derivative() {
    let (manifest, dir, io) = quantize();
    let options = ImportOptions { operators: manifest.operators().unwrap(), ..ImportOptions::default() };
    let loaded = source::load(&dir.join("loss.mlir"), &options).unwrap();
    let bound = manifest.bind(loaded.function("main").unwrap()).unwrap();
    let grad = loss_and_gradients(&bound).unwrap();
    assert!(!holds_composites(&grad));
    let args: Vec<Tensor> = bound.args.iter().map(|a| io.get(&a.key(0), &a.ty, &a.name).unwrap()).collect();
    let got = eval(&grad, &args).unwrap();
    let want = |key: &str, like: &Tensor| io.get(key, like.ty(), key).unwrap().to_f64s();
    let near = |got: &[f64], want: &[f64]| {
        let scale = want.iter().fold(1e-6f64, |m, x| m.max(x.abs()));
        got.iter().zip(want).all(|(g, w)| (g - w).abs() <= 2e-4 * scale)
    };
    assert!(near(&got[0].to_f64s(), &want("expect.loss", &got[0])));
    for (&i, g) in bound.parameters().iter().zip(&got[1..]) {
        let key = format!("expect.grad.{}", bound.args[i].name);
        assert!(near(&g.to_f64s(), &want(&key, g)), "{key}");
    }
    // The step program, which is planned and checked, is ordinary too.
    let step = build_step(&bound, &manifest.optimizer().unwrap().unwrap(), None).unwrap();
    assert!(!holds_composites(&step.program));
}

#[test]
fn a_foreign_operator_without_a_meaning_is_refused() {
    let (mut manifest, dir, _) = quantize();
    let e = source::load(&dir.join("loss.mlir"), &ImportOptions::default()).unwrap_err().to_string();
    assert!(e.contains("4:10") && e.contains("@pullback.quantize_ste"), "{e}");
    manifest.custom_ops[0].pullback = "rules/forward.mlir".to_owned();
    let e = manifest.operators().unwrap_err().to_string();
    assert!(
        e.contains("custom_ops[0]") && e.contains("the backward rule takes 2 values, there are 3"),
        "{e}"
    );
    manifest.custom_ops[0].pullback = "rules/none.mlir".to_owned();
    assert!(manifest.operators().unwrap_err().to_string().contains("rules/none.mlir"));
}

#[test]
fn likely_lost_marks_are_warned_about() {
    let program = |text: &str| pullback_ir::text::parse(text).unwrap();
    let warnings = |p: &Program| -> Vec<String> {
        pullback::lint::lost_marks(p, &[0]).iter().map(ToString::to_string).collect()
    };
    // x + (round(x) - x), its mark lost.
    let straight = program(
        "program @f(%0: f32[] \"x\", %1: f32[]) {
           %2: f32[] = round_nearest_even %0
           %3: f32[] = subtract %2, %0
           %4: f32[] = add %0, %3 \"y\"
           return %4
         }",
    );
    let said = warnings(&straight);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].contains("warning: y adds to x") && said[0].contains("pullback.marks.stop_gradient"),
        "{said:?}"
    );
    // A quantizer whose custom rule is lost.
    let path = folder("quantize").join("rules/primal.mlir");
    let primal = source::load(&path, &ImportOptions::default()).unwrap();
    let said = warnings(primal.chosen(None).unwrap());
    assert!(said.len() == 1 && said[0].contains("round_nearest_even"), "{said:?}");
    // An exponent taken out of a float's bits and put into another's, as ldexp does.
    let bits = program(
        "program @f(%0: f32[] \"x\", %1: i32[]) {
           %2: i32[] = bitcast_convert %0
           %3: i32[] = add %2, %1
           %4: f32[] = bitcast_convert %3 \"y\"
           return %4
         }",
    );
    let said = warnings(&bits);
    assert!(said.len() == 1 && said[0].contains("y is made of the bits of x"), "{said:?}");
    // Nothing is said where no derivative goes, of whole numbers, and of marked programs.
    let quiet = program(
        "program @f(%0: f32[] \"x\", %1: f32[]) {
           %2: f32[] = floor %1
           %3: f32[] = floor %0
           %4: i32[] = convert %3
           %5: f32[] = multiply %0, %2
           return %5, %4
         }",
    );
    assert_eq!(warnings(&quiet), Vec::<String>::new());
    let marked = source::load(&folder("cases/straight_through.mlir"), &ImportOptions::default()).unwrap();
    assert_eq!(warnings(marked.chosen(None).unwrap()), Vec::<String>::new());
}

#[test]
fn lost_marks_are_looked_for_inside() {
    let warnings = |text: &str| -> Vec<String> {
        let program = pullback_ir::text::parse(text).unwrap();
        pullback::lint::lost_marks(&program, &[0]).iter().map(ToString::to_string).collect()
    };
    // The value that is rounded depends on the argument from the second turn on only: c becomes d, d becomes rounded.
    let turns = |next: &str, result: &str| {
        format!(
            "program @f(%0: f32[] \"x\", %1: f32[]) {{
               %2: i32[] = constant 0
               %3: i32[], %4: f32[], %5: f32[], %6: f32[] = while %2, %0, %1, %1 (program @cond(%0: i32[], %1: f32[], %2: f32[], %3: f32[]) {{
                 %4: i32[] = constant 3
                 %5: bool[] = compare %0, %4 {{comparison_direction = LT}}
                 return %5
               }}, program @body(%0: i32[], %1: f32[], %2: f32[] \"d\", %3: f32[]) {{
                 %4: i32[] = constant 1
                 %5: i32[] = add %0, %4
                 %6: f32[] = round_nearest_even %2
                 %7: f32[] = subtract %6, %2
                 %8: f32[] = add %2, %7 \"y\"
                 return %5, {next}
               }})
               return {result}
             }}"
        )
    };
    let said = warnings(&turns("%1, %1, %8", "%6"));
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].contains("in the while that defines") && said[0].contains(": y adds to d its distance"),
        "{said:?}"
    );
    // Where the rounded value is fixed, or the loop's result is not read, there is nothing to say.
    assert_eq!(warnings(&turns("%1, %2, %8", "%6")), Vec::<String>::new());
    assert_eq!(warnings(&turns("%1, %1, %8", "%1")), Vec::<String>::new());
    // Bits in one branch.
    let said = warnings(
        "program @f(%0: f32[] \"x\", %1: i32[]) {
           %2: f32[] = case %1, %0 (program @a(%0: f32[]) {
             return %0
           }, program @b(%0: f32[] \"in\") {
             %1: i32[] = bitcast_convert %0
             %2: f32[] = bitcast_convert %1 \"out\"
             return %2
           }) \"chosen\"
           return %2
         }",
    );
    assert!(
        said.len() == 1 && said[0].contains("in the case that defines chosen: out is made of the bits of in"),
        "{said:?}"
    );
}
