//! Ops on bits, windows, sorting, loops and choices.

use crate::cases::Case;
use crate::util::{Rng, shapes};
use pullback_eval::Tensor;
use pullback_ir::{Builder, Comparison, DType, Monoid, Op, Program, TensorType, UnaryOp, WindowDims};

fn f64s(shape: &[usize]) -> TensorType {
    TensorType::new(DType::F64, shape)
}

/// All shapes of rank at most 2 to an equal, a narrower and a wider type; roundings.
pub fn bits(rng: &mut Rng) -> Vec<Case> {
    let mut out = Vec::new();
    for shape in shapes(2) {
        for (from, to) in [(DType::F32, DType::U32), (DType::F64, DType::I16), (DType::I8, DType::F16)] {
            let mut shape = shape.clone();
            if to.size() > from.size() {
                shape.push(to.size() / from.size());
            }
            let x = rng.tensor(&TensorType::new(from, shape));
            out.push(Case::new(Op::BitcastConvert { dtype: to }, vec![x]));
        }
        let op = Op::ReducePrecision { exponent_bits: 2, mantissa_bits: 0 };
        out.push(Case::new(op, vec![rng.tensor(&f64s(&shape))]));
    }
    out
}

/// Windows of any kind in some dimensions and of one element in the others.
fn window(rank: usize, rng: &mut Rng, dilated: bool) -> WindowDims {
    let mut w = WindowDims {
        sizes: vec![1; rank],
        strides: vec![1; rank],
        base_dilations: vec![1; rank],
        window_dilations: vec![1; rank],
        padding: vec![(0, 0); rank],
    };
    for d in 0..rank {
        if rng.flip() {
            (w.sizes[d], w.strides[d]) = (1 + rng.below(3), 1 + rng.below(2));
            w.padding[d] = (rng.within(-1, 2), rng.within(-1, 2));
            if dilated {
                (w.base_dilations[d], w.window_dilations[d]) = (1 + rng.below(2), 1 + rng.below(2));
            }
        }
    }
    w
}

/// Ranks 1 to 3, sampled; all monoids.
pub fn reduce_windows(rng: &mut Rng) -> Vec<Case> {
    let case = |i: usize| {
        let shape = rng.sizes(1 + i % 3);
        let monoid = Monoid::ALL[i % Monoid::ALL.len()];
        let dtype = if matches!(monoid, Monoid::And | Monoid::Or) { DType::I32 } else { DType::F64 };
        let window = Box::new(window(shape.len(), rng, true));
        Case::new(Op::ReduceWindow { window, monoid }, vec![rng.tensor(&TensorType::new(dtype, shape))])
    };
    (0..90).map(case).collect()
}

/// Ranks 1 to 3, sampled.
pub fn select_and_scatters(rng: &mut Rng) -> Vec<Case> {
    let case = |i: usize| {
        let shape = rng.sizes(1 + i % 3);
        let window = window(shape.len(), rng, false);
        let windows = Op::ReduceWindow { window: Box::new(window.clone()), monoid: Monoid::Add };
        let source = pullback_ir::infer::infer(&windows, &[&f64s(&shape)]).unwrap().remove(0);
        let op = Op::SelectAndScatter { window: Box::new(window), least: rng.flip(), monoid: Monoid::Add };
        Case::new(op, vec![rng.tensor(&f64s(&shape)), rng.tensor(&source)])
    };
    (0..60).map(case).collect()
}

/// All shapes of rank at most 3 and all dimensions, by one or two keys.
pub fn argsorts(rng: &mut Rng) -> Vec<Case> {
    let mut out = Vec::new();
    for shape in shapes(3) {
        for dim in 0..shape.len() {
            let mut keys = vec![rng.tensor(&TensorType::new(DType::I8, &shape[..]))];
            if rng.flip() {
                keys.push(rng.tensor(&f64s(&shape)));
            }
            out.push(Case::new(Op::Argsort { dim, descending: rng.flip(), total_order: rng.flip() }, keys));
        }
    }
    out
}

fn branch(ty: &TensorType, op: UnaryOp) -> Program {
    let mut b = Builder::new("branch");
    let x = b.arg(None, ty.clone());
    let y = b.unary(op, x).unwrap();
    b.finish(&[y])
}

/// A choice and a loop of one value on a few shapes.
pub fn regions(rng: &mut Rng) -> Vec<Case> {
    let mut out = Vec::new();
    for shape in [&[][..], &[3], &[2, 3], &[2, 0]] {
        let ty = f64s(shape);
        let index = Tensor::from_i64s(TensorType::scalar(DType::I32), &[rng.within(-1, 3)]).unwrap();
        let branches = vec![branch(&ty, UnaryOp::Negate), branch(&ty, UnaryOp::Square)];
        out.push(Case::new(Op::Case { branches }, vec![index, rng.tensor(&ty)]));
        // Doubles while the first, captured, value is above the sum.
        let mut b = Builder::new("cond");
        let (x, bound) = (b.arg(None, ty.clone()), b.arg(None, f64s(&[])));
        let square = b.mul(x, x).unwrap();
        let sum = b.reduce(square, &(0..shape.len()).collect::<Vec<_>>(), Monoid::Add).unwrap();
        let one = b.splat(&f64s(&[]), 1.0);
        let sum = b.add(sum, one).unwrap();
        let below = b.compare(Comparison::Lt, sum, bound).unwrap();
        let cond = Box::new(b.finish(&[below]));
        let mut b = Builder::new("body");
        let (x, _) = (b.arg(None, ty.clone()), b.arg(None, f64s(&[])));
        let twice = b.add(x, x).unwrap();
        let body = Box::new(b.finish(&[twice]));
        // Without elements the sum never grows.
        let bound = if ty.count() == 0 { 0.0 } else { 100.0 };
        let bound = Tensor::from_f64s(f64s(&[]), &[bound]).unwrap();
        out.push(Case::new(Op::While { cond, body }, vec![rng.tensor(&ty), bound]));
    }
    out
}
