//! What a collective gives each process of a group, from the operands of all of them in the group's order.

use crate::buffer::Tensor;
use crate::error::Result;
use crate::reference::eval_op;
use pullback_ir::{Communication, Monoid, Op};

/// The result of each process, in the group's order.
pub(super) fn exchanged(op: &Communication, operands: &[&Tensor]) -> Result<Vec<Tensor>> {
    let n = operands.len();
    let same = |t: Tensor| -> Vec<Tensor> { vec![t; n] };
    match op {
        Communication::AllGather { dim, .. } => joined(operands, *dim).map(same),
        Communication::AllReduce { monoid, .. } => combined(*monoid, operands).map(same),
        Communication::ReduceScatter { monoid, dim, .. } => {
            let all = combined(*monoid, operands)?;
            (0..n).map(|k| part(&all, *dim, k, n)).collect()
        }
        Communication::AllToAll { split_dim, concat_dim, .. } => (0..n)
            .map(|k| {
                let parts =
                    operands.iter().map(|x| part(x, *split_dim, k, n)).collect::<Result<Vec<Tensor>>>()?;
                joined(&parts.iter().collect::<Vec<_>>(), *concat_dim)
            })
            .collect(),
        Communication::CollectiveBroadcast { .. } => {
            Ok(operands.first().map_or_else(Vec::new, |&x| same(x.clone())))
        }
        // These are not of groups.
        Communication::PartitionId
        | Communication::ReplicaId
        | Communication::CollectivePermute { .. }
        | Communication::Send { .. }
        | Communication::Recv { .. } => Ok(Vec::new()),
    }
}

/// The result of a process that gets nothing: zeros of its operand's type.
pub(super) fn nothing(operand: &Tensor) -> Result<Tensor> {
    Tensor::try_zeros(operand.ty().clone())
}

/// Parts one after the other.
fn joined(parts: &[&Tensor], dim: usize) -> Result<Tensor> {
    one(&Op::Concatenate { dim }, parts)
}

/// Part `k` of `n` equal ones.
fn part(x: &Tensor, dim: usize, k: usize, n: usize) -> Result<Tensor> {
    let mut limits = x.shape().to_vec();
    let mut starts = vec![0; limits.len()];
    let size = limits[dim] / n;
    (starts[dim], limits[dim]) = (k * size, (k + 1) * size);
    let strides = vec![1; starts.len()];
    one(&Op::Slice { starts, limits, strides }, &[x])
}

/// Elements combined from the first process to the last.
fn combined(monoid: Monoid, operands: &[&Tensor]) -> Result<Tensor> {
    let (first, rest) = operands.split_first().expect("a group has a process");
    rest.iter().try_fold((*first).clone(), |acc, x| one(&Op::Binary(monoid.op()), &[&acc, x]))
}

fn one(op: &Op, operands: &[&Tensor]) -> Result<Tensor> {
    Ok(eval_op(op, operands)?.remove(0))
}
