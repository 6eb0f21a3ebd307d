//! Tangents of windows: the greatest or least element under a window, and the product of the elements.
//!
//! A window over several dimensions is one dimension after the other. Along one, elements are combined by doubling,
//! or directly where windows hardly overlap, so the work grows with the logarithm of the window. Of equal elements the
//! first in row-major order is chosen and gets all, as select_and_scatter chooses. Products never divide, so zeros are
//! as good as any number, at any order.

use super::{Made, Tangent, zero};
use crate::linearize::Context;
use crate::transpose::window::{chosen, pick};
use pullback_ir::{
    BinaryOp, Builder, Comparison, Composite, Instr, Monoid, Op, Rule, TensorType, TypeError, Value,
    WindowDims,
};

/// y = greatest or least of x under each window: the tangent of the chosen element.
pub(super) fn extreme(cx: &mut Context, instr: &Instr, window: &WindowDims, least: bool) -> Tangent {
    let x = instr.operands()[0];
    let Some(dx) = cx.tangent(x) else { return zero() };
    let px = cx.value(x);
    if cx.ty(instr.result()).count() == 0 || cx.ty(x).count() == 0 {
        return zero();
    }
    let plain = window.base_dilations.iter().chain(&window.window_dilations).all(|&d| d == 1);
    if plain && cx.together.is_none() {
        let x = cx.fixed(px);
        let op = pick_where_chosen(cx.linear.ty(x), cx.linear.ty(dx), window, least)?;
        return Ok(Some(cx.linear.push1(op, &[x, dx])?));
    }
    let at = chosen(&mut cx.primal, px, window, least)?;
    let at = cx.fixed(at);
    Ok(Some(pick(&mut cx.linear, dx, at)?))
}

/// From x and dx the elements of dx where those of x are chosen. Its transpose is one op: nothing but x is kept for it.
fn pick_where_chosen(
    x_ty: &TensorType,
    dx_ty: &TensorType,
    window: &WindowDims,
    least: bool,
) -> Result<Op, TypeError> {
    let mut b = Builder::new("pick");
    let (x, dx) = (b.arg(None, x_ty.clone()), b.arg(None, dx_ty.clone()));
    let at = chosen(&mut b, x, window, least)?;
    let y = pick(&mut b, dx, at)?;
    let y_ty = b.ty(y).clone();
    let body = b.finish(&[y]);
    let mut b = Builder::new("scatter");
    let (x, ct) = (b.arg(None, x_ty.clone()), b.arg(None, y_ty));
    let window = Box::new(window.clone());
    let dx = b.push1(Op::SelectAndScatter { window, least, monoid: Monoid::Add }, &[x, ct])?;
    let rule = Rule::Transpose { backward: b.finish(&[dx]) };
    Ok(Op::Composite(Box::new(Composite::new("pullback.pick_where_chosen", body, rule))))
}

/// y = product of x under each window.
pub(super) fn product(cx: &mut Context, instr: &Instr, window: &WindowDims) -> Tangent {
    let x = instr.operands()[0];
    let Some(dx) = cx.tangent(x) else { return zero() };
    if cx.ty(instr.result()).count() == 0 || cx.ty(x).count() == 0 {
        return zero();
    }
    let mut pair = [cx.value(x), dx];
    for (value, b, fill) in [(0, &mut cx.primal, 1.0), (1, &mut cx.linear, 0.0)] {
        pair[value] = pad(b, pair[value], window, fill)?;
    }
    let combine = |cx: &mut Context, [x, dx]: [Value; 2], [y, dy]: [Value; 2]| {
        let z = cx.primal.mul(x, y)?;
        let (x, y) = (cx.fixed(x), cx.fixed(y));
        let (left, right) = (cx.linear.mul(dx, y)?, cx.linear.mul(x, dy)?);
        Ok([z, cx.linear.add(left, right)?])
    };
    let cut = |cx: &mut Context, [x, dx]: [Value; 2], s: Cut| {
        Ok([s.of(&mut cx.primal, x)?, s.of(&mut cx.linear, dx)?])
    };
    let shape = |cx: &Context, [x, _]: [Value; 2]| cx.primal.ty(x).shape().to_vec();
    let [_, dy] = sweep(cx, window, pair, &shape, &cut, &combine)?;
    Ok(Some(dy))
}

/// The operand as windows see it: dilated and padded with `fill`.
pub(crate) fn pad(b: &mut Builder, x: Value, w: &WindowDims, fill: f64) -> Made {
    let dtype = b.ty(x).dtype();
    let fill = b.splat(&TensorType::scalar(dtype), fill);
    pad_with(b, x, w, fill)
}

/// As [`pad`], with a value.
pub(crate) fn pad_with(b: &mut Builder, x: Value, w: &WindowDims, fill: Value) -> Made {
    let plain = w.padding.iter().all(|&p| p == (0, 0)) && w.base_dilations.iter().all(|&d| d == 1);
    if plain {
        return Ok(x);
    }
    let (low, high) = w.padding.iter().copied().unzip();
    let interior = w.base_dilations.iter().map(|d| d - 1).collect();
    b.push1(Op::Pad { low, high, interior }, &[x, fill])
}

/// Every `stride`-th of the elements `start..start + length` along `dim`.
#[derive(Clone, Copy)]
pub(crate) struct Cut {
    dim: usize,
    start: usize,
    length: usize,
    stride: usize,
}

impl Cut {
    /// The elements of `x`.
    pub(crate) fn of(self, b: &mut Builder, x: Value) -> Made {
        let mut limits = b.ty(x).shape().to_vec();
        if (self.start, self.stride, self.length) == (0, 1, limits[self.dim]) {
            return Ok(x);
        }
        let (mut starts, mut strides) = (vec![0; limits.len()], vec![1; limits.len()]);
        (starts[self.dim], limits[self.dim]) = (self.start, self.start + self.length);
        strides[self.dim] = self.stride;
        b.push1(Op::Slice { starts, limits, strides }, &[x])
    }
}

type Combine<'a, C, T> = &'a dyn Fn(&mut C, T, T) -> Result<T, TypeError>;

/// Combines what is under each window of a padded operand, which has at least one window. `T` stands for tensors of
/// one shape, `C` for where they are computed; of two, the one that comes first in the operand is given first.
pub(crate) fn sweep<C, T: Copy>(
    cx: &mut C,
    w: &WindowDims,
    x: T,
    shape: &dyn Fn(&C, T) -> Vec<usize>,
    cut: &dyn Fn(&mut C, T, Cut) -> Result<T, TypeError>,
    combine: Combine<C, T>,
) -> Result<T, TypeError> {
    let mut x = x;
    for dim in 0..w.sizes.len() {
        let (size, stride, step) = (w.sizes[dim], w.strides[dim], w.window_dilations[dim]);
        let extent = shape(cx, x)[dim];
        // From the first element of the first window to that of the last.
        let length = extent - (size - 1) * step;
        let part = |start, stride, length| Cut { dim, start, length, stride };
        if size - 1 <= 2 * stride {
            let mut total = cut(cx, x, part(0, stride, length))?;
            for k in 1..size {
                let next = cut(cx, x, part(k * step, stride, length))?;
                total = combine(cx, total, next)?;
            }
            x = total;
            continue;
        }
        // `block` has at each place the combination of `width` elements from there on; the binary digits of the
        // size say which blocks make a window.
        let (mut block, mut width, mut done, mut total) = (x, 1, 0, None);
        while done < size {
            if size & width != 0 {
                let next = cut(cx, block, part(done * step, 1, length))?;
                total = Some(match total {
                    Some(total) => combine(cx, total, next)?,
                    None => next,
                });
                done += width;
            }
            if done < size {
                let valid = extent - (2 * width - 1) * step;
                let (near, far) = (part(0, 1, valid), part(width * step, 1, valid));
                let (near, far) = (cut(cx, block, near)?, cut(cx, block, far)?);
                block = combine(cx, near, far)?;
                width *= 2;
            }
        }
        x = cut(cx, total.unwrap_or(x), part(0, stride, length))?;
    }
    Ok(x)
}

/// Of two pairs of a value and its number, the better value; of equal ones the lesser number. NaN is the best.
pub(crate) fn better(
    b: &mut Builder,
    least: bool,
    [x, i]: [Value; 2],
    [y, j]: [Value; 2],
) -> Result<[Value; 2], TypeError> {
    let direction = if least { Comparison::Lt } else { Comparison::Gt };
    let wins = b.compare(direction, y, x)?;
    let (nan_x, nan_y) = (b.compare(Comparison::Ne, x, x)?, b.compare(Comparison::Ne, y, y)?);
    let wins = b.binary(BinaryOp::Or, wins, nan_y)?;
    let loses = b.compare(direction, x, y)?;
    let loses = b.binary(BinaryOp::Or, loses, nan_x)?;
    // Both or neither: a tie.
    let sooner = b.compare(Comparison::Lt, j, i)?;
    let tie = b.compare(Comparison::Eq, wins, loses)?;
    let takes = b.select(tie, sooner, wins)?;
    Ok([b.select(takes, y, x)?, b.select(takes, j, i)?])
}

/// The monoid's identity as a scalar.
pub(crate) fn identity(b: &mut Builder, x: Value, least: bool) -> Made {
    let monoid = if least { Monoid::Minimum } else { Monoid::Maximum };
    let ty = TensorType::scalar(b.ty(x).dtype());
    let literal = monoid.identity(&ty).ok_or_else(|| TypeError::new(format!("{ty} has no {monoid}")))?;
    Ok(b.constant(literal))
}
