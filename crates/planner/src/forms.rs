//! Forms: copies of a value with fewer cuts, for readers and results that need more than is held.

use crate::lower::{Lowered, producer};
use crate::{Infeasible, Request};
use pullback_ir::{InstrId, Program, Value};
use pullback_plan::{Coord, CutId, Layout};

/// Which copy of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// As readers see it that need nothing else.
    Held,
    /// With fewer cuts over devices; made turn by turn where the value is.
    Gathered,
    /// The parts of all turns, cut over devices as held.
    Collected,
    /// The parts of all turns, with fewer cuts over devices.
    Whole,
}

/// Layouts of the copies there are besides the held one.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Forms {
    pub gathered: Option<Layout>,
    pub collected: Option<Layout>,
    pub whole: Option<Layout>,
}

impl Forms {
    /// Whether there are any.
    pub fn any(&self) -> bool {
        self.gathered.is_some() || self.is_collected()
    }

    /// Whether the parts of all turns are kept.
    pub fn is_collected(&self) -> bool {
        self.collected.is_some()
    }
}

impl Lowered {
    /// The form that each operand is read in and each result leaves in.
    pub fn choose_forms(&mut self, request: &Request<'_>, coords: &[Coord]) -> Result<(), Infeasible> {
        let program = request.step;
        for id in program.instrs().ids() {
            let operands = program.instr(id).operands().to_vec();
            for (i, &v) in operands.iter().enumerate() {
                if !self.is_free(program, v) {
                    self.reads[id][i] = self.form_for(program, id, i, v, coords);
                }
            }
        }
        for (k, &v) in program.results().iter().enumerate() {
            let state = request.signature.state.iter().find(|s| s.result == k);
            let want: Vec<Option<CutId>> = match state {
                Some(s) => self.held[program.args()[s.arg]].dims.clone(),
                None => vec![None; program.ty(v).rank()],
            };
            let agree = |dims: &[Option<CutId>]| -> Vec<bool> {
                dims.iter().zip(&want).map(|(has, want)| has == want).collect()
            };
            let (mut form, mut ok) = (Form::Held, agree(&self.held[v].dims));
            if ok.contains(&false) && self.is_cut_by_time(v) {
                (form, ok) = (Form::Collected, agree(&self.collect(v).dims));
            }
            if ok.iter().zip(&want).any(|(ok, want)| !ok && want.is_some()) {
                let name = state.map_or("an output", |s| &s.name);
                let op = producer(program, v).map_or("no op", |id| program.instr(id).op().name());
                return Err(Infeasible::new(format!(
                    "unsupported: {name} enters cut but its next value, by {op}, is not computed cut alike"
                ))
                .with_help("leave it whole: narrow the `values` of the constraint that cuts it"));
            }
            self.results[k] = if ok.contains(&false) { self.widen(v, form, &ok) } else { form };
        }
        Ok(())
    }

    /// The form in which an op finds what it needs of an operand.
    fn form_for(&mut self, program: &Program, id: InstrId, i: usize, v: Value, coords: &[Coord]) -> Form {
        let shape = program.ty(v).shape();
        let held = self.held[v].dims.clone();
        let ok = self.needs_within(id, i, &held, shape, coords);
        if !ok.contains(&false) {
            return Form::Held;
        }
        let short_of_turns = held.iter().zip(&ok).any(|(c, ok)| !ok && c.is_some_and(|c| self.is_timed(c)));
        if !short_of_turns {
            return self.widen(v, Form::Held, &ok);
        }
        let collected = self.collect(v).dims;
        let ok = self.needs_within(id, i, &collected, shape, coords);
        if ok.contains(&false) { self.widen(v, Form::Collected, &ok) } else { Form::Collected }
    }

    /// Whether turns make parts of a value.
    pub fn is_cut_by_time(&self, v: Value) -> bool {
        self.held[v].dims.iter().flatten().any(|&c| self.is_timed(c))
    }

    /// Whether turns make contributions to a value.
    pub fn is_pending_in_time(&self, v: Value) -> bool {
        self.held[v].pending_axes().iter().any(|&a| self.mesh.is_time(a))
    }

    /// Asks for the parts of all turns.
    pub fn collect(&mut self, v: Value) -> Layout {
        let mut to = self.held[v].clone();
        if let Some(time) = self.time {
            for cut in &mut to.dims {
                *cut = cut.and_then(|c| match self.is_timed(c) {
                    true => self.cuts.without(c, time, &self.mesh),
                    false => Some(c),
                });
            }
        }
        self.forms[v].collected = Some(to.clone());
        to
    }

    /// Asks for a copy of a form without the cuts of the dimensions that are not `ok`.
    fn widen(&mut self, v: Value, form: Form, ok: &[bool]) -> Form {
        let (from, to, wide) = match form {
            Form::Held | Form::Gathered => {
                (self.held[v].clone(), &mut self.forms[v].gathered, Form::Gathered)
            }
            Form::Collected | Form::Whole => {
                let Forms { collected, whole, .. } = &mut self.forms[v];
                (collected.clone().unwrap_or_default(), whole, Form::Whole)
            }
        };
        let to = to.get_or_insert(from);
        for (cut, _) in to.dims.iter_mut().zip(ok).filter(|(_, ok)| !**ok) {
            *cut = None;
        }
        wide
    }

    /// Asks for what a form has in a loop as it is of all turns.
    pub fn of_all_turns(&mut self, v: Value, form: Form) -> Form {
        self.collect(v);
        match form {
            Form::Held | Form::Collected => Form::Collected,
            Form::Gathered | Form::Whole => {
                let gathered = self.forms[v].gathered.clone().unwrap_or_default();
                let ok: Vec<bool> = gathered.dims.iter().map(Option::is_some).collect();
                self.widen(v, Form::Collected, &ok)
            }
        }
    }
}
