//! Access maps: the iteration space of an op and which part of each operand a box of it reads.
//!
//! Maps are exact on what is written and conservative on what is read. Cost, layouts, restriction and the
//! checker use them instead of looking at ops again; the reference evaluator does not, so that one can be
//! held against the other (`restrict` tests).

pub(crate) mod convolution;
mod effects;
mod matrices;
mod regions;

use crate::dtype::TensorType;
use crate::infer::{TypeError, infer};
use crate::op::{CustomAccess, CustomFactorKind, DotDims, GatherDims, Monoid, Op, ScatterDims};
use crate::region::{IntervalSet, Region};
use std::collections::BTreeSet;

pub use effects::Effect;
pub(crate) use regions::{RegionFactors, regions};

/// Position of a factor in [`AccessMap::factors`].
pub type FactorId = usize;

/// What becomes of an op's result when a factor is cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FactorKind {
    /// Boxes give disjoint parts of the result.
    Pass,
    /// Boxes give contributions that combine with the monoid to the result.
    Reduced(Monoid),
    /// Never cut.
    Blocked,
}

/// One axis of an op's iteration space.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Factor {
    /// Number of indices.
    pub size: usize,
    /// What cutting it means.
    pub kind: FactorKind,
}

/// How one dimension of an operand or result follows from the factors.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DimMap {
    /// Mixed-radix product of factors, major first; with none, the only index 0. The product of the factors'
    /// sizes is the size of the dimension.
    Factors(Vec<FactorId>),
    /// Index (f * mul + add) / div where that is whole and in range; other f read nothing (padding).
    Affine {
        /// The factor f.
        factor: FactorId,
        /// Multiplier.
        mul: i64,
        /// Offset.
        add: i64,
        /// Divisor, positive.
        div: i64,
    },
    /// Every index, whatever the box.
    Whole,
}

/// The iteration space of one op on operands of given types.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AccessMap {
    /// Axes of the iteration space.
    pub factors: Vec<Factor>,
    /// Per operand, per dimension.
    pub operands: Vec<Vec<DimMap>>,
    /// Per result, per dimension; only `Factors` (results are written exactly).
    pub results: Vec<Vec<DimMap>>,
    /// Operands that join a reduction once: of the boxes that cut the factor only the one holding its index 0 reads
    /// them, the others take the monoid's identity.
    pub joins: Vec<(usize, FactorId)>,
    /// Results that every box of a factor gives alike.
    alike: BTreeSet<(FactorId, usize)>,
    shapes: Vec<Vec<usize>>,
}

impl AccessMap {
    /// The map of `op` on operands of these types.
    pub fn of(op: &Op, operands: &[&TensorType]) -> Result<AccessMap, TypeError> {
        let results = infer(op, operands)?;
        let mut m = AccessMap {
            factors: Vec::new(),
            operands: vec![Vec::new(); operands.len()],
            results: Vec::new(),
            joins: Vec::new(),
            alike: BTreeSet::new(),
            shapes: operands.iter().map(|t| t.shape().to_vec()).collect(),
        };
        match regions(op, operands, &results)? {
            Some(r) => {
                (m.factors, m.operands, m.results) = (r.factors, r.operands, r.results);
                (m.joins, m.alike) = (r.joins, r.alike);
            }
            None => m.fill(op, operands, &results),
        }
        debug_assert!(m.operands.iter().zip(operands).all(|(d, t)| m.fits(d, t.shape())));
        debug_assert!(m.results.iter().zip(&results).all(|(d, t)| m.fits(d, t.shape())));
        Ok(m)
    }

    /// Whether there is a map for each dimension, and factors make up the dimensions that are their products.
    fn fits(&self, maps: &[DimMap], shape: &[usize]) -> bool {
        let product = |fs: &[FactorId]| fs.iter().map(|&f| self.factors[f].size).product::<usize>();
        let fit = |(map, &n): (&DimMap, &usize)| match map {
            DimMap::Factors(fs) => product(fs) == n,
            DimMap::Affine { .. } | DimMap::Whole => true,
        };
        maps.len() == shape.len() && maps.iter().zip(shape).all(fit)
    }

    /// The whole iteration space as a box.
    pub fn full_box(&self) -> Vec<IntervalSet> {
        self.factors.iter().map(|f| IntervalSet::full(f.size)).collect()
    }

    /// What a box reads of operand `i`. An operand that joins elsewhere is not read at all.
    pub fn needs(&self, i: usize, boxed: &[IntervalSet]) -> Region {
        match self.is_read(i, boxed, &[]) {
            true => self.takes(i, boxed),
            false => Region::new(vec![IntervalSet::empty(); self.operands[i].len()]),
        }
    }

    /// The part of operand `i` that a box computes with, read or not.
    pub(crate) fn takes(&self, i: usize, boxed: &[IntervalSet]) -> Region {
        let dims = self.operands[i].iter().zip(&self.shapes[i]).map(|(d, &n)| self.image(d, n, boxed));
        Region::new(dims.collect())
    }

    /// What a box writes of result `k`: the whole of it, or a contribution to it when a reduced factor is cut.
    pub fn writes(&self, k: usize, boxed: &[IntervalSet]) -> Region {
        Region::new(self.results[k].iter().map(|d| self.image(d, usize::MAX, boxed)).collect())
    }

    fn image(&self, map: &DimMap, n: usize, boxed: &[IntervalSet]) -> IntervalSet {
        match map {
            DimMap::Whole => IntervalSet::full(n),
            DimMap::Affine { factor, mul, add, div } => boxed[*factor].affine(*mul, *add, *div, n),
            DimMap::Factors(fs) => match fs.split_first() {
                None => IntervalSet::full(1),
                Some((&first, rest)) => rest
                    .iter()
                    .fold(boxed[first].clone(), |major, &f| major.product(&boxed[f], self.factors[f].size)),
            },
        }
    }

    fn factor(&mut self, size: usize, kind: FactorKind) -> FactorId {
        self.factors.push(Factor { size, kind });
        self.factors.len() - 1
    }

    /// The map (mul, add, div) of a factor to a dimension of size `n`.
    fn affine(&self, factor: FactorId, (mul, add, div): (i64, i64, i64), n: usize) -> DimMap {
        if (mul, add, div) == (1, 0, 1) && self.factors[factor].size == n {
            DimMap::Factors(vec![factor])
        } else {
            DimMap::Affine { factor, mul, add, div }
        }
    }

    /// A pass factor per dimension of the result; gives the result's map.
    fn pass_result(&mut self, result: &TensorType) -> Vec<FactorId> {
        let fs: Vec<FactorId> = result.shape().iter().map(|&n| self.factor(n, FactorKind::Pass)).collect();
        self.results = vec![single(&fs)];
        fs
    }

    fn fill(&mut self, op: &Op, xs: &[&TensorType], results: &[TensorType]) {
        let result = &results[0];
        match op {
            Op::Constant(_) | Op::Iota { .. } => {
                self.pass_result(result);
            }
            Op::Unary(_)
            | Op::Binary(_)
            | Op::Compare { .. }
            | Op::Select
            | Op::Clamp
            | Op::Convert { .. }
            | Op::ReducePrecision { .. } => {
                let fs = self.pass_result(result);
                for (i, x) in xs.iter().enumerate() {
                    self.operands[i] = if x.rank() == 0 { Vec::new() } else { single(&fs) };
                }
            }
            Op::BroadcastInDim { dims, .. } => {
                let fs = self.pass_result(result);
                let x = xs[0].shape();
                self.operands[0] = dims
                    .iter()
                    .enumerate()
                    .map(|(i, &d)| {
                        DimMap::Factors(if x[i] == result.shape()[d] { vec![fs[d]] } else { Vec::new() })
                    })
                    .collect();
            }
            Op::Reshape { .. } => self.reshape(xs[0].shape(), result.shape()),
            Op::Transpose { permutation } => {
                let fs = self.pass_result(result);
                let mut dims = vec![DimMap::Whole; fs.len()];
                for (r, &p) in permutation.iter().enumerate() {
                    dims[p] = DimMap::Factors(vec![fs[r]]);
                }
                self.operands[0] = dims;
            }
            Op::Slice { starts, strides, .. } => {
                let fs = self.pass_result(result);
                self.operands[0] = (0..fs.len())
                    .map(|d| self.affine(fs[d], (strides[d] as i64, starts[d] as i64, 1), xs[0].shape()[d]))
                    .collect();
            }
            Op::Concatenate { dim } => {
                let fs = self.pass_result(result);
                let mut at = 0i64;
                for (i, x) in xs.iter().enumerate() {
                    self.operands[i] = single(&fs);
                    let n = x.shape()[*dim];
                    self.operands[i][*dim] = self.affine(fs[*dim], (1, -at, 1), n);
                    at += n as i64;
                }
            }
            Op::Pad { low, interior, .. } => {
                let fs = self.pass_result(result);
                self.operands[0] = (0..fs.len())
                    .map(|d| self.affine(fs[d], (1, -low[d], interior[d] as i64 + 1), xs[0].shape()[d]))
                    .collect();
            }
            Op::Reverse { dims } => {
                let fs = self.pass_result(result);
                self.operands[0] = (0..fs.len())
                    .map(|d| match dims.contains(&d) {
                        true => self.affine(fs[d], (-1, result.shape()[d] as i64 - 1, 1), result.shape()[d]),
                        false => DimMap::Factors(vec![fs[d]]),
                    })
                    .collect();
            }
            Op::DotGeneral(d) => self.dot(d, xs[0], xs[1]),
            Op::Convolution(c) => self.convolution(c, xs[1], result),
            Op::Reduce { dims, monoid } => self.reduce(xs[0].shape(), dims, *monoid),
            Op::Gather(g) => self.gather(g, xs[0], xs[1], result),
            Op::Scatter { dims, combiner } => self.scatter(dims, *combiner, xs),
            Op::DynamicSlice { sizes } => self.dynamic_slice(xs[0].shape(), sizes),
            Op::DynamicUpdateSlice => self.dynamic_update_slice(xs[0].shape(), xs[1].shape()),
            Op::BitcastConvert { .. } => self.bitcast(xs[0], result),
            Op::ReduceWindow { window, .. } | Op::SelectAndScatter { window, .. } => {
                self.blocked_but(xs, result, |d| window.passes(d));
            }
            Op::Argsort { dim, .. } => self.blocked_but(xs, result, |d| d != *dim),
            Op::Fft { lengths, .. } => self.batched(xs, result, lengths.len()),
            Op::Linalg(l) => self.linalg(l, xs, results),
            Op::RngBitGenerator { .. }
            | Op::Communicate(_)
            | Op::While { .. }
            | Op::Case { .. }
            | Op::Composite(_) => self.whole(xs, results),
            Op::Custom(c) => self.custom(&c.access),
        }
    }

    /// Nothing is cut.
    fn whole(&mut self, xs: &[&TensorType], results: &[TensorType]) {
        self.operands = xs.iter().map(|x| vec![DimMap::Whole; x.rank()]).collect();
        for r in results {
            let fs: Vec<FactorId> = r.shape().iter().map(|&n| self.factor(n, FactorKind::Blocked)).collect();
            self.results.push(single(&fs));
        }
    }

    /// As the operator describes it.
    fn custom(&mut self, access: &CustomAccess) {
        for f in &access.factors {
            let kind = match f.kind {
                CustomFactorKind::Pass => FactorKind::Pass,
                CustomFactorKind::Reduced(monoid) => FactorKind::Reduced(monoid),
                CustomFactorKind::Blocked => FactorKind::Blocked,
            };
            self.factor(f.size, kind);
        }
        let dim = |f: &Option<usize>| f.map_or(DimMap::Whole, |f| DimMap::Factors(vec![f]));
        self.operands = access.operands.iter().map(|dims| dims.iter().map(dim).collect()).collect();
        self.results = access.results.iter().map(|fs| single(fs)).collect();
    }

    fn reduce(&mut self, shape: &[usize], dims: &[usize], monoid: Monoid) {
        let kind = |d: usize| if dims.contains(&d) { FactorKind::Reduced(monoid) } else { FactorKind::Pass };
        let fs: Vec<FactorId> = (0..shape.len()).map(|d| self.factor(shape[d], kind(d))).collect();
        self.operands[0] = single(&fs);
        let kept: Vec<FactorId> = fs.iter().copied().filter(|d| !dims.contains(d)).collect();
        self.results = vec![single(&kept)];
    }

    fn dynamic_slice(&mut self, shape: &[usize], sizes: &[usize]) {
        let fs: Vec<FactorId> = (0..sizes.len())
            .map(|d| {
                self.factor(
                    sizes[d],
                    if sizes[d] == shape[d] { FactorKind::Pass } else { FactorKind::Blocked },
                )
            })
            .collect();
        self.results = vec![single(&fs)];
        self.operands[0] = (0..fs.len())
            .map(|d| if sizes[d] == shape[d] { DimMap::Factors(vec![fs[d]]) } else { DimMap::Whole })
            .collect();
    }

    fn dynamic_update_slice(&mut self, x: &[usize], u: &[usize]) {
        let fs: Vec<FactorId> = (0..x.len())
            .map(|d| self.factor(x[d], if x[d] == u[d] { FactorKind::Pass } else { FactorKind::Blocked }))
            .collect();
        self.results = vec![single(&fs)];
        self.operands[0] = single(&fs);
        self.operands[1] = (0..x.len())
            .map(|d| if x[d] == u[d] { DimMap::Factors(vec![fs[d]]) } else { DimMap::Whole })
            .collect();
    }

    fn bitcast(&mut self, x: &TensorType, result: &TensorType) {
        // A dimension that only one side has is not cut.
        let kept = x.rank().min(result.rank());
        let kind = |d| if d < kept { FactorKind::Pass } else { FactorKind::Blocked };
        let fs: Vec<FactorId> = (0..result.rank()).map(|d| self.factor(result.shape()[d], kind(d))).collect();
        self.results = vec![single(&fs)];
        self.operands[0] = single(&fs[..kept]);
        self.operands[0].resize(x.rank(), DimMap::Whole);
    }

    /// Operands of the result's rank, each index of a dimension that passes depending on that index only; other
    /// dimensions are read whole and not cut.
    fn blocked_but(&mut self, xs: &[&TensorType], result: &TensorType, passes: impl Fn(usize) -> bool) {
        let kind = |d| if passes(d) { FactorKind::Pass } else { FactorKind::Blocked };
        let fs: Vec<FactorId> = (0..result.rank()).map(|d| self.factor(result.shape()[d], kind(d))).collect();
        let map = |d: usize| if passes(d) { DimMap::Factors(vec![fs[d]]) } else { DimMap::Whole };
        self.operands = xs.iter().map(|x| (0..x.rank()).map(map).collect()).collect();
        self.results = vec![single(&fs)];
    }

    /// Factors of the common refinement of two shapes with as many elements; a run of dimensions whose sizes
    /// do not refine each other becomes one blocked factor.
    fn reshape(&mut self, from: &[usize], to: &[usize]) {
        let (mut src, mut dst) = (Vec::new(), Vec::new());
        if from.contains(&0) || to.contains(&0) {
            // No element: nothing to relate.
            let fs: Vec<FactorId> = to.iter().map(|&n| self.factor(n, FactorKind::Blocked)).collect();
            self.results = vec![single(&fs)];
            self.operands[0] = vec![DimMap::Whole; from.len()];
            return;
        }
        let (mut i, mut j) = (0, 0);
        while i < from.len() || j < to.len() {
            let (i0, j0) = (i, j);
            let (mut a, mut b) = (1usize, 1usize);
            // Smallest group of dimensions on both sides with equal products.
            loop {
                if a <= b && i < from.len() && (a < b || i == i0) {
                    a *= from[i];
                    i += 1;
                } else if j < to.len() && (b < a || j == j0) {
                    b *= to[j];
                    j += 1;
                } else {
                    break;
                }
            }
            self.reshape_group(&from[i0..i], &to[j0..j], &mut src, &mut dst);
        }
        self.operands[0] = src;
        self.results = vec![dst];
    }

    fn reshape_group(&mut self, from: &[usize], to: &[usize], src: &mut Vec<DimMap>, dst: &mut Vec<DimMap>) {
        let Some(cuts) = refinement(from, to) else {
            // Conservative: each side's dimensions are blocked; the operand is read whole.
            src.extend(from.iter().map(|_| DimMap::Whole));
            for &n in to {
                let f = self.factor(n, FactorKind::Blocked);
                dst.push(DimMap::Factors(vec![f]));
            }
            return;
        };
        let fs: Vec<FactorId> = cuts.iter().map(|&n| self.factor(n, FactorKind::Pass)).collect();
        for (dims, out) in [(from, src), (to, dst)] {
            let mut at = 0;
            for &n in dims {
                let start = at;
                let mut size = 1;
                while size < n {
                    size *= cuts[at];
                    at += 1;
                }
                out.push(DimMap::Factors(fs[start..at].to_vec()));
            }
        }
    }

    fn dot(&mut self, d: &DotDims, lhs: &TensorType, rhs: &TensorType) {
        let (mut l, mut r) = (vec![DimMap::Whole; lhs.rank()], vec![DimMap::Whole; rhs.rank()]);
        let mut result = Vec::new();
        for (&a, &b) in d.lhs_batch.iter().zip(&d.rhs_batch) {
            let f = self.factor(lhs.shape()[a], FactorKind::Pass);
            (l[a], r[b]) = (DimMap::Factors(vec![f]), DimMap::Factors(vec![f]));
            result.push(f);
        }
        for a in d.lhs_free(lhs.rank()) {
            let f = self.factor(lhs.shape()[a], FactorKind::Pass);
            l[a] = DimMap::Factors(vec![f]);
            result.push(f);
        }
        for b in d.rhs_free(rhs.rank()) {
            let f = self.factor(rhs.shape()[b], FactorKind::Pass);
            r[b] = DimMap::Factors(vec![f]);
            result.push(f);
        }
        for (&a, &b) in d.lhs_contract.iter().zip(&d.rhs_contract) {
            let f = self.factor(lhs.shape()[a], FactorKind::Reduced(Monoid::Add));
            (l[a], r[b]) = (DimMap::Factors(vec![f]), DimMap::Factors(vec![f]));
        }
        self.operands = vec![l, r];
        self.results = vec![single(&result)];
    }

    fn gather(&mut self, g: &GatherDims, x: &TensorType, indices: &TensorType, result: &TensorType) {
        let mut xm = vec![DimMap::Whole; x.rank()];
        let mut im = vec![DimMap::Whole; indices.rank()];
        let mut rm = Vec::new();
        let window: Vec<usize> = (0..x.rank())
            .filter(|d| !g.collapsed_slice_dims.contains(d) && !g.operand_batching_dims.contains(d))
            .collect();
        let batch: Vec<usize> = (0..indices.rank()).filter(|&d| d != g.index_vector_dim).collect();
        let (mut w, mut b) = (window.iter(), batch.iter());
        for d in 0..result.rank() {
            let n = result.shape()[d];
            let f = if g.offset_dims.contains(&d) {
                let &od = w.next().expect("a window dimension per offset dimension");
                let whole = g.slice_sizes[od] == x.shape()[od];
                let f = self.factor(n, if whole { FactorKind::Pass } else { FactorKind::Blocked });
                if whole {
                    xm[od] = DimMap::Factors(vec![f]);
                }
                f
            } else {
                let &id = b.next().expect("a batch dimension per result dimension");
                let f = self.factor(n, FactorKind::Pass);
                im[id] = DimMap::Factors(vec![f]);
                if let Some(k) = g.start_indices_batching_dims.iter().position(|&s| s == id) {
                    xm[g.operand_batching_dims[k]] = DimMap::Factors(vec![f]);
                }
                f
            };
            rm.push(DimMap::Factors(vec![f]));
        }
        self.operands = vec![xm, im];
        self.results = vec![rm];
    }

    fn scatter(&mut self, s: &ScatterDims, combiner: Option<Monoid>, xs: &[&TensorType]) {
        let (x, indices, updates) = (xs[0], xs[1], xs[2]);
        let mut rm = vec![DimMap::Whole; x.rank()];
        let mut im = vec![DimMap::Whole; indices.rank()];
        let mut um = vec![DimMap::Whole; updates.rank()];
        let window: Vec<usize> = (0..x.rank())
            .filter(|d| !s.inserted_window_dims.contains(d) && !s.input_batching_dims.contains(d))
            .collect();
        for (&u, &d) in s.update_window_dims.iter().zip(&window) {
            // A start other than 0 would shift the window out of the operand.
            if updates.shape()[u] == x.shape()[d] && !s.scatter_dims_to_operand_dims.contains(&d) {
                let f = self.factor(x.shape()[d], FactorKind::Pass);
                rm[d] = DimMap::Factors(vec![f]);
                um[u] = DimMap::Factors(vec![f]);
            }
        }
        let batch_i: Vec<usize> = (0..indices.rank()).filter(|&d| d != s.index_vector_dim).collect();
        let batch_u = (0..updates.rank()).filter(|d| !s.update_window_dims.contains(d));
        for (&i, u) in batch_i.iter().zip(batch_u) {
            let batching = s.scatter_indices_batching_dims.iter().position(|&d| d == i);
            let kind = match (batching, combiner) {
                (Some(_), _) => FactorKind::Pass,
                // No box of it would hold its origin alone.
                (None, Some(_)) if updates.shape()[u] == 0 => FactorKind::Blocked,
                (None, Some(m)) => FactorKind::Reduced(m),
                // Which of several updates of one place wins depends on their order.
                (None, None) => FactorKind::Blocked,
            };
            let f = self.factor(updates.shape()[u], kind);
            (im[i], um[u]) = (DimMap::Factors(vec![f]), DimMap::Factors(vec![f]));
            if let Some(k) = batching {
                rm[s.input_batching_dims[k]] = DimMap::Factors(vec![f]);
            }
        }
        for d in 0..x.rank() {
            if rm[d] == DimMap::Whole {
                let f = self.factor(x.shape()[d], FactorKind::Blocked);
                rm[d] = DimMap::Factors(vec![f]);
            }
        }
        if combiner.is_some() {
            let reduced = |f: &FactorId| matches!(self.factors[*f].kind, FactorKind::Reduced(_));
            self.joins = (0..self.factors.len()).filter(reduced).map(|f| (0, f)).collect();
        }
        self.operands = vec![rm.clone(), im, um];
        self.results = vec![rm];
    }
}

fn single(fs: &[FactorId]) -> Vec<DimMap> {
    fs.iter().map(|&f| DimMap::Factors(vec![f])).collect()
}

/// Sizes whose products give both lists of dimensions, major first; `None` when they do not refine each other.
fn refinement(from: &[usize], to: &[usize]) -> Option<Vec<usize>> {
    let (mut a, mut b) = (from.to_vec(), to.to_vec());
    let mut cuts = Vec::new();
    // Take the smaller of the two leading minor parts each time, from the minor end.
    loop {
        while a.last() == Some(&1) {
            a.pop();
        }
        while b.last() == Some(&1) {
            b.pop();
        }
        let (Some(&x), Some(&y)) = (a.last(), b.last()) else { break };
        let cut = x.min(y);
        if x % cut != 0 || y % cut != 0 {
            return None;
        }
        cuts.push(cut);
        *a.last_mut()? = x / cut;
        *b.last_mut()? = y / cut;
    }
    cuts.reverse();
    Some(cuts)
}
