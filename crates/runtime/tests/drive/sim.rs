//! Simulated faults: whatever a seed brings, commits are one per step, in order, and the bits are the same.

use crate::tiny::{self, Data, deployment, init, replicated, sharded};
use pullback_plan::{Deployment, Strategy};
use pullback_runtime::drive::{Faults, Scenario, simulate};
use std::sync::Arc;
use std::time::Duration;

fn scenario(strategy: &str, steps: u64) -> Scenario {
    let (program, plan) = tiny::plan(strategy, &deployment());
    let deployment = Deployment::parse(&deployment()).unwrap();
    let strategy = Strategy::parse(strategy).unwrap();
    let checked = pullback_checker::check(&program, &strategy, &deployment, plan).unwrap();
    Scenario {
        checked: Arc::new(checked),
        program: Arc::new(program),
        deployment,
        batches: Arc::new(|| Box::new(Data { sleep: Duration::ZERO, nan_at: None })),
        init: Arc::new(init),
        steps,
        checkpoint_every: 4,
    }
}

#[test]
fn every_seed_ends_with_the_bits_of_an_undisturbed_run() {
    let seeds = if std::env::var_os("SLOW").is_some() { 2000 } else { 150 };
    for strategy in [replicated(), sharded()] {
        let scenario = scenario(&strategy, 12);
        let calm = simulate(0, &scenario, &Faults::none()).unwrap();
        assert_eq!(calm.crashes, 0);
        let (losses, _) = tiny::reference(12);
        for ((epoch, loss, _), (want, k)) in calm.commits.iter().zip(losses.iter().zip(1..)) {
            assert!(*epoch == k && (loss - want).abs() < 1e-5 * want.abs(), "{loss} for {want}");
        }
        let mut crashes = 0;
        for seed in 0..seeds {
            let wild =
                simulate(seed, &scenario, &Faults::some()).unwrap_or_else(|e| panic!("seed {seed}: {e}"));
            assert_eq!(wild.commits, calm.commits, "seed {seed}");
            assert_eq!(wild.state, calm.state, "seed {seed}");
            crashes += wild.crashes;
        }
        assert!(crashes > 4 * seeds as u32, "only {crashes} crashes in {seeds} runs");
    }
}

#[test]
fn a_seed_replays_to_the_same_log_and_others_differ() {
    let scenario = scenario(&sharded(), 12);
    let run = |seed| simulate(seed, &scenario, &Faults::some()).unwrap();
    let (a, b, c) = (run(3), run(3), run(4));
    assert_eq!(a, b);
    assert_ne!(a.log, c.log);
    assert!(a.log.iter().any(|line| line.contains("crashes")), "{:#?}", a.log);
}
