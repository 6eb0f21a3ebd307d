//! The form of a loop that the rules work on: what no turn changes is captured, and the values that have tangents
//! are known.

use crate::error::AdError;
use crate::extract::extract;
use crate::linearize::{Context, needed};
use pullback_base::IdMap;
use pullback_ir::loops::{bounded, counter};
use pullback_ir::{Instr, InstrId, Op, Program, TypeError, UnaryOp, Value, ValueDef};

/// A carried value that grows by the same number each turn, from a known one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counter {
    /// Its place among the carried values.
    pub(super) at: usize,
    pub(super) start: i64,
    pub(super) step: i64,
}

impl Counter {
    /// Whether it is the number of the turn.
    pub(super) fn is_turn(self) -> bool {
        (self.start, self.step) == (0, 1)
    }
}

/// A loop; arguments of its programs are the carried values, then the captured ones.
pub(super) struct Loop {
    pub(super) cond: Program,
    pub(super) body: Program,
    /// Values of the source: carried, then captured.
    pub(super) operands: Vec<Value>,
    /// Which result of the instruction each carried value is.
    pub(super) results: Vec<usize>,
    /// Results that are the operands of the same number.
    pub(super) unchanged: Vec<usize>,
    pub(super) counter: Option<Counter>,
    /// The most turns it takes, where it says so itself.
    pub(super) most: Option<u64>,
    /// It takes exactly these.
    pub(super) exact: bool,
}

/// Which of a loop's arguments have tangents that matter.
pub(super) struct Moving {
    /// Carried values, by number.
    pub(super) carried: Vec<usize>,
    /// Captured ones, by number of the argument.
    pub(super) captured: Vec<usize>,
}

impl Moving {
    /// All of them as arguments.
    pub(super) fn args(&self) -> Vec<usize> {
        [&self.carried[..], &self.captured].concat()
    }
}

impl Loop {
    /// The while `id`.
    pub(super) fn of(source: &Program, id: InstrId) -> Result<Self, AdError> {
        let instr = source.instr(id);
        let Op::While { cond, body } = instr.op() else {
            return Err(TypeError::new("not a loop").into());
        };
        let n = body.results().len();
        let same = |i: &usize| body.def(body.results()[*i]) == ValueDef::Arg(*i);
        let (unchanged, results): (Vec<usize>, Vec<usize>) = (0..n).partition(same);
        let order: Vec<usize> =
            results.iter().chain(&unchanged).copied().chain(n..instr.operands().len()).collect();
        let reorder = |region: &Program, results: &[Value]| {
            let args: Vec<Value> = order.iter().map(|&i| region.args()[i]).collect();
            let results: Vec<_> = results.iter().map(|&r| (r, None)).collect();
            extract(region, &args, &results)
        };
        let new: Vec<Value> = results.iter().map(|&i| body.results()[i]).collect();
        let bound = bounded(source, id);
        let counts = bound.map(|b| (b.counter, b.start, b.step)).or_else(|| counter(source, id));
        let counter = counts.and_then(|(k, start, step)| {
            let at = results.iter().position(|&i| i == k)?;
            Some(Counter { at, start, step })
        });
        Ok(Loop {
            cond: reorder(cond, cond.results())?,
            body: reorder(body, &new)?,
            operands: order.iter().map(|&i| instr.operands()[i]).collect(),
            results,
            unchanged,
            counter,
            most: bound.map(|b| b.most),
            exact: bound.is_some_and(|b| b.exact),
        })
    }

    /// How many values it carries.
    pub(super) fn carried(&self) -> usize {
        self.results.len()
    }

    /// The least sets that hold the arguments with tangents that reach a result whose tangent matters.
    pub(super) fn moving(&self, cx: &Context) -> Moving {
        let n = self.carried();
        let own = cx.source().instr(cx.current()).results();
        let mut active: Vec<bool> = self.operands.iter().map(|&x| cx.tangent(x).is_some()).collect();
        loop {
            let depends = active_values(&self.body, &active);
            let more: Vec<usize> =
                (0..n).filter(|&i| depends[self.body.results()[i]] && !active[i]).collect();
            if more.is_empty() {
                break;
            }
            more.into_iter().for_each(|i| active[i] = true);
        }
        let mut matters: Vec<bool> = self.results.iter().map(|&k| cx.needed(own[k])).collect();
        matters.resize(self.operands.len(), false);
        loop {
            let outputs: Vec<Value> =
                (0..n).filter(|&i| matters[i]).map(|i| self.body.results()[i]).collect();
            let needed = needed(&self.body, &outputs);
            let args = self.body.args();
            let more: Vec<usize> = (0..args.len()).filter(|&i| needed[args[i]] && !matters[i]).collect();
            more.iter().for_each(|&i| matters[i] = true);
            if !more.iter().any(|&i| i < n) {
                break;
            }
        }
        let both = |range: std::ops::Range<usize>| range.filter(|&i| active[i] && matters[i]).collect();
        Moving { carried: both(0..n), captured: both(n..self.operands.len()) }
    }
}

/// Which values may have a tangent when these arguments have one.
fn active_values(program: &Program, args: &[bool]) -> IdMap<Value, bool> {
    let mut active = IdMap::filled(program.n_values(), false);
    for (&a, &is) in program.args().iter().zip(args) {
        active[a] = is;
    }
    for instr in program.instrs().values() {
        if !is_flat(instr) && instr.operands().iter().any(|&v| active[v]) {
            for &r in instr.results() {
                active[r] = program.ty(r).dtype().is_differentiable();
            }
        }
    }
    active
}

/// Whether the result changes only in jumps.
fn is_flat(instr: &Instr) -> bool {
    use UnaryOp::{Ceil, Floor, RoundNearestAfz, RoundNearestEven, Sign};
    matches!(instr.op(), Op::Unary(Ceil | Floor | RoundNearestAfz | RoundNearestEven | Sign))
}
