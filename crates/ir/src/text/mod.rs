//! The canonical text form of a program: printed by `Display`, read by [`parse`].
//!
//! `parse(print(p)) == p` for every valid program, names and value numbers included, and `print(parse(t)) == t`
//! for every text that was printed. The text is deterministic and complete, so it is what gets hashed where a
//! program needs an identity; [`canonical_math`] leaves out what is not mathematics (names of inner values).
//! Hashing itself is done elsewhere.
//!
//! ```text
//! program @main(%0: f32[4,32] "tokens", %1: f32[32,8] "w") {
//!   %2: f32[4,8] = dot_general %0, %1 {contracting_dims = [1] x [0]} "hidden"
//!   %3: f32[] = constant 0.5
//!   %4: f32[4,8] = broadcast_in_dim %3 {broadcast_dimensions = []}
//!   %5: bool[4,8] = compare %2, %4 {comparison_direction = GT}
//!   %6: i32[3] = constant [1, -2, 3]
//!   return %5 "mask", %2
//! }
//! ```
//!
//! One instruction a line: results with their types, `=`, op, operands, attributes, names of the results.
//! What follows from the result type is not an attribute (the shape of a broadcast or reshape, the target of a
//! convert). Programs that an op runs follow its attributes in brackets. Comments run from `#` to the end of the line and are not kept.
//!
//! ```
//! let text = "program @f(%0: f32[2] \"x\") {\n  %1: f32[2] = negate %0\n  return %1\n}\n";
//! let program = pullback_ir::text::parse(text).unwrap();
//! assert_eq!(program.to_string(), text);
//! ```

mod attr;
mod literal;
mod parse;
mod print;
mod scan;

pub use parse::parse;
pub use print::canonical_math;

/// Most entries a shape or a list in an attribute may have in a text.
pub const MAX_LIST: usize = 256;

/// How deep programs may nest in a text.
pub const MAX_DEPTH: usize = 64;

/// Largest text in bytes, so that positions and ids fit 32 bits.
pub const MAX_TEXT: usize = u32::MAX as usize;

/// Dense literals with more elements than this print as one run of bytes.
const MAX_LISTED_ELEMENTS: usize = 16;
