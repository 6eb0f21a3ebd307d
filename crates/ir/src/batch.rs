//! Batching: a program computed for every index of some leading dimensions at once.
//!
//! Each value either has the leading dimensions before its own, or is the same for all indices and keeps its own
//! shape. Every op has a rule: dimensions it names shift, contractions and indexed ops take the leading dimensions as
//! batching ones, a choice that differs between indices computes all branches and selects, a loop whose length differs
//! goes on until the last index is done, with the values of those that are done kept. An op without a rule is unrolled
//! over the indices. What an index has to do with others ([`Op::Communicate`]) is the caller's: [`Communicates`].
//!
//! The results at an index are those of the program on the arguments at that index, up to the order in which a
//! contraction sums.

mod contract;
mod control;
mod index;

use crate::build::Builder;
use crate::dtype::TensorType;
use crate::infer::TypeError;
use crate::literal::Literal;
use crate::op::{Communication, Op, WindowDims};
use crate::program::{Instr, Program, Value};
use pullback_base::IdMap;
use std::fmt;

/// A value and whether it has the leading dimensions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Batched {
    /// The value.
    pub value: Value,
    /// Whether it differs between indices: then the leading dimensions come before its own.
    pub varies: bool,
}

/// Why a program cannot be batched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BatchError {
    /// A batched op does not type: something becomes too large.
    Type(TypeError),
    /// It has no meaning, or none that is supported.
    Refused {
        /// The op's name.
        op: &'static str,
        /// What is not supported.
        why: String,
    },
}

impl From<TypeError> for BatchError {
    fn from(e: TypeError) -> Self {
        BatchError::Type(e)
    }
}

impl fmt::Display for BatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BatchError::Type(e) => e.fmt(f),
            BatchError::Refused { op, why } => write!(f, "unsupported: {op}: {why}"),
        }
    }
}

impl std::error::Error for BatchError {}

/// Result of batching.
pub type Result<T> = std::result::Result<T, BatchError>;

/// How indices communicate.
pub trait Communicates {
    /// Appends what an op of communication becomes over these leading dimensions; its result.
    fn communicate(
        &mut self,
        b: &mut Builder,
        lead: &[usize],
        op: &Communication,
        operands: &[Batched],
    ) -> Result<Vec<Batched>>;
}

/// No index knows of another.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Communicates for Alone {
    fn communicate(
        &mut self,
        _: &mut Builder,
        _: &[usize],
        op: &Communication,
        _: &[Batched],
    ) -> Result<Vec<Batched>> {
        Err(refused(op.name(), "it reaches other programs".to_owned()))
    }
}

/// Most ops that are batched, each as often as it is gone through.
const MAX_STEPS: usize = 10_000_000;
/// Most indices over which an op without a rule is unrolled.
const MAX_UNROLLED: usize = 1024;

pub(crate) fn refused(op: &'static str, why: String) -> BatchError {
    BatchError::Refused { op, why }
}

/// Appends `program` for every index of `lead`; gives its results.
pub fn batch(
    b: &mut Builder,
    program: &Program,
    args: &[Batched],
    lead: &[usize],
    others: &mut dyn Communicates,
) -> Result<Vec<Batched>> {
    batch_in(b, program, args, lead, &mut Context { others, left: MAX_STEPS })
}

/// What batching has around it.
struct Context<'c> {
    others: &'c mut dyn Communicates,
    /// How many more ops may be batched: loops within loops are gone through more than once.
    left: usize,
}

fn batch_in(
    b: &mut Builder,
    program: &Program,
    args: &[Batched],
    lead: &[usize],
    context: &mut Context<'_>,
) -> Result<Vec<Batched>> {
    if args.len() != program.args().len() {
        let (n, m) = (program.args().len(), args.len());
        return Err(TypeError::new(format!("{} takes {n} argument(s), got {m}", program.name())).into());
    }
    let mut map = IdMap::filled(program.n_values(), None);
    for (&formal, &actual) in program.args().iter().zip(args) {
        map[formal] = Some(actual);
    }
    let wide = IdMap::filled(program.n_values(), None);
    let mut batcher = Batcher { b, program, lead, map, wide, context };
    for instr in program.instrs().values() {
        batcher.instr(instr)?;
    }
    program.results().iter().map(|&v| batcher.get(v)).collect()
}

/// The value with the leading dimensions, repeated over them where it does not vary.
pub fn widen(b: &mut Builder, x: Batched, lead: &[usize]) -> Result<Value> {
    if x.varies {
        return Ok(x.value);
    }
    let own = b.ty(x.value).shape().to_vec();
    let n = lead.len();
    let dims: Vec<usize> = (n..n + own.len()).collect();
    Ok(b.broadcast(x.value, &[lead, &own].concat(), &dims)?)
}

struct Batcher<'p, 'b, 'c, 'o> {
    b: &'b mut Builder,
    program: &'p Program,
    lead: &'p [usize],
    map: IdMap<Value, Option<Batched>>,
    /// Values that were repeated over the leading dimensions.
    wide: IdMap<Value, Option<Value>>,
    context: &'c mut Context<'o>,
}

impl Batcher<'_, '_, '_, '_> {
    fn n(&self) -> usize {
        self.lead.len()
    }

    fn get(&self, v: Value) -> Result<Batched> {
        self.map[v].ok_or_else(|| TypeError::new("a value is read before it is defined").into())
    }

    /// The value of the program with the leading dimensions.
    fn wide(&mut self, v: Value) -> Result<Value> {
        let x = self.get(v)?;
        if x.varies {
            return Ok(x.value);
        }
        if let Some(wide) = self.wide[v] {
            return Ok(wide);
        }
        let wide = widen(self.b, x, self.lead)?;
        self.wide[v] = Some(wide);
        Ok(wide)
    }

    /// The leading dimensions, then these.
    fn before(&self, own: &[usize]) -> Vec<usize> {
        [self.lead, own].concat()
    }

    /// Dimensions after the leading ones.
    fn shifted(&self, dims: &[usize]) -> Vec<usize> {
        dims.iter().map(|d| d + self.n()).collect()
    }

    /// The leading dimensions, then these after them.
    fn with_lead(&self, dims: &[usize]) -> Vec<usize> {
        (0..self.n()).chain(self.shifted(dims)).collect()
    }

    /// A list with an entry for each leading dimension before.
    fn padded<T: Clone>(&self, neutral: T, own: &[T]) -> Vec<T> {
        let mut out = vec![neutral; self.n()];
        out.extend_from_slice(own);
        out
    }

    fn shape(&self, v: Value) -> &[usize] {
        self.b.ty(v).shape()
    }

    /// The type of a value of the program.
    fn own(&self, v: Value) -> &TensorType {
        self.program.ty(v)
    }

    fn instr(&mut self, instr: &Instr) -> Result<()> {
        match self.context.left.checked_sub(1) {
            Some(left) => self.context.left = left,
            None => {
                let why = format!("more than {MAX_STEPS} steps: loops are nested too deep");
                return Err(refused(instr.op().name(), why));
            }
        }
        let operands = instr.operands().iter().map(|&v| self.get(v)).collect::<Result<Vec<_>>>()?;
        let results = if let Op::Communicate(c) = instr.op() {
            self.context.others.communicate(self.b, self.lead, c, &operands)?
        } else if let Op::While { cond, body } = instr.op() {
            self.while_loop(instr, cond, body)?
        } else if let Op::Case { branches } = instr.op() {
            self.case(instr, branches)?
        } else if let Op::Composite(c) = instr.op() {
            self.composite(instr, c)?
        } else {
            let varies = operands.iter().any(|x| x.varies);
            let results = if varies {
                self.varying(instr, instr.op())?
            } else {
                let values: Vec<Value> = operands.iter().map(|x| x.value).collect();
                self.b.push(instr.op().clone(), &values)?
            };
            results.into_iter().map(|value| Batched { value, varies }).collect()
        };
        for (&old, new) in instr.results().iter().zip(results) {
            self.map[old] = Some(new);
            if let Some(name) = self.program.value_name(old)
                && self.b.so_far().value_name(new.value).is_none()
            {
                self.b.name(new.value, name);
            }
        }
        Ok(())
    }

    /// An op some of whose operands vary.
    fn varying(&mut self, instr: &Instr, op: &Op) -> Result<Vec<Value>> {
        let xs = instr.operands();
        let value = match op {
            Op::Unary(_)
            | Op::Binary(_)
            | Op::Compare { .. }
            | Op::Convert { .. }
            | Op::BitcastConvert { .. }
            | Op::ReducePrecision { .. }
            | Op::Fft { .. } => return self.all_wide(op.clone(), xs),
            Op::Linalg(_) => return self.all_wide(op.clone(), xs),
            Op::Select | Op::Clamp => self.elementwise(instr, op)?,
            Op::BroadcastInDim { shape, dims } => {
                let op = Op::BroadcastInDim { shape: self.before(shape), dims: self.with_lead(dims) };
                return self.all_wide(op, xs);
            }
            Op::Reshape { shape } => return self.all_wide(Op::Reshape { shape: self.before(shape) }, xs),
            Op::Transpose { permutation } => {
                return self.all_wide(Op::Transpose { permutation: self.with_lead(permutation) }, xs);
            }
            Op::Slice { starts, limits, strides } => {
                let op = Op::Slice {
                    starts: self.padded(0, starts),
                    limits: self.before(limits),
                    strides: self.padded(1, strides),
                };
                return self.all_wide(op, xs);
            }
            Op::Concatenate { dim } => return self.all_wide(Op::Concatenate { dim: dim + self.n() }, xs),
            Op::Pad { low, high, interior } => self.pad(instr, low, high, interior)?,
            Op::Reverse { dims } => return self.all_wide(Op::Reverse { dims: self.shifted(dims) }, xs),
            Op::Reduce { dims, monoid } => {
                return self.all_wide(Op::Reduce { dims: self.shifted(dims), monoid: *monoid }, xs);
            }
            Op::ReduceWindow { window, monoid } => {
                let window = Box::new(self.window(window));
                return self.all_wide(Op::ReduceWindow { window, monoid: *monoid }, xs);
            }
            Op::SelectAndScatter { window, least, monoid } => {
                let window = Box::new(self.window(window));
                let op = Op::SelectAndScatter { window, least: *least, monoid: *monoid };
                return self.all_wide(op, xs);
            }
            Op::Argsort { dim, descending, total_order } => {
                let (dim, descending, total_order) = (dim + self.n(), *descending, *total_order);
                return self.all_wide(Op::Argsort { dim, descending, total_order }, xs);
            }
            Op::DotGeneral(dims) => self.dot(instr, dims)?,
            Op::Convolution(dims) => self.convolution(instr, dims)?,
            Op::Gather(dims) => self.gather(instr, dims)?,
            Op::Scatter { dims, combiner } => self.scatter(instr, dims, *combiner)?,
            Op::DynamicSlice { sizes } => self.dynamic_slice(instr, sizes)?,
            Op::DynamicUpdateSlice => self.dynamic_update_slice(instr)?,
            Op::RngBitGenerator { .. } | Op::Custom(_) => return self.unrolled(instr, op),
            // They have no operands, or are handled before.
            Op::Constant(_)
            | Op::Iota { .. }
            | Op::Communicate(_)
            | Op::While { .. }
            | Op::Case { .. }
            | Op::Composite(_) => {
                return self.unrolled(instr, op);
            }
        };
        Ok(vec![value])
    }

    /// An op of operands that all have the leading dimensions.
    fn all_wide(&mut self, op: Op, xs: &[Value]) -> Result<Vec<Value>> {
        let xs = xs.iter().map(|&v| self.wide(v)).collect::<Result<Vec<_>>>()?;
        Ok(self.b.push(op, &xs)?)
    }

    /// select and clamp: a predicate or a bound may be of rank 0, and stay so where it does not vary.
    fn elementwise(&mut self, instr: &Instr, op: &Op) -> Result<Value> {
        let shape = self.own(instr.result()).shape().to_vec();
        let mut xs = Vec::with_capacity(instr.operands().len());
        for (i, &v) in instr.operands().iter().enumerate() {
            let may_be_scalar = matches!((op, i), (Op::Select, 0) | (Op::Clamp, 0 | 2));
            let x = self.get(v)?;
            xs.push(if may_be_scalar && self.own(v).rank() == 0 && !shape.is_empty() {
                if x.varies { self.spread(x.value, &shape)? } else { x.value }
            } else {
                self.wide(v)?
            });
        }
        Ok(self.b.push1(op.clone(), &xs)?)
    }

    /// A scalar at each index, repeated over a shape at each index.
    fn spread(&mut self, x: Value, own: &[usize]) -> Result<Value> {
        let dims: Vec<usize> = (0..self.n()).collect();
        let shape = self.before(own);
        Ok(if own.is_empty() { x } else { self.b.broadcast(x, &shape, &dims)? })
    }

    fn window(&self, w: &WindowDims) -> WindowDims {
        WindowDims {
            sizes: self.padded(1, &w.sizes),
            strides: self.padded(1, &w.strides),
            base_dilations: self.padded(1, &w.base_dilations),
            window_dilations: self.padded(1, &w.window_dilations),
            padding: self.padded((0, 0), &w.padding),
        }
    }

    /// Where the padding value varies, elements are put over it.
    fn pad(&mut self, instr: &Instr, low: &[i64], high: &[i64], interior: &[usize]) -> Result<Value> {
        let (x, value) = (instr.operands()[0], self.get(instr.operands()[1])?);
        let op = Op::Pad {
            low: self.padded(0, low),
            high: self.padded(0, high),
            interior: self.padded(0, interior),
        };
        let x = self.wide(x)?;
        if !value.varies {
            return Ok(self.b.push1(op, &[x, value.value])?);
        }
        let scalar = TensorType::scalar(self.b.ty(x).dtype());
        let zero = self.b.splat(&scalar, 0.0);
        let elements = self.b.push1(op.clone(), &[x, zero])?;
        let bools = self.b.ty(x).with_dtype(crate::DType::Bool);
        let here = self.b.splat(&bools, 1.0);
        let nowhere = self.b.splat(&TensorType::scalar(crate::DType::Bool), 0.0);
        let here = self.b.push1(op, &[here, nowhere])?;
        let own = self.own(instr.result()).shape().to_vec();
        let around = self.spread(value.value, &own)?;
        Ok(self.b.select(here, elements, around)?)
    }

    /// The op once for each index.
    fn unrolled(&mut self, instr: &Instr, op: &Op) -> Result<Vec<Value>> {
        let count: usize = self.lead.iter().product();
        if count > MAX_UNROLLED {
            let why = format!("it would be repeated for {count} indices, more than {MAX_UNROLLED}");
            return Err(refused(op.name(), why));
        }
        let mut flat = Vec::with_capacity(instr.operands().len());
        for &v in instr.operands() {
            let x = self.get(v)?;
            flat.push(if x.varies {
                let shape = [&[count], self.own(v).shape()].concat();
                Err(self.b.reshape(x.value, &shape)?)
            } else {
                Ok(x.value)
            });
        }
        let mut rows: Vec<Vec<Value>> = vec![Vec::with_capacity(count); instr.results().len()];
        for i in 0..count {
            let mut xs = Vec::with_capacity(flat.len());
            for (&v, x) in instr.operands().iter().zip(&flat) {
                xs.push(match *x {
                    Ok(same) => same,
                    Err(all) => self.row(all, i, self.program.ty(v).shape())?,
                });
            }
            for (row, value) in rows.iter_mut().zip(self.b.push(op.clone(), &xs)?) {
                let shape = [&[1], self.shape(value)].concat();
                row.push(self.b.reshape(value, &shape)?);
            }
        }
        let mut out = Vec::with_capacity(rows.len());
        for (row, &v) in rows.iter().zip(instr.results()) {
            let empty = self.before(self.program.ty(v).shape());
            out.push(if row.is_empty() {
                let ty = TensorType::new(self.program.ty(v).dtype(), empty);
                self.b.constant(Literal::splat_f64(ty, 0.0))
            } else {
                let all = self.b.push1(Op::Concatenate { dim: 0 }, row)?;
                self.b.reshape(all, &empty)?
            });
        }
        Ok(out)
    }

    /// Index `i` of the first dimension, which goes.
    fn row(&mut self, x: Value, i: usize, own: &[usize]) -> Result<Value> {
        let mut limits = self.shape(x).to_vec();
        let mut starts = vec![0; limits.len()];
        (starts[0], limits[0]) = (i, i + 1);
        let strides = vec![1; starts.len()];
        let row = self.b.push1(Op::Slice { starts, limits, strides }, &[x])?;
        Ok(self.b.reshape(row, own)?)
    }
}
