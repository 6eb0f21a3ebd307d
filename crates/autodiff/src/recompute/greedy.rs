//! A good choice for large programs: at the step with most bytes live, drop what frees most for what it costs.
//!
//! What a value is computed from and is gone by then is recomputed with it, as a chain. The peak is counted anew after
//! each round. Dear ops come only when cheap ones no longer help, and in the end everything that the limit does not
//! need is kept again, dear ops first.

use super::{Chosen, Price, Problem};
use pullback_base::IdMap;
use pullback_ir::count::live_bytes;
use pullback_ir::{InstrId, Value, ValueDef};

/// Most instructions recomputed for one value.
const MAX_CHAIN: usize = 64;
/// Steps of counting spent on keeping again what need not be recomputed.
const MAX_WORK: usize = 100_000_000;

pub(super) fn solve(problem: &Problem<'_>) -> Chosen {
    let n = problem.program.instrs().len();
    let mut state = Greedy {
        problem,
        allowed: IdMap::filled(n, false),
        banned: IdMap::filled(n, false),
        chosen: problem.must.clone(),
    };
    for &id in &problem.candidates {
        state.allowed[id] = problem.price[id].dear == 0;
    }
    let mut best = (problem.weigh(&state.chosen).0, state.chosen.clone());
    let mut dear = false;
    loop {
        let (peak, added) = state.round();
        if peak < best.0 {
            best = (peak, state.chosen.clone());
        }
        if best.0 <= problem.limit {
            break;
        }
        if added.is_empty() {
            if dear {
                break;
            }
            dear = true;
            for &id in &problem.candidates {
                state.allowed[id] = true;
            }
            state.banned = IdMap::filled(n, false);
        }
    }
    keep_what_fits(problem, best.1, best.0.max(problem.limit))
}

/// Takes out of the choice what is not needed to stay within `limit`.
fn keep_what_fits(problem: &Problem<'_>, mut chosen: Chosen, limit: u64) -> Chosen {
    let mut members: Vec<InstrId> = problem.candidates.iter().copied().filter(|&id| chosen[id]).collect();
    members.sort_by_key(|&id| (std::cmp::Reverse(problem.price[id]), id));
    let affordable = MAX_WORK / problem.program.instrs().len().max(1);
    for &id in members.iter().take(affordable) {
        chosen[id] = false;
        if problem.weigh(&chosen).0 > limit {
            chosen[id] = true;
        }
    }
    chosen
}

struct Greedy<'a, 'p> {
    problem: &'a Problem<'p>,
    /// What may be chosen in this phase.
    allowed: IdMap<InstrId, bool>,
    /// What made it worse.
    banned: IdMap<InstrId, bool>,
    chosen: Chosen,
}

/// When a value is read, as steps of a schedule.
#[derive(Clone, Copy)]
struct Reads {
    early: usize,
    late: Option<usize>,
    last: usize,
}

/// A value to drop, with what has to be recomputed for it.
struct Offer {
    chain: Vec<InstrId>,
    gain: i128,
    /// Bytes freed for each operation or byte moved.
    rate: f64,
}

impl Greedy<'_, '_> {
    /// Adds to the choice what helps most at the peak; gives the peak after it and what was added.
    fn round(&mut self) -> (u64, Vec<InstrId>) {
        let (order, _) = self.problem.schedule(&self.chosen);
        let live = live_bytes(self.problem.program, &order, true);
        let Some(at) = (0..live.len()).max_by_key(|&i| (live[i], std::cmp::Reverse(i))) else {
            return (0, Vec::new());
        };
        let peak = live[at];
        let excess = i128::from(peak) - i128::from(self.problem.limit);
        if excess <= 0 {
            return (peak, Vec::new());
        }
        let reads = self.reads(&order);
        let mut offers: Vec<Offer> =
            self.problem.candidates.iter().filter_map(|&id| self.offer(id, at, &reads)).collect();
        offers.sort_by(|a, b| b.rate.total_cmp(&a.rate).then(a.chain[0].cmp(&b.chain[0])));
        // A few at once in large programs.
        let most = 1 + self.problem.program.instrs().len() / 256;
        let mut freed = 0;
        let mut added = Vec::new();
        for offer in offers.into_iter().take(most) {
            added.extend(offer.chain.iter().copied().filter(|&id| !self.chosen[id]));
            for &id in &offer.chain {
                self.chosen[id] = true;
            }
            freed += offer.gain;
            if freed >= excess {
                break;
            }
        }
        let after = self.problem.weigh(&self.chosen).0;
        if after > peak {
            for &id in &added {
                self.chosen[id] = false;
                self.banned[id] = true;
            }
            return (peak, added);
        }
        (after, added)
    }

    fn reads(&self, order: &[InstrId]) -> IdMap<Value, Reads> {
        let p = self.problem.program;
        let mut reads = IdMap::filled(p.n_values(), Reads { early: 0, late: None, last: 0 });
        for (step, &id) in order.iter().enumerate() {
            for &r in p.instr(id).results() {
                if step < self.problem.forward {
                    reads[r].early = step;
                }
            }
            for &v in p.instr(id).operands() {
                reads[v].last = step;
                if step < self.problem.forward {
                    reads[v].early = step;
                } else if reads[v].late.is_none() {
                    reads[v].late = Some(step);
                }
            }
        }
        reads
    }

    /// Bytes of the results of `id` that are live at step `at` only because something reads them later.
    fn idle(&self, id: InstrId, at: usize, reads: &IdMap<Value, Reads>) -> i128 {
        let p = self.problem.program;
        let results = p.instr(id).results().iter();
        let idle = results.filter(|&&r| reads[r].early < at && reads[r].late.is_some_and(|l| l > at));
        idle.map(|&r| p.ty(r).bytes() as i128).sum()
    }

    fn may(&self, id: InstrId) -> bool {
        self.allowed[id] && !self.banned[id] && !self.chosen[id]
    }

    fn offer(&self, id: InstrId, at: usize, reads: &IdMap<Value, Reads>) -> Option<Offer> {
        if !self.may(id) || self.idle(id, at, reads) == 0 {
            return None;
        }
        let p = self.problem.program;
        let (mut chain, mut next, mut gain) = (vec![id], 0, self.idle(id, at, reads));
        let mut extended: Vec<Value> = Vec::new();
        while next < chain.len() {
            for &v in p.instr(chain[next]).operands() {
                let ValueDef::Result(def, _) = p.def(v) else { continue };
                if self.chosen[def] || chain.contains(&def) || extended.contains(&v) || reads[v].last > at {
                    continue;
                }
                if self.may(def) && chain.len() < MAX_CHAIN {
                    chain.push(def);
                    gain += self.idle(def, at, reads);
                } else {
                    // It is held longer instead.
                    extended.push(v);
                    gain -= p.ty(v).bytes() as i128;
                }
            }
            next += 1;
        }
        let price = chain.iter().fold(Price::default(), |sum, &i| sum.plus(self.problem.price[i]));
        let cost = price.dear as f64 + price.flops as f64 + price.bytes as f64 / 4.0;
        (gain > 0).then(|| Offer { rate: gain as f64 / (1.0 + cost), chain, gain })
    }
}
