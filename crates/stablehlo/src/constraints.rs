//! The numbered constraints of the StableHLO specification, as far as they are about an operation as it is written.
//!
//! What follows from operand types and attributes that the IR keeps is checked where result types are inferred
//! ([`pullback_ir::infer`]), and the error has the number from there. Here is the rest, before an operation becomes any
//! of the IR: counts of operands, regions, attributes that the IR has no use for, and which constraint a declared
//! result type breaks. A type that is not known as written is passed over; lowering finds what is wrong with it.

mod collective;
mod dynamic;
mod plain;
mod regions;
mod table;

use crate::declared::Declared;
use crate::lexer::unescape;
use crate::ops::Issue;
use crate::tree::Node;
use crate::types::mlir_type;
use pullback_ir::{TensorType, TypeError};
use table::result_numbers;

type R = Result<(), Issue>;

/// An operation's name in messages: StableHLO's are without the dialect.
fn name_of(node: &Node<'_>) -> String {
    unescape(node.name.strip_prefix("stablehlo.").unwrap_or(node.name))
}

/// `op (C5): message`, or `op: message` where no constraint has the number.
pub(crate) fn message(node: &Node<'_>, number: Option<u8>, what: &str) -> String {
    match number {
        Some(n) => format!("{} (C{n}): {what}", name_of(node)),
        None => format!("{}: {what}", name_of(node)),
    }
}

/// A broken constraint.
pub(crate) fn broken(node: &Node<'_>, number: impl Into<Option<u8>>, what: &str) -> Issue {
    Issue::Error(message(node, number.into(), what))
}

/// `Err` naming the operation and the constraint unless the condition holds.
macro_rules! hold {
    ($node:expr, $number:expr, $cond:expr, $($fmt:tt)+) => {
        if !$cond {
            return Err($crate::constraints::broken($node, $number, &format!($($fmt)+)));
        }
    };
}
use hold;

/// Checks a node; `types` gives those of its operands.
pub(crate) fn check<'t>(node: &Node<'_>, types: impl Fn() -> Result<Vec<&'t TensorType>, Issue>) -> R {
    let Some(op) = node.name.strip_prefix("stablehlo.") else { return Ok(()) };
    match op {
        "all_gather"
        | "all_reduce"
        | "all_to_all"
        | "collective_broadcast"
        | "collective_reduce"
        | "reduce_scatter" => {
            collective::groups(node, op)?;
            collective::collective(node, op, &types()?)
        }
        "batch_norm_grad" | "batch_norm_inference" | "batch_norm_training" => {
            plain::batch_norm(node, op, &types()?)
        }
        "case" | "if" => regions::branches(node, op),
        "collective_permute" | "recv" | "send" => collective::pairs(node, op),
        "compare" => plain::compare(node, &types()?),
        "composite" => plain::composite(node),
        "convolution" => plain::precision(node, 24),
        "dot_general" => plain::dot_general(node),
        "dynamic_broadcast_in_dim" | "dynamic_conv" | "dynamic_iota" | "dynamic_pad" | "dynamic_reshape" => {
            dynamic::shapes(node, op, &types()?)
        }
        "get_dimension_size" => plain::dimension(node, &types()?),
        "map" => regions::map(node, &types()?),
        "reduce" => regions::reduce(node, &types()?),
        "reduce_window" => regions::reduce_window(node, &types()?),
        "rng" => plain::rng(node, &types()?),
        "scatter" => regions::scatter(node, &types()?),
        "select_and_scatter" => regions::select_and_scatter(node, &types()?),
        "sort" => regions::sort(node, &types()?),
        "while" => regions::while_loop(node, &types()?),
        _ => Ok(()),
    }
}

/// Result `k` has the type it is declared with.
pub(crate) fn as_declared(node: &Node<'_>, k: usize, have: &TensorType, want: &Declared) -> R {
    if want.admits(have) {
        return Ok(());
    }
    let op = node.name.strip_prefix("stablehlo.");
    let [shape, element] = op.map_or([None; 2], |op| result_numbers(op, k));
    let number = match op {
        _ if have.dtype() != want.dtype() => element,
        Some("convolution" | "dynamic_conv") if have.rank() != want.rank() => Some(26),
        _ => shape,
    };
    Err(broken(node, number, &format!("gives {}, but is declared as {want}", mlir_type(have))))
}

/// The error that there are not as many results as are declared.
pub(crate) fn miscounted(node: &Node<'_>, have: usize, want: usize) -> Issue {
    let op = node.name.strip_prefix("stablehlo.");
    let number = op.and_then(|op| result_numbers(op, 0)[0]);
    broken(node, number, &format!("gives {have} result(s), but is declared with {want}"))
}

/// The issue with its operation's name and the constraint's number in it.
pub(crate) fn named(node: &Node<'_>, issue: Issue) -> Issue {
    match issue {
        Issue::Attribute(key, what) => {
            let op = node.name.strip_prefix("stablehlo.");
            broken(node, op.and_then(|op| table::attribute_number(op, &key)), &what)
        }
        Issue::Type(error) => Issue::Error(of_type_error(node, &error)),
        Issue::Error(_) | Issue::Unsupported(..) | Issue::Reported => issue,
    }
}

/// An error of the IR's op that stands for a node.
fn of_type_error(node: &Node<'_>, error: &TypeError) -> String {
    let (ir_op, number) = error.broken();
    let op = node.name.split_once('.').map_or(node.name, |(_, op)| op);
    let what = error.message();
    if ir_op.is_empty() || ir_op == op {
        return message(node, number, what);
    }
    match number.and_then(|n| table::number_in(op, ir_op, n)) {
        Some(n) => message(node, Some(n), what),
        None => message(node, None, &error.to_string()),
    }
}
