//! Loops under limits on memory: whatever the limit is, the gradient is the one without it, or the limit is an error that
//! says so.

use crate::common::*;
use crate::control::{long_scan, slow, switching_scan};
use pullback_autodiff::{AdError, Options, vjp_with};
use pullback_eval::Tensor;
use pullback_ir::Program;
use pullback_ir::text::parse;

/// h = w h + sine(h) + u from a constant h, up to 7 turns and while |h|^2 < 30. Weights are carried unchanged. `test`
/// is the end of the condition, from the comparisons %5 and %8.
fn bounded(test: &str) -> Program {
    parse(&format!(
        r#"program @main(%0: f64[3,3] "w", %1: f64[3] "u") {{
          %2: i64[] = constant 0
          %3: f64[3] = constant 1.0
          %4: f64[3,3], %5: f64[3], %6: i64[], %7: f64[3] = while %0, %1, %2, %3 (program @cond(%0: f64[3,3], %1: f64[3], %2: i64[], %3: f64[3]) {{
            %4: i64[] = constant 7
            %5: bool[] = compare %2, %4 {{comparison_direction = LT}}
            %6: f64[] = dot_general %3, %3 {{contracting_dims = [0] x [0]}}
            %7: f64[] = constant 30.0
            %8: bool[] = compare %6, %7 {{comparison_direction = LT}}
            {test}
          }}, program @body(%0: f64[3,3], %1: f64[3], %2: i64[], %3: f64[3]) {{
            %4: f64[3] = dot_general %0, %3 {{contracting_dims = [1] x [0]}}
            %5: f64[3] = sine %3
            %6: f64[3] = add %4, %5
            %7: f64[3] = add %6, %1
            %8: i64[] = constant 1
            %9: i64[] = add %2, %8
            return %0, %1, %9, %7
          }})
          %8: f64[] = reduce %7 {{dimensions = [0], monoid = add}}
          return %8
        }}"#
    ))
    .unwrap()
}

/// The condition's bound is seen.
fn seen() -> Program {
    bounded("%9: bool[] = and %5, %8\n return %9")
}

/// It is not: the number of turns depends on data.
fn unseen() -> Program {
    bounded(
        "%9: bool[] = not %5\n %10: bool[] = not %8\n %11: bool[] = or %9, %10\n %12: bool[] = not %11\n return %12",
    )
}

/// A loop of four turns around one whose turns depend on data.
fn nested() -> Program {
    parse(
        r#"program @main(%0: f64[2] "w", %1: f64[2] "x") {
          %2: i32[] = constant 0
          %3: i32[], %4: f64[2], %5: f64[2] = while %2, %1, %0 (program @cond(%0: i32[], %1: f64[2], %2: f64[2]) {
            %3: i32[] = constant 4
            %4: bool[] = compare %0, %3 {comparison_direction = LT}
            return %4
          }, program @body(%0: i32[], %1: f64[2], %2: f64[2]) {
            %3: f64[2] = constant 0.5
            %4: f64[2], %5: f64[2], %6: f64[2] = while %3, %1, %2 (program @cond(%0: f64[2], %1: f64[2], %2: f64[2]) {
              %3: f64[] = reduce %0 {dimensions = [0], monoid = add}
              %4: f64[] = constant 4.0
              %5: bool[] = compare %3, %4 {comparison_direction = LT}
              return %5
            }, program @body(%0: f64[2], %1: f64[2], %2: f64[2]) {
              %3: f64[2] = multiply %1, %2
              %4: f64[2] = sine %3
              %5: f64[2] = multiply %0, %2
              %6: f64[2] = add %5, %4
              %7: f64[2] = add %0, %6
              return %7, %4, %2
            })
            %7: f64[2] = multiply %4, %5
            %8: i32[] = constant 1
            %9: i32[] = add %0, %8
            return %9, %7, %2
          })
          return %4
        }"#,
    )
    .unwrap()
}

fn args_of(p: &Program) -> Vec<Tensor> {
    p.args().iter().enumerate().map(|(i, &a)| random(p.ty(a), &format!("x{i}"), 0.2, 0.9)).collect()
}

fn numbers(ts: &[Tensor]) -> Vec<f64> {
    ts.iter().flat_map(Tensor::to_f64s).collect()
}

/// `None` where a loop does not fit.
fn within(made: Result<Program, AdError>) -> Option<Program> {
    match made {
        Ok(p) => Some(p),
        Err(e) => {
            assert!(e.to_string().contains("--loop-memory"), "{e}");
            None
        }
    }
}

/// Reverse mode, and with `second` reverse mode of that, with respect to all arguments.
fn reverse(p: &Program, options: &Options, second: bool) -> Option<Program> {
    let all: Vec<usize> = (0..p.args().len()).collect();
    let first = within(vjp_with(p, &all, options))?;
    if !second {
        return Some(first);
    }
    let all: Vec<usize> = (0..first.args().len()).collect();
    within(vjp_with(&first, &all, options))
}

/// At each limit and bound, `p` is differentiated as without a limit. Gives how many limits were kept to, and how many
/// were too small.
fn sweep(what: &str, p: &Program, bounds: &[u64], limits: &[u64], second: bool) -> [usize; 2] {
    let mut counts = [0, 0];
    let largest = Options::default().with_loop_bound(bounds.iter().copied().max().unwrap_or(1));
    let program = reverse(p, &largest, second).unwrap();
    let args = args_of(&program);
    let want = numbers(&eval(&program, &args));
    assert!(want.iter().all(|x| x.is_finite()), "{what}");
    for (bound, limit) in bounds.iter().flat_map(|&b| limits.iter().map(move |&l| (b, l))) {
        let options = Options::default().with_loop_bound(bound).with_loop_memory(limit);
        let Some(made) = reverse(p, &options, second) else {
            counts[1] += 1;
            continue;
        };
        counts[0] += 1;
        let out = numbers(&eval(&made, &args));
        let same = out.len() == want.len() && out.iter().zip(&want).all(|(a, b)| close(*a, *b, 1e-11));
        assert!(same, "{what}: bound {bound}, limit {limit}:\n{out:?}\n{want:?}");
    }
    counts
}

#[test]
fn tangents_that_start_at_zero() {
    // No tangent reaches the constant that h starts at; those of the weights are NaN past the stated bound.
    let options = Options::default().with_loop_bound(50);
    check_with("unseen", &unseen(), &args_of(&unseen()), &[0, 1], &options.with_loop_memory(600));
    check2_with("unseen", &unseen(), &args_of(&unseen()), &[0, 1], &options.with_loop_memory(3000));
}

/// Programs and bounds: the least that is enough or a little more, and a large one.
fn programs() -> [(&'static str, Program, &'static [u64]); 6] {
    [
        ("seen", seen(), &[7, 50]),
        ("unseen", unseen(), &[7, 50]),
        ("slow", slow(), &[100, 1000]),
        ("nested", nested(), &[5, 20]),
        ("long", long_scan(11, 2), &[1]),
        ("switching", switching_scan(), &[1]),
    ]
}

#[test]
fn every_limit_gives_the_same_gradient_or_an_error() {
    let limits = [0, 30, 60, 100, 130, 160, 200, 250, 300, 400, 600, 1000, 2000, 1 << 20];
    for (what, p, bounds) in programs() {
        let [kept, too_small] = sweep(what, &p, bounds, &limits, false);
        assert!(kept > 1 && too_small > 0, "{what}: {kept} limits were kept to, {too_small} were too small");
    }
}

#[test]
fn every_limit_gives_the_same_second_derivative_or_an_error() {
    let limits = [100, 300, 1000, 3000, 1 << 20];
    for (what, p, bounds) in programs() {
        let [kept, _] = sweep(what, &p, bounds, &limits, true);
        assert!(kept > 0, "{what}");
    }
}

/// Exports put conversions and comparisons with false around conditions.
#[test]
fn a_bound_behind_conversions_of_bools_is_seen() {
    let p = bounded(
        "%9: bool[] = constant false\n %10: bool[] = broadcast_in_dim %9 {broadcast_dimensions = []}\n \
         %11: bool[] = compare %5, %10 {comparison_direction = NE}\n %12: bool[] = convert %11\n \
         %13: bool[] = and %12, %8\n return %13",
    );
    check("bounded", &p, &args_of(&p), &[0, 1]);
}
