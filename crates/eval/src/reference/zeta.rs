//! The Hurwitz zeta function and what follows from it, and a Bessel function, in f64.

use super::special::digamma;

/// B(2k) / (2k)! for k = 1 to 12.
const BERNOULLI: [f64; 12] = [
    1.0 / 12.0,
    -1.0 / 720.0,
    1.0 / 30_240.0,
    -1.0 / 1_209_600.0,
    1.0 / 47_900_160.0,
    -691.0 / 1_307_674_368_000.0,
    1.0 / 74_724_249_600.0,
    -3617.0 / 10_670_622_842_880_000.0,
    43_867.0 / 5_109_094_217_170_944_000.0,
    -174_611.0 / 802_857_662_698_291_200_000.0,
    77_683.0 / 14_101_100_039_391_805_440_000.0,
    -236_364_091.0 / 1_693_824_136_731_743_669_452_800_000.0,
];

/// The sum of (q + k)^-x over k = 0, 1, …: infinite at x = 1 and at poles q = 0, -1, … of even order; NaN at those of
/// odd order, for x < 1, and for q <= 0 where x is not a whole number. NaN as well where x or q grows without end, as in
/// what CHLO's zeta is expanded to, whatever the sum tends to.
pub(super) fn zeta(x: f64, q: f64) -> f64 {
    if x.is_nan() || x.is_infinite() || q.is_nan() || x < 1.0 {
        return f64::NAN;
    }
    if x == 1.0 {
        return f64::INFINITY;
    }
    if q == f64::INFINITY {
        return f64::NAN;
    }
    if q > 0.0 {
        return zeta_right(x, q);
    }
    if x != x.floor() {
        return f64::NAN;
    }
    if q == q.floor() {
        // The two sides of a pole of odd order differ in sign.
        return if x % 2.0 == 0.0 { f64::INFINITY } else { f64::NAN };
    }
    // The terms left of 0 are those of zeta at 1 - q and at the distance to the last of them, up to their sign.
    let right = q - q.floor();
    let sign = if x % 2.0 == 0.0 { 1.0 } else { -1.0 };
    sign * (zeta_right(x, 1.0 - right) - zeta_right(x, 1.0 - q)) + zeta_right(x, right)
}

/// For x > 1, q > 0: terms one by one, then Euler and Maclaurin's formula.
fn zeta_right(x: f64, q: f64) -> f64 {
    let (mut sum, mut a) = (0.0, q);
    // Where x is large the formula needs a large a, but then terms are soon nothing.
    while a < x.max(12.0) {
        let term = libm::pow(a, -x);
        sum += term;
        a += 1.0;
        if term <= f64::EPSILON / 8.0 * sum {
            return sum;
        }
    }
    let end = libm::pow(a, -x);
    if sum.is_infinite() || end == 0.0 {
        return sum;
    }
    let mut tail = end * (a / (x - 1.0) + 0.5);
    let (mut factor, mut s) = (end * x / a, x);
    for b in BERNOULLI {
        let term = b * factor;
        tail += term;
        if term.abs() <= f64::EPSILON / 8.0 * tail {
            break;
        }
        factor *= (s + 1.0) * (s + 2.0) / (a * a);
        s += 2.0;
    }
    sum + tail
}

/// The derivative of order n of digamma: NaN where n is not a whole number from 0 on.
pub(super) fn polygamma(n: f64, x: f64) -> f64 {
    if n == 0.0 {
        return digamma(x);
    }
    if !(n > 0.0 && n == n.floor()) {
        return f64::NAN;
    }
    let (z, factorial) = (zeta(n + 1.0, x), libm::tgamma(n + 1.0));
    let size = if x > 0.0 && (factorial.is_infinite() || z == 0.0) {
        // n! / x^(n+1), then the sum relative to its first term.
        let first = libm::exp(libm::lgamma(n + 1.0) - (n + 1.0) * libm::log(x));
        let ratios = (1..1000).map(|k| libm::exp(-(n + 1.0) * libm::log1p(f64::from(k) / x)));
        first * (1.0 + ratios.take_while(|&r| r > 1e-17).sum::<f64>())
    } else {
        factorial * z
    };
    if n % 2.0 == 0.0 { -size } else { size }
}

/// e^-|x| I1(x): the power series, whose terms have one sign, or from 30 on the asymptotic one (Abramowitz and Stegun
/// 9.6.10, 9.7.1).
pub(super) fn bessel_i1e(x: f64) -> f64 {
    let a = x.abs();
    let value = if a.is_nan() {
        return a;
    } else if a.is_infinite() {
        0.0
    } else if a < 30.0 {
        let (h, mut k) = (a / 2.0, 1.0);
        let (mut term, mut sum) = (1.0, 1.0);
        while term > f64::EPSILON / 8.0 * sum {
            term *= h * h / (k * (k + 1.0));
            sum += term;
            k += 1.0;
        }
        h * sum * libm::exp(-a)
    } else {
        let (mut term, mut sum, mut k) = (1.0, 1.0, 1.0);
        while k < 60.0 && f64::abs(term) > f64::EPSILON / 8.0 {
            let odd = 2.0 * k - 1.0;
            term *= -(4.0 - odd * odd) / (8.0 * a * k);
            sum += term;
            k += 1.0;
        }
        sum / (std::f64::consts::TAU * a).sqrt()
    };
    value.copysign(x)
}
