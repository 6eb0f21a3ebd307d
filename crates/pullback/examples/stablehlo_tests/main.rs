//! Runs StableHLO's own tests of its interpreter, and its generated test data, from a checkout that is already there.
//!
//! `cargo run --release -p pullback --example stablehlo_tests -- CHECKOUT [--filter S] [--devices reference,cpu] [--json]`
//!
//! The tests speak of more than programs (`check.*`, `interpreter.*`, several modules in a file, comments that say
//! how to run it). All of that is understood here; the product sees plain modules. A test is passed, rejected (with
//! a message that says "unsupported"), failed, or not run. Exits with 1 when one failed.

mod compare;
mod corpus;
mod exec;
mod open;
mod parallel;
mod pool;
mod report;
mod rewrite;
mod scan;

use clap::Parser;
use exec::Outcome;
use pool::{Record, Said, Setup};
use std::ffi::OsString;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Duration;

/// Runs the interpreter tests of a StableHLO checkout
#[derive(Parser)]
struct Args {
    /// A checkout of StableHLO; nothing is fetched
    #[arg(required_unless_present = "worker")]
    checkout: Option<PathBuf>,
    /// Folders of the checkout
    #[arg(long, value_name = "FOLDER", default_values_t = corpus::FOLDERS.map(str::to_owned))]
    folders: Vec<String>,
    /// Only files whose path has this in it
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Evaluators, each of which must pass
    #[arg(long, default_value = "reference,cpu")]
    devices: String,
    /// Seconds a test may take
    #[arg(long, default_value_t = 60)]
    timeout: u64,
    /// Processes
    #[arg(long, default_value_t = std::thread::available_parallelism().map_or(1, usize::from))]
    jobs: usize,
    /// Print everything as JSON
    #[arg(long)]
    json: bool,
    #[arg(long, hide = true)]
    worker: bool,
    #[arg(long = "checkout", hide = true)]
    worker_checkout: Option<PathBuf>,
}

fn main() -> ExitCode {
    let args = Args::parse();
    let done = match args.worker {
        true => worker(&args).map(|()| 0),
        false => parent(&args),
    };
    match done {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(1),
        Err(e) => {
            eprintln!("{e}");
            ExitCode::from(2)
        }
    }
}

/// Runs everything; how many failed.
fn parent(args: &Args) -> Result<usize, String> {
    let checkout = args.checkout.clone().ok_or("a checkout is needed")?;
    let mut files = corpus::files(&checkout, &args.folders)?;
    if let Some(filter) = &args.filter {
        files.retain(|f| f.to_string_lossy().contains(filter.as_str()));
    }
    let all = files.len();
    let timeout = Duration::from_secs(args.timeout);
    let program = std::env::current_exe().map_err(|e| format!("this program's path: {e}"))?;
    let worker = ["--worker", "--devices", &args.devices, "--checkout"].map(OsString::from);
    let command = [&[program.into_os_string()], &worker[..], &[checkout.into_os_string()]].concat();
    let setup = Setup { command, timeout, jobs: args.jobs };
    let seen = Mutex::new((0, 0));
    let records = pool::run(&setup, files, |records: &[Record]| {
        let mut seen = seen.lock().unwrap_or_else(|e| e.into_inner());
        seen.0 += 1;
        seen.1 += records.iter().filter(|r| matches!(r.outcome, Outcome::Failed(_))).count();
        if usize::is_multiple_of(seen.0, 50) || seen.0 == all {
            eprintln!("{} of {all} files, {} tests failed", seen.0, seen.1);
        }
    })?;
    let report = report::Report::new(&records);
    if args.json {
        println!("{}", serde_json::to_string(&report).map_err(|e| e.to_string())?);
    } else {
        print!("{}", report.text());
    }
    Ok(report.total.failed)
}

fn say(said: &Said) -> Result<(), String> {
    let line = serde_json::to_string(said).map_err(|e| e.to_string())?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).map_err(|e| e.to_string())
}

/// Runs the files that standard input names.
fn worker(args: &Args) -> Result<(), String> {
    let checkout = args.worker_checkout.clone().ok_or("a checkout is needed")?;
    let devices = args.devices.split(',').map(|name| exec::device(name).ok_or(format!("no device {name}")));
    let devices = devices.collect::<Result<Vec<_>, _>>()?;
    for line in std::io::stdin().lines() {
        let line = line.map_err(|e| e.to_string())?;
        let (skip, path) = line.split_once(' ').ok_or("a line without a space")?;
        let skip = skip.parse().map_err(|_| "a line without a number")?;
        file(&checkout.join(path), skip, &devices)?;
        say(&Said::Done)?;
    }
    Ok(())
}

/// Runs the tests of a file from the one numbered `skip` on.
fn file(path: &Path, skip: usize, devices: &[Box<dyn pullback_eval::Device>]) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let runs = corpus::runs(&text);
    for (i, part) in corpus::parts(&text).iter().enumerate().skip(skip) {
        say(&Said::Begin(i, part.line))?;
        let mut notes = Vec::new();
        let outcome = catch_unwind(AssertUnwindSafe(|| exec::run(path, part, &runs, devices, &mut notes)));
        let outcome = outcome.unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no text");
            Some(Outcome::Failed(format!("panic: {text}")))
        });
        for what in notes {
            say(&Said::Note(what))?;
        }
        if let Some(outcome) = outcome {
            say(&Said::End(outcome, runs.disabled.clone().filter(|_| !runs.interpreted)))?;
        }
    }
    Ok(())
}
