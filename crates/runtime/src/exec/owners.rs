//! Which device answers for which part of the state: writes it to checkpoints and hashes it.
//!
//! Parts that several devices hold alike are dealt out among them in turn, so the work is spread.

use pullback_ir::Program;
use pullback_ir::region::Region;
use pullback_plan::{DeviceId, Plan};

/// One part of a state slot and the device that answers for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Owned {
    /// State slot.
    pub slot: usize,
    /// Which of its elements.
    pub region: Region,
    /// The device.
    pub device: DeviceId,
}

/// The region of a state slot that a device holds; `None` for a malformed plan.
pub fn held(plan: &Plan, step: &Program, device: DeviceId, slot: usize) -> Option<Region> {
    let buffer = plan.devices.get(device)?.buffers.get(*plan.devices[device].entry.get(slot)?)?;
    buffer.layout.region(
        &plan.cuts,
        &plan.mesh,
        step.ty(buffer.value).shape(),
        &plan.mesh.place(device).coord,
    )
}

/// Owners of all state among the devices for which `alive` holds; `None` when these do not hold all of it.
pub fn owners(plan: &Plan, step: &Program, alive: &dyn Fn(DeviceId) -> bool) -> Option<Vec<Owned>> {
    let mut out = Vec::new();
    for (slot, s) in plan.signature.state.iter().enumerate() {
        let mut regions: Vec<(Region, Vec<DeviceId>)> = Vec::new();
        for d in plan.mesh.devices().filter(|&d| alive(d)) {
            let region = held(plan, step, d, slot)?;
            match regions.iter_mut().find(|(r, _)| *r == region) {
                Some((_, holders)) => holders.push(d),
                None => regions.push((region, vec![d])),
            }
        }
        // Parts are equal or disjoint, as one cut gives them.
        let count: usize = regions.iter().map(|(r, _)| r.count()).sum();
        if count != step.ty(step.args()[s.arg]).count() {
            return None;
        }
        let parts = regions.into_iter().filter(|(r, _)| !r.is_empty());
        out.extend(parts.map(|(region, holders)| Owned {
            slot,
            region,
            device: holders[slot % holders.len()],
        }));
    }
    Some(out)
}
