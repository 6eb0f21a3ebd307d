//! `stablehlo.rng`: numbers of a distribution from random bits of a fixed state.
//!
//! The operation has no state of its own that a program could carry, so each occurrence draws from a state that
//! depends on its number in the module alone: the same numbers every time it is run, which a warning says.

use super::FuncLowering;
use crate::constraints::broken;
use crate::declared::Declared;
use crate::import::calls::constant_of;
use crate::ops::Issue;
use crate::tree::{Attr, Node};
use crate::types::mlir_type;
use pullback_base::Severity;
use pullback_ir::literal::decode_i64;
use pullback_ir::op::RngAlgorithm;
use pullback_ir::{BinaryOp, Comparison, DType, DTypeClass, Literal, Op, TensorType, UnaryOp, Value};

/// The fraction of the golden ratio, which sets the states of neighbours far apart.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// Bits of a float's fraction, and the type of its bits; nothing for what is not drawn.
fn fraction(dtype: DType) -> Option<(u32, DType)> {
    let floats = [
        (DType::F16, 10, DType::U16),
        (DType::BF16, 7, DType::U16),
        (DType::F32, 23, DType::U32),
        (DType::F64, 52, DType::U64),
    ];
    floats.into_iter().find(|row| row.0 == dtype).map(|(_, digits, bits)| (digits, bits))
}

impl<'a> FuncLowering<'_, 'a, '_> {
    pub(super) fn rng(&mut self, node: &Node<'a>, written: &[Declared]) -> Result<Value, Issue> {
        let [a, b, shape] = self.operands(node)?;
        let [want] = written else { return Err(Issue::Error(format!("{} has one result", node.name))) };
        let bound = TensorType::scalar(want.dtype());
        let ty = match want.exact() {
            Some(ty) => ty.clone(),
            None => TensorType::try_new(want.dtype(), self.shape_operand(node, 2, "the shape")?)
                .ok_or_else(|| Issue::Error(format!("{}: the shape is too large", node.name)))?,
        };
        if *self.b.ty(a) != bound || *self.b.ty(b) != bound {
            let (a, b) = (mlir_type(self.b.ty(a)), mlir_type(self.b.ty(b)));
            return Err(Issue::Error(format!("{} of {want} has bounds {a} and {b}", node.name)));
        }
        if self.shape(shape) != [ty.rank()] {
            let shape = mlir_type(self.b.ty(shape));
            return Err(Issue::Error(format!("{} of {want} is given a shape {shape}", node.name)));
        }
        if let Some(sizes) = constant_of(self.b.so_far(), shape) {
            let size = |i: usize| decode_i64(sizes.ty().dtype(), sizes.element(i));
            if let Some(d) = (0..ty.rank()).find(|&d| size(d) != ty.shape()[d] as i64) {
                let what = format!("dimension {d} of {want} is given the size {}", size(d));
                return Err(broken(node, 3, &what));
            }
        }
        let (a, b) = (self.repeat(a, ty.shape())?, self.repeat(b, ty.shape())?);
        let normal = match node.attr(&["distribution", "rng_distribution"]) {
            Some(Attr::Word("NORMAL")) => true,
            Some(Attr::Word("UNIFORM")) => false,
            _ => return Err(Issue::Error(format!("{} is UNIFORM or NORMAL", node.name))),
        };
        let message = format!(
            "{} gives the same numbers every time, those of a fixed state; for other ones, pass random numbers or the \
             state of stablehlo.rng_bit_generator as an argument (as jax.random does)",
            node.name
        );
        self.sink.note(Severity::Warning, node.at, node.name, message);
        match (ty.dtype().class(), normal) {
            (DTypeClass::Float, normal) => self.random_floats(node, &ty, [a, b], normal),
            (DTypeClass::Signed | DTypeClass::Unsigned, false) => self.random_integers(&ty, [a, b]),
            (DTypeClass::Bool | DTypeClass::Complex | DTypeClass::Signed | DTypeClass::Unsigned, _) => {
                let what = format!("{} of {}", node.name, mlir_type(&ty));
                Err(Issue::Unsupported(what, "draw floats and compare or convert them"))
            }
        }
    }

    /// Random bits of a state that no other operation of the module draws from.
    fn random_bits(&mut self, ty: TensorType) -> Result<Value, Issue> {
        self.sink.draws += 1;
        let words = [GOLDEN.wrapping_mul(self.sink.draws), 0].map(|w: u64| w as i64);
        let state = Literal::from_i64s(TensorType::new(DType::U64, [2]), &words);
        let state = state.ok_or_else(|| Issue::Error("rng: no state".to_owned()))?;
        let state = self.b.constant(state);
        *self.total += 2;
        let op = Op::RngBitGenerator { algorithm: RngAlgorithm::ThreeFry, ty };
        Ok(self.b.push(op, &[state])?[1])
    }

    /// a + u (b - a) for u in [0, 1), or a + b z for a standard normal z.
    fn random_floats(
        &mut self,
        node: &Node<'a>,
        ty: &TensorType,
        [a, b]: [Value; 2],
        normal: bool,
    ) -> Result<Value, Issue> {
        let Some((digits, bits)) = fraction(ty.dtype()) else {
            let what = format!("{} of {}", node.name, mlir_type(ty));
            return Err(Issue::Unsupported(what, "draw f32 and convert it"));
        };
        let shape = ty.shape();
        let too_large = || Issue::Error(format!("rng of {} is too large", mlir_type(ty)));
        let drawn = TensorType::try_new(bits, shape.to_vec()).ok_or_else(too_large)?;
        let drawn = self.random_bits(drawn)?;
        // The fraction of a number in [1, 2).
        let shift = self.number(bits, f64::from(8 * bits.size() as u32 - digits));
        let shift = self.repeat(shift, shape)?;
        let drawn = self.binary(BinaryOp::ShiftRightLogical, drawn, shift)?;
        let one = self.number(ty.dtype(), 1.0);
        let one = self.repeat(one, shape)?;
        let exponent = self.add(Op::BitcastConvert { dtype: bits }, &[one])?;
        let drawn = self.binary(BinaryOp::Or, drawn, exponent)?;
        let drawn = self.add(Op::BitcastConvert { dtype: ty.dtype() }, &[drawn])?;
        let unit = self.binary(BinaryOp::Subtract, drawn, one)?;
        if !normal {
            let width = self.binary(BinaryOp::Subtract, b, a)?;
            let offset = self.binary(BinaryOp::Multiply, unit, width)?;
            let value = self.binary(BinaryOp::Add, a, offset)?;
            // Rounding may reach the end, which does not belong to the interval.
            let inside = self.compare(Comparison::Lt, value, b)?;
            return self.add(Op::Select, &[inside, value, a]);
        }
        // In the middle between the ends of (-1, 1), which have no finite image.
        let both = self.binary(BinaryOp::Add, unit, unit)?;
        let middle = self.number(ty.dtype(), 2f64.powi(-(digits as i32)) - 1.0);
        let middle = self.repeat(middle, shape)?;
        let both = self.binary(BinaryOp::Add, both, middle)?;
        let z = self.add(Op::Unary(UnaryOp::ErfInv), &[both])?;
        let root = self.number(ty.dtype(), std::f64::consts::SQRT_2);
        let root = self.repeat(root, shape)?;
        let z = self.binary(BinaryOp::Multiply, z, root)?;
        let z = self.binary(BinaryOp::Multiply, b, z)?;
        self.binary(BinaryOp::Add, a, z)
    }

    /// a + r mod (b - a), in 64 bits.
    fn random_integers(&mut self, ty: &TensorType, [a, b]: [Value; 2]) -> Result<Value, Issue> {
        let too_large = || Issue::Error(format!("rng of {} is too large", mlir_type(ty)));
        let drawn = TensorType::try_new(DType::U64, ty.shape().to_vec()).ok_or_else(too_large)?;
        let drawn = self.random_bits(drawn)?;
        let signed = ty.dtype().class() == DTypeClass::Signed;
        let wide = if signed { DType::I64 } else { DType::U64 };
        let (a, b) = (self.convert(a, wide)?, self.convert(b, wide)?);
        let mut width = self.binary(BinaryOp::Subtract, b, a)?;
        if signed {
            width = self.add(Op::BitcastConvert { dtype: DType::U64 }, &[width])?;
        }
        let mut offset = self.binary(BinaryOp::Remainder, drawn, width)?;
        if signed {
            offset = self.add(Op::BitcastConvert { dtype: DType::I64 }, &[offset])?;
        }
        let value = self.binary(BinaryOp::Add, a, offset)?;
        self.convert(value, ty.dtype())
    }
}
