//! From text to the syntax tree: tokens, names, regions, generic forms of operations.
//!
//! One pass over the bytes with one token of lookahead. Value names are resolved to slots here. Brackets and
//! regions nest at most [`MAX_DEPTH`] deep. A syntax error ends parsing; an undefined or repeated name is
//! recorded and parsing goes on.

mod module;
mod names;
mod resources;
mod sigs;
mod stream;

use crate::lexer::{Lexer, Lines, Tok, clip};
use crate::names::Interner;
use crate::ops::expanded::Expanded;
use crate::ops::{Form, Kind, form_of, kind_of};
use crate::tree::{Arg, Attr, Dict, Loc, NO_SLOT, Node, Places, Processes, Region, Sig, Tree, Use};
use names::Binding;
use pullback_base::Diagnostic;
use std::collections::BTreeMap;
use std::rc::Rc;
pub(crate) use stream::{Bodies, Next, Outline, Skipped};

/// How deep brackets, attributes and regions may nest.
pub(crate) const MAX_DEPTH: u32 = 200;
/// How many results one operation may have.
const MAX_RESULTS: u32 = 4096;

/// A syntax error ends parsing.
pub(crate) type PResult<T> = Result<T, Box<Diagnostic>>;

/// Parser state.
pub(crate) struct Parser<'a> {
    pub(crate) lex: Lexer<'a>,
    lines: Rc<Lines<'a>>,
    pub(crate) tok: Tok<'a>,
    /// Offset of the current token.
    pub(crate) at: usize,
    /// Whether a line ended before the current token.
    pub(crate) newline: bool,
    /// End of the last token consumed.
    prev_end: usize,
    depth: u32,
    names: Interner<'a>,
    bindings: Vec<Binding>,
    /// Those of names that are numbers, as most are; numbers are less than `most_numbered`.
    numbered: Vec<Binding>,
    most_numbered: usize,
    /// Bindings to restore when a region ends.
    undo: Vec<(usize, Binding)>,
    /// How many regions are open.
    regions: u32,
    func: u32,
    slot_names: Vec<&'a str>,
    /// How many slots of the function come before those in `slot_names`.
    slots_before: u32,
    /// Where bodies of functions are not read but skipped: what was seen of them.
    skipped: Option<Vec<Option<Skipped<'a>>>>,
    /// Inside a region of an operation whose header is not read: names may be unknown.
    pub(crate) lenient: bool,
    alias_names: Interner<'a>,
    pub(crate) aliases: Vec<Loc<'a>>,
    pub(crate) sharding_at: Option<usize>,
    diags: Vec<Diagnostic>,
    /// Large constants at the end of the text, once one was asked for.
    resources: Option<BTreeMap<&'a str, (&'a str, usize)>>,
    /// Memory for the names of an operation's results.
    result_names: Vec<(&'a str, u32, usize)>,
    /// Memory for an operation's operands.
    scratch: Vec<Use<'a>>,
    /// The dictionary of attributes read last, and those of a function's arguments by slot.
    last_dict: Dict<'a>,
    arg_dicts: Vec<(u32, Dict<'a>)>,
    /// Texts of signatures, and what they were read as where that is all there is to say.
    sig_texts: Interner<'a>,
    sigs: Vec<Option<Sig<'a>>>,
}

/// Parses a module, or functions without one.
pub(crate) fn parse(src: &str) -> Result<Tree<'_>, Vec<Diagnostic>> {
    let lines = Rc::new(Lines::new(src));
    let mut p = Parser::new(src, lines.clone());
    p.tree(lines)
}

// Tokens.
impl<'a> Parser<'a> {
    /// Before the first token.
    pub(crate) fn new(src: &'a str, lines: Rc<Lines<'a>>) -> Self {
        Parser {
            lex: Lexer::new(src),
            lines,
            tok: Tok::Eof,
            at: 0,
            newline: true,
            prev_end: 0,
            depth: 0,
            names: Interner::new(),
            bindings: Vec::new(),
            numbered: Vec::new(),
            // A program defines no more than that in so many bytes, unless it skips numbers.
            most_numbered: src.len() / 16,
            undo: Vec::new(),
            regions: 0,
            func: 0,
            slot_names: Vec::new(),
            slots_before: 0,
            skipped: None,
            lenient: false,
            alias_names: Interner::new(),
            aliases: Vec::new(),
            sharding_at: None,
            diags: Vec::new(),
            resources: None,
            result_names: Vec::new(),
            scratch: Vec::new(),
            sig_texts: Interner::new(),
            sigs: Vec::new(),
            last_dict: Vec::new(),
            arg_dicts: Vec::new(),
        }
    }

    /// The whole text.
    fn tree(&mut self, lines: Rc<Lines<'a>>) -> Result<Tree<'a>, Vec<Diagnostic>> {
        let mut tree = Tree {
            places: Places::Text(lines),
            name: None,
            funcs: Vec::new(),
            others: Vec::new(),
            aliases: Vec::new(),
            sharding_at: None,
            processes: Processes::default(),
            meshes: Vec::new(),
        };
        self.advance();
        if let Err(e) = self.file(&mut tree) {
            self.diags.push(*e);
        }
        if !self.diags.is_empty() {
            return Err(std::mem::take(&mut self.diags));
        }
        tree.aliases = std::mem::take(&mut self.aliases);
        tree.sharding_at = self.sharding_at;
        Ok(tree)
    }

    pub(crate) fn advance(&mut self) {
        self.prev_end = self.lex.pos;
        (self.tok, self.at, self.newline) = self.lex.next();
    }

    /// Makes the token at byte `pos` the current one.
    pub(crate) fn seek(&mut self, pos: usize) {
        self.lex.pos = pos;
        self.advance();
    }

    pub(crate) fn eat(&mut self, c: u8) -> bool {
        let yes = self.tok == Tok::Punct(c);
        if yes {
            self.advance();
        }
        yes
    }

    pub(crate) fn expect(&mut self, c: u8, place: &str) -> PResult<()> {
        if self.eat(c) { Ok(()) } else { Err(self.expected(&format!("'{}' {place}", char::from(c)))) }
    }

    pub(crate) fn expect_arrow(&mut self, place: &str) -> PResult<()> {
        if self.tok != Tok::Arrow {
            return Err(self.expected(&format!("'->' {place}")));
        }
        self.advance();
        Ok(())
    }

    /// The text from an offset to the end of the last token consumed.
    pub(crate) fn text_from(&self, at: usize) -> &'a str {
        self.lex.src.get(at..self.prev_end).unwrap_or("")
    }

    #[cold]
    pub(crate) fn error(&self, at: usize, message: impl Into<String>) -> Box<Diagnostic> {
        Box::new(Diagnostic::error(self.lines.pos(at), clip(message.into())))
    }

    #[cold]
    pub(crate) fn expected(&self, what: &str) -> Box<Diagnostic> {
        let mut e = self.error(self.at, format!("expected {what}, found {}", self.tok.describe()));
        if self.tok == Tok::Eof {
            e.help = Some("the file ends early: was it cut off while being written or copied?".to_owned());
        }
        e
    }

    pub(crate) fn enter(&mut self) -> PResult<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error(self.at, format!("nested deeper than {MAX_DEPTH} levels")));
        }
        Ok(())
    }

    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Skips from an opening bracket to after its closing one.
    pub(crate) fn skip_balanced(&mut self) -> PResult<()> {
        let open_at = self.at;
        let mut open: Vec<u8> = Vec::new();
        loop {
            match self.tok {
                Tok::Punct(c @ (b'(' | b'[' | b'{' | b'<')) => open.push(c),
                Tok::Punct(c @ (b')' | b']' | b'}' | b'>')) => {
                    let want = match open.pop() {
                        Some(b'(') => b')',
                        Some(b'[') => b']',
                        Some(b'{') => b'}',
                        _ => b'>',
                    };
                    if c != want {
                        return Err(self.expected(&format!("'{}'", char::from(want))));
                    }
                    if open.is_empty() {
                        self.advance();
                        return Ok(());
                    }
                }
                Tok::Eof => {
                    return Err(self.error(open_at, "this bracket is never closed: the text is cut off"));
                }
                Tok::Bad(_) => return Err(self.expected("a token")),
                _ if open.is_empty() => return Err(self.expected("an opening bracket")),
                _ => {}
            }
            self.advance();
        }
    }
}

// Regions.
impl<'a> Parser<'a> {
    /// `%a: type {attributes} loc(...), ...` up to and including the closing bracket.
    fn args(&mut self, close: u8) -> PResult<Vec<Arg<'a>>> {
        let mut args = Vec::new();
        if self.eat(close) {
            return Ok(args);
        }
        loop {
            let at = self.at;
            // A declaration lists types only.
            let name = match self.tok {
                Tok::Value(name) => {
                    self.advance();
                    self.expect(b':', "after an argument's name")?;
                    name
                }
                _ => "",
            };
            let ty = self.ty()?;
            let [info, constant] = self.infos(["jax.arg_info", "jax.global_constant"])?;
            let loc = self.trailing_loc()?;
            let slot = if name.is_empty() { NO_SLOT } else { self.define(name, 1, at) };
            let dict = std::mem::take(&mut self.last_dict);
            if !dict.is_empty() {
                self.arg_dicts.push((slot, dict));
            }
            args.push(Arg { slot, name, ty, loc, info, constant });
            if self.eat(close) {
                return Ok(args);
            }
            self.expect(b',', "between arguments")?;
        }
    }

    /// An attribute dictionary if one follows; the texts it has for `keys`.
    fn infos<const N: usize>(&mut self, keys: [&str; N]) -> PResult<[Option<&'a str>; N]> {
        if self.tok != Tok::Punct(b'{') {
            return Ok([None; N]);
        }
        let dict = self.dict()?;
        let texts = keys.map(|key| {
            dict.iter().find_map(|(k, v)| match v {
                Attr::Str(s) if *k == key => Some(*s),
                _ => None,
            })
        });
        self.last_dict = dict;
        Ok(texts)
    }

    /// `{ [^bb0(args):] operations }`
    pub(crate) fn region(&mut self) -> PResult<Region<'a>> {
        self.enter()?;
        self.expect(b'{', "before a region")?;
        let mark = self.mark();
        let mut region = Region::default();
        if let Tok::Block(_) = self.tok {
            self.advance();
            if self.eat(b'(') {
                region.args = self.args(b')')?;
            }
            self.expect(b':', "after a block's label")?;
        }
        self.region_body(&mut region, mark)?;
        Ok(region)
    }

    /// The rest of a region whose arguments (defined since `mark`) were read elsewhere: `{ operations }`.
    pub(crate) fn region_with(&mut self, args: Vec<Arg<'a>>, mark: usize) -> PResult<Region<'a>> {
        self.enter()?;
        self.expect(b'{', "before a region")?;
        let mut region = Region { args, nodes: Vec::new() };
        self.region_body(&mut region, mark)?;
        Ok(region)
    }

    /// Operations up to the closing brace; names defined since `mark` end there.
    pub(crate) fn region_body(&mut self, region: &mut Region<'a>, mark: usize) -> PResult<()> {
        while !self.eat(b'}') {
            if let Tok::Block(_) = self.tok {
                return Err(Box::new(
                    Diagnostic::unsupported(
                        self.lines.pos(self.at),
                        "control flow between blocks: a region may have one block",
                    )
                    .with_help("export with structured control flow only, as JAX does"),
                ));
            }
            region.nodes.push(self.node()?);
        }
        while self.undo.len() > mark {
            if let Some((id, old)) = self.undo.pop() {
                *self.binding(id) = old;
            }
        }
        self.regions -= 1;
        self.leave();
        Ok(())
    }

    /// Before the regions of an operation: where they are isolated, names from outside are not seen there, and may
    /// be used again.
    pub(crate) fn isolate(&mut self, node: &Node<'a>) {
        // What regions in regions define is undone at their end, so that no binding of this number is left.
        let n = u32::from(node.kind == Some(Kind::Expanded(Expanded::Scan)));
        (self.func, self.regions) = (self.func + n, self.regions + n);
    }

    /// After the regions.
    pub(crate) fn join(&mut self, node: &Node<'a>) {
        let n = u32::from(node.kind == Some(Kind::Expanded(Expanded::Scan)));
        (self.func, self.regions) = (self.func - n, self.regions - n);
    }

    /// Opens a region: where names defined from now on begin, for [`Self::region_with`].
    pub(crate) fn mark(&mut self) -> usize {
        self.regions += 1;
        self.undo.len()
    }

    /// Arguments in brackets, for the pretty form of reduce.
    pub(crate) fn region_args(&mut self) -> PResult<Vec<Arg<'a>>> {
        self.expect(b'(', "before a region's arguments")?;
        self.args(b')')
    }
}

// Operations.
impl<'a> Parser<'a> {
    /// `%a, %b:2 =`: names with their number of results and place; gives the sum of the numbers.
    fn result_names(&mut self, names: &mut Vec<(&'a str, u32, usize)>) -> PResult<u32> {
        let mut total = 0u32;
        while let Tok::Value(name) = self.tok {
            let at = self.at;
            self.advance();
            let mut count = 1;
            if self.eat(b':') {
                let Tok::Int(n) = self.tok else { return Err(self.expected("a number of results")) };
                count = n.parse::<u32>().unwrap_or(u32::MAX);
                self.advance();
            }
            total = total.saturating_add(count);
            if total > MAX_RESULTS || count == 0 {
                return Err(self.error(at, format!("an operation has 1 to {MAX_RESULTS} results")));
            }
            names.push((name, count, at));
            if !self.eat(b',') {
                break;
            }
        }
        if !names.is_empty() {
            self.expect(b'=', "after an operation's results")?;
        }
        Ok(total)
    }

    /// An operation with its results.
    pub(crate) fn node(&mut self) -> PResult<Node<'a>> {
        let mut names = std::mem::take(&mut self.result_names);
        let total = self.result_names(&mut names)?;
        let (name, quoted) = match self.tok {
            Tok::Word("return") => ("func.return", false),
            Tok::Word("call") => ("func.call", false),
            Tok::Word(w) if w.contains('.') => (w, false),
            Tok::Str(s) => (s, true),
            _ => return Err(self.expected("an operation")),
        };
        let kind = kind_of(name);
        let mut node = Node {
            name,
            kind,
            at: self.at,
            first_result: 0,
            n_results: total,
            operands: Vec::new(),
            attrs: Vec::new(),
            regions: Vec::new(),
            sig: Sig::None,
            loc: Loc::None,
        };
        self.advance();
        let begin = self.at;
        if quoted {
            self.generic(&mut node)?;
        } else {
            match form_of(kind) {
                Form::Simple => self.simple(&mut node)?,
                Form::Reduce => self.reduce(&mut node)?,
                Form::Convolution => self.convolution(&mut node)?,
                Form::While => self.while_loop(&mut node)?,
                Form::Manual => self.manual(&mut node)?,
                Form::Mesh => self.mesh_op(&mut node)?,
                Form::Scan => self.scan(&mut node)?,
                Form::Opaque => self.opaque(&mut node)?,
            }
        }
        node.loc = self.trailing_loc()?;
        node.attrs.shrink_to_fit();
        if total as usize > self.prev_end.saturating_sub(begin) {
            return Err(self.error(node.at, format!("{total} results, but not as many types")));
        }
        node.first_result = self.next_slot();
        for (name, count, at) in names.drain(..) {
            self.define(name, count, at);
        }
        self.result_names = names;
        if kind == Some(Kind::Return) && total > 0 {
            return Err(self.error(node.at, "a return has no results"));
        }
        Ok(node)
    }

    /// `"name"(%a, %b) <{properties}> ({regions}) {attributes} : types`, after the name.
    fn generic(&mut self, node: &mut Node<'a>) -> PResult<()> {
        self.expect(b'(', "after a quoted operation")?;
        node.operands = self.operands()?;
        self.expect(b')', "after operands")?;
        if self.tok == Tok::Punct(b'[') {
            self.skip_balanced()?;
        }
        if self.eat(b'<') {
            node.attrs = self.dict()?;
            self.expect(b'>', "after properties")?;
        }
        if self.eat(b'(') {
            self.isolate(node);
            loop {
                node.regions.push(self.region()?);
                if self.eat(b')') {
                    break;
                }
                self.expect(b',', "between regions")?;
            }
            self.join(node);
        }
        if self.tok == Tok::Punct(b'{') {
            node.attrs.extend(self.dict()?);
        }
        self.expect(b':', "before an operation's types")?;
        node.sig = self.signature()?;
        if !matches!(node.sig, Sig::Fn(..)) {
            return Err(self.expected("'->' and result types"));
        }
        Ok(())
    }
}
