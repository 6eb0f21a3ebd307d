//! Arithmetic of complex numbers as pairs of f64 (real, imaginary), principal branches throughout.
//!
//! Textbook formulas; not hardened against overflow of intermediate squares (division and modulus are).

pub(super) type C = (f64, f64);

pub(super) fn add(a: C, b: C) -> C {
    (a.0 + b.0, a.1 + b.1)
}

pub(super) fn sub(a: C, b: C) -> C {
    (a.0 - b.0, a.1 - b.1)
}

pub(super) fn mul(a: C, b: C) -> C {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

fn scale(a: C, s: f64) -> C {
    (a.0 * s, a.1 * s)
}

/// Smith's method.
pub(super) fn div(a: C, b: C) -> C {
    if b.0.abs() >= b.1.abs() {
        let r = b.1 / b.0;
        let d = b.0 + b.1 * r;
        ((a.0 + a.1 * r) / d, (a.1 - a.0 * r) / d)
    } else {
        let r = b.0 / b.1;
        let d = b.0 * r + b.1;
        ((a.0 * r + a.1) / d, (a.1 * r - a.0) / d)
    }
}

pub(super) fn exp(a: C) -> C {
    let m = libm::exp(a.0);
    if a.1 == 0.0 { (m, a.1) } else { (m * libm::cos(a.1), m * libm::sin(a.1)) }
}

pub(super) fn expm1(a: C) -> C {
    // e^x cos y - 1 = (e^x - 1) cos y - 2 sin²(y/2)
    let s = libm::sin(a.1 / 2.0);
    (libm::expm1(a.0) * libm::cos(a.1) - 2.0 * s * s, libm::exp(a.0) * libm::sin(a.1))
}

pub(super) fn log(a: C) -> C {
    (libm::log(libm::hypot(a.0, a.1)), libm::atan2(a.1, a.0))
}

pub(super) fn log1p(a: C) -> C {
    // |1 + z|² - 1 = x (2 + x) + y²
    (libm::log1p(a.0 * (2.0 + a.0) + a.1 * a.1) / 2.0, libm::atan2(a.1, 1.0 + a.0))
}

pub(super) fn sqrt(a: C) -> C {
    if a == (0.0, 0.0) {
        return (0.0, a.1);
    }
    let t = ((a.0.abs() + libm::hypot(a.0, a.1)) / 2.0).sqrt();
    if a.0 >= 0.0 { (t, a.1 / (2.0 * t)) } else { (a.1.abs() / (2.0 * t), t.copysign(a.1)) }
}

pub(super) fn cbrt(a: C) -> C {
    if a == (0.0, 0.0) { a } else { exp(scale(log(a), 1.0 / 3.0)) }
}

pub(super) fn sin(a: C) -> C {
    (libm::sin(a.0) * libm::cosh(a.1), libm::cos(a.0) * libm::sinh(a.1))
}

pub(super) fn cos(a: C) -> C {
    (libm::cos(a.0) * libm::cosh(a.1), -(libm::sin(a.0) * libm::sinh(a.1)))
}

pub(super) fn tanh(a: C) -> C {
    // Beyond this |x| the result is ±1 in f64, and cosh would overflow.
    if a.0.abs() > 350.0 {
        return (1f64.copysign(a.0), 0.0);
    }
    let d = libm::cosh(2.0 * a.0) + libm::cos(2.0 * a.1);
    (libm::sinh(2.0 * a.0) / d, libm::sin(2.0 * a.1) / d)
}

pub(super) fn tan(a: C) -> C {
    // tan z = -i tanh(i z)
    let t = tanh((-a.1, a.0));
    (t.1, -t.0)
}

pub(super) fn pow(a: C, b: C) -> C {
    if b == (0.0, 0.0) {
        (1.0, 0.0)
    } else if a == (0.0, 0.0) {
        (0.0, 0.0)
    } else {
        exp(mul(b, log(a)))
    }
}

/// atan2(y, x) = -i log((x + i y) / sqrt(x² + y²))
pub(super) fn atan2(y: C, x: C) -> C {
    let r = sqrt(add(mul(x, x), mul(y, y)));
    let l = log(div(add(x, (-y.1, y.0)), r));
    (l.1, -l.0)
}

pub(super) fn logistic(a: C) -> C {
    div((1.0, 0.0), add((1.0, 0.0), exp((-a.0, -a.1))))
}
