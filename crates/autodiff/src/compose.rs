//! Compositions of linearize and transpose: jvp, vjp, value and gradient, second derivatives and Jacobians. All give
//! ordinary programs, so they nest; a gradient through optimizer steps is the gradient of a program that holds them.
//!
//! Each is the primal program followed by the linear or transposed one in one program; residuals are plain
//! values between the two.

mod dense;
mod residual;
mod second;

pub use dense::{hessian, hessian_with, jacfwd, jacrev, jacrev_with};
pub use residual::{Residual, residuals};
pub use second::{hvp, hvp_with};

use crate::error::AdError;
use crate::extract::extract_late;
use crate::linearize::{differentiable_results, linearize_results, linearize_with};
use crate::options::{Options, Settings};
use crate::together::{extra_arg, together};
use crate::transpose::transpose;
use pullback_ir::{Builder, Op, Program, TensorType, TypeError, Value, ValueDef};

/// Forward mode. Arguments: the source's, then a tangent per `wrt` entry; results: the source's, then a
/// tangent per floating-point result. Loops carry their tangents along, so they need no bound.
pub fn jvp(program: &Program, wrt: &[usize]) -> Result<Program, AdError> {
    let joint = together(program, wrt, &differentiable_results(program))?;
    let mut b = Builder::new(format!("{}.jvp", program.name()));
    let args = same_args(&mut b, &joint);
    let results = b.inline(&joint, &args, Some(""))?;
    let name = |i| joint.result_name(i).map(str::to_owned);
    Ok(b.finish_named(results.into_iter().enumerate().map(|(i, v)| (v, name(i))).collect()))
}

/// Reverse mode. Arguments: the source's, then a cotangent per floating-point result; results: the source's,
/// then a cotangent per `wrt` entry, named `grad.<argument>`.
pub fn vjp(program: &Program, wrt: &[usize]) -> Result<Program, AdError> {
    vjp_with(program, wrt, &Options::default())
}

/// As [`vjp`], with what is to be done about loops.
pub fn vjp_with(program: &Program, wrt: &[usize], options: &Options) -> Result<Program, AdError> {
    let lin = linearize_with(program, wrt, options)?;
    let mut b = Builder::new(format!("{}.vjp", program.name()));
    let args = same_args(&mut b, program);
    let mut seeds = Vec::new();
    for &i in &lin.results {
        let ty = program.ty(program.results()[i]).clone();
        seeds.push(extra_arg(&mut b, "ct", program.result_name(i), ty));
    }
    let (mut results, residuals) = inline_primal(&mut b, &lin.primal, &args, program)?;
    let primal = b.so_far().instrs().len();
    let gradients = b.inline(&transpose(&lin.linear)?, &[residuals, seeds].concat(), Some(""))?;
    results.extend(named_gradients(&mut b, program, wrt, &gradients)?);
    finish(b, program, &results, primal)
}

/// The source's results in order, then one gradient of the loss per `wrt` entry, named `grad.<argument>`; same
/// arguments as the source. The loss is result 0, a rank-0 float; other results get no cotangent.
pub fn value_and_grad(program: &Program, wrt: &[usize]) -> Result<Program, AdError> {
    value_and_grad_with(program, wrt, &Options::default())
}

/// As [`value_and_grad`], with what is to be done about loops.
pub fn value_and_grad_with(program: &Program, wrt: &[usize], options: &Options) -> Result<Program, AdError> {
    let ty = loss_type(program)?;
    let lin = linearize_results(program, wrt, &[0], Settings::of(options))?;
    let mut b = Builder::new(program.name());
    let args = same_args(&mut b, program);
    let (mut results, mut operands) = inline_primal(&mut b, &lin.primal, &args, program)?;
    let primal = b.so_far().instrs().len();
    operands.push(b.splat(ty, 1.0));
    let gradients = b.inline(&transpose(&lin.linear)?, &operands, Some(""))?;
    results.extend(named_gradients(&mut b, program, wrt, &gradients)?);
    finish(b, program, &results, primal)
}

/// The type of the loss, result 0.
fn loss_type(program: &Program) -> Result<&TensorType, AdError> {
    let &loss = program.results().first().ok_or(AdError::NoLoss)?;
    let ty = program.ty(loss);
    if ty.rank() != 0 || !ty.dtype().is_float() {
        return Err(AdError::LossNotScalar { at: program.display_name(loss), ty: ty.clone() });
    }
    Ok(ty)
}

type Named = (Value, Option<String>);

fn same_args(b: &mut Builder, program: &Program) -> Vec<Value> {
    program.args().iter().map(|&a| b.arg(program.value_name(a), program.ty(a).clone())).collect()
}

/// Appends the primal program; gives the source's results with their names, and the residuals.
fn inline_primal(
    b: &mut Builder,
    primal: &Program,
    args: &[Value],
    source: &Program,
) -> Result<(Vec<Named>, Vec<Value>), TypeError> {
    let mut values = b.inline(primal, args, Some(""))?;
    let residuals = values.split_off(source.results().len());
    let name = |i| source.result_name(i).map(str::to_owned);
    Ok((values.into_iter().enumerate().map(|(i, v)| (v, name(i))).collect(), residuals))
}

/// Names gradients. One that is an argument, or has a name already (a gradient of two arguments, a value of
/// the source), becomes a value of its own first.
fn named_gradients(
    b: &mut Builder,
    program: &Program,
    wrt: &[usize],
    gradients: &[Value],
) -> Result<Vec<Named>, TypeError> {
    let mut named = Vec::new();
    for (&i, &g) in wrt.iter().zip(gradients) {
        let name =
            program.value_name(program.args()[i]).map_or(format!("grad.arg{i}"), |n| format!("grad.{n}"));
        let taken = b.so_far().value_name(g).is_some() || matches!(b.so_far().def(g), ValueDef::Arg(_));
        let own = if taken {
            let shape = b.ty(g).shape().to_vec();
            b.push1(Op::Reshape { shape }, &[g])?
        } else {
            g
        };
        b.name(own, name.clone());
        named.push((own, Some(name)));
    }
    Ok(named)
}

/// Ends the program; `primal` is the number of instructions of its primal part.
fn finish(b: Builder, source: &Program, results: &[Named], primal: usize) -> Result<Program, AdError> {
    Ok(extract_late(b.so_far(), results, source.results().len(), primal)?)
}
