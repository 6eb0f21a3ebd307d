//! Rebuilds a program from some of its values: arguments in a chosen order, dead code gone.
//!
//! Names of values are kept. Does not simplify anything else.

use pullback_base::IdMap;
use pullback_ir::{Builder, Program, TypeError, Value};

/// Which values the computation of `results` reads, `results` included.
pub(crate) fn live(program: &Program, results: &[Value]) -> IdMap<Value, bool> {
    let mut live = IdMap::filled(program.n_values(), false);
    for &r in results {
        live[r] = true;
    }
    let instrs: Vec<_> = program.instrs().values().collect();
    for instr in instrs.into_iter().rev() {
        if instr.results().iter().any(|&r| live[r]) {
            for &v in instr.operands() {
                live[v] = true;
            }
        }
    }
    live
}

/// The program computing `results` from `args`, which must be arguments of `program` and include all that
/// the results read. Instructions keep their order; those that no result needs are dropped.
pub(crate) fn extract(
    program: &Program,
    args: &[Value],
    results: &[(Value, Option<String>)],
) -> Result<Program, TypeError> {
    let wanted: Vec<Value> = results.iter().map(|(v, _)| *v).collect();
    let live = live(program, &wanted);
    let mut out = Builder::new(program.name());
    let mut map = IdMap::<Value, Option<Value>>::filled(program.n_values(), None);
    for &a in args {
        map[a] = Some(out.arg(program.value_name(a), program.ty(a).clone()));
    }
    let lookup = |map: &IdMap<Value, Option<Value>>, v: Value| {
        map[v]
            .ok_or_else(|| TypeError::new(format!("{} is not among the arguments", program.display_name(v))))
    };
    for instr in program.instrs().values().filter(|i| i.results().iter().any(|&r| live[r])) {
        let operands = instr.operands().iter().map(|&v| lookup(&map, v)).collect::<Result<Vec<_>, _>>()?;
        let made = out.push(instr.op().clone(), &operands)?;
        for (&old, &new) in instr.results().iter().zip(&made) {
            map[old] = Some(new);
            if let Some(name) = program.value_name(old) {
                out.name(new, name);
            }
        }
    }
    let results = results.iter().map(|(v, name)| Ok((lookup(&map, *v)?, name.clone())));
    Ok(out.finish_named(results.collect::<Result<_, TypeError>>()?))
}
