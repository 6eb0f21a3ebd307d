//! Dead code: instructions that no result needs are dropped. Arguments stay, used or not.
//!
//! No op has an effect, so being needed for a result is all that keeps one.

use super::rewrite::Rewriter;
use crate::infer::TypeError;
use crate::program::Program;
use pullback_base::IdMap;

pub(super) fn dce(program: &Program) -> Result<Program, TypeError> {
    let mut live = IdMap::filled(program.n_values(), false);
    for &r in program.results() {
        live[r] = true;
    }
    for instr in program.instrs().values().rev() {
        if instr.op().communicates() || instr.results().iter().any(|&r| live[r]) {
            for &v in instr.operands() {
                live[v] = true;
            }
        }
    }
    let mut new = Rewriter::new(program);
    for instr in program.instrs().values() {
        if instr.op().communicates() || instr.results().iter().any(|&r| live[r]) {
            let operands = new.operands(instr)?;
            new.push(instr, instr.op().clone(), &operands)?;
        }
    }
    new.finish()
}
