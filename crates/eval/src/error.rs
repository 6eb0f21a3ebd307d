//! What can go wrong on the border of this crate.

use crate::custom;
use pullback_ir::{DType, Op, Program, TensorType, TypeError};
use std::fmt;

/// Why a program could not be compiled or run on these buffers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EvalError {
    /// The number of arguments or results is not the program's.
    Count {
        /// "arguments" or "results".
        what: &'static str,
        /// The program's.
        want: usize,
        /// The caller's.
        got: usize,
    },
    /// An argument has another type than the program says.
    ArgumentType {
        /// Its position.
        index: usize,
        /// Its name, or `%n`.
        name: String,
        /// The program's type.
        want: TensorType,
        /// The caller's type.
        got: TensorType,
    },
    /// A buffer has not the number of bytes of its type.
    Bytes {
        /// Which buffer.
        what: String,
        /// Bytes of its type.
        want: usize,
        /// Bytes given.
        got: usize,
    },
    /// A typed view of a tensor of another element type.
    View {
        /// The tensor's element type.
        have: DType,
        /// The Rust type asked for.
        want: &'static str,
    },
    /// The op is right, but no implementation of it exists for this element type.
    Unsupported {
        /// The op.
        op: &'static str,
        /// What is not supported.
        why: String,
    },
    /// The op reaches other programs of a grid, and the program runs alone.
    Alone {
        /// The op.
        op: &'static str,
    },
    /// Programs of a grid do not fit together.
    Grid(String),
    /// A program of a grid failed.
    Process {
        /// Its row.
        replica: usize,
        /// Its column.
        partition: usize,
        /// Why.
        error: Box<EvalError>,
    },
    /// An op that does not type; the program was not made by the builder.
    Type(TypeError),
    /// Memory for the program's buffers could not be had.
    Memory {
        /// Bytes asked for.
        bytes: usize,
        /// What they are for.
        what: String,
    },
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EvalError::Count { what, want, got } => {
                write!(f, "the program has {want} {what}, the caller gave {got}")
            }
            EvalError::ArgumentType { index, name, want, got } => {
                write!(f, "argument {index} ({name}) is {want}, got a tensor {got}")
            }
            EvalError::Bytes { what, want, got } => {
                write!(f, "{what} takes {want} bytes, the buffer has {got}")
            }
            EvalError::View { have, want } => {
                write!(f, "a tensor of {have} cannot be read as a slice of {want}")
            }
            EvalError::Unsupported { op, why } => write!(f, "unsupported: {op}: {why}"),
            EvalError::Alone { op } => write!(
                f,
                "unsupported: {op} in a program that runs alone: it is for a grid of programs; run the grid with \
                 pullback eval FILE --programs SPEC.json"
            ),
            EvalError::Grid(why) => f.write_str(why),
            EvalError::Process { replica, partition, error } => {
                write!(f, "the program of replica {replica}, partition {partition}: {error}")
            }
            EvalError::Type(e) => write!(f, "an ill-typed op reached the evaluator: {e}"),
            EvalError::Memory { bytes, what } => write!(
                f,
                "needs {} for {what}, which this machine does not give; use smaller sizes or more devices, or \
                 raise the memory limit of the process",
                size(*bytes)
            ),
        }
    }
}

impl std::error::Error for EvalError {}

/// Refuses a program with an op that reaches other programs, or an operator that is not here, in its regions too.
pub(crate) fn check_alone(program: &Program) -> Result<()> {
    for instr in program.instrs().values() {
        if let Op::Communicate(c) = instr.op() {
            return Err(EvalError::Alone { op: c.name() });
        }
        if let Op::Custom(c) = instr.op() {
            custom::check(c, instr.operands().iter().map(|&v| program.ty(v).clone()).collect())?;
        }
        instr.op().regions().into_iter().try_for_each(check_alone)?;
    }
    Ok(())
}

/// Bytes as people read them: `3.6 TiB`.
fn size(bytes: usize) -> String {
    const UNITS: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
    if bytes < 1024 {
        return format!("{bytes} bytes");
    }
    let mut n = bytes as f64 / 1024.0;
    let mut unit = 0;
    while n >= 1024.0 && unit + 1 < UNITS.len() {
        n /= 1024.0;
        unit += 1;
    }
    format!("{n:.1} {}", UNITS[unit])
}

impl From<TypeError> for EvalError {
    fn from(e: TypeError) -> Self {
        EvalError::Type(e)
    }
}

/// Result of this crate's functions.
pub type Result<T> = std::result::Result<T, EvalError>;
