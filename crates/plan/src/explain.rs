//! What a plan does, for a person: who takes part, what is cut how, what is computed, sent and held, and why.
//!
//! Names come from the step program. Needs neither a legal plan nor the right program: what does not exist is
//! shown by its id. Judges nothing.

mod count;
mod format;

pub use count::{Counts, count};

use crate::layout::{Cut, Layout};
use crate::mesh::AxisKind;
use crate::plan::{Collective, CollectiveKind, Plan};
use count::{load_layouts, op_names, scratch};
use format::{bytes, clean, number, table, wrap};
use pullback_base::Id;
use pullback_ir::count::program_cost;
use pullback_ir::{Program, Value};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Most names listed of a collective's values.
const MAX_NAMES: usize = 6;

/// Most devices and links in a table.
const MAX_ROWS: usize = 64;

/// The plan in words and tables, for the program it was made from.
pub fn explain(plan: &Plan, program: &Program) -> String {
    let e = Explainer { plan, program, counts: count(plan, program) };
    let mut out = String::new();
    for section in [
        Explainer::head,
        Explainer::mesh,
        Explainer::devices,
        Explainer::arguments,
        Explainer::templates,
        Explainer::collectives,
        Explainer::links,
        Explainer::reasons,
    ] {
        section(&e, &mut out);
    }
    out
}

struct Explainer<'a> {
    plan: &'a Plan,
    program: &'a Program,
    counts: Option<Counts>,
}

impl Explainer<'_> {
    fn head(&self, out: &mut String) {
        let p = self.plan;
        let rows = [
            ("plan", p.digest().short()),
            ("model", p.identity.model.short()),
            ("strategy", p.identity.strategy.short()),
            ("deployment", p.identity.deployment.short()),
            ("step", p.identity.step.short()),
            ("relation", clean(&p.certificate.relation)),
        ];
        table(out, 0, "ll", rows.map(|(a, b)| vec![a.to_owned(), b]));
    }

    fn mesh(&self, out: &mut String) {
        let mesh = &self.plan.mesh;
        let _ = writeln!(out, "\nmesh of {}", plural(mesh.places.len(), "device"));
        let rows = mesh.axes.iter().map(|a| {
            let what = match a.kind {
                AxisKind::Space => "devices side by side",
                AxisKind::Time => "turns one after the other (microbatches)",
            };
            vec![clean(&a.name), a.size.to_string(), what.to_owned()]
        });
        table(out, 1, "lrl", rows);
    }

    fn devices(&self, out: &mut String) {
        let mesh = &self.plan.mesh;
        let _ = writeln!(out, "\ndevices, per step");
        let head = ["", "device", "at", "FLOPs", "sends", "arena", "scratch", "memory"];
        let mut rows = vec![head.map(str::to_owned).to_vec()];
        for (id, d) in self.plan.devices.iter().take(MAX_ROWS) {
            let place = mesh.places.get(id.index());
            let space = |(a, &c): (&crate::mesh::Axis, &usize)| match a.kind {
                AxisKind::Space => Some(format!("{} {c}", clean(&a.name))),
                AxisKind::Time => None,
            };
            let at = place.map(|p| mesh.axes.iter().zip(&p.coord).filter_map(space).collect::<Vec<_>>());
            let scratch = scratch(self.plan, &d.events);
            rows.push(vec![
                id.to_string(),
                place.map_or("?".to_owned(), |p| clean(&p.device)),
                at.map_or(String::new(), |list| list.join(", ")),
                self.counted(|c| number(c.flops[id.index()])),
                self.counted(|c| bytes(c.sent(id))),
                bytes(d.arena),
                bytes(scratch),
                bytes(d.arena.saturating_add(scratch)),
            ]);
        }
        table(out, 1, "lllrrrrr", rows);
        self.rest(out, self.plan.devices.len());
        let whole = program_cost(self.program).flops;
        let Some(counts) = &self.counts else {
            let _ = writeln!(out, "  FLOPs and bytes are not counted: the loops have too many turns");
            return;
        };
        let all = counts.flops.iter().copied().fold(0, u64::saturating_add);
        let _ = write!(
            out,
            "  the step program takes {} FLOPs, all devices together {}",
            number(whole),
            number(all)
        );
        let _ = match whole {
            0 => writeln!(out),
            _ => writeln!(out, " ({:.2} times as many)", all as f64 / whole as f64),
        };
    }

    /// Batch and state, those with one layout together.
    fn arguments(&self, out: &mut String) {
        let signature = &self.plan.signature;
        let mut loads = vec![None; signature.batch.len()];
        for d in self.plan.devices.values() {
            load_layouts(&d.buffers, &d.events, &mut loads);
        }
        let batch = signature.batch.iter().zip(loads).map(|(b, layout)| (b.name.as_str(), b.arg, layout));
        let first = self.plan.devices.values().next();
        let entered = |slot: usize| {
            let d = first?;
            d.buffers.get(*d.entry.get(slot)?).map(|b| &b.layout)
        };
        let state = signature.state.iter().enumerate().map(|(i, s)| (s.name.as_str(), s.arg, entered(i)));
        self.argument_groups(out, "batch", batch);
        self.argument_groups(out, "state", state);
    }

    fn argument_groups<'b>(
        &self,
        out: &mut String,
        role: &str,
        slots: impl Iterator<Item = (&'b str, usize, Option<&'b Layout>)>,
    ) {
        let mut groups: BTreeMap<Option<&Layout>, (Vec<String>, u64)> = BTreeMap::new();
        // Layouts that say the same of different ranks go together.
        let mut whole: (Vec<String>, u64) = Default::default();
        for (name, arg, layout) in slots {
            let ty = self.program.args().get(arg).map(|&v| self.program.ty(v));
            let shown = ty.map_or_else(|| clean(name), |ty| format!("{} {ty}", clean(name)));
            let is_whole = layout.is_some_and(|l| l.pending.is_none() && l.dims.iter().all(Option::is_none));
            let group = if is_whole { &mut whole } else { groups.entry(layout).or_default() };
            group.0.push(shown);
            group.1 = group.1.saturating_add(ty.map_or(0, |ty| ty.bytes() as u64));
        }
        let mut group = |how: String, names: Vec<String>, size: u64| {
            let _ = writeln!(out, "\n{role} ({}, {}): {how}", plural(names.len(), "tensor"), bytes(size));
            wrap(out, 1, names);
        };
        for (layout, (names, size)) in groups {
            let how = layout.map_or("on no device".to_owned(), |l| self.layout(l));
            group(how, names, size);
        }
        if !whole.0.is_empty() {
            group("whole on every device".to_owned(), whole.0, whole.1);
        }
    }

    /// `dimension 0 of 12 cut over data, micro: 3 3 | 2 2 | 1 1`
    fn layout(&self, layout: &Layout) -> String {
        let mut parts = Vec::new();
        for (dim, cut) in layout.dims.iter().enumerate() {
            let Some(c) = cut else { continue };
            match self.plan.cuts.get(*c) {
                Some(cut) => {
                    parts.push(format!("dimension {dim} of {} cut over {}", cut.size, self.cut(cut)))
                }
                None => parts.push(format!("dimension {dim} cut by {c}, which does not exist")),
            }
        }
        if let Some(p) = &layout.pending {
            parts.push(format!("pending {} over {}", p.monoid, self.axis_names(&p.axes)));
        }
        parts.join("; ")
    }

    /// The axes of a cut and the sizes of its sets; those of one coordinate of the first axis together.
    fn cut(&self, cut: &Cut) -> String {
        let axes = self.axis_names(&cut.axes);
        let outer = cut.axes.first().and_then(|a| self.plan.mesh.axes.get(a.index())).map_or(1, |a| a.size);
        let sizes: Vec<usize> = cut.sets.iter().map(pullback_ir::region::IntervalSet::len).collect();
        let inner = (sizes.len() / outer.max(1)).max(1);
        let shown = if sizes.len() <= 24 {
            let words = |part: &[usize]| part.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
            sizes.chunks(inner).map(words).collect::<Vec<_>>().join(" | ")
        } else {
            let (least, most) = (sizes.iter().min(), sizes.iter().max());
            format!("{} parts of {} to {}", sizes.len(), least.unwrap_or(&0), most.unwrap_or(&0))
        };
        match cut.sets.iter().map(|s| s.intervals().len()).max() {
            Some(n) if n > 1 => format!("{axes}: {shown} (each in {n} runs)"),
            Some(_) | None => format!("{axes}: {shown}"),
        }
    }

    fn templates(&self, out: &mut String) {
        let _ = writeln!(out, "\ntemplates (lists of ops that run as one)");
        let mut rows = vec![
            ["", "ops", "reads", "writes", "runs", "FLOPs, all devices", "most frequent ops"]
                .map(str::to_owned)
                .to_vec(),
        ];
        for (id, t) in self.plan.templates.iter() {
            let ops = op_names(self.program, t).into_iter().take(4).map(|(name, n)| format!("{name} {n}"));
            rows.push(vec![
                id.to_string(),
                t.ops.len().to_string(),
                t.inputs.len().to_string(),
                t.outputs.len().to_string(),
                self.counted(|c| c.runs[id.index()].to_string()),
                self.counted(|c| number(c.templates[id.index()])),
                ops.collect::<Vec<_>>().join(", "),
            ]);
        }
        table(out, 1, "lrrrrrl", rows);
    }

    fn collectives(&self, out: &mut String) {
        if self.plan.collectives.is_empty() {
            let _ = writeln!(out, "\nno collectives: no device needs what another computes");
            return;
        }
        let _ = writeln!(out, "\ncollectives");
        for (id, k) in self.plan.collectives.iter() {
            let _ = writeln!(
                out,
                "  {id} {}{} over {} in {}: {}, {} sent by all devices in a step",
                k.kind.name(),
                if k.kind == CollectiveKind::AllGather { String::new() } else { format!(" ({})", k.monoid) },
                self.axis_names(&k.axes),
                k.dtype.name(),
                plural(k.items.len(), "value"),
                self.counted(|c| bytes(c.collectives[id.index()])),
            );
            wrap(out, 3, self.item_names(k));
        }
    }

    fn item_names(&self, k: &Collective) -> Vec<String> {
        let mut names: Vec<String> = k.items.iter().take(MAX_NAMES).map(|i| self.name(i.value)).collect();
        if k.items.len() > MAX_NAMES {
            names.push(format!("and {} more", k.items.len() - MAX_NAMES));
        }
        names
    }

    fn links(&self, out: &mut String) {
        let Some(counts) = self.counts.as_ref().filter(|c| !c.links.is_empty()) else { return };
        let _ = writeln!(out, "\nbytes per link and step (ring, without frame headers)");
        let name = |d: crate::mesh::DeviceId| {
            let name = self.plan.mesh.places.get(d.index()).map_or("?".to_owned(), |p| clean(&p.device));
            format!("{d} {name}")
        };
        let row = |(&(from, to), &n): (&_, &u64)| vec![name(from), "->".to_owned(), name(to), bytes(n)];
        table(out, 1, "lllr", counts.links.iter().take(MAX_ROWS).map(row));
        self.rest(out, counts.links.len());
    }

    fn reasons(&self, out: &mut String) {
        if self.plan.certificate.reasons.is_empty() {
            return;
        }
        let _ = writeln!(out, "\nwhy");
        let rows = self.plan.certificate.reasons.iter().map(|r| vec![clean(&r.about), clean(&r.text)]);
        table(out, 1, "ll", rows);
    }

    fn rest(&self, out: &mut String, n: usize) {
        if n > MAX_ROWS {
            let _ = writeln!(out, "  and {} more", n - MAX_ROWS);
        }
    }

    fn counted(&self, show: impl Fn(&Counts) -> String) -> String {
        self.counts.as_ref().map_or_else(|| "?".to_owned(), show)
    }

    fn name(&self, value: Value) -> String {
        let known = value.index() < self.program.n_values();
        if known { clean(&self.program.display_name(value)) } else { value.to_string() }
    }

    fn axis_names(&self, axes: &[crate::mesh::AxisId]) -> String {
        let name = |a: &crate::mesh::AxisId| {
            self.plan.mesh.axes.get(a.index()).map_or_else(|| a.to_string(), |axis| clean(&axis.name))
        };
        match axes {
            [] => "nothing".to_owned(),
            _ => axes.iter().map(name).collect::<Vec<_>>().join(", "),
        }
    }
}

/// `1 device`, `2 devices`
fn plural(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
