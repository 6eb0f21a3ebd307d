//! `pullback probe`: measures what a step costs on the devices of a deployment.

use super::report;
use crate::Error;
use crate::files;
use crate::run::Project;
use crate::run::probe::probe;
use std::path::PathBuf;

/// Measure what a step costs on each device and write the deployment
#[derive(clap::Args)]
#[command(after_help = "Example: pullback probe examples/charlm -o deployment.toml

Measures on this machine, one device after the other, without throttles: nothing else should run meanwhile. Costs are of
the folder's own model. Comments of the deployment are not kept.")]
pub struct Args {
    /// A folder with run.toml, or the file itself
    folder: PathBuf,
    /// File to write instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Steps to time at each of two sizes
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u64).range(1..10_000))]
    runs: u64,
}

pub(super) fn run(args: &Args) -> Result<(), Error> {
    let project = Project::read(&args.folder)?;
    let measured = probe(&project, args.runs)?;
    for d in &measured.devices {
        report::say_line(&format!(
            "{:<12} {:>9.3} ms a sample, {:>9.3} ms a step besides (throttle {} not counted)",
            d.name,
            d.seconds_per_sample.unwrap_or(0.0) * 1e3,
            d.seconds_overhead.unwrap_or(0.0) * 1e3,
            d.throttle
        ));
    }
    match &args.output {
        Some(path) => files::write_atomic(path, measured.to_toml().as_bytes()),
        None => report::print(&measured.to_toml()),
    }
}
