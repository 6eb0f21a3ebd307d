//! A bounded cursor over binary data.
//!
//! Positions are offsets into the whole file, so that errors can name them. Nothing is read past the end of the
//! cursor's range; no length found in a file is trusted before it is compared with what remains.

use pullback_base::{Diagnostic, Pos};

/// An error ends reading.
pub(crate) type R<T> = Result<T, Box<Diagnostic>>;

/// A place in a binary file.
pub(crate) fn byte_pos(at: usize) -> Pos {
    Pos::byte(at)
}

#[cold]
pub(crate) fn error<T>(at: usize, message: impl Into<String>) -> R<T> {
    Err(Box::new(Diagnostic::error(byte_pos(at), message)))
}

#[cold]
pub(crate) fn unsupported<T>(at: usize, what: impl Into<String>, help: &str) -> R<T> {
    Err(Box::new(Diagnostic::unsupported(byte_pos(at), what).with_help(help)))
}

/// A range of the file being read from its front.
#[derive(Clone, Copy)]
pub(crate) struct Cursor<'a> {
    data: &'a [u8],
    pub(crate) pos: usize,
    end: usize,
    /// Where the bytecode begins in the file: alignment counts from there.
    base: usize,
}

impl<'a> Cursor<'a> {
    /// Reads `data[start..]`.
    pub(crate) fn new(data: &'a [u8], start: usize, end: usize) -> Self {
        let end = end.min(data.len());
        Self { data, pos: start.min(end), end, base: start }
    }

    /// A cursor over part of what this one reads from.
    pub(crate) fn over(&self, start: usize, end: usize) -> Self {
        let end = end.min(self.data.len());
        Self { pos: start.min(end), end, ..*self }
    }

    /// Bytes not read yet.
    pub(crate) fn left(&self) -> usize {
        self.end - self.pos
    }

    pub(crate) fn byte(&mut self) -> R<u8> {
        Ok(self.bytes(1)?[0])
    }

    pub(crate) fn bytes(&mut self, n: usize) -> R<&'a [u8]> {
        if n > self.left() {
            let message = format!(
                "{n} bytes should follow, but {} are left: the file is cut off or damaged",
                self.left()
            );
            return error(self.pos, message);
        }
        let out = &self.data[self.pos..self.pos + n];
        self.pos += n;
        Ok(out)
    }

    /// A whole number in one to nine bytes; the zeros at the low end of the first say how many follow.
    pub(crate) fn varint(&mut self) -> R<u64> {
        let first = self.byte()?;
        if first & 1 == 1 {
            return Ok(u64::from(first >> 1));
        }
        let more = first.trailing_zeros().min(8) as usize;
        let mut word = [0; 8];
        if more == 8 {
            word.copy_from_slice(self.bytes(8)?);
            return Ok(u64::from_le_bytes(word));
        }
        word[0] = first;
        word[1..=more].copy_from_slice(self.bytes(more)?);
        Ok(u64::from_le_bytes(word) >> (more + 1))
    }

    /// A signed number: the low bit holds the sign.
    pub(crate) fn svarint(&mut self) -> R<i64> {
        let n = self.varint()?;
        Ok((n >> 1) as i64 ^ -((n & 1) as i64))
    }

    /// A number and the flag in its low bit.
    pub(crate) fn flagged(&mut self) -> R<(u64, bool)> {
        let n = self.varint()?;
        Ok((n >> 1, n & 1 == 1))
    }

    /// A count of things that take at least one byte each.
    pub(crate) fn count(&mut self, what: &str) -> R<usize> {
        let at = self.pos;
        let n = self.varint()?;
        self.check_count(at, n, what)
    }

    /// A number that should be no larger than what remains.
    pub(crate) fn check_count(&self, at: usize, n: u64, what: &str) -> R<usize> {
        match usize::try_from(n) {
            Ok(n) if n <= self.left() => Ok(n),
            _ => error(at, format!("{n} {what}, but only {} bytes are left", self.left())),
        }
    }

    /// An index below `len`.
    pub(crate) fn index(&mut self, len: usize, what: &str) -> R<usize> {
        let at = self.pos;
        let n = self.varint()?;
        check_index(at, n, len, what)
    }

    /// A section: its number and its data.
    pub(crate) fn section(&mut self) -> R<(u8, Self)> {
        let at = self.pos;
        let head = self.byte()?;
        let length = self.varint()?;
        if head & 0x80 != 0 {
            let alignment = self.varint()?;
            if !alignment.is_power_of_two() {
                return error(at, format!("a section is aligned to {alignment}, which is no power of two"));
            }
            while (self.pos - self.base) as u64 & (alignment - 1) != 0 {
                self.byte()?;
            }
        }
        let length = self.check_count(at, length, "bytes in a section")?;
        let start = self.pos;
        self.bytes(length)?;
        Ok((head & 0x7f, self.over(start, start + length)))
    }

    /// Bytes with their length before them.
    pub(crate) fn blob(&mut self) -> R<&'a [u8]> {
        let n = self.count("bytes of data")?;
        self.bytes(n)
    }

    /// Bytes up to a zero byte, which is skipped.
    pub(crate) fn until_nul(&mut self) -> R<&'a [u8]> {
        let rest = &self.data[self.pos..self.end];
        match rest.iter().position(|&b| b == 0) {
            Some(n) => {
                self.pos += n + 1;
                Ok(&rest[..n])
            }
            None => error(self.pos, "a string without an end: the file is cut off or damaged"),
        }
    }
}

pub(crate) fn check_index(at: usize, n: u64, len: usize, what: &str) -> R<usize> {
    match usize::try_from(n) {
        Ok(n) if n < len => Ok(n),
        _ => error(at, format!("{what} number {n}, but there are {len}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_every_length() {
        for (bytes, want) in [
            (&[0b11u8][..], 1),
            (&[0xff], 127),
            (&[0b10, 0b10], 128),
            (&[0b100, 0, 1], 1 << 13),
            (&[0x80, 1, 0, 0, 0, 0, 0, 0], 1),
            (&[0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], u64::MAX),
        ] {
            let mut c = Cursor::new(bytes, 0, bytes.len());
            assert_eq!(c.varint().ok(), Some(want), "{bytes:?}");
            assert_eq!(c.left(), 0);
            let mut short = Cursor::new(bytes, 0, bytes.len() - 1);
            assert!(short.varint().is_err());
        }
        let mut c = Cursor::new(&[0b11, 0b101, 0b111], 0, 3);
        assert_eq!([c.svarint().unwrap(), c.svarint().unwrap(), c.svarint().unwrap()], [-1, 1, -2]);
    }
}
