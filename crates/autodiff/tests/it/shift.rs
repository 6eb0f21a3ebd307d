//! The greatest element that a softmax takes away first: its tangent is left out where it cancels, and only there.

use crate::common::{check, check2, cotangents, random, tensor};
use pullback_autodiff::value_and_grad;
use pullback_ir::text::parse;
use pullback_ir::{Op, Program};

/// f(x) of x f64[3,4], given the lines that make %y of %e = exp(x - max x) with %m the maximum and %s the sum of %e.
fn program(lines: &str) -> Program {
    let text = format!(
        r#"program @f(%0: f64[3,4] "x", %1: f64[3,4] "w") {{
  %2: f64[3] = reduce %0 {{dimensions = [1], monoid = maximum}}
  %3: f64[3] = constant -inf
  %4: f64[3] = maximum %3, %2
  %5: f64[3,1] = broadcast_in_dim %4 {{broadcast_dimensions = [0]}}
  %6: f64[3,4] = broadcast_in_dim %5 {{broadcast_dimensions = [0, 1]}}
  %7: f64[3,4] = subtract %0, %6
  %8: f64[3,4] = exponential %7
  %9: f64[3] = reduce %8 {{dimensions = [1], monoid = add}}
{lines}
}}"#
    );
    parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Whether the gradient asks where the maximum is attained.
fn asks(p: &Program) -> bool {
    let g = value_and_grad(p, &[0]).unwrap();
    g.instrs().values().any(|i| matches!(i.op(), Op::Compare { .. }))
}

fn judge(what: &str, lines: &str, cancels: bool) {
    let p = program(lines);
    let ty = p.ty(p.args()[0]).clone();
    let args = [random(&ty, "x", -2.0, 2.0), random(&ty, "w", -1.0, 1.0)];
    check(what, &p, &args, &[0]);
    check2(what, &p, &args, &[0]);
    assert_eq!(asks(&p), !cancels, "{what}");
}

/// A weighed sum of value `y`, the last so far.
fn weighed(y: usize) -> String {
    let (a, b) = (y + 1, y + 2);
    format!(
        "
  %{a}: f64[3,4] = multiply %{y}, %1
  %{b}: f64[] = reduce %{a} {{dimensions = [0, 1], monoid = add}}
  return %{b}"
    )
}

#[test]
fn softmax_and_its_logarithm() {
    let softmax = "  %10: f64[3,4] = broadcast_in_dim %9 {broadcast_dimensions = [0]}
  %11: f64[3,4] = divide %8, %10";
    judge("softmax", &(softmax.to_owned() + &weighed(11)), true);
    let log = "  %10: f64[3] = log %9
  %11: f64[3,4] = broadcast_in_dim %10 {broadcast_dimensions = [0]}
  %12: f64[3,4] = subtract %7, %11";
    judge("log_softmax", &(log.to_owned() + &weighed(12)), true);
}

#[test]
fn logsumexp_takes_it_back() {
    let lines = |back: &str| {
        format!(
            "  %10: f64[3] = log %9
  %11: f64[3] = {back}
  %12: f64[3] = add %10, %11
  %13: f64[] = reduce %12 {{dimensions = [0], monoid = add}}
  return %13"
        )
    };
    judge("logsumexp", &lines("reshape %4"), true);
    judge("logsumexp and more", &lines("add %4, %4"), false);
}

#[test]
fn what_is_not_normalised_keeps_it() {
    judge("exp", &("  %10: f64[3,4] = add %8, %8".to_owned() + &weighed(10)), false);
    let wrong = "  %10: f64[] = reduce %8 {dimensions = [0, 1], monoid = add}
  %11: f64[3,4] = broadcast_in_dim %10 {broadcast_dimensions = []}
  %12: f64[3,4] = divide %8, %11";
    judge("normalised over all rows", &(wrong.to_owned() + &weighed(12)), false);
}

/// softplus, whose zeros are two constants.
#[test]
fn softplus_is_smooth() {
    let p = parse(
        r#"program @f(%0: f64[2] "x") {
  %1: f64[] = constant 0.0
  %2: f64[2] = broadcast_in_dim %1 {broadcast_dimensions = []}
  %3: f64[2] = maximum %0, %2
  %4: f64[2] = broadcast_in_dim %1 {broadcast_dimensions = []}
  %5: f64[2] = subtract %0, %4
  %6: f64[2] = abs %5
  %7: f64[2] = negate %6
  %8: f64[2] = exponential %7
  %9: f64[2] = log_plus_one %8
  %10: f64[2] = add %3, %9
  return %10
}"#,
    )
    .unwrap();
    let got = cotangents(&p, &[tensor(&[2], &[0.0, 1.0])], &[0], &[tensor(&[2], &[1.0, 1.0])]);
    assert!(
        (got[0][0] - 0.5).abs() < 1e-12 && (got[0][1] - 1.0 / (1.0 + (-1f64).exp())).abs() < 1e-12,
        "{got:?}"
    );
}

/// log(exp a + exp b), as exports spell it, where a = b.
#[test]
fn logaddexp_is_smooth() {
    let p = parse(
        r#"program @f(%0: f64[2] "a", %1: f64[2] "b") {
  %2: f64[2] = maximum %0, %1
  %3: f64[2] = subtract %0, %1
  %4: f64[2] = abs %3
  %5: f64[2] = negate %4
  %6: f64[2] = exponential %5
  %7: f64[2] = log_plus_one %6
  %8: f64[2] = add %2, %7
  return %8
}"#,
    )
    .unwrap();
    let args = [tensor(&[2], &[1.0, 0.3]), tensor(&[2], &[1.0, -0.2])];
    let got = cotangents(&p, &args, &[0, 1], &[tensor(&[2], &[1.0, 1.0])]);
    let logistic = 1.0 / (1.0 + (-0.5f64).exp());
    for (g, want) in got.concat().into_iter().zip([0.5, logistic, 0.5, 1.0 - logistic]) {
        assert!((g - want).abs() < 1e-12, "{got:?}");
    }
}

/// log2(2^a + 2^b), as exports spell it, where a = b.
#[test]
fn logaddexp2_is_smooth() {
    let p = parse(
        r#"program @f(%0: f64[2] "a", %1: f64[2] "b") {
  %2: f64[2] = constant 1.4426950408889634
  %3: f64[2] = constant 0.6931471805599453
  %4: f64[2] = maximum %0, %1
  %5: f64[2] = subtract %0, %1
  %6: f64[2] = abs %5
  %7: f64[2] = negate %6
  %8: f64[2] = multiply %3, %7
  %9: f64[2] = exponential %8
  %10: f64[2] = log_plus_one %9
  %11: f64[2] = multiply %2, %10
  %12: f64[2] = add %4, %11
  return %12
}"#,
    )
    .unwrap();
    let args = [tensor(&[2], &[1.0, 0.3]), tensor(&[2], &[1.0, -0.2])];
    let got = cotangents(&p, &args, &[0, 1], &[tensor(&[2], &[1.0, 1.0])]);
    let logistic = 1.0 / (1.0 + (-0.5f64).exp2());
    for (g, want) in got.concat().into_iter().zip([0.5, logistic, 0.5, 1.0 - logistic]) {
        assert!((g - want).abs() < 1e-12, "{got:?}");
    }
}
