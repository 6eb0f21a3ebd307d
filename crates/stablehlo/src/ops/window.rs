//! Attributes of operations over windows, and of reduce_precision.

use super::{
    Body, Issue, Kind, MONOID_HELP, R, bad, body_of, compare_direction, conv_padding, dims, ints_opt,
    monoid_named, natural, one,
};
use crate::tree::{Attr, Node};
use pullback_ir::{Comparison, Op, TensorType, WindowDims};

/// The format as `format = e5m10` or as two numbers.
pub(super) fn precision(node: &Node<'_>) -> R<Op> {
    let bits = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    if let Some(Attr::Word(word)) = node.attr(&["format"]) {
        let parts = word.strip_prefix('e').and_then(|w| w.split_once('m'));
        let parsed = parts.and_then(|(e, m)| Some((e.parse().ok()?, m.parse().ok()?)));
        let Some((exponent_bits, mantissa_bits)) = parsed else {
            return bad(format!("{}: the format {word} should look like e5m10", node.name));
        };
        return Ok(Op::ReducePrecision { exponent_bits, mantissa_bits });
    }
    Ok(Op::ReducePrecision {
        exponent_bits: bits(one(node, &["exponent_bits"])?),
        mantissa_bits: bits(one(node, &["mantissa_bits"])?),
    })
}

pub(super) fn window_dims(node: &Node<'_>) -> R<WindowDims> {
    let sizes = dims(node, &["window_dimensions"])?;
    let n = sizes.len();
    let per_dim = |key: &str| -> R<Vec<usize>> {
        Ok(ints_opt(node, &[key])?.map(|v| natural(key, v)).transpose()?.unwrap_or_else(|| vec![1; n]))
    };
    Ok(WindowDims {
        strides: per_dim("window_strides")?,
        base_dilations: per_dim("base_dilations")?,
        window_dilations: per_dim("window_dilations")?,
        padding: conv_padding(node, n)?,
        sizes,
    })
}

const SELECT_HELP: &str = "the selection must compare its two arguments with GE or LE";

pub(super) fn select_and_scatter(node: &Node<'_>, result: &TensorType) -> R<Op> {
    let [select, scatter] = &node.regions[..] else {
        return bad(format!("{} has two regions, select and scatter", node.name));
    };
    let (args, nodes) = (&select.args[..], &select.nodes[..]);
    let direction = match (args, nodes) {
        ([a, b], [op, ret]) if op.kind == Some(Kind::Compare) && ret.kind == Some(Kind::Return) => {
            let reads: Vec<u32> = op.operands.iter().map(|u| u.slot).collect();
            let returns: Vec<u32> = ret.operands.iter().map(|u| u.slot).collect();
            let plain = reads == [a.slot, b.slot] && returns == [op.first_result];
            if plain { compare_direction(op) } else { None }
        }
        _ => None,
    };
    let least = match direction {
        Some(Comparison::Ge) => false,
        Some(Comparison::Le) => true,
        Some(Comparison::Eq | Comparison::Ne | Comparison::Gt | Comparison::Lt) | None => {
            return Err(Issue::Unsupported(
                format!("{} with a selection of its own", node.name),
                SELECT_HELP,
            ));
        }
    };
    let Body::Applies(name) = body_of(scatter) else {
        return Err(Issue::Unsupported(format!("{} with a reducer of its own", node.name), MONOID_HELP));
    };
    let monoid = monoid_named(node, name, result.dtype())?;
    Ok(Op::SelectAndScatter { window: Box::new(window_dims(node)?), least, monoid })
}
