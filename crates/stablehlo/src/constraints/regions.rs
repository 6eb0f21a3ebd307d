//! Operations with regions: what regions take and give, and how many operands there are.

use super::{R, broken, hold};
use crate::ops::{Kind, dims, ints_opt, scatter_dims, window_dims};
use crate::tree::{Node, Region, Ty};
use crate::types::{mlir_dtype, mlir_type};
use pullback_ir::infer::infer;
use pullback_ir::{DType, DTypeClass, Monoid, Op, TensorType};

/// What a region takes and gives, as far as it is written.
struct Signature<'r> {
    args: Vec<Option<&'r TensorType>>,
    results: Vec<Option<&'r TensorType>>,
}

impl<'r> Signature<'r> {
    /// `None` where the region does not end with a return.
    fn of(region: &'r Region<'_>) -> Option<Self> {
        let last = region.nodes.last().filter(|n| n.kind == Some(Kind::Return))?;
        let results = last.operands.iter().map(|u| type_in(region, u.slot)).collect();
        Some(Self { args: region.args.iter().map(|a| tensor(&a.ty)).collect(), results })
    }

    /// Whether it may have these types: `true` for what is not known.
    fn may_be(&self, args: &[TensorType], results: &[TensorType]) -> bool {
        may_be(&self.args, args) && may_be(&self.results, results)
    }

    fn show(&self) -> String {
        format!("({}) -> ({})", show(&self.args), show(&self.results))
    }
}

fn may_be(have: &[Option<&TensorType>], want: &[TensorType]) -> bool {
    have.len() == want.len() && have.iter().zip(want).all(|(h, w)| h.is_none_or(|h| h == w))
}

fn show(types: &[Option<&TensorType>]) -> String {
    let names: Vec<String> = types.iter().map(|t| t.map_or_else(|| "?".to_owned(), mlir_type)).collect();
    names.join(", ")
}

fn list(types: &[&TensorType]) -> String {
    types.iter().map(|t| mlir_type(t)).collect::<Vec<_>>().join(", ")
}

fn tensor<'r>(ty: &'r Ty<'_>) -> Option<&'r TensorType> {
    if let Ty::Tensor(t) = ty { Some(t) } else { None }
}

/// The type with which a region defines a slot.
fn type_in<'r>(region: &'r Region<'_>, slot: u32) -> Option<&'r TensorType> {
    if let Some(arg) = region.args.iter().find(|a| a.slot == slot) {
        return tensor(&arg.ty);
    }
    let node =
        region.nodes.iter().find(|n| (n.first_result..n.first_result + n.n_results).contains(&slot))?;
    tensor(node.result_types().get((slot - node.first_result) as usize)?)
}

fn scalars(dtypes: &[DType]) -> Vec<TensorType> {
    dtypes.iter().map(|&d| TensorType::scalar(d)).collect()
}

fn bits(dtype: DType) -> usize {
    if matches!(dtype, DType::I4 | DType::U4) { 4 } else { 8 * dtype.size() }
}

/// Whether a reduction of elements `from` may compute with `to`.
fn promotable(from: DType, to: DType) -> bool {
    let kind = |d: DType| match d.class() {
        DTypeClass::Bool => 0,
        DTypeClass::Signed | DTypeClass::Unsigned => 1,
        DTypeClass::Float => 2,
        DTypeClass::Complex => 3,
    };
    kind(from) == kind(to) && bits(from) <= bits(to)
}

/// Region `k` combines two values each of these element types, or of wider ones.
pub(super) fn combines(node: &Node<'_>, number: u8, (k, what): (usize, &str), elements: &[DType]) -> R {
    let Some(region) = node.regions.get(k) else {
        // `applies op` stands for a region of that operation.
        hold!(node, number, node.attr(&["applies"]).is_some(), "there is no {what}");
        return Ok(());
    };
    let Some(signature) = Signature::of(region) else { return Ok(()) };
    let n = elements.len();
    let wide: Vec<DType> = elements
        .iter()
        .enumerate()
        .map(|(i, &e)| signature.args.get(i).copied().flatten().map_or(e, TensorType::dtype))
        .collect();
    let types = scalars(&wide);
    let fits = signature.may_be(&[&types[..], &types[..]].concat(), &types)
        && elements.iter().zip(&wide).all(|(&from, &to)| promotable(from, to));
    let of: Vec<&str> = elements.iter().map(|&d| mlir_dtype(d)).collect();
    let of = of.join(", ");
    let values = if n == 1 { "scalars" } else { "scalars each" };
    hold!(node, number, fits, "{what} is {}: it does not combine two {values} of {of}", signature.show());
    Ok(())
}

/// Splits operands into inputs and as many initial values; constraint `number` counts them.
fn inputs<'t, 'o>(
    node: &Node<'_>,
    number: u8,
    operands: &'o [&'t TensorType],
) -> Result<(&'o [&'t TensorType], &'o [&'t TensorType]), crate::ops::Issue> {
    let (all, results) = (operands.len(), node.n_results as usize);
    let n = all / 2;
    if n == 0 || all != 2 * n || results != n {
        let what = format!(
            "{all} operands and {results} results are not inputs, initial values and results, one of each"
        );
        return Err(broken(node, number, &what));
    }
    Ok(operands.split_at(n))
}

/// All have the shape of the first.
fn same_shape(node: &Node<'_>, number: u8, what: &str, types: &[&TensorType]) -> R {
    let differ = types.iter().any(|t| t.shape() != types[0].shape());
    hold!(node, number, !differ, "shapes of the {what} differ: {}", list(types));
    Ok(())
}

/// Pairs have the same element types.
fn same_elements(node: &Node<'_>, number: u8, what: [&str; 2], xs: &[&TensorType], ys: &[&TensorType]) -> R {
    for (x, y) in xs.iter().zip(ys) {
        let (have, want) = (mlir_type(x), mlir_type(y));
        let [one, other] = what;
        hold!(
            node,
            number,
            x.dtype() == y.dtype(),
            "element types of the {one} {have} and the {other} {want} differ"
        );
    }
    Ok(())
}

fn element_types(types: &[&TensorType]) -> Vec<DType> {
    types.iter().map(|t| t.dtype()).collect()
}

/// A monoid on elements of any type: attributes are checked whatever the region is.
fn some_monoid(dtype: DType) -> Monoid {
    if dtype == DType::Bool { Monoid::Or } else { Monoid::Add }
}

pub(super) fn reduce(node: &Node<'_>, operands: &[&TensorType]) -> R {
    let (xs, inits) = inputs(node, 3, operands)?;
    same_shape(node, 1, "inputs", xs)?;
    same_elements(node, 2, ["input", "initial value"], xs, inits)?;
    let dims = dims(node, &["dimensions"])?;
    for (i, d) in dims.iter().enumerate() {
        hold!(node, 4, *d < xs[0].rank(), "dimension {d} of {} does not exist", mlir_type(xs[0]));
        hold!(node, 5, !dims[..i].contains(d), "dimension {d} is listed twice");
    }
    combines(node, 6, (0, "body"), &element_types(xs))
}

pub(super) fn reduce_window(node: &Node<'_>, operands: &[&TensorType]) -> R {
    let (xs, inits) = inputs(node, 1, operands)?;
    same_shape(node, 2, "inputs", xs)?;
    same_elements(node, 3, ["input", "initial value"], xs, inits)?;
    let monoid = some_monoid(xs[0].dtype());
    infer(&Op::ReduceWindow { window: Box::new(window_dims(node)?), monoid }, &[xs[0]])?;
    combines(node, 13, (0, "body"), &element_types(xs))
}

pub(super) fn scatter(node: &Node<'_>, operands: &[&TensorType]) -> R {
    let (all, results) = (operands.len(), node.n_results as usize);
    let n = all / 2;
    let counted = n > 0 && all == 2 * n + 1 && results == n;
    hold!(
        node,
        5,
        counted,
        "{all} operands and {results} results are not inputs, indices, updates and results"
    );
    let (xs, updates) = (&operands[..n], &operands[n + 1..]);
    same_shape(node, 1, "inputs", xs)?;
    same_shape(node, 3, "updates", updates)?;
    same_elements(node, 6, ["input", "update"], xs, updates)?;
    let op = Op::Scatter { dims: Box::new(scatter_dims(node)?), combiner: None };
    infer(&op, &[xs[0], operands[n], updates[0]])?;
    combines(node, 23, (0, "update_computation"), &element_types(xs))
}

pub(super) fn select_and_scatter(node: &Node<'_>, operands: &[&TensorType]) -> R {
    let [x, source, init] = operands else { return Ok(()) };
    same_elements(node, 1, ["operand", "source"], &[x], &[source])?;
    same_elements(node, 3, ["operand", "initial value"], &[x], &[init])?;
    if x.dtype().class() != DTypeClass::Complex {
        let (window, monoid) = (Box::new(window_dims(node)?), some_monoid(x.dtype()));
        infer(&Op::SelectAndScatter { window, least: false, monoid }, &[x, source])?;
    }
    let scalar = TensorType::scalar(x.dtype());
    if let Some(signature) = node.regions.first().and_then(Signature::of) {
        let fits = signature.may_be(&[scalar.clone(), scalar], &[TensorType::scalar(DType::Bool)]);
        let of = mlir_dtype(x.dtype());
        hold!(
            node,
            9,
            fits,
            "select is {}: it does not choose between two scalars of {of}",
            signature.show()
        );
    }
    combines(node, 10, (1, "scatter"), &[x.dtype()])
}

pub(super) fn sort(node: &Node<'_>, operands: &[&TensorType]) -> R {
    let Some(first) = operands.first() else {
        return Err(broken(node, 1, "there is nothing to sort"));
    };
    let (n, results) = (operands.len(), node.n_results as usize);
    hold!(node, 2, n == results, "{n} inputs and {results} results");
    same_shape(node, 3, "inputs", operands)?;
    if let Some(d) = ints_opt(node, &["dimension"])?.and_then(|v| v.first().copied()) {
        let rank = i64::try_from(first.rank()).unwrap_or(i64::MAX);
        hold!(node, 4, (-rank..rank).contains(&d), "dimension {d} of {} does not exist", mlir_type(first));
    }
    let Some(signature) = node.regions.first().and_then(Signature::of) else { return Ok(()) };
    let pairs: Vec<DType> = operands.iter().flat_map(|t| [t.dtype(); 2]).collect();
    let fits = signature.may_be(&scalars(&pairs), &[TensorType::scalar(DType::Bool)]);
    hold!(
        node,
        5,
        fits,
        "comparator is {}: it does not compare elements of {}",
        signature.show(),
        list(operands)
    );
    Ok(())
}

pub(super) fn map(node: &Node<'_>, operands: &[&TensorType]) -> R {
    let Some(first) = operands.first() else {
        return Err(broken(node, 2, "there are no inputs"));
    };
    same_shape(node, 1, "inputs", operands)?;
    let dims = dims(node, &["dimensions"])?;
    let all = dims.iter().copied().eq(0..first.rank());
    hold!(node, 3, all, "dimensions {dims:?} are not all of {}, in order", mlir_type(first));
    let Some(signature) = node.regions.first().and_then(Signature::of) else { return Ok(()) };
    let takes = may_be(&signature.args, &scalars(&element_types(operands)));
    let scalar = signature.results.len() == 1 && signature.results[0].is_none_or(|t| t.rank() == 0);
    let of = list(operands);
    hold!(node, 4, takes && scalar, "computation is {}: it does not map elements of {of}", signature.show());
    Ok(())
}

pub(super) fn while_loop(node: &Node<'_>, operands: &[&TensorType]) -> R {
    let carried: Vec<TensorType> = operands.iter().map(|&t| t.clone()).collect();
    let holds = [TensorType::scalar(DType::Bool)];
    for (number, what, results) in [(1, "cond", &holds[..]), (2, "body", &carried[..])] {
        let region = node.regions.get(usize::from(number) - 1);
        let Some(signature) = region.and_then(Signature::of) else { continue };
        let (have, of) = (signature.show(), list(operands));
        hold!(node, number, signature.may_be(&carried, results), "{what} is {have} where ({of}) is carried");
    }
    Ok(())
}

/// Branches take nothing and give the same.
pub(super) fn branches(node: &Node<'_>, op: &str) -> R {
    let [inputs, outputs] = if op == "if" { [1, 2] } else { [2, 3] };
    if op == "case" {
        hold!(node, 1, !node.regions.is_empty(), "there are no branches");
    }
    let mut first: Option<Signature<'_>> = None;
    for (i, region) in node.regions.iter().enumerate() {
        let n = region.args.len();
        hold!(node, inputs, n == 0, "branch {i} takes {n} value(s); branches take none");
        let Some(signature) = Signature::of(region) else { continue };
        let Some(first) = &first else {
            first = Some(signature);
            continue;
        };
        let (xs, ys) = (&first.results, &signature.results);
        let differ =
            |(x, y): (&Option<&TensorType>, &Option<&TensorType>)| x.is_some() && y.is_some() && x != y;
        let fits = xs.len() == ys.len() && !xs.iter().zip(ys).any(differ);
        hold!(node, outputs, fits, "branch {i} gives ({}), branch 0 ({})", show(ys), show(xs));
    }
    Ok(())
}
