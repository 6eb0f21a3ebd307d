//! What importing finds and remembers across functions.

use super::MAX_DIAGS;
use crate::annotations::FunctionAnnotations;
use crate::lexer::clip;
use crate::tree::{Places, Tree};
use pullback_base::{Diagnostic, Pos, Severity};
use std::collections::{BTreeMap, BTreeSet};

/// Findings.
pub(super) struct Sink<'a> {
    pub(super) places: Places<'a>,
    pub(super) diags: Vec<Diagnostic>,
    pub(super) notes: Vec<Diagnostic>,
    /// Subjects noted already: each once.
    pub(super) noted: BTreeSet<String>,
    /// What functions that were lowered say beside their values.
    pub(super) annotations: BTreeMap<&'a str, FunctionAnnotations>,
    /// Functions that computations of single devices call.
    pub(super) in_manual: BTreeSet<&'a str>,
    /// Operations so far that draw random numbers from a state of their own.
    pub(super) draws: u64,
    /// How many operations all functions may have together.
    pub(super) most_ops: usize,
    /// Whether it was said that there are more.
    pub(super) too_many: bool,
}

impl<'a> Sink<'a> {
    pub(super) fn new(tree: &Tree<'a>, most_ops: usize) -> Self {
        Self {
            places: tree.places.clone(),
            diags: Vec::new(),
            notes: Vec::new(),
            noted: BTreeSet::new(),
            annotations: BTreeMap::new(),
            in_manual: BTreeSet::new(),
            most_ops,
            draws: 0,
            too_many: false,
        }
    }

    pub(super) fn pos(&self, at: usize) -> Pos {
        self.places.pos(at)
    }

    pub(super) fn push(&mut self, d: impl FnOnce(Pos) -> Diagnostic, at: usize) {
        if self.diags.len() < MAX_DIAGS {
            let mut d = d(self.pos(at));
            d.message = clip(d.message);
            self.diags.push(d);
        }
    }

    pub(super) fn error(&mut self, at: usize, message: String) {
        self.push(|pos| Diagnostic::error(pos, message), at);
    }

    pub(super) fn unsupported(&mut self, at: usize, message: String, help: &str) {
        self.push(|pos| Diagnostic::unsupported(pos, message).with_help(help), at);
    }

    pub(super) fn note(&mut self, severity: Severity, at: usize, subject: &str, message: String) {
        if self.notes.len() < MAX_DIAGS && self.noted.insert(subject.to_owned()) {
            let pos = self.pos(at);
            self.notes.push(Diagnostic::new(severity, pos, clip(message)));
        }
    }
}
