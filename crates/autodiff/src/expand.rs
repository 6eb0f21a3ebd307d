//! Composites that are differentiated through, replaced by their bodies before anything else.
//!
//! Those with a rule stay. What was inside a rematerialized region is remembered: its values had better be computed
//! again than kept.

use pullback_base::{Id, IdMap};
use pullback_ir::{Builder, InstrId, Op, Program, Rule, TypeError, Value, ValueDef};
use std::collections::BTreeSet;
use std::ops::Range;

/// A program whose composites all have rules of their own.
pub(crate) struct Expanded {
    pub(crate) program: Program,
    /// Instructions inside rematerialized regions.
    pub(crate) inside: IdMap<InstrId, bool>,
    /// Results of such regions.
    pub(crate) leaves: BTreeSet<Value>,
    /// For each value one of the original program that it is, or is a part of.
    pub(crate) origin: IdMap<Value, Value>,
}

fn is_expanded(op: &Op) -> bool {
    matches!(op, Op::Composite(c) if matches!(c.rule, Rule::Decompose | Rule::Remat))
}

/// The program with composites inlined that have no rule of their own; `None` where there are none. Those inside loops
/// and choices are found when their programs are differentiated.
pub(crate) fn expand(program: &Program) -> Result<Option<Expanded>, TypeError> {
    if !program.instrs().values().any(|i| is_expanded(i.op())) {
        return Ok(None);
    }
    let mut e = Expander {
        b: Builder::new(program.name()),
        inside: Vec::new(),
        leaves: BTreeSet::new(),
        origin: None,
    };
    let args: Vec<Value> =
        program.args().iter().map(|&a| e.b.arg(program.value_name(a), program.ty(a).clone())).collect();
    let mut origin: IdMap<Value, Value> = IdMap::new();
    for &a in program.args() {
        origin.push(a);
    }
    e.origin = Some(origin);
    let results = e.inline(program, &args, false)?;
    let named = results.iter().enumerate().map(|(i, &v)| (v, program.result_name(i).map(str::to_owned)));
    let program = e.b.finish_named(named.collect());
    let mut inside = IdMap::filled(program.instrs().len(), false);
    for i in e.inside.into_iter().flatten() {
        inside[InstrId::from_index(i)] = true;
    }
    let origin = e.origin.unwrap_or_default();
    Ok(Some(Expanded { program, inside, leaves: e.leaves, origin }))
}

struct Expander {
    b: Builder,
    /// Ranges of instructions inside rematerialized regions.
    inside: Vec<Range<usize>>,
    leaves: BTreeSet<Value>,
    /// Taken while a composite's body is appended: its values are parts of what the composite gives.
    origin: Option<IdMap<Value, Value>>,
}

impl Expander {
    /// Appends a program; gives its results.
    fn inline(&mut self, program: &Program, args: &[Value], inside: bool) -> Result<Vec<Value>, TypeError> {
        let mut map = IdMap::<Value, Option<Value>>::filled(program.n_values(), None);
        for (&formal, &actual) in program.args().iter().zip(args) {
            map[formal] = Some(actual);
        }
        let lookup = |map: &IdMap<Value, Option<Value>>, v: Value| {
            map[v].ok_or_else(|| TypeError::new(format!("{} got too few arguments", program.name())))
        };
        for instr in program.instrs().values() {
            let operands =
                instr.operands().iter().map(|&v| lookup(&map, v)).collect::<Result<Vec<_>, _>>()?;
            let outer = self.origin.take();
            let made = if let Op::Composite(c) = instr.op()
                && is_expanded(instr.op())
            {
                let remat = matches!(c.rule, Rule::Remat);
                let from = self.b.so_far().instrs().len();
                let made = self.inline(&c.body, &operands, inside || remat)?;
                if remat && !inside {
                    self.inside.push(from..self.b.so_far().instrs().len());
                    self.leaves.extend(&made);
                }
                made
            } else {
                self.b.push(instr.op().clone(), &operands)?
            };
            self.origin = outer;
            if let Some(origin) = &mut self.origin {
                while origin.len() < self.b.so_far().n_values() {
                    let v = Value::from_index(origin.len());
                    let k = made.iter().position(|&m| m == v).unwrap_or(0);
                    origin.push(instr.results()[k]);
                }
            }
            for (&old, &new) in instr.results().iter().zip(&made) {
                map[old] = Some(new);
                let so_far = self.b.so_far();
                let nameless =
                    so_far.value_name(new).is_none() && matches!(so_far.def(new), ValueDef::Result(..));
                if let Some(name) = program.value_name(old).filter(|_| nameless) {
                    self.b.name(new, name);
                }
            }
        }
        program.results().iter().map(|&v| lookup(&map, v)).collect()
    }
}
