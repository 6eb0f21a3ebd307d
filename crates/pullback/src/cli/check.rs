//! `pullback check`: rebuilds the step program from the model and judges a plan by it.

use super::report;
use crate::Error;
use crate::files;
use crate::run::Project;
use pullback_plan::Plan;
use std::path::{Path, PathBuf};

/// Accept or reject a plan, with reasons
#[derive(clap::Args)]
#[command(after_help = "Examples:
  pullback check charlm.plan --folder examples/charlm
  pullback check runs/charlm/plan.plan --folder examples/charlm --json

The plan may come from anyone: pullback plan, a person, another program. Exit code 0 means accepted.")]
pub struct Args {
    /// The plan
    plan: PathBuf,
    /// The folder whose model, strategy and deployment the plan is for; the plan's own folder when absent
    #[arg(long)]
    folder: Option<PathBuf>,
    /// Print the verdict as JSON
    #[arg(long)]
    json: bool,
}

/// Reads a plan's text.
pub(super) fn read_plan(path: &Path) -> Result<Plan, Error> {
    pullback_plan::text::parse(&files::read_text(path)?).map_err(|d| Error::from(d).in_file(path.display()))
}

pub(super) fn run(args: &Args) -> Result<(), Error> {
    let plan = read_plan(&args.plan)?;
    let beside = args.plan.parent().map_or_else(PathBuf::new, Path::to_path_buf);
    let project = Project::read(args.folder.as_ref().unwrap_or(&beside))
        .map_err(|e| e.with_help("say with --folder which model, strategy and deployment the plan is for"))?;
    let digest = plan.digest();
    match project.check(plan) {
        Ok(checked) if args.json => {
            let verdict = serde_json::json!({ "accepted": true, "plan": digest.to_string(), "relation": checked.plan().certificate.relation, "violations": [] });
            report::print(&format!("{verdict:#}\n"))
        }
        Ok(checked) => report::print(&format!(
            "accepted: plan {} computes the step program of {} on {} devices ({})\n",
            digest.short(),
            project.config.name,
            checked.plan().devices.len(),
            checked.plan().certificate.relation,
        )),
        Err(e) => {
            if args.json {
                let list: Vec<String> = e.diagnostics().iter().map(|d| d.message.clone()).collect();
                let verdict =
                    serde_json::json!({ "accepted": false, "plan": digest.to_string(), "violations": list });
                report::print(&format!("{verdict:#}\n"))?;
            }
            Err(e.in_file(args.plan.display()))
        }
    }
}
