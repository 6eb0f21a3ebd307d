//! Wrong input: a message that says what, where and what to do; exit code 1; nothing written.

use crate::{folder, run_fails, run_ok, tensors};
use expect_test::{Expect, expect};
use pullback::tensors::write;
use std::fs;
use std::path::Path;

fn fails(dir: &Path, args: &[&str], want: Expect) {
    want.assert_eq(&run_fails(dir, args));
}

#[test]
fn missing_and_unreadable_files() {
    let dir = folder();
    let dir = dir.path();
    fails(dir, &["inspect", "none.mlir"], expect![[""]]);
    fails(dir, &["eval", "loss.mlir", "--inputs", "none.safetensors"], expect![[""]]);
    fails(dir, &["eval", "loss.mlir", "--inputs", "loss.mlir"], expect![[""]]);
    fails(dir, &["inspect", "io.safetensors"], expect![[""]]);
    fs::write(dir.join("b.mlir"), b"ML\xefR\x0dStableHLO").unwrap();
    fails(dir, &["inspect", "b.mlir"], expect![[""]]);
}

#[test]
fn missing_and_wrong_tensors() {
    let dir = folder();
    let dir = dir.path();
    let io = tensors(dir, "io.safetensors");
    let renamed =
        |t: &str| ["param.l1.b", "param.l2.b"].iter().position(|p| *p == t).map(|i| format!("arg{i}"));
    let named: Vec<_> = io.tensors.iter().filter_map(|(n, t)| Some((renamed(n)?, t))).collect();
    write(&dir.join("in.safetensors"), named.iter().map(|(n, t)| (n.as_str(), *t))).unwrap();
    let args = ["eval", "loss.mlir", "--inputs", "in.safetensors", "--outputs", "out.safetensors"];
    fails(dir, &args, expect![[""]]);
    let args = ["grad", "loss.mlir", "--manifest", "manifest.json", "--inputs", "io.safetensors"];
    fails(dir, &[&args[..], &["--outputs", "out.safetensors", "--steps", "6"]].concat(), expect![[""]]);
    assert!(!dir.join("out.safetensors").exists());
}

#[test]
fn malformed_text_and_unsupported_operations() {
    let dir = folder();
    let dir = dir.path();
    let good = fs::read_to_string(dir.join("loss.mlir")).unwrap();
    fs::write(
        dir.join("a.mlir"),
        good.replacen("stablehlo.dot_general %arg6, %arg1", "stablehlo.dot_general %arg6,", 1),
    )
    .unwrap();
    fails(dir, &["grad", "a.mlir", "--wrt", "0"], expect![[""]]);
    fs::write(
        dir.join("b.mlir"),
        good.replacen("stablehlo.tanh", "stablehlo.fft", 1).replacen("stablehlo.log", "stablehlo.sort", 1),
    )
    .unwrap();
    fails(dir, &["grad", "b.mlir", "--wrt", "0"], expect![[""]]);
    fs::write(dir.join("c.mlir"), "").unwrap();
    fails(dir, &["opt", "c.mlir"], expect![[""]]);
    fs::write(dir.join("d.ir"), "program @f(%0: f32[2]) {\n  %1: f32[3] = negate %0\n  return %1\n}\n")
        .unwrap();
    fails(dir, &["opt", "d.ir"], expect![[""]]);
    // Every prefix of a text is an error or a program, never a panic.
    for n in (0..good.len()).step_by(997) {
        fs::write(dir.join("cut.mlir"), &good.as_bytes()[..n]).unwrap();
        run_fails(dir, &["opt", "cut.mlir"]);
    }
}

#[test]
fn what_cannot_be_differentiated() {
    let dir = folder();
    let dir = dir.path();
    fails(dir, &["grad", "loss.mlir", "--wrt", "7"], expect![[""]]);
    fails(dir, &["grad", "loss.mlir", "--wrt", "12"], expect![[""]]);
    fails(dir, &["grad", "loss.mlir", "--wrt", "0,0"], expect![[""]]);
    fails(dir, &["grad", "loss.mlir", "--wrt", "0", "--function", "lost"], expect![[""]]);
    fails(dir, &["opt", "loss.mlir", "--pass", "magic"], expect![[""]]);
}

#[test]
fn outputs_are_whole_or_untouched() {
    let dir = folder();
    let dir = dir.path();
    let args =
        ["eval", "loss.mlir", "--manifest", "manifest.json", "--inputs", "io.safetensors", "--outputs"];
    fails(dir, &[&args[..], &["none/out.safetensors"]].concat(), expect![[""]]);
    fails(dir, &[&args[..], &["."]].concat(), expect![[""]]);
    run_ok(dir, &[&args[..], &["out.safetensors"]].concat());
    let before = fs::read(dir.join("out.safetensors")).unwrap();
    run_fails(dir, &[&args[..], &["out.safetensors", "--step", "9"]].concat());
    assert_eq!(fs::read(dir.join("out.safetensors")).unwrap(), before);
    assert_eq!(fs::read_dir(dir).unwrap().count(), 4, "no temporary file stays");
    if Path::new("/dev/full").exists() {
        fails(dir, &[&args[..], &["/dev/full"]].concat(), expect![[""]]);
    }
}
