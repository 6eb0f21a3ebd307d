//! The roles of a step program's arguments and results.
//!
//! The step program maps state and a batch to outputs and the next state; results that are neither are refused.

use pullback_ir::Value;

/// A tensor that is carried from step to step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateSlot {
    /// Its name: `param.embed`, `opt.mu.embed`, `opt.count`.
    pub name: String,
    /// Argument number in the step program.
    pub arg: usize,
    /// Result number in the step program.
    pub result: usize,
}

/// A tensor that comes from the data at each step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BatchSlot {
    /// Its name: `tokens`.
    pub name: String,
    /// Argument number in the step program.
    pub arg: usize,
}

/// A result that is reported.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutputSlot {
    /// Its name: `loss`.
    pub name: String,
    /// Result number in the step program.
    pub result: usize,
}

/// Roles of all arguments and results.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Signature {
    /// State, in order of slots.
    pub state: Vec<StateSlot>,
    /// Batch inputs.
    pub batch: Vec<BatchSlot>,
    /// Reported results; the first is the loss.
    pub outputs: Vec<OutputSlot>,
}

impl Signature {
    /// Whether every argument and result of a program has exactly one role under its own name, and each state
    /// slot's argument and result have one type.
    pub fn fits(&self, program: &pullback_ir::Program) -> Result<(), String> {
        let mut args = vec![0usize; program.args().len()];
        let mut results = vec![0usize; program.results().len()];
        let count = |list: &mut Vec<usize>, i: usize, what: &str| match list.get_mut(i) {
            Some(n) => {
                *n += 1;
                Ok(())
            }
            None => Err(format!("{what} {i} does not exist")),
        };
        for s in &self.state {
            count(&mut args, s.arg, "argument")?;
            count(&mut results, s.result, "result")?;
            let (a, r): (Value, Value) = (program.args()[s.arg], program.results()[s.result]);
            if program.ty(a) != program.ty(r) {
                return Err(format!(
                    "state {} enters as {} and leaves as {}",
                    s.name,
                    program.ty(a),
                    program.ty(r)
                ));
            }
        }
        self.batch.iter().try_for_each(|b| count(&mut args, b.arg, "argument"))?;
        self.outputs.iter().try_for_each(|o| count(&mut results, o.result, "result"))?;
        match (args.iter().position(|&n| n != 1), results.iter().position(|&n| n != 1)) {
            (Some(i), _) => return Err(format!("argument {i} has {} roles, not one", args[i])),
            (_, Some(i)) => return Err(format!("result {i} has {} roles, not one", results[i])),
            (None, None) => {}
        }
        self.names(program)
    }

    /// Names are unique, and those of the program where it names an argument or result.
    fn names(&self, program: &pullback_ir::Program) -> Result<(), String> {
        let states = self.state.iter().map(|s| (&s.name, program.value_name(program.args()[s.arg])));
        let batches = self.batch.iter().map(|b| (&b.name, program.value_name(program.args()[b.arg])));
        let outputs = self.outputs.iter().map(|o| (&o.name, program.result_name(o.result)));
        let unique = |names: Vec<&String>| {
            let mut sorted = names;
            sorted.sort();
            sorted.windows(2).find(|w| w[0] == w[1]).map(|w| w[0].clone())
        };
        let inputs = self.state.iter().map(|s| &s.name).chain(self.batch.iter().map(|b| &b.name)).collect();
        if let Some(name) = unique(inputs).or_else(|| unique(self.outputs.iter().map(|o| &o.name).collect()))
        {
            return Err(format!("two slots are named {name:?}"));
        }
        for (slot, name) in states.chain(batches).chain(outputs) {
            if name.is_some_and(|n| n != slot) {
                return Err(format!(
                    "slot {slot:?} is of what the step program names {:?}",
                    name.unwrap_or_default()
                ));
            }
        }
        Ok(())
    }
}
