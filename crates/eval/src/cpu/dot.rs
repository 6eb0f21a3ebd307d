//! dot_general as one batched matrix product over strides; nothing is transposed first.

use super::kernels::gemm::{BatchDim, batched_gemm_f32, batched_gemm_f64};
use super::memory::{Buffer, Memory};
use super::step::{Operand, Step};
use super::view::View;
use pullback_ir::{DType, DotDims};

/// A run of index positions: its size, and the steps in lhs, rhs and result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Run {
    size: usize,
    lhs: usize,
    rhs: usize,
    out: usize,
}

/// Joins runs that are one run on every side, largest steps first.
fn joined(mut runs: Vec<Run>) -> Vec<Run> {
    runs.retain(|r| r.size != 1);
    runs.sort_by_key(|r| std::cmp::Reverse((r.out, r.lhs, r.rhs)));
    let mut out: Vec<Run> = Vec::with_capacity(runs.len());
    for r in runs {
        match out.last_mut() {
            Some(o) if o.lhs == r.lhs * r.size && o.rhs == r.rhs * r.size && o.out == r.out * r.size => {
                *o = Run { size: o.size * r.size, ..r };
            }
            Some(_) | None => out.push(r),
        }
    }
    out
}

/// The contracting dimensions with as few runs as both operands allow.
pub(super) fn contraction(lhs: &View, rhs: &View, dims: &DotDims) -> Vec<Run> {
    let pairs = dims.lhs_contract.iter().zip(&dims.rhs_contract);
    joined(
        pairs
            .map(|(&l, &r)| Run { size: lhs.shape[l], lhs: lhs.strides[l], rhs: rhs.strides[r], out: 0 })
            .collect(),
    )
}

/// A matrix product per index of `batch`.
#[derive(Debug)]
pub(super) struct Dot {
    dtype: DType,
    lhs: (Buffer, usize),
    rhs: (Buffer, usize),
    out: Buffer,
    batch: Vec<BatchDim>,
    m: Run,
    n: Run,
    k: Run,
}

/// The product of f32 or f64 operands whose contracting dimensions are one run.
pub(super) fn dot(lhs: &Operand, rhs: &Operand, dims: &DotDims, out: Buffer, out_strides: &[usize]) -> Dot {
    let (l, r) = (&lhs.view, &rhs.view);
    let nb = dims.lhs_batch.len();
    let lhs_free = dims.lhs_free(l.shape.len());
    let rhs_free = dims.rhs_free(r.shape.len());
    let batch = dims.lhs_batch.iter().zip(&dims.rhs_batch).enumerate().map(|(i, (&a, &b))| Run {
        size: l.shape[a],
        lhs: l.strides[a],
        rhs: r.strides[b],
        out: out_strides[i],
    });
    let m = lhs_free.iter().enumerate().map(|(i, &d)| Run {
        size: l.shape[d],
        lhs: l.strides[d],
        rhs: 0,
        out: out_strides[nb + i],
    });
    let n = rhs_free.iter().enumerate().map(|(i, &d)| Run {
        size: r.shape[d],
        lhs: 0,
        rhs: r.strides[d],
        out: out_strides[nb + lhs_free.len() + i],
    });
    let mut batch: Vec<Run> = batch.collect();
    // Of the free runs the longest is the matrix dimension; the others become batches.
    let mut longest = |runs: Vec<Run>| {
        let mut runs = joined(runs);
        let at = (0..runs.len()).max_by_key(|&i| runs[i].size);
        let best = at.map_or(Run { size: 1, lhs: 0, rhs: 0, out: 0 }, |i| runs.remove(i));
        batch.extend(runs);
        best
    };
    let (m, n) = (longest(m.collect()), longest(n.collect()));
    let k = contraction(l, r, dims).pop().unwrap_or(Run { size: 1, lhs: 0, rhs: 0, out: 0 });
    let batch = joined(batch);
    Dot {
        dtype: lhs.dtype,
        lhs: (lhs.buffer, l.offset),
        rhs: (rhs.buffer, r.offset),
        out,
        batch: batch
            .iter()
            .map(|b| BatchDim { size: b.size, a: b.lhs as isize, b: b.rhs as isize, c: b.out as isize })
            .collect(),
        m,
        n,
        k,
    }
}

impl Step for Dot {
    fn describe(&self) -> String {
        let batch: Vec<usize> = self.batch.iter().map(|b| b.size).collect();
        format!("dot_general {batch:?} {} x {} x {}", self.m.size, self.k.size, self.n.size)
    }

    fn run(&self, memory: &Memory, threads: usize) {
        let pair = |a: usize, b: usize| (a as isize, b as isize);
        let (m, n, k) = (self.m, self.n, self.k);
        let (a, b, c) = (pair(m.lhs, k.lhs), pair(k.rhs, n.rhs), pair(m.out, n.out));
        let (l, r) = (self.lhs, self.rhs);
        // SAFETY: operands and result are different buffers of this step.
        unsafe {
            if self.dtype == DType::F32 {
                let (x, y) = (&memory.read::<f32>(l.0)[l.1..], &memory.read::<f32>(r.0)[r.1..]);
                let out = memory.write::<f32>(self.out);
                batched_gemm_f32(&self.batch, m.size, k.size, n.size, x, a, y, b, out, c, false, threads);
            } else {
                let (x, y) = (&memory.read::<f64>(l.0)[l.1..], &memory.read::<f64>(r.0)[r.1..]);
                let out = memory.write::<f64>(self.out);
                batched_gemm_f64(&self.batch, m.size, k.size, n.size, x, a, y, b, out, c, false, threads);
            }
        }
    }
}
