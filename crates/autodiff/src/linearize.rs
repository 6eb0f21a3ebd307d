//! A program into its primal part, which also returns residuals, and its linear part over tangents.
//!
//! Guarantees: the linear program's ops are linear in its tangents, all other operands are residuals or
//! constants; only values on a path from `wrt` to a result are linearized; no residual is left unread, and
//! none is a constant. Which residuals to keep or recompute is not decided here.

use crate::error::AdError;
use crate::expand::expand;
use crate::extract::{extract, live};
use crate::options::{Options, Settings};
use crate::rules;
use crate::shift;
use crate::smooth;
use crate::together::Together;
use pullback_base::{Id, IdMap};
use pullback_ir::{Builder, Instr, InstrId, Literal, Op, Program, TensorType, Value, ValueDef};
use std::collections::{BTreeMap, BTreeSet};

/// A program that is linear in its last arguments: residuals first, then tangents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinearProgram {
    program: Program,
    residuals: usize,
}

impl LinearProgram {
    /// The first `residuals` arguments are held fixed, the others are tangents. Linearity is checked by
    /// [`crate::transpose`], op by op.
    pub fn new(program: Program, residuals: usize) -> Result<Self, AdError> {
        let count = program.args().len();
        if residuals > count {
            return Err(AdError::TooManyResiduals { residuals, count });
        }
        Ok(Self { program, residuals })
    }

    /// The program itself.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Arguments held fixed.
    pub fn residual_args(&self) -> &[Value] {
        &self.program.args()[..self.residuals]
    }

    /// Arguments it is linear in.
    pub fn tangent_args(&self) -> &[Value] {
        &self.program.args()[self.residuals..]
    }
}

/// The derivative of a program at the point where its primal part runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Linearized {
    /// The source's arguments; the source's results, then the residuals.
    pub primal: Program,
    /// Residuals, then one tangent per `wrt` entry; tangents of the results listed in `results`.
    pub linear: LinearProgram,
    /// The residuals as values of `primal`, in the order of its last results.
    pub residuals: Vec<Value>,
    /// Which results of the source have tangents: those of floating-point types.
    pub results: Vec<usize>,
    /// For each residual the values of the source whose derivatives read it.
    pub readers: Vec<Vec<Value>>,
    /// Those of `residuals` that are inside a rematerialized region (`jax.checkpoint`): to be computed again rather
    /// than kept. A wish, that the plan may follow.
    pub recompute: Vec<Value>,
}

/// Linearizes `program` with respect to the arguments `wrt`. A result that does not depend on them has the
/// tangent zero. Errors: an argument that does not exist, is listed twice or has no cotangents; an op
/// without a derivative on the way; a loop without a bound on its turns.
pub fn linearize(program: &Program, wrt: &[usize]) -> Result<Linearized, AdError> {
    linearize_with(program, wrt, &Options::default())
}

/// As [`linearize`], with what is to be done about loops.
pub fn linearize_with(program: &Program, wrt: &[usize], options: &Options) -> Result<Linearized, AdError> {
    linearize_results(program, wrt, &differentiable_results(program), Settings::of(options))
}

/// Numbers of the results that have tangents.
pub(crate) fn differentiable_results(program: &Program) -> Vec<usize> {
    let float = |i: &usize| program.ty(program.results()[*i]).dtype().is_differentiable();
    (0..program.results().len()).filter(float).collect()
}

/// As [`linearize`], with tangents of the given results only.
pub(crate) fn linearize_results(
    program: &Program,
    wrt: &[usize],
    results: &[usize],
    settings: Settings,
) -> Result<Linearized, AdError> {
    check_wrt(program, wrt)?;
    let expanded = expand(program)?;
    let program = expanded.as_ref().map_or(program, |e| &e.program);
    let outputs: Vec<Value> = results.iter().map(|&i| program.results()[i]).collect();
    let mut cx = Context::new(program, wrt, &outputs, settings);
    cx.remat = expanded.as_ref().map(|e| (e.inside.clone(), e.leaves.clone()));
    for (id, instr) in program.instrs().iter() {
        cx.instruction(id, instr).map_err(|e| e.about(program, instr))?;
    }
    let mut lin = cx.finish(results, &outputs)?;
    if let Some(e) = &expanded {
        for readers in &mut lin.readers {
            *readers = readers.iter().map(|&v| e.origin[v]).collect::<BTreeSet<_>>().into_iter().collect();
        }
    }
    Ok(lin)
}

pub(crate) fn check_wrt(program: &Program, wrt: &[usize]) -> Result<(), AdError> {
    let mut seen = BTreeSet::new();
    for &index in wrt {
        let count = program.args().len();
        let &arg = program.args().get(index).ok_or(AdError::NoArgument { index, count })?;
        let name = program.display_name(arg);
        if !program.ty(arg).dtype().is_differentiable() {
            return Err(AdError::NotDifferentiable { index, name, ty: program.ty(arg).clone() });
        }
        if !seen.insert(index) {
            return Err(AdError::RepeatedArgument { index, name });
        }
    }
    Ok(())
}

/// Values whose tangent matters to `outputs`: reached backwards through values that have tangents.
pub(crate) fn needed(program: &Program, outputs: &[Value]) -> IdMap<Value, bool> {
    let mut needed = IdMap::filled(program.n_values(), false);
    let float = |v: Value| program.ty(v).dtype().is_differentiable();
    for &v in outputs {
        needed[v] = float(v);
    }
    let instrs: Vec<&Instr> = program.instrs().values().collect();
    for instr in instrs.into_iter().rev() {
        if instr.results().iter().any(|&r| needed[r]) {
            for &v in instr.operands() {
                needed[v] = needed[v] || float(v);
            }
        }
    }
    needed
}

/// What the rules write to: the primal and the linear program under construction. A value of the source is
/// meant unless said otherwise.
pub(crate) struct Context<'p> {
    source: &'p Program,
    /// The primal program: rules compute coefficients here.
    pub(crate) primal: Builder,
    /// The linear program: rules apply linear ops here.
    pub(crate) linear: Builder,
    /// Values of the source in the primal program.
    copies: IdMap<Value, Option<Value>>,
    tangents: IdMap<Value, Option<Value>>,
    /// Values of the source whose tangents matter.
    needed: IdMap<Value, bool>,
    cancelled: BTreeSet<Value>,
    /// Absolute values whose corner is half of a smooth function's spelling.
    pub(crate) middles: BTreeSet<Value>,
    pub(crate) tangent_args: Vec<Value>,
    /// Values of the primal program inside rematerialized regions.
    recompute: BTreeSet<Value>,
    /// Instructions of the source inside such regions, and the regions' results.
    remat: Option<(IdMap<InstrId, bool>, BTreeSet<Value>)>,
    /// From a value of the primal program to what stands for it in the linear one.
    pub(crate) fixed: BTreeMap<Value, Value>,
    /// For each instruction of the linear program the value of the source it is the derivative of.
    origins: Vec<Option<Value>>,
    settings: Settings,
    /// Where the tangents are computed along with the values, and no residuals are kept.
    pub(crate) together: Option<Together>,
    /// The instruction of the source at hand.
    current: InstrId,
}

impl<'p> Context<'p> {
    pub(crate) fn new(source: &'p Program, wrt: &[usize], outputs: &[Value], settings: Settings) -> Self {
        let needed = needed(source, outputs);
        let cancelled = shift::cancelled(source, outputs, |v| needed[v]);
        let mut cx = Context {
            source,
            primal: Builder::new(source.name()),
            linear: Builder::new(format!("{}.linear", source.name())),
            copies: IdMap::filled(source.n_values(), None),
            tangents: IdMap::filled(source.n_values(), None),
            needed,
            cancelled,
            middles: smooth::middles(source),
            tangent_args: Vec::new(),
            recompute: BTreeSet::new(),
            remat: None,
            fixed: BTreeMap::new(),
            origins: Vec::new(),
            settings,
            together: None,
            current: InstrId::from_index(0),
        };
        for &a in source.args() {
            cx.copies[a] = Some(cx.primal.arg(source.value_name(a), source.ty(a).clone()));
        }
        for &i in wrt {
            let a = source.args()[i];
            let name = source.value_name(a).map(|n| format!("tangent.{n}"));
            let t = cx.linear.arg(name.as_deref(), source.ty(a).clone());
            cx.tangents[a] = Some(t);
            cx.tangent_args.push(t);
        }
        cx
    }

    /// Copies an instruction of the source and gives its results their tangents.
    pub(crate) fn instruction(&mut self, id: InstrId, instr: &Instr) -> Result<(), AdError> {
        self.current = id;
        let before = self.primal.so_far().n_values();
        let moves = !self.cancelled.contains(&instr.result())
            && instr.results().iter().any(|&r| self.needed(r))
            && instr.operands().iter().any(|&x| self.tangent(x).is_some());
        let done = moves && rules::composite::by_rule(self, instr)?;
        if !done {
            self.copy(instr)?;
        }
        if moves {
            if !done {
                let tangents = rules::tangents(self, instr)?;
                for (&r, tangent) in instr.results().iter().zip(tangents) {
                    self.tangents[r] = tangent;
                }
            }
            self.origins.resize(self.linear.so_far().instrs().len(), Some(instr.results()[0]));
        }
        self.wish_recomputed(id, instr, before);
        Ok(())
    }

    fn copy(&mut self, instr: &Instr) -> Result<(), AdError> {
        let operands: Vec<Value> = instr.operands().iter().map(|&v| self.value(v)).collect();
        let made = self.primal.push(instr.op().clone(), &operands)?;
        for (&old, &new) in instr.results().iter().zip(&made) {
            self.copies[old] = Some(new);
            if let Some(name) = self.source.value_name(old) {
                self.primal.name(new, name);
            }
        }
        Ok(())
    }

    /// What an instruction inside a rematerialized region made in the primal program, from value number `before` on, is
    /// to be computed again; not what leaves the region.
    fn wish_recomputed(&mut self, id: InstrId, instr: &Instr, before: usize) {
        let Some((inside, leaves)) = &self.remat else { return };
        if !inside[id] {
            return;
        }
        let out: Vec<Value> =
            instr.results().iter().filter(|r| leaves.contains(r)).map(|&r| self.value(r)).collect();
        let made = (before..self.primal.so_far().n_values()).map(Value::from_index);
        self.recompute.extend(made.filter(|v| !out.contains(v)));
    }

    /// Lets a value of the primal program stand for a value of the source from now on.
    pub(crate) fn replace(&mut self, v: Value, p: Value) {
        self.copies[v] = Some(p);
        let so_far = self.primal.so_far();
        if let Some(name) = self.source.value_name(v)
            && matches!(so_far.def(p), ValueDef::Result(..))
        {
            self.primal.name(p, name);
        }
    }

    /// Says what a value's tangent is.
    pub(crate) fn set_tangent(&mut self, v: Value, tangent: Option<Value>) {
        self.tangents[v] = tangent;
    }

    /// What is asked of loops.
    pub(crate) fn settings(&self) -> Settings {
        self.settings
    }

    /// The instruction of the source whose tangents are asked for.
    pub(crate) fn current(&self) -> InstrId {
        self.current
    }

    /// The source program.
    pub(crate) fn source(&self) -> &'p Program {
        self.source
    }

    /// A value's type.
    pub(crate) fn ty(&self, v: Value) -> &'p TensorType {
        self.source.ty(v)
    }

    /// The value in the primal program.
    pub(crate) fn value(&self, v: Value) -> Value {
        self.copies[v].expect("a program defines a value before its use")
    }

    /// Its tangent in the linear program; `None` is zero.
    pub(crate) fn tangent(&self, v: Value) -> Option<Value> {
        self.tangents[v]
    }

    /// Whether the value's tangent matters: a rule for several results may leave others out.
    pub(crate) fn needed(&self, v: Value) -> bool {
        self.needed[v]
    }

    /// Its tangent, zeros written out.
    pub(crate) fn tangent_or_zeros(&mut self, v: Value) -> Value {
        let ty = self.ty(v);
        self.tangents[v].unwrap_or_else(|| self.linear.splat(ty, 0.0))
    }

    /// What stands in the linear program for a value of the *primal program*: a constant again, else a
    /// residual.
    pub(crate) fn fixed(&mut self, p: Value) -> Value {
        if let Some(&v) = self.fixed.get(&p) {
            return v;
        }
        let v = match constant(self.primal.so_far(), p) {
            Some(literal) => self.linear.constant(literal),
            None => self.linear.arg(None, self.primal.ty(p).clone()),
        };
        self.fixed.insert(p, v);
        v
    }

    fn finish(mut self, results: &[usize], outputs: &[Value]) -> Result<Linearized, AdError> {
        let tangents: Vec<Value> = outputs.iter().map(|&v| self.tangent_or_zeros(v)).collect();
        let linear = self.linear.so_far();
        let live = live(linear, &tangents);
        let kept: Vec<(Value, Value)> = self
            .fixed
            .into_iter()
            .filter(|&(_, l)| live[l] && matches!(linear.def(l), ValueDef::Arg(_)))
            .collect();
        let readers = readers(linear, &live, &self.origins, &kept);
        let args: Vec<Value> = kept.iter().map(|&(_, l)| l).chain(self.tangent_args).collect();
        let name = |i: usize| self.source.result_name(i).map(|n| format!("tangent.{n}"));
        let linear_results: Vec<_> = tangents.iter().zip(results).map(|(&t, &i)| (t, name(i))).collect();
        let linear = LinearProgram::new(extract(linear, &args, &linear_results)?, kept.len())?;

        let source = self.source;
        let copies = &self.copies;
        let own = source.results().iter().enumerate().map(|(i, &v)| {
            let copy = copies[v].expect("every value of the source was copied");
            (copy, source.result_name(i).map(str::to_owned))
        });
        let primal_results: Vec<_> = own.chain(kept.iter().map(|&(p, _)| (p, None))).collect();
        let primal = self.primal.so_far();
        let primal = extract(primal, primal.args(), &primal_results)?;
        let residuals = primal.results()[source.results().len()..].to_vec();
        let wished = kept.iter().zip(&residuals).filter(|((p, _), _)| self.recompute.contains(p));
        let recompute = wished.map(|(_, &r)| r).collect();
        Ok(Linearized { primal, linear, residuals, results: results.to_vec(), readers, recompute })
    }
}

/// For each kept argument of the linear program the values of the source whose derivatives read it, in order.
fn readers(
    linear: &Program,
    live: &IdMap<Value, bool>,
    origins: &[Option<Value>],
    kept: &[(Value, Value)],
) -> Vec<Vec<Value>> {
    let mut by_arg: BTreeMap<Value, BTreeSet<Value>> = BTreeMap::new();
    for (instr, &origin) in linear.instrs().values().zip(origins) {
        if let Some(y) = origin
            && instr.results().iter().any(|&r| live[r])
        {
            for &v in instr.operands() {
                by_arg.entry(v).or_default().insert(y);
            }
        }
    }
    kept.iter().map(|(_, l)| by_arg.get(l).into_iter().flatten().copied().collect()).collect()
}

/// The literal a value surely equals: of a constant, or of a broadcast splat.
pub(crate) fn constant(program: &Program, v: Value) -> Option<Literal> {
    let ValueDef::Result(id, _) = program.def(v) else { return None };
    let instr = program.instr(id);
    if let Op::Constant(literal) = instr.op() {
        return Some(literal.clone());
    }
    if let Op::BroadcastInDim { .. } = instr.op() {
        let literal = constant(program, instr.operands()[0])?;
        return Literal::splat(program.ty(v).clone(), literal.splat_bytes()?);
    }
    None
}
