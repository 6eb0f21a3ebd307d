//! Random valid programs: any op, small shapes, drawn from a seed.
//!
//! An op that does not type is simply not added, so the generator need not know the rules it tests.

use pullback_base::rng::CounterRng;
use pullback_ir::*;

pub struct Gen {
    rng: CounterRng,
    at: u64,
    dtypes: Vec<DType>,
    /// Keeps to what the interpreter computes, and returns every value.
    computable: bool,
}

impl Gen {
    /// All types; constants with any bytes.
    pub fn any(seed: u64) -> Self {
        Self { rng: CounterRng::new(seed, "program"), at: 0, dtypes: DType::ALL.to_vec(), computable: false }
    }

    /// Types and constants that [`crate::interpret`] computes with.
    pub fn computable(seed: u64) -> Self {
        let dtypes = vec![DType::F32, DType::I32, DType::Bool];
        Self { dtypes, computable: true, ..Self::any(seed) }
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.at += 1;
        self.rng.below(self.at, n.max(1) as u64) as usize
    }

    fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        let i = self.below(items.len());
        items[i].clone()
    }

    fn flip(&mut self) -> bool {
        self.below(2) == 1
    }

    fn sizes(&mut self, n: usize, bound: usize) -> Vec<usize> {
        (0..n).map(|_| self.below(bound)).collect()
    }

    fn shape(&mut self) -> Vec<usize> {
        let rank = self.below(4);
        // Zero now and then.
        (0..rank).map(|_| if self.below(12) == 0 { 0 } else { 1 + self.below(4) }).collect()
    }

    /// Some of 0..n in a random order.
    fn dims(&mut self, n: usize, count: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..n).collect();
        (0..count.min(n)).map(|_| all.swap_remove(self.below(all.len()))).collect()
    }

    fn sorted(&mut self, n: usize, count: usize) -> Vec<usize> {
        let mut dims = self.dims(n, count);
        dims.sort();
        dims
    }

    fn ty(&mut self) -> TensorType {
        let (dtype, shape) = (self.pick(&self.dtypes.clone()), self.shape());
        TensorType::new(dtype, shape)
    }

    fn name(&mut self) -> Option<String> {
        const NAMES: [&str; 8] =
            ["w", "layers.0/w", "", "a \"b\" \\", "tab\t\nline", "\u{1}\u{7f}", "σ→∇", "return"];
        if self.flip() { None } else { Some(self.pick(&NAMES).to_owned()) }
    }

    pub fn literal(&mut self, ty: &TensorType) -> Literal {
        const NUMBERS: [f64; 12] = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            2.0,
            0.1,
            -3.0e-7,
            12345678.0,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            f64::MIN_POSITIVE,
        ];
        let n = if self.flip() { 1 } else { ty.count() };
        let size = ty.dtype().size();
        let bytes: Vec<u8> = if !self.computable && self.flip() {
            (0..n * size).map(|_| self.below(256) as u8).collect()
        } else {
            // The first ones are what identities are about.
            let numbers = if self.flip() { &NUMBERS[..4] } else { &NUMBERS[..] };
            (0..n).flat_map(|_| literal::encode_f64(ty.dtype(), self.pick(numbers))).collect()
        };
        if n == 1 { Literal::splat(ty.clone(), &bytes) } else { Literal::dense(ty.clone(), bytes) }.unwrap()
    }

    fn index_op(&mut self, x: &TensorType) -> Op {
        let rank = x.rank();
        match self.below(10) {
            0 | 1 => {
                let shape = [x.shape(), &self.shape()].concat();
                let dims = self.dims(shape.len(), rank);
                let mut out = self.sizes(shape.len(), 3);
                for (i, &d) in dims.iter().enumerate() {
                    out[d] = if x.shape()[i] == 1 { 1 + self.below(3) } else { x.shape()[i] };
                }
                Op::BroadcastInDim { shape: out, dims }
            }
            2 | 3 => {
                let mut shape = x.shape().to_vec();
                let at = self.below(rank + 1);
                match self.below(3) {
                    0 => shape.insert(at, 1),
                    1 => shape.reverse(),
                    _ => shape = vec![x.count()],
                }
                Op::Reshape { shape }
            }
            4 | 5 => Op::Transpose { permutation: self.dims(rank, rank) },
            6 | 7 => {
                let limits: Vec<usize> = x.shape().iter().map(|&n| self.below(n + 1)).collect();
                let starts = limits.iter().map(|&l| self.below(l + 1)).collect();
                Op::Slice { starts, limits, strides: (0..rank).map(|_| 1 + self.below(3)).collect() }
            }
            8 => {
                let low = (0..rank).map(|_| self.below(4) as i64 - 1).collect();
                let high = (0..rank).map(|_| self.below(4) as i64 - 1).collect();
                Op::Pad { low, high, interior: self.sizes(rank, 2) }
            }
            _ => {
                let n = self.below(rank + 1);
                Op::Reverse { dims: self.dims(rank, n) }
            }
        }
    }

    /// Ops whose attributes are taken at random; few of them type.
    fn wild_op(&mut self, x: &TensorType, y: &TensorType) -> Op {
        let (rank, n, m) = (x.rank(), self.below(3), self.below(3));
        match self.below(10) {
            6 => Op::ReduceWindow { window: Box::new(self.window(rank)), monoid: self.pick(Monoid::ALL) },
            7 => Op::Argsort { dim: self.below(rank), descending: self.flip(), total_order: self.flip() },
            8 => Op::BitcastConvert { dtype: self.pick(&self.dtypes.clone()) },
            9 => Op::ReducePrecision {
                exponent_bits: 1 + self.below(11) as u32,
                mantissa_bits: self.below(53) as u32,
            },
            0 => Op::DotGeneral(DotDims {
                lhs_batch: self.dims(rank, n.min(1)),
                rhs_batch: self.dims(y.rank(), n.min(1)),
                lhs_contract: self.dims(rank, m),
                rhs_contract: self.dims(y.rank(), m),
            }),
            1 => self.convolution(x, y),
            2 => Op::Reduce { dims: self.sorted(rank, n), monoid: self.pick(Monoid::ALL) },
            3 => {
                let collapsed = self.sorted(rank, n);
                let index_vector_dim = self.below(y.rank() + 1);
                let window = rank - collapsed.len();
                let batch = y.rank() - usize::from(index_vector_dim < y.rank());
                let len = y.shape().get(index_vector_dim).copied().unwrap_or(1);
                Op::Gather(Box::new(GatherDims {
                    offset_dims: self.sorted(window + batch, window),
                    slice_sizes: (0..rank)
                        .map(|d| {
                            if collapsed.contains(&d) {
                                1.min(x.shape()[d])
                            } else {
                                self.below(x.shape()[d] + 1)
                            }
                        })
                        .collect(),
                    collapsed_slice_dims: collapsed,
                    operand_batching_dims: Vec::new(),
                    start_indices_batching_dims: Vec::new(),
                    start_index_map: self.dims(rank, len),
                    index_vector_dim,
                    indices_are_sorted: self.flip(),
                }))
            }
            4 => {
                let inserted = self.sorted(rank, rank);
                let index_vector_dim = self.below(y.rank() + 1);
                let len = y.shape().get(index_vector_dim).copied().unwrap_or(1);
                Op::Scatter {
                    dims: Box::new(ScatterDims {
                        update_window_dims: Vec::new(),
                        inserted_window_dims: inserted,
                        input_batching_dims: Vec::new(),
                        scatter_indices_batching_dims: Vec::new(),
                        scatter_dims_to_operand_dims: self.dims(rank, len),
                        index_vector_dim,
                        indices_are_sorted: self.flip(),
                        unique_indices: self.flip(),
                    }),
                    combiner: if self.flip() { Some(self.pick(Monoid::ALL)) } else { None },
                }
            }
            _ => Op::DynamicSlice { sizes: x.shape().iter().map(|&n| self.below(n + 1)).collect() },
        }
    }

    fn window(&mut self, rank: usize) -> WindowDims {
        let mut some = |n: usize| (0..rank).map(|_| 1 + self.below(n)).collect::<Vec<usize>>();
        WindowDims {
            sizes: some(3),
            strides: some(2),
            base_dilations: some(2),
            window_dilations: some(2),
            padding: (0..rank).map(|_| (self.below(4) as i64 - 1, self.below(3) as i64)).collect(),
        }
    }

    /// A loop over `x`, or a choice of two programs of it.
    fn with_regions(&mut self, index: Value, x: Value, ty: &TensorType) -> (Op, Vec<Value>) {
        let region = |g: &mut Self, holds: bool| {
            let mut b = Builder::new("region");
            let v = b.arg(None, ty.clone());
            let op = g.pick(UnaryOp::ALL);
            let w = b.unary(op, v).ok().filter(|&w| b.ty(w) == ty).unwrap_or(v);
            let result = if holds { b.splat(&TensorType::scalar(DType::Bool), 0.0) } else { w };
            b.finish(&[result])
        };
        if self.flip() {
            let (cond, body) = (Box::new(region(self, true)), Box::new(region(self, false)));
            return (Op::While { cond, body }, vec![x]);
        }
        let branches = (0..1 + self.below(3)).map(|_| region(self, false)).collect();
        (Op::Case { branches }, vec![index, x])
    }

    fn convolution(&mut self, x: &TensorType, k: &TensorType) -> Op {
        let n = x.rank().saturating_sub(2);
        let (i, o, q) = (self.dims(n + 2, n + 2), self.dims(n + 2, n + 2), self.dims(n + 2, n + 2));
        let feature = x.shape().get(i[1]).copied().unwrap_or(1);
        let kin = k.shape().get(o[0]).copied().unwrap_or(1).max(1);
        Op::Convolution(Box::new(ConvDims {
            input_batch: i[0],
            input_feature: i[1],
            input_spatial: i[2..].to_vec(),
            kernel_input_feature: o[0],
            kernel_output_feature: o[1],
            kernel_spatial: o[2..].to_vec(),
            output_batch: q[0],
            output_feature: q[1],
            output_spatial: q[2..].to_vec(),
            strides: (0..n).map(|_| 1 + self.below(2)).collect(),
            padding: (0..n).map(|_| (self.below(4) as i64 - 1, self.below(3) as i64)).collect(),
            lhs_dilation: (0..n).map(|_| 1 + self.below(3)).collect(),
            rhs_dilation: (0..n).map(|_| 1 + self.below(2)).collect(),
            reversal: (0..n).map(|_| self.flip()).collect(),
            feature_group_count: (feature / kin).max(1),
            batch_group_count: 1,
        }))
    }

    /// An op and operands of `values`; it may not type.
    fn instr(&mut self, b: &Builder, values: &[Value]) -> (Op, Vec<Value>) {
        // Recent values, so that ops follow ops.
        let recent = &values[values.len().saturating_sub(6)..];
        let x = if self.flip() { self.pick(recent) } else { self.pick(values) };
        let ty = b.ty(x).clone();
        let alike: Vec<Value> = values.iter().copied().filter(|&v| *b.ty(v) == ty).collect();
        let (y, z) = (self.pick(&alike), self.pick(&alike));
        let kind = match self.below(10) {
            9 if self.computable => 3,
            kind => kind,
        };
        match kind {
            0 => {
                // Often of a type in use, so that ops meet it.
                let ty = if self.below(4) > 0 { ty } else { self.ty() };
                (Op::Constant(self.literal(&ty)), vec![])
            }
            1 => {
                let ty = self.ty();
                let dim = self.below(ty.rank());
                (Op::Iota { ty, dim }, vec![])
            }
            2 => (Op::Unary(self.pick(UnaryOp::ALL)), vec![x]),
            3 => (Op::Binary(self.pick(BinaryOp::ALL)), vec![x, y]),
            4 => {
                let (direction, total_order) = (self.pick(Comparison::ALL), self.below(4) == 0);
                (Op::Compare { direction, total_order }, vec![x, y])
            }
            5 => {
                let of = |d: DType, shape: &[usize]| {
                    values.iter().copied().find(|&v| b.ty(v).dtype() == d && b.ty(v).shape() == shape)
                };
                let pred = if self.flip() { of(DType::Bool, &[]) } else { of(DType::Bool, ty.shape()) };
                match pred {
                    Some(pred) => (Op::Select, vec![pred, y, z]),
                    None => (Op::Clamp, vec![x, y, z]),
                }
            }
            6 => (Op::Convert { dtype: self.pick(&self.dtypes.clone()) }, vec![x]),
            7 => match self.index_op(&ty) {
                op @ Op::Pad { .. } => {
                    let scalar = values.iter().find(|&&v| *b.ty(v) == TensorType::scalar(ty.dtype()));
                    (op, std::iter::once(x).chain(scalar.copied()).collect())
                }
                op => (op, vec![x]),
            },
            8 => {
                let n = 1 + self.below(3);
                let operands = (0..n).map(|_| self.pick(&alike)).collect();
                (Op::Concatenate { dim: self.below(ty.rank()) }, operands)
            }
            _ => {
                let y = self.pick(values);
                if self.below(6) == 0 {
                    return self.with_regions(values[0], x, &ty);
                }
                let op = self.wild_op(&ty, b.ty(y));
                let start = values.iter().copied().find(|&v| *b.ty(v) == TensorType::scalar(DType::I32));
                let starts = (0..ty.rank()).filter_map(|_| start);
                match &op {
                    Op::DynamicSlice { .. } if self.flip() => {
                        (op, std::iter::once(x).chain(starts).collect())
                    }
                    Op::DynamicSlice { .. } => {
                        (Op::DynamicUpdateSlice, [x, z].into_iter().chain(starts).collect())
                    }
                    Op::Reduce { .. }
                    | Op::ReduceWindow { .. }
                    | Op::BitcastConvert { .. }
                    | Op::ReducePrecision { .. } => (op, vec![x]),
                    Op::Argsort { .. } if self.flip() => (op, vec![x]),
                    Op::Scatter { .. } => {
                        let u = self.pick(values);
                        (op, vec![x, y, u])
                    }
                    _ => (op, vec![x, y]),
                }
            }
        }
    }

    /// A program of about `n` instructions. Some arguments come late.
    pub fn program(&mut self, n: usize) -> Program {
        let function = self.name().unwrap_or_else(|| "main".to_owned());
        let mut b = Builder::new(function);
        let mut values =
            vec![b.arg(None, TensorType::scalar(DType::I32)), b.arg(None, TensorType::scalar(DType::Bool))];
        for i in 0..n {
            if i < 3 || self.below(20) == 0 {
                let name = self.name().map(|name| format!("{name}{i}"));
                let ty = self.ty();
                values.push(b.arg(name.as_deref(), ty));
            }
            let (op, operands) = self.instr(&b, &values);
            if let Ok(results) = b.push(op, &operands) {
                for &r in &results {
                    if let Some(name) = self.name() {
                        b.name(r, name);
                    }
                }
                values.extend(results);
            }
        }
        if !self.computable {
            values = (0..1 + self.below(6)).map(|_| self.pick(&values)).collect();
        }
        let results = values.into_iter().map(|v| (v, self.name())).collect();
        b.finish_named(results)
    }
}
