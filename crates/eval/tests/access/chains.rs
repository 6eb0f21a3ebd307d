//! Several ops at once: the boxes of a region of a result, traced back through access maps, give that region from
//! the traced parts of the arguments.
//!
//! One program as models have it (attention with a joint projection), cut by heads, by batch and by both; and
//! random programs with random regions of random values. In i64, whose sums and products do not depend on order.

use crate::util::{Rng, extract, hull, set};
use pullback_base::Id;
use pullback_eval::{Tensor, reference};
use pullback_ir::access::{AccessMap, DimMap};
use pullback_ir::region::{IntervalSet, Region};
use pullback_ir::restrict::{Instance, Part, localize, read_parts};
use pullback_ir::{
    BinaryOp, Builder, DType, DotDims, InstrId, Literal, Monoid, Op, Program, TensorType, Value, ValueDef,
};
use std::collections::BTreeMap;

fn i64s(shape: &[usize]) -> TensorType {
    TensorType::new(DType::I64, shape)
}

/// The smallest box that writes a region.
fn box_of(access: &AccessMap, written: &Region) -> Vec<IntervalSet> {
    let mut boxed = access.full_box();
    for (map, want) in access.results[0].iter().zip(written.dims()) {
        let DimMap::Factors(fs) = map else { panic!("a result dimension {map:?}") };
        let mut digits: Vec<Vec<usize>> = vec![Vec::new(); fs.len()];
        for mut i in want.iter() {
            for (k, &f) in fs.iter().enumerate().rev() {
                digits[k].push(i % access.factors[f].size);
                i /= access.factors[f].size;
            }
        }
        for (&f, d) in fs.iter().zip(digits) {
            if access.factors[f].kind != pullback_ir::access::FactorKind::Blocked {
                boxed[f] = set(d);
            }
        }
    }
    boxed
}

/// Boxes of all ops that `outputs` need, in order, and the parts of arguments. `given` fixes boxes of some ops.
fn trace(
    p: &Program,
    outputs: &[Part],
    given: &BTreeMap<InstrId, Vec<IntervalSet>>,
) -> (Vec<Instance>, Vec<Part>) {
    let mut wanted: BTreeMap<Value, Region> = BTreeMap::new();
    let want = |wanted: &mut BTreeMap<Value, Region>, v: Value, r: Region| {
        let old = wanted.remove(&v);
        wanted.insert(v, old.map_or(r.clone(), |old| if r.dims().is_empty() { r } else { hull(&old, &r) }));
    };
    for part in outputs {
        want(&mut wanted, part.value, part.region.clone());
    }
    let mut instances = Vec::new();
    for id in p.instrs().ids().rev() {
        let instr = p.instr(id);
        let Some(region) = wanted.get(&instr.result()) else { continue };
        let access = AccessMap::of(instr.op(), &p.operand_types(id)).unwrap();
        let boxed = given.get(&id).cloned().unwrap_or_else(|| box_of(&access, region));
        for (i, &v) in instr.operands().iter().enumerate() {
            want(&mut wanted, v, access.needs(i, &boxed));
        }
        instances.push(Instance { instr: id, boxed });
    }
    instances.reverse();
    let arg = |(value, region): (Value, Region)| Part { value, region };
    let is_arg = |(v, _): &(Value, Region)| matches!(p.def(*v), ValueDef::Arg(_));
    (instances, wanted.into_iter().filter(is_arg).map(arg).collect())
}

/// Local results of these instances on these parts of the arguments, and on what is read of them alone.
fn run(
    p: &Program,
    instances: &[Instance],
    inputs: &[Part],
    outputs: &[Part],
    args: &[Tensor],
) -> Vec<Tensor> {
    let results = run_on(p, instances, inputs, outputs, args);
    let read = read_parts(p, instances, inputs, outputs).unwrap();
    let mut least = Vec::new();
    for (regions, part) in read.into_iter().zip(inputs) {
        for region in regions {
            assert!(region.is_subset(&part.region), "{region} of {part:?}");
            least.push(Part { value: part.value, region });
        }
        if !least.iter().any(|p| p.value == part.value) {
            least.push(part.clone());
        }
    }
    assert_eq!(run_on(p, instances, &least, outputs, args), results);
    results
}

fn run_on(
    p: &Program,
    instances: &[Instance],
    inputs: &[Part],
    outputs: &[Part],
    args: &[Tensor],
) -> Vec<Tensor> {
    let local =
        localize(p, instances, inputs, outputs).unwrap_or_else(|e| panic!("{e}: {inputs:?} {outputs:?}"));
    local.verify().unwrap();
    let part = |part: &Part| {
        let ValueDef::Arg(i) = p.def(part.value) else { panic!("an argument") };
        extract(&args[i], &part.region)
    };
    reference::eval(&local, &inputs.iter().map(part).collect::<Vec<_>>()).unwrap()
}

const B: usize = 2;
const S: usize = 3;
const D: usize = 4;
const H: usize = 4;
const K: usize = 2;

struct Attention {
    program: Program,
    args: Vec<Tensor>,
    /// The dot that contracts over all heads, whose result is the program's first; the second is its sum.
    last: InstrId,
    scores: Value,
}

/// y = relu(q k^T) v w + x, heads side by side in one projection of x, and the sum of y over batch and sequence.
fn attention() -> Attention {
    let mut b = Builder::new("attention");
    let hk = H * K;
    let x = b.arg(Some("x"), i64s(&[B, S, D]));
    let w = b.arg(Some("w_qkv"), i64s(&[D, 3 * hk]));
    let bias = b.arg(Some("b_qkv"), i64s(&[3 * hk]));
    let out = b.arg(Some("w_out"), i64s(&[hk, D]));
    let dims = |batch: [&[usize]; 2], contract: [&[usize]; 2]| DotDims {
        lhs_batch: batch[0].to_vec(),
        rhs_batch: batch[1].to_vec(),
        lhs_contract: contract[0].to_vec(),
        rhs_contract: contract[1].to_vec(),
    };
    let qkv = b.dot(x, w, dims([&[], &[]], [&[2], &[0]])).unwrap();
    let bias = b.broadcast(bias, &[B, S, 3 * hk], &[2]).unwrap();
    let qkv = b.add(qkv, bias).unwrap();
    let mut heads = Vec::new();
    for i in 0..3 {
        let (starts, limits) = (vec![0, 0, i * hk], vec![B, S, (i + 1) * hk]);
        let part = b.push1(Op::Slice { starts, limits, strides: vec![1; 3] }, &[qkv]).unwrap();
        heads.push(b.reshape(part, &[B, S, H, K]).unwrap());
    }
    let scores = b.dot(heads[0], heads[1], dims([&[0, 2], &[0, 2]], [&[3], &[3]])).unwrap();
    let zero = b.splat(&i64s(&[B, H, S, S]), 0.0);
    let relu = b.binary(BinaryOp::Maximum, scores, zero).unwrap();
    let mixed = b.dot(relu, heads[2], dims([&[0, 1], &[0, 2]], [&[3], &[1]])).unwrap();
    let mixed = b.transpose(mixed, &[0, 2, 1, 3]).unwrap();
    let mixed = b.reshape(mixed, &[B, S, hk]).unwrap();
    let last = InstrId::from_index(b.so_far().instrs().len());
    let y = b.dot(mixed, out, dims([&[], &[]], [&[2], &[0]])).unwrap();
    let sum = b.reduce(y, &[0, 1], Monoid::Add).unwrap();
    let program = b.finish(&[y, sum]);
    let mut rng = Rng::new("attention");
    let args = program.args().iter().map(|&a| rng.tensor(program.ty(a))).collect();
    Attention { program, args, last, scores }
}

fn sum(a: &Tensor, b: &Tensor) -> Tensor {
    reference::eval_op(&Op::Binary(BinaryOp::Add), &[a, b]).unwrap().remove(0)
}

/// Columns of heads `set` in the joint projection, and rows of the output matrix.
fn columns(heads: &IntervalSet, segments: usize) -> IntervalSet {
    IntervalSet::full(segments).product(&heads.product(&IntervalSet::full(K), K), H * K)
}

/// Heads on two devices: each needs its three segments of the projection, and their contributions add up.
#[test]
fn attention_cut_by_heads() {
    let a = attention();
    let whole = reference::eval(&a.program, &a.args).unwrap();
    let y = a.program.results()[0];
    let output = Part { value: y, region: Region::full(a.program.ty(y).shape()) };
    for one in [set([0]), set([1, 2]), set([0, 3]), set([])] {
        let mut total: Option<Tensor> = None;
        for heads in [one.clone(), IntervalSet::full(H).difference(&one)] {
            let rows = columns(&heads, 1);
            let full = IntervalSet::full;
            let given = BTreeMap::from([(a.last, vec![full(B), full(S), full(D), rows.clone()])]);
            let (instances, inputs) = trace(&a.program, std::slice::from_ref(&output), &given);
            if !heads.is_empty() {
                let regions: Vec<&[IntervalSet]> = inputs.iter().map(|p| p.region.dims()).collect();
                assert_eq!(regions[1], [full(D), columns(&heads, 3)]);
                assert_eq!(regions[2], [columns(&heads, 3)]);
                assert_eq!(regions[3], [rows, full(D)]);
            }
            let part = run(&a.program, &instances, &inputs, std::slice::from_ref(&output), &a.args).remove(0);
            total = Some(total.map_or(part.clone(), |t| sum(&t, &part)));
        }
        assert_eq!(total.as_ref(), Some(&whole[0]));
    }
}

/// Batch and heads on a grid of four devices, with the scores of each as a further, narrowed output.
#[test]
fn attention_cut_by_batch_and_heads() {
    let a = attention();
    let whole = reference::eval(&a.program, &a.args).unwrap();
    let [y, total] = a.program.results() else { panic!("two results") };
    let mut sums: Option<Tensor> = None;
    for batch in [set([1]), set([0])] {
        let mut rows_of_y: Option<Tensor> = None;
        for heads in [set([0, 2]), set([1, 3])] {
            let full = IntervalSet::full;
            let given = BTreeMap::from([(a.last, vec![batch.clone(), full(S), full(D), columns(&heads, 1)])]);
            let dims = vec![batch.clone(), full(S), full(D)];
            let last_row = Region::new(vec![batch.clone(), heads.clone(), set([2]), full(S)]);
            let outputs =
                [Part { value: *y, region: Region::new(dims) }, Part { value: a.scores, region: last_row }];
            let (instances, inputs) = trace(&a.program, &outputs, &given);
            let got = run(&a.program, &instances, &inputs, &outputs, &a.args);
            let scores = &extract_value(&a, a.scores, &outputs[1].region);
            assert_eq!(&got[1], scores);
            rows_of_y = Some(rows_of_y.map_or(got[0].clone(), |t| sum(&t, &got[0])));
        }
        let region = Region::new(vec![batch.clone(), IntervalSet::full(S), IntervalSet::full(D)]);
        assert_eq!(rows_of_y.unwrap(), extract(&whole[0], &region));
        // The sum over the batch is pending over this cut.
        let id = InstrId::from_index(a.program.instrs().len() - 1);
        let boxed = vec![batch.clone(), IntervalSet::full(S), IntervalSet::full(D)];
        let outputs = [Part { value: *total, region: Region::full(&[D]) }];
        let (instances, inputs) = trace(&a.program, &outputs, &BTreeMap::from([(id, boxed)]));
        assert_eq!(inputs[0].region.dims()[0], batch);
        let part = run(&a.program, &instances, &inputs, &outputs, &a.args).remove(0);
        sums = Some(sums.map_or(part.clone(), |t| sum(&t, &part)));
    }
    assert_eq!(sums.unwrap(), whole[1]);
}

fn extract_value(a: &Attention, v: Value, region: &Region) -> Tensor {
    let whole = whole_values(&a.program, &a.args);
    extract(&whole[v.index()], region)
}

/// Every value of a program.
fn whole_values(p: &Program, args: &[Tensor]) -> Vec<Tensor> {
    let mut values: Vec<Tensor> = args.to_vec();
    for instr in p.instrs().values() {
        let operands: Vec<&Tensor> = instr.operands().iter().map(|v| &values[v.index()]).collect();
        let result = reference::eval_op(instr.op(), &operands).unwrap().remove(0);
        values.push(result);
    }
    values
}

/// A random op on values of a program, by type; it may not fit.
fn random_op(b: &mut Builder, values: &[Value], rng: &mut Rng) -> Option<Value> {
    let x = rng.pick(&values[values.len().saturating_sub(4)..]);
    let shape = b.ty(x).shape().to_vec();
    let rank = shape.len();
    let alike: Vec<Value> = values.iter().copied().filter(|&v| b.ty(v).shape() == shape).collect();
    let y = rng.pick(&alike);
    let per = |rng: &mut Rng, lo: i64, hi: i64| (0..rank).map(|_| rng.within(lo, hi)).collect::<Vec<_>>();
    let (op, operands) = match rng.below(12) {
        0 => (Op::Binary(rng.pick(&[BinaryOp::Add, BinaryOp::Multiply, BinaryOp::Maximum])), vec![x, y]),
        1 => (Op::Concatenate { dim: rng.below(rank.max(1)) }, vec![x, y]),
        2 => {
            let dims = rng.choose(rank + 1, rank);
            let mut out = vec![rng.size(); rank + 1];
            for (i, &d) in dims.iter().enumerate() {
                out[d] = if shape[i] == 1 { rng.size() } else { shape[i] };
            }
            (Op::BroadcastInDim { shape: out, dims }, vec![x])
        }
        3 | 4 => (Op::Reshape { shape: other_shape(&shape, rng) }, vec![x]),
        5 => (Op::Transpose { permutation: rng.choose(rank, rank) }, vec![x]),
        6 => {
            let limits: Vec<usize> = shape.iter().map(|&n| n - rng.below(n.min(2) + 1)).collect();
            let starts = limits.iter().map(|&n| rng.below(n.min(1) + 1)).collect();
            (Op::Slice { starts, limits, strides: (0..rank).map(|_| 1 + rng.below(2)).collect() }, vec![x])
        }
        7 => {
            let value = b.constant(Literal::splat_f64(i64s(&[]), 7.0));
            let interior = (0..rank).map(|_| rng.below(2)).collect();
            (Op::Pad { low: per(rng, -1, 1), high: per(rng, -1, 2), interior }, vec![x, value])
        }
        8 => {
            let n = rng.below(rank + 1);
            (Op::Reverse { dims: rng.choose_sorted(rank, n) }, vec![x])
        }
        9 => {
            let n = rng.below(rank.max(1));
            let monoid = rng.pick(&[Monoid::Add, Monoid::Maximum, Monoid::Multiply]);
            (Op::Reduce { dims: rng.choose_sorted(rank, n), monoid }, vec![x])
        }
        10 => {
            let d = rng.below(rank.max(1));
            let batch: Vec<usize> = if rng.flip() && rank > 1 { vec![(d + 1) % rank] } else { vec![] };
            let d = DotDims {
                lhs_batch: batch.clone(),
                rhs_batch: batch,
                lhs_contract: vec![d],
                rhs_contract: vec![d],
            };
            (Op::DotGeneral(d), vec![x, y])
        }
        _ => (Op::Iota { ty: b.ty(x).clone(), dim: rng.below(rank.max(1)) }, vec![]),
    };
    let v = b.push1(op, &operands).ok()?;
    Some(v).filter(|&v| b.ty(v).count() <= 200 && b.ty(v).rank() <= 4)
}

/// A shape with as many elements: neighbours merged, or a dimension split.
fn other_shape(shape: &[usize], rng: &mut Rng) -> Vec<usize> {
    let mut out = shape.to_vec();
    let at = rng.below(out.len() + 1);
    match out.get(at).copied() {
        Some(n) if n > 3 && n % 2 == 0 => {
            out[at] = n / 2;
            out.insert(at + rng.below(2), 2);
        }
        Some(n) if at + 1 < out.len() => {
            out[at] = n * out.remove(at + 1);
        }
        Some(_) | None => out.insert(at, 1),
    }
    out
}

#[test]
fn random_programs() {
    let mut rng = Rng::new("programs");
    let (mut ops, mut parts) = (0, 0);
    for _ in 0..250 {
        let mut b = Builder::new("random");
        let mut values: Vec<Value> = Vec::new();
        for _ in 0..2 {
            let rank = 1 + rng.below(3);
            let shape: Vec<usize> = (0..rank).map(|_| 1 + rng.below(4)).collect();
            values.push(b.arg(None, i64s(&shape)));
        }
        for _ in 0..8 {
            values.extend(random_op(&mut b, &values, &mut rng));
        }
        let p = b.finish(&[]);
        let args: Vec<Tensor> = p.args().iter().map(|&a| rng.tensor(p.ty(a))).collect();
        let whole = whole_values(&p, &args);
        for _ in 0..6 {
            let mut outputs = Vec::new();
            for _ in 0..1 + rng.below(2) {
                // Mostly late values: what they need reaches through more ops.
                let value = rng.pick(&values[values.len() / 2..]);
                let dims = p.ty(value).shape().iter().map(|&n| set((0..n).filter(|_| rng.below(3) > 0)));
                outputs.push(Part { value, region: Region::new(dims.collect()) });
            }
            let (instances, inputs) = trace(&p, &outputs, &BTreeMap::new());
            let got = run(&p, &instances, &inputs, &outputs, &args);
            for (part, got) in outputs.iter().zip(got) {
                assert_eq!(got, extract(&whole[part.value.index()], &part.region), "{part:?} of {p:?}");
                parts += usize::from(!part.region.is_empty());
            }
            ops += instances.len();
        }
    }
    assert!(ops > 3000 && parts > 1000, "{ops} {parts}");
}
