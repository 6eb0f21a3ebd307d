//! What must hold of every file, whatever is in it: the fuzz targets and the tests of the corpus share this.
//!
//! A file is refused with places, or gives valid programs whose text gives the same programs again, but for names of
//! inner values, what no result needs (an argsort is printed as an iota and a sort) and where constants stand.

use pullback_ir::{Op, Program, Value, pass};
use pullback_stablehlo::{census_bytes, exported, import, import_bytes, print};
use std::collections::BTreeMap;

/// Imports a file of any form, and does with it whatever can be done. Panics where something does not hold.
pub fn exercise(bytes: &[u8]) {
    // Both only have to come back.
    let _ = census_bytes(bytes);
    let _ = exported(bytes);
    match import_bytes(bytes) {
        Ok(module) => {
            let printed = print_checked(module.functions());
            let again =
                import(&printed).unwrap_or_else(|e| panic!("{}\nis refused: {}", clip(&printed), e[0]));
            let text = print_checked(again.functions());
            let pairs = module.functions().iter().zip(again.functions());
            assert_eq!(module.functions().len(), again.functions().len());
            for (first, second) in pairs {
                assert_eq!(needed(first), needed(second), "\n{}\n{}", clip(&printed), clip(&text));
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

/// A program without what no result needs, as text with constants where they are read.
fn needed(program: &Program) -> String {
    let dce = pass::find("dce").expect("a pass of this name");
    let program = pass::run_pass(dce, program).expect("the pass gives a valid program");
    let mut out = format!("@{}", program.name());
    write(&program, &mut out);
    out
}

fn write(program: &Program, out: &mut String) {
    let (mut names, mut n) = (BTreeMap::new(), 0);
    let mut fresh = |names: &mut BTreeMap<Value, String>, v: Value| {
        names.insert(v, n.to_string());
        n += 1;
        format!(" {}: {:?}", n - 1, program.ty(v))
    };
    for &arg in program.args() {
        *out += &format!("{} {:?}", fresh(&mut names, arg), program.value_name(arg));
    }
    for instr in program.instrs().values() {
        if let Op::Constant(literal) = instr.op() {
            names.insert(instr.result(), format!("{literal:?}"));
            continue;
        }
        match instr.op().regions()[..] {
            [] => *out += &format!("\n{:?}", instr.op()),
            ref regions => {
                *out += &format!("\n{}", instr.op().name());
                for region in regions {
                    *out += "{";
                    write(region, out);
                    *out += "}";
                }
            }
        }
        instr.operands().iter().for_each(|v| *out += &format!(" {}", names[v]));
        for &r in instr.results() {
            *out += &format!(" ->{}", fresh(&mut names, r));
        }
    }
    for (i, r) in program.results().iter().enumerate() {
        *out += &format!("\nreturn {} {:?}", names[r], program.result_name(i));
    }
}

/// The beginning of a text, which may be long.
fn clip(text: &str) -> &str {
    text.char_indices().nth(4000).map_or(text, |(end, _)| &text[..end])
}
