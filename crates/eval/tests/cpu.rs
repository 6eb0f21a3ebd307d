//! The CPU backend against the reference: random programs of all op families, and cases by hand.

#![allow(clippy::unwrap_used)] // A test may panic.

use proptest::prelude::*;
use pullback_eval::{CpuDevice, Device, EvalError, ReferenceDevice, Tensor, evaluate};
use pullback_ir::*;

/// Random choices from a list of bytes, 0 when it is used up.
struct Choices<'a>(std::slice::Iter<'a, u8>);

impl Choices<'_> {
    fn below(&mut self, n: usize) -> usize {
        self.0.next().map_or(0, |&b| usize::from(b)) % n.max(1)
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }

    fn flip(&mut self) -> bool {
        self.below(2) == 1
    }
}

/// A program under construction with the values made so far, and the element type they (mostly) have.
struct Gen<'a> {
    b: Builder,
    values: Vec<Value>,
    c: Choices<'a>,
    dtype: DType,
    int: bool,
}

impl Gen<'_> {
    fn any(&mut self) -> Value {
        let recent = self.values.len().min(6);
        let at = self.values.len() - 1 - self.c.below(recent);
        self.values[at]
    }

    fn shape(&self, v: Value) -> Vec<usize> {
        self.b.ty(v).shape().to_vec()
    }

    /// A value of this shape: an existing one, a broadcast one or a constant.
    fn like(&mut self, shape: &[usize]) -> Value {
        let fits: Vec<Value> =
            self.values.iter().copied().filter(|&v| self.b.ty(v).shape() == shape).collect();
        let ty = TensorType::new(self.dtype, shape);
        match self.c.below(4) {
            0 | 1 if !fits.is_empty() => self.c.pick(&fits),
            2 if !shape.is_empty() => {
                // Broadcast from a row, a column or with a new size-1 dimension.
                let d = self.c.below(shape.len());
                let from: Vec<Value> = self
                    .values
                    .iter()
                    .copied()
                    .filter(|&v| matches!(self.b.ty(v).shape(), [n] if *n == shape[d] || *n == 1))
                    .collect();
                match from.is_empty() {
                    true => self.b.splat(&ty, 1.5),
                    false => {
                        let v = self.c.pick(&from);
                        self.b.broadcast(v, shape, &[d]).unwrap()
                    }
                }
            }
            _ => {
                let c = self.c.pick(&[0.5, 1.0, 2.0, -3.0]);
                self.b.splat(&ty, c)
            }
        }
    }

    /// Keeps magnitudes small where a product may grow.
    fn tame(&mut self, v: Value) -> Value {
        if self.int { v } else { self.b.unary(UnaryOp::Tanh, v).unwrap() }
    }

    fn step(&mut self) {
        let x = self.any();
        let v = match self.c.below(4) {
            0 => self.elementwise(x),
            1 => self.moved(x),
            2 => self.reduced(x),
            _ => self.dot(x),
        };
        if self.b.ty(v).count() <= 4096 && self.b.ty(v).rank() <= 5 {
            self.values.push(v);
        }
    }

    fn elementwise(&mut self, x: Value) -> Value {
        let shape = self.shape(x);
        match self.c.below(4) {
            0 if !self.int => {
                use UnaryOp::*;
                let op = self.c.pick(&[
                    Tanh,
                    Logistic,
                    Sine,
                    Negate,
                    Abs,
                    Square,
                    Erf,
                    Floor,
                    Sign,
                    ExponentialMinusOne,
                ]);
                // Steps of a discontinuous function may differ between roundings of its operand.
                let x = if matches!(op, Floor | Sign) { self.values[0] } else { x };
                let y = self.b.unary(op, x).unwrap();
                self.tame(y)
            }
            0 | 1 => {
                use BinaryOp::*;
                let op = self.c.pick(&[Add, Subtract, Multiply, Maximum, Minimum]);
                let y = self.like(&shape);
                let (x, y) = if self.c.flip() { (x, y) } else { (y, x) };
                let z = self.b.binary(op, x, y).unwrap();
                self.tame(z)
            }
            2 => {
                let y = self.like(&shape);
                let z = self.like(&shape);
                let first = self.values[0];
                let p = if self.shape(first) == shape {
                    let half = self.b.splat(&TensorType::new(self.dtype, shape.clone()), 0.25);
                    self.b.compare(self.c.pick(Comparison::ALL), first, half).unwrap()
                } else {
                    self.b.splat(&TensorType::new(DType::Bool, shape), 1.0)
                };
                self.b.select(p, y, z).unwrap()
            }
            _ => {
                let (lo, hi) = (self.b.splat(&TensorType::scalar(self.dtype), -1.0), self.like(&shape));
                self.b.push1(Op::Clamp, &[lo, x, hi]).unwrap()
            }
        }
    }

    fn moved(&mut self, x: Value) -> Value {
        let shape = self.shape(x);
        let rank = shape.len();
        match self.c.below(6) {
            0 | 1 => {
                let mut permutation: Vec<usize> = (0..rank).collect();
                for i in (1..rank).rev() {
                    permutation.swap(i, self.c.below(i + 1));
                }
                self.b.transpose(x, &permutation).unwrap()
            }
            2 => {
                let starts: Vec<usize> = shape.iter().map(|&n| self.c.below(n + 1).min(2)).collect();
                let strides: Vec<usize> = shape.iter().map(|_| 1 + self.c.below(2)).collect();
                self.b.push1(Op::Slice { starts, limits: shape, strides }, &[x]).unwrap()
            }
            3 => {
                let n = shape.iter().product::<usize>();
                let new = match self.c.below(3) {
                    0 => vec![n],
                    1 if n % 2 == 0 && n > 0 => vec![2, n / 2],
                    1 => vec![1, n, 1],
                    _ => shape.iter().rev().copied().collect(),
                };
                self.b.reshape(x, &new).unwrap()
            }
            4 if rank > 0 => {
                let dim = self.c.below(rank);
                let y = self.like(&shape);
                self.b.push1(Op::Concatenate { dim }, &[x, y, x]).unwrap()
            }
            _ => {
                let zero = self.b.splat(&TensorType::scalar(self.dtype), 0.5);
                let mut pads =
                    |low: i64| shape.iter().map(|_| low + self.c.below(3) as i64).collect::<Vec<i64>>();
                let (low, high) = (pads(-1), pads(0));
                let interior = shape.iter().map(|_| self.c.below(2)).collect();
                match self.b.push1(Op::Pad { low, high, interior }, &[x, zero]) {
                    Ok(v) => v,
                    Err(_) => self.b.push1(Op::Reverse { dims: (0..rank).collect() }, &[x]).unwrap(),
                }
            }
        }
    }

    fn reduced(&mut self, x: Value) -> Value {
        let dims: Vec<usize> = (0..self.shape(x).len()).filter(|_| self.c.flip()).collect();
        let monoid = self.c.pick(&[Monoid::Add, Monoid::Maximum, Monoid::Minimum]);
        let y = self.b.reduce(x, &dims, monoid).unwrap();
        self.tame(y)
    }

    /// A product with a fitting operand along one or all dimensions.
    fn dot(&mut self, x: Value) -> Value {
        let shape = &self.shape(x);
        let rank = shape.len();
        let batch = usize::from(rank > 2 && self.c.flip());
        let y = match self.c.flip() {
            true => {
                let mut other = shape.to_vec();
                other.reverse();
                let fits = self.like(&other);
                let back: Vec<usize> = (0..rank).rev().collect();
                self.b.transpose(fits, &back).unwrap()
            }
            false => self.like(shape),
        };
        let contract: Vec<usize> = (batch..rank).filter(|_| self.c.flip()).collect();
        let dims = DotDims {
            lhs_batch: (0..batch).collect(),
            rhs_batch: (0..batch).collect(),
            lhs_contract: contract.clone(),
            rhs_contract: contract,
        };
        let types = [self.b.ty(x), self.b.ty(y)];
        if infer::infer(&Op::DotGeneral(dims.clone()), &types).map_or(true, |t| t[0].count() > 4096) {
            return x;
        }
        let z = self.b.dot(x, y, dims).unwrap();
        let rank = self.b.ty(z).rank();
        let z = match self.c.flip() {
            true => self.b.transpose(z, &(0..rank).rev().collect::<Vec<_>>()).unwrap(),
            false => z,
        };
        self.tame(z)
    }
}

fn program(choices: &[u8], dtype: DType, shapes: &[Vec<usize>]) -> Program {
    let mut b = Builder::new("random");
    let values = shapes.iter().map(|s| b.arg(None, TensorType::new(dtype, s.clone()))).collect();
    let mut g = Gen { b, values, c: Choices(choices.iter()), dtype, int: dtype.is_integer() };
    for _ in 0..16 {
        g.step();
    }
    let n = g.values.len();
    let mut results = vec![g.values[n - 1], g.values[n - 1 - n / 3], g.values[n / 2]];
    // A result may be an argument, or appear twice.
    results.push(if g.c.flip() { g.values[0] } else { results[0] });
    g.b.finish(&results)
}

fn arguments(program: &Program, seed: u64) -> Vec<Tensor> {
    let rng = pullback_base::rng::CounterRng::new(seed, "arguments");
    let mut at = 0;
    let mut fill = |ty: &TensorType| {
        let values: Vec<f64> = (0..ty.count())
            .map(|_| {
                at += 1;
                let v = 4.0 * rng.uniform(at) - 2.0;
                if ty.dtype().is_float() { v } else { (v * 50.0).round() }
            })
            .collect();
        Tensor::from_f64s(ty.clone(), &values).unwrap()
    };
    program.args().iter().map(|&v| fill(program.ty(v))).collect()
}

fn assert_close(got: &[Tensor], want: &[Tensor], tolerance: f64) {
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        assert_eq!(g.ty(), w.ty());
        if tolerance == 0.0 {
            assert_eq!(g, w, "result {i}");
            continue;
        }
        for (k, (a, b)) in g.to_f64s().into_iter().zip(w.to_f64s()).enumerate() {
            let same = a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= tolerance * (1.0 + b.abs());
            assert!(same, "result {i} element {k}: {a} instead of {b}");
        }
    }
}

/// One and three threads give the same bits, close to the reference.
fn check(program: &Program, args: &[Tensor], tolerance: f64) {
    program.verify().unwrap();
    let want = evaluate(&ReferenceDevice, program, args).unwrap();
    let got = evaluate(&CpuDevice { threads: 1 }, program, args).unwrap();
    assert_close(&got, &want, tolerance);
    assert_eq!(evaluate(&CpuDevice { threads: 3 }, program, args).unwrap(), got, "threads change bits");
}

fn shapes() -> impl Strategy<Value = Vec<Vec<usize>>> {
    let shape = prop_oneof![
        8 => proptest::collection::vec(1usize..6, 0..4),
        2 => proptest::collection::vec(0usize..4, 1..4),
        2 => Just(vec![4, 70, 3]),
        1 => Just(vec![2, 3, 300]),
    ];
    proptest::collection::vec(shape, 1..4)
}

/// More with `CASES=n`.
fn cases() -> u32 {
    std::env::var("CASES").ok().and_then(|c| c.parse().ok()).unwrap_or(300)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases()) })]

    #[test]
    fn random_programs_equal_the_reference(
        choices in proptest::collection::vec(any::<u8>(), 200),
        shapes in shapes(),
        seed in any::<u64>(),
        kind in 0usize..4,
    ) {
        let (dtype, tolerance) =
            [(DType::F32, 2e-3), (DType::F64, 1e-10), (DType::I32, 0.0), (DType::U8, 0.0)][kind];
        let p = program(&choices, dtype, &shapes);
        check(&p, &arguments(&p, seed), tolerance);
    }
}

/// Every elementwise op on every element type that has it, compared bit for bit where the result is exact.
#[test]
fn all_elementwise_ops_on_all_types() {
    for dtype in DType::ALL {
        let ty = TensorType::new(dtype, [37]);
        let mut b = Builder::new("all");
        let (x, y) = (b.arg(None, ty.clone()), b.arg(None, ty.clone()));
        let mut results = Vec::new();
        for &u in UnaryOp::ALL {
            results.extend(b.unary(u, x).ok());
        }
        for &o in BinaryOp::ALL {
            if !(dtype.class() == DTypeClass::Complex && o == BinaryOp::Remainder) {
                results.extend(b.binary(o, x, y).ok());
            }
        }
        for &direction in Comparison::ALL {
            for total_order in [false, true] {
                results.extend(b.push1(Op::Compare { direction, total_order }, &[x, y]).ok());
            }
        }
        for to in DType::ALL {
            results.push(b.push1(Op::Convert { dtype: to }, &[x]).unwrap());
        }
        results.extend(b.push1(Op::Clamp, &[y, x, y]).ok());
        let p = b.finish(&results);
        let tolerance = match dtype.class() {
            DTypeClass::Float | DTypeClass::Complex => {
                if dtype.size() == 8 {
                    1e-14
                } else {
                    1e-2
                }
            }
            _ => 0.0,
        };
        let tolerance = if dtype == DType::F32 { 2e-6 } else { tolerance };
        let args = arguments(&p, 3);
        let want = evaluate(&ReferenceDevice, &p, &args).unwrap();
        let got = evaluate(&CpuDevice { threads: 1 }, &p, &args).unwrap();
        for (i, (g, w)) in got.iter().zip(&want).enumerate() {
            // Integers and bools that came from floats are exact too.
            let exact = !w.dtype().is_differentiable();
            assert_close(
                std::slice::from_ref(g),
                std::slice::from_ref(w),
                if exact { 0.0 } else { tolerance },
            );
            let _ = i;
        }
    }
}

/// Both sides agree on the special values of f32 and f64.
#[test]
fn special_values() {
    let specials = [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        1e-310,
        -1e-40,
        1e300,
        3e38,
        -2.5,
    ];
    let pairs: Vec<(f64, f64)> =
        specials.iter().flat_map(|&a| specials.iter().map(move |&b| (a, b))).collect();
    for dtype in [DType::F32, DType::F64, DType::BF16] {
        let ty = TensorType::new(dtype, [pairs.len()]);
        let mut b = Builder::new("special");
        let (x, y) = (b.arg(None, ty.clone()), b.arg(None, ty.clone()));
        use BinaryOp::*;
        let mut results: Vec<Value> = UnaryOp::ALL.iter().filter_map(|&u| b.unary(u, x).ok()).collect();
        results.extend([Maximum, Minimum, Add, Divide, Remainder, Power].map(|o| b.binary(o, x, y).unwrap()));
        results.extend([DType::I32, DType::U8, DType::Bool].map(|d| b.convert(x, d).unwrap()));
        let p = b.finish(&results);
        let args = [
            Tensor::from_f64s(ty.clone(), &pairs.iter().map(|p| p.0).collect::<Vec<_>>()).unwrap(),
            Tensor::from_f64s(ty, &pairs.iter().map(|p| p.1).collect::<Vec<_>>()).unwrap(),
        ];
        let want = evaluate(&ReferenceDevice, &p, &args).unwrap();
        let got = evaluate(&CpuDevice { threads: 1 }, &p, &args).unwrap();
        assert_close(&got, &want, if dtype == DType::BF16 { 1e-2 } else { 2e-6 });
        for (g, w) in got.iter().zip(&want) {
            for (a, b) in g.to_f64s().iter().zip(w.to_f64s()) {
                assert!(a.is_nan() || a.is_sign_negative() == b.is_sign_negative(), "sign of {a} and {b}");
            }
        }
    }
}

fn rows_gather(rank: usize, width: usize) -> GatherDims {
    GatherDims {
        offset_dims: (1..rank).collect(),
        collapsed_slice_dims: vec![0],
        operand_batching_dims: vec![],
        start_indices_batching_dims: vec![],
        start_index_map: vec![0],
        index_vector_dim: 1,
        slice_sizes: std::iter::once(1).chain(std::iter::repeat_n(width, rank - 1)).collect(),
        indices_are_sorted: false,
    }
}

#[test]
fn gathers_and_scatters() {
    for dtype in [DType::F32, DType::F64, DType::I16, DType::BF16, DType::C128, DType::Bool] {
        let mut b = Builder::new("rows");
        let x = b.arg(None, TensorType::new(dtype, [5, 3]));
        let i = b.arg(None, TensorType::new(DType::I32, [7]));
        let u = b.arg(None, TensorType::new(dtype, [3, 7]));
        let s = b.arg(None, TensorType::scalar(DType::I64));
        let g = b.push1(Op::Gather(Box::new(rows_gather(2, 3))), &[x, i]).unwrap();
        let ut = b.transpose(u, &[1, 0]).unwrap();
        let dims = ScatterDims {
            update_window_dims: vec![1],
            inserted_window_dims: vec![0],
            input_batching_dims: vec![],
            scatter_indices_batching_dims: vec![],
            scatter_dims_to_operand_dims: vec![0],
            index_vector_dim: 1,
            indices_are_sorted: false,
            unique_indices: false,
        };
        let mut results = vec![g];
        let combiners = [None, Some(Monoid::Add), Some(Monoid::Maximum), Some(Monoid::Or)];
        for combiner in combiners {
            let op = Op::Scatter { dims: Box::new(dims.clone()), combiner };
            results.extend(b.push1(op, &[x, i, ut]).ok());
            // A window of two rows at a start that may lie partly outside.
            let wide =
                ScatterDims { update_window_dims: vec![1, 2], inserted_window_dims: vec![], ..dims.clone() };
            let windows = b.broadcast(ut, &[7, 2, 3], &[0, 2]).unwrap();
            let op = Op::Scatter { dims: Box::new(wide), combiner };
            results.extend(b.push1(op, &[x, i, windows]).ok());
        }
        let x2 = b.transpose(x, &[1, 0]).unwrap();
        results.push(b.push1(Op::DynamicSlice { sizes: vec![2, 2] }, &[x2, s, s]).unwrap());
        let piece = b.push1(Op::DynamicSlice { sizes: vec![2, 3] }, &[ut, s, s]).unwrap();
        results.push(b.push1(Op::DynamicUpdateSlice, &[x, piece, s, s]).unwrap());
        let p = b.finish(&results);
        let mut args = arguments(&p, 5);
        args[1] = Tensor::from_i64s(args[1].ty().clone(), &[4, -1, 0, 4, 9, 2, 4]).unwrap();
        args[3].set_i64(0, 3);
        check(&p, &args, 0.0);
    }
}

#[test]
fn batched_gathers_with_batching_dims() {
    let mut b = Builder::new("take along axis");
    let x = b.arg(None, TensorType::new(DType::F32, [4, 6]));
    let i = b.arg(None, TensorType::new(DType::U8, [4, 1]));
    let g = GatherDims {
        offset_dims: vec![],
        collapsed_slice_dims: vec![1],
        operand_batching_dims: vec![0],
        start_indices_batching_dims: vec![0],
        start_index_map: vec![1],
        index_vector_dim: 1,
        slice_sizes: vec![1, 1],
        indices_are_sorted: false,
    };
    let y = b.push1(Op::Gather(Box::new(g)), &[x, i]).unwrap();
    let p = b.finish(&[y]);
    let mut args = arguments(&p, 1);
    args[1] = Tensor::from_i64s(args[1].ty().clone(), &[5, 0, 200, 3]).unwrap();
    check(&p, &args, 0.0);
}

fn conv_2d() -> ConvDims {
    ConvDims {
        input_batch: 0,
        input_feature: 1,
        input_spatial: vec![2, 3],
        kernel_output_feature: 0,
        kernel_input_feature: 1,
        kernel_spatial: vec![2, 3],
        output_batch: 1,
        output_feature: 3,
        output_spatial: vec![0, 2],
        strides: vec![1, 1],
        padding: vec![(0, 0), (0, 0)],
        lhs_dilation: vec![1, 1],
        rhs_dilation: vec![1, 1],
        reversal: vec![false, false],
        feature_group_count: 1,
        batch_group_count: 1,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(cases() / 3) })]

    #[test]
    fn convolutions(
        (sizes, window, attributes) in (
            proptest::collection::vec(0usize..7, 2),
            proptest::collection::vec(1usize..4, 2),
            proptest::collection::vec(0usize..4, 12),
        ),
        groups in 0usize..3,
        double in any::<bool>(),
    ) {
        let a = &attributes;
        let pad = |i: usize| (a[i] as i64 - 1, a[i + 1] as i64 - 1);
        let c = ConvDims {
            strides: vec![1 + a[0] % 3, 1 + a[1] % 2],
            padding: vec![pad(2), pad(4)],
            lhs_dilation: vec![1 + a[6] % 2, 1 + a[7] % 3],
            rhs_dilation: vec![1 + a[8] % 2, 1 + a[9] % 2],
            reversal: vec![a[10] % 2 == 1, a[11] % 2 == 1],
            feature_group_count: [1, 2, 1][groups],
            batch_group_count: [1, 1, 2][groups],
            ..conv_2d()
        };
        let dtype = if double { DType::F64 } else { DType::F32 };
        let mut b = Builder::new("conv");
        let x = b.arg(None, TensorType::new(dtype, [4, 6, sizes[0], sizes[1]]));
        let inputs = 6 / [1, 2, 1][groups];
        let k = b.arg(None, TensorType::new(dtype, [inputs, 4, window[1], window[0]]));
        let x = b.transpose(x, &[0, 1, 3, 2]).unwrap();
        let k = b.transpose(k, &[1, 0, 2, 3]).unwrap();
        let y = b.push1(Op::Convolution(Box::new(c)), &[x, k]).unwrap();
        let p = b.finish(&[y]);
        check(&p, &arguments(&p, 2), if double { 1e-13 } else { 1e-5 });
    }
}

/// Shapes at which tiles, rows and threads are really cut.
#[test]
fn large_fused_chains() {
    for (rows, cols) in [(300, 700), (5000, 33), (3, 60_000), (70_000, 2)] {
        let mut b = Builder::new("chain");
        let ty = TensorType::new(DType::F32, [rows, cols]);
        let x = b.arg(None, ty.clone());
        let bias = b.arg(None, TensorType::new(DType::F32, [cols]));
        let scale = b.arg(None, TensorType::new(DType::F32, [rows]));
        let bias = b.broadcast(bias, &[rows, cols], &[1]).unwrap();
        let scale = b.broadcast(scale, &[rows, cols], &[0]).unwrap();
        let y = b.mul(x, scale).unwrap();
        let y = b.add(y, bias).unwrap();
        let t = b.unary(UnaryOp::Tanh, y).unwrap();
        let g = b.mul(t, y).unwrap();
        let turned = b.transpose(g, &[1, 0]).unwrap();
        let flat = b.reshape(turned, &[rows * cols]).unwrap();
        let twice = b.add(flat, flat).unwrap();
        let m = b.reduce(g, &[0], Monoid::Add).unwrap();
        let all = b.reduce(twice, &[0], Monoid::Maximum).unwrap();
        let p = b.finish(&[g, twice, m, all]);
        check(&p, &arguments(&p, 8), 1e-3);
    }
}

/// Results and arguments at odd addresses.
#[test]
fn unaligned_buffers() {
    let mut b = Builder::new("odd");
    let ty = TensorType::new(DType::F64, [3]);
    let x = b.arg(None, ty.clone());
    let y = b.add(x, x).unwrap();
    let p = b.finish(&[y, x]);
    let mut e = pullback_eval::Device::compile(&CpuDevice { threads: 1 }, &p).unwrap();
    let t = Tensor::from_f64s(ty, &[1.0, 2.0, 3.0]).unwrap();
    for odd in [0, 1] {
        let mut arg = [0u8; 32];
        arg[odd..odd + 24].copy_from_slice(t.bytes());
        let (mut r0, mut r1) = ([0u8; 32], [0u8; 32]);
        e.run(&[&arg[odd..odd + 24]], &mut [&mut r0[odd..odd + 24], &mut r1[odd..odd + 24]]).unwrap();
        let r0 = Tensor::from_bytes(t.ty().clone(), &r0[odd..odd + 24]).unwrap();
        assert_eq!(r0.to_f64s(), [2.0, 4.0, 6.0]);
        assert_eq!(&r1[odd..odd + 24], t.bytes());
    }
    let mut short = [0u8; 8];
    let e = e.run(&[t.bytes()], &mut [&mut short[..], &mut [0; 24]]).unwrap_err();
    assert_eq!(e.to_string(), "results[0], f64[3], takes 24 bytes, the buffer has 8");
}

/// Memory that is used again: a long chain needs a few buffers, not one per value.
#[test]
fn buffers_are_reused() {
    let mut b = Builder::new("deep");
    let n = 256;
    let x = b.arg(None, TensorType::new(DType::F32, [n, n]));
    let dims = DotDims { lhs_contract: vec![1], rhs_contract: vec![0], ..DotDims::default() };
    let mut y = x;
    for _ in 0..20 {
        y = b.dot(y, x, dims.clone()).unwrap();
        y = b.unary(UnaryOp::Tanh, y).unwrap();
    }
    let p = b.finish(&[y]);
    let e = pullback_eval::Device::compile(&CpuDevice { threads: 1 }, &p).unwrap();
    assert!(e.workspace_bytes() < 4 * n * n * 4, "{} bytes of scratch", e.workspace_bytes());
}

/// Both devices refuse a program whose values need more memory than there is, and name a value.
fn refused(program: &Program, args: &[Tensor]) {
    let devices: [&dyn Device; 2] = [&CpuDevice { threads: 1 }, &ReferenceDevice];
    for device in devices {
        let e = evaluate(device, program, args).unwrap_err();
        assert!(matches!(e, EvalError::Memory { .. }), "{}: {e}", device.name());
        let e = e.to_string();
        let named = e.contains("value %") && e.contains("f32[17592186044416]");
        assert!(e.starts_with("needs ") && named, "{}: {e}", device.name());
    }
}

#[test]
fn values_too_large_for_the_machine_are_an_error() {
    // 2^46 bytes each; three are more than a 47-bit address space, where memory is promised without bounds.
    let huge = TensorType::new(DType::F32, [1 << 44]);
    let mut b = Builder::new("results");
    let results: Vec<Value> = (1..4).map(|i| b.splat(&huge, f64::from(i))).collect();
    refused(&b.finish(&results), &[]);

    let mut b = Builder::new("intermediates");
    let mut reversed = || {
        let x = b.arg(None, TensorType::scalar(DType::F32));
        let x = b.broadcast(x, &[1 << 44], &[]).unwrap();
        b.push1(Op::Reverse { dims: vec![0] }, &[x]).unwrap()
    };
    let (x, y, z) = (reversed(), reversed(), reversed());
    let all = b.push1(Op::Clamp, &[x, y, z]).unwrap();
    let at = b.splat(&TensorType::scalar(DType::I32), 7.0);
    let one = b.push1(Op::DynamicSlice { sizes: vec![1] }, &[all, at]).unwrap();
    let args = [1.0, 2.0, 3.0].map(Tensor::scalar_f32);
    refused(&b.finish(&[one]), &args);
}

/// Loops and choices within each other, whose values are read as views, unread, empty, or given twice.
#[test]
fn loops_and_choices() {
    let p = text::parse(
        "program @f(%0: f32[3,4], %1: i32[], %2: f32[0], %3: f32[4]) {
  %4: f32[4,3] = transpose %0 {permutation = [1, 0]}
  %5: f32[4,3], %6: i32[], %7: f32[0] = while %4, %1, %2, %3 (program @cond(%0: f32[4,3], %1: i32[], %2: f32[0], %3: f32[4]) {
    %4: i32[] = constant 5
    %5: bool[] = compare %1, %4 {comparison_direction = LT}
    return %5
  }, program @body(%0: f32[4,3], %1: i32[], %2: f32[0], %3: f32[4]) {
    %4: i32[] = constant 1
    %5: i32[] = add %1, %4
    %6: f32[4,3] = broadcast_in_dim %3 {broadcast_dimensions = [0]}
    %7: f32[4,3] = case %1, %0, %6 (program @a(%0: f32[4,3], %1: f32[4,3]) {
      %2: f32[4,3] = add %0, %1
      return %2
    }, program @b(%0: f32[4,3], %1: f32[4,3]) {
      return %0
    }, program @c(%0: f32[4,3], %1: f32[4,3]) {
      %2: f32[4,3] = tanh %0
      return %2
    })
    return %7, %5, %2
  })
  %8: f32[3,4] = transpose %5 {permutation = [1, 0]}
  %9: f32[3,4], %10: f32[3,4] = case %6, %8 (program @d(%0: f32[3,4]) {
    return %0, %0
  })
  %11: f32[3,4] = add %9, %10
  return %8, %11, %7, %5, %10
}
",
    )
    .unwrap();
    for start in [0, 2, 9] {
        let mut args = arguments(&p, 3);
        args[1].set_i64(0, start);
        check(&p, &args, 1e-6);
    }
}

#[test]
fn windows_sorts_and_bits() {
    let mut b = Builder::new("windows");
    let x = b.arg(None, TensorType::new(DType::F32, [6, 5]));
    let x2 = b.transpose(x, &[1, 0]).unwrap();
    let window = Box::new(WindowDims {
        sizes: vec![2, 3],
        strides: vec![1, 2],
        base_dilations: vec![1, 1],
        window_dilations: vec![1, 1],
        padding: vec![(1, 0), (1, 1)],
    });
    let mut results = Vec::new();
    for monoid in [Monoid::Add, Monoid::Multiply, Monoid::Maximum, Monoid::Minimum] {
        let y = b.push1(Op::ReduceWindow { window: window.clone(), monoid }, &[x2]).unwrap();
        let op = Op::SelectAndScatter { window: window.clone(), least: false, monoid: Monoid::Add };
        results.push(b.push1(op, &[x2, y]).unwrap());
        results.push(y);
    }
    for (dim, descending) in [(0, false), (1, true)] {
        results.push(b.push1(Op::Argsort { dim, descending, total_order: false }, &[x2]).unwrap());
    }
    let bits = b.push1(Op::BitcastConvert { dtype: DType::U8 }, &[x2]).unwrap();
    let back = b.push1(Op::BitcastConvert { dtype: DType::F32 }, &[bits]).unwrap();
    let rounded = b.push1(Op::ReducePrecision { exponent_bits: 4, mantissa_bits: 3 }, &[back]).unwrap();
    let narrow = b.convert(x, DType::BF16).unwrap();
    results.extend([
        bits,
        rounded,
        b.push1(Op::ReducePrecision { exponent_bits: 4, mantissa_bits: 3 }, &[narrow]).unwrap(),
    ]);
    for &u in UnaryOp::ALL {
        results.extend(b.unary(u, x2).ok());
        results.extend(b.unary(u, narrow).ok());
    }
    let p = b.finish(&results);
    check(&p, &arguments(&p, 4), 1e-5);
}

/// What is picked from a constant may be equal elements, where a place for each is wanted.
#[test]
fn equal_elements_of_a_constant() {
    let mut b = Builder::new("equal");
    let ty = TensorType::new(DType::F32, [3, 2]);
    let c = b.constant(Literal::from_f64s(ty, &[7.0, 7.0, 1.0, 2.0, 7.0, 7.0]).unwrap());
    let rows = Op::Slice { starts: vec![0, 0], limits: vec![3, 2], strides: vec![2, 1] };
    let rows = b.push1(rows, &[c]).unwrap();
    let flat = b.reshape(rows, &[4]).unwrap();
    let mut cond = Builder::new("cond");
    let carried = cond.arg(None, TensorType::new(DType::F32, [4]));
    let first =
        cond.push1(Op::Slice { starts: vec![3], limits: vec![4], strides: vec![1] }, &[carried]).unwrap();
    let first = cond.reshape(first, &[]).unwrap();
    let limit = cond.splat(&TensorType::scalar(DType::F32), 9.0);
    let holds = cond.compare(Comparison::Lt, first, limit).unwrap();
    let cond = cond.finish(&[holds]);
    let mut body = Builder::new("body");
    let carried = body.arg(None, TensorType::new(DType::F32, [4]));
    let twice = body.add(carried, carried).unwrap();
    let op = Op::While { cond: Box::new(cond), body: Box::new(body.finish(&[twice])) };
    let result = b.push1(op, &[flat]).unwrap();
    let p = b.finish(&[result, flat]);
    check(&p, &[], 0.0);
}
