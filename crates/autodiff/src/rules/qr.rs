//! Tangents of QR as LAPACK does it: reflectors by geqrf or geqp3, then columns of their product by orgqr.
//!
//! The two are one factorisation a = q r. The tangent of q follows from that of a, so orgqr looks for the geqrf its
//! reflectors come from. Formulas: Walter and Lehmann (2010), with X = da r^-1, W = q^H X and Ω the part of W below the
//! diagonal made anti-Hermitian (with the imaginary diagonal, since LAPACK's r has a real one): dq = q (Ω - W) + X,
//! dr = q^H da - Ω r. Where a has more columns than rows its first ones give q.

use super::linalg::{Tangents, take_rows};
use super::matrix::{
    adjoint, corner, diagonal, flip, grow, identity, lower, mm, on_diagonal, real, size, solve, upper,
};
use super::{Tangent, unsupported, zero};
use crate::linearize::Context;
use pullback_ir::{
    Builder, Comparison, DType, Instr, Lapack, Linalg, Op, Program, TypeError, UnaryOp, Value, ValueDef,
};

/// The factorisation's parts in the primal program.
struct Parts {
    q: Value,
    r: Value,
    /// r's first columns, as many as rows.
    square: Value,
    k: usize,
}

fn parts(b: &mut Builder, packed: Value, taus: Value) -> Result<Parts, TypeError> {
    let [m, n] = size(b, packed);
    let k = m.min(n);
    let reflectors = corner(b, packed, m, k)?;
    let q = b.push1(Op::Linalg(Linalg::Lapack(Lapack::Orgqr)), &[reflectors, taus])?;
    let r = corner(b, packed, k, n)?;
    let r = upper(b, r, 0)?;
    let square = corner(b, r, k, k)?;
    Ok(Parts { q, r, square, k })
}

/// Ω and dq for the tangent `da` of the factorised matrix, in the linear program; q and the square part of r are given
/// as they stand there.
fn moved(b: &mut Builder, da: Value, q: Value, square: Value, k: usize) -> Result<[Value; 2], TypeError> {
    let m = size(b, da)[0];
    let da = corner(b, da, m, k)?;
    let x = solve(b, square, da, false, false, false)?;
    let qh = adjoint(b, q)?;
    let w = mm(b, qh, x)?;
    let below = lower(b, w, -1)?;
    let above = adjoint(b, below)?;
    let mut omega = b.sub(below, above)?;
    if b.ty(w).dtype() != b.ty(w).dtype().part() {
        let re = real(b, w)?;
        let re = b.convert(re, b.ty(w).dtype())?;
        let im = b.sub(w, re)?;
        let im = on_diagonal(b, im)?;
        omega = b.add(omega, im)?;
    }
    let turn = b.sub(omega, w)?;
    let inside = mm(b, q, turn)?;
    Ok([omega, b.add(inside, x)?])
}

/// The tangent of the matrix that a geqrf or geqp3 factorises, columns in the order of the factors.
fn factorised(cx: &mut Context, instr: &Instr) -> Tangent {
    let Some(da) = cx.tangent(instr.operands()[0]) else { return zero() };
    if !matches!(instr.op(), Op::Linalg(Linalg::Lapack(Lapack::Geqp3))) {
        return Ok(Some(da));
    }
    let order = cx.value(instr.results()[1]);
    let b = &mut cx.primal;
    let one = b.splat(&b.ty(order).clone(), 1.0);
    let order = b.sub(order, one)?;
    let order = cx.fixed(order);
    let b = &mut cx.linear;
    let columns = flip(b, da)?;
    let columns = take_rows(b, columns, order)?;
    Ok(Some(flip(b, columns)?))
}

/// Tangents of r, packed with the reflectors, and of their factors tau. The reflectors v follow from those of q: the
/// identity less q is v (t v1^H), an LU factorisation without pivots, and the diagonal of its second factor is tau
/// (Ballard and others, "Reconstructing Householder vectors from TSQR", 2014). A reflector that is the identity has no
/// derivative; then its vector gets none.
pub(super) fn reflectors(cx: &mut Context, instr: &Instr) -> Tangents {
    let Some(da) = factorised(cx, instr)? else { return Ok(Vec::new()) };
    let taus_at = instr.results().len() - 1;
    let (packed, taus) = (cx.value(instr.results()[0]), cx.value(instr.results()[taus_at]));
    let b = &mut cx.primal;
    let [m, n] = size(b, packed);
    let Parts { q, r, square, k } = parts(b, packed, taus)?;
    let v = corner(b, packed, m, k)?;
    let v = lower(b, v, -1)?;
    let v = grow(b, v, m, m)?;
    let second = second_factor(b, q, v, k)?;
    let [q, r, square, v, exact, regular] = [q, r, square, v, second[0], second[1]].map(|p| cx.fixed(p));

    let b = &mut cx.linear;
    let [omega, dq] = moved(b, da, q, square, k)?;
    let qh = adjoint(b, q)?;
    let (left, right) = (mm(b, qh, da)?, mm(b, omega, r)?);
    let dr = b.sub(left, right)?;
    let dr = upper(b, dr, 0)?;
    let dr = grow(b, dr, m, n)?;

    let inner = solve(b, v, dq, true, true, true)?;
    let y = solve(b, regular, inner, false, false, false)?;
    // The identity less q, so all with the other sign.
    let below = lower(b, y, -1)?;
    let dv = mm(b, v, below)?;
    let dv = b.add(dv, below)?;
    let dv = grow(b, dv, m, n)?;
    let packed = b.sub(dr, dv)?;

    let inner = corner(b, inner, k, k)?;
    let below = corner(b, below, k, k)?;
    let part = mm(b, below, exact)?;
    let negative = b.sub(inner, part)?;
    let d = diagonal(b, negative)?;
    let d = b.unary(UnaryOp::Negate, d)?;
    Ok(if taus_at == 1 { vec![Some(packed), Some(d)] } else { vec![Some(packed), None, Some(d)] })
}

/// t v1^H of the identity less q = v (t v1^H): as it is, and with ones for zeros of its diagonal.
fn second_factor(b: &mut Builder, q: Value, v: Value, k: usize) -> Result<[Value; 2], TypeError> {
    let (q, v) = (corner(b, q, k, k)?, corner(b, v, k, k)?);
    let ty = b.ty(q).clone();
    let one = identity(b, &ty)?;
    let rest = b.sub(one, q)?;
    let u = solve(b, v, rest, true, true, true)?;
    let u = upper(b, u, 0)?;
    let tiny = b.splat(&b.ty(u).with_dtype(ty.dtype().part()), 1e-3 * epsilon(ty.dtype()));
    let size = b.unary(UnaryOp::Abs, u)?;
    let none = b.compare(Comparison::Le, size, tiny)?;
    let zeros = b.splat(&ty, 0.0);
    let patch = b.select(none, one, zeros)?;
    let regular = b.add(u, patch)?;
    Ok([u, regular])
}

fn epsilon(dtype: DType) -> f64 {
    if dtype.part() == DType::F64 { f64::EPSILON } else { f32::EPSILON.into() }
}

/// The tangent of q = orgqr(reflectors, tau).
pub(super) fn columns(cx: &mut Context, instr: &Instr) -> Tangent {
    let Some(qr) = origin(cx.source(), instr) else {
        let help = "reflectors that do not come from one QR factorisation have no rule: use jnp.linalg.qr";
        return unsupported(cx, instr, "lapack_orgqr", help);
    };
    let taus_at = qr.results().len() - 1;
    let k = *cx.ty(qr.results()[taus_at]).shape().last().unwrap_or(&0);
    let own = *cx.ty(instr.result()).shape().last().unwrap_or(&0);
    if own != k {
        let help = "a complete q of a matrix with more rows than columns has no rule: use mode='reduced'";
        return unsupported(cx, instr, "lapack_orgqr", help);
    }
    let Some(da) = factorised(cx, qr)? else { return zero() };
    let packed = cx.value(qr.results()[0]);
    let taus = cx.value(qr.results()[taus_at]);
    let Parts { q: _, square, k, .. } = parts(&mut cx.primal, packed, taus)?;
    let q = cx.value(instr.result());
    let (q, square) = (cx.fixed(q), cx.fixed(square));
    let [_, dq] = moved(&mut cx.linear, da, q, square, k)?;
    Ok(Some(dq))
}

/// The geqrf or geqp3 of which an orgqr takes reflectors and tau, possibly cut to their columns or with more after them.
fn origin<'p>(program: &'p Program, orgqr: &Instr) -> Option<&'p Instr> {
    let (mut v, taus) = (orgqr.operands()[0], orgqr.operands()[1]);
    let reflectors = program.ty(taus).shape().last().copied()?;
    loop {
        let ValueDef::Result(id, position) = program.def(v) else { return None };
        let instr = program.instr(id);
        if let Op::Linalg(Linalg::Lapack(Lapack::Geqrf | Lapack::Geqp3)) = instr.op() {
            let own = position == 0 && instr.results().last() == Some(&taus);
            return own.then_some(instr);
        }
        v = *instr.operands().first()?;
        if !keeps(instr.op(), program.ty(v).shape(), reflectors) {
            return None;
        }
    }
}

/// Whether an op cuts columns off the end of matrices of this shape, but leaves `columns`, or adds some.
fn keeps(op: &Op, shape: &[usize], columns: usize) -> bool {
    let Some(last) = shape.len().checked_sub(1) else { return false };
    if let Op::Slice { starts, limits, strides } = op {
        let first = starts.iter().all(|&s| s == 0) && strides.iter().all(|&s| s == 1);
        return first && limits[..last] == shape[..last] && limits[last] >= columns;
    }
    let Op::Pad { low, high, interior } = op else { return false };
    let after = low.iter().all(|&n| n == 0) && interior.iter().all(|&n| n == 0);
    after && high[..last].iter().all(|&n| n == 0) && high[last] >= 0
}
