//! Calls: the order in which functions are lowered, and inlining.

use super::{FuncLowering, Sink, Slot};
use crate::ops::{Issue, Kind};
use crate::tree::{Attr, Node, Tree, Use};
use crate::types::mlir_type;
use pullback_base::{IdMap, Severity};
use pullback_ir::{Literal, Op, Program, TensorType, Value, ValueDef};
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

/// Functions reachable from `roots`, each after those it calls. A call that closes a cycle is an error.
pub(super) fn callees_first(
    tree: &Tree<'_>,
    index: &BTreeMap<&str, usize>,
    roots: &[usize],
    sink: &mut Sink<'_>,
) -> Vec<usize> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
    }
    let calls_of = |i: usize| {
        let mut calls = Vec::new();
        collect_calls(tree.funcs[i].body.as_deref().unwrap_or(&[]), &mut calls);
        calls
    };
    let mut state = vec![State::New; tree.funcs.len()];
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

impl<'a> FuncLowering<'_, 'a, '_> {
    /// Lowers a call or a composite by inlining the function it stands for.
    pub(super) fn call(&mut self, node: &Node<'a>, written: &[TensorType]) -> Result<(), Issue> {
        let Some(name) = node.callee() else {
            return Err(Issue::Unsupported(
                format!("{} without a function to stand for it", node.name),
                "export the operator's definition with the module",
            ));
        };
        let Some(&callee) = self.index.get(name) else {
            return Err(Issue::Error(format!("@{name} is not defined in this module")));
        };
        // Without a program, the callee was reported.
        let done = self.done;
        let Some(program) = &done[callee] else { return Err(Issue::Reported) };
        if program.args().len() != node.operands.len() || program.results().len() != written.len() {
            return Err(Issue::Error(format!(
                "@{name} takes {} argument(s) and gives {} result(s), not {} and {}",
                program.args().len(),
                program.results().len(),
                node.operands.len(),
                written.len()
            )));
        }
        self.spend(size(program).saturating_add(1))?;
        if node.kind == Some(Kind::Composite)
            && let Some(Attr::Str(composite)) = node.attr(&["name"])
        {
            let message = format!("composite \"{composite}\" is imported as its decomposition @{name}");
            self.sink.note(Severity::Note, node.at, composite, message);
        }
        for (want, &v) in written.iter().zip(program.results()) {
            if program.ty(v) != want {
                let (have, want) = (mlir_type(program.ty(v)), mlir_type(want));
                return Err(Issue::Error(format!("@{name} gives {have}, but is declared as {want}")));
            }
        }
        for (&formal, u) in program.args().iter().zip(&node.operands) {
            let (want, have) = (program.ty(formal), self.ty_of(*u));
            if have.is_some_and(|have| have != want) {
                let (have, want) = (have.map_or(String::new(), mlir_type), mlir_type(want));
                return Err(Issue::Error(format!("@{name} takes {want} where %{} is {have}", u.name)));
            }
        }
        self.inline(node, program)
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
            let results =
                self.b.push(instr.op().clone(), &operands).map_err(|e| Issue::Error(e.to_string()))?;
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
