//! Reading MLIR text as far as the tests' own operations need it: words, strings, comments, brackets that match.
//!
//! Positions are bytes of the text. Nothing here knows an operation.

use std::ops::Range;

/// A place in a text.
#[derive(Clone)]
pub struct Cursor<'a> {
    pub text: &'a str,
    pub at: usize,
}

/// Why reading stopped, and where.
#[derive(Debug)]
pub struct Trouble {
    pub at: usize,
    pub message: String,
}

pub type Result<T> = std::result::Result<T, Trouble>;

/// Letters of identifiers, keywords and operation names.
fn is_word(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'$' | b'-')
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str, at: usize) -> Self {
        Self { text, at }
    }

    fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    /// The byte `ahead` of the place, 0 beyond the end.
    pub fn byte(&self, ahead: usize) -> u8 {
        self.bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    pub fn trouble<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(Trouble { at: self.at, message: message.into() })
    }

    /// Past spaces and comments; the next byte, 0 at the end.
    pub fn next(&mut self) -> u8 {
        loop {
            match self.byte(0) {
                b' ' | b'\n' | b'\t' | b'\r' => self.at += 1,
                b'/' if self.byte(1) == b'/' => {
                    self.at = self.text[self.at..].find('\n').map_or(self.text.len(), |n| self.at + n);
                }
                other => return other,
            }
        }
    }

    /// Whether `token` stands here, after spaces; goes past it.
    pub fn eat(&mut self, token: &str) -> bool {
        self.next();
        let is_here = self.text[self.at..].starts_with(token);
        if is_here {
            self.at += token.len();
        }
        is_here
    }

    pub fn expect(&mut self, token: &str) -> Result<()> {
        if self.eat(token) { Ok(()) } else { self.trouble(format!("no `{token}` here")) }
    }

    /// A word here, without going past it: letters, digits, `_ . $ -` (but not the `->` of a type).
    pub fn peek_word(&mut self) -> &'a str {
        self.next();
        let rest = &self.bytes()[self.at..];
        let arrow = |i: usize| rest[i] == b'-' && rest.get(i + 1) == Some(&b'>');
        let end = (0..rest.len()).find(|&i| !is_word(rest[i]) || arrow(i)).unwrap_or(rest.len());
        &self.text[self.at..self.at + end]
    }

    pub fn word(&mut self) -> &'a str {
        let word = self.peek_word();
        self.at += word.len();
        word
    }

    /// A value's name with the number of the result: `%0#1`.
    pub fn value(&mut self) -> Result<&'a str> {
        self.next();
        let start = self.at;
        self.expect("%")?;
        self.word();
        if self.byte(0) == b'#' {
            self.at += 1;
            self.word();
        }
        Ok(&self.text[start..self.at])
    }

    /// Past a string that begins here; what is between its quotes.
    pub fn string(&mut self) -> Result<&'a str> {
        let start = self.at;
        self.expect("\"")?;
        loop {
            match self.byte(0) {
                b'"' => break,
                b'\\' => self.at += 2,
                0 if self.at >= self.text.len() => {
                    self.at = start;
                    return self.trouble("a string without an end");
                }
                _ => self.at += 1,
            }
        }
        self.at += 1;
        Ok(&self.text[start + 1..self.at - 1])
    }

    /// Past what a bracket here encloses; the range with the brackets.
    pub fn balanced(&mut self) -> Result<Range<usize>> {
        let start = self.at;
        let mut open = Vec::new();
        loop {
            match self.next() {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'(' => open.push(b')'),
                b'[' => open.push(b']'),
                b'{' => open.push(b'}'),
                b'<' => open.push(b'>'),
                b'-' | b'=' if self.byte(1) == b'>' => self.at += 1,
                close @ (b')' | b']' | b'}' | b'>') if open.pop() != Some(close) => {
                    return self.trouble("brackets that do not match");
                }
                b')' | b']' | b'}' | b'>' => {}
                0 => {
                    self.at = start;
                    return self.trouble("a bracket that is not closed");
                }
                _ => {}
            }
            self.at += 1;
            if open.is_empty() {
                return Ok(start..self.at);
            }
        }
    }

    /// A type: `tensor<2xf32>`, `!stablehlo.token`, `tuple<…>`.
    pub fn ty(&mut self) -> Result<&'a str> {
        self.next();
        let start = self.at;
        self.eat("!");
        if self.word().is_empty() {
            return self.trouble("no type here");
        }
        if self.byte(0) == b'<' {
            self.balanced()?;
        }
        Ok(&self.text[start..self.at])
    }

    /// Types with commas between them, in brackets or not.
    pub fn types(&mut self) -> Result<Vec<&'a str>> {
        let enclosed = self.eat("(");
        let mut types = Vec::new();
        if !(enclosed && self.eat(")")) {
            loop {
                types.push(self.ty()?);
                // Of a result: its attributes.
                if self.next() == b'{' && enclosed {
                    self.balanced()?;
                }
                if !self.eat(",") {
                    break;
                }
            }
            if enclosed {
                self.expect(")")?;
            }
        }
        Ok(types)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_in_strings_comments_and_arrows_do_not_count() {
        let text = "{ \"}\" // }\n (tensor<2xf32>) -> tensor<1xi1> } rest";
        let mut c = Cursor::new(text, 0);
        assert_eq!(c.balanced().unwrap(), 0..text.len() - 5);
        assert!(Cursor::new("{ ( }", 0).balanced().is_err());
        assert!(Cursor::new("{ \"", 0).balanced().is_err());
    }

    #[test]
    fn values_and_types() {
        let mut c = Cursor::new("%r#1 : (tensor<2xi1> {a = 1}, !stablehlo.token) -> tensor<f32>", 0);
        assert_eq!(c.value().unwrap(), "%r#1");
        assert!(c.eat(":"));
        assert_eq!(c.types().unwrap(), ["tensor<2xi1>", "!stablehlo.token"]);
        assert!(c.eat("->"));
        assert_eq!(c.types().unwrap(), ["tensor<f32>"]);
    }
}
