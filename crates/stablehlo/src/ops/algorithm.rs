//! Transforms, matrices and random bits: attributes in StableHLO's words.

use super::{Issue, R, bad, flag, ints};
use crate::declared::Declared;
use crate::tree::{Attr, Node};
use pullback_ir::{FftKind, Linalg, MatrixTranspose, Op, RngAlgorithm};

/// An operation that is one of the IR's, whatever its results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Algorithm {
    Cholesky,
    Fft,
    RngBitGenerator,
    TriangularSolve,
}

/// The operation of this dialect and name.
pub(super) fn algorithm_of(dialect: &str, op: &str) -> Option<Algorithm> {
    Some(match (dialect, op) {
        ("stablehlo", "cholesky") => Algorithm::Cholesky,
        ("stablehlo", "fft") => Algorithm::Fft,
        ("stablehlo", "rng_bit_generator") => Algorithm::RngBitGenerator,
        ("stablehlo", "triangular_solve") => Algorithm::TriangularSolve,
        _ => return None,
    })
}

/// A word of an enumeration, by one of its names.
fn choice<T>(node: &Node<'_>, keys: &[&str], parse: impl Fn(&str) -> Option<T>) -> R<T> {
    match node.attr(keys) {
        Some(Attr::Word(w)) => match parse(w) {
            Some(value) => Ok(value),
            None => bad(format!("{}: {w} is no {}", node.name, keys[0])),
        },
        _ => bad(format!("{} needs the attribute {}", node.name, keys[0])),
    }
}

/// The operation of a node; `second` is the type of its second result as written.
pub(crate) fn op_of(node: &Node<'_>, which: Algorithm, second: Option<&Declared>) -> R<Op> {
    Ok(match which {
        Algorithm::Cholesky => Op::Linalg(Linalg::Cholesky { lower: flag(node, "lower") }),
        Algorithm::Fft => {
            let lengths = ints(node, &["fft_length", "length"])?;
            let negative = || Issue::Error(format!("{}: a length is negative", node.name));
            Op::Fft {
                kind: choice(node, &["fft_type", "type"], FftKind::from_name)?,
                lengths: lengths
                    .into_iter()
                    .map(|n| usize::try_from(n).map_err(|_| negative()))
                    .collect::<R<_>>()?,
            }
        }
        Algorithm::RngBitGenerator => {
            let ty = match second {
                Some(Declared::Exact(ty)) => ty,
                Some(Declared::Open(_)) => {
                    return Err(Issue::Unsupported(
                        format!("{} of a shape that nothing says", node.name),
                        "give the bits a static shape",
                    ));
                }
                None => return bad(format!("{} has two results: the next state and bits", node.name)),
            };
            let algorithm = choice(node, &["rng_algorithm", "algorithm"], RngAlgorithm::from_name)?;
            Op::RngBitGenerator { algorithm, ty: ty.clone() }
        }
        Algorithm::TriangularSolve => Op::Linalg(Linalg::TriangularSolve {
            left_side: flag(node, "left_side"),
            lower: flag(node, "lower"),
            unit_diagonal: flag(node, "unit_diagonal"),
            transpose: choice(node, &["transpose_a"], MatrixTranspose::from_name)?,
        }),
    })
}
