//! Shardy's attributes in text, with or without `#sdy.` before them.

use super::{AxisRef, DimSharding, Mesh, MeshRef, Sdy, Sharding};
use crate::lexer::{Lines, Tok, unescape};
use crate::parser::{PResult, Parser};
use crate::tree::{Attr, Node};
use std::rc::Rc;

/// An attribute of Shardy's that stands in a text of its own, as `#sdy.sharding<…>`.
pub(crate) fn sdy_of_text(text: &str) -> Option<Sdy> {
    let mut p = Parser::new(text, Rc::new(Lines::new(text)));
    p.advance();
    match p.attr(false).ok()? {
        Attr::Sdy(sdy) => Some((*sdy).clone()),
        _ => None,
    }
}

/// Meshes in a text of their own: `{mesh = #sdy.mesh<…>}`.
pub(crate) fn meshes_of_text(text: &str) -> Vec<Mesh> {
    let mut p = Parser::new(text, Rc::new(Lines::new(text)));
    p.advance();
    let dict = p.dict().unwrap_or_default();
    let mesh = |(name, attr): (&str, Attr<'_>)| match attr {
        Attr::Sdy(sdy) => match &*sdy {
            Sdy::Mesh(mesh) => Some(Mesh { name: unescape(name), ..mesh.clone() }),
            Sdy::Axes(_) | Sdy::Sharding(_) | Sdy::Shardings(_) => None,
        },
        _ => None,
    };
    dict.into_iter().filter_map(mesh).collect()
}

impl<'a> Parser<'a> {
    /// What follows `#sdy.sharding` and the like; `None` for an attribute that is not read.
    pub(crate) fn sdy_attr(&mut self, name: &str) -> PResult<Option<Attr<'a>>> {
        let attr = match name {
            "sdy.mesh" => Sdy::Mesh(self.mesh(String::new())?),
            "sdy.sharding" => Sdy::Sharding(self.sharding()?),
            "sdy.sharding_per_value" => {
                self.expect(b'<', "before shardings")?;
                let list = self.shardings()?;
                self.expect(b'>', "after shardings")?;
                Sdy::Shardings(list)
            }
            "sdy.manual_axes" => Sdy::Axes(self.axis_names()?),
            "sdy" if self.lex.src.get(self.lex.pos..).is_some_and(|s| s.starts_with("manual_axes")) => {
                self.expect(b'<', "before manual axes")?;
                self.advance();
                let axes = self.axis_names()?;
                self.expect(b'>', "after manual axes")?;
                Sdy::Axes(axes)
            }
            _ => return Ok(None),
        };
        Ok(Some(Attr::Sdy(Rc::new(attr))))
    }

    /// `<["x"=2], device_ids=[1, 0]>`
    fn mesh(&mut self, name: String) -> PResult<Mesh> {
        let at = self.at;
        let mut mesh = Mesh { name, ..Mesh::default() };
        self.expect(b'<', "before a mesh")?;
        self.expect(b'[', "before a mesh's axes")?;
        while !self.eat(b']') {
            let axis = self.string("an axis's name")?;
            self.expect(b'=', "after an axis's name")?;
            mesh.axes.push((axis, self.natural()?));
            self.comma_before(b']')?;
        }
        if self.eat(b',') {
            self.key("device_ids")?;
            self.expect(b'[', "before device ids")?;
            while !self.eat(b']') {
                let id = self.natural()?;
                mesh.device_ids.push(id);
                self.comma_before(b']')?;
            }
        }
        self.expect(b'>', "after a mesh")?;
        match mesh.problem() {
            Some(problem) => Err(self.error(at, problem)),
            None => Ok(mesh),
        }
    }

    /// `<@mesh, [{"x", ?}p1, {}], replicated={"y"}, unreduced=max{"z"}>`
    pub(crate) fn sharding(&mut self) -> PResult<Sharding> {
        self.expect(b'<', "before a sharding")?;
        let mesh = match self.tok {
            Tok::Symbol(name) => {
                self.advance();
                MeshRef::Named(unescape(name))
            }
            Tok::Word("mesh") => {
                self.advance();
                MeshRef::Inline(self.mesh(String::new())?)
            }
            _ => return Err(self.expected("a mesh")),
        };
        self.expect(b',', "after a sharding's mesh")?;
        let mut sharding = Sharding {
            mesh,
            dims: Vec::new(),
            replicated: Vec::new(),
            unreduced: Vec::new(),
            reduction: None,
        };
        self.expect(b'[', "before the shardings of dimensions")?;
        while !self.eat(b']') {
            sharding.dims.push(self.dim_sharding()?);
            self.comma_before(b']')?;
        }
        while self.eat(b',') {
            match self.tok {
                Tok::Word("replicated") => {
                    self.key("replicated")?;
                    sharding.replicated = self.axis_refs()?;
                }
                Tok::Word("unreduced") => {
                    self.key("unreduced")?;
                    for how in ["max", "min"] {
                        if self.tok == Tok::Word(how) {
                            self.advance();
                            sharding.reduction = Some(how);
                        }
                    }
                    sharding.unreduced = self.axis_refs()?;
                }
                _ => return Err(self.expected("'replicated' or 'unreduced'")),
            }
        }
        self.expect(b'>', "after a sharding")?;
        Ok(sharding)
    }

    /// `{"x", "y":(1)2, ?}p1`
    fn dim_sharding(&mut self) -> PResult<DimSharding> {
        let mut dim = DimSharding::default();
        self.expect(b'{', "before a dimension's axes")?;
        while !self.eat(b'}') {
            if self.eat(b'?') {
                dim.open = true;
            } else {
                dim.axes.push(self.axis_ref()?);
            }
            self.comma_before(b'}')?;
        }
        if let Tok::Word(word) = self.tok
            && let Some(digits) = word.strip_prefix('p')
            && let Ok(priority) = digits.parse()
        {
            self.advance();
            dim.priority = Some(priority);
        }
        Ok(dim)
    }

    fn axis_refs(&mut self) -> PResult<Vec<AxisRef>> {
        let mut out = Vec::new();
        self.expect(b'{', "before axes")?;
        while !self.eat(b'}') {
            out.push(self.axis_ref()?);
            self.comma_before(b'}')?;
        }
        Ok(out)
    }

    /// `"x"` or `"x":(1)2`
    fn axis_ref(&mut self) -> PResult<AxisRef> {
        let name = self.string("an axis's name")?;
        let part = if self.eat(b':') { Some(self.sub_axis()?) } else { None };
        Ok(AxisRef { name, part })
    }

    /// `(1)2`: the sizes before a part of an axis, and its size.
    pub(crate) fn sub_axis(&mut self) -> PResult<(usize, usize)> {
        self.expect(b'(', "before the sizes before a part of an axis")?;
        let before = self.natural()?;
        self.expect(b')', "after the sizes before a part of an axis")?;
        Ok((before, self.natural()?))
    }

    /// `[<@mesh, [...]>, ...]`
    pub(crate) fn shardings(&mut self) -> PResult<Vec<Sharding>> {
        let mut out = Vec::new();
        self.expect(b'[', "before shardings")?;
        while !self.eat(b']') {
            out.push(self.sharding()?);
            self.comma_before(b']')?;
        }
        Ok(out)
    }

    /// `{"x", "y"}`, maybe in angle brackets.
    pub(crate) fn axis_names(&mut self) -> PResult<Vec<String>> {
        let bracket = self.eat(b'<');
        let mut out = Vec::new();
        self.expect(b'{', "before axes")?;
        while !self.eat(b'}') {
            out.push(self.string("an axis's name")?);
            self.comma_before(b'}')?;
        }
        if bracket {
            self.expect(b'>', "after axes")?;
        }
        Ok(out)
    }

    /// `sdy.mesh @name = <["x"=2]> {attributes}`, after the operation's name.
    pub(crate) fn mesh_op(&mut self, node: &mut Node<'a>) -> PResult<()> {
        let Tok::Symbol(name) = self.tok else { return Err(self.expected("a mesh's name (@name)")) };
        self.advance();
        self.expect(b'=', "after a mesh's name")?;
        let mesh = self.mesh(unescape(name))?;
        node.attrs.push(("sym_name", Attr::Str(name)));
        node.attrs.push(("mesh", Attr::Sdy(Rc::new(Sdy::Mesh(mesh)))));
        if self.tok == Tok::Punct(b'{') {
            node.attrs.extend(self.dict()?);
        }
        Ok(())
    }

    fn string(&mut self, what: &str) -> PResult<String> {
        let Tok::Str(s) = self.tok else { return Err(self.expected(what)) };
        self.advance();
        Ok(unescape(s))
    }

    fn natural(&mut self) -> PResult<usize> {
        let Tok::Int(digits) = self.tok else { return Err(self.expected("a number")) };
        let n = digits.parse().map_err(|_| self.expected("a number below 2^64"))?;
        self.advance();
        Ok(n)
    }

    /// `word=`
    pub(crate) fn key(&mut self, word: &str) -> PResult<()> {
        if self.tok != Tok::Word(word) {
            return Err(self.expected(&format!("'{word}'")));
        }
        self.advance();
        self.expect(b'=', "after a key")
    }

    fn comma_before(&mut self, close: u8) -> PResult<()> {
        if self.tok == Tok::Punct(close) { Ok(()) } else { self.expect(b',', "between entries") }
    }
}
