//! Matrix factorisations, transforms and solutions against central differences, real and complex, first and second
//! order, where they are smooth; results that depend on free choices are looked at through what does not.

use crate::common::*;
use pullback_autodiff::{value_and_grad, vjp};
use pullback_eval::Tensor;
use pullback_ir::{
    Builder, DType, DotDims, FftKind, Lapack, Linalg, MatrixTranspose, Monoid, Op, Program, TensorType,
    TypeError, UnaryOp, Value,
};

pub const DTYPES: [DType; 2] = [DType::F64, DType::C128];

pub fn mm(b: &mut Builder, x: Value, y: Value) -> Result<Value, TypeError> {
    let n = b.ty(x).rank() - 2;
    let batch: Vec<usize> = (0..n).collect();
    b.dot(
        x,
        y,
        DotDims {
            lhs_batch: batch.clone(),
            rhs_batch: batch,
            lhs_contract: vec![n + 1],
            rhs_contract: vec![n],
        },
    )
}

pub fn adjoint(b: &mut Builder, x: Value) -> Result<Value, TypeError> {
    let n = b.ty(x).rank();
    let mut permutation: Vec<usize> = (0..n).collect();
    permutation.swap(n - 1, n - 2);
    let x = b.transpose(x, &permutation)?;
    if !is_complex(b.ty(x)) {
        return Ok(x);
    }
    let (re, im) = (b.unary(UnaryOp::Real, x)?, b.unary(UnaryOp::Imag, x)?);
    let im = b.unary(UnaryOp::Negate, im)?;
    b.binary(pullback_ir::BinaryOp::Complex, re, im)
}

fn linalg(op: Linalg) -> Op {
    Op::Linalg(op)
}

pub fn lapack(op: Lapack) -> Op {
    Op::Linalg(Linalg::Lapack(op))
}

/// One op of one argument, results of these positions.
fn one(op: Op, ty: &TensorType, keep: &[usize]) -> Program {
    program(std::slice::from_ref(ty), |b, v| {
        let all = b.push(op, v)?;
        Ok(keep.iter().map(|&i| all[i]).collect())
    })
}

/// x x^H + 2: Hermitian, positive definite.
pub fn definite(ty: &TensorType, stream: &str) -> Tensor {
    let p = program(std::slice::from_ref(ty), |b, v| {
        let h = adjoint(b, v[0])?;
        let x = mm(b, v[0], h)?;
        let ty = b.ty(x).clone();
        let n = ty.rank();
        let (i, j) = (
            b.push1(Op::Iota { ty: ty.with_dtype(DType::I32), dim: n - 1 }, &[])?,
            b.push1(Op::Iota { ty: ty.with_dtype(DType::I32), dim: n - 2 }, &[])?,
        );
        let on = b.compare(pullback_ir::Comparison::Eq, i, j)?;
        let (two, none) = (b.splat(&ty, 2.0), b.splat(&ty, 0.0));
        let two = b.select(on, two, none)?;
        Ok(vec![b.add(x, two)?])
    });
    eval(&p, &[random(ty, stream, -1.0, 1.0)]).remove(0)
}

#[test]
fn cholesky() {
    for dtype in DTYPES {
        for shape in [&[3, 3][..], &[2, 2, 2], &[1, 1], &[0, 0]] {
            let ty = TensorType::new(dtype, shape);
            for lower in [true, false] {
                let a = definite(&ty, "a");
                let p = one(linalg(Linalg::Cholesky { lower }), &ty, &[0]);
                check2(&format!("cholesky {ty} {lower}"), &p, std::slice::from_ref(&a), &[0]);
                let p = one(lapack(Lapack::Potrf { lower }), &ty, &[0]);
                check2(&format!("potrf {ty} {lower}"), &p, &[a], &[0]);
            }
        }
    }
}

#[test]
fn triangular_solve() {
    use MatrixTranspose as T;
    for dtype in DTYPES {
        for bits in 0..8 {
            for transpose in [T::No, T::Transpose, T::Adjoint] {
                let (left_side, lower, unit_diagonal) = (bits & 1 == 1, bits & 2 == 2, bits & 4 == 4);
                let op = linalg(Linalg::TriangularSolve { left_side, lower, unit_diagonal, transpose });
                let a = TensorType::new(dtype, [2, 3, 3]);
                let y = TensorType::new(dtype, if left_side { [2, 3, 2] } else { [2, 2, 3] });
                let p = program(&[a.clone(), y.clone()], |b, v| Ok(vec![b.push1(op.clone(), v)?]));
                let args = [definite(&a, "a"), random(&y, "b", -1.0, 1.0)];
                for wrt in [&[0, 1][..], &[0], &[1]] {
                    check2(&format!("{op:?} {dtype} {wrt:?}"), &p, &args, wrt);
                }
            }
        }
    }
}

#[test]
fn tridiagonal_solve() {
    for dtype in DTYPES {
        for op in [Lapack::Gtsv, Lapack::TridiagonalSolvePerturbed] {
            let place = if op == Lapack::Gtsv { 3 } else { 0 };
            let (t, y) = (TensorType::new(dtype, [2, 4]), TensorType::new(dtype, [2, 4, 3]));
            let p = program(&[t.clone(), t.clone(), t.clone(), y.clone()], |b, v| {
                Ok(vec![b.push(lapack(op), v)?[place]])
            });
            let args = [
                random(&t, "below", -1.0, 1.0),
                random(&t, "on", 2.5, 3.0),
                random(&t, "above", -1.0, 1.0),
                random(&y, "b", -1.0, 1.0),
            ];
            for wrt in [&[0, 1, 2, 3][..], &[0], &[3]] {
                check2(&format!("{op:?} {dtype} {wrt:?}"), &p, &args, wrt);
            }
        }
    }
}

#[test]
fn lu() {
    for dtype in DTYPES {
        for shape in [&[3, 3][..], &[2, 3, 2], &[2, 4], &[1, 1], &[2, 2, 2, 2], &[0, 2]] {
            let ty = TensorType::new(dtype, shape);
            let p = one(lapack(Lapack::Getrf), &ty, &[0]);
            check2_within(&format!("getrf {ty}"), &p, &[random(&ty, "a", -1.0, 1.0)], &[0], 1e-6);
        }
    }
}

/// q and r, as JAX asks LAPACK for them; with pivots, of the permuted columns.
pub fn qr(b: &mut Builder, a: Value, pivoted: bool) -> Result<[Value; 2], TypeError> {
    let ty = b.ty(a).clone();
    let rank = ty.rank();
    let (m, n) = (ty.shape()[rank - 2], ty.shape()[rank - 1]);
    let made = if pivoted {
        let free = b.splat(&TensorType::new(DType::I32, [&ty.shape()[..rank - 2], &[n]].concat()), 0.0);
        b.push(lapack(Lapack::Geqp3), &[a, free])?
    } else {
        b.push(lapack(Lapack::Geqrf), &[a])?
    };
    let (packed, taus) = (made[0], *made.last().unwrap());
    let cut = |b: &mut Builder, rows: usize, columns: usize| {
        let mut limits = ty.shape().to_vec();
        (limits[rank - 2], limits[rank - 1]) = (rows, columns);
        b.push1(Op::Slice { starts: vec![0; rank], limits, strides: vec![1; rank] }, &[packed])
    };
    let reflectors = cut(b, m, m.min(n))?;
    let q = b.push1(lapack(Lapack::Orgqr), &[reflectors, taus])?;
    let r = cut(b, m.min(n), n)?;
    let index = b.ty(r).with_dtype(DType::I32);
    let (i, j) = (
        b.push1(Op::Iota { ty: index.clone(), dim: rank - 2 }, &[])?,
        b.push1(Op::Iota { ty: index, dim: rank - 1 }, &[])?,
    );
    let upper = b.compare(pullback_ir::Comparison::Le, i, j)?;
    let none = b.splat(&b.ty(r).clone(), 0.0);
    Ok([q, b.select(upper, r, none)?])
}

#[test]
fn qr_of_any_shape() {
    for dtype in DTYPES {
        for shape in [&[3, 3][..], &[4, 2], &[2, 3, 2], &[2, 3], &[1, 1]] {
            for pivoted in [false, true] {
                let ty = TensorType::new(dtype, shape);
                let p = program(std::slice::from_ref(&ty), |b, v| Ok(qr(b, v[0], pivoted)?.to_vec()));
                let what = format!("qr {ty} {pivoted}");
                check2_within(&what, &p, &[random(&ty, "a", -1.0, 1.0)], &[0], 1e-6);
            }
        }
    }
}

#[test]
fn reflectors_themselves() {
    for dtype in DTYPES {
        for shape in [&[4, 2][..], &[3, 3], &[2, 3]] {
            let ty = TensorType::new(dtype, shape);
            let p = one(lapack(Lapack::Geqrf), &ty, &[0, 1]);
            check2_within(&format!("geqrf {ty}"), &p, &[random(&ty, "a", -1.0, 1.0)], &[0], 1e-6);
        }
    }
}

/// At a triangular matrix reflectors are identities; q and r have derivatives nevertheless.
#[test]
fn qr_of_a_triangular_matrix_is_finite() {
    let ty = f64s(&[2, 2]);
    let p = program(std::slice::from_ref(&ty), |b, v| {
        let [q, r] = qr(b, v[0], false)?;
        let sum = b.add(q, r)?;
        Ok(vec![b.reduce(sum, &[0, 1], Monoid::Add)?])
    });
    let d = eval(&value_and_grad(&p, &[0]).unwrap(), &[tensor(&[2, 2], &[1.0, 0.0, 0.0, 1.0])]);
    // dq = dΩ with Ω[1,0] = da[1,0] = -Ω[0,1], so the sum of dq is 0; dr[0,1] = da[0,1] + da[1,0].
    assert_eq!(d[1].to_f64s(), [1.0, 1.0, 1.0, 1.0]);
}

/// v diag(w^2) v^H and w: what does not depend on the phases of vectors.
fn spectrum(b: &mut Builder, a: Value, lower: bool) -> Result<Vec<Value>, TypeError> {
    let made = b.push(lapack(Lapack::Syevd { lower, vectors: true }), &[a])?;
    let (v, w) = (made[0], made[1]);
    let square = b.mul(w, w)?;
    let square = b.convert(square, b.ty(v).dtype())?;
    let shape = b.ty(v).shape().to_vec();
    let n = shape.len();
    let dims: Vec<usize> = (0..n - 2).chain([n - 1]).collect();
    let across = b.broadcast(square, &shape, &dims)?;
    let x = b.mul(v, across)?;
    let h = adjoint(b, v)?;
    Ok(vec![mm(b, x, h)?, w])
}

#[test]
fn eigh() {
    for dtype in DTYPES {
        for shape in [&[3, 3][..], &[2, 2, 2], &[1, 1], &[0, 0]] {
            for lower in [true, false] {
                let ty = TensorType::new(dtype, shape);
                let a = definite(&ty, "a");
                let p = program(std::slice::from_ref(&ty), |b, v| spectrum(b, v[0], lower));
                check2_within(&format!("eigh {ty} {lower}"), &p, std::slice::from_ref(&a), &[0], 1e-6);
                let p = one(lapack(Lapack::Syevd { lower, vectors: false }), &ty, &[1]);
                check2_within(&format!("eigvalsh {ty} {lower}"), &p, &[a], &[0], 1e-6);
            }
        }
    }
}

/// Eigenvalues have a symmetric function's derivative also where they are equal; vectors have none, which shows.
#[test]
fn equal_eigenvalues() {
    let ty = f64s(&[2, 2]);
    let sum = |square: bool| {
        program(std::slice::from_ref(&ty), |b, v| {
            let made = spectrum(b, v[0], true)?;
            if square {
                return Ok(vec![b.reduce(made[0], &[0, 1], Monoid::Add)?]);
            }
            Ok(vec![b.reduce(made[1], &[0], Monoid::Add)?])
        })
    };
    let at = tensor(&[2, 2], &[3.0, 0.0, 0.0, 3.0]);
    let grad = |p: &Program| eval(&value_and_grad(p, &[0]).unwrap(), std::slice::from_ref(&at))[1].to_f64s();
    assert_eq!(grad(&sum(false)), [1.0, 0.0, 0.0, 1.0]);
    assert!(grad(&sum(true)).iter().any(|v| !v.is_finite()));
}

#[test]
fn svd() {
    for dtype in DTYPES {
        for shape in [&[3, 3][..], &[4, 2], &[2, 3], &[2, 3, 2], &[1, 1]] {
            for full in [false, true] {
                let ty = TensorType::new(dtype, shape);
                let a = random(&ty, "a", -1.0, 1.0);
                let n = ty.rank();
                let op = lapack(Lapack::Gesdd { vectors: true, full });
                let square = shape[n - 1] == shape[n - 2];
                if full && !square {
                    let p = one(op, &ty, &[1]);
                    check2_within(&format!("values of svd {ty}"), &p, &[a], &[0], 1e-6);
                    continue;
                }
                // u diag(s^2) u^H, v diag(s^3) v^H and s.
                let p = program(std::slice::from_ref(&ty), |b, x| {
                    let made = b.push(op.clone(), x)?;
                    let (s, u, vh) = (made[1], made[2], made[3]);
                    let square = b.mul(s, s)?;
                    let scaled = |b: &mut Builder, x: Value, by: Value| {
                        let (shape, dtype) = (b.ty(x).shape().to_vec(), b.ty(x).dtype());
                        let dims: Vec<usize> = (0..n - 2).chain([n - 1]).collect();
                        let by = b.convert(by, dtype)?;
                        let by = b.broadcast(by, &shape, &dims)?;
                        b.mul(x, by)
                    };
                    let (uh, v) = (adjoint(b, u)?, adjoint(b, vh)?);
                    let left = scaled(b, u, square)?;
                    let cube = b.mul(square, s)?;
                    let right = scaled(b, v, cube)?;
                    Ok(vec![mm(b, left, uh)?, mm(b, right, vh)?, s])
                });
                check2_within(&format!("svd {ty} {full}"), &p, &[a], &[0], 1e-6);
            }
            let ty = TensorType::new(dtype, shape);
            let p = one(lapack(Lapack::Gesdd { vectors: false, full: false }), &ty, &[1]);
            check2_within(&format!("svdvals {ty}"), &p, &[random(&ty, "a", -1.0, 1.0)], &[0], 1e-6);
        }
    }
}

#[test]
fn eigenvalues_of_general_matrices() {
    for dtype in DTYPES {
        let ty = TensorType::new(dtype, [2, 3, 3]);
        let values = if is_complex(&ty) { &[0][..] } else { &[0, 1] };
        let op = lapack(Lapack::Geev { left: false, right: true });
        let p = one(op.clone(), &ty, values);
        let a = random(&ty, "a", -1.0, 1.0);
        check_within(&format!("geev {ty}"), &p, &[a], &[0], 1e-6);
        let second = vjp(&vjp(&p, &[0]).unwrap(), &[0]).unwrap_err().to_string();
        assert!(second.contains("eigenvectors by lapack_geev"), "{second}");
        let vectors = one(op, &ty, &[values.len() + 1]);
        let refused = vjp(&vectors, &[0]).unwrap_err().to_string();
        assert!(refused.contains("eigenvectors by lapack_geev"), "{refused}");
    }
}

#[test]
fn what_has_no_rule_is_named() {
    let ty = f64s(&[3, 3]);
    for (op, keep, name) in [
        (Lapack::Gees { vectors: true }, 0, "lapack_gees"),
        (Lapack::Gehrd { low: 1, high: 3 }, 0, "lapack_gehrd"),
        (Lapack::Sytrd { lower: true }, 1, "lapack_sytrd"),
    ] {
        let e = vjp(&one(lapack(op), &ty, &[keep]), &[0]).unwrap_err().to_string();
        assert!(e.starts_with(&format!("unsupported: no derivative of {name} (")), "{e}");
    }
    let tall = f64s(&[3, 2]);
    let op = lapack(Lapack::Gesdd { vectors: true, full: true });
    let e = vjp(&one(op, &tall, &[2]), &[0]).unwrap_err().to_string();
    assert!(e.contains("full_matrices=False"), "{e}");
    let p = program(&[f64s(&[3, 2]), f64s(&[2])], |b, v| Ok(vec![b.push1(lapack(Lapack::Orgqr), v)?]));
    let e = vjp(&p, &[0]).unwrap_err().to_string();
    assert!(e.contains("lapack_orgqr"), "{e}");
    let p = program(&[ty.clone(), f64s(&[3]), ty], |b, v| {
        Ok(vec![b.push1(lapack(Lapack::Ormqr { left: true, transpose: false }), v)?])
    });
    let e = vjp(&p, &[2]).unwrap_err().to_string();
    assert!(e.starts_with("unsupported: no derivative of lapack_ormqr ("), "{e}");
}

/// The gradient of the sum of a program's results.
fn gradient_of_sum(p: &Program, args: &[Tensor]) -> Vec<f64> {
    let types: Vec<TensorType> = p.args().iter().map(|&a| p.ty(a).clone()).collect();
    let sum = program(&types, |b, v| {
        let results = b.inline(p, v, None)?;
        let mut all = b.splat(&f64s(&[]), 0.0);
        for r in results {
            let dims: Vec<usize> = (0..b.ty(r).rank()).collect();
            let sum = b.reduce(r, &dims, Monoid::Add)?;
            all = b.add(all, sum)?;
        }
        Ok(vec![all])
    });
    let wrt: Vec<usize> = (0..types.len()).collect();
    let results = eval(&value_and_grad(&sum, &wrt).unwrap(), args);
    results[1..].iter().flat_map(Tensor::to_f64s).collect()
}

/// Singular and degenerate matrices: what has no derivative shows as inf or NaN.
#[test]
fn where_there_is_none() {
    let square = f64s(&[2, 2]);
    let lu = |keep: &[usize]| one(lapack(Lapack::Getrf), &square, keep);
    let svd = |ty: &TensorType, vectors: bool| {
        let keep = if vectors { &[1, 2, 3][..] } else { &[1] };
        one(lapack(Lapack::Gesdd { vectors, full: false }), ty, keep)
    };
    let solve = |op: Op, types: &[TensorType], place: usize| {
        program(types, |b, v| Ok(vec![b.push(op.clone(), v)?[place]]))
    };
    let triangular = linalg(Linalg::TriangularSolve {
        left_side: true,
        lower: true,
        unit_diagonal: false,
        transpose: MatrixTranspose::No,
    });
    let triangular = solve(triangular, &[square.clone(), square.clone()], 0);
    let [three, columns] = [f64s(&[3]), f64s(&[3, 1])];
    let bands = [three.clone(), three.clone(), three.clone(), columns];
    let tridiagonal = |op: Lapack, place: usize| solve(lapack(op), &bands, place);
    let qr_of =
        |pivoted: bool| program(std::slice::from_ref(&square), |b, v| Ok(qr(b, v[0], pivoted)?.to_vec()));
    let geev = one(lapack(Lapack::Geev { left: false, right: false }), &square, &[0, 1]);
    let matrix = |x: [f64; 4]| vec![tensor(&[2, 2], &x)];
    let [indefinite, ones, unit] = [[1.0, 2.0, 2.0, 1.0], [1.0; 4], [1.0, 0.0, 0.0, 1.0]].map(matrix);
    let tall = vec![tensor(&[3, 2], &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0])];
    let zero = [&matrix([0.0, 0.0, 1.0, 1.0])[..], &ones].concat();
    let none = tensor(&[3], &[0.0; 3]);
    let no_bands = vec![none.clone(), none.clone(), none, tensor(&[3, 1], &[1.0; 3])];
    for (what, p, args) in [
        ("cholesky", one(linalg(Linalg::Cholesky { lower: true }), &square, &[0]), &indefinite),
        ("potrf", one(lapack(Lapack::Potrf { lower: true }), &square, &[0]), &indefinite),
        ("triangular_solve", triangular, &zero),
        ("gtsv", tridiagonal(Lapack::Gtsv, 3), &no_bands),
        ("getrf", lu(&[0]), &ones),
        ("geqrf", qr_of(false), &ones),
        ("geqp3", qr_of(true), &ones),
        ("svd, equal values", svd(&square, true), &unit),
        ("svd, a zero", svd(&f64s(&[3, 2]), true), &tall),
    ] {
        let found = gradient_of_sum(&p, args);
        assert!(found.iter().any(|v| !v.is_finite()), "{what}: {found:?}");
    }
    // Values alone have one, and so has the sum of equal eigenvalues.
    assert_eq!(gradient_of_sum(&svd(&square, false), &unit), [1.0, 0.0, 0.0, 1.0]);
    assert_eq!(gradient_of_sum(&geev, &unit), [1.0, 0.0, 0.0, 1.0]);
    // Pivots that are 0 are perturbed, so there are numbers, and large ones.
    let found = gradient_of_sum(&tridiagonal(Lapack::TridiagonalSolvePerturbed, 0), &no_bands);
    assert!(found.iter().any(|v| v.abs() > 1e300), "{found:?}");
}

#[test]
fn fourier_transforms() {
    use FftKind as K;
    for kind in [K::Fft, K::Ifft, K::Rfft, K::Irfft] {
        for lengths in [&[1][..], &[2], &[4], &[5], &[3, 4], &[2, 3], &[2, 1, 2], &[0]] {
            let mut shape = vec![2];
            shape.extend(lengths);
            let last = shape.len() - 1;
            if kind == K::Irfft && lengths[0] > 0 {
                shape[last] = shape[last] / 2 + 1;
            }
            let ty = TensorType::new(if kind == K::Rfft { DType::F64 } else { DType::C128 }, shape);
            let op = Op::Fft { kind, lengths: lengths.to_vec() };
            let p = program(std::slice::from_ref(&ty), |b, v| {
                let square = b.mul(v[0], v[0])?;
                Ok(vec![b.push1(op.clone(), &[square])?])
            });
            check2(&format!("{op:?}"), &p, &[random(&ty, "x", -1.0, 1.0)], &[0]);
        }
    }
}
