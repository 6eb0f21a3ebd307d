//! Spreads cuts from constrained values to all ops and values through access maps.
//!
//! Constraints are taken in order; each spreads to a fixpoint before the next, and what is assigned stays: an
//! earlier constraint wins. Arguments are laid out by constraints alone (what has none is whole everywhere). An
//! axis cuts at most one factor of an op and one dimension of a value.
//!
//! State must leave as it entered. So the elementwise ops that make the next value of a slot that is cut (the
//! optimizer's update) take the slot's cuts before anything spreads; what comes from elsewhere is brought to them.

use crate::Infeasible;
use crate::cuts::Cuts;
use pullback_base::IdMap;
use pullback_ir::access::{AccessMap, FactorKind};
use pullback_ir::{InstrId, Monoid, Program, Value, ValueDef};
use pullback_plan::{AxisId, CutId, Mesh};

/// A cut per factor of each op, and the cuts wanted of each value.
pub(crate) struct Assignment {
    pub access: IdMap<InstrId, AccessMap>,
    pub factors: IdMap<InstrId, Vec<Option<CutId>>>,
    pub wanted: IdMap<Value, Vec<Option<CutId>>>,
}

struct Propagation<'a> {
    program: &'a Program,
    mesh: &'a Mesh,
    cuts: &'a mut Cuts,
    out: Assignment,
    pinned: IdMap<Value, Vec<bool>>,
    /// Ops that depend on nothing. Each reader of one may need another part of it, so that it takes cuts but passes none on.
    free: &'a IdMap<InstrId, bool>,
    /// Instructions that touch a value.
    touch: IdMap<Value, Vec<InstrId>>,
    queue: Vec<InstrId>,
}

/// `state` has each slot's argument and the value that is its next.
pub(crate) fn propagate(
    program: &Program,
    mesh: &Mesh,
    cuts: &mut Cuts,
    pins: &[(Value, usize, Option<CutId>)],
    state: &[(Value, Value)],
    free: &IdMap<InstrId, bool>,
) -> Result<Assignment, Infeasible> {
    let mut access = IdMap::new();
    let mut touch = program.uses();
    for (id, instr) in program.instrs().iter() {
        access.push(AccessMap::of(instr.op(), &program.operand_types(id))?);
        instr.results().iter().for_each(|&r| touch[r].push(id));
    }
    let mut factors = IdMap::new();
    for id in program.instrs().ids() {
        factors.push(vec![None; access[id].factors.len()]);
    }
    let (mut wanted, mut pinned) = (IdMap::new(), IdMap::new());
    for v in program.value_ids() {
        wanted.push(vec![None; program.ty(v).rank()]);
        // Arguments take no cut but their constraints'.
        pinned.push(vec![matches!(program.def(v), ValueDef::Arg(_)); program.ty(v).rank()]);
    }
    let out = Assignment { access, factors, wanted };
    let mut p = Propagation { program, mesh, cuts, out, pinned, free, touch, queue: Vec::new() };
    // A dimension kept whole by a later constraint must not be cut by an earlier one's spreading.
    for &(v, d, cut) in pins {
        if cut.is_none() {
            p.pinned[v][d] = true;
        }
    }
    let mut later = p.updates(state, pins);
    for &(v, d, cut) in pins {
        if p.pin(v, d, cut) {
            p.queue.extend(p.touch[v].iter().rev());
            p.queue.append(&mut later[v]);
        }
        p.run(None);
    }
    Ok(p.out)
}

impl Propagation<'_> {
    /// Axes used by all entries but number `except`.
    fn axes_of(&self, list: &[Option<CutId>], except: usize) -> Vec<AxisId> {
        let others = list.iter().enumerate().filter(|(i, _)| *i != except).filter_map(|(_, c)| *c);
        others.flat_map(|c| self.cuts.table[c].axes.clone()).collect()
    }

    /// A value's dimension takes the cut that a constraint wants; whether it has it then.
    fn pin(&mut self, v: Value, d: usize, cut: Option<CutId>) -> bool {
        let Some(cut) = cut else { return false };
        let used = self.axes_of(&self.out.wanted[v], d);
        let clash = self.cuts.table[cut].axes.iter().any(|a| used.contains(a));
        if self.out.wanted[v][d].is_none() && !clash {
            self.out.wanted[v][d] = Some(cut);
        }
        self.out.wanted[v][d] == Some(cut)
    }

    /// The next value of each slot takes the slot's cuts, and so do the elementwise ops before it. Gives, by the
    /// slot's argument, the other ops that this reaches: they wait for the slot's constraint to have its turn.
    fn updates(
        &mut self,
        state: &[(Value, Value)],
        pins: &[(Value, usize, Option<CutId>)],
    ) -> IdMap<Value, Vec<InstrId>> {
        // What the slots enter as; arguments get their cuts when their constraints have their turn.
        for &(v, d, cut) in pins {
            if state.iter().any(|s| s.0 == v) {
                self.pin(v, d, cut);
            }
        }
        let entry = state.iter().map(|s| std::mem::take(&mut self.out.wanted[s.0]));
        let entry: Vec<Vec<Option<CutId>>> = entry.collect();
        let mut later = IdMap::filled(self.program.n_values(), Vec::new());
        let mut first = Vec::new();
        for (&(arg, next), cuts) in state.iter().zip(entry) {
            self.out.wanted[arg] = vec![None; cuts.len()];
            let ValueDef::Result(id, _) = self.program.def(next) else { continue };
            if cuts.iter().all(Option::is_none) || self.pinned[next].contains(&true) {
                continue;
            }
            self.out.wanted[next] = cuts;
            self.pinned[next].fill(true);
            if self.is_elementwise(id) {
                self.take(id);
            }
            first.push((arg, next));
        }
        for (arg, next) in first {
            self.queue.extend(self.touch[next].iter().rev());
            self.run(Some(&mut later[arg]));
        }
        later
    }

    /// Whether each element of the result follows from those at its place.
    fn is_elementwise(&self, id: InstrId) -> bool {
        let access = &self.out.access[id];
        let [result] = &access.results[..] else { return false };
        access.factors.iter().all(|f| f.kind == FactorKind::Pass)
            && access.operands.iter().all(|maps| maps.is_empty() || maps == result)
    }

    /// Spreads until nothing changes; with `later`, through elementwise ops alone, and notes the others there.
    fn run(&mut self, mut later: Option<&mut Vec<InstrId>>) {
        while let Some(id) = self.queue.pop() {
            if let Some(later) = later.as_mut().filter(|_| !self.is_elementwise(id)) {
                later.push(id);
                continue;
            }
            self.take(id);
            self.give(id);
        }
    }

    /// Factors take the cuts of operands and results.
    fn take(&mut self, id: InstrId) {
        let instr = self.program.instr(id);
        let access = self.out.access[id].clone();
        let passes = |v: &Value| match self.program.def(*v) {
            ValueDef::Result(by, _) => !self.free[by] || self.free[id],
            ValueDef::Arg(_) => true,
        };
        let operands = access.operands.iter().zip(instr.operands()).filter(|(_, v)| passes(v));
        for (maps, &v) in operands.chain(access.results.iter().zip(instr.results())) {
            for (d, map) in maps.iter().enumerate() {
                let Some(cut) = self.out.wanted[v][d] else { continue };
                let Some((f, cut)) = self.cuts.preimage(map, cut, &access) else { continue };
                let allowed = match access.factors[f].kind {
                    FactorKind::Pass
                    | FactorKind::Reduced(Monoid::Add | Monoid::Maximum | Monoid::Minimum) => true,
                    FactorKind::Reduced(Monoid::Multiply | Monoid::And | Monoid::Or)
                    | FactorKind::Blocked => false,
                };
                let used = self.axes_of(&self.out.factors[id], f);
                let clash = self.cuts.table[cut].axes.iter().any(|a| used.contains(a));
                if allowed && !clash && self.out.factors[id][f].is_none() {
                    self.out.factors[id][f] = Some(cut);
                }
            }
        }
    }

    /// Operands and results take the cuts of factors.
    fn give(&mut self, id: InstrId) {
        let instr = self.program.instr(id);
        let access = self.out.access[id].clone();
        let factors = self.out.factors[id].clone();
        let sides =
            access.operands.iter().zip(instr.operands()).chain(access.results.iter().zip(instr.results()));
        for (maps, &v) in sides {
            for (d, map) in maps.iter().enumerate() {
                if self.out.wanted[v][d].is_some() || self.pinned[v][d] {
                    continue;
                }
                let n = self.program.ty(v).shape()[d];
                let Some(cut) = self.cuts.image(map, n, &access, &factors, self.mesh) else { continue };
                let used = self.axes_of(&self.out.wanted[v], d);
                if self.cuts.table[cut].axes.iter().any(|a| used.contains(a)) {
                    continue;
                }
                self.out.wanted[v][d] = Some(cut);
                let touched: Vec<InstrId> =
                    self.touch[v].iter().rev().copied().filter(|&t| t != id).collect();
                self.queue.extend(touched);
            }
        }
    }
}
