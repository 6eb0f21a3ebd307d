//! Loops and choices: regions become programs of their own.
//!
//! What a region reads from outside becomes an operand of the op and an argument of all its regions; constants are
//! made again inside.

use super::calls::constant_of;
use super::{FuncLowering, Slot};
use crate::declared::Declared;
use crate::ops::{Issue, Kind};
use crate::tree::{Node, Region};
use crate::types::{mlir_type, show};
use pullback_ir::literal::decode_i64;
use pullback_ir::{Builder, DType, Literal, Op, Program, TensorType, Value};
use std::collections::BTreeSet;

/// Slots that regions read and do not define.
fn free_slots(regions: &[Region<'_>]) -> BTreeSet<u32> {
    fn walk(nodes: &[Node<'_>], used: &mut BTreeSet<u32>, defined: &mut BTreeSet<u32>) {
        for node in nodes {
            used.extend(node.operands.iter().map(|u| u.slot));
            defined.extend((0..node.n_results).map(|k| node.first_result + k));
            for region in &node.regions {
                defined.extend(region.args.iter().map(|a| a.slot));
                walk(&region.nodes, used, defined);
            }
        }
    }
    let (mut used, mut defined) = (BTreeSet::new(), BTreeSet::new());
    for region in regions {
        defined.extend(region.args.iter().map(|a| a.slot));
        walk(&region.nodes, &mut used, &mut defined);
    }
    used.difference(&defined).copied().collect()
}

/// What regions read from outside.
pub(super) struct Outside {
    /// Slots with their values.
    captured: Vec<(u32, Value, TensorType)>,
    pub(super) constants: Vec<(u32, Literal, String)>,
}

impl Outside {
    /// The captured values.
    pub(super) fn values(&self) -> Vec<Value> {
        self.captured.iter().map(|(_, v, _)| *v).collect()
    }
}

impl<'a> FuncLowering<'_, 'a, '_> {
    pub(super) fn outside(&self, regions: &[Region<'a>]) -> Outside {
        let mut out = Outside { captured: Vec::new(), constants: Vec::new() };
        for slot in free_slots(regions) {
            match self.slots.get(slot as usize) {
                Some(Slot::Constant(c)) => out.constants.push((slot, c.0.clone(), c.1.clone())),
                Some(Slot::Value(v)) => match constant_of(self.b.so_far(), *v) {
                    Some(literal) => {
                        let name = self.b.so_far().value_name(*v).unwrap_or_default().to_owned();
                        out.constants.push((slot, literal.clone(), name));
                    }
                    None => out.captured.push((slot, *v, self.b.ty(*v).clone())),
                },
                Some(Slot::Empty | Slot::Poison) | None => {}
            }
        }
        out
    }

    /// The program of a region; its arguments are the region's (which have these types), then captured values.
    pub(super) fn region(
        &mut self,
        node: &Node<'a>,
        region: &Region<'a>,
        name: &str,
        own: &[TensorType],
        outside: &Outside,
    ) -> Result<Program, Issue> {
        if region.args.len() != own.len() {
            let (n, m) = (region.args.len(), own.len());
            return Err(Issue::Error(format!("{}: {name} takes {n} value(s), there are {m}", node.name)));
        }
        let outer = std::mem::replace(&mut self.b, Builder::new(name));
        let mut saved = Vec::new();
        for (arg, ty) in region.args.iter().zip(own) {
            let v = self.b.arg(None, ty.clone());
            self.set(arg.slot, Slot::Value(v));
        }
        for (slot, _, ty) in &outside.captured {
            let v = self.b.arg(None, ty.clone());
            saved.push((*slot, self.swap(*slot, Slot::Value(v))));
        }
        for (slot, literal, name) in &outside.constants {
            let constant = Slot::Constant(Box::new((literal.clone(), name.clone())));
            saved.push((*slot, self.swap(*slot, constant)));
        }
        let marks = self.marks.len();
        let results = self.region_results(node, region, name, own);
        self.forget_values(marks);
        for (slot, old) in saved {
            self.set(slot, old);
        }
        let inner = std::mem::replace(&mut self.b, outer);
        Ok(inner.finish(&results?))
    }

    fn swap(&mut self, slot: u32, new: Slot) -> Slot {
        match self.slots.get_mut(slot as usize) {
            Some(s) => std::mem::replace(s, new),
            None => new,
        }
    }

    pub(super) fn region_results(
        &mut self,
        node: &Node<'a>,
        region: &Region<'a>,
        name: &str,
        own: &[TensorType],
    ) -> Result<Vec<Value>, Issue> {
        for (arg, ty) in region.args.iter().zip(own) {
            if arg.ty.declared().is_none() {
                self.tensor(&arg.ty);
                return Err(Issue::Reported);
            }
            if !arg.ty.admits(ty) {
                let (have, want) = (show(&arg.ty), mlir_type(ty));
                return Err(Issue::Error(format!("{}: {name} takes {have} where it gets {want}", node.name)));
            }
        }
        let Some((last, rest)) = region.nodes.split_last().filter(|(n, _)| n.kind == Some(Kind::Return))
        else {
            return Err(Issue::Error(format!("{}: {name} does not end with a return", node.name)));
        };
        for inner in rest {
            self.node(inner);
        }
        self.check_operand_types(last)?;
        let results: Option<Vec<Value>> = last.operands.iter().map(|u| self.value(*u)).collect();
        results.ok_or(Issue::Reported)
    }

    pub(super) fn while_loop(&mut self, node: &Node<'a>, written: &[Declared]) -> Result<(), Issue> {
        let [cond, body] = &node.regions[..] else {
            return Err(Issue::Error(format!("{} has two regions, cond and body", node.name)));
        };
        let outside = self.outside(&node.regions);
        let mut operands = Vec::with_capacity(node.operands.len());
        for u in &node.operands {
            operands.push(self.value(*u).ok_or(Issue::Reported)?);
        }
        let own: Vec<TensorType> = operands.iter().map(|&v| self.b.ty(v).clone()).collect();
        let cond = self.region(node, cond, "cond", &own, &outside);
        let body = self.region(node, body, "body", &own, &outside);
        let (cond, body) = (cond?, body?);
        if body.results().len() != own.len() {
            let (n, m) = (body.results().len(), own.len());
            return Err(Issue::Error(format!("{}: body gives {n} value(s) of {m}", node.name)));
        }
        operands.extend(outside.values());
        let op = Op::While { cond: Box::new(cond), body: Box::new(body) };
        self.push_all(node, op, &operands, written)
    }

    /// case by number, or if by predicate (true first).
    pub(super) fn case(&mut self, node: &Node<'a>, written: &[Declared]) -> Result<(), Issue> {
        let &[index] = &node.operands[..] else {
            return Err(Issue::Error(format!("{} takes one operand", node.name)));
        };
        if self.open
            && let Some(k) = self.chosen(node)
        {
            return self.in_place(node, &node.regions[k], written);
        }
        let outside = self.outside(&node.regions);
        let mut index = self.value(index).ok_or(Issue::Reported)?;
        if node.kind == Some(Kind::If) {
            if node.regions.len() != 2 {
                return Err(Issue::Error(format!("{} has two regions", node.name)));
            }
            let scalar = TensorType::scalar(DType::I32);
            let (first, second) = (self.b.splat(&scalar, 0.0), self.b.splat(&scalar, 1.0));
            index = self.b.select(index, first, second)?;
            self.spend(3)?;
        }
        let made: Vec<Result<Program, Issue>> = (node.regions.iter().enumerate())
            .map(|(i, region)| self.region(node, region, &format!("branch{i}"), &[], &outside))
            .collect();
        let branches = made.into_iter().collect::<Result<Vec<Program>, Issue>>()?;
        // A choice that gives nothing has no effect either.
        if written.is_empty() && branches.iter().all(|b| b.results().is_empty()) {
            return Ok(());
        }
        let mut operands = vec![index];
        operands.extend(outside.values());
        self.push_all(node, Op::Case { branches }, &operands, written)
    }

    /// The region that a choice by a constant takes.
    fn chosen(&self, node: &Node<'a>) -> Option<usize> {
        let literal = self.literal(*node.operands.first()?).filter(|l| l.ty().count() == 1)?;
        let last = node.regions.len().checked_sub(1)?;
        match (node.kind, decode_i64(literal.ty().dtype(), literal.element(0))) {
            (Some(Kind::If), holds) => (last == 1).then_some(usize::from(holds == 0)),
            (_, index) => Some(usize::try_from(index).map_or(last, |i| i.min(last))),
        }
    }

    /// Lowers a region without arguments where it stands: its results are the node's.
    fn in_place(&mut self, node: &Node<'a>, region: &Region<'a>, written: &[Declared]) -> Result<(), Issue> {
        let Some((last, rest)) = region.nodes.split_last().filter(|(n, _)| n.kind == Some(Kind::Return))
        else {
            return Err(Issue::Error(format!("{}: a branch does not end with a return", node.name)));
        };
        if last.operands.len() != written.len() {
            let (n, m) = (last.operands.len(), written.len());
            return Err(Issue::Error(format!("{}: a branch gives {n} value(s) of {m}", node.name)));
        }
        for inner in rest {
            self.node(inner);
        }
        for (k, (u, want)) in last.operands.iter().zip(written).enumerate() {
            let slot = self.share(*u);
            self.set_checked(node, k as u32, slot, want)?;
        }
        Ok(())
    }

    fn push_all(
        &mut self,
        node: &Node<'a>,
        op: Op,
        operands: &[Value],
        written: &[Declared],
    ) -> Result<(), Issue> {
        self.spend(1)?;
        let results = self.b.push(op, operands)?;
        self.results(node, &results, written)
    }
}
