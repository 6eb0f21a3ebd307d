//! Operands broadcast to one shape: `stablehlo.broadcast` and CHLO's elementwise operations.

use super::FuncLowering;
use crate::ops::{Issue, compare_direction, dims, is_total_order};
use crate::tree::Node;
use crate::types::mlir_type;
use pullback_ir::{Op, TensorType, Value};

/// The shape that shapes aligned at their last dimensions broadcast to: sizes are equal or 1.
fn common_shape(types: &[&TensorType]) -> Option<Vec<usize>> {
    let rank = types.iter().map(|t| t.rank()).max().unwrap_or(0);
    let mut shape = vec![1; rank];
    for ty in types {
        let first = rank - ty.rank();
        for (d, &n) in ty.shape().iter().enumerate() {
            let size = &mut shape[first + d];
            match (*size, n) {
                (1, n) => *size = n,
                (m, n) if n == m || n == 1 => {}
                _ => return None,
            }
        }
    }
    Some(shape)
}

impl<'a> FuncLowering<'_, 'a, '_> {
    pub(super) fn broadcast_sizes(&mut self, node: &Node<'a>) -> Result<Value, Issue> {
        let [x] = self.operands(node)?;
        let sizes = dims(node, &["sizes", "broadcast_sizes"])?;
        let own = self.shape(x);
        let dims = (sizes.len()..sizes.len() + own.len()).collect();
        self.add(Op::BroadcastInDim { shape: [sizes, own].concat(), dims }, &[x])
    }

    pub(super) fn broadcast_elementwise(&mut self, node: &Node<'a>, op: Op) -> Result<Value, Issue> {
        let operands: [Value; 2] = self.operands(node)?;
        let operands = self.broadcast_together(node, operands)?;
        self.add(op, &operands)
    }

    pub(super) fn broadcast_compare(&mut self, node: &Node<'a>) -> Result<Value, Issue> {
        let Some(direction) = compare_direction(node) else {
            return Err(Issue::Error(format!("{} needs a direction: EQ, NE, GE, GT, LE or LT", node.name)));
        };
        let op = Op::Compare { direction, total_order: is_total_order(node) };
        self.broadcast_elementwise(node, op)
    }

    /// A predicate of rank 0 stays so.
    pub(super) fn broadcast_select(&mut self, node: &Node<'a>) -> Result<Value, Issue> {
        let [pred, on_true, on_false] = self.operands(node)?;
        let all =
            if self.b.ty(pred).rank() == 0 { vec![on_true, on_false] } else { vec![pred, on_true, on_false] };
        let mut wide = self.one_shape(node, &all)?;
        if wide.len() == 2 {
            wide.insert(0, pred);
        }
        self.add(Op::Select, &wide)
    }

    /// Without `broadcast_dimensions`, shapes are aligned at their last dimensions; with them, the operand of lower
    /// rank has its dimensions there. Dimensions of size 1 are repeated.
    fn broadcast_together(&mut self, node: &Node<'a>, [x, y]: [Value; 2]) -> Result<[Value; 2], Issue> {
        let (mut x, mut y) = (x, y);
        let (a, b) = (self.b.ty(x).clone(), self.b.ty(y).clone());
        if node.attr(&["broadcast_dimensions"]).is_some() && a.rank() != b.rank() {
            let dims = dims(node, &["broadcast_dimensions"])?;
            let (small, large) = if a.rank() < b.rank() { (&mut x, &b) } else { (&mut y, &a) };
            let own = self.shape(*small);
            let fits = dims.len() == own.len()
                && dims.windows(2).all(|w| w[0] < w[1])
                && dims.last().is_none_or(|&d| d < large.rank());
            if !fits {
                let message =
                    format!("broadcast_dimensions {dims:?} do not place {own:?} in {}", mlir_type(large));
                return Err(Issue::Error(format!("{}: {message}", node.name)));
            }
            let mut shape = vec![1; large.rank()];
            for (&d, n) in dims.iter().zip(own) {
                shape[d] = n;
            }
            *small = self.reshape(*small, &shape)?;
        }
        let wide = self.one_shape(node, &[x, y])?;
        Ok([wide[0], wide[1]])
    }

    fn one_shape(&mut self, node: &Node<'a>, values: &[Value]) -> Result<Vec<Value>, Issue> {
        let types: Vec<&TensorType> = values.iter().map(|&v| self.b.ty(v)).collect();
        let Some(shape) = common_shape(&types) else {
            let list: Vec<String> = types.iter().map(|t| mlir_type(t)).collect();
            return Err(Issue::Error(format!(
                "{}: {} do not broadcast to one shape",
                node.name,
                list.join(" and ")
            )));
        };
        let mut wide = Vec::with_capacity(values.len());
        for &v in values {
            let rank = self.b.ty(v).rank();
            if self.b.ty(v).shape() == shape {
                wide.push(v);
            } else {
                let dims = (shape.len() - rank..shape.len()).collect();
                wide.push(self.add(Op::BroadcastInDim { shape: shape.clone(), dims }, &[v])?);
            }
        }
        Ok(wide)
    }
}
