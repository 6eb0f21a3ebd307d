//! Moving elements between strided places: transpose, broadcast, slice, reverse, pad, concatenate, fill.
//!
//! What must hold: each of these is one [`StridedCopy`], made once from sizes and run many times; the destination
//! elements of a copy are distinct. Elements are moved, never interpreted: any type, or 1, 2, 4, 8 or 16 raw bytes.
//!
//! What it does not do: no conversion, no arithmetic, no overlapping source and destination. Sizes or permutations that
//! contradict each other, and places outside the slices, are bugs of the caller and panic.

use super::dispatch::vectorized;
use super::pool::{Shared, parallel_for, split};

/// Elements below which a second thread costs more than it gives.
const MIN_WORK: usize = 1 << 16;
/// The side of the tile a transposition reads and writes at once.
const TILE: usize = 8;
/// How far a transposition goes along the source before it turns to the next rows.
const BAND: usize = 64;

/// One dimension of a copy: its size, and the steps in source and destination in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Dim {
    size: usize,
    src: isize,
    dst: isize,
}

/// Where a copy reads and writes: for every index i within the sizes,
/// `dst[dst_start + i · dst_strides] = src[src_start + i · src_strides]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StridedCopy {
    /// Sizes above 1 only, merged where both sides allow, by decreasing step in the destination.
    dims: Vec<Dim>,
    empty: bool,
    src_start: usize,
    dst_start: usize,
}

/// The row-major strides of a shape, in elements.
pub fn row_major(shape: &[usize]) -> Vec<isize> {
    let mut strides = vec![1; shape.len()];
    for d in (1..shape.len()).rev() {
        strides[d - 1] = strides[d] * shape[d].max(1) as isize;
    }
    strides
}

/// Whether each index has its own place: by increasing stride, each dimension steps over all smaller ones.
pub(super) fn is_injective(dims: impl Iterator<Item = (usize, isize)>) -> bool {
    let mut dims: Vec<(usize, usize)> =
        dims.filter(|d| d.0 > 1).map(|(n, s)| (n, s.unsigned_abs())).collect();
    dims.sort_by_key(|d| d.1);
    let mut span = 1;
    dims.iter().all(|&(size, stride)| {
        let fits = stride >= span;
        span += stride * (size - 1);
        fits
    })
}

impl StridedCopy {
    /// A copy of `shape` from and to the given starts and strides (in elements, negative allowed).
    pub fn new(
        shape: &[usize],
        src_start: usize,
        src_strides: &[isize],
        dst_start: usize,
        dst_strides: &[isize],
    ) -> StridedCopy {
        assert!(
            shape.len() == src_strides.len() && shape.len() == dst_strides.len(),
            "ranks of a copy disagree"
        );
        assert!(
            is_injective(shape.iter().copied().zip(dst_strides.iter().copied())),
            "the destination of a copy overlaps itself"
        );
        let mut dims: Vec<Dim> = (0..shape.len())
            .filter(|&d| shape[d] != 1)
            .map(|d| Dim { size: shape[d], src: src_strides[d], dst: dst_strides[d] })
            .collect();
        dims.sort_by_key(|d| std::cmp::Reverse(d.dst.unsigned_abs()));
        let mut merged: Vec<Dim> = Vec::with_capacity(dims.len());
        for dim in dims {
            match merged.last_mut() {
                Some(outer)
                    if outer.src == dim.src * dim.size as isize
                        && outer.dst == dim.dst * dim.size as isize =>
                {
                    *outer = Dim { size: outer.size * dim.size, ..dim };
                }
                Some(_) | None => merged.push(dim),
            }
        }
        StridedCopy { dims: merged, empty: shape.contains(&0), src_start, dst_start }
    }

    /// From row-major `shape` to row-major with dimension d of the result being dimension `permutation[d]`.
    pub fn transpose(shape: &[usize], permutation: &[usize]) -> StridedCopy {
        let strides = row_major(shape);
        let sizes: Vec<usize> = permutation.iter().map(|&p| shape[p]).collect();
        let src: Vec<isize> = permutation.iter().map(|&p| strides[p]).collect();
        assert_eq!(shape.len(), permutation.len(), "a permutation of another rank");
        StridedCopy::new(&sizes, 0, &src, 0, &row_major(&sizes))
    }

    /// StableHLO's broadcast_in_dim: dimension d of the source becomes dimension `dims[d]` of the result.
    pub fn broadcast_in_dim(shape: &[usize], dims: &[usize], result: &[usize]) -> StridedCopy {
        let strides = row_major(shape);
        let mut src = vec![0; result.len()];
        for (d, &to) in dims.iter().enumerate() {
            assert!(shape[d] == 1 || shape[d] == result[to], "a size is neither 1 nor that of the result");
            src[to] = if shape[d] == 1 { 0 } else { strides[d] };
        }
        StridedCopy::new(result, 0, &src, 0, &row_major(result))
    }

    /// The elements start, start + step, … of each dimension of a row-major `shape`, `result` of them.
    pub fn slice(shape: &[usize], start: &[usize], step: &[usize], result: &[usize]) -> StridedCopy {
        let strides = row_major(shape);
        for d in 0..shape.len() {
            let inside = result[d] == 0 || start[d] + (result[d] - 1) * step[d] < shape[d];
            assert!(inside, "a slice reaches outside its operand");
        }
        let from = start.iter().zip(&strides).map(|(&a, &s)| a * s.unsigned_abs()).sum();
        let src: Vec<isize> = strides.iter().zip(step).map(|(s, &k)| s * k as isize).collect();
        StridedCopy::new(result, from, &src, 0, &row_major(result))
    }

    /// Row-major `shape` with the named dimensions turned around.
    pub fn reverse(shape: &[usize], dims: &[usize]) -> StridedCopy {
        let strides = row_major(shape);
        let mut src = strides.clone();
        let mut start = 0;
        for &d in dims {
            src[d] = -strides[d];
            start += shape[d].saturating_sub(1) * strides[d].unsigned_abs();
        }
        StridedCopy::new(shape, start, &src, 0, &strides)
    }

    /// The part of StableHLO's pad that moves the operand (fill the result first): element i of a dimension goes to
    /// `low + i · (interior + 1)`, and is dropped where that is outside the result.
    pub fn pad(shape: &[usize], low: &[i64], interior: &[usize], result: &[usize]) -> StridedCopy {
        let (from, to) = (row_major(shape), row_major(result));
        let (mut src_start, mut dst_start) = (0, 0);
        let mut sizes = vec![0; shape.len()];
        let mut dst = to.clone();
        for d in 0..shape.len() {
            let step = interior[d] as i64 + 1;
            let first = (-low[d]).max(0).div_ceil_to(step);
            let end = (result[d] as i64 - low[d]).max(0).div_ceil_to(step).min(shape[d] as i64);
            sizes[d] = (end - first).max(0) as usize;
            if sizes[d] > 0 {
                src_start += first as usize * from[d].unsigned_abs();
                dst_start += (low[d] + first * step) as usize * to[d].unsigned_abs();
            }
            dst[d] = to[d] * step as isize;
        }
        if sizes.contains(&0) {
            (src_start, dst_start) = (0, 0);
        }
        StridedCopy::new(&sizes, src_start, &from, dst_start, &dst)
    }

    /// A row-major block placed at `start` in a row-major `result`: one operand of a concatenation, or an update slice.
    pub fn place(shape: &[usize], start: &[usize], result: &[usize]) -> StridedCopy {
        let low: Vec<i64> = start.iter().map(|&s| s as i64).collect();
        for d in 0..shape.len() {
            assert!(start[d] + shape[d] <= result[d], "a block reaches outside its result");
        }
        StridedCopy::pad(shape, &low, &vec![0; shape.len()], result)
    }

    /// Whether this is one contiguous run on both sides.
    pub fn is_contiguous(&self) -> bool {
        match self.dims.as_slice() {
            [] => true,
            [d] => d.src == 1 && d.dst == 1,
            [_, _, ..] => false,
        }
    }

    /// Copies elements of `src` to `dst`.
    pub fn run<T: Copy + Send + Sync>(&self, src: &[T], dst: &mut [T], threads: usize) {
        if self.empty {
            return;
        }
        check_inside(self.src_start, self.dims.iter().map(|d| (d.size, d.src)), src.len());
        check_inside(self.dst_start, self.dims.iter().map(|d| (d.size, d.dst)), dst.len());
        let (from, to) = (Shared(src.as_ptr().cast_mut()), Shared(dst.as_mut_ptr()));
        let work: usize = self.dims.iter().map(|d| d.size).product();
        let parts = (work / MIN_WORK).min(threads);
        let cut = self.dims.iter().position(|d| d.size >= parts);
        let (Some(cut), true) = (cut, parts > 1) else {
            // SAFETY: both ends were checked, and `dst` is borrowed mutably, so it does not overlap `src`.
            return unsafe { serial(&self.dims, from.0.add(self.src_start), to.0.add(self.dst_start)) };
        };
        parallel_for(parts, threads, &|part| {
            let mut dims = self.dims.clone();
            let range = split(dims[cut].size, parts, 1, part);
            let skip = range.start as isize;
            dims[cut].size = range.len();
            // SAFETY: as above; the parts write different indices, which are different places.
            unsafe {
                let from = from.place().add(self.src_start).offset(skip * dims[cut].src);
                let to = to.place().add(self.dst_start).offset(skip * dims[cut].dst);
                serial(&dims, from, to);
            }
        });
    }

    /// The same for raw bytes, `size` bytes an element (1, 2, 4, 8 or 16), aligned or not.
    pub fn run_bytes(&self, size: usize, src: &[u8], dst: &mut [u8], threads: usize) {
        fn typed<const N: usize>(copy: &StridedCopy, src: &[u8], dst: &mut [u8], threads: usize) {
            copy.run::<[u8; N]>(src.as_chunks().0, dst.as_chunks_mut().0, threads);
        }
        match size {
            1 => typed::<1>(self, src, dst, threads),
            2 => typed::<2>(self, src, dst, threads),
            4 => typed::<4>(self, src, dst, threads),
            8 => typed::<8>(self, src, dst, threads),
            16 => typed::<16>(self, src, dst, threads),
            other => panic!("copy of elements of {other} bytes"),
        }
    }
}

/// Division rounding up, of non-negative numbers.
trait DivCeilTo {
    fn div_ceil_to(self, by: i64) -> i64;
}
impl DivCeilTo for i64 {
    fn div_ceil_to(self, by: i64) -> i64 {
        (self + by - 1) / by
    }
}

/// Panics unless every place of the (size, stride) pairs from `start` on is below `len`.
fn check_inside(start: usize, dims: impl Iterator<Item = (usize, isize)>, len: usize) {
    let (mut low, mut high) = (start as isize, start as isize);
    for (size, stride) in dims {
        let reach = (size - 1) as isize * stride;
        if reach < 0 { low += reach } else { high += reach }
    }
    assert!(low >= 0 && high < len as isize, "a copy reaches outside its slice");
}

/// # Safety
/// All places reached from `src` are readable, from `dst` writable by this thread only; they do not overlap.
unsafe fn serial<T: Copy>(dims: &[Dim], src: *const T, dst: *mut T) {
    let Some((&inner, outer)) = dims.split_last() else {
        // SAFETY: promised by the caller.
        return unsafe { *dst = *src };
    };
    // A transposition: the destination is contiguous along one dimension, the source along another.
    let other = if inner.dst == 1 && inner.src != 1 && inner.src != 0 {
        outer.iter().position(|d| d.src == 1)
    } else {
        None
    };
    if let Some(other) = other {
        let mut rest = outer.to_vec();
        let rows = rest.remove(other);
        // SAFETY: as above.
        for_each(&rest, |s, d| unsafe { transpose_2d(rows, inner, src.offset(s), dst.offset(d)) });
        return;
    }
    for_each(outer, |s, d| {
        // SAFETY: as above.
        unsafe { line(inner, src.offset(s), dst.offset(d)) }
    });
}

/// Calls `f` with the source and destination offsets of every index of `dims`.
#[inline(always)]
fn for_each(dims: &[Dim], mut f: impl FnMut(isize, isize)) {
    let mut index = vec![0usize; dims.len()];
    let (mut s, mut d) = (0, 0);
    loop {
        f(s, d);
        let mut at = dims.len();
        loop {
            if at == 0 {
                return;
            }
            at -= 1;
            let dim = dims[at];
            index[at] += 1;
            s += dim.src;
            d += dim.dst;
            if index[at] < dim.size {
                break;
            }
            index[at] = 0;
            s -= dim.src * dim.size as isize;
            d -= dim.dst * dim.size as isize;
        }
    }
}

/// One dimension. # Safety: as for [`serial`].
#[inline(always)]
unsafe fn line<T: Copy>(dim: Dim, src: *const T, dst: *mut T) {
    // SAFETY: promised by the caller.
    unsafe {
        match (dim.src, dim.dst) {
            (1, 1) if dim.size * size_of::<T>() > 32 => std::ptr::copy_nonoverlapping(src, dst, dim.size),
            (0, 1) => std::slice::from_raw_parts_mut(dst, dim.size).fill(*src),
            (s, d) => {
                for i in 0..dim.size as isize {
                    *dst.offset(i * d) = *src.offset(i * s);
                }
            }
        }
    }
}

/// `dst[a · rows.dst + b] = src[a + b · cols.src]` in tiles. # Safety: as for [`serial`].
unsafe fn transpose_2d<T: Copy>(rows: Dim, cols: Dim, src: *const T, dst: *mut T) {
    let at = |a: usize, b: usize| (a as isize + b as isize * cols.src, a as isize * rows.dst + b as isize);
    vectorized(
        #[inline(always)]
        move || {
            for band in (0..rows.size).step_by(BAND) {
                let end = (band + BAND).min(rows.size);
                for b in (0..cols.size).step_by(TILE) {
                    for a in (band..end).step_by(TILE) {
                        let (s, d) = at(a, b);
                        if a + TILE <= end && b + TILE <= cols.size {
                            // SAFETY: a whole tile is inside; promised by the caller.
                            unsafe { tile(src.offset(s), cols.src, dst.offset(d), rows.dst) };
                            continue;
                        }
                        for a in a..(a + TILE).min(end) {
                            for b in b..(b + TILE).min(cols.size) {
                                let (s, d) = at(a, b);
                                // SAFETY: inside; promised by the caller.
                                unsafe { *dst.offset(d) = *src.offset(s) };
                            }
                        }
                    }
                }
            }
        },
    );
}

/// One 8 × 8 tile through registers. # Safety: the tile is inside both sides.
#[inline(always)]
unsafe fn tile<T: Copy>(src: *const T, src_step: isize, dst: *mut T, dst_step: isize) {
    // SAFETY: promised by the caller; an array of `T` has the alignment of `T`.
    unsafe {
        let rows: [[T; TILE]; TILE] = std::array::from_fn(
            #[inline(always)]
            |b| *src.offset(b as isize * src_step).cast::<[T; TILE]>(),
        );
        for a in 0..TILE {
            let column: [T; TILE] = std::array::from_fn(
                #[inline(always)]
                |b| rows[b][a],
            );
            *dst.offset(a as isize * dst_step).cast::<[T; TILE]>() = column;
        }
    }
}

/// Sets every element of `dst`.
pub fn fill<T: Copy>(value: T, dst: &mut [T]) {
    dst.fill(value);
}

/// Repeats the bytes of one element (1, 2, 4, 8 or 16 of them) over `dst`.
pub fn fill_bytes(element: &[u8], dst: &mut [u8]) {
    fn typed<const N: usize>(element: &[u8], dst: &mut [u8]) {
        let (value, _) = element.as_chunks::<N>();
        dst.as_chunks_mut::<N>().0.fill(value[0]);
    }
    match element.len() {
        1 => dst.fill(element[0]),
        2 => typed::<2>(element, dst),
        4 => typed::<4>(element, dst),
        8 => typed::<8>(element, dst),
        16 => typed::<16>(element, dst),
        other => panic!("fill with an element of {other} bytes"),
    }
}

#[cfg(test)]
mod tests;
