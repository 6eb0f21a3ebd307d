//! Rematerialized regions (`jax.checkpoint`): what of a gradient's program is inside them, to be executed again.
//!
//! A composite leaves no trace once it is differentiated through, but names stay with values. So every value inside a
//! region is named first, and found again by its name in whatever the program has become by then.

use crate::error::AdError;
use crate::expand::expand;
use crate::extract::live;
use pullback_base::{Id, IdMap};
use pullback_ir::{Builder, InstrId, Program, TypeError, Value};
use std::collections::BTreeSet;

/// A program whose rematerialized regions can be found again after it was differentiated.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Regions {
    /// The program with composites inlined that are differentiated through, to be differentiated instead of it.
    pub program: Program,
    /// Names of the values inside regions, their results left out.
    pub names: BTreeSet<String>,
}

/// A program's rematerialized regions; `None` where there are none. Those inside loops are not looked for: loops
/// have limits of their own.
pub fn regions(program: &Program) -> Result<Option<Regions>, AdError> {
    let Some(open) = expand(program)? else { return Ok(None) };
    let source = &open.program;
    let mut b = Builder::new(source.name());
    let mut map = IdMap::<Value, Option<Value>>::filled(source.n_values(), None);
    for &a in source.args() {
        map[a] = Some(b.arg(source.value_name(a), source.ty(a).clone()));
    }
    let get = |map: &IdMap<Value, Option<Value>>, v: Value| {
        map[v].ok_or_else(|| TypeError::new(format!("{} is not defined", source.display_name(v))))
    };
    let mut names = BTreeSet::new();
    for (id, instr) in source.instrs().iter() {
        let operands = instr.operands().iter().map(|&v| get(&map, v)).collect::<Result<Vec<_>, _>>()?;
        let made = b.push(instr.op().clone(), &operands)?;
        for (&old, &new) in instr.results().iter().zip(&made) {
            map[old] = Some(new);
            let inside = open.inside[id] && !open.leaves.contains(&old);
            // Names need not differ from each other; inside, they have to.
            let name = match (source.value_name(old), inside) {
                (name, false) => name.map(str::to_owned),
                (None, true) => Some(format!("remat/{}", old.index())),
                (Some(name), true) => Some(format!("remat/{}/{name}", old.index())),
            };
            if let Some(name) = name {
                b.name(new, &name);
                names.extend(inside.then_some(name));
            }
        }
    }
    if names.is_empty() {
        return Ok(None);
    }
    let results = source.results().iter().enumerate();
    let results = results.map(|(i, &v)| Ok((get(&map, v)?, source.result_name(i).map(str::to_owned))));
    let program = b.finish_named(results.collect::<Result<_, TypeError>>()?);
    Ok(Some(Regions { program, names }))
}

impl Regions {
    /// Instructions inside the regions among the first `forward` of a gradient's program, of which the first `own`
    /// results are the function's; with coefficients that only the derivative needs and that come of values inside.
    pub fn instructions(&self, gradient: &Program, own: usize, forward: usize) -> Vec<InstrId> {
        let purpose = live(gradient, &gradient.results()[..own.min(gradient.results().len())]);
        let mut inside = IdMap::filled(gradient.n_values(), false);
        let mut found = Vec::new();
        for (id, instr) in gradient.instrs().iter().take(forward) {
            let named = |&r: &Value| gradient.value_name(r).is_some_and(|n| self.names.contains(n));
            let coefficient = !instr.results().iter().any(|&r| purpose[r]);
            if instr.results().iter().any(named) || coefficient && instr.operands().iter().any(|&v| inside[v])
            {
                instr.results().iter().for_each(|&r| inside[r] = true);
                found.push(id);
            }
        }
        found
    }
}
