//! Matrix products of f32, f64 and their complex numbers, one or many, with any strides.
//!
//! What must hold: each element of C is computed by one thread, with an order of summation that depends on k and the
//! machine, not on the number of threads: the split of m or n never brings a piece into another code path of the
//! `gemm` library (which has its own kernels for very small m·n, for vectors, and another k-block for m, n ≤ 64).
//! So bits do not depend on `threads`; they may depend on the instruction set (FMA or not) and on m, n and the strides.
//!
//! What it does not do: no conversion, no bias or activation; C may not overlap itself. Strides are in elements and not
//! negative; operands that do not fit their slices are bugs of the caller and panic.

use super::copy::is_injective;
use super::pool::{Shared, parallel_for, split};
pub use gemm::{c32, c64};
use std::ops::{Add, Mul};

/// Multiply-adds below which a second thread costs more than it gives.
const MIN_WORK: usize = 1 << 18;

/// One batch dimension: its size, and what one step along it adds to the start of A, B and C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchDim {
    /// The number of products along this dimension.
    pub size: usize,
    /// Elements between consecutive matrices of A (0 where A is shared).
    pub a: isize,
    /// Elements between consecutive matrices of B (0 where B is shared).
    pub b: isize,
    /// Elements between consecutive matrices of C.
    pub c: isize,
}

/// The types the `gemm` library multiplies here.
trait Element: Copy + Send + Sync + Add<Output = Self> + Mul<Output = Self> + 'static {
    const ZERO: Self;
    const ONE: Self;
    /// Products of fewer multiply-adds are computed by plain loops. The library's complex products round the parts of
    /// a term together, so that a part near zero is off by the rounding of the other.
    const PLAIN: usize;
}
impl Element for f32 {
    const ZERO: f32 = 0.0;
    const ONE: f32 = 1.0;
    const PLAIN: usize = 0;
}
impl Element for f64 {
    const ZERO: f64 = 0.0;
    const ONE: f64 = 1.0;
    const PLAIN: usize = 0;
}
impl Element for c32 {
    const ZERO: c32 = c32::new(0.0, 0.0);
    const ONE: c32 = c32::new(1.0, 0.0);
    const PLAIN: usize = 1 << 12;
}
impl Element for c64 {
    const ZERO: c64 = c64::new(0.0, 0.0);
    const ONE: c64 = c64::new(1.0, 0.0);
    const PLAIN: usize = 1 << 12;
}

/// Sizes and strides (row, column) of one product.
#[derive(Clone, Copy)]
struct Shape {
    m: usize,
    k: usize,
    n: usize,
    a: (isize, isize),
    b: (isize, isize),
    c: (isize, isize),
}

/// The elements a slice must have for the given (size, stride) pairs.
fn extent(dims: impl Iterator<Item = (usize, isize)>) -> usize {
    let mut last = 0usize;
    for (size, stride) in dims {
        if size == 0 {
            return 0;
        }
        assert!(stride >= 0, "gemm strides must not be negative");
        last += (size - 1) * stride.unsigned_abs();
    }
    last + 1
}

/// One product at raw places, on the calling thread.
///
/// # Safety
/// All elements the shape reaches are readable in `a` and `b`, writable in `c`, and nobody else touches those of `c`.
unsafe fn product<T: Element>(s: Shape, a: *const T, b: *const T, c: *mut T, accumulate: bool) {
    if s.m * s.n * s.k < T::PLAIN {
        for i in 0..s.m as isize {
            for j in 0..s.n as isize {
                // SAFETY: promised by the caller.
                unsafe {
                    let to = c.offset(i * s.c.0 + j * s.c.1);
                    let first = if accumulate { *to } else { T::ZERO };
                    let term = |l: isize| *a.offset(i * s.a.0 + l * s.a.1) * *b.offset(l * s.b.0 + j * s.b.1);
                    *to = (0..s.k as isize).fold(first, |sum, l| sum + term(l));
                }
            }
        }
        return;
    }
    // SAFETY: promised by the caller; the library reads and writes only elements the shape reaches.
    unsafe {
        gemm::gemm(
            s.m,
            s.n,
            s.k,
            c,
            s.c.1,
            s.c.0,
            accumulate,
            a,
            s.a.1,
            s.a.0,
            b,
            s.b.1,
            s.b.0,
            T::ONE,
            T::ONE,
            false,
            false,
            false,
            gemm::Parallelism::None,
        );
    }
}

/// The cut of one product into `parts` along rows or columns, such that every part stays on the general path of the
/// library: more than 64 wide in one direction, above 256 elements, not a vector. `None` where it is too small.
fn cut(s: Shape, threads: usize) -> Option<(bool, usize)> {
    /// A multiple of the register tiles of the library (4 × 24 or less) and above its limit of 64,
    /// also after rounding to whole tiles (which leaves at least 72).
    const MIN_PART: usize = 96;
    let parts = threads.min(s.m * s.n * s.k / MIN_WORK);
    let rows = s.m >= s.n;
    let parts = parts.min(s.m.max(s.n) / MIN_PART);
    (parts > 1 && s.m.min(s.n) >= 4 && s.k > 2).then_some((rows, parts))
}

/// # Safety
/// As for [`product`].
unsafe fn one<T: Element>(s: Shape, a: &[T], b: &[T], c: Shared<T>, accumulate: bool, threads: usize) {
    let Some((rows, parts)) = cut(s, threads) else {
        // SAFETY: promised by the caller.
        return unsafe { product(s, a.as_ptr(), b.as_ptr(), c.0, accumulate) };
    };
    parallel_for(parts, threads, &|part| {
        let range = split(if rows { s.m } else { s.n }, parts, 24, part);
        let (start, len) = (range.start as isize, range.len());
        // SAFETY: the parts are disjoint rows or columns of C, which does not overlap itself.
        unsafe {
            let (a, b, c) = (a.as_ptr(), b.as_ptr(), c.place());
            if rows {
                product(
                    Shape { m: len, ..s },
                    a.offset(start * s.a.0),
                    b,
                    c.offset(start * s.c.0),
                    accumulate,
                );
            } else {
                product(
                    Shape { n: len, ..s },
                    a,
                    b.offset(start * s.b.1),
                    c.offset(start * s.c.1),
                    accumulate,
                );
            }
        }
    });
}

fn batched<T: Element>(
    dims: &[BatchDim],
    s: Shape,
    a: &[T],
    b: &[T],
    c: &mut [T],
    accumulate: bool,
    threads: usize,
) {
    let batch: usize = dims.iter().map(|d| d.size).product();
    if batch == 0 || s.m == 0 || s.n == 0 {
        return;
    }
    let pairs = |f: fn(&BatchDim) -> isize, x: (usize, isize), y: (usize, isize)| {
        dims.iter().map(move |d| (d.size, f(d))).chain([x, y])
    };
    assert!(extent(pairs(|d| d.a, (s.m, s.a.0), (s.k, s.a.1))) <= a.len(), "gemm: A is outside its slice");
    assert!(extent(pairs(|d| d.b, (s.k, s.b.0), (s.n, s.b.1))) <= b.len(), "gemm: B is outside its slice");
    assert!(extent(pairs(|d| d.c, (s.m, s.c.0), (s.n, s.c.1))) <= c.len(), "gemm: C is outside its slice");
    assert!(is_injective(pairs(|d| d.c, (s.m, s.c.0), (s.n, s.c.1))), "gemm: C overlaps itself");
    let c = Shared(c.as_mut_ptr());
    if batch == 1 {
        // SAFETY: the extents were checked.
        return unsafe { one(s, a, b, c, accumulate, threads) };
    }
    // Few large products: cut each. Otherwise whole products are handed out.
    if batch < threads && cut(s, threads).is_some() {
        for i in 0..batch {
            let (ao, bo, co) = offsets(dims, i);
            // SAFETY: the extents were checked.
            unsafe { one(s, &a[ao..], &b[bo..], Shared(c.0.add(co)), accumulate, threads) };
        }
        return;
    }
    let work = batch * s.m * s.n * s.k.max(1);
    let chunks = if threads > 1 { batch.min(4 * threads).min(work / MIN_WORK).max(1) } else { 1 };
    parallel_for(chunks, threads, &|chunk| {
        for i in split(batch, chunks, 1, chunk) {
            let (ao, bo, co) = offsets(dims, i);
            // SAFETY: the extents were checked; the matrices of C do not overlap.
            unsafe { product(s, a.as_ptr().add(ao), b.as_ptr().add(bo), c.place().add(co), accumulate) };
        }
    });
}

/// Where the matrices of batch element `i` (row-major over `dims`) start.
pub(super) fn offsets(dims: &[BatchDim], mut i: usize) -> (usize, usize, usize) {
    let (mut a, mut b, mut c) = (0, 0, 0);
    for d in dims.iter().rev() {
        let at = (i % d.size) as isize;
        i /= d.size;
        a += at * d.a;
        b += at * d.b;
        c += at * d.c;
    }
    (a.unsigned_abs(), b.unsigned_abs(), c.unsigned_abs())
}

macro_rules! entry {
    ($t:ty, $gemm:ident, $batched:ident) => {
        /// C = A · B, or C += A · B with `accumulate`; A is m × k, B is k × n, strides are (row, column).
        /// Without `accumulate` the old C is not read. At k = 0 the product is zero.
        pub fn $gemm(
            m: usize,
            k: usize,
            n: usize,
            a: &[$t],
            a_strides: (isize, isize),
            b: &[$t],
            b_strides: (isize, isize),
            c: &mut [$t],
            c_strides: (isize, isize),
            accumulate: bool,
            threads: usize,
        ) {
            $batched(&[], m, k, n, a, a_strides, b, b_strides, c, c_strides, accumulate, threads);
        }

        /// The same product for every index of the batch dimensions (row-major). The batch is spread over threads.
        pub fn $batched(
            batch: &[BatchDim],
            m: usize,
            k: usize,
            n: usize,
            a: &[$t],
            a_strides: (isize, isize),
            b: &[$t],
            b_strides: (isize, isize),
            c: &mut [$t],
            c_strides: (isize, isize),
            accumulate: bool,
            threads: usize,
        ) {
            let shape = Shape { m, k, n, a: a_strides, b: b_strides, c: c_strides };
            batched(batch, shape, a, b, c, accumulate, threads);
        }
    };
}

entry!(f32, gemm_f32, batched_gemm_f32);
entry!(f64, gemm_f64, batched_gemm_f64);
entry!(c32, gemm_c32, batched_gemm_c32);
entry!(c64, gemm_c64, batched_gemm_c64);

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(len: usize, seed: u32) -> Vec<f32> {
        let mut state = seed | 1;
        let step = |_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / 8_388_608.0 - 1.0
        };
        (0..len).map(step).collect()
    }

    fn wide(x: &[f32]) -> Vec<f64> {
        x.iter().map(|&v| f64::from(v)).collect()
    }

    /// Strides of a rows × cols matrix, row-major or column-major.
    fn strides(rows: usize, cols: usize, by_column: bool) -> (isize, isize) {
        if by_column { (1, rows as isize) } else { (cols as isize, 1) }
    }

    #[test]
    fn equals_the_naive_product_for_all_orders_sizes_and_threads() {
        let sizes = [
            (1, 1, 1),
            (3, 2, 5),
            (1, 40, 33),
            (37, 40, 1),
            (16, 64, 16),
            (32, 32, 32),
            (64, 600, 64),
            (65, 129, 31),
            (200, 70, 100),
            (97, 600, 193),
            (300, 1, 300),
            (5, 0, 4),
            (600, 33, 20),
            (20, 530, 601),
            (400, 1_500, 3),
            (5, 1_500, 400),
        ];
        for (case, &(m, k, n)) in sizes.iter().enumerate() {
            for orders in 0..8 {
                let (ta, tb, tc) = (orders & 1 != 0, orders & 2 != 0, orders & 4 != 0);
                let (a, b, c) = (noise(m * k, 1), noise(k * n, 2), noise(m * n, 3));
                let (sa, sb, sc) = (strides(m, k, ta), strides(k, n, tb), strides(m, n, tc));
                let accumulate = (case + orders) % 2 == 0;
                let run = |threads| {
                    let mut out = c.clone();
                    gemm_f32(m, k, n, &a, sa, &b, sb, &mut out, sc, accumulate, threads);
                    let mut out64 = wide(&c);
                    gemm_f64(m, k, n, &wide(&a), sa, &wide(&b), sb, &mut out64, sc, accumulate, threads);
                    (out, out64)
                };
                let (out, out64) = run(1);
                for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
                    let at = |s: (isize, isize), i: usize, j: usize| i * s.0 as usize + j * s.1 as usize;
                    let mut want = if accumulate { f64::from(c[at(sc, i, j)]) } else { 0.0 };
                    for l in 0..k {
                        want += f64::from(a[at(sa, i, l)]) * f64::from(b[at(sb, l, j)]);
                    }
                    let (got, got64) = (out[at(sc, i, j)], out64[at(sc, i, j)]);
                    assert!(
                        (f64::from(got) - want).abs() < 1e-5 * (k as f64 + 1.0),
                        "{m} {k} {n} {orders}: {got} {want}"
                    );
                    assert!(
                        (got64 - want).abs() < 1e-14 * (k as f64 + 1.0),
                        "{m} {k} {n} {orders}: {got64} {want}"
                    );
                }
                for threads in [2, 3] {
                    assert!(
                        run(threads) == (out.clone(), out64.clone()),
                        "{m} {k} {n} {orders}: threads change bits"
                    );
                }
            }
        }
    }

    #[test]
    fn batches_may_be_interleaved_and_shared() {
        // Heads side by side within a row, as attention has them: [batch, time, head, depth].
        let (batch, time, heads, depth) = (6, 20, 4, 32);
        let row = (heads * depth) as isize;
        let (q, k) = (noise(batch * time * heads * depth, 5), noise(batch * time * heads * depth, 6));
        let dims = [
            BatchDim {
                size: batch,
                a: row * time as isize,
                b: row * time as isize,
                c: (heads * time * time) as isize,
            },
            BatchDim { size: heads, a: depth as isize, b: depth as isize, c: (time * time) as isize },
        ];
        let run = |threads| {
            let mut out = vec![f32::NAN; batch * heads * time * time];
            let c = (time as isize, 1);
            batched_gemm_f32(
                &dims,
                time,
                depth,
                time,
                &q,
                (row, 1),
                &k,
                (1, row),
                &mut out,
                c,
                false,
                threads,
            );
            out
        };
        let out = run(1);
        for (i, got) in out.iter().enumerate() {
            let (b, h, x, y) =
                (i / (heads * time * time), i / (time * time) % heads, i / time % time, i % time);
            let at = |t: usize, d: usize| ((b * time + t) * heads + h) * depth + d;
            let want: f64 = (0..depth).map(|d| f64::from(q[at(x, d)]) * f64::from(k[at(y, d)])).sum();
            assert!((f64::from(*got) - want).abs() < 1e-4);
        }
        assert!(run(2) == out && run(5) == out);

        // One B for all, two large products, more threads than products.
        let (m, kk, n) = (300, 40, 120);
        let dims = [BatchDim { size: 2, a: (m * kk) as isize, b: 0, c: (m * n) as isize }];
        let (a, b) = (noise(2 * m * kk, 7), noise(kk * n, 8));
        let run = |threads| {
            let mut out = vec![0.0; 2 * m * n];
            batched_gemm_f32(&dims, m, kk, n, &a, (40, 1), &b, (120, 1), &mut out, (120, 1), false, threads);
            out
        };
        let mut whole = vec![0.0; 2 * m * n];
        gemm_f32(2 * m, kk, n, &a, (40, 1), &b, (120, 1), &mut whole, (120, 1), false, 1);
        assert!(run(1) == whole && run(4) == whole);
    }

    #[test]
    fn zero_strides_repeat_an_operand() {
        let (a, b) = (noise(50, 9), noise(70, 10));
        let mut out = vec![0.0; 33 * 70];
        // Every row of A is the same.
        gemm_f32(33, 1, 70, &a, (0, 1), &b, (70, 1), &mut out, (70, 1), false, 1);
        assert!((0..33 * 70).all(|i| out[i] == a[0] * b[i % 70]));
    }

    #[test]
    #[should_panic(expected = "overlaps itself")]
    fn an_overlapping_result_is_refused() {
        gemm_f32(2, 1, 2, &[1.0; 2], (1, 1), &[1.0; 2], (2, 1), &mut [0.0; 3], (1, 1), false, 1);
    }

    #[test]
    #[should_panic(expected = "outside its slice")]
    fn a_short_slice_is_refused() {
        gemm_f32(2, 3, 2, &[1.0; 5], (3, 1), &[1.0; 6], (2, 1), &mut [0.0; 4], (2, 1), false, 1);
    }
}
