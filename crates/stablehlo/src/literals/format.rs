//! Elements as text. Every printed number reads back to the same bits.

use super::element;
use pullback_ir::literal::{decode_f64, decode_i64};
use pullback_ir::{DType, DTypeClass, Literal};
use std::fmt::Write as _;

/// Most elements written as a nested list; more become a hex string.
const MAX_LISTED: usize = 32;

/// What belongs between `dense<` and `>`.
pub(crate) fn format_elements(literal: &Literal) -> String {
    let mut out = String::new();
    write_elements(literal, &mut out);
    out
}

/// Appends what belongs between `dense<` and `>`.
pub(crate) fn write_elements(literal: &Literal, out: &mut String) {
    let ty = literal.ty();
    let dtype = ty.dtype();
    let packed = dtype.bits() < 8;
    if let Some(e) = literal.splat_bytes() {
        format_element(dtype, e, out);
    } else if ty.count() > MAX_LISTED && !packed {
        out.reserve(2 * ty.bytes() + 4);
        out.push_str("\"0x");
        let bytes = literal.dense_bytes().unwrap_or_default();
        out.extend(bytes.iter().flat_map(|b| [HEX[usize::from(b >> 4)], HEX[usize::from(b & 15)]]));
        out.push('"');
    } else if ty.count() > 0 {
        nested(literal, 0, 0, out);
    }
}

const HEX: [char; 16] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F'];

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
    let mut back = [0; 8];
    let back = &mut back[..e.len()];
    if element(&text, dtype, back).is_ok() && back == e {
        out.push_str(&text);
        return;
    }
    out.push_str("0x");
    for b in e.iter().rev() {
        let _ = write!(out, "{b:02X}");
    }
}
