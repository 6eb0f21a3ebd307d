//! Seconds of one training step of a project folder on one process: the whole step program on the CPU backend.
//!
//! `cargo bench -p pullback --bench step -- [FOLDER] [--threads N] [--seconds S] [--profile]` prints one JSON line.
//! Peers are timed by `bench/step_jax.py`; only ratios from one interleaved run mean anything (`bench/ratio.sh`).

use pullback::init::init_whole;
use pullback::run::Project;
use pullback_eval::{CpuDevice, Device, Tensor};
use pullback_ir::region::Region;
use pullback_runtime::exec::BatchSource;
use std::path::PathBuf;
use std::time::Instant;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let value = |name: &str| {
        args.iter().position(|a| a == name).and_then(|i| args.get(i + 1)).and_then(|v| v.parse().ok())
    };
    let threads = value("--threads").unwrap_or(2.0) as usize;
    let seconds = value("--seconds").unwrap_or(15.0);
    let default = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/charlm"));
    let folder = args.first().filter(|a| !a.starts_with("--")).map_or(default, PathBuf::from);
    let project = Project::read(&folder).unwrap_or_else(|e| panic!("{e}"));
    let program = &project.step.program;
    let mut batches = project.batches().unwrap_or_else(|e| panic!("{e}"));
    let mut state: Vec<Tensor> = Vec::new();
    for s in &project.step.state {
        let init = s.init.expect("the example says how every parameter begins");
        state.push(
            Tensor::from_bytes(s.ty.clone(), &init_whole(init, 0, &s.name, &s.ty))
                .expect("bytes of the type"),
        );
    }
    let mut next: Vec<Tensor> =
        program.results().iter().map(|&r| Tensor::zeros(program.ty(r).clone())).collect();
    let mut batch: Vec<Tensor> = project.step.batch.iter().map(|b| Tensor::zeros(b.ty.clone())).collect();
    let mut executable = CpuDevice { threads }.compile(program).unwrap_or_else(|e| panic!("{e}"));
    let (mut times, begin) = (Vec::new(), Instant::now());
    let mut step = 0;
    while times.len() < 13 || begin.elapsed().as_secs_f64() < seconds {
        for (slot, t) in batch.iter_mut().enumerate() {
            let region = Region::full(t.shape());
            batches.load(step, slot, &region, t.bytes_mut()).unwrap_or_else(|e| panic!("{e}"));
        }
        let start = Instant::now();
        let inputs: Vec<&[u8]> = state.iter().chain(&batch).map(Tensor::bytes).collect();
        let mut outputs: Vec<&mut [u8]> = next.iter_mut().map(Tensor::bytes_mut).collect();
        executable.run(&inputs, &mut outputs).unwrap_or_else(|e| panic!("{e}"));
        state.iter_mut().zip(&mut next[1..]).for_each(|(a, b)| std::mem::swap(a, b));
        times.push(start.elapsed().as_secs_f64() * 1e3);
        step += 1;
    }
    let mut times = times.split_off(3);
    times.sort_by(f64::total_cmp);
    println!(
        "{{\"median_ms\": {:.2}, \"min_ms\": {:.2}, \"n\": {}, \"threads\": {threads}, \"loss\": {:.4}, \"scratch_mib\": {:.1}}}",
        times[times.len() / 2],
        times[0],
        times.len(),
        next[0].get_f64(0),
        executable.workspace_bytes() as f64 / 1048576.0
    );
}
