//! Interned cut tables, and how they pass through access maps.

use pullback_base::{Id, IdMap};
use pullback_ir::access::{AccessMap, DimMap, FactorId};
use pullback_ir::region::IntervalSet;
use pullback_plan::{AxisId, Coord, Cut, CutId, Mesh};
use std::collections::BTreeMap;

/// All cut tables of a plan in the making; equal tables have one id.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cuts {
    pub table: IdMap<CutId, Cut>,
    index: BTreeMap<Cut, CutId>,
}

impl Cuts {
    pub fn intern(&mut self, cut: Cut) -> CutId {
        match self.index.get(&cut) {
            Some(&id) => id,
            None => {
                let id = self.table.push(cut.clone());
                self.index.insert(cut, id);
                id
            }
        }
    }

    /// The box of an op at a coordinate.
    pub fn boxed(
        &self,
        access: &AccessMap,
        factors: &[Option<CutId>],
        mesh: &Mesh,
        coord: &Coord,
    ) -> Vec<IntervalSet> {
        let set = |(f, cut): (&pullback_ir::access::Factor, &Option<CutId>)| match cut {
            Some(c) => self.table[*c].at(mesh, coord).cloned().unwrap_or_default(),
            None => IntervalSet::full(f.size),
        };
        access.factors.iter().zip(factors).map(set).collect()
    }

    /// The cut of a dimension of size `n` that follows from the cuts of its factors; none when no factor is cut
    /// or the images do not tile the dimension.
    pub fn image(
        &mut self,
        map: &DimMap,
        n: usize,
        access: &AccessMap,
        factors: &[Option<CutId>],
        mesh: &Mesh,
    ) -> Option<CutId> {
        let involved: Vec<FactorId> = match map {
            DimMap::Whole => return None,
            DimMap::Factors(fs) => fs.iter().copied().filter(|&f| factors[f].is_some()).collect(),
            DimMap::Affine { factor, .. } => {
                Some(*factor).filter(|&f| factors[f].is_some()).into_iter().collect()
            }
        };
        let [first, ..] = involved[..] else { return None };
        if let (DimMap::Factors(fs), [_]) = (map, &involved[..])
            && fs.len() == 1
        {
            return factors[first];
        }
        let axes: Vec<AxisId> =
            involved.iter().filter_map(|&f| factors[f]).flat_map(|c| self.table[c].axes.clone()).collect();
        let sets = coords_over(mesh, &axes).into_iter().map(|coord| {
            let boxed = self.boxed(access, factors, mesh, &coord);
            image_set(map, n, access, &boxed)
        });
        let cut = Cut { size: n, sets: sets.collect(), axes };
        cut.is_partition().then(|| self.intern(cut))
    }

    /// The factor that takes a dimension's cut, and its cut; none when the dimension's sets are not boxes of
    /// one factor.
    pub fn preimage(&mut self, map: &DimMap, cut: CutId, access: &AccessMap) -> Option<(FactorId, CutId)> {
        let cut_data = self.table[cut].clone();
        match map {
            DimMap::Whole => None,
            DimMap::Factors(fs) => match fs[..] {
                [] => None,
                [f] => (access.factors[f].size == cut_data.size).then_some((f, cut)),
                [..] => (0..fs.len()).find_map(|k| {
                    let sets = digit_sets(fs, k, access, &cut_data)?;
                    let c = Cut { size: access.factors[fs[k]].size, axes: cut_data.axes.clone(), sets };
                    c.is_partition().then(|| (fs[k], self.intern(c)))
                }),
            },
            DimMap::Affine { factor, mul, add, div } => {
                let size = access.factors[*factor].size;
                let sets = cut_data.sets.iter().map(|s| s.affine_preimage(*mul, *add, *div, size)).collect();
                let c = Cut { size, axes: cut_data.axes, sets };
                c.is_partition().then(|| (*factor, self.intern(c)))
            }
        }
    }
}

/// For each set of `cut`, the values of digit `k` of the mixed radix, when the set is exactly those digits with
/// all other digits free.
fn digit_sets(fs: &[FactorId], k: usize, access: &AccessMap, cut: &Cut) -> Option<Vec<IntervalSet>> {
    let size = |f: &FactorId| access.factors[*f].size;
    let major: usize = fs[..k].iter().map(size).product();
    let minor: usize = fs[k + 1..].iter().map(size).product();
    let own = size(&fs[k]);
    let one = |set: &IntervalSet| {
        let digits = IntervalSet::from_intervals(set.intervals().iter().flat_map(|&(lo, hi)| {
            // A run of indices covers a run of digits (possibly wrapping into all of them).
            let (a, b) = (lo / minor, (hi - 1) / minor);
            if b - a + 1 >= own || a / own != b / own {
                match b - a + 1 >= own {
                    true => vec![(0, own)],
                    false => vec![(a % own, own), (0, b % own + 1)],
                }
            } else {
                vec![(a % own, b % own + 1)]
            }
        }));
        let back = IntervalSet::full(major).product(&digits, own).product(&IntervalSet::full(minor), minor);
        (back == *set).then_some(digits)
    };
    cut.sets.iter().map(one).collect()
}

/// The indices of a dimension of size `n` that a box touches.
fn image_set(map: &DimMap, n: usize, access: &AccessMap, boxed: &[IntervalSet]) -> IntervalSet {
    match map {
        DimMap::Whole => IntervalSet::full(n),
        DimMap::Affine { factor, mul, add, div } => boxed[*factor].affine(*mul, *add, *div, n),
        DimMap::Factors(fs) => {
            let one = IntervalSet::full(1);
            fs.iter().fold(one, |major, &f| major.product(&boxed[f], access.factors[f].size))
        }
    }
}

/// A coordinate of the mesh for each coordinate of `axes`, row-major, 0 elsewhere.
pub(crate) fn coords_over(mesh: &Mesh, axes: &[AxisId]) -> Vec<Coord> {
    let mut out = vec![vec![0; mesh.axes.len()]];
    for a in axes {
        let n = mesh.axis(*a).size;
        out = out
            .into_iter()
            .flat_map(|c| {
                (0..n).map(move |i| {
                    let mut c = c.clone();
                    c[a.index()] = i;
                    c
                })
            })
            .collect();
    }
    out
}
