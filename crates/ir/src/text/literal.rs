//! Constants in texts: `0.5` (one element for all), `[1, 2, 3]` (row-major), `bytes 0a0b..` (many elements).
//!
//! A number is written in decimal where reading it gives the same bits back, else as its bits, `0x7fc00000`
//! (NaNs; bytes that no number has). Decimals of floats are the shortest that identify the f64 (of f64) or the
//! f32 (of all smaller types).

use super::MAX_LISTED_ELEMENTS;
use super::scan::{Result, Scanner};
use crate::dtype::{DType, DTypeClass, TensorType};
use crate::literal::{Literal, decode_f64, decode_i64, encode_f64, encode_i64};
use std::fmt::{self, Write};

pub(super) fn write_literal(f: &mut dyn Write, literal: &Literal) -> fmt::Result {
    let ty = literal.ty();
    if let Some(element) = literal.splat_bytes() {
        return write_element(f, ty.dtype(), element);
    }
    if ty.count() > MAX_LISTED_ELEMENTS {
        f.write_str("bytes ")?;
        return write_hex(f, literal.to_bytes().iter().copied());
    }
    f.write_char('[')?;
    for i in 0..ty.count() {
        f.write_str(if i == 0 { "" } else { ", " })?;
        write_element(f, ty.dtype(), literal.element(i))?;
    }
    f.write_char(']')
}

fn write_hex(f: &mut dyn Write, bytes: impl Iterator<Item = u8>) -> fmt::Result {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for b in bytes {
        f.write_char(char::from(DIGITS[usize::from(b >> 4)]))?;
        f.write_char(char::from(DIGITS[usize::from(b & 15)]))?;
    }
    Ok(())
}

fn write_bits(f: &mut dyn Write, little_endian: &[u8]) -> fmt::Result {
    f.write_str("0x")?;
    write_hex(f, little_endian.iter().rev().copied())
}

/// The type of the real and the imaginary part.
fn part_dtype(dtype: DType) -> DType {
    if dtype == DType::C64 { DType::F32 } else { DType::F64 }
}

fn write_element(f: &mut dyn Write, dtype: DType, e: &[u8]) -> fmt::Result {
    match dtype.class() {
        DTypeClass::Bool if e[0] <= 1 => f.write_str(if e[0] == 1 { "true" } else { "false" }),
        DTypeClass::Bool => write_bits(f, e),
        DTypeClass::Unsigned if dtype == DType::U64 => {
            // Read as i64, a u64 wraps.
            write!(f, "{}", decode_i64(dtype, e) as u64)
        }
        DTypeClass::Signed | DTypeClass::Unsigned => {
            let v = decode_i64(dtype, e);
            if encode_i64(dtype, v) == e { write!(f, "{v}") } else { write_bits(f, e) }
        }
        DTypeClass::Float => {
            let v = decode_f64(dtype, e);
            if v.is_nan() || encode_f64(dtype, v) != e { write_bits(f, e) } else { write_float(f, dtype, v) }
        }
        DTypeClass::Complex => {
            let part = part_dtype(dtype);
            let (re, im) = e.split_at(part.size());
            f.write_char('(')?;
            write_element(f, part, re)?;
            f.write_str(", ")?;
            write_element(f, part, im)?;
            f.write_char(')')
        }
    }
}

/// Shortest digits in a notation of our own, so that it depends on no library's taste: with a point between
/// 1e-5 and 1e16, with an exponent elsewhere.
fn write_float(f: &mut dyn Write, dtype: DType, v: f64) -> fmt::Result {
    if v.is_infinite() {
        return f.write_str(if v > 0.0 { "inf" } else { "-inf" });
    }
    let scientific = if dtype == DType::F64 { format!("{v:e}") } else { format!("{:e}", v as f32) };
    let unsigned = scientific.strip_prefix('-').unwrap_or(&scientific);
    if unsigned.len() < scientific.len() {
        f.write_char('-')?;
    }
    let (mantissa, exponent) = unsigned.split_once('e').unwrap_or((unsigned, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let digits = mantissa.replace('.', "");
    match exponent {
        0..=15 => {
            let whole = exponent as usize + 1;
            let (head, tail) = digits.split_at(whole.min(digits.len()));
            let tail = if tail.is_empty() { "0" } else { tail };
            write!(f, "{head:0<whole$}.{tail}")
        }
        -5..=-1 => write!(f, "0.{:0>width$}{digits}", "", width = (-exponent - 1) as usize),
        _ => f.write_str(unsigned),
    }
}

/// Reads a constant of type `ty`.
pub(super) fn parse_literal(s: &mut Scanner<'_>, ty: &TensorType) -> Result<Literal> {
    s.skip_space();
    let start = s.at();
    let mut bytes = Vec::new();
    if s.eat(b'[') {
        let mut n = 0;
        while !s.eat(b']') {
            if n > 0 {
                s.expect(b',')?;
            }
            parse_element(s, ty.dtype(), &mut bytes)?;
            n += 1;
        }
        return Literal::dense(ty.clone(), bytes)
            .ok_or_else(|| s.error(start, format!("{n} elements are listed, {ty} has {}", ty.count())));
    }
    if s.eat_word("bytes") {
        let word = s.word("hexadecimal digits")?;
        hex_bytes(word, &mut bytes).ok_or_else(|| s.error(start, "the bytes are not pairs of hex digits"))?;
        let n = bytes.len();
        return Literal::dense(ty.clone(), bytes)
            .ok_or_else(|| s.error(start, format!("{n} bytes are given, {ty} has {}", ty.bytes())));
    }
    parse_element(s, ty.dtype(), &mut bytes)?;
    if ty.count() == 0 {
        return Err(s.error(start, format!("{ty} has no element; write `[]`")));
    }
    Literal::splat(ty.clone(), &bytes).ok_or_else(|| s.error(start, format!("not an element of {ty}")))
}

fn hex_bytes(word: &str, out: &mut Vec<u8>) -> Option<()> {
    let nibble = |b: u8| char::from(b).to_digit(16).map(|d| d as u8);
    if !word.len().is_multiple_of(2) {
        return None;
    }
    out.reserve(word.len() / 2);
    for pair in word.as_bytes().chunks_exact(2) {
        out.push(nibble(pair[0])? << 4 | nibble(pair[1])?);
    }
    Some(())
}

fn parse_element(s: &mut Scanner<'_>, dtype: DType, out: &mut Vec<u8>) -> Result<()> {
    if dtype.class() != DTypeClass::Complex {
        return parse_real(s, dtype, out);
    }
    let part = part_dtype(dtype);
    s.expect(b'(')?;
    parse_real(s, part, out)?;
    s.expect(b',')?;
    parse_real(s, part, out)?;
    s.expect(b')')
}

fn parse_real(s: &mut Scanner<'_>, dtype: DType, out: &mut Vec<u8>) -> Result<()> {
    s.skip_space();
    let start = s.at();
    let word = s.number()?;
    if let Some(digits) = word.strip_prefix("0x") {
        let mut bits = Vec::new();
        if digits.len() != 2 * dtype.size() || hex_bytes(digits, &mut bits).is_none() {
            let message = format!("the bits of one {dtype} are {} hex digits", 2 * dtype.size());
            return Err(s.error(start, message));
        }
        out.extend(bits.iter().rev());
        return Ok(());
    }
    let element = match dtype.class() {
        DTypeClass::Bool => match word {
            "true" => Some(vec![1]),
            "false" => Some(vec![0]),
            _ => None,
        },
        DTypeClass::Signed | DTypeClass::Unsigned if dtype == DType::U64 => {
            word.parse::<u64>().ok().map(|v| v.to_le_bytes().to_vec())
        }
        DTypeClass::Signed | DTypeClass::Unsigned => word.parse::<i64>().ok().and_then(|v| {
            let e = encode_i64(dtype, v);
            (decode_i64(dtype, &e) == v).then_some(e)
        }),
        // Not through f64: rounding twice may give a neighbour.
        DTypeClass::Float if dtype == DType::F32 => {
            word.parse::<f32>().ok().map(|v| v.to_le_bytes().to_vec())
        }
        DTypeClass::Float | DTypeClass::Complex => word.parse::<f64>().ok().map(|v| encode_f64(dtype, v)),
    };
    let element = element.ok_or_else(|| s.error(start, format!("`{word}` is not an element of {dtype}")))?;
    out.extend(element);
    Ok(())
}
