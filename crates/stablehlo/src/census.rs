//! A count of the operations in a text, whether or not they can be imported.

use crate::container::with_tree;
use crate::import::{full_name, is_lowered};
use crate::lexer::unescape;
use crate::ops::{Kind, way_out};
use crate::parser::parse;
use crate::tree::{Attr, Node, Tree};
use pullback_base::{Diagnostic, Pos};
use std::collections::BTreeMap;

/// How often an operation occurs in a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpCount {
    /// Occurrences in the text (a function called twice counts once).
    pub count: usize,
    /// Where it occurs first.
    pub first: Pos,
    /// The way out, for an operation the IR does not have.
    pub unsupported: Option<&'static str>,
}

/// Operations of a module, counted by name. Terminators of regions and functions are left out; the reducer of
/// a short-form `applies` counts as one operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Census {
    /// Name with dialect (of a custom call also its target), and how often.
    pub ops: BTreeMap<String, OpCount>,
    /// Names of public functions, in the text's order.
    pub public_functions: Vec<String>,
    /// How many functions there are.
    pub functions: usize,
}

impl Census {
    /// All operations together.
    pub fn total(&self) -> usize {
        self.ops.values().map(|c| c.count).sum()
    }

    /// The operations the IR does not have.
    pub fn unsupported(&self) -> impl Iterator<Item = (&str, &OpCount)> {
        self.ops.iter().filter(|(_, c)| c.unsupported.is_some()).map(|(n, c)| (n.as_str(), c))
    }
}

/// Counts the operations in `text`. Only syntax errors and undefined names fail.
pub fn census(text: &str) -> Result<Census, Vec<Diagnostic>> {
    Ok(census_of(&parse(text)?))
}

/// Counts the operations in a file of any form that [`crate::import_bytes`] takes.
pub fn census_bytes(bytes: &[u8]) -> Result<Census, Vec<Diagnostic>> {
    with_tree(bytes, |tree| Ok(census_of(&tree)))
}

fn census_of(tree: &Tree<'_>) -> Census {
    let public = tree.funcs.iter().filter(|f| f.public).map(|f| unescape(f.name)).collect();
    let mut census = Census { ops: BTreeMap::new(), public_functions: public, functions: tree.funcs.len() };
    count(tree, &tree.others, &mut census);
    for f in &tree.funcs {
        count(tree, f.body.as_deref().unwrap_or(&[]), &mut census);
    }
    census
}

fn count(tree: &Tree<'_>, nodes: &[Node<'_>], census: &mut Census) {
    for node in nodes {
        if node.kind != Some(Kind::Return) && node.name != "sdy.return" {
            // A mesh is not used and does no harm.
            let ok = is_lowered(node) || node.name == "sdy.mesh";
            add(tree, full_name(node), node.at, ok, census);
        }
        if let Some(Attr::Word(op)) = node.attr(&["applies"]) {
            add(tree, unescape(op), node.at, true, census);
        }
        for region in &node.regions {
            count(tree, &region.nodes, census);
        }
    }
}

fn add(tree: &Tree<'_>, name: String, at: usize, ok: bool, census: &mut Census) {
    match census.ops.get_mut(&name) {
        Some(c) => c.count += 1,
        None => {
            let unsupported = (!ok).then(|| way_out(name.split(' ').next().unwrap_or(&name)));
            let first = tree.places.pos(at);
            census.ops.insert(name, OpCount { count: 1, first, unsupported });
        }
    }
}
