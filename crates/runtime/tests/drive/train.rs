//! Undisturbed runs: right numbers, right bits, everything a summary promises.

use crate::tiny::{self, artifacts, deployment, job, quietly, replicated, run_dir, sharded};
use pullback_runtime::drive::{Event, run};
use serde_json::json;

#[test]
fn three_processes_train_and_two_equal_runs_give_equal_bits() {
    let root = tempfile::tempdir().unwrap();
    for strategy in [replicated(), sharded()] {
        let mut bits = Vec::new();
        for k in 0..2 {
            let dir = run_dir(&root, &format!("run{}-{k}", strategy.len()));
            let mut steps = Vec::new();
            let mut watch = |event: &Event| {
                if let Event::Step { step, replayed: false, .. } = event {
                    steps.push(*step);
                }
            };
            let summary = run(&job(&dir, artifacts(&strategy, &deployment(), 12, json!({}))), &mut watch);
            let summary = summary.unwrap_or_else(|e| panic!("{e}"));
            assert_eq!(steps, (1..=12).collect::<Vec<u64>>());
            let losses = tiny::ledger(&dir, 12);
            let (want, state) = tiny::reference(12);
            for (got, want) in losses.iter().zip(&want) {
                assert!((got - want).abs() <= 1e-5 * want.abs(), "{got} for {want}");
            }
            let got = tiny::state(&dir, 12);
            for (got, want) in got.iter().zip(&state) {
                let f = |b: &[u8]| f32::from_le_bytes(b.try_into().unwrap());
                let close = |(g, w): (&[u8], &[u8])| (f(g) - f(w)).abs() < 1e-5;
                assert!(got.chunks(4).zip(want.chunks(4)).all(close), "{got:?} for {want:?}");
            }
            assert_eq!((summary.steps, summary.committed, summary.restarts), (12, 12, 0));
            assert_eq!(
                (summary.first_loss, summary.last_loss),
                (losses.first().copied(), losses.last().copied())
            );
            assert_eq!(summary.workers.iter().map(|w| w.samples).sum::<u64>(), tiny::BATCH as u64);
            assert!(summary.links.iter().all(|l| l.bytes > 0) && summary.links.len() == 3, "{summary:?}");
            bits.push((losses, got));
        }
        assert_eq!(bits[0], bits[1]);
    }
}

#[test]
fn a_finished_run_is_not_run_again_and_a_longer_one_goes_on() {
    let root = tempfile::tempdir().unwrap();
    let (once, twice) = (run_dir(&root, "once"), run_dir(&root, "twice"));
    quietly(&job(&once, artifacts(&replicated(), &deployment(), 15, json!({})))).unwrap();
    quietly(&job(&twice, artifacts(&replicated(), &deployment(), 9, json!({})))).unwrap();
    let again = quietly(&job(&twice, artifacts(&replicated(), &deployment(), 9, json!({})))).unwrap();
    assert_eq!((again.steps, again.committed, again.already_complete), (9, 0, true));
    let longer = quietly(&job(&twice, artifacts(&replicated(), &deployment(), 15, json!({})))).unwrap();
    assert_eq!((longer.steps, longer.committed, longer.replayed), (15, 6, 0));
    assert!(!longer.already_complete);
    assert_eq!(tiny::ledger(&once, 15), tiny::ledger(&twice, 15));
    assert_eq!(tiny::state(&once, 15), tiny::state(&twice, 15));
}
