//! Cotangents of slices: those that cut one dimension of a value are put side by side, once, instead of padded and added
//! up one by one. That is what the transpose of a split is.

use super::{Transposer, index};
use crate::error::AdError;
use pullback_ir::{Builder, Op, TensorType, UnaryOp, Value};
use std::collections::BTreeMap;

/// The cotangent of a slice of one dimension.
pub(super) struct Part {
    dim: usize,
    start: usize,
    end: usize,
    ct: Value,
    negated: bool,
}

impl Transposer<'_> {
    /// Keeps a slice's cotangent for later, where it cuts one dimension without strides.
    pub(super) fn keep_part(&mut self, op: &Op, x: Value, ct: Value, negated: bool) -> bool {
        let Op::Slice { starts, limits, strides } = op else { return false };
        let shape = self.ty(x).shape();
        let mut cut = (0..shape.len()).filter(|&d| limits[d] - starts[d] != shape[d]);
        let (Some(dim), None) = (cut.next(), cut.next()) else { return false };
        if self.sums.contains(&x) || strides.iter().any(|&s| s != 1) {
            return false;
        }
        let part = Part { dim, start: starts[dim], end: limits[dim], ct, negated };
        self.parts.entry(x).or_default().push(part);
        true
    }

    /// Adds the parts that were kept to a value's cotangent.
    pub(super) fn take_parts(&mut self, x: Value) -> Result<(), AdError> {
        let mut by_dim: BTreeMap<usize, Vec<Part>> = BTreeMap::new();
        for part in self.parts.remove(&x).unwrap_or_default() {
            by_dim.entry(part.dim).or_default().push(part);
        }
        for mut parts in by_dim.into_values() {
            parts.sort_by_key(|p| (p.start, p.end));
            let apart = parts.windows(2).all(|two| two[0].end <= two[1].start);
            if parts.len() > 1 && apart {
                self.side_by_side(x, &parts)?;
            } else {
                for p in parts {
                    let mut starts = vec![0; self.ty(x).rank()];
                    starts[p.dim] = p.start;
                    let strides = vec![1; starts.len()];
                    let ty = self.ty(x);
                    let whole = index::slice(&mut self.out, p.ct, &starts, &strides, ty)?;
                    self.give_signed(x, whole, p.negated)?;
                }
            }
        }
        Ok(())
    }

    /// Parts of one dimension in order, with zeros between them.
    fn side_by_side(&mut self, x: Value, parts: &[Part]) -> Result<(), AdError> {
        let ty = self.ty(x);
        let (dim, negated) = (parts[0].dim, parts.iter().all(|p| p.negated));
        let zeros = |b: &mut Builder, from: usize, to: usize| -> Option<Value> {
            let mut shape = ty.shape().to_vec();
            shape[dim] = to - from;
            (from < to).then(|| b.splat(&TensorType::new(ty.dtype(), shape), 0.0))
        };
        let (mut row, mut at) = (Vec::new(), 0);
        for p in parts {
            row.extend(zeros(&mut self.out, at, p.start));
            let turned = p.negated && !negated;
            row.push(if turned { self.out.unary(UnaryOp::Negate, p.ct)? } else { p.ct });
            at = p.end;
        }
        row.extend(zeros(&mut self.out, at, ty.shape()[dim]));
        let whole = self.out.push1(Op::Concatenate { dim }, &row)?;
        self.give_signed(x, whole, negated)
    }
}
