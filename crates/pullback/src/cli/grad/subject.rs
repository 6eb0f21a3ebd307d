//! What is differentiated: a function, the arguments asked for, and the names its tensors have in files.

use crate::Error;
use crate::cli::inputs;
use crate::manifest::{Bound, BoundResult, Manifest};
use crate::place::Origin;
use crate::source::Loaded;
use crate::tensors::TensorFile;
use pullback_autodiff::Options;
use pullback_eval::Tensor;
use pullback_ir::Program;

/// A function and what of it is differentiated.
#[derive(Clone)]
pub struct Subject {
    /// The function.
    pub program: Program,
    /// Its file.
    pub file: String,
    /// Positions of the arguments to differentiate with respect to.
    pub wrt: Vec<usize>,
    /// The function's arguments by name: the manifest's, else `arg0`, `arg1`, … .
    pub args: Vec<String>,
    /// Its results by name: the manifest's keys, else `out0`, `out1`, … .
    pub results: Vec<String>,
    /// The roles a manifest gives them.
    pub bound: Option<Bound>,
    /// What is asked of loops.
    pub options: Options,
    /// What the function was imported from.
    pub origin: Origin,
}

impl Subject {
    /// The chosen function. `wrt` are positions or names; empty means the manifest's parameters, without a manifest all
    /// floating-point arguments.
    pub fn new(
        loaded: &Loaded,
        function: Option<&str>,
        manifest: Option<&Manifest>,
        wrt: &[String],
        options: Options,
    ) -> Result<Self, Error> {
        let (program, bound) = match manifest {
            None => (loaded.chosen(function)?.clone(), None),
            Some(m) => {
                let mut bound = m.bind(loaded.function(function.unwrap_or(&m.function))?)?;
                bound.loops = options;
                (bound.program.clone(), Some(bound))
            }
        };
        let count = program.args().len();
        let (args, results) = match &bound {
            Some(b) => (
                b.args.iter().map(|a| a.name.clone()).collect(),
                b.results.iter().map(BoundResult::key).collect(),
            ),
            None => (
                (0..count).map(|i| format!("arg{i}")).collect::<Vec<_>>(),
                (0..program.results().len()).map(|i| format!("out{i}")).collect(),
            ),
        };
        let file = loaded.file.clone();
        let origin = Origin::of(loaded);
        let mut subject = Self { program, file, wrt: Vec::new(), args, results, bound, options, origin };
        subject.wrt = match (wrt, &subject.bound) {
            ([], Some(bound)) => bound.parameters(),
            ([], None) => subject.floats(),
            (wrt, _) => wrt.iter().map(|w| subject.position(w)).collect::<Result<_, _>>()?,
        };
        if subject.wrt.is_empty() {
            let message =
                format!("{} has no argument to differentiate with respect to", subject.program.name());
            let help = "name some with --wrt; only floating-point arguments have a derivative";
            return Err(Error::new(message).with_help(help).in_file(&subject.file));
        }
        Ok(subject)
    }

    fn floats(&self) -> Vec<usize> {
        let p = &self.program;
        (0..p.args().len()).filter(|&i| p.ty(p.args()[i]).dtype().is_differentiable()).collect()
    }

    /// The position of an argument given by position or name.
    fn position(&self, text: &str) -> Result<usize, Error> {
        if let Ok(i) = text.parse() {
            return Ok(i);
        }
        let p = &self.program;
        let named = |i: &usize| self.args[*i] == text || p.value_name(p.args()[*i]) == Some(text);
        (0..p.args().len()).find(named).ok_or_else(|| {
            Error::new(format!("{} has no argument named {text:?}", p.name()))
                .with_help(format!("give a position from 0 or one of: {}", self.accepted().join(", ")))
                .in_file(&self.file)
        })
    }

    /// The names an argument may be given by, those of the file behind the manifest's or `arg0`, `arg1`, … .
    fn accepted(&self) -> Vec<String> {
        let p = &self.program;
        let both = self.args.iter().zip(p.args()).map(|(name, &a)| match p.value_name(a) {
            Some(own) if own != name => format!("{name} (or {own})"),
            _ => name.clone(),
        });
        both.collect()
    }

    /// Which result is the loss.
    pub fn loss(&self) -> Result<usize, Error> {
        self.bound.as_ref().map_or(Ok(0), Bound::loss)
    }

    /// The arguments' values in a file, at step 0.
    pub fn arguments(&self, file: &TensorFile) -> Result<Vec<Tensor>, Error> {
        match &self.bound {
            Some(bound) => inputs::by_manifest(file, bound, 0),
            None => inputs::positional(file, &self.program),
        }
    }

    /// The error with its place, `again` being what failed of the function.
    pub fn placed<T>(&self, e: impl Into<Error>, again: impl FnOnce(&Subject) -> Result<T, Error>) -> Error {
        let with = |program: &Program| again(&Subject { program: program.clone(), ..self.clone() });
        self.here(self.origin.placed(e.into(), &self.program, with))
    }

    /// The error with the function's file.
    pub fn here(&self, e: impl Into<Error>) -> Error {
        e.into().in_file(&self.file)
    }
}
