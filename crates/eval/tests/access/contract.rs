//! Contractions to try: dot_general and convolution. The latter with the two forms its gradients take.

use crate::cases::Case;
use crate::util::{Rng, arrangements};
use pullback_ir::{ConvDims, DType, DotDims, Op, TensorType};

fn ty(shape: Vec<usize>) -> TensorType {
    TensorType::new(DType::F64, shape)
}

/// All dimension numbers of operands of rank at most 3, each with sampled sizes; some with one value twice.
pub fn dots(rng: &mut Rng) -> Vec<Case> {
    let mut out = Vec::new();
    for (a, b) in (0..=3).flat_map(|a| (0..=3).map(move |b| (a, b))) {
        for paired in 0..=a.min(b) {
            for lhs in arrangements(a, paired) {
                for rhs in arrangements(b, paired) {
                    for batch in 0..=paired {
                        out.push(dot((a, &lhs), (b, &rhs), batch, rng));
                    }
                }
            }
        }
    }
    for contract in [0, 1] {
        let x = rng.tensor(&ty(vec![3, 3]));
        let (l, r) = (vec![contract], vec![1 - contract]);
        for rhs in [l.clone(), r] {
            let d = DotDims { lhs_contract: l.clone(), rhs_contract: rhs, ..DotDims::default() };
            out.push(Case {
                op: Op::DotGeneral(d),
                inputs: vec![x.clone()],
                operands: vec![0, 0],
                result: 0,
            });
        }
    }
    out
}

/// Dimensions `lhs` and `rhs` go together, the first `batch` of them batching, the others contracting.
fn dot((a, lhs): (usize, &[usize]), (b, rhs): (usize, &[usize]), batch: usize, rng: &mut Rng) -> Case {
    let x = rng.sizes(a);
    let mut y = rng.sizes(b);
    for (&l, &r) in lhs.iter().zip(rhs) {
        y[r] = x[l];
    }
    let d = DotDims {
        lhs_batch: lhs[..batch].to_vec(),
        rhs_batch: rhs[..batch].to_vec(),
        lhs_contract: lhs[batch..].to_vec(),
        rhs_contract: rhs[batch..].to_vec(),
    };
    Case::new(Op::DotGeneral(d), vec![rng.tensor(&ty(x)), rng.tensor(&ty(y))])
}

/// NHWC input, HWIO kernel.
pub fn nhwc(strides: [usize; 2], padding: [(i64, i64); 2]) -> ConvDims {
    ConvDims {
        input_batch: 0,
        input_feature: 3,
        input_spatial: vec![1, 2],
        kernel_input_feature: 2,
        kernel_output_feature: 3,
        kernel_spatial: vec![0, 1],
        output_batch: 0,
        output_feature: 3,
        output_spatial: vec![1, 2],
        strides: strides.to_vec(),
        padding: padding.to_vec(),
        lhs_dilation: vec![1, 1],
        rhs_dilation: vec![1, 1],
        reversal: vec![false, false],
        feature_group_count: 1,
        batch_group_count: 1,
    }
}

/// The form of the input's gradient: the cotangent, dilated by the strides, with the reversed kernel whose
/// features change places.
fn input_gradient(c: &ConvDims, kernel: [usize; 2]) -> ConvDims {
    let wide = |i: usize| (kernel[i] as i64 - 1 - c.padding[i].0, kernel[i] as i64 - 1 - c.padding[i].1);
    ConvDims {
        kernel_input_feature: c.kernel_output_feature,
        kernel_output_feature: c.kernel_input_feature,
        strides: vec![1, 1],
        padding: vec![wide(0), wide(1)],
        lhs_dilation: c.strides.clone(),
        reversal: vec![true, true],
        ..c.clone()
    }
}

/// The form of the kernel's gradient: the input, batch as features, with the cotangent as a kernel dilated by
/// the strides; the batch is what is summed over.
fn kernel_gradient(c: &ConvDims) -> ConvDims {
    ConvDims {
        input_batch: c.input_feature,
        input_feature: c.input_batch,
        kernel_input_feature: c.output_batch,
        kernel_output_feature: c.output_feature,
        kernel_spatial: c.output_spatial.clone(),
        output_batch: c.kernel_input_feature,
        output_feature: c.kernel_output_feature,
        output_spatial: c.kernel_spatial.clone(),
        strides: vec![1, 1],
        rhs_dilation: c.strides.clone(),
        ..c.clone()
    }
}

/// Sizes, strides, paddings, dilations, groups and layouts sampled; the gradient forms of each NHWC one, and the
/// kernel's of each in groups.
pub fn convolutions(rng: &mut Rng) -> Vec<Case> {
    let mut out = Vec::new();
    for _ in 0..60 {
        let strides = [1 + rng.below(2), 1 + rng.below(2)];
        let mut pad = || (rng.within(-1, 1), rng.within(0, 2));
        let c = nhwc(strides, [pad(), pad()]);
        let (n, i, o) = (rng.size(), rng.size(), rng.size());
        let (h, w) = (2 + rng.below(2), 1 + rng.below(3));
        let (kh, kw) = (1 + rng.below(2), 1 + rng.below(2));
        let x = rng.tensor(&ty(vec![n, h, w, i]));
        let k = rng.tensor(&ty(vec![kh, kw, i, o]));
        let forward = Case::new(Op::Convolution(Box::new(c.clone())), vec![x.clone(), k.clone()]);
        let ct = rng.tensor(forward.eval(&[x.clone(), k.clone()]).ty());
        out.push(forward);
        let wgrad = Op::Convolution(Box::new(kernel_gradient(&c)));
        out.push(Case::new(wgrad, vec![x, ct.clone()]));
        let dgrad = Op::Convolution(Box::new(input_gradient(&c, [kh, kw])));
        out.push(Case::new(dgrad, vec![ct, k]));
    }
    out.extend((0..40).flat_map(|_| grouped(rng)));
    out.extend((0..120).map(|_| convolution(rng)));
    out
}

/// A convolution in groups and its kernel's gradient: groups of features become groups of the batch, and back.
fn grouped(rng: &mut Rng) -> [Case; 2] {
    let (fg, bg) = rng.pick(&[(2, 1), (3, 1), (5, 1), (1, 2), (1, 3)]);
    let mut pad = || (rng.within(-1, 1), rng.within(0, 2));
    let c = ConvDims { feature_group_count: fg, batch_group_count: bg, ..nhwc([1, 1], [pad(), pad()]) };
    let (n, i, o, h, kh) = (rng.size(), rng.size(), rng.size(), 2 + rng.below(2), 1 + rng.below(2));
    let x = rng.tensor(&ty(vec![n * bg, h, 2, i * fg]));
    let k = rng.tensor(&ty(vec![kh, 1, i, o * fg * bg]));
    let forward = Case::new(Op::Convolution(Box::new(c.clone())), vec![x.clone(), k.clone()]);
    let ct = rng.tensor(forward.eval(&[x.clone(), k]).ty());
    let swapped = ConvDims { feature_group_count: bg, batch_group_count: fg, ..kernel_gradient(&c) };
    [forward, Case::new(Op::Convolution(Box::new(swapped)), vec![x, ct])]
}

/// Any layout with none to two spatial dimensions, any groups.
fn convolution(rng: &mut Rng) -> Case {
    let n = rng.below(3);
    let (x, k, y) = (rng.choose(n + 2, n + 2), rng.choose(n + 2, n + 2), rng.choose(n + 2, n + 2));
    let (fg, bg) = rng.pick(&[(1, 1), (1, 1), (2, 1), (3, 1), (1, 2), (1, 3)]);
    let mut per = |lo: i64, hi: i64| -> Vec<i64> { (0..n).map(|_| rng.within(lo, hi)).collect() };
    let (low, high) = (per(-1, 2), per(-1, 2));
    let size = |v: Vec<i64>| v.into_iter().map(|v| v as usize).collect::<Vec<_>>();
    let c = ConvDims {
        input_batch: x[0],
        input_feature: x[1],
        input_spatial: x[2..].to_vec(),
        kernel_input_feature: k[0],
        kernel_output_feature: k[1],
        kernel_spatial: k[2..].to_vec(),
        output_batch: y[0],
        output_feature: y[1],
        output_spatial: y[2..].to_vec(),
        strides: size(per(1, 2)),
        padding: low.into_iter().zip(high).collect(),
        lhs_dilation: size(per(1, 2)),
        rhs_dilation: size(per(1, 2)),
        reversal: per(0, 1).into_iter().map(|v| v == 1).collect(),
        feature_group_count: fg,
        batch_group_count: bg,
    };
    let (mut input, mut kernel) = (vec![0; n + 2], vec![0; n + 2]);
    for s in 0..n {
        input[x[2 + s]] = 1 + rng.below(3);
        kernel[k[2 + s]] = 1 + rng.below(2);
    }
    kernel[k[0]] = rng.size();
    kernel[k[1]] = (1 + rng.below(2)) * fg * bg;
    input[x[0]] = rng.size() * bg;
    input[x[1]] = kernel[k[0]] * fg;
    Case::new(Op::Convolution(Box::new(c)), vec![rng.tensor(&ty(input)), rng.tensor(&ty(kernel))])
}
