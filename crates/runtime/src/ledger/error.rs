//! Why a ledger refused, or could not be used.
//!
//! Must hold: each message says what, where and what to do. It decides nothing.

use std::fmt;
use std::path::PathBuf;

use super::SCHEMA_VERSION;

/// A field in which a ledger and a run differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldDiff {
    /// `model`, `strategy`, `deployment` or `plan`.
    pub field: &'static str,
    /// The ledger's value.
    pub ledger: String,
    /// The run's value.
    pub run: String,
}

/// Why the ledger refused, or could not be used.
#[derive(Debug)]
pub enum LedgerError {
    /// There is no ledger at the path.
    Missing(PathBuf),
    /// There is none in the folder of a run that has checkpoints.
    Gone(PathBuf),
    /// An epoch before the last one has no commit.
    Hole {
        /// Which file.
        path: PathBuf,
        /// Commit domain.
        domain: u32,
        /// The first epoch that is not there.
        epoch: u64,
        /// The last epoch that is.
        last: u64,
    },
    /// It ends before a checkpoint of the run.
    Behind {
        /// Which file.
        path: PathBuf,
        /// Epoch of the checkpoint.
        checkpoint: u64,
        /// The last epoch.
        last: u64,
    },
    /// The system could not read or write; often for want of space.
    Disk {
        /// Which file.
        path: PathBuf,
        /// What was tried.
        doing: &'static str,
        /// What was reported.
        detail: String,
    },
    /// There is one already.
    Exists(PathBuf),
    /// Another process has the run open.
    InUse(PathBuf),
    /// No space is left.
    DiskFull(PathBuf),
    /// The file or its folder cannot be written.
    ReadOnly(PathBuf),
    /// The file is damaged, or not a ledger.
    Corrupt {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        detail: String,
    },
    /// The tables are of another version.
    Version {
        /// Which file.
        path: PathBuf,
        /// Its version.
        found: i64,
    },
    /// The ledger is of another run.
    OtherRun {
        /// Which file.
        path: PathBuf,
        /// Where they differ; never empty.
        differs: Vec<FieldDiff>,
    },
    /// The epoch is committed with another result.
    Conflict {
        /// Commit domain.
        domain: u32,
        /// The epoch.
        epoch: u64,
        /// Which value differs.
        field: &'static str,
        /// As committed.
        committed: String,
        /// As offered.
        offered: String,
    },
    /// The epoch does not follow the last one.
    Gap {
        /// Commit domain.
        domain: u32,
        /// The epoch that is due.
        due: u64,
        /// The epoch offered.
        offered: u64,
    },
    /// The step does not grow with the epoch.
    StepOrder {
        /// Commit domain.
        domain: u32,
        /// The last committed step.
        last: u64,
        /// The step offered.
        offered: u64,
    },
    /// A number that cannot be recorded: not finite, or over 2^63 - 1.
    BadNumber {
        /// Which value.
        what: &'static str,
        /// The value.
        value: String,
    },
    /// Anything else SQLite or the system reports.
    Failed {
        /// Which file.
        path: PathBuf,
        /// What was tried.
        doing: &'static str,
        /// What was reported.
        detail: String,
    },
}

impl fmt::Display for LedgerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LedgerError::Missing(path) => {
                write!(f, "no ledger at {}; give the folder of a run (runs/NAME)", path.display())
            }
            LedgerError::Gone(path) => write!(
                f,
                "the ledger {} is missing, but its run has checkpoints; put it back from a copy, or start a new run in \
                 another folder",
                path.display()
            ),
            LedgerError::Hole { path, domain, epoch, last } => write!(
                f,
                "the ledger {} is damaged: epoch {epoch} of domain {domain} is missing, though epochs up to {last} are \
                 committed; restore it from a copy, or start a new run",
                path.display()
            ),
            LedgerError::Behind { path, checkpoint, last } => write!(
                f,
                "the newest checkpoint is of step {checkpoint}, but the ledger {} ends at step {last}; restore the \
                 ledger from a copy, or move the checkpoints after step {last} away and resume",
                path.display()
            ),
            LedgerError::Disk { path, doing, detail } => write!(
                f,
                "cannot {doing} the ledger {}: {detail}; is the disk full? Free some space and resume: what was \
                 committed is safe",
                path.display()
            ),
            LedgerError::Exists(path) => write!(
                f,
                "there is a ledger at {} already; resume that run, or give the new one another name",
                path.display()
            ),
            LedgerError::InUse(path) => write!(
                f,
                "another process has the ledger {} open; stop that run first, or use another run folder",
                path.display()
            ),
            LedgerError::DiskFull(path) => write!(
                f,
                "no space left to write the ledger {}; free some and resume: what was committed is safe",
                path.display()
            ),
            LedgerError::ReadOnly(path) => {
                write!(
                    f,
                    "the ledger {} cannot be written; check the permissions of its folder",
                    path.display()
                )
            }
            LedgerError::Corrupt { path, detail } => write!(
                f,
                "the ledger {} is damaged or not a ledger ({detail}); restore it from a copy, or start a new run from \
                 the last checkpoint",
                path.display()
            ),
            LedgerError::Version { path, found } => write!(
                f,
                "unsupported ledger version {found} in {}: this build reads version {SCHEMA_VERSION}; use the build \
                 that wrote it",
                path.display()
            ),
            LedgerError::OtherRun { path, differs } => {
                write!(f, "the ledger {} belongs to another run:", path.display())?;
                for d in differs {
                    write!(f, " its {} is {} and yours is {};", d.field, d.ledger, d.run)?;
                }
                let fields: Vec<&str> = differs.iter().map(|d| d.field).collect();
                let fields = fields.join(" and the ");
                write!(f, " undo the edit of the {fields}, or make a new plan and start a new run")
            }
            LedgerError::Conflict { domain, epoch, field, committed, offered } => write!(
                f,
                "epoch {epoch} of domain {domain} is committed with {field} {committed}, and was offered again with \
                 {offered}; a replay must give the same bits. Likely causes: the data or other files of the run were \
                 changed since, or this is another build of the program or another kind of processor. Undo the change, \
                 or go back to the build and machine that committed it, then resume; otherwise start a new run"
            ),
            LedgerError::Gap { domain, due, offered } => write!(
                f,
                "epoch {offered} of domain {domain} cannot be committed: epoch {due} is due; no epoch may be skipped"
            ),
            LedgerError::StepOrder { domain, last, offered } => write!(
                f,
                "step {offered} of domain {domain} cannot be committed: step {last} is committed already"
            ),
            LedgerError::BadNumber { what, value } => {
                write!(f, "{what} is {value}, which the ledger does not take")?;
                if *what == "loss" {
                    f.write_str("; the step is not committed: lower the learning rate, clip gradients, or check the data")?;
                }
                Ok(())
            }
            LedgerError::Failed { path, doing, detail } => {
                write!(f, "cannot {doing} the ledger {}: {detail}", path.display())
            }
        }
    }
}

impl LedgerError {
    /// Whether the run can go on with this ledger once the cause outside of it is gone.
    pub fn can_resume(&self) -> bool {
        match self {
            LedgerError::DiskFull(_) | LedgerError::Disk { .. } | LedgerError::ReadOnly(_) => true,
            LedgerError::InUse(_)
            | LedgerError::Missing(_)
            | LedgerError::Gone(_)
            | LedgerError::Hole { .. }
            | LedgerError::Behind { .. }
            | LedgerError::Exists(_)
            | LedgerError::Corrupt { .. }
            | LedgerError::Version { .. }
            | LedgerError::OtherRun { .. }
            | LedgerError::Conflict { .. }
            | LedgerError::Gap { .. }
            | LedgerError::StepOrder { .. }
            | LedgerError::BadNumber { .. }
            | LedgerError::Failed { .. } => false,
        }
    }
}

impl std::error::Error for LedgerError {}
