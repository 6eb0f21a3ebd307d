//! Legal plans pass, their summaries are right, and the oracle agrees that they compute the step.

use crate::{execute, plans};
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
fn a_summary_counts_what_a_ring_sends() {
    let summary = plans::data_parallel().check().unwrap().summary().clone();
    // Loss and three weights in one ring of two: each segment of two elements goes over once each way.
    let bytes: Vec<_> = summary.links.iter().map(|((a, b), n)| (a.as_str(), b.as_str(), *n)).collect();
    assert_eq!(bytes, [("w0", "w1", 16), ("w1", "w0", 16)]);
    assert_eq!(summary.collectives, 1);
    // 1 loop, 2 turns of 7 events, 4 more and an output on the first device.
    assert_eq!(summary.devices.iter().map(|d| d.events).collect::<Vec<_>>(), [20, 19]);
    assert_eq!(summary.devices.iter().map(|d| d.ops).collect::<Vec<_>>(), [9, 9]);
    assert_eq!(summary.devices[0].high_water(), summary.devices[0].arena + 4096);

    let summary = plans::sharded_state().check().unwrap().summary().clone();
    // Gathered: member 0's three weights go to w1, member 1's one to w0. Scattered: the other way round. Loss: a
    // segment of one element and an empty one.
    assert_eq!(summary.links[&("w0".into(), "w1".into())], (3 + 1 + 1) * 4);
    assert_eq!(summary.links[&("w1".into(), "w0".into())], (1 + 3 + 1) * 4);
}

#[test]
fn every_rule_has_a_text() {
    assert_eq!(Rule::ALL.len(), 17);
    for (i, rule) in Rule::ALL.iter().enumerate() {
        assert_eq!(rule.to_string(), format!("P{}", i + 1));
        assert!(rule.title().len() > 10 && rule.paragraph().len() > 60);
    }
}
