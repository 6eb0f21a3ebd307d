//! What ops and element types the graph treats alike.

use pullback_ir::{DType, Op};

/// Whether the op computes each result element from the operand elements at the same index.
pub(super) fn is_elementwise(op: &Op) -> bool {
    match op {
        Op::Unary(_)
        | Op::Binary(_)
        | Op::Compare { .. }
        | Op::Select
        | Op::Clamp
        | Op::Convert { .. }
        | Op::ReducePrecision { .. } => true,
        Op::Constant(_)
        | Op::Iota { .. }
        | Op::BroadcastInDim { .. }
        | Op::Reshape { .. }
        | Op::Transpose { .. }
        | Op::Slice { .. }
        | Op::Concatenate { .. }
        | Op::Pad { .. }
        | Op::Reverse { .. }
        | Op::DotGeneral(_)
        | Op::Convolution(_)
        | Op::Reduce { .. }
        | Op::Gather(_)
        | Op::Scatter { .. }
        | Op::DynamicSlice { .. }
        | Op::DynamicUpdateSlice
        | Op::BitcastConvert { .. }
        | Op::ReduceWindow { .. }
        | Op::SelectAndScatter { .. }
        | Op::Argsort { .. }
        | Op::Fft { .. }
        | Op::Linalg(_)
        | Op::RngBitGenerator { .. }
        | Op::Communicate(_)
        | Op::While { .. }
        | Op::Case { .. }
        | Op::Composite(_)
        | Op::Custom(_) => false,
    }
}

/// Whether products of the type are accumulated in f32.
pub(super) fn is_narrow(dtype: DType) -> bool {
    dtype.is_float() && dtype.size() < 4
}

/// Whether the step of the op wants its operands row-major without gaps.
pub(super) fn reads_rows(op: &Op) -> bool {
    matches!(
        op,
        Op::ReduceWindow { .. }
            | Op::SelectAndScatter { .. }
            | Op::Argsort { .. }
            | Op::BitcastConvert { .. }
    )
}
