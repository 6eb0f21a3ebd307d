//! Indexed ops over leading dimensions, which are batching ones where indices vary.

use super::{Batcher, Result};
use crate::dtype::{DType, TensorType};
use crate::op::{GatherDims, Monoid, Op, ScatterDims};
use crate::program::{Instr, Value};

impl Batcher<'_, '_, '_, '_> {
    pub(super) fn gather(&mut self, instr: &Instr, g: &GatherDims) -> Result<Value> {
        let &[x, indices] = instr.operands() else { return Ok(self.unrolled(instr, instr.op())?[0]) };
        let (x, indices) = (self.get(x)?, self.get(indices)?);
        let n = self.n();
        let mut dims = g.clone();
        dims.offset_dims = self.shifted(&g.offset_dims);
        if x.varies {
            dims.collapsed_slice_dims = self.shifted(&g.collapsed_slice_dims);
            dims.operand_batching_dims = self.shifted(&g.operand_batching_dims);
            dims.start_index_map = self.shifted(&g.start_index_map);
        }
        if indices.varies {
            dims.start_indices_batching_dims = self.shifted(&g.start_indices_batching_dims);
            dims.index_vector_dim += n;
            dims.indices_are_sorted = false;
        }
        match (x.varies, indices.varies) {
            (true, true) => {
                dims.operand_batching_dims = (0..n).chain(dims.operand_batching_dims).collect();
                dims.start_indices_batching_dims = (0..n).chain(dims.start_indices_batching_dims).collect();
                dims.slice_sizes = self.padded(1, &g.slice_sizes);
            }
            // Slices go through the leading dimensions whole.
            (true, false) => {
                dims.offset_dims = (0..n).chain(dims.offset_dims).collect();
                dims.slice_sizes = self.before(&g.slice_sizes);
            }
            // More indices, which come first.
            (false, _) => {}
        }
        Ok(self.b.push1(Op::Gather(Box::new(dims)), &[x.value, indices.value])?)
    }

    pub(super) fn scatter(
        &mut self,
        instr: &Instr,
        s: &ScatterDims,
        combiner: Option<Monoid>,
    ) -> Result<Value> {
        let &[x, indices, updates] = instr.operands() else {
            return Ok(self.unrolled(instr, instr.op())?[0]);
        };
        let n = self.n();
        let at = self.get(indices)?;
        let (x, updates) = (self.wide(x)?, self.wide(updates)?);
        let mut dims = s.clone();
        dims.update_window_dims = self.shifted(&s.update_window_dims);
        dims.inserted_window_dims = self.shifted(&s.inserted_window_dims);
        dims.input_batching_dims = self.shifted(&s.input_batching_dims);
        dims.scatter_dims_to_operand_dims = self.shifted(&s.scatter_dims_to_operand_dims);
        if at.varies {
            dims.input_batching_dims = (0..n).chain(dims.input_batching_dims).collect();
            dims.scatter_indices_batching_dims = self.with_lead(&s.scatter_indices_batching_dims);
            dims.index_vector_dim += n;
            dims.indices_are_sorted = false;
        } else {
            // Updates go through the leading dimensions whole.
            dims.update_window_dims = (0..n).chain(dims.update_window_dims).collect();
        }
        Ok(self.b.push1(Op::Scatter { dims: Box::new(dims), combiner }, &[x, at.value, updates])?)
    }

    /// Starts that vary become the indices of a gather, which clamps them alike.
    pub(super) fn dynamic_slice(&mut self, instr: &Instr, sizes: &[usize]) -> Result<Value> {
        let (x, starts) = (instr.operands()[0], &instr.operands()[1..]);
        if let Some(starts) = self.same_starts(starts)? {
            let x = self.wide(x)?;
            let sizes = self.before(sizes);
            let xs: Vec<Value> = std::iter::once(x).chain(starts).collect();
            return Ok(self.b.push1(Op::DynamicSlice { sizes }, &xs)?);
        }
        let indices = self.start_vectors(starts)?;
        let x = self.get(x)?;
        let (n, rank) = (self.n(), sizes.len());
        let own: Vec<usize> = (0..rank).collect();
        let dims = GatherDims {
            offset_dims: self.shifted(&own),
            collapsed_slice_dims: Vec::new(),
            operand_batching_dims: if x.varies { (0..n).collect() } else { Vec::new() },
            start_indices_batching_dims: if x.varies { (0..n).collect() } else { Vec::new() },
            start_index_map: if x.varies { self.shifted(&own) } else { own },
            index_vector_dim: n,
            slice_sizes: if x.varies { self.padded(1, sizes) } else { sizes.to_vec() },
            indices_are_sorted: false,
        };
        Ok(self.b.push1(Op::Gather(Box::new(dims)), &[x.value, indices])?)
    }

    /// Starts that vary become the indices of a scatter, which does not clamp them.
    pub(super) fn dynamic_update_slice(&mut self, instr: &Instr) -> Result<Value> {
        let (x, update, starts) = (instr.operands()[0], instr.operands()[1], &instr.operands()[2..]);
        let room: Vec<usize> =
            self.own(x).shape().iter().zip(self.own(update).shape()).map(|(n, m)| n - m).collect();
        let (x, update) = (self.wide(x)?, self.wide(update)?);
        if let Some(starts) = self.same_starts(starts)? {
            let xs: Vec<Value> = [x, update].into_iter().chain(starts).collect();
            return Ok(self.b.push1(Op::DynamicUpdateSlice, &xs)?);
        }
        let indices = self.start_vectors(starts)?;
        let ty = self.b.ty(indices).clone();
        let zero = self.b.splat(&TensorType::scalar(ty.dtype()), 0.0);
        let last: Vec<i64> = room.iter().map(|&n| n as i64).collect();
        let last = crate::literal::Literal::from_i64s(TensorType::new(ty.dtype(), [last.len()]), &last)
            .map(|l| self.b.constant(l));
        let Some(last) = last else { return Ok(self.unrolled(instr, instr.op())?[0]) };
        let n = self.n();
        let last = self.b.broadcast(last, ty.shape(), &[n])?;
        let indices = self.b.push1(Op::Clamp, &[zero, indices, last])?;
        let own: Vec<usize> = (0..room.len()).collect();
        let dims = ScatterDims {
            update_window_dims: self.shifted(&own),
            inserted_window_dims: Vec::new(),
            input_batching_dims: (0..n).collect(),
            scatter_indices_batching_dims: (0..n).collect(),
            scatter_dims_to_operand_dims: self.shifted(&own),
            index_vector_dim: n,
            indices_are_sorted: false,
            unique_indices: true,
        };
        Ok(self.b.push1(Op::Scatter { dims: Box::new(dims), combiner: None }, &[x, indices, update])?)
    }

    /// Starts with zeros for the leading dimensions, where they do not vary.
    fn same_starts(&mut self, starts: &[Value]) -> Result<Option<Vec<Value>>> {
        let mut own = Vec::with_capacity(starts.len());
        for &v in starts {
            let x = self.get(v)?;
            if x.varies {
                return Ok(None);
            }
            own.push(x.value);
        }
        let dtype = own.first().map_or(DType::I32, |&v| self.b.ty(v).dtype());
        let zero = self.b.splat(&TensorType::scalar(dtype), 0.0);
        Ok(Some(self.padded(zero, &own)))
    }

    /// Starts of a slice at each index, in a last dimension of their own.
    fn start_vectors(&mut self, starts: &[Value]) -> Result<Value> {
        let dtypes: Vec<DType> = starts.iter().map(|&v| self.own(v).dtype()).collect();
        let one = dtypes.windows(2).all(|w| w[0] == w[1]);
        let column = self.before(&[1]);
        let mut columns = Vec::with_capacity(starts.len());
        for &v in starts {
            let mut x = self.wide(v)?;
            if !one {
                x = self.b.convert(x, DType::I64)?;
            }
            columns.push(self.b.reshape(x, &column)?);
        }
        Ok(self.b.push1(Op::Concatenate { dim: self.n() }, &columns)?)
    }
}
