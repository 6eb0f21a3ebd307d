//! What a producer says beside a program: shardings, donated arguments, kinds of memory.
//!
//! Nothing here changes what a program computes, and nothing of it is used: how a program is distributed is the
//! strategy's matter. It is kept as tables beside the programs, shown to people, and printed back where the dialects
//! have a place for it. Names of arguments and results are in the programs themselves.

use crate::sharding::{Mesh, Sdy, Sharding};
use crate::tree::Attr;
use pullback_base::Pos;
use pullback_ir::Value;
use std::fmt;

/// Annotations of a module.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Annotations {
    /// Meshes by name.
    pub meshes: Vec<Mesh>,
    /// For how many replicas and partitions the module says it is.
    pub processes: (Option<usize>, Option<usize>),
    /// Those of each function, in the order of the module's programs.
    pub functions: Vec<FunctionAnnotations>,
}

/// Annotations of a function. Values are those of the program as it was imported.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FunctionAnnotations {
    /// The function's name.
    pub name: String,
    /// One for each argument.
    pub args: Vec<Annotation>,
    /// One for each result.
    pub results: Vec<Annotation>,
    /// Those of values within, in the order of the text.
    pub values: Vec<ValueAnnotation>,
}

/// What is said of an argument or a result.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Annotation {
    /// How it is spread over a mesh (`sdy.sharding`).
    pub sharding: Option<Sharding>,
    /// The same in the older form (`mhlo.sharding`), which is not read.
    pub mhlo_sharding: Option<String>,
    /// Its memory may be used again (`jax.buffer_donor`).
    pub donated: bool,
    /// Its memory is that of this result (`tf.aliasing_output`).
    pub aliases: Option<usize>,
    /// Where it lies (`mhlo.memory_kind`).
    pub memory_kind: Option<String>,
}

/// What is said of a value within a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ValueAnnotation {
    /// The value; `None` inside a loop or a choice, and for a constant that nothing reads.
    pub value: Option<Value>,
    /// The producer's name for it.
    pub name: String,
    /// Where it is said.
    pub pos: Pos,
    /// What is said.
    pub mark: Mark,
}

/// What may be said of a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mark {
    /// How the result of an operation is spread (`sdy.sharding`).
    Sharding(Sharding),
    /// How a person wants it spread (`sdy.sharding_constraint`, `sdy.reshard`).
    Constraint(Sharding),
    /// A sharding in the older form (`mhlo.sharding`), which is not read.
    MhloSharding(String),
    /// Which way shardings may pass it (`sdy.propagation_barrier`): NONE, FORWARD, BACKWARD or BOTH.
    Barrier(String),
    /// Values of one group are spread alike (`sdy.sharding_group`).
    Group(i64),
    /// Where it lies.
    MemoryKind(String),
}

impl Annotations {
    /// Those of the function named so.
    pub fn function(&self, name: &str) -> Option<&FunctionAnnotations> {
        self.functions.iter().find(|f| f.name == name)
    }
}

impl FunctionAnnotations {
    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        let none = Annotation::default();
        self.values.is_empty() && self.args.iter().chain(&self.results).all(|a| *a == none)
    }
}

impl Annotation {
    /// What attributes of an argument or a result say.
    pub(crate) fn of(attrs: &[(&str, Attr<'_>)]) -> Self {
        let mut out = Annotation::default();
        for (key, value) in attrs {
            match (*key, value) {
                ("sdy.sharding", Attr::Sdy(sdy)) => out.sharding = one_sharding(sdy),
                ("mhlo.frontend_attributes", Attr::Dict(dict)) => {
                    // How Shardy's attributes pass through what does not know them.
                    out.sharding = text(dict, "xla.sdy.sharding")
                        .and_then(|t| crate::sharding::parse::sdy_of_text(&t))
                        .and_then(|sdy| one_sharding(&sdy))
                        .or(out.sharding);
                }
                ("mhlo.sharding", Attr::Str(s)) => out.mhlo_sharding = Some(crate::lexer::unescape(s)),
                ("jax.buffer_donor", Attr::Bool(donated)) => out.donated = *donated,
                ("tf.aliasing_output", Attr::Int(n)) => out.aliases = usize::try_from(*n).ok(),
                ("mhlo.memory_kind", Attr::Str(s)) => out.memory_kind = Some(crate::lexer::unescape(s)),
                _ => {}
            }
        }
        out
    }

    /// What is said, in words: `sharding <@mesh, [{"x"}]>`.
    pub fn lines(&self) -> Vec<String> {
        let mut out = Vec::new();
        out.extend(self.sharding.iter().map(|s| format!("sharding {s}")));
        out.extend(self.mhlo_sharding.iter().map(|s| format!("mhlo.sharding {s}")));
        if self.donated {
            out.push("donated".to_owned());
        }
        out.extend(self.aliases.iter().map(|n| format!("memory of out{n}")));
        out.extend(self.memory_kind.iter().map(|k| format!("memory kind {k}")));
        out
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mark::Sharding(s) => write!(f, "sharding {s}"),
            Mark::Constraint(s) => write!(f, "sharding_constraint {s}"),
            Mark::MhloSharding(s) => write!(f, "mhlo.sharding {s}"),
            Mark::Barrier(direction) => write!(f, "propagation_barrier {direction}"),
            Mark::Group(n) => write!(f, "sharding_group {n}"),
            Mark::MemoryKind(k) => write!(f, "memory kind {k}"),
        }
    }
}

/// The sharding an attribute of one value holds.
pub(crate) fn one_sharding(sdy: &Sdy) -> Option<Sharding> {
    match sdy {
        Sdy::Sharding(s) => Some(s.clone()),
        Sdy::Shardings(list) => list.first().filter(|_| list.len() == 1).cloned(),
        Sdy::Mesh(_) | Sdy::Axes(_) => None,
    }
}

/// A text in a dictionary.
pub(crate) fn text(dict: &[(&str, Attr<'_>)], key: &str) -> Option<String> {
    dict.iter().find_map(|(k, v)| match v {
        Attr::Str(s) if *k == key => Some(crate::lexer::unescape(s)),
        _ => None,
    })
}
