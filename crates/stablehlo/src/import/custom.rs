//! `custom_call` by its target: what JAX calls for shapes that are operands, for what it asserts of shapes, and for
//! LAPACK.
//!
//! A target that is not known is refused by name.

use super::{FuncLowering, Slot, lapack, marks};
use crate::declared::Declared;
use crate::lexer::unescape;
use crate::ops::{Issue, Kind, compare_direction, ints_opt, natural, way_out};
use crate::tree::{Attr, Func, Node, Region, Use};
use pullback_ir::custom::{Call, describe, registered};
use pullback_ir::literal::decode_i64;
use pullback_ir::{Comparison, Op, RngAlgorithm, TensorType, Value};

/// A target that is lowered.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Target {
    ApproxTopK,
    DynamicApproxTopK,
    DynamicReduceWindow,
    DynamicRngBitGenerator,
    DynamicTopK,
    /// A routine of LAPACK.
    Lapack,
    ShapeAssertion,
    ShapeRefinementOperandWrapper,
    /// Its operands, whatever it says of them.
    Unchanged,
}

/// The target of a custom call, if it is lowered.
pub(crate) fn target_of(node: &Node<'_>) -> Option<Target> {
    Some(match target_name(node)? {
        "ApproxTopK" => Target::ApproxTopK,
        "stablehlo.dynamic_approx_top_k" => Target::DynamicApproxTopK,
        "stablehlo.dynamic_reduce_window" => Target::DynamicReduceWindow,
        "stablehlo.dynamic_rng_bit_generator" => Target::DynamicRngBitGenerator,
        "stablehlo.dynamic_top_k" => Target::DynamicTopK,
        "shape_assertion" => Target::ShapeAssertion,
        "stablehlo.shape_refinement_operand_wrapper" => Target::ShapeRefinementOperandWrapper,
        target if lapack::routine_of(target).is_some() => Target::Lapack,
        target if lapack::changes_nothing(target) => Target::Unchanged,
        _ => return None,
    })
}

/// An operation's name; of a foreign call also what it calls.
pub(crate) fn full_name(node: &Node<'_>) -> String {
    match target_name(node) {
        Some(target) => format!("{} @{}", unescape(node.name), unescape(target)),
        None => unescape(node.name),
    }
}

/// What to do instead of a foreign call that is not supported.
pub(crate) fn custom_way_out(node: &Node<'_>) -> &'static str {
    let spmd = target_name(node).filter(|t| t.starts_with("SPMD"));
    way_out(spmd.unwrap_or(node.name))
}

/// The registered operator that a call means.
pub(crate) fn operator(node: &Node<'_>) -> Option<String> {
    let name = unescape(target_name(node)?);
    registered(&name).map(|_| name)
}

pub(super) fn target_name<'a>(node: &Node<'a>) -> Option<&'a str> {
    match node.attr(&["call_target_name"]) {
        Some(Attr::Str(name)) => Some(name),
        _ => None,
    }
}

impl<'a> FuncLowering<'_, 'a, '_> {
    pub(super) fn custom_call(&mut self, node: &Node<'a>, written: &[Declared]) -> Result<(), Issue> {
        let Some(target) = target_of(node) else {
            if let Some(name) = operator(node) {
                return self.operator(node, &name, written);
            }
            return Err(Issue::Unsupported(full_name(node), custom_way_out(node)));
        };
        let bare = self.without_shapes(node)?;
        let node = bare.as_ref().unwrap_or(node);
        match target {
            Target::ShapeAssertion => self.shape_assertion(node, written),
            Target::ShapeRefinementOperandWrapper => match (&node.operands[..], written) {
                ([x, ..], [want]) => {
                    let slot = self.share(*x);
                    self.set_checked(node, 0, slot, want)
                }
                _ => Err(Issue::Error("an operand wrapper has an operand and one result".to_owned())),
            },
            Target::Lapack => self.lapack(node, written),
            Target::Unchanged => self.identity(node, written),
            Target::DynamicReduceWindow => self.dynamic_reduce_window(node, written),
            Target::DynamicRngBitGenerator => self.dynamic_rng_bit_generator(node, written),
            Target::DynamicTopK => {
                let k = self.shape_operand(node, 1, "k")?;
                let x = self.operand(node, 0)?;
                let Some(last) = self.b.ty(x).rank().checked_sub(1) else {
                    return Err(Issue::Error("dynamic_top_k of a scalar".to_owned()));
                };
                // As chlo.top_k: 0 above -0.
                let total_order = self.b.ty(x).dtype().is_float();
                let order = Op::Argsort { dim: last, descending: true, total_order };
                let indices = self.first_of_order(x, order, last, &k)?;
                let values = self.along(x, indices, last)?;
                self.results(node, &[values, indices], written)
            }
            Target::ApproxTopK | Target::DynamicApproxTopK => self.approx_top_k(node, target, written),
        }
    }

    /// An operator that is not ours, by its description.
    fn operator(&mut self, node: &Node<'a>, name: &str, written: &[Declared]) -> Result<(), Issue> {
        let attributes = match node.attr(&["mhlo.backend_config", "backend_config"]) {
            Some(Attr::Str(text)) => unescape(text),
            Some(Attr::Dict(dict)) => marks::dict_text(dict).unwrap_or_default(),
            _ => String::new(),
        };
        let operands = self.values(node)?;
        let types: Vec<TensorType> = operands.iter().map(|&v| self.b.ty(v).clone()).collect();
        let custom = describe(name, Call { attributes: &attributes, operands: &types })?;
        self.spend(1)?;
        let results = self.b.push(Op::Custom(Box::new(custom)), &operands)?;
        self.results(node, &results, written)
    }

    fn lapack(&mut self, node: &Node<'a>, written: &[Declared]) -> Result<(), Issue> {
        let operands = self.values(node)?;
        let types: Vec<&TensorType> = operands.iter().map(|&v| self.b.ty(v)).collect();
        let results: Vec<Option<&TensorType>> = written
            .iter()
            .map(|d| match d {
                Declared::Exact(ty) => Some(ty),
                Declared::Open(_) => None,
            })
            .collect();
        let op = lapack::op_of(node, target_name(node).unwrap_or_default(), &types, &results)?;
        self.spend(1)?;
        let results = self.b.push(op, &operands).map_err(|e| Issue::Error(e.to_string()))?;
        self.results(node, &results, written)
    }

    /// A call without the operands that only say the shapes of its results, if it has such.
    fn without_shapes(&self, node: &Node<'a>) -> Result<Option<Node<'a>>, Issue> {
        let Some(indices) = ints_opt(node, &["indices_of_shape_operands"])? else { return Ok(None) };
        let operands = node.operands.iter().enumerate().filter(|(i, _)| !indices.contains(&(*i as i64)));
        let operands = operands.map(|(_, u)| *u).collect();
        Ok(Some(Node { operands, ..node.clone() }))
    }

    fn operand(&mut self, node: &Node<'a>, k: usize) -> Result<Value, Issue> {
        let missing = || Issue::Error(format!("{} lacks its operand {k}", node.name));
        let u: Use<'a> = *node.operands.get(k).ok_or_else(missing)?;
        self.value(u).ok_or(Issue::Reported)
    }

    /// Decided now: a false one is an error with the message it has.
    fn shape_assertion(&mut self, node: &Node<'a>, written: &[Declared]) -> Result<(), Issue> {
        let Some(&what) = node.operands.first().filter(|_| written.is_empty()) else {
            return Err(Issue::Error("a shape assertion has an operand and no results".to_owned()));
        };
        let Some(holds) = self.literal(what).map(|l| (0..l.ty().count()).all(|i| l.element(i)[0] != 0))
        else {
            return Err(Issue::Unsupported(
                "shape_assertion of what is computed from data".to_owned(),
                "assert only what follows from the shapes of arguments",
            ));
        };
        if holds {
            return Ok(());
        }
        let inputs: Vec<Option<i64>> = node.operands[1..]
            .iter()
            .map(|&u| {
                let l = self.literal(u)?;
                (l.ty().count() == 1).then(|| decode_i64(l.ty().dtype(), l.element(0)))
            })
            .collect();
        let message = match node.attr(&["error_message"]) {
            Some(Attr::Str(text)) => filled(&unescape(text), &inputs),
            _ => "a shape assertion does not hold".to_owned(),
        };
        Err(Issue::Error(message))
    }

    /// The function that a call names as its body.
    fn called(&self, node: &Node<'a>) -> Option<&Func<'a>> {
        let Some(Attr::List(names)) = node.attr(&["called_computations"]) else { return None };
        let [Attr::Symbol(name) | Attr::Str(name)] = names[..] else { return None };
        self.tree.funcs.get(*self.index.get(name)?)
    }

    /// As the reduce_window of these windows whose region is the function.
    fn dynamic_reduce_window(&mut self, node: &Node<'a>, written: &[Declared]) -> Result<(), Issue> {
        let n = written.len();
        let attrs = ["window_dimensions", "window_strides", "base_dilations", "window_dilations", "padding"];
        if n == 0 || node.operands.len() != 2 * n + attrs.len() {
            return Err(Issue::Error(format!(
                "dynamic_reduce_window takes operands, initial values and {} shapes",
                attrs.len()
            )));
        }
        let mut listed = Vec::with_capacity(attrs.len());
        for (k, key) in attrs.into_iter().enumerate() {
            listed.push((key, Attr::Ints(self.whole_operand(node, 2 * n + k, key)?)));
        }
        let Some(func) = self.called(node) else {
            return Err(Issue::Error("dynamic_reduce_window names no function to reduce with".to_owned()));
        };
        let (args, nodes) = (func.args.clone(), func.body.clone().unwrap_or_default());
        let (offset, slots) = (self.slots.len() as u32, func.slot_names.len());
        let mut region = Region { args, nodes };
        shift(&mut region, offset);
        self.slots.extend((0..slots).map(|_| Slot::Empty));
        let windowed = Node {
            operands: node.operands[..2 * n].to_vec(),
            attrs: listed,
            regions: vec![region],
            ..node.clone()
        };
        let result = self.reduce_window(&windowed, written);
        self.slots.truncate(offset as usize);
        result
    }

    fn dynamic_rng_bit_generator(&mut self, node: &Node<'a>, written: &[Declared]) -> Result<(), Issue> {
        let (Some(Attr::Word(name)), [_, bits]) = (node.attr(&["rng_algorithm"]), written) else {
            return Err(Issue::Error(
                "dynamic_rng_bit_generator has an rng_algorithm and two results".to_owned(),
            ));
        };
        let Some(algorithm) = RngAlgorithm::from_name(name) else {
            return Err(Issue::Error(format!("dynamic_rng_bit_generator: there is no algorithm {name}")));
        };
        let state = self.operand(node, 0)?;
        let shape = self.shape_operand(node, 1, "the shape")?;
        let Some(ty) = TensorType::try_new(bits.dtype(), shape) else {
            return Err(Issue::Error("dynamic_rng_bit_generator: the shape is too large".to_owned()));
        };
        self.spend(1)?;
        let op = Op::RngBitGenerator { algorithm, ty };
        let results = self.b.push(op, &[state])?;
        self.results(node, &results, written)
    }

    /// The best of each row, exactly: what is approximate is allowed to be right.
    fn approx_top_k(&mut self, node: &Node<'a>, target: Target, written: &[Declared]) -> Result<(), Issue> {
        let unsupported = |what: &str| {
            Issue::Unsupported(
                format!("approx_top_k {what}"),
                "use lax.top_k, or the defaults of lax.approx_max_k",
            )
        };
        let config = match node.attr(&["mhlo.backend_config", "backend_config"]) {
            Some(Attr::Dict(dict)) => dict,
            _ => return Err(unsupported("without its settings as a dictionary")),
        };
        let setting = |key: &str| config.iter().find(|(k, _)| *k == key).map(|(_, v)| v);
        if !matches!(setting("aggregate_to_topk"), Some(Attr::Bool(true))) {
            return Err(unsupported("that leaves more candidates than k"));
        }
        let Some(Attr::Int(dim)) = setting("reduction_dim") else {
            return Err(unsupported("without a dimension to reduce"));
        };
        let k = match (target, setting("top_k")) {
            (Target::ApproxTopK, Some(Attr::Int(k))) => natural("top_k", vec![*k])?,
            _ => self.shape_operand(node, 4, "k")?,
        };
        let descending = match self.called(node).and_then(comparator_of) {
            Some(Comparison::Gt) => true,
            Some(Comparison::Lt) => false,
            Some(Comparison::Eq | Comparison::Ne | Comparison::Ge | Comparison::Le) | None => {
                return Err(unsupported("with a comparator of its own"));
            }
        };
        let (x, numbers) = (self.operand(node, 0)?, self.operand(node, 1)?);
        let rank = self.b.ty(x).rank();
        let dim = if *dim < 0 { dim.saturating_add(rank as i64) } else { *dim };
        let Some(dim) = usize::try_from(dim).ok().filter(|&d| d < rank) else {
            return Err(Issue::Error(format!("approx_top_k over dimension {dim} of {rank}")));
        };
        let order = Op::Argsort { dim, descending, total_order: false };
        let indices = self.first_of_order(x, order, dim, &k)?;
        let values = self.along(x, indices, dim)?;
        let numbers = self.along(numbers, indices, dim)?;
        self.results(node, &[values, numbers], written)
    }

    /// The first `k` indices of an order along a dimension.
    fn first_of_order(&mut self, x: Value, order: Op, dim: usize, k: &[usize]) -> Result<Value, Issue> {
        let mut limits = self.b.ty(x).shape().to_vec();
        let &[k] = k else { return Err(Issue::Error("k is one number".to_owned())) };
        if limits[dim] < k {
            return Err(Issue::Error(format!("k is {k}, the dimension is {}", limits[dim])));
        }
        limits[dim] = k;
        let all = self.add(order, &[x])?;
        let rank = limits.len();
        self.add(Op::Slice { starts: vec![0; rank], limits, strides: vec![1; rank] }, &[all])
    }
}

/// Moves a region's slots.
fn shift(region: &mut Region<'_>, offset: u32) {
    let moved = |slot: &mut u32| *slot = slot.saturating_add(offset);
    region.args.iter_mut().for_each(|a| moved(&mut a.slot));
    for node in &mut region.nodes {
        moved(&mut node.first_result);
        node.operands.iter_mut().for_each(|u| moved(&mut u.slot));
        node.regions.iter_mut().for_each(|r| shift(r, offset));
    }
}

/// How a function compares its first two arguments.
fn comparator_of(func: &Func<'_>) -> Option<Comparison> {
    let [a, b, ..] = &func.args[..] else { return None };
    let [op, ret] = func.body.as_deref()? else { return None };
    let (&[x, y], &[r]) = (&op.operands[..], &ret.operands[..]) else { return None };
    let fits = (x.slot, y.slot) == (a.slot, b.slot) && r.slot == op.first_result;
    (fits && op.kind == Some(Kind::Compare)).then(|| compare_direction(op)).flatten()
}

/// A message with `{0}`, `{1}`, … replaced.
fn filled(text: &str, inputs: &[Option<i64>]) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let replaced = after.split_once('}').and_then(|(index, tail)| {
            let digits = index.split([':', ',']).next()?;
            Some(((*inputs.get(digits.parse::<usize>().ok()?)?)?, tail))
        });
        match replaced {
            Some((value, tail)) => {
                out.push_str(&value.to_string());
                rest = tail;
            }
            None => {
                out.push('{');
                rest = after;
            }
        }
    }
    out + rest
}
