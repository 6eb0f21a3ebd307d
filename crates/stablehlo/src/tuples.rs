//! Tuples, taken apart before anything is lowered.
//!
//! A value of a tuple type becomes the values in it, in order, wherever it is an operand, a result, an argument or
//! returned; `tuple` and `get_tuple_element` only pass values on. An argument `arg0` that is a tuple becomes
//! `arg0.0`, `arg0.1`, .... Trees without tuples are left alone.

use crate::lexer::unescape;
use crate::ops::Kind;
use crate::ops::expanded::Expanded;
use crate::tree::{Arg, Attr, Func, Loc, NO_SLOT, Node, Region, Sig, Tree, Ty, Use, clean_arg_name};
use pullback_base::Diagnostic;
use std::collections::BTreeMap;

/// Whether any type is a tuple.
pub(crate) fn any(tree: &Tree<'_>) -> bool {
    tree.funcs.iter().any(|f| {
        let results = f.results.iter().flatten();
        in_args(&f.args)
            || results.into_iter().any(|(t, _)| matches!(t, Ty::Tuple { .. }))
            || in_nodes(f.body.as_deref().unwrap_or(&[]))
    })
}

fn in_args(args: &[Arg<'_>]) -> bool {
    args.iter().any(|a| matches!(a.ty, Ty::Tuple { .. }))
}

/// Whether any type of these operations, or below, is a tuple.
pub(crate) fn in_nodes(list: &[Node<'_>]) -> bool {
    fn types(types: &[Ty<'_>]) -> bool {
        types.iter().any(|t| matches!(t, Ty::Tuple { .. }))
    }
    list.iter().any(|node| {
        let own = match &node.sig {
            Sig::None => false,
            Sig::Results(list) | Sig::List(list) => types(list),
            Sig::Fn(ins, outs) => types(ins) || types(outs),
        };
        own || node.regions.iter().any(|r| in_args(&r.args) || in_nodes(&r.nodes))
    })
}

/// Names of the parts of functions' arguments, one for each value, in the order in which [`flatten`] makes them.
pub(crate) fn names(tree: &Tree<'_>) -> Vec<String> {
    let mut out = Vec::new();
    for arg in tree.funcs.iter().flat_map(|f| &f.args) {
        if matches!(arg.ty, Ty::Tuple { .. }) {
            let given = tree.loc_name(arg.loc).or(arg.info).map(|s| clean_arg_name(&unescape(s)));
            let name = given.filter(|s| !s.is_empty()).unwrap_or_else(|| arg.name.to_owned());
            part_names(&arg.ty, name, &mut out);
        }
    }
    out
}

fn part_names(ty: &Ty<'_>, name: String, out: &mut Vec<String>) {
    match ty {
        Ty::Tuple { items, .. } => {
            for (i, item) in items.iter().enumerate() {
                part_names(item, format!("{name}.{i}"), out);
            }
        }
        Ty::Tensor(_) | Ty::Open(_) | Ty::Refused { .. } => out.push(name),
    }
}

/// How many values all tuples of a module may come to, where they are operands: a use is short, what it names may be long.
const MAX_PARTS: usize = 1 << 20;

/// The same tree without tuples; `names` are its [`names`].
pub(crate) fn flatten<'a>(tree: &Tree<'a>, names: &'a [String]) -> Result<Tree<'a>, Vec<Diagnostic>> {
    let mut tree = tree.clone();
    let mut names = names.iter();
    let mut diags = Vec::new();
    let mut left = MAX_PARTS;
    for func in &mut tree.funcs {
        let mut flat = Flattening {
            parts: BTreeMap::new(),
            left: &mut left,
            slot_names: std::mem::take(&mut func.slot_names),
            wrong: None,
        };
        flat.func(func, &mut names);
        func.slot_names = flat.slot_names;
        if let Some((at, message)) = flat.wrong {
            diags.push(Diagnostic::error(tree.places.pos(at), message));
        }
    }
    if diags.is_empty() { Ok(tree) } else { Err(diags) }
}

/// What a value is made of.
#[derive(Clone)]
enum Part {
    Slot(u32),
    Tuple(Vec<Part>),
}

impl Part {
    fn slots(&self, out: &mut Vec<u32>) {
        match self {
            Part::Slot(s) => out.push(*s),
            Part::Tuple(items) => items.iter().for_each(|p| p.slots(out)),
        }
    }
}

/// The types in a type, in order.
fn leaves<'a>(ty: &Ty<'a>, out: &mut Vec<Ty<'a>>) {
    match ty {
        Ty::Tuple { items, .. } => items.iter().for_each(|t| leaves(t, out)),
        Ty::Tensor(_) | Ty::Open(_) | Ty::Refused { .. } => out.push(ty.clone()),
    }
}

fn all_leaves<'a>(types: &[Ty<'a>]) -> Vec<Ty<'a>> {
    let mut out = Vec::new();
    types.iter().for_each(|t| leaves(t, &mut out));
    out
}

/// The types of a node's results as written.
fn result_types<'n, 'a>(node: &'n Node<'a>) -> &'n [Ty<'a>] {
    match &node.sig {
        Sig::Fn(_, outs) | Sig::Results(outs) => outs,
        Sig::List(list) if matches!(node.kind, Some(Kind::Identity | Kind::While)) => list,
        Sig::List(list) => list.last().map_or(&[], std::slice::from_ref),
        Sig::None => &[],
    }
}

struct Flattening<'a, 'l> {
    /// How many operands may still be made of tuples.
    left: &'l mut usize,
    /// Values that were taken apart, or moved to another slot.
    parts: BTreeMap<u32, Part>,
    slot_names: Vec<&'a str>,
    /// The first thing that is wrong.
    wrong: Option<(usize, String)>,
}

impl<'a> Flattening<'a, '_> {
    fn func(&mut self, func: &mut Func<'a>, names: &mut std::slice::Iter<'a, String>) {
        func.args = self.args(std::mem::take(&mut func.args), Some(names));
        if let Some(results) = &mut func.results {
            if results.iter().any(|(ty, _)| matches!(ty, Ty::Tuple { .. })) {
                // Numbers of results are others then.
                func.attrs.results.clear();
            }
            let flat = std::mem::take(results).into_iter().flat_map(|(ty, info)| {
                let info = info.filter(|_| !matches!(ty, Ty::Tuple { .. }));
                let mut types = Vec::new();
                leaves(&ty, &mut types);
                types.into_iter().map(move |ty| (ty, info))
            });
            *results = flat.collect();
        }
        for node in func.body.iter_mut().flatten() {
            self.node(node);
        }
    }

    fn new_slot(&mut self, name: &'a str) -> u32 {
        self.slot_names.push(name);
        (self.slot_names.len() - 1) as u32
    }

    /// New slots for what is in a type.
    fn new_parts(&mut self, ty: &Ty<'a>, name: &'a str) -> Part {
        match ty {
            Ty::Tuple { items, .. } => Part::Tuple(items.iter().map(|t| self.new_parts(t, name)).collect()),
            Ty::Tensor(_) | Ty::Open(_) | Ty::Refused { .. } => Part::Slot(self.new_slot(name)),
        }
    }

    /// With names, the arguments of a function; else those of a region.
    fn args(
        &mut self,
        args: Vec<Arg<'a>>,
        mut names: Option<&mut std::slice::Iter<'a, String>>,
    ) -> Vec<Arg<'a>> {
        let mut out = Vec::with_capacity(args.len());
        for arg in args {
            if !matches!(arg.ty, Ty::Tuple { .. }) {
                out.push(arg);
                continue;
            }
            let parts = self.new_parts(&arg.ty, arg.name);
            let (mut slots, mut types) = (Vec::new(), Vec::new());
            parts.slots(&mut slots);
            leaves(&arg.ty, &mut types);
            self.parts.insert(arg.slot, parts);
            for (slot, ty) in slots.into_iter().zip(types) {
                let mut part = Arg { slot, ty, ..arg.clone() };
                if let Some(name) = names.as_mut().and_then(|n| n.next()) {
                    (part.name, part.loc, part.info) = (name, Loc::Name(name), None);
                }
                out.push(part);
            }
        }
        out
    }

    fn fail(&mut self, at: usize, message: String) {
        self.wrong.get_or_insert((at, message));
    }

    fn node(&mut self, node: &mut Node<'a>) {
        match node.kind {
            Some(Kind::Expanded(Expanded::GetTupleElement)) => self.element(node),
            Some(Kind::Expanded(Expanded::Tuple)) => {
                if let Sig::List(types) = &node.sig {
                    node.sig = Sig::Results(types.clone());
                }
                node.kind = Some(Kind::Identity);
            }
            _ => {}
        }
        let operands = std::mem::take(&mut node.operands);
        for operand in operands {
            let Some(part) = self.parts.get(&operand.slot) else {
                node.operands.push(operand);
                continue;
            };
            let mut slots = Vec::new();
            part.slots(&mut slots);
            match self.left.checked_sub(slots.len()) {
                Some(left) => *self.left = left,
                None => {
                    let message = format!("tuples that come to more than {MAX_PARTS} operands");
                    return self.fail(node.at, message);
                }
            }
            node.operands.extend(slots.into_iter().map(|slot| Use { slot, ..operand }));
        }
        self.results(node);
        node.sig = match std::mem::replace(&mut node.sig, Sig::None) {
            Sig::None => Sig::None,
            Sig::Results(list) => Sig::Results(all_leaves(&list).into()),
            Sig::List(list) => Sig::List(all_leaves(&list).into()),
            Sig::Fn(ins, outs) => Sig::Fn(all_leaves(&ins).into(), all_leaves(&outs).into()),
        };
        for Region { args, nodes } in &mut node.regions {
            *args = self.args(std::mem::take(args), None);
            nodes.iter_mut().for_each(|n| self.node(n));
        }
    }

    /// Makes `get_tuple_element` pass on what is in its element.
    fn element(&mut self, node: &mut Node<'a>) {
        node.kind = Some(Kind::Identity);
        let index = match node.attr(&["index"]) {
            Some(Attr::Int(n)) => usize::try_from(*n).ok(),
            _ => None,
        };
        let [operand] = node.operands[..] else {
            return self.fail(node.at, format!("{} takes one operand", node.name));
        };
        let Some(Part::Tuple(items)) = self.parts.get(&operand.slot) else {
            if operand.slot != NO_SLOT {
                self.fail(node.at, format!("{}: %{} is no tuple", node.name, operand.name));
            }
            return;
        };
        let Some(part) = index.and_then(|i| items.get(i)) else {
            let n = items.len();
            let what = format!("the index is not one of the {n} element(s) of %{}", operand.name);
            return self.fail(node.at, format!("get_tuple_element (C1): {what}"));
        };
        let mut slots = Vec::new();
        part.slots(&mut slots);
        node.operands = slots.into_iter().map(|slot| Use { slot, ..operand }).collect();
        if let (Sig::Fn(ins, _), Some(i)) = (&mut node.sig, index)
            && let [Ty::Tuple { items, .. }] = &ins[..]
        {
            *ins = items.get(i).cloned().into_iter().collect();
        }
    }

    /// Where a result is a tuple, all results move to new slots, one after the other.
    fn results(&mut self, node: &mut Node<'a>) {
        let types = result_types(node);
        if types.len() != node.n_results as usize || !types.iter().any(|t| matches!(t, Ty::Tuple { .. })) {
            return;
        }
        let types = types.to_vec();
        let first = self.slot_names.len() as u32;
        for (old, ty) in (node.first_result..).zip(&types) {
            let name = self.slot_names.get(old as usize).copied().unwrap_or("");
            let parts = self.new_parts(ty, name);
            self.parts.insert(old, parts);
        }
        node.first_result = first;
        node.n_results = self.slot_names.len() as u32 - first;
    }
}
