//! What `pullback inspect` shows of annotations: meshes, shardings, donated arguments, kinds of memory.

use pullback_stablehlo::{Annotation, Annotations, AxisRef, FunctionAnnotations, MeshRef, Sharding};
use serde_json::{Value as Json, json};
use std::fmt::Write as _;

/// Most values listed for people; tools get all of them.
const MAX_LISTED: usize = 40;

/// The section for people; nothing where nothing is said.
pub(super) fn text(out: &mut String, annotations: &Annotations) {
    if annotations.meshes.is_empty() && annotations.functions.iter().all(FunctionAnnotations::is_empty) {
        return;
    }
    out.push_str("\nannotations (kept, not used: the strategy says how a program is distributed)\n");
    for mesh in &annotations.meshes {
        let _ = writeln!(out, "  mesh @{} {mesh}", mesh.name);
    }
    for f in annotations.functions.iter().filter(|f| !f.is_empty()) {
        let _ = writeln!(out, "  @{}", f.name);
        for (what, list) in [("arg", &f.args), ("out", &f.results)] {
            let said = list.iter().enumerate().map(|(i, a)| (i, a.lines())).filter(|(_, l)| !l.is_empty());
            for (i, lines) in said {
                let _ = writeln!(out, "    {what}{i:<4} {}", lines.join(", "));
            }
        }
        for v in f.values.iter().take(MAX_LISTED) {
            let _ = writeln!(out, "    {}  {} (at {})", v.name, v.mark, v.pos);
        }
        if f.values.len() > MAX_LISTED {
            let _ = writeln!(out, "    and {} more values", f.values.len() - MAX_LISTED);
        }
    }
}

/// The same for tools.
pub(super) fn json(annotations: &Annotations) -> Json {
    let meshes = annotations.meshes.iter().map(|m| {
        let axes = m.axes.iter().map(|(name, size)| json!({"name": name, "size": size}));
        json!({"name": m.name, "axes": axes.collect::<Vec<_>>(), "device_ids": m.device_ids})
    });
    let (replicas, partitions) = annotations.processes;
    json!({
        "meshes": meshes.collect::<Vec<_>>(),
        "replicas": replicas,
        "partitions": partitions,
        "functions": annotations.functions.iter().map(function).collect::<Vec<_>>(),
    })
}

fn function(f: &FunctionAnnotations) -> Json {
    let values = f.values.iter().map(|v| {
        let place = match v.pos.line {
            0 => json!({"byte": v.pos.col}),
            line => json!({"line": line, "column": v.pos.col}),
        };
        json!({"name": v.name, "value": v.value.map(|v| v.to_string()), "at": place, "mark": v.mark.to_string()})
    });
    json!({
        "name": f.name,
        "arguments": f.args.iter().map(annotation).collect::<Vec<_>>(),
        "results": f.results.iter().map(annotation).collect::<Vec<_>>(),
        "values": values.collect::<Vec<_>>(),
    })
}

fn annotation(a: &Annotation) -> Json {
    json!({
        "sharding": a.sharding.as_ref().map(sharding),
        "mhlo_sharding": a.mhlo_sharding,
        "donated": a.donated,
        "aliases": a.aliases,
        "memory_kind": a.memory_kind,
    })
}

fn sharding(s: &Sharding) -> Json {
    let names = |axes: &[AxisRef]| axes.iter().map(axis).collect::<Vec<Json>>();
    let mesh = match &s.mesh {
        MeshRef::Named(name) => json!(name),
        MeshRef::Inline(mesh) => json!(mesh.to_string()),
    };
    let dims = s.dims.iter().map(|d| json!({"axes": names(&d.axes), "open": d.open, "priority": d.priority}));
    json!({
        "mesh": mesh,
        "dims": dims.collect::<Vec<_>>(),
        "replicated": names(&s.replicated),
        "unreduced": names(&s.unreduced),
        "text": s.to_string(),
    })
}

fn axis(a: &AxisRef) -> Json {
    match a.part {
        None => json!({"name": a.name}),
        Some((before, size)) => json!({"name": a.name, "before": before, "size": size}),
    }
}
