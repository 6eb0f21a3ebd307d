//! Attributes in bytecode, VHLO's and MLIR's own, into those of the syntax tree.
//!
//! Attributes refer to each other by number, so a small file can spell a very large tree: what is decoded is
//! counted and bounded by the file's size. Depth is bounded too, which also ends a cycle.

use super::cursor::{Cursor, R, check_index, error, unsupported};
use super::types::TypeInfo;
use super::{EXPORT_HELP, Entry, Tables};
use crate::parser::MAX_DEPTH;
use crate::tree::{Attr, Loc};
use crate::vhlo;
use pullback_ir::DType;
use pullback_ir::literal::decode_f64;

/// Decodes attributes of one file.
pub(super) struct Attrs<'t, 'a> {
    tables: &'t Tables<'a>,
    /// How many more parts of attributes may be decoded.
    budget: usize,
    /// Where a sharding annotation was seen first.
    pub(super) sharding_at: Option<usize>,
}

impl<'t, 'a> Attrs<'t, 'a> {
    pub(super) fn new(tables: &'t Tables<'a>, file_size: usize) -> Self {
        Self { tables, budget: file_size.saturating_mul(16).saturating_add(1 << 16), sharding_at: None }
    }

    /// The number of an attribute.
    pub(super) fn number(&self, c: &mut Cursor<'_>) -> R<usize> {
        c.index(self.tables.attrs.len(), "attribute")
    }

    /// A number of an attribute that was read together with something else.
    pub(super) fn checked(&self, at: usize, i: u64) -> R<usize> {
        check_index(at, i, self.tables.attrs.len(), "attribute")
    }

    /// The bytes of attribute number `i`, which is one of this dialect in its own encoding.
    pub(super) fn entry(&self, i: usize, dialect: &str) -> R<Cursor<'t>> {
        let tables: &'t Tables<'a> = self.tables;
        let entry = &tables.attrs[i];
        if !entry.custom || tables.dialect(entry.dialect) != dialect {
            return error(entry.start, format!("an attribute of {dialect} should be here"));
        }
        Ok(tables.file.over(entry.start, entry.end))
    }

    /// The string whose number comes next.
    pub(super) fn string(&self, c: &mut Cursor<'_>) -> R<&'t str> {
        self.tables.string(c)
    }

    /// Attribute number `i`.
    pub(super) fn get(&mut self, i: usize) -> R<Attr<'t>> {
        self.decode(i, MAX_DEPTH)
    }

    pub(super) fn decode(&mut self, i: usize, depth: u32) -> R<Attr<'t>> {
        let tables: &'t Tables<'a> = self.tables;
        let entry = &tables.attrs[i];
        self.spend(1, entry.start)?;
        let Some(depth) = depth.checked_sub(1) else {
            return error(entry.start, format!("attributes are nested deeper than {MAX_DEPTH} levels"));
        };
        let mut c: Cursor<'t> = tables.file.over(entry.start, entry.end);
        if !entry.custom {
            // What a dialect wrote as text is none that is needed.
            c.until_nul()?;
            return Ok(Attr::Raw("an attribute of another dialect"));
        }
        match tables.dialect(entry.dialect) {
            "vhlo" => self.vhlo(&mut c, depth),
            "builtin" => self.builtin(&mut c, depth),
            "sdy" => self.sdy(&mut c, depth),
            _ => Ok(Attr::Raw("an attribute of another dialect")),
        }
    }

    /// Counts what is made of the file against its size.
    pub(super) fn spend(&mut self, n: usize, at: usize) -> R<()> {
        match self.budget.checked_sub(n) {
            Some(left) => {
                self.budget = left;
                Ok(())
            }
            None => error(at, "the attributes written out are far larger than the file"),
        }
    }

    fn vhlo(&mut self, c: &mut Cursor<'t>, depth: u32) -> R<Attr<'t>> {
        let at = c.pos;
        let code = c.varint()?;
        let word = |found: Option<&'static str>| match found {
            Some(word) => Ok(Attr::Word(word)),
            None => unsupported(at, "a word of an enumeration that is not known", EXPORT_HELP),
        };
        Ok(match code {
            1 => self.list(c, depth)?,
            2 => Attr::Bool(c.varint()? == 1),
            3 => return word(vhlo::comparison_direction(c.varint()?)),
            4 => return word(vhlo::comparison_type(c.varint()?)),
            6 => self.dict(c, depth)?,
            7 => return word(vhlo::fft_type(c.varint()?)),
            12 => return word(vhlo::rng_algorithm(c.varint()?)),
            13 => return word(vhlo::rng_distribution(c.varint()?)),
            16 => return word(vhlo::transpose(c.varint()?)),
            8 => self.float(c)?,
            9 => self.integer(c)?,
            14 => Attr::Str(self.tables.string(c)?),
            15 => self.elements(c)?,
            17 => Attr::Type(self.type_number(c)?),
            21..=25 => self.mesh_axes(code, c, depth)?,
            0 | 5 | 10 | 11 | 18..=20 => Attr::Raw("an attribute that is not needed"),
            _ => return unsupported(at, format!("attribute {code} of the dialect vhlo"), EXPORT_HELP),
        })
    }

    /// Groups of processes by the axes of a mesh, as text has them.
    fn mesh_axes(&mut self, code: u64, c: &mut Cursor<'t>, depth: u32) -> R<Attr<'t>> {
        let mut dict: Vec<(&'t str, Attr<'t>)> = Vec::new();
        let mut attr = |this: &mut Self, c: &mut Cursor<'t>, key: &'static str| -> R<()> {
            let i = this.number(c)?;
            dict.push((key, this.decode(i, depth)?));
            Ok(())
        };
        match code {
            21 => return Ok(Attr::Ints(vec![c.svarint()?, c.svarint()?])),
            22 => {
                attr(self, c, "name")?;
                if c.varint()? != 0 {
                    attr(self, c, "sub_axis_info")?;
                }
            }
            23 => {
                attr(self, c, "mesh")?;
                attr(self, c, "axes")?;
            }
            24 => {
                attr(self, c, "name")?;
                dict.push(("size", Attr::Int(c.svarint()?)));
            }
            _ => {
                attr(self, c, "axes")?;
                let at = c.pos;
                let (i, given) = c.flagged()?;
                if given {
                    let i = self.checked(at, i)?;
                    dict.push(("device_ids", self.decode(i, depth)?));
                }
            }
        }
        Ok(Attr::Dict(dict))
    }

    fn builtin(&mut self, c: &mut Cursor<'t>, depth: u32) -> R<Attr<'t>> {
        let at = c.pos;
        let code = c.varint()?;
        Ok(match code {
            0 => self.list(c, depth)?,
            1 => self.dict(c, depth)?,
            2 | 3 => Attr::Str(self.tables.string(c)?),
            4 | 5 => {
                let root = self.number(c)?;
                match self.decode(root, depth)? {
                    Attr::Str(s) => Attr::Symbol(s),
                    _ => return error(at, "a symbol without a name"),
                }
            }
            6 => Attr::Type(self.type_number(c)?),
            7 => Attr::Raw("unit"),
            8 => self.integer(c)?,
            9 => self.float(c)?,
            16 => {
                let ty = self.type_number(c)?;
                let (start, end) = self.tables.resources[c.index(self.tables.resources.len(), "resource")?];
                let bytes = self.tables.file.over(start, end).bytes(end - start)?;
                Attr::Data { bytes, at: start, ty: self.tables.types[ty].ty(at) }
            }
            17 => self.array(c)?,
            18 => self.elements(c)?,
            10..=15 | 19..=22 => Attr::Raw("an attribute that is not needed"),
            _ => return unsupported(at, format!("attribute {code} of the dialect builtin"), EXPORT_HELP),
        })
    }

    fn type_number(&self, c: &mut Cursor<'_>) -> R<usize> {
        c.index(self.tables.types.len(), "type")
    }

    fn list(&mut self, c: &mut Cursor<'t>, depth: u32) -> R<Attr<'t>> {
        let n = c.count("attributes")?;
        let mut out = Vec::new();
        for _ in 0..n {
            let i = self.number(c)?;
            out.push(self.decode(i, depth)?);
        }
        Ok(Attr::List(out))
    }

    fn dict(&mut self, c: &mut Cursor<'t>, depth: u32) -> R<Attr<'t>> {
        let n = c.count("attributes")?;
        let mut out = Vec::new();
        for _ in 0..n {
            let at = c.pos;
            let (key, value) = (self.number(c)?, self.number(c)?);
            let Attr::Str(key) = self.decode(key, depth)? else {
                return error(at, "an attribute's name is not a string");
            };
            if key == "sdy.sharding" && self.sharding_at.is_none() {
                self.sharding_at = Some(at);
            }
            out.push((key, self.decode(value, depth)?));
        }
        Ok(Attr::Dict(out))
    }

    /// A type and the bits of a float of it.
    fn float(&mut self, c: &mut Cursor<'t>) -> R<Attr<'t>> {
        let TypeInfo::Scalar(dtype) = self.tables.types[self.type_number(c)?] else {
            return Ok(Attr::Raw("a float of another type"));
        };
        if !dtype.is_float() {
            return Ok(Attr::Raw("a float of another type"));
        }
        let bits = if dtype.size() == 1 { i64::from(c.byte()?) } else { c.svarint()? };
        Ok(Attr::Float(decode_f64(dtype, &bits.to_le_bytes()[..dtype.size()])))
    }

    fn integer(&mut self, c: &mut Cursor<'t>) -> R<Attr<'t>> {
        let at = c.pos;
        let dtype = match self.tables.types[self.type_number(c)?] {
            TypeInfo::Scalar(d) => d,
            TypeInfo::Index => DType::I64,
            _ => return unsupported(at, "a whole number of a type that is not known", EXPORT_HELP),
        };
        Ok(match dtype {
            DType::Bool => Attr::Bool(c.byte()? & 1 == 1),
            DType::I2 => Attr::Int(i64::from(((c.byte()? << 6) as i8) >> 6)),
            DType::I4 => Attr::Int(i64::from(((c.byte()? << 4) as i8) >> 4)),
            DType::U2 => Attr::Int(i64::from(c.byte()? & 3)),
            DType::U4 => Attr::Int(i64::from(c.byte()? & 15)),
            DType::I8 => Attr::Int(i64::from(c.byte()? as i8)),
            DType::U8 => Attr::Int(i64::from(c.byte()?)),
            // The bits beyond the width are not said to be the sign.
            DType::I16 => Attr::Int(i64::from(c.svarint()? as i16)),
            DType::I32 => Attr::Int(i64::from(c.svarint()? as i32)),
            DType::U16 => Attr::Int(i64::from(c.svarint()? as u16)),
            DType::U32 => Attr::Int(i64::from(c.svarint()? as u32)),
            DType::I64 | DType::U64 => Attr::Int(c.svarint()?),
            DType::F8E4M3FN
            | DType::F8E5M2
            | DType::F4E2M1FN
            | DType::F6E2M3FN
            | DType::F6E3M2FN
            | DType::F8E3M4
            | DType::F8E4M3
            | DType::F8E4M3B11FNUZ
            | DType::F8E4M3FNUZ
            | DType::F8E5M2FNUZ
            | DType::F8E8M0FNU
            | DType::F16
            | DType::BF16
            | DType::F32
            | DType::F64
            | DType::C64
            | DType::C128 => return error(at, "a whole number of a type that holds none"),
        })
    }

    /// A type and the bytes of a tensor's elements.
    fn elements(&mut self, c: &mut Cursor<'t>) -> R<Attr<'t>> {
        let at = c.pos;
        let ty = self.type_number(c)?;
        let bytes = c.blob()?;
        Ok(Attr::Data { bytes, at: c.pos - bytes.len(), ty: self.tables.types[ty].ty(at) })
    }

    /// Element type, count and bytes of whole numbers.
    fn array(&mut self, c: &mut Cursor<'t>) -> R<Attr<'t>> {
        let at = c.pos;
        let ty = self.type_number(c)?;
        c.varint()?;
        let bytes = c.blob()?;
        self.spend(bytes.len() / 8, at)?;
        Ok(match self.tables.types[ty] {
            TypeInfo::Scalar(DType::I64) => {
                Attr::Ints(bytes.as_chunks::<8>().0.iter().map(|b| i64::from_le_bytes(*b)).collect())
            }
            TypeInfo::Scalar(DType::I32) => Attr::Ints(
                bytes.as_chunks::<4>().0.iter().map(|b| i64::from(i32::from_le_bytes(*b))).collect(),
            ),
            _ => Attr::Raw("an array that is not needed"),
        })
    }
}

/// Where each attribute points as a location; nothing for what is none.
pub(super) fn locations<'t>(tables: &'t Tables<'_>) -> R<Vec<Loc<'t>>> {
    tables.attrs.iter().map(|entry| location(tables, entry)).collect()
}

fn location<'t>(tables: &'t Tables<'_>, entry: &Entry) -> R<Loc<'t>> {
    if !entry.custom || tables.dialect(entry.dialect) != "builtin" {
        return Ok(Loc::None);
    }
    let n = tables.attrs.len();
    let mut c = tables.file.over(entry.start, entry.end);
    Ok(match c.varint()? {
        // A call site: the callee's.
        10 => Loc::Alias(c.index(n, "attribute")? as u32),
        // Fused: the first that is not plainly nameless.
        code @ (12 | 13) => {
            let len = c.count("locations")?;
            let mut first = Loc::None;
            for _ in 0..len {
                let i = c.index(n, "attribute")?;
                if first == Loc::None && !nameless(tables, &tables.attrs[i])? {
                    first = Loc::Alias(i as u32);
                }
            }
            if code == 13 {
                c.index(n, "attribute")?;
            }
            first
        }
        14 => Loc::Name(string_of(tables, &mut c)?),
        _ => Loc::None,
    })
}

fn nameless(tables: &Tables<'_>, entry: &Entry) -> R<bool> {
    let code = tables.file.over(entry.start, entry.end).varint()?;
    Ok(!matches!(code, 10 | 12 | 13 | 14))
}

/// The text of the string attribute whose number comes next.
fn string_of<'t>(tables: &'t Tables<'_>, c: &mut Cursor<'_>) -> R<&'t str> {
    let at = c.pos;
    let i = c.varint()?;
    let entry = &tables.attrs[check_index(at, i, tables.attrs.len(), "attribute")?];
    let mut c = tables.file.over(entry.start, entry.end);
    if entry.custom && tables.dialect(entry.dialect) == "builtin" && matches!(c.varint()?, 2 | 3) {
        return tables.string(&mut c);
    }
    error(at, "a location's name is not a string")
}
