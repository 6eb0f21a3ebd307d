//! Types: their text, both ways.
//!
//! A type the IR cannot hold is kept as [`Ty::Refused`] with its text; it is an error only where a value of
//! that type is needed.

use crate::declared::OpenType;
use crate::lexer::Tok;
use crate::parser::{PResult, Parser};
use crate::tree::{Sig, Ty, WhyNot};
use pullback_ir::{DType, TensorType};

/// Most dimensions a tensor in a text may have.
pub(crate) const MAX_RANK: usize = 64;

/// The type that stands for `!stablehlo.token`, which has no elements.
pub(crate) fn token() -> TensorType {
    TensorType::new(DType::Bool, [0])
}

/// MLIR's name of an element type.
pub(crate) fn mlir_dtype(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "i1",
        DType::I2 => "i2",
        DType::I4 => "i4",
        DType::I8 => "i8",
        DType::I16 => "i16",
        DType::I32 => "i32",
        DType::I64 => "i64",
        DType::U2 => "ui2",
        DType::U4 => "ui4",
        DType::U8 => "ui8",
        DType::U16 => "ui16",
        DType::U32 => "ui32",
        DType::U64 => "ui64",
        DType::F8E4M3FN => "f8E4M3FN",
        DType::F8E5M2 => "f8E5M2",
        DType::F4E2M1FN => "f4E2M1FN",
        DType::F6E2M3FN => "f6E2M3FN",
        DType::F6E3M2FN => "f6E3M2FN",
        DType::F8E3M4 => "f8E3M4",
        DType::F8E4M3 => "f8E4M3",
        DType::F8E4M3B11FNUZ => "f8E4M3B11FNUZ",
        DType::F8E4M3FNUZ => "f8E4M3FNUZ",
        DType::F8E5M2FNUZ => "f8E5M2FNUZ",
        DType::F8E8M0FNU => "f8E8M0FNU",
        DType::F16 => "f16",
        DType::BF16 => "bf16",
        DType::F32 => "f32",
        DType::F64 => "f64",
        DType::C64 => "complex<f32>",
        DType::C128 => "complex<f64>",
    }
}

/// The type as MLIR writes it: `tensor<4x32xf32>`.
pub(crate) fn mlir_type(ty: &TensorType) -> String {
    let mut out = String::from("tensor<");
    for d in ty.shape() {
        out.push_str(&d.to_string());
        out.push('x');
    }
    out.push_str(mlir_dtype(ty.dtype()));
    out.push('>');
    out
}

/// A type for messages.
pub(crate) fn show(ty: &Ty<'_>) -> String {
    match ty {
        Ty::Tensor(t) => mlir_type(t),
        Ty::Open(t) => t.to_string(),
        Ty::Tuple { text, .. } | Ty::Refused { text, .. } => (*text).to_owned(),
    }
}

fn element(word: &str) -> Option<DType> {
    DType::ALL.into_iter().find(|&d| mlir_dtype(d) == word)
}

/// The type of a tensor whose dimensions may be open; `None` when it is too large.
pub(crate) fn tensor_of(
    dtype: DType,
    sizes: &[Option<usize>],
    bounds: &[Option<usize>],
) -> Option<Ty<'static>> {
    if sizes.len() > MAX_RANK {
        return None;
    }
    match sizes.iter().copied().collect::<Option<Vec<usize>>>() {
        Some(shape) => TensorType::try_new(dtype, shape).map(Ty::Tensor),
        None => Some(Ty::Open(OpenType::new(dtype, sizes, bounds))),
    }
}

/// `, #stablehlo.bounds<8, ?>>` at the end of a tensor's type: the bounds, and how many bytes that takes.
fn bounds_of(text: &str) -> Option<(Vec<Option<usize>>, usize)> {
    let rest = text.strip_prefix(',')?.trim_start().strip_prefix("#stablehlo.bounds<")?;
    let (list, after) = rest.split_once('>')?;
    let after = after.trim_start().strip_prefix('>')?;
    let bound = |s: &str| if s == "?" { Some(None) } else { s.parse().ok().map(Some) };
    let bounds = list.split(',').map(|s| bound(s.trim())).collect::<Option<Vec<_>>>()?;
    (bounds.len() <= MAX_RANK).then_some((bounds, text.len() - after.len()))
}

impl<'a> Parser<'a> {
    /// A type.
    pub(crate) fn ty(&mut self) -> PResult<Ty<'a>> {
        let at = self.at;
        match self.tok {
            Tok::Word("tensor") if self.lex.byte(self.lex.pos) == b'<' => return self.tensor(),
            Tok::Word("tuple") if self.lex.byte(self.lex.pos) == b'<' => return self.tuple(),
            Tok::Bang("stablehlo.token") => {
                self.advance();
                return Ok(Ty::Tensor(token()));
            }
            Tok::Word(_) | Tok::Bang(_) => {
                self.advance();
                if self.tok == Tok::Punct(b'<') {
                    self.skip_balanced()?;
                }
            }
            Tok::Punct(b'(') => {
                self.enter()?;
                self.skip_balanced()?;
                self.expect_arrow("in a function type")?;
                match self.tok {
                    Tok::Punct(b'(') => self.skip_balanced()?,
                    _ => drop(self.ty()?),
                }
                self.leave();
            }
            _ => return Err(self.expected("a type")),
        }
        Ok(Ty::Refused { text: self.text_from(at), why: WhyNot::NotTensor, at })
    }

    /// `tuple<T, U>`
    fn tuple(&mut self) -> PResult<Ty<'a>> {
        let at = self.at;
        self.advance();
        self.enter()?;
        self.expect(b'<', "after 'tuple'")?;
        let mut items = Vec::new();
        if !self.eat(b'>') {
            loop {
                items.push(self.ty()?);
                if self.eat(b'>') {
                    break;
                }
                self.expect(b',', "between the types of a tuple")?;
            }
        }
        self.leave();
        Ok(Ty::Tuple { items, text: self.text_from(at), at })
    }

    /// `tensor<...>`: the current token is the word, its bytes follow.
    fn tensor(&mut self) -> PResult<Ty<'a>> {
        let (at, open) = (self.at, self.lex.pos);
        let bytes = self.lex.src.as_bytes();
        let mut p = open + 1;
        let mut sizes = Vec::new();
        let mut unranked = false;
        loop {
            match self.lex.byte(p) {
                b'0'..=b'9' => {
                    let mut n = 0usize;
                    while let Some(c) = bytes.get(p).filter(|c| c.is_ascii_digit()) {
                        n = n.saturating_mul(10).saturating_add(usize::from(c - b'0'));
                        p += 1;
                    }
                    sizes.push(Some(n));
                }
                b'?' => {
                    sizes.push(None);
                    p += 1;
                }
                b'*' => {
                    unranked = true;
                    p += 1;
                }
                b'-' if self.lex.byte(p + 1).is_ascii_digit() => {
                    return Err(self.error(p, "a dimension is not negative: a size from 0 on, or '?'"));
                }
                _ => break,
            }
            if self.lex.byte(p) != b'x' {
                self.seek(p);
                return Err(self.expected("'x' after a dimension"));
            }
            p += 1;
        }
        let start = p;
        while self.lex.byte(p).is_ascii_alphanumeric() {
            p += 1;
        }
        let mut dtype = element(&self.lex.src[start..p]);
        for (text, complex) in [("complex<f32>", DType::C64), ("complex<f64>", DType::C128)] {
            if self.lex.src[start..].starts_with(text) {
                (dtype, p) = (Some(complex), start + text.len());
            }
        }
        let mut bounds = Vec::new();
        if self.lex.byte(p) == b'>' && p > start {
            self.seek(p + 1);
        } else if let Some((found, end)) = bounds_of(&self.lex.src[p..]).filter(|_| p > start) {
            bounds = found;
            self.seek(p + end);
        } else {
            // An encoding, or an element type with a body: refuse it, but find its end.
            dtype = None;
            self.seek(open);
            self.skip_balanced()?;
        }
        let text = self.text_from(at);
        let refused = |why| Ty::Refused { text, why, at };
        if unranked {
            return Ok(refused(WhyNot::Unranked));
        }
        let Some(dtype) = dtype else { return Ok(refused(WhyNot::Element)) };
        Ok(tensor_of(dtype, &sizes, &bounds).unwrap_or_else(|| refused(WhyNot::TooLarge)))
    }

    /// [`Self::signature`], read from its text.
    pub(crate) fn fresh_signature(&mut self) -> PResult<Sig<'a>> {
        let inputs = match self.tok {
            Tok::Punct(b'(') => self.type_tuple()?,
            _ => {
                let mut list = vec![self.ty()?];
                while self.eat(b',') {
                    list.push(self.ty()?);
                }
                if self.tok != Tok::Arrow {
                    return Ok(Sig::List(list.into()));
                }
                list
            }
        };
        self.expect_arrow("between operand and result types")?;
        let results = match self.tok {
            Tok::Punct(b'(') => self.type_tuple()?,
            _ => vec![self.ty()?],
        };
        Ok(Sig::Fn(inputs.into(), results.into()))
    }

    fn type_tuple(&mut self) -> PResult<Vec<Ty<'a>>> {
        self.expect(b'(', "before types")?;
        let mut list = Vec::new();
        if !self.eat(b')') {
            loop {
                list.push(self.ty()?);
                if self.eat(b')') {
                    break;
                }
                self.expect(b',', "between types")?;
            }
        }
        Ok(list)
    }
}
