//! Common subexpressions: an op with the attributes and operands of an earlier one becomes that one.
//!
//! Constants are compared by their bits, so 0 and -0 stay apart. The earlier value keeps its name; it takes
//! the later one's only if it has none. Operands are compared in order: `add a, b` and `add b, a` stay two.

use super::rewrite::Rewriter;
use crate::infer::TypeError;
use crate::op::Op;
use crate::program::{Program, Value};
use std::collections::BTreeMap;

pub(super) fn cse(program: &Program) -> Result<Program, TypeError> {
    let mut seen: BTreeMap<(Vec<Value>, &Op), Vec<Value>> = BTreeMap::new();
    let mut new = Rewriter::new(program);
    for instr in program.instrs().values() {
        let key = (new.operands(instr)?, instr.op());
        match seen.get(&key).filter(|_| !instr.op().communicates()) {
            Some(earlier) => {
                for (&old, &new_value) in instr.results().iter().zip(earlier) {
                    new.replace(old, new_value)?;
                }
            }
            None => {
                new.push(instr, instr.op().clone(), &key.0)?;
                let results = instr.results().iter().map(|&r| new.get(r)).collect::<Result<_, _>>()?;
                seen.insert(key, results);
            }
        }
    }
    new.finish()
}
