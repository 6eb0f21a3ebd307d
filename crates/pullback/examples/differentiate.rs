//! How long it takes to differentiate a loss and to simplify the result.
//!
//! `cargo run --release -p pullback --example differentiate -- FILE…`: each file's function of one scalar loss, with
//! respect to all its floating-point arguments; times are the least of five.

use pullback::source;
use pullback_autodiff::value_and_grad;
use pullback_ir::Program;
use pullback_ir::pass::simplify;
use pullback_stablehlo::ImportOptions;
use std::path::Path;
use std::time::{Duration, Instant};

fn main() {
    for file in std::env::args().skip(1) {
        if let Err(e) = row(Path::new(&file)) {
            eprintln!("{file}: {e}");
        }
    }
}

fn row(file: &Path) -> Result<(), String> {
    let (loaded, import) =
        timed(|| source::load(file, &ImportOptions::default()).map_err(|e| e.to_string()))?;
    let program = loaded.functions.first().ok_or("no function")?;
    let float = |i: &usize| program.ty(program.args()[*i]).dtype().is_differentiable();
    let wrt: Vec<usize> = (0..program.args().len()).filter(float).collect();
    let (raw, differentiate) = timed(|| value_and_grad(program, &wrt).map_err(|e| e.to_string()))?;
    let (small, simplification) = timed(|| simplify(&raw).map_err(|e| e.to_string()))?;
    println!(
        "{}: import {import:.0?}, {} ops; value and gradient {differentiate:.0?}, {} ops; simplified in \
         {simplification:.0?}, {} ops",
        file.display(),
        ops(program),
        ops(&raw),
        ops(&small)
    );
    Ok(())
}

fn ops(p: &Program) -> usize {
    p.instrs().len()
}

/// A result, and the least time of five.
fn timed<T>(f: impl Fn() -> Result<T, String>) -> Result<(T, Duration), String> {
    let mut least = Duration::MAX;
    for _ in 0..4 {
        let start = Instant::now();
        f()?;
        least = least.min(start.elapsed());
    }
    let start = Instant::now();
    let made = f()?;
    Ok((made, least.min(start.elapsed())))
}
