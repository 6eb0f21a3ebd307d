//! A cursor over a program's text: spaces and comments, words, strings, whole numbers.
//!
//! Positions are byte offsets; line and column are worked out only when there is something to report. Nothing
//! here recurses, and nothing panics whatever the text is.

use pullback_base::{Diagnostic, Pos};

pub(super) type Result<T> = std::result::Result<T, Diagnostic>;

/// Bytes of a function's name that need no quotes.
pub(super) fn is_symbol_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-' | b'$')
}

pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Offset of the next byte.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn error(&self, at: usize, message: impl Into<String>) -> Diagnostic {
        let before = &self.text.as_bytes()[..at.min(self.text.len())];
        let line_start = before.iter().rposition(|&b| b == b'\n').map_or(0, |i| i + 1);
        let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let pos = Pos { line: number(line), col: number(before.len() - line_start + 1) };
        Diagnostic::error(pos, message)
    }

    /// An error about what comes next.
    fn expected(&self, what: &str) -> Diagnostic {
        let rest = &self.text[self.at..];
        let end = rest.char_indices().nth(20).map_or(rest.len(), |(i, _)| i);
        let found = match rest[..end].lines().next() {
            Some(line) if !line.is_empty() => format!("`{line}`"),
            Some(_) => "the end of the line".to_owned(),
            None => "the end of the text".to_owned(),
        };
        self.error(self.at, format!("expected {what}, found {found}"))
    }

    fn bytes(&self) -> &'a [u8] {
        &self.text.as_bytes()[self.at..]
    }

    fn peek_byte(&self) -> Option<u8> {
        self.bytes().first().copied()
    }

    /// Skips spaces, line ends and comments.
    pub(super) fn skip_space(&mut self) {
        loop {
            match self.peek_byte() {
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.at += 1,
                Some(b'#') => {
                    let rest = self.bytes();
                    self.at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
                }
                Some(_) | None => return,
            }
        }
    }

    /// Skips spaces within the line.
    fn skip_blanks(&mut self) {
        while let Some(b' ' | b'\t') = self.peek_byte() {
            self.at += 1;
        }
    }

    /// Whether `byte` is next in this line; it is not taken.
    pub(super) fn peek_in_line(&mut self, byte: u8) -> bool {
        self.skip_blanks();
        self.peek_byte() == Some(byte)
    }

    /// Takes `byte` if it is next.
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        self.skip_space();
        let found = self.peek_byte() == Some(byte);
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, byte: u8) -> Result<()> {
        if self.eat(byte) { Ok(()) } else { Err(self.expected(&format!("`{}`", char::from(byte)))) }
    }

    /// Nothing but spaces and comments is left.
    pub(super) fn expect_end(&mut self) -> Result<()> {
        self.skip_space();
        if self.at == self.text.len() { Ok(()) } else { Err(self.expected("the end of the text")) }
    }

    fn take_while(&mut self, keep: impl Fn(u8) -> bool) -> &'a str {
        let rest = self.bytes();
        let n = rest.iter().position(|&b| !keep(b)).unwrap_or(rest.len());
        // Only ASCII bytes are kept, so both ends are character borders.
        let word = &self.text[self.at..self.at + n];
        self.at += n;
        word
    }

    /// A word of letters, digits and underscores.
    pub(super) fn word(&mut self, what: &str) -> Result<&'a str> {
        self.skip_space();
        match self.take_while(|b| b.is_ascii_alphanumeric() || b == b'_') {
            "" => Err(self.expected(what)),
            word => Ok(word),
        }
    }

    /// Takes the word if it is next.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        self.skip_space();
        let start = self.at;
        let found = self.take_while(|b| b.is_ascii_alphanumeric() || b == b'_') == word;
        if !found {
            self.at = start;
        }
        found
    }

    /// A number as written, with its sign, point and exponent, or a word such as `inf` or `true`.
    pub(super) fn number(&mut self) -> Result<&'a str> {
        self.skip_space();
        match self.take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.' | b'_')) {
            "" => Err(self.expected("a number")),
            word => Ok(word),
        }
    }

    /// A whole number, maybe negative.
    pub(super) fn integer(&mut self) -> Result<i128> {
        self.skip_space();
        let start = self.at;
        let word = self.take_while(|b| b.is_ascii_digit() || b == b'-');
        if word.is_empty() {
            return Err(self.expected("a whole number"));
        }
        word.parse().map_err(|_| self.error(start, format!("`{word}` is not a whole number in range")))
    }

    /// A size or an index.
    pub(super) fn size(&mut self) -> Result<usize> {
        self.skip_space();
        let start = self.at;
        let n = self.integer()?;
        usize::try_from(n).map_err(|_| self.error(start, format!("{n} is not a size")))
    }

    /// `%7`; gives 7.
    pub(super) fn value(&mut self) -> Result<usize> {
        self.skip_space();
        if self.peek_byte() != Some(b'%') || !self.bytes().get(1).is_some_and(u8::is_ascii_digit) {
            return Err(self.expected("a value such as `%0`"));
        }
        self.at += 1;
        self.size()
    }

    /// A string if one begins here in this line.
    pub(super) fn string_in_line(&mut self) -> Result<Option<String>> {
        if self.peek_in_line(b'"') { self.string().map(Some) } else { Ok(None) }
    }

    fn string(&mut self) -> Result<String> {
        let start = self.at;
        let unclosed = |s: &Self| s.error(start, "the string is not closed on this line");
        self.expect(b'"')?;
        let mut out = String::new();
        loop {
            let rest = self.bytes();
            let n =
                rest.iter().position(|b| matches!(b, b'"' | b'\\' | b'\n')).ok_or_else(|| unclosed(self))?;
            out.push_str(&self.text[self.at..self.at + n]);
            self.at += n;
            match rest[n] {
                b'"' => {
                    self.at += 1;
                    return Ok(out);
                }
                b'\\' => out.push(self.escape()?),
                _ => return Err(unclosed(self)),
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
                let open = self.peek_byte() == Some(b'{');
                self.at += usize::from(open);
                let digits = self.take_while(|b| b.is_ascii_hexdigit());
                let code = if digits.len() <= 6 { u32::from_str_radix(digits, 16).ok() } else { None };
                let close = self.peek_byte() == Some(b'}');
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

    /// The function's name after `@`: a bare word or a string.
    pub(super) fn symbol(&mut self) -> Result<String> {
        self.expect(b'@')?;
        if let Some(name) = self.string_in_line()? {
            return Ok(name);
        }
        match self.take_while(is_symbol_byte) {
            "" => Err(self.expected("a name")),
            word => Ok(word.to_owned()),
        }
    }
}
