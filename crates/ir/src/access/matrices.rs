//! Access maps of transforms and of what is done with matrices: dimensions before theirs are cut, theirs are not.

use super::{AccessMap, DimMap, FactorId, FactorKind, single};
use crate::dtype::TensorType;
use crate::op::{Lapack, Linalg};

impl AccessMap {
    pub(super) fn linalg(&mut self, op: &Linalg, xs: &[&TensorType], results: &[TensorType]) {
        match op {
            Linalg::Cholesky { .. } => self.batched(xs, &results[0], 2),
            Linalg::TriangularSolve { left_side, .. } => self.triangular_solve(&results[0], *left_side),
            Linalg::Lapack(routine) => self.each_matrix(*routine, xs, results),
        }
    }

    /// What is done to the last `inner` dimensions is done for each index of those before them.
    pub(super) fn batched(&mut self, xs: &[&TensorType], result: &TensorType, inner: usize) {
        let outer = result.rank() - inner;
        self.blocked_but(xs, result, |d| d < outer);
    }

    /// A routine is applied to each index of the dimensions before those of matrices; what it reads and writes there
    /// is not cut.
    fn each_matrix(&mut self, routine: Lapack, xs: &[&TensorType], results: &[TensorType]) {
        let matrices = match routine {
            Lapack::Gtsv | Lapack::TridiagonalSolvePerturbed => xs[3],
            Lapack::Geqrf
            | Lapack::Geqp3
            | Lapack::Orgqr
            | Lapack::Ormqr { .. }
            | Lapack::Getrf
            | Lapack::Potrf { .. }
            | Lapack::Syevd { .. }
            | Lapack::Sytrd { .. }
            | Lapack::Gesdd { .. }
            | Lapack::Geev { .. }
            | Lapack::Gees { .. }
            | Lapack::Gehrd { .. } => xs[0],
        };
        let batch = &matrices.shape()[..matrices.rank() - 2];
        let outer: Vec<FactorId> = batch.iter().map(|&n| self.factor(n, FactorKind::Pass)).collect();
        for (maps, x) in self.operands.iter_mut().zip(xs) {
            *maps = single(&outer);
            maps.resize(x.rank(), DimMap::Whole);
        }
        for r in results {
            let inner = r.shape()[outer.len()..].iter().map(|&n| self.factor(n, FactorKind::Blocked));
            let fs: Vec<FactorId> = outer.iter().copied().chain(inner).collect();
            self.results.push(single(&fs));
        }
    }

    /// The right-hand sides are solved each on its own.
    fn triangular_solve(&mut self, b: &TensorType, left_side: bool) {
        let batch = b.rank() - 2;
        let system = if left_side { batch } else { batch + 1 };
        let kind = |d: usize| if d == system { FactorKind::Blocked } else { FactorKind::Pass };
        let fs: Vec<FactorId> = (0..b.rank()).map(|d| self.factor(b.shape()[d], kind(d))).collect();
        self.results = vec![single(&fs)];
        self.operands[0] = single(&fs[..batch]);
        self.operands[0].resize(b.rank(), DimMap::Whole);
        self.operands[1] = single(&fs);
        self.operands[1][system] = DimMap::Whole;
    }
}
