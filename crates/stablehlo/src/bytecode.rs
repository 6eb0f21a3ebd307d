//! MLIR bytecode: its sections and the tables in them.
//!
//! Format versions 0 to 6 are read, in the portable VHLO dialect (`vhlo.rs`) with MLIR's builtin attributes. The
//! tables own whatever text is not in the file itself, so that the syntax tree can borrow from them. Every
//! index is checked where it is read, every length before memory is taken for it. Nothing here knows what an
//! operation means.

pub(crate) mod attrs;
pub(crate) mod cursor;
mod ir;
mod pool;
mod sdy;
pub(crate) mod types;

pub(crate) use ir::tree;

use crate::vhlo;
use cursor::{Cursor, R, check_index, error, unsupported};
use pool::Numbered;
use std::borrow::Cow;
use types::TypeInfo;

/// How a file of bytecode begins.
pub(crate) const MAGIC: &[u8; 4] = b"ML\xefR";
/// The newest version of the format that is read.
const MAX_VERSION: u64 = 6;
const EXPORT_HELP: &str = "write the file with jax.export, or with stablehlo.serialize_portable_artifact";

/// Versions from which the format has a feature.
mod since {
    pub(super) const DIALECT_VERSIONS: u64 = 1;
    pub(super) const REGION_SECTIONS: u64 = 2;
    pub(super) const USE_LISTS: u64 = 3;
    pub(super) const OPTIONAL_ARG_LOC: u64 = 4;
    pub(super) const PROPERTIES: u64 = 5;
}

/// An attribute or type not decoded yet.
struct Entry {
    dialect: usize,
    /// Whether the dialect's own encoding is used, and not text.
    custom: bool,
    start: usize,
    end: usize,
}

/// An operation's name.
struct OpName {
    /// As StableHLO spells it, or as in the file where there is no such operation.
    full: String,
    /// Its name in the VHLO dialect with the version, else empty.
    vhlo: String,
    dialect: usize,
    registered: bool,
}

/// Everything but the operations.
pub(crate) struct Tables<'a> {
    version: u64,
    file: Cursor<'a>,
    /// Backslashes doubled, as in text.
    strings: Vec<Cow<'a, str>>,
    dialects: Vec<usize>,
    ops: Vec<OpName>,
    attrs: Vec<Entry>,
    types: Vec<TypeInfo>,
    properties: Vec<(usize, usize)>,
    /// Data of dialect resources, by number.
    resources: Vec<(usize, usize)>,
    ir: Cursor<'a>,
    value_names: Numbered,
    arg_names: Numbered,
}

/// Data of the sections, by number.
struct Sections<'a>([Option<Cursor<'a>>; 9]);

impl<'a> Sections<'a> {
    const STRINGS: usize = 0;
    const DIALECTS: usize = 1;
    const ATTR_TYPES: usize = 2;
    const OFFSETS: usize = 3;
    const IR: usize = 4;
    const RESOURCES: usize = 5;
    const RESOURCE_OFFSETS: usize = 6;
    const DIALECT_VERSION: u8 = 7;
    const PROPERTIES: usize = 8;

    fn read(c: &mut Cursor<'a>) -> R<Self> {
        let mut sections = [None; 9];
        while c.left() > 0 {
            let at = c.pos;
            let (id, data) = c.section()?;
            match sections.get_mut(usize::from(id)) {
                Some(slot @ None) => *slot = Some(data),
                Some(Some(_)) => return error(at, format!("section {id} occurs twice")),
                None => return unsupported(at, format!("section {id} of MLIR bytecode"), EXPORT_HELP),
            }
        }
        Ok(Self(sections))
    }

    fn need(&self, id: usize, what: &str, at: usize) -> R<Cursor<'a>> {
        self.0[id].map_or_else(|| error(at, format!("the bytecode has no {what}")), Ok)
    }
}

impl<'a> Tables<'a> {
    /// Reads the bytecode in `data[start..end]`.
    pub(crate) fn read(data: &'a [u8], start: usize, end: usize) -> R<Self> {
        let mut c = Cursor::new(data, start, end);
        let file = c;
        if c.bytes(MAGIC.len())? != MAGIC {
            return error(start, "MLIR bytecode begins with the bytes 4D 4C EF 52");
        }
        let at = c.pos;
        let version = c.varint()?;
        if version > MAX_VERSION {
            let what = format!("version {version} of MLIR bytecode; versions up to {MAX_VERSION} are read");
            return unsupported(at, what, EXPORT_HELP);
        }
        producer(&mut c)?;
        let sections = Sections::read(&mut c)?;
        let strings = strings(sections.need(Sections::STRINGS, "section of strings", start)?)?;
        let properties = sections.0[Sections::PROPERTIES].map_or_else(|| Ok(Vec::new()), properties)?;
        let ir = sections.need(Sections::IR, "section of operations", start)?;
        let mut tables = Self {
            version,
            file,
            strings,
            dialects: Vec::new(),
            ops: Vec::new(),
            attrs: Vec::new(),
            types: Vec::new(),
            properties,
            resources: Vec::new(),
            ir,
            value_names: Numbered::new(""),
            arg_names: Numbered::new("arg"),
        };
        tables.read_dialects(sections.need(Sections::DIALECTS, "section of dialects", start)?)?;
        if let (Some(data), Some(offsets)) =
            (sections.0[Sections::RESOURCES], sections.0[Sections::RESOURCE_OFFSETS])
        {
            tables.read_resources(data, offsets)?;
        }
        let data = sections.need(Sections::ATTR_TYPES, "section of attributes", start)?;
        let offsets = sections.need(Sections::OFFSETS, "section of attribute offsets", start)?;
        let types = tables.read_entries(data, offsets)?;
        tables.types = types::decode(&tables, &types)?;
        Ok(tables)
    }

    fn string(&self, c: &mut Cursor<'_>) -> R<&str> {
        Ok(&self.strings[c.index(self.strings.len(), "string")?])
    }

    fn dialect(&self, number: usize) -> &str {
        &self.strings[self.dialects[number]]
    }

    fn read_dialects(&mut self, mut c: Cursor<'a>) -> R<()> {
        for _ in 0..c.count("dialects")? {
            let at = c.pos;
            let (name, versioned) =
                if self.version < since::DIALECT_VERSIONS { (c.varint()?, false) } else { c.flagged()? };
            self.dialects.push(check_index(at, name, self.strings.len(), "string")?);
            if versioned && c.section()?.0 != Sections::DIALECT_VERSION {
                return error(at, "a dialect's version is not where it should be");
            }
        }
        if self.version >= since::OPTIONAL_ARG_LOC {
            c.varint()?;
        }
        // Many operations may share one long string.
        let mut left = self.file.left().saturating_mul(4).saturating_add(1 << 12);
        while c.left() > 0 {
            let dialect = c.index(self.dialects.len(), "dialect")?;
            for _ in 0..c.count("operation names")? {
                let at = c.pos;
                let (name, registered) =
                    if self.version < since::PROPERTIES { (c.varint()?, true) } else { c.flagged()? };
                let name = &self.strings[check_index(at, name, self.strings.len(), "string")?];
                match left.checked_sub(name.len() + self.dialect(dialect).len()) {
                    Some(rest) => left = rest,
                    None => return error(at, "the names of operations are far longer than the file"),
                }
                let in_vhlo = self.dialect(dialect) == "vhlo";
                let full = match vhlo::stablehlo_name(name).filter(|_| in_vhlo) {
                    Some(full) => full,
                    None => format!("{}.{name}", self.dialect(dialect)),
                };
                let vhlo = if in_vhlo { name.to_string() } else { String::new() };
                self.ops.push(OpName { full, vhlo, dialect, registered });
            }
        }
        Ok(())
    }

    /// Attribute entries are kept; type entries returned.
    fn read_entries(&mut self, data: Cursor<'a>, mut c: Cursor<'a>) -> R<Vec<Entry>> {
        let at = c.pos;
        let (n_attrs, n_types) = (c.varint()?, c.varint()?);
        let n_attrs = c.check_count(at, n_attrs, "attributes")?;
        let n_types = c.check_count(at, n_types, "types")?;
        let mut next = data.pos;
        let limit = data.pos + data.left();
        let mut group = |n: usize| -> R<Vec<Entry>> {
            let mut out = Vec::with_capacity(n);
            while out.len() < n {
                let dialect = c.index(self.dialects.len(), "dialect")?;
                let at = c.pos;
                let len = c.count("entries")?;
                if len == 0 || len > n - out.len() {
                    return error(at, "the groups of attributes and types do not add up");
                }
                for _ in 0..len {
                    let at = c.pos;
                    let (size, custom) = c.flagged()?;
                    let end = usize::try_from(size).ok().and_then(|size| next.checked_add(size));
                    let Some(end) = end.filter(|end| *end <= limit) else {
                        return error(at, "an attribute or type reaches past the end of its section");
                    };
                    out.push(Entry { dialect, custom, start: next, end });
                    next = end;
                }
            }
            Ok(out)
        };
        let attrs = group(n_attrs)?;
        let types = group(n_types)?;
        self.attrs = attrs;
        Ok(types)
    }

    /// Dialect resources; those of tools are skipped.
    fn read_resources(&mut self, mut data: Cursor<'a>, mut c: Cursor<'a>) -> R<()> {
        let mut externals = c.count("groups of resources")?;
        while c.left() > 0 {
            let external = externals > 0;
            externals -= usize::from(external);
            if external {
                self.string(&mut c)?;
            } else {
                c.index(self.dialects.len(), "dialect")?;
            }
            for _ in 0..c.count("resources")? {
                self.string(&mut c)?;
                let at = c.pos;
                let size = c.varint()?;
                let size = data.check_count(at, size, "bytes of a resource")?;
                let is_blob = c.byte()? == 0;
                let start = data.pos;
                data.bytes(size)?;
                if !external {
                    let mut range = (start, start);
                    if is_blob && size > 0 {
                        range = resource_blob(data.over(start, start + size))?;
                    }
                    self.resources.push(range);
                }
            }
        }
        Ok(())
    }
}

/// Alignment, size, padding, bytes: where the bytes are.
fn resource_blob(mut c: Cursor<'_>) -> R<(usize, usize)> {
    let at = c.pos;
    c.varint()?;
    let size = c.varint()?;
    let size = c.check_count(at, size, "bytes of a resource")?;
    // Padding comes before the bytes, which end the entry.
    let start = c.pos + c.left() - size;
    Ok((start, start + size))
}

/// The name of what wrote the file. StableHLO's own writer gives its version, whose major number must be known.
fn producer(c: &mut Cursor<'_>) -> R<()> {
    let at = c.pos;
    let name = String::from_utf8_lossy(c.until_nul()?);
    let major = name.strip_prefix("StableHLO_v").and_then(|v| v.split('.').next()?.parse::<u32>().ok());
    match major {
        Some(major) if major > vhlo::MAX_MAJOR => unsupported(
            at,
            format!("a portable artifact of {name}; versions up to {}.x are read", vhlo::MAX_MAJOR),
            "export for an older version of StableHLO",
        ),
        _ => Ok(()),
    }
}

/// Lengths from the last string to the first, then the strings, each with a zero byte.
fn strings(mut c: Cursor<'_>) -> R<Vec<Cow<'_, str>>> {
    let n = c.count("strings")?;
    let mut end = c.pos + c.left();
    let mut ranges = Vec::with_capacity(n);
    for _ in 0..n {
        let at = c.pos;
        let len = c.varint()?;
        let start = usize::try_from(len).ok().filter(|len| *len > 0).and_then(|len| end.checked_sub(len));
        match start {
            Some(start) if start >= c.pos => {
                ranges.push((start, end - 1));
                end = start;
            }
            _ => return error(at, "a string is longer than the section of strings"),
        }
    }
    let text = |(start, end): (usize, usize)| -> R<Cow<'_, str>> {
        let text = String::from_utf8_lossy(c.over(start, end).bytes(end - start)?);
        Ok(if text.contains('\\') { Cow::Owned(text.replace('\\', "\\\\")) } else { text })
    };
    ranges.into_iter().rev().map(text).collect()
}

fn properties(mut c: Cursor<'_>) -> R<Vec<(usize, usize)>> {
    let n = c.count("properties")?;
    let mut out = Vec::with_capacity(n);
    for _ in 0..n {
        let len = c.count("bytes of properties")?;
        let start = c.pos;
        c.bytes(len)?;
        out.push((start, start + len));
    }
    Ok(out)
}
