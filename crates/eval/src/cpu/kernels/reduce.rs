//! Sums, products, maxima and minima over one axis, and the row kernels of softmax, for f32 and f64.
//!
//! What must hold: the order of combination is fixed by the sizes alone.
//! * Along the contiguous axis, element i goes to lane i mod 32 (f32) or 16 (f64) of as many accumulators; then lane l
//!   takes in lane l + h for h = half the lanes, a quarter, … 1. Rows shorter than 8 are folded from left to right.
//!   (Maxima and minima are exact, so their order is free.)
//! * Along any other axis, rows are taken 8 at a time as ((0·1)·(2·3))·((4·5)·(6·7)), the blocks from first to last and
//!   the remaining rows one by one.
//! * The initial value is the left operand of the last combination, respectively the start of the column's fold.
//!
//! Each result is computed by one thread: bits depend neither on the number of threads nor on the vector width.
//! Maxima and minima give NaN if any element is NaN.
//!
//! What it does not do: no index results (argmax), no user-given combiners, no integers.

use super::dispatch::vectorized;
use super::math::{exp_f32, exp_f64, map, map_in_place, max_f32, max_f64, min_f32, min_f64};
use super::pool::{Shared, parallel_for, split};

/// The combination a reduction repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum ReduceOp {
    Sum,
    Prod,
    Max,
    Min,
}

/// Elements below which a second thread costs more than it gives.
const MIN_WORK: usize = 1 << 16;
/// Rows shorter than this are folded in order.
const SHORT: usize = 8;

/// The number of chunks for `work` elements in `items` independent results.
fn chunks(work: usize, items: usize, threads: usize) -> usize {
    if threads <= 1 { 1 } else { (work / MIN_WORK).min(items).min(2 * threads).max(1) }
}

/// Combines one row in the documented order.
#[inline(always)]
fn fold_row<T: Copy, const LANES: usize>(row: &[T], neutral: T, f: impl Fn(T, T) -> T) -> T {
    if row.len() < SHORT {
        return row.iter().fold(
            neutral,
            #[inline(always)]
            |a, &x| f(a, x),
        );
    }
    let mut lanes = [neutral; LANES];
    let (blocks, tail) = row.as_chunks::<LANES>();
    for block in blocks {
        for l in 0..LANES {
            lanes[l] = f(lanes[l], block[l]);
        }
    }
    for l in 0..tail.len() {
        lanes[l] = f(lanes[l], tail[l]);
    }
    tree(lanes, f)
}

/// Combines the lanes pairwise, the upper half into the lower, until one is left.
#[inline(always)]
fn tree<T: Copy, const LANES: usize>(mut lanes: [T; LANES], f: impl Fn(T, T) -> T) -> T {
    let mut half = LANES / 2;
    while half > 0 {
        for l in 0..half {
            lanes[l] = f(lanes[l], lanes[l + half]);
        }
        half /= 2;
    }
    lanes[0]
}

/// `out[r]` = the fold of row r.
fn last<T: Copy + Send + Sync>(
    x: &[T],
    cols: usize,
    out: &mut [T],
    threads: usize,
    fold: impl Fn(&[T]) -> T + Sync,
) {
    assert_eq!(x.len(), out.len() * cols, "reduction operand and result disagree");
    let (rows, place) = (out.len(), Shared(out.as_mut_ptr()));
    let parts = chunks(x.len(), rows, threads);
    parallel_for(parts, threads, &|part| {
        let range = split(rows, parts, 1, part);
        // SAFETY: the parts are disjoint.
        let out = unsafe { place.slice(range.start, range.len()) };
        for (y, r) in out.iter_mut().zip(range) {
            *y = fold(&x[r * cols..][..cols]);
        }
    });
}

/// Folds `rows` rows of `stride` elements, of which the first `out.len()` count, into `out`.
#[inline(always)]
fn fold_columns<T: Copy>(x: &[T], rows: usize, stride: usize, init: T, out: &mut [T], f: impl Fn(T, T) -> T) {
    let cols = out.len();
    out.fill(init);
    let mut r = 0;
    while r + 8 <= rows {
        let row: [&[T]; 8] = std::array::from_fn(
            #[inline(always)]
            |i| &x[(r + i) * stride..][..cols],
        );
        for c in 0..cols {
            let low = f(f(row[0][c], row[1][c]), f(row[2][c], row[3][c]));
            let high = f(f(row[4][c], row[5][c]), f(row[6][c], row[7][c]));
            out[c] = f(out[c], f(low, high));
        }
        r += 8;
    }
    for r in r..rows {
        for (y, &v) in out.iter_mut().zip(&x[r * stride..][..cols]) {
            *y = f(*y, v);
        }
    }
}

#[inline(always)]
fn leading<T: Copy + Send + Sync>(
    x: &[T],
    (outer, rows, cols): (usize, usize, usize),
    init: T,
    out: &mut [T],
    threads: usize,
    f: impl Fn(T, T) -> T + Copy + Sync,
) {
    assert_eq!(x.len(), outer * rows * cols, "reduction operand disagrees with its sizes");
    assert_eq!(out.len(), outer * cols, "reduction result disagrees with its sizes");
    let place = Shared(out.as_mut_ptr());
    // Blocks of columns, so that the accumulators stay in the first-level cache.
    const BLOCK: usize = 1024;
    let width = if threads > 1 { cols.div_ceil(threads).next_multiple_of(16).min(BLOCK) } else { BLOCK };
    let per_outer = cols.div_ceil(width.max(1));
    let blocks = outer * per_outer;
    let parts = chunks(x.len(), blocks, threads);
    parallel_for(parts, threads, &|part| {
        for block in split(blocks, parts, 1, part) {
            let (o, start) = (block / per_outer, block % per_outer * width);
            // SAFETY: the blocks are disjoint.
            let out = unsafe { place.slice(o * cols + start, width.min(cols - start)) };
            let x = &x[o * rows * cols + start.min(rows * cols)..];
            vectorized(
                #[inline(always)]
                move || fold_columns(x, rows, cols, init, out, f),
            );
        }
    });
}

macro_rules! reductions {
    ($t:ty, $lanes:literal, $last:ident, $leading:ident, $axis:ident, $exp_sum:ident, $softmax:ident, $dot:ident,
     $max:ident, $min:ident, $exp:ident, $rows:ident, $key:ty) => {
        /// Folds of one row in the documented order. Each is a function of its own, never inlined into a larger loop:
        /// whether LLVM keeps the lanes in registers then does not depend on the caller.
        mod $rows {
            use super::{fold_row, vectorized};

            #[inline(never)]
            pub fn sum(row: &[$t]) -> $t {
                vectorized(
                    #[inline(always)]
                    move || {
                        fold_row::<$t, $lanes>(
                            row,
                            0.0,
                            #[inline(always)]
                            |a, b| a + b,
                        )
                    },
                )
            }

            #[inline(never)]
            pub fn prod(row: &[$t]) -> $t {
                vectorized(
                    #[inline(always)]
                    move || {
                        fold_row::<$t, $lanes>(
                            row,
                            1.0,
                            #[inline(always)]
                            |a, b| a * b,
                        )
                    },
                )
            }

            /// Bits ↔ an integer that is ordered as the numbers are, −0 below +0.
            #[inline(always)]
            fn turn(bits: $key) -> $key {
                bits ^ ((bits >> (<$key>::BITS - 1)) & <$key>::MAX)
            }

            /// The extreme of a row over integers, where the order does not matter and one instruction is a step;
            /// `nan` is the extreme integer, which is a NaN when turned back.
            #[inline(always)]
            fn extreme(row: &[$t], neutral: $t, nan: $key, f: impl Fn($key, $key) -> $key) -> $t {
                let key = |x: $t| std::hint::select_unpredictable(x.is_nan(), nan, turn(x.to_bits() as $key));
                let best = row.iter().fold(
                    key(neutral),
                    #[inline(always)]
                    |a, &x| f(a, key(x)),
                );
                <$t>::from_bits(turn(best) as _)
            }

            #[inline(never)]
            pub fn max(row: &[$t]) -> $t {
                vectorized(
                    #[inline(always)]
                    move || {
                        extreme(
                            row,
                            <$t>::NEG_INFINITY,
                            <$key>::MAX,
                            #[inline(always)]
                            |a, b| a.max(b),
                        )
                    },
                )
            }

            #[inline(never)]
            pub fn min(row: &[$t]) -> $t {
                vectorized(
                    #[inline(always)]
                    move || {
                        extreme(
                            row,
                            <$t>::INFINITY,
                            <$key>::MIN,
                            #[inline(always)]
                            |a, b| a.min(b),
                        )
                    },
                )
            }
        }
        /// `out[r] = init ∘ (x[r, 0] ∘ x[r, 1] ∘ …)` for a row-major `x` of `out.len()` rows and `cols` columns.
        pub fn $last(op: ReduceOp, x: &[$t], cols: usize, init: $t, out: &mut [$t], threads: usize) {
            match op {
                ReduceOp::Sum => last(x, cols, out, threads, |row| init + $rows::sum(row)),
                ReduceOp::Prod => last(x, cols, out, threads, |row| init * $rows::prod(row)),
                ReduceOp::Max => last(x, cols, out, threads, |row| $max(init, $rows::max(row))),
                ReduceOp::Min => last(x, cols, out, threads, |row| $min(init, $rows::min(row))),
            }
        }

        /// `out[c] = init ∘ x[0, c] ∘ x[1, c] ∘ …` for a row-major `x` of `rows` rows and `out.len()` columns.
        pub fn $leading(op: ReduceOp, x: &[$t], rows: usize, init: $t, out: &mut [$t], threads: usize) {
            let cols = out.len();
            middle_of(op, x, (1, rows, cols), init, out, threads, $max, $min);
        }

        /// Reduces the middle axis of a row-major `x` of sizes outer × n × inner: `out[o, i]` over `x[o, ·, i]`.
        pub fn $axis(
            op: ReduceOp,
            x: &[$t],
            outer: usize,
            n: usize,
            inner: usize,
            init: $t,
            out: &mut [$t],
            threads: usize,
        ) {
            if inner == 1 {
                assert_eq!(out.len(), outer, "reduction result disagrees with its sizes");
                $last(op, x, n, init, out, threads);
            } else {
                middle_of(op, x, (outer, n, inner), init, out, threads, $max, $min);
            }
        }

        /// `out[i] = e^(x[i] − shift)`; returns their sum, in the order of a row.
        pub fn $exp_sum(x: &[$t], shift: $t, out: &mut [$t]) -> $t {
            map(
                x,
                out,
                #[inline(always)]
                move |x| $exp(x - shift),
            );
            $rows::sum(out)
        }

        /// Each row of `x` (of `cols` elements) to e^(x − max) / Σ e^(x − max).
        pub fn $softmax(x: &[$t], cols: usize, out: &mut [$t], threads: usize) {
            assert_eq!(x.len(), out.len(), "elementwise operands of different length");
            if x.is_empty() {
                return;
            }
            assert!(cols > 0 && x.len() % cols == 0, "softmax operand is not made of whole rows");
            let (rows, place) = (x.len() / cols, Shared(out.as_mut_ptr()));
            let parts = chunks(4 * x.len(), rows, threads);
            parallel_for(parts, threads, &|part| {
                for r in split(rows, parts, 1, part) {
                    // SAFETY: the rows are disjoint.
                    let out = unsafe { place.slice(r * cols, cols) };
                    let row = &x[r * cols..][..cols];
                    let sum = $exp_sum(row, $rows::max(row), out);
                    map_in_place(
                        out,
                        #[inline(always)]
                        move |y| y / sum,
                    );
                }
            });
        }

        /// `Σ a[i] · b[i]`, in the order of a row, products rounded before they are added.
        pub fn $dot(a: &[$t], b: &[$t]) -> $t {
            assert_eq!(a.len(), b.len(), "elementwise operands of different length");
            vectorized(
                #[inline(always)]
                move || {
                    let mut lanes = [0.0; $lanes];
                    let (ablocks, atail) = a.as_chunks::<$lanes>();
                    let (bblocks, btail) = b.as_chunks::<$lanes>();
                    for (a, b) in ablocks.iter().zip(bblocks) {
                        for l in 0..$lanes {
                            lanes[l] += a[l] * b[l];
                        }
                    }
                    for (l, (a, b)) in atail.iter().zip(btail).enumerate() {
                        lanes[l] += a * b;
                    }
                    tree(
                        lanes,
                        #[inline(always)]
                        |a, b| a + b,
                    )
                },
            )
        }
    };
}

/// [`leading`] for an operation given as data.
#[inline(always)]
fn middle_of<T>(
    op: ReduceOp,
    x: &[T],
    sizes: (usize, usize, usize),
    init: T,
    out: &mut [T],
    threads: usize,
    max: impl Fn(T, T) -> T + Copy + Sync,
    min: impl Fn(T, T) -> T + Copy + Sync,
) where
    T: Copy + Send + Sync + std::ops::Add<Output = T> + std::ops::Mul<Output = T>,
{
    match op {
        ReduceOp::Sum => leading(
            x,
            sizes,
            init,
            out,
            threads,
            #[inline(always)]
            |a, b| a + b,
        ),
        ReduceOp::Prod => leading(
            x,
            sizes,
            init,
            out,
            threads,
            #[inline(always)]
            |a, b| a * b,
        ),
        ReduceOp::Max => leading(x, sizes, init, out, threads, max),
        ReduceOp::Min => leading(x, sizes, init, out, threads, min),
    }
}

reductions!(
    f32,
    32,
    reduce_last_f32,
    reduce_leading_f32,
    reduce_axis_f32,
    exp_shifted_sum_f32,
    softmax_f32,
    dot_f32,
    max_f32,
    min_f32,
    exp_f32,
    rows_f32,
    i32
);
reductions!(
    f64,
    16,
    reduce_last_f64,
    reduce_leading_f64,
    reduce_axis_f64,
    exp_shifted_sum_f64,
    softmax_f64,
    dot_f64,
    max_f64,
    min_f64,
    exp_f64,
    rows_f64,
    i64
);

#[cfg(test)]
mod tests {
    use super::*;

    const OPS: [ReduceOp; 4] = [ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Max, ReduceOp::Min];

    fn noise(len: usize) -> Vec<f32> {
        (0..len).map(|i| 1.0 + ((i * 2_654_435_761) % 1_009) as f32 / 5_000.0 - 0.1).collect()
    }

    fn combine(op: ReduceOp, a: f64, b: f64) -> f64 {
        match op {
            ReduceOp::Sum => a + b,
            ReduceOp::Prod => a * b,
            ReduceOp::Max => a.max(b),
            ReduceOp::Min => a.min(b),
        }
    }

    #[test]
    fn any_axis_equals_the_naive_fold_with_any_number_of_threads() {
        let sizes = [
            (1, 1, 1),
            (3, 5, 1),
            (7, 33, 1),
            (2, 0, 3),
            (0, 4, 2),
            (4, 100, 1),
            (1, 9, 37),
            (3, 17, 20),
            (700, 128, 1),
            (1, 200, 700),
            (3, 40, 1100),
        ];
        for (outer, n, inner) in sizes {
            let x = noise(outer * n * inner);
            let x64: Vec<f64> = x.iter().map(|&v| f64::from(v)).collect();
            for op in OPS {
                let run = |threads| {
                    let (mut out, mut out64) = (vec![0.0; outer * inner], vec![0.0; outer * inner]);
                    reduce_axis_f32(op, &x, outer, n, inner, 1.25, &mut out, threads);
                    reduce_axis_f64(op, &x64, outer, n, inner, 1.25, &mut out64, threads);
                    (out, out64)
                };
                let (out, out64) = run(1);
                for (o, i) in (0..outer).flat_map(|o| (0..inner).map(move |i| (o, i))) {
                    let want =
                        (0..n).map(|j| x64[(o * n + j) * inner + i]).fold(1.25, |a, b| combine(op, a, b));
                    let (got, got64) = (out[o * inner + i], out64[o * inner + i]);
                    assert!((f64::from(got) - want).abs() <= 2e-5 * want.abs(), "{op:?} {outer} {n} {inner}");
                    assert!((got64 - want).abs() <= 1e-13 * want.abs(), "{op:?} {outer} {n} {inner}");
                }
                assert!(
                    run(2) == (out.clone(), out64.clone()) && run(3) == (out, out64),
                    "threads change bits"
                );
            }
        }
    }

    #[test]
    fn the_order_is_the_documented_one() {
        let x: Vec<f32> = (0..100).map(|i| (i as f32 * 0.7).sin() * 1000.0).collect();
        let mut lanes = [0.0f32; 32];
        x.iter().enumerate().for_each(|(i, v)| lanes[i % 32] += v);
        for half in [16, 8, 4, 2, 1] {
            (0..half).for_each(|l| lanes[l] += lanes[l + half]);
        }
        let mut out = [0.0];
        reduce_last_f32(ReduceOp::Sum, &x, 100, 3.0, &mut out, 1);
        assert_eq!(out[0].to_bits(), (3.0 + lanes[0]).to_bits());

        let mut want = 3.0f32;
        for b in x.chunks(8) {
            match *b {
                [a, b, c, d, e, f, g, h] => want += ((a + b) + (c + d)) + ((e + f) + (g + h)),
                _ => b.iter().for_each(|v| want += v),
            }
        }
        reduce_leading_f32(ReduceOp::Sum, &x, 100, 3.0, &mut out, 1);
        assert_eq!(out[0].to_bits(), want.to_bits());
    }

    #[test]
    fn nan_wins_in_maxima_and_minima() {
        for at in [0, 3, 40, 99] {
            let mut x = noise(100);
            x[at] = f32::NAN;
            for op in [ReduceOp::Max, ReduceOp::Min] {
                let mut out = [0.0];
                reduce_last_f32(op, &x, 100, 0.0, &mut out, 1);
                assert!(out[0].is_nan());
                reduce_leading_f32(op, &x, 100, 0.0, &mut out, 1);
                assert!(out[0].is_nan());
            }
        }
    }

    #[test]
    fn softmax_rows_and_their_parts() {
        let x: Vec<f32> = (0..700 * 130).map(|i| ((i * 37) % 101) as f32 * 0.3 - 20.0).collect();
        let mut out = vec![0.0; x.len()];
        softmax_f32(&x, 130, &mut out, 1);
        let mut other = vec![0.0; x.len()];
        softmax_f32(&x, 130, &mut other, 2);
        assert_eq!(out, other);
        for (row, got) in x.chunks(130).zip(out.chunks(130)) {
            let sum: f64 = row.iter().map(|&v| f64::from(v).exp()).sum();
            for (&v, &y) in row.iter().zip(got) {
                assert!((f64::from(y) - f64::from(v).exp() / sum).abs() < 1e-6);
            }
        }
        let mut e = vec![0.0; 130];
        let sum = exp_shifted_sum_f32(&x[..130], 10.3, &mut e);
        assert!((sum - e.iter().sum::<f32>()).abs() < 1e-4 * sum);
        assert!((e[7] - (x[7] - 10.3).exp()).abs() < 1e-6 * e[7]);
        // A row of −inf has no maximum to subtract.
        softmax_f32(&[f32::NEG_INFINITY; 9], 9, &mut e[..9], 1);
        assert!(e[..9].iter().all(|v| v.is_nan()));
    }

    #[test]
    fn dot_is_the_sum_of_products() {
        let (a, b) = (noise(77), noise(78));
        let want: f64 = a.iter().zip(&b[1..]).map(|(&x, &y)| f64::from(x) * f64::from(y)).sum();
        assert!((f64::from(dot_f32(&a, &b[1..])) - want).abs() < 1e-4);
        assert_eq!(dot_f64(&[1.0, 2.0], &[3.0, 4.0]), 11.0);
    }
}
