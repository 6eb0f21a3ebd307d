//! `pullback train`: plans, checks, trains, and says what came of it.

use super::progress::Progress;
use super::report;
use crate::Error;
use crate::run::config::RunConfig;
use crate::run::data::bigram_entropy;
use crate::run::sample::{self, sample};
use crate::run::train::{free_folder, job, newest_checkpoint, prepare};
use crate::run::{Planned, Project};
use pullback_plan::Reason;
use pullback_runtime::drive::{self, Job, Summary};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Train a folder's model on the workers of its deployment
#[derive(clap::Args)]
#[command(after_help = "Example: pullback train examples/charlm

A run gets a folder of its own, runs/NAME, with the plan, the ledger, checkpoints and the workers' logs. Stop it with
Ctrl-C, or in any other way, and go on with `pullback resume runs/NAME`.")]
pub struct Args {
    /// A folder with run.toml, or the file itself
    folder: PathBuf,
    /// Steps instead of run.toml's
    #[arg(long)]
    steps: Option<u64>,
    /// Seed instead of run.toml's
    #[arg(long)]
    seed: Option<u64>,
    /// Compute in this type instead of run.toml's: f32 or f64
    #[arg(long)]
    dtype: Option<String>,
    /// A strategy instead of the folder's
    #[arg(long, value_name = "FILE")]
    strategy: Option<PathBuf>,
    /// A deployment instead of the folder's
    #[arg(long, value_name = "FILE")]
    deployment: Option<PathBuf>,
    /// Where runs are kept
    #[arg(long, default_value = "runs", value_name = "FOLDER")]
    runs_dir: PathBuf,
    /// Name of the run instead of run.toml's
    #[arg(long)]
    name: Option<String>,
    /// Print the summary as JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn run(args: &Args) -> Result<(), Error> {
    let project = project(args)?;
    report::notes(&project.notes);
    let planned = project.plan()?;
    let run_dir = free_folder(&args.runs_dir, &project.config.name);
    let job = job(&project, &planned, &run_dir)?;
    project.batches()?;
    if let Some(config) = &project.config.sample {
        sample::check(&project, config)?;
    }
    prepare(&project, &run_dir)?;
    report::say_line(&opening(&project, &planned, &run_dir));
    follow(&project, job, &run_dir, args.json)
}

fn project(args: &Args) -> Result<Project, Error> {
    let (mut config, folder) = RunConfig::read(&args.folder)?;
    let here = |p: &PathBuf| std::path::absolute(p).unwrap_or_else(|_| p.clone());
    config.steps = args.steps.unwrap_or(config.steps);
    config.seed = args.seed.unwrap_or(config.seed);
    if let Some(d) = &args.dtype {
        config.dtype = Some(d.clone());
    }
    if let Some(s) = &args.strategy {
        config.strategy = here(s);
    }
    if let Some(d) = &args.deployment {
        config.deployment = here(d);
    }
    if let Some(name) = &args.name {
        config.name = name.clone();
    }
    config.check().map_err(|e| e.in_file(args.folder.display()))?;
    Project::of(config, folder)
}

/// What is said before the first step.
fn opening(project: &Project, planned: &Planned, run_dir: &Path) -> String {
    let plan = planned.checked.plan();
    let numbers: usize =
        project.step.state.iter().take(project.step.n_parameters()).map(|s| s.ty.count()).sum();
    let mut t = format!(
        "{}: {} parameters, {} steps, imported in {:.0} ms\n",
        project.config.name,
        report::count(numbers as u64),
        project.config.steps,
        project.import_time.as_secs_f64() * 1e3
    );
    let _ = writeln!(
        t,
        "plan {} for {} workers made in {:.0} ms; the checker accepted it in {:.0} ms ({})",
        plan.digest().short(),
        plan.devices.len(),
        planned.plan_time.as_secs_f64() * 1e3,
        planned.check_time.as_secs_f64() * 1e3,
        plan.certificate.relation
    );
    let told = |r: &&Reason| plan.mesh.axis_named(&r.about).is_some() || r.about.starts_with("constraint ");
    for r in plan.certificate.reasons.iter().filter(told) {
        let _ = writeln!(t, "  {}: {}", r.about, r.text);
    }
    let _ = write!(t, "run folder {}", run_dir.display());
    t
}

/// Runs a job to its end with progress, then says what came of it.
pub(super) fn follow(project: &Project, mut job: Job, run_dir: &Path, json: bool) -> Result<(), Error> {
    job.stop = super::interrupt::flag();
    let mut progress = Progress::new(project.config.steps, &project.deployment);
    let result = drive::run(&job, &mut |event| progress.event(event));
    progress.end();
    let summary = result.map_err(|e| {
        let error = Error::new(e.to_string());
        match e.can_resume() {
            true => error.with_help(format!("go on with: pullback resume {}", run_dir.display())),
            false => error,
        }
    })?;
    if json {
        return report::print(&format!("{:#}\n", as_json(&summary)));
    }
    report::print(&closing(project, &summary, run_dir)?)
}

fn as_json(s: &Summary) -> serde_json::Value {
    let links: Vec<_> =
        s.links.iter().map(|l| serde_json::json!({ "from": l.from, "to": l.to, "bytes": l.bytes })).collect();
    let workers: Vec<_> = s
        .workers
        .iter()
        .map(|w| {
            serde_json::json!({ "name": w.name, "arena_bytes": w.arena_bytes, "scratch_bytes": w.scratch_bytes,
                "compute_seconds": w.compute.as_secs_f64(), "samples": w.samples })
        })
        .collect();
    serde_json::json!({
        "steps": s.steps, "committed": s.committed, "replayed": s.replayed, "first_loss": s.first_loss,
        "last_loss": s.last_loss, "seconds": s.elapsed.as_secs_f64(), "steps_per_second": s.steps_per_second,
        "already_complete": s.already_complete, "links": links, "workers": workers, "restarts": s.restarts, "stopped": s.stopped,
        "checkpoint": s.checkpoint, "ledger": s.ledger,
    })
}

/// The summary for people, and the sample.
fn closing(project: &Project, s: &Summary, run_dir: &Path) -> Result<String, Error> {
    let mut t = String::new();
    if s.already_complete {
        let _ = writeln!(t, "already done: all {} steps are committed", s.steps);
    }
    let _ = writeln!(
        t,
        "\n{} after {} steps: {} committed in {:.1} s, {:.2} steps/s, {} replayed, {} restarts",
        if s.stopped { "stopped" } else { "done" },
        s.steps,
        s.committed,
        s.elapsed.as_secs_f64(),
        s.steps_per_second,
        s.replayed,
        s.restarts
    );
    if let (Some(first), Some(last)) = (s.first_loss, s.last_loss) {
        let _ = write!(t, "loss        {} -> {}", report::number(first), report::number(last));
        if let Some(text) = project.batches()?.text() {
            let _ = write!(
                t,
                "   (uniform {:.4}, the text's own bigram entropy {:.4})",
                256f64.ln(),
                bigram_entropy(text)
            );
        }
        t.push('\n');
    }
    let _ = writeln!(t, "checker     accepted the plan, here and on every worker");
    for (i, w) in s.workers.iter().enumerate() {
        let _ = writeln!(
            t,
            "{} {:<10} {:>3} samples a step, {:>7.1} s computing, memory {}",
            if i == 0 { "workers    " } else { "           " },
            w.name,
            w.samples,
            w.compute.as_secs_f64(),
            report::bytes(w.arena_bytes + w.scratch_bytes),
        );
    }
    for (i, l) in s.links.iter().enumerate() {
        let head = if i == 0 { "links      " } else { "           " };
        let _ = writeln!(t, "{head} {} -> {}: {}", l.from, l.to, report::bytes(l.bytes));
    }
    let checkpoint = s.checkpoint.as_ref().map_or("none".to_owned(), |p| p.display().to_string());
    let _ = writeln!(t, "checkpoint  {checkpoint}\nledger      {}", s.ledger.display());
    if s.stopped {
        let _ = writeln!(t, "next        pullback resume {}", run_dir.display());
        return Ok(t);
    }
    if let Some(config) = &project.config.sample {
        let text = sample(project, config, &newest_checkpoint(run_dir)?)?;
        let _ = writeln!(t, "\nA text of {} bytes from the trained model:\n", config.length);
        text.lines().for_each(|line| {
            let _ = writeln!(t, "  {line}");
        });
    }
    let plan = run_dir.join("plan.plan");
    let _ = writeln!(
        t,
        "\nnext: pullback explain {}   (what ran where, and why)\n      pullback check {}     (judge the plan again)",
        plan.display(),
        plan.display()
    );
    Ok(t)
}
