//! Where in its file an error is about a value of a program, which knows no places.
//!
//! The file is read once more with places for names, and what failed is made to fail again: the message names one then.
//! Where that does not work out the error stays as it was.

use crate::error::Error;
use crate::source::{Content, Loaded, Source};
use pullback_base::Pos;
use pullback_ir::Program;
use pullback_stablehlo::{ImportOptions, place_of};
use std::path::Path;

/// Aliases of locations followed, and most bytes of what is shown of one.
const MOST_ALIASES: usize = 32;
const MOST_BYTES: usize = 200;

/// What a program was imported from.
#[derive(Clone, Debug)]
pub struct Origin {
    file: String,
    options: ImportOptions,
}

impl Origin {
    /// That of a file's programs.
    pub fn of(loaded: &Loaded) -> Self {
        Self { file: loaded.file.clone(), options: loaded.options.clone() }
    }

    /// The error with its place, `again` being what failed of `program`.
    pub fn placed<T>(
        &self,
        e: Error,
        program: &Program,
        again: impl FnOnce(&Program) -> Result<T, Error>,
    ) -> Error {
        match self.find(program, again) {
            Some((pos, from)) => {
                e.at(pos, from.map(|from| format!("it comes from {from}"))).in_file(&self.file)
            }
            None => e,
        }
    }

    fn find<T>(
        &self,
        program: &Program,
        again: impl FnOnce(&Program) -> Result<T, Error>,
    ) -> Option<(Pos, Option<String>)> {
        let source = Source::read(Path::new(&self.file)).ok()?;
        if matches!(source.content, Content::Ir(_)) {
            return None;
        }
        let options = ImportOptions { positions: true, ..self.options.clone() };
        let loaded = source.load(&options).ok()?;
        let named = loaded.function(program.name()).ok()?;
        let e = again(named).err()?;
        let pos = e.diagnostics().iter().find_map(|d| place_of(&d.message))?;
        let from = match &source.content {
            Content::StableHlo(text) => written_at(text, pos),
            Content::Binary(_) | Content::Ir(_) => None,
        };
        Some((pos, from))
    }
}

/// The first place in another file that the location at the end of a line names: `model.py:12:4`.
fn written_at(text: &str, pos: Pos) -> Option<String> {
    let line = text.lines().nth((pos.line as usize).checked_sub(1)?)?;
    let (_, mut loc) = line.rsplit_once(" loc(")?;
    for _ in 0..MOST_ALIASES {
        if let Some(place) = file_place(loc) {
            return Some(place);
        }
        // `#loc12`, of which the definition is a line of its own.
        let start = loc.find('#')? + 1;
        let len =
            loc[start..].find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(loc.len() - start);
        let alias = format!("#{} = loc(", &loc[start..start + len]);
        loc = text.lines().find_map(|l| l.strip_prefix(&alias))?;
    }
    None
}

/// `"file":line:column` in a location.
fn file_place(loc: &str) -> Option<String> {
    let mut rest = loc;
    while let Some((_, inside)) = rest.split_once('"') {
        let (name, after) = inside.split_once('"')?;
        let digits = |s: &str| s.find(|c: char| !c.is_ascii_digit()).unwrap_or(s.len());
        if let Some(numbers) = after.strip_prefix(':').filter(|n| digits(n) > 0) {
            let line = &numbers[..digits(numbers)];
            let column = numbers[line.len()..].strip_prefix(':').map(|c| &c[..digits(c)]);
            let column = column.filter(|c| !c.is_empty()).map_or(String::new(), |c| format!(":{c}"));
            return Some(format!("{name}:{line}{column}")).filter(|p| p.len() <= MOST_BYTES);
        }
        rest = after;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::written_at;
    use pullback_base::Pos;

    #[test]
    fn locations_are_followed_to_a_file() {
        let text = "\
%0 = a loc(\"model.py\":3:14)
%1 = b loc(#loc7)
%2 = c loc(\"jit(f)/sin\"(#loc2))
%3 = d loc(callsite(\"g\"(\"inner.py\":5:6 to :9) at \"outer.py\":7:8))
%4 = e loc(#loc1)
%5 = f loc(unknown)
%6 = g
#loc1 = loc(#loc1)
#loc2 = loc(\"model.py\":1:2)
#loc7 = loc(\"named\"(#loc2))
";
        let at = |line| written_at(text, Pos { line, col: 1 });
        let is = |line, want: &str| assert_eq!(at(line).as_deref(), Some(want));
        is(1, "model.py:3:14");
        is(2, "model.py:1:2");
        is(3, "model.py:1:2");
        is(4, "inner.py:5:6");
        for line in [0, 5, 6, 7, 99] {
            assert_eq!(at(line), None, "{line}");
        }
    }
}
