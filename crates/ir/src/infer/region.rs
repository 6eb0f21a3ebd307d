//! Types of ops that run programs: while and case.
//!
//! Programs are closed: what they read are their arguments. They were typed when they were built.

use super::{Result, TypeError, ensure};
use crate::dtype::{DType, TensorType};
use crate::program::Program;

/// The arguments of a region have the types of the operands it gets.
fn takes(what: &str, region: &Program, operands: &[&TensorType]) -> Result<()> {
    let (n, got) = (region.args().len(), operands.len());
    ensure!(n == got, "{what} takes {n} values, there are {got}");
    for (i, (&arg, x)) in region.args().iter().zip(operands).enumerate() {
        ensure!(region.ty(arg) == *x, "argument {i} of {what} is {}, it gets {x}", region.ty(arg));
    }
    Ok(())
}

fn results(region: &Program) -> Vec<TensorType> {
    region.results().iter().map(|&r| region.ty(r).clone()).collect()
}

pub(super) fn while_loop(
    operands: &[&TensorType],
    cond: &Program,
    body: &Program,
) -> Result<Vec<TensorType>> {
    takes("cond", cond, operands)?;
    takes("body", body, operands)?;
    let holds = results(cond);
    ensure!(holds == [TensorType::scalar(DType::Bool)], "cond gives {}, not one bool[]", list(&holds));
    let carried = results(body);
    ensure!(!carried.is_empty(), "a loop carries at least one value");
    ensure!(carried.len() <= operands.len(), "body gives {} values of {}", carried.len(), operands.len());
    for (i, (ty, x)) in carried.iter().zip(operands).enumerate() {
        ensure!(ty == *x, "carried value {i} is {x}, body gives {ty}");
    }
    Ok(carried)
}

pub(super) fn case(operands: &[&TensorType], branches: &[Program]) -> Result<Vec<TensorType>> {
    let Some((index, captured)) = operands.split_first() else {
        return Err(TypeError::new("needs an index"));
    };
    ensure!(**index == TensorType::scalar(DType::I32), "the index is {index}, not i32[]");
    let Some((first, rest)) = branches.split_first() else { return Err(TypeError::new("needs a branch")) };
    let types = results(first);
    ensure!(!types.is_empty(), "a branch gives at least one value");
    takes("branch 0", first, captured)?;
    for (i, branch) in rest.iter().enumerate() {
        takes(&format!("branch {}", i + 1), branch, captured)?;
        let own = results(branch);
        ensure!(own == types, "branch {} gives {}, branch 0 {}", i + 1, list(&own), list(&types));
    }
    Ok(types)
}

fn list(types: &[TensorType]) -> String {
    let names: Vec<String> = types.iter().map(ToString::to_string).collect();
    format!("({})", names.join(", "))
}
