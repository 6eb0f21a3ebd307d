//! From the syntax tree to programs.
//!
//! Each function is lowered once, callees first, and inlined into its callers. Everything that is wrong or not supported
//! is reported, not only the first: a value that could not be made is poison, and what reads poison is skipped silently.
//! Constants are made where they are first read: the initial value of a reduction leaves nothing behind when neutral.

mod annotate;
mod calls;
mod collective;
mod custom;
mod dynamic;
mod emit;
mod expand;
mod expanded;
mod fold;
mod interface;
mod lapack;
mod lift;
mod manual;
mod marks;
mod network;
mod reduce;
mod region;
mod scatter;
mod sink;
mod sort;
mod stream;
mod window;

use crate::annotations::{FunctionAnnotations, ValueAnnotation};
use crate::constraints;
use crate::declared::Declared;
use crate::lexer::unescape;
use crate::literals::{elements_of_bytes, parse_elements};
use crate::ops::algorithm::{self, Algorithm};
use crate::ops::{Issue, Kind, op_of, way_out};
use crate::specialize::{Specialization, arg_names, bodies};
use crate::tree::{Attr, Func, Node, Sig, Tree, Ty, Use};
use crate::types::{mlir_type, show};
use calls::{callees_first, calls_of};
pub(crate) use custom::full_name;
pub(crate) use marks::bind;
use pullback_base::{Diagnostic, Id, Severity};
use pullback_ir::{BinaryOp, Builder, Composite, Literal, Program, TensorType, Value, ValueDef};
use sink::Sink;
use std::borrow::Cow;
use std::collections::BTreeMap;
pub(crate) use stream::lower_text;

/// How many operations all functions may have together, once calls are inlined and regions written out: at most, and
/// whatever the text; and for each operation in the text.
const MAX_OPS: usize = 1_000_000;
const MIN_OPS: usize = 100_000;
const OPS_EACH: usize = 100;
/// How deep calls that are lowered in place and regions may nest.
const MAX_DEPTH: u32 = 256;
/// How many findings are reported.
const MAX_DIAGS: usize = 200;

/// What lowering a tree gave.
pub(crate) struct Lowered {
    pub(crate) functions: Vec<Program>,
    pub(crate) notes: Vec<Diagnostic>,
    pub(crate) annotations: Vec<FunctionAnnotations>,
}

/// Lowers the public functions and whatever they call.
///
/// Where a shape is open, a function is lowered anew for each call of it: its types, and what is constant in it,
/// are the caller's. Where none is, each function is lowered once, and its operations are let go on the way.
pub(crate) fn lower(mut tree: Tree<'_>, spec: &Specialization) -> Result<Lowered, Vec<Diagnostic>> {
    let mut sink = Sink::new(&tree, most_ops(&tree));
    sink.in_manual = manual::called_within(&tree);
    let mut index = BTreeMap::new();
    for (i, f) in tree.funcs.iter().enumerate() {
        if index.insert(f.name, i).is_some() {
            sink.error(f.at, format!("@{} is defined twice", f.name));
        }
    }
    module_notes(&tree, &mut sink);
    let open = dynamic::is_open(&tree);
    let mut roots: Vec<usize> = (0..tree.funcs.len()).filter(|&i| tree.funcs[i].public).collect();
    if roots.is_empty() {
        sink.error(0, "the module has no public function".to_owned());
    }
    let bodies = bodies(&tree);
    roots.retain(|&i| !spec.left_out.contains(&i) && !bodies.contains(tree.funcs[i].name));
    let mut order = callees_first(tree.funcs.len(), &index, &roots, &mut sink, |i| calls_of(&tree.funcs[i]));
    if open {
        order.retain(|i| roots.contains(i));
        if !sink.diags.is_empty() {
            return Err(sink.diags);
        }
    }
    let mut done: Vec<Option<Program>> = tree.funcs.iter().map(|_| None).collect();
    let mut total = 0;
    for i in order {
        let mut names = arg_names(&tree, &tree.funcs[i]);
        if spec.positions {
            names.fill(crate::places::place_name(tree.places.pos(tree.funcs[i].at)));
        }
        let body = if open { None } else { tree.funcs[i].body.take() };
        let mut lowering = FuncLowering::new(&tree, &tree.funcs[i], &index, &done, &mut sink, &mut total);
        lowering.open = open;
        lowering.operators = Some(&spec.operators);
        lowering.positions = spec.positions;
        lowering.args(names, spec.given.get(&i).map_or(&[], |given| given));
        let body = body.map(Body::Owned).or(tree.funcs[i].body.as_deref().map(Body::Borrowed));
        done[i] = lowering.run(body);
    }
    if !sink.diags.is_empty() {
        return Err(sink.diags);
    }
    let kept = |&i: &usize| sink.annotations.remove(tree.funcs[i].name).unwrap_or_default();
    let annotations = roots.iter().map(kept).collect();
    let functions = roots.into_iter().filter_map(|i| done[i].take()).collect();
    Ok(Lowered { functions, notes: sink.notes, annotations })
}

/// How many operations are written.
fn count(nodes: &[Node<'_>]) -> usize {
    nodes.iter().map(|n| 1 + n.regions.iter().map(|r| count(&r.nodes)).sum::<usize>()).sum()
}

/// A small text may say a lot by calling what calls, but not without end.
fn most_ops(tree: &Tree<'_>) -> usize {
    most_of(tree.funcs.iter().filter_map(|f| f.body.as_deref()).map(count).sum())
}

/// How many operations so many may become.
fn most_of(written: usize) -> usize {
    written.saturating_mul(OPS_EACH).clamp(MIN_OPS, MAX_OPS)
}

/// Whether there is a way to lower an operation, as far as its name says.
pub(crate) fn is_lowered(node: &Node<'_>) -> bool {
    match node.kind {
        None => false,
        Some(Kind::CustomCall) => custom::target_of(node).is_some() || custom::operator(node).is_some(),
        Some(_) => true,
    }
}

fn module_notes(tree: &Tree<'_>, sink: &mut Sink<'_>) {
    for node in &tree.others {
        if node.name.starts_with("sdy.") {
            let message =
                format!("{} is kept, not used: the strategy says how a program is distributed", node.name);
            sink.note(Severity::Warning, node.at, node.name, message);
        } else {
            sink.unsupported(
                node.at,
                format!("{} beside the functions of a module", node.name),
                way_out(node.name),
            );
        }
    }
    if let Some(at) = tree.sharding_at {
        let message =
            "sdy.sharding is kept, not used: the strategy says how a program is distributed".to_owned();
        sink.note(Severity::Warning, at, "sdy.sharding", message);
    }
}

/// What a slot holds.
enum Slot {
    Empty,
    /// Could not be made; reported already.
    Poison,
    Value(Value),
    /// A constant nothing has read yet, and its name.
    Constant(Box<(Literal, String)>),
}

/// The operations of a function.
enum Body<'t, 'a> {
    Borrowed(&'t [Node<'a>]),
    /// Each is let go once it is lowered.
    Owned(Vec<Node<'a>>),
}

/// After how many operations let go their memory is given back.
const RELEASED: usize = 4096;

struct FuncLowering<'t, 'a, 's> {
    tree: &'t Tree<'a>,
    func: &'t Func<'a>,
    index: &'t BTreeMap<&'a str, usize>,
    done: &'t [Option<Program>],
    sink: &'s mut Sink<'a>,
    /// Operations of all functions so far.
    total: &'s mut usize,
    b: Builder,
    slots: Vec<Slot>,
    /// Names of the slots from this one on.
    names: (u32, Cow<'t, [&'a str]>),
    broken: bool,
    /// Computations of single devices around the current operation.
    manual_depth: u32,
    /// What was said of values so far.
    marks: Vec<ValueAnnotation>,
    /// Whether the module has open shapes: what is constant is worked out, and calls are lowered in place.
    open: bool,
    /// Composites that stand for calls, by target.
    operators: Option<&'t BTreeMap<String, Composite>>,
    /// Values are named by their places.
    positions: bool,
    /// Operations being lowered around the current one.
    depth: u32,
}

impl<'t, 'a, 's> FuncLowering<'t, 'a, 's> {
    fn new(
        tree: &'t Tree<'a>,
        func: &'t Func<'a>,
        index: &'t BTreeMap<&'a str, usize>,
        done: &'t [Option<Program>],
        sink: &'s mut Sink<'a>,
        total: &'s mut usize,
    ) -> Self {
        let slots = func.slot_names.iter().map(|_| Slot::Empty).collect();
        let b = Builder::new(unescape(func.name));
        let manual_depth = u32::from(sink.in_manual.contains(func.name));
        Self {
            tree,
            func,
            index,
            done,
            sink,
            total,
            b,
            slots,
            names: (0, Cow::Borrowed(&func.slot_names)),
            broken: false,
            manual_depth,
            marks: Vec::new(),
            open: false,
            operators: None,
            positions: false,
            depth: 0,
        }
    }

    /// The program, or `None` after reporting why there is none. Arguments were made.
    fn run(mut self, body: Option<Body<'_, 'a>>) -> Option<Program> {
        let func = self.func;
        let results = match body {
            None => {
                self.error(func.at, format!("@{} has no body", func.name));
                return None;
            }
            Some(Body::Borrowed([rest @ .., last])) if last.kind == Some(Kind::Return) => {
                for node in rest {
                    self.node(node);
                }
                self.returns(last)
            }
            Some(Body::Owned(mut nodes)) if nodes.last().is_some_and(|n| n.kind == Some(Kind::Return)) => {
                let last = nodes.pop();
                nodes.reverse();
                while let Some(node) = nodes.pop() {
                    self.node(&node);
                    if nodes.len() % RELEASED == 0 {
                        nodes.shrink_to_fit();
                    }
                }
                last.and_then(|last| self.returns(&last))
            }
            Some(Body::Borrowed(_) | Body::Owned(_)) => {
                self.error(func.at, format!("@{} does not end with a return", func.name));
                return None;
            }
        };
        if self.broken {
            return None;
        }
        let results = results?;
        self.keep_annotations(results.len());
        Some(self.b.finish_named(results))
    }

    fn error(&mut self, at: usize, message: String) {
        self.broken = true;
        self.sink.error(at, message);
    }

    fn issue(&mut self, at: usize, issue: Issue) {
        self.broken = true;
        match issue {
            Issue::Error(message) | Issue::Attribute(_, message) => self.sink.error(at, message),
            Issue::Type(e) => self.sink.error(at, e.to_string()),
            Issue::Unsupported(what, help) => self.sink.unsupported(at, what, help),
            Issue::Reported => {}
        }
    }

    fn set(&mut self, slot: u32, value: Slot) {
        if let Some(s) = self.slots.get_mut(slot as usize) {
            *s = value;
        }
    }

    fn poison(&mut self, node: &Node<'a>) {
        self.broken = true;
        for k in 0..node.n_results {
            self.set(node.first_result + k, Slot::Poison);
        }
    }

    /// The value of an operand, made now if it is a constant; `None` if it is poison.
    fn value(&mut self, operand: Use<'a>) -> Option<Value> {
        let slot = self.slots.get_mut(operand.slot as usize)?;
        match slot {
            Slot::Value(v) => Some(*v),
            Slot::Constant(c) => {
                let (literal, name) = (c.0.clone(), std::mem::take(&mut c.1));
                let v = self.b.constant(literal);
                self.b.name(v, name);
                *slot = Slot::Value(v);
                Some(v)
            }
            Slot::Empty | Slot::Poison => None,
        }
    }

    fn ty_of(&self, operand: Use<'a>) -> Option<&TensorType> {
        match self.slots.get(operand.slot as usize)? {
            Slot::Value(v) => Some(self.b.ty(*v)),
            Slot::Constant(c) => Some(c.0.ty()),
            Slot::Empty | Slot::Poison => None,
        }
    }

    fn node(&mut self, node: &Node<'a>) {
        let Some(kind) = node.kind.filter(|_| is_lowered(node)) else {
            self.sink.unsupported(node.at, full_name(node), custom::custom_way_out(node));
            self.unsupported_below(node);
            return self.poison(node);
        };
        let known = |s: &Self, u: &Use<'a>| s.ty_of(*u).is_some();
        if !node.operands.iter().all(|u| known(self, u)) {
            return self.poison(node);
        }
        if let Err(issue) = self.spend(0) {
            self.issue(node.at, issue);
            return self.poison(node);
        }
        if self.depth > MAX_DEPTH {
            self.error(node.at, format!("calls and regions are nested deeper than {MAX_DEPTH} levels"));
            return self.poison(node);
        }
        let before = self.b.so_far().n_values();
        self.depth += 1;
        let checked = self.check_operand_types(node).and_then(|()| self.constraints(node));
        let lowered = checked.and_then(|()| self.lower(node, kind));
        self.depth -= 1;
        match lowered {
            Ok(()) => {
                self.name_parts(node, before);
                self.annotate(node);
            }
            Err(issue) => {
                self.issue(node.at, constraints::named(node, issue));
                self.poison(node);
            }
        }
    }

    /// What an operation becomes shares its name; what is inlined has names of its own.
    fn name_parts(&mut self, node: &Node<'a>, before: usize) {
        if node.n_results == 0 || matches!(node.kind, Some(Kind::Call | Kind::Composite)) {
            return;
        }
        for v in (before..self.b.so_far().n_values()).map(Value::from_index) {
            let program = self.b.so_far();
            if program.value_name(v).is_none() && matches!(program.def(v), ValueDef::Result(..)) {
                self.b.name(v, self.result_name(node, 0));
            }
        }
    }

    /// Reports what is not supported inside an operation that is not supported.
    fn unsupported_below(&mut self, node: &Node<'a>) {
        for inner in node.regions.iter().flat_map(|r| &r.nodes) {
            if !is_lowered(inner) && inner.name != "sdy.return" {
                self.sink.unsupported(inner.at, full_name(inner), custom::custom_way_out(inner));
            }
            self.unsupported_below(inner);
        }
    }

    /// The constraints that are about a node as written.
    fn constraints(&self, node: &Node<'a>) -> Result<(), Issue> {
        let of = |u: &Use<'a>| self.ty_of(*u).ok_or(Issue::Reported);
        constraints::check(node, || node.operands.iter().map(of).collect())
    }

    /// Operand types as written are those of the values.
    fn check_operand_types(&mut self, node: &Node<'a>) -> Result<(), Issue> {
        let n = node.operands.len();
        let written: Vec<&Ty<'a>> = match &node.sig {
            Sig::Fn(ins, _) if ins.len() != n => {
                return Err(Issue::Error(format!(
                    "{} has {n} operand(s) but {} operand type(s)",
                    node.name,
                    ins.len()
                )));
            }
            Sig::Fn(ins, _) => ins.iter().collect(),
            Sig::List(list) if node.kind == Some(Kind::Select) && list.len() == 2 => {
                vec![&list[0], &list[1], &list[1]]
            }
            // Only the result's type is written; parts are checked when it is inferred.
            Sig::List(_) if node.kind == Some(Kind::Binary(BinaryOp::Complex)) => return Ok(()),
            Sig::List(list) if list.len() == n => list.iter().collect(),
            Sig::List(list) if list.len() == 1 => vec![&list[0]; n],
            Sig::List(list) => {
                return Err(Issue::Error(format!(
                    "{} has {n} operand(s) but {} type(s)",
                    node.name,
                    list.len()
                )));
            }
            Sig::None if node.kind == Some(Kind::Return) => return Ok(()),
            Sig::Results(_) => return Ok(()),
            Sig::None => return Err(Issue::Error(format!("{} has no types", node.name))),
        };
        for (operand, ty) in node.operands.iter().zip(written) {
            let Some(have) = self.ty_of(*operand) else { continue };
            if !ty.admits(have) {
                let message = format!(
                    "%{} is {}, but {} takes it as {}",
                    operand.name,
                    mlir_type(have),
                    node.name,
                    show(ty)
                );
                self.error(operand.at, message);
                return Err(Issue::Reported);
            }
        }
        Ok(())
    }

    /// Result types as written.
    fn written_results(&mut self, node: &Node<'a>) -> Result<Vec<Declared>, Issue> {
        let written = node.result_types();
        if written.len() != node.n_results as usize {
            return Err(Issue::Error(format!(
                "{} names {} result(s) but has {} result type(s)",
                node.name,
                node.n_results,
                written.len()
            )));
        }
        written
            .iter()
            .map(|t| {
                t.declared().ok_or_else(|| {
                    self.tensor(t);
                    Issue::Reported
                })
            })
            .collect()
    }

    /// Lowers one operation whose operands are all known.
    fn lower(&mut self, node: &Node<'a>, kind: Kind) -> Result<(), Issue> {
        if kind == Kind::Return {
            return Err(Issue::Error("a return before the end of its function".to_owned()));
        }
        let written = self.written_results(node)?;
        if self.open && self.fold(node, kind, &written)? {
            return Ok(());
        }
        match kind {
            Kind::Constant => return self.constant(node, &written),
            Kind::Call | Kind::Composite => return self.call(node, &written),
            Kind::Identity => return self.identity(node, &written),
            Kind::Algorithm(which) => return self.algorithm(node, which, &written),
            Kind::Manual => return self.manual(node, &written),
            Kind::Named => return self.named(node, &written),
            Kind::Remark => return Ok(()),
            Kind::Collective(which) => return self.collective(node, which, &written),
            Kind::Expanded(which) => return self.expanded(node, which, &written),
            Kind::While => return self.while_loop(node, &written),
            Kind::Case | Kind::If => return self.case(node, &written),
            Kind::Sort => return self.sort(node, &written),
            Kind::TopK => return self.top_k(node, &written),
            Kind::Reduce => return self.reduce(node, &written),
            Kind::ReduceWindow => return self.reduce_window(node, &written),
            Kind::Scatter => return self.scatter(node, &written),
            Kind::SelectAndScatter => return self.select_and_scatter(node, &written),
            Kind::Shape(op) => return self.shape_op(node, op, &written),
            Kind::Bound => return self.bound(node, &written),
            Kind::CustomCall => return self.custom_call(node, &written),
            _ => {}
        }
        let [want] = &written[..] else {
            let n = written.len();
            return Err(Issue::Error(format!("{} with {n} results: it has one", node.name)));
        };
        let op = op_of(node, kind, want)?;
        let mut operands = self.values(node)?;
        if matches!(kind, Kind::Dot | Kind::Convolution) {
            self.widen(node, &mut operands, want)?;
        }
        self.spend(1)?;
        let value = self.b.push1(op, &operands)?;
        constraints::as_declared(node, 0, self.b.ty(value), want)?;
        self.b.name(value, self.result_name(node, 0));
        self.set(node.first_result, Slot::Value(value));
        Ok(())
    }

    /// The results of a node: their types are checked, and those that have no name get one.
    fn results(&mut self, node: &Node<'a>, values: &[Value], written: &[Declared]) -> Result<(), Issue> {
        if values.len() != written.len() {
            return Err(constraints::miscounted(node, values.len(), written.len()));
        }
        for (k, (&v, want)) in values.iter().zip(written).enumerate() {
            constraints::as_declared(node, k, self.b.ty(v), want)?;
            // An argument keeps its name or that it has none.
            let made = matches!(self.b.so_far().def(v), ValueDef::Result(..));
            if made && self.b.so_far().value_name(v).is_none() {
                self.b.name(v, self.result_name(node, k as u32));
            }
            self.set(node.first_result + k as u32, Slot::Value(v));
        }
        Ok(())
    }

    /// An operation of one or several results.
    fn algorithm(&mut self, node: &Node<'a>, which: Algorithm, written: &[Declared]) -> Result<(), Issue> {
        let op = algorithm::op_of(node, which, written.get(1))?;
        let operands = self.values(node)?;
        self.spend(1)?;
        let results = self.b.push(op, &operands).map_err(|e| Issue::Error(e.to_string()))?;
        self.results(node, &results, written)
    }

    fn constant(&mut self, node: &Node<'a>, written: &[Declared]) -> Result<(), Issue> {
        let [Declared::Exact(want)] = written else {
            return Err(Issue::Error("a constant has one result".to_owned()));
        };
        let (ty, at) = match node.attr(&["value"]) {
            Some(Attr::Dense { at, ty, .. }) => (ty.as_ref(), *at),
            Some(Attr::Data { at, ty, .. }) => (Some(ty), *at),
            Some(Attr::Raw(text)) if text.starts_with("dense_resource") => {
                return Err(Issue::Unsupported(
                    format!("{text}: the file does not hold this resource"),
                    "print the module with its resources, which stand at the end between {-# and #-}",
                ));
            }
            _ => {
                return Err(Issue::Unsupported(
                    "a constant whose value is not dense<...>".to_owned(),
                    "print the module without eliding or moving large constants",
                ));
            }
        };
        if let Some(Ty::Tensor(ty)) = ty {
            constraints::as_declared(node, 0, ty, &written[0])?;
        }
        let literal = match node.attr(&["value"]) {
            Some(Attr::Data { bytes, .. }) => elements_of_bytes(bytes, want).map_err(|m| (0, m)),
            Some(Attr::Dense { text, .. }) => parse_elements(text, want).map_err(|e| (e.at, e.message)),
            _ => return Err(Issue::Reported),
        };
        match literal {
            Ok(literal) => {
                let name = self.result_name(node, 0);
                self.set(node.first_result, Slot::Constant(Box::new((literal, name))));
                Ok(())
            }
            Err((offset, message)) => {
                self.error(at + offset, format!("constant: {message}"));
                Err(Issue::Reported)
            }
        }
    }

    fn identity(&mut self, node: &Node<'a>, written: &[Declared]) -> Result<(), Issue> {
        if node.operands.len() != node.n_results as usize {
            return Err(constraints::miscounted(node, node.operands.len(), written.len()));
        }
        if !node.name.ends_with("tuple") && !node.name.ends_with("tuple_element") {
            let name = full_name(node);
            let message = format!("{name} is imported as its operands: it changes no value");
            self.sink.note(Severity::Warning, node.at, &name, message);
        }
        let values = self.values(node)?;
        self.results(node, &values, written)
    }
}
