//! Names of values and aliases: each is resolved to a slot when it is read.
//!
//! A name that is undefined or there twice is recorded, and parsing goes on.

use super::{PResult, Parser};
use crate::lexer::{Tok, clip};
use crate::tree::{Loc, NO_SLOT, Use};
use pullback_base::Diagnostic;

/// How many undefined or repeated names are reported.
const MAX_NAME_ERRORS: usize = 100;

#[derive(Clone, Copy)]
pub(super) struct Binding {
    /// Number of the function the name belongs to; 0 is none.
    pub(super) func: u32,
    pub(super) first: u32,
    pub(super) count: u32,
}

/// The number that a name is, as it is written.
fn number(name: &str) -> Option<usize> {
    let bytes = name.as_bytes();
    let plain = bytes.len() < 10 && (bytes.len() == 1 || *bytes.first()? != b'0');
    if !plain || !bytes.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(bytes.iter().fold(0, |n, c| 10 * n + usize::from(c - b'0')))
}

impl<'a> Parser<'a> {
    pub(crate) fn alias(&mut self, name: &'a str) -> u32 {
        let id = self.alias_names.intern(name);
        if id == self.aliases.len() {
            self.aliases.push(Loc::None);
        }
        id as u32
    }

    /// The number of a name, which has a binding.
    pub(super) fn name_id(&mut self, name: &'a str) -> usize {
        let none = Binding { func: 0, first: 0, count: 0 };
        if let Some(n) = number(name).filter(|&n| n < self.most_numbered) {
            if n >= self.numbered.len() {
                self.numbered.resize(n + 1, none);
            }
            return n;
        }
        let id = self.names.intern(name);
        if id == self.bindings.len() {
            self.bindings.push(none);
        }
        self.most_numbered + id
    }

    pub(super) fn binding(&mut self, id: usize) -> &mut Binding {
        match id.checked_sub(self.most_numbered) {
            Some(k) => &mut self.bindings[k],
            None => &mut self.numbered[id],
        }
    }

    /// The slot that is defined next.
    pub(super) fn next_slot(&self) -> u32 {
        self.slots_before + self.slot_names.len() as u32
    }

    pub(super) fn name_error(&mut self, at: usize, message: String) {
        if self.diags.len() < MAX_NAME_ERRORS {
            self.diags.push(Diagnostic::error(self.lines.pos(at), clip(message)));
        }
    }

    /// New slots for a name; gives the first.
    pub(crate) fn define(&mut self, name: &'a str, count: u32, at: usize) -> u32 {
        let func = self.func;
        let first = self.next_slot();
        self.slot_names.extend((0..count).map(|_| name));
        let id = self.name_id(name);
        let old = std::mem::replace(self.binding(id), Binding { func, first, count });
        // Names of a function end with it, since they have its number.
        if self.regions > 1 {
            self.undo.push((id, old));
        }
        if old.func == func && !self.lenient {
            self.name_error(at, format!("%{name} is defined twice in this function"));
        }
        first
    }

    /// `%name` or `%name#1`
    pub(crate) fn operand(&mut self) -> PResult<Use<'a>> {
        let Tok::Value(name) = self.tok else { return Err(self.expected("a value such as %0")) };
        let at = self.at;
        let end = self.lex.pos;
        self.advance();
        let mut index = 0;
        if let Tok::Hash(digits) = self.tok
            && self.at == end
        {
            index = digits.parse::<u32>().map_err(|_| self.expected("a result number after '#'"))?;
            self.advance();
        }
        let id = self.name_id(name);
        let b = *self.binding(id);
        let slot = if b.func == self.func && index < b.count {
            b.first + index
        } else {
            if !self.lenient {
                let message = if b.func == self.func {
                    format!("%{name} has {} result(s), there is no #{index}", b.count)
                } else {
                    format!("%{name} is not defined before this use")
                };
                self.name_error(at, message);
            }
            NO_SLOT
        };
        Ok(Use { slot, name, at })
    }

    /// `%a, %b` up to anything that is not a value.
    pub(crate) fn operands(&mut self) -> PResult<Vec<Use<'a>>> {
        let mut scratch = std::mem::take(&mut self.scratch);
        while matches!(self.tok, Tok::Value(_)) {
            scratch.push(self.operand()?);
            if !self.eat(b',') {
                break;
            }
        }
        // A program has many of these: what growing left over adds up.
        let operands = scratch.as_slice().to_vec();
        scratch.clear();
        self.scratch = scratch;
        Ok(operands)
    }
}
