//! The elements of `dense<...>`, both ways.
//!
//! Numbers are read as MLIR reads them: a decimal float is rounded to f64, then to the element type; a hex
//! float is its bits. Every printed number reads back to the same bits.

use crate::types::mlir_dtype;
use pullback_ir::literal::{decode_f64, decode_i64, encode_f64};
use pullback_ir::{DType, DTypeClass, Literal, TensorType};
use std::fmt::Write as _;

/// What is wrong with the elements, and at which byte of the text.
pub(crate) struct BadElements {
    pub(crate) at: usize,
    pub(crate) message: String,
}

type R<T> = Result<T, BadElements>;

fn bad<T>(at: usize, message: impl Into<String>) -> R<T> {
    Err(BadElements { at, message: message.into() })
}

/// Parses what is between `dense<` and `>` as a literal of type `ty` (not complex).
pub(crate) fn parse_elements(text: &str, ty: &TensorType) -> R<Literal> {
    let lead = text.len() - text.trim_start().len();
    let body = text.trim();
    match body.as_bytes().first() {
        None if ty.count() == 0 => {
            Literal::dense(ty.clone(), Vec::new()).map_or_else(|| bad(0, "internal"), Ok)
        }
        None => bad(0, format!("no elements for a tensor of {}", ty.count())),
        Some(b'"') => blob(body, ty).map_err(|message| BadElements { at: lead, message }),
        Some(b'[') => list(text, lead, ty),
        Some(_) => {
            let mut bytes = Vec::new();
            let end = number_end(text.as_bytes(), lead);
            element(&text[lead..end], ty.dtype(), &mut bytes)
                .map_err(|m| BadElements { at: lead, message: m })?;
            if !text[end..].trim().is_empty() {
                return bad(end, "expected '>' after one element");
            }
            Literal::splat(ty.clone(), &bytes).map_or_else(|| bad(lead, "internal"), Ok)
        }
    }
}

/// `"0x..."`: little-endian bytes of all elements, or of one that repeats.
fn blob(body: &str, ty: &TensorType) -> Result<Literal, String> {
    let hex = body.strip_prefix("\"0x").and_then(|t| t.strip_suffix('"'));
    let Some(hex) = hex else { return Err("expected a string \"0x...\" of hex digits".to_owned()) };
    let hex = hex.as_bytes();
    let nibble = |c: u8| char::from(c).to_digit(16).map(|d| d as u8);
    let mut bytes = Vec::with_capacity(hex.len() / 2);
    for pair in hex.chunks(2) {
        match pair {
            [hi, lo] => match (nibble(*hi), nibble(*lo)) {
                (Some(hi), Some(lo)) => bytes.push(hi << 4 | lo),
                _ => return Err("a digit that is not hexadecimal".to_owned()),
            },
            _ => return Err("an odd number of hex digits".to_owned()),
        }
    }
    if ty.dtype() == DType::Bool {
        return bits(&bytes, ty);
    }
    numbers(bytes, ty)
}

/// Elements as MLIR's bytecode has them: little-endian bytes of all of them, or of one that repeats; booleans
/// one bit each, lowest first, or a byte of ones that repeats.
pub(crate) fn elements_of_bytes(bytes: &[u8], ty: &TensorType) -> Result<Literal, String> {
    if ty.dtype() != DType::Bool {
        return numbers(bytes.to_vec(), ty);
    }
    let count = ty.count();
    let literal = match bytes {
        [0xff] => Literal::splat(ty.clone(), &[1]),
        [0] => Literal::splat(ty.clone(), &[0]),
        _ if bytes.len() == count => {
            Literal::dense(ty.clone(), bytes.iter().map(|b| u8::from(*b != 0)).collect::<Vec<_>>())
        }
        _ if bytes.len() == count.div_ceil(8) => {
            Literal::dense(ty.clone(), (0..count).map(|i| bytes[i / 8] >> (i % 8) & 1).collect::<Vec<_>>())
        }
        _ => return Err(format!("{} bytes of data for {count} booleans", bytes.len())),
    };
    literal.ok_or_else(|| "internal".to_owned())
}

/// Elements that are not booleans, or one that repeats.
fn numbers(mut bytes: Vec<u8>, ty: &TensorType) -> Result<Literal, String> {
    let (d, count) = (ty.dtype(), ty.count());
    if d.bits() < 8 {
        // Only the low bits count; the IR keeps signed integers sign-extended.
        let unused = 8 - d.bits() as u32;
        for b in &mut bytes {
            let high = *b << unused;
            *b = if d.class() == DTypeClass::Signed { (high as i8 >> unused) as u8 } else { high >> unused };
        }
    }
    let literal = if bytes.len() == d.size() && count != 1 {
        Literal::splat(ty.clone(), &bytes)
    } else {
        let n = bytes.len();
        if n != ty.bytes() {
            return Err(format!("{n} bytes of data for {} elements of {} bytes", count, d.size()));
        }
        Literal::dense(ty.clone(), bytes)
    };
    literal.ok_or_else(|| "internal".to_owned())
}

/// Booleans: one byte each, or one bit each (lowest first) as older versions of MLIR keep them; one byte that is
/// 0, 1 or 0xff repeats.
fn bits(bytes: &[u8], ty: &TensorType) -> Result<Literal, String> {
    let count = ty.count();
    let literal = match bytes {
        [b @ (0 | 1 | 0xff)] => Literal::splat(ty.clone(), &[b & 1]),
        _ if bytes.len() == count => {
            Literal::dense(ty.clone(), bytes.iter().map(|b| u8::from(*b != 0)).collect::<Vec<_>>())
        }
        _ if bytes.len() > 1 && bytes.len() == count.div_ceil(8) => {
            let values: Vec<u8> = (0..count).map(|i| bytes[i / 8] >> (i % 8) & 1).collect();
            Literal::dense(ty.clone(), values)
        }
        _ => return Err(format!("{} bytes of data for {count} booleans", bytes.len())),
    };
    literal.ok_or_else(|| "internal".to_owned())
}

/// `[[1, 2], [3, 4]]` nested as deep as the rank.
fn list(text: &str, start: usize, ty: &TensorType) -> R<Literal> {
    let b = text.as_bytes();
    let (shape, rank) = (ty.shape(), ty.rank());
    // What is written bounds the work: each element takes two bytes of text.
    let mut bytes = Vec::with_capacity(ty.bytes().min(text.len() * 8));
    let mut counts: Vec<usize> = Vec::with_capacity(rank);
    let mut p = start;
    // Whether an element or a list may come next, rather than a comma or a bracket.
    let mut fresh = true;
    loop {
        match b.get(p) {
            None => return bad(p, "a list of elements is not closed"),
            Some(b' ' | b'\n' | b'\t' | b'\r') => p += 1,
            Some(b'[') if fresh => {
                if counts.len() == rank {
                    return bad(p, format!("lists are nested deeper than the rank, {rank}"));
                }
                counts.push(0);
                p += 1;
            }
            Some(b']') if !fresh || counts.last() == Some(&0) => {
                let (got, want) = (counts.pop().unwrap_or(0), shape[counts.len()]);
                if got != want {
                    return bad(p, format!("a list of {got} where dimension {} is {want}", counts.len()));
                }
                p += 1;
                fresh = false;
                match counts.last_mut() {
                    Some(n) => *n += 1,
                    None => break,
                }
            }
            Some(b',') if !fresh => {
                fresh = true;
                p += 1;
            }
            Some(_) if fresh => {
                if counts.len() != rank {
                    return bad(p, format!("an element {} lists deep, the rank is {rank}", counts.len()));
                }
                let end = number_end(b, p);
                element(&text[p..end], ty.dtype(), &mut bytes)
                    .map_err(|message| BadElements { at: p, message })?;
                if let Some(n) = counts.last_mut() {
                    *n += 1;
                }
                fresh = false;
                p = end;
            }
            Some(_) => return bad(p, "expected ',' or ']' in a list of elements"),
        }
    }
    if !text[p..].trim().is_empty() {
        return bad(p, "expected '>' after the elements");
    }
    match Literal::dense(ty.clone(), bytes) {
        Some(l) => Ok(l),
        None => bad(start, format!("the wrong number of elements for a tensor of {}", ty.count())),
    }
}

fn number_end(b: &[u8], start: usize) -> usize {
    let mut p = start;
    while b.get(p).is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, b'.' | b'-' | b'+')) {
        p += 1;
    }
    p
}

/// Appends one element's bytes.
fn element(word: &str, dtype: DType, out: &mut Vec<u8>) -> Result<(), String> {
    let wrong = |why: &str| Err(format!("'{word}' {why} {}", mlir_dtype(dtype)));
    match dtype.class() {
        DTypeClass::Bool => match word {
            "true" | "1" => out.push(1),
            "false" | "0" => out.push(0),
            _ => return wrong("is not an element of type"),
        },
        DTypeClass::Signed | DTypeClass::Unsigned => {
            let bits = dtype.bits();
            let Some(v) = integer(word) else { return wrong("is not an element of type") };
            let (low, high) = match dtype.class() {
                DTypeClass::Signed => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
                _ => (0, (1i128 << bits) - 1),
            };
            // Hex may spell the bits of a negative number.
            let high_bits = if word.starts_with("0x") { (1i128 << bits) - 1 } else { high };
            if v < low || v > high_bits {
                return wrong("does not fit");
            }
            let v = if v > high { v - (1i128 << bits) } else { v };
            out.extend_from_slice(&v.to_le_bytes()[..dtype.size()]);
        }
        DTypeClass::Float => {
            if let Some(hex) = word.strip_prefix("0x") {
                let digits = 2 * dtype.size();
                let fits = |v: &u64| hex.len() == digits && (dtype.bits() == 64 || *v >> dtype.bits() == 0);
                let Some(v) = u64::from_str_radix(hex, 16).ok().filter(fits) else {
                    return Err(format!(
                        "'{word}' should have {digits} hex digits, the bits of {}",
                        mlir_dtype(dtype)
                    ));
                };
                out.extend_from_slice(&v.to_le_bytes()[..dtype.size()]);
                return Ok(());
            }
            if !word.contains('.') && integer(word).is_some() {
                return wrong("has no decimal point; write 1.0 for an element of type");
            }
            // Rust reads more than MLIR: no point, a plus sign, words.
            let digits = word.strip_prefix('-').unwrap_or(word);
            let decimal = digits.starts_with(|c: char| c.is_ascii_digit()) && digits.contains('.');
            let Some(v) = word.parse::<f64>().ok().filter(|v| decimal && v.is_finite()) else {
                return wrong("is not an element of type");
            };
            if dtype == DType::F32 {
                out.extend_from_slice(&(v as f32).to_le_bytes());
            } else {
                out.extend_from_slice(&encode_f64(dtype, v));
            }
        }
        DTypeClass::Complex => return wrong("cannot be read as an element of type"),
    }
    Ok(())
}

fn integer(word: &str) -> Option<i128> {
    if let Some(hex) = word.strip_prefix("0x") {
        return i128::from_str_radix(hex, 16).ok().filter(|v| *v >= 0);
    }
    let digits = word.strip_prefix('-').unwrap_or(word);
    if digits.is_empty() || digits.len() > 20 || !digits.bytes().all(|c| c.is_ascii_digit()) {
        return None;
    }
    word.parse().ok()
}

/// Most elements written as a nested list; more become a hex string.
const MAX_LISTED: usize = 32;

/// What belongs between `dense<` and `>`.
pub(crate) fn format_elements(literal: &Literal) -> String {
    let (ty, mut out) = (literal.ty(), String::new());
    let dtype = ty.dtype();
    let packed = dtype.bits() < 8;
    if let Some(e) = literal.splat_bytes() {
        format_element(dtype, e, &mut out);
    } else if ty.count() > MAX_LISTED && !packed {
        out.push_str("\"0x");
        for b in literal.to_bytes() {
            // Writing to a string does not fail.
            let _ = write!(out, "{b:02X}");
        }
        out.push('"');
    } else if ty.count() > 0 {
        nested(literal, 0, 0, &mut out);
    }
    out
}

/// Element or list number `index` of dimension `dim`.
fn nested(literal: &Literal, dim: usize, index: usize, out: &mut String) {
    let Some(&n) = literal.ty().shape().get(dim) else {
        return format_element(literal.ty().dtype(), literal.element(index), out);
    };
    out.push('[');
    for i in 0..n {
        if i > 0 {
            out.push_str(", ");
        }
        nested(literal, dim + 1, index * n + i, out);
    }
    out.push(']');
}

fn format_element(dtype: DType, e: &[u8], out: &mut String) {
    match dtype.class() {
        DTypeClass::Bool => out.push_str(if e[0] != 0 { "true" } else { "false" }),
        DTypeClass::Unsigned if dtype == DType::U64 => {
            let _ = write!(out, "{}", decode_i64(dtype, e) as u64);
        }
        DTypeClass::Signed | DTypeClass::Unsigned => {
            let _ = write!(out, "{}", decode_i64(dtype, e));
        }
        DTypeClass::Float => float(dtype, e, out),
        DTypeClass::Complex => {
            let part = if dtype == DType::C64 { DType::F32 } else { DType::F64 };
            let (re, im) = e.split_at(part.size());
            out.push('(');
            float(part, re, out);
            out.push_str(", ");
            float(part, im, out);
            out.push(')');
        }
    }
}

/// The shortest decimal that reads back to the same bits, else the bits.
fn float(dtype: DType, e: &[u8], out: &mut String) {
    // The shortest decimal for f32 is shorter than the one for the same value in f64.
    let text = if dtype == DType::F32 {
        format!("{:e}", f32::from_le_bytes([e[0], e[1], e[2], e[3]]))
    } else {
        format!("{:e}", decode_f64(dtype, e))
    };
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    // MLIR wants a point in every decimal float.
    let point = if mantissa.contains('.') { "" } else { ".0" };
    let text =
        if exponent == "0" { format!("{mantissa}{point}") } else { format!("{mantissa}{point}e{exponent}") };
    let mut back = Vec::new();
    if element(&text, dtype, &mut back).is_ok() && back == e {
        out.push_str(&text);
        return;
    }
    out.push_str("0x");
    for b in e.iter().rev() {
        let _ = write!(out, "{b:02X}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_small_float_reads_back_to_its_bits() {
        for dtype in DType::ALL.into_iter().filter(|d| d.is_float() && d.size() <= 2) {
            let ty = TensorType::scalar(dtype);
            for code in 0..1u32 << dtype.bits() {
                let bytes = &code.to_le_bytes()[..dtype.size()];
                let literal = Literal::splat(ty.clone(), bytes).unwrap();
                let text = format_elements(&literal);
                let back = parse_elements(&text, &ty).ok();
                assert_eq!(back.as_ref(), Some(&literal), "{dtype} {code:#x} printed as {text}");
            }
        }
    }

    #[test]
    fn integers_keep_their_extremes() {
        for dtype in DType::ALL.into_iter().filter(|d| d.is_integer()) {
            let ty = TensorType::new(dtype, [3]);
            for v in [i64::MIN, -1, i64::MAX] {
                let literal = Literal::from_i64s(ty.clone(), &[v, 0, 1]).unwrap();
                let text = format_elements(&literal);
                assert_eq!(parse_elements(&text, &ty).ok(), Some(literal), "{dtype} {text}");
            }
        }
    }
}
