//! Operations that become several of the IR's, one by one; each family has a file below.

mod broadcast;
mod contract;
mod norm;
mod ragged;
mod random;
mod scan;

use super::{FuncLowering, Slot};
use crate::declared::Declared;
use crate::ops::expanded::Expanded;
use crate::ops::{Issue, dims};
use crate::tree::{Attr, Node};
use crate::types::{mlir_type, token};
use pullback_ir::{BinaryOp, Comparison, DType, DTypeClass, Literal, Op, TensorType, UnaryOp, Value};

impl<'a> FuncLowering<'_, 'a, '_> {
    pub(super) fn expanded(
        &mut self,
        node: &Node<'a>,
        kind: Expanded,
        written: &[Declared],
    ) -> Result<(), Issue> {
        let values = match kind {
            Expanded::BatchNormGrad => self.batch_norm_grad(node)?.to_vec(),
            Expanded::BatchNormInference => vec![self.batch_norm_inference(node)?],
            Expanded::BatchNormTraining => self.batch_norm_training(node)?.to_vec(),
            Expanded::BroadcastSizes => vec![self.broadcast_sizes(node)?],
            Expanded::BroadcastBinary(op) => vec![self.broadcast_elementwise(node, Op::Binary(op))?],
            Expanded::BroadcastCompare => vec![self.broadcast_compare(node)?],
            Expanded::BroadcastSelect => vec![self.broadcast_select(node)?],
            Expanded::Conj => vec![self.conj(node)?],
            Expanded::ConstantLike => return self.constant_like(node, written),
            Expanded::Dot => vec![self.plain_dot(node, written)?],
            Expanded::Einsum | Expanded::UnaryEinsum => vec![self.einsum(node, written)?],
            Expanded::IsInf => vec![self.is_infinite(node, f64::INFINITY, true)?],
            Expanded::IsNegInf => vec![self.is_infinite(node, f64::NEG_INFINITY, false)?],
            Expanded::IsPosInf => vec![self.is_infinite(node, f64::INFINITY, false)?],
            Expanded::Map => self.map(node)?,
            Expanded::RaggedDot => vec![self.ragged_dot(node, written)?],
            Expanded::Rng => vec![self.rng(node, written)?],
            Expanded::Scan => self.scan(node)?,
            Expanded::Token => return self.token(node, written),
            Expanded::TorchIndexSelect => vec![self.torch_index_select(node)?],
            Expanded::Tuple | Expanded::GetTupleElement => {
                return Err(Issue::Error(format!("{} without a tuple's type", node.name)));
            }
        };
        self.results(node, &values, written)
    }

    /// Exactly `N` operands.
    fn operands<const N: usize>(&mut self, node: &Node<'a>) -> Result<[Value; N], Issue> {
        let values = self.values(node)?;
        let n = values.len();
        values.try_into().map_err(|_| Issue::Error(format!("{} takes {N} operand(s), got {n}", node.name)))
    }

    /// The region of a map, lifted over the shape of the operands.
    fn map(&mut self, node: &Node<'a>) -> Result<Vec<Value>, Issue> {
        let values = self.values(node)?;
        let Some(&first) = values.first() else {
            return Err(Issue::Error(format!("{} has no operands", node.name)));
        };
        let shape = self.shape(first);
        if dims(node, &["dimensions"])? != (0..shape.len()).collect::<Vec<_>>() {
            let ty = mlir_type(self.b.ty(first));
            return Err(Issue::Error(format!("{}: dimensions are not all of {ty}, in order", node.name)));
        }
        let body = self.body(node, 0, &[])?;
        let own = body.program.args().len() - body.captured.len();
        let fits = own == values.len()
            && values.iter().zip(body.program.args()).all(|(&x, &arg)| {
                let ty = self.b.ty(x);
                ty.shape() == shape && *body.program.ty(arg) == TensorType::scalar(ty.dtype())
            });
        if !fits || body.results().iter().any(|ty| ty.rank() > 0) {
            let message =
                "its region takes a scalar of each operand, which have one shape, and gives a scalar";
            return Err(Issue::Error(format!("{}: {message}", node.name)));
        }
        self.apply(node, &body, &values, &shape)
    }

    /// A token is a tensor without elements: whatever waits for it has nothing to wait for, since no operation
    /// has an effect.
    fn token(&mut self, node: &Node<'a>, written: &[Declared]) -> Result<(), Issue> {
        if written.len() != 1 {
            return Err(Issue::Error(format!("{} has one result", node.name)));
        }
        let literal = Literal::splat_f64(token(), 0.0);
        let name = self.result_name(node, 0);
        self.set(node.first_result, Slot::Constant(Box::new((literal, name))));
        Ok(())
    }

    /// The complex conjugate; of a real number the number.
    fn conj(&mut self, node: &Node<'a>) -> Result<Value, Issue> {
        let [x] = self.operands(node)?;
        if self.b.ty(x).dtype().class() != DTypeClass::Complex {
            return Ok(x);
        }
        let real = self.add(Op::Unary(UnaryOp::Real), &[x])?;
        let imag = self.add(Op::Unary(UnaryOp::Imag), &[x])?;
        let imag = self.add(Op::Unary(UnaryOp::Negate), &[imag])?;
        self.binary(BinaryOp::Complex, real, imag)
    }

    /// Whether a float is this infinity, or either.
    fn is_infinite(&mut self, node: &Node<'a>, infinity: f64, either: bool) -> Result<Value, Issue> {
        let [mut x] = self.operands(node)?;
        let dtype = self.b.ty(x).dtype();
        if !dtype.is_float() {
            return Err(Issue::Error(format!("{} is not defined on {}", node.name, mlir_type(self.b.ty(x)))));
        }
        let shape = self.shape(x);
        if dtype == DType::F8E4M3FN {
            // A type without infinities; its largest number must not be taken for one.
            let never = self.number(DType::Bool, 0.0);
            return self.repeat(never, &shape);
        }
        if either {
            x = self.add(Op::Unary(UnaryOp::Abs), &[x])?;
        }
        let infinity = self.number(dtype, infinity);
        let infinity = self.repeat(infinity, &shape)?;
        self.compare(Comparison::Eq, x, infinity)
    }

    /// A number in every element of the operand's shape.
    fn constant_like(&mut self, node: &Node<'a>, written: &[Declared]) -> Result<(), Issue> {
        let [x] = self.operands(node)?;
        let [want] = written else {
            return Err(Issue::Error(format!("{} has one result", node.name)));
        };
        let scalar = TensorType::scalar(want.dtype());
        let literal = match node.attr(&["value"]) {
            Some(Attr::Float(v)) => Some(Literal::splat_f64(scalar, *v)),
            Some(Attr::Bool(b)) => Some(Literal::splat_f64(scalar, f64::from(u8::from(*b)))),
            Some(Attr::Int(n)) if want.dtype().is_integer() => Literal::from_i64s(scalar, &[*n]),
            Some(Attr::Int(bits)) if want.dtype().is_float() => {
                Literal::splat(scalar, &bits.to_le_bytes()[..want.dtype().size()])
            }
            _ => None,
        };
        let Some(literal) = literal else {
            let what = format!("{} of a value that is no plain number", node.name);
            return Err(Issue::Unsupported(what, "write the constant as stablehlo.constant"));
        };
        let shape = self.shape(x);
        let scalar = self.b.constant(literal);
        let value = self.repeat(scalar, &shape)?;
        self.results(node, &[value], written)
    }
}
