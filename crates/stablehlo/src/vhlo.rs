//! The portable VHLO dialect: how its versioned operations and enumerations are spelled in StableHLO.
//!
//! VHLO is StableHLO with a version in each name and every attribute present. Only what the importer has an
//! operation for needs its attributes listed here; the others keep their name and are refused with it. Facts
//! are those of StableHLO's dialect description up to version 1.20.

use crate::tree::Attr;

/// The newest major version of StableHLO whose artifacts are read.
pub(crate) const MAX_MAJOR: u32 = 1;

/// Operations with a second version; the others have one.
const SECOND_VERSION: [&str; 25] = [
    "all_gather",
    "all_reduce",
    "all_to_all",
    "cbrt",
    "collective_broadcast",
    "composite",
    "cosine",
    "custom_call",
    "dot_general",
    "dynamic_conv",
    "dynamic_gather",
    "exponential",
    "exponential_minus_one",
    "gather",
    "log",
    "log_plus_one",
    "logistic",
    "recv",
    "rsqrt",
    "scatter",
    "send",
    "sine",
    "sqrt",
    "tan",
    "tanh",
];

/// The name of an operation such as `add_v1` in StableHLO; `None` for a version that is not known.
pub(crate) fn stablehlo_name(name: &str) -> Option<String> {
    let (base, version) = name.rsplit_once("_v")?;
    match version {
        "1" => {}
        "2" if SECOND_VERSION.contains(&base) => {}
        _ => return None,
    }
    let dialect = if matches!(base, "func" | "call" | "return") { "func" } else { "stablehlo" };
    Some(format!("{dialect}.{base}"))
}

/// An attribute nothing here needs.
pub(crate) const SKIP: &str = "";

/// The attributes of an operation such as `add_v1` in the order in which they are stored, which is that of the
/// alphabet; [`SKIP`] for those not needed. `None` when the operation is not one that is imported.
pub(crate) fn properties(name: &str) -> Option<&'static [&'static str]> {
    Some(match name {
        "after_all_v1" | "create_token_v1" | "optimization_barrier_v1" | "tuple_v1" => &[],
        "batch_norm_grad_v1" | "batch_norm_inference_v1" | "batch_norm_training_v1" => {
            &["epsilon", "feature_index"]
        }
        "broadcast_v1" => &["broadcast_sizes"],
        "dot_v1" => &[SKIP], // precision_config
        "einsum_v1" | "unary_einsum_v1" => &["einsum_config"],
        "get_tuple_element_v1" => &["index"],
        "map_v1" => &["dimensions"],
        "rng_v1" => &["rng_distribution"],
        "torch_index_select_v1" => &["batch_dims", "dim"],
        "broadcast_in_dim_v1" => &["broadcast_dimensions"],
        "call_v1" => &["callee"],
        "compare_v1" => &["compare_type", "comparison_direction"],
        "composite_v1" | "composite_v2" => &["composite_attributes", "decomposition", "name", "version"],
        "cholesky_v1" => &["lower"],
        "fft_v1" => &["fft_length", "fft_type"],
        "rng_bit_generator_v1" => &["rng_algorithm"],
        "triangular_solve_v1" => &["left_side", "lower", "transpose_a", "unit_diagonal"],
        "concatenate_v1" => &["dimension"],
        "constant_v1" => &["value"],
        "custom_call_v1" => &CUSTOM_CALL[..8],
        "custom_call_v2" => &CUSTOM_CALL,
        "convolution_v1" => &CONVOLUTION,
        "dot_general_v1" => &DOT_GENERAL_1,
        "dot_general_v2" => &DOT_GENERAL_2,
        "dynamic_broadcast_in_dim_v1" => &["broadcast_dimensions", SKIP, SKIP],
        "dynamic_conv_v1" => &CONVOLUTION,
        "dynamic_conv_v2" => &DYNAMIC_CONV_2,
        "dynamic_gather_v1" => &DYNAMIC_GATHER_1,
        "dynamic_gather_v2" => &DYNAMIC_GATHER_2,
        "dynamic_iota_v1" => &["iota_dimension"],
        "dynamic_slice_v1" => &["slice_sizes"],
        "func_v1" => &["arg_attrs", "function_type", "res_attrs", "sym_name", "sym_visibility"],
        "gather_v1" => &GATHER_1,
        "gather_v2" => &GATHER_2,
        "get_dimension_size_v1" | "set_dimension_size_v1" => &["dimension"],
        "iota_v1" => &["iota_dimension"],
        "pad_v1" => &["edge_padding_high", "edge_padding_low", "interior_padding"],
        "bitcast_convert_v1" | "case_v1" | "if_v1" | "while_v1" => &[],
        "reduce_v1" => &["dimensions"],
        "reduce_precision_v1" => &["exponent_bits", "mantissa_bits"],
        "reduce_window_v1" => &REDUCE_WINDOW,
        "reverse_v1" => &["dimensions"],
        "scatter_v1" => &SCATTER_1,
        "scatter_v2" => &SCATTER_2,
        "select_and_scatter_v1" => &["padding", "window_dimensions", "window_strides"],
        "sort_v1" => &["dimension", SKIP],
        "slice_v1" => &["limit_indices", "start_indices", "strides"],
        "transpose_v1" => &["permutation"],
        _ => return collective_properties(name),
    })
}

/// The same of collectives, transfers and ids.
fn collective_properties(name: &str) -> Option<&'static [&'static str]> {
    Some(match name {
        "all_gather_v1" | "all_gather_v2" => {
            &["all_gather_dim", "channel_id", "replica_groups", "use_global_device_ids"]
        }
        "all_reduce_v1" | "all_reduce_v2" => &["channel_id", "replica_groups", "use_global_device_ids"],
        "all_to_all_v1" | "all_to_all_v2" => {
            &["channel_id", "concat_dimension", "replica_groups", "split_count", "split_dimension"]
        }
        "collective_broadcast_v1" => &["channel_id", "replica_groups"],
        "collective_broadcast_v2" => &["channel_id", "has_dynamic_root", "replica_groups"],
        "collective_permute_v1" => &["channel_id", "source_target_pairs"],
        "collective_reduce_v1" => {
            &["channel_id", "has_dynamic_root", "replica_groups", "use_global_device_ids"]
        }
        "partition_id_v1" | "replica_id_v1" => &[],
        "recv_v1" | "send_v1" => &["channel_id", SKIP, "is_host_transfer"],
        "recv_v2" | "send_v2" => &["channel_id", SKIP, "is_host_transfer", SKIP],
        "reduce_scatter_v1" => {
            &["channel_id", "replica_groups", "scatter_dimension", "use_global_device_ids"]
        }
        _ => return None,
    })
}

const DOT_GENERAL_1: [&str; 5] = [
    "lhs_batching_dimensions",
    "lhs_contracting_dimensions",
    SKIP,
    "rhs_batching_dimensions",
    "rhs_contracting_dimensions",
];

const DYNAMIC_GATHER_1: [&str; 5] =
    ["collapsed_slice_dims", "index_vector_dim", "indices_are_sorted", "offset_dims", "start_index_map"];

const DYNAMIC_GATHER_2: [&str; 7] = [
    "collapsed_slice_dims",
    "index_vector_dim",
    "indices_are_sorted",
    "offset_dims",
    "operand_batching_dims",
    "start_index_map",
    "start_indices_batching_dims",
];

const GATHER_1: [&str; 6] = [
    "collapsed_slice_dims",
    "index_vector_dim",
    "indices_are_sorted",
    "offset_dims",
    "slice_sizes",
    "start_index_map",
];

const GATHER_2: [&str; 8] = [
    "collapsed_slice_dims",
    "index_vector_dim",
    "indices_are_sorted",
    "offset_dims",
    "operand_batching_dims",
    "slice_sizes",
    "start_index_map",
    "start_indices_batching_dims",
];

const SCATTER_1: [&str; 6] = [
    "index_vector_dim",
    "indices_are_sorted",
    "inserted_window_dims",
    "scatter_dims_to_operand_dims",
    "unique_indices",
    "update_window_dims",
];

const SCATTER_2: [&str; 8] = [
    "index_vector_dim",
    "indices_are_sorted",
    "input_batching_dims",
    "inserted_window_dims",
    "scatter_dims_to_operand_dims",
    "scatter_indices_batching_dims",
    "unique_indices",
    "update_window_dims",
];

const REDUCE_WINDOW: [&str; 5] =
    ["base_dilations", "padding", "window_dilations", "window_dimensions", "window_strides"];

const DOT_GENERAL_2: [&str; 12] = [
    SKIP, // accumulation_type
    SKIP, // allow_imprecise_accumulation
    "lhs_batching_dimensions",
    SKIP, // lhs_component_count
    "lhs_contracting_dimensions",
    SKIP, // lhs_precision_type
    SKIP, // num_primitive_operations
    SKIP, // precision_config
    "rhs_batching_dimensions",
    SKIP, // rhs_component_count
    "rhs_contracting_dimensions",
    SKIP, // rhs_precision_type
];

const CUSTOM_CALL: [&str; 9] = [
    SKIP, // api_version
    "backend_config",
    "call_target_name",
    "called_computations",
    "has_side_effect",
    SKIP, // operand_layouts
    SKIP, // output_operand_aliases
    SKIP, // result_layouts
    SKIP, // result_tilings
];

/// A convolution without padding, which is an operand.
const DYNAMIC_CONV_2: [&str; 16] = [
    "batch_group_count",
    "feature_group_count",
    "input_batch_dimension",
    "input_feature_dimension",
    "input_spatial_dimensions",
    "kernel_input_feature_dimension",
    "kernel_output_feature_dimension",
    "kernel_spatial_dimensions",
    "lhs_dilation",
    "output_batch_dimension",
    "output_feature_dimension",
    "output_spatial_dimensions",
    SKIP, // precision_config
    "rhs_dilation",
    "window_reversal",
    "window_strides",
];

const CONVOLUTION: [&str; 17] = [
    "batch_group_count",
    "feature_group_count",
    "input_batch_dimension",
    "input_feature_dimension",
    "input_spatial_dimensions",
    "kernel_input_feature_dimension",
    "kernel_output_feature_dimension",
    "kernel_spatial_dimensions",
    "lhs_dilation",
    "output_batch_dimension",
    "output_feature_dimension",
    "output_spatial_dimensions",
    "padding",
    SKIP, // precision_config
    "rhs_dilation",
    "window_reversal",
    "window_strides",
];

/// The attributes of an operation, stored one by one, as StableHLO groups them.
pub(crate) fn regroup<'a>(op: &str, mut attrs: Vec<(&'a str, Attr<'a>)>) -> Vec<(&'a str, Attr<'a>)> {
    let (group, in_group): (&'static str, fn(&str) -> bool) = match op {
        "stablehlo.dot_general" => ("dot_dimension_numbers", |_| true),
        "stablehlo.gather" | "stablehlo.dynamic_gather" => {
            ("dimension_numbers", |key| key != "slice_sizes" && key != "indices_are_sorted")
        }
        "stablehlo.scatter" => {
            ("scatter_dimension_numbers", |key| key != "unique_indices" && key != "indices_are_sorted")
        }
        "stablehlo.convolution" | "stablehlo.dynamic_conv" => ("dimension_numbers", |key| {
            ["input_", "kernel_", "output_"].iter().any(|part| key.starts_with(part))
        }),
        "func.call" | "stablehlo.composite" => {
            for (key, value) in &mut attrs {
                if let (&mut ("callee" | "decomposition"), &mut Attr::Str(s)) = (key, &mut *value) {
                    *value = Attr::Symbol(s);
                }
            }
            return attrs;
        }
        _ => return attrs,
    };
    let (grouped, mut rest): (Vec<_>, Vec<_>) = attrs.into_iter().partition(|(key, _)| in_group(key));
    rest.push((group, Attr::Dict(grouped)));
    rest
}

/// The word of a comparison's direction.
pub(crate) fn comparison_direction(code: u64) -> Option<&'static str> {
    ["EQ", "NE", "GE", "GT", "LE", "LT"].get(usize::try_from(code).ok()?).copied()
}

/// The word of a distribution of random numbers.
pub(crate) fn rng_distribution(code: u64) -> Option<&'static str> {
    ["UNIFORM", "NORMAL"].get(usize::try_from(code).ok()?.checked_sub(1)?).copied()
}

/// The word of an algorithm of random bits.
pub(crate) fn rng_algorithm(code: u64) -> Option<&'static str> {
    ["DEFAULT", "THREE_FRY", "PHILOX"].get(usize::try_from(code).ok()?).copied()
}

/// The word of a Fourier transform.
pub(crate) fn fft_type(code: u64) -> Option<&'static str> {
    ["FFT", "IFFT", "RFFT", "IRFFT"].get(usize::try_from(code).ok()?).copied()
}

/// The word of what is done to a matrix.
pub(crate) fn transpose(code: u64) -> Option<&'static str> {
    ["NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"].get(usize::try_from(code).ok()?.checked_sub(1)?).copied()
}

/// The word of a comparison's type.
pub(crate) fn comparison_type(code: u64) -> Option<&'static str> {
    ["NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"].get(usize::try_from(code).ok()?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::kind_of;

    #[test]
    fn names_lose_their_version() {
        assert_eq!(stablehlo_name("add_v1").as_deref(), Some("stablehlo.add"));
        assert_eq!(stablehlo_name("tanh_v2").as_deref(), Some("stablehlo.tanh"));
        assert_eq!(stablehlo_name("func_v1").as_deref(), Some("func.func"));
        for unknown in ["add_v2", "add", "tanh_v3", "add_vx"] {
            assert_eq!(stablehlo_name(unknown), None);
        }
    }

    #[test]
    fn stored_attributes_are_in_order_and_of_operations_we_have() {
        for name in SECOND_VERSION.iter().map(|n| format!("{n}_v2")).chain(
            "after_all batch_norm_grad batch_norm_inference batch_norm_training broadcast create_token dot einsum \
             get_tuple_element map optimization_barrier rng torch_index_select tuple unary_einsum \
             bitcast_convert case custom_call dynamic_broadcast_in_dim dynamic_conv dynamic_gather dynamic_iota get_dimension_size if while reduce_precision reduce_window select_and_scatter sort \
             broadcast_in_dim call compare concatenate constant convolution dynamic_slice iota pad reduce reverse \
             slice transpose gather scatter dot_general composite all_gather all_reduce all_to_all \
             collective_broadcast collective_permute collective_reduce partition_id recv reduce_scatter replica_id \
             send"
                .split_whitespace()
                .map(|n| format!("{n}_v1")),
        ) {
            let Some(keys) = properties(&name) else { continue };
            let keys: Vec<_> = keys.iter().filter(|k| **k != SKIP).collect();
            assert!(keys.is_sorted(), "{name}: {keys:?}");
            assert!(stablehlo_name(&name).and_then(|n| kind_of(&n)).is_some(), "{name}");
        }
    }
}
