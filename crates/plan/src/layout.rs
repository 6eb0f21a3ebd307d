//! Cuts and layouts: what the bytes of a value mean at each coordinate of the mesh.
//!
//! A [`Cut`] says, for one dimension (or one factor of an op's iteration space), which indices each coordinate
//! of some axes has. A [`Layout`] gives each dimension of a value a cut or none, and marks axes over which the
//! value is *pending*: what the coordinates hold are contributions that combine to the value. Axes that
//! neither cut nor are pending replicate.

use crate::mesh::{AxisId, Coord, Mesh};
use pullback_base::{Id, IdMap, define_id};
use pullback_ir::Monoid;
use pullback_ir::region::{IntervalSet, Region};

define_id!(
    /// A cut table of a plan.
    CutId,
    "c"
);

/// Which of `0..size` each coordinate of `axes` has. The sets are disjoint and cover `0..size` (the checker
/// proves it; the type does not).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Cut {
    /// Size of what is cut.
    pub size: usize,
    /// The axes that cut it.
    pub axes: Vec<AxisId>,
    /// A set per coordinate of `axes`, row-major.
    pub sets: Vec<IntervalSet>,
}

impl Cut {
    /// The set at a coordinate of the mesh; `None` when the table is too short or names an axis that is not there.
    pub fn at(&self, mesh: &Mesh, coord: &Coord) -> Option<&IntervalSet> {
        let index = self.axes.iter().try_fold(0usize, |i, a| {
            let size = mesh.axes.get(a.index())?.size;
            i.checked_mul(size)?.checked_add(*coord.get(a.index())?)
        });
        self.sets.get(index?)
    }

    /// Whether the sets are disjoint and cover `0..size`.
    pub fn is_partition(&self) -> bool {
        let total = self.sets.iter().fold(0usize, |n, s| n.saturating_add(s.len()));
        let all = IntervalSet::from_intervals(self.sets.iter().flat_map(|s| s.intervals().iter().copied()));
        total == self.size && all.is_full(self.size)
    }
}

/// A value that is still to be combined.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Pending {
    /// How contributions combine.
    pub monoid: Monoid,
    /// One contribution per coordinate of these axes, increasing.
    pub axes: Vec<AxisId>,
}

/// What the bytes of a value mean.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Layout {
    /// Cut of each dimension, or none: the whole dimension.
    pub dims: Vec<Option<CutId>>,
    /// Axes still to be combined.
    pub pending: Option<Pending>,
}

impl Layout {
    /// Every coordinate has all of a value of this rank.
    pub fn replicated(rank: usize) -> Self {
        Self { dims: vec![None; rank], pending: None }
    }

    /// The region of a value of this shape at a coordinate; `None` when a cut table is too short.
    pub fn region(
        &self,
        cuts: &IdMap<CutId, Cut>,
        mesh: &Mesh,
        shape: &[usize],
        coord: &Coord,
    ) -> Option<Region> {
        let dims = self.dims.iter().zip(shape).map(|(cut, &n)| match cut {
            Some(c) => cuts.get(*c)?.at(mesh, coord).cloned(),
            None => Some(IntervalSet::full(n)),
        });
        dims.collect::<Option<Vec<_>>>().map(Region::new)
    }

    /// Axes that cut some dimension.
    pub fn cut_axes(&self, cuts: &IdMap<CutId, Cut>) -> Vec<AxisId> {
        let mut axes: Vec<AxisId> =
            self.dims.iter().flatten().flat_map(|c| cuts[*c].axes.iter().copied()).collect();
        axes.sort_unstable();
        axes
    }

    /// Axes pending, none when whole.
    pub fn pending_axes(&self) -> &[AxisId] {
        self.pending.as_ref().map_or(&[], |p| &p.axes)
    }
}

/// Whole-number parts of `n` in proportion to `shares`, in steps of `granule`, each at most one step from its
/// exact part (rounding the running total). When the shares sum to the number of steps they are the parts.
pub fn split(n: usize, shares: &[u64], granule: usize) -> Vec<(usize, usize)> {
    let steps = n.div_ceil(granule.max(1)) as u128;
    let total: u128 = shares.iter().map(|&s| u128::from(s)).sum::<u128>().max(1);
    let mut sum = 0u128;
    let mut lo = 0;
    shares
        .iter()
        .map(|&s| {
            sum += u128::from(s);
            let hi = (((sum * steps * 2 + total) / (2 * total)) as usize * granule.max(1)).min(n);
            let part = (lo, hi.max(lo));
            lo = part.1;
            part
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_that_fit_are_the_parts() {
        assert_eq!(split(12, &[6, 4, 2], 1), [(0, 6), (6, 10), (10, 12)]);
        assert_eq!(split(12, &[12, 0, 0], 1), [(0, 12), (12, 12), (12, 12)]);
        assert_eq!(split(128, &[2, 1, 1], 32), [(0, 64), (64, 96), (96, 128)]);
        assert_eq!(split(10, &[1, 1, 1], 4), [(0, 4), (4, 8), (8, 10)]);
    }
}
