//! f64 functions in scalar form.
//!
//! What must hold: exp, expm1, log, log1p, tanh, logistic, sqrt and rsqrt have no branches and no calls, and err by
//! at most 4 ulp (measured by the tests). No `mul_add`.
//!
//! What it does not do: the rest of the functions call `libm` (see `common.rs`).

use super::common::pick;

/// 1.5 · 2^52: adding and subtracting it rounds to the nearest integer, which is then in the low bits.
const ROUND: f64 = 6_755_399_441_055_744.0;
const LN2_HI: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
const LN2_LO: f64 = f64::from_bits(0x3dea_39ef_3579_3c76);

/// x = n·ln 2 + r with |r| ≤ ln 2 / 2; returns r and n.
#[inline(always)]
fn reduce(x: f64) -> (f64, i64) {
    let shifted = x * std::f64::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = (x - n * LN2_HI) - n * LN2_LO;
    (r, shifted.to_bits() as i64 - ROUND.to_bits() as i64)
}

/// y · 2^n for n in −2044…2046, in two steps so that overflow and gradual underflow come out right.
#[inline(always)]
fn scale(y: f64, n: i64) -> f64 {
    // n fits 32 bits; 64-bit arithmetic shifts are slow on AVX2.
    let half = i64::from(n as i32 >> 1);
    let low = f64::from_bits(((half.wrapping_add(1023)) as u64) << 52);
    let high = f64::from_bits(((n.wrapping_sub(half).wrapping_add(1023)) as u64) << 52);
    y * low * high
}

/// Keeps NaN, cuts the rest to `low..=high`.
#[inline(always)]
fn clamp(x: f64, low: f64, high: f64) -> f64 {
    let x = pick(x > high, high, x);
    pick(x < low, low, x)
}

/// (e^r − 1 − r) / r² for |r| ≤ ln 2 / 2: the Taylor series, cut where the rest is below 2^−57 of e^r.
#[inline(always)]
fn exp_tail(r: f64) -> f64 {
    let p = r * (1.0 / 6_227_020_800.0) + 1.0 / 479_001_600.0;
    let p = p * r + 1.0 / 39_916_800.0;
    let p = p * r + 1.0 / 3_628_800.0;
    let p = p * r + 1.0 / 362_880.0;
    let p = p * r + 1.0 / 40_320.0;
    let p = p * r + 1.0 / 5_040.0;
    let p = p * r + 1.0 / 720.0;
    let p = p * r + 1.0 / 120.0;
    let p = p * r + 1.0 / 24.0;
    let p = p * r + 1.0 / 6.0;
    p * r + 0.5
}

/// e^x.
#[inline(always)]
pub fn exp_f64(x: f64) -> f64 {
    let (r, n) = reduce(clamp(x, -746.0, 710.0));
    scale((exp_tail(r) * (r * r) + r) + 1.0, n)
}

/// e^x − 1, accurate near 0.
#[inline(always)]
pub fn expm1_f64(x: f64) -> f64 {
    let (r, n) = reduce(clamp(x, -40.0, 710.0));
    let p = exp_tail(r) * (r * r) + r;
    // (p + 1 − 2^−n) · 2^n; beyond n = 120 the power is far below half an ulp of 1.
    let inverse = f64::from_bits(((1023 - pick(n > 120, 120, n)) as u64) << 52);
    let y = scale(p + (1.0 - inverse), n);
    pick(x == 0.0, x, y)
}

/// Natural logarithm; −inf at ±0, NaN below 0.
#[inline(always)]
pub fn log_f64(x: f64) -> f64 {
    let y = log_positive(x, 0.0);
    let y = pick(x == 0.0, f64::NEG_INFINITY, y);
    let y = pick(x < 0.0, f64::NAN, y);
    // +inf and NaN
    pick(x < f64::INFINITY, y, x)
}

/// log x + d for finite x > 0 and a small d; anything for other x (method and coefficients: fdlibm, e_log.c).
#[inline(always)]
fn log_positive(x: f64, d: f64) -> f64 {
    /// √½ as bits: mantissas are taken in √½…√2, so that log is accurate near 1.
    const SQRT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
    let subnormal = x < f64::MIN_POSITIVE;
    let bits = pick(subnormal, x * 18_014_398_509_481_984.0, x).to_bits().wrapping_sub(SQRT_HALF);
    let e = ((bits >> 32) as i32 >> 20) - pick(subnormal, 54, 0);
    let e = f64::from(e);
    let f = f64::from_bits((bits & 0x000f_ffff_ffff_ffff) + SQRT_HALF) - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let even = w * (0.399_999_999_994_094_2 + w * (0.222_221_984_321_497_84 + w * 0.153_138_376_992_093_73));
    let odd = z
        * (0.666_666_666_666_673_5
            + w * (0.285_714_287_436_623_9 + w * (0.181_835_721_616_180_5 + w * 0.147_981_986_051_165_86)));
    let half = 0.5 * f * f;
    (s * (half + (even + odd)) + (e * LN2_LO + d) - half + f) + e * LN2_HI
}

/// log(1 + x), accurate near 0.
#[inline(always)]
pub fn log1p_f64(x: f64) -> f64 {
    let u = 1.0 + x;
    // What 1 + x lost to rounding, exact on either side of 1.
    let lost = pick(x < 1.0, x - (u - 1.0), 1.0 - (u - x));
    let y = log_positive(u, lost / u);
    let y = pick(x == -1.0, f64::NEG_INFINITY, y);
    let y = pick(x < -1.0, f64::NAN, y);
    let y = pick(x == 0.0, x, y);
    pick(x < f64::INFINITY, y, x)
}

/// Hyperbolic tangent.
#[inline(always)]
pub fn tanh_f64(x: f64) -> f64 {
    let a = x.abs();
    let e = expm1_f64(2.0 * pick(a > 20.0, 20.0, a));
    (e / (e + 2.0)).copysign(x)
}

/// 1 / (1 + e^−x).
#[inline(always)]
pub fn logistic_f64(x: f64) -> f64 {
    1.0 / (1.0 + exp_f64(-x))
}

/// Square root.
#[inline(always)]
pub fn sqrt_f64(x: f64) -> f64 {
    x.sqrt()
}

/// 1 / √x; +inf at +0, −inf at −0.
#[inline(always)]
pub fn rsqrt_f64(x: f64) -> f64 {
    1.0 / x.sqrt()
}

/// Error function.
#[inline(always)]
pub fn erf_f64(x: f64) -> f64 {
    libm::erf(x)
}

/// 1 − erf x, accurate where it is small.
#[inline(always)]
pub fn erfc_f64(x: f64) -> f64 {
    libm::erfc(x)
}
