//! Holds a project's strategies against the whole step on one process: largest differences of losses and
//! parameters after n steps, and whether a second run of the same plan gives the same bits.
//!
//! `cargo run --release -p pullback --example agree -- FOLDER --dtype f64 --steps 20 STRATEGY:DEVICES…`

use pullback::init::{init_region, init_whole};
use pullback::run::config::RunConfig;
use pullback::run::{Planned, Project};
use pullback_eval::{CpuDevice, Device, Tensor};
use pullback_ir::literal::decode_f64;
use pullback_ir::region::Region;
use pullback_plan::{Deployment, Strategy};
use pullback_runtime::exec::{BatchSource, Local};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| args.iter().position(|a| a == name).and_then(|i| args.get(i + 1));
    let (mut config, folder) = RunConfig::read(Path::new(&args[0])).unwrap_or_else(|e| panic!("{e}"));
    config.dtype = value("--dtype").cloned();
    let steps: u64 = value("--steps").map_or(20, |s| s.parse().expect("--steps takes a number"));
    let marks: Vec<u64> = [20, 100].into_iter().filter(|&m| m < steps).chain([steps]).collect();
    let project = Project::of(config, folder).unwrap_or_else(|e| panic!("{e}"));
    let whole = whole(&project, &marks);
    println!(
        "{:<22} {:>5} {:>6} {:>12} {:>12} {:>9} {:>10}",
        "strategy", "type", "steps", "loss", "parameters", "same bits", "plan+check"
    );
    for spec in args.iter().filter(|a| a.contains(".toml:")) {
        let (file, n) = spec.rsplit_once(':').expect("STRATEGY:DEVICES");
        let n: usize = n.parse().expect("a number of devices");
        let (planned, project) = planned(&project, Path::new(file), n);
        let millis = (planned.plan_time + planned.check_time).as_secs_f64() * 1e3;
        let checked = Arc::new(planned.checked);
        let runs: Vec<_> = (0..2).map(|_| run(&project, &checked, &marks)).collect();
        for m in &marks {
            let (got, want) = (&runs[0][m], &whole[m]);
            let dtype = project.step.program.ty(project.step.program.results()[0]).dtype();
            println!(
                "{:<22} {:>5} {m:>6} {:>12.2e} {:>12.2e} {:>9} {millis:>7.0} ms",
                PathBuf::from(file).file_stem().map_or(String::new(), |s| s.to_string_lossy().into_owned()),
                dtype.name(),
                largest(&got.0, &want.0),
                largest(&got.1, &want.1),
                if runs[0][m] == runs[1][m] { "yes" } else { "NO" },
            );
        }
    }
}

/// Losses so far and parameters, by step.
type Course = BTreeMap<u64, (Vec<f64>, Vec<f64>)>;

/// Largest difference, relative to the largest number.
fn largest(a: &[f64], b: &[f64]) -> f64 {
    let scale = b.iter().fold(1e-30, |m: f64, x| m.max(x.abs()));
    a.iter().zip(b).fold(0.0, |m: f64, (x, y)| m.max((x - y).abs() / scale))
}

fn whole(project: &Project, marks: &[u64]) -> Course {
    let program = &project.step.program;
    let mut batches = project.batches().unwrap_or_else(|e| panic!("{e}"));
    let slots = project.step.state.iter();
    let mut state: Vec<Tensor> = slots
        .map(|s| {
            let init = s.init.unwrap_or_else(|| panic!("{} has no initial value", s.name));
            Tensor::from_bytes(s.ty.clone(), &init_whole(init, project.config.seed, &s.name, &s.ty))
                .expect("bytes of the type")
        })
        .collect();
    let mut executable = CpuDevice { threads: 1 }.compile(program).unwrap_or_else(|e| panic!("{e}"));
    let mut next: Vec<Tensor> =
        program.results().iter().map(|&r| Tensor::zeros(program.ty(r).clone())).collect();
    let (mut losses, mut out) = (Vec::new(), Course::new());
    for step in 0..*marks.last().unwrap_or(&0) {
        let mut args: Vec<Tensor> = Vec::new();
        for (slot, b) in project.step.batch.iter().enumerate() {
            let mut t = Tensor::zeros(b.ty.clone());
            batches
                .load(step, slot, &Region::full(b.ty.shape()), t.bytes_mut())
                .unwrap_or_else(|e| panic!("{e}"));
            args.push(t);
        }
        let inputs: Vec<&[u8]> = state.iter().chain(&args).map(Tensor::bytes).collect();
        let mut outputs: Vec<&mut [u8]> = next.iter_mut().map(Tensor::bytes_mut).collect();
        executable.run(&inputs, &mut outputs).unwrap_or_else(|e| panic!("{e}"));
        losses.push(next[0].get_f64(0));
        state = next[1..].to_vec();
        if marks.contains(&(step + 1)) {
            let parameters =
                state.iter().take(project.step.n_parameters()).flat_map(Tensor::to_f64s).collect();
            out.insert(step + 1, (losses.clone(), parameters));
        }
    }
    out
}

/// The project with another strategy on `n` devices of costs 1, 2, 3, …, planned and checked.
fn planned(project: &Project, strategy: &Path, n: usize) -> (Planned, Project) {
    let mut other =
        Project::of(project.config.clone(), project.folder.clone()).unwrap_or_else(|e| panic!("{e}"));
    let text = std::fs::read_to_string(strategy).unwrap_or_else(|e| panic!("{}: {e}", strategy.display()));
    other.strategy = Strategy::parse(&text).unwrap_or_else(|e| panic!("{e}"));
    let mut deployment = String::from("version = 1\n");
    for i in 0..n {
        deployment +=
            &format!("[[device]]\nname = 'w{i}'\nmemory_mib = 4096\nseconds_per_sample = {}.0\n", i + 1);
    }
    other.deployment = Deployment::parse(&deployment).unwrap_or_else(|e| panic!("{e}"));
    (other.plan().unwrap_or_else(|e| panic!("{e}")), other)
}

fn run(project: &Project, checked: &Arc<pullback_checker::Checked>, marks: &[u64]) -> Course {
    let program = Arc::new(project.step.program.clone());
    let batches =
        || -> Box<dyn BatchSource> { Box::new(project.batches().unwrap_or_else(|e| panic!("{e}"))) };
    let init = |slot: usize, region: &Region| {
        let s = &project.step.state[slot];
        let init = s.init.unwrap_or_else(|| panic!("{} has no initial value", s.name));
        init_region(init, project.config.seed, &s.name, &s.ty, region)
    };
    let mut local =
        Local::new(checked, &program, &project.deployment, &batches, &init).unwrap_or_else(|e| panic!("{e}"));
    let (mut losses, mut out) = (Vec::new(), Course::new());
    for step in 0..*marks.last().unwrap_or(&0) {
        let reports = local.step().unwrap_or_else(|e| panic!("{e}"));
        losses.push(decode_f64(program.ty(program.results()[0]).dtype(), &reports[0].outputs[0].1));
        if marks.contains(&(step + 1)) {
            out.insert(step + 1, (losses.clone(), parameters(project, &local)));
        }
    }
    out
}

/// All parameters, put together from what the devices hold.
fn parameters(project: &Project, local: &Local) -> Vec<f64> {
    let mut all = Vec::new();
    for (k, s) in project.step.state.iter().take(project.step.n_parameters()).enumerate() {
        let mut t = vec![0.0; s.ty.count()];
        for w in local.workers() {
            let (region, bytes) = w.state(k).expect("state is there between steps");
            let mut elements = bytes.chunks(s.ty.dtype().size());
            place(&region, s.ty.shape(), 0, 0, &mut |i| {
                t[i] = decode_f64(s.ty.dtype(), elements.next().expect("as many as indices"))
            });
        }
        all.extend(t);
    }
    all
}

fn place(region: &Region, shape: &[usize], dim: usize, base: usize, f: &mut impl FnMut(usize)) {
    match region.dims().get(dim) {
        None => f(base),
        Some(set) => set.iter().for_each(|i| place(region, shape, dim + 1, base * shape[dim] + i, f)),
    }
}
