//! Pretty forms that stand alone: an element of a tuple, regions of a composite, a scan.

use crate::lexer::Tok;
use crate::parser::{PResult, Parser};
use crate::sharding::Sdy;
use crate::tree::{Attr, Node};
use std::rc::Rc;

impl<'a> Parser<'a> {
    /// `[2]`, of `get_tuple_element %t[2]`.
    pub(super) fn element_index(&mut self, node: &mut Node<'a>) -> PResult<()> {
        self.expect(b'[', "before an element's number")?;
        let Tok::Int(digits) = self.tok else { return Err(self.expected("the number of an element")) };
        let n = digits.parse().map_err(|_| self.expected("a number below 2^63"))?;
        self.advance();
        node.attrs.push(("index", Attr::Int(n)));
        self.expect(b']', "after an element's number")
    }

    /// `({...}, {...})`, of a composite.
    pub(super) fn bracketed_regions(&mut self, node: &mut Node<'a>) -> PResult<()> {
        self.expect(b'(', "before regions")?;
        while !self.eat(b')') {
            node.regions.push(self.region()?);
            if self.tok != Tok::Punct(b')') {
                self.expect(b',', "between regions")?;
            }
        }
        Ok(())
    }

    /// `[<"name">](%x) in_shardings=[...] out_shardings=[...] manual_axes={...} (%a: T) { operations } {...} : types`
    pub(crate) fn manual(&mut self, node: &mut Node<'a>) -> PResult<()> {
        if self.tok == Tok::Punct(b'<') {
            self.skip_balanced()?;
        }
        self.expect(b'(', "before operands")?;
        node.operands = self.operands()?;
        self.expect(b')', "after operands")?;
        while let Tok::Word(key) = self.tok {
            self.key(key)?;
            let value = match key {
                "in_shardings" | "out_shardings" => Sdy::Shardings(self.shardings()?),
                "manual_axes" => Sdy::Axes(self.axis_names()?),
                _ => return Err(self.expected("in_shardings, out_shardings or manual_axes")),
            };
            node.attrs.push((key, Attr::Sdy(Rc::new(value))));
        }
        let mark = self.mark();
        let args = self.region_args()?;
        node.regions.push(self.region_with(args, mark)?);
        if self.tok == Tok::Punct(b'{') {
            node.attrs.extend(self.dict()?);
        }
        self.expect(b':', "before an operation's types")?;
        node.sig = self.signature()?;
        Ok(())
    }

    /// `(%x, %y) inits (%c) dimension=0 [attributes {...}] { operations } : types`
    pub(crate) fn scan(&mut self, node: &mut Node<'a>) -> PResult<()> {
        self.expect(b'(', "before a scan's inputs")?;
        node.operands = self.operands()?;
        self.expect(b')', "after a scan's inputs")?;
        let inputs = node.operands.len();
        self.word("inits")?;
        self.expect(b'(', "before initial values")?;
        let mut inits = self.operands()?;
        self.expect(b')', "after initial values")?;
        let segments = vec![inputs as i64, inits.len() as i64];
        node.operands.append(&mut inits);
        node.attrs.push(("operandSegmentSizes", Attr::Ints(segments)));
        self.word("dimension")?;
        self.expect(b'=', "after 'dimension'")?;
        let dimension = self.attr(false)?;
        node.attrs.push(("dimension", dimension));
        if self.tok == Tok::Word("attributes") {
            self.advance();
            node.attrs.extend(self.dict()?);
        }
        self.isolate(node);
        node.regions.push(self.region()?);
        self.join(node);
        self.expect(b':', "before an operation's types")?;
        node.sig = self.signature()?;
        Ok(())
    }
}
