//! Operations without regions that work alone.

use super::{R, hold};
use crate::ops::{ints_opt, word};
use crate::tree::{Attr, Node};
use crate::types::{mlir_dtype, mlir_type};
use pullback_ir::{DTypeClass, TensorType};

/// The way of comparing fits the element type.
pub(super) fn compare(node: &Node<'_>, operands: &[&TensorType]) -> R {
    let (Some(kind), Some(x)) = (word(node, "compare_type"), operands.first()) else { return Ok(()) };
    let fits = match x.dtype().class() {
        DTypeClass::Signed => kind == "SIGNED",
        DTypeClass::Unsigned | DTypeClass::Bool => kind == "UNSIGNED",
        DTypeClass::Float => kind == "FLOAT" || kind == "TOTALORDER",
        DTypeClass::Complex => kind == "FLOAT",
    };
    hold!(node, 3, fits || kind == "NOTYPE", "{kind} is no comparison of {}", mlir_dtype(x.dtype()));
    Ok(())
}

/// The words of a precision configuration.
fn precisions<'a>(node: &Node<'a>) -> Option<Vec<&'a str>> {
    let Attr::List(items) = node.attr(&["precision", "precision_config"])? else { return None };
    items.iter().map(|a| if let Attr::Word(w) = a { Some(*w) } else { None }).collect()
}

/// A precision for each operand, where there are any.
pub(super) fn precision(node: &Node<'_>, number: u8) -> R {
    let n = precisions(node).map_or(0, |p| p.len());
    hold!(node, number, n == 0 || n == 2, "{n} precisions for 2 operands");
    Ok(())
}

/// A number in an attribute's text: `key = 1`.
pub(super) fn number_in_text(text: &str, key: &str) -> Option<i64> {
    let (_, rest) = text.split_once(key)?;
    let rest = rest.trim_start().strip_prefix('=')?.trim_start();
    let end = rest.find(|c: char| c != '-' && !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}

pub(super) fn dot_general(node: &Node<'_>) -> R {
    precision(node, 11)?;
    let Some(Attr::Raw(algorithm)) = node.attr(&["algorithm"]) else { return Ok(()) };
    if let Some(other) = precisions(node).and_then(|p| p.into_iter().find(|&p| p != "DEFAULT")) {
        hold!(node, 21, false, "precision {other} beside an algorithm, which allows only DEFAULT");
    }
    for (number, key) in
        [(22, "lhs_component_count"), (23, "rhs_component_count"), (24, "num_primitive_operations")]
    {
        let n = number_in_text(algorithm, key).unwrap_or(1);
        hold!(node, number, n > 0, "{key} of the algorithm is {n}, not positive");
    }
    Ok(())
}

/// A composite's name has a namespace.
pub(super) fn composite(node: &Node<'_>) -> R {
    let Some(Attr::Str(name)) = node.attr(&["name"]) else { return Ok(()) };
    let ok = |part: &str, dollar: bool| {
        !part.is_empty()
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || (dollar && c == '$'))
    };
    let mut parts = name.split('.');
    let first = parts.next().unwrap_or_default();
    let rest: Vec<&str> = parts.collect();
    let fits = first.starts_with(|c: char| c.is_ascii_alphabetic())
        && ok(first, false)
        && !rest.is_empty()
        && rest.iter().all(|p| ok(p, true));
    hold!(node, 1, fits, "\"{name}\" is not a name with a namespace, such as my_namespace.my_op");
    Ok(())
}

/// The dimension asked for is there.
pub(super) fn dimension(node: &Node<'_>, operands: &[&TensorType]) -> R {
    if let (Some(Attr::Int(d)), Some(x)) = (node.attr(&["dim", "dimension"]), operands.first()) {
        let there = usize::try_from(*d).is_ok_and(|d| d < x.rank());
        hold!(node, 1, there, "dimension {d} of {} does not exist", mlir_type(x));
    }
    Ok(())
}

pub(super) fn rng(node: &Node<'_>, operands: &[&TensorType]) -> R {
    let [a, b, shape] = operands else { return Ok(()) };
    let (have, want) = (mlir_type(a), mlir_type(b));
    hold!(node, 1, a.dtype() == b.dtype(), "element types of {have} and {want} differ");
    let normal =
        word(node, "rng_distribution") == Some("NORMAL") || word(node, "distribution") == Some("NORMAL");
    hold!(node, 2, !normal || a.dtype().is_float(), "a NORMAL distribution of {have}, which are not floats");
    if let Some(result) = node.result_types().first().and_then(|t| t.declared()) {
        hold!(
            node,
            1,
            result.dtype() == a.dtype(),
            "element types of {have} and of the result {result} differ"
        );
        let (sizes, rank) = (mlir_type(shape), result.rank());
        hold!(
            node,
            3,
            shape.shape() == [rank],
            "the shape is {sizes} where the result has {rank} dimensions"
        );
    }
    Ok(())
}

/// Batch normalization: a list of numbers for each of the operand's features.
pub(super) fn batch_norm(node: &Node<'_>, op: &str, operands: &[&TensorType]) -> R {
    let Some((x, rest)) = operands.split_first() else { return Ok(()) };
    let Some(index) = ints_opt(node, &["feature_index"])?.and_then(|v| v.first().copied()) else {
        return Ok(());
    };
    let feature = usize::try_from(index).ok().and_then(|d| x.shape().get(d).copied());
    let Some(n) = feature else {
        hold!(node, 1, false, "feature_index {index} is not a dimension of {}", mlir_type(x));
        return Ok(());
    };
    let names: &[&str] = match op {
        "batch_norm_inference" => &["scale", "offset", "mean", "variance"],
        "batch_norm_training" => &["scale", "offset"],
        _ => &["scale", "mean", "variance", "grad_output"],
    };
    for (i, (ty, name)) in rest.iter().zip(names).enumerate() {
        let (have, of) = (mlir_type(ty), mlir_type(x));
        hold!(
            node,
            2,
            ty.dtype() == x.dtype(),
            "element types of {name} {have} and of the operand {of} differ"
        );
        if *name == "grad_output" {
            hold!(node, 3, ty.shape() == x.shape(), "shapes of {name} {have} and of the operand {of} differ");
            continue;
        }
        if op == "batch_norm_grad" && i > 0 {
            let scale = mlir_type(rest[0]);
            hold!(
                node,
                4,
                ty.shape() == rest[0].shape(),
                "shapes of {name} {have} and of scale {scale} differ"
            );
            continue;
        }
        let number = if op == "batch_norm_grad" { 5 } else { 3 + i as u8 };
        hold!(
            node,
            number,
            ty.shape() == [n],
            "{name} {have} has no element for each of the {n} features of {of}"
        );
    }
    Ok(())
}
