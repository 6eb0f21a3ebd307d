//! Attributes of matrix ops and communication.

use super::{Attrs, List, pairs};
use crate::op::{Communication, Groups, Lapack, Linalg};
use std::fmt;

pub(super) fn write_linalg(a: &mut Attrs<'_>, op: &Linalg) -> fmt::Result {
    match op {
        Linalg::Cholesky { lower } => a.put_if(*lower, "lower", true),
        Linalg::TriangularSolve { left_side, lower, unit_diagonal, transpose } => {
            a.put_if(*left_side, "left_side", true)?;
            a.put_if(*lower, "lower", true)?;
            a.put_if(*unit_diagonal, "unit_diagonal", true)?;
            a.put("transpose_a", transpose)
        }
        Linalg::Lapack(l) => write_lapack(a, *l),
    }
}

fn write_lapack(a: &mut Attrs<'_>, op: Lapack) -> fmt::Result {
    let flags: &[(&str, bool)] = match op {
        Lapack::Geqrf
        | Lapack::Geqp3
        | Lapack::Orgqr
        | Lapack::Getrf
        | Lapack::Gtsv
        | Lapack::TridiagonalSolvePerturbed => &[],
        Lapack::Ormqr { left, transpose } => &[("left", left), ("transpose", transpose)],
        Lapack::Potrf { lower } | Lapack::Sytrd { lower } => &[("lower", lower)],
        Lapack::Syevd { lower, vectors } => &[("lower", lower), ("vectors", vectors)],
        Lapack::Gesdd { vectors, full } => &[("vectors", vectors), ("full", full)],
        Lapack::Geev { left, right } => &[("left", left), ("right", right)],
        Lapack::Gees { vectors } => &[("vectors", vectors)],
        Lapack::Gehrd { low, high } => {
            a.put("low", low)?;
            return a.put("high", high);
        }
    };
    flags.iter().try_for_each(|(name, on)| a.put_if(*on, name, true))
}

pub(super) fn write_communication(a: &mut Attrs<'_>, op: &Communication) -> fmt::Result {
    match op {
        Communication::PartitionId | Communication::ReplicaId => Ok(()),
        Communication::AllGather { groups, dim, size } => {
            write_groups(a, groups)?;
            a.put("all_gather_dim", dim)?;
            a.put("group_size", size)
        }
        Communication::AllReduce { groups, monoid } => {
            write_groups(a, groups)?;
            a.put("monoid", monoid)
        }
        Communication::ReduceScatter { groups, monoid, dim, size } => {
            write_groups(a, groups)?;
            a.put("monoid", monoid)?;
            a.put("scatter_dimension", dim)?;
            a.put("group_size", size)
        }
        Communication::AllToAll { groups, split_dim, concat_dim, size } => {
            write_groups(a, groups)?;
            a.put("split_dimension", split_dim)?;
            a.put("concat_dimension", concat_dim)?;
            a.put("group_size", size)
        }
        Communication::CollectivePermute { pairs: list, across } => {
            let list: Vec<(i64, i64)> = list.iter().map(|&(s, t)| (s as i64, t as i64)).collect();
            a.put("source_target_pairs", List(&pairs(&list)))?;
            a.put("across", across)
        }
        Communication::CollectiveBroadcast { groups } => write_groups(a, groups),
        Communication::Send { channel } | Communication::Recv { channel, .. } => a.put("channel", channel),
    }
}

fn write_groups(a: &mut Attrs<'_>, groups: &Groups) -> fmt::Result {
    let rows: Vec<String> = groups.groups.iter().map(|g| List(g).to_string()).collect();
    a.put("replica_groups", List(&rows))?;
    a.put("across", groups.across)
}
