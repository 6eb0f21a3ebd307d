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
    fails(
        dir,
        &["inspect", "none.mlir"],
        expect![[r#"
        error: none.mlir: cannot be read: no such file or folder
          help: check the path; it is relative to the current folder
    "#]],
    );
    fails(
        dir,
        &["eval", "loss.mlir", "--inputs", "none.safetensors"],
        expect![[r#"
        error: none.safetensors: cannot be read: no such file or folder
          help: check the path; it is relative to the current folder
    "#]],
    );
    fails(
        dir,
        &["eval", "loss.mlir", "--inputs", "loss.mlir"],
        expect![[r#"
        error: loss.mlir: not a safetensors file, or a damaged one: header too large
    "#]],
    );
    fails(
        dir,
        &["inspect", "io.safetensors"],
        expect![[r#"
            error: io.safetensors:byte 2280: neither MLIR text nor bytecode, and not a whole serialized jax.export.Exported: cut off, or another file
        "#]],
    );
    fs::write(dir.join("b.mlir"), b"ML\xefR\x0dStableHLO").unwrap();
    fails(
        dir,
        &["inspect", "b.mlir"],
        expect![[r#"
            error: b.mlir:byte 5: a string without an end: the file is cut off or damaged
        "#]],
    );
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
    fails(
        dir,
        &args,
        expect![[r#"
        error: in.safetensors: the tensor "arg1" is f32[32], but argument 1 (arg1) of main is f32[64,48]
        error: in.safetensors: there is no tensor "arg2", needed for argument 2 (arg2) of main (f32[32])
        error: in.safetensors: there is no tensor "arg3", needed for argument 3 (arg3) of main (f32[48,32])
        error: in.safetensors: there is no tensor "arg4", needed for argument 4 (arg4) of main (f32[10])
        error: in.safetensors: there is no tensor "arg5", needed for argument 5 (arg5) of main (f32[32,10])
        error: in.safetensors: there is no tensor "arg6", needed for argument 6 (arg6) of main (f32[32,64])
        error: in.safetensors: there is no tensor "arg7", needed for argument 7 (arg7) of main (i32[32])
          help: the tensors of the file are: arg0, arg1
    "#]],
    );
    let args = ["grad", "loss.mlir", "--manifest", "manifest.json", "--inputs", "io.safetensors"];
    fails(
        dir,
        &[&args[..], &["--outputs", "out.safetensors", "--steps", "6"]].concat(),
        expect![[r#"
        error: io.safetensors: there is no tensor "batch.5.x", needed for "x" of step 5 (f32[32,64])
        error: io.safetensors: there is no tensor "batch.5.y", needed for "y" of step 5 (i32[32])
          help: the tensors of the file are: batch.0.x, batch.0.y, batch.1.x, batch.1.y, batch.2.x, batch.2.y, batch.3.x, batch.3.y, batch.4.x, batch.4.y, expect.final.l1.b, expect.final.l1.w, and 18 more
    "#]],
    );
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
    fails(
        dir,
        &["grad", "a.mlir", "--wrt", "0"],
        expect![[r#"
        error: a.mlir:3:10: stablehlo.dot_general has 1 operand(s) but 2 operand type(s)
    "#]],
    );
    fs::write(
        dir.join("b.mlir"),
        good.replacen("stablehlo.tanh", "stablehlo.infeed", 1).replacen(
            "stablehlo.log",
            "stablehlo.outfeed",
            1,
        ),
    )
    .unwrap();
    fails(
        dir,
        &["grad", "b.mlir", "--wrt", "0"],
        expect![[r#"
            error: b.mlir:12:10: unsupported: stablehlo.infeed
            error: b.mlir:34:11: unsupported: stablehlo.outfeed
              help: pass what goes in and out as arguments and results
        "#]],
    );
    fs::write(dir.join("c.mlir"), "").unwrap();
    fails(
        dir,
        &["opt", "c.mlir"],
        expect![[r#"
        error: c.mlir:1:1: the module has no public function
    "#]],
    );
    fs::write(dir.join("d.ir"), "program @f(%0: f32[2]) {\n  %1: f32[3] = negate %0\n  return %1\n}\n")
        .unwrap();
    fails(
        dir,
        &["opt", "d.ir"],
        expect![[r#"
        error: d.ir:2:3: the result of negate is f32[2], not f32[3]
    "#]],
    );
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
    fails(
        dir,
        &["grad", "loss.mlir", "--wrt", "7"],
        expect![[r#"
            error: loss.mlir:2:3: cannot differentiate with respect to argument 7 (arg7): its type i32[32] has no cotangents; only floating-point arguments have a gradient
        "#]],
    );
    fails(
        dir,
        &["grad", "loss.mlir", "--wrt", "12"],
        expect![[r#"
        error: loss.mlir: cannot differentiate with respect to argument 12: the program has 8 argument(s), counted from 0
    "#]],
    );
    fails(
        dir,
        &["grad", "loss.mlir", "--wrt", "0,0"],
        expect![[r#"
            error: loss.mlir:2:3: argument 0 (arg0) is listed twice; name each argument once
        "#]],
    );
    fails(
        dir,
        &["grad", "loss.mlir", "--wrt", "0", "--function", "lost"],
        expect![[r#"
        error: loss.mlir: there is no public function "lost"
          help: the public functions are: main
    "#]],
    );
    fails(
        dir,
        &["opt", "loss.mlir", "--pass", "magic"],
        expect![[r#"
            error: there is no pass "magic"
              help: the passes are
                control: simplifies loops and choices, inside and with what is known around them
                cse: computes equal ops on equal operands once
                dce: drops instructions that no result needs, also inside loops and choices
                fold: computes what is constant and removes what does nothing, exactly
                inline: replaces composites by their bodies; what is said of their derivatives is lost
                schedule: orders instructions so that less memory is live at once
                split_loops: makes a loop of n turns a loop in a loop, of about the root of n turns each
                simplify: fold, control, cse and dce until nothing changes
        "#]],
    );
}

#[test]
fn outputs_are_whole_or_untouched() {
    let dir = folder();
    let dir = dir.path();
    let args =
        ["eval", "loss.mlir", "--manifest", "manifest.json", "--inputs", "io.safetensors", "--outputs"];
    fails(
        dir,
        &[&args[..], &["none/out.safetensors"]].concat(),
        expect![[r#"
        error: none/out.safetensors: cannot be written: no such file or folder
          help: check the path; it is relative to the current folder
    "#]],
    );
    fails(
        dir,
        &[&args[..], &["."]].concat(),
        expect![[r#"
        error: .: cannot be written: it is a folder
    "#]],
    );
    run_ok(dir, &[&args[..], &["out.safetensors"]].concat());
    let before = fs::read(dir.join("out.safetensors")).unwrap();
    run_fails(dir, &[&args[..], &["out.safetensors", "--step", "9"]].concat());
    assert_eq!(fs::read(dir.join("out.safetensors")).unwrap(), before);
    assert_eq!(fs::read_dir(dir).unwrap().count(), 4, "no temporary file stays");
    if Path::new("/dev/full").exists() {
        fails(
            dir,
            &[&args[..], &["/dev/full"]].concat(),
            expect![[r#"
            error: /dev/full: cannot be written: No space left on device (os error 28)
              help: free some space; what the file held before is untouched
        "#]],
        );
    }
}
