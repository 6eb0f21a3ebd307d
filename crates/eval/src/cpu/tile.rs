//! Fused elementwise units: all ops of a unit on one tile of a few hundred elements, then the next tile.
//!
//! Values between the ops live in registers: pieces of scratch that stay in the first-level cache. Operands that
//! are contiguous over a tile are read in place, others are loaded into a register first; results that are stored
//! are computed in place. What must hold: tiles cover the space once, whatever the number of threads, and each
//! element's arithmetic does not depend on the tiling.

use super::graph::Graph;
use super::kernels::pool::{parallel_for, split};
use super::memory::{Buffer, Memory};
use super::ops::{Kernel, kernel, run, through_f32};
use super::step::Step;
use super::view::{Node, View, collapse, dense_strides};
use crate::error::Result;
use pullback_base::IdMap;
use pullback_ir::{BinaryOp, DType, Op};
use std::collections::BTreeMap;

/// Elements of a tile are a multiple of this.
const GRAIN: usize = 64;
/// Bounds of the elements of a tile.
const TILE: (usize, usize) = (256, 1024);
/// Scratch that a tile's registers should fit in.
const SCRATCH: usize = 24 << 10;
/// Element operations below which a second thread costs more than it gives.
const MIN_WORK: usize = 1 << 17;

/// How a tile of an operand gets its pointer.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Load {
    /// Contiguous over the whole space.
    Direct,
    /// One element, loaded into a register once.
    Splat,
    /// Loaded for every tile, unless contiguous within it.
    Strided,
}

#[derive(Debug)]
struct Input {
    buffer: Buffer,
    size: usize,
    offset: usize,
    strides: Vec<usize>,
    load: Load,
    register: usize,
}

/// A value within the tile.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Slot {
    Input(usize),
    Register(usize),
    Output(usize),
}

#[derive(Debug)]
struct Output {
    buffer: Buffer,
    size: usize,
    /// The register it waits in until its tile is done, where its buffer is that of an operand.
    waits: Option<usize>,
}

#[derive(Debug)]
struct Code {
    kernel: Kernel,
    ins: [Slot; 3],
    out: Slot,
}

/// A compiled unit.
pub(super) struct Fused {
    sizes: Vec<usize>,
    inputs: Vec<Input>,
    code: Vec<Code>,
    outputs: Vec<Output>,
    tile: usize,
    /// Bytes of registers one thread needs.
    scratch: usize,
}

/// The values of a unit in order: what each op reads and makes, before places are given out.
struct Lower<'a> {
    graph: &'a Graph,
    place: &'a dyn Fn(Node) -> Buffer,
    space: &'a [usize],
    inputs: Vec<(View, DType)>,
    known: BTreeMap<View, usize>,
    values: IdMap<Node, Option<usize>>,
    /// Per value: bytes per element, and where it is stored.
    made: Vec<(usize, Option<Stored>)>,
    code: Vec<(Kernel, Vec<Ref>, usize)>,
}

/// Where a member is stored.
#[derive(Clone, Copy)]
pub(super) struct Stored {
    pub(super) buffer: Buffer,
    /// The buffer is also that of an operand that is read last here, at its own position only.
    pub(super) in_place: bool,
}

/// An operand of an op: an input, or a value made before.
#[derive(Clone, Copy, PartialEq)]
enum Ref {
    Input(usize),
    Value(usize),
}

/// Compiles an elementwise unit. `stored` says where members that others read are stored.
pub(super) fn fused(
    graph: &Graph,
    nodes: &[Node],
    space: &[usize],
    place: &dyn Fn(Node) -> Buffer,
    stored: &dyn Fn(Node) -> Option<Stored>,
) -> Result<Fused> {
    let mut l = Lower {
        graph,
        place,
        space,
        inputs: Vec::new(),
        known: BTreeMap::new(),
        values: IdMap::filled(graph.nodes.len(), None),
        made: Vec::new(),
        code: Vec::new(),
    };
    for &n in nodes {
        l.member(n, stored(n))?;
    }
    Ok(l.finish())
}

impl Lower<'_> {
    fn operand(&mut self, v: &View) -> Ref {
        if let Some(value) = self.values[v.node] {
            return Ref::Value(value);
        }
        let v = v.reshape(self.space).expect("the space is a finer cut of each member's shape");
        let dtype = self.graph.nodes[v.node].dtype;
        let next = self.inputs.len();
        let at = *self.known.entry(v.clone()).or_insert(next);
        if at == next {
            self.inputs.push((v, dtype));
        }
        Ref::Input(at)
    }

    fn emit(&mut self, kernel: Kernel, ins: Vec<Ref>, size: usize, stored: Option<Stored>) -> Ref {
        self.made.push((size, stored));
        self.code.push((kernel, ins, self.made.len() - 1));
        Ref::Value(self.made.len() - 1)
    }

    fn member(&mut self, n: Node, stored: Option<Stored>) -> Result<()> {
        let data = &self.graph.nodes[n];
        let super::graph::Kind::Op(op) = &data.kind else { unreachable!("members are ops") };
        let ins: Vec<Ref> = data.ins.iter().map(|v| self.operand(v)).collect();
        let types: Vec<DType> = data.ins.iter().map(|v| self.graph.nodes[v.node].dtype).collect();
        let Ref::Value(value) = self.op(op, ins, &types, data.dtype, stored)? else {
            unreachable!("an op makes a value")
        };
        self.values[n] = Some(value);
        Ok(())
    }

    fn op(
        &mut self,
        op: &Op,
        ins: Vec<Ref>,
        types: &[DType],
        out: DType,
        stored: Option<Stored>,
    ) -> Result<Ref> {
        let narrow = |d: &DType| matches!(d, DType::F16 | DType::BF16);
        if *op == Op::Clamp {
            let max = Op::Binary(BinaryOp::Maximum);
            let raised = self.op(&max, vec![ins[1], ins[0]], &[out, out], out, None)?;
            let min = Op::Binary(BinaryOp::Minimum);
            return self.op(&min, vec![raised, ins[2]], &[out, out], out, stored);
        }
        if types.iter().any(narrow) && through_f32(op) {
            // Through f32: widen the operands, compute, round once.
            let mut wide = Vec::new();
            for (&r, d) in ins.iter().zip(types) {
                let widen = kernel(&Op::Convert { dtype: DType::F32 }, &[*d], DType::F32)?;
                wide.push(self.emit(widen, vec![r], 4, None));
            }
            let types = vec![DType::F32; types.len()];
            if !narrow(&out) {
                return self.op(op, wide, &types, out, stored);
            }
            let y = self.op(op, wide, &types, DType::F32, None)?;
            let round = kernel(&Op::Convert { dtype: out }, &[DType::F32], out)?;
            return Ok(self.emit(round, vec![y], out.size(), stored));
        }
        Ok(self.emit(kernel(op, types, out)?, ins, out.size(), stored))
    }

    /// Per value: the last op that reads or makes it.
    fn last_uses(&self) -> Vec<usize> {
        let mut last_use = vec![0; self.made.len()];
        for (at, (_, ins, out)) in self.code.iter().enumerate() {
            last_use[*out] = last_use[*out].max(at);
            for r in ins {
                if let Ref::Value(v) = r {
                    last_use[*v] = at;
                }
            }
        }
        last_use
    }

    /// How each input is loaded; `dense` are the strides of the space itself.
    fn loads(&self, strides: Vec<Vec<usize>>, dense: &[usize], registers: &mut Registers) -> Vec<Input> {
        let mut inputs = Vec::with_capacity(strides.len());
        for ((view, dtype), strides) in self.inputs.iter().zip(strides) {
            let load = match () {
                () if strides.iter().all(|&s| s == 0) => Load::Splat,
                () if strides == dense => Load::Direct,
                () => Load::Strided,
            };
            let size = dtype.size();
            let register = if load == Load::Direct { 0 } else { registers.take(size) };
            let buffer = (self.place)(view.node);
            inputs.push(Input { buffer, size, offset: view.offset, strides, load, register });
        }
        inputs
    }

    /// Gives out registers and fixes the tiling.
    fn finish(self) -> Fused {
        let strides: Vec<Vec<usize>> =
            self.inputs.iter().map(|(v, _)| v.strides.clone()).chain([dense_strides(self.space)]).collect();
        let (sizes, mut strides) = collapse(self.space, &strides);
        let dense = strides.pop().expect("the outputs' strides");
        let last_use = self.last_uses();
        // Registers in units of one byte per element: multiplied by the tile once it is known.
        let mut registers = Registers::default();
        let inputs = self.loads(strides, &dense, &mut registers);
        let mut outputs = Vec::new();
        let mut slots: Vec<Slot> = Vec::new();
        let mut code = Vec::new();
        for (at, (kernel, ins, out)) in self.code.into_iter().enumerate() {
            let (size, stored) = self.made[out];
            let slot = match stored {
                Some(Stored { buffer, in_place: true }) => {
                    let register = registers.take(size);
                    outputs.push(Output { buffer, size, waits: Some(register) });
                    Slot::Register(register)
                }
                Some(Stored { buffer, in_place: false }) => {
                    outputs.push(Output { buffer, size, waits: None });
                    Slot::Output(outputs.len() - 1)
                }
                None => Slot::Register(registers.take(size)),
            };
            slots.push(slot);
            let mut operands = [Slot::Register(0); 3];
            for (o, r) in operands.iter_mut().zip(&ins) {
                *o = match *r {
                    Ref::Input(i) => Slot::Input(i),
                    Ref::Value(v) => slots[v],
                };
            }
            let mut done: Vec<usize> =
                ins.iter().filter_map(|r| if let Ref::Value(v) = r { Some(*v) } else { None }).collect();
            done.push(out);
            done.sort_unstable();
            done.dedup();
            for v in done {
                if let (Slot::Register(r), true) = (slots[v], last_use[v] == at && self.made[v].1.is_none()) {
                    registers.give(r, self.made[v].0);
                }
            }
            code.push(Code { kernel, ins: operands, out: slot });
        }
        let width = registers.high.max(1);
        let tile = (SCRATCH / width / GRAIN * GRAIN).clamp(TILE.0, TILE.1);
        Fused { sizes, inputs, code, outputs, tile, scratch: width * tile }
    }
}

/// Free registers by element size; positions are in bytes per element of the tile.
#[derive(Default)]
struct Registers {
    free: BTreeMap<usize, Vec<usize>>,
    high: usize,
}

impl Registers {
    fn take(&mut self, size: usize) -> usize {
        if let Some(r) = self.free.get_mut(&size).and_then(Vec::pop) {
            return r;
        }
        self.high += size;
        self.high - size
    }

    fn give(&mut self, register: usize, size: usize) {
        self.free.entry(size).or_default().push(register);
    }
}

/// Pointers of one run, shared by its threads.
struct Bases {
    inputs: Vec<*const u8>,
    outputs: Vec<*mut u8>,
}
// SAFETY: threads write disjoint tiles of the outputs and only read the inputs.
unsafe impl Sync for Bases {}

impl Step for Fused {
    fn describe(&self) -> String {
        let (o, i, r) = (self.code.len(), self.inputs.len(), self.outputs.len());
        format!("fused {:?}: {o} ops, {i} inputs, {r} outputs", self.sizes)
    }

    fn run(&self, memory: &Memory, threads: usize) {
        let bases = Bases {
            inputs: self
                .inputs
                .iter()
                .map(|i| memory.read_ptr(i.buffer).wrapping_add(i.offset * i.size))
                .collect(),
            outputs: self.outputs.iter().map(|o| memory.write_ptr(o.buffer)).collect(),
        };
        let (inner, rows) = self.rows();
        let per_row = inner.div_ceil(self.tile);
        let rows_per_tile = (self.tile / inner).max(1);
        let tiles = rows.div_ceil(rows_per_tile) * per_row;
        let work = inner * rows * self.code.len();
        let parts = (work / MIN_WORK).min(threads).min(tiles).max(1);
        let scratch = &memory.scratch;
        parallel_for(parts, threads, &|part| {
            scratch.with(|registers| {
                let mut t = Tiles::new(self, &bases, registers.as_mut_ptr());
                for i in split(tiles, parts, 1, part) {
                    let (row, piece) = (i / per_row * rows_per_tile, i % per_row);
                    let start = piece * self.tile;
                    let len = self.tile.min(inner - start);
                    let rows = rows_per_tile.min(rows - row);
                    t.run(row, rows, start, len);
                }
            });
        });
    }

    fn scratch_bytes(&self) -> usize {
        self.scratch
    }
}

impl Fused {
    /// Elements of the innermost dimension, and how many rows of it there are.
    fn rows(&self) -> (usize, usize) {
        match self.sizes.split_last() {
            Some((&inner, outer)) => (inner, outer.iter().product()),
            None => (1, 1),
        }
    }
}

/// One thread's walk over tiles.
struct Tiles<'a> {
    unit: &'a Fused,
    bases: &'a Bases,
    scratch: *mut u8,
    /// Where the current tile of each input is.
    inputs: Vec<*const u8>,
    outputs: Vec<*mut u8>,
    index: Vec<usize>,
}

impl<'a> Tiles<'a> {
    fn new(unit: &'a Fused, bases: &'a Bases, scratch: *mut u8) -> Self {
        let mut t = Self {
            unit,
            bases,
            scratch,
            inputs: bases.inputs.clone(),
            outputs: bases.outputs.clone(),
            index: vec![0; unit.sizes.len()],
        };
        for (i, input) in unit.inputs.iter().enumerate() {
            if input.load == Load::Splat {
                let to = t.register(input.register);
                // SAFETY: the element is readable; the register holds a whole tile.
                unsafe { fill(input.size, bases.inputs[i], to, unit.tile) };
                t.inputs[i] = to;
            }
        }
        t
    }

    fn register(&self, r: usize) -> *mut u8 {
        self.scratch.wrapping_add(r * self.unit.tile)
    }

    /// Elements `start..start + len` of `rows` rows from `row` on; either all of several rows or a part of one.
    fn run(&mut self, row: usize, rows: usize, start: usize, len: usize) {
        let (inner, _) = self.unit.rows();
        let flat = row * inner + start;
        for (i, input) in self.unit.inputs.iter().enumerate() {
            match input.load {
                Load::Splat => {}
                Load::Direct => self.inputs[i] = self.bases.inputs[i].wrapping_add(flat * input.size),
                Load::Strided => self.inputs[i] = self.load(i, row, rows, start, len),
            }
        }
        for (at, (&base, o)) in self.outputs.iter_mut().zip(self.bases.outputs.iter().zip(&self.unit.outputs))
        {
            *at = base.wrapping_add(flat * o.size);
        }
        let slot = |s: Slot| match s {
            Slot::Input(i) => self.inputs[i],
            Slot::Register(r) => self.register(r).cast_const(),
            Slot::Output(o) => self.outputs[o].cast_const(),
        };
        for c in &self.unit.code {
            let ins = c.ins.map(slot);
            // SAFETY: operands were loaded or made before; the tile is within the outputs, and registers of
            // values still needed are not reused.
            unsafe { run(&c.kernel, ins, slot(c.out).cast_mut(), rows * len) };
        }
        for (o, &at) in self.unit.outputs.iter().zip(&self.outputs) {
            if let Some(r) = o.waits {
                // SAFETY: the register holds this tile of the output, which nothing reads any more.
                unsafe { std::ptr::copy_nonoverlapping(self.register(r), at, rows * len * o.size) };
            }
        }
    }

    /// Makes the tile of a strided input contiguous, where it is not.
    fn load(&mut self, i: usize, row: usize, rows: usize, start: usize, len: usize) -> *const u8 {
        let input = &self.unit.inputs[i];
        let (size, strides) = (input.size, &input.strides);
        let outer = strides.len() - 1;
        let step = strides[outer];
        let mut left = row;
        for d in (0..outer).rev() {
            self.index[d] = left % self.unit.sizes[d];
            left /= self.unit.sizes[d];
        }
        let mut offset = start * step + (0..outer).map(|d| self.index[d] * strides[d]).sum::<usize>();
        let base = self.bases.inputs[i];
        if rows == 1 && step == 1 {
            return base.wrapping_add(offset * size);
        }
        let to = self.register(input.register);
        for r in 0..rows {
            // SAFETY: the planner keeps views within their buffers; the register holds a whole tile.
            unsafe { line(size, base.add(offset * size), step, to.add(r * len * size), len) };
            for d in (0..outer).rev() {
                self.index[d] += 1;
                offset += strides[d];
                if self.index[d] < self.unit.sizes[d] {
                    break;
                }
                offset -= strides[d] * self.unit.sizes[d];
                self.index[d] = 0;
            }
        }
        to
    }
}

/// # Safety
/// `from` is one readable element, `to` has room for `len`; both aligned.
unsafe fn fill(size: usize, from: *const u8, to: *mut u8, len: usize) {
    // SAFETY: promised by the caller.
    unsafe { line(size, from, 0, to, len) }
}

/// Copies `len` elements that lie `step` elements apart.
///
/// # Safety
/// All of them are readable, `to` has room for them; both aligned to the element's size (at most 8).
unsafe fn line(size: usize, from: *const u8, step: usize, to: *mut u8, len: usize) {
    /// # Safety
    /// As above.
    unsafe fn typed<T: Copy>(from: *const T, step: usize, to: *mut T, len: usize) {
        // SAFETY: promised by the caller.
        unsafe {
            match step {
                0 => std::slice::from_raw_parts_mut(to, len).fill(*from),
                1 => std::ptr::copy_nonoverlapping(from, to, len),
                _ => {
                    for i in 0..len {
                        *to.add(i) = *from.add(i * step);
                    }
                }
            }
        }
    }
    // SAFETY: promised by the caller.
    unsafe {
        match size {
            1 => typed::<u8>(from, step, to, len),
            2 => typed::<u16>(from.cast(), step, to.cast(), len),
            4 => typed::<u32>(from.cast(), step, to.cast(), len),
            8 => typed::<u64>(from.cast(), step, to.cast(), len),
            _ => typed::<[u64; 2]>(from.cast(), step, to.cast(), len),
        }
    }
}
