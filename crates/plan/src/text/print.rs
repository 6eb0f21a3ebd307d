//! Printing plans: everything in a plan, in a fixed order; equal plans give equal texts.
//!
//! Never fails, whatever the plan holds: an axis that the mesh lacks prints as `#7`, which no text parses to.

use super::VERSION;
use crate::layout::{Cut, CutId, Layout};
use crate::mesh::{AxisId, AxisKind, Mesh};
use crate::plan::{
    Certificate, Collective, CollectiveId, DevicePlan, Event, Identity, Plan, Template, TemplateId,
};
use crate::signature::Signature;
use pullback_base::Id;
use std::fmt::{self, Display, Write};

/// The canonical text.
///
/// ```
/// use pullback_plan::{Plan, text};
/// # let zero = "0".repeat(64);
/// # let text = format!("pullback plan 2\n\nidentity {{\n  model {zero}\n  strategy {zero}\n  deployment {zero}\n  step {zero}\n}}\n\nsignature {{\n}}\n\nmesh {{\n  @w0 \"a\" at ()\n}}\n\ncuts {{\n}}\n\ndevice @w0 arena 0 {{\n  entry ()\n  commit ()\n}}\n\ncertificate \"exact\" {{\n}}\n");
/// let plan: Plan = text::parse(&text).unwrap();
/// assert_eq!(text::print(&plan), text);
/// ```
pub fn print(plan: &Plan) -> String {
    let mut out = String::new();
    write_plan(&mut out, plan).expect("writing to a string succeeds");
    out
}

fn write_plan(f: &mut String, plan: &Plan) -> fmt::Result {
    writeln!(f, "pullback plan {VERSION}")?;
    write_identity(f, &plan.identity)?;
    write_signature(f, &plan.signature)?;
    write_mesh(f, &plan.mesh)?;
    f.write_str("\ncuts {\n")?;
    for (id, cut) in plan.cuts.iter() {
        write_cut(f, &plan.mesh, id, cut)?;
    }
    f.write_str("}\n")?;
    for (id, t) in plan.templates.iter() {
        write_template(f, id, t)?;
    }
    for (id, k) in plan.collectives.iter() {
        write_collective(f, &plan.mesh, id, k)?;
    }
    for (id, d) in plan.devices.iter() {
        writeln!(f, "\ndevice {id} arena {} {{", d.arena)?;
        write_device(f, &plan.mesh, d)?;
        f.write_str("}\n")?;
    }
    write_certificate(f, &plan.certificate)
}

fn write_identity(f: &mut String, identity: &Identity) -> fmt::Result {
    let Identity { model, strategy, deployment, step } = identity;
    f.write_str("\nidentity {\n")?;
    for (name, digest) in
        [("model", model), ("strategy", strategy), ("deployment", deployment), ("step", step)]
    {
        writeln!(f, "  {name} {digest}")?;
    }
    f.write_str("}\n")
}

fn write_signature(f: &mut String, signature: &Signature) -> fmt::Result {
    let Signature { state, batch, outputs } = signature;
    f.write_str("\nsignature {\n")?;
    for s in state {
        writeln!(f, "  state {} argument {} result {}", Quoted(&s.name), s.arg, s.result)?;
    }
    for b in batch {
        writeln!(f, "  batch {} argument {}", Quoted(&b.name), b.arg)?;
    }
    for o in outputs {
        writeln!(f, "  output {} result {}", Quoted(&o.name), o.result)?;
    }
    f.write_str("}\n")
}

fn write_mesh(f: &mut String, mesh: &Mesh) -> fmt::Result {
    let Mesh { axes, places } = mesh;
    f.write_str("\nmesh {\n")?;
    for a in axes {
        let kind = match a.kind {
            AxisKind::Space => "space",
            AxisKind::Time => "time",
        };
        writeln!(f, "  axis {} {kind} {}", Symbol(&a.name), a.size)?;
    }
    for (d, place) in mesh.devices().zip(places) {
        writeln!(f, "  {d} {} at ({})", Quoted(&place.device), List(&place.coord))?;
    }
    f.write_str("}\n")
}

fn write_cut(f: &mut String, mesh: &Mesh, id: CutId, cut: &Cut) -> fmt::Result {
    write!(f, "  {id} = {}", cut.size)?;
    write_over(f, mesh, &cut.axes)?;
    f.write_char(':')?;
    for (i, set) in cut.sets.iter().enumerate() {
        write!(f, "{}{set}", if i == 0 { " " } else { " | " })?;
    }
    f.write_char('\n')
}

fn write_template(f: &mut String, id: TemplateId, t: &Template) -> fmt::Result {
    let Template { ops, inputs, outputs, scratch } = t;
    writeln!(f, "\ntemplate {id} ({}) -> ({}) scratch {scratch} {{", List(inputs), List(outputs))?;
    for op in ops {
        write!(f, "  {} ", op.instr)?;
        write_cuts(f, &op.cuts)?;
        f.write_char('\n')?;
    }
    f.write_str("}\n")
}

fn write_collective(f: &mut String, mesh: &Mesh, id: CollectiveId, k: &Collective) -> fmt::Result {
    let Collective { kind, monoid, dtype, axes, groups, chunk, items } = k;
    write!(f, "\ncollective {id} {} {monoid} {}", kind.name(), dtype.name())?;
    write_over(f, mesh, axes)?;
    writeln!(f, " chunk {chunk} {{")?;
    for g in groups {
        writeln!(f, "  group ({})", List(g))?;
    }
    for item in items {
        write!(f, "  item {} ", item.value)?;
        write_layout(f, mesh, &item.from)?;
        f.write_str(" -> ")?;
        write_layout(f, mesh, &item.to)?;
        f.write_char('\n')?;
    }
    f.write_str("}\n")
}

fn write_device(f: &mut String, mesh: &Mesh, d: &DevicePlan) -> fmt::Result {
    for (id, b) in d.buffers.iter() {
        write!(f, "  {id}: {} ", b.value)?;
        write_layout(f, mesh, &b.layout)?;
        writeln!(f, " at {} bytes {}", b.offset, b.bytes)?;
    }
    writeln!(f, "  entry ({})", List(&d.entry))?;
    d.events.iter().try_for_each(|e| write_event(f, mesh, e, 1))
}

fn write_event(f: &mut String, mesh: &Mesh, event: &Event, depth: usize) -> fmt::Result {
    write!(f, "{:width$}", "", width = 2 * depth)?;
    match event {
        Event::Load { slot, into } => writeln!(f, "load {slot} -> {into}"),
        Event::Compute { template, inputs, outputs } => {
            writeln!(f, "compute {template} ({}) -> ({})", List(inputs), List(outputs))
        }
        Event::Combine { from, into, axis } | Event::Collect { from, into, axis } => {
            let name = if matches!(event, Event::Collect { .. }) { "collect" } else { "combine" };
            write!(f, "{name} {from} -> {into}")?;
            write_over(f, mesh, std::slice::from_ref(axis))?;
            f.write_char('\n')
        }
        Event::Collective { id, inputs, outputs } => {
            writeln!(f, "collective {id} ({}) -> ({})", List(inputs), List(outputs))
        }
        Event::Loop { axis, body } => {
            f.write_str("loop ")?;
            write_axis(f, mesh, *axis)?;
            f.write_str(" {\n")?;
            body.iter().try_for_each(|e| write_event(f, mesh, e, depth + 1))?;
            writeln!(f, "{:width$}}}", "", width = 2 * depth)
        }
        Event::Free { buffer } => writeln!(f, "free {buffer}"),
        Event::Commit { next } => writeln!(f, "commit ({})", List(next)),
        Event::Output { slot, from } => writeln!(f, "output {slot} {from}"),
    }
}

fn write_certificate(f: &mut String, certificate: &Certificate) -> fmt::Result {
    let Certificate { relation, reasons } = certificate;
    writeln!(f, "\ncertificate {} {{", Quoted(relation))?;
    for r in reasons {
        writeln!(f, "  reason {} {}", Quoted(&r.about), Quoted(&r.text))?;
    }
    f.write_str("}\n")
}

fn write_layout(f: &mut String, mesh: &Mesh, layout: &Layout) -> fmt::Result {
    write_cuts(f, &layout.dims)?;
    if let Some(p) = &layout.pending {
        write!(f, " pending {}(", p.monoid)?;
        write_axes(f, mesh, &p.axes)?;
        f.write_char(')')?;
    }
    Ok(())
}

/// `[c0, _]`
fn write_cuts(f: &mut String, cuts: &[Option<CutId>]) -> fmt::Result {
    f.write_char('[')?;
    for (i, cut) in cuts.iter().enumerate() {
        f.write_str(if i == 0 { "" } else { ", " })?;
        match cut {
            Some(c) => write!(f, "{c}")?,
            None => f.write_char('_')?,
        }
    }
    f.write_char(']')
}

/// ` over data, micro`, nothing without axes.
fn write_over(f: &mut String, mesh: &Mesh, axes: &[AxisId]) -> fmt::Result {
    if axes.is_empty() {
        return Ok(());
    }
    f.write_str(" over ")?;
    write_axes(f, mesh, axes)
}

fn write_axes(f: &mut String, mesh: &Mesh, axes: &[AxisId]) -> fmt::Result {
    for (i, &a) in axes.iter().enumerate() {
        f.write_str(if i == 0 { "" } else { ", " })?;
        write_axis(f, mesh, a)?;
    }
    Ok(())
}

fn write_axis(f: &mut String, mesh: &Mesh, axis: AxisId) -> fmt::Result {
    match mesh.axes.get(axis.index()) {
        Some(a) => write!(f, "{}", Symbol(&a.name)),
        None => write!(f, "#{}", axis.index()),
    }
}

/// Entries with commas between.
struct List<'a, T>(&'a [T]);

impl<T: Display> Display for List<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, item) in self.0.iter().enumerate() {
            write!(f, "{}{item}", if i == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

/// A bare word where the name is one, else a string.
struct Symbol<'a>(&'a str);

impl Display for Symbol<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_word = self.0.bytes().all(super::scan::is_word_byte)
            && self.0.bytes().next().is_some_and(|b| !b.is_ascii_digit());
        if is_word { f.write_str(self.0) } else { write!(f, "{}", Quoted(self.0)) }
    }
}

/// A string with escapes.
struct Quoted<'a>(&'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for c in self.0.chars() {
            match c {
                '"' => f.write_str("\\\"")?,
                '\\' => f.write_str("\\\\")?,
                '\n' => f.write_str("\\n")?,
                '\t' => f.write_str("\\t")?,
                '\r' => f.write_str("\\r")?,
                c if c.is_control() => write!(f, "\\u{{{:x}}}", c as u32)?,
                c => f.write_char(c)?,
            }
        }
        f.write_char('"')
    }
}
