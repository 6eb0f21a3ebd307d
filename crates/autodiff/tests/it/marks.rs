//! Marks: stop_gradient, reverse and forward rules, rematerialized regions, operators of others; and what they mean
//! when the result is differentiated again.

use crate::common::tensor;
use pullback_autodiff::{AdError, jvp, linearize, value_and_grad, vjp};
use pullback_eval::reference::eval;
use pullback_ir::custom::{Call, CustomOp, Read, Write, itself, register};
use pullback_ir::pass::{holds_composites, inline};
use pullback_ir::text::parse;
use pullback_ir::{Assurance, Builder, Comparison, DType, Program, TensorType, UnaryOp};
use std::sync::{Arc, Once};

/// A program of scalars evaluated at `x`.
fn at(p: &Program, x: &[f64]) -> Vec<f64> {
    let args: Vec<_> = x.iter().map(|&v| tensor(&[], &[v])).collect();
    eval(p, &args).unwrap().iter().map(|t| t.get_f64(0)).collect()
}

/// The gradient alone, with the loss dropped: differentiates again.
fn grad(p: &Program) -> Program {
    let g = value_and_grad(p, &[0]).unwrap();
    g.verify().unwrap();
    let mut b = Builder::new("grad");
    let args: Vec<_> = g.args().iter().map(|&a| b.arg(g.value_name(a), g.ty(a).clone())).collect();
    let results = b.inline(&g, &args, Some("")).unwrap();
    b.finish(&[results[p.results().len()]])
}

const STOP: &str = "(program @stop(%0: f64[]) {\n return %0\n})";

#[test]
fn a_stopped_value_has_no_derivative_of_any_order() {
    // (x + stop(round(x) - x))^2 at 2.7.
    let p = parse(&format!(
        "program @f(%0: f64[]) {{
           %1: f64[] = round_nearest_even %0
           %2: f64[] = subtract %1, %0
           %3: f64[] = composite %2 {{name = \"s\", rule = stop_gradient}} {STOP}
           %4: f64[] = add %0, %3
           %5: f64[] = multiply %4, %4
           return %5
         }}"
    ))
    .unwrap();
    assert_eq!(at(&grad(&p), &[2.7]), [6.0]);
    assert_eq!(at(&grad(&grad(&p)), &[2.7]), [2.0]);
    assert_eq!(at(&jvp(&p, &[0]).unwrap(), &[2.7, 1.0]), [9.0, 6.0]);
    // x * stop(x): the factor is a constant in the second derivative too.
    let p = parse(&format!(
        "program @f(%0: f64[]) {{
           %1: f64[] = composite %0 {{name = \"s\", rule = stop_gradient}} {STOP}
           %2: f64[] = multiply %0, %1
           return %2
         }}"
    ))
    .unwrap();
    assert_eq!((at(&grad(&p), &[3.0]), at(&grad(&grad(&p)), &[3.0])), (vec![3.0], vec![0.0]));
}

/// `f(x) = 2 x` with the reverse rule `3 c`, in a program `(f x)^power`.
fn thrice(power: usize) -> Program {
    let square = if power == 2 { "%2: f64[] = multiply %1, %1" } else { "%2: f64[] = reshape %1" };
    parse(&format!(
        "program @main(%0: f64[] \"x\") {{
           %1: f64[] = composite %0 {{name = \"f\", rule = custom_vjp}} (program @f(%0: f64[]) {{
             %1: f64[] = add %0, %0
             return %1
           }}, program @fwd(%0: f64[]) {{
             %1: f64[] = add %0, %0
             return %1
           }}, program @bwd(%0: f64[]) {{
             %1: f64[] = constant 3.0
             %2: f64[] = multiply %0, %1
             return %2
           }})
           {square}
           return %2
         }}"
    ))
    .unwrap()
}

#[test]
fn a_reverse_rule_replaces_the_derivative() {
    let p = thrice(1);
    assert_eq!(at(&p, &[1.0]), [2.0]);
    assert_eq!(at(&value_and_grad(&p, &[0]).unwrap(), &[1.0]), [2.0, 3.0]);
    assert_eq!(at(&vjp(&p, &[0]).unwrap(), &[1.0, 10.0]), [2.0, 30.0]);
    // What the forward rule computes is differentiated again, not the rule.
    assert_eq!(at(&grad(&grad(&thrice(2))), &[1.0]), [12.0]);
    assert!(!holds_composites(&value_and_grad(&p, &[0]).unwrap()));
    // Without the mark.
    let plain = inline(&thrice(2)).unwrap();
    assert_eq!((at(&grad(&plain), &[1.0]), at(&grad(&grad(&plain)), &[1.0])), (vec![8.0], vec![8.0]));
}

#[test]
fn forward_mode_of_a_reverse_rule_is_refused_by_name() {
    let e = jvp(&thrice(1), &[0]).unwrap_err();
    assert!(matches!(e, AdError::ReverseOnly { .. }));
    let e = e.to_string();
    assert!(e.contains("\"f\" in forward mode") && e.contains("custom_jvp"), "{e}");
    // Forward over reverse is fine: the reverse has been done.
    let p = value_and_grad(&thrice(2), &[0]).unwrap();
    assert_eq!(at(&jvp(&p, &[0]).unwrap(), &[1.0, 1.0]), [4.0, 12.0, 8.0, 12.0]);
}

#[test]
fn a_forward_rule_replaces_the_derivative_in_both_modes() {
    // f(x, n) = x^2 with the rule cos(x) t; n has no tangent.
    let p = parse(
        "program @main(%0: f64[], %1: i32[]) {
           %2: f64[] = composite %0, %1 {name = \"f\", rule = custom_jvp} (program @f(%0: f64[], %1: i32[]) {
             %2: f64[] = multiply %0, %0
             return %2
           }, program @rule(%0: f64[], %1: i32[], %2: f64[]) {
             %3: f64[] = multiply %0, %0
             %4: f64[] = cosine %0
             %5: f64[] = multiply %4, %2
             return %3, %5
           })
           return %2
         }",
    )
    .unwrap();
    let args = |x: f64| {
        vec![
            tensor(&[], &[x]),
            pullback_eval::Tensor::from_i64s(TensorType::scalar(DType::I32), &[3]).unwrap(),
        ]
    };
    let run = |p: &Program, more: &[f64]| -> Vec<f64> {
        let mut all = args(0.5);
        all.extend(more.iter().map(|&v| tensor(&[], &[v])));
        eval(p, &all).unwrap().iter().map(|t| t.get_f64(0)).collect()
    };
    let (cos, sin) = (0.5f64.cos(), 0.5f64.sin());
    assert_eq!(run(&jvp(&p, &[0]).unwrap(), &[2.0]), [0.25, 2.0 * cos]);
    assert_eq!(run(&grad(&p), &[]), [cos]);
    assert_eq!(run(&grad(&grad(&p)), &[]), [-sin]);
    // One coefficient is kept: what does not depend on the tangent is computed in the primal program.
    let lin = linearize(&p, &[0]).unwrap();
    let ops: Vec<&str> = lin.linear.program().instrs().values().map(|i| i.op().name()).collect();
    assert_eq!((ops, lin.residuals.len()), (vec!["multiply"], 1));
}

#[test]
fn a_rematerialized_region_is_differentiated_through_and_wished_recomputed() {
    let text = |rule: &str| {
        format!(
            "program @main(%0: f64[3], %1: f64[3]) {{
               %2: f64[3] = exponential %0
               %3: f64[3] = composite %2, %1 {{name = \"block\"{rule}}} (program @block(%0: f64[3], %1: f64[3]) {{
                 %2: f64[3] = sine %0
                 %3: f64[3] = multiply %2, %1
                 %4: f64[3] = tanh %3
                 return %4
               }})
               %4: f64[3] = multiply %3, %3
               %5: f64[] = reduce %4 {{dimensions = [0], monoid = add}}
               return %5
             }}"
        )
    };
    let p = parse(&text(", rule = remat")).unwrap();
    let plain = inline(&p).unwrap();
    let args = [tensor(&[3], &[0.1, 0.2, 0.3]), tensor(&[3], &[1.0, -2.0, 3.0])];
    let values = |p: &Program| eval(&value_and_grad(p, &[0, 1]).unwrap(), &args).unwrap();
    assert_eq!(values(&p), values(&plain));
    // Nothing is done twice.
    let n = |p: &Program| value_and_grad(p, &[0, 1]).unwrap().instrs().len();
    assert_eq!(n(&p), n(&plain));
    let lin = linearize(&p, &[0, 1]).unwrap();
    let kept: Vec<_> = lin.residuals.iter().filter(|r| !lin.recompute.contains(r)).collect();
    assert!(!lin.recompute.is_empty() && lin.recompute.iter().all(|r| lin.residuals.contains(r)));
    // What enters and leaves the region, and the factor outside, stay: exp, the argument, the result.
    for &&r in &kept {
        let def = lin.primal.def(r);
        let inside = matches!(def, pullback_ir::ValueDef::Result(id, _)
            if ["sine", "cosine"].contains(&lin.primal.instr(id).op().name()));
        assert!(!inside, "{}", lin.primal);
    }
    assert!(linearize(&plain, &[0, 1]).unwrap().recompute.is_empty());
}

/// Soft threshold by 1, whose derivative is given for the first operand alone.
struct Shrink;

impl CustomOp for Shrink {
    fn name(&self) -> &str {
        "test.shrink"
    }
    fn infer(&self, call: Call<'_>) -> Result<Vec<TensorType>, String> {
        match call.operands {
            [x, y] if x == y && x.dtype() == DType::F64 => Ok(vec![x.clone()]),
            other => Err(format!("takes two equal f64 tensors, not {other:?}")),
        }
    }
    fn flops(&self, call: Call<'_>) -> u64 {
        3 * call.operands[0].count() as u64
    }
    fn depth(&self) -> u32 {
        1
    }
    fn assurance(&self) -> Assurance {
        Assurance::Tested
    }
    fn pullback(&self, call: Call<'_>, operand: usize) -> Result<Option<Program>, String> {
        if operand != 0 {
            return Ok(None);
        }
        let mut b = Builder::new("shrink.pullback");
        let x = b.arg(None, call.operands[0].clone());
        b.arg(None, call.operands[1].clone());
        b.arg(None, call.operands[0].clone());
        let ct = b.arg(None, call.operands[0].clone());
        let ty = call.operands[0].clone();
        let (size, one) = (b.unary(UnaryOp::Abs, x).unwrap(), b.splat(&ty, 1.0));
        let outside = b.compare(Comparison::Gt, size, one).unwrap();
        let zeros = b.splat(&ty, 0.0);
        let dx = b.select(outside, ct, zeros).unwrap();
        Ok(Some(b.finish(&[dx])))
    }
    fn evaluate(&self, _: Call<'_>, operands: &[Read<'_>], results: &mut [Write<'_>]) {
        let (x, out) = (operands[0].bytes.chunks_exact(8), results[0].bytes.chunks_exact_mut(8));
        for (x, out) in x.zip(out) {
            let x = f64::from_le_bytes(x.try_into().unwrap());
            let y = x.signum() * (x.abs() - 1.0).max(0.0);
            out.copy_from_slice(&y.to_le_bytes());
        }
    }
}

fn shrink() -> Program {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| register(Arc::new(Shrink)).unwrap());
    let ty = TensorType::scalar(DType::F64);
    let own = itself("test.shrink", Call { attributes: "", operands: &[ty.clone(), ty] }).unwrap();
    let mut b = Builder::new("main");
    let args: Vec<_> = own.args().iter().map(|&a| b.arg(None, own.ty(a).clone())).collect();
    let y = b.inline(&own, &args, None).unwrap()[0];
    let y = b.mul(y, y).unwrap();
    b.finish(&[y])
}

#[test]
fn an_operator_of_others_brings_its_pullback() {
    let p = shrink();
    assert_eq!(at(&p, &[-3.0, 0.0]), [4.0]);
    assert_eq!(at(&value_and_grad(&p, &[0]).unwrap(), &[-3.0, 0.0]), [4.0, -4.0]);
    assert_eq!(at(&value_and_grad(&p, &[0]).unwrap(), &[0.5, 0.0]), [0.0, 0.0]);
    // It was registered for one derivative, for the first operand, in reverse.
    let e = value_and_grad(&grad(&p), &[0]).unwrap_err().to_string();
    assert!(e.contains("\"test.shrink\" again") && e.contains("greater depth"), "{e}");
    let e = value_and_grad(&p, &[1]).unwrap_err().to_string();
    assert!(e.contains("\"test.shrink\" with respect to its operand 1"), "{e}");
    let e = jvp(&p, &[0]).unwrap_err().to_string();
    assert!(e.contains("\"test.shrink\" in forward mode"), "{e}");
}

#[test]
fn an_operator_that_is_not_there_is_refused_by_name() {
    let p = parse(
        "program @main(%0: f64[]) {
           %1: f64[] = custom %0 {name = \"test.nobody\", factors = [], kinds = [], operand_dims = [[]], result_dims = [[]], flops = 1, depth = 1, assurance = trusted}
           return %1
         }",
    )
    .unwrap();
    for e in [
        value_and_grad(&p, &[0]).unwrap_err().to_string(),
        eval(&p, &[tensor(&[], &[1.0])]).unwrap_err().to_string(),
    ] {
        assert!(e.contains("\"test.nobody\" is not registered in this process"), "{e}");
    }
}
