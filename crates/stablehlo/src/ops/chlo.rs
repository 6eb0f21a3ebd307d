//! Which elementwise ops of the IR are CHLO's: StableHLO has none of that name.

use pullback_ir::{BinaryOp, UnaryOp};

/// Whether the op is CHLO's and StableHLO has none of that name.
pub(crate) fn is_chlo(op: UnaryOp) -> bool {
    match op {
        UnaryOp::Erf
        | UnaryOp::Erfc
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
        | UnaryOp::Sinh => true,
        UnaryOp::Abs
        | UnaryOp::Cbrt
        | UnaryOp::Ceil
        | UnaryOp::Cosine
        | UnaryOp::CountLeadingZeros
        | UnaryOp::Exponential
        | UnaryOp::ExponentialMinusOne
        | UnaryOp::Floor
        | UnaryOp::IsFinite
        | UnaryOp::Log
        | UnaryOp::LogPlusOne
        | UnaryOp::Logistic
        | UnaryOp::Negate
        | UnaryOp::Not
        | UnaryOp::Popcnt
        | UnaryOp::Real
        | UnaryOp::Imag
        | UnaryOp::RoundNearestAfz
        | UnaryOp::RoundNearestEven
        | UnaryOp::Rsqrt
        | UnaryOp::Sign
        | UnaryOp::Sine
        | UnaryOp::Sqrt
        | UnaryOp::Tan
        | UnaryOp::Tanh => false,
    }
}

/// Whether the op is CHLO's and StableHLO has none of that name.
pub(crate) fn is_chlo_binary(op: BinaryOp) -> bool {
    match op {
        BinaryOp::Mulhi | BinaryOp::NextAfter | BinaryOp::Polygamma | BinaryOp::Zeta => true,
        BinaryOp::Add
        | BinaryOp::And
        | BinaryOp::Atan2
        | BinaryOp::Complex
        | BinaryOp::Divide
        | BinaryOp::Maximum
        | BinaryOp::Minimum
        | BinaryOp::Multiply
        | BinaryOp::Or
        | BinaryOp::Power
        | BinaryOp::Remainder
        | BinaryOp::ShiftLeft
        | BinaryOp::ShiftRightArithmetic
        | BinaryOp::ShiftRightLogical
        | BinaryOp::Subtract
        | BinaryOp::Xor => false,
    }
}
