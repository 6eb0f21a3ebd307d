//! Times of a whole program on the CPU backend: `cargo bench -p pullback-eval --bench forward [-- THREADS]`.
//!
//! The loss of a byte-level transformer built by hand: 4 layers, width 128, 4 heads, sequence 128, batch 12. Prints
//! the time of a run, then the steps by kind. What it does not do: no statistics, nothing is asserted.
#![allow(clippy::unwrap_used)]

use pullback_base::rng::CounterRng;
use pullback_eval::{CpuDevice, Device, Tensor};
use pullback_ir::*;
use std::collections::BTreeMap;
use std::time::Instant;

const LAYERS: usize = 4;
const B: usize = 12;
const T: usize = 128;
const D: usize = 128;
const HEADS: usize = 4;
const VOCAB: usize = 256;

fn ty(shape: &[usize]) -> TensorType {
    TensorType::new(DType::F32, shape)
}

/// x over its last dimension, kept as a broadcast of the sum's shape.
fn spread(b: &mut Builder, y: Value, shape: &[usize]) -> Value {
    b.broadcast(y, shape, &(0..shape.len() - 1).collect::<Vec<_>>()).unwrap()
}

fn layer_norm(b: &mut Builder, x: Value) -> Value {
    let shape = b.ty(x).shape().to_vec();
    let last = shape.len() - 1;
    let (scale, bias) = (b.arg(None, ty(&[D])), b.arg(None, ty(&[D])));
    let sum = b.reduce(x, &[last], Monoid::Add).unwrap();
    let mean = b.scale(sum, 1.0 / D as f64).unwrap();
    let mean = spread(b, mean, &shape);
    let centred = b.sub(x, mean).unwrap();
    let square = b.mul(centred, centred).unwrap();
    let sum = b.reduce(square, &[last], Monoid::Add).unwrap();
    let variance = b.scale(sum, 1.0 / D as f64).unwrap();
    let eps = b.splat(&b.ty(variance).clone(), 1e-5);
    let variance = b.add(variance, eps).unwrap();
    let inverse = b.unary(UnaryOp::Rsqrt, variance).unwrap();
    let inverse = spread(b, inverse, &shape);
    let y = b.mul(centred, inverse).unwrap();
    let scale = b.broadcast(scale, &shape, &[last]).unwrap();
    let bias = b.broadcast(bias, &shape, &[last]).unwrap();
    let y = b.mul(y, scale).unwrap();
    b.add(y, bias).unwrap()
}

/// x · w over the last dimension of x.
fn linear(b: &mut Builder, x: Value, outputs: usize) -> Value {
    let shape = b.ty(x).shape().to_vec();
    let w = b.arg(None, ty(&[shape[2], outputs]));
    b.dot(x, w, DotDims { lhs_contract: vec![2], rhs_contract: vec![0], ..DotDims::default() }).unwrap()
}

/// x - log-sum-exp's shift, its exponential, and the sum of that.
fn exponentials(b: &mut Builder, x: Value) -> (Value, Value, Value) {
    let shape = b.ty(x).shape().to_vec();
    let last = shape.len() - 1;
    let max = b.reduce(x, &[last], Monoid::Maximum).unwrap();
    let max = spread(b, max, &shape);
    let shifted = b.sub(x, max).unwrap();
    let e = b.unary(UnaryOp::Exponential, shifted).unwrap();
    let sum = b.reduce(e, &[last], Monoid::Add).unwrap();
    (shifted, e, sum)
}

fn attention(b: &mut Builder, x: Value) -> Value {
    let qkv = linear(b, x, 3 * D);
    let mut part = |k: usize| {
        let slice =
            Op::Slice { starts: vec![0, 0, k * D], limits: vec![B, T, (k + 1) * D], strides: vec![1, 1, 1] };
        let v = b.push1(slice, &[qkv]).unwrap();
        b.reshape(v, &[B, T, HEADS, D / HEADS]).unwrap()
    };
    let (q, k, v) = (part(0), part(1), part(2));
    let batched = |contract: usize, other: usize, rhs_batch: Vec<usize>| DotDims {
        lhs_batch: vec![0, 2],
        rhs_batch,
        lhs_contract: vec![contract],
        rhs_contract: vec![other],
    };
    let scores = b.dot(q, k, batched(3, 3, vec![0, 2])).unwrap();
    let scores = b.scale(scores, 1.0 / ((D / HEADS) as f64).sqrt()).unwrap();
    let shape = [B, HEADS, T, T];
    let mut line = |dim| b.push1(Op::Iota { ty: TensorType::new(DType::I32, [T, T]), dim }, &[]).unwrap();
    let (row, column) = (line(0), line(1));
    let causal = b.compare(Comparison::Ge, row, column).unwrap();
    let causal = b.broadcast(causal, &shape, &[2, 3]).unwrap();
    let never = b.splat(&ty(&shape), f64::from(f32::MIN));
    let scores = b.select(causal, scores, never).unwrap();
    let (_, e, sum) = exponentials(b, scores);
    let sum = spread(b, sum, &shape);
    let p = b.div(e, sum).unwrap();
    let y = b.dot(v, p, batched(1, 3, vec![0, 1])).unwrap();
    let y = b.transpose(y, &[0, 3, 1, 2]).unwrap();
    let y = b.reshape(y, &[B, T, D]).unwrap();
    linear(b, y, D)
}

fn gelu(b: &mut Builder, x: Value) -> Value {
    let square = b.mul(x, x).unwrap();
    let cube = b.mul(square, x).unwrap();
    let inner = b.scale(cube, 0.044715).unwrap();
    let inner = b.add(x, inner).unwrap();
    let inner = b.scale(inner, 0.797_884_583).unwrap();
    let t = b.unary(UnaryOp::Tanh, inner).unwrap();
    let one = b.splat(&b.ty(t).clone(), 1.0);
    let gate = b.add(one, t).unwrap();
    let gate = b.scale(gate, 0.5).unwrap();
    b.mul(x, gate).unwrap()
}

fn program() -> Program {
    let mut b = Builder::new("forward");
    let b = &mut b;
    let tokens = b.arg(None, TensorType::new(DType::I32, [B, T, 1]));
    let table = b.arg(None, ty(&[VOCAB, D]));
    let rows = GatherDims {
        offset_dims: vec![2],
        collapsed_slice_dims: vec![0],
        operand_batching_dims: vec![],
        start_indices_batching_dims: vec![],
        start_index_map: vec![0],
        index_vector_dim: 2,
        slice_sizes: vec![1, D],
        indices_are_sorted: false,
    };
    let mut x = b.push1(Op::Gather(Box::new(rows)), &[table, tokens]).unwrap();
    for _ in 0..LAYERS {
        let h = layer_norm(b, x);
        let h = attention(b, h);
        x = b.add(x, h).unwrap();
        let h = layer_norm(b, x);
        let h = linear(b, h, 4 * D);
        let h = gelu(b, h);
        let h = linear(b, h, D);
        x = b.add(x, h).unwrap();
    }
    let x = layer_norm(b, x);
    let logits =
        b.dot(x, table, DotDims { lhs_contract: vec![2], rhs_contract: vec![1], ..DotDims::default() });
    let (_, _, sum) = exponentials(b, logits.unwrap());
    let log = b.unary(UnaryOp::Log, sum).unwrap();
    let loss = b.reduce(log, &[0, 1], Monoid::Add).unwrap();
    std::mem::replace(b, Builder::new("")).finish(&[loss])
}

fn main() {
    // Cargo passes `--bench`; a number is the thread count.
    let threads = std::env::args().skip(1).find_map(|a| a.parse().ok()).unwrap_or(1);
    let p = program();
    let rng = CounterRng::new(1, "forward");
    let args: Vec<Tensor> = p
        .args()
        .iter()
        .map(|&a| {
            let ty = p.ty(a).clone();
            let float = ty.dtype().is_float();
            let value = |i| if float { 0.1 * rng.normal(i) } else { rng.below(i, VOCAB as u64) as f64 };
            let values: Vec<f64> = (0..ty.count() as u64).map(value).collect();
            Tensor::from_f64s(ty, &values).unwrap()
        })
        .collect();
    let device = CpuDevice { threads };
    let start = Instant::now();
    let mut executable = device.compile(&p).unwrap();
    println!(
        "compiled {} ops in {:?}, {} bytes",
        p.instrs().len(),
        start.elapsed(),
        executable.workspace_bytes()
    );
    let bytes: Vec<&[u8]> = args.iter().map(Tensor::bytes).collect();
    let mut loss = [0; 4];
    for _ in 0..10 {
        let start = Instant::now();
        executable.run(&bytes, &mut [&mut loss]).unwrap();
        println!("{:?} on {threads} thread(s), loss {}", start.elapsed(), f32::from_le_bytes(loss));
    }
    let mut kinds: BTreeMap<String, (usize, f64)> = BTreeMap::new();
    for (what, time) in device.profile(&p, &args, 5).unwrap() {
        let kind = kinds.entry(what.split(' ').next().unwrap_or_default().to_owned()).or_default();
        *kind = (kind.0 + 1, kind.1 + time.as_secs_f64() / 5.0);
    }
    for (kind, (n, seconds)) in kinds {
        println!("{:9.3} ms in {n} x {kind}", 1e3 * seconds);
    }
}
