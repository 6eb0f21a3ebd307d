//! Printing programs. Every op and attribute is written, in a fixed order; equal programs give equal texts.
//!
//! Attributes with an empty or usual value are left out only where [`super::attr`] fills in the same value.

mod algorithm;
mod composite;

use super::literal::write_literal;
use crate::literal::Literal;
use crate::op::{ConvDims, GatherDims, Monoid, Op, ScatterDims, WindowDims};
use crate::program::{Instr, Program, Value};
use std::fmt::{self, Display, Formatter, Write};

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_program(f, self, true, 0)
    }
}

/// The text without names of values other than arguments: programs that compute the same from arguments and to
/// results of the same names have equal texts, wherever their source lines were.
///
/// ```
/// use pullback_ir::text::{canonical_math, parse};
/// let p = parse("program @f(%0: f32[] \"x\") { %1: f32[] = negate %0 \"line 7\" return %1 }").unwrap();
/// assert_eq!(canonical_math(&p), "program @f(%0: f32[] \"x\") {\n  %1: f32[] = negate %0\n  return %1\n}\n");
/// ```
pub fn canonical_math(program: &Program) -> String {
    let mut text = String::new();
    write_program(&mut text, program, false, 0).expect("writing to a string succeeds");
    text
}

/// A program whose lines begin `depth` steps to the right, to its closing brace.
fn write_program(f: &mut dyn Write, program: &Program, inner_names: bool, depth: usize) -> fmt::Result {
    f.write_str("program @")?;
    write_symbol(f, program.name())?;
    f.write_char('(')?;
    for (i, &arg) in program.args().iter().enumerate() {
        f.write_str(if i == 0 { "" } else { ", " })?;
        write!(f, "{arg}: {}", program.ty(arg))?;
        write_name(f, program.value_name(arg))?;
    }
    f.write_str(") {\n")?;
    for instr in program.instrs().values() {
        write_instr(f, program, instr, inner_names, depth)?;
    }
    write!(f, "{:1$}return", "", 2 * depth + 2)?;
    for (i, result) in program.results().iter().enumerate() {
        write!(f, "{} {result}", if i == 0 { "" } else { "," })?;
        write_name(f, program.result_name(i))?;
    }
    write!(f, "\n{:1$}}}", "", 2 * depth)?;
    if depth == 0 { f.write_char('\n') } else { Ok(()) }
}

/// ` (program @cond(...) {...}, program @body(...) {...})`
fn write_regions(f: &mut dyn Write, op: &Op, names: bool, depth: usize) -> fmt::Result {
    let regions = op.regions();
    for (i, region) in regions.iter().enumerate() {
        f.write_str(if i == 0 { " (" } else { ", " })?;
        write_program(f, region, names, depth + 1)?;
    }
    if regions.is_empty() { Ok(()) } else { f.write_char(')') }
}

fn write_instr(
    f: &mut dyn Write,
    program: &Program,
    instr: &Instr,
    names: bool,
    depth: usize,
) -> fmt::Result {
    write!(f, "{:1$}", "", 2 * depth + 2)?;
    for (i, &r) in instr.results().iter().enumerate() {
        write!(f, "{}{r}: {}", if i == 0 { "" } else { ", " }, program.ty(r))?;
    }
    write!(f, " = {}", instr.op().name())?;
    for (i, v) in instr.operands().iter().enumerate() {
        write!(f, "{}{v}", if i == 0 { " " } else { ", " })?;
    }
    write_op_attrs(f, instr.op())?;
    write_regions(f, instr.op(), names, depth)?;
    if names {
        write_result_names(f, program, instr.results())?;
    }
    f.write_char('\n')
}

/// ` "a"`, or ` "a", _` where some of several results have names.
fn write_result_names(f: &mut dyn Write, program: &Program, results: &[Value]) -> fmt::Result {
    if results.iter().all(|&r| program.value_name(r).is_none()) {
        return Ok(());
    }
    for (i, &r) in results.iter().enumerate() {
        f.write_str(if i == 0 { "" } else { "," })?;
        match program.value_name(r) {
            Some(name) => write_name(f, Some(name))?,
            None => f.write_str(" _")?,
        }
    }
    Ok(())
}

fn write_name(f: &mut dyn Write, name: Option<&str>) -> fmt::Result {
    match name {
        Some(name) => {
            f.write_char(' ')?;
            write_string(f, name)
        }
        None => Ok(()),
    }
}

/// A bare word where the name is one, else a string.
fn write_symbol(f: &mut dyn Write, name: &str) -> fmt::Result {
    let bare = !name.is_empty() && name.bytes().all(super::scan::is_symbol_byte);
    if bare { f.write_str(name) } else { write_string(f, name) }
}

fn write_string(f: &mut dyn Write, s: &str) -> fmt::Result {
    f.write_char('"')?;
    for c in s.chars() {
        match c {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            '\r' => f.write_str("\\r")?,
            c if c.is_control() => write!(f, "\\u{{{:x}}}", c as u32)?,
            c => f.write_char(c)?,
        }
    }
    f.write_char('"')
}

/// Writes `{a = .., b = ..}`, and nothing where no attribute was written.
struct Attrs<'a> {
    f: &'a mut dyn Write,
    any: bool,
}

impl Attrs<'_> {
    fn put(&mut self, name: &str, value: impl Display) -> fmt::Result {
        let open = if self.any { ", " } else { " {" };
        self.any = true;
        write!(self.f, "{open}{name} = {value}")
    }

    fn put_if(&mut self, write: bool, name: &str, value: impl Display) -> fmt::Result {
        if write { self.put(name, value) } else { Ok(()) }
    }

    fn end(self) -> fmt::Result {
        if self.any { self.f.write_char('}') } else { Ok(()) }
    }
}

/// `[1, 2]`
struct List<'a, T>(&'a [T]);

impl<T: Display> Display for List<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_char('[')?;
        for (i, x) in self.0.iter().enumerate() {
            write!(f, "{}{x}", if i == 0 { "" } else { ", " })?;
        }
        f.write_char(']')
    }
}

/// `[1] x [0]`
struct Cross<'a>(&'a [usize], &'a [usize]);

impl Display for Cross<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} x {}", List(self.0), List(self.1))
    }
}

fn write_op_attrs(f: &mut dyn Write, op: &Op) -> fmt::Result {
    let mut a = Attrs { f, any: false };
    match op {
        Op::Constant(literal) => return write_constant(a.f, literal),
        // The result type says all, or regions follow.
        Op::Convert { .. } | Op::Reshape { .. } | Op::BitcastConvert { .. } => {}
        Op::While { .. } | Op::Case { .. } => {}
        Op::Composite(c) => composite::write_composite(&mut a, c)?,
        Op::Custom(c) => composite::write_custom(&mut a, c)?,
        Op::Unary(_) | Op::Binary(_) | Op::Select | Op::Clamp | Op::DynamicUpdateSlice => {}
        Op::Iota { ty: _, dim } => a.put("iota_dimension", dim)?,
        Op::Compare { direction, total_order } => {
            a.put("comparison_direction", direction)?;
            a.put_if(*total_order, "compare_type", "TOTALORDER")?;
        }
        Op::BroadcastInDim { shape: _, dims } => a.put("broadcast_dimensions", List(dims))?,
        Op::Transpose { permutation } => a.put("permutation", List(permutation))?,
        Op::Slice { starts, limits, strides } => {
            a.put("start_indices", List(starts))?;
            a.put("limit_indices", List(limits))?;
            a.put("strides", List(strides))?;
        }
        Op::Concatenate { dim } => a.put("dimension", dim)?,
        Op::Pad { low, high, interior } => {
            a.put("edge_padding_low", List(low))?;
            a.put("edge_padding_high", List(high))?;
            a.put("interior_padding", List(interior))?;
        }
        Op::Reverse { dims } => a.put("dimensions", List(dims))?,
        Op::DotGeneral(d) => {
            let batched = !(d.lhs_batch.is_empty() && d.rhs_batch.is_empty());
            a.put_if(batched, "batching_dims", Cross(&d.lhs_batch, &d.rhs_batch))?;
            a.put("contracting_dims", Cross(&d.lhs_contract, &d.rhs_contract))?;
        }
        Op::Convolution(c) => write_convolution(&mut a, c)?,
        Op::Reduce { dims, monoid } => {
            a.put("dimensions", List(dims))?;
            a.put("monoid", monoid)?;
        }
        Op::Gather(g) => write_gather(&mut a, g)?,
        Op::Scatter { dims, combiner } => write_scatter(&mut a, dims, *combiner)?,
        Op::DynamicSlice { sizes } => a.put("slice_sizes", List(sizes))?,
        Op::ReducePrecision { exponent_bits, mantissa_bits } => {
            a.put("exponent_bits", exponent_bits)?;
            a.put("mantissa_bits", mantissa_bits)?;
        }
        Op::ReduceWindow { window, monoid } => {
            write_window(&mut a, window)?;
            a.put("monoid", monoid)?;
        }
        Op::SelectAndScatter { window, least, monoid } => {
            write_window(&mut a, window)?;
            a.put("select", if *least { "LE" } else { "GE" })?;
            a.put("monoid", monoid)?;
        }
        Op::Fft { kind, lengths } => {
            a.put("fft_type", kind)?;
            a.put("fft_length", List(lengths))?;
        }
        Op::Linalg(l) => algorithm::write_linalg(&mut a, l)?,
        Op::RngBitGenerator { algorithm, .. } => a.put("rng_algorithm", algorithm)?,
        Op::Communicate(c) => algorithm::write_communication(&mut a, c)?,
        Op::Argsort { dim, descending, total_order } => {
            a.put("dimension", dim)?;
            a.put("comparison_direction", if *descending { "GT" } else { "LT" })?;
            a.put_if(*total_order, "compare_type", "TOTALORDER")?;
        }
    }
    a.end()
}

fn write_constant(f: &mut dyn Write, literal: &Literal) -> fmt::Result {
    f.write_char(' ')?;
    write_literal(f, literal)
}

fn write_window(a: &mut Attrs<'_>, w: &WindowDims) -> fmt::Result {
    a.put("window_dimensions", List(&w.sizes))?;
    a.put("window_strides", List(&w.strides))?;
    a.put("base_dilations", List(&w.base_dilations))?;
    a.put("window_dilations", List(&w.window_dilations))?;
    a.put("padding", List(&pairs(&w.padding)))
}

fn pairs(padding: &[(i64, i64)]) -> Vec<String> {
    padding.iter().map(|(low, high)| format!("[{low}, {high}]")).collect()
}

fn write_convolution(a: &mut Attrs<'_>, c: &ConvDims) -> fmt::Result {
    a.put("input_batch_dimension", c.input_batch)?;
    a.put("input_feature_dimension", c.input_feature)?;
    a.put("input_spatial_dimensions", List(&c.input_spatial))?;
    a.put("kernel_input_feature_dimension", c.kernel_input_feature)?;
    a.put("kernel_output_feature_dimension", c.kernel_output_feature)?;
    a.put("kernel_spatial_dimensions", List(&c.kernel_spatial))?;
    a.put("output_batch_dimension", c.output_batch)?;
    a.put("output_feature_dimension", c.output_feature)?;
    a.put("output_spatial_dimensions", List(&c.output_spatial))?;
    a.put("window_strides", List(&c.strides))?;
    a.put("padding", List(&pairs(&c.padding)))?;
    a.put("lhs_dilation", List(&c.lhs_dilation))?;
    a.put("rhs_dilation", List(&c.rhs_dilation))?;
    a.put("window_reversal", List(&c.reversal))?;
    a.put("feature_group_count", c.feature_group_count)?;
    a.put("batch_group_count", c.batch_group_count)
}

fn write_gather(a: &mut Attrs<'_>, g: &GatherDims) -> fmt::Result {
    a.put("offset_dims", List(&g.offset_dims))?;
    a.put("collapsed_slice_dims", List(&g.collapsed_slice_dims))?;
    let batched = !(g.operand_batching_dims.is_empty() && g.start_indices_batching_dims.is_empty());
    a.put_if(batched, "operand_batching_dims", List(&g.operand_batching_dims))?;
    a.put_if(batched, "start_indices_batching_dims", List(&g.start_indices_batching_dims))?;
    a.put("start_index_map", List(&g.start_index_map))?;
    a.put("index_vector_dim", g.index_vector_dim)?;
    a.put("slice_sizes", List(&g.slice_sizes))?;
    a.put_if(g.indices_are_sorted, "indices_are_sorted", true)
}

fn write_scatter(a: &mut Attrs<'_>, s: &ScatterDims, combiner: Option<Monoid>) -> fmt::Result {
    a.put("update_window_dims", List(&s.update_window_dims))?;
    a.put("inserted_window_dims", List(&s.inserted_window_dims))?;
    let batched = !(s.input_batching_dims.is_empty() && s.scatter_indices_batching_dims.is_empty());
    a.put_if(batched, "input_batching_dims", List(&s.input_batching_dims))?;
    a.put_if(batched, "scatter_indices_batching_dims", List(&s.scatter_indices_batching_dims))?;
    a.put("scatter_dims_to_operand_dims", List(&s.scatter_dims_to_operand_dims))?;
    a.put("index_vector_dim", s.index_vector_dim)?;
    a.put_if(s.indices_are_sorted, "indices_are_sorted", true)?;
    a.put_if(s.unique_indices, "unique_indices", true)?;
    match combiner {
        Some(monoid) => a.put("combiner", monoid),
        None => Ok(()),
    }
}
