//! Tests of the program: text form, passes, counting. One binary; a module per part.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod algorithms;
mod composites;
mod count;
mod generate;
mod interpret;
mod pass;
mod text;
