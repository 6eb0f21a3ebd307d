//! Tokens of MLIR text, made one at a time from bytes.
//!
//! Tokens borrow from the text; positions are byte offsets, turned into line and column only for diagnostics.
//! Shapes (`4x32xf32`) and the inside of `dense<...>` are not tokens: the parser reads their bytes itself.

use pullback_base::Pos;
use std::cell::OnceCell;

/// One token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Tok<'a> {
    /// `%name`
    Value(&'a str),
    /// `@name` or `@"name"` (escapes kept)
    Symbol(&'a str),
    /// `#name`
    Hash(&'a str),
    /// `!name`
    Bang(&'a str),
    /// `^name`
    Block(&'a str),
    /// A bare word, dots included.
    Word(&'a str),
    /// Decimal or 0x digits, no sign.
    Int(&'a str),
    /// A number with a point, no sign.
    Float(&'a str),
    /// What is between quotes, escapes kept.
    Str(&'a str),
    /// One punctuation byte.
    Punct(u8),
    /// `->`
    Arrow,
    /// End of the text.
    Eof,
    /// Not a token; says why.
    Bad(&'static str),
}

impl Tok<'_> {
    /// How an error message names the token.
    pub(crate) fn describe(self) -> String {
        let short = |s: &str| match s.char_indices().nth(40) {
            Some((cut, _)) => format!("{}...", &s[..cut]),
            None => s.to_owned(),
        };
        match self {
            Tok::Value(s) => format!("'%{}'", short(s)),
            Tok::Symbol(s) => format!("'@{}'", short(s)),
            Tok::Hash(s) => format!("'#{}'", short(s)),
            Tok::Bang(s) => format!("'!{}'", short(s)),
            Tok::Block(s) => format!("'^{}'", short(s)),
            Tok::Word(s) | Tok::Int(s) | Tok::Float(s) => format!("'{}'", short(s)),
            Tok::Str(s) => format!("\"{}\"", short(s)),
            Tok::Punct(c) => format!("'{}'", char::from(c)),
            Tok::Arrow => "'->'".to_owned(),
            Tok::Eof => "the end of the text".to_owned(),
            Tok::Bad(why) => why.to_owned(),
        }
    }
}

/// A cursor over the text.
#[derive(Clone)]
pub(crate) struct Lexer<'a> {
    pub(crate) src: &'a str,
    /// Offset of the next byte to read.
    pub(crate) pos: usize,
}

/// Byte classes for identifiers: letters, digits and `_ $ .`.
const IDENT: [bool; 256] = {
    let mut t = [false; 256];
    let mut i = 0;
    while i < 256 {
        let c = i as u8;
        t[i] = c.is_ascii_alphanumeric() || matches!(c, b'_' | b'$' | b'.');
        i += 1;
    }
    t
};

impl<'a> Lexer<'a> {
    pub(crate) fn new(src: &'a str) -> Self {
        Self { src, pos: 0 }
    }

    /// The byte at an offset, 0 past the end.
    pub(crate) fn byte(&self, at: usize) -> u8 {
        self.src.as_bytes().get(at).copied().unwrap_or(0)
    }

    /// Skips blanks and comments; true when a line ended.
    fn skip_blank(&mut self) -> bool {
        let b = self.src.as_bytes();
        let mut newline = false;
        loop {
            match b.get(self.pos) {
                Some(b' ' | b'\t' | b'\r') => self.pos += 1,
                Some(b'\n') => {
                    newline = true;
                    self.pos += 1;
                }
                Some(b'/') if b.get(self.pos + 1) == Some(&b'/') => {
                    let rest = &b[self.pos..];
                    self.pos += rest.iter().position(|&c| c == b'\n').unwrap_or(rest.len());
                }
                _ => return newline,
            }
        }
    }

    /// The next token, its offset, and whether a line ended before it.
    pub(crate) fn next(&mut self) -> (Tok<'a>, usize, bool) {
        let newline = self.skip_blank();
        let at = self.pos;
        let b = self.src.as_bytes();
        let Some(&c) = b.get(at) else { return (Tok::Eof, at, newline) };
        let tok = match c {
            b'%' => self.sigil(Tok::Value, true),
            b'^' => self.sigil(Tok::Block, true),
            b'#' => self.sigil(Tok::Hash, true),
            b'!' => self.sigil(Tok::Bang, false),
            b'@' if self.byte(at + 1) == b'"' => {
                self.pos += 1;
                match self.string() {
                    Tok::Str(s) => Tok::Symbol(s),
                    other => other,
                }
            }
            b'@' => self.sigil(Tok::Symbol, true),
            b'"' => self.string(),
            b'0'..=b'9' => self.number(),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => Tok::Word(self.ident(at, false)),
            b'-' if self.byte(at + 1) == b'>' => {
                self.pos += 2;
                Tok::Arrow
            }
            c if c.is_ascii_graphic() => {
                self.pos += 1;
                Tok::Punct(c)
            }
            _ => Tok::Bad("a byte that no token begins with"),
        };
        (tok, at, newline)
    }

    /// An identifier from `start`; a dash belongs to it where `dash`, unless it begins an arrow.
    fn ident(&mut self, start: usize, dash: bool) -> &'a str {
        let b = self.src.as_bytes();
        let mut p = start;
        while p < b.len() && (IDENT[b[p] as usize] || (dash && b[p] == b'-' && b.get(p + 1) != Some(&b'>'))) {
            p += 1;
        }
        self.pos = p;
        &self.src[start..p]
    }

    fn sigil(&mut self, make: fn(&'a str) -> Tok<'a>, dash: bool) -> Tok<'a> {
        let c = self.byte(self.pos);
        let name = self.ident(self.pos + 1, dash);
        if name.is_empty() { Tok::Punct(c) } else { make(name) }
    }

    fn string(&mut self) -> Tok<'a> {
        let b = self.src.as_bytes();
        let start = self.pos + 1;
        let mut p = start;
        loop {
            match b.get(p) {
                None | Some(b'\n') => {
                    self.pos = p;
                    return Tok::Bad("a string without a closing quote");
                }
                Some(b'"') => {
                    self.pos = p + 1;
                    return Tok::Str(&self.src[start..p]);
                }
                // An escaped newline is no escape: the arm above ends the string there.
                Some(b'\\') if b.get(p + 1).is_some_and(|&c| c != b'\n') => p += 2,
                Some(_) => p += 1,
            }
        }
    }

    fn number(&mut self) -> Tok<'a> {
        let start = self.pos;
        let b = self.src.as_bytes();
        let digits = |mut p: usize| {
            while b.get(p).is_some_and(u8::is_ascii_digit) {
                p += 1;
            }
            p
        };
        if b[start] == b'0' && self.byte(start + 1) == b'x' && self.byte(start + 2).is_ascii_hexdigit() {
            let mut p = start + 2;
            while b.get(p).is_some_and(u8::is_ascii_hexdigit) {
                p += 1;
            }
            self.pos = p;
            return Tok::Int(&self.src[start..p]);
        }
        let mut p = digits(start);
        if self.byte(p) != b'.' {
            self.pos = p;
            return Tok::Int(&self.src[start..p]);
        }
        p = digits(p + 1);
        if matches!(self.byte(p), b'e' | b'E') {
            let sign = usize::from(matches!(self.byte(p + 1), b'+' | b'-'));
            if self.byte(p + 1 + sign).is_ascii_digit() {
                p = digits(p + 1 + sign);
            }
        }
        self.pos = p;
        Tok::Float(&self.src[start..p])
    }
}

/// Most bytes of a message: what it quotes may be as long as the text.
const MAX_MESSAGE: usize = 600;

/// A message of bearable length: the middle of a longer one is left out.
pub(crate) fn clip(message: String) -> String {
    if message.len() <= MAX_MESSAGE {
        return message;
    }
    let boundary = |from: usize| (from..).find(|&p| message.is_char_boundary(p)).unwrap_or(from);
    let (head, tail) = (boundary(MAX_MESSAGE / 2), boundary(message.len() - MAX_MESSAGE / 2));
    format!("{} [...] {}", &message[..head], &message[tail..])
}

/// Lines and columns of byte offsets. The first to be asked for costs a pass over the text, others little.
#[derive(Debug)]
pub(crate) struct Lines<'a> {
    src: &'a str,
    /// For each block, how many lines end before it and where the last of them does.
    blocks: OnceCell<Vec<(usize, usize)>>,
}

impl<'a> Lines<'a> {
    const BLOCK: usize = 1 << 14;

    pub(crate) fn new(src: &'a str) -> Self {
        Self { src, blocks: OnceCell::new() }
    }

    /// The line and column of an offset.
    pub(crate) fn pos(&self, at: usize) -> Pos {
        let blocks = self.blocks.get_or_init(|| {
            let mut before = vec![(0, 0)];
            for (k, block) in self.src.as_bytes().chunks(Self::BLOCK).enumerate() {
                before.push(count_lines(before[k], block, k * Self::BLOCK));
            }
            before
        });
        let at = at.min(self.src.len());
        let k = at / Self::BLOCK;
        let part = &self.src.as_bytes()[k * Self::BLOCK..at];
        let (line, start) = count_lines(blocks[k], part, k * Self::BLOCK);
        let clip = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Pos { line: clip(line + 1), col: clip(at - start + 1) }
    }
}

/// How many lines ended and where the last did, after `part`, which begins at byte `at`.
fn count_lines((line, start): (usize, usize), part: &[u8], at: usize) -> (usize, usize) {
    let n = part.iter().filter(|&&c| c == b'\n').count();
    let last = part.iter().rposition(|&c| c == b'\n');
    (line + n, last.map_or(start, |p| at + p + 1))
}

/// A string's text with MLIR's escapes (`\"`, `\\`, `\n`, `\t`, `\hh`) resolved; bytes that are not UTF-8 are
/// replaced.
pub(crate) fn unescape(raw: &str) -> String {
    if !raw.contains('\\') {
        return raw.to_owned();
    }
    let b = raw.as_bytes();
    let hex = |c: u8| char::from(c).to_digit(16).map(|d| d as u8);
    let mut out = Vec::with_capacity(b.len());
    let mut p = 0;
    while p < b.len() {
        let next = b.get(p + 1).copied().unwrap_or(0);
        match b[p] {
            b'\\' if matches!(next, b'"' | b'\\') => out.push(next),
            b'\\' if next == b'n' => out.push(b'\n'),
            b'\\' if next == b't' => out.push(b'\t'),
            b'\\' => match (hex(next), b.get(p + 2).and_then(|&c| hex(c))) {
                (Some(hi), Some(lo)) => {
                    out.push(hi << 4 | lo);
                    p += 1;
                }
                _ => out.extend([b'\\', next]),
            },
            c => {
                out.push(c);
                p += 1;
                continue;
            }
        }
        p += 2;
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Most bytes of a name that are kept: many values may share one location.
const MAX_NAME: usize = 512;

/// A string's text as a name: the beginning of one that is too long.
pub(crate) fn unescape_name(raw: &str) -> String {
    let boundary =
        |s: &str, most: usize| (0..=most.min(s.len())).rev().find(|&p| s.is_char_boundary(p)).unwrap_or(0);
    // An escape is at most three bytes for one, so that a cut one is not in what is kept.
    let mut name = unescape(&raw[..boundary(raw, 4 * MAX_NAME)]);
    name.truncate(boundary(&name, MAX_NAME));
    name
}

/// A string between quotes, escaped as MLIR reads it.
pub(crate) fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\22"),
            '\\' => out.push_str("\\\\"),
            c if c.is_control() => {
                let mut buf = [0; 4];
                for b in c.encode_utf8(&mut buf).bytes() {
                    out.push_str(&format!("\\{b:02X}"));
                }
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Places before, in, at and after the ends of blocks, in a text with lines of all lengths.
    #[test]
    fn places_are_counted_from_the_start() {
        let mut text = String::new();
        for n in (0..400).chain([3 * Lines::BLOCK, 1, 0]) {
            text.extend(std::iter::repeat_n('x', n * 7 % 1001 + n / 3));
            text.push('\n');
        }
        text.truncate(text.len() / Lines::BLOCK * Lines::BLOCK);
        let lines = Lines::new(&text);
        for at in (0..text.len()).step_by(97).chain([Lines::BLOCK - 1, Lines::BLOCK, text.len()]) {
            let before = &text[..at];
            let start = before.rfind('\n').map_or(0, |p| p + 1);
            let want = (before.matches('\n').count() + 1, at - start + 1);
            let pos = lines.pos(at);
            assert_eq!((pos.line as usize, pos.col as usize), want, "at {at}");
        }
        assert_eq!(lines.pos(usize::MAX), lines.pos(text.len()));
    }

    #[test]
    fn long_names_are_cut() {
        assert_eq!(unescape_name("a\\22b"), "a\"b");
        assert_eq!(unescape_name(&"é".repeat(5000)), "é".repeat(MAX_NAME / 2));
        for raw in ["\\41", "\\\\", "x\\n", "éx\\C3\\A9"] {
            let (name, whole) = (unescape_name(&raw.repeat(2000)), unescape(&raw.repeat(2000)));
            assert!(whole.starts_with(&name) && (MAX_NAME - 1..=MAX_NAME).contains(&name.len()), "{name}");
        }
    }

    #[test]
    fn long_messages_lose_their_middle() {
        assert_eq!(clip("short".to_owned()), "short");
        let clipped = clip(format!("begin {} end", "é".repeat(5000)));
        assert!(clipped.starts_with("begin é") && clipped.ends_with("é end"));
        assert!(clipped.len() < MAX_MESSAGE + 20);
    }
}
