//! Some optimizer steps in this process, by the step program: what `grad --steps` does.
//!
//! No plan, no workers: one device evaluates the global program.

use super::inputs;
use crate::Error;
use crate::manifest::Bound;
use crate::optim::Optimizer;
use crate::step::{Slot, SlotKind, StepModel, build_step};
use crate::tensors::TensorFile;
use pullback_eval::{Device, Tensor};

/// Runs steps 0..n from the file's parameters and state and zero optimizer state, step k on the file's batch k.
/// Gives `step_losses` [n], `final.<name>` of parameters and `final_state.<name>` of state.
pub fn run_steps(
    bound: &Bound,
    optimizer: &Optimizer,
    file: &TensorFile,
    n: u32,
    device: &dyn Device,
) -> Result<Vec<(String, Tensor)>, Error> {
    let model = build_step(bound, optimizer, None)?;
    let batches = (0..n).map(|k| batch(&model, file, u64::from(k))).collect::<Result<Vec<_>, _>>()?;
    let mut state = first_state(&model, file)?;
    let mut executable = device.compile(&model.program)?;
    let results = model.program.results();
    let mut losses = Vec::new();
    for batch in &batches {
        let mut out: Vec<Tensor> =
            results.iter().map(|&v| Tensor::zeros(model.program.ty(v).clone())).collect();
        let args: Vec<&[u8]> = state.iter().chain(batch).map(Tensor::bytes).collect();
        let mut bytes: Vec<&mut [u8]> = out.iter_mut().map(Tensor::bytes_mut).collect();
        executable.run(&args, &mut bytes)?;
        losses.extend_from_slice(out[0].bytes());
        // Results 1.. are the next values of the slots, in order.
        state = out.drain(1..=model.state.len()).collect();
    }
    let loss = model.program.ty(results[0]).with_shape([n as usize]);
    let mut named = vec![("step_losses".to_owned(), Tensor::from_bytes(loss, &losses)?)];
    for (slot, tensor) in model.state.iter().zip(state) {
        let name = slot.name.split_once('.').map_or(slot.name.as_str(), |(_, name)| name);
        match slot.kind {
            SlotKind::Parameter => named.push((format!("final.{name}"), tensor)),
            SlotKind::State => named.push((format!("final_state.{name}"), tensor)),
            SlotKind::Optimizer => {}
        }
    }
    Ok(named)
}

fn batch(model: &StepModel, file: &TensorFile, step: u64) -> Result<Vec<Tensor>, Error> {
    inputs::all(model.batch.iter().map(|input| {
        let key = input.io.replace("{step}", &step.to_string());
        file.get(&key, &input.ty, &format!("{:?} of step {step}", input.name))
    }))
}

fn first_state(model: &StepModel, file: &TensorFile) -> Result<Vec<Tensor>, Error> {
    inputs::all(model.state.iter().map(|Slot { name, ty, io, .. }| match io {
        Some(io) => file.get(&io.replace("{step}", "0"), ty, &format!("{name:?}")),
        None => Ok(Tensor::zeros(ty.clone())),
    }))
}
