//! Types in bytecode, VHLO's and MLIR's own.
//!
//! All are decoded at once: a type refers to others only one level down for what the IR can hold. Types it
//! cannot hold keep a name for messages.

use super::cursor::{Cursor, R, error, unsupported};
use super::{Entry, Tables};
use crate::declared::OpenType;
use crate::tree::{Ty, WhyNot};
use crate::types::{MAX_RANK, mlir_dtype, tensor_of, token};
use pullback_ir::{DType, TensorType};

/// A type.
pub(crate) enum TypeInfo {
    Scalar(DType),
    Index,
    Tensor(TensorType),
    Open(OpenType),
    /// Numbers of argument and result types.
    Function(Vec<usize>, Vec<usize>),
    /// Numbers of the types in it.
    Tuple(Vec<usize>),
    Other {
        text: String,
        why: WhyNot,
        at: usize,
    },
}

impl TypeInfo {
    /// As the syntax tree has it.
    pub(crate) fn ty(&self, at: usize) -> Ty<'_> {
        match self {
            TypeInfo::Tensor(t) => Ty::Tensor(t.clone()),
            TypeInfo::Open(t) => Ty::Open(t.clone()),
            TypeInfo::Scalar(d) => Ty::Refused { text: mlir_dtype(*d), why: WhyNot::NotTensor, at },
            TypeInfo::Index => Ty::Refused { text: "index", why: WhyNot::NotTensor, at },
            TypeInfo::Tuple(_) => Ty::Refused { text: "tuple", why: WhyNot::NotTensor, at },
            TypeInfo::Function(..) => Ty::Refused { text: "a function type", why: WhyNot::NotTensor, at },
            TypeInfo::Other { text, why, at } => Ty::Refused { text, why: *why, at: *at },
        }
    }
}

/// How deep tuples may nest.
const MAX_TUPLES: u32 = 32;

/// Type number `i` with the types in it. `budget` is how many types may be made, less those that were.
pub(super) fn with_parts<'t>(types: &'t [TypeInfo], i: usize, at: usize, budget: &mut usize) -> Ty<'t> {
    parts(types, i, at, budget, MAX_TUPLES)
}

fn parts<'t>(types: &'t [TypeInfo], i: usize, at: usize, budget: &mut usize, depth: u32) -> Ty<'t> {
    let TypeInfo::Tuple(numbers) = &types[i] else { return types[i].ty(at) };
    // Types may refer to each other in a circle.
    let (Some(left), Some(depth)) = (budget.checked_sub(numbers.len()), depth.checked_sub(1)) else {
        return Ty::Refused { text: "tuple", why: WhyNot::TooLarge, at };
    };
    *budget = left;
    let items = numbers.iter().map(|&n| parts(types, n, at, budget, depth)).collect();
    Ty::Tuple { items, text: "tuple", at }
}

/// What a type's code says, the two dialects brought together.
enum Shape {
    Scalar(Option<DType>, &'static str),
    Complex,
    Index,
    Function,
    Tuple,
    Token,
    Tensor { encoded: bool },
    Other(&'static str, WhyNot),
}

pub(super) fn decode(tables: &Tables<'_>, entries: &[Entry]) -> R<Vec<TypeInfo>> {
    let reader = Types { tables, entries };
    (0..entries.len()).map(|i| reader.decode(i)).collect()
}

struct Types<'t, 'a> {
    tables: &'t Tables<'a>,
    entries: &'t [Entry],
}

impl<'t> Types<'t, '_> {
    fn decode(&self, i: usize) -> R<TypeInfo> {
        let at = self.entries[i].start;
        let other = |text: String, why| Ok(TypeInfo::Other { text, why, at });
        let (shape, mut c) = match self.shape(i)? {
            Some(found) => found,
            None => return other(self.text(i)?, WhyNot::NotTensor),
        };
        match shape {
            Shape::Scalar(Some(d), _) => Ok(TypeInfo::Scalar(d)),
            Shape::Scalar(None, name) => other(name.to_owned(), WhyNot::NotTensor),
            Shape::Index => Ok(TypeInfo::Index),
            Shape::Other(name, why) => other(name.to_owned(), why),
            Shape::Complex => match self.element(i)? {
                Ok(d) => Ok(TypeInfo::Scalar(d)),
                Err(name) => other(name, WhyNot::NotTensor),
            },
            Shape::Function => {
                let ins = self.list(&mut c)?;
                let outs = self.list(&mut c)?;
                Ok(TypeInfo::Function(ins, outs))
            }
            Shape::Tuple => Ok(TypeInfo::Tuple(self.list(&mut c)?)),
            Shape::Token => Ok(TypeInfo::Tensor(token())),
            Shape::Tensor { encoded } => self.tensor(&mut c, encoded, at),
        }
    }

    fn list(&self, c: &mut Cursor<'_>) -> R<Vec<usize>> {
        let n = c.count("types")?;
        (0..n).map(|_| c.index(self.entries.len(), "type")).collect()
    }

    fn tensor(&self, c: &mut Cursor<'_>, encoded: bool, at: usize) -> R<TypeInfo> {
        // An encoding that is none of bounds.
        let mut other = false;
        let mut bounds = Vec::new();
        if encoded {
            match self.bounds(c.index(self.tables.attrs.len(), "attribute")?)? {
                Some(found) => bounds = found,
                None => other = true,
            }
        }
        let mut text = String::from("tensor<");
        let mut sizes = Vec::new();
        for _ in 0..c.count("dimensions")? {
            match usize::try_from(c.svarint()?) {
                Ok(n) => {
                    text.push_str(&format!("{n}x"));
                    sizes.push(Some(n));
                }
                Err(_) => {
                    text.push_str("?x");
                    sizes.push(None);
                }
            }
        }
        let dtype = match self.element(c.index(self.entries.len(), "type")?)? {
            Ok(d) => {
                text.push_str(mlir_dtype(d));
                Some(d)
            }
            Err(name) => {
                text.push_str(&name);
                None
            }
        };
        text.push_str(if other { ", with an encoding>" } else { ">" });
        let refused = |why| TypeInfo::Other { text, why, at };
        let Some(dtype) = dtype.filter(|_| !other) else { return Ok(refused(WhyNot::Element)) };
        Ok(match tensor_of(dtype, &sizes, &bounds) {
            Some(Ty::Tensor(t)) => TypeInfo::Tensor(t),
            Some(Ty::Open(t)) => TypeInfo::Open(t),
            Some(Ty::Tuple { .. } | Ty::Refused { .. }) | None => refused(WhyNot::TooLarge),
        })
    }

    /// The bounds of dimensions that attribute number `i` says, if that is what it is.
    fn bounds(&self, i: usize) -> R<Option<Vec<Option<usize>>>> {
        const TYPE_EXTENSIONS: u64 = 18;
        let entry = &self.tables.attrs[i];
        let mut c = self.tables.file.over(entry.start, entry.end);
        if !entry.custom || self.tables.dialect(entry.dialect) != "vhlo" || c.varint()? != TYPE_EXTENSIONS {
            return Ok(None);
        }
        let n = c.count("bounds")?;
        if n > MAX_RANK {
            return error(entry.start, "more bounds than a tensor has dimensions");
        }
        // What is not a size is no bound.
        let bounds = (0..n).map(|_| c.svarint().map(|n| usize::try_from(n).ok()));
        bounds.collect::<R<Vec<_>>>().map(Some)
    }

    /// The element type that type number `i` is, or its name.
    fn element(&self, i: usize) -> R<Result<DType, String>> {
        let Some((shape, mut c)) = self.shape(i)? else {
            return Ok(Err("another dialect's type".to_owned()));
        };
        Ok(match shape {
            Shape::Scalar(d, name) => d.ok_or_else(|| name.to_owned()),
            Shape::Complex => match self.shape(c.index(self.entries.len(), "type")?)? {
                Some((Shape::Scalar(Some(DType::F32), _), _)) => Ok(DType::C64),
                Some((Shape::Scalar(Some(DType::F64), _), _)) => Ok(DType::C128),
                _ => Err("complex<?>".to_owned()),
            },
            Shape::Index => Err("index".to_owned()),
            Shape::Function => Err("a function type".to_owned()),
            Shape::Tuple => Err("tuple".to_owned()),
            Shape::Token => Err("!stablehlo.token".to_owned()),
            Shape::Tensor { .. } => Err("tensor".to_owned()),
            Shape::Other(name, _) => Err(name.to_owned()),
        })
    }

    /// What the type is, and a cursor over the rest of it; `None` when it is stored as text.
    fn shape(&self, i: usize) -> R<Option<(Shape, Cursor<'t>)>> {
        let entry = &self.entries[i];
        if !entry.custom {
            return Ok(None);
        }
        let mut c: Cursor<'t> = self.tables.file.over(entry.start, entry.end);
        let code = c.varint()?;
        let found = match self.tables.dialect(entry.dialect) {
            "vhlo" => vhlo(code),
            "builtin" if code == 0 => Some(builtin_integer(c.varint()?)),
            "builtin" => builtin(code),
            _ => Some(Shape::Other("a type of another dialect", WhyNot::NotTensor)),
        };
        match found {
            Some(shape) => Ok(Some((shape, c))),
            None => {
                let what = format!("type {code} of the dialect {}", self.tables.dialect(entry.dialect));
                unsupported(entry.start, what, super::EXPORT_HELP)
            }
        }
    }

    fn text(&self, i: usize) -> R<String> {
        let entry = &self.entries[i];
        let text = self.tables.file.over(entry.start, entry.end).until_nul()?;
        match std::str::from_utf8(text) {
            Ok(text) => Ok(text.to_owned()),
            Err(_) => error(entry.start, "a type's text is not UTF-8"),
        }
    }
}

fn vhlo(code: u64) -> Option<Shape> {
    let known = |d| Shape::Scalar(Some(d), "");
    let unknown = |name| Shape::Scalar(None, name);
    Some(match code {
        0 => known(DType::Bool),
        1 => Shape::Complex,
        2 => known(DType::BF16),
        3 => known(DType::F16),
        4 => known(DType::F32),
        5 => known(DType::F64),
        6 => known(DType::F8E4M3FN),
        7 => known(DType::F8E5M2),
        8 => Shape::Function,
        9 => Shape::Index,
        10 => known(DType::I4),
        11 => known(DType::I8),
        12 => known(DType::I16),
        13 => known(DType::I32),
        14 => known(DType::I64),
        15 => known(DType::U4),
        16 => known(DType::U8),
        17 => known(DType::U16),
        18 => known(DType::U32),
        19 => known(DType::U64),
        20 => Shape::Tensor { encoded: false },
        21 => Shape::Tensor { encoded: true },
        22 => Shape::Token,
        23 => Shape::Tuple,
        24 | 30 => unknown("!quant.uniform"),
        25 => Shape::Other("tensor<*>", WhyNot::Unranked),
        26 => Shape::Other("!shape.witness", WhyNot::NotTensor),
        27 => known(DType::F8E4M3FNUZ),
        28 => known(DType::F8E5M2FNUZ),
        29 => known(DType::F8E4M3B11FNUZ),
        31 => known(DType::I2),
        32 => known(DType::U2),
        33 => Shape::Other("none", WhyNot::NotTensor),
        34 => unknown("tf32"),
        35 => known(DType::F8E4M3),
        36 => known(DType::F8E3M4),
        37 => known(DType::F4E2M1FN),
        38 => known(DType::F6E2M3FN),
        39 => known(DType::F6E3M2FN),
        40 => known(DType::F8E8M0FNU),
        41 => Shape::Other("memref", WhyNot::NotTensor),
        42 => Shape::Other("!stablehlo.future", WhyNot::NotTensor),
        _ => return None,
    })
}

fn builtin(code: u64) -> Option<Shape> {
    let known = |d| Shape::Scalar(Some(d), "");
    Some(match code {
        1 => Shape::Index,
        2 => Shape::Function,
        3 => known(DType::BF16),
        4 => known(DType::F16),
        5 => known(DType::F32),
        6 => known(DType::F64),
        7 => Shape::Scalar(None, "f80"),
        8 => Shape::Scalar(None, "f128"),
        9 => Shape::Complex,
        10 | 11 | 16 | 17 => Shape::Other("memref", WhyNot::NotTensor),
        12 => Shape::Other("none", WhyNot::NotTensor),
        13 => Shape::Tensor { encoded: false },
        14 => Shape::Tensor { encoded: true },
        15 => Shape::Tuple,
        18 => Shape::Other("tensor<*>", WhyNot::Unranked),
        19 | 20 => Shape::Other("vector", WhyNot::NotTensor),
        _ => return None,
    })
}

/// Width, then two bits for the sign: 0 is none said, 2 unsigned.
fn builtin_integer(word: u64) -> Shape {
    let dtype = match (word >> 2, word & 3) {
        (1, 0) => DType::Bool,
        (2, 0) => DType::I2,
        (4, 0) => DType::I4,
        (8, 0) => DType::I8,
        (16, 0) => DType::I16,
        (32, 0) => DType::I32,
        (64, 0) => DType::I64,
        (2, 2) => DType::U2,
        (4, 2) => DType::U4,
        (8, 2) => DType::U8,
        (16, 2) => DType::U16,
        (32, 2) => DType::U32,
        (64, 2) => DType::U64,
        _ => return Shape::Scalar(None, "an integer type of another width"),
    };
    Shape::Scalar(Some(dtype), "")
}
