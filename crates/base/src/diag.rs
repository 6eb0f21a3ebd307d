//! Positions in a source text and diagnostics a person can act on.
//!
//! A diagnostic says what, where, why, and what to do next. Passes return lists of them.

use std::fmt;

/// A place in a text, both counted from 1; or a byte of a binary file, see [`Pos::byte`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Pos {
    /// Line, from 1; 0 in a binary file, which has no lines.
    pub line: u32,
    /// Column in bytes, from 1; in a binary file the offset of the byte, from 0.
    pub col: u32,
}

impl Pos {
    /// The byte at an offset from the start of a binary file.
    pub fn byte(offset: usize) -> Self {
        Self { line: 0, col: u32::try_from(offset).unwrap_or(u32::MAX) }
    }
}

impl fmt::Display for Pos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "byte {}", self.col),
            line => write!(f, "{line}:{}", self.col),
        }
    }
}

/// How bad a diagnostic is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Severity {
    /// Worth knowing; nothing was rejected.
    Note,
    /// Probably not what the author meant.
    Warning,
    /// The input is wrong.
    Error,
    /// The input is right, but this is not supported (yet).
    Unsupported,
}

/// One finding about an input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// The file or artifact, where known.
    pub file: Option<String>,
    /// Where in the text.
    pub pos: Option<Pos>,
    /// What is wrong and why.
    pub message: String,
    /// What the person can do.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(pos: impl Into<Option<Pos>>, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, pos, message)
    }

    /// Something right that is not supported; the message begins with "unsupported".
    pub fn unsupported(pos: impl Into<Option<Pos>>, message: impl Into<String>) -> Self {
        Self::new(Severity::Unsupported, pos, message)
    }

    /// A diagnostic of any severity.
    pub fn new(severity: Severity, pos: impl Into<Option<Pos>>, message: impl Into<String>) -> Self {
        Self { severity, file: None, pos: pos.into(), message: message.into(), help: None }
    }

    /// Adds what the person can do.
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds the file's name.
    pub fn in_file(mut self, file: impl Into<String>) -> Self {
        self.file = Some(file.into());
        self
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.file, self.pos) {
            (Some(file), Some(pos)) => write!(f, "{file}:{pos}: ")?,
            (Some(file), None) => write!(f, "{file}: ")?,
            (None, Some(pos)) => write!(f, "{pos}: ")?,
            (None, None) => {}
        }
        match self.severity {
            Severity::Note => write!(f, "note: ")?,
            Severity::Warning => write!(f, "warning: ")?,
            Severity::Error => {}
            Severity::Unsupported => write!(f, "unsupported: ")?,
        }
        write!(f, "{}", self.message)?;
        if let Some(help) = &self.help {
            write!(f, "\n  help: {help}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostic {}
