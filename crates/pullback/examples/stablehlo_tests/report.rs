//! Tables of what was run.

use crate::corpus::family;
use crate::exec::Outcome;
use crate::pool::Record;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Numbers of tests by outcome.
#[derive(Clone, Copy, Default, serde::Serialize)]
pub struct Tally {
    pub tests: usize,
    pub passed: usize,
    pub rejected: usize,
    pub failed: usize,
    pub not_run: usize,
    /// Of all of them, those that the checkout's own interpreter does not run.
    pub disabled: usize,
}

impl Tally {
    fn count(&mut self, record: &Record) {
        self.tests += 1;
        self.disabled += usize::from(record.disabled.is_some());
        match record.outcome {
            Outcome::Passed => self.passed += 1,
            Outcome::Rejected(_) => self.rejected += 1,
            Outcome::Failed(_) => self.failed += 1,
            Outcome::NotRun(_) => self.not_run += 1,
        }
    }

    fn row(&self, name: &str) -> String {
        format!(
            "{name:<48} {:>6} {:>7} {:>9} {:>7} {:>8} {:>9}\n",
            self.tests, self.passed, self.rejected, self.failed, self.not_run, self.disabled
        )
    }
}

/// Everything that is reported.
#[derive(serde::Serialize)]
pub struct Report<'a> {
    pub total: Tally,
    pub families: BTreeMap<String, Tally>,
    /// Reasons of rejections, with how many tests and the first of them.
    pub rejected: BTreeMap<String, (usize, String)>,
    pub not_run: BTreeMap<String, (usize, String)>,
    pub notes: BTreeMap<String, (usize, String)>,
    pub records: &'a [Record],
}

impl<'a> Report<'a> {
    pub fn new(records: &'a [Record]) -> Self {
        let mut total = Tally::default();
        let mut families: BTreeMap<String, Tally> = BTreeMap::new();
        let [mut rejected, mut not_run, mut notes] = [(); 3].map(|()| BTreeMap::new());
        for r in records {
            total.count(r);
            families.entry(family(&r.file)).or_default().count(r);
            match &r.outcome {
                Outcome::Rejected(why) => note(&mut rejected, why, r),
                Outcome::NotRun(why) => note(&mut not_run, why, r),
                Outcome::Passed | Outcome::Failed(_) => {}
            }
            r.notes.iter().for_each(|why| note(&mut notes, why, r));
        }
        Self { total, families, rejected, not_run, notes, records }
    }

    /// For people.
    pub fn text(&self) -> String {
        let mut out = format!(
            "{:<48} {:>6} {:>7} {:>9} {:>7} {:>8} {:>9}\n",
            "family", "tests", "passed", "rejected", "failed", "not run", "disabled"
        );
        for (name, tally) in &self.families {
            out.push_str(&tally.row(name));
        }
        out.push_str(&self.total.row("all"));
        for (title, reasons) in
            [("rejected", &self.rejected), ("not run", &self.not_run), ("notes", &self.notes)]
        {
            let mut sorted: Vec<_> = reasons.iter().collect();
            sorted.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
            if !sorted.is_empty() {
                let _ = writeln!(out, "\n{title}:");
            }
            for (why, (count, first)) in sorted {
                let _ = writeln!(out, "{count:>6}  {why}  ({first})");
            }
        }
        let failures: Vec<_> =
            self.records.iter().filter(|r| matches!(r.outcome, Outcome::Failed(_))).collect();
        if !failures.is_empty() {
            out.push_str("\nfailed:\n");
        }
        for r in failures {
            if let Outcome::Failed(why) = &r.outcome {
                let disabled = r.disabled.as_ref().map_or(String::new(), |d| format!(" (disabled: {d})"));
                let lines: Vec<&str> = why.lines().take(3).collect();
                let _ = writeln!(out, "{}:{}{disabled}: {}", r.file.display(), r.line, lines.join(" | "));
            }
        }
        out
    }
}

fn note(reasons: &mut BTreeMap<String, (usize, String)>, why: &str, r: &Record) {
    let place = || (0, format!("{}:{}", r.file.display(), r.line));
    reasons.entry(general(why)).or_insert_with(place).0 += 1;
}

/// A reason without what differs from test to test: numbers, and all dimensions of a type that has an unknown one.
fn general(why: &str) -> String {
    let line = why.lines().next().unwrap_or("");
    if let (Some(start), Some(_)) = (line.find("tensor<"), line.find("?x")) {
        let end = line[start..].find(' ').map_or(line.len(), |n| start + n);
        let colon = if line[..end].ends_with(':') { ":" } else { "" };
        return general(&format!("{}with a ?{colon}{}", &line[..start], &line[end..]));
    }
    let mut out = String::new();
    let mut chars = line.chars().peekable();
    let mut in_word = false;
    while let Some(ch) = chars.next() {
        // Digits of words (`f32`, `i1`) stay.
        if ch.is_ascii_digit() && !in_word {
            while chars.next_if(|c| c.is_ascii_digit()).is_some() {}
            out.push('N');
        } else {
            out.push(ch);
        }
        // In `12x3xf32` an x parts numbers.
        in_word = (ch.is_alphanumeric() || ch == '_') && !out.ends_with("Nx");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::general;

    #[test]
    fn reasons_without_numbers() {
        assert_eq!(general("the type tensor<12x3xf32>\nmore"), "the type tensor<NxNxf32>");
        assert_eq!(general("type tensor<?x4xf32>: unknown"), "type with a ?: unknown");
        assert_eq!(general("custom_call @lapack_ffi of 3"), "custom_call @lapack_ffi of N");
    }
}
