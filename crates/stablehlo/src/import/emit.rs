//! Adding operations one by one, for what becomes several of them.

use super::FuncLowering;
use crate::ops::Issue;
use crate::tree::{Node, Use};
use pullback_ir::{BinaryOp, Comparison, DType, Op, TensorType, Value};
use std::ops::Range;

impl<'a> FuncLowering<'_, 'a, '_> {
    /// The values of all operands, in order.
    pub(super) fn values(&mut self, node: &Node<'a>) -> Result<Vec<Value>, Issue> {
        self.values_of(&node.operands)
    }

    /// The values of operands.
    pub(super) fn values_of(&mut self, operands: &[Use<'a>]) -> Result<Vec<Value>, Issue> {
        operands.iter().map(|u| self.value(*u).ok_or(Issue::Reported)).collect()
    }

    /// Counts operations, and refuses those that are more than a text should become.
    pub(super) fn spend(&mut self, operations: usize) -> Result<(), Issue> {
        *self.total = self.total.saturating_add(operations);
        let most = self.sink.most_ops;
        if *self.total <= most {
            return Ok(());
        }
        // Once is enough: whatever comes after is too much as well.
        if std::mem::replace(&mut self.sink.too_many, true) {
            return Err(Issue::Reported);
        }
        Err(Issue::Error(format!("more than {most} operations once everything is written out")))
    }

    /// Adds an operation with one result.
    pub(super) fn add(&mut self, op: Op, operands: &[Value]) -> Result<Value, Issue> {
        self.spend(1)?;
        self.b.push1(op, operands).map_err(Issue::Type)
    }

    /// A scalar constant.
    pub(super) fn number(&mut self, dtype: DType, value: f64) -> Value {
        *self.total += 1;
        self.b.splat(&TensorType::scalar(dtype), value)
    }

    /// A scalar repeated to a shape.
    pub(super) fn repeat(&mut self, scalar: Value, shape: &[usize]) -> Result<Value, Issue> {
        if shape.is_empty() {
            return Ok(scalar);
        }
        self.add(Op::BroadcastInDim { shape: shape.to_vec(), dims: Vec::new() }, &[scalar])
    }

    /// Indices `from <= i < to` along `dim` with this step.
    pub(super) fn cut(
        &mut self,
        x: Value,
        dim: usize,
        range: Range<usize>,
        step: usize,
    ) -> Result<Value, Issue> {
        let mut limits = self.b.ty(x).shape().to_vec();
        let (mut starts, mut strides) = (vec![0; limits.len()], vec![1; limits.len()]);
        if (range.start, range.end, step) == (0, limits[dim], 1) {
            return Ok(x);
        }
        (starts[dim], limits[dim], strides[dim]) = (range.start, range.end, step);
        self.add(Op::Slice { starts, limits, strides }, &[x])
    }

    /// Elementwise, of two operands of one type.
    pub(super) fn binary(&mut self, op: BinaryOp, x: Value, y: Value) -> Result<Value, Issue> {
        self.add(Op::Binary(op), &[x, y])
    }

    /// A comparison by value.
    pub(super) fn compare(&mut self, direction: Comparison, x: Value, y: Value) -> Result<Value, Issue> {
        self.add(Op::Compare { direction, total_order: false }, &[x, y])
    }

    /// The element type converted, where it is another.
    pub(super) fn convert(&mut self, x: Value, dtype: DType) -> Result<Value, Issue> {
        if self.b.ty(x).dtype() == dtype { Ok(x) } else { self.add(Op::Convert { dtype }, &[x]) }
    }

    /// Another shape, where it is another.
    pub(super) fn reshape(&mut self, x: Value, shape: &[usize]) -> Result<Value, Issue> {
        if self.b.ty(x).shape() == shape {
            return Ok(x);
        }
        self.add(Op::Reshape { shape: shape.to_vec() }, &[x])
    }

    /// The sizes of a value's dimensions.
    pub(super) fn shape(&self, x: Value) -> Vec<usize> {
        self.b.ty(x).shape().to_vec()
    }
}
