//! Tests whose entry takes arguments: exports with open shapes, of which the checkout only says that they are valid.
//!
//! There are no expected values. The module is imported for one size of all its open dimensions and of the symbols that
//! it takes as numbers; then all evaluators must agree on it, and what it prints as must read back as the same program.

use crate::exec::Outcome;
use crate::parallel::refusal;
use crate::rewrite::{Test, with_sizes};
use pullback_eval::{Device, EvalError, Tensor, evaluate};
use pullback_ir::literal::decode_f64;
use pullback_ir::{DType, DTypeClass, Program, TensorType};
use pullback_stablehlo::ImportOptions;

/// Sizes that are tried in turn: what is right for one module is not for another.
const SIZES: [usize; 6] = [3, 4, 5, 8, 2, 1];

/// Runs a test at the first size that it can be imported for.
pub fn run(test: &Test, devices: &[Box<dyn Device>], notes: &mut Vec<String>) -> Outcome {
    let mut first = None;
    for size in SIZES {
        match import(test, size) {
            Ok(program) => {
                notes.push(
                    "without expected values: imported for one size, evaluators agree, reads back".to_owned(),
                );
                return agree(&program, devices).unwrap_or_else(|outcome| outcome);
            }
            Err(outcome) => first = first.or(Some(outcome)),
        }
    }
    first.unwrap_or(Outcome::NotRun("no size to try".to_owned()))
}

fn import(test: &Test, size: usize) -> Result<Program, Outcome> {
    let has_open = test.text.contains('?');
    let text = match has_open {
        true => with_sizes(&test.text, size).map_err(|t| Outcome::Failed(t.message))?,
        false => test.text.clone(),
    };
    let mut options = ImportOptions { function: Some(test.entry.clone()), ..ImportOptions::default() };
    let is_size = |ty: &&String| has_open && matches!(ty.as_str(), "tensor<i64>" | "tensor<i32>");
    for (i, ty) in test.args.iter().skip_while(is_size).enumerate() {
        if let Some(shape) = open_shape(ty, size) {
            options.tensors.insert(i, shape);
        }
    }
    let module = pullback_stablehlo::import_with(&text, &options).map_err(|diags| refusal(&diags))?;
    let entry = module.function(&test.entry).cloned();
    entry.ok_or_else(|| Outcome::Failed(format!("no function @{} after import", test.entry)))
}

/// The shape of `tensor<?x4xf32>` with every `?` made `size`; `None` where nothing is open.
fn open_shape(ty: &str, size: usize) -> Option<Vec<usize>> {
    let inner = ty.strip_prefix("tensor<")?.strip_suffix('>')?;
    if !inner.contains('?') {
        return None;
    }
    let dims = inner.split('x').map_while(|d| if d == "?" { Some(size) } else { d.parse().ok() });
    Some(dims.collect())
}

fn agree(program: &Program, devices: &[Box<dyn Device>]) -> Result<Outcome, Outcome> {
    let args: Vec<Tensor> = program.args().iter().map(|&v| some(program.ty(v))).collect();
    let results = |device: &dyn Device, program: &Program| {
        evaluate(device, program, &args).map_err(|e| match e {
            EvalError::Unsupported { op, why } => {
                Outcome::Rejected(format!("{}: {op}: {why}", device.name()))
            }
            other => Outcome::Failed(format!("{}: {other}", device.name())),
        })
    };
    let Some((one, others)) = devices.split_first() else { return Ok(Outcome::Passed) };
    let expected = results(one.as_ref(), program)?;
    let printed = pullback_stablehlo::print(&[program]);
    let again = pullback_stablehlo::import(&printed)
        .map_err(|diags| Outcome::Failed(format!("does not read back: {}", diags[0])))?;
    let again = again.functions().first().cloned();
    let again = again.ok_or_else(|| Outcome::Failed("printed without a function".to_owned()))?;
    if results(one.as_ref(), &again)? != expected {
        return Err(Outcome::Failed("reads back as another program".to_owned()));
    }
    for device in others {
        for (a, b) in results(device.as_ref(), program)?.iter().zip(&expected) {
            near(a, b).map_err(|e| Outcome::Failed(format!("{}: {e}", device.name())))?;
        }
    }
    Ok(Outcome::Passed)
}

/// Small numbers of both signs, none of them large.
fn some(ty: &TensorType) -> Tensor {
    let mut t = Tensor::zeros(ty.clone());
    let unsigned = matches!(ty.dtype().class(), DTypeClass::Unsigned | DTypeClass::Bool);
    for i in 0..t.count() {
        let n = (i * 7 + 3) % 11;
        let v = if unsigned { (n % 2) as f64 } else { n as f64 - 5.0 };
        t.set_f64(i, if ty.dtype().is_float() { v / 4.0 } else { v });
    }
    t
}

fn near(a: &Tensor, b: &Tensor) -> Result<(), String> {
    let part = a.dtype().part();
    let bound = match part {
        DType::F64 => 1e-12,
        DType::F32 => 1e-5,
        _ if part.is_float() => 0.03,
        _ => 0.0,
    };
    let numbers =
        |t: &Tensor| -> Vec<f64> { t.bytes().chunks(part.size()).map(|b| decode_f64(part, b)).collect() };
    let (a, b) = (numbers(a), numbers(b));
    let scale = b.iter().filter(|v| v.is_finite()).fold(0.0, |m: f64, v| m.max(v.abs()));
    for (x, y) in a.iter().zip(&b) {
        if !(x == y || (x.is_nan() && y.is_nan()) || (x - y).abs() <= bound * scale) {
            return Err(format!("{x}, but {y} by the reference"));
        }
    }
    Ok(())
}
