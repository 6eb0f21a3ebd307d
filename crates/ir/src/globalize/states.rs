//! Along which axes each value of a program of devices may differ between them; and where the program says otherwise.
//!
//! A value is *invariant* along an axis if it follows from the program that all devices there have the same, and *varies*
//! if not. What a sum over devices reads varies (else it is counted once for each device), what is said to be the same is
//! invariant. The other two states of types for such programs, of cotangents (replicated, partial), have no place here: the
//! global program is differentiated, where a value is one.

use super::groups::{Reach, along_axes};
use super::{Devices, Global, Spread};
use crate::op::{Communication, Groups, Monoid, Op};
use crate::program::{Program, Value};
use pullback_base::IdMap;

/// What a program of devices likely does not mean.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Doubt {
    /// A result is said to be the same along an axis, but may vary: the first device's is taken.
    Varies {
        /// Which result.
        result: usize,
        /// The axis.
        axis: usize,
    },
    /// What is summed or multiplied over an axis is the same along it: it counts once for each device.
    Counted {
        /// The value's name.
        value: String,
        /// The axis.
        axis: usize,
    },
}

/// For each axis, whether the value may differ along it.
type Along = Vec<bool>;

/// Where a program that these devices run does not say what it likely means; `ins` and `outs` as for
/// [`super::globalize`], which accepts the program.
pub fn doubts(body: &Program, devices: &Devices, ins: &[Spread], outs: &[Spread]) -> Vec<Doubt> {
    let axes = 0..devices.axes.len();
    let splits = |s: &Spread, a: usize| s.dims.iter().flatten().any(|&b| b == a);
    let args: Vec<Along> =
        ins.iter().map(|s| axes.clone().map(|a| devices.axes[a] > 1 && splits(s, a)).collect()).collect();
    let mut states = States { global: Global { devices }, doubts: Vec::new() };
    let results = states.flow(body, &args, true);
    for (result, (along, spread)) in results.iter().zip(outs).enumerate() {
        let said_same = axes.clone().filter(|&a| along[a] && !splits(spread, a));
        states.doubts.extend(said_same.map(|axis| Doubt::Varies { result, axis }));
    }
    states.doubts
}

struct States<'d> {
    global: Global<'d>,
    doubts: Vec<Doubt>,
}

impl States<'_> {
    fn nowhere(&self) -> Along {
        vec![false; self.global.devices.axes.len()]
    }

    fn everywhere(&self) -> Along {
        self.global.devices.axes.iter().map(|&n| n > 1).collect()
    }

    fn any<'a>(&self, all: impl Iterator<Item = &'a Along>) -> Along {
        all.fold(self.nowhere(), |mut out, along| {
            out.iter_mut().zip(along).for_each(|(out, &x)| *out |= x);
            out
        })
    }

    /// The states of a program's results. `noted`: doubts are.
    fn flow(&mut self, program: &Program, args: &[Along], noted: bool) -> Vec<Along> {
        let mut along = IdMap::<Value, Along>::filled(program.n_values(), self.nowhere());
        for (&arg, own) in program.args().iter().zip(args) {
            along[arg].clone_from(own);
        }
        for instr in program.instrs().values() {
            let xs: Vec<Along> = instr.operands().iter().map(|&v| along[v].clone()).collect();
            let own = self.op(program, instr.op(), instr.operands(), &xs, noted);
            let all = self.any(xs.iter());
            for (k, &r) in instr.results().iter().enumerate() {
                along[r] = own.as_ref().and_then(|own| own.get(k)).unwrap_or(&all).clone();
            }
        }
        program.results().iter().map(|&r| along[r].clone()).collect()
    }

    /// The results' states; `None` where they are what the operands are together.
    fn op(
        &mut self,
        program: &Program,
        op: &Op,
        operands: &[Value],
        xs: &[Along],
        noted: bool,
    ) -> Option<Vec<Along>> {
        if let Op::Communicate(c) = op {
            let x = xs.first().cloned().unwrap_or_else(|| self.nowhere());
            let name = operands.first().map_or(String::new(), |&v| program.display_name(v));
            return Some(vec![self.communicate(c, x, &name, noted); 1]);
        }
        if let Op::While { cond, body } = op {
            return Some(self.turns(cond, body, xs, noted));
        }
        if let Op::Case { branches } = op {
            let results: Vec<Vec<Along>> = branches.iter().map(|p| self.flow(p, &xs[1..], noted)).collect();
            let taken = |k: usize| self.any(results.iter().map(|r| &r[k]).chain([&xs[0]]));
            return Some((0..results.first().map_or(0, Vec::len)).map(taken).collect());
        }
        if let Op::Composite(c) = op {
            return Some(self.flow(&c.body, xs, noted));
        }
        None
    }

    /// What is carried varies once a turn's does, or the number of turns.
    fn turns(&mut self, cond: &Program, body: &Program, xs: &[Along], noted: bool) -> Vec<Along> {
        let mut all = xs.to_vec();
        let n = body.results().len();
        loop {
            let goes_on = self.flow(cond, &all, false);
            let next = self.flow(body, &all, false);
            let before = all[..n].to_vec();
            for (own, next) in all[..n].iter_mut().zip(&next) {
                let grown = self.any([&*own, next].into_iter().chain(&goes_on));
                *own = grown;
            }
            if all[..n] == before[..] {
                self.flow(cond, &all, noted);
                self.flow(body, &all, noted);
                return before;
            }
        }
    }

    fn communicate(&mut self, op: &Communication, x: Along, name: &str, noted: bool) -> Along {
        match op {
            Communication::PartitionId => self.everywhere(),
            Communication::ReplicaId => self.nowhere(),
            Communication::AllReduce { groups, monoid } => {
                let axes = self.axes(op, groups);
                let counts = matches!(monoid, Monoid::Add | Monoid::Multiply);
                for axis in axes.iter().flatten().copied().filter(|&a| counts && noted && !x[a]) {
                    if self.global.devices.axes[axis] > 1 {
                        self.doubts.push(Doubt::Counted { value: name.to_owned(), axis });
                    }
                }
                self.same(x, axes)
            }
            Communication::AllGather { groups, .. } | Communication::CollectiveBroadcast { groups } => {
                let axes = self.axes(op, groups);
                self.same(x, axes)
            }
            Communication::ReduceScatter { groups, .. } | Communication::AllToAll { groups, .. } => {
                match self.axes(op, groups) {
                    Some(axes) => {
                        let mut out = x;
                        axes.into_iter().for_each(|a| out[a] = self.global.devices.axes[a] > 1);
                        out
                    }
                    None => self.everywhere(),
                }
            }
            Communication::CollectivePermute { .. }
            | Communication::Send { .. }
            | Communication::Recv { .. } => self.everywhere(),
        }
    }

    /// The same along these axes; where groups are along no axes, the devices of one group are not all of an axis.
    fn same(&self, x: Along, axes: Option<Vec<usize>>) -> Along {
        let Some(axes) = axes else { return self.everywhere() };
        let mut out = x;
        axes.into_iter().for_each(|a| out[a] = false);
        out
    }

    /// The axes along which the members of groups lie, if they are whole axes.
    fn axes(&self, op: &Communication, groups: &Groups) -> Option<Vec<usize>> {
        match self.global.reach(op, groups).ok()? {
            Reach::Within(places) | Reach::Both(places, _) => along_axes(&places, &self.global.devices.axes),
            Reach::Beyond(_) => Some(Vec::new()),
        }
    }
}
