//! Access maps of loops and choices, from those of the ops inside.
//!
//! Dimensions that ops inside take index by index, carried values alike before and after, are one class; so is what a
//! reshape makes of one and minor ones, of which each index of the class has a run. A class that nothing inside mixes
//! is a factor: a box of it runs the region on that part of every value. A value inside
//! may also be a sum over the class of which a box has a contribution (a loop's gradient of what it captures), as
//! long as only ops linear in it read it; and whether the loop goes on never depends on the class.

use super::{AccessMap, DimMap, Effect, Factor, FactorId, FactorKind};
use crate::dtype::TensorType;
use crate::infer::TypeError;
use crate::linearity::linear_sets;
use crate::op::{Monoid, Op};
use crate::program::{InstrId, Program, Value};
use pullback_base::IdMap;
use std::collections::{BTreeMap, BTreeSet};

/// The factors of the op that those of ops in a region, and dimensions of its arguments and results, are; `None`
/// for what is never cut.
pub(crate) struct RegionFactors {
    pub args: Vec<Vec<Option<FactorId>>>,
    pub results: Vec<Vec<Option<FactorId>>>,
    pub instrs: IdMap<InstrId, Vec<Option<FactorId>>>,
    /// Of ops inside, operands that join a reduction over one of their factors and are contributions to it already: every
    /// box reads its own.
    pub summed: IdMap<InstrId, Vec<(usize, FactorId)>>,
}

/// Factors of an op that runs regions, operands and results with their maps, and what that is inside.
pub(crate) struct Regions {
    pub factors: Vec<Factor>,
    pub operands: Vec<Vec<DimMap>>,
    pub results: Vec<Vec<DimMap>>,
    pub joins: Vec<(usize, FactorId)>,
    pub alike: BTreeSet<(FactorId, usize)>,
    pub inside: Vec<RegionFactors>,
}

/// A dimension of a value, or a factor of an op, in one of the regions.
type Node = usize;

/// Which nodes are cut together.
#[derive(Default)]
struct Classes {
    parent: Vec<Node>,
    size: Vec<usize>,
    /// Of the class's first node: the smallest size there, which divides all others.
    base: Vec<usize>,
    blocked: Vec<bool>,
}

impl Classes {
    fn nodes(&mut self, sizes: impl Iterator<Item = usize>) -> Vec<Node> {
        let node = |size: usize| {
            self.parent.push(self.parent.len());
            self.size.push(size);
            self.base.push(size);
            // One index or none is nothing to cut.
            self.blocked.push(size <= 1);
            self.parent.len() - 1
        };
        sizes.map(node).collect()
    }

    fn class(&mut self, mut n: Node) -> Node {
        while self.parent[n] != n {
            self.parent[n] = self.parent[self.parent[n]];
            n = self.parent[n];
        }
        n
    }

    fn block(&mut self, n: Node) {
        let c = self.class(n);
        self.blocked[c] = true;
    }

    fn open(&mut self, n: Node) -> Option<Node> {
        let c = self.class(n);
        (!self.blocked[c]).then_some(c)
    }

    fn unite(&mut self, a: Node, b: Node) {
        let (a, b) = (self.class(a), self.class(b));
        let (least, most) = (self.base[a].min(self.base[b]), self.base[a].max(self.base[b]));
        self.blocked[a] |= self.blocked[b] || !most.is_multiple_of(least.max(1));
        self.base[a] = least;
        self.parent[b] = a;
    }

    /// Blocks a class that two of these nodes are in: a box would be a diagonal.
    fn apart(&mut self, nodes: &[Node]) {
        let mut seen = BTreeSet::new();
        for &n in nodes {
            let c = self.class(n);
            if !seen.insert(c) {
                self.blocked[c] = true;
            }
        }
    }
}

/// Per value, the classes over which a box has a contribution to it.
type Sums = BTreeSet<Node>;

struct Region<'a> {
    program: &'a Program,
    access: IdMap<InstrId, AccessMap>,
    /// What depends on no argument is computed whole.
    free: IdMap<Value, bool>,
    zero: IdMap<Value, bool>,
    dims: IdMap<Value, Vec<Node>>,
    factors: IdMap<InstrId, Vec<Node>>,
    /// As `flow` found last.
    sums: IdMap<Value, Sums>,
}

impl<'a> Region<'a> {
    /// `args` are the nodes of the arguments' dimensions.
    fn new(program: &'a Program, args: &[Vec<Node>], classes: &mut Classes) -> Result<Self, TypeError> {
        let n = program.n_values();
        let mut r = Region {
            program,
            access: IdMap::new(),
            free: IdMap::filled(n, false),
            zero: IdMap::filled(n, false),
            dims: IdMap::filled(n, Vec::new()),
            factors: IdMap::new(),
            sums: IdMap::filled(n, Sums::new()),
        };
        for (&arg, dims) in program.args().iter().zip(args) {
            r.dims[arg].clone_from(dims);
        }
        for (id, instr) in program.instrs().iter() {
            let access = AccessMap::of(instr.op(), &program.operand_types(id))?;
            r.factors.push(classes.nodes(access.factors.iter().map(|f| f.size)));
            let free = instr.operands().iter().all(|&v| r.free[v]);
            let zero = is_zero(instr.op(), || instr.operands().iter().all(|&v| r.zero[v]));
            for &v in instr.results() {
                r.dims[v] = classes.nodes(program.ty(v).shape().iter().copied());
                r.free[v] = free;
                r.zero[v] = free && zero;
            }
            r.access.push(access);
        }
        for id in program.instrs().ids() {
            r.unite(id, classes);
        }
        Ok(r)
    }

    fn unite(&self, id: InstrId, classes: &mut Classes) {
        let instr = self.program.instr(id);
        if instr.results().iter().all(|&v| self.free[v]) {
            return;
        }
        let (access, factors) = (&self.access[id], &self.factors[id]);
        let sides =
            access.operands.iter().zip(instr.operands()).chain(access.results.iter().zip(instr.results()));
        for (maps, &v) in sides.filter(|(_, v)| !self.free[**v]) {
            for (map, &dim) in maps.iter().zip(&self.dims[v]) {
                match map {
                    DimMap::Factors(fs) => match fs.split_first() {
                        Some((&major, minor)) => {
                            classes.unite(factors[major], dim);
                            minor.iter().for_each(|&f| classes.block(factors[f]));
                        }
                        None => classes.block(dim),
                    },
                    DimMap::Affine { factor, .. } => {
                        classes.block(factors[*factor]);
                        classes.block(dim);
                    }
                    DimMap::Whole => classes.block(dim),
                }
            }
        }
        for (f, &node) in access.factors.iter().zip(factors) {
            if f.kind == FactorKind::Blocked {
                classes.block(node);
            }
        }
    }

    fn apart(&self, classes: &mut Classes) {
        for instr in self.program.instrs().ids() {
            classes.apart(&self.factors[instr]);
        }
        for v in self.program.value_ids() {
            classes.apart(&self.dims[v]);
        }
    }

    /// The sums that results are, given those that arguments are. `judged` blocks classes whose sums something inside
    /// reads otherwise than linearly; before it is known which arguments are sums, that cannot be told.
    fn flow(&mut self, args: &[Sums], judged: bool, classes: &mut Classes) -> Vec<Sums> {
        let mut sums = IdMap::<Value, Sums>::filled(self.program.n_values(), Sums::new());
        for (&arg, own) in self.program.args().iter().zip(args) {
            sums[arg].clone_from(own);
        }
        for (id, instr) in self.program.instrs().iter() {
            if instr.results().iter().all(|&v| self.free[v]) {
                continue;
            }
            let operands = instr.operands();
            let mut carried: Sums = operands.iter().flat_map(|&v| sums[v].iter().copied()).collect();
            for (f, &node) in self.factors[id].iter().enumerate() {
                let Some(c) = classes.open(node) else { continue };
                let joins = |i: usize| self.access[id].joins.contains(&(i, f));
                let summed = |(i, v): (usize, &Value)| sums[*v].contains(&c) && !joins(i);
                if carried.remove(&c) && operands.iter().enumerate().any(summed) {
                    classes.block(c);
                }
                for (k, &v) in instr.results().iter().enumerate() {
                    match self.access[id].effect(f, k) {
                        Effect::Disjoint | Effect::Alike => {}
                        Effect::Contribution(Monoid::Add) => {
                            sums[v].insert(c);
                        }
                        Effect::Contribution(_) => classes.block(c),
                    }
                }
            }
            for c in carried {
                match judged && !self.carries(id, |v| sums[v].contains(&c)) {
                    true => classes.block(c),
                    false => instr.results().iter().for_each(|&v| {
                        sums[v].insert(c);
                    }),
                }
            }
        }
        self.sums = sums;
        self.program.results().iter().map(|&v| self.sums[v].clone()).collect()
    }

    /// Whether the result is a sum where these operands are: the others that are linear together with them are 0.
    fn carries(&self, id: InstrId, is_sum: impl Fn(Value) -> bool) -> bool {
        let instr = self.program.instr(id);
        let operands = instr.operands();
        let real = |v: Value| self.program.ty(v).dtype().is_differentiable();
        let all_real = operands.iter().all(|&v| !is_sum(v) || real(v)) && real(instr.results()[0]);
        let fits = |set: &Vec<usize>| {
            operands.iter().enumerate().all(|(i, &v)| match set.contains(&i) {
                true => is_sum(v) || self.zero[v],
                false => !is_sum(v),
            })
        };
        instr.results().len() == 1 && all_real && linear_sets(instr.op(), operands.len()).iter().any(fits)
    }

    /// `of` gives each node's factor.
    fn factors(&self, of: &[Option<FactorId>], results: &[Vec<Node>]) -> RegionFactors {
        let each = |nodes: &[Node]| nodes.iter().map(|&n| of[n]).collect::<Vec<_>>();
        let args = self.program.args().iter().map(|&v| each(&self.dims[v])).collect();
        let mut instrs = IdMap::new();
        // Those of ops that depend on nothing are in no class.
        self.factors.values().for_each(|nodes| {
            instrs.push(each(nodes));
        });
        let mut summed = IdMap::new();
        for (id, instr) in self.program.instrs().iter() {
            let is_sum = |&(i, f): &(usize, FactorId)| {
                let own = of[self.factors[id][f]];
                own.is_some() && self.sums[instr.operands()[i]].iter().any(|&c| of[c] == own)
            };
            summed.push(self.access[id].joins.iter().copied().filter(is_sum).collect());
        }
        RegionFactors { args, results: results.iter().map(|dims| each(dims)).collect(), instrs, summed }
    }
}

/// Whether an op gives zeros, where `operands` tells whether all its operands are.
fn is_zero(op: &Op, operands: impl Fn() -> bool) -> bool {
    if let Op::Constant(l) = op {
        return l.splat_bytes().is_some_and(|b| b.iter().all(|&b| b == 0));
    }
    let moves = matches!(
        op,
        Op::BroadcastInDim { .. } | Op::Reshape { .. } | Op::Transpose { .. } | Op::Slice { .. }
    );
    moves && operands()
}

/// The map of a loop or choice on operands of these types, whose results have those types; `None` for other ops.
pub(crate) fn regions(
    op: &Op,
    xs: &[&TensorType],
    results: &[TensorType],
) -> Result<Option<Regions>, TypeError> {
    let mut classes = Classes::default();
    let mut nodes = |types: &mut dyn Iterator<Item = &TensorType>| -> Vec<Vec<Node>> {
        types.map(|ty| classes.nodes(ty.shape().iter().copied())).collect()
    };
    let operands = nodes(&mut xs.iter().copied());
    let found = if let Op::While { cond, body } = op {
        let carried = operands[..results.len()].to_vec();
        while_loop(cond, body, operands, carried, &mut classes)?
    } else if let Op::Case { branches } = op {
        let made = nodes(&mut results.iter());
        case(branches, operands, made, &mut classes)?
    } else {
        return Ok(None);
    };
    Ok(Some(found.finish(&mut classes)))
}

fn while_loop<'a>(
    cond: &'a Program,
    body: &'a Program,
    operands: Vec<Vec<Node>>,
    results: Vec<Vec<Node>>,
    classes: &mut Classes,
) -> Result<Found<'a>, TypeError> {
    let mut cond = Region::new(cond, &operands, classes)?;
    let mut body = Region::new(body, &operands, classes)?;
    returns(&body, &results, classes);
    cond.apart(classes);
    body.apart(classes);
    let sums = around(&mut cond, &mut body, operands.len(), classes);
    let inside = vec![(cond, vec![Vec::new()]), (body, results.clone())];
    Ok(Found { operands, results, sums, goes_on: true, inside })
}

fn case<'a>(
    branches: &'a [Program],
    operands: Vec<Vec<Node>>,
    results: Vec<Vec<Node>>,
    classes: &mut Classes,
) -> Result<Found<'a>, TypeError> {
    let region = |p| Region::new(p, &operands[1..], classes);
    let mut branches = branches.iter().map(region).collect::<Result<Vec<_>, _>>()?;
    branches.iter().for_each(|r| returns(r, &results, classes));
    branches.iter().for_each(|r| r.apart(classes));
    results.iter().for_each(|dims| classes.apart(dims));
    let sums = any_of(&mut branches, operands.len() - 1, classes);
    let inside = branches.into_iter().map(|r| (r, results.clone())).collect();
    Ok(Found { operands, results, sums, goes_on: false, inside })
}

/// A region's results are cut as these nodes.
fn returns(region: &Region<'_>, nodes: &[Vec<Node>], classes: &mut Classes) {
    for (&v, nodes) in region.program.results().iter().zip(nodes).filter(|(v, _)| !region.free[**v]) {
        region.dims[v].iter().zip(nodes).for_each(|(&a, &b)| classes.unite(b, a));
    }
}

/// The sums that a loop carries: once a value is one, every turn takes and gives one.
fn around(cond: &mut Region<'_>, body: &mut Region<'_>, n: usize, classes: &mut Classes) -> Vec<Sums> {
    let mut sums = vec![Sums::new(); n];
    loop {
        let before: usize = sums.iter().map(Sums::len).sum();
        let given = body.flow(&sums, false, classes);
        sums.iter_mut().zip(&given).for_each(|(own, given)| own.extend(given));
        if sums.iter().map(Sums::len).sum::<usize>() > before {
            continue;
        }
        let given = body.flow(&sums, true, classes);
        for ((own, given), v) in sums.iter().zip(&given).zip(body.program.results()) {
            let counted_again = own.iter().filter(|c| !given.contains(c) && !body.zero[*v]);
            counted_again.for_each(|&c| classes.block(c));
        }
        // Whether it goes on may not be a contribution.
        cond.flow(&sums, true, classes).iter().flatten().for_each(|&c| classes.block(c));
        sums.truncate(given.len());
        return sums;
    }
}

/// The sums that a choice gives: contributions, or zeros, whichever branch is taken.
fn any_of(branches: &mut [Region<'_>], n: usize, classes: &mut Classes) -> Vec<Sums> {
    let given: Vec<Vec<Sums>> =
        branches.iter_mut().map(|r| r.flow(&vec![Sums::new(); n], true, classes)).collect();
    let mut out = vec![Sums::new(); given[0].len()];
    for (k, out) in out.iter_mut().enumerate() {
        out.extend(given.iter().flat_map(|g| &g[k]));
        for (branch, given) in branches.iter().zip(&given) {
            let whole = !branch.zero[branch.program.results()[k]];
            out.iter().filter(|c| whole && !given[k].contains(c)).for_each(|&c| classes.block(c));
        }
    }
    out
}

/// All that is known of a loop or choice before its factors are numbered.
struct Found<'a> {
    operands: Vec<Vec<Node>>,
    results: Vec<Vec<Node>>,
    /// Per result.
    sums: Vec<Sums>,
    /// Whether sums go on from the operands of the same numbers.
    goes_on: bool,
    /// Regions, and the nodes of their results.
    inside: Vec<(Region<'a>, Vec<Vec<Node>>)>,
}

impl Found<'_> {
    /// Open classes of operands and results become factors.
    fn finish(self, classes: &mut Classes) -> Regions {
        let mut factors: Vec<Factor> = Vec::new();
        let mut number: BTreeMap<Node, FactorId> = BTreeMap::new();
        for &n in self.operands.iter().chain(&self.results).flatten() {
            let Some(c) = classes.open(n) else { continue };
            number.entry(c).or_insert_with(|| {
                let kind = match self.sums.iter().any(|s| s.contains(&c)) {
                    true => FactorKind::Reduced(Monoid::Add),
                    false => FactorKind::Pass,
                };
                factors.push(Factor { size: classes.base[c], kind });
                factors.len() - 1
            });
        }
        let of: Vec<Option<FactorId>> =
            (0..classes.parent.len()).map(|n| number.get(&classes.class(n)).copied()).collect();
        let (mut joins, mut alike) = (Vec::new(), BTreeSet::new());
        for (k, dims) in self.results.iter().enumerate() {
            for (c, &f) in &number {
                match self.sums[k].contains(c) {
                    true if self.goes_on => joins.push((k, f)),
                    true => {}
                    false if dims.iter().any(|&n| of[n] == Some(f)) => {}
                    false => {
                        alike.insert((f, k));
                    }
                }
            }
        }
        // A dimension of runs of the class has their length as a factor of its own.
        let mut map = |n: Node, none: Option<DimMap>| {
            let base = of[n].map_or(1, |f| factors[f].size);
            let rest = classes.size[n] / base;
            let own = |factors: &mut Vec<Factor>| {
                factors.push(Factor { size: rest, kind: FactorKind::Blocked });
                factors.len() - 1
            };
            match (of[n], none) {
                (Some(f), _) if rest == 1 => DimMap::Factors(vec![f]),
                (Some(f), _) => DimMap::Factors(vec![f, own(&mut factors)]),
                (None, Some(map)) => map,
                (None, None) => DimMap::Factors(vec![own(&mut factors)]),
            }
        };
        let mut maps = |values: &[Vec<Node>], none: Option<DimMap>| -> Vec<Vec<DimMap>> {
            values.iter().map(|dims| dims.iter().map(|&n| map(n, none.clone())).collect()).collect()
        };
        let operands = maps(&self.operands, Some(DimMap::Whole));
        let results = maps(&self.results, None);
        let inside = self.inside.iter().map(|(region, results)| region.factors(&of, results)).collect();
        Regions { factors, operands, results, joins, alike, inside }
    }
}
