//! No text makes the importer panic or hang.

use crate::PROGRAMS;
use proptest::prelude::*;
use pullback_stablehlo::{census, import, print};

/// Import, and whatever can be done with what it gives.
fn exercise(text: &str) {
    let _ = census(text);
    match import(text) {
        Ok(module) => {
            for f in module.functions() {
                f.verify().expect("an imported program is valid");
            }
            let printed = print(&module.functions().iter().collect::<Vec<_>>());
            import(&printed).expect("a printed program imports");
        }
        Err(diags) => {
            assert!(!diags.is_empty());
            assert!(diags.iter().all(|d| d.pos.is_some()), "a diagnostic without a place: {diags:?}");
        }
    }
}

/// Pieces that meet the parser in unexpected places.
const PIECES: [&str; 24] = [
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    "->",
    "\"",
    "%0",
    "#loc1",
    "loc(",
    "dense<",
    "tensor<",
    "9999999999999999999",
    "-",
    "x",
    " : ",
    ",",
    "é",
    "return",
    "stablehlo.while",
    "//",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutated_programs_do_not_panic(
        which in 0..PROGRAMS.len(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), 0..5u8, any::<u8>(), 0..PIECES.len()), 1..6),
    ) {
        let mut bytes = PROGRAMS[which].1.as_bytes().to_vec();
        // The largest programs add time, not cases.
        bytes.truncate(14_000);
        for (at, kind, byte, piece) in edits {
            let at = at.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => bytes[at] = b"0123456789"[usize::from(byte % 10)],
                2 => drop(bytes.splice(at..at, PIECES[piece].bytes())),
                3 => drop(bytes.drain(at..(at + usize::from(byte)).min(bytes.len() - 1))),
                _ => bytes.truncate(at.max(1)),
            }
        }
        exercise(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn arbitrary_text_does_not_panic(text in "\\PC{0,80}") {
        exercise(&text);
        exercise(&format!("func.func @main() -> tensor<f32> {{ {text}"));
    }

    #[test]
    fn arbitrary_numbers_in_attributes_do_not_panic(n in any::<i64>(), m in any::<u64>()) {
        for (from, to) in [
            ("dims = [0, 2]", format!("dims = [{n}, {m}]")),
            ("[0:6, 1:8:2]", format!("[0:{m}, 1:8:{m}]")),
            ("low = [1, -1]", format!("low = [{n}, {n}]")),
            ("interior = [0, 1]", format!("interior = [{m}, {m}]")),
            ("sizes = [3, 5]", format!("sizes = [{n}, {m}]")),
            ("feature_group_count = 2", format!("feature_group_count = {n}")),
            ("stride = [2, 1]", format!("stride = [{m}, 1]")),
            ("rhs_dilate = [1, 1]", format!("rhs_dilate = [{m}, {m}]")),
            ("pad = [[1, 1], [-1, 2]]", format!("pad = [[{n}, {n}], [{n}, 2]]")),
            ("index_vector_dim = 1", format!("index_vector_dim = {n}")),
            ("tensor<4x6xf32>", format!("tensor<{m}x{m}xf32>")),
            ("across dimensions = [1]", format!("across dimensions = [{n}]")),
            ("%0:2 = call", format!("%0:{m} = call")),
            ("%0#1", format!("%0#{m}")),
        ] {
            let text = crate::text_of("ops");
            assert!(text.contains(from), "the test program no longer holds {from}");
            exercise(&text.replace(from, &to));
        }
    }
}

#[test]
fn every_truncation_is_an_error_with_a_place() {
    let text = crate::text_of("mlp_located");
    // The last brace closes the module; locations that follow are not needed.
    let end = text.rfind("} loc(").or_else(|| text.rfind('}')).expect("a module ends");
    for cut in (0..end).step_by(37) {
        if text.is_char_boundary(cut) && text[..cut].contains("module") {
            let diags = import(&text[..cut]).expect_err("a truncated module");
            assert!(diags.iter().all(|d| d.pos.is_some()));
        }
    }
}

#[test]
fn deep_nesting_is_refused() {
    for (open, close) in [("[", "]"), ("{a = ", "}"), ("array<i64: ", ">"), ("#stablehlo.dot<a = ", ">")] {
        for depth in [150, 100_000] {
            let text = format!(
                "module attributes {{a = {}0{}}} {{\nfunc.func @main() {{ return }}\n}}",
                open.repeat(depth),
                close.repeat(depth)
            );
            exercise(&text);
        }
    }
    let regions = |n: usize| "\"a.b\"() ({\n".repeat(n) + &"}) : () -> ()\n".repeat(n);
    for depth in [150, 100_000] {
        exercise(&format!("func.func @main() {{\n{}  return\n}}", regions(depth)));
    }
    let locs = "callsite(".repeat(100_000);
    exercise(&format!("#l = loc({locs}"));
    let types = "() -> ".repeat(100_000);
    exercise(&format!("module attributes {{a = {types}i32}} {{}}"));
}
