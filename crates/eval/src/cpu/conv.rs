//! convolution: per image and group, the input windows as a matrix, times the kernel as a matrix.
//!
//! Each image is computed by one thread; images lie apart in the result, or one thread computes all. Windows that reach into padding, or between dilated elements, read zeros,
//! so a kernel that holds infinities or NaN there gives NaN where the definition skips the product: such products
//! are left out of the sum by the reference and are 0 · ∞ here.

use super::dot::{slice, slice_mut};
use super::kernels::copy::StridedCopy;
use super::kernels::gemm::{c32, c64, gemm_c32, gemm_c64, gemm_f32, gemm_f64};
use super::kernels::integers::{Bit, Ring, batched_products};
use super::kernels::pool::{Shared, parallel_for};
use super::memory::{Buffer, Memory};
use super::step::{Operand, Step, signed};
use super::view::dense_strides;
use pullback_ir::{ConvDims, DType, DTypeClass};

/// Window positions that read nothing.
const OUTSIDE: usize = usize::MAX;

/// A compiled convolution.
pub(super) struct Conv {
    dtype: DType,
    x: Operand,
    kernel: Buffer,
    /// The kernel as window positions × input features × output features.
    pack: StridedCopy,
    out: Buffer,
    dims: ConvDims,
    /// Per spatial dimension, result position and window position: the input offset, or [`OUTSIDE`].
    positions: Vec<Vec<Vec<usize>>>,
    /// Input features per group; output features; groups.
    features: (usize, usize, usize),
    batch: usize,
    /// An image's part of the result, from spatial × features.
    unpack: StridedCopy,
    out_batch_stride: usize,
}

/// The convolution; floats are f32 or f64.
pub(super) fn conv(x: &Operand, kernel: &Operand, c: &ConvDims, shape: &[usize], out: Buffer) -> Conv {
    let n = c.input_spatial.len();
    let (v, k) = (&x.view, &kernel.view);
    let positions = (0..n)
        .map(|d| {
            let (size, step) = (v.shape[c.input_spatial[d]], v.strides[c.input_spatial[d]]);
            let at = |o: usize, w: usize| {
                let at = o as i128 * c.strides[d] as i128 + w as i128 * c.rhs_dilation[d] as i128
                    - i128::from(c.padding[d].0);
                let dilation = c.lhs_dilation[d] as i128;
                let inside = at >= 0 && at % dilation == 0 && at / dilation < size as i128;
                if inside { (at / dilation) as usize * step } else { OUTSIDE }
            };
            let window = k.shape[c.kernel_spatial[d]];
            (0..shape[c.output_spatial[d]]).map(|o| (0..window).map(|w| at(o, w)).collect()).collect()
        })
        .collect();
    let order = [&c.kernel_spatial[..], &[c.kernel_input_feature, c.kernel_output_feature]].concat();
    let turned = k.transpose(&order);
    let (mut start, mut from) = (turned.offset, signed(&turned.strides));
    for d in 0..n {
        if c.reversal[d] {
            start += (turned.shape[d].max(1) - 1) * turned.strides[d];
            from[d] = -from[d];
        }
    }
    let pack = StridedCopy::new(&turned.shape, start, &from, 0, &signed(&dense_strides(&turned.shape)));
    let to = dense_strides(shape);
    let image = [&c.output_spatial[..], &[c.output_feature]].concat();
    let sizes: Vec<usize> = image.iter().map(|&d| shape[d]).collect();
    let places: Vec<usize> = image.iter().map(|&d| to[d]).collect();
    let unpack = StridedCopy::new(&sizes, 0, &signed(&dense_strides(&sizes)), 0, &signed(&places));
    Conv {
        dtype: x.dtype,
        x: x.clone(),
        kernel: kernel.buffer,
        pack,
        out,
        positions,
        features: (
            k.shape[c.kernel_input_feature],
            k.shape[c.kernel_output_feature],
            c.feature_group_count * c.batch_group_count,
        ),
        batch: shape[c.output_batch],
        unpack,
        out_batch_stride: to[c.output_batch],
        dims: c.clone(),
    }
}

/// m, k, n, A and its strides, B and its strides, C and its strides, accumulate, threads.
type Gemm<T> = fn(
    usize,
    usize,
    usize,
    &[T],
    (isize, isize),
    &[T],
    (isize, isize),
    &mut [T],
    (isize, isize),
    bool,
    usize,
);

/// What is moved between tensors and matrices.
trait Moved: Copy + Default + Send + Sync {}
impl<T: Copy + Default + Send + Sync> Moved for T {}

/// Matrix products of integers, which have no way to add to what is there.
#[allow(clippy::too_many_arguments)]
fn exact<T: Ring>(
    m: usize,
    k: usize,
    n: usize,
    a: &[T],
    sa: (isize, isize),
    b: &[T],
    sb: (isize, isize),
    c: &mut [T],
    sc: (isize, isize),
    _accumulate: bool,
    threads: usize,
) {
    batched_products(&[], m, k, n, a, sa, b, sb, c, sc, threads);
}

impl Step for Conv {
    fn describe(&self) -> String {
        let (o, w) = self.sizes();
        let (i, f, g) = self.features;
        format!("convolution [{}] {o} x ({w} x {i}) x {f} in {g} groups", self.batch)
    }

    fn run(&self, memory: &Memory, threads: usize) {
        match (self.dtype.class(), self.dtype.size()) {
            (DTypeClass::Float, 4) => self.run_as::<f32>(memory, threads, gemm_f32),
            (DTypeClass::Float, _) => self.run_as::<f64>(memory, threads, gemm_f64),
            (DTypeClass::Complex, 8) => self.run_as::<c32>(memory, threads, gemm_c32),
            (DTypeClass::Complex, _) => self.run_as::<c64>(memory, threads, gemm_c64),
            (DTypeClass::Bool, _) => self.run_as::<Bit>(memory, threads, exact),
            (DTypeClass::Signed | DTypeClass::Unsigned, 1) => {
                self.run_as::<u8>(memory, threads, exact);
                // SAFETY: the result's buffer belongs to this step.
                super::blocks::cut(self.dtype, unsafe { memory.write(self.out) });
            }
            (DTypeClass::Signed | DTypeClass::Unsigned, 2) => self.run_as::<u16>(memory, threads, exact),
            (DTypeClass::Signed | DTypeClass::Unsigned, 4) => self.run_as::<u32>(memory, threads, exact),
            (DTypeClass::Signed | DTypeClass::Unsigned, _) => self.run_as::<u64>(memory, threads, exact),
        }
    }
}

impl Conv {
    /// Result positions of an image, and window positions.
    fn sizes(&self) -> (usize, usize) {
        let o = self.positions.iter().map(Vec::len).product();
        let w = self.positions.iter().map(|p| p.first().map_or(0, Vec::len)).product();
        (o, w)
    }

    fn run_as<T: Moved>(&self, memory: &Memory, threads: usize, gemm: Gemm<T>) {
        let (positions, window) = self.sizes();
        let (inputs, outputs, groups) = self.features;
        let depth = window * inputs;
        let mut kernel = vec![T::default(); depth * outputs];
        // SAFETY: operands and result are different buffers of this step.
        let (x, k, out) = unsafe {
            (slice(memory, (self.x.buffer, 0)), slice(memory, (self.kernel, 0)), slice_mut(memory, self.out))
        };
        self.pack.run(k, &mut kernel, 1);
        let (len, apart) = (out.len(), self.dims.output_batch == 0);
        let place = Shared(out.as_mut_ptr());
        let threads = if apart { threads } else { 1 };
        let per_group = outputs / groups;
        parallel_for(self.batch, threads, &|b| {
            let mut patches = vec![T::default(); positions * depth];
            let mut image = vec![T::default(); positions * outputs];
            for g in 0..groups {
                let (batch, feature) = match self.dims.batch_group_count {
                    1 => (b, g * inputs),
                    _ => (g * self.batch + b, 0),
                };
                let v = &self.x.view;
                let base = v.offset
                    + batch * v.strides[self.dims.input_batch]
                    + feature * v.strides[self.dims.input_feature];
                self.patches(x, base, &mut patches);
                let (row, columns) = ((depth as isize, 1), &kernel[(g * per_group).min(kernel.len())..]);
                let (k, c) = ((outputs as isize, 1), &mut image[(g * per_group).min(positions * outputs)..]);
                gemm(positions, depth, per_group, &patches, row, columns, k, c, k, false, 1);
            }
            let start = b * self.out_batch_stride;
            // SAFETY: images are disjoint, or computed one after the other.
            let out = unsafe { place.slice(start, if apart { len / self.batch } else { len - start }) };
            self.unpack.run(&image, out, 1);
        });
    }

    /// The windows of an image whose first element is at `base`: result positions × window positions × features.
    fn patches<T: Moved>(&self, x: &[T], base: usize, out: &mut [T]) {
        let inputs = self.features.0;
        let step = self.x.view.strides[self.dims.input_feature];
        let mut at = 0;
        each(&self.positions.iter().map(Vec::len).collect::<Vec<_>>(), &mut |o| {
            let lines: Vec<&Vec<usize>> = o.iter().zip(&self.positions).map(|(&o, p)| &p[o]).collect();
            let sizes: Vec<usize> = lines.iter().map(|l| l.len()).collect();
            each(&sizes, &mut |w| {
                let mut from = Some(base);
                for (&w, l) in w.iter().zip(&lines) {
                    from = from.filter(|_| l[w] != OUTSIDE).map(|f| f + l[w]);
                }
                let to = &mut out[at..at + inputs];
                match from {
                    None => to.fill(T::default()),
                    Some(f) if step == 1 => to.copy_from_slice(&x[f..f + inputs]),
                    Some(f) => to.iter_mut().enumerate().for_each(|(i, t)| *t = x[f + i * step]),
                }
                at += inputs;
            });
        });
    }
}

/// Calls `f` with every index, row-major.
fn each(sizes: &[usize], f: &mut dyn FnMut(&[usize])) {
    if sizes.contains(&0) {
        return;
    }
    let mut index = vec![0; sizes.len()];
    loop {
        f(&index);
        let Some(d) = (0..sizes.len()).rev().find(|&d| index[d] + 1 < sizes[d]) else { return };
        index[d] += 1;
        index[d + 1..].fill(0);
    }
}
