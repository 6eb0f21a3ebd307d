//! The `train`, `resume` and `check` commands as a person uses them: real worker processes, a real ledger, on the
//! digits example.
#![expect(clippy::unwrap_used, reason = "a test fails where it unwraps")]

use pullback_runtime::ledger::Ledger;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

struct Bench {
    dir: tempfile::TempDir,
}

impl Bench {
    /// The example in a folder of its own.
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/mlp"), &dir.path().join("mlp"));
        Self { dir }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn run(&self, args: &[&str]) -> Output {
        Command::new(env!("CARGO_BIN_EXE_pullback")).current_dir(self.dir.path()).args(args).output().unwrap()
    }

    /// Standard error of a command that must fail with exit code 1.
    fn fails(&self, args: &[&str]) -> String {
        let out = self.run(args);
        let err = String::from_utf8(out.stderr).unwrap();
        assert_eq!(out.status.code(), Some(1), "{args:?}: {err}");
        err
    }

    fn passes(&self, args: &[&str]) -> String {
        let out = self.run(args);
        assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8(out.stdout).unwrap()
    }

    fn edit(&self, file: &str, from: &str, to: &str) {
        let path = self.path(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{file} has no {from:?}");
        fs::write(&path, text.replace(from, to)).unwrap();
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &to.join(entry.file_name())),
            false => drop(fs::copy(entry.path(), to.join(entry.file_name())).unwrap()),
        }
    }
}

#[test]
fn trains_to_the_end_and_the_plan_is_accepted_again() {
    let b = Bench::new();
    let text = b.passes(&["train", "mlp", "--steps", "30"]);
    assert!(text.contains("done after 30 steps") && text.contains("checker     accepted"), "{text}");
    let ledger = Ledger::read_only(&b.path("runs/mlp/ledger.sqlite")).unwrap();
    let commits = ledger.commits(0).unwrap();
    assert_eq!(commits.iter().map(|c| c.record.epoch).collect::<Vec<_>>(), (1..=30).collect::<Vec<u64>>());
    assert!(commits[29].record.loss < commits[0].record.loss * 0.6);
    assert!(b.passes(&["check", "runs/mlp"]).starts_with("accepted"));
    assert!(b.passes(&["explain", "runs/mlp"]).contains("all_reduce"));
    b.passes(&["train", "mlp", "--steps", "2"]);
    assert!(b.path("runs/mlp-2/plan.plan").exists());
}

/// What was edited after the run began is refused, by name.
#[test]
fn edits_are_refused_by_name() {
    let b = Bench::new();
    b.passes(&["train", "mlp", "--steps", "4"]);
    let try_edit = |file: &str, from: &str, to: &str, want: &str| {
        b.edit(&format!("runs/mlp/{file}"), from, to);
        let err = b.fails(&["resume", "runs/mlp"]);
        assert!(err.contains(want), "{file}: {err}");
        b.edit(&format!("runs/mlp/{file}"), to, from);
    };
    try_edit("run.toml", "seed = 0", "seed = 1", "seed 1 (then 0)");
    try_edit("run.toml", "steps = 4", "steps = 5", "steps 5");
    try_edit("run.toml", "learning_rate = 0.05", "learning_rate = 0.06", "model");
    // State that only one of the two has is named.
    let cosine =
        "learning_rate = { schedule = \"warmup_cosine\", peak = 0.05, warmup_steps = 1, total_steps = 9 }";
    try_edit("run.toml", "learning_rate = 0.05", cosine, "new in its state: \"opt.count\"");
    let momentum = "\"momentum\"\nlearning_rate = 0.05\nmomentum = 0.9\nnesterov = false";
    let sgd = "\"sgd\"\nlearning_rate = 0.05";
    try_edit("run.toml", momentum, sgd, "of the plan's state it has no \"opt.trace.");
    try_edit("run.toml", "scale = 0.0625", "scale = 0.125", "[data]");
    try_edit("strategy.toml", "dim = 0", "dim = 1", "strategy");
    try_edit("deployment.toml", "memory_mib = 256", "memory_mib = 257", "deployment");
    try_edit("model.mlir", "stablehlo.tanh", "stablehlo.negate", "model");
    // A comment changes nothing.
    b.edit("runs/mlp/strategy.toml", "dim = 0", "dim = 0 # rows");
    b.passes(&["resume", "runs/mlp"]);
    // The data are part of a run too.
    let data = b.path("mlp/data/digits.safetensors");
    let mut bytes = fs::read(&data).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&data, bytes).unwrap();
    let err = b.fails(&["resume", "runs/mlp"]);
    assert!(err.contains("digits.safetensors"), "{err}");
}

#[test]
fn nothing_is_written_for_wrong_input() {
    let b = Bench::new();
    for name in ["../evil", "a/b", "", "a b$"] {
        assert!(b.fails(&["train", "mlp", "--name", name]).contains("cannot name a folder"));
    }
    b.edit("mlp/deployment.toml", "name = \"slow\"", "name = \"slow\"\naddress = \"0.0.0.0:0\"");
    let err = b.fails(&["train", "mlp"]);
    assert!(err.contains("unsupported") && err.contains("loopback"), "{err}");
    b.edit("mlp/deployment.toml", "0.0.0.0:0", "127.0.0.1:0");
    b.edit(
        "mlp/run.toml",
        "[data]\n",
        "[sample]\nfunction = \"logits\"\nprompt = \"a\"\nlength = 3\n\n[data]\n",
    );
    assert!(b.fails(&["train", "mlp"]).contains("logits"));
    assert!(!b.path("runs").exists());
}

/// The names in the reason are those of the step program, which is there to be read.
#[test]
fn the_step_program_is_written_though_there_is_no_plan() {
    let b = Bench::new();
    b.edit("mlp/strategy.toml", "dim = 0", "dim = 0\nsegments = 7");
    let err = b.fails(&["plan", "mlp", "--step", "step.ir", "-o", "mlp.plan"]);
    assert!(err.contains("7 segments do not divide") && !b.path("mlp.plan").exists(), "{err}");
    let step = std::fs::read_to_string(b.path("step.ir")).unwrap();
    assert!(step.starts_with("program @"), "{step}");
}

/// 0 times infinity, where a parameter has no gradient.
#[test]
fn a_state_that_is_no_number_is_not_committed() {
    let b = Bench::new();
    b.edit("mlp/run.toml", "learning_rate = 0.05", "learning_rate = 1e39");
    let err = b.fails(&["train", "mlp", "--steps", "1"]);
    assert!(err.contains("NaN in the next param.l1.b at step 1, though its loss is finite"), "{err}");
    let ledger = Ledger::read_only(&b.path("runs/mlp/ledger.sqlite")).unwrap();
    assert!(ledger.losses(0).unwrap().is_empty());
}

#[test]
fn a_loss_that_is_not_finite_stops_the_run() {
    let b = Bench::new();
    b.edit("mlp/run.toml", "learning_rate = 0.05", "learning_rate = 1e38");
    let err = b.fails(&["train", "mlp", "--steps", "30"]);
    assert!(err.contains("non-finite loss"), "{err}");
    let ledger = Ledger::read_only(&b.path("runs/mlp/ledger.sqlite")).unwrap();
    assert!(ledger.losses(0).unwrap().iter().all(|(_, loss)| loss.is_finite()));
}
