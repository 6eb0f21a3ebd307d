//! Operations that import turns into several of the IR's, held against plain loops over their definitions.
//!
//! Regions are of whole numbers and mostly not commutative, so that order shows and results are exact. Every program
//! also runs on the fast CPU device, which must give the same bits.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod chlo;
mod norm;
mod random;
mod reduce;
mod scatter;
mod sort;
mod window;

use pullback_eval::{CpuDevice, ReferenceDevice, Tensor, evaluate};
use pullback_ir::{DType, TensorType};

/// The results of @main of a text, on both devices.
pub fn run(text: &str, args: &[Tensor]) -> Vec<Tensor> {
    let module = pullback_stablehlo::import(text).unwrap_or_else(|e| {
        let list: Vec<String> = e.iter().map(ToString::to_string).collect();
        panic!("{}\n{text}", list.join("\n"))
    });
    let program = module.function("main").unwrap();
    program.verify().unwrap();
    let args: Vec<Tensor> = args.iter().map(|t| t.try_clone().unwrap()).collect();
    let slow = evaluate(&ReferenceDevice, program, &args).unwrap();
    let fast = evaluate(&CpuDevice { threads: 1 }, program, &args).unwrap();
    for (s, f) in slow.iter().zip(&fast) {
        assert_eq!(s.ty(), f.ty());
        let whole = !s.dtype().is_float();
        assert!(!whole || s.bytes() == f.bytes(), "devices differ:\n{program}");
    }
    slow
}

/// Whole numbers that repeat within a small range, some negative.
pub fn numbers(n: usize, seed: u64) -> Vec<i64> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let step = |_| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as i64 % 7 - 3
    };
    (0..n).map(step).collect()
}

/// An i32 tensor.
pub fn ints(shape: &[usize], values: &[i64]) -> Tensor {
    Tensor::from_i64s(TensorType::new(DType::I32, shape), values).unwrap()
}

/// An f32 tensor.
pub fn floats(shape: &[usize], values: &[f64]) -> Tensor {
    Tensor::from_f64s(TensorType::new(DType::F32, shape), values).unwrap()
}

/// `tensor<2x3xi32>`
pub fn mlir(shape: &[usize], dtype: &str) -> String {
    let dims: String = shape.iter().map(|d| format!("{d}x")).collect();
    format!("tensor<{dims}{dtype}>")
}

/// Every index of a shape, in row-major order.
pub fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    let mut out = vec![Vec::new()];
    for &n in shape {
        out = out.iter().flat_map(|i| (0..n).map(move |k| [&i[..], &[k]].concat())).collect();
    }
    out
}

/// The number of an element.
pub fn flat(shape: &[usize], index: &[usize]) -> usize {
    shape.iter().zip(index).fold(0, |n, (size, i)| n * size + i)
}

/// x ↦ a x + b, one after the other: a region of two operands that is associative and not commutative.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Affine(pub i32, pub i32);

impl Affine {
    /// First this, then that.
    pub fn then(self, that: Affine) -> Affine {
        Affine(self.0.wrapping_mul(that.0), self.1.wrapping_mul(that.0).wrapping_add(that.1))
    }
}

/// The region of [`Affine::then`].
pub const AFFINE: &str = r#"({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<i32>, %d: tensor<i32>):
    %m = stablehlo.multiply %a, %c : tensor<i32>
    %n = stablehlo.multiply %b, %c : tensor<i32>
    %o = stablehlo.add %n, %d : tensor<i32>
    stablehlo.return %m, %o : tensor<i32>, tensor<i32>
  })"#;

/// Tensors of the two parts.
pub fn affine_args(shape: &[usize], values: &[Affine]) -> [Tensor; 2] {
    let part = |f: fn(&Affine) -> i32| values.iter().map(|v| i64::from(f(v))).collect::<Vec<_>>();
    [ints(shape, &part(|v| v.0)), ints(shape, &part(|v| v.1))]
}

/// Of the two parts.
pub fn affine_results(results: &[Tensor]) -> Vec<Affine> {
    let (a, b) = (results[0].to_i64s(), results[1].to_i64s());
    a.into_iter().zip(b).map(|(a, b)| Affine(a as i32, b as i32)).collect()
}

/// As many maps with small coefficients.
pub fn affines(n: usize, seed: u64) -> Vec<Affine> {
    let (a, b) = (numbers(n, seed), numbers(n, seed + 1));
    a.into_iter().zip(b).map(|(a, b)| Affine(a as i32, b as i32)).collect()
}
