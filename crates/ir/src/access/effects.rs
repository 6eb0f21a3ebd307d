//! What cutting a factor makes of each result, and on what each depends.

use super::{AccessMap, DimMap, FactorId, FactorKind};
use crate::op::Monoid;
use crate::region::IntervalSet;

/// What cutting a factor makes of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Boxes give disjoint parts.
    Disjoint,
    /// Boxes give contributions that combine with the monoid.
    Contribution(Monoid),
    /// Every box gives the same.
    Alike,
}

impl AccessMap {
    /// Whether the box reads operand `i`, or takes the identity of the reduction that the operand joins. `summed`: of the
    /// operands that join, those that are contributions already, and over which factor.
    pub fn is_read(&self, i: usize, boxed: &[IntervalSet], summed: &[(usize, FactorId)]) -> bool {
        let holds = |f: FactorId| self.factors[f].size == 0 || boxed[f].contains(0);
        self.joins.iter().all(|j| j.0 != i || holds(j.1) || summed.contains(j))
    }

    /// What cutting factor `f` makes of result `k`.
    pub fn effect(&self, f: FactorId, k: usize) -> Effect {
        let holds = |map: &DimMap| matches!(map, DimMap::Factors(fs) if fs.contains(&f));
        match self.factors[f].kind {
            FactorKind::Reduced(_) | FactorKind::Pass if self.alike.contains(&(f, k)) => Effect::Alike,
            FactorKind::Reduced(monoid) if !self.results[k].iter().any(holds) => Effect::Contribution(monoid),
            FactorKind::Reduced(_) | FactorKind::Pass | FactorKind::Blocked => Effect::Disjoint,
        }
    }

    /// The factors whose boxes give contributions to result `k`, and what combines them.
    pub fn contributions(&self, k: usize) -> impl Iterator<Item = (FactorId, Monoid)> + '_ {
        (0..self.factors.len()).filter_map(move |f| match self.effect(f, k) {
            Effect::Contribution(monoid) => Some((f, monoid)),
            Effect::Disjoint | Effect::Alike => None,
        })
    }

    /// The box without the cuts that give result `k` alike: equal ones, and equal operands that it depends on, give
    /// equal results.
    pub fn source(&self, k: usize, boxed: &[IntervalSet]) -> Vec<IntervalSet> {
        let set = |(f, set): (usize, &IntervalSet)| match self.alike.contains(&(f, k)) {
            true => IntervalSet::full(self.factors[f].size),
            false => set.clone(),
        };
        boxed.iter().enumerate().map(set).collect()
    }

    /// Whether result `k` depends on operand `i`; not where a factor cuts the operand and gives the result alike.
    pub fn depends(&self, k: usize, i: usize) -> bool {
        let alike = |f: FactorId| self.alike.contains(&(f, k));
        let parted = |map: &DimMap| matches!(map, DimMap::Factors(fs) if fs.iter().any(|&f| alike(f)));
        !self.operands[i].iter().any(parted) && !self.joins.iter().any(|&(j, f)| j == i && alike(f))
    }
}
