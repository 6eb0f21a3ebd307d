//! Ops with operands to try: elementwise ops, constants, and ops that move elements.
//!
//! Element types of ops that take any are gone through in turn.

use crate::util::{Rng, arrangements, product, shapes, subsets};
use pullback_eval::{Tensor, reference};
use pullback_ir::{
    BinaryOp, Builder, Comparison, DType, Literal, Monoid, Op, Program, TensorType, UnaryOp, Value,
};

/// An op, the values it reads, which of them is each operand, and which of its results is looked at.
pub struct Case {
    pub op: Op,
    pub inputs: Vec<Tensor>,
    pub operands: Vec<usize>,
    pub result: usize,
}

impl Case {
    pub fn new(op: Op, inputs: Vec<Tensor>) -> Self {
        let operands = (0..inputs.len()).collect();
        Self { op, inputs, operands, result: 0 }
    }

    pub fn types(&self) -> Vec<&TensorType> {
        self.operands.iter().map(|&i| self.inputs[i].ty()).collect()
    }

    /// A program of this one op; its arguments are the inputs.
    pub fn program(&self) -> Program {
        let mut b = Builder::new("case");
        let args: Vec<Value> = self.inputs.iter().map(|t| b.arg(None, t.ty().clone())).collect();
        let operands: Vec<Value> = self.operands.iter().map(|&i| args[i]).collect();
        let results = b.push(self.op.clone(), &operands).unwrap_or_else(|e| panic!("{e}: {}", self.label()));
        b.finish(&[results[self.result]])
    }

    pub fn label(&self) -> String {
        format!("{:?} of {:?} {:?}", self.op, self.inputs, self.operands)
    }

    /// The result on these inputs.
    pub fn eval(&self, inputs: &[Tensor]) -> Tensor {
        let operands: Vec<&Tensor> = self.operands.iter().map(|&i| &inputs[i]).collect();
        let results = reference::eval_op(&self.op, &operands);
        results.unwrap_or_else(|e| panic!("{e}: {}", self.label())).swap_remove(self.result)
    }
}

/// Element types that every op moving elements takes.
pub struct DTypes {
    of: Vec<DType>,
    at: usize,
}

impl DTypes {
    pub fn all() -> Self {
        // All that tell the numbers apart that tests are made of.
        let few = |d: &DType| d.bits() == 2 || matches!(d, DType::F4E2M1FN | DType::F8E8M0FNU);
        Self { of: DType::ALL.into_iter().filter(|d| !few(d)).collect(), at: 0 }
    }

    pub fn only(dtype: DType) -> Self {
        Self { of: vec![dtype], at: 0 }
    }

    pub fn next(&mut self, shape: &[usize]) -> TensorType {
        self.at += 1;
        TensorType::new(self.of[self.at % self.of.len()], shape)
    }
}

fn f64s(shape: &[usize]) -> TensorType {
    TensorType::new(DType::F64, shape)
}

/// Each op on two shapes, and one op of each arity on all shapes of rank at most 3.
pub fn elementwise(rng: &mut Rng) -> Vec<Case> {
    let mut out = Vec::new();
    for &u in UnaryOp::ALL {
        let bits = matches!(u, UnaryOp::Not | UnaryOp::Popcnt | UnaryOp::CountLeadingZeros);
        for shape in [&[2, 3][..], &[3, 1, 2]] {
            let ty = TensorType::new(if bits { DType::I32 } else { DType::F64 }, shape);
            out.push(Case::new(Op::Unary(u), vec![rng.tensor(&ty)]));
        }
    }
    for &b in BinaryOp::ALL {
        for shape in [&[2, 3][..], &[3, 1, 2]] {
            out.push(binary(b, shape, rng));
        }
    }
    for shape in shapes(3) {
        let x = rng.tensor(&f64s(&shape));
        out.push(Case::new(Op::Unary(UnaryOp::Negate), vec![x.clone()]));
        out.push(binary(BinaryOp::Subtract, &shape, rng));
        out.push(Case {
            op: Op::Binary(BinaryOp::Multiply),
            inputs: vec![x],
            operands: vec![0, 0],
            result: 0,
        });
        out.push(Case::new(Op::Convert { dtype: rng.pick(&DType::ALL) }, vec![rng.tensor(&f64s(&shape))]));
        let (direction, total_order) = (rng.pick(Comparison::ALL), rng.flip());
        let x = || vec![&shape[..]; 2];
        let compared = x().into_iter().map(|s| rng.tensor(&f64s(s))).collect();
        out.push(Case::new(Op::Compare { direction, total_order }, compared));
        for scalar in [false, true] {
            out.push(select(&shape, scalar, rng));
            out.push(clamp(&shape, scalar, rng.flip(), rng));
        }
    }
    out
}

fn binary(op: BinaryOp, shape: &[usize], rng: &mut Rng) -> Case {
    let bits = matches!(
        op,
        BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::ShiftLeft
            | BinaryOp::ShiftRightArithmetic
            | BinaryOp::ShiftRightLogical
            | BinaryOp::Mulhi
    );
    let ty = TensorType::new(if bits { DType::I32 } else { DType::F64 }, shape);
    let mut inputs = vec![rng.tensor(&ty), rng.tensor(&ty)];
    if op == BinaryOp::Divide {
        // Quotients are exact.
        let divisors: Vec<f64> = (0..ty.count()).map(|_| rng.pick(&[1.0, 2.0, -2.0, 4.0])).collect();
        inputs[1] = Tensor::from_f64s(ty, &divisors).unwrap();
    }
    Case::new(Op::Binary(op), inputs)
}

pub fn select(shape: &[usize], scalar: bool, rng: &mut Rng) -> Case {
    let pred = TensorType::new(DType::Bool, if scalar { &[] } else { shape });
    Case::new(Op::Select, vec![rng.tensor(&pred), rng.tensor(&f64s(shape)), rng.tensor(&f64s(shape))])
}

fn clamp(shape: &[usize], scalar_lo: bool, scalar_hi: bool, rng: &mut Rng) -> Case {
    let of = |scalar: bool| f64s(if scalar { &[] } else { shape });
    Case::new(
        Op::Clamp,
        vec![rng.tensor(&of(scalar_lo)), rng.tensor(&f64s(shape)), rng.tensor(&of(scalar_hi))],
    )
}

/// Dense and splat constants of all shapes, and iotas of all shapes and dimensions.
pub fn nullary(rng: &mut Rng) -> Vec<Case> {
    let mut dtypes = DTypes::all();
    let mut out = Vec::new();
    for shape in shapes(3) {
        let ty = dtypes.next(&shape);
        out.push(Case::new(Op::Constant(rng.tensor(&ty).to_literal()), vec![]));
        out.push(Case::new(Op::Constant(Literal::splat_f64(ty.clone(), 1.0)), vec![]));
        for dim in 0..shape.len() {
            let mut ty = dtypes.next(&shape);
            if ty.dtype() == DType::Bool {
                ty = dtypes.next(&shape);
            }
            out.push(Case::new(Op::Iota { ty, dim }, vec![]));
        }
    }
    out
}

/// All operand shapes and dimension lists up to rank 3; sizes of new and expanded dimensions sampled.
pub fn broadcasts(rng: &mut Rng, dtypes: &mut DTypes) -> Vec<Case> {
    let mut out = Vec::new();
    for x in shapes(3) {
        for rank in x.len()..=3 {
            for dims in arrangements(rank, x.len()) {
                let mut shape = rng.sizes(rank);
                for (i, &d) in dims.iter().enumerate() {
                    if x[i] != 1 || rng.flip() {
                        shape[d] = x[i];
                    }
                }
                let input = rng.tensor(&dtypes.next(&x));
                out.push(Case::new(Op::BroadcastInDim { shape, dims }, vec![input]));
            }
        }
    }
    out
}

/// All pairs of shapes of rank at most 3 with 1 to 12 elements; pairs without elements, and larger ones of rank
/// 4, sampled.
pub fn reshapes(rng: &mut Rng, dtypes: &mut DTypes) -> Vec<Case> {
    let mut pairs = Vec::new();
    let empty: Vec<Vec<usize>> = shapes(3).into_iter().filter(|s| s.contains(&0)).collect();
    pairs.extend((0..60).map(|_| (rng.pick(&empty), rng.pick(&empty))));
    for n in 1..=12usize {
        let of = |rank: u32| {
            let all = product(&vec![n; rank as usize]).into_iter();
            all.map(|i| i.iter().map(|k| k + 1).collect::<Vec<_>>())
                .filter(move |s| s.iter().product::<usize>() == n)
        };
        let all: Vec<Vec<usize>> = (0..=3).flat_map(of).collect();
        pairs.extend(all.iter().flat_map(|a| all.iter().map(|b| (a.clone(), b.clone()))));
    }
    let large = [&[2, 3, 2, 3][..], &[6, 6], &[4, 9], &[2, 2, 9], &[36], &[3, 3, 2, 2], &[9, 1, 4], &[12, 3]];
    pairs.extend(large.iter().flat_map(|a| large.iter().map(|b| (a.to_vec(), b.to_vec()))));
    let case = |(from, shape): (Vec<usize>, _)| {
        Case::new(Op::Reshape { shape }, vec![rng.tensor(&dtypes.next(&from))])
    };
    pairs.into_iter().map(case).collect()
}

/// All shapes of rank at most 3, all permutations, all sets of reversed dimensions.
pub fn transposes_and_reverses(rng: &mut Rng, dtypes: &mut DTypes) -> Vec<Case> {
    let mut out = Vec::new();
    for shape in shapes(3) {
        for permutation in arrangements(shape.len(), shape.len()) {
            out.push(Case::new(Op::Transpose { permutation }, vec![rng.tensor(&dtypes.next(&shape))]));
        }
        for dims in subsets(shape.len()) {
            out.push(Case::new(Op::Reverse { dims }, vec![rng.tensor(&dtypes.next(&shape))]));
        }
    }
    out
}

/// Rank 1: all bounds with strides 1 to 3. Ranks 2 and 3: sampled.
pub fn slices(rng: &mut Rng, dtypes: &mut DTypes) -> Vec<Case> {
    let bounds = |n: usize| -> Vec<(usize, usize, usize)> {
        let all = (0..=n).flat_map(|s| (s..=n).flat_map(move |l| (1..=3).map(move |k| (s, l, k))));
        all.collect()
    };
    let mut all: Vec<(Vec<usize>, Vec<(usize, usize, usize)>)> = Vec::new();
    for n in 0..=4 {
        all.extend(bounds(n).into_iter().map(|b| (vec![n], vec![b])));
    }
    for i in 0..200 {
        let shape: Vec<usize> = (0..2 + i % 2).map(|_| rng.below(5)).collect();
        let b = shape.iter().map(|&n| rng.pick(&bounds(n))).collect();
        all.push((shape, b));
    }
    let case = |(shape, b): (Vec<usize>, Vec<(usize, usize, usize)>)| {
        let op = Op::Slice {
            starts: b.iter().map(|t| t.0).collect(),
            limits: b.iter().map(|t| t.1).collect(),
            strides: b.iter().map(|t| t.2).collect(),
        };
        Case::new(op, vec![rng.tensor(&dtypes.next(&shape))])
    };
    all.into_iter().map(case).collect()
}

/// Rank 1: one to three operands of all sizes 0 to 3. Ranks 2 and 3, and one value twice: sampled.
pub fn concatenates(rng: &mut Rng, dtypes: &mut DTypes) -> Vec<Case> {
    let mut out = Vec::new();
    for n in 1..=3 {
        for sizes in product(&vec![4; n]) {
            let ty = dtypes.next(&[0]);
            let inputs = sizes.iter().map(|&s| rng.tensor(&ty.with_shape([s]))).collect();
            out.push(Case::new(Op::Concatenate { dim: 0 }, inputs));
        }
    }
    for i in 0..120 {
        let shape = rng.sizes(2 + i % 2);
        let (dim, n) = (rng.below(shape.len()), 1 + rng.below(3));
        let ty = dtypes.next(&shape);
        let of = |size: usize| {
            let mut s = shape.clone();
            s[dim] = size;
            ty.with_shape(s)
        };
        let mut inputs: Vec<Tensor> = Vec::new();
        for _ in 0..n {
            let size = rng.size();
            inputs.push(rng.tensor(&of(size)));
        }
        let mut case = Case::new(Op::Concatenate { dim }, inputs);
        if rng.below(4) == 0 {
            case.operands.push(0);
        }
        out.push(case);
    }
    out
}

/// Rank 1: sizes 0 to 3, low and high -2 to 2, interior 0 to 2, all that type. Ranks 2 and 3: sampled.
pub fn pads(rng: &mut Rng, dtypes: &mut DTypes) -> Vec<Case> {
    let mut all: Vec<(Vec<usize>, Vec<(i64, i64, usize)>)> = Vec::new();
    let small = |i: usize| i as i64 - 2;
    for i in product(&[4, 5, 5, 3]) {
        all.push((vec![i[0]], vec![(small(i[1]), small(i[2]), i[3])]));
    }
    for i in 0..300 {
        let shape = rng.sizes(2 + i % 2);
        let per_dim = |_: &usize| (rng.within(-2, 2), rng.within(-2, 2), rng.below(3));
        let p = shape.iter().map(per_dim).collect();
        all.push((shape, p));
    }
    let fits = |shape: &[usize], p: &[(i64, i64, usize)]| {
        shape
            .iter()
            .zip(p)
            .all(|(&n, &(lo, hi, k))| n as i64 + lo + hi + (n as i64 - 1).max(0) * k as i64 >= 0)
    };
    all.retain(|(shape, p)| fits(shape, p));
    let case = |(shape, p): (Vec<usize>, Vec<(i64, i64, usize)>)| {
        let ty = dtypes.next(&shape);
        let op = Op::Pad {
            low: p.iter().map(|t| t.0).collect(),
            high: p.iter().map(|t| t.1).collect(),
            interior: p.iter().map(|t| t.2).collect(),
        };
        Case::new(op, vec![rng.tensor(&ty), rng.tensor(&ty.with_shape([]))])
    };
    all.into_iter().map(case).collect()
}

/// All shapes of rank at most 3 and all sets of dimensions: with add, and with one of the other monoids in turn.
pub fn reduces(rng: &mut Rng) -> Vec<Case> {
    let mut out = Vec::new();
    let mut turn = 0;
    for shape in shapes(3) {
        for dims in subsets(shape.len()) {
            turn += 1;
            for monoid in [Monoid::Add, Monoid::ALL[1 + turn % 5]] {
                let dtype = match monoid {
                    Monoid::And | Monoid::Or => rng.pick(&[DType::Bool, DType::I32, DType::U8]),
                    Monoid::Maximum | Monoid::Minimum => {
                        rng.pick(&[DType::F32, DType::I8, DType::U64, DType::F8E4M3FN])
                    }
                    Monoid::Add | Monoid::Multiply => DType::F64,
                };
                let x = rng.tensor(&TensorType::new(dtype, &shape[..]));
                out.push(Case::new(Op::Reduce { dims: dims.clone(), monoid }, vec![x]));
            }
        }
    }
    out
}
