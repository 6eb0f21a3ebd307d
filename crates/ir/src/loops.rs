//! Counted loops: how many turns a while takes, where that follows from constants.
//!
//! Recognised is a carried whole number that starts at a constant, grows or shrinks by a constant each turn, and is
//! compared with a constant: what scans and fori loops are exported as. Where further conditions are joined to that
//! one, it is a bound.

use crate::dtype::{DType, DTypeClass, TensorType};
use crate::literal::{Literal, decode_i64};
use crate::op::{BinaryOp, Comparison, Op};
use crate::program::{Instr, InstrId, Program, Value, ValueDef};

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
    let Bounded { counter, start, step, most, exact } = bounded(program, id)?;
    exact.then_some(Counted { counter, start, step, turns: most })
}

/// A loop that a counter ends at the latest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounded {
    /// The carried value that counts.
    pub counter: usize,
    /// Its value in the first turn.
    pub start: i64,
    /// What a turn adds to it.
    pub step: i64,
    /// It has no more turns than these.
    pub most: u64,
    /// It has exactly these.
    pub exact: bool,
}

/// The bound on the turns of the while `id`: where its condition is one of a counter, as for [`counted`], or several
/// joined by `and`, of which at least one is. Counter and bound may go through conversions and reshapes, and what a
/// region captures, or carries unchanged, is known where the operand is.
pub fn bounded(program: &Program, id: InstrId) -> Option<Bounded> {
    let instr = program.instr(id);
    let Op::While { cond, body } = instr.op() else { return None };
    let tests = conjuncts(cond);
    let of_test = |&test: &Value| {
        let (Op::Compare { direction, total_order: false }, &[x, y]) = producer(cond, test)? else {
            return None;
        };
        count_by(program, instr, cond, body, (*direction, x, y))
            .or_else(|| count_by(program, instr, cond, body, (mirrored(*direction), y, x)))
    };
    let least = tests.iter().filter_map(of_test).min_by_key(|b| b.most)?;
    // One that never holds is exact, whatever the others are.
    Some(Bounded { exact: tests.len() == 1 || least.most == 0, ..least })
}

/// A carried value of the while `id` that starts at a constant and to which each turn adds a constant, whatever the
/// condition is: its number, its start and what is added. Only of types of 32 and 64 bits.
pub fn counter(program: &Program, id: InstrId) -> Option<(usize, i64, i64)> {
    let instr = program.instr(id);
    let Op::While { body, .. } = instr.op() else { return None };
    (0..body.results().len()).find_map(|i| {
        let (start, step) =
            (whole(program, instr.operands()[i])?, step(program, instr, body, i, &mut Vec::new())?);
        let wide = body.ty(body.results()[i]).dtype().bits() >= 32;
        let (Op::Binary(_), _) = producer(body, body.results()[i])? else { return None };
        (step != 0 && wide).then_some((i, start, step))
    })
}

/// The conditions that `and` joins to a region's result, a rank-0 bool. Conversions of bools to bools and comparisons
/// with false, which exports put between, are looked through.
pub fn conjuncts(cond: &Program) -> Vec<Value> {
    let (mut found, mut looked) = (Vec::new(), 0);
    let mut open = cond.results().to_vec();
    while let Some(v) = open.pop() {
        looked += 1;
        match producer(cond, v).filter(|_| looked < MAX_DEPTH) {
            Some((Op::Binary(BinaryOp::And), of)) => open.extend(of),
            Some((op, of)) => match same_bool(cond, op, of) {
                Some(x) => open.push(x),
                None => found.push(v),
            },
            None => found.push(v),
        }
    }
    found
}

/// The rank-0 bool that an op on bools merely passes on.
fn same_bool(cond: &Program, op: &Op, of: &[Value]) -> Option<Value> {
    let bool = |v: &Value| *cond.ty(*v) == TensorType::scalar(DType::Bool);
    let is_false = |v: Value| {
        let of = match producer(cond, v) {
            Some((Op::BroadcastInDim { .. }, &[x])) => x,
            _ => v,
        };
        literal(cond, of).is_some_and(|l| l.splat_value() == Some(0.0))
    };
    match (op, of) {
        (Op::Convert { .. }, [x]) if bool(x) => Some(*x),
        (Op::Compare { direction: Comparison::Ne, .. }, &[x, y]) if bool(&x) && is_false(y) => Some(x),
        (Op::Compare { direction: Comparison::Ne, .. }, &[x, y]) if bool(&x) && is_false(x) => Some(y),
        _ => None,
    }
}

/// Conditions looked at, and ops followed from a value to an argument.
const MAX_DEPTH: usize = 64;
/// Ops followed from a value to constants; each may have two operands.
const MAX_TERMS: usize = 12;

/// The turns where `x` is a counter and `y` a constant.
fn count_by(
    program: &Program,
    instr: &Instr,
    cond: &Program,
    body: &Program,
    (direction, x, y): (Comparison, Value, Value),
) -> Option<Bounded> {
    let outside = outside(program, instr, body);
    let mut dtypes = Vec::new();
    let counter = follow(cond, x, &mut dtypes).filter(|&i| i < body.results().len())?;
    let bound = evaluate(cond, y, &outside, MAX_TERMS)?;
    let start = whole(program, instr.operands()[counter])?;
    let step = step(program, instr, body, counter, &mut dtypes)?;
    dtypes.push(program.ty(instr.operands()[counter]).dtype());
    let most = turns(&dtypes, start.into(), step.into(), direction, bound.into())?;
    Some(Bounded { counter, start, step, most, exact: true })
}

/// The whole numbers that arguments of a loop's regions are: where the operand is one and no turn changes it.
fn outside<'a>(
    program: &'a Program,
    instr: &'a Instr,
    body: &'a Program,
) -> impl Fn(usize) -> Option<i64> + use<'a> {
    let unchanged = |i: usize| body.results().get(i).is_none_or(|&r| argument(body, r) == Some(i));
    move |i| if unchanged(i) { whole(program, instr.operands()[i]) } else { None }
}

/// What a turn adds to the carried value of this number; types that it goes through are noted.
fn step(
    program: &Program,
    instr: &Instr,
    body: &Program,
    counter: usize,
    dtypes: &mut Vec<DType>,
) -> Option<i64> {
    let outside = outside(program, instr, body);
    let update = through(body, body.results()[counter], dtypes);
    let (Op::Binary(op), &[x, y]) = producer(body, update)? else { return None };
    let mut is_counter = |v: Value| follow(body, v, dtypes) == Some(counter);
    let constant = |v: Value| evaluate(body, v, &outside, MAX_TERMS);
    if *op == BinaryOp::Add && is_counter(x) {
        constant(y)
    } else if *op == BinaryOp::Add && is_counter(y) {
        constant(x)
    } else if *op == BinaryOp::Subtract && is_counter(x) {
        constant(y)?.checked_neg()
    } else {
        None
    }
}

/// The value behind conversions of whole numbers and reshapes, whose types are noted.
fn through(region: &Program, mut v: Value, dtypes: &mut Vec<DType>) -> Value {
    for _ in 0..MAX_DEPTH {
        dtypes.push(region.ty(v).dtype());
        match producer(region, v) {
            Some((Op::Convert { .. } | Op::Reshape { .. }, &[x])) if region.ty(x).dtype().is_integer() => {
                v = x
            }
            _ => break,
        }
    }
    v
}

/// The argument a value is, but for conversions and reshapes.
fn follow(region: &Program, v: Value, dtypes: &mut Vec<DType>) -> Option<usize> {
    let v = through(region, v, dtypes);
    argument(region, v)
}

/// How often start, start + step, … stands in the relation to the bound, in a row from the first; `None` where it
/// goes on until the number wraps around.
fn turns(dtypes: &[DType], start: i128, step: i128, direction: Comparison, bound: i128) -> Option<u64> {
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
    let last = start + n * step;
    let fits = |&d: &DType| {
        range(d).is_some_and(|(low, high)| [start, last].iter().all(|v| (low..=high).contains(v)))
    };
    dtypes.iter().all(fits).then(|| u64::try_from(n).ok())?
}

/// The least and the greatest whole number of a type. Bytes of narrower types than one byte are not read as numbers.
fn range(dtype: DType) -> Option<(i128, i128)> {
    let bits = dtype.bits();
    match dtype.class() {
        DTypeClass::Signed if bits >= 8 => Some((-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)),
        DTypeClass::Unsigned if bits >= 8 => Some((0, (1i128 << bits) - 1)),
        DTypeClass::Signed | DTypeClass::Unsigned => None,
        DTypeClass::Bool | DTypeClass::Float | DTypeClass::Complex => None,
    }
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

/// The whole number that a value of one element is.
fn whole(program: &Program, v: Value) -> Option<i64> {
    evaluate(program, v, &|_| None, MAX_TERMS)
}

/// As [`whole`]; `outside` tells what arguments are. Sums and products that would wrap are not followed.
fn evaluate(
    program: &Program,
    v: Value,
    outside: &dyn Fn(usize) -> Option<i64>,
    depth: usize,
) -> Option<i64> {
    let (dtype, depth) = (program.ty(v).dtype(), depth.checked_sub(1)?);
    let (low, high) = range(dtype)?;
    if program.ty(v).count() != 1 {
        return None;
    }
    let Some((op, of)) = producer(program, v) else { return outside(argument(program, v)?) };
    let number = |v: Value| evaluate(program, v, outside, depth).map(i128::from);
    let n: i128 = match (op, of) {
        (Op::Constant(l), _) if dtype == DType::U64 => i128::from(decode_i64(dtype, l.element(0)) as u64),
        (Op::Constant(l), _) => decode_i64(dtype, l.element(0)).into(),
        (Op::Convert { .. } | Op::Reshape { .. } | Op::BroadcastInDim { .. }, &[x]) => number(x)?,
        (Op::Binary(BinaryOp::Add), &[x, y]) => number(x)? + number(y)?,
        (Op::Binary(BinaryOp::Subtract), &[x, y]) => number(x)? - number(y)?,
        (Op::Binary(BinaryOp::Multiply), &[x, y]) => number(x)? * number(y)?,
        (Op::Binary(BinaryOp::Maximum), &[x, y]) => number(x)?.max(number(y)?),
        (Op::Binary(BinaryOp::Minimum), &[x, y]) => number(x)?.min(number(y)?),
        _ => return None,
    };
    if (low..=high).contains(&n) { i64::try_from(n).ok() } else { None }
}
