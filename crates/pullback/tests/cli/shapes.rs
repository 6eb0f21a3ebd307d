//! Models with open shapes: values at two choices of sizes are JAX's, and what is missing or contradictory is said.

use crate::{run_fails, run_ok, tensors};
use expect_test::{Expect, expect};
use pullback::source;
use pullback::tensors::{self, TensorFile};
use pullback_eval::{CpuDevice, Device, ReferenceDevice, Tensor, evaluate};
use pullback_stablehlo::ImportOptions;
use std::path::{Path, PathBuf};

const CASES: [&str; 15] = [
    "attention",
    "best",
    "bits",
    "convolve",
    "expressions",
    "gather",
    "loops",
    "loss",
    "mlp",
    "platforms",
    "pool",
    "random",
    "ranges",
    "reshape",
    "summary",
];

fn polymorphic() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../stablehlo/tests/polymorphic")
}

/// A choice's tensors of one kind, in order.
fn list<'a>(file: &'a TensorFile, choice: &str, kind: &str) -> Vec<&'a Tensor> {
    (0..).map_while(|i| file.tensors.get(&format!("{choice}.{kind}{i}"))).collect()
}

fn assert_same(what: &str, got: &Tensor, want: &Tensor) {
    assert_eq!(got.ty(), want.ty(), "{what}");
    if !got.dtype().is_float() {
        return assert_eq!(got, want, "{what}");
    }
    let (got, want) = (got.to_f64s(), want.to_f64s());
    let scale = want.iter().filter(|v| v.is_finite()).fold(1e-3f64, |m, v| m.max(v.abs()));
    for (i, (g, w)) in got.iter().zip(&want).enumerate() {
        assert!(g == w || (g - w).abs() <= 2e-5 * scale, "{what}[{i}] is {g}, not {w}");
    }
}

#[test]
fn values_are_those_of_jax_at_two_specializations() {
    for name in CASES {
        let io = TensorFile::read(&polymorphic().join(format!("{name}.safetensors"))).unwrap();
        for choice in ["a", "b"] {
            let (args, want) = (list(&io, choice, "arg"), list(&io, choice, "out"));
            let shapes = args.iter().map(|t| t.shape().to_vec()).enumerate();
            let options = ImportOptions { tensors: shapes.collect(), ..ImportOptions::default() };
            let loaded = source::load(&polymorphic().join(format!("{name}.jax")), &options)
                .unwrap_or_else(|e| panic!("{name} {choice}: {e}"));
            let program = loaded.chosen(None).unwrap();
            let args: Vec<Tensor> = args.into_iter().cloned().collect();
            let cpu = CpuDevice { threads: 1 };
            for device in [&ReferenceDevice as &dyn Device, &cpu] {
                let got = evaluate(device, program, &args).unwrap_or_else(|e| panic!("{name} {choice}: {e}"));
                assert_eq!(got.len(), want.len(), "{name}");
                for (i, (g, w)) in got.iter().zip(&want).enumerate() {
                    assert_same(&format!("{name} {choice}.out{i}"), g, w);
                }
            }
        }
    }
}

/// A folder with a polymorphic model and the tensors of a choice under the names arg0, arg1, … .
fn folder(name: &str, choice: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::copy(polymorphic().join(format!("{name}.jax")), dir.path().join("model.jax")).unwrap();
    let io = TensorFile::read(&polymorphic().join(format!("{name}.safetensors"))).unwrap();
    let args = list(&io, choice, "arg");
    let named: Vec<(String, &Tensor)> =
        args.into_iter().enumerate().map(|(i, t)| (format!("arg{i}"), t)).collect();
    tensors::write(&dir.path().join("in.safetensors"), named.iter().map(|(n, t)| (n.as_str(), *t))).unwrap();
    dir
}

#[test]
fn every_command_takes_shapes() {
    let dir = folder("mlp", "b");
    let dir = dir.path();
    let sizes = ["--shapes", "b=7"];
    // Of the inputs, or said.
    let eval = ["eval", "model.jax", "--inputs", "in.safetensors"];
    assert_eq!(run_ok(dir, &eval), run_ok(dir, &[&eval[..], &sizes].concat()));
    let opt = run_ok(dir, &["opt", "model.jax", "--shapes", "b=7"]);
    assert_eq!(opt, run_ok(dir, &["opt", "model.jax", "--shape", "arg2=7x3"]));
    assert_eq!(opt, run_ok(dir, &["opt", "model.jax", "--shape", "x=7x3"]));
    assert!(
        opt.starts_with("program @main(%0: f32[5] \"b\", %1: f32[3,5] \"w\", %2: f32[7,3] \"x\")"),
        "{opt}"
    );
    run_ok(dir, &["export", "model.jax", "--shapes", "b=7", "-o", "static.mlir"]);
    assert_eq!(run_ok(dir, &["eval", "static.mlir", "--inputs", "in.safetensors"]), run_ok(dir, &eval));
    let grad =
        ["grad", "model.jax", "--wrt", "1", "--inputs", "in.safetensors", "--outputs", "out.safetensors"];
    run_ok(dir, &grad);
    assert_eq!(tensors(dir, "out.safetensors").tensors["grad.arg1"].shape(), [3, 5]);
    let inspect = run_ok(dir, &["inspect", "model.jax", "--shapes", "b=7"]);
    assert!(inspect.contains("arg2    x  f32[7,3]"), "{inspect}");
}

#[test]
fn inspect_shows_open_shapes_and_says_how_to_specialize() {
    let dir = folder("expressions", "a");
    let text = run_ok(dir.path(), &["inspect", "model.jax"]);
    let signature: String =
        text.lines().take_while(|l| !l.starts_with("operations")).map(|l| format!("{l}\n")).collect();
    expect![[r#"
        model.jax: shapes are open

        @main: 3 arguments, 2 results, open shapes
          arg0    x  f32[b,4]
          arg1    y  f32[2*b + 1]
          arg2    z  f32[floordiv(b, 2),max(b, 6)]
          out0    result[0]  f32[2*b + 1]
          out1    result[1]  f32[]
          symbols: b
          specialize with --shapes b=8, or --shape arg0=8x4

    "#]]
    .assert_eq(&signature);
    let json = run_ok(dir.path(), &["inspect", "model.jax", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["signatures"][0]["symbols"], serde_json::json!(["b"]));
    assert_eq!(json["signatures"][0]["arguments"][1]["shape"], serde_json::json!(["2*b + 1"]));
}

fn check(name: &str, args: &[&str], want: Expect) {
    let dir = folder(name, "a");
    want.assert_eq(&run_fails(dir.path(), args));
}

#[test]
fn shapes_that_are_missing_or_wrong() {
    check(
        "expressions",
        &["opt", "model.jax"],
        expect![[r#"
        error: model.jax:byte 1347: shapes of @main are open: arg0 (x) f32[b,4], arg1 (y) f32[2*b + 1], arg2 (z) f32[floordiv(b, 2),max(b, 6)]
          help: give sizes of the symbols, as in --shapes b=8, or shapes of arguments, as in --shape arg0=8x128
    "#]],
    );
    check(
        "expressions",
        &["opt", "model.jax", "--shape", "arg0=4x4", "--shape", "y=7"],
        expect![[r#"
        error: model.jax:byte 1347: argument y: dimension 0 is 7, but 2*b + 1 with b = 4 (from argument x, dimension 0) is 9
    "#]],
    );
    check(
        "expressions",
        &["opt", "model.jax", "--shape", "y=8"],
        expect![[r#"
        error: model.jax:byte 1347: argument y: dimension 0 is 8, but 2*b + 1 is that for no b
    "#]],
    );
    check(
        "expressions",
        &["opt", "model.jax", "--shapes", "b=1"],
        expect![[r#"
        error: model.jax:byte 1624: Input shapes do not match the symbolic shape constraint b >= 2. Expected 'b - 2' to be greater or equal to 0, but found -1.  Using the following polymorphic shapes specifications: args[0].shape = (b, 4),args[1].shape = (2*b + 1,),args[2].shape = (floordiv(b, 2), max(b, 6)). Obtained dimension variables: 'b' = 1 from specification 'b' for dimension args[0].shape[0] (= 1), . Please see https://docs.jax.dev/en/latest/export/shape_poly.html#shape-assertion-errors for more details.
    "#]],
    );
    check(
        "expressions",
        &["opt", "model.jax", "--shapes", "b=4,c=2"],
        expect![[r#"
        error: model.jax:byte 1347: no size is written with the symbol c
          help: the symbols are b
    "#]],
    );
    check(
        "expressions",
        &["opt", "model.jax", "--shape", "arg0=4x5"],
        expect![[r#"
        error: model.jax:byte 1347: argument x is tensor<?x4xf32>, and the shape given is 4x5
    "#]],
    );
    check(
        "expressions",
        &["opt", "model.jax", "--shape", "w=4x5"],
        expect![[r#"
        error: model.jax:byte 1347: @main has no argument w
          help: its arguments are arg0 (x), arg1 (y), arg2 (z)
    "#]],
    );
    check(
        "attention",
        &["opt", "model.jax", "--shapes", "b=3,t=4"],
        expect![[r#"
        error: model.jax:byte 2356: Input shapes do not match the symbolic shape constraint 2*floordiv(b, 2) == b. Expected '2*floordiv(b, 2) - b' to be equal to 0, but found -1.  Using the following polymorphic shapes specifications: args[0].shape = (b, t, 8),args[1].shape = (b, t). Obtained dimension variables: 'b' = 3 from specification 'b' for dimension args[0].shape[0] (= 3), 't' = 4 from specification 't' for dimension args[0].shape[1] (= 4), . Please see https://docs.jax.dev/en/latest/export/shape_poly.html#shape-assertion-errors for more details.
        error: model.jax:byte 2396: Input shapes do not match the symbolic shape constraint mod(b, 2) == 0. Expected 'mod(b, 2)' to be equal to 0, but found 1.  Using the following polymorphic shapes specifications: args[0].shape = (b, t, 8),args[1].shape = (b, t). Obtained dimension variables: 'b' = 3 from specification 'b' for dimension args[0].shape[0] (= 3), 't' = 4 from specification 't' for dimension args[0].shape[1] (= 4), . Please see https://docs.jax.dev/en/latest/export/shape_poly.html#shape-assertion-errors for more details.
    "#]],
    );
    check(
        "attention",
        &["eval", "model.jax", "--inputs", "in.safetensors", "--shapes", "t=6"],
        expect![[r#"
        error: model.jax:byte 1989: argument x: dimension 1 is 5, but t = 6 (as given)
        error: model.jax:byte 1989: argument mask: dimension 1 is 5, but t = 6 (as given)
    "#]],
    );
    check(
        "mlp",
        &["opt", "model.jax", "--shape", "arg0=6", "--shapes", "b=1"],
        expect![[r#"
        error: model.jax:byte 1256: argument b is tensor<5xf32>, and the shape given is 6
    "#]],
    );
}

#[test]
fn platforms_are_chosen() {
    let dir = folder("platforms", "a");
    let opt =
        |flags: &[&str]| run_ok(dir.path(), &[&["opt", "model.jax", "--shapes", "n=3"], flags].concat());
    assert_eq!(opt(&[]), opt(&["--platform", "cpu"]));
    assert!(opt(&[]).contains("add") && !opt(&[]).contains("multiply"));
    assert!(opt(&["--platform", "cuda"]).contains("multiply"));
    check(
        "platforms",
        &["opt", "model.jax", "--shapes", "n=3", "--platform", "tpu"],
        expect![[r#"
        error: model.jax:byte 710: the module is not for tpu
          help: choose one of its platforms: cpu, cuda
    "#]],
    );
}
