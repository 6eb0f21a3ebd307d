//! The jointly linear sets of each op, numerically: additivity and homogeneity with the other operands fixed.
//!
//! All listed sets are tried on the cases of `cut`, a fifth of them sampled, in f64. On one typical case per op,
//! all sets of operands are tried and those that turn out linear must be the listed ones.

use crate::cases::{self, Case, DTypes};
use crate::util::{Rng, subsets};
use crate::{contract, indexing, windows};
use pullback_eval::Tensor;
use pullback_ir::linearity::{carries_pending, linear_sets};
use pullback_ir::{BinaryOp, Comparison, DType, Literal, Monoid, Op, TensorType, UnaryOp, WindowDims};

fn f64s(shape: &[usize]) -> TensorType {
    TensorType::new(DType::F64, shape)
}

/// a + k * b, elementwise.
fn plus(a: &Tensor, k: f64, b: &Tensor) -> Tensor {
    let values: Vec<f64> = a.to_f64s().iter().zip(b.to_f64s()).map(|(x, y)| x + k * y).collect();
    Tensor::from_f64s(a.ty().clone(), &values).unwrap()
}

/// Whether f(x + k y) = f(x) + k f(y) for the operands `set` with the others fixed, and f(0) = 0. The inputs
/// are x, `y` are as many.
fn is_linear(case: &Case, set: &[usize], y: &[Tensor]) -> bool {
    let f = |moving: &dyn Fn(&Tensor, usize) -> Tensor| {
        let operand = |(i, t): (usize, &Tensor)| if set.contains(&i) { moving(t, i) } else { t.clone() };
        case.eval(&case.inputs.iter().enumerate().map(operand).collect::<Vec<_>>()).to_f64s()
    };
    let (fx, fy) = (f(&|t, _| t.clone()), f(&|_, i| y[i].clone()));
    let zero = f(&|t, _| Tensor::zeros(t.ty().clone()));
    zero.iter().all(|&v| v == 0.0)
        && [1.0, -2.0].iter().all(|&k| {
            let sum = f(&|t, i| plus(t, k, &y[i]));
            sum.iter().zip(fx.iter().zip(&fy)).all(|(s, (a, b))| *s == a + k * b)
        })
}

#[test]
fn listed_sets_are_linear() {
    let mut rng = Rng::new("linear");
    let mut dtypes = DTypes::only(DType::F64);
    let mut all = cases::elementwise(&mut rng);
    all.extend(cases::broadcasts(&mut rng, &mut dtypes));
    all.extend(cases::reshapes(&mut rng, &mut dtypes));
    all.extend(cases::transposes_and_reverses(&mut rng, &mut dtypes));
    all.extend(cases::slices(&mut rng, &mut dtypes));
    all.extend(cases::concatenates(&mut rng, &mut dtypes));
    all.extend(cases::pads(&mut rng, &mut dtypes));
    all.extend(cases::reduces(&mut rng));
    all.extend(contract::dots(&mut rng));
    all.extend(contract::convolutions(&mut rng));
    all.extend(indexing::gathers(&mut rng, &mut dtypes));
    all.extend(indexing::scatters(&mut rng, true));
    all.extend(indexing::dynamic_slices(&mut rng, &mut dtypes));
    all.extend(windows::reduce_windows(&mut rng));
    all.extend(windows::select_and_scatters(&mut rng));
    let mut tried = 0;
    for case in all {
        // A value in several operands is not fixed in one while it moves in another.
        let alone = case.operands.iter().copied().eq(0..case.inputs.len());
        // Narrow floats round sums.
        let rounds = matches!(case.op, Op::Convert { dtype } if dtype.bits() <= 8);
        if !alone || rounds || rng.below(5) > 0 {
            continue;
        }
        for set in linear_sets(&case.op, case.operands.len()) {
            let ys: Vec<Tensor> = case.inputs.iter().map(|t| rng.tensor(t.ty())).collect();
            assert!(is_linear(&case, &set, &ys), "{set:?} of {}", case.label());
            tried += 1;
        }
    }
    assert!(tried > 800, "{tried}");
}

/// One case per op, with enough elements, none special, that an op which is not linear shows it.
fn typical(rng: &mut Rng) -> Vec<Case> {
    let x = || f64s(&[4, 4]);
    let mut out = vec![
        Case::new(Op::Constant(Literal::splat_f64(x(), 1.0)), vec![]),
        Case::new(Op::Iota { ty: x(), dim: 0 }, vec![]),
        cases::select(&[4, 4], false, rng),
        Case::new(Op::Clamp, vec![half(&x(), rng), half(&x(), rng), half(&x(), rng)]),
        Case::new(Op::BroadcastInDim { shape: vec![4, 2, 4], dims: vec![0, 2] }, vec![half(&x(), rng)]),
        Case::new(Op::Reshape { shape: vec![16] }, vec![half(&x(), rng)]),
        Case::new(Op::Transpose { permutation: vec![1, 0] }, vec![half(&x(), rng)]),
        Case::new(
            Op::Slice { starts: vec![1, 0], limits: vec![4, 4], strides: vec![1, 2] },
            vec![half(&x(), rng)],
        ),
        Case::new(Op::Concatenate { dim: 0 }, vec![half(&x(), rng), half(&x(), rng), half(&x(), rng)]),
        Case::new(
            Op::Pad { low: vec![1, -1], high: vec![0, 2], interior: vec![1, 0] },
            vec![half(&x(), rng), half(&f64s(&[]), rng)],
        ),
        Case::new(Op::Reverse { dims: vec![1] }, vec![half(&x(), rng)]),
        Case::new(
            Op::Convolution(Box::new(contract::nhwc([1, 1], [(1, 1), (0, 0)]))),
            vec![half(&f64s(&[2, 3, 3, 2]), rng), half(&f64s(&[2, 2, 2, 2]), rng)],
        ),
    ];
    for dtype in [DType::F32, DType::C128, DType::I32, DType::Bool] {
        out.push(Case::new(Op::Convert { dtype }, vec![half(&x(), rng)]));
    }
    for &u in UnaryOp::ALL {
        if !matches!(u, UnaryOp::Not | UnaryOp::Popcnt | UnaryOp::CountLeadingZeros) {
            out.push(Case::new(Op::Unary(u), vec![half(&x(), rng)]));
        }
    }
    use BinaryOp as B;
    for b in [
        B::Add,
        B::Atan2,
        B::Divide,
        B::Maximum,
        B::Minimum,
        B::Multiply,
        B::Power,
        B::Remainder,
        B::Subtract,
    ] {
        // Powers of two divide exactly.
        let twos: Vec<f64> = (0..16).map(|_| rng.pick(&[0.5, 2.0, -2.0, 4.0])).collect();
        let y = Tensor::from_f64s(x(), &twos).unwrap();
        out.push(Case::new(Op::Binary(b), vec![half(&x(), rng), y]));
    }
    for &direction in Comparison::ALL {
        let op = Op::Compare { direction, total_order: false };
        out.push(Case::new(op, vec![half(&x(), rng), half(&x(), rng)]));
    }
    for monoid in [Monoid::Add, Monoid::Multiply, Monoid::Maximum, Monoid::Minimum] {
        out.push(Case::new(Op::Reduce { dims: vec![1], monoid }, vec![half(&x(), rng)]));
    }
    let window = Box::new(WindowDims {
        sizes: vec![2, 2],
        strides: vec![1, 2],
        base_dilations: vec![1, 1],
        window_dilations: vec![1, 1],
        padding: vec![(1, 0), (0, 0)],
    });
    for monoid in [Monoid::Add, Monoid::Multiply, Monoid::Maximum, Monoid::Minimum] {
        out.push(Case::new(Op::ReduceWindow { window: window.clone(), monoid }, vec![half(&x(), rng)]));
    }
    out.push(Case::new(
        Op::SelectAndScatter { window, least: false, monoid: Monoid::Add },
        vec![half(&x(), rng), half(&f64s(&[4, 2]), rng)],
    ));
    out.push(Case::new(Op::BitcastConvert { dtype: DType::I64 }, vec![half(&x(), rng)]));
    out.push(Case::new(Op::ReducePrecision { exponent_bits: 8, mantissa_bits: 0 }, vec![half(&x(), rng)]));
    out.push(Case::new(Op::Argsort { dim: 0, descending: false, total_order: false }, vec![half(&x(), rng)]));
    // Not case and while: whether they are linear depends on what they run, and nothing makes use of it.
    let index = TensorType::new(DType::I32, [2, 3, 1]);
    out.push(Case::new(
        Op::Gather(Box::new(indexing::lookup(4, true))),
        vec![half(&x(), rng), rng.ints(&index, 0, 3)],
    ));
    // Not multiply: linear in operand 0, but nothing makes use of that and it is not listed.
    for combiner in [None, Some(Monoid::Add), Some(Monoid::Maximum), Some(Monoid::Minimum)] {
        let op = Op::Scatter { dims: Box::new(indexing::embedding_gradient()), combiner };
        let updates = half(&f64s(&[2, 3, 4]), rng);
        out.push(Case::new(op, vec![half(&x(), rng), rng.ints(&index, 0, 1), updates]));
    }
    let start = TensorType::scalar(DType::I32);
    let starts = |rng: &mut Rng| vec![rng.ints(&start, 0, 2), rng.ints(&start, 0, 2)];
    out.push(Case::new(
        Op::DynamicSlice { sizes: vec![2, 2] },
        [vec![half(&x(), rng)], starts(rng)].concat(),
    ));
    let update = half(&f64s(&[2, 2]), rng);
    out.push(Case::new(Op::DynamicUpdateSlice, [vec![half(&x(), rng), update], starts(rng)].concat()));
    out
}

/// Odd multiples of 1/2.
fn half(ty: &TensorType, rng: &mut Rng) -> Tensor {
    let values: Vec<f64> = (0..ty.count()).map(|_| rng.within(-4, 3) as f64 + 0.5).collect();
    Tensor::from_f64s(ty.clone(), &values).unwrap()
}

#[test]
fn listed_sets_are_all() {
    let mut rng = Rng::new("typical");
    let mut all = typical(&mut rng);
    let x = Case::new(
        Op::DotGeneral(pullback_ir::DotDims {
            lhs_contract: vec![1],
            rhs_contract: vec![0],
            ..Default::default()
        }),
        vec![half(&f64s(&[3, 2]), &mut rng), half(&f64s(&[2, 3]), &mut rng)],
    );
    all.push(x);
    for case in all {
        let n = case.operands.len();
        let float: Vec<usize> = (0..n).filter(|&i| case.inputs[i].dtype().is_float()).collect();
        let result_floats = case.eval(&case.inputs).dtype().is_differentiable();
        let mut found: Vec<Vec<usize>> = Vec::new();
        for subset in subsets(float.len()).into_iter().skip(1) {
            let set: Vec<usize> = subset.iter().map(|&i| float[i]).collect();
            let ys: Vec<Tensor> = case.inputs.iter().map(|t| half_like(t, &mut rng)).collect();
            if result_floats && is_linear(&case, &set, &ys) {
                found.push(set);
            }
        }
        assert_eq!(found, linear_sets(&case.op, n), "{}", case.label());
        for subset in subsets(n) {
            assert_eq!(carries_pending(&case.op, n, &subset), found.contains(&subset), "{}", case.label());
        }
    }
}

fn half_like(t: &Tensor, rng: &mut Rng) -> Tensor {
    if t.dtype().is_float() { half(t.ty(), rng) } else { t.clone() }
}
