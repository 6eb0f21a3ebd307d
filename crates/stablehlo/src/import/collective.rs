//! What programs do with each other: one op of communication for each operand.
//!
//! A combination that is no monoid becomes a gathering of all operands and a lifted reduction, in the order of the
//! group. A root that is known only when it runs becomes a choice between the roots there may be.

use super::FuncLowering;
use super::lift::{Body, Join};
use crate::declared::{Declared, Dim};
use crate::ops::collective::{self, Collective};
use crate::ops::{Issue, one};
use crate::tree::Node;
use crate::types::mlir_type;
use pullback_ir::{
    Across, BinaryOp, Communication, Comparison, DType, Groups, Literal, Monoid, Op, TensorType, Value,
};

type R<T> = Result<T, Issue>;

/// Most processes in a group whose root is known only when it runs.
const MAX_ROOTS: usize = 256;

impl<'a> FuncLowering<'_, 'a, '_> {
    pub(super) fn collective(
        &mut self,
        node: &Node<'a>,
        kind: Collective,
        written: &[Declared],
    ) -> Result<(), Issue> {
        let operands = self.values(node)?;
        let values = match kind {
            Collective::PartitionId => vec![self.communicate(Communication::PartitionId, &[])?],
            Collective::ReplicaId => vec![self.communicate(Communication::ReplicaId, &[])?],
            Collective::Send => {
                let channel = collective::channel(node)?;
                vec![self.communicate(Communication::Send { channel }, &operands)?]
            }
            Collective::Recv => {
                let channel = collective::channel(node)?;
                let types = written.split_last().map_or(&[][..], |(_, types)| types);
                let types = types.iter().map(|ty| ty.exact().cloned()).collect::<Option<Vec<TensorType>>>();
                let Some(types) = types else {
                    return Err(Issue::Error(format!("{} gives values whose shapes are known", node.name)));
                };
                let op = Op::Communicate(Box::new(Communication::Recv { channel, types }));
                *self.total += 1;
                self.b.push(op, &operands).map_err(|e| Issue::Error(e.to_string()))?
            }
            Collective::Permute => {
                let (pairs, across) = (collective::pairs(node)?, collective::across_one(node)?);
                vec![self.communicate(Communication::CollectivePermute { pairs, across }, &operands)?]
            }
            Collective::AllGather => self.all_gather(node, &operands, written)?,
            Collective::AllToAll => self.all_to_all(node, &operands)?,
            Collective::AllReduce | Collective::ReduceScatter => {
                self.reducing(node, kind, &operands, written)?
            }
            Collective::CrossReplicaSum => {
                let groups = self.groups(node, Across::Replicas)?;
                let op = Communication::AllReduce { groups, monoid: Monoid::Add };
                operands.iter().map(|&x| self.communicate(op.clone(), &[x])).collect::<R<_>>()?
            }
            Collective::Broadcast => self.broadcasts(node, operands)?,
            Collective::Reduce => self.rooted_reduce(node, operands)?,
        };
        self.results(node, &values, written)
    }

    fn communicate(&mut self, op: Communication, operands: &[Value]) -> R<Value> {
        self.add(Op::Communicate(Box::new(op)), operands)
    }

    fn groups(&self, node: &Node<'a>, across: Across) -> R<Groups> {
        collective::groups(node, across, self.tree)
    }

    /// How many processes a group has, where that follows from groups, the module or a dimension that grew from
    /// `small` to `large`.
    fn group_size(&self, node: &Node<'a>, groups: &Groups, small: usize, large: usize) -> R<usize> {
        let counts = &self.tree.processes;
        let of = match (groups.across, groups.groups.first()) {
            (Across::Replicas | Across::Partitions | Across::FlattenedIds, Some(group)) => Some(group.len()),
            (Across::ReplicasAndPartitions, Some(group)) => {
                counts.partitions.map(|n| n.saturating_mul(group.len()))
            }
            (Across::Replicas, None) => counts.replicas,
            (Across::Partitions, None) => counts.partitions,
            (Across::ReplicasAndPartitions | Across::FlattenedIds, None) => {
                counts.replicas.zip(counts.partitions).map(|(r, p)| r.saturating_mul(p))
            }
        };
        let by_type = if small > 0 && large.is_multiple_of(small) { Some(large / small) } else { None };
        // The types say for how many a program is made; what a module says of itself may be of another grid.
        match (groups.across, by_type, of) {
            (Across::ReplicasAndPartitions, Some(n), _) | (_, _, Some(n)) | (_, Some(n), None) => Ok(n),
            (_, None, None) => Err(Issue::Unsupported(
                format!("{} of groups whose size is not known", node.name),
                "say which processes are in each group, or mhlo.num_replicas and mhlo.num_partitions of the module",
            )),
        }
    }

    fn all_gather(&mut self, node: &Node<'a>, operands: &[Value], written: &[Declared]) -> R<Vec<Value>> {
        let groups = self.groups(node, collective::across_any(node)?)?;
        let dim = one(node, &["all_gather_dim"])?;
        let mut out = Vec::with_capacity(operands.len());
        for (&x, want) in operands.iter().zip(written) {
            let have = self.b.ty(x).shape().get(dim).copied().unwrap_or(0);
            let size = self.group_size(node, &groups, have, size_of(want, dim))?;
            out.push(self.communicate(Communication::AllGather { groups: groups.clone(), dim, size }, &[x])?);
        }
        Ok(out)
    }

    fn all_to_all(&mut self, node: &Node<'a>, operands: &[Value]) -> R<Vec<Value>> {
        let groups = self.groups(node, collective::across_one(node)?)?;
        let op = Communication::AllToAll {
            groups,
            split_dim: one(node, &["split_dimension"])?,
            concat_dim: one(node, &["concat_dimension"])?,
            size: one(node, &["split_count"])?,
        };
        operands.iter().map(|&x| self.communicate(op.clone(), &[x])).collect()
    }

    /// all_reduce and reduce_scatter.
    fn reducing(
        &mut self,
        node: &Node<'a>,
        kind: Collective,
        operands: &[Value],
        written: &[Declared],
    ) -> R<Vec<Value>> {
        let groups = self.groups(node, collective::across_any(node)?)?;
        let scatter = match kind {
            Collective::ReduceScatter => Some(one(node, &["scatter_dimension"])?),
            _ => None,
        };
        let mut out = Vec::with_capacity(operands.len());
        for (&x, want) in operands.iter().zip(written) {
            let (x, combine) = self.combine(node, x)?;
            let size = match scatter {
                None => None,
                Some(dim) => {
                    let have = self.b.ty(x).shape().get(dim).copied().unwrap_or(0);
                    Some((dim, self.group_size(node, &groups, size_of(want, dim), have)?))
                }
            };
            out.push(match (&combine, size) {
                (Combine::Monoid(monoid), None) => self.communicate(
                    Communication::AllReduce { groups: groups.clone(), monoid: *monoid },
                    &[x],
                )?,
                (Combine::Monoid(monoid), Some((dim, size))) => {
                    let groups = groups.clone();
                    self.communicate(
                        Communication::ReduceScatter { groups, monoid: *monoid, dim, size },
                        &[x],
                    )?
                }
                (Combine::Body(body), None) => self.gathered_reduce(node, &groups, body, x)?,
                (Combine::Body(body), Some((dim, size))) => {
                    let all = self.gathered_reduce(node, &groups, body, x)?;
                    self.own_part(&groups, all, dim, size)?
                }
            });
        }
        Ok(out)
    }

    /// How a node's region combines two values, and the operand in the type that it combines.
    fn combine(&mut self, node: &Node<'a>, x: Value) -> R<(Value, Combine)> {
        let dtype = self.b.ty(x).dtype();
        let body = self.body(node, 0, &[dtype])?;
        let types = self.combiner_types(node, &body, &[dtype])?;
        let x = self.convert(x, types[0])?;
        let join = body.joins(1).and_then(|j| j.first().copied());
        Ok(match join {
            Some(Join::Monoid(monoid)) => (x, Combine::Monoid(monoid)),
            Some(Join::Second) | None => (x, Combine::Body(body)),
        })
    }

    /// The operands of a group in a new first dimension, reduced there by any region.
    fn gathered_reduce(&mut self, node: &Node<'a>, groups: &Groups, body: &Body, x: Value) -> R<Value> {
        let shape = self.shape(x);
        let size = self.group_size(node, groups, 0, 0)?;
        let even = match groups.across {
            Across::ReplicasAndPartitions => groups.groups.windows(2).all(|w| w[0].len() == w[1].len()),
            Across::Replicas | Across::Partitions | Across::FlattenedIds => {
                groups.groups.iter().all(|g| g.len() == size)
            }
        };
        if !even {
            return Err(Issue::Unsupported(
                format!("{} of groups of several sizes with a reducer of its own", node.name),
                "combine with add, multiply, maximum, minimum, and, or or, or make groups of one size",
            ));
        }
        let row = self.reshape(x, &[&[1], &shape[..]].concat())?;
        let op = Communication::AllGather { groups: groups.clone(), dim: 0, size };
        let rows = self.communicate(op, &[row])?;
        let last = self.fold_rows(node, body, vec![rows])?;
        self.reshape(last[0], &shape)
    }

    /// Of `n` equal parts along a dimension, the one at the process's place in its group.
    fn own_part(&mut self, groups: &Groups, x: Value, dim: usize, n: usize) -> R<Value> {
        let mut sizes = self.shape(x);
        let rank = sizes.len();
        let Some(size) = sizes.get_mut(dim).filter(|size| n > 0 && size.is_multiple_of(n)) else {
            return Err(Issue::Error(format!("dimension {dim} of {} does not split into {n}", self.b.ty(x))));
        };
        *size /= n;
        let step = *size as i64;
        // Scattered among the group, each gets where its part begins.
        let starts: Vec<i64> = (0..n as i64).map(|k| k * step).collect();
        let starts = self.ints(&[n], &starts)?;
        let op =
            Communication::ReduceScatter { groups: groups.clone(), monoid: Monoid::Maximum, dim: 0, size: n };
        let start = self.communicate(op, &[starts])?;
        let start = self.reshape(start, &[])?;
        let zero = self.number(DType::I32, 0.0);
        let indices = (0..rank).map(|d| if d == dim { start } else { zero });
        let operands: Vec<Value> = std::iter::once(x).chain(indices).collect();
        self.add(Op::DynamicSlice { sizes }, &operands)
    }

    /// An i32 constant.
    fn ints(&mut self, shape: &[usize], values: &[i64]) -> R<Value> {
        let ty = TensorType::new(DType::I32, shape.to_vec());
        let literal = Literal::from_i64s(ty, values)
            .ok_or_else(|| Issue::Error("a group is larger than i32 counts".to_owned()))?;
        *self.total += 1;
        Ok(self.b.constant(literal))
    }

    /// The last operand, where it says which process of a group is the root, for each of the others.
    fn roots(&mut self, node: &Node<'a>, operands: &mut Vec<Value>) -> R<Option<Vec<Value>>> {
        if !collective::is_set(node, "has_dynamic_root") {
            return Ok(None);
        }
        let Some(roots) = operands.pop() else {
            return Err(Issue::Error(format!("{} has no operands", node.name)));
        };
        let n = operands.len();
        let (have, want) = (self.b.ty(roots), TensorType::new(DType::I32, [n]));
        if *have != want {
            let (have, want) = (mlir_type(have), mlir_type(&want));
            return Err(Issue::Error(format!("{}: its roots are {have}, not {want}", node.name)));
        }
        let mut out = Vec::with_capacity(n);
        for k in 0..n {
            let root = self.cut(roots, 0, k..k + 1, 1)?;
            out.push(self.reshape(root, &[])?);
        }
        Ok(Some(out))
    }

    /// Most processes in a group; the groups must be listed.
    fn places(&self, node: &Node<'a>, groups: &Groups) -> R<usize> {
        let n = groups.groups.iter().map(Vec::len).max().unwrap_or(0);
        if n == 0 || n > MAX_ROOTS {
            return Err(Issue::Unsupported(
                format!("{} of groups that are not listed, or of more than {MAX_ROOTS} processes", node.name),
                "list the processes of each group in replica_groups",
            ));
        }
        Ok(n)
    }

    fn broadcasts(&mut self, node: &Node<'a>, mut operands: Vec<Value>) -> R<Vec<Value>> {
        let groups = self.groups(node, collective::across_one(node)?)?;
        let Some(roots) = self.roots(node, &mut operands)? else {
            let op = Communication::CollectiveBroadcast { groups };
            return operands.iter().map(|&x| self.communicate(op.clone(), &[x])).collect();
        };
        let places = self.places(node, &groups)?;
        let mut out = Vec::with_capacity(operands.len());
        for (&x, &root) in operands.iter().zip(&roots) {
            let mut chosen = self.held_at(&groups, x, 0)?;
            for k in 1..places {
                let other = self.held_at(&groups, x, k)?;
                let here = self.number(DType::I32, k as f64);
                let here = self.compare(Comparison::Eq, root, here)?;
                chosen = self.add(Op::Select, &[here, other, chosen])?;
            }
            out.push(chosen);
        }
        Ok(out)
    }

    /// The operand of the process at a place of the group, in all of the group; zeros without one.
    fn held_at(&mut self, groups: &Groups, x: Value, place: usize) -> R<Value> {
        let turned = groups.groups.iter().filter(|g| g.len() > place).map(|g| {
            let mut g = g.clone();
            g.swap(0, place);
            g
        });
        let groups = Groups { groups: turned.collect(), across: groups.across };
        self.communicate(Communication::CollectiveBroadcast { groups }, &[x])
    }

    /// The operands of a group combined, at the root; zeros elsewhere. What is given to a process, zeros without a
    /// giver, is a permutation; whether it was given, the permutation of a constant.
    fn rooted_reduce(&mut self, node: &Node<'a>, mut operands: Vec<Value>) -> R<Vec<Value>> {
        let groups = self.groups(node, collective::across_one(node)?)?;
        let places = self.places(node, &groups)?;
        let roots = self.roots(node, &mut operands)?;
        let mut out = Vec::with_capacity(operands.len());
        for (i, &x) in operands.iter().enumerate() {
            let (x, combine) = self.combine(node, x)?;
            let shape = self.shape(x);
            let mut sum = self.held_at(&groups, x, 0)?;
            for k in 1..places {
                let other = self.held_at(&groups, x, k)?;
                let both = match &combine {
                    Combine::Monoid(monoid) => self.binary(monoid.op(), sum, other)?,
                    Combine::Body(body) => self.apply(node, body, &[sum, other], &shape)?[0],
                };
                sum = if groups.groups.iter().all(|g| g.len() > k) {
                    both
                } else {
                    let yes = self.number(DType::Bool, 1.0);
                    let given = self.held_at(&groups, yes, k)?;
                    self.add(Op::Select, &[given, both, sum])?
                };
            }
            let own = self.own_place(&groups, places)?;
            let root = match &roots {
                Some(roots) => roots[i],
                None => self.number(DType::I32, 0.0),
            };
            let here = self.compare(Comparison::Eq, own, root)?;
            let zero = self.number(self.b.ty(x).dtype(), 0.0);
            let zeros = self.repeat(zero, &shape)?;
            out.push(self.add(Op::Select, &[here, sum, zeros])?);
        }
        Ok(out)
    }

    /// The process's place in its group, -1 in none.
    fn own_place(&mut self, groups: &Groups, places: usize) -> R<Value> {
        let mut place = self.number(DType::I32, -1.0);
        for k in 0..places {
            let pairs = groups.groups.iter().filter_map(|g| g.get(k)).map(|&p| (p, p)).collect();
            let one_more = self.number(DType::I32, (k + 1) as f64);
            let op = Communication::CollectivePermute { pairs, across: groups.across };
            let here = self.communicate(op, &[one_more])?;
            place = self.binary(BinaryOp::Add, place, here)?;
        }
        Ok(place)
    }
}

/// The size of a dimension as it is declared, 0 where it is open or there is none.
fn size_of(ty: &Declared, dim: usize) -> usize {
    match ty {
        Declared::Exact(ty) => ty.shape().get(dim).copied().unwrap_or(0),
        Declared::Open(ty) => match ty.dims.get(dim) {
            Some(Dim::Known(n)) => *n,
            Some(Dim::Open | Dim::AtMost(_)) | None => 0,
        },
    }
}

/// How two values become one.
enum Combine {
    Monoid(Monoid),
    Body(Body),
}
