//! Special functions that libm lacks, in f64.

/// The inverse of erf: a rational start (Giles, "Approximating the erfinv function", 2010, single precision),
/// then Halley steps on erf, or on erfc where erf is near 1.
pub(super) fn erf_inv(y: f64) -> f64 {
    if y.is_nan() || y.abs() > 1.0 {
        return f64::NAN;
    }
    if y.abs() == 1.0 {
        return f64::INFINITY.copysign(y);
    }
    if y == 0.0 {
        return y;
    }
    let a = y.abs();
    let w = -libm::log1p(-a * a);
    let polynomial = |c: [f64; 9], w: f64| c.into_iter().fold(0.0, |p, c| p * w + c);
    let mut x = a * if w < 5.0 {
        let c = [
            2.81022636e-08,
            3.43273939e-07,
            -3.5233877e-06,
            -4.39150654e-06,
            0.00021858087,
            -0.00125372503,
            -0.00417768164,
            0.246640727,
            1.50140941,
        ];
        polynomial(c, w - 2.5)
    } else {
        let c = [
            -0.000200214257,
            0.000100950558,
            0.00134934322,
            -0.00367342844,
            0.00573950773,
            -0.0076224613,
            0.00943887047,
            1.00167406,
            2.83297682,
        ];
        polynomial(c, w.sqrt() - 3.0)
    };
    // The start is good to six digits up to w = 16; beyond, more steps are needed.
    for _ in 0..12 {
        let error = if a < 0.5 { libm::erf(x) - a } else { (1.0 - a) - libm::erfc(x) };
        let slope = std::f64::consts::FRAC_2_SQRT_PI * libm::exp(-x * x);
        let step = error / slope;
        x -= step / (1.0 + x * step);
        if step.abs() < 1e-16 * x.abs() {
            break;
        }
    }
    x.copysign(y)
}

/// The logarithmic derivative of the gamma function: reflection, recurrence up to 10, asymptotic series (Abramowitz
/// and Stegun 6.3.7, 6.3.5, 6.3.18). NaN at 0 and negative whole numbers.
pub(super) fn digamma(x: f64) -> f64 {
    use std::f64::consts::PI;
    if x <= 0.0 {
        if x == x.floor() {
            return f64::NAN;
        }
        return digamma(1.0 - x) - PI / libm::tan(PI * (x - x.floor()));
    }
    let (mut x, mut below) = (x, 0.0);
    while x < 10.0 {
        below += 1.0 / x;
        x += 1.0;
    }
    if x.is_infinite() {
        return x;
    }
    let s = 1.0 / (x * x);
    // B(2k) / 2k for k = 7 down to 1.
    let series =
        [1.0 / 12.0, -691.0 / 32760.0, 1.0 / 132.0, -1.0 / 240.0, 1.0 / 252.0, -1.0 / 120.0, 1.0 / 12.0];
    let tail = series.into_iter().fold(0.0, |t, c| (t + c) * s);
    libm::log(x) - 0.5 / x - tail - below
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) {
        assert!((a - b).abs() <= 1e-14 * b.abs().max(1.0), "{a} {b}");
    }

    #[test]
    fn erf_inv_inverts() {
        for i in -99..100 {
            let y = f64::from(i) / 100.0;
            near(libm::erf(erf_inv(y)), y);
        }
        // The tail, where erf has no digits left: erfc tells.
        let x = erf_inv(1.0 - 1e-15);
        assert!((libm::erfc(x) / (1.0 - (1.0 - 1e-15)) - 1.0).abs() < 1e-12, "{x}");
        assert!(
            erf_inv(1.5).is_nan() && erf_inv(-1.0) == f64::NEG_INFINITY && erf_inv(-0.0).is_sign_negative()
        );
    }

    #[test]
    fn digamma_has_known_values() {
        let euler = 0.577_215_664_901_532_9;
        near(digamma(1.0), -euler);
        near(digamma(0.5), -euler - 2.0 * std::f64::consts::LN_2);
        near(digamma(-0.5), digamma(0.5) + 2.0);
        near(digamma(30.0), (1..30).map(|k| 1.0 / f64::from(k)).sum::<f64>() - euler);
        assert!(digamma(-2.0).is_nan() && digamma(0.0).is_nan());
    }
}
