//! Loops and choices: values by hand, finite differences, second derivatives, memory and bounds.

use crate::common::*;
use pullback_autodiff::{
    AdError, Options, jvp, linearize, linearize_with, value_and_grad, value_and_grad_with, vjp,
};
use pullback_base::Id;
use pullback_eval::Tensor;
use pullback_ir::batch::{Alone, Batched, batch};
use pullback_ir::count::program_cost;
use pullback_ir::text::parse;
use pullback_ir::{Builder, DType, InstrId, Op, Program, TensorType};

fn scalar(v: f64) -> Tensor {
    tensor(&[], &[v])
}

fn numbers(ts: &[Tensor]) -> Vec<f64> {
    ts.iter().flat_map(Tensor::to_f64s).collect()
}

/// Doubles until 100 is reached.
pub fn doubling() -> Program {
    parse(
        r#"program @main(%0: f64[] "c") {
          %1: f64[] = while %0 (program @cond(%0: f64[]) {
            %1: f64[] = constant 100.0
            %2: bool[] = compare %0, %1 {comparison_direction = LT}
            return %2
          }, program @body(%0: f64[]) {
            %1: f64[] = add %0, %0
            return %1
          }) "grown"
          return %1
        }"#,
    )
    .unwrap()
}

/// Squares until 10000 is reached.
fn squaring() -> Program {
    parse(
        r#"program @main(%0: f64[] "c") {
          %1: f64[] = while %0 (program @cond(%0: f64[]) {
            %1: f64[] = constant 10000.0
            %2: bool[] = compare %0, %1 {comparison_direction = LT}
            return %2
          }, program @body(%0: f64[]) {
            %1: f64[] = multiply %0, %0
            return %1
          }) "grown"
          return %1
        }"#,
    )
    .unwrap()
}

/// h = f(w h) for three turns, where f is an elementwise op.
fn scan(f: &str) -> Program {
    parse(&format!(
        r#"program @main(%0: f64[] "w", %1: f64[] "h0") {{
          %2: i32[] = constant 0
          %3: i32[], %4: f64[] = while %2, %1, %0 (program @cond(%0: i32[], %1: f64[], %2: f64[]) {{
            %3: i32[] = constant 3
            %4: bool[] = compare %0, %3 {{comparison_direction = LT}}
            return %4
          }}, program @body(%0: i32[], %1: f64[], %2: f64[]) {{
            %3: f64[] = multiply %2, %1
            %4: f64[] = {f} %3
            %5: i32[] = constant 1
            %6: i32[] = add %0, %5
            return %6, %4
          }})
          return %4
        }}"#
    ))
    .unwrap()
}

fn bound(n: u64) -> Options {
    Options::default().with_loop_bound(n)
}

#[test]
fn loops_whose_turns_depend_on_data() {
    let g = value_and_grad_with(&doubling(), &[0], &bound(8)).unwrap();
    assert_eq!(numbers(&eval(&g, &[scalar(3.0)])), [192.0, 64.0]);
    assert_eq!(numbers(&eval(&g, &[scalar(150.0)])), [150.0, 1.0], "no turn at all");
    let g = value_and_grad_with(&squaring(), &[0], &bound(8)).unwrap();
    assert_eq!(numbers(&eval(&g, &[scalar(3.0)])), [43_046_721.0, 229_582_512.0]);
    assert_eq!(numbers(&eval(&g, &[scalar(1e4)])), [1e4, 1.0]);
    // Exactly as many turns as the bound, and one more: the value stays, the gradient is not one.
    let g = value_and_grad_with(&squaring(), &[0], &bound(4)).unwrap();
    assert_eq!(numbers(&eval(&g, &[scalar(3.0)])), [43_046_721.0, 229_582_512.0]);
    let out = numbers(&eval(&g, &[scalar(1.5)]));
    assert!(out[0] > 10_000.0 && out[1].is_nan(), "{out:?}");
    // Forward mode needs no bound.
    let f = jvp(&squaring(), &[0]).unwrap();
    assert_eq!(numbers(&eval(&f, &[scalar(3.0), scalar(1.0)])), [43_046_721.0, 229_582_512.0]);
}

#[test]
fn a_loop_without_a_bound_is_named() {
    let e = value_and_grad(&squaring(), &[0]).unwrap_err();
    assert_eq!(e, AdError::Unbounded { at: "grown".into() });
    let message = e.to_string();
    assert!(message.contains("unsupported") && message.contains("--loop-bound"), "{message}");
    // Inside another one, both are named.
    let p = parse(
        r#"program @main(%0: f64[] "c") {
          %1: i32[] = constant 0
          %2: i32[], %3: f64[] = while %1, %0 (program @cond(%0: i32[], %1: f64[]) {
            %2: i32[] = constant 2
            %3: bool[] = compare %0, %2 {comparison_direction = LT}
            return %3
          }, program @body(%0: i32[], %1: f64[]) {
            %2: f64[] = while %1 (program @cond(%0: f64[]) {
              %1: f64[] = constant 10.0
              %2: bool[] = compare %0, %1 {comparison_direction = LT}
              return %2
            }, program @body(%0: f64[]) {
              %1: f64[] = multiply %0, %0
              return %1
            }) "inner"
            %3: i32[] = constant 1
            %4: i32[] = add %0, %3
            return %4, %2
          }) "i", "outer"
          return %3
        }"#,
    )
    .unwrap();
    let message = value_and_grad(&p, &[0]).unwrap_err().to_string();
    assert!(
        message.contains("inner") && message.contains("the body of the while that defines i"),
        "{message}"
    );
    check2_with("a loop of loops", &p, &[scalar(1.7)], &[0], &bound(6));
    // Where nothing flows through the loop, nobody asks.
    let mut b = Builder::new("main");
    let (x, y) = (b.arg(None, f64s(&[])), b.arg(None, f64s(&[])));
    let r = b.inline(&squaring(), &[y], None).unwrap()[0];
    let product = b.mul(x, r).unwrap();
    let g = value_and_grad(&b.finish(&[product]), &[0]).unwrap();
    assert_eq!(numbers(&eval(&g, &[scalar(2.0), scalar(200.0)])), [80_000.0, 40_000.0]);
}

#[test]
fn captured_weights_get_a_contribution_of_every_turn() {
    let g = value_and_grad(&scan("sine"), &[0]).unwrap();
    let out = numbers(&eval(&g, &[scalar(0.7), scalar(1.0)]));
    assert!(close(out[1], 1.1245607713982702, 1e-12), "{out:?}");
    let p = scan("abs");
    assert_eq!(numbers(&eval(&value_and_grad(&p, &[0]).unwrap(), &[scalar(2.0), scalar(1.0)])), [8.0, 12.0]);
    let args = [scalar(0.7), scalar(1.0)];
    check2("scan", &scan("sine"), &args, &[0, 1]);
    // A third derivative, and forward over reverse over reverse.
    let second = vjp(&vjp(&scan("sine"), &[0]).unwrap(), &[0, 2]).unwrap();
    let args = [0.7, 1.0, 0.9, 0.3, 0.2].map(scalar);
    check("third order", &second, &args, &[0, 1, 2]);
}

#[test]
fn second_derivatives_where_turns_depend_on_data() {
    check2_with("squaring", &squaring(), &[scalar(3.0)], &[0], &bound(5));
    let g = value_and_grad_with(&squaring(), &[0], &bound(5)).unwrap();
    // 16 * 15 * 3^14, by reverse over reverse and forward over reverse.
    let want = 240.0 * 3f64.powi(14);
    let rr = eval(&pullback_autodiff::vjp_with(&g, &[0], &bound(5)).unwrap(), &[3.0, 0.0, 1.0].map(scalar));
    assert_eq!(rr[2].to_f64s(), [want]);
    let fr = eval(&jvp(&g, &[0]).unwrap(), &[3.0, 1.0].map(scalar));
    assert_eq!(fr[3].to_f64s(), [want]);
}

/// A choice by the sign of x: its root, or nothing of it.
fn root_or_nothing() -> Program {
    parse(
        r#"program @main(%0: f64[] "x") {
          %1: f64[] = constant 0.0
          %2: bool[] = compare %0, %1 {comparison_direction = GT}
          %3: i32[] = convert %2
          %4: f64[] = case %3, %0 (program @no(%0: f64[]) {
            %1: f64[] = constant 0.0
            %2: f64[] = multiply %0, %1
            return %2
          }, program @yes(%0: f64[]) {
            %1: f64[] = sqrt %0
            return %1
          })
          return %4
        }"#,
    )
    .unwrap()
}

#[test]
fn a_branch_that_is_not_taken_leaks_no_nan() {
    let p = root_or_nothing();
    let g = value_and_grad(&p, &[0]).unwrap();
    assert_eq!(numbers(&eval(&g, &[scalar(0.0)])), [0.0, 0.0]);
    assert_eq!(numbers(&eval(&g, &[scalar(4.0)])), [2.0, 0.25]);
    // For many at once: the gradient of each.
    let mut b = Builder::new("many");
    let x = b.arg(None, f64s(&[2]));
    let out = batch(&mut b, &g, &[Batched { value: x, varies: true }], &[2], &mut Alone).unwrap();
    let many = b.finish(&[out[0].value, out[1].value]);
    assert_eq!(numbers(&eval(&many, &[tensor(&[2], &[0.0, 4.0])])), [0.0, 2.0, 0.0, 0.25]);
    // Second order, and forward.
    check2("the branch taken", &p, &[scalar(2.0)], &[0]);
    let hv = jvp(&g, &[0]).unwrap();
    assert_eq!(numbers(&eval(&hv, &[0.0, 1.0].map(scalar))), [0.0, 0.0, 0.0, 0.0]);
}

/// A choice in a loop over the rows of captured tensors, chosen by turn: rows of `xs` come in reverse order.
pub fn switching_scan() -> Program {
    parse(
        r#"program @main(%0: f64[4,2] "xs", %1: f64[2] "w", %2: f64[2] "h") {
          %3: i32[] = constant 0
          %4: f64[4,2] = constant 0.0
          %5: i32[] = constant 3
          %6: f64[2], %7: i32[], %8: f64[4,2], %9: f64[2] = while %2, %3, %4, %1, %0, %5 (program @cond(%0: f64[2], %1: i32[], %2: f64[4,2], %3: f64[2], %4: f64[4,2], %5: i32[]) {
            %6: bool[] = compare %5, %1 {comparison_direction = GE}
            return %6
          }, program @body(%0: f64[2], %1: i32[], %2: f64[4,2], %3: f64[2], %4: f64[4,2], %5: i32[]) {
            %6: i32[] = subtract %5, %1
            %7: i32[] = constant 0
            %8: f64[1,2] = dynamic_slice %4, %6, %7 {slice_sizes = [1, 2]}
            %9: f64[2] = reshape %8
            %10: i32[] = constant 1
            %11: i32[] = and %1, %10
            %12: f64[2], %13: f64[2] = case %11, %0, %3, %9, %4, %1 (program @even(%0: f64[2], %1: f64[2], %2: f64[2], %3: f64[4,2], %4: i32[]) {
              %5: f64[2] = multiply %0, %1
              %6: f64[2] = add %5, %2
              %7: f64[2] = tanh %6
              return %7, %5
            }, program @odd(%0: f64[2], %1: f64[2], %2: f64[2], %3: f64[4,2], %4: i32[]) {
              %5: i32[] = constant 0
              %6: f64[1,2] = dynamic_slice %3, %4, %5 {slice_sizes = [1, 2]}
              %7: f64[2] = reshape %6
              %8: f64[2] = multiply %7, %2
              %9: f64[2] = exponential %8
              %10: f64[2] = multiply %9, %0
              return %10, %9
            })
            %14: f64[1,2] = reshape %13
            %15: f64[4,2] = dynamic_update_slice %2, %14, %1, %7
            %16: i32[] = add %10, %1
            return %12, %16, %15, %3
          })
          return %6, %8, %9
        }"#,
    )
    .unwrap()
}

#[test]
fn choices_in_loops() {
    let p = switching_scan();
    let args =
        [("xs", vec![4, 2]), ("w", vec![2]), ("h", vec![2])].map(|(n, s)| random(&f64s(&s), n, 0.2, 1.0));
    check2("choices in a loop", &p, &args, &[0, 1, 2]);
    // A captured stack is read in place: no turn of any linear loop makes a whole one.
    let lin = linearize(&p, &[0, 1, 2]).unwrap();
    let back = pullback_autodiff::transpose(&lin.linear).unwrap();
    let whole = f64s(&[4, 2]);
    let mut fills = 0;
    each(&back, 0, &mut |depth, p, i| {
        let fill = matches!(i.op(), Op::Constant(_) | Op::BroadcastInDim { .. } | Op::Pad { .. });
        fills += usize::from(depth > 0 && fill && *p.ty(i.result()) == whole);
    });
    assert_eq!(fills, 0, "{back}");
}

/// Every instruction with its depth in regions.
fn each(p: &Program, depth: usize, see: &mut dyn FnMut(usize, &Program, &pullback_ir::Instr)) {
    for i in p.instrs().values() {
        see(depth, p, i);
        for region in i.op().regions() {
            each(region, depth + 1, see);
        }
    }
}

/// x = tanh(w x + u), `n` turns, each also written to a stack.
pub fn long_scan(n: usize, width: usize) -> Program {
    parse(&format!(
        r#"program @main(%0: f64[{width},{width}] "w", %1: f64[{n},{width}] "us", %2: f64[{width}] "x") {{
          %3: i32[] = constant 0
          %4: f64[{n},{width}] = constant 0.0
          %5: i32[], %6: f64[{width}], %7: f64[{n},{width}] = while %3, %2, %4, %0, %1 (program @cond(%0: i32[], %1: f64[{width}], %2: f64[{n},{width}], %3: f64[{width},{width}], %4: f64[{n},{width}]) {{
            %5: i32[] = constant {n}
            %6: bool[] = compare %0, %5 {{comparison_direction = LT}}
            return %6
          }}, program @body(%0: i32[], %1: f64[{width}], %2: f64[{n},{width}], %3: f64[{width},{width}], %4: f64[{n},{width}]) {{
            %5: i32[] = constant 0
            %6: f64[1,{width}] = dynamic_slice %4, %0, %5 {{slice_sizes = [1, {width}]}}
            %7: f64[{width}] = reshape %6
            %8: f64[{width}] = dot_general %3, %1 {{contracting_dims = [1] x [0]}}
            %9: f64[{width}] = multiply %8, %7
            %10: f64[{width}] = tanh %9
            %11: f64[1,{width}] = reshape %10
            %12: f64[{n},{width}] = dynamic_update_slice %2, %11, %0, %5
            %13: i32[] = constant 1
            %14: i32[] = add %0, %13
            return %14, %10, %12
          }})
          %8: f64[{n},{width}] = multiply %7, %7
          %9: f64[] = reduce %8 {{dimensions = [0, 1], monoid = add}}
          return %9 "loss"
        }}"#
    ))
    .unwrap()
}

/// Bytes that loops keep: those of the primal program, beyond what its own loop carries.
fn kept_bytes(lin: &pullback_autodiff::Linearized) -> usize {
    lin.residuals.iter().map(|&r| lin.primal.ty(r).bytes()).sum()
}

#[test]
fn memory_is_kept_to_a_limit() {
    let (n, width) = (64, 2);
    let p = long_scan(n, width);
    let args = [
        random(&f64s(&[width, width]), "w", -1.0, 1.0),
        random(&f64s(&[n, width]), "us", 0.5, 1.5),
        random(&f64s(&[width]), "x", -1.0, 1.0),
    ];
    let want = numbers(&eval(&value_and_grad(&p, &[0, 1, 2]).unwrap(), &args));
    let row = width * 8;
    // Kept besides stacks: w, us, and the stack of outputs, which the loss reads.
    let own = width * row + 2 * n * row;
    let (_, forward) = turns_of_tanh(&p);
    assert_eq!(forward, n as u64);
    let mut flops = Vec::new();
    // No limit: w x, x and the slope of tanh. Then x alone; then blocks; then blocks in blocks.
    for (limit, stacks, runs) in [(None, 3 * n, n), (Some(n * row), n, 2 * n), (Some(16 * row), 8, 3 * n)] {
        let options = limit.map_or(Options::default(), |l| Options::default().with_loop_memory(l as u64));
        let lin = linearize_with(&p, &[0, 1, 2], &options).unwrap();
        assert!(kept_bytes(&lin) <= own + stacks * row + 64, "{limit:?}: {} bytes", kept_bytes(&lin));
        let g = value_and_grad_with(&p, &[0, 1, 2], &options).unwrap();
        let out = numbers(&eval(&g, &args));
        assert!(out.iter().zip(&want).all(|(a, b)| close(*a, *b, 1e-12)), "{limit:?}");
        let (_, turns) = turns_of_tanh(&g);
        assert!(turns <= runs as u64, "{limit:?}: {turns} turns computed\n{g}");
        flops.push(program_cost(&g).flops);
    }
    assert!(flops.is_sorted(), "{flops:?}");
    let three = Options::default().with_loop_memory((12 * row + 64) as u64);
    let g = value_and_grad_with(&p, &[0, 1, 2], &three).unwrap();
    let out = numbers(&eval(&g, &args));
    assert!(out.iter().zip(&want).all(|(a, b)| close(*a, *b, 1e-12)));
    let e = value_and_grad_with(&p, &[0], &Options::default().with_loop_memory(row as u64)).unwrap_err();
    assert!(matches!(e, AdError::LoopMemory { .. }), "{e}");
    assert!(e.to_string().contains("--loop-memory"), "{e}");
}

/// How often tanh is in the program, and how often it runs, loops of known turns counted.
fn turns_of_tanh(p: &Program) -> (usize, u64) {
    let (mut n, mut runs) = (0, 0);
    for (id, i) in p.instrs().iter() {
        if matches!(i.op(), Op::Unary(pullback_ir::UnaryOp::Tanh)) {
            n += 1;
            runs += 1;
        }
        let turns = pullback_ir::loops::counted(p, id).map_or(1, |c| c.turns);
        for region in i.op().regions() {
            let (k, r) = turns_of_tanh(region);
            n += k;
            runs += r * turns;
        }
    }
    (n, runs)
}

#[test]
fn a_stack_of_slices_is_not_kept_twice() {
    // The rows of us are read again from us, and neither w nor the counter is stacked.
    let lin = linearize(&long_scan(64, 2), &[0, 1, 2]).unwrap();
    let stacked = |id: usize| {
        let i = lin.primal.instr(InstrId::from_index(id));
        i.results().iter().map(|&r| lin.primal.ty(r).to_string()).collect::<Vec<_>>()
    };
    let loops: Vec<usize> = (0..lin.primal.instrs().len())
        .filter(|&k| matches!(lin.primal.instr(InstrId::from_index(k)).op(), Op::While { .. }))
        .collect();
    assert_eq!(loops.len(), 1, "{}", lin.primal);
    assert_eq!(stacked(loops[0]).len(), 3 + 3, "{}", lin.primal);
}

#[test]
fn zero_turns_and_other_counters() {
    for (dtype, start, step, limit, direction) in [
        ("i32", 0, 1, 0, "LT"),
        ("u64", 3, 2, 9, "LT"),
        ("i64", 5, -1, 0, "GT"),
        ("i8", -3, 3, 6, "LE"),
        ("u32", 0, 1, 3, "NE"),
    ] {
        let p = parse(&format!(
            r#"program @main(%0: f64[2] "x", %1: f64[6] "c") {{
              %2: {dtype}[] = constant {start}
              %3: f64[2], %4: {dtype}[] = while %0, %2, %1 (program @cond(%0: f64[2], %1: {dtype}[], %2: f64[6]) {{
                %3: {dtype}[] = constant {limit}
                %4: bool[] = compare %1, %3 {{comparison_direction = {direction}}}
                return %4
              }}, program @body(%0: f64[2], %1: {dtype}[], %2: f64[6]) {{
                %3: f64[1] = dynamic_slice %2, %1 {{slice_sizes = [1]}}
                %4: f64[2] = broadcast_in_dim %3 {{broadcast_dimensions = [0]}}
                %5: f64[2] = multiply %0, %4
                %6: f64[2] = sine %5
                %7: {dtype}[] = constant {step}
                %8: {dtype}[] = add %1, %7
                return %6, %8
              }})
              return %3
            }}"#
        ))
        .unwrap();
        let args = [random(&f64s(&[2]), "x", 0.5, 1.5), random(&f64s(&[6]), "c", 0.5, 1.5)];
        check2(&format!("counting in {dtype}"), &p, &args, &[0, 1]);
    }
}

#[test]
fn a_bound_in_the_condition_is_enough() {
    let p = parse(
        r#"program @main(%0: f64[] "x", %1: f64[] "until") {
          %2: i32[] = constant 0
          %3: f64[], %4: i32[] = while %0, %2, %1 (program @cond(%0: f64[], %1: i32[], %2: f64[]) {
            %3: bool[] = compare %0, %2 {comparison_direction = LT}
            %4: i32[] = constant 6
            %5: bool[] = compare %1, %4 {comparison_direction = LT}
            %6: bool[] = and %3, %5
            return %6
          }, program @body(%0: f64[], %1: i32[], %2: f64[]) {
            %3: f64[] = multiply %0, %0
            %4: f64[] = multiply %3, %2
            %5: f64[] = sqrt %4
            %6: i32[] = constant 1
            %7: i32[] = add %1, %6
            return %5, %7
          })
          return %3
        }"#,
    )
    .unwrap();
    for (x, until) in [(1.1, 1.5), (1.1, 1.05), (0.3, 2.0)] {
        check2("a bounded loop", &p, &[scalar(x), scalar(until)], &[0, 1]);
    }
}

#[test]
fn split_loops_whose_turns_depend_on_data() {
    let args = [scalar(1.3)];
    let want = numbers(&eval(&value_and_grad_with(&slow(), &[0], &bound(100)).unwrap(), &args));
    for limit in [100 * 8, 40 * 8, 22 * 8] {
        let options = bound(100).with_loop_memory(limit);
        let g = value_and_grad_with(&slow(), &[0], &options).unwrap();
        let out = numbers(&eval(&g, &args));
        assert!(out.iter().zip(&want).all(|(a, b)| close(*a, *b, 1e-12)), "{limit}: {out:?} {want:?}");
    }
    check_with("slow", &slow(), &args, &[0], &bound(100).with_loop_memory(22 * 8));
    let few = value_and_grad_with(&slow(), &[0], &bound(9).with_loop_memory(7 * 8)).unwrap();
    assert!(numbers(&eval(&few, &args))[1].is_nan());
}

/// Grows by a little until 5 is reached.
pub fn slow() -> Program {
    parse(
        r#"program @main(%0: f64[] "x") {
          %1: f64[] = while %0 (program @cond(%0: f64[]) {
            %1: f64[] = constant 5.0
            %2: bool[] = compare %0, %1 {comparison_direction = LT}
            return %2
          }, program @body(%0: f64[]) {
            %1: f64[] = sine %0
            %2: f64[] = constant 0.02
            %3: f64[] = multiply %1, %2
            %4: f64[] = constant 0.05
            %5: f64[] = add %0, %4
            %6: f64[] = add %5, %3
            return %6
          })
          return %1
        }"#,
    )
    .unwrap()
}

#[test]
fn what_no_turn_changes_is_computed_once() {
    // exp(w) is the same each turn: it is not stacked.
    let p = parse(
        r#"program @main(%0: f64[3] "w", %1: f64[3] "x") {
          %2: i32[] = constant 0
          %3: i32[], %4: f64[3] = while %2, %1, %0 (program @cond(%0: i32[], %1: f64[3], %2: f64[3]) {
            %3: i32[] = constant 5
            %4: bool[] = compare %0, %3 {comparison_direction = LT}
            return %4
          }, program @body(%0: i32[], %1: f64[3], %2: f64[3]) {
            %3: f64[3] = exponential %2
            %4: f64[3] = multiply %1, %3
            %5: i32[] = constant 1
            %6: i32[] = add %0, %5
            return %6, %4
          })
          return %4
        }"#,
    )
    .unwrap();
    let args = [random(&f64s(&[3]), "w", -1.0, 1.0), random(&f64s(&[3]), "x", -1.0, 1.0)];
    check2("invariant", &p, &args, &[0, 1]);
    // By x alone nothing is stacked at all: the linear loop captures exp(w).
    let lin = linearize(&p, &[1]).unwrap();
    assert_eq!(kept_bytes(&lin), 3 * 8, "{}", lin.primal);
}

#[test]
fn mixed_types_are_carried() {
    // Labels and flags are carried along; the float that no tangent reaches has none.
    let p = parse(
        r#"program @main(%0: f64[2] "x", %1: f64[2] "y", %2: i32[2] "n") {
          %3: i32[] = constant 0
          %4: i32[], %5: f64[2], %6: f64[2], %7: i32[2] = while %3, %0, %1, %2 (program @cond(%0: i32[], %1: f64[2], %2: f64[2], %3: i32[2]) {
            %4: i32[] = constant 4
            %5: bool[] = compare %0, %4 {comparison_direction = LT}
            return %5
          }, program @body(%0: i32[], %1: f64[2], %2: f64[2], %3: i32[2]) {
            %4: f64[2] = convert %3
            %5: f64[2] = cosine %2
            %6: f64[2] = multiply %1, %5
            %7: f64[2] = add %6, %4
            %8: i32[2] = multiply %3, %3
            %9: i32[] = constant 1
            %10: i32[] = add %0, %9
            return %10, %7, %5, %8
          })
          return %5, %6
        }"#,
    )
    .unwrap();
    let args =
        [random(&f64s(&[2]), "x", -1.0, 1.0), random(&f64s(&[2]), "y", -1.0, 1.0), ints(&[2], &[1, 2])];
    check2("by x", &p, &args, &[0]);
    check2("by both", &p, &args, &[0, 1]);
    assert_eq!(p.ty(p.args()[2]), &TensorType::new(DType::I32, [2]));
}
