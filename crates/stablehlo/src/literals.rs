//! The elements of `dense<...>`, both ways.
//!
//! Numbers are read as MLIR reads them: a decimal float is rounded to f64, then to the element type; a hex
//! float is its bits. Elements are written where they stay: nothing is held twice, and nothing is allocated that the
//! text has not the length for.

mod format;

pub(crate) use format::{format_elements, write_elements};

use crate::types::mlir_dtype;
use pullback_ir::literal::encode_f64;
use pullback_ir::{DType, DTypeClass, Literal, TensorType};
use std::sync::Arc;

/// What is wrong with the elements, and at which byte of the text.
#[derive(Debug)]
pub(crate) struct BadElements {
    pub(crate) at: usize,
    pub(crate) message: String,
}

type R<T> = Result<T, BadElements>;

fn bad<T>(at: usize, message: impl Into<String>) -> R<T> {
    Err(BadElements { at, message: message.into() })
}

/// Memory for a tensor's bytes.
fn zeros(n: usize) -> Arc<[u8]> {
    std::iter::repeat_n(0, n).collect()
}

/// What is written into memory that nobody else has yet.
fn own(bytes: &mut Arc<[u8]>) -> &mut [u8] {
    Arc::get_mut(bytes).unwrap_or_default()
}

fn literal(ty: &TensorType, bytes: Arc<[u8]>) -> Result<Literal, String> {
    let n = bytes.len();
    let wrong = || format!("{n} bytes of data for {} elements of {} bytes", ty.count(), ty.dtype().size());
    Literal::dense(ty.clone(), bytes).ok_or_else(wrong)
}

fn splat(ty: &TensorType, element: &[u8]) -> Result<Literal, String> {
    Literal::splat(ty.clone(), element).ok_or_else(|| "an element of the wrong size".to_owned())
}

/// Parses what is between `dense<` and `>` as a literal of type `ty`.
pub(crate) fn parse_elements(text: &str, ty: &TensorType) -> R<Literal> {
    let lead = text.len() - text.trim_start().len();
    let body = text.trim();
    let at = |message| BadElements { at: lead, message };
    match body.as_bytes().first() {
        None if ty.count() == 0 => literal(ty, zeros(0)).map_err(at),
        None => bad(0, format!("no elements for a tensor of {}", ty.count())),
        Some(b'"') => blob(body, ty).map_err(at),
        Some(b'[') => list(text, lead, ty),
        // Only a resource has its opening quote elsewhere.
        Some(_) if body.ends_with('"') => hex(&body[..body.len() - 1], ty).map_err(at),
        Some(_) => {
            let mut bytes = [0; 16];
            let one = &mut bytes[..ty.dtype().size()];
            let end = number(text, lead, ty.dtype(), one)?;
            if !text[end..].trim().is_empty() {
                return bad(end, "expected '>' after one element");
            }
            splat(ty, one).map_err(at)
        }
    }
}

/// The value of each hex digit; 255 for other bytes.
const NIBBLE: [u8; 256] = {
    let mut t = [255; 256];
    let mut i = 0;
    while i < 16 {
        t[b"0123456789abcdef"[i] as usize] = i as u8;
        t[b"0123456789ABCDEF"[i] as usize] = i as u8;
        i += 1;
    }
    t
};

/// The bytes that hex digits spell.
fn unhex(hex: &[u8]) -> Result<Arc<[u8]>, String> {
    if !hex.len().is_multiple_of(2) {
        return Err("an odd number of hex digits".to_owned());
    }
    let mut bytes = zeros(hex.len() / 2);
    let mut all = 0;
    for (out, pair) in own(&mut bytes).iter_mut().zip(hex.chunks_exact(2)) {
        let (hi, lo) = (NIBBLE[usize::from(pair[0])], NIBBLE[usize::from(pair[1])]);
        all |= hi | lo;
        *out = hi << 4 | lo & 15;
    }
    if all > 15 {
        return Err("a digit that is not hexadecimal".to_owned());
    }
    Ok(bytes)
}

/// `"0x..."`
fn blob(body: &str, ty: &TensorType) -> Result<Literal, String> {
    let digits = body.strip_prefix("\"0x").and_then(|t| t.strip_suffix('"'));
    let Some(digits) = digits else { return Err("expected a string \"0x...\" of hex digits".to_owned()) };
    hex(digits, ty)
}

/// Little-endian bytes of all elements, or of one that repeats.
fn hex(digits: &str, ty: &TensorType) -> Result<Literal, String> {
    let bytes = unhex(digits.as_bytes())?;
    if ty.dtype() == DType::Bool {
        return bits(&bytes, ty);
    }
    numbers(bytes, ty)
}

/// Elements as MLIR's bytecode has them: little-endian bytes of all of them, or of one that repeats; booleans
/// one bit each, lowest first, or a byte of ones that repeats.
pub(crate) fn elements_of_bytes(bytes: &[u8], ty: &TensorType) -> Result<Literal, String> {
    match bytes {
        _ if ty.dtype() != DType::Bool => numbers(bytes.into(), ty),
        [0xff] => splat(ty, &[1]),
        [0] => splat(ty, &[0]),
        _ => booleans(bytes, ty),
    }
}

/// Elements that are not booleans, or one that repeats.
fn numbers(mut bytes: Arc<[u8]>, ty: &TensorType) -> Result<Literal, String> {
    let d = ty.dtype();
    if d.bits() < 8 {
        // Only the low bits count; the IR keeps signed integers sign-extended.
        let unused = 8 - d.bits();
        for b in own(&mut bytes) {
            let high = *b << unused;
            *b = if d.class() == DTypeClass::Signed { (high as i8 >> unused) as u8 } else { high >> unused };
        }
    }
    if bytes.len() == d.size() && ty.count() != 1 { splat(ty, &bytes) } else { literal(ty, bytes) }
}

/// Booleans of a hex string: one byte that is 0, 1 or 0xff repeats.
fn bits(bytes: &[u8], ty: &TensorType) -> Result<Literal, String> {
    match bytes {
        [b @ (0 | 1 | 0xff)] => splat(ty, &[b & 1]),
        _ => booleans(bytes, ty),
    }
}

/// One byte each, or one bit each (lowest first).
fn booleans(bytes: &[u8], ty: &TensorType) -> Result<Literal, String> {
    let count = ty.count();
    if bytes.len() == count {
        return literal(ty, bytes.iter().map(|b| u8::from(*b != 0)).collect());
    }
    if bytes.len() == count.div_ceil(8) {
        return literal(ty, (0..count).map(|i| bytes[i / 8] >> (i % 8) & 1).collect());
    }
    Err(format!("{} bytes of data for {count} booleans", bytes.len()))
}

/// `[[1, 2], [3, 4]]` nested as deep as the rank.
fn list(text: &str, start: usize, ty: &TensorType) -> R<Literal> {
    let b = text.as_bytes();
    let (shape, rank, size) = (ty.shape(), ty.rank(), ty.dtype().size());
    // Each element takes a byte of text. Where there are too few, reading says which list is short.
    let mut bytes = zeros(if ty.count() <= text.len() { ty.bytes() } else { 0 });
    let mut out = own(&mut bytes).chunks_exact_mut(size);
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
                // An element too many has no place, but is counted.
                p = number(text, p, ty.dtype(), out.next().unwrap_or(&mut [0; 16][..size]))?;
                if let Some(n) = counts.last_mut() {
                    *n += 1;
                }
                fresh = false;
            }
            Some(_) => return bad(p, "expected ',' or ']' in a list of elements"),
        }
    }
    if !text[p..].trim().is_empty() {
        return bad(p, "expected '>' after the elements");
    }
    literal(ty, bytes).map_err(|message| BadElements { at: start, message })
}

/// Writes the element at byte `p`; gives where it ends.
fn number(text: &str, p: usize, dtype: DType, out: &mut [u8]) -> R<usize> {
    let part = match dtype {
        DType::C64 => DType::F32,
        DType::C128 => DType::F64,
        _ => {
            let end = number_end(text.as_bytes(), p);
            return match element(&text[p..end], dtype, out) {
                Ok(()) => Ok(end),
                Err(message) => bad(p, message),
            };
        }
    };
    let blanks = |p: usize| text.len() - text[p..].trim_start().len();
    let eat = |p: usize, c: char| -> R<usize> {
        match text[p..].starts_with(c) {
            true => Ok(blanks(p + 1)),
            false => bad(p, format!("expected '{c}': an element of type {} is (re, im)", mlir_dtype(dtype))),
        }
    };
    let (re, im) = out.split_at_mut(part.size());
    let p = eat(p, '(')?;
    let p = eat(blanks(number(text, p, part, re)?), ',')?;
    let p = blanks(number(text, p, part, im)?);
    eat(p, ')')?;
    Ok(p + 1)
}

fn number_end(b: &[u8], start: usize) -> usize {
    let mut p = start;
    while b.get(p).is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, b'.' | b'-' | b'+')) {
        p += 1;
    }
    p
}

/// Writes one element's bytes; `out` is as long as the element. Complex elements are two words.
fn element(word: &str, dtype: DType, out: &mut [u8]) -> Result<(), String> {
    match dtype.class() {
        DTypeClass::Bool => match word {
            "true" | "1" => out[0] = 1,
            "false" | "0" => out[0] = 0,
            _ => return wrong(word, "is not an element of type", dtype),
        },
        DTypeClass::Signed | DTypeClass::Unsigned => return whole(word, dtype, out),
        DTypeClass::Float => return real(word, dtype, out),
        DTypeClass::Complex => return wrong(word, "cannot be read as an element of type", dtype),
    }
    Ok(())
}

#[cold]
fn wrong(word: &str, why: &str, dtype: DType) -> Result<(), String> {
    let short: String = word.chars().take(40).collect();
    let dots = if short.len() < word.len() { "..." } else { "" };
    Err(format!("'{short}{dots}' {why} {}", mlir_dtype(dtype)))
}

fn whole(word: &str, dtype: DType, out: &mut [u8]) -> Result<(), String> {
    let bits = dtype.bits();
    let Some(v) = integer(word) else { return wrong(word, "is not an element of type", dtype) };
    let (low, high) = match dtype.class() {
        DTypeClass::Signed => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        _ => (0, (1i128 << bits) - 1),
    };
    // Hex may spell the bits of a negative number.
    let high_bits = if word.starts_with("0x") { (1i128 << bits) - 1 } else { high };
    if v < low || v > high_bits {
        return wrong(word, "does not fit", dtype);
    }
    let v = if v > high { v - (1i128 << bits) } else { v };
    let n = out.len();
    out.copy_from_slice(&v.to_le_bytes()[..n]);
    Ok(())
}

fn real(word: &str, dtype: DType, out: &mut [u8]) -> Result<(), String> {
    let n = out.len();
    if let Some(hex) = word.strip_prefix("0x") {
        let fits = |v: &u64| dtype.bits() == 64 || *v >> dtype.bits() == 0;
        let written = hex.len() == 2 * n && !hex.starts_with('+');
        let Some(v) = u64::from_str_radix(hex, 16).ok().filter(|v| written && fits(v)) else {
            return wrong(word, &format!("should have {} hex digits, the bits of", 2 * n), dtype);
        };
        out.copy_from_slice(&v.to_le_bytes()[..n]);
        return Ok(());
    }
    if !word.contains('.') && integer(word).is_some() {
        return wrong(word, "has no decimal point; write 1.0 for an element of type", dtype);
    }
    // Rust reads more than MLIR: no point, a plus sign, words.
    let digits = word.strip_prefix('-').unwrap_or(word);
    let decimal = digits.starts_with(|c: char| c.is_ascii_digit()) && digits.contains('.');
    let Some(v) = word.parse::<f64>().ok().filter(|v| decimal && v.is_finite()) else {
        return wrong(word, "is not an element of type", dtype);
    };
    if dtype == DType::F32 {
        out.copy_from_slice(&(v as f32).to_le_bytes());
    } else {
        out.copy_from_slice(&encode_f64(dtype, v));
    }
    Ok(())
}

/// A whole number of at most 20 digits, or what hex digits spell.
fn integer(word: &str) -> Option<i128> {
    if let Some(hex) = word.strip_prefix("0x") {
        return i128::from_str_radix(hex, 16).ok().filter(|v| *v >= 0 && !hex.starts_with('+'));
    }
    let (negative, digits) = match word.strip_prefix('-') {
        Some(digits) => (true, digits.as_bytes()),
        None => (false, word.as_bytes()),
    };
    let decimal = |digits: &[u8]| {
        digits.iter().try_fold(0u64, |v, c| c.is_ascii_digit().then(|| 10 * v + u64::from(c - b'0')))
    };
    let v = match digits.len() {
        1..=19 => i128::from(decimal(digits)?),
        20 => 10 * i128::from(decimal(&digits[..19])?) + i128::from(decimal(&digits[19..])?),
        _ => return None,
    };
    Some(if negative { -v } else { v })
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
