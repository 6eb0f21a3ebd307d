//! `pullback inspect`: what a file holds and what it would cost, without running it.
//!
//! A file that cannot be imported for operations that are not supported is shown as far as it is understood, with exit
//! code 1 and the reasons as errors.

use super::shapes::ShapeArgs;
use super::{annotations, report, signature};
use crate::Error;
use crate::manifest::{Bound, Manifest, Role};
use crate::place::Origin;
use crate::source::{Loaded, Source};
use crate::step::{inlined, loss_and_gradients};
use pullback_autodiff::value_and_grad;
use pullback_base::{Diagnostic, Severity};
use pullback_ir::count::{census, peak_live, program_cost};
use pullback_ir::{Program, TensorType, Value};
use pullback_stablehlo::{Census, OpCount, Signature};
use serde_json::{Map, Value as Json, json};
use std::fmt::Write as _;
use std::path::PathBuf;

/// Show a file's functions, operations, parameters and costs, and what is unsupported
#[derive(clap::Args)]
#[command(after_help = "\
Parameters are the manifest's, or without one all floating-point arguments. FLOPs count a multiply-add as two; bytes
moved are those of all operands and results, as if nothing were fused; peak live bytes are under program order. The exit
code is 1 where the file cannot be imported; what is unsupported is listed then.

Example: pullback inspect model.mlir --manifest model.json")]
pub struct Args {
    /// StableHLO text or bytecode, a file of jax.export, or the IR's text
    file: PathBuf,
    /// Only this public function
    #[arg(long)]
    function: Option<String>,
    /// What the arguments and results are
    #[arg(long, value_name = "JSON")]
    manifest: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    shapes: ShapeArgs,
}

pub(super) fn run(args: &Args) -> Result<(), Error> {
    let source = Source::read(&args.file)?;
    let ops = source.census()?;
    let manifest = args.manifest.as_deref().map(Manifest::read).transpose()?;
    let function = args.function.as_deref();
    let options = match &manifest {
        Some(m) => args.shapes.options_for_manifest(function, m, None)?,
        None => args.shapes.options(function)?,
    };
    let (mut open, mut refused) = (Vec::new(), Vec::new());
    let loaded = match source.load(&options) {
        Ok(loaded) => Some(loaded),
        Err(_) if args.shapes.is_empty() && options.tensors.is_empty() && is_open(&source)? => {
            open = source.signatures()?;
            None
        }
        Err(e) if e.diagnostics().iter().all(|d| d.severity == Severity::Unsupported) => {
            refused = e.diagnostics().to_vec();
            None
        }
        Err(e) => return Err(e),
    };
    let functions = match &loaded {
        Some(loaded) => functions(args, loaded, manifest.as_ref())?,
        None => Vec::new(),
    };
    let mut notes = loaded.as_ref().map_or_else(Vec::new, |l| l.notes.clone());
    notes.extend(manifest.iter().flat_map(|m| m.notes.iter().cloned()));
    let view = View { file: &source.file, loaded: loaded.as_ref(), ops, functions, open, refused, notes };
    match args.json {
        true => report::print(&format!("{:#}\n", view.json()))?,
        false => {
            report::notes(&view.notes);
            report::print(&view.text())?;
        }
    }
    Error::check(view.refused)
}

/// Whether shapes have to be given before the file can be imported.
fn is_open(source: &Source) -> Result<bool, Error> {
    Ok(source.signatures()?.iter().any(Signature::is_open))
}

/// One function, and what the manifest says of it.
struct Function {
    program: Program,
    /// With what it is made of in the place of its composites: what is counted.
    inlined: Program,
    bound: Option<Bound>,
    /// The number of operations of loss and gradients, or why there is none; `None` for what is no loss.
    gradient: Option<Result<usize, String>>,
}

fn functions(args: &Args, loaded: &Loaded, manifest: Option<&Manifest>) -> Result<Vec<Function>, Error> {
    let chosen: Vec<&Program> = match &args.function {
        Some(name) => vec![loaded.function(name)?],
        None => loaded.functions.iter().collect(),
    };
    chosen
        .into_iter()
        .map(|program| {
            // Without --function only what the manifest describes is held against it.
            let described = |m: &&Manifest| args.function.is_some() || m.entry(program.name()).is_ok();
            let bound = manifest.filter(described).map(|m| m.bind(program)).transpose()?;
            let gradient = gradient(loaded, program, bound.as_ref());
            let program = bound.as_ref().map_or(program, |b| &b.program).clone();
            Ok(Function { inlined: inlined(&program)?, program, bound, gradient })
        })
        .collect()
}

/// Whether a function that looks like a loss can be differentiated.
fn gradient(loaded: &Loaded, program: &Program, bound: Option<&Bound>) -> Option<Result<usize, String>> {
    let placed = |e: Error, again: &dyn Fn(&Program) -> Result<Program, Error>| {
        Origin::of(loaded).placed(e, program, again).to_string()
    };
    let grad = match bound {
        Some(bound) => {
            bound.loss().ok()?;
            let again = |p: &Program| loss_and_gradients(&Bound { program: p.clone(), ..bound.clone() });
            again(&bound.program).map_err(|e| placed(e, &again))
        }
        None => {
            let loss = program.ty(*program.results().first()?);
            let wrt: Vec<usize> = (0..program.args().len())
                .filter(|&i| program.ty(program.args()[i]).dtype().is_float())
                .collect();
            if loss.rank() != 0 || !loss.dtype().is_float() || wrt.is_empty() {
                return None;
            }
            let again = |p: &Program| value_and_grad(p, &wrt).map_err(Error::from);
            again(program).map_err(|e| placed(e, &again))
        }
    };
    Some(grad.map(|g| g.instrs().len()))
}

impl Function {
    fn is_parameter(&self, index: usize, ty: &TensorType) -> bool {
        match &self.bound {
            Some(bound) => bound.args[index].role == Role::Parameter,
            None => ty.dtype().is_float(),
        }
    }

    /// Number, elements and bytes of the parameters.
    fn parameters(&self) -> (usize, u64, u64) {
        let p = &self.program;
        let types = p.args().iter().map(|&v| p.ty(v)).enumerate();
        types.filter(|(i, ty)| self.is_parameter(*i, ty)).fold((0, 0, 0), |(n, elements, bytes), (_, ty)| {
            (n + 1, elements + ty.count() as u64, bytes + ty.bytes() as u64)
        })
    }

    fn role(&self, index: usize) -> Option<&'static str> {
        self.bound.as_ref().map(|b| match b.args[index].role {
            Role::Parameter => "parameter",
            Role::State => "state",
            Role::Batch => "batch",
            Role::RngKey => "rng-key",
        })
    }

    fn result_name(&self, index: usize) -> Option<String> {
        match &self.bound {
            Some(bound) => Some(bound.results[index].key()),
            None => self.program.result_name(index).filter(|n| !n.is_empty()).map(str::to_owned),
        }
    }
}

/// Everything there is to say.
struct View<'a> {
    file: &'a str,
    loaded: Option<&'a Loaded>,
    ops: Option<Census>,
    functions: Vec<Function>,
    /// Functions instead of those, where shapes are open.
    open: Vec<Signature>,
    /// Why there are no functions.
    refused: Vec<Diagnostic>,
    notes: Vec<Diagnostic>,
}

impl View<'_> {
    fn text(&self) -> String {
        let mut out = match self.loaded {
            Some(loaded) => format!("{}: module {}\n", self.file, loaded.name),
            None if !self.open.is_empty() => format!("{}: shapes are open\n", self.file),
            None => format!("{}: cannot be imported, see \"unsupported\" below\n", self.file),
        };
        for f in &self.functions {
            function_text(&mut out, f);
        }
        for s in &self.open {
            signature::text(&mut out, s);
        }
        if let Some(loaded) = self.loaded {
            annotations::text(&mut out, &loaded.annotations);
        }
        if let Some(ops) = &self.ops {
            let _ = writeln!(out, "\noperations in the text: {} in {} functions", ops.total(), ops.functions);
            let counts = ops.ops.iter().map(|(name, c)| (name.as_str(), c.count));
            columns(&mut out, counts);
        }
        self.unsupported_text(&mut out);
        out
    }

    fn unsupported_text(&self, out: &mut String) {
        let listed: Vec<_> = self.ops.iter().flat_map(Census::unsupported).collect();
        for (name, c) in &listed {
            let _ =
                writeln!(out, "\nunsupported: {name}, {} times, first at {}:{}", c.count, self.file, c.first);
            let _ = writeln!(out, "  help: {}", c.unsupported.unwrap_or_default());
        }
        for d in self.refused.iter().filter(|d| !listed.iter().any(|(name, _)| d.message.contains(name))) {
            let _ = writeln!(out, "\n{d}");
        }
        if listed.is_empty() && self.refused.is_empty() {
            out.push_str("\nunsupported: nothing\n");
        }
    }

    fn json(&self) -> Json {
        let ops = self.ops.iter().flat_map(|c| &c.ops);
        let ops: Map<String, Json> = ops
            .map(|(name, c)| {
                let mut about = counted(c);
                about["supported"] = c.unsupported.is_none().into();
                (name.clone(), about)
            })
            .collect();
        let unsupported: Vec<Json> = (self.ops.iter().flat_map(Census::unsupported))
            .map(|(name, c)| {
                let mut about = counted(c);
                about["op"] = name.into();
                about["help"] = c.unsupported.into();
                about
            })
            .collect();
        let texts = |ds: &[Diagnostic]| ds.iter().map(ToString::to_string).collect::<Vec<_>>();
        json!({
            "file": self.file,
            "module": self.loaded.map(|l| &l.name),
            "functions": self.functions.iter().map(function_json).collect::<Vec<_>>(),
            "annotations": self.loaded.map(|l| annotations::json(&l.annotations)),
            "signatures": self.open.iter().map(signature::json).collect::<Vec<_>>(),
            "operations": ops,
            "unsupported": unsupported,
            "refused": texts(&self.refused),
            "notes": texts(&self.notes),
        })
    }
}

/// How often an operation occurs and where first: a line and a column, or a byte of a binary file.
fn counted(c: &OpCount) -> Json {
    match c.first.line {
        0 => json!({"count": c.count, "byte": c.first.col}),
        line => json!({"count": c.count, "line": line, "column": c.first.col}),
    }
}

fn function_text(out: &mut String, f: &Function) {
    let p = &f.program;
    let _ = writeln!(out, "\n@{}: {} arguments, {} results", p.name(), p.args().len(), p.results().len());
    let name = |v: Value| p.value_name(v).unwrap_or("-").to_owned();
    let width = p.args().iter().map(|&v| name(v).chars().count()).max().unwrap_or(0);
    for (i, &v) in p.args().iter().enumerate() {
        let role = f.role(i).unwrap_or_default();
        let line = format!("  arg{i:<4} {:width$}  {:<16} {role}", name(v), p.ty(v).to_string());
        let _ = writeln!(out, "{}", line.trim_end());
    }
    for (i, &v) in p.results().iter().enumerate() {
        let line =
            format!("  out{i:<4} {:width$}  {}", f.result_name(i).unwrap_or_else(|| "-".to_owned()), p.ty(v));
        let _ = writeln!(out, "{line}");
    }
    let (n, elements, bytes) = f.parameters();
    let (cost, peak) = (program_cost(&f.inlined), peak_live(&f.inlined));
    let kind = if f.bound.is_some() { "parameters" } else { "float arguments" };
    let _ = writeln!(out, "  {kind}: {n} tensors, {elements} elements, {}", report::bytes(bytes));
    let _ = writeln!(out, "  FLOPs: {}", report::count(cost.flops));
    let _ = writeln!(out, "  bytes moved: {}", report::bytes(cost.bytes));
    let _ = writeln!(
        out,
        "  peak live bytes: {} with arguments held, {} with arguments freed",
        report::bytes(peak.args_held),
        report::bytes(peak.args_freed)
    );
    match &f.gradient {
        Some(Ok(n)) => {
            let _ = writeln!(out, "  gradient: yes, {n} operations with the loss");
        }
        Some(Err(e)) => {
            let _ = writeln!(out, "  gradient: no: {e}");
        }
        None => {}
    }
    let _ = writeln!(out, "  operations, calls inlined: {}", f.inlined.instrs().len());
    columns(out, census(&f.inlined).into_iter());
}

fn function_json(f: &Function) -> Json {
    let p = &f.program;
    let tensor = |i: usize, v: Value, name: Option<String>, role: Option<&str>| {
        let ty = p.ty(v);
        let mut map = Map::new();
        map.insert("index".into(), json!(i));
        map.insert("name".into(), json!(name));
        if let Some(role) = role {
            map.insert("role".into(), json!(role));
        }
        map.insert("dtype".into(), json!(ty.dtype().name()));
        map.insert("shape".into(), json!(ty.shape()));
        map.insert("bytes".into(), json!(ty.bytes()));
        Json::Object(map)
    };
    let args = p.args().iter().enumerate();
    let results = p.results().iter().enumerate();
    let (n, elements, bytes) = f.parameters();
    let (cost, peak) = (program_cost(&f.inlined), peak_live(&f.inlined));
    json!({
        "name": p.name(),
        "arguments": args.map(|(i, &v)| tensor(i, v, p.value_name(v).map(str::to_owned), f.role(i))).collect::<Vec<_>>(),
        "results": results.map(|(i, &v)| tensor(i, v, f.result_name(i), None)).collect::<Vec<_>>(),
        "parameters": { "tensors": n, "elements": elements, "bytes": bytes },
        "flops": cost.flops,
        "bytes_moved": cost.bytes,
        "peak_live_bytes": { "arguments_held": peak.args_held, "arguments_freed": peak.args_freed },
        "gradient": f.gradient.as_ref().map(|g| match g {
            Ok(n) => json!({ "operations": n }),
            Err(e) => json!({ "error": e }),
        }),
        "operations": census(&f.inlined),
    })
}

/// Counts, most frequent first, a few to a line.
fn columns<'a>(out: &mut String, counts: impl Iterator<Item = (&'a str, usize)>) {
    const PER_LINE: usize = 3;
    let mut counts: Vec<(&str, usize)> = counts.collect();
    counts.sort_by_key(|&(name, n)| (std::cmp::Reverse(n), name));
    let width = counts.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for line in counts.chunks(PER_LINE) {
        let cells: Vec<String> = line.iter().map(|(name, n)| format!("{n:>5} {name:<width$}")).collect();
        let _ = writeln!(out, "  {}", cells.join(" ").trim_end());
    }
}
