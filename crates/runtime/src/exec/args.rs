//! Where a compute event finds its arguments: in the arena as they are, or a part of a buffer copied together.

use super::arena::Arena;
use super::ring::region_runs;
use pullback_ir::region::Region;
use std::ops::Range;

/// Alignment of arguments that are copied together.
const ALIGN: usize = 64;

/// One argument.
#[derive(Clone, Debug)]
pub(super) enum Arg {
    /// These bytes of the arena.
    At(Range<usize>),
    /// A part of what a buffer holds, not one run of bytes: copied to `into` of the bytes set aside.
    Part { buffer: Range<usize>, part: Region, whole: Region, size: usize, into: Range<usize> },
}

/// The arguments of one compute event at one turn.
#[derive(Clone, Debug, Default)]
pub(super) struct Args {
    list: Vec<Arg>,
    aside: usize,
}

impl Args {
    /// The next argument: all of a buffer in this range of the arena.
    pub fn push(&mut self, buffer: Range<usize>) {
        self.list.push(Arg::At(buffer));
    }

    /// The next argument: `part` of the `whole` in this range of the arena, of elements of `size` bytes, where it can be had:
    /// one run of bytes, or set aside where `may_copy`. Whether it can.
    pub fn push_part(
        &mut self,
        buffer: &Range<usize>,
        part: &Region,
        whole: &Region,
        size: usize,
        may_copy: bool,
    ) -> bool {
        let runs = if part.is_subset(whole) { region_runs(0, part, whole) } else { Vec::new() };
        match &runs[..] {
            [run] => {
                let at = |elements: usize| buffer.start + elements * size;
                self.list.push(Arg::At(at(run.elements.start)..at(run.elements.end)));
            }
            [_, ..] if may_copy => {
                let into = self.aside..self.aside + part.count() * size;
                self.aside = into.end.next_multiple_of(ALIGN);
                let (buffer, part, whole) = (buffer.clone(), part.clone(), whole.clone());
                self.list.push(Arg::Part { buffer, part, whole, size, into });
            }
            [_, ..] | [] => return false,
        }
        true
    }

    /// Bytes to set aside.
    pub fn aside(&self) -> usize {
        self.aside
    }

    /// Copies parts together.
    pub fn copy(&self, arena: &Arena, aside: &mut [u8]) {
        for arg in &self.list {
            let Arg::Part { buffer, part, whole, size, into } = arg else { continue };
            let (from, mut at) = (arena.view(buffer.clone()), into.start);
            for run in region_runs(0, part, whole) {
                let bytes = &from[run.elements.start * size..run.elements.end * size];
                aside[at..at + bytes.len()].copy_from_slice(bytes);
                at += bytes.len();
            }
        }
    }

    /// What is read of the arena, argument by argument.
    pub fn ranges(&self) -> Vec<Range<usize>> {
        let range = |arg: &Arg| match arg {
            Arg::At(range) => range.clone(),
            Arg::Part { .. } => 0..0,
        };
        self.list.iter().map(range).collect()
    }

    /// Puts what was set aside among the arguments that were read of the arena.
    pub fn place<'a>(&self, args: &mut [&'a [u8]], aside: &'a [u8]) {
        for (arg, to) in self.list.iter().zip(args) {
            if let Arg::Part { into, .. } = arg {
                *to = &aside[into.clone()];
            }
        }
    }
}
