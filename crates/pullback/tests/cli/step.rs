//! The step program: its arguments, results and names, and that it computes the function it was made from.

use expect_test::expect;
use pullback::manifest::{Bound, Manifest};
use pullback::optim::Optimizer;
use pullback::step::{StepModel, build_step};
use pullback_eval::{Tensor, reference};
use pullback_ir::DType;

/// A loss that is not the first result, a running mean as state, a result besides; the names say the roles.
pub(crate) const PROGRAM: &str = r#"program @main(%0: f32[2] "a", %1: f32[2] "b", %2: f32[2] "c", %3: f32[] "d") {
  %4: f32[2] = multiply %0, %2 "scaled"
  %5: f32[2] = subtract %4, %1
  %6: f32[2] = multiply %5, %5
  %7: f32[] = reduce %6 {dimensions = [0], monoid = add} "sum"
  %8: f32[] = multiply %7, %3 "weighted"
  %9: f32[2] = add %1, %4
  return %9, %8, %4
}
"#;

pub(crate) const MANIFEST: &str = r#"{
  "args": [ { "name": "w", "role": "parameter" }, { "name": "mean", "role": "state" },
            { "name": "x", "role": "batch" }, { "name": "weight", "role": "batch" } ],
  "results": [ { "role": "state", "name": "mean" }, { "role": "loss" }, { "role": "output", "name": "seen" } ]
}"#;

fn bound(manifest: &str) -> Bound {
    let program = pullback_ir::text::parse(PROGRAM).unwrap();
    Manifest::parse(manifest, "m.json").unwrap().bind(&program).unwrap()
}

fn optimizer(text: &str) -> Optimizer {
    serde_json::from_str(text).unwrap()
}

fn momentum() -> StepModel {
    let optimizer = optimizer(r#"{ "name": "momentum", "learning_rate": 0.5, "momentum": 0.5 }"#);
    build_step(&bound(MANIFEST), &optimizer, None).unwrap()
}

#[test]
fn roles_order_and_names() {
    let m = momentum();
    m.program.verify().unwrap();
    m.signature.fits(&m.program).unwrap();
    expect![[r#"
        program @step(%0: f32[2] "param.w", %1: f32[2] "state.mean", %2: f32[2] "opt.trace.w", %3: f32[2] "x", %4: f32[] "weight") {
          %5: f32[2] = multiply %0, %3 "scaled"
          %6: f32[2] = subtract %5, %1
          %7: f32[2] = multiply %6, %6
          %8: f32[] = reduce %7 {dimensions = [0], monoid = add} "sum"
          %9: f32[] = multiply %8, %4 "weighted"
          %10: f32[2] = add %1, %5
          %11: f32[2] = broadcast_in_dim %4 {broadcast_dimensions = []}
          %12: f32[2] = constant 2.0
          %13: f32[2] = multiply %6, %12
          %14: f32[2] = multiply %11, %13
          %15: f32[2] = multiply %14, %3 "grad.w"
          %16: f32[2] = constant 0.5
          %17: f32[2] = multiply %2, %16
          %18: f32[2] = add %15, %17
          %19: f32[2] = constant -0.5
          %20: f32[2] = multiply %18, %19
          %21: f32[2] = add %0, %20
          return %9 "loss", %21 "param.w", %10 "state.mean", %18 "opt.trace.w", %5 "seen"
        }
    "#]].assert_eq(&m.program.to_string());
    let names: Vec<&str> = m.signature.state.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["param.w", "state.mean", "opt.trace.w"]);
    assert_eq!(
        m.signature.batch.iter().map(|s| (s.name.as_str(), s.arg)).collect::<Vec<_>>(),
        [("x", 3), ("weight", 4)]
    );
    let outputs: Vec<_> = m.signature.outputs.iter().map(|s| (s.name.as_str(), s.result)).collect();
    assert_eq!(outputs, [("loss", 0), ("seen", 4)]);
    assert_eq!(m.n_parameters(), 1);
}

#[test]
fn two_steps_by_hand() {
    let m = momentum();
    let values: [&[f64]; 5] = [&[1.0, 2.0], &[0.0, 1.0], &[0.0, 0.0], &[1.0, 3.0], &[0.5]];
    let mut args: Vec<Tensor> = (m.program.args().iter().zip(values))
        .map(|(&v, x)| Tensor::from_f64s(m.program.ty(v).clone(), x).unwrap())
        .collect();
    let out = reference::eval(&m.program, &args).unwrap();
    let numbers = |ts: &[Tensor]| ts.iter().map(Tensor::to_f64s).collect::<Vec<_>>();
    // Residuals w x - mean = (1, 5): loss 0.5 * 26, gradient 0.5 * 2 * r * x = (1, 15), w - 0.5 g.
    let want: [&[f64]; 5] = [&[13.0], &[0.5, -5.5], &[1.0, 7.0], &[1.0, 15.0], &[1.0, 6.0]];
    assert_eq!(numbers(&out), want);
    args[..3].clone_from_slice(&out[1..4]);
    // r = (-0.5, -23.5), g = (-0.5, -70.5), trace = (0, -63).
    let out = reference::eval(&m.program, &args).unwrap();
    assert_eq!(numbers(&out[1..2]), [[0.5, 26.0]]);
    assert_eq!(numbers(&out[3..4]), [[0.0, -63.0]]);
}

#[test]
fn another_element_type_runs_through() {
    let adam = optimizer(r#"{ "name": "adam", "learning_rate": 0.1 }"#);
    let m = build_step(&bound(MANIFEST), &adam, Some(DType::F64)).unwrap();
    let text = m.program.to_string();
    assert!(text.contains("f64") && !text.contains("f32"), "{text}");
    let types: Vec<(&str, DType)> = m.state.iter().map(|s| (s.name.as_str(), s.ty.dtype())).collect();
    let f64s = ["param.w", "state.mean", "opt.mu.w", "opt.nu.w"].map(|name| (name, DType::F64));
    assert_eq!(types, [&f64s[..2], &[("opt.count", DType::I32)], &f64s[2..]].concat());
    m.signature.fits(&m.program).unwrap();
}

#[test]
fn what_makes_no_step() {
    let sgd = optimizer(r#"{ "name": "sgd", "learning_rate": 0.1 }"#);
    let error = |from: &str, to: &str| {
        build_step(&bound(&MANIFEST.replacen(from, to, 1)), &sgd, None).unwrap_err().to_string()
    };
    let all = [
        error(r#""role": "loss""#, r#""role": "output""#),
        error(r#""role": "parameter""#, r#""role": "batch""#),
        error(r#"{ "role": "state", "name": "mean" }"#, r#"{ "role": "output", "name": "mean" }"#),
        error(r#""name": "mean", "role": "state""#, r#""name": "mean", "role": "batch""#),
        error(r#""name": "x""#, r#""name": "param.w""#),
    ];
    expect![[r#"
        m.json: no result of main has the role loss
          help: name one under results
        m.json: no argument of main has the role parameter
          help: there is nothing to differentiate with respect to; name one under args
        m.json: results: no result with role state gives the next value of "mean"
          help: return it, or give the argument the role batch
        m.json: results[0]: no argument with role state is named "mean"
        m.json: args: two arguments of the step program would be named "param.w"
          help: give the batch input another name"#]]
    .assert_eq(&all.join("\n"));
}
