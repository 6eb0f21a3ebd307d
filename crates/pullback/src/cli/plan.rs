//! `pullback plan`: completes a folder's strategy and writes the plan, after the checker accepted it.

use super::report;
use crate::Error;
use crate::files;
use crate::run::Project;
use pullback_base::{Diagnostic, Severity};
use std::path::PathBuf;

/// Make a plan for a folder and have it checked
#[derive(clap::Args)]
#[command(after_help = "Example: pullback plan examples/charlm -o charlm.plan")]
pub struct Args {
    /// A folder with run.toml, or the file itself
    folder: PathBuf,
    /// File to write instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Also write the step program, which pullback-check needs
    #[arg(long, value_name = "FILE")]
    step: Option<PathBuf>,
}

pub(super) fn run(args: &Args) -> Result<(), Error> {
    let project = Project::read(&args.folder)?;
    report::notes(&project.notes);
    // First: what stands in the way of a plan is told by the names of this program.
    if let Some(path) = &args.step {
        files::write_atomic(path, project.step.program.to_string().as_bytes())?;
    }
    let planned = project.plan()?;
    let plan = planned.checked.plan();
    for r in plan.certificate.reasons.iter().filter(|r| r.about.starts_with("constraint ")) {
        report::notes(&[Diagnostic::new(Severity::Note, None, format!("{}: {}", r.about, r.text))]);
    }
    let text = pullback_plan::text::print(plan);
    let Some(path) = &args.output else { return report::print(&text) };
    files::write_atomic(path, text.as_bytes())?;
    report::print(&format!(
        "{}: plan {}, {} devices, {} templates, {} collectives\nplanned in {:.0} ms, accepted by the checker in {:.0} ms\nnext: pullback explain {}\n",
        path.display(),
        plan.digest().short(),
        plan.devices.len(),
        plan.templates.len(),
        plan.collectives.len(),
        planned.plan_time.as_secs_f64() * 1e3,
        planned.check_time.as_secs_f64() * 1e3,
        path.display(),
    ))
}
