//! Sorting: the order of the keys first, then a gather for each operand.
//!
//! The comparator is recognized by its form: a comparison of two keys, or a lexicographic one as JAX writes it. Any
//! other one goes through a network (`network`).

use super::FuncLowering;
use crate::declared::Declared;
use crate::literals::{elements_of_bytes, parse_elements};
use crate::ops::{Issue, Kind, compare_direction, is_total_order, one};
use crate::tree::{Attr, Node, Region, Sig, Ty};
use pullback_ir::{Comparison, DType, GatherDims, Literal, Op, Value, ValueDef};
use std::collections::BTreeMap;

/// What a comparator orders by.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Order {
    /// Operands, the most significant first.
    keys: Vec<usize>,
    descending: bool,
    /// IEEE totalOrder; else -0 = 0 and all NaNs are one.
    total: bool,
}

/// The nodes of a comparator.
struct Comparator<'r, 'a> {
    region: &'r Region<'a>,
    /// Whether each operand is of floats.
    floats: Vec<bool>,
    /// Constants it reads from outside.
    constants: BTreeMap<u32, Literal>,
}

impl<'a> Comparator<'_, 'a> {
    fn node(&self, slot: u32) -> Option<&Node<'a>> {
        self.region.nodes.iter().find(|n| n.n_results == 1 && n.first_result == slot)
    }

    /// Position among the arguments.
    fn arg(&self, slot: u32) -> Option<usize> {
        self.region.args.iter().position(|a| a.slot == slot)
    }

    /// The value of a splat constant.
    fn number(&self, slot: u32) -> Option<f64> {
        if let Some(literal) = self.constants.get(&slot) {
            return literal.splat_value();
        }
        let node = self.node(slot).filter(|n| n.kind == Some(Kind::Constant))?;
        let (Sig::List(types) | Sig::Results(types) | Sig::Fn(_, types)) = &node.sig else { return None };
        let [Ty::Tensor(ty)] = &types[..] else { return None };
        let literal = match node.attr(&["value"])? {
            Attr::Dense { text, .. } => parse_elements(text, ty).ok(),
            Attr::Data { bytes, .. } => elements_of_bytes(bytes, ty).ok(),
            _ => None,
        };
        literal?.splat_value()
    }

    /// The argument a slot stands for, and whether -0 was made 0 and every NaN the same.
    fn key(&self, slot: u32) -> Option<(usize, bool)> {
        if let Some(arg) = self.arg(slot) {
            return Some((arg, false));
        }
        // select(x != x, NaN, select(x = 0, 0, x))
        let (x, nan) = self.replaced(slot, Comparison::Ne)?;
        let (y, zero) = self.replaced(x, Comparison::Eq)?;
        let same = self.number(nan)?.is_nan() && self.number(zero)? == 0.0;
        self.arg(y).filter(|_| same).map(|arg| (arg, true))
    }

    /// Of `select(compare(arg, ..), new, old)`: old and new, where the comparison is one with itself or with 0.
    fn replaced(&self, slot: u32, direction: Comparison) -> Option<(u32, u32)> {
        let select = self.node(slot).filter(|n| n.kind == Some(Kind::Select))?;
        let [pred, new, old] = select.operands[..] else { return None };
        let compare = self.node(pred.slot).filter(|n| n.kind == Some(Kind::Compare))?;
        let [l, r] = compare.operands[..] else { return None };
        self.arg(l.slot)?;
        let expected = match direction {
            Comparison::Ne => l.slot == r.slot,
            Comparison::Eq | Comparison::Ge | Comparison::Gt | Comparison::Le | Comparison::Lt => {
                self.number(r.slot) == Some(0.0)
            }
        };
        (expected && compare_direction(compare) == Some(direction)).then_some((old.slot, new.slot))
    }

    /// A comparison of the two arguments of one operand: the operand, the direction, and the order of floats.
    fn comparison(&self, slot: u32) -> Option<(usize, Comparison, bool)> {
        let node = self.node(slot).filter(|n| n.kind == Some(Kind::Compare))?;
        let [l, r] = node.operands[..] else { return None };
        let ((a, canonical), (b, also)) = (self.key(l.slot)?, self.key(r.slot)?);
        let fits = canonical == also && a % 2 == 0 && b == a + 1;
        let total = is_total_order(node) && !canonical && *self.floats.get(a / 2)?;
        Some((a / 2, compare_direction(node).filter(|_| fits)?, total))
    }

    /// lt(a, b), or or(lt(a, b), and(eq(a, b), rest)).
    fn order(&self, slot: u32) -> Option<Order> {
        if let Some((key, direction, total)) = self.comparison(slot) {
            let descending = match direction {
                Comparison::Lt => false,
                Comparison::Gt => true,
                Comparison::Eq | Comparison::Ne | Comparison::Ge | Comparison::Le => return None,
            };
            return Some(Order { keys: vec![key], descending, total });
        }
        let both = |slot: u32, name: &str| {
            let node = self.node(slot).filter(|n| n.name == name)?;
            if let [l, r] = node.operands[..] { Some((l.slot, r.slot)) } else { None }
        };
        let (first, rest) = both(slot, "stablehlo.or")?;
        let (equal, rest) = both(rest, "stablehlo.and")?;
        let (first, mut rest) = (self.order(first)?, self.order(rest)?);
        let (key, direction, _) = self.comparison(equal)?;
        let fits = first.keys == [key] && direction == Comparison::Eq && first.descending == rest.descending;
        // Whether floats are in total order does not show in a key that has none.
        let floats = |keys: &[usize]| keys.iter().any(|&k| self.floats[k]);
        let total = match (floats(&first.keys), floats(&rest.keys)) {
            (true, true) if first.total != rest.total => return None,
            (true, _) => first.total,
            (false, _) => rest.total,
        };
        let mut keys = first.keys;
        keys.append(&mut rest.keys);
        fits.then_some(Order { keys, descending: first.descending, total })
    }
}

impl<'a> FuncLowering<'_, 'a, '_> {
    pub(super) fn sort(&mut self, node: &Node<'a>, written: &[Declared]) -> Result<(), Issue> {
        let mut operands = Vec::with_capacity(node.operands.len());
        for u in &node.operands {
            operands.push(self.value(*u).ok_or(Issue::Reported)?);
        }
        let Some(&first) = operands.first() else {
            return Err(Issue::Error(format!("{} has no operands", node.name)));
        };
        let rank = self.b.ty(first).rank();
        let dim = match node.attr(&["dimension"]) {
            Some(Attr::Int(n)) if *n < 0 => usize::try_from(n.saturating_add(rank as i64)).unwrap_or(rank),
            Some(_) => one(node, &["dimension"])?,
            None => rank.saturating_sub(1),
        };
        let floats = operands.iter().map(|&v| self.b.ty(v).dtype().is_float()).collect();
        let order = match &node.regions[..] {
            [region] if region.args.len() == 2 * operands.len() => {
                let last = region.nodes.last().filter(|n| n.kind == Some(Kind::Return));
                let result = last.and_then(|n| n.operands.first());
                let constants = self.outside(&node.regions).constants;
                let constants = constants.into_iter().map(|(slot, literal, _)| (slot, literal)).collect();
                result.and_then(|r| Comparator { region, floats, constants }.order(r.slot))
            }
            _ => None,
        };
        let Some(order) = order else {
            let results = self.sort_by_network(node, &operands, dim)?;
            return self.results(node, &results, written);
        };
        let keys: Vec<Value> = order.keys.iter().map(|&k| operands[k]).collect();
        let op = Op::Argsort { dim, descending: order.descending, total_order: order.total };
        let indices = self.add(op, &keys)?;
        let mut results = Vec::with_capacity(operands.len());
        for x in operands {
            results.push(self.along(x, indices, dim)?);
        }
        self.results(node, &results, written)
    }

    pub(super) fn top_k(&mut self, node: &Node<'a>, written: &[Declared]) -> Result<(), Issue> {
        let (&[x], k) = (&node.operands[..], one(node, &["k"])?) else {
            return Err(Issue::Error(format!("{} takes one operand", node.name)));
        };
        let x = self.value(x).ok_or(Issue::Reported)?;
        let mut limits = self.b.ty(x).shape().to_vec();
        let Some(last) = limits.last_mut() else {
            return Err(Issue::Error(format!("{} of a scalar", node.name)));
        };
        if *last < k {
            return Err(Issue::Error(format!("{}: k is {k}, the last dimension {last}", node.name)));
        }
        *last = k;
        let rank = limits.len();
        // As XLA and the decomposition in exports have it: 0 above -0.
        let total_order = self.b.ty(x).dtype().is_float();
        let op = Op::Argsort { dim: rank - 1, descending: true, total_order };
        let all = self.add(op, &[x])?;
        let indices =
            self.add(Op::Slice { starts: vec![0; rank], limits, strides: vec![1; rank] }, &[all])?;
        let values = self.along(x, indices, rank - 1)?;
        self.results(node, &[values, indices], written)
    }

    /// Elements of `x` along `dim` at `indices`.
    pub(super) fn along(&mut self, x: Value, indices: Value, dim: usize) -> Result<Value, Issue> {
        let program = self.b.so_far();
        if let ValueDef::Result(id, _) = program.def(x)
            && matches!(program.instr(id).op(), Op::Iota { dim: d, ty } if *d == dim && ty.dtype() == DType::I32)
        {
            // The index of an index is the index.
            return Ok(indices);
        }
        let shape = program.ty(x).shape();
        let others: Vec<usize> = (0..shape.len()).filter(|&d| d != dim).collect();
        let dims = GatherDims {
            offset_dims: Vec::new(),
            collapsed_slice_dims: vec![dim],
            operand_batching_dims: others.clone(),
            start_indices_batching_dims: others,
            start_index_map: vec![dim],
            index_vector_dim: shape.len(),
            slice_sizes: shape.iter().map(|&n| n.min(1)).collect(),
            indices_are_sorted: false,
        };
        self.add(Op::Gather(Box::new(dims)), &[x, indices])
    }
}
