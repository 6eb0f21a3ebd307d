//! Signatures that were read before.
//!
//! A program has few signatures for all its operations, so that the text of one, up to where operations end, is
//! looked up before it is read. Equal signatures share memory.

use super::{PResult, Parser};
use crate::lexer::Tok;
use crate::tree::{Sig, Ty};

/// The longest text that is looked up, in bytes: what is on one line may be a whole program.
const MAX_TEXT: usize = 256;

impl<'a> Parser<'a> {
    /// The types after `:`: `T, U`, `T -> U` or `(T, U) -> V`.
    pub(crate) fn signature(&mut self) -> PResult<Sig<'a>> {
        let at = self.at;
        let Some(text) = self.to_end_of_operation(at) else { return self.fresh_signature() };
        let id = self.sig_texts.intern(text);
        if id == self.sigs.len() {
            self.sigs.push(None);
        }
        if let Some(sig) = &self.sigs[id] {
            let sig = sig.clone();
            let before = (self.lex.clone(), self.tok, self.at, self.newline, self.prev_end);
            self.lex.pos = at + text.len();
            self.advance();
            // A signature may go on after the line.
            if self.tok != Tok::Arrow && self.tok != Tok::Punct(b',') {
                return Ok(sig);
            }
            (self.lex, self.tok, self.at, self.newline, self.prev_end) = before;
        }
        let sig = self.fresh_signature()?;
        if self.prev_end == at + text.len() && is_plain(&sig) {
            self.sigs[id] = Some(sig.clone());
        }
        Ok(sig)
    }

    /// The text from `at` to the end of the line or to a location.
    fn to_end_of_operation(&self, at: usize) -> Option<&'a str> {
        let bytes = self.lex.src.as_bytes();
        let window = &bytes[at..bytes.len().min(at + MAX_TEXT)];
        let ends = |p: usize| match window[p] {
            b'\n' => true,
            b' ' => window[p..].starts_with(b" loc("),
            _ => false,
        };
        let len = (0..window.len()).find(|&p| ends(p))?;
        self.lex.src.get(at..at + len)
    }
}

/// Whether all is said by the types; what is refused says where.
fn is_plain(sig: &Sig<'_>) -> bool {
    let plain = |types: &[Ty<'_>]| types.iter().all(|t| matches!(t, Ty::Tensor(_)));
    match sig {
        Sig::None => false,
        Sig::Results(types) | Sig::List(types) => plain(types),
        Sig::Fn(ins, outs) => plain(ins) && plain(outs),
    }
}
