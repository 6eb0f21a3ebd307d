//! reduce over one run of neighbouring dimensions of a row-major operand.

use super::kernels::pool::{Shared, parallel_for, split};
use super::kernels::reduce::{ReduceOp, reduce_axis_f32, reduce_axis_f64};
use super::memory::{Buffer, Memory};
use super::monoid::{Cell, WithMonoid, cells, cells_mut, is_defined, with_other};
use super::ops::{Prim, prim, with_prim};
use super::step::{Operand, Step};
use crate::buffer::Element;
use pullback_ir::{DType, Monoid};

/// Elements below which a second thread costs more than it gives.
const MIN_WORK: usize = 1 << 16;

/// `out[o, i]` = the fold of `x[o, ·, i]`.
#[derive(Debug)]
pub(super) struct Fold {
    x: Buffer,
    offset: usize,
    out: Buffer,
    dtype: DType,
    /// The type of the vector kernel, where there is one.
    prim: Option<Prim>,
    monoid: Monoid,
    outer: usize,
    n: usize,
    inner: usize,
}

/// The fold of a row-major operand, where the monoid is defined on the type. Reduced dimensions larger than 1 must be
/// neighbours.
pub(super) fn fold(x: &Operand, dims: &[usize], monoid: Monoid, out: Buffer) -> Option<Fold> {
    if !is_defined(x.dtype, monoid) {
        return None;
    }
    // On bytes 0 and 1 the bitwise ones are those of bools.
    let prim = if x.dtype == DType::Bool { Some(Prim::U8) } else { prim(x.dtype) };
    let shape = &x.view.shape;
    let first = dims.iter().find(|&&d| shape[d] != 1).copied().unwrap_or(0);
    let last = dims.iter().rfind(|&&d| shape[d] != 1).copied().unwrap_or(0);
    let product = |r: std::ops::Range<usize>| shape[r].iter().product::<usize>();
    Some(Fold {
        x: x.buffer,
        offset: x.view.offset,
        out,
        dtype: x.dtype,
        prim,
        monoid,
        outer: product(0..first),
        n: product(first..last + 1),
        inner: product(last + 1..shape.len()),
    })
}

impl Step for Fold {
    fn describe(&self) -> String {
        format!("reduce {} {} x [{}] x {}", self.monoid, self.outer, self.n, self.inner)
    }

    fn run(&self, memory: &Memory, threads: usize) {
        let sizes = (self.outer, self.n, self.inner);
        let len = self.outer * self.n * self.inner;
        // SAFETY: operand and result are different buffers of this step.
        unsafe {
            let Some(prim) = self.prim else {
                return with_other(self.dtype, self.monoid, ByElement { fold: self, memory, threads });
            };
            with_prim!(prim, T => {
                let x = &memory.read::<T>(self.x)[self.offset..][..len];
                T::fold(self.monoid, x, sizes, memory.write(self.out), threads);
            });
        }
    }
}

/// The fold of types without vector kernels, in the reference's order.
struct ByElement<'a> {
    fold: &'a Fold,
    memory: &'a Memory,
    threads: usize,
}

impl WithMonoid for ByElement<'_> {
    fn call<T: Cell>(self, identity: T, combine: impl Fn(T, T) -> T + Copy + Send + Sync) {
        let f = self.fold;
        let sizes = (f.outer, f.n, f.inner);
        // SAFETY: operand and result are different buffers of this step.
        let (x, out) = unsafe { (cells::<T>(self.memory, f.x), cells_mut::<T>(self.memory, f.out)) };
        let x = &x[f.offset..][..f.outer * f.n * f.inner];
        each(x, sizes, identity, out, self.threads, combine);
    }
}

/// Types that fold; floats in the fixed order of their kernels, integers exactly.
trait Folds: Element {
    fn fold(monoid: Monoid, x: &[Self], sizes: (usize, usize, usize), out: &mut [Self], threads: usize);
}

/// Folds with a function; outer positions are spread over threads.
fn each<T: Copy + Send + Sync>(
    x: &[T],
    (outer, n, inner): (usize, usize, usize),
    init: T,
    out: &mut [T],
    threads: usize,
    f: impl Fn(T, T) -> T + Sync,
) {
    let place = Shared(out.as_mut_ptr());
    let parts = (x.len() / MIN_WORK).min(threads).min(outer).max(1);
    parallel_for(parts, threads, &|part| {
        for o in split(outer, parts, 1, part) {
            // SAFETY: outer positions are disjoint.
            let out = unsafe { place.slice(o * inner, inner) };
            out.fill(init);
            for row in 0..n {
                for (y, &v) in out.iter_mut().zip(&x[(o * n + row) * inner..]) {
                    *y = f(*y, v);
                }
            }
        }
    });
}

macro_rules! exact {
    ($($t:ty),+) => {$(
        impl Folds for $t {
            fn fold(m: Monoid, x: &[$t], sizes: (usize, usize, usize), out: &mut [$t], threads: usize) {
                match m {
                    Monoid::Add => each(x, sizes, 0, out, threads, |a: $t, b| a.wrapping_add(b)),
                    Monoid::Multiply => each(x, sizes, 1, out, threads, |a: $t, b| a.wrapping_mul(b)),
                    Monoid::Maximum => each(x, sizes, <$t>::MIN, out, threads, |a: $t, b| a.max(b)),
                    Monoid::Minimum => each(x, sizes, <$t>::MAX, out, threads, |a: $t, b| a.min(b)),
                    Monoid::And => each(x, sizes, !0, out, threads, |a: $t, b| a & b),
                    Monoid::Or => each(x, sizes, 0, out, threads, |a: $t, b| a | b),
                }
            }
        }
    )+};
}
exact!(i8, i16, i32, i64, u8, u16, u32, u64);

/// The kernel's name of a monoid, and its identity. Floats have no and, or.
fn float(m: Monoid) -> (ReduceOp, f64) {
    match m {
        Monoid::Add => (ReduceOp::Sum, 0.0),
        Monoid::Multiply => (ReduceOp::Prod, 1.0),
        Monoid::Maximum => (ReduceOp::Max, f64::NEG_INFINITY),
        Monoid::Minimum => (ReduceOp::Min, f64::INFINITY),
        Monoid::And | Monoid::Or => unreachable!("not defined on floats, so never asked for"),
    }
}

macro_rules! inexact {
    ($($t:ty, $kernel:ident);+) => {$(
        impl Folds for $t {
            fn fold(m: Monoid, x: &[$t], (o, n, i): (usize, usize, usize), out: &mut [$t], threads: usize) {
                let (op, identity) = float(m);
                $kernel(op, x, o, n, i, identity as $t, out, threads);
            }
        }
    )+};
}
inexact!(f32, reduce_axis_f32; f64, reduce_axis_f64);
