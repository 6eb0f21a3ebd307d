//! StableHLO text of programs, for [`crate::import`] and for MLIR's own parser.
//!
//! Each program is a public function; names of arguments and values are locations, names of results
//! `jax.result_info`. The identity of a reduction is printed as the initial value.

mod algorithm;
mod annotations;
mod collective;
mod marks;
mod tokens;

use crate::annotations::{Annotations, FunctionAnnotations};
use crate::lexer::quote;
use crate::literals::{format_elements, write_elements};
use crate::ops::{is_chlo, is_chlo_binary};
use crate::types::mlir_type;
use pullback_ir::{
    ConvDims, DType, DTypeClass, DotDims, GatherDims, Instr, Literal, Monoid, Op, Program, ScatterDims,
    TensorType, Value, WindowDims,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Prints programs as the public functions of one module. Their names should differ.
pub fn print(programs: &[&Program]) -> String {
    print_annotated(programs, &Annotations::default())
}

/// As [`print`], with what is said beside the programs: they are those of the module that the annotations are from.
pub fn print_annotated(programs: &[&Program], annotations: &Annotations) -> String {
    let mut out = annotations::header(annotations);
    let mut functions = marks::Functions::new(programs);
    for program in programs {
        let tokens = tokens::tokens(program, &[], &[]);
        let annotations = annotations::of_program(annotations, program);
        let names = BTreeMap::new();
        let functions = &mut functions;
        let mut p =
            Printer { program, names, tokens, annotations, functions, out: &mut out, next: 0, inits: 0 };
        p.function("public", program.name());
    }
    while let Some((name, program)) = functions.next() {
        let tokens = tokens::tokens(&program, &[], &[]);
        let (names, functions) = (BTreeMap::new(), &mut functions);
        let (program, annotations) = (&program, None);
        let mut p =
            Printer { program, names, tokens, annotations, functions, out: &mut out, next: 0, inits: 0 };
        p.function("private", &name);
    }
    out.push_str("}\n");
    out
}

struct Printer<'p, 'o> {
    program: &'p Program,
    /// What each value is called.
    names: BTreeMap<Value, String>,
    /// Values that are tokens.
    tokens: BTreeSet<Value>,
    /// What is said beside it.
    annotations: Option<&'p FunctionAnnotations>,
    /// Functions to print after this one.
    functions: &'o mut marks::Functions,
    out: &'o mut String,
    /// Number of the next result, unique in the function.
    next: usize,
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

pub(crate) fn symbol(name: &str) -> String {
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

    fn function(&mut self, visibility: &str, name: &str) {
        let p = self.program;
        self.emit(format_args!("  func.func {visibility} {}(", symbol(name)));
        for (i, &arg) in p.args().iter().enumerate() {
            let comma = if i > 0 { ", " } else { "" };
            let said = annotations::attributes(self.annotations.and_then(|a| a.args.get(i)), None);
            self.emit(format_args!("{comma}%arg{i}: {}{said}", self.ty(arg)));
            self.names.insert(arg, format!("%arg{i}"));
            self.loc(arg);
        }
        self.out.push_str(") -> (");
        for (i, &r) in p.results().iter().enumerate() {
            let comma = if i > 0 { ", " } else { "" };
            let name = p.result_name(i).map(|name| format!("jax.result_info = {}", quote(name)));
            let said = annotations::attributes(self.annotations.and_then(|a| a.results.get(i)), name);
            self.emit(format_args!("{comma}{}{said}", self.ty(r)));
        }
        self.out.push_str(") {\n");
        for &arg in p.args() {
            self.marks(arg);
        }
        for instr in p.instrs().values() {
            self.instr(instr);
            for &result in instr.results() {
                self.marks(result);
            }
        }
        let names = list(p.results().iter().map(|&v| self.name(v)));
        let types = list(p.results().iter().map(|&v| self.ty(v)));
        let colon = if p.results().is_empty() { "" } else { " : " };
        self.emit(format_args!("    return {names}{colon}{types}\n  }}\n"));
    }

    fn loc(&mut self, value: Value) {
        if let Some(name) = self.program.value_name(value) {
            self.emit(format_args!(" loc({})", quote(name)));
        }
    }

    fn name(&self, value: Value) -> String {
        self.names.get(&value).cloned().unwrap_or_else(|| "%undefined".to_owned())
    }

    fn instr(&mut self, instr: &Instr) {
        if let Op::Communicate(op) = instr.op() {
            return self.communicate(instr, op);
        }
        if let Op::Composite(c) = instr.op() {
            return self.composite(instr, c);
        }
        if let Op::Custom(c) = instr.op() {
            return self.custom(instr, c);
        }
        let p = self.program;
        let result = instr.result();
        let operands: Vec<String> = instr.operands().iter().map(|&v| self.name(v)).collect();
        let types: Vec<&TensorType> = instr.operands().iter().map(|&v| p.ty(v)).collect();
        let ty = p.ty(result);
        if !instr.op().regions().is_empty() {
            return self.with_regions(instr);
        }
        if let Op::Argsort { dim, descending, total_order } = instr.op() {
            return self.argsort(instr, *dim, *descending, *total_order);
        }
        if let Op::Constant(literal) = instr.op() {
            if self.token(result) {
                return;
            }
            return self.constant(result, literal);
        }
        let results: Vec<&TensorType> = instr.results().iter().map(|&v| p.ty(v)).collect();
        if let Some(body) = algorithm::text(instr.op(), &operands.join(", "), &types, &results) {
            return self.several(instr, &body);
        }
        let init = match instr.op() {
            Op::Reduce { monoid, .. }
            | Op::ReduceWindow { monoid, .. }
            | Op::SelectAndScatter { monoid, .. } => self.init(*monoid, ty.dtype()),
            _ => 0,
        };
        let body = op_text(instr.op(), &operands, &types, ty, init);
        let id = self.fresh();
        self.names.insert(result, format!("%{id}"));
        self.emit(format_args!("    %{id} = {body}"));
        self.loc(result);
        self.out.push('\n');
    }

    /// A constant, which may be large: its elements are written in place.
    fn constant(&mut self, result: Value, literal: &Literal) {
        let id = self.fresh();
        self.names.insert(result, format!("%{id}"));
        self.emit(format_args!("    %{id} = stablehlo.constant dense<"));
        write_elements(literal, self.out);
        self.emit(format_args!("> : {}", mlir_type(literal.ty())));
        self.loc(result);
        self.out.push('\n');
    }

    /// An operation with one result or more.
    fn several(&mut self, instr: &Instr, body: &str) {
        let (id, results) = (self.fresh(), instr.results());
        let count = if results.len() == 1 { String::new() } else { format!(":{}", results.len()) };
        self.emit(format_args!("    %{id}{count} = {body}"));
        self.loc(results[0]);
        self.out.push('\n');
        for (k, &r) in results.iter().enumerate() {
            let name = if results.len() == 1 { format!("%{id}") } else { format!("%{id}#{k}") };
            self.names.insert(r, name);
        }
    }

    fn fresh(&mut self) -> usize {
        self.next += 1;
        self.next - 1
    }

    /// while and case in generic form: captured values are read from outside.
    fn with_regions(&mut self, instr: &Instr) {
        let id = self.fresh();
        let (operands, results) = (instr.operands(), instr.results());
        let is_while = matches!(instr.op(), Op::While { .. });
        let (own, captured) = operands.split_at(if is_while { results.len() } else { 1 });
        let name = instr.op().name();
        let args = list(own.iter().map(|&v| self.name(v)));
        let count = if results.len() == 1 { String::new() } else { format!(":{}", results.len()) };
        let token = |v: &Value| self.tokens.contains(v);
        let from = if is_while { operands } else { &operands[1..] };
        let inputs: Vec<bool> = from.iter().map(token).collect();
        let outputs: Vec<bool> = results.iter().map(token).collect();
        self.emit(format_args!("    %{id}{count} = \"stablehlo.{name}\"({args}) ("));
        let captured: Vec<String> = captured.iter().map(|&v| self.name(v)).collect();
        for (i, region) in instr.op().regions().into_iter().enumerate() {
            self.out.push_str(if i == 0 { "{\n" } else { ", {\n" });
            // The condition of a loop gives no values.
            let outputs = if is_while && i == 0 { &[] } else { &outputs[..] };
            self.region(region, &captured, tokens::tokens(region, &inputs, outputs));
            self.out.push_str("    }");
        }
        let types = |values: &[Value]| list(values.iter().map(|&v| self.ty(v)));
        let (ins, outs) = (types(own), types(results));
        self.emit(format_args!(") : ({ins}) -> ({outs})"));
        self.loc(results[0]);
        self.out.push('\n');
        self.numbered(instr, id);
    }

    /// Names the results of an operation with number `id`; gives what says how many there are.
    fn numbered(&mut self, instr: &Instr, id: usize) -> String {
        let results = instr.results();
        for (k, &r) in results.iter().enumerate() {
            let name = if results.len() == 1 { format!("%{id}") } else { format!("%{id}#{k}") };
            self.names.insert(r, name);
        }
        if results.len() == 1 { String::new() } else { format!(":{}", results.len()) }
    }

    /// The block of a region whose last arguments are called as these values outside.
    fn region(&mut self, region: &Program, captured: &[String], tokens: BTreeSet<Value>) {
        let own = region.args().len() - captured.len();
        let mut inner = Printer {
            program: region,
            names: BTreeMap::new(),
            tokens,
            annotations: None,
            functions: &mut *self.functions,
            out: &mut *self.out,
            next: self.next,
            inits: self.inits,
        };
        let mut block = Vec::new();
        for (k, &arg) in region.args().iter().enumerate() {
            let name = match k.checked_sub(own) {
                Some(c) => captured[c].clone(),
                None => format!("%a{}", inner.fresh()),
            };
            if k < own {
                block.push(format!("{name}: {}", inner.ty(arg)));
            }
            inner.names.insert(arg, name);
        }
        if !block.is_empty() {
            inner.emit(format_args!("    ^bb0({}):\n", block.join(", ")));
        }
        for instr in region.instrs().values() {
            inner.instr(instr);
        }
        let names = list(region.results().iter().map(|&v| inner.name(v)));
        let types = list(region.results().iter().map(|&v| inner.ty(v)));
        inner.emit(format_args!("    stablehlo.return {names} : {types}\n"));
        (self.next, self.inits) = (inner.next, inner.inits);
    }

    /// A sort of the keys with an iota, whose last result is the order.
    fn argsort(&mut self, instr: &Instr, dim: usize, descending: bool, total: bool) {
        let p = self.program;
        let ty = p.ty(instr.result());
        let (iota, id) = (self.fresh(), self.fresh());
        let n = instr.operands().len();
        self.emit(format_args!("    %{iota} = stablehlo.iota dim = {dim} : {}\n", mlir_type(ty)));
        let keys = list(instr.operands().iter().map(|&v| self.name(v)));
        let dtypes: Vec<DType> = instr.operands().iter().map(|&v| p.ty(v).dtype()).collect();
        let all = [&dtypes[..], &[DType::I32]].concat();
        let args = all.iter().enumerate().map(|(k, &d)| {
            let scalar = mlir_type(&TensorType::scalar(d));
            format!("%l{k}: {scalar}, %r{k}: {scalar}")
        });
        let types = list(all.iter().map(|&d| mlir_type(&ty.with_dtype(d))));
        self.emit(format_args!(
            "    %{id}:{} = \"stablehlo.sort\"({keys}, %{iota}) <{{dimension = {dim} : i64, is_stable = true}}> ({{\n    ^bb0({}):\n{}    }}) : ({types}) -> ({types})",
            n + 1,
            list(args),
            comparator(&dtypes, descending, total)
        ));
        self.loc(instr.result());
        self.out.push('\n');
        self.names.insert(instr.result(), format!("%{id}#{n}"));
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

/// The operations of a comparator of `%l0, %l1, ...` with `%r0, %r1, ...`, as JAX writes them.
fn comparator(dtypes: &[DType], descending: bool, total: bool) -> String {
    let mut out = String::new();
    let mut line = |text: String| out.push_str(&format!("      {text}\n"));
    let direction = if descending { "GT" } else { "LT" };
    let last = dtypes.len() - 1;
    for (k, &d) in dtypes.iter().enumerate() {
        let t = mlir_type(&TensorType::scalar(d));
        let bools = format!("({t}, {t}) -> tensor<i1>");
        let mut sides = [format!("%l{k}"), format!("%r{k}")];
        if d.is_float() && !total {
            let literal = |v: f64| format_elements(&Literal::splat_f64(TensorType::scalar(d), v));
            line(format!("%zero{k} = stablehlo.constant dense<{}> : {t}", literal(0.0)));
            line(format!("%nan{k} = stablehlo.constant dense<{}> : {t}", literal(f64::NAN)));
            for side in &mut sides {
                let x = side.clone();
                line(format!("{x}z = stablehlo.compare EQ, {x}, %zero{k}, FLOAT : {bools}"));
                line(format!("{x}y = stablehlo.select {x}z, %zero{k}, {x} : tensor<i1>, {t}"));
                line(format!("{x}n = stablehlo.compare NE, {x}, {x}, FLOAT : {bools}"));
                line(format!("{x}x = stablehlo.select {x}n, %nan{k}, {x}y : tensor<i1>, {t}"));
                side.push('x');
            }
        }
        let kind = compare_type(d, d.is_float());
        let [l, r] = sides;
        line(format!("%lt{k} = stablehlo.compare {direction}, {l}, {r}, {kind} : {bools}"));
        if k < last {
            line(format!("%eq{k} = stablehlo.compare EQ, {l}, {r}, {kind} : {bools}"));
        }
    }
    let mut result = format!("%lt{last}");
    for k in (0..last).rev() {
        line(format!("%and{k} = stablehlo.and %eq{k}, {result} : tensor<i1>"));
        line(format!("%or{k} = stablehlo.or %lt{k}, %and{k} : tensor<i1>"));
        result = format!("%or{k}");
    }
    line(format!("stablehlo.return {result} : tensor<i1>"));
    out
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
        Op::Unary(u) if is_chlo(*u) => format!("chlo.{name} {args} : {res} -> {res}"),
        Op::Binary(b) if is_chlo_binary(*b) => {
            format!("chlo.{name} {args} : {} -> {res}", list(types.iter().map(|t| mlir_type(t))))
        }
        Op::Fft { kind, lengths } => {
            format!("stablehlo.fft {args}, type = {kind}, length = [{}] : {sig}", list(lengths))
        }
        Op::Unary(_)
        | Op::Binary(_)
        | Op::Clamp
        | Op::Convert { .. }
        | Op::Reshape { .. }
        | Op::BitcastConvert { .. }
        | Op::DynamicUpdateSlice => {
            format!("stablehlo.{name} {args} : {sig}")
        }
        Op::Select => format!("stablehlo.select {args} : {}, {res}", mlir_type(types[0])),
        Op::Compare { direction, total_order } => {
            let kind = compare_type(types[0].dtype(), *total_order);
            format!("stablehlo.compare {direction}, {args}, {kind} : {sig}")
        }
        Op::BroadcastInDim { dims, .. } | Op::Transpose { permutation: dims } => {
            format!("stablehlo.{name} {args}, dims = [{}] : {sig}", list(dims))
        }
        Op::Reverse { dims } => format!("stablehlo.{name} {args}, dims = [{}] : {res}", list(dims)),
        Op::Slice { starts, limits, strides } => {
            format!("stablehlo.{name} {args} [{}] : {sig}", ranges(starts, limits, strides))
        }
        Op::Concatenate { dim } => format!("stablehlo.{name} {args}, dim = {dim} : {sig}"),
        Op::Pad { low, high, interior } => format!(
            "stablehlo.{name} {args}, low = [{}], high = [{}], interior = [{}] : {sig}",
            list(low),
            list(high),
            list(interior)
        ),
        Op::DotGeneral(d) => format!("stablehlo.{name} {args}{} : {sig}", dot_text(d)),
        Op::Convolution(c) => format!("stablehlo.{name}({args}) {} : {sig}", conv_text(c)),
        Op::Gather(g) => format!("\"stablehlo.gather\"({args}) <{{{}}}> : {sig}", gather_text(g)),
        Op::Scatter { dims, combiner } => {
            let region = update_region(*combiner, ty.dtype());
            format!("\"stablehlo.scatter\"({args}) <{{{}}}> ({region}) : {sig}", scatter_text(dims))
        }
        Op::DynamicSlice { sizes } => format!("stablehlo.{name} {args}, sizes = [{}] : {sig}", list(sizes)),
        Op::ReducePrecision { exponent_bits, mantissa_bits } => {
            format!("stablehlo.{name} {args}, format = e{exponent_bits}m{mantissa_bits} : {res}")
        }
        Op::ReduceWindow { .. } | Op::SelectAndScatter { .. } => windowed_text(op, &args, types, ty, init),
        // Printed by the printer, since they are more than one operation or have regions.
        Op::Argsort { .. }
        | Op::While { .. }
        | Op::Case { .. }
        | Op::Composite(_)
        | Op::Custom(_)
        | Op::Linalg(_)
        | Op::RngBitGenerator { .. }
        | Op::Communicate(_) => {
            format!("\"pullback.{name}\"({args}) : {sig}")
        }
        Op::Reduce { .. } => reduce_text(op, &args, types[0], ty, init),
    }
}

fn reduce_text(op: &Op, args: &str, x: &TensorType, ty: &TensorType, init: usize) -> String {
    let Op::Reduce { dims, monoid } = op else { return String::new() };
    let (x, res, scalar) = (mlir_type(x), mlir_type(ty), mlir_type(&TensorType::scalar(ty.dtype())));
    format!(
        "stablehlo.reduce({args} init: %init{init}) applies stablehlo.{monoid} across dimensions = [{}] : ({x}, {scalar}) -> {res}",
        list(dims)
    )
}

/// `0:4, 1:9:2`
fn ranges(starts: &[usize], limits: &[usize], strides: &[usize]) -> String {
    list((0..starts.len()).map(|d| match strides[d] {
        1 => format!("{}:{}", starts[d], limits[d]),
        step => format!("{}:{}:{step}", starts[d], limits[d]),
    }))
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

/// A reduction over windows, or a scatter to what windows select, in generic form.
fn windowed_text(op: &Op, args: &str, types: &[&TensorType], ty: &TensorType, init: usize) -> String {
    let scalar = mlir_type(&TensorType::scalar(ty.dtype()));
    let types: Vec<String> = types.iter().map(|t| mlir_type(t)).collect();
    let sig = format!("({}, {scalar}) -> {}", types.join(", "), mlir_type(ty));
    let (text, regions) = match op {
        Op::ReduceWindow { window, monoid } => {
            (window_text(window, true), update_region(Some(*monoid), ty.dtype()))
        }
        Op::SelectAndScatter { window, least, monoid } => {
            let (direction, kind) = (if *least { "LE" } else { "GE" }, compare_type(ty.dtype(), false));
            let select = format!(
                "{{\n    ^bb0(%s0: {scalar}, %s1: {scalar}):\n      %s2 = stablehlo.compare {direction}, %s0, %s1, {kind} : ({scalar}, {scalar}) -> tensor<i1>\n      stablehlo.return %s2 : tensor<i1>\n    }}"
            );
            let scatter = update_region(Some(*monoid), ty.dtype());
            (window_text(window, false), format!("{select}, {scatter}"))
        }
        _ => return String::new(),
    };
    format!("\"stablehlo.{}\"({args}, %init{init}) <{{{text}}}> ({regions}) : {sig}", op.name())
}

fn window_text(w: &WindowDims, dilations: bool) -> String {
    let pairs = list(w.padding.iter().map(|(lo, hi)| format!("[{lo}, {hi}]")));
    let n = w.sizes.len();
    let padding = if n == 0 {
        "dense<> : tensor<0x2xi64>".to_owned()
    } else {
        format!("dense<[{pairs}]> : tensor<{n}x2xi64>")
    };
    let (base, own) = (array(&w.base_dilations), array(&w.window_dilations));
    let dilations = if dilations {
        format!("base_dilations = {base}, window_dilations = {own}, ")
    } else {
        String::new()
    };
    format!(
        "{dilations}padding = {padding}, window_dimensions = {}, window_strides = {}",
        array(&w.sizes),
        array(&w.strides)
    )
}

fn dot_text(d: &DotDims) -> String {
    let pair = |key, a: &[usize], b: &[usize]| format!(", {key} = [{}] x [{}]", list(a), list(b));
    let batch = match d.lhs_batch.is_empty() {
        true => String::new(),
        false => pair("batching_dims", &d.lhs_batch, &d.rhs_batch),
    };
    batch + &pair("contracting_dims", &d.lhs_contract, &d.rhs_contract)
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
