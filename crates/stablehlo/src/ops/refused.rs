//! What to do instead of an operation that is not supported.

/// The way out for an operation that is not supported.
pub(crate) fn way_out(name: &str) -> &'static str {
    let op = name.split_once('.').map_or(name, |(_, op)| op);
    match op {
        "rng_uniform" => "draw random numbers outside the exported function and pass them as an argument",
        "SPMDFullToShardShape" | "SPMDShardToFullShape" => {
            "export jax.shard_map with Shardy (jax_use_shardy_partitioner, which is JAX's default), whose sdy.manual_computation is read"
        }
        "custom_call" => "export the operator's definition instead of a foreign call",
        "infeed" | "outfeed" => "pass what goes in and out as arguments and results",
        "compute_reshape_shape" => "give reshape sizes that are known, or those of jax.export's symbols",
        _ if name.starts_with("chlo.") => {
            "export with jax.export and print its module: it spells CHLO operations out in StableHLO"
        }
        _ => "rewrite the model without this operation",
    }
}
