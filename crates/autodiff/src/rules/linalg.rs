//! Tangents of matrix factorisations and solutions.
//!
//! Formulas: M. Giles, "Collected matrix derivative results for forward and reverse mode algorithmic differentiation"
//! (2008), sections 2.2 and 2.3; for LU and QR: S. F. Walter and L. Lehmann, "Algorithmic differentiation of linear
//! algebra functions with application in optimum experimental design" (2010). Of a Hermitian matrix one triangle is
//! read, so only that one gets a cotangent. Eigenvalues and singular values are in `spectral`.

use super::matrix::{
    Solve, adjoint, conj, corner, flip, grow, hermitian, identity, lower, mm, on_diagonal, size, solve,
    triangle, upper,
};
use super::{Made, Tangent, fixed, qr, spectral, tridiagonal, unsupported, zero};
use crate::error::AdError;
use crate::linearize::Context;
use pullback_ir::{
    Builder, Comparison, DType, GatherDims, Instr, Lapack, Linalg, MatrixTranspose, Monoid, Op, TensorType,
    TypeError, UnaryOp, Value,
};

pub(super) type Tangents = Result<Vec<Option<Value>>, AdError>;

/// Tangents of the results of a matrix op.
pub(super) fn tangents(cx: &mut Context, instr: &Instr, op: &Linalg) -> Tangents {
    if instr.operands().iter().all(|&v| cx.ty(v).count() == 0) {
        return Ok(Vec::new());
    }
    let one = |t: Option<Value>| vec![t];
    match op {
        Linalg::Cholesky { lower } => cholesky(cx, instr, *lower).map(one),
        Linalg::TriangularSolve { left_side, lower, unit_diagonal, transpose } => {
            let s = Solve {
                left_side: *left_side,
                lower: *lower,
                unit_diagonal: *unit_diagonal,
                transpose: *transpose,
            };
            triangular_solve(cx, instr, s).map(one)
        }
        Linalg::Lapack(l) => match l {
            Lapack::Potrf { lower } => potrf(cx, instr, *lower).map(one),
            Lapack::Getrf => lu(cx, instr).map(one),
            Lapack::Geqrf | Lapack::Geqp3 => qr::reflectors(cx, instr),
            Lapack::Orgqr => qr::columns(cx, instr).map(one),
            Lapack::Syevd { lower, vectors } => spectral::eigh(cx, instr, *lower, *vectors),
            Lapack::Gesdd { vectors, full } => spectral::svd(cx, instr, *vectors, *full),
            Lapack::Geev { .. } => spectral::eigenvalues(cx, instr),
            Lapack::Ormqr { .. } => {
                unsupported(cx, instr, "lapack_ormqr", "multiply by q as jnp.linalg.qr gives it").map(one)
            }
            Lapack::Gtsv | Lapack::TridiagonalSolvePerturbed => tridiagonal::tangents(cx, instr),
            Lapack::Sytrd { .. } | Lapack::Gees { .. } | Lapack::Gehrd { .. } => {
                let help = "as in JAX: use eigh, eigvals, qr or svd, or stop its gradient";
                unsupported(cx, instr, instr.op().name(), help).map(one)
            }
        },
    }
}

fn cholesky(cx: &mut Context, instr: &Instr, is_lower: bool) -> Tangent {
    let Some(da) = cx.tangent(instr.operands()[0]) else { return zero() };
    let l = fixed(cx, instr.result());
    Ok(Some(factor(&mut cx.linear, l, da, is_lower)?))
}

/// With a = l l^H: dl = l Φ(l^-1 da l^-H), Φ taking the lower triangle and half the diagonal; with a = u^H u
/// correspondingly.
fn factor(b: &mut Builder, l: Value, da: Value, is_lower: bool) -> Made {
    let s = hermitian(b, da, is_lower)?;
    let side = |left_side: bool| Solve {
        left_side,
        lower: is_lower,
        unit_diagonal: false,
        transpose: if left_side == is_lower { MatrixTranspose::No } else { MatrixTranspose::Adjoint },
    };
    let x = side(true).of(b, l, s)?;
    let x = side(false).of(b, l, x)?;
    let strict = triangle(b, x, is_lower, false)?;
    let half = on_diagonal(b, x)?;
    let half = b.scale(half, 0.5)?;
    let x = b.add(strict, half)?;
    if is_lower { mm(b, l, x) } else { mm(b, x, l) }
}

/// The factor in one triangle; the other is the operand's.
fn potrf(cx: &mut Context, instr: &Instr, is_lower: bool) -> Tangent {
    let Some(da) = cx.tangent(instr.operands()[0]) else { return zero() };
    let (packed, info) = (cx.value(instr.results()[0]), cx.value(instr.results()[1]));
    let l = triangle(&mut cx.primal, packed, is_lower, true)?;
    let l = or_nan(&mut cx.primal, l, info)?;
    let l = cx.fixed(l);
    let b = &mut cx.linear;
    let dl = factor(b, l, da, is_lower)?;
    let rest = triangle(b, da, !is_lower, false)?;
    Ok(Some(b.add(dl, rest)?))
}

/// Matrices, or NaN where LAPACK says that it did not go through: what it left behind is no factor of anything.
pub(super) fn or_nan(b: &mut Builder, x: Value, info: Value) -> Made {
    let (ty, many) = (b.ty(x).clone(), b.ty(info).clone());
    let done = b.splat(&many, 0.0);
    let ok = b.compare(Comparison::Eq, info, done)?;
    let dims: Vec<usize> = (0..many.rank()).collect();
    let ok = b.broadcast(ok, ty.shape(), &dims)?;
    let none = b.splat(&ty, f64::NAN);
    b.select(ok, x, none)
}

/// op(a) x = b or x op(a) = b: op(a) dx = db - op(da) x, of da the triangle that is read.
fn triangular_solve(cx: &mut Context, instr: &Instr, s: Solve) -> Tangent {
    let (a, y) = (instr.operands()[0], instr.operands()[1]);
    let mut right = cx.tangent(y);
    if let Some(da) = cx.tangent(a) {
        let x = fixed(cx, instr.result());
        let b = &mut cx.linear;
        let da = triangle(b, da, s.lower, !s.unit_diagonal)?;
        let da = match s.transpose {
            MatrixTranspose::No => da,
            MatrixTranspose::Transpose => flip(b, da)?,
            MatrixTranspose::Adjoint => adjoint(b, da)?,
        };
        let moved = if s.left_side { mm(b, da, x)? } else { mm(b, x, da)? };
        right = Some(match right {
            Some(dy) => b.sub(dy, moved)?,
            None => b.unary(UnaryOp::Negate, moved)?,
        });
    }
    let Some(right) = right else { return zero() };
    let a = fixed(cx, a);
    Ok(Some(s.of(&mut cx.linear, a, right)?))
}

/// p a = l u, packed: with y = l^-1 p da u^-1, dl = l lower(y) and du = upper(y) u. Where a has more columns than rows
/// u is completed by ones on its diagonal, where it has more rows l is.
fn lu(cx: &mut Context, instr: &Instr) -> Tangent {
    let a = instr.operands()[0];
    let Some(da) = cx.tangent(a) else { return zero() };
    let (packed, pivots) = (cx.value(instr.results()[0]), cx.value(instr.results()[1]));
    let b = &mut cx.primal;
    let [m, n] = size(b, packed);
    let k = m.min(n);
    let order = row_order(b, pivots, m)?;
    let l = corner(b, packed, m, k)?;
    let l = lower(b, l, -1)?;
    let l = grow(b, l, m, m)?;
    let u = corner(b, packed, k, n)?;
    let u = upper(b, u, 0)?;
    let mut u = grow(b, u, n, n)?;
    if n > k {
        let ty = b.ty(u).clone();
        let ones = identity(b, &ty)?;
        // Rows from k on.
        let mut low = vec![0; ty.rank()];
        low[ty.rank() - 2] = k as i64;
        let first = b.push1(Op::Iota { ty: ty.with_dtype(DType::I64), dim: ty.rank() - 2 }, &[])?;
        let from = b.splat(&ty.with_dtype(DType::I64), k as f64);
        let after = b.compare(Comparison::Ge, first, from)?;
        u = b.select(after, ones, u)?;
    }
    let (order, l, u) = (cx.fixed(order), cx.fixed(l), cx.fixed(u));
    let b = &mut cx.linear;
    let da = take_rows(b, da, order)?;
    let y = solve(b, l, da, true, true, true)?;
    let y = solve(b, u, y, false, false, false)?;
    // l is stored without its ones.
    let below = lower(b, y, -1)?;
    let dl = mm(b, l, below)?;
    let dl = b.add(dl, below)?;
    let above = upper(b, y, 0)?;
    let du = mm(b, above, u)?;
    Ok(Some(b.add(dl, du)?))
}

/// From LAPACK's pivots (row i was exchanged with row pivots[i], from 1, one after the other) to the rows in their new
/// order. A loop over whole numbers, which nothing is differentiated through.
fn row_order(b: &mut Builder, pivots: Value, m: usize) -> Made {
    let shape = b.ty(pivots).shape().to_vec();
    let (outer, k) = shape.split_at(shape.len() - 1);
    let k = k.first().copied().unwrap_or(0);
    let rows = TensorType::new(DType::I32, [outer, &[m]].concat());
    let order = b.push1(Op::Iota { ty: rows.clone(), dim: outer.len() }, &[])?;
    let turn = TensorType::scalar(DType::I32);
    let types = [turn.clone(), rows.clone(), b.ty(pivots).clone()];
    let region = |name: &str| {
        let mut r = Builder::new(name);
        let args: Vec<Value> = types.iter().map(|ty| r.arg(None, ty.clone())).collect();
        (r, args)
    };
    let (mut cond, args) = region("cond");
    let end = cond.splat(&turn, k as f64);
    let more = cond.compare(Comparison::Lt, args[0], end)?;
    let cond = cond.finish(&[more]);

    let (mut body, args) = region("body");
    let (r, (i, order_now, pivots_now)) = (&mut body, (args[0], args[1], args[2]));
    let zero = r.splat(&turn, 0.0);
    let mut starts = vec![zero; outer.len()];
    starts.push(i);
    let one_each = [outer, &[1]].concat();
    let pivot = r.push1(Op::DynamicSlice { sizes: one_each }, &[&[pivots_now], &starts[..]].concat())?;
    let pivot = r.reshape(pivot, outer)?;
    let pivot = {
        let one = r.splat(&turn.with_shape(outer), 1.0);
        r.sub(pivot, one)?
    };
    let places = r.push1(Op::Iota { ty: rows.clone(), dim: outer.len() }, &[])?;
    let leading: Vec<usize> = (0..outer.len()).collect();
    let i_each = r.broadcast_scalar(i, rows.shape())?;
    let pivot_each = r.broadcast(pivot, rows.shape(), &leading)?;
    let here = r.compare(Comparison::Eq, places, i_each)?;
    let there = r.compare(Comparison::Eq, places, pivot_each)?;
    let none = r.splat(&rows, 0.0);
    let mut read = |at: Value| {
        let only = r.select(at, order_now, none)?;
        let sum = r.reduce(only, &[outer.len()], Monoid::Add)?;
        r.broadcast(sum, rows.shape(), &leading)
    };
    let (row_here, row_there) = (read(here)?, read(there)?);
    let swapped = r.select(there, row_here, order_now)?;
    let swapped = r.select(here, row_there, swapped)?;
    let one = r.splat(&turn, 1.0);
    let next = r.add(i, one)?;
    let body = body.finish(&[next, swapped]);

    let start = b.splat(&turn, 0.0);
    let op = Op::While { cond: Box::new(cond), body: Box::new(body) };
    let results = b.push(op, &[start, order, pivots])?;
    results.get(1).copied().ok_or_else(|| TypeError::new("a loop gives what it carries"))
}

/// The rows of `x` of these numbers, matrix by matrix.
pub(super) fn take_rows(b: &mut Builder, x: Value, rows: Value) -> Made {
    let r = b.ty(x).rank();
    let outer: Vec<usize> = (0..r - 2).collect();
    let mut slice_sizes = vec![1; r];
    slice_sizes[r - 1] = b.ty(x).shape()[r - 1];
    let dims = GatherDims {
        offset_dims: vec![r - 1],
        collapsed_slice_dims: vec![r - 2],
        operand_batching_dims: outer.clone(),
        start_indices_batching_dims: outer,
        start_index_map: vec![r - 2],
        index_vector_dim: b.ty(rows).rank(),
        slice_sizes,
        indices_are_sorted: false,
    };
    b.push1(Op::Gather(Box::new(dims)), &[x, rows])
}

/// What the right-hand side of a triangular or tridiagonal system gets of the solution's cotangent: the system's
/// transpose, not conjugated, solved for it. `of` is the operands before it.
pub(crate) fn solve_transposed(b: &mut Builder, ct: Value, of: &[Value], op: &Linalg) -> Made {
    let (left_side, lower, unit_diagonal, transpose, a) = match (op, of) {
        (Linalg::TriangularSolve { left_side, lower, unit_diagonal, transpose }, &[a]) => {
            (*left_side, *lower, *unit_diagonal, *transpose, a)
        }
        (Linalg::Lapack(Lapack::TridiagonalSolvePerturbed), &[below, d, above]) => {
            return tridiagonal::transposed(b, ct, [below, d, above]);
        }
        (Linalg::TriangularSolve { .. } | Linalg::Cholesky { .. } | Linalg::Lapack(_), _) => {
            return Err(TypeError::new(format!("{} is not linear", op.name())));
        }
    };
    let (a, transpose) = match transpose {
        MatrixTranspose::No => (a, MatrixTranspose::Transpose),
        MatrixTranspose::Transpose => (a, MatrixTranspose::No),
        MatrixTranspose::Adjoint => (conj(b, a)?, MatrixTranspose::No),
    };
    Solve { left_side, lower, unit_diagonal, transpose }.of(b, a, ct)
}
