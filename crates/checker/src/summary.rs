//! What a checked plan takes of each device's memory. Traffic and work are `pullback_plan::explain::count`'s.

use crate::facts::Facts;
use serde::Serialize;

/// What one step of a plan takes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Summary {
    /// Per device of the mesh.
    pub devices: Vec<DeviceSummary>,
}

/// What one step takes on a device.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct DeviceSummary {
    /// Its name in the deployment.
    pub name: String,
    /// Bytes of its arena.
    pub arena: u64,
    /// Largest scratch of its templates, bytes.
    pub scratch: u64,
    /// Most bytes held at once: both.
    pub high_water: u64,
    /// Its memory in the deployment, bytes.
    pub memory: u64,
}

impl Summary {
    pub(crate) fn new(facts: &Facts) -> Self {
        let devices = facts.plan.devices.iter().map(|(id, plan)| {
            let (arena, scratch) = (plan.arena, facts.scratch(id));
            DeviceSummary {
                name: facts.plan.mesh.place(id).device.clone(),
                arena,
                scratch,
                high_water: arena.saturating_add(scratch),
                memory: facts.device(id).map_or(0, |d| d.memory_mib.saturating_mul(1 << 20)),
            }
        });
        Self { devices: devices.collect() }
    }
}
