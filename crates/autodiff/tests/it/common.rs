//! The one place that calls the autodiff API for tests of rules.
//!
//! `check` knows nothing about any op: forward mode must agree with central differences along a random direction,
//! and reverse mode with forward mode by <J v, w> = <v, J* w>. All in f64.

use pullback_autodiff::{Options, jvp, linearize_with, transpose, vjp, vjp_with};
use pullback_base::rng::CounterRng;
use pullback_eval::{Tensor, reference};
use pullback_ir::{Builder, DType, DTypeClass, Program, TensorType, TypeError, Value};

pub fn f64s(shape: &[usize]) -> TensorType {
    TensorType::new(DType::F64, shape)
}

/// A program of unnamed arguments.
pub fn program(
    types: &[TensorType],
    body: impl FnOnce(&mut Builder, &[Value]) -> Result<Vec<Value>, TypeError>,
) -> Program {
    let mut b = Builder::new("main");
    let args: Vec<Value> = types.iter().map(|ty| b.arg(None, ty.clone())).collect();
    let results = body(&mut b, &args).expect("the test's program types");
    b.finish(&results)
}

pub fn tensor(shape: &[usize], values: &[f64]) -> Tensor {
    Tensor::from_f64s(f64s(shape), values).unwrap()
}

pub fn ints(shape: &[usize], values: &[i64]) -> Tensor {
    Tensor::from_i64s(TensorType::new(DType::I32, shape), values).unwrap()
}

/// Uniform in [low, high); both parts of complex numbers.
pub fn random(ty: &TensorType, stream: &str, low: f64, high: f64) -> Tensor {
    let rng = CounterRng::new(11, stream);
    let values: Vec<f64> = (0..parts_of(ty) as u64).map(|i| low + (high - low) * rng.uniform(i)).collect();
    from_parts(ty, &values)
}

fn parts_of(ty: &TensorType) -> usize {
    ty.count() * if is_complex(ty) { 2 } else { 1 }
}

pub fn is_complex(ty: &TensorType) -> bool {
    ty.dtype().class() == DTypeClass::Complex
}

/// Of complex numbers the parts come one after the other.
pub fn from_parts(ty: &TensorType, values: &[f64]) -> Tensor {
    if !is_complex(ty) {
        return Tensor::from_f64s(ty.clone(), values).unwrap();
    }
    let parts = TensorType::new(ty.dtype().part(), [values.len()]);
    let parts = Tensor::from_f64s(parts, values).unwrap();
    Tensor::from_bytes(ty.clone(), parts.bytes()).unwrap()
}

/// The elements, of complex ones both parts.
pub fn parts(t: &Tensor) -> Vec<f64> {
    if !is_complex(t.ty()) {
        return t.to_f64s();
    }
    let ty = TensorType::new(t.dtype().part(), [2 * t.count()]);
    Tensor::from_bytes(ty, t.bytes()).unwrap().to_f64s()
}

pub fn eval(p: &Program, args: &[Tensor]) -> Vec<Tensor> {
    p.verify().expect("a derived program is valid");
    reference::eval(p, args).unwrap()
}

/// The real part of the sum of products: complex cotangents are not conjugated.
fn dot(xs: &[Tensor], ys: &[Tensor]) -> f64 {
    let mut sum = 0.0;
    for (x, y) in xs.iter().zip(ys) {
        let imaginary = |i: usize| if is_complex(x.ty()) && i % 2 == 1 { -1.0 } else { 1.0 };
        sum += (parts(x).into_iter().zip(parts(y)).enumerate())
            .map(|(i, (x, y))| imaginary(i) * x * y)
            .sum::<f64>();
    }
    sum
}

fn moved(args: &[Tensor], wrt: &[usize], direction: &[Tensor], h: f64) -> Vec<Tensor> {
    let mut args = args.to_vec();
    for (&i, d) in wrt.iter().zip(direction) {
        let values: Vec<f64> = parts(&args[i]).iter().zip(parts(d)).map(|(x, d)| x + h * d).collect();
        args[i] = from_parts(args[i].ty(), &values);
    }
    args
}

pub fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * a.abs().max(b.abs()).max(1.0)
}

/// Forward and reverse mode of `p` at `args`.
pub fn check(what: &str, p: &Program, args: &[Tensor], wrt: &[usize]) {
    judge(what, p, args, wrt, (&Options::default(), 1e-7));
}

/// As [`check`], with another tolerance of differences.
pub fn check_within(what: &str, p: &Program, args: &[Tensor], wrt: &[usize], tolerance: f64) {
    judge(what, p, args, wrt, (&Options::default(), tolerance));
}

/// As [`check`], with options.
pub fn check_with(what: &str, p: &Program, args: &[Tensor], wrt: &[usize], options: &Options) {
    judge(what, p, args, wrt, (options, 1e-7));
}

fn judge(what: &str, p: &Program, args: &[Tensor], wrt: &[usize], (options, tolerance): (&Options, f64)) {
    let direction: Vec<Tensor> =
        wrt.iter().map(|&i| random(args[i].ty(), &format!("v{i}"), -1.0, 1.0)).collect();
    let forward = eval(&jvp(p, wrt).unwrap(), &[args, &direction].concat());
    let (values, tangents) = forward.split_at(p.results().len());
    for (value, want) in values.iter().zip(eval(p, args)) {
        assert_eq!(value.bytes(), want.bytes(), "{what}: jvp keeps the results");
    }

    let h = 1e-5;
    let (up, down) = (eval(p, &moved(args, wrt, &direction, h)), eval(p, &moved(args, wrt, &direction, -h)));
    let differentiable = (0..up.len()).filter(|&i| up[i].dtype().is_differentiable()).collect::<Vec<_>>();
    assert_eq!(differentiable.len(), tangents.len());
    for (&i, t) in differentiable.iter().zip(tangents) {
        for ((u, d), t) in parts(&up[i]).iter().zip(parts(&down[i])).zip(parts(t)) {
            let slope = (u - d) / (2.0 * h);
            assert!(
                close(slope, t, tolerance),
                "{what}: result {i} has tangent {t}, differences give {slope}"
            );
        }
    }
    pairing(what, p, args, wrt, (&direction, tangents), options);
}

fn pairing(
    what: &str,
    p: &Program,
    args: &[Tensor],
    wrt: &[usize],
    (direction, tangents): (&[Tensor], &[Tensor]),
    options: &Options,
) {
    let weights: Vec<Tensor> =
        tangents.iter().enumerate().map(|(i, t)| random(t.ty(), &format!("w{i}"), -1.0, 1.0)).collect();
    let reverse = eval(&vjp_with(p, wrt, options).unwrap(), &[args, &weights].concat());
    let cotangents = &reverse[p.results().len()..];
    for (&i, c) in wrt.iter().zip(cotangents) {
        assert_eq!(c.ty(), args[i].ty(), "{what}: a cotangent has the type of its argument");
    }
    let (a, b) = (dot(tangents, &weights), dot(direction, cotangents));
    assert!(close(a, b, 1e-9), "{what}: <J v, w> = {a}, <v, J* w> = {b}");
    // The parts one can stop at agree with the compositions.
    let lin = linearize_with(p, wrt, options).unwrap();
    let primal = eval(&lin.primal, args);
    let residuals = &primal[p.results().len()..];
    assert_eq!(residuals.len(), lin.residuals.len());
    let turned = eval(&transpose(&lin.linear).unwrap(), &[residuals, &weights].concat());
    for (x, y) in turned.iter().zip(cotangents) {
        assert_eq!(x.bytes(), y.bytes(), "{what}");
    }
}

/// `check`, then the same of the reverse-mode program with respect to arguments and cotangents.
pub fn check2(what: &str, p: &Program, args: &[Tensor], wrt: &[usize]) {
    judge2(what, p, args, wrt, (&Options::default(), 1e-7));
}

/// As [`check2`], with another tolerance of differences.
pub fn check2_within(what: &str, p: &Program, args: &[Tensor], wrt: &[usize], tolerance: f64) {
    judge2(what, p, args, wrt, (&Options::default(), tolerance));
}

/// As [`check2`], with options.
pub fn check2_with(what: &str, p: &Program, args: &[Tensor], wrt: &[usize], options: &Options) {
    judge2(what, p, args, wrt, (options, 1e-7));
}

fn judge2(what: &str, p: &Program, args: &[Tensor], wrt: &[usize], how: (&Options, f64)) {
    judge(what, p, args, wrt, how);
    let second = vjp_with(p, wrt, how.0).unwrap();
    let mut args = args.to_vec();
    let mut wrt = wrt.to_vec();
    for &a in &second.args()[args.len()..] {
        wrt.push(args.len());
        args.push(random(second.ty(a), &format!("ct{}", args.len()), 0.5, 1.5));
    }
    judge(&format!("{what}, second order"), &second, &args, &wrt, how);
}

/// Cotangents of `wrt` for the given cotangents of the results.
pub fn cotangents(p: &Program, args: &[Tensor], wrt: &[usize], weights: &[Tensor]) -> Vec<Vec<f64>> {
    let all = eval(&vjp(p, wrt).unwrap(), &[args, weights].concat());
    all[p.results().len()..].iter().map(Tensor::to_f64s).collect()
}
