//! What fuzzing found worth keeping, file by file: nothing in it makes the importer panic, and what imports comes back
//! from its own text.
//!
//! `tests/corpus/TARGET.bin` holds the files of a fuzz target, each after its length in four bytes (little-endian);
//! `fuzz/pack.py` writes them. With CORPUS=FOLDER the files of a folder are replayed instead.

use crate::roundtrip::exercise;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

/// The files in a packed corpus.
fn unpack(mut bytes: &[u8]) -> Vec<&[u8]> {
    let mut out = Vec::new();
    while let Some((len, rest)) = bytes.split_first_chunk::<4>() {
        let (file, rest) = rest.split_at(u32::from_le_bytes(*len) as usize);
        out.push(file);
        bytes = rest;
    }
    assert!(bytes.is_empty(), "the corpus is cut off");
    out
}

/// Fails with the names of the files that panicked.
fn replay<'a>(files: impl IntoIterator<Item = (String, &'a [u8])>) {
    let failed: Vec<String> = files
        .into_iter()
        .filter(|(_, file)| catch_unwind(AssertUnwindSafe(|| exercise(file))).is_err())
        .map(|(name, _)| name)
        .collect();
    assert!(failed.is_empty(), "{} failed, see above: {}", failed.len(), failed.join(" "));
}

fn folder(path: &Path) {
    let read = |path: &Path| std::fs::read_dir(path).expect("a folder").map(|e| e.expect("an entry").path());
    let mut paths: Vec<_> = read(path).collect();
    paths.sort();
    let files = paths.iter().map(|p| (p.display().to_string(), std::fs::read(p).expect("a file")));
    let files: Vec<(String, Vec<u8>)> = files.collect();
    replay(files.iter().map(|(name, bytes)| (name.clone(), bytes.as_slice())));
}

fn check(target: &str, packed: &[u8]) {
    if let Some(path) = std::env::var_os("CORPUS") {
        return folder(Path::new(&path));
    }
    let files = unpack(packed);
    assert!(!files.is_empty(), "nothing to replay");
    replay(files.into_iter().enumerate().map(|(i, file)| (format!("{target} {i}"), file)));
}

#[test]
fn text() {
    check("text", include_bytes!("../corpus/text.bin"));
}

#[test]
fn bytecode() {
    check("bytecode", include_bytes!("../corpus/bytecode.bin"));
}

#[test]
fn export() {
    check("export", include_bytes!("../corpus/export.bin"));
}
