//! A text from a trained language model: its own function of logits, evaluated byte by byte.

use super::config::SampleConfig;
use super::project::Project;
use crate::error::Error;
use crate::manifest::{Bound, BoundArg, Role};
use pullback_base::rng::CounterRng;
use pullback_eval::{CpuDevice, Device, Tensor};
use pullback_ir::{Program, TensorType};
use pullback_runtime::checkpoint::Checkpoint;

/// The function of logits, understood.
struct Sampler<'a> {
    program: &'a Program,
    bound: Bound,
    /// Position of the integer input.
    at: usize,
    length: usize,
    classes: usize,
}

/// Finds what is wrong with a sample's configuration, without parameters.
pub fn check(project: &Project, config: &SampleConfig) -> Result<(), Error> {
    sampler(project, config).map(|_| ())
}

fn sampler<'a>(project: &'a Project, config: &SampleConfig) -> Result<Sampler<'a>, Error> {
    let name = &config.function;
    let program = project.module.function(name)?;
    let bound = project.manifest.bind(program)?;
    let mut input: Option<(usize, usize)> = None;
    for (i, arg) in bound.args.iter().enumerate() {
        let window = arg.ty.rank() == 2 && arg.ty.shape()[0] == 1 && arg.ty.dtype().is_integer();
        match arg.role {
            Role::Parameter => {}
            Role::Batch if input.is_none() && window => input = Some((i, arg.ty.shape()[1])),
            Role::Batch | Role::State | Role::RngKey => {
                let message = format!(
                    "sample: {name} takes {:?} besides parameters and one integer input [1, length]",
                    arg.name
                );
                return Err(Error::unsupported(message));
            }
        }
    }
    let (at, length) =
        input.ok_or_else(|| Error::new(format!("sample: {name} takes no integer input [1, length]")))?;
    let logits = program.ty(program.results()[0]);
    match logits.shape() {
        &[1, n, classes]
            if n == length && n > 0 && (1..=256).contains(&classes) && !config.prompt.is_empty() =>
        {
            Ok(Sampler { program, bound, at, length, classes })
        }
        _ => Err(Error::new(format!(
            "sample: {name} gives {logits}, not logits [1, {length}, bytes], or the prompt is empty"
        ))),
    }
}

/// Writes `config.length` bytes after the prompt; gives prompt and text.
pub fn sample(project: &Project, config: &SampleConfig, from: &Checkpoint) -> Result<String, Error> {
    let Sampler { program, bound, at, length, classes } = sampler(project, config)?;
    let value = |arg: &BoundArg| match arg.role {
        Role::Parameter => parameter(from, &arg.name, &arg.ty),
        Role::Batch | Role::State | Role::RngKey => Ok(Tensor::zeros(arg.ty.clone())),
    };
    let mut args: Vec<Tensor> = bound.args.iter().map(value).collect::<Result<_, _>>()?;
    let mut executable = CpuDevice { threads: 1 }.compile(program)?;
    let mut out = Tensor::zeros(program.ty(program.results()[0]).clone());
    let mut text = config.prompt.clone().into_bytes();
    let rng = CounterRng::new(project.config.seed, "sample");
    for k in 0..config.length {
        let window = &text[text.len().saturating_sub(length)..];
        window.iter().enumerate().for_each(|(i, &b)| args[at].set_i64(i, i64::from(b)));
        let bytes: Vec<&[u8]> = args.iter().map(Tensor::bytes).collect();
        executable.run(&bytes, &mut [out.bytes_mut()])?;
        let row = (window.len() - 1) * classes;
        let logits: Vec<f64> = (0..classes).map(|c| out.get_f64(row + c)).collect();
        text.push(choose(&logits, config.temperature, rng.uniform(k as u64)) as u8);
    }
    Ok(String::from_utf8_lossy(&text).into_owned())
}

fn parameter(from: &Checkpoint, name: &str, ty: &TensorType) -> Result<Tensor, Error> {
    let key = format!("param.{name}");
    let bytes = from.read(&key).map_err(|e| Error::new(e.to_string()))?;
    let stored = Tensor::from_bytes(ty.clone(), &bytes);
    // A run in f64 trains wider parameters than the module's function takes.
    stored
        .or_else(|e| {
            let wide = ty.with_dtype(pullback_ir::DType::F64);
            let t = Tensor::from_bytes(wide, &bytes).map_err(|_| e)?;
            Tensor::from_f64s(ty.clone(), &t.to_f64s())
        })
        .map_err(|e| Error::new(format!("{key}: {e}")))
}

/// Draws from softmax(logits / temperature) with the uniform number u.
fn choose(logits: &[f64], temperature: f64, u: f64) -> usize {
    let best = (0..logits.len()).fold(0, |b, i| if logits[i] > logits[b] { i } else { b });
    if temperature == 0.0 {
        return best;
    }
    let weights: Vec<f64> = logits.iter().map(|l| ((l - logits[best]) / temperature).exp()).collect();
    let mut left = u * weights.iter().sum::<f64>();
    for (i, w) in weights.iter().enumerate() {
        left -= w;
        if left < 0.0 {
            return i;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::choose;

    #[test]
    fn draws_follow_the_weights() {
        let logits = [0.0, 2f64.ln(), f64::NEG_INFINITY];
        assert_eq!(
            (choose(&logits, 1.0, 0.2), choose(&logits, 1.0, 0.5), choose(&logits, 1.0, 0.999)),
            (0, 1, 1)
        );
        assert_eq!(choose(&logits, 0.0, 0.0), 1);
    }
}
