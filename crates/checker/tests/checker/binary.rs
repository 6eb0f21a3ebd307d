//! `pullback-check` on files: verdicts, exit codes, and errors that name the file.

use crate::plans::{self, Case};
use std::path::PathBuf;
use std::process::{Command, Output};

/// A folder of its own that goes when dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, case: &Case) -> Self {
        let path = std::env::temp_dir().join(format!("pullback-check-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        let folder = Self(path);
        let strategy = "version = 1\n[[axis]]\nname = 'data'\nkind = 'space'\nsize = 2\n[[axis]]\nname = 'micro'\nkind = 'time'\nsize = 2\n";
        folder.write("step.ir", &case.step.to_string());
        folder.write("strategy.toml", strategy);
        folder.write("deployment.toml", &case.deployment.to_toml());
        folder.write("p.plan", &pullback_plan::text::print(&case.plan));
        folder
    }

    fn write(&self, file: &str, text: &str) {
        std::fs::write(self.0.join(file), text).unwrap();
    }

    fn check(&self, more: &[&str]) -> (Option<i32>, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pullback-check"));
        command.args(["--step", "step.ir", "--strategy", "strategy.toml", "--deployment", "deployment.toml"]);
        let Output { status, stdout, stderr } = command.args(more).current_dir(&self.0).output().unwrap();
        (status.code(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn legal_illegal_and_unreadable() {
    let folder = Folder::new("verdicts", &plans::data_parallel());
    let (code, out, err) = folder.check(&["p.plan"]);
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    assert!(out.starts_with("legal") && out.contains("w0 -> w1: 16 bytes a step"), "{out}");

    let (code, out, _) = folder.check(&["--json", "p.plan"]);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, &json["verdict"], &json["links"][0]["bytes"]), (Some(0), &"legal".into(), &16.into()));

    folder.write("deployment.toml", "version = 1\n[[device]]\nname = 'w0'\nmemory_mib = 1\n");
    let (code, out, _) = folder.check(&["p.plan"]);
    assert_eq!(code, Some(1));
    assert!(out.contains("P13") && out.contains("deployment") && out.contains("help: "), "{out}");
    let (code, out, _) = folder.check(&["p.plan", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&out).unwrap();
    let first = &json["violations"][0];
    assert_eq!((code, &first["rule"], &first["fault"]), (Some(1), &"P13".into(), &"P13Digest".into()));
    assert_eq!((&first["part"], &first["device"]), (&"identity".into(), &serde_json::Value::Null));
    assert!(
        first["reason"].as_str().unwrap().starts_with("deployment") && first["help"].is_string(),
        "{out}"
    );

    folder.write("bad.plan", "pullback plan 2\nidentity { model abc");
    let (code, _, err) = folder.check(&["bad.plan"]);
    assert!(code == Some(1) && err.contains("bad.plan: 2:"), "{err}");
    let (code, _, err) = folder.check(&["none.plan"]);
    assert!(code == Some(1) && err.contains("cannot read the plan none.plan"), "{err}");
    for wrong in [&["p.plan", "q.plan"][..], &["--frob", "p.plan"], &["--step"], &[]] {
        let (code, _, err) = folder.check(wrong);
        assert!(code == Some(1) && err.starts_with("pullback-check: "), "{wrong:?}: {err}");
    }
}

#[test]
fn text_forms_keep_plans() {
    for case in plans::all() {
        let text = pullback_plan::text::print(&case.plan);
        assert_eq!(pullback_plan::text::parse(&text).unwrap(), case.plan, "{}", case.name);
    }
}
