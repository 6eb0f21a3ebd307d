//! Matrix products of integers modulo their width, and of bools as or of ands, with any strides.
//!
//! What must hold: results are exact, so no order shows. Strides are in elements and not negative; operands that do not
//! fit their slices are bugs of the caller and panic.

use super::dispatch::vectorized;
use super::gemm::BatchDim;
use super::pool::{Shared, parallel_for, split};

/// Multiply-adds below which a second thread costs more than it gives.
const MIN_WORK: usize = 1 << 18;
/// Columns that are worked on together.
const COLUMNS: usize = 2048;

/// How elements multiply and add.
pub trait Ring: Copy + Default + Send + Sync + 'static {
    /// a b + c.
    fn multiply_add(a: Self, b: Self, c: Self) -> Self;
}

macro_rules! rings {
    ($($t:ty),+) => {$(
        impl Ring for $t {
            #[inline(always)]
            fn multiply_add(a: $t, b: $t, c: $t) -> $t {
                a.wrapping_mul(b).wrapping_add(c)
            }
        }
    )+};
}
rings!(u8, u16, u32, u64);

/// A bool as a byte: + is or, × is and.
#[derive(Clone, Copy, Default, Debug)]
#[repr(transparent)]
pub struct Bit(pub u8);

impl Ring for Bit {
    #[inline(always)]
    fn multiply_add(a: Bit, b: Bit, c: Bit) -> Bit {
        Bit(a.0 & b.0 | c.0)
    }
}

/// C = A · B for every index of the batch dimensions (row-major); A is m × k, B is k × n, strides are (row, column).
pub fn batched_products<T: Ring>(
    batch: &[BatchDim],
    m: usize,
    k: usize,
    n: usize,
    a: &[T],
    a_strides: (isize, isize),
    b: &[T],
    b_strides: (isize, isize),
    c: &mut [T],
    c_strides: (isize, isize),
    threads: usize,
) {
    let count: usize = batch.iter().map(|d| d.size).product();
    if m == 0 || n == 0 || count == 0 {
        return;
    }
    let at = |s: (isize, isize), i: usize, j: usize| i * s.0.unsigned_abs() + j * s.1.unsigned_abs();
    let (len, c) = (c.len(), Shared(c.as_mut_ptr()));
    for i in 0..count {
        let (ao, bo, co) = super::gemm::offsets(batch, i);
        let (a, b) = (&a[ao.min(a.len())..], &b[bo.min(b.len())..]);
        assert!(co + at(c_strides, m - 1, n - 1) < len, "C is outside its slice");
        // Rows of B without gaps.
        let packed: Option<Vec<T>> = (b_strides.1 != 1).then(|| {
            (0..k).flat_map(|p| (0..n).map(move |j| (p, j))).map(|(p, j)| b[at(b_strides, p, j)]).collect()
        });
        let row = |p: usize| match &packed {
            Some(rows) => &rows[p * n..][..n],
            None => &b[at(b_strides, p, 0)..][..n],
        };
        let parts = (m * n * k.max(1) / MIN_WORK).min(4 * threads).min(m).max(1);
        parallel_for(parts, threads, &|part| {
            let mut sums = vec![T::default(); n.min(COLUMNS)];
            for i in split(m, parts, 1, part) {
                for j in (0..n).step_by(COLUMNS) {
                    let sums = &mut sums[..COLUMNS.min(n - j)];
                    sums.fill(T::default());
                    for p in 0..k {
                        let (x, ys) = (a[at(a_strides, i, p)], &row(p)[j..][..sums.len()]);
                        add_row(x, ys, sums);
                    }
                    for (q, &v) in sums.iter().enumerate() {
                        // SAFETY: within C; rows are disjoint, as C does not overlap itself.
                        unsafe { *c.place().add(co + at(c_strides, i, j + q)) = v };
                    }
                }
            }
        });
    }
}

/// `sums += x ys`.
fn add_row<T: Ring>(x: T, ys: &[T], sums: &mut [T]) {
    vectorized(
        #[inline(always)]
        move || {
            for (s, &y) in sums.iter_mut().zip(ys) {
                *s = T::multiply_add(x, y, *s);
            }
        },
    );
}
