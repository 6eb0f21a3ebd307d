//! `pullback grad --explain`: what the gradient keeps of its forward part, for whom, and what could be recomputed.

use super::mode::Derived;
use super::subject::Subject;
use crate::Error;
use crate::cli::report;
use crate::step::loss_first;
use pullback_autodiff::recompute::{Recomputation, Request, forward_part, recompute};
use pullback_autodiff::{Residual, residuals};
use pullback_ir::{InstrId, Program};
use serde_json::{Value as Json, json};
use std::fmt::Write as _;

/// Residuals of a gradient, and second executions for a memory limit.
pub struct Explained<'a> {
    subject: &'a Subject,
    program: &'a Program,
    residuals: Vec<Residual>,
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
    let kept = loss_first(&s.program, loss)?;
    let residuals = residuals(&kept, &s.wrt, &s.options).map_err(|e| s.here(e))?;
    let program = &derived.program;
    let forward = forward_part(program, loss);
    let limit = memory.unwrap_or(u64::MAX);
    let table = recompute(&Request { program, forward, limit, must: &[] });
    Ok(Explained { subject: s, program, residuals, table, limit: memory })
}

impl Explained<'_> {
    fn bytes(&self, arguments: bool) -> u64 {
        let of = self.residuals.iter().filter(|r| r.op.is_none() == arguments);
        of.fold(0, |n, r| n.saturating_add(r.ty.bytes() as u64))
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
                r.op.unwrap_or("argument").to_owned(),
                readers.join(", "),
            ]
        });
        columns(&mut out, std::iter::once(header).chain(rows).collect());
        let _ = writeln!(
            out,
            "\nkept: {}, and {} of arguments, which are there anyway",
            report::bytes(self.bytes(false)),
            report::bytes(self.bytes(true))
        );
        let _ = writeln!(
            out,
            "peak live bytes of loss and gradients: {} ({}), arguments held",
            self.table.peak_before,
            report::bytes(self.table.peak_before)
        );
        if let Some(limit) = self.limit {
            self.table_text(&mut out, limit);
        }
        out
    }

    fn table_text(&self, out: &mut String, limit: u64) {
        let t = &self.table;
        let fits = if t.fits { "within" } else { "still above" };
        let _ = writeln!(
            out,
            "\nwith {} second executions: {} bytes, {fits} the limit of {limit}; {} more operations",
            t.again.len(),
            t.peak_after,
            report::count(t.extra_flops)
        );
        for a in &t.again {
            let _ = writeln!(
                out,
                "  {} {} again before {} {}",
                a.instr,
                self.instruction(a.instr),
                a.before,
                self.instruction(a.before)
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
                "readers": readers.collect::<Vec<_>>(),
            })
        };
        let table = self.limit.map(|limit| {
            let t = &self.table;
            let again = t.again.iter().map(|a| {
                json!({
                    "instruction": a.instr.to_string(),
                    "is": self.instruction(a.instr),
                    "before": a.before.to_string(),
                })
            });
            json!({
                "limit": limit,
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
            "bytes": self.bytes(false),
            "argument_bytes": self.bytes(true),
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
