//! The ledger: exactly once, without gaps, for one run, by one process, across restarts.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use pullback_runtime::digest::Digest;
use pullback_runtime::ledger::{
    CommitRecord, Committed, Contribution, Ledger, LedgerError, RunIdentity, Telemetry,
};

fn identity() -> RunIdentity {
    let d = |s: &str| Digest::of(s.as_bytes());
    RunIdentity { model: d("m"), strategy: d("s"), deployment: d("d"), plan: d("p") }
}

fn record(epoch: u64) -> CommitRecord {
    let digest = Digest::of(&epoch.to_le_bytes());
    CommitRecord { domain: 0, epoch, step: epoch, loss: 5.5 / epoch.max(1) as f64, digest, wall_ms: 12.25 }
}

fn parts(epoch: u64) -> Vec<Contribution> {
    let part = |worker: &str, samples| {
        let digest = Digest::of(format!("{worker} {epoch}").as_bytes());
        Contribution { worker: worker.to_owned(), samples, digest, compute_ms: 3.5 }
    };
    vec![part("w0", 7), part("w1", 5)]
}

fn fresh() -> (tempfile::TempDir, PathBuf, Ledger) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ledger.sqlite");
    let ledger = Ledger::create(&path, &identity(), 0).unwrap();
    (dir, path, ledger)
}

fn open_error(path: &Path) -> LedgerError {
    Ledger::open(path, &identity()).err().expect("the ledger must not open")
}

#[test]
fn commits_are_kept_across_a_restart() {
    let (_dir, path, mut ledger) = fresh();
    for epoch in 1..=3 {
        assert_eq!(ledger.commit(&record(epoch), &parts(epoch)).unwrap(), Committed::New);
    }
    ledger.record_checkpoint(2, 2, "checkpoints/step-000002", Digest::of(b"c")).unwrap();
    ledger.record_incident("w1", "killed", "signal 9").unwrap();
    let sent = Telemetry { step: 3, worker: "w0".to_owned(), key: "send_ms".to_owned(), value: 0.5 };
    ledger.record_telemetry(std::slice::from_ref(&sent)).unwrap();
    drop(ledger);

    let mut ledger = Ledger::open(&path, &identity()).unwrap();
    assert_eq!(ledger.last_commit(0).unwrap().unwrap().record, record(3));
    assert_eq!(ledger.last_commit(1).unwrap(), None);
    assert_eq!(ledger.commit_at(0, 2).unwrap().unwrap().record, record(2));
    assert_eq!(ledger.commit_at(0, 4).unwrap(), None);
    assert_eq!(ledger.losses(0).unwrap(), [(1, 5.5), (2, 2.75), (3, 5.5 / 3.0)]);
    assert_eq!(ledger.contributions(0, 2).unwrap(), parts(2));
    assert_eq!(ledger.commits(0).unwrap().len(), 3);
    let checkpoints = ledger.checkpoints().unwrap();
    assert_eq!((checkpoints[0].epoch, checkpoints[0].digest), (2, Digest::of(b"c")));
    assert_eq!(ledger.incidents().unwrap()[0].detail, "signal 9");
    assert_eq!(ledger.telemetry().unwrap(), [sent]);
    assert_eq!(ledger.identity().unwrap(), identity());
    assert!(ledger.created().unwrap().ends_with('Z'));
    // And it goes on from there.
    assert_eq!(ledger.commit(&record(4), &parts(4)).unwrap(), Committed::New);
}

#[test]
fn a_replay_is_recognised_and_another_result_refused() {
    let (_dir, _, mut ledger) = fresh();
    ledger.commit(&record(1), &parts(1)).unwrap();
    ledger.commit(&record(2), &parts(2)).unwrap();
    let slower = CommitRecord { wall_ms: 99.0, ..record(1) };
    assert_eq!(ledger.commit(&slower, &parts(1)).unwrap(), Committed::AlreadyCommitted);
    assert_eq!(ledger.commit_at(0, 1).unwrap().unwrap().record, record(1), "nothing was changed");

    let other = CommitRecord { digest: Digest::of(b"other"), ..record(1) };
    let error = ledger.commit(&other, &parts(1)).unwrap_err();
    assert!(matches!(error, LedgerError::Conflict { epoch: 1, field: "digest", .. }), "{error}");
    let text = error.to_string();
    assert!(
        text.contains(&record(1).digest.to_string()) && text.contains(&other.digest.to_string()),
        "{text}"
    );
    assert!(text.contains("another build") && text.contains("start a new run"), "{text}");
    let moved = CommitRecord { step: 9, ..record(1) };
    assert!(matches!(ledger.commit(&moved, &[]), Err(LedgerError::Conflict { field: "step", .. })));
}

#[test]
fn gaps_and_steps_out_of_order_are_refused() {
    let (_dir, _, mut ledger) = fresh();
    assert!(matches!(ledger.commit(&record(0), &[]), Err(LedgerError::Gap { due: 1, offered: 0, .. })));
    assert!(matches!(ledger.commit(&record(2), &[]), Err(LedgerError::Gap { due: 1, offered: 2, .. })));
    ledger.commit(&record(1), &[]).unwrap();
    assert!(matches!(ledger.commit(&record(3), &[]), Err(LedgerError::Gap { due: 2, offered: 3, .. })));
    let again = CommitRecord { step: 1, ..record(2) };
    assert!(matches!(ledger.commit(&again, &[]), Err(LedgerError::StepOrder { last: 1, offered: 1, .. })));
    // Domains count for themselves.
    assert!(ledger.commit(&CommitRecord { domain: 1, ..record(1) }, &[]).is_ok());
    assert_eq!(ledger.commits(0).unwrap().len(), 1);
}

#[test]
fn a_run_may_begin_at_a_later_epoch() {
    let dir = tempfile::tempdir().unwrap();
    let mut ledger = Ledger::create(&dir.path().join("ledger.sqlite"), &identity(), 40).unwrap();
    assert!(matches!(ledger.commit(&record(1), &[]), Err(LedgerError::Gap { due: 41, .. })));
    assert_eq!(ledger.commit(&record(41), &[]).unwrap(), Committed::New);
}

#[test]
fn numbers_that_are_none_are_refused() {
    let (_dir, _, mut ledger) = fresh();
    for loss in [f64::NAN, f64::INFINITY] {
        let error = ledger.commit(&CommitRecord { loss, ..record(1) }, &parts(1)).unwrap_err();
        assert!(matches!(error, LedgerError::BadNumber { what: "loss", .. }), "{error}");
    }
    let far = CommitRecord { step: u64::MAX, ..record(1) };
    assert!(matches!(ledger.commit(&far, &[]), Err(LedgerError::BadNumber { what: "step", .. })));
    assert!(ledger.contributions(0, 1).unwrap().is_empty());
    assert_eq!(ledger.last_commit(0).unwrap(), None);
}

#[test]
fn a_commit_with_a_bad_part_leaves_nothing() {
    let (_dir, _, mut ledger) = fresh();
    let mut twice = parts(1);
    twice.push(twice[0].clone());
    assert!(ledger.commit(&record(1), &twice).is_err());
    assert_eq!(ledger.last_commit(0).unwrap(), None);
    assert_eq!(ledger.commit(&record(1), &parts(1)).unwrap(), Committed::New);
}

#[test]
fn the_ledger_of_another_run_is_refused_by_field() {
    let (_dir, path, ledger) = fresh();
    drop(ledger);
    let edited =
        RunIdentity { strategy: Digest::of(b"edited"), plan: Digest::of(b"so this too"), ..identity() };
    let error = Ledger::open(&path, &edited).err().unwrap();
    let LedgerError::OtherRun { differs, .. } = &error else { panic!("{error}") };
    assert_eq!(differs.iter().map(|d| d.field).collect::<Vec<_>>(), ["strategy", "plan"]);
    let text = error.to_string();
    assert!(
        text.contains("its strategy is") && text.contains("undo the edit of the strategy and the plan"),
        "{text}"
    );
}

#[test]
fn one_process_writes_and_others_may_look() {
    let (_dir, path, mut ledger) = fresh();
    assert!(matches!(open_error(&path), LedgerError::InUse(_)));
    ledger.commit(&record(1), &parts(1)).unwrap();
    let mut reader = Ledger::read_only(&path).unwrap();
    assert_eq!(reader.losses(0).unwrap(), [(1, 5.5)]);
    ledger.commit(&record(2), &parts(2)).unwrap();
    assert_eq!(reader.losses(0).unwrap().len(), 2);
    assert!(matches!(reader.commit(&record(3), &[]), Err(LedgerError::ReadOnly(_))));
    drop(ledger);
    assert!(Ledger::open(&path, &identity()).is_ok());
}

#[test]
fn absent_present_and_foreign_files_are_told_apart() {
    let (dir, path, ledger) = fresh();
    drop(ledger);
    assert!(matches!(Ledger::create(&path, &identity(), 0).err(), Some(LedgerError::Exists(_))));
    let absent = dir.path().join("absent.sqlite");
    assert!(matches!(open_error(&absent), LedgerError::Missing(_)));
    assert!(matches!(Ledger::read_only(&absent).err(), Some(LedgerError::Missing(_))));
    let no_folder = dir.path().join("none").join("ledger.sqlite");
    assert!(matches!(Ledger::create(&no_folder, &identity(), 0).err(), Some(LedgerError::Failed { .. })));
    for (name, contents) in
        [("empty", &b""[..]), ("text", &b"this is not a database, but longer than its header is"[..])]
    {
        let foreign = dir.path().join(name);
        std::fs::write(&foreign, [contents, &[b'x'; 4096][..contents.len().min(1) * 4096]].concat()).unwrap();
        let error = open_error(&foreign);
        assert!(matches!(error, LedgerError::Corrupt { .. }), "{name}: {error}");
    }
}

#[test]
fn what_a_crash_leaves_of_a_creation_is_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ledger.sqlite");
    std::fs::write(dir.path().join("ledger.sqlite.new"), b"half").unwrap();
    Ledger::create(&path, &identity(), 0).unwrap();
    assert!(!dir.path().join("ledger.sqlite.new").exists());
}

#[test]
fn damaged_pages_are_noticed_on_opening() {
    let (_dir, path, mut ledger) = fresh();
    for epoch in 1..=50 {
        ledger.commit(&record(epoch), &parts(epoch)).unwrap();
    }
    drop(ledger);
    let mut bytes = std::fs::read(&path).unwrap();
    let pages = bytes.len() / 4096;
    assert!(pages > 5, "{pages} pages");
    for page in bytes.chunks_mut(4096).skip(1) {
        page[..64].fill(0xa5);
    }
    std::fs::write(&path, bytes).unwrap();
    let error = open_error(&path);
    assert!(matches!(error, LedgerError::Corrupt { .. }), "{error}");
}

#[test]
fn a_commit_is_on_disk_when_it_returns() {
    let (dir, path, mut ledger) = fresh();
    ledger.commit(&record(1), &parts(1)).unwrap();
    // What a process killed now would leave: the files as they are, without an orderly close.
    let copy = dir.path().join("copy");
    std::fs::create_dir(&copy).unwrap();
    for name in ["ledger.sqlite", "ledger.sqlite-wal"] {
        std::fs::copy(dir.path().join(name), copy.join(name)).unwrap();
    }
    assert_eq!(path.file_name().unwrap(), "ledger.sqlite");
    let killed = Ledger::open(&copy.join("ledger.sqlite"), &identity()).unwrap();
    assert_eq!(killed.last_commit(0).unwrap().unwrap().record, record(1));
    assert_eq!(killed.contributions(0, 1).unwrap(), parts(1));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    /// Whatever is offered in whatever order, with restarts: epochs 1..=n, each once, as first accepted.
    #[test]
    fn any_history_leaves_a_whole_ledger(offers in prop::collection::vec((0u64..6, 0u8..3, any::<bool>()), 1..30)) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("ledger.sqlite");
        let mut ledger = Ledger::create(&path, &identity(), 0).unwrap();
        let mut model: Vec<CommitRecord> = Vec::new();
        for (epoch, variant, restart) in offers {
            if restart {
                drop(ledger);
                ledger = Ledger::open(&path, &identity()).unwrap();
            }
            let offer = CommitRecord { digest: Digest::of(&[variant]), ..record(epoch) };
            let outcome = ledger.commit(&offer, &parts(epoch));
            let held = (epoch as usize).checked_sub(1).and_then(|i| model.get(i));
            match held {
                Some(held) if held.digest == offer.digest => {
                    prop_assert_eq!(outcome.unwrap(), Committed::AlreadyCommitted);
                }
                Some(_) => prop_assert!(matches!(outcome, Err(LedgerError::Conflict { .. })), "{outcome:?}"),
                None if epoch == model.len() as u64 + 1 => {
                    prop_assert_eq!(outcome.unwrap(), Committed::New);
                    model.push(offer);
                }
                None => prop_assert!(matches!(outcome, Err(LedgerError::Gap { .. })), "{outcome:?}"),
            }
        }
        let commits: Vec<_> = ledger.commits(0).unwrap().into_iter().map(|c| c.record).collect();
        prop_assert_eq!(commits, model);
    }
}
