//! LAPACK's routines give what LAPACK gives (`golden/lapack.txt`): equal where its conventions leave no choice, else up
//! to phases of vectors and the order of eigenvalues.

use pullback_eval::{Tensor, reference};
use pullback_ir::literal::{decode_f64, encode_f64};
use pullback_ir::{DType, TensorType};
use std::fmt::Write as _;

type C = (f64, f64);

struct Case {
    /// Name and attributes.
    call: String,
    operands: Vec<Tensor>,
    results: Vec<Tensor>,
}

fn tensor(text: &str) -> Tensor {
    let (ty, numbers) = text.split_once(' ').unwrap();
    let (dtype, shape) = ty.strip_suffix(']').unwrap().split_once('[').unwrap();
    let shape: Vec<usize> = shape.split(',').filter(|d| !d.is_empty()).map(|d| d.parse().unwrap()).collect();
    let ty = TensorType::new(DType::from_name(dtype).unwrap(), shape);
    let part = ty.dtype().part();
    let bytes: Vec<u8> =
        numbers.split(',').flat_map(|v| encode_f64(part, v.parse::<f64>().unwrap())).collect();
    Tensor::from_bytes(ty, &bytes).unwrap()
}

fn cases() -> Vec<Case> {
    let case = |line: &str| {
        let [call, operands, results]: [&str; 3] = line.split(" ; ").collect::<Vec<_>>().try_into().unwrap();
        let tensors = |text: &str| text.split(" | ").map(tensor).collect();
        Case { call: call.to_owned(), operands: tensors(operands), results: tensors(results) }
    };
    include_str!("../golden/lapack.txt").lines().map(case).collect()
}

/// The program of one call.
fn text(case: &Case) -> String {
    let (name, attrs) = case.call.split_once(' ').unwrap_or((&case.call, ""));
    let n = case.operands.len();
    let args: Vec<String> =
        case.operands.iter().enumerate().map(|(i, t)| format!("%{i}: {} \"a{i}\"", t.ty())).collect();
    let outs: Vec<String> =
        case.results.iter().enumerate().map(|(i, t)| format!("%{}: {}", n + i, t.ty())).collect();
    let uses: Vec<String> = (0..n).map(|i| format!("%{i}")).collect();
    let ends: Vec<String> = (0..outs.len()).map(|i| format!("%{}", n + i)).collect();
    let mut out =
        format!("program @f({}) {{\n  {} = {name} {}", args.join(", "), outs.join(", "), uses.join(", "));
    let set: Vec<String> =
        attrs.split_whitespace().filter(|a| !a.ends_with("=false")).map(|a| a.replace('=', " = ")).collect();
    if !set.is_empty() {
        write!(out, " {{{}}}", set.join(", ")).unwrap();
    }
    write!(out, "\n  return {}\n}}\n", ends.join(", ")).unwrap();
    out
}

/// Matrix `k` of a batch as rows.
fn matrix(t: &Tensor, k: usize) -> Vec<Vec<C>> {
    let [.., m, n] = t.shape()[..] else { panic!("{} has no matrices", t.ty()) };
    let all = numbers(t);
    (0..m).map(|i| all[(k * m + i) * n..][..n].to_vec()).collect()
}

fn vector(t: &Tensor, k: usize) -> Vec<C> {
    let n = *t.shape().last().unwrap();
    numbers(t)[k * n..(k + 1) * n].to_vec()
}

fn numbers(t: &Tensor) -> Vec<C> {
    let part = t.dtype().part();
    let parts: Vec<f64> = t.bytes().chunks_exact(part.size()).map(|e| decode_f64(part, e)).collect();
    match part == t.dtype() {
        true => parts.into_iter().map(|v| (v, 0.0)).collect(),
        false => parts.chunks(2).map(|p| (p[0], p[1])).collect(),
    }
}

fn mul(a: C, b: C) -> C {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

fn conj(a: C) -> C {
    (a.0, -a.1)
}

fn far(a: C, b: C) -> f64 {
    (a.0 - b.0).hypot(a.1 - b.1)
}

fn product(a: &[Vec<C>], b: &[Vec<C>]) -> Vec<Vec<C>> {
    let cell = |row: &Vec<C>, j: usize| {
        row.iter().zip(b).fold((0.0, 0.0), |s, (x, y)| (s.0 + mul(*x, y[j]).0, s.1 + mul(*x, y[j]).1))
    };
    a.iter().map(|row| (0..b[0].len()).map(|j| cell(row, j)).collect()).collect()
}

fn adjoint(a: &[Vec<C>]) -> Vec<Vec<C>> {
    (0..a[0].len()).map(|j| a.iter().map(|row| conj(row[j])).collect()).collect()
}

#[track_caller]
fn close(a: &[C], b: &[C], tolerance: f64, what: &str) {
    let size = b.iter().map(|v| v.0.hypot(v.1)).fold(1.0, f64::max);
    assert_eq!(a.len(), b.len(), "{what}");
    for (i, (x, y)) in a.iter().zip(b).enumerate() {
        assert!(far(*x, *y) <= tolerance * size, "{what}, {i}: {x:?} is not {y:?}\n{a:?}\n{b:?}");
    }
}

/// Vectors are equal up to a phase, which is given.
#[track_caller]
fn same_direction(a: &[C], b: &[C], tolerance: f64, what: &str) -> C {
    let phase = b.iter().zip(a).fold((0.0, 0.0), |s, (y, x)| {
        let p = mul(conj(*y), *x);
        (s.0 + p.0, s.1 + p.1)
    });
    let turned: Vec<C> = b.iter().map(|y| mul(*y, phase)).collect();
    close(a, &turned, tolerance, what);
    phase
}

/// For each of `b` the one of `a` that is nearest; each is taken once.
fn matching(a: &[C], b: &[C]) -> Vec<usize> {
    let mut left: Vec<usize> = (0..a.len()).collect();
    b.iter()
        .map(|y| {
            let nearest = |p: &usize, q: &usize| far(a[*p], *y).total_cmp(&far(a[*q], *y));
            let found = *left.iter().min_by(|p, q| nearest(p, q)).unwrap();
            left.retain(|p| *p != found);
            found
        })
        .collect()
}

#[test]
fn results_are_those_of_lapack() {
    let cases = cases();
    assert_eq!(cases.len(), 79);
    for case in &cases {
        let program = pullback_ir::text::parse(&text(case)).unwrap_or_else(|e| panic!("{e}\n{}", text(case)));
        assert_eq!(program.to_string(), text(case));
        let got = reference::eval(&program, &case.operands).unwrap();
        let first = &case.operands[0];
        let tolerance = if first.dtype().part() == DType::F64 { 1e-13 } else { 3e-6 };
        let what = format!("{} {}", case.call, first.ty());
        let routine = case.call.split(' ').next().unwrap();
        match routine {
            "lapack_gesdd" => gesdd(case, &got, tolerance, &what),
            "lapack_syevd" => syevd(case, &got, tolerance, &what),
            "lapack_geev" => geev(case, &got, tolerance, &what),
            "lapack_gees" => gees(case, &got, tolerance, &what),
            // Where it fails, only that counts.
            "lapack_potrf" if case.results[1].to_i64s().iter().any(|&i| i != 0) => {
                assert_eq!(got[1], case.results[1], "{what}");
            }
            _ => {
                for (k, (g, w)) in got.iter().zip(&case.results).enumerate() {
                    close(&numbers(g), &numbers(w), tolerance, &format!("{what}, result {k}"));
                }
            }
        }
    }
}

fn batch(t: &Tensor, inner: usize) -> usize {
    t.shape()[..t.ty().rank() - inner].iter().product()
}

fn gesdd(case: &Case, got: &[Tensor], tolerance: f64, what: &str) {
    let want = &case.results;
    close(&numbers(&got[1]), &numbers(&want[1]), tolerance, what);
    assert_eq!(got[4], want[4], "{what}");
    if case.call.contains("vectors=false") {
        return;
    }
    for b in 0..batch(&got[2], 2) {
        let [u, v] = [&got[2], &want[2]].map(|t| adjoint(&matrix(t, b)));
        let [x, y] = [&got[3], &want[3]].map(|t| matrix(t, b));
        for k in 0..vector(&got[1], b).len() {
            // Rows of u's adjoint and of v^H turn together.
            let p = same_direction(&u[k], &v[k], tolerance, what);
            let q = same_direction(&x[k], &y[k], tolerance, what);
            assert!(far(p, q) <= 10.0 * tolerance, "{what}: {p:?} {q:?}");
        }
    }
}

fn syevd(case: &Case, got: &[Tensor], tolerance: f64, what: &str) {
    let want = &case.results;
    close(&numbers(&got[1]), &numbers(&want[1]), tolerance, what);
    assert_eq!(got[2], want[2], "{what}");
    for b in 0..batch(&got[0], 2) {
        let [v, w] = [&got[0], &want[0]].map(|t| adjoint(&matrix(t, b)));
        for (x, y) in v.iter().zip(&w) {
            same_direction(x, y, 10.0 * tolerance, what);
        }
    }
}

/// The eigenvalues of matrix `b` among results from number `at` on.
fn eigenvalues(results: &[Tensor], at: usize, b: usize, real: bool) -> Vec<C> {
    let first = vector(&results[at], b);
    if !real {
        return first;
    }
    first.into_iter().zip(vector(&results[at + 1], b)).map(|(re, im)| (re.0, im.0)).collect()
}

fn geev(case: &Case, got: &[Tensor], tolerance: f64, what: &str) {
    let want = &case.results;
    let real = case.operands[0].dtype().is_float();
    let vectors = if real { 2 } else { 1 };
    assert_eq!(got.last(), want.last(), "{what}");
    for b in 0..batch(&case.operands[0], 2) {
        let (have, expected) = (eigenvalues(got, 0, b, real), eigenvalues(want, 0, b, real));
        let order = matching(&have, &expected);
        let ordered: Vec<C> = order.iter().map(|&k| have[k]).collect();
        close(&ordered, &expected, 10.0 * tolerance, what);
        for side in [vectors, vectors + 1] {
            let [v, w] = [&got[side], &want[side]].map(|t| adjoint(&matrix(t, b)));
            for (k, y) in w.iter().enumerate() {
                same_direction(&v[order[k]], y, 30.0 * tolerance, what);
            }
        }
    }
}

fn gees(case: &Case, got: &[Tensor], tolerance: f64, what: &str) {
    let want = &case.results;
    let real = case.operands[0].dtype().is_float();
    let n = got.len();
    assert_eq!(got[n - 2..], want[n - 2..], "{what}");
    for b in 0..batch(&case.operands[0], 2) {
        let (have, expected) = (eigenvalues(got, 2, b, real), eigenvalues(want, 2, b, real));
        let ordered: Vec<C> = matching(&have, &expected).iter().map(|&k| have[k]).collect();
        close(&ordered, &expected, 10.0 * tolerance, what);
        let (t, z) = (matrix(&got[0], b), matrix(&got[1], b));
        let back = product(&product(&z, &t), &adjoint(&z)).concat();
        close(&back, &matrix(&case.operands[0], b).concat(), 10.0 * tolerance, what);
    }
}

#[test]
fn what_is_not_finite_is_refused_by_info() {
    for (call, results) in [
        ("lapack_syevd {lower = true, vectors = true}", "f32[2,2] f32[2]"),
        ("lapack_gesdd {vectors = true, full = true}", "f32[2,2] f32[2] f32[2,2] f32[2,2]"),
        ("lapack_geev {right = true}", "f32[2] f32[2] c64[2,2] c64[2,2]"),
        ("lapack_gees {vectors = true}", "f32[2,2] f32[2,2] f32[2] f32[2] i32[]"),
    ] {
        let (name, attrs) = call.split_once(' ').unwrap();
        let types: Vec<&str> = results.split(' ').chain(["i32[]"]).collect();
        let outs: Vec<String> = types.iter().enumerate().map(|(i, t)| format!("%{}: {t}", i + 1)).collect();
        let text = format!(
            "program @f(%0: f32[2,2] \"a\") {{\n  {} = {name} %0 {attrs}\n  return %2, %{}\n}}\n",
            outs.join(", "),
            types.len()
        );
        let program = pullback_ir::text::parse(&text).unwrap();
        let a = Tensor::from_slice(&[2, 2], &[1f32, f32::NAN, f32::INFINITY, 1.0]).unwrap();
        let got = reference::eval(&program, &[a]).unwrap();
        assert!(got[0].to_f64s().iter().all(|v| v.is_nan()), "{call}");
        assert_ne!(got[1].get_i64(0), 0, "{call}");
    }
}
