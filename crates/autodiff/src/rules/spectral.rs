//! Tangents of eigenvalues, eigenvectors and singular values.
//!
//! Formulas: M. Giles, "Collected matrix derivative results for forward and reverse mode algorithmic differentiation"
//! (2008), section 3. Vectors of equal values, and singular vectors of value 0, have no derivative: where they take part
//! the result is not finite, and not silently wrong. Values alone have one.

use super::linalg::Tangents;
use super::matrix::{
    adjoint, diagonal, flip, hermitian, identity, mm, on_diagonal, real, scale_columns, scale_rows, size,
    spread,
};
use super::{Made, unsupported};
use crate::linearize::Context;
use pullback_ir::{Builder, DTypeClass, Instr, Lapack, Linalg, Monoid, Op, TypeError, UnaryOp, Value};

fn lapack(b: &mut Builder, op: Lapack, a: Value) -> Result<Vec<Value>, TypeError> {
    b.push(Op::Linalg(Linalg::Lapack(op)), &[a])
}

/// 1 / (v[j] - v[i]) at row i and column j, and 0 on the diagonal.
fn inverse_differences(b: &mut Builder, v: Value) -> Made {
    let shape = [b.ty(v).shape(), &b.ty(v).shape()[b.ty(v).rank() - 1..]].concat();
    let (across, down) = (spread(b, v, &shape, false)?, spread(b, v, &shape, true)?);
    let d = b.sub(across, down)?;
    let ty = b.ty(d).clone();
    let one = identity(b, &ty)?;
    let d = b.add(d, one)?;
    let ones = b.splat(&ty, 1.0);
    let inverse = b.div(ones, d)?;
    b.sub(inverse, one)
}

/// a = v w v^H: with s = v^H da v, dw = diag(s) and dv = v (f ∘ s), f[i,j] = 1 / (w[j] - w[i]).
pub(super) fn eigh(cx: &mut Context, instr: &Instr, is_lower: bool, vectors: bool) -> Tangents {
    let a = instr.operands()[0];
    let Some(da) = cx.tangent(a) else { return Ok(Vec::new()) };
    let needs_vectors = cx.needed(instr.results()[0]) && vectors;
    let (v, w) = if vectors {
        (cx.value(instr.results()[0]), cx.value(instr.results()[1]))
    } else {
        let pa = cx.value(a);
        let made = lapack(&mut cx.primal, Lapack::Syevd { lower: is_lower, vectors: true }, pa)?;
        (made[0], made[1])
    };
    let f = if needs_vectors {
        let f = inverse_differences(&mut cx.primal, w)?;
        let f = cx.primal.convert(f, cx.ty(a).dtype())?;
        Some(cx.fixed(f))
    } else {
        None
    };
    let v = cx.fixed(v);
    let b = &mut cx.linear;
    let da = hermitian(b, da, is_lower)?;
    let vh = adjoint(b, v)?;
    let s = mm(b, vh, da)?;
    let s = mm(b, s, v)?;
    let dw = diagonal(b, s)?;
    let dw = real(b, dw)?;
    let dv = match f {
        Some(f) => {
            let turn = b.mul(f, s)?;
            Some(mm(b, v, turn)?)
        }
        None => None,
    };
    Ok(vec![dv, Some(dw)])
}

/// a = u s v^H, d = u^H da v: ds = diag(d). Off the diagonal the turns of u and v solve d = p s - s q with p and q
/// anti-Hermitian; on it, of complex matrices, all is given to u. What of da lies outside the columns of u or of v
/// turns them too.
pub(super) fn svd(cx: &mut Context, instr: &Instr, vectors: bool, full: bool) -> Tangents {
    let a = instr.operands()[0];
    let Some(da) = cx.tangent(a) else { return Ok(Vec::new()) };
    let pa = cx.value(a);
    let [m, n] = size(&cx.primal, pa);
    let [u_result, v_result] = [instr.results()[2], instr.results()[3]];
    let turns = vectors && (cx.needed(u_result) || cx.needed(v_result));
    if turns && full && m != n {
        let help = "singular vectors beyond the matrix's rank have no derivative: use full_matrices=False";
        return unsupported(cx, instr, "lapack_gesdd with all singular vectors", help).map(|t| vec![t]);
    }
    // All vectors of a matrix that is not square cannot be differentiated again, so the first ones are made anew.
    let [s, u, vh] = if vectors && (!full || m == n) {
        [1, 2, 3].map(|i| cx.value(instr.results()[i]))
    } else {
        let made = lapack(&mut cx.primal, Lapack::Gesdd { vectors: true, full: false }, pa)?;
        [made[1], made[2], made[3]]
    };
    let dtype = cx.ty(a).dtype();
    let b = &mut cx.primal;
    let coefficients = if turns {
        let squares = b.mul(s, s)?;
        let ones = b.splat(&b.ty(s).clone(), 1.0);
        let inverse = b.div(ones, s)?;
        let f = inverse_differences(b, squares)?;
        let f = b.convert(f, dtype)?;
        Some([s, inverse, f].map(|p| cx.fixed(p)))
    } else {
        None
    };
    let (u, vh) = (cx.fixed(u), cx.fixed(vh));
    let b = &mut cx.linear;
    let (uh, v) = (adjoint(b, u)?, adjoint(b, vh)?);
    let d = mm(b, uh, da)?;
    let d = mm(b, d, v)?;
    let ds = diagonal(b, d)?;
    let ds = real(b, ds)?;
    let Some(coefficients) = coefficients else { return Ok(vec![None, Some(ds)]) };
    let (du, dv) = turned(b, da, d, [u, v, uh, vh], coefficients)?;
    let dvh = adjoint(b, dv)?;
    Ok(vec![None, Some(ds), Some(du), Some(dvh)])
}

/// Tangents of u and v, from d = u^H da v and the coefficients s, 1/s and 1/(s[j]^2 - s[i]^2).
fn turned(
    b: &mut Builder,
    da: Value,
    d: Value,
    [u, v, uh, vh]: [Value; 4],
    [s, inverse, f]: [Value; 3],
) -> Result<(Value, Value), TypeError> {
    let dh = adjoint(b, d)?;
    // d[i,j] s[j] + s[i] conj(d[j,i]), and with s the other way.
    let (x, y) = (scale_columns(b, d, s)?, scale_rows(b, dh, s)?);
    let p = b.add(x, y)?;
    let mut p = b.mul(f, p)?;
    let (x, y) = (scale_rows(b, d, s)?, scale_columns(b, dh, s)?);
    let q = b.add(x, y)?;
    let q = b.mul(f, q)?;
    if b.ty(d).dtype().class() == DTypeClass::Complex {
        let phase = b.sub(d, dh)?;
        let phase = b.scale(phase, 0.5)?;
        let phase = on_diagonal(b, phase)?;
        let phase = scale_columns(b, phase, inverse)?;
        p = b.add(p, phase)?;
    }
    let (mut du, mut dv) = (mm(b, u, p)?, mm(b, v, q)?);
    let [m, n] = size(b, da);
    if m > n {
        let outside = mm(b, da, v)?;
        let outside = outside_of(b, outside, u, uh)?;
        let outside = scale_columns(b, outside, inverse)?;
        du = b.add(du, outside)?;
    }
    if n > m {
        let dah = adjoint(b, da)?;
        let outside = mm(b, dah, u)?;
        let outside = outside_of(b, outside, v, vh)?;
        let outside = scale_columns(b, outside, inverse)?;
        dv = b.add(dv, outside)?;
    }
    Ok((du, dv))
}

/// x - u u^H x
fn outside_of(b: &mut Builder, x: Value, u: Value, uh: Value) -> Made {
    let inside = mm(b, uh, x)?;
    let inside = mm(b, u, inside)?;
    b.sub(x, inside)
}

/// Eigenvalues of a general matrix, with left vectors l and right ones r: dw = diag(l^H da r) / diag(l^H r).
pub(super) fn eigenvalues(cx: &mut Context, instr: &Instr) -> Tangents {
    let a = instr.operands()[0];
    let Some(da) = cx.tangent(a) else { return Ok(Vec::new()) };
    let is_complex = cx.ty(a).dtype().class() == DTypeClass::Complex;
    let values = if is_complex { 1 } else { 2 };
    if instr.results()[values..].iter().any(|&v| cx.needed(v)) {
        let help = "eigenvectors of a general matrix have no rule (as in JAX): use eigh where it is Hermitian, or \
                    stop their gradient; second derivatives of eigenvalues need them too";
        return unsupported(cx, instr, "eigenvectors by lapack_geev", help).map(|t| vec![t]);
    }
    let (pa, name) = (cx.value(a), cx.source().value_name(instr.results()[0]));
    let b = &mut cx.primal;
    let made = lapack(b, Lapack::Geev { left: true, right: true }, pa)?;
    // What is refused next time is said of the value that the program has.
    if let Some(name) = name {
        b.name(made[0], name);
    }
    let (l, r) = (made[values], made[values + 1]);
    let lh = adjoint(b, l)?;
    let rt = flip(b, r)?;
    let rank = b.ty(rt).rank();
    let scale = b.mul(lh, rt)?;
    let scale = b.reduce(scale, &[rank - 1], Monoid::Add)?;
    let (lh, rt, scale) = (cx.fixed(lh), cx.fixed(rt), cx.fixed(scale));
    let b = &mut cx.linear;
    let da = b.convert(da, b.ty(lh).dtype())?;
    let x = mm(b, lh, da)?;
    let x = b.mul(x, rt)?;
    let x = b.reduce(x, &[rank - 1], Monoid::Add)?;
    let dw = b.div(x, scale)?;
    if is_complex {
        return Ok(vec![Some(dw)]);
    }
    Ok(vec![Some(b.unary(UnaryOp::Real, dw)?), Some(b.unary(UnaryOp::Imag, dw)?)])
}
