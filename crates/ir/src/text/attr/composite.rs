//! Attributes of composites and of operators that are not ours.

use super::{Attr, Result, Taker, all, as_word};
use crate::dtype::TensorType;
use crate::op::{
    Assurance, Composite, Custom, CustomAccess, CustomFactor, CustomFactorKind, Monoid, Op, Rule,
};

const RULES: &str = "stop_gradient, remat, custom_vjp, custom_jvp or transpose";

pub(super) fn composite(t: &mut Taker<'_, '_>) -> Result<Op> {
    let name = text(t, "name")?.ok_or_else(|| t.missing("name"))?;
    let version = t.optional("version", "a whole number", |a| as_int(&a))?.unwrap_or(0);
    let attributes = text(t, "composite_attributes")?.unwrap_or_default();
    let rule = t.optional("rule", RULES, |a| as_word(&a).map(str::to_owned))?;
    let rule = rule.unwrap_or_else(|| "decompose".to_owned());
    let mut programs = std::mem::take(&mut t.regions).into_iter();
    let body = programs.next().ok_or_else(|| t.s.error(t.attrs.at, "a composite has a body"))?;
    let Some(rule) = Rule::from_parts(&rule, programs.collect()) else {
        let message = format!("the rule {rule} is one of {RULES}, with the programs it takes after the body");
        return Err(t.s.error(t.attrs.at, message));
    };
    Ok(Op::Composite(Box::new(Composite { name, version, attributes, body, rule })))
}

pub(super) fn custom(t: &mut Taker<'_, '_>, types: &[TensorType]) -> Result<Op> {
    let name = text(t, "name")?.ok_or_else(|| t.missing("name"))?;
    let attributes = text(t, "custom_attributes")?.unwrap_or_default();
    let sizes: Vec<usize> = t.list("factors")?;
    let kinds = t.required("kinds", "a list of pass, blocked or a monoid", as_kinds)?;
    if kinds.len() != sizes.len() {
        return Err(t.s.error(t.attrs.at, "factors and kinds are as many"));
    }
    let factors = sizes.into_iter().zip(kinds).map(|(size, kind)| CustomFactor { size, kind }).collect();
    let operands: Vec<Vec<i64>> = rows(t, "operand_dims")?.unwrap_or_default();
    let factor = |f: i64| usize::try_from(f).ok();
    let operands = operands.into_iter().map(|dims| dims.into_iter().map(factor).collect()).collect();
    let results = rows(t, "result_dims")?.unwrap_or_default();
    let linear = rows(t, "linear")?.unwrap_or_default();
    let flops = t.required("flops", "a whole number", |a| as_int(&a))?;
    let depth = t.required("depth", "a whole number", |a| as_int(&a))?;
    let assurance = t.word("assurance", "trusted, tested or proved", Assurance::from_name)?;
    let assurance = assurance.ok_or_else(|| t.missing("assurance"))?;
    let access = CustomAccess { factors, operands, results };
    let results = types.to_vec();
    Ok(Op::Custom(Box::new(Custom { name, attributes, results, access, linear, flops, depth, assurance })))
}

fn text(t: &mut Taker<'_, '_>, name: &str) -> Result<Option<String>> {
    t.optional(name, "a string", |a| match a {
        Attr::Text(text) => Some(text),
        Attr::Word(_) | Attr::Int(_) | Attr::Ints(_) | Attr::Words(_) | Attr::Rows(_) | Attr::Cross(..) => {
            None
        }
    })
}

fn as_int<T: TryFrom<i128>>(a: &Attr<'_>) -> Option<T> {
    match a {
        Attr::Int(i) => T::try_from(*i).ok(),
        Attr::Word(_) | Attr::Ints(_) | Attr::Words(_) | Attr::Rows(_) | Attr::Cross(..) | Attr::Text(_) => {
            None
        }
    }
}

fn as_kinds(a: Attr<'_>) -> Option<Vec<CustomFactorKind>> {
    let kind = |w: &str| match w {
        "pass" => Some(CustomFactorKind::Pass),
        "blocked" => Some(CustomFactorKind::Blocked),
        _ => Monoid::from_name(w).map(CustomFactorKind::Reduced),
    };
    match a {
        Attr::Words(words) => words.iter().map(|w| kind(w)).collect(),
        Attr::Ints(ints) if ints.is_empty() => Some(Vec::new()),
        Attr::Word(_) | Attr::Int(_) | Attr::Ints(_) | Attr::Rows(_) | Attr::Cross(..) | Attr::Text(_) => {
            None
        }
    }
}

/// Lists of whole numbers.
fn rows<T: TryFrom<i128>>(t: &mut Taker<'_, '_>, name: &str) -> Result<Option<Vec<Vec<T>>>> {
    t.optional(name, "lists such as [[0], [1, 2]]", |a| match a {
        Attr::Rows(rows) => rows.iter().map(|r| all(r)).collect(),
        Attr::Ints(ints) if ints.is_empty() => Some(Vec::new()),
        Attr::Word(_) | Attr::Int(_) | Attr::Ints(_) | Attr::Words(_) | Attr::Cross(..) | Attr::Text(_) => {
            None
        }
    })
}
