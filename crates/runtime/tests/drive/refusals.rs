//! Runs that are refused or stopped: each says what, where and what to do.

use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::tiny::{self, artifacts, deployment, job, quietly, replicated, run_dir};
use pullback_runtime::drive::{Artifacts, Event, RunError, run};
use serde_json::json;

fn finished(dir: &Path) -> Artifacts {
    let a = artifacts(&replicated(), &deployment(), 3, json!({}));
    quietly(&job(dir, a.clone())).unwrap();
    a
}

/// What going on with a run says after one of its files was edited.
fn edited(file: &str, from: &str, to: &str) -> String {
    let root = tempfile::tempdir().unwrap();
    let dir = run_dir(&root, "run");
    finished(&dir);
    let path = dir.join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{file} has no {from:?}: {text}");
    std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
    let mut again = Artifacts::read(&dir).unwrap();
    again.steps = 9;
    quietly(&job(&dir, again)).unwrap_err().to_string()
}

#[test]
fn an_edited_run_is_refused_by_field() {
    for (file, from, to, want) in [
        ("strategy.toml", "checkpoint_every = 7", "checkpoint_every = 8", "strategy"),
        ("deployment.toml", "memory_mib = 64", "memory_mib = 65", "deployment"),
    ] {
        let text = edited(file, from, to);
        let way_out = format!("undo the edit of the {want}, or make a new plan and start a new run");
        assert!(text.contains(&format!("its {want} is")) && text.contains(&way_out), "{text}");
        let longest = text.split(|c: char| !c.is_ascii_hexdigit()).map(str::len).max();
        assert_eq!(longest, Some(12), "{text}");
    }
    let comment = {
        let root = tempfile::tempdir().unwrap();
        let dir = run_dir(&root, "run");
        let mut a = finished(&dir);
        a.strategy = format!("# a comment changes nothing\n{}", a.strategy);
        quietly(&job(&dir, a))
    };
    assert_eq!(comment.unwrap().steps, 3);
}

#[test]
fn an_edited_plan_step_or_model_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let dir = run_dir(&root, "run");
    let a = finished(&dir);
    let say = |change: &dyn Fn(&mut Artifacts)| {
        let mut b = a.clone();
        change(&mut b);
        quietly(&job(&dir, b)).unwrap_err().to_string()
    };
    let step = say(&|b| b.step = b.step.replacen("constant 0.9", "constant 0.8", 1));
    assert!(step.contains("another step"), "{step}");
    let model = say(&|b| b.model = pullback_plan::Digest::of(b"other"));
    assert!(model.contains("its model is"), "{model}");
    let plan = say(&|b| {
        let mut plan = pullback_plan::text::parse(&b.plan).unwrap();
        plan.templates[pullback_base::Id::from_index(0)].scratch += 64;
        b.plan = pullback_plan::text::print(&plan);
    });
    assert!(plan.contains("its plan is"), "{plan}");
    // Without a ledger to compare with, the plan itself names what it was made for.
    let fresh = run_dir(&root, "fresh");
    let mut b = a.clone();
    b.strategy = b.strategy.replace("keep = 3", "keep = 4");
    let text = quietly(&job(&fresh, b)).unwrap_err().to_string();
    assert!(text.contains("made for another strategy") && !fresh.join("ledger.sqlite").exists(), "{text}");
}

#[test]
fn a_loss_that_is_not_finite_stops_the_run_and_is_not_committed() {
    let root = tempfile::tempdir().unwrap();
    let dir = run_dir(&root, "nan");
    let error =
        quietly(&job(&dir, artifacts(&replicated(), &deployment(), 9, json!({ "nan_at": 4 })))).unwrap_err();
    assert!(matches!(error, RunError::NonFinite { step: 5, committed: 4, .. }), "{error}");
    let text = error.to_string();
    assert!(text.contains("nothing of it was committed") && text.contains("learning rate"), "{text}");
    assert_eq!(tiny::ledger(&dir, 4).len(), 4);
}

#[test]
fn an_absent_worker_and_a_taken_port_are_named() {
    let root = tempfile::tempdir().unwrap();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let absent = deployment().replacen("name = 'w1'", &format!("name = 'w1'\naddress = '{free}'"), 1);
    let mut there = job(&run_dir(&root, "absent"), artifacts(&replicated(), &absent, 3, json!({})));
    there.limits.reach = Duration::from_millis(300);
    let text = quietly(&there).unwrap_err().to_string();
    let want =
        format!("worker w1 does not answer at {free}: start it with `pullback worker --listen {free}`");
    assert!(text.contains(&want), "{text}");

    // A worker told to listen where another process does.
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = taken.local_addr().unwrap().to_string();
    let mut there = job(&run_dir(&root, "taken"), artifacts(&replicated(), &deployment(), 3, json!({})));
    for (_, value) in there.worker.env.iter_mut().filter(|(_, v)| v == "{listen}") {
        *value = addr.clone();
    }
    let text = quietly(&there).unwrap_err().to_string();
    assert!(text.contains("in use by another process"), "{text}");

    let mut far = artifacts(&replicated(), &deployment(), 3, json!({}));
    far.deployment = deployment().replacen("name = 'w1'", "name = 'w1'\naddress = '10.0.0.1:7000'", 1);
    let text = quietly(&job(&run_dir(&root, "far"), far)).unwrap_err().to_string();
    assert!(text.contains("only loopback"), "{text}");
}

#[test]
fn what_a_worker_cannot_do_reaches_the_person() {
    let root = tempfile::tempdir().unwrap();
    let refusing = json!({ "refuse": "the data file corpus.txt is missing" });
    let dir = run_dir(&root, "refusing");
    let error = quietly(&job(&dir, artifacts(&replicated(), &deployment(), 3, refusing))).unwrap_err();
    assert!(matches!(error, RunError::Worker { .. }), "{error}");
    assert!(error.to_string().contains("corpus.txt is missing"), "{error}");
}

#[test]
fn a_run_told_to_stop_checkpoints_and_can_be_resumed() {
    let root = tempfile::tempdir().unwrap();
    let (dir, whole) = (run_dir(&root, "stopped"), run_dir(&root, "whole"));
    let stop = Arc::new(AtomicBool::new(false));
    let mut first = job(&dir, artifacts(&replicated(), &deployment(), 30, json!({ "sleep_us": 1000 })));
    first.stop = Some(stop.clone());
    let summary = run(&first, &mut |event| {
        if matches!(event, Event::Step { step: 10, .. }) {
            stop.store(true, Ordering::Relaxed);
        }
    });
    let summary = summary.unwrap();
    assert!(summary.stopped && summary.steps < 30, "{summary:?}");
    let folder = format!("step-{:06}", summary.steps);
    assert!(summary.checkpoint.is_some_and(|c| c.ends_with(folder)));
    let rest = quietly(&job(&dir, Artifacts::read(&dir).unwrap())).unwrap();
    assert_eq!((rest.steps, rest.replayed, rest.stopped), (30, 0, false));
    quietly(&job(&whole, artifacts(&replicated(), &deployment(), 30, json!({})))).unwrap();
    assert_eq!(tiny::state(&dir, 30), tiny::state(&whole, 30));
}

#[test]
fn two_processes_cannot_drive_one_run() {
    let root = tempfile::tempdir().unwrap();
    let dir = run_dir(&root, "run");
    let mut inner = None;
    let a = artifacts(&replicated(), &deployment(), 3, json!({}));
    let outer = run(&job(&dir, a.clone()), &mut |event| {
        if matches!(event, Event::Step { step: 2, .. }) {
            inner = Some(quietly(&job(&dir, a.clone())));
        }
    });
    assert_eq!(outer.unwrap().steps, 3);
    let text = inner.unwrap().unwrap_err().to_string();
    assert!(text.contains("another process has the ledger"), "{text}");
}
