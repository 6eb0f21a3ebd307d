//! Which constraint is about what, by number, where a check does not say it itself.

use pullback_ir::{BinaryOp, UnaryOp};

/// The constraints that a result's shape and element type follow from, where they are not read from its declaration.
pub(super) fn result_numbers(op: &str, k: usize) -> [Option<u8>; 2] {
    let both = |n: u8| [Some(n), Some(n)];
    match op {
        "abs" | "imag" | "real" => [Some(1), Some(2)],
        "all_gather" => both(6),
        "all_reduce" => [Some(6), Some(7)],
        "all_to_all" => both(9),
        "batch_norm_grad" if k == 0 => [Some(3), Some(2)],
        "batch_norm_grad" => [Some(4), Some(2)],
        "batch_norm_inference" => both(7),
        "batch_norm_training" => {
            [[Some(7), Some(7)], [Some(5), Some(2)], [Some(6), Some(2)]].get(k).copied().unwrap_or_default()
        }
        "bitcast_convert" | "convert" | "is_finite" => [Some(1), None],
        "broadcast_in_dim" | "dynamic_broadcast_in_dim" | "dynamic_reshape" | "reshape" => [None, Some(1)],
        "case" | "clamp" | "composite" | "triangular_solve" => both(4),
        "collective_broadcast" | "if" | "while" => both(3),
        "collective_permute" => both(5),
        "collective_reduce" => [Some(3), None],
        "compare" => [Some(2), None],
        "complex" => [Some(2), Some(3)],
        "concatenate" => [Some(6), Some(5)],
        "convolution" | "dynamic_conv" => [Some(25), Some(27)],
        "dot_general" => [Some(12), None],
        "dynamic_gather" => [Some(13), Some(14)],
        "dynamic_pad" | "pad" => [Some(4), Some(1)],
        "dynamic_slice" | "slice" => [Some(5), Some(1)],
        "fft" => [Some(5), Some(2)],
        "gather" => [Some(22), Some(23)],
        "get_tuple_element" | "select" | "sort" => both(2),
        "map" => [Some(1), Some(4)],
        "reduce" => [Some(7), Some(8)],
        "reduce_scatter" => [Some(8), Some(9)],
        "reduce_window" => [Some(15), Some(16)],
        "rng" => [Some(3), Some(1)],
        "rng_bit_generator" if k == 0 => both(1),
        "scatter" => [Some(24), Some(25)],
        "select_and_scatter" => [Some(11), Some(12)],
        "transpose" => [Some(3), Some(1)],
        "cholesky"
        | "constant"
        | "dynamic_update_slice"
        | "optimization_barrier"
        | "reduce_precision"
        | "reverse"
        | "tuple" => both(1),
        _ if UnaryOp::from_name(op).is_some() || BinaryOp::from_name(op).is_some() => both(1),
        _ => [None; 2],
    }
}

/// The constraint that an attribute breaks which cannot become one of the IR: it is negative where sizes are not, or
/// has not the form that the specification gives it. The names are those of the generic form or of the pretty one.
pub(super) fn attribute_number(op: &str, key: &str) -> Option<u8> {
    Some(match (op, key) {
        ("batch_norm_grad" | "batch_norm_inference" | "batch_norm_training", "feature_index") => 1,
        ("broadcast_in_dim" | "dynamic_broadcast_in_dim", "dims") => 3,
        ("concatenate", "dim") => 4,
        ("convolution" | "dynamic_conv", _) => match key {
            "stride" => 3,
            "padding" => 4,
            "lhs_dilate" => 6,
            "rhs_dilate" => 8,
            "input_batch_dimension" | "input_feature_dimension" | "input_spatial_dimensions" => 13,
            "kernel_input_feature_dimension"
            | "kernel_output_feature_dimension"
            | "kernel_spatial_dimensions" => 18,
            "output_batch_dimension" | "output_feature_dimension" | "output_spatial_dimensions" => 20,
            "feature_group_count" => 21,
            "batch_group_count" => 22,
            _ => return None,
        },
        ("dot_general", _) => match key {
            "lhs_batching_dimensions" => 5,
            "lhs_contracting_dimensions" => 6,
            "rhs_batching_dimensions" => 7,
            "rhs_contracting_dimensions" => 8,
            _ => return None,
        },
        ("dynamic_iota" | "iota", "dim") => 1,
        ("dynamic_pad", "the padding") => 3,
        ("dynamic_slice", "sizes") => 4,
        ("gather", "slice sizes") => 21,
        ("gather", _) => gather_number(key)?,
        ("dynamic_gather", "slice sizes") => 12,
        ("dynamic_gather", _) => number_in("dynamic_gather", "gather", gather_number(key)?)?,
        ("get_dimension_size", "dim") => 1,
        ("pad", "interior") => 3,
        ("reduce", "dimensions") => 4,
        ("reduce_precision", "exponent_bits") => 2,
        ("reduce_precision", "mantissa_bits") => 3,
        ("reduce_window", _) => match key {
            "window_dimensions" => 5,
            "window_strides" => 7,
            "base_dilations" => 9,
            "window_dilations" => 11,
            "padding" => 12,
            _ => return None,
        },
        ("reverse", "dims") => 3,
        ("scatter", _) => match key {
            "update_window_dims" => 8,
            "inserted_window_dims" => 11,
            "input_batching_dims" => 13,
            "scatter_indices_batching_dims" => 15,
            "scatter_dims_to_operand_dims" => 21,
            "index_vector_dim" => 22,
            _ => return None,
        },
        ("select_and_scatter", _) => match key {
            "window_dimensions" => 5,
            "window_strides" => 7,
            "padding" => 8,
            _ => return None,
        },
        ("slice", "start_indices" | "limit_indices") => 3,
        ("slice", "strides") => 4,
        ("transpose", "dims") => 2,
        _ => return None,
    })
}

fn gather_number(key: &str) -> Option<u8> {
    Some(match key {
        "index_vector_dim" => 2,
        "offset_dims" => 5,
        "collapsed_slice_dims" => 8,
        "operand_batching_dims" => 11,
        "start_indices_batching_dims" => 14,
        "start_index_map" => 19,
        "slice_sizes" => 21,
        _ => return None,
    })
}

/// The number that a constraint of the IR's op has for the operation that becomes it.
pub(super) fn number_in(op: &str, ir_op: &str, number: u8) -> Option<u8> {
    match (op, ir_op) {
        ("dynamic_broadcast_in_dim", "broadcast_in_dim")
        | ("dynamic_conv", "convolution")
        | ("dynamic_iota", "iota")
        | ("dynamic_pad", "pad")
        | ("dynamic_reshape", "reshape") => Some(number),
        ("dynamic_gather", "gather") => Some(match number {
            1..=5 => number,
            6 | 7 => 6,
            8 | 9 => number - 1,
            18..=21 => number - 9,
            _ => return None,
        }),
        ("if", "case") if number == 3 => Some(2),
        _ => None,
    }
}
