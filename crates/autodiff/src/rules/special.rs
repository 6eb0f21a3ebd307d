//! Partial derivatives of special functions: polygamma, zeta and the exponentially scaled Bessel function.
//!
//! Each is written with differentiable ops, so it can be differentiated again.

use super::elementwise::{elementwise, minus_from, negate, number, plus, times};
use super::{Made, Tangent, unsupported};
use crate::linearize::Context;
use pullback_ir::{BinaryOp, Builder, Comparison, Instr, UnaryOp, Value};

/// polygamma and zeta by their second operand. The order of polygamma is a whole number, and zeta has no derivative by
/// its exponent in closed form.
pub(super) fn by_second(cx: &mut Context, instr: &Instr, zeta: bool) -> Tangent {
    let (x, y) = (instr.operands()[0], instr.operands()[1]);
    if cx.tangent(x).is_some() {
        let help = "it has no derivative by its first operand: stop its gradient there";
        return unsupported(cx, instr, instr.op().name(), help);
    }
    let (px, py) = (cx.value(x), cx.value(y));
    times(cx, y, |b| {
        let next = plus(b, px, 1.0)?;
        if !zeta {
            return b.binary(BinaryOp::Polygamma, next, py);
        }
        let z = b.binary(BinaryOp::Zeta, next, py)?;
        let less = negate(b, px)?;
        b.mul(less, z)
    })
}

/// y = e^-|x| I1(x): dy = e^-|x| I0(x) - y (sign(x) + 1/x), and 1/2 at 0 (Abramowitz and Stegun 9.6.28).
pub(super) fn bessel_i1e(cx: &mut Context, instr: &Instr) -> Tangent {
    elementwise(cx, instr, |b, x, y| {
        let (zero, one, half) = (number(b, x, 0.0), number(b, x, 1.0), number(b, x, 0.5));
        let at_zero = b.compare(Comparison::Eq, x, zero)?;
        let apart = b.select(at_zero, one, x)?;
        let i0e = bessel_i0e(b, apart)?;
        let inverse = b.div(one, apart)?;
        let sign = b.unary(UnaryOp::Sign, apart)?;
        let factor = b.add(sign, inverse)?;
        let rest = b.mul(y, factor)?;
        let d = b.sub(i0e, rest)?;
        b.select(at_zero, half, d)
    })
}

/// e^-|x| I0(x), by Chebyshev series of it in |x|/4 - 1 up to 8, and of its product with sqrt|x| in 16/|x| - 1
/// beyond (coefficients computed from 9.6.10 and 9.7.1 of Abramowitz and Stegun with 60 digits).
fn bessel_i0e(b: &mut Builder, x: Value) -> Made {
    let (a, eight) = (b.unary(UnaryOp::Abs, x)?, number(b, x, 8.0));
    let near = b.compare(Comparison::Le, a, eight)?;
    let inner = b.select(near, a, eight)?;
    let t = b.scale(inner, 0.25)?;
    let t = plus(b, t, -1.0)?;
    let inner = chebyshev(b, t, &NEAR)?;
    let outer = b.select(near, eight, a)?;
    let sixteen = number(b, x, 16.0);
    let t = b.div(sixteen, outer)?;
    let t = plus(b, t, -1.0)?;
    let series = chebyshev(b, t, &FAR)?;
    let root = b.unary(UnaryOp::Sqrt, outer)?;
    let outer = b.div(series, root)?;
    b.select(near, inner, outer)
}

/// The sum of c[k] T_k(t), by Clenshaw's recurrence.
fn chebyshev(b: &mut Builder, t: Value, c: &[f64]) -> Made {
    let twice = b.scale(t, 2.0)?;
    let (mut next, mut after) = (number(b, t, 0.0), number(b, t, 0.0));
    for &c in c.iter().skip(1).rev() {
        let p = b.mul(twice, next)?;
        let rest = minus_from(b, c, after)?;
        (next, after) = (b.add(p, rest)?, next);
    }
    let p = b.mul(t, next)?;
    let rest = minus_from(b, c.first().copied().unwrap_or(0.0), after)?;
    b.add(p, rest)
}

const NEAR: [f64; 29] = [
    0.33839763720473803,
    -0.3046826723431984,
    0.17162090152220877,
    -0.09490109704804764,
    0.04930528423967071,
    -0.02373741480589947,
    0.010546460394594998,
    -0.004324309995050576,
    0.0016394756169413357,
    -0.0005763755745385824,
    0.00018850288509584165,
    -5.754195010082104e-05,
    1.6448448070728896e-05,
    -4.4167383584587505e-06,
    1.1173875391201037e-06,
    -2.670793853940612e-07,
    6.046995022541919e-08,
    -1.300025009986248e-08,
    2.6598237246823866e-09,
    -5.189795601635263e-10,
    9.675809035373237e-11,
    -1.726826291441556e-11,
    2.95505266312964e-12,
    -4.856446783111929e-13,
    7.676185498604936e-14,
    -1.1685332877993451e-14,
    1.715391285555133e-15,
    -2.431279846547955e-16,
    3.3307945188222384e-17,
];

const FAR: [f64; 25] = [
    0.4022452055070544,
    0.0033691164782556943,
    6.889758346916825e-05,
    2.8913705208347567e-06,
    2.0489185894690638e-07,
    2.266668990498178e-08,
    3.3962320257083865e-09,
    4.94060238822497e-10,
    1.1889147107846439e-11,
    -3.1499165279632416e-11,
    -1.3215811840447713e-11,
    -1.7941785315068062e-12,
    7.180124451383666e-13,
    3.8527783827421426e-13,
    1.54008621752141e-14,
    -4.150569347287222e-14,
    -9.554846698828307e-15,
    3.8116806693526224e-15,
    1.7725601330565263e-15,
    -3.425485619677219e-16,
    -2.8276239805165836e-16,
    3.461222867697461e-17,
    4.46562142029676e-17,
    -4.830504485944182e-18,
    -7.233180487874754e-18,
];
