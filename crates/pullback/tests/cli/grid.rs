//! eval --programs: functions of a file as the processes of a grid.

use crate::{run_fails, run_ok, tensors};
use expect_test::{Expect, expect};
use pullback::grid::Spec;
use pullback::tensors as files;
use pullback_eval::Tensor;
use pullback_ir::{DType, TensorType};
use std::path::Path;

/// Public and private functions, and one that no grid asks for.
const MODULE: &str = r#"module @grid {
  func.func private @sum(%x: tensor<2xf32>, %p: tensor<i32>) -> (tensor<2xf32>, tensor<ui32>) {
    %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %9 = stablehlo.add %l, %r : tensor<f32>
      stablehlo.return %9 : tensor<f32>
    }) : (tensor<2xf32>) -> tensor<2xf32>
    %1 = stablehlo.partition_id : tensor<ui32>
    return %0, %1 : tensor<2xf32>, tensor<ui32>
  }
  func.func @sends(%x: tensor<2xf32>, %t: !stablehlo.token) -> (!stablehlo.token, tensor<2xf32>) {
    %0 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
    return %0, %x : !stablehlo.token, tensor<2xf32>
  }
  func.func @receives(%t: !stablehlo.token) -> (tensor<2xf32>, !stablehlo.token) {
    %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
    return %0#0, %0#1 : tensor<2xf32>, !stablehlo.token
  }
  func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = "nobody.knows"(%x) : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
"#;

fn f32s(values: &[f64]) -> Tensor {
    Tensor::from_f64s(TensorType::new(DType::F32, [values.len()]), values).unwrap()
}

fn folder(spec: &str, inputs: &[(&str, Tensor)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("m.mlir"), MODULE).unwrap();
    std::fs::write(dir.path().join("spec.json"), spec).unwrap();
    let inputs = inputs.iter().map(|(name, t)| (*name, t));
    files::write(&dir.path().join("in.safetensors"), inputs).unwrap();
    dir
}

const ARGS: [&str; 8] = [
    "eval",
    "m.mlir",
    "--programs",
    "spec.json",
    "--inputs",
    "in.safetensors",
    "--outputs",
    "out.safetensors",
];

fn fails(dir: &Path, want: Expect) {
    want.assert_eq(&run_fails(dir, &ARGS));
    assert!(!dir.join("out.safetensors").exists());
}

#[test]
fn rows_are_replicas_and_columns_are_partitions() {
    let scalar = Tensor::zeros(TensorType::scalar(DType::I32));
    let mut inputs = Vec::new();
    for (i, process) in ["p0.0", "p0.1", "p1.0", "p1.1"].into_iter().enumerate() {
        inputs.push((format!("{process}.arg0"), f32s(&[i as f64, 10.0])));
        inputs.push((format!("{process}.arg1"), scalar.clone()));
    }
    let inputs: Vec<(&str, Tensor)> = inputs.iter().map(|(n, t)| (n.as_str(), t.clone())).collect();
    let dir = folder(r#"{"programs": [["sum", "sum"], ["sum", "sum"]], "n_args": 2}"#, &inputs);
    let shown = run_ok(dir.path(), &ARGS);
    assert!(shown.starts_with("p0.0.out0 f32[2] [2.0, 20.0]\np0.0.out1 u32[] [0.0]\np0.1.out0"), "{shown}");
    let out = tensors(dir.path(), "out.safetensors");
    assert_eq!(out.tensors.len(), 8);
    for (process, want) in [("p0.0", 2.0), ("p0.1", 4.0), ("p1.0", 2.0), ("p1.1", 4.0)] {
        assert_eq!(out.tensors[&format!("{process}.out0")].to_f64s(), [want, 20.0]);
        let partition = f64::from(u8::from(process.ends_with('1')));
        assert_eq!(out.tensors[&format!("{process}.out1")].to_f64s(), [partition]);
    }
}

#[test]
fn tokens_need_no_input_and_keep_their_number() {
    let dir = folder(
        r#"{"programs": [["receives"], ["sends"]], "n_args": 2}"#,
        &[("p1.0.arg0", f32s(&[3.0, 4.0]))],
    );
    run_ok(dir.path(), &ARGS);
    let out = tensors(dir.path(), "out.safetensors");
    let names: Vec<&str> = out.tensors.keys().map(String::as_str).collect();
    assert_eq!(names, ["p0.0.out0", "p1.0.out1"]);
    assert_eq!(out.tensors["p0.0.out0"].to_f64s(), [3.0, 4.0]);
}

#[test]
fn what_is_wrong_with_a_grid_is_said() {
    let x = || ("p0.0.arg0", f32s(&[1.0, 2.0]));
    let dir = folder(r#"{"programs": [["sum", "send"], ["receive"]], "nargs": 2}"#, &[]);
    fails(
        dir.path(),
        expect![[r#"
        error: spec.json: nargs: no such key; there are "programs" and "n_args"
        error: spec.json: programs[1]: 1 programs, but row 0 has 2: rows are of one length
    "#]],
    );
    let dir = folder(r#"{"programs": [["sum", "send"], ["receive", "sum"]]}"#, &[]);
    fails(
        dir.path(),
        expect![[r#"
        error: m.mlir: there is no function "receive"
        error: m.mlir: there is no function "send"
          help: the functions are: sum, sends, receives, main
    "#]],
    );
    let dir = folder(r#"{"programs": [["main"]]}"#, &[x()]);
    fails(
        dir.path(),
        expect![[r#"
        error: m.mlir:20:10: unsupported: nobody.knows
          help: rewrite the model without this operation
    "#]],
    );
    let inputs =
        [x(), ("p0.0.arg1", f32s(&[1.0])), ("p1.0.arg0", f32s(&[1.0, 2.0])), ("p9.9.arg9", f32s(&[1.0]))];
    let dir = folder(r#"{"programs": [["sum"], ["sum"]], "n_args": 4}"#, &inputs);
    fails(
        dir.path(),
        expect![[r#"
        error: in.safetensors: the tensor "p0.0.arg1" is f32[1], but argument 1 of sum is i32[]
        error: in.safetensors: there is no tensor "p1.0.arg1", needed for argument 1 of sum (i32[])
          help: the tensors of the file are: p0.0.arg0, p0.0.arg1, p1.0.arg0, p9.9.arg9
        error: in.safetensors: no program takes the tensors p9.9.arg9
          help: argument i of the program in row r and column c is named p<r>.<c>.arg<i>
        error: spec.json: n_args is 4, but a program takes 2 argument(s)
    "#]],
    );
    let dir = folder(r#"{"programs": [["sends"]]}"#, &[x()]);
    fails(
        dir.path(),
        expect![[r#"
        error: m.mlir: what (0, 0) sent on channel 1 is received by no program
    "#]],
    );
    let dir = folder(r#"{"programs": [["receives"], ["receives"]], "n_args": 0}"#, &[]);
    fails(
        dir.path(),
        expect![[r#"
        error: m.mlir: no program can go on:
          (0, 0) waits in recv for a send on channel 1
          (1, 0) waits in recv for a send on channel 1
    "#]],
    );
    for (spec, want) in [
        ("{", "spec.json:1:1: not JSON: EOF while parsing an object"),
        ("[]", "spec.json: the file: an object with the key \"programs\" is expected"),
        ("{}", "programs: a list of rows, each a list of names of functions, is expected"),
        (r#"{"programs": []}"#, "programs: there is no row"),
        (r#"{"programs": [[]]}"#, "programs[0]: there is no program"),
        (r#"{"programs": [["sum"], 3, ["sum"]]}"#, "programs[1]: a list of names is expected, not 3"),
        (r#"{"programs": [3]}"#, "programs[0]: a list of names is expected, not 3"),
        (r#"{"programs": [["sum", "sum"], [4, "sum"]]}"#, "programs[1][0]: a name is expected, not 4"),
        (r#"{"programs": [["sum"]], "n_args": -1}"#, "n_args: a number of arguments is expected, not -1"),
    ] {
        let dir = folder(spec, &[]);
        let text = run_fails(dir.path(), &ARGS);
        assert!(text.contains(want), "{spec}\n{text}");
        // One mistake, one message: what is left of the file is not complained of.
        assert_eq!(text.lines().filter(|l| l.starts_with("error")).count(), 1, "{spec}\n{text}");
    }
}

#[test]
fn a_program_that_communicates_does_not_run_alone() {
    let dir = folder(
        "{}",
        &[("arg0", f32s(&[1.0, 2.0])), ("arg1", Tensor::zeros(TensorType::new(DType::Bool, [0])))],
    );
    let text = MODULE.replace("func.func @main", "func.func private @unused");
    std::fs::write(dir.path().join("m.mlir"), text).unwrap();
    let args = ["eval", "m.mlir", "--function", "sends", "--inputs", "in.safetensors"];
    expect![[r#"
        error: m.mlir: unsupported: send in a program that runs alone: it is for a grid of programs; run the grid with pullback eval FILE --programs SPEC.json
    "#]].assert_eq(&run_fails(dir.path(), &args));
}

/// Whatever a file of a grid holds, reading it ends with a grid that is a rectangle or with an error.
#[test]
fn a_damaged_file_of_a_grid_is_an_error() {
    let good = r#"{"programs": [["a", "b"], ["c", "d"]], "n_args": 3}"#;
    assert_eq!(Spec::parse(good, "s").unwrap().programs, [["a", "b"], ["c", "d"]]);
    let pieces = [
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        "\"",
        "null",
        "1e99",
        "\"a\"",
        "[[]]",
        "\"programs\"",
        "\\",
        "\u{0}",
        "é",
    ];
    let mut refused = 0;
    for at in (0..=good.len()).filter(|&at| good.is_char_boundary(at)) {
        for piece in pieces {
            for end in [at, (at + 1).min(good.len()), good.len()] {
                let text = format!("{}{piece}{}", &good[..at], &good[end..]);
                match Spec::parse(&text, "s") {
                    Ok(spec) => {
                        let columns = spec.programs[0].len();
                        assert!(
                            columns > 0 && spec.programs.iter().all(|row| row.len() == columns),
                            "{text}"
                        );
                    }
                    Err(e) => {
                        assert!(e.to_string().contains('s'), "{text}");
                        refused += 1;
                    }
                }
            }
        }
    }
    assert!(refused > 1000, "{refused}");
    let many = format!(r#"{{"programs": [[{}"f"]]}}"#, "\"f\",".repeat(2000));
    assert!(Spec::parse(&many, "s").unwrap_err().to_string().contains("at most 1024 programs"));
}
