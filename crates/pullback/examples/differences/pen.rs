//! Writing a random function of f64 as StableHLO text, with inputs for it.

use pullback_base::rng::CounterRng;
use pullback_eval::Tensor;
use pullback_ir::{DType, TensorType};
use std::fmt::Write as _;

/// A function, and a point where it is smooth.
pub struct Case {
    pub family: &'static str,
    pub seed: u64,
    /// A module with a function `main`.
    pub text: String,
    pub inputs: Vec<Tensor>,
}

/// A value of f64 in the text.
#[derive(Clone)]
pub struct V {
    pub name: String,
    pub shape: Vec<usize>,
}

impl V {
    pub fn ty(&self) -> String {
        ty(&self.shape, "f64")
    }
}

/// A value by its name.
pub fn at(name: &str, shape: &[usize]) -> V {
    V { name: name.to_owned(), shape: shape.to_vec() }
}

/// `tensor<2x3xf64>`
pub fn ty(shape: &[usize], element: &str) -> String {
    let dims: String = shape.iter().map(|n| format!("{n}x")).collect();
    format!("tensor<{dims}{element}>")
}

/// A tensor of these values.
pub fn f64s(shape: &[usize], values: &[f64]) -> Tensor {
    let mut t = Tensor::zeros(TensorType::new(DType::F64, shape));
    for (to, x) in t.bytes_mut().chunks_mut(8).zip(values) {
        to.copy_from_slice(&x.to_le_bytes());
    }
    t
}

/// `1, 2`
pub fn list<T: ToString>(items: &[T]) -> String {
    items.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// `array<i64: 1, 2>`
pub fn array<T: ToString>(items: &[T]) -> String {
    if items.is_empty() { "array<i64>".to_owned() } else { format!("array<i64: {}>", list(items)) }
}

/// What is written so far, and random numbers.
pub struct Pen {
    rng: CounterRng,
    drawn: u64,
    next: usize,
    args: Vec<(V, Tensor)>,
    lines: String,
}

impl Pen {
    pub fn new(family: &str, seed: u64) -> Self {
        Self { rng: CounterRng::new(seed, family), drawn: 0, next: 0, args: Vec::new(), lines: String::new() }
    }

    /// A number below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        self.drawn += 1;
        self.rng.below(self.drawn, n as u64) as usize
    }

    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        self.drawn += 1;
        low + (high - low) * self.rng.uniform(self.drawn)
    }

    pub fn one_of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// So many dimensions of 0 to 4, 0 less often.
    pub fn shape(&mut self, rank: usize) -> Vec<usize> {
        (0..rank).map(|_| self.one_of(&[1, 2, 3, 4, 2, 3, 4, 1, 2, 3, 4, 0])).collect()
    }

    /// Dimensions of `low` to 4.
    pub fn sizes(&mut self, rank: usize, low: usize) -> Vec<usize> {
        (0..rank).map(|_| low + self.below(5 - low)).collect()
    }

    pub fn numbers(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.uniform(-1.3, 1.3)).collect()
    }

    /// Numbers no two of which are closer than 0.05, in random order.
    pub fn apart(&mut self, n: usize) -> Vec<f64> {
        let mut values: Vec<f64> =
            (0..n).map(|i| 0.15 * (i as f64 - n as f64 / 2.0) + self.uniform(0.0, 0.1)).collect();
        for i in (1..n).rev() {
            let j = self.below(i + 1);
            values.swap(i, j);
        }
        values
    }

    /// Numbers some of which are zero.
    pub fn with_zeros(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| if self.below(3) == 0 { 0.0 } else { self.uniform(0.4, 1.6) }).collect()
    }

    /// An argument of f64 with these values.
    pub fn arg(&mut self, shape: &[usize], values: &[f64]) -> V {
        let v = V { name: format!("%x{}", self.args.len()), shape: shape.to_vec() };
        self.args.push((v.clone(), f64s(shape, values)));
        v
    }

    /// An argument of random numbers.
    pub fn free(&mut self, shape: &[usize]) -> V {
        let values = self.numbers(shape.iter().product());
        self.arg(shape, &values)
    }

    /// A name for a value that is written by hand.
    pub fn name(&mut self) -> String {
        self.next += 1;
        format!("%v{}", self.next)
    }

    /// A line of text as it is.
    pub fn raw(&mut self, line: &str) {
        let _ = writeln!(self.lines, "    {line}");
    }

    /// A value of this shape made by `text`.
    pub fn push(&mut self, shape: &[usize], text: &str) -> V {
        let name = self.name();
        self.raw(&format!("{name} = {text}"));
        V { name, shape: shape.to_vec() }
    }

    /// An elementwise operation of values of one type.
    pub fn op(&mut self, op: &str, of: &[&V]) -> V {
        let names: Vec<&str> = of.iter().map(|v| v.name.as_str()).collect();
        self.push(&of[0].shape, &format!("stablehlo.{op} {} : {}", list(&names), of[0].ty()))
    }

    /// A constant of one element.
    pub fn constant(&mut self, shape: &[usize], value: f64) -> V {
        self.push(shape, &format!("stablehlo.constant dense<{value:?}> : {}", ty(shape, "f64")))
    }

    /// Whole numbers as a constant; its name.
    pub fn whole(&mut self, shape: &[usize], values: &[i64]) -> String {
        let name = self.name();
        let text = match shape {
            [] => values[0].to_string(),
            [_] => format!("[{}]", list(values)),
            _ => {
                let rows = values.chunks(shape[shape.len() - 1].max(1)).map(|r| format!("[{}]", list(r)));
                format!("[{}]", rows.collect::<Vec<_>>().join(", "))
            }
        };
        self.raw(&format!("{name} = stablehlo.constant dense<{text}> : {}", ty(shape, "i32")));
        name
    }

    /// Something smooth of a value, so that cotangents and tangents are not ones.
    pub fn bend(&mut self, v: &V) -> V {
        let name = self.one_of(&["sine", "tanh", "logistic", "cosine"]);
        let bent = self.op(name, &[v]);
        self.op("add", &[&bent, v])
    }

    pub fn broadcast(&mut self, v: &V, shape: &[usize], dims: &[usize]) -> V {
        let text = format!(
            "stablehlo.broadcast_in_dim {}, dims = [{}] : ({}) -> {}",
            v.name,
            list(dims),
            v.ty(),
            ty(shape, "f64")
        );
        self.push(shape, &text)
    }

    /// The function that returns these values.
    pub fn case(self, family: &'static str, seed: u64, results: &[V]) -> Case {
        let args: Vec<String> = self.args.iter().map(|(v, _)| format!("{}: {}", v.name, v.ty())).collect();
        let types: Vec<String> = results.iter().map(V::ty).collect();
        let names: Vec<&str> = results.iter().map(|v| v.name.as_str()).collect();
        let text = format!(
            "module {{\n  func.func public @main({}) -> ({}) {{\n{}    return {} : {}\n  }}\n}}\n",
            args.join(", "),
            types.join(", "),
            self.lines,
            names.join(", "),
            types.join(", ")
        );
        let inputs = self.args.into_iter().map(|(_, t)| t).collect();
        Case { family, seed, text, inputs }
    }
}
