//! Types of communication between the programs of a grid.

use super::{Result, args, ensure, has_identity, make};
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
            check_groups(groups, Some(*size))?;
            vec![scaled(x()?, (*dim, *size), None)?]
        }
        Communication::AllReduce { groups, monoid } => {
            check_groups(groups, None)?;
            has_identity(*monoid, x()?)?;
            vec![x()?.clone()]
        }
        Communication::ReduceScatter { groups, monoid, dim, size } => {
            check_groups(groups, Some(*size))?;
            has_identity(*monoid, x()?)?;
            vec![scaled(x()?, (*dim, 1), Some((*dim, *size)))?]
        }
        Communication::AllToAll { groups, split_dim, concat_dim, size } => {
            check_groups(groups, Some(*size))?;
            vec![scaled(x()?, (*concat_dim, *size), Some((*split_dim, *size)))?]
        }
        Communication::CollectivePermute { pairs, across } => {
            let fits = matches!(across, Across::Replicas | Across::Partitions);
            ensure!(fits, "works across replicas or partitions, not {across}");
            distinct(pairs.iter().map(|p| p.0), "sources")?;
            distinct(pairs.iter().map(|p| p.1), "targets")?;
            vec![x()?.clone()]
        }
        Communication::CollectiveBroadcast { groups } => {
            check_groups(groups, None)?;
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

fn check_groups(groups: &Groups, size: Option<usize>) -> Result<()> {
    distinct(groups.groups.iter().flatten().copied(), "groups")?;
    ensure!(size != Some(0), "groups of no processes");
    for group in &groups.groups {
        ensure!(!group.is_empty(), "an empty group");
        let fits = groups.across == Across::ReplicasAndPartitions || size.is_none_or(|n| n == group.len());
        ensure!(fits, "group {group:?} does not have {} processes", size.unwrap_or(0));
    }
    Ok(())
}

fn distinct(numbers: impl Iterator<Item = usize>, what: &str) -> Result<()> {
    let mut all: Vec<usize> = numbers.collect();
    all.sort_unstable();
    let twice = all.windows(2).find(|w| w[0] == w[1]);
    ensure!(twice.is_none(), "{} is twice among the {what}", twice.map_or(0, |w| w[0]));
    Ok(())
}

/// `x` with one dimension divided, then one multiplied.
fn scaled(x: &TensorType, up: (usize, usize), down: Option<(usize, usize)>) -> Result<TensorType> {
    let mut shape = x.shape().to_vec();
    for d in [Some(up.0), down.map(|d| d.0)].into_iter().flatten() {
        ensure!(d < x.rank(), "dimension {d} of {x} does not exist");
    }
    if let Some((d, n)) = down {
        ensure!(shape[d].is_multiple_of(n), "dimension {d} of {x} does not split into {n}");
        shape[d] /= n;
    }
    let grown = shape[up.0].checked_mul(up.1);
    ensure!(grown.is_some(), "dimension {} of {x} grows too large", up.0);
    shape[up.0] = grown.unwrap_or(0);
    make(x.dtype(), shape)
}
