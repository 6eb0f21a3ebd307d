//! Random numbers, tensors and regions for the tests, in plain loops.

use pullback_base::rng::CounterRng;
use pullback_eval::Tensor;
use pullback_ir::region::{IntervalSet, Region};
use pullback_ir::{DType, DTypeClass, TensorType};

/// Random choices from a seed, one after the other.
pub struct Rng {
    rng: CounterRng,
    at: u64,
}

impl Rng {
    pub fn new(stream: &str) -> Self {
        Self { rng: CounterRng::new(20, stream), at: 0 }
    }

    /// In 0..n; n > 0.
    pub fn below(&mut self, n: usize) -> usize {
        self.at += 1;
        self.rng.below(self.at, n as u64) as usize
    }

    /// In lo..=hi.
    pub fn within(&mut self, lo: i64, hi: i64) -> i64 {
        lo + self.below((hi - lo + 1) as usize) as i64
    }

    pub fn flip(&mut self) -> bool {
        self.below(2) == 0
    }

    pub fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }

    /// `k` of 0..n in any order.
    pub fn choose(&mut self, n: usize, k: usize) -> Vec<usize> {
        let mut all: Vec<usize> = (0..n).collect();
        (0..k).map(|_| all.remove(self.below(all.len()))).collect()
    }

    /// `k` of 0..n, increasing.
    pub fn choose_sorted(&mut self, n: usize, k: usize) -> Vec<usize> {
        let mut some = self.choose(n, k);
        some.sort_unstable();
        some
    }

    /// Mostly 1 to 3, sometimes 0.
    pub fn size(&mut self) -> usize {
        [0, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3][self.below(12)]
    }

    pub fn sizes(&mut self, rank: usize) -> Vec<usize> {
        (0..rank).map(|_| self.size()).collect()
    }

    /// A small whole number that is not 0; positive for unsigned types. Exact in every element type, also when
    /// two are added or one is doubled.
    fn number(&mut self, dtype: DType) -> f64 {
        match dtype.class() {
            DTypeClass::Bool => self.below(2) as f64,
            DTypeClass::Unsigned => (1 + self.below(4)) as f64,
            DTypeClass::Signed | DTypeClass::Float | DTypeClass::Complex => {
                self.pick(&[-4.0, -3.0, -2.0, -1.0, 1.0, 2.0, 3.0, 4.0])
            }
        }
    }

    /// Elements are small whole numbers, none 0 (bool: either).
    pub fn tensor(&mut self, ty: &TensorType) -> Tensor {
        let values: Vec<f64> = (0..ty.count()).map(|_| self.number(ty.dtype())).collect();
        Tensor::from_f64s(ty.clone(), &values).unwrap()
    }

    /// Whole numbers from lo..=hi.
    pub fn ints(&mut self, ty: &TensorType, lo: i64, hi: i64) -> Tensor {
        let values: Vec<i64> = (0..ty.count()).map(|_| self.within(lo, hi)).collect();
        Tensor::from_i64s(ty.clone(), &values).unwrap()
    }
}

/// All shapes of at most this rank with dimensions 0 to 3.
pub fn shapes(max_rank: usize) -> Vec<Vec<usize>> {
    (0..=max_rank).flat_map(|r| product(&vec![4; r])).collect()
}

/// Every multi-index of a shape, row-major.
pub fn product(shape: &[usize]) -> Vec<Vec<usize>> {
    shape.iter().fold(vec![Vec::new()], |all, &n| {
        all.iter().flat_map(|i| (0..n).map(move |k| [&i[..], &[k]].concat())).collect()
    })
}

/// Every subset of 0..n, increasing.
pub fn subsets(n: usize) -> Vec<Vec<usize>> {
    (0..1usize << n).map(|mask| (0..n).filter(|i| mask >> i & 1 == 1).collect()).collect()
}

/// Every ordered choice of `k` of 0..n.
pub fn arrangements(n: usize, k: usize) -> Vec<Vec<usize>> {
    product(&vec![n; k]).into_iter().filter(|a| (1..k).all(|i| !a[..i].contains(&a[i]))).collect()
}

pub fn set(members: impl IntoIterator<Item = usize>) -> IntervalSet {
    IntervalSet::from_intervals(members.into_iter().map(|i| (i, i + 1)))
}

/// Row-major positions, in a tensor of this shape, of a region's elements in order.
pub fn positions(shape: &[usize], region: &Region) -> Vec<usize> {
    assert_eq!(shape.len(), region.dims().len());
    shape.iter().zip(region.dims()).fold(vec![0], |all, (&n, set)| {
        assert!(set.end() <= n, "{region} is not within {shape:?}");
        all.iter().flat_map(|&at| set.iter().map(move |i| at * n + i)).collect()
    })
}

/// The compact buffer of a region.
pub fn extract(t: &Tensor, region: &Region) -> Tensor {
    let mut out = Tensor::zeros(t.ty().with_shape(region.shape()));
    for (to, from) in positions(t.shape(), region).into_iter().enumerate() {
        out.set_element(to, t.element(from));
    }
    out
}

/// Replaces an element by another value: one more, or the opposite bool.
pub fn disturb(t: &mut Tensor, at: usize) {
    let v = t.get_f64(at);
    let new = if t.dtype() == DType::Bool { 1.0 - v } else { v + 1.0 };
    t.set_f64(at, new);
}

/// The smallest region that holds both.
pub fn hull(a: &Region, b: &Region) -> Region {
    if a.is_empty() {
        return b.clone();
    }
    if b.is_empty() {
        return a.clone();
    }
    Region::new(a.dims().iter().zip(b.dims()).map(|(x, y)| x.union(y)).collect())
}
