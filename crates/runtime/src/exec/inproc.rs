//! All devices of a plan in one thread: the driver for tests and small runs.

use super::deploy::Deployed;
use super::worker::{BatchSource, Effect, Input, NoPace, StepReport, Worker, WorkerError};
use pullback_base::Id;
use pullback_checker::Checked;
use pullback_ir::Program;
use pullback_plan::{Deployment, DeviceId};
use std::collections::VecDeque;
use std::sync::Arc;

/// The workers of a plan, driven in turn.
pub struct Local {
    workers: Vec<Worker>,
    step: u64,
}

impl Local {
    /// Deploys every device of the plan here; `batches` makes a source per device, `state` gives the bytes of a
    /// slot's region at epoch 0.
    pub fn new(
        checked: &Arc<Checked>,
        step: &Arc<Program>,
        deployment: &Deployment,
        batches: &dyn Fn() -> Box<dyn BatchSource>,
        state: &dyn Fn(usize, &pullback_ir::region::Region) -> Vec<u8>,
    ) -> Result<Self, WorkerError> {
        let mut workers = Vec::new();
        for d in checked.plan().mesh.devices() {
            let deployed = Deployed::new(checked.clone(), step.clone(), deployment, d)
                .map_err(|e| WorkerError::Failed(e.to_string()))?;
            let mut w = Worker::new(deployed, batches(), Box::new(NoPace))?;
            let regions =
                w.regions().ok_or_else(|| WorkerError::Failed("a cut table is too short".into()))?;
            let slots = regions.iter().enumerate().map(|(k, r)| state(k, r)).collect();
            w.step(Input::State { epoch: 0, slots })?;
            workers.push(w);
        }
        Ok(Self { workers, step: 0 })
    }

    /// Runs and commits one step; gives the reports in device order.
    pub fn step(&mut self) -> Result<Vec<StepReport>, WorkerError> {
        let mut inputs: VecDeque<(usize, Input)> =
            (0..self.workers.len()).map(|i| (i, Input::Begin { step: self.step, attempt: 0 })).collect();
        let mut reports: Vec<Option<StepReport>> = vec![None; self.workers.len()];
        while let Some((i, input)) = inputs.pop_front() {
            for effect in self.workers[i].step(input)? {
                match effect {
                    Effect::Send { to, frame } => {
                        inputs.push_back((to.index(), Input::Frame { from: DeviceId::from_index(i), frame }));
                    }
                    Effect::Prepared(report) => reports[i] = Some(report),
                }
            }
        }
        let reports: Option<Vec<StepReport>> = reports.into_iter().collect();
        let reports = reports
            .ok_or_else(|| WorkerError::Failed("a device waits for a frame that nobody sends".into()))?;
        for (w, r) in self.workers.iter_mut().zip(&reports) {
            w.step(Input::Commit { epoch: r.epoch })?;
        }
        self.step += 1;
        Ok(reports)
    }

    /// The workers.
    pub fn workers(&self) -> &[Worker] {
        &self.workers
    }
}
