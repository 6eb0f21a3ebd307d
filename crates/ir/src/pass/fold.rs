//! Folding: constants are computed, ops that do nothing vanish, moves of moves merge. Bits never change.
//!
//! For floats only what IEEE 754 makes exact: `x * 1`, `x / 1`, `x - 0`, `x + -0`, `maximum(x, -inf)`. Not `x + 0`
//! (it turns -0 into 0), not `x * 0`, no reordering. NaN stays NaN. What a fold leaves unused is for `dce`.

use super::literal;
use super::rewrite::Rewriter;
use crate::dtype::{DType, DTypeClass, TensorType};
use crate::infer::TypeError;
use crate::literal::{Literal, encode_f64, encode_i64};
use crate::op::{BinaryOp, Monoid, Op, UnaryOp};
use crate::program::{Program, Value, ValueDef};

/// Most elements of a constant that is written for an op, unless all are equal.
const MAX_ELEMENTS: usize = 256;

pub(super) fn fold(program: &Program) -> Result<Program, TypeError> {
    let mut new = Rewriter::new(program);
    for instr in program.instrs().values() {
        let operands = new.operands(instr)?;
        let folded = match instr.results() {
            [r] => Seen { program: new.new_program(), ty: program.ty(*r) }.fold(instr.op(), &operands),
            _ => None,
        };
        match folded {
            Some(Folded::Value(v)) => new.replace(instr.result(), v)?,
            Some(Folded::Op(op, operands)) => new.push(instr, op, &operands)?,
            None => new.push(instr, instr.op().clone(), &operands)?,
        }
    }
    new.finish()
}

/// What an op is replaced with.
enum Folded {
    Value(Value),
    Op(Op, Vec<Value>),
}

/// The new program up to an instruction, and the type of that instruction's result.
struct Seen<'a> {
    program: &'a Program,
    ty: &'a TensorType,
}

impl<'a> Seen<'a> {
    fn ty(&self, v: Value) -> &'a TensorType {
        self.program.ty(v)
    }

    /// The op that gives `v`, with its operands.
    fn producer(&self, v: Value) -> Option<(&'a Op, &'a [Value])> {
        match self.program.def(v) {
            ValueDef::Result(id, 0) => {
                let instr = self.program.instr(id);
                Some((instr.op(), instr.operands()))
            }
            ValueDef::Result(..) | ValueDef::Arg(_) => None,
        }
    }

    fn literal(&self, v: Value) -> Option<&'a Literal> {
        if let (Op::Constant(l), _) = self.producer(v)? { Some(l) } else { None }
    }

    /// The bytes of the one element `v` is made of.
    fn splat(&self, v: Value) -> Option<&'a [u8]> {
        self.literal(v)?.splat_bytes()
    }

    fn fold(&self, op: &Op, operands: &[Value]) -> Option<Folded> {
        let small = |l: &Literal| l.splat_bytes().is_some() || l.ty().count() <= MAX_ELEMENTS;
        if let Some(l) = self.constant(op, operands).filter(small) {
            return Some(Folded::Op(Op::Constant(l), Vec::new()));
        }
        if let Some(v) = self.same(op, operands) {
            return Some(Folded::Value(v));
        }
        self.merged(op, *operands.first()?).map(|(op, x)| Folded::Op(op, vec![x]))
    }

    /// The result as a constant.
    fn constant(&self, op: &Op, operands: &[Value]) -> Option<Literal> {
        if let Op::Iota { ty, dim } = op {
            return (ty.shape()[*dim] == 1).then(|| Literal::splat_f64(ty.clone(), 0.0));
        }
        let x = self.literal(*operands.first()?)?;
        let y = || self.literal(operands[1]);
        match op {
            // A literal without elements says nothing of what the op makes of its type.
            Op::Unary(u) => literal::unary(*u, x).filter(|l| l.ty() == self.ty),
            Op::Binary(b) => literal::binary(*b, x, y()?).filter(|l| l.ty() == self.ty),
            Op::Compare { direction, total_order } => literal::compare(*direction, *total_order, x, y()?),
            Op::Convert { dtype } => literal::convert(x, *dtype),
            Op::BroadcastInDim { shape, dims } => literal::broadcast(x, shape, dims),
            Op::Reshape { shape } => x.reshaped(shape),
            Op::Transpose { permutation } => literal::transpose(x, permutation),
            Op::Slice { starts, limits: _, strides } => literal::slice(x, self.ty, starts, strides),
            Op::Reverse { dims } => literal::reverse(x, dims),
            // Elements all equal stay so.
            Op::Concatenate { .. } | Op::Pad { .. } => {
                let e = x.splat_bytes()?;
                let equal = operands.iter().all(|&v| self.splat(v) == Some(e));
                if equal { Literal::splat(self.ty.clone(), e) } else { None }
            }
            Op::DynamicSlice { .. } => Literal::splat(self.ty.clone(), x.splat_bytes()?),
            Op::Constant(_)
            | Op::Iota { .. }
            | Op::Select
            | Op::Clamp
            | Op::DotGeneral(_)
            | Op::Convolution(_)
            | Op::Reduce { .. }
            | Op::Gather(_)
            | Op::Scatter { .. }
            | Op::DynamicUpdateSlice
            | Op::BitcastConvert { .. }
            | Op::ReducePrecision { .. }
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
            | Op::Custom(_) => None,
        }
    }

    /// The value the result equals.
    fn same(&self, op: &Op, operands: &[Value]) -> Option<Value> {
        let x = *operands.first()?;
        let unchanged = self.ty(x) == self.ty;
        let holds = match op {
            Op::Binary(b) => return self.same_binary(*b, x, operands[1]),
            Op::Select => return self.same_select(operands),
            Op::Unary(u @ (UnaryOp::Negate | UnaryOp::Not)) => {
                let (inner, from) = self.producer(x)?;
                return if *inner == Op::Unary(*u) { from.first().copied() } else { None };
            }
            Op::Convert { .. } | Op::Reshape { .. } | Op::BitcastConvert { .. } => unchanged,
            Op::BroadcastInDim { dims, .. } => unchanged && dims.is_sorted(),
            Op::Transpose { permutation } => permutation.is_sorted(),
            Op::Slice { .. } | Op::DynamicSlice { .. } => unchanged,
            Op::Concatenate { .. } => operands.len() == 1,
            Op::Pad { low, high, interior } => {
                low.iter().chain(high).all(|&n| n == 0) && interior.iter().all(|&n| n == 0)
            }
            Op::Reverse { dims } => dims.iter().all(|&d| self.ty.shape()[d] <= 1),
            Op::Reduce { dims, .. } => dims.is_empty(),
            Op::DynamicUpdateSlice if self.ty(operands[1]) == self.ty => return Some(operands[1]),
            Op::Constant(_)
            | Op::Iota { .. }
            | Op::Unary(_)
            | Op::Compare { .. }
            | Op::Clamp
            | Op::DotGeneral(_)
            | Op::Convolution(_)
            | Op::Gather(_)
            | Op::Scatter { .. }
            | Op::DynamicUpdateSlice
            | Op::ReducePrecision { .. }
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
            | Op::Custom(_) => false,
        };
        holds.then_some(x)
    }

    fn same_select(&self, operands: &[Value]) -> Option<Value> {
        let &[pred, on_true, on_false] = operands else { return None };
        if on_true == on_false {
            return Some(on_true);
        }
        let branch = if self.splat(pred)?[0] != 0 { on_true } else { on_false };
        Some(branch)
    }

    fn same_binary(&self, op: BinaryOp, x: Value, y: Value) -> Option<Value> {
        let ty = self.ty(x).dtype();
        let is = |v: Value, e: Option<Vec<u8>>| e.is_some() && self.splat(v) == e.as_deref();
        if is(y, right_neutral(op, ty)) {
            return Some(x);
        }
        if commutes(op) && is(x, right_neutral(op, ty)) {
            return Some(y);
        }
        [x, y].into_iter().find(|&v| is(v, absorbing(op, ty)))
    }

    /// Two ops as one: the op and the operand of the inner one.
    fn merged(&self, op: &Op, x: Value) -> Option<(Op, Value)> {
        let (inner, from) = self.producer(x)?;
        let from = *from.first()?;
        let op = match (inner, op) {
            (Op::Reshape { .. }, Op::Reshape { shape }) => Op::Reshape { shape: shape.clone() },
            (Op::Transpose { permutation: first }, Op::Transpose { permutation: second }) => {
                Op::Transpose { permutation: second.iter().map(|&p| first[p]).collect() }
            }
            (Op::BroadcastInDim { dims: first, .. }, Op::BroadcastInDim { shape, dims: second }) => {
                let dims = first.iter().map(|&d| second[d]).collect();
                Op::BroadcastInDim { shape: shape.clone(), dims }
            }
            (Op::Slice { starts: s1, strides: k1, .. }, Op::Slice { starts: s2, strides: k2, .. }) => {
                merged_slice((s1, k1), (s2, k2), self.ty.shape())?
            }
            _ => return None,
        };
        Some((op, from))
    }
}

/// The slice that picks from the operand of the first what the second picks from its result.
fn merged_slice(first: (&[usize], &[usize]), second: (&[usize], &[usize]), shape: &[usize]) -> Option<Op> {
    let (mut starts, mut limits, mut strides) = (Vec::new(), Vec::new(), Vec::new());
    for (d, &n) in shape.iter().enumerate() {
        let start = second.0[d].checked_mul(first.1[d])?.checked_add(first.0[d])?;
        let stride = first.1[d].checked_mul(second.1[d])?;
        if n == 0 {
            // Nothing is picked; a start past the end of the operand would not be valid.
            return None;
        }
        starts.push(start);
        limits.push((n - 1).checked_mul(stride)?.checked_add(start)?.checked_add(1)?);
        strides.push(stride);
    }
    Some(Op::Slice { starts, limits, strides })
}

/// Whether the op gives the same bits with its operands exchanged (NaNs apart).
fn commutes(op: BinaryOp) -> bool {
    match op {
        BinaryOp::Add
        | BinaryOp::And
        | BinaryOp::Maximum
        | BinaryOp::Minimum
        | BinaryOp::Multiply
        | BinaryOp::Or
        | BinaryOp::Xor => true,
        BinaryOp::Atan2
        | BinaryOp::Divide
        | BinaryOp::Power
        | BinaryOp::Remainder
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRightArithmetic
        | BinaryOp::ShiftRightLogical
        | BinaryOp::Subtract
        | BinaryOp::Complex
        | BinaryOp::Mulhi
        | BinaryOp::NextAfter
        | BinaryOp::Polygamma
        | BinaryOp::Zeta => false,
    }
}

/// The element e with `x op e = x` for every x, to the bit.
fn right_neutral(op: BinaryOp, dtype: DType) -> Option<Vec<u8>> {
    let class = dtype.class();
    let number = |float: f64, whole: i64| match class {
        DTypeClass::Float => Some(encode_f64(dtype, float)),
        DTypeClass::Signed | DTypeClass::Unsigned => Some(encode_i64(dtype, whole)),
        DTypeClass::Bool | DTypeClass::Complex => None,
    };
    let identity = |monoid: Monoid| {
        let e = monoid.identity(&TensorType::scalar(dtype))?;
        e.splat_bytes().map(<[u8]>::to_vec)
    };
    match op {
        // On bool, add is or and multiply is and.
        BinaryOp::Add if class == DTypeClass::Bool => Some(vec![0]),
        BinaryOp::Multiply if class == DTypeClass::Bool => Some(vec![1]),
        BinaryOp::Add => number(-0.0, 0),
        BinaryOp::Subtract => number(0.0, 0),
        BinaryOp::Multiply | BinaryOp::Divide => number(1.0, 1),
        // Its most negative finite value stands in for the infinity that it has not.
        BinaryOp::Maximum | BinaryOp::Minimum if dtype == DType::F8E4M3FN => None,
        BinaryOp::Maximum => identity(Monoid::Maximum),
        BinaryOp::Minimum => identity(Monoid::Minimum),
        BinaryOp::And => identity(Monoid::And),
        BinaryOp::Or | BinaryOp::Xor => identity(Monoid::Or),
        BinaryOp::ShiftLeft | BinaryOp::ShiftRightArithmetic | BinaryOp::ShiftRightLogical => number(0.0, 0),
        BinaryOp::Atan2
        | BinaryOp::Power
        | BinaryOp::Remainder
        | BinaryOp::Complex
        | BinaryOp::Mulhi
        | BinaryOp::NextAfter
        | BinaryOp::Polygamma
        | BinaryOp::Zeta => None,
    }
}

/// The element e with `x op e = e op x = e` for every x. Integers and bool only.
fn absorbing(op: BinaryOp, dtype: DType) -> Option<Vec<u8>> {
    match dtype.class() {
        DTypeClass::Float | DTypeClass::Complex => None,
        DTypeClass::Bool | DTypeClass::Signed | DTypeClass::Unsigned => match op {
            BinaryOp::Multiply | BinaryOp::And => Some(vec![0; dtype.size()]),
            BinaryOp::Or => right_neutral(BinaryOp::And, dtype),
            BinaryOp::Add if dtype == DType::Bool => Some(vec![1]),
            BinaryOp::Add
            | BinaryOp::Atan2
            | BinaryOp::Divide
            | BinaryOp::Maximum
            | BinaryOp::Minimum
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
            | BinaryOp::Zeta => None,
        },
    }
}
