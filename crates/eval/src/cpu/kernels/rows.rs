//! Gathering rows of a table by index, and adding rows into a table by index (embedding lookups and their adjoints).
//!
//! What must hold: out-of-range indices are treated as StableHLO treats them: `gather_rows` clamps them into the table,
//! `scatter_add_rows` drops their rows. Rows with the same index are added in the order of the indices, by one thread
//! per column, so bits do not depend on the number of threads.
//!
//! What it does not do: general gather and scatter (several index dimensions, windows within a row).

use super::dispatch::vectorized;
use super::pool::{Shared, parallel_for, split};

/// Elements below which a second thread costs more than it gives.
const MIN_WORK: usize = 1 << 17;

/// `out[i] = table[clamp(indices[i])]` for rows of `width` elements; `T` may be `u8` with the width in bytes.
/// An empty table is a bug of the caller unless there are no indices.
pub fn gather_rows<T: Copy + Send + Sync, I: Copy + Into<i64> + Sync>(
    table: &[T],
    width: usize,
    indices: &[I],
    out: &mut [T],
    threads: usize,
) {
    assert_eq!(out.len(), indices.len() * width, "gather result disagrees with its sizes");
    if out.is_empty() {
        return;
    }
    let last = (table.len() / width) as i64 - 1;
    assert!(last >= 0, "gather from an empty table");
    let parts = (out.len() / MIN_WORK).min(threads).max(1);
    let place = Shared(out.as_mut_ptr());
    parallel_for(parts, threads, &|part| {
        let range = split(indices.len(), parts, 1, part);
        // SAFETY: the parts are disjoint.
        let out = unsafe { place.slice(range.start * width, range.len() * width) };
        for (row, &index) in out.chunks_exact_mut(width).zip(&indices[range]) {
            let at = index.into().clamp(0, last) as usize * width;
            row.copy_from_slice(&table[at..at + width]);
        }
    });
}

/// Adds row i of `updates` to row `indices[i]` of `table`, for i in order.
fn scatter_add<T: Copy + Send + Sync + std::ops::AddAssign, I: Copy + Into<i64> + Sync>(
    indices: &[I],
    updates: &[T],
    width: usize,
    table: &mut [T],
    threads: usize,
) {
    assert_eq!(updates.len(), indices.len() * width, "scatter updates disagree with their sizes");
    if updates.is_empty() {
        return;
    }
    let rows = table.len() / width;
    let parts = (updates.len() / MIN_WORK).min(threads).min(width.div_ceil(16)).max(1);
    let place = Shared(table.as_mut_ptr());
    parallel_for(parts, threads, &|part| {
        let columns = split(width, parts, 16, part);
        vectorized(
            #[inline(always)]
            move || {
                for (row, &index) in updates.chunks_exact(width).zip(indices) {
                    let Some(index) = usize::try_from(index.into()).ok().filter(|&i| i < rows) else {
                        continue;
                    };
                    // SAFETY: within the table (`index < rows`), and the column ranges of the parts are disjoint.
                    let out = unsafe { place.slice(index * width + columns.start, columns.len()) };
                    for (y, &u) in out.iter_mut().zip(&row[columns.clone()]) {
                        *y += u;
                    }
                }
            },
        );
    });
}

/// `table[indices[i]] += updates[i]` for rows of `width` elements.
pub fn scatter_add_rows_f32<I: Copy + Into<i64> + Sync>(
    indices: &[I],
    updates: &[f32],
    width: usize,
    table: &mut [f32],
    threads: usize,
) {
    scatter_add(indices, updates, width, table, threads);
}

/// `table[indices[i]] += updates[i]` for rows of `width` elements.
pub fn scatter_add_rows_f64<I: Copy + Into<i64> + Sync>(
    indices: &[I],
    updates: &[f64],
    width: usize,
    table: &mut [f64],
    threads: usize,
) {
    scatter_add(indices, updates, width, table, threads);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gather_clamps_and_scatter_drops() {
        let table: Vec<f32> = (0..12).map(|i| i as f32).collect();
        let mut out = vec![0.0; 12];
        gather_rows(&table, 3, &[2i32, -5, 99, 0], &mut out, 1);
        assert_eq!(out, [6.0, 7.0, 8.0, 0.0, 1.0, 2.0, 9.0, 10.0, 11.0, 0.0, 1.0, 2.0]);

        let mut sums = vec![0.0; 12];
        scatter_add_rows_f32(&[2i64, -1, 4, 2], &table, 3, &mut sums, 1);
        assert_eq!(sums, [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 9.0, 11.0, 13.0, 0.0, 0.0, 0.0]);

        gather_rows::<f32, i32>(&[], 3, &[], &mut [], 2);
        gather_rows::<f32, i32>(&[], 0, &[1, 2], &mut [], 2);
    }

    #[test]
    fn threads_do_not_change_bits() {
        let (rows, width, count) = (50, 200, 3000);
        let indices: Vec<u32> = (0..count).map(|i| (i * 7919 % 53) as u32).collect();
        let updates: Vec<f32> = (0..count * width).map(|i| (i as f32 * 0.37).sin()).collect();
        let run = |threads| {
            let mut table = vec![0.5f32; rows * width];
            scatter_add_rows_f32(&indices, &updates, width, &mut table, threads);
            let mut out = vec![0.0f32; count * width];
            gather_rows(&table, width, &indices, &mut out, threads);
            (table, out)
        };
        let (table, out) = run(1);
        let mut naive = vec![0.5f32; rows * width];
        for (i, &index) in indices.iter().enumerate().filter(|(_, index)| **index < 50) {
            (0..width).for_each(|c| naive[index as usize * width + c] += updates[i * width + c]);
        }
        assert_eq!(table, naive);
        assert!(run(2) == (table.clone(), out.clone()) && run(3) == (table, out));
    }
}
