//! Operations whose shapes are operands: these are constant by now, or the operation is refused.

use super::FuncLowering;
use super::calls::constant_of;
use crate::declared::Declared;
use crate::ops::shape::ShapeOp;
use crate::ops::{Issue, Kind, conv_dims, dims, gather, natural, one};
use crate::specialize::is_platform;
use crate::tree::{Node, Sig, Tree, Ty, Use};
use crate::types::mlir_type;
use pullback_ir::literal::decode_i64;
use pullback_ir::{BinaryOp, ConvDims, Literal, Op, Program, TensorType, Value, ValueDef};

const HELP: &str =
    "shapes may follow from the shapes of arguments and from constants, not from data: pad to a known size";

/// Whether anything in a module has a shape that is not written.
pub(super) fn is_open(tree: &Tree<'_>) -> bool {
    tree.funcs.iter().any(|f| {
        f.args.iter().any(|a| is_open_type(&a.ty) || is_platform(a))
            || in_nodes(f.body.as_deref().unwrap_or(&[]))
    })
}

fn is_open_type(ty: &Ty<'_>) -> bool {
    matches!(ty, Ty::Open(_))
}

/// Whether any of these operations, or of those below, has or works out such a shape.
pub(super) fn in_nodes(nodes: &[Node<'_>]) -> bool {
    nodes.iter().any(|node| {
        matches!(node.kind, Some(Kind::Shape(_)))
            || match &node.sig {
                Sig::None => false,
                Sig::Results(list) | Sig::List(list) => list.iter().any(is_open_type),
                Sig::Fn(ins, outs) => ins.iter().chain(outs.iter()).any(is_open_type),
            }
            || node.regions.iter().any(|r| in_nodes(&r.nodes))
    })
}

impl<'a> FuncLowering<'_, 'a, '_> {
    pub(super) fn shape_op(
        &mut self,
        node: &Node<'a>,
        op: ShapeOp,
        written: &[Declared],
    ) -> Result<(), Issue> {
        let [want] = written else {
            return Err(Issue::Error(format!("{} has one result, not {}", node.name, written.len())));
        };
        let n = operand_count(op);
        if node.operands.len() != n {
            let m = node.operands.len();
            return Err(Issue::Error(format!("{} takes {n} operand(s), got {m}", node.name)));
        }
        let value = match op {
            ShapeOp::DynamicReshape => {
                let shape = self.shape_operand(node, 1, "the shape")?;
                self.add_one(Op::Reshape { shape }, &node.operands[..1])?
            }
            ShapeOp::DynamicBroadcastInDim => {
                let shape = self.shape_operand(node, 1, "the shape")?;
                let dims = dims(node, &["dims", "broadcast_dimensions"])?;
                self.add_one(Op::BroadcastInDim { shape, dims }, &node.operands[..1])?
            }
            ShapeOp::DynamicIota => {
                let shape = self.shape_operand(node, 0, "the shape")?;
                let Some(ty) = TensorType::try_new(want.dtype(), shape) else {
                    return Err(Issue::Error(format!("{}: the shape is too large", node.name)));
                };
                self.add_one(Op::Iota { ty, dim: one(node, &["dim", "iota_dimension"])? }, &[])?
            }
            ShapeOp::DynamicPad => {
                let low = self.whole_operand(node, 2, "the padding")?;
                let high = self.whole_operand(node, 3, "the padding")?;
                let interior = self.shape_operand(node, 4, "the padding")?;
                self.add_one(Op::Pad { low, high, interior }, &node.operands[..2])?
            }
            ShapeOp::DynamicGather => {
                let sizes = self.shape_operand(node, 2, "slice sizes")?;
                self.add_one(gather(node, sizes)?, &node.operands[..2])?
            }
            ShapeOp::DynamicConv => self.dynamic_conv(node, want)?,
            ShapeOp::RealDynamicSlice => self.real_dynamic_slice(node)?,
            ShapeOp::GetDimensionSize => return self.get_dimension_size(node, want),
            ShapeOp::SetDimensionSize => return self.set_dimension_size(node, want),
        };
        self.results(node, &[value], written)
    }

    /// The whole numbers an operand holds.
    pub(super) fn whole_operand(&self, node: &Node<'a>, k: usize, what: &str) -> Result<Vec<i64>, Issue> {
        let Some(&u) = node.operands.get(k) else {
            return Err(Issue::Error(format!("{} has no operand {k}, {what}", node.name)));
        };
        let Some(literal) = self.literal(u) else {
            let message = format!("{} with {what} computed from data (%{})", node.name, u.name);
            return Err(Issue::Unsupported(message, HELP));
        };
        let dtype = literal.ty().dtype();
        if !dtype.is_integer() || literal.ty().count() > 4096 {
            let ty = mlir_type(literal.ty());
            return Err(Issue::Error(format!("{}: {what} is {ty}, not a list of whole numbers", node.name)));
        }
        Ok((0..literal.ty().count()).map(|i| decode_i64(dtype, literal.element(i))).collect())
    }

    pub(super) fn shape_operand(&self, node: &Node<'a>, k: usize, what: &str) -> Result<Vec<usize>, Issue> {
        natural(what, self.whole_operand(node, k, what)?)
    }

    fn add_one(&mut self, op: Op, operands: &[Use<'a>]) -> Result<Value, Issue> {
        let operands = self.values_of(operands)?;
        self.add(op, &operands)
    }

    fn dynamic_conv(&mut self, node: &Node<'a>, want: &Declared) -> Result<Value, Issue> {
        let dims = conv_dims(node)?;
        let flat = self.whole_operand(node, 2, "the padding")?;
        let padding = flat.chunks_exact(2).map(|c| (c[0], c[1])).collect();
        let mut operands = self.values_of(&node.operands[..2])?;
        self.widen(node, &mut operands, want)?;
        self.add(Op::Convolution(Box::new(ConvDims { padding, ..dims })), &operands)
    }

    /// A slice whose start may be data, as `lax.dynamic_slice` becomes: its size is known where the limit is the
    /// start plus a constant. The start is in range, which the dynamic slice of the IR makes sure of again.
    fn real_dynamic_slice(&mut self, node: &Node<'a>) -> Result<Value, Issue> {
        let strides = self.shape_operand(node, 3, "strides")?;
        if self.literal(node.operands[1]).is_some() && self.literal(node.operands[2]).is_some() {
            let starts = self.shape_operand(node, 1, "starts")?;
            let limits = self.shape_operand(node, 2, "limits")?;
            return self.add_one(Op::Slice { starts, limits, strides }, &node.operands[..1]);
        }
        let values = self.values_of(&node.operands[..3])?;
        let (x, start) = (values[0], values[1]);
        let sizes = match self.beyond(values[2], start) {
            Some(literal) => {
                let dtype = literal.ty().dtype();
                (0..literal.ty().count()).map(|i| decode_i64(dtype, literal.element(i))).collect()
            }
            // Says what the limit lacks.
            None => self.whole_operand(node, 2, "limits")?,
        };
        let sizes = natural("the size of a slice", sizes)?;
        let rank = self.b.ty(x).rank();
        if sizes.len() != rank || strides.len() != rank || self.b.ty(start).shape() != [rank] {
            return Err(Issue::Error(format!(
                "{}: one start, limit and stride for each dimension",
                node.name
            )));
        }
        let mut operands = vec![x];
        for d in 0..rank {
            let slice = Op::Slice { starts: vec![d], limits: vec![d + 1], strides: vec![1] };
            let one = self.add(slice, &[start])?;
            operands.push(self.add(Op::Reshape { shape: Vec::new() }, &[one])?);
        }
        let slice = self.add(Op::DynamicSlice { sizes: sizes.clone() }, &operands)?;
        if strides.iter().all(|&s| s == 1) {
            return Ok(slice);
        }
        self.add(Op::Slice { starts: vec![0; rank], limits: sizes, strides }, &[slice])
    }

    /// The constant that `limit` is `start` plus.
    fn beyond(&self, limit: Value, start: Value) -> Option<Literal> {
        let program = self.b.so_far();
        let ValueDef::Result(id, _) = program.def(limit) else { return None };
        let instr = program.instr(id);
        match (instr.op(), instr.operands()) {
            (Op::Binary(BinaryOp::Add), &[a, b]) if same(program, a, start, SAME_DEPTH) => {
                constant_of(program, b).cloned()
            }
            (Op::Binary(BinaryOp::Add), &[a, b]) if same(program, b, start, SAME_DEPTH) => {
                constant_of(program, a).cloned()
            }
            _ => None,
        }
    }

    /// The type of the first operand and the dimension an operation is about.
    fn dimension(&self, node: &Node<'a>) -> Result<(TensorType, usize), Issue> {
        let dim = one(node, &["dim", "dimension"])?;
        let ty = self.ty_of(node.operands[0]).ok_or(Issue::Reported)?;
        if dim >= ty.rank() {
            return Err(Issue::Error(format!("{}: {} has no dimension {dim}", node.name, mlir_type(ty))));
        }
        Ok((ty.clone(), dim))
    }

    fn get_dimension_size(&mut self, node: &Node<'a>, want: &Declared) -> Result<(), Issue> {
        let (ty, dim) = self.dimension(node)?;
        let size = ty.shape()[dim] as i64;
        let scalar = TensorType::scalar(want.dtype());
        let literal =
            Literal::from_i64s(scalar, &[size]).filter(|l| decode_i64(want.dtype(), l.element(0)) == size);
        let Some(literal) = literal else {
            return Err(Issue::Error(format!("{}: {size} is not a value of {want}", node.name)));
        };
        self.set_constant(node, 0, literal, want)
    }

    /// Only to the size there is.
    fn set_dimension_size(&mut self, node: &Node<'a>, want: &Declared) -> Result<(), Issue> {
        let (ty, dim) = self.dimension(node)?;
        let size = self.whole_operand(node, 1, "the size")?;
        if size != [ty.shape()[dim] as i64] {
            let size = size.first().map_or_else(|| "nothing".to_owned(), ToString::to_string);
            let message = format!("{} of {} to {size} in dimension {dim}", node.name, mlir_type(&ty));
            return Err(Issue::Unsupported(message, "a size is that of the shape: use a slice, or a mask"));
        }
        let slot = self.share(node.operands[0]);
        self.set_checked(node, 0, slot, want)
    }
}

/// How far back two values are compared.
const SAME_DEPTH: u32 = 8;

/// Whether two values are computed alike: a start is often worked out twice.
fn same(program: &Program, a: Value, b: Value, depth: u32) -> bool {
    if a == b {
        return true;
    }
    let (ValueDef::Result(i, k), ValueDef::Result(j, l)) = (program.def(a), program.def(b)) else {
        return false;
    };
    let (x, y) = (program.instr(i), program.instr(j));
    depth > 0
        && k == l
        && x.op() == y.op()
        && x.operands().len() == y.operands().len()
        && x.operands().iter().zip(y.operands()).all(|(&a, &b)| same(program, a, b, depth - 1))
}

fn operand_count(op: ShapeOp) -> usize {
    match op {
        ShapeOp::DynamicIota | ShapeOp::GetDimensionSize => 1,
        ShapeOp::DynamicReshape | ShapeOp::DynamicBroadcastInDim | ShapeOp::SetDimensionSize => 2,
        ShapeOp::DynamicConv | ShapeOp::DynamicGather => 3,
        ShapeOp::RealDynamicSlice => 4,
        ShapeOp::DynamicPad => 5,
    }
}
