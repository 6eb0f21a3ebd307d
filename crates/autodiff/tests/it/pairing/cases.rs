//! Instances of elementwise ops, ops that move elements, contractions and indexed ops.

use crate::common::*;
use pullback_eval::Tensor;
use pullback_ir::{
    BinaryOp, Builder, ConvDims, DType, DTypeClass, DotDims, GatherDims, Monoid, Op, Program, ScatterDims,
    TensorType, TypeError, UnaryOp, Value,
};

/// A program, its arguments, and those it is differentiated by.
pub struct Case {
    pub label: String,
    pub program: Program,
    pub inputs: Vec<Tensor>,
    pub wrt: Vec<usize>,
}

impl Case {
    /// Of one op; `None` where it does not type. Differentiated by all inputs that have tangents.
    pub fn of(op: Op, inputs: Vec<Tensor>) -> Option<Self> {
        let label = format!("{op:?} of {:?}", inputs.iter().map(|t| t.ty().to_string()).collect::<Vec<_>>());
        Self::made(label, inputs, |b, v| b.push(op, v))
    }

    pub fn made(
        label: String,
        inputs: Vec<Tensor>,
        body: impl FnOnce(&mut Builder, &[Value]) -> Result<Vec<Value>, TypeError>,
    ) -> Option<Self> {
        let mut b = Builder::new("case");
        let args: Vec<Value> = inputs.iter().map(|t| b.arg(None, t.ty().clone())).collect();
        let results = body(&mut b, &args).ok()?;
        let wrt = (0..inputs.len()).filter(|&i| inputs[i].dtype().is_differentiable()).collect();
        Some(Self { label, program: b.finish(&results), inputs, wrt })
    }

    pub fn by(mut self, wrt: &[usize]) -> Self {
        self.wrt = wrt.to_vec();
        self
    }
}

/// All shapes of this rank with dimensions 0 to 3.
pub fn shapes(rank: usize) -> Vec<Vec<usize>> {
    product(&vec![4; rank])
}

/// Every multi-index of a shape.
pub fn product(shape: &[usize]) -> Vec<Vec<usize>> {
    shape.iter().fold(vec![Vec::new()], |all, &n| {
        all.iter().flat_map(|i| (0..n).map(move |k| [&i[..], &[k]].concat())).collect()
    })
}

/// Every ordered choice of `k` of 0..n.
fn arrangements(n: usize, k: usize) -> Vec<Vec<usize>> {
    product(&vec![n; k]).into_iter().filter(|a| (1..k).all(|i| !a[..i].contains(&a[i]))).collect()
}

/// Whole numbers from -2 to 2.
pub fn whole(ty: &TensorType, stream: &str) -> Tensor {
    let values: Vec<f64> = parts(&random(ty, stream, -2.0, 3.0)).iter().map(|v| v.floor()).collect();
    from_parts(ty, &values)
}

pub fn indices(shape: &[usize], stream: &str, low: f64, high: f64) -> Tensor {
    let ty = TensorType::new(DType::I32, shape);
    let values: Vec<i64> = random(&TensorType::new(DType::F64, shape), stream, low, high + 1.0)
        .to_f64s()
        .iter()
        .map(|v| v.floor() as i64)
        .collect();
    Tensor::from_i64s(ty, &values).unwrap()
}

pub fn elementwise(dtype: DType) -> Vec<Case> {
    let mut out = Vec::new();
    for shape in (0..=2).flat_map(shapes) {
        let ty = TensorType::new(dtype, &shape[..]);
        for &op in UnaryOp::ALL {
            let range = if op == UnaryOp::Acosh { (1.2, 2.0) } else { (0.3, 0.8) };
            out.extend(Case::of(Op::Unary(op), vec![random(&ty, "x", range.0, range.1)]));
        }
        for &op in BinaryOp::ALL {
            let mut inputs = vec![random(&ty, "x", 1.3, 1.8), random(&ty, "y", 0.3, 0.8)];
            let second = matches!(op, BinaryOp::Polygamma | BinaryOp::Zeta);
            if op == BinaryOp::Polygamma {
                inputs[0] = from_parts(&ty, &parts(&inputs[0]).iter().map(|v| v.floor()).collect::<Vec<_>>());
            }
            if op == BinaryOp::Remainder && dtype.class() == DTypeClass::Complex {
                continue;
            }
            let case = Case::of(Op::Binary(op), inputs);
            out.extend(case.map(|c| if second { c.by(&[1]) } else { c }));
        }
        for scalar in [false, true] {
            let pred = TensorType::new(DType::Bool, if scalar { &[] } else { &shape[..] });
            let pred = Tensor::from_f64s(pred.clone(), &vec![1.0; pred.count()]).unwrap();
            out.extend(Case::of(Op::Select, vec![pred, whole(&ty, "x"), whole(&ty, "y")]));
            let bound = if scalar { TensorType::scalar(dtype) } else { ty.clone() };
            out.extend(Case::of(Op::Clamp, vec![whole(&bound, "lo"), whole(&ty, "x"), whole(&ty, "hi")]));
        }
        for to in [DType::F64, DType::C128, DType::F32, DType::C64, DType::BF16, DType::F16, DType::I32] {
            out.extend(Case::of(Op::Convert { dtype: to }, vec![whole(&ty, "x")]));
        }
        let rounded = Op::ReducePrecision { exponent_bits: 5, mantissa_bits: 4 };
        out.extend(Case::of(rounded, vec![whole(&ty, "x")]));
    }
    let bits = Op::BitcastConvert { dtype: if dtype.size() == 8 { DType::F64 } else { DType::BF16 } };
    out.extend(Case::of(bits, vec![whole(&TensorType::new(dtype, [2, 2]), "x")]));
    out
}

pub fn moving(dtype: DType) -> Vec<Case> {
    let mut out = Vec::new();
    let of = |shape: &[usize], stream: &str| whole(&TensorType::new(dtype, shape), stream);
    for shape in (0..=2).flat_map(shapes) {
        let x = || vec![of(&shape, "x")];
        for dims in arrangements(3, shape.len()) {
            let mut to = vec![2, 0, 3];
            for (i, &d) in dims.iter().enumerate() {
                to[d] = if shape[i] == 1 { 3 - i } else { shape[i] };
            }
            out.extend(Case::of(Op::BroadcastInDim { shape: to, dims }, x()));
        }
        let count: usize = shape.iter().product();
        out.extend(Case::of(Op::Reshape { shape: vec![1, count] }, x()));
        for permutation in arrangements(shape.len(), shape.len()) {
            out.extend(Case::of(Op::Transpose { permutation }, x()));
        }
        for dims in [&[][..], &[0], &[1], &[0, 1]] {
            out.extend(Case::of(Op::Reverse { dims: dims.to_vec() }, x()));
        }
        if shape.len() == 2 {
            for dim in 0..2 {
                let mut other = shape.clone();
                other[dim] = 2;
                let inputs = vec![of(&shape, "x"), of(&other, "y"), of(&shape, "z")];
                out.extend(Case::of(Op::Concatenate { dim }, inputs));
            }
        }
    }
    for n in 0..=3 {
        for (start, limit, stride) in product(&[4, 4, 4])
            .into_iter()
            .map(|t| (t[0], t[1], t[2]))
            .filter(|t| t.0 <= t.1 && t.1 <= n && t.2 > 0)
        {
            let op = Op::Slice { starts: vec![0, start], limits: vec![2, limit], strides: vec![1, stride] };
            out.extend(Case::of(op, vec![of(&[2, n], "x")]));
        }
        for t in product(&[5, 5, 3]) {
            let (low, high, interior) = (t[0] as i64 - 2, t[1] as i64 - 2, t[2]);
            let op = Op::Pad { low: vec![low, 0], high: vec![high, 1], interior: vec![interior, 0] };
            out.extend(Case::of(op, vec![of(&[n, 2], "x"), of(&[], "value")]));
        }
    }
    out
}

pub fn contractions(dtype: DType) -> Vec<Case> {
    let mut out = Vec::new();
    let of = |shape: &[usize], stream: &str| whole(&TensorType::new(dtype, shape), stream);
    let dims = |lb: &[usize], rb: &[usize], lc: &[usize], rc: &[usize]| {
        Op::DotGeneral(DotDims {
            lhs_batch: lb.to_vec(),
            rhs_batch: rb.to_vec(),
            lhs_contract: lc.to_vec(),
            rhs_contract: rc.to_vec(),
        })
    };
    for s in shapes(3) {
        let (i, j, k) = (s[0], s[1], s[2]);
        for (d, l, r) in [
            (dims(&[], &[], &[1], &[0]), vec![i, k], vec![k, j]),
            (dims(&[], &[], &[0], &[1]), vec![k, i], vec![j, k]),
            (dims(&[0], &[1], &[1], &[0]), vec![i, k], vec![k, i, j]),
            (dims(&[], &[], &[1, 0], &[0, 1]), vec![k, i, j], vec![i, k]),
            (dims(&[1], &[0], &[], &[]), vec![j, i], vec![i, k]),
        ] {
            out.extend(Case::of(d, vec![of(&l, "x"), of(&r, "y")]));
        }
    }
    for t in product(&[4, 3, 2, 2, 2, 2, 3]) {
        let (n, k) = (t[0], t[1] + 1);
        let padding = [(0, 0), (1, 2), (-1, 1)][t[6]];
        let mut c = conv(1, 1);
        (c.strides[0], c.lhs_dilation[0], c.rhs_dilation[0]) = (t[2] + 1, t[3] + 1, t[4] + 1);
        (c.reversal[0], c.padding[0]) = (t[5] == 1, padding);
        out.extend(Case::of(Op::Convolution(Box::new(c)), vec![of(&[1, n, 1], "x"), of(&[k, 1, 2], "k")]));
    }
    for (fg, bg, batch, n) in
        [(2, 1, 1, 3), (3, 1, 2, 2), (1, 2, 2, 3), (1, 3, 3, 2), (2, 1, 0, 3), (1, 2, 2, 0)]
    {
        let inputs = vec![of(&[batch, n, fg], "x"), of(&[2, 1, 2 * fg * bg], "k")];
        out.extend(Case::of(Op::Convolution(Box::new(conv(fg, bg))), inputs));
    }
    out
}

fn conv(feature_group_count: usize, batch_group_count: usize) -> ConvDims {
    ConvDims {
        input_batch: 0,
        input_feature: 2,
        input_spatial: vec![1],
        kernel_input_feature: 1,
        kernel_output_feature: 2,
        kernel_spatial: vec![0],
        output_batch: 2,
        output_feature: 0,
        output_spatial: vec![1],
        strides: vec![1],
        padding: vec![(0, 0)],
        lhs_dilation: vec![1],
        rhs_dilation: vec![1],
        reversal: vec![false],
        feature_group_count,
        batch_group_count,
    }
}

pub fn indexed(dtype: DType) -> Vec<Case> {
    let mut out = Vec::new();
    let of = |shape: &[usize], stream: &str| whole(&TensorType::new(dtype, shape), stream);
    for (n, m, k) in product(&[4, 4, 4]).into_iter().map(|s| (s[0], s[1], s[2])) {
        for (low, high) in [(0.0, 0.0), (-1.0, n as f64)] {
            let stream = format!("{n}{m}{k}");
            let rows = || indices(&[k, 1], &stream, low, high);
            let gather = GatherDims {
                offset_dims: vec![1],
                collapsed_slice_dims: vec![0],
                operand_batching_dims: vec![],
                start_indices_batching_dims: vec![],
                start_index_map: vec![0],
                index_vector_dim: 1,
                slice_sizes: vec![1, m],
                indices_are_sorted: false,
            };
            out.extend(Case::of(Op::Gather(Box::new(gather)), vec![of(&[n, m], "x"), rows()]));
            for combiner in [
                None,
                Some(Monoid::Add),
                Some(Monoid::Multiply),
                Some(Monoid::Maximum),
                Some(Monoid::Minimum),
            ] {
                let dims = ScatterDims {
                    update_window_dims: vec![1],
                    inserted_window_dims: vec![0],
                    input_batching_dims: vec![],
                    scatter_indices_batching_dims: vec![],
                    scatter_dims_to_operand_dims: vec![0],
                    index_vector_dim: 1,
                    indices_are_sorted: false,
                    unique_indices: k <= 1,
                };
                let op = Op::Scatter { dims: Box::new(dims), combiner };
                let inputs = vec![of(&[n, m], "x"), rows(), of(&[k, m], "u")];
                out.extend(Case::of(op.clone(), inputs.clone()));
                out.extend(Case::of(op, inputs).map(|c| c.by(&[2])));
            }
        }
        if k <= n {
            for start in -1..=3 {
                let at = || Tensor::from_i64s(TensorType::scalar(DType::I32), &[start]).unwrap();
                let zero = Tensor::from_i64s(TensorType::scalar(DType::I32), &[0]).unwrap();
                let op = Op::DynamicSlice { sizes: vec![k, m] };
                out.extend(Case::of(op, vec![of(&[n, m], "x"), at(), zero.clone()]));
                let inputs = vec![of(&[n, m], "x"), of(&[k, m], "u"), at(), zero];
                out.extend(Case::of(Op::DynamicUpdateSlice, inputs));
            }
        }
    }
    out
}
