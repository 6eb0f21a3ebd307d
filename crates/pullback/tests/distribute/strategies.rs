//! Random strategies: whatever a person constrains, the planner refuses it by name or makes a plan that the checker accepts
//! and that computes what one worker does.

use super::fixtures::{Fixture, case, fixtures};
use super::{Case, compare, course, deployment};
use pullback_base::rng::CounterRng;
use pullback_ir::{Builder, DType, DotDims, Monoid, Op, TensorType, UnaryOp};
use pullback_plan::{BatchSlot, Digest, OutputSlot, Signature, StateSlot, Strategy};
use pullback_planner::Request;

/// The n-th choices of a seed.
struct Draws {
    rng: CounterRng,
    drawn: u64,
}

impl Draws {
    fn below(&mut self, n: usize) -> usize {
        self.drawn += 1;
        self.rng.below(self.drawn, n as u64) as usize
    }

    fn of<'t, T>(&mut self, list: &'t [T]) -> &'t T {
        &list[self.below(list.len())]
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }
}

/// A strategy for a number of devices: up to two space axes and one of time, and up to four constraints on batch, state
/// or any other named values.
fn strategy(d: &mut Draws, f: &Fixture, case: &Case) -> (String, usize) {
    let program = &case.model.program;
    let names: Vec<&str> = program.value_ids().filter_map(|v| program.value_name(v)).collect();
    let meshes: [&[usize]; 7] = [&[1], &[2], &[3], &[4], &[2, 2], &[1, 3], &[2, 1]];
    let sizes = *d.of(&meshes);
    let mut text = String::from("version = 1\n");
    let mut axes = Vec::new();
    for (name, &size) in ["s", "t"].iter().zip(sizes) {
        text += &format!("[[axis]]\nname = '{name}'\nkind = 'space'\nsize = {size}\n");
        if d.one_in(2) {
            let mut shares: Vec<usize> = (0..size).map(|_| d.below(4)).collect();
            shares[0] += 1;
            text += &format!("shares = {shares:?}\n");
        }
        axes.push(*name);
    }
    if !d.one_in(6) {
        let size = d.of(&[1, 2, 2, 3, 4, 5, 7]);
        text += &format!("[[axis]]\nname = 'm'\nkind = 'time'\nsize = {size}\n");
        axes.push("m");
    }
    for _ in 0..1 + d.below(4) {
        let (values, is_state) = match d.below(10) {
            0..=3 => (f.cut[0].0, false),
            4 => ("param.*", true),
            5 => ("opt.*", true),
            6 => ("grad.*", false),
            _ => (*d.of(&names), true),
        };
        let dim = if d.one_in(3) { d.below(3) } else { f.cut[0].1 };
        let mut by: Vec<&str> = axes.iter().copied().filter(|a| *a != "m" || !is_state).collect();
        while by.len() > 1 && d.one_in(2) {
            by.remove(d.below(by.len()));
        }
        text += &format!("[[constraint]]\nvalues = '{values}'\ndim = {dim}\naxes = {by:?}\n");
    }
    (text, sizes.iter().product())
}

#[test]
fn are_equal_or_refused() {
    let seeds = if std::env::var_os("SLOW").is_some() { 400 } else { 14 };
    let small = [
        "composite_op",
        "cond_switch",
        "gnn_sparse",
        "hypergrad",
        "mlp",
        "moe_scatter",
        "residual_gate",
        "rnn_scan",
    ];
    let (mut equal, mut refused) = (0, Vec::new());
    for f in fixtures().iter().filter(|f| small.contains(&f.name)) {
        let case = case(f);
        let whole = course(&case, "cpu");
        for seed in 0..seeds {
            let rng = CounterRng::new(seed, f.name);
            let (text, devices) = strategy(&mut Draws { rng, drawn: 0 }, f, &case);
            match compare(&case, &whole, &text, devices, "cpu") {
                Ok((worst, _)) => {
                    assert!(worst <= f.tolerance, "{} differs by {worst:e} under\n{text}", f.name);
                    equal += 1;
                }
                Err(e) => refused.push(e),
            }
        }
    }
    // A refusal says what stands in the way, and most strategies have a plan.
    assert!(
        refused.iter().all(|e| e.contains("constraint") || e.starts_with("unsupported: ")),
        "{refused:?}"
    );
    assert!(equal > 10 * refused.len() && equal > 50, "{equal} equal, {refused:?}");
}

/// Ops in templates of a residual stream of so many layers, each with a statistic of the batch, in two turns.
fn ops_of_stream(layers: usize) -> usize {
    let mut b = Builder::new("stream");
    let w = b.arg(Some("param.w"), TensorType::new(DType::F32, [4, 4]));
    let mut x = b.arg(Some("x"), TensorType::new(DType::F32, [8, 4]));
    for _ in 0..layers {
        let sum = b.reduce(x, &[0], Monoid::Add).unwrap();
        let sum = b.broadcast(sum, &[8, 4], &[1]).unwrap();
        let centred = b.sub(x, sum).unwrap();
        let dims = DotDims { lhs_contract: vec![1], rhs_contract: vec![0], ..DotDims::default() };
        let y = b.push1(Op::DotGeneral(dims), &[centred, w]).unwrap();
        let y = b.unary(UnaryOp::Tanh, y).unwrap();
        x = b.add(x, y).unwrap();
    }
    let loss = b.reduce(x, &[0, 1], Monoid::Add).unwrap();
    let next = b.scale(w, 0.9).unwrap();
    let step = b.finish(&[loss, next]);
    let signature = Signature {
        state: vec![StateSlot { name: "param.w".into(), arg: 0, result: 1 }],
        batch: vec![BatchSlot { name: "x".into(), arg: 1 }],
        outputs: vec![OutputSlot { name: "loss".into(), result: 0 }],
    };
    let (strategy, deployment) =
        (Strategy::parse(&super::DATA.replace("x|y|t|tokens|targets", "x")).unwrap(), deployment(2, "cpu"));
    let model = Digest::default();
    let request =
        Request { step: &step, signature: &signature, strategy: &strategy, deployment: &deployment, model };
    let plan = pullback_planner::plan(&request).unwrap();
    let plan = pullback_checker::check(&step, &strategy, &deployment, plan).unwrap();
    plan.plan().templates.values().map(|t| t.ops.len()).sum()
}

/// Each of many loops runs again what it needs from close by, not a whole stream from its start.
#[test]
fn what_is_run_again_grows_with_the_layers() {
    let (half, whole) = (ops_of_stream(40), ops_of_stream(80));
    assert!(whole < half * 5 / 2, "{half} {whole}");
}
