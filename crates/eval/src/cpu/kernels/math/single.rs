//! f32 functions in scalar, branch-free form.
//!
//! What must hold: no `mul_add`, no data-dependent branch in the hot functions, only selects, so that a loop over
//! them vectorizes. Errors over the whole range (measured by the tests): exp, expm1, log ≤ 2 ulp; erf ≤ 2 ulp; log1p,
//! logistic, tanh ≤ 4 ulp; erfc ≤ 6 ulp; sqrt is correctly rounded, rsqrt ≤ 2 ulp.
//!
//! What it does not do: it knows no slices (see `slices.rs`).

use super::common::pick;

/// 1.5 · 2^23: adding and subtracting it rounds to the nearest integer, which is then in the low bits.
const ROUND: f32 = 12_582_912.0;
const LN2_HI: f32 = f32::from_bits(0x3f31_7180);
const LN2_LO: f32 = f32::from_bits(0x3717_f7d1);

/// x = n·ln 2 + r with |r| ≤ ln 2 / 2; returns r and n.
#[inline(always)]
fn reduce(x: f32) -> (f32, i32) {
    let shifted = x * std::f32::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = (x - n * LN2_HI) - n * LN2_LO;
    (r, shifted.to_bits() as i32 - ROUND.to_bits() as i32)
}

/// y · 2^n for n in −252…254, in two steps so that overflow and gradual underflow come out right.
#[inline(always)]
fn scale(y: f32, n: i32) -> f32 {
    let half = n >> 1;
    let low = f32::from_bits(((half.wrapping_add(127)) as u32) << 23);
    let high = f32::from_bits(((n.wrapping_sub(half).wrapping_add(127)) as u32) << 23);
    y * low * high
}

/// Keeps NaN, cuts the rest to `low..=high`.
#[inline(always)]
fn clamp(x: f32, low: f32, high: f32) -> f32 {
    let x = pick(x > high, high, x);
    pick(x < low, low, x)
}

/// (e^r − 1 − r) / r² for |r| ≤ ln 2 / 2 (coefficients: Cephes, expf).
#[inline(always)]
fn exp_tail(r: f32) -> f32 {
    let p = 1.987_569_1e-4 * r + 1.398_199_9e-3;
    let p = p * r + 8.333_452e-3;
    let p = p * r + 4.166_579_6e-2;
    let p = p * r + 1.666_666_5e-1;
    p * r + 0.5
}

/// e^(x + d) for a small correction d.
#[inline(always)]
fn exp_sum(x: f32, d: f32) -> f32 {
    let (r, n) = reduce(clamp(x, -104.5, 89.0));
    let r = r + d;
    scale((exp_tail(r) * (r * r) + r) + 1.0, n)
}

/// e^x.
#[inline(always)]
pub fn exp_f32(x: f32) -> f32 {
    let (r, n) = reduce(clamp(x, -104.5, 89.0));
    scale((exp_tail(r) * (r * r) + r) + 1.0, n)
}

/// e^x − 1, accurate near 0.
#[inline(always)]
pub fn expm1_f32(x: f32) -> f32 {
    let (r, n) = reduce(clamp(x, -18.0, 89.0));
    let p = exp_tail(r) * (r * r) + r;
    // (p + 1 − 2^−n) · 2^n; beyond n = 60 the power is far below half an ulp of 1.
    let inverse = f32::from_bits(((127 - pick(n > 60, 60, n)) as u32) << 23);
    let y = scale(p + (1.0 - inverse), n);
    pick(x == 0.0, x, y)
}

/// Natural logarithm; −inf at ±0, NaN below 0 (coefficients: Cephes, logf).
#[inline(always)]
pub fn log_f32(x: f32) -> f32 {
    let y = log_positive(x);
    let y = pick(x == 0.0, f32::NEG_INFINITY, y);
    let y = pick(x < 0.0, f32::NAN, y);
    // +inf and NaN
    pick(x < f32::INFINITY, y, x)
}

/// log x for finite x > 0; anything for other x.
#[inline(always)]
fn log_positive(x: f32) -> f32 {
    /// √½ as bits: mantissas are taken in √½…√2, so that log is accurate near 1.
    const SQRT_HALF: u32 = 0x3f35_04f3;
    let subnormal = x < f32::MIN_POSITIVE;
    let bits = pick(subnormal, x * 8_388_608.0, x).to_bits().wrapping_sub(SQRT_HALF);
    let e = (bits as i32 >> 23) - pick(subnormal, 23, 0);
    let e = e as f32;
    let f = f32::from_bits((bits & 0x007f_ffff) + SQRT_HALF) - 1.0;
    let z = f * f;
    let p = 7.037_683_6e-2 * f - 1.151_461e-1;
    let p = p * f + 1.167_699_9e-1;
    let p = p * f - 1.242_014_1e-1;
    let p = p * f + 1.424_932_3e-1;
    let p = p * f - 1.666_805_8e-1;
    let p = p * f + 2.000_071_5e-1;
    let p = p * f - 2.499_999_4e-1;
    let p = p * f + 3.333_333e-1;
    let y = p * f * z + e * LN2_LO - 0.5 * z;
    (f + y) + e * LN2_HI
}

/// log(1 + x), accurate near 0.
#[inline(always)]
pub fn log1p_f32(x: f32) -> f32 {
    let u = 1.0 + x;
    // What 1 + x lost to rounding, exact on either side of 1.
    let lost = pick(x < 1.0, x - (u - 1.0), 1.0 - (u - x));
    let y = log_positive(u) + lost / u;
    let y = pick(x == -1.0, f32::NEG_INFINITY, y);
    let y = pick(x < -1.0, f32::NAN, y);
    let y = pick(x == 0.0, x, y);
    pick(x < f32::INFINITY, y, x)
}

/// Hyperbolic tangent.
#[inline(always)]
pub fn tanh_f32(x: f32) -> f32 {
    let a = x.abs();
    let e = expm1_f32(2.0 * pick(a > 10.0, 10.0, a));
    (e / (e + 2.0)).copysign(x)
}

/// 1 / (1 + e^−x).
#[inline(always)]
pub fn logistic_f32(x: f32) -> f32 {
    1.0 / (1.0 + exp_f32(-x))
}

/// Square root.
#[inline(always)]
pub fn sqrt_f32(x: f32) -> f32 {
    x.sqrt()
}

/// 1 / √x; +inf at +0, −inf at −0.
#[inline(always)]
pub fn rsqrt_f32(x: f32) -> f32 {
    1.0 / x.sqrt()
}

/// x · T(x²) ≈ erf x for |x| ≤ 1 (Cephes, ndtrf).
#[inline(always)]
fn erf_small(x: f32) -> f32 {
    let z = x * x;
    let p = 7.853_861e-5 * z - 8.010_194e-4;
    let p = p * z + 5.188_327_6e-3;
    let p = p * z - 2.685_381_2e-2;
    let p = p * z + 1.128_358_5e-1;
    let p = p * z - 3.761_262_6e-1;
    // 2/√π = 1 + the constant: the last product is then small beside the exact term x.
    let p = p * z + 1.283_791_7e-1;
    p * x + x
}

/// Error function.
#[inline(always)]
pub fn erf_f32(x: f32) -> f32 {
    // For |x| > 1, 1 − e^−q(|x|) with a polynomial q (coefficients: N. Juffa); erf is 1 in f32 from 3.92 on.
    let t = x.abs();
    let t = pick(t > 4.0, 4.0, t);
    let q = -1.728_534_7e-5 * t + 3.831_97e-4;
    let q = q * t - 3.883_964_4e-3;
    let q = q * t + 2.425_462_2e-2;
    let q = q * t - 1.067_778_8e-1;
    let q = q * t - 6.348_467e-1;
    let q = q * t - 1.287_175_1e-1;
    let q = q * t - t;
    let large = (1.0 - exp_f32(q)).copysign(x);
    pick(x.abs() > 0.921_875, large, erf_small(x))
}

/// 1 − erf x, accurate where it is small (Cephes, ndtrf).
#[inline(always)]
pub fn erfc_f32(x: f32) -> f32 {
    let a = x.abs();
    let a = pick(a > 11.0, 11.0, a);
    // e^−a² with a² = head² + rest, head² exact.
    let head = f32::from_bits(a.to_bits() & 0xffff_f000);
    let power = exp_sum(-(head * head), -((a - head) * (a + head)));
    let q = 1.0 / a;
    let y = q * q;
    let p = 2.326_82e-2 * y - 1.387_039_4e-1;
    let p = p * y + 3.687_424_7e-1;
    let p = p * y - 5.824_733e-1;
    let p = p * y + 6.210_004_6e-1;
    let p = p * y - 4.944_515_3e-1;
    let p = p * y + 3.404_88e-1;
    let p = p * y - 2.741_127e-1;
    let p = p * y + 5.638_259_4e-1;
    let r = -1.047_766_4e1 * y + 1.297_72e1;
    let r = r * y - 7.495_518_7;
    let r = r * y + 2.921_019;
    let r = r * y - 1.015_265_3;
    let r = r * y + 4.218_463_5e-1;
    let r = r * y - 2.820_767_5e-1;
    let r = r * y + 5.641_895e-1;
    let tail = power * q * pick(a < 2.0, p, r);
    let large = pick(x < 0.0, 2.0 - tail, tail);
    pick(x.abs() > 1.0, large, 1.0 - erf_small(x))
}
