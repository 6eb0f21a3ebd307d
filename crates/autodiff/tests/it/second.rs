//! Dense and higher derivatives: each composition against others and against closed forms.

use crate::common::*;
use pullback_autodiff::{AdError, hessian, hvp, jacfwd, jacrev, jvp, value_and_grad};
use pullback_eval::Tensor;
use pullback_ir::{BinaryOp, Builder, DType, DotDims, Monoid, Op, Program, TensorType, UnaryOp, Value};

/// (sum(sin(A x)^3 * y), A x * y) of A [3,2], x [2], y [3]; arguments named.
fn cubic() -> Program {
    let mut b = Builder::new("main");
    let a = b.arg(Some("A"), f64s(&[3, 2]));
    let x = b.arg(Some("x"), f64s(&[2]));
    let y = b.arg(Some("y"), f64s(&[3]));
    let dims = DotDims { lhs_contract: vec![1], rhs_contract: vec![0], ..DotDims::default() };
    let ax = b.dot(a, x, dims).unwrap();
    let s = b.unary(UnaryOp::Sine, ax).unwrap();
    let square = b.mul(s, s).unwrap();
    let cube = b.mul(square, s).unwrap();
    let weighed = b.mul(cube, y).unwrap();
    let loss = b.reduce(weighed, &[0], Monoid::Add).unwrap();
    let out = b.mul(ax, y).unwrap();
    b.finish_named(vec![(loss, Some("loss".into())), (out, None)])
}

fn random_args(p: &Program) -> Vec<Tensor> {
    let draw = |(i, &a): (usize, &Value)| random(p.ty(a), &format!("a{i}"), -1.0, 1.0);
    p.args().iter().enumerate().map(draw).collect()
}

fn agree(what: &str, got: &Tensor, want: &[f64]) {
    let got = got.to_f64s();
    assert_eq!(got.len(), want.len(), "{what}");
    assert!(got.iter().zip(want).all(|(a, b)| close(*a, *b, 1e-11)), "{what}: {got:?} {want:?}");
}

fn unit(ty: &TensorType, i: usize) -> Tensor {
    let mut t = Tensor::zeros(ty.clone());
    t.set_f64(i, 1.0);
    t
}

#[test]
fn hvp_is_the_derivative_of_the_gradient() {
    let p = cubic();
    let wrt = [1, 0, 2];
    let args = random_args(&p);
    let h = hvp(&p, &wrt).unwrap();
    let names: Vec<_> = h.args()[3..].iter().map(|&a| h.display_name(a)).collect();
    assert_eq!(names, ["vector.x", "vector.A", "vector.y"]);
    let names: Vec<_> = (0..8).map(|i| h.result_name(i).unwrap_or("-")).collect();
    assert_eq!(names, ["loss", "-", "grad.x", "grad.A", "grad.y", "hvp.x", "hvp.A", "hvp.y"]);
    let v: Vec<Tensor> = wrt.iter().map(|&i| random(args[i].ty(), &format!("v{i}"), -1.0, 1.0)).collect();
    let out = eval(&h, &[&args[..], &v].concat());
    let g = value_and_grad(&p, &wrt).unwrap();
    let moved = |h: f64| -> Vec<Tensor> {
        let mut at = args.clone();
        for (&i, v) in wrt.iter().zip(&v) {
            let x: Vec<f64> = at[i].to_f64s().iter().zip(v.to_f64s()).map(|(x, v)| x + h * v).collect();
            at[i] = Tensor::from_f64s(at[i].ty().clone(), &x).unwrap();
        }
        eval(&g, &at)
    };
    let (up, down) = (moved(1e-5), moved(-1e-5));
    for k in 0..5 {
        assert_eq!(out[k].to_f64s(), eval(&g, &args)[k].to_f64s());
    }
    for k in 0..3 {
        for ((u, d), h) in up[2 + k].to_f64s().iter().zip(down[2 + k].to_f64s()).zip(out[5 + k].to_f64s()) {
            assert!(close((u - d) / 2e-5, h, 1e-8), "{u} {d} {h}");
        }
    }
}

#[test]
fn jacobians_by_rows_and_by_columns_are_those_of_single_tangents() {
    let p = cubic();
    let wrt = [0, 1];
    let args = random_args(&p);
    let (forward, reverse) = (jacfwd(&p, &wrt).unwrap(), jacrev(&p, &wrt).unwrap());
    for (mode, j) in [("jacfwd", &forward), ("jacrev", &reverse)] {
        let names: Vec<_> = (2..6).map(|i| j.result_name(i).unwrap_or("-")).collect();
        assert_eq!(names, ["jac.loss.A", "jac.loss.x", "jac.out1.A", "jac.out1.x"], "{mode}");
        let shapes: Vec<&[usize]> = j.results()[2..].iter().map(|&v| j.ty(v).shape()).collect();
        assert_eq!(shapes, [&[3, 2][..], &[2], &[3, 3, 2], &[3, 2]], "{mode}");
    }
    let (by_columns, by_rows) = (eval(&forward, &args), eval(&reverse, &args));
    for k in 0..6 {
        agree(&format!("result {k}"), &by_rows[k], &by_columns[k].to_f64s());
    }
    let single = jvp(&p, &wrt).unwrap();
    for c in 0..6 {
        let tangents = [unit(args[0].ty(), c), Tensor::zeros(args[1].ty().clone())];
        let out = eval(&single, &[&args[..], &tangents].concat());
        agree("loss by A", &out[2], &[by_columns[2].to_f64s()[c]]);
        let column: Vec<f64> = (0..3).map(|r| by_columns[4].to_f64s()[r * 6 + c]).collect();
        agree("out1 by A", &out[3], &column);
    }
    check("jacfwd, differentiated", &forward, &args, &wrt);
    check("jacrev, differentiated", &reverse, &args, &wrt);
}

#[test]
fn the_hessian_is_all_of_its_products() {
    let p = cubic();
    let wrt = [1, 2];
    let args = random_args(&p);
    let h = hessian(&p, &wrt).unwrap();
    let names: Vec<_> = (2..8).map(|i| h.result_name(i).unwrap_or("-")).collect();
    let want = ["grad.x", "grad.y", "hessian.x.x", "hessian.x.y", "hessian.y.x", "hessian.y.y"];
    assert_eq!(names, want);
    let dense = eval(&h, &args);
    let product = hvp(&p, &wrt).unwrap();
    for c in 0..5 {
        let vectors = match c {
            0 | 1 => [unit(args[1].ty(), c), Tensor::zeros(args[2].ty().clone())],
            _ => [Tensor::zeros(args[1].ty().clone()), unit(args[2].ty(), c - 2)],
        };
        let out = eval(&product, &[&args[..], &vectors].concat());
        let (block, width, column) = if c < 2 { (0, 2, c) } else { (1, 3, c - 2) };
        for row in 0..2 {
            let of = dense[4 + 2 * row + block].to_f64s();
            let column: Vec<f64> = of.chunks(width).map(|r| r[column]).collect();
            agree("a column", &out[4 + row], &column);
        }
    }
    let transposed: Vec<f64> = (0..6).map(|k| dense[6].to_f64s()[(k % 3) * 2 + k / 3]).collect();
    agree("mixed derivatives", &dense[5], &transposed);
}

/// x^2 of several coordinates, none of them, and a scalar.
#[test]
fn shapes_at_the_edge() {
    for shape in [&[][..], &[0], &[1], &[2, 0, 3]] {
        let p = program(&[f64s(shape)], |b, v| Ok(vec![b.mul(v[0], v[0])?]));
        let args = [random(&f64s(shape), "x", -1.0, 1.0)];
        for j in [jacfwd(&p, &[0]).unwrap(), jacrev(&p, &[0]).unwrap()] {
            let out = eval(&j, &args);
            assert_eq!(out[1].shape(), [shape, shape].concat());
            if out[1].count() > 0 {
                agree("2 x", &out[1], &[2.0 * args[0].to_f64s()[0]]);
            }
        }
    }
}

/// The derivative of a power, as often as asked, by mixed modes.
#[test]
fn modes_nest() {
    let p = program(&[f64s(&[])], |b, v| {
        let five = b.splat(&f64s(&[]), 5.0);
        Ok(vec![b.binary(BinaryOp::Power, v[0], five)?])
    });
    let only = |p: &Program, k: usize| {
        let mut b = Builder::new("d");
        let x = b.arg(None, f64s(&[]));
        let out = b.inline(p, &[x], None).unwrap();
        b.finish(&out[k..=k])
    };
    let d1 = only(&jacrev(&p, &[0]).unwrap(), 1);
    let d2 = only(&jacfwd(&d1, &[0]).unwrap(), 1);
    let d4 = only(&hessian(&d2, &[0]).unwrap(), 2);
    assert_eq!(eval(&d4, &[tensor(&[], &[2.0])])[0].to_f64s(), [240.0]);
}

#[test]
fn what_cannot_be_dense_is_refused() {
    let complex = TensorType::new(DType::C128, [2]);
    let p = program(&[complex], |b, v| Ok(vec![b.mul(v[0], v[0])?]));
    for e in [jacfwd(&p, &[0]), jacrev(&p, &[0])] {
        let message = e.unwrap_err().to_string();
        assert!(message.contains("unsupported: jac") && message.contains("use jvp or vjp"), "{message}");
    }
    let real = program(&[f64s(&[2])], |b, v| {
        let z = b.binary(BinaryOp::Complex, v[0], v[0])?;
        Ok(vec![b.mul(z, z)?])
    });
    jacfwd(&real, &[0]).unwrap();
    assert!(matches!(jacrev(&real, &[0]), Err(AdError::NotReal { mode: "jacrev", .. })));
    let p = program(&[f64s(&[2])], |b, v| Ok(vec![b.push1(Op::Reverse { dims: vec![0] }, &[v[0]])?]));
    assert!(matches!(hvp(&p, &[0]), Err(AdError::LossNotScalar { .. })));
    assert!(matches!(hessian(&p, &[0]), Err(AdError::LossNotScalar { .. })));
}
