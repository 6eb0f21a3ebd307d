//! The façade's error: findings a person can act on, each with its file and place where known.
//!
//! Never empty. All findings of a stage are kept, not only the first.

use pullback_autodiff::AdError;
use pullback_base::{Diagnostic, Pos};
use pullback_eval::EvalError;
use pullback_ir::TypeError;
use pullback_ir::pass::PassError;
use std::fmt;

/// Why something could not be done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    diagnostics: Vec<Diagnostic>,
}

impl Error {
    /// One finding.
    pub fn new(message: impl Into<String>) -> Self {
        Diagnostic::error(None, message).into()
    }

    /// Something right that is not supported.
    pub fn unsupported(message: impl Into<String>) -> Self {
        Diagnostic::unsupported(None, message).into()
    }

    /// `Ok` when there is no finding.
    pub fn check(diagnostics: Vec<Diagnostic>) -> Result<(), Self> {
        if diagnostics.is_empty() { Ok(()) } else { Err(Self { diagnostics }) }
    }

    /// Adds what the person can do, to the findings that say nothing of it.
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        let help = help.into();
        for d in self.diagnostics.iter_mut().filter(|d| d.help.is_none()) {
            d.help = Some(help.clone());
        }
        self
    }

    /// Names the file, in the findings that name none.
    pub fn in_file(mut self, file: impl fmt::Display) -> Self {
        let file = file.to_string();
        for d in self.diagnostics.iter_mut().filter(|d| d.file.is_none()) {
            d.file = Some(file.clone());
        }
        self
    }

    /// Puts the findings that have no place at one, with help more where there is any.
    pub fn at(mut self, pos: Pos, more: Option<String>) -> Self {
        for d in self.diagnostics.iter_mut().filter(|d| d.pos.is_none()) {
            d.pos = Some(pos);
            d.help = match (d.help.take(), &more) {
                (Some(help), Some(more)) => Some(format!("{more}; {help}")),
                (help, more) => help.or_else(|| more.clone()),
            };
        }
        self
    }

    /// The findings; at least one.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }
}

impl From<Diagnostic> for Error {
    fn from(d: Diagnostic) -> Self {
        Self { diagnostics: vec![d] }
    }
}

impl From<Vec<Diagnostic>> for Error {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        match diagnostics.is_empty() {
            true => Self::new("failed without a reason given, which is a defect of this program"),
            false => Self { diagnostics },
        }
    }
}

macro_rules! from_display {
    ($($t:ty),+) => {
        $(impl From<$t> for Error {
            fn from(e: $t) -> Self {
                Self::new(e.to_string())
            }
        })+
    };
}

from_display!(AdError, EvalError, PassError, TypeError);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, d) in self.diagnostics.iter().enumerate() {
            write!(f, "{}{d}", if i == 0 { "" } else { "\n" })?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}
