//! What a run does when its ledger and its checkpoints do not agree: it stops with words, and nothing is changed.

use std::path::Path;

use crate::tiny::{self, artifacts, deployment, job, quietly, replicated, run_dir, sharded};
use pullback_plan::Digest;
use pullback_runtime::checkpoint::{self, Manifest, ShardTensor};
use pullback_runtime::drive::{RunError, Summary};
use pullback_runtime::ledger::{Ledger, LedgerError};
use serde_json::json;

fn train(dir: &Path, strategy: &str, steps: u64) -> Result<Summary, RunError> {
    quietly(&job(dir, artifacts(strategy, &deployment(), steps, json!({}))))
}

/// Puts another checkpoint, whole and with right checksums, in the place of a step's: one bit of one tensor differs.
fn exchange(dir: &Path, step: u64, tensor: &str) {
    let root = dir.join("checkpoints");
    let path = checkpoint::final_dir(&root, step);
    let old = checkpoint::open(&path).unwrap();
    let mut bytes: Vec<Vec<u8>> = old.manifest().state.iter().map(|t| old.read(&t.name).unwrap()).collect();
    let at = old.manifest().state.iter().position(|t| t.name == tensor).unwrap();
    *bytes[at].last_mut().unwrap() ^= 1;
    let whole = |shape: &[u64]| shape.iter().map(|&n| vec![(0, n)]).collect();
    let parts = old.manifest().state.iter().zip(&bytes);
    let tensors: Vec<ShardTensor<'_>> = parts
        .map(|(t, bytes)| {
            let (name, dtype, shape) = (t.name.as_str(), t.dtype, &t.shape[..]);
            ShardTensor { name, dtype, shape, region: whole(shape), bytes }
        })
        .collect();
    std::fs::remove_dir_all(&path).unwrap();
    let shard = checkpoint::write_shard(&checkpoint::begin(&root, step).unwrap(), "w0", &tensors).unwrap();
    let plan = old.manifest().plan;
    let manifest = Manifest::assemble(plan, 0, step, step, &[shard]).unwrap();
    checkpoint::publish(&root, step, &manifest).unwrap();
}

#[test]
fn a_checkpoint_that_is_not_what_was_committed_is_not_gone_on_from() {
    let root = tempfile::tempdir().unwrap();
    for (k, strategy) in [replicated(), sharded()].iter().enumerate() {
        let (dir, whole) = (run_dir(&root, &format!("run{k}")), run_dir(&root, &format!("whole{k}")));
        train(&whole, strategy, 12).unwrap();
        train(&dir, strategy, 9).unwrap();
        exchange(&dir, 9, ["param.w", "opt.mu.w"][k]);
        // Neither to a longer run's end, nor as the end of the run that it was.
        for steps in [12, 9] {
            let error = train(&dir, strategy, steps).unwrap_err();
            assert!(matches!(error, RunError::OtherState { step: 9, recovery: false, .. }), "{error}");
            assert!(!error.can_resume());
            let text = error.to_string();
            let path = checkpoint::final_dir(&dir.join("checkpoints"), 9).display().to_string();
            let says = |what: &str| assert!(text.contains(what), "{text}");
            says(&format!("the state of step 9 loaded from {path} is not the state that was committed"));
            says("move it away and resume");
            says("start a new run");
            assert_eq!(tiny::ledger(&dir, 9).len(), 9);
        }
        // What the message says helps.
        std::fs::rename(dir.join("checkpoints/step-000009"), dir.join("away")).unwrap();
        let summary = train(&dir, strategy, 12).unwrap();
        assert_eq!((summary.replayed, summary.committed), (2, 3));
        assert_eq!(
            (tiny::state(&dir, 12), tiny::ledger(&dir, 12)),
            (tiny::state(&whole, 12), tiny::ledger(&whole, 12))
        );
    }
}

/// Runs SQL on a run's ledger, as a person might.
fn edit(dir: &Path, sql: &str) {
    let db = rusqlite::Connection::open(dir.join("ledger.sqlite")).unwrap();
    db.execute_batch(sql).unwrap();
}

#[test]
fn a_missing_epoch_is_named_before_anything_starts() {
    let root = tempfile::tempdir().unwrap();
    let dir = run_dir(&root, "run");
    train(&dir, &replicated(), 5).unwrap();
    edit(&dir, "DELETE FROM contributions WHERE epoch = 3; DELETE FROM commits WHERE epoch = 3;");
    let error = train(&dir, &replicated(), 9).unwrap_err();
    let hole = matches!(&error, RunError::Ledger(LedgerError::Hole { domain: 0, epoch: 3, last: 5, .. }));
    assert!(hole && !error.can_resume(), "{error}");
    assert!(error.to_string().contains("epoch 3 of domain 0 is missing"), "{error}");
}

#[test]
fn a_ledger_that_ends_before_a_checkpoint_is_not_gone_on_with() {
    let root = tempfile::tempdir().unwrap();
    let dir = run_dir(&root, "run");
    train(&dir, &replicated(), 9).unwrap();
    edit(&dir, "DELETE FROM contributions WHERE epoch > 7; DELETE FROM commits WHERE epoch > 7;");
    let error = train(&dir, &replicated(), 9).unwrap_err();
    let behind = matches!(&error, RunError::Ledger(LedgerError::Behind { checkpoint: 9, last: 7, .. }));
    assert!(behind, "{error}");
    std::fs::rename(dir.join("checkpoints/step-000009"), dir.join("away")).unwrap();
    assert_eq!(train(&dir, &replicated(), 9).unwrap().committed, 2);
}

#[test]
fn a_lost_ledger_is_not_replaced_by_an_empty_one() {
    let root = tempfile::tempdir().unwrap();
    let dir = run_dir(&root, "run");
    train(&dir, &replicated(), 3).unwrap();
    let ledger = dir.join("ledger.sqlite");
    std::fs::remove_file(&ledger).unwrap();
    let error = train(&dir, &replicated(), 9).unwrap_err();
    assert!(matches!(&error, RunError::Ledger(LedgerError::Gone(path)) if *path == ledger), "{error}");
    assert!(error.to_string().contains("is missing") && !ledger.exists(), "{error}");
    // A folder that a crash left before its ledger was made has no checkpoints, and is begun with.
    std::fs::remove_dir_all(dir.join("checkpoints")).unwrap();
    assert_eq!(train(&dir, &replicated(), 3).unwrap().committed, 3);
}

#[test]
fn the_ledger_lists_the_checkpoints_that_are_there() {
    let root = tempfile::tempdir().unwrap();
    let dir = run_dir(&root, "run");
    train(&dir, &replicated(), 30).unwrap();
    let ledger = Ledger::read_only(&dir.join("ledger.sqlite")).unwrap();
    let rows = ledger.checkpoints().unwrap();
    assert_eq!(rows.iter().map(|row| row.epoch).collect::<Vec<_>>(), [21, 28, 30]);
    for row in rows {
        let there: Digest = checkpoint::open(Path::new(&row.path)).unwrap().manifest().digest();
        assert_eq!(there, row.digest);
    }
}
