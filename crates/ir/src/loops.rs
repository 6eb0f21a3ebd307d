//! Counted loops: how many turns a while takes, where that follows from constants.
//!
//! Recognised is a carried whole number that starts at a constant, grows or shrinks by a constant each turn, and is
//! compared with a constant: what scans and fori loops are exported as.

use crate::dtype::{DType, DTypeClass};
use crate::literal::{Literal, decode_i64};
use crate::op::{BinaryOp, Comparison, Op};
use crate::program::{InstrId, Program, Value, ValueDef};

/// A loop whose number of turns is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Counted {
    /// The carried value that counts.
    pub counter: usize,
    /// Its value in the first turn.
    pub start: i64,
    /// What a turn adds to it.
    pub step: i64,
    /// How many turns there are.
    pub turns: u64,
}

/// The number of turns of the while `id`, where it is one of these loops.
///
/// ```
/// use pullback_ir::{InstrId, loops::counted, text::parse};
/// use pullback_base::Id;
/// let p = parse("program @f(%0: i32[]) {
///   %1: i32[] = constant 2
///   %2: i32[] = while %1 (program @cond(%0: i32[]) {
///     %1: i32[] = constant 9
///     %2: bool[] = compare %0, %1 {comparison_direction = LT}
///     return %2
///   }, program @body(%0: i32[]) {
///     %1: i32[] = constant 3
///     %2: i32[] = add %1, %0
///     return %2
///   })
///   return %2
/// }").unwrap();
/// assert_eq!(counted(&p, InstrId::from_index(1)).unwrap().turns, 3);
/// ```
pub fn counted(program: &Program, id: InstrId) -> Option<Counted> {
    let instr = program.instr(id);
    let Op::While { cond, body } = instr.op() else { return None };
    let carried = body.results().len();
    // A region's argument is a constant where the operand is one and no turn changes it.
    let constant = |region: &Program, v: Value| match region.def(v) {
        ValueDef::Arg(i) if i >= carried => whole(program, instr.operands()[i]),
        ValueDef::Arg(_) | ValueDef::Result(..) => whole(region, v),
    };
    let (Op::Compare { direction, total_order: false }, of) = producer(cond, *cond.results().first()?)?
    else {
        return None;
    };
    let &[x, y] = of else { return None };
    let (counter, bound, direction) = match (argument(cond, x), argument(cond, y)) {
        (Some(i), _) if i < carried => (i, constant(cond, y)?, *direction),
        (_, Some(i)) if i < carried => (i, constant(cond, x)?, mirrored(*direction)),
        _ => return None,
    };
    let start = whole(program, instr.operands()[counter])?;
    let (Op::Binary(op), of) = producer(body, body.results()[counter])? else { return None };
    let &[x, y] = of else { return None };
    let is_counter = |v: Value| argument(body, v) == Some(counter);
    let step = if *op == BinaryOp::Add && is_counter(x) {
        constant(body, y)?
    } else if *op == BinaryOp::Add && is_counter(y) {
        constant(body, x)?
    } else if *op == BinaryOp::Subtract && is_counter(x) {
        constant(body, y)?.checked_neg()?
    } else {
        return None;
    };
    let dtype = program.ty(instr.operands()[counter]).dtype();
    let turns = turns(dtype, start.into(), step.into(), direction, bound.into())?;
    Some(Counted { counter, start, step, turns })
}

/// How often start, start + step, … stands in the relation to the bound, in a row from the first; `None` where it
/// goes on until the number wraps around.
fn turns(dtype: DType, start: i128, step: i128, direction: Comparison, bound: i128) -> Option<u64> {
    let holds = |v: i128| match direction {
        Comparison::Eq => v == bound,
        Comparison::Ne => v != bound,
        Comparison::Ge => v >= bound,
        Comparison::Gt => v > bound,
        Comparison::Le => v <= bound,
        Comparison::Lt => v < bound,
    };
    if !holds(start) {
        return Some(0);
    }
    // Where it first does not hold: past the bound, at it, or right after the start.
    let distance = match direction {
        Comparison::Eq => return (step != 0).then_some(1),
        Comparison::Ne => bound - start,
        Comparison::Lt | Comparison::Gt => bound - start,
        Comparison::Le => bound - start + 1,
        Comparison::Ge => bound - start - 1,
    };
    if step == 0 || (distance < 0) != (step < 0) {
        return None;
    }
    let exact = distance % step == 0;
    if direction == Comparison::Ne && !exact {
        return None;
    }
    let n = distance / step + i128::from(!exact);
    let bits = u32::try_from(dtype.size() * 8).ok()?;
    let (low, high) = match dtype.class() {
        DTypeClass::Signed => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
        DTypeClass::Unsigned => (0, (1i128 << bits) - 1),
        DTypeClass::Bool | DTypeClass::Float | DTypeClass::Complex => return None,
    };
    let last = start + n * step;
    (low <= last && last <= high).then(|| u64::try_from(n).ok())?
}

/// The relation with its sides exchanged.
fn mirrored(direction: Comparison) -> Comparison {
    match direction {
        Comparison::Eq => Comparison::Eq,
        Comparison::Ne => Comparison::Ne,
        Comparison::Ge => Comparison::Le,
        Comparison::Gt => Comparison::Lt,
        Comparison::Le => Comparison::Ge,
        Comparison::Lt => Comparison::Gt,
    }
}

fn producer(program: &Program, v: Value) -> Option<(&Op, &[Value])> {
    match program.def(v) {
        ValueDef::Result(id, _) => Some((program.instr(id).op(), program.instr(id).operands())),
        ValueDef::Arg(_) => None,
    }
}

fn argument(program: &Program, v: Value) -> Option<usize> {
    match program.def(v) {
        ValueDef::Arg(i) => Some(i),
        ValueDef::Result(..) => None,
    }
}

/// The literal a value is.
pub(crate) fn literal(program: &Program, v: Value) -> Option<&Literal> {
    if let (Op::Constant(l), _) = producer(program, v)? { Some(l) } else { None }
}

/// The whole number of rank 0 that a value is. Bytes of 4-bit types are not read as numbers here.
fn whole(program: &Program, v: Value) -> Option<i64> {
    let l = literal(program, v)?;
    let d = l.ty().dtype();
    let small = matches!(d, DType::I4 | DType::U4 | DType::U64);
    (d.is_integer() && !small && l.ty().rank() == 0).then(|| decode_i64(d, l.element(0)))
}
