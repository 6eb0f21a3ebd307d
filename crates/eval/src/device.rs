//! Devices that compile a whole program and run it on byte buffers, behind one trait.
//!
//! Buffers hold elements as [`crate::buffer`] says. A device owns no arguments or results; it may be slower when
//! they are not aligned to 64 bytes, never wrong.

use crate::buffer::{AlignedBytes, Tensor};
use crate::error::{EvalError, Result};
use crate::reference;
use pullback_ir::{Program, TensorType, Value};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Memory for temporaries that executables share: as large as the largest needs, used by one at a time.
#[derive(Clone, Default)]
pub struct Workspace(Arc<Mutex<AlignedBytes>>);

impl Workspace {
    /// Makes it at least this large; `what` says what for where there is no memory.
    pub(crate) fn reserve(&self, bytes: usize, what: impl FnOnce() -> String) -> Result<()> {
        let mut memory = self.lock();
        if memory.as_slice().len() < bytes {
            // Freed first, so that both are never held at once.
            *memory = AlignedBytes::default();
            *memory = AlignedBytes::try_zeroed_for(bytes, what)?;
        }
        Ok(())
    }

    /// The memory; whoever holds it runs.
    pub(crate) fn lock(&self) -> MutexGuard<'_, AlignedBytes> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Its size in bytes.
    pub fn bytes(&self) -> usize {
        self.lock().as_slice().len()
    }
}

/// Something that runs programs.
pub trait Device {
    /// Prepares a program whose temporaries live in `workspace`. An op or element type without an implementation is
    /// refused here, not when it runs.
    fn compile_in(&self, program: &Program, workspace: &Workspace) -> Result<Box<dyn Executable>>;

    /// Prepares a program with a workspace of its own.
    fn compile(&self, program: &Program) -> Result<Box<dyn Executable>> {
        self.compile_in(program, &Workspace::default())
    }

    /// A short name: `reference`, `cpu`.
    fn name(&self) -> &str;

    /// How many threads it computes with.
    fn threads(&self) -> usize;
}

/// A prepared program.
pub trait Executable: Send {
    /// Computes the results into `results`, each as long as its type; arguments likewise.
    fn run(&mut self, args: &[&[u8]], results: &mut [&mut [u8]]) -> Result<()>;

    /// Bytes held between runs besides arguments, results and the workspace.
    fn held_bytes(&self) -> usize;

    /// Bytes of the workspace it needs.
    fn workspace_bytes(&self) -> usize;
}

/// Runs a program once on tensors.
pub fn evaluate(device: &dyn Device, program: &Program, args: &[Tensor]) -> Result<Vec<Tensor>> {
    reference::check_args(program, args)?;
    let mut executable = device.compile(program)?;
    let mut results = result_tensors(program)?;
    let arg_bytes: Vec<&[u8]> = args.iter().map(Tensor::bytes).collect();
    let mut result_bytes: Vec<&mut [u8]> = results.iter_mut().map(Tensor::bytes_mut).collect();
    executable.run(&arg_bytes, &mut result_bytes)?;
    Ok(results)
}

/// A value and its type, for messages: `value %3 f32[4]`.
pub(crate) fn describe(program: &Program, value: Value) -> String {
    let name = program.display_name(value);
    format!("value %{} {}", name.trim_start_matches('%'), program.ty(value))
}

/// Tensors for a program's results.
pub(crate) fn result_tensors(program: &Program) -> Result<Vec<Tensor>> {
    let tensor = |&v: &Value| Tensor::try_zeros_for(program.ty(v).clone(), || describe(program, v));
    program.results().iter().map(tensor).collect()
}

/// Buffers are as many and as long as the program's arguments and results.
pub(crate) fn check_buffers(
    arg_types: &[TensorType],
    result_types: &[TensorType],
    args: &[&[u8]],
    results: &[&mut [u8]],
) -> Result<()> {
    let groups: [(&'static str, &[TensorType], Vec<usize>); 2] = [
        ("arguments", arg_types, args.iter().map(|b| b.len()).collect()),
        ("results", result_types, results.iter().map(|b| b.len()).collect()),
    ];
    for (what, types, lens) in groups {
        if types.len() != lens.len() {
            return Err(EvalError::Count { what, want: types.len(), got: lens.len() });
        }
        for (i, (ty, got)) in types.iter().zip(lens).enumerate() {
            if ty.bytes() != got {
                return Err(EvalError::Bytes { what: format!("{what}[{i}], {ty},"), want: ty.bytes(), got });
            }
        }
    }
    Ok(())
}

/// Types of a program's arguments and results.
pub(crate) fn signature(program: &Program) -> (Vec<TensorType>, Vec<TensorType>) {
    let types = |vs: &[Value]| vs.iter().map(|&v| program.ty(v).clone()).collect();
    (types(program.args()), types(program.results()))
}

/// The reference evaluator as a device.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReferenceDevice;

impl Device for ReferenceDevice {
    fn compile_in(&self, program: &Program, _: &Workspace) -> Result<Box<dyn Executable>> {
        Ok(Box::new(ReferenceExecutable { program: program.clone() }))
    }

    fn name(&self) -> &str {
        "reference"
    }

    fn threads(&self) -> usize {
        1
    }
}

struct ReferenceExecutable {
    program: Program,
}

impl Executable for ReferenceExecutable {
    fn run(&mut self, args: &[&[u8]], results: &mut [&mut [u8]]) -> Result<()> {
        let (arg_types, result_types) = signature(&self.program);
        check_buffers(&arg_types, &result_types, args, results)?;
        let args: Vec<Tensor> = arg_types
            .into_iter()
            .zip(args)
            .map(|(ty, b)| Tensor::from_bytes(ty, b))
            .collect::<Result<_>>()?;
        for (out, t) in results.iter_mut().zip(reference::eval(&self.program, &args)?) {
            out.copy_from_slice(t.bytes());
        }
        Ok(())
    }

    fn held_bytes(&self) -> usize {
        0
    }

    fn workspace_bytes(&self) -> usize {
        0
    }
}
