//! What is said to the person: results on standard output, everything else on standard error.
//!
//! Never panics when a stream is closed.

use crate::Error;
use pullback_base::{Diagnostic, Severity};
use std::io::{self, Write};

/// Writes to standard output. A reader that has gone away is no error: there is no one left to tell.
pub fn print(text: &str) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(e) => Err(Error::new(format!("standard output cannot be written: {e}"))),
    }
}

/// A line on standard error.
pub fn say_line(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Says why something failed, a line `error: …` for each finding.
pub fn errors(error: &Error) {
    say(error.diagnostics());
}

/// Says what the person should know.
pub fn notes(notes: &[Diagnostic]) {
    say(notes);
}

fn say(diagnostics: &[Diagnostic]) {
    let mut err = io::stderr().lock();
    for (i, d) in diagnostics.iter().enumerate() {
        // The same help is given once, after the last of a row.
        let mut d = d.clone();
        if diagnostics.get(i + 1).is_some_and(|next| next.help == d.help) {
            d.help = None;
        }
        // Nowhere to say that it could not be said.
        let _ = writeln!(err, "{}", line(d));
    }
}

/// `error: file:3:14: message`, the help below.
fn line(mut d: Diagnostic) -> String {
    let word = match d.severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error | Severity::Unsupported => "error",
    };
    // The severity is said first; only "unsupported" stays where it is.
    if d.severity != Severity::Unsupported {
        d.severity = Severity::Error;
    }
    format!("{word}: {d}")
}

/// A loss for people: four decimals, or an exponent where that would be long.
pub fn number(v: f64) -> String {
    if v.abs() < 1e6 { format!("{v:.4}") } else { format!("{v:.4e}") }
}

/// A count of bytes for people: `1.5 MiB`.
pub fn bytes(n: u64) -> String {
    scaled(n, 1024.0, &["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"])
}

/// The same with the exact number: `1536 bytes (1.50 KiB)`.
pub fn exact_bytes(n: u64) -> String {
    if n < 1024 { bytes(n) } else { format!("{n} bytes ({})", bytes(n)) }
}

/// A count for people: `1.5 M`.
pub fn count(n: u64) -> String {
    scaled(n, 1000.0, &["", "k", "M", "G", "T", "P"]).trim_end().to_owned()
}

fn scaled(n: u64, step: f64, units: &[&str]) -> String {
    let (mut value, mut at) = (n as f64, 0);
    while value >= step && at + 1 < units.len() {
        value /= step;
        at += 1;
    }
    let digits = if at == 0 { 0 } else { 2 };
    format!("{value:.digits$} {}", units[at])
}

#[cfg(test)]
mod tests {
    use super::*;
    use pullback_base::Pos;

    #[test]
    fn lines_say_the_severity_once() {
        let at = Pos { line: 3, col: 14 };
        let d = Diagnostic::error(at, "no such value %7").in_file("a.mlir").with_help("define it");
        assert_eq!(line(d), "error: a.mlir:3:14: no such value %7\n  help: define it");
        let d = Diagnostic::unsupported(at, "stablehlo.fft").in_file("a.mlir");
        assert_eq!(line(d), "error: a.mlir:3:14: unsupported: stablehlo.fft");
        assert_eq!(line(Diagnostic::new(Severity::Note, None, "x")), "note: x");
    }

    #[test]
    fn counts_are_short() {
        assert_eq!([bytes(0), bytes(1023), bytes(1536)], ["0 bytes", "1023 bytes", "1.50 KiB"]);
        assert_eq!([exact_bytes(888), exact_bytes(1536)], ["888 bytes", "1536 bytes (1.50 KiB)"]);
        assert_eq!([count(999), count(1_234_567)], ["999", "1.23 M"]);
    }
}
