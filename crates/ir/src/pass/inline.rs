//! Composites replaced by their bodies, inside loops and choices too.
//!
//! Names inside go along. What a rule says of a derivative is lost, so this comes after differentiation.

use super::rewrite::Rewriter;
use crate::infer::TypeError;
use crate::op::Op;
use crate::program::Program;

/// Whether an op of it, or of a program that its ops run, is a composite.
pub fn holds_composites(program: &Program) -> bool {
    program
        .instrs()
        .values()
        .any(|i| matches!(i.op(), Op::Composite(_)) || i.op().regions().into_iter().any(holds_composites))
}

/// The program without composites.
pub fn inline(program: &Program) -> Result<Program, TypeError> {
    if !holds_composites(program) {
        return Ok(program.clone());
    }
    let mut new = Rewriter::new(program);
    for instr in program.instrs().values() {
        let operands = new.operands(instr)?;
        if let Op::Composite(c) = instr.op() {
            let results = new.inline(&inline(&c.body)?, &operands)?;
            for (&old, value) in instr.results().iter().zip(results) {
                new.replace(old, value)?;
            }
        } else if let Op::While { cond, body } = instr.op() {
            let op = Op::While { cond: Box::new(inline(cond)?), body: Box::new(inline(body)?) };
            new.push(instr, op, &operands)?;
        } else if let Op::Case { branches } = instr.op() {
            let branches = branches.iter().map(inline).collect::<Result<_, _>>()?;
            new.push(instr, Op::Case { branches }, &operands)?;
        } else {
            new.push(instr, instr.op().clone(), &operands)?;
        }
    }
    new.finish()
}
