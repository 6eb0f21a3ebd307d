//! Small cases whose derivative is easy to get wrong, each with its right value (JAX's where it has one that agrees with
//! central differences, else what StableHLO's semantics imply).

use crate::common::*;
use crate::jax::exported;
use pullback_autodiff::{linearize, value_and_grad, vjp};
use pullback_eval::Tensor;
use pullback_ir::{
    BinaryOp, Builder, Comparison, DType, GatherDims, Monoid, Op, Program, TensorType, TypeError, UnaryOp,
    Value,
};

fn scalar(v: f64) -> Tensor {
    tensor(&[], &[v])
}

fn vector(v: &[f64]) -> Tensor {
    tensor(&[v.len()], v)
}

fn z(re: f64, im: f64) -> Tensor {
    from_parts(&TensorType::scalar(DType::C128), &[re, im])
}

/// The gradient of a function of one scalar at `x`.
fn slope(x: f64, f: impl FnOnce(&mut Builder, Value) -> Result<Value, TypeError>) -> f64 {
    let p = program(&[f64s(&[])], |b, v| Ok(vec![f(b, v[0])?]));
    eval(&value_and_grad(&p, &[0]).unwrap(), &[scalar(x)])[1].get_f64(0)
}

fn all_close(got: &[f64], want: &[f64]) {
    assert_eq!(got.len(), want.len(), "{got:?} {want:?}");
    assert!(got.iter().zip(want).all(|(a, b)| close(*a, *b, 1e-12)), "{got:?} {want:?}");
}

/// Gradients of an exported scalar function.
fn gradient(name: &str, args: &[Tensor]) -> Vec<f64> {
    let p = exported(name);
    parts(&eval(&value_and_grad(&p, &[0]).unwrap(), args)[p.results().len()])
}

fn number(b: &mut Builder, v: f64) -> Value {
    b.splat(&f64s(&[]), v)
}

#[test]
fn a13_ties_of_two() {
    let p = program(&[f64s(&[]), f64s(&[])], |b, v| Ok(vec![b.binary(BinaryOp::Maximum, v[0], v[1])?]));
    assert_eq!(cotangents(&p, &[scalar(2.0), scalar(2.0)], &[0, 1], &[scalar(1.0)]), [[0.5], [0.5]]);
    // jax.nn.relu is a select on x > 0; as a maximum it is shared.
    let relu = |b: &mut Builder, x: Value| {
        let zero = number(b, 0.0);
        let positive = b.compare(Comparison::Gt, x, zero)?;
        b.select(positive, x, zero)
    };
    assert_eq!(slope(0.0, relu), 0.0);
    let maximum = |b: &mut Builder, x: Value| {
        let zero = number(b, 0.0);
        b.binary(BinaryOp::Maximum, x, zero)
    };
    assert_eq!(slope(0.0, maximum), 0.5);
    assert_eq!(slope(0.0, |b, x| b.unary(UnaryOp::Abs, x)), 1.0);
}

#[test]
fn a17_powers() {
    let by_x = |x: f64, y: f64| {
        slope(x, |b, v| {
            let y = number(b, y);
            b.binary(BinaryOp::Power, v, y)
        })
    };
    let by_y = |x: f64, y: f64| {
        slope(y, |b, v| {
            let x = number(b, x);
            b.binary(BinaryOp::Power, x, v)
        })
    };
    assert_eq!(by_x(0.0, 0.0), 0.0);
    assert_eq!(by_y(0.0, 2.0), 0.0);
    assert!(by_y(-2.0, 3.0).is_nan());
    assert_eq!(by_x(-2.0, 3.0), 12.0);
}

#[test]
fn a19_cumulative() {
    let grad = |name: &str, x: &[f64], ct: &[f64]| {
        cotangents(&exported(name), &[vector(x)], &[0], &[vector(ct)]).remove(0)
    };
    assert_eq!(grad("cumprod", &[2.0, 0.0, 5.0], &[1.0, 10.0, 100.0]), [1.0, 1020.0, 0.0]);
    let ones = [1.0, 10.0, 100.0, 1000.0];
    assert_eq!(grad("cumsum", &[1.0, 2.0, 3.0, 4.0], &ones), [1111.0, 1110.0, 1100.0, 1000.0]);
    // Second order, still at a zero.
    check2("cumprod", &exported("cumprod"), &[vector(&[2.0, 0.0, 5.0])], &[0]);
    check2("cumprod", &exported("cumprod"), &[vector(&[0.0, 0.0, 5.0])], &[0]);
}

#[test]
fn a27_complex_gradients() {
    let ty = TensorType::scalar(DType::C128);
    let grad = |at: Tensor, f: &dyn Fn(&mut Builder, Value) -> Result<Value, TypeError>| {
        let p = program(std::slice::from_ref(&ty), |b, v| Ok(vec![f(b, v[0])?]));
        parts(&eval(&value_and_grad(&p, &[0]).unwrap(), &[at])[1])
    };
    let part = |u: UnaryOp| {
        move |b: &mut Builder, v: Value| {
            let square = b.mul(v, v)?;
            b.unary(u, square)
        }
    };
    let norm = |b: &mut Builder, v: Value| {
        let (re, im) = (b.unary(UnaryOp::Real, v)?, b.unary(UnaryOp::Imag, v)?);
        let im = b.unary(UnaryOp::Negate, im)?;
        let conj = b.binary(BinaryOp::Complex, re, im)?;
        let product = b.mul(v, conj)?;
        b.unary(UnaryOp::Real, product)
    };
    assert_eq!(grad(z(1.0, 2.0), &norm), [2.0, -4.0]);
    assert_eq!(grad(z(1.0, 2.0), &part(UnaryOp::Real)), [2.0, 4.0]);
    assert_eq!(grad(z(1.0, 2.0), &part(UnaryOp::Imag)), [4.0, -2.0]);
    let abs = |b: &mut Builder, v: Value| b.unary(UnaryOp::Abs, v);
    all_close(&grad(z(3.0, 4.0), &abs), &[0.6, -0.8]);
    assert_eq!(grad(z(0.0, 0.0), &abs), [0.0, 0.0]);
}

#[test]
fn a28_complex_linear_maps() {
    let ty = TensorType::scalar(DType::C128);
    let p = program(&[ty.clone(), ty.clone()], |b, v| Ok(vec![b.mul(v[0], v[1])?]));
    let all = eval(&vjp(&p, &[1]).unwrap(), &[z(2.0, 3.0), z(1.0, 2.0), z(1.0, 0.0)]);
    assert_eq!(parts(&all[1]), [2.0, 3.0]);
    let p = program(std::slice::from_ref(&ty), |b, v| {
        let (re, im) = (b.unary(UnaryOp::Real, v[0])?, b.unary(UnaryOp::Imag, v[0])?);
        let im = b.unary(UnaryOp::Negate, im)?;
        Ok(vec![b.binary(BinaryOp::Complex, re, im)?])
    });
    let all = eval(&vjp(&p, &[0]).unwrap(), &[z(0.0, 0.0), z(1.0, 2.0)]);
    assert_eq!(parts(&all[1]), [1.0, -2.0]);
}

#[test]
fn a29_energy_of_transforms() {
    let x = [vector(&[1.0, 2.0, 3.0, 4.0])];
    all_close(&gradient("fft_energy", &x), &[8.0, 16.0, 24.0, 32.0]);
    all_close(&gradient("rfft_energy", &x), &[12.0, 20.0, 20.0, 28.0]);
}

#[test]
fn a31_whole_numbers_have_no_cotangents() {
    let p = program(&[f64s(&[3]), TensorType::new(DType::I32, [2])], |b, v| {
        let dims = GatherDims {
            offset_dims: vec![],
            collapsed_slice_dims: vec![0],
            operand_batching_dims: vec![],
            start_indices_batching_dims: vec![],
            start_index_map: vec![0],
            index_vector_dim: 1,
            slice_sizes: vec![1],
            indices_are_sorted: false,
        };
        Ok(vec![b.push1(Op::Gather(Box::new(dims)), v)?])
    });
    let e = linearize(&p, &[1]).unwrap_err().to_string();
    assert!(e.contains("only floating-point arguments have a gradient"), "{e}");
    let d = slope(2.7, |b, x| {
        let floor = b.unary(UnaryOp::Floor, x)?;
        let int = b.convert(x, DType::I32)?;
        let int = b.convert(int, DType::F64)?;
        let (left, right) = (b.mul(x, floor)?, b.mul(x, int)?);
        b.add(left, right)
    });
    assert_eq!(d, 4.0);
}

#[test]
fn a32_sorting() {
    let p = exported("sort_by_key");
    let args = [vector(&[3.0, 1.0, 2.0]), vector(&[7.0, 8.0, 9.0])];
    let none = vector(&[0.0; 3]);
    let d = cotangents(&p, &args, &[0, 1], &[none, vector(&[1.0, 10.0, 100.0])]);
    assert_eq!(d, [[0.0, 0.0, 0.0], [100.0, 1.0, 10.0]]);
    let d = cotangents(&exported("top2"), &[vector(&[2.0, 1.0, 2.0, 2.0])], &[0], &[vector(&[1.0, 10.0])]);
    assert_eq!(d, [[1.0, 0.0, 10.0, 0.0]]);
}

#[test]
fn a35_stable_and_naive_forms() {
    assert_eq!(gradient("logsumexp", &[vector(&[1.0, 1.0])]), [0.5, 0.5]);
    let naive = |b: &mut Builder, x: Value| {
        let e = b.unary(UnaryOp::Exponential, x)?;
        let one = number(b, 1.0);
        let sum = b.add(one, e)?;
        b.unary(UnaryOp::Log, sum)
    };
    assert!(slope(1000.0, naive).is_nan());
    let stable = |b: &mut Builder, x: Value| {
        let zero = number(b, 0.0);
        let top = b.binary(BinaryOp::Maximum, x, zero)?;
        let size = b.unary(UnaryOp::Abs, x)?;
        let size = b.unary(UnaryOp::Negate, size)?;
        let e = b.unary(UnaryOp::Exponential, size)?;
        let rest = b.unary(UnaryOp::LogPlusOne, e)?;
        b.add(top, rest)
    };
    assert_eq!(slope(1000.0, stable), 1.0);
}

#[test]
fn a37_inverse_and_logdet() {
    let a = [tensor(&[2, 2], &[2.0, 1.0, 1.0, 3.0])];
    all_close(&gradient("inverse", &a), &[-0.16, -0.08, -0.08, -0.04]);
    all_close(&gradient("logdet", &a), &[0.6, -0.2, -0.2, 0.4]);
}

/// The greatest of a window: the first of equals gets all, as JAX's select_and_scatter gives it.
#[test]
fn windows_give_ties_to_the_first() {
    let p = exported("maxpool");
    let shape = p.ty(p.results()[0]).shape().to_vec();
    let count = shape.iter().product::<usize>();
    let d = cotangents(&p, &[tensor(&[2, 5, 4], &[1.0; 40])], &[0], &[tensor(&shape, &vec![1.0; count])]);
    // Windows of two rows and two columns, every second row; the last ones lie partly outside.
    assert_eq!(d[0][..8], [1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(d[0].iter().sum::<f64>(), count as f64);
}

/// As JAX exports cummax: a window over all that came before.
#[test]
fn cumulative_maxima_give_ties_to_the_first() {
    let cumulative = |padding: &str| {
        pullback_ir::text::parse(&format!(
            "program @cummax(%0: f64[6]) {{
               %1: f64[6] = reduce_window %0 {{window_dimensions = [6], window_strides = [1], base_dilations = [1], window_dilations = [1], {padding}, monoid = maximum}}
               return %1
             }}"
        ))
        .unwrap()
    };
    let weights = vector(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let x = vector(&[1.0, 3.0, 3.0, 2.0, 3.0, 0.0]);
    let grad =
        |p: &Program| cotangents(p, std::slice::from_ref(&x), &[0], std::slice::from_ref(&weights)).remove(0);
    assert_eq!(grad(&cumulative("padding = [[5, 0]]")), [1.0, 20.0, 0.0, 0.0, 0.0, 0.0]);
    // From the end: the first of the window is the nearest.
    assert_eq!(grad(&cumulative("padding = [[0, 5]]")), [0.0, 3.0, 3.0, 0.0, 9.0, 6.0]);
}

/// Updates that meet multiply: zeros do not disturb, at any order.
#[test]
fn scattered_products_with_zeros() {
    let p = exported("scatter_mul");
    let args = [vector(&[2.0, 3.0, 5.0]), vector(&[7.0, 0.0, 11.0])];
    let d = cotangents(&p, &args, &[0, 1], &[vector(&[1.0, 10.0, 100.0])]);
    assert_eq!(d, [[7.0, 10.0, 0.0], [2.0, 5500.0, 0.0]]);
    check2("scatter multiply", &p, &args, &[0, 1]);
    let args = [vector(&[2.0, 3.0, 0.0]), vector(&[7.0, 0.0, 0.0])];
    check2("scatter multiply", &p, &args, &[0, 1]);
}

fn reduced(monoid: Monoid) -> Program {
    program(&[f64s(&[4])], |b, v| Ok(vec![b.reduce(v[0], &[0], monoid)?]))
}

#[test]
fn a12_ties_of_many() {
    let d = cotangents(&reduced(Monoid::Maximum), &[vector(&[1.0, 3.0, 3.0, 2.0])], &[0], &[scalar(1.0)]);
    assert_eq!(d, [[0.0, 0.5, 0.5, 0.0]]);
}
