//! The value of an op all of whose operands are constants: what importers use to work out shapes.
//!
//! Exact as `fold` is: whole numbers, booleans and moves of elements, no overflow, no division by zero. `None` says
//! that the value is not worked out, not that there is none.

use super::literal;
use crate::dtype::{DTypeClass, TensorType};
use crate::literal::{Literal, decode_i64};
use crate::op::{BinaryOp, Monoid, Op};

/// The result of an op with one result, whose type is `ty`, on constants; at most 4096 elements that differ.
pub fn constant(op: &Op, operands: &[&Literal], ty: &TensorType) -> Option<Literal> {
    let value = match (op, operands) {
        (Op::Unary(u), [x]) => literal::unary(*u, x),
        (Op::Binary(b), [x, y]) => literal::binary(*b, x, y),
        (Op::Compare { direction, total_order }, [x, y]) => literal::compare(*direction, *total_order, x, y),
        (Op::Convert { dtype }, [x]) => literal::convert(x, *dtype),
        (Op::BroadcastInDim { shape, dims }, [x]) => literal::broadcast(x, shape, dims),
        (Op::Reshape { shape }, [x]) => x.reshaped(shape),
        (Op::Transpose { permutation }, [x]) => literal::transpose(x, permutation),
        (Op::Slice { starts, limits: _, strides }, [x]) => literal::slice(x, ty, starts, strides),
        (Op::Reverse { dims }, [x]) => literal::reverse(x, dims),
        (Op::Select, [pred, on_true, on_false]) => select(pred, on_true, on_false, ty),
        (Op::Clamp, [min, x, max]) => {
            let low = literal::binary(BinaryOp::Maximum, x, &like(min, ty)?)?;
            literal::binary(BinaryOp::Minimum, &low, &like(max, ty)?)
        }
        (Op::Concatenate { dim }, xs) => concatenate(xs, *dim, ty),
        (Op::Reduce { dims, monoid }, [x]) => reduce(x, dims, *monoid, ty),
        (Op::DynamicSlice { sizes }, [x, starts @ ..]) => {
            let starts = starts.iter().zip(x.ty().shape()).zip(sizes);
            let starts: Option<Vec<usize>> = starts
                .map(|((s, &n), &size)| {
                    let last = i64::try_from(n.checked_sub(size)?).ok()?;
                    usize::try_from(number(s)?.clamp(0, last)).ok()
                })
                .collect();
            literal::slice(x, ty, &starts?, &vec![1; sizes.len()])
        }
        (
            Op::Unary(_)
            | Op::Binary(_)
            | Op::Compare { .. }
            | Op::Convert { .. }
            | Op::BroadcastInDim { .. }
            | Op::Reshape { .. }
            | Op::Transpose { .. }
            | Op::Slice { .. }
            | Op::Reverse { .. }
            | Op::Select
            | Op::Clamp
            | Op::Reduce { .. }
            | Op::DynamicSlice { .. }
            | Op::Constant(_)
            | Op::Iota { .. }
            | Op::DotGeneral(_)
            | Op::Convolution(_)
            | Op::Pad { .. }
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
            | Op::Custom(_),
            _,
        ) => None,
    };
    value.filter(|l| l.ty() == ty)
}

/// The whole number a scalar holds.
fn number(x: &Literal) -> Option<i64> {
    let d = x.ty().dtype();
    let whole = matches!(d.class(), DTypeClass::Signed | DTypeClass::Unsigned);
    (whole && x.ty().count() == 1).then(|| decode_i64(d, x.element(0)))
}

/// A scalar in every element, anything else as it is.
fn like(x: &Literal, ty: &TensorType) -> Option<Literal> {
    if x.ty().rank() == 0 { Literal::splat(ty.clone(), x.element(0)) } else { Some(x.clone()) }
}

fn select(pred: &Literal, on_true: &Literal, on_false: &Literal, ty: &TensorType) -> Option<Literal> {
    if let Some(p) = pred.splat_bytes() {
        return Some(if p[0] != 0 { on_true.clone() } else { on_false.clone() });
    }
    literal::build(ty, |i| {
        let from = if pred.element(i)[0] != 0 { on_true } else { on_false };
        Some(from.element(i).to_vec())
    })
}

fn concatenate(xs: &[&Literal], dim: usize, ty: &TensorType) -> Option<Literal> {
    let inner: usize = ty.shape()[dim + 1..].iter().product();
    let whole = ty.shape()[dim];
    literal::build(ty, |i| {
        let (row, mut at) = (i / inner / whole, i / inner % whole);
        for x in xs {
            let n = x.ty().shape()[dim];
            if at < n {
                return Some(x.element((row * n + at) * inner + i % inner).to_vec());
            }
            at -= n;
        }
        None
    })
}

/// In order, one position of the reduced dimensions after the other.
fn reduce(x: &Literal, dims: &[usize], monoid: Monoid, ty: &TensorType) -> Option<Literal> {
    let kept = (0..x.ty().rank()).filter(|d| !dims.contains(d));
    let permutation: Vec<usize> = dims.iter().copied().chain(kept).collect();
    let n: usize = dims.iter().map(|&d| x.ty().shape()[d]).product();
    let rows = literal::transpose(x, &permutation)?.reshaped(&[n, ty.count()])?;
    let flat = TensorType::try_new(ty.dtype(), vec![1, ty.count()])?;
    let mut sum: Option<Literal> = None;
    for row in 0..n {
        let x = literal::slice(&rows, &flat, &[row, 0], &[1, 1])?;
        sum = Some(match sum {
            Some(sum) => literal::binary(monoid.op(), &sum, &x)?,
            None => x,
        });
    }
    match sum {
        Some(sum) => sum.reshaped(ty.shape()),
        None => monoid.identity(ty),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::infer::infer;

    fn whole(shape: &[usize], values: &[i64]) -> Literal {
        Literal::from_i64s(TensorType::new(DType::I32, shape.to_vec()), values)
            .expect("as many as the shape has")
    }

    fn value(op: Op, operands: &[&Literal]) -> Option<Vec<i64>> {
        let types: Vec<&TensorType> = operands.iter().map(|l| l.ty()).collect();
        let ty = infer(&op, &types).expect("a well-typed op").remove(0);
        let l = constant(&op, operands, &ty)?;
        Some((0..ty.count()).map(|i| decode_i64(ty.dtype(), l.element(i))).collect())
    }

    #[test]
    fn shapes_are_worked_out() {
        let (x, y) = (whole(&[2, 2], &[1, 2, 3, 4]), whole(&[2, 1], &[5, 6]));
        let concatenate = |dim| Op::Concatenate { dim };
        assert_eq!(value(concatenate(1), &[&x, &y]), Some(vec![1, 2, 5, 3, 4, 6]));
        assert_eq!(value(concatenate(0), &[&x, &x]), Some(vec![1, 2, 3, 4, 1, 2, 3, 4]));
        let reduce = |dims: &[usize], monoid| Op::Reduce { dims: dims.to_vec(), monoid };
        assert_eq!(value(reduce(&[0], Monoid::Multiply), &[&x]), Some(vec![3, 8]));
        assert_eq!(value(reduce(&[1], Monoid::Maximum), &[&x]), Some(vec![2, 4]));
        assert_eq!(value(reduce(&[0, 1], Monoid::Add), &[&x]), Some(vec![10]));
        let none = whole(&[0, 2], &[]);
        assert_eq!(value(reduce(&[0], Monoid::Multiply), &[&none]), Some(vec![1, 1]));
        let pred = value_of(
            Op::Compare { direction: crate::op::Comparison::Gt, total_order: false },
            &[&x, &whole(&[2, 2], &[2; 4])],
        );
        assert_eq!(value(Op::Select, &[&pred, &x, &whole(&[2, 2], &[0; 4])]), Some(vec![0, 0, 3, 4]));
        let (low, high) = (whole(&[], &[2]), whole(&[], &[3]));
        assert_eq!(value(Op::Clamp, &[&low, &x, &high]), Some(vec![2, 2, 3, 3]));
        let row = Op::DynamicSlice { sizes: vec![1, 2] };
        assert_eq!(value(row, &[&x, &whole(&[], &[9]), &whole(&[], &[-1])]), Some(vec![3, 4]));
    }

    fn value_of(op: Op, operands: &[&Literal]) -> Literal {
        let types: Vec<&TensorType> = operands.iter().map(|l| l.ty()).collect();
        let ty = infer(&op, &types).expect("a well-typed op").remove(0);
        constant(&op, operands, &ty).expect("a value")
    }

    #[test]
    fn what_machines_differ_on_is_left() {
        let (x, zero) = (whole(&[], &[i64::from(i32::MAX)]), whole(&[], &[0]));
        assert_eq!(value(Op::Binary(BinaryOp::Add), &[&x, &x]), None);
        assert_eq!(value(Op::Binary(BinaryOp::Divide), &[&x, &zero]), None);
        let large = whole(&[5000], &(0..5000).collect::<Vec<_>>());
        assert_eq!(value(Op::Binary(BinaryOp::Add), &[&large, &large]), None);
    }
}
