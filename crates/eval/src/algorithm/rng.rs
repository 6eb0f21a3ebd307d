//! Random bits of `rng_bit_generator`, the same as XLA's on CPU bit for bit.
//!
//! Both generators encrypt a counter under a key (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3",
//! SC 2011), so any element follows from the state and its index alone. Which counter and which word of its block
//! an element takes, and by how much the counter goes on, is XLA's choice:
//!
//! * Threefry 2x32, 20 rounds. The state is (key, counter). A 64-bit element is the block at counter + its index.
//!   Of narrower elements two share a block: neighbours along the dimension that is halved, the first of even size,
//!   else the first of the largest size.
//! * Philox 4x32, 10 rounds. The state is (key, counter) or (key, low, high) of a counter of 128 bits; of two words
//!   the key is the counter's high half as well. The words of a block go to consecutive elements.
//!
//! `DEFAULT` is Philox. Elements of fewer than 32 bits take the low bits of a word of their own; floats take the
//! bits of integers of their size.

use pullback_base::rng::philox4x32;
use pullback_ir::RngAlgorithm;
use std::ops::Range;

/// The state after bits for elements of `bits` bits were taken in a tensor of this shape.
pub fn next_state(algorithm: RngAlgorithm, state: &[u64], bits: u32, shape: &[usize]) -> Vec<u64> {
    let count = shape.iter().product::<usize>() as u64;
    let mut next = state.to_vec();
    match algorithm {
        RngAlgorithm::ThreeFry => {
            let blocks = if bits == 64 { count } else { Halved::of(shape).blocks() };
            if let Some(counter) = next.get_mut(1) {
                *counter = counter.wrapping_add(blocks);
            }
        }
        RngAlgorithm::Philox | RngAlgorithm::Default => {
            let blocks = if bits == 64 { count.div_ceil(2) } else { count.div_ceil(4) };
            let counter = philox_counter(state).wrapping_add(blocks.into());
            for (word, shift) in next.iter_mut().skip(1).zip([0, 64]) {
                *word = (counter >> shift) as u64;
            }
        }
    }
    next
}

/// Writes the elements numbered `range` of a tensor of this shape, each of `bits` bits and, below 8, a byte of its
/// own. Which are asked for together does not matter.
pub fn bits(
    algorithm: RngAlgorithm,
    state: &[u64],
    bits: u32,
    shape: &[usize],
    range: Range<usize>,
    out: &mut [u8],
) {
    let size = (bits as usize).div_ceil(8);
    let mask = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
    let key = words(state.first().copied().unwrap_or(0));
    let put = |word: u64, out: &mut [u8]| out.copy_from_slice(&(word & mask).to_le_bytes()[..size]);
    let elements = range.clone().zip(out.chunks_exact_mut(size));
    match algorithm {
        RngAlgorithm::ThreeFry => {
            let counter = state.get(1).copied().unwrap_or(0);
            if bits == 64 {
                for (i, out) in elements {
                    let [lo, hi] = threefry(key, words(counter.wrapping_add(i as u64)));
                    put(u64::from(lo) | u64::from(hi) << 32, out);
                }
                return;
            }
            let halved = Halved::of(shape);
            for (i, out) in elements {
                let (block, word) = halved.place(i);
                put(threefry(key, words(counter.wrapping_add(block)))[word].into(), out);
            }
        }
        RngAlgorithm::Philox | RngAlgorithm::Default => {
            let counter = philox_counter(state);
            let per_block = if bits == 64 { 2 } else { 4 };
            let mut last = (usize::MAX, [0; 4]);
            for (i, out) in elements {
                if last.0 != i / per_block {
                    last = (i / per_block, block(key, counter.wrapping_add((i / per_block) as u128)));
                }
                let (word, block) = (i % per_block, last.1);
                if bits == 64 {
                    put(u64::from(block[2 * word]) | u64::from(block[2 * word + 1]) << 32, out);
                } else {
                    put(block[word].into(), out);
                }
            }
        }
    }
}

/// Low and high half.
fn words(v: u64) -> [u32; 2] {
    [v as u32, (v >> 32) as u32]
}

/// A block of Philox; words of the counter from the lowest up.
fn block(key: [u32; 2], counter: u128) -> [u32; 4] {
    philox4x32([0, 32, 64, 96].map(|shift| (counter >> shift) as u32), key)
}

fn philox_counter(state: &[u64]) -> u128 {
    let word = |i: usize| u128::from(state.get(i).copied().unwrap_or(0));
    word(1) | (if state.len() < 3 { word(0) } else { word(2) }) << 64
}

/// A shape of which one dimension is taken two by two.
struct Halved {
    /// Indices before that dimension; its size; indices after it.
    outer: usize,
    size: usize,
    inner: usize,
}

impl Halved {
    fn of(shape: &[usize]) -> Self {
        let even = shape.iter().position(|n| n % 2 == 0);
        // The first of the largest ones.
        let dim = even.unwrap_or_else(|| (0..shape.len()).rev().max_by_key(|&d| shape[d]).unwrap_or(0));
        let outer = shape.iter().take(dim).product();
        let inner = shape.iter().skip(dim + 1).product();
        Self { outer, size: shape.get(dim).copied().unwrap_or(1), inner }
    }

    fn blocks(&self) -> u64 {
        (self.outer * self.size.div_ceil(2) * self.inner) as u64
    }

    /// The block and the word in it of element `i`.
    fn place(&self, i: usize) -> (u64, usize) {
        let (rest, inner) = (i / self.inner, i % self.inner);
        let (outer, along) = (rest / self.size, rest % self.size);
        (((outer * self.size.div_ceil(2) + along / 2) * self.inner + inner) as u64, along % 2)
    }
}

/// Threefry 2x32 with 20 rounds.
fn threefry(key: [u32; 2], counter: [u32; 2]) -> [u32; 2] {
    const ROTATIONS: [[u32; 4]; 2] = [[13, 15, 26, 6], [17, 29, 16, 24]];
    let keys = [key[0], key[1], key[0] ^ key[1] ^ 0x1BD1_1BDA];
    let [mut a, mut b] = [counter[0].wrapping_add(keys[0]), counter[1].wrapping_add(keys[1])];
    for group in 0..5 {
        for rotation in ROTATIONS[group % 2] {
            a = a.wrapping_add(b);
            b = b.rotate_left(rotation) ^ a;
        }
        a = a.wrapping_add(keys[(group + 1) % 3]);
        b = b.wrapping_add(keys[(group + 2) % 3]).wrapping_add(group as u32 + 1);
    }
    [a, b]
}
