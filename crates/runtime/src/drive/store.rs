//! State between a worker's arena and checkpoints: names, element types and regions in both vocabularies.
//!
//! Must hold: a tensor is read only if name, element type and shape are the state slot's. It decides nothing else.

use crate::checkpoint::{self, Checkpoint, ShardInfo, ShardTensor};
use crate::exec::Worker;
use crate::exec::owners::Owned;
use pullback_ir::DType;
use pullback_ir::region::Region;
use safetensors::Dtype;
use std::path::Path;

/// The element type by safetensors' name.
pub fn dtype(d: DType) -> Result<Dtype, String> {
    Ok(match d {
        DType::Bool => Dtype::BOOL,
        DType::I8 => Dtype::I8,
        DType::I16 => Dtype::I16,
        DType::I32 => Dtype::I32,
        DType::I64 => Dtype::I64,
        DType::U8 => Dtype::U8,
        DType::U16 => Dtype::U16,
        DType::U32 => Dtype::U32,
        DType::U64 => Dtype::U64,
        DType::F8E4M3FN => Dtype::F8_E4M3,
        DType::F8E5M2 => Dtype::F8_E5M2,
        DType::F8E8M0FNU => Dtype::F8_E8M0,
        DType::F16 => Dtype::F16,
        DType::BF16 => Dtype::BF16,
        DType::F32 => Dtype::F32,
        DType::F64 => Dtype::F64,
        DType::I2
        | DType::I4
        | DType::U2
        | DType::U4
        | DType::F4E2M1FN
        | DType::F6E2M3FN
        | DType::F6E3M2FN
        | DType::F8E3M4
        | DType::F8E4M3
        | DType::F8E4M3B11FNUZ
        | DType::F8E4M3FNUZ
        | DType::F8E5M2FNUZ
        | DType::C64
        | DType::C128 => {
            return Err(format!("element type {d} is unsupported in checkpoints"));
        }
    })
}

/// A region as checkpoints write it.
pub fn intervals(region: &Region) -> checkpoint::Region {
    let dim = |s: &pullback_ir::region::IntervalSet| {
        s.intervals().iter().map(|&(lo, hi)| (lo as u64, hi as u64)).collect()
    };
    region.dims().iter().map(dim).collect()
}

fn shape(worker: &Worker, slot: usize) -> (DType, Vec<u64>) {
    let (deployed, step) = (worker.deployed(), worker.deployed().step());
    let ty = step.ty(step.args()[deployed.plan().signature.state[slot].arg]);
    (ty.dtype(), ty.shape().iter().map(|&n| n as u64).collect())
}

/// Reads the regions of all state slots.
pub fn read(worker: &Worker, from: &Checkpoint, regions: &[Region]) -> Result<Vec<Vec<u8>>, String> {
    let mut out = Vec::with_capacity(regions.len());
    for (slot, region) in regions.iter().enumerate() {
        let name = &worker.deployed().plan().signature.state[slot].name;
        let (ty, shape) = shape(worker, slot);
        let found = from.tensor(name).map_err(|e| e.to_string())?;
        if found.dtype != dtype(ty)? || found.shape != shape {
            let path = from.path().display();
            return Err(format!(
                "the checkpoint {path} holds {name} as {}{:?}, but the plan has it as {ty}{shape:?}; was it made by \
                 another model?",
                found.dtype, found.shape
            ));
        }
        out.push(from.read_region(name, &intervals(region)).map_err(|e| e.to_string())?);
    }
    Ok(out)
}

/// Writes parts of the current state to a shard in `dir`.
pub fn write(worker: &Worker, dir: &Path, parts: &[Owned]) -> Result<ShardInfo, String> {
    let plan = worker.deployed().plan();
    let device = &plan.mesh.place(worker.deployed().device()).device;
    let shapes: Vec<(DType, Vec<u64>)> = parts.iter().map(|p| shape(worker, p.slot)).collect();
    let mut tensors = Vec::with_capacity(parts.len());
    for (part, (ty, shape)) in parts.iter().zip(&shapes) {
        let (region, bytes) = worker.state(part.slot).ok_or("there is no state to write")?;
        if region != part.region {
            return Err("a device answers for a part that it does not hold".into());
        }
        tensors.push(ShardTensor {
            name: &plan.signature.state[part.slot].name,
            dtype: dtype(*ty)?,
            shape,
            region: intervals(&region),
            bytes,
        });
    }
    checkpoint::write_shard(dir, device, &tensors).map_err(|e| e.to_string())
}
