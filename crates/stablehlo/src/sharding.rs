//! Shardings as a producer writes them: meshes of named axes, and which axes split which dimension of a tensor.
//!
//! Data only, read from Shardy's text and bytecode and printed back as Shardy's text. What is kept of a module is in
//! [`crate::annotations`]. Source: the attributes of Shardy's dialect (`sdy`).

pub(crate) mod parse;

use crate::lexer::quote;
use crate::tree::{Attr, Node, Tree};
use std::fmt;

/// A grid of devices with named axes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Mesh {
    /// Its name; empty for one that is written where it is used.
    pub name: String,
    /// Axes with their sizes, the last the fastest.
    pub axes: Vec<(String, usize)>,
    /// The device at each place of the grid; empty where they are in order. Without axes, the one device there is.
    pub device_ids: Vec<usize>,
}

/// An axis of a mesh, or a part of one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct AxisRef {
    /// The axis.
    pub name: String,
    /// Of an axis split into parts: the product of the sizes before this part, and its size.
    pub part: Option<(usize, usize)>,
}

/// How one dimension is split.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DimSharding {
    /// Axes, the first the slowest.
    pub axes: Vec<AxisRef>,
    /// Further axes may be added.
    pub open: bool,
    /// When the dimension is propagated, 0 first.
    pub priority: Option<u64>,
}

/// The mesh of a sharding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MeshRef {
    /// One of the module, by name.
    Named(String),
    /// Written in place.
    Inline(Mesh),
}

/// How a tensor is spread over a mesh.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sharding {
    /// Over which mesh.
    pub mesh: MeshRef,
    /// Each dimension.
    pub dims: Vec<DimSharding>,
    /// Axes along which copies are wanted.
    pub replicated: Vec<AxisRef>,
    /// Axes along which the devices hold contributions.
    pub unreduced: Vec<AxisRef>,
    /// How contributions combine, where not as a sum: `max` or `min`.
    pub reduction: Option<&'static str>,
}

/// An attribute of the dialect `sdy`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Sdy {
    Mesh(Mesh),
    Axes(Vec<String>),
    Sharding(Sharding),
    Shardings(Vec<Sharding>),
}

impl Mesh {
    /// The number of devices; `None` where that is not a number.
    pub fn devices(&self) -> Option<usize> {
        self.axes.iter().try_fold(1usize, |n, (_, size)| n.checked_mul(*size))
    }

    /// The size of an axis or of a part of one; `None` where the mesh has none such.
    pub fn size(&self, axis: &AxisRef) -> Option<usize> {
        let (_, full) = self.axes.iter().find(|(name, _)| *name == axis.name)?;
        match axis.part {
            None => Some(*full),
            Some((before, size)) => {
                let whole = before.checked_mul(size)?;
                (whole > 0 && full.is_multiple_of(whole)).then_some(size)
            }
        }
    }

    /// What is wrong with it.
    pub(crate) fn problem(&self) -> Option<String> {
        for (i, (name, size)) in self.axes.iter().enumerate() {
            if self.axes[..i].iter().any(|(n, _)| n == name) {
                return Some(format!("the axis {name:?} is twice in the mesh"));
            }
            if *size == 0 {
                return Some(format!("the axis {name:?} has no devices"));
            }
        }
        let n = self.devices().filter(|n| *n <= MAX_DEVICES);
        let Some(n) = n else { return Some(format!("a mesh has at most {MAX_DEVICES} devices")) };
        let mut ids = self.device_ids.clone();
        ids.sort_unstable();
        let all = self.axes.is_empty() && ids.len() <= 1;
        let fits = ids.is_empty() || all || ids == (0..n).collect::<Vec<_>>();
        (!fits).then(|| format!("the device ids of a mesh of {n} are not a permutation of 0 to {}", n - 1))
    }

    /// The device at each place of the grid.
    pub fn devices_in_order(&self) -> Vec<usize> {
        if self.device_ids.is_empty() {
            (0..self.devices().unwrap_or(0)).collect()
        } else {
            self.device_ids.clone()
        }
    }

    /// A mesh as StableHLO writes one: `{axes = [{name = "x", size = 2}], device_ids = dense<...>}`.
    pub(crate) fn of_dict(dict: &[(&str, Attr<'_>)]) -> Option<Mesh> {
        fn get<'d, 'a>(dict: &'d [(&str, Attr<'a>)], key: &str) -> Option<&'d Attr<'a>> {
            dict.iter().find(|(k, _)| *k == key).map(|(_, v)| v)
        }
        let axes = match get(dict, "axes")? {
            Attr::List(list) => &list[..],
            Attr::Ints(list) if list.is_empty() => &[],
            _ => return None,
        };
        let axis = |attr: &Attr<'_>| {
            let Attr::Dict(axis) = attr else { return None };
            match (get(axis, "name")?, get(axis, "size")?) {
                (Attr::Str(name), Attr::Int(size)) => {
                    Some((crate::lexer::unescape(name), usize::try_from(*size).ok()?))
                }
                _ => None,
            }
        };
        let axes = axes.iter().map(axis).collect::<Option<Vec<_>>>()?;
        let device_ids = match get(dict, "device_ids") {
            None => Vec::new(),
            Some(ids) => {
                let ids = crate::ops::ints_of(ids)?;
                ids.into_iter().map(|n| usize::try_from(n).ok()).collect::<Option<Vec<_>>>()?
            }
        };
        Some(Mesh { name: String::new(), axes, device_ids })
    }
}

/// The meshes of a module.
pub(crate) fn meshes(tree: &Tree<'_>) -> Vec<Mesh> {
    let of = |node: &Node<'_>| {
        let Some(Attr::Str(name) | Attr::Symbol(name)) = node.attr(&["sym_name"]) else { return None };
        let mesh = match (node.attr(&["mesh"]), node.attr(&["stablehlo.mesh"])) {
            (Some(Attr::Sdy(sdy)), _) => match &**sdy {
                Sdy::Mesh(mesh) => mesh.clone(),
                _ => return None,
            },
            (_, Some(Attr::Dict(dict))) => Mesh::of_dict(dict)?,
            _ => return None,
        };
        Some(Mesh { name: crate::lexer::unescape(name), ..mesh })
    };
    let ops = tree.others.iter().filter(|node| node.name == "sdy.mesh").filter_map(of);
    ops.chain(tree.meshes.iter().cloned()).collect()
}

/// Most devices of a mesh.
pub(crate) const MAX_DEVICES: usize = 1 << 20;

fn join<T: fmt::Display>(f: &mut fmt::Formatter<'_>, items: &[T]) -> fmt::Result {
    for (i, item) in items.iter().enumerate() {
        write!(f, "{}{item}", if i > 0 { ", " } else { "" })?;
    }
    Ok(())
}

/// `<["x"=2, "y"=4], device_ids=[…]>`, as after `sdy.mesh @name =`.
impl fmt::Display for Mesh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<[")?;
        let axes: Vec<String> = self.axes.iter().map(|(name, n)| format!("{}={n}", quote(name))).collect();
        join(f, &axes)?;
        f.write_str("]")?;
        if !self.device_ids.is_empty() {
            f.write_str(", device_ids=[")?;
            join(f, &self.device_ids)?;
            f.write_str("]")?;
        }
        f.write_str(">")
    }
}

impl fmt::Display for AxisRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&quote(&self.name))?;
        match self.part {
            Some((before, size)) => write!(f, ":({before}){size}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for DimSharding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        join(f, &self.axes)?;
        match (self.open, self.axes.is_empty()) {
            (true, true) => f.write_str("?")?,
            (true, false) => f.write_str(", ?")?,
            (false, _) => {}
        }
        f.write_str("}")?;
        match self.priority {
            Some(p) => write!(f, "p{p}"),
            None => Ok(()),
        }
    }
}

/// `<@mesh, [{"x"}, {}]>`, as after `#sdy.sharding`.
impl fmt::Display for Sharding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.mesh {
            MeshRef::Named(name) => write!(f, "<{}, [", crate::print::symbol(name))?,
            MeshRef::Inline(mesh) => write!(f, "<mesh{mesh}, [")?,
        }
        join(f, &self.dims)?;
        f.write_str("]")?;
        for (key, axes) in [("replicated=", &self.replicated), ("unreduced=", &self.unreduced)] {
            if !axes.is_empty() {
                let how = if key == "unreduced=" { self.reduction.unwrap_or_default() } else { "" };
                write!(f, ", {key}{how}{{")?;
                join(f, axes)?;
                f.write_str("}")?;
            }
        }
        f.write_str(">")
    }
}
