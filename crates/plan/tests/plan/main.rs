//! The plan's text form and its explanation, from outside the crate.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod docs;
mod explain;
mod generate;
mod text;
