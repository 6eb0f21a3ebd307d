//! Steps with a list of results: while and case, which run compiled programs, and algorithms.
//!
//! A region has a workspace of its own, so that it may run while its caller's is in use. What it reads is copied
//! in, what it gives is copied out; a loop's values take turns in two sets of buffers.

use super::algorithms::{self, pack};
use super::compile::{CpuExecutable, compile};
use super::graph::packed_offsets;
use super::memory::{Buffer, Memory};
use super::step::{Operand, Step};
use crate::buffer::Tensor;
use crate::device::{Executable, Workspace};
use crate::error::Result;
use crate::reference::chosen;
use pullback_ir::{Op, Program, TensorType, infer};
use std::sync::{Mutex, PoisonError};

/// A program and what it is run with.
struct Region {
    executable: CpuExecutable,
    results: Vec<TensorType>,
}

impl Region {
    fn new(program: &Program) -> Result<Self> {
        // The caller's number of threads is known when it runs.
        let executable = compile(program, 1, &Workspace::default())?;
        let results = program.results().iter().map(|&r| program.ty(r).clone()).collect();
        Ok(Self { executable, results })
    }

    fn buffers(&self) -> Vec<Tensor> {
        self.results.iter().map(|ty| Tensor::zeros(ty.clone())).collect()
    }

    fn run(&mut self, args: &[&[u8]], results: &mut [&mut [u8]], threads: usize) {
        self.executable.set_threads(threads);
        self.executable.run(args, results).expect("regions were typed with the op that runs them");
    }

    fn held_bytes(&self) -> usize {
        self.executable.held_bytes() + self.executable.workspace_bytes()
    }
}

enum Regions {
    While(Box<[Region; 2]>),
    Case(Vec<Region>),
}

struct Packed {
    name: &'static str,
    regions: Mutex<Regions>,
    ins: Vec<Operand>,
    offsets: Vec<usize>,
    held: usize,
    out: Buffer,
}

/// The step of an op with a list of results; `out` takes all of them.
pub(super) fn step(op: &Op, ins: Vec<Operand>, out: Buffer) -> Result<Box<dyn Step>> {
    if op.regions().is_empty() {
        let types: Vec<TensorType> =
            ins.iter().map(|o| TensorType::new(o.dtype, o.view.shape.clone())).collect();
        let types = infer::infer(op, &types.iter().collect::<Vec<_>>())?;
        return Ok(Box::new(algorithms::packed(op, ins, out, types)?));
    }
    let regions = op.regions().into_iter().map(Region::new).collect::<Result<Vec<_>>>()?;
    let held = regions.iter().map(Region::held_bytes).sum();
    let types: Vec<&TensorType> = regions.iter().rev().flat_map(|r| &r.results).collect();
    // The body of a loop and the last branch of a choice give what the op gives.
    let n = regions.last().map_or(0, |r| r.results.len());
    let (offsets, _) = packed_offsets(&types[..n]);
    let is_while = matches!(op, Op::While { .. });
    let regions = match <[Region; 2]>::try_from(regions) {
        Ok(two) if is_while => Regions::While(Box::new(two)),
        Ok(two) => Regions::Case(two.into()),
        Err(branches) => Regions::Case(branches),
    };
    Ok(Box::new(Packed { name: op.name(), regions: Mutex::new(regions), ins, offsets, held, out }))
}

impl Step for Packed {
    fn describe(&self) -> String {
        format!("{} of {} values", self.name, self.offsets.len())
    }

    fn held_bytes(&self) -> usize {
        self.held
    }

    fn run(&self, memory: &Memory, threads: usize) {
        let mut regions = self.regions.lock().unwrap_or_else(PoisonError::into_inner);
        let ins: Vec<Tensor> = self.ins.iter().map(|o| o.to_tensor(memory)).collect();
        let results = match &mut *regions {
            Regions::While(two) => run_while(two, ins, threads),
            Regions::Case(branches) => {
                let n = branches.len();
                let branch = &mut branches[chosen(ins[0].get_i64(0).into(), n)];
                let args: Vec<&[u8]> = ins[1..].iter().map(Tensor::bytes).collect();
                let mut results = branch.buffers();
                let mut outs: Vec<&mut [u8]> = results.iter_mut().map(Tensor::bytes_mut).collect();
                branch.run(&args, &mut outs, threads);
                results
            }
        };
        pack(&results, memory, self.out);
    }
}

fn run_while([cond, body]: &mut [Region; 2], mut values: Vec<Tensor>, threads: usize) -> Vec<Tensor> {
    let mut new = body.buffers();
    let mut holds = [0u8];
    loop {
        let args: Vec<&[u8]> = values.iter().map(Tensor::bytes).collect();
        cond.run(&args, &mut [&mut holds[..]], threads);
        if holds[0] == 0 {
            values.truncate(new.len());
            return values;
        }
        let mut outs: Vec<&mut [u8]> = new.iter_mut().map(Tensor::bytes_mut).collect();
        body.run(&args, &mut outs, threads);
        for (value, new) in values.iter_mut().zip(&mut new) {
            std::mem::swap(value, new);
        }
    }
}

struct Unpack {
    packed: Buffer,
    offset: usize,
    out: Buffer,
}

/// Copies one result out of a packed node.
pub(super) fn unpack(packed: &Operand, offset: usize, out: Buffer) -> Box<dyn Step> {
    Box::new(Unpack { packed: packed.buffer, offset, out })
}

impl Step for Unpack {
    fn describe(&self) -> String {
        format!("result of {} bytes", self.out.bytes)
    }

    fn run(&self, memory: &Memory, _threads: usize) {
        // SAFETY: operand and result are different buffers of this step.
        unsafe {
            let from = &memory.read::<u8>(self.packed)[self.offset..][..self.out.bytes];
            memory.write::<u8>(self.out).copy_from_slice(from);
        }
    }
}
