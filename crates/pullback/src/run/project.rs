//! A folder read: the step program, the artifacts and their identities; planning and checking it.

use super::config::RunConfig;
use super::data::{Batches, absolute};
use crate::error::Error;
use crate::files;
use crate::manifest::{Bound, Manifest};
use crate::place::Origin;
use crate::source::{self, Loaded};
use crate::step::{StepModel, build_step};
use pullback_base::Diagnostic;
use pullback_checker::{Checked, Violation};
use pullback_ir::text::canonical_math;
use pullback_ir::{Program, TensorType};
use pullback_plan::{Deployment, Digest, Plan, Signature, Strategy};
use pullback_planner::Request;
use pullback_stablehlo::ImportOptions;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What a folder says.
pub struct Project {
    /// The folder.
    pub folder: PathBuf,
    /// `run.toml`.
    pub config: RunConfig,
    /// The module's functions.
    pub module: Loaded,
    /// The manifest.
    pub manifest: Manifest,
    /// The loss with its roles.
    pub loss: Bound,
    /// The step program with its roles.
    pub step: StepModel,
    /// The strategy.
    pub strategy: Strategy,
    /// The deployment.
    pub deployment: Deployment,
    /// The strategy as written.
    pub strategy_text: String,
    /// The deployment as written.
    pub deployment_text: String,
    /// Identity of the model.
    pub model: Digest,
    /// What the person should know.
    pub notes: Vec<Diagnostic>,
    /// Seconds to import the module.
    pub import_time: Duration,
}

/// A plan that the checker accepted.
pub struct Planned {
    /// The accepted plan.
    pub checked: Checked,
    /// Time to plan.
    pub plan_time: Duration,
    /// Time to check.
    pub check_time: Duration,
}

impl Project {
    /// Reads a folder or its `run.toml`.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let (config, folder) = RunConfig::read(path)?;
        Self::of(config, folder)
    }

    /// Reads what a configuration in a folder names.
    pub fn of(config: RunConfig, folder: PathBuf) -> Result<Self, Error> {
        let manifest = Manifest::read(&folder.join(&config.manifest))?;
        let start = Instant::now();
        // Shapes that the model leaves open are the manifest's.
        let options = ImportOptions {
            function: Some(manifest.function.clone()),
            tensors: manifest.shapes(&manifest.function, |_| None),
            operators: manifest.operators()?,
            ..ImportOptions::default()
        };
        let module = source::load(&folder.join(&config.model), &options)?;
        let import_time = start.elapsed();
        let loss = manifest.bind(module.function(&manifest.function)?)?;
        let build = |p: &Program| {
            let loss = Bound { program: p.clone(), ..loss.clone() };
            build_step(&loss, &config.optimizer, config.compute_dtype())
        };
        let step = build(&loss.program).map_err(|e| Origin::of(&module).placed(e, &loss.program, build))?;
        let (strategy_text, strategy) = read_toml(&folder.join(&config.strategy), Strategy::parse)?;
        let (deployment_text, deployment) = read_toml(&folder.join(&config.deployment), Deployment::parse)?;
        let model = model_digest(&loss, &step, &config)?;
        let notes = module.notes.iter().chain(&manifest.notes).cloned().collect();
        Ok(Self {
            folder,
            config,
            module,
            manifest,
            loss,
            step,
            strategy,
            deployment,
            strategy_text,
            deployment_text,
            model,
            notes,
            import_time,
        })
    }

    /// Plans and checks.
    pub fn plan(&self) -> Result<Planned, Error> {
        let start = Instant::now();
        let request = Request {
            step: &self.step.program,
            signature: &self.step.signature,
            strategy: &self.strategy,
            deployment: &self.deployment,
            model: self.model,
        };
        let plan = pullback_planner::plan(&request).map_err(|e| {
            let error = Error::new(format!("no plan: {}", e.message));
            match e.help {
                Some(help) => error.with_help(help),
                None => error,
            }
        })?;
        let plan_time = start.elapsed();
        let start = Instant::now();
        let checked = self.check(plan)?;
        Ok(Planned { checked, plan_time, check_time: start.elapsed() })
    }

    /// Checks a plan against this folder: the model's identity here, all else by the checker.
    pub fn check(&self, plan: Plan) -> Result<Checked, Error> {
        let rejected = |violations: Vec<Violation>| -> Error {
            violations.iter().map(|v| Diagnostic::error(None, v.to_string())).collect::<Vec<_>>().into()
        };
        self.judge(plan)?.map_err(rejected)
    }

    /// The checker's verdict on a plan for this folder's model; an error when it is for another model.
    pub fn judge(&self, plan: Plan) -> Result<Result<Checked, Vec<Violation>>, Error> {
        if plan.identity.model != self.model {
            let message = format!(
                "P13 identity: the plan was made for model {}, this folder's model is {}{}",
                plan.identity.model.short(),
                self.model.short(),
                state_difference(&plan.signature, &self.step.signature)
            );
            return Err(Error::new(message).with_help(
                "undo the edit of model, manifest or optimizer, go back to the version of pullback that made the \
                 plan, or make a new plan (a run: start a new one)",
            ));
        }
        Ok(pullback_checker::check(&self.step.program, &self.strategy, &self.deployment, plan))
    }

    /// Batch inputs: names, names in files, types.
    pub fn inputs(&self) -> Vec<(String, String, TensorType)> {
        self.step.batch.iter().map(|b| (b.name.clone(), b.io.clone(), b.ty.clone())).collect()
    }

    /// The data, read.
    pub fn batches(&self) -> Result<Batches, Error> {
        Batches::open(&self.config.data, &absolute(&self.folder), self.config.seed, &self.inputs())
    }
}

fn read_toml<T>(path: &Path, parse: impl Fn(&str) -> Result<T, String>) -> Result<(String, T), Error> {
    let text = files::read_text(path)?;
    let value = parse(&text).map_err(|e| Error::new(e).in_file(path.display()))?;
    Ok((text, value))
}

/// Which state only one of the two has, as the end of a sentence; empty when both have the same.
fn state_difference(plan: &Signature, here: &Signature) -> String {
    let missing = |of: &Signature, from: &Signature| {
        let names = of.state.iter().map(|s| &s.name).filter(|n| from.state.iter().all(|s| s.name != **n));
        names.map(|n| format!("{n:?}")).collect::<Vec<_>>().join(", ")
    };
    let (old, new) = (missing(plan, here), missing(here, plan));
    let part = |start: &str, names: &str| match names {
        "" => String::new(),
        names => format!("; {start} {names}"),
    };
    part("of the plan's state it has no", &old) + &part("new in its state:", &new)
}

/// Identity of a model: its loss as mathematics, the roles and first values of its tensors, the optimizer and the
/// type it is computed in. Locations, comments and names of intermediate values are not part of it.
fn model_digest(loss: &Bound, step: &StepModel, config: &RunConfig) -> Result<Digest, Error> {
    let mut text = canonical_math(&loss.program);
    for s in &step.state {
        text.push_str(&format!("state {:?} {:?} {} {:?}\n", s.name, s.kind, s.ty, s.init));
    }
    for b in &step.batch {
        text.push_str(&format!("batch {:?} {:?} {}\n", b.name, b.role, b.ty));
    }
    let optimizer =
        serde_json::to_string(&config.optimizer).map_err(|e| Error::new(format!("optimizer: {e}")))?;
    text.push_str(&optimizer);
    Ok(Digest::of(text.as_bytes()))
}
