//! Factorisations, as JAX exports them for the CPU, of generic matrices.

use crate::pen::{Pen, V, at, ty};

/// A matrix with distinct numbers added to its diagonal.
fn regular(p: &mut Pen, n: usize, m: usize) -> V {
    let mut values = p.numbers(n * m);
    for i in 0..n.min(m) {
        values[i * m + i] += 2.0 + i as f64;
    }
    p.arg(&[n, m], &values)
}

/// a + aᵀ
fn symmetric(p: &mut Pen, a: &V) -> V {
    let text = format!("stablehlo.transpose {}, dims = [1, 0] : ({}) -> {}", a.name, a.ty(), a.ty());
    let turned = p.push(&a.shape, &text);
    p.op("add", &[a, &turned])
}

fn product(p: &mut Pen, a: &V, b: &V) -> V {
    let shape = [a.shape[0], b.shape[1]];
    let text = format!(
        "stablehlo.dot_general {}, {}, contracting_dims = [1] x [0] : ({}, {}) -> {}",
        a.name,
        b.name,
        a.ty(),
        b.ty(),
        ty(&shape, "f64")
    );
    p.push(&shape, &text)
}

/// A call of LAPACK with results of these types.
fn call(p: &mut Pen, target: &str, of: &[&V], config: &str, results: &[String]) -> String {
    let out = p.name();
    let names: Vec<&str> = of.iter().map(|v| v.name.as_str()).collect();
    let types: Vec<String> = of.iter().map(|v| v.ty()).collect();
    let count = if results.len() == 1 { String::new() } else { format!(":{}", results.len()) };
    let given = if results.len() == 1 { results[0].clone() } else { format!("({})", results.join(", ")) };
    p.raw(&format!(
        "{out}{count} = stablehlo.custom_call @lapack_{target}_ffi({}) {{mhlo.backend_config = {{{config}}}, \
         mhlo.frontend_attributes = {{num_batch_dims = \"0\"}}}} : ({}) -> {given}",
        names.join(", "),
        types.join(", ")
    ));
    out
}

/// Both triangles, solved with from both sides.
pub fn cholesky(p: &mut Pen) -> Vec<V> {
    let (n, m) = (1 + p.below(4), 1 + p.below(3));
    let a = regular(p, n, n);
    let spd = {
        let turned = format!("stablehlo.transpose {}, dims = [1, 0] : ({}) -> {}", a.name, a.ty(), a.ty());
        let turned = p.push(&a.shape, &turned);
        product(p, &a, &turned)
    };
    let lower = p.below(2) == 0;
    let l = p.push(&[n, n], &format!("stablehlo.cholesky {}, lower = {lower} : {}", spd.name, spd.ty()));
    let left = p.below(2) == 0;
    let shape = if left { [n, m] } else { [m, n] };
    let b = p.free(&shape);
    let way = p.one_of(&["NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"]);
    let unit = p.below(3) == 0;
    let line = format!(
        "\"stablehlo.triangular_solve\"({}, {}) <{{left_side = {left}, lower = {lower}, transpose_a = #stablehlo<transpose {way}>, \
         unit_diagonal = {unit}}}> : ({}, {}) -> {}",
        l.name,
        b.name,
        l.ty(),
        b.ty(),
        b.ty()
    );
    vec![p.push(&shape, &line), p.op("sine", &[&l])]
}

pub fn lu(p: &mut Pen) -> Vec<V> {
    let (n, m) = (1 + p.below(4), 1 + p.below(4));
    let a = regular(p, n, m);
    let k = n.min(m);
    let results = [ty(&[n, m], "f64"), ty(&[k], "i32"), ty(&[], "i32")];
    let out = call(p, "dgetrf", &[&a], "", &results);
    vec![p.bend(&at(&format!("{out}#0"), &[n, m]))]
}

/// q of a square or tall matrix times r.
pub fn qr(p: &mut Pen) -> Vec<V> {
    let m = 1 + p.below(3);
    let n = m + p.below(2);
    let a = regular(p, n, m);
    let out = call(p, "dgeqrf", &[&a], "", &[ty(&[n, m], "f64"), ty(&[m], "f64")]);
    let (r, tau) = (at(&format!("{out}#0"), &[n, m]), at(&format!("{out}#1"), &[m]));
    let q = call(p, "dorgqr", &[&r, &tau], "", &[ty(&[n, m], "f64")]);
    let q = at(&q, &[n, m]);
    vec![p.bend(&r), p.bend(&q)]
}

pub fn eigh(p: &mut Pen) -> Vec<V> {
    let n = 1 + p.below(4);
    let a = regular(p, n, n);
    let a = symmetric(p, &a);
    let results = [ty(&[n, n], "f64"), ty(&[n], "f64"), ty(&[], "i32")];
    let out = call(p, "dsyevd", &[&a], "mode = 86 : ui8, uplo = 76 : ui8", &results);
    let vectors = at(&format!("{out}#0"), &[n, n]);
    vec![p.op("multiply", &[&vectors, &vectors]), at(&format!("{out}#1"), &[n])]
}

pub fn svd(p: &mut Pen) -> Vec<V> {
    let (n, m) = (1 + p.below(4), 1 + p.below(4));
    let a = regular(p, n, m);
    let k = n.min(m);
    let results =
        [ty(&[n, m], "f64"), ty(&[k], "f64"), ty(&[n, k], "f64"), ty(&[k, m], "f64"), ty(&[], "i32")];
    let out = call(p, "dgesdd", &[&a], "mode = 83 : ui8", &results);
    let (u, v) = (at(&format!("{out}#2"), &[n, k]), at(&format!("{out}#3"), &[k, m]));
    vec![product(p, &u, &v), p.bend(&at(&format!("{out}#1"), &[k])), p.op("multiply", &[&u, &u])]
}

/// Of a matrix that is not symmetric; real parts, which are what is near its diagonal.
pub fn eigenvalues(p: &mut Pen) -> Vec<V> {
    let n = 1 + p.below(4);
    let a = regular(p, n, n);
    let results = [
        ty(&[n], "f64"),
        ty(&[n], "f64"),
        ty(&[n, n], "complex<f64>"),
        ty(&[n, n], "complex<f64>"),
        ty(&[], "i32"),
    ];
    let out = call(p, "dgeev", &[&a], "compute_left = 78 : ui8, compute_right = 78 : ui8", &results);
    vec![at(&format!("{out}#0"), &[n]), at(&format!("{out}#1"), &[n])]
}
