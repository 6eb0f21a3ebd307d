//! Random programs with what JAX made of them: a fixed few hundred, made by
//! `tools/differential/generate.py --seed 0 --count 600 --max-ops 4 --max-bytes 6000`, and a few hundred losses with
//! their derivatives, made with `--gradients` (small records of seeds 0 to 620 and 1000 on).
#![allow(clippy::unwrap_used)]

#[path = "../../examples/differential/derivatives.rs"]
mod derivatives;
#[path = "../../examples/differential/replay.rs"]
mod replay;

use replay::{Record, Verdict, replay};
use std::path::Path;

fn records(file: &str) -> Vec<Record> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/differential").join(file);
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn programs_compute_what_jax_computes() {
    judge(&records("programs.jsonl"));
}

/// Gradients, directional derivatives and products with Hessians.
#[test]
fn derivatives_are_those_of_jax() {
    let records = records("derivatives.jsonl");
    assert!(records.iter().all(|r| r.derivatives.is_some()));
    judge(&records);
}

fn judge(records: &[Record]) {
    assert!(records.len() >= 300, "{}", records.len());
    let mut wrong = Vec::new();
    let mut doubtful = 0;
    for record in records {
        match replay(record).0 {
            Verdict::Agrees { ill_conditioned } => doubtful += ill_conditioned,
            Verdict::Rejected(why) => wrong.push(format!("seed {}: unsupported: {why}", record.seed)),
            Verdict::Differs { op, how } => wrong.push(format!("seed {}: {op}: {how}", record.seed)),
        }
    }
    assert!(wrong.is_empty(), "{} of {} programs:\n{}", wrong.len(), records.len(), wrong.join("\n"));
    assert!(doubtful <= records.len() / 20, "{doubtful} outputs agree only because they are ill-conditioned");
}

/// The comparison notices a wrong bit: each output of some programs, changed in its last byte.
#[test]
fn a_wrong_result_is_noticed() {
    let mut noticed = 0;
    for record in records("programs.jsonl")
        .into_iter()
        .filter(|r| r.outputs.iter().all(|o| o.tolerance == 0.0))
        .take(60)
    {
        for i in 0..record.outputs.len() {
            let mut changed = record.clone();
            if changed.outputs[i].value.flip_last_bit() {
                assert!(
                    matches!(replay(&changed).0, Verdict::Differs { .. }),
                    "seed {} output {i}",
                    record.seed
                );
                noticed += 1;
            }
        }
    }
    assert!(noticed >= 20, "{noticed}");
}
