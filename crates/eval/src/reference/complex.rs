//! Functions of complex numbers as pairs of f64 (real, imaginary), principal branches throughout.
//!
//! Both parts are accurate to a few units in the last place of f64, save where stated; intermediate values do not
//! overflow where results do not. At infinities, NaNs and signed zeros they follow annex G of the C standard where XLA
//! does; products are plain. Inverse trigonometric functions are in `complex_inverse.rs`.

use std::cmp::Ordering;

/// (real, imaginary)
pub(crate) type C = (f64, f64);

/// The one of two numbers that is `before` the other, by (real, imaginary); a NaN is passed on.
pub(super) fn extreme(a: C, b: C, before: fn(f64, f64) -> bool) -> C {
    let is_nan = |c: C| c.0.is_nan() || c.1.is_nan();
    let first = before(a.0, b.0) || (a.0 == b.0 && before(a.1, b.1));
    if is_nan(a) || (!is_nan(b) && first) { a } else { b }
}

pub(super) fn add(a: C, b: C) -> C {
    (a.0 + b.0, a.1 + b.1)
}

pub(super) fn sub(a: C, b: C) -> C {
    (a.0 - b.0, a.1 - b.1)
}

pub(super) fn mul(a: C, b: C) -> C {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

pub(super) fn square(a: C) -> C {
    // Where the parts are of one size, a sum that overflows cancels nevertheless.
    let equal = a.0.abs() == a.1.abs() && a.0.is_finite();
    let re = if equal { 0.0 } else { (a.0 - a.1) * (a.0 + a.1) };
    (re, 2.0 * (a.0 * a.1))
}

/// Smith's method on operands scaled by powers of two, and infinite quotients where it loses them.
pub(super) fn div(a: C, b: C) -> C {
    let exponent = |z: C| match z.0.is_finite() && z.1.is_finite() && z != (0.0, 0.0) {
        true => libm::ilogb(z.0.abs().max(z.1.abs())),
        false => 0,
    };
    let scaled = |z: C, by: i32| (libm::scalbn(z.0, by), libm::scalbn(z.1, by));
    let (up, down) = (exponent(a), exponent(b));
    let (n, d) = (scaled(a, -up), scaled(b, -down));
    let q = if d.0.abs() >= d.1.abs() {
        let r = d.1 / d.0;
        let m = d.0 + d.1 * r;
        ((n.0 + n.1 * r) / m, (n.1 - n.0 * r) / m)
    } else {
        let r = d.0 / d.1;
        let m = d.0 * r + d.1;
        ((n.0 * r + n.1) / m, (n.1 * r - n.0) / m)
    };
    let q = scaled(q, up - down);
    if q.0.is_nan() && q.1.is_nan() { limit_of_div(a, b).unwrap_or(q) } else { q }
}

/// x / 0, infinity / finite, finite / infinity.
fn limit_of_div(a: C, b: C) -> Option<C> {
    let unit = |v: f64| if v.is_infinite() { 1f64 } else { 0.0 }.copysign(v);
    let any_inf = |z: C| z.0.is_infinite() || z.1.is_infinite();
    let finite = |z: C| z.0.is_finite() && z.1.is_finite();
    if b == (0.0, 0.0) && !(a.0.is_nan() && a.1.is_nan()) {
        let inf = f64::INFINITY.copysign(b.0);
        return Some((inf * a.0, inf * a.1));
    }
    if any_inf(a) && finite(b) {
        let (x, y) = (unit(a.0), unit(a.1));
        return Some((f64::INFINITY * (x * b.0 + y * b.1), f64::INFINITY * (y * b.0 - x * b.1)));
    }
    if any_inf(b) && finite(a) {
        let (c, d) = (unit(b.0), unit(b.1));
        return Some((0.0 * (a.0 * c + a.1 * d), 0.0 * (a.1 * c - a.0 * d)));
    }
    None
}

/// |z|: infinite if a part is, even beside a NaN.
pub(crate) fn abs(a: C) -> f64 {
    libm::hypot(a.0, a.1)
}

/// z / |z|; 0 for 0.
pub(super) fn sign(a: C) -> C {
    if a == (0.0, 0.0) {
        return a;
    }
    // Halved, so that the modulus does not overflow.
    let half = (a.0 / 2.0, a.1 / 2.0);
    let m = abs(half);
    if m < f64::MIN_POSITIVE {
        let up = (a.0 * 1e300, a.1 * 1e300);
        return (up.0 / abs(up), up.1 / abs(up));
    }
    (half.0 / m, half.1 / m)
}

/// e^x (cos y, sin y) without overflow of e^x alone.
fn exp_times(x: f64, parts: C) -> C {
    if x > 700.0 && x.is_finite() {
        let half = libm::exp(x / 2.0);
        return (half * parts.0 * half, half * parts.1 * half);
    }
    let e = libm::exp(x);
    (e * parts.0, e * parts.1)
}

/// NaN where y is not finite, as XLA has it, whatever x is.
pub(super) fn exp(a: C) -> C {
    let (x, y) = a;
    if y == 0.0 {
        return (libm::exp(x), y);
    }
    if !y.is_finite() {
        return (f64::NAN, f64::NAN);
    }
    exp_times(x, (libm::cos(y), libm::sin(y)))
}

/// The real part loses relative accuracy where it is near 0 and the imaginary part is not.
pub(super) fn expm1(a: C) -> C {
    let (x, y) = a;
    if y == 0.0 {
        return (libm::expm1(x), y);
    }
    let e = exp(a);
    if !x.is_finite() || !y.is_finite() || x > 700.0 {
        return if x == f64::NEG_INFINITY { (-1.0, e.1) } else { e };
    }
    // e^x cos y - 1 = (e^x - 1) cos y - 2 sin²(y/2)
    let s = libm::sin(y / 2.0);
    (libm::expm1(x) * libm::cos(y) - 2.0 * s * s, e.1)
}

/// a * b and what it lost.
fn product(a: f64, b: f64) -> C {
    let p = a * b;
    (p, libm::fma(a, b, -p))
}

/// The sum of few terms, without loss where they cancel.
fn exact_sum(terms: &[f64]) -> f64 {
    // Neumaier's summation, its corrections summed likewise.
    let (mut sum, mut lost, mut lost2) = (0f64, 0f64, 0f64);
    let two_sum = |a: f64, b: f64| {
        let s = a + b;
        let t = s - a;
        (s, (a - (s - t)) + (b - t))
    };
    for &t in terms {
        let (s, e) = two_sum(sum, t);
        let (l, e2) = two_sum(lost, e);
        (sum, lost, lost2) = (s, l, lost2 + e2);
    }
    sum + (lost + lost2)
}

/// ln of the modulus of (x, y), finite and not 0.
fn ln_abs(x: f64, y: f64) -> f64 {
    let (big, small) = (x.abs().max(y.abs()), x.abs().min(y.abs()));
    if big > 0.5 && big < 2.0 {
        // The modulus may be near 1: |z|² - 1, exactly.
        let (p, q) = (product(big, big), product(small, small));
        let m = exact_sum(&[-1.0, p.0, q.0, p.1, q.1]);
        return if m.abs() < 0.5 { libm::log1p(m) / 2.0 } else { libm::log(libm::hypot(big, small)) };
    }
    // Scaled, so that the modulus is neither too large nor inexact for being too small.
    let e = libm::ilogb(big);
    let m = libm::hypot(libm::scalbn(big, -e), libm::scalbn(small, -e));
    f64::from(e) * std::f64::consts::LN_2 + libm::log(m)
}

pub(super) fn log(a: C) -> C {
    let modulus = if a.0.is_infinite() || a.1.is_infinite() {
        f64::INFINITY
    } else if a.0.is_nan() || a.1.is_nan() {
        f64::NAN
    } else if a == (0.0, 0.0) {
        f64::NEG_INFINITY
    } else {
        ln_abs(a.0, a.1)
    };
    (modulus, libm::atan2(a.1, a.0))
}

pub(super) fn log1p(a: C) -> C {
    let (x, y) = a;
    let angle = libm::atan2(y, 1.0 + x);
    if !(x.abs() < 1e8 && y.abs() < 1e8) {
        return (log((1.0 + x, y)).0, angle);
    }
    // |1 + z|² - 1 = 2x + x² + y²
    let (p, q) = (product(x, x), product(y, y));
    let m = exact_sum(&[2.0 * x, p.0, q.0, p.1, q.1]);
    let re = if m == -1.0 { log((exact_sum(&[1.0, x]), y)).0 } else { libm::log1p(m) / 2.0 };
    (re, angle)
}

pub(super) fn sqrt(a: C) -> C {
    let (x, y) = a;
    if a == (0.0, 0.0) {
        return (0.0, y);
    }
    if y.is_infinite() {
        return (f64::INFINITY, y);
    }
    if x.is_infinite() {
        let other = if y.is_nan() { y } else { 0.0 };
        return if x > 0.0 { (x, other.copysign(y)) } else { (other.abs(), f64::INFINITY.copysign(y)) };
    }
    // Scaled by an even power of two, whose root is exact.
    let e = if x.is_nan() || y.is_nan() { 0 } else { libm::ilogb(x.abs().max(y.abs())) & !1 };
    let scaled = (libm::scalbn(x, -e), libm::scalbn(y, -e));
    let t = ((scaled.0.abs() + abs(scaled)) / 2.0).sqrt();
    let t = libm::scalbn(t, e / 2);
    if x >= 0.0 { (t, y / (2.0 * t)) } else { (y.abs() / (2.0 * t), t.copysign(y)) }
}

/// 1 / sqrt(z) = conj(sqrt(z)) / |z|
pub(super) fn rsqrt(a: C) -> C {
    if a == (0.0, 0.0) {
        return (f64::INFINITY, f64::NAN);
    }
    if a.0.is_infinite() || a.1.is_infinite() {
        return div((1.0, 0.0), sqrt(a));
    }
    if a.0.is_nan() || a.1.is_nan() {
        return (f64::NAN, f64::NAN);
    }
    let e = libm::ilogb(a.0.abs().max(a.1.abs())) & !1;
    let scaled = (libm::scalbn(a.0, -e), libm::scalbn(a.1, -e));
    let (r, m) = (sqrt(scaled), abs(scaled));
    (libm::scalbn(r.0 / m, -e / 2), libm::scalbn(-r.1 / m, -e / 2))
}

pub(super) fn cbrt(a: C) -> C {
    if a == (0.0, 0.0) {
        return a;
    }
    let (r, angle) = (libm::cbrt(abs(a)), libm::atan2(a.1, a.0) / 3.0);
    (r * libm::cos(angle), r * libm::sin(angle))
}

pub(super) fn sinh(a: C) -> C {
    let (x, y) = a;
    if y == 0.0 {
        return (libm::sinh(x), y);
    }
    if x == 0.0 {
        return (x, libm::sin(y));
    }
    if !y.is_finite() {
        return if x.is_infinite() { (x, f64::NAN) } else { (f64::NAN, f64::NAN) };
    }
    let (c, s) = (libm::cos(y), libm::sin(y));
    if x.abs() > 30.0 {
        let big = exp_times(x.abs(), (c / 2.0, s / 2.0));
        return (big.0 * x.signum(), big.1);
    }
    (libm::sinh(x) * c, libm::cosh(x) * s)
}

pub(super) fn cosh(a: C) -> C {
    let (x, y) = a;
    if y == 0.0 {
        return (libm::cosh(x), x.signum() * y);
    }
    if x == 0.0 {
        return (libm::cos(y), x * libm::sin(y));
    }
    if !y.is_finite() {
        return if x.is_infinite() { (f64::INFINITY, f64::NAN) } else { (f64::NAN, f64::NAN) };
    }
    let (c, s) = (libm::cos(y), libm::sin(y));
    if x.abs() > 30.0 {
        let big = exp_times(x.abs(), (c / 2.0, s / 2.0));
        return (big.0, big.1 * x.signum());
    }
    (libm::cosh(x) * c, libm::sinh(x) * s)
}

/// sin z = -i sinh(i z)
pub(super) fn sin(a: C) -> C {
    let s = sinh((-a.1, a.0));
    (s.1, -s.0)
}

/// cos z = cosh(i z)
pub(super) fn cos(a: C) -> C {
    cosh((-a.1, a.0))
}

/// Kahan, "Branch cuts for complex elementary functions", 1987.
pub(super) fn tanh(a: C) -> C {
    let (x, y) = a;
    if x.is_infinite() {
        let other = if y.is_finite() { libm::sin(2.0 * y) } else { y };
        return (1f64.copysign(x), 0f64.copysign(other));
    }
    if x == 0.0 {
        return (x, libm::tan(y));
    }
    if !y.is_finite() || x.is_nan() {
        return (f64::NAN, if y == 0.0 { y } else { f64::NAN });
    }
    if x.abs() > 22.0 {
        // 4 sin y cos y e^(-2|x|)
        return (1f64.copysign(x), 2.0 * libm::sin(2.0 * y) * libm::exp(-2.0 * x.abs()));
    }
    let (t, s) = (libm::tan(y), libm::sinh(x));
    let (beta, rho) = (1.0 + t * t, (1.0 + s * s).sqrt());
    let d = 1.0 + beta * s * s;
    (beta * rho * s / d, t / d)
}

/// tan z = -i tanh(i z)
pub(super) fn tan(a: C) -> C {
    let t = tanh((-a.1, a.0));
    (t.1, -t.0)
}

/// |a|^c e^(-d angle) (cos q, sin q) with q = c angle + d ln |a|, for b = c + d i. Accurate to a few units times the
/// size of q.
pub(super) fn pow(a: C, b: C) -> C {
    if b == (0.0, 0.0) {
        return (1.0, 0.0);
    }
    if a == (0.0, 0.0) {
        return match (b.0.partial_cmp(&0.0), b.1 == 0.0) {
            (Some(Ordering::Greater), _) => (0.0, 0.0),
            (Some(Ordering::Less), true) => (f64::INFINITY, f64::NAN),
            _ => (f64::NAN, f64::NAN),
        };
    }
    let l = log(a);
    // What multiplies 0 does not matter, infinite as it may be.
    let times = |factor: f64, v: f64| if factor == 0.0 { 0.0 } else { factor * v };
    let q = times(b.0, l.1) + times(b.1, l.0);
    let modulus = match b.1 == 0.0 {
        true => libm::pow(abs(a), b.0),
        false => libm::exp(times(b.0, l.0) - b.1 * l.1),
    };
    if q == 0.0 {
        return (modulus, q);
    }
    (modulus * libm::cos(q), modulus * libm::sin(q))
}

/// atan2(y, x) = -i log((x + i y) / sqrt(x² + y²))
pub(super) fn atan2(y: C, x: C) -> C {
    let r = sqrt(add(square(x), square(y)));
    let l = log(div(add(x, (-y.1, y.0)), r));
    (l.1, -l.0)
}

/// 1 / (1 + e^-z), or e^z / (1 + e^z) where that does not overflow.
pub(super) fn logistic(a: C) -> C {
    if a.0 >= 0.0 {
        return div((1.0, 0.0), add((1.0, 0.0), exp((-a.0, -a.1))));
    }
    let e = exp(a);
    div(e, add((1.0, 0.0), e))
}
