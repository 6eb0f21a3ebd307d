//! What must hold of every file, whatever is in it: the fuzz targets and the tests of the corpus share this.
//!
//! A file is refused with places, or gives valid programs whose text gives the same programs again.

use pullback_ir::Program;
use pullback_ir::text::canonical_math;
use pullback_stablehlo::{census_bytes, exported, import, import_bytes, print};

/// Imports a file of any form, and does with it whatever can be done. Panics where something does not hold.
pub fn exercise(bytes: &[u8]) {
    // Both only have to come back.
    let _ = census_bytes(bytes);
    let _ = exported(bytes);
    match import_bytes(bytes) {
        Ok(module) => {
            let printed = print_checked(module.functions());
            let again = import(&printed).unwrap_or_else(|e| panic!("{}\nis refused: {}", clip(&printed), e[0]));
            let text = print_checked(again.functions());
            let pairs = module.functions().iter().zip(again.functions());
            assert_eq!(module.functions().len(), again.functions().len());
            for (first, second) in pairs {
                assert_eq!(canonical_math(first), canonical_math(second), "\n{}\n{}", clip(&printed), clip(&text));
            }
        }
        Err(diags) => {
            assert!(!diags.is_empty(), "refused without a reason");
            assert!(diags.iter().all(|d| d.pos.is_some()), "a finding without a place: {diags:?}");
        }
    }
}

fn print_checked(programs: &[Program]) -> String {
    for p in programs {
        p.verify().unwrap_or_else(|e| panic!("@{} is not valid: {e}", p.name()));
    }
    print(&programs.iter().collect::<Vec<_>>())
}

/// The beginning of a text, which may be long.
fn clip(text: &str) -> &str {
    text.char_indices().nth(4000).map_or(text, |(end, _)| &text[..end])
}
