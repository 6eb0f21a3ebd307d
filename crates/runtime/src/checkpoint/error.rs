//! Why a checkpoint was not written or cannot be used.
//!
//! Must hold: each message names the file, why, and what to do. It decides nothing.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::MANIFEST_VERSION;
use super::region::Region;

/// See the module.
#[derive(Debug)]
pub enum CheckpointError {
    /// No space is left.
    DiskFull {
        /// The file being written.
        path: PathBuf,
    },
    /// The system reported a failure.
    Io {
        /// Which file or folder.
        path: PathBuf,
        /// What was tried.
        doing: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// A file of the checkpoint is not there.
    Missing {
        /// Which.
        path: PathBuf,
    },
    /// A file of the checkpoint is not what was written.
    Damaged {
        /// Which.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The manifest is of another version.
    Version {
        /// Which file.
        path: PathBuf,
        /// Its version.
        found: u64,
    },
    /// A tensor of the checkpoint cannot be handled here.
    Unsupported {
        /// The tensor.
        tensor: String,
        /// What about it.
        what: String,
    },
    /// A tensor was handed over, or asked for, wrongly.
    BadTensor {
        /// The tensor.
        tensor: String,
        /// What is wrong.
        why: String,
    },
    /// The shards together lack a part of a tensor.
    Uncovered {
        /// The tensor.
        tensor: String,
        /// A box that no shard holds.
        region: Region,
    },
    /// Another checkpoint is published for the step.
    Conflict {
        /// Its folder.
        path: PathBuf,
    },
    /// There is no tensor of that name.
    NoTensor {
        /// The checkpoint's folder.
        path: PathBuf,
        /// The name.
        tensor: String,
    },
}

impl CheckpointError {
    pub(super) fn io(path: &Path, doing: &'static str) -> impl FnOnce(io::Error) -> CheckpointError {
        let path = path.to_owned();
        move |source| match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => CheckpointError::DiskFull { path },
            io::ErrorKind::NotFound if doing == "read" => CheckpointError::Missing { path },
            _ => CheckpointError::Io { path, doing, source },
        }
    }

    pub(super) fn damaged(path: &Path, why: impl Into<String>) -> CheckpointError {
        CheckpointError::Damaged { path: path.to_owned(), why: why.into() }
    }

    pub(super) fn tensor(tensor: &str, why: impl Into<String>) -> CheckpointError {
        CheckpointError::BadTensor { tensor: tensor.to_owned(), why: why.into() }
    }
}

impl fmt::Display for CheckpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckpointError::DiskFull { path } => write!(
                f,
                "no space left to write the checkpoint file {}; free some and resume: earlier checkpoints are safe",
                path.display()
            ),
            CheckpointError::Io { path, doing, source } => {
                write!(f, "cannot {doing} {}: {source}", path.display())
            }
            CheckpointError::Missing { path } => {
                write!(f, "the checkpoint file {} is missing; use an older checkpoint", path.display())
            }
            CheckpointError::Damaged { path, why } => {
                write!(f, "the checkpoint file {} is damaged: {why}; use an older checkpoint", path.display())
            }
            CheckpointError::Version { path, found } => write!(
                f,
                "unsupported checkpoint version {found} in {}: this build reads version {MANIFEST_VERSION}; use the \
                 build that wrote it, or an older checkpoint",
                path.display()
            ),
            CheckpointError::Unsupported { tensor, what } => {
                write!(f, "tensor {tensor:?}: {what} is unsupported in a checkpoint")
            }
            CheckpointError::BadTensor { tensor, why } => write!(f, "tensor {tensor:?}: {why}"),
            CheckpointError::Uncovered { tensor, region } => {
                write!(
                    f,
                    "tensor {tensor:?}: no shard holds its elements {region:?}; every part needs a writer"
                )
            }
            CheckpointError::Conflict { path } => write!(
                f,
                "there is a checkpoint with other contents at {} already; move it away, or use another run folder",
                path.display()
            ),
            CheckpointError::NoTensor { path, tensor } => {
                write!(
                    f,
                    "the checkpoint {} holds no tensor {tensor:?}; was it made by another model?",
                    path.display()
                )
            }
        }
    }
}

impl std::error::Error for CheckpointError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        if let CheckpointError::Io { source, .. } = self { Some(source) } else { None }
    }
}
