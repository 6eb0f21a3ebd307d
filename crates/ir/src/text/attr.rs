//! Attributes of ops in texts, and the op they make together with its name and result type.
//!
//! The counterpart of `write_op_attrs` in the printer: what one leaves out, the other fills in.

mod algorithm;
mod composite;

use super::MAX_LIST;
use super::scan::{Result, Scanner};
use crate::dtype::TensorType;
use crate::op::{
    BinaryOp, Comparison, ConvDims, DotDims, GatherDims, Monoid, Op, ScatterDims, UnaryOp, WindowDims,
};
use crate::program::Program;
use pullback_base::Diagnostic;

/// A value of an attribute.
enum Attr<'a> {
    Word(&'a str),
    /// `"text"`
    Text(String),
    Int(i128),
    Ints(Vec<i128>),
    Words(Vec<&'a str>),
    /// `[[1, 2], [3]]`
    Rows(Vec<Vec<i128>>),
    /// `[1] x [0]`
    Cross(Vec<i128>, Vec<i128>),
}

/// The attributes of one op; each is taken once, and none may be left.
pub(super) struct Attrs<'a> {
    list: Vec<(&'a str, usize, Attr<'a>)>,
    /// Where the op is, for what is missing.
    at: usize,
}

/// Reads `{name = value, ...}` if it is next.
pub(super) fn parse_attrs<'a>(s: &mut Scanner<'a>, at: usize) -> Result<Attrs<'a>> {
    let mut attrs = Attrs { list: Vec::new(), at };
    if !s.peek_in_line(b'{') {
        return Ok(attrs);
    }
    s.expect(b'{')?;
    while !s.eat(b'}') {
        if !attrs.list.is_empty() {
            s.expect(b',')?;
        }
        s.skip_space();
        let at = s.at();
        let name = s.word("an attribute")?;
        if attrs.list.iter().any(|(n, _, _)| *n == name) {
            return Err(s.error(at, format!("the attribute {name} is given twice")));
        }
        if attrs.list.len() == MAX_LIST {
            return Err(s.error(at, "too many attributes"));
        }
        s.expect(b'=')?;
        attrs.list.push((name, at, parse_attr(s)?));
    }
    Ok(attrs)
}

fn parse_attr<'a>(s: &mut Scanner<'a>) -> Result<Attr<'a>> {
    if let Some(text) = s.string_in_line()? {
        return Ok(Attr::Text(text));
    }
    if !s.eat(b'[') {
        let word = s.number()?;
        return Ok(word.parse().map_or(Attr::Word(word), Attr::Int));
    }
    if s.eat(b'[') {
        return parse_rows(s).map(Attr::Rows);
    }
    let words = parse_list(s, Scanner::number)?;
    let ints: Option<Vec<i128>> = words.iter().map(|w| w.parse().ok()).collect();
    let Some(ints) = ints else { return Ok(Attr::Words(words)) };
    if !s.eat_word("x") {
        return Ok(Attr::Ints(ints));
    }
    s.expect(b'[')?;
    Ok(Attr::Cross(ints, parse_list(s, Scanner::integer)?))
}

/// Entries up to `]`; the `[` is taken.
pub(super) fn parse_list<'a, T>(
    s: &mut Scanner<'a>,
    entry: impl Fn(&mut Scanner<'a>) -> Result<T>,
) -> Result<Vec<T>> {
    let mut list = Vec::new();
    while !s.eat(b']') {
        if !list.is_empty() {
            s.expect(b',')?;
        }
        if list.len() == MAX_LIST {
            return Err(s.error(s.at(), format!("unsupported: a list of more than {MAX_LIST} entries")));
        }
        list.push(entry(s)?);
    }
    Ok(list)
}

/// `[[1, 2], [3]]`; `[[` is taken.
fn parse_rows(s: &mut Scanner<'_>) -> Result<Vec<Vec<i128>>> {
    let mut rows = Vec::new();
    loop {
        rows.push(parse_list(s, Scanner::integer)?);
        if s.eat(b']') {
            return Ok(rows);
        }
        if rows.len() == MAX_LIST {
            return Err(s.error(s.at(), format!("unsupported: a list of more than {MAX_LIST} entries")));
        }
        s.expect(b',')?;
        s.expect(b'[')?;
    }
}

/// Converts all or fails.
fn all<T: TryFrom<i128>>(ints: &[i128]) -> Option<Vec<T>> {
    ints.iter().map(|&i| T::try_from(i).ok()).collect()
}

/// Takes attributes by name; errors carry the place.
struct Taker<'s, 'a> {
    s: &'s Scanner<'a>,
    attrs: Attrs<'a>,
    op: &'a str,
    regions: Vec<Program>,
}

impl<'a> Taker<'_, 'a> {
    fn find(&mut self, name: &str) -> Option<(usize, Attr<'a>)> {
        let i = self.attrs.list.iter().position(|(n, _, _)| *n == name)?;
        let (_, at, attr) = self.attrs.list.swap_remove(i);
        Some((at, attr))
    }

    /// The attribute as `read` gives it, which `what` describes.
    fn optional<T>(
        &mut self,
        name: &str,
        what: &str,
        read: impl FnOnce(Attr<'a>) -> Option<T>,
    ) -> Result<Option<T>> {
        let Some((at, attr)) = self.find(name) else { return Ok(None) };
        match read(attr) {
            Some(value) => Ok(Some(value)),
            None => Err(self.s.error(at, format!("{name} should be {what}"))),
        }
    }

    fn required<T>(&mut self, name: &str, what: &str, read: impl FnOnce(Attr<'a>) -> Option<T>) -> Result<T> {
        match self.optional(name, what, read)? {
            Some(value) => Ok(value),
            None => {
                Err(self.s.error(self.attrs.at, format!("{} needs the attribute {name} ({what})", self.op)))
            }
        }
    }

    fn size(&mut self, name: &str) -> Result<usize> {
        self.required(name, "a size", |a| match a {
            Attr::Int(i) => usize::try_from(i).ok(),
            Attr::Word(_)
            | Attr::Ints(_)
            | Attr::Words(_)
            | Attr::Rows(_)
            | Attr::Cross(..)
            | Attr::Text(_) => None,
        })
    }

    fn list<T: TryFrom<i128>>(&mut self, name: &str) -> Result<Vec<T>> {
        self.required(name, "a list of whole numbers", as_list)
    }

    /// A list that is empty when it is not written.
    fn list_or_empty(&mut self, name: &str) -> Result<Vec<usize>> {
        Ok(self.optional(name, "a list of whole numbers", as_list)?.unwrap_or_default())
    }

    /// A word that `parse` knows.
    fn word<T>(&mut self, name: &str, what: &str, parse: impl Fn(&str) -> Option<T>) -> Result<Option<T>> {
        self.optional(name, what, |a| as_word(&a).and_then(parse))
    }

    fn flag(&mut self, name: &str) -> Result<bool> {
        Ok(self.word(name, "true or false", as_bool)?.unwrap_or(false))
    }

    /// Two lists; both empty when they are not written.
    fn cross(&mut self, name: &str) -> Result<(Vec<usize>, Vec<usize>)> {
        let read = |a| match a {
            Attr::Cross(l, r) => Some((all(&l)?, all(&r)?)),
            Attr::Word(_) | Attr::Int(_) | Attr::Ints(_) | Attr::Words(_) | Attr::Rows(_) | Attr::Text(_) => {
                None
            }
        };
        Ok(self.optional(name, "two lists such as [1] x [0]", read)?.unwrap_or_default())
    }

    fn missing(&self, name: &str) -> Diagnostic {
        self.s.error(self.attrs.at, format!("{} needs the attribute {name}", self.op))
    }
}

fn as_list<T: TryFrom<i128>>(a: Attr<'_>) -> Option<Vec<T>> {
    match a {
        Attr::Ints(ints) => all(&ints),
        Attr::Word(_) | Attr::Int(_) | Attr::Words(_) | Attr::Rows(_) | Attr::Cross(..) | Attr::Text(_) => {
            None
        }
    }
}

fn as_word<'a>(a: &Attr<'a>) -> Option<&'a str> {
    match a {
        Attr::Word(w) => Some(w),
        Attr::Int(_) | Attr::Ints(_) | Attr::Words(_) | Attr::Rows(_) | Attr::Cross(..) | Attr::Text(_) => {
            None
        }
    }
}

fn as_bool(word: &str) -> Option<bool> {
    word.parse().ok()
}

/// The op `name` with these attributes and results of type `ty`. Constants are made by the caller.
pub(super) fn make_op<'a>(
    s: &Scanner<'a>,
    name: &'a str,
    attrs: Attrs<'a>,
    regions: Vec<Program>,
    types: &[TensorType],
) -> Result<Op> {
    let mut t = Taker { s, attrs, op: name, regions };
    let op = match (UnaryOp::from_name(name), BinaryOp::from_name(name)) {
        (Some(u), _) => Op::Unary(u),
        (_, Some(b)) => Op::Binary(b),
        (None, None) => other_op(&mut t, name, types)?,
    };
    if !t.regions.is_empty() {
        return Err(s.error(t.attrs.at, format!("{name} does not run {} program(s)", t.regions.len())));
    }
    match t.attrs.list.first() {
        Some((attr, at, _)) => Err(s.error(*at, format!("{name} has no attribute {attr}"))),
        None => Ok(op),
    }
}

fn other_op(t: &mut Taker<'_, '_>, name: &str, types: &[TensorType]) -> Result<Op> {
    if let Some(op) = algorithm::linalg(t, name, types)? {
        return Ok(op);
    }
    if let Some(c) = algorithm::communication(t, name, types)? {
        return Ok(Op::Communicate(Box::new(c)));
    }
    let ty = &types[0];
    let shape = || ty.shape().to_vec();
    Ok(match name {
        "iota" => Op::Iota { ty: ty.clone(), dim: t.size("iota_dimension")? },
        "compare" => compare(t)?,
        "select" => Op::Select,
        "clamp" => Op::Clamp,
        "convert" => Op::Convert { dtype: ty.dtype() },
        "broadcast_in_dim" => Op::BroadcastInDim { shape: shape(), dims: t.list("broadcast_dimensions")? },
        "reshape" => Op::Reshape { shape: shape() },
        "transpose" => Op::Transpose { permutation: t.list("permutation")? },
        "slice" => Op::Slice {
            starts: t.list("start_indices")?,
            limits: t.list("limit_indices")?,
            strides: t.list("strides")?,
        },
        "concatenate" => Op::Concatenate { dim: t.size("dimension")? },
        "pad" => Op::Pad {
            low: t.list("edge_padding_low")?,
            high: t.list("edge_padding_high")?,
            interior: t.list("interior_padding")?,
        },
        "reverse" => Op::Reverse { dims: t.list("dimensions")? },
        "dot_general" => {
            let (lhs_batch, rhs_batch) = t.cross("batching_dims")?;
            let (lhs_contract, rhs_contract) = t.cross("contracting_dims")?;
            Op::DotGeneral(DotDims { lhs_batch, rhs_batch, lhs_contract, rhs_contract })
        }
        "convolution" => Op::Convolution(Box::new(convolution(t)?)),
        "reduce" => {
            let dims = t.list("dimensions")?;
            Op::Reduce { dims, monoid: monoid(t)? }
        }
        "gather" => Op::Gather(Box::new(gather(t)?)),
        "scatter" => Op::Scatter {
            dims: Box::new(scatter(t)?),
            combiner: t.word("combiner", "a monoid such as add", Monoid::from_name)?,
        },
        "dynamic_slice" => Op::DynamicSlice { sizes: t.list("slice_sizes")? },
        "dynamic_update_slice" => Op::DynamicUpdateSlice,
        "bitcast_convert" => Op::BitcastConvert { dtype: ty.dtype() },
        "reduce_precision" => reduce_precision(t)?,
        "reduce_window" => Op::ReduceWindow { window: Box::new(window(t)?), monoid: monoid(t)? },
        "select_and_scatter" => select_and_scatter(t)?,
        "argsort" => argsort(t)?,
        "while" => {
            let [cond, body]: [Program; 2] = std::mem::take(&mut t.regions)
                .try_into()
                .map_err(|_| t.s.error(t.attrs.at, "while runs two programs, cond and body"))?;
            Op::While { cond: Box::new(cond), body: Box::new(body) }
        }
        "case" => Op::Case { branches: std::mem::take(&mut t.regions) },
        "composite" => composite::composite(t)?,
        "custom" => composite::custom(t, types)?,
        _ => return Err(t.s.error(t.attrs.at, format!("unsupported: there is no op {name}"))),
    })
}

fn reduce_precision(t: &mut Taker<'_, '_>) -> Result<Op> {
    let bits = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Ok(Op::ReducePrecision {
        exponent_bits: bits(t.size("exponent_bits")?),
        mantissa_bits: bits(t.size("mantissa_bits")?),
    })
}

fn select_and_scatter(t: &mut Taker<'_, '_>) -> Result<Op> {
    let window = Box::new(window(t)?);
    let least = match direction(t, "select")? {
        Comparison::Ge => false,
        Comparison::Le => true,
        Comparison::Eq | Comparison::Ne | Comparison::Gt | Comparison::Lt => {
            return Err(t.s.error(t.attrs.at, "select should be GE or LE"));
        }
    };
    Ok(Op::SelectAndScatter { window, least, monoid: monoid(t)? })
}

fn argsort(t: &mut Taker<'_, '_>) -> Result<Op> {
    let dim = t.size("dimension")?;
    let descending = match direction(t, "comparison_direction")? {
        Comparison::Lt => false,
        Comparison::Gt => true,
        Comparison::Eq | Comparison::Ne | Comparison::Ge | Comparison::Le => {
            return Err(t.s.error(t.attrs.at, "comparison_direction should be LT or GT"));
        }
    };
    Ok(Op::Argsort { dim, descending, total_order: total_order(t)? })
}

fn compare(t: &mut Taker<'_, '_>) -> Result<Op> {
    Ok(Op::Compare { direction: direction(t, "comparison_direction")?, total_order: total_order(t)? })
}

fn direction(t: &mut Taker<'_, '_>, key: &str) -> Result<Comparison> {
    let direction = t.word(key, "EQ, NE, GE, GT, LE or LT", Comparison::from_name)?;
    direction.ok_or_else(|| t.missing(key))
}

fn total_order(t: &mut Taker<'_, '_>) -> Result<bool> {
    let total = t.word("compare_type", "TOTALORDER", |w| (w == "TOTALORDER").then_some(true))?;
    Ok(total.unwrap_or(false))
}

fn monoid(t: &mut Taker<'_, '_>) -> Result<Monoid> {
    let monoid = t.word("monoid", "a monoid such as add", Monoid::from_name)?;
    monoid.ok_or_else(|| t.missing("monoid"))
}

fn window(t: &mut Taker<'_, '_>) -> Result<WindowDims> {
    Ok(WindowDims {
        sizes: t.list("window_dimensions")?,
        strides: t.list("window_strides")?,
        base_dilations: t.list("base_dilations")?,
        window_dilations: t.list("window_dilations")?,
        padding: padding(t)?,
    })
}

fn padding(t: &mut Taker<'_, '_>) -> Result<Vec<(i64, i64)>> {
    t.required("padding", "pairs such as [[0, 1]]", |a| match a {
        Attr::Rows(rows) => pairs_of(&rows),
        Attr::Ints(ints) if ints.is_empty() => Some(Vec::new()),
        Attr::Word(_) | Attr::Int(_) | Attr::Ints(_) | Attr::Words(_) | Attr::Cross(..) | Attr::Text(_) => {
            None
        }
    })
}

/// Rows of two numbers.
fn pairs_of<T: TryFrom<i128>>(rows: &[Vec<i128>]) -> Option<Vec<(T, T)>> {
    let pair = |row: &Vec<i128>| match row[..] {
        [a, b] => Some((T::try_from(a).ok()?, T::try_from(b).ok()?)),
        _ => None,
    };
    rows.iter().map(pair).collect()
}

fn convolution(t: &mut Taker<'_, '_>) -> Result<ConvDims> {
    Ok(ConvDims {
        input_batch: t.size("input_batch_dimension")?,
        input_feature: t.size("input_feature_dimension")?,
        input_spatial: t.list("input_spatial_dimensions")?,
        kernel_input_feature: t.size("kernel_input_feature_dimension")?,
        kernel_output_feature: t.size("kernel_output_feature_dimension")?,
        kernel_spatial: t.list("kernel_spatial_dimensions")?,
        output_batch: t.size("output_batch_dimension")?,
        output_feature: t.size("output_feature_dimension")?,
        output_spatial: t.list("output_spatial_dimensions")?,
        strides: t.list("window_strides")?,
        padding: padding(t)?,
        lhs_dilation: t.list("lhs_dilation")?,
        rhs_dilation: t.list("rhs_dilation")?,
        reversal: t.required("window_reversal", "a list of true and false", |a| match a {
            Attr::Words(words) => words.iter().map(|w| as_bool(w)).collect(),
            Attr::Ints(ints) if ints.is_empty() => Some(Vec::new()),
            Attr::Word(_)
            | Attr::Int(_)
            | Attr::Ints(_)
            | Attr::Rows(_)
            | Attr::Cross(..)
            | Attr::Text(_) => None,
        })?,
        feature_group_count: t.size("feature_group_count")?,
        batch_group_count: t.size("batch_group_count")?,
    })
}

fn gather(t: &mut Taker<'_, '_>) -> Result<GatherDims> {
    Ok(GatherDims {
        offset_dims: t.list("offset_dims")?,
        collapsed_slice_dims: t.list("collapsed_slice_dims")?,
        operand_batching_dims: t.list_or_empty("operand_batching_dims")?,
        start_indices_batching_dims: t.list_or_empty("start_indices_batching_dims")?,
        start_index_map: t.list("start_index_map")?,
        index_vector_dim: t.size("index_vector_dim")?,
        slice_sizes: t.list("slice_sizes")?,
        indices_are_sorted: t.flag("indices_are_sorted")?,
    })
}

fn scatter(t: &mut Taker<'_, '_>) -> Result<ScatterDims> {
    Ok(ScatterDims {
        update_window_dims: t.list("update_window_dims")?,
        inserted_window_dims: t.list("inserted_window_dims")?,
        input_batching_dims: t.list_or_empty("input_batching_dims")?,
        scatter_indices_batching_dims: t.list_or_empty("scatter_indices_batching_dims")?,
        scatter_dims_to_operand_dims: t.list("scatter_dims_to_operand_dims")?,
        index_vector_dim: t.size("index_vector_dim")?,
        indices_are_sorted: t.flag("indices_are_sorted")?,
        unique_indices: t.flag("unique_indices")?,
    })
}
