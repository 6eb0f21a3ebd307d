//! Regions of an index space: products over dimensions of interval sets.
//!
//! A set is kept sorted, disjoint and merged, so equal sets compare equal. A *compact* buffer of a region holds
//! its elements row-major, each dimension's intervals one after the other.

#[cfg(test)]
mod tests;

use std::fmt;

/// A set of whole numbers as half-open intervals, increasing, disjoint, not touching.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct IntervalSet {
    intervals: Vec<(usize, usize)>,
}

impl IntervalSet {
    /// The empty set.
    pub fn empty() -> Self {
        Self::default()
    }

    /// 0..n.
    pub fn full(n: usize) -> Self {
        Self::interval(0, n)
    }

    /// lo..hi, empty unless lo < hi.
    pub fn interval(lo: usize, hi: usize) -> Self {
        Self { intervals: if lo < hi { vec![(lo, hi)] } else { Vec::new() } }
    }

    /// The union of intervals given in any order; empty ones are dropped.
    pub fn from_intervals(intervals: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut all: Vec<(usize, usize)> = intervals.into_iter().filter(|&(lo, hi)| lo < hi).collect();
        all.sort_unstable();
        let mut merged: Vec<(usize, usize)> = Vec::with_capacity(all.len());
        for (lo, hi) in all {
            match merged.last_mut() {
                Some(last) if lo <= last.1 => last.1 = last.1.max(hi),
                Some(_) | None => merged.push((lo, hi)),
            }
        }
        Self { intervals: merged }
    }

    /// The intervals, increasing.
    pub fn intervals(&self) -> &[(usize, usize)] {
        &self.intervals
    }

    /// Number of members.
    pub fn len(&self) -> usize {
        self.intervals.iter().map(|(lo, hi)| hi - lo).sum()
    }

    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.intervals.is_empty()
    }

    /// One past the largest member; 0 when empty.
    pub fn end(&self) -> usize {
        self.intervals.last().map_or(0, |&(_, hi)| hi)
    }

    /// Whether it is 0..n.
    pub fn is_full(&self, n: usize) -> bool {
        *self == Self::full(n)
    }

    /// Members in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.intervals.iter().flat_map(|&(lo, hi)| lo..hi)
    }

    /// Whether `i` is a member.
    pub fn contains(&self, i: usize) -> bool {
        self.intervals.iter().any(|&(lo, hi)| lo <= i && i < hi)
    }

    /// Members of both.
    pub fn intersect(&self, other: &Self) -> Self {
        let (mut i, mut j) = (0, 0);
        let mut out = Vec::new();
        while let (Some(&(a, b)), Some(&(c, d))) = (self.intervals.get(i), other.intervals.get(j)) {
            if a.max(c) < b.min(d) {
                out.push((a.max(c), b.min(d)));
            }
            if b < d { i += 1 } else { j += 1 }
        }
        Self { intervals: out }
    }

    /// Members of either.
    pub fn union(&self, other: &Self) -> Self {
        Self::from_intervals(self.intervals.iter().chain(&other.intervals).copied())
    }

    /// Members of `self` that are not in `other`.
    pub fn difference(&self, other: &Self) -> Self {
        let mut out = Vec::new();
        for &(lo, hi) in &self.intervals {
            let mut at = lo;
            for &(c, d) in &other.intervals {
                if d <= at || c >= hi {
                    continue;
                }
                out.push((at, c.max(at)));
                at = at.max(d);
            }
            out.push((at, hi));
        }
        Self::from_intervals(out)
    }

    /// Whether every member is in `other`.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.difference(other).is_empty()
    }

    /// Members as positions in the compact order of `whole`, of which `self` is a subset.
    pub fn relative_to(&self, whole: &Self) -> Self {
        let mut base = 0;
        let mut out = Vec::new();
        for &(lo, hi) in &whole.intervals {
            let piece = self.intersect(&Self::interval(lo, hi));
            out.extend(piece.intervals.iter().map(|&(a, b)| (a - lo + base, b - lo + base)));
            base += hi - lo;
        }
        Self::from_intervals(out)
    }

    /// { (m * mul + add) / div : m in self, divisible, result in 0..n }.
    pub fn affine(&self, mul: i64, add: i64, div: i64, n: usize) -> Self {
        let map = |m: usize| -> Option<usize> {
            let v = m as i64 * mul + add;
            (v.rem_euclid(div) == 0)
                .then(|| v.div_euclid(div))
                .and_then(|v| usize::try_from(v).ok())
                .filter(|&v| v < n)
        };
        if mul.abs() == 1 && div == 1 {
            // A shift or a reflection maps intervals to intervals.
            let n = n as i64;
            return Self::from_intervals(self.intervals.iter().map(|&(lo, hi)| {
                let (a, b) = (lo as i64 * mul + add, (hi as i64 - 1) * mul + add);
                (a.min(b).clamp(0, n) as usize, (a.max(b) + 1).clamp(0, n) as usize)
            }));
        }
        Self::from_intervals(self.iter().filter_map(map).map(|v| (v, v + 1)))
    }

    /// { j in 0..n : (j * mul + add) / div is whole and in self }: the preimage of [`IntervalSet::affine`].
    pub fn affine_preimage(&self, mul: i64, add: i64, div: i64, n: usize) -> Self {
        if mul.abs() == 1 && div == 1 {
            return self.affine(mul, -add * mul, 1, n);
        }
        Self::from_intervals(
            (0..n)
                .filter(|&j| {
                    !Self::interval(j, j + 1).affine(mul, add, div, self.end()).intersect(self).is_empty()
                })
                .map(|j| (j, j + 1)),
        )
    }

    /// { a * minor_size + b : a in self, b in minor }, where minor is within 0..minor_size.
    pub fn product(&self, minor: &Self, minor_size: usize) -> Self {
        if minor.is_full(minor_size) {
            return Self {
                intervals: self
                    .intervals
                    .iter()
                    .map(|&(lo, hi)| (lo * minor_size, hi * minor_size))
                    .filter(|(l, h)| l < h)
                    .collect(),
            };
        }
        let pieces = self.iter().flat_map(|a| {
            minor.intervals.iter().map(move |&(lo, hi)| (a * minor_size + lo, a * minor_size + hi))
        });
        Self::from_intervals(pieces)
    }
}

impl fmt::Display for IntervalSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return f.write_str("none");
        }
        for (i, (lo, hi)) in self.intervals.iter().enumerate() {
            write!(f, "{}{lo}..{hi}", if i == 0 { "" } else { "+" })?;
        }
        Ok(())
    }
}

impl fmt::Debug for IntervalSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::str::FromStr for IntervalSet {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        if text == "none" {
            return Ok(Self::empty());
        }
        let mut out = Vec::new();
        for part in text.split('+') {
            let bad = || format!("{part:?} is not an interval like 0..64");
            let (lo, hi) = part.split_once("..").ok_or_else(bad)?;
            let (lo, hi) = (lo.parse::<usize>().map_err(|_| bad())?, hi.parse::<usize>().map_err(|_| bad())?);
            // Numbers without leading zeros, so that a set has one text.
            if lo >= hi || hi > crate::dtype::MAX_TENSOR_BYTES || part != format!("{lo}..{hi}") {
                return Err(bad());
            }
            out.push((lo, hi));
        }
        let set = Self::from_intervals(out.iter().copied());
        if set.intervals != out {
            return Err(format!("the intervals of {text:?} are not increasing and disjoint"));
        }
        Ok(set)
    }
}

/// A product of interval sets, one per dimension.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Region {
    dims: Vec<IntervalSet>,
}

impl Region {
    /// A region from its sets.
    pub fn new(dims: Vec<IntervalSet>) -> Self {
        Self { dims }
    }

    /// All of a shape.
    pub fn full(shape: &[usize]) -> Self {
        Self { dims: shape.iter().map(|&n| IntervalSet::full(n)).collect() }
    }

    /// The sets.
    pub fn dims(&self) -> &[IntervalSet] {
        &self.dims
    }

    /// Shape of a compact buffer.
    pub fn shape(&self) -> Vec<usize> {
        self.dims.iter().map(IntervalSet::len).collect()
    }

    /// Number of elements.
    pub fn count(&self) -> usize {
        self.dims.iter().map(IntervalSet::len).product()
    }

    /// Whether it holds no element.
    pub fn is_empty(&self) -> bool {
        self.dims.iter().any(IntervalSet::is_empty)
    }

    /// Whether it is all of `shape`.
    pub fn is_full(&self, shape: &[usize]) -> bool {
        self.dims.iter().zip(shape).all(|(s, &n)| s.is_full(n))
    }

    /// Whether every element is in `other`.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.is_empty() || self.dims.iter().zip(&other.dims).all(|(a, b)| a.is_subset(b))
    }

    /// Elements of both.
    pub fn intersect(&self, other: &Self) -> Self {
        Self { dims: self.dims.iter().zip(&other.dims).map(|(a, b)| a.intersect(b)).collect() }
    }

    /// The region as positions in the compact buffer of `whole`.
    pub fn relative_to(&self, whole: &Self) -> Self {
        Self { dims: self.dims.iter().zip(&whole.dims).map(|(a, b)| a.relative_to(b)).collect() }
    }
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (i, d) in self.dims.iter().enumerate() {
            write!(f, "{}{d}", if i == 0 { "" } else { ", " })?;
        }
        f.write_str("]")
    }
}

impl fmt::Debug for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
