//! Reductions and windows: of general bodies, which JAX has no rule for, and of products with zeros, where it slips.

use crate::pen::{Pen, V, array, at, list, ty};

/// Associative functions of two numbers, with their identity; `%p` and `%q` are the arguments.
fn body(p: &mut Pen) -> (&'static str, f64) {
    p.one_of(&[
        // (1 + p)(1 + q) - 1
        ("%s = stablehlo.add %p, %q : T\n%m = stablehlo.multiply %p, %q : T\n%r = stablehlo.add %s, %m : T", 0.0),
        // sqrt(p^2 + q^2), not read at 0.
        (
            "%s = stablehlo.multiply %p, %p : T\n%m = stablehlo.multiply %q, %q : T\n%u = stablehlo.add %s, %m : T\n\
             %r = stablehlo.sqrt %u : T",
            0.3,
        ),
        // log(exp p + exp q)
        (
            "%s = stablehlo.exponential %p : T\n%m = stablehlo.exponential %q : T\n%u = stablehlo.add %s, %m : T\n\
             %r = stablehlo.log %u : T",
            -9.0,
        ),
    ])
}

pub fn region(text: &str) -> String {
    format!(
        "({{\n    ^bb0(%p: tensor<f64>, %q: tensor<f64>):\n    {}\n    stablehlo.return %r : tensor<f64>\n    }})",
        text.replace(" : T", " : tensor<f64>")
    )
}

pub fn reduce_general(p: &mut Pen) -> Vec<V> {
    let rank = 1 + p.below(3);
    let shape = p.shape(rank);
    let x = p.free(&shape);
    let x = p.bend(&x);
    let (text, init) = body(p);
    let init = if p.below(2) == 0 { p.constant(&[], init) } else { p.arg(&[], &[init + 0.1]) };
    let dims: Vec<usize> = (0..rank).filter(|_| p.below(2) == 0).collect();
    let dims = if dims.is_empty() { vec![0] } else { dims };
    let left: Vec<usize> = (0..rank).filter(|d| !dims.contains(d)).map(|d| shape[d]).collect();
    let line = format!(
        "\"stablehlo.reduce\"({}, {}) <{{dimensions = {}}}> {} : ({}, tensor<f64>) -> {}",
        x.name,
        init.name,
        array(&dims),
        region(text),
        x.ty(),
        ty(&left, "f64")
    );
    vec![p.push(&left, &line)]
}

/// Complex products as pairs, or the larger of two with its company.
pub fn reduce_pair(p: &mut Pen) -> Vec<V> {
    let shape = p.sizes(2, 1);
    let values = p.apart(shape.iter().product());
    let (x, y) = (p.arg(&shape, &values), p.free(&shape));
    let product = p.below(2) == 0;
    let text = if product {
        "%s = stablehlo.multiply %p, %q : T\n%t = stablehlo.multiply %o, %u : T\n%r0 = stablehlo.subtract %s, %t : T\n\
         %v = stablehlo.multiply %p, %u : T\n%w = stablehlo.multiply %o, %q : T\n%r1 = stablehlo.add %v, %w : T"
    } else {
        "%c = stablehlo.compare GT, %p, %q, FLOAT : (T, T) -> tensor<i1>\n\
         %r0 = stablehlo.select %c, %p, %q : tensor<i1>, T\n%r1 = stablehlo.select %c, %o, %u : tensor<i1>, T"
    };
    let text = text.replace(" T", " tensor<f64>").replace("(T", "(tensor<f64>");
    let (a, b) = (p.constant(&[], if product { 1.0 } else { -50.0 }), p.constant(&[], 0.0));
    let d = p.below(2);
    let left = [shape[1 - d]];
    let out = p.name();
    let t = "tensor<f64>";
    p.raw(&format!(
        "{out}:2 = \"stablehlo.reduce\"({}, {}, {}, {}) <{{dimensions = array<i64: {d}>}}> ({{\n    ^bb0(%p: {t}, %o: {t}, \
         %q: {t}, %u: {t}):\n    {text}\n    stablehlo.return %r0, %r1 : {t}, {t}\n    }}) : ({}, {}, {t}, {t}) -> ({l}, {l})",
        x.name,
        y.name,
        a.name,
        b.name,
        x.ty(),
        y.ty(),
        l = ty(&left, "f64")
    ));
    vec![at(&format!("{out}#0"), &left), at(&format!("{out}#1"), &left)]
}

pub fn reduce_product(p: &mut Pen) -> Vec<V> {
    let rank = 1 + p.below(3);
    let shape = p.shape(rank);
    let values = p.with_zeros(shape.iter().product());
    let x = p.arg(&shape, &values);
    let one = p.constant(&[], 1.0);
    let dims: Vec<usize> = (0..rank).filter(|_| p.below(3) > 0).collect();
    let left: Vec<usize> = (0..rank).filter(|d| !dims.contains(d)).map(|d| shape[d]).collect();
    let line = format!(
        "stablehlo.reduce({} init: {}) applies stablehlo.multiply across dimensions = [{}] : ({}, tensor<f64>) -> {}",
        x.name,
        one.name,
        list(&dims),
        x.ty(),
        ty(&left, "f64")
    );
    let y = p.push(&left, &line);
    vec![beside_one(p, &y)]
}

/// Something smooth of it that is not 0 where it is: a product of several zeros is 0 and so are its differences, and
/// nothing says how small they should be.
fn beside_one(p: &mut Pen, y: &V) -> V {
    let bent = p.bend(y);
    let one = p.constant(&y.shape, 1.0);
    p.op("add", &[&bent, &one])
}

/// A windowed reduction by a body: padding, strides and holes.
fn windowed(p: &mut Pen, x: &V, text: &str, init: &V) -> V {
    let rank = x.shape.len();
    let (mut out, mut sizes, mut strides, mut holes, mut base, mut padding) =
        (vec![], vec![], vec![], vec![], vec![], vec![]);
    for &n in &x.shape {
        let (size, stride, hole, grown) =
            (1 + p.below(3), 1 + p.below(2), 1 + p.below(2), 1 + usize::from(p.below(4) == 0));
        let pads = (p.below(3), p.below(3));
        let wide = if n == 0 { 0 } else { (n - 1) * grown + 1 } + pads.0 + pads.1;
        let reach = (size - 1) * hole + 1;
        out.push(if wide < reach { 0 } else { (wide - reach) / stride + 1 });
        sizes.push(size);
        strides.push(stride);
        holes.push(hole);
        base.push(grown);
        padding.push(format!("[{}, {}]", pads.0, pads.1));
    }
    let attributes = if rank == 0 {
        String::from("window_dimensions = array<i64>")
    } else {
        format!(
            "base_dilations = {}, padding = dense<[{}]> : tensor<{rank}x2xi64>, window_dilations = {}, \
             window_dimensions = {}, window_strides = {}",
            array(&base),
            padding.join(", "),
            array(&holes),
            array(&sizes),
            array(&strides)
        )
    };
    let line = format!(
        "\"stablehlo.reduce_window\"({}, {}) <{{{attributes}}}> {} : ({}, tensor<f64>) -> {}",
        x.name,
        init.name,
        region(text),
        x.ty(),
        ty(&out, "f64")
    );
    p.push(&out, &line)
}

pub fn window_product(p: &mut Pen) -> Vec<V> {
    let rank = 1 + p.below(2);
    let shape = p.shape(rank);
    let values = p.with_zeros(shape.iter().product());
    let x = p.arg(&shape, &values);
    let one = p.constant(&[], 1.0);
    let y = windowed(p, &x, "%r = stablehlo.multiply %p, %q : T", &one);
    vec![beside_one(p, &y)]
}

pub fn window_general(p: &mut Pen) -> Vec<V> {
    let rank = 1 + p.below(2);
    let shape = p.shape(rank);
    let x = p.free(&shape);
    let (text, init) = body(p);
    let init = p.constant(&[], init);
    vec![windowed(p, &x, text, &init)]
}

pub fn window_maximum(p: &mut Pen) -> Vec<V> {
    let rank = 1 + p.below(2);
    let shape = p.shape(rank);
    let values = p.apart(shape.iter().product());
    let x = p.arg(&shape, &values);
    let (text, init) = p
        .one_of(&[("%r = stablehlo.maximum %p, %q : T", -50.0), ("%r = stablehlo.minimum %p, %q : T", 50.0)]);
    let init = p.constant(&[], init);
    vec![windowed(p, &x, text, &init)]
}

/// As `jnp.cumprod` is exported.
pub fn cumprod(p: &mut Pen) -> Vec<V> {
    let shape = p.sizes(2, 1);
    let values = p.with_zeros(shape.iter().product());
    let x = p.arg(&shape, &values);
    let one = p.constant(&[], 1.0);
    let (n, back) = (shape[0], p.below(2) == 0);
    let pads = if back { [0, n - 1] } else { [n - 1, 0] };
    let line = format!(
        "\"stablehlo.reduce_window\"({}, {}) <{{padding = dense<[[{}, {}], [0, 0]]> : tensor<2x2xi64>, window_dimensions = \
         array<i64: {n}, 1>}}> {} : ({}, tensor<f64>) -> {}",
        x.name,
        one.name,
        pads[0],
        pads[1],
        region("%r = stablehlo.multiply %p, %q : T"),
        x.ty(),
        x.ty()
    );
    let y = p.push(&shape, &line);
    vec![beside_one(p, &y)]
}
