//! `pullback opt`: a program in the IR's text form, after named passes.

use super::report;
use super::shapes::ShapeArgs;
use crate::Error;
use crate::files;
use crate::source;
use pullback_ir::pass::{PASSES, find, run_pass};
use std::path::PathBuf;

/// Run passes on a program and print it as IR text
#[derive(clap::Args)]
#[command(after_help = "Example: pullback opt model.mlir --pass fold --pass dce")]
pub struct Args {
    /// StableHLO text or bytecode, a file of jax.export, or the IR's text
    file: PathBuf,
    /// Pass to run, in order; may be repeated; without one the program is printed as imported
    #[arg(long = "pass", value_name = "NAME")]
    passes: Vec<String>,
    /// Public function [default: main, else the only one]
    #[arg(long)]
    function: Option<String>,
    /// File to write instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    shapes: ShapeArgs,
}

pub(super) fn run(args: &Args) -> Result<(), Error> {
    let passes = args.passes.iter().map(|name| {
        find(name).ok_or_else(|| {
            let known: Vec<String> =
                PASSES.iter().map(|p| format!("\n    {}: {}", p.name, p.description)).collect();
            Error::new(format!("there is no pass {name:?}"))
                .with_help(format!("the passes are{}", known.concat()))
        })
    });
    let passes = passes.collect::<Result<Vec<_>, _>>()?;
    let loaded = source::load(&args.file, &args.shapes.options(args.function.as_deref())?)?;
    report::notes(&loaded.notes);
    let mut program = loaded.chosen(args.function.as_deref())?.clone();
    for pass in passes {
        program = run_pass(pass, &program)?;
    }
    let text = program.to_string();
    match &args.output {
        Some(path) => files::write_atomic(path, text.as_bytes()),
        None => report::print(&text),
    }
}
