//! Transforms are JAX's and are the sums they are defined as.

use pullback_eval::{Tensor, reference};
use pullback_ir::{DType, FftKind, Op, TensorType};
use std::f64::consts::TAU;

/// Real and imaginary parts of all elements.
fn pairs(t: &Tensor) -> Vec<(f64, f64)> {
    let part = t.dtype().part();
    let numbers: Vec<f64> =
        t.bytes().chunks_exact(part.size()).map(|e| pullback_ir::literal::decode_f64(part, e)).collect();
    match part == t.dtype() {
        true => numbers.into_iter().map(|v| (v, 0.0)).collect(),
        false => numbers.chunks(2).map(|p| (p[0], p[1])).collect(),
    }
}

fn tensor(dtype: DType, shape: &[usize], values: &[f64]) -> Tensor {
    let bytes: Vec<u8> =
        values.iter().flat_map(|&v| pullback_ir::literal::encode_f64(dtype.part(), v)).collect();
    Tensor::from_bytes(TensorType::new(dtype, shape.to_vec()), &bytes).unwrap()
}

fn transform(kind: FftKind, lengths: &[usize], x: &Tensor) -> Tensor {
    let op = Op::Fft { kind, lengths: lengths.to_vec() };
    reference::eval_op(&op, &[x]).unwrap().remove(0)
}

fn close(a: &[(f64, f64)], b: &[(f64, f64)], tolerance: f64, what: &str) {
    assert_eq!(a.len(), b.len(), "{what}");
    let scale = b.iter().map(|v| v.0.hypot(v.1)).fold(1.0, f64::max);
    for (x, y) in a.iter().zip(b) {
        let far = (x.0 - y.0).hypot(x.1 - y.1);
        assert!(far <= tolerance * scale, "{what}: {x:?} is not {y:?}");
    }
}

#[test]
fn transforms_are_those_of_jax() {
    let numbers = |text: &str| text.split(',').map(|v| v.parse().unwrap()).collect::<Vec<f64>>();
    let sizes = |text: &str| text.split(',').map(|v| v.parse().unwrap()).collect::<Vec<usize>>();
    let golden = include_str!("../golden/fft.txt");
    assert_eq!(golden.lines().count(), 15);
    for line in golden.lines() {
        let [kind, lengths, shape, x, y]: [&str; 5] = line.split(' ').collect::<Vec<_>>().try_into().unwrap();
        let kind = FftKind::from_name(kind).unwrap();
        let (lengths, shape) = (sizes(lengths), sizes(shape));
        for (from, tolerance) in [(DType::F64, 1e-14), (DType::F32, 2e-6)] {
            let dtype = if kind == FftKind::Rfft { from } else { from.complex().unwrap() };
            let got = transform(kind, &lengths, &tensor(dtype, &shape, &numbers(x)));
            let want = tensor(got.dtype(), got.shape(), &numbers(y));
            close(&pairs(&got), &pairs(&want), tolerance, line);
        }
    }
}

/// The sum that defines the transform of the last `lengths.len()` dimensions of complex values.
fn naive(x: &[(f64, f64)], shape: &[usize], dims: usize, sign: f64) -> Vec<(f64, f64)> {
    let inner: usize = shape[shape.len() - dims..].iter().product();
    let lengths = &shape[shape.len() - dims..];
    let index = |mut i: usize| {
        let mut at = vec![0; dims];
        for d in (0..dims).rev() {
            at[d] = i % lengths[d];
            i /= lengths[d];
        }
        at
    };
    let term = |line: &[(f64, f64)], k: &[usize]| {
        let mut sum = (0.0, 0.0);
        for (j, v) in line.iter().enumerate() {
            let turns: f64 =
                (0..dims).map(|d| (index(j)[d] * k[d] % lengths[d]) as f64 / lengths[d] as f64).sum();
            let (s, c) = (sign * TAU * turns).sin_cos();
            sum = (sum.0 + v.0 * c - v.1 * s, sum.1 + v.0 * s + v.1 * c);
        }
        sum
    };
    x.chunks(inner.max(1)).flat_map(|line| (0..inner).map(move |k| term(line, &index(k)))).collect()
}

fn noise(n: usize, seed: u64) -> Vec<f64> {
    let rng = pullback_base::rng::CounterRng::new(seed, "noise");
    (0..n).map(|i| rng.uniform(i as u64) - 0.5).collect()
}

#[test]
fn transforms_are_sums() {
    let shapes: [&[usize]; 9] =
        [&[1], &[2, 1], &[97], &[3, 30], &[12, 7], &[2, 3, 4], &[5, 1, 6], &[2, 64], &[4, 3, 2, 18]];
    for (k, shape) in shapes.into_iter().enumerate() {
        let n: usize = shape.iter().product();
        let values = noise(2 * n, k as u64);
        let z = tensor(DType::C128, shape, &values);
        let r = tensor(DType::F64, shape, &values[..n]);
        for dims in 1..=shape.len().min(3) {
            let lengths = &shape[shape.len() - dims..];
            let what = format!("{shape:?} {dims}");
            let forward = naive(&pairs(&z), shape, dims, -1.0);
            close(&pairs(&transform(FftKind::Fft, lengths, &z)), &forward, 1e-13, &what);
            let points: f64 = lengths.iter().product::<usize>() as f64;
            let back: Vec<_> =
                naive(&pairs(&z), shape, dims, 1.0).iter().map(|v| (v.0 / points, v.1 / points)).collect();
            close(&pairs(&transform(FftKind::Ifft, lengths, &z)), &back, 1e-13, &what);
            // The half of the transform of real values, and from it the values again.
            let last = lengths[dims - 1];
            let half: Vec<_> = naive(&pairs(&r), shape, dims, -1.0)
                .chunks(last)
                .flat_map(|line| line[..last / 2 + 1].to_vec())
                .collect();
            let spectrum = transform(FftKind::Rfft, lengths, &r);
            close(&pairs(&spectrum), &half, 1e-13, &what);
            close(&pairs(&transform(FftKind::Irfft, lengths, &spectrum)), &pairs(&r), 1e-13, &what);
        }
    }
}

#[test]
fn nothing_is_transformed_to_nothing() {
    for (kind, from, shape, lengths, to) in [
        (FftKind::Fft, DType::C64, vec![0, 4], vec![4], vec![0, 4]),
        (FftKind::Ifft, DType::C64, vec![2, 0], vec![2, 0], vec![2, 0]),
        (FftKind::Rfft, DType::F32, vec![0, 6], vec![6], vec![0, 4]),
        (FftKind::Irfft, DType::C128, vec![0, 3], vec![5], vec![0, 5]),
    ] {
        let got = transform(kind, &lengths, &tensor(from, &shape, &[]));
        assert_eq!(got.shape(), to, "{kind} {shape:?}");
    }
}
