//! Which processes work together. Source: StableHLO specification, "Collective ops".

use crate::error::{EvalError, Result};
use pullback_ir::{Across, Communication, Groups};

/// The size of a grid of processes. Process (row, column) has the number row * columns + column.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    pub(super) rows: usize,
    pub(super) columns: usize,
}

/// Whom a process gives to and takes from in a permutation.
pub(super) struct Partners {
    pub(super) from: Option<usize>,
    pub(super) to: Option<usize>,
}

impl Grid {
    /// How many processes there are.
    pub(super) fn len(self) -> Option<usize> {
        self.rows.checked_mul(self.columns)
    }

    /// A process in messages: `(replica, partition)`.
    pub(super) fn name(self, p: usize) -> String {
        format!("({}, {})", p / self.columns, p % self.columns)
    }

    /// An error of one process.
    pub(super) fn at(self, p: usize, error: EvalError) -> EvalError {
        let (replica, partition) = (p / self.columns, p % self.columns);
        EvalError::Process { replica, partition, error: Box::new(error) }
    }

    /// Numbers from 0 that a list of groups may hold.
    fn numbers(self, across: Across) -> usize {
        match across {
            Across::Replicas | Across::ReplicasAndPartitions => self.rows,
            Across::Partitions => self.columns,
            Across::FlattenedIds => self.rows * self.columns,
        }
    }

    /// The number of a process in a list of groups.
    fn number(self, across: Across, p: usize) -> usize {
        match across {
            Across::Replicas | Across::ReplicasAndPartitions => p / self.columns,
            Across::Partitions => p % self.columns,
            Across::FlattenedIds => p,
        }
    }

    /// The process of a number, seen from `p`.
    fn process(self, across: Across, number: usize, p: usize) -> usize {
        match across {
            Across::Replicas | Across::ReplicasAndPartitions => number * self.columns + p % self.columns,
            Across::Partitions => p / self.columns * self.columns + number,
            Across::FlattenedIds => number,
        }
    }

    /// The group of process `p` in a collective, in order; `None` where it is in none and may be.
    pub(super) fn group(self, op: &Communication, p: usize) -> Result<Option<Vec<usize>>> {
        let (groups, size) = match op {
            Communication::AllGather { groups, size, .. }
            | Communication::ReduceScatter { groups, size, .. }
            | Communication::AllToAll { groups, size, .. } => (groups, Some(*size)),
            Communication::AllReduce { groups, .. } | Communication::CollectiveBroadcast { groups } => {
                (groups, None)
            }
            Communication::PartitionId
            | Communication::ReplicaId
            | Communication::CollectivePermute { .. }
            | Communication::Send { .. }
            | Communication::Recv { .. } => return Ok(None),
        };
        let error = |why: String| Err(EvalError::Grid(format!("{} in {}: {why}", self.name(p), op.name())));
        if let Some(why) = self.outside(groups.across, groups.groups.iter().flatten()) {
            return error(why);
        }
        let Some(members) = self.members(groups, p) else {
            let may_be_outside = matches!(op, Communication::CollectiveBroadcast { .. });
            return if may_be_outside { Ok(None) } else { error("it is in no group".to_owned()) };
        };
        match size {
            Some(size) if size != members.len() => error(format!(
                "its type is for groups of {size} processes, but its group has {}",
                members.len()
            )),
            _ => Ok(Some(members)),
        }
    }

    /// What is wrong with numbers that no process has.
    fn outside<'n>(self, across: Across, mut numbers: impl Iterator<Item = &'n usize>) -> Option<String> {
        let n = self.numbers(across);
        let bad = numbers.find(|&&number| number >= n)?;
        let (rows, columns) = (self.rows, self.columns);
        Some(format!(
            "its groups name {bad}, but the grid of {rows} replicas and {columns} partitions has numbers below {n} ({across})"
        ))
    }

    fn members(self, groups: &Groups, p: usize) -> Option<Vec<usize>> {
        let across = groups.across;
        let own = self.number(across, p);
        let all: Vec<usize> = (0..self.numbers(across)).collect();
        let group = match &groups.groups[..] {
            [] => &all,
            groups => groups.iter().find(|g| g.contains(&own))?,
        };
        Some(match across {
            // All partitions of all replicas of the group.
            Across::ReplicasAndPartitions => (0..self.columns)
                .flat_map(|column| group.iter().map(move |row| row * self.columns + column))
                .collect(),
            Across::Replicas | Across::Partitions | Across::FlattenedIds => {
                group.iter().map(|&number| self.process(across, number, p)).collect()
            }
        })
    }
}

/// Source and target of process `p` in a permutation.
pub(super) fn partners(grid: &Grid, op: &Communication, p: usize) -> Result<Partners> {
    let Communication::CollectivePermute { pairs, across } = op else {
        return Ok(Partners { from: None, to: None });
    };
    if let Some(why) = grid.outside(*across, pairs.iter().flat_map(|(from, to)| [from, to])) {
        return Err(EvalError::Grid(format!("{} in {}: {why}", grid.name(p), op.name())));
    }
    let own = grid.number(*across, p);
    let process = |number: usize| grid.process(*across, number, p);
    Ok(Partners {
        from: pairs.iter().find(|(_, to)| *to == own).map(|(from, _)| process(*from)),
        to: pairs.iter().find(|(from, _)| *from == own).map(|(_, to)| process(*to)),
    })
}
