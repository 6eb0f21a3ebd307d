//! Lifting: a program of scalars applied to every element of tensors at once.
//!
//! A region that a reduction, a sort, a scatter or a map carries becomes a program of scalars first. Lifting it over
//! a shape puts that shape before the shape of each value. What reads no argument stays as it is and is repeated
//! only where it meets what does. A choice is made between the results of all its branches. What has no such form
//! (a loop, say) is refused by name.

use super::FuncLowering;
use super::region::Outside;
use crate::ops::{Issue, Kind, kind_of};
use crate::tree::{Attr, Node, Region};
use pullback_base::IdMap;
use pullback_ir::{
    Builder, Comparison, DType, Instr, Monoid, Op, Program, TensorType, TypeError, Value, ValueDef,
};

const HELP: &str =
    "use operations on scalars in this region: arithmetic, comparisons, select, convert, calls, if";

/// A region's program and what it reads from outside.
pub(super) struct Body {
    /// Its own arguments, then the captured ones.
    pub(super) program: Program,
    pub(super) captured: Vec<Value>,
}

/// How two values of one element become one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Join {
    Monoid(Monoid),
    /// The second one.
    Second,
}

impl Body {
    /// How each result joins the two arguments of its number (of `n` pairs), where that is all it does.
    pub(super) fn joins(&self, n: usize) -> Option<Vec<Join>> {
        let program = &self.program;
        let args = program.args();
        if program.results().len() != n || args.len() < 2 * n {
            return None;
        }
        (0..n)
            .map(|k| {
                let (a, b, result) = (args[k], args[n + k], program.results()[k]);
                if result == b {
                    return Some(Join::Second);
                }
                let ValueDef::Result(id, _) = program.def(result) else { return None };
                let instr = program.instr(id);
                let Op::Binary(op) = instr.op() else { return None };
                let both = *instr.operands() == [a, b] || *instr.operands() == [b, a];
                let dtype = program.ty(a).dtype();
                let monoid = crate::ops::monoid_of(&format!("stablehlo.{op}"), dtype).filter(|_| both)?;
                monoid.identity(&TensorType::scalar(dtype)).map(|_| Join::Monoid(monoid))
            })
            .collect()
    }

    /// Result types.
    pub(super) fn results(&self) -> Vec<TensorType> {
        self.program.results().iter().map(|&v| self.program.ty(v).clone()).collect()
    }

    /// Whether no result depends on argument `i`.
    pub(super) fn ignores(&self, i: usize) -> bool {
        let Some(&arg) = self.program.args().get(i) else { return true };
        self.program.uses()[arg].is_empty() && !self.program.results().contains(&arg)
    }
}

/// Why a program cannot be lifted.
pub(super) enum Unliftable {
    /// An operation that has no form for many elements at once.
    Op(&'static str),
    Type(TypeError),
}

impl From<TypeError> for Unliftable {
    fn from(e: TypeError) -> Self {
        Unliftable::Type(e)
    }
}

type L<T> = Result<T, Unliftable>;

/// Appends `program` applied over `shape`; each argument has that shape before its own, or its own alone. So do
/// the results have it before their own.
pub(super) fn lift(b: &mut Builder, program: &Program, args: &[Value], shape: &[usize]) -> L<Vec<Value>> {
    let none = IdMap::<Value, Option<Lifted>>::filled(program.n_values(), None);
    let mut lifter = Lifter { wide: none.clone(), map: none, b, program, shape };
    for (&formal, &actual) in program.args().iter().zip(args) {
        let varies = lifter.b.ty(actual).rank() > program.ty(formal).rank();
        lifter.map[formal] = Some(Lifted { value: actual, varies });
    }
    for instr in program.instrs().values() {
        lifter.instr(instr)?;
    }
    program.results().iter().map(|&v| lifter.wide(v)).collect()
}

#[derive(Clone, Copy)]
struct Lifted {
    value: Value,
    /// Whether the shape lifted over comes before its own.
    varies: bool,
}

struct Lifter<'l> {
    b: &'l mut Builder,
    program: &'l Program,
    shape: &'l [usize],
    map: IdMap<Value, Option<Lifted>>,
    /// Values that were repeated over the shape.
    wide: IdMap<Value, Option<Lifted>>,
}

impl Lifter<'_> {
    fn get(&self, v: Value) -> L<Lifted> {
        self.map[v].ok_or_else(|| Unliftable::Type(TypeError::new("a region got too few arguments")))
    }

    /// The value with the shape before its own.
    fn wide(&mut self, v: Value) -> L<Value> {
        let lifted = self.get(v)?;
        if lifted.varies || self.shape.is_empty() {
            return Ok(lifted.value);
        }
        if let Some(wide) = self.wide[v] {
            return Ok(wide.value);
        }
        let own = self.program.ty(v).shape();
        let n = self.shape.len();
        let dims: Vec<usize> = (n..n + own.len()).collect();
        let value = self.b.broadcast(lifted.value, &[self.shape, own].concat(), &dims)?;
        self.wide[v] = Some(Lifted { value, varies: true });
        Ok(value)
    }

    fn instr(&mut self, instr: &Instr) -> L<()> {
        let mut varies = false;
        for &v in instr.operands() {
            varies |= self.get(v)?.varies;
        }
        if !varies {
            let operands = instr.operands().iter().map(|&v| Ok(self.get(v)?.value)).collect::<L<Vec<_>>>()?;
            let results = self.b.push(instr.op().clone(), &operands)?;
            for (&old, value) in instr.results().iter().zip(results) {
                self.map[old] = Some(Lifted { value, varies: false });
            }
            return Ok(());
        }
        if let Op::Case { branches } = instr.op() {
            return self.case(instr, branches);
        }
        if let Op::Composite(c) = instr.op() {
            let xs = instr.operands().iter().map(|&v| self.wide(v)).collect::<L<Vec<_>>>()?;
            let values = lift(self.b, &c.body, &xs, self.shape)?;
            for (&old, value) in instr.results().iter().zip(values) {
                self.map[old] = Some(Lifted { value, varies: true });
            }
            return Ok(());
        }
        let op = self.op(instr)?;
        let mut operands = Vec::with_capacity(instr.operands().len());
        for (i, &v) in instr.operands().iter().enumerate() {
            operands.push(self.operand(instr, i, v)?);
        }
        let value = self.b.push1(op, &operands)?;
        self.map[instr.result()] = Some(Lifted { value, varies: true });
        Ok(())
    }

    /// Operand `i`; a predicate, a bound or a padding value of rank 0 stays so where it does not vary.
    fn operand(&mut self, instr: &Instr, i: usize, v: Value) -> L<Value> {
        let scalar = matches!((instr.op(), i), (Op::Select, 0) | (Op::Clamp, 0 | 2) | (Op::Pad { .. }, 1));
        let lifted = self.get(v)?;
        if !scalar || self.program.ty(v).rank() > 0 {
            return self.wide(v);
        }
        let own = self.program.ty(instr.result()).shape();
        if !lifted.varies || own.is_empty() {
            return Ok(lifted.value);
        }
        if matches!(instr.op(), Op::Pad { .. }) {
            return Err(Unliftable::Op(instr.op().name()));
        }
        let dims: Vec<usize> = (0..self.shape.len()).collect();
        Ok(self.b.broadcast(lifted.value, &[self.shape, own].concat(), &dims)?)
    }

    /// The operation with the shape put before the shapes it names.
    fn op(&self, instr: &Instr) -> L<Op> {
        let n = self.shape.len();
        let before = |own: &[usize]| [self.shape, own].concat();
        let shifted = |dims: &[usize]| -> Vec<usize> { dims.iter().map(|d| d + n).collect() };
        let all_then = |dims: &[usize]| -> Vec<usize> { (0..n).chain(shifted(dims)).collect() };
        let padded = |low: &[i64]| -> Vec<i64> { [vec![0; n], low.to_vec()].concat() };
        let op = instr.op();
        Ok(match op {
            Op::Unary(_)
            | Op::Binary(_)
            | Op::Compare { .. }
            | Op::Select
            | Op::Clamp
            | Op::Convert { .. }
            | Op::BitcastConvert { .. }
            | Op::ReducePrecision { .. } => op.clone(),
            Op::BroadcastInDim { shape, dims } => {
                Op::BroadcastInDim { shape: before(shape), dims: all_then(dims) }
            }
            Op::Reshape { shape } => Op::Reshape { shape: before(shape) },
            Op::Transpose { permutation } => Op::Transpose { permutation: all_then(permutation) },
            Op::Slice { starts, limits, strides } => Op::Slice {
                starts: [vec![0; n], starts.clone()].concat(),
                limits: before(limits),
                strides: [vec![1; n], strides.clone()].concat(),
            },
            Op::Concatenate { dim } => Op::Concatenate { dim: dim + n },
            Op::Pad { low, high, interior } => Op::Pad {
                low: padded(low),
                high: padded(high),
                interior: [vec![0; n], interior.clone()].concat(),
            },
            Op::Reverse { dims } => Op::Reverse { dims: shifted(dims) },
            Op::Reduce { dims, monoid } => Op::Reduce { dims: shifted(dims), monoid: *monoid },
            Op::Constant(_)
            | Op::Iota { .. }
            | Op::DotGeneral(_)
            | Op::Convolution(_)
            | Op::Gather(_)
            | Op::Scatter { .. }
            | Op::DynamicSlice { .. }
            | Op::DynamicUpdateSlice
            | Op::ReduceWindow { .. }
            | Op::SelectAndScatter { .. }
            | Op::Argsort { .. }
            | Op::Fft { .. }
            | Op::Linalg(_)
            | Op::RngBitGenerator { .. }
            | Op::Communicate(_)
            | Op::While { .. }
            | Op::Case { .. }
            | Op::Composite(_)
            | Op::Custom(_) => return Err(Unliftable::Op(op.name())),
        })
    }

    /// All branches, then a selection for each result; an index out of range takes the last.
    fn case(&mut self, instr: &Instr, branches: &[Program]) -> L<()> {
        let Some((&index, captured)) = instr.operands().split_first() else {
            return Err(Unliftable::Op("case"));
        };
        let captured = captured.iter().map(|&v| Ok(self.get(v)?.value)).collect::<L<Vec<_>>>()?;
        let mut all = Vec::with_capacity(branches.len());
        for branch in branches {
            all.push(lift(self.b, branch, &captured, self.shape)?);
        }
        let Some(mut chosen) = all.pop() else { return Err(Unliftable::Op("case")) };
        let index = self.wide(index)?;
        for (k, branch) in all.iter().enumerate() {
            let ty = self.b.ty(index).clone();
            let k = self.b.splat(&ty, k as f64);
            let here = self.b.compare(Comparison::Eq, index, k)?;
            for (c, &value) in chosen.iter_mut().zip(branch) {
                let shape = self.b.ty(value).shape().to_vec();
                let dims: Vec<usize> = (0..self.shape.len()).collect();
                let here =
                    if shape.len() == dims.len() { here } else { self.b.broadcast(here, &shape, &dims)? };
                *c = self.b.select(here, value, *c)?;
            }
        }
        for (&old, &value) in instr.results().iter().zip(&chosen) {
            self.map[old] = Some(Lifted { value, varies: true });
        }
        Ok(())
    }
}

/// Where an operation of this name is in regions, as deep as it may be.
fn place_of(regions: &[Region<'_>], name: &str) -> Option<usize> {
    let mut nodes = regions.iter().flat_map(|r| &r.nodes);
    nodes.find_map(|node| {
        let here = node.name.split_once('.').is_some_and(|(_, op)| op == name);
        place_of(&node.regions, name).or_else(|| here.then_some(node.at))
    })
}

impl<'a> FuncLowering<'_, 'a, '_> {
    /// The program of a region on scalars. Its arguments have the types that the region says; how they fit is the
    /// caller's to check. `applies` names the one operation of the short form of a reduction.
    pub(super) fn body(&mut self, node: &Node<'a>, region: usize, elements: &[DType]) -> Result<Body, Issue> {
        if let (Some(Attr::Word(name)), 0) = (node.attr(&["applies"]), region) {
            return applied(node, name, elements);
        }
        let Some(r) = node.regions.get(region) else {
            return Err(Issue::Error(format!("{} lacks a region", node.name)));
        };
        let mut own = Vec::with_capacity(r.args.len());
        for arg in &r.args {
            own.push(self.tensor(&arg.ty).ok_or(Issue::Reported)?);
        }
        if let Some(ty) = own.iter().find(|ty| ty.rank() > 0) {
            let ty = crate::types::mlir_type(ty);
            return Err(Issue::Error(format!("{}: its region takes {ty}, which is no scalar", node.name)));
        }
        let outside: Outside = self.outside(std::slice::from_ref(r));
        let program = self.region(node, r, "body", &own, &outside)?;
        Ok(Body { program, captured: outside.values() })
    }

    /// A body applied to arguments of one shape; its results have that shape.
    pub(super) fn apply(
        &mut self,
        node: &Node<'a>,
        body: &Body,
        args: &[Value],
        shape: &[usize],
    ) -> Result<Vec<Value>, Issue> {
        let args: Vec<Value> = args.iter().chain(&body.captured).copied().collect();
        let before = self.b.so_far().instrs().len();
        let results = lift(&mut self.b, &body.program, &args, shape);
        self.spend(self.b.so_far().instrs().len() - before)?;
        results.map_err(|e| self.unliftable(node, e))
    }

    /// Reports what cannot be lifted, at its place.
    pub(super) fn unliftable(&mut self, node: &Node<'a>, why: Unliftable) -> Issue {
        match why {
            Unliftable::Type(e) => Issue::Type(e),
            Unliftable::Op(name) => {
                let at = place_of(&node.regions, name).unwrap_or(node.at);
                let what =
                    format!("{name} in the region of {}, which is applied to single elements", node.name);
                self.broken = true;
                self.sink.unsupported(at, what, HELP);
                Issue::Reported
            }
        }
    }
}

/// The program of one operation on two scalars.
fn applied(node: &Node<'_>, name: &str, elements: &[DType]) -> Result<Body, Issue> {
    let (Some(Kind::Binary(op)), &[dtype]) = (kind_of(name), elements) else {
        return Err(Issue::Unsupported(format!("{} that applies {name}", node.name), HELP));
    };
    let mut b = Builder::new("body");
    let ty = TensorType::scalar(dtype);
    let (x, y) = (b.arg(None, ty.clone()), b.arg(None, ty));
    let result = b.binary(op, x, y)?;
    Ok(Body { program: b.finish(&[result]), captured: Vec::new() })
}
