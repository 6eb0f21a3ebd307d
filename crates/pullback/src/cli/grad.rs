//! `pullback grad`: derivatives of a function, as a program and as numbers.

mod explain;
pub mod mode;
pub mod subject;

use super::device::DeviceArgs;
use super::loops::LoopArgs;
use super::shapes::ShapeArgs;
use super::step_run::run_steps;
use super::{inputs, report};
use crate::Error;
use crate::files;
use crate::lint;
use crate::manifest::Manifest;
use crate::source;
use crate::tensors::{self, TensorFile};
use mode::{Derived, Mode};
use pullback_autodiff::Options;
use pullback_eval::{Tensor, evaluate};
use serde_json::{Value as Json, json};
use std::path::PathBuf;
use subject::Subject;

/// Differentiate a function; emit the program of its derivatives, or compute them
#[derive(clap::Args)]
#[command(
    group = clap::ArgGroup::new("what").args(["wrt", "manifest"]).required(true).multiple(true),
    after_help = "\
Modes take further inputs and give further outputs, A and B being arguments differentiated with respect to, R a
floating-point result:
  value-and-grad                         loss, grad.A          the loss is result 0, or the manifest's
  jvp                 takes tangent.A    tangent.R
  vjp                 takes ct.R         grad.A
  hvp                 takes vector.A     loss, grad.A, hvp.A   Hessian times vector
  jacfwd, jacrev                         jac.R.A               dimensions of R, then of A
  hessian                                loss, grad.A, hessian.A.B
Without a manifest arguments are arg0, arg1, … and results out0, out1, … (the loss is `loss`). With --manifest inputs
go by its `io` keys at step 0, others by its names, and without --wrt derivatives are with respect to all parameters;
--steps N also runs its optimizer from zero state on steps 0 to N-1: step_losses [N], final.NAME, final_state.NAME.
The emitted module takes the source's arguments, then further inputs, and returns its results, then the derivatives.

Examples: pullback grad model.mlir --wrt 0,2 --emit augmented.mlir
          pullback grad model.mlir --mode hvp --wrt w --inputs point.safetensors --outputs hvp.safetensors
          pullback grad model.mlir --manifest model.json --inputs io.safetensors --outputs out.safetensors --steps 5"
)]
pub struct Args {
    /// StableHLO text or bytecode, a file of jax.export, or the IR's text
    file: PathBuf,
    /// Which derivative
    #[arg(long, value_enum, default_value = "value-and-grad")]
    mode: Mode,
    /// Public function [default: the manifest's, else main, else the only one]
    #[arg(long)]
    function: Option<String>,
    /// Arguments to differentiate with respect to: positions from 0, or names
    #[arg(long, value_delimiter = ',', value_name = "I,J,…")]
    wrt: Vec<String>,
    /// What the arguments and results are
    #[arg(long, value_name = "JSON")]
    manifest: Option<PathBuf>,
    /// Write the program that also returns the derivatives, as StableHLO text
    #[arg(long, value_name = "MLIR")]
    emit: Option<PathBuf>,
    /// Tensors to read
    #[arg(long, value_name = "SAFETENSORS")]
    inputs: Option<PathBuf>,
    /// File to write
    #[arg(long, value_name = "SAFETENSORS", requires = "inputs")]
    outputs: Option<PathBuf>,
    /// Also train for this many steps
    #[arg(long, value_name = "N", requires = "manifest", requires = "inputs",
        value_parser = clap::value_parser!(u32).range(1..))]
    steps: Option<u32>,
    /// Show what the gradient keeps of its forward part, how large it is and which op's pullback reads it
    #[arg(long, conflicts_with_all = ["inputs", "emit"])]
    explain: bool,
    /// With --explain: what to execute twice so that no more bytes are live at once
    #[arg(long, value_name = "BYTES", requires = "explain")]
    memory: Option<u64>,
    /// Show results as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    loops: LoopArgs,
    #[command(flatten)]
    shapes: ShapeArgs,
    #[command(flatten)]
    device: DeviceArgs,
}

type Outputs = Vec<(String, Tensor)>;

pub(super) fn run(args: &Args) -> Result<(), Error> {
    let manifest = args.manifest.as_deref().map(Manifest::read).transpose()?;
    let inputs = args.inputs.as_deref().map(TensorFile::read).transpose()?;
    let (function, inputs) = (args.function.as_deref(), inputs.as_ref());
    let options = match &manifest {
        Some(m) => args.shapes.options_for_manifest(function, m, inputs.map(|f| (f, 0)))?,
        None => args.shapes.options_for_inputs(function, inputs)?,
    };
    let loaded = source::load(&args.file, &options)?;
    report::notes(&loaded.notes);
    report::notes(manifest.as_ref().map_or(&[], |m| &m.notes));
    let options = args.loops.options(manifest.as_ref().map_or_else(Options::default, |m| m.loops));
    let subject = Subject::new(&loaded, function, manifest.as_ref(), &args.wrt, options)?;
    report::notes(&lint::lost_marks(&subject.program, &subject.wrt));
    report::notes(&args.mode.left_out(&subject)?);
    let derived = args.mode.derive(&subject)?;
    if args.explain {
        return explained(args, &subject, &derived);
    }
    let outputs = match inputs {
        Some(file) => compute(args, &subject, &derived, file, manifest.as_ref())?,
        None => Vec::new(),
    };
    // Under the source's name, so that what is called @main stays what other tools run.
    let module = || {
        let named = derived.program.clone().with_name(subject.program.name());
        pullback_stablehlo::print(&[&named])
    };
    if let Some(path) = &args.emit {
        files::write_atomic(path, module().as_bytes())?;
    }
    if let Some(path) = &args.outputs {
        tensors::write(path, outputs.iter().map(|(name, t)| (name.as_str(), t)))?;
    }
    if args.json {
        return report::print(&format!("{:#}\n", json_of(args, &subject, &derived, &outputs)));
    }
    if args.inputs.is_none() && args.emit.is_none() {
        return report::print(&module());
    }
    let mut text = String::new();
    for (name, t) in &outputs {
        text.push_str(&format!("{name} {t:?}\n"));
    }
    report::print(&text)
}

fn explained(args: &Args, subject: &Subject, derived: &Derived) -> Result<(), Error> {
    if args.mode != Mode::ValueAndGrad {
        let message = format!("--explain of --mode {}", mode_name(args.mode));
        return Err(Error::unsupported(message).with_help("it explains value-and-grad; leave --mode out"));
    }
    let explained = explain::explain(subject, derived, args.memory)?;
    report::print(&match args.json {
        true => format!("{:#}\n", explained.json()),
        false => explained.text(),
    })
}

/// What the derived program gives on a file's tensors, and the optimizer's steps where they are asked for.
fn compute(
    args: &Args,
    subject: &Subject,
    derived: &Derived,
    file: &TensorFile,
    manifest: Option<&Manifest>,
) -> Result<Outputs, Error> {
    let mut arguments = subject.arguments(file)?;
    let extra = derived
        .extra
        .iter()
        .map(|(name, ty)| file.get(name, ty, &format!("--mode {}", mode_name(args.mode))));
    arguments.extend(inputs::all(extra)?);
    let device = args.device.open();
    let results = evaluate(device.as_ref(), &derived.program, &arguments).map_err(|e| subject.here(e))?;
    let mut outputs: Outputs = derived.names.iter().cloned().zip(results).collect();
    if let (Some(n), Some(manifest), Some(bound)) = (args.steps, manifest, &subject.bound) {
        let optimizer = manifest.optimizer()?.ok_or_else(|| {
            Error::new("optimizer: the key is missing, --steps needs it").in_file(&manifest.file)
        })?;
        outputs.extend(run_steps(bound, &optimizer, file, n, device.as_ref()).map_err(|e| subject.here(e))?);
    }
    Ok(outputs)
}

fn mode_name(mode: Mode) -> String {
    use clap::ValueEnum as _;
    mode.to_possible_value().map_or_else(String::new, |v| v.get_name().to_owned())
}

/// Most elements of a tensor that are written out.
const MAX_SHOWN: usize = 4096;

fn json_of(args: &Args, s: &Subject, derived: &Derived, outputs: &Outputs) -> Json {
    let program = &derived.program;
    let described = |name: &str, ty: &pullback_ir::TensorType| -> Json {
        json!({ "name": name, "dtype": ty.dtype().name(), "shape": ty.shape() })
    };
    let results: Vec<Json> =
        derived.names.iter().zip(program.results()).map(|(n, &v)| described(n, program.ty(v))).collect();
    let values = |t: &Tensor| -> Json {
        let complex = t.dtype().is_differentiable() && !t.dtype().is_float();
        if complex || t.count() > MAX_SHOWN { Json::Null } else { json!(t.to_f64s()) }
    };
    let computed: Vec<Json> = outputs
        .iter()
        .map(|(name, t)| {
            let mut about = described(name, t.ty());
            about["values"] = values(t);
            about
        })
        .collect();
    json!({
        "file": s.file,
        "function": s.program.name(),
        "mode": mode_name(args.mode),
        "wrt": s.wrt.iter().map(|&i| json!({ "index": i, "name": s.args.get(i) })).collect::<Vec<_>>(),
        "takes": derived.extra.iter().map(|(n, ty)| described(n, ty)).collect::<Vec<_>>(),
        "gives": results,
        "operations": program.instrs().len(),
        "values": computed,
    })
}
