//! Collective and point-to-point operations. How many replicas and partitions there are is known only where programs
//! are run together, so what depends on it is checked there.

use super::plain::number_in_text;
use super::regions::combines;
use super::{R, hold};
use crate::ops::{Issue, ints_of, ints_opt};
use crate::tree::{Attr, Node, Ty};
use crate::types::mlir_type;
use pullback_ir::{DType, TensorType};
use std::collections::BTreeSet;

/// The rows of a two-dimensional attribute.
fn rows(node: &Node<'_>, key: &str) -> Option<Vec<Vec<i64>>> {
    let attr = node.attr(&[key])?;
    let width = match attr {
        Attr::List(rows) => return rows.iter().map(ints_of).collect(),
        Attr::Dense { ty: Some(Ty::Tensor(ty)), .. } | Attr::Data { ty: Ty::Tensor(ty), .. } => {
            ty.shape().last().copied().filter(|_| ty.rank() == 2)?
        }
        _ => return None,
    };
    let flat = ints_of(attr)?;
    Some(if width == 0 { Vec::new() } else { flat.chunks(width).map(<[i64]>::to_vec).collect() })
}

/// The number of a channel, wherever it is written.
fn channel(node: &Node<'_>, key: &str) -> Option<i64> {
    match node.attr(&["channel_handle", "channel_id"])? {
        Attr::Raw(text) => number_in_text(text, key),
        Attr::Dict(dict) => match dict.iter().find(|(k, _)| *k == key)?.1 {
            Attr::Int(n) => Some(n),
            _ => None,
        },
        Attr::Int(n) if key == "handle" => Some(*n),
        _ => None,
    }
}

fn is_set(node: &Node<'_>, key: &str) -> bool {
    matches!(node.attr(&[key]), Some(Attr::Raw("unit") | Attr::Bool(true)))
}

/// Processes are listed once each, and groups list all that there are.
pub(super) fn groups(node: &Node<'_>, op: &str) -> R {
    let Some(groups) = rows(node, "replica_groups") else { return Ok(()) };
    let (unique, range) = match op {
        "all_gather" => (2, 4),
        "all_reduce" => (1, 3),
        "all_to_all" => (5, 7),
        "reduce_scatter" => (3, 5),
        // collective_broadcast and collective_reduce.
        _ => (1, 2),
    };
    let all_take_part = !op.starts_with("collective_");
    // Groups may differ in size, the smaller ones filled up with -1, where what each gets does not depend on it.
    let mut all: Vec<i64> = groups.concat();
    all.retain(|&id| id != -1 || all_take_part && op != "all_reduce");
    let mut seen = BTreeSet::new();
    for id in &all {
        hold!(node, unique, seen.insert(id), "{id} is twice in replica_groups");
    }
    let n = all.len() as i64;
    for id in &all {
        let fits = *id >= 0 && (*id < n || !all_take_part);
        hold!(node, range, fits, "{id} in replica_groups is not a number of one of {n} processes");
    }
    let global = is_set(node, "use_global_device_ids");
    let number = match op {
        "all_gather" => 5,
        "all_reduce" => 4,
        "reduce_scatter" => 6,
        _ => return Ok(()),
    };
    let id = channel(node, "handle").unwrap_or(0);
    hold!(
        node,
        number,
        !global || id > 0,
        "use_global_device_ids with the channel_id {id}, which is not positive"
    );
    Ok(())
}

/// A dimension that an attribute names, in all operands.
fn dimension(
    node: &Node<'_>,
    number: u8,
    key: &str,
    operands: &[&TensorType],
) -> Result<Option<usize>, Issue> {
    let Some(d) = ints_opt(node, &[key])?.and_then(|v| v.first().copied()) else { return Ok(None) };
    let index = usize::try_from(d).ok();
    for x in operands {
        let there = index.is_some_and(|d| d < x.rank());
        hold!(node, number, there, "{key}: dimension {d} of {} does not exist", mlir_type(x));
    }
    Ok(index)
}

/// What is not about groups.
pub(super) fn collective(node: &Node<'_>, op: &str, operands: &[&TensorType]) -> R {
    match op {
        "all_gather" => dimension(node, 1, "all_gather_dim", operands).map(|_| ()),
        "all_reduce" => operands.iter().try_for_each(|x| combines(node, 5, (0, "computation"), &[x.dtype()])),
        "reduce_scatter" => {
            dimension(node, 2, "scatter_dimension", operands)?;
            operands.iter().try_for_each(|x| combines(node, 7, (0, "computation"), &[x.dtype()]))
        }
        "all_to_all" => all_to_all(node, operands),
        "collective_broadcast" => {
            rooted(node, [3, 4], operands)?;
            let (n, results) = (operands.len(), node.n_results as usize);
            let given = n - usize::from(is_set(node, "has_dynamic_root"));
            hold!(node, 5, results == given, "{given} operand(s) are sent and {results} received");
            Ok(())
        }
        "collective_reduce" => {
            let reduced = rooted(node, [3, 3], operands)?;
            reduced.iter().try_for_each(|x| combines(node, 4, (0, "computation"), &[x.dtype()]))
        }
        _ => Ok(()),
    }
}

/// What is sent: the operands, without the last one where that says which process is the root of each. `numbers` are
/// those of the constraints without and with a root.
fn rooted<'t, 'o>(
    node: &Node<'_>,
    numbers: [u8; 2],
    operands: &'o [&'t TensorType],
) -> Result<&'o [&'t TensorType], Issue> {
    if !is_set(node, "has_dynamic_root") {
        hold!(node, numbers[0], !operands.is_empty(), "there is no operand");
        return Ok(operands);
    }
    let n = operands.len().saturating_sub(1);
    hold!(node, numbers[1], n > 0, "there are no operands beside the roots");
    let (roots, want) = (operands[n], TensorType::new(DType::I32, [n]));
    let (have, should) = (mlir_type(roots), mlir_type(&want));
    hold!(node, numbers[1], *roots == want, "the roots are {have}, not {should}");
    Ok(&operands[..n])
}

fn all_to_all(node: &Node<'_>, operands: &[&TensorType]) -> R {
    let split = dimension(node, 1, "split_dimension", operands)?;
    dimension(node, 3, "concat_dimension", operands)?;
    let Some(count) = ints_opt(node, &["split_count"])?.and_then(|v| v.first().copied()) else {
        return Ok(());
    };
    hold!(node, 4, count > 0, "split_count is {count}, not positive");
    for x in operands {
        let size = split.map_or(0, |d| x.shape()[d]) as i64;
        hold!(node, 2, size % count == 0, "{size} elements of {} do not split into {count}", mlir_type(x));
    }
    for group in rows(node, "replica_groups").unwrap_or_default() {
        let n = group.len() as i64;
        hold!(node, 8, n == count, "group {group:?} has {n} processes, split_count is {count}");
    }
    Ok(())
}

/// Pairs of source and target: each process is at most once each.
pub(super) fn pairs(node: &Node<'_>, op: &str) -> R {
    let Some(pairs) = rows(node, "source_target_pairs") else { return Ok(()) };
    let (mut sources, mut targets) = (BTreeSet::new(), BTreeSet::new());
    for pair in &pairs {
        hold!(node, 1, pair.len() == 2, "{pair:?} in source_target_pairs is not a pair");
        for ((number, what, seen), &id) in
            [(2, "source", &mut sources), (3, "target", &mut targets)].into_iter().zip(pair)
        {
            hold!(node, 4, id >= 0, "{id} in source_target_pairs is not a process");
            hold!(node, number, seen.insert(id), "{id} is a {what} twice in source_target_pairs");
        }
    }
    if op != "collective_permute"
        && let Some(kind) = channel(node, "type")
    {
        let host = matches!(node.attr(&["is_host_transfer"]), Some(Attr::Bool(true)));
        // 1 is between devices, 2 to the host, 3 from the host.
        let fits = if host { kind == if op == "send" { 2 } else { 3 } } else { kind <= 1 };
        hold!(node, 5, fits, "is_host_transfer is {host}, but the channel's type is {kind}");
    }
    Ok(())
}
