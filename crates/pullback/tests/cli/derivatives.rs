//! Every mode of `grad`, what it explains, and derivatives of fixtures: the numbers are JAX's, or closed forms.

use crate::{assert_close, run, run_fails, run_ok, tensors};
use expect_test::expect;
use pullback::tensors::{self as files, TensorFile};
use pullback_eval::Tensor;
use serde_json::Value as Json;
use std::path::Path;

/// A folder with some files of another.
fn folder(from: &str, names: &[&str]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for name in names {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join(from).join(name);
        std::fs::copy(from, dir.path().join(name)).unwrap();
    }
    dir
}

const FILES: [&str; 3] = ["loss.mlir", "manifest.json", "io.safetensors"];
const BY_MANIFEST: [&str; 8] = [
    "grad",
    "loss.mlir",
    "--manifest",
    "manifest.json",
    "--inputs",
    "io.safetensors",
    "--outputs",
    "out.safetensors",
];

fn json(path: &Path) -> Json {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// What a fixture expects of its gradients, under this prefix.
fn gradients_agree(dir: &Path, out: &TensorFile, kind: &str) {
    let manifest = json(&dir.join("manifest.json"));
    let io = tensors(dir, "io.safetensors");
    let tolerance = manifest["tolerance"]["grad_rtol_of_max"].as_f64().unwrap();
    for g in manifest["gradients"].as_array().unwrap() {
        let name = g["arg"].as_str().unwrap();
        assert_close(out, &format!("{kind}.{name}"), &io, &format!("expect.{kind}.{name}"), tolerance);
    }
    assert_close(out, "loss", &io, "expect.loss", 2e-5);
}

#[test]
fn hessian_vector_products_are_those_of_jax() {
    let dir = folder("../autodiff/tests/fixtures/hvp", &FILES);
    let dir = dir.path();
    run_ok(dir, &[&BY_MANIFEST[..], &["--mode", "hvp", "--emit", "hvp.mlir"]].concat());
    let out = tensors(dir, "out.safetensors");
    gradients_agree(dir, &out, "hvp");
    gradients_agree(dir, &out, "grad");
    // The dense Hessian times the same vector.
    run_ok(dir, &[&BY_MANIFEST[..], &["--mode", "hessian"]].concat());
    let dense = tensors(dir, "out.safetensors");
    let io = tensors(dir, "io.safetensors");
    let names = ["b1", "w1", "w2"];
    for a in names {
        let want = out.tensors[&format!("hvp.{a}")].to_f64s();
        let mut got = vec![0.0; want.len()];
        for b in names {
            let v = io.tensors[&format!("vector.{b}")].to_f64s();
            let block = dense.tensors[&format!("hessian.{a}.{b}")].to_f64s();
            for (row, got) in block.chunks(v.len()).zip(&mut got) {
                *got += row.iter().zip(&v).map(|(h, v)| h * v).sum::<f64>();
            }
        }
        let scale = want.iter().fold(0f64, |m, v| m.max(v.abs()));
        assert!(got.iter().zip(&want).all(|(a, b)| (a - b).abs() <= 1e-4 * scale), "{a}: {got:?} {want:?}");
    }
}

/// Gradients through three inner steps whose gradients JAX has written into the module.
#[test]
fn hypergradients_are_those_of_jax() {
    let dir = folder("../autodiff/tests/fixtures/hypergrad", &FILES);
    run_ok(dir.path(), &BY_MANIFEST);
    gradients_agree(dir.path(), &tensors(dir.path(), "out.safetensors"), "grad");
}

/// Computations of four devices, differentiated as programs of one.
#[test]
fn gradients_of_computations_of_devices() {
    for name in ["manual_ring_ppermute", "manual_moe_all_to_all", "manual_tp_gather_scatter"] {
        let dir = folder(&format!("tests/data/sharded/{name}"), &FILES);
        run_ok(dir.path(), &BY_MANIFEST);
        gradients_agree(dir.path(), &tensors(dir.path(), "out.safetensors"), "grad");
    }
}

/// sum(w w x) and w x of w = [1, 2], x = [3, 4].
const PROGRAM: &str = r#"program @f(%0: f64[2] "w", %1: f64[2] "x") {
  %2: f64[2] = multiply %0, %1
  %3: f64[2] = multiply %0, %2
  %4: f64[] = reduce %3 {dimensions = [0], monoid = add}
  return %4, %2
}
"#;

fn polynomial() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("f.ir"), PROGRAM).unwrap();
    let pair = |x: [f64; 2]| Tensor::from_slice(&[2], &x).unwrap();
    let all = [
        ("arg0", pair([1.0, 2.0])),
        ("arg1", pair([3.0, 4.0])),
        ("tangent.arg0", pair([1.0, 10.0])),
        ("vector.arg0", pair([1.0, 10.0])),
        ("ct.out0", Tensor::from_slice(&[], &[2.0]).unwrap()),
        ("ct.out1", pair([0.0, 100.0])),
    ];
    files::write(&dir.path().join("in.safetensors"), all.iter().map(|(n, t)| (*n, t))).unwrap();
    dir
}

fn given(dir: &Path, mode: &str, wrt: &str) -> Vec<(String, Vec<usize>, Vec<f64>)> {
    let args = ["grad", "f.ir", "--inputs", "in.safetensors", "--outputs", "out.safetensors"];
    run_ok(dir, &[&args[..], &["--mode", mode, "--wrt", wrt]].concat());
    let out = tensors(dir, "out.safetensors").tensors;
    out.into_iter().map(|(n, t)| (n, t.shape().to_vec(), t.to_f64s())).collect()
}

fn row(name: &str, shape: &[usize], values: &[f64]) -> (String, Vec<usize>, Vec<f64>) {
    (name.to_owned(), shape.to_vec(), values.to_vec())
}

#[test]
fn modes_by_position_and_by_name() {
    let dir = polynomial();
    let dir = dir.path();
    let out1 = row("out1", &[2], &[3.0, 8.0]);
    let want = [row("out0", &[], &[19.0]), out1.clone()];
    let tangents = [row("tangent.out0", &[], &[166.0]), row("tangent.out1", &[2], &[3.0, 40.0])];
    assert_eq!(given(dir, "jvp", "0"), [&want[..], &tangents].concat());
    let gradient = [row("grad.arg0", &[2], &[12.0, 432.0])];
    assert_eq!(given(dir, "vjp", "w"), [&gradient[..], &want].concat());
    let jacobians = [
        row("jac.out0.arg0", &[2], &[6.0, 16.0]),
        row("jac.out0.arg1", &[2], &[1.0, 4.0]),
        row("jac.out1.arg0", &[2, 2], &[3.0, 0.0, 0.0, 4.0]),
        row("jac.out1.arg1", &[2, 2], &[1.0, 0.0, 0.0, 2.0]),
    ];
    for mode in ["jacfwd", "jacrev"] {
        assert_eq!(given(dir, mode, "w,1"), [&jacobians[..], &want].concat());
    }
    let loss = [row("loss", &[], &[19.0]), out1];
    let gradient = [row("grad.arg0", &[2], &[6.0, 16.0])];
    assert_eq!(given(dir, "value-and-grad", "0"), [&gradient[..], &loss].concat());
    let product = [row("hvp.arg0", &[2], &[6.0, 80.0])];
    assert_eq!(given(dir, "hvp", "0"), [&gradient[..], &product, &loss].concat());
    let hessian = [
        row("hessian.arg0.arg0", &[2, 2], &[6.0, 0.0, 0.0, 8.0]),
        row("hessian.arg0.arg1", &[2, 2], &[2.0, 0.0, 0.0, 4.0]),
        row("hessian.arg1.arg0", &[2, 2], &[2.0, 0.0, 0.0, 4.0]),
        row("hessian.arg1.arg1", &[2, 2], &[0.0; 4]),
    ];
    let gradients = [&gradient[..], &[row("grad.arg1", &[2], &[1.0, 4.0])]].concat();
    assert_eq!(given(dir, "hessian", "0,1"), [&gradients[..], &hessian, &loss].concat());
}

#[test]
fn modes_as_json() {
    let dir = polynomial();
    let args = ["grad", "f.ir", "--mode", "hvp", "--wrt", "w", "--json"];
    let about: Json = serde_json::from_str(&run_ok(dir.path(), &args)).unwrap();
    assert_eq!(about["mode"], "hvp");
    assert_eq!(about["takes"][0]["name"], "vector.arg0");
    assert_eq!(about["gives"][3]["name"], "hvp.arg0");
    assert!(about["values"].as_array().unwrap().is_empty());
    let args = [&args[..], &["--inputs", "in.safetensors"]].concat();
    let about: Json = serde_json::from_str(&run_ok(dir.path(), &args)).unwrap();
    assert_eq!(about["values"][3]["values"], serde_json::json!([6.0, 80.0]));
}

#[test]
fn residuals_are_explained() {
    let dir = folder("tests/data/mlp", &FILES);
    let dir = dir.path();
    let args = ["grad", "loss.mlir", "--manifest", "manifest.json", "--explain"];
    let text = run_ok(dir, &args);
    expect![[r#"
        loss.mlir: residuals of the gradient of @main with respect to l1.b, l1.w, l2.b, l2.w, l3.b, l3.w

          value               type         bytes  made by      kept for the pullback of
          l2.w                f32[48,32]    6144  argument     dot_general 5
          l3.w                f32[32,10]    1280  argument     dot_general 10
          x                   f32[32,64]    8192  argument     dot_general 0
          relu/1              f32[32,48]    6144  composite    dot_general 5
          -                   bool[32,48]   1536  compare      composite relu/1
          9                   f32[32,32]    4096  tanh         tanh 9, dot_general 10
          23                  f32[32,10]    1280  exponential  exponential 23
          26                  f32[32]        128  abs          log 27
          -                   bool[32]        32  compare      abs 26
          take_along_axis/5   i32[32,1,1]    128  reshape      gather take_along_axis/13
          take_along_axis/12  bool[32,1]      32  reduce       select take_along_axis/15

        kept: 13.06 KiB, and 15.25 KiB of arguments, which are there anyway
        peak live bytes of loss and gradients: 59924 bytes (58.52 KiB), arguments held
    "#]]
    .assert_eq(&text);
    let peak = {
        let about: Json = serde_json::from_str(&run_ok(dir, &[&args[..], &["--json"]].concat())).unwrap();
        let kept = about["residuals"].as_array().unwrap();
        let sum: u64 = kept.iter().filter(|r| !r["op"].is_null()).map(|r| r["bytes"].as_u64().unwrap()).sum();
        assert_eq!(about["bytes"].as_u64().unwrap(), sum);
        assert!(kept.iter().all(|r| !r["readers"].as_array().unwrap().is_empty()));
        assert!(about["recomputation"].is_null());
        about["peak_live_bytes"].as_u64().unwrap()
    };
    let with = |memory: u64| -> Json {
        let memory = memory.to_string();
        serde_json::from_str(&run_ok(dir, &[&args[..], &["--json", "--memory", &memory]].concat())).unwrap()
    };
    let roomy = with(peak);
    assert_eq!(roomy["recomputation"]["again"].as_array().unwrap().len(), 0);
    let tight = with(0);
    let table = &tight["recomputation"];
    assert_eq!(table["fits"], false);
    let least = table["peak_after"].as_u64().unwrap();
    assert!(least <= peak && table["peak_before"].as_u64() == Some(peak), "{table}");
    let text = run_ok(dir, &[&args[..], &["--memory", &least.to_string()]].concat());
    assert!(text.contains(&format!("within the limit of {least}")), "{text}");
}

/// Wrong requests say what, where and what to do.
#[test]
fn what_is_no_loss_or_has_no_derivative() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let file = |name: &str, text: &str| std::fs::write(dir.join(name), text).unwrap();
    file(
        "vector.mlir",
        "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n  return %x : tensor<2xf32>\n}\n",
    );
    for mode in ["value-and-grad", "hvp", "hessian"] {
        let e = run_fails(dir, &["grad", "vector.mlir", "--wrt", "0", "--mode", mode]);
        assert!(e.contains("vector.mlir:1:1: cannot take a gradient: the first result is f32[2]"), "{e}");
        assert!(e.contains("use vjp with a cotangent of its shape"), "{e}");
    }
    file(
        "integer.mlir",
        "func.func @main(%n: tensor<i32>, %x: tensor<f32>) -> tensor<f32> {\n  return %x : tensor<f32>\n}\n",
    );
    for mode in ["value-and-grad", "jvp", "vjp", "hvp", "jacfwd", "jacrev", "hessian"] {
        let e = run_fails(dir, &["grad", "integer.mlir", "--wrt", "0", "--mode", mode]);
        assert!(
            e.contains("integer.mlir:1:1: cannot differentiate with respect to argument 0 (n)"),
            "{mode}: {e}"
        );
        assert!(e.contains("its type i32[] has no cotangents; only floating-point arguments"), "{mode}: {e}");
    }
    let e = run_fails(dir, &["grad", "integer.mlir", "--wrt", "weight"]);
    expect![[r#"
        error: integer.mlir: main has no argument named "weight"
          help: give a position from 0 or one of: arg0 (or n), arg1 (or x)
    "#]]
    .assert_eq(&e);
    let o = run(dir, &["grad", "integer.mlir", "--wrt", "1", "--memory", "5"]);
    assert_eq!(o.code, Some(2), "{}", o.err);
    let dir = polynomial();
    let args = ["grad", "f.ir", "--mode", "vjp", "--wrt", "0", "--explain"];
    expect![[r#"
        error: unsupported: --explain of --mode vjp
          help: it explains value-and-grad; leave --mode out
    "#]]
    .assert_eq(&run_fails(dir.path(), &args));
    files::write(&dir.path().join("in.safetensors"), std::iter::empty()).unwrap();
    let e =
        run_fails(dir.path(), &["grad", "f.ir", "--mode", "jvp", "--wrt", "0", "--inputs", "in.safetensors"]);
    assert!(e.contains("there is no tensor \"arg0\""), "{e}");
}

const BITS: &str = "func.func @main(%x: tensor<f64>) -> tensor<f32> {
  %two = stablehlo.constant dense<2.0> : tensor<f64>
  %twice = stablehlo.multiply %x, %two : tensor<f64>
  %halves = stablehlo.bitcast_convert %twice : (tensor<f64>) -> tensor<2xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%halves init: %zero) applies stablehlo.add across dimensions = [0]
    : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  return %sum : tensor<f32>
}
";

const LOOP: &str = "func.func @main(%x: tensor<f64>) -> tensor<f64> {
  %end = stablehlo.constant dense<100.0> : tensor<f64>
  %out = stablehlo.while(%c = %x) : tensor<f64>
    cond {
      %more = stablehlo.compare LT, %c, %end : (tensor<f64>, tensor<f64>) -> tensor<i1>
      stablehlo.return %more : tensor<i1>
    } do {
      %next = stablehlo.add %c, %c : tensor<f64>
      stablehlo.return %next : tensor<f64>
    }
  return %out : tensor<f64>
}
";

/// The op is named, with the value of the text that it defines and what to do instead.
#[test]
fn ops_that_stop_a_derivative_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    std::fs::write(dir.join("bits.mlir"), BITS).unwrap();
    let e = run_fails(dir, &["grad", "bits.mlir", "--wrt", "x"]);
    expect![[r#"
        error: bits.mlir:4:13: unsupported: no derivative of bitcast_convert (it defines halves); bits have no derivative: use stop_gradient on what is cast, or convert by value
    "#]].assert_eq(&e);
    assert_eq!(e, run_fails(dir, &["check-grad", "bits.mlir"]));
    std::fs::write(dir.join("loop.mlir"), LOOP).unwrap();
    let e = run_fails(dir, &["grad", "loop.mlir", "--wrt", "x"]);
    expect![[r#"
        error: loop.mlir:3:10: unsupported: reverse mode through a while (it defines out) whose number of turns depends on data: state the most turns it may take (Options::loop_bound, --loop-bound N; beyond it the gradient is NaN), or let its condition say so (`i < 100` joined by and, i counting turns); forward mode (jvp) needs no bound
    "#]].assert_eq(&e);
    // With a bound: 3 is doubled six times.
    let x = Tensor::from_slice(&[], &[3.0f64]).unwrap();
    files::write(&dir.join("in.safetensors"), [("arg0", &x)]).unwrap();
    let args = ["grad", "loop.mlir", "--wrt", "x", "--inputs", "in.safetensors", "--json", "--loop-bound"];
    let gradient = |bound: &str| -> Json {
        let about: Json = serde_json::from_str(&run_ok(dir, &[&args[..], &[bound]].concat())).unwrap();
        about["values"][1]["values"][0].clone()
    };
    assert_eq!(gradient("10"), 64.0);
    assert!(gradient("5").is_null(), "past the bound it is NaN");
    // Forward mode needs none, nor does a test of it along a given bound.
    run_ok(dir, &["grad", "loop.mlir", "--wrt", "x", "--mode", "jacfwd"]);
    run_ok(dir, &["check-grad", "loop.mlir", "--loop-bound", "10", "--inputs", "in.safetensors"]);
}

#[test]
fn results_without_a_jacobian_are_said() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let write = |types: &str, results: &str| {
        let text = format!(
            "func.func @main(%x: tensor<3xf32>) -> ({types}) {{
  %0 = stablehlo.convert %x : (tensor<3xf32>) -> tensor<3xi32>
  %1 = stablehlo.sine %x : tensor<3xf32>
  return {results} : {types}
}}
"
        );
        std::fs::write(dir.join("m.mlir"), text).unwrap();
    };
    for mode in ["jacfwd", "jacrev"] {
        let args = ["grad", "m.mlir", "--wrt", "0", "--mode", mode];
        write("tensor<3xi32>, tensor<3xf32>", "%0, %1");
        let o = run(dir, &args);
        assert!(o.code == Some(0) && o.out.contains("jac.out1.x"), "{}{}", o.out, o.err);
        assert!(o.err.contains("note: out0 (i32[3]) is left out: only floating-point results"), "{}", o.err);
        write("tensor<3xi32>", "%0");
        let e = run_fails(dir, &args);
        assert!(e.contains("unsupported: a Jacobian of main, which has no floating-point result"), "{e}");
    }
}

/// Eigenvalues can be differentiated once: the second time the op is named.
#[test]
fn a_derivative_past_its_depth_is_refused() {
    let dir = folder("../autodiff/tests/fixtures/jax", &["eigvals.mlir"]);
    run_ok(dir.path(), &["grad", "eigvals.mlir", "--wrt", "0", "--mode", "jvp", "--emit", "once.mlir"]);
    let e = run_fails(dir.path(), &["grad", "once.mlir", "--wrt", "0", "--mode", "jvp"]);
    expect![[r#"
        error: once.mlir:4:12: unsupported: no derivative of eigenvectors by lapack_geev (it defines eigvals/0); eigenvectors of a general matrix have no rule (as in JAX): use eigh where it is Hermitian, or stop their gradient; second derivatives of eigenvalues need them too
    "#]].assert_eq(&e);
}

#[test]
fn bits_that_come_back_have_no_derivative() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let text = "func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.bitcast_convert %x : (tensor<f32>) -> tensor<i32>
  %1 = stablehlo.bitcast_convert %0 : (tensor<i32>) -> tensor<f32>
  %2 = stablehlo.multiply %1, %x : tensor<f32>
  return %2 : tensor<f32>
}
";
    std::fs::write(dir.join("bits.mlir"), text).unwrap();
    let x = Tensor::from_slice(&[], &[3.0f32]).unwrap();
    files::write(&dir.join("in.safetensors"), [("arg0", &x)]).unwrap();
    let o = run(dir, &["grad", "bits.mlir", "--wrt", "0", "--inputs", "in.safetensors", "--json"]);
    assert_eq!(o.code, Some(0), "{}", o.err);
    assert!(o.err.contains("warning: 1 is made of the bits of x, so its derivative is zero"), "{}", o.err);
    // What is made of bits counts as a constant.
    let about: Json = serde_json::from_str(&o.out).unwrap();
    assert_eq!(about["values"][1]["values"], serde_json::json!([3.0]));
}
