//! The checks, each a function from the repository to findings.
//!
//! A finding is one line, `file:line: rule: message`, in the order of files and lines. Nothing here knows more of
//! Rust than where comments, strings and braces are.

mod edges;
mod rules;
mod size;
mod source;
mod words;

use source::Source;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// Something that must not stay so.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Finding {
    /// Relative to the repository, with `/`.
    pub file: String,
    /// From 1.
    pub line: usize,
    /// Which check.
    pub rule: &'static str,
    /// What is wrong and what to do.
    pub message: String,
}

impl Finding {
    fn new(file: impl Into<String>, line: usize, rule: &'static str, message: impl Into<String>) -> Self {
        Self { file: file.into(), line, rule, message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}: {}", self.file, self.line, self.rule, self.message)
    }
}

/// A text file of the repository.
pub struct TextFile {
    /// Relative to the repository, with `/`.
    pub path: String,
    /// What is in it.
    pub text: String,
}

impl TextFile {
    fn extension(&self) -> &str {
        self.path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map_or("", |(_, e)| e)
    }

    /// Whether it is Rust of ours, fixtures of tests apart.
    fn is_rust(&self) -> bool {
        let ours = ["crates/", "xtask/", "fuzz/"].iter().any(|d| self.path.starts_with(d));
        let fixture = ["/tests/data/", "/tests/fixtures/"].iter().any(|d| self.path.contains(d));
        self.extension() == "rs" && ours && !fixture
    }

    /// Whether it is there for tests alone.
    fn is_test(&self) -> bool {
        let mut folders: Vec<&str> = self.path.split('/').collect();
        let name = folders.pop().unwrap_or_default();
        name == "tests.rs" || folders.iter().any(|f| ["tests", "benches"].contains(f))
    }
}

/// Folders that are not source, wherever they are.
const SKIPPED: &[&str] = &[".git", "target", "runs", "__pycache__", ".venv"];
/// Files that are read, besides those of `.ci`.
const EXTENSIONS: &[&str] = &["rs", "md", "toml", "py", "mlir", "json", "ir", "plan", "sh"];

/// Runs all checks. Errors: files that cannot be read, no cargo.
pub fn run(root: &Path) -> Result<Vec<Finding>, String> {
    let files = read_all(root)?;
    let mut findings = edges::check(root)?;
    findings.extend(rules::check(&files));
    findings.extend(words::check(&files));
    let rust = files.iter().filter(|f| f.is_rust());
    let sources: Vec<Source> = rust.map(Source::new).collect();
    findings.extend(sources.iter().filter_map(header));
    findings.extend(size::check(root, &sources)?);
    findings.sort();
    Ok(findings)
}

/// A Rust file opens with what it is.
fn header(s: &Source) -> Option<Finding> {
    let first = s.file.text.lines().find(|l| !l.trim().is_empty()).unwrap_or_default();
    let says = first.strip_prefix("//!").is_some_and(|rest| !rest.trim().is_empty());
    let message = "the file must open with `//!`: what it is, what must hold, what it does not do";
    (!says).then(|| Finding::new(&s.file.path, 1, "header", message))
}

/// All text files, in order of their paths.
fn read_all(root: &Path) -> Result<Vec<TextFile>, String> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for path in list(&folder)? {
            let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            // A link may lead out of the repository.
            let kind = path.symlink_metadata().map_err(|e| format!("{}: {e}", path.display()))?.file_type();
            if kind.is_dir() {
                let is_hidden = name.starts_with('.') && ![".ci", ".cargo"].contains(&name.as_str());
                if !is_hidden && !SKIPPED.contains(&name.as_str()) {
                    folders.push(path);
                }
                continue;
            }
            let relative = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
            let mut file = TextFile { path: relative, text: String::new() };
            if kind.is_file() && (EXTENSIONS.contains(&file.extension()) || file.path.starts_with(".ci/")) {
                // Tests keep broken files on purpose; what is not UTF-8 has no words.
                let bytes = fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
                file.text = String::from_utf8_lossy(&bytes).into_owned();
                files.push(file);
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

fn list(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    entries.map(|e| e.map(|e| e.path()).map_err(|e| format!("{}: {e}", folder.display()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str, text: &str) -> TextFile {
        TextFile { path: path.into(), text: text.into() }
    }

    #[test]
    fn a_file_without_a_header_is_found() {
        for (text, fine) in [
            ("//! What it is.\nfn main() {}\n", true),
            ("\n//! What it is.\n", true),
            ("// What it is.\n", false),
            ("//!\n", false),
            ("#![allow(dead_code)]\n//! Late.\n", false),
            ("", false),
        ] {
            let f = file("crates/x/src/a.rs", text);
            assert_eq!(header(&Source::new(&f)).is_none(), fine, "{text:?}");
        }
    }

    #[test]
    fn which_files_are_rust_and_which_are_tests() {
        assert!(file("crates/x/src/a.rs", "").is_rust());
        assert!(!file("crates/x/tests/data/a.rs", "").is_rust());
        assert!(!file("examples/a.rs", "").is_rust());
        assert!(file("crates/x/tests/it/a.rs", "").is_test());
        assert!(file("crates/x/benches/a.rs", "").is_test());
        assert!(file("crates/x/src/ledger/tests.rs", "").is_test());
        assert!(!file("crates/x/src/a.rs", "").is_test());
    }

    #[test]
    fn a_finding_is_one_line() {
        let f = Finding::new("a/b.rs", 3, "header", "is missing");
        assert_eq!(f.to_string(), "a/b.rs:3: header: is missing");
    }
}
