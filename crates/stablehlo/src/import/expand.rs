//! Operations that become several: contractions into a wider type, reductions that do not start from their
//! identity.

use super::calls::constant_of;
use super::{FuncLowering, Slot};
use crate::ops::{Issue, reduce_dims, reducer};
use crate::tree::{Node, Use};
use crate::types::mlir_type;
use pullback_ir::{Monoid, TensorType, TypeError, Value};

impl<'a> FuncLowering<'_, 'a, '_> {
    /// A contraction may accumulate in a wider type than its operands have; converting them first says the
    /// same, since their products are then rounded no earlier.
    pub(super) fn widen(
        &mut self,
        node: &Node<'a>,
        operands: &mut [Value],
        want: &TensorType,
    ) -> Result<(), Issue> {
        for v in operands {
            let have = self.b.ty(*v).dtype();
            if have != want.dtype()
                && have.class() == want.dtype().class()
                && have.size() < want.dtype().size()
            {
                *self.total += 1;
                *v = self.b.convert(*v, want.dtype()).map_err(|e| Issue::Error(e.to_string()))?;
                self.b.name(*v, self.result_name(node, 0));
            }
        }
        Ok(())
    }

    /// The IR's reduction starts from its identity; another initial value is combined afterwards.
    pub(super) fn reduce(&mut self, node: &Node<'a>) -> Result<Value, Issue> {
        let wrong = |e: TypeError| Issue::Error(e.to_string());
        let &[x, init] = &node.operands[..] else {
            return Err(Issue::Error(format!("{} takes an operand and an initial value", node.name)));
        };
        let (Some(x_ty), Some(init_ty)) = (self.ty_of(x), self.ty_of(init)) else {
            return Err(Issue::Error(format!("{} reads a value that does not exist", node.name)));
        };
        let dtype = x_ty.dtype();
        if *init_ty != TensorType::scalar(dtype) {
            let (x, i) = (mlir_type(x_ty), mlir_type(init_ty));
            return Err(Issue::Error(format!(
                "{} of {x} starts from {i}, not from a scalar of its type",
                node.name
            )));
        }
        let monoid = reducer(node, dtype)?;
        let dims = reduce_dims(node)?;
        let identity = self.is_identity(init, monoid);
        let unknown = || Issue::Error("a reduced operand is unknown".to_owned());
        let x = self.value(x).ok_or_else(unknown)?;
        *self.total += 1;
        let reduced = self.b.reduce(x, &dims, monoid).map_err(wrong)?;
        if identity {
            return Ok(reduced);
        }
        // What the operation becomes shares its name.
        if reduced != x {
            self.b.name(reduced, self.result_name(node, 0));
        }
        let init = self.value(init).ok_or_else(unknown)?;
        let shape = self.b.ty(reduced).shape().to_vec();
        let start = self.b.broadcast_scalar(init, &shape).map_err(wrong)?;
        if start != init {
            self.b.name(start, self.result_name(node, 0));
        }
        *self.total += 2;
        self.b.binary(monoid.op(), start, reduced).map_err(wrong)
    }

    /// Whether an initial value is a constant that changes nothing. Both zeros are identities of addition.
    fn is_identity(&self, init: Use<'a>, monoid: Monoid) -> bool {
        let literal = match self.slots.get(init.slot as usize) {
            Some(Slot::Constant(c)) => Some(&c.0),
            Some(Slot::Value(v)) => constant_of(self.b.so_far(), *v),
            Some(Slot::Empty | Slot::Poison) | None => None,
        };
        let Some(literal) = literal else { return false };
        if monoid == Monoid::Add && literal.splat_value() == Some(0.0) {
            return true;
        }
        monoid.identity(literal.ty()).as_ref() == Some(literal)
    }
}
