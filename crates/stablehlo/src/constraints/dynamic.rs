//! Operations whose shapes are operands: how long those operands are.

use super::{R, hold, plain};
use crate::ops::ints_opt;
use crate::tree::Node;
use crate::types::mlir_type;
use pullback_ir::TensorType;

pub(super) fn shapes(node: &Node<'_>, op: &str, operands: &[&TensorType]) -> R {
    let rank = operands.first().map_or(0, |x| x.rank());
    match op {
        "dynamic_broadcast_in_dim" => {
            for_each_dimension(node, 7, "output_dimensions", operands.get(1))?;
            expanding(node, rank)
        }
        "dynamic_conv" => {
            if let Some(padding) = operands.get(2) {
                let (have, n) = (mlir_type(padding), rank.saturating_sub(2));
                hold!(node, 4, padding.shape() == [n, 2], "the padding is {have}, not {n} pairs");
            }
            plain::precision(node, 24)
        }
        "dynamic_iota" => for_each_dimension(node, 2, "output_shape", operands.first()),
        "dynamic_reshape" => for_each_dimension(node, 4, "output_shape", operands.get(1)),
        _ => {
            let names = ["edge_padding_low", "edge_padding_high", "interior_padding"];
            for (name, list) in names.into_iter().zip(operands.iter().skip(2)) {
                let have = mlir_type(list);
                hold!(node, 2, list.shape() == [rank], "{name} is {have}, not of {rank} numbers");
            }
            Ok(())
        }
    }
}

/// A list of a number for each dimension of the result.
fn for_each_dimension(node: &Node<'_>, number: u8, name: &str, list: Option<&&TensorType>) -> R {
    let declared = node.result_types().first().and_then(|t| t.declared());
    if let (Some(list), Some(result)) = (list, declared) {
        let (have, rank) = (mlir_type(list), result.rank());
        hold!(
            node,
            number,
            list.shape() == [rank],
            "{name} is {have}, which does not give a size to each of {rank} dimensions"
        );
    }
    Ok(())
}

/// What is said of the operand's dimensions: they expand, or they do not.
fn expanding(node: &Node<'_>, rank: usize) -> R {
    let mut all = Vec::new();
    for (number, name) in [(9, "known_expanding_dimensions"), (10, "known_nonexpanding_dimensions")] {
        for d in ints_opt(node, &[name])?.unwrap_or_default() {
            let there = usize::try_from(d).is_ok_and(|d| d < rank);
            hold!(node, number, there, "{name}: there is no dimension {d} of {rank}");
            hold!(
                node,
                8,
                !all.contains(&d),
                "dimension {d} is listed twice among those known to expand or not to"
            );
            all.push(d);
        }
    }
    Ok(())
}
