//! Cutting a part out of a compact buffer.

use super::Held;
use crate::build::Builder;
use crate::infer::TypeError;
use crate::op::Op;
use crate::program::Value;
use crate::region::{IntervalSet, Region};

/// The compact buffer of `part`, which must lie within what is held.
pub fn narrow(b: &mut Builder, held: &Held, part: &Region) -> Result<Value, TypeError> {
    if *part == held.region {
        return Ok(held.value);
    }
    if part.is_empty() {
        let ty = b.ty(held.value).with_shape(part.shape());
        return Ok(b.splat(&ty, 0.0));
    }
    if !part.is_subset(&held.region) {
        return Err(TypeError::new(format!("needs {part}, holds only {}", held.region)));
    }
    let relative = part.relative_to(&held.region);
    let mut value = held.value;
    // All dimensions that are one strided run in a single slice, the others piece by piece.
    let shape = b.ty(value).shape().to_vec();
    let runs: Vec<Option<(usize, usize, usize)>> = relative.dims().iter().map(progression).collect();
    let full = |d: usize| (0, shape[d], 1);
    let bounds: Vec<(usize, usize, usize)> = (0..shape.len()).map(|d| runs[d].unwrap_or(full(d))).collect();
    value = slice(b, value, &bounds)?;
    for (d, set) in relative.dims().iter().enumerate() {
        if runs[d].is_none() {
            let pieces = set.intervals().iter().map(|&(lo, hi)| {
                let shape = b.ty(value).shape().to_vec();
                let bounds: Vec<_> =
                    (0..shape.len()).map(|e| if e == d { (lo, hi, 1) } else { (0, shape[e], 1) }).collect();
                slice(b, value, &bounds)
            });
            let pieces = pieces.collect::<Result<Vec<_>, _>>()?;
            value = b.push1(Op::Concatenate { dim: d }, &pieces)?;
        }
    }
    Ok(value)
}

/// start, limit, stride when the set is one.
fn progression(set: &IntervalSet) -> Option<(usize, usize, usize)> {
    match set.intervals() {
        [] => Some((0, 0, 1)),
        [(lo, hi)] => Some((*lo, *hi, 1)),
        all => {
            let stride = all[1].0 - all[0].0;
            let even =
                all.iter().all(|(lo, hi)| hi - lo == 1) && all.windows(2).all(|w| w[1].0 - w[0].0 == stride);
            even.then(|| (all[0].0, set.end(), stride))
        }
    }
}

/// A slice by (start, limit, stride) per dimension; the value itself when that is everything.
pub(super) fn slice(
    b: &mut Builder,
    value: Value,
    bounds: &[(usize, usize, usize)],
) -> Result<Value, TypeError> {
    let shape = b.ty(value).shape();
    if bounds.iter().zip(shape).all(|(&bound, &n)| bound == (0, n, 1)) {
        return Ok(value);
    }
    let starts = bounds.iter().map(|t| t.0).collect();
    let limits = bounds.iter().map(|t| t.1).collect();
    let strides = bounds.iter().map(|t| t.2).collect();
    b.push1(Op::Slice { starts, limits, strides }, &[value])
}
