//! Working out what is constant, so that shapes are known where they are needed.
//!
//! Only in modules with open shapes, and only small whole numbers and booleans: what else is constant stays an
//! operation.

use super::calls::constant_of;
use super::{FuncLowering, Slot};
use crate::declared::Declared;
use crate::ops::{Issue, Kind, monoid, op_of, reduce_dims};
use crate::tree::{Node, Use};
use pullback_ir::infer::infer;
use pullback_ir::pass::constant;
use pullback_ir::{DType, Literal, Op, TensorType};

/// Most elements that are worked out.
const MAX_ELEMENTS: usize = 4096;

/// Whether values of this type are worked out.
fn is_small(ty: &TensorType) -> bool {
    (ty.dtype().is_integer() || ty.dtype() == DType::Bool) && ty.count() <= MAX_ELEMENTS
}

impl<'a> FuncLowering<'_, 'a, '_> {
    /// The literal of an operand that is constant.
    pub(super) fn literal(&self, u: Use<'a>) -> Option<&Literal> {
        match self.slots.get(u.slot as usize)? {
            Slot::Constant(c) => Some(&c.0),
            Slot::Value(v) => constant_of(self.b.so_far(), *v),
            Slot::Empty | Slot::Poison => None,
        }
    }

    /// Makes a result a constant.
    pub(super) fn set_constant(
        &mut self,
        node: &Node<'a>,
        k: u32,
        literal: Literal,
        want: &Declared,
    ) -> Result<(), Issue> {
        let name = self.result_name(node, k);
        self.set_checked(node, k, Slot::Constant(Box::new((literal, name))), want)
    }

    /// Makes the result of a node a constant if its operands are; says whether it did.
    pub(super) fn fold(&mut self, node: &Node<'a>, kind: Kind, written: &[Declared]) -> Result<bool, Issue> {
        let [want] = written else { return Ok(false) };
        if node.operands.is_empty() || !foldable(kind) {
            return Ok(false);
        }
        let Some(literals) = node.operands.iter().map(|&u| self.literal(u)).collect::<Option<Vec<_>>>()
        else {
            return Ok(false);
        };
        if !literals.iter().all(|l| is_small(l.ty())) {
            return Ok(false);
        }
        let (op, literals) = if kind == Kind::Reduce {
            let [x, init] = literals[..] else { return Ok(false) };
            let Some(monoid) = monoid(node, 0, x.ty().dtype()) else { return Ok(false) };
            if monoid.identity(init.ty()).as_ref() != Some(init) {
                return Ok(false);
            }
            (Op::Reduce { dims: reduce_dims(node)?, monoid }, vec![x])
        } else {
            (op_of(node, kind, want)?, literals)
        };
        let types: Vec<&TensorType> = literals.iter().map(|l| l.ty()).collect();
        // What is wrong is reported when the operation is made.
        let inferred = infer(&op, &types).unwrap_or_default();
        let [ty] = &inferred[..] else { return Ok(false) };
        if !is_small(ty) {
            return Ok(false);
        }
        let work: usize = literals.iter().map(|l| l.ty().count()).sum::<usize>() + ty.count();
        let Some(value) = constant(&op, &literals, ty) else { return Ok(false) };
        // What is folded takes time too, and calls repeat it.
        self.spend(1 + work / 64)?;
        self.set_constant(node, 0, value, want)?;
        Ok(true)
    }
}

/// Operations that sizes are worked out with.
fn foldable(kind: Kind) -> bool {
    match kind {
        Kind::Unary(_)
        | Kind::Binary(_)
        | Kind::Broadcast
        | Kind::Clamp
        | Kind::Compare
        | Kind::Concatenate
        | Kind::Convert
        | Kind::DynamicSlice
        | Kind::Reduce
        | Kind::Reshape
        | Kind::Reverse
        | Kind::Select
        | Kind::Slice
        | Kind::Transpose => true,
        Kind::Algorithm(_)
        | Kind::Bitcast
        | Kind::Call
        | Kind::Case
        | Kind::Collective(_)
        | Kind::Bound
        | Kind::Composite
        | Kind::Constant
        | Kind::Convolution
        | Kind::CustomCall
        | Kind::Dot
        | Kind::Expanded(_)
        | Kind::DynamicUpdateSlice
        | Kind::Gather
        | Kind::Identity
        | Kind::If
        | Kind::Iota
        | Kind::Manual
        | Kind::Mesh
        | Kind::Named
        | Kind::Pad
        | Kind::ReducePrecision
        | Kind::ReduceWindow
        | Kind::Remark
        | Kind::Return
        | Kind::Scatter
        | Kind::SelectAndScatter
        | Kind::Shape(_)
        | Kind::Sort
        | Kind::TopK
        | Kind::While => false,
    }
}
