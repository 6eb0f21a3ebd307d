//! Attribute values and locations.
//!
//! Attributes the IR does not need are still read to their end (brackets balanced), never interpreted.

use crate::lexer::Tok;
use crate::parser::{PResult, Parser};
use crate::tree::{Attr, Loc};

impl<'a> Parser<'a> {
    /// `{key = value, flag, ...}`
    pub(crate) fn dict(&mut self) -> PResult<Vec<(&'a str, Attr<'a>)>> {
        self.expect(b'{', "before attributes")?;
        self.entries(b'}')
    }

    /// Entries up to and including the closing bracket.
    pub(crate) fn entries(&mut self, close: u8) -> PResult<Vec<(&'a str, Attr<'a>)>> {
        let mut out = Vec::new();
        if self.eat(close) {
            return Ok(out);
        }
        loop {
            let (Tok::Word(key) | Tok::Str(key)) = self.tok else {
                return Err(self.expected("an attribute's name"));
            };
            if key == "sdy.sharding" && self.sharding_at.is_none() {
                self.sharding_at = Some(self.at);
            }
            self.advance();
            let value = match (self.eat(b'='), key) {
                (true, "sub_axis_info") => {
                    let (before, size) = self.sub_axis()?;
                    Attr::Ints(vec![before as i64, size as i64])
                }
                (true, _) => self.attr(true)?,
                (false, _) => Attr::Raw("unit"),
            };
            out.push((key, value));
            if self.eat(close) {
                return Ok(out);
            }
            self.expect(b',', "between attributes")?;
        }
    }

    /// A value; with `typed`, a number or a tensor may be followed by `: type`.
    pub(crate) fn attr(&mut self, typed: bool) -> PResult<Attr<'a>> {
        self.enter()?;
        let value = self.attr_inner(typed);
        self.leave();
        value
    }

    fn attr_inner(&mut self, typed: bool) -> PResult<Attr<'a>> {
        let at = self.at;
        match self.tok {
            Tok::Int(_) | Tok::Float(_) | Tok::Punct(b'-') => {
                let value = match self.int()? {
                    Some(n) => Attr::Int(n),
                    None => {
                        let text = self.text_from(at);
                        text.parse().map_or(Attr::Raw(text), Attr::Float)
                    }
                };
                self.typed_suffix(typed)?;
                Ok(value)
            }
            Tok::Str(s) => {
                self.advance();
                self.typed_suffix(typed)?;
                Ok(Attr::Str(s))
            }
            Tok::Symbol(s) => {
                self.advance();
                while self.eat(b':') {
                    self.expect(b':', "in a symbol path")?;
                    self.advance();
                }
                Ok(Attr::Symbol(s))
            }
            Tok::Punct(b'[') => self.list(typed),
            Tok::Punct(b'{') => Ok(Attr::Dict(self.dict()?)),
            Tok::Punct(b'<') => self.raw(at),
            Tok::Punct(b'(') | Tok::Bang(_) => {
                self.ty()?;
                Ok(Attr::Raw(self.text_from(at)))
            }
            Tok::Hash(name) => self.dialect_attr(name),
            Tok::Word(word) => self.word_attr(word, typed),
            _ => Err(self.expected("an attribute's value")),
        }
    }

    fn raw(&mut self, at: usize) -> PResult<Attr<'a>> {
        self.skip_balanced()?;
        Ok(Attr::Raw(self.text_from(at)))
    }

    fn word_attr(&mut self, word: &'a str, typed: bool) -> PResult<Attr<'a>> {
        let at = self.at;
        match word {
            "dense" if self.lex.byte(self.lex.pos) == b'<' => return self.dense(typed),
            "dense_resource" if self.lex.byte(self.lex.pos) == b'<' => return self.dense_resource(typed),
            "array" if self.lex.byte(self.lex.pos) == b'<' => return self.array(),
            "tensor" => {
                self.ty()?;
                return Ok(Attr::Raw(self.text_from(at)));
            }
            _ => self.advance(),
        }
        match self.tok {
            Tok::Punct(b'<') => {
                self.skip_balanced()?;
                self.typed_suffix(typed)?;
                Ok(Attr::Raw(self.text_from(at)))
            }
            Tok::Punct(b'(') if word == "loc" => self.raw(at),
            _ => Ok(match word {
                "true" => Attr::Bool(true),
                "false" => Attr::Bool(false),
                _ => Attr::Word(word),
            }),
        }
    }

    /// `#stablehlo<kind WORD>`, `#stablehlo.gather<a = [0], ...>`, or anything else that begins with `#`.
    fn dialect_attr(&mut self, name: &'a str) -> PResult<Attr<'a>> {
        let at = self.at;
        self.advance();
        if self.tok != Tok::Punct(b'<') {
            return Ok(Attr::Raw(self.text_from(at)));
        }
        match name {
            "stablehlo" | "chlo" => {
                self.advance();
                let mut last = None;
                while let Tok::Word(w) = self.tok {
                    last = Some(w);
                    self.advance();
                }
                self.expect(b'>', "after an enumeration's value")?;
                Ok(last.map_or(Attr::Raw(self.text_from(at)), Attr::Word))
            }
            "stablehlo.gather"
            | "stablehlo.scatter"
            | "stablehlo.dot"
            | "chlo.ragged_dot"
            | "stablehlo.channel_handle"
            | "stablehlo.replica_group_mesh_axes"
            | "stablehlo.mesh"
            | "stablehlo.mesh_axis"
            | "stablehlo.axis_ref" => {
                self.advance();
                Ok(Attr::Dict(self.entries(b'>')?))
            }
            // Dimension numbers one by one: MLIR's form where they do not make a list.
            "stablehlo.conv" if self.follows("raw") => {
                self.advance();
                self.advance();
                Ok(Attr::Dict(self.entries(b'>')?))
            }
            _ => match self.sdy_attr(name)? {
                Some(attr) => Ok(attr),
                None => self.raw(at),
            },
        }
    }

    /// Whether this word comes after the current token.
    fn follows(&self, word: &str) -> bool {
        let rest = self.lex.src.get(self.lex.pos..).unwrap_or_default().trim_start();
        rest.strip_prefix(word).is_some_and(|r| r.starts_with(char::is_whitespace))
    }

    fn typed_suffix(&mut self, typed: bool) -> PResult<()> {
        if typed && self.eat(b':') {
            self.ty()?;
        }
        Ok(())
    }

    /// A signed whole number, or `None` after reading a number that is none (or is too large).
    fn int(&mut self) -> PResult<Option<i64>> {
        let negative = self.eat(b'-');
        let value = match self.tok {
            Tok::Int(s) => match s.strip_prefix("0x") {
                Some(hex) => i64::from_str_radix(hex, 16).ok().filter(|_| !negative),
                // The sign belongs to the digits, or the least number does not fit.
                None if negative => format!("-{s}").parse().ok(),
                None => s.parse().ok(),
            },
            Tok::Float(_) => None,
            _ => return Err(self.expected("a number")),
        };
        self.advance();
        Ok(value)
    }

    /// `[...]`: whole numbers if it holds only those.
    fn list(&mut self, typed: bool) -> PResult<Attr<'a>> {
        self.expect(b'[', "before a list")?;
        if matches!(self.tok, Tok::Int(_) | Tok::Punct(b'-' | b']') | Tok::Word("true" | "false")) {
            let save = (self.lex.clone(), self.tok, self.at);
            if let Some(ints) = self.ints_until(b']')? {
                return Ok(Attr::Ints(ints));
            }
            (self.lex, self.tok, self.at) = save;
        }
        let mut out = Vec::new();
        loop {
            out.push(self.attr(typed)?);
            if self.eat(b']') {
                return Ok(Attr::List(out));
            }
            self.expect(b',', "between the entries of a list")?;
        }
    }

    /// Comma-separated whole numbers up to the bracket; `None` when something else turns up.
    fn ints_until(&mut self, close: u8) -> PResult<Option<Vec<i64>>> {
        let mut out = Vec::new();
        if self.eat(close) {
            return Ok(Some(out));
        }
        loop {
            let n = match self.tok {
                Tok::Word("true" | "false") => {
                    let n = i64::from(self.tok == Tok::Word("true"));
                    self.advance();
                    Some(n)
                }
                Tok::Int(_) | Tok::Punct(b'-') => self.int()?,
                _ => None,
            };
            let Some(n) = n else { return Ok(None) };
            out.push(n);
            if self.eat(close) {
                return Ok(Some(out));
            }
            if !self.eat(b',') {
                return Ok(None);
            }
        }
    }

    /// `array<i64: 1, 2>`
    fn array(&mut self) -> PResult<Attr<'a>> {
        let at = self.at;
        self.advance();
        let save = (self.lex.clone(), self.tok, self.at);
        self.expect(b'<', "after 'array'")?;
        if matches!(self.tok, Tok::Word(_)) {
            self.advance();
            if self.eat(b'>') {
                return Ok(Attr::Ints(Vec::new()));
            }
            self.expect(b':', "after an array's element type")?;
            if let Some(ints) = self.ints_until(b'>')? {
                return Ok(Attr::Ints(ints));
            }
        }
        (self.lex, self.tok, self.at) = save;
        self.raw(at)
    }

    /// `dense<...>`: the current token is the word, its bytes follow.
    fn dense(&mut self, typed: bool) -> PResult<Attr<'a>> {
        let start = self.lex.pos + 1;
        let Some(end) = closing(self.lex.src, start) else {
            return Err(self.error(self.at, "'dense<' has no closing '>': the text is cut off"));
        };
        let text = &self.lex.src[start..end];
        self.seek(end + 1);
        let ty = if typed && self.eat(b':') { Some(self.ty()?) } else { None };
        Ok(Attr::Dense { text, at: start, ty })
    }

    /// ` loc(...)` if one follows.
    pub(crate) fn trailing_loc(&mut self) -> PResult<Loc<'a>> {
        if self.tok == Tok::Word("loc") && self.lex.byte(self.lex.pos) == b'(' {
            self.advance();
            self.expect(b'(', "after 'loc'")?;
            let loc = self.loc()?;
            self.expect(b')', "after a location")?;
            return Ok(loc);
        }
        Ok(Loc::None)
    }

    /// A location; gives the outermost name in it. JAX writes the operation's name there, and the source
    /// files and Python functions inside.
    fn loc(&mut self) -> PResult<Loc<'a>> {
        self.enter()?;
        let loc = match self.tok {
            Tok::Hash(name) => {
                self.advance();
                Loc::Alias(self.alias(name))
            }
            Tok::Str(s) => {
                self.advance();
                match self.tok {
                    // "file":line:column [to [line]:column]
                    Tok::Punct(b':') => {
                        while matches!(self.tok, Tok::Punct(b':') | Tok::Int(_) | Tok::Word("to")) {
                            self.advance();
                        }
                        Loc::None
                    }
                    Tok::Punct(b'(') => {
                        self.skip_balanced()?;
                        Loc::Name(s)
                    }
                    _ => Loc::Name(s),
                }
            }
            Tok::Word("callsite") => {
                self.advance();
                self.expect(b'(', "after 'callsite'")?;
                let callee = self.loc()?;
                if self.tok != Tok::Word("at") {
                    return Err(self.expected("'at' in a call site"));
                }
                self.advance();
                self.loc()?;
                self.expect(b')', "after a call site")?;
                callee
            }
            Tok::Word("fused") => {
                self.advance();
                if self.tok == Tok::Punct(b'<') {
                    self.skip_balanced()?;
                }
                self.fused()?
            }
            Tok::Word(_) => {
                self.advance();
                Loc::None
            }
            _ => return Err(self.expected("a location")),
        };
        self.leave();
        Ok(loc)
    }

    /// `[loc, loc]`: the first that is not plainly nameless.
    fn fused(&mut self) -> PResult<Loc<'a>> {
        self.expect(b'[', "after 'fused'")?;
        let mut first = Loc::None;
        loop {
            let loc = self.loc()?;
            if first == Loc::None {
                first = loc;
            }
            if self.eat(b']') {
                return Ok(first);
            }
            self.expect(b',', "between fused locations")?;
        }
    }

    /// `#alias = ...` at the top of a file: keeps where a location points.
    pub(crate) fn alias_definition(&mut self, name: &'a str) -> PResult<()> {
        self.advance();
        self.expect(b'=', "after an alias")?;
        if self.tok == Tok::Word("loc") {
            let loc = self.trailing_loc()?;
            let id = self.alias(name) as usize;
            self.aliases[id] = loc;
            return Ok(());
        }
        self.attr(true)?;
        Ok(())
    }
}

/// Where the first `>` from `start` on is that is not between quotes.
fn closing(src: &str, start: usize) -> Option<usize> {
    let find = |c: char, from: usize| src[from..].find(c).map(|p| p + from);
    let (mut p, mut end) = (start, find('>', start)?);
    // Looks no further than the end known: a text may hold many of these.
    while let Some(open) = src[p..end].find('"').map(|q| q + p) {
        p = find('"', open + 1)? + 1;
        if p > end {
            end = find('>', p)?;
        }
    }
    Some(end)
}
