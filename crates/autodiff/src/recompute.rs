//! Keep or recompute, for straight-line code: which instructions of a step program's forward part to execute a second
//! time in its backward part, so that their results need not be held in between.
//!
//! The answer is a side table of second executions; the program stays as it is, with no op duplicated. An instruction
//! is executed at most twice, the second time right before the first later step that reads it (that may be a second
//! execution again, so chains are recomputed from their beginning). Among choices that fit the memory, contractions and
//! other dear ops are recomputed least, then the fewest operations, then the fewest bytes. Small problems are solved
//! exactly ([`exact`]), others greedily ([`greedy`]). Memory is counted as by `ir::count`, arguments held throughout.

mod exact;
mod greedy;
mod regions;

pub use regions::{Regions, regions};

use pullback_base::{Id, IdMap};
use pullback_ir::count::{instr_cost, live_bytes};
use pullback_ir::{InstrId, Op, Program, Value, ValueDef};

/// A second execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Again {
    /// What is executed again.
    pub instr: InstrId,
    /// Right before which instruction; several before one are executed in the order of the list.
    pub before: InstrId,
}

/// What to recompute, and what it does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recomputation {
    /// All second executions, in order.
    pub again: Vec<Again>,
    /// Most bytes live at once when everything is kept.
    pub peak_before: u64,
    /// The same with the second executions.
    pub peak_after: u64,
    /// Arithmetic operations of the second executions.
    pub extra_flops: u64,
    /// Whether `peak_after` is within the limit.
    pub fits: bool,
}

/// A step program whose first `forward` instructions lead to the loss, and the memory it may take.
#[derive(Clone, Copy, Debug)]
pub struct Request<'p> {
    /// The program.
    pub program: &'p Program,
    /// How many instructions are its forward part.
    pub forward: usize,
    /// Bytes that may be live at once.
    pub limit: u64,
    /// Instructions that are recomputed whatever the limit, as [`Regions::instructions`] gives them.
    pub must: &'p [InstrId],
}

/// The number of instructions up to the last that result `loss` needs: the forward part of a step program.
pub fn forward_part(program: &Program, loss: usize) -> usize {
    let Some(&result) = program.results().get(loss) else { return 0 };
    match program.def(result) {
        ValueDef::Arg(_) => 0,
        ValueDef::Result(id, _) => id.index() + 1,
    }
}

/// Most candidates for which all choices are weighed.
pub const MAX_EXACT: usize = 16;

/// Chooses what to recompute. Where nothing fits the limit, the choice with the lowest peak found, with `fits` false.
pub fn recompute(request: &Request<'_>) -> Recomputation {
    let problem = Problem::new(request);
    let found = greedy::solve(&problem);
    let small = problem.candidates.len() <= MAX_EXACT;
    let best = if small { exact::solve(&problem, &found) } else { found };
    problem.answer(&best)
}

/// The greedy choice, whatever the size.
pub fn recompute_greedily(request: &Request<'_>) -> Recomputation {
    let problem = Problem::new(request);
    let found = greedy::solve(&problem);
    problem.answer(&found)
}

/// What a choice costs; the order of the fields is the order of their weight.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
struct Price {
    /// Operations of contractions and other ops that count as dear.
    dear: u64,
    flops: u64,
    bytes: u64,
}

impl Price {
    fn plus(self, other: Price) -> Price {
        Price {
            dear: self.dear.saturating_add(other.dear),
            flops: self.flops.saturating_add(other.flops),
            bytes: self.bytes.saturating_add(other.bytes),
        }
    }
}

/// Instructions that are recomputed where something later reads them.
type Chosen = IdMap<InstrId, bool>;

struct Problem<'p> {
    program: &'p Program,
    forward: usize,
    limit: u64,
    /// What must be recomputed.
    must: Chosen,
    /// What else may be.
    candidates: Vec<InstrId>,
    price: IdMap<InstrId, Price>,
}

impl<'p> Problem<'p> {
    fn new(request: &Request<'p>) -> Self {
        let program = request.program;
        let n = program.instrs().len();
        let forward = request.forward.min(n);
        let mut is_result = IdMap::<Value, bool>::filled(program.n_values(), false);
        for &v in program.results() {
            is_result[v] = true;
        }
        let may = |id: InstrId| {
            let instr = program.instr(id);
            id.index() < forward
                && !matches!(instr.op(), Op::Communicate(_))
                && !instr.results().iter().any(|&r| is_result[r])
        };
        let mut must = IdMap::filled(n, false);
        for &id in request.must.iter().filter(|&&id| id.index() < n && may(id)) {
            must[id] = true;
        }
        // What no later step can read, directly or through others, need not be weighed.
        let mut wanted = IdMap::<InstrId, bool>::filled(n, false);
        for (id, instr) in program.instrs().iter().collect::<Vec<_>>().into_iter().rev() {
            if id.index() >= forward || (wanted[id] && may(id)) {
                for &v in instr.operands() {
                    if let ValueDef::Result(def, _) = program.def(v) {
                        wanted[def] = true;
                    }
                }
            }
        }
        let ids = program.instrs().ids();
        let candidates = ids.filter(|&id| may(id) && wanted[id] && !must[id]).collect();
        let mut price = IdMap::filled(n, Price::default());
        for id in program.instrs().ids().take(forward) {
            price[id] = price_of(program, id);
        }
        Problem { program, forward, limit: request.limit, must, candidates, price }
    }

    /// The order of execution with these second executions, and their table.
    fn schedule(&self, chosen: &Chosen) -> (Vec<InstrId>, Vec<Again>) {
        let mut order: Vec<InstrId> = self.program.instrs().ids().take(self.forward).collect();
        let mut again = Vec::new();
        let mut done = IdMap::<InstrId, bool>::filled(self.program.instrs().len(), false);
        for before in self.program.instrs().ids().skip(self.forward) {
            let mut stack = vec![before];
            while let Some(&id) = stack.last() {
                let depth = stack.len();
                for &v in self.program.instr(id).operands() {
                    if let ValueDef::Result(def, _) = self.program.def(v)
                        && chosen[def]
                        && !done[def]
                    {
                        stack.push(def);
                    }
                }
                if stack.len() > depth {
                    continue;
                }
                stack.pop();
                if id == before {
                    order.push(id);
                } else if !done[id] {
                    done[id] = true;
                    order.push(id);
                    again.push(Again { instr: id, before });
                }
            }
        }
        (order, again)
    }

    /// Peak and price of a choice.
    fn weigh(&self, chosen: &Chosen) -> (u64, Price) {
        let (order, again) = self.schedule(chosen);
        let price = again.iter().fold(Price::default(), |sum, a| sum.plus(self.price[a.instr]));
        (self.peak(&order), price)
    }

    fn peak(&self, order: &[InstrId]) -> u64 {
        live_bytes(self.program, order, true).into_iter().max().unwrap_or(0)
    }

    fn answer(&self, chosen: &Chosen) -> Recomputation {
        let keep: Vec<InstrId> = self.program.instrs().ids().collect();
        let (order, again) = self.schedule(chosen);
        let peak_after = self.peak(&order);
        let extra_flops =
            again.iter().fold(0u64, |n, a| n.saturating_add(instr_cost(self.program, a.instr).flops));
        let peak_before = self.peak(&keep);
        Recomputation { again, peak_before, peak_after, extra_flops, fits: peak_after <= self.limit }
    }
}

fn price_of(program: &Program, id: InstrId) -> Price {
    let cost = instr_cost(program, id);
    let dear = if is_dear(program.instr(id).op()) { cost.flops.max(1) } else { 0 };
    Price { dear, flops: cost.flops, bytes: cost.bytes }
}

/// Contractions, factorisations, transforms, and what holds them; a loop or a choice may.
fn is_dear(op: &Op) -> bool {
    if let Op::Composite(c) = op {
        return c.body.instrs().values().any(|i| is_dear(i.op()));
    }
    matches!(
        op,
        Op::DotGeneral(_)
            | Op::Convolution(_)
            | Op::Linalg(_)
            | Op::Fft { .. }
            | Op::While { .. }
            | Op::Case { .. }
            | Op::Custom(_)
    )
}
