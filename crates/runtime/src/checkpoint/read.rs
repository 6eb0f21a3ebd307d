//! Reading checkpoints: verified as a whole first, then any region of any tensor.
//!
//! Must hold: nothing is read from a checkpoint of which a byte is missing or changed; a damaged one is passed over
//! with a reason. It repairs and removes nothing.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use safetensors::tensor::Metadata;

use super::error::CheckpointError;
use super::manifest::{FileEntry, Manifest, StateTensor, element_bytes};
use super::region::{self, Coverage, Region};
use super::{MANIFEST, Piece};
use crate::digest::Digest;

/// Longest manifest and longest safetensors header read, in bytes.
const MAX_TEXT: u64 = 256 << 20;

/// Where a piece's bytes are in its file.
type Span = (u64, usize);

/// A checkpoint whose every byte was verified when it was opened.
#[derive(Debug)]
pub struct Checkpoint {
    path: PathBuf,
    manifest: Manifest,
    /// For each tensor of the manifest, for each of its pieces.
    spans: Vec<Vec<Span>>,
}

/// The newest checkpoint that can be used.
#[derive(Debug)]
pub struct Latest {
    /// It, unless there is none.
    pub checkpoint: Option<Checkpoint>,
    /// Why newer ones were passed over, newest first.
    pub skipped: Vec<CheckpointError>,
}

/// The published checkpoints under `root`, by step, valid or not.
pub fn list(root: &Path) -> Result<Vec<(u64, PathBuf)>, CheckpointError> {
    let entries = match fs::read_dir(root) {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(CheckpointError::io(root, "list"))?,
    };
    let mut out = Vec::new();
    for entry in entries {
        let entry = entry.map_err(CheckpointError::io(root, "list"))?;
        let name = entry.file_name();
        let digits = name.to_str().and_then(|name| name.strip_prefix("step-"));
        if let Some(step) = digits.and_then(|digits| digits.parse().ok()) {
            out.push((step, entry.path()));
        }
    }
    out.sort();
    Ok(out)
}

/// The newest checkpoint under `root` that verifies, and why newer ones do not.
pub fn latest_valid(root: &Path) -> Result<Latest, CheckpointError> {
    let mut skipped = Vec::new();
    for (_, path) in list(root)?.into_iter().rev() {
        match open(&path) {
            Ok(checkpoint) => return Ok(Latest { checkpoint: Some(checkpoint), skipped }),
            Err(why) => skipped.push(why),
        }
    }
    Ok(Latest { checkpoint: None, skipped })
}

/// Opens the checkpoint in folder `path` and verifies all of it.
pub fn open(path: &Path) -> Result<Checkpoint, CheckpointError> {
    let manifest_path = path.join(MANIFEST);
    let mut text = Vec::new();
    let mut file = File::open(&manifest_path).map_err(CheckpointError::io(&manifest_path, "read"))?;
    (&mut file).take(MAX_TEXT).read_to_end(&mut text).map_err(CheckpointError::io(&manifest_path, "read"))?;
    let manifest = Manifest::from_text(&manifest_path, &text)?;
    let mut headers = BTreeMap::new();
    for entry in &manifest.files {
        headers.insert(entry.name.as_str(), verify_file(&path.join(&entry.name), entry)?);
    }
    let mut spans = Vec::with_capacity(manifest.state.len());
    for t in &manifest.state {
        let of_piece = |piece: &Piece| {
            let found = headers.get(piece.file.as_str()).and_then(|header| header.span(t, piece));
            found.ok_or_else(|| {
                let why = format!("it lacks piece {:?} as the manifest describes it", piece.tensor);
                CheckpointError::damaged(&path.join(&piece.file), why)
            })
        };
        spans.push(t.pieces.iter().map(of_piece).collect::<Result<Vec<Span>, _>>()?);
    }
    Ok(Checkpoint { path: path.to_owned(), manifest, spans })
}

/// A shard's table of contents.
struct Header {
    metadata: Metadata,
    /// Where the tensors' bytes begin in the file.
    data_at: u64,
}

impl Header {
    fn span(&self, t: &StateTensor, piece: &Piece) -> Option<Span> {
        let info = self.metadata.info(&piece.tensor)?;
        let extents = region::extents(&piece.region)?;
        let same_shape = info.shape.iter().map(|&n| n as u64).eq(extents);
        let (from, to) = info.data_offsets;
        (info.dtype == t.dtype && same_shape).then_some((self.data_at + from as u64, to - from))
    }
}

fn verify_file(path: &Path, entry: &FileEntry) -> Result<Header, CheckpointError> {
    let read = |e| CheckpointError::io(path, "read")(e);
    let mut file = File::open(path).map_err(read)?;
    let found = file.metadata().map_err(read)?.len();
    if found != entry.bytes {
        return Err(CheckpointError::damaged(
            path,
            format!("{found} bytes where {} were written", entry.bytes),
        ));
    }
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(&mut file).map_err(read)?;
    if Digest::from(hasher.finalize()) != entry.blake3 {
        return Err(CheckpointError::damaged(
            path,
            "its contents changed since they were written (BLAKE3 differs)",
        ));
    }
    let malformed =
        |why: String| CheckpointError::damaged(path, format!("it is not a safetensors file ({why})"));
    file.seek(SeekFrom::Start(0)).map_err(read)?;
    let mut length = [0; 8];
    file.read_exact(&mut length).map_err(read)?;
    let header_len = u64::from_le_bytes(length);
    if header_len > MAX_TEXT || header_len > found - 8 {
        return Err(malformed("its header is too long".to_owned()));
    }
    let mut text = Vec::new();
    file.take(header_len).read_to_end(&mut text).map_err(read)?;
    let metadata: Metadata = serde_json::from_slice(&text).map_err(|e| malformed(e.to_string()))?;
    let data_at = 8 + header_len;
    if data_at + metadata.data_len() as u64 != found {
        return Err(malformed("its length does not match its header".to_owned()));
    }
    Ok(Header { metadata, data_at })
}

impl Checkpoint {
    /// Its folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it holds.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The tensor called `name`.
    pub fn tensor(&self, name: &str) -> Result<&StateTensor, CheckpointError> {
        self.find(name).map(|(t, _)| t)
    }

    fn find(&self, name: &str) -> Result<(&StateTensor, &[Span]), CheckpointError> {
        let at = self.manifest.state.iter().position(|t| t.name == name);
        let at =
            at.ok_or_else(|| CheckpointError::NoTensor { path: self.path.clone(), tensor: name.to_owned() })?;
        Ok((&self.manifest.state[at], &self.spans[at]))
    }

    /// The bytes of a whole tensor, row-major, little-endian.
    pub fn read(&self, name: &str) -> Result<Vec<u8>, CheckpointError> {
        let whole = region::whole(&self.tensor(name)?.shape);
        self.read_region(name, &whole)
    }

    /// The bytes of a region of a tensor, compact and row-major, put together from whatever pieces hold it.
    pub fn read_region(&self, name: &str, region: &Region) -> Result<Vec<u8>, CheckpointError> {
        let (t, spans) = self.find(name)?;
        let refuse = |why: String| CheckpointError::tensor(name, why);
        region::validate(region, &t.shape).map_err(refuse)?;
        let element = element_bytes(name, t.dtype)?;
        let len = region::byte_len(region, element);
        let mut out =
            vec![0; len.ok_or_else(|| refuse("the region is too large for this machine".to_owned()))?];
        for (piece, &(at, len)) in t.pieces.iter().zip(spans) {
            // One piece that holds all of it is enough: a replica need not be read again.
            let alone = region::coverage(region, &[&piece.region]) == Coverage::Full;
            if !alone && !region::overlap(region, &piece.region) {
                continue;
            }
            let path = self.path.join(&piece.file);
            let read = |e| CheckpointError::io(&path, "read")(e);
            let mut file = File::open(&path).map_err(read)?;
            file.seek(SeekFrom::Start(at)).map_err(read)?;
            let mut bytes = vec![0; len];
            file.read_exact(&mut bytes).map_err(read)?;
            region::copy_shared(&piece.region, &bytes, region, &mut out, element);
            if alone {
                break;
            }
        }
        Ok(out)
    }
}
