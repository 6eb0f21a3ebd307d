//! Inverse trigonometric and hyperbolic functions of complex numbers.
//!
//! asin and acos: Hull, Fairgrieve and Tang, "Implementing the complex arcsine and arccosine functions using
//! exception handling", 1997. The others by their relations to these and to atanh.

use super::complex::C;
use std::f64::consts::{FRAC_PI_2, LN_2, PI};

/// (asin and acos of the modulus along the real axis, imaginary part) for x, y >= 0 and finite.
struct Arc {
    asin: f64,
    acos: f64,
    im: f64,
}

/// Beyond these an intermediate square over- or underflows.
const SAFE_MAX: f64 = 1e153;
const SAFE_MIN: f64 = 6e-154;

fn arc(x: f64, y: f64) -> Arc {
    let safe = |v: f64| (SAFE_MIN..=SAFE_MAX).contains(&v);
    if !(safe(x) && safe(y)) {
        return arc_at_extremes(x, y);
    }
    let (p, m) = (x + 1.0, x - 1.0);
    let (r, s) = (libm::hypot(p, y), libm::hypot(m, y));
    let a = 0.5 * (r + s);
    let b = x / a;
    let (asin, acos);
    if b <= 0.6417 {
        (asin, acos) = (libm::asin(b), libm::acos(b));
    } else {
        let apx = a + x;
        let side = if x <= 1.0 {
            (0.5 * apx * (y * y / (r + p) + (s - m))).sqrt()
        } else {
            y * (0.5 * (apx / (r + p) + apx / (s + m))).sqrt()
        };
        (asin, acos) = (libm::atan(x / side), libm::atan(side / x));
    }
    let im = if a <= 1.5 {
        let am1 = if x < 1.0 { y * y / (r + p) + y * y / (s - m) } else { y * y / (r + p) + (s + m) };
        let am1 = 0.5 * am1;
        libm::log1p(am1 + (am1 * (a + 1.0)).sqrt())
    } else {
        libm::log(a + (a * a - 1.0).sqrt())
    };
    Arc { asin, acos, im }
}

fn arc_at_extremes(x: f64, y: f64) -> Arc {
    let (p, m) = (x + 1.0, x - 1.0);
    if y <= f64::EPSILON * m.abs() {
        if x < 1.0 {
            let im = y / (p * (1.0 - x)).sqrt();
            return Arc { asin: libm::asin(x), acos: libm::acos(x), im };
        }
        if f64::MAX / p > m {
            let im = libm::log1p(m + (p * m).sqrt());
            // At 1 both are zero.
            let acos = if y == 0.0 { 0.0 } else { y / (m * p).sqrt() };
            return Arc { asin: FRAC_PI_2, acos, im };
        }
        return Arc { asin: FRAC_PI_2, acos: y / x, im: LN_2 + libm::log(x) };
    }
    if y <= SAFE_MIN {
        // x is 1.
        let root = y.sqrt();
        return Arc { asin: FRAC_PI_2 - root, acos: root, im: root };
    }
    if f64::EPSILON * y - 1.0 >= x {
        return Arc { asin: x / y, acos: FRAC_PI_2, im: LN_2 + libm::log(y) };
    }
    if x > 1.0 {
        let q = x / y;
        let im = LN_2 + libm::log(y) + 0.5 * libm::log1p(q * q);
        return Arc { asin: libm::atan(q), acos: libm::atan(y / x), im };
    }
    let a = (1.0 + y * y).sqrt();
    let im = 0.5 * libm::log1p(2.0 * y * (y + a));
    Arc { asin: x / a, acos: FRAC_PI_2 - x / a, im }
}

pub(super) fn asin(z: C) -> C {
    let (x, y) = (z.0.abs(), z.1.abs());
    let (re, im) = if z.0.is_nan() || z.1.is_nan() {
        match () {
            () if x.is_infinite() || y.is_infinite() => (f64::NAN, f64::INFINITY),
            () if x == 0.0 => (0.0, f64::NAN),
            () => (f64::NAN, f64::NAN),
        }
    } else if x.is_infinite() || y.is_infinite() {
        let angle = if x.is_finite() { 0.0 } else { FRAC_PI_2 };
        (if x.is_infinite() && y.is_infinite() { FRAC_PI_2 / 2.0 } else { angle }, f64::INFINITY)
    } else {
        let a = arc(x, y);
        (a.asin, a.im)
    };
    (re.copysign(z.0), im.copysign(z.1))
}

pub(super) fn acos(z: C) -> C {
    let (x, y) = (z.0.abs(), z.1.abs());
    let (re, im) = if z.0.is_nan() || z.1.is_nan() {
        match () {
            () if x.is_infinite() || y.is_infinite() => (f64::NAN, f64::INFINITY),
            () if x == 0.0 => (FRAC_PI_2, f64::NAN),
            () => (f64::NAN, f64::NAN),
        }
    } else if x.is_infinite() || y.is_infinite() {
        let angle = if x.is_finite() { FRAC_PI_2 } else { 0.0 };
        (if x.is_infinite() && y.is_infinite() { FRAC_PI_2 / 2.0 } else { angle }, f64::INFINITY)
    } else {
        let a = arc(x, y);
        (a.acos, a.im)
    };
    let re = if z.0.is_sign_negative() && x != 0.0 { PI - re } else { re };
    (re, if z.1.is_sign_negative() { im } else { -im })
}

/// asinh z = -i asin(i z)
pub(super) fn asinh(z: C) -> C {
    let a = asin((-z.1, z.0));
    (a.1, -a.0)
}

/// acosh z = ±i acos z, of which the real part is not negative.
pub(super) fn acosh(z: C) -> C {
    let a = acos(z);
    if a.0.is_nan() && a.1.is_nan() {
        return a;
    }
    (a.1.abs(), a.0.copysign(z.1))
}

pub(super) fn atanh(z: C) -> C {
    let (x, y) = (z.0.abs(), z.1.abs());
    let re = if x.is_infinite() || y.is_infinite() {
        0.0
    } else if x.is_nan() || (y.is_nan() && x != 0.0) {
        f64::NAN
    } else if x == 0.0 {
        0.0
    } else if x > 1e16 || y > 1e16 {
        // x / |z|², in an order that does not overflow.
        let m = libm::hypot(x / 2.0, y / 2.0);
        x / m / m / 4.0
    } else {
        let d = libm::hypot(1.0 - x, y);
        if d < 1e-150 { 0.5 * (LN_2 - libm::log(d)) } else { 0.25 * libm::log1p(4.0 * (x / d / d)) }
    };
    let im = if z.1.is_nan() || (z.0.is_nan() && y.is_finite()) {
        f64::NAN
    } else if x > 1e16 || y > 1e16 {
        FRAC_PI_2
    } else {
        0.5 * libm::atan2(2.0 * y, (1.0 - x) * (1.0 + x) - y * y)
    };
    (re.copysign(z.0), im.copysign(z.1))
}

/// atan z = -i atanh(i z)
pub(super) fn atan(z: C) -> C {
    let a = atanh((-z.1, z.0));
    (a.1, -a.0)
}
