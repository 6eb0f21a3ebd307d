//! Type inference: the result types of an op from its attributes and operand types.
//!
//! Every attribute is checked here, so that whatever passes may be trusted later (indices in range, no
//! overflow). Messages quote the offending numbers, and the number of the StableHLO specification's constraint that
//! is broken, where the op has it from there: `dot_general (C10): ...`.

mod communicate;
mod composite;
mod index;
mod lapack;
mod linalg;
mod linear;
mod region;
mod window;

use crate::dtype::{DType, DTypeClass, TensorType};
use crate::op::{BinaryOp, Monoid, Op, ScatterDims, UnaryOp};
use std::fmt;

/// An op that does not fit its operands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TypeError {
    /// Empty where it is not one op's.
    op: &'static str,
    constraint: Option<u8>,
    message: String,
}

impl TypeError {
    /// An error with this message.
    pub fn new(message: impl Into<String>) -> Self {
        Self::constraint(None, message)
    }

    /// A broken constraint of the StableHLO specification, by its number.
    pub fn constraint(number: impl Into<Option<u8>>, message: impl Into<String>) -> Self {
        Self { op: "", constraint: number.into(), message: message.into() }
    }

    /// The op that does not fit, if it is one op's error, and the number of the constraint it breaks.
    pub fn broken(&self) -> (&'static str, Option<u8>) {
        (self.op, self.constraint)
    }

    /// What is wrong, without the op's name.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for TypeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.op, self.constraint) {
            ("", _) => f.write_str(&self.message),
            (op, None) => write!(f, "{op}: {}", self.message),
            (op, Some(n)) => write!(f, "{op} (C{n}): {}", self.message),
        }
    }
}

impl std::error::Error for TypeError {}

type Result<T> = std::result::Result<T, TypeError>;

/// `Err` with a formatted message unless the condition holds.
macro_rules! ensure {
    ($cond:expr, $($fmt:tt)+) => {
        if !$cond {
            return Err($crate::infer::TypeError::new(format!($($fmt)+)));
        }
    };
}
pub(crate) use ensure;

/// `Err` with the number of StableHLO's constraint and a formatted message unless the condition holds.
macro_rules! constraint {
    ($number:expr, $cond:expr, $($fmt:tt)+) => {
        if !$cond {
            return Err($crate::infer::TypeError::constraint($number, format!($($fmt)+)));
        }
    };
}
use constraint;

/// Result types of `op` applied to operands of these types.
pub fn infer(op: &Op, operands: &[&TensorType]) -> Result<Vec<TensorType>> {
    let types = if let Op::While { cond, body } = op {
        region::while_loop(operands, cond, body)
    } else if let Op::Case { branches } = op {
        region::case(operands, branches)
    } else if let Op::Composite(c) = op {
        composite::composite(operands, c)
    } else if let Op::Custom(c) = op {
        composite::custom(operands, c)
    } else if let Op::Linalg(l) = op {
        linalg::linalg(l, operands)
    } else if let Op::Communicate(c) = op {
        communicate::communicate(c, operands)
    } else if let Op::RngBitGenerator { algorithm, ty } = op {
        args::<1>(operands).and_then(|[state]| linalg::rng_bit_generator(state, *algorithm, ty))
    } else {
        one(op, operands).map(|ty| vec![ty])
    };
    types.map_err(|e| TypeError { op: op.name(), ..e })
}

fn args<'a, const N: usize>(operands: &[&'a TensorType]) -> Result<[&'a TensorType; N]> {
    <[&TensorType; N]>::try_from(operands)
        .map_err(|_| TypeError::new(format!("takes {N} operand(s), got {}", operands.len())))
}

fn make(dtype: DType, shape: Vec<usize>) -> Result<TensorType> {
    if !TensorType::fits(dtype, &shape) {
        return Err(TypeError::new(format!("the result {dtype}{shape:?} is too large to address")));
    }
    Ok(TensorType::new(dtype, shape))
}

fn one(op: &Op, operands: &[&TensorType]) -> Result<TensorType> {
    match op {
        Op::Constant(l) => args::<0>(operands).map(|_| l.ty().clone()),
        Op::Iota { ty, dim } => {
            let [] = args(operands)?;
            constraint!(1, *dim < ty.rank(), "dimension {dim} of {ty} does not exist");
            ensure!(ty.dtype() != DType::Bool, "element type bool cannot count");
            Ok(ty.clone())
        }
        Op::Unary(u) => unary(*u, args::<1>(operands)?[0]),
        Op::Binary(b) => binary(*b, args(operands)?),
        Op::Compare { .. } => compare(args(operands)?),
        Op::Select => select(args(operands)?),
        Op::Clamp => clamp(args(operands)?),
        Op::Convert { dtype } => make(*dtype, args::<1>(operands)?[0].shape().to_vec()),
        Op::BroadcastInDim { shape, dims } => index::broadcast(args::<1>(operands)?[0], shape, dims),
        Op::Reshape { shape } => reshape(args::<1>(operands)?[0], shape),
        Op::Transpose { permutation } => index::transpose(args::<1>(operands)?[0], permutation),
        Op::Slice { starts, limits, strides } => {
            index::slice(args::<1>(operands)?[0], starts, limits, strides)
        }
        Op::Concatenate { dim } => index::concatenate(operands, *dim),
        Op::Pad { low, high, interior } => index::pad(args(operands)?, low, high, interior),
        Op::Reverse { dims } => {
            let [x] = args(operands)?;
            index::existing(dims, x, "dimensions", 3)?;
            index::distinct(dims, "dimensions", 2)?;
            Ok(x.clone())
        }
        Op::DotGeneral(d) => linear::dot(args(operands)?, d),
        Op::Convolution(c) => linear::convolution(args(operands)?, c),
        Op::Reduce { dims, monoid } => reduce(args::<1>(operands)?[0], dims, *monoid),
        Op::Gather(g) => index::gather(args(operands)?, g),
        Op::Scatter { dims, combiner } => scatter(args(operands)?, dims, *combiner),
        Op::DynamicSlice { sizes } => index::dynamic_slice(operands, sizes),
        Op::DynamicUpdateSlice => index::dynamic_update_slice(operands),
        Op::BitcastConvert { dtype } => index::bitcast(args::<1>(operands)?[0], *dtype),
        Op::ReducePrecision { exponent_bits, mantissa_bits } => {
            reduce_precision(args::<1>(operands)?[0], *exponent_bits, *mantissa_bits)
        }
        Op::ReduceWindow { window, monoid } => {
            let [x] = args(operands)?;
            has_identity(*monoid, x)?;
            window::reduce_window(x, window)
        }
        Op::SelectAndScatter { window, least: _, monoid } => {
            let [x, source] = args(operands)?;
            has_identity(*monoid, x)?;
            window::select_and_scatter(x, source, window)
        }
        Op::Argsort { dim, .. } => window::argsort(operands, *dim),
        Op::Fft { kind, lengths } => linalg::fft(args::<1>(operands)?[0], *kind, lengths),
        Op::While { .. }
        | Op::Case { .. }
        | Op::Composite(_)
        | Op::Custom(_)
        | Op::Linalg(_)
        | Op::RngBitGenerator { .. }
        | Op::Communicate(_) => Err(TypeError::new("has a list of results")),
    }
}

fn reshape(x: &TensorType, shape: &[usize]) -> Result<TensorType> {
    let ty = make(x.dtype(), shape.to_vec())?;
    constraint!(2, ty.count() == x.count(), "{x} has {} elements, {ty} has {}", x.count(), ty.count());
    Ok(ty)
}

fn scatter(xs: [&TensorType; 3], dims: &ScatterDims, combiner: Option<Monoid>) -> Result<TensorType> {
    let ty = index::scatter(xs, dims)?;
    if let Some(m) = combiner {
        has_identity(m, &ty)?;
    }
    Ok(ty)
}

fn reduce(x: &TensorType, dims: &[usize], monoid: Monoid) -> Result<TensorType> {
    index::existing(dims, x, "dimensions", 4)?;
    index::distinct(dims, "dimensions", 5)?;
    ensure!(dims.is_sorted(), "dimensions {dims:?} are not increasing");
    let shape = (0..x.rank()).filter(|d| !dims.contains(d)).map(|d| x.shape()[d]).collect();
    has_identity(monoid, x)?;
    make(x.dtype(), shape)
}

fn compare([x, y]: [&TensorType; 2]) -> Result<TensorType> {
    constraint!(1, x.dtype() == y.dtype(), "element types of {x} and {y} differ");
    constraint!(2, x.shape() == y.shape(), "shapes of {x} and {y} differ");
    Ok(x.with_dtype(DType::Bool))
}

fn clamp([lo, x, hi]: [&TensorType; 3]) -> Result<TensorType> {
    for (number, b) in [(1, lo), (2, hi)] {
        let fits = b.rank() == 0 || b.shape() == x.shape();
        constraint!(number, fits, "the shape of the bound {b} does not fit {x}");
        constraint!(3, b.dtype() == x.dtype(), "element types of the bound {b} and {x} differ");
    }
    ensure!(x.dtype().class() != DTypeClass::Complex, "complex numbers have no order");
    Ok(x.clone())
}

fn select([p, x, y]: [&TensorType; 3]) -> Result<TensorType> {
    constraint!(2, x == y, "branches differ: {x} and {y}");
    ensure!(p.dtype() == DType::Bool, "the predicate is {p}, not bool");
    constraint!(1, p.rank() == 0 || p.shape() == x.shape(), "predicate {p} does not fit {x}");
    Ok(x.clone())
}

fn reduce_precision(x: &TensorType, exponent_bits: u32, mantissa_bits: u32) -> Result<TensorType> {
    ensure!(x.dtype().is_float(), "is not defined on {x}");
    constraint!(2, exponent_bits >= 1, "exponent_bits is 0, not 1 to 11");
    ensure!(exponent_bits <= 11, "exponent_bits is {exponent_bits}, not 1 to 11");
    ensure!(mantissa_bits <= 52, "mantissa_bits is {mantissa_bits}, not 0 to 52");
    Ok(x.clone())
}

fn has_identity(monoid: Monoid, x: &TensorType) -> Result<()> {
    let has = monoid.identity(&TensorType::scalar(x.dtype())).is_some();
    ensure!(has, "{monoid} has no identity on {}", x.dtype());
    Ok(())
}

fn unary(op: UnaryOp, x: &TensorType) -> Result<TensorType> {
    use DTypeClass as C;
    let class = x.dtype().class();
    let ok = match op {
        UnaryOp::Abs | UnaryOp::Sign => matches!(class, C::Signed | C::Float | C::Complex),
        UnaryOp::Real | UnaryOp::Imag => matches!(class, C::Float | C::Complex),
        UnaryOp::Negate | UnaryOp::Square => class != C::Bool,
        UnaryOp::Not => matches!(class, C::Bool | C::Signed | C::Unsigned),
        UnaryOp::CountLeadingZeros | UnaryOp::Popcnt => matches!(class, C::Signed | C::Unsigned),
        UnaryOp::Ceil
        | UnaryOp::Floor
        | UnaryOp::IsFinite
        | UnaryOp::RoundNearestAfz
        | UnaryOp::RoundNearestEven
        | UnaryOp::Erf
        | UnaryOp::Erfc
        | UnaryOp::Digamma
        | UnaryOp::ErfInv
        | UnaryOp::Lgamma
        | UnaryOp::BesselI1e => class == C::Float,
        UnaryOp::Acos
        | UnaryOp::Acosh
        | UnaryOp::Asin
        | UnaryOp::Asinh
        | UnaryOp::Atan
        | UnaryOp::Atanh
        | UnaryOp::Cosh
        | UnaryOp::Sinh
        | UnaryOp::Cbrt
        | UnaryOp::Cosine
        | UnaryOp::Exponential
        | UnaryOp::ExponentialMinusOne
        | UnaryOp::Log
        | UnaryOp::LogPlusOne
        | UnaryOp::Logistic
        | UnaryOp::Rsqrt
        | UnaryOp::Sine
        | UnaryOp::Sqrt
        | UnaryOp::Tan
        | UnaryOp::Tanh => matches!(class, C::Float | C::Complex),
    };
    ensure!(ok, "is not defined on {x}");
    let gives_part = matches!(op, UnaryOp::Abs | UnaryOp::Real | UnaryOp::Imag);
    Ok(match op == UnaryOp::IsFinite {
        true => x.with_dtype(DType::Bool),
        false if gives_part => x.with_dtype(x.dtype().part()),
        false => x.clone(),
    })
}

fn binary(op: BinaryOp, [x, y]: [&TensorType; 2]) -> Result<TensorType> {
    use DTypeClass as C;
    let class = x.dtype().class();
    // CHLO's ops have no numbered constraints.
    let mut number = Some(1);
    let ok = match op {
        BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => matches!(class, C::Bool | C::Signed | C::Unsigned),
        BinaryOp::ShiftLeft | BinaryOp::ShiftRightArithmetic | BinaryOp::ShiftRightLogical => {
            matches!(class, C::Signed | C::Unsigned)
        }
        BinaryOp::Atan2 => matches!(class, C::Float | C::Complex),
        // On bool add and maximum are or, multiply and minimum and; complex numbers have the order of pairs.
        BinaryOp::Add | BinaryOp::Multiply | BinaryOp::Maximum | BinaryOp::Minimum => true,
        BinaryOp::Divide | BinaryOp::Power | BinaryOp::Remainder | BinaryOp::Subtract => class != C::Bool,
        BinaryOp::Complex => x.dtype().complex().is_some(),
        BinaryOp::Mulhi => {
            number = None;
            matches!(class, C::Signed | C::Unsigned)
        }
        BinaryOp::NextAfter | BinaryOp::Polygamma | BinaryOp::Zeta => {
            number = None;
            class == C::Float
        }
    };
    constraint!(number, x == y, "operands differ: {x} and {y}");
    ensure!(ok, "is not defined on {x}");
    let complex = if op == BinaryOp::Complex { x.dtype().complex() } else { None };
    Ok(complex.map_or_else(|| x.clone(), |c| x.with_dtype(c)))
}
