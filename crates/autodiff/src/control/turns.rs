//! A loop with residuals, turn by turn.
//!
//! The primal loop stacks what each turn keeps, at the number of the turn. The linear loop carries tangents; it counts
//! 0, 1, … in a first carried i32 up to a constant, or up to a captured number of turns that is at most a constant, and
//! reads the stacks, which it captures. That is the form that transposition knows.

use super::form::{Counter, Loop, Moving};
use super::kept::{Fate, Kept};
use super::split;
use crate::error::AdError;
use crate::extract::{extract, live};
use crate::linearize::{Context, Linearized, linearize_results};
use crate::options::Settings;
use pullback_base::IdMap;
use pullback_ir::{
    BinaryOp, Builder, Comparison, DType, Instr, Literal, Op, Program, TensorType, TypeError, Value, ValueDef,
};

/// How many turns a loop takes.
#[derive(Clone, Copy)]
pub(super) struct Turns {
    pub(super) most: u64,
    /// It takes exactly as many.
    pub(super) exact: bool,
    /// It may take more, against what was stated.
    pub(super) stated: bool,
}

impl Turns {
    fn of(cx: &Context, instr: &Instr, l: &Loop) -> Result<Self, AdError> {
        let own = l.most.map(|most| Turns { most, exact: l.exact, stated: false });
        let stated = cx.settings().bound().map(|most| Turns { most, exact: false, stated: true });
        let turns = match (own, stated) {
            (Some(own), Some(stated)) if !own.exact && stated.most < own.most => stated,
            (Some(turns), _) | (None, Some(turns)) => turns,
            (None, None) => return Err(AdError::Unbounded { at: at(cx, instr) }),
        };
        if i32::try_from(turns.most).is_err() {
            let help =
                "no stack is that long: state a lower bound (Options::loop_bound), or use forward mode (jvp)";
            let what = format!("a while of {} turns in reverse mode", turns.most);
            return Err(AdError::Unsupported { what, at: at(cx, instr), help: help.to_owned() });
        }
        Ok(turns)
    }

    fn size(self) -> usize {
        usize::try_from(self.most).unwrap_or(usize::MAX)
    }
}

pub(super) fn at(cx: &Context, instr: &Instr) -> String {
    cx.source().display_name(instr.result())
}

/// The body with residuals and tangents.
fn linearized(
    cx: &Context,
    instr: &Instr,
    l: &Loop,
    moving: &Moving,
    settings: Settings,
) -> Result<Linearized, AdError> {
    let lin = linearize_results(&l.body, &moving.args(), &moving.carried, settings.inside());
    lin.map_err(|e| e.within(&format!("the body of {}", super::place(cx.source(), instr))))
}

/// Tangents of the carried values that move.
pub(super) fn while_loop(
    cx: &mut Context,
    instr: &Instr,
    l: &Loop,
    moving: &Moving,
) -> Result<Vec<Value>, AdError> {
    let turns = Turns::of(cx, instr, l)?;
    let settings = cx.settings();
    let lin = linearized(cx, instr, l, moving, settings)?;
    let all = Kept::all(&lin, l);
    let Some(limit) = settings.options.loop_memory else {
        return with_stacks(cx, instr, l, moving, turns, (&lin, &all));
    };
    let total = |kept: &Kept| turns.most.saturating_mul(kept.bytes());
    if total(&all) <= limit {
        return with_stacks(cx, instr, l, moving, turns, (&lin, &all));
    }
    let few = Kept::carried(&lin, l)?;
    if let Some(left) = limit.checked_sub(total(&few)) {
        if !super::has_regions(&l.body) {
            return with_stacks(cx, instr, l, moving, turns, (&lin, &few));
        }
        // What inner loops keep in one turn comes on top.
        match linearized(cx, instr, l, moving, settings.with_memory(left)) {
            Ok(lin) => {
                let few = Kept::carried(&lin, l)?;
                if total(&few) <= limit {
                    return with_stacks(cx, instr, l, moving, turns, (&lin, &few));
                }
            }
            Err(AdError::LoopMemory { .. }) => {}
            Err(e) => return Err(e),
        }
    }
    let bytes =
        split::Bytes { carried: split::carried_bytes(l, &few), turn: all.bytes().min(few.bytes()), limit };
    split::while_loop(cx, instr, (l, moving), turns, bytes)
}

fn with_stacks(
    cx: &mut Context,
    instr: &Instr,
    l: &Loop,
    moving: &Moving,
    turns: Turns,
    (lin, kept): (&Linearized, &Kept),
) -> Result<Vec<Value>, AdError> {
    let (stacks, count) = primal_loop(cx, instr, l, turns, (lin, kept))?;
    linear_loop(cx, l, moving, turns, (lin, kept), (&stacks, count))
}

fn number(b: &mut Builder, dtype: DType, n: i64) -> Result<Value, TypeError> {
    let literal = Literal::from_i64s(TensorType::scalar(dtype), &[n]);
    Ok(b.constant(literal.ok_or_else(|| TypeError::new("one number for a scalar"))?))
}

/// Starts of a slice of a stack of tensors of this rank.
fn starts(b: &mut Builder, turn: Value, rank: usize) -> Result<Vec<Value>, TypeError> {
    let zero = number(b, b.ty(turn).dtype(), 0)?;
    Ok(std::iter::once(turn).chain(std::iter::repeat_n(zero, rank)).collect())
}

/// The loop that also stacks what is kept and counts its turns, where it must; its results stand for those of `instr`.
/// Gives the stacks, and the number of turns where that is not known.
fn primal_loop(
    cx: &mut Context,
    instr: &Instr,
    l: &Loop,
    turns: Turns,
    (lin, kept): (&Linearized, &Kept),
) -> Result<(Vec<Value>, Option<Value>), AdError> {
    let n = l.carried();
    let natural = l.counter.filter(|c| c.is_turn()).map(|c| c.at);
    let counts = natural.is_none() && (!kept.stacked.is_empty() || !turns.exact);
    let as_count = |cx: &mut Context, p: Value| cx.primal.convert(p, DType::I32);
    if kept.stacked.is_empty() && !counts {
        let count = natural.filter(|_| !turns.exact).map(|at| cx.value(instr.results()[l.results[at]]));
        let count = count.map(|p| as_count(cx, p)).transpose()?;
        return Ok((Vec::new(), count));
    }
    let stack = |&v: &Value| {
        let ty = kept.program.ty(v);
        let shape = [&[turns.size()], ty.shape()].concat();
        let too_large = || TypeError::new(format!("a stack of {} times {ty} is too large", turns.most));
        TensorType::try_new(ty.dtype(), shape).ok_or_else(too_large)
    };
    let stacks = kept.stacked.iter().map(stack).collect::<Result<Vec<_>, _>>()?;
    // Carried: the loop's own, the number of the turn, the stacks.
    let mut operands: Vec<Value> = l.operands[..n].iter().map(|&v| cx.value(v)).collect();
    if counts {
        operands.push(number(&mut cx.primal, DType::I32, 0)?);
    }
    operands.extend(stacks.iter().map(|ty| cx.primal.splat(ty, 0.0)));
    let carried = operands.len();
    operands.extend(l.operands[n..].iter().map(|&v| cx.value(v)));
    let types: Vec<TensorType> = operands.iter().map(|&v| cx.primal.ty(v).clone()).collect();

    let mut b = Builder::new(l.cond.name());
    let (_, formal) = wider_args(&mut b, &l.cond, &types, n, carried);
    let test = b.inline(&l.cond, &formal, Some(""))?;
    let cond = b.finish(&test);

    let mut b = Builder::new(l.body.name());
    let (args, formal) = wider_args(&mut b, &l.body, &types, n, carried);
    let turn = natural.map_or(args[n.min(args.len() - 1)], |at| args[at]);
    let mut made = b.inline(&body_with(lin, kept, n)?, &formal, Some(""))?;
    let values = made.split_off(n);
    if counts {
        let one = number(&mut b, DType::I32, 1)?;
        made.push(b.add(turn, one)?);
    }
    let first = n + usize::from(counts);
    for (k, v) in values.into_iter().enumerate() {
        let ty = b.ty(v).clone();
        let row = b.reshape(v, &[&[1], ty.shape()].concat())?;
        let starts = starts(&mut b, turn, ty.rank())?;
        made.push(b.push1(Op::DynamicUpdateSlice, &[&[args[first + k], row], &starts[..]].concat())?);
    }
    let op = Op::While { cond: Box::new(cond), body: Box::new(b.finish(&made)) };
    let made = cx.primal.push(op, &operands)?;
    for (&k, &p) in l.results.iter().zip(&made) {
        cx.replace(instr.results()[k], p);
    }
    let count = if turns.exact { None } else { Some(as_count(cx, made[natural.unwrap_or(n)])?) };
    Ok((made[first..].to_vec(), count))
}

/// Arguments for a region of a loop that carries more: those of the `n` values it carries itself come first, captured
/// ones from `carried` on. Gives all of them, and its own.
fn wider_args(
    b: &mut Builder,
    region: &Program,
    types: &[TensorType],
    n: usize,
    carried: usize,
) -> (Vec<Value>, Vec<Value>) {
    let name = |i: usize| match i {
        i if i < n => region.value_name(region.args()[i]),
        i if i >= carried => region.value_name(region.args()[i - carried + n]),
        _ => None,
    };
    let args: Vec<Value> = types.iter().enumerate().map(|(i, ty)| b.arg(name(i), ty.clone())).collect();
    let own = [&args[..n], &args[carried..]].concat();
    (args, own)
}

/// The body that gives the carried values, then those that are stacked.
fn body_with(lin: &Linearized, kept: &Kept, carried: usize) -> Result<Program, AdError> {
    let p = &lin.primal;
    // Under a limit on memory, what is kept are arguments.
    let same = |v: Value| match kept.program.def(v) {
        ValueDef::Arg(i) => p.args()[i],
        ValueDef::Result(..) => v,
    };
    let results = p.results()[..carried].iter().copied().chain(kept.stacked.iter().map(|&v| same(v)));
    let results: Vec<_> = results.map(|v| (v, None)).collect();
    Ok(extract(p, p.args(), &results)?)
}

/// Values that no turn changes, computed outside.
fn hoist(cx: &mut Context, l: &Loop, kept: &Kept) -> Result<Vec<Value>, AdError> {
    let p = &kept.program;
    let mut map = IdMap::filled(p.n_values(), None);
    for (&a, &v) in p.args().iter().zip(&l.operands).skip(l.carried()) {
        map[a] = Some(cx.value(v));
    }
    let wanted = live(p, &kept.hoisted);
    super::emit(&mut cx.primal, p, &mut map, |i| i.results().iter().any(|&r| wanted[r]))?;
    Ok(kept.hoisted.iter().filter_map(|&v| map[v]).collect())
}

/// The loop over tangents.
fn linear_loop(
    cx: &mut Context,
    l: &Loop,
    moving: &Moving,
    turns: Turns,
    (lin, kept): (&Linearized, &Kept),
    (stacks, count): (&[Value], Option<Value>),
) -> Result<Vec<Value>, AdError> {
    let hoisted = hoist(cx, l, kept)?;
    let captured: Vec<usize> = (l.carried()..l.operands.len())
        .filter(|&i| kept.fates[kept.program.args()[i]] == Fate::Captured(i))
        .collect();
    let [tangents, captured_tangents] = tangents(cx, l, moving, turns, count)?;
    let m = tangents.len();
    let mut operands = vec![number(&mut cx.linear, DType::I32, 0)?];
    operands.extend(tangents);
    operands.extend(stacks.iter().chain(&hoisted).map(|&p| cx.fixed(p)));
    for &i in &captured {
        operands.push(super::fixed(cx, l.operands[i]));
    }
    let limit = limit(cx, turns, count)?;
    operands.extend(limit);
    let first_tangent = operands.len();
    operands.extend(captured_tangents);

    let types: Vec<TensorType> = operands.iter().map(|&v| cx.linear.ty(v).clone()).collect();
    let args = |b: &mut Builder| types.iter().map(|ty| b.arg(None, ty.clone())).collect::<Vec<Value>>();
    let mut b = Builder::new(l.cond.name());
    let inside = args(&mut b);
    let goes_on = goes_on(&mut b, inside[0], turns.most, limit.map(|_| inside[first_tangent - 1]))?;
    let cond = b.finish(&[goes_on]);

    let mut b = Builder::new(lin.linear.program().name());
    let inside = args(&mut b);
    let places = Places {
        turn: inside[0],
        stacks: &inside[1 + m..],
        hoisted: &inside[1 + m + stacks.len()..],
        captured: captured
            .iter()
            .copied()
            .zip(inside[1 + m + stacks.len() + hoisted.len()..].iter().copied())
            .collect(),
        counter: l.counter,
    };
    let mut actual = places.residuals(&mut b, kept)?;
    actual.extend(&inside[1..1 + m]);
    actual.extend(&inside[first_tangent..]);
    let made = b.inline(lin.linear.program(), &actual, None)?;
    let one = number(&mut b, DType::I32, 1)?;
    let next = b.add(inside[0], one)?;
    let results: Vec<Value> = std::iter::once(next).chain(made).collect();
    let op = Op::While { cond: Box::new(cond), body: Box::new(b.finish(&results)) };
    Ok(cx.linear.push(op, &operands)?.split_off(1))
}

/// The least of the number of turns and their bound, in the linear program; `None` where the bound is the number.
fn limit(cx: &mut Context, turns: Turns, count: Option<Value>) -> Result<Option<Value>, AdError> {
    let Some(count) = count else { return Ok(None) };
    let most = number(&mut cx.primal, DType::I32, turns.most as i64)?;
    let limit = if turns.stated { cx.primal.binary(BinaryOp::Minimum, count, most)? } else { count };
    Ok(Some(cx.fixed(limit)))
}

/// turn < most, and turn < limit where there is one.
pub(crate) fn goes_on(
    b: &mut Builder,
    turn: Value,
    most: u64,
    limit: Option<Value>,
) -> Result<Value, TypeError> {
    let most = number(b, b.ty(turn).dtype(), most as i64)?;
    let below = b.compare(Comparison::Lt, turn, most)?;
    let Some(limit) = limit else { return Ok(below) };
    let first = b.compare(Comparison::Lt, turn, limit)?;
    b.binary(BinaryOp::And, first, below)
}

/// Tangents of the carried and of the captured operands. Where the loop may have taken more turns than was stated, they
/// are multiplied by NaN if it did, so that nothing of them or of their cotangents is silently wrong.
fn tangents(
    cx: &mut Context,
    l: &Loop,
    moving: &Moving,
    turns: Turns,
    count: Option<Value>,
) -> Result<[Vec<Value>; 2], AdError> {
    let mut factors: Vec<(DType, Value)> = Vec::new();
    let mut made = [Vec::new(), Vec::new()];
    for (which, list) in [&moving.carried, &moving.captured].into_iter().enumerate() {
        for &i in list {
            let t = match (cx.tangent(l.operands[i]), count.filter(|_| turns.stated)) {
                (Some(t), Some(count)) => {
                    let dtype = cx.ty(l.operands[i]).dtype();
                    let known = factors.iter().find(|(d, _)| *d == dtype).map(|(_, f)| *f);
                    let factor = match known {
                        Some(f) => f,
                        None => {
                            let f = nan_past(&mut cx.primal, count, turns.most, dtype)?;
                            factors.push((dtype, f));
                            f
                        }
                    };
                    let factor = cx.fixed(factor);
                    let shape = cx.linear.ty(t).shape().to_vec();
                    let factor = cx.linear.broadcast_scalar(factor, &shape)?;
                    cx.linear.mul(t, factor)?
                }
                (Some(t), None) => t,
                (None, _) => cx.tangent_or_zeros(l.operands[i]),
            };
            made[which].push(t);
        }
    }
    Ok(made)
}

/// NaN where the count is past the bound, else 1.
fn nan_past(b: &mut Builder, count: Value, most: u64, dtype: DType) -> Result<Value, TypeError> {
    let most = number(b, DType::I32, most as i64)?;
    let past = b.compare(Comparison::Gt, count, most)?;
    let ty = TensorType::scalar(dtype);
    let (nan, one) = (b.splat(&ty, f64::NAN), b.splat(&ty, 1.0));
    b.select(past, nan, one)
}

/// Where the linear body finds what is kept.
struct Places<'a> {
    turn: Value,
    stacks: &'a [Value],
    hoisted: &'a [Value],
    /// By number of the loop's argument.
    captured: Vec<(usize, Value)>,
    counter: Option<Counter>,
}

impl Places<'_> {
    /// The residuals of the turn.
    fn residuals(&self, b: &mut Builder, kept: &Kept) -> Result<Vec<Value>, AdError> {
        let p = &kept.program;
        let mut map = IdMap::filled(p.n_values(), None);
        for v in p.value_ids() {
            map[v] = match kept.fates[v] {
                Fate::Unread | Fate::Again => None,
                Fate::Captured(i) => self.captured.iter().find(|(k, _)| *k == i).map(|(_, v)| *v),
                Fate::Counter => self.counter_value(b, p.ty(v).dtype())?,
                Fate::Stacked(k) => Some(self.slice(b, self.stacks[k], p.ty(v))?),
                Fate::Hoisted(k) => Some(self.hoisted[k]),
            };
        }
        super::emit(b, p, &mut map, |i| i.results().iter().any(|&r| kept.fates[r] == Fate::Again))?;
        let found = kept.residuals.iter().map(|&r| map[r]).collect::<Option<Vec<Value>>>();
        Ok(found.ok_or_else(|| TypeError::new("a residual is not kept"))?)
    }

    fn counter_value(&self, b: &mut Builder, dtype: DType) -> Result<Option<Value>, TypeError> {
        let Some(c) = self.counter else { return Ok(None) };
        let mut v = b.convert(self.turn, dtype)?;
        if c.step != 1 {
            let step = number(b, dtype, c.step)?;
            v = b.mul(v, step)?;
        }
        if c.start != 0 {
            let start = number(b, dtype, c.start)?;
            v = b.add(v, start)?;
        }
        Ok(Some(v))
    }

    fn slice(&self, b: &mut Builder, stack: Value, ty: &TensorType) -> Result<Value, TypeError> {
        let starts = starts(b, self.turn, ty.rank())?;
        let sizes = [&[1], ty.shape()].concat();
        let row = b.push1(Op::DynamicSlice { sizes }, &[&[stack], &starts[..]].concat())?;
        b.reshape(row, ty.shape())
    }
}
