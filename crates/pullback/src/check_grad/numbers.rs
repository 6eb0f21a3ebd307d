//! Tensors as vectors of numbers, complex ones as pairs.

use pullback_base::rng::CounterRng;
use pullback_eval::Tensor;
use pullback_ir::literal::{decode_f64, encode_f64};
use pullback_ir::{DTypeClass, TensorType};

fn is_complex(ty: &TensorType) -> bool {
    ty.dtype().class() == DTypeClass::Complex
}

/// Real numbers, of complex elements the real before the imaginary part.
pub fn parts(t: &Tensor) -> Vec<f64> {
    let part = t.dtype().part();
    match is_complex(t.ty()) {
        true => t.bytes().chunks(part.size()).map(|e| decode_f64(part, e)).collect(),
        false => t.to_f64s(),
    }
}

/// How many [`parts`] a tensor has.
pub fn count(ty: &TensorType) -> usize {
    ty.count() * if is_complex(ty) { 2 } else { 1 }
}

/// The tensor of these parts, rounded to its type; as many as [`count`] says.
pub fn tensor(ty: &TensorType, parts: &[f64]) -> Tensor {
    let mut t = Tensor::zeros(ty.clone());
    let part = ty.dtype().part();
    for (to, &v) in t.bytes_mut().chunks_mut(part.size()).zip(parts) {
        to.copy_from_slice(&encode_f64(part, v));
    }
    t
}

/// Uniform numbers in [low, high); of a type that is not floating-point 0 or 1.
pub fn draw(ty: &TensorType, rng: CounterRng, (low, high): (f64, f64)) -> Tensor {
    if ty.dtype().is_differentiable() {
        let values: Vec<f64> = (0..count(ty) as u64).map(|i| low + (high - low) * rng.uniform(i)).collect();
        return tensor(ty, &values);
    }
    let mut t = Tensor::zeros(ty.clone());
    for i in 0..ty.count() {
        t.set_i64(i, rng.below(i as u64, 2) as i64);
    }
    t
}

/// Real part of the sum of products, without conjugation, and the sum of the absolute values of its terms.
pub fn pair(xs: &Tensor, ys: &Tensor) -> (f64, f64) {
    let (a, b) = (parts(xs), parts(ys));
    let sign = |i: usize| if is_complex(xs.ty()) && i % 2 == 1 { -1.0 } else { 1.0 };
    a.iter()
        .zip(&b)
        .enumerate()
        .fold((0.0, 0.0), |(sum, size), (i, (a, b))| (sum + sign(i) * a * b, size + (a * b).abs()))
}

/// [`pair`] of lists, added up.
pub fn pair_all(xs: &[Tensor], ys: &[Tensor]) -> (f64, f64) {
    xs.iter().zip(ys).fold((0.0, 0.0), |(sum, size), (x, y)| {
        let (s, a) = pair(x, y);
        (sum + s, size + a)
    })
}

/// x + h d
pub fn moved(x: &Tensor, d: &Tensor, h: f64) -> Tensor {
    let values: Vec<f64> = parts(x).iter().zip(parts(d)).map(|(x, d)| x + h * d).collect();
    tensor(x.ty(), &values)
}

/// Root of the mean square, 1 where it is zero or there is nothing.
pub fn size(t: &Tensor) -> f64 {
    let values = parts(t);
    let mean = values.iter().map(|v| v * v).sum::<f64>() / values.len().max(1) as f64;
    if mean > 0.0 && mean.is_finite() { mean.sqrt() } else { 1.0 }
}
