//! What the binary says of itself and of a file.

use crate::{folder, run, run_ok};
use expect_test::expect;

#[test]
fn without_arguments_it_explains_itself() {
    let dir = folder();
    let out = run_ok(dir.path(), &[]);
    for word in
        ["StableHLO", "inspect", "eval", "grad", "opt", "export", "pullback grad examples/mlp/model.mlir"]
    {
        assert!(out.contains(word), "{word} in {out}");
    }
    let usage = run(dir.path(), &["grad", "loss.mlir"]);
    assert_eq!(usage.code, Some(2));
    assert!(usage.err.contains("--wrt"), "{}", usage.err);
    assert_eq!(run(dir.path(), &["gradd"]).code, Some(2));
    assert_eq!(run(dir.path(), &["--help"]).code, Some(0));
}

#[test]
fn inspect_tells_signature_costs_and_operations() {
    let dir = folder();
    let out = run_ok(dir.path(), &["inspect", "loss.mlir", "--manifest", "manifest.json"]);
    let head = out.split("  operations, calls inlined").next().unwrap();
    expect![[r#"
        loss.mlir: module mlp

        @main: 8 arguments, 1 results
          arg0    l1.b  f32[48]          parameter
          arg1    l1.w  f32[64,48]       parameter
          arg2    l2.b  f32[32]          parameter
          arg3    l2.w  f32[48,32]       parameter
          arg4    l3.b  f32[10]          parameter
          arg5    l3.w  f32[32,10]       parameter
          arg6    x     f32[32,64]       batch
          arg7    y     i32[32]          batch
          out0    loss  f32[]
          parameters: 6 tensors, 5018 elements, 19.60 KiB
          FLOPs: 322.66 k
          bytes moved: 145.14 KiB
          peak live bytes: 45.73 KiB with arguments held, 33.73 KiB with arguments freed
          gradient: yes, 77 operations with the loss
    "#]]
    .assert_eq(head);
    assert!(out.contains("3 stablehlo.dot_general") && out.contains("unsupported: nothing"), "{out}");
}

#[test]
fn inspect_gives_json() {
    let dir = folder();
    let out = run_ok(dir.path(), &["inspect", "loss.mlir", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    let main = &json["functions"][0];
    assert_eq!(main["arguments"][1]["shape"], serde_json::json!([64, 48]));
    // Without a manifest all floating-point arguments count: the images too.
    assert_eq!(main["parameters"]["elements"], 5018 + 32 * 64);
    assert_eq!(json["operations"]["stablehlo.dot_general"]["count"], 3);
    assert_eq!(json["unsupported"], serde_json::json!([]));
}

#[test]
fn inspect_lists_what_is_unsupported_and_fails() {
    let dir = folder();
    let text = "\
module @m {
  func.func public @main(%arg0: tensor<4x4xf32>) -> tensor<f32> {
    %0 = stablehlo.infeed %arg0 : tensor<4x4xf32>
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
    return %1 : tensor<f32>
  }
}
";
    std::fs::write(dir.path().join("c.mlir"), text).unwrap();
    let o = run(dir.path(), &["inspect", "c.mlir"]);
    assert_eq!(o.code, Some(1));
    expect![[r#"
        error: c.mlir:3:10: unsupported: stablehlo.infeed
          help: pass what goes in and out as arguments and results
    "#]]
    .assert_eq(&o.err);
    expect![[r#"
        c.mlir: cannot be imported, see "unsupported" below

        operations in the text: 4 in 1 functions
              1 stablehlo.add          1 stablehlo.constant     1 stablehlo.infeed
              1 stablehlo.reduce

        unsupported: stablehlo.infeed, 1 times, first at c.mlir:3:10
          help: pass what goes in and out as arguments and results
    "#]]
    .assert_eq(&o.out);
    let o = run(dir.path(), &["inspect", "c.mlir", "--json"]);
    let about: serde_json::Value = serde_json::from_str(&o.out).unwrap();
    assert_eq!((o.code, &about["unsupported"][0]["op"]), (Some(1), &"stablehlo.infeed".into()));
}
