//! Composites: kept with their bodies, and with the rules that `pullback.*` names say.
//!
//! A rule travels in the decomposition, as further results that nobody reads: of `pullback.custom_vjp` the results, the
//! results and residuals of the forward rule, and what the backward rule makes of the residuals and of cotangents,
//! which are further operands. Which are which follows from three numbers; the programs are found by what depends on
//! what, so that they survive whatever a compiler did to them meanwhile (docs/marks.md).

use super::calls::wrong;
use super::custom::target_name;
use super::{FuncLowering, Slot};
use crate::constraints::broken;
use crate::declared::Declared;
use crate::lexer::{quote, unescape};
use crate::literals::elements_of_bytes;
use crate::ops::{Issue, Kind};
use crate::tree::{Attr, Node, Tree, Ty};
use crate::types::{mlir_type, show};
use pullback_base::{IdMap, Severity};
use pullback_ir::{Builder, Composite, Literal, Op, Program, Rule, TensorType, Value, ValueDef};
use std::collections::BTreeMap;

/// Attributes that say how many results and operands are what.
const NUMBERS: [&str; 4] = ["constants", "arguments", "results", "residuals"];

/// Marks the calls that composites are given for.
pub(crate) fn bind(tree: &mut Tree<'_>, operators: &BTreeMap<String, Composite>) {
    fn walk(nodes: &mut [Node<'_>], operators: &BTreeMap<String, Composite>) {
        for node in nodes {
            if node.kind == Some(Kind::CustomCall)
                && target_name(node).is_some_and(|t| operators.contains_key(&unescape(t)))
            {
                node.kind = Some(Kind::Bound);
            }
            node.regions.iter_mut().for_each(|r| walk(&mut r.nodes, operators));
        }
    }
    if !operators.is_empty() {
        tree.funcs.iter_mut().filter_map(|f| f.body.as_mut()).for_each(|body| walk(body, operators));
    }
}

/// The name of a composite, unescaped.
pub(super) fn composite_name(node: &Node<'_>) -> Option<String> {
    match node.attr(&["name"]) {
        Some(Attr::Str(name)) => Some(unescape(name)),
        _ => None,
    }
}

/// Attributes that a composite has of its own.
fn attributes<'t, 'a>(node: &'t Node<'a>) -> &'t [(&'a str, Attr<'a>)] {
    match node.attr(&["composite_attributes"]) {
        Some(Attr::Dict(dict)) => dict,
        _ => &[],
    }
}

/// An attribute as text that reads back.
fn attribute_text(a: &Attr<'_>) -> Option<String> {
    Some(match a {
        Attr::Int(i) => format!("{i} : i64"),
        Attr::Float(x) if x.is_finite() => {
            let text = format!("{x:E}");
            let (digits, exponent) = text.split_once('E').unwrap_or((&text, "0"));
            let dot = if digits.contains('.') { "" } else { ".0" };
            format!("{digits}{dot}E{exponent} : f64")
        }
        Attr::Float(x) => format!("0x{:016X} : f64", x.to_bits()),
        Attr::Bool(b) => b.to_string(),
        // Escapes are kept.
        Attr::Str(s) => format!("\"{s}\""),
        Attr::Word(w) => quote(w),
        Attr::Symbol(s) => format!("@{s}"),
        Attr::Ints(ints) if ints.is_empty() => "array<i64>".to_owned(),
        Attr::Ints(ints) => {
            format!("array<i64: {}>", ints.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
        }
        Attr::List(list) => {
            let texts = list.iter().map(attribute_text).collect::<Option<Vec<_>>>()?;
            format!("[{}]", texts.join(", "))
        }
        Attr::Dict(dict) => format!("{{{}}}", dict_text(dict)?),
        Attr::Dense { text, ty: Some(Ty::Tensor(ty)), .. } => format!("dense<{text}> : {}", mlir_type(ty)),
        Attr::Data { bytes, ty: Ty::Tensor(ty), .. } => {
            let literal = elements_of_bytes(bytes, ty).ok()?;
            format!("dense<{}> : {}", crate::literals::format_elements(&literal), mlir_type(ty))
        }
        Attr::Raw(text) => (*text).to_owned(),
        Attr::Pair(..) | Attr::Dense { .. } | Attr::Data { .. } | Attr::Sdy(_) | Attr::Type(_) => {
            return None;
        }
    })
}

/// Entries by name; an entry that cannot be written is left out.
pub(super) fn dict_text(dict: &[(&str, Attr<'_>)]) -> Option<String> {
    let mut entries: Vec<&(&str, Attr<'_>)> = dict.iter().collect();
    entries.sort_by_key(|(key, _)| *key);
    let texts = entries.into_iter().filter_map(|(key, a)| Some(format!("{key} = {}", attribute_text(a)?)));
    Some(texts.collect::<Vec<_>>().join(", "))
}

impl<'a> FuncLowering<'_, 'a, '_> {
    /// The composite that was given for a call.
    pub(super) fn bound(&mut self, node: &Node<'a>, written: &[Declared]) -> Result<(), Issue> {
        let name = target_name(node).map(unescape).unwrap_or_default();
        let Some(composite) = self.operators.and_then(|o| o.get(&name)) else { return Err(Issue::Reported) };
        let composite = Box::new(composite.clone());
        let operands = self.values(node)?;
        self.spend(composite.programs().iter().map(|p| p.instrs().len()).sum::<usize>() + 1)?;
        let results = self.b.push(Op::Composite(composite), &operands)?;
        self.results(node, &results, written)
    }

    /// Adds a composite whose decomposition is `program` on values of the argument types.
    pub(super) fn composite(
        &mut self,
        node: &Node<'a>,
        program: &Program,
        written: &[Declared],
    ) -> Result<(), Issue> {
        let mark = composite_name(node).unwrap_or_default();
        let n = match count(node, "arguments")? {
            Some(n) => n.checked_add(count(node, "constants")?.unwrap_or(0)),
            None => None,
        };
        let composite = composite_of(node, &mark, program)?;
        if composite.rule == Rule::Decompose {
            let name = node.callee().unwrap_or_default();
            let message = format!(
                "composite \"{mark}\" is kept; where it is differentiated, its decomposition @{name} is"
            );
            self.sink.note(Severity::Note, node.at, &mark, message);
        }
        let own = n.unwrap_or(node.operands.len()).min(node.operands.len());
        let mut operands = Vec::with_capacity(own);
        for u in &node.operands[..own] {
            operands.push(self.value(*u).ok_or(Issue::Reported)?);
        }
        let results = self.b.push(Op::Composite(Box::new(composite)), &operands)?;
        let read = written.get(..results.len()).unwrap_or(written);
        self.results(node, &results, read)?;
        // The others only carry the rule, and are nobody's to read.
        for (k, want) in written.iter().enumerate().skip(results.len()) {
            if let Declared::Exact(ty) = want {
                let nan = Literal::splat_f64(ty.clone(), f64::NAN);
                self.set(node.first_result + k as u32, Slot::Constant(Box::new((nan, String::new()))));
            }
        }
        Ok(())
    }

    /// The program of the function `callee` for the types it is called with; whole numbers that are constant stay so
    /// inside.
    pub(super) fn program_in_place(&mut self, node: &Node<'a>, callee: usize) -> Result<Program, Issue> {
        let func = &self.tree.funcs[callee];
        let Some((last, rest)) =
            func.body.as_ref().and_then(|b| b.split_last()).filter(|(n, _)| n.kind == Some(Kind::Return))
        else {
            self.error(func.at, format!("@{} has no body that ends with a return", func.name));
            return Err(Issue::Reported);
        };
        let mut b = Builder::new(unescape(func.name));
        let mut slots: Vec<Slot> = func.slot_names.iter().map(|_| Slot::Empty).collect();
        for (formal, u) in func.args.iter().zip(&node.operands) {
            let Some(ty) = self.ty_of(*u).cloned() else { return Err(Issue::Reported) };
            if !formal.ty.admits(&ty) {
                let what = format!(
                    "@{} takes {} where %{} is {}",
                    func.name,
                    show(&formal.ty),
                    u.name,
                    mlir_type(&ty)
                );
                return Err(wrong(node, 3, what));
            }
            let arg = b.arg(None, ty.clone());
            let known = self.literal(*u).filter(|_| !ty.dtype().is_differentiable());
            if let Some(slot) = slots.get_mut(formal.slot as usize) {
                *slot =
                    known.map_or(Slot::Value(arg), |l| Slot::Constant(Box::new((l.clone(), String::new()))));
            }
        }
        let outer = std::mem::replace(&mut self.func, func);
        let outer_slots = std::mem::replace(&mut self.slots, slots);
        let outer_b = std::mem::replace(&mut self.b, b);
        let marks = self.marks.len();
        for inner in rest {
            self.node(inner);
        }
        let results: Option<Vec<Value>> = last.operands.iter().map(|u| self.value(*u)).collect();
        self.forget_values(marks);
        (self.func, self.slots) = (outer, outer_slots);
        let inner = std::mem::replace(&mut self.b, outer_b);
        Ok(inner.finish(&results.ok_or(Issue::Reported)?))
    }
}

/// A whole number among a composite's attributes.
fn count(node: &Node<'_>, key: &str) -> Result<Option<usize>, Issue> {
    if !composite_name(node)
        .is_some_and(|n| matches!(n.as_str(), "pullback.custom_vjp" | "pullback.custom_jvp"))
    {
        return Ok(None);
    }
    match attributes(node).iter().find(|(k, _)| *k == key) {
        Some((_, Attr::Int(i))) => match usize::try_from(*i) {
            Ok(n) => Ok(Some(n)),
            Err(_) => Err(Issue::Error(format!("composite attribute {key} = {i} is not a count"))),
        },
        Some(_) => Err(Issue::Error(format!("composite attribute {key} is not a whole number"))),
        None if matches!(key, "residuals" | "constants") => Ok(Some(0)),
        None => Err(Issue::Error(format!("a composite with a rule needs the attribute {key}"))),
    }
}

/// The composite that a node means, its decomposition being `program`.
fn composite_of(node: &Node<'_>, mark: &str, program: &Program) -> Result<Composite, Issue> {
    let version = match node.attr(&["version"]) {
        Some(Attr::Int(v)) => *v,
        _ => 0,
    };
    let marked = mark.starts_with("pullback.");
    let (body, rule) = match mark {
        "pullback.stop_gradient" => (program.clone(), Rule::StopGradient),
        "pullback.remat" => (program.clone(), Rule::Remat),
        "pullback.custom_vjp" => custom_vjp(node, program)?,
        "pullback.custom_jvp" => custom_jvp(node, program)?,
        _ => (program.clone(), Rule::Decompose),
    };
    let ruled = marked && rule != Rule::Decompose;
    let mut name = mark.to_owned();
    let mut kept = Vec::new();
    for (key, a) in attributes(node) {
        match (*key, a) {
            ("name", Attr::Str(own)) if ruled => name = unescape(own),
            (key, _) if ruled && NUMBERS.contains(&key) => {}
            _ => kept.push((*key, a.clone())),
        }
    }
    let attributes = dict_text(&kept).unwrap_or_default();
    Ok(Composite { name, version, attributes, body, rule })
}

fn custom_vjp(node: &Node<'_>, d: &Program) -> Result<(Program, Rule), Issue> {
    let [c, n, m, k] = numbers(node)?;
    let (args, results) = (d.args(), d.results());
    let own = c.saturating_add(n);
    let rule = m.saturating_mul(2).saturating_add(k);
    if own > args.len() || rule > results.len() {
        return Err(misfit(node, args.len(), results.len(), "results, forward results and residuals"));
    }
    // What the functions close over is an operand like others, kept for the backward rule, without a cotangent.
    let (constants, residuals) = (&args[..c], &results[2 * m..rule]);
    let cut = |values: &[&[Value]]| -> Vec<Cut> { values.concat().into_iter().map(Cut::Value).collect() };
    let body = part(node, d, "primal", &cut(&[&args[..own]]), &[], &results[..m])?;
    let gives = [&results[m..2 * m], constants, residuals].concat();
    let forward = part(node, d, "forward", &cut(&[&args[..own]]), &[], &gives)?;
    let takes = cut(&[constants, residuals, &args[own..]]);
    let backward = part(node, d, "backward", &takes, &differentiable(d, constants), &results[rule..])?;
    Ok((body, Rule::CustomVjp { forward, backward }))
}

fn custom_jvp(node: &Node<'_>, d: &Program) -> Result<(Program, Rule), Issue> {
    let [c, n, m, _] = numbers(node)?;
    let (args, results) = (d.args(), d.results());
    let own = c.saturating_add(n);
    if own > args.len() || m > results.len() {
        return Err(misfit(node, args.len(), results.len(), "results and what the rule gives"));
    }
    let values = |values: &[Value]| -> Vec<Cut> { values.iter().map(|&v| Cut::Value(v)).collect() };
    let body = part(node, d, "primal", &values(&args[..own]), &[], &results[..m])?;
    let mut takes = values(&args[..own]);
    takes.extend(differentiable(d, &args[..c]).into_iter().map(Cut::Unread));
    takes.extend(values(&args[own..]));
    let jvp = part(node, d, "jvp", &takes, &[], &results[m..])?;
    Ok((body, Rule::CustomJvp { jvp }))
}

fn differentiable(p: &Program, values: &[Value]) -> Vec<TensorType> {
    values.iter().map(|&v| p.ty(v).clone()).filter(|t| t.dtype().is_differentiable()).collect()
}

fn numbers(node: &Node<'_>) -> Result<[usize; 4], Issue> {
    let mut out = [0; 4];
    for (n, key) in out.iter_mut().zip(NUMBERS) {
        *n = count(node, key)?.unwrap_or(0);
    }
    Ok(out)
}

fn misfit(node: &Node<'_>, args: usize, results: usize, what: &str) -> Issue {
    broken(
        node,
        4,
        &format!("its decomposition takes {args} and gives {results} value(s), which are not {what}"),
    )
}

/// An argument of a part of a decomposition.
enum Cut {
    Value(Value),
    /// There is nothing that it stands for.
    Unread(TensorType),
}

/// The part of a decomposition that computes `results` from the values `cut`, which become its arguments; before them
/// it gives zeros of some types.
fn part(
    node: &Node<'_>,
    d: &Program,
    name: &str,
    cut: &[Cut],
    zeros: &[TensorType],
    results: &[Value],
) -> Result<Program, Issue> {
    let mut live = IdMap::<Value, bool>::filled(d.n_values(), false);
    let mut map = IdMap::<Value, Option<Value>>::filled(d.n_values(), None);
    // The primal is what the function is called for.
    let own = if name == "primal" { d.name().to_owned() } else { format!("{}.{name}", d.name()) };
    let mut b = Builder::new(own);
    for c in cut {
        match c {
            Cut::Value(v) => {
                let arg = b.arg(None, d.ty(*v).clone());
                map[*v] = map[*v].or(Some(arg));
            }
            Cut::Unread(ty) => {
                b.arg(None, ty.clone());
            }
        }
    }
    let zeros: Vec<Value> = zeros.iter().map(|ty| b.splat(ty, 0.0)).collect();
    for &r in results {
        live[r] = true;
    }
    for instr in d.instrs().values().rev() {
        if instr.results().iter().any(|&r| live[r] && map[r].is_none()) {
            instr.operands().iter().for_each(|&v| live[v] = true);
        }
    }
    let value = |map: &IdMap<Value, Option<Value>>, v: Value| {
        map[v].ok_or_else(|| {
            let what = match d.def(v) {
                ValueDef::Arg(i) => format!("operand {i}"),
                ValueDef::Result(..) => d.display_name(v),
            };
            broken(
                node,
                4,
                &format!("its {name} rule reads {what}, which it does not get; make it a residual"),
            )
        })
    };
    for instr in d.instrs().values() {
        if !instr.results().iter().any(|&r| live[r] && map[r].is_none()) {
            continue;
        }
        let operands = instr.operands().iter().map(|&v| value(&map, v)).collect::<Result<Vec<_>, _>>()?;
        let made = b.push(instr.op().clone(), &operands)?;
        for (&old, &new) in instr.results().iter().zip(&made) {
            map[old] = map[old].or(Some(new));
            if let Some(name) = d.value_name(old) {
                b.name(new, name);
            }
        }
    }
    let results = results.iter().map(|&v| value(&map, v)).collect::<Result<Vec<_>, _>>()?;
    Ok(b.finish(&[zeros, results].concat()))
}
