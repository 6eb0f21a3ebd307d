//! `pullback export`: what was imported, printed back as StableHLO.

use super::report;
use super::shapes::ShapeArgs;
use crate::Error;
use crate::files;
use crate::source;
use pullback_ir::Program;
use pullback_ir::pass::dce;
use std::path::PathBuf;

/// Print a file's public functions as StableHLO text
#[derive(clap::Args)]
#[command(after_help = "Example: pullback export program.ir -o program.mlir")]
pub struct Args {
    /// StableHLO text or bytecode, a file of jax.export, or the IR's text
    file: PathBuf,
    /// Only this public function
    #[arg(long)]
    function: Option<String>,
    /// File to write instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    shapes: ShapeArgs,
}

pub(super) fn run(args: &Args) -> Result<(), Error> {
    let loaded = source::load(&args.file, &args.shapes.options(args.function.as_deref())?)?;
    report::notes(&loaded.notes);
    let programs: Vec<&Program> = match &args.function {
        Some(name) => vec![loaded.function(name)?],
        None => loaded.functions.iter().collect(),
    };
    // Without what nothing reads: a sort is an argsort and gathers, and each would come back as more than it was.
    let live: Vec<Program> = programs.into_iter().map(dce).collect::<Result<_, _>>()?;
    let programs: Vec<&Program> = live.iter().collect();
    let text = pullback_stablehlo::print_annotated(&programs, &loaded.annotations);
    match &args.output {
        Some(path) => files::write_atomic(path, text.as_bytes()),
        None => report::print(&text),
    }
}
