//! What the public functions of a file take and give, with shapes as the file writes them, open ones too.

use crate::container::{exported_of, with_tree};
use crate::lexer::unescape;
use crate::specialize::{arg_names, avals_of, bodies, is_platform, signature_type};
use crate::symbolic::Expr;
use crate::tree::{Func, Tree, Ty};
use pullback_base::Diagnostic;
use std::collections::BTreeSet;
use std::fmt;

/// A public function of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    /// Its name.
    pub function: String,
    /// Arguments of the program that it becomes.
    pub arguments: Vec<Argument>,
    /// Results; none where the file does not say them.
    pub results: Vec<Argument>,
    /// Symbols that sizes are written with.
    pub symbols: Vec<String>,
    /// Platforms to choose from; none where there is no choice.
    pub platforms: Vec<String>,
}

/// An argument or a result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Argument {
    /// Its name; empty for a result without one.
    pub name: String,
    /// Element type, or the whole type where it is not one of tensors.
    pub dtype: String,
    /// Sizes: numbers, expressions of symbols, `?`, or `<=8`.
    pub shape: Vec<String>,
    /// Whether a size has to be given.
    pub open: bool,
}

impl Signature {
    /// Whether shapes have to be given.
    pub fn is_open(&self) -> bool {
        self.arguments.iter().any(|a| a.open)
    }
}

/// As the IR writes types: `f32[2*b + 1,4]`.
impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}]", self.dtype, self.shape.join(","))
    }
}

/// The public functions of a file of any form that [`crate::import_bytes`] takes.
pub fn signatures(bytes: &[u8]) -> Result<Vec<Signature>, Vec<Diagnostic>> {
    let exported = exported_of(bytes)?;
    with_tree(bytes, |tree| {
        let bodies = bodies(&tree);
        let public = tree.funcs.iter().filter(|f| f.public && !bodies.contains(f.name));
        Ok(public.map(|f| signature(&tree, f, exported.as_ref())).collect())
    })
}

fn signature(tree: &Tree<'_>, func: &Func<'_>, exported: Option<&crate::Exported>) -> Signature {
    let avals = avals_of(func, exported);
    let args = func.args.iter().zip(arg_names(tree, func)).filter(|(a, _)| !is_platform(a));
    let arguments = args.enumerate().map(|(i, (arg, name))| {
        let (dtype, shape) = signature_type(&arg.ty, avals.as_ref().map(|a| a[i]));
        Argument { name, dtype, shape, open: matches!(arg.ty, Ty::Open(_)) }
    });
    let arguments: Vec<Argument> = arguments.collect();
    let results = func.results.iter().flatten();
    let written = exported
        .map(|e| &e.results)
        .filter(|r| avals.is_some() && Some(r.len()) == func.results.as_ref().map(Vec::len));
    let results = results.enumerate().map(|(i, (ty, info))| {
        let (dtype, shape) = signature_type(ty, written.map(|w| &w[i]));
        Argument { name: info.map_or(String::new(), unescape), dtype, shape, open: matches!(ty, Ty::Open(_)) }
    });
    let results = results.collect();
    let mut symbols = BTreeSet::new();
    for expr in arguments.iter().flat_map(|a| &a.shape).filter_map(|s| Expr::parse(s)) {
        let mut found = BTreeSet::new();
        expr.symbols(&mut found);
        symbols.extend(found.into_iter().map(str::to_owned));
    }
    let choice = func.args.iter().any(is_platform);
    let platforms = exported.filter(|_| choice).map_or(Vec::new(), |e| e.platforms.clone());
    Signature {
        function: unescape(func.name),
        arguments,
        results,
        symbols: symbols.into_iter().collect(),
        platforms,
    }
}
