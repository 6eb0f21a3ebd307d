//! Starting a run in a folder of its own, and going on with one.
//!
//! A run's folder is a project folder too: it holds copies of model, manifest and `run.toml`, so it can be
//! checked, explained and resumed without the folder it came from (the data stays where it is).

use super::data::absolute;
use super::project::{Planned, Project};
use super::setup::Setup;
use crate::error::Error;
use crate::files;
use pullback_runtime::checkpoint::{self, Checkpoint};
use pullback_runtime::drive::{Artifacts, Job, WorkerCommand};
use std::path::{Path, PathBuf};

/// The folder `NAME`, or the first of `NAME-2`, `NAME-3`, … that does not exist yet.
pub fn free_folder(runs: &Path, name: &str) -> PathBuf {
    let first = runs.join(name);
    if !first.exists() {
        return first;
    }
    (2u64..).map(|k| runs.join(format!("{name}-{k}"))).find(|p| !p.exists()).unwrap_or(first)
}

/// Writes what makes a run's folder a project folder.
pub fn prepare(project: &Project, run_dir: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(run_dir).map_err(|e| {
        Error::new(format!("the run's folder cannot be made: {e}"))
            .in_file(run_dir.display())
            .with_help("name another with --runs-dir")
    })?;
    let mut config = project.config.clone();
    let from = absolute(&project.folder);
    config.data.place_in(&from);
    for (name, path) in [("model.mlir", &project.config.model), ("model.json", &project.config.manifest)] {
        files::write_atomic(&run_dir.join(name), &files::read(&project.folder.join(path))?)?;
    }
    (config.model, config.manifest) = ("model.mlir".into(), "model.json".into());
    (config.strategy, config.deployment) = ("strategy.toml".into(), "deployment.toml".into());
    let text =
        toml::to_string(&config).map_err(|e| Error::new(format!("run.toml cannot be written: {e}")))?;
    files::write_atomic(&run_dir.join("run.toml"), text.as_bytes())
}

/// The runtime's job for a planned project.
pub fn job(project: &Project, planned: &Planned, run_dir: &Path) -> Result<Job, Error> {
    let setup = serde_json::to_value(Setup::of(project)?)
        .map_err(|e| Error::new(format!("the setup cannot be written: {e}")))?;
    let artifacts = Artifacts {
        plan: pullback_plan::text::print(planned.checked.plan()),
        step: project.step.program.to_string(),
        strategy: project.strategy_text.clone(),
        deployment: project.deployment_text.clone(),
        model: project.model,
        setup,
        steps: project.config.steps,
    };
    Ok(Job::new(artifacts, run_dir.to_path_buf(), worker_command()?))
}

/// The job of a run's folder, checked against what the folder says now.
pub fn resumed(run_dir: &Path) -> Result<(Project, Job), Error> {
    let artifacts = Artifacts::read(run_dir)
        .map_err(|e| Error::new(e.to_string()).with_help("give the folder of a run, like runs/charlm"))?;
    let project = Project::read(run_dir)?;
    let plan = pullback_plan::text::parse(&artifacts.plan)
        .map_err(|d| Error::from(d).in_file(run_dir.join("plan.plan").display()))?;
    project.check(plan)?;
    let undo = "undo the edit, or start a new run: a run goes on with what it was started with";
    if project.config.steps != artifacts.steps {
        let (now, then) = (project.config.steps, artifacts.steps);
        return Err(Error::new(format!(
            "run.toml: steps {now} is not what the run was started with ({then})"
        ))
        .in_file(run_dir.display())
        .with_help(undo));
    }
    if let Some(difference) = Setup::of(&project)?.difference(&artifacts.setup) {
        return Err(Error::new(difference).in_file(run_dir.display()).with_help(undo));
    }
    Ok((project, Job::new(artifacts, run_dir.to_path_buf(), worker_command()?)))
}

fn worker_command() -> Result<WorkerCommand, Error> {
    let program = std::env::current_exe()
        .map_err(|e| Error::new(format!("this program's own file is not known: {e}")))?;
    Ok(WorkerCommand::pullback(program))
}

/// The newest valid checkpoint of a run.
pub fn newest_checkpoint(run_dir: &Path) -> Result<Checkpoint, Error> {
    let latest =
        checkpoint::latest_valid(&run_dir.join("checkpoints")).map_err(|e| Error::new(e.to_string()))?;
    latest
        .checkpoint
        .ok_or_else(|| Error::new(format!("there is no valid checkpoint in {}", run_dir.display())))
}
