//! From a test to a program: the operations of the test harness are taken out of the text, and what they look at
//! becomes results of the function.
//!
//! `check.expect_eq %a, %b` leaves results `%a` and `%b` and a [`Check`] that compares them; a constant that is expected
//! becomes a `stablehlo.constant`. `interpreter.print` goes, `interpreter.probe` becomes a reshape to the same shape.
//! Every line keeps its number. What is not the harness's own is not looked at: the product's importer reads it.

use crate::compare::Closeness;
use crate::parallel::Parallel;
use crate::scan::{Cursor, Result, Trouble};
use std::collections::BTreeMap;
use std::ops::Range;

/// What is compared: results `2 i` (actual) and `2 i + 1` (expected) of the rewritten function for check `i`.
#[derive(Clone, PartialEq, Debug)]
pub struct Check {
    /// Line of the operation.
    pub line: usize,
    pub closeness: Closeness,
}

/// A test as a program.
#[derive(Debug)]
pub struct Test {
    /// The module.
    pub text: String,
    /// The function to evaluate.
    pub entry: String,
    pub checks: Vec<Check>,
    /// What is not as the test says, each with a reason.
    pub notes: Vec<String>,
    /// Several programs that the harness runs here; their results are the arguments of the entry.
    pub parallel: Option<Parallel>,
    /// Types of the entry's arguments.
    pub args: Vec<String>,
}

/// A function of a module, as ranges of its text.
#[derive(Debug)]
struct Func {
    name: String,
    /// Between its brackets.
    args: Range<usize>,
    /// Between the arguments and the body: result types and attributes. Empty range where there are none.
    results: Range<usize>,
    /// With its braces.
    body: Range<usize>,
}

/// A replacement of text.
type Edit = (Range<usize>, String);

/// Rewrites a module; `None` where it has no function.
pub fn rewrite(text: &str) -> Result<Option<Test>> {
    let funcs = functions(text)?;
    if funcs.is_empty() {
        return Ok(None);
    }
    let main = funcs.iter().find(|f| f.name == "main");
    let Some(entry) = main.or(if funcs.len() == 1 { funcs.first() } else { None }) else {
        return Err(Trouble { at: 0, message: "several functions, none of them @main".to_owned() });
    };
    let mut body = Body { edits: Vec::new(), returned: Vec::new(), checks: Vec::new(), ..Body::default() };
    body.read(text, entry)?;
    for f in &funcs {
        if f.name != entry.name {
            body.only_prints(text, f)?;
        }
    }
    if !body.checks.is_empty() {
        let types: Vec<&str> = body.returned.iter().map(|(_, ty)| ty.as_str()).collect();
        body.edits.push((entry.results.clone(), format!(" -> ({}) ", types.join(", "))));
        let values: Vec<&str> = body.returned.iter().map(|(v, _)| v.as_str()).collect();
        let back = format!("func.return {} : {}\n", values.join(", "), types.join(", "));
        let last = body.last.clone();
        body.edits.retain(|(range, _)| range.start < last.start || range.end > last.end);
        body.edits.push((last, back));
    }
    if let (Some(parallel), Some((name, at))) = (&body.parallel, &body.run_at) {
        let more = parallel.inputs(&text[entry.body.start + 1..*at]);
        let args = parallel.results.iter().enumerate();
        let args: Vec<String> =
            args.map(|(k, ty)| format!("{}: {ty}", Parallel::argument(name, k))).collect();
        body.edits.push((entry.args.clone(), args.join(", ")));
        // Beside the entry, in its module.
        body.edits.push((entry.body.end..entry.body.end, format!("\n{more}")));
    }
    let args = arguments(text, entry)?.into_iter().map(|(_, _, ty)| ty.to_owned()).collect();
    let text = apply(text, body.edits);
    let entry = entry.name.clone();
    Ok(Some(Test { text, entry, checks: body.checks, notes: body.notes, parallel: body.parallel, args }))
}

/// A module whose entry takes its sizes as leading whole numbers, with each of them made `size`.
pub fn with_sizes(text: &str, size: usize) -> Result<String> {
    let funcs = functions(text)?;
    let Some(entry) = funcs.iter().find(|f| f.name == "main") else { return Ok(text.to_owned()) };
    let mut constants = String::new();
    let mut end = entry.args.start;
    for (name, range, ty) in arguments(text, entry)? {
        if !matches!(ty, "tensor<i64>" | "tensor<i32>") {
            break;
        }
        constants.push_str(&format!(" {name} = stablehlo.constant dense<{size}> : {ty}"));
        end = range.end;
    }
    let body = entry.body.start + 1;
    Ok(apply(text, vec![(entry.args.start..end, String::new()), (body..body, constants)]))
}

/// The arguments of a function: name, place with the comma after it, type.
fn arguments<'a>(text: &'a str, func: &Func) -> Result<Vec<(&'a str, Range<usize>, &'a str)>> {
    let mut c = Cursor::new(text, func.args.start);
    let mut arguments = Vec::new();
    while c.next() == b'%' {
        let start = c.at;
        let name = c.value()?;
        c.expect(":")?;
        let ty = c.ty()?;
        if c.next() == b'{' {
            c.balanced()?;
        }
        if c.peek_word() == "loc" {
            c.word();
            c.next();
            c.balanced()?;
        }
        c.eat(",");
        arguments.push((name, start..c.at, ty));
    }
    Ok(arguments)
}

/// The functions of a module or its text without one.
fn functions(text: &str) -> Result<Vec<Func>> {
    let mut c = Cursor::new(text, 0);
    let mut funcs = Vec::new();
    loop {
        match c.next() {
            0 => return Ok(funcs),
            b'"' => {
                c.string()?;
            }
            _ => match c.word() {
                "" => c.at += c.text[c.at..].chars().next().map_or(1, char::len_utf8),
                "func.func" => funcs.push(function(&mut c)?),
                "attributes" => {
                    c.next();
                    c.balanced()?;
                }
                _ => {}
            },
        }
    }
}

/// The rest of a function after `func.func`.
fn function(c: &mut Cursor<'_>) -> Result<Func> {
    if matches!(c.peek_word(), "public" | "private" | "nested") {
        c.word();
    }
    c.expect("@")?;
    let name = if c.byte(0) == b'"' { c.string()? } else { c.word() }.to_owned();
    c.next();
    let args = c.balanced()?;
    let start = c.at;
    if c.eat("->") {
        c.types()?;
    }
    let results = start..c.at;
    if c.peek_word() == "attributes" {
        c.word();
        c.next();
        c.balanced()?;
    }
    c.next();
    let body = c.balanced()?;
    Ok(Func { name, args: args.start + 1..args.end - 1, results, body })
}

/// What rewriting gathers.
#[derive(Default)]
struct Body {
    edits: Vec<Edit>,
    /// Values to return, with types.
    returned: Vec<(String, String)>,
    checks: Vec<Check>,
    notes: Vec<String>,
    parallel: Option<Parallel>,
    /// The name of its results and where it begins.
    run_at: Option<(String, usize)>,
    /// From the function's `return` to the end of its body, without the brace.
    last: Range<usize>,
    /// Operands of probes by id, in order; `None` for one inside a region.
    probes: BTreeMap<String, Vec<Option<(String, String)>>>,
}

impl Body {
    /// Reads the entry.
    fn read(&mut self, text: &str, func: &Func) -> Result<()> {
        let mut c = Cursor::new(text, func.body.start + 1);
        let mut depth = 0usize;
        // Where the statement with results begins: `%x = `.
        let mut named = None;
        while c.at < func.body.end {
            match c.next() {
                b'"' if text[c.at..].starts_with("\"check.")
                    || text[c.at..].starts_with("\"interpreter.") =>
                {
                    self.harness(&mut c, named, depth)?;
                }
                b'"' => {
                    c.string()?;
                }
                b'{' => (depth, c.at) = (depth + 1, c.at + 1),
                b'}' => (depth, c.at) = (depth.saturating_sub(1), c.at + 1),
                b'%' => {
                    let start = c.at;
                    let value = c.value()?;
                    if let Some(argument) = self.argument(value) {
                        self.edits.push((start..c.at, argument));
                    }
                    if c.eat(":") {
                        c.word();
                    }
                    if c.eat("=") {
                        named = Some(start);
                        continue;
                    }
                }
                _ => {
                    let start = c.at;
                    match c.peek_word() {
                        "" => c.at += text[c.at..].chars().next().map_or(1, char::len_utf8),
                        "return" | "func.return" if depth == 0 => {
                            c.word();
                            self.last = start..func.body.end - 1;
                        }
                        w if w.starts_with("check.") || w.starts_with("interpreter.") => {
                            self.harness(&mut c, named, depth)?;
                        }
                        "stablehlo.custom_call" => {
                            c.word();
                            if c.eat("@check.") {
                                self.custom_call(&mut c, named.unwrap_or(start), depth)?;
                            }
                        }
                        _ => c.at += c.peek_word().len(),
                    }
                }
            }
            named = None;
        }
        if self.last.is_empty() {
            return c.trouble("a function without a return");
        }
        Ok(())
    }

    /// The argument that stands for a result of the grid: `%r#1`, or `%r` alone.
    fn argument(&self, value: &str) -> Option<String> {
        let (name, _) = self.run_at.as_ref()?;
        let (base, k) = value.split_once('#').unwrap_or((value, "0"));
        (base == name).then(|| Parallel::argument(name, k.parse().unwrap_or(0)))
    }

    /// In other functions there may be prints alone.
    fn only_prints(&mut self, text: &str, func: &Func) -> Result<()> {
        if let Some(n) = text[func.body.clone()].find("check.expect_") {
            let at = func.body.start + n;
            return Err(Trouble { at, message: "a check outside the entry".to_owned() });
        }
        let mut c = Cursor::new(text, func.body.start);
        while let Some(n) = text[c.at..func.body.end].find("interpreter.print") {
            c.at += n;
            self.harness(&mut c, None, 0)?;
        }
        Ok(())
    }

    /// An operation of the dialects `check` and `interpreter`, pretty or generic.
    fn harness(&mut self, c: &mut Cursor<'_>, named: Option<usize>, depth: usize) -> Result<()> {
        let start = c.at;
        let generic = c.byte(0) == b'"';
        let name = if generic { c.string()? } else { c.word() };
        if name == "interpreter.run_parallel" {
            if self.parallel.is_some() {
                return Err(Trouble { at: start, message: "a second run_parallel".to_owned() });
            }
            self.parallel = Some(Parallel::read(c)?);
            let named = named.unwrap_or(start);
            let results = Cursor::new(c.text, named).value().unwrap_or("%_").to_owned();
            self.edits.push((named..c.at, String::new()));
            self.run_at = Some((results, named));
            return Ok(());
        }
        let op = if generic { generic_form(c)? } else { pretty_form(c)? };
        match name {
            "interpreter.print" => self.edits.push((start..c.at, String::new())),
            "interpreter.probe" => self.probe(op, start..c.at, depth)?,
            _ => {
                let start = named.unwrap_or(start);
                self.check(c, name.trim_start_matches("check."), op, start, depth)?;
            }
        }
        Ok(())
    }

    fn probe(&mut self, op: Operation, range: Range<usize>, depth: usize) -> Result<()> {
        let (Some(value), Some(ty)) = (op.operands.first(), op.types.first()) else {
            return Err(Trouble { at: range.start, message: "a probe of nothing".to_owned() });
        };
        let id = op.attrs.get("probe_id").cloned().unwrap_or_default();
        let seen = (depth == 0).then(|| (value.clone(), ty.clone()));
        self.probes.entry(id).or_default().push(seen);
        self.edits.push((range, format!("stablehlo.reshape {value} : ({ty}) -> {ty}")));
        Ok(())
    }

    /// `stablehlo.custom_call @check.NAME(%a, %b) {…} : (…) -> …`
    fn custom_call(&mut self, c: &mut Cursor<'_>, start: usize, depth: usize) -> Result<()> {
        let name = c.word();
        let mut op = generic_form(c)?;
        // The interpreter has fixed limits for the custom calls.
        match name {
            "expect_close" => {
                op.attrs.insert("max_ulp_difference".to_owned(), "3".to_owned());
            }
            "expect_almost_eq" => {
                op.attrs.insert("tolerance".to_owned(), "1e-3".to_owned());
            }
            _ => {}
        }
        self.check(c, name, op, start, depth)
    }

    fn check(&mut self, c: &Cursor<'_>, name: &str, op: Operation, start: usize, depth: usize) -> Result<()> {
        let mut op = op;
        for value in &mut op.operands {
            if let Some(argument) = self.argument(value) {
                *value = argument;
            }
        }
        let range = start..c.at;
        let bad = |message: &str| Err(Trouble { at: start, message: format!("check.{name}: {message}") });
        if depth != 0 {
            return bad("inside a region");
        }
        let Some(closeness) = closeness(name, &op) else { return bad("not a check that is known") };
        let mut replacement = String::new();
        let Some(actual) = op.operands.first().cloned() else { return bad("no operand") };
        let (expected, ty) = if name == "expect_serialized_eq" {
            let id = op.attrs.get("probe_id").map_or("", String::as_str);
            let turn = op.attrs.get("iter").and_then(|i| i.parse::<usize>().ok()).unwrap_or(0);
            let seen = self.probes.get(id).map_or(&[][..], Vec::as_slice);
            match seen.get(turn) {
                Some(Some(probed)) => probed.clone(),
                None if !seen.contains(&None) => return bad("no such probe"),
                Some(None) | None => {
                    self.notes.push("left out: a probe inside a loop".to_owned());
                    self.edits.push((range, String::new()));
                    return Ok(());
                }
            }
        } else if name.ends_with("_const") {
            let Some((value, ty)) = &op.constant else { return bad("no constant") };
            let expected = format!("%__expected_{}", self.checks.len());
            replacement = format!("{expected} = stablehlo.constant {value} : {ty}");
            (expected, ty.clone())
        } else {
            let (Some(expected), Some(ty)) = (op.operands.get(1), op.types.first()) else {
                return bad("not two operands");
            };
            (expected.clone(), op.types.get(1).unwrap_or(ty).clone())
        };
        let actual_ty = op.types.first().filter(|_| !name.ends_with("_const")).unwrap_or(&ty).clone();
        self.returned.push((actual, actual_ty));
        self.returned.push((expected, ty));
        self.checks.push(Check { line: line_of(c.text, start), closeness });
        self.edits.push((range, replacement));
        Ok(())
    }
}

fn closeness(name: &str, op: &Operation) -> Option<Closeness> {
    let count = |key: &str, default| op.attrs.get(key).map_or(Some(default), |v| v.parse().ok());
    let tolerance = || op.attrs.get("tolerance").map_or(Some(1e-4), |v| v.parse().ok());
    Some(match name {
        "expect_eq" | "expect_eq_const" => Closeness::Equal,
        "eq" => Closeness::EqualOrAlmost,
        "expect_serialized_eq" => Closeness::SameBits,
        "expect_almost_eq" | "expect_almost_eq_const" => Closeness::Almost(tolerance()?),
        "expect_close" => {
            Closeness::Ulps { min: count("min_ulp_difference", 0)?, max: count("max_ulp_difference", 1)? }
        }
        _ => return None,
    })
}

/// An operation of the harness, in either form.
#[derive(Default, Debug)]
struct Operation {
    operands: Vec<String>,
    /// Attributes with numbers or strings.
    attrs: BTreeMap<String, String>,
    /// An attribute that is a tensor, and its type.
    constant: Option<(String, String)>,
    types: Vec<String>,
}

/// After the name: operands, attributes, a colon and types, with commas here and there.
fn pretty_form(c: &mut Cursor<'_>) -> Result<Operation> {
    let mut op = Operation::default();
    loop {
        let before = c.clone();
        match c.next() {
            b'%' => {
                op.operands.push(c.value()?.to_owned());
            }
            b',' => c.at += 1,
            b'{' => attributes(c, &mut op)?,
            b':' => {
                c.at += 1;
                if c.next() == b'{' {
                    attributes(c, &mut op)?;
                }
                op.types = c.types()?.into_iter().map(str::to_owned).collect();
                if c.next() == b'{' {
                    attributes(c, &mut op)?;
                }
                return Ok(op);
            }
            _ if c.peek_word() == "dense" => {
                op.constant = Some(dense(c)?);
                // Its type ends the operation, but for attributes after a comma.
                if c.next() == b'{' {
                    attributes(c, &mut op)?;
                }
                if c.next() != b',' {
                    return Ok(op);
                }
            }
            _ => {
                let key = c.word();
                if key.is_empty() || !c.eat("=") {
                    c.at = before.at;
                    return Ok(op);
                }
                let value = attribute(c, &mut op)?;
                op.attrs.insert(key.to_owned(), value);
            }
        }
    }
}

/// After the name: `(%a, %b) <{…}> {…} : (…) -> …`.
fn generic_form(c: &mut Cursor<'_>) -> Result<Operation> {
    let mut op = Operation::default();
    c.expect("(")?;
    while c.next() == b'%' {
        op.operands.push(c.value()?.to_owned());
        c.eat(",");
    }
    c.expect(")")?;
    if c.eat("<") {
        attributes(c, &mut op)?;
        c.expect(">")?;
    }
    if c.next() == b'{' {
        attributes(c, &mut op)?;
    }
    c.expect(":")?;
    op.types = c.types()?.into_iter().map(str::to_owned).collect();
    c.expect("->")?;
    c.types()?;
    Ok(op)
}

/// `{key = value, flag, …}`
fn attributes(c: &mut Cursor<'_>, op: &mut Operation) -> Result<()> {
    c.expect("{")?;
    while !c.eat("}") {
        let key = c.word().to_owned();
        if key.is_empty() {
            return c.trouble("no attribute here");
        }
        if c.eat("=") {
            let value = attribute(c, op)?;
            op.attrs.insert(key, value);
        }
        c.eat(",");
    }
    Ok(())
}

/// A number, with its type or without, a string, or a tensor.
fn attribute(c: &mut Cursor<'_>, op: &mut Operation) -> Result<String> {
    if c.next() == b'"' {
        return Ok(c.string()?.to_owned());
    }
    if c.peek_word() == "dense" {
        op.constant = Some(dense(c)?);
        return Ok(String::new());
    }
    let value = c.word().to_owned();
    if value.is_empty() {
        return c.trouble("an attribute that is neither number, string nor tensor");
    }
    // `0.1 : f64`, unless it is the colon before the types.
    let before = c.at;
    if c.eat(":") && !matches!(c.word(), "f64" | "f32" | "i64" | "ui64" | "ui32") {
        c.at = before;
    }
    Ok(value)
}

/// `dense<…> : tensor<…>`: both parts.
fn dense(c: &mut Cursor<'_>) -> Result<(String, String)> {
    c.next();
    let start = c.at;
    c.expect("dense")?;
    c.balanced()?;
    let value = c.text[start..c.at].to_owned();
    c.expect(":")?;
    Ok((value, c.ty()?.to_owned()))
}

/// Number of a line, from 1.
pub fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes()[..at.min(text.len())].iter().filter(|&&b| b == b'\n').count() + 1
}

/// The text with ranges replaced; lines keep their numbers.
fn apply(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|(range, _)| range.start);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    let lines = |s: &str| s.matches('\n').count();
    for (range, new) in edits {
        out.push_str(&text[at..range.start]);
        out.push_str(&new);
        let lost = lines(&text[range.clone()]).saturating_sub(lines(&new));
        out.extend(std::iter::repeat_n('\n', lost));
        at = range.end;
    }
    out.push_str(&text[at..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(text: &str) -> Test {
        rewrite(text).unwrap_or_else(|t| panic!("{} at {}", t.message, t.at)).expect("a function")
    }

    #[test]
    fn checked_values_are_returned() {
        let test = rewritten(
            "func.func @f() {\n  %0 = stablehlo.iota dim = 0 : tensor<2xi32>\n  \
             check.expect_eq_const %0, dense<[0,\n    1]> : tensor<2xi32>\n  \
             check.expect_close %0, %0, max_ulp_difference = 3 : tensor<2xi32>, tensor<2xi32>\n  func.return\n}\n",
        );
        assert_eq!(
            test.text,
            "func.func @f() -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) {\n  \
             %0 = stablehlo.iota dim = 0 : tensor<2xi32>\n  \
             %__expected_0 = stablehlo.constant dense<[0,\n    1]> : tensor<2xi32>\n\n\
             func.return %0, %__expected_0, %0, %0 : tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>\n}\n"
        );
        let close = Check { line: 5, closeness: Closeness::Ulps { min: 0, max: 3 } };
        assert_eq!(test.checks, [Check { line: 3, closeness: Closeness::Equal }, close]);
    }

    #[test]
    fn custom_calls_and_generic_forms_are_checks_too() {
        let test = rewritten(
            "module {\n func.func public @main() -> (tensor<f32> {jax.result_info = \"\"}) {\n  \
             %1:2 = call @two() : () -> (tensor<f32>, tensor<f32>)\n  \
             stablehlo.custom_call @check.expect_almost_eq(%1#0, %1#1) {has_side_effect = true} : \
             (tensor<f32>, tensor<f32>) -> ()\n  \
             \"check.expect_almost_eq_const\"(%1#0) <{tolerance = 0.5 : f64, value = dense<1.0> : tensor<f32>}> : \
             (tensor<f32>) -> ()\n  return %1#0 : tensor<f32>\n }\n func.func private @two()\n}\n"
                .replace("@two()\n", "@two() { return }\n")
                .as_str(),
        );
        let limits: Vec<_> = test.checks.iter().map(|c| c.closeness).collect();
        assert_eq!(limits, [Closeness::Almost(1e-3), Closeness::Almost(0.5)]);
        assert!(test.text.contains("func.return %1#0, %1#1, %1#0, %__expected_1 :"), "{}", test.text);
    }

    #[test]
    fn probes_are_found_by_name_and_turn() {
        let text = "func.func @f() {\n  %0 = stablehlo.constant dense<1> : tensor<i32>\n  \
                    %1 = interpreter.probe %0, probe_id = \"p\" : tensor<i32>\n  interpreter.print %1 : tensor<i32>\n  \
                    check.expect_serialized_eq %1, probe_id = \"p\", iter = 0 : tensor<i32>\n  func.return\n}";
        let test = rewritten(text);
        assert!(
            test.text.contains("%1 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<i32>"),
            "{}",
            test.text
        );
        assert!(test.text.contains("func.return %1, %0 : tensor<i32>, tensor<i32>"), "{}", test.text);
        assert!(rewrite(&text.replace("iter = 0", "iter = 1")).is_err());
    }

    #[test]
    fn what_is_no_check_stays() {
        let text = "func.func @main(%arg0: tensor<i64>, %arg1: tensor<?xf32> {a.b = \"?\"}) -> tensor<?xf32> {\n  \
                    return %arg1 : tensor<?xf32>\n}";
        let test = rewritten(text);
        assert_eq!(test.text, text);
        assert_eq!(test.args, ["tensor<i64>", "tensor<?xf32>"]);
        let sized = with_sizes(text, 3).unwrap_or_else(|t| panic!("{}", t.message));
        assert!(sized.starts_with("func.func @main( %arg1: tensor<?xf32>"), "{sized}");
        assert!(sized.contains("{ %arg0 = stablehlo.constant dense<3> : tensor<i64>\n"), "{sized}");
        assert!(rewrite("// nothing\nmodule {}").is_ok_and(|t| t.is_none()));
        assert!(rewrite("func.func @a() { return }\nfunc.func @b() { return }").is_err());
    }
}
