//! Calls: the order in which functions are lowered, and inlining.

use super::{FuncLowering, Sink, Slot, marks};
use crate::constraints::{as_declared, broken};
use crate::declared::Declared;
use crate::known;
use crate::lexer::unescape;
use crate::ops::{Issue, Kind};
use crate::tree::{Func, Node, Use};
use crate::types::{mlir_type, show};
use pullback_base::IdMap;
use pullback_ir::{Composite, Literal, Op, Program, Value, ValueDef};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Calls in a list of nodes and the regions below.
fn collect_calls<'a>(nodes: &[Node<'a>], out: &mut Vec<(&'a str, usize)>) {
    for node in nodes {
        if let Some(callee) = node.callee() {
            out.push((callee, node.at));
        }
        for region in &node.regions {
            collect_calls(&region.nodes, out);
        }
    }
}

/// Calls in a function, with their places.
pub(super) fn calls_of<'a>(func: &Func<'a>) -> Vec<(&'a str, usize)> {
    let mut calls = Vec::new();
    collect_calls(func.body.as_deref().unwrap_or(&[]), &mut calls);
    calls
}

/// Of `n` functions those reachable from `roots`, each after those it calls. A call that closes a cycle is an error.
pub(super) fn callees_first<'a>(
    n: usize,
    index: &BTreeMap<&str, usize>,
    roots: &[usize],
    sink: &mut Sink<'_>,
    calls_of: impl Fn(usize) -> Vec<(&'a str, usize)>,
) -> Vec<usize> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let mut state = vec![State::New; n];
    let mut order = Vec::new();
    for &root in roots {
        if state[root] != State::New {
            continue;
        }
        state[root] = State::Open;
        let mut stack = vec![(root, calls_of(root).into_iter())];
        while let Some((i, calls)) = stack.last_mut() {
            match calls.next() {
                Some((name, at)) => {
                    let Some(&callee) = index.get(name) else { continue };
                    match state[callee] {
                        State::New => {
                            state[callee] = State::Open;
                            stack.push((callee, calls_of(callee).into_iter()));
                        }
                        State::Open => sink.error(at, format!("recursive call of @{name}")),
                        State::Done => {}
                    }
                }
                None => {
                    state[*i] = State::Done;
                    order.push(*i);
                    stack.pop();
                }
            }
        }
    }
    order
}

/// What stands for a value of a program being inlined.
#[derive(Clone)]
enum Inlined<'a> {
    Operand(Use<'a>),
    Value(Value),
    /// A constant nothing has read yet, or a result not yet reached.
    Later,
}

/// Whether a call is kept as a composite: those that stand for an operation of CHLO are their decompositions.
fn is_kept(node: &Node<'_>) -> bool {
    node.kind == Some(Kind::Composite) && !marks::composite_name(node).is_some_and(|n| n.starts_with("chlo."))
}

/// What is wrong with a call; composites have numbered constraints.
pub(super) fn wrong(node: &Node<'_>, number: u8, what: String) -> Issue {
    if node.kind == Some(Kind::Composite) { broken(node, number, &what) } else { Issue::Error(what) }
}

impl<'a> FuncLowering<'_, 'a, '_> {
    /// Lowers a call or a composite by inlining the function it stands for.
    pub(super) fn call(&mut self, node: &Node<'a>, written: &[Declared]) -> Result<(), Issue> {
        let Some(name) = node.callee() else {
            return Err(Issue::Unsupported(
                format!("{} without a function to stand for it", node.name),
                "export the operator's definition with the module",
            ));
        };
        let Some(&callee) = self.index.get(name) else {
            return Err(wrong(node, 2, format!("@{name} is not defined in this module")));
        };
        if self.open {
            return self.call_in_place(node, callee, written);
        }
        // Without a program, the callee was reported.
        let done = self.done;
        let Some(program) = &done[callee] else { return Err(Issue::Reported) };
        if program.args().len() != node.operands.len() || program.results().len() != written.len() {
            let number = if program.args().len() == node.operands.len() { 4 } else { 3 };
            let what = format!(
                "@{name} takes {} argument(s) and gives {} result(s), not {} and {}",
                program.args().len(),
                program.results().len(),
                node.operands.len(),
                written.len()
            );
            return Err(wrong(node, number, what));
        }
        self.spend(size(program).saturating_add(1))?;
        for (want, &v) in written.iter().zip(program.results()) {
            if !want.admits(program.ty(v)) {
                let have = mlir_type(program.ty(v));
                return Err(wrong(node, 4, format!("@{name} gives {have}, but is declared as {want}")));
            }
        }
        for (&formal, u) in program.args().iter().zip(&node.operands) {
            let (want, have) = (program.ty(formal), self.ty_of(*u));
            if have.is_some_and(|have| have != want) {
                let (have, want) = (have.map_or(String::new(), mlir_type), mlir_type(want));
                return Err(wrong(node, 3, format!("@{name} takes {want} where %{} is {have}", u.name)));
            }
        }
        if is_kept(node) {
            return self.composite(node, program, written);
        }
        if let Some(c) = self.known(callee, program) {
            return self.stands_for(node, c, written);
        }
        self.inline(node, program)
    }

    /// The composite with JAX's rule that a call of a private function stands for, if it is one of those.
    fn known(&self, callee: usize, program: &Program) -> Option<Composite> {
        let func = self.tree.funcs.get(callee).filter(|f| !f.public)?;
        known::composite(&unescape(func.name), program)
    }

    /// Adds a composite in the place of a call.
    fn stands_for(&mut self, node: &Node<'a>, c: Composite, written: &[Declared]) -> Result<(), Issue> {
        let operands = self.values(node)?;
        let body = &c.body;
        let names: Vec<Option<String>> =
            body.results().iter().map(|&r| body.value_name(r).map(str::to_owned)).collect();
        let results = self.b.push(Op::Composite(Box::new(c)), &operands)?;
        // As where the function is inlined.
        for (&r, name) in results.iter().zip(names) {
            name.into_iter().for_each(|name| self.b.name(r, name));
        }
        self.results(node, &results, written)
    }

    /// Lowers the body of a function where it is called, for the types and constants it is called with.
    fn call_in_place(&mut self, node: &Node<'a>, callee: usize, written: &[Declared]) -> Result<(), Issue> {
        let func = &self.tree.funcs[callee];
        let name = func.name;
        let Some((last, rest)) =
            func.body.as_ref().and_then(|b| b.split_last()).filter(|(n, _)| n.kind == Some(Kind::Return))
        else {
            self.error(func.at, format!("@{name} has no body that ends with a return"));
            return Err(Issue::Reported);
        };
        if func.args.len() != node.operands.len() || last.operands.len() != written.len() {
            let (n, m) = (func.args.len(), last.operands.len());
            let number = if n == node.operands.len() { 4 } else { 3 };
            let what = format!(
                "@{name} takes {n} argument(s) and gives {m} result(s), not {} and {}",
                node.operands.len(),
                written.len()
            );
            return Err(wrong(node, number, what));
        }
        self.spend(1)?;
        if is_kept(node) {
            let program = self.program_in_place(node, callee)?;
            return self.composite(node, &program, written);
        }
        if !func.public && known::is_name(&unescape(func.name)) {
            let program = self.program_in_place(node, callee)?;
            if let Some(c) = self.known(callee, &program) {
                return self.stands_for(node, c, written);
            }
        }
        let mut slots: Vec<Slot> = func.slot_names.iter().map(|_| Slot::Empty).collect();
        for (formal, u) in func.args.iter().zip(&node.operands) {
            if let Some(have) = self.ty_of(*u).filter(|have| !formal.ty.admits(have)) {
                let (have, want) = (mlir_type(have), show(&formal.ty));
                return Err(wrong(node, 3, format!("@{name} takes {want} where %{} is {have}", u.name)));
            }
            if let Some(slot) = slots.get_mut(formal.slot as usize) {
                *slot = self.share(*u);
            }
        }
        let names = (0, Cow::Borrowed(&func.slot_names[..]));
        let outer = (
            std::mem::replace(&mut self.func, func),
            std::mem::replace(&mut self.slots, slots),
            std::mem::replace(&mut self.names, names),
        );
        for inner in rest {
            self.node(inner);
        }
        let checked = self.check_operand_types(last);
        let results: Vec<Slot> = last.operands.iter().map(|u| self.share(*u)).collect();
        (self.func, self.slots, self.names) = outer;
        checked?;
        for (k, (slot, want)) in results.into_iter().zip(written).enumerate() {
            self.set_checked(node, k as u32, slot, want)?;
        }
        Ok(())
    }

    /// What a slot holds, for another name of it.
    pub(super) fn share(&self, u: Use<'a>) -> Slot {
        match self.slots.get(u.slot as usize) {
            Some(Slot::Value(v)) => Slot::Value(*v),
            Some(Slot::Constant(c)) => Slot::Constant(c.clone()),
            Some(Slot::Empty | Slot::Poison) | None => Slot::Poison,
        }
    }

    /// Makes a result what another slot holds; poison was reported.
    pub(super) fn set_checked(
        &mut self,
        node: &Node<'a>,
        k: u32,
        slot: Slot,
        want: &Declared,
    ) -> Result<(), Issue> {
        let have = match &slot {
            Slot::Value(v) => self.b.ty(*v),
            Slot::Constant(c) => c.0.ty(),
            Slot::Empty | Slot::Poison => return Err(Issue::Reported),
        };
        as_declared(node, k as usize, have, want)?;
        self.set(node.first_result + k, slot);
        Ok(())
    }

    /// Appends a program whose argument and result types were found to fit. Constants stay unmade until they
    /// are read, on either side of the call.
    fn inline(&mut self, node: &Node<'a>, program: &Program) -> Result<(), Issue> {
        let mut map = IdMap::<Value, Inlined>::filled(program.n_values(), Inlined::Later);
        for (&formal, u) in program.args().iter().zip(&node.operands) {
            map[formal] = Inlined::Operand(*u);
        }
        for instr in program.instrs().values() {
            if matches!(instr.op(), Op::Constant(_)) {
                continue;
            }
            let mut operands = Vec::with_capacity(instr.operands().len());
            for &v in instr.operands() {
                operands.push(self.inlined(program, &mut map, v)?);
            }
            let results = self.b.push(instr.op().clone(), &operands)?;
            for (&old, &new) in instr.results().iter().zip(&results) {
                map[old] = Inlined::Value(new);
                if let Some(name) = program.value_name(old) {
                    self.b.name(new, name);
                }
            }
        }
        for (k, &v) in program.results().iter().enumerate() {
            let value = self.inlined(program, &mut map, v)?;
            self.set(node.first_result + k as u32, Slot::Value(value));
        }
        if let Some(callee) = node.callee() {
            self.inherit(node, callee, |this, v| match map[v] {
                Inlined::Value(new) => Some(new),
                Inlined::Operand(u) => match this.slots.get(u.slot as usize) {
                    Some(Slot::Value(v)) => Some(*v),
                    Some(Slot::Constant(_) | Slot::Empty | Slot::Poison) | None => None,
                },
                Inlined::Later => None,
            });
        }
        Ok(())
    }

    /// The value that stands for one of an inlined program.
    fn inlined(
        &mut self,
        program: &Program,
        map: &mut IdMap<Value, Inlined<'a>>,
        v: Value,
    ) -> Result<Value, Issue> {
        let new = match map[v] {
            Inlined::Value(new) => return Ok(new),
            Inlined::Operand(u) => self.value(u),
            Inlined::Later => {
                let literal = constant_of(program, v).cloned();
                literal.map(|l| {
                    let new = self.b.constant(l);
                    if let Some(name) = program.value_name(v) {
                        self.b.name(new, name);
                    }
                    new
                })
            }
        };
        let new = new.ok_or(Issue::Reported)?;
        map[v] = Inlined::Value(new);
        Ok(new)
    }
}

/// Operations of a program and of those its operations run.
fn size(program: &Program) -> usize {
    let below = |op: &Op| op.regions().into_iter().map(size).sum::<usize>();
    program.instrs().values().map(|i| 1 + below(i.op())).sum()
}

/// The literal of a value that a constant defines.
pub(super) fn constant_of(program: &Program, v: Value) -> Option<&Literal> {
    let ValueDef::Result(id, _) = program.def(v) else { return None };
    if let Op::Constant(l) = program.instr(id).op() { Some(l) } else { None }
}
