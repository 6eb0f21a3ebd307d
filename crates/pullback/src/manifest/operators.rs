//! Foreign operators that a manifest gives meaning and derivative: modules beside it, bound as composites.

use super::Manifest;
use crate::error::Error;
use crate::source;
use pullback_ir::{Composite, Op, Program, Rule, TensorType, infer};
use pullback_stablehlo::ImportOptions;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// What a manifest says of a foreign operator: files of StableHLO, relative to the manifest, of one function each.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct Operator {
    /// The target of the `custom_call`s that mean it.
    pub target: String,
    /// Operands to results.
    pub primal: String,
    /// Operands to results, then residuals.
    pub forward: String,
    /// Residuals, then a cotangent for each floating-point result, to a cotangent for each floating-point operand.
    pub pullback: String,
}

impl Manifest {
    /// The manifest's foreign operators as composites, by target. Errors name the operator and the file at fault.
    pub fn operators(&self) -> Result<BTreeMap<String, Composite>, Error> {
        let folder = Path::new(&self.file).parent().unwrap_or(Path::new(""));
        let mut operators = BTreeMap::new();
        for (i, operator) in self.custom_ops.iter().enumerate() {
            let read = |file: &str| -> Result<Program, Error> {
                let loaded = source::load(&folder.join(file), &ImportOptions::default())?;
                loaded.chosen(None).cloned()
            };
            let (body, forward, backward) =
                (read(&operator.primal)?, read(&operator.forward)?, read(&operator.pullback)?);
            let types: Vec<TensorType> = body.args().iter().map(|&a| body.ty(a).clone()).collect();
            let rule = Rule::CustomVjp { forward, backward };
            let composite = Composite::new(&operator.target, body, rule);
            let op = Op::Composite(Box::new(composite.clone()));
            infer::infer(&op, &types.iter().collect::<Vec<_>>()).map_err(|e| {
                Error::new(format!("custom_ops[{i}]: {e}"))
                    .with_help("the modules' types are those of the calls: export them for these shapes")
                    .in_file(&self.file)
            })?;
            if operators.insert(operator.target.clone(), composite).is_some() {
                let message = format!("custom_ops[{i}].target: {:?} is described twice", operator.target);
                return Err(Error::new(message).in_file(&self.file));
            }
        }
        Ok(operators)
    }
}
