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
    /// Whether every argument and result of a program with these has exactly one role, and each state slot's
    /// argument and result have one type.
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
            (Some(i), _) => Err(format!("argument {i} has {} roles, not one", args[i])),
            (_, Some(i)) => Err(format!("result {i} has {} roles, not one", results[i])),
            (None, None) => Ok(()),
        }
    }
}
