//! reduce_window of a row-major operand.
//!
//! Each result element combines its window's elements row-major, starting from the identity, as in the reference; many
//! neighbouring elements do so at once. Windows that all begin before the operand and end one element further each
//! (cumulative sums and the like) carry the result of the one before, which is the same order; windows that end behind
//! the operand do likewise from the other side, which for sums is another order.

use super::kernels::dispatch::vectorized;
use super::kernels::pool::{Shared, parallel_for, split};
use super::memory::{Buffer, Memory};
use super::monoid::{Cell, WithMonoid, cells, cells_mut, is_defined, with_monoid};
use super::step::{Operand, Step};
use super::view::dense_strides;
use pullback_ir::{DType, Monoid, WindowDims};
use std::ops::Range;

/// Combinations below which a second thread costs more than it gives.
const MIN_WORK: usize = 1 << 16;
/// Result elements that are worked on together: they stay in the first-level cache.
const PIECE: usize = 4096;

/// A dimension that windows slide along.
#[derive(Clone, Debug)]
pub(super) struct Slid {
    /// Elements of the operand, and windows.
    pub(super) n: usize,
    pub(super) out: usize,
    pub(super) window: usize,
    stride: usize,
    base: usize,
    dilation: usize,
    low: i64,
    /// Operand elements between neighbours.
    pub(super) step: usize,
}

impl Slid {
    /// The dimensions of an operand of this shape under windows that give a result of shape `out`.
    pub(super) fn all(shape: &[usize], w: &WindowDims, out: &[usize]) -> Vec<Self> {
        let steps = dense_strides(shape);
        let one = |d: usize| Self {
            n: shape[d],
            out: out[d],
            window: w.sizes[d],
            stride: w.strides[d],
            base: w.base_dilations[d],
            dilation: w.window_dilations[d],
            low: w.padding[d].0,
            step: steps[d],
        };
        (0..shape.len()).map(one).collect()
    }

    /// Whether each window is the element at its own place.
    pub(super) fn is_still(&self) -> bool {
        self.window == 1
            && self.low == 0
            && self.n == self.out
            && (self.stride == 1 || self.n <= 1)
            && (self.base == 1 || self.n <= 1)
    }

    /// The operand's place that position `k` of window `o` sees; `None` in padding.
    pub(super) fn place(&self, o: usize, k: usize) -> Option<usize> {
        let at = o as i128 * self.stride as i128 + k as i128 * self.dilation as i128 - i128::from(self.low);
        let base = self.base as i128;
        if at < 0 || at % base != 0 {
            return None;
        }
        usize::try_from(at / base).ok().filter(|&i| i < self.n)
    }

    /// The windows whose position `k` lies between the operand's first and last element.
    fn reached(&self, k: usize) -> Range<usize> {
        let first = k as i128 * self.dilation as i128 - i128::from(self.low);
        let last = (self.n as i128 - 1) * self.base as i128;
        let stride = self.stride as i128;
        let from = if first < 0 { (-first + stride - 1) / stride } else { 0 };
        let to = if first > last { 0 } else { (last - first) / stride + 1 };
        let cut = |v: i128| v.clamp(0, self.out as i128) as usize;
        cut(from)..cut(to)
    }

    /// Whether windows grow by one element each from the first on.
    fn is_prefix(&self) -> bool {
        self.plain() && self.low == self.window as i64 - 1
    }

    /// Whether windows shrink by one element each to the last.
    fn is_suffix(&self) -> bool {
        self.plain() && self.low == 0
    }

    fn plain(&self) -> bool {
        self.n == self.out && self.window >= self.n && (self.stride, self.base, self.dilation) == (1, 1, 1)
    }
}

/// How the windows of a line are computed.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Way {
    /// Position by position of the window.
    Fold,
    /// Each from the one before.
    Forwards,
    /// Each from the one after.
    Backwards,
}

/// A compiled reduce_window.
pub(super) struct Slide {
    x: Buffer,
    offset: usize,
    out: Buffer,
    dtype: DType,
    monoid: Monoid,
    /// Dimensions before the last one that windows slide along, and that one.
    outer: Vec<Slid>,
    line: Slid,
    /// Elements of the dimensions after it.
    inner: usize,
    way: Way,
}

/// The step, where the monoid is defined on the type.
pub(super) fn reduce_window(
    x: &Operand,
    w: &WindowDims,
    monoid: Monoid,
    shape: &[usize],
    out: Buffer,
) -> Option<Slide> {
    if !is_defined(x.dtype, monoid) {
        return None;
    }
    let mut outer = Slid::all(&x.view.shape, w, shape);
    let mut inner = 1;
    while let Some(last) = outer.pop_if(|d| d.is_still()) {
        inner *= last.n;
    }
    let line = outer.pop().unwrap_or(Slid {
        n: 1,
        out: 1,
        window: 1,
        stride: 1,
        base: 1,
        dilation: 1,
        low: 0,
        step: inner,
    });
    let alone = outer.iter().all(Slid::is_still);
    let way = match () {
        () if alone && line.is_prefix() => Way::Forwards,
        () if alone && line.is_suffix() => Way::Backwards,
        () => Way::Fold,
    };
    Some(Slide { x: x.buffer, offset: x.view.offset, out, dtype: x.dtype, monoid, outer, line, inner, way })
}

impl Step for Slide {
    fn describe(&self) -> String {
        let windows: Vec<usize> = self.outer.iter().chain([&self.line]).map(|d| d.window).collect();
        let outs: Vec<usize> = self.outer.iter().chain([&self.line]).map(|d| d.out).collect();
        format!("reduce_window {} {outs:?} x {} of {windows:?}", self.monoid, self.inner)
    }

    fn run(&self, memory: &Memory, threads: usize) {
        with_monoid(self.dtype, self.monoid, Run { step: self, memory, threads });
    }
}

struct Run<'a> {
    step: &'a Slide,
    memory: &'a Memory,
    threads: usize,
}

impl WithMonoid for Run<'_> {
    fn call<T: Cell>(self, identity: T, combine: impl Fn(T, T) -> T + Copy + Send + Sync) {
        let s = self.step;
        // SAFETY: operand and result are different buffers of this step.
        let (x, out) = unsafe { (cells::<T>(self.memory, s.x), cells_mut::<T>(self.memory, s.out)) };
        // An empty operand has no storage of its own.
        let x = x.get(s.offset..).unwrap_or(&[]);
        let rows: usize = s.outer.iter().map(|d| d.out).product();
        // A line is cut along its windows, or within one window's elements, unless it is carried along.
        let columns = s.inner.min(PIECE);
        let windows = if s.way == Way::Fold {
            (PIECE / columns.max(1)).clamp(1, s.line.out.max(1))
        } else {
            s.line.out
        };
        let across = s.inner.div_ceil(columns.max(1));
        let pieces = across * s.line.out.div_ceil(windows.max(1));
        let depth = if s.way == Way::Fold {
            s.outer.iter().map(|d| d.window).product::<usize>().saturating_mul(s.line.window.min(s.line.n))
        } else {
            1
        };
        let parts =
            (out.len().saturating_mul(depth) / MIN_WORK).min(self.threads * 4).min(rows * pieces).max(1);
        let place = Shared(out.as_mut_ptr());
        parallel_for(parts, self.threads, &|part| {
            for task in split(rows * pieces, parts, 1, part) {
                let (row, piece) = (task / pieces, task % pieces);
                let o = piece / across * windows;
                let j = piece % across * columns;
                let piece = Piece {
                    row,
                    windows: o..(o + windows).min(s.line.out),
                    columns: j..(j + columns).min(s.inner),
                };
                piece.run(s, x, place, identity, combine);
            }
        });
    }
}

/// A part of a line of the result.
struct Piece {
    row: usize,
    windows: Range<usize>,
    columns: Range<usize>,
}

impl Piece {
    fn run<T: Cell>(&self, s: &Slide, x: &[T], out: Shared<T>, identity: T, f: impl Fn(T, T) -> T + Copy) {
        let wide = self.columns.len();
        let start = self.row * s.line.out * s.inner;
        // SAFETY: within the result; pieces are disjoint.
        let row = |o: usize| unsafe { out.slice(start + o * s.inner + self.columns.start, wide) };
        let whole = wide == s.inner;
        if whole {
            // SAFETY: as above: neighbouring rows are contiguous.
            unsafe { out.slice(start + self.windows.start * wide, self.windows.len() * wide) }.fill(identity);
        } else {
            self.windows.clone().for_each(|o| row(o).fill(identity));
        }
        let mut index = vec![0; s.outer.len()];
        let mut left = self.row;
        for (i, d) in index.iter_mut().zip(&s.outer).rev() {
            *i = left % d.out;
            left /= d.out;
        }
        let mut at = vec![0; s.outer.len()];
        loop {
            let places = s.outer.iter().zip(index.iter().zip(&at));
            let base = places.map(|(d, (&o, &k))| Some(d.place(o, k)? * d.step)).sum::<Option<usize>>();
            if let Some(base) = base {
                match s.way {
                    Way::Fold => self.fold(s, x, base, out, start, f),
                    Way::Forwards | Way::Backwards => self.carry(s, x, base, out, start, identity, f),
                }
            }
            // Row-major over the window.
            let Some(d) = (0..at.len()).rev().find(|&d| at[d] + 1 < s.outer[d].window) else { return };
            at[d] += 1;
            at[d + 1..].fill(0);
        }
    }

    /// The line of the operand at `base` joins the piece, one position of the window after the other.
    fn fold<T: Cell>(
        &self,
        s: &Slide,
        x: &[T],
        base: usize,
        out: Shared<T>,
        start: usize,
        f: impl Fn(T, T) -> T + Copy,
    ) {
        let (line, wide) = (&s.line, self.columns.len());
        for k in self.positions(line) {
            let reached = line.reached(k);
            let (from, to) = (reached.start.max(self.windows.start), reached.end.min(self.windows.end));
            if from >= to {
                continue;
            }
            if line.base == 1 && wide == s.inner && (line.stride == 1 || wide == 1) {
                let Some(first) = line.place(from, k) else { continue };
                // SAFETY: the piece's own part of the result.
                let y = unsafe { out.slice(start + from * wide, (to - from) * wide) };
                let x = &x[base + first * line.step..];
                join(y, x, line.stride, f);
                continue;
            }
            let first = if line.base == 1 { line.place(from, k) } else { None };
            for o in from..to {
                // Divisions only where there are elements in between.
                let place = first.map(|p| p + (o - from) * line.stride).or_else(|| line.place(o, k));
                let Some(place) = place else { continue };
                let x = &x[base + place * line.step + self.columns.start..][..wide];
                // SAFETY: the piece's own part of the result.
                let y = unsafe { out.slice(start + o * s.inner + self.columns.start, wide) };
                join(y, x, 1, f);
            }
        }
    }

    /// The positions of the window that may see an element from one of the piece's windows.
    fn positions(&self, line: &Slid) -> Range<usize> {
        let Some(last_window) = self.windows.clone().last() else { return 0..0 };
        let (stride, dilation) = (line.stride as i128, line.dilation as i128);
        let low = i128::from(line.low);
        let last = (line.n as i128 - 1) * line.base as i128 + low;
        let end = last - self.windows.start as i128 * stride;
        let begin = low - last_window as i128 * stride;
        let cut = |v: i128| v.clamp(0, line.window as i128) as usize;
        let begin = if begin > 0 { (begin + dilation - 1) / dilation } else { 0 };
        let end = if end < 0 { 0 } else { end / dilation + 1 };
        cut(begin)..cut(end)
    }

    /// Every window from its neighbour.
    fn carry<T: Cell>(
        &self,
        s: &Slide,
        x: &[T],
        base: usize,
        out: Shared<T>,
        start: usize,
        identity: T,
        f: impl Fn(T, T) -> T + Copy,
    ) {
        let n = s.line.out;
        if s.inner == 1 {
            // SAFETY: the whole line is this piece.
            let (y, x) = (unsafe { out.slice(start, n) }, &x[base..][..n]);
            let mut acc = identity;
            let step = |(y, &v): (&mut T, &T)| {
                acc = f(acc, v);
                *y = acc;
            };
            return match s.way {
                Way::Backwards => y.iter_mut().zip(x).rev().for_each(step),
                Way::Fold | Way::Forwards => y.iter_mut().zip(x).for_each(step),
            };
        }
        let line = |o: usize| &x[base + o * s.line.step + self.columns.start..][..self.columns.len()];
        // SAFETY: within the result; pieces are disjoint, and so are the rows of one.
        let row =
            |o: usize| unsafe { out.slice(start + o * s.inner + self.columns.start, self.columns.len()) };
        for i in 0..n {
            let o = if s.way == Way::Backwards { n - 1 - i } else { i };
            let (y, x) = (row(o), line(o));
            if i == 0 {
                join(y, x, 1, f);
            } else {
                let before = row(if s.way == Way::Backwards { o + 1 } else { o - 1 });
                y.copy_from_slice(before);
                join(y, x, 1, f);
            }
        }
    }
}

/// Elements of `x`, `step` apart, join those of `y`.
fn join<T: Cell>(y: &mut [T], x: &[T], step: usize, f: impl Fn(T, T) -> T + Copy) {
    if step > 2 {
        return y.iter_mut().zip(x.iter().step_by(step)).for_each(|(y, &v)| *y = f(*y, v));
    }
    vectorized(
        #[inline(always)]
        move || {
            if step == 1 {
                for (y, &v) in y.iter_mut().zip(x) {
                    *y = f(*y, v);
                }
            } else {
                for (y, v) in y.iter_mut().zip(x.chunks(2)) {
                    *y = f(*y, v[0]);
                }
            }
        },
    );
}
