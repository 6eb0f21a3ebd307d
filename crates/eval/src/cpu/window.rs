//! gather and scatter: a start per index vector, then a window of elements from or to there.

use super::kernels::copy::StridedCopy;
use super::memory::{Buffer, Memory};
use super::monoid::{Cell, WithMonoid, cells, cells_mut, is_defined, with_monoid};
use super::movement::{read_index, strided};
use super::step::{Operand, Step, signed};
use super::view::dense_strides;
use pullback_ir::{GatherDims, Monoid, ScatterDims};

/// Walks the index vectors: what both ops share.
struct Starts {
    indices: Operand,
    /// Sizes and strides of the indices without the index vector.
    sizes: Vec<usize>,
    strides: Vec<usize>,
    vector_stride: usize,
    /// Per component of the index vector: the operand dimension.
    map: Vec<usize>,
    /// (batch position, operand dimension) of batching dimensions.
    batching: Vec<(usize, usize)>,
    rank: usize,
}

impl Starts {
    fn new(
        indices: &Operand,
        vector_dim: usize,
        map: &[usize],
        operand_batching: &[usize],
        indices_batching: &[usize],
        rank: usize,
    ) -> Self {
        let (mut sizes, mut strides) = (indices.view.shape.clone(), indices.view.strides.clone());
        let vector_stride = if vector_dim < sizes.len() {
            sizes.remove(vector_dim);
            strides.remove(vector_dim)
        } else {
            0
        };
        let position = |d: usize| if d > vector_dim { d - 1 } else { d };
        let batching =
            indices_batching.iter().map(|&d| position(d)).zip(operand_batching.iter().copied()).collect();
        Self { indices: indices.clone(), sizes, strides, vector_stride, map: map.to_vec(), batching, rank }
    }

    /// Calls `f` with each batch index (row-major) and its start per operand dimension.
    fn each(&self, memory: &Memory, mut f: impl FnMut(&[usize], &[i64])) {
        if self.sizes.contains(&0) {
            return;
        }
        let mut index = vec![0; self.sizes.len()];
        let mut start = vec![0i64; self.rank];
        loop {
            let at: usize = index.iter().zip(&self.strides).map(|(i, s)| i * s).sum();
            for (k, &d) in self.map.iter().enumerate() {
                start[d] =
                    read_index(memory, &self.indices, self.indices.view.offset + at + k * self.vector_stride);
            }
            for &(b, d) in &self.batching {
                start[d] = index[b] as i64;
            }
            f(&index, &start);
            let mut d = index.len();
            loop {
                if d == 0 {
                    return;
                }
                d -= 1;
                index[d] += 1;
                if index[d] < self.sizes[d] {
                    break;
                }
                index[d] = 0;
            }
        }
    }
}

fn dot(a: &[usize], b: &[usize]) -> usize {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Splits per-dimension values into those at `dims` and the others.
fn parts(values: &[usize], dims: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let pick = |inside| (0..values.len()).filter(|d| dims.contains(d) == inside).map(|d| values[d]).collect();
    (pick(true), pick(false))
}

/// A compiled gather.
pub(super) struct Gather {
    x: Operand,
    starts: Starts,
    slice: Vec<usize>,
    window: StridedCopy,
    batch_strides: Vec<usize>,
    out: Buffer,
    elements: usize,
}

pub(super) fn gather(x: &Operand, indices: &Operand, g: &GatherDims, shape: &[usize], out: Buffer) -> Gather {
    let rank = x.view.shape.len();
    let starts = Starts::new(
        indices,
        g.index_vector_dim,
        &g.start_index_map,
        &g.operand_batching_dims,
        &g.start_indices_batching_dims,
        rank,
    );
    let gone = [&g.collapsed_slice_dims[..], &g.operand_batching_dims].concat();
    let (_, from) = parts(&x.view.strides, &gone);
    let (sizes, _) = parts(shape, &g.offset_dims);
    let (to, batch_strides) = parts(&dense_strides(shape), &g.offset_dims);
    Gather {
        window: StridedCopy::new(&sizes, 0, &signed(&from), 0, &signed(&to)),
        elements: sizes.iter().product(),
        x: x.clone(),
        starts,
        slice: g.slice_sizes.clone(),
        batch_strides,
        out,
    }
}

impl Step for Gather {
    fn describe(&self) -> String {
        format!("gather of {} times {}", self.starts.sizes.iter().product::<usize>(), self.elements)
    }

    fn run(&self, memory: &Memory, _threads: usize) {
        if self.elements == 0 {
            return;
        }
        let size = self.x.dtype.size();
        let v = &self.x.view;
        // SAFETY: operands and result are different buffers of this step.
        let (x, out) = unsafe { (memory.read::<u8>(self.x.buffer), memory.write::<u8>(self.out)) };
        self.starts.each(memory, |batch, start| {
            let from = (0..v.shape.len())
                .map(|d| start[d].clamp(0, (v.shape[d] - self.slice[d]) as i64) as usize * v.strides[d])
                .sum::<usize>();
            let (from, to) = ((v.offset + from) * size, dot(batch, &self.batch_strides) * size);
            if self.elements == 1 {
                out[to..to + size].copy_from_slice(&x[from..from + size]);
            } else {
                self.window.run_bytes(size, &x[from..], &mut out[to..], 1);
            }
        });
    }
}

/// A compiled scatter.
pub(super) struct Scatter {
    x: Operand,
    updates: Operand,
    starts: Starts,
    combiner: Option<Monoid>,
    /// Per window dimension: size, step in the updates, operand dimension.
    window: Vec<(usize, usize, usize)>,
    batch_strides: Vec<usize>,
    out: Buffer,
}

/// A scatter into a row-major result, where the combiner is defined on the type.
pub(super) fn scatter(
    x: &Operand,
    indices: &Operand,
    updates: &Operand,
    s: &ScatterDims,
    combiner: Option<Monoid>,
    out: Buffer,
) -> Option<Scatter> {
    if combiner.is_some_and(|m| !is_defined(x.dtype, m)) {
        return None;
    }
    let rank = x.view.shape.len();
    let starts = Starts::new(
        indices,
        s.index_vector_dim,
        &s.scatter_dims_to_operand_dims,
        &s.input_batching_dims,
        &s.scatter_indices_batching_dims,
        rank,
    );
    let kept =
        (0..rank).filter(|d| !s.inserted_window_dims.contains(d) && !s.input_batching_dims.contains(d));
    let u = &updates.view;
    let window = s.update_window_dims.iter().zip(kept).map(|(&w, d)| (u.shape[w], u.strides[w], d)).collect();
    let (_, batch_strides) = parts(&u.strides, &s.update_window_dims);
    Some(Scatter { x: x.clone(), updates: updates.clone(), starts, combiner, window, batch_strides, out })
}

impl Step for Scatter {
    fn describe(&self) -> String {
        format!("scatter {:?}", self.updates.view.shape)
    }

    fn run(&self, memory: &Memory, threads: usize) {
        let size = self.x.dtype.size();
        let to = dense_strides(&self.x.view.shape);
        // SAFETY: operands and result are different buffers of this step.
        unsafe {
            let (x, out) = (memory.read::<u8>(self.x.buffer), memory.write::<u8>(self.out));
            strided(&self.x.view, 0, &signed(&to)).run_bytes(size, x, out, threads);
        }
        let combine = Combine { scatter: self, memory, to: &to };
        match (self.combiner, size) {
            (Some(m), _) => with_monoid(self.x.dtype, m, combine),
            // Only moved: any type of the size does.
            (None, 1) => combine.call(0u8, |_, new| new),
            (None, 2) => combine.call(0u16, |_, new| new),
            (None, 4) => combine.call(0u32, |_, new| new),
            (None, 8) => combine.call(0u64, |_, new| new),
            (None, _) => combine.call([0u64; 2], |_, new| new),
        }
    }
}

/// The updates join the result.
struct Combine<'a> {
    scatter: &'a Scatter,
    memory: &'a Memory,
    to: &'a [usize],
}

impl WithMonoid for Combine<'_> {
    fn call<T: Cell>(self, _: T, combine: impl Fn(T, T) -> T + Copy + Send + Sync) {
        let s = self.scatter;
        // SAFETY: operands and result are different buffers of this step.
        let (updates, out) =
            unsafe { (cells::<T>(self.memory, s.updates.buffer), cells_mut::<T>(self.memory, s.out)) };
        s.apply(self.memory, updates, out, self.to, &combine);
    }
}

impl Scatter {
    fn apply<T: Copy>(
        &self,
        memory: &Memory,
        updates: &[T],
        out: &mut [T],
        to: &[usize],
        f: &dyn Fn(T, T) -> T,
    ) {
        let shape = &self.x.view.shape;
        let lines = self.window.split_last();
        self.starts.each(memory, |batch, start| {
            let from = self.updates.view.offset + dot(batch, &self.batch_strides);
            // Dimensions without a window are one element wide.
            let mut base = 0;
            for d in 0..shape.len() {
                if !self.window.iter().any(|w| w.2 == d) {
                    match usize::try_from(start[d]).ok().filter(|&s| s < shape[d]) {
                        Some(s) => base += s * to[d],
                        None => return,
                    }
                }
            }
            match lines {
                None => out[base] = f(out[base], updates[from]),
                Some((&last, outer)) => lines_of(outer, start, shape, to, from, base, &mut |from, base| {
                    line(last, start, shape, to, &updates[from..], base, out, f);
                }),
            }
        });
    }
}

/// Calls `f` with the update and result positions of each line of the window that lies inside.
fn lines_of(
    outer: &[(usize, usize, usize)],
    start: &[i64],
    shape: &[usize],
    to: &[usize],
    from: usize,
    base: usize,
    f: &mut dyn FnMut(usize, usize),
) {
    let Some((&(size, step, d), rest)) = outer.split_first() else { return f(from, base) };
    for i in 0..size {
        if let Some(at) =
            start[d].checked_add(i as i64).and_then(|a| usize::try_from(a).ok()).filter(|&a| a < shape[d])
        {
            lines_of(rest, start, shape, to, from + i * step, base + at * to[d], f);
        }
    }
}

/// One line of the window, cut to what lies inside.
fn line<T: Copy>(
    (size, step, d): (usize, usize, usize),
    start: &[i64],
    shape: &[usize],
    to: &[usize],
    updates: &[T],
    base: usize,
    out: &mut [T],
    f: &dyn Fn(T, T) -> T,
) {
    let first = start[d].min(0).unsigned_abs().min(size as u64) as usize;
    let room = (shape[d] as i64).saturating_sub(start[d]).clamp(0, size as i64) as usize;
    for i in first..room {
        let at = base + (start[d] + i as i64) as usize * to[d];
        out[at] = f(out[at], updates[i * step]);
    }
}
