//! Collectives as ops on device dimensions.
//!
//! The grid of places is brought into the form [groups, members of a group], where each collective is a few moves.

use super::Global;
use super::groups::{Places, Reach, along_axes};
use crate::batch::{Batched, Result, refused};
use crate::build::Builder;
use crate::dtype::{DType, TensorType};
use crate::literal::Literal;
use crate::op::{Across, Communication, GatherDims, Groups, Monoid, Op};
use crate::program::Value;

/// Most pieces that rows in another order are joined of; more are gathered.
const MAX_PIECES: usize = 8;

/// How places become groups and members.
enum Form {
    /// Members lie along these axes, the others count groups.
    Axes(Vec<usize>),
    /// Places in the order of groups and members, and how many are in a group.
    Listed(Vec<usize>, usize),
}

impl Global<'_> {
    /// The result of a collective of an operand that has the device dimensions.
    pub(super) fn exchange(&self, b: &mut Builder, op: &Communication, x: Value) -> Result<Batched> {
        let groups = match op {
            Communication::CollectivePermute { pairs, across } => {
                return match self.sources(op, pairs, *across)? {
                    Some(sources) => self.permuted(b, x, &sources),
                    None => self.left(b, op, x, Vec::new()),
                };
            }
            Communication::CollectiveBroadcast { groups }
            | Communication::AllGather { groups, .. }
            | Communication::AllReduce { groups, .. }
            | Communication::ReduceScatter { groups, .. }
            | Communication::AllToAll { groups, .. } => groups,
            Communication::PartitionId
            | Communication::ReplicaId
            | Communication::Send { .. }
            | Communication::Recv { .. } => return Err(refused(op.name(), "it has no groups".to_owned())),
        };
        match (self.reach(op, groups)?, op) {
            (Reach::Within(groups), Communication::CollectiveBroadcast { .. }) => {
                let mut sources = vec![None; self.devices.numbers.len()];
                for group in &groups {
                    for &place in group {
                        sources[place] = group.first().copied();
                    }
                }
                self.permuted(b, x, &sources)
            }
            (Reach::Within(groups), _) => self.within(b, op, x, groups),
            (Reach::Beyond(numbers), _) => self.left(b, op, x, numbers),
            (Reach::Both(places, numbers), Communication::AllReduce { .. }) => {
                let sums = self.within(b, op, x, places)?;
                let sums = crate::batch::widen(b, sums, &self.devices.axes)?;
                self.left(b, op, sums, numbers)
            }
            (Reach::Both(..), _) => {
                let why = "it reaches along axes of this computation and of the one around it at once";
                Err(refused(op.name(), why.to_owned()))
            }
        }
    }

    /// What reaches along other axes only is left to the program around this one; dimensions shift.
    fn left(
        &self,
        b: &mut Builder,
        op: &Communication,
        x: Value,
        numbers: Vec<Vec<usize>>,
    ) -> Result<Batched> {
        let n = self.devices.axes.len();
        let mut op = op.clone();
        let new = Groups { groups: numbers, across: Across::FlattenedIds };
        match &mut op {
            Communication::AllGather { groups, dim, .. }
            | Communication::ReduceScatter { groups, dim, .. } => {
                (*groups, *dim) = (new, *dim + n);
            }
            Communication::AllToAll { groups, split_dim, concat_dim, .. } => {
                (*groups, *split_dim, *concat_dim) = (new, *split_dim + n, *concat_dim + n);
            }
            Communication::AllReduce { groups, .. } | Communication::CollectiveBroadcast { groups } => {
                *groups = new
            }
            Communication::CollectivePermute { .. }
            | Communication::PartitionId
            | Communication::ReplicaId
            | Communication::Send { .. }
            | Communication::Recv { .. } => {}
        }
        let value = b.push1(Op::Communicate(Box::new(op)), &[x])?;
        Ok(Batched { value, varies: true })
    }

    /// The number of each device where it differs along other axes too: along those, each device of the program
    /// around this one takes its row of a table.
    pub(super) fn numbers_beyond(&self, b: &mut Builder) -> Result<Batched> {
        let numbers = &self.devices.numbers;
        let others = numbers.first().map_or(0, Vec::len);
        let table: Vec<i64> = (0..others).flat_map(|o| numbers.iter().map(move |at| at[o] as i64)).collect();
        let table = Literal::from_i64s(TensorType::new(DType::U32, [others, numbers.len()]), &table);
        let Some(table) = table else {
            return Err(refused("partition_id", "a device's number is above 2^32".to_owned()));
        };
        let table = b.constant(table);
        let op = Communication::ReduceScatter {
            groups: Groups { groups: numbers.clone(), across: Across::FlattenedIds },
            monoid: Monoid::Maximum,
            dim: 0,
            size: others,
        };
        let row = b.push1(Op::Communicate(Box::new(op)), &[table])?;
        Ok(Batched { value: b.reshape(row, &self.devices.axes)?, varies: true })
    }

    /// A collective among places.
    fn within(&self, b: &mut Builder, op: &Communication, x: Value, groups: Places) -> Result<Batched> {
        let places: usize = self.devices.numbers.len();
        let mut listed: Vec<usize> = groups.iter().flatten().copied().collect();
        let size = groups.first().map_or(0, Vec::len);
        let even = groups.iter().all(|g| g.len() == size);
        if let (Communication::AllReduce { monoid, .. }, false) = (op, even) {
            return self.uneven_reduce(b, op, x, *monoid, &groups);
        }
        let form = match along_axes(&groups, &self.devices.axes) {
            Some(axes) => Form::Axes(axes),
            None => Form::Listed(std::mem::take(&mut listed), size),
        };
        let covered = groups.iter().map(Vec::len).sum::<usize>() == places;
        if !covered || !even {
            return Err(refused(
                op.name(),
                "its groups do not have every device, or differ in size".to_owned(),
            ));
        }
        let x = self.grouped(b, x, &form)?;
        let made = Made { groups: b.ty(x).shape()[0], size: b.ty(x).shape()[1] };
        match *op {
            Communication::AllReduce { monoid, .. } => {
                let sum = b.reduce(x, &[1], monoid)?;
                self.to_all(b, sum, made, &form)
            }
            Communication::AllGather { dim, size, .. } => {
                made.holds(op, size)?;
                let all = made.gather(b, x, dim)?;
                self.to_all(b, all, made, &form)
            }
            Communication::ReduceScatter { monoid, dim, size, .. } => {
                made.holds(op, size)?;
                let sum = b.reduce(x, &[1], monoid)?;
                let parts = made.scatter(b, sum, dim)?;
                self.ungrouped(b, parts, &form)
            }
            Communication::AllToAll { split_dim, concat_dim, size, .. } => {
                made.holds(op, size)?;
                let x = made.exchange(b, x, split_dim, concat_dim)?;
                self.ungrouped(b, x, &form)
            }
            Communication::PartitionId
            | Communication::ReplicaId
            | Communication::CollectivePermute { .. }
            | Communication::CollectiveBroadcast { .. }
            | Communication::Send { .. }
            | Communication::Recv { .. } => Err(refused(op.name(), "it has no groups".to_owned())),
        }
    }

    /// Of a value with the device dimensions, the shape without them.
    fn local(&self, b: &Builder, x: Value) -> Vec<usize> {
        b.ty(x).shape()[self.devices.axes.len()..].to_vec()
    }

    /// [axes, local] as [groups, members, local].
    fn grouped(&self, b: &mut Builder, x: Value, form: &Form) -> Result<Value> {
        let axes = &self.devices.axes;
        let local = self.local(b, x);
        match form {
            Form::Axes(along) => {
                let x = b.transpose(x, &self.front(along, local.len()))?;
                let size: usize = along.iter().map(|&a| axes[a]).product();
                let rest: usize = (0..axes.len()).filter(|a| !along.contains(a)).map(|a| axes[a]).product();
                Ok(b.reshape(x, &[&[rest, size], &local[..]].concat())?)
            }
            Form::Listed(order, size) => {
                let flat = self.flat(b, x)?;
                let sources: Vec<Option<usize>> = order.iter().map(|&p| Some(p)).collect();
                let x = rows(b, flat, &sources)?;
                Ok(b.reshape(x, &[&[order.len() / size.max(&1), *size], &local[..]].concat())?)
            }
        }
    }

    /// The axes that are not among these, then these, then the dimensions of a part.
    fn front(&self, along: &[usize], rank: usize) -> Vec<usize> {
        let n = self.devices.axes.len();
        (0..n).filter(|a| !along.contains(a)).chain(along.iter().copied()).chain(n..n + rank).collect()
    }

    /// The reverse of [`Self::grouped`].
    fn ungrouped(&self, b: &mut Builder, x: Value, form: &Form) -> Result<Batched> {
        let axes = &self.devices.axes;
        let local = b.ty(x).shape()[2..].to_vec();
        let value = match form {
            Form::Axes(along) => {
                let front = self.front(along, local.len());
                let sizes: Vec<usize> = front.iter().map(|&d| *axes.get(d).unwrap_or(&0)).collect();
                let shape = [&sizes[..axes.len()], &local[..]].concat();
                let x = b.reshape(x, &shape)?;
                let mut back = vec![0; front.len()];
                for (at, &d) in front.iter().enumerate() {
                    back[d] = at;
                }
                b.transpose(x, &back)?
            }
            Form::Listed(order, _) => {
                let flat = b.reshape(x, &[&[order.len()], &local[..]].concat())?;
                let mut sources = vec![None; order.len()];
                for (at, &place) in order.iter().enumerate() {
                    sources[place] = Some(at);
                }
                let x = rows(b, flat, &sources)?;
                b.reshape(x, &[&axes[..], &local[..]].concat())?
            }
        };
        Ok(Batched { value, varies: true })
    }

    /// [groups, local], the same for all members; the same for all devices if there is one group.
    fn to_all(&self, b: &mut Builder, x: Value, made: Made, form: &Form) -> Result<Batched> {
        let local = b.ty(x).shape()[1..].to_vec();
        if made.groups == 1 {
            return Ok(Batched { value: b.reshape(x, &local)?, varies: false });
        }
        let dims: Vec<usize> = std::iter::once(0).chain(2..2 + local.len()).collect();
        let x = b.broadcast(x, &[&[made.groups, made.size], &local[..]].concat(), &dims)?;
        self.ungrouped(b, x, form)
    }

    /// [axes, local] as [places, local].
    fn flat(&self, b: &mut Builder, x: Value) -> Result<Value> {
        let local = self.local(b, x);
        Ok(b.reshape(x, &[&[self.devices.numbers.len()], &local[..]].concat())?)
    }

    /// At each place the part of another, or zeros.
    fn permuted(&self, b: &mut Builder, x: Value, sources: &[Option<usize>]) -> Result<Batched> {
        let local = self.local(b, x);
        let flat = self.flat(b, x)?;
        let moved = rows(b, flat, sources)?;
        let value = b.reshape(moved, &[&self.devices.axes[..], &local[..]].concat())?;
        Ok(Batched { value, varies: true })
    }

    /// Sums of groups of several sizes: one after the other.
    fn uneven_reduce(
        &self,
        b: &mut Builder,
        op: &Communication,
        x: Value,
        monoid: Monoid,
        groups: &Places,
    ) -> Result<Batched> {
        let local = self.local(b, x);
        let flat = self.flat(b, x)?;
        let mut of = vec![None; self.devices.numbers.len()];
        let mut sums = Vec::with_capacity(groups.len());
        for (k, group) in groups.iter().enumerate() {
            let members: Vec<Option<usize>> = group.iter().map(|&p| Some(p)).collect();
            group.iter().for_each(|&p| of[p] = Some(k));
            let members = rows(b, flat, &members)?;
            let sum = b.reduce(members, &[0], monoid)?;
            sums.push(b.reshape(sum, &[&[1], &local[..]].concat())?);
        }
        if of.contains(&None) {
            return Err(refused(op.name(), "a device is in no group".to_owned()));
        }
        let sums = b.push1(Op::Concatenate { dim: 0 }, &sums)?;
        let all = rows(b, sums, &of)?;
        let value = b.reshape(all, &[&self.devices.axes[..], &local[..]].concat())?;
        Ok(Batched { value, varies: true })
    }
}

/// How many groups there are and how many members each has.
#[derive(Clone, Copy)]
struct Made {
    groups: usize,
    size: usize,
}

impl Made {
    /// A type that says how many are in a group says so rightly.
    fn holds(self, op: &Communication, size: usize) -> Result<()> {
        if self.size == size {
            return Ok(());
        }
        Err(refused(op.name(), format!("it is for groups of {size} devices, but a group has {}", self.size)))
    }

    /// Of [groups, members, local], the parts of all members one after the other along `dim`.
    fn gather(self, b: &mut Builder, x: Value, dim: usize) -> Result<Value> {
        let local = b.ty(x).shape()[2..].to_vec();
        let rank = local.len();
        let permutation: Vec<usize> =
            std::iter::once(0).chain(2..2 + dim).chain([1]).chain(2 + dim..2 + rank).collect();
        let x = b.transpose(x, &permutation)?;
        let mut whole = local;
        whole[dim] *= self.size;
        Ok(b.reshape(x, &[&[self.groups], &whole[..]].concat())?)
    }

    /// Of [groups, local], to each member its part along `dim`.
    fn scatter(self, b: &mut Builder, x: Value, dim: usize) -> Result<Value> {
        let local = b.ty(x).shape()[1..].to_vec();
        let rank = local.len();
        let parted = [&[self.groups], &local[..dim], &[self.size, local[dim] / self.size], &local[dim + 1..]];
        let x = b.reshape(x, &parted.concat())?;
        let permutation: Vec<usize> =
            [0, 1 + dim].into_iter().chain(1..1 + dim).chain(2 + dim..2 + rank).collect();
        Ok(b.transpose(x, &permutation)?)
    }

    /// Of [groups, members, local], each part along `split` to its member, joined along `concat`.
    fn exchange(self, b: &mut Builder, x: Value, split: usize, concat: usize) -> Result<Value> {
        let mut local = b.ty(x).shape()[2..].to_vec();
        let n = self.size;
        let parted =
            [&[self.groups, n], &local[..split], &[n, local[split] / n], &local[split + 1..]].concat();
        let x = b.reshape(x, &parted)?;
        // Where each dimension of a part is now: past the receivers from `split` on.
        let at = |d: usize| if d < split { 2 + d } else { 3 + d };
        let before = (0..concat).map(at);
        let after = (concat..local.len()).map(at);
        let permutation: Vec<usize> =
            [0, 2 + split].into_iter().chain(before).chain([1]).chain(after).collect();
        let x = b.transpose(x, &permutation)?;
        local[split] /= n;
        local[concat] *= n;
        Ok(b.reshape(x, &[&[self.groups, n], &local[..]].concat())?)
    }
}

/// The rows of a value named so, zeros where none is.
fn rows(b: &mut Builder, x: Value, sources: &[Option<usize>]) -> Result<Value> {
    let ty = b.ty(x).clone();
    if ty.shape()[0] == sources.len() && sources.iter().enumerate().all(|(i, s)| *s == Some(i)) {
        return Ok(x);
    }
    // Rows that follow each other, or zeros.
    let mut pieces: Vec<(Option<usize>, usize)> = Vec::new();
    for &s in sources {
        match pieces.last_mut() {
            Some((Some(first), n)) if s == Some(*first + *n) => *n += 1,
            Some((None, n)) if s.is_none() => *n += 1,
            _ => pieces.push((s, 1)),
        }
    }
    if pieces.len() > MAX_PIECES {
        return gathered(b, x, sources);
    }
    let own = &ty.shape()[1..];
    let mut parts = Vec::with_capacity(pieces.len());
    for (first, n) in pieces {
        parts.push(match first {
            Some(first) => {
                let mut limits = ty.shape().to_vec();
                let mut starts = vec![0; limits.len()];
                (starts[0], limits[0]) = (first, first + n);
                let strides = vec![1; starts.len()];
                b.push1(Op::Slice { starts, limits, strides }, &[x])?
            }
            None => {
                let zeros = TensorType::new(ty.dtype(), [&[n], own].concat());
                b.splat(&zeros, 0.0)
            }
        });
    }
    match parts[..] {
        [one] => Ok(one),
        _ => Ok(b.push1(Op::Concatenate { dim: 0 }, &parts)?),
    }
}

/// [`rows`] by number.
fn gathered(b: &mut Builder, x: Value, sources: &[Option<usize>]) -> Result<Value> {
    let ty = b.ty(x).clone();
    let own = &ty.shape()[1..];
    let n = sources.len();
    let numbers: Vec<i64> = sources.iter().map(|s| s.unwrap_or(0) as i64).collect();
    let numbers = Literal::from_i64s(TensorType::new(DType::I32, [n, 1]), &numbers);
    let Some(numbers) = numbers else {
        return Err(refused("gather", "more rows than i32 counts".to_owned()));
    };
    let numbers = b.constant(numbers);
    let dims = GatherDims {
        offset_dims: (1..=own.len()).collect(),
        collapsed_slice_dims: vec![0],
        operand_batching_dims: Vec::new(),
        start_indices_batching_dims: Vec::new(),
        start_index_map: vec![0],
        index_vector_dim: 1,
        slice_sizes: [&[1], own].concat(),
        indices_are_sorted: false,
    };
    let found = b.push1(Op::Gather(Box::new(dims)), &[x, numbers])?;
    if sources.iter().all(Option::is_some) {
        return Ok(found);
    }
    let here: Vec<i64> = sources.iter().map(|s| i64::from(s.is_some())).collect();
    let Some(here) = Literal::from_i64s(TensorType::new(DType::Bool, [n]), &here) else { return Ok(found) };
    let here = b.constant(here);
    let shape = b.ty(found).shape().to_vec();
    let here = b.broadcast(here, &shape, &[0])?;
    let zeros = b.splat(&TensorType::new(ty.dtype(), shape), 0.0);
    Ok(b.select(here, found, zeros)?)
}
