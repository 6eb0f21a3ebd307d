//! Operations that become several: contractions into a wider type, reductions that do not start from their
//! identity.

use super::calls::constant_of;
use super::{FuncLowering, Slot};
use crate::ops::{Issue, Kind, op_of, reduce_dims, reducer};
use crate::tree::{Node, Use};
use crate::types::mlir_type;
use pullback_ir::{Literal, Monoid, Op, Program, TensorType, TypeError, Value, ValueDef};

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
        self.start_from(node, init, monoid, reduced)
    }

    /// A reduction over windows, or a scatter to what windows select: the last operand is the initial value.
    pub(super) fn windowed(
        &mut self,
        node: &Node<'a>,
        kind: Kind,
        want: &TensorType,
    ) -> Result<Value, Issue> {
        let unknown = || Issue::Error("an operand is unknown".to_owned());
        let Some((&init, operands)) = node.operands.split_last() else {
            return Err(Issue::Error(format!("{} has no operands", node.name)));
        };
        let op = op_of(node, kind, want)?;
        let (Op::ReduceWindow { monoid, .. } | Op::SelectAndScatter { monoid, .. }) = &op else {
            return Err(Issue::Error(format!("{} is not one of windows", node.name)));
        };
        let monoid = *monoid;
        let start = self.ty_of(init).ok_or_else(unknown)?;
        if *start != TensorType::scalar(want.dtype()) {
            let (start, want) = (mlir_type(start), mlir_type(want));
            return Err(Issue::Error(format!("{} to {want} starts from {start}", node.name)));
        }
        let identity = self.is_identity(init, monoid);
        let mut values = Vec::with_capacity(operands.len());
        for &u in operands {
            values.push(self.value(u).ok_or_else(unknown)?);
        }
        *self.total += 1;
        let reduced = self.b.push1(op, &values).map_err(|e| Issue::Error(e.to_string()))?;
        if identity {
            return Ok(reduced);
        }
        self.b.name(reduced, self.result_name(node, 0));
        self.start_from(node, init, monoid, reduced)
    }

    /// An initial value combined with what was reduced from the identity.
    fn start_from(
        &mut self,
        node: &Node<'a>,
        init: Use<'a>,
        monoid: Monoid,
        reduced: Value,
    ) -> Result<Value, Issue> {
        let wrong = |e: TypeError| Issue::Error(e.to_string());
        let unknown = || Issue::Error("an initial value is unknown".to_owned());
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
            Some(Slot::Value(v)) => scalar_of(self.b.so_far(), *v),
            Some(Slot::Empty | Slot::Poison) | None => None,
        };
        let Some(literal) = literal else { return false };
        if monoid == Monoid::Add && literal.splat_value() == Some(0.0) {
            return true;
        }
        monoid.identity(literal.ty()).as_ref() == Some(literal)
    }
}

/// The literal of a scalar that a constant defines, maybe through broadcasts to a scalar.
fn scalar_of(program: &Program, v: Value) -> Option<&Literal> {
    let mut v = v;
    loop {
        if let Some(literal) = constant_of(program, v) {
            return Some(literal);
        }
        let ValueDef::Result(id, _) = program.def(v) else { return None };
        let instr = program.instr(id);
        let same = matches!(instr.op(), Op::BroadcastInDim { shape, .. } if shape.is_empty());
        v = *instr.operands().first().filter(|_| same)?;
    }
}
