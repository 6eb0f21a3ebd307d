//! Instances of factorisations, triangular systems and Fourier transforms.

use super::cases::{Case, product};
use crate::common::*;
use pullback_eval::Tensor;
use pullback_ir::{DType, DTypeClass, FftKind, Lapack, Linalg, MatrixTranspose, Op, TensorType};

/// Random, with a strong diagonal that grows: far from singular and from equal eigenvalues.
fn regular(dtype: DType, shape: &[usize]) -> Tensor {
    let ty = TensorType::new(dtype, shape);
    let mut values = parts(&random(&ty, "a", -0.5, 0.5));
    let per = if is_complex(&ty) { 2 } else { 1 };
    let (m, n) = (shape[shape.len() - 2], shape[shape.len() - 1]);
    for i in 0..ty.count() {
        let (row, column) = (i / n % m, i % n);
        if row == column {
            values[i * per] += 3.0 + 2.0 * row as f64;
        }
    }
    from_parts(&ty, &values)
}

pub fn all(dtype: DType) -> Vec<Case> {
    let mut out = Vec::new();
    let of = |shape: &[usize], stream: &str| random(&TensorType::new(dtype, shape), stream, -1.0, 1.0);
    for n in 0..=3 {
        for lower in [false, true] {
            let a = || vec![regular(dtype, &[n, n])];
            out.extend(Case::of(Op::Linalg(Linalg::Cholesky { lower }), a()));
            lapack(&mut out, Lapack::Potrf { lower }, a());
            for vectors in [false, true] {
                lapack(&mut out, Lapack::Syevd { lower, vectors }, a());
            }
        }
        let complex = dtype.class() == DTypeClass::Complex;
        let op = Op::Linalg(Linalg::Lapack(Lapack::Geev { left: false, right: false }));
        out.extend(Case::made(format!("geev {n}"), vec![regular(dtype, &[n, n])], |b, v| {
            Ok(b.push(op, v)?[..if complex { 1 } else { 2 }].to_vec())
        }));
        if n > 0 {
            let op = Lapack::Gehrd { low: 1, high: n };
            lapack(&mut out, op, vec![regular(dtype, &[n, n])]);
            lapack(&mut out, Lapack::Sytrd { lower: true }, vec![regular(dtype, &[n, n])]);
            lapack(&mut out, Lapack::Gees { vectors: true }, vec![regular(dtype, &[n, n])]);
        }
        for m in 0..=3 {
            for t in product(&[2, 2, 2, 3]) {
                let (left_side, lower, unit_diagonal) = (t[0] == 0, t[1] == 0, t[2] == 0);
                let transpose =
                    [MatrixTranspose::No, MatrixTranspose::Transpose, MatrixTranspose::Adjoint][t[3]];
                let op = Op::Linalg(Linalg::TriangularSolve { left_side, lower, unit_diagonal, transpose });
                let shape = if left_side { [n, m] } else { [m, n] };
                out.extend(Case::of(op, vec![regular(dtype, &[n, n]), of(&shape, "b")]));
            }
            let t = |stream: &str| of(&[n], stream);
            let on = from_parts(t("on").ty(), &parts(&t("on")).iter().map(|v| v + 4.0).collect::<Vec<_>>());
            let op = Op::Linalg(Linalg::Lapack(Lapack::TridiagonalSolvePerturbed));
            out.extend(Case::of(op, vec![t("below"), on, t("above"), of(&[n, m], "b")]));
            let a = || vec![regular(dtype, &[m, n])];
            lapack(&mut out, Lapack::Getrf, a());
            lapack(&mut out, Lapack::Geqrf, a());
            lapack(&mut out, Lapack::Gesdd { vectors: true, full: false }, a());
            lapack(&mut out, Lapack::Gesdd { vectors: false, full: true }, a());
            out.extend(columns(a(), m, n));
        }
    }
    for kind in [FftKind::Fft, FftKind::Ifft, FftKind::Rfft, FftKind::Irfft] {
        for lengths in (1..=2).flat_map(|rank| product(&vec![4; rank])) {
            let mut shape = [&[2], &lengths[..]].concat();
            let last = shape.len() - 1;
            if kind == FftKind::Irfft && shape[last] > 0 {
                shape[last] = shape[last] / 2 + 1;
            }
            out.extend(Case::of(Op::Fft { kind, lengths }, vec![of(&shape, "x")]));
        }
    }
    out
}

/// All results but those without meaning: of the singular value decomposition the first.
fn lapack(out: &mut Vec<Case>, op: Lapack, inputs: Vec<Tensor>) {
    let skip = usize::from(matches!(op, Lapack::Gesdd { .. }));
    let keep = match op {
        Lapack::Gesdd { vectors: false, .. } => 1,
        _ => usize::MAX,
    };
    let label = format!("{op:?} of {}", inputs[0].ty());
    let by_values = matches!(op, Lapack::Syevd { vectors: false, .. });
    out.extend(Case::made(label, inputs, |b, v| {
        let made = b.push(Op::Linalg(Linalg::Lapack(op)), v)?;
        let made: Vec<_> = made.into_iter().skip(skip + usize::from(by_values)).take(keep).collect();
        Ok(made)
    }));
}

fn columns(inputs: Vec<Tensor>, m: usize, n: usize) -> Option<Case> {
    let k = m.min(n);
    Case::made(format!("orgqr {m} {n}"), inputs, |b, v| {
        let made = b.push(Op::Linalg(Linalg::Lapack(Lapack::Geqrf)), v)?;
        let op = Op::Slice { starts: vec![0, 0], limits: vec![m, k], strides: vec![1, 1] };
        let first = b.push1(op, &[made[0]])?;
        b.push(Op::Linalg(Linalg::Lapack(Lapack::Orgqr)), &[first, made[1]])
    })
}
