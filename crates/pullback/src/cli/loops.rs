//! Flags that say what may be done about loops.

use pullback_autodiff::Options;

/// What is asked of derivatives of loops.
#[derive(clap::Args, Default)]
#[command(next_help_heading = "Loops")]
pub struct LoopArgs {
    /// Most turns of a loop whose number of turns depends on data; beyond it the gradient is NaN
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    loop_bound: Option<u64>,
    /// Most bytes that one loop keeps for its gradient; what does not fit is computed again
    #[arg(long, value_name = "BYTES")]
    loop_memory: Option<u64>,
}

impl LoopArgs {
    /// What the flags say, else what was given.
    pub fn options(&self, given: Options) -> Options {
        let mut options = given;
        options.loop_bound = self.loop_bound.or(given.loop_bound);
        options.loop_memory = self.loop_memory.or(given.loop_memory);
        options
    }
}
