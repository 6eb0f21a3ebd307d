//! Random numbers of a distribution: where they lie, and their first moments.

use crate::run;
use pullback_eval::Tensor;
use pullback_ir::{DType, TensorType};

const N: usize = 4096;

/// Numbers of two occurrences with these bounds.
fn drawn(dtype: DType, name: &str, distribution: &str, a: f64, b: f64) -> [Vec<f64>; 2] {
    let text = format!(
        "func.func public @main(%a: tensor<{name}>, %b: tensor<{name}>) -> (tensor<{N}x{name}>, tensor<{N}x{name}>) {{
  %s = stablehlo.constant dense<{N}> : tensor<1xi64>
  %0 = stablehlo.rng %a, %b, %s, distribution = {distribution} : (tensor<{name}>, tensor<{name}>, tensor<1xi64>) -> tensor<{N}x{name}>
  %1 = \"stablehlo.rng\"(%a, %b, %s) <{{rng_distribution = #stablehlo<rng_distribution {distribution}>}}> : (tensor<{name}>, tensor<{name}>, tensor<1xi64>) -> tensor<{N}x{name}>
  return %0, %1 : tensor<{N}x{name}>, tensor<{N}x{name}>
}}"
    );
    let bound = |v: f64| Tensor::from_f64s(TensorType::scalar(dtype), &[v]).unwrap();
    let got = run(&text, &[bound(a), bound(b)]);
    assert_ne!(got[0].bytes(), got[1].bytes(), "two occurrences draw other numbers");
    [got[0].to_f64s(), got[1].to_f64s()]
}

fn moments(x: &[f64]) -> (f64, f64) {
    let mean = x.iter().sum::<f64>() / x.len() as f64;
    (mean, (x.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / x.len() as f64).sqrt())
}

/// The mean of n numbers is within 5 of its own deviations, their deviation within a tenth.
fn spread(x: &[f64], mean: f64, deviation: f64) {
    let (m, d) = moments(x);
    assert!((m - mean).abs() < 5.0 * deviation / (N as f64).sqrt() + 0.01, "mean {m}, not {mean}");
    assert!((d - deviation).abs() < 0.1 * deviation, "deviation {d}, not {deviation}");
}

#[test]
fn uniform() {
    for (dtype, name) in
        [(DType::F16, "f16"), (DType::BF16, "bf16"), (DType::F32, "f32"), (DType::F64, "f64")]
    {
        for x in drawn(dtype, name, "UNIFORM", -1.0, 3.0) {
            assert!(x.iter().all(|&v| (-1.0..3.0).contains(&v)));
            spread(&x, 1.0, 4.0 / 12f64.sqrt());
        }
    }
}

#[test]
fn normal() {
    for (dtype, name) in [(DType::F32, "f32"), (DType::F64, "f64"), (DType::BF16, "bf16")] {
        for x in drawn(dtype, name, "NORMAL", 2.0, 0.5) {
            assert!(x.iter().all(|v| v.is_finite()));
            spread(&x, 2.0, 0.5);
        }
    }
}

#[test]
fn whole_numbers() {
    for (dtype, name, a, b) in
        [(DType::I8, "i8", -128.0, 127.0), (DType::U8, "ui8", 200.0, 206.0), (DType::I64, "i64", -3.0, 4.0)]
    {
        for x in drawn(dtype, name, "UNIFORM", a, b) {
            assert!(x.iter().all(|&v| v >= a && v < b));
            let mut seen: Vec<i64> = x.iter().map(|&v| v as i64).collect();
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len(), (b - a) as usize, "each of the numbers comes");
        }
    }
}
