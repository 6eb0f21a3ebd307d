//! Modules and functions: what stands around operations.
//!
//! Both the form JAX prints and the generic form; functions may stand without a module.

use super::{PResult, Parser};
use crate::lexer::Tok;
use crate::tree::{Attr, Func, FuncAttrs, Tree};
use pullback_base::Diagnostic;

impl<'a> Parser<'a> {
    /// A whole text.
    pub(super) fn file(&mut self, tree: &mut Tree<'a>) -> PResult<()> {
        let mut seen_module = false;
        loop {
            match self.tok {
                Tok::Eof => return Ok(()),
                // Resources at the end of a file.
                Tok::Punct(b'{') if self.lex.byte(self.lex.pos) == b'-' => return Ok(()),
                Tok::Hash(name) => self.alias_definition(name)?,
                Tok::Bang(_) => {
                    self.advance();
                    self.expect(b'=', "after a type alias")?;
                    self.ty()?;
                }
                Tok::Word("module" | "builtin.module") if !seen_module => {
                    seen_module = true;
                    self.module(tree)?;
                }
                Tok::Str("builtin.module") if !seen_module => {
                    seen_module = true;
                    self.generic_module(tree)?;
                }
                Tok::Word("module" | "builtin.module") | Tok::Str("builtin.module") => {
                    return Err(self.error(self.at, "a second module: a file holds one"));
                }
                _ => self.top_level(tree)?,
            }
        }
    }

    fn module(&mut self, tree: &mut Tree<'a>) -> PResult<()> {
        self.advance();
        if let Tok::Symbol(name) = self.tok {
            tree.name = Some(name);
            self.advance();
        }
        if self.tok == Tok::Word("attributes") {
            self.advance();
            tree.set_attrs(&self.dict()?);
        }
        self.expect(b'{', "before the module's functions")?;
        while !self.eat(b'}') {
            self.top_level(tree)?;
        }
        self.trailing_loc()?;
        Ok(())
    }

    /// `"builtin.module"() <{...}> ({ ... }) : () -> ()`
    fn generic_module(&mut self, tree: &mut Tree<'a>) -> PResult<()> {
        self.advance();
        self.expect(b'(', "after a quoted operation")?;
        self.expect(b')', "after a module's operands")?;
        let mut attrs = Vec::new();
        if self.eat(b'<') {
            attrs = self.dict()?;
            self.expect(b'>', "after properties")?;
        }
        if let Some((_, Attr::Str(name))) = attrs.iter().find(|(k, _)| *k == "sym_name") {
            tree.name = Some(name);
        }
        self.expect(b'(', "before the module's region")?;
        self.expect(b'{', "before the module's functions")?;
        while !self.eat(b'}') {
            self.top_level(tree)?;
        }
        self.expect(b')', "after the module's region")?;
        if self.tok == Tok::Punct(b'{') {
            tree.set_attrs(&self.dict()?);
        }
        self.expect(b':', "before the module's type")?;
        self.signature()?;
        self.trailing_loc()?;
        Ok(())
    }

    fn top_level(&mut self, tree: &mut Tree<'a>) -> PResult<()> {
        match self.tok {
            Tok::Word("func.func") => {
                let func = self.func()?;
                tree.funcs.push(func);
            }
            Tok::Str("func.func") => {
                let func = self.generic_func()?;
                tree.funcs.push(func);
            }
            Tok::Word("module") => {
                return Err(Box::new(Diagnostic::unsupported(
                    self.lines.pos(self.at),
                    "a module inside a module",
                )));
            }
            Tok::Word(w) if w.contains('.') => {
                self.begin_func();
                tree.others.push(self.node()?);
            }
            Tok::Value(_) | Tok::Str(_) => {
                self.begin_func();
                tree.others.push(self.node()?);
            }
            _ => return Err(self.expected("a function (func.func) or the end of the module")),
        }
        Ok(())
    }

    fn begin_func(&mut self) {
        self.func += 1;
        self.undo.clear();
        self.arg_dicts.clear();
        self.slot_names = Vec::new();
        self.slots_before = 0;
    }

    fn func(&mut self) -> PResult<Func<'a>> {
        let mut func = self.header()?;
        let open = self.tok == Tok::Punct(b'{');
        if let Some(mut skipped) = self.skipped.take() {
            skipped.push(if open { Some(self.skip_body()?) } else { None });
            self.skipped = Some(skipped);
        } else if open {
            func.body = Some(self.region()?.nodes);
        }
        self.trailing_loc()?;
        func.slot_names = std::mem::take(&mut self.slot_names);
        Ok(func)
    }

    /// A function up to its body.
    pub(super) fn header(&mut self) -> PResult<Func<'a>> {
        self.begin_func();
        let at = self.at;
        self.advance();
        let mut public = true;
        if let Tok::Word(w @ ("public" | "private" | "nested")) = self.tok {
            public = w == "public";
            self.advance();
        }
        let Tok::Symbol(name) = self.tok else { return Err(self.expected("a function's name (@name)")) };
        self.advance();
        self.expect(b'(', "before a function's arguments")?;
        let args = self.args(b')')?;
        let mut attrs = FuncAttrs { args: std::mem::take(&mut self.arg_dicts), results: Vec::new() };
        let mut results = Vec::new();
        if self.tok == Tok::Arrow {
            self.advance();
            if self.eat(b'(') {
                while !self.eat(b')') {
                    let ty = self.ty()?;
                    let [info] = self.infos(["jax.result_info"])?;
                    results.push((ty, info));
                    attrs.results.push(std::mem::take(&mut self.last_dict));
                    if self.tok != Tok::Punct(b')') {
                        self.expect(b',', "between result types")?;
                    }
                }
            } else {
                results.push((self.ty()?, None));
            }
        }
        if self.tok == Tok::Word("attributes") {
            self.advance();
            self.dict()?;
        }
        let results = Some(results);
        Ok(Func { name, at, public, args, results, body: None, slot_names: Vec::new(), attrs })
    }

    /// `"func.func"() <{function_type = ..., sym_name = "f"}> ({ ^bb0(...): ... }) : () -> ()`
    fn generic_func(&mut self) -> PResult<Func<'a>> {
        self.begin_func();
        let at = self.at;
        if self.skipped.is_some() {
            return Err(self.error(at, "a function in generic form is read whole"));
        }
        let mut node = self.node()?;
        let text = |key| match node.attr(&[key]) {
            Some(Attr::Str(s)) => Some(*s),
            _ => None,
        };
        let Some(name) = text("sym_name") else {
            return Err(self.error(at, "func.func without a sym_name"));
        };
        let public = text("sym_visibility").is_none_or(|v| v == "public");
        let region = node.regions.pop();
        let slot_names = std::mem::take(&mut self.slot_names);
        let (args, body) = match region {
            Some(r) if !(r.nodes.is_empty() && r.args.is_empty()) => (r.args, Some(r.nodes)),
            _ => (Vec::new(), None),
        };
        let attrs = FuncAttrs::of(&node, &args);
        Ok(Func { name, at, public, args, results: None, body, slot_names, attrs })
    }
}
