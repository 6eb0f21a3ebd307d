//! Turns a linear program around: cotangents of its results in, cotangents of its tangents out.
//!
//! One rule per op. Cotangents have the types of the primal values; contributions to one value are added in
//! reverse program order, so the result is determined. Signs are carried along, not computed, as far as linear ops
//! go: what is to be negated is subtracted where it meets another contribution. Residual computations are copied;
//! nothing unread stays.

mod contract;
mod control;
mod fft;
pub(crate) mod index;
mod parts;
pub(crate) mod window;

use crate::error::AdError;
use crate::extract::extract;
use crate::linearize::{LinearProgram, constant};
use crate::rules;
use crate::together::extra_arg;
use pullback_base::IdMap;
use pullback_ir::linearity::linear_sets;
use pullback_ir::{
    BinaryOp, Builder, Instr, InstrId, Monoid, Op, Program, Rule, ScatterDims, TensorType, UnaryOp, Value,
};
use std::collections::{BTreeMap, BTreeSet};

/// The transpose of a linear program. Arguments: the residuals, then one cotangent per result; results: one
/// cotangent per tangent argument (zeros where none flows). An error where an op is not linear in the tangents.
pub fn transpose(linear: &LinearProgram) -> Result<Program, AdError> {
    transpose_onto(linear, 0)
}

/// As [`transpose`], but the cotangents of the last `sums` tangents are added to further arguments, one for each, that
/// come last; parts are added in place.
pub(crate) fn transpose_onto(linear: &LinearProgram, sums: usize) -> Result<Program, AdError> {
    let source = linear.program();
    let mut t = Transposer::new(linear);
    for &a in linear.residual_args() {
        t.fixed[a] = Some(t.out.arg(source.value_name(a), source.ty(a).clone()));
    }
    for (i, &r) in source.results().iter().enumerate() {
        let name = source.result_name(i).map(|n| n.strip_prefix("tangent.").unwrap_or(n));
        let ct = extra_arg(&mut t.out, "ct", name, source.ty(r).clone());
        if !t.linear[r] && !is_zero(source, r) {
            let why = "it depends on no tangent and is not the constant 0".to_owned();
            return Err(AdError::NotLinear { op: "a result", at: source.display_name(r), why });
        }
        t.give(r, ct)?;
    }
    let tangents = linear.tangent_args();
    for &a in &tangents[tangents.len().saturating_sub(sums)..] {
        let sum = t.out.arg(None, source.ty(a).clone());
        t.give(a, sum)?;
        t.sums.insert(a);
    }
    for instr in source.instrs().values() {
        t.copy_fixed(instr)?;
    }
    let instrs: Vec<(InstrId, &Instr)> = source.instrs().iter().collect();
    for (id, instr) in instrs.into_iter().rev() {
        for &r in instr.results() {
            t.take_parts(r)?;
        }
        if instr.results().iter().any(|&r| t.cotangents[r].is_some()) {
            t.rule(id, instr)?;
        }
    }
    let mut results = Vec::new();
    for &a in linear.tangent_args() {
        let ty = source.ty(a);
        t.take_parts(a)?;
        results.push((t.settled(a)?.unwrap_or_else(|| t.out.splat(ty, 0.0)), None));
    }
    let built = t.out.so_far();
    Ok(extract(built, built.args(), &results)?)
}

struct Transposer<'l> {
    source: &'l Program,
    out: Builder,
    /// Values that depend on a tangent.
    linear: IdMap<Value, bool>,
    /// The others, in the transposed program.
    fixed: IdMap<Value, Option<Value>>,
    cotangents: IdMap<Value, Option<Value>>,
    /// Where the cotangent is minus that.
    negated: IdMap<Value, bool>,
    /// Cotangents of slices of a value, not added to its cotangent yet.
    parts: BTreeMap<Value, Vec<parts::Part>>,
    /// Tangents whose cotangents are sums that came as arguments.
    sums: BTreeSet<Value>,
}

impl<'l> Transposer<'l> {
    fn new(program: &'l LinearProgram) -> Self {
        let source = program.program();
        let mut linear = IdMap::filled(source.n_values(), false);
        for &a in program.tangent_args() {
            linear[a] = true;
        }
        for instr in source.instrs().values() {
            if instr.operands().iter().any(|&v| linear[v]) {
                for &r in instr.results() {
                    linear[r] = true;
                }
            }
        }
        Transposer {
            source,
            out: Builder::new(format!("{}.transpose", source.name())),
            linear,
            fixed: IdMap::filled(source.n_values(), None),
            cotangents: IdMap::filled(source.n_values(), None),
            negated: IdMap::filled(source.n_values(), false),
            parts: BTreeMap::new(),
            sums: BTreeSet::new(),
        }
    }

    fn copy_fixed(&mut self, instr: &Instr) -> Result<(), AdError> {
        if self.linear[instr.result()] {
            return Ok(());
        }
        let operands: Vec<Value> = instr.operands().iter().map(|&v| self.fixed(v)).collect();
        let made = self.out.push(instr.op().clone(), &operands)?;
        for (&old, &new) in instr.results().iter().zip(&made) {
            self.fixed[old] = Some(new);
        }
        Ok(())
    }

    /// A value that depends on no tangent.
    fn fixed(&self, v: Value) -> Value {
        self.fixed[v].expect("values that depend on no tangent are copied in order")
    }

    fn ty(&self, v: Value) -> &'l TensorType {
        self.source.ty(v)
    }

    /// Adds to a value's cotangent. What depends on no tangent has none.
    fn give(&mut self, v: Value, ct: Value) -> Result<(), AdError> {
        self.give_signed(v, ct, false)
    }

    /// As [`Transposer::give`], of minus `ct` where `negated`.
    fn give_signed(&mut self, v: Value, ct: Value, negated: bool) -> Result<(), AdError> {
        if !self.linear[v] {
            return Ok(());
        }
        let (sum, is_negated) = match (self.cotangents[v], self.negated[v]) {
            (None, _) => (ct, negated),
            (Some(sum), sign) if sign == negated => (self.out.add(sum, ct)?, sign),
            (Some(sum), false) => (self.out.sub(sum, ct)?, false),
            (Some(sum), true) => (self.out.sub(ct, sum)?, false),
        };
        (self.cotangents[v], self.negated[v]) = (Some(sum), is_negated);
        Ok(())
    }

    /// A value's cotangent with its sign; `None` is zero.
    fn settled(&mut self, v: Value) -> Result<Option<Value>, AdError> {
        if let (Some(ct), true) = (self.cotangents[v], self.negated[v]) {
            (self.cotangents[v], self.negated[v]) = (Some(self.out.unary(UnaryOp::Negate, ct)?), false);
        }
        Ok(self.cotangents[v])
    }

    fn all_settled(&mut self, values: &[Value]) -> Result<Vec<Option<Value>>, AdError> {
        values.iter().map(|&v| self.settled(v)).collect()
    }

    /// Positions of the operands that depend on tangents, or the error that the op is not linear in them: they
    /// must lie in one jointly linear set, whose other operands are zero.
    fn positions(&self, instr: &Instr) -> Result<Vec<usize>, AdError> {
        let operands = instr.operands();
        let moving: Vec<usize> = (0..operands.len()).filter(|&i| self.linear[operands[i]]).collect();
        let err = |why: String| {
            let at = self.source.display_name(instr.result());
            Err(AdError::NotLinear { op: instr.op().name(), at, why })
        };
        let sets = linear_sets(instr.op(), operands.len());
        let Some(set) = sets.iter().find(|set| moving.iter().all(|i| set.contains(i))) else {
            return err(format!("operand(s) {moving:?} depend on them"));
        };
        match set.iter().find(|&&i| !moving.contains(&i) && !is_zero(self.source, operands[i])) {
            Some(i) => err(format!("operand {i} is a fixed value that is not the constant 0")),
            None => Ok(moving),
        }
    }

    /// Gives the operands what they get of the results' cotangents, not all of which are zero. Only ops that run programs
    /// have several.
    fn rule(&mut self, id: InstrId, instr: &Instr) -> Result<(), AdError> {
        if !instr.op().regions().is_empty() {
            let cts = self.all_settled(instr.results())?;
            self.all_settled(instr.operands())?;
            if let Op::While { body, .. } = instr.op() {
                return self.while_loop(id, instr, body, &cts);
            }
            if let Op::Case { branches } = instr.op() {
                return self.case(instr, branches, &cts);
            }
            if let Op::Composite(c) = instr.op()
                && let Rule::Transpose { backward } = &c.rule
            {
                return self.by_rule(instr, backward, &cts);
            }
        }
        let &[result] = instr.results() else { return Err(self.no_transpose(instr)) };
        let Some(ct) = self.cotangents[result] else { return Ok(()) };
        let negated = self.negated[result];
        let moving = self.positions(instr)?;
        let x = |i: usize| instr.operands()[i];
        for i in moving {
            if self.sums.contains(&x(i)) {
                let Some(ct) = self.settled(result)? else { continue };
                if self.add_in_place(instr, i, ct)? {
                    continue;
                }
            }
            let turns = *instr.op() == Op::Unary(UnaryOp::Negate)
                || *instr.op() == Op::Binary(BinaryOp::Subtract) && i == 1;
            if self.keep_part(instr.op(), x(i), ct, negated) {
                continue;
            }
            let contribution = self.contribution(instr, i, ct, self.ty(x(i)))?;
            self.give_signed(x(i), contribution, negated != turns)?;
        }
        Ok(())
    }

    /// Where the operand's cotangent is a sum that came as an argument and the op read a part of it: adds to that part.
    fn add_in_place(&mut self, instr: &Instr, i: usize, ct: Value) -> Result<bool, AdError> {
        let x = instr.operands()[i];
        let Some(sum) = self.cotangents[x].filter(|_| self.sums.contains(&x)) else { return Ok(false) };
        let new = if let Op::DynamicSlice { sizes } = instr.op() {
            let starts = self.all_fixed(&instr.operands()[1..]);
            let read = Op::DynamicSlice { sizes: sizes.clone() };
            let part = self.out.push1(read, &[&[sum], &starts[..]].concat())?;
            let part = self.out.add(part, ct)?;
            self.out.push1(Op::DynamicUpdateSlice, &[&[sum, part], &starts[..]].concat())?
        } else if let Op::Gather(g) = instr.op() {
            let indices = self.fixed(instr.operands()[1]);
            index::gather_onto(&mut self.out, sum, ct, indices, g)?
        } else {
            return Ok(false);
        };
        self.cotangents[x] = Some(new);
        Ok(true)
    }

    /// What operand `i`, of type `ty`, gets of the result's cotangent.
    fn contribution(
        &mut self,
        instr: &Instr,
        i: usize,
        ct: Value,
        ty: &TensorType,
    ) -> Result<Value, AdError> {
        let x = |i: usize| instr.operands()[i];
        let b = &mut self.out;
        Ok(match instr.op() {
            // Signs are the caller's.
            Op::Unary(UnaryOp::Negate) => ct,
            Op::Unary(u @ (UnaryOp::Real | UnaryOp::Imag)) => self.number_of(ct, *u, ty)?,
            Op::Binary(BinaryOp::Complex) => part_of(b, ct, i)?,
            Op::Binary(BinaryOp::Add | BinaryOp::Subtract) => ct,
            Op::Binary(op @ (BinaryOp::Multiply | BinaryOp::Divide)) => {
                let other = self.fixed(x(1 - i));
                self.out.binary(*op, ct, other)?
            }
            Op::Select => self.chosen(instr, i, ct, ty)?,
            Op::Convert { .. } => b.convert(ct, ty.dtype())?,
            Op::BroadcastInDim { dims, .. } => index::broadcast(b, ct, dims, ty)?,
            Op::Reshape { .. } => b.reshape(ct, ty.shape())?,
            Op::Transpose { permutation } => b.transpose(ct, &inverse(permutation))?,
            Op::Slice { starts, strides, .. } => index::slice(b, ct, starts, strides, ty)?,
            Op::Concatenate { dim } => self.part(instr, *dim, i, ct)?,
            Op::Pad { low, high, interior } if i == 0 => index::pad(b, ct, (low, high), interior, ty)?,
            op @ Op::Pad { .. } => index::padding_value(b, ct, op, self.source.ty(x(0)))?,
            Op::Reverse { dims } => b.push1(Op::Reverse { dims: dims.clone() }, &[ct])?,
            Op::DotGeneral(_) | Op::Convolution(_) => self.contraction(instr, i, ct, ty)?,
            Op::Reduce { dims, monoid: Monoid::Add } => index::spread(b, ct, dims, ty)?,
            Op::Gather(g) => {
                let indices = self.fixed(x(1));
                index::gather(&mut self.out, ct, indices, g, ty)?
            }
            Op::Scatter { dims, combiner } => self.scatter(instr, dims, *combiner, i, ct)?,
            Op::DynamicSlice { .. } | Op::DynamicUpdateSlice => self.dynamic(instr, i, ct, ty)?,
            Op::ReduceWindow { window, monoid: Monoid::Add } => window::reduce_sum(b, ct, window, ty)?,
            Op::SelectAndScatter { window, least, monoid: Monoid::Add } => {
                let x = self.fixed(x(0));
                window::select_and_scatter(&mut self.out, ct, x, window, *least, ty)?
            }
            Op::Fft { kind, lengths } => fft::transposed(b, ct, *kind, lengths, ty)?,
            Op::Linalg(op) => {
                // The right-hand side comes last.
                let of = self.all_fixed(&instr.operands()[..i]);
                rules::linalg::solve_transposed(&mut self.out, ct, &of, op)?
            }
            Op::Constant(_)
            | Op::Iota { .. }
            | Op::Unary(_)
            | Op::Binary(_)
            | Op::Compare { .. }
            | Op::Clamp
            | Op::Reduce { .. }
            | Op::BitcastConvert { .. }
            | Op::ReducePrecision { .. }
            | Op::ReduceWindow { .. }
            | Op::SelectAndScatter { .. }
            | Op::Argsort { .. }
            | Op::RngBitGenerator { .. }
            | Op::Communicate(_)
            | Op::While { .. }
            | Op::Case { .. }
            | Op::Composite(_)
            | Op::Custom(_) => return Err(self.no_transpose(instr)),
        })
    }

    /// Operand `i` of dot_general or convolution.
    fn contraction(&mut self, instr: &Instr, i: usize, ct: Value, ty: &TensorType) -> Result<Value, AdError> {
        let other = self.fixed(instr.operands()[1 - i]);
        let b = &mut self.out;
        Ok(if let Op::DotGeneral(d) = instr.op() {
            contract::dot(b, ct, other, d, ty, i == 0)?
        } else if let Op::Convolution(c) = instr.op() {
            let rule = if i == 0 { contract::conv_input } else { contract::conv_kernel };
            rule(b, ct, other, c, ty)?
        } else {
            return Err(self.no_transpose(instr));
        })
    }

    /// An op that only its transpose is known of: residuals, then tangents.
    fn by_rule(&mut self, instr: &Instr, backward: &Program, cts: &[Option<Value>]) -> Result<(), AdError> {
        let moving = self.positions(instr)?;
        let operands = instr.operands();
        let first = operands.len() - backward.results().len();
        let mut ins = self.all_fixed(&operands[..first]);
        for (&r, ct) in instr.results().iter().zip(cts) {
            let ty = self.ty(r);
            ins.push(ct.unwrap_or_else(|| self.out.splat(ty, 0.0)));
        }
        let all = self.out.inline(backward, &ins, Some(""))?;
        for i in moving {
            self.give(operands[i], all[i - first])?;
        }
        Ok(())
    }

    fn no_transpose(&self, instr: &Instr) -> AdError {
        let at = self.source.display_name(instr.result());
        AdError::NotLinear { op: instr.op().name(), at, why: "it has no transpose".to_owned() }
    }

    /// What a cotangent of the real part, or of the imaginary part, is to the number. C-linear throughout, as in
    /// JAX: a cotangent w stands for the function dz -> Re(w dz).
    fn number_of(&mut self, ct: Value, part: UnaryOp, ty: &TensorType) -> Result<Value, AdError> {
        let real = part == UnaryOp::Real;
        if self.out.ty(ct) == ty {
            // Of a real number: it is its own real part, and its imaginary part is zero.
            return Ok(if real { ct } else { self.out.splat(ty, 0.0) });
        }
        let part = self.out.ty(ct).clone();
        let zeros = self.out.splat(&part, 0.0);
        if real {
            return Ok(self.out.binary(BinaryOp::Complex, ct, zeros)?);
        }
        let minus = self.out.unary(UnaryOp::Negate, ct)?;
        Ok(self.out.binary(BinaryOp::Complex, zeros, minus)?)
    }

    /// The branch `i` of a select.
    fn chosen(&mut self, instr: &Instr, i: usize, ct: Value, ty: &TensorType) -> Result<Value, AdError> {
        let pred = self.fixed(instr.operands()[0]);
        let zeros = self.out.splat(ty, 0.0);
        let (on_true, on_false) = if i == 1 { (ct, zeros) } else { (zeros, ct) };
        Ok(self.out.select(pred, on_true, on_false)?)
    }

    fn all_fixed(&self, values: &[Value]) -> Vec<Value> {
        values.iter().map(|&v| self.fixed(v)).collect()
    }

    /// Operand `i` of dynamic_slice or dynamic_update_slice. Both clamp their starts alike, so each is the other's
    /// transpose at the same starts.
    fn dynamic(&mut self, instr: &Instr, i: usize, ct: Value, ty: &TensorType) -> Result<Value, AdError> {
        let updates = matches!(instr.op(), Op::DynamicUpdateSlice);
        let starts = self.all_fixed(&instr.operands()[if updates { 2 } else { 1 }..]);
        let (base, update) = match (updates, i) {
            (true, 1) => {
                let sizes = ty.shape().to_vec();
                return Ok(self.out.push1(Op::DynamicSlice { sizes }, &[&[ct], &starts[..]].concat())?);
            }
            (true, _) => (ct, self.out.splat(self.source.ty(instr.operands()[1]), 0.0)),
            (false, _) => (self.out.splat(ty, 0.0), ct),
        };
        Ok(self.out.push1(Op::DynamicUpdateSlice, &[&[base, update], &starts[..]].concat())?)
    }

    /// A scatter's operand (`i` = 0) or updates.
    fn scatter(
        &mut self,
        instr: &Instr,
        dims: &ScatterDims,
        combiner: Option<Monoid>,
        i: usize,
        ct: Value,
    ) -> Result<Value, AdError> {
        let indices = self.fixed(instr.operands()[1]);
        let updates = self.ty(instr.operands()[2]);
        let b = &mut self.out;
        Ok(match (i, combiner) {
            (0, Some(_)) => ct,
            (0, None) => index::scatter_set_operand(b, ct, indices, dims, updates)?,
            (_, Some(_)) => index::read_back(b, ct, indices, dims, updates)?,
            (_, None) => index::scatter_set_updates(b, ct, indices, dims, updates)?,
        })
    }

    /// The part of a concatenation's cotangent that operand `i` filled.
    fn part(&mut self, instr: &Instr, dim: usize, i: usize, ct: Value) -> Result<Value, AdError> {
        let extent = |v: Value| self.source.ty(v).shape()[dim];
        let start: usize = instr.operands()[..i].iter().map(|&v| extent(v)).sum();
        let end = start + extent(instr.operands()[i]);
        let mut limits = self.out.ty(ct).shape().to_vec();
        let (mut starts, strides) = (vec![0; limits.len()], vec![1; limits.len()]);
        (starts[dim], limits[dim]) = (start, end);
        Ok(self.out.push1(Op::Slice { starts, limits, strides }, &[ct])?)
    }
}

/// What a cotangent of a complex number is to its real part (`i` = 0) or its imaginary part.
fn part_of(b: &mut Builder, ct: Value, i: usize) -> Result<Value, AdError> {
    if i == 0 {
        return Ok(b.unary(UnaryOp::Real, ct)?);
    }
    let minus = b.unary(UnaryOp::Negate, ct)?;
    Ok(b.unary(UnaryOp::Imag, minus)?)
}

/// The permutation that undoes this one.
fn inverse(permutation: &[usize]) -> Vec<usize> {
    let mut inverse = vec![0; permutation.len()];
    for (i, &p) in permutation.iter().enumerate() {
        inverse[p] = i;
    }
    inverse
}

/// Whether a value surely is zero everywhere.
fn is_zero(program: &Program, v: Value) -> bool {
    program.ty(v).count() == 0 || constant(program, v).is_some_and(|l| l.splat_value() == Some(0.0))
}
