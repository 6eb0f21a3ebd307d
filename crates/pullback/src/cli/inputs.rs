//! From the tensors of a file to a program's arguments.
//!
//! Every missing or wrongly shaped tensor is reported, not only the first.

use crate::Error;
use crate::manifest::Bound;
use crate::tensors::TensorFile;
use pullback_base::Diagnostic;
use pullback_eval::Tensor;
use pullback_ir::Program;

/// Tensors `arg0`, `arg1`, … .
pub fn positional(file: &TensorFile, program: &Program) -> Result<Vec<Tensor>, Error> {
    let args = program.args().iter().enumerate().map(|(i, &v)| {
        let what = match program.value_name(v) {
            Some(name) => format!("argument {i} ({name}) of {}", program.name()),
            None => format!("argument {i} of {}", program.name()),
        };
        file.get(&format!("arg{i}"), program.ty(v), &what)
    });
    all(args)
}

/// Tensors by the manifest's `io` keys at a step.
pub fn by_manifest(file: &TensorFile, bound: &Bound, step: u64) -> Result<Vec<Tensor>, Error> {
    all(bound.args.iter().map(|a| {
        let what = format!("argument {:?} of {}", a.name, bound.program.name());
        file.get(&a.key(step), &a.ty, &what)
    }))
}

/// All tensors, or everything that is wrong with them.
pub fn all(tensors: impl Iterator<Item = Result<Tensor, Diagnostic>>) -> Result<Vec<Tensor>, Error> {
    let (mut good, mut problems) = (Vec::new(), Vec::new());
    for t in tensors {
        match t {
            Ok(t) => good.push(t),
            Err(d) => problems.push(d),
        }
    }
    Error::check(problems)?;
    Ok(good)
}
