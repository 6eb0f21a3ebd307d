//! Resources: large constants at the end of a text, in `{-# dialect_resources: {builtin: {KEY: "0x..."}} #-}`.
//!
//! A constant names its key long before, so that they are looked for when the first one does.

use super::{PResult, Parser};
use crate::lexer::{Lexer, Tok};
use crate::tree::Attr;
use std::collections::BTreeMap;

/// How the section begins.
const OPEN: &str = "{-#";
/// A resource is `"0x`, its alignment in eight digits, then its bytes.
const ALIGNMENT: usize = 10;

impl<'a> Parser<'a> {
    /// `dense_resource<key>`, the current token is the word: elements where the resource is there.
    pub(crate) fn dense_resource(&mut self, typed: bool) -> PResult<Attr<'a>> {
        let at = self.at;
        self.advance();
        self.expect(b'<', "after 'dense_resource'")?;
        let (Tok::Word(key) | Tok::Str(key)) = self.tok else {
            return Err(self.expected("a resource's key"));
        };
        self.advance();
        self.expect(b'>', "after a resource's key")?;
        let src = self.lex.src;
        let found = self.resources.get_or_insert_with(|| resources(src)).get(key).copied();
        let ty = if typed && self.eat(b':') { Some(self.ty()?) } else { None };
        Ok(match found {
            Some((text, at)) => Attr::Dense { text, at, ty },
            None => Attr::Raw(self.text_from(at)),
        })
    }
}

/// Where the digits of each resource are, up to and with the closing quote.
fn resources(src: &str) -> BTreeMap<&str, (&str, usize)> {
    let mut out = BTreeMap::new();
    let Some(start) = src.rfind(OPEN) else { return out };
    let mut lex = Lexer::new(src);
    lex.pos = start + OPEN.len();
    let (mut key, mut colon) = (None, false);
    loop {
        match (lex.next().0, key, colon) {
            (Tok::Eof | Tok::Bad(_) | Tok::Word("external_resources"), ..) => return out,
            (Tok::Str(text), Some(name), true) => {
                let end = lex.pos;
                let digits = (text.len() >= ALIGNMENT && text.starts_with("0x"))
                    .then(|| end - 1 - text.len() + ALIGNMENT);
                if let Some(at) = digits {
                    out.entry(name).or_insert((&src[at..end], at));
                }
                (key, colon) = (None, false);
            }
            (Tok::Punct(b':'), Some(_), false) => colon = true,
            (Tok::Word(name) | Tok::Str(name), ..) => (key, colon) = (Some(name), false),
            _ => (key, colon) = (None, false),
        }
    }
}
