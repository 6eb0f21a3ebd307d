//! Attributes of composites and of operators that are not ours.

use super::{Attrs, List, write_string};
use crate::op::{Composite, Custom, CustomFactorKind, Rule};
use std::fmt;

/// A string in quotes.
fn quoted(s: &str) -> Result<String, fmt::Error> {
    let mut out = String::new();
    write_string(&mut out, s)?;
    Ok(out)
}

pub(super) fn write_composite(a: &mut Attrs<'_>, c: &Composite) -> fmt::Result {
    a.put("name", quoted(&c.name)?)?;
    a.put_if(c.version != 0, "version", c.version)?;
    a.put_if(!c.attributes.is_empty(), "composite_attributes", quoted(&c.attributes)?)?;
    a.put_if(c.rule != Rule::Decompose, "rule", c.rule.name())
}

pub(super) fn write_custom(a: &mut Attrs<'_>, c: &Custom) -> fmt::Result {
    a.put("name", quoted(&c.name)?)?;
    a.put_if(!c.attributes.is_empty(), "custom_attributes", quoted(&c.attributes)?)?;
    let sizes: Vec<usize> = c.access.factors.iter().map(|f| f.size).collect();
    let kinds: Vec<&str> = c.access.factors.iter().map(|f| kind_name(f.kind)).collect();
    a.put("factors", List(&sizes))?;
    a.put("kinds", List(&kinds))?;
    let whole = |f: &Option<usize>| f.map_or("-1".to_owned(), |f| f.to_string());
    let operands: Vec<String> = c
        .access
        .operands
        .iter()
        .map(|dims| List(&dims.iter().map(whole).collect::<Vec<_>>()).to_string())
        .collect();
    a.put("operand_dims", List(&operands))?;
    a.put("result_dims", List(&rows(&c.access.results)))?;
    a.put_if(!c.linear.is_empty(), "linear", List(&rows(&c.linear)))?;
    a.put("flops", c.flops)?;
    a.put("depth", c.depth)?;
    a.put("assurance", c.assurance)
}

fn rows(lists: &[Vec<usize>]) -> Vec<String> {
    lists.iter().map(|l| List(l).to_string()).collect()
}

fn kind_name(kind: CustomFactorKind) -> &'static str {
    match kind {
        CustomFactorKind::Pass => "pass",
        CustomFactorKind::Blocked => "blocked",
        CustomFactorKind::Reduced(m) => m.name(),
    }
}
