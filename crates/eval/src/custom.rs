//! Operators of other people: their kernels are found by name in the registry of this process.

use crate::buffer::Tensor;
use crate::error::{EvalError, Result};
use pullback_ir::custom::{Call, Read, Write, registered, unknown};
use pullback_ir::{Custom, TensorType};

fn refused(c: &Custom, why: &str) -> EvalError {
    EvalError::Unsupported { op: "custom", why: format!("the operator \"{}\": {why}", c.name) }
}

/// An error where the operator is not registered in this process, or is not as the program describes it.
pub(crate) fn check(c: &Custom, operands: Vec<TensorType>) -> Result<()> {
    let Some(op) = registered(&c.name) else { return Err(EvalError::Type(unknown(&c.name))) };
    let results = op.infer(Call { attributes: &c.attributes, operands: &operands });
    if results.map_err(|e| refused(c, &e))? != c.results {
        return Err(refused(c, "the program says other results than it has"));
    }
    Ok(())
}

/// Runs the operator's kernel. An error where it is not registered, or takes no such operands.
pub(crate) fn evaluate(c: &Custom, operands: &[&Tensor]) -> Result<Vec<Tensor>> {
    let Some(op) = registered(&c.name) else { return Err(EvalError::Type(unknown(&c.name))) };
    let types: Vec<TensorType> = operands.iter().map(|t| t.ty().clone()).collect();
    let call = Call { attributes: &c.attributes, operands: &types };
    check(c, types.clone())?;
    let reads: Vec<Read<'_>> = operands.iter().map(|t| Read { ty: t.ty(), bytes: t.bytes() }).collect();
    let mut results = Vec::with_capacity(c.results.len());
    for ty in &c.results {
        results.push(Tensor::try_zeros(ty.clone())?);
    }
    let mut writes: Vec<Write<'_>> =
        results.iter_mut().zip(&c.results).map(|(t, ty)| Write { ty, bytes: t.bytes_mut() }).collect();
    op.evaluate(call, &reads, &mut writes);
    Ok(results)
}
