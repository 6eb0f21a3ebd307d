//! eval, grad, opt and export on the mlp: the numbers are those JAX gave.

use crate::step::{MANIFEST, PROGRAM};
use crate::{assert_close, command, folder, run_ok, tensors};
use pullback::tensors::{self, TensorFile};
use pullback_eval::Tensor;
use pullback_ir::{DType, TensorType};
use std::path::Path;

const PARAMETERS: [&str; 6] = ["l1.b", "l1.w", "l2.b", "l2.w", "l3.b", "l3.w"];

/// The inputs of step 0 under the names arg0, arg1, … .
fn write_positional(dir: &Path, io: &TensorFile) {
    let keys =
        PARAMETERS.iter().map(|p| format!("param.{p}")).chain(["batch.0.x".into(), "batch.0.y".into()]);
    let named: Vec<(String, &Tensor)> =
        keys.enumerate().map(|(i, key)| (format!("arg{i}"), &io.tensors[&key])).collect();
    tensors::write(&dir.join("in.safetensors"), named.iter().map(|(n, t)| (n.as_str(), *t))).unwrap();
}

#[test]
fn eval_by_position_and_by_manifest() {
    let dir = folder();
    let (dir, io) = (dir.path(), tensors(dir.path(), "io.safetensors"));
    write_positional(dir, &io);
    for device in ["reference", "cpu"] {
        let common = ["--outputs", "out.safetensors", "--device", device];
        let out = run_ok(dir, &[&["eval", "loss.mlir", "--inputs", "in.safetensors"][..], &common].concat());
        assert!(out.starts_with("out0 f32[] [2.47"), "{out}");
        assert_close(&tensors(dir, "out.safetensors"), "out0", &io, "expect.loss", 2e-5);
        let manifest = ["--manifest", "manifest.json", "--step", "0"];
        let args = ["eval", "loss.mlir", "--inputs", "io.safetensors"];
        run_ok(dir, &[&args[..], &manifest, &common].concat());
        assert_close(&tensors(dir, "out.safetensors"), "loss", &io, "expect.loss", 2e-5);
    }
}

#[test]
fn grad_by_manifest_and_five_steps() {
    let dir = folder();
    let (dir, io) = (dir.path(), tensors(dir.path(), "io.safetensors"));
    let args = ["grad", "loss.mlir", "--manifest", "manifest.json", "--inputs", "io.safetensors"];
    for device in ["reference", "cpu"] {
        let rest = ["--outputs", "out.safetensors", "--steps", "5", "--device", device];
        run_ok(dir, &[&args[..], &rest].concat());
        let out = tensors(dir, "out.safetensors");
        assert_close(&out, "loss", &io, "expect.loss", 2e-5);
        assert_close(&out, "step_losses", &io, "expect.step_losses", 1e-4);
        for p in PARAMETERS {
            assert_close(&out, &format!("grad.{p}"), &io, &format!("expect.grad.{p}"), 2e-4);
            assert_close(&out, &format!("final.{p}"), &io, &format!("expect.final.{p}"), 1e-3);
        }
        assert_eq!(out.tensors.len(), 2 + 2 * PARAMETERS.len());
    }
}

#[test]
fn grad_by_position_emits_a_program_that_gives_the_same_numbers() {
    let dir = folder();
    let (dir, io) = (dir.path(), tensors(dir.path(), "io.safetensors"));
    write_positional(dir, &io);
    let files = ["--inputs", "in.safetensors", "--outputs", "grad.safetensors"];
    run_ok(dir, &[&["grad", "loss.mlir", "--wrt", "3,0", "--emit", "augmented.mlir"][..], &files].concat());
    let grad = tensors(dir, "grad.safetensors");
    assert_close(&grad, "grad.arg3", &io, "expect.grad.l2.w", 2e-4);
    assert_close(&grad, "grad.arg0", &io, "expect.grad.l1.b", 2e-4);
    let files = ["--inputs", "in.safetensors", "--outputs", "out.safetensors"];
    run_ok(dir, &[&["eval", "augmented.mlir", "--function", "main"][..], &files].concat());
    let out = tensors(dir, "out.safetensors");
    for (a, b) in [("out0", "loss"), ("out1", "grad.arg3"), ("out2", "grad.arg0")] {
        assert_eq!(out.tensors[a], grad.tensors[b]);
    }
    assert_eq!(out.tensors.len(), 3);
    // Without files the program goes to standard output.
    let text = run_ok(dir, &["grad", "loss.mlir", "--wrt", "3,0"]);
    assert_eq!(text, std::fs::read_to_string(dir.join("augmented.mlir")).unwrap());
}

/// The model whose two steps are done by hand in `step.rs`, with its state, through files.
#[test]
fn state_goes_from_step_to_step() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    std::fs::write(dir.join("model.ir"), PROGRAM).unwrap();
    let mut manifest: serde_json::Value = serde_json::from_str(MANIFEST).unwrap();
    manifest["optimizer"] = serde_json::json!({ "name": "momentum", "learning_rate": 0.5, "momentum": 0.5 });
    std::fs::write(dir.join("m.json"), manifest.to_string()).unwrap();
    let pair = |x: [f32; 2]| Tensor::from_slice(&[2], &x).unwrap();
    let half = Tensor::scalar_f32(0.5);
    let (w, mean, x) = (pair([1.0, 2.0]), pair([0.0, 1.0]), pair([1.0, 3.0]));
    let mut inputs = vec![("param.w", &w), ("state.mean", &mean)];
    inputs.extend([
        ("batch.0.x", &x),
        ("batch.0.weight", &half),
        ("batch.1.x", &x),
        ("batch.1.weight", &half),
    ]);
    tensors::write(&dir.join("io.safetensors"), inputs).unwrap();
    let args = ["grad", "model.ir", "--manifest", "m.json", "--inputs", "io.safetensors", "--steps", "2"];
    run_ok(dir, &[&args[..], &["--outputs", "out.safetensors"]].concat());
    let out = tensors(dir, "out.safetensors");
    let got: Vec<(&str, Vec<f64>)> = out.tensors.iter().map(|(n, t)| (n.as_str(), t.to_f64s())).collect();
    let want: [(&str, &[f64]); 7] = [
        ("final.w", &[0.5, 26.0]),
        ("final_state.mean", &[1.5, -9.5]),
        ("grad.w", &[1.0, 15.0]),
        ("loss", &[13.0]),
        ("seen", &[1.0, 6.0]),
        ("state.mean", &[1.0, 7.0]),
        ("step_losses", &[13.0, 276.25]),
    ];
    assert_eq!(got, want.map(|(n, v)| (n, v.to_vec())));
}

/// Doubles until 100 is reached.
const DOUBLING: &str = r#"program @main(%0: f64[] "c") {
  %1: f64[] = while %0 (program @cond(%0: f64[]) {
    %1: f64[] = constant 100.0
    %2: bool[] = compare %0, %1 {comparison_direction = LT}
    return %2
  }, program @body(%0: f64[]) {
    %1: f64[] = add %0, %0
    return %1
  }) "grown"
  return %1 "loss"
}"#;

#[test]
fn a_loop_of_unknown_length_has_a_gradient_within_its_bound() {
    let dir = folder();
    let dir = dir.path();
    std::fs::write(dir.join("loop.ir"), DOUBLING).unwrap();
    let c = Tensor::from_f64s(TensorType::scalar(DType::F64), &[3.0]).unwrap();
    tensors::write(&dir.join("c.safetensors"), vec![("arg0", &c), ("batch.c", &c)]).unwrap();
    let files = ["--inputs", "c.safetensors", "--outputs", "out.safetensors"];
    run_ok(dir, &[&["grad", "loop.ir", "--wrt", "0", "--loop-bound", "8"][..], &files].concat());
    assert_eq!(tensors(dir, "out.safetensors").tensors["grad.arg0"].to_f64s(), [64.0]);
    let manifest = r#"{ "args": [{ "name": "c", "role": "parameter", "io": "batch.c" }],
      "results": [{ "role": "loss" }], "loop_bound": 6 }"#;
    std::fs::write(dir.join("m.json"), manifest).unwrap();
    let by_manifest = [&["grad", "loop.ir", "--manifest", "m.json"][..], &files].concat();
    run_ok(dir, &by_manifest);
    assert_eq!(tensors(dir, "out.safetensors").tensors["grad.c"].to_f64s(), [64.0]);
    run_ok(dir, &[&by_manifest[..], &["--loop-bound", "5"]].concat());
    assert!(tensors(dir, "out.safetensors").tensors["grad.c"].to_f64s()[0].is_nan());
    // A bound of 0 is refused, as the flag's is.
    std::fs::write(dir.join("m.json"), manifest.replace("\"loop_bound\": 6", "\"loop_bound\": 0")).unwrap();
    let e = crate::run_fails(dir, &by_manifest);
    assert!(e.contains("m.json: loop_bound: a whole number of at least 1 is expected, not 0"), "{e}");
}

#[test]
fn opt_and_export_read_what_they_print() {
    let dir = folder();
    let dir = dir.path();
    let first = run_ok(dir, &["opt", "loss.mlir", "--pass", "simplify"]);
    assert!(first.starts_with("program @main(%0: f32[48]"), "{first}");
    std::fs::write(dir.join("a.ir"), &first).unwrap();
    assert_eq!(run_ok(dir, &["opt", "a.ir"]), first);
    run_ok(dir, &["export", "a.ir", "-o", "a.mlir"]);
    assert_eq!(run_ok(dir, &["opt", "a.mlir"]), first);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let dir = folder();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = command(dir.path(), &["opt", "loss.mlir"]).stdout(writer).output().unwrap();
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

/// A file of the importer's tests in a form that is not text.
fn binary(dir: &Path, name: &str) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../stablehlo/tests/portable").join(name);
    std::fs::copy(from, dir.join(name)).unwrap();
}

#[test]
fn bytecode_and_files_of_jax_are_programs_too() {
    let dir = folder();
    let (dir, io) = (dir.path(), tensors(dir.path(), "io.safetensors"));
    write_positional(dir, &io);
    binary(dir, "mlp.mlirbc");
    let files = ["--inputs", "in.safetensors", "--outputs", "out.safetensors"];
    run_ok(dir, &[&["eval", "mlp.mlirbc"][..], &files].concat());
    assert_close(&tensors(dir, "out.safetensors"), "out0", &io, "expect.loss", 2e-5);
    run_ok(dir, &[&["grad", "mlp.mlirbc", "--wrt", "3"][..], &files].concat());
    assert_close(&tensors(dir, "out.safetensors"), "grad.arg3", &io, "expect.grad.l2.w", 2e-4);

    binary(dir, "export_mlp.jax");
    assert!(run_ok(dir, &["inspect", "export_mlp.jax"]).contains("unsupported: nothing"));
    let text = run_ok(dir, &["export", "export_mlp.jax"]);
    assert!(text.contains("loc(\"w\")") && text.contains("stablehlo.dot_general"), "{text}");
    run_ok(dir, &["opt", "export_mlp.jax"]);
    binary(dir, "export_sort.jax");
    assert!(run_ok(dir, &["export", "export_sort.jax"]).contains("stablehlo.sort"));
    binary(dir, "export_symbolic.jax");
    let json = run_ok(dir, &["inspect", "export_symbolic.jax", "--json"]);
    assert!(json.contains("\"symbols\": [\n        \"n\"\n      ]"), "{json}");
}
