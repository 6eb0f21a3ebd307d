//! The canonical text form of a plan: [`print`] writes it, [`parse`] reads it, and its hash is the plan's
//! identity.
//!
//! `parse(print(p)) == p` for every plan whose mesh is one [`Mesh::new`](crate::Mesh::new) makes, and
//! `print(parse(t)) == t` for every text that was printed. Reading checks the form alone: the grammar, that ids
//! are dense, that axes exist and devices stand at their places. Whether the plan is right is the checker's
//! question, so a wrong plan can be written down. The sections are described in `docs/plan.md`.

mod parse;
mod print;
mod scan;

pub use parse::parse;
pub use print::print;

use crate::digest::Digest;
use crate::plan::Plan;

/// Version of the text form; the first line is `pullback plan` and this number.
pub const VERSION: u64 = 2;

/// How deep loops may nest.
pub const MAX_LOOPS: usize = 8;

/// Most coordinates an axis may have.
pub const MAX_AXIS_SIZE: usize = 1 << 16;

/// Most coordinates all axes together may have, so that an index into a cut table cannot overflow.
pub const MAX_COORDS: usize = 1 << 32;

/// Most axes a mesh may have.
pub const MAX_AXES: usize = 32;

impl Plan {
    /// The plan's identity: that of its canonical text.
    pub fn digest(&self) -> Digest {
        Digest::of(print(self).as_bytes())
    }
}
