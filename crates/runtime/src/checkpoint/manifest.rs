//! The manifest: which tensors a checkpoint holds, and where each piece of them lies.
//!
//! Must hold: its text carries the digest of its own contents, so that a manifest changed anywhere but in white space
//! is not read; every tensor is covered by its pieces. It does no file access.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::Path;

use safetensors::Dtype;
use serde::{Deserialize, Serialize};

use super::error::CheckpointError;
use super::region::{self, Coverage, Region};
use crate::digest::Digest;

/// Version of the manifest's format.
pub const MANIFEST_VERSION: u64 = 1;

/// One file of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileEntry {
    /// Its name inside the checkpoint's folder.
    pub name: String,
    /// Its length in bytes.
    pub bytes: u64,
    /// BLAKE3 of its contents.
    pub blake3: Digest,
}

/// Where a part of a tensor lies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Piece {
    /// The file.
    pub file: String,
    /// The name of the piece in that file.
    pub tensor: String,
    /// The part it is; its bytes are compact and row-major.
    pub region: Region,
}

/// A tensor of the state. Pieces may overlap (replicas); where they do, they hold the same values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StateTensor {
    /// Its logical name.
    pub name: String,
    /// Its element type, by safetensors' name.
    pub dtype: Dtype,
    /// Its whole shape.
    pub shape: Vec<u64>,
    /// Where it lies.
    pub pieces: Vec<Piece>,
}

/// What a checkpoint is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Digest of the plan that made the state.
    pub plan: Digest,
    /// Commit domain.
    pub domain: u32,
    /// Epoch of the state.
    pub epoch: u64,
    /// Last step in it.
    pub step: u64,
    /// The state layout, by name.
    pub state: Vec<StateTensor>,
    /// The files that hold it, by name.
    pub files: Vec<FileEntry>,
    /// Anything else worth keeping (data position, seed), as text.
    pub notes: BTreeMap<String, String>,
}

/// A piece that a shard holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShardPiece {
    /// Logical name of the tensor.
    pub name: String,
    /// Its element type.
    pub dtype: Dtype,
    /// Its whole shape.
    pub shape: Vec<u64>,
    /// The part held.
    pub region: Region,
    /// The name of the piece in the file.
    pub tensor: String,
}

/// What a worker reports of the shard it wrote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShardInfo {
    /// The file.
    pub file: FileEntry,
    /// What is in it.
    pub pieces: Vec<ShardPiece>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Envelope {
    version: u64,
    manifest: Manifest,
    blake3: Digest,
}

/// Whether a name from outside is a plain file name of a shard.
pub(super) fn is_shard_name(name: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-');
    name.starts_with("shard-") && name.ends_with(".safetensors") && name.bytes().all(plain)
}

/// Bytes of an element.
pub(super) fn element_bytes(tensor: &str, dtype: Dtype) -> Result<usize, CheckpointError> {
    match dtype.bitsize() {
        bits if bits % 8 == 0 => Ok(bits / 8),
        _ => Err(CheckpointError::Unsupported {
            tensor: tensor.to_owned(),
            what: format!("element type {dtype}"),
        }),
    }
}

impl Manifest {
    /// The manifest of what the workers wrote. Refused if they disagree on a tensor or leave a part of one out.
    pub fn assemble(
        plan: Digest,
        domain: u32,
        epoch: u64,
        step: u64,
        shards: &[ShardInfo],
    ) -> Result<Manifest, CheckpointError> {
        let mut files: BTreeMap<&str, &FileEntry> = BTreeMap::new();
        let mut state: BTreeMap<&str, StateTensor> = BTreeMap::new();
        for shard in shards {
            if files.insert(&shard.file.name, &shard.file).is_some() {
                return Err(CheckpointError::tensor(
                    &shard.file.name,
                    "two workers wrote a shard of this name",
                ));
            }
            for piece in &shard.pieces {
                let place = Piece {
                    file: shard.file.name.clone(),
                    tensor: piece.tensor.clone(),
                    region: piece.region.clone(),
                };
                match state.entry(&piece.name) {
                    Entry::Vacant(slot) => {
                        let (name, shape) = (piece.name.clone(), piece.shape.clone());
                        slot.insert(StateTensor { name, dtype: piece.dtype, shape, pieces: vec![place] });
                    }
                    Entry::Occupied(mut slot) => {
                        let t = slot.get_mut();
                        if (t.dtype, &t.shape) != (piece.dtype, &piece.shape) {
                            let why = format!(
                                "{} says {}{:?}, another shard says {}{:?}",
                                shard.file.name, piece.dtype, piece.shape, t.dtype, t.shape
                            );
                            return Err(CheckpointError::tensor(&piece.name, why));
                        }
                        t.pieces.push(place);
                    }
                }
            }
        }
        let manifest = Manifest {
            plan,
            domain,
            epoch,
            step,
            state: state.into_values().collect(),
            files: files.into_values().cloned().collect(),
            notes: BTreeMap::new(),
        };
        manifest.validate()?;
        Ok(manifest)
    }

    /// Whether every piece is a part of its tensor in a file of the manifest, and the pieces of each cover it.
    pub(super) fn validate(&self) -> Result<(), CheckpointError> {
        for file in &self.files {
            if !is_shard_name(&file.name) {
                return Err(CheckpointError::tensor(&file.name, "not the name of a shard file"));
            }
        }
        for (i, t) in self.state.iter().enumerate() {
            if self.state[..i].iter().any(|other| other.name == t.name) {
                return Err(CheckpointError::tensor(&t.name, "it is listed twice"));
            }
            element_bytes(&t.name, t.dtype)?;
            for piece in &t.pieces {
                region::validate(&piece.region, &t.shape)
                    .map_err(|why| CheckpointError::tensor(&t.name, why))?;
                if !self.files.iter().any(|f| f.name == piece.file) {
                    let why =
                        format!("a piece is in {:?}, which is not a file of the checkpoint", piece.file);
                    return Err(CheckpointError::tensor(&t.name, why));
                }
            }
            let pieces: Vec<&Region> = t.pieces.iter().map(|p| &p.region).collect();
            match region::coverage(&region::whole(&t.shape), &pieces) {
                Coverage::Full => {}
                Coverage::Missing(region) => {
                    return Err(CheckpointError::Uncovered { tensor: t.name.clone(), region });
                }
                Coverage::TooFine => {
                    let what = "a partition into millions of pieces".to_owned();
                    return Err(CheckpointError::Unsupported { tensor: t.name.clone(), what });
                }
            }
        }
        Ok(())
    }

    /// Digest of the manifest, and so of all contents of the checkpoint.
    pub fn digest(&self) -> Digest {
        // Plain data with string keys: JSON can always be written of it.
        Digest::of(&serde_json::to_vec(self).expect("a manifest has a JSON form"))
    }

    pub(super) fn to_text(&self) -> Vec<u8> {
        let envelope = Envelope { version: MANIFEST_VERSION, manifest: self.clone(), blake3: self.digest() };
        let mut text = serde_json::to_vec_pretty(&envelope).expect("a manifest has a JSON form");
        text.push(b'\n');
        text
    }

    pub(super) fn from_text(path: &Path, text: &[u8]) -> Result<Manifest, CheckpointError> {
        #[derive(Deserialize)]
        struct Version {
            version: u64,
        }
        let unreadable =
            |e: serde_json::Error| CheckpointError::damaged(path, format!("it is not a manifest ({e})"));
        let Version { version } = serde_json::from_slice(text).map_err(unreadable)?;
        if version != MANIFEST_VERSION {
            return Err(CheckpointError::Version { path: path.to_owned(), found: version });
        }
        let envelope: Envelope = serde_json::from_slice(text).map_err(unreadable)?;
        if envelope.manifest.digest() != envelope.blake3 {
            return Err(CheckpointError::damaged(path, "its contents do not match its own digest"));
        }
        let invalid = |e: CheckpointError| CheckpointError::damaged(path, e.to_string());
        envelope.manifest.validate().map_err(invalid)?;
        Ok(envelope.manifest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_changed_byte_and_every_cut_of_a_manifest_is_noticed() {
        let region = vec![vec![(0, 2), (3, 5)], vec![(0, 1)]];
        let rest = vec![vec![(2, 3)], vec![(0, 1)]];
        let piece = |region: Region, tensor: &str| ShardPiece {
            name: "w".to_owned(),
            dtype: Dtype::F32,
            shape: vec![5, 1],
            region,
            tensor: tensor.to_owned(),
        };
        let file = FileEntry { name: "shard-a.safetensors".to_owned(), bytes: 99, blake3: Digest::of(b"a") };
        let shard = ShardInfo { file, pieces: vec![piece(region, "w"), piece(rest, "w#1")] };
        let mut good = Manifest::assemble(Digest::of(b"plan"), 0, 7, 7, &[shard]).unwrap();
        good.notes.insert("seed".to_owned(), "17".to_owned());
        let text = good.to_text();
        let read = |text: &[u8]| Manifest::from_text(Path::new("manifest.json"), text);
        assert_eq!(read(&text).unwrap(), good);
        for at in 0..text.len() {
            for bit in 0..8 {
                let mut changed = text.clone();
                changed[at] ^= 1 << bit;
                if let Ok(found) = read(&changed) {
                    assert!(text[at].is_ascii_whitespace() && found == good, "bit {bit} of byte {at}");
                }
            }
            // The last byte is a line feed.
            assert!(read(&text[..at]).is_err() || at == text.len() - 1, "cut at {at}");
        }
    }
}
