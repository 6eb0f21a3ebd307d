//! Kernels of single ops against the reference, bit for bit, on random shapes, attributes and all element types.
//!
//! Operands hold ties, zeros of both signs, infinities and NaN. NaNs are equal whatever their bits are.

#![allow(clippy::unwrap_used)] // A test may panic.

use proptest::prelude::*;
use pullback_base::rng::CounterRng;
use pullback_eval::{CpuDevice, ReferenceDevice, Tensor, evaluate};
use pullback_ir::literal::decode_f64;
use pullback_ir::*;

/// Elements that include the awkward ones.
fn tensor(ty: &TensorType, seed: u64) -> Tensor {
    let rng = CounterRng::new(seed, "elements");
    let d = ty.dtype();
    if d.is_integer() || d == DType::Bool {
        let odd = [0, 1, -1, i64::MAX, i64::MIN, 7, 64, -3];
        let value = |i: u64| match (rng.uniform(2 * i) * 12.0) as usize {
            k if k < odd.len() => odd[k],
            _ => (rng.uniform(2 * i + 1) * 240.0) as i64 - 120,
        };
        let values: Vec<i64> = (0..ty.count() as u64).map(value).collect();
        return Tensor::from_i64s(ty.clone(), &values).unwrap();
    }
    let odd = [0.0, -0.0, 1.0, -1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e-300, -1e-40, 448.0, 3e38];
    let value = |i: u64| match (rng.uniform(2 * i) * 40.0) as usize {
        k if k < odd.len() => odd[k],
        // Few different ones.
        k if k < 20 => (rng.uniform(2 * i + 1) * 8.0).floor() - 4.0,
        _ => rng.uniform(2 * i + 1) * 8.0 - 4.0,
    };
    let complex = d.class() == DTypeClass::Complex;
    let n = ty.count() * if complex { 2 } else { 1 };
    let values: Vec<f64> = (0..n as u64).map(value).collect();
    let parts = Tensor::from_f64s(TensorType::new(d.part(), [n]), &values).unwrap();
    Tensor::from_bytes(ty.clone(), parts.bytes()).unwrap()
}

fn assert_same(got: &Tensor, want: &Tensor, what: &str) {
    assert_eq!(got.ty(), want.ty());
    let part = want.dtype().part();
    let pairs = got.bytes().chunks(part.size()).zip(want.bytes().chunks(part.size()));
    for (i, (g, w)) in pairs.enumerate() {
        let nan = |e| part.is_float() && decode_f64(part, e).is_nan();
        let same = g == w || (nan(g) && nan(w));
        assert!(same, "{what}: part {i} is {} and not {}", decode_f64(part, g), decode_f64(part, w));
    }
}

/// The CPU backend gives the bits of the reference, on one thread and on three.
fn check(program: &Program, seed: u64, what: &str) {
    program.verify().unwrap();
    let args: Vec<Tensor> =
        (0..).zip(program.args()).map(|(i, &v)| tensor(program.ty(v), seed * 16 + i)).collect();
    let want = evaluate(&ReferenceDevice, program, &args).unwrap();
    for threads in [1, 3] {
        let got = evaluate(&CpuDevice { threads }, program, &args).unwrap();
        for (g, w) in got.iter().zip(&want) {
            assert_same(g, w, what);
        }
    }
}

fn any_dtype() -> impl Strategy<Value = DType> {
    prop::sample::select(DType::ALL.to_vec())
}

fn any_monoid() -> impl Strategy<Value = Monoid> {
    use Monoid::*;
    prop::sample::select(vec![Add, Multiply, Maximum, Minimum, And, Or])
}

/// Size, window, stride, base dilation, window dilation, padding.
type Dim = (usize, usize, usize, usize, usize, (i64, i64));

fn dim() -> impl Strategy<Value = Dim> {
    prop_oneof![
        (0usize..7, 1usize..5, 1usize..4, 1usize..3, 1usize..3, (-1i64..4, -1i64..4)),
        // No window, a cumulative one, one from the other side.
        (1usize..40).prop_map(|n| (n, 1, 1, 1, 1, (0, 0))),
        (1usize..40).prop_map(|n| (n, n, 1, 1, 1, (n as i64 - 1, 0))),
        (1usize..40).prop_map(|n| (n, n, 1, 1, 1, (0, n as i64 - 1))),
        (20usize..60, 1usize..4).prop_map(|(n, s)| (n, 3, s, 1, 1, (1, 1))),
    ]
}

fn window(dims: &[Dim], plain: bool) -> Box<WindowDims> {
    let ones = |f: fn(&Dim) -> usize| dims.iter().map(|d| if plain { 1 } else { f(d) }).collect();
    Box::new(WindowDims {
        sizes: dims.iter().map(|d| d.1).collect(),
        strides: dims.iter().map(|d| d.2).collect(),
        base_dilations: ones(|d| d.3),
        window_dilations: ones(|d| d.4),
        padding: dims.iter().map(|d| d.5).collect(),
    })
}

/// An argument of this shape, which lies transposed where `turned`.
fn argument(b: &mut Builder, dtype: DType, shape: &[usize], turned: bool) -> Value {
    if !turned {
        return b.arg(None, TensorType::new(dtype, shape));
    }
    let back: Vec<usize> = shape.iter().rev().copied().collect();
    let x = b.arg(None, TensorType::new(dtype, back));
    b.transpose(x, &(0..shape.len()).rev().collect::<Vec<_>>()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(120) })]

    #[test]
    fn reductions_over_windows(
        dims in prop::collection::vec(dim(), 0..4),
        dtype in any_dtype(),
        monoid in any_monoid(),
        seed in 0u64..1000,
        turned in any::<bool>(),
    ) {
        let shape: Vec<usize> = dims.iter().map(|d| d.0).collect();
        prop_assume!(shape.iter().product::<usize>() < 4000);
        // Sums from the end are added up in another order.
        let sums = matches!(monoid, Monoid::Add | Monoid::Multiply) && !dtype.is_integer();
        prop_assume!(!sums || dims.iter().all(|d| d.1 < d.0.max(2) || d.5.0 != 0));
        let mut b = Builder::new("windows");
        let x = argument(&mut b, dtype, &shape, turned);
        let y = b.push1(Op::ReduceWindow { window: window(&dims, false), monoid }, &[x]);
        prop_assume!(y.is_ok());
        let p = b.finish(&[y.unwrap()]);
        check(&p, seed, &p.to_string());
    }

    #[test]
    fn selections_in_windows(
        dims in prop::collection::vec(dim(), 0..4),
        dtype in any_dtype(),
        monoid in any_monoid(),
        least in any::<bool>(),
        seed in 0u64..1000,
        turned in any::<bool>(),
    ) {
        let shape: Vec<usize> = dims.iter().map(|d| d.0).collect();
        prop_assume!(shape.iter().product::<usize>() < 4000);
        let window = window(&dims, true);
        let ty = TensorType::new(dtype, shape.clone());
        let max = Op::ReduceWindow { window: window.clone(), monoid: Monoid::Maximum };
        let source = infer::infer(&max, &[&ty]);
        prop_assume!(source.is_ok());
        let mut b = Builder::new("selections");
        let x = argument(&mut b, dtype, &shape, turned);
        let s = b.arg(None, source.unwrap().remove(0));
        let y = b.push1(Op::SelectAndScatter { window, least, monoid }, &[x, s]);
        prop_assume!(y.is_ok());
        let p = b.finish(&[y.unwrap()]);
        check(&p, seed, &p.to_string());
    }

    #[test]
    fn orders(
        shape in prop::collection::vec(0usize..7, 1..4),
        long in prop_oneof![3 => 0usize..9, 1 => 600usize..700],
        dtypes in prop::collection::vec(any_dtype(), 1..4),
        dim in 0usize..4,
        descending in any::<bool>(),
        total_order in any::<bool>(),
        seed in 0u64..1000,
        turned in any::<bool>(),
    ) {
        let mut shape = shape;
        let dim = dim % shape.len();
        shape[dim] = long;
        let mut b = Builder::new("orders");
        let keys: Vec<Value> = dtypes.iter().map(|&d| argument(&mut b, d, &shape, turned)).collect();
        let y = b.push1(Op::Argsort { dim, descending, total_order }, &keys);
        prop_assume!(y.is_ok());
        let p = b.finish(&[y.unwrap()]);
        check(&p, seed, &p.to_string());
    }
}

/// What a cumulative sum's gradient is: near the reference, whose order is another.
#[test]
fn sums_from_the_end() {
    let n = 300;
    let dims: [Dim; 2] = [(3, 1, 1, 1, 1, (0, 0)), (n, n, 1, 1, 1, (0, n as i64 - 1))];
    let ty = TensorType::new(DType::F64, [3, n]);
    let mut b = Builder::new("sums");
    let x = b.arg(None, ty.clone());
    let y = b.push1(Op::ReduceWindow { window: window(&dims, false), monoid: Monoid::Add }, &[x]).unwrap();
    let p = b.finish(&[y]);
    let rng = CounterRng::new(5, "sums");
    let values: Vec<f64> = (0..ty.count() as u64).map(|i| rng.uniform(i) - 0.3).collect();
    let args = [Tensor::from_f64s(ty, &values).unwrap()];
    let want = evaluate(&ReferenceDevice, &p, &args).unwrap()[0].to_f64s();
    let got = evaluate(&CpuDevice { threads: 1 }, &p, &args).unwrap()[0].to_f64s();
    for (g, w) in got.iter().zip(&want) {
        assert!((g - w).abs() < 1e-12 * n as f64, "{g} and not {w}");
    }
}

/// Whether the op has a vector kernel on floats of 16 bits and more, which may differ in the last place.
fn is_vectorized(dtype: DType, op: &Op) -> bool {
    use BinaryOp as B;
    use UnaryOp as U;
    dtype.is_float()
        && dtype.size() > 1
        && match op {
            Op::Unary(u) => !matches!(
                u,
                U::Acos
                    | U::Acosh
                    | U::Asin
                    | U::Asinh
                    | U::Atan
                    | U::Atanh
                    | U::Cosh
                    | U::Sinh
                    | U::Digamma
                    | U::ErfInv
                    | U::Lgamma
                    | U::BesselI1e
                    | U::Real
                    | U::Imag
            ),
            Op::Binary(b) => !matches!(b, B::Complex | B::NextAfter | B::Polygamma | B::Zeta),
            _ => false,
        }
}

#[test]
fn functions_of_scalars() {
    for dtype in DType::ALL {
        let mut b = Builder::new("scalars");
        let ty = TensorType::new(dtype, [300]);
        let (x, y) = (b.arg(None, ty.clone()), b.arg(None, ty));
        let unary = UnaryOp::ALL.iter().map(|&u| (Op::Unary(u), vec![x]));
        let binary = BinaryOp::ALL.iter().map(|&o| (Op::Binary(o), vec![x, y]));
        let compare = Comparison::ALL.iter().flat_map(|&direction| {
            [false, true].map(|total_order| (Op::Compare { direction, total_order }, vec![x, y]))
        });
        let precision = [(5, 2), (8, 7), (2, 0), (11, 52)].map(|(exponent_bits, mantissa_bits)| {
            (Op::ReducePrecision { exponent_bits, mantissa_bits }, vec![x])
        });
        let convert = DType::ALL.into_iter().map(|dtype| (Op::Convert { dtype }, vec![x]));
        let ops: Vec<(Op, Vec<Value>)> =
            unary.chain(binary).chain(compare).chain(precision).chain(convert).collect();
        let of_complex =
            |op: &Op| dtype.class() == DTypeClass::Complex && *op == Op::Binary(BinaryOp::Remainder);
        let mut results = Vec::new();
        for (op, ins) in ops.into_iter().filter(|(op, _)| !is_vectorized(dtype, op) && !of_complex(op)) {
            results.extend(b.push1(op, &ins).ok());
        }
        for v in [x, y] {
            results.extend(b.push1(Op::Clamp, &[y, v, x]).ok());
        }
        let p = b.finish(&results);
        for seed in [1, 2] {
            check(&p, seed, &dtype.to_string());
        }
    }
}

#[test]
fn reductions_and_scatters_of_all_types() {
    use Monoid::*;
    let dims = ScatterDims {
        update_window_dims: vec![1],
        inserted_window_dims: vec![0],
        input_batching_dims: vec![],
        scatter_indices_batching_dims: vec![],
        scatter_dims_to_operand_dims: vec![0],
        index_vector_dim: 1,
        indices_are_sorted: false,
        unique_indices: false,
    };
    for dtype in DType::ALL {
        for combiner in [None, Some(Add), Some(Multiply), Some(Maximum), Some(Minimum), Some(And), Some(Or)] {
            let mut b = Builder::new("all");
            let x = b.arg(None, TensorType::new(dtype, [5, 3]));
            let u = b.arg(None, TensorType::new(dtype, [9, 3]));
            let at = Literal::from_f64s(
                TensorType::new(DType::I32, [9, 1]),
                &[4.0, -1.0, 0.0, 4.0, 9.0, 2.0, 4.0, 0.0, 3.0],
            );
            let at = b.constant(at.unwrap());
            let mut results = Vec::new();
            let op = Op::Scatter { dims: Box::new(dims.clone()), combiner };
            results.extend(b.push1(op, &[x, at, u]).ok());
            // Vector kernels of f32 and f64 add in another order.
            if let Some(monoid) = combiner.filter(|_| !matches!(dtype, DType::F32 | DType::F64)) {
                let turned = b.transpose(u, &[1, 0]).unwrap();
                for (v, d) in [(u, 0), (u, 1), (turned, 1)] {
                    results.extend(b.push1(Op::Reduce { dims: vec![d], monoid }, &[v]).ok());
                }
            }
            let p = b.finish(&results);
            check(&p, 3, &p.to_string());
        }
    }
}

#[test]
fn bits_read_as_other_types() {
    for from in DType::ALL {
        for to in DType::ALL {
            let mut b = Builder::new("bits");
            let x = argument(&mut b, from, &[3, 8], true);
            let Ok(y) = b.push1(Op::BitcastConvert { dtype: to }, &[x]) else { continue };
            let p = b.finish(&[y]);
            check(&p, 5, &p.to_string());
        }
    }
}

/// A convolution with strides, dilations, groups and a turned kernel.
fn conv(groups: usize) -> ConvDims {
    ConvDims {
        input_batch: 0,
        input_feature: 3,
        input_spatial: vec![1, 2],
        kernel_output_feature: 3,
        kernel_input_feature: 2,
        kernel_spatial: vec![0, 1],
        output_batch: 0,
        output_feature: 3,
        output_spatial: vec![1, 2],
        strides: vec![2, 1],
        padding: vec![(1, 1), (0, 2)],
        lhs_dilation: vec![1, 2],
        rhs_dilation: vec![1, 1],
        reversal: vec![false, true],
        feature_group_count: groups,
        batch_group_count: 1,
    }
}

/// Products of integers and bools are exact; those of other types are near the reference, with any number of threads
/// the same.
#[test]
fn products_of_all_types() {
    let dims = DotDims {
        lhs_batch: vec![1],
        rhs_batch: vec![0],
        lhs_contract: vec![0, 3],
        rhs_contract: vec![3, 1],
    };
    for dtype in DType::ALL {
        let mut b = Builder::new("products");
        let x = argument(&mut b, dtype, &[3, 2, 5, 4], false);
        let y = argument(&mut b, dtype, &[2, 4, 6, 3], true);
        let dot = b.dot(x, y, dims.clone()).unwrap();
        let turned = b.transpose(dot, &[2, 0, 1]).unwrap();
        let image = b.arg(None, TensorType::new(dtype, [2, 5, 4, 4]));
        let kernel = b.arg(None, TensorType::new(dtype, [3, 2, 2, 6]));
        let conv = b.push1(Op::Convolution(Box::new(conv(2))), &[image, kernel]).unwrap();
        let p = b.finish(&[turned, conv]);
        if !(dtype.is_float() || dtype.class() == DTypeClass::Complex) {
            check(&p, 7, &p.to_string());
            continue;
        }
        let part = dtype.part();
        let small = |ty: &TensorType, seed: u64| {
            let rng = CounterRng::new(seed, "small");
            let n = ty.bytes() / part.size();
            // One type has positive numbers only.
            let low = if dtype == DType::F8E8M0FNU { 0.1 } else { -1.0 };
            let values: Vec<f64> = (0..n as u64).map(|i| low + rng.uniform(i) * (1.0 - low)).collect();
            let parts = Tensor::from_f64s(TensorType::new(part, [n]), &values).unwrap();
            Tensor::from_bytes(ty.clone(), parts.bytes()).unwrap()
        };
        let args: Vec<Tensor> = (0..).zip(p.args()).map(|(i, &v)| small(p.ty(v), i)).collect();
        let want = evaluate(&ReferenceDevice, &p, &args).unwrap();
        let got = evaluate(&CpuDevice { threads: 1 }, &p, &args).unwrap();
        assert_eq!(got, evaluate(&CpuDevice { threads: 3 }, &p, &args).unwrap());
        let tolerance = if part == DType::F64 { 1e-13 } else { 1e-5 };
        for (g, w) in got.iter().zip(&want) {
            for (g, w) in g.bytes().chunks(part.size()).zip(w.bytes().chunks(part.size())) {
                let (g, w) = (decode_f64(part, g), decode_f64(part, w));
                // A rounding to a narrow type may fall to the other side.
                let step = if part.size() < 4 { w.abs() * 0.51 + 0.1 } else { 0.0 };
                assert!(
                    (g - w).abs() <= tolerance * 10.0 + step || (g.is_nan() && w.is_nan()),
                    "{dtype}: {g} and not {w}"
                );
            }
        }
    }
}

/// Large enough to be cut over threads.
#[test]
fn threads_change_no_bits_of_large_complex_products() {
    for dtype in [DType::C64, DType::C128] {
        let mut b = Builder::new("large");
        let x = b.arg(None, TensorType::new(dtype, [230, 140]));
        let y = b.arg(None, TensorType::new(dtype, [140, 330]));
        let dims = DotDims { lhs_contract: vec![1], rhs_contract: vec![0], ..DotDims::default() };
        let z = b.dot(x, y, dims).unwrap();
        let p = b.finish(&[z]);
        let args: Vec<Tensor> = p.args().iter().map(|&v| tensor(p.ty(v), 1)).collect();
        let run = |threads| evaluate(&CpuDevice { threads }, &p, &args).unwrap();
        let one = run(1);
        assert_same(&run(2)[0], &one[0], "two threads");
        assert_same(&run(3)[0], &one[0], "three threads");
    }
}
