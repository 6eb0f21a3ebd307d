//! Smooth functions that exports spell with corners or choices. JAX has rules for them, which its exports lose.
//!
//! log(exp a + exp b) is `max(a, b) + log1p(exp(-|a - b|))`, which is what softplus, log_sigmoid and logaddexp come to.
//! Its derivative is logistic(a - b) by a and logistic(b - a) by b. With a factor c of the difference and 1 / c of the
//! logarithm (logaddexp2) it is logistic(c (a - b)) and logistic(c (b - a)). With other factors the text's derivative is
//! taken: where a and b are equal both corners meet and cancel if each is taken in the middle, half to each side of the
//! maximum, as always, and 0 as the derivative of this absolute value.
//!
//! x log y that is 0 where x is, whatever y, is `select(x != 0 or y != y, x log y, 0)`: xlogy, and with log1p xlog1py. As a
//! function of x it is x log y at 0 as elsewhere, so its derivative is that of the product.
//!
//! Operands may be broadcast by an instruction for each use, and pass through ops that hand them on ([`plain`]).

use crate::linearize::constant;
use pullback_ir::{BinaryOp, Comparison, DType, Instr, Op, Program, UnaryOp, Value, ValueDef, plain};
use std::collections::{BTreeMap, BTreeSet};

/// The absolute values that stand in such a function with other factors than those of [`log_add_exp`].
pub(crate) fn middles(program: &Program) -> BTreeSet<Value> {
    let found = program.instrs().values().filter_map(|instr| spelled(program, instr));
    found.filter(|s| s.scaled).map(|s| s.size).collect()
}

/// Results of such functions, each with the values that spell it, down to what it is a function of. A derivative of the
/// result is that of the function only while all of them are in one program.
pub(crate) fn spellings(program: &Program) -> BTreeMap<Value, BTreeSet<Value>> {
    let mut found = BTreeMap::new();
    for instr in program.instrs().values() {
        // Each use may repeat what it is a function of by itself.
        let of = |s: LogAddExp| vec![s.a, s.b, repeated(program, s.a).0, repeated(program, s.b).0];
        // The other value of a select may be anything.
        let ends = match (instr.op(), instr.operands()) {
            (Op::Select, &[pred, chosen, sum]) => product(program, instr)
                .map(|p| ([pred, chosen], p.of.to_vec()))
                .or_else(|| log_add_exp(program, instr).map(|s| ([pred, sum], of(s)))),
            (_, &[x, y]) => spelled(program, instr).map(|s| ([x, y], of(s))),
            _ => None,
        };
        if let Some((from, of)) = ends {
            found.insert(instr.result(), between(program, &from, &of));
        }
    }
    found
}

/// Values from `from` down that are computed, `of` left out.
fn between(program: &Program, from: &[Value], of: &[Value]) -> BTreeSet<Value> {
    let mut seen = BTreeSet::new();
    let mut stack = from.to_vec();
    while let Some(v) = stack.pop() {
        let ValueDef::Result(id, _) = program.def(v) else { continue };
        if !of.contains(&v) && seen.insert(v) {
            stack.extend(program.instr(id).operands());
        }
    }
    seen
}

/// log(exp(c a) + exp(c b)) / c, where an instruction gives that.
pub(crate) struct LogAddExp {
    pub(crate) a: Value,
    pub(crate) b: Value,
    /// a - b
    pub(crate) difference: Value,
    /// It is b - a instead.
    pub(crate) turned: bool,
    /// Another value stands where the difference is NaN.
    pub(crate) guarded: bool,
    /// c, which is 1 but for other bases than e.
    pub(crate) factor: f64,
    size: Value,
    scaled: bool,
}

/// What an instruction gives, where it is this function: the sum, or a select of it where the difference is a number.
pub(crate) fn log_add_exp(program: &Program, instr: &Instr) -> Option<LogAddExp> {
    if let (Op::Select, &[pred, _, sum]) = (instr.op(), instr.operands()) {
        let by = producer(program, pred)?;
        let (Op::Compare { direction: Comparison::Ne, .. }, &[x, y]) = (by.op(), by.operands()) else {
            return None;
        };
        let found = spelled(program, producer(program, sum)?).filter(|s| !s.scaled)?;
        let is_difference = |v| plain(program, v) == plain(program, found.difference);
        return (is_difference(x) && is_difference(y)).then_some(LogAddExp { guarded: true, ..found });
    }
    spelled(program, instr).filter(|s| !s.scaled)
}

/// The sum that spells it.
fn spelled(program: &Program, instr: &Instr) -> Option<LogAddExp> {
    let (Op::Binary(BinaryOp::Add), &[x, y]) = (instr.op(), instr.operands()) else { return None };
    middle(program, x, y).or_else(|| middle(program, y, x))
}

/// `max` and the `log` of the difference that it decides by.
fn middle(program: &Program, max: Value, log: Value) -> Option<LogAddExp> {
    let larger = producer(program, max).filter(|i| *i.op() == Op::Binary(BinaryOp::Maximum))?;
    let (log, outside) = scaled(program, log);
    let (power, apart) = scaled(program, unary(program, log, UnaryOp::LogPlusOne)?);
    let (less, inside) = scaled(program, unary(program, power, UnaryOp::Exponential)?);
    let (size, further) = scaled(program, unary(program, less, UnaryOp::Negate)?);
    let difference = unary(program, size, UnaryOp::Abs)?;
    let &[a, b] = larger.operands() else { return None };
    let minus = producer(program, difference).filter(|i| *i.op() == Op::Binary(BinaryOp::Subtract));
    let zero = |v: Value| constant(program, v).is_some_and(|l| l.splat_value() == Some(0.0));
    // A constant may be there twice, and a broadcast.
    let same = |x: Value, y: Value| {
        repeated(program, x) == repeated(program, y)
            || constant(program, x).is_some_and(|l| constant(program, y).as_ref() == Some(&l))
    };
    let turned = match minus.map(Instr::operands) {
        Some(&[x, y]) if same(x, a) && same(y, b) => false,
        Some(&[x, y]) if same(x, b) && same(y, a) => true,
        _ if same(difference, a) && zero(b) => false,
        _ if same(difference, b) && zero(a) => true,
        _ => return None,
    };
    let factor = inside * further;
    // Not where one is NaN.
    let fits = (factor * outside - 1.0).abs() <= rounding(program.ty(max).dtype());
    let scaled = !(fits && factor > 0.0 && apart == 1.0);
    Some(LogAddExp { a, b, difference, turned, guarded: false, factor, size, scaled })
}

/// The product that a choice is one of these for.
pub(crate) struct Product {
    pub(crate) product: Value,
    /// Its factors x and log x, where they are that.
    pub(crate) square: Option<(Value, Value)>,
    /// What x and y repeat.
    of: [Value; 2],
}

/// The product, where a select is one of these functions. What is repeated to a larger shape may be so before or after
/// it is compared.
pub(crate) fn product(program: &Program, select: &Instr) -> Option<Product> {
    let &[pred, product, otherwise] = select.operands() else { return None };
    if constant(program, otherwise)?.splat_value() != Some(0.0) {
        return None;
    }
    let either = producer(program, pred).filter(|i| *i.op() == Op::Binary(BinaryOp::Or))?;
    let &[p, q] = either.operands() else { return None };
    let times = producer(program, product).filter(|i| *i.op() == Op::Binary(BinaryOp::Multiply))?;
    let &[a, b] = times.operands() else { return None };
    [(a, b), (b, a)].into_iter().find_map(|(factor, log)| {
        let (by, dims) = repeated(program, log);
        let by = producer(program, by)?;
        let (Op::Unary(f @ (UnaryOp::Log | UnaryOp::LogPlusOne)), &[y]) = (by.op(), by.operands()) else {
            return None;
        };
        let (x, y) = (repeated(program, factor), repeated_to(program, y, &dims));
        let fits = |p, q| differs(program, p, &x, None) && differs(program, q, &y, Some(&y));
        let square = (x == y && *f == UnaryOp::Log).then_some((factor, log));
        (fits(p, q) || fits(q, p)).then_some(Product { product, square, of: [x.0, y.0] })
    })
}

/// A value, and where its dimensions are in one that repeats it.
type Repeated = (Value, Vec<usize>);

/// Whether a value says that `x` is not another one, or not 0.
fn differs(program: &Program, v: Value, x: &Repeated, other: Option<&Repeated>) -> bool {
    let (by, dims) = repeated(program, v);
    let Some(by) = producer(program, by) else { return false };
    let (Op::Compare { direction: Comparison::Ne, .. }, &[a, b]) = (by.op(), by.operands()) else {
        return false;
    };
    let is_zero = || constant(program, b).is_some_and(|l| l.splat_value() == Some(0.0));
    repeated_to(program, a, &dims) == *x
        && other.map_or_else(is_zero, |y| repeated_to(program, b, &dims) == *y)
}

/// What a value repeats.
fn repeated(program: &Program, v: Value) -> Repeated {
    let all: Vec<usize> = (0..program.ty(v).rank()).collect();
    repeated_to(program, v, &all)
}

/// What a value repeats whose own dimensions are at `dims`.
fn repeated_to(program: &Program, mut v: Value, dims: &[usize]) -> Repeated {
    let mut dims = dims.to_vec();
    v = plain(program, v);
    while let Some(by) = producer(program, v) {
        let (Op::BroadcastInDim { dims: to, .. }, &[x]) = (by.op(), by.operands()) else { break };
        dims = to.iter().map(|&d| dims[d]).collect();
        v = plain(program, x);
    }
    (v, dims)
}

/// The instruction that makes what a value plainly is.
fn producer(program: &Program, v: Value) -> Option<&Instr> {
    match program.def(plain(program, v)) {
        ValueDef::Result(id, _) => Some(program.instr(id)),
        ValueDef::Arg(_) => None,
    }
}

/// The operand, where the value is made by this op.
fn unary(program: &Program, v: Value, op: UnaryOp) -> Option<Value> {
    let instr = producer(program, v).filter(|i| *i.op() == Op::Unary(op))?;
    instr.operands().first().copied()
}

/// The value without a constant factor or divisor, and what it is multiplied by: NaN if elements differ in that.
fn scaled(program: &Program, v: Value) -> (Value, f64) {
    let v = plain(program, v);
    let Some(instr) = producer(program, v) else { return (v, 1.0) };
    let splat = |c: Value| constant(program, c).map(|l| l.splat_value().unwrap_or(f64::NAN));
    let (value, by) = match (instr.op(), instr.operands()) {
        (Op::Binary(BinaryOp::Multiply), &[x, y]) => match (splat(x), splat(y)) {
            (_, Some(c)) => (x, c),
            (Some(c), None) => (y, c),
            (None, None) => (v, 1.0),
        },
        (Op::Binary(BinaryOp::Divide), &[x, y]) => splat(y).map_or((v, 1.0), |c| (x, 1.0 / c)),
        _ => (v, 1.0),
    };
    (plain(program, value), by)
}

/// How far the product of a rounded number and its rounded inverse may be from 1. Programs in f64 may be exports in f32.
fn rounding(dtype: DType) -> f64 {
    if dtype == DType::BF16 {
        2f64.powi(-6)
    } else if dtype == DType::F16 {
        2f64.powi(-9)
    } else {
        2.0 * f64::from(f32::EPSILON)
    }
}
