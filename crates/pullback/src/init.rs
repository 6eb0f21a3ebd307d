//! First values of state tensors, region by region.
//!
//! The value at a global index is a function of seed, name and index alone, so a tensor has the same values
//! under every layout. Numbers are drawn in f64 and rounded to the element type.

use crate::manifest::Init;
use pullback_base::rng::CounterRng;
use pullback_ir::literal::encode_f64;
use pullback_ir::region::{IntervalSet, Region};
use pullback_ir::{DType, TensorType};

/// The elements of `region` (within `ty`'s shape) of the tensor `name`, row-major and compact.
pub fn init_region(init: Init, seed: u64, name: &str, ty: &TensorType, region: &Region) -> Vec<u8> {
    let repeat = |value: f64| encode_f64(ty.dtype(), value).repeat(region.count());
    let std = match init {
        Init::Zeros {} => return repeat(0.0),
        Init::Ones {} => return repeat(1.0),
        Init::Normal { std } => std,
    };
    let rng = CounterRng::new(seed, name);
    let mut out = Vec::with_capacity(region.count() * ty.dtype().size());
    for_each_run(ty.shape(), region.dims(), 0, &mut |lo, hi| {
        for i in lo..hi {
            push(&mut out, ty.dtype(), rng.normal(i as u64) * std);
        }
    });
    out
}

/// All elements of the tensor `name`.
pub fn init_whole(init: Init, seed: u64, name: &str, ty: &TensorType) -> Vec<u8> {
    init_region(init, seed, name, ty, &Region::full(ty.shape()))
}

fn push(out: &mut Vec<u8>, dtype: DType, value: f64) {
    // The usual type without an allocation per element.
    if dtype == DType::F32 {
        out.extend((value as f32).to_le_bytes());
    } else {
        out.extend(encode_f64(dtype, value));
    }
}

/// Calls `run` with the runs lo..hi of row-major indices that make up a region, in order. `base` is the index
/// of what the outer dimensions have chosen, in units of the dimensions given.
fn for_each_run(shape: &[usize], dims: &[IntervalSet], base: usize, run: &mut impl FnMut(usize, usize)) {
    let ([n, shape @ ..], [set, dims @ ..]) = (shape, dims) else {
        return run(base, base + 1);
    };
    let base = base * n;
    if shape.is_empty() {
        return set.intervals().iter().for_each(|&(lo, hi)| run(base + lo, base + hi));
    }
    for i in set.iter() {
        for_each_run(shape, dims, base + i, run);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_do_not_depend_on_the_region_they_are_drawn_in() {
        let ty = TensorType::new(DType::F32, [3, 4, 5]);
        let init = Init::Normal { std: 0.5 };
        let whole = init_whole(init, 7, "param.w", &ty);
        let region = Region::new(vec![
            IntervalSet::from_intervals([(0, 1), (2, 3)]),
            IntervalSet::interval(1, 3),
            IntervalSet::from_intervals([(0, 2), (4, 5)]),
        ]);
        let part = init_region(init, 7, "param.w", &ty, &region);
        let mut want = Vec::new();
        for i in [0, 2] {
            for j in [1, 2] {
                for k in [0, 1, 4] {
                    let at = ((i * 4 + j) * 5 + k) * 4;
                    want.extend_from_slice(&whole[at..at + 4]);
                }
            }
        }
        assert_eq!(part, want);
        assert_ne!(whole, init_whole(init, 8, "param.w", &ty));
        assert_ne!(whole, init_whole(init, 7, "param.v", &ty));
    }

    #[test]
    fn scalars_constants_and_empty_regions() {
        let scalar = TensorType::scalar(DType::F64);
        assert_eq!(init_whole(Init::Ones {}, 0, "s", &scalar), 1f64.to_le_bytes());
        assert_eq!(init_whole(Init::Normal { std: 1.0 }, 0, "s", &scalar).len(), 8);
        let ty = TensorType::new(DType::BF16, [2, 2]);
        assert_eq!(init_whole(Init::Zeros {}, 0, "b", &ty), [0; 8]);
        let none = Region::new(vec![IntervalSet::empty(), IntervalSet::full(2)]);
        assert!(init_region(Init::Normal { std: 1.0 }, 0, "b", &ty, &none).is_empty());
    }
}
