//! A choice with residuals.
//!
//! Each branch is linearized by itself. The primal choice also gives the residuals of all branches, in places shared by
//! type: zeros where the branch taken has no use for one. The linear choice has the linear branches, so a branch that is
//! not taken computes nothing and no NaN comes of it.

use crate::error::AdError;
use crate::linearize::{Context, Linearized, linearize_results};
use pullback_ir::{Builder, Instr, Op, Program, TensorType, Value, ValueDef};

/// Where the linear choice finds a residual of a branch.
#[derive(Clone, Copy)]
enum Place {
    /// It is this captured value.
    Captured(usize),
    /// In this further result of the primal choice.
    Slot(usize),
}

/// The branches' residuals, and types of the further results that hold them.
fn places(branches: &[Linearized]) -> (Vec<Vec<Place>>, Vec<TensorType>) {
    let mut slots: Vec<TensorType> = Vec::new();
    let mut places = Vec::with_capacity(branches.len());
    for lin in branches {
        let mut taken = vec![false; slots.len()];
        let place = |&r: &Value| match lin.primal.def(r) {
            ValueDef::Arg(i) => Place::Captured(i),
            ValueDef::Result(..) => {
                let ty = lin.primal.ty(r);
                let free = (0..slots.len()).find(|&j| !taken[j] && slots[j] == *ty);
                let j = free.unwrap_or(slots.len());
                if j == slots.len() {
                    slots.push(ty.clone());
                    taken.push(false);
                }
                taken[j] = true;
                Place::Slot(j)
            }
        };
        places.push(lin.residuals.iter().map(place).collect());
    }
    (places, slots)
}

/// Tangents of the results `results`, by the captured values `wrt`.
pub(super) fn case(
    cx: &mut Context,
    instr: &Instr,
    branches: &[Program],
    wrt: &[usize],
    results: &[usize],
) -> Result<Vec<Value>, AdError> {
    let (index, captured) = (instr.operands()[0], &instr.operands()[1..]);
    let settings = cx.settings().inside();
    let place = super::place(cx.source(), instr);
    let lins = branches.iter().enumerate().map(|(i, branch)| {
        let within = |e: AdError| e.within(&format!("branch {i} of {place}"));
        linearize_results(branch, wrt, results, settings).map_err(within)
    });
    let lins = lins.collect::<Result<Vec<_>, _>>()?;
    let (places, slots) = places(&lins);
    let kept = if slots.is_empty() { Vec::new() } else { primal_case(cx, instr, &lins, &places, &slots)? };

    let mut read: Vec<usize> = Vec::new();
    for place in places.iter().flatten() {
        match place {
            Place::Captured(i) if !read.contains(i) => read.push(*i),
            Place::Captured(_) | Place::Slot(_) => {}
        }
    }
    let mut operands = vec![super::fixed(cx, index)];
    operands.extend(read.iter().map(|&i| super::fixed(cx, captured[i])));
    operands.extend(kept.iter().map(|&p| cx.fixed(p)));
    operands.extend(wrt.iter().filter_map(|&i| cx.tangent(captured[i])));
    let types: Vec<TensorType> = operands[1..].iter().map(|&v| cx.linear.ty(v).clone()).collect();
    let mut linear = Vec::with_capacity(lins.len());
    for (lin, places) in lins.iter().zip(&places) {
        let mut b = Builder::new(lin.linear.program().name());
        let args: Vec<Value> = types.iter().map(|ty| b.arg(None, ty.clone())).collect();
        let mut actual: Vec<Value> = Vec::new();
        for place in places {
            actual.push(match *place {
                Place::Captured(i) => args[read.iter().position(|&r| r == i).unwrap_or(0)],
                Place::Slot(j) => args[read.len() + j],
            });
        }
        actual.extend(&args[read.len() + kept.len()..]);
        let made = b.inline(lin.linear.program(), &actual, None)?;
        linear.push(b.finish(&made));
    }
    Ok(cx.linear.push(Op::Case { branches: linear }, &operands)?)
}

/// The choice that also gives the residuals; its results stand for those of `instr`. Gives the others.
fn primal_case(
    cx: &mut Context,
    instr: &Instr,
    lins: &[Linearized],
    places: &[Vec<Place>],
    slots: &[TensorType],
) -> Result<Vec<Value>, AdError> {
    let mut branches = Vec::with_capacity(lins.len());
    for (lin, places) in lins.iter().zip(places) {
        let p = &lin.primal;
        let mut b = Builder::new(p.name());
        let args: Vec<Value> = p.args().iter().map(|&a| b.arg(p.value_name(a), p.ty(a).clone())).collect();
        let mut made = b.inline(p, &args, Some(""))?;
        let residuals = made.split_off(instr.results().len());
        let mut in_slots = vec![None; slots.len()];
        for (place, r) in places.iter().zip(residuals) {
            if let Place::Slot(j) = place {
                in_slots[*j] = Some(r);
            }
        }
        for (slot, ty) in in_slots.into_iter().zip(slots) {
            made.push(slot.unwrap_or_else(|| b.splat(ty, 0.0)));
        }
        branches.push(b.finish(&made));
    }
    let operands: Vec<Value> = instr.operands().iter().map(|&v| cx.value(v)).collect();
    let mut made = cx.primal.push(Op::Case { branches }, &operands)?;
    let kept = made.split_off(instr.results().len());
    for (&r, p) in instr.results().iter().zip(made) {
        cx.replace(r, p);
    }
    Ok(kept)
}
