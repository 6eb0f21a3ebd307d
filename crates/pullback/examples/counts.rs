//! Counts a step of ours against the step that JAX exported for the same model: arithmetic, bytes and the memory live
//! at once, by the same counters; and the gradient's arithmetic against the primal's.
//!
//! `cargo run --release -p pullback --example counts -- FOLDER…`; a folder holds `manifest.json`, `loss.mlir` and
//! `step.mlir`.

use pullback::manifest::Manifest;
use pullback::source::{self, Loaded};
use pullback::step::{build_step, inlined, loss_and_gradients};
use pullback_ir::Program;
use pullback_ir::count::{PeakLive, instr_cost, peak_live, program_cost};
use pullback_ir::loops::counted;
use pullback_stablehlo::ImportOptions;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let ops = args.iter().any(|a| a == "--ops");
    println!(
        "{:<18} {:>10} {:>9} {:>10} {:>10} {:>6} {:>10} {:>10} {:>6} {:>9} {:>9} {:>6}",
        "model",
        "primal",
        "grad/prim",
        "step",
        "JAX",
        "ratio",
        "bytes",
        "JAX",
        "ratio",
        "peak",
        "JAX",
        "ratio"
    );
    for folder in args.iter().filter(|a| !a.starts_with("--")) {
        if let Err(e) = row(Path::new(folder), ops) {
            println!("{folder}: {e}");
        }
    }
}

fn row(folder: &Path, ops: bool) -> Result<(), String> {
    let say = |e: pullback::error::Error| e.to_string();
    let manifest = Manifest::read(&folder.join("manifest.json")).map_err(say)?;
    let options = ImportOptions { operators: manifest.operators().map_err(say)?, ..ImportOptions::default() };
    let load =
        |name: &str| -> Result<Loaded, String> { source::load(&folder.join(name), &options).map_err(say) };
    let loss = load("loss.mlir")?;
    let theirs = load("step.mlir")?;
    let theirs = inlined(theirs.functions.first().ok_or("no function")?).map_err(say)?;
    let theirs = &theirs;
    let bound = manifest.bind(loss.function("main").map_err(say)?).map_err(say)?;
    let grad = loss_and_gradients(&bound).map_err(say)?;
    let optimizer = manifest.optimizer().map_err(say)?.ok_or("no optimizer")?;
    let step = build_step(&bound, &optimizer, None).map_err(say)?.program;
    let (primal, grad) =
        (program_cost(&inlined(&bound.program).map_err(say)?).flops, program_cost(&grad).flops);
    let (ours, jax) = (program_cost(&step), program_cost(theirs));
    let (peak, peak_jax) = (held(peak_live(&step)), held(peak_live(theirs)));
    let ratio = |a: u64, b: u64| a as f64 / b.max(1) as f64;
    // Where ours is the larger number, by how much.
    let pairs =
        [("FLOPs", ours.flops, jax.flops), ("bytes", ours.bytes, jax.bytes), ("peak", peak, peak_jax)];
    let over: Vec<String> =
        pairs.iter().filter(|(_, a, b)| a > b).map(|(what, a, b)| format!("{what}+{}", a - b)).collect();
    println!(
        "{:<18} {:>10} {:>9.2} {:>10} {:>10} {:>6.2} {:>10} {:>10} {:>6.2} {:>9} {:>9} {:>6.2}  {}",
        folder.file_name().map_or(String::new(), |n| n.to_string_lossy().into_owned()),
        primal,
        ratio(grad, primal),
        ours.flops,
        jax.flops,
        ratio(ours.flops, jax.flops),
        ours.bytes,
        jax.bytes,
        ratio(ours.bytes, jax.bytes),
        peak,
        peak_jax,
        ratio(peak, peak_jax),
        over.join(" "),
    );
    if let Some(path) = std::env::args().find_map(|a| a.strip_prefix("--dump=").map(str::to_owned)) {
        std::fs::write(path, step.to_string()).map_err(|e| e.to_string())?;
    }
    if ops {
        show(&step, theirs);
    }
    Ok(())
}

/// Arguments and results are there as long as the step runs.
fn held(p: PeakLive) -> u64 {
    p.args_held
}

/// Ops by name with their arithmetic, of ours and of theirs.
fn show(ours: &Program, theirs: &Program) {
    let (a, b) = (by_name(ours), by_name(theirs));
    let names: BTreeSet<_> = a.keys().chain(b.keys()).copied().collect();
    for name in names {
        let of = |c: &BTreeMap<&'static str, (usize, u64)>| c.get(name).copied().unwrap_or_default();
        let ((n, flops), (m, theirs)) = (of(&a), of(&b));
        println!("    {name:<24} {n:>6} {m:>6} {flops:>12} {theirs:>12}");
    }
}

fn by_name(p: &Program) -> BTreeMap<&'static str, (usize, u64)> {
    let mut out = BTreeMap::new();
    add(p, 1, &mut out);
    out
}

/// Adds a program that runs so many times, loops by their turns.
fn add(p: &Program, times: u64, out: &mut BTreeMap<&'static str, (usize, u64)>) {
    for (id, instr) in p.instrs().iter() {
        let regions = instr.op().regions();
        let entry = out.entry(instr.op().name()).or_insert((0, 0));
        entry.0 += 1;
        if regions.is_empty() {
            entry.1 += times * instr_cost(p, id).flops;
        }
        let turns = counted(p, id).map_or(1, |c| c.turns);
        regions.into_iter().for_each(|r| add(r, times * turns, out));
    }
}
