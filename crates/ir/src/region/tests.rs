//! Interval sets and regions against plain sets of members.

use super::{IntervalSet, Region};
use proptest::prelude::*;
use std::collections::BTreeSet;

type Members = BTreeSet<usize>;

/// Any set of members below 24, given as intervals in any order that may overlap, touch or be empty.
fn intervals() -> impl Strategy<Value = Vec<(usize, usize)>> {
    prop::collection::vec((0usize..24, 0usize..24), 0..6)
}

fn sets() -> impl Strategy<Value = IntervalSet> {
    intervals().prop_map(IntervalSet::from_intervals)
}

fn members(s: &IntervalSet) -> Members {
    s.iter().collect()
}

/// The canonical form of a set.
fn canonical(m: &Members) -> IntervalSet {
    let mut intervals: Vec<(usize, usize)> = Vec::new();
    for &i in m {
        match intervals.last_mut() {
            Some(last) if last.1 == i => last.1 += 1,
            Some(_) | None => intervals.push((i, i + 1)),
        }
    }
    IntervalSet { intervals }
}

/// { (m * mul + add) / div : whole, in 0..n }
fn affine(m: &Members, (mul, add, div): (i64, i64, i64), n: usize) -> Members {
    let values = m.iter().map(|&m| m as i64 * mul + add).filter(|v| v % div == 0);
    values.map(|v| v / div).filter(|&v| v >= 0 && v < n as i64).map(|v| v as usize).collect()
}

fn maps() -> impl Strategy<Value = (i64, i64, i64)> {
    let mul = prop_oneof![Just(1i64), Just(-1), 2..4i64, -3..-1i64];
    (mul, -30..30i64, prop_oneof![Just(1i64), 1..4i64])
}

proptest! {
    #[test]
    fn a_set_is_its_members(pieces in intervals()) {
        let set = IntervalSet::from_intervals(pieces.iter().copied());
        let want: Members = pieces.iter().flat_map(|&(lo, hi)| lo..hi).collect();
        prop_assert_eq!(&members(&set), &want);
        prop_assert_eq!(&set, &canonical(&want));
        prop_assert_eq!(set.len(), want.len());
        prop_assert_eq!(set.is_empty(), want.is_empty());
        prop_assert_eq!(set.end(), want.last().map_or(0, |m| m + 1));
        for i in 0..25 {
            prop_assert_eq!(set.contains(i), want.contains(&i));
            prop_assert_eq!(set.is_full(i), want == (0..i).collect());
        }
    }

    #[test]
    fn two_sets(a in sets(), b in sets()) {
        let (x, y) = (members(&a), members(&b));
        prop_assert_eq!(a.union(&b), canonical(&(&x | &y)));
        prop_assert_eq!(a.intersect(&b), canonical(&(&x & &y)));
        prop_assert_eq!(a.difference(&b), canonical(&(&x - &y)));
        prop_assert_eq!(a.is_subset(&b), x.is_subset(&y));
        // The part of b in a, in the compact order of a.
        let order: Vec<usize> = a.iter().collect();
        let positions = (0..order.len()).filter(|&p| y.contains(&order[p])).collect();
        prop_assert_eq!(a.intersect(&b).relative_to(&a), canonical(&positions));
    }

    #[test]
    fn affine_maps(a in sets(), (mul, add, div) in maps(), n in 0usize..30) {
        let image = affine(&members(&a), (mul, add, div), n);
        prop_assert_eq!(a.affine(mul, add, div, n), canonical(&image));
        let preimage = (0..n).filter(|&j| {
            affine(&Members::from([j]), (mul, add, div), usize::MAX >> 1).iter().any(|&v| a.contains(v))
        });
        prop_assert_eq!(a.affine_preimage(mul, add, div, n), canonical(&preimage.collect()));
    }

    #[test]
    fn products(major in sets(), minor in sets(), size in 0usize..26) {
        let minor = minor.intersect(&IntervalSet::full(size));
        let (x, y) = (members(&major), members(&minor));
        let want = x.iter().flat_map(|a| y.iter().map(move |b| a * size + b)).collect();
        prop_assert_eq!(major.product(&minor, size), canonical(&want));
    }

    #[test]
    fn text_round_trips(a in sets()) {
        prop_assert_eq!(a.to_string().parse::<IntervalSet>(), Ok(a));
    }

    /// What parses prints as it was: a set has one text.
    #[test]
    fn texts_are_canonical(text in "(none|[0-9+.]{0,12}|[0-9]{1,2}\\.\\.[0-9]{1,2}(\\+[0-9]{1,2}\\.\\.[0-9]{1,2})?)") {
        if let Ok(set) = text.parse::<IntervalSet>() {
            prop_assert_eq!(set.to_string(), text);
        }
    }

    #[test]
    fn regions(a in (sets(), sets()), b in (sets(), sets())) {
        let region = |(x, y): &(IntervalSet, IntervalSet)| Region::new(vec![x.clone(), y.clone()]);
        let elements = |r: &Region| -> BTreeSet<(usize, usize)> {
            r.dims()[0].iter().flat_map(|i| r.dims()[1].iter().map(move |j| (i, j))).collect()
        };
        let (r, s) = (region(&a), region(&b));
        let (x, y) = (elements(&r), elements(&s));
        prop_assert_eq!(r.count(), x.len());
        prop_assert_eq!(r.shape(), [a.0.len(), a.1.len()]);
        prop_assert_eq!(r.is_empty(), x.is_empty());
        prop_assert_eq!(r.is_subset(&s), x.is_subset(&y));
        let both = r.intersect(&s);
        prop_assert_eq!(elements(&both), &x & &y);
        prop_assert_eq!(r.is_full(&[3, 2]), a.0.is_full(3) && a.1.is_full(2));
        // Positions of the common part in the compact buffer of r.
        let order: Vec<(usize, usize)> = x.iter().copied().collect();
        let width = a.1.len();
        let at: BTreeSet<(usize, usize)> =
            (0..order.len()).filter(|&p| y.contains(&order[p])).map(|p| (p / width, p % width)).collect();
        prop_assert_eq!(elements(&both.relative_to(&r)), at);
    }
}

#[test]
fn a_rank_0_region_holds_one_element() {
    let r = Region::full(&[]);
    assert_eq!((r.count(), r.is_empty(), r.to_string()), (1, false, "[]".to_owned()));
    assert_eq!(Region::full(&[4, 0]).to_string(), "[0..4, none]");
}

#[test]
fn malformed_texts_are_refused() {
    let refused = [
        "",
        " ",
        "none ",
        "0..",
        "..4",
        "0...4",
        "4",
        "0..4+",
        "+0..4",
        "0..4++5..6",
        "4..4",
        "5..4",
        "0..4+4..6",
        "0..4+2..6",
        "6..8+0..4",
        "-1..4",
        "0..4,5..6",
        "0x1..4",
        "00..4",
        "0..04",
        "0..99999999999999999999",
        "0..70368744177665",
        "0..4\n",
        "0..4 + 5..6",
        "none+0..4",
        "Ⅰ..4",
    ];
    for text in refused {
        assert!(text.parse::<IntervalSet>().is_err(), "{text:?}");
    }
    let message = "0..4+9".parse::<IntervalSet>().unwrap_err();
    assert!(message.contains("\"9\""), "{message}");
}
