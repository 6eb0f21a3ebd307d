//! Reading programs. The first error is reported with its place; any text gives a program or an error.
//!
//! Every instruction goes through [`Builder::push`], so what is read is as valid as what is built. Values must
//! be numbered densely in order of definition, so that ids mean the same in the text and in memory.

use super::attr::{make_op, parse_attrs, parse_list};
use super::literal::parse_literal;
use super::scan::{Result, Scanner};
use super::{MAX_DEPTH, MAX_LIST, MAX_TEXT};
use crate::build::Builder;
use crate::dtype::{DType, TensorType};
use crate::op::Op;
use crate::program::{Program, Value};
use pullback_base::{Diagnostic, Id};
use std::collections::BTreeSet;

/// The program that `text` describes. Errors carry line and column.
///
/// ```
/// let e = pullback_ir::text::parse("program @f(%0: f32[2]) {\n  %1: f32[3] = negate %0\n").unwrap_err();
/// assert_eq!(e.to_string(), "2:3: the result of negate is f32[2], not f32[3]");
/// ```
pub fn parse(text: &str) -> std::result::Result<Program, Diagnostic> {
    if text.len() > MAX_TEXT {
        let message = format!("a program text of {} bytes; the most is {MAX_TEXT}", text.len());
        return Err(Diagnostic::unsupported(None, message));
    }
    let mut s = Scanner::new(text);
    let program = parse_program(&mut s, 0)?;
    s.expect_end()?;
    Ok(program)
}

/// A program to its closing brace, inside `depth` others.
fn parse_program(s: &mut Scanner<'_>, depth: usize) -> Result<Program> {
    if depth > MAX_DEPTH {
        return Err(s.error(s.at(), format!("unsupported: programs nested deeper than {MAX_DEPTH}")));
    }
    let mut parser = Parser::header(s, depth)?;
    loop {
        s.skip_space();
        let at = s.at();
        if s.eat_word("return") {
            return parser.finish(s, at);
        }
        parser.instr(s)?;
    }
}

/// `(program ..., program ...)` if it is next in this line.
fn parse_regions(s: &mut Scanner<'_>, depth: usize) -> Result<Vec<Program>> {
    let mut regions = Vec::new();
    if s.peek_in_line(b'(') {
        s.expect(b'(')?;
        while !s.eat(b')') {
            if !regions.is_empty() {
                s.expect(b',')?;
            }
            if regions.len() == MAX_LIST {
                return Err(s.error(s.at(), format!("unsupported: more than {MAX_LIST} programs of one op")));
            }
            regions.push(parse_program(s, depth + 1)?);
        }
    }
    Ok(regions)
}

/// An argument that has its number but is not added yet.
struct Arg {
    number: usize,
    at: usize,
    ty: TensorType,
    name: Option<String>,
}

struct Parser {
    builder: Builder,
    /// Arguments may be numbered after results (where a builder added them late); last first.
    pending: Vec<Arg>,
    /// How many programs this one is inside of.
    depth: usize,
}

impl Parser {
    /// `program @name(%0: type "name", ...) {`
    fn header(s: &mut Scanner<'_>, depth: usize) -> Result<Self> {
        if !s.eat_word("program") {
            return Err(s.error(s.at(), "expected `program @name(...) {`"));
        }
        let name = s.symbol()?;
        s.expect(b'(')?;
        let mut args: Vec<Arg> = Vec::new();
        let mut names = BTreeSet::new();
        while !s.eat(b')') {
            if !args.is_empty() {
                s.expect(b',')?;
            }
            let arg = parse_arg(s)?;
            if args.last().is_some_and(|last| last.number >= arg.number) {
                return Err(s.error(arg.at, "arguments are numbered in increasing order"));
            }
            if let Some(name) = arg.name.clone()
                && !names.insert(name)
            {
                return Err(s.error(arg.at, "two arguments have this name"));
            }
            args.push(arg);
        }
        s.expect(b'{')?;
        args.reverse();
        let mut parser = Self { builder: Builder::new(name), pending: args, depth };
        parser.add_args();
        Ok(parser)
    }

    fn next_number(&self) -> usize {
        self.builder.so_far().n_values()
    }

    /// Adds the arguments whose turn it is.
    fn add_args(&mut self) {
        let next = self.next_number();
        let mut n = 0;
        while let Some(arg) = self.pending.pop_if(|arg| arg.number == next + n) {
            self.builder.arg(arg.name.as_deref(), arg.ty);
            n += 1;
        }
    }

    /// `%2: type, ... = op %0, %1 {attributes} "name", ...`
    fn instr(&mut self, s: &mut Scanner<'_>) -> Result<()> {
        let at = s.at();
        let mut types = Vec::new();
        loop {
            let at = {
                s.skip_space();
                s.at()
            };
            let number = s.value()?;
            let want = self.next_number() + types.len();
            if number != want {
                return Err(s
                    .error(at, format!("the next value is %{want}, not %{number}"))
                    .with_help("values are numbered densely, in order of definition"));
            }
            s.expect(b':')?;
            types.push(parse_type(s)?);
            if !s.eat(b',') {
                break;
            }
        }
        s.expect(b'=')?;
        s.skip_space();
        let op_at = s.at();
        let name = s.word("an op")?;
        let (op, operands) = if name == "constant" {
            (Op::Constant(parse_literal(s, &types[0])?), Vec::new())
        } else {
            let operands = self.operands(s)?;
            let attrs = parse_attrs(s, op_at)?;
            let regions = parse_regions(s, self.depth)?;
            (make_op(s, name, attrs, regions, &types)?, operands)
        };
        let results = self.builder.push(op, &operands).map_err(|e| s.error(op_at, e.to_string()))?;
        if results.len() != types.len() {
            return Err(s.error(at, format!("{name} has {} results, not {}", results.len(), types.len())));
        }
        for (&r, ty) in results.iter().zip(&types) {
            if self.builder.ty(r) != ty {
                let real = self.builder.ty(r);
                return Err(s.error(at, format!("the result of {name} is {real}, not {ty}")));
            }
        }
        self.result_names(s, &results)?;
        self.add_args();
        Ok(())
    }

    fn operand(&self, s: &mut Scanner<'_>) -> Result<Value> {
        s.skip_space();
        let at = s.at();
        let number = s.value()?;
        if number >= self.next_number() {
            return Err(s.error(at, format!("%{number} is read before it is defined")));
        }
        Ok(Value::from_index(number))
    }

    fn operands(&self, s: &mut Scanner<'_>) -> Result<Vec<Value>> {
        let mut operands = Vec::new();
        // In this line, because the next line begins with a value too.
        if s.peek_in_line(b'%') {
            operands.push(self.operand(s)?);
            while s.eat(b',') {
                operands.push(self.operand(s)?);
            }
        }
        Ok(operands)
    }

    /// `"a"` or, of several results, `"a", _`.
    fn result_names(&mut self, s: &mut Scanner<'_>, results: &[Value]) -> Result<()> {
        if !(s.peek_in_line(b'"') || s.peek_in_line(b'_')) {
            return Ok(());
        }
        for (i, &r) in results.iter().enumerate() {
            if i > 0 {
                s.expect(b',')?;
            }
            if let Some(name) = s.string_in_line()? {
                self.builder.name(r, name);
            } else {
                s.expect(b'_')?;
            }
        }
        Ok(())
    }

    /// What follows `return`: `%2 "loss", %3 }`
    fn finish(self, s: &mut Scanner<'_>, at: usize) -> Result<Program> {
        if let Some(arg) = self.pending.last() {
            let next = self.next_number();
            return Err(s
                .error(arg.at, format!("%{} leaves %{next} undefined", arg.number))
                .with_help("values are numbered densely, in order of definition"));
        }
        let mut results = Vec::new();
        if s.peek_in_line(b'%') {
            loop {
                results.push((self.operand(s)?, s.string_in_line()?));
                if !s.eat(b',') {
                    break;
                }
            }
        }
        s.expect(b'}')?;
        let program = self.builder.finish_named(results);
        program.verify().map_err(|e| s.error(at, e.to_string()))?;
        Ok(program)
    }
}

fn parse_arg(s: &mut Scanner<'_>) -> Result<Arg> {
    s.skip_space();
    let at = s.at();
    let number = s.value()?;
    s.expect(b':')?;
    let ty = parse_type(s)?;
    Ok(Arg { number, at, ty, name: s.string_in_line()? })
}

/// `f32[4,8]`
fn parse_type(s: &mut Scanner<'_>) -> Result<TensorType> {
    s.skip_space();
    let at = s.at();
    let word = s.word("a type such as f32[4,8]")?;
    let dtype = DType::from_name(word)
        .ok_or_else(|| s.error(at, format!("unsupported: there is no element type {word}")))?;
    s.expect(b'[')?;
    let shape = parse_list(s, Scanner::size)?;
    TensorType::try_new(dtype, shape.clone())
        .ok_or_else(|| s.error(at, format!("unsupported: {dtype}{shape:?} is too large to address")))
}
