//! A program of one device, run by every device of a grid, as one program over whole tensors.
//!
//! Each axis of the grid becomes a leading dimension ([`crate::batch`]): a tensor that is split along axes is reshaped
//! into its parts, the program is computed for all of them at once, and what devices say to each other becomes ops on
//! these dimensions: a sum over devices is a reduction and a repetition, a permutation is rows taken in another order.
//! So differentiation, layouts and evaluation see an ordinary program. The values of device d are those that the
//! devices would compute together, sums in the order of a reduction.

mod exchange;
mod groups;
mod states;

use crate::batch::{self, BatchError, Batched, Result, refused};
use crate::build::Builder;
use crate::infer::TypeError;
use crate::op::{Communication, Op};
use crate::program::{Program, Value};

pub use states::{Doubt, doubts};

/// The devices that run a program, and the axes of their grid that the program knows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Devices {
    /// Sizes of the axes.
    pub axes: Vec<usize>,
    /// The numbers of the devices at each place of the grid, row-major: one for each index of axes that the program
    /// does not know, in one order at all places.
    pub numbers: Vec<Vec<usize>>,
    /// The global program is part of a program of devices itself: communication along axes that this one does not
    /// know is left to that.
    pub nested: bool,
}

/// How a tensor is split over the axes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Spread {
    /// For each dimension, axes that split it, the first the slowest. Along an axis that splits no dimension all
    /// devices have the same.
    pub dims: Vec<Vec<usize>>,
}

/// Appends what the devices compute of whole tensors that are split over them; gives the whole results. Where a
/// result is the same along an axis, it is that of the axis's first device.
pub fn globalize(
    b: &mut Builder,
    body: &Program,
    args: &[Value],
    devices: &Devices,
    ins: &[Spread],
    outs: &[Spread],
) -> Result<Vec<Value>> {
    let lead = &devices.axes;
    let places: usize = lead.iter().product();
    if devices.numbers.len() != places || args.len() != ins.len() || body.results().len() != outs.len() {
        return Err(TypeError::new("the devices or the splits do not fit the program").into());
    }
    let mut parts = Vec::with_capacity(args.len());
    for (&x, spread) in args.iter().zip(ins) {
        parts.push(split(b, x, lead, spread)?);
    }
    let mut global = Global { devices };
    let results = batch::batch(b, body, &parts, lead, &mut global)?;
    results.into_iter().zip(outs).map(|(x, spread)| join(b, x, lead, spread)).collect()
}

/// The axes of a spread are there, each once, and there is an entry for each of `rank` dimensions.
fn check(spread: &Spread, lead: &[usize], rank: usize) -> Result<Vec<usize>> {
    let mut used: Vec<usize> = spread.dims.iter().flatten().copied().collect();
    used.sort_unstable();
    let twice = used.windows(2).any(|w| w[0] == w[1]);
    if twice || used.last().is_some_and(|&a| a >= lead.len()) || spread.dims.len() != rank {
        let why = format!("a tensor of {rank} dimensions is not split as {:?} says", spread.dims);
        return Err(TypeError::new(why).into());
    }
    Ok(used)
}

/// A whole tensor in parts, the axes that split it in front.
fn split(b: &mut Builder, x: Value, lead: &[usize], spread: &Spread) -> Result<Batched> {
    let whole = b.ty(x).clone();
    let used = check(spread, lead, whole.rank())?;
    if used.is_empty() {
        return Ok(Batched { value: x, varies: false });
    }
    // Every dimension as its axes and what is left of it.
    let (mut parted, mut place, mut local) = (Vec::new(), vec![0; lead.len()], Vec::new());
    let mut rests = Vec::new();
    for (d, axes) in spread.dims.iter().enumerate() {
        let n: usize = axes.iter().map(|&a| lead[a]).product();
        if n == 0 || !whole.shape()[d].is_multiple_of(n) {
            return Err(TypeError::new(format!("dimension {d} of {whole} does not split into {n}")).into());
        }
        for &a in axes {
            place[a] = parted.len();
            parted.push(lead[a]);
        }
        rests.push(parted.len());
        parted.push(whole.shape()[d] / n);
        local.push(whole.shape()[d] / n);
    }
    let x = b.reshape(x, &parted)?;
    let permutation: Vec<usize> = used.iter().map(|&a| place[a]).chain(rests).collect();
    let x = b.transpose(x, &permutation)?;
    if used.len() == lead.len() {
        return Ok(Batched { value: x, varies: true });
    }
    let n = lead.len();
    let dims: Vec<usize> = used.iter().copied().chain(n..n + local.len()).collect();
    let value = b.broadcast(x, &[lead, &local].concat(), &dims)?;
    Ok(Batched { value, varies: true })
}

/// The reverse of [`split`].
fn join(b: &mut Builder, x: Batched, lead: &[usize], spread: &Spread) -> Result<Value> {
    let n = lead.len();
    let rank = b.ty(x.value).rank() - if x.varies { n } else { 0 };
    let used = check(spread, lead, rank)?;
    if used.is_empty() && !x.varies {
        return Ok(x.value);
    }
    let x = batch::widen(b, x, lead)?;
    let shape = b.ty(x).shape().to_vec();
    // The first device along axes that split nothing.
    let mut limits = shape.clone();
    for a in (0..n).filter(|a| !used.contains(a)) {
        limits[a] = 1.min(limits[a]);
    }
    let mut x = x;
    if limits != shape {
        let (starts, strides) = (vec![0; shape.len()], vec![1; shape.len()]);
        x = b.push1(Op::Slice { starts, limits, strides }, &[x])?;
    }
    let kept: Vec<usize> = used.iter().map(|&a| lead[a]).chain(shape[n..].iter().copied()).collect();
    let x = b.reshape(x, &kept)?;
    let at = |a: usize| used.iter().position(|&u| u == a).unwrap_or(0);
    let (mut permutation, mut whole) = (Vec::new(), Vec::new());
    for (d, axes) in spread.dims.iter().enumerate() {
        permutation.extend(axes.iter().map(|&a| at(a)));
        permutation.push(used.len() + d);
        whole.push(axes.iter().map(|&a| lead[a]).product::<usize>() * shape[n + d]);
    }
    let x = b.transpose(x, &permutation)?;
    Ok(b.reshape(x, &whole)?)
}

/// Communication among the devices.
struct Global<'d> {
    devices: &'d Devices,
}

impl batch::Communicates for Global<'_> {
    fn communicate(
        &mut self,
        b: &mut Builder,
        lead: &[usize],
        op: &Communication,
        operands: &[Batched],
    ) -> Result<Vec<Batched>> {
        let result = match (op, operands) {
            (Communication::PartitionId, _) => self.partition_id(b)?,
            (Communication::ReplicaId, _) => {
                let zero = b.splat(&crate::TensorType::scalar(crate::DType::U32), 0.0);
                Batched { value: zero, varies: false }
            }
            (Communication::Send { .. } | Communication::Recv { .. }, _) | (_, []) => {
                return Err(refused(
                    op.name(),
                    "a transfer between devices that know of each other".to_owned(),
                ));
            }
            (_, &[x, ..]) => {
                let x = batch::widen(b, x, lead)?;
                self.exchange(b, op, x)?
            }
        };
        Ok(vec![result])
    }
}

impl Global<'_> {
    /// The number of each device.
    fn partition_id(&self, b: &mut Builder) -> Result<Batched> {
        let devices = self.devices;
        if devices.nested && devices.numbers.iter().any(|n| n.len() > 1) {
            return self.numbers_beyond(b);
        }
        let mut ids = Vec::with_capacity(devices.numbers.len());
        for numbers in &devices.numbers {
            let &[id] = &numbers[..] else {
                let why = "it differs along axes of the mesh that the computation is not manual over";
                return Err(refused("partition_id", why.to_owned()));
            };
            ids.push(id as i64);
        }
        let ty = crate::TensorType::new(crate::DType::U32, devices.axes.clone());
        let in_order = ids.iter().enumerate().all(|(i, &id)| i as i64 == id);
        let value = if in_order {
            let flat = crate::TensorType::new(crate::DType::U32, [ids.len()]);
            let iota = b.push1(Op::Iota { ty: flat, dim: 0 }, &[])?;
            b.reshape(iota, &devices.axes)?
        } else {
            match crate::Literal::from_i64s(ty, &ids) {
                Some(literal) => b.constant(literal),
                None => return Err(BatchError::Type(TypeError::new("a device's number is above 2^32"))),
            }
        };
        Ok(Batched { value, varies: true })
    }
}
