//! Elements that move to places where they meet or that are not there, sorts with company; complex numbers and the rest.

use crate::pen::{Pen, V, array, at, list, ty};
use crate::reductions::region;

pub fn select_and_scatter(p: &mut Pen) -> Vec<V> {
    let rank = 1 + p.below(2);
    let shape = p.sizes(rank, 2);
    let values = p.apart(shape.iter().product());
    let x = p.arg(&shape, &values);
    let (mut out, mut sizes, mut strides, mut padding) = (vec![], vec![], vec![], vec![]);
    for &n in &shape {
        let (size, stride) = (1 + p.below(2.min(n)), 1 + p.below(2));
        let low = p.below(size);
        out.push((n + low - size) / stride + 1);
        sizes.push(size);
        strides.push(stride);
        padding.push(format!("[{low}, 0]"));
    }
    let source = p.free(&out);
    let init = p.arg(&[], &[0.4]);
    // What is selected where, by the larger or the smaller; what meets adds up, seldom it does not.
    let (select, combine) = (p.one_of(&["GE", "LE"]), p.one_of(&["add", "add", "add", "add", "maximum"]));
    let t = "tensor<f64>";
    let line = format!(
        "\"stablehlo.select_and_scatter\"({}, {}, {}) <{{padding = dense<[{}]> : tensor<{rank}x2xi64>, window_dimensions = {}, \
         window_strides = {}}}> ({{\n    ^bb0(%p: {t}, %q: {t}):\n    %c = stablehlo.compare {select}, %p, %q, FLOAT : ({t}, {t}) \
         -> tensor<i1>\n    stablehlo.return %c : tensor<i1>\n    }}, {}) : ({}, {}, {t}) -> {}",
        x.name,
        source.name,
        init.name,
        padding.join(", "),
        array(&sizes),
        array(&strides),
        region(&format!("%r = stablehlo.{combine} %p, %q : T")).trim_start_matches('(').trim_end_matches(')'),
        x.ty(),
        source.ty(),
        x.ty()
    );
    vec![p.push(&shape, &line)]
}

/// Rows of a matrix that meet: some places twice, some not there.
pub fn scatter(p: &mut Pen) -> Vec<V> {
    let (n, m, k) = (1 + p.below(4), p.below(4), p.below(5));
    let way = p.one_of(&["multiply", "minimum", "maximum", "add", "set", "multiply"]);
    let (operand, updates) = if way == "multiply" {
        (p.with_zeros(n * m), p.with_zeros(k * m))
    } else {
        let mut all = p.apart(n * m + k * m);
        let updates = all.split_off(n * m);
        (all, updates)
    };
    let (x, u) = (p.arg(&[n, m], &operand), p.arg(&[k, m], &updates));
    let places: Vec<i64> = (0..k).map(|_| p.below(n + 2) as i64 - 1).collect();
    // A set of one place twice is not said which; JAX promises nothing either.
    let unique: Vec<i64> = (0..k as i64).map(|i| if (i as usize) < n { i } else { n as i64 }).collect();
    let places = p.whole(&[k, 1], if way == "set" { &unique } else { &places });
    let text = if way == "set" {
        "%r = stablehlo.reshape %q : (T) -> tensor<f64>".to_owned()
    } else {
        format!("%r = stablehlo.{way} %p, %q : T")
    };
    let line = format!(
        "\"stablehlo.scatter\"({}, {places}, {}) <{{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], \
         inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}}> {} : ({}, {}, {}) -> {}",
        x.name,
        u.name,
        region(&text.replace("(T)", "(tensor<f64>)")),
        x.ty(),
        ty(&[k, 1], "i32"),
        u.ty(),
        x.ty()
    );
    let y = p.push(&[n, m], &line);
    vec![p.bend(&y)]
}

/// Rows read twice, and past both ends.
pub fn gather(p: &mut Pen) -> Vec<V> {
    let (n, m, k) = (1 + p.below(4), p.below(4), p.below(5));
    let x = p.free(&[n, m]);
    let x = p.bend(&x);
    let places: Vec<i64> = (0..k).map(|_| p.below(n + 4) as i64 - 2).collect();
    let places = p.whole(&[k, 1], &places);
    let line = format!(
        "\"stablehlo.gather\"({}, {places}) <{{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = \
         [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, {m}>}}> : ({}, {}) -> {}",
        x.name,
        x.ty(),
        ty(&[k, 1], "i32"),
        ty(&[k, m], "f64")
    );
    let y = p.push(&[k, m], &line);
    vec![p.op("multiply", &[&y, &y])]
}

/// Keys with one or two that go along.
pub fn sort(p: &mut Pen) -> Vec<V> {
    let rank = 1 + p.below(2);
    let shape = p.shape(rank);
    let values = p.apart(shape.iter().product());
    let key = p.arg(&shape, &values);
    let n = 1 + p.below(3);
    let mut all = vec![key];
    for _ in 1..n {
        all.push(p.free(&shape));
    }
    let (d, way) = (p.below(rank), p.one_of(&["LT", "GT"]));
    let names: Vec<&str> = all.iter().map(|v| v.name.as_str()).collect();
    let types: Vec<String> = all.iter().map(V::ty).collect();
    let args: Vec<String> = (0..2 * n).map(|i| format!("%p{i}: tensor<f64>")).collect();
    let out = p.name();
    p.raw(&format!(
        "{out}:{n} = \"stablehlo.sort\"({}) <{{dimension = {d} : i64, is_stable = true}}> ({{\n    ^bb0({}):\n    %c = \
         stablehlo.compare {way}, %p0, %p1, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>\n    stablehlo.return %c : \
         tensor<i1>\n    }}) : ({}) -> ({})",
        list(&names),
        list(&args),
        list(&types),
        list(&types)
    ));
    let name = |i: usize| if n == 1 { out.clone() } else { format!("{out}#{i}") };
    let first = at(&name(0), &shape);
    let mut results = vec![p.bend(&first)];
    results.extend((1..n).map(|i| at(&name(i), &shape)));
    results
}

pub fn top_k(p: &mut Pen) -> Vec<V> {
    let rank = 1 + p.below(2);
    let shape = p.sizes(rank, 1);
    let values = p.apart(shape.iter().product());
    let x = p.arg(&shape, &values);
    let k = p.below(shape[rank - 1] + 1);
    let mut out = shape.clone();
    out[rank - 1] = k;
    let name = p.name();
    p.raw(&format!(
        "{name}:2 = chlo.top_k({}, k = {k}) : {} -> ({}, {})",
        x.name,
        x.ty(),
        ty(&out, "f64"),
        ty(&out, "i32")
    ));
    vec![p.bend(&at(&format!("{name}#0"), &out))]
}

/// Windows that begin before or end behind what they are of.
pub fn dynamic_slices(p: &mut Pen) -> Vec<V> {
    let rank = 1 + p.below(2);
    let shape = p.sizes(rank, 1);
    let sizes: Vec<usize> = shape.iter().map(|&n| p.below(n + 1)).collect();
    let (x, u) = (p.free(&shape), p.free(&sizes));
    let starts: Vec<String> = (0..2 * rank)
        .map(|_| {
            let start = p.below(9) as i64 - 3;
            p.whole(&[], &[start])
        })
        .collect();
    let (from, to) = starts.split_at(rank);
    let whole = vec!["tensor<i32>"; rank].join(", ");
    let slice = format!(
        "stablehlo.dynamic_slice {}, {}, sizes = [{}] : ({}, {whole}) -> {}",
        x.name,
        list(from),
        list(&sizes),
        x.ty(),
        u.ty()
    );
    let slice = p.push(&sizes, &slice);
    let product = p.op("multiply", &[&slice, &u]);
    let update = format!(
        "stablehlo.dynamic_update_slice {}, {}, {} : ({}, {}, {whole}) -> {}",
        x.name,
        product.name,
        list(to),
        x.ty(),
        u.ty(),
        x.ty()
    );
    let y = p.push(&shape, &update);
    vec![p.bend(&y), slice]
}

/// Padding between, before and after, and cropping.
pub fn pad(p: &mut Pen) -> Vec<V> {
    let rank = 1 + p.below(2);
    let shape = p.shape(rank);
    let (x, value) = (p.free(&shape), p.free(&[]));
    let (mut low, mut high, mut between, mut out) = (vec![], vec![], vec![], vec![]);
    for &n in &shape {
        let hole = p.below(3) as i64;
        let wide = if n == 0 { 0 } else { (n as i64 - 1) * (hole + 1) + 1 };
        let l = p.below(5) as i64 - 2;
        let h = (p.below(5) as i64 - 2).max(-wide - l).max(-wide);
        let l = l.max(-wide - h);
        low.push(l);
        high.push(h);
        between.push(hole);
        out.push((wide + l + h) as usize);
    }
    let line = format!(
        "stablehlo.pad {}, {}, low = [{}], high = [{}], interior = [{}] : ({}, tensor<f64>) -> {}",
        x.name,
        value.name,
        list(&low),
        list(&high),
        list(&between),
        x.ty(),
        ty(&out, "f64")
    );
    let y = p.push(&out, &line);
    vec![p.op("multiply", &[&y, &y])]
}

/// A chain of complex functions between real ends, away from their branch cuts.
pub fn complex(p: &mut Pen) -> Vec<V> {
    let rank = p.below(3);
    let shape = p.shape(rank);
    let n = shape.iter().product();
    let part = |p: &mut Pen| {
        let values: Vec<f64> = (0..n).map(|_| p.uniform(0.3, 1.1)).collect();
        p.arg(&shape, &values)
    };
    let (re, im) = (part(p), part(p));
    let (real, z) = (ty(&shape, "f64"), ty(&shape, "complex<f64>"));
    let join = |a: &V, b: &V| format!("stablehlo.complex {}, {} : {z}", a.name, b.name);
    let mut x = p.push(&shape, &join(&re, &im));
    let y = p.push(&shape, &join(&im, &re));
    for _ in 0..1 + p.below(3) {
        let two = p.below(2) == 0;
        let line = if two {
            let op = p.one_of(&["add", "subtract", "multiply", "divide", "power"]);
            format!("stablehlo.{op} {}, {} : {z}", x.name, y.name)
        } else {
            let op =
                p.one_of(&["exponential", "log", "sqrt", "tanh", "sine", "cosine", "log_plus_one", "rsqrt"]);
            format!("stablehlo.{op} {} : {z}", x.name)
        };
        x = p.push(&shape, &line);
    }
    let ends = ["real", "imag", "abs"];
    ends.iter().map(|op| p.push(&shape, &format!("stablehlo.{op} {} : ({z}) -> {real}", x.name))).collect()
}

/// There and back, with something between.
pub fn fft(p: &mut Pen) -> Vec<V> {
    let shape = p.sizes(2, 1);
    let x = p.free(&shape);
    let n = shape[1];
    let half = [shape[0], n / 2 + 1];
    let z = ty(&half, "complex<f64>");
    let there = p
        .push(&half, &format!("stablehlo.fft {}, type = RFFT, length = [{n}] : ({}) -> {z}", x.name, x.ty()));
    let square = p.push(&half, &format!("stablehlo.multiply {}, {} : {z}", there.name, there.name));
    let back = format!("stablehlo.fft {}, type = IRFFT, length = [{n}] : ({z}) -> {}", square.name, x.ty());
    let y = p.push(&shape, &back);
    vec![p.bend(&y)]
}

pub fn batch_norm(p: &mut Pen) -> Vec<V> {
    let (n, m) = (2 + p.below(3), 1 + p.below(3));
    let (x, scale, offset) = (p.free(&[n, m]), p.free(&[m]), p.free(&[m]));
    let (whole, row) = (x.ty(), scale.ty());
    let out = p.name();
    p.raw(&format!(
        "{out}:3 = \"stablehlo.batch_norm_training\"({}, {}, {}) <{{epsilon = 1.0e-2 : f32, feature_index = 1 : i64}}> : \
         ({whole}, {row}, {row}) -> ({whole}, {row}, {row})",
        x.name, scale.name, offset.name
    ));
    let variance = at(&format!("{out}#2"), &[m]);
    let line = format!(
        "\"stablehlo.batch_norm_inference\"({}, {}, {}, {}, {}) <{{epsilon = 1.0e-2 : f32, feature_index = 1 : i64}}> : ({whole}, \
         {row}, {row}, {row}, {row}) -> {whole}",
        x.name, scale.name, offset.name, offset.name, variance.name
    );
    vec![at(&format!("{out}#0"), &[n, m]), p.push(&[n, m], &line)]
}

/// Negative numbers to whole powers, remainders away from their jumps, angles.
pub fn powers(p: &mut Pen) -> Vec<V> {
    let rank = p.below(3);
    let shape = p.shape(rank);
    let n: usize = shape.iter().product();
    let values: Vec<f64> = (0..n).map(|_| p.one_of(&[-1.0, 1.0]) * p.uniform(0.6, 1.4)).collect();
    let x = p.arg(&shape, &values);
    let exponent = p.one_of(&[-2.0, 2.0, 3.0, 1.0]);
    let exponent = p.constant(&shape, exponent);
    let power = p.op("power", &[&x, &exponent]);
    let values: Vec<f64> = (0..n).map(|_| p.below(3) as f64 + p.uniform(0.2, 0.8)).collect();
    let a = p.arg(&shape, &values);
    let one = p.arg(&shape, &vec![1.0; n]);
    let remainder = p.op("remainder", &[&a, &one]);
    let angle = p.op("atan2", &[&x, &a]);
    let root = p.op("cbrt", &[&x]);
    vec![power, remainder, angle, root]
}
