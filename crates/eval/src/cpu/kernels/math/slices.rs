//! The elementwise functions over whole slices: one dispatch per call, vectorized loops inside.
//!
//! What must hold: element i of the result depends on element i of the operands only, with the bits of the scalar
//! function. Slices of one call have one length (else it panics).
//!
//! What it does not do: no broadcasting, no threads; callers cut work into blocks that stay in cache.

use super::super::dispatch::vectorized;
use super::*;

/// Functions of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Unary {
    Abs,
    Cbrt,
    Ceil,
    Cos,
    Erf,
    Erfc,
    Exp,
    Expm1,
    Floor,
    Log,
    Log1p,
    Logistic,
    Neg,
    RoundNearestAfz,
    RoundNearestEven,
    Rsqrt,
    Sign,
    Sin,
    Sqrt,
    Tan,
    Tanh,
}

impl Unary {
    /// All functions, in order.
    pub const ALL: [Unary; 21] = [
        Unary::Abs,
        Unary::Cbrt,
        Unary::Ceil,
        Unary::Cos,
        Unary::Erf,
        Unary::Erfc,
        Unary::Exp,
        Unary::Expm1,
        Unary::Floor,
        Unary::Log,
        Unary::Log1p,
        Unary::Logistic,
        Unary::Neg,
        Unary::RoundNearestAfz,
        Unary::RoundNearestEven,
        Unary::Rsqrt,
        Unary::Sign,
        Unary::Sin,
        Unary::Sqrt,
        Unary::Tan,
        Unary::Tanh,
    ];
}

/// Functions of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Binary {
    Add,
    Atan2,
    Div,
    Max,
    Min,
    Mul,
    Pow,
    Rem,
    Sub,
}

impl Binary {
    /// All functions, in order.
    pub const ALL: [Binary; 9] = [
        Binary::Add,
        Binary::Atan2,
        Binary::Div,
        Binary::Max,
        Binary::Min,
        Binary::Mul,
        Binary::Pow,
        Binary::Rem,
        Binary::Sub,
    ];
}

/// Directions of a comparison; all but `Ne` are false where an operand is NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Comparison {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// `out[i] = f(x[i])`, vectorized where `f` can be.
#[inline(always)]
pub fn map<T: Copy, U>(x: &[T], out: &mut [U], f: impl Fn(T) -> U) {
    assert_eq!(x.len(), out.len(), "elementwise operands of different length");
    vectorized(
        #[inline(always)]
        move || {
            for (y, &x) in out.iter_mut().zip(x) {
                *y = f(x);
            }
        },
    )
}

/// `x[i] = f(x[i])`, vectorized where `f` can be.
#[inline(always)]
pub fn map_in_place<T: Copy>(x: &mut [T], f: impl Fn(T) -> T) {
    vectorized(
        #[inline(always)]
        move || {
            for x in x {
                *x = f(*x);
            }
        },
    )
}

/// `out[i] = f(a[i], b[i])`, vectorized where `f` can be.
#[inline(always)]
pub fn zip_map<A: Copy, B: Copy, U>(a: &[A], b: &[B], out: &mut [U], f: impl Fn(A, B) -> U) {
    assert_eq!(a.len(), out.len(), "elementwise operands of different length");
    assert_eq!(b.len(), out.len(), "elementwise operands of different length");
    vectorized(
        #[inline(always)]
        move || {
            for ((y, &a), &b) in out.iter_mut().zip(a).zip(b) {
                *y = f(a, b);
            }
        },
    )
}

/// `out[i] = if predicate[i] != 0 { a[i] } else { b[i] }`, for any element type.
pub fn select<T: Copy>(predicate: &[u8], a: &[T], b: &[T], out: &mut [T]) {
    assert_eq!(predicate.len(), out.len(), "elementwise operands of different length");
    assert_eq!(a.len(), out.len(), "elementwise operands of different length");
    assert_eq!(b.len(), out.len(), "elementwise operands of different length");
    vectorized(
        #[inline(always)]
        move || {
            for (((y, &p), &a), &b) in out.iter_mut().zip(predicate).zip(a).zip(b) {
                *y = if p != 0 { a } else { b };
            }
        },
    )
}

/// `out[i]` = 1 if `a[i] ◇ b[i]`, else 0, for any ordered element type.
pub fn compare<T: Copy + PartialOrd>(direction: Comparison, a: &[T], b: &[T], out: &mut [u8]) {
    match direction {
        Comparison::Eq => zip_map(
            a,
            b,
            out,
            #[inline(always)]
            |a, b| u8::from(a == b),
        ),
        Comparison::Ne => zip_map(
            a,
            b,
            out,
            #[inline(always)]
            |a, b| u8::from(a != b),
        ),
        Comparison::Lt => zip_map(
            a,
            b,
            out,
            #[inline(always)]
            |a, b| u8::from(a < b),
        ),
        Comparison::Le => zip_map(
            a,
            b,
            out,
            #[inline(always)]
            |a, b| u8::from(a <= b),
        ),
        Comparison::Gt => zip_map(
            a,
            b,
            out,
            #[inline(always)]
            |a, b| u8::from(a > b),
        ),
        Comparison::Ge => zip_map(
            a,
            b,
            out,
            #[inline(always)]
            |a, b| u8::from(a >= b),
        ),
    }
}

macro_rules! slices {
    ($t:ty, $unary:ident, $binary:ident, $is_finite:ident, $finite:ident;
     $abs:ident $cbrt:ident $ceil:ident $cos:ident $erf:ident $erfc:ident $exp:ident $expm1:ident $floor:ident
     $log:ident $log1p:ident $logistic:ident $neg:ident $rafz:ident $rne:ident $rsqrt:ident $sign:ident $sin:ident
     $sqrt:ident $tan:ident $tanh:ident;
     $add:ident $atan2:ident $div:ident $max:ident $min:ident $mul:ident $pow:ident $rem:ident $sub:ident) => {
        /// `out[i] = op(x[i])`.
        pub fn $unary(op: Unary, x: &[$t], out: &mut [$t]) {
            match op {
                Unary::Abs => map(x, out, $abs),
                Unary::Cbrt => map(x, out, $cbrt),
                Unary::Ceil => map(x, out, $ceil),
                Unary::Cos => map(x, out, $cos),
                Unary::Erf => map(x, out, $erf),
                Unary::Erfc => map(x, out, $erfc),
                Unary::Exp => map(x, out, $exp),
                Unary::Expm1 => map(x, out, $expm1),
                Unary::Floor => map(x, out, $floor),
                Unary::Log => map(x, out, $log),
                Unary::Log1p => map(x, out, $log1p),
                Unary::Logistic => map(x, out, $logistic),
                Unary::Neg => map(x, out, $neg),
                Unary::RoundNearestAfz => map(x, out, $rafz),
                Unary::RoundNearestEven => map(x, out, $rne),
                Unary::Rsqrt => map(x, out, $rsqrt),
                Unary::Sign => map(x, out, $sign),
                Unary::Sin => map(x, out, $sin),
                Unary::Sqrt => map(x, out, $sqrt),
                Unary::Tan => map(x, out, $tan),
                Unary::Tanh => map(x, out, $tanh),
            }
        }

        /// `out[i] = op(a[i], b[i])`.
        pub fn $binary(op: Binary, a: &[$t], b: &[$t], out: &mut [$t]) {
            match op {
                Binary::Add => zip_map(a, b, out, $add),
                Binary::Atan2 => zip_map(a, b, out, $atan2),
                Binary::Div => zip_map(a, b, out, $div),
                Binary::Max => zip_map(a, b, out, $max),
                Binary::Min => zip_map(a, b, out, $min),
                Binary::Mul => zip_map(a, b, out, $mul),
                Binary::Pow => zip_map(a, b, out, $pow),
                Binary::Rem => zip_map(a, b, out, $rem),
                Binary::Sub => zip_map(a, b, out, $sub),
            }
        }

        /// `out[i]` = 1 if `x[i]` is neither infinite nor NaN, else 0.
        pub fn $is_finite(x: &[$t], out: &mut [u8]) {
            map(
                x,
                out,
                #[inline(always)]
                |x| u8::from($finite(x)),
            )
        }
    };
}

slices!(f32, unary_f32, binary_f32, is_finite_slice_f32, is_finite_f32;
    abs_f32 cbrt_f32 ceil_f32 cos_f32 erf_f32 erfc_f32 exp_f32 expm1_f32 floor_f32 log_f32 log1p_f32 logistic_f32
    neg_f32 round_nearest_afz_f32 round_nearest_even_f32 rsqrt_f32 sign_f32 sin_f32 sqrt_f32 tan_f32 tanh_f32;
    add_f32 atan2_f32 div_f32 max_f32 min_f32 mul_f32 pow_f32 rem_f32 sub_f32);
slices!(f64, unary_f64, binary_f64, is_finite_slice_f64, is_finite_f64;
    abs_f64 cbrt_f64 ceil_f64 cos_f64 erf_f64 erfc_f64 exp_f64 expm1_f64 floor_f64 log_f64 log1p_f64 logistic_f64
    neg_f64 round_nearest_afz_f64 round_nearest_even_f64 rsqrt_f64 sign_f64 sin_f64 sqrt_f64 tan_f64 tanh_f64;
    add_f64 atan2_f64 div_f64 max_f64 min_f64 mul_f64 pow_f64 rem_f64 sub_f64);
