//! `pullback-check`: judges a plan file against a step program, a strategy and a deployment.
//!
//! Prints the verdict, and what a step takes or what is wrong. Exit code 0 means that the plan is legal, 1 that it
//! is not or that a file could not be read. It needs nothing of the project but what the checker needs.

use pullback_checker::{Checked, MAX_VIOLATIONS, Violation, check};
use pullback_plan::{Deployment, Strategy, explain};
use serde::Serialize;
use serde_json::json;
use std::process::ExitCode;

const USAGE: &str = "\
Judges a plan: does it compute this step program within these resources?

usage: pullback-check --step STEP.ir --strategy STRATEGY.toml --deployment DEPLOYMENT.toml [--json] PLAN

  --step        the global step program, IR text
  --strategy    the strategy the plan was made for, TOML
  --deployment  the deployment the plan was made for, TOML
  --json        print one JSON object
";

#[derive(Default)]
struct Args {
    step: Option<String>,
    strategy: Option<String>,
    deployment: Option<String>,
    plan: Option<String>,
    json: bool,
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.is_empty() || args.iter().any(|a| a == "--help" || a == "-h") {
        print!("{USAGE}");
        return if args.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    }
    let json = args.iter().any(|a| a == "--json");
    match parse(args.into_iter()).and_then(|args| judge(&args)) {
        Ok(verdict) => {
            print!("{}", if json { to_json(&verdict) } else { to_text(&verdict) });
            if verdict.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(message) => {
            if json {
                println!("{}", json!({ "verdict": "unreadable", "error": message }));
            }
            eprintln!("pullback-check: {message}");
            ExitCode::FAILURE
        }
    }
}

fn parse(mut words: impl Iterator<Item = String>) -> Result<Args, String> {
    let mut args = Args::default();
    while let Some(word) = words.next() {
        let target = match word.as_str() {
            "--json" => {
                args.json = true;
                continue;
            }
            "--step" => &mut args.step,
            "--strategy" => &mut args.strategy,
            "--deployment" => &mut args.deployment,
            flag if flag.starts_with('-') => return Err(format!("{flag} is no flag of it; try --help")),
            _ => {
                if args.plan.replace(word).is_some() {
                    return Err("more than one plan is given; judge one at a time".into());
                }
                continue;
            }
        };
        let value = words.next().ok_or_else(|| format!("{word} needs a file"))?;
        if target.replace(value).is_some() {
            return Err(format!("{word} is given twice"));
        }
    }
    Ok(args)
}

fn read<T>(
    file: &Option<String>,
    what: &str,
    parse: impl FnOnce(&str) -> Result<T, String>,
) -> Result<T, String> {
    let file = file.as_ref().ok_or_else(|| format!("the {what} is missing; try --help"))?;
    let text = std::fs::read_to_string(file).map_err(|e| format!("cannot read the {what} {file}: {e}"))?;
    parse(&text).map_err(|e| format!("{file}: {e}"))
}

/// Bytes that one device sends another in a step.
#[derive(Serialize)]
struct Link {
    from: String,
    to: String,
    bytes: u64,
}

/// A legal plan and its traffic (none where the loops are too long to count it), or what is wrong.
type Verdict = Result<(Checked, Option<Vec<Link>>), Vec<Violation>>;

fn judge(args: &Args) -> Result<Verdict, String> {
    let step = read(&args.step, "step program (--step)", |t| {
        pullback_ir::text::parse(t).map_err(|e| e.to_string())
    })?;
    let strategy = read(&args.strategy, "strategy (--strategy)", Strategy::parse)?;
    let deployment = read(&args.deployment, "deployment (--deployment)", Deployment::parse)?;
    let plan = read(&args.plan, "plan", |t| pullback_plan::text::parse(t).map_err(|e| e.to_string()))?;
    Ok(check(&step, &strategy, &deployment, plan).map(|checked| {
        let plan = checked.plan();
        let name = |d| plan.mesh.place(d).device.clone();
        let link = |((from, to), bytes)| Link { from: name(from), to: name(to), bytes };
        let links = explain::count(plan, &step).map(|counts| counts.links.into_iter().map(link).collect());
        (checked, links)
    }))
}

/// A plan's verdict in words.
fn to_text(verdict: &Verdict) -> String {
    let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    match verdict {
        Ok((checked, traffic)) => {
            let mut out = String::from("legal: every rule holds\n");
            for d in &checked.summary().devices {
                let parts = format!("arena {:.2}, scratch {:.2}", mib(d.arena), mib(d.scratch));
                out += &format!(
                    "  {}: {:.2} MiB of {:.0} ({parts})\n",
                    d.name,
                    mib(d.high_water),
                    mib(d.memory)
                );
            }
            let links = traffic
                .iter()
                .flatten()
                .map(|l| format!("  {} -> {}: {} bytes a step\n", l.from, l.to, l.bytes));
            out + &links.collect::<String>()
        }
        Err(found) => {
            let list: String = found.iter().map(|v| format!("{v}\n")).collect();
            let (more, s) = match found.len() {
                1 => ("", ""),
                n if n < MAX_VIOLATIONS => ("", "s"),
                _ => (" or more", "s"),
            };
            format!("{list}illegal: {}{more} violation{s}\n", found.len())
        }
    }
}

fn to_json(verdict: &Verdict) -> String {
    let value = match verdict {
        Ok((checked, traffic)) => {
            json!({ "verdict": "legal", "devices": checked.summary().devices, "links": traffic })
        }
        Err(found) => json!({ "verdict": "illegal", "violations": found }),
    };
    format!("{value}\n")
}
