//! Contractions over leading dimensions: batching dimensions of a product, groups of a convolution.

use super::{Batcher, Result};
use crate::op::{ConvDims, DotDims};
use crate::program::{Instr, Value};

impl Batcher<'_, '_, '_, '_> {
    /// The leading dimensions are batching ones, or free ones of the side that varies.
    pub(super) fn dot(&mut self, instr: &Instr, d: &DotDims) -> Result<Value> {
        let &[l, r] = instr.operands() else { return Ok(self.unrolled(instr, instr.op())?[0]) };
        let (lhs, rhs) = (self.get(l)?, self.get(r)?);
        let mut dims = d.clone();
        if lhs.varies {
            dims.lhs_batch = self.shifted(&d.lhs_batch);
            dims.lhs_contract = self.shifted(&d.lhs_contract);
        }
        if rhs.varies {
            dims.rhs_batch = self.shifted(&d.rhs_batch);
            dims.rhs_contract = self.shifted(&d.rhs_contract);
        }
        let n = self.n();
        if lhs.varies && rhs.varies {
            dims.lhs_batch = (0..n).chain(dims.lhs_batch).collect();
            dims.rhs_batch = (0..n).chain(dims.rhs_batch).collect();
            return Ok(self.b.dot(lhs.value, rhs.value, dims)?);
        }
        // Free dimensions come after batching ones, those of the rhs last.
        let before = if lhs.varies {
            d.lhs_batch.len()
        } else {
            d.lhs_batch.len() + d.lhs_free(self.own(l).rank()).len()
        };
        let result = self.b.dot(lhs.value, rhs.value, dims)?;
        let rank = self.shape(result).len();
        let permutation: Vec<usize> = (before..before + n).chain(0..before).chain(before + n..rank).collect();
        Ok(self.b.transpose(result, &permutation)?)
    }

    /// The leading dimensions join the batch, the output features, or the groups.
    pub(super) fn convolution(&mut self, instr: &Instr, c: &ConvDims) -> Result<Value> {
        let &[l, r] = instr.operands() else { return Ok(self.unrolled(instr, instr.op())?[0]) };
        let (lhs, rhs) = (self.get(l)?, self.get(r)?);
        let own = self.own(instr.result()).shape().to_vec();
        let count: usize = self.lead.iter().product();
        let mut dims = c.clone();
        let (x, kernel, to, groups) = match (lhs.varies, rhs.varies) {
            (true, false) => {
                // Of batch groups, each has all of them.
                let x = self.join(lhs.value, c.input_batch, c.batch_group_count)?;
                (x, rhs.value, c.output_batch, 1)
            }
            (false, _) => {
                let groups = c.feature_group_count.max(c.batch_group_count);
                let kernel = self.join(rhs.value, c.kernel_output_feature, groups)?;
                (lhs.value, kernel, c.output_feature, groups)
            }
            (true, true) => {
                let at = if c.batch_group_count > 1 { c.input_batch } else { c.input_feature };
                if c.batch_group_count > 1 {
                    dims.batch_group_count *= count;
                } else {
                    dims.feature_group_count *= count;
                }
                let x = self.join(lhs.value, at, 1)?;
                let kernel = self.join(rhs.value, c.kernel_output_feature, 1)?;
                (x, kernel, c.output_feature, 1)
            }
        };
        let result = self.b.push1(crate::op::Op::Convolution(Box::new(dims)), &[x, kernel])?;
        self.split(result, to, groups, &own)
    }

    /// The leading dimensions merged into dimension `dim` of those after them, within each of `groups` equal parts.
    fn join(&mut self, x: Value, dim: usize, groups: usize) -> Result<Value> {
        let n = self.n();
        let own = self.shape(x)[n..].to_vec();
        let (before, after) = (&own[..dim], &own[dim + 1..]);
        let part = own[dim] / groups;
        let parted = [self.lead, before, &[groups, part], after].concat();
        let x = self.b.reshape(x, &parted)?;
        // [lead, before, groups, part, after] to [before, groups, lead, part, after]
        let rank = parted.len();
        let permutation: Vec<usize> = (n..n + dim + 1).chain(0..n).chain(n + dim + 1..rank).collect();
        let x = self.b.transpose(x, &permutation)?;
        let count: usize = self.lead.iter().product();
        Ok(self.b.reshape(x, &[before, &[groups * count * part], after].concat())?)
    }

    /// The reverse of [`Self::join`], to a value of shape `own`.
    fn split(&mut self, x: Value, dim: usize, groups: usize, own: &[usize]) -> Result<Value> {
        let n = self.n();
        let (before, after) = (&own[..dim], &own[dim + 1..]);
        let part = own[dim] / groups;
        let x = self.b.reshape(x, &[before, &[groups], self.lead, &[part], after].concat())?;
        let rank = own.len() + 1 + n;
        let permutation: Vec<usize> =
            (dim + 1..dim + 1 + n).chain(0..dim + 1).chain(dim + 1 + n..rank).collect();
        let x = self.b.transpose(x, &permutation)?;
        let shape = self.before(own);
        Ok(self.b.reshape(x, &shape)?)
    }
}
