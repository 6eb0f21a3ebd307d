//! argsort of row-major keys: keys as unsigned integers in their order, and a stable sort of each line's positions.
//!
//! What must hold: NaN is greatest and -0 equals 0, or the order is total; ties keep their order, also downwards.

use super::blocks::Narrow;
use super::kernels::pool::{Shared, parallel_for, split};
use super::memory::{Buffer, Memory};
use super::step::{Operand, Step};
use pullback_ir::{DType, DTypeClass};

/// Elements below which a second thread costs more than it gives.
const MIN_WORK: usize = 1 << 13;
/// Lines whose elements lie beside each other and are read together.
const LINES: usize = 16;
/// Lines from this length on are sorted digit by digit.
const BY_DIGITS: usize = 512;

/// A compiled argsort.
pub(super) struct Argsort {
    keys: Vec<(Buffer, usize, DType)>,
    out: Buffer,
    outer: usize,
    n: usize,
    inner: usize,
    descending: bool,
    total: bool,
}

/// The step; all keys have one shape.
pub(super) fn argsort(keys: &[Operand], dim: usize, descending: bool, total: bool, out: Buffer) -> Argsort {
    let shape = &keys[0].view.shape;
    Argsort {
        keys: keys.iter().map(|k| (k.buffer, k.view.offset, k.dtype)).collect(),
        out,
        outer: shape[..dim].iter().product(),
        n: shape[dim],
        inner: shape[dim + 1..].iter().product(),
        descending,
        total,
    }
}

impl Step for Argsort {
    fn describe(&self) -> String {
        format!("argsort {} x [{}] x {} by {} keys", self.outer, self.n, self.inner, self.keys.len())
    }

    fn run(&self, memory: &Memory, threads: usize) {
        // SAFETY: operands and result are different buffers of this step.
        let out = unsafe { memory.write::<i32>(self.out) };
        let keys: Vec<Source> = self
            .keys
            .iter()
            .map(|&(b, offset, dtype)| Source {
                first: memory.read_ptr(b).wrapping_add(offset * dtype.size()),
                dtype,
            })
            .collect();
        let blocks = self.inner.div_ceil(LINES);
        let tasks = self.outer * blocks;
        let parts = (out.len() / MIN_WORK).min(4 * threads).min(tasks).max(1);
        let place = Shared(out.as_mut_ptr());
        let keys = &keys;
        parallel_for(parts, threads, &|part| {
            let mut room = Room::default();
            for task in split(tasks, parts, 1, part) {
                let j = task % blocks * LINES;
                let lines = LINES.min(self.inner - j);
                let at = task / blocks * self.n * self.inner + j;
                self.block(keys, at, lines, place, &mut room);
            }
        });
    }
}

/// Where the keys of one operand begin.
struct Source {
    first: *const u8,
    dtype: DType,
}
// SAFETY: threads only read the keys.
unsafe impl Sync for Source {}

/// What one thread sorts in.
#[derive(Default)]
struct Room {
    /// Per key, line by line.
    keys: Vec<Vec<u64>>,
    pairs: Vec<u64>,
    other: Vec<u64>,
    order: Vec<u32>,
}

impl Argsort {
    /// Sorts `lines` lines whose first elements are at `at` and after it.
    fn block(&self, keys: &[Source], at: usize, lines: usize, out: Shared<i32>, room: &mut Room) {
        let n = self.n;
        room.keys.resize_with(keys.len(), Vec::new);
        for (k, to) in keys.iter().zip(&mut room.keys) {
            to.resize(lines * n, 0);
            // SAFETY: the lines are within the keys.
            unsafe { read(k, self.total, at, self.inner, lines, n, to) };
            if self.descending {
                to.iter_mut().for_each(|v| *v = !*v);
            }
        }
        for l in 0..lines {
            room.sort(l * n, n, keys);
            for (i, &p) in room.order.iter().enumerate() {
                // SAFETY: within the result; lines are disjoint.
                unsafe { *out.place().add(at + l + i * self.inner) = p as i32 };
            }
        }
    }
}

impl Room {
    /// The order of the line of `n` keys at `at`.
    fn sort(&mut self, at: usize, n: usize, keys: &[Source]) {
        self.order.clear();
        if let ([one], [source]) = (self.keys.as_slice(), keys) {
            let line = &one[at..at + n];
            if source.dtype.size() <= 4 {
                // The position breaks ties.
                let pairs = line.iter().enumerate().map(|(i, &k)| k << 32 | i as u64);
                self.pairs.clear();
                self.pairs.extend(pairs);
                if n < BY_DIGITS {
                    self.pairs.sort_unstable();
                } else {
                    by_digits(&mut self.pairs, &mut self.other);
                }
                self.order.extend(self.pairs.iter().map(|&p| p as u32));
                return;
            }
        }
        self.order.extend(0..n as u32);
        let lines: Vec<&[u64]> = self.keys.iter().map(|k| &k[at..at + n]).collect();
        self.order.sort_unstable_by(|&i, &j| {
            let differ = |k: &&[u64]| k[i as usize].cmp(&k[j as usize]);
            lines.iter().map(differ).find(|o| o.is_ne()).unwrap_or_else(|| i.cmp(&j))
        });
    }
}

/// Sorts by the upper 32 bits, the lowest digit first; equal ones keep their order.
fn by_digits(pairs: &mut Vec<u64>, other: &mut Vec<u64>) {
    const BITS: u32 = 11;
    const SIZE: usize = 1 << BITS;
    let digit = |v: u64, d: usize| (v >> (32 + BITS * d as u32)) as usize & (SIZE - 1);
    let mut counts = [[0u32; SIZE]; 3];
    for &v in pairs.iter() {
        for (d, c) in counts.iter_mut().enumerate() {
            c[digit(v, d)] += 1;
        }
    }
    other.resize(pairs.len(), 0);
    for (d, count) in counts.iter_mut().enumerate() {
        if count.iter().any(|&c| c as usize == pairs.len()) {
            continue;
        }
        let mut before = 0;
        for c in count.iter_mut() {
            before += std::mem::replace(c, before);
        }
        for &v in pairs.iter() {
            let c = &mut count[digit(v, d)];
            other[*c as usize] = v;
            *c += 1;
        }
        std::mem::swap(pairs, other);
    }
}

/// A float's place in the order; 32 bits of it.
#[inline(always)]
fn float32(v: f32, total: bool) -> u64 {
    let bits = match (v.is_nan(), total) {
        (true, false) => return u64::from(u32::MAX),
        // As the reference, which tells no quiet NaN from others.
        (true, true) => v.to_bits() | 1 << 22,
        (false, true) => v.to_bits(),
        // -0 + 0 is 0.
        (false, false) => (v + 0.0).to_bits(),
    };
    u64::from(bits ^ (((bits as i32 >> 31) as u32) | 1 << 31))
}

#[inline(always)]
fn float64(v: f64, total: bool) -> u64 {
    let bits = match (v.is_nan(), total) {
        (true, false) => return u64::MAX,
        (true, true) | (false, true) => v.to_bits(),
        (false, false) => (v + 0.0).to_bits(),
    };
    bits ^ (((bits as i64 >> 63) as u64) | 1 << 63)
}

/// Reads `lines` neighbouring lines of `n` keys, each `step` elements after the one before, line by line.
///
/// # Safety
/// They are readable.
unsafe fn read(k: &Source, total: bool, at: usize, step: usize, lines: usize, n: usize, out: &mut [u64]) {
    macro_rules! of {
        ($t:ty, $key:expr) => {{
            let from = k.first.cast::<$t>().wrapping_add(at);
            for i in 0..n {
                for l in 0..lines {
                    // SAFETY: promised by the caller.
                    out[l * n + i] = $key(unsafe { *from.add(i * step + l) });
                }
            }
        }};
    }
    const TOP: u32 = 1 << 31;
    let signed = k.dtype.class() == DTypeClass::Signed;
    match (k.dtype.is_float(), k.dtype.size()) {
        (true, 1) => {
            let table = Narrow::of(k.dtype).expect("a float of one byte");
            of!(u8, |c: u8| float32(table.decode(c) as f32, total));
        }
        (true, 2) if k.dtype == DType::F16 => of!(half::f16, |v: half::f16| float32(v.to_f32(), total)),
        (true, 2) => of!(half::bf16, |v: half::bf16| float32(v.to_f32(), total)),
        (true, 4) => of!(f32, |v| float32(v, total)),
        (true, _) => of!(f64, |v| float64(v, total)),
        (false, 1) if signed => of!(i8, |v: i8| u64::from(i32::from(v) as u32 ^ TOP)),
        (false, 2) if signed => of!(i16, |v: i16| u64::from(i32::from(v) as u32 ^ TOP)),
        (false, 4) if signed => of!(i32, |v: i32| u64::from(v as u32 ^ TOP)),
        (false, _) if signed => of!(i64, |v: i64| v as u64 ^ 1 << 63),
        (false, 1) => of!(u8, u64::from),
        (false, 2) => of!(u16, u64::from),
        (false, 4) => of!(u32, u64::from),
        (false, _) => of!(u64, |v| v),
    }
}
