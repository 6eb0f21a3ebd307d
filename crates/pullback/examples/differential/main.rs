//! Runs what `tools/differential/generate.py` wrote and says where JAX's results and ours differ.
//!
//! `cargo run --release -p pullback --example differential -- BATCH.jsonl… [--print OUT.jsonl] [--jobs N]`
//!
//! `--print` writes each program as StableHLO text, for `tools/differential/reimport.py`. Exits with 1 when a program
//! differs.

mod derivatives;
mod replay;

use clap::Parser;
use replay::{Record, Verdict, replay};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Runs random programs whose results JAX gave
#[derive(Parser)]
struct Args {
    /// Batches of programs, a JSON object a line
    #[arg(required = true)]
    batches: Vec<PathBuf>,
    /// Only the program with this seed
    #[arg(long)]
    seed: Option<u64>,
    /// Where to write programs as text, one JSON object a line
    #[arg(long)]
    print: Option<PathBuf>,
    /// Threads
    #[arg(long, default_value_t = std::thread::available_parallelism().map_or(1, usize::from))]
    jobs: usize,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::from(1),
        Err(e) => {
            eprintln!("{e}");
            ExitCode::from(2)
        }
    }
}

/// What is counted.
#[derive(Default)]
struct Tally {
    agrees: usize,
    ill_conditioned: usize,
    outputs: usize,
    ops: BTreeMap<String, usize>,
    rejected: BTreeMap<String, Vec<u64>>,
    differs: BTreeMap<String, Vec<(u64, String)>>,
    texts: BTreeMap<usize, String>,
}

/// Runs all records; how many differ.
fn run(args: &Args) -> Result<usize, String> {
    let mut records = Vec::new();
    for path in &args.batches {
        let trouble = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
        let file = std::fs::File::open(path).map_err(|e| trouble(&e))?;
        for line in BufReader::new(file).lines() {
            let line = line.map_err(|e| trouble(&e))?;
            let record: Record = serde_json::from_str(&line).map_err(|e| trouble(&e))?;
            if args.seed.is_none_or(|s| s == record.seed) {
                records.push(record);
            }
        }
    }
    std::panic::set_hook(Box::new(|_| {}));
    let tally = Mutex::new(Tally::default());
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..args.jobs.max(1) {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let Some(record) = records.get(i) else { return };
                    let done = catch_unwind(AssertUnwindSafe(|| replay(record)));
                    let (verdict, text) = done.unwrap_or_else(|panic| {
                        let text = panic.downcast_ref::<String>().map(String::as_str);
                        let text =
                            text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no text");
                        (Verdict::Differs { op: "panic".to_owned(), how: text.to_owned() }, None)
                    });
                    let mut tally = tally.lock().unwrap_or_else(|e| e.into_inner());
                    count(&mut tally, record, verdict);
                    if let Some(text) = text.filter(|_| args.print.is_some()) {
                        tally.texts.insert(i, text);
                    }
                }
            });
        }
    });
    let tally = tally.into_inner().unwrap_or_else(|e| e.into_inner());
    report(&tally, records.len());
    if let Some(path) = &args.print {
        write_texts(path, &records, &tally).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(tally.differs.values().map(Vec::len).sum())
}

fn count(tally: &mut Tally, record: &Record, verdict: Verdict) {
    match verdict {
        Verdict::Agrees { ill_conditioned } => {
            tally.agrees += 1;
            tally.ill_conditioned += ill_conditioned;
            tally.outputs += record.outputs.len();
            for o in &record.outputs {
                *tally.ops.entry(o.op.clone()).or_default() += 1;
            }
        }
        Verdict::Rejected(why) => tally.rejected.entry(why).or_default().push(record.seed),
        Verdict::Differs { op, how } => tally.differs.entry(op).or_default().push((record.seed, how)),
    }
}

fn report(tally: &Tally, programs: usize) {
    for (op, cases) in &tally.differs {
        println!("{op}: {} differ", cases.len());
        for (seed, how) in cases.iter().take(8) {
            println!("    seed {seed}: {}", how.lines().next().unwrap_or(""));
        }
    }
    let mut rejected: Vec<_> = tally.rejected.iter().collect();
    rejected.sort_by_key(|(_, seeds)| std::cmp::Reverse(seeds.len()));
    for (why, seeds) in rejected {
        println!("rejected {} times: {} (seed {})", seeds.len(), why.lines().next().unwrap_or(""), seeds[0]);
    }
    let rejections: usize = tally.rejected.values().map(Vec::len).sum();
    let differences: usize = tally.differs.values().map(Vec::len).sum();
    println!(
        "{programs} programs: {} agree ({} outputs of {} kinds; {} outputs as near to f64 as JAX's), {rejections} \
         rejected, {differences} differ",
        tally.agrees,
        tally.outputs,
        tally.ops.len(),
        tally.ill_conditioned
    );
}

/// The programs that agree, as text, with their inputs and outputs.
fn write_texts(path: &PathBuf, records: &[Record], tally: &Tally) -> std::io::Result<()> {
    let mut out = BufWriter::new(std::fs::File::create(path)?);
    for (&i, text) in &tally.texts {
        let record = Record { text: Some(text.clone()), exported: None, ..records[i].clone() };
        writeln!(out, "{}", serde_json::to_string(&record)?)?;
    }
    out.flush()
}
