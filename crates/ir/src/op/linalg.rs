//! Transforms, matrices and random bits: ops whose definition is an algorithm's, not a formula of elements.

use super::lapack::Lapack;

named_enum! {
    /// Direction and element types of a Fourier transform (StableHLO specification, fft).
    FftKind { Fft => "FFT", Ifft => "IFFT", Rfft => "RFFT", Irfft => "IRFFT" }
}

named_enum! {
    /// How random bits come of a state (StableHLO specification, rng_bit_generator).
    RngAlgorithm { Default => "DEFAULT", ThreeFry => "THREE_FRY", Philox => "PHILOX" }
}

named_enum! {
    /// What is done to the matrix of a triangular system before it is solved.
    MatrixTranspose { No => "NO_TRANSPOSE", Transpose => "TRANSPOSE", Adjoint => "ADJOINT" }
}

/// What is done with the matrices in the last two dimensions; dimensions before them are a batch.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Linalg {
    /// a (..., n, n), Hermitian and positive definite, of which one triangle is read: the factor l with a = l l^H
    /// (`lower`) or u with a = u^H u. The other triangle of the result is zero; all NaN where a is not positive
    /// definite.
    Cholesky {
        /// The lower triangle is read and written.
        lower: bool,
    },
    /// a (..., n, n), b (..., n, m) or (..., m, n): x with op(a) x = b, or x op(a) = b.
    TriangularSolve {
        /// op(a) x = b.
        left_side: bool,
        /// The lower triangle of `a` is read, else the upper one.
        lower: bool,
        /// The diagonal of `a` is taken to be ones.
        unit_diagonal: bool,
        /// op.
        transpose: MatrixTranspose,
    },
    /// A routine of LAPACK.
    Lapack(Lapack),
}

impl Linalg {
    /// The op's name in texts.
    pub fn name(&self) -> &'static str {
        match self {
            Linalg::Cholesky { .. } => "cholesky",
            Linalg::TriangularSolve { .. } => "triangular_solve",
            Linalg::Lapack(l) => l.name(),
        }
    }
}
