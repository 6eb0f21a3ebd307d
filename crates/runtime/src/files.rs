//! Small file operations whose effect outlives a crash.
//!
//! Must hold: when a function returns `Ok`, what it wrote is on disk. It knows no formats.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// Writes a file whole and syncs it; it is not renamed, and its folder is not synced.
pub(crate) fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Syncs a folder, so that names made or changed in it last.
pub(crate) fn sync_dir(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// Syncs the folder a file or folder lies in.
pub(crate) fn sync_parent(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => sync_dir(parent),
        Some(_) | None => sync_dir(Path::new(".")),
    }
}

/// Makes a folder and its missing parents, and syncs the one it lies in.
pub(crate) fn make_dir(path: &Path) -> io::Result<()> {
    fs::create_dir_all(path)?;
    sync_parent(path)
}
