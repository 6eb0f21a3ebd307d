//! A module's function held against what the manifest says of it.
//!
//! What comes out names every argument and result, and its program's arguments carry the manifest's names. All
//! disagreements are collected, each with its key.

use super::read::{numpy_name, show};
use super::{Entry, Init, ResultRole, Role};
use crate::error::Error;
use pullback_autodiff::Options;
use pullback_base::Diagnostic;
use pullback_ir::{DType, Program, TensorType, Value};
use std::collections::BTreeMap;

/// An argument of a function with its role.
#[derive(Clone, PartialEq, Debug)]
pub struct BoundArg {
    /// The manifest's name; unique.
    pub name: String,
    /// What it is for.
    pub role: Role,
    /// Its tensor's name in files, `{step}` standing for the step.
    pub io: String,
    /// Element type and shape.
    pub ty: TensorType,
    /// First value, where the manifest says one.
    pub init: Option<Init>,
}

impl BoundArg {
    /// Its tensor's name in files at a step.
    pub fn key(&self, step: u64) -> String {
        self.io.replace("{step}", &step.to_string())
    }
}

/// A result of a function with its role.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BoundResult {
    /// `loss`, the state's name, or the output's (`out<i>` where the manifest gives none).
    pub name: String,
    /// What it is.
    pub role: ResultRole,
}

impl BoundResult {
    /// Its tensor's name in files: `loss`, `state.<name>`, or the output's name.
    pub fn key(&self) -> String {
        match self.role {
            ResultRole::Loss => "loss".to_owned(),
            ResultRole::State => format!("state.{}", self.name),
            ResultRole::Output => self.name.clone(),
        }
    }
}

/// A function and what each of its arguments and results is.
#[derive(Clone, PartialEq, Debug)]
pub struct Bound {
    /// The manifest's file, for messages.
    pub manifest: String,
    /// The function; its arguments have the manifest's names.
    pub program: Program,
    /// Its arguments, in order.
    pub args: Vec<BoundArg>,
    /// Its results, in order.
    pub results: Vec<BoundResult>,
    /// What is asked of its gradient.
    pub loops: Options,
}

impl Bound {
    /// Positions of the parameters.
    pub fn parameters(&self) -> Vec<usize> {
        (0..self.args.len()).filter(|&i| self.args[i].role == Role::Parameter).collect()
    }

    /// Position of the loss, a rank-0 float.
    pub fn loss(&self) -> Result<usize, Error> {
        let function = self.program.name();
        let index = self.results.iter().position(|r| r.role == ResultRole::Loss).ok_or_else(|| {
            Error::new(format!("no result of {function} has the role loss"))
                .with_help("name one under results")
                .in_file(&self.manifest)
        })?;
        let ty = self.program.ty(self.program.results()[index]);
        match ty.rank() == 0 && ty.dtype().is_float() {
            true => Ok(index),
            false => Err(Error::new(format!(
                "results[{index}]: the loss of {function} is {ty}, not a rank-0 float"
            ))
            .with_help("reduce it to a scalar in the program")
            .in_file(&self.manifest)),
        }
    }
}

/// `prefix` is put before keys, `manifest` is the file's name.
pub(super) fn bind(entry: &Entry, program: &Program, prefix: &str, manifest: &str) -> Result<Bound, Error> {
    let mut b = Binder { prefix, function: program.name(), errors: Vec::new() };
    let args = b.args(entry, program);
    let results = b.results(entry, program);
    Error::check(b.errors).map_err(|e| e.in_file(manifest))?;
    let names: Vec<Option<String>> = args.iter().map(|a| Some(a.name.clone())).collect();
    let manifest = manifest.to_owned();
    let program = program.clone().with_arg_names(&names);
    Ok(Bound { manifest, program, args, results, loops: Options::default() })
}

struct Binder<'a> {
    prefix: &'a str,
    function: &'a str,
    errors: Vec<Diagnostic>,
}

impl Binder<'_> {
    fn error(&mut self, key: &str, message: String) {
        self.errors.push(Diagnostic::error(None, format!("{}{key}: {message}", self.prefix)));
    }

    /// Which entry describes each position; complains about positions described twice or never.
    fn positions(
        &mut self,
        list: &str,
        indices: &[usize],
        program: &Program,
        values: &[Value],
    ) -> Vec<Option<usize>> {
        let mut entry_of = vec![None; values.len()];
        for (i, &index) in indices.iter().enumerate() {
            let key = format!("{list}[{i}].index");
            match entry_of.get_mut(index) {
                None => {
                    let n = values.len();
                    self.error(&key, format!("{index}, but {} has {n} {}", self.function, plural(list)));
                }
                Some(Some(other)) => {
                    let other: usize = *other;
                    self.error(&key, format!("{index} is described by {list}[{other}] already"));
                }
                Some(slot) => *slot = Some(i),
            }
        }
        for (index, _) in entry_of.iter().enumerate().filter(|(_, e)| e.is_none()) {
            let (name, ty) = (program.display_name(values[index]), program.ty(values[index]));
            self.error(
                list,
                format!("nothing is said of {} {index} of {} ({name}, {ty})", singular(list), self.function),
            );
        }
        entry_of
    }

    fn args(&mut self, entry: &Entry, program: &Program) -> Vec<BoundArg> {
        let indices: Vec<usize> = entry.args.iter().map(|a| a.index).collect();
        let entry_of = self.positions("args", &indices, program, program.args());
        let mut named: BTreeMap<&str, usize> = BTreeMap::new();
        for (i, arg) in entry.args.iter().enumerate() {
            if let Some(first) = named.insert(&arg.name, i) {
                self.error(
                    &format!("args[{i}].name"),
                    format!("{:?} is the name of args[{first}] already", arg.name),
                );
            }
            if arg.name.is_empty() {
                self.error(&format!("args[{i}].name"), "a name is not empty".to_owned());
            }
        }
        let mut bound = Vec::new();
        for (&value, i) in program.args().iter().zip(entry_of) {
            let Some(i) = i else { continue };
            let (arg, ty) = (&entry.args[i], program.ty(value).clone());
            let key = format!("args[{i}]");
            self.check_type(&key, &arg.name, arg.shape.as_deref(), arg.dtype, &ty);
            if arg.role == Role::Parameter && !ty.dtype().is_float() {
                let why =
                    format!("{:?} is {ty}; a parameter is trained, so it must be a real float", arg.name);
                self.error(&format!("{key}.role"), why);
            }
            if let Some(Init::Normal { std }) = arg.init
                && !(std.is_finite() && std >= 0.0)
            {
                self.error(&format!("{key}.init.normal.std"), format!("{std} is not a standard deviation"));
            }
            bound.push(BoundArg {
                name: arg.name.clone(),
                role: arg.role,
                io: arg.key(),
                ty,
                init: arg.init,
            });
        }
        bound
    }

    fn results(&mut self, entry: &Entry, program: &Program) -> Vec<BoundResult> {
        let indices: Vec<usize> = entry.results.iter().map(|r| r.index).collect();
        let entry_of = self.positions("results", &indices, program, program.results());
        let mut bound: Vec<BoundResult> = Vec::new();
        for (index, i) in entry_of.into_iter().enumerate() {
            let Some(i) = i else { continue };
            let (result, ty) = (&entry.results[i], program.ty(program.results()[index]));
            let key = format!("results[{i}]");
            let name = match (&result.name, result.role) {
                (_, ResultRole::Loss) => "loss".to_owned(),
                (Some(name), _) => name.clone(),
                (None, ResultRole::Output) => format!("out{index}"),
                (None, ResultRole::State) => {
                    let help = "the name of the state argument it is the next value of";
                    self.error(&format!("{key}.name"), format!("the key is missing: {help}"));
                    continue;
                }
            };
            self.check_type(&key, &name, result.shape.as_deref(), result.dtype, ty);
            let new = BoundResult { name, role: result.role };
            if bound.iter().any(|b| b.key() == new.key()) {
                self.error(&key, format!("two results would be named {}", new.key()));
            }
            bound.push(new);
        }
        bound
    }

    fn check_type(
        &mut self,
        key: &str,
        name: &str,
        shape: Option<&[usize]>,
        dtype: Option<DType>,
        ty: &TensorType,
    ) {
        if let Some(shape) = shape
            && shape != ty.shape()
        {
            let why = format!("{shape:?}, but {name:?} of {} is {}", self.function, show(ty));
            self.error(&format!("{key}.shape"), why);
        }
        if let Some(dtype) = dtype
            && dtype != ty.dtype()
        {
            let why = format!("{}, but {name:?} of {} is {}", numpy_name(dtype), self.function, show(ty));
            self.error(&format!("{key}.dtype"), why);
        }
    }
}

fn plural(list: &str) -> &'static str {
    if list == "args" { "arguments" } else { "results" }
}

fn singular(list: &str) -> &'static str {
    if list == "args" { "argument" } else { "result" }
}
