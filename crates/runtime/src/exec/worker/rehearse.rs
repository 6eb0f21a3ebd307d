//! Timing a device's own work without its peers: the event list with its collectives left out.

use super::{Worker, WorkerError};
use pullback_plan::Event;
use std::time::Duration;

impl Worker {
    /// Loads, computes and combines one step as the plan says, without collectives and without preparing an epoch;
    /// gives the time spent computing. What was to come from peers is left as it is, so values mean nothing.
    pub fn rehearse(&mut self, step: u64) -> Result<Duration, WorkerError> {
        self.begin(step, self.attempt)?;
        let mut effects = Vec::new();
        while let Some(event) = self.next_event() {
            match event {
                Event::Collective { .. } | Event::Commit { .. } => {}
                Event::Load { .. }
                | Event::Compute { .. }
                | Event::Combine { .. }
                | Event::Collect { .. }
                | Event::Loop { .. }
                | Event::Free { .. }
                | Event::Output { .. } => self.perform(event, &mut effects)?,
            }
        }
        let compute = self.running.take().map_or(Duration::ZERO, |r| r.compute);
        Ok(compute)
    }
}
