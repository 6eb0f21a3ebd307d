//! select_and_scatter of a row-major operand and source.
//!
//! First each window chooses its element: the first of its elements, row-major, that stays at least as good as those
//! after it; of equal ones the first, and a NaN is replaced by what follows. Then sources join what was chosen, in the
//! order of the windows, starting from the identity. Both as in the reference. Dimensions in front along which no
//! window slides are spread over threads; those behind are worked on together.

use super::blocks::Narrow;
use super::kernels::pool::{Shared, parallel_for, split};
use super::memory::{Buffer, Memory};
use super::monoid::{Cell, WithMonoid, cells, cells_mut, is_defined, with_monoid};
use super::slide::Slid;
use super::step::{Operand, Step};
use pullback_ir::{DType, DTypeClass, Monoid, WindowDims};
use std::sync::{Mutex, PoisonError};

/// Elements of the operand below which a second thread costs more than it gives.
const MIN_WORK: usize = 1 << 14;
/// What a window without elements chose.
const NOTHING: usize = usize::MAX;

/// A compiled select_and_scatter.
pub(super) struct Select {
    x: (Buffer, usize),
    source: (Buffer, usize),
    out: Buffer,
    dtype: DType,
    monoid: Monoid,
    least: bool,
    /// Products of the sizes of still dimensions in front and behind.
    outer: usize,
    inner: usize,
    /// The dimensions in between.
    dims: Vec<Slid>,
    /// Places of the windows of each thread's part, kept for the next run.
    chosen: Mutex<Vec<Vec<usize>>>,
}

/// The step, where the monoid is defined on the type.
pub(super) fn select_and_scatter(
    x: &Operand,
    source: &Operand,
    w: &WindowDims,
    least: bool,
    monoid: Monoid,
    out: Buffer,
) -> Option<Select> {
    if !is_defined(x.dtype, monoid) {
        return None;
    }
    let mut dims = Slid::all(&x.view.shape, w, &source.view.shape);
    let (mut outer, mut inner) = (1, 1);
    while let Some(last) = dims.pop_if(|d| d.is_still()) {
        inner *= last.n;
    }
    let front = dims.iter().take_while(|d| d.is_still()).count();
    for d in dims.drain(..front) {
        outer *= d.n;
    }
    Some(Select {
        x: (x.buffer, x.view.offset),
        source: (source.buffer, source.view.offset),
        out,
        dtype: x.dtype,
        monoid,
        least,
        outer,
        inner,
        dims,
        chosen: Mutex::default(),
    })
}

impl Select {
    /// Elements of the operand and windows, of one position of the outer dimensions.
    fn sizes(&self) -> (usize, usize) {
        let n = self.dims.iter().map(|d| d.n).product::<usize>();
        let windows = self.dims.iter().map(|d| d.out).product::<usize>();
        (n * self.inner, windows * self.inner)
    }

    /// Calls `f` with each window and the places in the operand that it sees, row-major.
    fn each_window(&self, mut f: impl FnMut(usize, &mut dyn Iterator<Item = usize>)) {
        let windows: usize = self.dims.iter().map(|d| d.out).product();
        let mut index = vec![0; self.dims.len()];
        // Per dimension: the offsets of what one window sees.
        let seen: Vec<Vec<Vec<usize>>> = self.dims.iter().map(seen).collect();
        for window in 0..windows {
            match (seen.as_slice(), index.as_slice()) {
                ([a], &[i]) => f(window, &mut a[i].iter().copied()),
                ([a, b], &[i, j]) => {
                    f(window, &mut a[i].iter().flat_map(|x| b[j].iter().map(move |y| x + y)));
                }
                (many, _) => {
                    let lines: Vec<&[usize]> = many.iter().zip(&index).map(|(s, &o)| &s[o][..]).collect();
                    f(window, &mut sums(&lines).into_iter());
                }
            }
            for (i, d) in index.iter_mut().zip(&self.dims).rev() {
                *i += 1;
                if *i < d.out {
                    break;
                }
                *i = 0;
            }
        }
    }

    /// The place in the operand that each window chooses, per inner element.
    fn choose<K: Copy>(&self, x: &[K], chosen: &mut [usize], stays: impl Fn(K, K) -> bool) {
        let inner = self.inner;
        self.each_window(|window, places| {
            let chosen = &mut chosen[window * inner..][..inner];
            let Some(first) = places.next() else { return chosen.fill(NOTHING) };
            chosen.iter_mut().enumerate().for_each(|(j, c)| *c = first + j);
            for place in places {
                for (j, c) in chosen.iter_mut().enumerate() {
                    if !stays(x[*c], x[place + j]) {
                        *c = place + j;
                    }
                }
            }
        });
    }

    /// [`Select::choose`] for the operand's type, of one position of the outer dimensions.
    fn choose_as(&self, x: *const u8, chosen: &mut [usize]) {
        let n = self.sizes().0;
        macro_rules! of {
            ($t:ty, $key:expr) => {{
                // SAFETY: `x` points to the elements of this position, of a type of this size.
                let x = unsafe { std::slice::from_raw_parts(x.cast::<$t>(), n) };
                if self.least {
                    self.choose(x, chosen, |a, b| $key(a) <= $key(b));
                } else {
                    self.choose(x, chosen, |a, b| $key(a) >= $key(b));
                }
            }};
        }
        let signed = self.dtype.class() == DTypeClass::Signed;
        match (self.dtype.is_float(), self.dtype.size()) {
            (true, 1) => {
                let table = Narrow::of(self.dtype).expect("a float of one byte");
                of!(u8, |c| table.decode(c));
            }
            (true, 2) if self.dtype == DType::F16 => of!(half::f16, half::f16::to_f32),
            (true, 2) => of!(half::bf16, half::bf16::to_f32),
            (true, 4) => of!(f32, |v| v),
            (true, _) => of!(f64, |v| v),
            (false, 1) if signed => of!(i8, |v| v),
            (false, 2) if signed => of!(i16, |v| v),
            (false, 4) if signed => of!(i32, |v| v),
            (false, _) if signed => of!(i64, |v| v),
            (false, 1) => of!(u8, |v| v),
            (false, 2) => of!(u16, |v| v),
            (false, 4) => of!(u32, |v| v),
            (false, _) => of!(u64, |v| v),
        }
    }
}

/// Per window of a dimension: the offsets of the elements it sees, in order.
fn seen(d: &Slid) -> Vec<Vec<usize>> {
    let of = |o| (0..d.window).filter_map(|k| d.place(o, k)).map(|i| i * d.step).collect();
    (0..d.out).map(of).collect()
}

/// All sums of one offset of each line, row-major.
fn sums(lines: &[&[usize]]) -> Vec<usize> {
    let mut sums = vec![0];
    for line in lines {
        sums = sums.iter().flat_map(|s| line.iter().map(move |l| s + l)).collect();
    }
    sums
}

impl Step for Select {
    fn describe(&self) -> String {
        let windows: Vec<usize> = self.dims.iter().map(|d| d.window).collect();
        let outs: Vec<usize> = self.dims.iter().map(|d| d.out).collect();
        format!("select_and_scatter {} x {outs:?} x {} of {windows:?}", self.outer, self.inner)
    }

    fn run(&self, memory: &Memory, threads: usize) {
        with_monoid(self.dtype, self.monoid, Run { step: self, memory, threads });
    }
}

struct Run<'a> {
    step: &'a Select,
    memory: &'a Memory,
    threads: usize,
}

impl WithMonoid for Run<'_> {
    fn call<T: Cell>(self, identity: T, combine: impl Fn(T, T) -> T + Copy + Send + Sync) {
        let s = self.step;
        // SAFETY: operands and result are different buffers of this step.
        let (x, source, out) = unsafe {
            (
                cells::<T>(self.memory, s.x.0),
                cells::<T>(self.memory, s.source.0),
                cells_mut::<T>(self.memory, s.out),
            )
        };
        // Empty operands have no storage of their own.
        let (x, source) = (x.get(s.x.1..).unwrap_or(&[]), source.get(s.source.1..).unwrap_or(&[]));
        let (n, windows) = s.sizes();
        let parts = (out.len() / MIN_WORK).min(self.threads).min(s.outer).max(1);
        let place = Shared(out.as_mut_ptr());
        parallel_for(parts, self.threads, &|part| {
            let kept = s.chosen.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let mut chosen = kept.unwrap_or_default();
            chosen.resize(windows, NOTHING);
            for o in split(s.outer, parts, 1, part) {
                // SAFETY: outer positions are disjoint.
                let out = unsafe { place.slice(o * n, n) };
                out.fill(identity);
                if windows == 0 || n == 0 {
                    continue;
                }
                s.choose_as(x[o * n..][..n].as_ptr().cast(), &mut chosen);
                for (&c, &v) in chosen.iter().zip(&source[o * windows..]) {
                    if let Some(y) = out.get_mut(c) {
                        *y = combine(*y, v);
                    }
                }
            }
            s.chosen.lock().unwrap_or_else(PoisonError::into_inner).push(chosen);
        });
    }
}
