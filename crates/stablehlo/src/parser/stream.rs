//! Functions one operation at a time, so that a large program's tree is never whole.
//!
//! An [`Outline`] has the functions without their bodies, which are skipped: brackets are counted, and names of
//! functions noted. Bodies are read later, in any order, operation by operation. Only what is in order is read so: with
//! any error, the text is parsed whole, which then says what is wrong.

use super::Parser;
use crate::lexer::{Lines, Tok};
use crate::parser::PResult;
use crate::tree::{Node, Tree};
use std::rc::Rc;

/// A body that was skipped.
#[derive(Debug)]
pub(crate) struct Skipped<'a> {
    /// Offset of its opening brace.
    pub(crate) at: usize,
    /// Offset after its closing one.
    end: usize,
    /// Functions it may call.
    pub(crate) symbols: Vec<&'a str>,
    /// Ends of lines in it.
    pub(crate) lines: usize,
}

/// A module whose functions have no bodies yet.
pub(crate) struct Outline<'a> {
    pub(crate) tree: Tree<'a>,
    /// By function; `None` for a declaration.
    pub(crate) bodies: Vec<Option<Skipped<'a>>>,
    parser: Parser<'a>,
}

impl<'a> Outline<'a> {
    /// `None` where the text has to be parsed whole.
    pub(crate) fn of(src: &'a str) -> Option<Self> {
        let lines = Rc::new(Lines::new(src));
        let mut parser = Parser::new(src, lines.clone());
        parser.skipped = Some(Vec::new());
        let tree = parser.tree(lines).ok()?;
        let bodies = parser.skipped.take()?;
        Some(Self { tree, bodies, parser })
    }

    /// Takes the functions and what reads their bodies.
    pub(crate) fn into_parts(self) -> (Tree<'a>, Vec<Option<Skipped<'a>>>, Bodies<'a>) {
        (self.tree, self.bodies, Bodies(self.parser))
    }
}

/// Reads bodies of functions.
pub(crate) struct Bodies<'a>(Parser<'a>);

/// What comes next in a body.
pub(crate) enum Next<'a> {
    Node(Node<'a>),
    End,
}

impl<'a> Bodies<'a> {
    /// Goes to the body of the function at an offset.
    pub(crate) fn open(&mut self, at: usize) -> Option<()> {
        let p = &mut self.0;
        (p.depth, p.regions) = (0, 0);
        p.seek(at);
        p.header().ok()?;
        p.enter().ok()?;
        p.expect(b'{', "before a region").ok()?;
        p.mark();
        // A label with arguments is rare.
        (!matches!(p.tok, Tok::Block(_))).then(|| self.forget())
    }

    /// Names of slots that were defined before the next operation are not asked for any more.
    fn forget(&mut self) {
        self.0.slots_before = self.0.next_slot();
        self.0.slot_names.clear();
    }

    /// The next operation of this body; `None` where the text has to be parsed whole.
    pub(crate) fn next(&mut self, body: &Skipped<'a>) -> Option<Next<'a>> {
        self.forget();
        if self.0.tok == Tok::Punct(b'}') {
            return (self.0.at + 1 == body.end).then_some(Next::End);
        }
        let sharding = self.0.sharding_at;
        let node = self.0.node().ok()?;
        (self.0.diags.is_empty() && self.0.sharding_at == sharding).then_some(Next::Node(node))
    }

    /// The number of the first slot that has a name in [`Self::names`].
    pub(crate) fn first(&self) -> u32 {
        self.0.slots_before
    }

    /// Names of the slots that the last operation defined.
    pub(crate) fn names(&self) -> &[&'a str] {
        &self.0.slot_names
    }
}

impl<'a> Parser<'a> {
    /// Skips a function's body, from its opening brace on.
    pub(super) fn skip_body(&mut self) -> PResult<Skipped<'a>> {
        let mut out = Skipped { at: self.at, end: self.at, symbols: Vec::new(), lines: 0 };
        let Some(end) = scan(self.lex.src, &mut out) else {
            // Whatever is wrong is found by reading.
            return Err(self.error(self.at, "this bracket is never closed: the text is cut off"));
        };
        out.end = end;
        self.seek(end);
        Ok(out)
    }
}

/// Bytes that mean something to [`scan`].
const STOPS: [bool; 256] = {
    let mut t = [false; 256];
    let stops = b"{}\"@/\n";
    let mut i = 0;
    while i < stops.len() {
        t[stops[i] as usize] = true;
        i += 1;
    }
    t
};

/// Where the brace that opens at `out.at` is closed: after it.
fn scan<'a>(src: &'a str, out: &mut Skipped<'a>) -> Option<usize> {
    let bytes = src.as_bytes();
    let (mut p, mut depth) = (out.at, 0usize);
    loop {
        p += bytes[p..].iter().position(|&c| STOPS[usize::from(c)])?;
        match bytes[p] {
            b'{' => depth += 1,
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(p + 1);
                }
            }
            b'"' => p = end_of_string(bytes, p + 1)?,
            b'@' if bytes.get(p + 1) == Some(&b'"') => {
                let end = end_of_string(bytes, p + 2)?;
                out.symbols.push(src.get(p + 2..end)?);
                p = end;
            }
            b'@' => {
                let rest = &bytes[p + 1..];
                let named = |c: &u8| !c.is_ascii_alphanumeric() && !matches!(c, b'_' | b'$' | b'.' | b'-');
                let len = rest.iter().position(named)?;
                out.symbols.push(src.get(p + 1..p + 1 + len)?);
                p += len;
            }
            b'/' if bytes.get(p + 1) == Some(&b'/') => p += bytes[p..].iter().position(|&c| c == b'\n')? - 1,
            b'\n' => out.lines += 1,
            _ => {}
        }
        p += 1;
    }
}

/// Where the string that begins at `p` has its closing quote.
fn end_of_string(bytes: &[u8], mut p: usize) -> Option<usize> {
    loop {
        p += bytes[p..].iter().position(|&c| c == b'"' || c == b'\\')?;
        if bytes[p] == b'"' {
            return Some(p);
        }
        p += 2;
        bytes.get(p)?;
    }
}
