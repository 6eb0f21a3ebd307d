//! The same step, whole and distributed: every program under every strategy gives the same losses and the same
//! state as the step program evaluated in one piece by the reference, in f64 to 1e-12.
//!
//! Plans are made by the planner and must be accepted by the checker; workers run in process.
#![expect(clippy::unwrap_used, reason = "a test fails where it unwraps")]

mod fixtures;
mod strategies;

use pullback::manifest::Manifest;
use pullback::source;
use pullback::step::{StepModel, build_step};
use pullback_base::Id;
use pullback_base::rng::CounterRng;
use pullback_eval::{CpuDevice, Device, Tensor};
use pullback_ir::literal::decode_f64;
use pullback_ir::region::Region;
use pullback_ir::{DType, TensorType};
use pullback_plan::{Deployment, DeviceId, Digest, Event, Plan, Strategy};
use pullback_planner::Request;
use pullback_runtime::exec::{BatchSource, Local};
use std::path::Path;
use std::sync::Arc;

const STEPS: u64 = 3;

/// A fixture's step program with random values, its parameters scaled to keep activations small.
struct Case {
    model: StepModel,
    state: Vec<Tensor>,
    batches: Vec<Vec<Tensor>>,
}

fn case(name: &str) -> Case {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(name);
    let module = source::load(&dir.join("loss.mlir"), &Default::default()).unwrap();
    let manifest = Manifest::read(&dir.join("manifest.json")).unwrap();
    let bound = manifest.bind(module.function("main").unwrap()).unwrap();
    let optimizer = manifest.optimizer().unwrap().unwrap();
    let model = build_step(&bound, &optimizer, Some(DType::F64)).unwrap();
    let state = model.state.iter().map(|s| {
        if s.name.starts_with("param.") { random(&s.name, &s.ty) } else { Tensor::zeros(s.ty.clone()) }
    });
    let state = state.collect();
    let batch = |k: u64| model.batch.iter().map(|b| random(&format!("{} {k}", b.name), &b.ty)).collect();
    Case { state, batches: (0..STEPS).map(batch).collect(), model }
}

fn random(name: &str, ty: &TensorType) -> Tensor {
    let rng = CounterRng::new(1, name);
    let n = ty.count() as u64;
    if ty.dtype().is_integer() {
        return Tensor::from_i64s(ty.clone(), &(0..n).map(|i| rng.below(i, 10) as i64).collect::<Vec<_>>())
            .unwrap();
    }
    let scale = if name.contains("scale") { 1.0 } else { 0.2 };
    let shift = if name.contains("scale") { 1.0 } else { 0.0 };
    let values: Vec<f64> = (0..n).map(|i| shift + scale * 0.5 * rng.normal(i)).collect();
    Tensor::from_f64s(ty.clone(), &values).unwrap()
}

fn cut(t: &Tensor, region: &Region) -> Vec<u8> {
    fn visit(t: &Tensor, region: &Region, dim: usize, base: usize, out: &mut Vec<u8>) {
        match region.dims().get(dim) {
            None => out.extend_from_slice(t.element(base)),
            Some(set) => set.iter().for_each(|i| visit(t, region, dim + 1, base * t.shape()[dim] + i, out)),
        }
    }
    let mut out = Vec::new();
    visit(t, region, 0, 0, &mut out);
    out
}

struct Source(Vec<Vec<Tensor>>);

impl BatchSource for Source {
    fn load(&mut self, step: u64, slot: usize, region: &Region, out: &mut [u8]) -> Result<(), String> {
        out.copy_from_slice(&cut(&self.0[step as usize][slot], region));
        Ok(())
    }
}

/// Devices whose costs differ, so that shares are uneven.
fn deployment(n: usize, kind: &str) -> Deployment {
    let mut text = String::from("version = 1\n");
    for i in 0..n {
        let cost = 1.0 + i as f64;
        text += &format!(
            "[[device]]\nname = 'w{i}'\nkind = '{kind}'\nmemory_mib = 512\nseconds_per_sample = {cost}\n"
        );
    }
    Deployment::parse(&text).unwrap()
}

/// Loss and state after each step of the whole step program, by the reference or by the fast backend.
fn course(case: &Case, kind: &str) -> Vec<(f64, Vec<Tensor>)> {
    let step = &case.model.program;
    let mut cpu = (kind == "cpu").then(|| CpuDevice { threads: 1 }.compile(step).unwrap());
    let mut whole = case.state.clone();
    let mut steps = Vec::new();
    for batch in &case.batches {
        let args: Vec<Tensor> = whole.iter().chain(batch).cloned().collect();
        let results = match &mut cpu {
            None => pullback_eval::reference::eval(step, &args).unwrap(),
            Some(cpu) => {
                let zeros = step.results().iter().map(|&r| Tensor::zeros(step.ty(r).clone()));
                let mut out: Vec<Tensor> = zeros.collect();
                let inputs: Vec<&[u8]> = args.iter().map(Tensor::bytes).collect();
                cpu.run(&inputs, &mut out.iter_mut().map(Tensor::bytes_mut).collect::<Vec<_>>()).unwrap();
                out
            }
        };
        whole = results[1..=case.state.len()].to_vec();
        steps.push((results[0].get_f64(0), whole.clone()));
    }
    steps
}

/// Runs the case under a strategy on `n` devices of a kind; gives the largest difference of losses and state
/// from the whole, relative to the largest number of each tensor, and the bytes of all losses and states; or why
/// no plan is made or deployed.
fn compare(
    case: &Case,
    whole: &[(f64, Vec<Tensor>)],
    strategy: &str,
    n: usize,
    kind: &str,
) -> Result<(f64, Vec<u8>), String> {
    let strategy = Strategy::parse(strategy).unwrap();
    let deployment = deployment(n, kind);
    let (step, signature) = (&case.model.program, &case.model.signature);
    let request =
        Request { step, signature, strategy: &strategy, deployment: &deployment, model: Digest::default() };
    let plan = pullback_planner::plan(&request).map_err(|e| e.to_string())?;
    run(case, whole, &strategy, &deployment, plan)
}

/// The same of a plan, which the checker must accept.
fn run(
    case: &Case,
    whole: &[(f64, Vec<Tensor>)],
    strategy: &Strategy,
    deployment: &Deployment,
    plan: Plan,
) -> Result<(f64, Vec<u8>), String> {
    let step = &case.model.program;
    let text = pullback_plan::text::print(&plan);
    assert_eq!(pullback_plan::text::parse(&text).unwrap(), plan);
    let checked = pullback_checker::check(step, strategy, deployment, plan)
        .unwrap_or_else(|v| panic!("{}", v.iter().map(|v| v.to_string()).collect::<Vec<_>>().join("\n")));
    let (checked, program) = (Arc::new(checked), Arc::new(step.clone()));
    let batches = || -> Box<dyn BatchSource> { Box::new(Source(case.batches.clone())) };
    let mut local = Local::new(&checked, &program, deployment, &batches, &|k, r| cut(&case.state[k], r))
        .map_err(|e| e.to_string())?;
    let (mut worst, mut bits) = (0f64, Vec::new());
    for (want, state) in whole {
        let reports = local.step().unwrap();
        let loss = decode_f64(step.ty(step.results()[0]).dtype(), &reports[0].outputs[0].1);
        bits.extend_from_slice(&reports[0].outputs[0].1);
        let d = (loss - want).abs() / want.abs();
        worst = worst.max(if d.is_nan() { f64::INFINITY } else { d });
        for (k, t) in state.iter().enumerate() {
            let largest = t.to_f64s().iter().fold(1e-3, |m: f64, v| m.max(v.abs()));
            for w in local.workers() {
                let (region, got) = w.state(k).unwrap();
                bits.extend_from_slice(got);
                let size = t.dtype().size();
                for (a, b) in got.chunks(size).zip(cut(t, &region).chunks(size)) {
                    let d = (decode_f64(t.dtype(), a) - decode_f64(t.dtype(), b)).abs() / largest;
                    worst = worst.max(if d.is_nan() { f64::INFINITY } else { d });
                }
            }
        }
    }
    Ok((worst, bits))
}

/// A strategy that has a plan, against the reference.
fn worst(case: &Case, strategy: &str, n: usize, kind: &str) -> (f64, Vec<u8>) {
    compare(case, &course(case, "reference"), strategy, n, kind).unwrap_or_else(|e| panic!("{e}"))
}

fn agrees(name: &str, strategy: &str, n: usize) {
    let (w, _) = worst(&case(name), strategy, n, "reference");
    assert!(w < 1e-9, "{name} differs by {w:e}");
}

const ONE: &str = "version = 1";

const DATA: &str = "
version = 1
[[axis]]
name = 'data'
kind = 'space'
[[axis]]
name = 'micro'
kind = 'time'
size = 2
[[constraint]]
values = 'x|y|t|tokens|targets'
dim = 0
axes = ['data', 'micro']
";

fn zero() -> String {
    format!("{DATA}\n[[constraint]]\nvalues = 'opt.*'\ndim = 0\naxes = ['data']\n")
}

/// data x model (or model alone), heads of width 12 cut between devices.
fn tensor(axes: &str, batch: &str) -> String {
    let constraint = |values: &str, dim: usize, rest: &str| {
        let both = values.split('|').map(|v| format!("param.{v}|opt.*.{v}")).collect::<Vec<_>>().join("|");
        format!("[[constraint]]\nvalues = '{both}'\ndim = {dim}\naxes = ['model']\n{rest}\n")
    };
    [
        format!("version = 1\n{axes}\n{batch}\n"),
        constraint("*.qkv.w", 1, "segments = 3\ngranule = 12"),
        constraint("*.out.w", 0, "granule = 12"),
        constraint("*.ff1.w", 1, ""),
        constraint("*.ff1.b|*.ff2.w", 0, ""),
    ]
    .concat()
}

fn data_and_model() -> String {
    let axes = "[[axis]]\nname = 'data'\nkind = 'space'\nsize = 2\n[[axis]]\nname = 'model'\nkind = 'space'\nsize = 2\n[[axis]]\nname = 'micro'\nkind = 'time'\nsize = 2";
    tensor(axes, "[[constraint]]\nvalues = 'tokens|targets'\ndim = 0\naxes = ['data', 'micro']")
}

fn model_alone() -> String {
    tensor("[[axis]]\nname = 'model'\nkind = 'space'\nshares = [2, 1, 1]", "")
}

#[test]
fn mlp_in_all_ways() {
    for (strategy, n) in [(ONE, 1), (DATA, 1), (DATA, 3), (&zero(), 2), (&zero(), 3)] {
        agrees("mlp", strategy, n);
    }
}

#[test]
fn a_regularizer_counts_once() {
    agrees("residual_gate", DATA, 3);
    agrees("residual_gate", &zero(), 2);
}

#[test]
fn charlm_data_parallel_uneven() {
    agrees("charlm", DATA, 3);
}

#[test]
fn charlm_zero_sharded() {
    agrees("charlm", &zero(), 3);
}

/// Parameters as well, by rows and by columns; the batch's cut stands first and keeps its turns.
#[test]
fn charlm_fully_sharded() {
    for dim in [0, 1] {
        let both = "[[constraint]]\nvalues = 'opt.*|param.*'\naxes = ['data']\n";
        agrees("charlm", &format!("{DATA}\n{both}dim = {dim}\n"), 3);
    }
}

#[test]
fn charlm_data_and_tensor_parallel() {
    agrees("charlm", &data_and_model(), 4);
}

#[test]
fn charlm_three_unequal_tensor_shares() {
    agrees("charlm", &model_alone(), 3);
}

#[test]
fn vit_and_mixer() {
    agrees("vit", DATA, 3);
    agrees("mixer", &zero(), 2);
}

/// Turn by turn where a weight's gradient has the type of a batch of states, and starts from the same zeros.
#[test]
fn loops_as_wide_as_their_batch() {
    agrees("scan_square", DATA, 3);
    agrees("scan_square", &zero(), 3);
}

/// Gradients of cut weights and of whole ones are reduced over the batch by one collective only where that gives
/// replicas equal bits: with uneven parts the segments of a ring differ from group to group, and from turn to turn.
#[test]
fn uneven_parts_travel_apart() {
    let axes = |shares: &str| {
        DATA.replace(
            "kind = 'space'",
            &format!(
                "kind = 'space'\nsize = 2\n[[axis]]\nname = 'model'\nkind = 'space'\nshares = [{shares}]"
            ),
        )
    };
    for shares in ["3, 1", "1, 0"] {
        for dim in [0, 1] {
            let cut = format!("[[constraint]]\nvalues = 'param.l3.w'\ndim = {dim}\naxes = ['model']\n");
            agrees("mlp", &format!("{}\n{cut}", axes(shares)), 4);
        }
    }
    // Cut by turns and by devices in different dimensions.
    let both = DATA.replace(
        "dim = 0\naxes = ['data', 'micro']",
        "dim = 1\naxes = ['micro']\n[[constraint]]\nvalues = 'x'\ndim = 0\naxes = ['data']",
    );
    agrees("mlp", &both, 3);
}

/// One op reads an input gathered from the devices, another one the parts of all turns.
#[test]
fn an_input_in_two_forms() {
    let axes =
        "[[axis]]\nname = 'model'\nkind = 'space'\n[[axis]]\nname = 'micro'\nkind = 'time'\nsize = 2\n";
    let cut =
        |dim: usize, axis: &str| format!("[[constraint]]\nvalues = 'x'\ndim = {dim}\naxes = ['{axis}']\n");
    for n in [1, 2, 3] {
        agrees("running_sums", &format!("version = 1\n{axes}{}{}", cut(0, "micro"), cut(1, "model")), n);
    }
}

/// Devices need not run in one order what they do not share: frames are told apart by their collective.
#[test]
fn collectives_that_are_not_shared_in_any_order() {
    let c = case("mlp");
    let axes = "version = 1\n[[axis]]\nname = 'data'\nkind = 'space'\nsize = 2\n[[axis]]\nname = 'model'\nkind = 'space'\nsize = 2\n";
    let cut = |values: &str, dim: usize, axis: &str| {
        format!("[[constraint]]\nvalues = '{values}'\ndim = {dim}\naxes = ['{axis}']\n")
    };
    let text = [axes, &cut("x|y", 0, "data"), &cut("opt.*.l1.w", 0, "data"), &cut("param.l3.w", 0, "model")]
        .concat();
    let (strategy, deployment) = (Strategy::parse(&text).unwrap(), deployment(4, "cpu"));
    let (step, signature) = (&c.model.program, &c.model.signature);
    let request =
        Request { step, signature, strategy: &strategy, deployment: &deployment, model: Digest::default() };
    let plan = pullback_planner::plan(&request).unwrap();
    let over = |e: &Event| match e {
        Event::Collective { id, .. } => Some(plan.collectives[*id].axes.clone()),
        _ => None,
    };
    let (whole, first) = (course(&c, "cpu"), DeviceId::from_index(0));
    let events = plan.devices[first].events.clone();
    let collectives: Vec<usize> = (0..events.len()).filter(|&i| over(&events[i]).is_some()).collect();
    let mut tried = 0;
    for pair in collectives.windows(2).filter(|p| over(&events[p[0]]) != over(&events[p[1]])) {
        let mut other = plan.clone();
        let device = &mut other.devices[first];
        let moved = device.events.remove(pair[1]);
        // What it writes may take no bytes that are in use earlier.
        if let Event::Collective { outputs, .. } = &moved {
            for &b in outputs {
                device.buffers[b].offset = device.arena;
                device.arena += device.buffers[b].bytes.next_multiple_of(64);
            }
        }
        device.events.insert(pair[0], moved);
        // Not where the second needs the first.
        if pullback_checker::check(step, &strategy, &deployment, other.clone()).is_ok() {
            let (worst, _) = run(&c, &whole, &strategy, &deployment, other).unwrap();
            assert!(worst < 1e-9, "{worst:e}");
            tried += 1;
        }
    }
    assert!(tried > 0, "{}", pullback_plan::text::print(&plan));
}

#[test]
fn state_is_not_cut_by_turns() {
    let c = case("mlp");
    let strategy = format!("{DATA}\n[[constraint]]\nvalues = 'param.*'\ndim = 0\naxes = ['data', 'micro']\n");
    let e = compare(&c, &[], &strategy, 2, "reference").unwrap_err();
    assert!(e.contains("by time axis \"micro\", but all turns of a step share one state"), "{e}");
}

/// The weight's gradient by the later loop enters the one by the earlier, in another loop over the turns; and what a loop
/// counted alike in all turns is read when they are done.
#[test]
fn loops_one_after_the_other() {
    for name in ["two_scans", "counted"] {
        agrees(name, DATA, 3);
        agrees(name, &zero(), 2);
    }
}

/// Grouped convolutions by samples, turn by turn; and by their groups, two, one and none to a device of three.
#[test]
fn convolutions_in_groups() {
    for (strategy, n) in [(DATA, 3), (&zero(), 3)] {
        agrees("grouped_convolutions", strategy, n);
    }
    let groups = "version = 1\n[[axis]]\nname = 'model'\nkind = 'space'\nshares = [2, 1, 0]\n[[constraint]]\nvalues = '*.grouped'\ndim = 3\naxes = ['model']\ngranule = 3\n";
    agrees("grouped_convolutions", groups, 3);
}

/// The fast backend under a plan agrees with the reference on the whole, and the same plan gives the same bits.
#[test]
fn cpu_backend_and_equal_bits() {
    let c = case("mlp");
    let (first, second) = (worst(&c, DATA, 3, "cpu"), worst(&c, DATA, 3, "cpu"));
    assert!(first.0 < 1e-9);
    assert_eq!(first.1, second.1);
}

/// Without the propagation of cuts nothing would be distributed: the batch is cut on each device.
#[test]
fn propagation_is_what_distributes() {
    let c = case("mlp");
    let (strategy, deployment) = (Strategy::parse(DATA).unwrap(), deployment(3, "reference"));
    let (step, signature) = (&c.model.program, &c.model.signature);
    let request =
        Request { step, signature, strategy: &strategy, deployment: &deployment, model: Digest::default() };
    let plan = pullback_planner::plan(&request).unwrap();
    let counts = pullback_plan::explain::count(&plan, step).unwrap();
    let most = counts.flops.iter().max().unwrap();
    let all: u64 = counts.flops.iter().sum();
    assert!(*most < all * 2 / 3, "{:?}", counts.flops);
}

/// Less memory takes more turns, until nothing fits.
#[test]
fn turns_follow_from_memory() {
    let c = case("charlm");
    let strategy = Strategy::parse(&DATA.replace("size = 2", "")).unwrap();
    let (step, signature) = (&c.model.program, &c.model.signature);
    let turns = |memory: u64| {
        let mut deployment = deployment(2, "cpu");
        deployment.devices.iter_mut().for_each(|d| d.memory_mib = memory);
        let model = Digest::default();
        let request = Request { step, signature, strategy: &strategy, deployment: &deployment, model };
        let plan = pullback_planner::plan(&request).ok()?;
        pullback_checker::check(step, &strategy, &deployment, plan)
            .unwrap()
            .plan()
            .mesh
            .axes
            .last()
            .map(|a| a.size)
    };
    let found: Vec<Option<usize>> = [1, 4, 5, 6, 7, 8, 10, 12, 512].map(turns).to_vec();
    assert_eq!((found.first(), found.last()), (Some(&None), Some(&Some(1))));
    let sizes: Vec<usize> = found.into_iter().flatten().collect();
    assert!(sizes.windows(2).all(|w| w[0] >= w[1]) && sizes[0] > 1, "{sizes:?}");
}
