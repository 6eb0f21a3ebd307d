//! Where an export has likely lost a mark of a derivative: roundings, and floats taken apart into bits, on the way from an
//! argument to the loss.
//!
//! Warnings, never errors: the program may mean what it says. Nothing is said of the shift of a softmax, whose tangents
//! cancel and are left out anyway.

use pullback_base::{Diagnostic, IdMap, Severity};
use pullback_ir::{BinaryOp, Instr, Op, Program, Rule, UnaryOp, Value, ValueDef};

/// How far a rounding is looked for behind a difference.
const STEPS: usize = 12;
/// How many warnings there are at most.
const MOST: usize = 8;

const HELP: &str =
    "mark it when exporting: pullback.marks.stop_gradient or custom_vjp instead of JAX's (docs/marks.md)";

/// Warnings about values that depend on the arguments `wrt` and matter to a result of a floating-point type.
pub fn lost_marks(program: &Program, wrt: &[usize]) -> Vec<Diagnostic> {
    let moves = depends(program, wrt);
    let matters = matters(program);
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
    found.extend(bits_that_come_back(program, &moves, &matters));
    found.truncate(MOST);
    found.into_iter().map(|m| Diagnostic::new(Severity::Warning, None, m).with_help(HELP)).collect()
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

/// Floating-point values that depend on the arguments.
fn depends(program: &Program, wrt: &[usize]) -> IdMap<Value, bool> {
    let mut moves = IdMap::filled(program.n_values(), false);
    for &a in wrt.iter().filter_map(|&i| program.args().get(i)) {
        moves[a] = true;
    }
    for instr in program.instrs().values() {
        let any = instr.operands().iter().any(|&v| moves[v]);
        for &r in instr.results() {
            moves[r] = any && program.ty(r).dtype().is_differentiable();
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

/// Floating-point values whose derivative matters to a result: not those that go only into whole numbers, comparisons,
/// or composites with rules of their own.
fn matters(program: &Program) -> IdMap<Value, bool> {
    let mut matters = IdMap::filled(program.n_values(), false);
    for &r in program.results() {
        matters[r] = program.ty(r).dtype().is_differentiable();
    }
    for instr in program.instrs().values().rev() {
        let ruled =
            matches!(instr.op(), Op::Composite(c) if !matches!(c.rule, Rule::Decompose | Rule::Remat));
        if !ruled && instr.results().iter().any(|&r| matters[r]) {
            for &v in instr.operands() {
                matters[v] |= program.ty(v).dtype().is_differentiable();
            }
        }
    }
    matters
}
