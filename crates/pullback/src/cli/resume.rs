//! `pullback resume`: goes on with a run from its newest valid checkpoint.

use super::report;
use super::train::follow;
use crate::Error;
use crate::run::train::resumed;
use std::path::PathBuf;

/// Go on with a run that was stopped, in whatever way
#[derive(clap::Args)]
#[command(after_help = "Example: pullback resume runs/charlm

Steps that are in the ledger but in no checkpoint are run again and must give the same bits; nothing is committed twice.")]
pub struct Args {
    /// The run's folder
    run: PathBuf,
    /// Print the summary as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> Result<(), Error> {
    let (project, job) = resumed(&args.run)?;
    report::say_line(&format!("{}: going on in {}", project.config.name, args.run.display()));
    follow(&project, job, &args.run, args.json)
}
