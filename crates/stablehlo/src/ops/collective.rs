//! Attributes of what programs do with each other: who takes part, and in which way.
//!
//! Source: StableHLO specification, "Collective ops".

use super::{Issue, R, bad, ints, ints_of, natural};
use crate::sharding::{AxisRef, MAX_DEVICES, Mesh, meshes};
use crate::tree::{Attr, Node, Tree, Ty};
use pullback_ir::{Across, Groups};

/// An operation that reaches other programs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Collective {
    AllGather,
    AllReduce,
    AllToAll,
    Broadcast,
    /// An older all_reduce that adds.
    CrossReplicaSum,
    PartitionId,
    Permute,
    Recv,
    Reduce,
    ReduceScatter,
    ReplicaId,
    Send,
}

/// The operation of this name, without its dialect.
pub(super) fn collective_of(op: &str) -> Option<Collective> {
    Some(match op {
        "all_gather" => Collective::AllGather,
        "all_reduce" => Collective::AllReduce,
        "all_to_all" => Collective::AllToAll,
        "cross-replica-sum" => Collective::CrossReplicaSum,
        "collective_broadcast" => Collective::Broadcast,
        "collective_permute" => Collective::Permute,
        "collective_reduce" => Collective::Reduce,
        "partition_id" => Collective::PartitionId,
        "recv" => Collective::Recv,
        "reduce_scatter" => Collective::ReduceScatter,
        "replica_id" => Collective::ReplicaId,
        "send" => Collective::Send,
        _ => return None,
    })
}

/// Whether an attribute that is a flag is set: alone, or `true`.
pub(crate) fn is_set(node: &Node<'_>, key: &str) -> bool {
    matches!(node.attr(&[key]), Some(Attr::Bool(true) | Attr::Raw("unit")))
}

/// The number of an operation's channel, 0 without one.
pub(crate) fn channel(node: &Node<'_>) -> R<i64> {
    match node.attr(&["channel_handle", "channel_id"]) {
        None => Ok(0),
        Some(Attr::Int(n)) => Ok(*n),
        Some(Attr::Dict(handle)) => match handle.iter().find(|(key, _)| *key == "handle") {
            Some((_, Attr::Int(n))) => Ok(*n),
            _ => bad(format!("{}: channel_handle has no handle", node.name)),
        },
        Some(_) => bad(format!("{}: channel_handle is not one", node.name)),
    }
}

/// What numbers stand for in operations that know replicas and partitions apart.
pub(crate) fn across_one(node: &Node<'_>) -> R<Across> {
    if is_set(node, "use_global_device_ids") {
        return Err(Issue::Unsupported(
            format!("use_global_device_ids of {}", node.name),
            "give the numbers of replicas, or with a channel those of partitions",
        ));
    }
    Ok(if channel(node)? > 0 { Across::Partitions } else { Across::Replicas })
}

/// What numbers stand for in operations that may know only processes.
pub(crate) fn across_any(node: &Node<'_>) -> R<Across> {
    match (channel(node)? > 0, is_set(node, "use_global_device_ids")) {
        (false, false) => Ok(Across::Replicas),
        (true, false) => Ok(Across::ReplicasAndPartitions),
        (true, true) => Ok(Across::FlattenedIds),
        (false, true) => bad(format!("{}: use_global_device_ids goes with a channel above 0", node.name)),
    }
}

/// The groups that take part, in a module.
pub(crate) fn groups(node: &Node<'_>, across: Across, tree: &Tree<'_>) -> R<Groups> {
    let groups = match node.attr(&["replica_groups"]) {
        Some(Attr::Dict(dict)) => groups_of_mesh(node, dict, tree)?,
        Some(attr) => {
            let numbers = rows(node, "replica_groups", attr)?;
            numbers.into_iter().map(|row| group(node, row)).collect::<R<Vec<_>>>()?
        }
        None => return bad(format!("{} lacks its attribute replica_groups", node.name)),
    };
    // A table of no groups may have rows.
    Ok(Groups { groups: groups.into_iter().filter(|g| !g.is_empty()).collect(), across })
}

/// A row without the -1 that pad it.
fn group(node: &Node<'_>, mut row: Vec<i64>) -> R<Vec<usize>> {
    while row.last() == Some(&-1) {
        row.pop();
    }
    natural(&format!("{}: replica_groups", node.name), row)
}

/// The rows of a table of whole numbers.
fn rows(node: &Node<'_>, key: &str, attr: &Attr<'_>) -> R<Vec<Vec<i64>>> {
    let (Attr::Dense { ty: Some(Ty::Tensor(ty)), .. } | Attr::Data { ty: Ty::Tensor(ty), .. }) = attr else {
        return bad(format!("{}: {key} is not a table of numbers", node.name));
    };
    let (&[n, width], Some(all)) = (ty.shape(), ints_of(attr)) else {
        return bad(format!("{}: {key} is not a table of numbers", node.name));
    };
    if width == 0 {
        return Ok(vec![Vec::new(); n.min(MAX_DEVICES)]);
    }
    Ok(all.chunks(width).map(<[i64]>::to_vec).collect())
}

/// Sources and targets of a permutation.
pub(crate) fn pairs(node: &Node<'_>) -> R<Vec<(usize, usize)>> {
    let key = "source_target_pairs";
    let attr = match node.attr(&[key]) {
        Some(attr) => attr,
        None => return ints(node, &[key]).map(|_| Vec::new()),
    };
    let pair = |row: Vec<i64>| match natural(key, row)?[..] {
        [source, target] => Ok((source, target)),
        _ => bad(format!("{}: {key} is not a table of pairs", node.name)),
    };
    rows(node, key, attr)?.into_iter().map(pair).collect()
}

/// Groups that differ in all but some axes of a mesh, members in the order of these axes.
fn groups_of_mesh(node: &Node<'_>, dict: &[(&str, Attr<'_>)], tree: &Tree<'_>) -> R<Vec<Vec<usize>>> {
    let get = |key: &str| dict.iter().find(|(k, _)| *k == key).map(|(_, v)| v);
    let broken = |what: &str| bad(format!("{}: replica_groups by mesh: {what}", node.name));
    let mesh = match get("mesh") {
        Some(Attr::Symbol(name) | Attr::Str(name)) => meshes(tree).into_iter().find(|m| m.name == *name),
        Some(Attr::Dict(mesh)) => Mesh::of_dict(mesh),
        _ => None,
    };
    let Some(mesh) = mesh else { return broken("there is no such mesh") };
    if let Some(problem) = mesh.problem() {
        return broken(&problem);
    }
    let axes = match get("axes") {
        Some(Attr::List(axes)) => axes.iter().map(axis_ref).collect::<Option<Vec<_>>>(),
        Some(Attr::Ints(none)) if none.is_empty() => Some(Vec::new()),
        _ => None,
    };
    let Some(axes) = axes else { return broken("axes is not a list of axes") };
    match mesh_groups(&mesh, &axes) {
        Some(groups) => Ok(groups),
        None => broken("the mesh has no such axes"),
    }
}

/// `#stablehlo.axis_ref<name = "x", sub_axis_info = (1)2>`
fn axis_ref(attr: &Attr<'_>) -> Option<AxisRef> {
    let Attr::Dict(dict) = attr else { return None };
    let mut axis = AxisRef { name: String::new(), part: None };
    for (key, value) in dict {
        match (*key, value) {
            ("name", Attr::Str(name)) => axis.name = crate::lexer::unescape(name),
            ("sub_axis_info", Attr::Ints(part)) => {
                let &[before, size] = &part[..] else { return None };
                axis.part = Some((usize::try_from(before).ok()?, usize::try_from(size).ok()?));
            }
            _ => return None,
        }
    }
    Some(axis)
}

/// The devices of a mesh that differ only in these axes (or parts), group by group; `None` where the mesh has no
/// such axes, or one twice.
pub(crate) fn mesh_groups(mesh: &Mesh, axes: &[AxisRef]) -> Option<Vec<Vec<usize>>> {
    // The steps that one more along a part goes in the order of places, and how many there are.
    let part = |axis: &AxisRef| {
        let at = mesh.axes.iter().position(|(name, _)| *name == axis.name)?;
        let size = mesh.size(axis)?;
        let full = mesh.axes[at].1;
        let inner: usize = mesh.axes[at + 1..].iter().map(|(_, n)| n).product();
        let after = full / axis.part.map_or(full, |(before, size)| before * size);
        Some((inner * after, size))
    };
    let parts = axes.iter().map(part).collect::<Option<Vec<(usize, usize)>>>()?;
    let mut offsets = vec![0usize];
    for (step, size) in &parts {
        offsets = offsets.iter().flat_map(|o| (0..*size).map(move |i| o + i * step)).collect();
    }
    let devices = mesh.devices_in_order();
    let mut taken = vec![false; devices.len()];
    let mut groups = Vec::new();
    for first in 0..devices.len() {
        if taken[first] {
            continue;
        }
        let mut group = Vec::with_capacity(offsets.len());
        for offset in &offsets {
            let place = taken.get_mut(first + offset).filter(|t| !**t)?;
            *place = true;
            group.push(devices[first + offset]);
        }
        groups.push(group);
    }
    Some(groups)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_a_mesh_differ_in_the_axes_alone() {
        let axes = [("x".to_owned(), 2), ("y".to_owned(), 4)];
        let mut mesh = Mesh { name: String::new(), axes: axes.to_vec(), device_ids: Vec::new() };
        let axis = |name: &str, part| AxisRef { name: name.to_owned(), part };
        let of = |mesh: &Mesh, axes: &[AxisRef]| mesh_groups(mesh, axes).unwrap_or_default();
        let (x, y) = (axis("x", None), axis("y", None));
        assert_eq!(of(&mesh, std::slice::from_ref(&x)), [[0, 4], [1, 5], [2, 6], [3, 7]]);
        assert_eq!(of(&mesh, std::slice::from_ref(&y)), [[0, 1, 2, 3], [4, 5, 6, 7]]);
        assert_eq!(of(&mesh, &[y.clone(), x.clone()]), [[0, 4, 1, 5, 2, 6, 3, 7]]);
        assert_eq!(of(&mesh, &[axis("y", Some((1, 2)))]), [[0, 2], [1, 3], [4, 6], [5, 7]]);
        assert_eq!(of(&mesh, &[axis("y", Some((2, 2)))]), [[0, 1], [2, 3], [4, 5], [6, 7]]);
        assert_eq!(of(&mesh, &[]).len(), 8);
        mesh.device_ids = vec![7, 6, 5, 4, 3, 2, 1, 0];
        assert_eq!(of(&mesh, std::slice::from_ref(&x)), [[7, 3], [6, 2], [5, 1], [4, 0]]);
        for axes in [vec![x.clone(), x], vec![axis("z", None)], vec![axis("y", Some((3, 2)))]] {
            assert_eq!(mesh_groups(&mesh, &axes), None);
        }
    }
}
