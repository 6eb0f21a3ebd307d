//! Annotations in text: meshes before the functions, attributes of arguments and results, constraints of values.

use super::{Printer, list, symbol};
use crate::annotations::{Annotation, Annotations, FunctionAnnotations, Mark};
use crate::lexer::quote;
use pullback_ir::{Program, Value};

/// `module @pullback {` with what is said of the module, and its meshes.
pub(super) fn header(annotations: &Annotations) -> String {
    let (replicas, partitions) = annotations.processes;
    let counts = [("mhlo.num_partitions", partitions), ("mhlo.num_replicas", replicas)];
    let counts = counts.into_iter().filter_map(|(key, n)| n.map(|n| format!("{key} = {n} : i32")));
    let counts: Vec<String> = counts.collect();
    let mut out = match &counts[..] {
        [] => "module @pullback {\n".to_owned(),
        counts => format!("module @pullback attributes {{{}}} {{\n", list(counts)),
    };
    for mesh in &annotations.meshes {
        out.push_str(&format!("  sdy.mesh {} = {mesh}\n", symbol(&mesh.name)));
    }
    out
}

/// What is said of a program, where it fits it.
pub(super) fn of_program<'n>(
    annotations: &'n Annotations,
    program: &Program,
) -> Option<&'n FunctionAnnotations> {
    let found = annotations.function(program.name())?;
    let fits = found.args.len() == program.args().len() && found.results.len() == program.results().len();
    fits.then_some(found)
}

/// ` {key = value, …}` of an argument or a result, with what else there is to say.
pub(super) fn attributes(annotation: Option<&Annotation>, more: Option<String>) -> String {
    let mut all: Vec<String> = more.into_iter().collect();
    if let Some(a) = annotation {
        all.extend(a.sharding.iter().map(|s| format!("sdy.sharding = #sdy.sharding{s}")));
        all.extend(a.mhlo_sharding.iter().map(|s| format!("mhlo.sharding = {}", quote(s))));
        if a.donated {
            all.push("jax.buffer_donor = true".to_owned());
        }
        all.extend(a.aliases.iter().map(|n| format!("tf.aliasing_output = {n} : i32")));
        all.extend(a.memory_kind.iter().map(|k| format!("mhlo.memory_kind = {}", quote(k))));
    }
    if all.is_empty() { String::new() } else { format!(" {{{}}}", list(all)) }
}

impl Printer<'_, '_> {
    /// What is said of a value, after it is defined. A constraint that nobody reads says how its operand is spread.
    pub(super) fn marks(&mut self, value: Value) {
        let Some(annotations) = self.annotations else { return };
        for mark in annotations.values.iter().filter(|m| m.value == Some(value)) {
            let (name, ty) = (self.name(value), self.ty(value));
            match &mark.mark {
                Mark::Sharding(s) | Mark::Constraint(s) => {
                    let id = self.fresh();
                    self.emit(format_args!("    %{id} = sdy.sharding_constraint {name} {s} : {ty}\n"));
                }
                Mark::Group(group) => {
                    self.emit(format_args!("    sdy.sharding_group {name} group_id={group} : {ty}\n"));
                }
                // What it stands between is one value here.
                Mark::Barrier(_) => {}
                // They belong to operations, which may be others now.
                Mark::MhloSharding(_) | Mark::MemoryKind(_) => {}
            }
        }
    }
}
