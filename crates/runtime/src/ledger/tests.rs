//! Tests of the ledger that need its inside: SQLite made to fail. What users see is tested in `tests/substrate.rs`.

use super::*;

fn identity() -> RunIdentity {
    let d = |s: &str| Digest::of(s.as_bytes());
    RunIdentity { model: d("m"), strategy: d("s"), deployment: d("d"), plan: d("p") }
}

fn record(epoch: u64) -> CommitRecord {
    let digest = Digest::of(&epoch.to_le_bytes());
    CommitRecord { domain: 0, epoch, step: epoch, loss: 1.0 / epoch as f64, digest, wall_ms: 1.5 }
}

#[test]
fn a_full_disk_is_named_and_loses_nothing_committed() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ledger.sqlite");
    let mut ledger = Ledger::create(&path, &identity(), 0).unwrap();
    ledger.commit(&record(1), &[]).unwrap();
    let pages: i64 = ledger.conn.query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap();
    ledger.conn.pragma_update(None, "max_page_count", pages).unwrap();
    let big =
        Contribution { worker: "w".repeat(100_000), samples: 1, digest: Digest::default(), compute_ms: 0.0 };
    let error = ledger.commit(&record(2), std::slice::from_ref(&big)).unwrap_err();
    assert!(matches!(error, LedgerError::DiskFull(_)), "{error}");
    assert!(error.to_string().contains("no space left"));
    // The commit was undone whole, contributions and all.
    assert_eq!(ledger.last_commit(0).unwrap().unwrap().record, record(1));
    ledger.conn.pragma_update(None, "max_page_count", pages + 1000).unwrap();
    assert_eq!(ledger.commit(&record(2), &[big]).unwrap(), Committed::New);
}

#[test]
fn a_failure_of_the_disk_hints_at_space() {
    let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_IOERR_WRITE);
    let error = sql_error(Path::new("l"), "open", rusqlite::Error::SqliteFailure(code, None));
    assert!(matches!(error, LedgerError::Disk { .. }) && error.can_resume(), "{error}");
    assert!(error.to_string().contains("is the disk full? Free some space"), "{error}");
}

#[test]
fn a_ledger_that_cannot_be_written_says_so() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ledger.sqlite");
    let mut ledger = Ledger::create(&path, &identity(), 0).unwrap();
    ledger.conn.pragma_update(None, "query_only", true).unwrap();
    let error = ledger.commit(&record(1), &[]).unwrap_err();
    assert!(matches!(error, LedgerError::ReadOnly(_)), "{error}");
}

#[test]
fn another_version_is_unsupported() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ledger.sqlite");
    let ledger = Ledger::create(&path, &identity(), 0).unwrap();
    ledger.conn.pragma_update(None, "user_version", 7).unwrap();
    drop(ledger);
    let error = Ledger::open(&path, &identity()).err().unwrap().to_string();
    assert!(error.contains("unsupported ledger version 7"), "{error}");
}

#[test]
fn commits_are_synced() {
    let dir = tempfile::tempdir().unwrap();
    let ledger = Ledger::create(&dir.path().join("ledger.sqlite"), &identity(), 0).unwrap();
    let pragma = |name: &str| {
        ledger.conn.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i64>(0)).unwrap()
    };
    assert_eq!(pragma("synchronous"), 2, "FULL");
    assert_eq!(pragma("foreign_keys"), 1);
}
