//! What the turns of a loop leave to the events after it: their sum, or their parts, each in its place.

use super::{Worker, WorkerError};
use crate::exec::combine::combine;
use crate::exec::deploy::DeployError;
use crate::exec::ring::region_runs;
use pullback_base::Id;
use pullback_ir::region::Region;
use pullback_plan::{AxisId, BufferId, Coord};

impl Worker {
    /// Turn 0 is copied, later turns are combined into it.
    pub(super) fn combine(
        &mut self,
        from: BufferId,
        into: BufferId,
        axis: AxisId,
        coord: &Coord,
    ) -> Result<(), WorkerError> {
        let buffer = &self.deployed.mine().buffers[from];
        let dtype = self.deployed.step().ty(buffer.value).dtype();
        let monoid = buffer.layout.pending.as_ref().map_or(pullback_ir::Monoid::Add, |p| p.monoid);
        let (read, write) = (self.range(from, coord)?, self.range(into, coord)?);
        let split = self.arena.split(&[read], &[write]);
        let (reads, mut writes) =
            split.ok_or_else(|| WorkerError::Failed(format!("{from} and {into} overlap")))?;
        match coord[axis.index()] {
            0 => writes[0].copy_from_slice(reads[0]),
            _ => combine(dtype, monoid, writes[0], reads[0]),
        }
        Ok(())
    }

    /// Lays this turn's part into its place among those of all turns.
    pub(super) fn collect(
        &mut self,
        from: BufferId,
        into: BufferId,
        coord: &Coord,
    ) -> Result<(), WorkerError> {
        let failed = |e: DeployError| WorkerError::Failed(e.to_string());
        let part = self.deployed.region(from, coord).map_err(failed)?;
        let whole = self.deployed.region(into, coord).map_err(failed)?;
        let size = self.deployed.step().ty(self.deployed.mine().buffers[from].value).dtype().size();
        let (read, write) = (self.range(from, coord)?, self.range(into, coord)?);
        let split = self.arena.split(&[read], &[write]);
        let (reads, mut writes) =
            split.ok_or_else(|| WorkerError::Failed(format!("{from} and {into} overlap")))?;
        lay(&part, &whole, size, reads[0], writes[0]);
        Ok(())
    }
}

/// Copies a part into its place in the compact buffer of a region that holds it; `size` is an element's in bytes.
fn lay(part: &Region, whole: &Region, size: usize, from: &[u8], to: &mut [u8]) {
    let mut at = 0;
    for run in region_runs(0, part, whole) {
        let (start, n) = (run.elements.start * size, run.elements.len() * size);
        to[start..start + n].copy_from_slice(&from[at..at + n]);
        at += n;
    }
}
