//! Passes: named functions from a program to a program that computes the same bits.
//!
//! A pass goes through the instructions in order and builds a new program; it never edits one in place. All
//! arguments and results stay, in number, order, type and name. [`run_pass`] verifies what comes out and names
//! the pass to blame. `cast` changes precision, so it is a function here and not one of [`PASSES`].

pub mod cast;
mod constant;
mod control;
mod cse;
mod dce;
mod fold;
mod inline;
mod literal;
mod rewrite;
mod schedule;
mod split;

pub use cast::cast_floats;
pub use constant::constant;
pub use dce::dce;
pub use inline::{holds_composites, inline};
pub use split::split_while;

use crate::infer::TypeError;
use crate::op::Op;
use crate::program::Program;
use std::fmt;

/// A named function on programs.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    /// What people call it.
    pub name: &'static str,
    /// One line about what it does.
    pub description: &'static str,
    /// The function. An error is a defect of the pass: its input is a valid program.
    pub run: fn(&Program) -> Result<Program, TypeError>,
}

/// Every pass.
pub const PASSES: &[Pass] = &[
    Pass {
        name: "control",
        description: "simplifies loops and choices, inside and with what is known around them",
        run: |p| control::control(p, true),
    },
    Pass { name: "cse", description: "computes equal ops on equal operands once", run: cse::cse },
    Pass {
        name: "dce",
        description: "drops instructions that no result needs, also inside loops and choices",
        run: dce,
    },
    Pass {
        name: "fold",
        description: "computes what is constant and removes what does nothing, exactly",
        run: fold::fold,
    },
    Pass {
        name: "inline",
        description: "replaces composites by their bodies; what is said of their derivatives is lost",
        run: inline::inline,
    },
    Pass {
        name: "schedule",
        description: "orders instructions so that less memory is live at once",
        run: schedule::schedule,
    },
    Pass {
        name: "split_loops",
        description: "makes a loop of n turns a loop in a loop, of about the root of n turns each",
        run: split::split_loops,
    },
    Pass { name: "simplify", description: "fold, control, cse and dce until nothing changes", run: simplify },
];

/// Rounds of [`simplify`]; each but the last removed something.
const MAX_ROUNDS: usize = 8;

/// The pass of this name.
pub fn find(name: &str) -> Option<&'static Pass> {
    PASSES.iter().find(|p| p.name == name)
}

/// Runs a pass and verifies its result.
pub fn run_pass(pass: &Pass, program: &Program) -> Result<Program, PassError> {
    let blame = |error| PassError { pass: pass.name, error };
    let result = (pass.run)(program).map_err(blame)?;
    result.verify().map_err(blame)?;
    let interface = |p: &Program| -> Vec<String> {
        let args = p.args().iter().map(|&v| format!("{} {:?}", p.ty(v), p.value_name(v)));
        let results = p.results().iter().enumerate();
        args.chain(results.map(|(i, &v)| format!("{} {:?}", p.ty(v), p.result_name(i)))).collect()
    };
    if interface(program) != interface(&result) {
        return Err(blame(TypeError::new("arguments or results have changed")));
    }
    Ok(result)
}

/// fold, control, cse and dce until nothing changes, at most eight times.
pub fn simplify(program: &Program) -> Result<Program, TypeError> {
    let mut current = program.clone();
    // Regions are simplified themselves. In a later round those that stayed as they were need not be: what is nested
    // deep would be gone through once for each level above it.
    let mut all = true;
    for _ in 0..MAX_ROUNDS {
        let seen = cse::cse(&control::control(&fold::fold(&current)?, all)?)?;
        let next = dce(&seen)?;
        if next == current {
            break;
        }
        all = widths(&seen) != widths(&next);
        current = next;
    }
    Ok(current)
}

/// What each op with regions takes and gives: without a change of that [`dce`] has left its regions alone.
fn widths(program: &Program) -> Vec<(usize, usize)> {
    let regions = program.instrs().values().filter(|i| matches!(i.op(), Op::While { .. } | Op::Case { .. }));
    regions.map(|i| (i.operands().len(), i.results().len())).collect()
}

/// A pass that gave an invalid program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PassError {
    /// The pass to blame.
    pub pass: &'static str,
    /// What is wrong with its result.
    pub error: TypeError,
}

impl fmt::Display for PassError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the pass {} made an invalid program (a defect of the pass): {}", self.pass, self.error)
    }
}

impl std::error::Error for PassError {}
