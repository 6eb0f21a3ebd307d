//! Loops whose end depends on data, which JAX cannot differentiate in reverse, and what stands in them.
//!
//! What a loop's end looks at is nowhere near its limit but by chance; a limit passed by a step is seen as a jump.

use crate::pen::{Pen, V, at, list, ty};

/// A turn of a loop: smooth, and a little larger each time.
fn turn(p: &mut Pen, x: &V, w: &V) -> V {
    let bent = p.op("sine", &[x]);
    let bent = p.op("multiply", &[&bent, w]);
    let grown = p.constant(&x.shape, 1.25);
    let grown = p.op("multiply", &[x, &grown]);
    p.op("add", &[&grown, &bent])
}

/// The sum of a value's elements.
fn total(p: &mut Pen, v: &V) -> V {
    let zero = p.constant(&[], 0.0);
    let dims: Vec<usize> = (0..v.shape.len()).collect();
    let text = format!(
        "stablehlo.reduce({} init: {}) applies stablehlo.add across dimensions = [{}] : ({}, tensor<f64>) -> tensor<f64>",
        v.name,
        zero.name,
        list(&dims),
        v.ty()
    );
    p.push(&[], &text)
}

/// `while` of carried values: `test` gives a name of i1, `body` the next values; arguments are named `%a…`, so nested
/// loops give their own letter.
fn looped(
    p: &mut Pen,
    letter: &str,
    carried: &[(String, String)],
    test: impl FnOnce(&mut Pen) -> String,
    body: impl FnOnce(&mut Pen) -> Vec<String>,
) -> Vec<String> {
    let out = p.name();
    let starts: Vec<String> =
        carried.iter().enumerate().map(|(i, (v, _))| format!("%{letter}{i} = {v}")).collect();
    let types: Vec<&str> = carried.iter().map(|(_, t)| t.as_str()).collect();
    p.raw(&format!("{out}:{} = stablehlo.while({}) : {}", carried.len(), starts.join(", "), list(&types)));
    p.raw("cond {");
    let go = test(p);
    p.raw(&format!("stablehlo.return {go} : tensor<i1>"));
    p.raw("} do {");
    let next = body(p);
    p.raw(&format!("stablehlo.return {} : {}", list(&next), list(&types)));
    p.raw("}");
    (0..carried.len()).map(|i| format!("{out}#{i}")).collect()
}

fn i32s(p: &mut Pen, text: &str) -> String {
    let name = p.name();
    p.raw(&format!("{name} = {text} : tensor<i32>"));
    name
}

fn less(p: &mut Pen, a: &str, b: &str) -> String {
    let name = p.name();
    p.raw(&format!(
        "{name} = stablehlo.compare LT, {a}, {b}, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>"
    ));
    name
}

fn next(p: &mut Pen, i: &str) -> String {
    let one = p.whole(&[], &[1]);
    i32s(p, &format!("stablehlo.add {i}, {one}"))
}

/// Whether the sum of squares is less than a limit.
fn small(p: &mut Pen, x: &V, limit: f64) -> String {
    let square = p.op("multiply", &[x, x]);
    let size = total(p, &square);
    let limit = p.constant(&[], limit);
    let name = p.name();
    let types = "(tensor<f64>, tensor<f64>) -> tensor<i1>";
    p.raw(&format!("{name} = stablehlo.compare LT, {}, {}, FLOAT : {types}", size.name, limit.name));
    name
}

/// Started away from 0, it grows until it is large; w is captured.
pub fn while_large(p: &mut Pen) -> Vec<V> {
    let rank = p.below(3);
    let shape = p.sizes(rank, 1);
    let values: Vec<f64> = (0..shape.iter().product()).map(|_| p.uniform(0.3, 0.8)).collect();
    let (x, w) = (p.arg(&shape, &values), p.free(&shape));
    let limit = p.uniform(20.0, 60.0);
    let out = looped(
        p,
        "a",
        &[(x.name.clone(), x.ty())],
        |p| small(p, &at("%a0", &shape), limit),
        |p| {
            let w = p.op("tanh", &[&w]);
            let tenth = p.constant(&shape, 0.2);
            let w = p.op("multiply", &[&w, &tenth]);
            vec![turn(p, &at("%a0", &shape), &w).name]
        },
    );
    vec![at(&out[0], &shape)]
}

/// A number of turns that data and a counter decide together.
pub fn while_bounded(p: &mut Pen) -> Vec<V> {
    let rank = p.below(3);
    let shape = p.shape(rank);
    let (x, w) = (p.free(&shape), p.free(&shape));
    let zero = p.whole(&[], &[0]);
    let turns = p.below(6) as i64;
    let limit = p.uniform(2.0, 9.0);
    let carried = [(zero, "tensor<i32>".to_owned()), (x.name.clone(), x.ty()), (w.name.clone(), w.ty())];
    let out = looped(
        p,
        "a",
        &carried,
        |p| {
            let n = p.whole(&[], &[turns]);
            let counted = less(p, "%a0", &n);
            let small = small(p, &at("%a1", &shape), limit);
            let both = p.name();
            p.raw(&format!("{both} = stablehlo.and {counted}, {small} : tensor<i1>"));
            both
        },
        |p| {
            let i = next(p, "%a0");
            let y = turn(p, &at("%a1", &shape), &at("%a2", &shape));
            let z = p.op("multiply", &[&at("%a2", &shape), &at("%a1", &shape)]);
            vec![i, y.name, p.op("tanh", &[&z]).name]
        },
    );
    vec![at(&out[1], &shape), at(&out[2], &shape)]
}

/// A counted loop around one whose end depends on data.
pub fn nested(p: &mut Pen) -> Vec<V> {
    let rank = p.below(2);
    let shape = p.sizes(rank, 1);
    let values: Vec<f64> = (0..shape.iter().product()).map(|_| p.uniform(0.3, 0.8)).collect();
    let (x, w) = (p.arg(&shape, &values), p.free(&shape));
    let zero = p.whole(&[], &[0]);
    let (turns, limit) = (1 + p.below(3) as i64, p.uniform(6.0, 15.0));
    let carried = [(zero, "tensor<i32>".to_owned()), (x.name.clone(), x.ty())];
    let out = looped(
        p,
        "a",
        &carried,
        |p| {
            let n = p.whole(&[], &[turns]);
            less(p, "%a0", &n)
        },
        |p| {
            let i = next(p, "%a0");
            let start = p.constant(&shape, 0.4);
            let start = p.op("multiply", &[&start, &at("%a1", &shape)]);
            let inner = looped(
                p,
                "b",
                &[(start.name.clone(), start.ty())],
                |p| small(p, &at("%b0", &shape), limit),
                |p| {
                    let w = p.op("logistic", &[&w]);
                    vec![turn(p, &at("%b0", &shape), &w).name]
                },
            );
            let bent = p.op("tanh", &[&at(&inner[0], &shape)]);
            vec![i, p.op("add", &[&bent, &at("%a1", &shape)]).name]
        },
    );
    vec![at(&out[1], &shape)]
}

/// `case` of three branches on captured values.
fn choice(p: &mut Pen, index: &str, x: &V, w: &V) -> V {
    let out = p.name();
    p.raw(&format!("{out} = \"stablehlo.case\"({index}) ({{"));
    for branch in 0..3 {
        let y = match branch {
            0 => turn(p, x, w),
            1 => p.op("multiply", &[x, w]),
            _ => {
                let y = p.op("exponential", &[w]);
                p.op("multiply", &[&y, x])
            }
        };
        p.raw(&format!("stablehlo.return {} : {}", y.name, y.ty()));
        if branch < 2 {
            p.raw("}, {");
        }
    }
    p.raw(&format!("}}) : (tensor<i32>) -> {}", x.ty()));
    V { name: out, shape: x.shape.clone() }
}

/// A branch for each turn, the number out of range too.
pub fn case_in_while(p: &mut Pen) -> Vec<V> {
    let rank = p.below(3);
    let shape = p.shape(rank);
    let (x, w) = (p.free(&shape), p.free(&shape));
    let (first, turns) = (p.below(4) as i64 - 2, 1 + p.below(4) as i64);
    let start = p.whole(&[], &[first]);
    let out = looped(
        p,
        "a",
        &[(start, "tensor<i32>".to_owned()), (x.name.clone(), x.ty())],
        |p| {
            let n = p.whole(&[], &[first + turns]);
            less(p, "%a0", &n)
        },
        |p| {
            let i = next(p, "%a0");
            vec![i, choice(p, "%a0", &at("%a1", &shape), &w).name]
        },
    );
    vec![at(&out[1], &shape)]
}

/// A loop in one branch; the index is a rounded value that is not near a half.
pub fn while_in_case(p: &mut Pen) -> Vec<V> {
    let shape = p.sizes(1, 1);
    let values: Vec<f64> = (0..shape[0]).map(|_| p.uniform(0.3, 0.8)).collect();
    let (x, w) = (p.arg(&shape, &values), p.free(&shape));
    let number = p.below(2) as f64 + p.uniform(-0.3, 0.3);
    let s = p.arg(&[], &[number]);
    let rounded = p.op("round_nearest_even", &[&s]);
    let (index, limit) = (p.name(), p.uniform(5.0, 12.0));
    p.raw(&format!("{index} = stablehlo.convert {} : (tensor<f64>) -> tensor<i32>", rounded.name));
    let out = p.name();
    p.raw(&format!("{out} = \"stablehlo.case\"({index}) ({{"));
    let grown = looped(
        p,
        "a",
        &[(x.name.clone(), x.ty())],
        |p| small(p, &at("%a0", &shape), limit),
        |p| {
            let w = p.op("logistic", &[&w]);
            vec![turn(p, &at("%a0", &shape), &w).name]
        },
    );
    let bent = p.op("tanh", &[&at(&grown[0], &shape)]);
    p.raw(&format!("stablehlo.return {} : {}", bent.name, x.ty()));
    p.raw("}, {");
    let product = p.op("multiply", &[&x, &w]);
    p.raw(&format!("stablehlo.return {} : {}", product.name, x.ty()));
    p.raw(&format!("}}) : (tensor<i32>) -> {}", x.ty()));
    let spread = p.broadcast(&s, &shape, &[]);
    vec![p.op("multiply", &[&at(&out, &shape), &spread])]
}

/// Rows read and written at places that the turn decides, past the end too.
pub fn slices_in_while(p: &mut Pen) -> Vec<V> {
    let (n, m) = (1 + p.below(4), 1 + p.below(3));
    let (x, w) = (p.free(&[n, m]), p.free(&[m]));
    let zero = p.whole(&[], &[0]);
    let turns = p.below(6) as i64;
    let out = looped(
        p,
        "a",
        &[(zero.clone(), "tensor<i32>".to_owned()), (x.name.clone(), x.ty()), (w.name.clone(), w.ty())],
        |p| {
            let n = p.whole(&[], &[turns]);
            less(p, "%a0", &n)
        },
        |p| {
            let i = next(p, "%a0");
            let row = format!(
                "stablehlo.dynamic_slice %a1, %a0, {zero}, sizes = [1, {m}] : ({}, tensor<i32>, tensor<i32>) -> {}",
                ty(&[n, m], "f64"),
                ty(&[1, m], "f64")
            );
            let row = p.push(&[1, m], &row);
            let carried = p.broadcast(&at("%a2", &[m]), &[1, m], &[1]);
            let new = p.op("multiply", &[&row, &carried]);
            let new = p.op("tanh", &[&new]);
            let back = format!(
                "stablehlo.dynamic_update_slice %a1, {}, {i}, {zero} : ({}, {}, tensor<i32>, tensor<i32>) -> {}",
                new.name,
                ty(&[n, m], "f64"),
                new.ty(),
                ty(&[n, m], "f64")
            );
            let back = p.push(&[n, m], &back);
            let flat = p.push(
                &[m],
                &format!("stablehlo.reshape {} : ({}) -> {}", row.name, row.ty(), ty(&[m], "f64")),
            );
            let w = p.op("add", &[&at("%a2", &[m]), &flat]);
            vec![i, back.name, p.op("sine", &[&w]).name]
        },
    );
    vec![at(&out[1], &[n, m]), at(&out[2], &[m])]
}
