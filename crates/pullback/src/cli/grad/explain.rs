//! `pullback grad --explain`: what the gradient keeps of its forward part, for whom, and what could be recomputed.

use super::mode::Derived;
use super::subject::Subject;
use crate::Error;
use crate::cli::report;
use crate::step::{in_source_order, loss_first, simplify};
use pullback_autodiff::recompute::{
    Again, Recomputation, Regions, Request, forward_part, recompute, regions,
};
use pullback_autodiff::{Residual, residuals, value_and_grad_with};
use pullback_ir::{InstrId, Program};
use serde_json::{Value as Json, json};
use std::borrow::Cow;
use std::fmt::Write as _;

/// Residuals of a gradient, and second executions for marks and a memory limit.
pub struct Explained<'a> {
    subject: &'a Subject,
    program: Cow<'a, Program>,
    residuals: Vec<Residual>,
    /// Rematerialized regions.
    regions: Option<Regions>,
    /// Instructions inside them.
    marked: Vec<InstrId>,
    table: Recomputation,
    limit: Option<u64>,
}

/// Explains the gradient's program; `memory` is the limit of its live bytes.
pub fn explain<'a>(
    s: &'a Subject,
    derived: &'a Derived,
    memory: Option<u64>,
) -> Result<Explained<'a>, Error> {
    let loss = s.loss()?;
    let source = loss_first(&s.program, loss)?;
    let regions = regions(&source).map_err(|e| s.here(e))?;
    let opened = regions.as_ref().map_or(&source, |r| &r.program);
    let residuals = residuals(opened, &s.wrt, &s.options).map_err(|e| s.here(e))?;
    let program = match &regions {
        None => Cow::Borrowed(&derived.program),
        // The same with names inside the regions.
        Some(r) => {
            let named = value_and_grad_with(&r.program, &s.wrt, &s.options).map_err(|e| s.here(e))?;
            Cow::Owned(simplify(&in_source_order(named, loss)?).map_err(|e| s.here(e))?)
        }
    };
    let forward = forward_part(&program, loss);
    let own = s.program.results().len();
    let marked = regions.as_ref().map_or_else(Vec::new, |r| r.instructions(&program, own, forward));
    let limit = memory.unwrap_or(u64::MAX);
    let table = recompute(&Request { program: &program, forward, limit, must: &marked });
    Ok(Explained { subject: s, program, residuals, regions, marked, table, limit: memory })
}

impl Explained<'_> {
    /// Bytes of residuals of a kind.
    fn bytes(&self, of: impl Fn(&Residual) -> bool) -> u64 {
        let of = self.residuals.iter().filter(|r| of(r));
        of.fold(0, |n, r| n.saturating_add(r.ty.bytes() as u64))
    }

    fn argument_bytes(&self) -> u64 {
        self.bytes(|r| r.op.is_none())
    }

    fn kept_bytes(&self) -> u64 {
        self.bytes(|r| r.op.is_some() && !self.inside(r))
    }

    /// Whether a residual is inside a rematerialized region.
    fn inside(&self, r: &Residual) -> bool {
        let Some(name) = &r.name else { return false };
        self.regions.as_ref().is_some_and(|m| r.op.is_some() && m.names.contains(name))
    }

    /// Why something is executed again.
    fn reason(&self, a: &Again) -> &'static str {
        match self.marked.contains(&a.instr) {
            true => "marked remat",
            false => "memory",
        }
    }

    fn name(r: &Residual) -> &str {
        r.name.as_deref().unwrap_or("-")
    }

    /// `tanh %15 f32[8]`
    fn instruction(&self, id: InstrId) -> String {
        let instr = self.program.instr(id);
        let results = instr.results().iter();
        let results: Vec<String> =
            results.map(|&r| format!("{} {}", self.program.display_name(r), self.program.ty(r))).collect();
        format!("{} {}", instr.op().name(), results.join(", "))
    }

    /// For people.
    pub fn text(&self) -> String {
        let s = self.subject;
        let wrt: Vec<&str> = s.wrt.iter().filter_map(|&i| s.args.get(i)).map(String::as_str).collect();
        let mut out = format!(
            "{}: residuals of the gradient of @{} with respect to {}\n\n",
            s.file,
            s.program.name(),
            wrt.join(", ")
        );
        let header = ["value", "type", "bytes", "made by", "kept for the pullback of"].map(str::to_owned);
        let rows = self.residuals.iter().map(|r| {
            let readers: Vec<String> = r.readers.iter().map(|(op, v)| format!("{op} {v}")).collect();
            [
                Self::name(r).to_owned(),
                r.ty.to_string(),
                r.ty.bytes().to_string(),
                match (r.op, self.inside(r)) {
                    (None, _) => "argument".to_owned(),
                    (Some(op), false) => op.to_owned(),
                    (Some(op), true) => format!("{op}, again (marked remat)"),
                },
                readers.join(", "),
            ]
        });
        columns(&mut out, std::iter::once(header).chain(rows).collect());
        let _ = writeln!(
            out,
            "\nkept: {}, and {} of arguments, which are there anyway",
            report::bytes(self.kept_bytes()),
            report::bytes(self.argument_bytes())
        );
        let _ = writeln!(
            out,
            "peak live bytes of loss and gradients: {}, arguments held",
            report::exact_bytes(self.table.peak_before)
        );
        if self.limit.is_some() || self.regions.is_some() {
            self.table_text(&mut out);
        }
        out
    }

    fn table_text(&self, out: &mut String) {
        let t = &self.table;
        let limit = match (self.limit, t.fits) {
            (None, _) => String::new(),
            (Some(limit), true) => format!(", within the limit of {limit}"),
            (Some(limit), false) => format!(", still above the limit of {limit}"),
        };
        let _ = writeln!(
            out,
            "\nwith {} second executions: {}{limit}; {} more operations",
            t.again.len(),
            report::exact_bytes(t.peak_after),
            report::count(t.extra_flops)
        );
        for a in &t.again {
            let _ = writeln!(
                out,
                "  {} {} again before {} {} ({})",
                a.instr,
                self.instruction(a.instr),
                a.before,
                self.instruction(a.before),
                self.reason(a)
            );
        }
        if !t.fits {
            out.push_str(
                "  help: a smaller batch, or a plan that cuts it over turns or devices, needs less\n",
            );
        }
    }

    /// For programs.
    pub fn json(&self) -> Json {
        let residual = |r: &Residual| {
            let readers = r.readers.iter().map(|(op, v)| json!({ "op": op, "value": v }));
            json!({
                "value": r.name,
                "dtype": r.ty.dtype().name(),
                "shape": r.ty.shape(),
                "bytes": r.ty.bytes(),
                "op": r.op,
                "remat": self.inside(r),
                "readers": readers.collect::<Vec<_>>(),
            })
        };
        let table = (self.limit.is_some() || self.regions.is_some()).then(|| {
            let t = &self.table;
            let again = t.again.iter().map(|a| {
                json!({
                    "instruction": a.instr.to_string(),
                    "is": self.instruction(a.instr),
                    "before": a.before.to_string(),
                    "reason": self.reason(a),
                })
            });
            json!({
                "limit": self.limit,
                "fits": t.fits,
                "peak_before": t.peak_before,
                "peak_after": t.peak_after,
                "extra_flops": t.extra_flops,
                "again": again.collect::<Vec<_>>(),
            })
        });
        json!({
            "file": self.subject.file,
            "function": self.subject.program.name(),
            "residuals": self.residuals.iter().map(residual).collect::<Vec<_>>(),
            "bytes": self.kept_bytes(),
            "argument_bytes": self.argument_bytes(),
            "peak_live_bytes": self.table.peak_before,
            "recomputation": table,
        })
    }
}

/// Rows with their columns below each other.
fn columns(out: &mut String, rows: Vec<[String; 5]>) {
    let width = |k: usize| rows.iter().map(|r| r[k].chars().count()).max().unwrap_or(0);
    let widths = [0, 1, 2, 3].map(width);
    for r in &rows {
        let [a, b, c, d] = widths;
        let line = format!("  {:a$}  {:b$}  {:>c$}  {:d$}  {}", r[0], r[1], r[2], r[3], r[4]);
        let _ = writeln!(out, "{}", line.trim_end());
    }
}
