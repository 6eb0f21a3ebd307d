//! Shardy's attributes in bytecode.
//!
//! Axes and dimensions of a sharding are attributes of their own, so that a small file can refer to them many times:
//! what is decoded counts against the file's size, as for other attributes.

use super::attrs::Attrs;
use super::cursor::{Cursor, R, error};
use crate::sharding::{AxisRef, DimSharding, Mesh, MeshRef, Sdy, Sharding};
use crate::tree::Attr;
use std::rc::Rc;

/// Numbers of the attributes.
mod code {
    pub(super) const MANUAL_AXES: u64 = 0;
    pub(super) const MESH_AXIS: u64 = 1;
    pub(super) const MESH: u64 = 2;
    pub(super) const SUB_AXIS: u64 = 3;
    pub(super) const AXIS_REF: u64 = 4;
    pub(super) const DIMENSION: u64 = 5;
    pub(super) const SHARDING: u64 = 6;
    pub(super) const PER_VALUE: u64 = 7;
    /// With axes of contributions.
    pub(super) const SHARDING_2: u64 = 15;
    pub(super) const PER_VALUE_2: u64 = 16;
    /// And how they combine.
    pub(super) const SHARDING_3: u64 = 17;
}

/// The attributes of an operation of Shardy's in the order in which they are stored, and whether each may be absent.
pub(super) fn properties(op: &str) -> &'static [(&'static str, bool)] {
    match op {
        "sdy.manual_computation" => {
            &[("in_shardings", false), ("manual_axes", false), ("out_shardings", false)]
        }
        "sdy.mesh" => &[("mesh", false), ("sym_name", false)],
        "sdy.named_computation" => &[("in_shardings", true), ("name", false), ("out_shardings", true)],
        "sdy.propagation_barrier" => &[("allowed_direction", false)],
        "sdy.reshard" | "sdy.sharding_constraint" => &[("sharding", false)],
        "sdy.sharding_group" => &[("group_id", false)],
        _ => &[],
    }
}

impl<'t> Attrs<'t, '_> {
    /// An attribute of the dialect, from its code on.
    pub(super) fn sdy(&mut self, c: &mut Cursor<'t>, depth: u32) -> R<Attr<'t>> {
        let sdy = match c.varint()? {
            code::MANUAL_AXES => Sdy::Axes(self.each(c, |this, i| this.text(i, depth))?),
            code::MESH => Sdy::Mesh(self.mesh(c)?),
            code @ (code::SHARDING | code::SHARDING_2 | code::SHARDING_3) => {
                Sdy::Sharding(self.sharding(c, code, depth)?)
            }
            code::PER_VALUE | code::PER_VALUE_2 => {
                Sdy::Shardings(self.each(c, |this, i| this.sharding_at(i, depth))?)
            }
            _ => return Ok(Attr::Raw("an attribute that is not needed")),
        };
        Ok(Attr::Sdy(Rc::new(sdy)))
    }

    /// A list of attributes by number.
    fn each<T>(&mut self, c: &mut Cursor<'t>, mut f: impl FnMut(&mut Self, usize) -> R<T>) -> R<Vec<T>> {
        let n = c.count("attributes")?;
        let mut out = Vec::new();
        for _ in 0..n {
            let i = self.number(c)?;
            out.push(f(self, i)?);
        }
        Ok(out)
    }

    /// Attribute number `i` of the dialect, which is one of these; gives its code.
    fn open(&mut self, i: usize, codes: &[u64], what: &str) -> R<(u64, Cursor<'t>)> {
        let mut c = self.entry(i, "sdy")?;
        let at = c.pos;
        self.spend(1, at)?;
        let code = c.varint()?;
        if codes.contains(&code) { Ok((code, c)) } else { error(at, format!("{what} should be here")) }
    }

    fn text(&mut self, i: usize, depth: u32) -> R<String> {
        match self.decode(i, depth)? {
            Attr::Str(s) => Ok(crate::lexer::unescape(s)),
            _ => error(0, "the name of an axis is not a string"),
        }
    }

    fn name(&self, c: &mut Cursor<'_>) -> R<String> {
        Ok(crate::lexer::unescape(self.string(c)?))
    }

    fn size(c: &mut Cursor<'_>) -> R<usize> {
        let at = c.pos;
        match usize::try_from(c.svarint()?) {
            Ok(n) => Ok(n),
            Err(_) => error(at, "a size or device below 0"),
        }
    }

    fn mesh(&mut self, c: &mut Cursor<'t>) -> R<Mesh> {
        let at = c.pos;
        let axes = self.each(c, |this, i| {
            let (_, mut c) = this.open(i, &[code::MESH_AXIS], "an axis of a mesh")?;
            Ok((this.name(&mut c)?, Self::size(&mut c)?))
        })?;
        let n = c.count("devices")?;
        let device_ids = (0..n).map(|_| Self::size(c)).collect::<R<Vec<usize>>>()?;
        let mesh = Mesh { name: String::new(), axes, device_ids };
        match mesh.problem() {
            Some(problem) => error(at, problem),
            None => Ok(mesh),
        }
    }

    fn sharding_at(&mut self, i: usize, depth: u32) -> R<Sharding> {
        let codes = [code::SHARDING, code::SHARDING_2, code::SHARDING_3];
        let (code, mut c) = self.open(i, &codes, "a sharding")?;
        self.sharding(&mut c, code, depth)
    }

    fn sharding(&mut self, c: &mut Cursor<'t>, code: u64, depth: u32) -> R<Sharding> {
        let at = c.pos;
        let mesh = self.number(c)?;
        let mesh = match self.decode(mesh, depth)? {
            Attr::Symbol(name) => MeshRef::Named(crate::lexer::unescape(name)),
            Attr::Sdy(sdy) => match &*sdy {
                Sdy::Mesh(mesh) => MeshRef::Inline(mesh.clone()),
                Sdy::Axes(_) | Sdy::Sharding(_) | Sdy::Shardings(_) => {
                    return error(at, "a mesh should be here");
                }
            },
            _ => return error(at, "a mesh should be here"),
        };
        let dims = self.each(c, Self::dimension)?;
        let replicated = self.each(c, Self::axis_ref)?;
        let unreduced = if code == code::SHARDING { Vec::new() } else { self.each(c, Self::axis_ref)? };
        let reduction = match if code == code::SHARDING_3 { c.svarint()? } else { 0 } {
            0 => None,
            1 => Some("max"),
            2 => Some("min"),
            _ => return error(at, "contributions that combine in a way that is not known"),
        };
        Ok(Sharding { mesh, dims, replicated, unreduced, reduction })
    }

    fn dimension(&mut self, i: usize) -> R<DimSharding> {
        let (_, mut c) = self.open(i, &[code::DIMENSION], "the sharding of a dimension")?;
        let axes = self.each(&mut c, Self::axis_ref)?;
        let closed = c.byte()? != 0;
        let (priority, given) = c.flagged()?;
        Ok(DimSharding { axes, open: !closed, priority: given.then_some(priority) })
    }

    fn axis_ref(&mut self, i: usize) -> R<AxisRef> {
        let (_, mut c) = self.open(i, &[code::AXIS_REF], "an axis")?;
        let name = self.name(&mut c)?;
        let at = c.pos;
        let (part, given) = c.flagged()?;
        if !given {
            return Ok(AxisRef { name, part: None });
        }
        let part = self.checked(at, part)?;
        let (_, mut c) = self.open(part, &[code::SUB_AXIS], "a part of an axis")?;
        Ok(AxisRef { name, part: Some((Self::size(&mut c)?, Self::size(&mut c)?)) })
    }
}
