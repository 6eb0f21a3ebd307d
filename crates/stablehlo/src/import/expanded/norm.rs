//! Batch normalization: StableHLO's specification gives each operation as a composition of others.

use super::FuncLowering;
use crate::ops::{Issue, one};
use crate::tree::{Attr, Node};
use crate::types::mlir_type;
use pullback_ir::{BinaryOp, Monoid, Op, UnaryOp, Value};

/// The operand, its feature dimension, and what stands in for `epsilon`.
struct Features {
    x: Value,
    dim: usize,
    epsilon: f64,
    shape: Vec<usize>,
}

impl<'a> FuncLowering<'_, 'a, '_> {
    fn features(&self, node: &Node<'a>, x: Value) -> Result<Features, Issue> {
        let ty = self.b.ty(x);
        let dim = one(node, &["feature_index"])?;
        let epsilon = match node.attr(&["epsilon"]) {
            Some(Attr::Float(e)) => *e,
            // A float in hexadecimal.
            Some(Attr::Int(bits)) => f64::from(f32::from_bits(*bits as u32)),
            _ => return Err(Issue::Error(format!("{} lacks its attribute epsilon", node.name))),
        };
        if dim >= ty.rank() || !ty.dtype().is_float() {
            let ty = mlir_type(ty);
            return Err(Issue::Error(format!(
                "{}: feature_index {dim} is no dimension of floats {ty}",
                node.name
            )));
        }
        Ok(Features { x, dim, epsilon, shape: ty.shape().to_vec() })
    }

    /// One number for each feature, for all elements.
    fn spread(&mut self, f: &Features, v: Value) -> Result<Value, Issue> {
        self.add(Op::BroadcastInDim { shape: f.shape.clone(), dims: vec![f.dim] }, &[v])
    }

    fn per_feature_sum(&mut self, f: &Features, x: Value) -> Result<Value, Issue> {
        let dims: Vec<usize> = (0..f.shape.len()).filter(|&d| d != f.dim).collect();
        if dims.is_empty() {
            return Ok(x);
        }
        self.add(Op::Reduce { dims, monoid: Monoid::Add }, &[x])
    }

    /// How many elements a feature has, in a shape.
    fn per_feature_count(&mut self, f: &Features, shape: &[usize]) -> Result<Value, Issue> {
        let n: usize = (0..f.shape.len()).filter(|&d| d != f.dim).map(|d| f.shape[d]).product();
        let n = self.number(self.b.ty(f.x).dtype(), n as f64);
        self.repeat(n, shape)
    }

    fn per_feature_mean(&mut self, f: &Features, x: Value) -> Result<Value, Issue> {
        let sum = self.per_feature_sum(f, x)?;
        let n = self.per_feature_count(f, &[f.shape[f.dim]])?;
        self.binary(BinaryOp::Divide, sum, n)
    }

    /// variance + epsilon, spread.
    fn shifted_variance(&mut self, f: &Features, variance: Value) -> Result<Value, Issue> {
        let variance = self.spread(f, variance)?;
        let epsilon = self.number(self.b.ty(f.x).dtype(), f.epsilon);
        let epsilon = self.repeat(epsilon, &f.shape)?;
        self.binary(BinaryOp::Add, variance, epsilon)
    }

    fn centered(&mut self, f: &Features, mean: Value) -> Result<Value, Issue> {
        let mean = self.spread(f, mean)?;
        self.binary(BinaryOp::Subtract, f.x, mean)
    }

    fn normalize(
        &mut self,
        f: &Features,
        [scale, offset, mean, variance]: [Value; 4],
    ) -> Result<Value, Issue> {
        let centered = self.centered(f, mean)?;
        let shifted = self.shifted_variance(f, variance)?;
        let stddev = self.add(Op::Unary(UnaryOp::Sqrt), &[shifted])?;
        let normalized = self.binary(BinaryOp::Divide, centered, stddev)?;
        let scale = self.spread(f, scale)?;
        let scaled = self.binary(BinaryOp::Multiply, scale, normalized)?;
        let offset = self.spread(f, offset)?;
        self.binary(BinaryOp::Add, scaled, offset)
    }

    pub(super) fn batch_norm_inference(&mut self, node: &Node<'a>) -> Result<Value, Issue> {
        let [x, scale, offset, mean, variance] = self.operands(node)?;
        let f = self.features(node, x)?;
        self.normalize(&f, [scale, offset, mean, variance])
    }

    /// The normalized operand, means and variances of the features.
    pub(super) fn batch_norm_training(&mut self, node: &Node<'a>) -> Result<[Value; 3], Issue> {
        let [x, scale, offset] = self.operands(node)?;
        let f = self.features(node, x)?;
        let mean = self.per_feature_mean(&f, x)?;
        let centered = self.centered(&f, mean)?;
        let squared = self.binary(BinaryOp::Multiply, centered, centered)?;
        let variance = self.per_feature_mean(&f, squared)?;
        let out = self.normalize(&f, [scale, offset, mean, variance])?;
        Ok([out, mean, variance])
    }

    /// Gradients of the operand, the scale and the offset of a normalization in training.
    pub(super) fn batch_norm_grad(&mut self, node: &Node<'a>) -> Result<[Value; 3], Issue> {
        let [x, scale, mean, variance, grad] = self.operands(node)?;
        let f = self.features(node, x)?;
        let centered = self.centered(&f, mean)?;
        let shifted = self.shifted_variance(&f, variance)?;
        let stddev = self.add(Op::Unary(UnaryOp::Sqrt), &[shifted])?;
        let normalized = self.binary(BinaryOp::Divide, centered, stddev)?;
        let n = self.per_feature_count(&f, &f.shape)?;
        let grad_offset = self.per_feature_sum(&f, grad)?;
        let along = self.binary(BinaryOp::Multiply, grad, normalized)?;
        let grad_scale = self.per_feature_sum(&f, along)?;

        let all = self.binary(BinaryOp::Multiply, grad, n)?;
        let sum = self.spread(&f, grad_offset)?;
        let product = self.binary(BinaryOp::Multiply, grad, centered)?;
        let product = self.per_feature_sum(&f, product)?;
        let product = self.spread(&f, product)?;
        let product = self.binary(BinaryOp::Multiply, product, centered)?;
        let product = self.binary(BinaryOp::Divide, product, shifted)?;
        let rest = self.binary(BinaryOp::Subtract, all, sum)?;
        let rest = self.binary(BinaryOp::Subtract, rest, product)?;
        let scale = self.spread(&f, scale)?;
        let factor = self.binary(BinaryOp::Divide, scale, stddev)?;
        let factor = self.binary(BinaryOp::Divide, factor, n)?;
        let grad_operand = self.binary(BinaryOp::Multiply, factor, rest)?;
        Ok([grad_operand, grad_scale, grad_offset])
    }
}
