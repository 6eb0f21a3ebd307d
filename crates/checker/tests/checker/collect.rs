//! Plans that collect the turns of a loop: legal ones, written by hand, and the ways to be wrong.
//!
//! The legal ones are also executed by the oracle and broken by `mutants`, with all others.

use crate::plans::{
    Case, Make, axis, batch, communicate, compute, f32s, instr, layout, output, state, x as axis_id,
};
use pullback_base::Id;
use pullback_checker::{Fault, Violation};
use pullback_ir::access::AccessMap;
use pullback_ir::{Builder, Monoid, Op, Program, Value, WindowDims};
use pullback_plan::*;

pub fn all() -> Vec<Case> {
    vec![collected(), contributions(), nested(1)]
}

/// No cut for any factor of the op that defines a value.
fn uncut(step: &Program, v: Value) -> Vec<Option<CutId>> {
    let id = instr(step, v);
    let map = AccessMap::of(step.instr(id).op(), &step.operand_types(id)).unwrap();
    vec![None; map.factors.len()]
}

/// loss = sum(x * z), w' = w - sum of rows of x * z, where z are the running sums of y = x * x.
fn running_sums() -> (Program, [Value; 8]) {
    let mut b = Builder::new("step");
    let w = b.arg(Some("w"), f32s(&[2]));
    let x = b.arg(Some("x"), f32s(&[6, 2]));
    let y = b.mul(x, x).unwrap();
    let window = WindowDims {
        sizes: vec![6, 1],
        strides: vec![1, 1],
        base_dilations: vec![1, 1],
        window_dilations: vec![1, 1],
        padding: vec![(5, 0), (0, 0)],
    };
    let z = b.push1(Op::ReduceWindow { window: Box::new(window), monoid: Monoid::Add }, &[y]).unwrap();
    let p = b.mul(x, z).unwrap();
    let loss = b.reduce(p, &[0, 1], Monoid::Add).unwrap();
    let dw = b.reduce(p, &[0], Monoid::Add).unwrap();
    let next = b.sub(w, dw).unwrap();
    (b.finish(&[loss, next]), [w, x, y, z, p, loss, dw, next])
}

fn signature() -> Signature {
    Signature { state: vec![state("w", 0, 1)], batch: batch(1), outputs: vec![output("loss", 0)] }
}

// Buffers of `collected`.
const W: usize = 0;
const X: usize = 1;
const Y_T: usize = 2;
const Y_D: usize = 3;
const Y: usize = 4;
const LOSS_T: usize = 6;

/// Two devices, two turns, two loops over the turns: the first collects y, whose running sums need it whole; the
/// second reads its part of them. Samples lie interleaved, and the second device is idle in its second turn.
fn collected() -> Case {
    let (step, [w, xs, y, z, p, loss, dw, next]) = running_sums();
    let whole_z = uncut(&step, z);
    let axes = vec![axis("data", AxisKind::Space, 2), axis("micro", AxisKind::Time, 2)];
    let mut m = Make::new(step, signature(), axes);
    let (data, micro) = (axis_id(0), axis_id(1));
    let rows = Some(m.cut(6, &[data, micro], &["0..1", "2..4", "1..2+4..6", "none"]));
    let device_rows = Some(m.cut(6, &[data], &["0..1+2..4", "1..2+4..6"]));
    let t0 = m.template(&[(y, &[rows, None])], &[xs], &[y]);
    let t1 = m.template(&[(z, &whole_z)], &[y], &[z]);
    let t2 =
        m.template(&[(p, &[rows, None]), (loss, &[rows, None]), (dw, &[rows, None])], &[xs, z], &[loss, dw]);
    let t3 = m.template(&[(next, &[None])], &[w, dw], &[next]);
    let whole = layout(&[None, None], &[]);
    let (scalar, row) = (|a: &[AxisId]| layout(&[], a), |a: &[AxisId]| layout(&[None], a));
    let gathered = (y, layout(&[device_rows, None], &[]), whole.clone());
    let k0 = m.collective(CollectiveKind::AllGather, &[data], &[gathered]);
    let sums = [(loss, scalar(&[data]), scalar(&[])), (dw, row(&[data]), row(&[]))];
    let k1 = m.collective(CollectiveKind::AllReduce, &[data], &sums);
    let b_w = m.buffer(w, row(&[]));
    let b_x = m.buffer(xs, layout(&[rows, None], &[]));
    let (y_t, y_d) =
        (m.buffer(y, layout(&[rows, None], &[])), m.buffer(y, layout(&[device_rows, None], &[])));
    let (b_y, b_z) = (m.buffer(y, whole.clone()), m.buffer(z, whole));
    let (loss_t, dw_t) = (m.buffer(loss, scalar(&[data, micro])), m.buffer(dw, row(&[data, micro])));
    let (loss_d, dw_d) = (m.buffer(loss, scalar(&[data])), m.buffer(dw, row(&[data])));
    let (b_loss, b_dw) = (m.buffer(loss, scalar(&[])), m.buffer(dw, row(&[])));
    let b_next = m.buffer(next, row(&[]));
    m.device.entry = vec![b_w];
    let first = vec![
        Event::Load { slot: 0, into: b_x },
        compute(t0, &[b_x], &[y_t]),
        Event::Collect { from: y_t, into: y_d, axis: micro },
        Event::Free { buffer: b_x },
        Event::Free { buffer: y_t },
    ];
    let second = vec![
        Event::Load { slot: 0, into: b_x },
        compute(t2, &[b_x, b_z], &[loss_t, dw_t]),
        Event::Combine { from: loss_t, into: loss_d, axis: micro },
        Event::Combine { from: dw_t, into: dw_d, axis: micro },
    ];
    let events = vec![
        Event::Loop { axis: micro, body: first },
        communicate(k0, &[y_d], &[b_y]),
        Event::Free { buffer: y_d },
        compute(t1, &[b_y], &[b_z]),
        Event::Loop { axis: micro, body: second },
        communicate(k1, &[loss_d, dw_d], &[b_loss, b_dw]),
        compute(t3, &[b_w, b_dw], &[b_next]),
        Event::Commit { next: vec![b_next] },
    ];
    m.finish("collected", events, vec![Event::Output { slot: 0, from: b_loss }])
}

/// Three turns of columns, each a contribution of both devices: collected as contributions, then reduced.
fn contributions() -> Case {
    let mut b = Builder::new("step");
    let w = b.arg(Some("w"), f32s(&[4]));
    let xs = b.arg(Some("x"), f32s(&[2, 4, 3]));
    let s = b.reduce(xs, &[2], Monoid::Add).unwrap();
    let p = b.mul(s, s).unwrap();
    let loss = b.reduce(p, &[0, 1], Monoid::Add).unwrap();
    let dw = b.reduce(p, &[0], Monoid::Add).unwrap();
    let next = b.sub(w, dw).unwrap();
    let step = b.finish(&[loss, next]);
    let axes = vec![axis("model", AxisKind::Space, 2), axis("micro", AxisKind::Time, 3)];
    let mut m = Make::new(step, signature(), axes);
    let (model, micro) = (axis_id(0), axis_id(1));
    let features = Some(m.cut(3, &[model], &["0..2", "2..3"]));
    let cols = Some(m.cut(4, &[micro], &["1..3", "0..1", "3..4"]));
    let t0 = m.template(&[(s, &[None, cols, features])], &[xs], &[s]);
    let t1 = m.template(
        &[(p, &[None, None]), (loss, &[None, None]), (dw, &[None, None]), (next, &[None])],
        &[w, s],
        &[loss, next],
    );
    let whole = |a: &[AxisId]| layout(&[None, None], a);
    let k0 = m.collective(CollectiveKind::AllReduce, &[model], &[(s, whole(&[model]), whole(&[]))]);
    let b_w = m.buffer(w, layout(&[None], &[]));
    let b_x = m.buffer(xs, layout(&[None, cols, features], &[]));
    let (s_t, s_d) = (m.buffer(s, layout(&[None, cols], &[model])), m.buffer(s, whole(&[model])));
    let b_s = m.buffer(s, whole(&[]));
    let (b_loss, b_next) = (m.buffer(loss, layout(&[], &[])), m.buffer(next, layout(&[None], &[])));
    m.device.entry = vec![b_w];
    let body = vec![
        Event::Load { slot: 0, into: b_x },
        compute(t0, &[b_x], &[s_t]),
        Event::Collect { from: s_t, into: s_d, axis: micro },
    ];
    let events = vec![
        Event::Loop { axis: micro, body },
        communicate(k0, &[s_d], &[b_s]),
        compute(t1, &[b_w, b_s], &[b_loss, b_next]),
        Event::Commit { next: vec![b_next] },
    ];
    m.finish("contributions", events, vec![Event::Output { slot: 0, from: b_loss }])
}

// Buffers of `nested`.
const NESTED_ALL: usize = 2;
const NESTED_Y: usize = 6;

/// Devices that do the same: turns within turns, the innermost loops of a single one; each loop collects what the one inside
/// it collected.
fn nested(devices: usize) -> Case {
    let (step, [w, xs, y, z, p, loss, dw, next]) = running_sums();
    let whole_z = uncut(&step, z);
    let turns = [("outer", 2), ("inner", 2), ("once", 1)].map(|(name, n)| axis(name, AxisKind::Time, n));
    let axes = turns.into_iter().chain([axis("same", AxisKind::Space, devices)]).collect();
    let mut m = Make::new(step, signature(), axes);
    let [outer, inner, once] = [0, 1, 2].map(axis_id);
    let rows = Some(m.cut(6, &[outer, inner, once], &["0..2", "none", "2..3+4..5", "3..4+5..6"]));
    let outer_rows = Some(m.cut(6, &[outer], &["0..2", "2..6"]));
    let t0 = m.template(&[(y, &[rows, None])], &[xs], &[y]);
    let t1 = m.template(
        &[(z, &whole_z), (p, &[None, None]), (loss, &[None, None]), (dw, &[None, None]), (next, &[None])],
        &[w, xs, y],
        &[loss, next],
    );
    let part = layout(&[rows, None], &[]);
    let (whole, row) = (layout(&[None, None], &[]), layout(&[None], &[]));
    let b_w = m.buffer(w, row.clone());
    let (b_x, b_all) = (m.buffer(xs, part.clone()), m.buffer(xs, whole.clone()));
    let (y_t, y_once) = (m.buffer(y, part.clone()), m.buffer(y, part));
    let (y_inner, b_y) = (m.buffer(y, layout(&[outer_rows, None], &[])), m.buffer(y, whole));
    let (b_loss, b_next) = (m.buffer(loss, layout(&[], &[])), m.buffer(next, row));
    m.device.entry = vec![b_w];
    let body = vec![
        Event::Load { slot: 0, into: b_x },
        compute(t0, &[b_x], &[y_t]),
        Event::Collect { from: y_t, into: y_once, axis: once },
    ];
    let inner_body =
        vec![Event::Loop { axis: once, body }, Event::Collect { from: y_once, into: y_inner, axis: inner }];
    let outer_body = vec![
        Event::Loop { axis: inner, body: inner_body },
        Event::Collect { from: y_inner, into: b_y, axis: outer },
    ];
    let events = vec![
        Event::Loop { axis: outer, body: outer_body },
        Event::Load { slot: 0, into: b_all },
        compute(t1, &[b_w, b_all, b_y], &[b_loss, b_next]),
        Event::Commit { next: vec![b_next] },
    ];
    m.finish("nested", events, vec![Event::Output { slot: 0, from: b_loss }])
}

fn b(i: usize) -> BufferId {
    BufferId::from_index(i)
}

fn cut(i: usize) -> Option<CutId> {
    Some(CutId::from_index(i))
}

fn each(case: &mut Case, change: impl Fn(&mut DevicePlan)) {
    for id in case.plan.devices.ids() {
        change(&mut case.plan.devices[id]);
    }
}

/// The body of the loop at a position.
fn body(device: &mut DevicePlan, at: usize) -> &mut Vec<Event> {
    match &mut device.events[at] {
        Event::Loop { body, .. } => body,
        other => panic!("{other:?} is no loop"),
    }
}

fn faults(change: impl Fn(&mut DevicePlan)) -> Vec<Violation> {
    let mut case = collected();
    each(&mut case, change);
    case.check().expect_err("the change must be rejected")
}

/// `collected` with every device changed is rejected first by this fault, at this place.
#[track_caller]
fn rejects(fault: &str, at: &str, change: impl Fn(&mut DevicePlan)) {
    let found = faults(change);
    let all: String = found.iter().map(|v| format!("{v}\n")).collect();
    assert_eq!((found[0].fault.name(), found[0].at.to_string().as_str()), (fault, at), "{all}");
}

/// The same, of a plan that ends after its first loop.
#[track_caller]
fn rejects_first_loop(fault: &str, at: &str, change: impl Fn(&mut DevicePlan)) {
    rejects(fault, at, |d| {
        d.events.truncate(1);
        change(d);
    });
}

fn collect(from: usize, into: usize) -> Event {
    Event::Collect { from: b(from), into: b(into), axis: axis_id(1) }
}

#[test]
fn each_turn_is_taken_once_and_in_its_loop() {
    rejects("P8NotInLoop", "@w0 event 1", |d| {
        let moved = body(d, 0).remove(2);
        d.events.insert(1, moved);
    });
    rejects("P8NotInLoop", "@w0 event 0.2 micro=0", |d| match &mut body(d, 0)[2] {
        Event::Collect { axis, .. } => *axis = axis_id(0),
        other => panic!("{other:?} is no collect"),
    });
    rejects("P8Turn", "@w0 event 0.3 micro=0", |d| body(d, 0).insert(3, collect(Y_T, Y_D)));
    // A loop of its own for it, within the turn.
    rejects("P1Loop", "@w0 event 0.2 micro=0", |d| {
        let inner = body(d, 0)[2].clone();
        body(d, 0)[2] = Event::Loop { axis: axis_id(1), body: vec![inner] };
    });
    // What was collected is collected again by the second loop.
    rejects("P1Redefined", "@w0 event 3.2 micro=0", |d| {
        d.events.remove(2);
        let again = body(d, 0)[1].clone();
        body(d, 3).splice(1..1, [again, collect(Y_T, Y_D)]);
    });
}

#[test]
fn sums_and_pieces_are_not_confused() {
    // Contributions to the loss are collected where they should be combined.
    rejects("P8Gathered", "@w0 event 4.2 micro=0", |d| {
        body(d, 4)[2] = collect(LOSS_T, LOSS_T + 2);
    });
    // Pieces are combined where they should be collected.
    let combine = Event::Combine { from: b(Y_T), into: b(Y_D), axis: axis_id(1) };
    rejects("P8NotPending", "@w0 event 0.2 micro=0", |d| body(d, 0)[2] = combine.clone());
    rejects("P8NotPending", "@w0 event 0.3 micro=0", |d| body(d, 0).insert(3, combine.clone()));
    // The pieces are what they are, the total claims to be a contribution.
    rejects_first_loop("P2Claim", "@w0 event 0.2 micro=0", |d| {
        d.buffers[b(Y_D)].layout = layout(&[None, None], &[axis_id(0)]);
    });
}

#[test]
fn pieces_tile_what_is_claimed() {
    // The claim is of all rows, the pieces are those of one device.
    rejects_first_loop("P9Tiling", "@w0 event 0", |d| d.buffers[b(Y_D)].layout = layout(&[None, None], &[]));
    // The total is still cut by the turn.
    rejects_first_loop("P2TimeAxis", "@w0 event 0.2 micro=0", |d| {
        d.buffers[b(Y_D)].layout = layout(&[cut(0), None], &[]);
    });
    rejects_first_loop("P2Claim", "@w0 event 0.2 micro=0", |d| {
        d.buffers[b(Y_D)].value = d.buffers[b(X)].value
    });
    rejects("P2Bytes", "@w0 event 0.2 micro=0", |d| d.buffers[b(Y_D)].bytes = 23);
    // The devices' rows change places.
    let mut case = collected();
    case.plan.cuts[CutId::from_index(1)].sets.swap(0, 1);
    let found = case.check().unwrap_err();
    assert_eq!(found[0].fault.name(), "P9Tiling", "{}", found[0]);
}

/// What each turn makes alike, and all of it, is there after the loop.
#[test]
fn alike_in_every_turn() {
    let keep = |from: usize| {
        let mut case = collected();
        each(&mut case, |d| {
            let again = Buffer { offset: d.arena, ..d.buffers[b(from)].clone() };
            d.arena += 64;
            let into = d.buffers.push(again);
            body(d, 4).insert(1, collect(from, into.index()));
        });
        case.check()
    };
    assert!(keep(W).is_ok() && keep(Y + 1).is_ok());
    // A part that is another one in each turn is not.
    assert_eq!(keep(X).unwrap_err()[0].fault.name(), "P2TimeAxis");
}

#[test]
fn what_is_collected_stays_until_it_is_read() {
    rejects("P8Incomplete", "@w0 event 0.3 micro=0", |d| {
        body(d, 0).insert(3, Event::Output { slot: 0, from: b(Y_D) });
    });
    rejects("P6Freed", "@w0 event 0.2 micro=1", |d| body(d, 0).push(Event::Free { buffer: b(Y_D) }));
    // The next turn's samples are loaded into the bytes of what was collected.
    rejects("P6Overwritten", "@w0 event 0.2 micro=1", |d| d.buffers[b(X)].offset = d.buffers[b(Y_D)].offset);
    rejects("P6Overlap", "@w0 event 0.2 micro=0", |d| d.buffers[b(Y_T)].offset = d.buffers[b(Y_D)].offset);
    rejects("P6Overlap", "@w0 event 0.2 micro=0", |d| body(d, 0)[2] = collect(Y_T, Y_T));
    rejects("P6State", "@w0 event 0.2 micro=0", |d| d.buffers[b(Y_D)].offset = d.buffers[b(W)].offset);
    rejects("P1Undefined", "@w0 event 0.1 micro=0", |d| body(d, 0).swap(1, 2));
    // Nothing was collected.
    rejects("P1Undefined", "@w0 event 1", |d| drop(body(d, 0).remove(2)));
}

#[test]
fn collecting_is_exact_and_needs_the_element_type() {
    let mut case = collected();
    case.plan.certificate.relation = "exact".into();
    let found = case.check().unwrap_err();
    let y = case.plan.devices[DeviceId::from_index(0)].buffers[b(Y)].value;
    assert!(found.iter().all(|v| matches!(v.fault, Fault::P14NotExact { value } if value != y)), "{found:?}");

    case = contributions();
    case.deployment.devices[1].dtypes = Some(vec![]);
    let found = case.check().unwrap_err();
    let at_collect = |v: &Violation| v.fault.name() == "P10DType" && v.at.to_string() == "@w1 event 0.2";
    assert!(found.iter().any(at_collect), "{found:?}");
}

#[test]
fn replicas_from_pieces_have_one_source() {
    assert!(nested(2).check().is_ok());
    // The second device computes in one go what the first collects: another kernel may round otherwise.
    let mut case = nested(2);
    let step = &case.step;
    let value = |b: BufferId| case.plan.devices[DeviceId::from_index(1)].buffers[b].value;
    let y = value(b(NESTED_Y));
    let op = TemplateOp { instr: instr(step, y), cuts: uncut(step, y) };
    let (inputs, outputs) = (vec![value(b(NESTED_ALL))], vec![y]);
    let at_once = case.plan.templates.push(Template { ops: vec![op], inputs, outputs, scratch: 4096 });
    let second = &mut case.plan.devices[DeviceId::from_index(1)].events;
    second.swap(0, 1);
    second[1] = compute(at_once, &[b(NESTED_ALL)], &[b(NESTED_Y)]);
    let found = case.check().unwrap_err();
    assert!(found.iter().all(|v| v.fault.name() == "P16Replicas"), "{found:?}");
}
