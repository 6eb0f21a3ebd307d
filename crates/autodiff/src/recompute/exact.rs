//! The cheapest choice, by branch and bound over all sets of candidates.
//!
//! Candidates are decided one by one. A branch is left when what is surely executed again costs as much as the best
//! choice known, or when even with every undecided value dropped between its early and its late reads the memory would
//! not do.

use super::{Chosen, Price, Problem};
use pullback_base::{Id, IdMap};
use pullback_ir::{InstrId, Value, ValueDef};

/// The cheapest choice that fits; without one `known`, or what was found with a lower peak.
pub(super) fn solve(problem: &Problem<'_>, known: &Chosen) -> Chosen {
    let (peak, price) = problem.weigh(known);
    let mut order = problem.candidates.clone();
    order.sort_by_key(|&id| (std::cmp::Reverse(problem.price[id]), id));
    let mut search = Search {
        problem,
        gaps: gaps(problem),
        order,
        chosen: problem.must.clone(),
        possible: problem.must.clone(),
        best: (known.clone(), peak, price),
    };
    for &id in &problem.candidates {
        search.possible[id] = true;
    }
    search.branch(0, Price::default());
    search.best.0
}

/// For each value its first definition, last early read, first late read and last read, as positions in the program.
struct Gap {
    def: usize,
    early: usize,
    late: Option<usize>,
    end: usize,
}

fn gaps(problem: &Problem<'_>) -> IdMap<Value, Option<Gap>> {
    let p = problem.program;
    let mut gaps = IdMap::<Value, Option<Gap>>::new();
    for v in p.value_ids() {
        gaps.push(match p.def(v) {
            ValueDef::Arg(_) => None,
            ValueDef::Result(id, _) => {
                Some(Gap { def: id.index(), early: id.index(), late: None, end: id.index() })
            }
        });
    }
    for (id, instr) in p.instrs().iter() {
        for &v in instr.operands() {
            if let Some(gap) = &mut gaps[v] {
                gap.end = id.index();
                if id.index() < problem.forward {
                    gap.early = id.index();
                } else if gap.late.is_none() {
                    gap.late = Some(id.index());
                }
            }
        }
    }
    for &v in p.results() {
        if let Some(gap) = &mut gaps[v] {
            gap.end = p.instrs().len();
        }
    }
    gaps
}

struct Search<'a, 'p> {
    problem: &'a Problem<'p>,
    gaps: IdMap<Value, Option<Gap>>,
    /// Candidates, dearest first.
    order: Vec<InstrId>,
    chosen: Chosen,
    /// Chosen or not yet decided.
    possible: Chosen,
    best: (Chosen, u64, Price),
}

impl Search<'_, '_> {
    /// Decides candidates from `at` on; `sure` is the price of what is chosen and has a late reader.
    fn branch(&mut self, at: usize, sure: Price) {
        let fits = self.best.1 <= self.problem.limit;
        if fits && sure >= self.best.2 {
            return;
        }
        let bound = self.least_peak();
        if bound > self.problem.limit && (fits || bound >= self.best.1) {
            return;
        }
        let Some(&id) = self.order.get(at) else {
            let (peak, price) = self.problem.weigh(&self.chosen);
            let better = match (peak <= self.problem.limit, fits) {
                (true, true) => (price, peak) < (self.best.2, self.best.1),
                (true, false) => true,
                (false, true) => false,
                (false, false) => (peak, price) < (self.best.1, self.best.2),
            };
            if better {
                self.best = (self.chosen.clone(), peak, price);
            }
            return;
        };
        self.possible[id] = false;
        self.branch(at + 1, sure);
        self.possible[id] = true;
        self.chosen[id] = true;
        let read_late = |&r: &Value| self.gaps[r].as_ref().is_some_and(|g| g.late.is_some());
        let executed = self.problem.program.instr(id).results().iter().any(read_late);
        let sure = if executed { sure.plus(self.problem.price[id]) } else { sure };
        self.branch(at + 1, sure);
        self.chosen[id] = false;
    }

    /// A peak that no choice among the possible ones goes below: each possible value counted between its definition and
    /// its last early read, and between its first and its last late read.
    fn least_peak(&self) -> u64 {
        let p = self.problem.program;
        let mut change = vec![0i128; p.instrs().len() + 2];
        let mut add = |from: usize, to: usize, bytes: i128| {
            change[from] += bytes;
            change[to + 1] -= bytes;
        };
        let mut held = 0i128;
        for v in p.value_ids() {
            let bytes = p.ty(v).bytes() as i128;
            match (&self.gaps[v], p.def(v)) {
                (Some(g), ValueDef::Result(def, _)) if self.possible[def] => match g.late {
                    Some(late) => {
                        add(g.def, g.early, bytes);
                        add(late, g.end, bytes);
                    }
                    None => add(g.def, g.end, bytes),
                },
                (Some(g), _) => add(g.def, g.end, bytes),
                (None, _) => held += bytes,
            }
        }
        let peak = change.iter().scan(held, |live, c| {
            *live += c;
            Some(*live)
        });
        u64::try_from(peak.max().unwrap_or(0)).unwrap_or(u64::MAX)
    }
}
