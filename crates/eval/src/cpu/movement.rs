//! Ops that move elements and cannot be views: copies, concatenate, pad, reverse, dynamic slices.

use super::kernels::copy::{StridedCopy, fill_bytes};
use super::memory::{Buffer, Memory};
use super::step::{Operand, Step, signed};
use super::view::{View, dense_strides};
use pullback_ir::literal::decode_i64;
use pullback_ir::{DType, DTypeClass};

/// Moves a view's elements to these places.
pub(super) fn strided(v: &View, start: usize, strides: &[isize]) -> StridedCopy {
    StridedCopy::new(&v.shape, v.offset, &signed(&v.strides), start, strides)
}

/// Fills the result, or not, then copies operands into it.
pub(super) struct Move {
    out: Buffer,
    size: usize,
    fill: Option<Operand>,
    copies: Vec<(Buffer, StridedCopy)>,
}

/// A row-major copy.
pub(super) fn copy(x: &Operand, out: Buffer) -> Move {
    let to = signed(&dense_strides(&x.view.shape));
    Move { out, size: x.dtype.size(), fill: None, copies: vec![(x.buffer, strided(&x.view, 0, &to))] }
}

/// The operands one after the other along `dim` of `shape`.
pub(super) fn concatenate(xs: &[Operand], shape: &[usize], dim: usize, out: Buffer) -> Move {
    let strides = signed(&dense_strides(shape));
    let mut at = 0;
    let mut copies = Vec::new();
    for x in xs {
        if x.view.count() > 0 {
            copies.push((x.buffer, strided(&x.view, at * strides[dim].unsigned_abs(), &strides)));
        }
        at += x.view.shape[dim];
    }
    Move { out, size: xs[0].dtype.size(), fill: None, copies }
}

/// StableHLO's pad into `shape`.
pub(super) fn pad(
    x: &Operand,
    value: &Operand,
    low: &[i64],
    interior: &[usize],
    shape: &[usize],
    out: Buffer,
) -> Move {
    let to = dense_strides(shape);
    let v = &x.view;
    let (mut start, mut sizes, mut strides) = (0, Vec::new(), Vec::new());
    let mut from = vec![0; v.shape.len()];
    for d in 0..v.shape.len() {
        let step = interior[d] as i128 + 1;
        let low = i128::from(low[d]);
        // The operand's elements first..end land inside.
        let first = if low < 0 { (-low + step - 1) / step } else { 0 };
        let room = shape[d] as i128 - low;
        let end = if room > 0 { (room + step - 1) / step } else { 0 }.min(v.shape[d] as i128);
        sizes.push((end - first).max(0) as usize);
        if end > first {
            from[d] = first as usize;
            start += (low + first * step) as usize * to[d];
        }
        strides.push((to[d] as i128 * step) as isize);
    }
    let inside = v.slice(&from, &vec![1; sizes.len()], &sizes);
    let copies = match inside.count() {
        0 => vec![],
        _ => vec![(x.buffer, strided(&inside, start, &strides))],
    };
    Move { out, size: x.dtype.size(), fill: Some(value.clone()), copies }
}

/// The operand with `dims` turned around.
pub(super) fn reverse(x: &Operand, dims: &[usize], out: Buffer) -> Move {
    let v = &x.view;
    let mut from = signed(&v.strides);
    let mut start = v.offset;
    for &d in dims {
        start += (v.shape[d] - 1) * v.strides[d];
        from[d] = -from[d];
    }
    let copy = StridedCopy::new(&v.shape, start, &from, 0, &signed(&dense_strides(&v.shape)));
    Move { out, size: x.dtype.size(), fill: None, copies: vec![(x.buffer, copy)] }
}

impl Step for Move {
    fn describe(&self) -> String {
        format!("copy of {} to {} bytes", self.copies.len(), self.out.bytes)
    }

    fn run(&self, memory: &Memory, threads: usize) {
        // SAFETY: operands and result are different buffers of this step.
        unsafe {
            let out = memory.write::<u8>(self.out);
            if let Some(v) = &self.fill {
                let at = v.view.offset * self.size;
                fill_bytes(&memory.read::<u8>(v.buffer)[at..at + self.size], out);
            }
            for (from, copy) in &self.copies {
                copy.run_bytes(self.size, memory.read::<u8>(*from), out, threads);
            }
        }
    }
}

/// The integers of a view, u64 above i64's range saturated.
pub(super) fn read_index(memory: &Memory, o: &Operand, at: usize) -> i64 {
    // SAFETY: an operand of the step that runs; its buffer is not written meanwhile.
    let bytes = unsafe { memory.read::<u8>(o.buffer) };
    let size = o.dtype.size();
    let v = decode_i64(o.dtype, &bytes[at * size..]);
    if v < 0 && o.dtype.class() == DTypeClass::Unsigned && o.dtype == DType::U64 { i64::MAX } else { v }
}

/// dynamic_slice, or dynamic_update_slice with an update.
pub(super) struct DynamicSlice {
    pub(super) x: Operand,
    pub(super) update: Option<Operand>,
    pub(super) starts: Vec<Operand>,
    /// Sizes of the window.
    pub(super) sizes: Vec<usize>,
    pub(super) out: Buffer,
}

impl Step for DynamicSlice {
    fn describe(&self) -> String {
        let name = if self.update.is_some() { "dynamic_update_slice" } else { "dynamic_slice" };
        format!("{name} {:?}", self.sizes)
    }

    fn run(&self, memory: &Memory, threads: usize) {
        let shape = &self.x.view.shape;
        let starts: Vec<usize> = self
            .starts
            .iter()
            .enumerate()
            .map(|(d, s)| {
                let last = (shape[d] - self.sizes[d]) as i64;
                read_index(memory, s, s.view.offset).clamp(0, last) as usize
            })
            .collect();
        let size = self.x.dtype.size();
        // SAFETY: operands and result are different buffers of this step.
        unsafe {
            let (x, out) = (memory.read::<u8>(self.x.buffer), memory.write::<u8>(self.out));
            let Some(u) = &self.update else {
                let v = self.x.view.slice(&starts, &vec![1; starts.len()], &self.sizes);
                strided(&v, 0, &signed(&dense_strides(&self.sizes))).run_bytes(size, x, out, threads);
                return;
            };
            let to = dense_strides(shape);
            strided(&self.x.view, 0, &signed(&to)).run_bytes(size, x, out, threads);
            if u.view.count() > 0 {
                let start = starts.iter().zip(&to).map(|(a, s)| a * s).sum();
                strided(&u.view, start, &signed(&to)).run_bytes(
                    size,
                    memory.read::<u8>(u.buffer),
                    out,
                    threads,
                );
            }
        }
    }
}
