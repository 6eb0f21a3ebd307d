//! Reading and writing whole files, with errors that name them.
//!
//! Must hold: a file that [`write_atomic`] was to write holds either what it held before or all of the new
//! bytes, whatever happens meanwhile.

use crate::error::Error;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// All bytes of a file.
pub fn read(path: &Path) -> Result<Vec<u8>, Error> {
    fs::read(path).map_err(|e| io_error("cannot be read", path, &e))
}

/// All text of a file, which must be UTF-8.
pub fn read_text(path: &Path) -> Result<String, Error> {
    text_of(path, read(path)?)
}

/// Bytes read from `path` as text, which must be UTF-8.
pub fn text_of(path: &Path, bytes: Vec<u8>) -> Result<String, Error> {
    String::from_utf8(bytes).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        Error::new(format!("not a text: byte {at} is not UTF-8")).in_file(path.display())
    })
}

/// Writes to a new file beside `path`, syncs it, and renames it to `path`. A path that is there and is not a
/// plain file (`/dev/stdout`, a pipe) is written to directly.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let error = |e: io::Error| io_error("cannot be written", path, &e);
    // The file a link names is replaced, not the link.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    match fs::metadata(&target) {
        Ok(m) if m.is_dir() => {
            return Err(Error::new("cannot be written: it is a folder").in_file(path.display()));
        }
        Ok(m) if !m.is_file() => return fs::write(&target, bytes).map_err(error),
        Ok(_) | Err(_) => {}
    }
    let temporary = temporary_name(&target);
    let written = write_synced(&temporary, bytes).and_then(|()| fs::rename(&temporary, &target));
    written.map_err(|e| {
        // What is left of a failed attempt; the first error is the one to tell.
        let _ = fs::remove_file(&temporary);
        error(e)
    })
}

fn temporary_name(target: &Path) -> PathBuf {
    let name = target.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    target.with_file_name(format!(".{name}.{}.tmp", std::process::id()))
}

fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

fn io_error(what: &str, path: &Path, e: &io::Error) -> Error {
    let missing = e.kind() == io::ErrorKind::NotFound;
    let reason = if missing { "no such file or folder".to_owned() } else { e.to_string() };
    let error = Error::new(format!("{what}: {reason}")).in_file(path.display());
    if missing {
        error.with_help("check the path; it is relative to the current folder")
    } else if e.kind() == io::ErrorKind::StorageFull {
        error.with_help("free some space; what the file held before is untouched")
    } else {
        error
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_replaced_whole_and_nothing_is_left_behind() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        write_atomic(&path, b"one").unwrap();
        write_atomic(&path, b"two").unwrap();
        assert_eq!(read(&path).unwrap(), b"two");
        let missing = dir.path().join("none/b");
        assert!(write_atomic(&missing, b"x").unwrap_err().to_string().contains("no such file"));
        assert!(write_atomic(dir.path(), b"x").unwrap_err().to_string().contains("folder"));
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
