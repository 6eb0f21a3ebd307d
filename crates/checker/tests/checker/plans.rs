//! Small legal plans, written by hand: data parallel with turns, tensor parallel, sharded state, a grid; those that
//! collect turns are in `collect`.
//!
//! All numbers are small whole numbers in f32, so that any order of sums gives the same bits.

use pullback_base::{Id, IdMap};
use pullback_checker::{Checked, Violation, check};
use pullback_ir::region::IntervalSet;
use pullback_ir::{Builder, DType, DotDims, InstrId, Monoid, Program, TensorType, Value, ValueDef};
use pullback_plan::*;

/// A plan and what it is checked against.
#[derive(Clone)]
pub struct Case {
    pub name: &'static str,
    pub step: Program,
    pub strategy: Strategy,
    pub deployment: Deployment,
    pub plan: Plan,
}

impl Case {
    pub fn check(&self) -> Result<Checked, Vec<Violation>> {
        check(&self.step, &self.strategy, &self.deployment, self.plan.clone())
    }
}

pub fn all() -> Vec<Case> {
    let mut cases = vec![data_parallel(), tensor_parallel(), sharded_state(), grid()];
    cases.extend(crate::collect::all());
    cases
}

pub fn axis(name: &str, kind: AxisKind, size: usize) -> Axis {
    Axis { name: name.into(), kind, size }
}

pub fn x(i: usize) -> AxisId {
    AxisId::from_index(i)
}

pub fn f32s(shape: &[usize]) -> TensorType {
    TensorType::new(DType::F32, shape)
}

pub fn layout(dims: &[Option<CutId>], pending: &[AxisId]) -> Layout {
    let pending = (!pending.is_empty()).then(|| Pending { monoid: Monoid::Add, axes: pending.to_vec() });
    Layout { dims: dims.to_vec(), pending }
}

/// Builds a plan whose devices all have the same list.
pub struct Make {
    pub step: Program,
    pub plan: Plan,
    pub device: DevicePlan,
    deployment: Deployment,
    strategy: Strategy,
}

impl Make {
    pub fn new(step: Program, signature: Signature, axes: Vec<Axis>) -> Self {
        let n = axes.iter().filter(|a| a.kind == AxisKind::Space).map(|a| a.size).product();
        let mut toml = String::from("version = 1\n");
        for i in 0..n {
            toml += &format!("[[device]]\nname = 'w{i}'\nmemory_mib = 1\n");
        }
        let deployment = Deployment::parse(&toml).unwrap();
        let mut toml = String::from("version = 1\n");
        for a in &axes {
            let kind = if a.kind == AxisKind::Space { "space" } else { "time" };
            toml += &format!("[[axis]]\nname = '{}'\nkind = '{kind}'\nsize = {}\n", a.name, a.size);
        }
        let strategy = Strategy::parse(&toml).unwrap();
        let names: Vec<String> = deployment.devices.iter().map(|d| d.name.clone()).collect();
        let plan = Plan {
            identity: Identity {
                model: Digest::of(b"model"),
                strategy: strategy.digest(),
                deployment: deployment.digest(),
                step: pullback_plan::digest::step_digest(&step),
            },
            signature,
            mesh: Mesh::new(axes, &names).unwrap(),
            cuts: IdMap::new(),
            templates: IdMap::new(),
            collectives: IdMap::new(),
            devices: IdMap::new(),
            certificate: Certificate { relation: "floating-point reassociation".into(), reasons: vec![] },
        };
        let device = DevicePlan { buffers: IdMap::new(), entry: vec![], events: vec![], arena: 0 };
        Self { step, plan, device, deployment, strategy }
    }

    pub fn cut(&mut self, size: usize, axes: &[AxisId], sets: &[&str]) -> CutId {
        let sets = sets.iter().map(|s| s.parse::<IntervalSet>().unwrap()).collect();
        self.plan.cuts.push(Cut { size, axes: axes.to_vec(), sets })
    }

    /// A template of the ops that define values, each with cuts of its factors.
    pub fn template(
        &mut self,
        ops: &[(Value, &[Option<CutId>])],
        inputs: &[Value],
        outputs: &[Value],
    ) -> TemplateId {
        let ops =
            ops.iter().map(|(v, cuts)| TemplateOp { instr: instr(&self.step, *v), cuts: cuts.to_vec() });
        self.plan.templates.push(Template {
            ops: ops.collect(),
            inputs: inputs.to_vec(),
            outputs: outputs.to_vec(),
            scratch: 4096,
        })
    }

    pub fn collective(
        &mut self,
        kind: CollectiveKind,
        axes: &[AxisId],
        items: &[(Value, Layout, Layout)],
    ) -> CollectiveId {
        let item = |(value, from, to): &(Value, Layout, Layout)| CollectiveItem {
            value: *value,
            from: from.clone(),
            to: to.clone(),
        };
        self.plan.collectives.push(Collective {
            kind,
            monoid: Monoid::Add,
            dtype: DType::F32,
            axes: axes.to_vec(),
            groups: self.plan.mesh.groups(axes),
            chunk: 4096,
            items: items.iter().map(item).collect(),
        })
    }

    pub fn buffer(&mut self, value: Value, layout: Layout) -> BufferId {
        let bytes = self.step.ty(value).bytes() as u64;
        let offset = self.device.arena;
        self.device.arena += bytes.div_ceil(64) * 64;
        self.device.buffers.push(Buffer { value, layout, offset, bytes })
    }

    /// The events; those that `first` gives come last and only on the first device.
    pub fn finish(mut self, name: &'static str, events: Vec<Event>, first: Vec<Event>) -> Case {
        self.device.events = events;
        for d in self.plan.mesh.devices() {
            let mut device = self.device.clone();
            if d.index() == 0 {
                device.events.extend(first.iter().cloned());
            }
            self.plan.devices.push(device);
        }
        Case { name, step: self.step, strategy: self.strategy, deployment: self.deployment, plan: self.plan }
    }
}

pub fn instr(step: &Program, v: Value) -> InstrId {
    match step.def(v) {
        ValueDef::Result(i, _) => i,
        ValueDef::Arg(_) => panic!("{v} is an argument"),
    }
}

pub fn compute(template: TemplateId, inputs: &[BufferId], outputs: &[BufferId]) -> Event {
    Event::Compute { template, inputs: inputs.to_vec(), outputs: outputs.to_vec() }
}

pub fn communicate(id: CollectiveId, inputs: &[BufferId], outputs: &[BufferId]) -> Event {
    Event::Collective { id, inputs: inputs.to_vec(), outputs: outputs.to_vec() }
}

pub fn state(name: &str, arg: usize, result: usize) -> StateSlot {
    StateSlot { name: name.into(), arg, result }
}

pub fn batch(arg: usize) -> Vec<BatchSlot> {
    vec![BatchSlot { name: "x".into(), arg }]
}

pub fn output(name: &str, result: usize) -> OutputSlot {
    OutputSlot { name: name.into(), result }
}

/// loss = sum(x * w), w' = w - sum of rows of x.
pub fn linear_model(rows: usize, cols: usize) -> (Program, [Value; 7]) {
    let mut b = Builder::new("step");
    let w = b.arg(Some("w"), f32s(&[cols]));
    let x = b.arg(Some("x"), f32s(&[rows, cols]));
    let wb = b.broadcast(w, &[rows, cols], &[1]).unwrap();
    let p = b.mul(x, wb).unwrap();
    let loss = b.reduce(p, &[0, 1], Monoid::Add).unwrap();
    let dw = b.reduce(x, &[0], Monoid::Add).unwrap();
    let next = b.sub(w, dw).unwrap();
    (b.finish(&[loss, next]), [w, x, wb, p, loss, dw, next])
}

/// Two devices with 3 and 1 of 4 samples, two turns; the second device is idle in its second turn.
pub fn data_parallel() -> Case {
    let (step, [w, xs, wb, p, loss, dw, next]) = linear_model(4, 3);
    let signature =
        Signature { state: vec![state("w", 0, 1)], batch: batch(1), outputs: vec![output("loss", 0)] };
    let axes = vec![axis("data", AxisKind::Space, 2), axis("micro", AxisKind::Time, 2)];
    let mut m = Make::new(step, signature, axes);
    let (data, micro) = (x(0), x(1));
    let rows = m.cut(4, &[data, micro], &["0..2", "2..3", "3..4", "none"]);
    let t0 = m.template(
        &[
            (wb, &[Some(rows), None]),
            (p, &[Some(rows), None]),
            (loss, &[Some(rows), None]),
            (dw, &[Some(rows), None]),
        ],
        &[w, xs],
        &[loss, dw],
    );
    let t1 = m.template(&[(next, &[None])], &[w, dw], &[next]);
    let (scalar, row) = (|a: &[AxisId]| layout(&[], a), |a: &[AxisId]| layout(&[None], a));
    let k0 = m.collective(
        CollectiveKind::AllReduce,
        &[data],
        &[(loss, scalar(&[data]), scalar(&[])), (dw, row(&[data]), row(&[]))],
    );
    let b_w = m.buffer(w, row(&[]));
    let b_x = m.buffer(xs, layout(&[Some(rows), None], &[]));
    let (b_loss_t, b_dw_t) = (m.buffer(loss, scalar(&[data, micro])), m.buffer(dw, row(&[data, micro])));
    let (b_loss_d, b_dw_d) = (m.buffer(loss, scalar(&[data])), m.buffer(dw, row(&[data])));
    let (b_loss, b_dw) = (m.buffer(loss, scalar(&[])), m.buffer(dw, row(&[])));
    let b_next = m.buffer(next, row(&[]));
    m.device.entry = vec![b_w];
    let body = vec![
        Event::Load { slot: 0, into: b_x },
        compute(t0, &[b_w, b_x], &[b_loss_t, b_dw_t]),
        Event::Combine { from: b_loss_t, into: b_loss_d, axis: micro },
        Event::Combine { from: b_dw_t, into: b_dw_d, axis: micro },
        Event::Free { buffer: b_x },
        Event::Free { buffer: b_loss_t },
        Event::Free { buffer: b_dw_t },
    ];
    let events = vec![
        Event::Loop { axis: micro, body },
        communicate(k0, &[b_loss_d, b_dw_d], &[b_loss, b_dw]),
        Event::Free { buffer: b_loss_d },
        compute(t1, &[b_w, b_dw], &[b_next]),
        Event::Commit { next: vec![b_next] },
    ];
    m.finish("data_parallel", events, vec![Event::Output { slot: 0, from: b_loss }])
}

/// Two layers, columns of the first and rows of the second cut 4 + 2; a bias that is replicated.
pub fn tensor_parallel() -> Case {
    let mut b = Builder::new("step");
    let w1 = b.arg(Some("w1"), f32s(&[4, 6]));
    let w2 = b.arg(Some("w2"), f32s(&[6, 3]));
    let bias = b.arg(Some("bias"), f32s(&[3]));
    let xs = b.arg(Some("x"), f32s(&[2, 4]));
    let dot =
        |l: usize, r: usize| DotDims { lhs_contract: vec![l], rhs_contract: vec![r], ..DotDims::default() };
    let h = b.dot(xs, w1, dot(1, 0)).unwrap();
    let y = b.dot(h, w2, dot(1, 0)).unwrap();
    let bb = b.broadcast(bias, &[2, 3], &[1]).unwrap();
    let z = b.add(y, bb).unwrap();
    let loss = b.reduce(z, &[0, 1], Monoid::Add).unwrap();
    let g2 = b.dot(h, z, dot(0, 0)).unwrap();
    let dh = b.dot(z, w2, dot(1, 1)).unwrap();
    let g1 = b.dot(xs, dh, dot(0, 0)).unwrap();
    let gb = b.reduce(z, &[0], Monoid::Add).unwrap();
    let n1 = b.sub(w1, g1).unwrap();
    let n2 = b.sub(w2, g2).unwrap();
    let nb = b.sub(bias, gb).unwrap();
    let step = b.finish(&[loss, n1, n2, nb]);
    let signature = Signature {
        state: vec![state("w1", 0, 1), state("w2", 1, 2), state("bias", 2, 3)],
        batch: batch(3),
        outputs: vec![output("loss", 0)],
    };
    let t = x(0);
    let mut m = Make::new(step, signature, vec![axis("tensor", AxisKind::Space, 2)]);
    let c = Some(m.cut(6, &[t], &["0..2+4..6", "2..4"]));
    let t0 = m.template(&[(h, &[None, c, None]), (y, &[None, None, c])], &[xs, w1, w2], &[h, y]);
    let t1 = m.template(
        &[
            (bb, &[None, None]),
            (z, &[None, None]),
            (loss, &[None, None]),
            (g2, &[c, None, None]),
            (dh, &[None, c, None]),
            (g1, &[None, c, None]),
            (gb, &[None, None]),
            (n1, &[None, c]),
            (n2, &[c, None]),
            (nb, &[None]),
        ],
        &[w1, w2, bias, xs, h, y],
        &[loss, n1, n2, nb],
    );
    let whole = |rank: usize| layout(&vec![None; rank], &[]);
    let (cols, rows) = (layout(&[None, c], &[]), layout(&[c, None], &[]));
    let k0 = m.collective(CollectiveKind::AllReduce, &[t], &[(y, layout(&[None, None], &[t]), whole(2))]);
    let (b_w1, b_w2, b_b) =
        (m.buffer(w1, cols.clone()), m.buffer(w2, rows.clone()), m.buffer(bias, whole(1)));
    let (b_x, b_h) = (m.buffer(xs, whole(2)), m.buffer(h, cols.clone()));
    let (b_yt, b_y) = (m.buffer(y, layout(&[None, None], &[t])), m.buffer(y, whole(2)));
    let (n_w1, n_w2, n_b) = (m.buffer(n1, cols), m.buffer(n2, rows), m.buffer(nb, whole(1)));
    let b_loss = m.buffer(loss, whole(0));
    m.device.entry = vec![b_w1, b_w2, b_b];
    let events = vec![
        Event::Load { slot: 0, into: b_x },
        compute(t0, &[b_x, b_w1, b_w2], &[b_h, b_yt]),
        communicate(k0, &[b_yt], &[b_y]),
        compute(t1, &[b_w1, b_w2, b_b, b_x, b_h, b_y], &[b_loss, n_w1, n_w2, n_b]),
        Event::Commit { next: vec![n_w1, n_w2, n_b] },
    ];
    m.finish("tensor_parallel", events, vec![Event::Output { slot: 0, from: b_loss }])
}

/// Data parallel over two devices that each keep a part of the state.
pub fn sharded_state() -> Case {
    let (step, [w, xs, wb, p, loss, dw, next]) = linear_model(6, 4);
    let signature =
        Signature { state: vec![state("w", 0, 1)], batch: batch(1), outputs: vec![output("loss", 0)] };
    let data = x(0);
    let mut m = Make::new(step, signature, vec![axis("data", AxisKind::Space, 2)]);
    let rows = Some(m.cut(6, &[data], &["0..4", "4..6"]));
    let shard = Some(m.cut(4, &[data], &["0..3", "3..4"]));
    let t0 = m.template(
        &[(wb, &[rows, None]), (p, &[rows, None]), (loss, &[rows, None]), (dw, &[rows, None])],
        &[w, xs],
        &[loss, dw],
    );
    let t1 = m.template(&[(next, &[shard])], &[w, dw], &[next]);
    let (sharded, whole) = (layout(&[shard], &[]), layout(&[None], &[]));
    let k0 = m.collective(CollectiveKind::AllGather, &[data], &[(w, sharded.clone(), whole.clone())]);
    let k1 = m.collective(
        CollectiveKind::ReduceScatter,
        &[data],
        &[(dw, layout(&[None], &[data]), sharded.clone())],
    );
    let k2 =
        m.collective(CollectiveKind::AllReduce, &[data], &[(loss, layout(&[], &[data]), layout(&[], &[]))]);
    let b_w = m.buffer(w, sharded.clone());
    let b_all = m.buffer(w, whole);
    let b_x = m.buffer(xs, layout(&[rows, None], &[]));
    let (b_loss_d, b_dw_d) = (m.buffer(loss, layout(&[], &[data])), m.buffer(dw, layout(&[None], &[data])));
    let (b_loss, b_dw) = (m.buffer(loss, layout(&[], &[])), m.buffer(dw, sharded.clone()));
    let b_next = m.buffer(next, sharded);
    m.device.entry = vec![b_w];
    let events = vec![
        communicate(k0, &[b_w], &[b_all]),
        Event::Load { slot: 0, into: b_x },
        compute(t0, &[b_all, b_x], &[b_loss_d, b_dw_d]),
        communicate(k1, &[b_dw_d], &[b_dw]),
        communicate(k2, &[b_loss_d], &[b_loss]),
        compute(t1, &[b_w, b_dw], &[b_next]),
        Event::Commit { next: vec![b_next] },
    ];
    m.finish("sharded_state", events, vec![Event::Output { slot: 0, from: b_loss }])
}

/// Two by two devices: rows cut by one axis, columns by the other; independent collectives over both.
pub fn grid() -> Case {
    let mut b = Builder::new("step");
    let w = b.arg(Some("w"), f32s(&[5]));
    let xs = b.arg(Some("x"), f32s(&[4, 5]));
    let total = b.reduce(w, &[0], Monoid::Add).unwrap();
    let dw = b.reduce(xs, &[0], Monoid::Add).unwrap();
    let neg = b.unary(pullback_ir::UnaryOp::Negate, dw).unwrap();
    let next = b.add(w, neg).unwrap();
    let step = b.finish(&[total, next]);
    let signature =
        Signature { state: vec![state("w", 0, 1)], batch: batch(1), outputs: vec![output("total", 0)] };
    let (data, model) = (x(0), x(1));
    let axes = vec![axis("data", AxisKind::Space, 2), axis("model", AxisKind::Space, 2)];
    let mut m = Make::new(step, signature, axes);
    let rows = Some(m.cut(4, &[data], &["0..3", "3..4"]));
    let cols = Some(m.cut(5, &[model], &["0..2", "2..5"]));
    // The negated gradient flows on as a contribution.
    let t0 = m.template(&[(total, &[cols]), (dw, &[rows, cols]), (neg, &[cols])], &[w, xs], &[total, neg]);
    let t1 = m.template(&[(next, &[cols])], &[w, neg], &[next]);
    let (cut, scalar) = (|a: &[AxisId]| layout(&[cols], a), |a: &[AxisId]| layout(&[], a));
    let k0 = m.collective(CollectiveKind::AllReduce, &[data], &[(neg, cut(&[data]), cut(&[]))]);
    let k1 = m.collective(CollectiveKind::AllReduce, &[model], &[(total, scalar(&[model]), scalar(&[]))]);
    let b_w = m.buffer(w, cut(&[]));
    let b_x = m.buffer(xs, layout(&[rows, cols], &[]));
    let (b_total_m, b_neg_d) = (m.buffer(total, scalar(&[model])), m.buffer(neg, cut(&[data])));
    let (b_total, b_neg) = (m.buffer(total, scalar(&[])), m.buffer(neg, cut(&[])));
    let b_next = m.buffer(next, cut(&[]));
    m.device.entry = vec![b_w];
    let events = vec![
        Event::Load { slot: 0, into: b_x },
        compute(t0, &[b_w, b_x], &[b_total_m, b_neg_d]),
        communicate(k0, &[b_neg_d], &[b_neg]),
        communicate(k1, &[b_total_m], &[b_total]),
        compute(t1, &[b_w, b_neg], &[b_next]),
        Event::Commit { next: vec![b_next] },
    ];
    m.finish("grid", events, vec![Event::Output { slot: 0, from: b_total }])
}
