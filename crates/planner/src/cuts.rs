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

    /// The cut without an axis: a coordinate of the others has all that it has along that one. None when no axis
    /// is left.
    pub fn without(&mut self, cut: CutId, axis: AxisId, mesh: &Mesh) -> Option<CutId> {
        let old = self.table[cut].clone();
        let axes: Vec<AxisId> = old.axes.iter().copied().filter(|&a| a != axis).collect();
        let along = |coord: Coord| {
            let sets = (0..mesh.axis(axis).size).filter_map(|i| {
                let mut coord = coord.clone();
                coord[axis.index()] = i;
                old.at(mesh, &coord)
            });
            IntervalSet::from_intervals(sets.flat_map(|s| s.intervals().iter().copied()))
        };
        let sets: Vec<IntervalSet> = coords_over(mesh, &axes).into_iter().map(along).collect();
        (!axes.is_empty()).then(|| self.intern(Cut { size: old.size, axes, sets }))
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

#[cfg(test)]
mod tests {
    use super::*;
    use pullback_base::Id;
    use pullback_ir::{DType, DotDims, Op, TensorType};
    use pullback_plan::{Axis, AxisKind};

    fn access(op: Op, shapes: &[&[usize]]) -> AccessMap {
        let types: Vec<TensorType> = shapes.iter().map(|&s| TensorType::new(DType::F32, s)).collect();
        AccessMap::of(&op, &types.iter().collect::<Vec<_>>()).unwrap()
    }

    /// A mesh of space axes of these sizes.
    fn mesh(sizes: &[usize]) -> Mesh {
        let axis = |(i, &size): (usize, &usize)| Axis { name: format!("a{i}"), kind: AxisKind::Space, size };
        let devices: Vec<String> = (0..sizes.iter().product()).map(|i| format!("d{i}")).collect();
        Mesh::new(sizes.iter().enumerate().map(axis).collect(), &devices).unwrap()
    }

    /// A cut of `size` by one axis, the sets as text.
    fn cut(axis: usize, size: usize, sets: &[&str]) -> Cut {
        let sets: Vec<IntervalSet> = sets.iter().map(|s| s.parse().unwrap()).collect();
        let cut = Cut { size, axes: vec![AxisId::from_index(axis)], sets };
        assert!(cut.is_partition());
        cut
    }

    fn texts(cuts: &Cuts, id: CutId) -> Vec<String> {
        cuts.table[id].sets.iter().map(IntervalSet::to_string).collect()
    }

    /// The cut of operand dimension `d` when factor `f` alone is cut.
    fn image(cuts: &mut Cuts, a: &AccessMap, map: &DimMap, n: usize, f: usize, c: Cut) -> Option<CutId> {
        let mut factors = vec![None; a.factors.len()];
        let mesh = mesh(&[c.sets.len()]);
        factors[f] = Some(cuts.intern(c));
        cuts.image(map, n, a, &factors, &mesh)
    }

    #[test]
    fn equal_tables_have_one_id() {
        let mut cuts = Cuts::default();
        let first = cuts.intern(cut(0, 4, &["0..1", "1..4"]));
        assert_eq!(cuts.intern(cut(0, 4, &["0..1", "1..4"])), first);
        assert_ne!(cuts.intern(cut(1, 4, &["0..1", "1..4"])), first);
        assert_ne!(cuts.intern(cut(0, 4, &["0..2", "2..4"])), first);
    }

    #[test]
    fn batch_through_a_flattening_reshape() {
        let a = access(Op::Reshape { shape: vec![1536] }, &[&[12, 128]]);
        let mut cuts = Cuts::default();
        let batch = cut(0, 12, &["0..5", "5..12", "none"]);
        let id = cuts.intern(batch.clone());
        let (f, c) = cuts.preimage(&a.operands[0][0], id, &a).unwrap();
        assert_eq!((a.factors[f].size, c), (12, id));
        let flat = image(&mut cuts, &a, &a.results[0][0], 1536, f, batch).unwrap();
        assert_eq!(texts(&cuts, flat), ["0..640", "640..1536", "none"]);
        // And back: the flat cut is one of the batch.
        assert_eq!(cuts.preimage(&a.results[0][0], flat, &a), Some((f, id)));
    }

    #[test]
    fn strided_sets_are_the_minor_factor() {
        let a = access(Op::Reshape { shape: vec![12] }, &[&[3, 4]]);
        let mut cuts = Cuts::default();
        let columns = cuts.intern(cut(0, 12, &["0..1+4..5+8..9", "1..4+5..8+9..12"]));
        let (f, c) = cuts.preimage(&a.results[0][0], columns, &a).unwrap();
        assert_eq!((a.factors[f].size, texts(&cuts, c)), (4, vec!["0..1".to_owned(), "1..4".to_owned()]));
        // Runs that wrap around a row of columns.
        let wrapped = cuts.intern(cut(0, 12, &["0..1+3..5+7..9+11..12", "1..3+5..7+9..11"]));
        let (_, c) = cuts.preimage(&a.results[0][0], wrapped, &a).unwrap();
        assert_eq!(texts(&cuts, c), ["0..1+3..4", "1..3"]);
    }

    #[test]
    fn sets_that_are_no_box_of_one_factor_have_no_preimage() {
        let a = access(Op::Reshape { shape: vec![12, 128] }, &[&[1536]]);
        let mut cuts = Cuts::default();
        for sets in [["0..100", "100..1536"], ["0..64+128..256", "64..128+256..1536"]] {
            let id = cuts.intern(cut(0, 1536, &sets));
            assert_eq!(cuts.preimage(&a.operands[0][0], id, &a), None, "{sets:?}");
        }
        // Sizes that do not refine each other: read whole.
        let a = access(Op::Reshape { shape: vec![6, 4] }, &[&[4, 6]]);
        let id = cuts.intern(cut(0, 4, &["0..2", "2..4"]));
        assert_eq!(cuts.preimage(&a.operands[0][0], id, &a), None);
        // A dimension of size 1 that is repeated.
        let a = access(Op::BroadcastInDim { shape: vec![5], dims: vec![0] }, &[&[1]]);
        let id = cuts.intern(cut(0, 1, &["none", "0..1"]));
        assert_eq!(cuts.preimage(&a.operands[0][0], id, &a), None);
    }

    /// Columns of q, k and v side by side, cut by heads: each slice sees its heads, and so do its reshape and the
    /// pad that is the slice's transpose.
    #[test]
    fn heads_of_a_joint_projection() {
        let mut cuts = Cuts::default();
        let joint = cuts.intern(cut(0, 384, &["0..96+128..224+256..352", "96..128+224..256+352..384"]));
        for i in 0..3 {
            let slice =
                Op::Slice { starts: vec![0, i * 128], limits: vec![7, (i + 1) * 128], strides: vec![1, 1] };
            let a = access(slice, &[&[7, 384]]);
            let (f, own) = cuts.preimage(&a.operands[0][1], joint, &a).unwrap();
            assert_eq!((f, texts(&cuts, own)), (1, vec!["0..96".to_owned(), "96..128".to_owned()]), "{i}");
            // The slice's cut says nothing of the columns that it leaves out.
            let own_cut = cuts.table[own].clone();
            assert_eq!(image(&mut cuts, &a, &a.operands[0][1], 384, f, own_cut), None, "{i}");

            let r = access(Op::Reshape { shape: vec![7, 4, 32] }, &[&[7, 128]]);
            let (f, heads) = cuts.preimage(&r.operands[0][1], own, &r).unwrap();
            assert_eq!(texts(&cuts, heads), ["0..3", "3..4"]);
            let heads_cut = cuts.table[heads].clone();
            assert_eq!(image(&mut cuts, &r, &r.results[0][1], 4, f, heads_cut), Some(heads));
            assert_eq!(cuts.preimage(&r.results[0][1], heads, &r), Some((f, heads)));

            let low = (i * 128) as i64;
            let pad = Op::Pad { low: vec![0, low], high: vec![0, 256 - low], interior: vec![0, 0] };
            let p = access(pad, &[&[7, 128], &[]]);
            let joint_cut = cuts.table[joint].clone();
            assert_eq!(image(&mut cuts, &p, &p.operands[0][1], 128, 1, joint_cut), Some(own), "{i}");
            // A cut of the operand alone leaves the padding without an owner.
            assert_eq!(cuts.preimage(&p.operands[0][1], own, &p), None, "{i}");
        }
    }

    #[test]
    fn two_axes_make_a_grid() {
        let a = access(Op::Reshape { shape: vec![6] }, &[&[2, 3]]);
        let mut cuts = Cuts::default();
        let rows = cuts.intern(cut(0, 2, &["0..1", "1..2"]));
        let columns = cuts.intern(cut(1, 3, &["0..2", "2..3"]));
        let factors = vec![Some(rows), Some(columns)];
        let grid = cuts.image(&a.results[0][0], 6, &a, &factors, &mesh(&[2, 2])).unwrap();
        assert_eq!(texts(&cuts, grid), ["0..2", "2..3", "3..5", "5..6"]);
        assert_eq!(cuts.table[grid].axes, [AxisId::from_index(0), AxisId::from_index(1)]);
    }

    #[test]
    fn a_contraction_cuts_both_operands_alike() {
        let d = DotDims { lhs_contract: vec![1], rhs_contract: vec![0], ..DotDims::default() };
        let a = access(Op::DotGeneral(d), &[&[2, 5], &[5, 3]]);
        let mut cuts = Cuts::default();
        let id = cuts.intern(cut(0, 5, &["0..1+4..5", "1..4"]));
        let (f, c) = cuts.preimage(&a.operands[0][1], id, &a).unwrap();
        assert_eq!(cuts.preimage(&a.operands[1][0], id, &a), Some((f, c)));
        let factors: Vec<Option<CutId>> = (0..a.factors.len()).map(|k| (k == f).then_some(c)).collect();
        let m = mesh(&[2]);
        assert_eq!(cuts.image(&a.operands[1][0], 5, &a, &factors, &m), Some(id));
        assert_eq!(cuts.image(&a.operands[1][1], 3, &a, &factors, &m), None);
        assert_eq!(cuts.image(&a.results[0][0], 2, &a, &factors, &m), None);
        let boxed = cuts.boxed(&a, &factors, &m, &vec![1]);
        assert_eq!(boxed[f].to_string(), "1..4");
        assert!((0..boxed.len()).all(|k| k == f || boxed[k].is_full(a.factors[k].size)));
    }

    #[test]
    fn a_reversal_turns_sets_around() {
        let a = access(Op::Reverse { dims: vec![0] }, &[&[5]]);
        let mut cuts = Cuts::default();
        let id = cuts.intern(cut(0, 5, &["0..1+2..3", "1..2+3..5"]));
        let (f, c) = cuts.preimage(&a.operands[0][0], id, &a).unwrap();
        assert_eq!(texts(&cuts, c), ["2..3+4..5", "0..2+3..4"]);
        let back = cuts.table[c].clone();
        assert_eq!(image(&mut cuts, &a, &a.operands[0][0], 5, f, back), Some(id));
    }

    #[test]
    fn coordinates_go_row_major() {
        let m = mesh(&[2, 3]);
        let axes = [AxisId::from_index(1), AxisId::from_index(0)];
        let want = [[0, 0], [1, 0], [0, 1], [1, 1], [0, 2], [1, 2]].map(|c| c.to_vec());
        assert_eq!(coords_over(&m, &axes), want);
        assert_eq!(coords_over(&m, &[]), [vec![0, 0]]);
    }
}
