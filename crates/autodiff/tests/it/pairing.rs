//! The pairing <D f v, w> = <v, D f* w> of forward and reverse mode, over every op, the element types f16 to c128,
//! and small shapes including empty ones.
//!
//! Shapes have dimensions 0 to 3 and ranks as said where they are made; attributes come from the lists there. Elements
//! are small whole numbers with ties and zeros where the op has no poles. What the table of depths says is tried too.

mod cases;
mod matrices;
mod windows;

use crate::common::*;
use cases::Case;
use pullback_autodiff::{AdError, Depth, depth, jvp, vjp};
use pullback_eval::{Tensor, reference};
use pullback_ir::{DType, Op, Program};

/// Element types in turn, each with what rounding may do to a sum of products.
const DTYPES: [(DType, f64); 8] = [
    (DType::F64, 1e-11),
    (DType::C128, 1e-11),
    (DType::F32, 1e-3),
    (DType::C64, 1e-3),
    (DType::BF16, 0.1),
    (DType::F16, 0.02),
    // Three and two bits of fraction: longer sums stay where they are whatever is added, see `MOST_IN_F8`.
    (DType::F8E4M3FN, 0.15),
    (DType::F8E5M2, 0.25),
];

/// Most elements of a value in an 8-bit type.
const MOST_IN_F8: usize = 9;

fn run(p: &Program, args: &[Tensor], label: &str) -> Vec<Tensor> {
    p.verify().unwrap_or_else(|e| panic!("{label}: {e}"));
    reference::eval(p, args).unwrap_or_else(|e| panic!("{label}: {e}"))
}

/// Small whole numbers, other than 0.
fn weights(like: &[&pullback_ir::TensorType], stream: &str) -> Vec<Tensor> {
    let whole = |(i, ty): (usize, &&pullback_ir::TensorType)| {
        let t = random(ty, &format!("{stream}{i}"), 1.0, 4.0);
        let values: Vec<f64> = parts(&t).iter().map(|v| v.floor()).collect();
        from_parts(ty, &values)
    };
    like.iter().enumerate().map(whole).collect()
}

/// The real part of the sum of products, and the sum of their sizes.
fn paired(xs: &[Tensor], ys: &[Tensor]) -> (f64, f64) {
    let (mut sum, mut size) = (0.0, 0.0);
    for (x, y) in xs.iter().zip(ys) {
        for (i, (a, b)) in parts(x).into_iter().zip(parts(y)).enumerate() {
            let term = if is_complex(x.ty()) && i % 2 == 1 { -a * b } else { a * b };
            sum += term;
            size += term.abs();
        }
    }
    (sum, size)
}

fn check_case(case: &Case, tolerance: f64) -> Result<(), AdError> {
    let (p, args, wrt) = (&case.program, &case.inputs, &case.wrt);
    let label = &case.label;
    let v = weights(&wrt.iter().map(|&i| args[i].ty()).collect::<Vec<_>>(), "v");
    let forward = run(&jvp(p, wrt)?, &[&args[..], &v].concat(), label);
    let tangents = &forward[p.results().len()..];
    let w = weights(&tangents.iter().map(Tensor::ty).collect::<Vec<_>>(), "w");
    let reverse = run(&vjp(p, wrt)?, &[&args[..], &w].concat(), label);
    let cotangents = &reverse[p.results().len()..];
    for (&i, c) in wrt.iter().zip(cotangents) {
        assert_eq!(c.ty(), args[i].ty(), "{label}: the type of a cotangent");
    }
    let ((a, size_a), (b, size_b)) = (paired(tangents, &w), paired(&v, cotangents));
    let within = (a - b).abs() <= tolerance * (size_a + size_b + 1.0);
    assert!(within || a.is_nan() && b.is_nan(), "{label}: <J v, w> = {a}, <v, J* w> = {b}");
    Ok(())
}

/// Every case agrees with the depth its op states.
fn check_all(make: impl Fn(DType) -> Vec<Case>) -> usize {
    let mut count = 0;
    for (dtype, tolerance) in DTYPES {
        for case in make(dtype) {
            let p = &case.program;
            if dtype.bits() == 8 && p.value_ids().any(|v| p.ty(v).count() > MOST_IN_F8) {
                continue;
            }
            count += 1;
            let result = check_case(&case, tolerance);
            let deepest = case.program.instrs().values().map(|i| depth(i.op()));
            match (result, deepest.clone().any(|d| d == Depth::None)) {
                (Ok(()), false) => {}
                (Err(AdError::Unsupported { .. }), true) => {}
                (result, none) => panic!("{}: {result:?}, without a derivative: {none}", case.label),
            }
        }
    }
    count
}

fn enough(count: usize, least: usize) {
    assert!(count > least, "{count} cases are not more than {least}");
}

#[test]
fn elementwise() {
    enough(check_all(cases::elementwise), 5000);
}

#[test]
fn moving_elements() {
    enough(check_all(cases::moving), 3000);
}

#[test]
fn contractions() {
    enough(check_all(cases::contractions), 1000);
}

#[test]
fn indexed() {
    enough(check_all(cases::indexed), 1000);
}

#[test]
fn reductions_and_windows() {
    enough(check_all(windows::all), 5000);
}

#[test]
fn matrix_ops_and_transforms() {
    enough(check_all(matrices::all), 500);
}

/// One instance of each op, differentiated as often as its depth says, and refused by name past that.
#[test]
fn depths_hold() {
    let mut seen = Vec::new();
    let all =
        [cases::elementwise, cases::moving, cases::contractions, cases::indexed, windows::all, matrices::all];
    for case in all.iter().flat_map(|make| make(DType::F64)) {
        let Some(last) = case.program.instrs().values().last().map(|i| i.op().clone()) else { continue };
        let key = format!("{}{:?}", last.name(), kind(&last));
        let empty = case.inputs.iter().any(|t| t.count() == 0) || seen.contains(&key);
        if empty {
            continue;
        }
        let first = vjp(&case.program, &case.wrt);
        let second = first.and_then(|p| vjp(&p, &case.wrt));
        let third = second.as_ref().ok().map(|p| vjp(p, &case.wrt));
        match depth(&last) {
            Depth::Unlimited | Depth::Flat => {
                third.expect("differentiated twice").unwrap_or_else(|e| panic!("{}: {e}", case.label));
            }
            Depth::Times(n) => {
                assert_eq!(n, 1);
                let e = second.expect_err("past its depth").to_string();
                assert!(e.contains(last.name()), "{e}");
            }
            Depth::None => {
                let e = second.expect_err("without a derivative").to_string();
                assert!(e.contains(last.name()), "{e}");
            }
        }
        seen.push(key);
    }
    assert!(seen.len() > 90, "{} ops", seen.len());
}

/// A choice is as deep as what is in its branches.
#[test]
fn depth_of_choices() {
    let ty = f64s(&[2]);
    let branch = |op: Op| program(std::slice::from_ref(&ty), |b, v| Ok(vec![b.push1(op, v)?]));
    let sine = || branch(Op::Unary(pullback_ir::UnaryOp::Sine));
    let floor = || branch(Op::Unary(pullback_ir::UnaryOp::Floor));
    assert_eq!(depth(&Op::Case { branches: vec![sine(), floor()] }), Depth::Unlimited);
    let refused = program(&[f64s(&[2]), f64s(&[2])], |b, v| {
        let c = b.convert(v[0], DType::F32)?;
        Ok(vec![b.push1(Op::BitcastConvert { dtype: DType::I32 }, &[c])?, v[1]])
    });
    assert_eq!(depth(&Op::Case { branches: vec![refused] }), Depth::Unlimited, "bits are whole numbers");
    let inner = Op::Case {
        branches: vec![program(std::slice::from_ref(&ty), |b, v| {
            Ok(vec![b.push1(Op::BitcastConvert { dtype: DType::F64 }, v)?])
        })],
    };
    assert_eq!(depth(&inner), Depth::None);
}

fn kind(op: &Op) -> Option<pullback_ir::Monoid> {
    match op {
        Op::Reduce { monoid, .. } | Op::ReduceWindow { monoid, .. } => Some(*monoid),
        Op::Scatter { combiner, .. } => *combiner,
        _ => None,
    }
}
