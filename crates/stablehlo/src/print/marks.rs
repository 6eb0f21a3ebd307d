//! Composites as `stablehlo.composite` with a private function, their rules as the importer reads them (`import::marks`).

use super::{Printer, list, symbol};
use crate::known;
use crate::lexer::quote;
use crate::types::mlir_type;
use pullback_ir::{Builder, Composite, Custom, Instr, Literal, Program, Rule, TensorType, TypeError, Value};
use std::collections::{BTreeMap, VecDeque};

/// Functions that what was printed calls.
#[derive(Default)]
pub(super) struct Functions {
    /// What names stand for; `None` for a public function.
    taken: BTreeMap<String, Option<Program>>,
    /// Not printed yet.
    pending: VecDeque<String>,
}

impl Functions {
    pub(super) fn new(programs: &[&Program]) -> Self {
        let taken = programs.iter().map(|p| (p.name().to_owned(), None)).collect();
        Self { taken, pending: VecDeque::new() }
    }

    /// Queues a function, once; gives the name it will have: its own, with a number where that is another's.
    fn add(&mut self, program: Program) -> String {
        let mut name = program.name().to_owned();
        let mut n = 0;
        while let Some(other) = self.taken.get(&name) {
            if other.as_ref() == Some(&program) {
                return name;
            }
            name = format!("{}_{n}", program.name());
            n += 1;
        }
        self.taken.insert(name.clone(), Some(program));
        self.pending.push_back(name.clone());
        name
    }

    /// The next function to print.
    pub(super) fn next(&mut self) -> Option<(String, Program)> {
        let name = self.pending.pop_front()?;
        let program = self.taken.get(&name)?.clone()?;
        Some((name, program))
    }
}

fn differentiable(p: &Program, values: &[Value]) -> Vec<TensorType> {
    values.iter().map(|&v| p.ty(v).clone()).filter(|t| t.dtype().is_differentiable()).collect()
}

/// The decomposition that carries the rule: the results, then what the rule's programs give. Further arguments are
/// tangents or cotangents.
fn carrying(c: &Composite) -> Result<Program, TypeError> {
    let body = &c.body;
    let mut b = Builder::new(body.name());
    let args: Vec<Value> =
        body.args().iter().map(|&a| b.arg(body.value_name(a), body.ty(a).clone())).collect();
    let more = match &c.rule {
        Rule::Decompose | Rule::StopGradient | Rule::Remat => return Ok(body.clone()),
        Rule::CustomVjp { .. } => differentiable(body, body.results()),
        Rule::CustomJvp { .. } => differentiable(body, body.args()),
        Rule::Transpose { .. } => body.results().iter().map(|&r| body.ty(r).clone()).collect(),
    };
    let more: Vec<Value> = more.into_iter().map(|ty| b.arg(None, ty)).collect();
    let mut results = b.inline(body, &args, Some(""))?;
    match &c.rule {
        Rule::Decompose | Rule::StopGradient | Rule::Remat => {}
        Rule::CustomVjp { forward, backward } => {
            let all = b.inline(forward, &args, Some(""))?;
            let residuals = &all[results.len()..];
            let cotangents = b.inline(backward, &[residuals, &more].concat(), Some(""))?;
            results.extend(all.into_iter().chain(cotangents));
        }
        Rule::CustomJvp { jvp } => {
            results.extend(b.inline(jvp, &[&args[..], &more].concat(), Some(""))?);
        }
        Rule::Transpose { backward } => {
            let fixed = &args[..args.len() - backward.results().len()];
            results.extend(b.inline(backward, &[fixed, &more].concat(), Some(""))?);
        }
    }
    Ok(b.finish(&results))
}

/// The composite's attributes, with what its rule needs.
fn attributes(c: &Composite) -> String {
    let mut entries: Vec<String> = Vec::new();
    let name = mark(c);
    if c.rule != Rule::Decompose && name != c.name {
        entries.push(format!("name = {}", quote(&c.name)));
    }
    let (n, m) = (c.body.args().len(), c.body.results().len());
    match &c.rule {
        Rule::Decompose | Rule::StopGradient | Rule::Remat => {}
        Rule::CustomVjp { forward, .. } => {
            let k = forward.results().len() - m;
            entries.push(format!("arguments = {n} : i64, residuals = {k} : i64, results = {m} : i64"));
        }
        Rule::CustomJvp { .. } | Rule::Transpose { .. } => {
            entries.push(format!("arguments = {n} : i64, results = {m} : i64"));
        }
    }
    if !c.attributes.is_empty() {
        entries.push(c.attributes.clone());
    }
    entries.join(", ")
}

/// The composite's name in a module.
fn mark(c: &Composite) -> &str {
    match &c.rule {
        Rule::Decompose => &c.name,
        Rule::StopGradient => "pullback.stop_gradient",
        Rule::Remat => "pullback.remat",
        Rule::CustomVjp { .. } => "pullback.custom_vjp",
        Rule::CustomJvp { .. } => "pullback.custom_jvp",
        Rule::Transpose { .. } => "pullback.transpose",
    }
}

impl Printer<'_, '_> {
    /// A call of an operator that is not ours, by its name.
    pub(super) fn custom(&mut self, instr: &Instr, c: &Custom) {
        let operands = list(instr.operands().iter().map(|&v| self.name(v)));
        let types = list(instr.operands().iter().map(|&v| self.ty(v)));
        let outs = list(instr.results().iter().map(|&v| self.ty(v)));
        let outs = if instr.results().len() == 1 { outs } else { format!("({outs})") };
        let config = if c.attributes.is_empty() {
            String::new()
        } else {
            format!(" {{backend_config = {}}}", quote(&c.attributes))
        };
        let body =
            format!("stablehlo.custom_call {}({operands}){config} : ({types}) -> {outs}", symbol(&c.name));
        self.several(instr, &body);
    }

    /// A call of a private function.
    fn call(&mut self, instr: &Instr, function: &Program) {
        let operands = list(instr.operands().iter().map(|&v| self.name(v)));
        let types = list(instr.operands().iter().map(|&v| self.ty(v)));
        let outs = list(instr.results().iter().map(|&v| self.ty(v)));
        let outs = if instr.results().len() == 1 { outs } else { format!("({outs})") };
        let name = symbol(&self.functions.add(function.clone()));
        self.several(instr, &format!("call {name}({operands}) : ({types}) -> {outs}"));
    }

    pub(super) fn composite(&mut self, instr: &Instr, c: &Composite) {
        if known::is_call(c) {
            return self.call(instr, &c.body);
        }
        // Signatures fit, so the programs can be put together.
        let decomposition = carrying(c).unwrap_or_else(|_| c.body.clone());
        let mut operands: Vec<String> = instr.operands().iter().map(|&v| self.name(v)).collect();
        let mut types: Vec<String> = instr.operands().iter().map(|&v| self.ty(v)).collect();
        let own = c.body.args().len();
        for &extra in &decomposition.args()[own.min(decomposition.args().len())..] {
            let ty = decomposition.ty(extra);
            let n = self.inits;
            self.inits += 1;
            let zeros = crate::literals::format_elements(&Literal::splat_f64(ty.clone(), 0.0));
            let ty = mlir_type(ty);
            self.emit(format_args!("    %init{n} = stablehlo.constant dense<{zeros}> : {ty}\n"));
            operands.push(format!("%init{n}"));
            types.push(ty);
        }
        let outs: Vec<String> =
            decomposition.results().iter().map(|&r| mlir_type(decomposition.ty(r))).collect();
        let name = mark(c);
        let function = self.functions.add(decomposition);
        let attributes = match attributes(c) {
            text if text.is_empty() => text,
            text => format!("composite_attributes = {{{text}}}, "),
        };
        let version = if c.version == 0 { String::new() } else { format!(", version = {} : i32", c.version) };
        let id = self.fresh();
        let count = if outs.len() == 1 { String::new() } else { format!(":{}", outs.len()) };
        let outs = if outs.len() == 1 { outs.concat() } else { format!("({})", list(&outs)) };
        self.emit(format_args!(
            "    %{id}{count} = stablehlo.composite {} {} {{{attributes}decomposition = {}{version}}} : ({}) -> {outs}",
            quote(name),
            list(&operands),
            symbol(&function),
            list(&types)
        ));
        self.loc(instr.result());
        self.out.push('\n');
        for (k, &r) in instr.results().iter().enumerate() {
            let name = if count.is_empty() { format!("%{id}") } else { format!("%{id}#{k}") };
            self.names.insert(r, name);
        }
    }
}
