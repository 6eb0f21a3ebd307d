//! Chores of the repository: `cargo xtask tidy` holds the source to what ARCHITECTURE.md says of it.
//!
//! `cargo test` runs the same checks. Reads files and asks `cargo metadata`; changes nothing but `limits.txt`, and
//! that only downward and only when `UPDATE_EXPECT=1` is set.

mod tidy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "\
usage: cargo xtask tidy

  tidy   crate edges, file headers, lengths, rules against tests and docs, words that must not stay
         (UPDATE_EXPECT=1 lowers the exceptions in xtask/limits.txt to what they are now)
";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["tidy"] => {}
        [] | ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        _ => {
            eprint!("{USAGE}");
            return ExitCode::from(2);
        }
    }
    match tidy::run(&root()) {
        Ok(findings) if findings.is_empty() => ExitCode::SUCCESS,
        Ok(findings) => {
            findings.iter().for_each(|f| println!("{f}"));
            eprintln!("{} findings", findings.len());
            ExitCode::FAILURE
        }
        Err(e) => {
            eprintln!("error: {e}");
            ExitCode::FAILURE
        }
    }
}

/// The repository: this package's parent folder.
fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().unwrap_or(package).to_path_buf()
}

#[cfg(test)]
mod tests {
    #[test]
    fn tidy() {
        let findings = super::tidy::run(&super::root()).unwrap();
        let lines: Vec<String> = findings.iter().map(ToString::to_string).collect();
        assert!(findings.is_empty(), "{} findings\n{}", findings.len(), lines.join("\n"));
    }
}
