//! What survives crashes in the simulator: a ledger and checkpoints, in memory.
//!
//! Must hold: a commit is appended or compared, never changed; a checkpoint is read whole or not at all.

use crate::checkpoint::{FileEntry, Manifest, ShardInfo, ShardPiece};
use crate::controller::{Commit, Found};
use crate::digest::Digest;
use crate::drive::store;
use crate::exec::Worker;
use crate::exec::owners::Owned;
use pullback_ir::Program;
use pullback_ir::region::Region;
use pullback_plan::Plan;
use std::collections::BTreeMap;

/// Slot, region, bytes.
type Part = (usize, Region, Vec<u8>);

/// See the module.
#[derive(Default)]
pub(super) struct Disk {
    pub commits: Vec<(u64, f64, Digest)>,
    /// Parts written into a folder of a checkpoint in the making.
    making: BTreeMap<String, Vec<Part>>,
    /// Published: epoch and all slots, whole.
    published: BTreeMap<String, (u64, Vec<Vec<u8>>)>,
}

fn full_name(epoch: u64, recovery: bool) -> String {
    format!("{}/{epoch:06}", if recovery { "recovery" } else { "checkpoints" })
}

/// Positions of a region's elements in the whole tensor, in the order of its bytes.
fn positions(region: &Region, shape: &[usize]) -> Vec<usize> {
    let mut out = vec![0];
    for (set, &n) in region.dims().iter().zip(shape) {
        out = out.iter().flat_map(|&at| set.iter().map(move |i| at * n + i)).collect();
    }
    out
}

impl Disk {
    pub fn last_epoch(&self) -> u64 {
        self.commits.last().map_or(0, |c| c.0)
    }

    /// As [`crate::ledger::Ledger::commit`].
    pub fn commit(&mut self, c: &Commit) -> Result<(), String> {
        if let Some(found) = self.commits.iter().find(|f| f.0 == c.epoch) {
            return match found.2 == c.digest && found.1.to_bits() == c.loss.to_bits() {
                true => Ok(()),
                false => Err(format!("epoch {} was replayed to other bits", c.epoch)),
            };
        }
        if c.epoch != self.last_epoch() + 1 {
            return Err(format!("epoch {} committed after {}", c.epoch, self.last_epoch()));
        }
        self.commits.push((c.epoch, c.loss, c.digest));
        Ok(())
    }

    pub fn make(&mut self, epoch: u64, recovery: bool) -> String {
        let name = full_name(epoch, recovery);
        self.making.insert(name.clone(), Vec::new());
        name
    }

    pub fn write_shard(&mut self, worker: &Worker, dir: &str, parts: &[Owned]) -> Result<ShardInfo, String> {
        let (deployed, step) = (worker.deployed(), worker.deployed().step());
        let plan = deployed.plan();
        let into = self.making.get_mut(dir).ok_or_else(|| format!("no folder {dir}"))?;
        let mut pieces = Vec::new();
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            let slot = &plan.signature.state[part.slot];
            let (region, bytes) = worker.state(part.slot).ok_or("no state")?;
            hasher.update(bytes);
            let ty = step.ty(step.args()[slot.arg]);
            pieces.push(ShardPiece {
                name: slot.name.clone(),
                dtype: store::dtype(ty.dtype())?,
                shape: ty.shape().iter().map(|&n| n as u64).collect(),
                region: store::intervals(&region),
                tensor: slot.name.clone(),
            });
            into.push((part.slot, region, bytes.to_vec()));
        }
        let name = format!("shard-{}.safetensors", plan.mesh.place(deployed.device()).device);
        let bytes = parts.len() as u64;
        let file = FileEntry { name, bytes, blake3: hasher.finalize().into() };
        Ok(ShardInfo { file, pieces })
    }

    pub fn publish(
        &mut self,
        plan: &Plan,
        step: &Program,
        epoch: u64,
        recovery: bool,
        shards: &[ShardInfo],
    ) -> Result<String, String> {
        let name = full_name(epoch, recovery);
        Manifest::assemble(plan.digest(), 0, epoch, epoch, shards).map_err(|e| e.to_string())?;
        let parts = self.making.remove(&name).ok_or_else(|| format!("no folder {name}"))?;
        let ty = |slot: usize| step.ty(step.args()[plan.signature.state[slot].arg]);
        let mut slots: Vec<Vec<u8>> =
            (0..plan.signature.state.len()).map(|k| vec![0; ty(k).bytes()]).collect();
        for (slot, region, bytes) in parts {
            let size = ty(slot).dtype().size();
            for (k, at) in positions(&region, ty(slot).shape()).into_iter().enumerate() {
                slots[slot][at * size..(at + 1) * size].copy_from_slice(&bytes[k * size..(k + 1) * size]);
            }
        }
        match self.published.insert(name.clone(), (epoch, slots.clone())) {
            Some((_, before)) if before != slots && !recovery => {
                Err(format!("{name} was published twice with other contents"))
            }
            Some(_) | None => Ok(name),
        }
    }

    /// The newest checkpoint that is not one of a recovery.
    pub fn newest(&self) -> Option<(u64, String)> {
        let kept = self.published.iter().filter(|(name, _)| name.starts_with("checkpoints/"));
        kept.map(|(name, (epoch, _))| (*epoch, name.clone())).max()
    }

    /// The same with the ledger's digest.
    pub fn find(&self) -> Option<Found> {
        let (epoch, path) = self.newest()?;
        let digest = self.commits.iter().find(|c| c.0 == epoch).map(|c| c.2);
        Some(Found { epoch, path, digest })
    }

    /// All slots, whole.
    pub fn state(&self, name: &str) -> Option<&(u64, Vec<Vec<u8>>)> {
        self.published.get(name)
    }

    pub fn read(
        &self,
        worker: &Worker,
        name: &str,
        epoch: u64,
        regions: &[Region],
    ) -> Result<Vec<Vec<u8>>, String> {
        let (found, slots) = self.published.get(name).ok_or_else(|| format!("no checkpoint {name}"))?;
        if *found != epoch {
            return Err(format!("{name} is of epoch {found}, not {epoch}"));
        }
        let step = worker.deployed().step();
        let cut = |(slot, region): (usize, &Region)| {
            let ty = step.ty(step.args()[worker.deployed().plan().signature.state[slot].arg]);
            let size = ty.dtype().size();
            let at = positions(region, ty.shape()).into_iter();
            at.flat_map(|at| slots[slot][at * size..(at + 1) * size].to_vec()).collect()
        };
        Ok(regions.iter().enumerate().map(cut).collect())
    }

    /// What a crash of the controller leaves: nothing half made; the newest checkpoint perhaps unreadable.
    pub fn crash(&mut self, damage: bool) {
        self.making.clear();
        self.published.retain(|name, _| name.starts_with("checkpoints/"));
        if damage && let Some((_, name)) = self.newest() {
            self.published.remove(&name);
        }
    }
}
