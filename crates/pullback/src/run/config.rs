//! `run.toml`: which model, data, optimizer and how many steps. Unknown keys are errors.

use crate::error::Error;
use crate::files;
use crate::optim::Optimizer;
use pullback_base::Diagnostic;
use pullback_ir::DType;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A run. Paths are relative to the file's folder.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunConfig {
    /// Format version: 1.
    pub version: u32,
    /// Names the run's folder under `runs/`.
    pub name: String,
    /// The StableHLO module.
    #[serde(default = "model_file")]
    pub model: PathBuf,
    /// Its manifest.
    #[serde(default = "manifest_file")]
    pub manifest: PathBuf,
    /// How to distribute.
    #[serde(default = "strategy_file")]
    pub strategy: PathBuf,
    /// The machines.
    #[serde(default = "deployment_file")]
    pub deployment: PathBuf,
    /// Optimizer steps.
    pub steps: u64,
    /// Of initial values and of the order of the data.
    #[serde(default)]
    pub seed: u64,
    /// Computes in this floating-point type instead of the module's: `f32` or `f64`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dtype: Option<String>,
    /// The optimizer.
    pub optimizer: Optimizer,
    /// Where batches come from.
    pub data: DataConfig,
    /// A text to write when the run ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<SampleConfig>,
}

/// Where batches come from. A batch is a function of seed and step.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum DataConfig {
    /// Windows of a file's bytes at random places. An input of shape [samples, length] takes `length` bytes from
    /// `offset` on in the sample's window.
    Bytes {
        /// The file.
        path: PathBuf,
        /// Offset of each batch input in the window.
        offsets: BTreeMap<String, usize>,
    },
    /// Rows of tensors at random places: the same rows for all inputs of a sample.
    Rows {
        /// A safetensors file.
        path: PathBuf,
        /// The tensor of each batch input.
        inputs: BTreeMap<String, RowsInput>,
    },
    /// Whole batches recorded in a safetensors file under the manifest's `io` names, taken in turn.
    Recorded {
        /// The file.
        path: PathBuf,
        /// How many batches there are.
        batches: u64,
    },
}

impl DataConfig {
    /// Makes a relative path one within `folder`.
    pub fn place_in(&mut self, folder: &Path) {
        match self {
            DataConfig::Bytes { path, .. }
            | DataConfig::Rows { path, .. }
            | DataConfig::Recorded { path, .. } => {
                *path = folder.join(&*path);
            }
        }
    }
}

impl DataConfig {
    /// The data file.
    pub fn path(&self) -> &Path {
        match self {
            DataConfig::Bytes { path, .. }
            | DataConfig::Rows { path, .. }
            | DataConfig::Recorded { path, .. } => path,
        }
    }
}

/// One input of [`DataConfig::Rows`].
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RowsInput {
    /// The tensor; its first dimension counts samples, the others have as many elements as the input's.
    pub tensor: String,
    /// Each number is multiplied by this.
    #[serde(default = "unit")]
    pub scale: f64,
}

/// Text from a function of the module.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SampleConfig {
    /// A public function: parameters, then one integer input [1, length]; gives logits [1, length, bytes].
    pub function: String,
    /// How the text begins.
    pub prompt: String,
    /// Bytes to write.
    pub length: usize,
    /// Logits are divided by this; 0 takes the likeliest byte.
    #[serde(default = "unit")]
    pub temperature: f64,
}

fn unit() -> f64 {
    1.0
}

fn model_file() -> PathBuf {
    "model.mlir".into()
}

fn manifest_file() -> PathBuf {
    "model.json".into()
}

fn strategy_file() -> PathBuf {
    "strategy.toml".into()
}

fn deployment_file() -> PathBuf {
    "deployment.toml".into()
}

impl RunConfig {
    /// Reads a folder's `run.toml`, or the file itself; gives the folder too.
    pub fn read(path: &Path) -> Result<(RunConfig, PathBuf), Error> {
        let file = if path.is_dir() { path.join("run.toml") } else { path.to_path_buf() };
        let text = files::read_text(&file)?;
        let config: RunConfig =
            toml::from_str(&text).map_err(|e| Error::new(e.to_string()).in_file(file.display()))?;
        config.check().map_err(|e| e.in_file(file.display()))?;
        let folder = file.parent().map_or_else(PathBuf::new, Path::to_path_buf);
        Ok((config, folder))
    }

    /// What is wrong with it.
    pub fn check(&self) -> Result<(), Error> {
        let mut problems = Vec::new();
        let mut problem = |message: String| problems.push(Diagnostic::error(None, message));
        if self.version != 1 {
            problem(format!("unsupported: version {}; this program reads version 1", self.version));
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if self.name.is_empty() || self.name.starts_with('.') || !self.name.chars().all(plain) {
            problem(format!(
                "name {:?} cannot name a folder: use letters, digits, '-', '_' and '.'",
                self.name
            ));
        }
        if self.steps == 0 {
            problem("steps must be at least 1".into());
        }
        if let Some(s) = &self.sample
            && !(s.temperature.is_finite() && s.temperature >= 0.0)
        {
            problem(format!("sample.temperature is {}; it must be 0 or more", s.temperature));
        }
        if let Err(e) = self.optimizer.validate() {
            problem(format!("optimizer: {e}"));
        }
        if self.dtype.as_deref().is_some_and(|d| !matches!(d, "f32" | "f64")) {
            problem(format!(
                "unsupported: dtype {:?}; use \"f32\" or \"f64\"",
                self.dtype.as_deref().unwrap_or("")
            ));
        }
        Error::check(problems)
    }

    /// The floating-point type to compute in, when it is not the module's.
    pub fn compute_dtype(&self) -> Option<DType> {
        self.dtype.as_deref().and_then(DType::from_name)
    }
}
