//! Which operations there are, and how their attributes become an [`Op`].
//!
//! Types are not checked here beyond what an attribute needs; the builder's inference does that.

pub(crate) mod algorithm;
mod chlo;
pub(crate) mod collective;
mod convolution;
pub(crate) mod expanded;
mod refused;
pub(crate) mod shape;
mod window;

pub(crate) use chlo::{is_chlo, is_chlo_binary};
pub(crate) use convolution::conv_dims;
pub(crate) use refused::way_out;
pub(crate) use window::{select_direction, window_dims};

use crate::declared::Declared;
use crate::literals::{elements_of_bytes, parse_elements};
use crate::tree::{Attr, Node, Region, Ty};
use pullback_ir::literal::decode_i64;
use pullback_ir::{
    BinaryOp, Comparison, ConvDims, DType, DotDims, GatherDims, Monoid, Op, ScatterDims, TensorType,
    TypeError, UnaryOp,
};

/// An operation the importer knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Algorithm(algorithm::Algorithm),
    Unary(UnaryOp),
    Binary(BinaryOp),
    Bitcast,
    Broadcast,
    Call,
    Case,
    Clamp,
    /// One that reaches other programs.
    Collective(collective::Collective),
    Compare,
    /// A call that a composite was given for.
    Bound,
    Composite,
    Concatenate,
    Constant,
    Convert,
    Convolution,
    CustomCall,
    Dot,
    DynamicSlice,
    DynamicUpdateSlice,
    /// One that becomes several.
    Expanded(expanded::Expanded),
    Gather,
    /// Results are the operands.
    Identity,
    If,
    Iota,
    /// A computation of single devices.
    Manual,
    /// A mesh, which belongs to a module.
    Mesh,
    /// A computation with a name.
    Named,
    Pad,
    Reduce,
    ReducePrecision,
    ReduceWindow,
    /// Says something of its operand, and gives nothing.
    Remark,
    Reshape,
    Return,
    Reverse,
    Scatter,
    Select,
    SelectAndScatter,
    /// An operation whose shapes are operands, or that is about shapes.
    Shape(shape::ShapeOp),
    Slice,
    Sort,
    TopK,
    Transpose,
    While,
}

/// How an operation's pretty form is read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Simple,
    Reduce,
    Convolution,
    While,
    Manual,
    Mesh,
    Scan,
    /// Not known: read to its end.
    Opaque,
}

/// What a name with its dialect means; `None` when the IR has no such operation.
pub(crate) fn kind_of(name: &str) -> Option<Kind> {
    let (dialect, op) = name.split_once('.')?;
    if let Some(kind) = expanded::expanded_of(dialect, op) {
        return Some(Kind::Expanded(kind));
    }
    if let Some(kind) = algorithm::algorithm_of(dialect, op) {
        return Some(Kind::Algorithm(kind));
    }
    if let Some(kind) = collective::collective_of(op).filter(|_| dialect == "stablehlo") {
        return Some(Kind::Collective(kind));
    }
    Some(match (dialect, op) {
        ("stablehlo" | "chlo", "constant") => Kind::Constant,
        ("stablehlo", "broadcast_in_dim") => Kind::Broadcast,
        ("stablehlo", "reduce") => Kind::Reduce,
        ("stablehlo", "dot_general") => Kind::Dot,
        ("stablehlo", "reshape") => Kind::Reshape,
        ("stablehlo", "select") => Kind::Select,
        ("stablehlo", "compare") => Kind::Compare,
        ("stablehlo", "convert") => Kind::Convert,
        ("stablehlo", "transpose") => Kind::Transpose,
        ("stablehlo", "slice") => Kind::Slice,
        ("stablehlo" | "func" | "sdy", "return") => Kind::Return,
        ("func", "call") => Kind::Call,
        ("stablehlo", "clamp") => Kind::Clamp,
        ("stablehlo", "composite") => Kind::Composite,
        ("stablehlo", "concatenate") => Kind::Concatenate,
        ("stablehlo", "convolution") => Kind::Convolution,
        ("stablehlo", "custom_call") => Kind::CustomCall,
        ("stablehlo", "dynamic_slice") => Kind::DynamicSlice,
        ("stablehlo", "dynamic_update_slice") => Kind::DynamicUpdateSlice,
        ("stablehlo", "gather") => Kind::Gather,
        ("stablehlo", "iota") => Kind::Iota,
        ("stablehlo", "optimization_barrier")
        | ("sdy", "sharding_constraint" | "reshard" | "propagation_barrier") => Kind::Identity,
        ("sdy", "sharding_group") => Kind::Remark,
        ("sdy", "manual_computation") => Kind::Manual,
        ("sdy", "mesh") => Kind::Mesh,
        ("sdy", "named_computation") => Kind::Named,
        ("stablehlo", "pad") => Kind::Pad,
        ("stablehlo", "reverse") => Kind::Reverse,
        ("stablehlo", "scatter") => Kind::Scatter,
        ("stablehlo", "bitcast_convert") => Kind::Bitcast,
        ("stablehlo", "case") => Kind::Case,
        ("stablehlo", "if") => Kind::If,
        ("stablehlo", "reduce_precision") => Kind::ReducePrecision,
        ("stablehlo", "reduce_window") => Kind::ReduceWindow,
        ("stablehlo", "select_and_scatter") => Kind::SelectAndScatter,
        ("stablehlo", "sort") => Kind::Sort,
        ("stablehlo", "while") => Kind::While,
        ("chlo", "top_k") => Kind::TopK,
        ("chlo", "tan") => Kind::Unary(UnaryOp::Tan),
        ("chlo", _) => match BinaryOp::from_name(op).filter(|&b| is_chlo_binary(b)) {
            Some(b) => Kind::Binary(b),
            None => Kind::Unary(UnaryOp::from_name(op).filter(|&u| is_chlo(u))?),
        },
        // The IR names CHLO's ops like StableHLO's; StableHLO itself lacks these.
        ("stablehlo", _) if UnaryOp::from_name(op).is_some_and(is_chlo) => return None,
        ("stablehlo", _) if BinaryOp::from_name(op).is_some_and(is_chlo_binary) => return None,
        ("stablehlo", _) => match (BinaryOp::from_name(op), shape::ShapeOp::from_name(op)) {
            (Some(b), _) => Kind::Binary(b),
            (None, Some(s)) => Kind::Shape(s),
            (None, None) => Kind::Unary(UnaryOp::from_name(op)?),
        },
        _ => return None,
    })
}

/// How the pretty form of an operation is read.
pub(crate) fn form_of(kind: Option<Kind>) -> Form {
    match kind {
        None => Form::Opaque,
        Some(Kind::Reduce) => Form::Reduce,
        Some(Kind::Convolution) => Form::Convolution,
        Some(Kind::While) => Form::While,
        Some(Kind::Manual | Kind::Named) => Form::Manual,
        Some(Kind::Mesh) => Form::Mesh,
        Some(Kind::Expanded(expanded::Expanded::Scan)) => Form::Scan,
        Some(_) => Form::Simple,
    }
}

/// Why a node has no [`Op`].
#[derive(Debug)]
pub(crate) enum Issue {
    Error(String),
    /// An attribute, by its key, and what is wrong with it.
    Attribute(String, String),
    /// The IR's op does not fit its operands.
    Type(TypeError),
    Unsupported(String, &'static str),
    /// Reported where it was found.
    Reported,
}

type R<T> = Result<T, Issue>;

impl From<TypeError> for Issue {
    fn from(e: TypeError) -> Self {
        Issue::Type(e)
    }
}

fn bad<T>(message: impl Into<String>) -> R<T> {
    Err(Issue::Error(message.into()))
}

/// Whole numbers of an attribute, whichever way they are written.
pub(crate) fn ints_of(attr: &Attr<'_>) -> Option<Vec<i64>> {
    match attr {
        Attr::Ints(v) => Some(v.clone()),
        Attr::Int(n) => Some(vec![*n]),
        Attr::List(items) => items
            .iter()
            .map(|a| match a {
                Attr::Int(n) => Some(*n),
                Attr::Bool(b) => Some(i64::from(*b)),
                _ => None,
            })
            .collect(),
        Attr::Dense { text, ty: Some(Ty::Tensor(ty)), .. } if ty.count() <= 1 << 16 => {
            let literal = parse_elements(text, ty).ok()?;
            let d = ty.dtype();
            (d.is_integer() || d == DType::Bool)
                .then(|| (0..ty.count()).map(|i| decode_i64(d, literal.element(i))).collect())
        }
        Attr::Data { bytes, ty: Ty::Tensor(ty), .. } if ty.count() <= 1 << 16 => {
            let literal = elements_of_bytes(bytes, ty).ok()?;
            let d = ty.dtype();
            (d.is_integer() || d == DType::Bool)
                .then(|| (0..ty.count()).map(|i| decode_i64(d, literal.element(i))).collect())
        }
        _ => None,
    }
}

/// Whole numbers that may not be negative.
pub(crate) fn natural(key: &str, ints: Vec<i64>) -> R<Vec<usize>> {
    ints.into_iter()
        .map(|n| {
            usize::try_from(n).map_err(|_| {
                Issue::Attribute(key.to_owned(), format!("{key} holds {n}, which may not be negative"))
            })
        })
        .collect()
}

/// Whole numbers of the first of these attributes; `None` when all are absent.
pub(crate) fn ints_opt(node: &Node<'_>, keys: &[&str]) -> R<Option<Vec<i64>>> {
    let Some(attr) = node.attr(keys) else { return Ok(None) };
    match ints_of(attr) {
        Some(v) => Ok(Some(v)),
        None => bad(format!("{}: {} is not a list of whole numbers", node.name, keys[0])),
    }
}

fn ints(node: &Node<'_>, keys: &[&str]) -> R<Vec<i64>> {
    match ints_opt(node, keys)? {
        Some(v) => Ok(v),
        None => bad(format!("{} lacks its attribute {}", node.name, keys[0])),
    }
}

/// A list of whole numbers that may not be negative.
pub(crate) fn dims(node: &Node<'_>, keys: &[&str]) -> R<Vec<usize>> {
    natural(keys[0], ints(node, keys)?)
}

/// One whole number that may not be negative.
pub(crate) fn one(node: &Node<'_>, keys: &[&str]) -> R<usize> {
    match dims(node, keys)?[..] {
        [n] => Ok(n),
        _ => bad(format!("{}: {} is not one number", node.name, keys[0])),
    }
}

/// An entry of a dictionary of dimension numbers; absent lists are empty.
pub(crate) fn entry(dict: &[(&str, Attr<'_>)], key: &str) -> R<Vec<usize>> {
    match dict.iter().find(|(k, _)| *k == key) {
        None => Ok(Vec::new()),
        Some((_, a)) => match ints_of(a) {
            Some(v) => natural(key, v),
            None => bad(format!("{key} is not a list of whole numbers")),
        },
    }
}

/// The entries of an attribute with dimension numbers.
pub(crate) fn dict<'n, 'a>(node: &'n Node<'a>, keys: &[&str]) -> R<&'n [(&'a str, Attr<'a>)]> {
    match node.attr(keys) {
        Some(Attr::Dict(d)) => Ok(d),
        _ => bad(format!("{} lacks its dimension numbers ({})", node.name, keys[0])),
    }
}

/// Whether a flag is there and set.
pub(crate) fn flag(node: &Node<'_>, key: &str) -> bool {
    matches!(node.attr(&[key]), Some(Attr::Bool(true)))
}

/// The operation of a node whose result (as written) is `result`. For kinds that are one operation each.
pub(crate) fn op_of(node: &Node<'_>, kind: Kind, result: &Declared) -> R<Op> {
    let exact = || match result.exact() {
        Some(ty) => Ok(ty.clone()),
        None => bad(format!("{} is declared as {result}: its result has a shape that is known", node.name)),
    };
    Ok(match kind {
        Kind::Unary(u) => Op::Unary(u),
        Kind::Binary(b) => Op::Binary(b),
        Kind::Select => Op::Select,
        Kind::Clamp => Op::Clamp,
        Kind::DynamicUpdateSlice => Op::DynamicUpdateSlice,
        Kind::Convert => Op::Convert { dtype: result.dtype() },
        Kind::Bitcast => Op::BitcastConvert { dtype: result.dtype() },
        Kind::ReducePrecision => window::precision(node)?,
        Kind::Reshape => Op::Reshape { shape: exact()?.shape().to_vec() },
        Kind::Broadcast => Op::BroadcastInDim {
            shape: exact()?.shape().to_vec(),
            dims: dims(node, &["dims", "broadcast_dimensions"])?,
        },
        Kind::Transpose => Op::Transpose { permutation: dims(node, &["dims", "permutation"])? },
        Kind::Reverse => Op::Reverse { dims: dims(node, &["dims", "dimensions"])? },
        Kind::Iota => Op::Iota { ty: exact()?, dim: one(node, &["dim", "iota_dimension"])? },
        Kind::Concatenate => Op::Concatenate { dim: one(node, &["dim", "dimension"])? },
        Kind::DynamicSlice => Op::DynamicSlice { sizes: dims(node, &["sizes", "slice_sizes"])? },
        Kind::Slice => Op::Slice {
            starts: dims(node, &["start_indices"])?,
            limits: dims(node, &["limit_indices"])?,
            strides: dims(node, &["strides"])?,
        },
        Kind::Pad => Op::Pad {
            low: ints(node, &["low", "edge_padding_low"])?,
            high: ints(node, &["high", "edge_padding_high"])?,
            interior: dims(node, &["interior", "interior_padding"])?,
        },
        Kind::Compare => compare(node)?,
        Kind::Dot => Op::DotGeneral(dot_dims(node)?),
        Kind::Convolution => {
            let dims = conv_dims(node)?;
            let padding = convolution::conv_padding(node, dims.input_spatial.len())?;
            Op::Convolution(Box::new(ConvDims { padding, ..dims }))
        }
        Kind::Gather => gather(node, dims(node, &["slice_sizes"])?)?,
        Kind::Algorithm(_)
        | Kind::Constant
        | Kind::Call
        | Kind::Case
        | Kind::Collective(_)
        | Kind::Bound
        | Kind::Composite
        | Kind::CustomCall
        | Kind::Expanded(_)
        | Kind::Identity
        | Kind::If
        | Kind::Manual
        | Kind::Mesh
        | Kind::Named
        | Kind::Reduce
        | Kind::ReduceWindow
        | Kind::Remark
        | Kind::Return
        | Kind::Scatter
        | Kind::SelectAndScatter
        | Kind::Shape(_)
        | Kind::Sort
        | Kind::TopK
        | Kind::While => {
            return bad(format!("{} is not one operation", node.name));
        }
    })
}

/// The dimension numbers are the node's.
pub(crate) fn gather(node: &Node<'_>, slice_sizes: Vec<usize>) -> R<Op> {
    let d = dict(node, &["dimension_numbers"])?;
    Ok(Op::Gather(Box::new(GatherDims {
        offset_dims: entry(d, "offset_dims")?,
        collapsed_slice_dims: entry(d, "collapsed_slice_dims")?,
        operand_batching_dims: entry(d, "operand_batching_dims")?,
        start_indices_batching_dims: entry(d, "start_indices_batching_dims")?,
        start_index_map: entry(d, "start_index_map")?,
        index_vector_dim: entry(d, "index_vector_dim")?.first().copied().unwrap_or(0),
        slice_sizes,
        indices_are_sorted: flag(node, "indices_are_sorted"),
    })))
}

/// The dimension numbers of a scatter.
pub(crate) fn scatter_dims(node: &Node<'_>) -> R<ScatterDims> {
    let d = dict(node, &["scatter_dimension_numbers"])?;
    Ok(ScatterDims {
        update_window_dims: entry(d, "update_window_dims")?,
        inserted_window_dims: entry(d, "inserted_window_dims")?,
        input_batching_dims: entry(d, "input_batching_dims")?,
        scatter_indices_batching_dims: entry(d, "scatter_indices_batching_dims")?,
        scatter_dims_to_operand_dims: entry(d, "scatter_dims_to_operand_dims")?,
        index_vector_dim: entry(d, "index_vector_dim")?.first().copied().unwrap_or(0),
        indices_are_sorted: flag(node, "indices_are_sorted"),
        unique_indices: flag(node, "unique_indices"),
    })
}

fn compare(node: &Node<'_>) -> R<Op> {
    let Some(direction) = compare_direction(node) else {
        return bad("stablehlo.compare needs a direction: EQ, NE, GE, GT, LE or LT");
    };
    Ok(Op::Compare { direction, total_order: is_total_order(node) })
}

/// The word that an attribute is.
pub(crate) fn word<'a>(node: &Node<'a>, key: &str) -> Option<&'a str> {
    match node.attr(&[key]) {
        Some(Attr::Word(w)) => Some(w),
        _ => None,
    }
}

/// The direction of a comparison.
pub(crate) fn compare_direction(node: &Node<'_>) -> Option<Comparison> {
    word(node, "comparison_direction").and_then(Comparison::from_name)
}

/// Whether a comparison of floats is IEEE totalOrder.
pub(crate) fn is_total_order(node: &Node<'_>) -> bool {
    word(node, "compare_type") == Some("TOTALORDER")
}

fn dot_dims(node: &Node<'_>) -> R<DotDims> {
    if let Some(Attr::Dict(d)) = node.attr(&["dot_dimension_numbers"]) {
        return Ok(DotDims {
            lhs_batch: entry(d, "lhs_batching_dimensions")?,
            rhs_batch: entry(d, "rhs_batching_dimensions")?,
            lhs_contract: entry(d, "lhs_contracting_dimensions")?,
            rhs_contract: entry(d, "rhs_contracting_dimensions")?,
        });
    }
    let pair = |key, names: [&str; 2]| match node.attr(&[key]) {
        None => Ok((Vec::new(), Vec::new())),
        Some(Attr::Pair(a, b)) => Ok((natural(names[0], a.clone())?, natural(names[1], b.clone())?)),
        Some(_) => bad(format!("{key} should look like [1] x [0]")),
    };
    let (lhs_batch, rhs_batch) =
        pair("batching_dims", ["lhs_batching_dimensions", "rhs_batching_dimensions"])?;
    let (lhs_contract, rhs_contract) =
        pair("contracting_dims", ["lhs_contracting_dimensions", "rhs_contracting_dimensions"])?;
    Ok(DotDims { lhs_batch, rhs_batch, lhs_contract, rhs_contract })
}

/// The monoid an operation's name stands for on elements of this type.
pub(crate) fn monoid_of(name: &str, dtype: DType) -> Option<Monoid> {
    let m = Monoid::from_name(name.strip_prefix("stablehlo.")?)?;
    // StableHLO adds booleans as or, multiplies them as and.
    Some(match (m, dtype) {
        (Monoid::Add, DType::Bool) => Monoid::Or,
        (Monoid::Multiply, DType::Bool) => Monoid::And,
        _ => m,
    })
}

/// What a two-argument region does: one operation on both arguments, or the second argument.
enum Body<'a> {
    Applies(&'a str),
    Second,
    Other,
}

fn body_of<'a>(region: &Region<'a>) -> Body<'a> {
    let [a, b] = &region.args[..] else { return Body::Other };
    let (a, b) = (a.slot, b.slot);
    match &region.nodes[..] {
        [ret] if ret.kind == Some(Kind::Return) => match ret.operands[..] {
            [r] if r.slot == b => Body::Second,
            _ => Body::Other,
        },
        [op, ret] if ret.kind == Some(Kind::Return) && op.n_results == 1 => {
            let (&[x, y], &[r]) = (&op.operands[..], &ret.operands[..]) else { return Body::Other };
            let both = (x.slot, y.slot) == (a, b) || (x.slot, y.slot) == (b, a);
            if both && r.slot == op.first_result { Body::Applies(op.name) } else { Body::Other }
        }
        _ => Body::Other,
    }
}

/// The monoid that a node's region is, where it is one operation on its two arguments (of this element type).
pub(crate) fn monoid(node: &Node<'_>, region: usize, dtype: DType) -> Option<Monoid> {
    if let (Some(Attr::Word(name)), 0) = (node.attr(&["applies"]), region) {
        return monoid_of(name, dtype);
    }
    let region = node.regions.get(region)?;
    let scalar = TensorType::scalar(dtype);
    let plain = region.args.iter().all(|a| matches!(&a.ty, Ty::Tensor(t) if *t == scalar));
    match body_of(region) {
        Body::Applies(name) if plain => monoid_of(name, dtype),
        Body::Applies(_) | Body::Second | Body::Other => None,
    }
}

/// Dimensions a reduction removes, in increasing order.
pub(crate) fn reduce_dims(node: &Node<'_>) -> R<Vec<usize>> {
    let mut d = dims(node, &["dimensions"])?;
    d.sort_unstable();
    Ok(d)
}

/// How updates join where a scatter's region is a monoid, or replaces (`None`); nothing where it is neither.
pub(crate) fn joins_simply(node: &Node<'_>, dtype: DType) -> Option<Option<Monoid>> {
    if let [region] = &node.regions[..]
        && matches!(body_of(region), Body::Second)
    {
        return Some(None);
    }
    let monoid = monoid(node, 0, dtype)?;
    monoid.identity(&TensorType::scalar(dtype)).map(|_| Some(monoid))
}
