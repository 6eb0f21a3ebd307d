//! What `pullback explain` shows, and what one step counts.

use crate::generate;
use crate::text::{SAMPLE, sample};
use expect_test::expect;
use proptest::prelude::*;
use pullback_base::Id;
use pullback_ir::Program;
use pullback_plan::DeviceId;
use pullback_plan::explain::{count, explain};
use pullback_plan::text::parse;

fn step() -> Program {
    pullback_ir::text::parse(include_str!("step.ir")).unwrap()
}

/// The sample with `k0` replaced and one more cut table, and the bytes its devices send.
fn sent(collective: &str) -> Vec<u64> {
    let (before, rest) = SAMPLE.split_once("collective k0").unwrap();
    let (_, after) = rest.split_once("\n}\n").unwrap();
    let text = format!("{before}collective k0 {collective} }}\n{after}");
    let text = text.replace("10..12\n", "10..12\n  c1 = 4 over data: 0..3 | 3..4\n");
    let counts = count(&parse(&text).unwrap(), &step()).unwrap();
    [0, 1].map(|d| counts.sent(DeviceId::from_index(d))).to_vec()
}

#[test]
fn a_plan_in_words() {
    expect![[r#"
        plan        4b88fcac9d4f
        model       ccca53791b02
        strategy    3e560b4cb5de
        deployment  afbbcc8425a2
        step        7f58cccc1b8f
        relation    floating-point reassociation

        mesh of 2 devices
          data   2  devices side by side
          micro  2  turns one after the other (microbatches)

        devices, per step
               device  at      FLOPs  sends  arena  scratch  memory
          @w0  fast    data 0    328   36 B  448 B    128 B   576 B
          @w1  slow    data 1    176   36 B  448 B    128 B   576 B
          the step program takes 472 FLOPs, all devices together 504 (1.07 times as many)

        batch (2 tensors, 288 B): dimension 0 of 12 cut over data, micro: 4 4 | 2 2
          x f32[12,4], y f32[12,2]

        state (1 tensor, 32 B): whole on every device
          param.w f32[4,2]

        templates (lists of ops that run as one)
              ops  reads  writes  runs  FLOPs, all devices  most frequent ops
          t0    8      3       2     2                 488  dot_general 2, multiply 2, broadcast_in_dim 1, constant 1
          t1    1      2       1     1                  16  subtract 1

        collectives
          k0 all_reduce (add) over data in f32: 2 values, 72 B sent by all devices in a step
              loss, %10

        bytes per link and step (ring, without frame headers)
          @w0 fast  ->  @w1 slow  36 B
          @w1 slow  ->  @w0 fast  36 B

        why
          data  spans the 2 devices there are
          data  12 samples as [8, 4]: slowest coordinate 0.0800 s a step by the measured costs, 0.1200 s if even
          k0    all_reduce of loss, %10: each is pending where its readers need it whole
    "#]].assert_eq(&explain(&sample(), &step()));
}

#[test]
fn bytes_are_those_of_the_ring() {
    let group = "chunk 64 { group (@w0, @w1) item %10";
    // Of eight elements in two even segments, each member passes on one segment twice.
    let all_reduce = format!("all_reduce add f32 over data {group} [_, _] pending add(data) -> [_, _]");
    assert_eq!(sent(&all_reduce), [32, 32]);
    // Member 0 keeps three rows of two and gets them from member 1, which keeps one.
    let reduce_scatter =
        format!("reduce_scatter add f32 over data {group} [_, _] pending add(data) -> [c1, _]");
    assert_eq!(sent(&reduce_scatter), [8, 24]);
    let all_gather = format!("all_gather add f32 over data {group} [c1, _] -> [_, _]");
    assert_eq!(sent(&all_gather), [24, 8]);
    assert_eq!(sent(&all_reduce.replace("(@w0, @w1)", "(@w0) group (@w1)")), [0, 0]);
}

#[test]
fn work_is_that_of_the_boxes() {
    let counts = count(&sample(), &step()).unwrap();
    // Per sample: two dots of 4 x 2 multiply-adds, a subtraction, a square and a sum of 2; on each device and
    // turn the scaling of 8 gradients, and once a step their subtraction.
    assert_eq!(counts.flops, [8 * 38 + 2 * 8 + 8, 4 * 38 + 2 * 8 + 8]);
    assert_eq!((counts.templates, counts.runs), (vec![12 * 38 + 4 * 8, 16], vec![2, 1]));
}

#[test]
fn endless_loops_are_not_walked() {
    let text = SAMPLE.replace("micro time 2", "micro time 65536");
    let nested = text.replace("free b1\n", "loop micro { loop micro { loop micro { free b1 } } }\n");
    let plan = parse(&nested).unwrap();
    assert_eq!(count(&plan, &step()), None);
    assert!(explain(&plan, &step()).contains("too many turns"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    /// Plans that fit neither themselves nor the program are shown as far as they go.
    #[test]
    fn any_plan_can_be_explained(seed: u64) {
        let plan = generate::plan(seed);
        let shown = explain(&plan, &step());
        prop_assert!(shown.contains(&plan.digest().short()), "{}", shown);
        prop_assert!(!shown.chars().any(|c| c.is_control() && c != '\n'), "{}", shown);
    }
}
