//! Operators of other people: the trait they implement, and the process-wide registry of those there are.
//!
//! What typing, cutting, counting and checking need becomes data in the program ([`Custom`]); only importing,
//! differentiating and running ask the registry, by name. It only grows, and a name is registered once, so that a name
//! means one thing as long as a process lives.

use crate::build::Builder;
use crate::dtype::TensorType;
use crate::infer::TypeError;
use crate::op::{Assurance, Custom, CustomAccess, Op};
use crate::program::Program;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

/// What an operator does besides computing its results.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effects {
    /// Nothing: the same operands always give the same results.
    Pure,
    /// Something else can tell that it ran.
    Effectful,
}

/// A tensor that a kernel reads: elements in row-major order, little-endian.
#[derive(Clone, Copy, Debug)]
pub struct Read<'a> {
    /// Its type.
    pub ty: &'a TensorType,
    /// Its elements.
    pub bytes: &'a [u8],
}

/// A tensor that a kernel writes, zeros before.
#[derive(Debug)]
pub struct Write<'a> {
    /// Its type.
    pub ty: &'a TensorType,
    /// Its elements.
    pub bytes: &'a mut [u8],
}

/// One operator on operands of given types, as every method of [`CustomOp`] gets it.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// Attributes as the producer wrote them; empty where there are none.
    pub attributes: &'a str,
    /// Types of the operands.
    pub operands: &'a [TensorType],
}

/// An operator that is not ours. Errors are messages for the person who wrote the program.
pub trait CustomOp: Send + Sync {
    /// The target of `stablehlo.custom_call` that means it.
    fn name(&self) -> &str;

    /// Types of the results; also where operand types and attributes are refused.
    fn infer(&self, call: Call<'_>) -> Result<Vec<TensorType>, String>;

    /// How it may be cut. Nothing is cut where it does not say so.
    fn access(&self, call: Call<'_>, results: &[TensorType]) -> CustomAccess {
        CustomAccess::blocked(&call.operands.iter().collect::<Vec<_>>(), results)
    }

    /// Its jointly linear sets of operands ([`crate::linearity::linear_sets`]).
    fn linear(&self, _call: Call<'_>) -> Vec<Vec<usize>> {
        Vec::new()
    }

    /// What it does besides; only pure operators can be registered.
    fn effects(&self) -> Effects {
        Effects::Pure
    }

    /// Floating-point operations.
    fn flops(&self, call: Call<'_>) -> u64;

    /// How many times it may be differentiated.
    fn depth(&self) -> u32;

    /// How sure the derivative is.
    fn assurance(&self) -> Assurance;

    /// Operands to results, then residuals. Usually the operator itself, whose operands and results are the residuals.
    fn forward(&self, call: Call<'_>) -> Result<Program, String> {
        itself(self.name(), call).map_err(|e| e.to_string())
    }

    /// Residuals, then a cotangent for each result of a floating-point or complex type, to the cotangent of one
    /// operand. `None` where that operand has no derivative.
    fn pullback(&self, call: Call<'_>, operand: usize) -> Result<Option<Program>, String>;

    /// Operands, then a tangent for each of a floating-point or complex type, to results, then a tangent for each such;
    /// linear in the tangents. Where it is there, it is used instead of `forward` and `pullback`, and forward mode works
    /// as well.
    fn jvp(&self, _call: Call<'_>) -> Result<Option<Program>, String> {
        Ok(None)
    }

    /// Computes the results, for operands that `infer` accepts. They may be parts of those in the program, cut as the
    /// access map says.
    fn evaluate(&self, call: Call<'_>, operands: &[Read<'_>], results: &mut [Write<'_>]);
}

/// The operator on arguments of these types: its results, then the arguments and the results again, as residuals.
pub fn itself(name: &str, call: Call<'_>) -> Result<Program, TypeError> {
    let mut b = Builder::new(name);
    let args: Vec<_> = call.operands.iter().map(|t| b.arg(None, t.clone())).collect();
    let results = b.push(Op::Custom(Box::new(describe(name, call)?)), &args)?;
    Ok(b.finish(&[&results[..], &args, &results].concat()))
}

/// The description of a registered operator on operands of these types.
pub fn describe(name: &str, call: Call<'_>) -> Result<Custom, TypeError> {
    let Some(op) = registered(name) else { return Err(unknown(name)) };
    let named = |what: String| TypeError::new(format!("the operator \"{name}\": {what}"));
    let results = op.infer(call).map_err(named)?;
    Ok(Custom {
        name: name.to_owned(),
        attributes: call.attributes.to_owned(),
        access: op.access(call, &results),
        linear: op.linear(call),
        flops: op.flops(call),
        depth: op.depth(),
        assurance: op.assurance(),
        results,
    })
}

/// The error that no operator has this name here.
pub fn unknown(name: &str) -> TypeError {
    TypeError::new(format!(
        "unsupported: the operator \"{name}\" is not registered in this process; register it with ir::custom::register in \
         each program that imports, differentiates or runs it"
    ))
}

static REGISTRY: RwLock<BTreeMap<String, Arc<dyn CustomOp>>> = RwLock::new(BTreeMap::new());

/// Registers an operator for this process. An error where its name is taken or it has effects.
pub fn register(op: Arc<dyn CustomOp>) -> Result<(), RegisterError> {
    let name = op.name().to_owned();
    match op.effects() {
        Effects::Pure => {}
        Effects::Effectful => return Err(RegisterError::Effects(name)),
    }
    let mut registry = REGISTRY.write().unwrap_or_else(PoisonError::into_inner);
    if registry.contains_key(&name) {
        return Err(RegisterError::Taken(name));
    }
    registry.insert(name, op);
    Ok(())
}

/// The operator of this name, if it is registered.
pub fn registered(name: &str) -> Option<Arc<dyn CustomOp>> {
    REGISTRY.read().unwrap_or_else(PoisonError::into_inner).get(name).cloned()
}

/// Why an operator was not registered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RegisterError {
    /// The name is another operator's.
    Taken(String),
    /// It does something besides.
    Effects(String),
}

impl fmt::Display for RegisterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RegisterError::Taken(name) => {
                write!(f, "an operator \"{name}\" is registered already; give this one another name")
            }
            RegisterError::Effects(name) => write!(
                f,
                "unsupported: the operator \"{name}\" has effects, and steps are abandoned and run again; return what it does \
                 as a result instead"
            ),
        }
    }
}

impl std::error::Error for RegisterError {}
