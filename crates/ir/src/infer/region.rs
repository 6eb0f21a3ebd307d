//! Types of ops that run programs: while and case.
//!
//! Programs are closed: what they read are their arguments. They were typed when they were built.

use super::{Result, TypeError, constraint, ensure};
use crate::dtype::{DType, TensorType};
use crate::program::Program;

/// The arguments of a region have the types of the operands it gets.
pub(super) fn takes(
    what: &str,
    number: Option<u8>,
    region: &Program,
    operands: &[&TensorType],
) -> Result<()> {
    let (n, got) = (region.args().len(), operands.len());
    constraint!(number, n == got, "{what} takes {n} values, there are {got}");
    for (i, (&arg, x)) in region.args().iter().zip(operands).enumerate() {
        constraint!(
            number,
            region.ty(arg) == *x,
            "argument {i} of {what} is {}, it gets {x}",
            region.ty(arg)
        );
    }
    Ok(())
}

pub(super) fn results(region: &Program) -> Vec<TensorType> {
    region.results().iter().map(|&r| region.ty(r).clone()).collect()
}

pub(super) fn while_loop(
    operands: &[&TensorType],
    cond: &Program,
    body: &Program,
) -> Result<Vec<TensorType>> {
    takes("cond", Some(1), cond, operands)?;
    takes("body", Some(2), body, operands)?;
    let holds = results(cond);
    constraint!(1, holds == [TensorType::scalar(DType::Bool)], "cond gives {}, not one bool[]", list(&holds));
    let carried = results(body);
    ensure!(!carried.is_empty(), "a loop carries at least one value");
    constraint!(
        2,
        carried.len() <= operands.len(),
        "body gives {} values of {}",
        carried.len(),
        operands.len()
    );
    for (i, (ty, x)) in carried.iter().zip(operands).enumerate() {
        constraint!(2, ty == *x, "carried value {i} is {x}, body gives {ty}");
    }
    Ok(carried)
}

pub(super) fn case(operands: &[&TensorType], branches: &[Program]) -> Result<Vec<TensorType>> {
    let Some((index, captured)) = operands.split_first() else {
        return Err(TypeError::new("needs an index"));
    };
    ensure!(**index == TensorType::scalar(DType::I32), "the index is {index}, not i32[]");
    let Some((first, rest)) = branches.split_first() else {
        return Err(TypeError::constraint(1, "needs a branch"));
    };
    let types = results(first);
    ensure!(!types.is_empty(), "a branch gives at least one value");
    takes("branch 0", None, first, captured)?;
    for (i, branch) in rest.iter().enumerate() {
        takes(&format!("branch {}", i + 1), None, branch, captured)?;
        let own = results(branch);
        constraint!(3, own == types, "branch {} gives {}, branch 0 {}", i + 1, list(&own), list(&types));
    }
    Ok(types)
}

pub(super) fn list(types: &[TensorType]) -> String {
    let names: Vec<String> = types.iter().map(ToString::to_string).collect();
    format!("({})", names.join(", "))
}
