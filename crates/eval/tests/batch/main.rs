//! Programs over leading dimensions, and programs of one device as global ones, held against what they stand for.

#![allow(clippy::unwrap_used, missing_docs, reason = "a test that cannot go on fails")]

mod batched;
mod devices;

use pullback_eval::Tensor;
use pullback_ir::text::parse;
use pullback_ir::{DType, Program, TensorType};

/// Small whole numbers, so that sums are exact in any order.
pub struct Numbers(u64);

impl Numbers {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(2).wrapping_add(1))
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }

    pub fn tensor(&mut self, ty: &TensorType) -> Tensor {
        let values: Vec<f64> = (0..ty.count())
            .map(|_| match ty.dtype() {
                DType::Bool => self.below(2) as f64,
                d if d.is_integer() => self.below(5) as f64 - if d == DType::I32 { 1.0 } else { 0.0 },
                _ => self.below(9) as f64 - 4.0,
            })
            .collect();
        Tensor::from_f64s(ty.clone(), &values).unwrap()
    }
}

pub fn program(text: &str) -> Program {
    parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Part `i` of a tensor along its leading dimensions, which are flattened.
pub fn part(t: &Tensor, own: &TensorType, i: usize) -> Tensor {
    let n = own.bytes();
    Tensor::from_bytes(own.clone(), &t.bytes()[i * n..(i + 1) * n]).unwrap()
}
