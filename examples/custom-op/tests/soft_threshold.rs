//! The operator from a module to a step on two workers.
#![expect(clippy::unwrap_used, reason = "a test fails where it unwraps")]

use pullback::manifest::Manifest;
use pullback::step::{StepModel, build_step};
use pullback_autodiff::value_and_grad;
use pullback_custom_op::register;
use pullback_eval::reference::eval;
use pullback_eval::{CpuDevice, Tensor, evaluate};
use pullback_ir::region::Region;
use pullback_ir::{DType, Op, Program, TensorType};
use pullback_plan::{Deployment, Digest, Strategy};
use pullback_planner::Request;
use pullback_runtime::exec::{BatchSource, Local};
use std::sync::{Arc, Once};

const MODULE: &str = r#"
module @lasso {
  func.func public @main(%w: tensor<3x2xf32>, %t: tensor<f32>, %x: tensor<6x3xf32>) -> tensor<f32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<6x3xf32>, tensor<3x2xf32>) -> tensor<6x2xf32>
    %1 = stablehlo.custom_call @example.soft_threshold(%0, %t) : (tensor<6x2xf32>, tensor<f32>) -> tensor<6x2xf32>
    %2 = stablehlo.multiply %1, %1 : tensor<6x2xf32>
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %3 = stablehlo.reduce(%2 init: %z) applies stablehlo.add across dimensions = [0, 1] : (tensor<6x2xf32>, tensor<f32>) -> tensor<f32>
    return %3 : tensor<f32>
  }
}
"#;

const MANIFEST: &str = r#"{
  "args": [ { "name": "w", "role": "parameter" }, { "name": "t", "role": "parameter" }, { "name": "x", "role": "batch" } ],
  "results": [ { "role": "loss" } ],
  "optimizer": { "name": "sgd", "learning_rate": 0.01 }
}"#;

fn program() -> Program {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| register().unwrap());
    pullback_stablehlo::import(MODULE).unwrap().function("main").unwrap().clone()
}

fn f32s(shape: &[usize], values: &[f64]) -> Tensor {
    Tensor::from_f64s(TensorType::new(DType::F32, shape.to_vec()), values).unwrap()
}

fn arguments(k: u32) -> [Tensor; 3] {
    let x: Vec<f64> = (0..18u32).map(|i| f64::from((i * 7 + k * 5) % 11) / 4.0 - 1.2).collect();
    [f32s(&[3, 2], &[0.5, -1.0, 1.5, 0.25, -0.75, 1.0]), f32s(&[], &[0.3]), f32s(&[6, 3], &x)]
}

#[test]
fn the_gradient_is_that_of_differences() {
    let p = program();
    assert_eq!(
        pullback_stablehlo::import(&pullback_stablehlo::print(&[&p])).unwrap().functions(),
        std::slice::from_ref(&p)
    );
    let args = arguments(0);
    let got = eval(&value_and_grad(&p, &[0, 1]).unwrap(), &args).unwrap();
    let on_cpu = evaluate(&CpuDevice { threads: 1 }, &p, &args).unwrap()[0].get_f64(0);
    assert!((on_cpu - got[0].get_f64(0)).abs() < 1e-6 * on_cpu.abs(), "{on_cpu}");
    for (which, grad) in [(0, &got[1]), (1, &got[2])] {
        for i in 0..args[which].count() {
            let at = |step: f64| {
                let mut args = args.clone();
                let x = args[which].get_f64(i);
                args[which].set_f64(i, x + step);
                eval(&p, &args).unwrap()[0].get_f64(0)
            };
            let slope = (at(1e-2) - at(-1e-2)) / 2e-2;
            let g = grad.get_f64(i);
            assert!((g - slope).abs() < 2e-2 * slope.abs().max(1.0), "{which}.{i}: {g}, not {slope}");
        }
    }
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

struct Batches;

impl BatchSource for Batches {
    fn load(&mut self, step: u64, _: usize, region: &Region, out: &mut [u8]) -> Result<(), String> {
        let [_, _, x] = arguments(u32::try_from(step).map_err(|e| e.to_string())?);
        out.copy_from_slice(&cut(&x, region));
        Ok(())
    }
}

fn model() -> StepModel {
    let manifest = Manifest::parse(MANIFEST, "model.json").unwrap();
    let bound = manifest.bind(&program()).unwrap();
    build_step(&bound, &manifest.optimizer().unwrap().unwrap(), None).unwrap()
}

#[test]
fn two_workers_train_as_one() {
    let model = model();
    let strategy = Strategy::parse(
        "version = 1\n[[axis]]\nname = 'data'\nkind = 'space'\n[[constraint]]\nvalues = 'x'\ndim = 0\naxes = ['data']\n",
    )
    .unwrap();
    let device = |name: &str, cost: f64| {
        format!("[[device]]\nname = '{name}'\nkind = 'cpu'\nmemory_mib = 64\nseconds_per_sample = {cost}\n")
    };
    let text = format!("version = 1\n{}{}", device("a", 1.0), device("b", 2.0));
    let deployment = Deployment::parse(&text).unwrap();
    let (step, signature) = (&model.program, &model.signature);
    let request =
        Request { step, signature, strategy: &strategy, deployment: &deployment, model: Digest::default() };
    let plan = pullback_planner::plan(&request).unwrap();
    // The operator is cut: each worker runs it on its own rows.
    assert!(step.instrs().values().any(|i| matches!(i.op(), Op::Custom(_))));
    let checked = pullback_checker::check(step, &strategy, &deployment, plan).unwrap();
    let (checked, program) = (Arc::new(checked), Arc::new(step.clone()));
    let [w, t, _] = arguments(0);
    let mut whole = vec![w, t];
    let batches = || -> Box<dyn BatchSource> { Box::new(Batches) };
    let mut local = Local::new(&checked, &program, &deployment, &batches, &|k, r| cut(&whole[k], r)).unwrap();
    for k in 0..4 {
        local.step().unwrap();
        let [_, _, x] = arguments(k);
        let results = eval(step, &[&whole[..], &[x]].concat()).unwrap();
        whole = results[1..].to_vec();
        for (slot, want) in whole.iter().enumerate() {
            for worker in local.workers() {
                let (region, got) = worker.state(slot).unwrap();
                let want = Tensor::from_f64s(want.ty().with_shape(region.shape()), &want.to_f64s()).unwrap();
                let got = Tensor::from_bytes(want.ty().clone(), got).unwrap();
                for (g, w) in got.to_f64s().into_iter().zip(want.to_f64s()) {
                    assert!((g - w).abs() <= 1e-5 * w.abs().max(1.0), "slot {slot}, step {k}: {g}, not {w}");
                }
            }
        }
    }
}
