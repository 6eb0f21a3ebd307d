//! `chlo.ragged_dot`: a contraction whose rows belong to groups, one after the other, of sizes known at run time.
//!
//! Shapes are static, so each group is a mask. Rows of no group give zero. What is masked is never multiplied, so an
//! infinity in one group does not reach another.

use super::FuncLowering;
use crate::declared::Declared;
use crate::ops::{Issue, dict, entry};
use crate::tree::Node;
use crate::types::mlir_type;
use pullback_ir::{BinaryOp, Comparison, DType, DotDims, Monoid, Op, TensorType, Value, WindowDims};

/// The operation's dimension numbers and operands.
struct Ragged {
    dot: DotDims,
    /// The dimension of the lhs that is in groups.
    dim: usize,
    /// Dimensions of the lhs that sizes of groups may differ along, in order.
    prefix: Vec<usize>,
    lhs: Value,
    rhs: Value,
    /// Ends of the groups: `[prefix..., g]`, or `[g]`; i64.
    ends: Value,
    starts: Value,
}

impl<'a> FuncLowering<'_, 'a, '_> {
    pub(super) fn ragged_dot(&mut self, node: &Node<'a>, written: &[Declared]) -> Result<Value, Issue> {
        let [lhs, rhs, sizes] = self.operands(node)?;
        let numbers = dict(node, &["ragged_dot_dimension_numbers"])?;
        let dims = |key| entry(numbers, key);
        let dot = DotDims {
            lhs_batch: dims("lhs_batching_dimensions")?,
            rhs_batch: dims("rhs_batching_dimensions")?,
            lhs_contract: dims("lhs_contracting_dimensions")?,
            rhs_contract: dims("rhs_contracting_dimensions")?,
        };
        let (ragged, group) = (dims("lhs_ragged_dimensions")?, dims("rhs_group_dimensions")?);
        let (&[dim], rank) = (&ragged[..], self.b.ty(lhs).rank()) else {
            return Err(Issue::Error(format!("{} has one ragged dimension of the lhs", node.name)));
        };
        let mut both = [lhs, rhs];
        if let [want] = written {
            self.widen(node, &mut both, want)?;
        }
        let [lhs, rhs] = both;
        if dim >= rank {
            let ty = mlir_type(self.b.ty(lhs));
            return Err(Issue::Error(format!(
                "{}: the ragged dimension {dim} of {ty} does not exist",
                node.name
            )));
        }
        if dot.lhs_batch.contains(&dim) {
            // Groups of the batch: the group's size changes nothing.
            return self.add(Op::DotGeneral(dot), &[lhs, rhs]);
        }
        let contracting = dot.lhs_contract.iter().position(|&d| d == dim);
        let before = match contracting {
            Some(k) => dot.lhs_contract[..k].to_vec(),
            None => dot.lhs_free(rank).into_iter().filter(|&d| d < dim).collect(),
        };
        let prefix = [&dot.lhs_batch[..], &before].concat();
        let (starts, ends) = self.group_bounds(node, lhs, &prefix, sizes)?;
        let ragged = Ragged { dot, dim, prefix, lhs, rhs, ends, starts };
        match (contracting, &group[..]) {
            (Some(k), []) => self.ragged_contracting(node, &ragged, k),
            (None, &[group]) => self.ragged_free(node, &ragged, group),
            _ => Err(Issue::Error(format!(
                "{} has one group dimension of the rhs where rows are ragged, and none else",
                node.name
            ))),
        }
    }

    /// Where each group starts and ends.
    fn group_bounds(
        &mut self,
        node: &Node<'a>,
        lhs: Value,
        prefix: &[usize],
        sizes: Value,
    ) -> Result<(Value, Value), Issue> {
        let shape = self.shape(sizes);
        let own = self.shape(lhs);
        let each: Option<Vec<usize>> = prefix.iter().map(|&d| own.get(d).copied()).collect();
        let fits = shape.len() == 1
            || each.is_some_and(|each| shape.len() == each.len() + 1 && shape[..each.len()] == each);
        if !fits || !self.b.ty(sizes).dtype().is_integer() {
            let ty = mlir_type(self.b.ty(sizes));
            return Err(Issue::Error(format!("{}: group sizes {ty} do not fit the lhs", node.name)));
        }
        let sizes = self.convert(sizes, DType::I64)?;
        let n = shape.len();
        let g = shape[n - 1];
        let mut window = vec![1; n];
        let mut padding = vec![(0, 0); n];
        (window[n - 1], padding[n - 1].0) = (g.max(1), g.saturating_sub(1) as i64);
        let window = WindowDims {
            sizes: window,
            strides: vec![1; n],
            base_dilations: vec![1; n],
            window_dilations: vec![1; n],
            padding,
        };
        let ends = self.add(Op::ReduceWindow { window: Box::new(window), monoid: Monoid::Add }, &[sizes])?;
        Ok((self.binary(BinaryOp::Subtract, ends, sizes)?, ends))
    }

    /// Whether the index along `along` of a box is in the group numbered along `group`; sizes of groups have their
    /// other dimensions at `prefix`.
    fn in_group(
        &mut self,
        ragged: &Ragged,
        shape: &[usize],
        (along, group): (usize, usize),
        prefix: &[usize],
    ) -> Result<Value, Issue> {
        let dims: Vec<usize> = if self.b.ty(ragged.ends).rank() == 1 {
            vec![group]
        } else {
            prefix.iter().copied().chain([group]).collect()
        };
        // A broadcast takes its dimensions in any order.
        let spread =
            |s: &mut Self, x| s.add(Op::BroadcastInDim { shape: shape.to_vec(), dims: dims.clone() }, &[x]);
        let (starts, ends) = (spread(self, ragged.starts)?, spread(self, ragged.ends)?);
        let ty = TensorType::try_new(DType::I64, shape.to_vec())
            .ok_or_else(|| Issue::Error("ragged_dot: the groups together are too large".to_owned()))?;
        let index = self.add(Op::Iota { ty, dim: along }, &[])?;
        let after = self.compare(Comparison::Ge, index, starts)?;
        let before = self.compare(Comparison::Lt, index, ends)?;
        self.binary(BinaryOp::And, after, before)
    }

    fn masked(&mut self, mask: Value, x: Value) -> Result<Value, Issue> {
        let zero = self.number(self.b.ty(x).dtype(), 0.0);
        let zero = self.repeat(zero, &self.shape(x))?;
        self.add(Op::Select, &[mask, x, zero])
    }

    /// Rows in groups: each with every group's rhs, of which its own is kept.
    fn ragged_free(&mut self, node: &Node<'a>, ragged: &Ragged, group: usize) -> Result<Value, Issue> {
        let dot = &ragged.dot;
        let (lhs_rank, rhs_rank) = (self.b.ty(ragged.lhs).rank(), self.b.ty(ragged.rhs).rank());
        let all = self.add(Op::DotGeneral(dot.clone()), &[ragged.lhs, ragged.rhs])?;
        let (batch, lhs_free, rhs_free) =
            (dot.lhs_batch.len(), dot.lhs_free(lhs_rank), dot.rhs_free(rhs_rank));
        let row = lhs_free.iter().position(|&d| d == ragged.dim).map(|k| batch + k);
        let place = rhs_free.iter().position(|&d| d == group).map(|k| batch + lhs_free.len() + k);
        let (Some(row), Some(place)) = (row, place) else {
            return Err(Issue::Error(format!("{}: dimension {group} of the rhs is no group's", node.name)));
        };
        let shape = self.shape(all);
        if self.shape(ragged.ends).last() != Some(&shape[place]) {
            return Err(Issue::Error(format!("{}: the rhs has {} group(s)", node.name, shape[place])));
        }
        // Dimensions before the ragged one come first in the result too, in the same order.
        let prefix: Vec<usize> = (0..ragged.prefix.len()).collect();
        let mask = self.in_group(ragged, &shape, (row, place), &prefix)?;
        let own = self.masked(mask, all)?;
        self.add(Op::Reduce { dims: vec![place], monoid: Monoid::Add }, &[own])
    }

    /// Contracted dimensions in groups: a result for each.
    fn ragged_contracting(&mut self, node: &Node<'a>, ragged: &Ragged, k: usize) -> Result<Value, Issue> {
        let dot = &ragged.dot;
        let Some(&rhs_dim) = dot.rhs_contract.get(k) else {
            return Err(Issue::Error(format!("{} contracts as many dimensions of both sides", node.name)));
        };
        let groups = self.shape(ragged.ends).last().copied().unwrap_or(0);
        let rhs_of = |d: &usize| -> Option<usize> {
            let at = |from: &[usize], to: &[usize]| {
                from.iter().position(|x| x == d).and_then(|i| to.get(i).copied())
            };
            at(&dot.lhs_batch, &dot.rhs_batch).or_else(|| at(&dot.lhs_contract, &dot.rhs_contract))
        };
        let Some(rhs_prefix) = ragged.prefix.iter().map(rhs_of).collect::<Option<Vec<usize>>>() else {
            return Err(Issue::Error(format!("{} has as many batching dimensions on both sides", node.name)));
        };
        let mut sides = Vec::with_capacity(2);
        for (x, dim, prefix) in [(ragged.lhs, ragged.dim, &ragged.prefix), (ragged.rhs, rhs_dim, &rhs_prefix)]
        {
            let shape = [&[groups], &self.shape(x)[..]].concat();
            let own = (1..shape.len()).collect();
            let x = self.add(Op::BroadcastInDim { shape: shape.clone(), dims: own }, &[x])?;
            let prefix: Vec<usize> = prefix.iter().map(|d| d + 1).collect();
            if dim + 1 >= shape.len() || prefix.iter().any(|&d| d >= shape.len()) {
                return Err(Issue::Error(format!("{}: a dimension does not exist", node.name)));
            }
            let mask = self.in_group(ragged, &shape, (dim + 1, 0), &prefix)?;
            sides.push(self.masked(mask, x)?);
        }
        let shifted = |dims: &[usize]| -> Vec<usize> { dims.iter().map(|d| d + 1).collect() };
        let dims = DotDims {
            lhs_batch: [vec![0], shifted(&dot.lhs_batch)].concat(),
            rhs_batch: [vec![0], shifted(&dot.rhs_batch)].concat(),
            lhs_contract: shifted(&dot.lhs_contract),
            rhs_contract: shifted(&dot.rhs_contract),
        };
        self.add(Op::DotGeneral(dims), &sides)
    }
}
