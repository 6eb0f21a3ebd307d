//! What workers are told besides the plan: where the data is and how state begins. Opaque to the runtime.

use super::config::DataConfig;
use super::data::{Batches, absolute};
use super::project::Project;
use crate::error::Error;
use crate::files;
use crate::init::init_region;
use crate::manifest::Init;
use pullback_base::Diagnostic;
use pullback_ir::Program;
use pullback_plan::{Digest, Plan};
use pullback_runtime::drive::WorkerSetup;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Data and initial state of a run.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    seed: u64,
    /// With an absolute path.
    data: DataConfig,
    /// Identity of the data file.
    data_digest: Digest,
    /// Name and name in files of each batch slot.
    inputs: Vec<(String, String)>,
    /// First value of each state slot.
    init: Vec<Init>,
}

impl Setup {
    /// The setup of a project; every parameter needs an `init` in the manifest.
    pub fn of(project: &Project) -> Result<Self, Error> {
        let (mut init, mut problems) = (Vec::new(), Vec::new());
        for s in &project.step.state {
            match s.init {
                Some(i) => init.push(i),
                None => {
                    let d = Diagnostic::error(None, format!("{} has no initial value", s.name));
                    let help = "say how it begins: \"init\": { \"normal\": { \"std\": 0.02 } }, { \"zeros\": {} } or { \"ones\": {} }";
                    problems.push(d.with_help(help).in_file(&project.manifest.file));
                }
            }
        }
        Error::check(problems)?;
        let mut data = project.config.data.clone();
        data.place_in(&absolute(&project.folder));
        Ok(Self {
            seed: project.config.seed,
            data_digest: Digest::of(&files::read(data.path())?),
            data,
            inputs: project.step.batch.iter().map(|b| (b.name.clone(), b.io.clone())).collect(),
            init,
        })
    }
}

impl Setup {
    /// What differs from the setup a run was started with, as a sentence; none when nothing does.
    pub fn difference(&self, started: &serde_json::Value) -> Option<String> {
        let Ok(started) = serde_json::from_value::<Setup>(started.clone()) else {
            return Some("the run was started by another version of this program".into());
        };
        let changed = |key: &str| Some(format!("{key} is not what the run was started with"));
        match (self, &started) {
            (a, b) if a == b => None,
            (a, b) if a.seed != b.seed => changed(&format!("run.toml: seed {} (then {})", a.seed, b.seed)),
            (a, b) if a.data != b.data => changed("run.toml: [data]"),
            (a, b) if a.data_digest != b.data_digest => {
                changed(&format!("the data file {}", a.data.path().display()))
            }
            (a, b) if a.init != b.init => changed("model.json: init"),
            _ => changed("model.json: the batch inputs"),
        }
    }
}

/// What a worker computes with.
pub fn make(setup: &serde_json::Value, step: &Program, plan: &Plan) -> Result<WorkerSetup, String> {
    let setup: Setup =
        serde_json::from_value(setup.clone()).map_err(|e| format!("the setup cannot be read: {e}"))?;
    let (batch, state) = (&plan.signature.batch, &plan.signature.state);
    if setup.inputs.len() != batch.len() || setup.init.len() != state.len() {
        return Err("the setup is of another model".into());
    }
    let ty = |arg: usize| step.ty(step.args()[arg]).clone();
    let inputs: Vec<_> =
        setup.inputs.iter().zip(batch).map(|((n, io), b)| (n.clone(), io.clone(), ty(b.arg))).collect();
    let path = setup.data.path();
    let data = files::read(path).map_err(|e| e.to_string())?;
    if Digest::of(&data) != setup.data_digest {
        return Err(format!("the data file {} is not what the run was started with", path.display()));
    }
    let batches =
        Batches::open(&setup.data, Path::new(""), setup.seed, &inputs).map_err(|e| e.to_string())?;
    let slots: Vec<_> =
        state.iter().zip(&setup.init).map(|(s, &init)| (s.name.clone(), ty(s.arg), init)).collect();
    let seed = setup.seed;
    Ok(WorkerSetup {
        batches: Box::new(batches),
        init: Box::new(move |slot, region| {
            let (name, ty, init) = &slots[slot];
            init_region(*init, seed, name, ty, region)
        }),
    })
}
