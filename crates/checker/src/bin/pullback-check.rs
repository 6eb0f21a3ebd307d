//! `pullback-check`: judges a plan file against a step program, a strategy and a deployment.
//!
//! Prints the verdict, and what a step takes or what is wrong. Exit code 0 means that the plan is legal, 1 that it
//! is not or that a file could not be read. It needs nothing of the project but what the checker needs.

use pullback_checker::{Checked, MAX_VIOLATIONS, Summary, Violation, check};
use pullback_plan::{Deployment, Strategy};
use serde_json::{Value, json};
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

fn judge(args: &Args) -> Result<Result<Checked, Vec<Violation>>, String> {
    let step = read(&args.step, "step program (--step)", |t| {
        pullback_ir::text::parse(t).map_err(|e| e.to_string())
    })?;
    let strategy = read(&args.strategy, "strategy (--strategy)", Strategy::parse)?;
    let deployment = read(&args.deployment, "deployment (--deployment)", Deployment::parse)?;
    let plan = read(&args.plan, "plan", |t| pullback_plan::text::parse(t).map_err(|e| e.to_string()))?;
    Ok(check(&step, &strategy, &deployment, plan))
}

fn to_text(verdict: &Result<Checked, Vec<Violation>>) -> String {
    match verdict {
        Ok(checked) => format!("legal: every rule holds\n{}", summary_text(checked.summary())),
        Err(found) => {
            let more = if found.len() < MAX_VIOLATIONS { "" } else { " or more" };
            let list: String = found.iter().map(|v| format!("{v}\n")).collect();
            format!("{list}illegal: {}{more} violations\n", found.len())
        }
    }
}

fn summary_text(s: &Summary) -> String {
    let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    let mut out = String::new();
    for d in &s.devices {
        out += &format!(
            "  {}: {:.2} MiB of {:.0} (arena {:.2}, scratch {:.2}), {} events and {} ops a step\n",
            d.name,
            mib(d.high_water()),
            mib(d.memory),
            mib(d.arena),
            mib(d.scratch),
            d.events,
            d.ops
        );
    }
    for ((from, to), bytes) in &s.links {
        out += &format!("  {from} -> {to}: {bytes} bytes a step\n");
    }
    out + &format!("  {} runs of collectives a step\n", s.collectives)
}

fn to_json(verdict: &Result<Checked, Vec<Violation>>) -> String {
    let value = match verdict {
        Ok(checked) => json!({ "verdict": "legal", "summary": summary_json(checked.summary()) }),
        Err(found) => {
            let violations: Vec<Value> = found.iter().map(violation_json).collect();
            json!({ "verdict": "illegal", "violations": violations })
        }
    };
    format!("{value}\n")
}

fn summary_json(s: &Summary) -> Value {
    let device = |d: &pullback_checker::DeviceSummary| {
        json!({
            "name": d.name, "arena": d.arena, "scratch": d.scratch, "high_water": d.high_water(),
            "memory": d.memory, "events": d.events, "ops": d.ops,
        })
    };
    let link =
        |((from, to), bytes): (&(String, String), &u64)| json!({ "from": from, "to": to, "bytes": bytes });
    json!({
        "devices": s.devices.iter().map(device).collect::<Vec<_>>(),
        "links": s.links.iter().map(link).collect::<Vec<_>>(),
        "collectives": s.collectives,
    })
}

fn violation_json(v: &Violation) -> Value {
    let turns: Vec<Value> = v.at.turns.iter().map(|(a, t)| json!([a.to_string(), t])).collect();
    json!({
        "rule": v.rule().id(), "title": v.rule().title(), "fault": v.fault.name(),
        "device": v.device().map(|d| d.to_string()), "event": v.at.event, "turns": turns, "part": v.at.part,
        "op": v.at.op.map(|i| i.to_string()), "place": v.at.to_string(), "reason": v.reason(), "help": v.help(),
    })
}
