//! `pullback check`: rebuilds the step program from the model and judges a plan by it.

use super::report;
use crate::Error;
use crate::files;
use crate::run::Project;
use pullback_base::Diagnostic;
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
    let verdict = project.judge(plan).map_err(|e| e.in_file(args.plan.display()))?;
    if args.json {
        let found = verdict.as_ref().err().map_or(&[][..], |v| v);
        let relation = verdict.as_ref().ok().map(|c| c.plan().certificate.relation.clone());
        let json = serde_json::json!({
            "accepted": verdict.is_ok(), "plan": digest, "relation": relation, "violations": found,
        });
        report::print(&format!("{json:#}\n"))?;
    }
    match verdict {
        Ok(_) if args.json => Ok(()),
        Ok(checked) => report::print(&format!(
            "accepted: plan {} computes the step program of {} on {} devices ({})\n",
            digest.short(),
            project.config.name,
            checked.plan().devices.len(),
            checked.plan().certificate.relation,
        )),
        Err(violations) => {
            let list: Vec<Diagnostic> =
                violations.iter().map(|v| Diagnostic::error(None, v.to_string())).collect();
            Err(Error::from(list).in_file(args.plan.display()))
        }
    }
}
