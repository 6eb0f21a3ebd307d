//! Operations that the IR has no single operation for: they become several.

use pullback_ir::BinaryOp;

/// An operation that becomes several of the IR's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Expanded {
    BatchNormGrad,
    BatchNormInference,
    BatchNormTraining,
    /// `stablehlo.broadcast`: new dimensions come first.
    BroadcastSizes,
    /// Elementwise, of operands whose shapes broadcast to one.
    BroadcastBinary(BinaryOp),
    BroadcastCompare,
    BroadcastSelect,
    Conj,
    ConstantLike,
    Dot,
    Einsum,
    GetTupleElement,
    IsInf,
    IsNegInf,
    IsPosInf,
    Map,
    RaggedDot,
    Rng,
    Scan,
    /// A token: nothing to wait for.
    Token,
    TorchIndexSelect,
    Tuple,
    UnaryEinsum,
}

/// The operation of this dialect and name.
pub(super) fn expanded_of(dialect: &str, op: &str) -> Option<Expanded> {
    Some(match (dialect, op) {
        ("stablehlo", "after_all" | "create_token") => Expanded::Token,
        ("stablehlo", "batch_norm_grad") => Expanded::BatchNormGrad,
        ("stablehlo", "batch_norm_inference") => Expanded::BatchNormInference,
        ("stablehlo", "batch_norm_training") => Expanded::BatchNormTraining,
        ("stablehlo", "broadcast") => Expanded::BroadcastSizes,
        ("stablehlo", "dot") => Expanded::Dot,
        ("stablehlo", "einsum") => Expanded::Einsum,
        ("stablehlo", "get_tuple_element") => Expanded::GetTupleElement,
        ("stablehlo", "map") => Expanded::Map,
        ("stablehlo", "rng") => Expanded::Rng,
        ("stablehlo", "torch_index_select") => Expanded::TorchIndexSelect,
        ("stablehlo", "tuple") => Expanded::Tuple,
        ("stablehlo", "unary_einsum") => Expanded::UnaryEinsum,
        ("chlo", "broadcast_compare") => Expanded::BroadcastCompare,
        ("chlo", "broadcast_select") => Expanded::BroadcastSelect,
        ("chlo", "conj") => Expanded::Conj,
        ("chlo", "constant_like") => Expanded::ConstantLike,
        ("chlo", "is_inf") => Expanded::IsInf,
        ("chlo", "is_neg_inf") => Expanded::IsNegInf,
        ("chlo", "is_pos_inf") => Expanded::IsPosInf,
        ("chlo", "ragged_dot") => Expanded::RaggedDot,
        ("chlo", "scan") => Expanded::Scan,
        ("chlo", _) => Expanded::BroadcastBinary(BinaryOp::from_name(op.strip_prefix("broadcast_")?)?),
        _ => return None,
    })
}
