//! Where values live while a program runs: arguments, results, constants, and one arena that is reused.
//!
//! What must hold: two buffers of the arena overlap only if no step needs both. Steps rely on it when they take a
//! mutable slice of one buffer beside slices of others.

use crate::buffer::{ALIGN, AlignedBytes, Element};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Which allocation a buffer is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Space {
    Arg(usize),
    Result(usize),
    Const,
    Arena,
}

/// Bytes that hold a node's storage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Buffer {
    pub(super) space: Space,
    pub(super) offset: usize,
    pub(super) bytes: usize,
}

/// The allocations of one run. Pointers are valid for its duration and aligned for their elements.
pub(super) struct Memory {
    pub(super) args: Vec<*const u8>,
    pub(super) results: Vec<*mut u8>,
    pub(super) consts: *const u8,
    pub(super) arena: *mut u8,
    pub(super) scratch: Scratch,
}

/// Scratch for threads of one step: as many pieces as threads ever asked at once, all of one size.
#[derive(Default)]
pub(super) struct Scratch {
    pieces: Mutex<Vec<AlignedBytes>>,
    bytes: usize,
}

impl Scratch {
    /// Pieces of this size.
    pub(super) fn new(bytes: usize) -> Self {
        Self { pieces: Mutex::default(), bytes }
    }

    /// Calls `f` with a piece that nobody else has meanwhile; its bytes are what the last user left.
    pub(super) fn with(&self, f: impl FnOnce(&mut [u8])) {
        let mut piece = self.lock().pop().unwrap_or_else(|| AlignedBytes::zeroed(self.bytes));
        f(piece.as_mut_slice());
        self.lock().push(piece);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<AlignedBytes>> {
        self.pieces.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Memory {
    /// The first byte of a buffer that is read.
    pub(super) fn read_ptr(&self, b: Buffer) -> *const u8 {
        // SAFETY: the planner placed the buffer within its allocation.
        unsafe {
            match b.space {
                Space::Arg(i) => self.args[i].add(b.offset),
                Space::Result(i) => self.results[i].add(b.offset).cast_const(),
                Space::Const => self.consts.add(b.offset),
                Space::Arena => self.arena.add(b.offset).cast_const(),
            }
        }
    }

    /// The first byte of a buffer that is written: a result's or the arena's.
    pub(super) fn write_ptr(&self, b: Buffer) -> *mut u8 {
        // SAFETY: as above.
        unsafe {
            match b.space {
                Space::Result(i) => self.results[i].add(b.offset),
                Space::Arena => self.arena.add(b.offset),
                Space::Arg(_) | Space::Const => unreachable!("steps write results and the arena only"),
            }
        }
    }

    /// A buffer's elements.
    ///
    /// # Safety
    /// Nothing writes the buffer while the slice lives.
    pub(super) unsafe fn read<T: Element>(&self, b: Buffer) -> &[T] {
        if b.bytes == 0 {
            return &[];
        }
        // SAFETY: aligned and within its allocation; promised by the caller.
        unsafe { std::slice::from_raw_parts(self.read_ptr(b).cast(), b.bytes / size_of::<T>()) }
    }

    /// A buffer's elements, to be written.
    ///
    /// # Safety
    /// Nothing else touches the buffer while the slice lives.
    #[allow(clippy::mut_from_ref)]
    pub(super) unsafe fn write<T: Element>(&self, b: Buffer) -> &mut [T] {
        if b.bytes == 0 {
            return &mut [];
        }
        // SAFETY: aligned and within its allocation; promised by the caller.
        unsafe { std::slice::from_raw_parts_mut(self.write_ptr(b).cast(), b.bytes / size_of::<T>()) }
    }
}

/// Hands out the arena: best fit among free blocks, which merge with their neighbours.
#[derive(Default)]
pub(super) struct Arena {
    /// Free (offset, bytes), by offset, never touching.
    free: Vec<(usize, usize)>,
    high: usize,
}

impl Arena {
    /// A place for this many bytes.
    pub(super) fn take(&mut self, bytes: usize) -> usize {
        let bytes = bytes.next_multiple_of(ALIGN);
        let fit = (0..self.free.len()).filter(|&i| self.free[i].1 >= bytes).min_by_key(|&i| self.free[i].1);
        if let Some(i) = fit {
            let (offset, size) = self.free[i];
            if size == bytes {
                self.free.remove(i);
            } else {
                self.free[i] = (offset + bytes, size - bytes);
            }
            return offset;
        }
        // Grow, from the last free block on where it touches the end.
        let offset = match self.free.last() {
            Some(&(o, s)) if o + s == self.high => {
                self.free.pop();
                o
            }
            _ => self.high,
        };
        self.high = offset + bytes;
        offset
    }

    /// Gives a place back.
    pub(super) fn give(&mut self, offset: usize, bytes: usize) {
        let bytes = bytes.next_multiple_of(ALIGN);
        if bytes == 0 {
            return;
        }
        let at = self.free.partition_point(|&(o, _)| o < offset);
        self.free.insert(at, (offset, bytes));
        if at + 1 < self.free.len() && offset + bytes == self.free[at + 1].0 {
            self.free[at].1 += self.free.remove(at + 1).1;
        }
        if at > 0 && self.free[at - 1].0 + self.free[at - 1].1 == offset {
            self.free[at - 1].1 += self.free.remove(at).1;
        }
    }

    /// Bytes needed in all.
    pub(super) fn bytes(&self) -> usize {
        self.high
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn freed_neighbours_merge_and_are_reused() {
        let mut a = Arena::default();
        let x: Vec<usize> = (0..4).map(|_| a.take(100)).collect();
        assert_eq!(x, [0, 128, 256, 384]);
        a.give(x[1], 100);
        a.give(x[2], 100);
        assert_eq!(a.take(200), 128);
        assert_eq!(a.take(1), 512);
        a.give(512, 1);
        a.give(384, 100);
        assert_eq!((a.take(300), a.bytes()), (384, 704));
    }
}
