//! From cuts to layouts: what every op gives at each coordinate, what stays pending, and which reshards that asks
//! for.
//!
//! A pending value is combined where it is produced unless all its readers carry it on cheaply (sums of pending
//! values, sign changes, constant factors, moves of elements); then the combination happens once, further down.
//! Ops that depend on no argument are *free*: every template that needs them computes them again. Copies with fewer
//! cuts, for readers that need more than is held, are in `forms`.

use crate::cuts::{Cuts, coords_over};
use crate::forms::{Form, Forms};
use crate::propagate::{Assignment, propagate};
use crate::resolve::Resolved;
use crate::{Infeasible, Request};
use pullback_base::IdMap;
use pullback_ir::access::{AccessMap, FactorKind};
use pullback_ir::linearity::carries_pending;
use pullback_ir::{BinaryOp, InstrId, Op, Program, UnaryOp, Value, ValueDef};
use pullback_plan::{AxisId, AxisKind, CollectiveKind, Coord, CutId, Layout, Mesh, Pending};
use std::collections::BTreeSet;

/// How a produced value comes to the layout its readers see.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Reshard {
    /// Combined over the turns of this time axis; gives `combined`.
    pub combine: Option<AxisId>,
    /// Layout after the turns are combined.
    pub combined: Layout,
    /// Then a collective over these axes.
    pub collective: Option<(CollectiveKind, Vec<AxisId>)>,
}

/// Everything known about layouts.
pub(crate) struct Lowered {
    pub mesh: Mesh,
    pub cuts: Cuts,
    pub access: IdMap<InstrId, AccessMap>,
    pub factors: IdMap<InstrId, Vec<Option<CutId>>>,
    /// Ops that depend on no argument and are no results.
    pub free: IdMap<InstrId, bool>,
    /// Layout in which a value is produced or enters.
    pub natural: IdMap<Value, Layout>,
    /// Layout in which readers see it.
    pub held: IdMap<Value, Layout>,
    pub reshard: IdMap<Value, Reshard>,
    /// Further copies with fewer cuts, for readers and results that need more than is held.
    pub forms: IdMap<Value, Forms>,
    /// Per op and operand: the form it reads.
    pub reads: IdMap<InstrId, Vec<Form>>,
    /// Per result of the program: its form.
    pub results: Vec<Form>,
    pub time: Option<AxisId>,
}

/// Values of `early` are combined where they are produced, whatever their readers could carry.
pub(crate) fn lower(
    request: &Request<'_>,
    resolved: Resolved,
    early: &BTreeSet<Value>,
) -> Result<Lowered, Infeasible> {
    let Resolved { mesh, mut cuts, pins, .. } = resolved;
    let program = request.step;
    let state = &request.signature.state;
    let state: Vec<(Value, Value)> =
        state.iter().map(|s| (program.args()[s.arg], program.results()[s.result])).collect();
    let free = free_ops(program);
    let Assignment { access, factors, wanted } = propagate(program, &mesh, &mut cuts, &pins, &state, &free)?;
    let time = mesh.axis_ids().find(|&a| mesh.axis(a).kind == AxisKind::Time);
    let n = program.n_values();
    let mut reads = IdMap::new();
    for instr in program.instrs().values() {
        reads.push(vec![Form::Held; instr.operands().len()]);
    }
    let mut l = Lowered {
        free,
        natural: IdMap::filled(n, Layout::default()),
        held: IdMap::filled(n, Layout::default()),
        reshard: IdMap::filled(n, Reshard::default()),
        forms: IdMap::filled(n, Forms::default()),
        results: vec![Form::Held; program.results().len()],
        reads,
        mesh,
        cuts,
        access,
        factors,
        time,
    };
    for &a in program.args() {
        l.natural[a] = Layout { dims: wanted[a].clone(), pending: None };
        l.held[a] = l.natural[a].clone();
    }
    let axes: Vec<AxisId> = l.mesh.axis_ids().collect();
    let coords = coords_over(&l.mesh, &axes);
    l.widen_free(program, &coords);
    l.settle(program, &wanted, &coords, early);
    l.choose_forms(request, &coords)?;
    Ok(l)
}

/// Ops all of whose inputs are constants; the producers of results are not among them.
fn free_ops(program: &Program) -> IdMap<InstrId, bool> {
    let mut free_value = IdMap::<Value, bool>::filled(program.n_values(), false);
    let mut free = IdMap::new();
    for instr in program.instrs().values() {
        let f = instr.operands().iter().all(|&v| free_value[v])
            && !instr.results().iter().any(|r| program.results().contains(r));
        instr.results().iter().for_each(|&r| free_value[r] = f);
        free.push(f);
    }
    free
}

/// The op that makes a value, if an op does.
pub(crate) fn producer(program: &Program, v: Value) -> Option<InstrId> {
    match program.def(v) {
        ValueDef::Result(id, _) => Some(id),
        ValueDef::Arg(_) => None,
    }
}

impl Lowered {
    /// Whether all operands but those at these positions are made by free ops.
    fn others_free(&self, program: &Program, id: InstrId, positions: &[usize]) -> bool {
        let mut others = program.instr(id).operands().iter().enumerate();
        others.all(|(i, &v)| positions.contains(&i) || self.is_free(program, v))
    }

    /// Whether a value is made by a free op.
    pub fn is_free(&self, program: &Program, v: Value) -> bool {
        producer(program, v).is_some_and(|id| self.free[id])
    }

    /// Whether a cut has the time axis.
    pub fn is_timed(&self, cut: CutId) -> bool {
        self.cuts.table[cut].axes.iter().any(|&a| self.mesh.is_time(a))
    }

    /// Per dimension, whether these cuts give an op what it needs of an operand, everywhere.
    pub fn needs_within(
        &self,
        id: InstrId,
        operand: usize,
        dims: &[Option<CutId>],
        shape: &[usize],
        coords: &[Coord],
    ) -> Vec<bool> {
        let held = Layout { dims: dims.to_vec(), pending: None };
        let mut ok = vec![true; shape.len()];
        for coord in coords {
            let boxed = self.cuts.boxed(&self.access[id], &self.factors[id], &self.mesh, coord);
            let needs = self.access[id].needs(operand, &boxed);
            let Some(has) = held.region(&self.cuts.table, &self.mesh, shape, coord) else { continue };
            if needs.is_empty() {
                continue;
            }
            for (d, (a, b)) in needs.dims().iter().zip(has.dims()).enumerate() {
                ok[d] &= a.is_subset(b);
            }
        }
        ok
    }

    /// Free ops whose readers need more than their cut gives are computed whole.
    fn widen_free(&mut self, program: &Program, coords: &[Coord]) {
        let uses = program.uses();
        for id in program.instrs().ids().rev() {
            if !self.free[id] {
                continue;
            }
            let short = (0..program.instr(id).results().len()).any(|k| {
                let v = program.instr(id).results()[k];
                let dims = self.natural_dims(program, id, k);
                let shape = program.ty(v).shape();
                uses[v].iter().any(|&r| {
                    let positions = program.instr(r).operands().iter().enumerate().filter(|(_, o)| **o == v);
                    positions
                        .map(|(i, _)| self.needs_within(r, i, &dims, shape, coords))
                        .any(|ok| ok.contains(&false))
                })
            });
            // A reduction cut by an axis would leave a free value pending.
            let pending = self.access[id]
                .factors
                .iter()
                .zip(&self.factors[id])
                .any(|(f, c)| c.is_some() && f.kind != FactorKind::Pass);
            if short || pending {
                self.factors[id] = vec![None; self.factors[id].len()];
            }
        }
    }

    /// The cuts in which an op gives its result number `k`.
    fn natural_dims(&mut self, program: &Program, id: InstrId, k: usize) -> Vec<Option<CutId>> {
        let maps = self.access[id].results[k].clone();
        let shape = program.ty(program.instr(id).results()[k]).shape();
        (0..maps.len())
            .map(|d| self.cuts.image(&maps[d], shape[d], &self.access[id], &self.factors[id], &self.mesh))
            .collect()
    }

    /// Decides what stays pending and fixes natural and held layouts, to a fixpoint.
    fn settle(
        &mut self,
        program: &Program,
        wanted: &IdMap<Value, Vec<Option<CutId>>>,
        coords: &[Coord],
        early: &BTreeSet<Value>,
    ) {
        let uses = program.uses();
        let mut keep = IdMap::<Value, bool>::filled(program.n_values(), true);
        for &r in program.results().iter().chain(early) {
            keep[r] = false;
        }
        for id in program.instrs().ids() {
            for (k, &v) in program.instr(id).results().iter().enumerate() {
                self.natural[v].dims = self.natural_dims(program, id, k);
            }
        }
        loop {
            for id in program.instrs().ids() {
                for (k, &v) in program.instr(id).results().iter().enumerate() {
                    self.natural[v].pending = self.pending_of(program, id, k);
                    (self.held[v], self.reshard[v]) = self.after(v, keep[v], &wanted[v]);
                }
            }
            let mut changed = false;
            for v in program.value_ids() {
                if keep[v]
                    && self.held[v].pending.is_some()
                    && !uses[v].iter().all(|&id| self.carries(program, id, coords))
                {
                    keep[v] = false;
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// What result `k` is pending over: axes that cut factors it is reduced over, and those its operands are pending
    /// over.
    fn pending_of(&self, program: &Program, id: InstrId, k: usize) -> Option<Pending> {
        let mut axes: Vec<AxisId> = Vec::new();
        let mut monoid = None;
        for (f, m) in self.access[id].contributions(k) {
            if let Some(c) = self.factors[id][f] {
                axes.extend(&self.cuts.table[c].axes);
                monoid = Some(m);
            }
        }
        for &v in program.instr(id).operands() {
            if let Some(p) = &self.held[v].pending {
                axes.extend(&p.axes);
                monoid = Some(p.monoid);
            }
        }
        axes.sort_unstable();
        axes.dedup();
        monoid.map(|monoid| Pending { monoid, axes })
    }

    /// The layout readers see and how it comes about.
    fn after(&self, v: Value, keep: bool, wanted: &[Option<CutId>]) -> (Layout, Reshard) {
        let natural = self.natural[v].clone();
        let Some(p) = natural.pending.clone().filter(|_| !keep) else {
            return (natural.clone(), Reshard { combined: natural, ..Reshard::default() });
        };
        let (turns, space): (Vec<AxisId>, Vec<AxisId>) = p.axes.iter().partition(|&&a| self.mesh.is_time(a));
        let rest = (!space.is_empty()).then(|| Pending { monoid: p.monoid, axes: space.clone() });
        let combined = Layout { dims: natural.dims.clone(), pending: rest };
        let mut held = Layout { dims: natural.dims.clone(), pending: None };
        let scattered = (0..held.dims.len()).find_map(|d| {
            let cut = wanted[d].filter(|_| held.dims[d].is_none())?;
            let mut axes = self.cuts.table[cut].axes.clone();
            axes.sort_unstable();
            (axes == space).then_some((d, cut))
        });
        let collective = match (space.is_empty(), scattered) {
            (true, _) => None,
            (false, Some((d, cut))) => {
                held.dims[d] = Some(cut);
                // Members go in the order in which the cut counts them.
                Some((CollectiveKind::ReduceScatter, self.cuts.table[cut].axes.clone()))
            }
            (false, None) => Some((CollectiveKind::AllReduce, space)),
        };
        (held, Reshard { combine: turns.first().copied(), combined, collective })
    }

    /// Whether an op passes its pending operands on, cheaply.
    fn carries(&self, program: &Program, id: InstrId, coords: &[Coord]) -> bool {
        let instr = program.instr(id);
        let pending: Vec<usize> = (0..instr.operands().len())
            .filter(|&i| self.held[instr.operands()[i]].pending.is_some())
            .collect();
        let Some(&first) = pending.first() else { return true };
        let family = &self.held[instr.operands()[first]].pending;
        let same = pending.iter().all(|&i| self.held[instr.operands()[i]].pending == *family);
        let cheap = is_cheap(instr.op(), || self.others_free(program, id, &pending));
        let axes = family.as_ref().map_or(&[][..], |p| &p.axes);
        let uncut = self.factors[id]
            .iter()
            .flatten()
            .all(|c| self.cuts.table[*c].axes.iter().all(|a| !axes.contains(a)));
        let sums = family.as_ref().is_some_and(|p| p.monoid == pullback_ir::Monoid::Add);
        let linear = carries_pending(instr.op(), instr.operands().len(), &pending);
        cheap
            && same
            && uncut
            && sums
            && linear
            && pending.iter().all(|&i| {
                let v = instr.operands()[i];
                !self.needs_within(id, i, &self.held[v].dims, program.ty(v).shape(), coords).contains(&false)
            })
    }
}

/// Whether an op costs so little that it may run on each of several terms of its operand.
fn is_cheap(op: &Op, others_free: impl Fn() -> bool) -> bool {
    match op {
        Op::Unary(u) => *u == UnaryOp::Negate,
        Op::Binary(b) => match b {
            BinaryOp::Add | BinaryOp::Subtract => true,
            BinaryOp::Multiply | BinaryOp::Divide => others_free(),
            BinaryOp::And
            | BinaryOp::Atan2
            | BinaryOp::Maximum
            | BinaryOp::Minimum
            | BinaryOp::Or
            | BinaryOp::Power
            | BinaryOp::Remainder
            | BinaryOp::ShiftLeft
            | BinaryOp::ShiftRightArithmetic
            | BinaryOp::ShiftRightLogical
            | BinaryOp::Xor
            | BinaryOp::Complex
            | BinaryOp::Mulhi
            | BinaryOp::NextAfter
            | BinaryOp::Polygamma
            | BinaryOp::Zeta => false,
        },
        Op::Reshape { .. } | Op::Transpose { .. } => true,
        Op::Constant(_)
        | Op::Iota { .. }
        | Op::Compare { .. }
        | Op::Select
        | Op::Clamp
        | Op::Convert { .. }
        | Op::BroadcastInDim { .. }
        | Op::Slice { .. }
        | Op::Concatenate { .. }
        | Op::Pad { .. }
        | Op::Reverse { .. }
        | Op::DotGeneral(_)
        | Op::Convolution(_)
        | Op::Reduce { .. }
        | Op::Gather(_)
        | Op::Scatter { .. }
        | Op::DynamicSlice { .. }
        | Op::DynamicUpdateSlice
        | Op::BitcastConvert { .. }
        | Op::ReducePrecision { .. }
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
