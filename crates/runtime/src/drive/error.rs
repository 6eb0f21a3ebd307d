//! Why a run could not be started or did not reach its last step.
//!
//! Must hold: each message says what, where and what to do next. It decides nothing.

use crate::checkpoint::CheckpointError;
use crate::digest::Digest;
use crate::ledger::LedgerError;
use std::fmt;
use std::path::PathBuf;

/// See the module.
#[derive(Debug)]
pub enum RunError {
    /// A text of the run cannot be read: which, and why.
    Artifact {
        /// `plan`, `step program`, `strategy`, `deployment`, `run.json`.
        what: &'static str,
        /// Why.
        why: String,
    },
    /// The plan was made for something else.
    Identity {
        /// `model`, `step`, `strategy` or `deployment`.
        field: &'static str,
        /// What the plan names.
        plan: String,
        /// What the run has.
        run: String,
    },
    /// The checker refused the plan.
    Rejected {
        /// How many rules it breaks.
        count: usize,
        /// The first findings, in words.
        findings: Vec<String>,
    },
    /// A device's name cannot be that of a file.
    DeviceName(String),
    /// The ledger.
    Ledger(LedgerError),
    /// A checkpoint.
    Checkpoint(CheckpointError),
    /// A file or folder.
    Io {
        /// Which.
        path: PathBuf,
        /// What was tried.
        doing: &'static str,
        /// What the system said.
        source: std::io::Error,
    },
    /// A worker could not be started or reached.
    Unreachable {
        /// The worker.
        worker: String,
        /// Why, and what to do.
        message: String,
    },
    /// A worker cannot go on.
    Worker {
        /// The worker.
        worker: String,
        /// What it said.
        message: String,
        /// Its log.
        log: PathBuf,
    },
    /// A worker was lost again and again.
    Restarts {
        /// The worker.
        worker: String,
        /// How often workers were restarted since the last commit.
        count: u32,
        /// Why it was lost the last time.
        reason: String,
        /// The end of its log.
        tail: String,
    },
    /// The loss is not finite.
    NonFinite {
        /// The step, from 1.
        step: u64,
        /// Its loss.
        loss: f64,
        /// Last step committed.
        committed: u64,
    },
    /// The loss is finite, but what the step made of the state is not a number.
    NanState {
        /// The step, from 1.
        step: u64,
        /// The state's name.
        name: String,
        /// Last step committed.
        committed: u64,
    },
    /// The state that was loaded is not the one that was committed.
    OtherState {
        /// The step that led to it.
        step: u64,
        /// The checkpoint it came from.
        path: PathBuf,
        /// Whether the checkpoint only served to bring a restarted worker back.
        recovery: bool,
        /// The ledger's digest.
        committed: Digest,
        /// The digest of what was loaded.
        loaded: Digest,
    },
    /// Nothing was heard for long.
    Stalled {
        /// Seconds.
        seconds: u64,
        /// Worker and what it was doing.
        waiting: Vec<(String, String)>,
    },
    /// The program itself is at fault.
    Internal(String),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::Artifact { what, why } => write!(f, "the {what} cannot be used: {why}"),
            RunError::Identity { field, plan, run } => write!(
                f,
                "the plan was made for another {field}: it names {plan} and the run has {run}; undo the edit of the \
                 {field}, or make a new plan and start a new run"
            ),
            RunError::Rejected { count, findings } => {
                write!(f, "the checker refuses the plan ({count} findings):")?;
                findings.iter().try_for_each(|line| write!(f, "\n  {line}"))?;
                f.write_str("\n  make a new plan with `pullback plan`")
            }
            RunError::DeviceName(name) => write!(
                f,
                "device {name:?} of the deployment: a worker's name may hold only letters, digits, '.', '_' and '-', \
                 since files are named after it"
            ),
            RunError::Ledger(e) => e.fmt(f),
            RunError::Checkpoint(e) => e.fmt(f),
            RunError::Io { path, doing, source } => write!(f, "cannot {doing} {}: {source}", path.display()),
            RunError::Unreachable { message, .. } => f.write_str(message),
            RunError::Worker { worker, message, log } => {
                write!(f, "worker {worker} cannot go on: {message} (its log: {})", log.display())
            }
            RunError::Restarts { worker, count, reason, tail } => write!(
                f,
                "workers were restarted {count} times since the last commit; giving up. Worker {worker} was lost the \
                 last time: {reason}. What is committed is safe: resume when the cause is found. The end of its log:\n{}",
                tail.trim_end()
            ),
            RunError::NonFinite { step, loss, committed } => write!(
                f,
                "non-finite loss ({loss}) at step {step}: nothing of it was committed, the last commit is step \
                 {committed}; lower the learning rate, clip gradients, or look at the data of batch {} and at the \
                 parameters in the last checkpoint",
                step - 1
            ),
            RunError::NanState { step, name, committed } => write!(
                f,
                "NaN in the next {name} at step {step}, though its loss is finite: the last commit is step {committed}; a \
                 loop past its `loop_bound`, a square root of 0 or an overflow? Try `pullback check-grad`"
            ),
            RunError::OtherState { step, path, recovery, committed, loaded } => {
                write!(
                    f,
                    "the state of step {step} loaded from {} is not the state that was committed: its digest is {}, \
                     and the ledger has {}; ",
                    path.display(),
                    loaded.short(),
                    committed.short()
                )?;
                f.write_str(match recovery {
                    true => "resume, to go on from the last checkpoint",
                    false => {
                        "the checkpoint was changed or is of another run: move it away and resume, to go on from an \
                         older one, or start a new run"
                    }
                })
            }
            RunError::Stalled { seconds, waiting } => {
                write!(f, "nothing was heard from the workers for {seconds} s; waiting for")?;
                for (i, (worker, doing)) in waiting.iter().enumerate() {
                    write!(f, "{} {worker} ({doing})", if i > 0 { "," } else { "" })?;
                }
                f.write_str("; look at their logs, then resume: what is committed is safe")
            }
            RunError::Internal(why) => write!(f, "the run broke its own protocol: {why}; please report this"),
        }
    }
}

impl RunError {
    /// Whether resuming the run as it is, once the cause outside of it is gone, is a sensible next step.
    pub fn can_resume(&self) -> bool {
        let full = |e: &std::io::Error| {
            matches!(e.kind(), std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded)
        };
        match self {
            RunError::Unreachable { .. }
            | RunError::Worker { .. }
            | RunError::Restarts { .. }
            | RunError::Stalled { .. } => true,
            RunError::OtherState { recovery, .. } => *recovery,
            RunError::Io { source, .. } => full(source),
            RunError::Ledger(e) => e.can_resume(),
            RunError::Checkpoint(CheckpointError::DiskFull { .. }) => true,
            RunError::Checkpoint(CheckpointError::Io { source, .. }) => full(source),
            RunError::Checkpoint(_)
            | RunError::Artifact { .. }
            | RunError::Identity { .. }
            | RunError::Rejected { .. }
            | RunError::DeviceName(_)
            | RunError::NonFinite { .. }
            | RunError::NanState { .. }
            | RunError::Internal(_) => false,
        }
    }
}

impl std::error::Error for RunError {}

impl From<LedgerError> for RunError {
    fn from(e: LedgerError) -> Self {
        RunError::Ledger(e)
    }
}

impl From<CheckpointError> for RunError {
    fn from(e: CheckpointError) -> Self {
        RunError::Checkpoint(e)
    }
}
