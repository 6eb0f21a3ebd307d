//! Forward mode without residuals: values and tangents computed side by side in one program.
//!
//! The same rules as for `linearize` write to a primal and a linear builder; here what they write for an instruction is
//! put one after the other, so that a loop can carry its tangents along and needs no bound. A value of either side stands
//! in the other as an argument that the merged program does not have.

use crate::error::AdError;
use crate::expand::expand;
use crate::extract::extract;
use crate::linearize::{Context, check_wrt, constant};
use crate::options::Settings;
use pullback_base::{Id, IdMap};
use pullback_ir::{Builder, InstrId, Program, TensorType, TypeError, Value, ValueDef};
use std::collections::BTreeMap;

/// The parts of a context that belong to this mode.
#[derive(Default)]
pub(crate) struct Together {
    /// From an argument of the primal builder to the value of the linear one that it stands for.
    lifted: BTreeMap<Value, Value>,
    /// Instructions of both builders after each instruction of the source.
    marks: Vec<[usize; 2]>,
}

/// `program` with tangents. Arguments: its own, then a tangent per `wrt` entry, named `tangent.<argument>`; results:
/// its own, then a tangent per entry of `results`.
pub(crate) fn together(program: &Program, wrt: &[usize], results: &[usize]) -> Result<Program, AdError> {
    check_wrt(program, wrt)?;
    let expanded = expand(program)?;
    let program = expanded.as_ref().map_or(program, |e| &e.program);
    let outputs: Vec<Value> = results.iter().map(|&i| program.results()[i]).collect();
    let mut cx = Context::new(program, wrt, &outputs, Settings::default());
    cx.together = Some(Together::default());
    for (id, instr) in program.instrs().iter() {
        cx.instruction(id, instr).map_err(|e| e.about(program, instr))?;
        cx.mark();
    }
    let tangents: Vec<Value> = outputs.iter().map(|&v| cx.tangent_or_zeros(v)).collect();
    cx.mark();
    merge(&cx, wrt, results, &tangents)
}

impl Context<'_> {
    fn mark(&mut self) {
        let counts = [self.primal.so_far().instrs().len(), self.linear.so_far().instrs().len()];
        if let Some(t) = &mut self.together {
            t.marks.push(counts);
        }
    }

    /// What stands in the primal program for a value of the *linear program*; only where both are computed together.
    pub(crate) fn lift(&mut self, l: Value) -> Value {
        if let Some(literal) = constant(self.linear.so_far(), l) {
            return self.primal.constant(literal);
        }
        let ty = self.linear.ty(l).clone();
        let p = self.primal.arg(None, ty);
        if let Some(t) = &mut self.together {
            t.lifted.insert(p, l);
        }
        p
    }
}

/// An argument `<prefix>.<name>`, with a number appended while that name is taken.
pub(crate) fn extra_arg(b: &mut Builder, prefix: &str, name: Option<&str>, ty: TensorType) -> Value {
    let Some(name) = name else { return b.arg(None, ty) };
    let mut full = format!("{prefix}.{name}");
    let mut n = 2;
    while b.so_far().arg_named(&full).is_some() {
        full = format!("{prefix}.{name}.{n}");
        n += 1;
    }
    b.arg(Some(&full), ty)
}

/// Both builders' instructions in one program.
struct Merge<'c> {
    out: Builder,
    /// The primal and the linear builder.
    sides: [&'c Program; 2],
    /// Their values in the merged program.
    maps: [IdMap<Value, Option<Value>>; 2],
    /// From an argument of a side to the value of the other that it stands for.
    stands_for: [BTreeMap<Value, Value>; 2],
}

impl Merge<'_> {
    fn get(&self, side: usize, v: Value) -> Result<Value, TypeError> {
        // A value may stand for one that stands for another; each was made before it.
        let (mut side, mut v) = (side, v);
        loop {
            if let Some(found) = self.maps[side][v] {
                return Ok(found);
            }
            let Some(&other) = self.stands_for[side].get(&v) else {
                return Err(TypeError::new("a tangent is read before it is computed"));
            };
            (side, v) = (1 - side, other);
        }
    }

    fn emit(&mut self, side: usize, range: std::ops::Range<usize>) -> Result<(), TypeError> {
        let program = self.sides[side];
        for k in range {
            let instr = program.instr(InstrId::from_index(k));
            let operands = instr.operands().iter().map(|&v| self.get(side, v));
            let operands = operands.collect::<Result<Vec<_>, _>>()?;
            let made = self.out.push(instr.op().clone(), &operands)?;
            for (&old, &new) in instr.results().iter().zip(&made) {
                self.maps[side][old] = Some(new);
                if let (0, Some(name)) = (side, program.value_name(old)) {
                    self.out.name(new, name);
                }
            }
        }
        Ok(())
    }
}

fn merge(cx: &Context, wrt: &[usize], results: &[usize], tangents: &[Value]) -> Result<Program, AdError> {
    let source = cx.source();
    let sides = [cx.primal.so_far(), cx.linear.so_far()];
    let mut maps = sides.map(|p| IdMap::filled(p.n_values(), None));
    let mut out = Builder::new(source.name());
    for (&formal, &a) in sides[0].args().iter().zip(source.args()) {
        maps[0][formal] = Some(out.arg(source.value_name(a), source.ty(a).clone()));
    }
    for (&t, &i) in cx.tangent_args.iter().zip(wrt) {
        let a = source.args()[i];
        maps[1][t] = Some(extra_arg(&mut out, "tangent", source.value_name(a), source.ty(a).clone()));
    }
    let fixed = cx.fixed.iter().filter(|&(_, &l)| matches!(sides[1].def(l), ValueDef::Arg(_)));
    let Some(t) = &cx.together else {
        return Err(TypeError::new("no tangents are computed together").into());
    };
    let stands_for = [t.lifted.clone(), fixed.map(|(&p, &l)| (l, p)).collect()];
    let mut m = Merge { out, sides, maps, stands_for };
    let mut done = [0, 0];
    for &mark in &t.marks {
        for side in [0, 1] {
            m.emit(side, done[side]..mark[side])?;
        }
        done = mark;
    }
    let mut all = Vec::new();
    for (i, &v) in source.results().iter().enumerate() {
        all.push((m.get(0, cx.value(v))?, source.result_name(i).map(str::to_owned)));
    }
    for (&t, &i) in tangents.iter().zip(results) {
        all.push((m.get(1, t)?, source.result_name(i).map(|n| format!("tangent.{n}"))));
    }
    let built = m.out.so_far();
    Ok(extract(built, built.args(), &all)?)
}
