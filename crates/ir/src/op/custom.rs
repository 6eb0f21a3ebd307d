//! Operators that are not ours, as data: what typing, cutting, counting and checking need without their code.
//!
//! The description comes of a [`crate::custom::CustomOp`]; the kernel and the derivative are found by name in the
//! registry of the process that runs or differentiates it.

use crate::dtype::TensorType;
use crate::op::Monoid;

named_enum! {
    /// How sure it is that the derivative is the operator's.
    Assurance {
        /// Somebody says so.
        Trusted => "trusted",
        /// Held against finite differences and the pairing of tangents and cotangents.
        Tested => "tested",
        /// Proved on paper or by a machine, where its documentation says.
        Proved => "proved",
    }
}

/// What becomes of the result when a factor is cut.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CustomFactorKind {
    /// Boxes give disjoint parts of the result.
    Pass,
    /// Boxes give contributions that combine to the result.
    Reduced(Monoid),
    /// Never cut.
    Blocked,
}

/// One axis of the operator's iteration space.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CustomFactor {
    /// Number of indices.
    pub size: usize,
    /// What cutting it means.
    pub kind: CustomFactorKind,
}

/// How an operator may be cut: each dimension of an operand is one factor, or read whole (`None`); each of a result is
/// one factor. An operator with several results is not cut: all its factors are blocked.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct CustomAccess {
    /// Axes of the iteration space.
    pub factors: Vec<CustomFactor>,
    /// Per operand, per dimension.
    pub operands: Vec<Vec<Option<usize>>>,
    /// Per result, per dimension.
    pub results: Vec<Vec<usize>>,
}

impl CustomAccess {
    /// Nothing is cut.
    pub fn blocked(operands: &[&TensorType], results: &[TensorType]) -> Self {
        let mut access = CustomAccess {
            operands: operands.iter().map(|t| vec![None; t.rank()]).collect(),
            ..CustomAccess::default()
        };
        for r in results {
            let first = access.factors.len();
            let blocked = |&size: &usize| CustomFactor { size, kind: CustomFactorKind::Blocked };
            access.factors.extend(r.shape().iter().map(blocked));
            access.results.push((first..access.factors.len()).collect());
        }
        access
    }
}

/// An operator of somebody else on operands of given types.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Custom {
    /// The name it is registered by.
    pub name: String,
    /// Attributes as the producer wrote them; the operator reads them.
    pub attributes: String,
    /// Types of its results.
    pub results: Vec<TensorType>,
    /// How it may be cut.
    pub access: CustomAccess,
    /// Jointly linear sets of operands, as [`crate::linearity::linear_sets`].
    pub linear: Vec<Vec<usize>>,
    /// Floating-point operations.
    pub flops: u64,
    /// How many times it may be differentiated.
    pub depth: u32,
    /// How sure its derivative is.
    pub assurance: Assurance,
}
