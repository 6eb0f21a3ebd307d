//! What can stop a differentiation, said so that a person can act on it.
//!
//! One enum for the crate's border. It does not print programs; values are named as the person wrote them.

use pullback_ir::{Instr, Program, TensorType, TypeError};
use std::fmt;

/// How many of the loops and branches around a place are named.
const MOST_LEVELS: usize = 3;

/// Why a program could not be differentiated or a linear program not transposed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AdError {
    /// `wrt` names an argument the program does not have.
    NoArgument {
        /// The index asked for.
        index: usize,
        /// How many arguments there are.
        count: usize,
    },
    /// `wrt` lists an argument twice.
    RepeatedArgument {
        /// The argument's index.
        index: usize,
        /// Its name.
        name: String,
    },
    /// `wrt` names an argument whose element type has no cotangents.
    NotDifferentiable {
        /// The argument's index.
        index: usize,
        /// Its name.
        name: String,
        /// Its type.
        ty: TensorType,
    },
    /// A gradient was asked of a program without results.
    NoLoss,
    /// A gradient was asked of a program whose first result is not a rank-0 float.
    LossNotScalar {
        /// The first result.
        at: String,
        /// Its type.
        ty: TensorType,
    },
    /// An op on the path from an argument to a result has no derivative rule.
    Unsupported {
        /// The op, with what makes it special.
        what: String,
        /// The value it defines.
        at: String,
        /// What to do instead.
        help: String,
    },
    /// Forward mode meets a rule that is known in reverse only.
    ReverseOnly {
        /// The rule's name.
        name: String,
        /// The value it defines.
        at: String,
    },
    /// A program given to `transpose` is not linear in its tangents.
    NotLinear {
        /// The op.
        op: &'static str,
        /// The value it defines.
        at: String,
        /// Which operand is at fault and why.
        why: String,
    },
    /// A linear program claims more residuals than it has arguments.
    TooManyResiduals {
        /// Residuals claimed.
        residuals: usize,
        /// Arguments there are.
        count: usize,
    },
    /// Reverse mode through a loop of which it is not known how many turns it may take.
    Unbounded {
        /// The value it defines.
        at: String,
    },
    /// What a loop keeps for reverse mode is more than it may be.
    LoopMemory {
        /// The value it defines.
        at: String,
        /// The least bytes it takes.
        needs: u64,
        /// The bytes it may take.
        limit: u64,
    },
    /// A dense derivative was asked along complex coordinates, where one number is not enough.
    NotReal {
        /// The composition: `jacfwd`, `jacrev`, `hessian`.
        mode: &'static str,
        /// The argument or result.
        what: String,
        /// Its type.
        ty: TensorType,
    },
    /// A dense derivative needs an op repeated for every coordinate, more often than it is done.
    NotBatched {
        /// The composition.
        mode: &'static str,
        /// Coordinates there are.
        count: usize,
        /// Which op has no batched form and why.
        why: String,
    },
    /// The derivative of an op could not be typed (sizes or numbers of dimensions beyond what there can be).
    Untyped {
        /// The op.
        op: &'static str,
        /// The value it defines.
        at: String,
        /// What is wrong.
        why: TypeError,
    },
    /// A derivative could not be typed (sizes beyond what can be addressed).
    Type(TypeError),
}

impl AdError {
    /// What dense derivatives refuse.
    fn fmt_dense(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let AdError::NotReal { mode, what, ty } = self {
            write!(
                f,
                "unsupported: {mode} along {what}: it is {ty}, and a complex coordinate has two directions; use jvp \
                 or vjp, whose conventions for complex numbers are stated, or split it into real and imaginary part"
            )
        } else if let AdError::NotBatched { mode, count, why } = self {
            write!(
                f,
                "unsupported: {mode} over {count} coordinates: {why}; use jvp, vjp or hvp along the directions that \
                 matter, or fewer coordinates"
            )
        } else {
            Ok(())
        }
    }

    /// The same, about an instruction where it is about none yet.
    pub(crate) fn about(self, program: &Program, instr: &Instr) -> Self {
        let AdError::Type(why) = self else { return self };
        AdError::Untyped { op: instr.op().name(), at: program.display_name(instr.result()), why }
    }

    /// The same, with what the place is in: the body of a loop, a branch.
    pub(crate) fn within(mut self, outer: &str) -> Self {
        match &mut self {
            AdError::Unsupported { at, .. }
            | AdError::ReverseOnly { at, .. }
            | AdError::Untyped { at, .. }
            | AdError::NotLinear { at, .. }
            | AdError::Unbounded { at }
            | AdError::LoopMemory { at, .. } => {
                // A few levels say enough.
                if at.matches(" in ").count() < MOST_LEVELS {
                    *at = format!("{at} in {outer}");
                } else if !at.ends_with('…') {
                    at.push_str(" in …");
                }
            }
            AdError::NoArgument { .. }
            | AdError::RepeatedArgument { .. }
            | AdError::NotDifferentiable { .. }
            | AdError::NoLoss
            | AdError::LossNotScalar { .. }
            | AdError::TooManyResiduals { .. }
            | AdError::NotReal { .. }
            | AdError::NotBatched { .. }
            | AdError::Type(_) => {}
        }
        self
    }
}

impl fmt::Display for AdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AdError::NoArgument { index, count } => write!(
                f,
                "cannot differentiate with respect to argument {index}: the program has {count} argument(s), \
                 counted from 0"
            ),
            AdError::RepeatedArgument { index, name } => {
                write!(f, "argument {index} ({name}) is listed twice; name each argument once")
            }
            AdError::NotDifferentiable { index, name, ty } => write!(
                f,
                "cannot differentiate with respect to argument {index} ({name}): its type {ty} has no \
                 cotangents; only floating-point arguments have a gradient"
            ),
            AdError::NoLoss => write!(
                f,
                "cannot take a gradient: the program has no results; its first result must be the loss"
            ),
            AdError::LossNotScalar { at, ty } => write!(
                f,
                "cannot take a gradient: the first result is {ty} (the value {at}), but the loss must be a rank-0 float; \
                 reduce it to a scalar first, or use vjp with a cotangent of its shape"
            ),
            AdError::Unsupported { what, at, help } => {
                write!(f, "unsupported: no derivative of {what} (it defines {at}); {help}")
            }
            AdError::ReverseOnly { name, at } => write!(
                f,
                "unsupported: no derivative of \"{name}\" in forward mode: it has a reverse rule (custom_vjp) only (it \
                 defines {at}); differentiate it in reverse (value_and_grad, vjp, jacrev), or give it a forward rule \
                 (custom_jvp)"
            ),
            AdError::NotLinear { op, at, why } => write!(
                f,
                "cannot transpose: {op} (it defines {at}) is not linear in the tangents: {why}; what is \
                 transposed must be linear in its tangents: a program made by linearize, or the rule of a custom_jvp"
            ),
            AdError::TooManyResiduals { residuals, count } => write!(
                f,
                "a linear program with {count} argument(s) cannot have {residuals} residuals; residuals \
                 come first among the arguments"
            ),
            AdError::Unbounded { at } => write!(
                f,
                "unsupported: reverse mode through a while (it defines {at}) whose number of turns depends on data: \
                 state the most turns it may take (Options::loop_bound, --loop-bound N; beyond it the gradient is \
                 NaN), or let its condition say so (`i < 100` joined by and, i counting turns); forward mode (jvp) \
                 needs no bound"
            ),
            AdError::LoopMemory { at, needs, limit } => write!(
                f,
                "the gradient of a while (it defines {at}) keeps at least {needs} bytes, more than the limit of \
                 {limit}: raise it (Options::loop_memory, --loop-memory BYTES), or give the loop fewer turns or \
                 smaller carried values"
            ),
            AdError::NotReal { .. } | AdError::NotBatched { .. } => self.fmt_dense(f),
            AdError::Untyped { op, at, why } => write!(
                f,
                "the derivative of {op} (it defines {at}) does not type: {why}; what it keeps for reverse mode is too \
                 large or has too many dimensions: nest fewer loops, give them fewer turns, or use jvp, which keeps nothing"
            ),
            AdError::Type(e) => write!(f, "the derivative does not type: {e}"),
        }
    }
}

impl std::error::Error for AdError {}

impl From<TypeError> for AdError {
    fn from(e: TypeError) -> Self {
        AdError::Type(e)
    }
}
