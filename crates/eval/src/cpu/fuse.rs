//! Which elementwise nodes run together, and in which order everything runs.
//!
//! A unit is one node, or a set of elementwise nodes of one iteration space whose inner values need not be
//! stored. What must hold: units depend on each other without cycles; within a unit a member reads another only
//! at its own position. The choice depends on the graph alone.

use super::graph::{Graph, live};
use super::view::{Node, View, common_refinement};
use pullback_base::{Id, IdMap};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// Larger units would keep too many values in flight.
const MAX_MEMBERS: usize = 128;
/// Units that only join (never merge) from this many on, since merging looks at all of them.
const MAX_UNITS: usize = 20_000;

/// What runs as one step.
#[derive(Clone, Debug)]
pub(super) struct Unit {
    /// In graph order.
    pub(super) nodes: Vec<Node>,
    /// Iteration space of an elementwise unit: its members' shapes are coarser cuts of it.
    pub(super) space: Vec<usize>,
    pub(super) elementwise: bool,
}

/// Sets of units as bits.
#[derive(Clone, Default)]
struct Bits(Vec<u64>);

impl Bits {
    fn has(&self, i: usize) -> bool {
        self.0.get(i / 64).is_some_and(|w| w >> (i % 64) & 1 == 1)
    }

    fn add(&mut self, i: usize) {
        if self.0.len() <= i / 64 {
            self.0.resize(i / 64 + 1, 0);
        }
        self.0[i / 64] |= 1 << (i % 64);
    }

    /// Whether anything was new.
    fn add_all(&mut self, other: &Bits) -> bool {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        let mut new = false;
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            new |= b & !*a != 0;
            *a |= b;
        }
        new
    }
}

/// Whether a view is all elements of its node in row-major order.
pub(super) fn is_whole(graph: &Graph, v: &View) -> bool {
    let data = &graph.nodes[v.node];
    v.offset == 0
        && v.is_dense()
        && v.count() == data.count()
        && data.strides == super::view::dense_strides(&data.shape)
}

struct Fuse<'a> {
    graph: &'a Graph,
    unit_of: IdMap<Node, Option<usize>>,
    units: Vec<Option<Unit>>,
    /// Units each unit depends on, directly or not. A merged unit's number stays in sets, beside its heir's.
    needs: Vec<Bits>,
}

/// The units of everything the results need, in the order they run. Arguments and constants have none.
pub(super) fn units(graph: &Graph) -> Vec<Unit> {
    let live = live(graph);
    let mut f =
        Fuse { graph, unit_of: IdMap::filled(graph.nodes.len(), None), units: Vec::new(), needs: Vec::new() };
    for n in graph.nodes.ids() {
        let data = &graph.nodes[n];
        if !live[n]
            || data.count() == 0
            || matches!(data.kind, super::graph::Kind::Arg(_) | super::graph::Kind::Const(_))
        {
            continue;
        }
        f.place(n);
    }
    f.ordered()
}

impl Fuse<'_> {
    fn place(&mut self, n: Node) {
        let data = &self.graph.nodes[n];
        let elementwise = data.is_elementwise();
        let own = Unit { nodes: vec![n], space: data.shape.clone(), elementwise };
        let mut needs = Bits::default();
        for v in &data.ins {
            if let Some(u) = self.unit_of[v.node] {
                needs.add(u);
                let above = self.needs[u].clone();
                needs.add_all(&above);
            }
        }
        let mut home = self.units.len();
        self.unit_of[n] = Some(home);
        self.units.push(Some(own));
        self.needs.push(needs);
        if !elementwise {
            return;
        }
        let candidates: BTreeSet<usize> = data
            .ins
            .iter()
            .filter(|v| is_whole(self.graph, v))
            .filter_map(|v| self.unit_of[v.node])
            .collect();
        for other in candidates {
            if let Some(space) = self.joint_space(other, home) {
                home = self.merge(other, home, space);
            }
        }
    }

    /// The iteration space of two units as one, if they can be.
    fn joint_space(&self, a: usize, b: usize) -> Option<Vec<usize>> {
        let (ua, ub) = (self.units[a].as_ref()?, self.units[b].as_ref()?);
        let small = ua.nodes.len() + ub.nodes.len() <= MAX_MEMBERS;
        if a == b || !ua.elementwise || !ub.elementwise || !small {
            return None;
        }
        if ua.space.iter().product::<usize>() != ub.space.iter().product::<usize>() {
            return None;
        }
        if ub.nodes.len() > 1 && self.units.len() > MAX_UNITS {
            return None;
        }
        // No way from one to the other through a third unit, and no member reads another elsewhere.
        for &n in &ub.nodes {
            for v in &self.graph.nodes[n].ins {
                match self.unit_of[v.node] {
                    Some(u) if u == a && !is_whole(self.graph, v) => return None,
                    Some(u) if u != a && u != b && self.needs[u].has(a) => return None,
                    _ => {}
                }
            }
        }
        let outer = ua.nodes.iter().flat_map(|&n| &self.graph.nodes[n].ins);
        for v in outer {
            match self.unit_of[v.node] {
                Some(u) if u == b || (u != a && self.needs[u].has(b)) => return None,
                _ => {}
            }
        }
        common_refinement(&ua.space, &ub.space)
    }

    /// Makes `b` part of `a`; gives the number of the whole.
    fn merge(&mut self, a: usize, b: usize, space: Vec<usize>) -> usize {
        let Some(ub) = self.units[b].take() else { return a };
        for &n in &ub.nodes {
            self.unit_of[n] = Some(a);
        }
        if let Some(ua) = &mut self.units[a] {
            ua.nodes.extend(ub.nodes);
            ua.nodes.sort_unstable();
            ua.space = space;
        }
        let theirs = std::mem::take(&mut self.needs[b]);
        let grew = self.needs[a].add_all(&theirs);
        // What depended on either now depends on all that either needs.
        let mut all = self.needs[a].clone();
        all.add(a);
        if grew || b + 1 < self.units.len() {
            for u in 0..self.units.len() {
                if u != a && self.units[u].is_some() && (self.needs[u].has(a) || self.needs[u].has(b)) {
                    self.needs[u].add_all(&all);
                }
            }
        }
        a
    }

    /// A topological order that stays close to the order of the program.
    fn ordered(self) -> Vec<Unit> {
        let n = self.units.len();
        let mut waits = vec![0usize; n];
        let mut readers = vec![BTreeSet::new(); n];
        for (u, unit) in self.units.iter().enumerate() {
            let Some(unit) = unit else { continue };
            let inputs: BTreeSet<usize> = unit
                .nodes
                .iter()
                .flat_map(|&m| &self.graph.nodes[m].ins)
                .filter_map(|v| self.unit_of[v.node])
                .filter(|&w| w != u)
                .collect();
            waits[u] = inputs.len();
            for w in inputs {
                readers[w].insert(u);
            }
        }
        let rank = |u: usize| self.units[u].as_ref().and_then(|u| u.nodes.last()).map_or(0, |n| n.index());
        let mut ready: BinaryHeap<Reverse<(usize, usize)>> = (0..n)
            .filter(|&u| self.units[u].is_some() && waits[u] == 0)
            .map(|u| Reverse((rank(u), u)))
            .collect();
        let mut order = Vec::with_capacity(n);
        while let Some(Reverse((_, u))) = ready.pop() {
            order.push(u);
            for &r in &readers[u] {
                waits[r] -= 1;
                if waits[r] == 0 {
                    ready.push(Reverse((rank(r), r)));
                }
            }
        }
        let mut units = self.units;
        order.into_iter().filter_map(|u| units[u].take()).collect()
    }
}
