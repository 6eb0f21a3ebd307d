//! What a program of a grid of programs does with the others: collectives, point-to-point transfers, its own place.
//!
//! A grid has rows (replicas) and columns (partitions); its process (r, c) has the flattened number
//! r * columns + c. Source: StableHLO specification, "Collective ops" and "Point-to-point communication".

use super::Monoid;
use crate::dtype::TensorType;

named_enum! {
    /// What the numbers in a list of groups stand for.
    Across {
        Replicas => "cross_replica", Partitions => "cross_partition",
        ReplicasAndPartitions => "cross_replica_and_partition", FlattenedIds => "flattened_ids",
    }
}

/// Groups of processes that work together.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Groups {
    /// Numbers in each group, in order; without any group, all processes are one.
    pub groups: Vec<Vec<usize>>,
    /// What the numbers are.
    pub across: Across,
}

/// What a program does with the others of its grid.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Communication {
    /// The column of the process, u32. No operands.
    PartitionId,
    /// The row of the process, u32. No operands.
    ReplicaId,
    /// The operands of the group's processes one after the other along `dim`.
    AllGather {
        /// Who takes part.
        groups: Groups,
        /// The dimension that grows.
        dim: usize,
        /// Number of processes in a group.
        size: usize,
    },
    /// The operands of the group's processes combined, in the order of the group.
    AllReduce {
        /// Who takes part.
        groups: Groups,
        /// How elements combine.
        monoid: Monoid,
    },
    /// Like all_reduce, of which each process of the group gets its part along `dim`.
    ReduceScatter {
        /// Who takes part.
        groups: Groups,
        /// How elements combine.
        monoid: Monoid,
        /// The dimension that is split.
        dim: usize,
        /// Number of processes in a group.
        size: usize,
    },
    /// Each operand is split along one dimension, the parts are exchanged and joined along another.
    AllToAll {
        /// Who takes part.
        groups: Groups,
        /// The dimension that is split.
        split_dim: usize,
        /// The dimension along which parts are joined.
        concat_dim: usize,
        /// Number of processes in a group.
        size: usize,
    },
    /// The operand of the process that names this one as its target; zeros where none does.
    CollectivePermute {
        /// Source and target.
        pairs: Vec<(usize, usize)>,
        /// What the numbers are.
        across: Across,
    },
    /// The operand of the first process of the group; zeros in a process of no group.
    CollectiveBroadcast {
        /// Who takes part.
        groups: Groups,
    },
    /// Values, then a token: they wait for a recv of this channel. Gives a token.
    Send {
        /// The channel's number.
        channel: i64,
    },
    /// A token: the values of the earliest send of this channel that no recv had, and a token.
    Recv {
        /// The channel's number.
        channel: i64,
        /// Types of the values.
        types: Vec<TensorType>,
    },
}

impl Communication {
    /// The op's name in texts.
    pub fn name(&self) -> &'static str {
        match self {
            Communication::PartitionId => "partition_id",
            Communication::ReplicaId => "replica_id",
            Communication::AllGather { .. } => "all_gather",
            Communication::AllReduce { .. } => "all_reduce",
            Communication::ReduceScatter { .. } => "reduce_scatter",
            Communication::AllToAll { .. } => "all_to_all",
            Communication::CollectivePermute { .. } => "collective_permute",
            Communication::CollectiveBroadcast { .. } => "collective_broadcast",
            Communication::Send { .. } => "send",
            Communication::Recv { .. } => "recv",
        }
    }
}
