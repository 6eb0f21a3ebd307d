//! StableHLO ⇄ [`Program`], with positions in every error.
//!
//! [`import`] takes MLIR text as JAX prints it: pretty and generic forms of operations, locations, attributes
//! that are not needed. [`import_bytes`] takes that, portable bytecode, and what `jax.export` serializes. Every public function becomes a program; calls of private functions are inlined (but for
//! a few that JAX has rules for), composites are kept. [`import_functions`] imports functions by name. [`print`] gives text that MLIR reads back. Whatever is not supported is an error that names the
//! operation, its place and a way out; nothing is guessed. Never panics, whatever the file.
//!
//! Programs have static shapes: where a module leaves some open, [`import_with`] and [`import_bytes_with`] take them, and
//! [`signatures`] shows what is open. Not read: sharding annotations (a note says so).

mod annotations;
mod attrs;
mod bytecode;
mod census;
mod constraints;
mod container;
mod declared;
mod import;
mod known;
mod lexer;
mod literals;
mod names;
mod ops;
mod parser;
mod places;
mod pretty;
mod print;
mod sharding;
mod signature;
mod specialize;
mod symbolic;
mod tree;
mod tuples;
mod types;
mod vhlo;

pub use annotations::{Annotation, Annotations, FunctionAnnotations, Mark, ValueAnnotation};
pub use census::{Census, OpCount, census, census_bytes};
pub use container::{Aval, Container, Exported, exported};
pub use places::place_of;
pub use print::{print, print_annotated};
pub use sharding::{AxisRef, DimSharding, Mesh, MeshRef, Sharding};
pub use signature::{Argument, Signature, signatures};
pub use specialize::ImportOptions;

use pullback_base::Diagnostic;
use pullback_ir::Program;

/// An imported module.
#[derive(Clone, Debug)]
pub struct Module {
    /// The module's name, `module` where it has none.
    pub name: String,
    /// What was understood but is not carried over: worth telling the person.
    pub notes: Vec<Diagnostic>,
    functions: Vec<Program>,
    annotations: Annotations,
}

impl Module {
    /// The public function named so.
    pub fn function(&self, name: &str) -> Option<&Program> {
        self.functions.iter().find(|f| f.name() == name)
    }

    /// The public functions, in the text's order.
    pub fn functions(&self) -> &[Program] {
        &self.functions
    }

    /// What the producer says beside the programs.
    pub fn annotations(&self) -> &Annotations {
        &self.annotations
    }

    /// The public functions, in the text's order.
    pub fn into_functions(self) -> Vec<Program> {
        self.functions
    }
}

/// Imports StableHLO text.
///
/// Argument names come from locations (`params['a.w']` is `a.w`), else `jax.arg_info`, else the SSA name; they
/// are made unique. Other values take the outermost name of their location, else the SSA name (`f/0` for
/// `%0` of a private function `f`). All unsupported operations are reported, not only the first.
pub fn import(text: &str) -> Result<Module, Vec<Diagnostic>> {
    import_with(text, &ImportOptions::default())
}

/// As [`import`], for given shapes.
pub fn import_with(text: &str, options: &ImportOptions) -> Result<Module, Vec<Diagnostic>> {
    if let Some(module) = streamed(text, options) {
        return Ok(module);
    }
    module_of(parser::parse(text)?, options, None)
}

/// Imports a file of any form: StableHLO text, MLIR bytecode in the portable VHLO dialect, or a serialized
/// `jax.export.Exported`. Places in a binary file are byte offsets.
///
/// Names are as [`import`] says; values without a location are numbered, arguments are `arg0`, `arg1`, ....
pub fn import_bytes(bytes: &[u8]) -> Result<Module, Vec<Diagnostic>> {
    import_bytes_with(bytes, &ImportOptions::default())
}

/// As [`import_bytes`], for given shapes.
pub fn import_bytes_with(bytes: &[u8], options: &ImportOptions) -> Result<Module, Vec<Diagnostic>> {
    if let (Container::Text, Ok(text)) = (Container::of(bytes), std::str::from_utf8(bytes)) {
        return import_with(text, options);
    }
    let exported = container::exported_of(bytes)?;
    let mut module = container::with_tree(bytes, |tree| module_of(tree, options, exported.as_ref()))?;
    module.notes.extend(exported.iter().flat_map(container::notes));
    Ok(module)
}

/// Imports these functions of a file of any form, public or not, and no others. A name that no function has is an
/// error.
pub fn import_functions(bytes: &[u8], names: &[&str]) -> Result<Module, Vec<Diagnostic>> {
    container::with_tree(bytes, |tree| {
        let known: Vec<String> = tree.funcs.iter().map(|f| lexer::unescape(f.name)).collect();
        let missing = names.iter().filter(|n| !known.iter().any(|k| k == *n));
        let missing: Vec<Diagnostic> = missing.map(|n| no_function(n, &known)).collect();
        if !missing.is_empty() {
            return Err(missing);
        }
        let mut tree = tree;
        for (f, name) in tree.funcs.iter_mut().zip(&known) {
            f.public = names.contains(&name.as_str());
        }
        module_of(tree, &ImportOptions::default(), None)
    })
}

fn no_function(name: &str, known: &[String]) -> Diagnostic {
    const MOST: usize = 12;
    let mut list: Vec<&str> = known.iter().map(String::as_str).take(MOST).collect();
    if known.len() > MOST {
        list.push("…");
    }
    Diagnostic::error(None, format!("there is no function {name:?}"))
        .with_help(format!("the functions are: {}", list.join(", ")))
}

/// The module of a text that is read operation by operation: most are. `None` where the tree is needed whole, or
/// anything is wrong, which reading the tree then says.
fn streamed(text: &str, options: &ImportOptions) -> Option<Module> {
    let outline =
        Some(text).filter(|_| options.gives_nothing() && !options.positions).and_then(parser::Outline::of)?;
    let name = outline.tree.name.map_or_else(|| "module".to_owned(), lexer::unescape);
    let meshes = sharding::meshes(&outline.tree);
    let processes = (outline.tree.processes.replicas, outline.tree.processes.partitions);
    let lowered = import::lower_text(outline)?;
    let annotations = Annotations { meshes, processes, functions: lowered.annotations };
    Some(Module { name, notes: lowered.notes, functions: lowered.functions, annotations })
}

fn module_of(
    tree: tree::Tree<'_>,
    options: &ImportOptions,
    exported: Option<&Exported>,
) -> Result<Module, Vec<Diagnostic>> {
    let name = tree.name.map_or_else(|| "module".to_owned(), lexer::unescape);
    let names;
    let tree = if tuples::any(&tree) {
        names = tuples::names(&tree);
        tuples::flatten(&tree, &names)?
    } else {
        tree
    };
    let mut tree = tree;
    import::bind(&mut tree, &options.operators);
    let mut spec = specialize::specialize(&tree, options, exported)?;
    spec.operators = options.operators.clone();
    spec.positions = options.positions;
    let meshes = sharding::meshes(&tree);
    let processes = (tree.processes.replicas, tree.processes.partitions);
    let mut lowered = import::lower(tree, &spec)?;
    lowered.notes.extend(spec.notes);
    let annotations = Annotations { meshes, processes, functions: lowered.annotations };
    Ok(Module { name, notes: lowered.notes, functions: lowered.functions, annotations })
}
