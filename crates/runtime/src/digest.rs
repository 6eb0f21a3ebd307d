//! The content digest, under the name the frames and files of this crate use.

pub use pullback_plan::Digest;
