//! An operator added from outside: the soft threshold `sign(x) max(|x| - t, 0)` of an f32 tensor by a scalar, with a
//! kernel, a pullback for each operand, and an access map that lets every dimension be cut.
//!
//! Nothing of Pullback is touched: [`register`] is all that a program which imports, differentiates or runs it calls.

use pullback_ir::custom::{self, Call, CustomOp, Read, RegisterError, Write};
use pullback_ir::{
    Assurance, Builder, Comparison, CustomAccess, CustomFactor, CustomFactorKind, DType, Monoid, Program,
    TensorType, TypeError, UnaryOp, Value,
};
use std::sync::Arc;

/// The target of the `custom_call`s that mean it.
pub const NAME: &str = "example.soft_threshold";

/// The operator.
#[derive(Clone, Copy, Debug)]
pub struct SoftThreshold;

/// Makes the operator known in this process.
pub fn register() -> Result<(), RegisterError> {
    custom::register(Arc::new(SoftThreshold))
}

/// The pullback: operands and results, then the cotangent of the result, to the cotangent of operand `i`.
fn pullback(x_ty: &TensorType, t_ty: &TensorType, i: usize) -> Result<Program, TypeError> {
    let mut b = Builder::new("soft_threshold.pullback");
    let x = b.arg(Some("x"), x_ty.clone());
    let t = b.arg(Some("t"), t_ty.clone());
    b.arg(Some("y"), x_ty.clone());
    let ct = b.arg(Some("ct"), x_ty.clone());
    // Where |x| > t the result moves with x, and against t on the side of x.
    let size = b.unary(UnaryOp::Abs, x)?;
    let wide = b.broadcast_scalar(t, x_ty.shape())?;
    let moves = b.compare(Comparison::Gt, size, wide)?;
    let zeros = b.splat(x_ty, 0.0);
    let dx = b.select(moves, ct, zeros)?;
    if i == 0 {
        return Ok(b.finish(&[dx]));
    }
    let sign = b.unary(UnaryOp::Sign, x)?;
    let along = b.mul(sign, dx)?;
    let dims: Vec<usize> = (0..x_ty.rank()).collect();
    let sum: Value = b.reduce(along, &dims, Monoid::Add)?;
    let dt = b.unary(UnaryOp::Negate, sum)?;
    Ok(b.finish(&[dt]))
}

impl CustomOp for SoftThreshold {
    fn name(&self) -> &str {
        NAME
    }

    fn infer(&self, call: Call<'_>) -> Result<Vec<TensorType>, String> {
        match call.operands {
            [x, t] if x.dtype() == DType::F32 && *t == TensorType::scalar(DType::F32) => Ok(vec![x.clone()]),
            _ => Err("takes an f32 tensor and an f32 scalar".to_owned()),
        }
    }

    fn access(&self, call: Call<'_>, _: &[TensorType]) -> CustomAccess {
        let shape = call.operands.first().map_or(&[][..], |x| x.shape());
        let pass = |&size: &usize| CustomFactor { size, kind: CustomFactorKind::Pass };
        CustomAccess {
            factors: shape.iter().map(pass).collect(),
            operands: vec![(0..shape.len()).map(Some).collect(), Vec::new()],
            results: vec![(0..shape.len()).collect()],
        }
    }

    fn flops(&self, call: Call<'_>) -> u64 {
        call.operands.first().map_or(0, |x| 3 * x.count() as u64)
    }

    fn depth(&self) -> u32 {
        2
    }

    fn assurance(&self) -> Assurance {
        Assurance::Tested
    }

    fn pullback(&self, call: Call<'_>, operand: usize) -> Result<Option<Program>, String> {
        let [x, t] = call.operands else { return Ok(None) };
        pullback(x, t, operand).map(Some).map_err(|e| e.to_string())
    }

    fn evaluate(&self, _: Call<'_>, operands: &[Read<'_>], results: &mut [Write<'_>]) {
        let ([x, t], [y]) = (operands, results) else { return };
        let number = |bytes: &[u8]| bytes.try_into().map_or(0.0, f32::from_le_bytes);
        let t = number(t.bytes);
        for (x, y) in x.bytes.chunks_exact(4).zip(y.bytes.chunks_exact_mut(4)) {
            let x = number(x);
            // NaN stays NaN.
            let shrunk = if x.abs() > t { x - t.copysign(x) } else { x * 0.0 };
            y.copy_from_slice(&shrunk.to_le_bytes());
        }
    }
}
