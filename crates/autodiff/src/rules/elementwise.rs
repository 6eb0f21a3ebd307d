//! Partial derivatives of elementwise ops, and clamp.
//!
//! A partial derivative is computed in the primal program from operands and result (the result is reused where
//! that is cheaper), then multiplies the tangent in the linear program. Conventions are listed in the crate's
//! documentation.

use super::{Made, Tangent, linear, special, sum, zero};
use crate::error::AdError;
use crate::linearize::{Context, constant};
use crate::smooth::{LogAddExp, Product};
use pullback_ir::{BinaryOp, Builder, Comparison, DTypeClass, Instr, TensorType, UnaryOp, Value};

/// Tangent of `x` times the coefficient that `d` computes in the primal program; nothing is computed for a
/// zero tangent.
pub(super) fn times(cx: &mut Context, x: Value, d: impl FnOnce(&mut Builder) -> Made) -> Tangent {
    let Some(dx) = cx.tangent(x) else { return zero() };
    let coefficient = d(&mut cx.primal)?;
    let coefficient = cx.fixed(coefficient);
    Ok(Some(cx.linear.mul(dx, coefficient)?))
}

/// d(x log y) as of the product, also where a choice makes it 0; of x log x it is (log x + 1) dx.
pub(super) fn smooth_product(cx: &mut Context, p: &Product) -> Tangent {
    let Some((x, log)) = p.square else { return Ok(cx.tangent(p.product)) };
    let (ty, log) = (cx.ty(x), cx.value(log));
    times(cx, x, |b| {
        let one = b.splat(ty, 1.0);
        b.add(log, one)
    })
}

/// d log(exp(c a) + exp(c b)) / c = logistic(c (a - b)) da + logistic(c (b - a)) db; half
/// to each where both are the same infinity.
pub(super) fn log_add_exp(cx: &mut Context, s: &LogAddExp) -> Tangent {
    let mut d = cx.value(s.difference);
    if s.guarded {
        let zero = number(&mut cx.primal, d, 0.0);
        let nan = cx.primal.compare(Comparison::Ne, d, d)?;
        d = cx.primal.select(nan, zero, d)?;
    }
    if s.factor != 1.0 {
        d = cx.primal.scale(d, s.factor)?;
    }
    let (first, second) = if s.turned { (s.b, s.a) } else { (s.a, s.b) };
    let by_first = times(cx, first, |b| b.unary(UnaryOp::Logistic, d))?;
    let by_second = times(cx, second, |b| {
        let less = b.unary(UnaryOp::Negate, d)?;
        b.unary(UnaryOp::Logistic, less)
    })?;
    sum(cx, by_first, by_second)
}

/// Tangent of `x` divided by a value of the primal program.
fn over(cx: &mut Context, x: Value, divisor: Value) -> Tangent {
    let Some(dx) = cx.tangent(x) else { return zero() };
    let divisor = cx.fixed(divisor);
    Ok(Some(cx.linear.div(dx, divisor)?))
}

/// y = f(x) with dy = d(x, y) dx.
pub(super) fn elementwise(
    cx: &mut Context,
    instr: &Instr,
    d: impl FnOnce(&mut Builder, Value, Value) -> Made,
) -> Tangent {
    let x = instr.operands()[0];
    let (px, py) = (cx.value(x), cx.value(instr.result()));
    times(cx, x, |b| d(b, px, py))
}

/// z = f(x, y) with dz = dx(x, y, z) dx + dy(x, y, z) dy; operands come as an array.
fn elementwise2(
    cx: &mut Context,
    instr: &Instr,
    dx: impl FnOnce(&mut Builder, [Value; 3]) -> Made,
    dy: impl FnOnce(&mut Builder, [Value; 3]) -> Made,
) -> Tangent {
    let (x, y) = (instr.operands()[0], instr.operands()[1]);
    let values = [cx.value(x), cx.value(y), cx.value(instr.result())];
    let left = times(cx, x, |b| dx(b, values))?;
    let right = times(cx, y, |b| dy(b, values))?;
    sum(cx, left, right)
}

/// A constant like `x`.
pub(super) fn number(b: &mut Builder, x: Value, v: f64) -> Value {
    let ty = b.ty(x).clone();
    b.splat(&ty, v)
}

/// x + c
pub(super) fn plus(b: &mut Builder, x: Value, c: f64) -> Made {
    let c = number(b, x, c);
    b.add(x, c)
}

/// c - x
pub(super) fn minus_from(b: &mut Builder, c: f64, x: Value) -> Made {
    let c = number(b, x, c);
    b.sub(c, x)
}

/// c / x
fn divide_into(b: &mut Builder, c: f64, x: Value) -> Made {
    let c = number(b, x, c);
    b.div(c, x)
}

pub(super) fn negate(b: &mut Builder, x: Value) -> Made {
    b.unary(UnaryOp::Negate, x)
}

/// c + x^2, or c - x^2 where `sign` is negative.
fn square_plus(b: &mut Builder, x: Value, sign: f64, c: f64) -> Made {
    let square = b.mul(x, x)?;
    if sign < 0.0 { minus_from(b, c, square) } else { plus(b, square, c) }
}

/// 1 / sqrt(c ± x^2)
fn inverse_root(b: &mut Builder, x: Value, sign: f64, c: f64) -> Made {
    let sum = square_plus(b, x, sign, c)?;
    b.unary(UnaryOp::Rsqrt, sum)
}

/// 1 / (1 ± x^2)
fn inverse_square(b: &mut Builder, x: Value, sign: f64) -> Made {
    let sum = square_plus(b, x, sign, 1.0)?;
    divide_into(b, 1.0, sum)
}

/// y = log(x + shift)
fn logarithm(cx: &mut Context, instr: &Instr, shift: f64) -> Tangent {
    let x = instr.operands()[0];
    let px = cx.value(x);
    let divisor = if shift == 0.0 { px } else { plus(&mut cx.primal, px, shift)? };
    over(cx, x, divisor)
}

/// c * exp(-x^2), the derivative of erf for c = 2/sqrt(pi).
fn gaussian(b: &mut Builder, x: Value, c: f64) -> Made {
    let square = b.mul(x, x)?;
    let exponent = negate(b, square)?;
    let e = b.unary(UnaryOp::Exponential, exponent)?;
    b.scale(e, c)
}

fn is_complex(cx: &Context, instr: &Instr) -> bool {
    cx.ty(instr.operands()[0]).dtype().class() == DTypeClass::Complex
}

/// |z|, with 1 for 0.
fn safe_radius(b: &mut Builder, z: Value) -> Made {
    let r = b.unary(UnaryOp::Abs, z)?;
    let (zero, one) = (number(b, r, 0.0), number(b, r, 1.0));
    let at_zero = b.compare(Comparison::Eq, r, zero)?;
    b.select(at_zero, one, r)
}

/// The conjugate.
pub(super) fn conjugate(b: &mut Builder, z: Value) -> Made {
    let (re, im) = (b.unary(UnaryOp::Real, z)?, b.unary(UnaryOp::Imag, z)?);
    let im = negate(b, im)?;
    b.binary(BinaryOp::Complex, re, im)
}

/// conj(z) / |z|, and 0 at 0.
fn conjugate_sign(b: &mut Builder, z: Value) -> Made {
    let r = safe_radius(b, z)?;
    let z = conjugate(b, z)?;
    let dtype = b.ty(z).dtype();
    let r = b.convert(r, dtype)?;
    b.div(z, r)
}

/// d|z| = Re(conj(z) dz) / |z|, and 0 at 0.
fn complex_abs(cx: &mut Context, instr: &Instr) -> Tangent {
    let z = instr.operands()[0];
    let Some(dz) = cx.tangent(z) else { return zero() };
    let pz = cx.value(z);
    let c = conjugate_sign(&mut cx.primal, pz)?;
    let c = cx.fixed(c);
    let product = cx.linear.mul(dz, c)?;
    Ok(Some(cx.linear.unary(UnaryOp::Real, product)?))
}

/// d(z / |z|) = i s Im(conj(s) dz) / |z| with s = z / |z|, and 0 at 0: only turning changes it.
fn complex_sign(cx: &mut Context, instr: &Instr) -> Tangent {
    let z = instr.operands()[0];
    let Some(dz) = cx.tangent(z) else { return zero() };
    let (pz, s, dtype) = (cx.value(z), cx.value(instr.result()), cx.ty(z).dtype());
    let b = &mut cx.primal;
    let c = conjugate_sign(b, pz)?;
    let r = safe_radius(b, pz)?;
    let r = b.convert(r, dtype)?;
    let s = b.div(s, r)?;
    let (c, s) = (cx.fixed(c), cx.fixed(s));
    let b = &mut cx.linear;
    let turned = b.mul(dz, c)?;
    let turned = b.unary(UnaryOp::Imag, turned)?;
    let none = number(b, turned, 0.0);
    let turned = b.binary(BinaryOp::Complex, none, turned)?;
    Ok(Some(b.mul(turned, s)?))
}

/// 1 from 0 on, else -1.
fn side(b: &mut Builder, x: Value) -> Made {
    let (zero, one, minus) = (number(b, x, 0.0), number(b, x, 1.0), number(b, x, -1.0));
    let p = b.compare(Comparison::Ge, x, zero)?;
    b.select(p, one, minus)
}

/// A derivative that is minus this, the sign left to the linear program.
fn minus(cx: &mut Context, instr: &Instr, f: impl FnOnce(&mut Builder, Value) -> Made) -> Tangent {
    let t = elementwise(cx, instr, |b, x, _| f(b, x))?;
    t.map(|t| Ok(negate(&mut cx.linear, t)?)).transpose()
}

pub(super) fn unary(cx: &mut Context, instr: &Instr, op: UnaryOp) -> Tangent {
    use UnaryOp as U;
    const TWO_BY_ROOT_PI: f64 = std::f64::consts::FRAC_2_SQRT_PI;
    match op {
        U::Abs if is_complex(cx, instr) => complex_abs(cx, instr),
        U::Sign if is_complex(cx, instr) => complex_sign(cx, instr),
        U::Abs if cx.middles.contains(&instr.result()) => {
            elementwise(cx, instr, |b, x, _| b.unary(U::Sign, x))
        }
        U::Abs => elementwise(cx, instr, |b, x, _| side(b, x)),
        U::Cbrt => elementwise(cx, instr, |b, _, y| {
            let square = b.mul(y, y)?;
            divide_into(b, 1.0 / 3.0, square)
        }),
        U::Cosine => minus(cx, instr, |b, x| b.unary(U::Sine, x)),
        U::Exponential => elementwise(cx, instr, |_, _, y| Ok(y)),
        U::ExponentialMinusOne => elementwise(cx, instr, |b, _, y| plus(b, y, 1.0)),
        U::Log => logarithm(cx, instr, 0.0),
        U::LogPlusOne => logarithm(cx, instr, 1.0),
        U::Logistic => elementwise(cx, instr, |b, _, y| {
            let rest = minus_from(b, 1.0, y)?;
            b.mul(y, rest)
        }),
        U::Negate => linear(cx, instr),
        U::Rsqrt => elementwise(cx, instr, |b, x, y| {
            let q = b.div(y, x)?;
            b.scale(q, -0.5)
        }),
        U::Sine => elementwise(cx, instr, |b, x, _| b.unary(U::Cosine, x)),
        U::Sqrt => elementwise(cx, instr, |b, _, y| divide_into(b, 0.5, y)),
        U::Tan => elementwise(cx, instr, |b, _, y| square_plus(b, y, 1.0, 1.0)),
        U::Tanh => elementwise(cx, instr, |b, _, y| square_plus(b, y, -1.0, 1.0)),
        U::Erf => elementwise(cx, instr, |b, x, _| gaussian(b, x, TWO_BY_ROOT_PI)),
        U::Erfc => elementwise(cx, instr, |b, x, _| gaussian(b, x, -TWO_BY_ROOT_PI)),
        U::Square => elementwise(cx, instr, |b, x, _| b.scale(x, 2.0)),
        U::Acos => elementwise(cx, instr, |b, x, _| {
            let root = inverse_root(b, x, -1.0, 1.0)?;
            negate(b, root)
        }),
        U::Asin => elementwise(cx, instr, |b, x, _| inverse_root(b, x, -1.0, 1.0)),
        // Two roots, each on its principal branch.
        U::Acosh => elementwise(cx, instr, |b, x, _| {
            let (less, more) = (plus(b, x, -1.0)?, plus(b, x, 1.0)?);
            let (less, more) = (b.unary(U::Rsqrt, less)?, b.unary(U::Rsqrt, more)?);
            b.mul(less, more)
        }),
        U::Asinh => elementwise(cx, instr, |b, x, _| inverse_root(b, x, 1.0, 1.0)),
        U::Atan => elementwise(cx, instr, |b, x, _| inverse_square(b, x, 1.0)),
        U::Atanh => elementwise(cx, instr, |b, x, _| inverse_square(b, x, -1.0)),
        U::Cosh => elementwise(cx, instr, |b, x, _| b.unary(U::Sinh, x)),
        U::Sinh => elementwise(cx, instr, |b, x, _| b.unary(U::Cosh, x)),
        U::ErfInv => elementwise(cx, instr, |b, _, y| {
            let square = b.mul(y, y)?;
            let e = b.unary(U::Exponential, square)?;
            b.scale(e, 1.0 / TWO_BY_ROOT_PI)
        }),
        U::Lgamma => elementwise(cx, instr, |b, x, _| b.unary(U::Digamma, x)),
        U::Digamma => elementwise(cx, instr, |b, x, _| {
            let one = number(b, x, 1.0);
            b.binary(BinaryOp::Polygamma, one, x)
        }),
        U::BesselI1e => special::bessel_i1e(cx, instr),
        U::Real | U::Imag => linear(cx, instr),
        U::Ceil | U::Floor | U::RoundNearestAfz | U::RoundNearestEven | U::Sign => zero(),
        // Not of floats, or not giving floats.
        U::CountLeadingZeros | U::IsFinite | U::Not | U::Popcnt => zero(),
    }
}

pub(super) fn binary(cx: &mut Context, instr: &Instr, op: BinaryOp) -> Tangent {
    use BinaryOp as B;
    let (x, y) = (instr.operands()[0], instr.operands()[1]);
    match op {
        B::Add => {
            let (dx, dy) = (cx.tangent(x), cx.tangent(y));
            sum(cx, dx, dy)
        }
        B::Subtract => match (cx.tangent(x), cx.tangent(y)) {
            (Some(dx), Some(dy)) => Ok(Some(cx.linear.sub(dx, dy)?)),
            (None, Some(dy)) => Ok(Some(negate(&mut cx.linear, dy)?)),
            (dx, None) => Ok(dx),
        },
        B::Multiply if x == y => {
            let p = cx.value(x);
            times(cx, x, |b| b.scale(p, 2.0))
        }
        B::Multiply => elementwise2(cx, instr, |_, [_, y, _]| Ok(y), |_, [x, _, _]| Ok(x)),
        B::Divide => {
            let (divisor, quotient) = (cx.value(y), cx.value(instr.result()));
            let left = over(cx, x, divisor)?;
            // Of 1 / y the square is the derivative: the divisor is not kept.
            let one = constant(cx.source(), x).is_some_and(|l| l.splat_value() == Some(1.0));
            let right =
                times(cx, y, |b| if one { b.mul(quotient, quotient) } else { b.div(quotient, divisor) })?;
            // The sign is left to the linear program, where transposition carries it along.
            Ok(match (left, right) {
                (Some(left), Some(right)) => Some(cx.linear.sub(left, right)?),
                (None, Some(right)) => Some(negate(&mut cx.linear, right)?),
                (left, None) => left,
            })
        }
        B::Maximum => elementwise2(
            cx,
            instr,
            |b, [x, y, _]| winner(b, Comparison::Gt, x, y),
            |b, [x, y, _]| winner(b, Comparison::Gt, y, x),
        ),
        B::Minimum => elementwise2(
            cx,
            instr,
            |b, [x, y, _]| winner(b, Comparison::Lt, x, y),
            |b, [x, y, _]| winner(b, Comparison::Lt, y, x),
        ),
        B::Power => elementwise2(cx, instr, power_by_base, power_by_exponent),
        B::Remainder => elementwise2(cx, instr, |b, [x, ..]| Ok(number(b, x, 1.0)), remainder_by_divisor),
        B::Atan2 => elementwise2(
            cx,
            instr,
            |b, [y, x, _]| {
                let r = square_radius(b, x, y)?;
                b.div(x, r)
            },
            |b, [y, x, _]| {
                let (r, y) = (square_radius(b, x, y)?, negate(b, y)?);
                b.div(y, r)
            },
        ),
        // Not of floats.
        B::And | B::Or | B::ShiftLeft | B::ShiftRightArithmetic | B::ShiftRightLogical | B::Xor => zero(),
        B::Mulhi | B::NextAfter => zero(),
        B::Complex => linear(cx, instr),
        B::Polygamma | B::Zeta => special::by_second(cx, instr, op == B::Zeta),
    }
}

/// 1 where x wins, 1/2 at a tie, 0 where y wins.
fn winner(b: &mut Builder, wins: Comparison, x: Value, y: Value) -> Made {
    let (zero, half, one) = (number(b, x, 0.0), number(b, x, 0.5), number(b, x, 1.0));
    let (strictly, tie) = (b.compare(wins, x, y)?, b.compare(Comparison::Eq, x, y)?);
    let otherwise = b.select(tie, half, zero)?;
    b.select(strictly, one, otherwise)
}

/// y x^(y-1), and 0 where y = 0.
fn power_by_base(b: &mut Builder, [x, y, _]: [Value; 3]) -> Made {
    let (zero, less) = (number(b, y, 0.0), plus(b, y, -1.0)?);
    let p = b.binary(BinaryOp::Power, x, less)?;
    let d = b.mul(y, p)?;
    let flat = b.compare(Comparison::Eq, y, zero)?;
    b.select(flat, zero, d)
}

/// log(x) x^y, with log(0) taken as 0 (so 0 where x = 0 and y > 0).
fn power_by_exponent(b: &mut Builder, [x, _, z]: [Value; 3]) -> Made {
    let (zero, one) = (number(b, x, 0.0), number(b, x, 1.0));
    let at_zero = b.compare(Comparison::Eq, x, zero)?;
    let base = b.select(at_zero, one, x)?;
    let log = b.unary(UnaryOp::Log, base)?;
    b.mul(log, z)
}

/// -trunc(x / y). The remainder is exact, so (x - rem) / y is the whole number up to its last bits, while
/// x / y itself may round up to one.
fn remainder_by_divisor(b: &mut Builder, [x, y, z]: [Value; 3]) -> Made {
    let whole = b.sub(x, z)?;
    let q = b.div(whole, y)?;
    let q = b.unary(UnaryOp::RoundNearestEven, q)?;
    negate(b, q)
}

fn square_radius(b: &mut Builder, x: Value, y: Value) -> Made {
    let (xx, yy) = (b.mul(x, x)?, b.mul(y, y)?);
    b.add(xx, yy)
}

/// clamp(lo, x, hi): x where strictly between the bounds, else the bound that holds.
pub(super) fn clamp(cx: &mut Context, instr: &Instr) -> Tangent {
    let [lo, x, hi] = [0, 1, 2].map(|i| instr.operands()[i]);
    let ty = cx.ty(x);
    let [plo, px, phi] = [lo, x, hi].map(|v| cx.value(v));
    let (plo, phi) = (spread(&mut cx.primal, plo, ty)?, spread(&mut cx.primal, phi, ty)?);
    let mut total = None;
    use Comparison::{Gt, Lt};
    for (operand, tests) in [
        (lo, &[(Gt, plo, px), (Lt, plo, phi)][..]),
        (x, &[(Gt, px, plo), (Lt, px, phi)]),
        (hi, &[(Lt, phi, px)]),
    ] {
        let Some(dx) = cx.tangent(operand) else { continue };
        let mut holds = None;
        for &(direction, a, b) in tests {
            let p = cx.primal.compare(direction, a, b)?;
            holds = Some(match holds {
                Some(q) => cx.primal.binary(BinaryOp::And, q, p)?,
                None => p,
            });
        }
        let Some(holds) = holds else { continue };
        let (dx, holds) = (spread(&mut cx.linear, dx, ty)?, cx.fixed(holds));
        let none = cx.linear.splat(ty, 0.0);
        let part = cx.linear.select(holds, dx, none)?;
        total = sum(cx, total, Some(part))?;
    }
    Ok(total)
}

/// A bound as a tensor of the operand's type.
fn spread(b: &mut Builder, bound: Value, ty: &TensorType) -> Result<Value, AdError> {
    if b.ty(bound) == ty { Ok(bound) } else { Ok(b.broadcast_scalar(bound, ty.shape())?) }
}
