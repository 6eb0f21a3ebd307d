//! Regions of a tensor: for each dimension a list of half-open intervals. A region is their product.
//!
//! Must hold: intervals are non-empty, ascending and disjoint; a region's bytes are compact and row-major, intervals
//! joined in order. A scalar has no dimensions and one element. It knows no files.

/// For each dimension, intervals `[lo, hi)` in ascending order.
pub type Region = Vec<Vec<(u64, u64)>>;

/// Finer partitions of one tensor than this are not judged.
const MAX_CELLS: usize = 1 << 22;

/// The whole of a tensor.
pub fn whole(shape: &[u64]) -> Region {
    shape.iter().map(|&n| if n == 0 { Vec::new() } else { vec![(0, n)] }).collect()
}

/// Elements a region has in each dimension; `None` on overflow or an interval that runs backwards.
pub fn extents(region: &Region) -> Option<Vec<u64>> {
    let extent =
        |d: &Vec<(u64, u64)>| d.iter().try_fold(0u64, |sum, &(lo, hi)| sum.checked_add(hi.checked_sub(lo)?));
    region.iter().map(extent).collect()
}

/// Bytes of a region at `element` bytes an element; `None` if memory cannot hold it.
pub(super) fn byte_len(region: &Region, element: usize) -> Option<usize> {
    let count = extents(region)?.into_iter().try_fold(1u64, u64::checked_mul)?;
    let len = usize::try_from(count).ok()?.checked_mul(element)?;
    isize::try_from(len).is_ok().then_some(len)
}

/// Whether `region` is well formed and lies in `shape`; if not, why.
pub(super) fn validate(region: &Region, shape: &[u64]) -> Result<(), String> {
    if region.len() != shape.len() {
        return Err(format!("region of {} dimensions in a tensor of {}", region.len(), shape.len()));
    }
    for (d, (intervals, &size)) in region.iter().zip(shape).enumerate() {
        let mut from = 0;
        for &(lo, hi) in intervals {
            if lo < from || hi <= lo || hi > size {
                return Err(format!(
                    "interval [{lo}, {hi}) of dimension {d} is empty, out of order or outside {size}"
                ));
            }
            from = hi;
        }
    }
    Ok(())
}

/// A stretch of one dimension that source and destination share, in their compact coordinates.
struct Stretch {
    src: usize,
    dst: usize,
    len: usize,
}

/// One dimension of a copy, with the distance of neighbours in elements.
struct Axis {
    stretches: Vec<Stretch>,
    src_stride: usize,
    dst_stride: usize,
}

fn stretches(src: &[(u64, u64)], dst: &[(u64, u64)]) -> Vec<Stretch> {
    let (mut i, mut j) = (0, 0);
    // Elements in the intervals before the current ones.
    let (mut src_at, mut dst_at) = (0, 0);
    let mut out = Vec::new();
    while let (Some(&(slo, shi)), Some(&(dlo, dhi))) = (src.get(i), dst.get(j)) {
        let (lo, hi) = (slo.max(dlo), shi.min(dhi));
        if lo < hi {
            let at = |v: u64| v as usize;
            out.push(Stretch { src: at(src_at + lo - slo), dst: at(dst_at + lo - dlo), len: at(hi - lo) });
        }
        if shi <= dhi {
            src_at += shi - slo;
            i += 1;
        } else {
            dst_at += dhi - dlo;
            j += 1;
        }
    }
    out
}

/// Copies what `src` and `dst` share. Both regions are valid, of the same rank, and their bytes have their lengths.
pub(super) fn copy_shared(
    src: &Region,
    src_bytes: &[u8],
    dst: &Region,
    dst_bytes: &mut [u8],
    element: usize,
) {
    let (Some(src_extents), Some(dst_extents)) = (extents(src), extents(dst)) else {
        return;
    };
    // `block`: bytes that lie together in both, grown by every trailing dimension that both hold whole.
    let (mut block, mut rank) = (element, src.len());
    while rank > 0 && src[rank - 1] == dst[rank - 1] {
        rank -= 1;
        block *= src_extents[rank] as usize;
    }
    let mut axes = Vec::with_capacity(rank);
    let (mut src_stride, mut dst_stride) = (1, 1);
    for d in (0..rank).rev() {
        axes.push(Axis { stretches: stretches(&src[d], &dst[d]), src_stride, dst_stride });
        src_stride *= src_extents[d] as usize;
        dst_stride *= dst_extents[d] as usize;
    }
    axes.reverse();
    copy_axes(&axes, block, src_bytes, 0, dst_bytes, 0);
}

/// `src_at`, `dst_at` count blocks.
fn copy_axes(axes: &[Axis], block: usize, src: &[u8], src_at: usize, dst: &mut [u8], dst_at: usize) {
    let Some((axis, inner)) = axes.split_first() else {
        dst[dst_at * block..][..block].copy_from_slice(&src[src_at * block..][..block]);
        return;
    };
    for s in &axis.stretches {
        let (src_from, dst_from) = (src_at + s.src * axis.src_stride, dst_at + s.dst * axis.dst_stride);
        if inner.is_empty() {
            let len = s.len * block;
            dst[dst_from * block..][..len].copy_from_slice(&src[src_from * block..][..len]);
            continue;
        }
        for k in 0..s.len {
            copy_axes(inner, block, src, src_from + k * axis.src_stride, dst, dst_from + k * axis.dst_stride);
        }
    }
}

/// Whether two regions of one tensor share an element.
pub(super) fn overlap(a: &Region, b: &Region) -> bool {
    a.iter().zip(b).all(|(a, b)| !stretches(a, b).is_empty())
}

/// What coverage comes to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Coverage {
    /// Every element of the wanted region is in some piece.
    Full,
    /// This box of it is in none.
    Missing(Region),
    /// More than [`MAX_CELLS`] cells.
    TooFine,
}

/// Whether `pieces` cover `want` (overlaps allowed), judged on the common refinement of all intervals.
pub(super) fn coverage(want: &Region, pieces: &[&Region]) -> Coverage {
    let mut cells: Vec<Vec<(u64, u64)>> = Vec::with_capacity(want.len());
    for (d, wanted) in want.iter().enumerate() {
        let mut cuts: Vec<u64> = wanted.iter().flat_map(|&(lo, hi)| [lo, hi]).collect();
        cuts.extend(pieces.iter().flat_map(|p| p[d].iter().flat_map(|&(lo, hi)| [lo, hi])));
        cuts.sort_unstable();
        cuts.dedup();
        let inside = |c: &(u64, u64)| wanted.iter().any(|&(lo, hi)| lo <= c.0 && c.1 <= hi);
        cells.push(cuts.windows(2).map(|w| (w[0], w[1])).filter(inside).collect());
    }
    let count = cells.iter().try_fold(1usize, |n, c| n.checked_mul(c.len()).filter(|&n| n <= MAX_CELLS));
    let Some(count) = count else {
        return Coverage::TooFine;
    };
    let mut covered = vec![false; count];
    for piece in pieces {
        let within: Vec<Vec<usize>> = (cells.iter().zip(*piece))
            .map(|(cells, piece)| {
                let held = |c: &(u64, u64)| piece.iter().any(|&(lo, hi)| lo <= c.0 && c.1 <= hi);
                (0..cells.len()).filter(|&i| held(&cells[i])).collect()
            })
            .collect();
        mark(&cells, &within, 0, &mut covered);
    }
    match covered.iter().position(|&c| !c) {
        None => Coverage::Full,
        Some(mut at) => {
            let mut missing: Region = (cells.iter().rev())
                .map(|c| {
                    let cell = c[at % c.len()];
                    at /= c.len();
                    vec![cell]
                })
                .collect();
            missing.reverse();
            Coverage::Missing(missing)
        }
    }
}

/// Marks the cells whose index is in `within` in every dimension; `at` is the index over the dimensions done.
fn mark(cells: &[Vec<(u64, u64)>], within: &[Vec<usize>], at: usize, covered: &mut [bool]) {
    let (Some((first, cells)), Some((indices, within))) = (cells.split_first(), within.split_first()) else {
        covered[at] = true;
        return;
    };
    for &i in indices {
        mark(cells, within, at * first.len() + i, covered);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Intervals of a dimension, from which elements are in: neighbours are sometimes left unjoined.
    fn intervals(bits: &[u8]) -> Vec<(u64, u64)> {
        let mut out: Vec<(u64, u64)> = Vec::new();
        for (i, &bit) in bits.iter().enumerate() {
            let i = i as u64;
            match (bit, out.last_mut()) {
                (0, _) => {}
                (1, Some(last)) if last.1 == i => last.1 = i + 1,
                _ => out.push((i, i + 1)),
            }
        }
        out
    }

    /// Coordinates of a region's elements, in the order of its bytes.
    fn coordinates(region: &Region) -> Vec<Vec<u64>> {
        region.iter().fold(vec![Vec::new()], |outer, dim| {
            let inner: Vec<u64> = dim.iter().flat_map(|&(lo, hi)| lo..hi).collect();
            outer.iter().flat_map(|c| inner.iter().map(|&i| [c.as_slice(), &[i]].concat())).collect()
        })
    }

    fn regions(count: usize) -> impl Strategy<Value = (Vec<u64>, Vec<Region>)> {
        prop::collection::vec(0u64..5, 0..4).prop_flat_map(move |shape| {
            let dims: Vec<_> = shape.iter().map(|&n| prop::collection::vec(0u8..3, n as usize)).collect();
            let region = dims.prop_map(|bits| bits.iter().map(|b| intervals(b)).collect::<Region>());
            (Just(shape), prop::collection::vec(region, count))
        })
    }

    proptest! {
        #[test]
        fn copies_agree_with_coordinates((shape, both) in regions(2), element in 1usize..4) {
            let (src, dst) = (&both[0], &both[1]);
            prop_assert!(validate(src, &shape).is_ok());
            let (from, to) = (coordinates(src), coordinates(dst));
            prop_assert_eq!(byte_len(src, element), Some(from.len() * element));
            let src_bytes: Vec<u8> = (0..from.len() * element).map(|i| i as u8).collect();
            let mut dst_bytes = vec![255; to.len() * element];
            let mut expected = dst_bytes.clone();
            for (j, c) in to.iter().enumerate() {
                if let Some(i) = from.iter().position(|f| f == c) {
                    expected[j * element..][..element].copy_from_slice(&src_bytes[i * element..][..element]);
                }
            }
            copy_shared(src, &src_bytes, dst, &mut dst_bytes, element);
            prop_assert_eq!(dst_bytes, expected);
        }

        #[test]
        fn coverage_agrees_with_coordinates((_, all) in regions(4)) {
            let (want, pieces) = (&all[0], [&all[1], &all[2], &all[3]]);
            let held: Vec<_> = pieces.iter().flat_map(|p| coordinates(p)).collect();
            match coverage(want, &pieces) {
                Coverage::Full => prop_assert!(coordinates(want).iter().all(|c| held.contains(c))),
                Coverage::Missing(cell) => {
                    let cell = coordinates(&cell);
                    prop_assert!(!cell.is_empty());
                    prop_assert!(cell.iter().all(|c| coordinates(want).contains(c) && !held.contains(c)));
                }
                Coverage::TooFine => prop_assert!(false, "few cells"),
            }
        }
    }

    #[test]
    fn ill_formed_regions_are_refused() {
        for bad in
            [vec![vec![(0, 0)]], vec![vec![(2, 1)]], vec![vec![(2, 3), (0, 1)]], vec![vec![(0, 6)]], vec![]]
        {
            assert!(validate(&bad, &[5]).is_err(), "{bad:?}");
        }
        assert_eq!(byte_len(&vec![vec![(0, u64::MAX)], vec![(0, 2)]], 1), None);
        assert_eq!(byte_len(&vec![vec![(1, 0)]], 1), None);
    }

    #[test]
    fn absurdly_fine_partitions_are_not_judged() {
        let fine: Vec<(u64, u64)> = (0..3000).map(|i| (2 * i, 2 * i + 1)).collect();
        let region = vec![fine.clone(), fine];
        assert_eq!(coverage(&region, &[&region]), Coverage::TooFine);
    }
}
