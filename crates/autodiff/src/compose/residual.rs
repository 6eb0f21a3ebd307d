//! What the gradient's program keeps of its forward part for its backward part, and for whom.
//!
//! Describes [`super::value_and_grad`] before simplification: coefficients that are computed late are not kept
//! themselves, what they are computed from is.

use super::loss_type;
use crate::error::AdError;
use crate::extract::{live, stays_early};
use crate::linearize::{constant, linearize_results};
use crate::options::{Options, Settings};
use pullback_base::IdMap;
use pullback_ir::{Builder, InstrId, Program, TensorType, TypeError, Value, ValueDef};
use std::collections::{BTreeMap, BTreeSet};

/// A value held from the forward part to the backward part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Residual {
    /// The value of the source; `None` for a coefficient that only the derivative computes.
    pub name: Option<String>,
    /// Its type.
    pub ty: TensorType,
    /// The op that defines it; `None` for an argument, which is held anyway.
    pub op: Option<&'static str>,
    /// The ops of the source whose pullback reads it, each with the value it defines.
    pub readers: Vec<(&'static str, String)>,
}

/// The residuals of the gradient of result 0 with respect to `wrt`, in program order. Errors are those of
/// [`super::value_and_grad_with`].
pub fn residuals(program: &Program, wrt: &[usize], options: &Options) -> Result<Vec<Residual>, AdError> {
    loss_type(program)?;
    let named = all_named(program)?;
    let lin = linearize_results(&named, wrt, &[0], Settings::of(options))?;
    let primal = &lin.primal;
    let early = early(primal, program.results().len());
    let mut kept: BTreeMap<Value, BTreeSet<Value>> = BTreeMap::new();
    for (&residual, readers) in lin.residuals.iter().zip(&lin.readers) {
        let mut seen = BTreeSet::new();
        let mut stack = vec![residual];
        while let Some(v) = stack.pop() {
            if !seen.insert(v) || constant(primal, v).is_some() {
                continue;
            }
            match primal.def(v) {
                ValueDef::Result(id, _) if !early[id] => stack.extend(primal.instr(id).operands()),
                ValueDef::Arg(_) | ValueDef::Result(..) => kept.entry(v).or_default().extend(readers),
            }
        }
    }
    let op = |p: &Program, v: Value| match p.def(v) {
        ValueDef::Arg(_) => None,
        ValueDef::Result(id, _) => Some(p.instr(id).op().name()),
    };
    let reader = |&y: &Value| Some((op(&named, y)?, named.display_name(y)));
    Ok(kept
        .into_iter()
        .map(|(v, readers)| Residual {
            name: primal.value_name(v).map(str::to_owned),
            ty: primal.ty(v).clone(),
            op: op(primal, v),
            readers: readers.iter().filter_map(reader).collect(),
        })
        .collect())
}

/// The program with a name for every value, the one it is shown by.
fn all_named(program: &Program) -> Result<Program, TypeError> {
    let mut b = Builder::new(program.name());
    let mut map = IdMap::<Value, Option<Value>>::filled(program.n_values(), None);
    for &a in program.args() {
        map[a] = Some(b.arg(Some(&program.display_name(a)), program.ty(a).clone()));
    }
    let get = |map: &IdMap<Value, Option<Value>>, v: Value| {
        map[v].ok_or_else(|| {
            TypeError::new(format!("{} is read before it is defined", program.display_name(v)))
        })
    };
    for instr in program.instrs().values() {
        let operands = instr.operands().iter().map(|&v| get(&map, v)).collect::<Result<Vec<_>, _>>()?;
        let made = b.push(instr.op().clone(), &operands)?;
        for (&old, &new) in instr.results().iter().zip(&made) {
            map[old] = Some(new);
            b.name(new, program.display_name(old));
        }
    }
    let results = program.results().iter().map(|&v| get(&map, v)).collect::<Result<Vec<_>, _>>()?;
    Ok(b.finish(&results))
}

/// Instructions of the primal program that are computed in the forward part.
fn early(primal: &Program, own: usize) -> IdMap<InstrId, bool> {
    let purpose = live(primal, &primal.results()[..own]);
    let mut early = IdMap::filled(primal.instrs().len(), false);
    for (id, instr) in primal.instrs().iter().collect::<Vec<_>>().into_iter().rev() {
        early[id] = early[id] || stays_early(primal, &purpose, instr);
        if early[id] {
            for &v in instr.operands() {
                if let ValueDef::Result(def, _) = primal.def(v) {
                    early[def] = true;
                }
            }
        }
    }
    early
}
