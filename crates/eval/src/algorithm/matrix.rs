//! Numbers and matrices that linear algebra is done with: f64 and pairs of it, whatever the elements of a tensor.
//!
//! Elements narrower than f64 are rounded once, when a result is written. Matrices are column by column, so that the
//! inner loops of all algorithms run along memory.

use rustfft::num_complex::Complex;
use std::fmt::Debug;
use std::ops::{Add, AddAssign, Index, IndexMut, Mul, MulAssign, Neg, Range, Sub, SubAssign};

/// A complex number.
pub(super) type C = Complex<f64>;

/// f64 or complex numbers.
pub(super) trait Field:
    Copy
    + PartialEq
    + Debug
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
{
    /// Parts of a number.
    const PARTS: usize;
    fn of(re: f64) -> Self;
    fn of_parts(parts: &[f64]) -> Self;
    fn re(self) -> f64;
    fn im(self) -> f64;
    fn conj(self) -> Self;
    fn times(self, factor: f64) -> Self;
    fn recip(self) -> Self;
    fn to_complex(self) -> C;

    fn zero() -> Self {
        Self::of(0.0)
    }

    fn one() -> Self {
        Self::of(1.0)
    }

    fn abs(self) -> f64 {
        libm::hypot(self.re(), self.im())
    }

    /// |re| + |im|, by which LAPACK chooses pivots.
    fn abs1(self) -> f64 {
        self.re().abs() + self.im().abs()
    }

    fn is_finite(self) -> bool {
        self.re().is_finite() && self.im().is_finite()
    }
}

impl Field for f64 {
    const PARTS: usize = 1;

    fn of(re: f64) -> Self {
        re
    }

    fn of_parts(parts: &[f64]) -> Self {
        parts[0]
    }

    fn re(self) -> f64 {
        self
    }

    fn im(self) -> f64 {
        0.0
    }

    fn conj(self) -> Self {
        self
    }

    fn times(self, factor: f64) -> Self {
        self * factor
    }

    fn recip(self) -> Self {
        1.0 / self
    }

    fn to_complex(self) -> C {
        C::new(self, 0.0)
    }

    fn abs(self) -> f64 {
        f64::abs(self)
    }
}

impl Field for C {
    const PARTS: usize = 2;

    fn of(re: f64) -> Self {
        C::new(re, 0.0)
    }

    fn of_parts(parts: &[f64]) -> Self {
        C::new(parts[0], parts[1])
    }

    fn re(self) -> f64 {
        self.re
    }

    fn im(self) -> f64 {
        self.im
    }

    fn conj(self) -> Self {
        C::conj(&self)
    }

    fn times(self, factor: f64) -> Self {
        C::new(self.re * factor, self.im * factor)
    }

    fn recip(self) -> Self {
        // Smith's method.
        if self.re.abs() >= self.im.abs() {
            let r = self.im / self.re;
            let d = 1.0 / (self.re + self.im * r);
            C::new(d, -r * d)
        } else {
            let r = self.re / self.im;
            let d = 1.0 / (self.re * r + self.im);
            C::new(r * d, -d)
        }
    }

    fn to_complex(self) -> C {
        self
    }
}

/// A matrix, column by column.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Matrix<T> {
    rows: usize,
    cols: usize,
    data: Vec<T>,
}

impl<T: Field> Matrix<T> {
    pub(super) fn zeros(rows: usize, cols: usize) -> Self {
        Self { rows, cols, data: vec![T::zero(); rows * cols] }
    }

    /// Ones on the diagonal.
    pub(super) fn identity(rows: usize, cols: usize) -> Self {
        Self::from_fn(rows, cols, |i, j| if i == j { T::one() } else { T::zero() })
    }

    pub(super) fn from_fn(rows: usize, cols: usize, f: impl Fn(usize, usize) -> T) -> Self {
        let data = (0..cols).flat_map(|j| (0..rows).map(move |i| (i, j))).map(|(i, j)| f(i, j));
        Self { rows, cols, data: data.collect() }
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    pub(super) fn cols(&self) -> usize {
        self.cols
    }

    pub(super) fn col(&self, j: usize) -> &[T] {
        &self.data[j * self.rows..(j + 1) * self.rows]
    }

    pub(super) fn col_mut(&mut self, j: usize) -> &mut [T] {
        &mut self.data[j * self.rows..(j + 1) * self.rows]
    }

    /// Two different columns.
    pub(super) fn two_cols(&mut self, i: usize, j: usize) -> (&mut [T], &mut [T]) {
        let n = self.rows;
        let (lo, hi) = (i.min(j), i.max(j));
        let (a, b) = self.data.split_at_mut(hi * n);
        let (lo, hi) = (&mut a[lo * n..(lo + 1) * n], &mut b[..n]);
        if i < j { (lo, hi) } else { (hi, lo) }
    }

    pub(super) fn map<U: Field>(&self, f: impl Fn(T) -> U) -> Matrix<U> {
        Matrix { rows: self.rows, cols: self.cols, data: self.data.iter().map(|&x| f(x)).collect() }
    }

    /// The conjugate transpose.
    pub(super) fn adjoint(&self) -> Self {
        Self::from_fn(self.cols, self.rows, |i, j| self[(j, i)].conj())
    }

    pub(super) fn transpose(&self) -> Self {
        Self::from_fn(self.cols, self.rows, |i, j| self[(j, i)])
    }

    pub(super) fn scale(&mut self, factor: f64) {
        self.data.iter_mut().for_each(|x| *x = x.times(factor));
    }

    /// A copy of some rows and columns.
    pub(super) fn block(&self, rows: Range<usize>, cols: Range<usize>) -> Self {
        let data = cols.clone().flat_map(|j| self.col(j)[rows.clone()].iter().copied()).collect();
        Self { rows: rows.len(), cols: cols.len(), data }
    }

    /// Subtracts a b from the block that begins at (row, col).
    pub(super) fn subtract_product(&mut self, (row, col): (usize, usize), a: &Self, b: &Self) {
        assert!(row + a.rows <= self.rows && col + b.cols <= self.cols && a.cols == b.rows, "blocks fit");
        if a.rows == 0 || b.cols == 0 || a.cols == 0 {
            return;
        }
        let stride = |n: usize| n as isize;
        // SAFETY: the block lies in `self`, which nothing else refers to; a and b are dense and column by column.
        unsafe {
            gemm::gemm(
                a.rows,
                b.cols,
                a.cols,
                self.data.as_mut_ptr().add(col * self.rows + row),
                stride(self.rows),
                1,
                true,
                a.data.as_ptr(),
                stride(a.rows),
                1,
                b.data.as_ptr(),
                stride(b.rows),
                1,
                T::one(),
                -T::one(),
                false,
                false,
                false,
                gemm::Parallelism::None,
            );
        }
    }

    /// Exchanges two rows within these columns.
    pub(super) fn swap_rows(&mut self, i: usize, j: usize, cols: Range<usize>) {
        for c in cols {
            let col = self.col_mut(c);
            col.swap(i, j);
        }
    }

    pub(super) fn is_finite(&self) -> bool {
        self.data.iter().all(|x| x.is_finite())
    }

    /// The largest part of an element.
    pub(super) fn max_abs(&self) -> f64 {
        self.data.iter().fold(0.0, |m, x| x.re().abs().max(x.im().abs()).max(m))
    }

    /// The Hermitian matrix of which this holds one triangle.
    pub(super) fn hermitian(&self, lower: bool) -> Self {
        Self::from_fn(self.rows, self.cols, |i, j| {
            if i == j {
                T::of(self[(i, i)].re())
            } else if (i > j) == lower {
                self[(i, j)]
            } else {
                self[(j, i)].conj()
            }
        })
    }

    /// Rotates columns i and j: (c x + s y, c y - s x).
    pub(super) fn rotate_cols(&mut self, i: usize, j: usize, (c, s): (f64, f64)) {
        let (x, y) = self.two_cols(i, j);
        for (x, y) in x.iter_mut().zip(y) {
            (*x, *y) = (x.times(c) + y.times(s), y.times(c) - x.times(s));
        }
    }

    /// A power of two that brings the largest element near 1 where squares would not be safe, else 1.
    pub(super) fn safe_scale(&self) -> f64 {
        let m = self.max_abs();
        if m == 0.0 || !m.is_finite() || (1e-100..1e100).contains(&m) {
            return 1.0;
        }
        // At most 2^1023, so that the scale is finite.
        libm::scalbn(1.0, -libm::ilogb(m).max(-1022))
    }
}

impl<T> Index<(usize, usize)> for Matrix<T> {
    type Output = T;

    fn index(&self, (i, j): (usize, usize)) -> &T {
        &self.data[j * self.rows + i]
    }
}

impl<T> IndexMut<(usize, usize)> for Matrix<T> {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut T {
        &mut self.data[j * self.rows + i]
    }
}

/// Sum of conj(x) y.
pub(super) fn dot<T: Field>(x: &[T], y: &[T]) -> T {
    // Four sums, which the compiler can do at once.
    let mut sums = [T::zero(); 4];
    let (xs, ys) = (x.chunks_exact(4), y.chunks_exact(4));
    let rest = xs.remainder().iter().zip(ys.remainder());
    let rest = rest.fold(T::zero(), |s, (&x, &y)| s + x.conj() * y);
    for (x, y) in xs.zip(ys) {
        for k in 0..4 {
            sums[k] += x[k].conj() * y[k];
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + rest
}

/// y += a x
pub(super) fn axpy<T: Field>(a: T, x: &[T], y: &mut [T]) {
    for (y, &x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}

/// Euclidean length, without overflow.
pub(super) fn norm<T: Field>(x: &[T]) -> f64 {
    let m = x.iter().fold(0.0, |m: f64, x| m.max(x.re().abs()).max(x.im().abs()));
    if (1e-100..1e100).contains(&m) || x.iter().any(|x| !x.is_finite()) {
        return x.iter().map(|x| x.re() * x.re() + x.im() * x.im()).sum::<f64>().sqrt();
    }
    if m == 0.0 {
        return 0.0;
    }
    let sum: f64 = x.iter().map(|x| (x.re() / m).powi(2) + (x.im() / m).powi(2)).sum();
    m * sum.sqrt()
}
