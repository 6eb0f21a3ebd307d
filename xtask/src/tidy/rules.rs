//! Every rule of the checker has a heading in the docs and a file that breaks it.

use super::{Finding, TextFile};

const RULES: &str = "crates/checker/src/rule.rs";
const DOCS: &str = "docs/plan.md";
const ILLEGAL: &str = "crates/checker/tests/illegal/";

/// Compares the three. The files are asked for once their folder exists.
pub fn check(files: &[TextFile]) -> Vec<Finding> {
    let Some(source) = files.iter().find(|f| f.path == RULES) else {
        return vec![Finding::new(RULES, 1, "rules", "the file that declares the rules is gone")];
    };
    let docs = files.iter().find(|f| f.path == DOCS).map_or("", |f| &f.text);
    // Folders in it hold what the files are judged against, legal plans among it.
    let illegal = files.iter().filter_map(|f| f.path.strip_prefix(ILLEGAL)).filter(|n| !n.contains('/'));
    let illegal: Vec<&str> = illegal.collect();
    let rules = declared(&source.text);
    if rules.is_empty() {
        return vec![Finding::new(
            RULES,
            1,
            "rules",
            "no rules found; a line like `P1 \"title\"` declares one",
        )];
    }
    let mut findings = Vec::new();
    for (line, number, title) in &rules {
        let mut find = |message: String| findings.push(Finding::new(RULES, *line, "rules", message));
        let heading = format!("### P{number} {title}");
        if !docs.lines().any(|l| l == heading) {
            find(format!("{DOCS} has no heading `{heading}`"));
        }
        if !illegal.is_empty() && !illegal.iter().any(|name| breaks(name) == Some(*number)) {
            find(format!("no file {ILLEGAL}p{number:02}_*.plan breaks rule P{number}"));
        }
    }
    for name in illegal.iter().filter(|n| n.ends_with(".plan")) {
        if !breaks(name).is_some_and(|n| rules.iter().any(|r| r.1 == n)) {
            findings.push(Finding::new(
                format!("{ILLEGAL}{name}"),
                1,
                "rules",
                "its name must begin with a rule: pNN_",
            ));
        }
    }
    findings
}

/// Lines, numbers and titles of the rules in the source.
fn declared(text: &str) -> Vec<(usize, u32, &str)> {
    text.lines()
        .enumerate()
        .filter_map(|(i, line)| declaration(line).map(|(n, title)| (i + 1, n, title)))
        .collect()
}

/// The number and title in `P1 "title"`.
fn declaration(line: &str) -> Option<(u32, &str)> {
    let (id, rest) = line.trim().split_once(' ')?;
    let number = id.strip_prefix('P')?.parse().ok()?;
    Some((number, rest.strip_prefix('"')?.strip_suffix('"')?))
}

/// The rule that the file `pNN_*.plan` breaks.
fn breaks(name: &str) -> Option<u32> {
    let (rule, _) = name.strip_suffix(".plan")?.split_once('_')?;
    rule.strip_prefix('p')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str =
        "rules! {\n    P1 \"names\"\n        \"Every P1 id.\"\n    P2 \"claims\"\n        \"Text.\"\n}\n";
    const BOTH: &str = "# The plan\n\n### P1 names\n\nText.\n\n### P2 claims\n";

    fn messages(docs: &str, illegal: &[&str]) -> Vec<String> {
        let file = |path: &str, text: &str| TextFile { path: path.into(), text: text.into() };
        let mut files = vec![file(RULES, SOURCE), file(DOCS, docs)];
        files.extend(illegal.iter().map(|n| file(&format!("{ILLEGAL}{n}"), "")));
        check(&files).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_rule_without_a_heading_or_with_another_title_is_found() {
        assert!(messages(BOTH, &[]).is_empty());
        assert_eq!(
            messages("### P1 names\n", &[]),
            ["crates/checker/src/rule.rs:4: rules: docs/plan.md has no heading `### P2 claims`"]
        );
        assert_eq!(messages("### P1 names\n### P2 other claims\n", &[]).len(), 1);
    }

    #[test]
    fn a_rule_without_a_file_that_breaks_it_is_found() {
        assert!(
            messages(BOTH, &["p01_a.plan", "p02_b.plan", "p2_c.plan", "README.md", "base/legal.plan"])
                .is_empty()
        );
        assert_eq!(
            messages(BOTH, &["p01_a.plan"]),
            [
                "crates/checker/src/rule.rs:4: rules: no file crates/checker/tests/illegal/p02_*.plan breaks rule P2"
            ]
        );
    }

    #[test]
    fn a_file_that_breaks_no_rule_is_found() {
        let found = messages(BOTH, &["p01_a.plan", "p02_b.plan", "p31_c.plan", "other.plan"]);
        assert_eq!(found.len(), 2, "{found:?}");
    }

    #[test]
    fn a_source_without_rules_is_found() {
        let file = TextFile { path: RULES.into(), text: String::new() };
        assert_eq!(check(&[file]).len(), 1);
        assert_eq!(check(&[]).len(), 1);
    }
}
