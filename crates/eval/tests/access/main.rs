//! Access maps, linear sets and restriction of the IR, held against the reference evaluator.
//!
//! The reference knows nothing of access maps: it computes an op from its definition. `cut` cuts ops of every
//! kind (`cases`) into boxes, computes each box from what the map says it needs, and puts the parts together;
//! `linear` tries linearity numerically; `chains` does several ops at once.
//! Which attributes and cuts are all tried, and which are sampled (from fixed seeds), is said where they are made.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod cases;
mod chains;
mod contract;
mod cut;
mod indexing;
mod linear;
mod loops;
mod matrices;
mod util;
mod windows;
