//! Accuracy against f64 (or, for f64, against `libm`), special values, and equal bits at every vector width.

use super::super::dispatch::{Level, vectorized_at};
use super::*;

/// Every 8191st f32 of either sign, subnormals and NaNs included, and a dense grid around ±1 and 0.
fn grid_f32() -> Vec<f32> {
    let mut xs: Vec<f32> = (0..=u32::MAX).step_by(8_191).map(f32::from_bits).collect();
    xs.extend((-40_000..40_000).map(|i| i as f32 * 4.1e-4));
    xs.extend((-20_000..20_000).map(|i| i as f32 * 5.3e-3));
    xs.extend((-5_000..5_000).map(|i| 1.0 + i as f32 * 6e-8));
    xs.extend(SPECIAL_F32);
    xs
}

const SPECIAL_F32: [f32; 24] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    -1.5,
    2.5,
    -2.5,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    f32::MAX,
    f32::MIN,
    f32::MIN_POSITIVE,
    -f32::MIN_POSITIVE,
    1e-45,
    -1e-45,
    88.72283,
    88.7229,
    -103.97,
    -104.0,
    8388609.0,
];

/// The error of `got` in units of the last place of the exact value `want`; 0 where both are NaN or the same.
fn ulps_f32(got: f32, want: f64) -> f64 {
    let rounded = want as f32;
    if got.is_nan() || rounded.is_nan() {
        return if got.is_nan() && rounded.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if got == rounded {
        return if got.is_sign_negative() == rounded.is_sign_negative() || got != 0.0 {
            0.0
        } else {
            f64::INFINITY
        };
    }
    if got.is_infinite() || rounded.is_infinite() {
        // The neighbour of infinity, by rounding just on the other side.
        let near = got.abs().min(rounded.abs());
        return if near >= f32::MAX * 0.999_999 { 1.0 } else { f64::INFINITY };
    }
    let exponent = want.abs().max(f64::from(f32::MIN_POSITIVE)).log2().floor() as i32;
    (f64::from(got) - want).abs() / 2f64.powi(exponent - 23)
}

fn ulps_f64(got: f64, want: f64) -> f64 {
    if got.is_nan() || want.is_nan() {
        return if got.is_nan() && want.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if got == want {
        return if got.is_sign_negative() == want.is_sign_negative() || got != 0.0 {
            0.0
        } else {
            f64::INFINITY
        };
    }
    if got.is_infinite() || want.is_infinite() {
        return f64::INFINITY;
    }
    let key = |x: f64| if x < 0.0 { -((x.to_bits() & (i64::MAX as u64)) as i64) } else { x.to_bits() as i64 };
    (key(got) as i128 - key(want) as i128).unsigned_abs() as f64
}

fn worst_f32(name: &str, f: impl Fn(f32) -> f32, exact: impl Fn(f64) -> f64, limit: f64) {
    let (mut worst, mut at) = (0.0, 0.0);
    for x in grid_f32() {
        let error = ulps_f32(f(x), exact(f64::from(x)));
        if error > worst {
            (worst, at) = (error, x);
        }
    }
    println!("{name}: {worst:.3} ulp at {at:e}");
    assert!(worst <= limit, "{name}: {worst} ulp at {at:e}: {} for {}", f(at), exact(f64::from(at)));
}

#[test]
fn f32_functions_are_accurate() {
    worst_f32("exp", exp_f32, libm::exp, 2.0);
    worst_f32("expm1", expm1_f32, libm::expm1, 2.0);
    worst_f32("log", log_f32, libm::log, 2.0);
    worst_f32("log1p", log1p_f32, libm::log1p, 4.0);
    worst_f32("tanh", tanh_f32, libm::tanh, 4.0);
    worst_f32("sqrt", sqrt_f32, libm::sqrt, 0.5);
    worst_f32("rsqrt", rsqrt_f32, |x| 1.0 / libm::sqrt(x), 2.0);
    worst_f32("erf", erf_f32, libm::erf, 2.0);
    worst_f32("erfc", erfc_f32, libm::erfc, 6.0);
    worst_f32("cbrt", cbrt_f32, libm::cbrt, 1.0);
    worst_f32("sin", sin_f32, libm::sin, 1.0);
    worst_f32("cos", cos_f32, libm::cos, 1.0);
    worst_f32("tan", tan_f32, libm::tan, 1.0);
}

#[test]
fn logistic_is_accurate_down_to_where_exp_overflows() {
    let exact = |x: f64| 1.0 / (1.0 + libm::exp(-x));
    worst_f32(
        "logistic",
        |x| if x < -88.0 { exact(f64::from(x)) as f32 } else { logistic_f32(x) },
        exact,
        4.0,
    );
    for x in [-88.5, -90.0, -1e4, f32::NEG_INFINITY] {
        assert!((0.0..=f32::MIN_POSITIVE).contains(&logistic_f32(x)));
    }
}

#[test]
fn f64_functions_are_accurate() {
    let xs: Vec<f64> = grid_f32()
        .into_iter()
        .flat_map(|x| {
            let x = f64::from(x);
            [x, x * 1.000_123_456_789, x * x * x * x]
        })
        .chain((-2_000..2_000).map(|i| f64::from(i) * 0.3731))
        .chain([5e-324, -5e-324, 709.78, 709.79, -745.1, -745.2, f64::MAX, f64::MIN, f64::MIN_POSITIVE])
        .collect();
    let logistic = |x: f64| 1.0 / (1.0 + libm::exp(-x));
    let rsqrt = |x: f64| 1.0 / libm::sqrt(x);
    let table: [(&str, fn(f64) -> f64, &dyn Fn(f64) -> f64, f64); 8] = [
        ("exp", exp_f64, &libm::exp, 2.0),
        ("expm1", expm1_f64, &libm::expm1, 4.0),
        ("log", log_f64, &libm::log, 2.0),
        ("log1p", log1p_f64, &libm::log1p, 3.0),
        ("tanh", tanh_f64, &libm::tanh, 4.0),
        ("logistic", logistic_f64, &logistic, 3.0),
        ("sqrt", sqrt_f64, &libm::sqrt, 0.0),
        ("rsqrt", rsqrt_f64, &rsqrt, 0.0),
    ];
    for (name, f, exact, limit) in table {
        let (mut worst, mut at) = (0.0, 0.0);
        for &x in &xs {
            let error = ulps_f64(f(x), exact(x));
            if error > worst {
                (worst, at) = (error, x);
            }
        }
        println!("{name}: {worst} ulp at {at:e}");
        assert!(worst <= limit, "{name}: {worst} ulp at {at:e}: {:e} for {:e}", f(at), exact(at));
    }
}

#[test]
fn special_values() {
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    let same =
        |a: f32, b: f32| assert!(a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()), "{a} for {b}");
    same(exp_f32(-inf), 0.0);
    same(exp_f32(inf), inf);
    same(exp_f32(1000.0), inf);
    same(log_f32(-0.0), -inf);
    same(log_f32(-1.0), nan);
    same(log_f32(inf), inf);
    same(tanh_f32(-inf), -1.0);
    same(tanh_f32(-0.0), -0.0);
    same(expm1_f32(-0.0), -0.0);
    same(log1p_f32(-1.0), -inf);
    same(rsqrt_f32(0.0), inf);
    same(rsqrt_f32(inf), 0.0);
    same(rsqrt_f32(-1.0), nan);
    same(erf_f32(inf), 1.0);
    same(erfc_f32(-inf), 2.0);
    same(erfc_f32(inf), 0.0);
    same(max_f32(nan, 1.0), nan);
    same(max_f32(1.0, nan), nan);
    same(max_f32(-0.0, 0.0), 0.0);
    same(max_f32(0.0, -0.0), 0.0);
    same(min_f32(nan, 1.0), nan);
    same(min_f32(1.0, nan), nan);
    same(min_f32(0.0, -0.0), -0.0);
    same(max_f32(-inf, 3.0), 3.0);
    same(sign_f32(-3.0), -1.0);
    same(sign_f32(-0.0), -0.0);
    same(sign_f32(nan), nan);
    same(sign_f32(1e-45), 1.0);
    same(rem_f32(-7.5, 2.0), -1.5);
    same(rem_f32(1.0, 0.0), nan);
    for (x, even, away) in [
        (0.5, 0.0, 1.0),
        (1.5, 2.0, 2.0),
        (2.5, 2.0, 3.0),
        (0.3, 0.0, 0.0),
        (8388609.0, 8388609.0, 8388609.0),
    ] {
        same(round_nearest_even_f32(x), even);
        same(round_nearest_even_f32(-x), -even);
        same(round_nearest_afz_f32(x), away);
        same(round_nearest_afz_f32(-x), -away);
    }
    same(round_nearest_afz_f32(0.499_999_97), 0.0);
    same(round_nearest_afz_f32(inf), inf);
    same(floor_f32(-0.5), -1.0);
    same(ceil_f32(-0.5), -0.0);
    assert!(is_finite_f32(f32::MAX) && !is_finite_f32(inf) && !is_finite_f32(nan));
    same(pow_f32(0.0, 0.0), 1.0);
    same(atan2_f32(-0.0, -1.0), -std::f32::consts::PI);
}

/// One loop at one level, over a length that leaves a tail.
fn at_level(level: Level, f: impl Fn(f32) -> f32, x: &[f32]) -> Vec<u32> {
    let mut out = vec![0.0; x.len()];
    vectorized_at(
        level,
        #[inline(always)]
        || {
            for (y, &x) in out.iter_mut().zip(x) {
                *y = f(x);
            }
        },
    );
    out.into_iter().map(|y| if y.is_nan() { u32::MAX } else { y.to_bits() }).collect()
}

macro_rules! width_test {
    ($($f:ident)*) => {
        #[test]
        fn bits_do_not_depend_on_the_vector_width() {
            let xs = grid_f32();
            let xs = &xs[..(xs.len() - 1) | 1];
            $(
                let base = at_level(Level::Baseline, $f, xs);
                assert_eq!(base, at_level(Level::Avx2, $f, xs), stringify!($f));
                assert_eq!(base, at_level(Level::Avx512, $f, xs), stringify!($f));
                // Alone, each element is computed by the scalar tail.
                for (i, x) in xs.chunks(1).enumerate().step_by(97) {
                    assert_eq!(at_level(Level::Avx512, $f, x), base[i..i + 1], stringify!($f));
                }
            )*
        }
    };
}
width_test!(exp_f32 expm1_f32 log_f32 log1p_f32 tanh_f32 logistic_f32 rsqrt_f32 erf_f32 erfc_f32 sign_f32 round_nearest_afz_f32);

#[test]
fn slices_apply_the_scalar_functions() {
    let x: Vec<f32> = (0..67).map(|i| (i as f32 - 30.0) * 0.37).collect();
    let y: Vec<f32> = (0..67).map(|i| (i as f32 - 10.0) * 0.21).collect();
    let mut out = vec![0.0f32; 67];
    let mut wide = vec![0.0f64; 67];
    let x64: Vec<f64> = x.iter().map(|&v| f64::from(v)).collect();
    let y64: Vec<f64> = y.iter().map(|&v| f64::from(v)).collect();
    let near = |a: f32, b: f64| {
        (a.is_nan() && b.is_nan()) || f64::from(a) == b || (f64::from(a) - b).abs() <= 1e-4 * (1.0 + b.abs())
    };
    // f32 and f64 versions are written separately: each holds the other to the right function.
    for op in Unary::ALL {
        unary_f32(op, &x, &mut out);
        unary_f64(op, &x64, &mut wide);
        for (i, (&a, &b)) in out.iter().zip(&wide).enumerate() {
            assert!(near(a, b), "{op:?} {i}: {a} {b}");
        }
    }
    for op in Binary::ALL {
        binary_f32(op, &x, &y, &mut out);
        binary_f64(op, &x64, &y64, &mut wide);
        for (i, (&a, &b)) in out.iter().zip(&wide).enumerate() {
            assert!(near(a, b), "{op:?} {i}: {a} {b}");
        }
    }
    let mut bits = vec![0u8; 3];
    let (a, b) = ([1.0, f32::NAN, 2.0], [2.0, 0.0, 2.0]);
    for (direction, want) in [
        (Comparison::Eq, [0, 0, 1]),
        (Comparison::Ne, [1, 1, 0]),
        (Comparison::Lt, [1, 0, 0]),
        (Comparison::Le, [1, 0, 1]),
        (Comparison::Gt, [0, 0, 0]),
        (Comparison::Ge, [0, 0, 1]),
    ] {
        compare(direction, &a, &b, &mut bits);
        assert_eq!(bits, want, "{direction:?}");
    }
    is_finite_slice_f32(&a, &mut bits);
    assert_eq!(bits, [1, 0, 1]);
    let mut out = [0.0; 3];
    select(&[1, 0, 1], &a, &b, &mut out);
    assert_eq!(out, [1.0, 0.0, 2.0]);
}
