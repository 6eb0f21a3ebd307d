//! What a compiled program is made of: steps over buffers.

use super::memory::{Buffer, Memory};
use super::view::View;
use crate::buffer::Tensor;
use pullback_ir::{DType, TensorType};

/// A part of a program, run in order with the others.
pub(super) trait Step: Send {
    /// Reads its operands' buffers and writes its results'.
    fn run(&self, memory: &Memory, threads: usize);

    /// What it is, for profiles: op and sizes.
    fn describe(&self) -> String;

    /// Bytes it holds between runs.
    fn held_bytes(&self) -> usize {
        0
    }

    /// Bytes of scratch each of its threads takes from the memory.
    fn scratch_bytes(&self) -> usize {
        0
    }
}

/// A view with its node's place.
#[derive(Clone, Debug)]
pub(super) struct Operand {
    pub(super) buffer: Buffer,
    pub(super) dtype: DType,
    pub(super) view: View,
}

impl Operand {
    /// The elements as a tensor of their own.
    pub(super) fn to_tensor(&self, memory: &Memory) -> Tensor {
        let mut t = Tensor::zeros(TensorType::new(self.dtype, self.view.shape.clone()));
        // SAFETY: an operand of the step that runs; its buffer is not written meanwhile.
        let bytes = unsafe { memory.read::<u8>(self.buffer) };
        super::movement::strided(&self.view, 0, &signed(&super::view::dense_strides(&self.view.shape)))
            .run_bytes(self.dtype.size(), bytes, t.bytes_mut(), 1);
        t
    }
}

/// Strides as the copy kernels take them.
pub(super) fn signed(strides: &[usize]) -> Vec<isize> {
    strides.iter().map(|&s| s as isize).collect()
}
