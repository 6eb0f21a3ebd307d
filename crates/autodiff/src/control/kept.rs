//! What a turn of a loop keeps for the linear loop, and what the linear loop computes again.
//!
//! A residual is not stacked where it follows from captured values and the number of the turn by cheap ops (constants,
//! comparisons of the counter, slices of captured tensors): those run again. One that no turn changes is computed once
//! outside the loop. Where a residual is a larger form of something smaller, that is stacked. Under a limit on memory
//! only carried values are stacked, and everything else is computed again.
//!
//! A function that is known by its text ([`crate::smooth`]) is kept, or computed again, as a whole: with a part of it in
//! the stack the second derivative would not know it any more.

use super::form::Loop;
use crate::error::AdError;
use crate::extract::extract;
use crate::linearize::Linearized;
use crate::smooth::spellings;
use pullback_base::IdMap;
use pullback_ir::pass::dce;
use pullback_ir::{BinaryOp, Instr, Op, Program, UnaryOp, Value};
use std::collections::BTreeSet;

/// What a value of the body is in the linear loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fate {
    /// Nobody reads it.
    Unread,
    /// The captured argument of this number.
    Captured(usize),
    /// The counter, which follows from the number of the turn.
    Counter,
    /// A slice of the stack of this number.
    Stacked(usize),
    /// The same each turn: computed outside, the one of this number.
    Hoisted(usize),
    /// Computed again.
    Again,
}

/// The choice for one loop.
pub(super) struct Kept {
    /// A program with the body's arguments in which the residuals are, its last results.
    pub(super) program: Program,
    pub(super) residuals: Vec<Value>,
    pub(super) fates: IdMap<Value, Fate>,
    /// Values of `program` that are stacked.
    pub(super) stacked: Vec<Value>,
    /// Values of `program` that are computed outside.
    pub(super) hoisted: Vec<Value>,
}

impl Kept {
    /// All that the turns need and that is not cheap.
    pub(super) fn all(lin: &Linearized, l: &Loop) -> Self {
        Self::of(lin.primal.clone(), lin.residuals.clone(), l, false)
    }

    /// Only carried values, as far as the residuals follow from them.
    pub(super) fn carried(lin: &Linearized, l: &Loop) -> Result<Self, AdError> {
        let results: Vec<_> = lin.residuals.iter().map(|&r| (r, None)).collect();
        let program = dce(&extract(&lin.primal, lin.primal.args(), &results)?)?;
        let residuals = program.results().to_vec();
        Ok(Self::of(program, residuals, l, true))
    }

    fn of(program: Program, residuals: Vec<Value>, l: &Loop, again: bool) -> Self {
        let facts = Facts::of(&program, l);
        let spellings = spellings(&program);
        // Parts of functions that run again.
        let mut parts = BTreeSet::new();
        let mut wanted = IdMap::filled(program.n_values(), false);
        for &r in &residuals {
            wanted[r] = true;
        }
        let mut fates = IdMap::filled(program.n_values(), Fate::Unread);
        let (mut stacked, mut hoisted) = (Vec::new(), Vec::new());
        let instrs: Vec<&Instr> = program.instrs().values().collect();
        for instr in instrs.into_iter().rev() {
            let of_use: Vec<Value> = instr.results().iter().copied().filter(|&r| wanted[r]).collect();
            for r in of_use {
                let spelling = spellings.get(&r);
                let form = || spelling.is_none() && facts.smaller_behind(&program, instr);
                let runs = parts.contains(&r) || facts.cheap[r] || !facts.invariant[r] && (again || form());
                if runs {
                    parts.extend(spelling.into_iter().flatten().copied());
                }
                fates[r] = if runs {
                    instr.operands().iter().for_each(|&v| wanted[v] = true);
                    Fate::Again
                } else if facts.invariant[r] {
                    hoisted.push(r);
                    Fate::Hoisted(hoisted.len() - 1)
                } else {
                    stacked.push(r);
                    Fate::Stacked(stacked.len() - 1)
                };
            }
        }
        for (i, &a) in program.args().iter().enumerate().filter(|(_, a)| wanted[**a]) {
            fates[a] = if i >= l.carried() {
                Fate::Captured(i)
            } else if l.counter.is_some_and(|c| c.at == i) {
                Fate::Counter
            } else {
                stacked.push(a);
                Fate::Stacked(stacked.len() - 1)
            };
        }
        Kept { program, residuals, fates, stacked, hoisted }
    }

    /// Bytes that a turn keeps.
    pub(super) fn bytes(&self) -> u64 {
        self.stacked.iter().fold(0, |sum, &v| sum.saturating_add(self.program.ty(v).bytes() as u64))
    }
}

/// What the values of a body follow from.
struct Facts {
    /// Captured values and the counter, by cheap ops.
    cheap: IdMap<Value, bool>,
    /// Captured values alone.
    invariant: IdMap<Value, bool>,
}

impl Facts {
    fn of(program: &Program, l: &Loop) -> Self {
        let mut facts = Facts {
            cheap: IdMap::filled(program.n_values(), false),
            invariant: IdMap::filled(program.n_values(), false),
        };
        for (i, &a) in program.args().iter().enumerate() {
            facts.invariant[a] = i >= l.carried();
            facts.cheap[a] = i >= l.carried() || l.counter.is_some_and(|c| c.at == i);
        }
        for instr in program.instrs().values() {
            let all = |of: &IdMap<Value, bool>| instr.operands().iter().all(|&v| of[v]);
            let (cheap, invariant) = (is_cheap(instr.op()) && all(&facts.cheap), all(&facts.invariant));
            for &r in instr.results() {
                facts.cheap[r] = cheap;
                facts.invariant[r] = invariant;
            }
        }
        facts
    }

    /// Whether one result is a cheap form of one value that is not larger, and otherwise of cheap ones.
    fn smaller_behind(&self, program: &Program, instr: &Instr) -> bool {
        let mut behind = instr.operands().iter().filter(|&&v| !self.cheap[v]);
        let (Some(&x), None, &[r]) = (behind.next(), behind.next(), instr.results()) else { return false };
        is_cheap(instr.op()) && program.ty(x).bytes() <= program.ty(r).bytes()
    }
}

/// Whether computing an op again costs no more than reading its result from a stack would.
fn is_cheap(op: &Op) -> bool {
    match op {
        Op::Constant(_)
        | Op::Iota { .. }
        | Op::Compare { .. }
        | Op::Select
        | Op::Clamp
        | Op::Convert { .. }
        | Op::BroadcastInDim { .. }
        | Op::Reshape { .. }
        | Op::Transpose { .. }
        | Op::Slice { .. }
        | Op::Concatenate { .. }
        | Op::Pad { .. }
        | Op::Reverse { .. }
        | Op::Gather(_)
        | Op::DynamicSlice { .. }
        | Op::BitcastConvert { .. }
        | Op::ReducePrecision { .. } => true,
        Op::Unary(u) => {
            matches!(u, UnaryOp::Negate | UnaryOp::Not | UnaryOp::Abs | UnaryOp::Sign | UnaryOp::Square)
                || matches!(u, UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Real | UnaryOp::Imag)
        }
        Op::Binary(b) => match b {
            BinaryOp::Add | BinaryOp::And | BinaryOp::Maximum | BinaryOp::Minimum | BinaryOp::Multiply => {
                true
            }
            BinaryOp::Or | BinaryOp::Subtract | BinaryOp::Xor | BinaryOp::Complex => true,
            BinaryOp::ShiftLeft | BinaryOp::ShiftRightArithmetic | BinaryOp::ShiftRightLogical => true,
            BinaryOp::Atan2 | BinaryOp::Divide | BinaryOp::Power | BinaryOp::Remainder => false,
            BinaryOp::Mulhi | BinaryOp::NextAfter | BinaryOp::Polygamma | BinaryOp::Zeta => false,
        },
        Op::DotGeneral(_)
        | Op::Convolution(_)
        | Op::Reduce { .. }
        | Op::Scatter { .. }
        | Op::DynamicUpdateSlice
        | Op::ReduceWindow { .. }
        | Op::SelectAndScatter { .. }
        | Op::Argsort { .. }
        | Op::Fft { .. }
        | Op::Linalg(_)
        | Op::RngBitGenerator { .. }
        | Op::Communicate(_)
        | Op::While { .. }
        | Op::Case { .. }
        | Op::Composite(_)
        | Op::Custom(_) => false,
    }
}
