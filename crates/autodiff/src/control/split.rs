//! A loop whose turns keep too much: loops in loops, of which each keeps the carried values of its turns and computes the
//! rest again.
//!
//! With L levels, each of about the L-th root of the turns, memory is L times that root instead of the number of turns,
//! and each turn is computed about L times (Griewank, "Achieving logarithmic growth of temporal and spatial complexity in
//! reverse automatic differentiation", 1992, with blocks of equal length). The outermost loop is split here; the inner one
//! is differentiated by the same rule with the memory that is left.

use super::form::{Loop, Moving};
use super::kept::{Fate, Kept};
use super::turns::{Turns, at};
use crate::error::AdError;
use crate::extract::live;
use crate::linearize::{Context, linearize_results};
use crate::options::Settings;
use pullback_ir::loops::Bounded;
use pullback_ir::pass::split_while;
use pullback_ir::{Builder, Instr, Program, Value};

/// More levels than any loop that can be counted has use for.
const MAX_LEVELS: u32 = 31;

/// The least whole number whose `levels`-th power is at least `n`.
fn root(n: u64, levels: u32) -> u64 {
    let mut root = (n as f64).powf(1.0 / f64::from(levels)).floor().max(1.0) as u64;
    while root.checked_pow(levels).is_some_and(|p| p < n) {
        root += 1;
    }
    root
}

/// Bytes kept by `n` turns in so many levels: the carried values of the turns of each level, and of the last what the
/// turns need.
fn kept(n: u64, levels: u32, carried: u64, turn: u64) -> u64 {
    let (mut n, mut total) = (n, 0u64);
    for level in (2..=levels).rev() {
        let outer = root(n, level);
        total = total.saturating_add(outer.saturating_mul(carried));
        n = n.div_ceil(outer);
    }
    total.saturating_add(n.saturating_mul(turn))
}

/// What the levels are chosen by.
#[derive(Clone, Copy)]
pub(super) struct Bytes {
    /// What a turn must keep so that later ones can be computed again.
    pub(super) carried: u64,
    /// What a turn keeps at least for the linear loop.
    pub(super) turn: u64,
    /// What all of that may be.
    pub(super) limit: u64,
}

/// Bytes of the carried values that a turn must begin with so that the kept ones of it and later turns can be computed.
pub(super) fn carried_bytes(l: &Loop, kept: &Kept) -> u64 {
    let (n, args) = (l.carried(), l.body.args());
    let asked = if l.exact { Vec::new() } else { reached(&l.cond, l.cond.results()) };
    let read = |i: usize| matches!(kept.fates[kept.program.args()[i]], Fate::Stacked(_));
    let mut wanted: Vec<bool> = (0..n).map(|i| read(i) || asked.get(i) == Some(&true)).collect();
    loop {
        let results: Vec<Value> = (0..n).filter(|&i| wanted[i]).map(|i| l.body.results()[i]).collect();
        let more = reached(&l.body, &results);
        if (0..n).all(|i| wanted[i] || !more[i]) {
            break;
        }
        (0..n).for_each(|i| wanted[i] |= more[i]);
    }
    // The counter follows from those of the levels.
    if let Some(counter) = l.counter.filter(|_| l.exact) {
        wanted[counter.at] = false;
    }
    (0..n).filter(|&i| wanted[i]).fold(0, |sum, i| sum.saturating_add(l.body.ty(args[i]).bytes() as u64))
}

/// Which arguments these values are computed from.
fn reached(program: &Program, values: &[Value]) -> Vec<bool> {
    let live = live(program, values);
    program.args().iter().map(|&a| live[a]).collect()
}

/// Tangents of the carried values that move.
pub(super) fn while_loop(
    cx: &mut Context,
    instr: &Instr,
    (l, moving): (&Loop, &Moving),
    turns: Turns,
    Bytes { carried, turn, limit }: Bytes,
) -> Result<Vec<Value>, AdError> {
    let n = l.carried();
    let needs = |levels| kept(turns.most, levels, carried, turn);
    let levels = (2..=MAX_LEVELS).find(|&levels| needs(levels) <= limit);
    let block = levels.map(|levels| turns.most.div_ceil(root(turns.most, levels)));
    let Some(block) = block.filter(|&block| 1 < block && block < turns.most) else {
        let needs = (1..=MAX_LEVELS).map(needs).min().unwrap_or(u64::MAX);
        return Err(AdError::LoopMemory {
            at: at(cx, instr),
            needs: needs.max(limit.saturating_add(1)),
            limit,
        });
    };
    let known = match l.counter {
        Some(c) if !turns.stated => Some(Bounded {
            counter: c.at,
            start: c.start,
            step: c.step,
            most: turns.most,
            exact: turns.exact,
        }),
        _ => None,
    };
    let mut b = Builder::new(l.body.name());
    let args: Vec<Value> = l.operands.iter().map(|&v| b.arg(None, cx.ty(v).clone())).collect();
    let results = split_while(&mut b, [&l.cond, &l.body], &args, known, block)?;
    for &r in &results {
        b.name(r, at(cx, instr));
    }
    let program = b.finish(&results);
    let settings = cx.settings();
    let here = turns.stated.then(|| turns.most.div_ceil(block));
    let settings = Settings { here, ..settings };
    // Only what has a tangent: one that starts at zero must be known to do so inside, where factors are put on others.
    let wrt: Vec<usize> =
        moving.args().into_iter().filter(|&i| cx.tangent(l.operands[i]).is_some()).collect();
    let lin = linearize_results(&program, &wrt, &moving.carried, settings)?;

    let operands: Vec<Value> = l.operands.iter().map(|&v| cx.value(v)).collect();
    let mut made = cx.primal.inline(&lin.primal, &operands, None)?;
    let residuals = made.split_off(n);
    for (&k, &p) in l.results.iter().zip(&made) {
        cx.replace(instr.results()[k], p);
    }
    let mut actual: Vec<Value> = residuals.into_iter().map(|p| cx.fixed(p)).collect();
    actual.extend(wrt.iter().filter_map(|&i| cx.tangent(l.operands[i])));
    Ok(cx.linear.inline(lin.linear.program(), &actual, None)?)
}
