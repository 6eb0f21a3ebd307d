//! A program that JAX ran, run here: import, evaluate on both devices, compare; print, import again, compare bits.
//!
//! Records are lines of JSON as `tools/differential/generate.py` writes them. Where a float result is farther from
//! JAX's than its tolerance, the program is evaluated once more in f64: a result that is as near to that one as JAX's
//! is no difference, but an ill-conditioned program.

use crate::derivatives::{self, Derivatives};
use pullback_base::{Diagnostic, Severity};
use pullback_eval::{CpuDevice, Device, EvalError, ReferenceDevice, Tensor, evaluate};
use pullback_ir::literal::{decode_f64, decode_i64};
use pullback_ir::{DType, DTypeClass, Program, TensorType};
use pullback_stablehlo::ImportOptions;
use serde::{Deserialize, Serialize};

/// A tensor as `[NumPy's name of the type, shape, bytes in hex]`.
#[derive(Clone, Serialize, Deserialize)]
pub struct Data(String, Vec<usize>, String);

/// An output of a program.
#[derive(Clone, Serialize, Deserialize)]
pub struct Output {
    /// What it was made by.
    pub op: String,
    /// 0 for the same bits, else a bound relative to the largest magnitude.
    pub tolerance: f64,
    /// A magnitude that the tolerance is relative to at least.
    #[serde(default)]
    pub floor: f64,
    pub value: Data,
}

/// A program, its inputs and what JAX made of them.
#[derive(Clone, Serialize, Deserialize)]
pub struct Record {
    pub seed: u64,
    /// StableHLO text.
    pub text: Option<String>,
    /// A file of `jax.export`, in hex.
    pub exported: Option<String>,
    pub inputs: Vec<Data>,
    pub outputs: Vec<Output>,
    /// Of a loss.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub derivatives: Option<Derivatives>,
}

/// How a program ended.
pub enum Verdict {
    /// All outputs agree; of how many outputs it took the f64 evaluation to say so.
    Agrees { ill_conditioned: usize },
    /// Refused with a message that says so.
    Rejected(String),
    /// The operation of the first output that differs, and how.
    Differs { op: String, how: String },
}

/// Runs a record; the text printed for its program, where it has one.
pub fn replay(record: &Record) -> (Verdict, Option<String>) {
    match run(record) {
        Ok((ill_conditioned, text)) => (Verdict::Agrees { ill_conditioned }, Some(text)),
        Err(verdict) => (verdict, None),
    }
}

pub fn differs(op: &str, how: impl Into<String>) -> Verdict {
    Verdict::Differs { op: op.to_owned(), how: how.into() }
}

fn run(record: &Record) -> Result<(usize, String), Verdict> {
    let program = import(record)?;
    let inputs = record.inputs.iter().map(Data::tensor).collect::<Result<Vec<_>, _>>();
    let inputs = inputs.map_err(|e| differs("input", e))?;
    let expected = record.outputs.iter().map(|o| o.value.tensor()).collect::<Result<Vec<_>, _>>();
    let expected = expected.map_err(|e| differs("output", e))?;
    let mut truth = None;
    let mut ill_conditioned = 0;
    let reference = results(&ReferenceDevice, &program, &inputs)?;
    let fast = results(&CpuDevice { threads: 1 }, &program, &inputs)?;
    for (name, got) in [("reference", &reference), ("cpu", &fast)] {
        if got.len() != expected.len() {
            return Err(differs("program", format!("{} results, expected {}", got.len(), expected.len())));
        }
        for (i, output) in record.outputs.iter().enumerate() {
            let Err(how) = compare(&got[i], &expected[i], output.tolerance, output.floor) else { continue };
            let truth = truth.get_or_insert_with(|| {
                let wide = in_f64(&program)?;
                evaluate(&ReferenceDevice, &wide, &widened(&wide, &inputs)?).ok()
            });
            let near = |t: &Vec<Tensor>| {
                t.get(i).is_some_and(|t| as_near(&got[i], &expected[i], t, output.tolerance))
            };
            if !truth.as_ref().is_some_and(near) {
                return Err(differs(&output.op, format!("output {i}, {name}: {how}")));
            }
            ill_conditioned += 1;
        }
    }
    let text = round_trip(&program, &inputs, &reference)?;
    if let Some(d) = &record.derivatives {
        ill_conditioned += derivatives::check(record, d, &program, &inputs)?;
    }
    Ok((ill_conditioned, text))
}

fn import(record: &Record) -> Result<Program, Verdict> {
    let module = match (&record.text, &record.exported) {
        (Some(text), _) => pullback_stablehlo::import(text),
        (None, Some(hex)) => {
            let bytes = bytes_of(hex).map_err(|e| differs("file", e))?;
            // What is open has the shapes of the inputs.
            let shapes = record.inputs.iter().enumerate().map(|(i, Data(_, shape, _))| (i, shape.clone()));
            let options = ImportOptions { tensors: shapes.collect(), ..ImportOptions::default() };
            pullback_stablehlo::import_bytes_with(&bytes, &options)
        }
        (None, None) => return Err(differs("file", "neither text nor bytes")),
    };
    let module = module.map_err(|diags| refusal(&diags))?;
    module.function("main").cloned().ok_or_else(|| differs("file", "no function @main"))
}

fn refusal(diags: &[Diagnostic]) -> Verdict {
    match diags.iter().find(|d| d.severity == Severity::Error) {
        Some(d) => differs("import", d.to_string()),
        None => Verdict::Rejected(diags.first().map_or_else(String::new, |d| d.message.clone())),
    }
}

fn results(device: &dyn Device, program: &Program, inputs: &[Tensor]) -> Result<Vec<Tensor>, Verdict> {
    evaluate(device, program, inputs).map_err(|e| match e {
        EvalError::Unsupported { op, why } => Verdict::Rejected(format!("{}: {op}: {why}", device.name())),
        other => differs("evaluate", format!("{}: {other}", device.name())),
    })
}

/// Printing and reading back gives the same program, whatever NaNs its constants have.
fn round_trip(program: &Program, inputs: &[Tensor], reference: &[Tensor]) -> Result<String, Verdict> {
    let text = pullback_stablehlo::print(&[program]);
    let module = pullback_stablehlo::import(&text).map_err(|diags| {
        let first = diags.first().map_or_else(String::new, ToString::to_string);
        differs("print", format!("does not read back: {first}"))
    })?;
    let Some(again) = module.functions().first() else { return Err(differs("print", "no function")) };
    for (i, (a, b)) in results(&ReferenceDevice, again, inputs)?.iter().zip(reference).enumerate() {
        compare(a, b, 0.0, 0.0).map_err(|how| differs("print", format!("output {i}: {how}")))?;
    }
    Ok(text)
}

/// The program with every float of it in f64, where it can be cast.
pub fn in_f64(program: &Program) -> Option<Program> {
    let mut wide = program.clone();
    for from in [DType::F16, DType::BF16, DType::F32] {
        wide = pullback_ir::pass::cast_floats(&wide, from, DType::F64).ok()?;
    }
    Some(wide)
}

/// Inputs in the types that a program takes.
pub fn widened(wide: &Program, inputs: &[Tensor]) -> Option<Vec<Tensor>> {
    let widened = |(t, &v): (&Tensor, &pullback_ir::Value)| {
        if wide.ty(v) == t.ty() {
            Some(t.clone())
        } else {
            Tensor::from_f64s(wide.ty(v).clone(), &t.to_f64s()).ok()
        }
    };
    inputs.iter().zip(wide.args()).map(widened).collect()
}

/// Whether `got` is about as near to the true values as `expected` is.
pub fn as_near(got: &Tensor, expected: &Tensor, truth: &Tensor, tolerance: f64) -> bool {
    if tolerance == 0.0 || truth.shape() != got.shape() {
        return false;
    }
    let (got, expected, truth) = (numbers(got), numbers(expected), numbers(truth));
    if [&got, &expected, &truth].into_iter().flatten().any(|v| !v.is_finite()) || truth.len() != got.len() {
        return false;
    }
    let error = |a: &[f64]| a.iter().zip(&truth).map(|(a, t)| (a - t).abs()).fold(0.0, f64::max);
    let scale = truth.iter().fold(0.0, |m: f64, t| m.max(t.abs()));
    error(&got) <= 4.0 * error(&expected) + tolerance * scale
}

/// The real parts and imaginary parts of floats.
pub fn numbers(t: &Tensor) -> Vec<f64> {
    let part = t.dtype().part();
    t.bytes().chunks(part.size()).map(|b| decode_f64(part, b)).collect()
}

/// What differs, if anything.
pub fn compare(got: &Tensor, expected: &Tensor, tolerance: f64, floor: f64) -> Result<(), String> {
    if got.ty() != expected.ty() {
        return Err(format!("{}, expected {}", got.ty(), expected.ty()));
    }
    let part = got.dtype().part();
    let is_float = part.class() == DTypeClass::Float;
    let finite = numbers(expected).into_iter().filter(|v| v.is_finite());
    let scale = if is_float { finite.fold(floor, |m: f64, v| m.max(v.abs())) } else { 0.0 };
    let allowed = tolerance * scale + smallest(part);
    let mut wrong = Vec::new();
    for (i, (a, e)) in got.bytes().chunks(part.size()).zip(expected.bytes().chunks(part.size())).enumerate() {
        let (x, y) = (decode_f64(part, a), decode_f64(part, e));
        let is_close = a == e
            || (is_float && x.is_nan() && y.is_nan())
            || (tolerance > 0.0 && (x == y || (x - y).abs() <= allowed))
            // XLA makes zeros of numbers below the normal range.
            || (is_float && y == 0.0 && x.abs() <= smallest(part));
        if !is_close {
            let show = |b: &[u8]| {
                if is_float { format!("{:?}", decode_f64(part, b)) } else { decode_i64(part, b).to_string() }
            };
            wrong.push(format!("[{i}] {}, expected {}", show(a), show(e)));
        }
    }
    match wrong.first() {
        None => Ok(()),
        Some(first) => Err(format!("{} of {} wrong, {first}, allowed {allowed:e}", got.ty(), wrong.len())),
    }
}

/// The least normal number of a float type.
fn smallest(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 2f64.powi(-14),
        DType::BF16 | DType::F32 => f64::from(f32::MIN_POSITIVE),
        DType::F64 => f64::MIN_POSITIVE,
        _ => 0.0,
    }
}

impl Data {
    /// Another value of the type, where it has elements and that is easy: whole numbers and booleans.
    #[cfg(test)]
    pub fn flip_last_bit(&mut self) -> bool {
        let Data(name, _, hex) = self;
        let whole = ["int32", "int64", "uint32", "uint8", "int8", "bool"].contains(&name.as_str());
        match (whole, hex.get(..2).and_then(|d| u8::from_str_radix(d, 16).ok())) {
            (true, Some(byte)) => {
                hex.replace_range(..2, &format!("{:02x}", byte ^ 1));
                true
            }
            _ => false,
        }
    }

    pub fn tensor(&self) -> Result<Tensor, String> {
        let Data(name, shape, hex) = self;
        let dtype =
            DType::ALL.into_iter().find(|&d| numpy_name(d) == *name).ok_or(format!("no type {name}"))?;
        let ty = TensorType::try_new(dtype, shape.clone()).ok_or("too large")?;
        Tensor::from_bytes(ty, &bytes_of(hex)?).map_err(|e| e.to_string())
    }
}

fn bytes_of(hex: &str) -> Result<Vec<u8>, String> {
    let pair = |i: usize| hex.get(i..i + 2).and_then(|d| u8::from_str_radix(d, 16).ok());
    (0..hex.len()).step_by(2).map(|i| pair(i).ok_or_else(|| format!("no hex at {i}"))).collect()
}

/// NumPy's name of an element type (with ml_dtypes).
fn numpy_name(dtype: DType) -> String {
    let name = dtype.name();
    match dtype.class() {
        DTypeClass::Bool => "bool".to_owned(),
        DTypeClass::Signed => format!("int{}", dtype.bits()),
        DTypeClass::Unsigned => format!("uint{}", dtype.bits()),
        DTypeClass::Complex => format!("complex{}", dtype.bits()),
        DTypeClass::Float if dtype == DType::BF16 => "bfloat16".to_owned(),
        DTypeClass::Float if dtype.bits() >= 16 => format!("float{}", dtype.bits()),
        DTypeClass::Float => format!("float{}_{}", dtype.bits(), &name[2..]),
    }
}
