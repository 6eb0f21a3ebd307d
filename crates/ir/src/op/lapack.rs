//! Routines of LAPACK, as programs that JAX exports for CPUs call them.

/// A routine applied to the matrices in the last two dimensions (vectors: in the last); dimensions before them are a
/// batch. Results are those of the call, in its order: what LAPACK writes, packed as it packs it. Where there is an
/// `info` (i32), it is last and 0 where the routine succeeded; what else it is follows LAPACK's routine. Pivots
/// count from 1. Below, k = min(m, n), and C is the complex type whose parts are those of the element type.
///
/// Free choices (signs of eigenvectors, the order of eigenvalues of a general matrix, …) are not LAPACK's to the bit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Lapack {
    /// a (m, n): r and reflectors packed (m, n), tau (k).
    Geqrf,
    /// a (m, n), jpvt (n): r and reflectors of the columns permuted, the permutation, tau (k).
    Geqp3,
    /// Reflectors (m, n), tau: the first n columns of their product (m, n). Also ungqr.
    Orgqr,
    /// Reflectors, tau, c (m, n): their product times c. Also unmqr.
    Ormqr {
        /// The product stands left of c.
        left: bool,
        /// Its adjoint does.
        transpose: bool,
    },
    /// a (m, n): l and u packed (m, n), ipiv (k), info.
    Getrf,
    /// a (n, n): its Cholesky factor in one triangle, the other as it was, info.
    Potrf {
        /// The lower triangle.
        lower: bool,
    },
    /// a (n, n), Hermitian: eigenvectors (n, n), eigenvalues ascending (n), info. Also heevd.
    Syevd {
        /// The lower triangle is read.
        lower: bool,
        /// Eigenvectors are asked for; else their place has no meaning.
        vectors: bool,
    },
    /// a (n, n), Hermitian: reflectors packed (n, n), diagonal (n), beside it (n - 1), tau (n - 1), info. Also hetrd.
    Sytrd {
        /// The lower triangle is read.
        lower: bool,
    },
    /// a (m, n): a place of a's type without meaning, singular values descending (k), u, v^H, info. Also gesvd.
    Gesdd {
        /// u and v^H are asked for; else their places have no meaning.
        vectors: bool,
        /// u is (m, m) and v^H (n, n); else (m, k) and (k, n).
        full: bool,
    },
    /// a (n, n): eigenvalues (n) (real and imaginary parts apart where a is real), left and right eigenvectors
    /// (n, n) of C, info.
    Geev {
        /// Left eigenvectors are asked for; else their place has no meaning.
        left: bool,
        /// Right ones.
        right: bool,
    },
    /// a (n, n): its Schur form (n, n), Schur vectors (n, n), eigenvalues as geev's, the number sorted (0), info.
    Gees {
        /// Schur vectors are asked for; else their place has no meaning.
        vectors: bool,
    },
    /// a (n, n): Hessenberg form and reflectors packed (n, n), tau (n - 1), info.
    Gehrd {
        /// The first row and column that are reduced, from 1 on.
        low: usize,
        /// The last.
        high: usize,
    },
    /// Diagonals below, on and above (n), b (n, m): three places and b's, of which the fourth is the solution, info.
    Gtsv,
    /// The same operands: the solution (n, m), for matrices that may be singular (JAX's own routine).
    TridiagonalSolvePerturbed,
}

impl Lapack {
    /// The op's name in texts.
    pub fn name(self) -> &'static str {
        match self {
            Lapack::Geqrf => "lapack_geqrf",
            Lapack::Geqp3 => "lapack_geqp3",
            Lapack::Orgqr => "lapack_orgqr",
            Lapack::Ormqr { .. } => "lapack_ormqr",
            Lapack::Getrf => "lapack_getrf",
            Lapack::Potrf { .. } => "lapack_potrf",
            Lapack::Syevd { .. } => "lapack_syevd",
            Lapack::Sytrd { .. } => "lapack_sytrd",
            Lapack::Gesdd { .. } => "lapack_gesdd",
            Lapack::Geev { .. } => "lapack_geev",
            Lapack::Gees { .. } => "lapack_gees",
            Lapack::Gehrd { .. } => "lapack_gehrd",
            Lapack::Gtsv => "lapack_gtsv",
            Lapack::TridiagonalSolvePerturbed => "tridiagonal_solve_perturbed",
        }
    }
}
