//! A grid of programs from one file, evaluated together: replicas are rows, partitions are columns.
//!
//! Which function each process runs is a small JSON file, [`Spec`]. Tensors of process (r, c) are named
//! `p<r>.<c>.arg<i>` and `p<r>.<c>.out<o>`. A token, which has no elements, needs no input and is not written; it keeps
//! its number.

use crate::error::Error;
use crate::files;
use crate::source::Source;
use crate::tensors::TensorFile;
use pullback_base::{Diagnostic, Pos, Severity};
use pullback_eval::Tensor;
use pullback_eval::reference::{MAX_PROCESSES, eval_grid};
use pullback_ir::{DType, Program, TensorType};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Which function each process of a grid runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spec {
    /// The file's name as given.
    pub file: String,
    /// Names of functions; rows are of one length.
    pub programs: Vec<Vec<String>>,
    /// How many arguments a program takes, the most where they differ.
    pub n_args: Option<usize>,
}

/// Most names listed in a message.
const MAX_LISTED: usize = 12;

impl Spec {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, Error> {
        Self::parse(&files::read_text(path)?, &path.display().to_string())
    }

    /// Reads `{"programs": [["f", "g"]], "n_args": 2}`.
    pub fn parse(text: &str, file: &str) -> Result<Self, Error> {
        let value: Value = serde_json::from_str(text).map_err(|e| {
            let pos = Pos { line: e.line() as u32, col: e.column() as u32 };
            let message = e.to_string();
            let message = message.split(" at line ").next().unwrap_or_default();
            Error::from(Diagnostic::error(pos, format!("not JSON: {message}")).in_file(file))
        })?;
        let mut problems = Vec::new();
        let mut problem = |key: &str, message: String| {
            problems.push(Diagnostic::error(None, format!("{key}: {message}")).in_file(file));
        };
        let Some(top) = value.as_object() else {
            problem("the file", "an object with the key \"programs\" is expected".to_owned());
            return Err(problems.into());
        };
        for key in top.keys().filter(|k| !matches!(k.as_str(), "programs" | "n_args")) {
            problem(key, "no such key; there are \"programs\" and \"n_args\"".to_owned());
        }
        let n_args = match top.get("n_args") {
            None | Some(Value::Null) => None,
            Some(n) => n.as_u64().and_then(|n| usize::try_from(n).ok()).or_else(|| {
                problem("n_args", format!("a number of arguments is expected, not {n}"));
                None
            }),
        };
        let programs = rows(top.get("programs"), &mut problem);
        Error::check(problems)?;
        Ok(Self { file: file.to_owned(), programs, n_args })
    }

    /// The functions of a file that the processes run, by name.
    pub fn load(&self, source: &Source) -> Result<(BTreeMap<String, Program>, Vec<Diagnostic>), Error> {
        let names: BTreeSet<&str> = self.programs.iter().flatten().map(String::as_str).collect();
        let names: Vec<&str> = names.into_iter().collect();
        let loaded = source.load_functions(&names)?;
        Ok((loaded.functions.into_iter().map(|p| (p.name().to_owned(), p)).collect(), loaded.notes))
    }

    /// Every process with its name: `p0.1`.
    fn processes(&self) -> impl Iterator<Item = (String, &str)> {
        self.programs.iter().enumerate().flat_map(|(r, row)| {
            row.iter().enumerate().map(move |(c, name)| (format!("p{r}.{c}"), name.as_str()))
        })
    }
}

/// The rows of `programs`, with everything that is wrong with them.
fn rows(value: Option<&Value>, problem: &mut impl FnMut(&str, String)) -> Vec<Vec<String>> {
    let Some(Value::Array(rows)) = value else {
        let message = "a list of rows, each a list of names of functions, is expected";
        problem("programs", message.to_owned());
        return Vec::new();
    };
    let mut out: Vec<Vec<String>> = Vec::new();
    // Rows that are lists, with their lengths as written: what is wrong inside one is said once.
    let mut lengths: Vec<(usize, usize)> = Vec::new();
    let mut total = 0usize;
    for (r, row) in rows.iter().enumerate() {
        let Value::Array(row) = row else {
            problem(&format!("programs[{r}]"), format!("a list of names is expected, not {row}"));
            continue;
        };
        total = total.saturating_add(row.len());
        if total > MAX_PROCESSES {
            problem("programs", format!("a grid has at most {MAX_PROCESSES} programs"));
            return Vec::new();
        }
        lengths.push((r, row.len()));
        let mut names = Vec::with_capacity(row.len());
        for (c, name) in row.iter().enumerate() {
            match name.as_str() {
                Some(name) => names.push(name.to_owned()),
                None => problem(&format!("programs[{r}][{c}]"), format!("a name is expected, not {name}")),
            }
        }
        out.push(names);
    }
    match lengths.first() {
        None if rows.is_empty() => problem("programs", "there is no row".to_owned()),
        None => {}
        Some((r, 0)) => problem(&format!("programs[{r}]"), "there is no program".to_owned()),
        Some(&(first, m)) => {
            for &(r, n) in lengths.iter().filter(|(_, n)| *n != m) {
                let message = format!("{n} programs, but row {first} has {m}: rows are of one length");
                problem(&format!("programs[{r}]"), message);
            }
        }
    }
    out
}

/// A token is a tensor of bool without elements.
fn is_token(ty: &TensorType) -> bool {
    *ty == TensorType::new(DType::Bool, [0])
}

/// Evaluates a grid on the tensors of a file; gives each result with its name, in order of processes.
pub fn evaluate(
    spec: &Spec,
    programs: &BTreeMap<String, Program>,
    inputs: &TensorFile,
) -> Result<Vec<(String, Tensor)>, Error> {
    let program = |name: &str| {
        programs
            .get(name)
            .ok_or_else(|| Error::new(format!("there is no function {name:?}")).in_file(&spec.file))
    };
    let mut all = Vec::new();
    let mut problems = Vec::new();
    let mut used = BTreeSet::new();
    for (process, name) in spec.processes() {
        let p = program(name)?;
        let mut args = Vec::with_capacity(p.args().len());
        for (i, &arg) in p.args().iter().enumerate() {
            let key = format!("{process}.arg{i}");
            let ty = p.ty(arg);
            if is_token(ty) && !inputs.tensors.contains_key(&key) {
                args.push(Tensor::zeros(ty.clone()));
                continue;
            }
            match inputs.get(&key, ty, &format!("argument {i} of {name}")) {
                Ok(t) => args.push(t.clone()),
                Err(d) => problems.push(d),
            }
            used.insert(key);
        }
        all.push((process, p, args));
    }
    problems.extend(extra(inputs, &used));
    problems.extend(arguments(spec, &all));
    Error::check(problems)?;
    let columns = spec.programs.first().map_or(0, Vec::len).max(1);
    let grid: Vec<Vec<&Program>> =
        all.chunks(columns).map(|row| row.iter().map(|(_, p, _)| *p).collect()).collect();
    let (names, args): (Vec<String>, Vec<Vec<Tensor>>) =
        all.into_iter().map(|(process, _, args)| (process, args)).unzip();
    let args: Vec<Vec<Vec<Tensor>>> = args.chunks(columns).map(<[Vec<Tensor>]>::to_vec).collect();
    let results = eval_grid(&grid, &args)?;
    let mut out = Vec::new();
    for (process, results) in names.iter().zip(results.into_iter().flatten()) {
        for (o, t) in results.into_iter().enumerate().filter(|(_, t)| !is_token(t.ty())) {
            out.push((format!("{process}.out{o}"), t));
        }
    }
    Ok(out)
}

/// Tensors that no process takes: likely a misspelt name.
fn extra(inputs: &TensorFile, used: &BTreeSet<String>) -> Option<Diagnostic> {
    let extra: Vec<&str> = inputs.tensors.keys().filter(|k| !used.contains(*k)).map(String::as_str).collect();
    if extra.is_empty() {
        return None;
    }
    let mut listed = extra.iter().take(MAX_LISTED).copied().collect::<Vec<_>>().join(", ");
    if extra.len() > MAX_LISTED {
        listed.push_str(&format!(" and {} more", extra.len() - MAX_LISTED));
    }
    let message = format!("no program takes the tensors {listed}");
    Some(
        Diagnostic::new(Severity::Error, None, message)
            .in_file(&inputs.file)
            .with_help("argument i of the program in row r and column c is named p<r>.<c>.arg<i>"),
    )
}

/// `n_args` is what a program takes, the most of them where they differ; tokens may be left out.
fn arguments(spec: &Spec, all: &[(String, &Program, Vec<Tensor>)]) -> Option<Diagnostic> {
    let n_args = spec.n_args?;
    let most = |tokens: bool| {
        let counts =
            all.iter().map(|(_, p, _)| p.args().iter().filter(|&&v| tokens || !is_token(p.ty(v))).count());
        counts.max().unwrap_or(0)
    };
    if [most(true), most(false)].contains(&n_args) {
        return None;
    }
    let message = format!("n_args is {n_args}, but a program takes {} argument(s)", most(true));
    Some(Diagnostic::error(None, message).in_file(&spec.file))
}
