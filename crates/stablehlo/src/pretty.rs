//! Pretty forms of operations, read into the same nodes as generic forms.
//!
//! Almost all of StableHLO's pretty forms are operands, words, `key = value` pairs and bracketed ranges
//! separated by commas, then types: one reader takes them all. Operations the IR lacks are read to their end.

mod forms;

use crate::lexer::Tok;
use crate::ops::Kind;
use crate::ops::expanded::Expanded;
use crate::parser::{PResult, Parser};
use crate::sharding::Sdy;
use crate::tree::{Arg, Attr, Loc, Node, Region, Sig, Types};
use std::rc::Rc;

impl<'a> Parser<'a> {
    /// `%a, %b, WORD, key = [..] x [..], [0:4:2] {attributes} : types`
    pub(crate) fn simple(&mut self, node: &mut Node<'a>) -> PResult<()> {
        let mut words = ["comparison_direction", "compare_type"].into_iter();
        let brackets = matches!(node.kind, Some(Kind::Call | Kind::CustomCall | Kind::TopK));
        loop {
            match self.tok {
                Tok::Value(_) if node.operands.is_empty() => node.operands = self.operands()?,
                Tok::Value(_) => {
                    let operand = self.operand()?;
                    node.operands.push(operand);
                }
                Tok::Word("loc") => return Ok(()),
                Tok::Word("dense" | "dense_resource") => {
                    let value = self.attr(false)?;
                    node.attrs.push(("value", value));
                }
                Tok::Word(word) => {
                    self.advance();
                    if self.eat(b'=') {
                        let value = self.pair_or_attr()?;
                        node.attrs.push((word, value));
                    } else {
                        let Some(key) = words.next() else { return Err(self.expected("'='")) };
                        node.attrs.push((key, Attr::Word(word)));
                    }
                }
                Tok::Str(s) if node.kind == Some(Kind::Composite) => {
                    self.advance();
                    node.attrs.push(("name", Attr::Str(s)));
                }
                Tok::Symbol(s) if node.kind == Some(Kind::CustomCall) => {
                    self.advance();
                    node.attrs.push(("call_target_name", Attr::Str(s)));
                }
                Tok::Symbol(s) if node.kind == Some(Kind::Call) => {
                    self.advance();
                    node.attrs.push(("callee", Attr::Symbol(s)));
                }
                Tok::Punct(b'(' | b')') if brackets => self.advance(),
                Tok::Punct(b'[') if node.kind == Some(Kind::Slice) => self.ranges(node)?,
                Tok::Punct(b'[') if node.kind == Some(Kind::Expanded(Expanded::GetTupleElement)) => {
                    self.element_index(node)?;
                }
                Tok::Punct(b'(') if node.kind == Some(Kind::Composite) => self.bracketed_regions(node)?,
                // stablehlo.optimization_barrier () of nothing
                Tok::Punct(b'(') if node.kind == Some(Kind::Identity) && node.operands.is_empty() => {
                    self.advance();
                    node.sig = Sig::Results(Vec::new().into());
                    return self.expect(b')', "after '('");
                }
                Tok::Punct(b'{') => node.attrs.extend(self.dict()?),
                // sdy.sharding_constraint %0 <@mesh, [...]>
                Tok::Punct(b'<') if node.kind == Some(Kind::Identity) => {
                    let sharding = Sdy::Sharding(self.sharding()?);
                    node.attrs.push(("sharding", Attr::Sdy(Rc::new(sharding))));
                }
                Tok::Punct(b',') => self.advance(),
                Tok::Punct(b':') => {
                    self.advance();
                    node.sig = self.signature()?;
                    return Ok(());
                }
                _ if node.kind == Some(Kind::Return) => return Ok(()),
                _ => return Err(self.expected(&format!("operands, attributes or ':' of {}", node.name))),
            }
        }
    }

    fn pair_or_attr(&mut self) -> PResult<Attr<'a>> {
        let first = self.attr(false)?;
        if self.tok != Tok::Word("x") {
            return Ok(first);
        }
        self.advance();
        match (first, self.attr(false)?) {
            (Attr::Ints(a), Attr::Ints(b)) => Ok(Attr::Pair(a, b)),
            _ => Err(self.expected("two lists of dimensions")),
        }
    }

    /// `[0:4, 0:32:2]`
    fn ranges(&mut self, node: &mut Node<'a>) -> PResult<()> {
        self.advance();
        let (mut starts, mut limits, mut strides) = (Vec::new(), Vec::new(), Vec::new());
        let number = |p: &mut Self| -> PResult<i64> {
            let Tok::Int(s) = p.tok else { return Err(p.expected("a number in a range start:limit:stride")) };
            let n = s.parse().map_err(|_| p.expected("a number below 2^63"))?;
            p.advance();
            Ok(n)
        };
        while !self.eat(b']') {
            starts.push(number(self)?);
            self.expect(b':', "in a range")?;
            limits.push(number(self)?);
            strides.push(if self.eat(b':') { number(self)? } else { 1 });
            if self.tok != Tok::Punct(b']') {
                self.expect(b',', "between ranges")?;
            }
        }
        for (key, ints) in [("start_indices", starts), ("limit_indices", limits), ("strides", strides)] {
            node.attrs.push((key, Attr::Ints(ints)));
        }
        Ok(())
    }

    /// `(%x init: %c), (%y init: %d) [applies NAME] across dimensions = [1] {attributes} : types`, then
    /// `reducer(%a: T, %b: T) (...) { operations }` when nothing was applied.
    pub(crate) fn reduce(&mut self, node: &mut Node<'a>) -> PResult<()> {
        let mut inits = Vec::new();
        loop {
            self.expect(b'(', "before a reduced operand")?;
            let operand = self.operand()?;
            node.operands.push(operand);
            self.word("init")?;
            self.expect(b':', "after 'init'")?;
            inits.push(self.operand()?);
            self.expect(b')', "after an initial value")?;
            if !self.eat(b',') {
                break;
            }
        }
        node.operands.append(&mut inits);
        if self.tok == Tok::Word("applies") {
            self.advance();
            let Tok::Word(op) = self.tok else { return Err(self.expected("the operation applied")) };
            node.attrs.push(("applies", Attr::Word(op)));
            self.advance();
        }
        self.word("across")?;
        self.word("dimensions")?;
        self.expect(b'=', "after 'dimensions'")?;
        let dims = self.attr(false)?;
        node.attrs.push(("dimensions", dims));
        if self.tok == Tok::Punct(b'{') {
            node.attrs.extend(self.dict()?);
        }
        self.expect(b':', "before an operation's types")?;
        node.sig = self.signature()?;
        if self.tok == Tok::Word("reducer") {
            self.advance();
            let mark = self.mark();
            // One pair of arguments per operand; a block lists accumulators, then elements.
            let (mut args, mut elements) = (Vec::new(), Vec::new());
            while self.tok == Tok::Punct(b'(') {
                let pair = self.region_args()?;
                for (i, arg) in pair.into_iter().enumerate() {
                    if i == 0 { args.push(arg) } else { elements.push(arg) }
                }
            }
            args.append(&mut elements);
            node.regions.push(self.region_with(args, mark)?);
        }
        Ok(())
    }

    /// `(%a = %x, %b = %y) : types [attributes {...}] cond { operations } do { operations }`
    pub(crate) fn while_loop(&mut self, node: &mut Node<'a>) -> PResult<()> {
        self.expect(b'(', "before a loop's values")?;
        let mut names = Vec::new();
        while !self.eat(b')') {
            let Tok::Value(name) = self.tok else {
                return Err(self.expected("a value of the loop such as %i"));
            };
            names.push((name, self.at));
            self.advance();
            self.expect(b'=', "after a value of the loop")?;
            node.operands.push(self.operand()?);
            if self.tok != Tok::Punct(b')') {
                self.expect(b',', "between a loop's values")?;
            }
        }
        self.expect(b':', "before a loop's types")?;
        node.sig = self.signature()?;
        if self.tok == Tok::Word("attributes") {
            self.advance();
            node.attrs.extend(self.dict()?);
        }
        let types = if let Sig::List(types) = &node.sig { types.clone() } else { Types::default() };
        if types.len() != names.len() {
            let (n, m) = (names.len(), types.len());
            return Err(self.error(node.at, format!("stablehlo.while has {n} value(s) but {m} type(s)")));
        }
        for word in ["cond", "do"] {
            self.word(word)?;
            let mark = self.mark();
            let args = names.iter().zip(types.iter()).map(|(&(name, at), ty)| {
                let slot = self.define(name, 1, at);
                Arg { slot, name, ty: ty.clone(), loc: Loc::None, info: None, constant: None }
            });
            let args = args.collect();
            node.regions.push(self.region_with(args, mark)?);
        }
        Ok(())
    }

    pub(super) fn word(&mut self, word: &str) -> PResult<()> {
        if self.tok != Tok::Word(word) {
            return Err(self.expected(&format!("'{word}'")));
        }
        self.advance();
        Ok(())
    }

    /// `(%a, %b) dim_numbers = [..]x[..]->[..], window = {stride = ..} {attributes} : types`
    pub(crate) fn convolution(&mut self, node: &mut Node<'a>) -> PResult<()> {
        self.expect(b'(', "before operands")?;
        node.operands = self.operands()?;
        self.expect(b')', "after operands")?;
        self.word("dim_numbers")?;
        self.expect(b'=', "after 'dim_numbers'")?;
        let at = self.at;
        self.skip_balanced()?;
        self.word("x")?;
        self.skip_balanced()?;
        self.expect_arrow("in dimension numbers")?;
        self.skip_balanced()?;
        node.attrs.push(("dimension_numbers", Attr::Raw(self.text_from(at))));
        self.expect(b',', "after dimension numbers")?;
        self.word("window")?;
        self.expect(b'=', "after 'window'")?;
        self.expect(b'{', "before a window")?;
        while !self.eat(b'}') {
            let Tok::Word(key) = self.tok else { return Err(self.expected("a window's attribute")) };
            self.advance();
            self.expect(b'=', "after a window's attribute")?;
            let value = self.attr(false)?;
            node.attrs.push((key, value));
            if self.tok != Tok::Punct(b'}') {
                self.expect(b',', "between a window's attributes")?;
            }
        }
        if self.tok == Tok::Punct(b'{') {
            node.attrs.extend(self.dict()?);
        }
        self.expect(b':', "before an operation's types")?;
        node.sig = self.signature()?;
        Ok(())
    }

    /// An operation whose form is not known, up to where the next one begins: a line that starts with a
    /// result, a dotted or quoted name, a return or call, or a closing brace. Braces that hold operations are read as
    /// regions, for the census.
    pub(crate) fn opaque(&mut self, node: &mut Node<'a>) -> PResult<()> {
        self.enter()?;
        let mut open: Vec<(u8, usize)> = Vec::new();
        loop {
            if self.tok == Tok::Eof {
                let Some(&(_, at)) = open.first() else { break };
                return Err(self.error(at, "this bracket is never closed: the text is cut off"));
            }
            if let Tok::Bad(_) = self.tok {
                return Err(self.expected("a token"));
            }
            if open.is_empty() && self.at_next_op() {
                break;
            }
            match self.tok {
                Tok::Punct(c @ (b'(' | b'[' | b'<')) => open.push((c, self.at)),
                Tok::Punct(c @ (b')' | b']' | b'>')) => {
                    let matching = matches!(
                        (open.last(), c),
                        (Some((b'(', _)), b')') | (Some((b'[', _)), b']') | (Some((b'<', _)), b'>')
                    );
                    if !matching {
                        return Err(self.expected("matching brackets"));
                    }
                    open.pop();
                }
                Tok::Punct(b'{') => {
                    self.braces(node)?;
                    continue;
                }
                Tok::Punct(b'}') => return Err(self.expected("matching brackets")),
                Tok::Word("loc") if open.is_empty() && self.lex.byte(self.lex.pos) == b'(' => break,
                _ => {}
            }
            self.advance();
        }
        node.sig = Sig::None;
        self.leave();
        Ok(())
    }

    fn at_next_op(&self) -> bool {
        match self.tok {
            Tok::Punct(b'}') | Tok::Block(_) => true,
            Tok::Value(_) | Tok::Str(_) => self.newline,
            Tok::Word(w) => self.newline && (w.contains('.') || matches!(w, "return" | "call")),
            _ => false,
        }
    }

    /// A brace inside an operation that is not known: a region when operations follow, else attributes.
    fn braces(&mut self, node: &mut Node<'a>) -> PResult<()> {
        let (lex, tok, at) = (self.lex.clone(), self.tok, self.at);
        self.advance();
        let region = match self.tok {
            Tok::Value(_) | Tok::Block(_) => true,
            Tok::Word(w) => self.newline && w.contains('.'),
            Tok::Str(_) => self.newline,
            _ => false,
        };
        (self.lex, self.tok, self.at) = (lex, tok, at);
        if !region {
            return self.skip_balanced();
        }
        let outer = std::mem::replace(&mut self.lenient, true);
        let region: Region<'a> = self.region()?;
        self.lenient = outer;
        node.regions.push(region);
        Ok(())
    }
}
