//! A run's folder: what is in it, and how a run is found there again.
//!
//! ```text
//! ledger.sqlite    commits, contributions, checkpoints, incidents
//! checkpoints/     step-000123/ ...
//! plan.plan  step.ir  strategy.toml  deployment.toml  run.json
//! workers/NAME.log
//! ```
//!
//! Must hold: the ledger is made last, so a folder with a ledger has everything else. What is read is not trusted.

use super::error::RunError;
use crate::digest::Digest;
use crate::files;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// The texts of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Artifacts {
    /// The plan.
    pub plan: String,
    /// The step program.
    pub step: String,
    /// The strategy, TOML.
    pub strategy: String,
    /// The deployment, TOML.
    pub deployment: String,
    /// Digest of the model.
    pub model: Digest,
    /// Description of data and initial state; opaque here.
    pub setup: serde_json::Value,
    /// The step to end with.
    pub steps: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RunFile {
    version: u32,
    model: Digest,
    steps: u64,
    setup: serde_json::Value,
}

const RUN_FILE: &str = "run.json";
const RUN_VERSION: u32 = 1;

/// Paths within a run's folder.
#[derive(Clone, Debug)]
pub struct RunDir {
    /// The folder.
    pub root: PathBuf,
}

impl RunDir {
    pub fn ledger(&self) -> PathBuf {
        self.root.join("ledger.sqlite")
    }

    pub fn checkpoints(&self) -> PathBuf {
        self.root.join("checkpoints")
    }

    /// Checkpoints that only bring a restarted worker back.
    pub fn recovery(&self) -> PathBuf {
        self.root.join("recovery")
    }

    pub fn log(&self, worker: &str) -> PathBuf {
        self.root.join("workers").join(format!("{worker}.log"))
    }

    /// Writes the texts of a new run.
    pub fn create(&self, a: &Artifacts) -> Result<(), RunError> {
        for dir in [self.root.clone(), self.checkpoints(), self.root.join("workers")] {
            files::make_dir(&dir).map_err(io(&dir, "make the folder"))?;
        }
        let run = RunFile { version: RUN_VERSION, model: a.model, steps: a.steps, setup: a.setup.clone() };
        let run = serde_json::to_vec_pretty(&run);
        let run = run.map_err(|e| RunError::Artifact { what: RUN_FILE, why: e.to_string() })?;
        let texts: [(&str, &[u8]); 5] = [
            ("plan.plan", a.plan.as_bytes()),
            ("step.ir", a.step.as_bytes()),
            ("strategy.toml", a.strategy.as_bytes()),
            ("deployment.toml", a.deployment.as_bytes()),
            (RUN_FILE, &run),
        ];
        for (name, bytes) in texts {
            let path = self.root.join(name);
            files::write_synced(&path, bytes).map_err(io(&path, "write"))?;
        }
        files::sync_dir(&self.root).map_err(io(&self.root, "sync"))
    }
}

impl Artifacts {
    /// Reads the texts of the run in a folder.
    pub fn read(root: &Path) -> Result<Self, RunError> {
        let text = |name: &str| {
            let path = root.join(name);
            fs::read_to_string(&path).map_err(io(&path, "read"))
        };
        let bad = |why: String| RunError::Artifact { what: RUN_FILE, why };
        let run: RunFile = serde_json::from_str(&text(RUN_FILE)?).map_err(|e| bad(e.to_string()))?;
        if run.version != RUN_VERSION {
            return Err(bad(format!(
                "version {} is unsupported; this program reads version {RUN_VERSION}",
                run.version
            )));
        }
        Ok(Self {
            plan: text("plan.plan")?,
            step: text("step.ir")?,
            strategy: text("strategy.toml")?,
            deployment: text("deployment.toml")?,
            model: run.model,
            setup: run.setup,
            steps: run.steps,
        })
    }
}

pub(super) fn io(path: &Path, doing: &'static str) -> impl FnOnce(std::io::Error) -> RunError {
    let path = path.to_owned();
    move |source| RunError::Io { path, doing, source }
}
