//! Lowering a text as it is read, function by function and operation by operation.
//!
//! The tree of a program takes more memory than its text and the program together; here no more of it is there at once
//! than one operation. The result is that of [`super::lower`]. Whatever needs more than an operation and the
//! programs of the functions it calls (tuples, open shapes, computations of single devices, bodies named by custom calls,
//! errors) gives `None`, and the text is read again in the other way.

use super::{FuncLowering, Lowered, Sink, Slot, callees_first, count, dynamic, module_notes, most_of};
use crate::ops::Kind;
use crate::parser::{Bodies, Next, Outline, Skipped};
use crate::specialize::{WRAPPED, arg_names, is_open};
use crate::tree::{Node, Tree};
use crate::tuples;
use pullback_ir::Program;
use std::collections::BTreeMap;

/// Lowers the public functions and whatever they call.
pub(crate) fn lower_text(outline: Outline<'_>) -> Option<Lowered> {
    let (tree, skipped, mut bodies) = outline.into_parts();
    if !is_plain(&tree, &skipped) {
        return None;
    }
    let lines = skipped.iter().flatten().map(|s| s.lines).sum();
    let mut sink = Sink::new(&tree, most_of(lines));
    let index: BTreeMap<&str, usize> = tree.funcs.iter().enumerate().map(|(i, f)| (f.name, i)).collect();
    module_notes(&tree, &mut sink);
    let roots: Vec<usize> = (0..tree.funcs.len()).filter(|&i| tree.funcs[i].public).collect();
    let calls = |i: usize| {
        let symbols =
            skipped[i].iter().flat_map(|s: &Skipped<'_>| s.symbols.iter().map(move |name| (*name, s.at)));
        symbols.collect()
    };
    let order = callees_first(tree.funcs.len(), &index, &roots, &mut sink, calls);
    if index.len() < tree.funcs.len() || roots.is_empty() || !sink.diags.is_empty() {
        return None;
    }
    let mut done: Vec<Option<Program>> = tree.funcs.iter().map(|_| None).collect();
    let (mut total, mut written) = (0, 0);
    for i in order {
        let mut lowering = FuncLowering::new(&tree, &tree.funcs[i], &index, &done, &mut sink, &mut total);
        lowering.args(arg_names(&tree, &tree.funcs[i]), &[]);
        done[i] = Some(lowering.stream(&mut bodies, skipped[i].as_ref()?, &mut written)?);
    }
    for i in (0..tree.funcs.len()).filter(|&i| done[i].is_none()) {
        let Some(body) = &skipped[i] else { continue };
        read(&mut bodies, tree.funcs[i].at, body, &mut written)?;
    }
    if !sink.diags.is_empty() || total > most_of(written) {
        return None;
    }
    let kept = |&i: &usize| sink.annotations.remove(tree.funcs[i].name).unwrap_or_default();
    let annotations = roots.iter().map(kept).collect();
    let functions = roots.into_iter().filter_map(|i| done[i].take()).collect();
    Some(Lowered { functions, notes: sink.notes, annotations })
}

/// Whether nothing beside the bodies of functions asks for the whole tree.
fn is_plain(tree: &Tree<'_>, skipped: &[Option<Skipped<'_>>]) -> bool {
    let first = skipped.iter().flatten().map(|s| s.at).min();
    // The first sharding is noted, and those in bodies are not known.
    let noted = tree.sharding_at.is_none_or(|at| first.is_none_or(|first| at < first));
    noted && !tuples::any(tree) && !tree.funcs.iter().any(|f| is_open(f) || f.name.starts_with(WRAPPED))
}

/// Whether an operation can be lowered without the tree.
fn is_local(node: &Node<'_>) -> bool {
    fn own(node: &Node<'_>) -> bool {
        let named = node.kind == Some(Kind::CustomCall) && node.attr(&["called_computations"]).is_some();
        node.kind != Some(Kind::Manual) && !named && node.regions.iter().flat_map(|r| &r.nodes).all(own)
    }
    let nodes = std::slice::from_ref(node);
    own(node) && !tuples::in_nodes(nodes) && !dynamic::in_nodes(nodes)
}

/// The next operation, counted.
fn next<'a>(bodies: &mut Bodies<'a>, body: &Skipped<'a>, written: &mut usize) -> Option<Next<'a>> {
    let next = bodies.next(body)?;
    if let Next::Node(node) = &next {
        *written += count(std::slice::from_ref(node));
        return is_local(node).then_some(next);
    }
    Some(next)
}

/// Reads a function nobody calls.
fn read<'a>(bodies: &mut Bodies<'a>, at: usize, body: &Skipped<'a>, written: &mut usize) -> Option<()> {
    bodies.open(at)?;
    while let Next::Node(_) = next(bodies, body, written)? {}
    Some(())
}

impl<'a> FuncLowering<'_, 'a, '_> {
    /// The program of a function whose arguments were made.
    fn stream(mut self, bodies: &mut Bodies<'a>, body: &Skipped<'a>, written: &mut usize) -> Option<Program> {
        bodies.open(self.func.at)?;
        loop {
            let Next::Node(node) = next(bodies, body, written)? else { return None };
            let names = self.names.1.to_mut();
            names.clear();
            names.extend_from_slice(bodies.names());
            self.names.0 = bodies.first();
            self.slots.resize_with(self.names.0 as usize + bodies.names().len(), || Slot::Empty);
            if node.kind == Some(Kind::Return) {
                let Next::End = next(bodies, body, written)? else { return None };
                let results = self.returns(&node)?;
                self.keep_annotations(results.len());
                return Some(self.b.finish_named(results));
            }
            self.node(&node);
            if self.broken {
                return None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{ImportOptions, Module, module_of, parser, streamed};
    use std::path::Path;

    fn whole(text: &str) -> Option<Module> {
        module_of(parser::parse(text).ok()?, &ImportOptions::default(), None).ok()
    }

    /// Both ways give the same, or the text is read whole.
    fn agrees(text: &str, name: &str) -> bool {
        let Some(ours) = streamed(text, &ImportOptions::default()) else { return false };
        let want = whole(text).unwrap_or_else(|| panic!("{name}: only the whole tree has errors"));
        assert_eq!(format!("{ours:?}"), format!("{want:?}"), "{name}");
        true
    }

    fn texts(folder: &Path, out: &mut Vec<(String, String)>) {
        for entry in std::fs::read_dir(folder).expect("a folder of the tests").flatten() {
            let path = entry.path();
            if path.is_dir() {
                texts(&path, out);
            } else if path.extension().is_some_and(|e| e == "mlir")
                && let Ok(text) = std::fs::read_to_string(&path)
            {
                let parts = text.split("// -----").map(|part| (path.display().to_string(), part.to_owned()));
                out.extend(parts);
            }
        }
    }

    #[test]
    fn texts_of_the_tests_are_read_alike() {
        let mut all = Vec::new();
        texts(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests"), &mut all);
        let read = all.iter().filter(|(name, text)| agrees(text, name)).count();
        assert!(read > 20, "{read} of {} texts", all.len());
    }

    #[test]
    fn functions_call_others_wherever_they_are() {
        let text = r#"
            func.func public @main(%arg0: tensor<2xf32> loc("x")) -> tensor<2xf32> {
              %0 = call @"a b"(%arg0) : (tensor<2xf32>) -> tensor<2xf32> // { not a brace
              %1:2 = "stablehlo.optimization_barrier"(%0, %0) {text = "}\""} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
              %00 = call @last(%1#1) : (tensor<2xf32>) -> tensor<2xf32> loc(#loc)
              %99999999 = stablehlo.add %00, %00 : tensor<2xf32>
              return %99999999 : tensor<2xf32>
            }
            func.func private @"a b"(%arg0: tensor<2xf32>) -> tensor<2xf32> {
              %0 = func.call @last(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
              return %0 : tensor<2xf32>
            }
            func.func private @alone(%arg0: tensor<2xf32>) -> tensor<2xf32> {
              return %arg0 : tensor<2xf32>
            }
            func.func private @last(%arg0: tensor<2xf32>) -> tensor<2xf32> {
              %cst = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
              %0 = stablehlo.multiply %arg0, %cst : tensor<2xf32>
              return %0 : tensor<2xf32>
            }
            #loc = loc("where")
        "#;
        assert!(agrees(text, "calls"));
        // What is wrong in a function nobody calls is found.
        assert!(streamed(&text.replace("return %arg0", "return %arg1"), &ImportOptions::default()).is_none());
    }

    #[test]
    fn what_needs_the_tree_is_read_whole() {
        let of = |ty: &str, body: &str| {
            format!("func.func @main(%x: {ty}) -> {ty} {{\n  {body}\n  return %x : {ty}\n}}\n")
        };
        let f = "tensor<2xf32>";
        assert!(agrees(&of(f, "%0 = stablehlo.sine %x : tensor<2xf32>"), "plain"));
        for text in [
            of("tensor<?xf32>", ""),
            of(f, "%0 = stablehlo.tuple %x : tuple<tensor<2xf32>>"),
            of(f, "%0 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<2xf32>) -> tensor<i32>"),
            of(
                f,
                "%0 = stablehlo.sine %x {sdy.sharding = #sdy.sharding_per_value<[<@m, [{}]>]>} : tensor<2xf32>",
            ),
            of(f, "%0 = stablehlo.sine %y : tensor<2xf32>"),
            of(f, "%0 = stablehlo.sine %x : tensor<3xf32>"),
            of(f, "%0 = stablehlo.sine %x : tensor<2xf32> }"),
        ] {
            assert!(streamed(&text, &ImportOptions::default()).is_none(), "{text}");
        }
    }
}
