//! Attributes of transforms, matrix ops, random bits and communication.

use super::{Attr, Result, Taker, as_list, monoid, pairs_of};
use crate::dtype::TensorType;
use crate::op::{Across, Communication, FftKind, Groups, Lapack, Linalg, MatrixTranspose, Op, RngAlgorithm};

/// The transform, matrix op or generator `name`; `None` where it is another op.
pub(super) fn linalg(t: &mut Taker<'_, '_>, name: &str, types: &[TensorType]) -> Result<Option<Op>> {
    Ok(Some(match name {
        "fft" => {
            let kind = t.word("fft_type", "FFT, IFFT, RFFT or IRFFT", FftKind::from_name)?;
            let kind = kind.ok_or_else(|| t.missing("fft_type"))?;
            Op::Fft { kind, lengths: t.list("fft_length")? }
        }
        "cholesky" => Op::Linalg(Linalg::Cholesky { lower: t.flag("lower")? }),
        "triangular_solve" => {
            let known = "NO_TRANSPOSE, TRANSPOSE or ADJOINT";
            let transpose = t.word("transpose_a", known, MatrixTranspose::from_name)?;
            Op::Linalg(Linalg::TriangularSolve {
                left_side: t.flag("left_side")?,
                lower: t.flag("lower")?,
                unit_diagonal: t.flag("unit_diagonal")?,
                transpose: transpose.ok_or_else(|| t.missing("transpose_a"))?,
            })
        }
        "rng_bit_generator" => {
            let known = "DEFAULT, THREE_FRY or PHILOX";
            let algorithm = t.word("rng_algorithm", known, RngAlgorithm::from_name)?;
            let algorithm = algorithm.ok_or_else(|| t.missing("rng_algorithm"))?;
            let [_, ty] = types else { return Err(t.missing("two results")) };
            Op::RngBitGenerator { algorithm, ty: ty.clone() }
        }
        _ => return Ok(lapack(t, name)?.map(|l| Op::Linalg(Linalg::Lapack(l)))),
    }))
}

/// The routine of LAPACK `name`.
fn lapack(t: &mut Taker<'_, '_>, name: &str) -> Result<Option<Lapack>> {
    Ok(Some(match name {
        "lapack_geqrf" => Lapack::Geqrf,
        "lapack_geqp3" => Lapack::Geqp3,
        "lapack_orgqr" => Lapack::Orgqr,
        "lapack_ormqr" => Lapack::Ormqr { left: t.flag("left")?, transpose: t.flag("transpose")? },
        "lapack_getrf" => Lapack::Getrf,
        "lapack_potrf" => Lapack::Potrf { lower: t.flag("lower")? },
        "lapack_syevd" => Lapack::Syevd { lower: t.flag("lower")?, vectors: t.flag("vectors")? },
        "lapack_sytrd" => Lapack::Sytrd { lower: t.flag("lower")? },
        "lapack_gesdd" => Lapack::Gesdd { vectors: t.flag("vectors")?, full: t.flag("full")? },
        "lapack_geev" => Lapack::Geev { left: t.flag("left")?, right: t.flag("right")? },
        "lapack_gees" => Lapack::Gees { vectors: t.flag("vectors")? },
        "lapack_gehrd" => Lapack::Gehrd { low: t.size("low")?, high: t.size("high")? },
        "lapack_gtsv" => Lapack::Gtsv,
        "tridiagonal_solve_perturbed" => Lapack::TridiagonalSolvePerturbed,
        _ => return Ok(None),
    }))
}

/// The communication `name`; `None` where it is another op.
pub(super) fn communication(
    t: &mut Taker<'_, '_>,
    name: &str,
    types: &[TensorType],
) -> Result<Option<Communication>> {
    Ok(Some(match name {
        "partition_id" => Communication::PartitionId,
        "replica_id" => Communication::ReplicaId,
        "all_gather" => Communication::AllGather {
            groups: groups(t)?,
            dim: t.size("all_gather_dim")?,
            size: t.size("group_size")?,
        },
        "all_reduce" => Communication::AllReduce { groups: groups(t)?, monoid: monoid(t)? },
        "reduce_scatter" => Communication::ReduceScatter {
            groups: groups(t)?,
            monoid: monoid(t)?,
            dim: t.size("scatter_dimension")?,
            size: t.size("group_size")?,
        },
        "all_to_all" => Communication::AllToAll {
            groups: groups(t)?,
            split_dim: t.size("split_dimension")?,
            concat_dim: t.size("concat_dimension")?,
            size: t.size("group_size")?,
        },
        "collective_permute" => Communication::CollectivePermute {
            pairs: t.required("source_target_pairs", "pairs such as [[0, 1]]", |a| match a {
                Attr::Rows(rows) => pairs_of(&rows),
                Attr::Ints(ints) if ints.is_empty() => Some(Vec::new()),
                Attr::Word(_)
                | Attr::Int(_)
                | Attr::Ints(_)
                | Attr::Words(_)
                | Attr::Cross(..)
                | Attr::Text(_) => None,
            })?,
            across: across(t)?,
        },
        "collective_broadcast" => Communication::CollectiveBroadcast { groups: groups(t)? },
        "send" => Communication::Send { channel: channel(t)? },
        "recv" => {
            let types = types[..types.len().saturating_sub(1)].to_vec();
            Communication::Recv { channel: channel(t)?, types }
        }
        _ => return Ok(None),
    }))
}

fn channel(t: &mut Taker<'_, '_>) -> Result<i64> {
    t.required("channel", "a number", |a| match a {
        Attr::Int(i) => i64::try_from(i).ok(),
        Attr::Word(_) | Attr::Ints(_) | Attr::Words(_) | Attr::Rows(_) | Attr::Cross(..) | Attr::Text(_) => {
            None
        }
    })
}

fn across(t: &mut Taker<'_, '_>) -> Result<Across> {
    let known = "cross_replica, cross_partition, cross_replica_and_partition or flattened_ids";
    t.word("across", known, Across::from_name)?.ok_or_else(|| t.missing("across"))
}

fn groups(t: &mut Taker<'_, '_>) -> Result<Groups> {
    let rows = |a| match a {
        Attr::Rows(rows) => rows.into_iter().map(|row| as_list(Attr::Ints(row))).collect(),
        Attr::Ints(ints) if ints.is_empty() => Some(Vec::new()),
        Attr::Word(_) | Attr::Int(_) | Attr::Ints(_) | Attr::Words(_) | Attr::Cross(..) | Attr::Text(_) => {
            None
        }
    };
    let groups = t.required("replica_groups", "groups such as [[0, 1], [2, 3]]", rows)?;
    Ok(Groups { groups, across: across(t)? })
}
