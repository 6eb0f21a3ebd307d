//! What `inspect` says of functions whose shapes are open.

use pullback_stablehlo::{Argument, Signature};
use serde_json::{Value as Json, json};
use std::fmt::Write as _;

/// A signature, and how to specialize it.
pub(super) fn text(out: &mut String, s: &Signature) {
    let open = if s.is_open() { ", open shapes" } else { "" };
    let (n, m) = (s.arguments.len(), s.results.len());
    let _ = writeln!(out, "\n@{}: {n} arguments, {m} results{open}", s.function);
    let name = |a: &Argument| if a.name.is_empty() { "-".to_owned() } else { a.name.clone() };
    let width = s.arguments.iter().map(|a| name(a).chars().count()).max().unwrap_or(0);
    for (kind, list) in [("arg", &s.arguments), ("out", &s.results)] {
        for (i, a) in list.iter().enumerate() {
            let _ = writeln!(out, "  {kind}{i:<4} {:width$}  {a}", name(a));
        }
    }
    if !s.platforms.is_empty() {
        let _ = writeln!(out, "  platforms: {}", s.platforms.join(", "));
    }
    if !s.symbols.is_empty() {
        let _ = writeln!(out, "  symbols: {}", s.symbols.join(", "));
    }
    if let Some(way) = way(s) {
        let _ = writeln!(out, "  specialize with {way}");
    }
}

/// Flags that would make all shapes known.
fn way(s: &Signature) -> Option<String> {
    let open = s.arguments.iter().position(|a| a.open)?;
    let shape: Vec<String> = s.arguments[open]
        .shape
        .iter()
        .map(|d| match d.parse::<usize>() {
            Ok(n) => n.to_string(),
            Err(_) => "8".to_owned(),
        })
        .collect();
    let shape = format!("--shape arg{open}={}", shape.join("x"));
    if s.symbols.is_empty() {
        return Some(shape);
    }
    let symbols: Vec<String> = s.symbols.iter().map(|s| format!("{s}=8")).collect();
    Some(format!("--shapes {}, or {shape}", symbols.join(",")))
}

pub(super) fn json(s: &Signature) -> Json {
    let list = |list: &[Argument]| -> Vec<Json> {
        let of = |(i, a): (usize, &Argument)| json!({ "index": i, "name": a.name, "dtype": a.dtype, "shape": a.shape, "open": a.open });
        list.iter().enumerate().map(of).collect()
    };
    json!({
        "name": s.function,
        "arguments": list(&s.arguments),
        "results": list(&s.results),
        "symbols": s.symbols,
        "platforms": s.platforms,
    })
}
