//! What the text says beside values is kept with the program: see [`crate::annotations`].

use super::{FuncLowering, Slot};
use crate::annotations::{Annotation, FunctionAnnotations, Mark, ValueAnnotation, one_sharding, text};
use crate::lexer::unescape;
use crate::sharding::Sdy;
use crate::sharding::parse::sdy_of_text;
use crate::tree::{Attr, Node};
use pullback_base::Severity;
use pullback_ir::Value;

/// Most annotations of values that a function keeps.
const MAX_MARKS: usize = 100_000;

impl<'a> FuncLowering<'_, 'a, '_> {
    /// Keeps what an operation that was lowered says of its values.
    pub(super) fn annotate(&mut self, node: &Node<'a>) {
        match node.name {
            "sdy.sharding_constraint" | "sdy.reshard" => {
                if let Some(Attr::Sdy(sdy)) = node.attr(&["sharding"])
                    && let Some(sharding) = one_sharding(sdy)
                {
                    self.mark(node, 0, Mark::Constraint(sharding));
                }
            }
            "sdy.propagation_barrier" => {
                let direction = match node.attr(&["allowed_direction"]) {
                    Some(Attr::Word(word) | Attr::Str(word)) => (*word).to_owned(),
                    Some(Attr::Int(n)) => {
                        let known = ["NONE", "FORWARD", "BACKWARD", "BOTH"];
                        known
                            .get(usize::try_from(*n).unwrap_or(4))
                            .map_or_else(|| n.to_string(), |w| (*w).to_owned())
                    }
                    _ => return,
                };
                self.mark(node, 0, Mark::Barrier(direction));
            }
            "sdy.sharding_group" => {
                if let (Some(Attr::Int(group)), Some(x)) = (node.attr(&["group_id"]), node.operands.first()) {
                    let mark = Mark::Group(*group);
                    self.mark_slot(node, x.slot, x.name.to_owned(), mark);
                }
            }
            _ => {}
        }
        self.attributes(node);
    }

    /// Attributes that any operation may have.
    fn attributes(&mut self, node: &Node<'a>) {
        for (key, value) in &node.attrs {
            let marks: Vec<Mark> = match (*key, value) {
                ("sdy.sharding", Attr::Sdy(sdy)) => shardings(sdy),
                ("mhlo.sharding", Attr::Str(s)) => vec![Mark::MhloSharding(unescape(s))],
                ("mhlo.frontend_attributes", Attr::Dict(dict)) => {
                    let sdy = text(dict, "xla.sdy.sharding").and_then(|t| sdy_of_text(&t));
                    let kind = text(dict, "_xla_buffer_placement").map(Mark::MemoryKind);
                    sdy.iter().flat_map(shardings).chain(kind).collect()
                }
                _ => continue,
            };
            for (k, mark) in marks.into_iter().take(node.n_results as usize).enumerate() {
                self.mark(node, k as u32, mark);
            }
        }
    }

    fn mark(&mut self, node: &Node<'a>, k: u32, mark: Mark) {
        let name = self.result_name(node, k);
        self.mark_slot(node, node.first_result + k, name, mark);
    }

    fn mark_slot(&mut self, node: &Node<'a>, slot: u32, name: String, mark: Mark) {
        let value = match self.slots.get(slot as usize) {
            Some(Slot::Value(v)) => Some(*v),
            Some(Slot::Constant(_) | Slot::Empty | Slot::Poison) | None => None,
        };
        if self.room(node, 1) {
            self.marks.push(ValueAnnotation { value, name, pos: self.sink.pos(node.at), mark });
        }
    }

    /// Whether more annotations are kept; says so where not.
    fn room(&mut self, node: &Node<'a>, more: usize) -> bool {
        let yes = self.marks.len().saturating_add(more) <= MAX_MARKS;
        if !yes {
            let message = format!("no more than {MAX_MARKS} annotations of values are kept");
            self.sink.note(Severity::Warning, node.at, "annotations", message);
        }
        yes
    }

    /// Keeps what a function that was inlined says of its values, which are these now.
    pub(super) fn inherit(
        &mut self,
        node: &Node<'a>,
        callee: &str,
        new: impl Fn(&Self, Value) -> Option<Value>,
    ) {
        let Some(annotations) = self.sink.annotations.get(callee) else { return };
        let marks = annotations.values.clone();
        if !self.room(node, marks.len()) {
            return;
        }
        for mark in marks {
            let value = mark.value.and_then(|v| new(self, v));
            self.marks.push(ValueAnnotation { value, ..mark });
        }
    }

    /// Inside a loop or a choice values are those of another program: only their names stay, from mark `from` on.
    pub(super) fn forget_values(&mut self, from: usize) {
        for mark in &mut self.marks[from..] {
            mark.value = None;
        }
    }

    /// Ends a function: keeps what is said of it.
    pub(super) fn keep_annotations(&mut self, n_results: usize) {
        let func = self.func;
        let mut args = vec![Annotation::default(); self.b.so_far().args().len()];
        for (slot, dict) in &func.attrs.args {
            let Some(Slot::Value(v)) = self.slots.get(*slot as usize) else { continue };
            if let Some(i) = self.b.so_far().args().iter().position(|a| a == v) {
                args[i] = Annotation::of(dict);
            }
        }
        let results = (0..n_results)
            .map(|i| func.attrs.results.get(i).map_or_else(Annotation::default, |d| Annotation::of(d)))
            .collect();
        let values = std::mem::take(&mut self.marks);
        let kept = FunctionAnnotations { name: unescape(func.name), args, results, values };
        self.sink.annotations.insert(func.name, kept);
    }
}

/// The shardings in an attribute, one for each result.
fn shardings(sdy: &Sdy) -> Vec<Mark> {
    match sdy {
        Sdy::Sharding(s) => vec![Mark::Sharding(s.clone())],
        Sdy::Shardings(list) => list.iter().cloned().map(Mark::Sharding).collect(),
        Sdy::Mesh(_) | Sdy::Axes(_) => Vec::new(),
    }
}
