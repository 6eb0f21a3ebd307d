//! Tests of import and print as users meet them: text in, programs or diagnostics out.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod binary;
mod collectives;
mod constraints;
mod corpus;
mod errors;
mod foreign;
mod hostile;
mod known;
mod language;
mod lowered;
mod marks;
mod names;
mod programs;
mod robust;
mod roundtrip;
mod shapes;
mod sharding;

use pullback_base::Diagnostic;
use pullback_ir::{Op, Program};
use pullback_stablehlo::{Module, import};

/// Programs of the tests, by file name.
pub const PROGRAMS: [(&str, &str); 12] = [
    ("mlp", include_str!("../programs/mlp.mlir")),
    ("residual_gate", include_str!("../programs/residual_gate.mlir")),
    ("charlm", include_str!("../programs/charlm.mlir")),
    ("vit", include_str!("../programs/vit.mlir")),
    ("mixer", include_str!("../programs/mixer.mlir")),
    ("mlp_located", include_str!("../programs/mlp_located.mlir")),
    ("ops", include_str!("../programs/ops.mlir")),
    ("language", include_str!("../programs/language.mlir")),
    ("lowered", include_str!("../programs/lowered.mlir")),
    ("algorithms", include_str!("../programs/algorithms.mlir")),
    ("collectives", include_str!("../programs/collectives.mlir")),
    ("ops_generic", include_str!("../programs/ops_generic.mlir")),
];

/// The text of a listed program.
pub fn text_of(name: &str) -> &'static str {
    PROGRAMS.iter().find(|(n, _)| *n == name).expect("a listed program").1
}

/// The module of a text that must import.
pub fn import_ok(text: &str) -> Module {
    import(text).unwrap_or_else(|e| panic!("{}", show(&e)))
}

/// The program of the function @main.
pub fn main_program(text: &str) -> Program {
    import_ok(text).function("main").expect("a function @main").clone()
}

/// All diagnostics, one after the other.
pub fn show(diags: &[Diagnostic]) -> String {
    diags.iter().map(|d| format!("{d}\n")).collect()
}

/// Names of a program's operations in order.
pub fn op_names(program: &Program) -> Vec<&'static str> {
    program.instrs().values().map(|i| i.op().name()).collect()
}

/// A function @main of these arguments whose body is `body`.
pub fn main_of(args: &str, result: &str, body: &str) -> String {
    format!("func.func public @main({args}) -> {result} {{\n{body}\n}}\n")
}

/// The literals of a program's constants, in order.
pub fn literals(program: &Program) -> Vec<pullback_ir::Literal> {
    program
        .instrs()
        .values()
        .filter_map(|i| if let Op::Constant(l) = i.op() { Some(l.clone()) } else { None })
        .collect()
}
