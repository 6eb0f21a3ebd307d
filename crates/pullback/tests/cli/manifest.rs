//! Manifests that are wrong, or disagree with the module: each message names the key.

use crate::{data, folder, run_fails};
use expect_test::{Expect, expect};
use pullback::manifest::{Init, Manifest, Role};
use serde_json::{Value, json};

fn good() -> Value {
    serde_json::from_str(&std::fs::read_to_string(data().join("manifest.json")).unwrap()).unwrap()
}

/// What `eval` says with a manifest changed by `edit`.
fn says(edit: impl FnOnce(&mut Value), want: Expect) {
    let dir = folder();
    let mut manifest = good();
    edit(&mut manifest);
    std::fs::write(dir.path().join("manifest.json"), manifest.to_string()).unwrap();
    let args = ["eval", "loss.mlir", "--manifest", "manifest.json", "--inputs", "io.safetensors"];
    want.assert_eq(&run_fails(dir.path(), &args));
}

#[test]
fn what_does_not_read() {
    says(|m| *m = json!([1]), expect![[""]]);
    says(
        |m| {
            m["args"][0]["role"] = json!("weight");
            m["args"][1]["shape"] = json!([64, -48]);
            m["args"][2]["dtype"] = json!("float31");
            m["args"][3]["init"] = json!({ "uniform": {} });
            m["args"][4].as_object_mut().unwrap().remove("name");
            m["results"] = json!("loss");
        },
        expect![[""]],
    );
    let error = Manifest::parse("{\n  \"name\": \"a\",\n  \"args\" []\n}", "m.json").unwrap_err();
    expect![[""]].assert_eq(&error.to_string());
}

#[test]
fn what_disagrees_with_the_module() {
    says(
        |m| {
            m["args"][0]["shape"] = json!([47]);
            m["args"][7]["dtype"] = json!("int64");
            m["args"][1]["name"] = json!("x");
            m["args"][7]["role"] = json!("parameter");
            m["results"][0]["index"] = json!(1);
            m["args"][2]["init"] = json!({ "normal": { "std": -1.0 } });
        },
        expect![[""]],
    );
    says(|m| m["args"][3]["index"] = json!(2), expect![[""]]);
    says(|m| m["function"] = json!("train"), expect![[""]]);
}

#[test]
fn optimizers_are_read_when_steps_are_asked_for() {
    let dir = folder();
    let args =
        ["grad", "loss.mlir", "--manifest", "manifest.json", "--inputs", "io.safetensors", "--steps", "2"];
    let mut check = |optimizer: Value, want: Expect| {
        let mut manifest = good();
        manifest["optimizer"] = optimizer;
        std::fs::write(dir.path().join("manifest.json"), manifest.to_string()).unwrap();
        want.assert_eq(&run_fails(dir.path(), &args));
    };
    check(Value::Null, expect![[""]]);
    check(json!({ "name": "lion", "learning_rate": 1.0 }), expect![[""]]);
    check(json!({ "name": "sgd", "learning_rate": 1.0, "clip_global_norm": 0.0 }), expect![[""]]);
}

#[test]
fn only_names_and_roles_are_needed_and_unknown_keys_are_noted() {
    let text = r#"{ "args": [ { "name": "w", "role": "parameter", "init": { "normal": { "std": 0.5 } }, "colour": 1 },
        { "name": "k", "role": "rng-key" } ], "results": [ { "role": "loss" } ],
        "functions": { "predict": { "args": [], "results": [], "batch": 3 } }, "author": "me" }"#;
    let m = Manifest::parse(text, "m.json").unwrap();
    assert_eq!((m.function.as_str(), m.main.args[1].index, m.main.args[1].role), ("main", 1, Role::RngKey));
    assert_eq!(m.main.args[0].init, Some(Init::Normal { std: 0.5 }));
    assert_eq!(m.notes.len(), 1);
    expect![[""]].assert_eq(&m.notes[0].to_string());
}
