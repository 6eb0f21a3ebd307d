//! Operations in bytecode, into the syntax tree.
//!
//! Values are numbered within the function (or other isolated operation) they belong to; here they become the
//! tree's slots. A value may be read only after the operation that defines it. Regions nest at most as deep as
//! in text.

use super::attrs::{Attrs, locations};
use super::cursor::{Cursor, R, check_index, error, unsupported};
use super::types::{TypeInfo, with_parts};
use super::{EXPORT_HELP, OpName, Sections, Tables, since};
use crate::ops::{Kind, kind_of};
use crate::parser::MAX_DEPTH;
use crate::tree::{
    Arg, Attr, Func, FuncAttrs, Loc, NO_SLOT, Node, Places, Processes, Region, Sig, Tree, Ty, Use,
};
use crate::vhlo;

/// How many types may be in a tuple's.
const MAX_PARTS: usize = 4096;

/// Which parts an operation has.
mod has {
    pub(super) const ATTRS: u8 = 1;
    pub(super) const RESULTS: u8 = 2;
    pub(super) const OPERANDS: u8 = 4;
    pub(super) const SUCCESSORS: u8 = 8;
    pub(super) const REGIONS: u8 = 16;
    pub(super) const USE_LISTS: u8 = 32;
    pub(super) const PROPERTIES: u8 = 64;
}

/// The syntax tree of a file of bytecode.
pub(crate) fn tree<'t>(tables: &'t Tables<'_>) -> R<Tree<'t>> {
    let mut tree = Tree {
        places: Places::Bytes,
        name: None,
        funcs: Vec::new(),
        others: Vec::new(),
        aliases: locations(tables)?,
        sharding_at: None,
        processes: Processes::default(),
        meshes: Vec::new(),
    };
    let size = tables.file.left();
    let mut ops = Ops {
        tables,
        attrs: Attrs::new(tables, size),
        scopes: vec![Scope::default()],
        unreserved: size,
        n_slots: 0,
        n_args: 0,
        slot_names: Vec::new(),
    };
    ops.file(&mut tree)?;
    tree.sharding_at = ops.attrs.sharding_at;
    Ok(tree)
}

/// Values that may be read, by number.
#[derive(Default)]
struct Scope {
    /// The slot of each value; none where it is not defined yet.
    slots: Vec<u32>,
    /// The number of the next value to be defined.
    next: usize,
}

struct Ops<'t, 'a> {
    tables: &'t Tables<'a>,
    attrs: Attrs<'t, 'a>,
    /// One for each isolated operation around the current one.
    scopes: Vec<Scope>,
    /// How many more values regions may announce: each takes a byte of the file at least.
    unreserved: usize,
    /// Slots of the current function.
    n_slots: u32,
    n_args: u32,
    slot_names: Vec<&'t str>,
}

/// An operation without its regions.
struct Head<'t> {
    node: Node<'t>,
    /// Numbers of the results' values in their scope.
    first_value: usize,
    regions: u64,
    isolated: bool,
}

impl<'t> Ops<'t, '_> {
    fn file(&mut self, tree: &mut Tree<'t>) -> R<()> {
        let mut c: Cursor<'t> = self.tables.ir;
        let at = c.pos;
        let (n_ops, has_args) = c.flagged()?;
        if n_ops != 1 || has_args {
            return error(at, format!("a file holds one module, not {n_ops} operations"));
        }
        let head = self.head(&mut c)?;
        if head.node.name != "builtin.module" {
            return error(head.node.at, format!("a module should come first, not {}", head.node.name));
        }
        if let Some(Attr::Str(name)) = head.node.attr(&["sym_name"]) {
            tree.name = Some(name);
        }
        tree.set_attrs(&head.node.attrs);
        if head.regions != 1 {
            return error(head.node.at, "a module has one region");
        }
        let mut inner = if self.sectioned(&head) { self.region_section(&mut c)? } else { c };
        self.scopes.push(Scope::default());
        if inner.varint()? != 1 {
            return error(inner.pos, "a module has one block");
        }
        self.reserve(&mut inner)?;
        let (n_ops, _, _) = self.block(&mut inner)?;
        for _ in 0..n_ops {
            self.top_level(&mut inner, tree)?;
        }
        Ok(())
    }

    fn top_level(&mut self, c: &mut Cursor<'t>, tree: &mut Tree<'t>) -> R<()> {
        (self.n_slots, self.n_args) = (0, 0);
        self.slot_names = Vec::new();
        let head = self.head(c)?;
        if head.node.name == "builtin.module" {
            return unsupported(head.node.at, "a module inside a module", "export one module");
        }
        let node = self.finish(head, c, 0)?;
        if node.name == "func.func" {
            let func = self.func(node)?;
            tree.funcs.push(func);
        } else {
            tree.others.push(node);
        }
        Ok(())
    }

    fn func(&mut self, mut node: Node<'t>) -> R<Func<'t>> {
        let at = node.at;
        let text = |key| match node.attr(&[key]) {
            Some(Attr::Str(s)) => Some(*s),
            _ => None,
        };
        let Some(name) = text("sym_name") else { return error(at, "a function without a name") };
        let public = text("sym_visibility").is_none_or(|v| v.is_empty() || v == "public");
        let info = |list: &str, i: usize, key: &str| {
            let Some(Attr::List(dicts)) = node.attr(&[list]) else { return None };
            let Some(Attr::Dict(dict)) = dicts.get(i) else { return None };
            dict.iter().find_map(|(k, v)| match v {
                Attr::Str(s) if *k == key => Some(*s),
                _ => None,
            })
        };
        let Some(TypeInfo::Function(ins, outs)) = (match node.attr(&["function_type"]) {
            Some(Attr::Type(i)) => self.tables.types.get(*i),
            _ => None,
        }) else {
            return error(at, format!("@{name} has no type"));
        };
        // Many functions may share one type.
        self.attrs.spend(ins.len() + outs.len(), at)?;
        let mut results = Vec::new();
        for (i, &t) in outs.iter().enumerate() {
            results.push((self.ty(t, at)?, info("res_attrs", i, "jax.result_info")));
        }
        let infos: Vec<_> = (0..ins.len())
            .map(|i| (info("arg_attrs", i, "jax.arg_info"), info("arg_attrs", i, "jax.global_constant")))
            .collect();
        let (mut args, body) = match node.regions.pop() {
            Some(r) if !(r.nodes.is_empty() && r.args.is_empty()) => (r.args, Some(r.nodes)),
            _ => (Vec::new(), None),
        };
        if body.is_some() && args.len() != ins.len() {
            let message =
                format!("@{name} has {} argument(s) but {} argument type(s)", args.len(), ins.len());
            return error(at, message);
        }
        for (arg, info) in args.iter_mut().zip(infos) {
            (arg.info, arg.constant) = info;
        }
        let slot_names = std::mem::take(&mut self.slot_names);
        let attrs = FuncAttrs::of(&node, &args);
        Ok(Func { name, at, public, args, results: Some(results), body, slot_names, attrs })
    }

    /// Whether an operation's regions are in a section of their own.
    fn sectioned(&self, head: &Head<'_>) -> bool {
        head.isolated && self.tables.version >= since::REGION_SECTIONS
    }

    fn region_section(&self, c: &mut Cursor<'t>) -> R<Cursor<'t>> {
        let at = c.pos;
        let (id, section) = c.section()?;
        if usize::from(id) != Sections::IR {
            return error(at, "a region is not in a section of operations");
        }
        Ok(section)
    }

    /// Reads the regions of an operation.
    fn finish(&mut self, head: Head<'t>, c: &mut Cursor<'t>, depth: u32) -> R<Node<'t>> {
        let at = head.node.at;
        if head.regions > 0 {
            if depth >= MAX_DEPTH / 2 {
                return error(at, format!("regions are nested deeper than {} levels", MAX_DEPTH / 2));
            }
            let n = c.check_count(at, head.regions, "regions")?;
            let mut own = if self.sectioned(&head) { Some(self.region_section(c)?) } else { None };
            if head.isolated {
                self.scopes.push(Scope::default());
            }
            let mut regions = Vec::new();
            for _ in 0..n {
                regions.push(self.region(own.as_mut().unwrap_or(&mut *c), depth + 1)?);
            }
            if head.isolated {
                self.scopes.pop();
            }
            return Ok(self.define_results(Head { node: Node { regions, ..head.node }, ..head }));
        }
        Ok(self.define_results(head))
    }

    fn define_results(&mut self, head: Head<'t>) -> Node<'t> {
        let node = head.node;
        if let Some(scope) = self.scopes.last_mut() {
            for k in 0..node.n_results {
                if let Some(slot) = scope.slots.get_mut(head.first_value + k as usize) {
                    *slot = node.first_result + k;
                }
            }
        }
        node
    }

    fn region(&mut self, c: &mut Cursor<'t>, depth: u32) -> R<Region<'t>> {
        let at = c.pos;
        match c.varint()? {
            0 => return Ok(Region::default()),
            1 => {}
            _ => {
                return unsupported(
                    at,
                    "control flow between blocks: a region may have one block",
                    "export with structured control flow only, as JAX does",
                );
            }
        }
        let (outer_len, outer_next) = self.reserve(c)?;
        let (n_ops, types, locs) = self.block(c)?;
        let mut region = Region::default();
        for (ty, loc) in types.into_iter().zip(locs) {
            let at = c.pos;
            let slot = self.new_slot(true);
            let name = self.slot_names[slot as usize];
            self.define_arg(slot, at)?;
            region.args.push(Arg { slot, name, ty, loc, info: None, constant: None });
        }
        for _ in 0..n_ops {
            let head = self.head(c)?;
            if !self.cast(&head) {
                region.nodes.push(self.finish(head, c, depth)?);
            }
        }
        if let Some(scope) = self.scopes.last_mut() {
            scope.slots.truncate(outer_len);
            scope.next = outer_next;
        }
        Ok(region)
    }

    /// Whether an operation only changes the dialect that a value's type is spelled in, as stands between VHLO
    /// and other dialects; its results are then its operands.
    fn cast(&mut self, head: &Head<'t>) -> bool {
        let node = &head.node;
        let yes = node.name == "builtin.unrealized_conversion_cast"
            && head.regions == 0
            && node.operands.len() == node.n_results as usize;
        if yes && let Some(scope) = self.scopes.last_mut() {
            for (k, operand) in node.operands.iter().enumerate() {
                if let Some(slot) = scope.slots.get_mut(head.first_value + k) {
                    *slot = operand.slot;
                }
            }
        }
        yes
    }

    /// Takes numbers for the values of a region; gives what to restore after it.
    fn reserve(&mut self, c: &mut Cursor<'_>) -> R<(usize, usize)> {
        let at = c.pos;
        let n = c.varint()?;
        let n = usize::try_from(n).ok().filter(|n| *n <= self.unreserved);
        let (Some(n), Some(scope)) = (n, self.scopes.last_mut()) else {
            return error(at, "a region has more values than the file has bytes");
        };
        self.unreserved -= n;
        let outer = (scope.slots.len(), scope.next);
        scope.next = scope.slots.len();
        scope.slots.resize(scope.slots.len() + n, NO_SLOT);
        Ok(outer)
    }

    /// A block's header: how many operations, and types and locations of its arguments.
    fn block(&mut self, c: &mut Cursor<'t>) -> R<(usize, Vec<Ty<'t>>, Vec<Loc<'t>>)> {
        let at = c.pos;
        let (n_ops, has_args) = c.flagged()?;
        let (mut types, mut locs) = (Vec::new(), Vec::new());
        if has_args {
            let n = c.count("arguments")?;
            for _ in 0..n {
                let at = c.pos;
                let n_types = self.tables.types.len();
                let (ty, has_loc) = if self.tables.version >= since::OPTIONAL_ARG_LOC {
                    let (ty, has_loc) = c.flagged()?;
                    (check_index(at, ty, n_types, "type")?, has_loc)
                } else {
                    (c.index(n_types, "type")?, true)
                };
                types.push(self.ty(ty, at)?);
                locs.push(if has_loc { Loc::Alias(self.attrs.number(c)? as u32) } else { Loc::None });
            }
            if self.tables.version >= since::USE_LISTS && c.byte()? != 0 {
                use_lists(c, n)?;
            }
        }
        Ok((c.check_count(at, n_ops, "operations")?, types, locs))
    }

    /// Type number `i`, whose dimensions are copied.
    fn ty(&mut self, i: usize, at: usize) -> R<Ty<'t>> {
        let tables = self.tables;
        let mut budget = MAX_PARTS;
        let ty = with_parts(&tables.types, i, at, &mut budget);
        let rank = match &ty {
            Ty::Tensor(t) => t.rank(),
            Ty::Open(t) => t.dims.len(),
            Ty::Tuple { .. } | Ty::Refused { .. } => 0,
        };
        self.attrs.spend(rank, at)?;
        self.attrs.spend(MAX_PARTS - budget, at)?;
        Ok(ty)
    }

    fn new_slot(&mut self, arg: bool) -> u32 {
        let slot = self.n_slots;
        self.n_slots += 1;
        self.n_args += u32::from(arg);
        let name = if arg {
            self.tables.arg_names.name(self.n_args - 1)
        } else {
            self.tables.value_names.name(slot - self.n_args)
        };
        self.slot_names.push(name);
        slot
    }

    /// The number of the next `n` values.
    fn take_values(&mut self, n: usize, at: usize) -> R<usize> {
        match self.scopes.last_mut() {
            Some(scope) if n <= scope.slots.len() - scope.next => {
                scope.next += n;
                Ok(scope.next - n)
            }
            _ => error(at, "a region defines more values than it announced"),
        }
    }

    fn define_arg(&mut self, slot: u32, at: usize) -> R<()> {
        let value = self.take_values(1, at)?;
        if let Some(scope) = self.scopes.last_mut() {
            scope.slots[value] = slot;
        }
        Ok(())
    }

    fn operand(&mut self, c: &mut Cursor<'_>) -> R<Use<'t>> {
        let at = c.pos;
        let slots = self.scopes.last().map_or(&[][..], |s| &s.slots);
        let value = c.index(slots.len(), "value")?;
        let slot = slots[value];
        match self.slot_names.get(slot as usize) {
            Some(name) => Ok(Use { slot, name, at }),
            None => error(at, "a value is read before the operation that defines it"),
        }
    }

    /// An operation up to its regions. Its results have numbers but may not be read yet.
    fn head(&mut self, c: &mut Cursor<'t>) -> R<Head<'t>> {
        let at = c.pos;
        let tables = self.tables;
        let name = &tables.ops[c.index(tables.ops.len(), "operation name")?];
        if matches!(tables.dialect(name.dialect), "stablehlo" | "func" | "mhlo") {
            let what = format!("{} in bytecode, which is not of the portable dialect VHLO", name.full);
            return unsupported(at, what, EXPORT_HELP);
        }
        let mask = c.byte()?;
        let loc = Loc::Alias(self.attrs.number(c)? as u32);
        let attrs = self.op_attrs(c, name, mask)?;
        let mut outs = Vec::new();
        if mask & has::RESULTS != 0 {
            for _ in 0..c.count("results")? {
                let at = c.pos;
                let ty = c.index(tables.types.len(), "type")?;
                outs.push(self.ty(ty, at)?);
            }
        }
        let mut operands = Vec::new();
        if mask & has::OPERANDS != 0 {
            for _ in 0..c.count("operands")? {
                operands.push(self.operand(c)?);
            }
        }
        if mask & has::SUCCESSORS != 0 {
            return unsupported(
                at,
                "control flow between blocks",
                "export with structured control flow only",
            );
        }
        if mask & has::USE_LISTS != 0 && tables.version >= since::USE_LISTS {
            use_lists(c, outs.len())?;
        }
        let (regions, isolated) = if mask & has::REGIONS != 0 { c.flagged()? } else { (0, false) };
        let first_value = self.take_values(outs.len(), at)?;
        let first_result = self.n_slots;
        let n_results = outs.len() as u32;
        for _ in 0..n_results {
            self.new_slot(false);
        }
        let kind = kind_of(&name.full);
        let sig = if kind == Some(Kind::Return) { Sig::None } else { Sig::Results(outs.into()) };
        let node = Node {
            name: &name.full,
            kind,
            at,
            first_result,
            n_results,
            operands,
            attrs: vhlo::regroup(&name.full, attrs),
            regions: Vec::new(),
            sig,
            loc,
        };
        Ok(Head { node, first_value, regions, isolated })
    }

    fn op_attrs(&mut self, c: &mut Cursor<'t>, name: &OpName, mask: u8) -> R<Vec<(&'t str, Attr<'t>)>> {
        let mut out = Vec::new();
        let mut dict = |this: &mut Self, c: &mut Cursor<'t>| -> R<()> {
            let at = c.pos;
            let i = this.attrs.number(c)?;
            match this.attrs.get(i)? {
                Attr::Dict(entries) => out.extend(entries),
                _ => return error(at, "the attributes of an operation are not a dictionary"),
            }
            Ok(())
        };
        if mask & has::ATTRS != 0 {
            dict(self, c)?;
        }
        if mask & has::PROPERTIES != 0 {
            if name.registered {
                let (start, end) =
                    self.tables.properties[c.index(self.tables.properties.len(), "properties")?];
                let stored = self.tables.file.over(start, end);
                self.properties(stored, name, &mut out)?;
            } else {
                dict(self, c)?;
            }
        }
        Ok(out)
    }

    /// Attributes stored one after the other, without names.
    fn properties(&mut self, mut c: Cursor<'t>, name: &OpName, out: &mut Vec<(&'t str, Attr<'t>)>) -> R<()> {
        let start = c.pos;
        if name.full == "builtin.module" {
            // The name and the visibility, each with a flag that says whether it is there.
            let (i, there) = c.flagged()?;
            if there {
                let i = check_index(start, i, self.tables.attrs.len(), "attribute")?;
                out.push(("sym_name", self.attrs.get(i)?));
            }
            return Ok(());
        }
        for &(key, optional) in super::sdy::properties(&name.full) {
            let at = c.pos;
            let (i, there) = if optional { c.flagged()? } else { (c.varint()?, true) };
            if there {
                let i = check_index(at, i, self.tables.attrs.len(), "attribute")?;
                out.push((key, self.attrs.get(i)?));
            }
        }
        let Some(keys) = vhlo::properties(&name.vhlo) else { return Ok(()) };
        for &key in keys {
            let i = self.attrs.number(&mut c)?;
            if key != vhlo::SKIP {
                out.push((key, self.attrs.get(i)?));
            }
        }
        if c.left() > 0 {
            return unsupported(
                start,
                format!("more attributes of {} than are known", name.full),
                EXPORT_HELP,
            );
        }
        Ok(())
    }
}

/// The order of uses, which changes nothing: skipped.
fn use_lists(c: &mut Cursor<'_>, n_values: usize) -> R<()> {
    let n = if n_values > 1 { c.count("use lists")? } else { 1 };
    for _ in 0..n {
        if n_values > 1 {
            c.varint()?;
        }
        let at = c.pos;
        let (len, _) = c.flagged()?;
        for _ in 0..c.check_count(at, len, "uses")? {
            c.varint()?;
        }
    }
    Ok(())
}
