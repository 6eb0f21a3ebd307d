//! Ops that are algorithms on whole tensors ([`crate::algorithm`] is their kernel), operators of others, which bring their
//! own, and bits read as another type.

use super::graph::packed_offsets;
use super::kernels::copy::StridedCopy;
use super::memory::{Buffer, Memory};
use super::step::{Operand, Step, signed};
use super::view::dense_strides;
use crate::algorithm;
use crate::buffer::Tensor;
use crate::custom;
use crate::error::{EvalError, Result};
use crate::reference::bits;
use pullback_ir::{Op, TensorType};

/// Where the results of an algorithm go.
enum Out {
    /// The one result, its elements at these strides.
    One(Vec<usize>),
    /// All of several, as a packed node holds them.
    Packed,
}

/// A compiled algorithm.
pub(super) struct Algorithm {
    op: Op,
    ins: Vec<Operand>,
    out: Buffer,
    types: Vec<TensorType>,
    to: Out,
}

/// The results of an op that is an algorithm.
fn compute(op: &Op, ins: &[&Tensor], types: &[TensorType]) -> Result<Vec<Tensor>> {
    if let Op::Fft { kind, lengths } = op {
        return Ok(vec![algorithm::fft(*kind, lengths, ins[0], &types[0])?]);
    }
    if let Op::Linalg(l) = op {
        return algorithm::linalg(l, ins, types);
    }
    if let Op::RngBitGenerator { algorithm, ty } = op {
        return algorithm::rng_bit_generator(*algorithm, ins[0], ty);
    }
    if let Op::Custom(c) = op {
        return custom::evaluate(c, ins);
    }
    // The only other one.
    Ok(vec![bits::bitcast(&types[0], ins[0])?])
}

/// An op that no step computes.
pub(super) fn unsupported(op: &Op) -> EvalError {
    EvalError::Unsupported { op: op.name(), why: "the CPU backend has no step for it".to_owned() }
}

/// Whether [`compute`] knows the op.
fn is_algorithm(op: &Op) -> bool {
    matches!(
        op,
        Op::Fft { .. }
            | Op::Linalg(_)
            | Op::RngBitGenerator { .. }
            | Op::Custom(_)
            | Op::BitcastConvert { .. }
    )
}

/// The step of an algorithm with one result, its elements stored at these strides.
pub(super) fn one(
    op: &Op,
    ins: Vec<Operand>,
    out: Buffer,
    ty: TensorType,
    strides: Vec<usize>,
) -> Result<Algorithm> {
    if !is_algorithm(op) {
        return Err(unsupported(op));
    }
    Ok(Algorithm { op: op.clone(), ins, out, types: vec![ty], to: Out::One(strides) })
}

/// The step of an algorithm with several results of these types.
pub(super) fn packed(op: &Op, ins: Vec<Operand>, out: Buffer, types: Vec<TensorType>) -> Result<Algorithm> {
    if !is_algorithm(op) {
        return Err(unsupported(op));
    }
    Ok(Algorithm { op: op.clone(), ins, out, types, to: Out::Packed })
}

impl Step for Algorithm {
    fn describe(&self) -> String {
        format!("{} {}", self.op.name(), self.types.first().map(ToString::to_string).unwrap_or_default())
    }

    fn run(&self, memory: &Memory, _threads: usize) {
        let ins: Vec<Tensor> = self.ins.iter().map(|o| o.to_tensor(memory)).collect();
        let results = compute(&self.op, &ins.iter().collect::<Vec<_>>(), &self.types);
        let results = results.expect("the op typed when the program was built, and is one of these");
        match &self.to {
            Out::Packed => pack(&results, memory, self.out),
            Out::One(strides) => {
                let shape = self.types[0].shape();
                let copy = StridedCopy::new(shape, 0, &signed(&dense_strides(shape)), 0, &signed(strides));
                // SAFETY: the result's buffer belongs to this step.
                let out = unsafe { memory.write::<u8>(self.out) };
                copy.run_bytes(self.types[0].dtype().size(), results[0].bytes(), out, 1);
            }
        }
    }
}

/// Writes results where the unpacking steps find them.
pub(super) fn pack(results: &[Tensor], memory: &Memory, out: Buffer) {
    let (offsets, _) = packed_offsets(&results.iter().map(Tensor::ty).collect::<Vec<_>>());
    // SAFETY: the result's buffer belongs to the step that packs.
    let out = unsafe { memory.write::<u8>(out) };
    for (t, offset) in results.iter().zip(offsets) {
        out[offset..offset + t.bytes().len()].copy_from_slice(t.bytes());
    }
}

/// Copies the bytes of a row-major operand: bitcast_convert between types of whole bytes.
pub(super) struct Bytes {
    pub(super) x: Operand,
    pub(super) out: Buffer,
}

impl Step for Bytes {
    fn describe(&self) -> String {
        format!("bitcast_convert of {} bytes", self.out.bytes)
    }

    fn run(&self, memory: &Memory, _threads: usize) {
        let from = self.x.view.offset * self.x.dtype.size();
        // SAFETY: operand and result are different buffers of this step.
        unsafe {
            let x = memory.read::<u8>(self.x.buffer);
            memory.write::<u8>(self.out).copy_from_slice(&x[from..from + self.out.bytes]);
        }
    }
}
