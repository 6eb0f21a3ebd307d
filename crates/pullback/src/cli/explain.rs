//! `pullback explain`: what a plan does and why, for a person.

use super::check::{plan_file, read_plan};
use super::report;
use crate::Error;
use crate::files;
use crate::run::Project;
use pullback_base::Diagnostic;
use pullback_ir::Program;
use std::path::{Path, PathBuf};

/// Say what a plan does and why
#[derive(clap::Args)]
#[command(after_help = "Example: pullback explain runs/charlm/plan.plan")]
pub struct Args {
    /// The plan
    plan: PathBuf,
    /// The folder of its model; not needed where step.ir lies beside the plan
    #[arg(long)]
    folder: Option<PathBuf>,
}

pub(super) fn run(args: &Args) -> Result<(), Error> {
    let plan = read_plan(&args.plan)?;
    let step = step_program(args)?;
    let digest = pullback_plan::digest::step_digest(&step);
    if digest != plan.identity.step {
        let message = format!(
            "the plan is for step program {}, this is {}",
            plan.identity.step.short(),
            digest.short()
        );
        return Err(Error::new(message).in_file(args.plan.display()));
    }
    report::print(&pullback_plan::explain::explain(&plan, &step))
}

fn step_program(args: &Args) -> Result<Program, Error> {
    if let Some(folder) = &args.folder {
        return Ok(Project::read(folder)?.step.program);
    }
    let beside = plan_file(&args.plan).parent().unwrap_or(Path::new("")).join("step.ir");
    if !beside.exists() {
        let d = Diagnostic::error(None, format!("there is no step program {}", beside.display()));
        return Err(Error::from(d).with_help("name the model's folder with --folder"));
    }
    pullback_ir::text::parse(&files::read_text(&beside)?)
        .map_err(|d| Error::from(d).in_file(beside.display()))
}
