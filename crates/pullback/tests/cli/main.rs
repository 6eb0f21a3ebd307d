//! The binary as a person uses it: commands on real files, messages for wrong ones; and the step program.
#![allow(clippy::unwrap_used)]

mod check_grad;
mod compute;
mod derivatives;
mod errors;
mod explain;
mod grid;
mod manifest;
mod places;
mod remat;
mod shapes;
mod sharded;
mod step;

use pullback::tensors::TensorFile;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What a command gave.
struct Outcome {
    code: Option<i32>,
    out: String,
    err: String,
}

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/mlp")
}

/// A folder with the mlp's files.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for name in ["loss.mlir", "manifest.json", "io.safetensors"] {
        std::fs::copy(data().join(name), dir.path().join(name)).unwrap();
    }
    dir
}

fn command(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pullback"));
    command.current_dir(dir).args(args);
    command
}

fn run(dir: &Path, args: &[&str]) -> Outcome {
    let output = command(dir, args).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Outcome { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}

/// Runs a command that should do its work.
fn run_ok(dir: &Path, args: &[&str]) -> String {
    let o = run(dir, args);
    assert_eq!(o.code, Some(0), "{args:?}\n{}", o.err);
    o.out
}

/// Runs a command that should fail with exit code 1 and reasons; gives them, notes left out.
fn run_fails(dir: &Path, args: &[&str]) -> String {
    let o = run(dir, args);
    assert_eq!(o.code, Some(1), "{args:?}\n{}{}", o.out, o.err);
    assert!(o.out.is_empty() && !o.err.contains("panicked"), "{}{}", o.out, o.err);
    let lines = o.err.lines().filter(|l| !l.starts_with("note: "));
    lines.map(|l| format!("{l}\n")).collect()
}

fn tensors(dir: &Path, name: &str) -> TensorFile {
    TensorFile::read(&dir.join(name)).unwrap()
}

/// `got` and `want` agree within `tolerance` times the largest of `want`.
fn assert_close(file: &TensorFile, got: &str, io: &TensorFile, want: &str, tolerance: f64) {
    let (got_t, want_t) = (&file.tensors[got], &io.tensors[want]);
    assert_eq!(got_t.ty(), want_t.ty(), "{got}");
    let (got_t, want_t) = (got_t.to_f64s(), want_t.to_f64s());
    let scale = want_t.iter().fold(1e-3f64, |m, v| m.max(v.abs()));
    let off = got_t.iter().zip(&want_t).fold(0f64, |m, (a, b)| m.max((a - b).abs()));
    assert!(off <= tolerance * scale, "{got} is off by {off:e} of {scale}");
}
