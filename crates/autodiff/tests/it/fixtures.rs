//! Losses exported from JAX (`tests/fixtures`): value and gradients against JAX's own, through import.
//!
//! A folder holds `loss.mlir`, `manifest.json` (arguments, gradients and tolerance) and `io.safetensors`.

use crate::common::eval;
use pullback_autodiff::{hvp, jvp, value_and_grad, vjp};
use pullback_eval::Tensor;
use pullback_ir::count::program_cost;
use pullback_ir::{Builder, DType, Program, TensorType, UnaryOp, Value};
use safetensors::SafeTensors;
use serde_json::Value as Json;
use std::path::Path;

struct Fixture {
    loss: Program,
    manifest: Json,
    io: Vec<u8>,
}

/// The function of a fixture's module.
fn module(name: &str, file: &str) -> Program {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    let text = std::fs::read_to_string(dir.join(file)).unwrap();
    pullback_stablehlo::import(&text).unwrap().function("main").unwrap().clone()
}

fn read(name: &str) -> Fixture {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
    let manifest = std::fs::read_to_string(dir.join("manifest.json")).unwrap();
    Fixture {
        loss: module(name, "loss.mlir"),
        manifest: serde_json::from_str(&manifest).unwrap(),
        io: std::fs::read(dir.join("io.safetensors")).unwrap(),
    }
}

fn tensor(io: &SafeTensors, key: &str) -> Tensor {
    let view = io.tensor(key).unwrap();
    let dtype = match view.dtype() {
        safetensors::Dtype::F32 => DType::F32,
        safetensors::Dtype::I32 => DType::I32,
        other => panic!("{key} is {other:?}"),
    };
    Tensor::from_bytes(TensorType::new(dtype, view.shape()), view.data()).unwrap()
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |m, v| m.max(v.abs()))
}

impl Fixture {
    fn list(&self, key: &str) -> &[Json] {
        self.manifest[key].as_array().unwrap()
    }

    fn args(&self, io: &SafeTensors) -> Vec<Tensor> {
        self.list("args").iter().map(|a| tensor(io, &text(&a["io"]).replace("{step}", "0"))).collect()
    }

    fn wrt(&self) -> Vec<usize> {
        let position = |g: &Json| self.list("args").iter().position(|a| a["name"] == g["arg"]).unwrap();
        self.list("gradients").iter().map(position).collect()
    }

    fn assert_close(&self, what: &str, got: &Tensor, want: &Tensor) {
        assert_eq!(got.ty(), want.ty(), "{what}");
        let difference: Vec<f64> = got.to_f64s().iter().zip(want.to_f64s()).map(|(a, b)| a - b).collect();
        let error = largest(&difference) / largest(&want.to_f64s()).max(1e-6);
        let tolerance = self.manifest["tolerance"]["grad_rtol_of_max"].as_f64().unwrap();
        assert!(error <= tolerance, "{what} is off by {error:e} of its largest element");
    }
}

fn text(v: &Json) -> String {
    v.as_str().unwrap().to_owned()
}

fn agrees_with_jax(name: &str) {
    let fixture = read(name);
    let io = SafeTensors::deserialize(&fixture.io).unwrap();
    let (args, wrt) = (fixture.args(&io), fixture.wrt());
    let gradient = value_and_grad(&fixture.loss, &wrt).unwrap();
    let out = eval(&gradient, &args);
    let (loss, want) = (out[0].to_f64s()[0], tensor(&io, "expect.loss").to_f64s()[0]);
    let error = (loss - want).abs() / want.abs().max(1e-3);
    let tolerance = fixture.manifest["tolerance"]["loss_rtol"].as_f64().unwrap();
    assert!(error <= tolerance, "{name}: loss {loss}, JAX has {want}");
    for (g, got) in fixture.list("gradients").iter().zip(&out[fixture.loss.results().len()..]) {
        fixture.assert_close(&format!("{name}: {}", g["arg"]), got, &tensor(&io, &text(&g["expect"])));
    }
    // Two more contractions for each of the loss, and little besides.
    let (of_loss, of_gradient) = (program_cost(&fixture.loss).flops, program_cost(&gradient).flops);
    assert!(of_gradient as f64 <= 3.5 * of_loss as f64, "{name}: {of_gradient} flops for {of_loss}");
}

#[test]
fn mlp() {
    agrees_with_jax("mlp");
}

#[test]
fn residual_gate() {
    agrees_with_jax("residual_gate");
}

#[test]
fn rnn_scan() {
    agrees_with_jax("rnn_scan");
}

#[test]
fn while_data() {
    agrees_with_jax("while_data");
}

#[test]
fn cond_switch() {
    agrees_with_jax("cond_switch");
}

#[test]
fn hessian_vector_product() {
    let fixture = read("hvp");
    let io = SafeTensors::deserialize(&fixture.io).unwrap();
    let (args, wrt) = (fixture.args(&io), fixture.wrt());
    let named = |kind: &str| -> Vec<Tensor> {
        fixture
            .list("gradients")
            .iter()
            .map(|g| tensor(&io, &format!("{kind}.{}", text(&g["arg"]))))
            .collect()
    };
    let gradient = value_and_grad(&fixture.loss, &wrt).unwrap();
    // Forward over reverse: the tangents of the gradients.
    let forward = eval(&jvp(&gradient, &wrt).unwrap(), &[&args[..], &named("vector")].concat());
    let n = gradient.results().len();
    for (got, want) in forward[n + 1..].iter().zip(named("expect.hvp")) {
        fixture.assert_close("forward over reverse", got, &want);
    }
    let product = eval(&hvp(&fixture.loss, &wrt).unwrap(), &[&args[..], &named("vector")].concat());
    assert_eq!(product.len(), n + wrt.len());
    for (got, want) in product[n..].iter().zip(named("expect.hvp")) {
        fixture.assert_close("hvp", got, &want);
    }
    // Reverse over reverse: the gradient of <gradient, v>.
    let zero = [Tensor::zeros(TensorType::scalar(DType::F32))];
    let reverse = eval(&vjp(&gradient, &wrt).unwrap(), &[&args[..], &zero, &named("vector")].concat());
    for (got, want) in reverse[n..].iter().zip(named("expect.hvp")) {
        fixture.assert_close("reverse over reverse", got, &want);
    }
}

/// Weights after three steps w - exp(log_lr) * d inner / d w, then the outer loss: the inner gradients are ours, and
/// the gradient of the whole goes through them.
#[test]
fn hypergradient_through_inner_steps() {
    let fixture = read("hypergrad");
    let io = SafeTensors::deserialize(&fixture.io).unwrap();
    let inner = value_and_grad(&module("hypergrad", "inner.mlir"), &[0, 1]).unwrap();
    let outer = module("hypergrad", "outer.mlir");
    let mut b = Builder::new("main");
    let named: Vec<(String, Value)> = (fixture.list("args").iter().zip(fixture.loss.args()))
        .map(|(a, &v)| (text(&a["name"]), b.arg(Some(&text(&a["name"])), fixture.loss.ty(v).clone())))
        .collect();
    let arg = |name: &str| named.iter().find(|(n, _)| n == name).unwrap().1;
    let rate = b.unary(UnaryOp::Exponential, arg("log_lr")).unwrap();
    let mut weights = [arg("init.w1"), arg("init.w2")];
    for _ in 0..3 {
        let rest = ["log_reg", "sample_logit", "xt", "yt"].map(arg);
        let out = b.inline(&inner, &[&weights[..], &rest].concat(), None).unwrap();
        for (w, &g) in weights.iter_mut().zip(&out[1..]) {
            let shape = b.ty(g).shape().to_vec();
            let rate = b.broadcast_scalar(rate, &shape).unwrap();
            let change = b.mul(rate, g).unwrap();
            *w = b.sub(*w, change).unwrap();
        }
    }
    let loss = b.inline(&outer, &[weights[0], weights[1], arg("xv"), arg("yv")], None).unwrap();
    let ours = b.finish(&loss);
    let (args, wrt) = (fixture.args(&io), fixture.wrt());
    // JAX's own inner gradients in the module are differentiated alike.
    for (what, program) in [("inner gradients ours", &ours), ("inner gradients of JAX", &fixture.loss)] {
        let out = eval(&value_and_grad(program, &wrt).unwrap(), &args);
        for (g, got) in fixture.list("gradients").iter().zip(&out[1..]) {
            fixture.assert_close(&format!("{what}: {}", g["arg"]), got, &tensor(&io, &text(&g["expect"])));
        }
    }
}
