//! Ops to try whose definition is an algorithm's: Fourier transforms, factorisations and solutions.
//!
//! Shapes are all of at most one dimension before the matrices (or the transformed ones) that have sizes 0 to 3, and
//! some of two.

use crate::cases::Case;
use crate::util::{Rng, product};
use pullback_eval::{Tensor, reference};
use pullback_ir::infer::infer;
use pullback_ir::{DType, FftKind, Lapack, Linalg, MatrixTranspose, Op, TensorType};

const DTYPES: [DType; 4] = [DType::F32, DType::F64, DType::C64, DType::C128];

/// The dimensions before those the op works on.
fn batches() -> Vec<Vec<usize>> {
    let mut out = vec![vec![]];
    out.extend(product(&[4]));
    out.extend([vec![2, 3], vec![3, 0], vec![1, 2]]);
    out
}

/// Every kind over one to three dimensions.
pub fn transforms(rng: &mut Rng) -> Vec<Case> {
    let mut out = Vec::new();
    for (i, batch) in batches().iter().enumerate() {
        for &kind in FftKind::ALL {
            for lengths in [&[3][..], &[4], &[2, 3], &[1, 2, 2]] {
                let part = [DType::F32, DType::F64][i % 2];
                let whole = part.complex().expect("a complex type has these parts");
                let mut inner = lengths.to_vec();
                let last = inner.len() - 1;
                let dtype = match kind {
                    FftKind::Fft | FftKind::Ifft => whole,
                    FftKind::Rfft => part,
                    FftKind::Irfft => {
                        inner[last] = inner[last] / 2 + 1;
                        whole
                    }
                };
                let x = rng.tensor(&TensorType::new(dtype, [&batch[..], &inner].concat()));
                out.push(Case::new(Op::Fft { kind, lengths: lengths.to_vec() }, vec![x]));
            }
        }
    }
    out
}

/// The square matrices of a type with positive diagonals that outweigh what stands beside them.
fn dominant(rng: &mut Rng, dtype: DType, batch: &[usize], n: usize) -> Tensor {
    let ty = TensorType::new(dtype, [batch, &[n, n]].concat());
    let mut x = rng.tensor(&ty);
    for at in 0..x.count() {
        if (at / n) % n == at % n {
            x.set_f64(at, 20.0 + x.get_f64(at));
        }
    }
    x
}

pub fn choleskies(rng: &mut Rng) -> Vec<Case> {
    let mut out = Vec::new();
    for batch in batches() {
        for n in 0..4 {
            let dtype = rng.pick(&DTYPES);
            let a = dominant(rng, dtype, &batch, n);
            out.push(Case::new(Op::Linalg(Linalg::Cholesky { lower: rng.flip() }), vec![a]));
        }
    }
    out
}

/// All flags on every batch, sizes sampled.
pub fn triangular_solves(rng: &mut Rng) -> Vec<Case> {
    let mut out = Vec::new();
    for batch in batches() {
        for flags in product(&[2, 2, 2, 3]) {
            let (n, m, dtype) = (rng.size(), rng.size(), rng.pick(&DTYPES));
            let left_side = flags[0] == 0;
            let inner = if left_side { [n, m] } else { [m, n] };
            let b = rng.tensor(&TensorType::new(dtype, [&batch[..], &inner].concat()));
            let op = Linalg::TriangularSolve {
                left_side,
                lower: flags[1] == 0,
                unit_diagonal: flags[2] == 0,
                transpose: MatrixTranspose::ALL[flags[3]],
            };
            out.push(Case::new(Op::Linalg(op), vec![dominant(rng, dtype, &batch, n), b]));
        }
    }
    out
}

/// Every routine on every batch, sizes sampled, a case for each result.
pub fn lapack(rng: &mut Rng) -> Vec<Case> {
    let mut out = Vec::new();
    for batch in batches() {
        let dtype = rng.pick(&DTYPES);
        let (m, n) = (1 + rng.below(3), 1 + rng.below(3));
        let any = |rng: &mut Rng, inner: &[usize]| {
            rng.tensor(&TensorType::new(dtype, [&batch[..], inner].concat()))
        };
        let a = any(rng, &[m, n]);
        let tall = any(rng, &[m.max(n), n]);
        let square = dominant(rng, dtype, &batch, n);
        let geqrf = reference::eval_op(&Op::Linalg(Linalg::Lapack(Lapack::Geqrf)), &[&tall]).unwrap();
        let free = Tensor::from_i64s(
            TensorType::new(DType::I32, [&batch[..], &[n]].concat()),
            &vec![0; batch.iter().product::<usize>() * n],
        );
        let c = any(rng, &[m.max(n), 2]);
        let off = vec![any(rng, &[n]), any(rng, &[n]), any(rng, &[n]), any(rng, &[n, m])];
        let (low, high) = (1, n);
        let both = [rng.flip(), rng.flip()];
        let of: Vec<(Lapack, Vec<Tensor>)> = vec![
            (Lapack::Geqrf, vec![a.clone()]),
            (Lapack::Geqp3, vec![a.clone(), free.unwrap()]),
            (Lapack::Orgqr, geqrf.clone()),
            (Lapack::Ormqr { left: true, transpose: both[0] }, [geqrf, vec![c]].concat()),
            (Lapack::Getrf, vec![a.clone()]),
            (Lapack::Potrf { lower: both[0] }, vec![square.clone()]),
            (Lapack::Syevd { lower: both[0], vectors: true }, vec![square.clone()]),
            (Lapack::Sytrd { lower: both[0] }, vec![square.clone()]),
            (Lapack::Gesdd { vectors: true, full: both[1] }, vec![a]),
            (Lapack::Geev { left: true, right: true }, vec![square.clone()]),
            (Lapack::Gees { vectors: true }, vec![square.clone()]),
            (Lapack::Gehrd { low, high }, vec![square]),
            (Lapack::TridiagonalSolvePerturbed, off.clone()),
            (Lapack::Gtsv, off),
        ];
        for (routine, inputs) in of {
            let op = Op::Linalg(Linalg::Lapack(routine));
            let types: Vec<&TensorType> = inputs.iter().map(Tensor::ty).collect();
            for result in 0..infer(&op, &types).unwrap().len() {
                out.push(Case { result, ..Case::new(op.clone(), inputs.clone()) });
            }
        }
    }
    out
}
