//! Tests that run several programs: `interpreter.run_parallel` in the entry.
//!
//! What comes before it in the entry is a program that makes the operands; what comes after is one that takes the
//! results as arguments and compares. Between them the product evaluates the grid.

use crate::exec::Outcome;
use crate::scan::{Cursor, Result as Scan, Trouble};
use pullback_base::{Diagnostic, Severity};
use pullback_eval::{EvalError, ReferenceDevice, Tensor, evaluate, reference};
use pullback_ir::Program;
use std::collections::BTreeMap;

/// The function that makes the operands.
pub const INPUTS: &str = "__inputs";

/// One grid of programs.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Parallel {
    /// Names of functions, replicas by partitions.
    pub programs: Vec<Vec<String>>,
    /// Operands, in the order of processes, and their types.
    pub operands: Vec<(String, String)>,
    /// Result types.
    pub results: Vec<String>,
    /// Whether it feeds the programs.
    pub infeed: bool,
}

impl Parallel {
    /// The operation after its name: `(%a, %b) {programs = [[@f], [@g]]} : (…) -> …`.
    pub fn read(c: &mut Cursor<'_>) -> Scan<Self> {
        let mut out = Parallel::default();
        let mut operands = Vec::new();
        c.expect("(")?;
        while c.next() == b'%' {
            operands.push(c.value()?.to_owned());
            c.eat(",");
        }
        c.expect(")")?;
        c.eat("<");
        c.expect("{")?;
        while !c.eat("}") {
            match c.word() {
                "programs" => {
                    c.expect("=")?;
                    out.programs = rows(c)?;
                }
                "infeed" => {
                    c.expect("=")?;
                    c.next();
                    c.balanced()?;
                    out.infeed = true;
                }
                _ => return c.trouble("not an attribute of run_parallel"),
            }
            c.eat(",");
        }
        c.eat(">");
        c.expect(":")?;
        let types = c.types()?.into_iter().map(str::to_owned);
        out.operands = operands.into_iter().zip(types).collect();
        c.expect("->")?;
        out.results = c.types()?.into_iter().map(str::to_owned).collect();
        Ok(out)
    }

    /// The name of the argument that stands for result `k` of the operation `%name`.
    pub fn argument(name: &str, k: usize) -> String {
        format!("%__{}_{k}", name.trim_start_matches('%'))
    }

    /// The function of the operands; `before` is what the entry does before the operation.
    pub fn inputs(&self, before: &str) -> String {
        let list =
            |f: fn(&(String, String)) -> &str| self.operands.iter().map(f).collect::<Vec<_>>().join(", ");
        let (values, types) = (list(|o| &o.0), list(|o| &o.1));
        let colon = if self.operands.is_empty() { "" } else { " : " };
        format!("func.func @{INPUTS}() -> ({types}) {{ {before}\nfunc.return {values}{colon}{types}\n}}\n")
    }

    /// The results of all processes, in order.
    pub fn run(&self, text: &str) -> Result<Vec<Tensor>, Outcome> {
        let failed = |e: EvalError| match e {
            EvalError::Unsupported { op, why } => Outcome::Rejected(format!("{op}: {why}")),
            other => Outcome::Failed(other.to_string()),
        };
        let inputs = functions(text, &[INPUTS])?;
        let inputs = inputs.get(INPUTS).map(|p| evaluate(&ReferenceDevice, p, &[])).transpose();
        let mut inputs = inputs.map_err(failed)?.unwrap_or_default().into_iter();
        let names: Vec<&str> = self.programs.iter().flatten().map(String::as_str).collect();
        let programs = functions(text, &names)?;
        let missing = || Outcome::Failed("a program of the grid is missing".to_owned());
        let mut grid = Vec::new();
        let mut args = Vec::new();
        for row in &self.programs {
            let row: Option<Vec<&Program>> = row.iter().map(|name| programs.get(name)).collect();
            let row = row.ok_or_else(missing)?;
            args.push(row.iter().map(|p| inputs.by_ref().take(p.args().len()).collect()).collect());
            grid.push(row);
        }
        let results = reference::eval_grid(&grid, &args).map_err(failed)?;
        Ok(results.into_iter().flatten().flatten().collect())
    }
}

/// `[[@f, @g], [@h, @i]]`
fn rows(c: &mut Cursor<'_>) -> Scan<Vec<Vec<String>>> {
    let mut out = Vec::new();
    c.expect("[")?;
    while !c.eat("]") {
        let mut row = Vec::new();
        c.expect("[")?;
        while !c.eat("]") {
            c.expect("@")?;
            row.push(c.word().to_owned());
            c.eat(",");
        }
        out.push(row);
        c.eat(",");
    }
    if out.is_empty() { Err(Trouble { at: c.at, message: "no programs".to_owned() }) } else { Ok(out) }
}

/// Functions of a module by name.
pub fn functions(text: &str, names: &[&str]) -> Result<BTreeMap<String, Program>, Outcome> {
    let module =
        pullback_stablehlo::import_functions(text.as_bytes(), names).map_err(|diags| refusal(&diags))?;
    Ok(module.into_functions().into_iter().map(|p| (p.name().to_owned(), p)).collect())
}

/// A rejection where all findings say "unsupported", a failure where one calls the program wrong.
pub fn refusal(diags: &[Diagnostic]) -> Outcome {
    match diags.iter().find(|d| d.severity == Severity::Error) {
        Some(d) => Outcome::Failed(d.to_string()),
        None => Outcome::Rejected(diags.first().map_or_else(String::new, |d| d.message.clone())),
    }
}
