//! `pullback grad`: the gradient of a loss, as a program and as numbers.

use super::device::DeviceArgs;
use super::shapes::ShapeArgs;
use super::step_run::run_steps;
use super::{inputs, report};
use crate::Error;
use crate::files;
use crate::manifest::{Bound, BoundResult, Manifest};
use crate::source::{self, Loaded};
use crate::step::{loss_and_gradients, simplify};
use crate::tensors::{self, TensorFile};
use pullback_autodiff::{Options, value_and_grad_with};
use pullback_eval::{Tensor, evaluate};
use pullback_ir::Program;
use std::path::PathBuf;

/// Differentiate a loss; emit the program of its gradients, or compute them
#[derive(clap::Args)]
#[command(
    group = clap::ArgGroup::new("what").args(["wrt", "manifest"]).required(true),
    after_help = "\
With --wrt inputs are named arg0, arg1, …; outputs are loss and grad.arg0, … . With --manifest inputs go by its `io`
keys at step 0 and gradients are of all parameters: loss, grad.NAME, state.NAME; --steps N also runs the manifest's
optimizer from zero state on steps 0 to N-1: step_losses [N], final.NAME, final_state.NAME.
The emitted module takes the same arguments and returns the source's results, then the gradients in order.

Examples: pullback grad model.mlir --wrt 0,2 --emit augmented.mlir
          pullback grad model.mlir --manifest model.json --inputs io.safetensors --outputs out.safetensors --steps 5"
)]
pub struct Args {
    /// StableHLO text or bytecode, a file of jax.export, or the IR's text
    file: PathBuf,
    /// Public function [default: the manifest's, else main, else the only one]
    #[arg(long)]
    function: Option<String>,
    /// Positions of the arguments to differentiate with respect to, from 0
    #[arg(long, value_delimiter = ',', value_name = "I,J,…")]
    wrt: Vec<usize>,
    /// What the arguments and results are
    #[arg(long, value_name = "JSON")]
    manifest: Option<PathBuf>,
    /// Write the program that also returns the gradients, as StableHLO text
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
    /// Most turns of a loop whose number of turns depends on data; beyond it the gradient is NaN [default: the manifest's]
    #[arg(long, value_name = "N")]
    loop_bound: Option<u64>,
    /// Most bytes that one loop keeps for its gradient; what does not fit is computed again [default: the manifest's]
    #[arg(long, value_name = "BYTES")]
    loop_memory: Option<u64>,
    #[command(flatten)]
    shapes: ShapeArgs,
    #[command(flatten)]
    device: DeviceArgs,
}

impl Args {
    /// What is asked of loops, here or else where `given` is from.
    fn loops(&self, given: Options) -> Options {
        Options {
            loop_bound: self.loop_bound.or(given.loop_bound),
            loop_memory: self.loop_memory.or(given.loop_memory),
        }
    }
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
    let (augmented, outputs) = match &manifest {
        Some(manifest) => {
            report::notes(&manifest.notes);
            by_manifest(args, &loaded, manifest, inputs)?
        }
        None => by_position(args, &loaded, inputs)?,
    };
    if let Some(path) = &args.emit {
        files::write_atomic(path, pullback_stablehlo::print(&[&augmented]).as_bytes())?;
    }
    if let Some(path) = &args.outputs {
        tensors::write(path, outputs.iter().map(|(name, t)| (name.as_str(), t)))?;
    }
    if args.inputs.is_none() && args.emit.is_none() {
        return report::print(&pullback_stablehlo::print(&[&augmented]));
    }
    let mut text = String::new();
    for (name, t) in &outputs {
        text.push_str(&format!("{name} {t:?}\n"));
    }
    report::print(&text)
}

/// The augmented program, and what it gives when there are inputs.
fn by_position(
    args: &Args,
    loaded: &Loaded,
    inputs: Option<&TensorFile>,
) -> Result<(Program, Outputs), Error> {
    let program = loaded.chosen(args.function.as_deref())?;
    let here = |e: Error| e.in_file(&loaded.file);
    let options = args.loops(Options::default());
    let augmented = value_and_grad_with(program, &args.wrt, &options).map_err(|e| here(e.into()))?;
    let augmented = simplify(&augmented).map_err(here)?;
    let Some(file) = inputs else { return Ok((augmented, Vec::new())) };
    let arguments = inputs::positional(file, program)?;
    let n = program.results().len();
    let names = (0..n).map(|i| if i == 0 { "loss".to_owned() } else { format!("out{i}") });
    let names: Vec<String> = names.chain(args.wrt.iter().map(|i| format!("grad.arg{i}"))).collect();
    let results =
        evaluate(args.device.open().as_ref(), &augmented, &arguments).map_err(|e| here(e.into()))?;
    Ok((augmented, names.into_iter().zip(results).collect()))
}

fn by_manifest(
    args: &Args,
    loaded: &Loaded,
    manifest: &Manifest,
    inputs: Option<&TensorFile>,
) -> Result<(Program, Outputs), Error> {
    let function = args.function.as_deref().unwrap_or(&manifest.function);
    let mut bound = manifest.bind(loaded.function(function)?)?;
    bound.loops = args.loops(bound.loops);
    let here = |e: Error| e.in_file(&loaded.file);
    let augmented = loss_and_gradients(&bound).map_err(here)?;
    let Some(file) = inputs else { return Ok((augmented, Vec::new())) };
    let arguments = inputs::by_manifest(file, &bound, 0)?;
    let device = args.device.open();
    let results = evaluate(device.as_ref(), &augmented, &arguments).map_err(|e| here(e.into()))?;
    let mut outputs: Outputs = names(&bound).into_iter().zip(results).collect();
    if let Some(n) = args.steps {
        let optimizer = manifest.optimizer()?.ok_or_else(|| {
            Error::new("optimizer: the key is missing, --steps needs it").in_file(&manifest.file)
        })?;
        outputs.extend(run_steps(&bound, &optimizer, file, n, device.as_ref()).map_err(here)?);
    }
    Ok((augmented, outputs))
}

/// `loss`, `state.<name>` and outputs in the function's order, then `grad.<name>`.
fn names(bound: &Bound) -> Vec<String> {
    let results = bound.results.iter().map(BoundResult::key);
    let gradients = bound.parameters().into_iter().map(|i| format!("grad.{}", bound.args[i].name));
    results.chain(gradients).collect()
}
