//! The ledger: which steps of a run are committed, by whom, with what result. One SQLite file, there to be queried.
//!
//! Must hold: a commit is on disk before [`Ledger::commit`] returns, whole or not at all; in a commit domain epochs
//! follow each other without a gap and steps only grow; an epoch is committed once, and offering it again with the same
//! digest changes nothing; one process at a time writes. It does not decide when to commit, and holds no tensors.
//!
//! Epoch 0 is the initial state, which nobody commits: the first commit of a domain is the run's first epoch + 1.

mod error;
mod rows;
#[cfg(test)]
mod tests;

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{Duration, Instant};

use rusqlite::types::Type;
use rusqlite::{
    Connection, ErrorCode, OpenFlags, OptionalExtension, Row, Transaction, TransactionBehavior, params,
};

use crate::digest::Digest;

pub use error::{FieldDiff, LedgerError};
pub use rows::{
    CheckpointRow, Commit, CommitRecord, Committed, Contribution, Incident, RunIdentity, Telemetry,
};

/// Version of the tables (SQLite's `user_version`).
pub const SCHEMA_VERSION: i64 = 1;
/// Marks the file as a Pullback ledger (SQLite's `application_id`; "PLBK").
const APPLICATION_ID: i64 = 0x504c_424b;

const NOW: &str = "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')";

const TABLES: &str = "
CREATE TABLE run (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;
CREATE TABLE commits (
    domain       INTEGER NOT NULL,
    epoch        INTEGER NOT NULL,
    step         INTEGER NOT NULL,
    loss         REAL    NOT NULL,
    digest       TEXT    NOT NULL,
    wall_ms      REAL    NOT NULL,
    committed_at TEXT    NOT NULL,
    PRIMARY KEY (domain, epoch),
    UNIQUE (domain, step)
) STRICT;
CREATE TABLE contributions (
    domain     INTEGER NOT NULL,
    epoch      INTEGER NOT NULL,
    worker     TEXT    NOT NULL,
    samples    INTEGER NOT NULL,
    digest     TEXT    NOT NULL,
    compute_ms REAL    NOT NULL,
    PRIMARY KEY (domain, epoch, worker),
    FOREIGN KEY (domain, epoch) REFERENCES commits (domain, epoch)
) STRICT;
CREATE TABLE checkpoints (
    epoch      INTEGER NOT NULL,
    step       INTEGER NOT NULL,
    path       TEXT    PRIMARY KEY,
    digest     TEXT    NOT NULL,
    created_at TEXT    NOT NULL
) STRICT;
CREATE TABLE incidents (
    at     TEXT NOT NULL,
    worker TEXT NOT NULL,
    what   TEXT NOT NULL,
    detail TEXT NOT NULL
) STRICT;
CREATE TABLE telemetry (
    step   INTEGER NOT NULL,
    worker TEXT    NOT NULL,
    key    TEXT    NOT NULL,
    value  REAL    NOT NULL
) STRICT;
";

/// An open ledger; see the module.
pub struct Ledger {
    path: PathBuf,
    conn: Connection,
    /// Held for the life of the ledger by its one writer; the system frees it when the process dies.
    _lock: Option<File>,
}

/// The file next to the ledger whose name ends in `suffix`.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn io_error(path: &Path, doing: &'static str, e: io::Error) -> LedgerError {
    let path = path.to_owned();
    match e.kind() {
        io::ErrorKind::StorageFull => LedgerError::DiskFull(path),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => LedgerError::ReadOnly(path),
        _ => LedgerError::Failed { path, doing, detail: e.to_string() },
    }
}

/// How long a lock may still be held by nobody: a process that was just started shares its parent's open files,
/// locks and all, until it runs its own program.
const LOCK_LINGERS: Duration = Duration::from_millis(1500);

/// Takes the writer's lock, a file beside the ledger.
fn lock(path: &Path) -> Result<File, LedgerError> {
    let open = OpenOptions::new().create(true).append(true).open(beside(path, ".lock"));
    let file = open.map_err(|e| io_error(path, "lock", e))?;
    let begin = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if begin.elapsed() < LOCK_LINGERS => {
                std::thread::sleep(Duration::from_millis(20));
            }
            Err(TryLockError::WouldBlock) => return Err(LedgerError::InUse(path.to_owned())),
            Err(TryLockError::Error(e)) => return Err(io_error(path, "lock", e)),
        }
    }
}

fn sql_error(path: &Path, doing: &'static str, e: rusqlite::Error) -> LedgerError {
    let path = path.to_owned();
    match e.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => LedgerError::DiskFull(path),
        Some(ErrorCode::SystemIoFailure) => LedgerError::Disk { path, doing, detail: e.to_string() },
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => LedgerError::ReadOnly(path),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => LedgerError::InUse(path),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            LedgerError::Corrupt { path, detail: e.to_string() }
        }
        _ => match e {
            rusqlite::Error::FromSqlConversionFailure(..) | rusqlite::Error::InvalidColumnType(..) => {
                LedgerError::Corrupt { path, detail: e.to_string() }
            }
            _ => LedgerError::Failed { path, doing, detail: e.to_string() },
        },
    }
}

/// SQLite's integers are signed.
fn int(what: &'static str, value: u64) -> Result<i64, LedgerError> {
    i64::try_from(value).map_err(|_| LedgerError::BadNumber { what, value: value.to_string() })
}

fn finite(what: &'static str, value: f64) -> Result<f64, LedgerError> {
    if value.is_finite() { Ok(value) } else { Err(LedgerError::BadNumber { what, value: value.to_string() }) }
}

/// A count that a table holds.
fn uint(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let value: i64 = row.get(column)?;
    u64::try_from(value)
        .map_err(|e| rusqlite::Error::FromSqlConversionFailure(column, Type::Integer, Box::new(e)))
}

fn digest(row: &Row<'_>, column: usize) -> rusqlite::Result<Digest> {
    let text: String = row.get(column)?;
    Digest::from_str(&text)
        .map_err(|e| rusqlite::Error::FromSqlConversionFailure(column, Type::Text, e.into()))
}

const COMMIT_COLUMNS: &str = "SELECT domain, epoch, step, loss, digest, wall_ms, committed_at FROM commits";

fn commit_of(row: &Row<'_>) -> rusqlite::Result<Commit> {
    let record = CommitRecord {
        domain: row.get(0)?,
        epoch: uint(row, 1)?,
        step: uint(row, 2)?,
        loss: row.get(3)?,
        digest: digest(row, 4)?,
        wall_ms: row.get(5)?,
    };
    Ok(Commit { record, committed_at: row.get(6)? })
}

impl Ledger {
    /// Makes the ledger of a new run whose state starts at `first_epoch` (0 unless it starts from a checkpoint).
    pub fn create(path: &Path, identity: &RunIdentity, first_epoch: u64) -> Result<Ledger, LedgerError> {
        if path.exists() {
            return Err(LedgerError::Exists(path.to_owned()));
        }
        let held = lock(path)?;
        // Made aside and renamed, so that a crash in between leaves no half ledger.
        let aside = beside(path, ".new");
        let failed = |e| io_error(path, "create", e);
        match std::fs::remove_file(&aside) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(failed(e)),
            Ok(()) | Err(_) => {}
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        Ledger::connect(&aside, flags, None)?.fill_new(identity, int("first epoch", first_epoch)?)?;
        std::fs::rename(&aside, path).map_err(failed)?;
        crate::files::sync_parent(path).map_err(failed)?;
        Ledger::open_locked(path, identity, held)
    }

    fn fill_new(&mut self, identity: &RunIdentity, first_epoch: i64) -> Result<(), LedgerError> {
        self.write("create", |tx| {
            tx.execute_batch(TABLES)?;
            tx.pragma_update(None, "user_version", SCHEMA_VERSION)?;
            tx.pragma_update(None, "application_id", APPLICATION_ID)?;
            let mut put = tx.prepare("INSERT INTO run (key, value) VALUES (?1, ?2)")?;
            for (field, value) in identity.fields() {
                put.execute(params![field, value.to_string()])?;
            }
            put.execute(params!["first_epoch", first_epoch.to_string()])?;
            tx.execute(&format!("INSERT INTO run (key, value) VALUES ('created', {NOW})"), [])?;
            Ok(())
        })
    }

    /// Opens the ledger of a run to go on with it. Refused by field name if it is another run's, and if an epoch is
    /// missing.
    pub fn open(path: &Path, identity: &RunIdentity) -> Result<Ledger, LedgerError> {
        if !path.exists() {
            return Err(LedgerError::Missing(path.to_owned()));
        }
        let held = lock(path)?;
        Ledger::open_locked(path, identity, held)
    }

    fn open_locked(path: &Path, identity: &RunIdentity, held: File) -> Result<Ledger, LedgerError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let ledger = Ledger::connect(path, flags, Some(held))?;
        ledger.verify()?;
        let found = ledger.identity()?;
        let differs: Vec<FieldDiff> = (found.fields().into_iter().zip(identity.fields()))
            .filter(|((_, ledger), (_, run))| ledger != run)
            .map(|((field, ledger), (_, run))| FieldDiff { field, ledger: ledger.short(), run: run.short() })
            .collect();
        if !differs.is_empty() {
            return Err(LedgerError::OtherRun { path: path.to_owned(), differs });
        }
        ledger.whole()?;
        ledger.durable()?;
        Ok(ledger)
    }

    /// Whether each domain has every epoch from the first to its last.
    fn whole(&self) -> Result<(), LedgerError> {
        let mut due = (None, 0);
        let sql = "SELECT domain, epoch FROM commits ORDER BY domain, epoch";
        let all = self.read(sql, [], |row| Ok((row.get::<_, u32>(0)?, uint(row, 1)?)))?;
        let first = self.first_epoch()?.saturating_add(1);
        for (domain, epoch) in &all {
            let want = if due.0 == Some(domain) { due.1 } else { first };
            if *epoch != want {
                let path = self.path.clone();
                let last = all.iter().filter(|c| c.0 == *domain).map(|c| c.1).max().unwrap_or(*epoch);
                return Err(LedgerError::Hole { path, domain: *domain, epoch: want, last });
            }
            due = (Some(domain), epoch.saturating_add(1));
        }
        Ok(())
    }

    /// Opens a ledger to query it, also while its run goes on. Everything that writes is refused.
    pub fn read_only(path: &Path) -> Result<Ledger, LedgerError> {
        if !path.exists() {
            return Err(LedgerError::Missing(path.to_owned()));
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let ledger = Ledger::connect(path, flags, None)?;
        ledger.verify()?;
        Ok(ledger)
    }

    fn connect(path: &Path, flags: OpenFlags, held: Option<File>) -> Result<Ledger, LedgerError> {
        let fail = |e| sql_error(path, "open", e);
        let conn = Connection::open_with_flags(path, flags).map_err(fail)?;
        conn.busy_timeout(Duration::from_secs(10)).map_err(fail)?;
        Ok(Ledger { path: path.to_owned(), conn, _lock: held })
    }

    /// A commit is synced before it returns; readers do not hold up the writer.
    fn durable(&self) -> Result<(), LedgerError> {
        let set = || -> rusqlite::Result<()> {
            self.conn.pragma_update(None, "journal_mode", "WAL")?;
            self.conn.pragma_update(None, "synchronous", "FULL")?;
            self.conn.pragma_update(None, "foreign_keys", true)
        };
        set().map_err(|e| sql_error(&self.path, "open", e))
    }

    /// Whether the file is an undamaged ledger of this version.
    fn verify(&self) -> Result<(), LedgerError> {
        let corrupt = |detail: String| LedgerError::Corrupt { path: self.path.clone(), detail };
        let pragma =
            |name: &str| self.conn.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i64>(0));
        let fail = |e| sql_error(&self.path, "open", e);
        if pragma("application_id").map_err(fail)? != APPLICATION_ID {
            return Err(corrupt("it lacks the mark of a Pullback ledger".to_owned()));
        }
        let found = pragma("user_version").map_err(fail)?;
        if found != SCHEMA_VERSION {
            return Err(LedgerError::Version { path: self.path.clone(), found });
        }
        let check =
            self.conn.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0)).map_err(fail)?;
        if check != "ok" {
            return Err(corrupt(check));
        }
        Ok(())
    }

    /// Runs `body` in one transaction that is on disk when this returns `Ok`.
    fn write<T>(
        &mut self,
        doing: &'static str,
        body: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, LedgerError> {
        let path = self.path.clone();
        let run = || -> rusqlite::Result<T> {
            let tx = self.conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let out = body(&tx)?;
            tx.commit()?;
            Ok(out)
        };
        run().map_err(|e| sql_error(&path, doing, e))
    }

    /// All rows of a query.
    fn read<T>(
        &self,
        sql: &str,
        params: impl rusqlite::Params,
        row: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, LedgerError> {
        let run = || -> rusqlite::Result<Vec<T>> {
            self.conn.prepare_cached(sql)?.query_map(params, row)?.collect()
        };
        run().map_err(|e| sql_error(&self.path, "read", e))
    }

    fn run_value<T: FromStr>(&self, key: &str) -> Result<T, LedgerError> {
        let text: Option<String> = self
            .conn
            .query_row("SELECT value FROM run WHERE key = ?1", [key], |row| row.get(0))
            .optional()
            .map_err(|e| sql_error(&self.path, "read", e))?;
        text.and_then(|text| text.parse().ok()).ok_or_else(|| LedgerError::Corrupt {
            path: self.path.clone(),
            detail: format!("table run has no readable {key:?}"),
        })
    }

    /// What the ledger is a ledger of.
    pub fn identity(&self) -> Result<RunIdentity, LedgerError> {
        Ok(RunIdentity {
            model: self.run_value("model")?,
            strategy: self.run_value("strategy")?,
            deployment: self.run_value("deployment")?,
            plan: self.run_value("plan")?,
        })
    }

    /// When the run was created, in UTC.
    pub fn created(&self) -> Result<String, LedgerError> {
        self.run_value("created")
    }

    /// The epoch the run's state starts from.
    pub fn first_epoch(&self) -> Result<u64, LedgerError> {
        self.run_value("first_epoch")
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Commits a step with its contributions, in one transaction that is on disk when this returns.
    pub fn commit(
        &mut self,
        record: &CommitRecord,
        contributions: &[Contribution],
    ) -> Result<Committed, LedgerError> {
        if let Some(found) = self.commit_at(record.domain, record.epoch)? {
            return same_commit(&found.record, record);
        }
        let last = self.last_commit(record.domain)?;
        self.in_order(record, last.as_ref())?;
        let (epoch, step) = (int("epoch", record.epoch)?, int("step", record.step)?);
        let (loss, wall) = (finite("loss", record.loss)?, finite("wall time", record.wall_ms)?);
        let mut rows = Vec::with_capacity(contributions.len());
        for c in contributions {
            rows.push((c, int("samples", c.samples)?, finite("compute time", c.compute_ms)?));
        }
        // Nobody else writes (see `lock`), so what was just read still holds; the tables' keys guard it all the same.
        self.write("commit to", |tx| {
            tx.execute(
                &format!("INSERT INTO commits VALUES (?1, ?2, ?3, ?4, ?5, ?6, {NOW})"),
                params![record.domain, epoch, step, loss, record.digest.to_string(), wall],
            )?;
            let mut put = tx.prepare_cached("INSERT INTO contributions VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?;
            for (c, samples, compute) in rows {
                put.execute(params![record.domain, epoch, c.worker, samples, c.digest.to_string(), compute])?;
            }
            Ok(Committed::New)
        })
    }

    fn in_order(&self, record: &CommitRecord, last: Option<&Commit>) -> Result<(), LedgerError> {
        let domain = record.domain;
        let at = match last {
            Some(last) => last.record.epoch,
            None => self.first_epoch()?,
        };
        let due = at.saturating_add(1);
        if record.epoch != due {
            return Err(LedgerError::Gap { domain, due, offered: record.epoch });
        }
        match last {
            Some(last) if record.step <= last.record.step => {
                Err(LedgerError::StepOrder { domain, last: last.record.step, offered: record.step })
            }
            Some(_) | None => Ok(()),
        }
    }

    /// The last commit of a domain.
    pub fn last_commit(&self, domain: u32) -> Result<Option<Commit>, LedgerError> {
        let sql = format!("{COMMIT_COLUMNS} WHERE domain = ?1 ORDER BY epoch DESC LIMIT 1");
        Ok(self.read(&sql, [domain], commit_of)?.pop())
    }

    /// The commit of an epoch.
    pub fn commit_at(&self, domain: u32, epoch: u64) -> Result<Option<Commit>, LedgerError> {
        let sql = format!("{COMMIT_COLUMNS} WHERE domain = ?1 AND epoch = ?2");
        Ok(self.read(&sql, params![domain, int("epoch", epoch)?], commit_of)?.pop())
    }

    /// All commits of a domain, by epoch.
    pub fn commits(&self, domain: u32) -> Result<Vec<Commit>, LedgerError> {
        self.read(&format!("{COMMIT_COLUMNS} WHERE domain = ?1 ORDER BY epoch"), [domain], commit_of)
    }

    /// (step, loss) of every commit of a domain, by step.
    pub fn losses(&self, domain: u32) -> Result<Vec<(u64, f64)>, LedgerError> {
        let sql = "SELECT step, loss FROM commits WHERE domain = ?1 ORDER BY step";
        self.read(sql, [domain], |row| Ok((uint(row, 0)?, row.get(1)?)))
    }

    /// Who contributed to an epoch, by worker.
    pub fn contributions(&self, domain: u32, epoch: u64) -> Result<Vec<Contribution>, LedgerError> {
        let sql = "SELECT worker, samples, digest, compute_ms FROM contributions \
                   WHERE domain = ?1 AND epoch = ?2 ORDER BY worker";
        self.read(sql, params![domain, int("epoch", epoch)?], |row| {
            Ok(Contribution {
                worker: row.get(0)?,
                samples: uint(row, 1)?,
                digest: digest(row, 2)?,
                compute_ms: row.get(3)?,
            })
        })
    }

    /// Records a published checkpoint; recording the same folder again replaces the entry.
    pub fn record_checkpoint(
        &mut self,
        epoch: u64,
        step: u64,
        path: &str,
        digest: Digest,
    ) -> Result<(), LedgerError> {
        let (epoch, step) = (int("epoch", epoch)?, int("step", step)?);
        self.write("write to", |tx| {
            let sql = format!("INSERT OR REPLACE INTO checkpoints VALUES (?1, ?2, ?3, ?4, {NOW})");
            tx.execute(&sql, params![epoch, step, path, digest.to_string()]).map(|_| ())
        })
    }

    /// Strikes the checkpoints of an epoch off the record; they are about to be removed.
    pub fn forget_checkpoint(&mut self, epoch: u64) -> Result<(), LedgerError> {
        let epoch = int("epoch", epoch)?;
        self.write("write to", |tx| {
            tx.execute("DELETE FROM checkpoints WHERE epoch = ?1", params![epoch]).map(|_| ())
        })
    }

    /// The checkpoints on record, oldest first.
    pub fn checkpoints(&self) -> Result<Vec<CheckpointRow>, LedgerError> {
        let sql = "SELECT epoch, step, path, digest, created_at FROM checkpoints ORDER BY epoch, path";
        self.read(sql, [], |row| {
            Ok(CheckpointRow {
                epoch: uint(row, 0)?,
                step: uint(row, 1)?,
                path: row.get(2)?,
                digest: digest(row, 3)?,
                created_at: row.get(4)?,
            })
        })
    }

    /// Records that something went wrong.
    pub fn record_incident(&mut self, worker: &str, what: &str, detail: &str) -> Result<(), LedgerError> {
        self.write("write to", |tx| {
            let sql = format!("INSERT INTO incidents VALUES ({NOW}, ?1, ?2, ?3)");
            tx.execute(&sql, params![worker, what, detail]).map(|_| ())
        })
    }

    /// All incidents, in the order recorded.
    pub fn incidents(&self) -> Result<Vec<Incident>, LedgerError> {
        self.read("SELECT at, worker, what, detail FROM incidents ORDER BY rowid", [], |row| {
            Ok(Incident { at: row.get(0)?, worker: row.get(1)?, what: row.get(2)?, detail: row.get(3)? })
        })
    }

    /// Records measured numbers, all in one transaction. Each must be finite.
    pub fn record_telemetry(&mut self, rows: &[Telemetry]) -> Result<(), LedgerError> {
        let mut checked = Vec::with_capacity(rows.len());
        for row in rows {
            checked.push((int("step", row.step)?, row, finite("telemetry value", row.value)?));
        }
        self.write("write to", |tx| {
            let mut put = tx.prepare_cached("INSERT INTO telemetry VALUES (?1, ?2, ?3, ?4)")?;
            for (step, row, value) in checked {
                put.execute(params![step, row.worker, row.key, value])?;
            }
            Ok(())
        })
    }

    /// All telemetry, in the order recorded.
    pub fn telemetry(&self) -> Result<Vec<Telemetry>, LedgerError> {
        self.read("SELECT step, worker, key, value FROM telemetry ORDER BY rowid", [], |row| {
            Ok(Telemetry { step: uint(row, 0)?, worker: row.get(1)?, key: row.get(2)?, value: row.get(3)? })
        })
    }
}

/// What offering a committed epoch again amounts to.
fn same_commit(found: &CommitRecord, offered: &CommitRecord) -> Result<Committed, LedgerError> {
    let conflict = |field, committed: String, offered_value: String| LedgerError::Conflict {
        domain: offered.domain,
        epoch: offered.epoch,
        field,
        committed,
        offered: offered_value,
    };
    if found.digest != offered.digest {
        return Err(conflict("digest", found.digest.to_string(), offered.digest.to_string()));
    }
    if found.step != offered.step {
        return Err(conflict("step", found.step.to_string(), offered.step.to_string()));
    }
    Ok(Committed::AlreadyCommitted)
}
