//! A text from a trained language model: its own function of logits, evaluated byte by byte.

use super::config::SampleConfig;
use super::project::Project;
use crate::error::Error;
use crate::manifest::Role;
use pullback_base::rng::CounterRng;
use pullback_eval::{CpuDevice, Device, Tensor};
use pullback_ir::TensorType;
use pullback_runtime::checkpoint::Checkpoint;

/// Writes `config.length` bytes after the prompt; gives prompt and text.
pub fn sample(project: &Project, config: &SampleConfig, from: &Checkpoint) -> Result<String, Error> {
    let program = project.module.function(&config.function)?;
    let bound = project.manifest.bind(program)?;
    let mut args: Vec<Tensor> = Vec::new();
    let mut input: Option<(usize, TensorType)> = None;
    for (i, arg) in bound.args.iter().enumerate() {
        args.push(match arg.role {
            Role::Parameter => parameter(from, &arg.name, &arg.ty)?,
            Role::Batch
                if input.is_none()
                    && arg.ty.rank() == 2
                    && arg.ty.shape()[0] == 1
                    && arg.ty.dtype().is_integer() =>
            {
                input = Some((i, arg.ty.clone()));
                Tensor::zeros(arg.ty.clone())
            }
            Role::Batch | Role::State | Role::RngKey => {
                let message = format!(
                    "sample: {} takes {:?} besides parameters and one integer input [1, length]",
                    config.function, arg.name
                );
                return Err(Error::unsupported(message));
            }
        });
    }
    let (at, ty) = input.ok_or_else(|| {
        Error::new(format!("sample: {} takes no integer input [1, length]", config.function))
    })?;
    let logits_ty = program.ty(program.results()[0]).clone();
    let &[1, length, classes] = logits_ty.shape() else {
        return Err(Error::new(format!(
            "sample: {} gives {logits_ty}, not logits [1, length, classes]",
            config.function
        )));
    };
    if length != ty.shape()[1] || classes > 256 || length == 0 || config.prompt.is_empty() {
        return Err(Error::new(format!(
            "sample: {logits_ty} are not logits of the bytes of {ty}, or the prompt is empty"
        )));
    }
    let mut executable = CpuDevice { threads: 1 }.compile(program)?;
    let mut out = Tensor::zeros(logits_ty);
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
