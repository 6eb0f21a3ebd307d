//! Tangents and transposes of tridiagonal systems.
//!
//! t x = b with t given by its diagonals (below, on, above), each as long as t is large; the first element below and the
//! last above are not read. t dx = db - dt x, solved as JAX's own routine does.

use super::linalg::{Tangents, or_nan};
use super::matrix::spread;
use super::{Made, fixed, unsupported};
use crate::linearize::Context;
use pullback_ir::{Builder, Instr, Lapack, Linalg, Op, TensorType, UnaryOp, Value};

fn solve(b: &mut Builder, t: [Value; 3], y: Value) -> Made {
    let op = Op::Linalg(Linalg::Lapack(Lapack::TridiagonalSolvePerturbed));
    b.push1(op, &[t[0], t[1], t[2], y])
}

/// Element i along dimension `dim` is what element i - `by` was; zeros come in.
fn shifted(b: &mut Builder, x: Value, dim: usize, by: i64) -> Made {
    let ty = b.ty(x).clone();
    let zero = b.splat(&TensorType::scalar(ty.dtype()), 0.0);
    let (mut low, mut high) = (vec![0; ty.rank()], vec![0; ty.rank()]);
    (low[dim], high[dim]) = (by, -by);
    b.push1(Op::Pad { low, high, interior: vec![0; ty.rank()] }, &[x, zero])
}

/// Tangents of the results: the solution is the last but one of gtsv's, the only one of JAX's routine.
pub(super) fn tangents(cx: &mut Context, instr: &Instr) -> Tangents {
    let place = if instr.results().len() == 1 { 0 } else { 3 };
    if (0..place).any(|i| cx.needed(instr.results()[i])) {
        let help = "of its results only the solution has a rule";
        return unsupported(cx, instr, "lapack_gtsv", help).map(|t| vec![t]);
    }
    let y = instr.operands()[3];
    let (ty, px) = (cx.ty(y), cx.value(instr.results()[place]));
    let rows = ty.rank() - 2;
    let mut right = cx.tangent(y);
    for (k, by) in [(0, 1), (1, 0), (2, -1)] {
        let Some(dt) = cx.tangent(instr.operands()[k]) else { continue };
        let x = if by == 0 { px } else { shifted(&mut cx.primal, px, rows, by)? };
        let x = cx.fixed(x);
        let b = &mut cx.linear;
        let dt = spread(b, dt, ty.shape(), true)?;
        let part = b.mul(dt, x)?;
        right = Some(match right {
            Some(right) => b.sub(right, part)?,
            None => b.unary(UnaryOp::Negate, part)?,
        });
    }
    let Some(right) = right else { return Ok(Vec::new()) };
    let mut t = [0, 1, 2].map(|k| fixed(cx, instr.operands()[k]));
    if let Some(&info) = instr.results().get(place + 1) {
        let (on, info) = (cx.value(instr.operands()[1]), cx.value(info));
        let on = or_nan(&mut cx.primal, on, info)?;
        t[1] = cx.fixed(on);
    }
    let dx = solve(&mut cx.linear, t, right)?;
    let mut out = vec![None; place];
    out.push(Some(dx));
    Ok(out)
}

/// The transposed system, solved for a cotangent.
pub(super) fn transposed(b: &mut Builder, ct: Value, [below, d, above]: [Value; 3]) -> Made {
    let along = b.ty(d).rank() - 1;
    let (new_below, new_above) = (shifted(b, above, along, 1)?, shifted(b, below, along, -1)?);
    solve(b, [new_below, d, new_above], ct)
}
