//! The step program: loss, gradients of all parameters and the optimizer's update as one global program.
//!
//! Arguments: state slots (`param.<name>`, `state.<name>`, `opt.<slot>.<name>`, `opt.count`), then batch inputs
//! by their plain names. Results: the loss, the next value of each state slot in the same order, further
//! outputs. Values keep the importer's names; gradients are `grad.<parameter>`. The program knows nothing of
//! devices: it is differentiated first and distributed afterwards.

use crate::error::Error;
use crate::manifest::{Bound, BoundArg, Init, ResultRole, Role};
use crate::optim::{self, Optimizer};
use pullback_autodiff::value_and_grad_with;
use pullback_base::Diagnostic;
use pullback_ir::pass::{cast_floats, find, run_pass};
use pullback_ir::{Builder, DType, Program, TensorType, Value};
use pullback_plan::{BatchSlot, OutputSlot, Signature, StateSlot};
use std::collections::BTreeSet;

/// What a state slot is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SlotKind {
    /// A parameter.
    Parameter,
    /// State of the model.
    State,
    /// State of the optimizer; starts at zero.
    Optimizer,
}

/// A state slot, in the order of the signature.
#[derive(Clone, PartialEq, Debug)]
pub struct Slot {
    /// `param.<name>` and the like.
    pub name: String,
    /// What it is.
    pub kind: SlotKind,
    /// Element type and shape.
    pub ty: TensorType,
    /// First value, where the manifest says one; an optimizer's is zero.
    pub init: Option<Init>,
    /// The tensor's name in files, for what the manifest describes.
    pub io: Option<String>,
}

/// A batch input, in the order of the signature.
#[derive(Clone, PartialEq, Debug)]
pub struct BatchInput {
    /// The manifest's name.
    pub name: String,
    /// Whether it is data or a key of random numbers.
    pub role: Role,
    /// Element type and shape.
    pub ty: TensorType,
    /// The tensor's name in files, `{step}` standing for the step.
    pub io: String,
}

/// A model's step program with the roles of its arguments and results.
#[derive(Clone, PartialEq, Debug)]
pub struct StepModel {
    /// The program, simplified and verified.
    pub program: Program,
    /// Roles; fits the program.
    pub signature: Signature,
    /// State, in the signature's order.
    pub state: Vec<Slot>,
    /// Batch inputs, in the signature's order.
    pub batch: Vec<BatchInput>,
}

impl StepModel {
    /// Number of parameter tensors; they are the first slots.
    pub fn n_parameters(&self) -> usize {
        self.state.iter().filter(|s| s.kind == SlotKind::Parameter).count()
    }
}

/// A function's results followed by the gradient of its loss with respect to each parameter, in order.
pub fn loss_and_gradients(bound: &Bound) -> Result<Program, Error> {
    let wrt = bound.parameters();
    if wrt.is_empty() {
        return Err(Error::new(format!("no argument of {} has the role parameter", bound.program.name()))
            .with_help("there is nothing to differentiate with respect to; name one under args")
            .in_file(&bound.manifest));
    }
    let loss = bound.loss()?;
    let grad = value_and_grad_with(&loss_first(&bound.program, loss)?, &wrt, &bound.loops)?;
    simplify(&inlined(&in_source_order(grad, loss)?)?)
}

/// Makes the step program. `dtype` replaces f32 and f64 by another floating-point type; narrower ones stay, they say what
/// the model rounds.
///
/// Errors: no loss, no parameters, a state without a next value, an op without a derivative, names that clash.
pub fn build_step(bound: &Bound, optimizer: &Optimizer, dtype: Option<DType>) -> Result<StepModel, Error> {
    let bound = cast(bound, dtype)?;
    let next_state = next_state(&bound)?;
    let grad = loss_and_gradients(&bound)?;
    let loss = bound.loss()?;

    let (state, batch) = slots(&bound, optimizer);
    let mut b = Builder::new("step");
    let state_args: Vec<Value> = state.iter().map(|s| b.arg(Some(&s.name), s.ty.clone())).collect();
    let batch_args: Vec<Value> = batch.iter().map(|s| b.arg(Some(&s.name), s.ty.clone())).collect();
    check_names(&state, &batch).map_err(|e| e.in_file(&bound.manifest))?;

    let args = call_args(&bound, &state, &state_args, &batch_args);
    let mut results = b.inline(&grad, &args, Some(""))?;
    let gradients = results.split_off(bound.results.len());
    let (n, m) = (gradients.len(), next_state.len());
    let names = bound.args.iter().filter(|a| a.role == Role::Parameter).map(|a| a.name.clone());
    let parameters: Vec<(String, Value)> = names.zip(state_args[..n].iter().copied()).collect();
    let stepped = optim::step(&mut b, optimizer, &parameters, &gradients, &state_args[n + m..])?;

    let mut out = vec![(results[loss], Some("loss".to_owned()))];
    let next = next_state.iter().map(|&r| results[r]);
    let next = stepped.params.into_iter().chain(next).chain(stepped.state);
    out.extend(next.zip(&state).map(|(v, slot)| (v, Some(slot.name.clone()))));
    let extra = bound.results.iter().enumerate().filter(|(_, r)| r.role == ResultRole::Output);
    out.extend(extra.map(|(i, r)| (results[i], Some(r.name.clone()))));
    let signature = signature(&state, &batch, &out);
    let program = run("schedule", &simplify(&b.finish_named(out))?)?;
    signature.fits(&program).map_err(|e| Error::new(format!("the step program's signature: {e}")))?;
    Ok(StepModel { program, signature, state, batch })
}

/// The function computed in another floating-point type; its arguments' types follow.
fn cast(bound: &Bound, dtype: Option<DType>) -> Result<Bound, Error> {
    let Some(to) = dtype else { return Ok(bound.clone()) };
    let mut cast = bound.clone();
    for from in [DType::F32, DType::F64].into_iter().filter(|&from| from != to) {
        cast.program = cast_floats(&cast.program, from, to)?;
    }
    for (arg, &v) in cast.args.iter_mut().zip(cast.program.args()) {
        arg.ty = cast.program.ty(v).clone();
    }
    Ok(cast)
}

/// For each state argument, the result that is its next value.
fn next_state(bound: &Bound) -> Result<Vec<usize>, Error> {
    let states = || bound.args.iter().filter(|a| a.role == Role::State);
    let result_named =
        |name: &str| bound.results.iter().position(|r| r.role == ResultRole::State && r.name == name);
    let (mut next, mut problems) = (Vec::new(), Vec::new());
    for BoundArg { name, ty, .. } in states() {
        let Some(i) = result_named(name) else {
            let message = format!("results: no result with role state gives the next value of {name:?}");
            let help = "return it, or give the argument the role batch";
            problems.push(Diagnostic::error(None, message).with_help(help));
            continue;
        };
        let new = bound.program.ty(bound.program.results()[i]);
        if new != ty {
            let message = format!("results[{i}]: state {name:?} is {ty}, its next value is {new}");
            problems.push(Diagnostic::error(None, message));
        }
        next.push(i);
    }
    for (i, r) in bound.results.iter().enumerate().filter(|(_, r)| r.role == ResultRole::State) {
        if !states().any(|a| a.name == r.name) {
            let message = format!("results[{i}]: no argument with role state is named {:?}", r.name);
            problems.push(Diagnostic::error(None, message));
        }
    }
    Error::check(problems).map_err(|e| e.in_file(&bound.manifest))?;
    Ok(next)
}

fn slots(bound: &Bound, optimizer: &Optimizer) -> (Vec<Slot>, Vec<BatchInput>) {
    let of = |role: Role| bound.args.iter().filter(move |a| a.role == role);
    let slot = |prefix: &str, kind: SlotKind, a: &BoundArg| Slot {
        name: format!("{prefix}.{}", a.name),
        kind,
        ty: a.ty.clone(),
        init: a.init,
        io: Some(a.io.clone()),
    };
    let mut state: Vec<Slot> = of(Role::Parameter).map(|a| slot("param", SlotKind::Parameter, a)).collect();
    state.extend(of(Role::State).map(|a| slot("state", SlotKind::State, a)));
    let parameters: Vec<(String, TensorType)> =
        of(Role::Parameter).map(|a| (a.name.clone(), a.ty.clone())).collect();
    state.extend(optim::state_spec(optimizer, &parameters).into_iter().map(|(name, ty)| Slot {
        name,
        kind: SlotKind::Optimizer,
        ty,
        init: Some(Init::Zeros {}),
        io: None,
    }));
    let is_batch = |a: &&BoundArg| matches!(a.role, Role::Batch | Role::RngKey);
    let input =
        |a: &BoundArg| BatchInput { name: a.name.clone(), role: a.role, ty: a.ty.clone(), io: a.io.clone() };
    (state, bound.args.iter().filter(is_batch).map(input).collect())
}

fn check_names(state: &[Slot], batch: &[BatchInput]) -> Result<(), Error> {
    let mut seen = BTreeSet::new();
    let names = state.iter().map(|s| s.name.as_str()).chain(batch.iter().map(|b| b.name.as_str()));
    for name in names {
        if !seen.insert(name) {
            return Err(Error::new(format!(
                "args: two arguments of the step program would be named {name:?}"
            ))
            .with_help("give the batch input another name"));
        }
    }
    Ok(())
}

/// The step program's arguments in the order of the function's.
fn call_args(bound: &Bound, state: &[Slot], state_args: &[Value], batch_args: &[Value]) -> Vec<Value> {
    let of_kind = |kind: SlotKind| {
        let slots = state.iter().zip(state_args);
        slots.filter(move |(s, _)| s.kind == kind).map(|(_, &v)| v)
    };
    let mut parameters = of_kind(SlotKind::Parameter);
    let mut model_state = of_kind(SlotKind::State);
    let mut batch = batch_args.iter().copied();
    let next = |role: Role| match role {
        Role::Parameter => parameters.next(),
        Role::State => model_state.next(),
        Role::Batch | Role::RngKey => batch.next(),
    };
    bound.args.iter().map(|a| a.role).filter_map(next).collect()
}

fn signature(state: &[Slot], batch: &[BatchInput], results: &[(Value, Option<String>)]) -> Signature {
    let n = state.len();
    let slots = state.iter().enumerate();
    let extra = results.iter().enumerate().skip(n + 1);
    let output = |(result, (_, name)): (usize, &(Value, Option<String>))| OutputSlot {
        name: name.clone().unwrap_or_default(),
        result,
    };
    Signature {
        state: slots.map(|(i, s)| StateSlot { name: s.name.clone(), arg: i, result: i + 1 }).collect(),
        batch: batch
            .iter()
            .enumerate()
            .map(|(i, s)| BatchSlot { name: s.name.clone(), arg: n + i })
            .collect(),
        outputs: results.iter().enumerate().take(1).chain(extra).map(output).collect(),
    }
}

/// The program with result `loss` moved to the front, where the differentiation looks for it.
pub(crate) fn loss_first(program: &Program, loss: usize) -> Result<Program, Error> {
    let mut order: Vec<usize> = (0..program.results().len()).collect();
    order[..=loss].rotate_right(1);
    with_results(program, &order)
}

/// Undoes [`loss_first`].
pub(crate) fn in_source_order(program: Program, loss: usize) -> Result<Program, Error> {
    let mut order: Vec<usize> = (0..program.results().len()).collect();
    order[..=loss].rotate_left(1);
    with_results(&program, &order)
}

/// The program with its results in another order.
fn with_results(program: &Program, order: &[usize]) -> Result<Program, Error> {
    if order.is_sorted() {
        return Ok(program.clone());
    }
    let mut b = Builder::new(program.name());
    let args: Vec<Value> =
        program.args().iter().map(|&a| b.arg(program.value_name(a), program.ty(a).clone())).collect();
    let results = b.inline(program, &args, Some(""))?;
    let named = order.iter().map(|&i| (results[i], program.result_name(i).map(str::to_owned)));
    Ok(b.finish_named(named.collect()))
}

/// Composites by their bodies: what is differentiated and planned holds none.
pub fn inlined(program: &Program) -> Result<Program, Error> {
    let pass = find("inline").ok_or_else(|| Error::new("there is no pass inline"))?;
    Ok(run_pass(pass, program)?)
}

/// Simplifies, bit for bit, and verifies.
pub fn simplify(program: &Program) -> Result<Program, Error> {
    run("simplify", program)
}

fn run(pass: &str, program: &Program) -> Result<Program, Error> {
    let pass = find(pass).ok_or_else(|| Error::new(format!("there is no pass {pass}")))?;
    Ok(run_pass(pass, program)?)
}
