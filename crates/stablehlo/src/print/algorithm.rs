//! Text of matrix ops and random bits. LAPACK's routines are the custom calls that JAX makes of them.

use super::list;
use crate::types::mlir_type;
use pullback_ir::{DType, Lapack, Linalg, Op, TensorType};

/// Everything after the results of an op without regions, for those of this file; `None` for the others.
pub(super) fn text(op: &Op, args: &str, operands: &[&TensorType], results: &[&TensorType]) -> Option<String> {
    let types = |types: &[&TensorType]| list(types.iter().map(|t| mlir_type(t)));
    let sig = match results {
        [ty] => format!("({}) -> {}", types(operands), mlir_type(ty)),
        _ => format!("({}) -> ({})", types(operands), types(results)),
    };
    Some(match op {
        Op::RngBitGenerator { algorithm, .. } => {
            format!("stablehlo.rng_bit_generator {args}, algorithm = {algorithm} : {sig}")
        }
        Op::Linalg(Linalg::Cholesky { lower }) => {
            format!("\"stablehlo.cholesky\"({args}) <{{lower = {lower}}}> : {sig}")
        }
        Op::Linalg(Linalg::TriangularSolve { left_side, lower, unit_diagonal, transpose }) => format!(
            "\"stablehlo.triangular_solve\"({args}) <{{left_side = {left_side}, lower = {lower}, \
             transpose_a = #stablehlo<transpose {transpose}>, unit_diagonal = {unit_diagonal}}}> : {sig}"
        ),
        Op::Linalg(Linalg::Lapack(l)) => {
            format!(
                "stablehlo.custom_call @{}({args}) {{{}}} : {sig}",
                target(*l, operands),
                attrs(*l, operands, results)
            )
        }
        _ => return None,
    })
}

/// The routine's name among XLA's foreign functions: with the letter of the element type.
fn target(op: Lapack, operands: &[&TensorType]) -> String {
    if op == Lapack::TridiagonalSolvePerturbed {
        return format!("{}_ffi", op.name());
    }
    let dtype = operands.first().map_or(DType::F32, |t| t.dtype());
    let letter = match dtype {
        DType::F64 => 'd',
        DType::C64 => 'c',
        DType::C128 => 'z',
        _ => 's',
    };
    let complex = matches!(letter, 'c' | 'z');
    let name = match op {
        Lapack::Orgqr if complex => "ungqr",
        Lapack::Ormqr { .. } if complex => "unmqr",
        Lapack::Syevd { .. } if complex => "heevd",
        Lapack::Sytrd { .. } if complex => "hetrd",
        _ => op.name().trim_start_matches("lapack_"),
    };
    format!("lapack_{letter}{name}_ffi")
}

fn attrs(op: Lapack, operands: &[&TensorType], results: &[&TensorType]) -> String {
    let letter = |key: &str, c: char| format!("{key} = {} : ui8", u32::from(c));
    let uplo = |lower: bool| letter("uplo", if lower { 'L' } else { 'U' });
    let job = |key: &str, on: bool| letter(key, if on { 'V' } else { 'N' });
    let config = match op {
        Lapack::Geqrf
        | Lapack::Geqp3
        | Lapack::Orgqr
        | Lapack::Getrf
        | Lapack::Gtsv
        | Lapack::TridiagonalSolvePerturbed => Vec::new(),
        Lapack::Ormqr { left, transpose } => {
            vec![format!("left = {left}"), format!("transpose = {transpose}")]
        }
        Lapack::Potrf { lower } | Lapack::Sytrd { lower } => vec![uplo(lower)],
        Lapack::Syevd { lower, vectors } => vec![job("mode", vectors), uplo(lower)],
        Lapack::Gesdd { vectors, full } => {
            let mode = if full { 'A' } else { 'S' };
            vec![letter("mode", if vectors { mode } else { 'N' })]
        }
        Lapack::Geev { left, right } => vec![job("compute_left", left), job("compute_right", right)],
        Lapack::Gees { vectors } => vec![job("mode", vectors), letter("sort", 'N')],
        Lapack::Gehrd { low, high } => vec![format!("high = {high} : i32"), format!("low = {low} : i32")],
    };
    let rank = operands.iter().map(|t| t.rank()).max().unwrap_or(2);
    let layouts = |types: &[&TensorType]| list(types.iter().map(|t| layout(t.rank(), rank)));
    format!(
        "mhlo.backend_config = {{{}}}, mhlo.frontend_attributes = {{num_batch_dims = \"{}\"}}, \
         operand_layouts = [{}], output_operand_aliases = [{}], result_layouts = [{}]",
        config.join(", "),
        rank - 2,
        layouts(operands),
        aliases(op, results.len()),
        layouts(results)
    )
}

/// Matrices are column by column; what has fewer dimensions is row-major.
fn layout(rank: usize, matrices: usize) -> String {
    let mut order: Vec<usize> = (0..rank).rev().collect();
    if rank == matrices {
        order.swap(0, 1);
    }
    match order[..] {
        [] => "dense<> : tensor<0xindex>".to_owned(),
        [one] => format!("dense<{one}> : tensor<1xindex>"),
        _ => format!("dense<[{}]> : tensor<{rank}xindex>", list(order)),
    }
}

/// Operands whose memory takes results.
fn aliases(op: Lapack, results: usize) -> String {
    let pairs: &[(usize, usize)] = match op {
        Lapack::Geqrf
        | Lapack::Orgqr
        | Lapack::Getrf
        | Lapack::Potrf { .. }
        | Lapack::Syevd { .. }
        | Lapack::Sytrd { .. }
        | Lapack::Gesdd { .. }
        | Lapack::Gees { .. }
        | Lapack::Gehrd { .. } => &[(0, 0)],
        Lapack::Geqp3 => &[(0, 0), (1, 1)],
        Lapack::Ormqr { .. } => &[(2, 0)],
        Lapack::Gtsv => &[(0, 0), (1, 1), (2, 2), (3, 3)],
        Lapack::Geev { .. } | Lapack::TridiagonalSolvePerturbed => &[],
    };
    list(pairs.iter().map(|(operand, result)| {
        let place = if results == 1 { String::new() } else { result.to_string() };
        format!(
            "#stablehlo.output_operand_alias<output_tuple_indices = [{place}], operand_index = {operand}, \
             operand_tuple_indices = []>"
        )
    }))
}
