//! The numbered constraints of the StableHLO specification: programs that break one are refused, and the message has
//! its number.
//!
//! `tests/constraints` holds a file of cases for each operation or family: `// case add_c1: message`, then a module.
//! `specification.txt` there says how many constraints each operation has, `untested.txt` why some have no case.
//! Messages are rewritten with `UPDATE_EXPECT=1`.

use pullback_base::Severity;
use pullback_stablehlo::import;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

const CASE: &str = "// case ";

/// Files are not read while they are rewritten.
static FILES: Mutex<()> = Mutex::new(());

fn folder() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "constraints"].iter().collect()
}

fn read(name: &str) -> String {
    let path = folder().join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Files of cases, by name.
fn files() -> Vec<String> {
    let entries = std::fs::read_dir(folder()).unwrap();
    let mut names: Vec<String> = entries
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .filter(|n| n.ends_with(".mlir"))
        .collect();
    names.sort();
    names
}

struct Case {
    name: String,
    message: String,
    module: String,
}

impl Case {
    /// Operation and number, of a name such as `add_c1` or `add_c1_rank`; nothing where a name has no number.
    fn constraint(&self) -> Option<(String, u8)> {
        let (op, rest) =
            self.name.rsplit_once("_c").filter(|(_, r)| r.starts_with(|c: char| c.is_ascii_digit()))?;
        let number = rest.split('_').next()?;
        Some((op.to_owned(), number.parse().ok()?))
    }
}

/// The cases of a file, after its opening comment.
fn cases(text: &str) -> Vec<Case> {
    let mut out: Vec<Case> = Vec::new();
    for line in text.lines() {
        if let Some(header) = line.strip_prefix(CASE) {
            let (name, message) = header.split_once(':').unwrap_or_else(|| panic!("{line}: no colon"));
            out.push(Case {
                name: name.to_owned(),
                message: message.trim().to_owned(),
                module: String::new(),
            });
        } else if let Some(case) = out.last_mut() {
            case.module.push_str(line);
            case.module.push('\n');
        }
    }
    out
}

/// The first thing that is wrong with a module.
fn refusal(case: &Case) -> String {
    let Err(found) = import(&case.module) else { return "it is accepted".to_owned() };
    let first = &found[0];
    let kind = if first.severity == Severity::Unsupported { "unsupported: " } else { "" };
    format!("{kind}{}", first.message)
}

#[test]
fn wrong_programs_are_refused_by_number() {
    let _alone = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    let update = std::env::var_os("UPDATE_EXPECT").is_some_and(|v| v == "1");
    let mut wrong = Vec::new();
    let mut names = BTreeSet::new();
    for file in files() {
        let text = read(&file);
        let mut new = text.clone();
        for case in cases(&text) {
            assert!(names.insert(case.name.clone()), "{file}: {} is there twice", case.name);
            let got = refusal(&case);
            if let Some((op, n)) = case.constraint()
                && !got.starts_with(&format!("{op} (C{n}): "))
            {
                wrong.push(format!("{file}: {}: {got}", case.name));
            }
            if got != case.message {
                if update {
                    let old = format!("{CASE}{}: {}\n", case.name, case.message);
                    let old = if new.contains(&old) { old } else { format!("{CASE}{}:\n", case.name) };
                    new = new.replace(&old, &format!("{CASE}{}: {got}\n", case.name));
                } else {
                    wrong.push(format!("{file}: {}: {got}\n  expected: {}", case.name, case.message));
                }
            }
        }
        if new != text {
            std::fs::write(folder().join(&file), new).unwrap();
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Operations and the number of their constraints.
fn specification() -> BTreeMap<String, u8> {
    let text = read("specification.txt");
    let lines = text.lines().filter(|l| !l.starts_with('#'));
    lines.map(|l| l.split_once(' ').map(|(op, n)| (op.to_owned(), n.parse().unwrap())).unwrap()).collect()
}

/// Constraints without a case: lines `op 2 4-7` under a line `# reason`.
fn untested() -> Vec<(String, u8)> {
    let mut out = Vec::new();
    for line in read("untested.txt").lines().filter(|l| !l.starts_with('#') && !l.is_empty()) {
        let mut words = line.split(' ');
        let op = words.next().unwrap();
        for word in words {
            let (first, last) = word.split_once('-').unwrap_or((word, word));
            out.extend((first.parse().unwrap()..=last.parse().unwrap()).map(|n: u8| (op.to_owned(), n)));
        }
    }
    out
}

#[test]
fn each_constraint_has_a_case_or_a_reason() {
    let _alone = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    let spec: BTreeSet<(String, u8)> =
        specification().into_iter().flat_map(|(op, n)| (1..=n).map(move |i| (op.clone(), i))).collect();
    let mut tested = BTreeSet::new();
    for file in files() {
        tested.extend(cases(&read(&file)).iter().filter_map(Case::constraint));
    }
    let mut reasons = BTreeSet::new();
    for one in untested() {
        assert!(spec.contains(&one), "{one:?} is no constraint of the specification");
        assert!(!tested.contains(&one), "{one:?} has a case: untested.txt need not name it");
        assert!(reasons.insert(one.clone()), "{one:?} has two reasons");
    }
    let beyond: Vec<_> = tested.difference(&spec).collect();
    assert!(beyond.is_empty(), "the specification has no constraints {beyond:?}");
    let missing: Vec<String> = spec
        .iter()
        .filter(|c| !tested.contains(c) && !reasons.contains(c))
        .map(|(op, n)| format!("{op} {n}"))
        .collect();
    assert!(missing.is_empty(), "neither a case nor a reason: {}", missing.join(", "));
}
