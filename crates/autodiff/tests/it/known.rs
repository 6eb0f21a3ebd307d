//! Functions whose rules exports lose and the importer or `smooth` finds again, at the points where that shows, against
//! what JAX 0.10.2 says of them; first and second order, both modes.

use crate::common::{eval, tensor};
use pullback_autodiff::{jvp, value_and_grad};
use pullback_eval::Tensor;
use pullback_ir::{Builder, Program};

/// `f` of n f64, as exported, and the sum of its elements after it.
fn summed(n: usize, functions: &str, lines: &str) -> Program {
    let ty = format!("tensor<{n}xf64>");
    let text = format!(
        "module {{
  func.func public @main(%x: {ty}, %w: {ty}) -> tensor<f64> {{
    %c = stablehlo.constant dense<0.0> : tensor<f64>
    %z = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f64>) -> {ty}
{lines}
    %s = stablehlo.reduce(%y init: %c) applies stablehlo.add across dimensions = [0] : ({ty}, tensor<f64>) -> tensor<f64>
    return %s : tensor<f64>
  }}
{functions}}}"
    );
    let text = text.replace("TY", &ty);
    let module = pullback_stablehlo::import(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
    module.function("main").unwrap().clone()
}

/// Gradient by argument `i`.
fn gradient(p: &Program, i: usize, args: &[Tensor]) -> Vec<f64> {
    eval(&value_and_grad(p, &[i]).unwrap(), args)[1].to_f64s()
}

/// Gradient of the gradient's sum by the first argument.
fn second(p: &Program, args: &[Tensor]) -> Vec<f64> {
    let g = value_and_grad(p, &[0]).unwrap();
    let mut b = Builder::new("second");
    let own: Vec<_> = g.args().iter().map(|&a| b.arg(None, g.ty(a).clone())).collect();
    let made = b.inline(&g, &own, None).unwrap();
    let sum = b.reduce(made[1], &[0], pullback_ir::Monoid::Add).unwrap();
    gradient(&b.finish(&[sum]), 0, args)
}

/// Forward mode along each unit vector of the first argument.
fn slopes(p: &Program, args: &[Tensor]) -> Vec<f64> {
    let j = jvp(p, &[0]).unwrap();
    let n = args[0].count();
    let unit = |k: usize| (0..n).map(|i| f64::from(u8::from(i == k))).collect::<Vec<_>>();
    (0..n).map(|k| eval(&j, &[args, &[tensor(&[n], &unit(k))]].concat())[1].get_f64(0)).collect()
}

fn near(got: Vec<f64>, want: [f64; 4]) {
    assert!(got.iter().zip(want).all(|(g, w)| (g - w).abs() < 1e-15), "{got:?}, not {want:?}");
}

const RELU: &str = "  func.func private @relu(%a: TY) -> TY {
    %c = stablehlo.constant dense<0.0> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f64>) -> TY
    %1 = stablehlo.maximum %a, %0 : TY
    return %1 : TY
  }
";
const RELU6: &str = "  func.func private @relu6(%a: TY) -> TY {
    %six = stablehlo.constant dense<6.0> : tensor<f64>
    %c = stablehlo.constant dense<0.0> : tensor<f64>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f64>) -> TY
    %1 = stablehlo.maximum %a, %0 : TY
    %2 = stablehlo.broadcast_in_dim %six, dims = [] : (tensor<f64>) -> TY
    %3 = stablehlo.minimum %1, %2 : TY
    return %3 : TY
  }
";

#[test]
fn relu_is_flat_at_its_corner_where_the_export_says_relu() {
    let at = [tensor(&[4], &[-1.0, 0.0, -0.0, 2.0]), tensor(&[4], &[0.0; 4])];
    let call = "    %y = call @relu(%x) : (TY) -> TY";
    let relu = summed(4, RELU, call);
    assert_eq!(gradient(&relu, 0, &at), [0.0, 0.0, 0.0, 1.0]);
    assert_eq!(slopes(&relu, &at), [0.0, 0.0, 0.0, 1.0]);
    // relu(x)^2: 2 relu'(x).
    let square =
        summed(4, RELU, "    %0 = call @relu(%x) : (TY) -> TY\n    %y = stablehlo.multiply %0, %0 : TY");
    assert_eq!(second(&square, &at), [0.0, 0.0, 0.0, 2.0]);
    // Under another name it is a maximum, half to each.
    let other = summed(4, &RELU.replace("@relu", "@mine"), &call.replace("@relu", "@mine"));
    assert_eq!(gradient(&other, 0, &at), [0.0, 0.5, 0.5, 1.0]);
    // The function keeps its rule in its derivative: of relu(x) w, first by w and then by x.
    let product =
        summed(4, RELU, "    %0 = call @relu(%x) : (TY) -> TY\n    %y = stablehlo.multiply %0, %w : TY");
    let ones = [at[0].clone(), tensor(&[4], &[1.0; 4])];
    let by_w = value_and_grad(&product, &[1]).unwrap();
    let mut b = Builder::new("by w");
    let own: Vec<_> = by_w.args().iter().map(|&a| b.arg(None, by_w.ty(a).clone())).collect();
    let made = b.inline(&by_w, &own, None).unwrap();
    let sum = b.reduce(made[1], &[0], pullback_ir::Monoid::Add).unwrap();
    assert_eq!(gradient(&b.finish(&[sum]), 0, &ones), [0.0, 0.0, 0.0, 1.0]);
    // NaN has no side, and gets none.
    let nan = [tensor(&[1], &[f64::NAN]), tensor(&[1], &[0.0])];
    assert_eq!(gradient(&summed(1, RELU, call), 0, &nan), [0.0]);
}

#[test]
fn relu6_is_flat_at_both_corners() {
    let at = [tensor(&[5], &[-1.0, 0.0, 3.0, 6.0, 7.0]), tensor(&[5], &[0.0; 5])];
    let call = "    %y = call @relu6(%x) : (TY) -> TY";
    let relu6 = summed(5, RELU6, call);
    assert_eq!(gradient(&relu6, 0, &at), [0.0, 0.0, 1.0, 0.0, 0.0]);
    assert_eq!(slopes(&relu6, &at), [0.0, 0.0, 1.0, 0.0, 0.0]);
    let square =
        summed(5, RELU6, "    %0 = call @relu6(%x) : (TY) -> TY\n    %y = stablehlo.multiply %0, %0 : TY");
    assert_eq!(second(&square, &at), [0.0, 0.0, 2.0, 0.0, 0.0]);
    let other = summed(5, &RELU6.replace("@relu6", "@mine"), &call.replace("@relu6", "@mine"));
    assert_eq!(gradient(&other, 0, &at), [0.0, 0.5, 1.0, 0.5, 0.0]);
}

/// As `jnp.frexp` is exported in f64, and two to the power that it gives.
const FREXP: &str = "  func.func private @frexp(%x: TY) -> (TY, tensor<4xi32>) {
    %0 = stablehlo.abs %x : TY
    %cst = stablehlo.constant dense<2.2250738585072014E-308> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> TY
    %2 = stablehlo.compare LT, %0, %1, FLOAT : (TY, TY) -> tensor<4xi1>
    %cst_0 = stablehlo.constant dense<0x4330000000000000> : tensor<f64>
    %3 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> TY
    %4 = stablehlo.multiply %x, %3 : TY
    %5 = stablehlo.select %2, %4, %x : tensor<4xi1>, TY
    %c = stablehlo.constant dense<-52> : tensor<4xi64>
    %c_1 = stablehlo.constant dense<0> : tensor<4xi64>
    %6 = stablehlo.select %2, %c, %c_1 : tensor<4xi1>, tensor<4xi64>
    %7 = stablehlo.bitcast_convert %5 : (TY) -> tensor<4xi64>
    %8 = stablehlo.constant dense<52> : tensor<4xi64>
    %9 = stablehlo.shift_right_arithmetic %7, %8 : tensor<4xi64>
    %10 = stablehlo.constant dense<2047> : tensor<4xi64>
    %11 = stablehlo.and %9, %10 : tensor<4xi64>
    %12 = stablehlo.constant dense<1023> : tensor<4xi64>
    %13 = stablehlo.subtract %11, %12 : tensor<4xi64>
    %14 = stablehlo.constant dense<1> : tensor<4xi64>
    %15 = stablehlo.add %13, %14 : tensor<4xi64>
    %16 = stablehlo.add %6, %15 : tensor<4xi64>
    %17 = stablehlo.constant dense<-9218868437227405313> : tensor<4xi64>
    %18 = stablehlo.and %7, %17 : tensor<4xi64>
    %19 = stablehlo.constant dense<4602678819172646912> : tensor<4xi64>
    %20 = stablehlo.or %18, %19 : tensor<4xi64>
    %21 = stablehlo.bitcast_convert %20 : (tensor<4xi64>) -> TY
    %inf = stablehlo.constant dense<0x7FF0000000000000> : TY
    %22 = stablehlo.compare EQ, %0, %inf, FLOAT : (TY, TY) -> tensor<4xi1>
    %23 = stablehlo.compare NE, %x, %x, FLOAT : (TY, TY) -> tensor<4xi1>
    %24 = stablehlo.or %22, %23 : tensor<4xi1>
    %25 = stablehlo.constant dense<0.0> : TY
    %26 = stablehlo.compare EQ, %x, %25, FLOAT : (TY, TY) -> tensor<4xi1>
    %27 = stablehlo.or %24, %26 : tensor<4xi1>
    %29 = stablehlo.select %27, %c_1, %16 : tensor<4xi1>, tensor<4xi64>
    %30 = stablehlo.select %27, %x, %21 : tensor<4xi1>, TY
    %31 = stablehlo.convert %29 : (tensor<4xi64>) -> tensor<4xi32>
    return %30, %31 : TY, tensor<4xi32>
  }
";

/// The significand is the number by a power of two; 0 stays 0.
#[test]
fn frexp_scales() {
    let at = [tensor(&[4], &[3.0, -0.2, 0.0, 1e-310]), tensor(&[4], &[0.0; 4])];
    let call = "    %0:2 = call @frexp(%x) : (TY) -> (TY, tensor<4xi32>)\n    %y = stablehlo.multiply %0#0, %0#0 : TY";
    let p = summed(4, FREXP, call);
    // 3 = 0.75 * 2^2, -0.2 = -0.8 * 2^-2; 2^1029 is no f64.
    let d = gradient(&p, 0, &at);
    assert_eq!(d[..3], [2.0 * 0.75 / 4.0, 2.0 * -0.8 * 4.0, 0.0]);
    let normal = [tensor(&[4], &[3.0, -0.2, 0.0, 5.0]), tensor(&[4], &[0.0; 4])];
    assert_eq!(slopes(&p, &normal), [0.375, -6.4, 0.0, 0.15625]);
    assert_eq!(second(&p, &normal), [0.125, 32.0, 2.0, 0.03125]);
    // By its bits alone it does not change.
    let bits = summed(4, &FREXP.replace("@frexp", "@mine"), &call.replace("@frexp", "@mine"));
    assert_eq!(gradient(&bits, 0, &normal), [0.0; 4]);
}

const XLOGY: &str = "    %0 = stablehlo.compare NE, %x, %z, FLOAT : (TY, TY) -> tensor<4xi1>
    %1 = stablehlo.compare NE, %w, %w, FLOAT : (TY, TY) -> tensor<4xi1>
    %2 = stablehlo.or %0, %1 : tensor<4xi1>
    %3 = stablehlo.log %w : TY
    %4 = stablehlo.multiply %x, %3 : TY
    %y = stablehlo.select %2, %4, %z : tensor<4xi1>, TY";

#[test]
fn xlogy_is_a_product_where_x_is_zero() {
    let at = [tensor(&[4], &[0.0, 0.0, 3.0, 0.0]), tensor(&[4], &[2.0, 1.0, 4.0, 0.0])];
    let p = summed(4, "", XLOGY);
    let (log2, log4) = (2f64.ln(), 4f64.ln());
    assert_eq!(gradient(&p, 0, &at), [log2, 0.0, log4, f64::NEG_INFINITY]);
    let by_y = gradient(&p, 1, &at);
    assert_eq!(by_y[..3], [0.0, 0.0, 0.75]);
    assert!(by_y[3].is_nan());
    let finite = [tensor(&[4], &[0.0, 0.0, 3.0, 1.0]), tensor(&[4], &[2.0, 1.0, 4.0, 5.0])];
    assert_eq!(slopes(&p, &finite), [log2, 0.0, log4, 5f64.ln()]);
    assert_eq!(second(&p, &finite), [0.0; 4]);
    let p = summed(4, "", &XLOGY.replace("stablehlo.log ", "stablehlo.log_plus_one "));
    assert_eq!(gradient(&p, 0, &at), [2f64.ln_1p(), 1f64.ln_1p(), 4f64.ln_1p(), 0.0]);
    assert_eq!(gradient(&p, 1, &at), [0.0, 0.0, 0.6, 0.0]);
}

#[test]
fn x_log_x_has_the_derivative_of_its_limit() {
    let p = summed(4, "", &XLOGY.replace("%w", "%x"));
    let at = [tensor(&[4], &[0.0, 1.0, 2.0, 0.5]), tensor(&[4], &[0.0; 4])];
    let d = |x: f64| x.ln() + 1.0;
    assert_eq!(gradient(&p, 0, &at), [f64::NEG_INFINITY, 1.0, d(2.0), d(0.5)]);
    assert_eq!(second(&p, &at), [f64::INFINITY, 1.0, 0.5, 2.0]);
}

/// As exports spell `logaddexp`, with its guard.
const LOGADDEXP: &str = "    %0 = stablehlo.maximum %x, %w : TY
    %1 = stablehlo.subtract %x, %w : TY
    %2 = stablehlo.compare NE, %1, %1, FLOAT : (TY, TY) -> tensor<4xi1>
    %3 = stablehlo.add %x, %w : TY
    %4 = stablehlo.abs %1 : TY
    %5 = stablehlo.negate %4 : TY
    %6 = stablehlo.exponential %5 : TY
    %7 = stablehlo.log_plus_one %6 : TY
    %8 = stablehlo.add %0, %7 : TY
    %y = stablehlo.select %2, %3, %8 : tensor<4xi1>, TY";

#[test]
fn logaddexp_has_the_logistic_function_for_derivative() {
    let inf = f64::INFINITY;
    let logistic = |x: f64| 1.0 / (1.0 + (-x).exp());
    let p = summed(4, "", LOGADDEXP);
    let at = [tensor(&[4], &[1.0, 0.5, inf, -inf]), tensor(&[4], &[1.0, -1.0, 2.0, -inf])];
    near(gradient(&p, 0, &at), [0.5, logistic(1.5), 1.0, 0.5]);
    near(gradient(&p, 1, &at), [0.5, logistic(-1.5), 0.0, 0.5]);
    near(slopes(&p, &at), [0.5, logistic(1.5), 1.0, 0.5]);
    let finite = [tensor(&[4], &[1.0, 0.5, 0.0, -3.0]), tensor(&[4], &[1.0, -1.0, 2.0, -3.0])];
    let bend = |x: f64| logistic(x) * logistic(-x);
    near(second(&p, &finite), [0.25, bend(1.5), bend(-2.0), 0.25]);
    // softplus: against a constant, turned around, and without the guard.
    let softplus = LOGADDEXP.replace("%w", "%z");
    near(gradient(&summed(4, "", &softplus), 0, &finite), [1.0, 0.5, 0.0, -3.0].map(logistic));
    let turned = LOGADDEXP.replace("subtract %x, %w", "subtract %w, %x");
    near(gradient(&summed(4, "", &turned), 0, &finite), [0.5, logistic(1.5), logistic(-2.0), 0.5]);
    let bare = LOGADDEXP
        .replace("stablehlo.select %2, %3, %8 : tensor<4xi1>, TY", "stablehlo.reshape %8 : (TY) -> TY");
    near(gradient(&summed(4, "", &bare), 0, &finite), [0.5, logistic(1.5), logistic(-2.0), 0.5]);
}

/// A number of Python's is broadcast, and each use of an array of another shape broadcasts it anew.
#[test]
fn logaddexp_of_broadcasts_is_known() {
    let text = |scale: &str, shape: &str, dims: &str| {
        let lines = LOGADDEXP.replace("%1 = stablehlo.subtract %x, %w", "%1 = stablehlo.subtract %x, %b1");
        let lines = lines.replace("maximum %x, %w", "maximum %x, %b0").replace("add %x, %w", "add %x, %b2");
        let broadcast = |i| {
            format!(
                "    %b{i} = stablehlo.broadcast_in_dim %v, dims = [{dims}] : (tensor<{shape}f64>) -> tensor<4xf64>\n"
            )
        };
        let text = format!(
            "module {{
  func.func public @main(%x: tensor<4xf64>, %v: tensor<{shape}f64>) -> tensor<f64> {{
    %c = stablehlo.constant dense<0.0> : tensor<f64>
{}{}{}{}
    %s = stablehlo.reduce(%y init: %c) applies stablehlo.add across dimensions = [0] : (tensor<4xf64>, tensor<f64>) -> tensor<f64>
    return %s : tensor<f64>
  }}
}}",
            broadcast(0),
            broadcast(1),
            broadcast(2),
            if scale.is_empty() { lines } else { with_base_2(&lines) }.replace("TY", "tensor<4xf64>")
        );
        let module = pullback_stablehlo::import(&text).unwrap_or_else(|e| panic!("{e:?}\n{text}"));
        module.function("main").unwrap().clone()
    };
    let xs = [0.0, 1.0, -2.0, 0.0];
    for (scale, base) in [("", 1f64.exp()), ("2", 2.0)] {
        for (shape, dims, rank) in [("", "", 0), ("1x", "0", 1)] {
            let p = text(scale, shape, dims);
            let args = [tensor(&[4], &xs), tensor(&[1][..rank], &[0.0])];
            let want = xs.map(|x| 1.0 / (1.0 + base.powf(-x)));
            near(gradient(&p, 0, &args), want);
            near(slopes(&p, &args), want);
            let by_v = gradient(&p, 1, &args)[0];
            assert!((by_v - want.map(|w| 1.0 - w).iter().sum::<f64>()).abs() < 1e-14, "{by_v}");
            near(second(&p, &args), want.map(|w| base.ln() * w * (1.0 - w)));
        }
    }
}

/// The same lines for log2(2^a + 2^b).
fn with_base_2(lines: &str) -> String {
    let (power, log) = ("%6 = stablehlo.exponential %5 : TY", "%8 = stablehlo.add %0, %7 : TY");
    let scaled = |name, c, of: &str| {
        format!(
            "%{name}c = stablehlo.constant dense<{c}> : TY\n    %{name} = stablehlo.multiply %{name}c, {of} : TY\n    "
        )
    };
    let lines =
        lines.replace(power, &(scaled("p", "0.69314718055994529", "%5") + &power.replace("%5", "%p")));
    lines.replace(log, &(scaled("q", "1.4426950408889634", "%7") + &log.replace("%7", "%q")))
}

/// Both derivatives where a = b too.
#[test]
fn logaddexp2_has_a_second_derivative() {
    let p = summed(4, "", &with_base_2(LOGADDEXP));
    let inf = f64::INFINITY;
    let at = [tensor(&[4], &[1.0, 0.5, inf, -inf]), tensor(&[4], &[1.0, -1.0, 2.0, -inf])];
    let logistic = |x: f64| 1.0 / (1.0 + (-x).exp2());
    near(gradient(&p, 0, &at), [0.5, logistic(1.5), 1.0, 0.5]);
    near(gradient(&p, 1, &at), [0.5, logistic(-1.5), 0.0, 0.5]);
    let finite = [tensor(&[4], &[1.0, 0.5, 0.0, -3.0]), tensor(&[4], &[1.0, -1.0, 2.0, -3.0])];
    let bend = |x: f64| 2f64.ln() * logistic(x) * logistic(-x);
    near(second(&p, &finite), [bend(0.0), bend(1.5), bend(-2.0), bend(0.0)]);
    // Factors that are not each other's inverses: the text's derivative.
    let other = with_base_2(LOGADDEXP).replace("1.4426950408889634", "1.5");
    let factor = 1.5 * 2f64.ln();
    let slope = |x: f64| if x > 0.0 { 1.0 - factor * logistic(-x) } else { factor * logistic(x) };
    near(gradient(&summed(4, "", &other), 0, &finite), [0.5, slope(1.5), slope(-2.0), 0.5]);
}

/// Exports of Python's numbers convert types to themselves, broadcast to the same shape and compare bools with false.
#[test]
fn ops_that_change_nothing_hide_nothing() {
    let same = |name, of: &str| {
        format!(
            "    %f{name} = stablehlo.constant dense<false> : tensor<i1>
    %g{name} = stablehlo.broadcast_in_dim %f{name}, dims = [] : (tensor<i1>) -> tensor<4xi1>
    %h{name} = stablehlo.compare NE, {of}, %g{name}, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
    %{name} = stablehlo.convert %h{name} : (tensor<4xi1>) -> tensor<4xi1>\n"
        )
    };
    let or = "    %2 = stablehlo.or %0, %1 : tensor<4xi1>\n";
    let wrapped = same("p", "%0") + &same("q", "%1") + "    %2 = stablehlo.or %p, %q : tensor<4xi1>\n";
    let lines = XLOGY.replace(or, &wrapped).replace(
        "    %3 = stablehlo.log %w : TY\n",
        "    %k = stablehlo.convert %w : (TY) -> TY
    %l = stablehlo.broadcast_in_dim %k, dims = [0] : (TY) -> TY
    %3 = stablehlo.log %l : TY\n",
    );
    assert!(lines.contains("%h") && lines.contains("%l"));
    let at = [tensor(&[4], &[0.0, 0.0, 3.0, 0.0]), tensor(&[4], &[2.0, 1.0, 4.0, 8.0])];
    let p = summed(4, "", &lines);
    let want = [2f64.ln(), 0.0, 4f64.ln(), 8f64.ln()];
    assert_eq!(gradient(&p, 0, &at), want);
    assert_eq!(slopes(&p, &at), want);
    assert_eq!(second(&p, &at), [0.0; 4]);
    // Compared with true it is another choice: the product only where x is 0.
    let other = summed(
        4,
        "",
        &lines.replace("%fp = stablehlo.constant dense<false>", "%fp = stablehlo.constant dense<true>"),
    );
    assert_eq!(gradient(&other, 0, &at), [2f64.ln(), 0.0, 0.0, 8f64.ln()]);
    // In a function that is known by its body too.
    let (from, to) = ("%24 = stablehlo.or %22, %23", "%24 = stablehlo.or %22, %n");
    let body = FREXP.replace(from, &(same("n", "%23").trim_start().to_owned() + "    " + to)).replace(
        "    %2 = stablehlo.compare LT, %0,",
        "    %m = stablehlo.convert %0 : (TY) -> TY\n    %2 = stablehlo.compare LT, %m,",
    );
    assert!(body.contains("%hn") && body.contains("%m,"));
    let p = summed(
        4,
        &body,
        "    %0:2 = call @frexp(%x) : (TY) -> (TY, tensor<4xi32>)\n    %y = stablehlo.convert %0#0 : (TY) -> TY",
    );
    assert_eq!(
        gradient(&p, 0, &[tensor(&[4], &[3.0, -0.2, 0.0, 5.0]), at[1].clone()]),
        [0.25, 4.0, 1.0, 0.125]
    );
}

/// A choice that is not quite that keeps the derivative of what is written.
#[test]
fn other_choices_are_choices() {
    let at = [tensor(&[4], &[0.0, 0.0, 3.0, 0.0]), tensor(&[4], &[2.0, 1.0, 4.0, 3.0])];
    let chosen = [0.0, 0.0, 4f64.ln(), 0.0];
    for (from, to) in [
        ("stablehlo.or", "stablehlo.and"),
        ("compare NE, %w, %w", "compare EQ, %w, %z"),
        ("compare NE, %w, %w", "compare NE, %x, %x"),
    ] {
        let text = XLOGY.replace(from, to);
        let got = gradient(&summed(4, "", &text), 0, &at);
        // With `and` nothing is chosen.
        let want = if to == "stablehlo.and" { [0.0; 4] } else { chosen };
        assert_eq!(got, want, "{to}");
    }
}

/// Compared along rows and repeated along columns it is another function.
#[test]
fn what_is_repeated_along_another_dimension_is_no_product() {
    let text = |dims: &str| {
        format!(
            "module {{
  func.func public @main(%x: tensor<2xf64>, %w: tensor<2x2xf64>) -> tensor<f64> {{
    %c = stablehlo.constant dense<0.0> : tensor<f64>
    %z = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %zz = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<f64>) -> tensor<2x2xf64>
    %0 = stablehlo.compare NE, %x, %z, FLOAT : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xi1>
    %p = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<2xi1>) -> tensor<2x2xi1>
    %1 = stablehlo.compare NE, %w, %w, FLOAT : (tensor<2x2xf64>, tensor<2x2xf64>) -> tensor<2x2xi1>
    %2 = stablehlo.or %p, %1 : tensor<2x2xi1>
    %3 = stablehlo.log %w : tensor<2x2xf64>
    %b = stablehlo.broadcast_in_dim %x, dims = [{dims}] : (tensor<2xf64>) -> tensor<2x2xf64>
    %4 = stablehlo.multiply %b, %3 : tensor<2x2xf64>
    %y = stablehlo.select %2, %4, %zz : tensor<2x2xi1>, tensor<2x2xf64>
    %s = stablehlo.reduce(%y init: %c) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x2xf64>, tensor<f64>) -> tensor<f64>
    return %s : tensor<f64>
  }}
}}"
        )
    };
    let gradient = |dims: &str| {
        let module = pullback_stablehlo::import(&text(dims)).unwrap_or_else(|e| panic!("{e:?}"));
        let p = module.function("main").unwrap();
        gradient(p, 0, &[tensor(&[2], &[0.0, 1.0]), tensor(&[2, 2], &[2.0, 3.0, 5.0, 7.0])])
    };
    let ln = f64::ln;
    assert_eq!(gradient("0"), [ln(2.0) + ln(3.0), ln(5.0) + ln(7.0)]);
    // The first row is not chosen.
    assert_eq!(gradient("1"), [ln(5.0), ln(7.0)]);
}
