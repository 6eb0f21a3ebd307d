//! Complex functions and special functions are JAX's (`golden/elementwise.txt`), and what they must be at cuts, zeros
//! and infinities.

use pullback_eval::{Tensor, reference};
use pullback_ir::literal::{decode_f64, encode_f64};
use pullback_ir::{BinaryOp, DType, Op, TensorType, UnaryOp};
use std::f64::consts::{FRAC_PI_2, PI};

fn tensor(dtype: DType, parts: &[f64]) -> Tensor {
    let part = dtype.part();
    let n = parts.len() * part.size() / dtype.size();
    let bytes: Vec<u8> = parts.iter().flat_map(|&v| encode_f64(part, v)).collect();
    Tensor::from_bytes(TensorType::new(dtype, [n]), &bytes).unwrap()
}

fn parts(t: &Tensor) -> Vec<f64> {
    let part = t.dtype().part();
    t.bytes().chunks_exact(part.size()).map(|e| decode_f64(part, e)).collect()
}

fn op(name: &str) -> Op {
    match UnaryOp::from_name(name) {
        Some(u) => Op::Unary(u),
        None => Op::Binary(BinaryOp::from_name(name).unwrap()),
    }
}

fn eval(name: &str, operands: &[Tensor]) -> Tensor {
    reference::eval_op(&op(name), &operands.iter().collect::<Vec<_>>()).unwrap().remove(0)
}

/// Whether each number (of this many parts) is near the other relative to its size.
#[track_caller]
fn close(got: &[f64], want: &[f64], each: usize, tolerance: f64, what: &str) {
    assert_eq!(got.len(), want.len(), "{what}");
    for (k, (g, w)) in got.chunks(each).zip(want.chunks(each)).enumerate() {
        let size = w.iter().fold(0.0, |s: f64, v| s.max(v.abs()));
        for (x, y) in g.iter().zip(w) {
            let near =
                (x - y).abs() <= tolerance * size.min(f64::MAX) || x == y || (x.is_nan() && y.is_nan());
            assert!(near, "{what}, number {k}: {g:?} is not {w:?}");
        }
    }
}

#[test]
fn functions_are_those_of_jax() {
    let golden = include_str!("../golden/elementwise.txt");
    assert_eq!(golden.lines().count(), 31);
    for line in golden.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let (name, dtype) = (words[0], DType::from_name(words[1]).unwrap());
        let lists: Vec<Vec<f64>> =
            words[2..].iter().map(|w| w.split(',').map(|v| v.parse().unwrap()).collect()).collect();
        let (want, operands) = lists.split_last().unwrap();
        let operands: Vec<Tensor> = operands.iter().map(|x| tensor(dtype, x)).collect();
        let got = eval(name, &operands);
        let each = got.dtype().size() / got.dtype().part().size();
        // What JAX's own formula leaves of the digits.
        let tolerance = match name {
            "next_after" => 0.0,
            "zeta" => 1e-14,
            "digamma" | "polygamma" | "power" => 4e-14,
            _ => 4e-15,
        };
        close(&parts(&got), want, each, tolerance, name);
        // Narrow types give the same, rounded.
        let narrow = if dtype == DType::C128 { DType::C64 } else { DType::F32 };
        if name != "next_after" {
            let operands: Vec<Tensor> = operands.iter().map(|x| tensor(narrow, &parts(x))).collect();
            let exact: Vec<Tensor> = operands.iter().map(|x| tensor(dtype, &parts(x))).collect();
            let rounded = tensor(eval(name, &operands).dtype(), &parts(&eval(name, &exact)));
            close(&parts(&eval(name, &operands)), &parts(&rounded), each, 0.0, name);
        }
    }
}

#[test]
fn cuts_have_two_sides() {
    let at = |name: &str, re: f64, im: f64| {
        let r = parts(&eval(name, &[tensor(DType::C128, &[re, im])]));
        (r[0], r[1])
    };
    for (name, re, im, want) in [
        ("log", -1.0, 0.0, (0.0, PI)),
        ("log", -1.0, -0.0, (0.0, -PI)),
        ("sqrt", -4.0, 0.0, (0.0, 2.0)),
        ("sqrt", -4.0, -0.0, (0.0, -2.0)),
        ("sqrt", -0.0, 0.0, (0.0, 0.0)),
        ("log_plus_one", -2.0, -0.0, (0.0, -PI)),
        ("asin", 2.0, 0.0, (FRAC_PI_2, 1.3169578969248166)),
        ("asin", 2.0, -0.0, (FRAC_PI_2, -1.3169578969248166)),
        ("acos", -2.0, 0.0, (PI, -1.3169578969248166)),
        ("acosh", -2.0, -0.0, (1.3169578969248166, -PI)),
        ("atanh", 2.0, 0.0, (0.5493061443340549, FRAC_PI_2)),
        ("atanh", 2.0, -0.0, (0.5493061443340549, -FRAC_PI_2)),
        ("asinh", 0.0, 2.0, (1.3169578969248166, FRAC_PI_2)),
        ("asinh", -0.0, 2.0, (-1.3169578969248166, FRAC_PI_2)),
        ("atan", 0.0, 2.0, (FRAC_PI_2, 0.5493061443340549)),
        ("atan", -0.0, 2.0, (-FRAC_PI_2, 0.5493061443340549)),
    ] {
        let got = at(name, re, im);
        close(&[got.0, got.1], &[want.0, want.1], 2, 1e-15, &format!("{name} {re} {im}"));
    }
}

#[test]
fn nothing_overflows_on_the_way() {
    let at = |name: &str, re: f64, im: f64| {
        let r = parts(&eval(name, &[tensor(DType::C128, &[re, im])]));
        (r[0], r[1])
    };
    for (name, re, im, want) in [
        ("log", 1e308, 1e308, (709.542782232446, PI / 4.0)),
        ("log", 3e-320, 0.0, (-735.7286286023058, 0.0)),
        ("sqrt", 1e308, 1e308, (1.0986841134678098e154, 4.550898605622274e153)),
        ("exponential", 710.0, 1.0, (1.2070325234545281e308, f64::INFINITY)),
        ("tanh", 800.0, 1.0, (1.0, 0.0)),
        ("sinh", 711.0, 2.0, (-1.263552336385953e308, f64::INFINITY)),
        ("sign", 1e308, 1e308, (0.5f64.sqrt(), 0.5f64.sqrt())),
        ("sign", 3e-320, 3e-320, (0.5f64.sqrt(), 0.5f64.sqrt())),
        ("asin", 1e200, 1e200, (PI / 4.0, 461.55673936964905)),
        ("atanh", 1e200, 1e200, (5e-201, FRAC_PI_2)),
    ] {
        let got = at(name, re, im);
        close(&[got.0, got.1], &[want.0, want.1], 2, 1e-12, &format!("{name} {re} {im}"));
    }
    let z = |re, im| tensor(DType::C128, &[re, im]);
    let q = parts(&eval("divide", &[z(1e308, 1e308), z(1e308, 1e308)]));
    close(&q, &[1.0, 0.0], 2, 1e-15, "divide");
    let q = parts(&eval("divide", &[z(1.0, 0.0), z(0.0, 0.0)]));
    assert!(q[0].is_infinite(), "{q:?}");
}

#[test]
fn narrow_neighbours_are_of_their_own_type() {
    for (dtype, next) in [
        (DType::F32, 1.0 + 2f64.powi(-23)),
        (DType::BF16, 1.0 + 2f64.powi(-7)),
        (DType::F16, 1.0 + 2f64.powi(-10)),
    ] {
        let got = eval("next_after", &[tensor(dtype, &[1.0]), tensor(dtype, &[2.0])]);
        assert_eq!(parts(&got), [next], "{dtype}");
    }
}

#[test]
fn high_halves_of_products() {
    let i = |dtype: DType, v: &[i64]| Tensor::from_i64s(TensorType::new(dtype, [v.len()]), v).unwrap();
    let got = eval("mulhi", &[i(DType::I8, &[-128, 100, -1]), i(DType::I8, &[-128, 100, 1])]);
    assert_eq!(got.to_i64s(), [64, 39, -1]);
    let max = Tensor::from_slice(&[1], &[u64::MAX]).unwrap();
    assert_eq!(eval("mulhi", &[max.clone(), max]).as_slice::<u64>().unwrap(), [u64::MAX - 1]);
}
