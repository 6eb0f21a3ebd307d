//! How often each op can be differentiated.
//!
//! A rule made of ops that have rules can be differentiated any number of times; this table says where that ends. It
//! must agree with what `linearize` does, which names the op it stops at (tests: `tests/it/pairing.rs`).

use pullback_ir::{BinaryOp, Composite, Lapack, Linalg, Monoid, Op, Program, Rule, UnaryOp, Value};

/// How often an op can be differentiated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// Any number of times.
    Unlimited,
    /// So many times; past that the rule's own ops have no derivative.
    Times(u32),
    /// Its derivative is zero wherever it has one, at every order.
    Flat,
    /// Not at all.
    None,
}

/// How often `op` can be differentiated by its floating-point operands (of polygamma and zeta, by the second; of
/// select_and_scatter, by the source; of `lapack_geev`, the eigenvalues). Of loops and choices, that of the least deep op
/// within them that takes and gives floating-point values; it may be that no tangent reaches it.
pub fn depth(op: &Op) -> Depth {
    match op {
        Op::Unary(u) => unary(*u),
        Op::Binary(b) => binary(*b),
        Op::Constant(_)
        | Op::Iota { .. }
        | Op::Compare { .. }
        | Op::Argsort { .. }
        | Op::RngBitGenerator { .. }
        | Op::Reduce { monoid: Monoid::And | Monoid::Or, .. }
        | Op::ReduceWindow { monoid: Monoid::And | Monoid::Or, .. }
        | Op::Scatter { combiner: Some(Monoid::And | Monoid::Or), .. } => Depth::Flat,
        Op::Convert { dtype } if !dtype.is_differentiable() => Depth::Flat,
        Op::Select
        | Op::Clamp
        | Op::Convert { .. }
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
        | Op::ReducePrecision { .. }
        | Op::ReduceWindow { .. }
        | Op::SelectAndScatter { monoid: Monoid::Add, .. }
        | Op::Fft { .. }
        | Op::Linalg(Linalg::Cholesky { .. } | Linalg::TriangularSolve { .. }) => Depth::Unlimited,
        Op::Linalg(Linalg::Lapack(l)) => lapack(*l),
        Op::SelectAndScatter { .. } | Op::BitcastConvert { .. } | Op::Communicate(_) => Depth::None,
        Op::While { body, .. } => within(std::slice::from_ref(&**body)),
        Op::Case { branches } => within(branches),
        Op::Composite(c) => composite(c),
        Op::Custom(c) if c.depth == 0 => Depth::None,
        Op::Custom(c) => Depth::Times(c.depth),
    }
}

/// By its rule: what a rule's programs are made of is differentiated when it is differentiated again.
fn composite(c: &Composite) -> Depth {
    match &c.rule {
        Rule::StopGradient => Depth::Flat,
        Rule::Decompose | Rule::Remat => within(std::slice::from_ref(&c.body)),
        Rule::CustomVjp { .. } | Rule::CustomJvp { .. } => Depth::Unlimited,
        Rule::Transpose { .. } => Depth::None,
    }
}

/// The least of the depths in programs; an op that is flat does not limit them.
fn within(programs: &[Program]) -> Depth {
    let mut least = Depth::Unlimited;
    for program in programs {
        let float = |vs: &[Value]| vs.iter().any(|&v| program.ty(v).dtype().is_differentiable());
        for instr in program.instrs().values().filter(|i| float(i.operands()) && float(i.results())) {
            least = match (least, depth(instr.op())) {
                (Depth::None, _) | (_, Depth::None) => Depth::None,
                (Depth::Times(n), Depth::Times(m)) => Depth::Times(n.min(m)),
                (least, Depth::Unlimited | Depth::Flat) => least,
                (_, times) => times,
            };
        }
    }
    least
}

fn unary(op: UnaryOp) -> Depth {
    use UnaryOp as U;
    match op {
        U::Ceil
        | U::Floor
        | U::RoundNearestAfz
        | U::RoundNearestEven
        | U::CountLeadingZeros
        | U::IsFinite
        | U::Not
        | U::Popcnt => Depth::Flat,
        // Of complex numbers the sign turns with the number.
        U::Sign
        | U::Abs
        | U::Cbrt
        | U::Cosine
        | U::Exponential
        | U::ExponentialMinusOne
        | U::Log
        | U::LogPlusOne
        | U::Logistic
        | U::Negate
        | U::Rsqrt
        | U::Sine
        | U::Sqrt
        | U::Tan
        | U::Tanh
        | U::Erf
        | U::Erfc
        | U::Square
        | U::Acos
        | U::Acosh
        | U::Asin
        | U::Asinh
        | U::Atan
        | U::Atanh
        | U::Cosh
        | U::Digamma
        | U::ErfInv
        | U::Lgamma
        | U::Sinh
        | U::BesselI1e
        | U::Real
        | U::Imag => Depth::Unlimited,
    }
}

fn binary(op: BinaryOp) -> Depth {
    use BinaryOp as B;
    match op {
        B::And
        | B::Or
        | B::Xor
        | B::ShiftLeft
        | B::ShiftRightArithmetic
        | B::ShiftRightLogical
        | B::Mulhi
        | B::NextAfter => Depth::Flat,
        B::Add
        | B::Atan2
        | B::Divide
        | B::Maximum
        | B::Minimum
        | B::Multiply
        | B::Power
        | B::Remainder
        | B::Subtract
        | B::Complex
        | B::Polygamma
        | B::Zeta => Depth::Unlimited,
    }
}

fn lapack(op: Lapack) -> Depth {
    match op {
        Lapack::Geqrf
        | Lapack::Geqp3
        | Lapack::Orgqr
        | Lapack::Getrf
        | Lapack::Potrf { .. }
        | Lapack::Syevd { .. }
        | Lapack::Gesdd { .. }
        | Lapack::Gtsv
        | Lapack::TridiagonalSolvePerturbed => Depth::Unlimited,
        // Its rule reads eigenvectors, which have none.
        Lapack::Geev { .. } => Depth::Times(1),
        Lapack::Ormqr { .. } | Lapack::Sytrd { .. } | Lapack::Gees { .. } | Lapack::Gehrd { .. } => {
            Depth::None
        }
    }
}
