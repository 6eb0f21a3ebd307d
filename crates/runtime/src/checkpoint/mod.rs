//! Checkpoints: a folder of safetensors shards and a manifest, `step-000123/`.
//!
//! Must hold: a folder of that name is whole. Shards are written and synced in `.tmp-step-000123/`, then the manifest,
//! then the folder is renamed; so whatever dies meanwhile leaves at most a `.tmp-` folder. Reading verifies every byte
//! against the manifest first. Workers call [`write_shard`], the controller calls [`begin`] and [`publish`].
//! It does not choose when to write one or which to keep.

mod error;
mod manifest;
mod read;
pub mod region;

use std::borrow::Cow;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use safetensors::Dtype;
use safetensors::tensor::View;

use crate::digest::Digest;
use crate::files;

pub use error::CheckpointError;
pub use manifest::{FileEntry, MANIFEST_VERSION, Manifest, Piece, ShardInfo, ShardPiece, StateTensor};
pub use read::{Checkpoint, Latest, latest_valid, list, open};
pub use region::Region;

/// The manifest's name in a checkpoint's folder.
pub const MANIFEST: &str = "manifest.json";
const TEMPORARY: &str = ".tmp-";

fn folder_name(step: u64) -> String {
    format!("step-{step:06}")
}

/// The folder of the checkpoint after `step`, once published.
pub fn final_dir(root: &Path, step: u64) -> PathBuf {
    root.join(folder_name(step))
}

/// The folder in which the checkpoint after `step` is made.
pub fn temporary_dir(root: &Path, step: u64) -> PathBuf {
    root.join(format!("{TEMPORARY}{}", folder_name(step)))
}

/// A part of a tensor to be written.
#[derive(Clone, Debug)]
pub struct ShardTensor<'a> {
    /// Logical name of the tensor.
    pub name: &'a str,
    /// Its element type.
    pub dtype: Dtype,
    /// Its whole shape.
    pub shape: &'a [u64],
    /// The part written.
    pub region: Region,
    /// Its bytes: little-endian, compact, row-major.
    pub bytes: &'a [u8],
}

/// A piece as safetensors sees it.
struct PieceView<'a> {
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: &'a [u8],
}

impl View for PieceView<'_> {
    fn dtype(&self) -> Dtype {
        self.dtype
    }

    fn shape(&self) -> &[usize] {
        &self.shape
    }

    fn data(&self) -> Cow<'_, [u8]> {
        Cow::Borrowed(self.bytes)
    }

    fn data_len(&self) -> usize {
        self.bytes.len()
    }
}

/// Starts the checkpoint after `step`: an empty folder for its shards, whatever an earlier try left there removed.
pub fn begin(root: &Path, step: u64) -> Result<PathBuf, CheckpointError> {
    files::make_dir(root).map_err(CheckpointError::io(root, "make the folder"))?;
    let dir = temporary_dir(root, step);
    remove(&dir)?;
    fs::create_dir(&dir).map_err(CheckpointError::io(&dir, "make the folder"))?;
    Ok(dir)
}

fn remove(dir: &Path) -> Result<(), CheckpointError> {
    match fs::remove_dir_all(dir) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(CheckpointError::io(dir, "remove")(e)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Removes what unfinished checkpoints left; returns the folders removed. Not while one is being made.
pub fn remove_temporaries(root: &Path) -> Result<Vec<PathBuf>, CheckpointError> {
    let entries = match fs::read_dir(root) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(CheckpointError::io(root, "list"))?,
    };
    let mut removed = Vec::new();
    for entry in entries {
        let entry = entry.map_err(CheckpointError::io(root, "list"))?;
        if entry.file_name().as_encoded_bytes().starts_with(TEMPORARY.as_bytes()) {
            remove(&entry.path())?;
            removed.push(entry.path());
        }
    }
    removed.sort();
    Ok(removed)
}

/// Writes one worker's shard into `dir` (from [`begin`]), synced. `worker` may hold letters, digits, `.`, `_` and `-`.
/// Regions without elements are left out.
pub fn write_shard(
    dir: &Path,
    worker: &str,
    tensors: &[ShardTensor<'_>],
) -> Result<ShardInfo, CheckpointError> {
    let name = format!("shard-{worker}.safetensors");
    if !manifest::is_shard_name(&name) {
        let why = "a worker's name may hold only letters, digits, '.', '_' and '-'";
        return Err(CheckpointError::tensor(worker, why));
    }
    let mut views: Vec<(String, PieceView<'_>)> = Vec::with_capacity(tensors.len());
    let mut pieces: Vec<ShardPiece> = Vec::with_capacity(tensors.len());
    for (i, t) in tensors.iter().enumerate() {
        let refuse = |why: String| CheckpointError::tensor(t.name, why);
        region::validate(&t.region, t.shape).map_err(refuse)?;
        let element = manifest::element_bytes(t.name, t.dtype)?;
        let wanted = region::byte_len(&t.region, element);
        if wanted != Some(t.bytes.len()) {
            return Err(refuse(format!(
                "{} bytes given for region {:?} of {}",
                t.bytes.len(),
                t.region,
                t.dtype
            )));
        }
        if t.bytes.is_empty() {
            // A tensor without elements is still listed, so that its name and shape are known.
            if t.shape.iter().all(|&n| n > 0) {
                continue;
            }
        }
        let shape: Option<Vec<usize>> =
            region::extents(&t.region).and_then(|e| e.into_iter().map(|n| usize::try_from(n).ok()).collect());
        let shape = shape.ok_or_else(|| refuse("it is too large for this machine".to_owned()))?;
        // The tensor's own name, so that other tools find it; several pieces of one tensor are told apart by position.
        let taken = |name: &str| name == "__metadata__" || pieces.iter().any(|p| p.tensor == name);
        let mut tensor = t.name.to_owned();
        while taken(&tensor) {
            tensor = format!("{tensor}#{i}");
        }
        views.push((tensor.clone(), PieceView { dtype: t.dtype, shape, bytes: t.bytes }));
        let (name, shape, region) = (t.name.to_owned(), t.shape.to_vec(), t.region.clone());
        pieces.push(ShardPiece { name, dtype: t.dtype, shape, region, tensor });
    }
    let bytes =
        safetensors::serialize(views, None).map_err(|e| CheckpointError::tensor(&name, e.to_string()))?;
    let path = dir.join(&name);
    files::write_synced(&path, &bytes).map_err(CheckpointError::io(&path, "write"))?;
    let file = FileEntry { name, bytes: bytes.len() as u64, blake3: Digest::of(&bytes) };
    Ok(ShardInfo { file, pieces })
}

/// Finishes the checkpoint after `step`, whose shards are all written: the manifest, then the rename, each synced.
///
/// If the same checkpoint is published already (a replay), nothing changes; a damaged one is replaced.
pub fn publish(root: &Path, step: u64, manifest: &Manifest) -> Result<PathBuf, CheckpointError> {
    let (dir, done) = (temporary_dir(root, step), final_dir(root, step));
    if manifest.step != step {
        let why = format!("the manifest is of step {}, not {step}", manifest.step);
        return Err(CheckpointError::tensor(MANIFEST, why));
    }
    manifest.validate()?;
    for file in &manifest.files {
        let path = dir.join(&file.name);
        let found = fs::metadata(&path).map_err(CheckpointError::io(&path, "read"))?.len();
        if found != file.bytes {
            return Err(CheckpointError::damaged(
                &path,
                format!("{found} bytes where {} were written", file.bytes),
            ));
        }
    }
    if done.exists() {
        match open(&done) {
            Ok(there) if there.manifest() == manifest => {
                remove(&dir)?;
                return Ok(done);
            }
            Ok(_) => return Err(CheckpointError::Conflict { path: done }),
            Err(_) => remove(&done)?,
        }
    }
    let path = dir.join(MANIFEST);
    files::write_synced(&path, &manifest.to_text()).map_err(CheckpointError::io(&path, "write"))?;
    files::sync_dir(&dir).map_err(CheckpointError::io(&dir, "sync"))?;
    fs::rename(&dir, &done).map_err(CheckpointError::io(&done, "publish"))?;
    files::sync_dir(root).map_err(CheckpointError::io(root, "sync"))?;
    Ok(done)
}
