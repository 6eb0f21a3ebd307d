//! What must hold of every file, whatever is in it: the fuzz targets and the tests of the corpus share this.
//!
//! A file is refused with places, or gives valid programs whose text gives the same programs again, but for names of
//! inner values, what no result needs (an argsort is printed as an iota and a sort), where constants stand, and the order
//! of what regions capture.

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
                let (first, second) = (needed(first), needed(second));
                let different = first.lines().zip(second.lines()).find(|(a, b)| a != b);
                assert!(first == second, "{different:?}\n{}\n{}", clip(&printed), clip(&text));
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

/// A program without what no result needs, as text: constants, and what regions capture, stand where they are read.
fn needed(program: &Program) -> String {
    let mut writer = Writer { out: format!("@{}", program.name()), n: 0 };
    for &arg in program.args() {
        writer.out += &format!(" {:?}", program.value_name(arg));
    }
    writer.program(program, &[]);
    writer.out
}

struct Writer {
    out: String,
    /// Number of the next value.
    n: usize,
}

impl Writer {
    fn fresh(&mut self, program: &Program, v: Value) -> String {
        self.n += 1;
        self.out += &format!(" {}: {:?}", self.n, program.ty(v));
        self.n.to_string()
    }

    /// The last arguments are what was captured.
    fn program(&mut self, program: &Program, captured: &[String]) {
        let dce = pass::find("dce").expect("a pass of this name");
        let program = &pass::run_pass(dce, program).expect("the pass gives a valid program");
        let own = program.args().len() - captured.len();
        let mut names = BTreeMap::new();
        for (i, &arg) in program.args().iter().enumerate() {
            let name = if i < own { self.fresh(program, arg) } else { captured[i - own].clone() };
            names.insert(arg, name);
        }
        for instr in program.instrs().values() {
            if let Op::Constant(literal) = instr.op() {
                names.insert(instr.result(), format!("{literal:?}"));
                continue;
            }
            let regions = instr.op().regions();
            let operands: Vec<String> = instr.operands().iter().map(|v| names[v].clone()).collect();
            let own = match instr.op() {
                Op::While { .. } => instr.results().len(),
                Op::Case { .. } => 1,
                _ => operands.len(),
            };
            let op =
                if regions.is_empty() { format!("{:?}", instr.op()) } else { instr.op().name().to_owned() };
            self.out += &format!("\n{op} {}", operands[..own].join(" "));
            for region in regions {
                self.out += " {";
                self.program(region, &operands[own..]);
                self.out += "}";
            }
            self.out += " ->";
            for &r in instr.results() {
                let name = self.fresh(program, r);
                names.insert(r, name);
            }
        }
        for (i, r) in program.results().iter().enumerate() {
            self.out += &format!("\nreturn {} {:?}", names[r], program.result_name(i));
        }
    }
}

/// The beginning of a text, which may be long.
fn clip(text: &str) -> &str {
    text.char_indices().nth(4000).map_or(text, |(end, _)| &text[..end])
}
