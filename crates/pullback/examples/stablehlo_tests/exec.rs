//! One test through the product: import, evaluate on each device, compare.

use crate::compare::{Closeness, compare};
use crate::corpus::{INACCURATE, INVALID, Part, Runs, printed};
use crate::open;
use crate::parallel::{functions, refusal};
use crate::rewrite::{Test, line_of, rewrite};
use pullback_eval::{CpuDevice, Device, EvalError, ReferenceDevice, Tensor, evaluate};
use pullback_ir::Program;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// How a test ended.
#[derive(Clone, Serialize, Deserialize, Debug)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Passed,
    /// Refused with a message that says so.
    Rejected(String),
    Failed(String),
    /// Asks for something that this runner does not do.
    NotRun(String),
}

/// A device by its name on the command line.
pub fn device(name: &str) -> Option<Box<dyn Device>> {
    match name {
        "reference" => Some(Box::new(ReferenceDevice)),
        "cpu" => Some(Box::new(CpuDevice { threads: 1 })),
        _ => None,
    }
}

/// Runs a part of a file; `None` where it is no test. `notes` takes what is not as the test says.
pub fn run(
    path: &Path,
    part: &Part<'_>,
    runs: &Runs,
    devices: &[Box<dyn Device>],
    notes: &mut Vec<String>,
) -> Option<Outcome> {
    // Empty lines before it, so that positions are those of the file.
    let text = format!("{}{}", "\n".repeat(part.line - 1), part.text);
    let mut test = match rewrite(&text) {
        Ok(None) => return None,
        Ok(Some(test)) => test,
        Err(t) => {
            return Some(Outcome::Failed(format!(
                "line {}: this runner reads no {}",
                line_of(&text, t.at),
                t.message
            )));
        }
    };
    let path = path.to_string_lossy();
    for (part, closeness, why) in INACCURATE.iter().filter(|(part, ..)| path.contains(part)) {
        test.checks.iter_mut().for_each(|c| c.closeness = *closeness);
        test.notes.push(format!("{why} ({part})"));
    }
    notes.extend(test.notes.iter().cloned());
    if let Some((_, why)) = INVALID.iter().find(|(part, _)| path.contains(part)) {
        return Some(Outcome::NotRun((*why).to_owned()));
    }
    if runs.args.is_none() && !test.args.is_empty() {
        return Some(open::run(&test, devices, notes));
    }
    Some(evaluated(&test, part, runs, devices).unwrap_or_else(|outcome| outcome))
}

fn evaluated(
    test: &Test,
    part: &Part<'_>,
    runs: &Runs,
    devices: &[Box<dyn Device>],
) -> Result<Outcome, Outcome> {
    if test.parallel.is_some() && test.checks.is_empty() && runs.prints {
        return Err(Outcome::NotRun("prints of several programs".to_owned()));
    }
    let (program, args) = match (&test.parallel, &runs.args) {
        (Some(parallel), _) => {
            let results = parallel.run(&test.text)?;
            let entry = functions(&test.text, &[&test.entry])?.remove(&test.entry);
            (entry.ok_or_else(|| Outcome::Failed("no entry after import".to_owned()))?, results)
        }
        (None, Some(list)) => (import(&test.text, &test.entry)?, constants(&split_list(list))?),
        (None, None) => (import(&test.text, &test.entry)?, Vec::new()),
    };
    if args.len() != program.args().len() {
        return Err(Outcome::NotRun("a program with arguments".to_owned()));
    }
    let shown = match test.checks.is_empty() && runs.prints {
        true => constants(&printed(part.text))?,
        false => Vec::new(),
    };
    for device in devices {
        let results = evaluate(device.as_ref(), &program, &args).map_err(|e| match e {
            EvalError::Unsupported { op, why } => {
                Outcome::Rejected(format!("{}: {op}: {why}", device.name()))
            }
            other => Outcome::Failed(format!("{}: {other}", device.name())),
        })?;
        let fail = |line: usize, e: String| Outcome::Failed(format!("line {line}: {}: {e}", device.name()));
        for (check, pair) in test.checks.iter().zip(results.chunks(2)) {
            compare(&pair[0], &pair[1], check.closeness).map_err(|e| fail(check.line, e))?;
        }
        for (actual, expected) in results.iter().zip(&shown) {
            compare(actual, expected, Closeness::SameBits).map_err(|e| fail(part.line, e))?;
        }
    }
    Ok(Outcome::Passed)
}

/// The function of a module.
fn import(text: &str, entry: &str) -> Result<Program, Outcome> {
    let module = pullback_stablehlo::import(text).map_err(|diags| refusal(&diags))?;
    module
        .function(entry)
        .cloned()
        .ok_or_else(|| Outcome::Failed(format!("no function @{entry} after import")))
}

/// `dense<…> : tensor<…>`, each as a tensor.
fn constants(list: &[String]) -> Result<Vec<Tensor>, Outcome> {
    if list.is_empty() {
        return Ok(Vec::new());
    }
    let mut body = String::new();
    let mut types = Vec::new();
    for (i, value) in list.iter().enumerate() {
        body.push_str(&format!("  %{i} = stablehlo.constant {value}\n"));
        types.push(value.rsplit_once("> : ").map_or("", |(_, ty)| ty).trim());
    }
    let values: Vec<String> = (0..list.len()).map(|i| format!("%{i}")).collect();
    let (values, types) = (values.join(", "), types.join(", "));
    let text = format!("func.func @main() -> ({types}) {{\n{body}  return {values} : {types}\n}}\n");
    let program = import(&text, "main")?;
    evaluate(&ReferenceDevice, &program, &[]).map_err(|e| Outcome::Failed(e.to_string()))
}

/// The elements of a list of attributes: cut at commas outside of brackets.
fn split_list(list: &str) -> Vec<String> {
    let mut items = vec![String::new()];
    let mut depth = 0i32;
    for ch in list.chars() {
        match ch {
            '<' | '[' | '(' => depth += 1,
            '>' | ']' | ')' => depth -= 1,
            ',' if depth == 0 => {
                items.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = items.last_mut() {
            last.push(ch);
        }
    }
    items.iter().map(|i| i.trim().to_owned()).filter(|i| !i.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::{parts, runs};

    /// Outcomes of the parts of a file, in short.
    fn outcomes(text: &str) -> Vec<String> {
        let devices: Vec<_> = ["reference", "cpu"].into_iter().filter_map(device).collect();
        let runs = runs(text);
        let one = |part: &Part<'_>| run(Path::new("a.mlir"), part, &runs, &devices, &mut Vec::new());
        parts(text).iter().filter_map(one).map(|o| format!("{o:?}")).collect()
    }

    fn check(what: &str) -> String {
        let value = "%0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>";
        format!("func.func @f() {{\n  {value}\n  {what}\n  func.return\n}}\n// -----\n")
    }

    #[test]
    fn tests_pass_fail_and_are_rejected() {
        let text = [
            check("check.expect_eq_const %0, dense<[1.0, 2.0]> : tensor<2xf32>"),
            check("check.expect_almost_eq_const %0, dense<[1.0, 2.5]> : tensor<2xf32>"),
            check("%1 = stablehlo.uniform_quantize %0 : (tensor<2xf32>) -> tensor<2xf32>"),
            check("%1 = stablehlo.add %0, %2 : tensor<2xf32>"),
        ];
        let outcomes = outcomes(&text.concat());
        assert_eq!(outcomes[0], "Passed");
        assert!(
            outcomes[1].contains("line 9: reference: 1 of 2 elements") && outcomes[1].contains("at [1]: 2.0")
        );
        assert!(outcomes[2].starts_with("Rejected"), "{}", outcomes[2]);
        assert!(outcomes[3].starts_with("Failed(\"21:"), "{}", outcomes[3]);
    }

    #[test]
    fn arguments_and_prints_are_honoured() {
        let text = "// RUN: tool %s --interpret --args=\"[dense<1> : tensor<2xi32>, dense<2> : tensor<2xi32>]\" | FileCheck\n\
                    func.func @main(%a: tensor<2xi32>, %b: tensor<2xi32>) -> tensor<2xi32> {\n  \
                    %0 = stablehlo.add %a, %b : tensor<2xi32>\n  return %0 : tensor<2xi32>\n}\n\
                    // CHECK: tensor<2xi32> {\n// CHECK-NEXT: [3, 3]\n// CHECK-NEXT: }\n";
        assert_eq!(outcomes(text), ["Passed"]);
        assert!(outcomes(&text.replace("[3, 3]", "[3, 4]"))[0].starts_with("Failed"));
    }

    #[test]
    fn open_shapes_are_imported_for_a_size() {
        let text = "func.func @main(%n: tensor<i32>, %x: tensor<?x2xf32>) -> tensor<?x2xf32> {\n  \
                    %0 = stablehlo.add %x, %x : tensor<?x2xf32>\n  return %0 : tensor<?x2xf32>\n}\n";
        assert_eq!(outcomes(text), ["Passed"]);
    }
}
