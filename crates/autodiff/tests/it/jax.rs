//! Functions exported by JAX 0.10.2 (`tests/fixtures/jax`, `jax.jit(f).lower(..).as_text()` in double precision), through
//! import, against central differences.

use crate::common::*;
use pullback_eval::Tensor;
use pullback_ir::{Program, TensorType};
use std::path::Path;

pub fn exported(name: &str) -> Program {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/jax").join(format!("{name}.mlir"));
    let text = std::fs::read_to_string(path).unwrap();
    let module = pullback_stablehlo::import(&text).unwrap_or_else(|e| panic!("{name}: {e:?}"));
    module.function("main").unwrap().clone()
}

fn inputs(p: &Program, low: f64, high: f64) -> Vec<Tensor> {
    let types: Vec<&TensorType> = p.args().iter().map(|&a| p.ty(a)).collect();
    types.iter().enumerate().map(|(i, ty)| regular(random(ty, &format!("x{i}"), low, high))).collect()
}

/// Square matrices get 2 on their diagonal: far from singular.
fn regular(x: Tensor) -> Tensor {
    let [.., m, n] = *x.shape() else { return x };
    let per = if is_complex(x.ty()) { 2 } else { 1 };
    let mut values = parts(&x);
    for i in (0..x.count()).filter(|i| m == n && i / n % m == i % n) {
        values[i * per] += 2.0;
    }
    from_parts(x.ty(), &values)
}

/// Of each function, the range of its arguments.
#[test]
fn first_derivatives() {
    for (name, low, high) in [
        ("inverse", -1.0, 1.0),
        ("logdet", 0.1, 1.0),
        ("solve", -1.0, 1.0),
        ("cholesky", -1.0, 1.0),
        ("qr", -1.0, 1.0),
        ("qr_complex", -1.0, 1.0),
        ("eigh", -1.0, 1.0),
        ("svd", -1.0, 1.0),
        ("eigvals", -1.0, 1.0),
        ("lstsq", -1.0, 1.0),
        ("pinv", -1.0, 1.0),
        ("cumprod", -1.0, 1.0),
        ("cumsum", -1.0, 1.0),
        ("cummax", -1.0, 1.0),
        ("cumlogsumexp", -1.0, 1.0),
        ("maxpool", -1.0, 1.0),
        ("sort_by_key", -1.0, 1.0),
        ("top2", -1.0, 1.0),
        ("fft_energy", -1.0, 1.0),
        ("rfft_energy", -1.0, 1.0),
        ("irfft", -1.0, 1.0),
        ("triangular", 0.5, 1.0),
        ("scatter_mul", -1.0, 1.0),
        ("logsumexp", -1.0, 1.0),
        ("special", 0.5, 3.0),
    ] {
        let p = exported(name);
        let args = inputs(&p, low, high);
        check_within(name, &p, &args, &(0..args.len()).collect::<Vec<_>>(), 1e-6);
    }
}

/// Their export chooses between programs by a constant.
#[test]
fn determinants() {
    for name in ["det", "logdet4"] {
        let p = pullback_ir::pass::simplify(&exported(name)).unwrap();
        check2_within(name, &p, &inputs(&p, -1.0, 1.0), &[0], 1e-5);
    }
}

/// Those without choices of sign, again.
#[test]
fn second_derivatives() {
    for (name, low, high) in [
        ("inverse", 0.5, 1.0),
        ("logdet", 0.1, 1.0),
        ("solve", -1.0, 1.0),
        ("cholesky", -1.0, 1.0),
        ("qr", -1.0, 1.0),
        ("eigh", -1.0, 1.0),
        ("cumprod", -1.0, 1.0),
        ("cumlogsumexp", -1.0, 1.0),
        ("irfft", -1.0, 1.0),
        ("scatter_mul", -1.0, 1.0),
        ("special", 0.5, 3.0),
    ] {
        let p = exported(name);
        let args = inputs(&p, low, high);
        check2_within(name, &p, &args, &(0..args.len()).collect::<Vec<_>>(), 1e-5);
    }
}
