//! Legal plans pass, their summaries are right, and the oracle agrees that they compute the step.

use crate::{execute, plans};
use pullback_base::Id;
use pullback_checker::{Rule, Violation};

fn show(found: &[Violation]) -> String {
    found.iter().map(|v| format!("{v}\n")).collect()
}

#[test]
fn legal_plans_pass_and_compute_the_step() {
    for case in plans::all() {
        if let Err(found) = case.check() {
            panic!("{}:\n{}", case.name, show(&found));
        }
        execute::run(&case).unwrap_or_else(|e| panic!("{}: {e}", case.name));
    }
}

#[test]
fn memory_and_traffic_of_a_step() {
    let case = plans::data_parallel();
    let device = case.check().unwrap().summary().devices[0].clone();
    assert_eq!((device.scratch, device.high_water, device.memory), (4096, device.arena + 4096, 1 << 20));

    let links = |case: &plans::Case| -> Vec<(usize, usize, u64)> {
        let counts = pullback_plan::explain::count(&case.plan, &case.step).unwrap();
        counts.links.iter().map(|(&(a, b), &n)| (a.index(), b.index(), n)).collect()
    };
    // Loss and three weights in one ring of two: each segment of two elements goes over once each way.
    assert_eq!(links(&case), [(0, 1, 16), (1, 0, 16)]);
    // Gathered: member 0's three weights go to w1, member 1's one to w0. Scattered: the other way round. Loss: a
    // segment of one element and an empty one.
    assert_eq!(links(&plans::sharded_state()), [(0, 1, (3 + 1 + 1) * 4), (1, 0, (1 + 3 + 1) * 4)]);
}

#[test]
fn every_rule_has_a_text() {
    assert_eq!(Rule::ALL.len(), 17);
    for (i, rule) in Rule::ALL.iter().enumerate() {
        assert_eq!(rule.to_string(), format!("P{}", i + 1));
        assert!(rule.title().len() > 10 && rule.paragraph().len() > 60);
    }
}
