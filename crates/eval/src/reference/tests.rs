//! Small exact cases per op; values by hand arithmetic or from the StableHLO specification's examples.

use super::{eval, eval_op};
use crate::buffer::Tensor;
use crate::error::EvalError;
use pullback_ir::literal::{decode_f64, encode_f64};
use pullback_ir::*;

fn f(dtype: DType, shape: &[usize], values: &[f64]) -> Tensor {
    Tensor::from_f64s(TensorType::new(dtype, shape), values).unwrap()
}

fn ints(dtype: DType, values: &[i64]) -> Tensor {
    Tensor::from_i64s(TensorType::new(dtype, [values.len()]), values).unwrap()
}

fn run(op: Op, xs: &[&Tensor]) -> Tensor {
    eval_op(&op, xs).unwrap().remove(0)
}

fn unary(op: UnaryOp, x: &Tensor) -> Vec<f64> {
    run(Op::Unary(op), &[x]).to_f64s()
}

fn binary_i(op: BinaryOp, d: DType, a: &[i64], b: &[i64]) -> Vec<i64> {
    run(Op::Binary(op), &[&ints(d, a), &ints(d, b)]).to_i64s()
}

fn binary_f(op: BinaryOp, d: DType, a: f64, b: f64) -> f64 {
    run(Op::Binary(op), &[&f(d, &[], &[a]), &f(d, &[], &[b])]).get_f64(0)
}

#[test]
fn integer_division_and_remainder() {
    let (a, b) = ([7, -7, 7, i32::MIN.into(), 5, -5], [3, 3, -3, -1, 0, 0]);
    let min = i64::from(i32::MIN);
    assert_eq!(binary_i(BinaryOp::Divide, DType::I32, &a, &b), [2, -2, -2, min, -1, -1]);
    assert_eq!(binary_i(BinaryOp::Remainder, DType::I32, &a, &b), [1, -1, 1, 0, 5, -5]);
    assert_eq!(binary_i(BinaryOp::Divide, DType::U8, &[9, 9], &[0, 2]), [255, 4]);
}

#[test]
fn integers_wrap() {
    assert_eq!(binary_i(BinaryOp::Add, DType::I8, &[127], &[1]), [-128]);
    assert_eq!(binary_i(BinaryOp::Multiply, DType::I4, &[7], &[3]), [5]);
    assert_eq!(binary_i(BinaryOp::Subtract, DType::U4, &[0], &[1]), [15]);
    // (2^64 - 1)^2 = 1 modulo 2^64
    let x = ints(DType::U64, &[0]);
    let all = run(Op::Unary(UnaryOp::Not), &[&x]);
    assert_eq!(run(Op::Binary(BinaryOp::Multiply), &[&all, &all]).to_i64s(), [1]);
    assert_eq!(run(Op::Unary(UnaryOp::Square), &[&all]).to_i64s(), [1]);
    assert_eq!(run(Op::Binary(BinaryOp::Maximum), &[&all, &x]), all);
    assert_eq!(unary(UnaryOp::Abs, &ints(DType::I8, &[-128, -3])), [-128.0, 3.0]);
}

#[test]
fn shifts_beyond_the_width() {
    let (a, b) = ([-1, -8, 3, 3], [9, 1, 8, -1]);
    assert_eq!(binary_i(BinaryOp::ShiftLeft, DType::I8, &a, &b), [0, -16, 0, 0]);
    assert_eq!(binary_i(BinaryOp::ShiftRightArithmetic, DType::I8, &a, &b), [-1, -4, 0, 0]);
    assert_eq!(binary_i(BinaryOp::ShiftRightLogical, DType::I8, &a, &b), [0, 124, 0, 0]);
    assert_eq!(binary_i(BinaryOp::ShiftRightArithmetic, DType::U8, &[0x80], &[1]), [0xC0]);
}

#[test]
fn integer_power_and_bit_counts() {
    assert_eq!(
        binary_i(BinaryOp::Power, DType::I32, &[2, -2, -1, 3, 0], &[10, 3, -3, -1, 0]),
        [1024, -8, -1, 0, 1]
    );
    assert_eq!(unary(UnaryOp::CountLeadingZeros, &ints(DType::I4, &[1, -1, 0])), [3.0, 0.0, 4.0]);
    assert_eq!(unary(UnaryOp::Popcnt, &ints(DType::I16, &[-1, 5])), [16.0, 2.0].map(|v: f64| v));
}

#[test]
fn maximum_propagates_nan_and_orders_zeros() {
    for d in [DType::F16, DType::F32, DType::F64] {
        for (a, b) in [(f64::NAN, 1.0), (1.0, f64::NAN)] {
            assert!(binary_f(BinaryOp::Maximum, d, a, b).is_nan());
            assert!(binary_f(BinaryOp::Minimum, d, a, b).is_nan());
        }
        assert!(binary_f(BinaryOp::Maximum, d, -0.0, 0.0).is_sign_positive());
        assert!(binary_f(BinaryOp::Minimum, d, 0.0, -0.0).is_sign_negative());
    }
}

#[test]
fn floats_round_to_their_type() {
    // 256 + 1 is halfway between neighbours of bf16.
    assert_eq!(binary_f(BinaryOp::Add, DType::BF16, 256.0, 1.0), 256.0);
    assert_eq!(binary_f(BinaryOp::Multiply, DType::F32, 0.1, 3.0), f64::from(0.1f32 * 3.0f32));
    assert_eq!(binary_f(BinaryOp::Divide, DType::F32, 1.0, 3.0), f64::from(1f32 / 3f32));
    assert_eq!(binary_f(BinaryOp::Remainder, DType::F64, -7.5, 2.0), -1.5);
    assert_eq!(binary_f(BinaryOp::Power, DType::F64, -2.0, 3.0), -8.0);
    assert_eq!(binary_f(BinaryOp::Atan2, DType::F64, 1.0, -0.0), std::f64::consts::FRAC_PI_2);
}

#[test]
fn rounding_and_sign() {
    let x = f(DType::F32, &[6], &[0.5, 1.5, 2.5, -0.5, -1.5, -0.0]);
    assert_eq!(unary(UnaryOp::RoundNearestEven, &x), [0.0, 2.0, 2.0, -0.0, -2.0, -0.0]);
    assert_eq!(unary(UnaryOp::RoundNearestAfz, &x), [1.0, 2.0, 3.0, -1.0, -2.0, -0.0]);
    let s = unary(UnaryOp::Sign, &f(DType::F64, &[4], &[-0.0, f64::NAN, -3.0, f64::INFINITY]));
    assert!(s[0] == 0.0 && s[0].is_sign_negative() && s[1].is_nan() && s[2..] == [-1.0, 1.0]);
    let x = f(DType::F64, &[3], &[f64::NAN, f64::INFINITY, 2.0]);
    assert_eq!(unary(UnaryOp::IsFinite, &x), [0.0, 0.0, 1.0]);
}

#[test]
fn functions_at_known_points() {
    let one = f(DType::F64, &[1], &[1.0]);
    let want = [
        (UnaryOp::Exponential, std::f64::consts::E),
        (UnaryOp::Erf, 0.842_700_792_949_714_9),
        (UnaryOp::Erfc, 0.157_299_207_050_285_13),
        (UnaryOp::Tanh, 0.761_594_155_955_764_9),
        (UnaryOp::LogPlusOne, std::f64::consts::LN_2),
        (UnaryOp::Logistic, 0.731_058_578_630_004_9),
        (UnaryOp::Cbrt, 1.0),
        (UnaryOp::Sine, 0.841_470_984_807_896_5),
    ];
    for (op, v) in want {
        assert!((unary(op, &one)[0] - v).abs() < 1e-15, "{op}");
    }
    let tails = f(DType::F32, &[2], &[-1000.0, 1000.0]);
    assert_eq!(unary(UnaryOp::Logistic, &tails), [0.0, 1.0]);
    assert_eq!(unary(UnaryOp::Rsqrt, &f(DType::F32, &[3], &[4.0, 0.0, -0.0]))[..2], [0.5, f64::INFINITY]);
    // No real number below 1 has an inverse hyperbolic cosine, however far below.
    let below = f(DType::F64, &[5], &[0.5, -1.0, -2.5, -1e8, f64::NEG_INFINITY]);
    assert!(unary(UnaryOp::Acosh, &below).into_iter().all(f64::is_nan));
}

#[test]
fn comparisons() {
    let cmp = |direction, total_order, a: f64, b: f64| {
        let (a, b) = (f(DType::F32, &[], &[a]), f(DType::F32, &[], &[b]));
        run(Op::Compare { direction, total_order }, &[&a, &b]).get_i64(0) == 1
    };
    use Comparison::*;
    assert!(cmp(Eq, false, 0.0, -0.0) && !cmp(Eq, true, 0.0, -0.0) && cmp(Lt, true, -0.0, 0.0));
    assert!(cmp(Ne, false, f64::NAN, f64::NAN) && cmp(Eq, true, f64::NAN, f64::NAN));
    assert!(!cmp(Ge, false, f64::NAN, 1.0) && cmp(Gt, true, f64::NAN, f64::INFINITY));
}

#[test]
fn conversions() {
    let to = |x: &Tensor, dtype| run(Op::Convert { dtype }, &[x]);
    let x = f(DType::F32, &[5], &[2.9, -2.9, 300.0, -300.0, f64::NAN]);
    assert_eq!(to(&x, DType::I8).to_i64s(), [2, -2, 127, -128, 0]);
    assert_eq!(to(&x, DType::U8).to_i64s(), [2, 0, 255, 0, 0]);
    assert_eq!(to(&x, DType::Bool).to_i64s(), [1; 5]);
    assert_eq!(to(&f(DType::F32, &[2], &[-0.0, 0.5]), DType::Bool).to_i64s(), [0, 1]);
    assert_eq!(to(&ints(DType::I32, &[-1, 300]), DType::U8).to_i64s(), [255, 44]);
    assert_eq!(to(&ints(DType::U64, &[-1]), DType::F64).get_f64(0), 0.0, "u64 literals saturate");
    // 2^53 + 1 + 2^30 lies just above a tie of f32; rounding through f64 would meet the tie.
    let v = (1i64 << 54) + (1 << 30) + 1;
    assert_eq!(to(&ints(DType::I64, &[v]), DType::F32).get_f64(0), f64::from(v as f32));
    assert_eq!(to(&f(DType::F64, &[1], &[1.0 + 1e-9]), DType::F32).get_f64(0), 1.0);
    let z = to(&f(DType::F32, &[1], &[2.5]), DType::C128);
    assert_eq!(z.bytes(), [encode_f64(DType::F64, 2.5), encode_f64(DType::F64, 0.0)].concat());
}

#[test]
fn clamp_and_select_with_scalars() {
    let x = f(DType::F32, &[3], &[-1.0, 0.5, 2.0]);
    let (lo, hi) = (f(DType::F32, &[], &[0.0]), f(DType::F32, &[], &[1.0]));
    let c = run(Op::Clamp, &[&lo, &x, &hi]);
    assert_eq!(c.to_f64s(), [0.0, 0.5, 1.0]);
    let p = f(DType::Bool, &[3], &[1.0, 0.0, 1.0]);
    assert_eq!(run(Op::Select, &[&p, &x, &c]).to_f64s(), [-1.0, 0.5, 2.0]);
    assert_eq!(run(Op::Select, &[&f(DType::Bool, &[], &[0.0]), &x, &c]), c);
}

/// What JAX computes at the ends: the limits of the sum are not asked for.
#[test]
fn zeta_at_infinity() {
    let at = |x: f64, q: f64| binary_f(BinaryOp::Zeta, DType::F64, x, q);
    let inf = f64::INFINITY;
    assert!(
        [(2.0, inf), (50.0, inf), (inf, 2.0), (inf, 0.5), (3.0, -inf), (1.5, -inf)]
            .into_iter()
            .all(|(x, q)| at(x, q).is_nan())
    );
    assert_eq!([at(1.0, inf), at(1.0, -inf), at(2.0, -inf)], [inf; 3]);
    assert_eq!(at(2.0, 1e300), 0.0);
}

#[test]
fn complex_arithmetic() {
    let z = |re: f64, im: f64| {
        let bytes = [encode_f64(DType::F64, re), encode_f64(DType::F64, im)].concat();
        Tensor::from_bytes(TensorType::scalar(DType::C128), &bytes).unwrap()
    };
    let parts =
        |t: &Tensor| (decode_f64(DType::F64, &t.bytes()[..8]), decode_f64(DType::F64, &t.bytes()[8..]));
    let close = |t: Tensor, want: (f64, f64)| {
        let got = parts(&t);
        assert!((got.0 - want.0).abs() + (got.1 - want.1).abs() < 1e-14, "{got:?} {want:?}");
    };
    let (a, b) = (z(1.0, 2.0), z(3.0, -1.0));
    close(run(Op::Binary(BinaryOp::Multiply), &[&a, &b]), (5.0, 5.0));
    close(run(Op::Binary(BinaryOp::Divide), &[&a, &b]), (0.1, 0.7));
    close(run(Op::Unary(UnaryOp::Sqrt), &[&z(-3.0, 4.0)]), (1.0, 2.0));
    close(run(Op::Unary(UnaryOp::Log), &[&z(0.0, 1.0)]), (0.0, std::f64::consts::FRAC_PI_2));
    close(run(Op::Binary(BinaryOp::Power), &[&a, &z(2.0, 0.0)]), (-3.0, 4.0));
    // tanh = (e^2z - 1) / (e^2z + 1)
    let e = run(Op::Unary(UnaryOp::Exponential), &[&run(Op::Binary(BinaryOp::Add), &[&b, &b])]);
    let one = z(1.0, 0.0);
    let (top, bottom) =
        (run(Op::Binary(BinaryOp::Subtract), &[&e, &one]), run(Op::Binary(BinaryOp::Add), &[&e, &one]));
    close(run(Op::Unary(UnaryOp::Tanh), &[&b]), parts(&run(Op::Binary(BinaryOp::Divide), &[&top, &bottom])));
    // The larger and the smaller are found by the real part first, and a NaN is passed on.
    close(run(Op::Binary(BinaryOp::Maximum), &[&a, &b]), (3.0, -1.0));
    close(run(Op::Binary(BinaryOp::Maximum), &[&a, &z(1.0, 3.0)]), (1.0, 3.0));
    close(run(Op::Binary(BinaryOp::Minimum), &[&a, &b]), (1.0, 2.0));
    for op in [BinaryOp::Maximum, BinaryOp::Minimum] {
        assert!(parts(&run(Op::Binary(op), &[&z(f64::NAN, 0.0), &a])).0.is_nan());
        assert!(parts(&run(Op::Binary(op), &[&a, &z(0.0, f64::NAN)])).1.is_nan());
    }
    // Of a complex number only the real part is converted.
    let to_bool = |t: &Tensor| run(Op::Convert { dtype: DType::Bool }, &[t]).get_i64(0);
    assert_eq!([to_bool(&z(0.0, 1.0)), to_bool(&z(-0.5, 0.0))], [0, 1]);
}

#[test]
fn moving_elements() {
    let x = f(DType::F32, &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let t = run(Op::Transpose { permutation: vec![1, 0] }, &[&x]);
    assert_eq!(t.to_f64s(), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    let s = Op::Slice { starts: vec![0, 0], limits: vec![2, 3], strides: vec![1, 2] };
    assert_eq!(run(s, &[&x]).to_f64s(), [1.0, 3.0, 4.0, 6.0]);
    let r = run(Op::Reverse { dims: vec![1] }, &[&x]);
    assert_eq!(r.to_f64s(), [3.0, 2.0, 1.0, 6.0, 5.0, 4.0]);
    let b = Op::BroadcastInDim { shape: vec![2, 2], dims: vec![1] };
    assert_eq!(run(b, &[&f(DType::F32, &[2], &[7.0, 8.0])]).to_f64s(), [7.0, 8.0, 7.0, 8.0]);
    let c = run(Op::Concatenate { dim: 1 }, &[&x, &f(DType::F32, &[2, 1], &[8.0, 9.0])]);
    assert_eq!(c.to_f64s(), [1.0, 2.0, 3.0, 8.0, 4.0, 5.0, 6.0, 9.0]);
    let i = run(Op::Iota { ty: TensorType::new(DType::I32, [2, 2]), dim: 0 }, &[]);
    assert_eq!(i.to_i64s(), [0, 0, 1, 1]);
}

#[test]
fn pad_inside_outside_and_negative() {
    let x = f(DType::F32, &[3], &[1.0, 2.0, 3.0]);
    let v = f(DType::F32, &[], &[9.0]);
    let p = |low, high, interior| {
        run(Op::Pad { low: vec![low], high: vec![high], interior: vec![interior] }, &[&x, &v]).to_f64s()
    };
    assert_eq!(p(1, 0, 1), [9.0, 1.0, 9.0, 2.0, 9.0, 3.0]);
    assert_eq!(p(-1, 2, 0), [2.0, 3.0, 9.0, 9.0]);
    assert_eq!(p(0, -2, 1), [1.0, 9.0, 2.0]);
}

#[test]
fn dynamic_slices_clamp() {
    let x = f(DType::F32, &[5], &[0.0, 1.0, 2.0, 3.0, 4.0]);
    let at = |v: i64| Tensor::from_i64s(TensorType::scalar(DType::I32), &[v]).unwrap();
    let ds = |v| run(Op::DynamicSlice { sizes: vec![3] }, &[&x, &at(v)]).to_f64s();
    assert_eq!(ds(4), [2.0, 3.0, 4.0]);
    assert_eq!(ds(-9), [0.0, 1.0, 2.0]);
    let u = f(DType::F32, &[3], &[7.0, 8.0, 9.0]);
    assert_eq!(run(Op::DynamicUpdateSlice, &[&x, &u, &at(4)]).to_f64s(), [0.0, 1.0, 7.0, 8.0, 9.0]);
}

#[test]
fn reductions_in_order_and_empty() {
    let r = |x: &Tensor, dims: &[usize], monoid| run(Op::Reduce { dims: dims.to_vec(), monoid }, &[x]);
    // 256 + 1 + 1 + 1 in bf16, each step rounded.
    let x = f(DType::BF16, &[4], &[256.0, 1.0, 1.0, 1.0]);
    assert_eq!(r(&x, &[0], Monoid::Add).get_f64(0), 256.0);
    let x = f(DType::F32, &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(r(&x, &[0], Monoid::Add).to_f64s(), [5.0, 7.0, 9.0]);
    assert_eq!(r(&x, &[1], Monoid::Multiply).to_f64s(), [6.0, 120.0]);
    assert_eq!(r(&x, &[0, 1], Monoid::Maximum).to_f64s(), [6.0]);
    let empty = f(DType::F32, &[2, 0], &[]);
    assert_eq!(r(&empty, &[1], Monoid::Maximum).to_f64s(), [f64::NEG_INFINITY; 2]);
    assert_eq!(r(&empty, &[0], Monoid::Add).count(), 0);
    let b = f(DType::Bool, &[2], &[1.0, 0.0]);
    assert_eq!(r(&b, &[0], Monoid::And).to_i64s(), [0]);
    assert_eq!(r(&b, &[0], Monoid::Or).to_i64s(), [1]);
}

#[test]
fn dot_general_batched_and_permuted() {
    let x = f(DType::F64, &[2, 2, 3], &(1..=12).map(f64::from).collect::<Vec<_>>());
    // result[b, i, j] = sum_k x[b, i, k] x[b, j, k]
    let dims =
        DotDims { lhs_batch: vec![0], rhs_batch: vec![0], lhs_contract: vec![2], rhs_contract: vec![2] };
    let got = run(Op::DotGeneral(dims), &[&x, &x]);
    assert_eq!(got.to_f64s(), [14.0, 32.0, 32.0, 77.0, 194.0, 266.0, 266.0, 365.0]);
    // Contracting everything, in the order listed.
    let dims = DotDims { lhs_contract: vec![0, 1, 2], rhs_contract: vec![0, 1, 2], ..DotDims::default() };
    assert_eq!(run(Op::DotGeneral(dims), &[&x, &x]).to_f64s(), [650.0]);
    // bf16 products accumulate in f32: 256 + 1 + 1 + 1 rounded once.
    let (x, one) = (f(DType::BF16, &[4], &[256.0, 1.0, 1.0, 1.0]), f(DType::BF16, &[4], &[1.0; 4]));
    let dims = DotDims { lhs_contract: vec![0], rhs_contract: vec![0], ..DotDims::default() };
    assert_eq!(run(Op::DotGeneral(dims), &[&x, &one]).get_f64(0), 260.0);
    let i = ints(DType::I8, &[100, 100]);
    let dims = DotDims { lhs_contract: vec![0], rhs_contract: vec![0], ..DotDims::default() };
    assert_eq!(run(Op::DotGeneral(dims), &[&i, &i]).to_i64s(), [i64::from(20000i32 as i8)]);
}

fn conv_1d() -> ConvDims {
    ConvDims {
        input_batch: 0,
        input_feature: 2,
        input_spatial: vec![1],
        kernel_input_feature: 1,
        kernel_output_feature: 2,
        kernel_spatial: vec![0],
        output_batch: 0,
        output_feature: 2,
        output_spatial: vec![1],
        strides: vec![1],
        padding: vec![(0, 0)],
        lhs_dilation: vec![1],
        rhs_dilation: vec![1],
        reversal: vec![false],
        feature_group_count: 1,
        batch_group_count: 1,
    }
}

#[test]
fn convolution_attributes() {
    let x = f(DType::F32, &[1, 4, 1], &[1.0, 2.0, 3.0, 4.0]);
    let k = f(DType::F32, &[2, 1, 1], &[1.0, 10.0]);
    let conv = |c: ConvDims| run(Op::Convolution(Box::new(c)), &[&x, &k]).to_f64s();
    assert_eq!(conv(conv_1d()), [21.0, 32.0, 43.0]);
    assert_eq!(conv(ConvDims { reversal: vec![true], ..conv_1d() }), [12.0, 23.0, 34.0]);
    assert_eq!(conv(ConvDims { strides: vec![2], padding: vec![(1, 0)], ..conv_1d() }), [10.0, 32.0]);
    assert_eq!(conv(ConvDims { padding: vec![(-1, 1)], ..conv_1d() }), [32.0, 43.0, 4.0]);
    assert_eq!(conv(ConvDims { rhs_dilation: vec![2], ..conv_1d() }), [31.0, 42.0]);
    assert_eq!(conv(ConvDims { lhs_dilation: vec![2], ..conv_1d() }), [1.0, 20.0, 2.0, 30.0, 3.0, 40.0]);
}

#[test]
fn convolution_groups() {
    // Two features, each with its own kernel.
    let x = f(DType::F32, &[1, 2, 2], &[1.0, 2.0, 3.0, 4.0]);
    let k = f(DType::F32, &[1, 1, 2], &[10.0, 100.0]);
    let c = ConvDims { feature_group_count: 2, ..conv_1d() };
    assert_eq!(run(Op::Convolution(Box::new(c)), &[&x, &k]).to_f64s(), [10.0, 200.0, 30.0, 400.0]);
    // Two batch entries, each going to its own output feature.
    let x = f(DType::F32, &[2, 1, 1], &[1.0, 2.0]);
    let c = ConvDims { batch_group_count: 2, ..conv_1d() };
    assert_eq!(run(Op::Convolution(Box::new(c)), &[&x, &k]).to_f64s(), [10.0, 200.0]);
}

fn gather_rows(rank: usize, size: usize) -> GatherDims {
    GatherDims {
        offset_dims: (1..rank).collect(),
        collapsed_slice_dims: vec![0],
        operand_batching_dims: vec![],
        start_indices_batching_dims: vec![],
        start_index_map: vec![0],
        index_vector_dim: 1,
        slice_sizes: std::iter::once(1).chain(std::iter::repeat_n(size, rank - 1)).collect(),
        indices_are_sorted: false,
    }
}

#[test]
fn gather_clamps() {
    let x = f(DType::F32, &[3, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let i = ints(DType::I32, &[2, -5, 99, 1]);
    let got = run(Op::Gather(Box::new(gather_rows(2, 2))), &[&x, &i]);
    assert_eq!(got.shape(), [4, 2]);
    assert_eq!(got.to_f64s(), [5.0, 6.0, 1.0, 2.0, 5.0, 6.0, 3.0, 4.0]);
}

/// The StableHLO specification's example of gather with batching dimensions.
#[test]
fn gather_with_batching_dims() {
    let x = f(DType::F32, &[2, 3, 4, 2], &(1..=48).map(f64::from).collect::<Vec<_>>());
    let indices = [
        [[[0, 0], [1, 0], [2, 1]], [[0, 1], [1, 1], [0, 9]]],
        [[[0, 0], [2, 1], [2, 2]], [[1, 2], [0, 1], [1, 0]]],
    ];
    let flat: Vec<i64> = indices.iter().flatten().flatten().flatten().copied().collect();
    let i = Tensor::from_i64s(TensorType::new(DType::I64, [2, 2, 3, 2]), &flat).unwrap();
    let g = GatherDims {
        offset_dims: vec![3, 4],
        collapsed_slice_dims: vec![1],
        operand_batching_dims: vec![0],
        start_indices_batching_dims: vec![1],
        start_index_map: vec![2, 1],
        index_vector_dim: 3,
        slice_sizes: vec![1, 1, 2, 2],
        indices_are_sorted: false,
    };
    let got = run(Op::Gather(Box::new(g)), &[&x, &i]);
    assert_eq!(got.shape(), [2, 2, 3, 2, 2]);
    let want = [
        1, 2, 3, 4, 3, 4, 5, 6, 13, 14, 15, 16, 33, 34, 35, 36, 35, 36, 37, 38, 41, 42, 43, 44, 1, 2, 3, 4,
        13, 14, 15, 16, 21, 22, 23, 24, 43, 44, 45, 46, 33, 34, 35, 36, 27, 28, 29, 30,
    ];
    assert_eq!(got.to_i64s(), want);
}

fn scatter_rows(rank: usize) -> ScatterDims {
    ScatterDims {
        update_window_dims: (1..rank).collect(),
        inserted_window_dims: vec![0],
        input_batching_dims: vec![],
        scatter_indices_batching_dims: vec![],
        scatter_dims_to_operand_dims: vec![0],
        index_vector_dim: 1,
        indices_are_sorted: false,
        unique_indices: false,
    }
}

#[test]
fn scatter_adds_replaces_and_drops() {
    let x = f(DType::F32, &[3], &[1.0, 2.0, 3.0]);
    let u = f(DType::F32, &[4], &[10.0, 20.0, 30.0, 40.0]);
    let i = ints(DType::I32, &[1, 7, 1, -1]);
    let s =
        |combiner| run(Op::Scatter { dims: Box::new(scatter_rows(1)), combiner }, &[&x, &i, &u]).to_f64s();
    assert_eq!(s(Some(Monoid::Add)), [1.0, 42.0, 3.0]);
    assert_eq!(s(None), [1.0, 30.0, 3.0]);
    assert_eq!(s(Some(Monoid::Maximum)), [1.0, 30.0, 3.0]);
}

#[test]
fn scatter_drops_only_the_elements_outside() {
    let x = f(DType::F32, &[3], &[0.0; 3]);
    let u = f(DType::F32, &[1, 2], &[1.0, 2.0]);
    let dims = ScatterDims { inserted_window_dims: vec![], ..scatter_rows(2) };
    let op = Op::Scatter { dims: Box::new(dims), combiner: Some(Monoid::Add) };
    assert_eq!(run(op, &[&x, &ints(DType::I32, &[2]), &u]).to_f64s(), [0.0, 0.0, 1.0]);
}

#[test]
fn whole_programs_and_their_errors() {
    let mut b = Builder::new("main");
    let ty = TensorType::new(DType::F32, [2]);
    let x = b.arg(Some("x"), ty.clone());
    let y = b.mul(x, x).unwrap();
    let s = b.reduce(y, &[0], Monoid::Add).unwrap();
    let p = b.finish(&[s, x, s]);
    let t = f(DType::F32, &[2], &[3.0, 4.0]);
    let got = eval(&p, std::slice::from_ref(&t)).unwrap();
    assert_eq!((got[0].to_f64s(), &got[1], &got[2]), (vec![25.0], &t, &got[0]));
    assert!(matches!(eval(&p, &[]), Err(EvalError::Count { want: 1, got: 0, .. })));
    let wrong = f(DType::F64, &[2], &[3.0, 4.0]);
    let e = eval(&p, &[wrong]).unwrap_err().to_string();
    assert_eq!(e, "argument 0 (x) is f32[2], got a tensor f64[2]");
}

#[test]
fn bits_are_read_as_another_type() {
    let x = f(DType::F32, &[2], &[1.0, -2.0]);
    assert_eq!(run(Op::BitcastConvert { dtype: DType::U32 }, &[&x]).to_i64s(), [0x3f80_0000, 0xc000_0000]);
    let bytes = run(Op::BitcastConvert { dtype: DType::U8 }, &[&x]);
    assert_eq!((bytes.shape(), bytes.to_i64s()), (&[2, 4][..], vec![0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0]));
    assert_eq!(run(Op::BitcastConvert { dtype: DType::F32 }, &[&bytes]), x);
}

#[test]
fn narrow_types_are_parts_of_others() {
    let x = f(DType::I8, &[2], &[-127.0, 0x53 as f64]);
    let halves = run(Op::BitcastConvert { dtype: DType::I4 }, &[&x]);
    assert_eq!((halves.shape(), halves.to_i64s()), (&[2, 2][..], vec![1, -8, 3, 5]));
    let unsigned = run(Op::BitcastConvert { dtype: DType::U4 }, &[&halves]);
    assert_eq!(unsigned.to_i64s(), [1, 8, 3, 5]);
    let bits = run(Op::BitcastConvert { dtype: DType::Bool }, &[&unsigned]);
    assert_eq!(bits.to_i64s(), [1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 1, 0, 1, 0]);
    let back = run(Op::BitcastConvert { dtype: DType::I4 }, &[&bits]);
    assert_eq!(back, halves);
    assert_eq!(run(Op::BitcastConvert { dtype: DType::I8 }, &[&back]), x);
}

#[test]
fn precision_is_reduced() {
    let round = |e: u32, m: u32, x: &[f64]| {
        let op = Op::ReducePrecision { exponent_bits: e, mantissa_bits: m };
        run(op, &[&f(DType::F32, &[x.len()], x)]).to_f64s()
    };
    // Ties to even; f16 overflows beyond 65504, and its subnormals become zeros of the sign.
    assert_eq!(round(8, 1, &[1.25, 1.75, -1.26, 3.9]), [1.0, 2.0, -1.5, 4.0]);
    assert_eq!(
        round(5, 10, &[65504.0, 65520.0, -1e9, 6.2e-5]),
        [65504.0, f64::INFINITY, f64::NEG_INFINITY, f64::from(half::f16::from_f32(6.2e-5))]
    );
    let small = round(5, 10, &[-1e-6, 0.0]);
    assert!(small[0] == 0.0 && small[0].is_sign_negative(), "{small:?}");
    assert!(round(5, 10, &[f64::NAN])[0].is_nan());
    // Without a bit after the point a NaN cannot be told from infinity.
    assert_eq!(round(5, 0, &[f64::NAN, -f64::NAN]), [f64::INFINITY, f64::NEG_INFINITY]);
}

fn window(sizes: &[usize], strides: &[usize], padding: &[(i64, i64)]) -> Box<WindowDims> {
    let ones = vec![1; sizes.len()];
    Box::new(WindowDims {
        sizes: sizes.to_vec(),
        strides: strides.to_vec(),
        base_dilations: ones.clone(),
        window_dilations: ones,
        padding: padding.to_vec(),
    })
}

/// The specification's examples of reduce_window and select_and_scatter.
#[test]
fn windows_slide() {
    let x = f(DType::I64, &[3, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let spec = WindowDims {
        sizes: vec![2, 1],
        strides: vec![4, 1],
        base_dilations: vec![2, 1],
        window_dilations: vec![3, 1],
        padding: vec![(2, 1), (0, 0)],
    };
    let y = run(Op::ReduceWindow { window: Box::new(spec), monoid: Monoid::Add }, &[&x]);
    assert_eq!((y.shape(), y.to_i64s()), (&[2, 2][..], vec![0, 0, 3, 4]));
    let running = window(&[4], &[1], &[(3, 0)]);
    let x = f(DType::F32, &[4], &[1.0, 2.0, 3.0, 4.0]);
    let op = |monoid| Op::ReduceWindow { window: running.clone(), monoid };
    assert_eq!(run(op(Monoid::Add), &[&x]).to_f64s(), [1.0, 3.0, 6.0, 10.0]);
    assert_eq!(run(op(Monoid::Multiply), &[&x]).to_f64s(), [1.0, 2.0, 6.0, 24.0]);
    // Windows in padding only give the identity.
    let beside = Op::ReduceWindow { window: window(&[1], &[1], &[(1, -4)]), monoid: Monoid::Maximum };
    assert_eq!(run(beside, &[&x]).to_f64s(), [f64::NEG_INFINITY]);

    let x = f(DType::I64, &[4, 2], &[1.0, 5.0, 2.0, 5.0, 3.0, 6.0, 4.0, 4.0]);
    let source = f(DType::I64, &[2, 2], &[5.0, 6.0, 7.0, 8.0]);
    let windows = window(&[3, 1], &[2, 1], &[(0, 1), (0, 0)]);
    let op = |least| Op::SelectAndScatter { window: windows.clone(), least, monoid: Monoid::Add };
    assert_eq!(run(op(false), &[&x, &source]).to_i64s(), [0, 0, 0, 0, 5, 14, 7, 0]);
    assert_eq!(run(op(true), &[&x, &source]).to_i64s(), [5, 6, 0, 0, 7, 0, 0, 8]);
}

#[test]
fn keys_are_sorted_stably() {
    let sort = |descending, total_order, x: &[f64]| {
        run(Op::Argsort { dim: 0, descending, total_order }, &[&f(DType::F32, &[x.len()], x)]).to_i64s()
    };
    let x = [f64::NAN, 0.0, -0.0, f64::INFINITY, -1.0, 0.0];
    assert_eq!(sort(false, false, &x), [4, 1, 2, 5, 3, 0]);
    assert_eq!(sort(true, false, &x), [0, 3, 1, 2, 5, 4]);
    assert_eq!(sort(false, true, &x), [4, 2, 1, 5, 3, 0]);
    let (a, b) = (ints(DType::U8, &[1, 0, 1, 0]), f(DType::F64, &[4], &[1.0, 5.0, 0.0, 4.0]));
    let op = Op::Argsort { dim: 0, descending: false, total_order: false };
    assert_eq!(run(op, &[&a, &b]).to_i64s(), [3, 1, 2, 0]);
}

#[test]
fn loops_run_and_branches_are_chosen() {
    let p = text::parse(
        "program @f(%0: i64[], %1: i32[], %2: i64[]) {
  %3: i64[], %4: i32[] = while %0, %1, %2 (program @cond(%0: i64[], %1: i32[], %2: i64[]) {
    %3: i32[] = constant 100000
    %4: bool[] = compare %1, %3 {comparison_direction = LT}
    return %4
  }, program @body(%0: i64[], %1: i32[], %2: i64[]) {
    %3: i64[] = add %0, %2
    %4: i32[] = constant 1
    %5: i32[] = add %1, %4
    return %3, %5
  })
  %5: i64[] = case %1, %3 (program @a(%0: i64[]) {
    return %0
  }, program @b(%0: i64[]) {
    %1: i64[] = negate %0
    return %1
  })
  return %3, %4, %5
}
",
    )
    .unwrap();
    let scalar = |d, v| Tensor::from_i64s(TensorType::scalar(d), &[v]).unwrap();
    for (start, want) in [(0, 300_000i64), (1, -299_997), (7, -299_979), (-1, -300_003)] {
        let args = [scalar(DType::I64, 0), scalar(DType::I32, start), scalar(DType::I64, 3)];
        let got: Vec<i64> = eval(&p, &args).unwrap().iter().map(|t| t.get_i64(0)).collect();
        assert_eq!(got, [want.abs(), 100_000, want], "{start}");
    }
}
