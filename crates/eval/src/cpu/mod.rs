//! The fast CPU backend: a whole program compiled to steps over one planned arena.
//!
//! Stages, each a function of the one before: [`graph`] (views, folding, shared subexpressions), [`fuse`] (which
//! elementwise ops run together), [`recompute`] (what is made twice rather than stored), [`compile`] (places, steps),
//! and the steps themselves: [`tile`] (fused elementwise, by vector kernels or [`scalars`]), [`dot`], [`conv`],
//! [`fold`], [`movement`], [`window`] (gather, scatter), [`slide`] and [`select`] (windows), [`sort`], [`region`] (loops
//! and choices), [`algorithms`] (transforms, matrices, random bits). Bits depend on the program and the machine, not on
//! the number of threads.
//!
//! Knows nothing of plans or of other devices.

mod algorithms;
mod blocks;
mod compile;
mod conv;
mod dot;
mod fold;
mod fuse;
mod graph;
pub mod kernels;
mod kinds;
mod memory;
mod monoid;
mod movement;
mod ops;
mod recompute;
mod region;
mod scalars;
mod select;
mod slide;
mod sort;
mod step;
mod tile;
mod view;
mod window;

use crate::buffer::Tensor;
use crate::device::{Device, Executable, Workspace, result_tensors};
use crate::error::Result;
use crate::reference;
use pullback_ir::Program;
use std::time::Duration;

/// The fast CPU backend.
#[derive(Clone, Copy, Debug)]
pub struct CpuDevice {
    /// Threads to compute with, at least 1.
    pub threads: usize,
}

impl CpuDevice {
    /// Runs a program a number of times; gives the steps it was compiled to, each with its time over all runs.
    pub fn profile(
        &self,
        program: &Program,
        args: &[Tensor],
        runs: usize,
    ) -> Result<Vec<(String, Duration)>> {
        reference::check_args(program, args)?;
        let mut executable = compile::compile(program, self.threads(), &Workspace::default())?;
        let mut results = result_tensors(program)?;
        let args: Vec<&[u8]> = args.iter().map(Tensor::bytes).collect();
        for run in 0..=runs {
            let mut results: Vec<&mut [u8]> = results.iter_mut().map(Tensor::bytes_mut).collect();
            executable.run(&args, &mut results)?;
            // The first run warms caches up and is not counted.
            if run == 0 {
                executable.measure();
            }
        }
        Ok(executable.measured())
    }
}

impl Device for CpuDevice {
    fn compile_in(&self, program: &Program, workspace: &Workspace) -> Result<Box<dyn Executable>> {
        Ok(Box::new(compile::compile(program, self.threads(), workspace)?))
    }

    fn name(&self) -> &str {
        "cpu"
    }

    fn threads(&self) -> usize {
        self.threads.max(1)
    }
}
