//! A program: arguments, instructions in order, results. SSA with typed ids.
//!
//! Invariants (kept by [`crate::Builder`], re-checked by [`Program::verify`]): every operand is defined before
//! its use; every result type is the one [`crate::infer`] gives; names of arguments are unique. Side facts
//! (layouts, costs, residual marks) are side tables keyed by [`Value`] or [`InstrId`], never fields here.

use crate::dtype::TensorType;
use crate::infer::{TypeError, infer};
use crate::op::Op;
use crate::share::Name;
use crate::values::Values;
use pullback_base::{Id, IdMap, define_id};
use std::collections::BTreeSet;
use std::sync::Arc;

define_id!(
    /// A tensor value of a program.
    Value,
    "%"
);
define_id!(
    /// An instruction, in program order.
    InstrId,
    "@"
);

/// What defines a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ValueDef {
    /// Argument number.
    Arg(usize),
    /// Result number of an instruction.
    Result(InstrId, usize),
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct ValueData {
    pub(crate) ty: TensorType,
    pub(crate) def: Def,
    pub(crate) name: Option<Name>,
}

/// A [`ValueDef`] in eight bytes: ids have 32 bits, so that numbers of arguments and results have no more.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Def(u32, u32);

/// In the place of an instruction's number; no program has as many instructions.
const ARG: u32 = u32::MAX;

impl From<ValueDef> for Def {
    fn from(def: ValueDef) -> Self {
        let number = |k: usize| u32::try_from(k).expect("there are no more values than ids");
        match def {
            ValueDef::Arg(k) => Self(ARG, number(k)),
            ValueDef::Result(id, k) => Self(number(id.index()), number(k)),
        }
    }
}

impl From<Def> for ValueDef {
    fn from(Def(instr, k): Def) -> Self {
        let k = k as usize;
        if instr == ARG { ValueDef::Arg(k) } else { ValueDef::Result(InstrId::from_index(instr as usize), k) }
    }
}

/// One op applied to operands.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Instr {
    /// Equal ones may be one.
    pub(crate) op: Arc<Op>,
    pub(crate) operands: Values,
    pub(crate) results: Values,
}

impl Instr {
    /// The operation.
    pub fn op(&self) -> &Op {
        &self.op
    }

    /// Operand values.
    pub fn operands(&self) -> &[Value] {
        &self.operands
    }

    /// Values it defines.
    pub fn results(&self) -> &[Value] {
        &self.results
    }

    /// The only result of an op that has one.
    pub fn result(&self) -> Value {
        self.results[0]
    }
}

/// A valid tensor program with one function.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Program {
    pub(crate) name: String,
    pub(crate) values: IdMap<Value, ValueData>,
    pub(crate) args: Vec<Value>,
    pub(crate) instrs: IdMap<InstrId, Instr>,
    pub(crate) results: Vec<Value>,
    pub(crate) result_names: Vec<Option<String>>,
}

impl Program {
    /// The function's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Argument values in order.
    pub fn args(&self) -> &[Value] {
        &self.args
    }

    /// Result values in order.
    pub fn results(&self) -> &[Value] {
        &self.results
    }

    /// The name given to result `index`, if any.
    pub fn result_name(&self, index: usize) -> Option<&str> {
        self.result_names.get(index)?.as_deref()
    }

    /// Instructions in order.
    pub fn instrs(&self) -> &IdMap<InstrId, Instr> {
        &self.instrs
    }

    /// One instruction.
    pub fn instr(&self, id: InstrId) -> &Instr {
        &self.instrs[id]
    }

    /// Number of values; side tables are `IdMap::filled(program.n_values(), ..)`.
    pub fn n_values(&self) -> usize {
        self.values.len()
    }

    /// All values in order of definition.
    pub fn value_ids(&self) -> impl ExactSizeIterator<Item = Value> + use<> {
        self.values.ids()
    }

    /// A value's type.
    pub fn ty(&self, value: Value) -> &TensorType {
        &self.values[value].ty
    }

    /// What defines a value.
    pub fn def(&self, value: Value) -> ValueDef {
        self.values[value].def.into()
    }

    /// The producer's name for a value, if it had one.
    pub fn value_name(&self, value: Value) -> Option<&str> {
        self.values[value].name.as_ref().map(Name::as_str)
    }

    /// The name of a value as a person should see it: its own, else `%n`.
    pub fn display_name(&self, value: Value) -> String {
        self.value_name(value).map_or_else(|| value.to_string(), str::to_owned)
    }

    /// The argument named so.
    pub fn arg_named(&self, name: &str) -> Option<Value> {
        self.args.iter().copied().find(|&v| self.value_name(v) == Some(name))
    }

    /// The same program under another name.
    pub fn with_name(mut self, name: &str) -> Self {
        self.name = name.to_owned();
        self
    }

    /// The same program with other argument names (`None` keeps one) — names are not part of the mathematics.
    pub fn with_arg_names(mut self, names: &[Option<String>]) -> Self {
        for (&arg, name) in self.args.iter().zip(names) {
            if let Some(name) = name {
                self.values[arg].name = Some(name.as_str().into());
            }
        }
        self
    }

    /// For each value, the instructions that read it, in order (an instruction once per operand position).
    pub fn uses(&self) -> IdMap<Value, Vec<InstrId>> {
        let mut uses = IdMap::filled(self.values.len(), Vec::new());
        for (id, instr) in self.instrs.iter() {
            for &v in instr.operands() {
                uses[v].push(id);
            }
        }
        uses
    }

    /// Types of an instruction's operands.
    pub fn operand_types(&self, id: InstrId) -> Vec<&TensorType> {
        self.instrs[id].operands.iter().map(|&v| self.ty(v)).collect()
    }

    /// Checks every invariant anew; a pass that breaks one is named by its caller.
    pub fn verify(&self) -> Result<(), TypeError> {
        let mut defined = IdMap::<Value, bool>::filled(self.values.len(), false);
        let mut names = BTreeSet::new();
        for (i, &a) in self.args.iter().enumerate() {
            if let Some(name) = self.value_name(a)
                && !names.insert(name)
            {
                return Err(TypeError::new(format!("two arguments have the name {name:?}")));
            }
            if self.def(a) != ValueDef::Arg(i) {
                return Err(TypeError::new(format!("argument {i} ({a}) does not know that it is one")));
            }
            defined[a] = true;
        }
        for (id, instr) in self.instrs.iter() {
            for &v in instr.operands() {
                if v.index() >= self.values.len() || !defined[v] {
                    return Err(TypeError::new(format!(
                        "{id} {} reads {v} before it is defined",
                        instr.op.name()
                    )));
                }
            }
            for region in instr.op.regions() {
                region.verify().map_err(|e| TypeError::new(format!("{id} {}: {e}", instr.op.name())))?;
            }
            let want = infer(&instr.op, &self.operand_types(id))?;
            if want.len() != instr.results.len() {
                return Err(TypeError::new(format!(
                    "{id} {} should have {} results",
                    instr.op.name(),
                    want.len()
                )));
            }
            for (k, (&r, ty)) in instr.results.iter().zip(&want).enumerate() {
                if self.ty(r) != ty || self.def(r) != ValueDef::Result(id, k) || defined[r] {
                    return Err(TypeError::new(format!(
                        "{id} {}: result {r} should be a new {ty}",
                        instr.op.name()
                    )));
                }
                defined[r] = true;
            }
        }
        match self.results.iter().find(|&&r| r.index() >= self.values.len() || !defined[r]) {
            Some(r) => Err(TypeError::new(format!("result {r} is never defined"))),
            None => Ok(()),
        }
    }
}
