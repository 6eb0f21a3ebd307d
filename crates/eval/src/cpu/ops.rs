//! Elementwise ops on tiles: which kernel computes an op for which element types, and running it.
//!
//! f16 and bf16 are computed through f32 by the caller ([`super::tile`]) where f32 has a vector kernel; what has none
//! is computed by [`super::scalars`], so whatever the reference supports runs here too.

use super::kernels::math::{
    Binary, Comparison, Unary, binary_f32, binary_f64, compare, is_finite_slice_f32, is_finite_slice_f64,
    map, select, unary_f32, unary_f64, zip_map,
};
use super::scalars;
use crate::buffer::{Element, Tensor};
use crate::error::Result;
use crate::reference;
use pullback_ir::{BinaryOp, DType, Op, TensorType, UnaryOp};

/// Element types with kernels of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Prim {
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    U64,
    F32,
    F64,
}

/// The kernel type of an element type; bool is apart.
pub(super) fn prim(dtype: DType) -> Option<Prim> {
    Some(match dtype {
        DType::I8 => Prim::I8,
        DType::I16 => Prim::I16,
        DType::I32 => Prim::I32,
        DType::I64 => Prim::I64,
        DType::U8 => Prim::U8,
        DType::U16 => Prim::U16,
        DType::U32 => Prim::U32,
        DType::U64 => Prim::U64,
        DType::F32 => Prim::F32,
        DType::F64 => Prim::F64,
        DType::Bool
        | DType::I2
        | DType::I4
        | DType::U2
        | DType::U4
        | DType::F8E4M3FN
        | DType::F8E5M2
        | DType::F4E2M1FN
        | DType::F6E2M3FN
        | DType::F6E3M2FN
        | DType::F8E3M4
        | DType::F8E4M3
        | DType::F8E4M3B11FNUZ
        | DType::F8E4M3FNUZ
        | DType::F8E5M2FNUZ
        | DType::F8E8M0FNU
        | DType::F16
        | DType::BF16
        | DType::C64
        | DType::C128 => return None,
    })
}

/// Calls a macro-like body with `$t` bound to the Rust type of a [`Prim`].
macro_rules! with_prim {
    ($p:expr, $t:ident => $body:expr) => {
        match $p {
            $crate::cpu::ops::Prim::I8 => {
                type $t = i8;
                $body
            }
            $crate::cpu::ops::Prim::I16 => {
                type $t = i16;
                $body
            }
            $crate::cpu::ops::Prim::I32 => {
                type $t = i32;
                $body
            }
            $crate::cpu::ops::Prim::I64 => {
                type $t = i64;
                $body
            }
            $crate::cpu::ops::Prim::U8 => {
                type $t = u8;
                $body
            }
            $crate::cpu::ops::Prim::U16 => {
                type $t = u16;
                $body
            }
            $crate::cpu::ops::Prim::U32 => {
                type $t = u32;
                $body
            }
            $crate::cpu::ops::Prim::U64 => {
                type $t = u64;
                $body
            }
            $crate::cpu::ops::Prim::F32 => {
                type $t = f32;
                $body
            }
            $crate::cpu::ops::Prim::F64 => {
                type $t = f64;
                $body
            }
        }
    };
}
pub(super) use with_prim;

/// Integer ops with vector kernels. Bool uses the bitwise ones on bytes 0 and 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum IntOp {
    Add,
    Subtract,
    Multiply,
    Maximum,
    Minimum,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRightLogical,
}

/// Types that conversions between have kernels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Num {
    Bool,
    I32,
    I64,
    U32,
    F16,
    BF16,
    F32,
    F64,
}

/// How a tile of results is computed from tiles of operands.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Kernel {
    UnaryF32(Unary),
    UnaryF64(Unary),
    BinaryF32(Binary),
    BinaryF64(Binary),
    FiniteF32,
    FiniteF64,
    Int(IntOp, Prim),
    Not,
    Compare(Comparison, Prim),
    CompareBytes(Comparison),
    /// Bytes per element.
    Select(usize),
    Convert(Num, Num),
    /// Any other op by its function of scalars: operand types, and the result type.
    Scalars(Op, Vec<DType>, DType),
}

fn unary_kernel(op: UnaryOp) -> Option<Unary> {
    Some(match op {
        UnaryOp::Abs => Unary::Abs,
        UnaryOp::Cbrt => Unary::Cbrt,
        UnaryOp::Ceil => Unary::Ceil,
        UnaryOp::Cosine => Unary::Cos,
        UnaryOp::Exponential => Unary::Exp,
        UnaryOp::ExponentialMinusOne => Unary::Expm1,
        UnaryOp::Floor => Unary::Floor,
        UnaryOp::Log => Unary::Log,
        UnaryOp::LogPlusOne => Unary::Log1p,
        UnaryOp::Logistic => Unary::Logistic,
        UnaryOp::Negate => Unary::Neg,
        UnaryOp::RoundNearestAfz => Unary::RoundNearestAfz,
        UnaryOp::RoundNearestEven => Unary::RoundNearestEven,
        UnaryOp::Rsqrt => Unary::Rsqrt,
        UnaryOp::Sign => Unary::Sign,
        UnaryOp::Sine => Unary::Sin,
        UnaryOp::Sqrt => Unary::Sqrt,
        UnaryOp::Tan => Unary::Tan,
        UnaryOp::Tanh => Unary::Tanh,
        UnaryOp::Erf => Unary::Erf,
        UnaryOp::Erfc => Unary::Erfc,
        UnaryOp::CountLeadingZeros
        | UnaryOp::IsFinite
        | UnaryOp::Not
        | UnaryOp::Popcnt
        | UnaryOp::Square
        | UnaryOp::Acos
        | UnaryOp::Acosh
        | UnaryOp::Asin
        | UnaryOp::Asinh
        | UnaryOp::Atan
        | UnaryOp::Atanh
        | UnaryOp::Cosh
        | UnaryOp::Digamma
        | UnaryOp::ErfInv
        | UnaryOp::Lgamma
        | UnaryOp::BesselI1e
        | UnaryOp::Real
        | UnaryOp::Imag
        | UnaryOp::Sinh => return None,
    })
}

fn binary_kernel(op: BinaryOp) -> Option<Binary> {
    Some(match op {
        BinaryOp::Add => Binary::Add,
        BinaryOp::Atan2 => Binary::Atan2,
        BinaryOp::Divide => Binary::Div,
        BinaryOp::Maximum => Binary::Max,
        BinaryOp::Minimum => Binary::Min,
        BinaryOp::Multiply => Binary::Mul,
        BinaryOp::Power => Binary::Pow,
        BinaryOp::Remainder => Binary::Rem,
        BinaryOp::Subtract => Binary::Sub,
        BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRightArithmetic
        | BinaryOp::ShiftRightLogical
        | BinaryOp::Xor
        | BinaryOp::Complex
        | BinaryOp::Mulhi
        | BinaryOp::NextAfter
        | BinaryOp::Polygamma
        | BinaryOp::Zeta => return None,
    })
}

fn int_kernel(op: BinaryOp, bool: bool) -> Option<IntOp> {
    Some(match op {
        BinaryOp::Add | BinaryOp::Maximum if bool => IntOp::Or,
        BinaryOp::Multiply | BinaryOp::Minimum if bool => IntOp::And,
        BinaryOp::Add => IntOp::Add,
        BinaryOp::Subtract => IntOp::Subtract,
        BinaryOp::Multiply => IntOp::Multiply,
        BinaryOp::Maximum => IntOp::Maximum,
        BinaryOp::Minimum => IntOp::Minimum,
        BinaryOp::And => IntOp::And,
        BinaryOp::Or => IntOp::Or,
        BinaryOp::Xor => IntOp::Xor,
        BinaryOp::ShiftLeft => IntOp::ShiftLeft,
        BinaryOp::ShiftRightLogical => IntOp::ShiftRightLogical,
        BinaryOp::Atan2
        | BinaryOp::Divide
        | BinaryOp::Power
        | BinaryOp::Remainder
        | BinaryOp::ShiftRightArithmetic
        | BinaryOp::Complex
        | BinaryOp::Mulhi
        | BinaryOp::NextAfter
        | BinaryOp::Polygamma
        | BinaryOp::Zeta => return None,
    })
}

fn direction(c: pullback_ir::Comparison) -> Comparison {
    match c {
        pullback_ir::Comparison::Eq => Comparison::Eq,
        pullback_ir::Comparison::Ne => Comparison::Ne,
        pullback_ir::Comparison::Ge => Comparison::Ge,
        pullback_ir::Comparison::Gt => Comparison::Gt,
        pullback_ir::Comparison::Le => Comparison::Le,
        pullback_ir::Comparison::Lt => Comparison::Lt,
    }
}

fn num(dtype: DType) -> Option<Num> {
    Some(match dtype {
        DType::Bool => Num::Bool,
        DType::I32 => Num::I32,
        DType::I64 => Num::I64,
        DType::U32 => Num::U32,
        DType::F16 => Num::F16,
        DType::BF16 => Num::BF16,
        DType::F32 => Num::F32,
        DType::F64 => Num::F64,
        DType::I2
        | DType::I4
        | DType::I8
        | DType::I16
        | DType::U2
        | DType::U4
        | DType::U8
        | DType::U16
        | DType::U64
        | DType::F8E4M3FN
        | DType::F8E5M2
        | DType::F4E2M1FN
        | DType::F6E2M3FN
        | DType::F6E3M2FN
        | DType::F8E3M4
        | DType::F8E4M3
        | DType::F8E4M3B11FNUZ
        | DType::F8E4M3FNUZ
        | DType::F8E5M2FNUZ
        | DType::F8E8M0FNU
        | DType::C64
        | DType::C128 => return None,
    })
}

/// The kernel of an elementwise op other than clamp; `ins` are the operands' element types. Errors where the
/// reference knows no such op either.
pub(super) fn kernel(op: &Op, ins: &[DType], out: DType) -> Result<Kernel> {
    let fast = match op {
        Op::Unary(u) => unary(*u, ins[0]),
        Op::Binary(b) => binary(*b, ins[0]),
        Op::Compare { direction: d, total_order } => match (ins[0], prim(ins[0])) {
            (DType::Bool, _) => Some(Kernel::CompareBytes(direction(*d))),
            (dtype, Some(p)) if !(*total_order && dtype.is_float()) => {
                Some(Kernel::Compare(direction(*d), p))
            }
            _ => None,
        },
        Op::Select => Some(Kernel::Select(out.size())),
        Op::Convert { dtype } => conversion(ins[0], *dtype),
        Op::Constant(_)
        | Op::Iota { .. }
        | Op::Clamp
        | Op::BroadcastInDim { .. }
        | Op::Reshape { .. }
        | Op::Transpose { .. }
        | Op::Slice { .. }
        | Op::Concatenate { .. }
        | Op::Pad { .. }
        | Op::Reverse { .. }
        | Op::DotGeneral(_)
        | Op::Convolution(_)
        | Op::Reduce { .. }
        | Op::Gather(_)
        | Op::Scatter { .. }
        | Op::DynamicSlice { .. }
        | Op::DynamicUpdateSlice
        | Op::BitcastConvert { .. }
        | Op::ReducePrecision { .. }
        | Op::ReduceWindow { .. }
        | Op::SelectAndScatter { .. }
        | Op::Argsort { .. }
        | Op::Fft { .. }
        | Op::Linalg(_)
        | Op::RngBitGenerator { .. }
        | Op::Communicate(_)
        | Op::While { .. }
        | Op::Case { .. }
        | Op::Composite(_)
        | Op::Custom(_) => None,
    };
    if let Some(k) = fast {
        return Ok(k);
    }
    // Tried once here, so that running it cannot fail.
    let ones: Vec<Tensor> = ins.iter().map(|&d| Tensor::zeros(TensorType::new(d, [1]))).collect();
    reference::eval_op(op, &ones.iter().collect::<Vec<_>>())?;
    Ok(Kernel::Scalars(op.clone(), ins.to_vec(), out))
}

/// Whether the op has a vector kernel on f32, through which f16 and bf16 are computed.
pub(super) fn through_f32(op: &Op) -> bool {
    if let Op::Unary(u) = op {
        return unary(*u, DType::F32).is_some();
    }
    if let Op::Binary(b) = op {
        return binary(*b, DType::F32).is_some();
    }
    matches!(op, Op::Compare { total_order: false, .. })
}

fn unary(op: UnaryOp, dtype: DType) -> Option<Kernel> {
    match (dtype, op) {
        (DType::F32, UnaryOp::IsFinite) => Some(Kernel::FiniteF32),
        (DType::F64, UnaryOp::IsFinite) => Some(Kernel::FiniteF64),
        (DType::F32, _) => unary_kernel(op).map(Kernel::UnaryF32),
        (DType::F64, _) => unary_kernel(op).map(Kernel::UnaryF64),
        (DType::Bool, UnaryOp::Not) => Some(Kernel::Not),
        _ => None,
    }
}

fn binary(op: BinaryOp, dtype: DType) -> Option<Kernel> {
    match (dtype, prim(dtype)) {
        (DType::F32, _) => binary_kernel(op).map(Kernel::BinaryF32),
        (DType::F64, _) => binary_kernel(op).map(Kernel::BinaryF64),
        (DType::Bool, _) => int_kernel(op, true).map(|k| Kernel::Int(k, Prim::U8)),
        (_, Some(p)) => int_kernel(op, false).map(|k| Kernel::Int(k, p)),
        _ => None,
    }
}

fn conversion(from: DType, to: DType) -> Option<Kernel> {
    let narrow = |n: Num| matches!(n, Num::F16 | Num::BF16);
    match (num(from)?, num(to)?) {
        // Narrow floats only from and to f32: a way through another type could round twice.
        (a, b) if (narrow(a) && b != Num::F32) || (narrow(b) && a != Num::F32) => None,
        (a, b) => Some(Kernel::Convert(a, b)),
    }
}

/// # Safety
/// `p` points to `len` readable elements that nothing writes meanwhile.
unsafe fn tile<'a, T>(p: *const u8, len: usize) -> &'a [T] {
    // SAFETY: promised by the caller.
    unsafe { std::slice::from_raw_parts(p.cast(), len) }
}

/// # Safety
/// `p` points to `len` writable elements that nothing else touches meanwhile.
unsafe fn tile_mut<'a, T>(p: *mut u8, len: usize) -> &'a mut [T] {
    // SAFETY: promised by the caller.
    unsafe { std::slice::from_raw_parts_mut(p.cast(), len) }
}

/// Computes `len` elements.
///
/// # Safety
/// Operand pointers are aligned and readable, `out` aligned and writable for `len` elements of the kernel's types;
/// `out` overlaps no operand.
pub(super) unsafe fn run(kernel: &Kernel, ins: [*const u8; 3], out: *mut u8, len: usize) {
    // SAFETY: promised by the caller, for every type the kernel names.
    unsafe {
        match kernel {
            Kernel::UnaryF32(f) => unary_f32(*f, tile(ins[0], len), tile_mut(out, len)),
            Kernel::UnaryF64(f) => unary_f64(*f, tile(ins[0], len), tile_mut(out, len)),
            Kernel::BinaryF32(f) => binary_f32(*f, tile(ins[0], len), tile(ins[1], len), tile_mut(out, len)),
            Kernel::BinaryF64(f) => binary_f64(*f, tile(ins[0], len), tile(ins[1], len), tile_mut(out, len)),
            Kernel::FiniteF32 => is_finite_slice_f32(tile(ins[0], len), tile_mut(out, len)),
            Kernel::FiniteF64 => is_finite_slice_f64(tile(ins[0], len), tile_mut(out, len)),
            Kernel::Int(op, p) => with_prim!(*p, T => {
                T::run(*op, tile(ins[0], len), tile(ins[1], len), tile_mut(out, len))
            }),
            Kernel::Not => map(tile::<u8>(ins[0], len), tile_mut::<u8>(out, len), |x| u8::from(x == 0)),
            Kernel::Compare(d, p) => with_prim!(*p, T => {
                compare::<T>(*d, tile(ins[0], len), tile(ins[1], len), tile_mut(out, len))
            }),
            Kernel::CompareBytes(d) => {
                compare::<u8>(*d, tile(ins[0], len), tile(ins[1], len), tile_mut(out, len));
            }
            Kernel::Select(size) => select_bytes(*size, ins, out, len),
            Kernel::Convert(from, to) => convert(*from, *to, ins[0], out, len),
            Kernel::Scalars(op, types, result) => scalars::run(op, types, *result, ins, out, len),
        }
    }
}

/// # Safety
/// As for [`run`].
unsafe fn select_bytes(size: usize, ins: [*const u8; 3], out: *mut u8, len: usize) {
    // SAFETY: promised by the caller.
    unsafe {
        let p = tile(ins[0], len);
        match size {
            1 => select::<u8>(p, tile(ins[1], len), tile(ins[2], len), tile_mut(out, len)),
            2 => select::<u16>(p, tile(ins[1], len), tile(ins[2], len), tile_mut(out, len)),
            4 => select::<u32>(p, tile(ins[1], len), tile(ins[2], len), tile_mut(out, len)),
            8 => select::<u64>(p, tile(ins[1], len), tile(ins[2], len), tile_mut(out, len)),
            _ => select::<[u64; 2]>(p, tile(ins[1], len), tile(ins[2], len), tile_mut(out, len)),
        }
    }
}

/// Integers, and bytes as bools: what [`Kernel::Int`] does.
trait IntTile: Element {
    fn run(op: IntOp, a: &[Self], b: &[Self], out: &mut [Self]);
}

macro_rules! int_tiles {
    ($($t:ty),+) => {$(
        impl IntTile for $t {
            fn run(op: IntOp, a: &[$t], b: &[$t], out: &mut [$t]) {
                const BITS: u32 = 8 * size_of::<$t>() as u32;
                match op {
                    IntOp::Add => zip_map(a, b, out, #[inline(always)] |a, b| a.wrapping_add(b)),
                    IntOp::Subtract => zip_map(a, b, out, #[inline(always)] |a, b| a.wrapping_sub(b)),
                    IntOp::Multiply => zip_map(a, b, out, #[inline(always)] |a, b| a.wrapping_mul(b)),
                    IntOp::Maximum => zip_map(a, b, out, #[inline(always)] |a: $t, b| a.max(b)),
                    IntOp::Minimum => zip_map(a, b, out, #[inline(always)] |a: $t, b| a.min(b)),
                    IntOp::And => zip_map(a, b, out, #[inline(always)] |a, b| a & b),
                    IntOp::Or => zip_map(a, b, out, #[inline(always)] |a, b| a | b),
                    IntOp::Xor => zip_map(a, b, out, #[inline(always)] |a, b| a ^ b),
                    IntOp::ShiftLeft => zip_map(a, b, out, #[inline(always)] |a, b| {
                        if (b as u64) < u64::from(BITS) { a << (b as u32 % BITS) } else { 0 }
                    }),
                    IntOp::ShiftRightLogical => zip_map(a, b, out, #[inline(always)] |a, b| {
                        let bits = a as u64 & (u64::MAX >> (64 - BITS));
                        if (b as u64) < u64::from(BITS) { (bits >> (b as u32 % BITS)) as $t } else { 0 }
                    }),
                }
            }
        }
    )+};
}
int_tiles!(i8, i16, i32, i64, u8, u16, u32, u64);

/// Never chosen: floats have kernels of their own.
macro_rules! no_int_tiles {
    ($($t:ty),+) => {$(
        impl IntTile for $t {
            fn run(_: IntOp, _: &[$t], _: &[$t], _: &mut [$t]) {
                unreachable!("integer kernels are chosen for integers only")
            }
        }
    )+};
}
no_int_tiles!(f32, f64);

/// # Safety
/// As for [`run`].
unsafe fn convert(from: Num, to: Num, x: *const u8, out: *mut u8, len: usize) {
    /// # Safety
    /// As for [`run`].
    unsafe fn each<A: Copy, B>(x: *const u8, out: *mut u8, len: usize, f: impl Fn(A) -> B) {
        // SAFETY: promised by the caller.
        unsafe { map(tile::<A>(x, len), tile_mut::<B>(out, len), f) }
    }
    macro_rules! to {
        ($a:ty, $widen:expr) => {
            match to {
                Num::Bool => each::<$a, u8>(
                    x,
                    out,
                    len,
                    #[inline(always)]
                    |v| u8::from(v != <$a>::default()),
                ),
                Num::I32 => each::<$a, i32>(
                    x,
                    out,
                    len,
                    #[inline(always)]
                    |v| $widen(v) as i32,
                ),
                Num::I64 => each::<$a, i64>(
                    x,
                    out,
                    len,
                    #[inline(always)]
                    |v| $widen(v) as i64,
                ),
                Num::U32 => each::<$a, u32>(
                    x,
                    out,
                    len,
                    #[inline(always)]
                    |v| $widen(v) as u32,
                ),
                Num::F32 => each::<$a, f32>(
                    x,
                    out,
                    len,
                    #[inline(always)]
                    |v| $widen(v) as f32,
                ),
                Num::F64 => each::<$a, f64>(
                    x,
                    out,
                    len,
                    #[inline(always)]
                    |v| $widen(v) as f64,
                ),
                Num::F16 => each::<$a, half::f16>(x, out, len, |v| half::f16::from_f32($widen(v) as f32)),
                Num::BF16 => each::<$a, half::bf16>(x, out, len, |v| half::bf16::from_f32($widen(v) as f32)),
            }
        };
    }
    // SAFETY: promised by the caller.
    unsafe {
        match from {
            Num::Bool => to!(u8, |v: u8| u8::from(v != 0)),
            Num::I32 => to!(i32, |v: i32| v),
            Num::I64 => to!(i64, |v: i64| v),
            Num::U32 => to!(u32, |v: u32| v),
            Num::F32 => to!(f32, |v: f32| v),
            Num::F64 => to!(f64, |v: f64| v),
            Num::F16 => to!(half::f16, half::f16::to_f32),
            Num::BF16 => to!(half::bf16, half::bf16::to_f32),
        }
    }
}
