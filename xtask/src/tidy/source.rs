//! Rust text as far as the checks need it: comments, strings, functions, test modules.
//!
//! Not a parser: it knows the lexical rules that decide what is a comment or a string, and matches brackets in
//! what is left. Blanked text has the length and the lines of the original.

use super::TextFile;
use std::ops::Range;

/// A Rust file with its parts told apart.
pub struct Source<'a> {
    /// The file.
    pub file: &'a TextFile,
    /// Without comments.
    pub uncommented: String,
    /// Without comments and without the insides of strings and character literals.
    pub code: String,
    /// Test modules, as bytes.
    tests: Vec<Range<usize>>,
}

/// A function with a body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Where it begins, from 1.
    pub line: usize,
    /// From `fn` to the closing brace.
    pub lines: usize,
}

impl<'a> Source<'a> {
    /// Tells the parts apart.
    pub fn new(file: &'a TextFile) -> Self {
        let (uncommented, code) = blank(&file.text);
        let tests = test_modules(&code);
        Self { file, uncommented, code, tests }
    }

    /// Lines that are not in test modules.
    pub fn lines(&self) -> usize {
        let text = &self.file.text;
        let in_tests: usize = self.tests.iter().map(|r| text[r.clone()].lines().count()).sum();
        text.lines().count() - in_tests
    }

    /// Lines with code on them that are not in test modules.
    pub fn code_lines(&self) -> usize {
        let mut start = 0;
        let is_code = |line: &&str| {
            let at = start;
            start += line.len();
            !line.trim().is_empty() && !self.tests.iter().any(|r| r.contains(&at))
        };
        self.uncommented.split_inclusive('\n').filter(is_code).count()
    }

    /// Functions that are not in test modules, in order of their beginnings.
    pub fn functions(&self) -> Vec<Function> {
        let all = words(&self.code).filter(|&(_, word)| word == "fn");
        let ours = all.filter(|(at, _)| !self.tests.iter().any(|r| r.contains(at)));
        ours.filter_map(|(at, _)| self.function(at)).collect()
    }

    /// The function whose `fn` is at `at`; none for a type or a declaration.
    fn function(&self, at: usize) -> Option<Function> {
        let rest = &self.code[at + 2..];
        let name = rest.trim_start();
        if name.len() == rest.len() || !name.starts_with(is_word) {
            return None;
        }
        let name = name.split(|c| !is_word(c)).next().unwrap_or_default().to_owned();
        let open = at + body(&self.code[at..])?;
        let end = closing(&self.code, open)?;
        let lines = self.code[at..end].matches('\n').count() + 1;
        Some(Function { name, line: line_of(&self.code, at), lines })
    }
}

/// The line of a byte, from 1.
pub fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Words of a text with their places.
pub fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split(|c| !is_word(c)).filter_map(move |word| {
        let place = at;
        at += word.len() + text[at + word.len()..].chars().next().map_or(0, char::len_utf8);
        (!word.is_empty()).then_some((place, word))
    })
}

/// Where the `{` of a function is that starts at 0, if it has a body.
fn body(code: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (i, c) in code.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            '{' if depth == 0 => return Some(i),
            ';' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// The end of the block that opens at `open`.
fn closing(code: &str, open: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (i, c) in code[open..].char_indices() {
        match c {
            '{' => depth += 1,
            '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(open + i + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// Modules under `#[cfg(test)]` with their bodies.
fn test_modules(code: &str) -> Vec<Range<usize>> {
    const ATTRIBUTE: &str = "#[cfg(test)]";
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, _) in code.match_indices(ATTRIBUTE) {
        let rest = code[at + ATTRIBUTE.len()..].trim_start();
        let start = code.len() - rest.len();
        let is_inside = found.last().is_some_and(|r| r.contains(&at));
        if is_inside || !rest.starts_with("mod ") {
            continue;
        }
        if let Some(end) = body(rest).and_then(|open| closing(code, start + open)) {
            found.push(at..end);
        }
    }
    found
}

/// The text without comments, and the text without comments and insides of literals.
fn blank(text: &str) -> (String, String) {
    let mut b = Blanker { text, at: 0, uncommented: String::new(), code: String::new() };
    while b.at < text.len() {
        b.token();
    }
    (b.uncommented, b.code)
}

struct Blanker<'a> {
    text: &'a str,
    at: usize,
    uncommented: String,
    code: String,
}

impl Blanker<'_> {
    fn token(&mut self) {
        let rest = &self.text[self.at..];
        if rest.starts_with("//") {
            let n = rest.find('\n').unwrap_or(rest.len());
            return self.take(n, false, false);
        }
        if rest.starts_with("/*") {
            return self.take(block_comment(rest), false, false);
        }
        let begins_word = self.code.chars().next_back().is_none_or(|c| !is_word(c));
        if let Some(n) = string(rest, begins_word) {
            return self.take(n, true, false);
        }
        if let Some(n) = character(rest) {
            return self.take(n, true, false);
        }
        self.take(rest.chars().next().map_or(1, char::len_utf8), true, true);
    }

    /// Takes `n` bytes, as they are or as spaces.
    fn take(&mut self, n: usize, uncommented: bool, code: bool) {
        let part = &self.text[self.at..self.at + n];
        self.at += n;
        let spaces = || part.bytes().map(|b| if b == b'\n' { '\n' } else { ' ' });
        match uncommented {
            true => self.uncommented.push_str(part),
            false => self.uncommented.extend(spaces()),
        }
        match code {
            true => self.code.push_str(part),
            false => self.code.extend(spaces()),
        }
    }
}

/// The length of a block comment; they nest.
fn block_comment(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut depth, mut i) = (0usize, 0);
    while i < bytes.len() {
        match &bytes[i..bytes.len().min(i + 2)] {
            b"/*" => (depth, i) = (depth + 1, i + 2),
            b"*/" => (depth, i) = (depth - 1, i + 2),
            _ => i += 1,
        }
        if depth == 0 {
            return i;
        }
    }
    bytes.len()
}

/// The length of a string literal with its prefix, if the text begins with one.
fn string(text: &str, begins_word: bool) -> Option<usize> {
    let prefix =
        text.find(|c| !matches!(c, 'b' | 'c' | 'r')).filter(|&n| n == 0 || (begins_word && n <= 2))?;
    let after = &text[prefix..];
    if text[..prefix].contains('r') {
        let hashes = after.find(|c| c != '#')?;
        let inside = after[hashes..].strip_prefix('"')?;
        let end = format!("\"{}", "#".repeat(hashes));
        let n = inside.find(&end).map_or(inside.len(), |i| i + end.len());
        return Some(prefix + hashes + 1 + n);
    }
    let inside = after.strip_prefix('"')?;
    let mut is_escaped = false;
    for (i, c) in inside.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return Some(prefix + 1 + i + 1),
            _ => {}
        }
    }
    Some(text.len())
}

/// The length of a character literal, if the text begins with one and not with a lifetime.
fn character(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('\'')?;
    let first = inside.chars().next()?;
    if first == '\\' {
        let skipped = 1 + inside[1..].chars().next()?.len_utf8();
        return inside[skipped..].find('\'').map(|i| 1 + skipped + i + 1);
    }
    inside[first.len_utf8()..].starts_with('\'').then(|| 2 + first.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> String {
        blank(text).1
    }

    #[test]
    fn comments_and_literals_are_blanked() {
        assert_eq!(code("a // b {\nc"), "a       \nc");
        assert_eq!(code("a /* b /* c */ d */ e"), format!("a {} e", " ".repeat(17)));
        assert_eq!(code(r#"f("{ \" }", x)"#), "f(        , x)");
        assert_eq!(code(r###"f(r#"a " {"#, b"}", br"\")"###), "f(          ,     ,      )");
        assert_eq!(code("let c = '{'; let q = '\\''; 'é'"), "let c =    ; let q =     ;     ");
        assert_eq!(code("fn f<'a>(x: &'a str) {}"), "fn f<'a>(x: &'a str) {}");
        assert_eq!(code("attr\"x\" r#type"), "attr    r#type");
        assert_eq!(blank("\"//\" // x").0, "\"//\"     ");
    }

    #[test]
    fn what_never_ends_is_blank_to_the_end() {
        for text in ["\"abc", "/* abc", "r#\"abc\"", "'\\", "b\"\\"] {
            assert_eq!(blank(text).1.len(), text.len(), "{text}");
        }
    }

    fn functions(text: &str) -> Vec<(String, usize, usize)> {
        let file = TextFile { path: "crates/x/src/a.rs".into(), text: text.into() };
        Source::new(&file).functions().into_iter().map(|f| (f.name, f.line, f.lines)).collect()
    }

    #[test]
    fn functions_are_measured() {
        let text = "\
fn a() {}
trait T {
    fn declared(&self) -> [u8; 3];
    fn b<F: Fn(u8) -> u8>(
        f: F,
    ) -> [u8; 3]
    where
        F: Copy,
    {
        let g: fn(u8) = |_| {};
        \"}\"; // }
        fn inner() {
        }
    }
}
";
        let want = [("a", 1, 1), ("b", 4, 11), ("inner", 12, 2)].map(|(n, l, c)| (n.to_owned(), l, c));
        assert_eq!(functions(text), want);
    }

    #[test]
    fn test_modules_do_not_count() {
        let text = "\
//! Header.
fn a() {
    // A comment.
    \"two
lines\";
}

#[cfg(test)]
mod tests {
    fn t() {
    }
}
";
        assert_eq!(functions(text), [("a".to_owned(), 2, 5)]);
        let file = TextFile { path: "crates/x/src/a.rs".into(), text: text.into() };
        let source = Source::new(&file);
        assert_eq!(source.lines(), 7);
        assert_eq!(source.code_lines(), 4);
    }

    #[test]
    fn a_test_module_in_another_file_hides_nothing() {
        let text = "#[cfg(test)]\nmod tests;\nfn a() {\n}\n";
        assert_eq!(functions(text), [("a".to_owned(), 3, 2)]);
    }
}
