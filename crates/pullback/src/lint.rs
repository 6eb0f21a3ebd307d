//! Where an export has likely lost a mark of a derivative: roundings, and floats taken apart into bits, on the way from an
//! argument to the loss.
//!
//! Warnings, never errors: the program may mean what it says. Nothing is said of the shift of a softmax, whose tangents
//! cancel and are left out anyway.

use pullback_base::{Diagnostic, IdMap, Severity};
use pullback_ir::{BinaryOp, Instr, Op, Program, Rule, UnaryOp, Value, ValueDef};
use std::cell::Cell;

/// How far a rounding is looked for behind a difference.
const STEPS: usize = 12;
/// How many warnings there are at most.
const MOST: usize = 8;
/// How often programs inside others are gone through; loops in loops ask for it again and again. After that their results
/// are taken to depend on all operands, and they are not looked into.
const VISITS: u32 = 20_000;

const HELP: &str =
    "mark it when exporting: pullback.marks.stop_gradient or custom_vjp instead of JAX's (docs/marks.md)";

/// Warnings about values that depend on the arguments `wrt` and matter to a result of a floating-point type, those inside
/// loops, choices and composites that are differentiated through among them.
pub fn lost_marks(program: &Program, wrt: &[usize]) -> Vec<Diagnostic> {
    let args: Vec<bool> = (0..program.args().len()).map(|i| wrt.contains(&i)).collect();
    let (mut found, left) = (Vec::new(), Cell::new(VISITS));
    look(program, &args, &vec![true; program.results().len()], "", &left, &mut found);
    found.truncate(MOST);
    found.into_iter().map(|m| Diagnostic::new(Severity::Warning, None, m).with_help(HELP)).collect()
}

/// What is to be said of a program and of what is inside, `args` being what depends on what is differentiated by,
/// `results` what matters, and `inside` where the program is.
fn look(
    program: &Program,
    args: &[bool],
    results: &[bool],
    inside: &str,
    left: &Cell<u32>,
    found: &mut Vec<String>,
) {
    let moves = depends(program, args, left);
    let matters = matters(program, results, left);
    let here = said(program, &moves, &matters);
    found.extend(here.into_iter().map(|m| format!("{inside}{m}")));
    for instr in program.instrs().values() {
        if found.len() >= MOST || !instr.results().iter().any(|&r| moves[r] && matters[r]) {
            continue;
        }
        let Some(inner) = Inner::of(instr, left) else { continue };
        let (args, _) = inner.depends(&flags(&moves, instr.operands()));
        let (results, _) = inner.matters(&flags(&matters, instr.results()));
        let name = program.display_name(instr.result());
        let inside = format!("{inside}in the {} that defines {name}: ", instr.op().name());
        inner.regions.iter().for_each(|r| look(r, &args, &results, &inside, left, found));
    }
}

/// What is to be said of a program's own instructions.
fn said(program: &Program, moves: &IdMap<Value, bool>, matters: &IdMap<Value, bool>) -> Vec<String> {
    let mut found = Vec::new();
    let mut explained = IdMap::filled(program.n_values(), false);
    for instr in program.instrs().values() {
        if let Some((x, rounded)) = straight_through(program, instr).filter(|&(x, _)| moves[x]) {
            explained[rounded] = true;
            found.push(format!(
                "{} adds to {x} its distance to a rounded value, so its derivative is zero: a stop_gradient (straight-through \
                 rule) was likely lost in the export",
                program.display_name(instr.result()),
                x = program.display_name(x),
            ));
        }
    }
    for instr in program.instrs().values() {
        let &[x] = instr.operands() else { continue };
        if rounds(instr.op()) && moves[x] && !explained[instr.result()] && matters[instr.result()] {
            found.push(format!(
                "{} is {} of {}: its derivative is zero; a custom rule may have been lost in the export",
                program.display_name(instr.result()),
                instr.op().name(),
                program.display_name(x),
            ));
        }
    }
    found.extend(bits_that_come_back(program, moves, matters));
    found
}

fn flags(of: &IdMap<Value, bool>, values: &[Value]) -> Vec<bool> {
    values.iter().map(|&v| of[v]).collect()
}

/// The programs inside an instruction that are differentiated through. Their arguments are its operands behind the first
/// few, their results its own.
struct Inner<'p> {
    regions: Vec<&'p Program>,
    before: usize,
    /// Whether results are arguments again.
    again: bool,
    left: &'p Cell<u32>,
}

impl<'p> Inner<'p> {
    fn of(instr: &'p Instr, left: &'p Cell<u32>) -> Option<Self> {
        if instr.op().regions().is_empty() {
            return None;
        }
        left.set(left.get().checked_sub(1)?);
        if let Op::While { body, .. } = instr.op() {
            return Some(Inner { regions: vec![&**body], before: 0, again: true, left });
        }
        if let Op::Case { branches } = instr.op() {
            return Some(Inner { regions: branches.iter().collect(), before: 1, again: false, left });
        }
        if let Op::Composite(c) = instr.op()
            && matches!(c.rule, Rule::Decompose | Rule::Remat)
        {
            return Some(Inner { regions: vec![&c.body], before: 0, again: false, left });
        }
        None
    }

    /// Which of the regions' arguments, and which results, depend on the arguments, given which operands do.
    fn depends(&self, operands: &[bool]) -> (Vec<bool>, Vec<bool>) {
        let through =
            |region: &Program, args: &[bool]| flags(&depends(region, args, self.left), region.results());
        self.spread(operands.get(self.before..).unwrap_or_default(), through)
    }

    /// Which of the regions' results, and which arguments, matter, given which results do.
    fn matters(&self, results: &[bool]) -> (Vec<bool>, Vec<bool>) {
        self.spread(results, |region, results| flags(&matters(region, results, self.left), region.args()))
    }

    /// Flags at one end of the regions, and what comes of them at the other; of a loop what stays the same.
    fn spread(
        &self,
        from: &[bool],
        through: impl Fn(&Program, &[bool]) -> Vec<bool>,
    ) -> (Vec<bool>, Vec<bool>) {
        let mut from = from.to_vec();
        loop {
            let mut to = Vec::new();
            for region in &self.regions {
                to = either(&to, &through(region, &from));
            }
            if !self.again {
                return (from, to);
            }
            let wider = either(&from, &to);
            if wider == from {
                return (from.clone(), from);
            }
            from = wider;
        }
    }
}

fn either(a: &[bool], b: &[bool]) -> Vec<bool> {
    let at = |of: &[bool], i: usize| of.get(i).copied().unwrap_or(false);
    (0..a.len().max(b.len())).map(|i| at(a, i) || at(b, i)).collect()
}

/// Floats read as bits, of which floats that matter are made again (frexp, ldexp, nextafter).
fn bits_that_come_back(
    program: &Program,
    moves: &IdMap<Value, bool>,
    matters: &IdMap<Value, bool>,
) -> Vec<String> {
    // Whole numbers, by the float whose bits they hold.
    let mut held = IdMap::<Value, Option<Value>>::filled(program.n_values(), None);
    let mut found = Vec::new();
    for instr in program.instrs().values() {
        let of = instr.operands().iter().find_map(|&v| held[v]);
        let cast = matches!(instr.op(), Op::BitcastConvert { .. });
        for &r in instr.results() {
            let float = program.ty(r).dtype().is_differentiable();
            match (float, instr.operands()) {
                (false, &[x]) if cast && moves[x] => held[r] = Some(x),
                (false, _) => held[r] = of.filter(|_| program.ty(r).dtype().is_integer()),
                (true, _) if cast && matters[r] => found.extend(of.map(|x| {
                    format!(
                        "{} is made of the bits of {}, so its derivative is zero: a custom rule was likely lost in the \
                         export",
                        program.display_name(r),
                        program.display_name(x)
                    )
                })),
                (true, _) => {}
            }
        }
    }
    found
}

fn rounds(op: &Op) -> bool {
    matches!(
        op,
        Op::Unary(UnaryOp::RoundNearestEven | UnaryOp::RoundNearestAfz | UnaryOp::Floor | UnaryOp::Ceil)
    )
}

/// Floating-point values that depend on the arguments that are flagged.
fn depends(program: &Program, args: &[bool], left: &Cell<u32>) -> IdMap<Value, bool> {
    let mut moves = IdMap::filled(program.n_values(), false);
    let float = |v: Value| program.ty(v).dtype().is_differentiable();
    for (&a, &flag) in program.args().iter().zip(args) {
        moves[a] = flag && float(a);
    }
    for instr in program.instrs().values() {
        let any = instr.operands().iter().any(|&v| moves[v]);
        let results = match Some(instr).filter(|_| any).and_then(|i| Inner::of(i, left)) {
            Some(inner) => inner.depends(&flags(&moves, instr.operands())).1,
            None => vec![any; instr.results().len()],
        };
        for (&r, flag) in instr.results().iter().zip(results) {
            moves[r] = flag && float(r);
        }
    }
    moves
}

/// The value and the rounding, of `x + (r - x)` with a rounding behind `r`.
fn straight_through(program: &Program, instr: &Instr) -> Option<(Value, Value)> {
    let (Op::Binary(BinaryOp::Add), &[a, b]) = (instr.op(), instr.operands()) else { return None };
    [(a, b), (b, a)].into_iter().find_map(|(x, distance)| {
        let by = producer(program, distance)?;
        match (by.op(), by.operands()) {
            (Op::Binary(BinaryOp::Subtract), &[r, y]) if y == x => Some((x, rounding(program, r)?)),
            _ => None,
        }
    })
}

fn producer(program: &Program, v: Value) -> Option<&Instr> {
    match program.def(v) {
        ValueDef::Result(id, _) => Some(program.instr(id)),
        ValueDef::Arg(_) => None,
    }
}

/// A rounding among what a value is computed from by elementwise steps.
fn rounding(program: &Program, v: Value) -> Option<Value> {
    let mut left = vec![v];
    for _ in 0..STEPS {
        let v = left.pop()?;
        let Some(by) = producer(program, v) else { continue };
        if rounds(by.op()) {
            return Some(v);
        }
        let elementwise =
            matches!(by.op(), Op::Unary(_) | Op::Binary(_) | Op::Clamp | Op::Select | Op::Convert { .. });
        if elementwise {
            left.extend(by.operands());
        }
    }
    None
}

/// Floating-point values whose derivative matters to the results that are flagged: not those that go only into whole
/// numbers, comparisons, or composites with rules of their own.
fn matters(program: &Program, results: &[bool], left: &Cell<u32>) -> IdMap<Value, bool> {
    let mut matters = IdMap::filled(program.n_values(), false);
    let float = |v: Value| program.ty(v).dtype().is_differentiable();
    for (&r, &flag) in program.results().iter().zip(results) {
        matters[r] |= flag && float(r);
    }
    for instr in program.instrs().values().rev() {
        let ruled =
            matches!(instr.op(), Op::Composite(c) if !matches!(c.rule, Rule::Decompose | Rule::Remat));
        if ruled || !instr.results().iter().any(|&r| matters[r]) {
            continue;
        }
        let operands = instr.operands();
        let wanted = match Inner::of(instr, left) {
            Some(inner) => {
                let args = inner.matters(&flags(&matters, instr.results())).1;
                [vec![false; inner.before], args].concat()
            }
            None => vec![true; operands.len()],
        };
        for (&v, flag) in operands.iter().zip(wanted) {
            matters[v] |= flag && float(v);
        }
    }
    matters
}
