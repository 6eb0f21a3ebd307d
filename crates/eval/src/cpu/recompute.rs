//! Cheap elementwise values are made again where they are read instead of being stored.
//!
//! A value that only other elementwise units read, and that follows from stored values by a few cheap ops, costs
//! more to store and to load than to compute twice. What must hold: each reader gets the same bits, because it
//! runs the same ops on the same values.

use super::fuse::{Unit, is_whole};
use super::graph::{Graph, Kind, NodeData};
use super::view::{Node, View, common_refinement};
use pullback_base::IdMap;
use pullback_ir::{BinaryOp, Op, UnaryOp};
use std::collections::{BTreeMap, BTreeSet};

/// Ops that may be repeated per value.
const MAX_OPS: usize = 6;
/// Members of a unit with its copies.
const MAX_MEMBERS: usize = 160;

/// Ops that cost about as much as moving their result.
fn is_cheap(data: &NodeData) -> bool {
    let Kind::Op(op) = &data.kind else { return false };
    match op {
        Op::Unary(u) => {
            matches!(u, UnaryOp::Negate | UnaryOp::Abs | UnaryOp::Sign | UnaryOp::Not | UnaryOp::IsFinite)
        }
        Op::Binary(b) => !matches!(b, BinaryOp::Power | BinaryOp::Atan2 | BinaryOp::Remainder),
        Op::Compare { .. } | Op::Select | Op::Convert { .. } | Op::Clamp => true,
        Op::ReducePrecision { .. }
        | Op::Constant(_)
        | Op::Iota { .. }
        | Op::BroadcastInDim { .. }
        | Op::Reshape { .. }
        | Op::Transpose { .. }
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

/// Rewrites units, which are in the order they run, so that cheap values are not stored.
pub(super) fn recompute(graph: &mut Graph, units: &mut Vec<Unit>) {
    let mut unit_of = IdMap::filled(graph.nodes.len(), None);
    for (u, unit) in units.iter().enumerate() {
        for &n in &unit.nodes {
            unit_of[n] = Some(u);
        }
    }
    let facts = Facts::new(graph, units, &unit_of);
    let mut pass = Pass { graph, units, unit_of, facts };
    pass.choose();
    for u in 0..pass.units.len() {
        pass.rewrite(u);
    }
    pass.sweep();
}

/// How values are read.
struct Facts {
    /// Other units that read the value.
    readers: IdMap<Node, Vec<usize>>,
    /// The last unit that reads it; the number of units for results and inputs.
    last: IdMap<Node, usize>,
    /// Whether it may be made again by its readers, as far as they are concerned.
    free: IdMap<Node, bool>,
    /// Whether it has a buffer.
    stored: IdMap<Node, bool>,
}

impl Facts {
    fn new(graph: &Graph, units: &[Unit], unit_of: &IdMap<Node, Option<usize>>) -> Self {
        let n = graph.nodes.len();
        let mut f = Self {
            readers: IdMap::filled(n, Vec::new()),
            last: IdMap::filled(n, 0),
            free: IdMap::filled(n, true),
            stored: IdMap::filled(n, false),
        };
        for (u, unit) in units.iter().enumerate() {
            for v in unit.nodes.iter().flat_map(|&n| &graph.nodes[n].ins) {
                f.last[v.node] = u;
                if unit_of[v.node] != Some(u) {
                    f.stored[v.node] = true;
                    f.free[v.node] &= unit.elementwise && is_whole(graph, v);
                    if f.readers[v.node].last() != Some(&u) {
                        f.readers[v.node].push(u);
                    }
                }
            }
        }
        for (n, data) in graph.nodes.iter() {
            if matches!(data.kind, Kind::Arg(_) | Kind::Const(_)) {
                (f.stored[n], f.last[n]) = (true, units.len());
            }
        }
        for r in &graph.results {
            (f.stored[r.node], f.free[r.node], f.last[r.node]) = (true, false, units.len());
        }
        f
    }
}

struct Pass<'a> {
    graph: &'a mut Graph,
    units: &'a mut Vec<Unit>,
    unit_of: IdMap<Node, Option<usize>>,
    facts: Facts,
}

impl Pass<'_> {
    /// Decides which values not to store: in graph order, so that what they follow from is decided before.
    fn choose(&mut self) {
        for n in self.graph.nodes.ids() {
            let readers = self.facts.readers[n].clone();
            let candidate = !readers.is_empty()
                && self.facts.free[n]
                && self.unit_of[n].is_some_and(|u| self.units[u].elementwise);
            let (mut made, mut leaves) = (BTreeSet::new(), BTreeSet::new());
            if !candidate || !self.follows(n, &mut made, &mut leaves) {
                continue;
            }
            // Loading much instead of little, or keeping more alive than before, is no gain.
            let end = self.facts.last[n];
            let large = |&&l: &&Node| self.graph.nodes[l].count() >= self.graph.nodes[n].count();
            let longer = |l: &&Node| large(l) && self.facts.last[**l] < end;
            if leaves.iter().filter(large).count() > 2 || leaves.iter().filter(longer).count() > 1 {
                continue;
            }
            let Some(spaces) = self.spaces(&readers, &made) else { continue };
            for (u, space) in readers.into_iter().zip(spaces) {
                self.units[u].space = space;
            }
            self.facts.stored[n] = false;
            for l in leaves {
                self.facts.last[l] = self.facts.last[l].max(end);
            }
        }
    }

    /// Whether cheap ops lead from stored values to `n`: collects the ops, and the stored values.
    fn follows(&self, n: Node, made: &mut BTreeSet<Node>, leaves: &mut BTreeSet<Node>) -> bool {
        let data = &self.graph.nodes[n];
        made.insert(n);
        if !is_cheap(data) || made.len() > MAX_OPS {
            return false;
        }
        data.ins.iter().all(|v| {
            if self.facts.stored[v.node] {
                leaves.insert(v.node);
                return true;
            }
            made.contains(&v.node) || (is_whole(self.graph, v) && self.follows(v.node, made, leaves))
        })
    }

    /// The iteration spaces of units that also make these values; `None` where one cannot.
    fn spaces(&self, units: &[usize], made: &BTreeSet<Node>) -> Option<Vec<Vec<usize>>> {
        let space = |&u: &usize| {
            let unit = &self.units[u];
            if unit.nodes.len() + made.len() > MAX_MEMBERS {
                return None;
            }
            let shapes = made.iter().map(|&n| &self.graph.nodes[n].shape);
            shapes.into_iter().try_fold(unit.space.clone(), |space, s| common_refinement(&space, s))
        };
        units.iter().map(space).collect()
    }

    /// Gives a unit copies of what it reads and is no longer stored.
    fn rewrite(&mut self, u: usize) {
        let mut copies = BTreeMap::new();
        let mut order = Vec::new();
        for n in self.units[u].nodes.clone() {
            for i in 0..self.graph.nodes[n].ins.len() {
                let v = self.graph.nodes[n].ins[i].clone();
                let v = self.available(u, v, &mut copies, &mut order);
                self.graph.nodes[n].ins[i] = v;
            }
        }
        order.append(&mut self.units[u].nodes);
        self.units[u].nodes = order;
    }

    /// The view, of a copy in this unit where its node is not stored.
    fn available(
        &mut self,
        u: usize,
        v: View,
        copies: &mut BTreeMap<Node, Node>,
        order: &mut Vec<Node>,
    ) -> View {
        if self.facts.stored[v.node] || self.unit_of[v.node] == Some(u) {
            return v;
        }
        if let Some(&copy) = copies.get(&v.node) {
            return View { node: copy, ..v };
        }
        let NodeData { kind, ins, dtype, shape, strides } = &self.graph.nodes[v.node];
        let (kind, dtype, shape, strides) = (kind.clone(), *dtype, shape.clone(), strides.clone());
        let ins = ins.clone().into_iter().map(|w| self.available(u, w, copies, order)).collect();
        let copy = self.graph.nodes.push(NodeData { kind, ins, dtype, shape, strides });
        self.unit_of.push(Some(u));
        self.facts.stored.push(false);
        copies.insert(v.node, copy);
        order.push(copy);
        View { node: copy, ..v }
    }

    /// Drops members and units that nothing reads any more.
    fn sweep(&mut self) {
        let mut read = IdMap::filled(self.graph.nodes.len(), false);
        for r in &self.graph.results {
            read[r.node] = true;
        }
        for unit in self.units.iter_mut().rev() {
            let mut kept = Vec::with_capacity(unit.nodes.len());
            for &n in unit.nodes.iter().rev() {
                if read[n] {
                    kept.push(n);
                    for v in &self.graph.nodes[n].ins {
                        read[v.node] = true;
                    }
                }
            }
            kept.reverse();
            unit.nodes = kept;
        }
        self.units.retain(|u| !u.nodes.is_empty());
    }
}
