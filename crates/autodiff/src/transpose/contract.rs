//! Transposes of the contractions: dot_general and convolution, each with respect to either operand.
//!
//! Each is one contraction again, of as many multiplications as the one it transposes. Convolution follows
//! Dumoulin and Visin, "A guide to convolution arithmetic" (2016), generalised to dilations and groups.

use pullback_ir::{Builder, ConvDims, DotDims, Op, TensorType, TypeError, Value};

type Made = Result<Value, TypeError>;

/// Cotangent of an operand of `dot_general`, of type `ty`, the other operand being `other`.
pub(crate) fn dot(
    b: &mut Builder,
    ct: Value,
    other: Value,
    d: &DotDims,
    ty: &TensorType,
    is_lhs: bool,
) -> Made {
    let other_rank = b.ty(other).rank();
    let (own_batch, own_contract, other_batch, other_contract) = match is_lhs {
        true => (&d.lhs_batch, &d.lhs_contract, &d.rhs_batch, &d.rhs_contract),
        false => (&d.rhs_batch, &d.rhs_contract, &d.lhs_batch, &d.lhs_contract),
    };
    let free = |rank: usize, batch: &[usize], contract: &[usize]| -> Vec<usize> {
        (0..rank).filter(|i| !batch.contains(i) && !contract.contains(i)).collect()
    };
    let own_free = free(ty.rank(), own_batch, own_contract);
    let other_free = free(other_rank, other_batch, other_contract);
    let batch = own_batch.len();
    // The result has: batch, free dimensions of the lhs, free dimensions of the rhs.
    let first = batch + if is_lhs { own_free.len() } else { 0 };
    let ct_contract: Vec<usize> = (first..first + other_free.len()).collect();
    let ct_batch: Vec<usize> = (0..batch).collect();
    // What remains of the other operand are its contracting dimensions, in order of position there.
    let mut by_position: Vec<usize> = (0..own_contract.len()).collect();
    by_position.sort_by_key(|&i| other_contract[i]);
    let remaining: Vec<usize> = by_position.iter().map(|&i| own_contract[i]).collect();

    // Dimensions of the operand as the new contraction gives them, with the cotangent first or second.
    let ct_first = [&own_batch[..], &own_free, &remaining].concat();
    let ct_second = [&own_batch[..], &remaining, &own_free].concat();
    let in_order = |order: &[usize]| order.iter().enumerate().all(|(i, &d)| i == d);
    let swap = in_order(&ct_second) && !in_order(&ct_first);
    let (order, made) = if swap {
        let dims = DotDims {
            lhs_batch: other_batch.clone(),
            rhs_batch: ct_batch,
            lhs_contract: other_free,
            rhs_contract: ct_contract,
        };
        (ct_second, b.dot(other, ct, dims)?)
    } else {
        let dims = DotDims {
            lhs_batch: ct_batch,
            rhs_batch: other_batch.clone(),
            lhs_contract: ct_contract,
            rhs_contract: other_free,
        };
        (ct_first, b.dot(ct, other, dims)?)
    };
    b.transpose(made, &super::inverse(&order))
}

fn dilated(n: usize, dilation: usize) -> i64 {
    if n == 0 { 0 } else { (n as i64 - 1) * dilation as i64 + 1 }
}

/// Splits dimension `axis` into (groups, rest) and merges the groups, as the slower part, into `into`.
fn move_groups(b: &mut Builder, x: Value, groups: usize, axis: usize, into: usize) -> Made {
    if groups == 1 {
        return Ok(x);
    }
    let shape = b.ty(x).shape().to_vec();
    let mut split = shape.clone();
    split[axis] /= groups;
    let mut merged = split.clone();
    merged[into] *= groups;
    split.insert(axis, groups);
    let x = b.reshape(x, &split)?;
    // Dimension d of x is at d in the split shape, one later from `axis` on.
    let at = |d: usize| if d >= axis { d + 1 } else { d };
    let mut permutation = Vec::with_capacity(split.len());
    for d in 0..shape.len() {
        if d == into {
            permutation.push(axis);
        }
        permutation.push(at(d));
    }
    let x = b.transpose(x, &permutation)?;
    b.reshape(x, &merged)
}

/// Cotangent of a convolution's input, of type `input`: the cotangent, dilated by the strides, convolved with
/// the reversed kernel.
pub(crate) fn conv_input(
    b: &mut Builder,
    ct: Value,
    kernel: Value,
    c: &ConvDims,
    input: &TensorType,
) -> Made {
    if b.ty(ct).count() == 0 || b.ty(kernel).count() == 0 || input.count() == 0 {
        return Ok(b.splat(input, 0.0));
    }
    let groups = c.feature_group_count.max(c.batch_group_count);
    let k_ty = b.ty(kernel).clone();
    let padding = (0..c.strides.len())
        .map(|i| {
            let x = dilated(input.shape()[c.input_spatial[i]], c.lhs_dilation[i]);
            let k = dilated(k_ty.shape()[c.kernel_spatial[i]], c.rhs_dilation[i]);
            let y = dilated(b.ty(ct).shape()[c.output_spatial[i]], c.strides[i]);
            let before = k - 1 - c.padding[i].0;
            (before, x + k - 1 - y - before)
        })
        .collect();
    let kernel = move_groups(b, kernel, groups, c.kernel_output_feature, c.kernel_input_feature)?;
    let dims = ConvDims {
        input_batch: c.output_batch,
        input_feature: c.output_feature,
        input_spatial: c.output_spatial.clone(),
        kernel_input_feature: c.kernel_output_feature,
        kernel_output_feature: c.kernel_input_feature,
        kernel_spatial: c.kernel_spatial.clone(),
        output_batch: c.input_batch,
        output_feature: c.input_feature,
        output_spatial: c.input_spatial.clone(),
        strides: c.lhs_dilation.clone(),
        padding,
        lhs_dilation: c.strides.clone(),
        rhs_dilation: c.rhs_dilation.clone(),
        reversal: c.reversal.iter().map(|r| !r).collect(),
        feature_group_count: groups,
        batch_group_count: 1,
    };
    let made = b.push1(Op::Convolution(Box::new(dims)), &[ct, kernel])?;
    move_groups(b, made, c.batch_group_count, c.input_feature, c.input_batch)
}

/// Cotangent of a convolution's kernel, of type `kernel`: the input convolved with the cotangent, batch and
/// features changing places.
pub(crate) fn conv_kernel(
    b: &mut Builder,
    ct: Value,
    input: Value,
    c: &ConvDims,
    kernel: &TensorType,
) -> Made {
    if b.ty(ct).count() == 0 || b.ty(input).count() == 0 || kernel.count() == 0 {
        return Ok(b.splat(kernel, 0.0));
    }
    let padding = (0..c.strides.len())
        .map(|i| {
            let x = dilated(b.ty(input).shape()[c.input_spatial[i]], c.lhs_dilation[i]);
            let k = dilated(kernel.shape()[c.kernel_spatial[i]], c.rhs_dilation[i]);
            let y = dilated(b.ty(ct).shape()[c.output_spatial[i]], c.strides[i]);
            let low = c.padding[i].0;
            (low, y - x + k - low - 1)
        })
        .collect();
    let dims = ConvDims {
        input_batch: c.input_feature,
        input_feature: c.input_batch,
        input_spatial: c.input_spatial.clone(),
        kernel_input_feature: c.output_batch,
        kernel_output_feature: c.output_feature,
        kernel_spatial: c.output_spatial.clone(),
        output_batch: c.kernel_input_feature,
        output_feature: c.kernel_output_feature,
        output_spatial: c.kernel_spatial.clone(),
        strides: c.rhs_dilation.clone(),
        padding,
        lhs_dilation: c.lhs_dilation.clone(),
        rhs_dilation: c.strides.clone(),
        reversal: vec![false; c.strides.len()],
        feature_group_count: c.batch_group_count,
        batch_group_count: c.feature_group_count,
    };
    let made = b.push1(Op::Convolution(Box::new(dims)), &[input, ct])?;
    let reversed: Vec<usize> =
        (0..c.strides.len()).filter(|&i| c.reversal[i]).map(|i| c.kernel_spatial[i]).collect();
    if reversed.is_empty() { Ok(made) } else { b.push1(Op::Reverse { dims: reversed }, &[made]) }
}
