//! A program as the backend sees it: nodes that compute, read through strided views.
//!
//! Building it removes dead code, common subexpressions and constant subgraphs, and turns every op that only
//! moves elements into a view, or a copy where no strides express it. Elementwise ops are computed over the
//! dimensions they depend on; broadcasting the result is a view. All of this leaves each element's arithmetic as
//! it was.

use super::kinds::{is_elementwise, is_narrow, reads_rows};
use super::view::{Node, View, dense_strides};
use crate::buffer::{ALIGN, Tensor};
use crate::error::Result;
use crate::reference;
use pullback_base::{Id, IdMap};
use pullback_ir::{
    BinaryOp, DType, DTypeClass, DotDims, Instr, Literal, Monoid, Op, Program, TensorType, UnaryOp, Value,
};
use std::collections::BTreeMap;

/// Constant subgraphs are folded up to this many elements.
const FOLD_LIMIT: usize = 1 << 18;
/// Operands of elementwise ops with a stride along their last dimension are copied from this many elements on.
const COPY_FROM: usize = 1 << 12;

/// What a node does.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Kind {
    Arg(usize),
    /// A splat is a scalar that views repeat, except where one without gaps is wanted.
    Const(Literal),
    /// Writes a view row-major.
    Copy,
    /// An op, elementwise ones over `shape`, others as in the program.
    Op(Op),
    /// An op that runs programs; all its results one after the other, as bytes.
    Packed(Op),
    /// Bytes of a packed node, from here on.
    Unpacked(usize),
}

#[derive(Debug)]
pub(super) struct NodeData {
    pub(super) kind: Kind,
    pub(super) ins: Vec<View>,
    pub(super) dtype: DType,
    pub(super) shape: Vec<usize>,
    /// Where result elements are stored; row-major unless a dot_general writes transposed.
    pub(super) strides: Vec<usize>,
}

impl NodeData {
    pub(super) fn count(&self) -> usize {
        self.shape.iter().product()
    }

    pub(super) fn ty(&self) -> TensorType {
        TensorType::new(self.dtype, self.shape.clone())
    }

    /// Bytes of its storage.
    pub(super) fn bytes(&self) -> usize {
        self.count() * self.dtype.size()
    }

    pub(super) fn is_elementwise(&self) -> bool {
        matches!(&self.kind, Kind::Op(op) if is_elementwise(op))
    }
}

/// Nodes in an order in which operands come first, and the program's results.
#[derive(Debug, Default)]
pub(super) struct Graph {
    pub(super) nodes: IdMap<Node, NodeData>,
    pub(super) results: Vec<View>,
}

/// The graph of a program.
pub(super) fn build(program: &Program) -> Result<Graph> {
    let mut b = Build {
        graph: Graph::default(),
        known: BTreeMap::new(),
        values: IdMap::filled(program.n_values(), None),
        folded: folded_transposes(program),
    };
    for (i, &v) in program.args().iter().enumerate() {
        let ty = program.ty(v);
        let view = b.node(Kind::Arg(i), vec![], ty.dtype(), ty.shape().to_vec());
        b.values[v] = Some(view);
    }
    let needed = needed(program);
    for instr in program.instrs().values() {
        if instr.results().iter().any(|&r| needed[r]) {
            if instr.results().len() != 1 || !instr.op().regions().is_empty() {
                b.packed(program, instr);
                continue;
            }
            let view = b.instr(program, instr)?;
            b.values[instr.result()] = Some(view);
        }
    }
    b.graph.results = program.results().iter().map(|&v| b.value(v)).collect();
    Ok(b.graph)
}

/// Which values the results depend on.
fn needed(program: &Program) -> IdMap<Value, bool> {
    let mut needed = IdMap::filled(program.n_values(), false);
    for &r in program.results() {
        needed[r] = true;
    }
    let instrs: Vec<&Instr> = program.instrs().values().collect();
    for instr in instrs.into_iter().rev() {
        if instr.results().iter().any(|&r| needed[r]) {
            for &v in instr.operands() {
                needed[v] = true;
            }
        }
    }
    needed
}

/// For each dot_general whose result is only read by a chain of transposes: their composition, so that it can
/// write its elements in the order the last of them wants.
fn folded_transposes(program: &Program) -> IdMap<Value, Option<Vec<usize>>> {
    let uses = program.uses();
    let mut is_result = IdMap::<Value, bool>::filled(program.n_values(), false);
    for &r in program.results() {
        is_result[r] = true;
    }
    let mut folded = IdMap::filled(program.n_values(), None);
    for instr in program.instrs().values() {
        if !matches!(instr.op(), Op::DotGeneral(_)) {
            continue;
        }
        let mut at = instr.result();
        let mut total: Vec<usize> = (0..program.ty(at).rank()).collect();
        while let (false, [only]) = (is_result[at], uses[at].as_slice()) {
            let Op::Transpose { permutation } = program.instr(*only).op() else { break };
            total = permutation.iter().map(|&p| total[p]).collect();
            at = program.instr(*only).result();
        }
        folded[instr.result()] = (at != instr.result()).then_some(total);
    }
    folded
}

type Key = (Kind, Vec<View>, Vec<usize>, DType, Vec<usize>);

struct Build {
    graph: Graph,
    known: BTreeMap<Key, Node>,
    values: IdMap<Value, Option<View>>,
    folded: IdMap<Value, Option<Vec<usize>>>,
}

impl Build {
    fn value(&self, v: Value) -> View {
        self.values[v].clone().expect("operands are defined before their use")
    }

    fn dtype(&self, v: &View) -> DType {
        self.graph.nodes[v.node].dtype
    }

    /// The node of this description, new or known, as a row-major view.
    fn node(&mut self, kind: Kind, ins: Vec<View>, dtype: DType, shape: Vec<usize>) -> View {
        let strides = dense_strides(&shape);
        self.node_stored(kind, ins, dtype, shape, strides)
    }

    fn node_stored(
        &mut self,
        kind: Kind,
        ins: Vec<View>,
        dtype: DType,
        shape: Vec<usize>,
        strides: Vec<usize>,
    ) -> View {
        let key = (kind, ins, shape, dtype, strides);
        let node = match self.known.get(&key) {
            Some(&n) => n,
            None => {
                let (kind, ins, shape, dtype, strides) = key.clone();
                let n = self.graph.nodes.push(NodeData { kind, ins, dtype, shape, strides });
                self.known.insert(key, n);
                n
            }
        };
        let data = &self.graph.nodes[node];
        View::new(node, 0, data.shape.clone(), data.strides.clone())
    }

    fn constant(&mut self, literal: Literal) -> View {
        let ty = literal.ty().clone();
        match literal.splat_bytes() {
            Some(e) => {
                let scalar = Literal::splat(TensorType::scalar(ty.dtype()), e).expect("one element");
                let v = self.node(Kind::Const(scalar), vec![], ty.dtype(), vec![]);
                v.broadcast(ty.shape(), &[])
            }
            None => self.node(Kind::Const(literal), vec![], ty.dtype(), ty.shape().to_vec()),
        }
    }

    /// A row-major node of the same elements.
    fn copied(&mut self, v: View) -> View {
        let (dtype, shape) = (self.dtype(&v), v.shape.clone());
        if v.count() <= FOLD_LIMIT
            && let Some(t) = self.const_tensor(&v)
        {
            // Not a splat's one element: the caller wants storage without gaps.
            return self.node(Kind::Const(t.to_literal()), vec![], dtype, shape);
        }
        self.node(Kind::Copy, vec![v], dtype, shape)
    }

    /// A view without gaps: the view itself where it is one.
    fn densified(&mut self, v: View) -> View {
        if v.is_dense() { v } else { self.copied(v) }
    }

    fn const_of(&self, v: &View) -> Option<&Literal> {
        match &self.graph.nodes[v.node].kind {
            Kind::Const(l) => Some(l),
            Kind::Arg(_) | Kind::Copy | Kind::Op(_) | Kind::Packed(_) | Kind::Unpacked(_) => None,
        }
    }

    /// The value of a splat constant.
    fn splat_of(&self, v: &View) -> Option<f64> {
        let l = self.const_of(v)?;
        (v.is_splat() && self.dtype(v).is_float())
            .then(|| pullback_ir::literal::decode_f64(l.ty().dtype(), l.element(v.offset)))
    }

    /// The elements of a view of a constant.
    fn const_tensor(&self, v: &View) -> Option<Tensor> {
        let l = self.const_of(v)?;
        let mut t = Tensor::zeros(TensorType::new(l.ty().dtype(), v.shape.clone()));
        let mut index = vec![0; v.shape.len()];
        for at in 0..v.count() {
            let from: usize = v.offset + index.iter().zip(&v.strides).map(|(i, s)| i * s).sum::<usize>();
            t.set_element(at, l.element(from));
            for d in (0..index.len()).rev() {
                index[d] += 1;
                if index[d] < v.shape[d] {
                    break;
                }
                index[d] = 0;
            }
        }
        Some(t)
    }

    fn instr(&mut self, program: &Program, instr: &Instr) -> Result<View> {
        let ins: Vec<View> = instr.operands().iter().map(|&v| self.value(v)).collect();
        let ty = program.ty(instr.result());
        let shape = ty.shape().to_vec();
        Ok(match instr.op() {
            Op::Constant(l) => self.constant(l.clone()),
            Op::Iota { ty, dim } => {
                let line = TensorType::new(ty.dtype(), [ty.shape()[*dim]]);
                let t = reference::eval_op(&Op::Iota { ty: line, dim: 0 }, &[])?.remove(0);
                self.constant(t.to_literal()).broadcast(&shape, &[*dim])
            }
            Op::BroadcastInDim { dims, .. } => ins[0].broadcast(&shape, dims),
            Op::Transpose { permutation } => ins[0].transpose(permutation),
            Op::Slice { starts, strides, .. } => ins[0].slice(starts, strides, &shape),
            Op::Reshape { .. } => match ins[0].reshape(&shape) {
                Some(v) => v,
                None => {
                    let copy = self.copied(ins[0].clone());
                    copy.reshape(&shape).expect("a row-major view takes any shape")
                }
            },
            // Of complex numbers it is not a product with itself: it keeps infinities apart.
            Op::Unary(UnaryOp::Square) if ty.dtype().class() != DTypeClass::Complex => {
                let op = Op::Binary(BinaryOp::Multiply);
                self.elementwise(&op, vec![ins[0].clone(), ins[0].clone()], ty)?
            }
            Op::Convert { dtype } if *dtype == self.dtype(&ins[0]) => ins[0].clone(),
            op @ (Op::Unary(_)
            | Op::Binary(_)
            | Op::Compare { .. }
            | Op::Select
            | Op::Clamp
            | Op::Convert { .. }
            | Op::ReducePrecision { .. }) => {
                let ins =
                    ins.into_iter().map(|v| if v.shape.is_empty() { v.broadcast(&shape, &[]) } else { v });
                self.elementwise(op, ins.collect(), ty)?
            }
            Op::Reduce { dims, monoid } => match self.fold(instr.op(), &ins, ty)? {
                Some(v) => v,
                None => self.reduce(ins[0].clone(), dims, *monoid),
            },
            Op::DotGeneral(dims) => {
                let order = self.folded[instr.result()].clone();
                self.dot(ins[0].clone(), ins[1].clone(), dims, order, ty)?
            }
            Op::Convolution(_) if is_narrow(ty.dtype()) => self.widened(instr.op(), ins, ty)?,
            op @ (Op::Concatenate { .. }
            | Op::Pad { .. }
            | Op::Reverse { .. }
            | Op::Convolution(_)
            | Op::Gather(_)
            | Op::Scatter { .. }
            | Op::DynamicSlice { .. }
            | Op::DynamicUpdateSlice
            | Op::BitcastConvert { .. }
            | Op::ReduceWindow { .. }
            | Op::SelectAndScatter { .. }
            | Op::Argsort { .. } | Op::Fft { .. } | Op::Linalg(_) | Op::RngBitGenerator { .. } | Op::Communicate(_)
            // Their results are made by `packed`.
            | Op::While { .. }
            | Op::Case { .. } | Op::Composite(_) | Op::Custom(_)) => match self.fold(op, &ins, ty)? {
                Some(v) => v,
                None => {
                    let ins = if reads_rows(op) { ins.into_iter().map(|v| self.densified(v)).collect() } else { ins };
                    self.node(Kind::Op(op.clone()), ins, ty.dtype(), shape)
                }
            },
        })
    }

    /// A convolution of floats narrower than f32: in f32, rounded once.
    fn widened(&mut self, op: &Op, ins: Vec<View>, ty: &TensorType) -> Result<View> {
        let mut wide = Vec::with_capacity(ins.len());
        for v in ins {
            let ty = TensorType::new(DType::F32, v.shape.clone());
            wide.push(self.elementwise(&Op::Convert { dtype: DType::F32 }, vec![v], &ty)?);
        }
        let y = self.node(Kind::Op(op.clone()), wide, DType::F32, ty.shape().to_vec());
        self.elementwise(&Op::Convert { dtype: ty.dtype() }, vec![y], ty)
    }

    /// An op that runs programs, and a node for each of its results.
    fn packed(&mut self, program: &Program, instr: &Instr) {
        let ins: Vec<View> = instr.operands().iter().map(|&v| self.value(v)).collect();
        let types: Vec<&TensorType> = instr.results().iter().map(|&r| program.ty(r)).collect();
        let (offsets, bytes) = packed_offsets(&types);
        let all = self.node(Kind::Packed(instr.op().clone()), ins, DType::U8, vec![bytes]);
        for ((&r, ty), offset) in instr.results().iter().zip(types).zip(offsets) {
            let view = self.node(Kind::Unpacked(offset), vec![all.clone()], ty.dtype(), ty.shape().to_vec());
            self.values[r] = Some(view);
        }
    }

    /// The constant result of an op on constants, where it is small.
    fn fold(&mut self, op: &Op, ins: &[View], ty: &TensorType) -> Result<Option<View>> {
        let work = ins.iter().map(View::count).sum::<usize>() + ty.count();
        if work > FOLD_LIMIT || ins.is_empty() {
            return Ok(None);
        }
        let Some(tensors) = ins.iter().map(|v| self.const_tensor(v)).collect::<Option<Vec<_>>>() else {
            return Ok(None);
        };
        let t = reference::eval_op(op, &tensors.iter().collect::<Vec<_>>())?.remove(0);
        Ok(Some(self.constant(t.to_literal())))
    }

    /// An elementwise op on views of one shape.
    fn elementwise(&mut self, op: &Op, ins: Vec<View>, ty: &TensorType) -> Result<View> {
        if let Some(v) = self.identity(op, &ins) {
            return Ok(v);
        }
        // Dimensions along which no operand varies are computed once.
        let full = ty.shape();
        let varies = |d: usize| full[d] == 0 || ins.iter().any(|v| v.strides[d] != 0);
        let shape: Vec<usize> = (0..full.len()).map(|d| if varies(d) { full[d] } else { 1 }).collect();
        let zeros = vec![0; full.len()];
        let ins: Vec<View> = ins.iter().map(|v| v.slice(&zeros, &vec![1; full.len()], &shape)).collect();
        let small = ty.with_shape(shape.clone());
        let (op, ins) = self.cheaper(op, ins);
        let v = match self.fold(&op, &ins, &small)? {
            Some(v) => v,
            None => {
                let ins = ins.into_iter().map(|v| self.streamable(v)).collect();
                self.node(Kind::Op(op), ins, ty.dtype(), shape)
            }
        };
        let dims: Vec<usize> = (0..full.len()).collect();
        Ok(v.broadcast(full, &dims))
    }

    /// The operand that the result equals, if any.
    fn identity(&self, op: &Op, ins: &[View]) -> Option<View> {
        let Op::Binary(b) = op else { return None };
        let (left, right) = match b {
            BinaryOp::Multiply => (Some(1.0), Some(1.0)),
            BinaryOp::Divide => (None, Some(1.0)),
            BinaryOp::Maximum => (Some(f64::NEG_INFINITY), Some(f64::NEG_INFINITY)),
            BinaryOp::Minimum => (Some(f64::INFINITY), Some(f64::INFINITY)),
            BinaryOp::Add
            | BinaryOp::And
            | BinaryOp::Atan2
            | BinaryOp::Or
            | BinaryOp::Power
            | BinaryOp::Remainder
            | BinaryOp::ShiftLeft
            | BinaryOp::ShiftRightArithmetic
            | BinaryOp::ShiftRightLogical
            | BinaryOp::Subtract
            | BinaryOp::Xor
            | BinaryOp::Complex
            | BinaryOp::Mulhi
            | BinaryOp::NextAfter
            | BinaryOp::Polygamma
            | BinaryOp::Zeta => return None,
        };
        let is = |v: &View, neutral: Option<f64>| neutral.is_some() && self.splat_of(v) == neutral;
        if is(&ins[1], right) {
            Some(ins[0].clone())
        } else if is(&ins[0], left) {
            Some(ins[1].clone())
        } else {
            None
        }
    }

    /// Division by a power of two as the multiplication that gives the same bits.
    fn cheaper(&mut self, op: &Op, ins: Vec<View>) -> (Op, Vec<View>) {
        if let (Op::Binary(BinaryOp::Divide), Some(v)) = (op, ins.get(1).and_then(|v| self.splat_of(v))) {
            let dtype = self.dtype(&ins[0]);
            let power_of_two = v.is_normal() && v.to_bits() << 12 == 0 && v.abs().log2().abs() < 100.0;
            if power_of_two && matches!(dtype, DType::F32 | DType::F64) {
                let c =
                    self.constant(Literal::splat_f64(TensorType::new(dtype, ins[0].shape.clone()), 1.0 / v));
                return (Op::Binary(BinaryOp::Multiply), vec![ins[0].clone(), c]);
            }
        }
        (op.clone(), ins)
    }

    /// A view whose rows can be read fast.
    fn streamable(&mut self, v: View) -> View {
        let inner = v.strides.iter().zip(&v.shape).rev().find(|(_, n)| **n != 1);
        match inner {
            Some((&s, _)) if s > 1 && v.count() >= COPY_FROM => self.copied(v),
            _ => v,
        }
    }

    /// Reductions one run of neighbouring dimensions at a time, innermost first.
    fn reduce(&mut self, x: View, dims: &[usize], monoid: Monoid) -> View {
        let dtype = self.dtype(&x);
        let mut x = x;
        let mut left = dims.to_vec();
        loop {
            // Sizes of 1 vanish without work.
            let run: Vec<usize> = match left.iter().rposition(|&d| x.shape[d] != 1) {
                None => left.clone(),
                Some(last) => {
                    let mut first = last;
                    while first > 0 && left[first - 1] + 1 == left[first] {
                        first -= 1;
                    }
                    left[first..].to_vec()
                }
            };
            let keep =
                |v: &[usize]| (0..v.len()).filter(|d| !run.contains(d)).map(|d| v[d]).collect::<Vec<_>>();
            let (shape, strides) = (keep(&x.shape), keep(&x.strides));
            x = if run.iter().all(|&d| x.shape[d] == 1) {
                View::new(x.node, x.offset, shape, strides)
            } else {
                let x = self.densified(x);
                let op = Op::Reduce { dims: run.clone(), monoid };
                self.node(Kind::Op(op), vec![x], dtype, shape)
            };
            left.truncate(left.len() - run.len());
            if left.is_empty() {
                return x;
            }
        }
    }

    /// dot_general; `order` is the transposition its result is wanted in.
    fn dot(
        &mut self,
        lhs: View,
        rhs: View,
        dims: &DotDims,
        order: Option<Vec<usize>>,
        ty: &TensorType,
    ) -> Result<View> {
        if is_narrow(ty.dtype()) {
            let wide = ty.with_dtype(DType::F32);
            let mut to_f32 = |v: View| {
                let ty = TensorType::new(DType::F32, v.shape.clone());
                self.elementwise(&Op::Convert { dtype: DType::F32 }, vec![v], &ty)
            };
            let (lhs, rhs) = (to_f32(lhs)?, to_f32(rhs)?);
            let y = self.dot(lhs, rhs, dims, None, &wide)?;
            return self.elementwise(&Op::Convert { dtype: ty.dtype() }, vec![y], ty);
        }
        let (lhs, rhs) = self.joint_contraction(lhs, rhs, dims);
        let shape = ty.shape().to_vec();
        let mut strides = dense_strides(&shape);
        if let (Some(order), true) = (order, ty.dtype().is_float()) {
            let wanted: Vec<usize> = order.iter().map(|&d| shape[d]).collect();
            for (s, &d) in dense_strides(&wanted).iter().zip(&order) {
                strides[d] = *s;
            }
        }
        Ok(self.node_stored(
            Kind::Op(Op::DotGeneral(dims.clone())),
            vec![lhs, rhs],
            ty.dtype(),
            shape,
            strides,
        ))
    }

    /// Operands whose contracting dimensions are one dimension with one stride on each side.
    fn joint_contraction(&mut self, lhs: View, rhs: View, dims: &DotDims) -> (View, View) {
        let joint = |l: &View, r: &View| super::dot::contraction(l, r, dims).len() <= 1;
        if joint(&lhs, &rhs) {
            return (lhs, rhs);
        }
        let packed = |b: &mut Self, v: &View, batch: &[usize], contract: &[usize]| {
            let rank = v.shape.len();
            let free = (0..rank).filter(|d| !batch.contains(d) && !contract.contains(d));
            let order: Vec<usize> =
                batch.iter().copied().chain(free).chain(contract.iter().copied()).collect();
            let copy = b.copied(v.transpose(&order));
            let mut back = vec![0; rank];
            order.iter().enumerate().for_each(|(i, &d)| back[d] = i);
            copy.transpose(&back)
        };
        let l = packed(self, &lhs, &dims.lhs_batch, &dims.lhs_contract);
        if joint(&l, &rhs) {
            return (l, rhs);
        }
        let r = packed(self, &rhs, &dims.rhs_batch, &dims.rhs_contract);
        if joint(&lhs, &r) { (lhs, r) } else { (l, r) }
    }
}

/// Where each of several results begins in the bytes of a packed node, aligned, and the number of bytes.
pub(super) fn packed_offsets(types: &[&TensorType]) -> (Vec<usize>, usize) {
    let mut bytes = 0;
    let offset = |ty: &&TensorType| {
        let at = bytes;
        bytes += ty.bytes().next_multiple_of(ALIGN);
        at
    };
    let offsets = types.iter().map(offset).collect();
    // Never empty: an empty node is not computed.
    (offsets, bytes.max(ALIGN))
}

/// Which nodes the results depend on. Empty results depend on nothing.
pub(super) fn live(graph: &Graph) -> IdMap<Node, bool> {
    let mut live = IdMap::filled(graph.nodes.len(), false);
    for r in &graph.results {
        live[r.node] |= r.count() > 0;
    }
    for n in (0..graph.nodes.len()).rev().map(Node::from_index) {
        if live[n] && graph.nodes[n].count() > 0 {
            for v in &graph.nodes[n].ins {
                live[v.node] = true;
            }
        }
    }
    live
}
