//! Access maps of convolutions, grouped or not.
//!
//! With groups, the groups are a factor of their own: they are the major part of the output features, and of the
//! input features (`feature_group_count`) or of the input batch (`batch_group_count`). So any box has a convolution
//! of as many groups as it holds. Spatial dimensions stay whole: a window reaches across any cut.

use super::{AccessMap, DimMap, FactorId, FactorKind, single};
use crate::dtype::TensorType;
use crate::op::{ConvDims, Monoid};
use crate::region::IntervalSet;

/// The factor of the groups, where there are several.
const GROUPS: FactorId = 1;

impl AccessMap {
    /// Factors: output batch, groups (if any), output features of a group, input features of a group, and output
    /// spatial dimensions.
    pub(super) fn convolution(&mut self, c: &ConvDims, k: &TensorType, result: &TensorType) {
        let (fg, bg) = (c.feature_group_count, c.batch_group_count);
        let n = c.input_spatial.len();
        let (mut xm, mut km) = (vec![DimMap::Whole; n + 2], vec![DimMap::Whole; n + 2]);
        let mut rm = vec![0; n + 2];
        let batch = self.factor(result.shape()[c.output_batch], FactorKind::Pass);
        let groups = (fg.max(bg) > 1).then(|| self.factor(fg.max(bg), FactorKind::Pass));
        debug_assert!(groups.is_none_or(|g| g == GROUPS));
        let grouped = |is: bool, minor: FactorId| {
            DimMap::Factors(groups.filter(|_| is).into_iter().chain([minor]).collect())
        };
        let o = self.factor(k.shape()[c.kernel_output_feature] / fg.max(bg), FactorKind::Pass);
        let i = self.factor(k.shape()[c.kernel_input_feature], FactorKind::Reduced(Monoid::Add));
        xm[c.input_batch] = grouped(bg > 1, batch);
        xm[c.input_feature] = grouped(fg > 1, i);
        km[c.kernel_input_feature] = DimMap::Factors(vec![i]);
        km[c.kernel_output_feature] = grouped(true, o);
        rm[c.output_batch] = batch;
        for &d in &c.output_spatial {
            rm[d] = self.factor(result.shape()[d], FactorKind::Blocked);
        }
        self.operands = vec![xm, km];
        self.results = vec![single(&rm)];
        self.results[0][c.output_feature] = grouped(true, o);
    }
}

/// The convolution that a box is.
pub(crate) fn local(c: &ConvDims, boxed: &[IntervalSet]) -> ConvDims {
    let mut local = c.clone();
    if c.feature_group_count > 1 {
        local.feature_group_count = boxed[GROUPS].len();
    }
    if c.batch_group_count > 1 {
        local.batch_group_count = boxed[GROUPS].len();
    }
    local
}
