//! Shapes for the arguments of a module that leaves them open.
//!
//! They come from the person: sizes of symbols, shapes of arguments, or shapes of the tensors that will be the
//! arguments. A file of `jax.export` says how each size depends on symbols; those are solved as JAX solves them, and
//! every size given is held against what it has to be. Nothing is guessed: a size that does not follow is asked for.

use crate::container::{Aval, Exported};
use crate::lexer::{unescape, unescape_name};
use crate::ops::Kind;
use crate::symbolic::{Env, Expr};
use crate::tree::{Arg, Attr, Func, Node, Tree, Ty, clean_arg_name};
use crate::types::show;
use pullback_base::{Diagnostic, Pos, Severity};
use pullback_ir::{Composite, DType, Literal, TensorType};
use std::collections::{BTreeMap, BTreeSet};

/// What a module is imported for. The default leaves nothing out and gives no shapes, which is enough for a
/// module whose shapes are all known.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ImportOptions {
    /// The public function that the shapes are for; `None`: `main`, or the only one whose shapes are open.
    /// Other functions with open shapes are left out.
    pub function: Option<String>,
    /// Sizes of the symbols that a file of `jax.export` writes shapes with.
    pub symbols: BTreeMap<String, usize>,
    /// Shapes of arguments by `arg0`, `arg1`, … or by name.
    pub shapes: BTreeMap<String, Vec<usize>>,
    /// Shapes of tensors that will be arguments, by position. Arguments whose shape is known take no notice.
    pub tensors: BTreeMap<usize, Vec<usize>>,
    /// The platform, for a module exported for several; `None`: cpu.
    pub platform: Option<String>,
    /// Composites that stand for calls of targets that are not known otherwise, by target.
    pub operators: BTreeMap<String, Composite>,
    /// Values are named by their place in the file, see [`crate::place_of`], and arguments by their function's: for messages
    /// about a program that was imported with its own names before.
    pub positions: bool,
}

impl ImportOptions {
    /// Whether they are the same as none for functions whose shapes are known.
    pub(crate) fn gives_nothing(&self) -> bool {
        self.symbols.is_empty() && self.shapes.is_empty() && self.platform.is_none()
    }
}

/// What stands for an argument of a function.
#[derive(Clone, Debug)]
pub(crate) enum Given {
    /// Its type is as written.
    AsWritten,
    /// Its open type is this.
    Type(TensorType),
    /// It is no argument of the program: its value is known.
    Constant(Literal),
}

/// How the functions of a module are specialized.
#[derive(Debug, Default)]
pub(crate) struct Specialization {
    /// What stands for the arguments, by function.
    pub(crate) given: BTreeMap<usize, Vec<Given>>,
    /// Public functions that are not lowered.
    pub(crate) left_out: BTreeSet<usize>,
    pub(crate) notes: Vec<Diagnostic>,
    /// Composites that stand for calls.
    pub(crate) operators: BTreeMap<String, Composite>,
    /// Values are named by their places.
    pub(crate) positions: bool,
}

/// What JAX calls the argument that says which platform a module runs on.
pub(crate) const PLATFORM: &str = "_platform_index";
/// The name of the exported function where the public one only works out its symbols.
pub(crate) const WRAPPED: &str = "_wrapped_jax_export_main";

pub(crate) fn is_platform(arg: &Arg<'_>) -> bool {
    arg.constant == Some(PLATFORM)
}

/// Names of the functions that custom calls name as their bodies: JAX leaves them public, and nobody calls them.
pub(crate) fn bodies<'a>(tree: &Tree<'a>) -> BTreeSet<&'a str> {
    fn walk<'a>(nodes: &[Node<'a>], out: &mut BTreeSet<&'a str>) {
        for node in nodes {
            if node.kind == Some(Kind::CustomCall)
                && let Some(Attr::List(names)) = node.attr(&["called_computations"])
            {
                out.extend(names.iter().filter_map(|n| match n {
                    Attr::Symbol(s) | Attr::Str(s) => Some(*s),
                    _ => None,
                }));
            }
            node.regions.iter().for_each(|r| walk(&r.nodes, out));
        }
    }
    let mut out = BTreeSet::new();
    for func in &tree.funcs {
        walk(func.body.as_deref().unwrap_or(&[]), &mut out);
    }
    out
}

/// Whether a function needs shapes or a platform.
pub(crate) fn is_open(func: &Func<'_>) -> bool {
    func.args.iter().any(|a| matches!(a.ty, Ty::Open(_)) || is_platform(a))
}

/// Names of a function's arguments: the location's, else `jax.arg_info`, else that of the exported function it is
/// handed to, else the SSA name; made unique.
pub(crate) fn arg_names(tree: &Tree<'_>, func: &Func<'_>) -> Vec<String> {
    let given = |arg: &Arg<'_>| {
        let text = tree.loc_name(arg.loc).or(arg.info).map(|s| clean_arg_name(&unescape_name(s)));
        text.filter(|s| !s.is_empty())
    };
    let call = (func.body.iter().flatten())
        .find(|n| n.kind == Some(Kind::Call) && n.callee().is_some_and(|c| c.starts_with(WRAPPED)));
    let inner = call.and_then(|n| tree.funcs.iter().find(|f| Some(f.name) == n.callee()));
    let places: BTreeMap<u32, usize> =
        call.map_or(&[][..], |n| &n.operands).iter().enumerate().rev().map(|(k, u)| (u.slot, k)).collect();
    let handed = |arg: &Arg<'_>| given(inner?.args.get(*places.get(&arg.slot)?)?);
    let (mut taken, mut next) = (BTreeSet::new(), BTreeMap::new());
    let mut names = Vec::with_capacity(func.args.len());
    for (i, arg) in func.args.iter().enumerate() {
        let own = || if arg.name.is_empty() { format!("arg{i}") } else { arg.name.to_owned() };
        let base = given(arg).or_else(|| handed(arg)).unwrap_or_else(own);
        let mut name = base.clone();
        while !taken.insert(name.clone()) {
            // Numbers below were taken before.
            let n = next.entry(base.clone()).or_insert(0usize);
            *n += 1;
            name = format!("{base}_{n}");
        }
        names.push(name);
    }
    names
}

/// What a file says of the dimensions of a module's arguments (without the platform): `None` where it says nothing
/// that fits.
pub(crate) fn avals_of<'e>(func: &Func<'_>, exported: Option<&'e Exported>) -> Option<Vec<&'e Aval>> {
    let exported = exported?;
    let n = func.args.iter().filter(|a| !is_platform(a)).count();
    let kept = exported.kept.iter().map(|&k| exported.arguments.get(usize::from(k)));
    let avals = kept.collect::<Option<Vec<&Aval>>>()?;
    let rank = |ty: &Ty<'_>| match ty {
        Ty::Tensor(t) => Some(t.rank()),
        Ty::Open(t) => Some(t.dims.len()),
        Ty::Tuple { .. } | Ty::Refused { .. } => None,
    };
    let args = func.args.iter().filter(|a| !is_platform(a));
    let fits = avals.len() == n
        && args.zip(&avals).all(|(arg, aval)| rank(&arg.ty).is_none_or(|r| r == aval.shape.len()));
    fits.then_some(avals)
}

/// A type with its dimensions as the file writes them: `f32[2*b + 1,4]`.
pub(crate) fn signature_type(ty: &Ty<'_>, aval: Option<&Aval>) -> (String, Vec<String>) {
    use crate::declared::Dim;
    let (dtype, dims): (DType, Vec<String>) = match ty {
        Ty::Tensor(t) => (t.dtype(), t.shape().iter().map(ToString::to_string).collect()),
        Ty::Open(t) => {
            let dim = |d: &Dim| match d {
                Dim::Known(n) => n.to_string(),
                Dim::Open => "?".to_owned(),
                Dim::AtMost(n) => format!("<={n}"),
            };
            (t.dtype, t.dims.iter().map(dim).collect())
        }
        Ty::Tuple { text, .. } | Ty::Refused { text, .. } => return ((*text).to_owned(), Vec::new()),
    };
    (dtype.to_string(), aval.map_or(dims, |a| a.shape.clone()))
}

/// The function that the options are for: the named one, `main`, or the only one that is open.
fn target(tree: &Tree<'_>, options: &ImportOptions) -> Result<Option<usize>, Vec<Diagnostic>> {
    let public = |i: &usize| tree.funcs[*i].public;
    let named =
        |name: &str| (0..tree.funcs.len()).filter(public).find(|&i| unescape(tree.funcs[i].name) == name);
    if let Some(name) = &options.function {
        // A function that is not there is the caller's to report.
        return Ok(named(name));
    }
    if let Some(main) = named("main") {
        return Ok(Some(main));
    }
    let all: Vec<usize> = (0..tree.funcs.len()).filter(public).collect();
    let open: Vec<usize> = all.iter().copied().filter(|&i| is_open(&tree.funcs[i])).collect();
    match (&open[..], &all[..]) {
        ([one], _) | ([], [one]) => Ok(Some(*one)),
        ([], _) => Ok(None),
        (several, _) => {
            let names: Vec<String> = several.iter().map(|&i| format!("@{}", tree.funcs[i].name)).collect();
            let message = format!("the shapes of several functions are open: {}", names.join(", "));
            let d = Diagnostic::error(tree.places.pos(tree.funcs[several[0]].at), message);
            Err(vec![d.with_help("say which one is meant, as in --function NAME")])
        }
    }
}

/// How the public functions are specialized, or everything that is wrong with what was given.
pub(crate) fn specialize(
    tree: &Tree<'_>,
    options: &ImportOptions,
    exported: Option<&Exported>,
) -> Result<Specialization, Vec<Diagnostic>> {
    let mut out = Specialization::default();
    let any_open = tree.funcs.iter().any(|f| f.public && is_open(f));
    if !any_open && options.gives_nothing() {
        return Ok(out);
    }
    let target = target(tree, options)?;
    for (i, func) in tree.funcs.iter().enumerate() {
        if func.public && is_open(func) && Some(i) != target {
            out.left_out.insert(i);
            let message =
                format!("@{} is left out: its shapes are open, and none were given for it", func.name);
            out.notes.push(Diagnostic::new(Severity::Note, tree.places.pos(func.at), message));
        }
    }
    let Some(target) = target else { return Ok(out) };
    let mut work = Work::new(tree, &tree.funcs[target], options, exported);
    let given = work.run();
    if !work.errors.is_empty() {
        return Err(work.errors);
    }
    out.notes.append(&mut work.notes);
    out.given.insert(target, given);
    Ok(out)
}

/// Where a value is from, for messages.
#[derive(Clone)]
enum From {
    Person,
    /// An argument's name and a dimension.
    Argument(String, usize),
}

/// An argument that is a tensor.
struct Tensor<'t> {
    name: String,
    ty: &'t Ty<'t>,
    /// Dimensions as written, where the file says.
    written: Option<&'t Aval>,
    /// As [`Self::written`], read; `None` for what is not understood.
    dims: Vec<Option<Expr>>,
    shape: Option<Vec<usize>>,
}

struct Work<'t> {
    func: &'t Func<'t>,
    options: &'t ImportOptions,
    exported: Option<&'t Exported>,
    at: Pos,
    tensors: Vec<Tensor<'t>>,
    has_symbols: bool,
    env: Env,
    from: BTreeMap<String, From>,
    errors: Vec<Diagnostic>,
    notes: Vec<Diagnostic>,
}

impl<'t> Work<'t> {
    fn new(
        tree: &'t Tree<'t>,
        func: &'t Func<'t>,
        options: &'t ImportOptions,
        exported: Option<&'t Exported>,
    ) -> Self {
        let avals = avals_of(func, exported);
        let names = arg_names(tree, func);
        let args = func.args.iter().zip(names).filter(|(a, _)| !is_platform(a));
        let tensors = args.enumerate().map(|(i, (arg, name))| {
            let written = avals.as_ref().map(|a| a[i]);
            let dims = written.map_or(Vec::new(), |a| a.shape.iter().map(|s| Expr::parse(s)).collect());
            Tensor { name, ty: &arg.ty, written, dims, shape: None }
        });
        Self {
            func,
            options,
            exported,
            at: tree.places.pos(func.at),
            tensors: tensors.collect(),
            has_symbols: avals.is_some(),
            env: Env::new(),
            from: BTreeMap::new(),
            errors: Vec::new(),
            notes: Vec::new(),
        }
    }

    fn error(&mut self, message: String, help: Option<String>) {
        let mut d = Diagnostic::error(self.at, message);
        d.help = help;
        self.errors.push(d);
    }

    fn run(&mut self) -> Vec<Given> {
        let platform = self.platform();
        self.shapes_given();
        self.symbols_given();
        if self.errors.is_empty() {
            self.solve();
        }
        if self.errors.is_empty() {
            self.check();
        }
        let mut types = self.types().into_iter();
        let args = self.func.args.iter().map(|arg| match &platform {
            Some(index) if is_platform(arg) => Given::Constant(index.clone()),
            None if is_platform(arg) => Given::AsWritten,
            _ => types.next().unwrap_or(Given::AsWritten),
        });
        args.collect()
    }

    /// The index of the platform, if the function asks for one.
    fn platform(&mut self) -> Option<Literal> {
        let platforms = self.exported.map_or(&[][..], |e| &e.platforms);
        let asked = self.options.platform.as_deref();
        let Some(arg) = self.func.args.iter().find(|a| is_platform(a)) else {
            if let Some(name) = asked.filter(|name| !platforms.iter().any(|p| p == name)) {
                let whose = if platforms.is_empty() { "any".to_owned() } else { platforms.join(", ") };
                let message =
                    format!("there is no choice of a platform, such as {name}: the module is for {whose}");
                self.error(message, None);
            }
            return None;
        };
        let Ty::Tensor(ty) = &arg.ty else { return None };
        let chosen = match asked {
            Some(name) => platforms.iter().position(|p| p == name).or_else(|| {
                // A module alone does not name its platforms.
                name.parse().ok().filter(|&i: &usize| platforms.is_empty() && i < 64)
            }),
            None => platforms.iter().position(|p| p == "cpu"),
        };
        let Some(index) = chosen else {
            let (message, help) = match (asked, platforms) {
                (_, []) => (
                    "the first argument says which of its platforms the module runs on, and does not name them".to_owned(),
                    "give the platform's number, as in --platform 0".to_owned(),
                ),
                (asked, platforms) => (
                    format!("the module is not for {}", asked.unwrap_or("cpu")),
                    format!("choose one of its platforms: {}", platforms.join(", ")),
                ),
            };
            self.error(message, Some(help));
            return None;
        };
        if asked.is_none() {
            let message = format!("exported for {}: this is the program for cpu", platforms.join(", "));
            self.notes.push(Diagnostic::new(Severity::Note, None, message));
        }
        Literal::from_i64s(ty.clone(), &[index as i64])
    }

    fn shapes_given(&mut self) {
        for (key, shape) in &self.options.shapes {
            let by_number = key.strip_prefix("arg").and_then(|n| n.parse::<usize>().ok());
            let exists = |i: &usize| *i < self.tensors.len();
            let found = by_number
                .filter(exists)
                .or_else(|| self.tensors.iter().position(|t| t.name == *key))
                .or_else(|| key.parse().ok().filter(exists));
            let Some(i) = found else {
                let message = format!("@{} has no argument {key}", self.func.name);
                let names = (self.tensors.iter().enumerate()).map(|(i, t)| format!("arg{i} ({})", t.name));
                let help = format!("its arguments are {}", names.collect::<Vec<_>>().join(", "));
                self.error(message, Some(help));
                continue;
            };
            self.give(i, shape, true);
        }
        for (&i, shape) in &self.options.tensors {
            if self.tensors.get(i).is_some_and(|t| t.shape.is_none() && matches!(t.ty, Ty::Open(_))) {
                self.give(i, shape, false);
            }
        }
    }

    /// Takes the shape of an argument; one that was asked for may not contradict a known type.
    fn give(&mut self, i: usize, shape: &[usize], asked: bool) {
        let t = &self.tensors[i];
        let ok = match t.ty {
            Ty::Tensor(ty) => !asked || ty.shape() == shape,
            Ty::Open(ty) => ty.admits_shape(shape),
            Ty::Tuple { .. } | Ty::Refused { .. } => true,
        };
        if !ok {
            let message =
                format!("argument {} is {}, and the shape given is {}", t.name, show(t.ty), times(shape));
            return self.error(message, None);
        }
        self.tensors[i].shape = Some(shape.to_vec());
    }

    fn symbols_given(&mut self) {
        let mut known = BTreeSet::new();
        for dim in self.tensors.iter().flat_map(|t| &t.dims).flatten() {
            dim.symbols(&mut known);
        }
        let known: Vec<String> = known.into_iter().map(str::to_owned).collect();
        for (symbol, &size) in &self.options.symbols {
            if known.contains(symbol) {
                self.env.insert(symbol.clone(), i64::try_from(size).unwrap_or(i64::MAX));
                self.from.insert(symbol.clone(), From::Person);
                continue;
            }
            let message = format!("no size is written with the symbol {symbol}");
            let help = match (self.has_symbols, &known[..]) {
                (true, []) => "all shapes are known".to_owned(),
                (true, known) => format!("the symbols are {}", known.join(", ")),
                (false, _) => {
                    "symbols are in files of jax.export; of this one give shapes of arguments, as in --shape arg0=8x128"
                        .to_owned()
                }
            };
            self.error(message, Some(help));
        }
    }

    /// Finds symbols from the sizes given: plain ones first, then those that are linear in one.
    fn solve(&mut self) {
        for plain in [true, false] {
            loop {
                let before = self.env.len();
                for i in 0..self.tensors.len() {
                    self.solve_one(i, plain);
                }
                if self.env.len() == before || !self.errors.is_empty() {
                    break;
                }
            }
        }
    }

    fn solve_one(&mut self, i: usize, plain: bool) {
        let t = &self.tensors[i];
        let Some(shape) = t.shape.clone() else { return };
        for (d, size) in shape.into_iter().enumerate() {
            let t = &self.tensors[i];
            let Some(Some(expr)) = t.dims.get(d) else { continue };
            if plain && expr.symbol().is_none() {
                continue;
            }
            let Some((symbol, value)) = expr.solve(i64::try_from(size).unwrap_or(i64::MAX), &self.env) else {
                continue;
            };
            let symbol = symbol.to_owned();
            match value {
                Ok(value) => {
                    self.from.insert(symbol.clone(), From::Argument(t.name.clone(), d));
                    self.env.insert(symbol, value);
                }
                Err(()) => {
                    let message = format!(
                        "argument {}: dimension {d} is {size}, but {} is that for no {symbol}{}",
                        t.name,
                        self.written(i, d),
                        self.with(expr)
                    );
                    self.error(message, None);
                }
            }
        }
    }

    /// A dimension as the file writes it.
    fn written(&self, i: usize, d: usize) -> &str {
        self.tensors[i].written.and_then(|a| a.shape.get(d)).map_or("?", String::as_str)
    }

    /// ` with b = 4 (from argument x, dimension 0)`, for the symbols of an expression that have values.
    fn with(&self, expr: &Expr) -> String {
        let mut symbols = BTreeSet::new();
        expr.symbols(&mut symbols);
        let known = symbols.into_iter().filter_map(|s| {
            let from = match self.from.get(s)? {
                From::Person => "as given".to_owned(),
                From::Argument(name, d) => format!("from argument {name}, dimension {d}"),
            };
            Some(format!("{s} = {} ({from})", self.env.get(s)?))
        });
        let known: Vec<String> = known.collect();
        if known.is_empty() { String::new() } else { format!(" with {}", known.join(", ")) }
    }

    /// Every size given is what its expression says.
    fn check(&mut self) {
        let mut wrong = Vec::new();
        for (i, t) in self.tensors.iter().enumerate() {
            let Some(shape) = &t.shape else { continue };
            for (d, (&size, expr)) in shape.iter().zip(&t.dims).enumerate() {
                let Some(expr) = expr else { continue };
                let Some(want) = expr.value(&self.env) else { continue };
                if i64::try_from(size) != Ok(want) {
                    let (text, with) = (self.written(i, d), self.with(expr));
                    wrong.push(match expr.symbol() {
                        Some(_) => format!(
                            "argument {}: dimension {d} is {size}, but{}",
                            t.name,
                            &with[" with".len()..]
                        ),
                        None => format!(
                            "argument {}: dimension {d} is {size}, but {text}{with} is {want}",
                            t.name
                        ),
                    });
                }
            }
        }
        for message in wrong {
            self.error(message, None);
        }
    }

    /// The types of the tensors; what does not follow is asked for.
    fn types(&mut self) -> Vec<Given> {
        let mut out = Vec::with_capacity(self.tensors.len());
        let mut missing = Vec::new();
        let mut wrong = Vec::new();
        for (i, t) in self.tensors.iter().enumerate() {
            let Ty::Open(open) = t.ty else {
                out.push(Given::AsWritten);
                continue;
            };
            let from_symbols = || {
                let sizes = t.dims.iter().map(|d| d.as_ref()?.value(&self.env));
                sizes.collect::<Option<Vec<i64>>>().filter(|s| s.len() == open.dims.len())
            };
            let shape = match (&t.shape, from_symbols()) {
                (Some(shape), _) => shape.clone(),
                (None, Some(sizes)) => match sizes.iter().map(|&n| usize::try_from(n)).collect() {
                    Ok(shape) => shape,
                    Err(_) => {
                        let negative = sizes.iter().position(|&n| n < 0).unwrap_or(0);
                        let with = t.dims[negative].as_ref().map_or(String::new(), |e| self.with(e));
                        wrong.push(format!(
                            "argument {}: dimension {negative}, {}{with}, would be {}",
                            t.name,
                            self.written(i, negative),
                            sizes[negative]
                        ));
                        continue;
                    }
                },
                (None, None) => {
                    let (dtype, dims) = signature_type(t.ty, t.written);
                    missing.push(format!("arg{i} ({}) {dtype}[{}]", t.name, dims.join(",")));
                    continue;
                }
            };
            match TensorType::try_new(open.dtype, shape.clone()).filter(|ty| open.admits(ty)) {
                Some(ty) => out.push(Given::Type(ty)),
                None => wrong.push(format!(
                    "argument {}: {} is no shape for {}",
                    t.name,
                    times(&shape),
                    show(t.ty)
                )),
            }
        }
        for message in wrong {
            self.error(message, None);
        }
        if self.errors.is_empty() && !missing.is_empty() {
            let message = format!("shapes of @{} are open: {}", self.func.name, missing.join(", "));
            self.error(message, Some(self.ask()));
        }
        out
    }

    /// What would make the open shapes known.
    fn ask(&self) -> String {
        let mut symbols = BTreeSet::new();
        for t in self.tensors.iter().filter(|t| t.shape.is_none()) {
            for dim in t.dims.iter().flatten() {
                dim.symbols(&mut symbols);
            }
        }
        symbols.retain(|s| !self.env.contains_key(*s));
        let shape = "shapes of arguments, as in --shape arg0=8x128";
        if symbols.is_empty() {
            return format!("give {shape}");
        }
        let symbols: Vec<String> = symbols.iter().map(|s| format!("{s}=8")).collect();
        format!("give sizes of the symbols, as in --shapes {}, or {shape}", symbols.join(","))
    }
}

/// A shape as a person writes it: `8x128`.
fn times(shape: &[usize]) -> String {
    match shape {
        [] => "a scalar".to_owned(),
        _ => shape.iter().map(ToString::to_string).collect::<Vec<_>>().join("x"),
    }
}
