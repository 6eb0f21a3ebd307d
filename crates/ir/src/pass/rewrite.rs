//! Building a new program from an old one, instruction by instruction, with a map from old values to new.
//!
//! Names go along. Arguments come first in the new program, whatever their numbers were.

use crate::build::Builder;
use crate::infer::TypeError;
use crate::op::Op;
use crate::program::{Instr, Program, Value, ValueDef};
use pullback_base::IdMap;

pub(super) struct Rewriter<'a> {
    old: &'a Program,
    builder: Builder,
    map: IdMap<Value, Option<Value>>,
}

impl<'a> Rewriter<'a> {
    pub(super) fn new(old: &'a Program) -> Self {
        let mut builder = Builder::new(old.name());
        let mut map = IdMap::filled(old.n_values(), None);
        for &arg in old.args() {
            map[arg] = Some(builder.arg(old.value_name(arg), old.ty(arg).clone()));
        }
        Self { old, builder, map }
    }

    /// The new program so far.
    pub(super) fn new_program(&self) -> &Program {
        self.builder.so_far()
    }

    /// What an old value has become.
    pub(super) fn get(&self, old: Value) -> Result<Value, TypeError> {
        self.map[old].ok_or_else(|| TypeError::new(format!("{old} was dropped but is needed")))
    }

    /// The operands of an old instruction as new values.
    pub(super) fn operands(&self, instr: &Instr) -> Result<Vec<Value>, TypeError> {
        instr.operands().iter().map(|&v| self.get(v)).collect()
    }

    /// Adds `op`; its results stand for those of `instr`.
    pub(super) fn push(&mut self, instr: &Instr, op: Op, operands: &[Value]) -> Result<(), TypeError> {
        let results = self.builder.push(op, operands)?;
        if results.len() != instr.results().len() {
            return Err(TypeError::new(format!("{} was replaced with other results", instr.op().name())));
        }
        for (&old, &new) in instr.results().iter().zip(&results) {
            self.replace(old, new)?;
        }
        Ok(())
    }

    /// Adds `op`, whose results stand for nothing yet.
    pub(super) fn push_new(&mut self, op: Op, operands: &[Value]) -> Result<Vec<Value>, TypeError> {
        self.builder.push(op, operands)
    }

    /// Adds the instructions of another program on these arguments; gives its results.
    pub(super) fn inline(&mut self, program: &Program, args: &[Value]) -> Result<Vec<Value>, TypeError> {
        self.builder.inline(program, args, Some(""))
    }

    /// Adds what `add` adds; its values stand for nothing yet.
    pub(super) fn with_builder<T>(&mut self, add: impl FnOnce(&mut Builder) -> T) -> T {
        add(&mut self.builder)
    }

    /// Lets `new` stand for `old`. It takes the name of `old` if it has none.
    pub(super) fn replace(&mut self, old: Value, new: Value) -> Result<(), TypeError> {
        if self.builder.ty(new) != self.old.ty(old) {
            let (new, old) = (self.builder.ty(new), self.old.ty(old));
            return Err(TypeError::new(format!("a {old} was replaced with a {new}")));
        }
        let program = self.builder.so_far();
        let nameless = program.value_name(new).is_none();
        if let Some(name) = self.old.value_name(old)
            && nameless
            && !matches!(program.def(new), ValueDef::Arg(_))
        {
            self.builder.name(new, name);
        }
        self.map[old] = Some(new);
        Ok(())
    }

    /// Ends with the old results.
    pub(super) fn finish(self) -> Result<Program, TypeError> {
        let results = self.old.results().iter().enumerate();
        let results = results
            .map(|(i, &v)| Ok((self.get(v)?, self.old.result_name(i).map(str::to_owned))))
            .collect::<Result<Vec<_>, TypeError>>()?;
        Ok(self.builder.finish_named(results))
    }
}
