//! Reductions of any number of operands by any region.
//!
//! Results that a monoid makes of one operand each are reductions of the IR. Other regions are lifted: neighbours
//! combine in pairs, in order, until one is left, which the initial value then comes before. So a region need only be
//! associative, which StableHLO asks of it.

use super::FuncLowering;
use super::calls::constant_of;
use super::lift::{Body, Join};
use crate::declared::Declared;
use crate::ops::{Issue, monoid, reduce_dims};
use crate::tree::Node;
use crate::types::mlir_type;
use pullback_ir::{DType, Literal, Monoid, Op, TensorType, Value};

/// Operands and initial values of a reduction, in the types that its region computes with.
pub(super) struct Reduced {
    pub(super) operands: Vec<Value>,
    pub(super) inits: Vec<Value>,
    pub(super) body: Body,
}

impl<'a> FuncLowering<'_, 'a, '_> {
    pub(super) fn reduce(&mut self, node: &Node<'a>, written: &[Declared]) -> Result<(), Issue> {
        let dims = reduce_dims(node)?;
        let values = if let [want] = written
            && let Some(monoid) = self.plain_monoid(node, 0, want.dtype())
        {
            vec![self.reduce_monoid(node, &dims, monoid)?]
        } else {
            self.reduce_general(node, &dims)?
        };
        self.results(node, &values, written)
    }

    /// The monoid of a node's region where it reduces one operand of this type.
    pub(super) fn plain_monoid(&self, node: &Node<'a>, region: usize, dtype: DType) -> Option<Monoid> {
        let same = node.operands.first().and_then(|u| self.ty_of(*u)).is_some_and(|ty| ty.dtype() == dtype);
        monoid(node, region, dtype).filter(|m| same && m.identity(&TensorType::scalar(dtype)).is_some())
    }

    fn reduce_general(&mut self, node: &Node<'a>, dims: &[usize]) -> Result<Vec<Value>, Issue> {
        let reduced = self.reduced(node)?;
        let Reduced { operands, inits, body } = &reduced;
        if let Some(joins) = body.joins(operands.len())
            && let Some(monoids) = all_monoids(&joins)
        {
            let mut out = Vec::with_capacity(operands.len());
            for ((&x, &init), monoid) in operands.iter().zip(inits).zip(monoids) {
                let sum = if dims.is_empty() {
                    x
                } else {
                    self.add(Op::Reduce { dims: dims.to_vec(), monoid }, &[x])?
                };
                out.push(self.before(init, monoid, sum)?);
            }
            return Ok(out);
        }
        self.tree(node, &reduced, dims)
    }

    /// An initial value combined with what was reduced from the identity.
    pub(super) fn before(&mut self, init: Value, monoid: Monoid, sum: Value) -> Result<Value, Issue> {
        if self.is_identity_value(init, monoid) {
            return Ok(sum);
        }
        let shape = self.shape(sum);
        let start = self.repeat(init, &shape)?;
        self.binary(monoid.op(), start, sum)
    }

    /// Operands of one shape, scalars to start from, and a region of the accumulated values and the elements. Both
    /// are converted to what the region takes, where that is wider.
    pub(super) fn reduced(&mut self, node: &Node<'a>) -> Result<Reduced, Issue> {
        let mut operands = self.values(node)?;
        let n = operands.len() / 2;
        if n == 0 || operands.len() != 2 * n {
            return Err(Issue::Error(format!("{} takes operands and as many initial values", node.name)));
        }
        let mut inits = operands.split_off(n);
        let elements: Vec<DType> = operands.iter().map(|&x| self.b.ty(x).dtype()).collect();
        let body = self.body(node, 0, &elements)?;
        let shape = self.shape(operands[0]);
        for (&x, &init) in operands.iter().zip(&inits) {
            let (x, init) = (self.b.ty(x), self.b.ty(init));
            if x.shape() != shape {
                let first = mlir_type(self.b.ty(operands[0]));
                let message = format!("{}: operands differ in shape: {first}, {}", node.name, mlir_type(x));
                return Err(Issue::Error(message));
            }
            if *init != TensorType::scalar(x.dtype()) {
                let (x, i) = (mlir_type(x), mlir_type(init));
                return Err(Issue::Error(format!(
                    "{} of {x} starts from {i}, not from a scalar of its type",
                    node.name
                )));
            }
        }
        let types = self.combiner_types(node, &body, &elements)?;
        for (values, dtype) in operands.iter_mut().zip(&mut inits).zip(types) {
            *values.0 = self.convert(*values.0, dtype)?;
            *values.1 = self.convert_init(*values.1, dtype)?;
        }
        Ok(Reduced { operands, inits, body })
    }

    /// A constant stays one, so that an identity is seen to be one.
    fn convert_init(&mut self, init: Value, dtype: DType) -> Result<Value, Issue> {
        let number = constant_of(self.b.so_far(), init).and_then(Literal::splat_value);
        match number {
            Some(number) if dtype.is_float() && self.b.ty(init).dtype() != dtype => {
                Ok(self.number(dtype, number))
            }
            _ => self.convert(init, dtype),
        }
    }

    /// The element types that a region of accumulated values and elements combines, one for each operand: those of
    /// the operands, or wider ones.
    pub(super) fn combiner_types(
        &self,
        node: &Node<'a>,
        body: &Body,
        elements: &[DType],
    ) -> Result<Vec<DType>, Issue> {
        let n = elements.len();
        let program = &body.program;
        let args: Vec<DType> = program.args().iter().take(2 * n).map(|&v| program.ty(v).dtype()).collect();
        let own = program.args().len() - body.captured.len();
        let results = body.results();
        let fits = own == 2 * n
            && args[..n] == args[n..]
            && results.len() == n
            && results.iter().zip(&args).all(|(r, &d)| *r == TensorType::scalar(d))
            && elements
                .iter()
                .zip(&args)
                .all(|(&from, &to)| from == to || (from.class() == to.class() && from.size() <= to.size()));
        if !fits {
            let list = |types: &[DType]| {
                types.iter().map(|&d| mlir_type(&TensorType::scalar(d))).collect::<Vec<_>>().join(", ")
            };
            let own: Vec<DType> = program.args().iter().take(own).map(|&v| program.ty(v).dtype()).collect();
            let gives: Vec<DType> = results.iter().map(TensorType::dtype).collect();
            return Err(Issue::Error(format!(
                "{}: a region from ({}) to ({}) does not combine two values each of ({})",
                node.name,
                list(&own),
                list(&gives),
                list(elements)
            )));
        }
        Ok(args[..n].to_vec())
    }

    /// Reduces by lifted pairs.
    fn tree(&mut self, node: &Node<'a>, reduced: &Reduced, dims: &[usize]) -> Result<Vec<Value>, Issue> {
        let Reduced { operands, inits, body } = reduced;
        let shape = self.shape(operands[0]);
        if dims.iter().any(|&d| d >= shape.len()) || dims.windows(2).any(|w| w[0] == w[1]) {
            let ty = mlir_type(self.b.ty(operands[0]));
            return Err(Issue::Error(format!(
                "{}: dimensions {dims:?} are not distinct ones of {ty}",
                node.name
            )));
        }
        let kept: Vec<usize> = (0..shape.len()).filter(|d| !dims.contains(d)).collect();
        let rest: Vec<usize> = kept.iter().map(|&d| shape[d]).collect();
        let mut starts = Vec::with_capacity(inits.len());
        for &init in inits {
            starts.push(self.repeat(init, &rest)?);
        }
        let n: usize = dims.iter().map(|&d| shape[d]).product();
        if n == 0 || rest.contains(&0) {
            return Ok(starts);
        }
        let permutation: Vec<usize> = dims.iter().chain(&kept).copied().collect();
        let mut rows = Vec::with_capacity(operands.len());
        for &x in operands {
            let x = if permutation.is_sorted() {
                x
            } else {
                self.add(Op::Transpose { permutation: permutation.clone() }, &[x])?
            };
            rows.push(self.reshape(x, &[&[n], &rest[..]].concat())?);
        }
        let mut last = self.fold_rows(node, body, rows)?;
        for x in &mut last {
            *x = self.reshape(*x, &rest)?;
        }
        self.apply(node, body, &[starts, last].concat(), &rest)
    }

    /// Combines neighbours along the first dimension, in order, until it has size 1.
    pub(super) fn fold_rows(
        &mut self,
        node: &Node<'a>,
        body: &Body,
        mut rows: Vec<Value>,
    ) -> Result<Vec<Value>, Issue> {
        loop {
            let n = self.b.ty(rows[0]).shape()[0];
            if n == 1 {
                return Ok(rows);
            }
            let even = n - n % 2;
            let mut pairs = Vec::with_capacity(2 * rows.len());
            for from in 0..2 {
                for &x in &rows {
                    pairs.push(self.cut(x, 0, from..even, 2)?);
                }
            }
            let shape = self.shape(pairs[0]);
            let mut next = self.apply(node, body, &pairs, &shape)?;
            if n > even {
                for (x, &old) in next.iter_mut().zip(&rows) {
                    let odd = self.cut(old, 0, even..n, 1)?;
                    *x = self.add(Op::Concatenate { dim: 0 }, &[*x, odd])?;
                }
            }
            rows = next;
        }
    }
}

/// The monoids, where all joins are.
pub(super) fn all_monoids(joins: &[Join]) -> Option<Vec<Monoid>> {
    let monoid = |j: &Join| match j {
        Join::Monoid(m) => Some(*m),
        Join::Second => None,
    };
    joins.iter().map(monoid).collect()
}
