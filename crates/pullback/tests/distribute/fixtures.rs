//! Every fixture through the strategies that the main job has: on three workers, uneven data parallel in turns, and
//! with the optimizer's state cut; equal to one worker.
//!
//! In f64, where programs of several precisions become one, so that only real differences are seen.

use super::{Case, STEPS, compare, course, deployment, random};
use pullback::manifest::Manifest;
use pullback::source;
use pullback::step::build_step;
use pullback::tensors::TensorFile;
use pullback_base::Id;
use pullback_checker::Checked;
use pullback_eval::Tensor;
use pullback_ir::{DType, InstrId, Op, TensorType};
use pullback_plan::{DeviceId, Digest, Event, Strategy};
use pullback_planner::Request;
use pullback_runtime::exec::Deployed;
use pullback_stablehlo::ImportOptions;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A fixture and the constraint that cuts its batch.
pub struct Fixture {
    pub name: &'static str,
    /// Which values, and their dimension.
    pub cut: &'static [(&'static str, usize)],
    /// Relative to the largest number, in the types the fixture was exported in; in f64 it is 1e-9.
    pub tolerance: f64,
    /// Whether the step is taken in f64: not where bits become numbers.
    f64: bool,
}

const fn fixture(name: &'static str, cut: &'static [(&'static str, usize)]) -> Fixture {
    Fixture { name, cut, tolerance: 1e-9, f64: true }
}

/// In the types it was exported in, with its manifest's tolerance.
const fn as_is(name: &'static str, cut: &'static [(&'static str, usize)], tolerance: f64) -> Fixture {
    Fixture { name, cut, tolerance, f64: false }
}

const XY: &[(&str, usize)] = &[("x|y|t", 0)];

const FIXTURES: [Fixture; 23] = [
    fixture("charlm", &[("tokens|targets", 0)]),
    fixture("composite_op", XY),
    fixture("cond_switch", &[("x|t|row_route", 0)]),
    fixture("custom_call_ste", XY),
    fixture("custom_vjp_inline", XY),
    as_is("dropout_philox", XY, 2e-4),
    as_is("dropout_rbg", XY, 2e-4),
    as_is("dropout_threefry", XY, 2e-4),
    fixture("eigh_batch", XY),
    fixture("gnn_sparse", &[("src|dst|edge_x|edge_valid", 0)]),
    fixture("heat", &[("u0|u1", 1)]),
    fixture("hvp", XY),
    fixture("hypergrad", &[("xv|yv", 0)]),
    fixture("mixer", XY),
    fixture("mlp", XY),
    fixture("moe", XY),
    fixture("moe_scatter", XY),
    fixture("residual_gate", XY),
    fixture("resnet", XY),
    fixture("rnn_scan", &[("x|y", 1)]),
    fixture("vit", XY),
    as_is("vit_bf16", XY, 0.08),
    fixture("while_data", XY),
];

pub fn fixtures() -> &'static [Fixture] {
    &FIXTURES
}

/// The fixture's folder: here, or where derivatives are tested.
fn folder(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let here = root.join("tests/data").join(name);
    if here.exists() { here } else { root.join("../autodiff/tests/fixtures").join(name) }
}

/// The step program with the values of the fixture's file, random ones where there is none.
pub fn case(f: &Fixture) -> Case {
    let dir = folder(f.name);
    let mut manifest = Manifest::read(&dir.join("manifest.json")).unwrap();
    let options = ImportOptions { operators: manifest.operators().unwrap(), ..ImportOptions::default() };
    let module = source::load(&dir.join("loss.mlir"), &options).unwrap();
    manifest.loops.loop_bound = Some(40);
    let bound = manifest.bind(module.function("main").unwrap()).unwrap();
    let model =
        build_step(&bound, &manifest.optimizer().unwrap().unwrap(), f.f64.then_some(DType::F64)).unwrap();
    let io = dir.join("io.safetensors");
    let file = io.exists().then(|| TensorFile::read(&io).unwrap());
    let value = |key: &str, name: &str, ty: &TensorType| match &file {
        Some(file) => converted(&file.tensors[key], ty),
        None => random(name, ty),
    };
    let state = model.state.iter().map(|s| match &s.io {
        Some(io) => value(io, &s.name, &s.ty),
        None => Tensor::zeros(s.ty.clone()),
    });
    let state = state.collect();
    let batch = |k: u64| {
        let of = |b: &pullback::step::BatchInput| {
            value(&b.io.replace("{step}", &k.to_string()), &format!("{} {k}", b.name), &b.ty)
        };
        model.batch.iter().map(of).collect()
    };
    Case { state, batches: (0..STEPS).map(batch).collect(), model }
}

fn converted(t: &Tensor, ty: &TensorType) -> Tensor {
    if t.ty() == ty { t.clone() } else { Tensor::from_f64s(ty.clone(), &t.to_f64s()).unwrap() }
}

/// Shares 2, 1, 1 of the batch, in this many turns.
fn data(f: &Fixture, turns: usize) -> String {
    shared(f, "2, 1, 1", turns)
}

fn shared(f: &Fixture, shares: &str, turns: usize) -> String {
    let mut text = format!(
        "version = 1\n[[axis]]\nname = 'data'\nkind = 'space'\nshares = [{shares}]\n[[axis]]\nname = 'micro'\nkind = 'time'\nsize = {turns}\n"
    );
    for (values, dim) in f.cut {
        text += &format!("[[constraint]]\nvalues = '{values}'\ndim = {dim}\naxes = ['data', 'micro']\n");
    }
    text
}

fn zero(f: &Fixture, turns: usize) -> String {
    data(f, turns) + "[[constraint]]\nvalues = 'opt.*'\ndim = 0\naxes = ['data']\n"
}

/// "equal", or why it is refused.
fn outcome(f: &Fixture, case: &Case, whole: &[(f64, Vec<Tensor>)], strategy: &str) -> String {
    match compare(case, whole, strategy, 3, "cpu") {
        Ok((worst, _)) if worst <= f.tolerance => "equal".to_owned(),
        Ok((worst, _)) => format!("DIFFERS by {worst:e}"),
        Err(e) => e,
    }
}

/// What these need of the whole batch takes several loops over the turns: batch statistics, positions counted over the
/// batch, one field, one test for all samples.
const OF_THE_BATCH: [&str; 7] =
    ["cond_switch", "gnn_sparse", "heat", "moe", "moe_scatter", "resnet", "while_data"];

/// More turns than some devices have samples, and a device without any.
#[test]
fn turns_and_devices_without_samples() {
    for f in FIXTURES.iter().filter(|f| OF_THE_BATCH.contains(&f.name)) {
        let case = case(f);
        let whole = course(&case, "cpu");
        assert_eq!(outcome(f, &case, &whole, &shared(f, "3, 0, 1", 5)), "equal", "{}", f.name);
    }
}

/// The plan of a fixture on three workers, checked.
fn planned(f: &Fixture, case: &Case, turns: usize) -> Checked {
    let (strategy, deployment) = (Strategy::parse(&data(f, turns)).unwrap(), deployment(3, "cpu"));
    let (step, signature) = (&case.model.program, &case.model.signature);
    let request =
        Request { step, signature, strategy: &strategy, deployment: &deployment, model: Digest::default() };
    let plan = pullback_planner::plan(&request).unwrap();
    pullback_checker::check(step, &strategy, &deployment, plan).unwrap()
}

/// With batch statistics in every layer: a loop for each; light ops are run again, contractions never; and more turns
/// take less memory, though results of contractions are kept of all turns.
#[test]
fn batch_statistics_take_several_loops() {
    let f = FIXTURES.iter().find(|f| f.name == "resnet").unwrap();
    let case = case(f);
    let step = &case.model.program;
    let plans: Vec<Checked> = [1, 2, 4].map(|turns| planned(f, &case, turns)).into();
    let device = |p: &Checked| p.plan().devices.values().next().unwrap().clone();
    let loops = |p: &Checked| device(p).events.iter().filter(|e| matches!(e, Event::Loop { .. })).count();
    assert_eq!(plans.iter().map(loops).collect::<Vec<_>>(), [0, 5, 5]);
    let times = |id: InstrId| {
        let templates = plans[1].plan().templates.values();
        templates.filter(|t| t.ops.iter().any(|op| op.instr == id)).count()
    };
    let (heavy, light): (Vec<InstrId>, Vec<InstrId>) = step
        .instrs()
        .ids()
        .filter(|&id| !matches!(step.instr(id).op(), Op::Constant(_)))
        .partition(|&id| matches!(step.instr(id).op(), Op::Convolution(_) | Op::DotGeneral(_)));
    assert!(heavy.iter().all(|&id| times(id) == 1));
    assert!(light.iter().any(|&id| times(id) > 1));
    let arenas: Vec<u64> = plans.iter().map(|p| device(p).arena).collect();
    assert!(arenas[0] > arenas[1] && arenas[1] > arenas[2], "{arenas:?}");
    let reasons = &plans[1].plan().certificate.reasons;
    let says = |text: &str| reasons.iter().any(|r| r.about == "micro" && r.text.starts_with(text));
    assert!(says("5 sweeps over the turns: ") && says("keeps all turns of convolution "), "{reasons:?}");
}

/// Turns of equal extent share their programs, though each reads its own part of what is kept of all turns.
#[test]
fn turns_share_executables() {
    let f = FIXTURES.iter().find(|f| f.name == "resnet").unwrap();
    let case = case(f);
    let compiled = |turns: usize| {
        let (checked, program) = (Arc::new(planned(f, &case, turns)), Arc::new(case.model.program.clone()));
        let device = DeviceId::from_index(0);
        Deployed::new(checked, program, &deployment(3, "cpu"), device).unwrap().n_executables()
    };
    assert_eq!(compiled(2), compiled(4));
}

/// Contributions in bf16 are combined in an order that no timing changes.
#[test]
fn bf16_has_equal_bits() {
    let f = FIXTURES.iter().find(|f| f.name == "vit_bf16").unwrap();
    let case = case(f);
    let whole = course(&case, "cpu");
    let bits = || compare(&case, &whole, &zero(f, 2), 3, "cpu").unwrap().1;
    let p = &case.model.program;
    assert!(p.value_ids().any(|v| p.ty(v).dtype() == DType::BF16));
    assert_eq!(bits(), bits());
}

/// Uneven data parallel, and the optimizer's state cut, both turn by turn.
#[test]
fn all() {
    for f in &FIXTURES {
        let case = case(f);
        let whole = course(&case, "cpu");
        for strategy in [data(f, 2), zero(f, 2)] {
            assert_eq!(outcome(f, &case, &whole, &strategy), "equal", "{} by {strategy}", f.name);
        }
    }
}
