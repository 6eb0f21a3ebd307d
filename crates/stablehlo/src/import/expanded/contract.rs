//! Older spellings of contractions and of gather: `dot`, `einsum`, `unary_einsum`, `torch_index_select`.

use super::FuncLowering;
use crate::declared::Declared;
use crate::ops::{Issue, one};
use crate::tree::{Attr, Node};
use crate::types::mlir_type;
use pullback_ir::{DotDims, GatherDims, Monoid, Op, Value};

/// One label for each dimension: letters, and numbers for what `...` stands for, counted from the last.
type Labels = Vec<u32>;

/// The labels of one term such as `ab...c` for this many dimensions.
fn labels(term: &str, rank: usize) -> Option<Labels> {
    let (before, after) = match term.split_once("...") {
        Some((b, a)) => (b, Some(a)),
        None => (term, None),
    };
    let letters = |s: &str| -> Option<Labels> {
        s.chars().map(|c| c.is_ascii_alphabetic().then_some(u32::from(c))).collect()
    };
    let (mut out, after_letters) = (letters(before)?, letters(after.unwrap_or(""))?);
    let rest = rank.checked_sub(out.len() + after_letters.len())?;
    if after.is_none() && rest > 0 {
        return None;
    }
    // Letters are above 64, a rank is not.
    out.extend((0..rest as u32).rev());
    out.extend(after_letters);
    let distinct = (1..out.len()).all(|i| !out[..i].contains(&out[i]));
    distinct.then_some(out)
}

impl<'a> FuncLowering<'_, 'a, '_> {
    /// The last dimension of one contracted with the first of the other.
    pub(super) fn plain_dot(&mut self, node: &Node<'a>, written: &[Declared]) -> Result<Value, Issue> {
        let mut operands: [Value; 2] = self.operands(node)?;
        let rank = self.b.ty(operands[0]).rank();
        if rank == 0 || rank > 2 || !matches!(self.b.ty(operands[1]).rank(), 1 | 2) {
            return Err(Issue::Error(format!("{} is of vectors and matrices", node.name)));
        }
        let dims = DotDims { lhs_contract: vec![rank - 1], rhs_contract: vec![0], ..DotDims::default() };
        if let [want] = written {
            self.widen(node, &mut operands, want)?;
        }
        self.add(Op::DotGeneral(dims), &operands)
    }

    /// `ab,bc->ac`, or of one operand `ab->ba`.
    pub(super) fn einsum(&mut self, node: &Node<'a>, written: &[Declared]) -> Result<Value, Issue> {
        let mut operands = self.values(node)?;
        let config = match node.attr(&["config", "einsum_config"]) {
            Some(Attr::Str(s)) => s.replace(' ', ""),
            _ => return Err(Issue::Error(format!("{} lacks its attribute einsum_config", node.name))),
        };
        if let [want] = written {
            self.widen(node, &mut operands, want)?;
        }
        let wrong = || {
            let what = format!("{} \"{config}\" of these operands", node.name);
            Issue::Unsupported(what, "write ab,bc->ac: a term for each operand, no label twice in a term")
        };
        let (ins, out) = config.split_once("->").ok_or_else(wrong)?;
        let terms: Vec<&str> = ins.split(',').collect();
        if terms.len() != operands.len() || terms.len() > 2 {
            return Err(wrong());
        }
        let mut own: Vec<Labels> = Vec::with_capacity(2);
        for (term, &x) in terms.iter().zip(&operands) {
            own.push(labels(term, self.b.ty(x).rank()).ok_or_else(wrong)?);
        }
        // What `...` stands for in the result is the longer one of the operands.
        let dots = own.iter().map(|l| l.iter().filter(|&&c| c < 64).count()).max().unwrap_or(0);
        let letters = out.chars().filter(|&c| c != '.').count();
        let out = labels(out, letters + if out.contains("...") { dots } else { 0 }).ok_or_else(wrong)?;
        if out.iter().any(|c| own.iter().all(|l| !l.contains(c))) {
            return Err(wrong());
        }
        let (value, have) = self.contracted(&operands, own, &out)?;
        let place = |c: &u32| have.iter().position(|h| h == c);
        let permutation: Vec<usize> = out.iter().map(place).collect::<Option<_>>().ok_or_else(wrong)?;
        if permutation.is_sorted() {
            return Ok(value);
        }
        self.add(Op::Transpose { permutation }, &[value])
    }

    /// Sums over every label that is not kept; gives the labels of what is left.
    fn contracted(
        &mut self,
        operands: &[Value],
        mut own: Vec<Labels>,
        keep: &[u32],
    ) -> Result<(Value, Labels), Issue> {
        let mut values = operands.to_vec();
        for i in 0..values.len() {
            let others: Labels =
                own.iter().enumerate().filter(|(j, _)| *j != i).flat_map(|(_, l)| l.clone()).collect();
            let alone = |c: &u32| !keep.contains(c) && !others.contains(c);
            let dims: Vec<usize> = (0..own[i].len()).filter(|&d| alone(&own[i][d])).collect();
            if !dims.is_empty() {
                values[i] = self.add(Op::Reduce { dims, monoid: Monoid::Add }, &[values[i]])?;
                own[i].retain(|c| !alone(c));
            }
        }
        let [l, r] = &own[..] else {
            let labels = own.pop().unwrap_or_default();
            return Ok((values[0], labels));
        };
        let (mut dims, mut batch) = (DotDims::default(), Vec::new());
        for (i, c) in l.iter().enumerate() {
            let Some(j) = r.iter().position(|other| other == c) else { continue };
            if keep.contains(c) {
                dims.lhs_batch.push(i);
                dims.rhs_batch.push(j);
                batch.push(*c);
            } else {
                dims.lhs_contract.push(i);
                dims.rhs_contract.push(j);
            }
        }
        let free = |l: &Labels, other: &Labels| -> Labels {
            l.iter().filter(|c| !other.contains(c)).copied().collect()
        };
        let have = [batch, free(l, r), free(r, l)].concat();
        let value = self.add(Op::DotGeneral(dims), &values)?;
        Ok((value, have))
    }

    /// Slices of the operand along `dim` by the numbers in `index`, whose first `batch_dims` dimensions are also
    /// the operand's.
    pub(super) fn torch_index_select(&mut self, node: &Node<'a>) -> Result<Value, Issue> {
        let [x, index] = self.operands(node)?;
        let (dim, batch) = (one(node, &["dim"])?, one(node, &["batch_dims"])?);
        let (own, indices) = (self.shape(x), self.shape(index));
        if dim >= own.len() || batch > dim || batch > indices.len() {
            let ty = mlir_type(self.b.ty(x));
            return Err(Issue::Error(format!("{}: dim {dim} and batch_dims {batch} of {ty}", node.name)));
        }
        let after = dim + indices.len() - batch;
        let gather = GatherDims {
            offset_dims: (batch..dim).chain(after..after + own.len() - dim - 1).collect(),
            collapsed_slice_dims: vec![dim],
            operand_batching_dims: (0..batch).collect(),
            start_indices_batching_dims: (0..batch).collect(),
            start_index_map: vec![dim],
            index_vector_dim: indices.len(),
            slice_sizes: (0..own.len())
                .map(|d| if d < batch || d == dim { own[d].min(1) } else { own[d] })
                .collect(),
            indices_are_sorted: false,
        };
        self.add(Op::Gather(Box::new(gather)), &[x, index])
    }
}
