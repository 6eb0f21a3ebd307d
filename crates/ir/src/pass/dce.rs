//! Dead code: instructions that no result needs are dropped, and so are the values that a loop carries, or a choice
//! gives, for nobody. Arguments stay, used or not.
//!
//! No op has an effect, so being needed for a result is all that keeps one.

use super::rewrite::Rewriter;
use crate::build::Builder;
use crate::infer::TypeError;
use crate::op::Op;
use crate::program::{Instr, InstrId, Program, Value};
use pullback_base::{Id, IdMap};
use std::collections::BTreeMap;

/// What is left of loops and choices that lose results: for each result, whether it stays.
type Left = BTreeMap<InstrId, Vec<bool>>;

/// The program without what no result needs.
pub fn dce(program: &Program) -> Result<Program, TypeError> {
    let (live, left) = liveness(program, program.results(), MAX_PRECISE);
    let mut new = Rewriter::new(program);
    for (id, instr) in program.instrs().iter() {
        if let Some(stays) = left.get(&id) {
            narrow(&mut new, instr, stays)?;
        } else if instr.op().communicates() || instr.results().iter().any(|&r| live[r]) {
            let operands = new.operands(instr)?;
            new.push(instr, instr.op().clone(), &operands)?;
        }
    }
    new.finish()
}

/// Loops in loops looked into; below, all that a loop reads counts as read, until a later round gets there.
const MAX_PRECISE: usize = 6;

/// Values that these depend on, and what is left of loops and choices.
fn liveness(program: &Program, results: &[Value], depth: usize) -> (IdMap<Value, bool>, Left) {
    let mut live = IdMap::filled(program.n_values(), false);
    let mut left = Left::new();
    for &r in results {
        live[r] = true;
    }
    for k in (0..program.instrs().len()).rev() {
        let id = InstrId::from_index(k);
        let instr = program.instr(id);
        let wanted: Vec<bool> = instr.results().iter().map(|&r| live[r]).collect();
        let communicates = instr.op().communicates();
        if !communicates && !wanted.contains(&true) {
            continue;
        }
        let stays = if communicates { vec![true; wanted.len()] } else { stay(instr.op(), wanted, depth) };
        for (i, &v) in instr.operands().iter().enumerate() {
            let carried_for_nobody =
                matches!(instr.op(), Op::While { .. }) && stays.get(i).is_some_and(|s| !s);
            live[v] |= !carried_for_nobody;
        }
        let has_regions = matches!(instr.op(), Op::While { .. } | Op::Case { .. });
        if has_regions && stays.contains(&false) {
            left.insert(id, stays);
        }
    }
    (live, left)
}

/// Results that stay where these are wanted: of a loop also those that its condition or another one reads.
fn stay(op: &Op, mut wanted: Vec<bool>, depth: usize) -> Vec<bool> {
    let Op::While { cond, body } = op else { return wanted };
    let Some(depth) = depth.checked_sub(1) else { return vec![true; wanted.len()] };
    let n = wanted.len();
    let read = |region: &Program, results: &[Value]| -> Vec<bool> {
        let (live, _) = liveness(region, results, depth);
        region.args().iter().map(|&v| live[v]).collect()
    };
    let mut roots = read(cond, cond.results());
    loop {
        for (w, &r) in wanted.iter_mut().zip(&roots) {
            *w |= r;
        }
        let results: Vec<Value> = (0..n).filter(|&i| wanted[i]).map(|i| body.results()[i]).collect();
        roots = read(body, &results);
        if (0..n).all(|i| wanted[i] || !roots[i]) {
            return wanted;
        }
    }
}

/// Which arguments of a region these of its results depend on.
pub(super) fn reads(region: &Program, results: &[Value]) -> Vec<bool> {
    let (live, _) = liveness(region, results, 0);
    region.args().iter().map(|&v| live[v]).collect()
}

/// The loop or choice with the results that stay.
fn narrow(new: &mut Rewriter<'_>, instr: &Instr, stays: &[bool]) -> Result<(), TypeError> {
    let operands = instr.operands().iter().enumerate();
    let chosen = |region: &Program| -> Vec<Value> {
        region.results().iter().zip(stays).filter(|(_, s)| **s).map(|(&r, _)| r).collect()
    };
    let (op, operands) = if let Op::While { cond, body } = instr.op() {
        let stay = |i: usize| stays.get(i).copied().unwrap_or(true);
        let op = Op::While {
            cond: Box::new(region(cond, stay, cond.results())?),
            body: Box::new(region(body, stay, &chosen(body))?),
        };
        let left = operands.filter(|(i, _)| stay(*i)).map(|(_, &v)| new.get(v));
        (op, left.collect::<Result<Vec<_>, _>>()?)
    } else if let Op::Case { branches } = instr.op() {
        let branches = branches.iter().map(|b| region(b, |_| true, &chosen(b)));
        (Op::Case { branches: branches.collect::<Result<_, _>>()? }, new.operands(instr)?)
    } else {
        return Err(TypeError::new(format!("{} has no regions", instr.op().name())));
    };
    let made = new.push_new(op, &operands)?;
    let kept = instr.results().iter().zip(stays).filter(|(_, s)| **s);
    for ((&old, _), value) in kept.zip(made) {
        new.replace(old, value)?;
    }
    Ok(())
}

/// A region with some of its arguments and results, and what those need.
fn region(old: &Program, stay: impl Fn(usize) -> bool, results: &[Value]) -> Result<Program, TypeError> {
    let mut inner = old.clone();
    inner.results = results.to_vec();
    inner.result_names = vec![None; results.len()];
    let inner = dce(&inner)?;
    let mut b = Builder::new(inner.name());
    let mut map = IdMap::<Value, Option<Value>>::filled(inner.n_values(), None);
    for (i, &a) in inner.args().iter().enumerate().filter(|(i, _)| stay(*i)) {
        debug_assert!(i < old.args().len(), "dce keeps arguments");
        map[a] = Some(b.arg(inner.value_name(a), inner.ty(a).clone()));
    }
    let get = |map: &IdMap<Value, Option<Value>>, v: Value| {
        map[v].ok_or_else(|| TypeError::new(format!("{v} was dropped but is needed")))
    };
    for instr in inner.instrs().values() {
        let operands = instr.operands().iter().map(|&v| get(&map, v)).collect::<Result<Vec<_>, _>>()?;
        let made = b.push(instr.op().clone(), &operands)?;
        for (&old, &value) in instr.results().iter().zip(&made) {
            map[old] = Some(value);
            if let Some(name) = inner.value_name(old) {
                b.name(value, name);
            }
        }
    }
    let results = inner.results().iter().map(|&r| get(&map, r)).collect::<Result<Vec<_>, _>>()?;
    Ok(b.finish(&results))
}
