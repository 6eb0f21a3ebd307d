//! Hessian-vector products, forward over reverse: the gradient's program with tangents along given vectors.
//!
//! One program gives loss, gradients and products, so what they share is computed once.

use super::{same_args, value_and_grad_with};
use crate::error::AdError;
use crate::options::Options;
use crate::together::{extra_arg, together};
use pullback_ir::{Builder, Program, Value};

/// Hessian times vector. Arguments: the source's, then a vector per `wrt` entry (`vector.<argument>`); results: the
/// source's, the gradients as [`super::value_and_grad`] gives them, then per `wrt` entry the gradient's derivative
/// along all the vectors together (`hvp.<argument>`).
pub fn hvp(program: &Program, wrt: &[usize]) -> Result<Program, AdError> {
    hvp_with(program, wrt, &Options::default())
}

/// As [`hvp`], with what is to be done about loops.
pub fn hvp_with(program: &Program, wrt: &[usize], options: &Options) -> Result<Program, AdError> {
    let gradient = value_and_grad_with(program, wrt, options)?;
    let n = program.results().len();
    let outputs: Vec<usize> = (n..n + wrt.len()).collect();
    let joint = together(&gradient, wrt, &outputs)?;
    let mut b = Builder::new(format!("{}.hvp", program.name()));
    let mut args = same_args(&mut b, program);
    let name = |i: usize| program.value_name(program.args()[i]);
    for &i in wrt {
        let ty = program.ty(program.args()[i]).clone();
        args.push(extra_arg(&mut b, "vector", name(i), ty));
    }
    let results = b.inline(&joint, &args, Some(""))?;
    let own = (0..gradient.results().len()).map(|k| gradient.result_name(k).map(str::to_owned));
    let products = wrt.iter().map(|&i| Some(name(i).map_or(format!("hvp.arg{i}"), |n| format!("hvp.{n}"))));
    let named: Vec<(Value, Option<String>)> = results.into_iter().zip(own.chain(products)).collect();
    Ok(b.finish_named(named))
}
