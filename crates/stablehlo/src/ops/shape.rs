//! Operations that take shapes as operands, or ask for them or hold them to something.

/// Such an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ShapeOp {
    DynamicBroadcastInDim,
    DynamicConv,
    DynamicGather,
    DynamicIota,
    DynamicPad,
    DynamicReshape,
    GetDimensionSize,
    RealDynamicSlice,
    SetDimensionSize,
}

impl ShapeOp {
    /// The operation of this name in the dialect stablehlo.
    pub(crate) fn from_name(op: &str) -> Option<Self> {
        Some(match op {
            "dynamic_broadcast_in_dim" => Self::DynamicBroadcastInDim,
            "dynamic_conv" => Self::DynamicConv,
            "dynamic_gather" => Self::DynamicGather,
            "dynamic_iota" => Self::DynamicIota,
            "dynamic_pad" => Self::DynamicPad,
            "dynamic_reshape" => Self::DynamicReshape,
            "get_dimension_size" => Self::GetDimensionSize,
            "real_dynamic_slice" => Self::RealDynamicSlice,
            "set_dimension_size" => Self::SetDimensionSize,
            _ => return None,
        })
    }
}
