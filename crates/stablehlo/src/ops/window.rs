//! Attributes of operations over windows, and of reduce_precision.

use super::convolution::conv_padding;
use super::{Kind, R, bad, compare_direction, dims, ints_opt, natural, one};
use crate::tree::{Attr, Node};
use pullback_ir::{Comparison, Op, WindowDims};

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

/// The window of a node.
pub(crate) fn window_dims(node: &Node<'_>) -> R<WindowDims> {
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

/// The comparison that a node's first region is, where it compares its two arguments.
pub(crate) fn select_direction(node: &Node<'_>) -> Option<Comparison> {
    let select = node.regions.first()?;
    let (args, nodes) = (&select.args[..], &select.nodes[..]);
    let ([a, b], [op, ret]) = (args, nodes) else { return None };
    if op.kind != Some(Kind::Compare) || ret.kind != Some(Kind::Return) {
        return None;
    }
    let reads: Vec<u32> = op.operands.iter().map(|u| u.slot).collect();
    let returns: Vec<u32> = ret.operands.iter().map(|u| u.slot).collect();
    let plain = reads == [a.slot, b.slot] && returns == [op.first_result];
    compare_direction(op).filter(|_| plain)
}
