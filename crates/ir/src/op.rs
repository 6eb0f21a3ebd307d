//! The operations, in families, with StableHLO's names and attributes.
//!
//! An op holds what types it besides its operands (result shapes, dimension numbers). Where the IR departs
//! from StableHLO, it is to make meaning explicit: `reduce` has no init operand (the importer combines a
//! non-identity init separately), so that a reduction is a monoid over its elements and can be cut.

use crate::dtype::{DType, TensorType};
use crate::literal::Literal;
use crate::program::Program;

/// Declares a plain enum with a text name per variant and a list of all variants.
macro_rules! named_enum {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident => $text:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[allow(missing_docs)]
        pub enum $name { $($(#[$doc])* $variant),+ }
        impl $name {
            /// Every variant, in declaration order.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];
            /// Its name in texts.
            pub fn name(self) -> &'static str {
                match self { $($name::$variant => $text),+ }
            }
            /// The variant named so.
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($text => Some($name::$variant),)+ _ => None }
            }
        }
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

mod communicate;
pub(crate) mod composite;
mod custom;
mod lapack;
mod linalg;

pub use communicate::{Across, Communication, Groups};
pub use composite::{Composite, Rule};
pub use custom::{Assurance, Custom, CustomAccess, CustomFactor, CustomFactorKind};
pub use lapack::Lapack;
pub use linalg::{FftKind, Linalg, MatrixTranspose, RngAlgorithm};

named_enum! {
    /// Elementwise ops of one operand (StableHLO's, then CHLO's from erf on).
    UnaryOp {
        Abs => "abs", Cbrt => "cbrt", Ceil => "ceil", Cosine => "cosine",
        CountLeadingZeros => "count_leading_zeros", Exponential => "exponential",
        ExponentialMinusOne => "exponential_minus_one", Floor => "floor", IsFinite => "is_finite",
        Log => "log", LogPlusOne => "log_plus_one", Logistic => "logistic", Negate => "negate", Not => "not",
        Popcnt => "popcnt", RoundNearestAfz => "round_nearest_afz", RoundNearestEven => "round_nearest_even",
        Rsqrt => "rsqrt", Sign => "sign", Sine => "sine", Sqrt => "sqrt", Tan => "tan", Tanh => "tanh",
        Erf => "erf", Erfc => "erfc", Square => "square", Acos => "acos", Acosh => "acosh", Asin => "asin",
        Asinh => "asinh", Atan => "atan", Atanh => "atanh", Cosh => "cosh", Digamma => "digamma",
        ErfInv => "erf_inv", Lgamma => "lgamma", Sinh => "sinh", BesselI1e => "bessel_i1e",
        Real => "real", Imag => "imag",
    }
}

named_enum! {
    /// Elementwise ops of two operands of one type (StableHLO's, then CHLO's from mulhi on).
    BinaryOp {
        Add => "add", And => "and", Atan2 => "atan2", Divide => "divide", Maximum => "maximum",
        Minimum => "minimum", Multiply => "multiply", Or => "or", Power => "power", Remainder => "remainder",
        ShiftLeft => "shift_left", ShiftRightArithmetic => "shift_right_arithmetic",
        ShiftRightLogical => "shift_right_logical", Subtract => "subtract", Xor => "xor",
        Complex => "complex", Mulhi => "mulhi", NextAfter => "next_after", Polygamma => "polygamma", Zeta => "zeta",
    }
}

named_enum! {
    /// Direction of a comparison.
    Comparison { Eq => "EQ", Ne => "NE", Ge => "GE", Gt => "GT", Le => "LE", Lt => "LT" }
}

named_enum! {
    /// A commutative monoid that reductions and scatters combine with.
    Monoid { Add => "add", Multiply => "multiply", Maximum => "maximum", Minimum => "minimum", And => "and", Or => "or" }
}

impl Monoid {
    /// The elementwise op that combines two values.
    pub fn op(self) -> BinaryOp {
        match self {
            Monoid::Add => BinaryOp::Add,
            Monoid::Multiply => BinaryOp::Multiply,
            Monoid::Maximum => BinaryOp::Maximum,
            Monoid::Minimum => BinaryOp::Minimum,
            Monoid::And => BinaryOp::And,
            Monoid::Or => BinaryOp::Or,
        }
    }

    /// The identity as a literal of `ty`; `None` where the monoid has none (and/or of floats, max of complex).
    /// Adding starts from +0 (so an empty sum is +0).
    pub fn identity(self, ty: &TensorType) -> Option<Literal> {
        use crate::dtype::DTypeClass as C;
        let d = ty.dtype();
        let bits = |byte: u8| Literal::splat(ty.clone(), &vec![byte; d.size()]);
        let extreme = |lowest: bool| -> Option<Literal> {
            Some(match d.class() {
                C::Bool => Literal::splat_f64(ty.clone(), if lowest { 0.0 } else { 1.0 }),
                // Without infinities the extreme finite values are neutral instead.
                C::Float => Literal::splat_f64(ty.clone(), crate::literal::extreme(d, lowest)),
                C::Signed | C::Unsigned => {
                    if d == DType::U64 && !lowest {
                        return bits(0xff);
                    }
                    let v = if lowest { i64::MIN } else { i64::MAX };
                    Literal::splat(ty.clone(), &crate::literal::encode_i64(d, v))?
                }
                C::Complex => return None,
            })
        };
        match self {
            // One type has no zero.
            Monoid::Add if d == DType::F8E8M0FNU => None,
            Monoid::Add => (d != DType::Bool).then(|| Literal::splat_f64(ty.clone(), 0.0)),
            Monoid::Multiply => (d != DType::Bool).then(|| Literal::splat_f64(ty.clone(), 1.0)),
            Monoid::Maximum => extreme(true),
            Monoid::Minimum => extreme(false),
            Monoid::Or if d.is_integer() || d == DType::Bool => bits(0),
            Monoid::And if d == DType::Bool => Some(Literal::splat_f64(ty.clone(), 1.0)),
            Monoid::And if d == DType::U2 => Literal::splat(ty.clone(), &[3]),
            Monoid::And if d == DType::U4 => Literal::splat(ty.clone(), &[15]),
            Monoid::And if d.is_integer() => bits(0xff),
            Monoid::And | Monoid::Or => None,
        }
    }
}

/// Dimension numbers of `dot_general`. Result dimensions: batch, lhs free, rhs free.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[allow(missing_docs)]
pub struct DotDims {
    pub lhs_batch: Vec<usize>,
    pub rhs_batch: Vec<usize>,
    pub lhs_contract: Vec<usize>,
    pub rhs_contract: Vec<usize>,
}

impl DotDims {
    /// Dimensions of the lhs that are neither batching nor contracting, in order.
    pub fn lhs_free(&self, rank: usize) -> Vec<usize> {
        (0..rank).filter(|d| !self.lhs_batch.contains(d) && !self.lhs_contract.contains(d)).collect()
    }

    /// Dimensions of the rhs that are neither batching nor contracting, in order.
    pub fn rhs_free(&self, rank: usize) -> Vec<usize> {
        (0..rank).filter(|d| !self.rhs_batch.contains(d) && !self.rhs_contract.contains(d)).collect()
    }
}

/// Where the dimensions of a convolution's operands and result are.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub struct ConvDims {
    pub input_batch: usize,
    pub input_feature: usize,
    pub input_spatial: Vec<usize>,
    pub kernel_input_feature: usize,
    pub kernel_output_feature: usize,
    pub kernel_spatial: Vec<usize>,
    pub output_batch: usize,
    pub output_feature: usize,
    pub output_spatial: Vec<usize>,
    /// Per spatial dimension.
    pub strides: Vec<usize>,
    /// Per spatial dimension (low, high); negative crops.
    pub padding: Vec<(i64, i64)>,
    pub lhs_dilation: Vec<usize>,
    pub rhs_dilation: Vec<usize>,
    pub reversal: Vec<bool>,
    pub feature_group_count: usize,
    pub batch_group_count: usize,
}

/// Dimension numbers of `gather`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub struct GatherDims {
    pub offset_dims: Vec<usize>,
    pub collapsed_slice_dims: Vec<usize>,
    pub operand_batching_dims: Vec<usize>,
    pub start_indices_batching_dims: Vec<usize>,
    pub start_index_map: Vec<usize>,
    pub index_vector_dim: usize,
    pub slice_sizes: Vec<usize>,
    pub indices_are_sorted: bool,
}

/// Dimension numbers of `scatter` with one operand.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub struct ScatterDims {
    pub update_window_dims: Vec<usize>,
    pub inserted_window_dims: Vec<usize>,
    pub input_batching_dims: Vec<usize>,
    pub scatter_indices_batching_dims: Vec<usize>,
    pub scatter_dims_to_operand_dims: Vec<usize>,
    pub index_vector_dim: usize,
    pub indices_are_sorted: bool,
    pub unique_indices: bool,
}

/// A window that slides over every dimension of an operand; each list has an entry per dimension.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct WindowDims {
    /// Positions of the window.
    pub sizes: Vec<usize>,
    /// Distance between neighbouring windows.
    pub strides: Vec<usize>,
    /// Distance between neighbouring elements of the operand; between them is padding.
    pub base_dilations: Vec<usize>,
    /// Distance between neighbouring positions of the window.
    pub window_dilations: Vec<usize>,
    /// Padding (low, high); negative crops.
    pub padding: Vec<(i64, i64)>,
}

impl WindowDims {
    /// Whether the window is one element that visits each index of dimension `d` once, in order.
    pub fn passes(&self, d: usize) -> bool {
        (self.sizes[d], self.strides[d], self.base_dilations[d], self.padding[d]) == (1, 1, 1, (0, 0))
    }
}

/// An operation with its attributes. Results follow from it and the operand types ([`crate::infer`]).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Op {
    /// A literal. No operands.
    Constant(Literal),
    /// Index along `dim`. No operands.
    Iota {
        /// Result type.
        ty: TensorType,
        /// The dimension counted.
        dim: usize,
    },
    /// Elementwise, one operand. `is_finite` gives bool, all others the operand's type.
    Unary(UnaryOp),
    /// Elementwise, two operands of one type.
    Binary(BinaryOp),
    /// Elementwise comparison of two operands of one type; gives bool. With `total_order`, floats compare by
    /// IEEE totalOrder (NaN above +inf, -0 below +0).
    Compare {
        /// Which relation.
        direction: Comparison,
        /// TOTALORDER comparison of floats.
        total_order: bool,
    },
    /// pred, on_true, on_false; pred is bool of the same shape or rank 0.
    Select,
    /// min, operand, max; min and max of the operand's type or rank 0.
    Clamp,
    /// Element type conversion by value.
    Convert {
        /// Result element type.
        dtype: DType,
    },
    /// Operand dimension i becomes result dimension `dims[i]`; size-1 dimensions expand.
    BroadcastInDim {
        /// Result shape.
        shape: Vec<usize>,
        /// Result dimension of each operand dimension.
        dims: Vec<usize>,
    },
    /// The same elements in row-major order under another shape.
    Reshape {
        /// Result shape.
        shape: Vec<usize>,
    },
    /// Result dimension i is operand dimension `permutation[i]`.
    Transpose {
        /// Operand dimension of each result dimension.
        permutation: Vec<usize>,
    },
    /// Strided box.
    Slice {
        /// First index per dimension.
        starts: Vec<usize>,
        /// One past the last index per dimension.
        limits: Vec<usize>,
        /// Step per dimension, at least 1.
        strides: Vec<usize>,
    },
    /// Operands one after the other along `dim`.
    Concatenate {
        /// The dimension that grows.
        dim: usize,
    },
    /// operand, padding value (rank 0).
    Pad {
        /// Elements before, per dimension; negative crops.
        low: Vec<i64>,
        /// Elements after, per dimension; negative crops.
        high: Vec<i64>,
        /// Elements between neighbours, per dimension.
        interior: Vec<usize>,
    },
    /// Reverses the listed dimensions.
    Reverse {
        /// Which dimensions.
        dims: Vec<usize>,
    },
    /// Tensor contraction of lhs and rhs.
    DotGeneral(DotDims),
    /// Convolution of input and kernel.
    Convolution(Box<ConvDims>),
    /// Combines the elements along `dims` with a monoid; an empty reduction gives its identity.
    Reduce {
        /// Dimensions that vanish, increasing.
        dims: Vec<usize>,
        /// How elements combine.
        monoid: Monoid,
    },
    /// operand, start_indices.
    Gather(Box<GatherDims>),
    /// operand, scatter_indices, updates. `combiner` joins an update to what is there; `None` replaces it (the
    /// last update in row-major order wins). Updates out of range are dropped.
    Scatter {
        /// Dimension numbers.
        dims: Box<ScatterDims>,
        /// How an update joins.
        combiner: Option<Monoid>,
    },
    /// operand, one rank-0 integer start per dimension (clamped).
    DynamicSlice {
        /// Result shape.
        sizes: Vec<usize>,
    },
    /// operand, update, one rank-0 integer start per dimension (clamped).
    DynamicUpdateSlice,
    /// The same bits as another element type. A narrower one adds a last dimension (least significant part
    /// first), a wider one takes the last dimension away.
    BitcastConvert {
        /// Result element type.
        dtype: DType,
    },
    /// Rounds floats to fewer bits, kept in the same type.
    ReducePrecision {
        /// Bits of the exponent, at least 1.
        exponent_bits: u32,
        /// Bits of the mantissa without the leading one.
        mantissa_bits: u32,
    },
    /// Combines the elements under each place of a window with a monoid; padding does not take part, and a window
    /// without elements gives the identity.
    ReduceWindow {
        /// The window.
        window: Box<WindowDims>,
        /// How elements combine.
        monoid: Monoid,
    },
    /// operand, source: each source element goes to the place of the window's greatest (or least) element, the
    /// first of equals in row-major order; what meets at one place combines, what gets nothing is the identity.
    SelectAndScatter {
        /// The window; its dilations are 1.
        window: Box<WindowDims>,
        /// The least of equally good elements is chosen instead of the greatest.
        least: bool,
        /// How source elements combine.
        monoid: Monoid,
    },
    /// Keys, the first the most significant: the index along `dim` of the element that comes at each place when
    /// they are sorted stably, as i32. Floats are ordered with NaN above +inf.
    Argsort {
        /// The dimension sorted along.
        dim: usize,
        /// Greatest first; equal keys stay in order.
        descending: bool,
        /// IEEE totalOrder of floats: -0 below +0, and NaNs by sign and payload.
        total_order: bool,
    },
    /// Discrete Fourier transforms over the last dimensions, one for each length.
    Fft {
        /// Direction and element types.
        kind: FftKind,
        /// Elements of the last dimensions, as they are in time: one to three.
        lengths: Vec<usize>,
    },
    /// Factorisations and solutions of the matrices in the last two dimensions.
    Linalg(Linalg),
    /// A state of u64s gives the next state and pseudo-random bits.
    RngBitGenerator {
        /// How bits come of a state.
        algorithm: RngAlgorithm,
        /// Type of the bits: whole numbers.
        ty: TensorType,
    },
    /// What a program has to do with the other programs of its grid. Only the evaluator of several programs runs
    /// it: in a global program communication follows from layouts.
    Communicate(Box<Communication>),
    /// Carried values, then values captured by the regions. While `cond` of all operands holds, the carried ones
    /// are replaced by `body` of all operands; results are the carried values.
    While {
        /// Gives a rank-0 bool.
        cond: Box<Program>,
        /// Gives new carried values.
        body: Box<Program>,
    },
    /// A rank-0 i32 index, then values captured by the branches: the results of the branch of that number, of the
    /// last one where the index is out of range.
    Case {
        /// Programs of the same arguments and results.
        branches: Vec<Program>,
    },
    /// An operation that a program defines, with what is known of its derivative.
    Composite(Box<Composite>),
    /// An operator of somebody else, registered by name ([`crate::custom`]).
    Custom(Box<Custom>),
}

impl Op {
    /// The programs it runs; of a composite the body, then those of its rule.
    pub fn regions(&self) -> Vec<&Program> {
        match self {
            Op::While { cond, body } => vec![cond, body],
            Op::Case { branches } => branches.iter().collect(),
            Op::Composite(c) => c.programs(),
            Op::Constant(_)
            | Op::Iota { .. }
            | Op::Unary(_)
            | Op::Binary(_)
            | Op::Compare { .. }
            | Op::Select
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
            | Op::BitcastConvert { .. }
            | Op::ReducePrecision { .. }
            | Op::ReduceWindow { .. }
            | Op::SelectAndScatter { .. }
            | Op::Argsort { .. }
            | Op::Fft { .. }
            | Op::Linalg(_)
            | Op::RngBitGenerator { .. }
            | Op::Communicate(_)
            | Op::Custom(_) => Vec::new(),
        }
    }

    /// Whether other programs of a grid can tell that it ran: then it is neither left out nor merged with another.
    pub fn communicates(&self) -> bool {
        if let Op::Communicate(c) = self {
            return !matches!(**c, Communication::PartitionId | Communication::ReplicaId);
        }
        self.regions().iter().any(|r| r.instrs().values().any(|i| i.op().communicates()))
    }

    /// The op's name in texts, StableHLO's without the dialect.
    pub fn name(&self) -> &'static str {
        match self {
            Op::Constant(_) => "constant",
            Op::Iota { .. } => "iota",
            Op::Unary(u) => u.name(),
            Op::Binary(b) => b.name(),
            Op::Compare { .. } => "compare",
            Op::Select => "select",
            Op::Clamp => "clamp",
            Op::Convert { .. } => "convert",
            Op::BroadcastInDim { .. } => "broadcast_in_dim",
            Op::Reshape { .. } => "reshape",
            Op::Transpose { .. } => "transpose",
            Op::Slice { .. } => "slice",
            Op::Concatenate { .. } => "concatenate",
            Op::Pad { .. } => "pad",
            Op::Reverse { .. } => "reverse",
            Op::DotGeneral(_) => "dot_general",
            Op::Convolution(_) => "convolution",
            Op::Reduce { .. } => "reduce",
            Op::Gather(_) => "gather",
            Op::Scatter { .. } => "scatter",
            Op::DynamicSlice { .. } => "dynamic_slice",
            Op::DynamicUpdateSlice => "dynamic_update_slice",
            Op::BitcastConvert { .. } => "bitcast_convert",
            Op::ReducePrecision { .. } => "reduce_precision",
            Op::ReduceWindow { .. } => "reduce_window",
            Op::SelectAndScatter { .. } => "select_and_scatter",
            Op::Argsort { .. } => "argsort",
            Op::Fft { .. } => "fft",
            Op::Linalg(l) => l.name(),
            Op::RngBitGenerator { .. } => "rng_bit_generator",
            Op::Communicate(c) => c.name(),
            Op::While { .. } => "while",
            Op::Case { .. } => "case",
            Op::Composite(_) => "composite",
            Op::Custom(_) => "custom",
        }
    }
}
