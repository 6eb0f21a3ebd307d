//! Testing functions whose marks (docs/marks.md) give derivatives of their own.
//!
//! What a rule says need not be the derivative of what it stands for: a straight-through estimator is meant to differ.
//! So the function is tested three times: as a whole; around its rules, where their results are held (of stop_gradient)
//! or moved by themselves, which no rule can make wrong; and each rule alone, reverse mode against differences of its own
//! function. Rules inside loops, choices and other rules cannot be held: around them they are left out, so that what is
//! tested there is the derivative without marks. Where the whole fails, everything around the rules passes, and a rule differs from its function,
//! the derivative is a surrogate that was declared, and no mistake.

use super::{Derivative, Kind, Report, Settings, check, floats};
use crate::error::Error;
use pullback_autodiff::Options;
use pullback_base::IdMap;
use pullback_eval::{Device, Tensor};
use pullback_ir::pass::inline;
use pullback_ir::{Builder, Composite, DType, Instr, Op, Program, Rule, TensorType, TypeError, Value};

/// Places of one rule that are tested alone; there may be as many as layers.
const MAX_PLACES: usize = 16;
/// Ranges of what a rule inside a loop may get, where those that are drawn show nothing.
const WIDER: [f64; 2] = [4.0, 16.0];

/// A mark with a derivative of its own.
#[derive(Clone, PartialEq, Debug)]
pub struct Marked {
    /// What its producer calls it.
    pub name: String,
    /// `stop_gradient`, `custom_vjp` or `custom_jvp`.
    pub kind: &'static str,
    /// The values it defines.
    pub places: Vec<String>,
    /// Its distance from differences of what it stands for, relative; `None` where it was not held against them.
    pub error: Option<f64>,
    /// Whether that is more than the test allows.
    pub differs: bool,
    /// Whether it has no forward mode, so that the pairing is not defined through it.
    pub reverse_only: bool,
    /// Whether one of the places is inside a loop, a choice or another mark.
    pub inside: bool,
}

impl Marked {
    fn new(c: &Composite, at: String, inside: bool) -> Self {
        Self {
            name: c.name.clone(),
            kind: c.rule.name(),
            places: vec![at],
            error: None,
            differs: false,
            reverse_only: matches!(c.rule, Rule::CustomVjp { .. }),
            inside,
        }
    }

    /// Joins the same mark at other places.
    pub(super) fn put_into(self, marks: &mut Vec<Marked>) {
        let Some(m) = marks.iter_mut().find(|m| m.name == self.name && m.kind == self.kind) else {
            marks.push(self);
            return;
        };
        let new: Vec<String> = self.places.into_iter().filter(|p| !m.places.contains(p)).collect();
        m.places.extend(new);
        m.error = match (m.error, self.error) {
            (Some(a), Some(b)) => Some(if b.is_nan() { b } else { a.max(b) }),
            (a, b) => a.or(b),
        };
        m.differs |= self.differs;
        m.inside |= self.inside;
    }
}

/// As [`check`], of a function that may hold marks. Errors are those of the differentiation.
pub fn check_marked(
    program: &Program,
    wrt: &[usize],
    options: &Options,
    given: Option<&[Tensor]>,
    shapes: &str,
    settings: Settings,
    device: &dyn Device,
) -> Result<Report, Error> {
    let whole = Derivative::of(program, wrt, options)?;
    let mut report = check(&whole, given, shapes, settings, device)?;
    let open = opened(&whole.program)?;
    let found = Found::new(&open, wrt);
    if report.points == 0 || found.is_empty() {
        return Ok(report);
    }
    let around = around(&open, &found, wrt, options)?;
    let mut rest = check(&around, given, shapes, settings, device)?;
    let fails = report.failures.iter().any(|f| f.kind == Kind::Differences);
    let mut test = |c: &Composite, types: &[TensorType], at: String, feed: Option<Program>| {
        let mut mark = Marked::new(c, at, feed.is_none());
        let same = report.marks.iter().find(|m| m.name == mark.name && m.kind == mark.kind);
        let often = same.is_some_and(|m| m.places.len() >= MAX_PLACES);
        if !settings.pairing_only && !often && c.rule != Rule::StopGradient {
            let given = given.filter(|_| feed.is_some());
            if let Some(d) = alone(c, types, options, feed)? {
                let mut alone = check(&d, given, shapes, settings, device)?;
                // What it gets there is not known: it may differ only further out.
                for by in WIDER.into_iter().filter(|_| fails && d.feed.is_none()) {
                    if alone.failures.is_empty() {
                        let wide = Derivative { feed: Some(scaled(&d.program, by)?), ..d.clone() };
                        alone.append(check(&wide, None, shapes, settings, device)?);
                    }
                }
                mark.error = alone.worst.iter().find(|f| f.kind == Kind::Differences).map(|f| f.error);
                mark.differs = alone.failures.iter().any(|f| f.kind == Kind::Differences);
            }
        }
        mark.put_into(&mut report.marks);
        Ok::<(), Error>(())
    };
    for (instr, c) in &found.cut {
        let types: Vec<TensorType> = instr.operands().iter().map(|&v| open.ty(v).clone()).collect();
        let feed = giving(&open, instr.operands())?;
        test(c, &types, open.display_name(instr.result()), Some(feed))?;
    }
    for (c, types, at) in &found.inside {
        test(c, types, at.clone(), None)?;
    }
    judge(&mut report, &mut rest);
    Ok(report)
}

/// Tells differences that the marks ask for from mistakes.
fn judge(report: &mut Report, rest: &mut Report) {
    let differences = |r: &Report| {
        let worst = r.worst.iter().find(|f| f.kind == Kind::Differences);
        (worst.map(|f| f.error), r.failures.iter().any(|f| f.kind == Kind::Differences))
    };
    let (error, fails) = differences(report);
    for m in report.marks.iter_mut().filter(|m| m.kind == Rule::StopGradient.name()) {
        (m.error, m.differs) = (error, fails);
    }
    let declared = report.is_surrogate();
    report.comparisons += rest.comparisons;
    if declared && rest.failures.is_empty() {
        let (kept, moved) = split(std::mem::take(&mut report.failures));
        (report.failures, report.surrogate) = (kept, moved);
        report.worst.retain(|f| f.kind != Kind::Differences);
        std::mem::swap(&mut report.kinks, &mut rest.kinks);
    }
    report.failures.append(&mut rest.failures);
    report.skipped.append(&mut rest.skipped);
    std::mem::take(&mut rest.worst).into_iter().for_each(|f| report.note(f));
}

/// Findings of other kinds, and differences.
fn split(findings: Vec<super::Finding>) -> (Vec<super::Finding>, Vec<super::Finding>) {
    findings.into_iter().partition(|f| f.kind != Kind::Differences)
}

fn has_rule(c: &Composite) -> bool {
    matches!(c.rule, Rule::StopGradient | Rule::CustomVjp { .. } | Rule::CustomJvp { .. })
}

/// The program with those composites inlined that are differentiated through, as far as they are not inside others.
fn opened(program: &Program) -> Result<Program, TypeError> {
    copied(program, |b, instr, operands| {
        if let Op::Composite(c) = instr.op()
            && !has_rule(c)
        {
            return b.inline(&opened(&c.body)?, operands, Some(""));
        }
        b.push(instr.op().clone(), operands)
    })
}

/// A copy of a program with each instruction as `push` puts it.
fn copied(
    program: &Program,
    mut push: impl FnMut(&mut Builder, &Instr, &[Value]) -> Result<Vec<Value>, TypeError>,
) -> Result<Program, TypeError> {
    let mut b = Builder::new(program.name());
    let map = copy_into(&mut b, program, &mut push)?;
    let results = lookup(program, &map, program.results())?;
    let names = results.iter().enumerate().map(|(i, &v)| (v, program.result_name(i).map(str::to_owned)));
    Ok(b.finish_named(names.collect()))
}

pub(super) type Copies = IdMap<Value, Option<Value>>;

pub(super) fn copy_into(
    b: &mut Builder,
    program: &Program,
    push: &mut impl FnMut(&mut Builder, &Instr, &[Value]) -> Result<Vec<Value>, TypeError>,
) -> Result<Copies, TypeError> {
    let mut map = Copies::filled(program.n_values(), None);
    for &a in program.args() {
        map[a] = Some(b.arg(program.value_name(a), program.ty(a).clone()));
    }
    for instr in program.instrs().values() {
        let operands = lookup(program, &map, instr.operands())?;
        for (&old, new) in instr.results().iter().zip(push(b, instr, &operands)?) {
            map[old] = Some(new);
            let nameless = b.so_far().value_name(new).is_none()
                && matches!(b.so_far().def(new), pullback_ir::ValueDef::Result(..));
            if let Some(name) = program.value_name(old).filter(|_| nameless) {
                b.name(new, name);
            }
        }
    }
    Ok(map)
}

pub(super) fn lookup(program: &Program, map: &Copies, values: &[Value]) -> Result<Vec<Value>, TypeError> {
    let get = |&v: &Value| {
        map[v].ok_or_else(|| TypeError::new(format!("{} is not defined", program.display_name(v))))
    };
    values.iter().map(get).collect()
}

/// Rules on the way from the arguments.
struct Found<'p> {
    /// Those of the program itself.
    cut: Vec<(&'p Instr, &'p Composite)>,
    /// Those inside loops, choices and rules, with the types of their operands.
    inside: Vec<(&'p Composite, Vec<TensorType>, String)>,
}

impl<'p> Found<'p> {
    fn new(program: &'p Program, wrt: &[usize]) -> Self {
        let mut found = Found { cut: Vec::new(), inside: Vec::new() };
        let mut moves = IdMap::filled(program.n_values(), false);
        for &a in wrt.iter().filter_map(|&i| program.args().get(i)) {
            moves[a] = true;
        }
        for instr in program.instrs().values() {
            if !instr.operands().iter().any(|&v| moves[v]) {
                continue;
            }
            for &r in instr.results() {
                moves[r] = program.ty(r).dtype().is_differentiable();
            }
            if let Op::Composite(c) = instr.op()
                && has_rule(c)
            {
                found.cut.push((instr, &**c));
            } else {
                instr.op().regions().into_iter().for_each(|p| found.within(p));
            }
        }
        found
    }

    fn within(&mut self, program: &'p Program) {
        for instr in program.instrs().values() {
            if let Op::Composite(c) = instr.op()
                && has_rule(c)
            {
                let types = instr.operands().iter().map(|&v| program.ty(v).clone()).collect();
                let at = format!("{} in {}", program.display_name(instr.result()), program.name());
                self.inside.push((&**c, types, at));
            } else {
                instr.op().regions().into_iter().for_each(|p| self.within(p));
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.cut.is_empty() && self.inside.is_empty()
    }
}

/// The program's arguments to these of its values.
fn giving(program: &Program, values: &[Value]) -> Result<Program, TypeError> {
    let mut b = Builder::new(program.name());
    let map =
        copy_into(&mut b, program, &mut |b: &mut Builder, i, operands| b.push(i.op().clone(), operands))?;
    Ok(b.finish(&lookup(program, &map, values)?))
}

/// What gives a program's arguments: its own, floating-point ones times a factor.
fn scaled(program: &Program, by: f64) -> Result<Program, TypeError> {
    let mut b = Builder::new(program.name());
    let mut made = Vec::with_capacity(program.args().len());
    for ty in program.args().iter().map(|&a| program.ty(a)) {
        let drawn = b.arg(None, ty.clone());
        made.push(match ty.dtype().is_differentiable() {
            true => {
                let by = b.splat(ty, by);
                b.mul(drawn, by)?
            }
            false => drawn,
        });
    }
    Ok(b.finish(&made))
}

/// The derivative of the program cut at its rules: their floating-point results are further arguments, which are moved
/// too unless they are stopped, and what a rule reads is a further result. Rules further inside are left out.
fn around(open: &Program, found: &Found<'_>, wrt: &[usize], options: &Options) -> Result<Derivative, Error> {
    let float = |v: &Value| open.ty(*v).dtype().is_differentiable();
    let mut b = Builder::new(open.name());
    let mut wrt = wrt.to_vec();
    let mut next = open.args().len();
    let mut held: Vec<Value> = open.args().to_vec();
    let mut read: Vec<Value> = open.results().to_vec();
    let is_cut = |instr: &Instr| found.cut.iter().find(|(i, _)| i.result() == instr.result());
    let map = copy_into(&mut b, open, &mut |b: &mut Builder, instr: &Instr, operands: &[Value]| {
        let mut made = b.push(instr.op().clone(), operands)?;
        if let Some((_, c)) = is_cut(instr) {
            for (own, new) in instr.results().iter().zip(&mut made).filter(|(r, _)| float(r)) {
                *new = b.arg(None, open.ty(*own).clone());
                held.push(*own);
                if c.rule != Rule::StopGradient {
                    wrt.push(next);
                }
                next += 1;
            }
            if c.rule != Rule::StopGradient {
                read.extend(instr.operands().iter().filter(|v| float(v)));
            }
        }
        Ok(made)
    })?;
    let program = inline(&b.finish(&lookup(open, &map, &read)?))?;
    let mut derivative = Derivative::of(&program, &wrt, options)?;
    derivative.feed = Some(giving(open, &held)?);
    Ok(derivative)
}

/// The derivative of a rule by itself; `None` where nothing of it can move.
fn alone(
    c: &Composite,
    types: &[TensorType],
    options: &Options,
    feed: Option<Program>,
) -> Result<Option<Derivative>, Error> {
    let mut b = Builder::new(&c.name);
    let args: Vec<Value> = types.iter().map(|ty| b.arg(None, ty.clone())).collect();
    let results = b.push(Op::Composite(Box::new(c.clone())), &args)?;
    let program = b.finish(&results);
    let wrt: Vec<usize> = (0..types.len()).filter(|&i| types[i].dtype().is_differentiable()).collect();
    let moves = results.iter().any(|&r| program.ty(r).dtype().is_differentiable());
    if wrt.is_empty() || !moves {
        return Ok(None);
    }
    // Cast already, or what cannot be: as the whole.
    let mut derivative = Derivative::of(&program, &wrt, options)?;
    if floats(&program).iter().any(|&d| d != DType::F64) {
        derivative.feed = feed.filter(|f| fits(f, &derivative.program));
    } else {
        derivative.feed = feed;
    }
    Ok(Some(derivative))
}

/// Whether one program gives what the other takes.
fn fits(feed: &Program, program: &Program) -> bool {
    let given = feed.results().iter().map(|&v| feed.ty(v));
    given.eq(program.args().iter().map(|&a| program.ty(a)))
}
