//! Which crate may depend on which, and what `cargo run` runs.
//!
//! A crate edge is something we forbid: one that is not in [`EDGES`] is a finding, whoever adds it. Dependencies of
//! tests are free.

use super::Finding;
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Packages of the workspace, each with those it may depend on.
const EDGES: &[(&str, &[&str])] = &[
    ("pullback-base", &[]),
    ("pullback-ir", &["pullback-base"]),
    ("pullback-stablehlo", &["pullback-base", "pullback-ir"]),
    ("pullback-autodiff", &["pullback-base", "pullback-ir"]),
    ("pullback-eval", &["pullback-base", "pullback-ir"]),
    ("pullback-plan", &["pullback-base", "pullback-ir"]),
    ("pullback-planner", &["pullback-base", "pullback-ir", "pullback-plan"]),
    ("pullback-checker", &["pullback-base", "pullback-ir", "pullback-plan"]),
    (
        "pullback-runtime",
        &["pullback-base", "pullback-ir", "pullback-plan", "pullback-checker", "pullback-eval"],
    ),
    (
        "pullback",
        &[
            "pullback-base",
            "pullback-ir",
            "pullback-stablehlo",
            "pullback-autodiff",
            "pullback-eval",
            "pullback-plan",
            "pullback-planner",
            "pullback-checker",
            "pullback-runtime",
        ],
    ),
    // Shows that an operator needs nothing but the vocabulary.
    ("pullback-custom-op", &["pullback-ir"]),
    ("xtask", &[]),
];

/// The package that `cargo run` runs.
const CLI: &str = "pullback";

/// Asks cargo and compares.
pub fn check(root: &Path) -> Result<Vec<Finding>, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .current_dir(root)
        .output()
        .map_err(|e| format!("cargo metadata: {e}"))?;
    if !output.status.success() {
        return Err(format!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    let metadata = serde_json::from_slice(&output.stdout).map_err(|e| format!("cargo metadata: {e}"))?;
    let mut findings = edges(&metadata, root);
    findings.extend(default_members(&metadata));
    Ok(findings)
}

fn edges(metadata: &Value, root: &Path) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in list(metadata, "packages") {
        let name = text(package, "name");
        let manifest = Path::new(text(package, "manifest_path"));
        let file = manifest.strip_prefix(root).unwrap_or(manifest).display().to_string();
        let mut find = |message: String| findings.push(Finding::new(&file, 1, "edges", message));
        let Some((_, allowed)) = EDGES.iter().find(|(n, _)| *n == name) else {
            find(format!("package {name} is not in the table of crates (xtask/src/tidy/edges.rs)"));
            continue;
        };
        for dependency in list(package, "dependencies") {
            let on = text(dependency, "name");
            let is_ours = !dependency["path"].is_null() || EDGES.iter().any(|(n, _)| *n == on);
            if is_ours && text(dependency, "kind") != "dev" && !allowed.contains(&on) {
                find(format!("{name} must not depend on {on}; ARCHITECTURE.md says which edges there are"));
            }
        }
    }
    findings
}

fn default_members(metadata: &Value) -> Vec<Finding> {
    let find = |message: String| Finding::new("Cargo.toml", 1, "default-members", message);
    let defaults = list(metadata, "workspace_default_members");
    let packages = list(metadata, "packages");
    let members: Vec<&Value> = packages.iter().filter(|p| defaults.contains(&p["id"])).collect();
    let names: Vec<&str> = members.iter().map(|p| text(p, "name")).collect();
    let [cli] = members[..] else {
        return vec![find(format!(
            "they are {names:?}; only {CLI} belongs there, so that `cargo run` finds it"
        ))];
    };
    if names != [CLI] {
        return vec![find(format!("it is {names:?}; it must be {CLI}"))];
    }
    let is_binary = |t: &&Value| list(t, "kind").iter().any(|k| k == "bin");
    let binaries = list(cli, "targets").iter().filter(is_binary).count();
    if binaries != 1 && text(cli, "default_run") != CLI {
        return vec![find(format!(
            "{CLI} has {binaries} binaries and no default-run, so `cargo run` asks which"
        ))];
    }
    Vec::new()
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn package(name: &str, dependencies: &[(&str, Option<&str>)]) -> Value {
        let dependency = |&(name, kind): &(&str, Option<&str>)| {
            let path = name.starts_with("pullback").then(|| format!("/r/{name}"));
            json!({ "name": name, "kind": kind, "path": path })
        };
        let dependencies: Vec<Value> = dependencies.iter().map(dependency).collect();
        json!({
            "id": name, "name": name, "manifest_path": format!("/r/{name}/Cargo.toml"), "default_run": null,
            "dependencies": dependencies,
            "targets": [{ "kind": ["lib"] }, { "kind": ["bin"] }],
        })
    }

    fn messages(packages: Vec<Value>) -> Vec<String> {
        let found = edges(&json!({ "packages": packages }), Path::new("/r"));
        found.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn edges_outside_the_table_are_found() {
        let fine = [("pullback-ir", None), ("blake3", None), ("pullback-planner", Some("dev"))];
        assert!(messages(vec![package("pullback-checker", &fine)]).is_empty());
        let wrong = package("pullback-checker", &[("pullback-planner", None)]);
        let at_build = package("pullback-planner", &[("pullback-checker", Some("build"))]);
        let found = messages(vec![wrong, at_build]);
        assert_eq!(
            found[0],
            "pullback-checker/Cargo.toml:1: edges: pullback-checker must not depend on pullback-planner; \
             ARCHITECTURE.md says which edges there are"
        );
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn a_new_package_is_found() {
        assert!(messages(vec![package("pullback-extra", &[])])[0].contains("not in the table"));
    }

    #[test]
    fn the_table_has_no_circle() {
        for (i, (name, on)) in EDGES.iter().enumerate() {
            for d in *on {
                let j = EDGES.iter().position(|(n, _)| n == d);
                assert!(j.is_some_and(|j| j < i), "{name} depends on {d}, which must stand above it");
            }
        }
    }

    #[test]
    fn default_members_are_the_cli() {
        let count = |members: &[&str], packages: Vec<Value>| {
            default_members(&json!({ "packages": packages, "workspace_default_members": members })).len()
        };
        let both = || vec![package("pullback", &[]), package("xtask", &[])];
        assert_eq!(count(&["pullback"], both()), 0);
        assert_eq!(count(&["pullback", "xtask"], both()), 1);
        assert_eq!(count(&["xtask"], both()), 1);
        let mut two = package("pullback", &[]);
        two["targets"] = json!([{ "kind": ["bin"] }, { "kind": ["bin"] }]);
        assert_eq!(count(&["pullback"], vec![two.clone()]), 1);
        two["default_run"] = json!("pullback");
        assert_eq!(count(&["pullback"], vec![two]), 0);
    }
}
