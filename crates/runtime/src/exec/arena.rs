//! One aligned block of memory per device, divided by the plan's offsets.

use pullback_eval::AlignedBytes;
use std::ops::Range;

/// The memory of a device's buffers.
pub struct Arena {
    bytes: AlignedBytes,
}

impl Arena {
    /// Zeroed memory; `None` when there is not that much.
    pub fn new(len: usize) -> Option<Self> {
        AlignedBytes::try_zeroed(len).ok().map(|bytes| Self { bytes })
    }

    /// Bytes of a range. Panics outside of the arena; ranges come from a checked plan.
    pub fn view(&self, range: Range<usize>) -> &[u8] {
        &self.bytes.as_slice()[range]
    }

    /// Bytes of a range, to write.
    pub fn view_mut(&mut self, range: Range<usize>) -> &mut [u8] {
        &mut self.bytes.as_mut_slice()[range]
    }

    /// Ranges to read and ranges to write at once; `None` when a written range overlaps another. Read ranges may
    /// repeat and overlap each other.
    pub fn split(
        &mut self,
        reads: &[Range<usize>],
        writes: &[Range<usize>],
    ) -> Option<(Vec<&[u8]>, Vec<&mut [u8]>)> {
        let mut order: Vec<usize> = (0..writes.len()).collect();
        order.sort_by_key(|&i| (writes[i].start, writes[i].end));
        let mut written: Vec<Option<&mut [u8]>> = writes.iter().map(|_| None).collect();
        // Cut the written ranges out; what lies between them stays readable.
        let mut gaps: Vec<(usize, &[u8])> = Vec::new();
        let mut rest = self.bytes.as_mut_slice();
        let mut at = 0;
        for i in order {
            let w = &writes[i];
            if w.is_empty() {
                written[i] = Some(&mut []);
                continue;
            }
            let (gap, tail) = rest.split_at_mut_checked(w.start.checked_sub(at)?)?;
            let (own, tail) = tail.split_at_mut_checked(w.end - w.start)?;
            gaps.push((at, gap));
            written[i] = Some(own);
            rest = tail;
            at = w.end;
        }
        gaps.push((at, rest));
        let find = |r: &Range<usize>| -> Option<&[u8]> {
            if r.is_empty() {
                return Some(&[]);
            }
            let k = gaps.partition_point(|(start, _)| *start <= r.start).checked_sub(1)?;
            let (start, gap) = gaps[k];
            gap.get(r.start - start..r.end - start)
        };
        let reads = reads.iter().map(find).collect::<Option<Vec<_>>>()?;
        Some((reads, written.into_iter().collect::<Option<Vec<_>>>()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::single_range_in_vec_init, reason = "lists of one range are meant")]
    fn reads_and_writes_are_apart() {
        let mut a = Arena::new(256).unwrap();
        a.view_mut(0..8).fill(7);
        {
            let (r, w) = a.split(&[0..8, 4..8, 32..32], &[64..72, 16..24]).unwrap();
            assert_eq!((r[0].len(), r[1].len(), r[2].len(), w.len()), (8, 4, 0, 2));
            for x in w {
                x.copy_from_slice(r[0]);
            }
        }
        assert_eq!(a.view(16..24), [7; 8]);
        assert!(a.split(&[0..8], &[4..12]).is_none());
        assert!(a.split(&[], &[0..8, 4..12]).is_none());
        assert!(a.split(&[0..8], &[0..300]).is_none());
    }
}
