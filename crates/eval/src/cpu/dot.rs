//! dot_general as one batched matrix product over strides; nothing is transposed first.

use super::kernels::gemm::{
    BatchDim, batched_gemm_c32, batched_gemm_c64, batched_gemm_f32, batched_gemm_f64, c32, c64,
};
use super::kernels::integers::{Bit, Ring, batched_products};
use super::memory::{Buffer, Memory};
use super::step::{Operand, Step};
use super::view::View;
use pullback_ir::{DType, DTypeClass, DotDims};

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

/// The product of operands whose contracting dimensions are one run; floats are f32 or f64.
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
        macro_rules! by {
            ($t:ty, $gemm:ident) => {
                self.product::<$t>(memory, |p| {
                    $gemm(
                        &self.batch,
                        p.m,
                        p.k,
                        p.n,
                        p.a.0,
                        p.a.1,
                        p.b.0,
                        p.b.1,
                        p.c.0,
                        p.c.1,
                        false,
                        threads,
                    );
                })
            };
        }
        match (self.dtype.class(), self.dtype.size()) {
            (DTypeClass::Float, 4) => by!(f32, batched_gemm_f32),
            (DTypeClass::Float, _) => by!(f64, batched_gemm_f64),
            (DTypeClass::Complex, 8) => by!(c32, batched_gemm_c32),
            (DTypeClass::Complex, _) => by!(c64, batched_gemm_c64),
            (DTypeClass::Bool, _) => self.integers::<Bit>(memory, threads),
            (DTypeClass::Signed | DTypeClass::Unsigned, 1) => {
                self.integers::<u8>(memory, threads);
                // SAFETY: the result's buffer belongs to this step.
                super::blocks::cut(self.dtype, unsafe { memory.write(self.out) });
            }
            (DTypeClass::Signed | DTypeClass::Unsigned, 2) => self.integers::<u16>(memory, threads),
            (DTypeClass::Signed | DTypeClass::Unsigned, 4) => self.integers::<u32>(memory, threads),
            (DTypeClass::Signed | DTypeClass::Unsigned, _) => self.integers::<u64>(memory, threads),
        }
    }
}

/// Sizes of a product; its operands and result with their strides.
struct Product<'a, T> {
    m: usize,
    k: usize,
    n: usize,
    a: (&'a [T], (isize, isize)),
    b: (&'a [T], (isize, isize)),
    c: (&'a mut [T], (isize, isize)),
}

impl Dot {
    fn product<T>(&self, memory: &Memory, f: impl FnOnce(Product<'_, T>)) {
        let pair = |a: usize, b: usize| (a as isize, b as isize);
        let (m, n, k) = (self.m, self.n, self.k);
        // SAFETY: operands and result are different buffers of this step, and hold elements of this size.
        let (a, b, c) =
            unsafe { (slice(memory, self.lhs), slice(memory, self.rhs), slice_mut(memory, self.out)) };
        f(Product {
            m: m.size,
            k: k.size,
            n: n.size,
            a: (a, pair(m.lhs, k.lhs)),
            b: (b, pair(k.rhs, n.rhs)),
            c: (c, pair(m.out, n.out)),
        });
    }

    fn integers<T: Ring>(&self, memory: &Memory, threads: usize) {
        self.product::<T>(memory, |p| {
            batched_products(&self.batch, p.m, p.k, p.n, p.a.0, p.a.1, p.b.0, p.b.1, p.c.0, p.c.1, threads);
        });
    }
}

/// A buffer's elements from an offset on.
///
/// # Safety
/// The buffer holds elements stored like `T`, and nothing writes it while the slice lives.
pub(super) unsafe fn slice<T>(memory: &Memory, (b, offset): (Buffer, usize)) -> &[T] {
    if b.bytes == 0 {
        return &[];
    }
    // SAFETY: buffers are within their allocations and aligned for their elements; promised by the caller.
    unsafe { &std::slice::from_raw_parts(memory.read_ptr(b).cast(), b.bytes / size_of::<T>())[offset..] }
}

/// A buffer's elements, to be written.
///
/// # Safety
/// As for [`slice`], and nothing else touches the buffer while the slice lives.
#[allow(clippy::mut_from_ref)]
pub(super) unsafe fn slice_mut<T>(memory: &Memory, b: Buffer) -> &mut [T] {
    if b.bytes == 0 {
        return &mut [];
    }
    // SAFETY: as above.
    unsafe { std::slice::from_raw_parts_mut(memory.write_ptr(b).cast(), b.bytes / size_of::<T>()) }
}
