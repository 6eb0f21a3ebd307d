//! A tiny training step (linear regression, momentum) on three uneven devices, its data, and runs of it.

use std::path::{Path, PathBuf};
use std::time::Duration;

use pullback_base::rng::CounterRng;
use pullback_ir::region::Region;
use pullback_ir::{Builder, DType, DotDims, Monoid, Program, TensorType, UnaryOp};
use pullback_plan::{BatchSlot, Deployment, Digest, OutputSlot, Plan, Signature, StateSlot, Strategy};
use pullback_runtime::checkpoint;
use pullback_runtime::drive::{Artifacts, Job, RunError, Summary, WorkerCommand, WorkerOptions, WorkerSetup};
use pullback_runtime::drive::{run, serve};
use pullback_runtime::exec::BatchSource;
use pullback_runtime::ledger::Ledger;

pub const BATCH: usize = 12;
const IN: usize = 4;
const OUT: usize = 3;

/// `w' = w - 0.1 m'`, `m' = 0.9 m + grad`, loss = mean squared error of `x w` against `y`.
pub fn step() -> (Program, Signature) {
    let f = |shape: &[usize]| TensorType::new(DType::F32, shape);
    let mut b = Builder::new("step");
    let w = b.arg(Some("param.w"), f(&[IN, OUT]));
    let m = b.arg(Some("opt.mu.w"), f(&[IN, OUT]));
    let x = b.arg(Some("x"), f(&[BATCH, IN]));
    let y = b.arg(Some("y"), f(&[BATCH, OUT]));
    let dot = |lhs: usize, rhs: usize| DotDims {
        lhs_batch: vec![],
        rhs_batch: vec![],
        lhs_contract: vec![lhs],
        rhs_contract: vec![rhs],
    };
    let xw = b.dot(x, w, dot(1, 0)).unwrap();
    let e = b.sub(xw, y).unwrap();
    let sq = b.unary(UnaryOp::Square, e).unwrap();
    let sum = b.reduce(sq, &[0, 1], Monoid::Add).unwrap();
    let n = (BATCH * OUT) as f64;
    let loss = b.scale(sum, 1.0 / n).unwrap();
    let g = b.dot(x, e, dot(0, 0)).unwrap();
    let g = b.scale(g, 2.0 / n).unwrap();
    let kept = b.scale(m, 0.9).unwrap();
    let m_next = b.add(kept, g).unwrap();
    let u = b.scale(m_next, 0.1).unwrap();
    let w_next = b.sub(w, u).unwrap();
    let program = b.finish(&[loss, w_next, m_next]);
    let slot = |name: &str, arg, result| StateSlot { name: name.into(), arg, result };
    let signature = Signature {
        state: vec![slot("param.w", 0, 1), slot("opt.mu.w", 1, 2)],
        batch: vec![BatchSlot { name: "x".into(), arg: 2 }, BatchSlot { name: "y".into(), arg: 3 }],
        outputs: vec![OutputSlot { name: "loss".into(), result: 0 }],
    };
    (program, signature)
}

const DATA: &str = "version = 1
[[axis]]
name = 'data'
kind = 'space'
[[axis]]
name = 'micro'
kind = 'time'
size = 2
[[constraint]]
values = 'x|y'
dim = 0
axes = ['data', 'micro']
[commit]
checkpoint_every = 7
keep = 3
";

/// Every device holds all state.
pub fn replicated() -> String {
    DATA.to_owned()
}

/// Optimizer state is cut over the devices, so that none can be spared.
pub fn sharded() -> String {
    DATA.replace("[commit]", "[[constraint]]\nvalues = 'opt.mu.*'\ndim = 0\naxes = ['data']\n[commit]")
}

pub fn deployment() -> String {
    let device = |i: usize| {
        format!(
            "[[device]]\nname = 'w{i}'\nmemory_mib = 64\nkind = 'reference'\nseconds_per_sample = {}.0\n",
            i + 1
        )
    };
    format!("version = 1\n{}", (0..3).map(device).collect::<String>())
}

pub fn plan(strategy: &str, deployment: &str) -> (Program, Plan) {
    let (program, signature) = step();
    let plan = pullback_planner::plan(&pullback_planner::Request {
        step: &program,
        signature: &signature,
        strategy: &Strategy::parse(strategy).unwrap(),
        deployment: &Deployment::parse(deployment).unwrap(),
        model: Digest::of(b"tiny"),
    });
    (program, plan.unwrap_or_else(|e| panic!("{e}")))
}

pub fn artifacts(strategy: &str, deployment: &str, steps: u64, setup: serde_json::Value) -> Artifacts {
    let (program, plan) = plan(strategy, deployment);
    Artifacts {
        plan: pullback_plan::text::print(&plan),
        step: program.to_string(),
        strategy: strategy.to_owned(),
        deployment: deployment.to_owned(),
        model: Digest::of(b"tiny"),
        setup,
        steps,
    }
}

/// Calls `f` with the position of every element of a region in its tensor.
fn each(region: &Region, shape: &[usize], mut f: impl FnMut(usize)) {
    fn go(region: &Region, shape: &[usize], d: usize, at: usize, f: &mut impl FnMut(usize)) {
        if d == shape.len() {
            return f(at);
        }
        for i in region.dims()[d].iter() {
            go(region, shape, d + 1, at * shape[d] + i, f);
        }
    }
    go(region, shape, 0, 0, &mut f);
}

fn values(region: &Region, shape: &[usize], stream: &str, from: u64) -> Vec<u8> {
    let rng = CounterRng::new(17, stream);
    let mut out = Vec::new();
    each(region, shape, |i| out.extend((rng.normal(from + i as u64) as f32).to_le_bytes()));
    out
}

/// Batches that are a function of the step.
pub struct Data {
    /// Sleep in each load, to make steps last.
    pub sleep: Duration,
    /// The batch that holds a NaN.
    pub nan_at: Option<u64>,
}

impl BatchSource for Data {
    fn load(&mut self, step: u64, slot: usize, region: &Region, out: &mut [u8]) -> Result<(), String> {
        std::thread::sleep(self.sleep);
        let (shape, stream) = if slot == 0 { ([BATCH, IN], "x") } else { ([BATCH, OUT], "y") };
        out.copy_from_slice(&values(region, &shape, stream, step * 1000));
        if self.nan_at == Some(step) && out.len() >= 4 {
            out[..4].copy_from_slice(&f32::NAN.to_le_bytes());
        }
        Ok(())
    }
}

pub fn init(slot: usize, region: &Region) -> Vec<u8> {
    match slot {
        0 => values(region, &[IN, OUT], "w", 0),
        _ => vec![0; region.count() * 4],
    }
}

fn make(setup: &serde_json::Value, _: &Program, _: &Plan) -> Result<WorkerSetup, String> {
    if let Some(why) = setup["refuse"].as_str() {
        return Err(why.to_owned());
    }
    let sleep = Duration::from_micros(setup["sleep_us"].as_u64().unwrap_or(0));
    let data = Data { sleep, nan_at: setup["nan_at"].as_u64() };
    Ok(WorkerSetup { batches: Box::new(data), init: Box::new(init) })
}

const LISTEN: &str = "PULLBACK_TEST_LISTEN";
const NAME: &str = "PULLBACK_TEST_NAME";
const PARENT: &str = "PULLBACK_TEST_PARENT";
const DEAD_AFTER: &str = "PULLBACK_TEST_DEAD_AFTER";

/// Silence on a link after which its peer counts as dead.
fn dead_after() -> Duration {
    let seconds = std::env::var(DEAD_AFTER).ok().and_then(|s| s.parse().ok());
    Duration::from_secs(seconds.unwrap_or(30))
}

/// Makes a job's links judge silence sooner, on both sides.
pub fn impatient(job: &mut Job, seconds: u64) {
    job.limits.tcp.dead_after = Duration::from_secs(seconds);
    job.worker.env.push((DEAD_AFTER.to_owned(), seconds.to_string()));
}

/// A worker as a person would start it, and where it listens. It is killed with the guard.
pub fn by_hand(listen: &str) -> (ByHand, String) {
    let mut child = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "tiny::worker_child", "--nocapture"])
        .env(LISTEN, listen)
        .env(NAME, "by hand")
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let out = std::io::BufReader::new(child.stdout.take().unwrap());
    let guard = ByHand(child);
    let said = std::io::BufRead::lines(out)
        .find_map(|l| l.unwrap().split_once("listening on ").map(|s| s.1.to_owned()));
    (guard, said.expect("the worker listens"))
}

/// See [`by_hand`].
pub struct ByHand(std::process::Child);

impl Drop for ByHand {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Not a test when run as one: what a worker process does.
#[test]
fn worker_child() {
    let Ok(listen) = std::env::var(LISTEN) else { return };
    let mut options = WorkerOptions::new(&listen);
    options.name = std::env::var(NAME).unwrap();
    options.parent = std::env::var(PARENT).is_ok();
    options.keep_listening = !options.parent;
    options.tcp.dead_after = dead_after();
    if let Err(e) = serve(&options, &make) {
        eprintln!("{e}");
        std::process::exit(1);
    }
}

/// This binary as a worker.
pub fn worker_command() -> WorkerCommand {
    let own = |(k, v): (&str, &str)| (k.to_owned(), v.to_owned());
    WorkerCommand {
        program: std::env::current_exe().unwrap(),
        args: ["--exact", "tiny::worker_child", "--nocapture"].map(str::to_owned).to_vec(),
        env: [(LISTEN, "{listen}"), (NAME, "{name}"), (PARENT, "1")].map(own).to_vec(),
    }
}

pub fn job(dir: &Path, artifacts: Artifacts) -> Job {
    Job::new(artifacts, dir.to_owned(), worker_command())
}

/// Runs a job without looking.
pub fn quietly(job: &Job) -> Result<Summary, RunError> {
    run(job, &mut |_| ())
}

/// The bits of all state in the checkpoint after a step.
pub fn state(dir: &Path, step: u64) -> Vec<Vec<u8>> {
    let c = checkpoint::open(&checkpoint::final_dir(&dir.join("checkpoints"), step)).unwrap();
    ["param.w", "opt.mu.w"].map(|n| c.read(n).unwrap()).to_vec()
}

/// Each of the run's epochs is in the ledger once, in order; its losses.
pub fn ledger(dir: &Path, steps: u64) -> Vec<f64> {
    let ledger = Ledger::read_only(&dir.join("ledger.sqlite")).unwrap();
    let commits = ledger.commits(0).unwrap();
    let epochs: Vec<(u64, u64)> = commits.iter().map(|c| (c.record.epoch, c.record.step)).collect();
    assert_eq!(epochs, (1..=steps).map(|k| (k, k)).collect::<Vec<_>>());
    commits.iter().map(|c| c.record.loss).collect()
}

/// What a step-by-step evaluation of the step program gives: losses, final state.
pub fn reference(steps: u64) -> (Vec<f64>, Vec<Vec<u8>>) {
    use pullback_eval::Tensor;
    let (program, _) = step();
    let ty = |i: usize| program.ty(program.args()[i]).clone();
    let full = |i: usize| Region::full(ty(i).shape());
    let tensor = |i: usize, bytes: Vec<u8>| Tensor::from_bytes(ty(i), &bytes).unwrap();
    let mut state: Vec<Tensor> = (0..2).map(|k| tensor(k, init(k, &full(k)))).collect();
    let mut data = Data { sleep: Duration::ZERO, nan_at: None };
    let mut losses = Vec::new();
    for s in 0..steps {
        let mut args = state.clone();
        for slot in 0..2 {
            let mut out = vec![0; ty(2 + slot).bytes()];
            data.load(s, slot, &full(2 + slot), &mut out).unwrap();
            args.push(tensor(2 + slot, out));
        }
        let mut results = pullback_eval::reference::eval(&program, &args).unwrap();
        state = results.split_off(1);
        losses.push(results[0].get_f64(0));
    }
    let bytes = state.iter().map(|t| (0..t.ty().count()).flat_map(|i| t.element(i).to_vec()).collect());
    (losses, bytes.collect())
}

/// A folder's only way to be reached after its test: none; it goes with the guard.
pub fn run_dir(root: &tempfile::TempDir, name: &str) -> PathBuf {
    root.path().join(name)
}
