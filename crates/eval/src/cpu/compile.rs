//! A program as a list of steps with places for all values.

use super::fuse::{Unit, is_whole, units};
use super::graph::{Graph, Kind, NodeData, build};
use super::memory::{Arena, Buffer, Memory, Scratch, Space};
use super::recompute::recompute;
use super::step::{Operand, Step};
use super::tile::Stored;
use super::view::{Node, View};
use super::{algorithms, conv, dot, fold, movement, region, select, slide, sort, tile, window};
use crate::buffer::{ALIGN, AlignedBytes, write_literal};
use crate::device::{Executable, Workspace, check_buffers, describe, signature};
use crate::error::{Result, check_alone};
use crate::reference;
use pullback_base::IdMap;
use pullback_ir::pass::{holds_composites, inline};
use pullback_ir::{Op, Program, TensorType};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Prepares a program for a number of threads; its arena is in the workspace.
pub(super) fn compile(program: &Program, threads: usize, workspace: &Workspace) -> Result<CpuExecutable> {
    check_alone(program)?;
    let inlined;
    let program = if holds_composites(program) {
        inlined = inline(program)?;
        &inlined
    } else {
        program
    };
    let mut graph = build(program)?;
    let mut units = units(&graph);
    recompute(&mut graph, &mut units);
    let places = place(&graph, &units)?;
    let (arg_types, result_types) = signature(program);
    let mut steps: Vec<Box<dyn Step>> = Vec::with_capacity(units.len());
    for unit in &units {
        steps.push(step(&graph, unit, &places)?);
    }
    for (i, v) in graph.results.iter().enumerate() {
        let home = places.of[v.node].map(|b| b.space);
        if home != Some(Space::Result(i)) && v.count() > 0 {
            let out = Buffer { space: Space::Result(i), offset: 0, bytes: result_types[i].bytes() };
            steps.push(Box::new(movement::copy(&operand(&graph, &places, v), out)));
        }
    }
    let scratch = steps.iter().map(|s| s.scratch_bytes()).max().unwrap_or(0);
    workspace.reserve(places.arena, || intermediates(program))?;
    Ok(CpuExecutable {
        scratch: Scratch::new(scratch),
        steps,
        consts: places.consts,
        arena: places.arena,
        workspace: workspace.clone(),
        arg_types,
        result_types,
        threads,
        times: None,
    })
}

/// What the arena holds, for messages.
fn intermediates(program: &Program) -> String {
    let computed = program.instrs().values().flat_map(|i| i.results());
    let largest = computed.max_by_key(|&&v| program.ty(v).bytes());
    let largest = largest.map(|&v| format!(" (the program's largest: {})", describe(program, v)));
    format!("intermediate values{}", largest.unwrap_or_default())
}

/// Where nodes are stored.
struct Places {
    of: IdMap<Node, Option<Buffer>>,
    /// Whether another unit reads the node, or a result does.
    stored: IdMap<Node, bool>,
    /// Nodes in the buffer of an operand of their unit.
    in_place: IdMap<Node, bool>,
    consts: AlignedBytes,
    arena: usize,
}

impl Places {
    fn get(&self, n: Node) -> Buffer {
        self.of[n].unwrap_or(Buffer { space: Space::Const, offset: 0, bytes: 0 })
    }
}

/// The last unit that reads each node (the number of units for results), and whether another unit than its own
/// reads it.
fn lifetimes(graph: &Graph, units: &[Unit]) -> (IdMap<Node, usize>, IdMap<Node, bool>) {
    let mut unit_of: IdMap<Node, Option<usize>> = IdMap::filled(graph.nodes.len(), None);
    for (u, unit) in units.iter().enumerate() {
        for &n in &unit.nodes {
            unit_of[n] = Some(u);
        }
    }
    let mut last = IdMap::filled(graph.nodes.len(), 0);
    let mut stored = IdMap::filled(graph.nodes.len(), false);
    for (u, unit) in units.iter().enumerate() {
        for v in unit.nodes.iter().flat_map(|&n| &graph.nodes[n].ins) {
            last[v.node] = u;
            stored[v.node] = stored[v.node] || unit_of[v.node] != Some(u);
        }
    }
    for v in &graph.results {
        stored[v.node] = true;
        last[v.node] = units.len();
    }
    (last, stored)
}

/// Operands of an elementwise unit whose buffers its results may take: in the arena, read last here, and only
/// element by element.
fn reusable(
    graph: &Graph,
    unit: &Unit,
    u: usize,
    last: &IdMap<Node, usize>,
    of: &IdMap<Node, Option<Buffer>>,
) -> Vec<Node> {
    let mut found: BTreeMap<Node, bool> = BTreeMap::new();
    if unit.elementwise {
        for v in unit.nodes.iter().flat_map(|&n| &graph.nodes[n].ins) {
            if !unit.nodes.contains(&v.node) {
                let space = of[v.node].map(|b| b.space);
                let free = space == Some(Space::Arena) && last[v.node] == u && is_whole(graph, v);
                *found.entry(v.node).or_insert(true) &= free;
            }
        }
    }
    found.into_iter().filter(|&(_, free)| free).map(|(n, _)| n).collect()
}

fn place(graph: &Graph, units: &[Unit]) -> Result<Places> {
    let mut of: IdMap<Node, Option<Buffer>> = IdMap::filled(graph.nodes.len(), None);
    let mut in_place = IdMap::filled(graph.nodes.len(), false);
    let consts = place_inputs(graph, units, &mut of)?;
    for (i, v) in graph.results.iter().enumerate() {
        let data = &graph.nodes[v.node];
        if of[v.node].is_none() && is_whole(graph, v) && data.count() > 0 {
            of[v.node] = Some(Buffer { space: Space::Result(i), offset: 0, bytes: data.bytes() });
        }
    }
    let (last, stored) = lifetimes(graph, units);
    let mut ends: Vec<Vec<Node>> = vec![Vec::new(); units.len() + 1];
    let mut arena = Arena::default();
    for (u, unit) in units.iter().enumerate() {
        let mut free = reusable(graph, unit, u, &last, &of);
        for &n in unit.nodes.iter().filter(|&&n| stored[n]) {
            if of[n].is_some() {
                continue;
            }
            let data = &graph.nodes[n];
            let same = |m: &Node| graph.nodes[*m].dtype.size() == data.dtype.size();
            of[n] = match free.iter().position(same) {
                Some(i) => {
                    let operand = free.remove(i);
                    in_place[n] = true;
                    ends[u].retain(|&m| m != operand);
                    of[operand]
                }
                None => {
                    let bytes = data.bytes();
                    Some(Buffer { space: Space::Arena, offset: arena.take(bytes), bytes })
                }
            };
            ends[last[n].max(u)].push(n);
        }
        for n in std::mem::take(&mut ends[u]) {
            if let Some(b) = of[n] {
                arena.give(b.offset, b.bytes);
            }
        }
    }
    Ok(Places { of, stored, in_place, consts, arena: arena.bytes() })
}

/// Places of arguments and constants; gives the constants' bytes.
fn place_inputs(graph: &Graph, units: &[Unit], of: &mut IdMap<Node, Option<Buffer>>) -> Result<AlignedBytes> {
    let mut read = IdMap::filled(graph.nodes.len(), false);
    let by_units = units.iter().flat_map(|u| &u.nodes).flat_map(|&n| &graph.nodes[n].ins);
    for v in by_units.chain(&graph.results) {
        read[v.node] = true;
    }
    let mut literals = Vec::new();
    let mut total = 0;
    for (n, data) in graph.nodes.iter().filter(|(n, _)| read[*n]) {
        let bytes = data.bytes();
        match &data.kind {
            Kind::Arg(i) => of[n] = Some(Buffer { space: Space::Arg(*i), offset: 0, bytes }),
            Kind::Const(l) => {
                of[n] = Some(Buffer { space: Space::Const, offset: total, bytes });
                literals.push((l, total, bytes));
                total += bytes.next_multiple_of(ALIGN);
            }
            Kind::Copy | Kind::Op(_) | Kind::Packed(_) | Kind::Unpacked(_) => {}
        }
    }
    let mut consts = AlignedBytes::try_zeroed_for(total, || "constants".to_owned())?;
    for (l, offset, bytes) in literals {
        write_literal(l, &mut consts.as_mut_slice()[offset..offset + bytes]);
    }
    Ok(consts)
}

fn operand(graph: &Graph, places: &Places, v: &View) -> Operand {
    Operand { buffer: places.get(v.node), dtype: graph.nodes[v.node].dtype, view: v.clone() }
}

fn step(graph: &Graph, unit: &Unit, places: &Places) -> Result<Box<dyn Step>> {
    if unit.elementwise {
        let place = |n| places.get(n);
        let stored = |n| {
            let stored = Stored { buffer: places.get(n), in_place: places.in_place[n] };
            places.stored[n].then_some(stored)
        };
        return Ok(Box::new(tile::fused(graph, &unit.nodes, &unit.space, &place, &stored)?));
    }
    let n = unit.nodes[0];
    let data = &graph.nodes[n];
    let out = places.get(n);
    let ins: Vec<Operand> = data.ins.iter().map(|v| operand(graph, places, v)).collect();
    let op = match &data.kind {
        Kind::Op(op) => op,
        Kind::Packed(op) => return region::step(op, ins, out),
        Kind::Unpacked(offset) => return Ok(region::unpack(&ins[0], *offset, out)),
        Kind::Arg(_) | Kind::Const(_) | Kind::Copy => return Ok(Box::new(movement::copy(&ins[0], out))),
    };
    if let Some(step) = fast(op, data, &ins, out) {
        return Ok(step);
    }
    let types: Vec<TensorType> = ins.iter().map(|o| TensorType::new(o.dtype, o.view.shape.clone())).collect();
    reference::check_room(op, &types.iter().collect::<Vec<_>>(), &data.ty(), || {
        format!("{} {}", op.name(), data.ty())
    })?;
    Ok(Box::new(algorithms::one(op, ins, out, data.ty(), data.strides.clone())?))
}

/// The step of an op that has an implementation of its own.
fn fast(op: &Op, data: &NodeData, ins: &[Operand], out: Buffer) -> Option<Box<dyn Step>> {
    Some(match op {
        Op::DotGeneral(dims) => Box::new(dot::dot(&ins[0], &ins[1], dims, out, &data.strides)),
        Op::Reduce { dims, monoid } => Box::new(fold::fold(&ins[0], dims, *monoid, out)?),
        Op::Concatenate { dim } => Box::new(movement::concatenate(ins, &data.shape, *dim, out)),
        Op::Pad { low, interior, .. } => {
            Box::new(movement::pad(&ins[0], &ins[1], low, interior, &data.shape, out))
        }
        Op::Reverse { dims } => Box::new(movement::reverse(&ins[0], dims, out)),
        Op::Gather(g) => Box::new(window::gather(&ins[0], &ins[1], g, &data.shape, out)),
        Op::Scatter { dims, combiner } => {
            Box::new(window::scatter(&ins[0], &ins[1], &ins[2], dims, *combiner, out)?)
        }
        Op::DynamicSlice { sizes } => Box::new(movement::DynamicSlice {
            x: ins[0].clone(),
            update: None,
            starts: ins[1..].to_vec(),
            sizes: sizes.clone(),
            out,
        }),
        Op::DynamicUpdateSlice => Box::new(movement::DynamicSlice {
            x: ins[0].clone(),
            update: Some(ins[1].clone()),
            starts: ins[2..].to_vec(),
            sizes: ins[1].view.shape.clone(),
            out,
        }),
        Op::Convolution(c) => Box::new(conv::conv(&ins[0], &ins[1], c, &data.shape, out)),
        Op::ReduceWindow { window, monoid } => {
            Box::new(slide::reduce_window(&ins[0], window, *monoid, &data.shape, out)?)
        }
        Op::SelectAndScatter { window, least, monoid } => {
            Box::new(select::select_and_scatter(&ins[0], &ins[1], window, *least, *monoid, out)?)
        }
        Op::Argsort { dim, descending, total_order } => {
            Box::new(sort::argsort(ins, *dim, *descending, *total_order, out))
        }
        Op::BitcastConvert { .. } if ins[0].dtype.bits() >= 8 && data.dtype.bits() >= 8 => {
            Box::new(algorithms::Bytes { x: ins[0].clone(), out })
        }
        Op::Constant(_)
        | Op::Iota { .. }
        | Op::Unary(_)
        | Op::Binary(_)
        | Op::Compare { .. }
        | Op::Select
        | Op::Clamp
        | Op::Convert { .. }
        | Op::BroadcastInDim { .. }
        | Op::Reshape { .. }
        | Op::Transpose { .. }
        | Op::Slice { .. }
        | Op::BitcastConvert { .. }
        | Op::ReducePrecision { .. }
        | Op::Fft { .. }
        | Op::Linalg(_)
        | Op::RngBitGenerator { .. }
        | Op::Communicate(_)
        | Op::While { .. }
        | Op::Case { .. }
        | Op::Composite(_)
        | Op::Custom(_) => return None,
    })
}

/// A program compiled for the CPU.
pub(super) struct CpuExecutable {
    steps: Vec<Box<dyn Step>>,
    consts: AlignedBytes,
    /// Bytes of the workspace.
    arena: usize,
    workspace: Workspace,
    scratch: Scratch,
    arg_types: Vec<TensorType>,
    result_types: Vec<TensorType>,
    threads: usize,
    /// Time each step took so far, where that is measured.
    times: Option<Vec<Duration>>,
}

impl CpuExecutable {
    /// Runs with this many threads from now on.
    pub(super) fn set_threads(&mut self, threads: usize) {
        self.threads = threads;
    }

    /// Begins to measure steps.
    pub(super) fn measure(&mut self) {
        self.times = Some(vec![Duration::ZERO; self.steps.len()]);
    }

    /// What each step is and how long it took.
    pub(super) fn measured(&self) -> Vec<(String, Duration)> {
        let times = self.times.iter().flatten();
        self.steps.iter().map(|s| s.describe()).zip(times.copied()).collect()
    }
}

/// Bytes at which elements of this type must be aligned.
fn alignment(ty: &TensorType) -> usize {
    ty.dtype().size().min(8)
}

impl Executable for CpuExecutable {
    fn run(&mut self, args: &[&[u8]], results: &mut [&mut [u8]]) -> Result<()> {
        check_buffers(&self.arg_types, &self.result_types, args, results)?;
        let fits = |p: *const u8, ty: &TensorType| p.align_offset(alignment(ty)) == 0;
        // Misaligned arguments are copied in, misaligned results out.
        let moved: Vec<Option<AlignedBytes>> = args
            .iter()
            .zip(&self.arg_types)
            .map(|(a, ty)| (!fits(a.as_ptr(), ty)).then(|| AlignedBytes::try_copy(a)).transpose())
            .collect::<Result<_>>()?;
        let mut aside: Vec<Option<AlignedBytes>> = results
            .iter()
            .zip(&self.result_types)
            .map(|(r, ty)| (!fits(r.as_ptr(), ty)).then(|| AlignedBytes::try_zeroed(r.len())).transpose())
            .collect::<Result<_>>()?;
        let mut arena = self.workspace.lock();
        let memory = Memory {
            args: args
                .iter()
                .zip(&moved)
                .map(|(a, m)| m.as_ref().map_or(a.as_ptr(), |m| m.as_slice().as_ptr()))
                .collect(),
            results: results
                .iter_mut()
                .zip(&mut aside)
                .map(|(r, a)| a.as_mut().map_or(r.as_mut_ptr(), |a| a.as_mut_slice().as_mut_ptr()))
                .collect(),
            consts: self.consts.as_slice().as_ptr(),
            arena: arena.as_mut_slice().as_mut_ptr(),
            scratch: std::mem::take(&mut self.scratch),
        };
        match &mut self.times {
            None => self.steps.iter().for_each(|s| s.run(&memory, self.threads)),
            Some(times) => {
                for (s, t) in self.steps.iter().zip(times) {
                    let start = Instant::now();
                    s.run(&memory, self.threads);
                    *t += start.elapsed();
                }
            }
        }
        self.scratch = memory.scratch;
        for (r, a) in results.iter_mut().zip(&aside) {
            if let Some(a) = a {
                r.copy_from_slice(a.as_slice());
            }
        }
        Ok(())
    }

    fn held_bytes(&self) -> usize {
        let steps = self.steps.iter().map(|s| s.scratch_bytes()).max().unwrap_or(0);
        let nested: usize = self.steps.iter().map(|s| s.held_bytes()).sum();
        self.consts.as_slice().len() + steps * self.threads + nested
    }

    fn workspace_bytes(&self) -> usize {
        self.arena
    }
}
