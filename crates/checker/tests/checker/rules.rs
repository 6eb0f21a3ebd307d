//! Each rule rejects: at least two ways to break it, each as somebody might come to write it.

use crate::plans::{self, Case, axis, communicate, compute, layout, x};
use pullback_base::Id;
use pullback_checker::{MAX_VIOLATIONS, Rule, Violation};
use pullback_ir::region::IntervalSet;
use pullback_ir::{Builder, DType, InstrId, Monoid, Value};
use pullback_plan::*;
use std::collections::BTreeMap;

/// The faults found in a case after a change; there must be some.
fn faults(mut case: Case, change: impl FnOnce(&mut Case)) -> Vec<Violation> {
    change(&mut case);
    case.check().expect_err("the change must be rejected")
}

/// The change is rejected by this rule through this fault; says so when not.
#[track_caller]
fn rejects(case: Case, fault: &str, change: impl FnOnce(&mut Case)) {
    let found = faults(case, change);
    let hit = found.iter().find(|v| v.fault.name() == fault);
    let all: String = found.iter().map(|v| format!("{v}\n")).collect();
    let hit = hit.unwrap_or_else(|| panic!("expected {fault}, found\n{all}"));
    assert!(fault.starts_with(hit.rule().id()), "{hit}");
    assert!(!hit.help().is_empty() && hit.to_string().contains(&hit.rule().to_string()), "{hit}");
}

fn d(i: usize) -> DeviceId {
    DeviceId::from_index(i)
}

fn b(i: usize) -> BufferId {
    BufferId::from_index(i)
}

fn t(i: usize) -> TemplateId {
    TemplateId::from_index(i)
}

fn k(i: usize) -> CollectiveId {
    CollectiveId::from_index(i)
}

fn c(i: usize) -> CutId {
    CutId::from_index(i)
}

/// Changes all devices alike.
fn each(case: &mut Case, change: impl Fn(&mut DevicePlan)) {
    for id in case.plan.devices.ids() {
        change(&mut case.plan.devices[id]);
    }
}

fn each_list(case: &mut Case, change: impl Fn(&mut Vec<Event>)) {
    each(case, |d| change(&mut d.events));
}

/// The body of the loop that comes first.
fn body(device: &mut DevicePlan) -> &mut Vec<Event> {
    match &mut device.events[0] {
        Event::Loop { body, .. } => body,
        other => panic!("{other:?} is no loop"),
    }
}

// Buffers of the data-parallel plan.
const W: usize = 0;
const X: usize = 1;
const LOSS_T: usize = 2;
const DW_T: usize = 3;
const LOSS_D: usize = 4;
const DW_D: usize = 5;
const LOSS: usize = 6;
const DW: usize = 7;
const NEXT: usize = 8;

use plans::{data_parallel as dp, grid, sharded_state as zero, tensor_parallel as tp};

#[test]
fn p1_names() {
    rejects(dp(), "P1Unknown", |s| each_list(s, |e| e[2] = Event::Free { buffer: b(99) }));
    rejects(dp(), "P1Unknown", |s| s.plan.templates[t(0)].ops[0].instr = InstrId::from_index(77));
    rejects(dp(), "P1Unknown", |s| s.plan.templates[t(0)].ops[0].cuts[0] = Some(c(5)));
    rejects(dp(), "P1Unknown", |s| s.plan.collectives[k(0)].groups[0][1] = d(7));
    rejects(dp(), "P1Unknown", |s| each_list(s, |e| e.push(Event::Output { slot: 3, from: b(LOSS) })));
    rejects(dp(), "P1Unknown", |s| each(s, |d| d.buffers[b(X)].value = Value::from_index(100)));
    rejects(dp(), "P1Count", |s| each(s, |d| d.entry = vec![]));
    rejects(dp(), "P1Count", |s| each_list(s, |e| e[3] = compute(t(1), &[b(W)], &[b(NEXT)])));
    rejects(dp(), "P1Count", |s| s.plan.cuts[c(0)].sets.truncate(3));
    rejects(dp(), "P1Count", |s| s.plan.templates[t(0)].ops[0].cuts.push(None));
    rejects(dp(), "P1Mesh", |s| s.plan.mesh.places[1].coord = vec![0, 0]);
    rejects(dp(), "P1Mesh", |s| s.plan.mesh.axes[1].size = 0);
    rejects(dp(), "P1Mesh", |s| s.plan.mesh.axes[1].size = usize::MAX);
    rejects(dp(), "P1Mesh", |s| s.plan.mesh.places[1].device = "w0".into());
    rejects(dp(), "P1Signature", |s| s.plan.signature.batch.clear());
    rejects(dp(), "P1Signature", |s| s.plan.signature.state[0].arg = 9);
}

#[test]
fn p1_order() {
    rejects(dp(), "P1Undefined", |s| s.plan.templates[t(0)].ops.swap(0, 1));
    rejects(dp(), "P1Undefined", |s| s.plan.templates[t(0)].ops.truncate(2));
    rejects(dp(), "P1Undefined", |s| each(s, |d| body(d).swap(0, 1)));
    // What a turn wrote is gone after the loop.
    rejects(dp(), "P1Undefined", |s| {
        each(s, |d| {
            body(d).truncate(4);
            d.events.insert(1, Event::Free { buffer: b(X) });
        });
    });
    rejects(dp(), "P1Redefined", |s| each_list(s, |e| e.insert(4, e[3].clone())));
    rejects(dp(), "P1Redefined", |s| {
        let again = s.plan.templates[t(0)].ops[0].clone();
        s.plan.templates[t(0)].ops.push(again);
    });
    rejects(dp(), "P1Loop", |s| {
        each(s, |d| match &mut d.events[0] {
            Event::Loop { axis, .. } => *axis = x(0),
            other => panic!("{other:?}"),
        })
    });
    rejects(dp(), "P1Loop", |s| {
        each(s, |d| {
            let inner = Event::Loop { axis: x(1), body: vec![] };
            body(d).push(inner);
        })
    });
}

#[test]
fn p2_claims() {
    rejects(dp(), "P2Claim", |s| each(s, |d| d.buffers[b(DW_T)].layout = layout(&[None], &[x(0)])));
    rejects(dp(), "P2Claim", |s| each(s, |d| d.buffers[b(LOSS_T)].layout = layout(&[], &[])));
    rejects(dp(), "P2Claim", |s| {
        each(s, |d| {
            d.buffers[b(LOSS_T)].layout.pending.as_mut().unwrap().monoid = Monoid::Maximum;
        })
    });
    rejects(zero(), "P2Claim", |s| each(s, |d| d.buffers[b(7)].layout = layout(&[None], &[])));
    rejects(dp(), "P2Value", |s| each_list(s, |e| e[3] = compute(t(1), &[b(DW), b(W)], &[b(NEXT)])));
    rejects(dp(), "P2Value", |s| each(s, |d| d.entry = vec![b(X)]));
    rejects(dp(), "P2Bytes", |s| each(s, |d| d.buffers[b(NEXT)].bytes = 8));
    rejects(dp(), "P2Bytes", |s| each(s, |d| d.buffers[b(W)].bytes = 0));
    rejects(dp(), "P2CutSize", |s| {
        let half = Cut {
            size: 2,
            axes: vec![x(0)],
            sets: vec![IntervalSet::interval(0, 1), IntervalSet::interval(1, 2)],
        };
        let id = s.plan.cuts.push(half);
        s.plan.templates[t(1)].ops[0].cuts[0] = Some(id);
    });
    rejects(dp(), "P2CutSize", |s| each(s, |d| d.buffers[b(W)].layout.dims[0] = Some(c(0))));
    rejects(dp(), "P2Layout", |s| {
        each(s, |d| {
            d.buffers[b(X)].layout = layout(&[Some(c(0)), None], &[x(1)]);
        })
    });
    rejects(dp(), "P2TimeAxis", |s| each_list(s, |e| e.insert(0, Event::Load { slot: 0, into: b(X) })));
}

#[test]
fn p3_operands() {
    // Whole rows of x where only a part was loaded.
    rejects(tp(), "P3Needs", |s| s.plan.templates[t(0)].ops[0].cuts[1] = None);
    rejects(zero(), "P3Needs", |s| s.plan.templates[t(1)].ops[0].cuts[0] = None);
    // w - contribution.
    rejects(dp(), "P3NotLinear", |s| {
        each_list(s, |e| e[3] = compute(t(1), &[b(W), b(DW_D)], &[b(NEXT)]));
    });
    // The bias is added on every device: y is still pending.
    rejects(tp(), "P3NotLinear", |s| {
        each_list(s, |e| {
            e[3] = compute(t(1), &[b(0), b(1), b(2), b(3), b(4), b(5)], &[b(10), b(7), b(8), b(9)]);
        })
    });
    rejects(grid(), "P3CutOfPending", |s| {
        // Negate is cut by the axis over which its operand is a contribution.
        let by_data = Cut { size: 5, axes: vec![x(0)], sets: s.plan.cuts[c(1)].sets.clone() };
        let id = s.plan.cuts.push(by_data);
        s.plan.templates[t(0)].ops[2].cuts[0] = Some(id);
    });
    rejects(grid(), "P3AxisTwice", |s| {
        let by_data = Cut { size: 5, axes: vec![x(0)], sets: s.plan.cuts[c(1)].sets.clone() };
        let id = s.plan.cuts.push(by_data);
        s.plan.templates[t(0)].ops[1].cuts[1] = Some(id);
    });
    rejects(dp(), "P3TimeAxis", |s| {
        each(s, |d| {
            let body = std::mem::take(body(d));
            d.events.splice(0..1, body);
        })
    });
}

#[test]
fn p3_mixed_families() {
    let mut build = Builder::new("step");
    let w = build.arg(Some("w"), plans::f32s(&[4]));
    let xs = build.arg(Some("x"), plans::f32s(&[4, 4]));
    let rows = build.reduce(xs, &[0], Monoid::Add).unwrap();
    let cols = build.reduce(xs, &[1], Monoid::Add).unwrap();
    let both = build.add(rows, cols).unwrap();
    let next = build.sub(w, both).unwrap();
    let loss = build.reduce(both, &[0], Monoid::Add).unwrap();
    let step = build.finish(&[loss, next]);
    let signature = Signature {
        state: vec![StateSlot { name: "w".into(), arg: 0, result: 1 }],
        batch: vec![BatchSlot { name: "x".into(), arg: 1 }],
        outputs: vec![OutputSlot { name: "loss".into(), result: 0 }],
    };
    let axes = vec![axis("a", AxisKind::Space, 2), axis("b", AxisKind::Space, 2)];
    let mut m = plans::Make::new(step, signature, axes);
    let (a_axis, b_axis) = (x(0), x(1));
    let by_a = Some(m.cut(4, &[a_axis], &["0..2", "2..4"]));
    let by_b = Some(m.cut(4, &[b_axis], &["0..1", "1..4"]));
    let t0 = m.template(&[(rows, &[by_a, None]), (cols, &[None, by_b]), (both, &[None])], &[xs], &[both]);
    let (bw, bx) = (m.buffer(w, layout(&[None], &[])), m.buffer(xs, layout(&[None, None], &[])));
    let out = m.buffer(both, layout(&[None], &[a_axis, b_axis]));
    m.device.entry = vec![bw];
    let events = vec![Event::Load { slot: 0, into: bx }, compute(t0, &[bx], &[out])];
    // A sum over a plus a sum over b is no sum over both.
    rejects(m.finish("mixed", events, vec![]), "P3Mixed", |_| {});
}

#[test]
fn p3_blocked() {
    let mut build = Builder::new("step");
    let w = build.arg(Some("w"), plans::f32s(&[6]));
    let i = build.arg(Some("i"), pullback_ir::TensorType::scalar(DType::I32));
    let part = build.push1(pullback_ir::Op::DynamicSlice { sizes: vec![4] }, &[w, i]).unwrap();
    let loss = build.reduce(part, &[0], Monoid::Add).unwrap();
    let step = build.finish(&[loss, w]);
    let signature = Signature {
        state: vec![StateSlot { name: "w".into(), arg: 0, result: 1 }],
        batch: vec![BatchSlot { name: "i".into(), arg: 1 }],
        outputs: vec![OutputSlot { name: "loss".into(), result: 0 }],
    };
    let mut m = plans::Make::new(step, signature, vec![axis("a", AxisKind::Space, 2)]);
    let cut = Some(m.cut(4, &[x(0)], &["0..2", "2..4"]));
    let t0 = m.template(&[(part, &[None]), (loss, &[None])], &[w, i], &[loss]);
    let (bw, bi, bl) =
        (m.buffer(w, layout(&[None], &[])), m.buffer(i, layout(&[], &[])), m.buffer(loss, layout(&[], &[])));
    m.device.entry = vec![bw];
    let events = vec![
        Event::Load { slot: 0, into: bi },
        compute(t0, &[bw, bi], &[bl]),
        Event::Commit { next: vec![bw] },
    ];
    let case = m.finish("blocked", events, vec![Event::Output { slot: 0, from: bl }]);
    // State that passes through unchanged may be committed where it is.
    assert!(case.check().is_ok());
    rejects(case.clone(), "P3Blocked", |s| s.plan.templates[t(0)].ops[0].cuts[0] = cut);
    rejects(case, "P10DType", |s| s.deployment.devices[1].dtypes = Some(vec!["f32".into()]));
}

#[test]
fn p4_collectives() {
    rejects(dp(), "P4Groups", |s| s.plan.collectives[k(0)].groups = vec![vec![d(1), d(0)]]);
    rejects(dp(), "P4Groups", |s| s.plan.collectives[k(0)].groups = vec![vec![d(0)], vec![d(1)]]);
    rejects(dp(), "P4Groups", |s| s.plan.collectives[k(0)].axes = vec![x(1)]);
    rejects(grid(), "P4Groups", |s| s.plan.collectives[k(0)].groups.truncate(1));
    rejects(dp(), "P4Items", |s| s.plan.collectives[k(0)].dtype = DType::F64);
    rejects(dp(), "P4Items", |s| s.plan.collectives[k(0)].chunk = 0);
    rejects(dp(), "P4Items", |s| {
        s.plan.collectives[k(0)].items.pop();
    });
    rejects(dp(), "P4Items", |s| s.plan.collectives[k(0)].items.swap(0, 1));
    rejects(dp(), "P4Unmatched", |s| {
        s.plan.devices[d(1)].events.remove(1);
    });
    // The first device reduces each of two values in the other order.
    rejects(zero(), "P4Unmatched", |s| s.plan.devices[d(0)].events.swap(3, 4));
    // One device reduces in each turn, the other after the loop.
    rejects(dp(), "P4Unmatched", |s| {
        let moved = s.plan.devices[d(1)].events.remove(1);
        body(&mut s.plan.devices[d(1)]).push(moved);
    });
}

#[test]
fn p5_ends() {
    // Devices 1 and 2 run the two independent collectives of the grid in the other order: a circle of four.
    rejects(grid(), "P5Deadlock", |s| {
        for i in [1, 2] {
            s.plan.devices[d(i)].events.swap(2, 3);
        }
    });
    // A program of a million turns of many events.
    rejects(dp(), "P5TooLong", |s| {
        s.plan.mesh.axes[1].size = 1 << 14;
        s.plan.cuts[c(0)].sets.resize(1 << 15, IntervalSet::empty());
        s.plan.cuts[c(0)].sets.swap(2, 1 << 14);
        let frees = vec![Event::Loop { axis: x(2), body: vec![] }; 500];
        s.plan.mesh.axes.push(axis("idle", AxisKind::Time, 1));
        s.plan.mesh.places.iter_mut().for_each(|p| p.coord.push(0));
        each(s, |d| body(d).extend(frees.clone()));
    });
}

/// Moves a buffer onto another.
fn onto(case: &mut Case, moved: usize, target: usize) {
    each(case, |d| d.buffers[b(moved)].offset = d.buffers[b(target)].offset);
}

#[test]
fn p6_memory() {
    rejects(dp(), "P6State", |s| onto(s, NEXT, W));
    rejects(dp(), "P6State", |s| onto(s, X, W));
    // The next state's bytes are used after the commit.
    rejects(dp(), "P6State", |s| {
        each_list(s, |e| e.push(Event::Loop { axis: x(1), body: vec![Event::Load { slot: 0, into: b(X) }] }));
        onto(s, X, NEXT);
    });
    rejects(dp(), "P6Overwritten", |s| onto(s, X, LOSS_D));
    rejects(dp(), "P6Overwritten", |s| onto(s, DW_D, LOSS_D));
    rejects(dp(), "P6Overlap", |s| onto(s, DW_T, X));
    rejects(dp(), "P6Overlap", |s| onto(s, LOSS_T, LOSS_D));
    rejects(dp(), "P6Overlap", |s| onto(s, DW, DW_D));
    rejects(dp(), "P6Freed", |s| each_list(s, |e| e.insert(1, Event::Free { buffer: b(DW_D) })));
    rejects(dp(), "P6Freed", |s| each_list(s, |e| e.insert(3, e[2].clone())));
    rejects(dp(), "P6FreeOfState", |s| each_list(s, |e| e.push(Event::Free { buffer: b(W) })));
    rejects(dp(), "P6FreeOfState", |s| each_list(s, |e| e.push(Event::Free { buffer: b(NEXT) })));
    // Bytes of what is no longer read may be reused.
    let mut reuse = dp();
    onto(&mut reuse, NEXT, LOSS_D);
    assert!(reuse.check().is_ok());
}

#[test]
fn p7_sizes() {
    rejects(dp(), "P7Arena", |s| s.plan.devices[d(1)].arena -= 64);
    rejects(dp(), "P7Arena", |s| each(s, |d| d.buffers[b(LOSS)].offset = u64::MAX - 63));
    rejects(dp(), "P7Alignment", |s| each(s, |d| d.buffers[b(LOSS)].offset += 4));
    rejects(dp(), "P7Memory", |s| s.plan.devices[d(0)].arena = 1 << 20);
    rejects(dp(), "P7Memory", |s| s.plan.templates[t(1)].scratch = u64::MAX);
    // wb and p live together: 2 rows of 3 numbers each, in 64 bytes each.
    rejects(dp(), "P7Scratch", |s| s.plan.templates[t(0)].scratch = 127);
    let mut exact = dp();
    exact.plan.templates[t(0)].scratch = 128;
    exact.plan.templates[t(1)].scratch = 0;
    assert!(exact.check().is_ok());
}

#[test]
fn p8_cuts_and_collectives() {
    let set = |s: &str| s.parse::<IntervalSet>().unwrap();
    rejects(dp(), "P8NotPartition", |s| s.plan.cuts[c(0)].sets[1] = set("1..3"));
    rejects(dp(), "P8NotPartition", |s| s.plan.cuts[c(0)].sets[1] = set("none"));
    rejects(dp(), "P8NotPartition", |s| s.plan.cuts[c(0)].sets[1] = IntervalSet::interval(2, usize::MAX));
    rejects(dp(), "P8NotPartition", |s| s.plan.cuts[c(0)].size = usize::MAX);
    // All-reduce of what each device has whole.
    rejects(dp(), "P8NotPending", |s| {
        let item = &mut s.plan.collectives[k(0)].items[1];
        item.from = item.to.clone();
        s.plan.templates[t(0)].ops[3].cuts[0] = None;
        each(s, |d| {
            d.buffers[b(DW_T)].layout = layout(&[None], &[]);
            d.buffers[b(DW_D)].layout = layout(&[None], &[]);
            body(d).remove(3);
            d.events[1] = communicate(k(0), &[b(LOSS_D), b(DW_D)], &[b(LOSS), b(DW)]);
        });
        each(s, |d| d.buffers[b(X)].layout = layout(&[None, None], &[]));
        each(s, |d| d.events.insert(1, Event::Load { slot: 0, into: b(X) }));
        let all = Template {
            ops: vec![TemplateOp { cuts: vec![None, None], ..s.plan.templates[t(0)].ops[3].clone() }],
            inputs: vec![s.plan.templates[t(0)].inputs[1]],
            outputs: vec![s.plan.templates[t(0)].outputs[1]],
            scratch: 0,
        };
        let all = s.plan.templates.push(all);
        each(s, |d| d.events.insert(2, compute(all, &[b(X)], &[b(DW_D)])));
    });
    rejects(dp(), "P8Monoid", |s| s.plan.collectives[k(0)].monoid = Monoid::Maximum);
    rejects(zero(), "P8Gathered", |s| {
        let item = &mut s.plan.collectives[k(2)];
        item.kind = CollectiveKind::AllGather;
    });
    // Two collectives reduce the same contribution, one after the other.
    rejects(dp(), "P8NotPending", |s| {
        let item = CollectiveItem { from: layout(&[None], &[]), ..s.plan.collectives[k(0)].items[1].clone() };
        let again =
            s.plan.collectives.push(Collective { items: vec![item], ..s.plan.collectives[k(0)].clone() });
        each(s, |d| {
            let twice = d.buffers.push(Buffer { offset: d.arena, ..d.buffers[b(DW)].clone() });
            d.arena += 64;
            d.events.insert(2, communicate(again, &[b(DW)], &[twice]));
        });
    });
}

#[test]
fn p8_families() {
    // Two cuts of the batch: the first device takes samples 0..3 by one, the second 2..4 by the other.
    rejects(zero(), "P8Family", |s| {
        let sets = vec!["0..3".parse().unwrap(), "3..6".parse().unwrap()];
        let other = s.plan.cuts.push(Cut { sets, ..s.plan.cuts[c(0)].clone() });
        let mut template = s.plan.templates[t(0)].clone();
        template.ops.iter_mut().for_each(|op| op.cuts[0] = Some(other));
        let template = s.plan.templates.push(template);
        let device = &mut s.plan.devices[d(1)];
        device.buffers[b(2)].layout.dims[0] = Some(other);
        match &mut device.events[2] {
            Event::Compute { template: t, .. } => *t = template,
            e => panic!("{e:?}"),
        }
    });
    // The same table under another name is the same family.
    let mut same = zero();
    let twin = same.plan.cuts.push(same.plan.cuts[c(0)].clone());
    same.plan.devices[d(1)].buffers[b(2)].layout.dims[0] = Some(twin);
    same.plan.templates[t(0)].ops[3].cuts[0] = Some(twin);
    assert!(same.check().is_ok());
}

#[test]
fn p8_nothing_to_cut() {
    // A batch of no sample, cut: each device would add what joins the sum once.
    let (step, [w, xs, _, _, _, dw, _]) = plans::linear_model(0, 3);
    let signature = Signature {
        state: vec![StateSlot { name: "w".into(), arg: 0, result: 1 }],
        batch: vec![BatchSlot { name: "x".into(), arg: 1 }],
        outputs: vec![OutputSlot { name: "loss".into(), result: 0 }],
    };
    let mut m = plans::Make::new(step, signature, vec![axis("data", AxisKind::Space, 2)]);
    let rows = Some(m.cut(0, &[x(0)], &["none", "none"]));
    m.template(&[(dw, &[rows, None])], &[xs], &[dw]);
    m.device.entry =
        vec![m.device.buffers.push(Buffer { value: w, layout: layout(&[None], &[]), offset: 0, bytes: 12 })];
    rejects(m.finish("empty", vec![], vec![]), "P8NothingToCut", |_| {});
}

#[test]
fn p8_turns() {
    rejects(dp(), "P8NotInLoop", |s| {
        each(s, |d| {
            let moved = body(d).remove(2);
            d.events.insert(1, moved);
        })
    });
    rejects(dp(), "P8Turn", |s| {
        each(s, |d| {
            let again = body(d)[2].clone();
            body(d).insert(3, again);
        })
    });
    rejects(dp(), "P8Incomplete", |s| {
        let moved = s.plan.devices[d(0)].events[1].clone();
        each(s, |d| {
            d.events.remove(1);
            body(d).push(moved.clone());
        });
    });
    // A mean per turn that somebody then adds up without saying over what.
    rejects(dp(), "P8NotPending", |s| {
        each(s, |d| {
            let id = d.buffers.push(Buffer { offset: d.arena, ..d.buffers[b(W)].clone() });
            d.arena += 64;
            body(d).insert(0, Event::Combine { from: b(W), into: id, axis: x(1) });
        });
    });
    // Frees what it combines into.
    rejects(dp(), "P6Freed", |s| each(s, |d| body(d).push(Event::Free { buffer: b(DW_D) })));
}

#[test]
fn p9_tiles() {
    // Every device of a column has the whole gradient, and they are gathered.
    rejects(grid(), "P9Tiling", |s| {
        let item = &mut s.plan.collectives[k(0)];
        item.kind = CollectiveKind::AllGather;
        item.items[0].from = layout(&[Some(c(1))], &[]);
        item.axes = vec![x(0)];
        each(s, |d| {
            let gathered = layout(&[Some(c(1))], &[]);
            d.buffers[b(3)].layout = gathered;
        });
        // The gradient is computed whole in each row of devices.
        s.plan.templates[t(0)].ops[1].cuts[0] = None;
        each(s, |d| d.buffers[b(1)].layout = layout(&[None, Some(c(1))], &[]));
    });
    rejects(zero(), "P9Tiling", |s| {
        // Both members keep all of it.
        s.plan.collectives[k(1)].items[0].to = layout(&[None], &[]);
        each(s, |d| d.buffers[b(6)].layout = layout(&[None], &[]));
    });
}

#[test]
fn p9_outputs() {
    rejects(dp(), "P9Count", |s| {
        s.plan.devices[d(0)].events.pop();
    });
    rejects(dp(), "P9Count", |s| s.plan.devices[d(1)].events.push(Event::Output { slot: 0, from: b(LOSS) }));
    rejects(dp(), "P9Value", |s| {
        *s.plan.devices[d(0)].events.last_mut().unwrap() = Event::Output { slot: 0, from: b(DW) }
    });
    rejects(zero(), "P9Value", |s| {
        *s.plan.devices[d(0)].events.last_mut().unwrap() = Event::Output { slot: 0, from: b(3) };
    });
}

#[test]
fn p10_dtypes_and_kinds() {
    rejects(dp(), "P10DType", |s| s.deployment.devices[1].dtypes = Some(vec!["f64".into()]));
    rejects(tp(), "P10DType", |s| s.deployment.devices[0].dtypes = Some(vec![]));
    rejects(dp(), "P10Kind", |s| s.deployment.devices[0].kind = "abacus".into());
}

#[test]
fn p11_epochs() {
    rejects(dp(), "P11Load", |s| each(s, |d| body(d)[0] = Event::Load { slot: 0, into: b(LOSS_T) }));
    rejects(dp(), "P11Load", |s| each(s, |d| d.buffers[b(X)].layout = layout(&[None, None], &[x(1)])));
    // The forward pass runs once more after the commit.
    rejects(dp(), "P11Past", |s| {
        each_list(s, |e| {
            let forward = compute(t(0), &[b(W), b(X)], &[b(LOSS_T), b(DW_T)]);
            e.push(Event::Loop { axis: x(1), body: vec![Event::Load { slot: 0, into: b(X) }, forward] });
        })
    });
    rejects(zero(), "P11Past", |s| {
        each_list(s, |e| {
            // Fetches the weights for the next step too early.
            let gather = e.remove(0);
            e.push(gather);
        })
    });
}

#[test]
fn p12_routes() {
    let links = |between: &[[&str; 2]]| -> Vec<deployment::Link> {
        let link = |[a, b]: &[&str; 2]| deployment::Link {
            between: [a.to_string(), b.to_string()],
            megabytes_per_second: 100.0,
            latency_us: 50.0,
        };
        between.iter().map(link).collect()
    };
    // Columns 0-1 and 2-3 are linked, rows are not.
    rejects(grid(), "P12NoRoute", |s| s.deployment.links = links(&[["w0", "w1"], ["w2", "w3"]]));
    rejects(dp(), "P12NoRoute", |s| s.deployment.links = links(&[["w0", "w0"]]));
    let mut linked = dp();
    linked.deployment.links = links(&[["w1", "w0"]]);
    linked.plan.identity.deployment = linked.deployment.digest();
    assert!(linked.check().is_ok());
}

#[test]
fn p13_identities() {
    for field in ["step", "strategy", "deployment"] {
        let found = faults(dp(), |s| {
            let id = &mut s.plan.identity;
            let digest = match field {
                "step" => &mut id.step,
                "strategy" => &mut id.strategy,
                _ => &mut id.deployment,
            };
            *digest = Digest::of(b"another");
        });
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].reason().starts_with(field) && found[0].rule() == Rule::P13, "{}", found[0]);
    }
    rejects(dp(), "P13Digest", |s| s.deployment.devices[0].memory_mib = 2);
    rejects(dp(), "P13Device", |s| s.plan.mesh.places[1].device = "w9".into());
    rejects(dp(), "P13Device", |s| s.strategy.devices = Some(vec!["w1".into(), "w0".into()]));
    rejects(dp(), "P13Axis", |s| s.strategy.axes[0].size = Some(3));
    rejects(dp(), "P13Axis", |s| s.strategy.axes.swap(0, 1));
    rejects(dp(), "P13Axis", |s| s.plan.mesh.axes[1].name = "turn".into());
}

#[test]
fn p14_relations() {
    rejects(dp(), "P14Relation", |s| s.plan.certificate.relation = "roughly".into());
    rejects(dp(), "P14Relation", |s| s.plan.certificate.relation = String::new());
    rejects(dp(), "P14NotExact", |s| s.plan.certificate.relation = "exact".into());
    rejects(tp(), "P14NotExact", |s| s.plan.certificate.relation = "exact".into());
}

#[test]
fn p15_state() {
    // Enters cut, leaves whole.
    rejects(zero(), "P15Slot", |s| {
        each(s, |d| d.buffers[b(0)].layout = layout(&[None], &[]));
        s.plan.collectives[k(0)].items[0].from = layout(&[None], &[]);
    });
    // Commits the gradient.
    rejects(dp(), "P15Slot", |s| each_list(s, |e| e[4] = Event::Commit { next: vec![b(DW)] }));
    // Enters differently on two devices.
    rejects(zero(), "P15Slot", |s| s.plan.devices[d(1)].buffers[b(0)].layout = layout(&[None], &[]));
    rejects(zero(), "P15Slot", |s| each(s, |d| d.buffers[b(0)].layout = layout(&[None], &[x(0)])));
    // Two slots change places.
    rejects(tp(), "P15Slot", |s| each_list(s, |e| e[4] = Event::Commit { next: vec![b(8), b(7), b(9)] }));
}

#[test]
fn p16_replicas() {
    // The bias is updated by devices of two kinds.
    rejects(tp(), "P16Replicas", |s| {
        s.deployment.devices[1].kind = "reference".into();
        s.plan.identity.deployment = s.deployment.digest();
    });
    rejects(dp(), "P16Replicas", |s| {
        s.deployment.devices[0].kind = "reference".into();
        s.plan.identity.deployment = s.deployment.digest();
    });
    // The first device reduces in a bucket of its own size: other segments, another order of sums.
    let found = faults(grid_whole(), |_| {});
    assert!(found.iter().all(|v| v.rule() == Rule::P16) && !found.is_empty(), "{found:?}");
}

/// The grid, with a replicated state whose gradient travels in one bucket with values that are cut unevenly over
/// the other axis: the bucket's segments, and so the order of sums, differ between the groups.
fn grid_whole() -> Case {
    let mut build = Builder::new("step");
    let w = build.arg(Some("w"), plans::f32s(&[5]));
    let bias = build.arg(Some("bias"), plans::f32s(&[5]));
    let xs = build.arg(Some("x"), plans::f32s(&[4, 5]));
    let dw = build.reduce(xs, &[0], Monoid::Add).unwrap();
    let neg = build.unary(pullback_ir::UnaryOp::Negate, xs).unwrap();
    let db = build.reduce(neg, &[0], Monoid::Add).unwrap();
    let nw = build.sub(w, dw).unwrap();
    let nb = build.sub(bias, db).unwrap();
    let step = build.finish(&[nw, nb]);
    let slot = |name: &str, i: usize| StateSlot { name: name.into(), arg: i, result: i };
    let signature = Signature {
        state: vec![slot("w", 0), slot("bias", 1)],
        batch: vec![BatchSlot { name: "x".into(), arg: 2 }],
        outputs: vec![],
    };
    let axes = vec![axis("data", AxisKind::Space, 2), axis("model", AxisKind::Space, 2)];
    let mut m = plans::Make::new(step, signature, axes);
    let (data, model) = (x(0), x(1));
    let rows = Some(m.cut(4, &[data], &["0..3", "3..4"]));
    let cols = Some(m.cut(5, &[model], &["0..2", "2..5"]));
    let t0 = m.template(&[(dw, &[rows, cols]), (neg, &[rows, None]), (db, &[rows, None])], &[xs], &[dw, db]);
    let t1 = m.template(&[(nw, &[cols]), (nb, &[None])], &[w, bias, dw, db], &[nw, nb]);
    let (cut, whole) = (|a: &[AxisId]| layout(&[cols], a), |a: &[AxisId]| layout(&[None], a));
    let k0 = m.collective(
        CollectiveKind::AllReduce,
        &[data],
        &[(dw, cut(&[data]), cut(&[])), (db, whole(&[data]), whole(&[]))],
    );
    let (b_w, b_b) = (m.buffer(w, cut(&[])), m.buffer(bias, whole(&[])));
    let b_x = m.buffer(xs, layout(&[rows, None], &[]));
    let (dw_d, db_d) = (m.buffer(dw, cut(&[data])), m.buffer(db, whole(&[data])));
    let (b_dw, b_db) = (m.buffer(dw, cut(&[])), m.buffer(db, whole(&[])));
    let (n_w, n_b) = (m.buffer(nw, cut(&[])), m.buffer(nb, whole(&[])));
    m.device.entry = vec![b_w, b_b];
    let events = vec![
        Event::Load { slot: 0, into: b_x },
        compute(t0, &[b_x], &[dw_d, db_d]),
        communicate(k0, &[dw_d, db_d], &[b_dw, b_db]),
        compute(t1, &[b_w, b_b, b_dw, b_db], &[n_w, n_b]),
        Event::Commit { next: vec![n_w, n_b] },
    ];
    m.finish("grid_whole", events, vec![])
}

#[test]
fn p17_commits() {
    rejects(dp(), "P17Commits", |s| {
        s.plan.devices[d(1)].events.pop();
    });
    rejects(dp(), "P17Commits", |s| each_list(s, |e| e.push(e[4].clone())));
    rejects(dp(), "P17InLoop", |s| each(s, |d| body(d).push(Event::Commit { next: vec![b(W)] })));
}

#[test]
fn findings_are_bounded_and_say_where() {
    let found = faults(dp(), |s| each_list(s, |e| e.extend(vec![Event::Free { buffer: b(1000) }; 100])));
    assert_eq!(found.len(), MAX_VIOLATIONS);
    let found = faults(dp(), |s| {
        let at = &mut s.plan.devices[d(1)];
        body(at)[1] = compute(t(0), &[b(W), b(X)], &[b(LOSS_T), b(LOSS_T)]);
    });
    let places: BTreeMap<String, Option<DeviceId>> =
        found.iter().map(|v| (v.at.to_string(), v.device())).collect();
    assert_eq!(places.get("@w1 event 0.1"), Some(&Some(d(1))), "{places:?}");
}
