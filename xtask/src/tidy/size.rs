//! Lengths of files and functions, and of the checker as a whole, with a ratchet.
//!
//! What is over a limit is listed in `limits.txt` with its size. A listed size may not grow; when it shrinks, or is
//! within the limit again, the list must say so, and `UPDATE_EXPECT=1` makes it say so. Nothing adds to the list but
//! a person. Test modules, `tests` and `benches` have no limits.

use super::Finding;
use super::source::Source;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// Lines of a file, test modules apart.
const FILE: usize = 600;
/// Lines of a function, from `fn` to the closing brace.
const FUNCTION: usize = 70;
/// Lines of the checker that are neither blank nor comment, so that it can be read in an afternoon.
const CHECKER: usize = 2000;

const CHECKER_FOLDER: &str = "crates/checker/src";
const LIST: &str = "xtask/limits.txt";
const LIST_HEADER: &str = "\
# What is longer than the limits of `cargo xtask tidy`, and how long. Sizes may only shrink:
# UPDATE_EXPECT=1 cargo xtask tidy lowers them and drops what is within the limit again.
";

/// Something that has a size: `file PATH`, `function PATH NAME` or `checker FOLDER`.
type Key = String;

/// A size and where to look.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Measure {
    file: String,
    line: usize,
    size: usize,
    limit: usize,
}

/// Measures, compares with the list, and lowers the list if asked to.
pub fn check(root: &Path, sources: &[Source]) -> Result<Vec<Finding>, String> {
    let path = root.join(LIST);
    let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let listed = match parse(&text) {
        Ok(listed) => listed,
        Err(finding) => return Ok(vec![finding]),
    };
    let measures = measure(sources);
    if std::env::var_os("UPDATE_EXPECT").is_none_or(|v| v != "1") {
        return Ok(compare(&measures, &listed));
    }
    let lowered = lower(&measures, &listed);
    let new = print(&lowered);
    if new != text {
        fs::write(&path, new).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    let sizes = lowered.into_iter().map(|(key, size)| (key, (1, size))).collect();
    Ok(compare(&measures, &sizes))
}

/// What is over its limit.
fn measure(sources: &[Source]) -> BTreeMap<Key, Measure> {
    let mut found: BTreeMap<Key, Measure> = BTreeMap::new();
    let mut put = |key: Key, file: &str, line: usize, size: usize, limit: usize| {
        let largest = found.get(&key).is_some_and(|m| m.size >= size);
        if size > limit && !largest {
            found.insert(key, Measure { file: file.into(), line, size, limit });
        }
    };
    let mut checker = 0;
    for s in sources.iter().filter(|s| !s.file.is_test()) {
        let path = &s.file.path;
        put(format!("file {path}"), path, 1, s.lines(), FILE);
        for f in s.functions() {
            // Of functions of one name in one file the longest counts.
            put(format!("function {path} {}", f.name), path, f.line, f.lines, FUNCTION);
        }
        if path.starts_with(&format!("{CHECKER_FOLDER}/")) {
            checker += s.code_lines();
        }
    }
    put(format!("checker {CHECKER_FOLDER}"), CHECKER_FOLDER, 1, checker, CHECKER);
    found
}

fn compare(measures: &BTreeMap<Key, Measure>, listed: &BTreeMap<Key, (usize, usize)>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (key, m) in measures {
        let what = key.split(' ').next().unwrap_or_default();
        let name = key.rsplit(' ').next().unwrap_or_default();
        let mut find = |message: String| findings.push(Finding::new(&m.file, m.line, "length", message));
        match listed.get(key) {
            None => find(format!("{what} {name} has {} lines, the limit is {}; split it", m.size, m.limit)),
            Some(&(_, size)) if m.size > size => {
                find(format!("{what} {name} has {} lines, {LIST} allows {size}; it may only shrink", m.size));
            }
            Some(_) => {}
        }
    }
    for (key, &(line, size)) in listed {
        let now =
            measures.get(key).map_or_else(|| "within the limit, or gone".to_owned(), |m| m.size.to_string());
        if measures.get(key).is_none_or(|m| m.size < size) {
            let message = format!("{key} is {now}, not {size}; UPDATE_EXPECT=1 cargo xtask tidy lowers it");
            findings.push(Finding::new(LIST, line, "ratchet", message));
        }
    }
    findings
}

/// The list with sizes lowered to what they are.
fn lower(measures: &BTreeMap<Key, Measure>, listed: &BTreeMap<Key, (usize, usize)>) -> BTreeMap<Key, usize> {
    let still = listed.iter().filter_map(|(key, &(_, size))| Some((key, size.min(measures.get(key)?.size))));
    still.map(|(key, size)| (key.clone(), size)).collect()
}

/// Lines `SIZE KEY`; `#` begins a comment. Gives per key its line and size.
fn parse(text: &str) -> Result<BTreeMap<Key, (usize, usize)>, Finding> {
    let mut listed = BTreeMap::new();
    for (i, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let entry = line.split_once(' ').and_then(|(size, key)| Some((size.parse().ok()?, key.trim())));
        let Some((size, key)) = entry else {
            return Err(Finding::new(
                LIST,
                i + 1,
                "ratchet",
                "a line is SIZE, then file PATH, function PATH NAME or checker FOLDER",
            ));
        };
        if listed.insert(key.to_owned(), (i + 1, size)).is_some() {
            return Err(Finding::new(LIST, i + 1, "ratchet", format!("{key} is listed twice")));
        }
    }
    Ok(listed)
}

fn print(listed: &BTreeMap<Key, usize>) -> String {
    let lines = listed.iter().map(|(key, size)| format!("{size} {key}\n"));
    std::iter::once(LIST_HEADER.to_owned()).chain(lines).collect()
}

#[cfg(test)]
mod tests {
    use super::super::TextFile;
    use super::*;

    fn measures(files: &[TextFile]) -> BTreeMap<Key, Measure> {
        measure(&files.iter().map(Source::new).collect::<Vec<_>>())
    }

    fn file(path: &str, lines: usize) -> TextFile {
        let text = format!("fn long() {{\n{}}}\n", "    x();\n".repeat(lines - 2));
        TextFile { path: path.into(), text }
    }

    fn messages(files: &[TextFile], list: &str) -> Vec<String> {
        compare(&measures(files), &parse(list).unwrap()).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn lengths_over_the_limits_are_found() {
        assert!(messages(&[file("crates/x/src/a.rs", 70)], "").is_empty());
        assert_eq!(
            messages(&[file("crates/x/src/a.rs", 71)], ""),
            ["crates/x/src/a.rs:1: length: function long has 71 lines, the limit is 70; split it"]
        );
        assert_eq!(messages(&[file("crates/x/src/a.rs", 601)], "").len(), 2);
        assert!(messages(&[file("crates/x/tests/a.rs", 601)], "").is_empty());
    }

    #[test]
    fn the_checker_is_measured_as_a_whole() {
        let path = |i: usize| format!("{CHECKER_FOLDER}/f{i}.rs");
        let text = "let x = 1;\n// A comment.\n\n".repeat(400);
        let files: Vec<TextFile> = (0..6).map(|i| TextFile { path: path(i), text: text.clone() }).collect();
        let found = messages(&files, "");
        let want = "crates/checker/src:1: length: checker crates/checker/src has 2400 lines, the limit is 2000; split it";
        assert!(found.iter().any(|f| f == want), "{found:?}");
        assert!(!messages(&files[..5], "").iter().any(|f| f.contains("checker has")));
    }

    #[test]
    fn the_ratchet_only_goes_down() {
        let files = [file("crates/x/src/a.rs", 90)];
        let entry = |size: usize| format!("# why\n{size} function crates/x/src/a.rs long\n");
        assert!(messages(&files, &entry(90)).is_empty());
        assert!(messages(&files, &entry(80))[0].contains("allows 80; it may only shrink"));
        assert!(messages(&files, &entry(100))[0].starts_with("xtask/limits.txt:2: ratchet:"));
        assert!(messages(&[], &entry(90))[0].contains("within the limit, or gone"));

        let lowered =
            |size: usize, files: &[TextFile]| lower(&measures(files), &parse(&entry(size)).unwrap());
        assert_eq!(lowered(100, &files).into_values().collect::<Vec<_>>(), [90]);
        assert_eq!(lowered(80, &files).into_values().collect::<Vec<_>>(), [80]);
        assert!(lowered(100, &[]).is_empty());
    }

    #[test]
    fn lists_are_read_back() {
        let listed = BTreeMap::from([("file a.rs".to_owned(), 700), ("function a.rs f".to_owned(), 80)]);
        let read = parse(&print(&listed)).unwrap();
        assert_eq!(read.into_iter().map(|(k, (_, size))| (k, size)).collect::<BTreeMap<_, _>>(), listed);
        assert_eq!(parse("x file a.rs").unwrap_err().line, 1);
        assert_eq!(parse("1 file a.rs\n2 file a.rs").unwrap_err().line, 2);
    }
}
