//! Compositions: value and gradient, nesting, names, errors, and the work a gradient costs.

use crate::common::*;
use pullback_autodiff::{AdError, LinearProgram, jvp, linearize, transpose, value_and_grad, vjp};
use pullback_ir::{
    BinaryOp, Builder, Comparison, DType, DotDims, Monoid, Op, Program, TensorType, UnaryOp, Value,
};

fn matmul() -> DotDims {
    DotDims { lhs_contract: vec![1], rhs_contract: vec![0], ..DotDims::default() }
}

/// mean((tanh(x w1 + b1) w2 - t)^2), arguments named; also returns the hidden layer.
fn mlp(batch: usize, width: usize) -> Program {
    let mut b = Builder::new("main");
    let arg = |b: &mut Builder, name, shape: &[usize]| b.arg(Some(name), f64s(shape));
    let (w1, b1) = (arg(&mut b, "w1", &[width, width]), arg(&mut b, "b1", &[width]));
    let (w2, x) = (arg(&mut b, "w2", &[width, width]), arg(&mut b, "x", &[batch, width]));
    let t = arg(&mut b, "t", &[batch, width]);
    let body = |b: &mut Builder| {
        let h = b.dot(x, w1, matmul())?;
        let bias = b.broadcast(b1, &[batch, width], &[1])?;
        let h = b.add(h, bias)?;
        let h = b.unary(UnaryOp::Tanh, h)?;
        b.name(h, "hidden");
        let y = b.dot(h, w2, matmul())?;
        let d = b.sub(y, t)?;
        let square = b.mul(d, d)?;
        let sum = b.reduce(square, &[0, 1], Monoid::Add)?;
        Ok::<_, pullback_ir::TypeError>((b.scale(sum, 1.0 / (batch * width) as f64)?, h))
    };
    let (loss, h) = body(&mut b).unwrap();
    b.finish_named(vec![(loss, Some("loss".into())), (h, None)])
}

fn random_args(p: &Program) -> Vec<pullback_eval::Tensor> {
    let draw = |(i, &a): (usize, &Value)| random(p.ty(a), &format!("a{i}"), -1.0, 1.0);
    p.args().iter().enumerate().map(draw).collect()
}

#[test]
fn value_and_grad_keeps_arguments_results_and_names() {
    let p = mlp(3, 2);
    let g = value_and_grad(&p, &[2, 0]).unwrap();
    let names = |p: &Program| p.args().iter().map(|&a| p.display_name(a)).collect::<Vec<_>>();
    assert_eq!(names(&g), names(&p));
    assert_eq!(g.results().len(), 4);
    let result_names: Vec<_> = (0..4).map(|i| g.result_name(i)).collect();
    assert_eq!(result_names, [Some("loss"), None, Some("grad.w2"), Some("grad.w1")]);
    assert_eq!(g.value_name(g.results()[2]), Some("grad.w2"));
    assert_eq!(g.value_name(g.results()[1]), Some("hidden"));

    let args = random_args(&p);
    let out = eval(&g, &args);
    let reverse = vjp(&p, &[2, 0]).unwrap();
    let hidden = pullback_eval::Tensor::zeros(p.ty(p.results()[1]).clone());
    let seeds = [tensor(&[], &[1.0]), hidden];
    let want = eval(&reverse, &[&args[..], &seeds].concat());
    for i in 0..4 {
        for (a, b) in out[i].to_f64s().into_iter().zip(want[i].to_f64s()) {
            assert!(close(a, b, 1e-12));
        }
    }
}

#[test]
fn hessian_vector_product_is_jvp_of_grad() {
    let p = mlp(3, 2);
    let g = value_and_grad(&p, &[0, 1, 2]).unwrap();
    check("gradient", &g, &random_args(&p), &[0, 1, 2]);
    // The other way round: gradient of <grad, v>, with v an argument.
    let reverse = vjp(&g, &[0, 1, 2]).unwrap();
    let forward = jvp(&g, &[0, 1, 2]).unwrap();
    let args = random_args(&p);
    let v: Vec<_> = (0..3).map(|i| random(args[i].ty(), &format!("hv{i}"), -1.0, 1.0)).collect();
    let hv = eval(&forward, &[&args[..], &v].concat());
    let zeros = [tensor(&[], &[0.0]), pullback_eval::Tensor::zeros(p.ty(p.results()[1]).clone())];
    let vh = eval(&reverse, &[&args[..], &zeros, &v].concat());
    for i in 0..3 {
        let (a, b) = (hv[5 + 2 + i].to_f64s(), vh[5 + i].to_f64s());
        assert!(a.iter().zip(&b).all(|(a, b)| close(*a, *b, 1e-12)), "{a:?} {b:?}");
    }
}

#[test]
fn third_derivative_of_a_power() {
    let p = program(&[f64s(&[])], |b, v| {
        let three = b.splat(&f64s(&[]), 3.0);
        Ok(vec![b.binary(pullback_ir::BinaryOp::Power, v[0], three)?])
    });
    let mut d = p;
    for _ in 0..3 {
        let g = value_and_grad(&d, &[0]).unwrap();
        // The gradient becomes the next loss.
        let mut b = Builder::new("d");
        let x = b.arg(None, f64s(&[]));
        let out = b.inline(&g, &[x], None).unwrap();
        d = b.finish(&out[out.len() - 1..]);
    }
    assert_eq!(eval(&d, &[tensor(&[], &[2.0])])[0].to_f64s(), [6.0]);
}

#[test]
fn an_argument_that_does_not_matter_has_gradient_zero() {
    let p = program(&[f64s(&[]), f64s(&[2])], |b, v| Ok(vec![b.mul(v[0], v[0])?]));
    let out = eval(&value_and_grad(&p, &[0, 1]).unwrap(), &[tensor(&[], &[3.0]), tensor(&[2], &[1.0, 1.0])]);
    assert_eq!((out[1].to_f64s(), out[2].to_f64s()), (vec![6.0], vec![0.0, 0.0]));
}

#[test]
fn gradients_that_are_one_value_get_their_own_names() {
    let mut b = Builder::new("main");
    let (x, y) = (b.arg(Some("x"), f64s(&[])), b.arg(Some("y"), f64s(&[])));
    let product = b.add(x, y).unwrap();
    let p = b.finish(&[product]);
    let g = value_and_grad(&p, &[0, 1]).unwrap();
    let names: Vec<_> = g.results()[1..].iter().map(|&v| g.display_name(v)).collect();
    assert_eq!(names, ["grad.x", "grad.y"]);
    assert_eq!(eval(&g, &[tensor(&[], &[1.0]), tensor(&[], &[2.0])])[2].to_f64s(), [1.0]);
}

#[test]
fn residuals_are_only_what_the_linear_program_reads() {
    // tanh needs one coefficient, the sum none; the unused product is not linearized.
    let p = program(&[f64s(&[4]), f64s(&[4])], |b, v| {
        let t = b.unary(UnaryOp::Tanh, v[0])?;
        b.mul(t, v[1])?;
        Ok(vec![b.reduce(t, &[0], Monoid::Add)?])
    });
    let lin = linearize(&p, &[0]).unwrap();
    assert_eq!((lin.residuals.len(), lin.primal.results().len()), (1, 2));
    assert_eq!(lin.linear.program().instrs().len(), 2);
    assert_eq!(lin.linear.residual_args().len(), 1);
    assert_eq!(lin.linear.tangent_args().len(), 1);
}

/// Multiplications of contractions, and elements written by everything else.
fn work(p: &Program) -> (usize, usize) {
    let (mut contracted, mut written) = (0, 0);
    for (id, i) in p.instrs().iter() {
        let n = p.ty(i.result()).count();
        match i.op() {
            Op::DotGeneral(d) => {
                contracted +=
                    n * d.lhs_contract.iter().map(|&k| p.operand_types(id)[0].shape()[k]).product::<usize>();
            }
            Op::Constant(_) => {}
            _ => written += n,
        }
    }
    (contracted, written)
}

#[test]
fn a_gradient_costs_a_small_multiple_of_the_loss() {
    let p = mlp(16, 16);
    let (dots, rest) = work(&p);
    let (all_dots, all_rest) = work(&value_and_grad(&p, &[0, 1, 2]).unwrap());
    // Two more contractions per layer, except the first layer's input, which is not asked for.
    assert_eq!(all_dots, 2 * dots + dots / 2);
    assert!(all_rest <= 4 * rest, "{all_rest} elements written, the loss writes {rest}");
    let (first, _) = work(&value_and_grad(&p, &[2]).unwrap());
    assert_eq!(first, dots + dots / 2);
}

#[test]
fn errors_name_what_is_wrong() {
    let text = |e: AdError| e.to_string();
    let mut b = Builder::new("main");
    let n = b.arg(Some("labels"), TensorType::new(DType::I32, [2]));
    let x = b.arg(Some("x"), f64s(&[2]));
    let p = b.finish(&[x, n]);
    let message = text(value_and_grad(&p, &[1]).unwrap_err());
    assert!(message.contains("f64[2]") && message.contains("rank-0"), "{message}");
    let message = text(linearize(&p, &[0]).unwrap_err());
    assert!(message.contains("labels") && message.contains("i32[2]"), "{message}");
    assert!(matches!(vjp(&p, &[2]), Err(AdError::NoArgument { index: 2, count: 2 })));
    assert!(matches!(jvp(&p, &[1, 1]), Err(AdError::RepeatedArgument { index: 1, .. })));
    let none = Builder::new("main").finish(&[]);
    assert!(matches!(value_and_grad(&none, &[]), Err(AdError::NoLoss)));
}

#[test]
fn an_op_without_a_rule_is_named_where_it_matters_only() {
    let mut b = Builder::new("main");
    let (x, y) = (b.arg(Some("x"), f64s(&[3])), b.arg(Some("y"), f64s(&[3])));
    let s = b.binary(BinaryOp::Zeta, x, x).unwrap();
    b.name(s, "scaled");
    let p = b.add(s, y).unwrap();
    let p = b.finish(&[p]);
    let message = vjp(&p, &[0]).unwrap_err().to_string();
    assert!(
        message.starts_with("unsupported: no derivative of zeta") && message.contains("scaled"),
        "{message}"
    );
    vjp(&p, &[1]).unwrap();
}

#[test]
fn transpose_refuses_what_is_not_linear() {
    let refuse = |p: Program, residuals: usize| {
        let message = transpose(&LinearProgram::new(p, residuals).unwrap()).unwrap_err().to_string();
        assert!(message.contains("not linear"), "{message}");
    };
    refuse(program(&[f64s(&[2])], |b, v| Ok(vec![b.mul(v[0], v[0])?])), 0);
    refuse(program(&[f64s(&[2])], |b, v| Ok(vec![b.unary(UnaryOp::Sine, v[0])?])), 0);
    refuse(program(&[f64s(&[2]), f64s(&[2])], |b, v| Ok(vec![b.add(v[0], v[1])?])), 1);
    refuse(program(&[f64s(&[2]), f64s(&[2])], |_, v| Ok(vec![v[0]])), 1);
    refuse(
        program(&[f64s(&[2])], |b, v| {
            let p = b.compare(Comparison::Gt, v[0], v[0])?;
            Ok(vec![b.select(p, v[0], v[0])?])
        }),
        0,
    );
    assert!(matches!(
        LinearProgram::new(program(&[], |_, _| Ok(vec![])), 1),
        Err(AdError::TooManyResiduals { residuals: 1, count: 0 })
    ));
    // A hand-written linear program turns around: (r, t) -> r * t + t.
    let p = program(&[f64s(&[2]), f64s(&[2])], |b, v| {
        let m = b.mul(v[0], v[1])?;
        Ok(vec![b.add(m, v[1])?])
    });
    let turned = transpose(&LinearProgram::new(p, 1).unwrap()).unwrap();
    let out = eval(&turned, &[tensor(&[2], &[2.0, 3.0]), tensor(&[2], &[1.0, 10.0])]);
    assert_eq!(out[0].to_f64s(), [3.0, 40.0]);
}
