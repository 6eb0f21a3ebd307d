//! Fourier transforms of the last one to three dimensions.
//!
//! One dimension after the other by `rustfft`, in the precision of the elements. Conventions are StableHLO's: no
//! scale forwards, 1 / (number of points) backwards. A real transform is the first half of the complex one, taken
//! along the last dimension first; its inverse goes along the last dimension last and reads a half spectrum as that
//! of real values: the imaginary parts of its first point and, for even lengths, its last are taken to be 0.

use super::in_parts;
use crate::buffer::{Element, Tensor, cast, cast_mut};
use crate::error::Result;
use pullback_ir::{DType, FftKind, TensorType};
use rustfft::num_complex::Complex;
use rustfft::{FftDirection, FftNum, FftPlanner};

/// How many lines are copied at a time where elements of a line are far apart.
const LINES: usize = 16;

/// The transform of a tensor whose type was found to fit; `ty` is the result's.
pub(crate) fn fft(kind: FftKind, lengths: &[usize], x: &Tensor, ty: &TensorType) -> Result<Tensor> {
    let mut out = Tensor::try_zeros(ty.clone())?;
    if ty.count() == 0 || x.count() == 0 {
        return Ok(out);
    }
    if x.dtype().part() == DType::F64 {
        transform::<f64>(kind, lengths, x, &mut out);
    } else {
        transform::<f32>(kind, lengths, x, &mut out);
    }
    Ok(out)
}

fn transform<T: Element + FftNum>(kind: FftKind, lengths: &[usize], x: &Tensor, out: &mut Tensor) {
    let aligned = "buffers hold whole elements";
    let parts: &[T] = cast(x.bytes()).expect(aligned);
    let pairs = || parts.chunks_exact(2).map(|p| Complex::new(p[0], p[1])).collect::<Vec<_>>();
    let (n, rank) = (lengths.len(), x.ty().rank());
    let points = lengths.iter().product::<usize>();
    let forward = matches!(kind, FftKind::Fft | FftKind::Rfft);
    let direction = if forward { FftDirection::Forward } else { FftDirection::Inverse };
    let scale = if forward { T::one() } else { T::one() / T::from_usize(points).unwrap_or(T::one()) };
    let (last, length) = (rank - 1, lengths[n - 1]);
    let along = |values: &mut Vec<Complex<T>>, shape: &[usize], dims: std::ops::Range<usize>| {
        for d in dims.rev() {
            line_by_line(values, shape, d, direction);
        }
    };
    let mut shape = x.shape().to_vec();
    let values = match kind {
        FftKind::Fft | FftKind::Ifft => {
            let mut values = pairs();
            along(&mut values, &shape, rank - n..rank);
            values
        }
        FftKind::Rfft => {
            let mut whole: Vec<_> = parts.iter().map(|&v| Complex::new(v, T::zero())).collect();
            along(&mut whole, &shape, last..rank);
            let half = out.shape()[last];
            let mut values: Vec<_> =
                whole.chunks_exact(length).flat_map(|line| &line[..half]).copied().collect();
            shape[last] = half;
            along(&mut values, &shape, rank - n..last);
            values
        }
        FftKind::Irfft => {
            let mut half = pairs();
            along(&mut half, &shape, rank - n..last);
            let mut values = Vec::with_capacity(half.len() / shape[last] * length);
            for line in half.chunks_exact(shape[last]) {
                values.extend((0..length).map(|k| of_real(line, k, length)));
            }
            shape[last] = length;
            along(&mut values, &shape, last..rank);
            values
        }
    };
    let out: &mut [T] = cast_mut(out.bytes_mut()).expect(aligned);
    if kind == FftKind::Irfft {
        out.iter_mut().zip(&values).for_each(|(o, v)| *o = v.re * scale);
    } else {
        for (o, v) in out.chunks_exact_mut(2).zip(&values) {
            (o[0], o[1]) = (v.re * scale, v.im * scale);
        }
    }
}

/// Point `k` of the spectrum of `n` real values whose first half this is.
fn of_real<T: FftNum>(half: &[Complex<T>], k: usize, n: usize) -> Complex<T> {
    if 2 * k > n {
        half[n - k].conj()
    } else if k == 0 || 2 * k == n {
        Complex::new(half[k].re, T::zero())
    } else {
        half[k]
    }
}

/// Transforms each line along dimension `dim`.
fn line_by_line<T: Element + FftNum>(
    values: &mut [Complex<T>],
    shape: &[usize],
    dim: usize,
    direction: FftDirection,
) {
    let (n, inner) = (shape[dim], shape[dim + 1..].iter().product::<usize>());
    if n < 2 {
        return;
    }
    let plan = FftPlanner::new().plan_fft(n, direction);
    let zero = Complex::new(T::zero(), T::zero());
    let cost = 5 * inner * n * n.ilog2() as usize;
    in_parts(values, n * inner, cost, |_, part| {
        let mut scratch = vec![zero; plan.get_inplace_scratch_len()];
        if inner == 1 {
            return plan.process_with_scratch(part, &mut scratch);
        }
        let mut lines = vec![zero; n * LINES];
        for block in part.chunks_exact_mut(n * inner) {
            for first in (0..inner).step_by(LINES) {
                let count = LINES.min(inner - first);
                for i in 0..n {
                    for l in 0..count {
                        lines[l * n + i] = block[i * inner + first + l];
                    }
                }
                plan.process_with_scratch(&mut lines[..n * count], &mut scratch);
                for i in 0..n {
                    for l in 0..count {
                        block[i * inner + first + l] = lines[l * n + i];
                    }
                }
            }
        }
    });
}
