//! Factorisations are held to their definitions on matrices that are hard in different ways: of rank one, nilpotent,
//! orthogonal, nearly the identity, graded, very small or large.

use super::eigen;
use super::hermitian;
use super::householder as hh;
use super::matrix::{C, Field, Matrix, axpy, norm};
use super::schur::{Eigen, Schur, schur};
use super::solve::{self, Diagonals, Precision, Triangle};
use pullback_base::rng::CounterRng;
use std::cell::Cell;

const KINDS: usize = 18;

/// A matrix of each kind; `noise` gives numbers between -1 and 1.
fn matrix<T: Field>(kind: usize, m: usize, n: usize, noise: impl Fn() -> T) -> Matrix<T> {
    let unit = |on: bool| if on { T::one() } else { T::zero() };
    let power = |e: i32| libm::pow(10.0, f64::from(e));
    match kind {
        0 | 1 => Matrix::from_fn(m, n, |_, _| noise()),
        2 => Matrix::zeros(m, n),
        3 => Matrix::identity(m, n),
        4 => Matrix::from_fn(m, n, |i, j| unit(j == i + 1)),
        5 => Matrix::from_fn(m, n, |i, j| unit(i == j) + unit(i == j) + unit(j == i + 1)),
        6 => Matrix::from_fn(m, n, |i, j| T::of(((i + 1) * (j + 1)) as f64)),
        7 => Matrix::from_fn(m, n, |i, j| noise().times(power(-3 * (i + j) as i32))),
        8 => Matrix::from_fn(m, n, |_, _| noise().times(1e-200)),
        9 => Matrix::from_fn(m, n, |_, _| noise().times(1e150)),
        10 => Matrix::from_fn(m, n, |i, j| unit((i + 1) % m == j)),
        11 => Matrix::from_fn(m, n, |_, _| T::of(noise().re().round())),
        12 => Matrix::from_fn(m, n, |i, j| T::of(1.0 / (i + j + 1) as f64)),
        13 => Matrix::from_fn(m, n, |_, _| T::one()),
        14 => {
            let (u, v): (Vec<T>, Vec<T>) =
                ((0..m).map(|_| noise()).collect(), (0..n).map(|_| noise()).collect());
            Matrix::from_fn(m, n, |i, j| u[i] * v[j])
        }
        15 => Matrix::from_fn(m, n, |i, j| if i < j { noise() } else { -noise() }),
        16 => Matrix::from_fn(m, n, |i, j| unit(i == j).times(1.0 + 1e-15 * i as f64) + noise().times(1e-15)),
        _ => Matrix::from_fn(m, n, |i, j| unit(i + j + 1 == m) - unit(i == j)),
    }
}

fn times<T: Field>(a: &Matrix<T>, b: &Matrix<T>) -> Matrix<T> {
    let mut out = Matrix::zeros(a.rows(), b.cols());
    for j in 0..b.cols() {
        for k in 0..a.cols() {
            axpy(b[(k, j)], a.col(k), out.col_mut(j));
        }
    }
    out
}

fn length<T: Field>(a: &Matrix<T>) -> f64 {
    let columns: Vec<f64> = (0..a.cols()).map(|j| norm(a.col(j))).collect();
    norm(&columns)
}

/// a and b differ by little beside a.
#[track_caller]
fn same<T: Field>(a: &Matrix<T>, b: &Matrix<T>, what: &str) {
    let difference = Matrix::from_fn(a.rows(), a.cols(), |i, j| a[(i, j)] - b[(i, j)]);
    let (far, size) = (length(&difference), length(a).max(f64::MIN_POSITIVE));
    let n = a.rows().max(a.cols()).max(4) as f64;
    assert!(far <= 2e-15 * n * size, "{what}: off by {:.1e}", far / size);
}

#[track_caller]
fn unitary<T: Field>(q: &Matrix<T>, what: &str) {
    same(&Matrix::identity(q.cols(), q.cols()), &times(&q.adjoint(), q), what);
}

fn diagonal<T: Field>(rows: usize, cols: usize, d: &[f64]) -> Matrix<T> {
    Matrix::from_fn(rows, cols, |i, j| if i == j { T::of(d[i]) } else { T::zero() })
}

/// Runs `check(matrix, what it is)` on all kinds and sizes; shapes from `shape(n)`.
fn each<T: Field>(shape: impl Fn(usize) -> (usize, usize), check: impl Fn(Matrix<T>, String)) {
    let rng = CounterRng::new(1, "matrices");
    let next = Cell::new(0);
    let one = || {
        next.set(next.get() + 1);
        2.0 * rng.uniform(next.get()) - 1.0
    };
    let noise = || T::of_parts(&[one(), one()]);
    for kind in 0..KINDS {
        for n in [1, 2, 3, 4, 5, 8, 13, 30] {
            let (m, n) = shape(n);
            for round in 0..if n < 10 { 4 } else { 1 } {
                check(matrix(kind, m, n, noise), format!("kind {kind}, {m} x {n}, round {round}"));
            }
        }
    }
}

fn check_schur<T: Eigen>() {
    each::<T>(
        |n| (n, n),
        |a, what| {
            let Schur { form, vectors: z } = schur(&a).unwrap_or_else(|k| panic!("{what}: {k} not found"));
            unitary(&z, &what);
            same(&a, &times(&times(&z, &form), &z.adjoint()), &what);
            for j in 0..a.cols() {
                for i in j + 1..a.rows() {
                    let below = form[(i, j)];
                    if below != T::zero() {
                        assert!(T::PARTS == 1 && i == j + 1, "{what}: ({i}, {j}) is {below:?}");
                        let next = i + 1 < a.rows() && form[(i + 1, i)] != T::zero();
                        assert!(!next, "{what}: a block of three");
                        assert_eq!(form[(i, i)], form[(j, j)], "{what}");
                        assert!(form[(j, i)].re() * below.re().signum() < 0.0, "{what}");
                    }
                }
            }
        },
    );
}

#[test]
fn schur_forms() {
    check_schur::<f64>();
    check_schur::<C>();
}

fn check_eigen<T: Eigen>() {
    each::<T>(
        |n| (n, n),
        |a, what| {
            let found = eigen::eigen(&a, true, true).unwrap_or_else(|k| panic!("{what}: {k} not found"));
            let (scale, n) = (a.safe_scale(), a.rows());
            let mut c = a.map(Field::to_complex);
            c.scale(scale);
            let values =
                Matrix::from_fn(n, n, |i, j| if i == j { found.values[i].times(scale) } else { C::zero() });
            let (left, right) = (found.left.unwrap(), found.right.unwrap());
            let size = length(&c).max(f64::MIN_POSITIVE);
            let small = |x: Matrix<C>, y: Matrix<C>, side: &str| {
                let d = Matrix::from_fn(n, n, |i, j| x[(i, j)] - y[(i, j)]);
                // Balancing a graded matrix trades this for relative accuracy of small eigenvalues.
                assert!(length(&d) <= 1e-13 * n as f64 * size, "{what} {side}: {:e}", length(&d) / size);
            };
            small(times(&c, &right), times(&right, &values), "right");
            small(times(&left.adjoint(), &c), times(&values, &left.adjoint()), "left");
            for v in [&left, &right] {
                for j in 0..n {
                    assert!((norm(v.col(j)) - 1.0).abs() < 1e-14, "{what}: a length");
                    let largest = v.col(j).iter().fold(0.0, |l: f64, x| l.max(x.norm()));
                    // Elements may be as large as each other.
                    let real = |x: &C| x.norm() > largest * (1.0 - 1e-12) && x.im.abs() < 1e-15;
                    assert!(v.col(j).iter().any(real), "{what}: not real");
                    if T::PARTS == 1 && found.values[j].im > 0.0 {
                        let conjugates = v.col(j).iter().zip(v.col(j + 1)).all(|(x, y)| x.conj() == *y);
                        assert!(found.values[j + 1] == found.values[j].conj() && conjugates, "{what}");
                    }
                }
            }
        },
    );
}

#[test]
fn eigensystems() {
    check_eigen::<f64>();
    check_eigen::<C>();
}

fn check_hermitian<T: Field>() {
    each::<T>(
        |n| (n, n),
        |a, what| {
            for lower in [true, false] {
                let h = a.hermitian(lower);
                let (d, v) = hermitian::eigen(&a, lower).unwrap_or_else(|k| panic!("{what}: {k} not found"));
                unitary(&v, &what);
                same(&h, &times(&times(&v, &diagonal(v.rows(), v.rows(), &d)), &v.adjoint()), &what);
                assert!(d.is_sorted(), "{what}: {d:?}");
                if what.contains("kind 8") || what.contains("kind 9") {
                    continue;
                }
                let t = hh::tridiagonal(&a, lower);
                check_tridiagonal(&h, &a, &t, lower, &what);
            }
        },
    );
}

/// The packed form gives Q and T with h = Q T Q^H.
fn check_tridiagonal<T: Field>(
    h: &Matrix<T>,
    a: &Matrix<T>,
    t: &hh::Tridiagonal<T>,
    lower: bool,
    what: &str,
) {
    let n = h.rows();
    let entry = |i: usize, j: usize| match i.abs_diff(j) {
        0 => T::of(t.diagonal[i]),
        1 => T::of(t.beside[i.min(j)]),
        _ => T::zero(),
    };
    let tri = Matrix::from_fn(n, n, entry);
    let q = if lower {
        hh::expand(&t.packed, &t.taus, 1, n)
    } else {
        // H(n - 1) … H(1), where v of H(i) ends in row i, with its 1.
        let mut q = Matrix::identity(n, n);
        for i in 0..n.saturating_sub(1) {
            let v = Matrix::from_fn(n, 1, |r, _| match r.cmp(&i) {
                std::cmp::Ordering::Less => t.packed[(r, i + 1)],
                std::cmp::Ordering::Equal => T::one(),
                std::cmp::Ordering::Greater => T::zero(),
            });
            let h = times(&v, &v.adjoint()).map(|x| -(t.taus[i] * x));
            let h = Matrix::from_fn(n, n, |r, c| h[(r, c)] + if r == c { T::one() } else { T::zero() });
            q = times(&h, &q);
        }
        q
    };
    same(h, &times(&times(&q, &tri), &q.adjoint()), what);
    let untouched = |i: usize, j: usize| if lower { i < j } else { i > j };
    let kept = (0..n).all(|i| (0..n).all(|j| !untouched(i, j) || t.packed[(i, j)] == a[(i, j)]));
    assert!(kept, "{what}: the other triangle changed");
}

#[test]
fn hermitian_eigenvalues() {
    check_hermitian::<f64>();
    check_hermitian::<C>();
}

fn check_svd<T: Field>() {
    for shape in [|n| (n, n), |n| (n + 3, n), |n| (n, n + 2), |n| (1, n)] {
        each::<T>(shape, |a, what| {
            let (m, n) = (a.rows(), a.cols());
            for full in [true, false] {
                let s = hermitian::svd(&a, full).unwrap_or_else(|k| panic!("{what}: {k} not found"));
                let k = m.min(n);
                let (u, v) = (s.left, s.right);
                assert_eq!((u.cols(), v.cols()), if full { (m, n) } else { (k, k) }, "{what}");
                unitary(&u, &what);
                unitary(&v, &what);
                let d = diagonal(u.cols(), v.cols(), &s.values);
                same(&a, &times(&times(&u, &d), &v.adjoint()), &what);
                assert!(s.values.iter().all(|x| !x.is_sign_negative()), "{what}: {:?}", s.values);
                assert!(s.values.is_sorted_by(|x, y| x >= y), "{what}: {:?}", s.values);
            }
        });
    }
}

#[test]
fn singular_values() {
    check_svd::<f64>();
    check_svd::<C>();
}

fn check_qr<T: Field>() {
    for shape in [|n| (n, n), |n| (n + 3, n), |n| (n, n + 2)] {
        each::<T>(shape, |a, what| {
            let (m, n) = (a.rows(), a.cols());
            let upper =
                |p: &Matrix<T>| Matrix::from_fn(m, n, |i, j| if i <= j { p[(i, j)] } else { T::zero() });
            let mut p = a.clone();
            let taus = hh::qr(&mut p);
            let q = hh::expand(&p, &taus, 0, m);
            unitary(&q, &what);
            same(&a, &times(&q, &upper(&p)), &what);
            if m >= n {
                let thin = hh::product(&p, &taus);
                assert_eq!(thin, Matrix::from_fn(m, n, |i, j| q[(i, j)]), "{what}");
            }
            for (left, adjoint) in [(true, false), (true, true), (false, false), (false, true)] {
                let mut c = if left { a.clone() } else { a.adjoint() };
                let side = if adjoint { q.adjoint() } else { q.clone() };
                let want = if left { times(&side, &c) } else { times(&c, &side) };
                hh::multiply(&p, &taus, &mut c, left, adjoint);
                same(&want, &c, &what);
            }
            let (mut p, mut order) = (a.clone(), vec![0; n]);
            let taus = hh::qr_pivoted(&mut p, &mut order);
            let q = hh::expand(&p, &taus, 0, m);
            let permuted = Matrix::from_fn(m, n, |i, j| a[(i, order[j] as usize - 1)]);
            same(&permuted, &times(&q, &upper(&p)), &what);
            let d: Vec<f64> = (0..m.min(n)).map(|i| p[(i, i)].abs()).collect();
            assert!(d.windows(2).all(|w| w[1] <= w[0] * (1.0 + 1e-7)), "{what}: {d:?}");
        });
    }
}

#[test]
fn qr_factors() {
    check_qr::<f64>();
    check_qr::<C>();
}

#[test]
fn columns_named_first_stay_first() {
    let a = Matrix::from_fn(4, 3, |i, j| (i * i * j + 2 * j + i) as f64 + 1.0);
    let (mut p, mut order) = (a.clone(), vec![0, 1, 0]);
    let taus = hh::qr_pivoted(&mut p, &mut order);
    assert_eq!(order[0], 2);
    let q = hh::expand(&p, &taus, 0, 4);
    let r = Matrix::from_fn(4, 3, |i, j| if i <= j { p[(i, j)] } else { 0.0 });
    same(&Matrix::from_fn(4, 3, |i, j| a[(i, order[j] as usize - 1)]), &times(&q, &r), "named");
}

fn check_lu<T: Field>() {
    for shape in [|n| (n, n), |n| (n + 3, n), |n| (n, n + 2)] {
        each::<T>(shape, |a, what| {
            let (m, n) = (a.rows(), a.cols());
            let k = m.min(n);
            let mut p = a.clone();
            let (pivots, info) = solve::lu(&mut p);
            let zero = |i: &usize| p[(*i, *i)] == T::zero();
            assert_eq!(info as usize, (0..k).find(zero).map_or(0, |i| i + 1), "{what}");
            let mut rows = a.clone();
            for (i, &pivot) in pivots.iter().enumerate() {
                rows.swap_rows(i, pivot as usize - 1, 0..n);
            }
            let l = Matrix::from_fn(m, k, |i, j| match i.cmp(&j) {
                std::cmp::Ordering::Less => T::zero(),
                std::cmp::Ordering::Equal => T::one(),
                std::cmp::Ordering::Greater => p[(i, j)],
            });
            assert!((0..k).all(|j| l.col(j).iter().all(|x| x.abs1() <= 2.0)), "{what}");
            let u = Matrix::from_fn(k, n, |i, j| if i <= j { p[(i, j)] } else { T::zero() });
            same(&rows, &times(&l, &u), &what);
        });
    }
}

fn check_large_lu<T: Field>() {
    let rng = CounterRng::new(4, "large");
    let noise =
        |k: usize| T::of_parts(&[rng.uniform(2 * k as u64) - 0.5, rng.uniform(2 * k as u64 + 1) - 0.5]);
    for (m, n) in [(101, 101), (130, 60), (60, 130)] {
        let a = Matrix::from_fn(m, n, |i, j| noise(i * n + j));
        let k = m.min(n);
        let mut p = a.clone();
        let (pivots, info) = solve::lu(&mut p);
        assert_eq!((pivots.len(), info), (k, 0));
        let mut rows = a;
        pivots.iter().enumerate().for_each(|(i, &pivot)| rows.swap_rows(i, pivot as usize - 1, 0..n));
        let unit = |i: usize, j: usize| if i == j { T::one() } else { T::zero() };
        let l = Matrix::from_fn(m, k, |i, j| if i > j { p[(i, j)] } else { unit(i, j) });
        assert!((0..k).all(|j| l.col(j).iter().all(|x| x.abs1() <= 2.0)));
        let u = Matrix::from_fn(k, n, |i, j| if i <= j { p[(i, j)] } else { T::zero() });
        same(&rows, &times(&l, &u), "large");
    }
}

#[test]
fn lu_factors() {
    check_lu::<f64>();
    check_lu::<C>();
    check_large_lu::<f64>();
    check_large_lu::<C>();
}

fn check_hessenberg<T: Field>() {
    each::<T>(
        |n| (n, n),
        |a, what| {
            let n = a.rows();
            let mut p = a.clone();
            let taus = hh::hessenberg(&mut p, 0, n);
            let q = hh::expand(&p, &taus, 1, n);
            let h = Matrix::from_fn(n, n, |i, j| if i <= j + 1 { p[(i, j)] } else { T::zero() });
            unitary(&q, &what);
            same(&a, &times(&times(&q, &h), &q.adjoint()), &what);
        },
    );
}

#[test]
fn hessenberg_forms() {
    check_hessenberg::<f64>();
    check_hessenberg::<C>();
}

fn check_triangles<T: Field>() {
    let rng = CounterRng::new(2, "triangles");
    let noise =
        |k: usize| T::of_parts(&[rng.uniform(2 * k as u64) - 0.5, rng.uniform(2 * k as u64 + 1) - 0.5]);
    for n in [0, 1, 2, 5, 9, 50, 101] {
        let small = 4.0 / n.max(4) as f64;
        let a = Matrix::from_fn(n, n, |i, j| {
            noise(117 * i + j).times(small) + if i == j { T::of(3.0) } else { T::zero() }
        });
        let positive = times(&a, &a.adjoint());
        for flags in 0..16 {
            let [lower, unit_diagonal, transpose, conjugate] = [1, 2, 4, 8].map(|f| flags & f != 0);
            let t = Triangle { lower, unit_diagonal, transpose, conjugate };
            let meant = Matrix::from_fn(n, n, |i, j| match () {
                () if i == j && unit_diagonal => T::one(),
                () if i == j || (i > j) == lower => a[(i, j)],
                () => T::zero(),
            });
            let meant = if transpose { meant.transpose() } else { meant };
            let meant = meant.map(|x| if conjugate { x.conj() } else { x });
            let what = format!("{n} {flags:04b}");
            let b = Matrix::from_fn(n, 3, |i, j| noise(100_000 + 3 * i + j));
            same(&b, &times(&meant, &solve::solve(&a, t, true, &b)), &what);
            let b = b.transpose();
            same(&b, &times(&solve::solve(&a, t, false, &b), &meant), &what);
        }
        for lower in [true, false] {
            let mut l = positive.clone();
            assert_eq!(solve::cholesky(&mut l, lower), 0);
            let kept = |i: usize, j: usize| if lower { i >= j } else { i <= j };
            let f = Matrix::from_fn(n, n, |i, j| if kept(i, j) { l[(i, j)] } else { T::zero() });
            let (left, right) = if lower { (f.clone(), f.adjoint()) } else { (f.adjoint(), f.clone()) };
            same(&positive, &times(&left, &right), "cholesky");
            if n > 2 {
                let mut bad = positive.clone();
                bad[(2, 2)] = -bad[(2, 2)];
                assert_eq!(solve::cholesky(&mut bad, lower), 3);
            }
        }
    }
}

#[test]
fn triangular_systems() {
    check_triangles::<f64>();
    check_triangles::<C>();
}

fn check_tridiagonals<T: Field>() {
    let rng = CounterRng::new(3, "tridiagonals");
    let noise =
        |k: usize| T::of_parts(&[rng.uniform(2 * k as u64) - 0.5, rng.uniform(2 * k as u64 + 1) - 0.5]);
    for n in [0, 1, 2, 3, 6, 20] {
        for seed in 0..4 {
            let vector = |s: usize| (0..n).map(|i| noise(100 * s + 1000 * seed + i)).collect::<Vec<T>>();
            let (below, d, above) = (vector(1), vector(2), vector(3));
            let full = Matrix::from_fn(n, n, |i, j| match (i as isize) - (j as isize) {
                0 => d[i],
                1 => below[i],
                -1 => above[i],
                _ => T::zero(),
            });
            let b = Matrix::from_fn(n, 2, |i, j| noise(7000 + 2 * i + j));
            let close = |x: &Matrix<T>, what: &str| {
                let back = times(&full, x);
                let far = Matrix::from_fn(n, 2, |i, j| back[(i, j)] - b[(i, j)]);
                assert!(length(&far) <= 1e-14 * length(&full) * length(x), "{what} {n}");
            };
            let m = || Diagonals { below: below.clone(), diagonal: d.clone(), above: above.clone() };
            let mut x = b.clone();
            assert_eq!(solve::solve_tridiagonal(&mut m(), &mut x), 0);
            close(&x, "gtsv");
            let mut x = b.clone();
            let precision = Precision { epsilon: f64::EPSILON, smallest: f64::MIN_POSITIVE };
            solve::solve_perturbed(&m(), precision, &mut x);
            close(&x, "perturbed");
        }
    }
    // A singular matrix: one is refused, the other gives a vector that it nearly takes to 0.
    let m = || Diagonals {
        below: vec![T::zero(), T::one(), T::one()],
        diagonal: vec![T::one(), T::one() + T::one(), T::one()],
        above: vec![T::one(), T::one(), T::zero()],
    };
    let b = Matrix::from_fn(3, 1, |i, _| T::of(i as f64 + 1.0));
    assert_eq!(solve::solve_tridiagonal(&mut m(), &mut b.clone()), 3);
    let mut x = b;
    solve::solve_perturbed(&m(), Precision { epsilon: f64::EPSILON, smallest: f64::MIN_POSITIVE }, &mut x);
    let size = length(&x);
    assert!(size > 1e14 && x.is_finite());
    assert!((x[(0, 0)] + x[(1, 0)]).abs() < 1e-14 * size);
}

#[test]
fn tridiagonal_systems() {
    check_tridiagonals::<f64>();
    check_tridiagonals::<C>();
}
