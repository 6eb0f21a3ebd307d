//! What a value plainly is: ops that hand their operand on are looked through.
//!
//! Exports write them where a type only changes in name, as for Python's numbers: a convert of a type to itself, a
//! broadcast to the same shape, and a bool compared with false. Bits are kept, NaN too.

use crate::dtype::DType;
use crate::op::{Comparison, Op};
use crate::program::{Program, Value, ValueDef};

/// The value that `v` is, element by element and bit by bit; `v` itself where no op hands it on. Of the same type.
pub fn plain(program: &Program, mut v: Value) -> Value {
    while let Some(x) = handed_on(program, v) {
        v = x;
    }
    v
}

/// The operand that the op of `v` gives as it is.
fn handed_on(program: &Program, v: Value) -> Option<Value> {
    let ValueDef::Result(id, _) = program.def(v) else { return None };
    let instr = program.instr(id);
    let &x = instr.operands().first()?;
    let kept = program.ty(x) == program.ty(v)
        && if let Op::BroadcastInDim { dims, .. } = instr.op() {
            dims.is_sorted()
        } else if let (Op::Compare { direction: Comparison::Ne, .. }, &[_, y]) =
            (instr.op(), instr.operands())
        {
            program.ty(x).dtype() == DType::Bool && is_false(program, y)
        } else {
            matches!(instr.op(), Op::Convert { .. })
        };
    kept.then_some(x)
}

/// Whether all elements surely are false.
fn is_false(program: &Program, mut v: Value) -> bool {
    while let ValueDef::Result(id, _) = program.def(v) {
        let instr = program.instr(id);
        match (instr.op(), instr.operands()) {
            (Op::BroadcastInDim { .. }, &[x]) => v = x,
            (Op::Constant(l), _) => return l.splat_bytes().is_some_and(|b| b.iter().all(|&b| b == 0)),
            _ => return false,
        }
    }
    false
}
