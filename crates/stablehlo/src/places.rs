//! Names of values that say where they are defined, for messages about a program that has names of its own.

use pullback_base::Pos;

/// How a value is named for its place.
pub(crate) fn place_name(pos: Pos) -> String {
    format!("\u{27e6}{}:{}\u{27e7}", pos.line, pos.col)
}

/// The first place in a message that names values of a program imported with [`crate::ImportOptions::positions`].
pub fn place_of(message: &str) -> Option<Pos> {
    let (_, rest) = message.split_once('\u{27e6}')?;
    let (line, col) = rest.split_once('\u{27e7}')?.0.split_once(':')?;
    Some(Pos { line: line.parse().ok()?, col: col.parse().ok()? })
}
