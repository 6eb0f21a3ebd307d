//! The model manifest: what a module's arguments and results are for, as JSON beside the module.
//!
//! ```json
//! { "name": "mlp", "function": "main",
//!   "args": [ { "index": 0, "name": "w", "role": "parameter", "io": "param.w", "shape": [64, 10],
//!               "dtype": "float32", "init": { "normal": { "std": 0.125 } } },
//!             { "index": 1, "name": "x", "role": "batch", "io": "batch.{step}.x" } ],
//!   "results": [ { "index": 0, "role": "loss" } ],
//!   "optimizer": { "name": "sgd", "learning_rate": 0.1 },
//!   "functions": { "predict": { "args": [], "results": [] } } }
//! ```
//!
//! Only `args` and `results` are needed, and of an entry its `name` and `role` (a result: its `role`); what is
//! said of shapes and element types is held against the module. Keys that are not known are ignored, and
//! noted. Every error names the file and the key. A manifest says nothing of how a model is distributed.

mod bind;
mod operators;
mod read;

pub use bind::{Bound, BoundArg, BoundResult};
pub use operators::Operator;

use crate::error::Error;
use crate::files;
use crate::optim::Optimizer;
use pullback_autodiff::Options;
use pullback_base::Diagnostic;
use pullback_ir::{DType, Program};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// What an argument is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Trained by gradients.
    Parameter,
    /// Carried from step to step by the function itself.
    State,
    /// From the data, new at each step.
    Batch,
    /// A key of random numbers, new at each step.
    RngKey,
}

/// What a result is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ResultRole {
    /// What is minimized: a rank-0 float.
    Loss,
    /// The next value of the state argument of the same name.
    State,
    /// Anything else worth having.
    Output,
}

/// How a tensor's first value is made.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Init {
    /// Independent normal numbers with mean 0.
    Normal {
        /// Standard deviation.
        std: f64,
    },
    /// All 0.
    Zeros {},
    /// All 1.
    Ones {},
}

/// What a manifest says of an argument.
#[derive(Clone, PartialEq, Debug)]
pub struct Arg {
    /// Position in the function.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// What it is for.
    pub role: Role,
    /// Its tensor's name in files, `{step}` standing for the step; without one `param.<name>`, `state.<name>`
    /// or `batch.{step}.<name>`.
    pub io: Option<String>,
    /// Size of each dimension.
    pub shape: Option<Vec<usize>>,
    /// Element type.
    pub dtype: Option<DType>,
    /// First value.
    pub init: Option<Init>,
}

impl Arg {
    /// Its tensor's name in files, `{step}` standing for the step.
    pub fn key(&self) -> String {
        self.io.clone().unwrap_or_else(|| match self.role {
            Role::Parameter => format!("param.{}", self.name),
            Role::State => format!("state.{}", self.name),
            Role::Batch | Role::RngKey => format!("batch.{{step}}.{}", self.name),
        })
    }
}

/// What a manifest says of a result.
#[derive(Clone, PartialEq, Debug)]
pub struct ResultEntry {
    /// Position in the function.
    pub index: usize,
    /// Its name; a state's is needed.
    pub name: Option<String>,
    /// What it is.
    pub role: ResultRole,
    /// Size of each dimension.
    pub shape: Option<Vec<usize>>,
    /// Element type.
    pub dtype: Option<DType>,
}

/// What a manifest says of a function.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Entry {
    /// Arguments.
    pub args: Vec<Arg>,
    /// Results.
    pub results: Vec<ResultEntry>,
}

/// A manifest.
#[derive(Clone, PartialEq, Debug)]
pub struct Manifest {
    /// The file it was read from.
    pub file: String,
    /// The model's name.
    pub name: String,
    /// What the model is, in words.
    pub doc: Option<String>,
    /// The function that gives the loss.
    pub function: String,
    /// Its arguments and results.
    pub main: Entry,
    /// Further public functions.
    pub functions: BTreeMap<String, Entry>,
    /// What is asked of gradients through loops: the keys `loop_bound` and `loop_memory`.
    pub loops: Options,
    /// Operators that are not ours, with the modules that say what they compute.
    pub custom_ops: Vec<Operator>,
    /// What the person should know.
    pub notes: Vec<Diagnostic>,
    optimizer: Option<serde_json::Value>,
}

impl Manifest {
    /// Reads a manifest.
    pub fn read(path: &Path) -> Result<Self, Error> {
        Self::parse(&files::read_text(path)?, &path.display().to_string())
    }

    /// The manifest in `text`; `file` is for messages.
    pub fn parse(text: &str, file: &str) -> Result<Self, Error> {
        read::parse(text, file)
    }

    /// The optimizer, if there is one. Its settings are read here, so that a manifest with an optimizer that is
    /// not known can be used for anything but steps.
    pub fn optimizer(&self) -> Result<Option<Optimizer>, Error> {
        let Some(value) = &self.optimizer else { return Ok(None) };
        let optimizer: Optimizer = serde_json::from_value(value.clone())
            .map_err(|e| Error::new(format!("optimizer: {e}")).in_file(&self.file))?;
        optimizer.validate().map_err(|e| Error::new(e).in_file(&self.file))?;
        Ok(Some(optimizer))
    }

    /// What is said of a function.
    pub fn entry(&self, function: &str) -> Result<&Entry, Error> {
        if function == self.function {
            return Ok(&self.main);
        }
        self.functions.get(function).ok_or_else(|| {
            let mut names = vec![self.function.as_str()];
            names.extend(self.functions.keys().map(String::as_str));
            Error::new(format!("functions: nothing is said of {function:?}"))
                .with_help(format!("the manifest describes: {}", names.join(", ")))
                .in_file(&self.file)
        })
    }

    /// Shapes of a function's arguments by position: those it says, else those that `tensors` has under the names of
    /// their tensors in files.
    pub fn shapes(
        &self,
        function: &str,
        tensors: impl Fn(&str) -> Option<Vec<usize>>,
    ) -> BTreeMap<usize, Vec<usize>> {
        let args = self.entry(function).map_or(&[][..], |e| &e.args);
        args.iter().filter_map(|a| Some((a.index, a.shape.clone().or_else(|| tensors(&a.key()))?))).collect()
    }

    /// A function of the module with what the manifest says of it. Every disagreement is reported.
    pub fn bind(&self, program: &Program) -> Result<Bound, Error> {
        let function = program.name();
        let bound = bind::bind(self.entry(function)?, program, &self.key_of(function), &self.file)?;
        Ok(Bound { loops: self.loops, ..bound })
    }

    /// Where a function's entry is in the file, as a prefix of keys.
    fn key_of(&self, function: &str) -> String {
        if function == self.function { String::new() } else { format!("functions.{function}.") }
    }
}
