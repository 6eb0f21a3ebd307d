//! Strided views of a node's storage, and the algebra of moving elements without copying them.
//!
//! Strides and offsets are in elements and never negative. Canonical form: dimensions of size 1 have stride 0,
//! and an empty view has offset 0 and strides 0, so equal views compare equal.

use pullback_base::define_id;

define_id!(
    /// A node of the backend's graph.
    Node,
    "n"
);

/// Element at index i is the storage element `offset + i · strides`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct View {
    pub(super) node: Node,
    pub(super) offset: usize,
    pub(super) shape: Vec<usize>,
    pub(super) strides: Vec<usize>,
}

/// Row-major strides, 0 for dimensions of size 1.
pub(super) fn dense_strides(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![0; shape.len()];
    let mut step = 1;
    for d in (0..shape.len()).rev() {
        if shape[d] != 1 {
            strides[d] = step;
        }
        step *= shape[d].max(1);
    }
    strides
}

impl View {
    /// A view in canonical form.
    pub(super) fn new(node: Node, offset: usize, shape: Vec<usize>, mut strides: Vec<usize>) -> Self {
        if shape.contains(&0) {
            return Self { node, offset: 0, strides: vec![0; shape.len()], shape };
        }
        for (s, &n) in strides.iter_mut().zip(&shape) {
            if n == 1 {
                *s = 0;
            }
        }
        Self { node, offset, shape, strides }
    }

    pub(super) fn count(&self) -> usize {
        self.shape.iter().product()
    }

    /// Row-major without gaps (the offset may be anything).
    pub(super) fn is_dense(&self) -> bool {
        self.count() == 0 || self.strides == dense_strides(&self.shape)
    }

    /// Whether all elements are one storage element.
    pub(super) fn is_splat(&self) -> bool {
        self.count() > 0 && self.strides.iter().all(|&s| s == 0)
    }

    pub(super) fn broadcast(&self, shape: &[usize], dims: &[usize]) -> Self {
        let mut strides = vec![0; shape.len()];
        for (i, &d) in dims.iter().enumerate() {
            strides[d] = self.strides[i];
        }
        Self::new(self.node, self.offset, shape.to_vec(), strides)
    }

    pub(super) fn transpose(&self, permutation: &[usize]) -> Self {
        let shape = permutation.iter().map(|&p| self.shape[p]).collect();
        let strides = permutation.iter().map(|&p| self.strides[p]).collect();
        Self::new(self.node, self.offset, shape, strides)
    }

    pub(super) fn slice(&self, starts: &[usize], steps: &[usize], shape: &[usize]) -> Self {
        let offset = self.offset + starts.iter().zip(&self.strides).map(|(a, s)| a * s).sum::<usize>();
        let strides = self.strides.iter().zip(steps).map(|(s, k)| s * k).collect();
        Self::new(self.node, offset, shape.to_vec(), strides)
    }

    /// The same elements in row-major order under another shape; `None` where that takes a copy.
    pub(super) fn reshape(&self, shape: &[usize]) -> Option<Self> {
        if shape.contains(&0) {
            return Some(Self::new(self.node, 0, shape.to_vec(), vec![0; shape.len()]));
        }
        let (mut sizes, mut strides) = collapse(&self.shape, std::slice::from_ref(&self.strides));
        let mut strides = strides.remove(0);
        let (mut size, mut stride) = (1, 0);
        let mut out = vec![0; shape.len()];
        for d in (0..shape.len()).rev() {
            if shape[d] == 1 {
                continue;
            }
            if size == 1 {
                (size, stride) = (sizes.pop()?, strides.pop()?);
            }
            if size % shape[d] != 0 {
                return None;
            }
            out[d] = stride;
            size /= shape[d];
            stride *= shape[d];
        }
        Some(Self::new(self.node, self.offset, shape.to_vec(), out))
    }
}

/// The same index space with as few dimensions as all of `strides` allow: sizes, and strides per list.
pub(super) fn collapse(shape: &[usize], strides: &[Vec<usize>]) -> (Vec<usize>, Vec<Vec<usize>>) {
    let mut sizes: Vec<usize> = Vec::new();
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); strides.len()];
    for d in 0..shape.len() {
        if shape[d] == 1 {
            continue;
        }
        let merges =
            !sizes.is_empty() && out.iter().zip(strides).all(|(o, s)| o.last() == Some(&(s[d] * shape[d])));
        match (merges, sizes.last_mut()) {
            (true, Some(last)) => {
                *last *= shape[d];
                for (o, s) in out.iter_mut().zip(strides) {
                    *o.last_mut().expect("as long as sizes") = s[d];
                }
            }
            _ => {
                sizes.push(shape[d]);
                for (o, s) in out.iter_mut().zip(strides) {
                    o.push(s[d]);
                }
            }
        }
    }
    (sizes, out)
}

/// The coarsest shape that both shapes (of one count, not 0) can be cut into; `None` where their cuts cross.
pub(super) fn common_refinement(a: &[usize], b: &[usize]) -> Option<Vec<usize>> {
    let cuts = |shape: &[usize]| {
        let mut step = 1;
        let mut cuts = vec![1];
        for &n in shape.iter().rev() {
            step *= n;
            cuts.push(step);
        }
        cuts
    };
    let mut all = [cuts(a), cuts(b)].concat();
    all.sort_unstable();
    all.dedup();
    let mut shape = Vec::with_capacity(all.len());
    for w in all.windows(2) {
        if w[1] % w[0] != 0 {
            return None;
        }
        shape.push(w[1] / w[0]);
    }
    shape.reverse();
    Some(shape)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pullback_base::Id;

    fn v(shape: &[usize]) -> View {
        View::new(Node::from_index(0), 0, shape.to_vec(), dense_strides(shape))
    }

    #[test]
    fn reshapes_through_slices_and_transposes() {
        let qkv = v(&[4, 32, 144]).slice(&[0, 0, 48], &[1, 1, 1], &[4, 32, 48]);
        let heads = qkv.reshape(&[4, 32, 4, 12]).unwrap();
        assert_eq!((heads.offset, heads.strides), (48, vec![32 * 144, 144, 12, 1]));
        assert!(v(&[3, 4]).transpose(&[1, 0]).reshape(&[12]).is_none());
        let t = v(&[3, 4]).transpose(&[1, 0]).reshape(&[2, 2, 3]).unwrap();
        assert_eq!(t.strides, [2, 1, 4]);
        assert_eq!(v(&[]).broadcast(&[6], &[]).reshape(&[2, 3]).unwrap().strides, [0, 0]);
    }

    #[test]
    fn refinements() {
        assert_eq!(common_refinement(&[12, 128, 4], &[1536, 4]), Some(vec![12, 128, 4]));
        assert_eq!(common_refinement(&[6, 4], &[2, 12]), Some(vec![2, 3, 4]));
        assert_eq!(common_refinement(&[2, 3], &[3, 2]), None);
        assert_eq!(common_refinement(&[], &[1, 1]), Some(vec![]));
    }
}
