//! Which operands an op is jointly linear in.
//!
//! One fact, two uses: transposition turns linear programs around with it, and distribution lets pending
//! (not yet summed) values flow through an op when the pending operands fill one of these sets.

use crate::op::{BinaryOp, Lapack, Linalg, Monoid, Op, Rule, UnaryOp};

/// The jointly linear operand sets of an op with `n` operands: with all other operands fixed, the result is a
/// linear function of the operands of a set together. Only over floating-point elements.
pub fn linear_sets(op: &Op, n: usize) -> Vec<Vec<usize>> {
    match op {
        Op::Unary(UnaryOp::Negate | UnaryOp::Real | UnaryOp::Imag)
        | Op::Fft { .. }
        | Op::BroadcastInDim { .. }
        | Op::Reshape { .. }
        | Op::Transpose { .. }
        | Op::Slice { .. }
        | Op::Reverse { .. }
        | Op::Gather(_)
        | Op::DynamicSlice { .. } => vec![vec![0]],
        Op::Convert { dtype } if dtype.is_differentiable() => vec![vec![0]],
        Op::Binary(BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Complex)
        | Op::Pad { .. }
        | Op::DynamicUpdateSlice => {
            vec![vec![0, 1]]
        }
        Op::Binary(BinaryOp::Multiply) | Op::DotGeneral(_) | Op::Convolution(_) => vec![vec![0], vec![1]],
        Op::Binary(BinaryOp::Divide) => vec![vec![0]],
        Op::Linalg(Linalg::TriangularSolve { .. }) => vec![vec![1]],
        Op::Linalg(Linalg::Lapack(Lapack::TridiagonalSolvePerturbed)) => vec![vec![3]],
        Op::Select => vec![vec![1, 2]],
        Op::Concatenate { .. } => vec![(0..n).collect()],
        Op::Reduce { monoid: Monoid::Add, .. } | Op::ReduceWindow { monoid: Monoid::Add, .. } => {
            vec![vec![0]]
        }
        Op::SelectAndScatter { monoid: Monoid::Add, .. } => vec![vec![1]],
        Op::Scatter { combiner: Some(Monoid::Add) | None, .. } => vec![vec![0, 2]],
        Op::Constant(_)
        | Op::Iota { .. }
        | Op::Unary(_)
        | Op::Binary(_)
        | Op::Compare { .. }
        | Op::Clamp
        | Op::Convert { .. }
        | Op::Reduce { .. }
        | Op::Scatter { .. }
        | Op::BitcastConvert { .. }
        | Op::ReducePrecision { .. }
        | Op::ReduceWindow { .. }
        | Op::SelectAndScatter { .. }
        | Op::Argsort { .. }
        | Op::Linalg(Linalg::Cholesky { .. } | Linalg::Lapack(_))
        | Op::RngBitGenerator { .. }
        | Op::Communicate(_)
        | Op::While { .. }
        | Op::Case { .. } => Vec::new(),
        Op::Composite(c) => match &c.rule {
            Rule::Transpose { backward } => vec![(n.saturating_sub(backward.results().len())..n).collect()],
            Rule::Decompose
            | Rule::StopGradient
            | Rule::Remat
            | Rule::CustomVjp { .. }
            | Rule::CustomJvp { .. } => Vec::new(),
        },
        Op::Custom(c) => c.linear.clone(),
    }
}

/// Whether pending sums in exactly the operands `pending` (positions, not empty) give a pending result: they
/// are one jointly linear set.
pub fn carries_pending(op: &Op, n: usize, pending: &[usize]) -> bool {
    linear_sets(op, n).iter().any(|set| set == pending)
}
