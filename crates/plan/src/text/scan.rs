//! A cursor over a plan's text: spaces and comments, words, numbers, ids, strings.
//!
//! Positions are byte offsets; line and column are worked out only when there is something to report. Nothing
//! here recurses, and nothing panics whatever the text is.

use pullback_base::{Diagnostic, Id, Pos};

pub(super) type Result<T> = std::result::Result<T, Diagnostic>;

/// Bytes of a word.
pub(super) fn is_word_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_'
}

pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Offset of the next token.
    pub(super) fn at(&mut self) -> usize {
        self.skip_space();
        self.at
    }

    pub(super) fn pos(&self, at: usize) -> Pos {
        let before = &self.text.as_bytes()[..at.min(self.text.len())];
        let line_start = before.iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
        let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Pos { line: number(line), col: number(before.len() - line_start + 1) }
    }

    pub(super) fn error(&self, at: usize, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error(self.pos(at), message)
    }

    /// An error about the next token.
    pub(super) fn expected(&mut self, what: &str) -> Diagnostic {
        self.skip_space();
        let rest = &self.text[self.at..];
        let end = rest.char_indices().nth(20).map_or(rest.len(), |(i, _)| i);
        let found = match rest[..end].lines().next() {
            Some(line) => format!("`{}`", line.trim_end()),
            None => "the end of the text".to_owned(),
        };
        self.error(self.at, format!("expected {what}, found {found}"))
    }

    fn bytes(&self) -> &'a [u8] {
        &self.text.as_bytes()[self.at..]
    }

    fn skip_space(&mut self) {
        loop {
            match self.bytes().first() {
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.at += 1,
                Some(b';') => {
                    let rest = self.bytes();
                    self.at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
                }
                Some(_) | None => return,
            }
        }
    }

    /// The first byte of the next token.
    pub(super) fn peek(&mut self) -> Option<u8> {
        self.skip_space();
        self.bytes().first().copied()
    }

    /// Takes `byte` if it is next.
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, byte: u8) -> Result<()> {
        if self.eat(byte) { Ok(()) } else { Err(self.expected(&format!("`{}`", char::from(byte)))) }
    }

    pub(super) fn arrow(&mut self) -> Result<()> {
        self.skip_space();
        if !self.bytes().starts_with(b"->") {
            return Err(self.expected("`->`"));
        }
        self.at += 2;
        Ok(())
    }

    /// Nothing but spaces and comments is left.
    pub(super) fn end(&mut self) -> Result<()> {
        self.skip_space();
        if self.at == self.text.len() { Ok(()) } else { Err(self.expected("the end of the text")) }
    }

    /// Takes ASCII bytes as long as `keep`, so both ends are character borders.
    fn take_while(&mut self, keep: impl Fn(u8) -> bool) -> &'a str {
        let rest = self.bytes();
        let n = rest.iter().position(|&b| !(b.is_ascii() && keep(b))).unwrap_or(rest.len());
        let word = &self.text[self.at..self.at + n];
        self.at += n;
        word
    }

    /// The next word, which may be empty; it is not taken.
    pub(super) fn peek_word(&mut self) -> &'a str {
        self.skip_space();
        let start = self.at;
        let word = self.take_while(is_word_byte);
        self.at = start;
        word
    }

    /// A word of letters, digits and underscores.
    pub(super) fn word(&mut self, what: &str) -> Result<&'a str> {
        self.skip_space();
        match self.take_while(is_word_byte) {
            "" => Err(self.expected(what)),
            word => Ok(word),
        }
    }

    /// Takes the word if it is next.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let found = self.peek_word() == word;
        self.at += if found { word.len() } else { 0 };
        found
    }

    pub(super) fn keyword(&mut self, word: &str) -> Result<()> {
        if self.eat_word(word) { Ok(()) } else { Err(self.expected(&format!("`{word}`"))) }
    }

    /// A whole number.
    pub(super) fn number(&mut self) -> Result<u64> {
        self.skip_space();
        let start = self.at;
        let word = self.take_while(is_word_byte);
        if word.is_empty() || !word.bytes().all(|b| b.is_ascii_digit()) {
            self.at = start;
            return Err(self.expected("a whole number"));
        }
        word.parse().map_err(|_| self.error(start, format!("{word} is too large a number")))
    }

    /// A size or an index.
    pub(super) fn size(&mut self) -> Result<usize> {
        let at = self.at();
        let n = self.number()?;
        usize::try_from(n).map_err(|_| self.error(at, format!("{n} is too large a number")))
    }

    /// An id such as `b3`, with its prefix.
    pub(super) fn id<I: Id>(&mut self, prefix: &str, what: &str) -> Result<I> {
        self.skip_space();
        let start = self.at;
        if self.bytes().starts_with(prefix.as_bytes()) {
            self.at += prefix.len();
            let word = self.take_while(is_word_byte);
            let digits = !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
            if let (true, Ok(n)) = (digits, word.parse::<u32>()) {
                return Ok(I::from_index(n as usize));
            }
            self.at = start;
        }
        Err(self.expected(&format!("{what} such as `{prefix}0`")))
    }

    /// Intervals such as `0..3+6..9`, as written.
    pub(super) fn intervals(&mut self) -> &'a str {
        self.skip_space();
        self.take_while(|b| is_word_byte(b) || matches!(b, b'.' | b'+'))
    }

    /// A bare word or a string.
    pub(super) fn symbol(&mut self, what: &str) -> Result<String> {
        if self.peek() == Some(b'"') { self.string(what) } else { self.word(what).map(str::to_owned) }
    }

    /// A string, which ends on its line.
    pub(super) fn string(&mut self, what: &str) -> Result<String> {
        let start = self.at();
        if !self.eat(b'"') {
            return Err(self.expected(&format!("{what} in quotes")));
        }
        let mut out = String::new();
        loop {
            let rest = self.bytes();
            let n = rest.iter().position(|b| matches!(b, b'"' | b'\\' | b'\n')).unwrap_or(rest.len());
            out.push_str(&self.text[self.at..self.at + n]);
            self.at += n;
            match rest.get(n) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => out.push(self.escape()?),
                Some(_) | None => return Err(self.error(start, "the string is not closed on its line")),
            }
        }
    }

    fn escape(&mut self) -> Result<char> {
        let start = self.at;
        let c = self.bytes().get(1).copied();
        self.at += 1 + usize::from(c.is_some_and(|c| c.is_ascii()));
        Ok(match c {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'n') => '\n',
            Some(b't') => '\t',
            Some(b'r') => '\r',
            Some(b'u') => {
                let open = self.bytes().first() == Some(&b'{');
                self.at += usize::from(open);
                let digits = self.take_while(|b| b.is_ascii_hexdigit());
                let code = if digits.len() <= 6 { u32::from_str_radix(digits, 16).ok() } else { None };
                let close = self.bytes().first() == Some(&b'}');
                self.at += usize::from(close);
                code.filter(|_| open && close)
                    .and_then(char::from_u32)
                    .ok_or_else(|| self.error(start, format!("`\\u{{{digits}}}` is not a character")))?
            }
            Some(_) | None => {
                return Err(self
                    .error(start, "unknown escape in a string")
                    .with_help("the escapes are \\\" \\\\ \\n \\t \\r and \\u{hex}"));
            }
        })
    }
}
