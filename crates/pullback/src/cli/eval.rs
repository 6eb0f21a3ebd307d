//! `pullback eval`: a function's results on tensors from a file.

use super::device::DeviceArgs;
use super::shapes::ShapeArgs;
use super::{inputs, report};
use crate::Error;
use crate::grid::{self, Spec};
use crate::manifest::Manifest;
use crate::source::{self, Source};
use crate::tensors::{self, TensorFile};
use pullback_eval::{Tensor, evaluate};
use std::path::{Path, PathBuf};

/// Evaluate a function on the tensors of a file
#[derive(clap::Args)]
#[command(after_help = "\
Shapes that the model leaves open are those of the tensors.
Tensors are named arg0, arg1, … and out0, out1, …; with --manifest inputs go by its `io` keys (step K for {step}),
outputs are loss, state.NAME and the names of further outputs.

With --programs, functions of the file (public or not) run together as a grid of processes, rows being replicas and
columns partitions: {\"programs\": [[\"f\", \"f\"]], \"n_args\": 2}. Tensors of the process in row r and column c are
p<r>.<c>.arg0, … and p<r>.<c>.out0, …; the reference evaluator computes.

Examples:
  pullback eval model.mlir --inputs in.safetensors --outputs out.safetensors
  pullback eval model.mlir --programs grid.json --inputs in.safetensors --outputs out.safetensors")]
pub struct Args {
    /// StableHLO text or bytecode, a file of jax.export, or the IR's text
    file: PathBuf,
    /// Public function [default: the manifest's, else main, else the only one]
    #[arg(long)]
    function: Option<String>,
    /// Tensors to read
    #[arg(long, value_name = "SAFETENSORS")]
    inputs: PathBuf,
    /// File to write; without it results are only shown
    #[arg(long, value_name = "SAFETENSORS")]
    outputs: Option<PathBuf>,
    /// What the arguments and results are
    #[arg(long, value_name = "JSON")]
    manifest: Option<PathBuf>,
    /// Run a grid of programs: the function of each process
    #[arg(long, value_name = "JSON", conflicts_with_all = ["function", "manifest", "step", "device", "threads"])]
    programs: Option<PathBuf>,
    /// Which step's inputs to take
    #[arg(long, requires = "manifest", value_name = "K", default_value_t = 0)]
    step: u64,
    #[command(flatten)]
    shapes: ShapeArgs,
    #[command(flatten)]
    device: DeviceArgs,
}

pub(super) fn run(args: &Args) -> Result<(), Error> {
    if let Some(spec) = &args.programs {
        return run_grid(args, spec);
    }
    let manifest = args.manifest.as_deref().map(Manifest::read).transpose()?;
    let inputs = TensorFile::read(&args.inputs)?;
    let function = args.function.as_deref();
    let options = match &manifest {
        None => args.shapes.options_for_inputs(function, Some(&inputs))?,
        Some(m) => args.shapes.options_for_manifest(function, m, Some((&inputs, args.step)))?,
    };
    let loaded = source::load(&args.file, &options)?;
    report::notes(&loaded.notes);
    let (program, arguments, names) = match &manifest {
        None => {
            let program = loaded.chosen(function)?.clone();
            let arguments = inputs::positional(&inputs, &program)?;
            let names: Vec<String> = (0..program.results().len()).map(|i| format!("out{i}")).collect();
            (program, arguments, names)
        }
        Some(manifest) => {
            report::notes(&manifest.notes);
            let function = function.unwrap_or(&manifest.function);
            let bound = manifest.bind(loaded.function(function)?)?;
            let arguments = inputs::by_manifest(&inputs, &bound, args.step)?;
            let names = bound.results.iter().map(|r| r.key()).collect();
            (bound.program, arguments, names)
        }
    };
    let device = args.device.open();
    let results =
        evaluate(device.as_ref(), &program, &arguments).map_err(|e| Error::from(e).in_file(&loaded.file))?;
    show(args, names.iter().map(String::as_str).zip(&results).collect())
}

/// All programs of a grid.
fn run_grid(args: &Args, spec: &Path) -> Result<(), Error> {
    let spec = Spec::read(spec)?;
    let source = Source::read(&args.file)?;
    let (programs, notes) = spec.load(&source)?;
    report::notes(&notes);
    let inputs = TensorFile::read(&args.inputs)?;
    let results = grid::evaluate(&spec, &programs, &inputs).map_err(|e| e.in_file(&source.file))?;
    show(args, results.iter().map(|(name, t)| (name.as_str(), t)).collect())
}

/// Writes results and shows them.
fn show(args: &Args, named: Vec<(&str, &Tensor)>) -> Result<(), Error> {
    if let Some(path) = &args.outputs {
        tensors::write(path, named.iter().copied())?;
    }
    let mut text = String::new();
    for (name, t) in &named {
        text.push_str(&format!("{name} {t:?}\n"));
    }
    report::print(&text)
}
