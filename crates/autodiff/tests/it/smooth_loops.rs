//! Functions that are known by their text, in a scan, at the points where that shows: second derivatives against closed
//! forms, whatever the loop keeps.

use crate::common::{close, eval, tensor};
use pullback_autodiff::{Options, hessian_with};
use pullback_ir::Program;

/// The carried value times 1 + y for each `t` of `x` and `u` of `w`, where `function` gives `y`; the two indices of them
/// follow from the number of the turn, `i`.
fn scan(function: &str, indices: [&str; 2]) -> Program {
    let [of_x, of_w] = indices;
    let text = format!(
        "module {{
  func.func public @main(%x: tensor<2xf64>, %w: tensor<2xf64>) -> tensor<f64> {{
    %start = stablehlo.constant dense<1.0> : tensor<f64>
    %first = stablehlo.constant dense<0> : tensor<i64>
    %r:4 = stablehlo.while(%xs = %x, %ws = %w, %i = %first, %c = %start) : tensor<2xf64>, tensor<2xf64>, tensor<i64>, tensor<f64>
    cond {{
      %n = stablehlo.constant dense<2> : tensor<i64>
      %goes = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %goes : tensor<i1>
    }} do {{
      %zero = stablehlo.constant dense<0> : tensor<i64>
      %one = stablehlo.constant dense<1> : tensor<i64>
      %rev = stablehlo.subtract %one, %i : tensor<i64>
      %t1 = stablehlo.dynamic_slice %xs, {of_x}, sizes = [1] : (tensor<2xf64>, tensor<i64>) -> tensor<1xf64>
      %t = stablehlo.reshape %t1 : (tensor<1xf64>) -> tensor<f64>
      %u1 = stablehlo.dynamic_slice %ws, {of_w}, sizes = [1] : (tensor<2xf64>, tensor<i64>) -> tensor<1xf64>
      %u = stablehlo.reshape %u1 : (tensor<1xf64>) -> tensor<f64>
      %z = stablehlo.constant dense<0.0> : tensor<f64>
{function}
      %m = stablehlo.multiply %y, %c : tensor<f64>
      %next = stablehlo.add %c, %m : tensor<f64>
      %j = stablehlo.add %i, %one : tensor<i64>
      stablehlo.return %xs, %ws, %j, %next : tensor<2xf64>, tensor<2xf64>, tensor<i64>, tensor<f64>
    }}
    return %r#3 : tensor<f64>
  }}
}}"
    )
    .replace("TY", "tensor<f64>");
    let module = pullback_stablehlo::import(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    module.function("main").unwrap().clone()
}

/// As exports spell it, of `%t` and `%u`.
const LOGADDEXP: &str = "      %0 = stablehlo.maximum %t, %u : TY
      %1 = stablehlo.subtract %t, %u : TY
      %2 = stablehlo.compare NE, %1, %1, FLOAT : (TY, TY) -> tensor<i1>
      %3 = stablehlo.add %t, %u : TY
      %4 = stablehlo.abs %1 : TY
      %5 = stablehlo.negate %4 : TY
      %6 = stablehlo.exponential %5 : TY
      %7 = stablehlo.log_plus_one %6 : TY
      %8 = stablehlo.add %0, %7 : TY
      %y = stablehlo.select %2, %3, %8 : tensor<i1>, TY";
const XLOGY: &str = "      %0 = stablehlo.compare NE, %t, %z, FLOAT : (TY, TY) -> tensor<i1>
      %1 = stablehlo.compare NE, %u, %u, FLOAT : (TY, TY) -> tensor<i1>
      %2 = stablehlo.or %0, %1 : tensor<i1>
      %3 = stablehlo.log %u : TY
      %4 = stablehlo.multiply %t, %3 : TY
      %y = stablehlo.select %2, %4, %z : tensor<i1>, TY";

/// A scan forwards and in reverse, and with the same element of `w` each turn; what each keeps unlimited and as little
/// as the carried value. `at` is x and w; `y` gives y, y' and y'' by t, of t and u.
fn check(what: &str, function: &str, at: [[f64; 2]; 2], y: impl Fn(f64, f64) -> [f64; 3]) {
    let [x, w] = at;
    for (indices, us) in [(["%i", "%i"], w), (["%rev", "%rev"], w), (["%i", "%zero"], [w[0]; 2])] {
        let p = scan(function, indices);
        let [a, b] = [y(x[0], us[0]), y(x[1], us[1])];
        let cross = a[1] * b[1];
        let want = [a[2] * (1.0 + b[0]), cross, cross, b[2] * (1.0 + a[0])];
        for (kept, options) in [("all", Options::default()), ("few", Options::default().with_loop_memory(16))]
        {
            let h = hessian_with(&p, &[0], &options).unwrap();
            let got = eval(&h, &[tensor(&[2], &x), tensor(&[2], &w)])[2].to_f64s();
            let agree = got.len() == 4 && got.iter().zip(&want).all(|(g, w)| close(*g, *w, 1e-12));
            assert!(agree, "{what} {indices:?} {kept}: {got:?}, not {want:?}");
        }
    }
}

/// log(exp t + exp u) and its derivatives by t.
fn log_add_exp(t: f64, u: f64) -> [f64; 3] {
    let s = 1.0 / (1.0 + (u - t).exp());
    [(t.exp() + u.exp()).ln(), s, s * (1.0 - s)]
}

#[test]
fn logaddexp_keeps_its_rule_in_a_scan() {
    check("equal", LOGADDEXP, [[0.3, -0.7], [0.3, -0.7]], log_add_exp);
    check("one of two", LOGADDEXP, [[0.3, 0.2], [0.3, -0.7]], log_add_exp);
}

#[test]
fn softplus_and_log_sigmoid_keep_their_rules_in_a_scan() {
    let softplus = LOGADDEXP.replace("%u", "%z");
    check("softplus", &softplus, [[0.0; 2]; 2], |t, _| log_add_exp(t, 0.0));
    check("softplus", &softplus, [[0.0, 0.4], [0.0; 2]], |t, _| log_add_exp(t, 0.0));
    let softplus = softplus.replace("%y", "%sp").replace("%t", "%less");
    let log_sigmoid =
        format!("      %less = stablehlo.negate %t : TY\n{softplus}\n      %y = stablehlo.negate %sp : TY");
    check("log_sigmoid", &log_sigmoid, [[0.0; 2]; 2], |t, _| {
        let [y, d, second] = log_add_exp(-t, 0.0);
        [-y, d, -second]
    });
}

#[test]
fn xlogy_keeps_its_rule_in_a_scan() {
    check("xlogy", XLOGY, [[0.0; 2], [2.0, 3.0]], |x, y| [x * y.ln(), y.ln(), 0.0]);
    check("xlogy", XLOGY, [[0.0, 0.6], [2.0, 3.0]], |x, y| [x * y.ln(), y.ln(), 0.0]);
}
