//! What a file of StableHLO is kept in: text, bytecode, or a serialized `jax.export.Exported`.
//!
//! The forms are told apart by their first bytes. The container of JAX is a flatbuffer; its fields are read by
//! hand, each offset checked. It holds a module as bytecode; trees of arguments, shardings and derivatives in
//! it are not read.

use crate::bytecode::cursor::{R, error, unsupported};
use crate::bytecode::{MAGIC, Tables, tree};
use crate::lexer::Lines;
use crate::parser;
use crate::tree::Tree;
use pullback_base::{Diagnostic, Severity};
use std::ops::{Range, RangeInclusive};

/// Versions of JAX's calling convention that a module may follow.
const CALLING_CONVENTIONS: RangeInclusive<u16> = 9..=10;
/// Versions of the container. JAX writes 3 even where it has more fields.
const SERIALIZATIONS: RangeInclusive<u16> = 2..=11;
const NOT_OURS: &str = "neither MLIR text nor bytecode, and not a whole serialized jax.export.Exported: cut off, or another file";
const HELP: &str = "export again with a JAX of 2024 or later";

/// What a serialized `jax.export.Exported` says about its module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exported {
    /// The Python function's name.
    pub function: String,
    /// JAX's calling convention that the module follows.
    pub calling_convention: u16,
    /// Platforms it was exported for. With more than one, the module's first argument says which.
    pub platforms: Vec<String>,
    /// How many devices it runs on.
    pub devices: u32,
    /// Arguments of the Python function, flattened.
    pub arguments: Vec<Aval>,
    /// Results of the Python function, flattened.
    pub results: Vec<Aval>,
    /// Which arguments the module has: those not used are left out.
    pub kept: Vec<u16>,
    /// Where in the file the module's bytecode is.
    module: Range<usize>,
}

/// An argument or a result of an exported function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Aval {
    /// Dimensions as written: numbers, or expressions with symbols.
    pub shape: Vec<String>,
    /// JAX's name of the element type.
    pub dtype: &'static str,
}

impl Aval {
    /// Bytes of the dimensions' texts and their places.
    fn size(&self) -> usize {
        self.shape.iter().map(|s| s.len() + 4).sum()
    }
}

/// Most bytes of one argument's dimensions.
const MAX_AVAL: usize = 4096;

/// Which form a file has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Container {
    /// MLIR text.
    Text,
    /// MLIR bytecode.
    Bytecode,
    /// A serialized `jax.export.Exported`.
    Exported,
}

impl Container {
    /// Tells the form by the first bytes. Text holds no zero byte; the container of JAX begins with an offset
    /// of four bytes that is small.
    pub fn of(bytes: &[u8]) -> Self {
        if bytes.starts_with(MAGIC) {
            Self::Bytecode
        } else if bytes.iter().take(4).any(|b| *b == 0) {
            Self::Exported
        } else {
            Self::Text
        }
    }
}

/// Reads what a serialized `jax.export.Exported` says about its module.
pub fn exported(bytes: &[u8]) -> Result<Exported, Diagnostic> {
    read_exported(bytes).map_err(|e| *e)
}

/// What a person should know about a file beyond its module.
pub(crate) fn notes(e: &Exported) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    if e.kept.len() < e.arguments.len() {
        let (all, kept) = (e.arguments.len(), e.kept.len());
        let message = format!("{} has {all} arguments; the module has the {kept} that are used", e.function);
        out.push(Diagnostic::new(Severity::Note, None, message));
    }
    out
}

/// What the container says, if the file has that form.
pub(crate) fn exported_of(bytes: &[u8]) -> Result<Option<Exported>, Vec<Diagnostic>> {
    match Container::of(bytes) {
        Container::Exported => exported(bytes).map(Some).map_err(|d| vec![d]),
        Container::Text | Container::Bytecode => Ok(None),
    }
}

/// Calls `f` with the syntax tree of a file.
pub(crate) fn with_tree<T>(
    bytes: &[u8],
    f: impl FnOnce(Tree<'_>) -> Result<T, Vec<Diagnostic>>,
) -> Result<T, Vec<Diagnostic>> {
    let one = |e: Box<Diagnostic>| vec![*e];
    let range = match Container::of(bytes) {
        Container::Text => match std::str::from_utf8(bytes) {
            Ok(text) => return f(parser::parse(text)?),
            Err(e) => {
                let at = e.valid_up_to();
                // What stands before the byte is text.
                let pos = Lines::new(std::str::from_utf8(&bytes[..at]).unwrap_or_default()).pos(at);
                let message =
                    format!("byte {at} is not UTF-8: neither text nor MLIR bytecode nor a jax.export file");
                return Err(vec![
                    Diagnostic::error(pos, message).with_help("is this the file that was meant?"),
                ]);
            }
        },
        Container::Bytecode => 0..bytes.len(),
        Container::Exported => read_exported(bytes).map_err(one)?.module,
    };
    let tables = Tables::read(bytes, range.start, range.end).map_err(one)?;
    f(tree(&tables).map_err(one)?)
}

/// Numbers of the fields of an `Exported`.
mod field {
    pub(super) const VERSION: usize = 0;
    pub(super) const FUNCTION: usize = 1;
    pub(super) const IN_AVALS: usize = 3;
    pub(super) const OUT_AVALS: usize = 5;
    pub(super) const DEVICES_SHORT: usize = 6;
    pub(super) const PLATFORMS: usize = 9;
    pub(super) const MODULE: usize = 13;
    pub(super) const CALLING_CONVENTION: usize = 14;
    pub(super) const KEPT: usize = 15;
    pub(super) const DEVICES: usize = 18;
    pub(super) const UNIQUE_AVALS: usize = 19;
    pub(super) const IN_AVALS_IDXS: usize = 22;
    pub(super) const OUT_AVALS_IDXS: usize = 23;
    /// Of an `AbstractValue`.
    pub(super) const SHAPE: usize = 1;
    pub(super) const DTYPE: usize = 2;
}

fn read_exported(bytes: &[u8]) -> R<Exported> {
    let b = Flat { bytes };
    let root = b.table(b.follow(0)?)?;
    let version = b.u16_at(root.field(&b, field::VERSION)?)?;
    let Some((start, len)) = b.vector(root.field(&b, field::MODULE)?, 1)? else {
        return error(0, NOT_OURS);
    };
    if !SERIALIZATIONS.contains(&version) {
        return unsupported(0, format!("version {version} of the serialization of jax.export"), HELP);
    }
    let convention = b.u16_at(root.field(&b, field::CALLING_CONVENTION)?)?;
    if !CALLING_CONVENTIONS.contains(&convention) {
        let what = format!("version {convention} of the calling convention of jax.export; 9 and 10 are read");
        return unsupported(0, what, HELP);
    }
    let devices = match b.u32_at(root.field(&b, field::DEVICES)?)? {
        0 => u32::from(b.u16_at(root.field(&b, field::DEVICES_SHORT)?)?),
        n => n,
    };
    let mut kept = Vec::new();
    if let Some((at, n)) = b.vector(root.field(&b, field::KEPT)?, 2)? {
        for i in 0..n {
            kept.push(b.u16_at(Some(at + 2 * i))?);
        }
    }
    let unique = b.avals(root.field(&b, field::UNIQUE_AVALS)?)?;
    let avals = |idxs: usize, list: usize| -> R<Vec<Aval>> {
        match b.vector(root.field(&b, idxs)?, 4)? {
            // Many arguments may have one type, but not one whose text is long.
            Some((at, n)) if n > 0 => (0..n)
                .map(|i| {
                    let idx = b.u32_at(Some(at + 4 * i))? as usize;
                    match unique.get(idx) {
                        Some(aval) if aval.size() <= MAX_AVAL => Ok(aval.clone()),
                        Some(_) => error(at, "an argument has more dimensions than a tensor may have"),
                        None => error(at, "an argument's type is missing"),
                    }
                })
                .collect(),
            _ => b.avals(root.field(&b, list)?),
        }
    };
    Ok(Exported {
        function: b.string(root.field(&b, field::FUNCTION)?)?,
        calling_convention: convention,
        platforms: b.strings(root.field(&b, field::PLATFORMS)?)?,
        devices,
        arguments: avals(field::IN_AVALS_IDXS, field::IN_AVALS)?,
        results: avals(field::OUT_AVALS_IDXS, field::OUT_AVALS)?,
        kept,
        module: start..start + len,
    })
}

/// A flatbuffer. Offsets are from where they stand, lengths in front of what they measure.
#[derive(Clone, Copy)]
struct Flat<'a> {
    bytes: &'a [u8],
}

/// A table: where it is, and the range of its list of fields.
struct Table {
    at: usize,
    fields: Range<usize>,
}

impl Table {
    /// Where field number `n` is, if it is present.
    fn field(&self, b: &Flat<'_>, n: usize) -> R<Option<usize>> {
        let slot = self.fields.start + 2 * n;
        if slot + 2 > self.fields.end {
            return Ok(None);
        }
        let offset = usize::from(b.u16_at(Some(slot))?);
        Ok((offset != 0).then_some(self.at + offset))
    }
}

impl Flat<'_> {
    fn take<const N: usize>(&self, at: usize) -> R<[u8; N]> {
        match at.checked_add(N).and_then(|end| self.bytes.get(at..end)).and_then(|s| s.try_into().ok()) {
            Some(array) => Ok(array),
            None => error(at.min(self.bytes.len()), NOT_OURS),
        }
    }

    fn u16_at(&self, at: Option<usize>) -> R<u16> {
        at.map_or(Ok(0), |at| self.take(at).map(u16::from_le_bytes))
    }

    fn u32_at(&self, at: Option<usize>) -> R<u32> {
        at.map_or(Ok(0), |at| self.take(at).map(u32::from_le_bytes))
    }

    /// Where the offset at `at` points.
    fn follow(&self, at: usize) -> R<usize> {
        Ok(at.saturating_add(self.u32_at(Some(at))? as usize))
    }

    fn table(&self, at: usize) -> R<Table> {
        let back = i64::from(i32::from_le_bytes(self.take(at)?));
        let Some(start) = i64::try_from(at).ok().and_then(|at| usize::try_from(at - back).ok()) else {
            return error(at, NOT_OURS);
        };
        let len = usize::from(self.u16_at(Some(start))?);
        Ok(Table { at, fields: start + 4..start.saturating_add(len) })
    }

    /// Where the elements of a vector are and how many; they are all in the file.
    fn vector(&self, at: Option<usize>, element: usize) -> R<Option<(usize, usize)>> {
        let Some(at) = at else { return Ok(None) };
        let at = self.follow(at)?;
        let n = self.u32_at(Some(at))? as usize;
        let start = at + 4;
        match n.checked_mul(element).and_then(|len| start.checked_add(len)) {
            Some(end) if end <= self.bytes.len() => Ok(Some((start, n))),
            _ => error(at, "a list reaches past the end of the file: it is cut off or damaged"),
        }
    }

    fn string(&self, at: Option<usize>) -> R<String> {
        let (start, n) = self.vector(at, 1)?.unwrap_or((0, 0));
        Ok(String::from_utf8_lossy(&self.bytes[start..start + n]).into_owned())
    }

    fn strings(&self, at: Option<usize>) -> R<Vec<String>> {
        let (start, n) = self.vector(at, 4)?.unwrap_or((0, 0));
        // Many offsets may point at one long string.
        let mut left = self.bytes.len();
        let mut out = Vec::new();
        for i in 0..n {
            let text = self.string(Some(start + 4 * i))?;
            match left.checked_sub(text.len()) {
                Some(rest) => left = rest,
                None => return error(start, "the texts in the file are longer than the file"),
            }
            out.push(text);
        }
        Ok(out)
    }

    fn avals(&self, at: Option<usize>) -> R<Vec<Aval>> {
        let (start, n) = self.vector(at, 4)?.unwrap_or((0, 0));
        let mut left = self.bytes.len();
        let mut out = Vec::new();
        for i in 0..n {
            let table = self.table(self.follow(start + 4 * i)?)?;
            let shape = self.strings(table.field(self, field::SHAPE)?)?;
            let code = match table.field(self, field::DTYPE)? {
                Some(at) => self.take::<1>(at)?[0],
                None => 0,
            };
            let aval = Aval { shape, dtype: dtype_name(code) };
            match left.checked_sub(aval.size()) {
                Some(rest) => left = rest,
                None => return error(start, "the shapes in the file are longer than the file"),
            }
            out.push(aval);
        }
        Ok(out)
    }
}

/// JAX's name of an element type.
fn dtype_name(code: u8) -> &'static str {
    const NAMES: [&str; 30] = [
        "bool",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "float16",
        "float32",
        "float64",
        "complex64",
        "complex128",
        "bfloat16",
        "int4",
        "uint4",
        "float8_e4m3b11fnuz",
        "float8_e4m3fn",
        "float8_e4m3fnuz",
        "float8_e5m2",
        "float8_e5m2fnuz",
        "float0",
        "float8_e4m3",
        "float8_e3m4",
        "float8_e8m0fnu",
        "float4_e2m1fn",
        "key<fry>",
        "key<rbg>",
        "key<unsafe_rbg>",
    ];
    NAMES.get(usize::from(code)).copied().unwrap_or("another type")
}
