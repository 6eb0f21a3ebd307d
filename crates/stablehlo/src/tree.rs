//! The syntax tree: functions of operations with attributes, operands resolved to numbered slots.
//!
//! Pretty and generic forms of an operation give the same node, so that lowering reads attributes one way.
//! Whether an operation means something is not decided here.

use crate::declared::{Declared, OpenType};
use crate::lexer::Lines;
use crate::ops::Kind;
use crate::sharding::{Mesh, Sdy, parse::meshes_of_text};
use pullback_base::Pos;
use pullback_ir::TensorType;
use std::rc::Rc;

/// The slot of a name that is not defined; an error was reported (or the region is not read).
pub(crate) const NO_SLOT: u32 = u32::MAX;

/// A type as written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Ty<'a> {
    Tensor(TensorType),
    /// A tensor with an open dimension.
    Open(OpenType),
    /// What is in it; [`crate::tuples`] takes it apart.
    Tuple {
        items: Vec<Ty<'a>>,
        text: &'a str,
        at: usize,
    },
    /// A type the IR has no equal for.
    Refused {
        text: &'a str,
        why: WhyNot,
        at: usize,
    },
}

impl Ty<'_> {
    /// Whether a value of type `have` may be written with this type.
    pub(crate) fn admits(&self, have: &TensorType) -> bool {
        match self {
            Ty::Tensor(t) => t == have,
            Ty::Open(t) => t.admits(have),
            Ty::Tuple { .. } | Ty::Refused { .. } => false,
        }
    }

    /// The type a value is declared with, if it is one of tensors.
    pub(crate) fn declared(&self) -> Option<Declared> {
        match self {
            Ty::Tensor(t) => Some(Declared::Exact(t.clone())),
            Ty::Open(t) => Some(Declared::Open(t.clone())),
            Ty::Tuple { .. } | Ty::Refused { .. } => None,
        }
    }
}

/// Why a type is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WhyNot {
    /// Not even the rank is known.
    Unranked,
    Element,
    TooLarge,
    NotTensor,
}

/// How offsets become places.
#[derive(Clone, Debug)]
pub(crate) enum Places<'a> {
    Text(Rc<Lines<'a>>),
    /// A binary file has no lines.
    Bytes,
}

impl Places<'_> {
    pub(crate) fn pos(&self, at: usize) -> Pos {
        match self {
            Places::Text(lines) => lines.pos(at),
            Places::Bytes => Pos::byte(at),
        }
    }
}

/// Types in a row; operations with the same share them.
pub(crate) type Types<'a> = Rc<[Ty<'a>]>;

/// An operation's types as written.
#[derive(Clone, Debug)]
pub(crate) enum Sig<'a> {
    None,
    /// Those of results only: operands have the types of their values.
    Results(Types<'a>),
    /// `: T` or `: T, U`
    List(Types<'a>),
    /// `: (T, U) -> V`
    Fn(Types<'a>, Types<'a>),
}

/// An attribute's value.
#[derive(Clone, Debug)]
pub(crate) enum Attr<'a> {
    Int(i64),
    Float(f64),
    Bool(bool),
    /// A bare word, or the last word of `#stablehlo<kind WORD>`.
    Word(&'a str),
    /// Escapes kept.
    Str(&'a str),
    /// `@name`, the first of a path.
    Symbol(&'a str),
    /// `[1, 2]` or `array<i64: 1, 2>`; booleans as 0 and 1.
    Ints(Vec<i64>),
    /// `[1] x [0]`
    Pair(Vec<i64>, Vec<i64>),
    List(Vec<Attr<'a>>),
    Dict(Vec<(&'a str, Attr<'a>)>),
    /// What is between the brackets of `dense<...>`, and the type after it if one was read.
    Dense {
        text: &'a str,
        at: usize,
        ty: Option<Ty<'a>>,
    },
    /// A tensor's elements as bytes.
    Data {
        bytes: &'a [u8],
        at: usize,
        ty: Ty<'a>,
    },
    /// One of Shardy's.
    Sdy(Rc<Sdy>),
    /// A type by its number in the tables of a binary file.
    Type(usize),
    /// Anything else, as written.
    Raw(&'a str),
}

/// A location's name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Loc<'a> {
    None,
    /// Escapes kept.
    Name(&'a str),
    /// The number of an alias in [`Tree::aliases`].
    Alias(u32),
}

/// An operand.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Use<'a> {
    pub(crate) slot: u32,
    pub(crate) name: &'a str,
    pub(crate) at: usize,
}

/// An operation.
#[derive(Clone, Debug)]
pub(crate) struct Node<'a> {
    /// With the dialect; escapes kept.
    pub(crate) name: &'a str,
    /// `None` when the IR has no such operation.
    pub(crate) kind: Option<Kind>,
    pub(crate) at: usize,
    /// Results are the slots from here on.
    pub(crate) first_result: u32,
    pub(crate) n_results: u32,
    pub(crate) operands: Vec<Use<'a>>,
    pub(crate) attrs: Vec<(&'a str, Attr<'a>)>,
    pub(crate) regions: Vec<Region<'a>>,
    pub(crate) sig: Sig<'a>,
    pub(crate) loc: Loc<'a>,
}

impl<'a> Node<'a> {
    /// The attribute of the first of these names that is present.
    pub(crate) fn attr(&self, names: &[&str]) -> Option<&Attr<'a>> {
        names.iter().find_map(|n| self.attrs.iter().find(|(k, _)| k == n).map(|(_, v)| v))
    }

    /// The types that results are declared with.
    pub(crate) fn result_types(&self) -> &[Ty<'a>] {
        match &self.sig {
            Sig::Fn(_, outs) | Sig::Results(outs) => outs,
            Sig::List(_) if self.kind == Some(Kind::Remark) => &[],
            Sig::List(list) if matches!(self.kind, Some(Kind::Identity | Kind::While)) => list,
            Sig::List(list) => list.last().map_or(&[], std::slice::from_ref),
            Sig::None => &[],
        }
    }

    /// The symbol an attribute names.
    pub(crate) fn symbol(&self, name: &str) -> Option<&'a str> {
        match self.attr(&[name]) {
            Some(Attr::Symbol(s)) => Some(s),
            _ => None,
        }
    }

    /// The function that a call or a composite stands for.
    pub(crate) fn callee(&self) -> Option<&'a str> {
        self.symbol(match self.kind? {
            Kind::Composite => "decomposition",
            Kind::Call => "callee",
            _ => return None,
        })
    }
}

/// A region with one block.
#[derive(Clone, Debug, Default)]
pub(crate) struct Region<'a> {
    pub(crate) args: Vec<Arg<'a>>,
    pub(crate) nodes: Vec<Node<'a>>,
}

/// A function's or a block's argument.
#[derive(Clone, Debug)]
pub(crate) struct Arg<'a> {
    pub(crate) slot: u32,
    pub(crate) name: &'a str,
    pub(crate) ty: Ty<'a>,
    pub(crate) loc: Loc<'a>,
    /// `jax.arg_info`, escapes kept.
    pub(crate) info: Option<&'a str>,
    /// `jax.global_constant`: what the caller of an exported function works out, such as its platform.
    pub(crate) constant: Option<&'a str>,
}

/// A function.
#[derive(Clone, Debug)]
pub(crate) struct Func<'a> {
    /// Escapes kept.
    pub(crate) name: &'a str,
    pub(crate) at: usize,
    pub(crate) public: bool,
    pub(crate) args: Vec<Arg<'a>>,
    /// Types and `jax.result_info` (escapes kept); `None` when they are only known from the return.
    pub(crate) results: Option<Vec<(Ty<'a>, Option<&'a str>)>>,
    /// `None` for a declaration.
    pub(crate) body: Option<Vec<Node<'a>>>,
    /// The SSA name of each slot, without `%`; results of a pack share one.
    pub(crate) slot_names: Vec<&'a str>,
    /// Attributes of arguments and results.
    pub(crate) attrs: FuncAttrs<'a>,
}

/// Attributes by name.
pub(crate) type Dict<'a> = Vec<(&'a str, Attr<'a>)>;

/// Attributes of a function's arguments and results.
#[derive(Clone, Debug, Default)]
pub(crate) struct FuncAttrs<'a> {
    /// By slot; arguments without attributes are left out.
    pub(crate) args: Vec<(u32, Dict<'a>)>,
    /// By number; may be shorter than the results.
    pub(crate) results: Vec<Dict<'a>>,
}

impl<'a> FuncAttrs<'a> {
    /// What a function in generic form has.
    pub(crate) fn of(node: &Node<'a>, args: &[Arg<'a>]) -> Self {
        let dicts = |key: &str| match node.attr(&[key]) {
            Some(Attr::List(dicts)) => {
                (dicts.iter()).map(|d| if let Attr::Dict(d) = d { d.clone() } else { Vec::new() }).collect()
            }
            _ => Vec::new(),
        };
        let by_slot = args.iter().map(|a| a.slot).zip(dicts("arg_attrs"));
        Self {
            args: by_slot.filter(|(_, dict): &(u32, Dict<'a>)| !dict.is_empty()).collect(),
            results: dicts("res_attrs"),
        }
    }
}

/// Rows and columns of the grid of processes that a module is for.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Processes {
    pub(crate) replicas: Option<usize>,
    pub(crate) partitions: Option<usize>,
}

/// A parsed module.
#[derive(Clone, Debug)]
pub(crate) struct Tree<'a> {
    pub(crate) places: Places<'a>,
    pub(crate) name: Option<&'a str>,
    pub(crate) funcs: Vec<Func<'a>>,
    /// Operations of the module that are not functions.
    pub(crate) others: Vec<Node<'a>>,
    /// Where each location alias points, by number.
    pub(crate) aliases: Vec<Loc<'a>>,
    /// Offset of the first sharding annotation.
    pub(crate) sharding_at: Option<usize>,
    /// For how many processes the module says it is.
    pub(crate) processes: Processes,
    /// Meshes that are in its attributes, not operations.
    pub(crate) meshes: Vec<Mesh>,
}

impl<'a> Tree<'a> {
    /// Keeps what a module's attributes say.
    pub(crate) fn set_attrs(&mut self, attrs: &[(&'a str, Attr<'a>)]) {
        let count = |key: &str| {
            attrs.iter().find_map(|(k, v)| match v {
                Attr::Int(n) if *k == key => usize::try_from(*n).ok(),
                _ => None,
            })
        };
        self.processes =
            Processes { replicas: count("mhlo.num_replicas"), partitions: count("mhlo.num_partitions") };
        for (key, value) in attrs {
            if let ("mhlo.frontend_attributes", Attr::Dict(dict)) = (*key, value) {
                let text = crate::annotations::text(dict, "xla.sdy.meshes");
                self.meshes.extend(text.iter().flat_map(|t| meshes_of_text(t)));
            }
        }
    }

    /// The name a location gives, through aliases.
    pub(crate) fn loc_name(&self, loc: Loc<'a>) -> Option<&'a str> {
        // An alias may be defined by itself; a real chain is short.
        let mut loc = loc;
        for _ in 0..64 {
            match loc {
                Loc::None => return None,
                Loc::Name(s) => return Some(s),
                Loc::Alias(i) => loc = self.aliases.get(i as usize).copied().unwrap_or(Loc::None),
            }
        }
        None
    }
}

/// The clean name in an argument's location: keys of `params['a']['b']` joined by dots (`a.b`); anything else
/// as it is.
pub(crate) fn clean_arg_name(text: &str) -> String {
    keys_of(text).unwrap_or_else(|| text.to_owned())
}

/// Keys of `base['k'][3].attr`, when at least one of them is a quoted string and nothing else is in the text.
fn keys_of(text: &str) -> Option<String> {
    let word = |s: &str| s.bytes().take_while(|c| c.is_ascii_alphanumeric() || *c == b'_').count();
    let mut rest = &text[word(text)..];
    let mut keys: Vec<&str> = Vec::new();
    let mut quoted = false;
    while !rest.is_empty() {
        let (key, after) = if let Some(r) = rest.strip_prefix("['") {
            quoted = true;
            r.split_once("']")?
        } else if let Some(r) = rest.strip_prefix("[\"") {
            quoted = true;
            r.split_once("\"]")?
        } else if let Some(r) = rest.strip_prefix('[') {
            let (k, after) = r.split_once(']')?;
            if k.is_empty() || !k.bytes().all(|c| c.is_ascii_digit()) {
                return None;
            }
            (k, after)
        } else {
            let r = rest.strip_prefix('.')?;
            let n = word(r);
            if n == 0 {
                return None;
            }
            r.split_at(n)
        };
        keys.push(key);
        rest = after;
    }
    quoted.then(|| keys.join("."))
}

#[cfg(test)]
mod tests {
    use super::clean_arg_name;

    #[test]
    fn argument_names_lose_their_container() {
        for (text, want) in [
            ("params['0.qkv.w']", "0.qkv.w"),
            ("p[\"x\"]", "x"),
            ("params['enc']['w']", "enc.w"),
            ("params['enc'][0].scale", "enc.0.scale"),
            ("tokens", "tokens"),
            ("params[0]", "params[0]"),
            ("state.mu", "state.mu"),
            ("params['open", "params['open"),
            ("a b['c']", "a b['c']"),
            ("", ""),
        ] {
            assert_eq!(clean_arg_name(text), want);
        }
    }
}
