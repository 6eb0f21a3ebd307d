//! The command line: what `pullback` does with its arguments.
//!
//! A command is one file with a `clap` structure `Args` and `run(&Args) -> Result<(), Error>`, declared and
//! registered below. Exit codes: 0 done, 1 failed (the reasons on standard error), 2 wrong usage. Standard output
//! carries results only; a reader that goes away early is no error. Output files are whole or absent.

mod annotations;
mod check;
mod check_grad;
pub mod device;
mod eval;
mod explain;
mod export;
pub mod grad;
pub mod inputs;
mod inspect;
mod interrupt;
mod loops;
mod opt;
mod plan;
mod probe;
mod progress;
pub mod report;
mod resume;
pub mod shapes;
mod signature;
mod step_run;
mod train;
mod worker;

use crate::Error;
use clap::{CommandFactory, Parser};
use std::process::ExitCode;

/// Registers commands: an enum for `clap`, and the call of the chosen one.
macro_rules! commands {
    ($($variant:ident => $module:ident),+ $(,)?) => {
        #[derive(clap::Subcommand)]
        enum Command {
            $($variant($module::Args)),+
        }

        impl Command {
            fn run(&self) -> Result<(), Error> {
                match self {
                    $(Command::$variant(args) => $module::run(args)),+
                }
            }
        }
    };
}

// In the order of the help.
commands! {
    Train => train,
    Resume => resume,
    Inspect => inspect,
    Eval => eval,
    Grad => grad,
    CheckGrad => check_grad,
    Opt => opt,
    Export => export,
    Plan => plan,
    Check => check,
    Explain => explain,
    Probe => probe,
    Worker => worker,
}

/// Compiles a tensor program and its adjoint for the machines you have.
#[derive(Parser)]
#[command(name = "pullback", version)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

const INTRO: &str = "\
Pullback compiles a tensor program and its adjoint for the machines you have. It takes a loss exported from JAX
(StableHLO text or bytecode, or a file of jax.export), differentiates it, distributes it over uneven workers by a plan
that an independent checker accepts, and trains it.
";

const EXAMPLES: &str = "\
First steps:
  pullback train examples/charlm
  pullback inspect examples/mlp/model.mlir --manifest examples/mlp/model.json
  pullback grad examples/mlp/model.mlir --wrt 0,1 --emit gradients.mlir
  pullback help COMMAND
";

/// Runs the command of the process's arguments.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => {
            // Nowhere to say that it could not be said.
            let _ = e.print();
            return ExitCode::from(if e.use_stderr() { 2 } else { 0 });
        }
    };
    let result = match cli.command {
        Some(command) => command.run(),
        None => report::print(&introduction()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            report::errors(&e);
            ExitCode::FAILURE
        }
    }
}

/// What `pullback` says without arguments.
fn introduction() -> String {
    let command = Cli::command();
    let mut text = format!("{INTRO}\nCommands:\n");
    for c in command.get_subcommands() {
        let about = c.get_about().map(ToString::to_string).unwrap_or_default();
        text.push_str(&format!("  {:<10} {about}\n", c.get_name()));
    }
    text.push_str(&format!("\n{EXAMPLES}"));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_declaration_of_arguments_is_sound() {
        Cli::command().debug_assert();
    }
}
