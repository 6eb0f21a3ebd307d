//! Words that must not stay: unfinished code, places of one machine, hosts that packages come from.
//!
//! Macros are looked for in code, so that a text may speak of them; all else in the whole file. The words are put
//! together here, so that this file does not find itself.

use super::source::{Source, line_of, words};
use super::{Finding, TextFile};

/// Macros that mark what is not finished.
const MACROS: &[&str] = &["todo", "unimplemented", "dbg"];
/// Marks in comments.
const MARKS: &[&str] = &[concat!("FIX", "ME"), concat!("XX", "X")];
/// Folders of one machine.
const PLACES: &[&str] = &[concat!("/wo", "rk/"), concat!("/tmp/tar", "get")];
/// Hosts of package registries.
const HOSTS: &[&str] = &[
    concat!("crates", ".io"),
    concat!("py", "pi.org"),
    concat!("python", "hosted.org"),
    concat!("npm", "js.org"),
    concat!("anaconda", ".org"),
];

/// Kinds of files that people write. Others are searched for places only.
const WRITTEN: &[&str] = &["rs", "md", "toml", "py", "sh"];

/// Looks through all files.
pub fn check(files: &[TextFile]) -> Vec<Finding> {
    files.iter().flat_map(check_file).collect()
}

fn check_file(file: &TextFile) -> Vec<Finding> {
    let text = &file.text;
    let mut findings = Vec::new();
    let mut find = |at: usize, message: String| {
        findings.push(Finding::new(&file.path, line_of(text, at), "words", message));
    };
    for place in PLACES {
        for (at, _) in text.match_indices(place) {
            find(at, format!("{place} is a folder of one machine"));
        }
    }
    if WRITTEN.contains(&file.extension()) || file.path.starts_with(".ci/") {
        for host in HOSTS {
            for (at, _) in text.match_indices(host) {
                find(at, format!("{host} is the host of a registry; name the package, not the place"));
            }
        }
        for (at, word) in words(text).filter(|(_, word)| MARKS.contains(word)) {
            find(at, format!("{word} marks what is not finished; finish it or say what does not work"));
        }
        let source = (file.extension() == "rs").then(|| Source::new(file));
        let code = source.as_ref().map_or(text, |s| &s.code);
        let is_macro =
            |(at, word): &(usize, &str)| MACROS.contains(word) && code[at + word.len()..].starts_with('!');
        for (at, word) in words(code).filter(is_macro) {
            find(at, format!("{word}! must not stay"));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<usize> {
        let file = TextFile { path: path.into(), text: text.into() };
        check(&[file]).iter().map(|f| f.line).collect()
    }

    #[test]
    fn unfinished_code_is_found_in_code_and_not_in_texts() {
        assert_eq!(found("a.rs", "fn f() {\n    todo!()\n}\n"), [2]);
        assert_eq!(found("a.rs", "fn f() {\n    dbg!(1); unimplemented!(\"x\")\n}\n"), [2, 2]);
        assert!(found("a.rs", "// no todo! here\nlet todo = \"dbg!\";\nmytodo!();\n").is_empty());
        assert_eq!(found("a.md", "then call\ntodo!()\n"), [2]);
    }

    #[test]
    fn marks_are_whole_words() {
        assert_eq!(found("a.py", concat!("# FIX", "ME: later\n")), [1]);
        assert_eq!(found("a.rs", concat!("\n// X", "XX\n")), [2]);
        assert!(found("a.rs", concat!("// .tmp-X", "XXXXX\n")).is_empty());
    }

    #[test]
    fn places_and_hosts_are_found() {
        assert_eq!(found("a.mlir", concat!("loc(\"/wo", "rk/x.py\":1:2)\n")), [1]);
        assert_eq!(found("a.md", concat!("see\nhttps://crates", ".io/x\n")), [2]);
        assert!(found("a.mlir", concat!("crates", ".io\n")).is_empty());
        assert!(found("a.md", "the framework/ folder\n").is_empty());
        assert_eq!(found(".ci/run", concat!("cd /tmp/tar", "get-x\n")), [1]);
    }
}
