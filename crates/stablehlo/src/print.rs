//! StableHLO text of programs, for [`crate::import`] and for MLIR's own parser.
//!
//! Each program is a public function; names of arguments and values are locations, names of results
//! `jax.result_info`. The identity of a reduction is printed as the initial value.

use crate::lexer::quote;
use crate::literals::format_elements;
use crate::types::mlir_type;
use pullback_ir::{
    ConvDims, DType, DTypeClass, GatherDims, Instr, Literal, Monoid, Op, Program, ScatterDims, TensorType,
    UnaryOp, Value, ValueDef,
};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Prints programs as the public functions of one module. Their names should differ.
pub fn print(programs: &[&Program]) -> String {
    let mut out = String::from("module @pullback {\n");
    for program in programs {
        Printer { program, ids: BTreeMap::new(), out: &mut out, inits: 0 }.function();
    }
    out.push_str("}\n");
    out
}

struct Printer<'p, 'o> {
    program: &'p Program,
    /// Number of each instruction's result.
    ids: BTreeMap<Value, usize>,
    out: &'o mut String,
    /// Initial values of reductions printed.
    inits: usize,
}

fn list<T: std::fmt::Display>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<String> = items.into_iter().map(|i| i.to_string()).collect();
    items.join(", ")
}

/// `array<i64: 1, 2>`, which has no space when it is empty.
fn array<T: std::fmt::Display>(items: &[T]) -> String {
    if items.is_empty() { "array<i64>".to_owned() } else { format!("array<i64: {}>", list(items)) }
}

fn symbol(name: &str) -> String {
    let bytes = name.as_bytes();
    let plain = bytes.first().is_some_and(|c| c.is_ascii_alphabetic() || *c == b'_')
        && bytes.iter().all(|c| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'$' | b'.'));
    if plain { format!("@{name}") } else { format!("@{}", quote(name)) }
}

impl Printer<'_, '_> {
    fn emit(&mut self, args: std::fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = self.out.write_fmt(args);
    }

    fn function(&mut self) {
        let p = self.program;
        self.emit(format_args!("  func.func public {}(", symbol(p.name())));
        for (i, &arg) in p.args().iter().enumerate() {
            let comma = if i > 0 { ", " } else { "" };
            self.emit(format_args!("{comma}%arg{i}: {}", mlir_type(p.ty(arg))));
            self.loc(arg);
        }
        self.out.push_str(") -> (");
        for (i, &r) in p.results().iter().enumerate() {
            let comma = if i > 0 { ", " } else { "" };
            self.emit(format_args!("{comma}{}", mlir_type(p.ty(r))));
            if let Some(name) = p.result_name(i) {
                self.emit(format_args!(" {{jax.result_info = {}}}", quote(name)));
            }
        }
        self.out.push_str(") {\n");
        for instr in p.instrs().values() {
            self.instr(instr);
        }
        let names = list(p.results().iter().map(|&v| self.name(v)));
        let types = list(p.results().iter().map(|&v| mlir_type(p.ty(v))));
        let colon = if p.results().is_empty() { "" } else { " : " };
        self.emit(format_args!("    return {names}{colon}{types}\n  }}\n"));
    }

    fn loc(&mut self, value: Value) {
        if let Some(name) = self.program.value_name(value) {
            self.emit(format_args!(" loc({})", quote(name)));
        }
    }

    fn name(&self, value: Value) -> String {
        match self.program.def(value) {
            ValueDef::Arg(i) => format!("%arg{i}"),
            ValueDef::Result(..) => format!("%{}", self.ids.get(&value).copied().unwrap_or(usize::MAX)),
        }
    }

    fn instr(&mut self, instr: &Instr) {
        let p = self.program;
        let result = instr.result();
        let operands: Vec<String> = instr.operands().iter().map(|&v| self.name(v)).collect();
        let types: Vec<&TensorType> = instr.operands().iter().map(|&v| p.ty(v)).collect();
        let ty = p.ty(result);
        let init =
            if let Op::Reduce { monoid, .. } = instr.op() { self.init(*monoid, ty.dtype()) } else { 0 };
        let body = op_text(instr.op(), &operands, &types, ty, init);
        let id = self.ids.len();
        self.ids.insert(result, id);
        self.emit(format_args!("    %{id} = {body}"));
        self.loc(result);
        self.out.push('\n');
    }

    /// Prints a monoid's identity; gives its number.
    fn init(&mut self, monoid: Monoid, dtype: DType) -> usize {
        let scalar = TensorType::scalar(dtype);
        // Inference refuses a reduction whose monoid has no identity.
        let identity = monoid.identity(&scalar).unwrap_or_else(|| Literal::splat_f64(scalar.clone(), 0.0));
        let n = self.inits;
        self.inits += 1;
        let (elements, ty) = (format_elements(&identity), mlir_type(&scalar));
        self.emit(format_args!("    %init{n} = stablehlo.constant dense<{elements}> : {ty}\n"));
        n
    }
}

/// Everything of an instruction but its result and location; a reduction starts from `%init` number `init`.
fn op_text(op: &Op, operands: &[String], types: &[&TensorType], ty: &TensorType, init: usize) -> String {
    let args = operands.join(", ");
    let res = mlir_type(ty);
    let sig = format!("({}) -> {res}", list(types.iter().map(|t| mlir_type(t))));
    let name = op.name();
    match op {
        Op::Constant(l) => format!("stablehlo.constant dense<{}> : {res}", format_elements(l)),
        Op::Iota { dim, .. } => format!("stablehlo.iota dim = {dim} : {res}"),
        Op::Unary(UnaryOp::Erf | UnaryOp::Erfc | UnaryOp::Square) => {
            format!("chlo.{name} {args} : {res} -> {res}")
        }
        Op::Unary(_)
        | Op::Binary(_)
        | Op::Clamp
        | Op::Convert { .. }
        | Op::Reshape { .. }
        | Op::DynamicUpdateSlice => {
            format!("stablehlo.{name} {args} : {sig}")
        }
        Op::Select => format!("stablehlo.select {args} : {}, {res}", mlir_type(types[0])),
        Op::Compare { direction, total_order } => {
            let kind = compare_type(types[0].dtype(), *total_order);
            format!("stablehlo.compare {direction}, {args}, {kind} : {sig}")
        }
        Op::BroadcastInDim { dims, .. } => {
            format!("stablehlo.{name} {args}, dims = [{}] : {sig}", list(dims))
        }
        Op::Transpose { permutation } => {
            format!("stablehlo.{name} {args}, dims = [{}] : {sig}", list(permutation))
        }
        Op::Reverse { dims } => format!("stablehlo.{name} {args}, dims = [{}] : {res}", list(dims)),
        Op::Slice { starts, limits, strides } => {
            let ranges = (0..starts.len()).map(|d| match strides[d] {
                1 => format!("{}:{}", starts[d], limits[d]),
                step => format!("{}:{}:{step}", starts[d], limits[d]),
            });
            format!("stablehlo.{name} {args} [{}] : {sig}", list(ranges))
        }
        Op::Concatenate { dim } => format!("stablehlo.{name} {args}, dim = {dim} : {sig}"),
        Op::Pad { low, high, interior } => format!(
            "stablehlo.{name} {args}, low = [{}], high = [{}], interior = [{}] : {sig}",
            list(low),
            list(high),
            list(interior)
        ),
        Op::DotGeneral(d) => {
            let pair = |key, a: &[usize], b: &[usize]| format!(", {key} = [{}] x [{}]", list(a), list(b));
            let batch = if d.lhs_batch.is_empty() {
                String::new()
            } else {
                pair("batching_dims", &d.lhs_batch, &d.rhs_batch)
            };
            let contract = pair("contracting_dims", &d.lhs_contract, &d.rhs_contract);
            format!("stablehlo.{name} {args}{batch}{contract} : {sig}")
        }
        Op::Convolution(c) => format!("stablehlo.{name}({args}) {} : {sig}", conv_text(c)),
        Op::Gather(g) => format!("\"stablehlo.gather\"({args}) <{{{}}}> : {sig}", gather_text(g)),
        Op::Scatter { dims, combiner } => {
            let region = update_region(*combiner, ty.dtype());
            format!("\"stablehlo.scatter\"({args}) <{{{}}}> ({region}) : {sig}", scatter_text(dims))
        }
        Op::DynamicSlice { sizes } => format!("stablehlo.{name} {args}, sizes = [{}] : {sig}", list(sizes)),
        Op::Reduce { dims, monoid } => {
            let (x, scalar) = (mlir_type(types[0]), mlir_type(&TensorType::scalar(ty.dtype())));
            format!(
                "stablehlo.reduce({args} init: %init{init}) applies stablehlo.{monoid} across dimensions = [{}] : ({x}, {scalar}) -> {res}",
                list(dims)
            )
        }
    }
}

fn compare_type(dtype: DType, total_order: bool) -> &'static str {
    match dtype.class() {
        DTypeClass::Float if total_order => "TOTALORDER",
        DTypeClass::Float | DTypeClass::Complex => "FLOAT",
        DTypeClass::Signed => "SIGNED",
        DTypeClass::Unsigned | DTypeClass::Bool => "UNSIGNED",
    }
}

/// The region of a scatter: how an update joins what is there.
fn update_region(combiner: Option<Monoid>, dtype: DType) -> String {
    let scalar = mlir_type(&TensorType::scalar(dtype));
    let (line, result) = match combiner {
        Some(m) => (format!("      %u2 = stablehlo.{m} %u0, %u1 : {scalar}\n"), "%u2"),
        None => (String::new(), "%u1"),
    };
    format!(
        "{{\n    ^bb0(%u0: {scalar}, %u1: {scalar}):\n{line}      stablehlo.return {result} : {scalar}\n    }}"
    )
}

fn conv_text(c: &ConvDims) -> String {
    let layout = |letters: [(&str, usize); 2], spatial: &[usize]| {
        let mut entries = vec![String::new(); spatial.len() + 2];
        for (letter, at) in letters {
            entries[at] = letter.to_owned();
        }
        for (i, &at) in spatial.iter().enumerate() {
            entries[at] = i.to_string();
        }
        entries.join(", ")
    };
    let lhs = layout([("b", c.input_batch), ("f", c.input_feature)], &c.input_spatial);
    let rhs = layout([("i", c.kernel_input_feature), ("o", c.kernel_output_feature)], &c.kernel_spatial);
    let out = layout([("b", c.output_batch), ("f", c.output_feature)], &c.output_spatial);
    let pad = list(c.padding.iter().map(|(lo, hi)| format!("[{lo}, {hi}]")));
    let window = if c.strides.is_empty() {
        String::new()
    } else {
        format!(
            "stride = [{}], pad = [{pad}], lhs_dilate = [{}], rhs_dilate = [{}], reverse = [{}]",
            list(&c.strides),
            list(&c.lhs_dilation),
            list(&c.rhs_dilation),
            list(&c.reversal)
        )
    };
    format!(
        "dim_numbers = [{lhs}]x[{rhs}]->[{out}], window = {{{window}}} {{batch_group_count = {} : i64, feature_group_count = {} : i64}}",
        c.batch_group_count, c.feature_group_count
    )
}

/// `key = [..], ` for each list that is not empty, then `index_vector_dim = n`.
fn numbers(lists: &[(&str, &[usize])], index_vector_dim: usize) -> String {
    let mut out = String::new();
    for (key, dims) in lists.iter().filter(|(_, d)| !d.is_empty()) {
        out.push_str(&format!("{key} = [{}], ", list(*dims)));
    }
    out.push_str(&format!("index_vector_dim = {index_vector_dim}"));
    out
}

fn gather_text(g: &GatherDims) -> String {
    let lists: [(&str, &[usize]); 5] = [
        ("offset_dims", &g.offset_dims),
        ("collapsed_slice_dims", &g.collapsed_slice_dims),
        ("operand_batching_dims", &g.operand_batching_dims),
        ("start_indices_batching_dims", &g.start_indices_batching_dims),
        ("start_index_map", &g.start_index_map),
    ];
    format!(
        "dimension_numbers = #stablehlo.gather<{}>, indices_are_sorted = {}, slice_sizes = {}",
        numbers(&lists, g.index_vector_dim),
        g.indices_are_sorted,
        array(&g.slice_sizes)
    )
}

fn scatter_text(s: &ScatterDims) -> String {
    let lists: [(&str, &[usize]); 5] = [
        ("update_window_dims", &s.update_window_dims),
        ("inserted_window_dims", &s.inserted_window_dims),
        ("input_batching_dims", &s.input_batching_dims),
        ("scatter_indices_batching_dims", &s.scatter_indices_batching_dims),
        ("scatter_dims_to_operand_dims", &s.scatter_dims_to_operand_dims),
    ];
    format!(
        "indices_are_sorted = {}, scatter_dimension_numbers = #stablehlo.scatter<{}>, unique_indices = {}",
        s.indices_are_sorted,
        numbers(&lists, s.index_vector_dim),
        s.unique_indices
    )
}
