//! Shifts that results do not depend on: a softmax or a logarithm of a sum of exponentials takes the greatest element
//! away first, so that nothing overflows, and what it takes away cancels. Exports lose the mark that says so
//! (`stop_gradient`); here it is found again, so that gradients do not compute a zero in rounded steps.
//!
//! A shift is given a tangent δ and followed through the program: each value has the tangent k·δ (`Plus`) or k·v·δ
//! (`Times`), or none. If every result has none, in real arithmetic, the shift needs no tangent. Anything that does not
//! fit this form ends the search, and the shift is differentiated as everything else is.

use pullback_ir::{BinaryOp, Instr, Monoid, Op, Program, UnaryOp, Value, ValueDef};
use std::collections::{BTreeMap, BTreeSet};

/// How far a greatest element is followed to where it is subtracted.
const STEPS: usize = 6;

/// Values whose tangents cancel in every one of the outputs. `needed` are the values whose tangents matter to them.
pub(crate) fn cancelled(
    program: &Program,
    outputs: &[Value],
    needed: impl Fn(Value) -> bool,
) -> BTreeSet<Value> {
    let cancels = |shift| cancels(program, shift, outputs, &needed);
    let mut found = BTreeSet::new();
    let mut tried = BTreeSet::new();
    for instr in program.instrs().values() {
        if let Op::Binary(BinaryOp::Subtract) = instr.op() {
            let shift = origin(program, instr.operands()[1]);
            if needed(shift) && tried.insert(shift) && is_greatest(program, shift, STEPS) && cancels(shift) {
                found.insert(shift);
            }
        }
    }
    found
}

/// The value that was broadcast and reshaped into this one.
fn origin(program: &Program, v: Value) -> Value {
    let ValueDef::Result(id, _) = program.def(v) else { return v };
    let instr = program.instr(id);
    let moves = matches!(instr.op(), Op::BroadcastInDim { .. } | Op::Reshape { .. });
    if moves { origin(program, instr.operands()[0]) } else { v }
}

/// Whether a value comes of a maximum over dimensions, guarded or bounded as exports do it.
fn is_greatest(program: &Program, v: Value, steps: usize) -> bool {
    let (ValueDef::Result(id, _), Some(steps)) = (program.def(v), steps.checked_sub(1)) else { return false };
    let instr = program.instr(id);
    let guarded = matches!(
        instr.op(),
        Op::Select
            | Op::Binary(BinaryOp::Maximum)
            | Op::Convert { .. }
            | Op::Reshape { .. }
            | Op::BroadcastInDim { .. }
    );
    matches!(instr.op(), Op::Reduce { monoid: Monoid::Maximum, .. })
        || guarded && instr.operands().iter().any(|&x| is_greatest(program, x, steps))
}

/// A value's tangent in terms of δ, with the dimension of the shift that each of its dimensions follows.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Answer {
    kind: Kind,
    along: Vec<Option<usize>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// k·δ.
    Plus(i64),
    /// k·v·δ.
    Times(i64),
}

impl Kind {
    fn is_zero(self) -> bool {
        matches!(self, Kind::Plus(0) | Kind::Times(0))
    }
}

fn cancels(program: &Program, shift: Value, outputs: &[Value], needed: impl Fn(Value) -> bool) -> bool {
    // One index varies with nothing.
    let along = program.ty(shift).shape().iter().enumerate().map(|(d, &n)| (n > 1).then_some(d)).collect();
    let mut answers = BTreeMap::from([(shift, Answer { kind: Kind::Plus(1), along })]);
    for instr in program.instrs().values() {
        let concerned = instr.operands().iter().any(|v| answers.contains_key(v))
            && instr.results().iter().any(|&r| needed(r));
        if !concerned || is_flat(program, instr) {
            continue;
        }
        let Some(answer) = follow(program, instr, &answers) else { return false };
        if !answer.kind.is_zero() {
            answers.insert(instr.result(), answer);
        }
    }
    outputs.iter().all(|v| !answers.contains_key(v))
}

/// Whether the result has no tangent, whatever those of the operands are.
fn is_flat(program: &Program, instr: &Instr) -> bool {
    instr.results().len() == 1 && !program.ty(instr.result()).dtype().is_differentiable()
        || matches!(instr.op(), Op::Unary(UnaryOp::Sign | UnaryOp::Floor | UnaryOp::Ceil))
}

/// The answer of an instruction's result, at least one of whose operands has one; `None` if it is of another form.
fn follow(program: &Program, instr: &Instr, answers: &BTreeMap<Value, Answer>) -> Option<Answer> {
    let of = |i: usize| answers.get(&instr.operands()[i]);
    let with = |kind: Kind, x: &Answer| Some(Answer { kind, along: x.along.clone() });
    let shape = |v: Value| program.ty(v).shape();
    if let Op::Unary(op) = instr.op() {
        let x = of(0)?;
        return match (op, x.kind) {
            (UnaryOp::Negate, Kind::Plus(k)) => with(Kind::Plus(k.checked_neg()?), x),
            (UnaryOp::Negate | UnaryOp::Abs, kind @ Kind::Times(_)) => with(kind, x),
            (UnaryOp::Exponential, Kind::Plus(k)) => with(Kind::Times(k), x),
            (UnaryOp::Log, Kind::Times(k)) => with(Kind::Plus(k), x),
            _ => None,
        };
    }
    if let Op::Binary(op) = instr.op() {
        return binary(*op, of(0), of(1));
    }
    if let Op::Select = instr.op() {
        return chosen(program, instr, of(1)?, of(2));
    }
    let x = of(0)?;
    let (from, to) = (shape(instr.operands()[0]), shape(instr.result()));
    if let Op::Convert { .. } = instr.op() {
        with(x.kind, x)
    } else if let Op::Transpose { permutation } = instr.op() {
        Some(Answer { kind: x.kind, along: permutation.iter().map(|&p| x.along[p]).collect() })
    } else if let Op::Reshape { .. } = instr.op() {
        Some(Answer { kind: x.kind, along: reshaped(from, to, &x.along)? })
    } else if let Op::BroadcastInDim { dims, .. } = instr.op() {
        let mut along = vec![None; to.len()];
        for (i, &d) in dims.iter().enumerate() {
            along[d] = x.along[i];
        }
        Some(Answer { kind: x.kind, along })
    } else if let Op::Reduce { dims, monoid } = instr.op() {
        reduced(from, dims, *monoid, x)
    } else {
        None
    }
}

fn reduced(shape: &[usize], dims: &[usize], monoid: Monoid, x: &Answer) -> Option<Answer> {
    if dims.iter().any(|&d| x.along[d].is_some()) {
        return None;
    }
    let along = (0..shape.len()).filter(|d| !dims.contains(d)).map(|d| x.along[d]).collect();
    let terms: usize = dims.iter().map(|&d| shape[d]).product();
    let kind = match (monoid, x.kind) {
        (Monoid::Add, Kind::Plus(k)) => Kind::Plus(k.checked_mul(i64::try_from(terms).ok()?)?),
        (Monoid::Add, kind @ Kind::Times(_)) => kind,
        (Monoid::Maximum | Monoid::Minimum, kind) => kind,
        (Monoid::Multiply | Monoid::And | Monoid::Or, _) => return None,
    };
    Some(Answer { kind, along })
}

fn binary(op: BinaryOp, x: Option<&Answer>, y: Option<&Answer>) -> Option<Answer> {
    use Kind::{Plus, Times};
    let along = match (x, y) {
        (Some(x), Some(y)) => (x.along == y.along).then(|| x.along.clone())?,
        (x, y) => x.or(y)?.along.clone(),
    };
    let (x, y) = (x.map(|x| x.kind), y.map(|y| y.kind));
    let sign = if matches!(op, BinaryOp::Add | BinaryOp::Multiply) { 1 } else { -1 };
    let kind = if matches!(op, BinaryOp::Add | BinaryOp::Subtract) {
        match (x.unwrap_or(Plus(0)), y.unwrap_or(Plus(0))) {
            (Plus(a), Plus(b)) => Plus(a.checked_add(b.checked_mul(sign)?)?),
            (Times(a), Times(b)) if a == b => Times(a),
            _ => return None,
        }
    } else if matches!(op, BinaryOp::Multiply | BinaryOp::Divide) {
        match (x.unwrap_or(Times(0)), y.unwrap_or(Times(0))) {
            (Times(a), Times(b)) => Times(a.checked_add(b.checked_mul(sign)?)?),
            _ => return None,
        }
    } else {
        return None;
    };
    Some(Answer { kind, along })
}

/// Of a select both of whose values answer alike; zero does as any product would.
fn chosen(program: &Program, instr: &Instr, x: &Answer, y: Option<&Answer>) -> Option<Answer> {
    match (y, x.kind) {
        (Some(y), _) => (x == y).then(|| x.clone()),
        (None, Kind::Times(_)) => {
            let zero = crate::linearize::constant(program, instr.operands()[2])?.splat_value() == Some(0.0);
            zero.then(|| x.clone())
        }
        (None, Kind::Plus(_)) => None,
    }
}

/// The dimensions of another shape of the same sizes but for ones.
fn reshaped(from: &[usize], to: &[usize], along: &[Option<usize>]) -> Option<Vec<Option<usize>>> {
    let mut sizes = from.iter().zip(along).filter(|(n, _)| **n != 1);
    let mut out = Vec::with_capacity(to.len());
    for &n in to {
        out.push(if n == 1 { None } else { sizes.next().filter(|(m, _)| **m == n).map(|(_, a)| *a)? });
    }
    sizes.next().is_none().then_some(out)
}
