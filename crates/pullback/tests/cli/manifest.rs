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
    says(
        |m| *m = json!([1]),
        expect![[r#"
        error: manifest.json: manifest: an object is expected, not a list
        error: manifest.json: args: the key is missing
        error: manifest.json: results: the key is missing
    "#]],
    );
    says(
        |m| {
            m["args"][0]["role"] = json!("weight");
            m["args"][1]["shape"] = json!([64, -48]);
            m["args"][2]["dtype"] = json!("float31");
            m["args"][3]["init"] = json!({ "uniform": {} });
            m["args"][4].as_object_mut().unwrap().remove("name");
            m["results"] = json!("loss");
        },
        expect![[r#"
            error: manifest.json: args[0].role: unknown variant `weight`, expected one of `parameter`, `state`, `batch`, `rng-key`
            error: manifest.json: args[1].shape: invalid value: integer `-48`, expected usize
            error: manifest.json: args[2].dtype: "float31" is no element type; write float32, int32, …
            error: manifest.json: args[3].init: unknown variant `uniform`, expected one of `normal`, `zeros`, `ones`
            error: manifest.json: args[4].name: the key is missing
            error: manifest.json: results: a list is expected, not a string
        "#]],
    );
    let error = Manifest::parse("{\n  \"name\": \"a\",\n  \"args\" []\n}", "m.json").unwrap_err();
    expect!["m.json:3:10: not JSON: expected `:`"].assert_eq(&error.to_string());
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
        expect![[r#"
            error: manifest.json: args[6].name: "x" is the name of args[1] already
            error: manifest.json: args[0].shape: [47], but "l1.b" of main is float32[48]
            error: manifest.json: args[2].init.normal.std: -1 is not a standard deviation
            error: manifest.json: args[7].dtype: int64, but "y" of main is int32[32]
            error: manifest.json: args[7].role: "y" is i32[32]; a parameter is trained, so it must be a real float
            error: manifest.json: results[0].index: 1, but main has 1 results
            error: manifest.json: results: nothing is said of result 0 of main (34, f32[])
        "#]],
    );
    says(
        |m| m["args"][3]["index"] = json!(2),
        expect![[r#"
        error: manifest.json: args[3].index: 2 is described by args[2] already
        error: manifest.json: args: nothing is said of argument 3 of main (arg3, f32[48,32])
    "#]],
    );
    says(
        |m| m["function"] = json!("train"),
        expect![[r#"
        error: loss.mlir: there is no public function "train"
          help: the public functions are: main
    "#]],
    );
}

#[test]
fn optimizers_are_read_when_steps_are_asked_for() {
    let dir = folder();
    let args =
        ["grad", "loss.mlir", "--manifest", "manifest.json", "--inputs", "io.safetensors", "--steps", "2"];
    let check = |optimizer: Value, want: Expect| {
        let mut manifest = good();
        manifest["optimizer"] = optimizer;
        std::fs::write(dir.path().join("manifest.json"), manifest.to_string()).unwrap();
        want.assert_eq(&run_fails(dir.path(), &args));
    };
    check(
        Value::Null,
        expect![[r#"
        error: manifest.json: optimizer: the key is missing, --steps needs it
    "#]],
    );
    check(
        json!({ "name": "lion", "learning_rate": 1.0 }),
        expect![[r#"
        error: manifest.json: optimizer: unknown variant `lion`, expected one of `sgd`, `momentum`, `adam`, `adamw`
    "#]],
    );
    check(
        json!({ "name": "sgd", "learning_rate": 1.0, "clip_global_norm": 0.0 }),
        expect![[r#"
        error: manifest.json: optimizer: clip_global_norm is 0, it must be above 0
    "#]],
    );
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
    expect![
        "m.json: note: keys without a meaning here are ignored: author, args[].colour, functions.*.batch"
    ]
    .assert_eq(&m.notes[0].to_string());
}
