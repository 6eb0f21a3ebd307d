//! What the checker knows about a buffer while it walks: content, families of contributions, value numbers.
//!
//! A *family* is a way of writing a value as contributions, one per coordinate of its axes. Its identity says
//! which reduced factors were cut by which tables and through which ops the contributions went, but not which
//! coordinate this one has: contributions of one family at all coordinates combine to the value, those of two
//! families need not. A *number* stands for bits: those of one value with equal numbers are made by the same ops on
//! the same boxes, as far as the value depends on them, from operands of equal numbers. Both are interned terms, not
//! hashes, so there are no collisions.

use pullback_ir::region::{IntervalSet, Region};
use pullback_ir::{InstrId, Monoid, Value};
use pullback_plan::{AxisId, BufferId, CollectiveId, CutId};
use std::collections::BTreeMap;

/// Gives equal terms equal numbers.
#[derive(Debug)]
pub(crate) struct Interner<K> {
    numbers: BTreeMap<K, u32>,
}

impl<K: Ord> Interner<K> {
    pub fn new() -> Self {
        Self { numbers: BTreeMap::new() }
    }

    pub fn number(&mut self, term: K) -> u32 {
        // Bounded by the number of symbolic steps, which fits.
        let next = self.numbers.len() as u32;
        *self.numbers.entry(term).or_insert(next)
    }
}

/// How a family came about.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum FamilyTerm {
    /// Born or carried on by an op: cuts of its reduced factors, families of its operands.
    Op { instr: InstrId, cuts: Vec<Option<CutId>>, operands: Vec<Option<u32>> },
    /// What is left after combining over axes.
    Combined { of: u32, over: Vec<AxisId> },
}

/// Contributions over axes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Family {
    pub id: u32,
    pub monoid: Monoid,
    /// Axes of more than one coordinate, increasing, not empty.
    pub axes: Vec<AxisId>,
}

/// How bits came about.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum NumberTerm {
    /// A state slot's region at entry.
    Entry(usize, Region),
    /// A batch slot's region.
    Load(usize, Region),
    /// An op on a box, by a device of the kind with this position, of operands with these numbers.
    Op(usize, InstrId, Vec<IntervalSet>, Vec<u32>),
    /// A total and what is combined into it.
    Combine(u32, u32),
    /// An item of a collective, with the counts of all its items, from which segments follow, and its members.
    AllReduce(CollectiveId, usize, Vec<usize>, Vec<u32>),
    /// What this member keeps, this region, of all members'.
    ReduceScatter(usize, Region, Vec<u32>),
    /// The pieces of all members or turns.
    Joined(Vec<(Region, u32)>),
}

/// What a buffer's bytes are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Content {
    pub value: Value,
    pub region: Region,
    /// `None`: whole.
    pub family: Option<Family>,
    pub number: u32,
}

/// State of a buffer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Cell {
    /// Not written (in this turn).
    Empty,
    Holds(Content),
    /// Takes the turns of a loop; `total` is what it holds when all are in, `family` that of each turn.
    Partial {
        total: Content,
        family: Option<Family>,
        turns: usize,
        /// Of each turn, where they are collected; none where they are combined.
        pieces: Vec<(Region, u32)>,
    },
    /// Another buffer took its bytes.
    Overwritten(BufferId),
    Freed,
    /// State of the epoch before the commit.
    Past,
    /// A violation has been reported; more would be noise.
    Unknown,
}
