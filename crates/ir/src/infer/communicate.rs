//! Types of communication between the programs of a grid.

use super::{Result, args, constraint, ensure, has_identity, make};
use crate::dtype::{DType, TensorType};
use crate::op::{Across, Communication, Groups};

/// What stands for a token: nothing but an order.
pub(super) fn token() -> TensorType {
    TensorType::new(DType::Bool, [0])
}

pub(super) fn communicate(op: &Communication, operands: &[&TensorType]) -> Result<Vec<TensorType>> {
    let x = || args::<1>(operands).map(|[x]| x);
    Ok(match op {
        Communication::PartitionId | Communication::ReplicaId => {
            let [] = args(operands)?;
            vec![TensorType::scalar(DType::U32)]
        }
        Communication::AllGather { groups, dim, size } => {
            check_groups(groups, Some(*size), 2, None)?;
            vec![scaled(x()?, (*dim, *size, 1), None)?]
        }
        Communication::AllReduce { groups, monoid } => {
            check_groups(groups, None, 1, None)?;
            has_identity(*monoid, x()?)?;
            vec![x()?.clone()]
        }
        Communication::ReduceScatter { groups, monoid, dim, size } => {
            check_groups(groups, Some(*size), 3, None)?;
            has_identity(*monoid, x()?)?;
            vec![scaled(x()?, (*dim, 1, 2), Some(Split { dim: *dim, into: *size, numbers: [2, 1] }))?]
        }
        Communication::AllToAll { groups, split_dim, concat_dim, size } => {
            constraint!(4, *size > 0, "split_count is 0");
            check_groups(groups, Some(*size), 5, Some(8))?;
            let split = Split { dim: *split_dim, into: *size, numbers: [1, 2] };
            vec![scaled(x()?, (*concat_dim, *size, 3), Some(split))?]
        }
        Communication::CollectivePermute { pairs, across } => {
            let fits = matches!(across, Across::Replicas | Across::Partitions);
            ensure!(fits, "works across replicas or partitions, not {across}");
            distinct(pairs.iter().map(|p| p.0), "sources", 2)?;
            distinct(pairs.iter().map(|p| p.1), "targets", 3)?;
            vec![x()?.clone()]
        }
        Communication::CollectiveBroadcast { groups } => {
            check_groups(groups, None, 1, None)?;
            vec![x()?.clone()]
        }
        Communication::Send { .. } => {
            let last = operands.last().copied();
            ensure!(last == Some(&token()), "its last operand is not a token");
            vec![token()]
        }
        Communication::Recv { types, .. } => {
            ensure!(operands == [&token()], "its operand is not a token");
            types.iter().cloned().chain([token()]).collect()
        }
    })
}

/// `unique` and `count` are the numbers of the constraints that members are distinct, and how many a group has.
fn check_groups(groups: &Groups, size: Option<usize>, unique: u8, count: Option<u8>) -> Result<()> {
    distinct(groups.groups.iter().flatten().copied(), "replica_groups", unique)?;
    ensure!(size != Some(0), "groups of no processes");
    for group in &groups.groups {
        ensure!(!group.is_empty(), "an empty group");
        let fits = groups.across == Across::ReplicasAndPartitions || size.is_none_or(|n| n == group.len());
        constraint!(count, fits, "group {group:?} does not have {} processes", size.unwrap_or(0));
    }
    Ok(())
}

fn distinct(numbers: impl Iterator<Item = usize>, what: &str, number: u8) -> Result<()> {
    let mut all: Vec<usize> = numbers.collect();
    all.sort_unstable();
    let twice = all.windows(2).find(|w| w[0] == w[1]);
    constraint!(number, twice.is_none(), "{} is twice among the {what}", twice.map_or(0, |w| w[0]));
    Ok(())
}

/// A dimension divided; the numbers of the constraints that it exists, and that it splits.
struct Split {
    dim: usize,
    into: usize,
    numbers: [u8; 2],
}

/// `x` with one dimension divided, then one (which constraint `exists` asks for) multiplied.
fn scaled(x: &TensorType, (up, by, exists): (usize, usize, u8), down: Option<Split>) -> Result<TensorType> {
    let mut shape = x.shape().to_vec();
    if let Some(Split { dim, into, numbers: [exists, splits] }) = down {
        constraint!(exists, dim < x.rank(), "dimension {dim} of {x} does not exist");
        constraint!(
            splits,
            shape[dim].is_multiple_of(into),
            "dimension {dim} of {x} does not split into {into}"
        );
        shape[dim] /= into;
    }
    constraint!(exists, up < x.rank(), "dimension {up} of {x} does not exist");
    let grown = shape[up].checked_mul(by);
    ensure!(grown.is_some(), "dimension {up} of {x} grows too large");
    shape[up] = grown.unwrap_or(0);
    make(x.dtype(), shape)
}
