//! Ops whose definition is an algorithm, not a formula of elements: random bits, Fourier transforms, matrices.
//!
//! The reference and the devices compute them here. What they must be held against is outside: values that XLA and
//! LAPACK give, and the definitions (a transform as a sum, a factorisation by its product) in the tests.
//! Work is split over threads by independent parts, so results do not depend on how many there are.

mod eigen;
mod fft;
mod hermitian;
mod householder;
mod linalg;
mod matrix;
pub mod rng;
mod schur;
mod solve;
#[cfg(test)]
mod tests;

pub(crate) use fft::fft;
pub(crate) use linalg::linalg;

use crate::buffer::Tensor;
use crate::error::Result;
use pullback_ir::{DType, RngAlgorithm, TensorType};
use std::num::NonZero;
use std::thread;

/// The state afterwards and random bits as elements of `ty`.
pub(crate) fn rng_bit_generator(
    algorithm: RngAlgorithm,
    state: &Tensor,
    ty: &TensorType,
) -> Result<Vec<Tensor>> {
    let words = state.as_slice::<u64>()?;
    let bits = ty.dtype().bits();
    let mut out = Tensor::try_zeros(ty.clone())?;
    let size = ty.dtype().size();
    in_parts(out.bytes_mut(), size, 60, |first, part| {
        rng::bits(algorithm, words, bits, ty.shape(), first..first + part.len() / size, part);
    });
    if ty.dtype() == DType::I4 {
        // A byte each, sign-extended.
        out.bytes_mut().iter_mut().for_each(|b| *b = (((*b << 4) as i8) >> 4) as u8);
    }
    let next = rng::next_state(algorithm, words, bits, ty.shape());
    Ok(vec![Tensor::from_slice(state.shape(), &next)?, out])
}

/// Runs `f(number of the first item, items)` for parts of `out`, on several threads where the work (items of
/// `size` elements, each costing about `cost` operations) is worth them.
fn in_parts<T: Send>(out: &mut [T], size: usize, cost: usize, f: impl Fn(usize, &mut [T]) + Sync) {
    const WORTH_A_THREAD: usize = 1 << 18;
    let items = out.len() / size.max(1);
    let available = thread::available_parallelism().map_or(1, NonZero::get);
    let threads = (items.saturating_mul(cost) / WORTH_A_THREAD).clamp(1, available).min(items.max(1));
    if threads == 1 {
        return f(0, out);
    }
    let share = items.div_ceil(threads);
    thread::scope(|scope| {
        for (k, part) in out.chunks_mut(share * size).enumerate() {
            let f = &f;
            scope.spawn(move || f(k * share, part));
        }
    });
}
