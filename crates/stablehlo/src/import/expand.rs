//! Operations that become several: contractions into a wider type, reductions that do not start from their
//! identity.

use super::calls::constant_of;
use super::{FuncLowering, Slot};
use crate::declared::Declared;
use crate::ops::Issue;
use crate::tree::{Node, Use};
use crate::types::mlir_type;
use pullback_ir::{Literal, Monoid, Op, Program, TensorType, Value, ValueDef};

impl<'a> FuncLowering<'_, 'a, '_> {
    /// A contraction may accumulate in a wider type than its operands have; converting them first says the
    /// same, since their products are then rounded no earlier.
    pub(super) fn widen(
        &mut self,
        node: &Node<'a>,
        operands: &mut [Value],
        want: &Declared,
    ) -> Result<(), Issue> {
        for v in operands {
            let have = self.b.ty(*v).dtype();
            if have != want.dtype()
                && have.class() == want.dtype().class()
                && have.size() < want.dtype().size()
            {
                self.spend(1)?;
                *v = self.b.convert(*v, want.dtype())?;
                self.b.name(*v, self.result_name(node, 0));
            }
        }
        Ok(())
    }

    /// The IR's reduction starts from its identity; another initial value is combined afterwards.
    pub(super) fn reduce_monoid(
        &mut self,
        node: &Node<'a>,
        dims: &[usize],
        monoid: Monoid,
    ) -> Result<Value, Issue> {
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
        let identity = self.is_identity(init, monoid);
        let x = self.value(x).ok_or(Issue::Reported)?;
        self.spend(1)?;
        let reduced = self.b.reduce(x, dims, monoid)?;
        if identity {
            return Ok(reduced);
        }
        // What the operation becomes shares its name.
        if reduced != x {
            self.b.name(reduced, self.result_name(node, 0));
        }
        let init = self.value(init).ok_or(Issue::Reported)?;
        let shape = self.shape(reduced);
        let start = self.repeat(init, &shape)?;
        if start != init {
            self.b.name(start, self.result_name(node, 0));
        }
        self.binary(monoid.op(), start, reduced)
    }

    /// Whether an initial value is a constant that changes nothing. It is not made if so.
    fn is_identity(&self, init: Use<'a>, monoid: Monoid) -> bool {
        match self.slots.get(init.slot as usize) {
            Some(Slot::Constant(c)) => is_identity(&c.0, monoid),
            Some(Slot::Value(v)) => self.is_identity_value(*v, monoid),
            Some(Slot::Empty | Slot::Poison) | None => false,
        }
    }

    /// Whether an initial value is a constant that changes nothing.
    pub(super) fn is_identity_value(&self, init: Value, monoid: Monoid) -> bool {
        scalar_of(self.b.so_far(), init).is_some_and(|literal| is_identity(literal, monoid))
    }
}

/// Both zeros are identities of addition.
fn is_identity(literal: &Literal, monoid: Monoid) -> bool {
    let zero = monoid == Monoid::Add && literal.splat_value() == Some(0.0);
    zero || monoid.identity(literal.ty()).as_ref() == Some(literal)
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
